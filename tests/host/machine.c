/* machine.c - IRQL, interrupts, registers, time, waiting and the thunks. */
#include "tiny.h"

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

struct news {
    uint32_t fences[64];
    _Atomic uint32_t count;
    struct vidmm_host *host;
};

static void on_completed(void *ctx, uint32_t node, uint32_t fence) {
    struct news *news = ctx;
    (void)node;
    news->fences[atomic_load(&news->count) % 64] = fence;
    atomic_fetch_add(&news->count, 1);
    vidmm_host_os(news->host)->wake(vidmm_host_os(news->host)->ctx);
}

static void listen_to(struct vidmm_host *host, struct news *news) {
    struct vidmm_host_sink sink = {.ctx = news, .completed = on_completed};
    memset(news, 0, sizeof(*news));
    news->host = host;
    vidmm_host_set_sink(host, &sink);
}

/* Waits as the manager does, under a lock, for `count` completions. */
static bool wait_for(struct vidmm_host *host, struct news *news, uint32_t count) {
    const struct vidmm_os *os = vidmm_host_os(host);
    void *lock = os->lock_create(os->ctx);
    uint64_t deadline = os->now(os->ctx) + 2000000000u;
    os->lock(os->ctx, lock);
    while (atomic_load(&news->count) < count && os->wait(os->ctx, lock, deadline))
        ;
    os->unlock(os->ctx, lock);
    os->lock_destroy(os->ctx, lock);
    return atomic_load(&news->count) >= count;
}

static void interrupts_reach_the_sink_in_order(void **state) {
    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        struct news news;
        config.threads = threads != 0;
        struct vidmm_host *host = tiny_up(&config);
        listen_to(host, &news);
        for (uint32_t fence = 1; fence <= 20; fence++)
            assert_int_equal(tiny_submit(host, fence), STATUS_SUCCESS);
        assert_true(wait_for(host, &news, 20));
        for (uint32_t i = 0; i < 20; i++)
            assert_int_equal(news.fences[i], i + 1);
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
    struct news news;
    (void)state;
    listen_to(host, &news);
    uint64_t before = os->now(os->ctx);
    assert_false(wait_for(host, &news, 1));
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

static NTSTATUS build(struct vidmm_host *host, DXGKARG_BUILDPAGINGBUFFER *args) {
    return vidmm_host_ddi(host)->DxgkDdiBuildPagingBuffer(vidmm_host_adapter(host), args);
}

static void mistakes_in_a_paging_call_are_reported(void **state) {
    static const struct {
        size_t flag;
        const char *text;
    } cases[] = {
        {offsetof(struct tiny, wait_for_ever), "waits for ever"},
        {offsetof(struct tiny, notify_at_passive), "DxgkCbNotifyInterrupt was called at IRQL 0"},
        {offsetof(struct tiny, read_nowhere), "outside of every mapped BAR"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        DXGKARG_BUILDPAGINGBUFFER args = {.DmaSize = 4096};
        *((bool *)&tiny + cases[i].flag) = true;
        struct vidmm_host *host = tiny_up(&config);
        build(host, &args);
        assert_int_equal(tiny.paging_irql, PASSIVE_LEVEL);
        assert_true(tiny_violated(host, cases[i].text));
        assert_true(tiny_down(host, &error));
    }
}

/* The hash of one run: `size` goes into an argument, `buffer` is a pointer and must not matter. */
static uint64_t hash_of_run(uint64_t size, void *buffer, uint64_t *calls) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct news news;
    struct vidmm_host *host = tiny_up(&config);
    listen_to(host, &news);
    for (uint32_t fence = 1; fence < 10; fence++) {
        DXGKARG_BUILDPAGINGBUFFER args = {.pDmaBuffer = buffer, .DmaSize = 4096};
        args.Operation = DXGK_OPERATION_TRANSFER;
        args.Transfer.hAllocation = buffer;
        args.Transfer.TransferSize = size;
        args.Transfer.Source.SegmentId = 1;
        args.Transfer.Destination.pMdl = buffer;
        build(host, &args);
        tiny_submit(host, fence);
    }
    assert_true(wait_for(host, &news, 9));
    uint64_t hash = vidmm_host_calls_hash(host);
    *calls = vidmm_host_calls(host);
    assert_true(tiny_down(host, &error));
    return hash;
}

static void equal_runs_have_equal_hashes(void **state) {
    uint64_t calls, a, b;
    (void)state;
    uint64_t hash = hash_of_run(8192, &a, &calls);
    assert_int_equal(calls, 18);
    assert_true(hash_of_run(8192, &b, &calls) == hash);
    assert_true(hash_of_run(12288, &a, &calls) != hash);
}

/* Every `every`-th submission is made aside (0: none), between nine that are not. */
static uint64_t hash_beside(uint32_t every, uint64_t *calls, uint64_t *beside) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct news news;
    struct vidmm_host *host = tiny_up(&config);
    uint32_t fence = 0;
    listen_to(host, &news);
    for (uint32_t i = 1; i < 10; i++) {
        tiny_submit(host, ++fence);
        if (every == 0 || i % every != 0)
            continue;
        vidmm_host_unhashed(host, true);
        tiny_submit(host, ++fence);
        vidmm_host_unhashed(host, false);
    }
    assert_true(wait_for(host, &news, fence));
    uint64_t hash = vidmm_host_calls_hash(host);
    *calls = vidmm_host_calls(host);
    *beside = vidmm_host_unhashed_calls(host);
    assert_int_equal(*beside == 0, vidmm_host_unhashed_hash(host) == 0);
    assert_true(tiny_down(host, &error));
    return hash;
}

static void what_is_done_aside_is_no_part_of_a_run(void **state) {
    uint64_t calls, beside;
    uint64_t hash = hash_beside(0, &calls, &beside);
    (void)state;
    assert_int_equal(beside, 0);
    for (uint32_t every = 1; every < 4; every++) {
        assert_true(hash_beside(every, &calls, &beside) == hash);
        assert_int_equal(calls, 9);
        assert_int_equal(beside, 9 / every);
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

static void settings_are_the_registry(void **state) {
    struct vidmm_host_setting settings[] = {{"Small", 77}, {"Large", (uint64_t)5 << 32}};
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    ULONG small = 0, absent = 0, fallback = 9;
    struct {
        LONG size;
        ULONG rest;
    } large = {-8, 0};
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (PWSTR)u"small", .EntryContext = &small},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (PWSTR)u"Large", .EntryContext = &large},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT,
         .Name = (PWSTR)u"Absent",
         .EntryContext = &absent,
         .DefaultType = REG_DWORD,
         .DefaultData = &fallback,
         .DefaultLength = 4},
        {.Flags = 0},
    };
    RTL_QUERY_REGISTRY_TABLE required[] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_REQUIRED,
         .Name = (PWSTR)u"Absent",
         .EntryContext = &absent},
        {.Flags = 0},
    };
    (void)state;
    config.settings = settings;
    config.setting_count = 2;
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, NULL, table, NULL, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(small, 77);
    assert_int_equal(large.rest, 5);
    assert_int_equal(absent, 9);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, NULL, required, NULL, NULL),
                     STATUS_OBJECT_NAME_NOT_FOUND);
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
                              "wi c 10 % -32768\n   7 0.500");
    free(text);
}

static void no_callback_is_null(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    for (size_t at = offsetof(DXGKRNL_INTERFACE, DxgkCbEvalAcpiMethod);
         at < sizeof(DXGKRNL_INTERFACE); at += sizeof(void *)) {
        void *member;
        memcpy(&member, (char *)&tiny.dxgkrnl + at, sizeof(member));
        assert_non_null(member);
    }
    assert_int_equal(tiny.dxgkrnl.DxgkCbIndicateConnectorChange(tiny.dxgkrnl.DeviceHandle),
                     STATUS_NOT_SUPPORTED);
    uint16_t vendor = 0;
    ULONG bytes = 0;
    tiny.dxgkrnl.DxgkCbReadDeviceSpace(tiny.dxgkrnl.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &vendor,
                                       0, 2, &bytes);
    assert_int_equal(bytes, 2);
    assert_int_not_equal(vendor, 0);
    assert_true(tiny_down(host, &error));
}

static BOOLEAN NTAPI note_irql(PVOID context) {
    *(KIRQL *)context = KeGetCurrentIrql();
    return TRUE;
}

static void synchronized_routines_run_at_device_irql(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    KIRQL irql = 0;
    BOOLEAN answer = FALSE;
    (void)state;
    assert_int_equal(tiny.dxgkrnl.DxgkCbSynchronizeExecution(tiny.dxgkrnl.DeviceHandle, note_irql,
                                                             &irql, 0, &answer),
                     STATUS_SUCCESS);
    assert_true(answer);
    assert_in_range(irql, DISPATCH_LEVEL + 1, CLOCK_LEVEL - 1);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    assert_true(tiny_down(host, &error));
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
        build(worker->host, &args);
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
        cmocka_unit_test(a_register_access_elsewhere_is_a_violation),
        cmocka_unit_test(polling_makes_the_hardware_run),
        cmocka_unit_test(a_dpc_waits_for_the_irql),
        cmocka_unit_test(irql_mistakes_are_reported),
        cmocka_unit_test(mistakes_in_a_paging_call_are_reported),
        cmocka_unit_test(equal_runs_have_equal_hashes),
        cmocka_unit_test(what_is_done_aside_is_no_part_of_a_run),
        cmocka_unit_test(events_and_timers_follow_virtual_time),
        cmocka_unit_test(flushing_waits_for_the_dpc_of_a_timer_that_is_cancelled_too_late),
        cmocka_unit_test(system_threads_run_and_are_waited_for),
        cmocka_unit_test(settings_are_the_registry),
        cmocka_unit_test(printing_has_the_windows_formats),
        cmocka_unit_test(no_callback_is_null),
        cmocka_unit_test(synchronized_routines_run_at_device_irql),
        cmocka_unit_test(many_threads_share_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
