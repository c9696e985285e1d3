/*
 * Hangs and resets: clean-up notices, who is lost, what content survives, and that life goes on.
 */
#include "core_world.h"

static struct vidmm_context *open_context(struct world *world, struct vidmm_device **device) {
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    return world_context(*device);
}

static struct world_desc vram_only(uint64_t size) {
    struct world_desc desc = world_local(size);
    desc.read_set = desc.write_set = SET(VRAM);
    return desc;
}

static void a_reset_tells_the_driver_what_left(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc aperture = world_local(8 * KIB);
    aperture.read_set = aperture.write_set = SET(APERTURE);
    aperture.preferred = 0;
    struct vidmm_allocation *clean = world_create(device, vram_only(8 * KIB));
    struct vidmm_allocation *dirty = world_create(device, vram_only(8 * KIB));
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
    struct vidmm_allocation *a = world_create(device, vram_only(40 * KIB));
    struct vidmm_allocation *b = world_create(other, vram_only(40 * KIB));
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

/* The victim's owner hangs while somebody else needs the room. */
static void paging_gets_past_a_hang(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->deferred = true;
    world->hang_render = 1;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *innocent = world_context(other);
    struct vidmm_allocation *a = world_create(device, vram_only(40 * KIB));
    struct vidmm_allocation *b = world_create(other, vram_only(40 * KIB));
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
    struct world_desc desc = vram_only(40 * KIB);
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

/* Two allocations leave the aperture in the buffer that hangs; what comes there afterwards may not
 * find their pages. */
static void what_hung_on_its_way_out_of_an_aperture_leaves_it(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->hang_paging = 2;
    (void)open_context(world, &device);
    struct world_desc desc = world_local(24 * KIB);
    desc.read_set = desc.write_set = SET(APERTURE);
    desc.preferred = 0;
    struct vidmm_allocation *a = world_create(device, desc);
    struct vidmm_allocation *b = world_create(device, desc);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *innocent = world_context(other);
    world_write(a, 1);
    world_write(b, 2);
    assert_int_equal(world_use(world_context(device), true, 2, a, b), VIDMM_OK);
    uint32_t first = world->build_count;
    (void)vidmm_evict_all(world->adapter);
    assert_int_equal(world->resets, 1);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT), 4);
    struct vidmm_allocation *c = world_create(other, desc);
    world_write(c, 3);
    assert_int_equal(world_use(innocent, false, 1, c), VIDMM_OK); /* core_gpu.c judges the MAP */
    world_gpu_check(world, c, 3);
    world_end(world);
}

/* The place of one in the aperture was meant for the window of the other's eviction. */
static void a_place_is_taken_back_from_a_window(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 40 * KIB, 0);
    world->hang_paging = 2;
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc local = vram_only(24 * KIB), aperture = world_local(24 * KIB);
    local.evict_set = SET(APERTURE);
    aperture.read_set = aperture.write_set = SET(APERTURE);
    aperture.preferred = 0;
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
    struct vidmm_allocation *a = world_create(device, vram_only(8 * KIB));
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
    vidmm_notify_faulted(world->adapter, 0, 1);
    vidmm_notify_faulted(world->adapter, 7, 1);
    vidmm_notify_completed(world->adapter, 0, 99);
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
        cmocka_unit_test(a_place_is_taken_back_from_a_window),
        cmocka_unit_test(pinned_allocations_come_back_after_a_reset),
        cmocka_unit_test(a_faulting_submission_loses_its_device),
    };
    return cmocka_run_group_tests_name("core_reset", tests, NULL, NULL);
}
