/*
 * ex_timers.c - timers that the system allocates (pages nf-wdm-exallocatetimer, nf-wdm-exsettimer,
 * nf-wdm-excanceltimer, nf-wdm-exdeletetimer): a KTIMER with a DPC that calls the driver back. A
 * period is rounded up to the tick of KTIMERs, a millisecond.
 */
#include "kernel/ex_timers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "kernel/dpc.h"
#include "kernel/timers.h"

#define TICK 10000 /* units of 100 ns */

struct _EX_TIMER {
    KTIMER timer;     /* first: drivers wait for the timer by this address */
    KDPC dpc, reaper; /* calls back; frees the timer */
    PEXT_CALLBACK callback;
    PVOID context;
    struct _EX_TIMER *next;
    _Atomic bool deleted, reaped;
    PEXT_DELETE_CALLBACK deleted_callback;
    PVOID deleted_context;
};

static pthread_mutex_t ex_timer_guard = PTHREAD_MUTEX_INITIALIZER;
static struct _EX_TIMER *ex_timer_list;

static bool ex_timer_there(const struct _EX_TIMER *timer) {
    pthread_mutex_lock(&ex_timer_guard);
    const struct _EX_TIMER *at = ex_timer_list;
    while (at && at != timer)
        at = at->next;
    pthread_mutex_unlock(&ex_timer_guard);
    return at;
}

static bool ex_timer_good(const struct _EX_TIMER *timer, const char *function) {
    bool good = ex_timer_there(timer) && !timer->deleted;
    if (!good)
        host_violation("%s of a timer that ExAllocateTimer did not make, or that is deleted",
                       function);
    return good;
}

static void ex_timer_free(struct _EX_TIMER *timer) {
    struct _EX_TIMER **link = &ex_timer_list;
    pthread_mutex_lock(&ex_timer_guard);
    while (*link && *link != timer)
        link = &(*link)->next;
    if (*link)
        *link = timer->next;
    pthread_mutex_unlock(&ex_timer_guard);
    if (timer->deleted_callback)
        DRIVER_CALL(timer->deleted_callback)(timer->deleted_context);
    free(timer);
}

/* DPCs run one after the other in the order of coming: that of the timer has run before. */
static VOID NTAPI ex_timer_reaped(PKDPC dpc, PVOID context, PVOID one, PVOID two) {
    (void)dpc;
    (void)one;
    (void)two;
    ex_timer_free(context);
}

static void ex_timer_reap(struct _EX_TIMER *timer) {
    if (atomic_exchange(&timer->reaped, true))
        return;
    KeCancelTimer(&timer->timer);
    KeInsertQueueDpc(&timer->reaper, NULL, NULL);
}

static VOID NTAPI ex_timer_expired(PKDPC dpc, PVOID context, PVOID one, PVOID two) {
    struct _EX_TIMER *timer = context;
    (void)dpc;
    (void)one;
    (void)two;
    if (timer->callback)
        DRIVER_CALL(timer->callback)(timer, timer->context);
    if (timer->deleted)
        ex_timer_reap(timer);
}

NTKERNELAPI PEX_TIMER NTAPI ExAllocateTimer(PEXT_CALLBACK Callback, PVOID CallbackContext,
                                            ULONG Attributes) {
    const ULONG both = EX_TIMER_HIGH_RESOLUTION | EX_TIMER_NO_WAKE;
    host_irql_at_most(DISPATCH_LEVEL, "ExAllocateTimer");
    if ((Attributes & both) == both || (Attributes & ~(both | EX_TIMER_NOTIFICATION)) != 0)
        host_violation("ExAllocateTimer with the attributes 0x%x", Attributes);
    struct _EX_TIMER *timer = host_may_allocate() ? calloc(1, sizeof(*timer)) : NULL;
    if (!timer)
        return NULL;
    KeInitializeTimerEx(&timer->timer, Attributes & EX_TIMER_NOTIFICATION ? NotificationTimer
                                                                          : SynchronizationTimer);
    KeInitializeDpc(&timer->dpc, ex_timer_expired, timer);
    KeInitializeDpc(&timer->reaper, ex_timer_reaped, timer);
    timer->callback = Callback;
    timer->context = CallbackContext;
    pthread_mutex_lock(&ex_timer_guard);
    timer->next = ex_timer_list;
    ex_timer_list = timer;
    pthread_mutex_unlock(&ex_timer_guard);
    host_track(HOST_TRACKED_EX_TIMER, timer);
    return timer;
}

NTKERNELAPI BOOLEAN NTAPI ExSetTimer(PEX_TIMER Timer, LONGLONG DueTime, LONGLONG Period,
                                     PEXT_SET_PARAMETERS Parameters) {
    LARGE_INTEGER due = {.QuadPart = DueTime};
    host_irql_at_most(DISPATCH_LEVEL, "ExSetTimer");
    if (!ex_timer_good(Timer, "ExSetTimer"))
        return FALSE;
    if (Period < 0 || Period > MAXLONG)
        host_violation("ExSetTimer with a period of %lld", (long long)Period);
    if (Parameters && Parameters->NoWakeTolerance < EX_TIMER_UNLIMITED_TOLERANCE)
        host_violation("ExSetTimer with a tolerance of %lld",
                       (long long)Parameters->NoWakeTolerance);
    LONG ticks = Period > 0 && Period <= MAXLONG ? (LONG)((Period + TICK - 1) / TICK) : 0;
    return KeSetTimerEx(&Timer->timer, due, ticks, &Timer->dpc);
}

NTKERNELAPI BOOLEAN NTAPI ExCancelTimer(PEX_TIMER Timer, PEXT_CANCEL_PARAMETERS Parameters) {
    (void)Parameters; /* the page: reserved */
    host_irql_at_most(DISPATCH_LEVEL, "ExCancelTimer");
    return ex_timer_good(Timer, "ExCancelTimer") && KeCancelTimer(&Timer->timer);
}

/* One that is set and not cancelled expires once more. */
NTKERNELAPI BOOLEAN NTAPI ExDeleteTimer(PEX_TIMER Timer, BOOLEAN Cancel, BOOLEAN Wait,
                                        PEXT_DELETE_PARAMETERS Parameters) {
    bool allowed = host_irql_at_most(Wait ? APC_LEVEL : DISPATCH_LEVEL, "ExDeleteTimer");
    if (!ex_timer_good(Timer, "ExDeleteTimer"))
        return FALSE;
    if (Wait && !Cancel)
        host_violation("ExDeleteTimer waits for a timer that it does not cancel");
    if (Parameters) {
        Timer->deleted_callback = Parameters->DeleteCallback;
        Timer->deleted_context = Parameters->DeleteContext;
    }
    bool cancelled = Cancel && KeCancelTimer(&Timer->timer);
    Timer->deleted = true;
    host_untrack(HOST_TRACKED_EX_TIMER, Timer);
    if (Cancel || !host_timer_set(&Timer->timer))
        ex_timer_reap(Timer);
    while (Wait && Cancel && allowed && ex_timer_there(Timer)) {
        host_dpcs_run();
        sched_yield();
    }
    return cancelled;
}

uint32_t host_ex_timers_forget(void) {
    uint32_t left = 0;
    while (ex_timer_list) {
        struct _EX_TIMER *timer = ex_timer_list;
        ex_timer_list = timer->next;
        left += !timer->deleted;
        free(timer);
    }
    return left;
}
