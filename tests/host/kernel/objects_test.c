/*
 * objects_test.c - edges of what threads wait for: pulses, events with a handle, timers that the
 * system allocates, periodic timers that nothing hears, regions without APCs; and what lies in memory that
 * is freed.
 */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static LARGE_INTEGER ms(LONGLONG count) {
    return (LARGE_INTEGER){.QuadPart = -10000 * count};
}

static NTSTATUS poll(PVOID object) {
    LARGE_INTEGER now = {.QuadPart = 0};
    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &now);
}

/* ---- Pulses ------------------------------------------------------------------------------------------ */

static struct {
    KEVENT event;
    uint32_t woken;
} pulsed;

static VOID NTAPI pulse_waiter(PVOID context) {
    (void)context;
    if (KeWaitForSingleObject(&pulsed.event, Executive, KernelMode, FALSE, NULL) == STATUS_SUCCESS)
        pulsed.woken++;
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void a_pulse_wakes_who_waits_and_leaves_nothing(void **state) {
    static const struct {
        EVENT_TYPE type;
        uint32_t woken; /* of two that wait */
    } rows[] = {{NotificationEvent, 2}, {SynchronizationEvent, 1}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        LARGE_INTEGER soon = ms(1);
        HANDLE threads[2];
        pulsed.woken = 0;
        KeInitializeEvent(&pulsed.event, rows[i].type, FALSE);
        for (size_t t = 0; t < 2; t++)
            assert_int_equal(PsCreateSystemThread(&threads[t], THREAD_ALL_ACCESS, NULL, NULL, NULL,
                                                  pulse_waiter, NULL),
                             STATUS_SUCCESS);
        KeDelayExecutionThread(KernelMode, FALSE, &soon);
        assert_int_equal(KePulseEvent(&pulsed.event, 0, FALSE), 0);
        assert_int_equal(KeReadStateEvent(&pulsed.event), 0);
        KeDelayExecutionThread(KernelMode, FALSE, &soon);
        assert_int_equal(pulsed.woken, rows[i].woken);
        KeSetEvent(&pulsed.event, 0, FALSE);
        assert_int_equal(KePulseEvent(&pulsed.event, 0, FALSE), rows[i].woken == 2 ? 1 : 0);
        for (size_t t = 0; t < 2; t++) {
            assert_int_equal(ZwWaitForSingleObject(threads[t], FALSE, NULL), STATUS_SUCCESS);
            ZwClose(threads[t]);
        }
    }
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

/* ---- Events with a handle ----------------------------------------------------------------------------- */

static OBJECT_ATTRIBUTES named(UNICODE_STRING *text, const WCHAR *name, ULONG flags) {
    OBJECT_ATTRIBUTES attributes;
    RtlInitUnicodeString(text, name);
    InitializeObjectAttributes(&attributes, text, flags, NULL, NULL);
    return attributes;
}

static void an_event_lives_as_long_as_a_handle_or_reference(void **state) {
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES attributes = named(&text, u"\\BaseNamedObjects\\Tiny", OBJ_CASE_INSENSITIVE);
    HANDLE event, same;
    LONG before = 7;
    PVOID object;
    (void)state;
    assert_int_equal(ZwOpenEvent(&event, EVENT_ALL_ACCESS, &attributes),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(
        ZwCreateEvent(&event, EVENT_ALL_ACCESS, &attributes, SynchronizationEvent, FALSE),
        STATUS_SUCCESS);
    assert_int_equal(
        ZwCreateEvent(&same, EVENT_ALL_ACCESS, &attributes, SynchronizationEvent, FALSE),
        STATUS_OBJECT_NAME_COLLISION);
    assert_null(same);
    attributes.Attributes |= OBJ_OPENIF;
    assert_int_equal(ZwCreateEvent(&same, EVENT_ALL_ACCESS, &attributes, NotificationEvent, TRUE),
                     STATUS_OBJECT_NAME_EXISTS);
    assert_int_equal(ZwSetEvent(same, &before), STATUS_SUCCESS);
    assert_int_equal(before, 0);
    assert_int_equal(ZwWaitForSingleObject(event, FALSE, NULL), STATUS_SUCCESS);
    assert_int_equal(ZwWaitForSingleObject(event, FALSE, &(LARGE_INTEGER){.QuadPart = 0}),
                     STATUS_TIMEOUT);
    assert_int_equal(ObReferenceObjectByHandle(event, EVENT_ALL_ACCESS, *ExEventObjectType,
                                               KernelMode, &object, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByPointer(object, 0, NULL, KernelMode), STATUS_SUCCESS);
    ObDereferenceObjectDeferDelete(object);
    ZwClose(event);
    assert_int_equal(ObCloseHandle(same, KernelMode), STATUS_SUCCESS);
    KeSetEvent(object, 0, FALSE);
    assert_int_equal(ZwOpenEvent(&event, EVENT_ALL_ACCESS, &attributes), STATUS_SUCCESS);
    assert_int_equal(ZwResetEvent(event, &before), STATUS_SUCCESS);
    assert_int_equal(before, 1);
    ZwClose(event);
    assert_int_equal(ObDereferenceObject(object), 0);
    assert_int_equal(ZwOpenEvent(&event, EVENT_ALL_ACCESS, &attributes),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void what_no_event_is_says_so(void **state) {
    HANDLE event, key;
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES attributes = named(&text, u"\\Registry\\Machine\\Software", 0);
    (void)state;
    assert_int_equal(ZwCreateEvent(&event, 0, NULL, (EVENT_TYPE)2, FALSE),
                     STATUS_INVALID_PARAMETER_4);
    assert_int_equal(ZwOpenEvent(&event, 0, NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(ZwCreateEvent(&event, 0, NULL, NotificationEvent, TRUE), STATUS_SUCCESS);
    assert_int_equal(ZwClearEvent(event), STATUS_SUCCESS);
    ZwClose(event);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    assert_int_equal(ZwSetEvent(event, NULL), STATUS_INVALID_HANDLE);
    assert_true(tiny_violated(tiny_host, "a handle that was closed"));
    assert_int_equal(ZwOpenKey(&key, KEY_READ, &attributes), STATUS_SUCCESS);
    assert_int_equal(ZwWaitForSingleObject(key, FALSE, NULL), STATUS_INVALID_HANDLE);
    assert_true(tiny_violated(tiny_host, "another kind of object"));
    ZwClose(key);
}

static void an_event_by_name_is_signalled_when_it_is_new(void **state) {
    UNICODE_STRING name, other;
    HANDLE one, two, three;
    (void)state;
    RtlInitUnicodeString(&name, u"\\Named");
    RtlInitUnicodeString(&other, u"\\Other");
    PKEVENT first = IoCreateNotificationEvent(&name, &one);
    assert_int_equal(KeReadStateEvent(first), 1);
    KeClearEvent(first);
    assert_ptr_equal(IoCreateNotificationEvent(&name, &two), first);
    assert_int_equal(KeReadStateEvent(first), 0);
    PKEVENT synchronization = IoCreateSynchronizationEvent(&other, &three);
    assert_int_equal(poll(synchronization), STATUS_SUCCESS);
    assert_int_equal(poll(synchronization), STATUS_TIMEOUT);
    ZwClose(one);
    ZwClose(two);
    ZwClose(three);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

/* ---- Timers of the system ------------------------------------------------------------------------------ */

static struct {
    uint32_t calls, deleted;
    KIRQL irql;
    bool delete_itself;
} ex;

static VOID NTAPI ex_called(PEX_TIMER timer, PVOID context) {
    assert_ptr_equal(context, &ex);
    ex.calls++;
    ex.irql = KeGetCurrentIrql();
    if (ex.delete_itself)
        ExDeleteTimer(timer, TRUE, FALSE, NULL);
}

static VOID NTAPI ex_deleted(PVOID context) {
    assert_ptr_equal(context, &ex);
    ex.deleted++;
}

static void a_system_timer_calls_back_until_it_is_cancelled(void **state) {
    LARGE_INTEGER wait = ms(35);
    EXT_DELETE_PARAMETERS last;
    (void)state;
    memset(&ex, 0, sizeof(ex));
    PEX_TIMER timer = ExAllocateTimer(ex_called, &ex, 0);
    assert_false(ExCancelTimer(timer, NULL));
    assert_false(ExSetTimer(timer, ms(10).QuadPart, 100000, NULL));
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    assert_int_equal(ex.calls, 3); /* at 10, 20 and 30 ms */
    assert_int_equal(ex.irql, DISPATCH_LEVEL);
    assert_true(ExSetTimer(timer, ms(1000).QuadPart, 0, NULL)); /* was set, and is set anew */
    assert_true(ExCancelTimer(timer, NULL));
    assert_false(ExCancelTimer(timer, NULL));
    ExInitializeDeleteTimerParameters(&last);
    assert_null(last.DeleteCallback);
    last.DeleteCallback = ex_deleted;
    last.DeleteContext = &ex;
    assert_false(ExDeleteTimer(timer, TRUE, TRUE, &last));
    assert_int_equal(ex.deleted, 1);
    assert_int_equal(ex.calls, 3);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    assert_false(ExSetTimer(timer, -1, 0, NULL));
    assert_true(tiny_violated(tiny_host, "ExSetTimer of a timer"));
}

static void a_system_timer_may_be_waited_for_or_delete_itself(void **state) {
    LARGE_INTEGER wait = ms(20);
    EXT_SET_PARAMETERS parameters;
    (void)state;
    memset(&ex, 0, sizeof(ex));
    PEX_TIMER timer = ExAllocateTimer(NULL, NULL, EX_TIMER_NOTIFICATION);
    ExInitializeSetTimerParameters(&parameters);
    ExSetTimer(timer, ms(5).QuadPart, 0, &parameters);
    assert_int_equal(KeWaitForSingleObject(timer, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(poll(timer), STATUS_SUCCESS); /* a notification timer stays signalled */
    assert_false(ExDeleteTimer(timer, FALSE, FALSE, NULL));
    ex.delete_itself = true;
    timer = ExAllocateTimer(ex_called, &ex, EX_TIMER_HIGH_RESOLUTION);
    ExSetTimer(timer, ms(5).QuadPart, 10000, NULL);
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    assert_int_equal(ex.calls, 1);
    ex.delete_itself = false;
    timer = ExAllocateTimer(ex_called, &ex, EX_TIMER_NO_WAKE);
    ExSetTimer(timer, ms(5).QuadPart, 0, NULL);
    assert_false(ExDeleteTimer(timer, FALSE, FALSE, NULL)); /* expires once more */
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    assert_int_equal(ex.calls, 2);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    parameters.NoWakeTolerance = -2;
    timer = ExAllocateTimer(NULL, NULL, EX_TIMER_HIGH_RESOLUTION | EX_TIMER_NO_WAKE);
    assert_true(tiny_violated(tiny_host, "attributes 0xc"));
    ExSetTimer(timer, ms(5).QuadPart, 0, &parameters);
    assert_true(tiny_violated(tiny_host, "tolerance of -2"));
    ExSetTimer(timer, ms(5).QuadPart, (LONGLONG)MAXLONG + 1, NULL);
    assert_true(tiny_violated(tiny_host, "period of 2147483648"));
    assert_true(ExDeleteTimer(timer, TRUE, FALSE, NULL));
}

static void a_system_timer_that_is_not_deleted_is_left_behind(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *alone = tiny_up(&config);
    (void)state;
    assert_non_null(ExAllocateTimer(NULL, NULL, 0));
    assert_false(tiny_down(alone, &error));
    assert_non_null(strstr(error.text, "1 timers of ExAllocateTimer"));
}

/* ---- Periodic timers ------------------------------------------------------------------------------------- */

static void a_timer_that_nothing_hears_keeps_no_wait_alive(void **state) {
    KTIMER timer;
    KEVENT event;
    (void)state;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeInitializeTimer(&timer);
    assert_false(KeSetCoalescableTimer(&timer, ms(1), 1, 5, NULL));
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL),
                     STATUS_UNSUCCESSFUL);
    assert_true(tiny_violated(tiny_host, "waits for ever"));
    assert_int_equal(KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS); /* it still comes for a thread that waits for it */
    assert_true(KeCancelTimer(&timer));
}

/* ---- Regions ----------------------------------------------------------------------------------------------- */

static void regions_count_and_locks_demand_them(void **state) {
    ERESOURCE resource;
    FAST_MUTEX mutex;
    (void)state;
    ExInitializeResourceLite(&resource);
    ExInitializeFastMutex(&mutex);
    assert_false(KeAreApcsDisabled());
    KeEnterCriticalRegion();
    KeEnterCriticalRegion();
    assert_true(KeAreApcsDisabled());
    assert_false(KeAreAllApcsDisabled());
    assert_true(ExAcquireResourceExclusiveLite(&resource, TRUE));
    ExReleaseResourceLite(&resource);
    ExAcquireFastMutexUnsafe(&mutex);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    ExReleaseFastMutexUnsafe(&mutex);
    KeLeaveCriticalRegion();
    assert_true(KeAreApcsDisabled());
    KeLeaveCriticalRegion();
    KeEnterGuardedRegion();
    assert_true(KeAreAllApcsDisabled());
    KeLeaveGuardedRegion();
    assert_false(KeAreApcsDisabled());
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    KeLeaveCriticalRegion();
    assert_true(tiny_violated(tiny_host, "KeLeaveCriticalRegion"));
    KeLeaveGuardedRegion();
    assert_true(tiny_violated(tiny_host, "KeLeaveGuardedRegion"));
    assert_true(ExAcquireResourceSharedLite(&resource, TRUE));
    assert_true(tiny_violated(tiny_host, "ExAcquireResourceSharedLite where APCs"));
    ExReleaseResourceLite(&resource);
    ExAcquireFastMutexUnsafe(&mutex);
    assert_true(tiny_violated(tiny_host, "ExAcquireFastMutexUnsafe where"));
    ExReleaseFastMutexUnsafe(&mutex);
    ExDeleteResourceLite(&resource);
}

/* ---- Clocks -------------------------------------------------------------------------------------------------- */

static void clocks_agree_about_a_delay(void **state) {
    LARGE_INTEGER wait = ms(40), day, precise, tick, frequency, later;
    ULONG64 stamp = 0;
    (void)state;
    KeQuerySystemTime(&day);
    KeQuerySystemTimePrecise(&precise);
    assert_true(precise.QuadPart - day.QuadPart < 10000);
    KeQueryTickCount(&tick);
    LONGLONG counter = KeQueryPerformanceCounter(&frequency).QuadPart;
    ULONGLONG interrupt = KeQueryInterruptTime(), unbiased = KeQueryUnbiasedInterruptTime();
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    KeQuerySystemTime(&later);
    assert_in_range(later.QuadPart - day.QuadPart, 400000, 410000);
    assert_in_range(KeQueryInterruptTimePrecise(&stamp) - interrupt, 400000, 410000);
    assert_true(stamp != 0);
    assert_in_range(KeQueryUnbiasedInterruptTime() - unbiased, 400000, 410000);
    counter = KeQueryPerformanceCounter(NULL).QuadPart - counter;
    assert_in_range(counter * 1000 / frequency.QuadPart, 40, 41);
    KeQueryTickCount(&later);
    assert_in_range((later.QuadPart - tick.QuadPart) * KeQueryTimeIncrement(), 300000, 600000);
}

/* ---- The memory of objects ----------------------------------------------------------------------------- */

struct holder {
    ERESOURCE resource;
    NPAGED_LOOKASIDE_LIST list;
    KTIMER timer;
};

#define HOLDER_TAG 0x646c6f48u

static struct holder *holder_make(void) {
    struct holder *holder = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*holder), HOLDER_TAG);
    ExInitializeResourceLite(&holder->resource);
    ExInitializeNPagedLookasideList(&holder->list, NULL, NULL, 0, 32, HOLDER_TAG, 0);
    KeInitializeTimer(&holder->timer);
    KeSetTimer(&holder->timer, ms(1000), NULL);
    return holder;
}

static void memory_outlives_the_objects_in_it(void **state) {
    (void)state;
    struct holder *holder = holder_make();
    KeCancelTimer(&holder->timer);
    ExDeleteNPagedLookasideList(&holder->list);
    ExDeleteResourceLite(&holder->resource);
    ExFreePoolWithTag(holder, HOLDER_TAG);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    holder = holder_make();
    ExFreePoolWithTag(holder, HOLDER_TAG);
    assert_true(tiny_violated(
        tiny_host, "an executive resource lies in pool block 'Hold' that the driver freed"));
    assert_true(tiny_violated(tiny_host, "a lookaside list lies in pool block 'Hold'"));
    assert_true(tiny_violated(tiny_host, "a timer that is set lies in pool block 'Hold'"));
    assert_int_equal(vidmm_host_violations(tiny_host), 3);
}

static void a_resource_that_is_not_deleted_is_left_behind(void **state) {
    static ERESOURCE resource;
    struct vidmm_host_error error;
    (void)state;
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    ExInitializeResourceLite(&resource);
    assert_false(tiny_down(host, &error));
    assert_non_null(strstr(error.text, "1 executive resources"));
}

#define OBJECTS_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        OBJECTS_TEST(a_pulse_wakes_who_waits_and_leaves_nothing),
        OBJECTS_TEST(an_event_lives_as_long_as_a_handle_or_reference),
        OBJECTS_TEST(what_no_event_is_says_so),
        OBJECTS_TEST(an_event_by_name_is_signalled_when_it_is_new),
        OBJECTS_TEST(a_system_timer_calls_back_until_it_is_cancelled),
        OBJECTS_TEST(a_system_timer_may_be_waited_for_or_delete_itself),
        cmocka_unit_test(a_system_timer_that_is_not_deleted_is_left_behind),
        OBJECTS_TEST(a_timer_that_nothing_hears_keeps_no_wait_alive),
        OBJECTS_TEST(regions_count_and_locks_demand_them),
        OBJECTS_TEST(clocks_agree_about_a_delay),
        OBJECTS_TEST(memory_outlives_the_objects_in_it),
        cmocka_unit_test(a_resource_that_is_not_deleted_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
