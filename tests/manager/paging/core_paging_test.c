/*
 * The paging queue: bytes survive, operations are packed and split as the protocol of
 * DxgkDdiBuildPagingBuffer says, and a driver that breaks it is stopped.
 */
#include "core_world.h"

static struct world *small(void) {
    return world_new(64 * KIB, 256 * KIB, 0);
}

static struct vidmm_context *open_context(struct world *world, struct vidmm_device **device) {
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    return world_context(*device);
}

/* Only VRAM: going over its size means eviction. */
static void eviction_and_page_in_preserve_bytes(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 40 * KIB));
    world_write(a, 1);
    world_write(b, 2);
    for (uint32_t round = 0; round < 3; round++) {
        assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
        assert_int_equal(world_segment_of(a), VRAM);
        world_gpu_check(world, a, round ? 3 : 1);
        world_gpu_write(world, a, 3);
        assert_int_equal(world_use(context, false, 1, b), VIDMM_OK);
        assert_int_equal(world_segment_of(a), 0);
        world_gpu_check(world, b, 2);
    }
    world_check(a, 3);
    world_check(b, 2);
    world_end(world);
}

static void clean_allocations_leave_by_discard(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 40 * KIB));
    world_write(a, 1);
    assert_int_equal(world_use(context, false, 1, a), VIDMM_OK);
    uint32_t first = world->build_count;
    assert_int_equal(world_use(context, false, 1, b), VIDMM_OK);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_DISCARD_CONTENT), 1);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_TRANSFER), 0);
    assert_int_equal(world_count_builds(world, first, DXGK_OPERATION_FILL), 1);
    world_check(a, 1);
    world_end(world);
}

static void new_allocations_are_filled_with_zero(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    struct vidmm_context *context = open_context(world, &device);
    memset(world->segments[VRAM - 1].bytes, 0xee, 64 * KIB);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 8 * KIB));
    assert_int_equal(world_use(context, false, 1, a), VIDMM_OK);
    struct vidmm_allocation_info info;
    vidmm_allocation_info(a, &info);
    for (uint32_t i = 0; i < 8 * KIB; i++)
        assert_int_equal(world->segments[VRAM - 1].bytes[info.offset + i], 0);
    world_end(world);
}

static void many_operations_share_one_paging_buffer(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a[8];
    for (uint32_t i = 0; i < 8; i++)
        a[i] = world_create(device, world_only(SET(VRAM), 4 * KIB));
    uint32_t submits = world->submits[1], first = world->build_count;
    assert_int_equal(world_use(context, true, 8, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]),
                     VIDMM_OK);
    assert_int_equal(world->submits[1], submits + 1);
    for (uint32_t i = first + 1; i < first + 8; i++) { /* R151: tightly packed */
        const DXGKARG_BUILDPAGINGBUFFER *before = &world->builds[i - 1].arg;
        assert_true((uint8_t *)world->builds[i].arg.pDmaBuffer > (uint8_t *)before->pDmaBuffer);
        assert_int_equal((uint8_t *)world->builds[i].arg.pDmaBuffer + world->builds[i].arg.DmaSize -
                             ((uint8_t *)before->pDmaBuffer + before->DmaSize),
                         0);
    }
    assert_int_equal((uintptr_t)world->builds[first].arg.pDmaBuffer % 4096, 0);
    world_end(world);
}

static void a_full_buffer_is_submitted_and_the_operation_goes_on(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    world->paging_size = 4096;
    world->paging_private = 128;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 64 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 64 * KIB));
    world->transfer_step = 4096; /* one command a page: more than one buffer holds */
    world_write(a, 1);
    world_write(b, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(world_use(context, true, 1, i & 1 ? b : a), VIDMM_OK);
    world_check(a, 1);
    world_check(b, 2);
    for (uint32_t i = 1; i < world->build_count; i++) { /* R158-R160 */
        const struct world_build *before = &world->builds[i - 1], *now = &world->builds[i];
        if (before->status == STATUS_SUCCESS)
            assert_int_equal(now->arg.MultipassOffset, 0);
        else
            assert_memory_equal(&now->arg.Transfer, &before->arg.Transfer,
                                sizeof(now->arg.Transfer));
    }
    world_end(world);
}

static PDXGKDDI_BUILDPAGINGBUFFER build_below;

static NTSTATUS APIENTRY build_and_spoil(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = build_below(adapter, args);
    args->Transfer.hAllocation = (HANDLE)(uintptr_t)1;
    args->Transfer.TransferSize = 0;
    return status;
}

static void what_a_driver_changes_in_its_arguments_is_not_handed_to_it_again(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(1 * MIB, 0, 0);
    world->paging_size = 4096;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 1 * MIB));
    world->transfer_step = 4096;
    world_write(a, 1);
    build_below = world->ddi.DxgkDdiBuildPagingBuffer;
    world->ddi.DxgkDdiBuildPagingBuffer = build_and_spoil;
    uint32_t first = world->build_count;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    assert_true(world->build_count > first + 1);
    for (uint32_t i = first + 1; i < world->build_count; i++)
        assert_memory_equal(&world->builds[i].arg.Transfer, &world->builds[first].arg.Transfer,
                            sizeof(world->builds[i].arg.Transfer));
    world_check(a, 1);
    world_end(world);
}

static void multipass_operations_lose_no_byte(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_stats stats;
    struct world *world = world_new(1 * MIB, 0, 0);
    world->paging_size = 4096;
    world->transfer_step = 4096;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 1 * MIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 1 * MIB));
    world_write(a, 1);
    world_write(b, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(world_use(context, true, 1, i & 1 ? b : a), VIDMM_OK);
    vidmm_stats(world->adapter, &stats);
    assert_true(stats.multipass_splits > 4);
    world_check(a, 1);
    world_check(b, 2);
    world_end(world);
}

/* world->prompt has the observer compare. */
static void operations_are_told_when_their_buffer_is_done_and_before_the_next(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(512 * KIB, 0, 0);
    world->paging_size = 4096;
    world->deferred = world->prompt = true;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 512 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 512 * KIB));
    world->transfer_step = 4096;
    world_write(a, 1);
    world_write(b, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(world_use(context, true, 1, i & 1 ? b : a), VIDMM_OK);
    assert_int_equal(world->ops[VIDMM_OP_TRANSFER], 7); /* four in, three out */
    assert_true(world->paging_done > world->ops[VIDMM_OP_TRANSFER]);
    world_check(a, 1);
    world_check(b, 2);
    world_end(world);
}

/* The observer sees a window through which something is evicted while it is there. */
static void eviction_windows_are_told_before_they_close(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    world->deferred = true;
    struct vidmm_context *context = open_context(world, &device);
    struct world_desc desc = world_only(SET(VRAM), 64 * KIB);
    desc.evict_set = SET(APERTURE);
    struct vidmm_allocation *a = world_create(device, desc), *b = world_create(device, desc);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(world_use(context, true, 1, i & 1 ? b : a), VIDMM_OK);
    assert_int_equal(world->ops[VIDMM_OP_MAP], 3);
    assert_int_equal(world->ops[VIDMM_OP_UNMAP], 3);
    world_end(world);
}

static void busy_allocations_are_retried_idle(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct vidmm_stats stats;
    struct world *world = small();
    world->busy_every = 2;
    world->deferred = true;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 40 * KIB));
    struct vidmm_allocation *b = world_create(device, world_only(SET(VRAM), 40 * KIB));
    world_write(a, 1);
    world_write(b, 2);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(world_use(context, true, 1, i & 1 ? b : a), VIDMM_OK);
    vidmm_stats(world->adapter, &stats);
    assert_true(stats.busy_retries > 2);
    for (uint32_t i = 1; i < world->build_count; i++) {
        if (world->builds[i - 1].status == STATUS_GRAPHICS_ALLOCATION_BUSY)
            assert_int_equal(world->builds[i].arg.Transfer.Flags.AllocationIsIdle, 1);
    }
    world_check(a, 1);
    world_check(b, 2);
    world_end(world);
}

/* Starts, then breaks the driver with `damage` and expects its first paging operation to be judged.
 */
static void expect_broken(void (*damage)(struct world *world), const char *rule) {
    struct vidmm_device *device;
    struct world *world = small();
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 8 * KIB));
    struct vidmm_allocation *b = NULL;
    damage(world);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_DRIVER_BROKE_RULE);
    world_expect_error(world, VIDMM_DRIVER_BROKE_RULE, rule);
    assert_int_equal(world_segment_of(a), 0);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_STOPPED);
    assert_int_equal(world_try_create(device, world_only(SET(VRAM), PAGE), &b), VIDMM_STOPPED);
    vidmm_allocation_destroy(a);
    world_end(world);
}

static void wrong_status(struct world *world) {
    world->build_status = STATUS_NOT_SUPPORTED;
}

static void live_lock(struct world *world) {
    world->never_room = true;
}

static void always_busy(struct world *world) {
    world->always_busy = true;
}

static void backwards(struct world *world) {
    world->moves_back = true;
}

static void beyond(struct world *world) {
    world->moves_past = true;
}

static void refused_submission(struct world *world) {
    world->submit_status = STATUS_INVALID_PARAMETER;
}

static void broken_drivers_stop_the_adapter(void **state) {
    (void)state;
    expect_broken(wrong_status, "R149");
    expect_broken(live_lock, "R157");
    expect_broken(always_busy, "R163");
    expect_broken(backwards, "R153");
    expect_broken(beyond, "R153");
    expect_broken(refused_submission, "R277");
}

static void chunks_cover_the_allocation_once(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = world_new(1 * MIB, 0, 0);
    world->transfer_chunk = 96 * KIB;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 500 * KIB + 1));
    world_write(a, 7);
    uint32_t first = world->build_count;
    uint64_t at = 0, size = 504 * KIB;
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    for (uint32_t i = first; i < world->build_count; i++) {
        const DXGKARG_BUILDPAGINGBUFFER *arg = &world->builds[i].arg;
        if (arg->Operation != DXGK_OPERATION_TRANSFER)
            continue;
        assert_int_equal(arg->Transfer.TransferOffset, at);
        assert_int_equal(arg->Transfer.MdlOffset, at / PAGE);
        assert_int_equal(arg->Transfer.Source.SegmentId, 0);
        assert_int_equal(arg->Transfer.Destination.SegmentId, VRAM);
        assert_int_equal(arg->Transfer.Flags.TransferStart, at == 0);
        at += arg->Transfer.TransferSize;
        assert_int_equal(arg->Transfer.Flags.TransferEnd, at == size);
    }
    assert_int_equal(at, size);
    world_gpu_check(world, a, 7);
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_OK);
    world_check(a, 7);
    world_end(world);
}

static void paging_buffers_may_live_in_an_aperture(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    world->paging_segment = APERTURE;
    world->paging_private = 32;
    struct vidmm_context *context = open_context(world, &device);
    struct vidmm_allocation *a = world_create(device, world_only(SET(VRAM), 16 * KIB));
    const DXGKARG_BUILDPAGINGBUFFER *map =
        world_find_build(world, 0, DXGK_OPERATION_MAP_APERTURE_SEGMENT);
    assert_non_null(map);
    assert_null(map->MapApertureSegment.hAllocation);
    world_write(a, 5);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_gpu_check(world, a, 5);
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_OK);
    assert_int_equal(world_use(context, true, 1, a), VIDMM_OK);
    world_end(world);
}

static void flushes_touch_through_the_gpu(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = small();
    (void)open_context(world, &device);
    assert_int_equal(vidmm_flush(world->adapter, APERTURE, 4096, false), VIDMM_OK);
    assert_int_equal(vidmm_flush(world->adapter, VRAM, 64, true), VIDMM_OK);
    const DXGKARG_BUILDPAGINGBUFFER *read =
        world_find_build(world, 0, DXGK_OPERATION_READ_PHYSICAL);
    assert_int_equal(read->ReadPhysical.PhysicalAddress.QuadPart,
                     world->segments[APERTURE - 1].base + 4096);
    assert_int_equal(world->ops[VIDMM_OP_READ_PHYSICAL], 1);
    assert_int_equal(vidmm_flush(world->adapter, 9, 0, false), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_flush(world->adapter, VRAM, 64 * KIB - 4, false), VIDMM_BAD_ARGUMENT);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eviction_and_page_in_preserve_bytes),
        cmocka_unit_test(clean_allocations_leave_by_discard),
        cmocka_unit_test(new_allocations_are_filled_with_zero),
        cmocka_unit_test(many_operations_share_one_paging_buffer),
        cmocka_unit_test(a_full_buffer_is_submitted_and_the_operation_goes_on),
        cmocka_unit_test(what_a_driver_changes_in_its_arguments_is_not_handed_to_it_again),
        cmocka_unit_test(multipass_operations_lose_no_byte),
        cmocka_unit_test(operations_are_told_when_their_buffer_is_done_and_before_the_next),
        cmocka_unit_test(eviction_windows_are_told_before_they_close),
        cmocka_unit_test(busy_allocations_are_retried_idle),
        cmocka_unit_test(broken_drivers_stop_the_adapter),
        cmocka_unit_test(chunks_cover_the_allocation_once),
        cmocka_unit_test(paging_buffers_may_live_in_an_aperture),
        cmocka_unit_test(flushes_touch_through_the_gpu),
    };
    return cmocka_run_group_tests_name("core_paging", tests, NULL, NULL);
}
