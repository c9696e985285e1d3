/* dispatcher.c - waitable objects of dispatcher.h, and the waits. */
#include "kernel/dispatcher.h"

#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/engines.h"
#include "kernel/irql.h"
#include "kernel/threads.h"

#define UNITS_NS 100u /* of LARGE_INTEGER times */

static pthread_mutex_t dispatcher = PTHREAD_MUTEX_INITIALIZER;

void host_object_init(DISPATCHER_HEADER *header, enum host_object type, LONG state) {
    memset(header, 0, sizeof(*header));
    header->Type = (UCHAR)type;
    header->SignalState = state;
    InitializeListHead(&header->WaitListHead);
}

LONG host_object_set(DISPATCHER_HEADER *header, LONG state) {
    pthread_mutex_lock(&dispatcher);
    LONG old = header->SignalState;
    header->SignalState = state;
    pthread_mutex_unlock(&dispatcher);
    if (state > 0)
        host_wake();
    return old;
}

static bool is_signalled(const DISPATCHER_HEADER *header) {
    bool own = header->Type == HOST_OBJECT_MUTEX &&
               ((const KMUTEX *)header)->OwnerThread == KeGetCurrentThread();
    return own || header->SignalState > 0;
}

/* The effect of a satisfied wait on an object. */
static void dispatcher_take(DISPATCHER_HEADER *header) {
    switch ((enum host_object)header->Type) {
    case HOST_OBJECT_MUTEX:
        header->SignalState--;
        ((KMUTEX *)header)->OwnerThread = KeGetCurrentThread();
        break;
    case HOST_OBJECT_SEMAPHORE:
        header->SignalState--;
        break;
    case HOST_OBJECT_SYNCHRONIZATION_EVENT:
    case HOST_OBJECT_SYNCHRONIZATION_TIMER:
        header->SignalState = 0;
        break;
    case HOST_OBJECT_NOTIFICATION_EVENT:
    case HOST_OBJECT_NOTIFICATION_TIMER:
    case HOST_OBJECT_THREAD:
        break;
    }
}

/* A wait for one object, any of several, or all of them. */
struct wait {
    PVOID *object;
    ULONG count;
    WAIT_TYPE type;
};

/* Satisfies a wait with all objects, or with the first that is signalled; returns that one's index.
 * NOT_YET: the wait goes on. */
#define NOT_YET UINT32_MAX
static ULONG try_wait(const struct wait *wait) {
    ULONG first = NOT_YET, signalled = 0;
    pthread_mutex_lock(&dispatcher);
    for (ULONG i = 0; i < wait->count; i++)
        if (is_signalled(wait->object[i])) {
            signalled++;
            first = first == NOT_YET ? i : first;
        }
    if (wait->type == WaitAny && first != NOT_YET) {
        dispatcher_take(wait->object[first]);
    } else if (wait->type == WaitAll && signalled == wait->count) {
        for (ULONG i = 0; i < wait->count; i++)
            dispatcher_take(wait->object[i]);
        first = 0;
    } else {
        first = NOT_YET;
    }
    pthread_mutex_unlock(&dispatcher);
    return first;
}

static bool try_object(DISPATCHER_HEADER *header) {
    PVOID object = header;
    return try_wait(&(struct wait){&object, 1, WaitAny}) != NOT_YET;
}

/* When a relative (negative) or absolute time of 100 ns units ends, in host_now(). */
static uint64_t deadline_of(const LARGE_INTEGER *timeout) {
    if (!timeout)
        return UINT64_MAX;
    if (timeout->QuadPart > 0)
        return (uint64_t)timeout->QuadPart * UNITS_NS;
    return host_now() + (uint64_t)-timeout->QuadPart * UNITS_NS;
}

static NTSTATUS wait_for(const struct wait *wait, const LARGE_INTEGER *timeout,
                         const char *function) {
    bool polls = timeout && timeout->QuadPart == 0;
    if (!host_irql_at_most(polls ? DISPATCH_LEVEL : APC_LEVEL, function))
        polls = true;
    uint64_t deadline = deadline_of(timeout);
    for (;;) {
        ULONG satisfied = try_wait(wait);
        if (satisfied != NOT_YET)
            return (NTSTATUS)(STATUS_WAIT_0 + (NTSTATUS)satisfied);
        if (polls)
            return STATUS_TIMEOUT;
        if (!timeout && host_thread_idles())
            continue;
        if (host_sleep(deadline))
            continue;
        satisfied = try_wait(wait); /* once more at the deadline */
        if (satisfied != NOT_YET)
            return (NTSTATUS)(STATUS_WAIT_0 + (NTSTATUS)satisfied);
        if (!timeout)
            host_violation("%s without a timeout waits for ever: the hardware is idle and nothing "
                           "else can signal the object",
                           function);
        return STATUS_TIMEOUT;
    }
}

NTKERNELAPI NTSTATUS NTAPI KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason,
                                                 KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                                 PLARGE_INTEGER Timeout) {
    (void)WaitReason;
    (void)WaitMode;
    (void)Alertable;
    return wait_for(&(struct wait){&Object, 1, WaitAny}, Timeout, "KeWaitForSingleObject");
}

NTKERNELAPI NTSTATUS NTAPI KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType,
                                                    KWAIT_REASON WaitReason,
                                                    KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                                    PLARGE_INTEGER Timeout,
                                                    PKWAIT_BLOCK WaitBlockArray) {
    (void)WaitReason;
    (void)WaitMode;
    (void)Alertable;
    if (Count == 0 || Count > MAXIMUM_WAIT_OBJECTS ||
        (Count > THREAD_WAIT_OBJECTS && !WaitBlockArray)) {
        host_violation("KeWaitForMultipleObjects of %u objects%s", Count,
                       Count <= MAXIMUM_WAIT_OBJECTS ? " needs wait blocks" : "");
        return STATUS_INVALID_PARAMETER;
    }
    return wait_for(&(struct wait){Object, Count, WaitType}, Timeout, "KeWaitForMultipleObjects");
}

NTKERNELAPI NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                                  PLARGE_INTEGER Interval) {
    (void)WaitMode;
    (void)Alertable;
    if (!host_irql_at_most(APC_LEVEL, "KeDelayExecutionThread"))
        return STATUS_UNSUCCESSFUL;
    uint64_t deadline = deadline_of(Interval);
    while (host_sleep(deadline))
        ;
    return STATUS_SUCCESS;
}

/* ---- Events, mutexes, semaphores ------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State) {
    host_object_init(&Event->Header, (enum host_object)Type, State != 0);
}

NTKERNELAPI LONG NTAPI KeSetEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait) {
    (void)Increment;
    (void)Wait;
    host_irql_at_most(DISPATCH_LEVEL, "KeSetEvent");
    return host_object_set(&Event->Header, 1);
}

NTKERNELAPI VOID NTAPI KeClearEvent(PRKEVENT Event) {
    host_object_set(&Event->Header, 0);
}

NTKERNELAPI LONG NTAPI KeResetEvent(PRKEVENT Event) {
    return host_object_set(&Event->Header, 0);
}

NTKERNELAPI LONG NTAPI KeReadStateEvent(PRKEVENT Event) {
    pthread_mutex_lock(&dispatcher);
    LONG state = Event->Header.SignalState;
    pthread_mutex_unlock(&dispatcher);
    return state;
}

NTKERNELAPI VOID NTAPI KeInitializeMutex(PRKMUTEX Mutex, ULONG Level) {
    (void)Level;
    memset(Mutex, 0, sizeof(*Mutex));
    host_object_init(&Mutex->Header, HOST_OBJECT_MUTEX, 1);
}

NTKERNELAPI LONG NTAPI KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait) {
    (void)Wait;
    host_irql_at_most(DISPATCH_LEVEL, "KeReleaseMutex");
    PKTHREAD self = KeGetCurrentThread();
    pthread_mutex_lock(&dispatcher);
    bool owner = Mutex->OwnerThread == self;
    LONG old = Mutex->Header.SignalState;
    if (owner && ++Mutex->Header.SignalState == 1)
        Mutex->OwnerThread = NULL;
    pthread_mutex_unlock(&dispatcher);
    if (!owner)
        host_violation("KeReleaseMutex of a mutex that the thread does not own");
    host_wake();
    return old;
}

NTKERNELAPI VOID NTAPI KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit) {
    host_object_init(&Semaphore->Header, HOST_OBJECT_SEMAPHORE, Count);
    Semaphore->Limit = Limit;
}

NTKERNELAPI LONG NTAPI KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY Increment,
                                          LONG Adjustment, BOOLEAN Wait) {
    (void)Increment;
    (void)Wait;
    host_irql_at_most(DISPATCH_LEVEL, "KeReleaseSemaphore");
    pthread_mutex_lock(&dispatcher);
    LONG old = Semaphore->Header.SignalState;
    bool fits = Adjustment <= Semaphore->Limit - old;
    if (fits)
        Semaphore->Header.SignalState = old + Adjustment;
    pthread_mutex_unlock(&dispatcher);
    if (!fits)
        host_violation("KeReleaseSemaphore beyond the limit of %d", Semaphore->Limit);
    host_wake();
    return old;
}

/* ---- Fast mutexes: an event under APC_LEVEL -------------------------------------------------- */

NTKERNELAPI VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX FastMutex) {
    memset(FastMutex, 0, sizeof(*FastMutex));
    FastMutex->Count = 1;
    KeInitializeEvent(&FastMutex->Event, SynchronizationEvent, TRUE);
}

static void fast_mutex_taken(PFAST_MUTEX mutex) {
    mutex->Owner = KeGetCurrentThread();
    mutex->OldIrql = host_self.irql < APC_LEVEL ? host_irql_raise(APC_LEVEL) : APC_LEVEL;
}

NTKERNELAPI VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX FastMutex) {
    host_irql_at_most(APC_LEVEL, "ExAcquireFastMutex");
    while (!try_object(&FastMutex->Event.Header))
        if (!host_sleep(UINT64_MAX)) {
            host_violation(
                "ExAcquireFastMutex waits for ever: no thread is left to release the mutex");
            break;
        }
    fast_mutex_taken(FastMutex);
}

NTKERNELAPI BOOLEAN NTAPI ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex) {
    host_irql_at_most(APC_LEVEL, "ExTryToAcquireFastMutex");
    if (!try_object(&FastMutex->Event.Header))
        return FALSE;
    fast_mutex_taken(FastMutex);
    return TRUE;
}

NTKERNELAPI VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX FastMutex) {
    KIRQL old = (KIRQL)FastMutex->OldIrql;
    if (FastMutex->Owner != KeGetCurrentThread())
        host_violation("ExReleaseFastMutex of a mutex that the thread does not own");
    FastMutex->Owner = NULL;
    host_object_set(&FastMutex->Event.Header, 1);
    host_irql_lower(old);
}

NTKERNELAPI VOID NTAPI KeEnterCriticalRegion(VOID) {
    host_irql_at_most(APC_LEVEL, "KeEnterCriticalRegion");
}

NTKERNELAPI VOID NTAPI KeLeaveCriticalRegion(VOID) {
    host_irql_at_most(APC_LEVEL, "KeLeaveCriticalRegion");
}

/* ---- Time ------------------------------------------------------------------------------------ */

NTKERNELAPI VOID NTAPI KeStallExecutionProcessor(ULONG MicroSeconds) {
    host_stall((uint64_t)MicroSeconds * 1000);
}

NTKERNELAPI LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency) {
    LARGE_INTEGER now = {.QuadPart = (LONGLONG)(host_now() / UNITS_NS)};
    if (PerformanceFrequency)
        PerformanceFrequency->QuadPart = 10000000;
    return now;
}

NTKERNELAPI VOID NTAPI KeQuerySystemTime(PLARGE_INTEGER CurrentTime) {
    CurrentTime->QuadPart = (LONGLONG)(host_now() / UNITS_NS);
}

NTKERNELAPI ULONGLONG NTAPI KeQueryInterruptTime(VOID) {
    return host_now() / UNITS_NS;
}

NTKERNELAPI ULONG NTAPI KeQueryTimeIncrement(VOID) {
    return 156250;
}

/* A tick is KeQueryTimeIncrement long. */
NTKERNELAPI VOID NTAPI KeQueryTickCount(PLARGE_INTEGER CurrentCount) {
    CurrentCount->QuadPart = (LONGLONG)(host_now() / UNITS_NS / KeQueryTimeIncrement());
}

/* Caches are coherent here. */
NTKERNELAPI BOOLEAN NTAPI KeInvalidateAllCaches(VOID) {
    return TRUE;
}
