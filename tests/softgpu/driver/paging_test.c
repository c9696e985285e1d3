/*
 * paging_test.c - every paging operation of the reference driver, judged by what memory looks like
 * afterwards, in paging buffers of every awkward size.
 */
#include "fixture/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/pattern.h>

#define APERTURE 0x1u
#define VISIBLE  0x4u
#define MIB      (UINT64_C(1) << 20)

static const struct vidmm_host_setting small[] = {
    {"VramBytes", 16 * MIB},
    {"VramVisibleBytes", 8 * MIB},
    {"ApertureBytes", 16 * MIB},
    {"EvictionApertureBytes", 4 * MIB},
    {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8},
};

struct segments {
    struct fixture fixture;
    struct fixture_segment aperture, vram;
    uint32_t aperture_id, vram_id;
};

static void open_segments(struct segments *f) {
    fixture_open(&f->fixture, small, 5);
    f->aperture_id = fixture_find(&f->fixture, APERTURE, APERTURE, &f->aperture);
    f->vram_id = fixture_find(&f->fixture, APERTURE | VISIBLE, VISIBLE, &f->vram);
}

static int setup(void **state) {
    static struct segments f;
    open_segments(&f);
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    struct segments *f = *state;
    fixture_close(&f->fixture);
    return 0;
}

static PMDL pages(struct fixture *fixture, size_t count, uint64_t allocation) {
    PMDL mdl = fixture->os->pages_alloc(fixture->os->ctx, count, 0, UINT64_MAX);
    assert_non_null(mdl);
    for (size_t i = 0; i < count && allocation != 0; i++)
        vidmm_pattern_write(fixture_mdl_page(fixture, mdl, i), vidmm_pattern_key(allocation, i, 1));
    return mdl;
}

static void drop(struct fixture *fixture, PMDL mdl) {
    fixture->os->pages_free(fixture->os->ctx, mdl);
}

static void page_is(const void *bytes, uint64_t allocation, size_t page) {
    assert_non_null(bytes);
    assert_int_equal(vidmm_pattern_check(bytes, vidmm_pattern_key(allocation, page, 1)),
                     VIDMM_PATTERN_PAGE);
}

static void segment_holds(struct fixture *fixture, uint64_t address, size_t count,
                          uint64_t allocation) {
    for (size_t i = 0; i < count; i++)
        page_is(vidmm_host_peek(fixture->host, 0, address + i * FIXTURE_PAGE, FIXTURE_PAGE),
                allocation, i);
}

static void page(struct fixture *fixture, DXGKARG_BUILDPAGINGBUFFER args, uint32_t size) {
    assert_int_equal(fixture_page(fixture, &args, size), STATUS_SUCCESS);
}

/* ---- Transfer -------------------------------------------------------------------------------- */

static void transfer_round_trip_in_any_buffer_size(void **state) {
    struct segments *f = *state;
    static const uint32_t sizes[] = {40, 41, 48, 63, 100, 512, FIXTURE_PAGE, FIXTURE_BUFFER};
    PMDL from = pages(&f->fixture, 70, 7);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        PMDL to = pages(&f->fixture, 70, 0);
        uint64_t address = f->vram.base + 5 * FIXTURE_PAGE;
        page(&f->fixture, fixture_fill(f->vram_id, f->vram.base, MIB, 0xdeadbeef), FIXTURE_PAGE);
        page(&f->fixture, fixture_in(NULL, f->vram_id, address, 70 * FIXTURE_PAGE, from), sizes[i]);
        segment_holds(&f->fixture, address, 70, 7);
        page(&f->fixture, fixture_out(NULL, f->vram_id, address, 70 * FIXTURE_PAGE, to), sizes[i]);
        for (size_t p = 0; p < 70; p++)
            page_is(fixture_mdl_page(&f->fixture, to, p), 7, p);
        drop(&f->fixture, to);
    }
    drop(&f->fixture, from);
}

static void transfer_offset_is_of_the_segment_and_mdl_offset_of_the_mdl(void **state) {
    struct segments *f = *state;
    PMDL from = pages(&f->fixture, 16, 9);
    DXGKARG_BUILDPAGINGBUFFER args =
        fixture_in(NULL, f->vram_id, f->vram.base, 4 * FIXTURE_PAGE, from);
    args.Transfer.TransferOffset = 3 * FIXTURE_PAGE;
    args.Transfer.MdlOffset = 11;
    page(&f->fixture, fixture_fill(f->vram_id, f->vram.base, 16 * FIXTURE_PAGE, 0), FIXTURE_PAGE);
    page(&f->fixture, args, 48);
    for (size_t i = 0; i < 4; i++)
        page_is(vidmm_host_peek(f->fixture.host, 0, f->vram.base + (3 + i) * FIXTURE_PAGE,
                                FIXTURE_PAGE),
                9, 11 + i);
    static const unsigned char zero[FIXTURE_PAGE];
    assert_memory_equal(
        vidmm_host_peek(f->fixture.host, 0, f->vram.base + 7 * FIXTURE_PAGE, FIXTURE_PAGE), zero,
        FIXTURE_PAGE);
    drop(&f->fixture, from);
}

static void moves_that_overlap_keep_every_byte(void **state) {
    struct segments *f = *state;
    PMDL from = pages(&f->fixture, 64, 3);
    static const int distance[] = {1, -1, 7, -7, 40, -40};
    for (size_t i = 0; i < sizeof(distance) / sizeof(distance[0]); i++) {
        uint64_t source = f->vram.base + 100 * FIXTURE_PAGE;
        uint64_t target = (uint64_t)((int64_t)source + distance[i] * (int64_t)FIXTURE_PAGE);
        page(&f->fixture, fixture_in(NULL, f->vram_id, source, 64 * FIXTURE_PAGE, from),
             FIXTURE_PAGE);
        page(&f->fixture,
             fixture_move(NULL, f->vram_id, target, f->vram_id, source, 64 * FIXTURE_PAGE),
             FIXTURE_PAGE);
        segment_holds(&f->fixture, target, 64, 3);
    }
    drop(&f->fixture, from);
}

static void moves_inside_an_aperture_that_overlap_keep_every_byte(void **state) {
    struct segments *f = *state;
    PMDL behind = pages(&f->fixture, 80, 0);
    for (int way = 0; way < 2; way++) {
        uint64_t low = f->aperture.base, high = low + 9 * FIXTURE_PAGE;
        uint64_t source = way == 0 ? low : high, target = way == 0 ? high : low;
        page(&f->fixture, fixture_map(f->aperture_id, 0, 80, behind, 0), FIXTURE_BUFFER);
        for (size_t i = 0; i < 64; i++)
            vidmm_pattern_write(fixture_mdl_page(&f->fixture, behind, i + (way == 0 ? 0 : 9)),
                                vidmm_pattern_key(4, i, 1));
        page(&f->fixture,
             fixture_move(NULL, f->aperture_id, target, f->aperture_id, source, 64 * FIXTURE_PAGE),
             FIXTURE_PAGE);
        segment_holds(&f->fixture, target, 64, 4);
    }
    drop(&f->fixture, behind);
}

static void transfer_of_nothing_writes_nothing(void **state) {
    struct segments *f = *state;
    PMDL from = pages(&f->fixture, 1, 1);
    DXGKARG_BUILDPAGINGBUFFER args = fixture_in(NULL, f->vram_id, f->vram.base, 0, from);
    uint32_t used;
    assert_int_equal(fixture_build(&f->fixture, &args, 0, &used), STATUS_SUCCESS);
    assert_int_equal(used, 0);
    drop(&f->fixture, from);
}

static void transfer_through_the_eviction_aperture(void **state) {
    struct segments *f = *state;
    struct fixture_segment segment[31];
    uint32_t eviction = fixture_segments(&f->fixture, segment, 31);
    PMDL from = pages(&f->fixture, 32, 5), to = pages(&f->fixture, 32, 0);
    assert_int_equal(segment[eviction - 1].flags & APERTURE, APERTURE);
    page(&f->fixture, fixture_in(NULL, f->vram_id, f->vram.base, 32 * FIXTURE_PAGE, from),
         FIXTURE_PAGE);
    page(&f->fixture, fixture_map(eviction, 8, 32, to, 0), 32);
    page(&f->fixture,
         fixture_move(NULL, eviction, segment[eviction - 1].base + 8 * FIXTURE_PAGE, f->vram_id,
                      f->vram.base, 32 * FIXTURE_PAGE),
         32);
    for (size_t i = 0; i < 32; i++)
        page_is(fixture_mdl_page(&f->fixture, to, i), 5, i);
    drop(&f->fixture, from);
    drop(&f->fixture, to);
}

/* ---- Fill, discard, touch -------------------------------------------------------------------- */

static void fill_writes_its_pattern_and_no_byte_more(void **state) {
    struct segments *f = *state;
    static const uint64_t sizes[] = {1, 2, 3, 5, 4095, 4096, 65535, 65537, MIB + 3};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        page(&f->fixture, fixture_fill(f->vram_id, f->vram.base, 2 * MIB, 0), 32);
        page(&f->fixture, fixture_fill(f->vram_id, f->vram.base, sizes[i], 0x44332211), 32);
        const unsigned char *at = vidmm_host_peek(f->fixture.host, 0, f->vram.base, 2 * MIB);
        for (uint64_t b = 0; b < sizes[i]; b++)
            assert_int_equal(at[b], 0x11 * (1 + b % 4));
        assert_int_equal(at[sizes[i]], 0);
    }
}

static void discard_and_notices_write_nothing(void **state) {
    struct segments *f = *state;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_DISCARD_CONTENT};
    DXGKARG_BUILDPAGINGBUFFER unknown = {.Operation = DXGK_OPERATION_FLUSH_TLB};
    uint32_t used;
    args.DiscardContent.SegmentId = f->vram_id;
    args.DiscardContent.SegmentAddress.QuadPart = (LONGLONG)f->vram.base;
    assert_int_equal(fixture_build(&f->fixture, &args, 0, &used), STATUS_SUCCESS);
    assert_int_equal(used, 0);
    assert_int_equal(fixture_build(&f->fixture, &unknown, FIXTURE_PAGE, &used), STATUS_SUCCESS);
    assert_int_equal(used, 0);
}

static void touching_physical_memory_changes_nothing(void **state) {
    struct segments *f = *state;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_WRITE_PHYSICAL};
    page(&f->fixture, fixture_fill(f->vram_id, f->vram.base, FIXTURE_PAGE, 0x01020304), 32);
    args.WritePhysical.SegmentId = f->vram_id;
    args.WritePhysical.PhysicalAddress.QuadPart = (LONGLONG)f->vram.base + 8;
    page(&f->fixture, args, 16);
    args.Operation = DXGK_OPERATION_READ_PHYSICAL;
    page(&f->fixture, args, 16);
    const unsigned char *at = vidmm_host_peek(f->fixture.host, 0, f->vram.base, FIXTURE_PAGE);
    for (uint32_t i = 0; i < FIXTURE_PAGE; i++)
        assert_int_equal(at[i], 4 - i % 4);
}

/* ---- Apertures ------------------------------------------------------------------------------- */

static void map_shows_the_right_page_of_the_mdl_at_each_place(void **state) {
    struct segments *f = *state;
    static const uint32_t sizes[] = {32, 33, 64, FIXTURE_PAGE};
    PMDL mdl = pages(&f->fixture, 50, 6);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        page(&f->fixture, fixture_map(f->aperture_id, 17, 40, mdl, 10), sizes[i]);
        for (size_t p = 0; p < 40; p++)
            page_is(vidmm_host_peek(f->fixture.host, 0, f->aperture.base + (17 + p) * FIXTURE_PAGE,
                                    FIXTURE_PAGE),
                    6, 10 + p);
        page(&f->fixture,
             fixture_unmap(f->aperture_id, 17, 40, f->fixture.os->dummy_page(f->fixture.os->ctx)),
             32);
    }
    drop(&f->fixture, mdl);
}

static void unmapped_pages_are_the_dummy_page_and_others_stay(void **state) {
    struct segments *f = *state;
    uint64_t dummy = f->fixture.os->dummy_page(f->fixture.os->ctx);
    PMDL mdl = pages(&f->fixture, 8, 2);
    page(&f->fixture, fixture_map(f->aperture_id, 0, 8, mdl, 0), FIXTURE_PAGE);
    page(&f->fixture, fixture_unmap(f->aperture_id, 2, 3, dummy), FIXTURE_PAGE);
    /* The GPU writes through the whole range: only the dummy page and the mapped ones may
     * change. */
    page(&f->fixture,
         fixture_move(NULL, f->aperture_id, f->aperture.base, f->vram_id, f->vram.base,
                      8 * FIXTURE_PAGE),
         FIXTURE_PAGE);
    for (size_t i = 2; i < 5; i++) {
        page_is(fixture_mdl_page(&f->fixture, mdl, i), 2, i);
        assert_ptr_equal(
            vidmm_host_peek(f->fixture.host, 0, f->aperture.base + i * FIXTURE_PAGE, FIXTURE_PAGE),
            vidmm_host_memory(f->fixture.host, dummy, FIXTURE_PAGE));
    }
    assert_ptr_equal(
        vidmm_host_peek(f->fixture.host, 0, f->aperture.base + 5 * FIXTURE_PAGE, FIXTURE_PAGE),
        fixture_mdl_page(&f->fixture, mdl, 5));
    drop(&f->fixture, mdl);
}

static void runs_of_pages_are_compressed(void **state) {
    struct segments *f = *state;
    PMDL mdl =
        f->fixture.os->pages_alloc(f->fixture.os->ctx, 512, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    assert_non_null(mdl);
    DXGKARG_BUILDPAGINGBUFFER args = fixture_map(f->aperture_id, 0, 512, mdl, 0);
    uint32_t used;
    assert_int_equal(fixture_build(&f->fixture, &args, FIXTURE_PAGE, &used), STATUS_SUCCESS);
    assert_int_equal(used, 32);
    fixture_submit_paging(&f->fixture, used);
    assert_ptr_equal(
        vidmm_host_peek(f->fixture.host, 0, f->aperture.base + 511 * FIXTURE_PAGE, FIXTURE_PAGE),
        fixture_mdl_page(&f->fixture, mdl, 511));
    drop(&f->fixture, mdl);
}

/* ---- Buffers that are too small -------------------------------------------------------------- */

static void every_operation_survives_every_small_buffer(void **state) {
    struct segments *f = *state;
    PMDL mdl = pages(&f->fixture, 4, 1);
    DXGKARG_BUILDPAGINGBUFFER all[] = {
        fixture_in(NULL, f->vram_id, f->vram.base, 4 * FIXTURE_PAGE, mdl),
        fixture_out(NULL, f->vram_id, f->vram.base, 4 * FIXTURE_PAGE, mdl),
        fixture_move(NULL, f->vram_id, f->vram.base, f->vram_id, f->vram.base + MIB, FIXTURE_PAGE),
        fixture_fill(f->vram_id, f->vram.base, FIXTURE_PAGE, 1),
        fixture_map(f->aperture_id, 0, 4, mdl, 0),
        fixture_unmap(f->aperture_id, 0, 4, 0),
        {.Operation = DXGK_OPERATION_READ_PHYSICAL},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (uint32_t size = 0; size < 80; size++) {
            DXGKARG_BUILDPAGINGBUFFER args = all[i];
            uint32_t used;
            NTSTATUS status = fixture_build(&f->fixture, &args, size, &used);
            if (status == STATUS_SUCCESS)
                continue;
            assert_int_equal(status, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
            /* Progress and bytes come together. */
            assert_int_equal(used != 0, args.MultipassOffset != 0);
        }
    drop(&f->fixture, mdl);
}

static void operations_pack_into_one_buffer(void **state) {
    struct segments *f = *state;
    PMDL mdl = pages(&f->fixture, 4, 8);
    DXGKARG_BUILDPAGINGBUFFER all[] = {
        fixture_map(f->aperture_id, 0, 4, mdl, 0),
        fixture_move(NULL, f->vram_id, f->vram.base, f->aperture_id, f->aperture.base,
                     4 * FIXTURE_PAGE),
        fixture_unmap(f->aperture_id, 0, 4, f->fixture.os->dummy_page(f->fixture.os->ctx)),
    };
    unsigned char *at = f->fixture.buffer_cpu;
    for (size_t i = 0; i < 3; i++) {
        all[i].pDmaBuffer = at;
        all[i].DmaSize = FIXTURE_PAGE - (uint32_t)(at - f->fixture.buffer_cpu);
        assert_int_equal(f->fixture.ddi->DxgkDdiBuildPagingBuffer(f->fixture.adapter, &all[i]),
                         STATUS_SUCCESS);
        assert_true((unsigned char *)all[i].pDmaBuffer > at);
        at = all[i].pDmaBuffer;
    }
    fixture_submit_paging(&f->fixture, (uint32_t)(at - f->fixture.buffer_cpu));
    segment_holds(&f->fixture, f->vram.base, 4, 8);
    drop(&f->fixture, mdl);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(transfer_round_trip_in_any_buffer_size),
        TEST(transfer_offset_is_of_the_segment_and_mdl_offset_of_the_mdl),
        TEST(moves_that_overlap_keep_every_byte),
        TEST(moves_inside_an_aperture_that_overlap_keep_every_byte),
        TEST(transfer_of_nothing_writes_nothing),
        TEST(transfer_through_the_eviction_aperture),
        TEST(fill_writes_its_pattern_and_no_byte_more),
        TEST(discard_and_notices_write_nothing),
        TEST(touching_physical_memory_changes_nothing),
        TEST(map_shows_the_right_page_of_the_mdl_at_each_place),
        TEST(unmapped_pages_are_the_dummy_page_and_others_stay),
        TEST(runs_of_pages_are_compressed),
        TEST(every_operation_survives_every_small_buffer),
        TEST(operations_pack_into_one_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
