/*
 * aperture_test.c - a driver whose only segment is an aperture maps and unmaps with little room: one
 * that goes on behind the room is named. So is one that unmaps too much, where bytes that go through the aperture are
 * all that is seen of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vidmm/check.h>

static struct vidmm_check_result result;
static DRIVER_INITIALIZATION_DATA good;

static void examine_in(const char *path, const char *stage,
                       void (*driver)(DRIVER_INITIALIZATION_DATA *table)) {
    const struct vidmm_spoiler spoiler = {.driver = driver};
    const struct vidmm_check_options options = {.driver_path = path,
                                                .stage = stage,
                                                .spoiler = driver ? &spoiler : NULL,
                                                .seed = 1,
                                                .timeout_ms = 60000};
    vidmm_check(&options, &result);
}

static void examine(void (*driver)(DRIVER_INITIALIZATION_DATA *table)) {
    examine_in(DRIVERS "/aperture-only.so", "room", driver);
}

static void it_maps_in_little_room(void **state) {
    (void)state;
    examine(NULL);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 153), "passed");
}

/* Each operation takes 16 bytes, whether there is room for them or not. */
static NTSTATUS APIENTRY build_behind(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (args->pDmaBuffer)
        args->pDmaBuffer = (UCHAR *)args->pDmaBuffer + 16;
    return status;
}

static void building_behind(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_behind;
}

static void who_goes_behind_the_room_is_named(void **state) {
    (void)state;
    examine(building_behind);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_true(result.ledger.broken[153] != 0);
}

static NTSTATUS APIENTRY unmap_more(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER more = *args;
    if (args->Operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
        return good.DxgkDdiBuildPagingBuffer(adapter, args);
    more.UnmapApertureSegment.NumberOfPages++;
    return good.DxgkDdiBuildPagingBuffer(adapter, &more);
}

static void unmapping_more(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = unmap_more;
}

static void who_unmaps_pages_beside_those_it_should_is_named(void **state) {
    (void)state;
    examine_in(DRIVERS "/cpu-vram.so", "operations", NULL);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    examine_in(DRIVERS "/cpu-vram.so", "operations", unmapping_more);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_true(result.ledger.broken[197] != 0);
    assert_int_equal(result.ledger.broken[194], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_maps_in_little_room),
        cmocka_unit_test(who_goes_behind_the_room_is_named),
        cmocka_unit_test(who_unmaps_pages_beside_those_it_should_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
