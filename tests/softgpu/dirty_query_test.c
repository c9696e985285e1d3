/*
 * dirty_query_test.c - dirty bits of the reference driver: which bases, buffers and queries it
 * refuses, and what it reports of its tracking. dirty_test.c has the bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/board.h"
#include "fixture/dirty.h"

#define VRAM   (16 * MIB)
#define KIB_4  4096u
#define KIB_64 65536u
#define MIB_2  (2u << 20)

/* ---- What is refused ------------------------------------------------------------------------- */

static void a_buffer_that_is_too_small_is_refused_and_nothing_is_taken(void **state) {
    struct dirty d;
    unsigned char bits[32], kept[32];
    const struct dirty_range range[] = {
        {5 * KIB_4, 61 * KIB_4}, {0, KIB_4}, {80 * KIB_4, 7 * KIB_4}};
    const struct dirty_query all = {.clear = true}, part = {0, 8 * KIB_4, 9 * KIB_4, true};
    (void)state;
    dirty_open(&d, KIB_4, VRAM, 0, 0);
    HANDLE basis = dirty_basis(&d, d.visible, range, 3);
    dirty_start(&d, basis);
    dirty_fill(&d, d.visible, 0, 100 * KIB_4);
    memset(bits, 0xa5, sizeof(bits));
    memcpy(kept, bits, sizeof(bits));
    for (size_t bytes = 0; bytes < 9; bytes++) /* 69 bits */
        assert_int_equal(dirty_ask(&d, basis, &all, bits, bytes), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(dirty_ask(&d, basis, &part, bits, 1), STATUS_BUFFER_TOO_SMALL);
    assert_memory_equal(bits, kept, sizeof(bits));
    assert_int_equal(dirty_ask(&d, basis, &part, bits, 2), STATUS_SUCCESS);
    assert_int_equal(dirty_count(bits, 16), 9);
    assert_int_equal(bits[2], 0xa5);
    assert_int_equal(dirty_ask(&d, basis, &all, bits, sizeof(bits)), STATUS_SUCCESS);
    assert_int_equal(dirty_count(bits, 72), 69 - 9);
    assert_int_equal(bits[9], 0xa5);
    dirty_destroy(&d, basis);
    dirty_close(&d);
}

static void ranges_that_make_no_basis_are_refused(void **state) {
    struct dirty d;
    (void)state;
    dirty_open(&d, KIB_64, VRAM, 0, 0);
    const uint64_t size = d.visible_at.size;
    const struct dirty_range bad[][2] = {
        {{0, 0}, {KIB_64, KIB_64}},
        {{KIB_4, KIB_64}, {2 * KIB_64, KIB_64}},
        {{0, KIB_4}, {KIB_64, KIB_64}},
        {{size, KIB_64}, {0, KIB_64}},
        {{size - KIB_64, 2 * KIB_64}, {0, KIB_64}},
        {{UINT64_MAX - KIB_64 + 1, KIB_64}, {0, KIB_64}},
        {{KIB_64, UINT64_MAX - KIB_64 + 1}, {0, KIB_64}},
        {{0, 2 * KIB_64}, {KIB_64, KIB_64}},
        {{KIB_64, KIB_64}, {0, size}},
        {{KIB_64, KIB_64}, {KIB_64, KIB_64}},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_null(dirty_basis(&d, d.visible, bad[i], 2));
    const struct dirty_range good = {0, KIB_64};
    assert_null(dirty_basis(&d, d.visible, &good, 0));
    assert_null(dirty_basis(&d, 0, &good, 1));
    assert_null(dirty_basis(&d, 1, &good, 1)); /* an aperture */
    assert_null(dirty_basis(&d, 99, &good, 1));
    dirty_close(&d);
}

static void queries_that_name_nothing_are_refused(void **state) {
    struct dirty d;
    unsigned char bits[64];
    const struct dirty_range range[] = {{0, 4 * KIB_64}, {8 * KIB_64, KIB_64}};
    const struct dirty_query bad[] = {
        {2, 0, KIB_64, true},
        {UINT64_MAX, 0, KIB_64, true},
        {0, KIB_4, KIB_64, true},
        {0, 0, KIB_4, true},
        {0, 0, 5 * KIB_64, true},
        {0, 4 * KIB_64, KIB_64, true},
        {1, KIB_64, KIB_64, true},
        {0, UINT64_MAX - KIB_64 + 1, KIB_64, true},
        {0, KIB_64, UINT64_MAX - KIB_64 + 1, true},
    };
    const struct dirty_query all = {.clear = false};
    (void)state;
    dirty_open(&d, KIB_64, VRAM, 0, 0);
    HANDLE basis = dirty_basis(&d, d.visible, range, 2);
    assert_int_equal(dirty_ask(&d, basis, &all, bits, sizeof(bits)), STATUS_INVALID_DEVICE_STATE);
    dirty_start(&d, basis);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(dirty_ask(&d, basis, &bad[i], bits, sizeof(bits)),
                         STATUS_INVALID_PARAMETER);
    DXGKARG_QUERYDIRTYBITDATA args = {
        .MemoryBasis = basis, .Buffer = bits, .BufferSize = sizeof(bits), .Flags = 2};
    assert_int_equal(d.fixture.ddi->DxgkDdiQueryDirtyBitData(d.fixture.adapter, &args),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(d.fixture.ddi->DxgkDdiStartDirtyTracking(d.fixture.adapter, basis),
                     STATUS_INVALID_DEVICE_STATE);
    dirty_stop(&d, basis);
    assert_int_equal(d.fixture.ddi->DxgkDdiStopDirtyTracking(d.fixture.adapter, basis),
                     STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(d.fixture.ddi->DxgkDdiStartDirtyTracking(d.fixture.adapter, bits),
                     STATUS_INVALID_HANDLE);
    dirty_destroy(&d, basis);
    assert_int_equal(d.fixture.ddi->DxgkDdiDestroyMemoryBasis(d.fixture.adapter, basis),
                     STATUS_INVALID_HANDLE);
    dirty_close(&d);
}

/* ---- What is told ---------------------------------------------------------------------------- */

static NTSTATUS segment_caps(struct fixture *fixture, UINT id, UINT32 *page) {
    DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS caps = {0xa5a5a5a5u};
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS,
                                      .pInputData = &id,
                                      .InputDataSize = sizeof(id),
                                      .pOutputData = &caps,
                                      .OutputDataSize = sizeof(caps)};
    NTSTATUS status = fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &query);
    *page = caps.PageSize;
    return status;
}

static NTSTATUS tracking_caps(struct fixture *fixture, DXGK_DIRTY_BIT_TRACKING_CAPS *caps) {
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_DIRTYBITTRACKINGCAPS,
                                      .pOutputData = caps,
                                      .OutputDataSize = sizeof(*caps)};
    return fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &query);
}

static void segments_of_memory_have_a_plane_and_apertures_have_none(void **state) {
    struct dirty d;
    DXGK_DIRTY_BIT_TRACKING_CAPS caps = {0};
    UINT32 page;
    (void)state;
    dirty_open(&d, KIB_64, VRAM, 0, 0);
    assert_int_equal(tracking_caps(&d.fixture, &caps), STATUS_SUCCESS);
    assert_true(caps.DirtyBitTrackingSupported && !caps.DirtyBitTrackingPerformant);
    assert_int_equal(segment_caps(&d.fixture, d.visible, &page), STATUS_SUCCESS);
    assert_int_equal(page, KIB_64);
    assert_int_equal(segment_caps(&d.fixture, d.hidden, &page), STATUS_SUCCESS);
    assert_int_equal(page, KIB_64);
    assert_int_equal(segment_caps(&d.fixture, 1, &page), STATUS_NOT_IMPLEMENTED);
    assert_int_equal(segment_caps(&d.fixture, 4, &page), STATUS_INVALID_PARAMETER);
    dirty_close(&d);
}

static void tracking_is_said_as_it_is_set(void **state) {
    static const struct {
        uint64_t version, page, performant;
        bool known;
        uint32_t caps;
    } row[] = {{DXGKDDI_INTERFACE_VERSION_WDDM3_2, 0, 1, true, 0},
               {DXGKDDI_INTERFACE_VERSION_WDDM3_2, KIB_4, 0, true, 1},
               {DXGKDDI_INTERFACE_VERSION_WDDM3_2, KIB_4, 1, true, 3},
               {DXGKDDI_INTERFACE_VERSION_WDDM3_1, KIB_4, 1, false, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct vidmm_host_setting settings[] = {{"InterfaceVersion", row[i].version},
                                                      {"DirtyPageBytes", row[i].page},
                                                      {"DirtyPerformant", row[i].performant}};
        DXGK_DIRTY_BIT_TRACKING_CAPS caps = {0};
        struct fixture fixture;
        fixture_open(&fixture, settings, 3);
        assert_int_equal(tracking_caps(&fixture, &caps),
                         row[i].known ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        assert_int_equal(caps.Value, row[i].caps);
        assert_int_equal(!!fixture.ddi->DxgkDdiCreateMemoryBasis, row[i].caps != 0);
        assert_null(fixture.ddi->DxgkDdiPrepareLiveMigration); /* no MMU */
        fixture_close(&fixture);
    }
}

static void a_page_that_no_plane_can_have_is_no_board(void **state) {
    static const uint64_t bad[] = {1, 2048, 4096 + 1, 12288, 4u << 20};
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct vidmm_host_setting settings[] = {{"DirtyPageBytes", bad[i]}};
        assert_false(fixture_starts(settings, 1));
    }
    const struct vidmm_host_setting odd[] = {{"DirtyPageBytes", MIB_2}, {"VramBytes", 3 * MIB}};
    assert_false(fixture_starts(odd, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_that_is_too_small_is_refused_and_nothing_is_taken),
        cmocka_unit_test(ranges_that_make_no_basis_are_refused),
        cmocka_unit_test(queries_that_name_nothing_are_refused),
        cmocka_unit_test(segments_of_memory_have_a_plane_and_apertures_have_none),
        cmocka_unit_test(tracking_is_said_as_it_is_set),
        cmocka_unit_test(a_page_that_no_plane_can_have_is_no_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
