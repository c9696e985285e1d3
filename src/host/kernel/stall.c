/* stall.c - busy waiting of stall.h, and the ntoskrnl names that read the time. */
#include "kernel/stall.h"

#include <sched.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/clock.h"
#include "kernel/dispatcher.h"
#include "kernel/engines.h"
#include "kernel/timers.h"

/* So many polls in a row take so much time. */
#define POLLS    64u
#define POLLS_NS 1000u
/* KeQueryTimeIncrement: the interval of the clock interrupt, in units. */
#define TICK_UNITS 156250u

/* At a level where another thread may run, the stall is a sleep: the others have their own
 * processors, and time passes for all of them at once. */
void host_stall(uint64_t ns) {
    uint64_t end = host_now() + ns;
    if (host_world->engines->threaded) {
        while (host_now() < end)
            sched_yield();
        return;
    }
    if (host_self.irql < DISPATCH_LEVEL && host_self.in_model == 0) {
        host_dispatcher_lock();
        (void)host_thread_sleep(NULL, 0, end);
        host_dispatcher_unlock();
        return;
    }
    while (host_now() < end && host_pump())
        ;
    host_advance_to(end);
    (void)host_timers_run();
}

void host_polled(void) {
    uint64_t turn = host_dispatcher_turn();
    if (host_self.polled_turn != turn)
        host_self.polls = 0;
    host_self.polled_turn = turn;
    if (++host_self.polls < POLLS || host_world->engines->threaded)
        return;
    host_self.polls = 0;
    host_stall(POLLS_NS);
}

NTKERNELAPI VOID NTAPI KeStallExecutionProcessor(ULONG MicroSeconds) {
    host_stall((uint64_t)MicroSeconds * 1000);
}

static uint64_t units_now(void) {
    host_polled();
    return host_now() / HOST_TIME_UNIT_NS;
}

NTKERNELAPI LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency) {
    LARGE_INTEGER now = {.QuadPart = (LONGLONG)units_now()};
    if (PerformanceFrequency)
        PerformanceFrequency->QuadPart = 1000000000 / HOST_TIME_UNIT_NS;
    return now;
}

NTKERNELAPI VOID NTAPI KeQuerySystemTime(PLARGE_INTEGER CurrentTime) {
    host_polled();
    CurrentTime->QuadPart = (LONGLONG)host_system_time();
}

NTKERNELAPI ULONGLONG NTAPI KeQueryInterruptTime(VOID) {
    return units_now();
}

NTKERNELAPI VOID NTAPI KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime) {
    KeQuerySystemTime(CurrentTime);
}

NTKERNELAPI ULONGLONG NTAPI KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp) {
    ULONGLONG now = units_now();
    *QpcTimeStamp = now; /* the performance counter counts the same units */
    return now;
}

/* The system never sleeps. */
NTKERNELAPI ULONGLONG NTAPI KeQueryUnbiasedInterruptTime(VOID) {
    return units_now();
}

NTKERNELAPI ULONG NTAPI KeQueryTimeIncrement(VOID) {
    return TICK_UNITS;
}

/* A tick is KeQueryTimeIncrement long. */
NTKERNELAPI VOID NTAPI KeQueryTickCount(PLARGE_INTEGER CurrentCount) {
    CurrentCount->QuadPart = (LONGLONG)(units_now() / TICK_UNITS);
}

/* Caches are coherent here. */
NTKERNELAPI BOOLEAN NTAPI KeInvalidateAllCaches(VOID) {
    host_irql_at_most(DISPATCH_LEVEL, "KeInvalidateAllCaches");
    return TRUE;
}
