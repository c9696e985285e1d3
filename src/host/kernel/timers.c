/*
 * timers.c - KTIMER objects that are set; see timers.h.
 *
 * With virtual time they fire as time passes. In a threaded run one thread sleeps until the next is
 * due; it starts with the first timer and ends with the host.
 */
#include "kernel/timers.h"

#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/dpc.h"
#include "kernel/engines.h"

#define UNITS_NS    100u
#define MILLISECOND 1000000u

static struct {
    pthread_mutex_t lock; /* over the list, its timers, and the start of the thread */
    LIST_ENTRY list;      /* of TimerListEntry; NULL links: no timer was ever set */
    _Atomic uint32_t set;
    pthread_t thread;
    bool threaded;
    _Atomic bool stop;
} timers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ensure_list(void) {
    if (!timers.list.Flink)
        InitializeListHead(&timers.list);
}

static uint64_t next_due(void) {
    uint64_t due = UINT64_MAX;
    ensure_list();
    for (LIST_ENTRY *e = timers.list.Flink; e != &timers.list; e = e->Flink) {
        uint64_t at = CONTAINING_RECORD(e, KTIMER, TimerListEntry)->DueTime.QuadPart;
        if (at < due)
            due = at;
    }
    return due;
}

uint64_t host_timers_next(void) {
    if (atomic_load(&timers.set) == 0)
        return UINT64_MAX;
    pthread_mutex_lock(&timers.lock);
    uint64_t due = next_due();
    pthread_mutex_unlock(&timers.lock);
    return due;
}

/*
 * Removes one timer that is due, or sets a periodic one again. Its DPC is queued before the lock is
 * released: a driver that cancels the timer too late finds the DPC in the queue, to be removed or
 * waited for.
 */
static bool take_due(uint64_t now) {
    bool found = false;
    pthread_mutex_lock(&timers.lock);
    ensure_list();
    for (LIST_ENTRY *e = timers.list.Flink; e != &timers.list && !found; e = e->Flink) {
        PKTIMER timer = CONTAINING_RECORD(e, KTIMER, TimerListEntry);
        if (timer->DueTime.QuadPart > now)
            continue;
        found = true;
        if (timer->Period != 0) {
            timer->DueTime.QuadPart = now + (uint64_t)timer->Period * MILLISECOND;
        } else {
            RemoveEntryList(e);
            timer->TimerListEntry.Flink = NULL;
            atomic_fetch_sub(&timers.set, 1);
        }
        if (timer->Dpc)
            host_dpc_queue(timer->Dpc, NULL, NULL);
        host_object_set(&timer->Header, 1);
    }
    pthread_mutex_unlock(&timers.lock);
    return found;
}

void host_timers_run(void) {
    if (atomic_load(&timers.set) == 0)
        return;
    while (take_due(host_now()))
        if (host_self.irql < DISPATCH_LEVEL)
            host_dpcs_run();
}

static void *timer_thread(void *unused) {
    const struct timespec tick = {.tv_nsec = MILLISECOND};
    (void)unused;
    while (!atomic_load(&timers.stop)) {
        host_timers_run();
        nanosleep(&tick, NULL);
    }
    return NULL;
}

uint32_t host_timers_clear(void) {
    if (timers.threaded) {
        atomic_store(&timers.stop, true);
        pthread_join(timers.thread, NULL);
        timers.threaded = false;
        atomic_store(&timers.stop, false);
    }
    pthread_mutex_lock(&timers.lock);
    uint32_t left = atomic_exchange(&timers.set, 0);
    InitializeListHead(&timers.list);
    pthread_mutex_unlock(&timers.lock);
    return left;
}

/* Removes a timer from the list; false: it was not set. Under the lock. */
static bool timer_cancel(PKTIMER timer) {
    ensure_list();
    for (LIST_ENTRY *e = timers.list.Flink; e != &timers.list; e = e->Flink)
        if (e == &timer->TimerListEntry) {
            RemoveEntryList(e);
            atomic_fetch_sub(&timers.set, 1);
            return true;
        }
    return false;
}

NTKERNELAPI VOID NTAPI KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type) {
    memset(Timer, 0, sizeof(*Timer));
    host_object_init(&Timer->Header,
                     Type == NotificationTimer ? HOST_OBJECT_NOTIFICATION_TIMER
                                               : HOST_OBJECT_SYNCHRONIZATION_TIMER,
                     0);
}

NTKERNELAPI VOID NTAPI KeInitializeTimer(PKTIMER Timer) {
    KeInitializeTimerEx(Timer, NotificationTimer);
}

NTKERNELAPI BOOLEAN NTAPI KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period,
                                       PKDPC Dpc) {
    host_irql_at_most(DISPATCH_LEVEL, "KeSetTimer");
    pthread_mutex_lock(&timers.lock);
    bool was_set = timer_cancel(Timer);
    host_object_set(&Timer->Header, 0);
    Timer->DueTime.QuadPart = DueTime.QuadPart > 0
                                  ? (uint64_t)DueTime.QuadPart * UNITS_NS
                                  : host_now() + (uint64_t)-DueTime.QuadPart * UNITS_NS;
    Timer->Period = (ULONG)Period;
    Timer->Dpc = Dpc;
    InsertTailList(&timers.list, &Timer->TimerListEntry);
    atomic_fetch_add(&timers.set, 1);
    if (host_world->engines->threaded && !timers.threaded)
        timers.threaded = pthread_create(&timers.thread, NULL, timer_thread, NULL) == 0;
    pthread_mutex_unlock(&timers.lock);
    return was_set;
}

NTKERNELAPI BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) {
    return KeSetTimerEx(Timer, DueTime, 0, Dpc);
}

NTKERNELAPI BOOLEAN NTAPI KeCancelTimer(PKTIMER Timer) {
    host_irql_at_most(DISPATCH_LEVEL, "KeCancelTimer");
    pthread_mutex_lock(&timers.lock);
    bool was_set = timer_cancel(Timer);
    pthread_mutex_unlock(&timers.lock);
    return was_set;
}
