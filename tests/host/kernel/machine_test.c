/* machine_test.c - IRQL, interrupts, registers, time, waiting and threads. */
#include "fixture/tiny.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define REGISTER(offset) ((volatile ULONG *)(tiny.registers + (offset)))

static void interrupts_reach_the_sink_in_order(void **state) {
    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        struct tiny_completions done;
        config.threads = threads != 0;
        struct vidmm_host *host = tiny_up(&config);
        tiny_listen(host, &done);
        for (uint32_t fence = 1; fence <= 20; fence++)
            assert_int_equal(tiny_submit(host, fence), STATUS_SUCCESS);
        assert_true(tiny_wait(host, &done, 20));
        for (uint32_t i = 0; i < 20; i++)
            assert_int_equal(done.fences[i], i + 1);
        assert_int_equal(vidmm_host_violations(host), 0);
        assert_true(tiny_down(host, &error));
        assert_int_equal(tiny.submit_irql, DISPATCH_LEVEL);
        assert_int_equal(tiny.dpc_irql, DISPATCH_LEVEL);
        assert_in_range(tiny.isr_irql, DISPATCH_LEVEL + 1, CLOCK_LEVEL - 1);
        assert_true(tiny.isr_calls > 0 && tiny.dpc_calls > 0);
    }
}

static void waiting_for_nothing_ends_at_the_deadline(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    struct tiny_completions done;
    (void)state;
    tiny_listen(host, &done);
    uint64_t before = os->now(os->ctx);
    assert_false(tiny_wait(host, &done, 1));
    assert_int_equal(os->now(os->ctx) - before, 2000000000u);
    assert_true(tiny_down(host, &error));
}

static void registers_reach_the_model(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    ULONG64 buffer[1] = {0x1122334455667788u}, back[1] = {0};
    (void)state;
    WRITE_REGISTER_BUFFER_ULONG64((volatile ULONG64 *)(tiny.registers + TINY_WIDE), buffer, 1);
    READ_REGISTER_BUFFER_ULONG64((volatile ULONG64 *)(tiny.registers + TINY_WIDE), back, 1);
    assert_int_equal(back[0], buffer[0]);
    assert_int_equal(READ_REGISTER_USHORT((volatile USHORT *)(tiny.registers + TINY_WIDE)), 0x7788);
    assert_int_equal(READ_REGISTER_UCHAR(tiny.registers + TINY_WIDE), 0x88);
    WRITE_REGISTER_ULONG((volatile ULONG *)((uint8_t *)tiny.memory + 8), 0xabcd);
    assert_int_equal(((uint32_t *)tiny.memory)[2], 0xabcd);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

/* By each width, alone and in rows; the tiny hardware remembers 64 bits. */
static void registers_of_every_width_reach_the_model(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    volatile uint8_t *wide = tiny.registers + TINY_WIDE;
    UCHAR bytes[2] = {0x12, 0}, byte = 0;
    USHORT words[1] = {0x3456}, word = 0;
    ULONG longs[1] = {0x789abcde}, number = 0;
    (void)state;
    WRITE_REGISTER_ULONG64((volatile ULONG64 *)wide, 0x0102030405060708u);
    assert_int_equal(READ_REGISTER_ULONG64((volatile ULONG64 *)wide), 0x0102030405060708u);
    assert_int_equal(READ_REGISTER_NOFENCE_ULONG((volatile ULONG *)wide), 0x05060708);
    WRITE_REGISTER_UCHAR(wide, 0x55);
    assert_int_equal(READ_REGISTER_UCHAR(wide), 0x55);
    WRITE_REGISTER_USHORT((volatile USHORT *)wide, 0x6677);
    assert_int_equal(READ_REGISTER_USHORT((volatile USHORT *)wide), 0x6677);
    WRITE_REGISTER_NOFENCE_ULONG((volatile ULONG *)wide, 0x8899aabb);
    assert_int_equal(READ_REGISTER_ULONG((volatile ULONG *)wide), 0x8899aabb);
    WRITE_REGISTER_BUFFER_UCHAR(wide, bytes, 1);
    READ_REGISTER_BUFFER_UCHAR(wide, &byte, 1);
    assert_int_equal(byte, 0x12);
    WRITE_REGISTER_BUFFER_USHORT((volatile USHORT *)wide, words, 1);
    READ_REGISTER_BUFFER_USHORT((volatile USHORT *)wide, &word, 1);
    assert_int_equal(word, 0x3456);
    WRITE_REGISTER_BUFFER_ULONG((volatile ULONG *)wide, longs, 1);
    READ_REGISTER_BUFFER_ULONG((volatile ULONG *)wide, &number, 1);
    assert_int_equal(number, 0x789abcde);
    READ_REGISTER_NOFENCE_BUFFER_ULONG((volatile ULONG *)wide, &number, 0);
    assert_int_equal(number, 0x789abcde); /* of none nothing is read */
    assert_int_equal(vidmm_host_violations(host), 0);
    PHYSICAL_ADDRESS nowhere = {.QuadPart = 1ll << 60};
    assert_null(MmMapIoSpace(nowhere, 4096, MmNonCached));
    assert_true(tiny_violated(host, "neither in a BAR nor memory"));
    PHYSICAL_ADDRESS bar = MmGetPhysicalAddress((PVOID)(uintptr_t)tiny.registers);
    PVOID again = MmMapIoSpace(bar, 64, MmNonCached);
    assert_ptr_equal(again, tiny.registers);
    MmUnmapIoSpace(again, 64);
    assert_true(tiny_down(host, &error));
}

static void a_register_access_elsewhere_is_a_violation(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    ULONG nowhere = 5;
    (void)state;
    assert_int_equal(READ_REGISTER_ULONG(&nowhere), 0xffffffffu);
    assert_true(tiny_violated(host, "READ_REGISTER of 4 bytes outside of every mapped BAR"));
    WRITE_REGISTER_ULONG(&nowhere, 6);
    assert_int_equal(nowhere, 5);
    WRITE_REGISTER_ULONG(REGISTER(4096), 6);
    assert_true(tiny_violated(host, "WRITE_REGISTER of 4 bytes outside of every mapped BAR"));
    (void)READ_REGISTER_USHORT((volatile USHORT *)(tiny.registers + 1));
    assert_true(tiny_violated(host, "is not aligned"));
    assert_true(tiny_down(host, &error));
}

static void polling_makes_the_hardware_run(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    WRITE_REGISTER_ULONG(REGISTER(TINY_DOORBELL), 3);
    for (int i = 0; i < 1000 && READ_REGISTER_ULONG(REGISTER(TINY_FENCE)) != 3; i++)
        ;
    assert_int_equal(READ_REGISTER_ULONG(REGISTER(TINY_FENCE)), 3);
    WRITE_REGISTER_ULONG(REGISTER(TINY_DOORBELL), 9);
    KeStallExecutionProcessor(50);
    assert_int_equal(READ_REGISTER_ULONG(REGISTER(TINY_FENCE)), 9);
    WRITE_REGISTER_ULONG(REGISTER(TINY_DOORBELL), 11);
    vidmm_host_run(host);
    assert_int_equal(READ_REGISTER_ULONG(REGISTER(TINY_FENCE)), 11);
    assert_true(tiny_down(host, &error));
}

struct order {
    KDPC dpc;
    KIRQL irql;
    int ran;
};

static VOID NTAPI note_dpc(struct _KDPC *dpc, PVOID context, PVOID one, PVOID two) {
    struct order *order = context;
    (void)dpc;
    (void)two;
    order->irql = KeGetCurrentIrql();
    order->ran += !!one;
}

/* What the hardware has done before and after a register is written, as an interrupt routine sees it. */
static BOOLEAN NTAPI look_twice(PVOID context) {
    ULONG *done = context;
    WRITE_REGISTER_ULONG(REGISTER(TINY_DOORBELL), 3);
    done[0] = READ_REGISTER_ULONG(REGISTER(TINY_FENCE));
    WRITE_REGISTER_ULONG(REGISTER(TINY_WIDE), 1);
    done[1] = READ_REGISTER_ULONG(REGISTER(TINY_FENCE));
    return TRUE;
}

static void hardware_may_work_on_while_an_interrupt_is_served(void **state) {
    (void)state;
    for (ULONG overlapping = 0; overlapping < 2; overlapping++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        ULONG done[2];
        BOOLEAN result;
        config.overlapping = overlapping != 0;
        struct vidmm_host *host = tiny_up(&config);
        tiny.dxgkrnl.DxgkCbSynchronizeExecution(tiny.dxgkrnl.DeviceHandle, look_twice, done, 0,
                                                &result);
        assert_int_equal(done[1] - done[0], overlapping);
        vidmm_host_run(host);
        assert_true(tiny_down(host, &error));
    }
}

static void a_dpc_waits_for_the_irql(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    struct order order = {.ran = 0};
    KSPIN_LOCK lock;
    KIRQL old;
    (void)state;
    KeInitializeSpinLock(&lock);
    KeInitializeDpc(&order.dpc, note_dpc, &order);
    KeAcquireSpinLock(&lock, &old);
    assert_true(KeInsertQueueDpc(&order.dpc, &order, NULL));
    assert_false(KeInsertQueueDpc(&order.dpc, &order, NULL));
    assert_int_equal(order.ran, 0);
    KeReleaseSpinLock(&lock, old);
    assert_int_equal(order.ran, 1);
    assert_int_equal(order.irql, DISPATCH_LEVEL);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&order.dpc, &order, NULL);
    assert_true(KeRemoveQueueDpc(&order.dpc));
    KeLowerIrql(old);
    assert_int_equal(order.ran, 1);
    assert_true(tiny_down(host, &error));
}

static void irql_mistakes_are_reported(void **state) {
    static const struct {
        size_t flag;
        const char *text;
    } cases[] = {
        {offsetof(struct tiny, raise_and_forget), "DxgkDdiSubmitCommand was called at IRQL 2 and "
                                                  "returned at IRQL 15"},
        {offsetof(struct tiny, paged_at_dispatch), "paged pool was called at IRQL 2"},
        {offsetof(struct tiny, spin_twice), "by the thread that holds it already"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        *((bool *)&tiny + cases[i].flag) = true;
        struct vidmm_host *host = tiny_up(&config);
        tiny_submit(host, 1);
        assert_true(tiny_violated(host, cases[i].text));
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
        assert_true(tiny_down(host, &error));
    }
}

static void events_and_timers_follow_virtual_time(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    LARGE_INTEGER millisecond = {.QuadPart = -10000}, now = {.QuadPart = 0};
    KEVENT manual, automatic;
    KTIMER timer;
    (void)state;
    KeInitializeEvent(&manual, NotificationEvent, TRUE);
    KeInitializeEvent(&automatic, SynchronizationEvent, TRUE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(KeWaitForSingleObject(&manual, Executive, KernelMode, FALSE, &now),
                         STATUS_SUCCESS);
    assert_int_equal(KeWaitForSingleObject(&automatic, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(KeWaitForSingleObject(&automatic, Executive, KernelMode, FALSE, &millisecond),
                     STATUS_TIMEOUT);
    ULONGLONG before = KeQueryInterruptTime();
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, millisecond, NULL);
    assert_int_equal(KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(KeQueryInterruptTime() - before, 10000);
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
    assert_int_equal(KeQueryInterruptTime() - before, 20000);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static VOID NTAPI count_dpc(struct _KDPC *dpc, PVOID context, PVOID one, PVOID two) {
    _Atomic int *count = context;
    (void)dpc, (void)one, (void)two;
    ++*count;
}

/* As a driver does it that frees both next: the timer has fired, perhaps a moment ago. */
static void flushing_waits_for_the_dpc_of_a_timer_that_is_cancelled_too_late(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    const LARGE_INTEGER at_once = {.QuadPart = -1};
    _Atomic int count = 0;
    KTIMER timer;
    KDPC dpc;
    (void)state;
    config.threads = true;
    struct vidmm_host *host = tiny_up(&config);
    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, count_dpc, &count);
    for (int i = 1; i <= 300; i++) {
        KeSetTimer(&timer, at_once, &dpc);
        KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, NULL);
        assert_false(KeCancelTimer(&timer));
        KeFlushQueuedDpcs();
        assert_int_equal(count, i);
    }
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

struct ping {
    KEVENT go, done;
    KMUTEX mutex;
    int count;
};

static VOID NTAPI ping_thread(PVOID context) {
    struct ping *ping = context;
    for (int i = 0; i < 50; i++) {
        KeWaitForSingleObject(&ping->go, Executive, KernelMode, FALSE, NULL);
        KeWaitForMutexObject(&ping->mutex, Executive, KernelMode, FALSE, NULL);
        ping->count++;
        KeReleaseMutex(&ping->mutex, FALSE);
        KeSetEvent(&ping->done, 0, FALSE);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void system_threads_run_and_are_waited_for(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    struct ping ping = {.count = 0};
    HANDLE handle;
    PVOID thread;
    (void)state;
    KeInitializeEvent(&ping.go, SynchronizationEvent, FALSE);
    KeInitializeEvent(&ping.done, SynchronizationEvent, FALSE);
    KeInitializeMutex(&ping.mutex, 0);
    assert_int_equal(
        PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, ping_thread, &ping),
        STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByHandle(handle, 0, NULL, KernelMode, &thread, NULL),
                     STATUS_SUCCESS);
    ZwClose(handle);
    for (int i = 0; i < 50; i++) {
        KeSetEvent(&ping.go, 0, FALSE);
        assert_int_equal(KeWaitForSingleObject(&ping.done, Executive, KernelMode, FALSE, NULL),
                         STATUS_SUCCESS);
    }
    assert_int_equal(KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    ObDereferenceObject(thread);
    assert_int_equal(ping.count, 50);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static void printing_has_the_windows_formats(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    char *text = NULL;
    size_t size = 0;
    WCHAR wide[] = u"wide";
    UNICODE_STRING counted = {.Length = 4, .MaximumLength = 8, .Buffer = wide};
    (void)state;
    config.log = open_memstream(&text, &size);
    struct vidmm_host *host = tiny_up(&config);
    DbgPrint("%d %5u|%-4x|%08lX %I64x %llu %s %.2s %ws %S %wZ %c %p %% %hd\n", -1, 2u, 255u, 0xabcu,
             (uint64_t)0x123456789abc, (uint64_t)1 << 40, "text", "text", wide, wide, &counted, 'c',
             (void *)(uintptr_t)0x10, 0x18000);
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "%*d %.3f", 4, 7, 0.5);
    assert_true(tiny_down(host, &error));
    fclose(config.log);
    assert_string_equal(text, "-1     2|ff  |00000ABC 123456789abc 1099511627776 text te wide wide "
                              "wi c 0000000000000010 % -32768\n   7 0.500");
    free(text);
}

/* ---- Many threads ---------------------------------------------------------------------------- */

struct worker {
    struct vidmm_host *host;
    KSPIN_LOCK *lock;
    uint64_t *sum;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    const struct vidmm_os *os = vidmm_host_os(worker->host);
    for (uint32_t i = 0; i < 200; i++) {
        KIRQL old;
        PMDL mdl = os->pages_alloc(os->ctx, 1 + i % 40, 0, UINT64_MAX);
        uint8_t *view = os->pages_map(os->ctx, mdl);
        void *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 1 + i, 1);
        DXGKARG_BUILDPAGINGBUFFER args = {.DmaSize = i};
        view[0] = 1;
        tiny_build(worker->host, &args);
        KeAcquireSpinLock(worker->lock, &old);
        ++*worker->sum;
        KeReleaseSpinLock(worker->lock, old);
        ExFreePool(block);
        os->pages_free(os->ctx, mdl);
    }
    return NULL;
}

static void many_threads_share_a_host(void **state) {
    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        pthread_t thread[4];
        KSPIN_LOCK lock;
        uint64_t sum = 0;
        config.threads = threads != 0;
        config.seed = 5;
        struct vidmm_host *host = tiny_up(&config);
        struct worker worker = {host, &lock, &sum};
        KeInitializeSpinLock(&lock);
        for (int i = 0; i < 4; i++)
            pthread_create(&thread[i], NULL, work, &worker);
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
        assert_int_equal(sum, 800);
        assert_int_equal(vidmm_host_calls(host), 800);
        assert_int_equal(vidmm_host_violations(host), 0);
        assert_true(tiny_down(host, &error));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupts_reach_the_sink_in_order),
        cmocka_unit_test(waiting_for_nothing_ends_at_the_deadline),
        cmocka_unit_test(registers_reach_the_model),
        cmocka_unit_test(registers_of_every_width_reach_the_model),
        cmocka_unit_test(a_register_access_elsewhere_is_a_violation),
        cmocka_unit_test(polling_makes_the_hardware_run),
        cmocka_unit_test(hardware_may_work_on_while_an_interrupt_is_served),
        cmocka_unit_test(a_dpc_waits_for_the_irql),
        cmocka_unit_test(irql_mistakes_are_reported),
        cmocka_unit_test(events_and_timers_follow_virtual_time),
        cmocka_unit_test(flushing_waits_for_the_dpc_of_a_timer_that_is_cancelled_too_late),
        cmocka_unit_test(system_threads_run_and_are_waited_for),
        cmocka_unit_test(printing_has_the_windows_formats),
        cmocka_unit_test(many_threads_share_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
