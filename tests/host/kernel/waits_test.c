/* waits_test.c - waits, signals and threads at the edges of their pages, in both kinds of time. */
#include "fixture/tiny.h"
#include "kernel/dispatcher.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MILLISECOND (-10000) /* relative, in 100 ns units */

static struct vidmm_host *up(bool threaded) {
    struct vidmm_host_config config = tiny_config();
    config.threads = threaded;
    return tiny_up(&config);
}

static void down(struct vidmm_host *host) {
    struct vidmm_host_error error;
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static NTSTATUS wait_for(PVOID object) {
    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, NULL);
}

static NTSTATUS wait_until(PVOID object, LONGLONG units) {
    LARGE_INTEGER timeout = {.QuadPart = units};
    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &timeout);
}

static void delay(LONGLONG units) {
    LARGE_INTEGER interval = {.QuadPart = units};
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
}

/* Threads of one test, and the object of each. */
struct team {
    PVOID thread[8];
    uint32_t count;
};

static void start(struct team *team, PKSTART_ROUTINE routine, void *context) {
    HANDLE handle;
    assert_int_equal(PsCreateSystemThread(&handle, 0, NULL, NULL, NULL, routine, context),
                     STATUS_SUCCESS);
    assert_int_equal(
        ObReferenceObjectByHandle(handle, 0, NULL, KernelMode, &team->thread[team->count++], NULL),
        STATUS_SUCCESS);
    assert_int_equal(ZwClose(handle), STATUS_SUCCESS);
}

static void join(struct team *team) {
    for (uint32_t i = 0; i < team->count; i++) {
        assert_int_equal(wait_for(team->thread[i]), STATUS_SUCCESS);
        ObDereferenceObject(team->thread[i]);
    }
    team->count = 0;
}

static void wait_for_first(const struct team *team, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(wait_for(team->thread[i]), STATUS_SUCCESS);
}

/* A thread that waits once, and says when it did. */
struct waiter {
    PVOID object;
    _Atomic int *order;
    int place;
    NTSTATUS status;
    _Atomic(PKTHREAD) thread; /* that is about to wait */
};

static VOID NTAPI wait_once(PVOID context) {
    struct waiter *w = context;
    w->thread = KeGetCurrentThread();
    w->status = wait_for(w->object);
    w->place = ++*w->order;
}

static bool sleeps(PKTHREAD thread) {
    host_dispatcher_lock();
    bool asleep = thread && thread->state == HOST_THREAD_ASLEEP;
    host_dispatcher_unlock();
    return asleep;
}

/* Lets the threads that are there fall asleep. */
static void settle(struct waiter *waiters, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        while (!sleeps(waiters[i].thread))
            delay(MILLISECOND);
}

static void start_waiters(struct team *team, struct waiter *w, uint32_t count, PVOID object,
                          _Atomic int *order) {
    *order = 0;
    for (uint32_t i = 0; i < count; i++) {
        w[i] = (struct waiter){.object = object, .order = order};
        start(team, wait_once, &w[i]);
        settle(&w[i], 1);
    }
}

static void a_synchronization_event_set_twice_wakes_two(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct team team = {.count = 0};
        struct waiter w[3];
        _Atomic int order;
        KEVENT event;
        KeInitializeEvent(&event, SynchronizationEvent, FALSE);
        start_waiters(&team, w, 3, &event, &order);
        assert_int_equal(KeSetEvent(&event, 0, FALSE), 0);
        assert_int_equal(KeSetEvent(&event, 0, FALSE), 0);
        assert_int_equal(KeReadStateEvent(&event), 0);
        wait_for_first(&team, 2);
        assert_int_equal(order, 2);
        assert_true(w[0].place != 0 && w[1].place != 0 && w[2].place == 0);
        if (!threaded)
            assert_true(w[0].place == 1 && w[1].place == 2);
        KeSetEvent(&event, 0, FALSE);
        join(&team);
        down(host);
    }
}

static void a_notification_event_that_is_cleared_at_once_loses_nobody(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct team team = {.count = 0};
        struct waiter w[4];
        _Atomic int order;
        KEVENT event;
        KeInitializeEvent(&event, NotificationEvent, FALSE);
        start_waiters(&team, w, 4, &event, &order);
        KeSetEvent(&event, 0, FALSE);
        KeClearEvent(&event);
        join(&team);
        assert_int_equal(order, 4);
        assert_int_equal(wait_until(&event, MILLISECOND), STATUS_TIMEOUT);
        down(host);
    }
}

/* A thread that ends with the mutex that it waited for, when it is told to. */
struct owner {
    struct waiter waiter;
    KEVENT told;
};

static VOID NTAPI own_until_told(PVOID context) {
    struct owner *owner = context;
    wait_once(&owner->waiter);
    (void)wait_for(&owner->told);
}

static void the_wait_of_a_setter_takes_nothing_from_others(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct team team = {.count = 0};
        struct waiter w;
        _Atomic int order;
        KEVENT event;
        KMUTEX mutex;
        KeInitializeEvent(&event, SynchronizationEvent, FALSE);
        start_waiters(&team, &w, 1, &event, &order);
        KeSetEvent(&event, 0, FALSE);
        assert_int_equal(wait_until(&event, MILLISECOND), STATUS_TIMEOUT);
        join(&team);
        assert_int_equal(w.status, STATUS_SUCCESS);
        /* A mutex goes to the thread that has waited for it, not back to the one that gives it. */
        KeInitializeMutex(&mutex, 0);
        assert_int_equal(wait_for(&mutex), STATUS_SUCCESS);
        struct owner owner = {.waiter = {.object = &mutex, .order = &order}};
        KeInitializeEvent(&owner.told, NotificationEvent, FALSE);
        start(&team, own_until_told, &owner);
        settle(&owner.waiter, 1);
        assert_int_equal(KeReleaseMutex(&mutex, FALSE), 0);
        assert_int_equal(wait_until(&mutex, 0), STATUS_TIMEOUT);
        KeSetEvent(&owner.told, 0, FALSE);
        (void)wait_for(team.thread[0]);
        assert_true(tiny_violated(host, "ended that owns a mutex"));
        assert_int_equal(wait_for(&mutex), STATUS_ABANDONED);
        assert_int_equal(KeReleaseMutex(&mutex, FALSE), 0);
        join(&team);
        struct vidmm_host_error error;
        assert_true(tiny_down(host, &error));
    }
}

static void a_semaphore_wakes_as_many_as_it_is_released_by(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct team team = {.count = 0};
        struct waiter w[4];
        _Atomic int order;
        KSEMAPHORE semaphore;
        KeInitializeSemaphore(&semaphore, 0, 3);
        start_waiters(&team, w, 4, &semaphore, &order);
        assert_int_equal(KeReleaseSemaphore(&semaphore, 0, 3, FALSE), 0);
        wait_for_first(&team, 3);
        assert_int_equal(order, 3);
        assert_int_equal(w[3].place, 0);
        KeReleaseSemaphore(&semaphore, 0, 2, FALSE);
        join(&team);
        assert_int_equal(KeReadStateSemaphore(&semaphore), 1);
        down(host);
    }
}

struct crowd {
    FAST_MUTEX mutex;
    KMUTEX slow;
    uint32_t inside, most, total;
};

static VOID NTAPI crowd_thread(PVOID context) {
    struct crowd *crowd = context;
    for (int i = 0; i < 50; i++) {
        ExAcquireFastMutex(&crowd->mutex);
        assert_int_equal(KeGetCurrentIrql(), APC_LEVEL);
        crowd->inside++;
        crowd->most = crowd->inside > crowd->most ? crowd->inside : crowd->most;
        delay(-10);
        crowd->inside--;
        crowd->total++;
        ExReleaseFastMutex(&crowd->mutex);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
}

static void a_fast_mutex_never_has_two_owners(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct team team = {.count = 0};
        struct crowd crowd = {.total = 0};
        ExInitializeFastMutex(&crowd.mutex);
        for (int i = 0; i < 4; i++)
            start(&team, crowd_thread, &crowd);
        join(&team);
        assert_int_equal(crowd.most, 1);
        assert_int_equal(crowd.total, 200);
        assert_null(crowd.mutex.Owner);
        down(host);
    }
}

static VOID NTAPI keep_fast(PVOID context) {
    struct crowd *crowd = context;
    ExAcquireFastMutex(&crowd->mutex);
    delay(MILLISECOND);
    ExReleaseFastMutex(&crowd->mutex);
}

static void a_fast_mutex_that_is_not_owned_stays_with_its_owner(void **state) {
    struct vidmm_host *host = up(false);
    struct vidmm_host_error error;
    struct team team = {.count = 0};
    struct crowd crowd = {.total = 0};
    (void)state;
    ExInitializeFastMutex(&crowd.mutex);
    start(&team, keep_fast, &crowd);
    delay(MILLISECOND / 2);
    assert_false(ExTryToAcquireFastMutex(&crowd.mutex));
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    ExReleaseFastMutex(&crowd.mutex);
    assert_true(tiny_violated(host, "ExReleaseFastMutex of a mutex that the thread does not own"));
    assert_ptr_equal(crowd.mutex.Owner, team.thread[0]);
    join(&team);
    ExAcquireFastMutex(&crowd.mutex);
    ExAcquireFastMutex(&crowd.mutex);
    assert_true(tiny_violated(host, "ExAcquireFastMutex of a mutex that the thread owns already"));
    ExReleaseFastMutex(&crowd.mutex);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    /* A guarded mutex leaves the IRQL alone. */
    KeInitializeGuardedMutex(&crowd.mutex);
    KeAcquireGuardedMutex(&crowd.mutex);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    assert_false(KeTryToAcquireGuardedMutex(&crowd.mutex));
    KeReleaseGuardedMutex(&crowd.mutex);
    assert_int_equal(vidmm_host_violations(host), 2);
    assert_true(tiny_down(host, &error));
}

/* ---- Time ------------------------------------------------------------------------------------ */

struct sleeper {
    LONGLONG units;
    uint64_t began, ended;
};

static uint64_t now(void) {
    return KeQueryInterruptTime();
}

static VOID NTAPI sleep_thread(PVOID context) {
    struct sleeper *s = context;
    s->began = now();
    delay(-s->units);
    s->ended = now();
}

static void virtual_time_goes_to_the_earliest_deadline_of_all(void **state) {
    struct vidmm_host *host = up(false);
    struct team team = {.count = 0};
    struct sleeper s[3] = {{.units = 300}, {.units = 100}, {.units = 200}};
    (void)state;
    uint64_t began = now();
    for (int i = 0; i < 3; i++)
        start(&team, sleep_thread, &s[i]);
    assert_int_equal(s[0].began, 0); /* it has not run yet */
    join(&team);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s[i].began, began);
        assert_int_equal(s[i].ended, began + (uint64_t)s[i].units);
    }
    assert_int_equal(now(), began + 300);
    down(host);
}

static VOID NTAPI work_thread(PVOID context) {
    _Atomic bool *done = context;
    for (volatile uint64_t i = 0; i < 60000000; i++) /* longer than a wait was given once */
        ;
    *done = true;
}

static void a_join_waits_for_a_thread_that_works(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct team team = {.count = 0};
        _Atomic bool done = false;
        start(&team, work_thread, (void *)&done);
        join(&team);
        assert_true(done);
        down(host);
    }
}

static VOID NTAPI endless_thread(PVOID context) {
    (void)wait_for(context);
}

static void a_wait_without_an_end_is_concluded(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        struct vidmm_host_error error;
        struct team team = {.count = 0};
        KEVENT never, again;
        KeInitializeEvent(&never, NotificationEvent, FALSE);
        KeInitializeEvent(&again, NotificationEvent, FALSE);
        start(&team, endless_thread, &never);
        uint64_t before = now();
        assert_false(NT_SUCCESS(wait_for(team.thread[0]))); /* which waits for ever itself */
        assert_true(tiny_violated(host, "KeWaitForSingleObject without a timeout waits for ever"));
        assert_int_equal(vidmm_host_violations(host), 1);
        if (!threaded)
            assert_int_equal(now(), before);
        KeSetEvent(&never, 0, FALSE);
        join(&team);
        assert_int_equal(vidmm_host_violations(host), 1);
        assert_true(tiny_down(host, &error));
    }
}

static VOID NTAPI fire_once(struct _KDPC *dpc, PVOID context, PVOID one, PVOID two) {
    (void)dpc, (void)one, (void)two;
    KeSetEvent(context, 0, FALSE);
}

static void a_timer_or_hardware_that_may_signal_is_waited_for(void **state) {
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct vidmm_host *host = up(threaded);
        LARGE_INTEGER later = {.QuadPart = 60 * (LONGLONG)MILLISECOND};
        KTIMER timer;
        KEVENT event;
        KDPC dpc;
        KeInitializeEvent(&event, SynchronizationEvent, FALSE);
        KeInitializeDpc(&dpc, fire_once, &event);
        KeInitializeTimer(&timer);
        KeSetTimer(&timer, later, &dpc);
        assert_int_equal(wait_for(&event), STATUS_SUCCESS);
        assert_true(KeReadStateTimer(&timer));
        down(host);
    }
}

static void a_driver_that_waits_for_a_dpc_gets_one_that_is_held(void **state) {
    struct vidmm_host *host = up(false);
    KEVENT event;
    KDPC dpc;
    (void)state;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    KeInitializeDpc(&dpc, fire_once, &event);
    vidmm_host_hold_dpcs(host, true);
    assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_false(KeReadStateEvent(&event));
    assert_int_equal(wait_for(&event), STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(host), 0);
    down(host);
}

static VOID NTAPI poll_thread(PVOID context) {
    while (wait_until(context, 0) == STATUS_TIMEOUT)
        ;
}

static void a_thread_that_polls_lets_time_and_threads_go_on(void **state) {
    struct vidmm_host *host = up(false);
    struct team team = {.count = 0};
    KEVENT event;
    (void)state;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    start(&team, poll_thread, &event);
    delay(MILLISECOND);
    uint64_t began = now();
    while (now() < began + 1000)
        ;
    KeSetEvent(&event, 0, FALSE);
    join(&team);
    down(host);
}

/* An absolute time long past, as a driver passes that forgot the sign. */
static VOID NTAPI past_thread(PVOID context) {
    while (!*(_Atomic bool *)context)
        delay(166666);
}

static void a_thread_that_delays_into_the_past_lets_time_go_on(void **state) {
    struct vidmm_host *host = up(false);
    struct team team = {.count = 0};
    _Atomic bool done = false;
    (void)state;
    start(&team, past_thread, (void *)&done);
    delay(MILLISECOND);
    done = true;
    join(&team);
    down(host);
}

/* ---- What is no object ----------------------------------------------------------------------- */

static void handles_and_memory_are_no_objects(void **state) {
    struct vidmm_host *host = up(false);
    struct vidmm_host_error error;
    HANDLE handle;
    KEVENT zeroes;
    _Atomic bool done = false;
    PVOID object;
    (void)state;
    memset(&zeroes, 0, sizeof(zeroes));
    assert_false(NT_SUCCESS(wait_for(&zeroes)));
    assert_int_equal(KeSetEvent(&zeroes, 0, FALSE), 0);
    assert_true(tiny_violated(host, "KeSetEvent gets an object that was not initialized"));
    PsCreateSystemThread(&handle, 0, NULL, NULL, NULL, work_thread, (void *)&done);
    assert_false(NT_SUCCESS(wait_for(handle)));
    assert_true(tiny_violated(host, "perhaps a handle"));
    assert_false(NT_SUCCESS(wait_for(NULL)));
    assert_int_equal(ZwClose(handle), STATUS_SUCCESS);
    assert_int_equal(ZwClose(handle), STATUS_INVALID_HANDLE);
    assert_true(tiny_violated(host, "a handle that was closed"));
    assert_int_equal(ZwClose((HANDLE)(uintptr_t)0x1234), STATUS_INVALID_HANDLE);
    assert_true(tiny_violated(host, "ZwClose gets 0x1234, which is no handle"));
    assert_int_equal(ObReferenceObjectByHandle(handle, 0, NULL, KernelMode, &object, NULL),
                     STATUS_INVALID_HANDLE);
    assert_null(object);
    vidmm_host_run(host);
    assert_true(tiny_down(host, &error));
}

static VOID NTAPI unused_dpc(struct _KDPC *dpc, PVOID context, PVOID first, PVOID second) {
    (void)dpc, (void)context, (void)first, (void)second;
}

/* Of a DPC and of a resource zeroes are no better than what was in the memory before. */
static void what_was_not_initialized_is_not_used(void **state) {
    struct vidmm_host *host = up(false);
    struct vidmm_host_error error;
    LARGE_INTEGER later = {.QuadPart = MILLISECOND};
    KDPC dpc;
    KTIMER timer;
    ERESOURCE resource;
    (void)state;
    memset(&dpc, 0, sizeof(dpc));
    memset(&resource, 0, sizeof(resource));
    KeInitializeTimer(&timer);
    assert_false(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_true(tiny_violated(host, "KeInsertQueueDpc gets an object that was not initialized"));
    assert_false(KeSetTimer(&timer, later, &dpc));
    assert_true(tiny_violated(host, "KeSetTimer gets an object that was not initialized"));
    KeEnterCriticalRegion();
    assert_false(ExAcquireResourceExclusiveLite(&resource, TRUE));
    assert_false(ExAcquireResourceSharedLite(&resource, TRUE));
    KeLeaveCriticalRegion();
    assert_true(tiny_violated(host, "ExAcquireResourceSharedLite gets an object"));
    KeInitializeDpc(&dpc, unused_dpc, NULL);
    assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_true(tiny_down(host, &error));
}

static void a_timer_that_is_set_is_not_initialized(void **state) {
    struct vidmm_host *host = up(false);
    struct vidmm_host_error error;
    LARGE_INTEGER later = {.QuadPart = MILLISECOND};
    KTIMER timer;
    (void)state;
    KeInitializeTimer(&timer);
    assert_false(KeSetTimer(&timer, later, NULL));
    assert_true(KeSetTimer(&timer, later, NULL));
    KeInitializeTimer(&timer);
    assert_true(tiny_violated(host, "KeInitializeTimer initializes a timer that is set"));
    assert_false(KeCancelTimer(&timer));
    assert_false(KeSetTimer(&timer, later, NULL));
    assert_int_equal(wait_for(&timer), STATUS_SUCCESS);
    assert_false(KeCancelTimer(&timer));
    /* Zero is a time of day long ago. */
    assert_false(KeSetTimer(&timer, (LARGE_INTEGER){.QuadPart = 0}, NULL));
    uint64_t before = now();
    assert_int_equal(wait_for(&timer), STATUS_SUCCESS);
    assert_int_equal(now(), before);
    assert_int_equal(vidmm_host_violations(host), 1);
    assert_true(tiny_down(host, &error));
}

static void the_time_of_day_is_recent_and_deadlines_follow_it(void **state) {
    struct vidmm_host *host = up(false);
    LARGE_INTEGER today, later;
    KEVENT never;
    (void)state;
    KeQuerySystemTime(&today);
    /* 2026-01-01 in units since 1601 */
    assert_in_range((uint64_t)today.QuadPart, UINT64_C(134116992000000000),
                    UINT64_C(134116992000000000) + 10000000);
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    uint64_t before = now();
    assert_int_equal(wait_until(&never, today.QuadPart + 5000), STATUS_TIMEOUT);
    assert_int_equal(now(), before + 5000);
    assert_int_equal(wait_until(&never, today.QuadPart - 5000), STATUS_TIMEOUT);
    assert_int_equal(now(), before + 5000);
    KeQuerySystemTime(&later);
    assert_int_equal(later.QuadPart - today.QuadPart, 5000);
    down(host);
}

/* An absolute time, which is past: it goes on at once, for ever. */
static VOID NTAPI never_sleeps(PVOID context) {
    while (!*(const volatile bool *)context)
        delay(1);
}

/* As drivers do for a picture a sixtieth of a second. */
static VOID NTAPI sleeps_again_and_again(PVOID context) {
    while (!*(const volatile bool *)context)
        delay(16 * MILLISECOND);
}

static void the_host_rests_beside_threads_that_never_end(void **state) {
    static const PKSTART_ROUTINE routines[] = {never_sleeps, sleeps_again_and_again};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct vidmm_host *host = up(false);
        struct team team = {.count = 0};
        bool stop = false;
        start(&team, routines[i], &stop);
        vidmm_host_run(host);
        stop = true;
        join(&team);
        down(host);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_synchronization_event_set_twice_wakes_two),
        cmocka_unit_test(a_notification_event_that_is_cleared_at_once_loses_nobody),
        cmocka_unit_test(the_wait_of_a_setter_takes_nothing_from_others),
        cmocka_unit_test(a_semaphore_wakes_as_many_as_it_is_released_by),
        cmocka_unit_test(a_fast_mutex_never_has_two_owners),
        cmocka_unit_test(a_fast_mutex_that_is_not_owned_stays_with_its_owner),
        cmocka_unit_test(virtual_time_goes_to_the_earliest_deadline_of_all),
        cmocka_unit_test(a_join_waits_for_a_thread_that_works),
        cmocka_unit_test(a_wait_without_an_end_is_concluded),
        cmocka_unit_test(a_timer_or_hardware_that_may_signal_is_waited_for),
        cmocka_unit_test(a_driver_that_waits_for_a_dpc_gets_one_that_is_held),
        cmocka_unit_test(a_thread_that_polls_lets_time_and_threads_go_on),
        cmocka_unit_test(a_thread_that_delays_into_the_past_lets_time_go_on),
        cmocka_unit_test(handles_and_memory_are_no_objects),
        cmocka_unit_test(what_was_not_initialized_is_not_used),
        cmocka_unit_test(a_timer_that_is_set_is_not_initialized),
        cmocka_unit_test(the_time_of_day_is_recent_and_deadlines_follow_it),
        cmocka_unit_test(the_host_rests_beside_threads_that_never_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
