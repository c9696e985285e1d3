/*
 * timers.c - KTIMER objects that are set; see timers.h.
 *
 * In a threaded run one thread sleeps until the next is due; it starts with the first timer and ends
 * with the host.
 */
#include "kernel/timers.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/in_use.h"
#include "base/thread.h"
#include "base/world.h"
#include "kernel/clock.h"
#include "kernel/dispatcher.h"
#include "kernel/dpc.h"
#include "kernel/engines.h"
#include "kernel/waits.h"

#define SECOND      1000000000u
#define MILLISECOND 1000000u

/* Under the lock of the dispatcher. */
static struct {
    LIST_ENTRY list; /* of TimerListEntry, by due time; NULL links: no timer was ever set */
    _Atomic uint64_t next;
    bool threaded, stop, busy; /* the timer thread: there is one; shall end; fires a timer */
    pthread_t thread;
    pthread_cond_t changed;
} timers = {.next = UINT64_MAX};

static void timer_list_ensure(void) {
    if (!timers.list.Flink)
        InitializeListHead(&timers.list);
}

static PKTIMER timer_at(LIST_ENTRY *entry) {
    return CONTAINING_RECORD(entry, KTIMER, TimerListEntry);
}

/* The list has changed. */
static void timer_next_set(void) {
    LIST_ENTRY *first = timers.list.Flink;
    uint64_t next = first != &timers.list ? timer_at(first)->DueTime.QuadPart : UINT64_MAX;
    if (atomic_exchange(&timers.next, next) != next && timers.threaded)
        pthread_cond_signal(&timers.changed);
}

uint64_t host_timers_next(void) {
    return atomic_load(&timers.next);
}

static bool timer_is_set(const KTIMER *timer) {
    timer_list_ensure();
    for (LIST_ENTRY *e = timers.list.Flink; e != &timers.list; e = e->Flink)
        if (e == &timer->TimerListEntry)
            return true;
    return false;
}

bool host_timer_set(const KTIMER *timer) {
    host_dispatcher_lock();
    bool set = timer_is_set(timer);
    host_dispatcher_unlock();
    return set;
}

/* Its memory is about to end. */
static void timer_take_out(const void *object) {
    const KTIMER *timer = object;
    host_dispatcher_lock();
    if (timer_is_set(timer)) {
        RemoveEntryList((LIST_ENTRY *)(uintptr_t)&timer->TimerListEntry);
        host_untrack(HOST_TRACKED_TIMER, timer);
        timer_next_set();
    }
    host_dispatcher_unlock();
}

/* Behind those that are due at the same time. */
static void timer_insert(PKTIMER timer, uint64_t due) {
    LIST_ENTRY *after = timers.list.Blink;
    timer->DueTime.QuadPart = due;
    while (after != &timers.list && timer_at(after)->DueTime.QuadPart > due)
        after = after->Blink;
    InsertHeadList(after, &timer->TimerListEntry);
    host_in_use(HOST_IN_USE_TIMER, timer, timer_take_out);
    timer_next_set();
}

/* False: it was not set. */
static bool timer_remove(PKTIMER timer) {
    if (!timer_is_set(timer))
        return false;
    RemoveEntryList(&timer->TimerListEntry);
    host_in_use_end(timer);
    timer_next_set();
    return true;
}

/*
 * The DPC is queued under the lock: a driver that cancels the timer too late finds the DPC in the
 * queue, to be removed or waited for.
 */
static void timer_fire(PKTIMER timer, uint64_t now) {
    (void)timer_remove(timer);
    if (timer->Period != 0)
        timer_insert(timer, now + (uint64_t)timer->Period * MILLISECOND);
    else
        host_untrack(HOST_TRACKED_TIMER, timer);
    if (timer->Dpc)
        host_dpc_queue(timer->Dpc, NULL, NULL);
    host_object_set(&timer->Header, 1);
}

/* Fires one timer or ends one sleep that is due; false: nothing is. */
static bool next_due(void) {
    bool threaded = host_world->engines->threaded;
    host_dispatcher_lock();
    uint64_t now = host_now(), timer = host_timers_next();
    uint64_t sleep = threaded ? UINT64_MAX : host_deadline_next();
    bool due = timer <= now || sleep <= now;
    if (due && timer <= sleep)
        timer_fire(timer_at(timers.list.Flink), now);
    else if (due)
        host_deadline_expire();
    host_dispatcher_unlock();
    return due;
}

bool host_timers_run(void) {
    bool any = false;
    while ((host_timers_next() <= host_now() || host_deadline_next() <= host_now()) && next_due()) {
        any = true;
        if (host_self.irql < DISPATCH_LEVEL)
            host_dpcs_run();
    }
    return any;
}

/* ---- The timer thread ------------------------------------------------------------------------ */

bool host_timers_heard(void) {
    timer_list_ensure();
    for (LIST_ENTRY *e = timers.list.Flink; e != &timers.list; e = e->Flink) {
        const KTIMER *timer = timer_at(e);
        if (timer->Dpc || timer->Period == 0 || host_thread_waiting(&timer->Header))
            return true;
    }
    return false;
}

bool host_timers_rest(void) {
    return !timers.busy && !host_timers_heard();
}

static void timer_thread_sleep(void) {
    uint64_t next = host_timers_next();
    struct timespec until = {.tv_sec = (time_t)(next / SECOND), .tv_nsec = (int)(next % SECOND)};
    if (next == UINT64_MAX)
        pthread_cond_wait(&timers.changed, host_dispatcher_mutex());
    else
        pthread_cond_timedwait(&timers.changed, host_dispatcher_mutex(), &until);
}

static void *timer_thread(void *unused) {
    (void)unused;
    host_dispatcher_lock();
    while (!timers.stop) {
        if (host_timers_next() > host_now()) {
            timer_thread_sleep();
            continue;
        }
        timers.busy = true;
        host_dispatcher_unlock();
        (void)host_timers_run();
        host_dispatcher_lock();
        timers.busy = false;
        host_dispatcher_rest();
    }
    host_dispatcher_unlock();
    return NULL;
}

/* In a threaded run, unless it runs. Under the lock. */
static void timer_thread_start(void) {
    pthread_condattr_t monotonic;
    if (!host_world->engines->threaded || timers.threaded)
        return;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&timers.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    timers.stop = false;
    timers.threaded = pthread_create(&timers.thread, NULL, timer_thread, NULL) == 0;
}

static void timer_thread_stop(void) {
    host_dispatcher_lock();
    bool was = timers.threaded;
    timers.stop = true;
    if (was)
        pthread_cond_signal(&timers.changed);
    host_dispatcher_unlock();
    if (!was)
        return;
    pthread_join(timers.thread, NULL);
    pthread_cond_destroy(&timers.changed);
    timers.threaded = false;
}

uint32_t host_timers_clear(void) {
    uint32_t left = 0;
    timer_thread_stop();
    host_dispatcher_lock();
    timer_list_ensure();
    for (LIST_ENTRY *e = timers.list.Flink; e != &timers.list; e = e->Flink)
        left++;
    InitializeListHead(&timers.list);
    atomic_store(&timers.next, UINT64_MAX);
    host_dispatcher_unlock();
    return left;
}

/* ---- Names of ntoskrnl ----------------------------------------------------------------------- */

/* A timer that is set is taken from the queue, so that nothing fires what is no timer any more. */
NTKERNELAPI VOID NTAPI KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type) {
    enum host_object type = Type == NotificationTimer ? HOST_OBJECT_NOTIFICATION_TIMER
                                                      : HOST_OBJECT_SYNCHRONIZATION_TIMER;
    host_irql_at_most(DISPATCH_LEVEL, "KeInitializeTimer");
    host_dispatcher_lock();
    bool was_set = timer_remove(Timer);
    host_dispatcher_unlock();
    host_untrack(HOST_TRACKED_TIMER, Timer);
    if (was_set)
        host_violation("KeInitializeTimer initializes a timer that is set");
    host_object_init(&Timer->Header, type, 0, "KeInitializeTimer");
    Timer->DueTime.QuadPart = 0;
    Timer->TimerListEntry.Flink = Timer->TimerListEntry.Blink = NULL;
    Timer->Dpc = NULL;
    Timer->Period = 0;
}

NTKERNELAPI VOID NTAPI KeInitializeTimer(PKTIMER Timer) {
    KeInitializeTimerEx(Timer, NotificationTimer);
}

NTKERNELAPI BOOLEAN NTAPI KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period,
                                       PKDPC Dpc) {
    host_irql_at_most(DISPATCH_LEVEL, "KeSetTimer");
    if (!host_object_good(&Timer->Header, "KeSetTimer") ||
        (Dpc && !host_dpc_good(Dpc, "KeSetTimer")))
        return FALSE;
    /* Zero is an absolute time, which has passed (nf-wdm-kesettimerex). */
    uint64_t due = host_deadline(&DueTime);
    host_track(HOST_TRACKED_TIMER, Timer);
    host_dispatcher_lock();
    bool was_set = timer_remove(Timer);
    host_object_set(&Timer->Header, 0);
    Timer->Period = Period > 0 ? (ULONG)Period : 0;
    Timer->Dpc = Dpc;
    timer_insert(Timer, due);
    timer_thread_start();
    host_dispatcher_unlock();
    return was_set;
}

/* Nothing is gained by coalescing: a delay of nothing is tolerable. */
NTKERNELAPI BOOLEAN NTAPI KeSetCoalescableTimer(PKTIMER Timer, LARGE_INTEGER DueTime, ULONG Period,
                                                ULONG TolerableDelay, PKDPC Dpc) {
    (void)TolerableDelay;
    return KeSetTimerEx(Timer, DueTime, (LONG)Period, Dpc);
}

NTKERNELAPI BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) {
    return KeSetTimerEx(Timer, DueTime, 0, Dpc);
}

/* What the timer's DPC does is over, or still to be waited for (nf-wdm-kecanceltimer). */
NTKERNELAPI BOOLEAN NTAPI KeCancelTimer(PKTIMER Timer) {
    host_irql_at_most(DISPATCH_LEVEL, "KeCancelTimer");
    host_dispatcher_lock();
    timer_list_ensure();
    bool was_set = timer_remove(Timer);
    host_dispatcher_unlock();
    host_untrack(HOST_TRACKED_TIMER, Timer);
    return was_set;
}

NTKERNELAPI BOOLEAN NTAPI KeReadStateTimer(PKTIMER Timer) {
    host_irql_at_most(DISPATCH_LEVEL, "KeReadStateTimer");
    host_dispatcher_lock();
    bool signalled = Timer->Header.SignalState > 0;
    host_dispatcher_unlock();
    return signalled;
}
