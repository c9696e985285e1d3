/*
 * recovery_test.c - fences, preemption, hangs, resets, and the faults that can be ordered from the
 * hardware: each is one byte or one page, where it was asked for, and nowhere else.
 */
#include "rig.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static void submit(struct rig *rig, uint32_t node, uint32_t used, bool paging) {
    DXGKARG_SUBMITCOMMAND args = {0};
    args.DmaBufferPhysicalAddress.QuadPart =
        (LONGLONG)(MmGetMdlPfnArray(rig->buffer)[0] * RIG_PAGE);
    args.DmaBufferSize = RIG_BUFFER;
    args.DmaBufferSubmissionEndOffset = used;
    args.SubmissionFenceId = ++rig->fence;
    args.NodeOrdinal = node;
    args.Flags.Paging = paging;
    assert_int_equal(rig->ddi->DxgkDdiSubmitCommand(rig->adapter, &args), 0);
}

static uint32_t current_fence(struct rig *rig, uint32_t node) {
    DXGKARG_QUERYCURRENTFENCE args = {.NodeOrdinal = node};
    assert_int_equal(rig->ddi->DxgkDdiQueryCurrentFence(rig->adapter, &args), 0);
    return args.CurrentFence;
}

static void fences_complete_in_order_on_each_node(void **state) {
    struct rig rig;
    (void)state;
    rig_open(&rig, NULL, 0);
    for (int i = 0; i < 10; i++)
        submit(&rig, i % 2, 0, i % 2 == 1);
    vidmm_host_run(rig.host);
    assert_int_equal(current_fence(&rig, 0), 9);
    assert_int_equal(current_fence(&rig, 1), 10);
    rig_close(&rig);
}

static void a_preempted_queue_is_dropped_and_reported(void **state) {
    struct rig rig;
    (void)state;
    rig_open(&rig, NULL, 0);
    submit(&rig, 0, 0, false);
    vidmm_host_run(rig.host);
    submit(&rig, 0, 0, false);
    submit(&rig, 0, 0, false);
    DXGKARG_PREEMPTCOMMAND args = {.PreemptionFenceId = 500};
    assert_int_equal(rig.ddi->DxgkDdiPreemptCommand(rig.adapter, &args), 0);
    vidmm_host_run(rig.host);
    assert_int_equal(rig.preempted, 500);
    assert_int_equal(rig.preempted_last, 1);
    assert_int_equal(current_fence(&rig, 0), 1);
    rig_close(&rig);
}

static void a_hang_lasts_until_reset(void **state) {
    for (uint32_t paging = 0; paging < 2; paging++) {
        const struct vidmm_host_setting settings[] = {{paging ? "HangPagingAt" : "HangAt", 2}};
        struct rig rig;
        (void)state;
        rig_open(&rig, settings, 1);
        for (int i = 0; i < 3; i++)
            submit(&rig, paging, 0, paging);
        vidmm_host_run(rig.host);
        assert_int_equal(current_fence(&rig, paging), 1);
        submit(&rig, 1 - paging, 0, !paging); /* the other node lives */
        vidmm_host_run(rig.host);
        assert_int_equal(current_fence(&rig, 1 - paging), 4);
        assert_int_equal(rig.ddi->DxgkDdiResetFromTimeout(rig.adapter), 0);
        assert_int_equal(rig.ddi->DxgkDdiRestartFromTimeout(rig.adapter), 0);
        submit(&rig, paging, 0, paging);
        vidmm_host_run(rig.host);
        assert_int_equal(current_fence(&rig, paging), 5);
        assert_int_equal(rig.completed, 5);
        rig_close(&rig);
    }
}

static uint32_t reset_engine(struct rig *rig, uint32_t node) {
    DXGKARG_RESETENGINE args = {.NodeOrdinal = node};
    assert_int_equal(rig->ddi->DxgkDdiResetEngine(rig->adapter, &args), STATUS_SUCCESS);
    return args.LastAbortedFenceId;
}

/* The other engine, and what is in VRAM, do not notice. */
static void an_engine_is_reset_alone(void **state) {
    for (uint32_t paging = 0; paging < 2; paging++) {
        const struct vidmm_host_setting settings[] = {{paging ? "HangPagingAt" : "HangAt", 2}};
        struct rig_segment vram;
        struct rig rig;
        (void)state;
        rig_open(&rig, settings, 1);
        uint32_t id = rig_find(&rig, 1, 0, &vram);
        if (!paging) { /* a fill is paging work */
            DXGKARG_BUILDPAGINGBUFFER fill = rig_fill(id, vram.base, RIG_PAGE, 0x05050505);
            assert_int_equal(rig_page(&rig, &fill, RIG_PAGE), 0);
        }
        uint32_t first = rig.fence + 1;
        for (int i = 0; i < 3; i++)
            submit(&rig, paging, 0, paging);
        submit(&rig, 1 - paging, 0, !paging);
        vidmm_host_run(rig.host);
        assert_int_equal(current_fence(&rig, 1 - paging), first + 3);
        assert_int_equal(reset_engine(&rig, paging), first + 1); /* the one that hung */
        assert_int_equal(current_fence(&rig, paging), first + 1);
        vidmm_host_run(rig.host);
        assert_int_equal(current_fence(&rig, paging), first + 1); /* nothing was left queued */
        submit(&rig, paging, 0, paging);
        submit(&rig, 1 - paging, 0, !paging);
        vidmm_host_run(rig.host);
        assert_int_equal(current_fence(&rig, paging), first + 4);
        assert_int_equal(current_fence(&rig, 1 - paging), first + 5);
        const unsigned char *bytes = vidmm_host_peek(rig.host, vram.base, RIG_PAGE);
        assert_int_equal(bytes[0], paging ? 0 : 5);
        rig_close(&rig);
    }
}

static void an_idle_engine_was_at_its_last_fence(void **state) {
    struct rig rig;
    (void)state;
    rig_open(&rig, NULL, 0);
    assert_int_equal(reset_engine(&rig, 0), 0);
    for (int i = 0; i < 3; i++)
        submit(&rig, 0, 0, false);
    vidmm_host_run(rig.host);
    assert_int_equal(reset_engine(&rig, 0), 3);
    submit(&rig, 0, 0, false); /* not begun, so not aborted */
    assert_int_equal(reset_engine(&rig, 0), 3);
    submit(&rig, 0, 0, false);
    assert_int_equal(rig.ddi->DxgkDdiResetFromTimeout(rig.adapter), 0);
    assert_int_equal(rig.ddi->DxgkDdiRestartFromTimeout(rig.adapter), 0);
    assert_int_equal(reset_engine(&rig, 0), 5); /* a reset of the adapter is done with all */
    assert_int_equal(current_fence(&rig, 0), 5);
    rig_close(&rig);
}

static void each_engine_answers_for_itself(void **state) {
    struct rig rig;
    (void)state;
    rig_open(&rig, NULL, 0);
    for (uint32_t node = 0; node < 3; node++) {
        DXGKARG_QUERYDEPENDENTENGINEGROUP group = {.NodeOrdinal = node};
        DXGKARG_QUERYENGINESTATUS status = {.NodeOrdinal = node};
        DXGKARG_RESETENGINE reset = {.NodeOrdinal = node};
        NTSTATUS expected = node < 2 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
        assert_int_equal(rig.ddi->DxgkDdiQueryDependentEngineGroup(rig.adapter, &group), expected);
        assert_int_equal(rig.ddi->DxgkDdiQueryEngineStatus(rig.adapter, &status), expected);
        assert_int_equal(rig.ddi->DxgkDdiResetEngine(rig.adapter, &reset), expected);
        assert_int_equal(group.DependentNodeOrdinalMask, node < 2 ? 1u << node : 0);
        assert_int_equal(status.EngineStatus.Responsive, node < 2);
    }
    submit(&rig, 0, 0, false);
    DXGKARG_QUERYENGINESTATUS busy = {.NodeOrdinal = 0};
    assert_int_equal(rig.ddi->DxgkDdiQueryEngineStatus(rig.adapter, &busy), 0);
    assert_int_equal(busy.EngineStatus.Responsive, 0);
    vidmm_host_run(rig.host);
    rig_close(&rig);
}

static void bad_bytes_in_a_dma_buffer_are_a_fault_and_the_next_one_runs(void **state) {
    struct rig rig;
    (void)state;
    rig_open(&rig, NULL, 0);
    memset(rig.buffer_cpu, 0xff, 64);
    submit(&rig, 0, 64, false);
    submit(&rig, 0, 0, false);
    vidmm_host_run(rig.host);
    assert_int_equal(rig.faulted, 1);
    assert_int_equal(rig.completed, 2);
    rig_close(&rig);
}

static void busy_is_answered_once_and_only_for_allocations_in_use(void **state) {
    static const struct vidmm_host_setting settings[] = {{"BusyEvery", 2}};
    struct vidmm_umd_allocation umd = {
        .magic = VIDMM_UMD_MAGIC, .flags = VIDMM_UMD_LOCAL, .size = RIG_PAGE};
    DXGK_ALLOCATIONINFO info;
    struct rig_segment vram;
    struct rig rig;
    uint32_t used;
    (void)state;
    rig_open(&rig, settings, 1);
    HANDLE allocation = rig_allocate(&rig, &umd, &info, NULL);
    uint32_t id = rig_find(&rig, 1, 0, &vram);
    PMDL mdl = rig.os->pages_alloc(rig.os->ctx, 1, 0, UINT64_MAX);
    for (uint32_t i = 0; i < 6; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = rig_in(allocation, id, vram.base, RIG_PAGE, mdl);
        NTSTATUS status = rig_build(&rig, &args, RIG_PAGE, &used);
        assert_int_equal(status, i % 2 == 1 ? STATUS_GRAPHICS_ALLOCATION_BUSY : STATUS_SUCCESS);
        if (status == STATUS_SUCCESS)
            continue;
        assert_int_equal(used, 0);
        args.Transfer.Flags.AllocationIsIdle = 1;
        assert_int_equal(rig_build(&rig, &args, RIG_PAGE, &used), STATUS_SUCCESS);
    }
    rig.os->pages_free(rig.os->ctx, mdl);
    rig_free(&rig, allocation);
    rig_close(&rig);
}

/* ---- Ordered faults -------------------------------------------------------------------------- */

/* Bytes of [address, address + bytes) that are not `value`. */
static uint64_t differing(struct rig *rig, uint64_t address, uint64_t bytes, uint8_t value) {
    const unsigned char *at = vidmm_host_peek(rig->host, address, bytes);
    uint64_t count = 0;
    for (uint64_t i = 0; i < bytes; i++)
        count += at[i] != value;
    return count;
}

static void ordered_fault_hits_the_right_copy_or_fill(void **state) {
    static const struct {
        uint64_t kind;
        uint64_t wrong[3]; /* bytes, of three copies of a page of ones over zeros */
    } table[] = {{0, {0, 0, 0}}, {1, {0, 1, 0}}, {2, {1, 1, 1}}, {6, {0, RIG_PAGE, 0}}};
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct vidmm_host_setting settings[] = {{"FaultKind", table[i].kind}, {"FaultAt", 2}};
        struct rig_segment vram;
        struct rig rig;
        rig_open(&rig, settings, 2);
        uint32_t id = rig_find(&rig, 1, 0, &vram);
        DXGKARG_BUILDPAGINGBUFFER args = rig_fill(id, vram.base + RIG_PAGE, 8 * RIG_PAGE, 0);
        assert_int_equal(rig_page(&rig, &args, RIG_PAGE), 0);
        args = rig_fill(id, vram.base, RIG_PAGE, 0x01010101);
        assert_int_equal(rig_page(&rig, &args, RIG_PAGE), 0);
        for (uint32_t copy = 0; copy < 3; copy++) {
            uint64_t to = vram.base + (1 + copy) * RIG_PAGE;
            args = rig_move(NULL, id, to, id, vram.base, RIG_PAGE);
            assert_int_equal(rig_page(&rig, &args, RIG_PAGE), 0);
            assert_int_equal(differing(&rig, to, RIG_PAGE, 1), table[i].wrong[copy]);
        }
        rig_close(&rig);
    }
}

static void ordered_fault_hits_the_right_mapping(void **state) {
    for (uint64_t kind = 3; kind <= 7; kind += 4) {
        const struct vidmm_host_setting settings[] = {{"FaultKind", kind}, {"FaultAt", 1}};
        struct rig_segment aperture;
        struct rig rig;
        (void)state;
        rig_open(&rig, settings, 2);
        uint32_t id = rig_find(&rig, 1, 1, &aperture);
        uint64_t dummy = rig.os->dummy_page(rig.os->ctx);
        PMDL mdl = rig.os->pages_alloc(rig.os->ctx, 4, 0, UINT64_MAX);
        DXGKARG_BUILDPAGINGBUFFER args = rig_map(id, 0, 4, mdl, 0);
        assert_int_equal(rig_page(&rig, &args, RIG_PAGE), 0);
        for (size_t p = 0; p < 4; p++)
            assert_int_equal(vidmm_host_peek(rig.host, aperture.base + p * RIG_PAGE, 1) ==
                                 (void *)rig_mdl_page(&rig, mdl, p),
                             kind != 3 || p != 0);
        args = rig_unmap(id, 0, 4, dummy);
        assert_int_equal(rig_page(&rig, &args, RIG_PAGE), 0);
        for (size_t p = 0; p < 4; p++)
            assert_int_equal(vidmm_host_peek(rig.host, aperture.base + p * RIG_PAGE, 1) ==
                                 vidmm_host_memory(rig.host, dummy, 1),
                             kind != 7 || p != 0);
        rig.os->pages_free(rig.os->ctx, mdl);
        rig_close(&rig);
    }
}

/* ---- Debugging ------------------------------------------------------------------------------- */

static void debug_info_fits_every_buffer(void **state) {
    unsigned char bytes[256];
    DXGKARG_COLLECTDBGINFO_EXT extension;
    struct rig rig;
    (void)state;
    rig_open(&rig, NULL, 0);
    for (SIZE_T size = 0; size < 128; size++) {
        DXGKARG_COLLECTDBGINFO args = {
            .pBuffer = bytes, .BufferSize = size, .pExtension = &extension};
        memset(bytes, 0x5a, sizeof(bytes));
        assert_int_equal(rig.ddi->DxgkDdiCollectDbgInfo(rig.adapter, &args), 0);
        for (SIZE_T i = size; i < sizeof(bytes); i++)
            assert_int_equal(bytes[i], 0x5a);
    }
    rig_close(&rig);
}

static void private_data_is_used_while_it_lasts(void **state) {
    static const struct vidmm_host_setting settings[] = {{"PagingPrivateBytes", 20}};
    struct rig_segment vram;
    unsigned char private_data[24];
    struct rig rig;
    uint32_t used, left = 20;
    (void)state;
    rig_open(&rig, settings, 1);
    uint32_t id = rig_find(&rig, 1, 0, &vram);
    memset(private_data, 0x77, sizeof(private_data));
    unsigned char *at = private_data;
    for (int i = 0; i < 4; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = rig_fill(id, vram.base, RIG_PAGE, 0);
        args.pDmaBufferPrivateData = at;
        args.DmaBufferPrivateDataSize = left;
        assert_int_equal(rig_build(&rig, &args, RIG_PAGE, &used), 0);
        at = args.pDmaBufferPrivateData;
        left = args.DmaBufferPrivateDataSize;
        assert_int_equal(at - private_data, i == 0 ? 8 : 16);
        assert_int_equal(left, 20 - (at - private_data));
    }
    for (int i = 16; i < 24; i++)
        assert_int_equal(private_data[i], 0x77);
    rig_close(&rig);
}

static _Atomic bool being_served;

/* Long enough for the device to stop meanwhile, if it does. */
static void serve_slowly(void) {
    const struct timespec nap = {.tv_nsec = 50000000};
    atomic_store(&being_served, true);
    nanosleep(&nap, NULL);
}

static void set_power(struct rig *rig, DEVICE_POWER_STATE state) {
    assert_int_equal(
        rig->ddi->DxgkDdiSetPowerState(rig->adapter, UINT32_MAX, state, PowerActionNone),
        STATUS_SUCCESS);
}

/* Interrupts come as they are enabled: on this thread, those of both engines as one. */
static void *wake_up(void *rig) {
    set_power(rig, PowerDeviceD0);
    return NULL;
}

static void the_device_stops_after_the_interrupt_that_is_being_served(void **state) {
    struct vidmm_host_error error;
    struct rig rig;
    pthread_t thread;
    (void)state;
    rig_open(&rig, NULL, 0);
    set_power(&rig, PowerDeviceD3);
    for (uint32_t node = 0; node < 2; node++)
        submit(&rig, node, 0, false);
    vidmm_host_run(rig.host);
    rig.serving = serve_slowly;
    assert_int_equal(pthread_create(&thread, NULL, wake_up, &rig), 0);
    while (!atomic_load(&being_served))
        sched_yield();
    assert_true(vidmm_host_stop(rig.host, &error));
    assert_int_equal(pthread_join(thread, NULL), 0);
    rig_close(&rig); /* it had its registers until then */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences_complete_in_order_on_each_node),
        cmocka_unit_test(a_preempted_queue_is_dropped_and_reported),
        cmocka_unit_test(a_hang_lasts_until_reset),
        cmocka_unit_test(an_engine_is_reset_alone),
        cmocka_unit_test(an_idle_engine_was_at_its_last_fence),
        cmocka_unit_test(each_engine_answers_for_itself),
        cmocka_unit_test(bad_bytes_in_a_dma_buffer_are_a_fault_and_the_next_one_runs),
        cmocka_unit_test(busy_is_answered_once_and_only_for_allocations_in_use),
        cmocka_unit_test(ordered_fault_hits_the_right_copy_or_fill),
        cmocka_unit_test(ordered_fault_hits_the_right_mapping),
        cmocka_unit_test(debug_info_fits_every_buffer),
        cmocka_unit_test(private_data_is_used_while_it_lasts),
        cmocka_unit_test(the_device_stops_after_the_interrupt_that_is_being_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
