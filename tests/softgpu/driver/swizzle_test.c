/*
 * swizzle_test.c - swizzling ranges: a window shows a tiled surface in linear order, stays coherent
 * with what the GPU does, and keeps its content while the surface is evicted under it.
 */
#include "fixture/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/pattern.h>

#define MIB   (UINT64_C(1) << 20)
#define PAGES 24u
#define PITCH 1024u

static const struct vidmm_host_setting board[] = {
    {"VramBytes", 16 * MIB},
    {"VramVisibleBytes", 8 * MIB},
    {"ApertureBytes", 16 * MIB},
    {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8},
};

struct scene {
    struct fixture fixture;
    struct fixture_segment vram;
    uint32_t id;
    HANDLE surface;
    PMDL mdl;
    unsigned char *window;
};

static void transfer(struct scene *scene, bool in, uint64_t address) {
    DXGKARG_BUILDPAGINGBUFFER args =
        in ? fixture_in(scene->surface, scene->id, address, PAGES * FIXTURE_PAGE, scene->mdl)
           : fixture_out(scene->surface, scene->id, address, PAGES * FIXTURE_PAGE, scene->mdl);
    args.Transfer.Flags.Swizzle = in;
    args.Transfer.Flags.Unswizzle = !in;
    assert_int_equal(fixture_page(&scene->fixture, &args, FIXTURE_PAGE), 0);
}

static void special(struct scene *scene, bool in, uint64_t address, uint32_t size) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER};
    args.SpecialLockTransfer.hAllocation = scene->surface;
    args.SpecialLockTransfer.TransferSize = PAGES * FIXTURE_PAGE;
    args.SpecialLockTransfer.Flags.TransferStart = 1;
    args.SpecialLockTransfer.Flags.TransferEnd = 1;
    if (in) {
        args.SpecialLockTransfer.Source.pMdl = scene->mdl;
        args.SpecialLockTransfer.Destination.SegmentId = scene->id;
        args.SpecialLockTransfer.Destination.SegmentAddress.QuadPart = (LONGLONG)address;
    } else {
        args.SpecialLockTransfer.Source.SegmentId = scene->id;
        args.SpecialLockTransfer.Source.SegmentAddress.QuadPart = (LONGLONG)address;
        args.SpecialLockTransfer.Destination.pMdl = scene->mdl;
    }
    assert_int_equal(fixture_page(&scene->fixture, &args, size), 0);
}

static NTSTATUS acquire(struct scene *scene, uint32_t range) {
    DXGKARG_ACQUIRESWIZZLINGRANGE args = {.hAllocation = scene->surface,
                                          .RangeId = range,
                                          .SegmentId = scene->id,
                                          .RangeSize = PAGES * FIXTURE_PAGE};
    NTSTATUS status =
        scene->fixture.ddi->DxgkDdiAcquireSwizzlingRange(scene->fixture.adapter, &args);
    assert_int_equal(args.RangeSize, PAGES * FIXTURE_PAGE);
    if (NT_SUCCESS(status)) {
        scene->window = scene->fixture.os->io_map(scene->fixture.os->ctx,
                                                  (uint64_t)args.CPUTranslatedAddress.QuadPart,
                                                  PAGES * FIXTURE_PAGE);
        assert_non_null(scene->window);
    }
    return status;
}

static void release(struct scene *scene, uint32_t range) {
    DXGKARG_RELEASESWIZZLINGRANGE args = {.hAllocation = scene->surface, .RangeId = range};
    assert_int_equal(
        scene->fixture.ddi->DxgkDdiReleaseSwizzlingRange(scene->fixture.adapter, &args), 0);
}

/* `mdl` false: the window. */
static void write_pages(struct scene *scene, bool mdl, uint32_t version) {
    for (size_t p = 0; p < PAGES; p++)
        vidmm_pattern_write(mdl ? fixture_mdl_page(&scene->fixture, scene->mdl, p)
                                : scene->window + p * FIXTURE_PAGE,
                            vidmm_pattern_key(5, p, version));
}

static void pages_are(struct scene *scene, bool mdl, uint32_t version) {
    for (size_t p = 0; p < PAGES; p++)
        assert_int_equal(vidmm_pattern_check(mdl ? fixture_mdl_page(&scene->fixture, scene->mdl, p)
                                                 : scene->window + p * FIXTURE_PAGE,
                                             vidmm_pattern_key(5, p, version)),
                         FIXTURE_PAGE);
}

static struct scene the_scene;

static int setup(void **state) {
    struct scene *scene = &the_scene;
    struct vidmm_umd_allocation umd = {.magic = VIDMM_UMD_MAGIC,
                                       .flags = VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED |
                                                VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PRIMARY |
                                                VIDMM_UMD_ALTERNATE_VA,
                                       .size = PAGES * FIXTURE_PAGE,
                                       .pitch = PITCH};
    DXGK_ALLOCATIONINFO info;
    memset(scene, 0, sizeof(*scene));
    fixture_open(&scene->fixture, board, 4);
    scene->id = fixture_find(&scene->fixture, 5, 4, &scene->vram);
    scene->surface = fixture_allocate(&scene->fixture, &umd, &info, NULL);
    scene->mdl = scene->fixture.os->pages_alloc(scene->fixture.os->ctx, PAGES, 0, UINT64_MAX);
    assert_non_null(scene->mdl);
    write_pages(scene, true, 1);
    transfer(scene, true, scene->vram.base);
    *state = scene;
    return 0;
}

static int teardown(void **state) {
    struct scene *scene = *state;
    scene->fixture.os->pages_free(scene->fixture.os->ctx, scene->mdl);
    fixture_free(&scene->fixture, scene->surface);
    fixture_close(&scene->fixture);
    return 0;
}

static void a_window_shows_the_surface_in_linear_order(void **state) {
    struct scene *scene = *state;
    assert_int_equal(acquire(scene, 0), STATUS_SUCCESS);
    pages_are(scene, false, 1);
    write_pages(scene, false, 2);
    release(scene, 0);
    transfer(scene, false, scene->vram.base);
    pages_are(scene, true, 2);
}

static void gpu_accesses_see_and_update_an_open_window(void **state) {
    struct scene *scene = *state;
    assert_int_equal(acquire(scene, 1), STATUS_SUCCESS);
    write_pages(scene, false, 2);
    transfer(scene, false, scene->vram.base); /* reads what the CPU just wrote */
    pages_are(scene, true, 2);
    write_pages(scene, true, 3);
    transfer(scene, true, scene->vram.base);
    pages_are(scene, false, 3);
    release(scene, 1);
    transfer(scene, false, scene->vram.base);
    pages_are(scene, true, 3);
}

static void two_windows_serve_two_surfaces_and_one_is_not_enough(void **state) {
    struct scene *scene = *state;
    assert_int_equal(acquire(scene, 0), STATUS_SUCCESS);
    unsigned char *first = scene->window;
    assert_int_equal(acquire(scene, 0), STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE);
    assert_int_equal(acquire(scene, 1), STATUS_SUCCESS);
    assert_ptr_not_equal(first, scene->window);
    release(scene, 0);
    pages_are(scene, false, 1);
    release(scene, 1);
    assert_int_equal(acquire(scene, 2), STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED);
}

static void an_allocation_that_is_elsewhere_has_no_window(void **state) {
    struct scene *scene = *state;
    transfer(scene, false, scene->vram.base);
    assert_int_equal(acquire(scene, 0), STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED);
}

static void a_window_survives_eviction_and_return(void **state) {
    static const uint32_t sizes[] = {32, 40, FIXTURE_PAGE};
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t elsewhere = scene->vram.base + (1 + i) * MIB;
        assert_int_equal(acquire(scene, 0), STATUS_SUCCESS);
        write_pages(scene, false, 10);
        special(scene, false, scene->vram.base, sizes[i]);
        pages_are(scene, true, 10);
        pages_are(scene, false, 10);
        write_pages(scene, false, 11);
        special(scene, true, elsewhere, sizes[i]);
        pages_are(scene, false, 11);
        release(scene, 0);
        transfer(scene, false, elsewhere);
        pages_are(scene, true, 11);
        write_pages(scene, true, 12);
        transfer(scene, true, scene->vram.base);
    }
}

static void releasing_an_evicted_window_gives_the_pages_its_content(void **state) {
    struct scene *scene = *state;
    assert_int_equal(acquire(scene, 0), STATUS_SUCCESS);
    special(scene, false, scene->vram.base, FIXTURE_PAGE);
    write_pages(scene, false, 4);
    release(scene, 0);
    pages_are(scene, true, 4);
}

static void a_special_transfer_without_a_window_is_a_transfer(void **state) {
    struct scene *scene = *state;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER};
    memset(fixture_mdl_page(&scene->fixture, scene->mdl, 0), 0, FIXTURE_PAGE);
    args.SpecialLockTransfer.hAllocation = scene->surface;
    args.SpecialLockTransfer.TransferSize = PAGES * FIXTURE_PAGE;
    args.SpecialLockTransfer.Flags.TransferEnd = 1;
    args.SpecialLockTransfer.Flags.Unswizzle = 1;
    args.SpecialLockTransfer.Source.SegmentId = scene->id;
    args.SpecialLockTransfer.Source.SegmentAddress.QuadPart = (LONGLONG)scene->vram.base;
    args.SpecialLockTransfer.Destination.pMdl = scene->mdl;
    assert_int_equal(fixture_page(&scene->fixture, &args, 64), 0);
    pages_are(scene, true, 1);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_window_shows_the_surface_in_linear_order),
        TEST(gpu_accesses_see_and_update_an_open_window),
        TEST(two_windows_serve_two_surfaces_and_one_is_not_enough),
        TEST(an_allocation_that_is_elsewhere_has_no_window),
        TEST(a_window_survives_eviction_and_return),
        TEST(releasing_an_evicted_window_gives_the_pages_its_content),
        TEST(a_special_transfer_without_a_window_is_a_transfer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
