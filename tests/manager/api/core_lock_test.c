/*
 * CPU locks: every way to an allocation's bytes, linear in each, and what a lock keeps from moving.
 */
#include "core_world.h"

#define CPU_VISIBLE 0x1u
#define PERMANENT   0x2u
#define SWIZZLED    0x80u

static struct vidmm_context *open_context(struct world *world, struct vidmm_device **device) {
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    return world_context(*device);
}

static struct world_desc only(uint32_t set, uint64_t size, uint32_t flags) {
    struct world_desc desc = world_only(set, size);
    desc.flags = flags;
    return desc;
}

static void a_visible_segment_is_locked_in_place(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE));
    struct vidmm_allocation *b = world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE));
    struct vidmm_allocation_info info;
    void *cpu = NULL, *again = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_write(a, 1);
    world_gpu_check(world, a, 1);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    vidmm_allocation_info(a, &info);
    assert_true(info.locked);
    assert_ptr_equal(cpu, world->segments[VRAM - 1].bytes + info.offset);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_READ_ONLY, &again), VIDMM_OK);
    assert_ptr_equal(cpu, again);
    vidmm_unlock(a);
    /* It must stay while the pointer lives. */
    assert_int_equal(world_use(context, true, 1, b), VIDMM_DOES_NOT_FIT);
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_PINNED);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    vidmm_unlock(a);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    assert_int_equal(world_segment_of(a), 0);
    world_check(a, 1);
    world_end(world);
}

static void a_hidden_segment_is_left_for_a_lock(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 64 * KIB);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, only(SET(HIDDEN), 16 * KIB, CPU_VISIBLE));
    void *cpu = NULL;
    world_write(a, 3);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_segment_of(a), HIDDEN);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_DONT_EVICT, &cpu), VIDMM_NOT_LOCKABLE);
    world_gpu_write(world, a, 4);
    world_check(a, 4);
    assert_int_equal(world_segment_of(a), 0);
    /* While locked it may not enter a memory segment (R135). */
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_DOES_NOT_FIT);
    vidmm_unlock(a);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_end(world);
}

static void a_locked_allocation_goes_into_an_aperture_instead(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_local(16 * KIB));
    void *cpu = NULL;
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_segment_of(a), APERTURE);
    world_gpu_write(world, a, 6);
    world_check(a, 6);
    vidmm_unlock(a);
    world_end(world);
}

static void locks_wait_for_the_gpu_unless_told_not_to(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->deferred = true;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_local(16 * KIB));
    void *cpu = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_DONT_WAIT, &cpu), VIDMM_BUSY);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    vidmm_unlock(a);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_DONT_WAIT, &cpu), VIDMM_OK);
    vidmm_unlock(a);
    world_end(world);
}

static void permanent_system_memory_is_the_locked_copy(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a =
        world_create(device, only(SET(VRAM), 16 * KIB, CPU_VISIBLE | PERMANENT));
    void *cpu = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_gpu_write(world, a, 8);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    assert_true((uint8_t *)cpu >= world->system.ram &&
                (uint8_t *)cpu < world->system.ram + WORLD_PAGES * PAGE);
    vidmm_unlock(a);
    world_check(a, 8);
    world_write(a, 9);
    world_gpu_check(world, a, 9); /* R108 */
    uint32_t first = world->build_count;
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_OK);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_DISCARD_CONTENT),
                     1); /* R107 */
    world_check(a, 9);
    world_end(world);
}

static void swizzled_content_is_linear_for_the_cpu(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a =
        world_create(device, only(SET(VRAM) | SET(APERTURE), 16 * KIB, CPU_VISIBLE | SWIZZLED));
    struct vidmm_allocation *b =
        world_create(device, only(SET(VRAM), 16 * KIB, CPU_VISIBLE | SWIZZLED));
    void *cpu = NULL;
    world_write(a, 1);
    assert_int_equal(world_use(context, true, 2, a, b), VIDMM_OK);
    assert_int_equal(world_segment_of(a), VRAM);
    /* A range: linear bytes, in place. */
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_OK);
    assert_int_equal(world->acquires, 1);
    assert_int_equal(world_segment_of(a), VRAM);
    vidmm_unlock(a);
    assert_int_equal(world->releases, 0); /* kept for the next lock */
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_OK);
    assert_int_equal(world->acquires, 1);
    /* The only range is taken: the other one has to be evicted. */
    void *other = NULL;
    assert_int_equal(vidmm_lock(b, VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_DONT_EVICT, &other),
                     VIDMM_NOT_LOCKABLE);
    assert_int_equal(vidmm_lock(b, VIDMM_LOCK_ACQUIRE_APERTURE, &other), VIDMM_OK);
    assert_int_equal(world_segment_of(b), 0);
    vidmm_unlock(b);
    vidmm_unlock(a);
    world_end(world);
}

static void swizzled_content_leaves_memory_for_a_plain_lock(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a =
        world_create(device, only(SET(VRAM) | SET(APERTURE), 16 * KIB, CPU_VISIBLE | SWIZZLED));
    void *cpu = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_OK);
    memset(cpu, 0x5a, 16 * KIB);
    vidmm_unlock(a);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_READ_ONLY, &cpu), VIDMM_OK);
    assert_int_equal(world->releases, 1);
    assert_int_equal(world_segment_of(a), 0);
    for (uint32_t i = 0; i < 16 * KIB; i++)
        assert_int_equal(((uint8_t *)cpu)[i], 0x5a);
    vidmm_unlock(a);
    world_write(a, 2);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_check(a, 2);
    world_end(world);
}

static void an_alternate_view_survives_eviction(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a =
        world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE | SWIZZLED));
    struct vidmm_allocation *b = world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE));
    void *cpu = NULL;
    uint32_t flags = VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_ALTERNATE_VA;
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ALTERNATE_VA, &cpu), VIDMM_BAD_ARGUMENT);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_lock(a, flags, &cpu), VIDMM_OK);
    uint32_t first = world->build_count;
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER), 1);
    assert_int_equal(world->releases, 0);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER), 2);
    vidmm_unlock(a);
    world_end(world);
}

/* Parts from build `first` on; the MDL of each begins with the part (readings.md). */
static uint32_t check_parts(const struct world *world, uint32_t first,
                            struct vidmm_allocation *allocation) {
    const PFN_NUMBER *pages = MmGetMdlPfnArray(vidmm_allocation_backing(allocation));
    uint32_t count = 0;
    for (uint32_t i = first; i < world->build_count; i++) {
        const DXGKARG_BUILDPAGINGBUFFER *arg = &world->builds[i].arg;
        if (arg->Operation != DXGK_OPERATION_SPECIAL_LOCK_TRANSFER)
            continue;
        const MDL *mdl = arg->SpecialLockTransfer.Source.SegmentId == 0
                             ? arg->SpecialLockTransfer.Source.pMdl
                             : arg->SpecialLockTransfer.Destination.pMdl;
        assert_int_equal(mdl->ByteCount, arg->SpecialLockTransfer.TransferSize);
        assert_memory_equal(mdl + 1, pages + arg->SpecialLockTransfer.TransferOffset / PAGE,
                            mdl->ByteCount / PAGE * sizeof(*pages));
        count++;
    }
    return count;
}

static void an_alternate_view_moves_in_parts(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    world->transfer_chunk = 12 * KIB;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE));
    struct vidmm_allocation *b = world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE));
    void *cpu = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_ALTERNATE_VA, &cpu),
                     VIDMM_OK);
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t first = world->build_count;
        assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
        assert_int_equal(check_parts(world, first, a), 4);
        first = world->build_count;
        assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
        assert_int_equal(check_parts(world, first, a), 4);
    }
    vidmm_unlock(a);
    world_end(world);
}

static void a_view_that_outlived_its_place_is_not_given_again(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a =
        world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE | SWIZZLED));
    struct vidmm_allocation *b = world_create(device, only(SET(VRAM), 40 * KIB, CPU_VISIBLE));
    void *cpu = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_ALTERNATE_VA, &cpu),
                     VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, b), VIDMM_OK);
    assert_int_equal(world->releases, 0);
    vidmm_unlock(a);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(world->releases, 0);
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_OK);
    assert_int_equal(world->releases, 1);
    assert_int_equal(world->acquires, 2); /* the driver says anew where it shows the allocation */
    vidmm_unlock(a);
    world_end(world);
}

static void refused_ranges_end_in_an_eviction(void **state) {
    (void)state;
    const NTSTATUS answers[] = {STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED,
                                STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE};
    for (uint32_t i = 0; i < 2; i++) {
        struct vidmm_device *device;
        struct world *world = world_new(64 * KIB, 0, 0);
        struct vidmm_context *context = open_context(world, &device);
        struct vidmm_allocation *a =
            world_create(device, only(SET(VRAM), 16 * KIB, CPU_VISIBLE | SWIZZLED));
        void *cpu = NULL;
        world_write(a, 1);
        assert_int_equal(world_use(context, false, 1, a), VIDMM_OK);
        world->acquire_status = answers[i];
        assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_DONT_EVICT, &cpu),
                         VIDMM_NOT_LOCKABLE);
        assert_int_equal(vidmm_lock(a, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_OK);
        assert_int_equal(world_segment_of(a), 0);
        vidmm_unlock(a);
        world_check(a, 1);
        world_end(world);
    }
}

static void discarded_content_is_not_transferred(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 64 * KIB);
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, only(SET(2), 16 * KIB, CPU_VISIBLE));
    void *cpu = NULL;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    uint32_t first = world->build_count;
    assert_int_equal(vidmm_lock(a, VIDMM_LOCK_WRITE_ONLY | VIDMM_LOCK_DISCARD, &cpu), VIDMM_OK);
    vidmm_unlock(a);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_TRANSFER), 0);
    assert_int_equal(world->contents_lost, 1);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_int_equal(vidmm_allocation_evict(a, false), VIDMM_OK);
    assert_int_equal(world->contents_lost, 2);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_TRANSFER), 1);
    first = world->build_count;
    assert_int_equal(world_use(context, false, 1, a), VIDMM_OK); /* no content: FILL */
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_FILL), 1);
    world_end(world);
}

static void senseless_locks_are_refused(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(64 * KIB, 0, 0);
    (void)open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, only(SET(VRAM), PAGE, 0));
    struct vidmm_allocation *b = world_create(device, only(SET(VRAM), PAGE, CPU_VISIBLE));
    void *cpu = NULL;
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_NOT_LOCKABLE);
    assert_null(cpu);
    assert_int_equal(vidmm_lock(b, VIDMM_LOCK_READ_ONLY | VIDMM_LOCK_WRITE_ONLY, &cpu),
                     VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_lock(b, 0, &cpu), VIDMM_OK);
    assert_int_equal(vidmm_lock(b, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_BAD_ARGUMENT);
    vidmm_unlock(b);
    vidmm_unlock(b); /* one too many does no harm */
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visible_segment_is_locked_in_place),
        cmocka_unit_test(a_hidden_segment_is_left_for_a_lock),
        cmocka_unit_test(a_locked_allocation_goes_into_an_aperture_instead),
        cmocka_unit_test(locks_wait_for_the_gpu_unless_told_not_to),
        cmocka_unit_test(permanent_system_memory_is_the_locked_copy),
        cmocka_unit_test(swizzled_content_is_linear_for_the_cpu),
        cmocka_unit_test(swizzled_content_leaves_memory_for_a_plain_lock),
        cmocka_unit_test(an_alternate_view_survives_eviction),
        cmocka_unit_test(an_alternate_view_moves_in_parts),
        cmocka_unit_test(a_view_that_outlived_its_place_is_not_given_again),
        cmocka_unit_test(refused_ranges_end_in_an_eviction),
        cmocka_unit_test(discarded_content_is_not_transferred),
        cmocka_unit_test(senseless_locks_are_refused),
    };
    return cmocka_run_group_tests_name("core_lock", tests, NULL, NULL);
}
