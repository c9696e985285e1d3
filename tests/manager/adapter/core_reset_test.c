/*
 * Hangs and resets: clean-up notices, lost devices, content that survives, work after
 * the reset.
 */
#include "core_world.h"

static struct vidmm_context *open_context(struct world *world, struct vidmm_device **device) {
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    return world_context(*device);
}

static void a_reset_tells_the_driver_what_left(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc aperture = world_only(SET(APERTURE), 8 * KIB);
    struct vidmm_allocation *clean = world_create(device, world_only(SET(VRAM), 8 * KIB));
    struct vidmm_allocation *dirty = world_create(device, world_only(SET(VRAM), 8 * KIB));
    struct vidmm_allocation *mapped = world_create(device, aperture);
    world_write(clean, 1);
    world_write(dirty, 2);
    world_write(mapped, 3);
    assert_int_equal(world_use(context, false, 1, clean), VIDMM_OK);
    assert_int_equal(world_use(context, true, 2, dirty, mapped), VIDMM_OK);
    uint32_t first = world->build_count;
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_OK);
    assert_int_equal(world->resets, 1);
    assert_int_equal(world->restarts, 1);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_TRANSFER), 2);
    assert_int_equal(world_find_build(world, first, DXGK_OPERATION_TRANSFER)->Transfer.TransferSize,
                     0);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT), 1);
    assert_int_equal(world->contents_lost, 1);
    assert_false(vidmm_device_lost(device)); /* nothing was in flight */
    world_check(clean, 1);
    world_check(mapped, 3);
    assert_int_equal(world_use(context, true, 3, clean, dirty, mapped), VIDMM_OK);
    world_gpu_check(world, clean, 1);
    world_gpu_check(world, mapped, 3);
    world_end(world);
}

static void a_hanging_submission_loses_its_device_only(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->deferred = true;
    world->hang_render = 2;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *innocent = world_context(other);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(other, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_reference reference = {a, true};
    struct vidmm_submission submission = {.references = &reference, .count = 1};
    uint64_t fence[2] = {0, 0};
    void *cpu = NULL;
    assert_int_equal(vidmm_submit(context, &submission, &fence[0]), VIDMM_OK);
    assert_int_equal(vidmm_submit(context, &submission, &fence[1]), VIDMM_OK);
    assert_int_equal(vidmm_wait(world->adapter, fence[0]), VIDMM_OK);
    assert_int_equal(vidmm_wait(world->adapter, fence[1]), VIDMM_DEVICE_LOST);
    assert_int_equal(world->resets, 1);
    assert_true(vidmm_device_lost(device));
    assert_false(vidmm_device_lost(other));
    assert_int_equal(vidmm_submit(context, &submission, &fence[0]), VIDMM_DEVICE_LOST);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_DEVICE_LOST);
    world_write(b, 5);
    assert_int_equal(world_use(innocent, true, 1, b), VIDMM_OK);
    world_gpu_check(world, b, 5);
    vidmm_device_destroy(device);
    world_check(b, 5);
    world_end(world);
}

/* The victim's owner hangs while another device needs the room. */
static void paging_gets_past_a_hang(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->deferred = true;
    world->hang_render = 1;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *innocent = world_context(other);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(other, world_only(SET(VRAM), 40 * KIB));
    world_write(b, 5);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_use(innocent, true, 1, b), VIDMM_OK);
    assert_true(vidmm_device_lost(device));
    assert_false(vidmm_device_lost(other));
    assert_int_equal(world_segment_of(a), 0);
    world_gpu_check(world, b, 5);
    world_end(world);
}

static void a_hanging_paging_buffer_loses_the_owners(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->hang_paging = 2;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *innocent = world_context(other);
    struct world_desc desc = world_only(SET(VRAM), 40 * KIB);
    desc.evict_set = SET(APERTURE);
    struct vidmm_allocation *a = world_create(device, desc);
    struct vidmm_allocation *b = world_create(device, desc);
    struct vidmm_allocation *c = world_create(other, desc);
    struct vidmm_segment_info info;
    world_write(c, 3);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_DEVICE_LOST);
    assert_int_equal(world->resets, 1);
    assert_true(vidmm_device_lost(device));
    assert_false(vidmm_device_lost(other));
    assert_true(vidmm_segment_info(world->adapter, VRAM, &info));
    assert_int_equal(info.used, 0);
    assert_true(vidmm_segment_info(world->adapter, APERTURE, &info));
    assert_int_equal(info.used, 0);
    assert_int_equal(world_use(innocent, true, 1, c), VIDMM_OK);
    world_gpu_check(world, c, 3);
    world_end(world);
}

/*
 * Two allocations leave the aperture in the buffer that hangs, and then in those of so many
 * clean-ups that hang; what comes there afterwards may not find their pages.
 */
static void leave_an_aperture(uint32_t more) {
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->hang_paging = 2;
    world->hang_paging_more = more;
    (void)open_context(world, &device);
    struct world_desc desc = world_only(SET(APERTURE), 24 * KIB);
    struct vidmm_allocation *a = world_create(device, desc);
    struct vidmm_allocation *b = world_create(device, desc);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *innocent = world_context(other);
    world_write(a, 1);
    world_write(b, 2);
    assert_int_equal(world_use(world_context(device), true, 2, a, b), VIDMM_OK);
    uint32_t first = world->build_count;
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world->resets, 1 + more);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT),
                     2 * (2 + more));
    struct vidmm_allocation *c = world_create(other, desc);
    world_write(c, 3);
    assert_int_equal(world_use(innocent, false, 1, c), VIDMM_OK); /* core_gpu.c judges the MAP */
    world_gpu_check(world, c, 3);
    world_end(world);
}

static void what_hung_on_its_way_out_of_an_aperture_leaves_it(void **state) {
    (void)state;
    for (uint32_t more = 0; more <= 3; more++)
        leave_an_aperture(more);
}

/* Single pages that fill the aperture, so many that their UNMAPs take two paging buffers. */
#define CROWD 60u

static struct world *crowded(struct vidmm_device **device) {
    struct world *world = world_new(64 * KIB, CROWD * PAGE, 0);
    struct vidmm_reference references[CROWD + 1];
    uint64_t fence;
    world->paging_size = 4096;
    struct vidmm_context *context = open_context(world, device);
    struct world_desc desc = world_only(SET(APERTURE), PAGE);
    for (uint32_t i = 0; i < CROWD; i++)
        references[i] = (struct vidmm_reference){world_create(*device, desc), true};
    references[CROWD] =
        (struct vidmm_reference){world_create(*device, world_only(SET(VRAM), PAGE)), true};
    struct vidmm_submission submission = {.references = references, .count = CROWD + 1};
    assert_int_equal(vidmm_submit(context, &submission, &fence), VIDMM_OK);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
    return world;
}

static void expect_nothing_mapped(const struct world *world) {
    const struct world_segment *aperture = &world->segments[APERTURE - 1];
    uint64_t dummy = world->os.dummy_page(world->os.ctx);
    for (uint64_t page = 0; page < aperture->size / PAGE; page++)
        assert_true(aperture->pages[page] == 0 ||
                    aperture->pages[page] == dummy); /* never, or no longer */
}

/* From paging buffer `which` of the clean-up on, `times` of them hang. */
static void hang_in_clean_up(uint32_t which, uint32_t times) {
    struct vidmm_device *device;
    struct world *world = crowded(&device);
    struct vidmm_device *other = world_device(world);
    uint32_t first = world->build_count, before = world->submits[1];
    world->hang_paging = before + which;
    world->hang_paging_more = times - 1;
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_OK);
    assert_int_equal(world->resets, 1 + times);
    expect_nothing_mapped(world);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_TRANSFER), 1);
    assert_true(vidmm_device_lost(device));
    assert_false(vidmm_device_lost(other));
    struct vidmm_allocation *next = world_create(other, world_local(8 * KIB));
    world_write(next, 7);
    assert_int_equal(world_use(world_context(other), false, 1, next), VIDMM_OK);
    world_gpu_check(world, next, 7);
    world_end(world);
}

static void a_clean_up_that_hangs_leaves_nothing_mapped(void **state) {
    (void)state;
    hang_in_clean_up(1, 1);
    for (uint32_t times = 1; times <= 3; times++)
        hang_in_clean_up(2, times);
}

static void a_clean_up_that_always_hangs_stops_the_adapter(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = crowded(&device);
    world->hang_paging = world->submits[1] + 1;
    world->hang_paging_more = UINT32_MAX;
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_GPU_LOST);
    assert_true(world->resets < 10);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_STOPPED);
    world_end(world);
}

/* What unmaps them is the last work of all, and has to be reported as any other. */
static void a_stop_survives_a_hang_in_the_unmapping_of_paging_buffers(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 1024 * KIB, 0);
    world->paging_segment = APERTURE;
    (void)open_context(world, &device);
    vidmm_device_destroy(device);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
    world->hang_paging = world->submits[1] + 1;
    vidmm_adapter_stop(world->adapter);
    world->adapter = NULL;
    assert_int_equal(world->resets, 1);
    expect_nothing_mapped(world);
    world_end(world);
}

/* The place of one in the aperture was meant for the window of the other's eviction. */
static void a_place_is_taken_back_from_a_window(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 40 * KIB, 0);
    world->hang_paging = 2;
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc local = world_only(SET(VRAM), 24 * KIB);
    struct world_desc aperture = world_only(SET(APERTURE), 24 * KIB);
    local.evict_set = SET(APERTURE);
    struct vidmm_allocation *a = world_create(device, aperture);
    struct vidmm_allocation *b = world_create(device, local);
    struct vidmm_segment_info info;
    assert_int_equal(world_use(context, true, 2, a, b), VIDMM_OK);
    (void)vidmm_evict_all(world->adapter);
    assert_int_equal(world->resets, 1);
    for (uint32_t id = VRAM; id <= APERTURE; id++) {
        assert_true(vidmm_segment_info(world->adapter, id, &info));
        assert_int_equal(info.used, 0);
    }
    world_end(world);
}

static void pinned_allocations_come_back_after_a_reset(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    (void)open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 8 * KIB));
    world_write(a, 1);
    assert_int_equal(vidmm_allocation_pin(a, true), VIDMM_OK);
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    world_gpu_check(world, a, 1);
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_PINNED);
    world_end(world);
}

static void a_faulting_submission_loses_its_device(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->hang_render = 1;
    struct vidmm_context *context = open_context(world, &device);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    assert_false(vidmm_completed(world->adapter, 1));
    vidmm_notify_faulted(world->adapter, 0, 0, 1);
    vidmm_notify_faulted(world->adapter, 0, 7, 1);
    vidmm_notify_completed(world->adapter, 0, 0, 99);
    assert_int_equal(vidmm_wait(world->adapter, 1), VIDMM_DEVICE_LOST);
    assert_true(vidmm_device_lost(device));
    assert_int_equal(world->resets, 0);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reset_tells_the_driver_what_left),
        cmocka_unit_test(a_hanging_submission_loses_its_device_only),
        cmocka_unit_test(paging_gets_past_a_hang),
        cmocka_unit_test(a_hanging_paging_buffer_loses_the_owners),
        cmocka_unit_test(what_hung_on_its_way_out_of_an_aperture_leaves_it),
        cmocka_unit_test(a_clean_up_that_hangs_leaves_nothing_mapped),
        cmocka_unit_test(a_clean_up_that_always_hangs_stops_the_adapter),
        cmocka_unit_test(a_stop_survives_a_hang_in_the_unmapping_of_paging_buffers),
        cmocka_unit_test(a_place_is_taken_back_from_a_window),
        cmocka_unit_test(pinned_allocations_come_back_after_a_reset),
        cmocka_unit_test(a_faulting_submission_loses_its_device),
    };
    return cmocka_run_group_tests_name("core_reset", tests, NULL, NULL);
}
