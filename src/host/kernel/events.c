/*
 * events.c - the ntoskrnl names of events, semaphores and mutexes: objects of waits.h that a driver
 * signals itself.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/irql.h"
#include "kernel/waits.h"

static LONG object_state(const DISPATCHER_HEADER *header) {
    host_dispatcher_lock();
    LONG state = header->SignalState;
    host_dispatcher_unlock();
    return state;
}

/* ---- Events ---------------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State) {
    host_object_init(&Event->Header, (enum host_object)Type, State != 0, "KeInitializeEvent");
}

static LONG event_set(PRKEVENT event, LONG state, const char *function) {
    if (!host_object_good(&event->Header, function))
        return 0;
    host_dispatcher_lock();
    LONG old = host_object_set(&event->Header, state);
    host_dispatcher_unlock();
    return old;
}

NTKERNELAPI LONG NTAPI KeSetEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait) {
    (void)Increment;
    host_irql_at_most(Wait ? APC_LEVEL : DISPATCH_LEVEL, "KeSetEvent");
    LONG old = event_set(Event, 1, "KeSetEvent");
    if (Wait)
        host_irql_hold();
    return old;
}

/* Wakes the threads that wait now, and leaves the event as it would be had it been reset. */
NTKERNELAPI LONG NTAPI KePulseEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait) {
    (void)Increment;
    host_irql_at_most(DISPATCH_LEVEL, "KePulseEvent");
    if (!host_object_good(&Event->Header, "KePulseEvent"))
        return 0;
    host_dispatcher_lock();
    LONG old = host_object_set(&Event->Header, 1);
    Event->Header.SignalState = 0;
    host_dispatcher_unlock();
    if (Wait)
        host_irql_hold();
    return old;
}

NTKERNELAPI VOID NTAPI KeClearEvent(PRKEVENT Event) {
    host_irql_at_most(DISPATCH_LEVEL, "KeClearEvent");
    (void)event_set(Event, 0, "KeClearEvent");
}

NTKERNELAPI LONG NTAPI KeResetEvent(PRKEVENT Event) {
    host_irql_at_most(DISPATCH_LEVEL, "KeResetEvent");
    return event_set(Event, 0, "KeResetEvent");
}

NTKERNELAPI LONG NTAPI KeReadStateEvent(PRKEVENT Event) {
    host_irql_at_most(DISPATCH_LEVEL, "KeReadStateEvent");
    return object_state(&Event->Header);
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

NTKERNELAPI VOID NTAPI KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit) {
    host_irql_at_most(PASSIVE_LEVEL, "KeInitializeSemaphore");
    if (Count < 0 || Limit <= 0 || Count > Limit)
        host_violation("KeInitializeSemaphore with count %d and limit %d", Count, Limit);
    host_object_init(&Semaphore->Header, HOST_OBJECT_SEMAPHORE, Count, "KeInitializeSemaphore");
    Semaphore->Limit = Limit;
}

NTKERNELAPI LONG NTAPI KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY Increment,
                                          LONG Adjustment, BOOLEAN Wait) {
    (void)Increment;
    host_irql_at_most(Wait ? PASSIVE_LEVEL : DISPATCH_LEVEL, "KeReleaseSemaphore");
    if (!host_object_good(&Semaphore->Header, "KeReleaseSemaphore"))
        return 0;
    host_dispatcher_lock();
    LONG old = Semaphore->Header.SignalState;
    bool fits = Adjustment > 0 && Adjustment <= Semaphore->Limit - old;
    if (fits)
        host_object_set(&Semaphore->Header, old + Adjustment);
    host_dispatcher_unlock();
    if (!fits)
        host_violation("KeReleaseSemaphore by %d at a count of %d, beyond the limit of %d",
                       Adjustment, old, Semaphore->Limit);
    if (Wait)
        host_irql_hold();
    return old;
}

NTKERNELAPI LONG NTAPI KeReadStateSemaphore(PRKSEMAPHORE Semaphore) {
    return object_state(&Semaphore->Header);
}

/* ---- Mutexes --------------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI KeInitializeMutex(PRKMUTEX Mutex, ULONG Level) {
    (void)Level;
    host_object_init(&Mutex->Header, HOST_OBJECT_MUTEX, 1, "KeInitializeMutex");
    Mutex->OwnerThread = NULL;
    Mutex->Abandoned = FALSE;
    Mutex->ApcDisable = 1;
}

NTKERNELAPI LONG NTAPI KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait) {
    host_irql_at_most(DISPATCH_LEVEL, "KeReleaseMutex");
    if (!host_object_good(&Mutex->Header, "KeReleaseMutex"))
        return 0;
    host_dispatcher_lock();
    bool owner = Mutex->OwnerThread == host_thread_self();
    LONG old = Mutex->Header.SignalState;
    if (owner && old == 0) {
        Mutex->OwnerThread = NULL;
        RemoveEntryList(&Mutex->MutantListEntry);
    }
    if (owner)
        host_object_set(&Mutex->Header, old + 1);
    host_dispatcher_unlock();
    if (!owner)
        host_violation("KeReleaseMutex of a mutex that the thread does not own");
    if (Wait)
        host_irql_hold();
    return old;
}

NTKERNELAPI LONG NTAPI KeReadStateMutex(PRKMUTEX Mutex) {
    host_irql_at_most(DISPATCH_LEVEL, "KeReadStateMutex");
    return object_state(&Mutex->Header);
}
