/*
 * core_gart_test.c - an AGP-type aperture segment: the GART maps what lies there, not the driver
 * (agp-type-aperture-space-segments.md).
 *
 * The world's aperture becomes that of the platform: the GPU reads by the entries that the GART
 * wrote, and ends the test where there is none.
 */
#include "core_world.h"

#define AGP_BASE UINT64_C(0xd0000000)

/* What the manager had the GART do, and the world that it is in. */
struct gart {
    struct world *world;
    struct vidmm_gart functions;
    uint32_t maps, unmaps, flushes;
};

static struct gart gart;

static void gart_tell(enum vidmm_gart_change kind, uint64_t page, uint64_t pages) {
    const struct vidmm_referee_gart change = {.kind = kind, .page = page, .pages = pages};
    vidmm_referee_gart(gart.world->referee, &change);
}

static void gart_map(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages) {
    const PFN_NUMBER *frame = (const PFN_NUMBER *)(mdl + 1) + mdl_page;
    (void)ctx;
    gart_tell(VIDMM_GART_MAP, page, pages);
    for (uint64_t i = 0; i < pages; i++)
        gart.world->segments[APERTURE - 1].pages[page + i] = frame[i] * PAGE;
    gart.maps++;
}

static void gart_unmap(void *ctx, uint64_t page, uint64_t pages) {
    (void)ctx;
    gart_tell(VIDMM_GART_UNMAP, page, pages);
    for (uint64_t i = 0; i < pages; i++)
        gart.world->segments[APERTURE - 1].pages[page + i] = 0;
    gart.unmaps++;
}

static void gart_flush(void *ctx, uint64_t page, uint64_t pages) {
    (void)ctx;
    gart_tell(VIDMM_GART_FLUSH, page, pages);
    gart.flushes++;
}

/* VRAM of `vram` bytes and an AGP aperture of 64 KiB, started. */
static struct world *agp_world(uint64_t vram, struct vidmm_device **device,
                               struct vidmm_context **context) {
    struct world *world = world_new(vram, 64 * KIB, 0);
    gart = (struct gart){.world = world,
                         .functions = {.base = AGP_BASE,
                                       .size = 64 * KIB,
                                       .map = gart_map,
                                       .unmap = gart_unmap,
                                       .flush = gart_flush}};
    DXGK_SEGMENTFLAGS flags = {.Value = 0};
    flags.Agp = 1;
    world->segments[APERTURE - 1].flags = flags.Value;
    world->segments[APERTURE - 1].base = AGP_BASE;
    world->os.gart = &gart.functions;
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    *context = world_context(*device);
    return world;
}

static void end(struct world *world) {
    assert_int_equal(world_count_builds(world, 0, DXGK_OPERATION_MAP_APERTURE_SEGMENT), 0);
    assert_int_equal(world_count_builds(world, 0, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT), 0);
    world_end(world);
    assert_int_equal(gart.maps, gart.unmaps);
}

static void the_gart_maps_what_the_driver_is_not_asked_to(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct world *world = agp_world(64 * KIB, &device, &context);
    struct vidmm_allocation *a = world_create(device, world_only(SET(APERTURE), 16 * KIB));
    world_write(a, 3);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_segment_of(a), APERTURE);
    world_gpu_check(world, a, 3);
    world_gpu_write(world, a, 4);
    world_check(a, 4);
    end(world);
}

static void allocations_take_turns_in_a_full_agp_aperture(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct world *world = agp_world(64 * KIB, &device, &context);
    struct vidmm_allocation *all[4];
    for (uint32_t i = 0; i < 4; i++) {
        all[i] = world_create(device, world_only(SET(APERTURE), 32 * KIB));
        world_write(all[i], i);
    }
    for (uint32_t turn = 0; turn < 8; turn++) {
        assert_int_equal(world_use(context, true, 1, all[turn % 4]), VIDMM_OK);
        world_gpu_check(world, all[turn % 4], turn % 4);
    }
    assert_true(gart.maps > 4 && gart.unmaps > 2);
    end(world);
}

static void a_transfer_leaves_memory_through_a_window_in_the_agp_aperture(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct world *world = agp_world(32 * KIB, &device, &context);
    struct world_desc desc = world_only(SET(VRAM), 32 * KIB);
    desc.evict_set = SET(APERTURE);
    struct vidmm_allocation *a = world_create(device, desc), *b = world_create(device, desc);
    world_write(a, 1);
    world_write(b, 2);
    for (uint32_t turn = 0; turn < 4; turn++) {
        struct vidmm_allocation *next = turn % 2 ? b : a;
        assert_int_equal(world_use(context, true, 1, next), VIDMM_OK);
        world_gpu_check(world, next, 1 + turn % 2);
    }
    assert_true(gart.maps != 0);
    end(world);
}

static void cached_pages_are_flushed_for_the_gpu_and_for_the_cpu(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct world *world = agp_world(64 * KIB, &device, &context);
    struct world_desc desc = world_only(SET(APERTURE), 16 * KIB);
    struct vidmm_allocation *combined = world_create(device, desc);
    DXGK_ALLOCATIONINFOFLAGS flags = {.Value = desc.flags};
    flags.Cached = 1;
    desc.flags = flags.Value;
    struct vidmm_allocation *cached = world_create(device, desc);
    world_write(combined, 1);
    assert_int_equal(world_use(context, true, 1, combined), VIDMM_OK);
    world_write(combined, 2);
    assert_int_equal(gart.flushes, 0);
    world_write(cached, 1);
    assert_int_equal(world_use(context, true, 1, cached), VIDMM_OK);
    assert_int_equal(gart.flushes, 1); /* with its mapping */
    world_write(cached, 2);
    assert_int_equal(gart.flushes, 3); /* before the CPU looks, and when it has written */
    world_check(cached, 2);
    end(world);
}

static void the_gpu_writes_out_before_the_cpu_reads(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct world *world = agp_world(64 * KIB, &device, &context);
    struct vidmm_allocation *a = world_create(device, world_only(SET(APERTURE), 16 * KIB));
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_gpu_write(world, a, 9);
    assert_int_equal(world_count_builds(world, 0, DXGK_OPERATION_READ_PHYSICAL), 0);
    world_check(a, 9);
    assert_int_equal(world_count_builds(world, 0, DXGK_OPERATION_READ_PHYSICAL), 1);
    end(world);
}

static void a_reset_empties_the_agp_aperture(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct world *world = agp_world(64 * KIB, &device, &context);
    struct vidmm_allocation *a = world_create(device, world_only(SET(APERTURE), 16 * KIB));
    world_write(a, 6);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_OK);
    assert_int_equal(gart.unmaps, gart.maps);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_gpu_check(world, a, 6);
    end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gart_maps_what_the_driver_is_not_asked_to),
        cmocka_unit_test(allocations_take_turns_in_a_full_agp_aperture),
        cmocka_unit_test(a_transfer_leaves_memory_through_a_window_in_the_agp_aperture),
        cmocka_unit_test(cached_pages_are_flushed_for_the_gpu_and_for_the_cpu),
        cmocka_unit_test(the_gpu_writes_out_before_the_cpu_reads),
        cmocka_unit_test(a_reset_empties_the_agp_aperture),
    };
    return cmocka_run_group_tests_name("core_gart", tests, NULL, NULL);
}
