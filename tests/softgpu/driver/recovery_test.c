/*
 * recovery_test.c - fences, preemption, hangs, resets, and the faults that can be ordered from the
 * hardware: each is one byte or one page, where it was asked for, and nowhere else.
 */
#include "fixture/fixture.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static void submit(struct fixture *fixture, uint32_t node, uint32_t used, bool paging) {
    DXGKARG_SUBMITCOMMAND args = {0};
    args.DmaBufferPhysicalAddress.QuadPart =
        (LONGLONG)(MmGetMdlPfnArray(fixture->buffer)[0] * FIXTURE_PAGE);
    args.DmaBufferSize = FIXTURE_BUFFER;
    args.DmaBufferSubmissionEndOffset = used;
    args.SubmissionFenceId = ++fixture->fence;
    args.NodeOrdinal = node;
    args.Flags.Paging = paging;
    assert_int_equal(fixture->ddi->DxgkDdiSubmitCommand(fixture->adapter, &args), 0);
}

static uint32_t current_fence(struct fixture *fixture, uint32_t node) {
    DXGKARG_QUERYCURRENTFENCE args = {.NodeOrdinal = node};
    assert_int_equal(fixture->ddi->DxgkDdiQueryCurrentFence(fixture->adapter, &args), 0);
    return args.CurrentFence;
}

static void fences_complete_in_order_on_each_node(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    for (int i = 0; i < 10; i++)
        submit(&fixture, i % 2, 0, i % 2 == 1);
    vidmm_host_run(fixture.host);
    assert_int_equal(current_fence(&fixture, 0), 9);
    assert_int_equal(current_fence(&fixture, 1), 10);
    fixture_close(&fixture);
}

static void a_preempted_queue_is_dropped_and_reported(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    submit(&fixture, 0, 0, false);
    vidmm_host_run(fixture.host);
    submit(&fixture, 0, 0, false);
    submit(&fixture, 0, 0, false);
    DXGKARG_PREEMPTCOMMAND args = {.PreemptionFenceId = 500};
    assert_int_equal(fixture.ddi->DxgkDdiPreemptCommand(fixture.adapter, &args), 0);
    vidmm_host_run(fixture.host);
    assert_int_equal(fixture.preempted, 500);
    assert_int_equal(fixture.preempted_last, 1);
    assert_int_equal(current_fence(&fixture, 0), 1);
    fixture_close(&fixture);
}

static void a_hang_lasts_until_reset(void **state) {
    for (uint32_t paging = 0; paging < 2; paging++) {
        const struct vidmm_host_setting settings[] = {{paging ? "HangPagingAt" : "HangAt", 2}};
        struct fixture fixture;
        (void)state;
        fixture_open(&fixture, settings, 1);
        for (int i = 0; i < 3; i++)
            submit(&fixture, paging, 0, paging);
        vidmm_host_run(fixture.host);
        assert_int_equal(current_fence(&fixture, paging), 1);
        submit(&fixture, 1 - paging, 0, !paging); /* the other node lives */
        vidmm_host_run(fixture.host);
        assert_int_equal(current_fence(&fixture, 1 - paging), 4);
        assert_int_equal(fixture.ddi->DxgkDdiResetFromTimeout(fixture.adapter), 0);
        assert_int_equal(fixture.ddi->DxgkDdiRestartFromTimeout(fixture.adapter), 0);
        submit(&fixture, paging, 0, paging);
        vidmm_host_run(fixture.host);
        assert_int_equal(current_fence(&fixture, paging), 5);
        assert_int_equal(fixture.completed, 5);
        fixture_close(&fixture);
    }
}

static uint32_t reset_engine(struct fixture *fixture, uint32_t node) {
    DXGKARG_RESETENGINE args = {.NodeOrdinal = node};
    assert_int_equal(fixture->ddi->DxgkDdiResetEngine(fixture->adapter, &args), STATUS_SUCCESS);
    return args.LastAbortedFenceId;
}

/* The other engine, and what is in VRAM, do not notice. */
static void an_engine_is_reset_alone(void **state) {
    for (uint32_t paging = 0; paging < 2; paging++) {
        const struct vidmm_host_setting settings[] = {{paging ? "HangPagingAt" : "HangAt", 2}};
        struct fixture_segment vram;
        struct fixture fixture;
        (void)state;
        fixture_open(&fixture, settings, 1);
        uint32_t id = fixture_find(&fixture, 1, 0, &vram);
        if (!paging) { /* a fill is paging work */
            DXGKARG_BUILDPAGINGBUFFER fill = fixture_fill(id, vram.base, FIXTURE_PAGE, 0x05050505);
            assert_int_equal(fixture_page(&fixture, &fill, FIXTURE_PAGE), 0);
        }
        uint32_t first = fixture.fence + 1;
        for (int i = 0; i < 3; i++)
            submit(&fixture, paging, 0, paging);
        submit(&fixture, 1 - paging, 0, !paging);
        vidmm_host_run(fixture.host);
        assert_int_equal(current_fence(&fixture, 1 - paging), first + 3);
        assert_int_equal(reset_engine(&fixture, paging), first + 1); /* the one that hung */
        assert_int_equal(current_fence(&fixture, paging), first + 1);
        vidmm_host_run(fixture.host);
        assert_int_equal(current_fence(&fixture, paging), first + 1); /* nothing was left queued */
        submit(&fixture, paging, 0, paging);
        submit(&fixture, 1 - paging, 0, !paging);
        vidmm_host_run(fixture.host);
        assert_int_equal(current_fence(&fixture, paging), first + 4);
        assert_int_equal(current_fence(&fixture, 1 - paging), first + 5);
        const unsigned char *bytes = vidmm_host_peek(fixture.host, 0, vram.base, FIXTURE_PAGE);
        assert_int_equal(bytes[0], paging ? 0 : 5);
        fixture_close(&fixture);
    }
}

static void an_idle_engine_was_at_its_last_fence(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    assert_int_equal(reset_engine(&fixture, 0), 0);
    for (int i = 0; i < 3; i++)
        submit(&fixture, 0, 0, false);
    vidmm_host_run(fixture.host);
    assert_int_equal(reset_engine(&fixture, 0), 3);
    submit(&fixture, 0, 0, false); /* not begun, so not aborted */
    assert_int_equal(reset_engine(&fixture, 0), 3);
    submit(&fixture, 0, 0, false);
    assert_int_equal(fixture.ddi->DxgkDdiResetFromTimeout(fixture.adapter), 0);
    assert_int_equal(fixture.ddi->DxgkDdiRestartFromTimeout(fixture.adapter), 0);
    assert_int_equal(reset_engine(&fixture, 0), 5); /* a reset of the adapter is done with all */
    assert_int_equal(current_fence(&fixture, 0), 5);
    fixture_close(&fixture);
}

static void each_engine_answers_for_itself(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    for (uint32_t node = 0; node < 3; node++) {
        DXGKARG_QUERYDEPENDENTENGINEGROUP group = {.NodeOrdinal = node};
        DXGKARG_QUERYENGINESTATUS status = {.NodeOrdinal = node};
        DXGKARG_RESETENGINE reset = {.NodeOrdinal = node};
        NTSTATUS expected = node < 2 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
        assert_int_equal(fixture.ddi->DxgkDdiQueryDependentEngineGroup(fixture.adapter, &group),
                         expected);
        assert_int_equal(fixture.ddi->DxgkDdiQueryEngineStatus(fixture.adapter, &status), expected);
        assert_int_equal(fixture.ddi->DxgkDdiResetEngine(fixture.adapter, &reset), expected);
        assert_int_equal(group.DependentNodeOrdinalMask, node < 2 ? 1u << node : 0);
        assert_int_equal(status.EngineStatus.Responsive, node < 2);
    }
    submit(&fixture, 0, 0, false);
    DXGKARG_QUERYENGINESTATUS busy = {.NodeOrdinal = 0};
    assert_int_equal(fixture.ddi->DxgkDdiQueryEngineStatus(fixture.adapter, &busy), 0);
    assert_int_equal(busy.EngineStatus.Responsive, 0);
    vidmm_host_run(fixture.host);
    fixture_close(&fixture);
}

static void bad_bytes_in_a_dma_buffer_are_a_fault_and_the_next_one_runs(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    memset(fixture.buffer_cpu, 0xff, 64);
    submit(&fixture, 0, 64, false);
    submit(&fixture, 0, 0, false);
    vidmm_host_run(fixture.host);
    assert_int_equal(fixture.faulted, 1);
    assert_int_equal(fixture.completed, 2);
    fixture_close(&fixture);
}

static void busy_is_answered_once_and_only_for_allocations_in_use(void **state) {
    static const struct vidmm_host_setting settings[] = {{"BusyEvery", 2}};
    struct vidmm_umd_allocation umd = {
        .magic = VIDMM_UMD_MAGIC, .flags = VIDMM_UMD_LOCAL, .size = FIXTURE_PAGE};
    DXGK_ALLOCATIONINFO info;
    struct fixture_segment vram;
    struct fixture fixture;
    uint32_t used;
    (void)state;
    fixture_open(&fixture, settings, 1);
    HANDLE allocation = fixture_allocate(&fixture, &umd, &info, NULL);
    uint32_t id = fixture_find(&fixture, 1, 0, &vram);
    PMDL mdl = fixture.os->pages_alloc(fixture.os->ctx, 1, 0, UINT64_MAX);
    for (uint32_t i = 0; i < 6; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = fixture_in(allocation, id, vram.base, FIXTURE_PAGE, mdl);
        NTSTATUS status = fixture_build(&fixture, &args, FIXTURE_PAGE, &used);
        assert_int_equal(status, i % 2 == 1 ? STATUS_GRAPHICS_ALLOCATION_BUSY : STATUS_SUCCESS);
        if (status == STATUS_SUCCESS)
            continue;
        assert_int_equal(used, 0);
        args.Transfer.Flags.AllocationIsIdle = 1;
        assert_int_equal(fixture_build(&fixture, &args, FIXTURE_PAGE, &used), STATUS_SUCCESS);
    }
    fixture.os->pages_free(fixture.os->ctx, mdl);
    fixture_free(&fixture, allocation);
    fixture_close(&fixture);
}

/* ---- Ordered faults -------------------------------------------------------------------------- */

/* Bytes of [address, address + bytes) that are not `value`. */
static uint64_t differing(struct fixture *fixture, uint64_t address, uint64_t bytes,
                          uint8_t value) {
    const unsigned char *at = vidmm_host_peek(fixture->host, 0, address, bytes);
    uint64_t count = 0;
    for (uint64_t i = 0; i < bytes; i++)
        count += at[i] != value;
    return count;
}

static void ordered_fault_hits_the_right_copy_or_fill(void **state) {
    static const struct {
        uint64_t kind;
        uint64_t wrong[3]; /* bytes, of three copies of a page of ones over zeros */
    } table[] = {{0, {0, 0, 0}}, {1, {0, 1, 0}}, {2, {1, 1, 1}}, {6, {0, FIXTURE_PAGE, 0}}};
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct vidmm_host_setting settings[] = {{"FaultKind", table[i].kind}, {"FaultAt", 2}};
        struct fixture_segment vram;
        struct fixture fixture;
        fixture_open(&fixture, settings, 2);
        uint32_t id = fixture_find(&fixture, 1, 0, &vram);
        DXGKARG_BUILDPAGINGBUFFER args =
            fixture_fill(id, vram.base + FIXTURE_PAGE, 8 * FIXTURE_PAGE, 0);
        assert_int_equal(fixture_page(&fixture, &args, FIXTURE_PAGE), 0);
        args = fixture_fill(id, vram.base, FIXTURE_PAGE, 0x01010101);
        assert_int_equal(fixture_page(&fixture, &args, FIXTURE_PAGE), 0);
        for (uint32_t copy = 0; copy < 3; copy++) {
            uint64_t to = vram.base + (1 + copy) * FIXTURE_PAGE;
            args = fixture_move(NULL, id, to, id, vram.base, FIXTURE_PAGE);
            assert_int_equal(fixture_page(&fixture, &args, FIXTURE_PAGE), 0);
            assert_int_equal(differing(&fixture, to, FIXTURE_PAGE, 1), table[i].wrong[copy]);
        }
        fixture_close(&fixture);
    }
}

static void ordered_fault_hits_the_right_mapping(void **state) {
    for (uint64_t kind = 3; kind <= 7; kind += 4) {
        const struct vidmm_host_setting settings[] = {{"FaultKind", kind}, {"FaultAt", 1}};
        struct fixture_segment aperture;
        struct fixture fixture;
        (void)state;
        fixture_open(&fixture, settings, 2);
        uint32_t id = fixture_find(&fixture, 1, 1, &aperture);
        uint64_t dummy = fixture.os->dummy_page(fixture.os->ctx);
        PMDL mdl = fixture.os->pages_alloc(fixture.os->ctx, 4, 0, UINT64_MAX);
        DXGKARG_BUILDPAGINGBUFFER args = fixture_map(id, 0, 4, mdl, 0);
        assert_int_equal(fixture_page(&fixture, &args, FIXTURE_PAGE), 0);
        for (size_t p = 0; p < 4; p++)
            assert_int_equal(vidmm_host_peek(fixture.host, 0, aperture.base + p * FIXTURE_PAGE,
                                             1) == (void *)fixture_mdl_page(&fixture, mdl, p),
                             kind != 3 || p != 0);
        args = fixture_unmap(id, 0, 4, dummy);
        assert_int_equal(fixture_page(&fixture, &args, FIXTURE_PAGE), 0);
        for (size_t p = 0; p < 4; p++)
            assert_int_equal(vidmm_host_peek(fixture.host, 0, aperture.base + p * FIXTURE_PAGE,
                                             1) == vidmm_host_memory(fixture.host, dummy, 1),
                             kind != 7 || p != 0);
        fixture.os->pages_free(fixture.os->ctx, mdl);
        fixture_close(&fixture);
    }
}

/* ---- Debugging ------------------------------------------------------------------------------- */

static void debug_info_fits_every_buffer(void **state) {
    unsigned char bytes[256];
    DXGKARG_COLLECTDBGINFO_EXT extension;
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    for (SIZE_T size = 0; size < 128; size++) {
        DXGKARG_COLLECTDBGINFO args = {
            .pBuffer = bytes, .BufferSize = size, .pExtension = &extension};
        memset(bytes, 0x5a, sizeof(bytes));
        assert_int_equal(fixture.ddi->DxgkDdiCollectDbgInfo(fixture.adapter, &args), 0);
        for (SIZE_T i = size; i < sizeof(bytes); i++)
            assert_int_equal(bytes[i], 0x5a);
    }
    fixture_close(&fixture);
}

static void private_data_is_used_while_it_lasts(void **state) {
    static const struct vidmm_host_setting settings[] = {{"PagingPrivateBytes", 20}};
    struct fixture_segment vram;
    unsigned char private_data[24];
    struct fixture fixture;
    uint32_t used, left = 20;
    (void)state;
    fixture_open(&fixture, settings, 1);
    uint32_t id = fixture_find(&fixture, 1, 0, &vram);
    memset(private_data, 0x77, sizeof(private_data));
    unsigned char *at = private_data;
    for (int i = 0; i < 4; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = fixture_fill(id, vram.base, FIXTURE_PAGE, 0);
        args.pDmaBufferPrivateData = at;
        args.DmaBufferPrivateDataSize = left;
        assert_int_equal(fixture_build(&fixture, &args, FIXTURE_PAGE, &used), 0);
        at = args.pDmaBufferPrivateData;
        left = args.DmaBufferPrivateDataSize;
        assert_int_equal(at - private_data, i == 0 ? 8 : 16);
        assert_int_equal(left, 20 - (at - private_data));
    }
    for (int i = 16; i < 24; i++)
        assert_int_equal(private_data[i], 0x77);
    fixture_close(&fixture);
}

static _Atomic bool being_served;

/* Long enough for the device to stop meanwhile, if it does. */
static void serve_slowly(void) {
    const struct timespec nap = {.tv_nsec = 50000000};
    atomic_store(&being_served, true);
    nanosleep(&nap, NULL);
}

static void set_power(struct fixture *fixture, DEVICE_POWER_STATE state) {
    assert_int_equal(
        fixture->ddi->DxgkDdiSetPowerState(fixture->adapter, UINT32_MAX, state, PowerActionNone),
        STATUS_SUCCESS);
}

/* Interrupts come as they are enabled: on this thread, those of both engines as one. */
static void *wake_up(void *fixture) {
    set_power(fixture, PowerDeviceD0);
    return NULL;
}

static void the_device_stops_after_the_interrupt_that_is_being_served(void **state) {
    struct vidmm_host_error error;
    struct fixture fixture;
    pthread_t thread;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    set_power(&fixture, PowerDeviceD3);
    for (uint32_t node = 0; node < 2; node++)
        submit(&fixture, node, 0, false);
    vidmm_host_run(fixture.host);
    fixture.serving = serve_slowly;
    assert_int_equal(pthread_create(&thread, NULL, wake_up, &fixture), 0);
    while (!atomic_load(&being_served))
        sched_yield();
    assert_true(vidmm_host_stop(fixture.host, &error));
    assert_int_equal(pthread_join(thread, NULL), 0);
    fixture_close(&fixture); /* it had its registers until then */
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
