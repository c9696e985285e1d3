/*
 * Residency: everything a submission references is resident together, where the driver wants it if
 * there is any way, and a set that cannot fit changes nothing.
 */
#include "core_world.h"

static struct vidmm_context *open_context(struct world *world, struct vidmm_device **device) {
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    return world_context(*device);
}

static void what_does_not_fit_leaves_everything_as_it_was(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_segment_info before, after;
    struct vidmm_error error;
    world_write(a, 1);
    world_write(b, 2);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_true(vidmm_segment_info(world->adapter, VRAM, &before));
    uint32_t builds = world->build_count;
    assert_int_equal(world_use(context, true, 2, a, b), VIDMM_DOES_NOT_FIT);
    vidmm_last_error(world->adapter, &error);
    assert_int_equal(error.status, VIDMM_DOES_NOT_FIT);
    assert_true(error.index < 2);
    assert_int_equal(error.value, SET(VRAM));
    assert_true(vidmm_segment_info(world->adapter, VRAM, &after));
    assert_int_equal(after.used, before.used);
    assert_int_equal(after.residents, before.residents);
    assert_int_equal(world->build_count, builds);
    assert_int_equal(world_segment_of(a), VRAM);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    world_check(a, 1);
    world_check(b, 2);
    world_end(world);
}

static void a_set_larger_than_vram_spills_into_the_aperture(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 256 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a[5];
    uint32_t in_vram = 0, builds;
    for (uint32_t i = 0; i < 5; i++) {
        a[i] = world_create(device, world_local(24 * KIB));
        world_write(a[i], i);
    }
    assert_int_equal(world_use(context, true, 5, a[0], a[1], a[2], a[3], a[4]), VIDMM_OK);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_not_equal(world_segment_of(a[i]), 0);
        in_vram += world_segment_of(a[i]) == VRAM;
        world_gpu_check(world, a[i], i);
    }
    assert_int_equal(in_vram, 2);
    builds = world->build_count; /* and stays there: no thrashing */
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(world_use(context, true, 5, a[4], a[1], a[2], a[3], a[0]), VIDMM_OK);
    assert_int_equal(world->build_count, builds);
    for (uint32_t i = 0; i < 5; i++)
        world_check(a[i], i);
    world_end(world);
}

static void flexible_references_make_room_for_those_without_choice(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 256 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *flexible = world_create(device, world_local(40 * KIB));
    struct vidmm_allocation *bound = world_create(device, world_only(SET(VRAM), 40 * KIB));
    world_write(flexible, 1);
    world_write(bound, 2);
    assert_int_equal(world_use(context, true, 2, flexible, bound), VIDMM_OK);
    assert_int_equal(world_segment_of(flexible), APERTURE);
    assert_int_equal(world_segment_of(bound), VRAM);
    world_gpu_check(world, flexible, 1);
    world_gpu_check(world, bound, 2);
    world_end(world);
}

static void fragmentation_is_no_reason_to_refuse(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a[16];
    for (uint32_t i = 0; i < 16; i++) {
        a[i] = world_create(device, world_only(SET(VRAM), 4 * KIB));
        world_write(a[i], i);
        assert_int_equal(world_use(context, true, 1, a[i]), VIDMM_OK);
    }
    struct vidmm_allocation *big = world_create(device, world_only(SET(VRAM), 32 * KIB));
    world_write(big, 99);
    assert_int_equal(
        world_use(context, true, 9, big, a[0], a[2], a[4], a[6], a[8], a[10], a[12], a[14]),
        VIDMM_OK);
    world_gpu_check(world, big, 99);
    for (uint32_t i = 0; i < 16; i += 2)
        world_gpu_check(world, a[i], i);
    for (uint32_t i = 0; i < 16; i++)
        world_check(a[i], i);
    world_end(world);
}

static void the_least_recently_used_goes_first(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a[4];
    for (uint32_t i = 0; i < 4; i++)
        a[i] = world_create(device, world_only(SET(VRAM), 16 * KIB));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(world_use(context, true, 1, a[i]), VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, a[0]), VIDMM_OK);
    vidmm_allocation_set_priority(a[1], D3DDDI_ALLOCATIONPRIORITY_HIGH);
    vidmm_allocation_set_priority(a[3], D3DDDI_ALLOCATIONPRIORITY_MINIMUM);
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 16 * KIB));
    struct vidmm_allocation *c = world_create(device, world_only(SET(VRAM), 16 * KIB));
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    assert_int_equal(world_segment_of(a[3]), 0); /* the lowest priority */
    assert_int_equal(world_use(context, true, 1, c), VIDMM_OK);
    assert_int_equal(world_segment_of(a[2]), 0); /* then the oldest */
    assert_int_equal(world_segment_of(a[0]), VRAM);
    assert_int_equal(world_segment_of(a[1]), VRAM);
    world_end(world);
}

static void evictions_go_through_the_aperture_that_the_driver_names(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 256 * KIB, 0);
    world->map_at_once = true; /* UNMAP must wait for the transfer through the window */
    world->deferred = true;
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc desc = world_only(SET(VRAM), 40 * KIB);
    desc.evict_set = SET(APERTURE);
    struct vidmm_allocation *a = world_create(device, desc);
    struct vidmm_allocation *b = world_create(device, desc);
    world_write(a, 1);
    world_write(b, 2);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    uint32_t first = world->build_count;
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    const DXGKARG_BUILDPAGINGBUFFER *out = world_find_build(world, first, DXGK_OPERATION_TRANSFER);
    assert_int_equal(out->Transfer.Source.SegmentId, VRAM);
    assert_int_equal(out->Transfer.Destination.SegmentId, APERTURE);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_MAP_APERTURE_SEGMENT), 1);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT), 1);
    struct vidmm_segment_info info;
    assert_true(vidmm_segment_info(world->adapter, APERTURE, &info));
    assert_int_equal(info.used, 0);
    world_check(a, 1);
    world_check(b, 2);
    world_end(world);
}

static void moves_between_memory_segments_are_direct(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 64 * KIB);
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc desc = world_local(16 * KIB);
    desc.read_set = SET(VRAM);
    desc.write_set = SET(2); /* HIDDEN is number 2 without an aperture */
    desc.preferred = 0;
    struct vidmm_allocation *a = world_create(device, desc);
    world_write(a, 4);
    assert_int_equal(world_use(context, false, 1, a), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    uint32_t first = world->build_count;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_segment_of(a), 2);
    const DXGKARG_BUILDPAGINGBUFFER *move = world_find_build(world, first, DXGK_OPERATION_TRANSFER);
    assert_int_equal(move->Transfer.Source.SegmentId, VRAM);
    assert_int_equal(move->Transfer.Destination.SegmentId, 2);
    world_gpu_check(world, a, 4);
    world_check(a, 4);
    world_end(world);
}

static void aperture_residents_return_to_vram_when_there_is_room(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 256 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_local(40 * KIB));
    struct vidmm_allocation *b = world_create(device, world_local(40 * KIB));
    world_write(b, 2);
    assert_int_equal(world_use(context, true, 2, a, b), VIDMM_OK);
    assert_int_equal(world_segment_of(b), APERTURE);
    vidmm_allocation_destroy(a);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    assert_int_equal(world_segment_of(b), VRAM);
    world_gpu_check(world, b, 2);
    world_end(world);
}

static void pinned_allocations_stay(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 40 * KIB));
    assert_int_equal(vidmm_allocation_pin(a, true), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_DOES_NOT_FIT);
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_PINNED);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    assert_int_equal(vidmm_allocation_pin(a, false), VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    assert_int_equal(world_segment_of(a), 0);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world_segment_of(b), 0);
    world_end(world);
}

static void overlays_stay_in_the_last_fifth(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(320 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc desc = world_only(SET(VRAM), 16 * KIB);
    desc.flags |= 1u << 8;
    struct vidmm_allocation *overlay = world_create(device, desc);
    struct vidmm_allocation *big = world_create(device, world_only(SET(VRAM), 320 * KIB));
    struct vidmm_allocation_info info;
    assert_int_equal(world_use(context, true, 1, overlay), VIDMM_OK);
    vidmm_allocation_info(overlay, &info);
    assert_true(info.offset >= 256 * KIB);
    assert_int_equal(world_use(context, true, 1, big), VIDMM_DOES_NOT_FIT);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world_segment_of(overlay), VRAM);
    world_end(world);
}

static void context_allocations_are_resident_with_their_context(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_segment_info info;
    world->context_allocation = true;
    struct vidmm_context *context = open_context(world, &device);
    assert_non_null(world->context_allocation_handle);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    assert_ptr_equal(world->context_allocation_init, &world->context_allocation_handle);
    assert_int_equal(world_count_builds(world, 0, DXGK_OPERATION_INIT_CONTEXT_RESOURCE), 1);
    assert_true(vidmm_segment_info(world->adapter, VRAM, &info));
    assert_int_equal(info.used, 3 * PAGE);
    struct vidmm_allocation *big = world_create(device, world_only(SET(VRAM), 64 * KIB));
    assert_int_equal(world_use(context, true, 1, big), VIDMM_OK); /* it can live in the aperture */
    assert_true(vidmm_segment_info(world->adapter, APERTURE, &info));
    assert_int_equal(info.used, 3 * PAGE);
    assert_int_equal(world_count_builds(world, 0, DXGK_OPERATION_INIT_CONTEXT_RESOURCE), 1);
    vidmm_context_destroy(context);
    assert_true(vidmm_segment_info(world->adapter, APERTURE, &info));
    assert_int_equal(info.used, 0);
    world_end(world);
}

static void the_gpu_leaves_a_context_before_its_memory_is_moved(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->context_allocation = true;
    struct vidmm_context *context = open_context(world, &device);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    struct vidmm_allocation *big = world_create(device, world_only(SET(VRAM), 64 * KIB));
    assert_int_equal(world->switches, 0);
    assert_int_equal(world_use(context, true, 1, big), VIDMM_OK); /* out of VRAM */
    assert_int_equal(world->switches, 1);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK); /* and out of the aperture */
    assert_int_equal(world->switches, 2);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world->switches, 2);
    world->context_allocation = false;
    struct vidmm_context *other = world_context(device);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    assert_int_equal(world_use(other, true, 0), VIDMM_OK); /* which the GPU has switched to */
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world->switches, 2);
    world->context_allocation = true;
    world_end(world);
}

static void what_all_contexts_share_is_left_by_whichever_ran_last(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_device *stranger = world_device(world);
    struct vidmm_context *elsewhere = world_context(stranger);
    DXGKARGCB_CREATECONTEXTALLOCATION args = {.hAdapter = world,
                                              .hDevice = device,
                                              .hDriverAllocation = &args,
                                              .Size = PAGE,
                                              .SupportedSegmentSet = SET(VRAM)};
    args.ContextAllocationFlags.SharedAcrossContexts = 1;
    assert_int_equal(vidmm_context_allocation_create(world->adapter, &args), STATUS_SUCCESS);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world->switches, 1);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    assert_int_equal(world_use(elsewhere, true, 0), VIDMM_OK);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world->switches, 1);
    world_end(world);
}

static void big_command_buffers_take_several_dma_buffers(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    uint8_t commands[1000] = {1};
    uint64_t fence = 0;
    world->render_step = 300;
    world->dma_segments = SET(APERTURE);
    world->deferred = true;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_submission submission = {.commands = commands, .commands_size = sizeof(commands)};
    assert_int_equal(vidmm_submit(context, &submission, &fence), VIDMM_OK);
    assert_int_equal(fence, 1);
    assert_int_equal(world->renders, 4);
    assert_int_equal(world->submits[0], 4);
    assert_int_equal(vidmm_wait(world->adapter, fence), VIDMM_OK);
    assert_true(vidmm_completed(world->adapter, fence));
    assert_int_equal(vidmm_wait(world->adapter, 2), VIDMM_BAD_ARGUMENT);
    world_end(world);
}

static void references_must_be_open_and_unique(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_device *other = world_device(world);
    struct vidmm_context *foreign = world_context(other);
    struct vidmm_allocation *a = world_create(device, world_local(PAGE));
    assert_int_equal(world_use(context, true, 2, a, a), VIDMM_BAD_ARGUMENT);
    assert_int_equal(world_use(foreign, true, 1, a), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_allocation_open(other, a), VIDMM_OK);
    assert_int_equal(world_use(foreign, true, 1, a), VIDMM_OK);
    world_write(a, 3);
    vidmm_device_destroy(device); /* R138: it lives on in the other device */
    assert_int_equal(world_use(foreign, true, 1, a), VIDMM_OK);
    world_check(a, 3);
    world_end(world);
}

static void bad_allocations_are_refused_by_rule(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    (void)open_context(world, &device);
    const struct {
        struct world_desc desc;
        const char *rule;
    } cases[] = {
        {{0, 0, 1, 3, 3, 0, 1, 1}, "R92"},
        {{PAGE, 3, 1, 3, 3, 0, 1, 1}, "R92"},
        {{PAGE, 0, 1, 1, 1, 0, 2, 1}, "R95"},
        {{PAGE, 0, 1, 3, 3, 1, 1, 1}, "R99"},
        {{PAGE, 0, 1, 3, 3, 0, 1, 0}, "R103"},
        {{PAGE, 0, 2, 3, 3, 0, 1, 1}, "R106"},
        {{PAGE, 0, 4, 3, 3, 0, 1, 1}, "R109"},
        {{PAGE, 0, 0xb, 3, 3, 0, 1, 1}, "R111"},
        {{PAGE, 0, 0x31, 3, 3, 0, 1, 1}, "R112"},
        {{PAGE, 0, 0x401, 3, 3, 0, 1, 1}, "R121"},
        {{PAGE, 0, 0x80000001, 3, 3, 0, 1, 1}, "R117"},
        {{PAGE, 0, 1, 0, 0, 0, 0, 1}, "R16"},
        {{PAGE, 0, 1, 0x80, 3, 0, 1, 1}, "R16"},
    };
    uint32_t objects = world->objects;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vidmm_allocation *allocation = NULL;
        assert_int_equal(world_try_create(device, cases[i].desc, &allocation),
                         VIDMM_DRIVER_BROKE_RULE);
        world_expect_error(world, VIDMM_DRIVER_BROKE_RULE, cases[i].rule);
        assert_int_equal(world->objects, objects);
    }
    world_end(world);
}

static void allocation_statuses_are_judged(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    (void)open_context(world, &device);
    struct vidmm_allocation *allocation = NULL;
    world->create_status = STATUS_NOT_SUPPORTED;
    assert_int_equal(world_try_create(device, world_local(PAGE), &allocation),
                     VIDMM_DRIVER_BROKE_RULE);
    world_expect_error(world, VIDMM_DRIVER_BROKE_RULE, "R137");
    world->create_status = STATUS_NO_MEMORY;
    assert_int_equal(world_try_create(device, world_local(PAGE), &allocation),
                     VIDMM_DRIVER_REFUSED);
    world_end(world);
}

static void resources_are_destroyed_together(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct world_desc desc = world_local(PAGE);
    struct vidmm_allocation_request requests[3];
    struct vidmm_allocation *made[3];
    struct vidmm_context *context = open_context(world, &device);
    uint32_t objects = world->objects;
    for (uint32_t i = 0; i < 3; i++)
        requests[i] =
            (struct vidmm_allocation_request){.private_data = &desc, .private_size = sizeof(desc)};
    assert_int_equal(vidmm_allocations_create(device, requests, 3, made), VIDMM_OK);
    assert_int_equal(world->objects, objects + 6);
    assert_int_equal(world_use(context, true, 3, made[0], made[1], made[2]), VIDMM_OK);
    vidmm_allocation_destroy(made[1]);
    vidmm_allocation_destroy(made[0]);
    assert_int_equal(world->objects, objects + 6);
    assert_int_equal(world_use(context, true, 1, made[2]), VIDMM_OK);
    vidmm_allocation_destroy(made[2]);
    assert_int_equal(world->objects, objects);
    world_end(world);
}

static void what_is_expected_stays_as_it_is(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_stats before, after;
    for (uint32_t step = 0; step < VIDMM_EXPECT_STEPS; step++)
        vidmm_allocation_expect(a, step);
    world_write(a, 1);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    vidmm_stats(world->adapter, &before);
    for (uint32_t step = 0; step < VIDMM_EXPECT_STEPS; step++)
        vidmm_allocation_expect(a, step);
    vidmm_stats(world->adapter, &after);
    assert_memory_equal(&before, &after, sizeof(before));
    world_check(a, 1);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_leaves_everything_as_it_was),
        cmocka_unit_test(a_set_larger_than_vram_spills_into_the_aperture),
        cmocka_unit_test(flexible_references_make_room_for_those_without_choice),
        cmocka_unit_test(fragmentation_is_no_reason_to_refuse),
        cmocka_unit_test(the_least_recently_used_goes_first),
        cmocka_unit_test(evictions_go_through_the_aperture_that_the_driver_names),
        cmocka_unit_test(moves_between_memory_segments_are_direct),
        cmocka_unit_test(aperture_residents_return_to_vram_when_there_is_room),
        cmocka_unit_test(pinned_allocations_stay),
        cmocka_unit_test(overlays_stay_in_the_last_fifth),
        cmocka_unit_test(context_allocations_are_resident_with_their_context),
        cmocka_unit_test(the_gpu_leaves_a_context_before_its_memory_is_moved),
        cmocka_unit_test(what_all_contexts_share_is_left_by_whichever_ran_last),
        cmocka_unit_test(big_command_buffers_take_several_dma_buffers),
        cmocka_unit_test(references_must_be_open_and_unique),
        cmocka_unit_test(bad_allocations_are_refused_by_rule),
        cmocka_unit_test(allocation_statuses_are_judged),
        cmocka_unit_test(resources_are_destroyed_together),
        cmocka_unit_test(what_is_expected_stays_as_it_is),
    };
    return cmocka_run_group_tests_name("core_residency", tests, NULL, NULL);
}
