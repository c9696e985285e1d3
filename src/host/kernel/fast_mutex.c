/*
 * fast_mutex.c - fast mutexes and guarded mutexes: a synchronization event that one thread has. The
 * owner of a fast mutex runs at APC_LEVEL; that of a guarded mutex keeps its IRQL.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/irql.h"
#include "kernel/stall.h"
#include "kernel/waits.h"

static void fast_mutex_init(PFAST_MUTEX mutex, const char *function) {
    host_object_init(&mutex->Event.Header, HOST_OBJECT_SYNCHRONIZATION_EVENT, 1, function);
    mutex->Count = 1;
    mutex->Owner = NULL;
    mutex->Contention = 0;
    mutex->OldIrql = PASSIVE_LEVEL;
}

static void *fast_mutex_owner(PFAST_MUTEX mutex) {
    host_dispatcher_lock();
    void *owner = mutex->Owner;
    host_dispatcher_unlock();
    return owner;
}

static void fast_mutex_own(PFAST_MUTEX mutex, void *owner) {
    host_dispatcher_lock();
    mutex->Owner = owner;
    mutex->Count = !owner;
    host_dispatcher_unlock();
}

/* False: a violation, and the mutex stays with its owner. */
static bool fast_mutex_acquire(PFAST_MUTEX mutex, const char *function) {
    void *self = host_thread_self();
    if (!host_object_good(&mutex->Event.Header, function))
        return false;
    if (fast_mutex_owner(mutex) == self) {
        host_violation("%s of a mutex that the thread owns already", function);
        return false;
    }
    const uint64_t never = UINT64_MAX;
    struct host_link link = {.object = &mutex->Event.Header};
    if (host_wait(&link, 1, false, &never) != HOST_SLEEP_WOKEN) {
        host_violation("%s waits for ever: no thread is left to release the mutex", function);
        return false;
    }
    fast_mutex_own(mutex, self);
    return true;
}

static bool fast_mutex_try(PFAST_MUTEX mutex, const char *function) {
    host_irql_at_most(APC_LEVEL, function);
    if (!host_object_good(&mutex->Event.Header, function))
        return false;
    struct host_link link = {.object = &mutex->Event.Header};
    if (host_wait(&link, 1, false, NULL) != HOST_SLEEP_WOKEN) {
        host_polled();
        return false;
    }
    fast_mutex_own(mutex, host_thread_self());
    return true;
}

static bool fast_mutex_release(PFAST_MUTEX mutex, const char *function) {
    if (!host_object_good(&mutex->Event.Header, function))
        return false;
    if (fast_mutex_owner(mutex) != host_thread_self()) {
        host_violation("%s of a mutex that the thread does not own", function);
        return false;
    }
    host_dispatcher_lock();
    mutex->Owner = NULL;
    mutex->Count = 1;
    host_object_set(&mutex->Event.Header, 1);
    host_dispatcher_unlock();
    return true;
}

/* ---- Fast mutexes ---------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX FastMutex) {
    host_irql_at_most(DISPATCH_LEVEL, "ExInitializeFastMutex");
    fast_mutex_init(FastMutex, "ExInitializeFastMutex");
}

static void raise_to_apc(PFAST_MUTEX mutex) {
    mutex->OldIrql = host_self.irql < APC_LEVEL ? host_irql_raise(APC_LEVEL) : APC_LEVEL;
}

NTKERNELAPI VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX FastMutex) {
    host_irql_at_most(APC_LEVEL, "ExAcquireFastMutex");
    if (fast_mutex_acquire(FastMutex, "ExAcquireFastMutex"))
        raise_to_apc(FastMutex);
}

NTKERNELAPI BOOLEAN NTAPI ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex) {
    if (!fast_mutex_try(FastMutex, "ExTryToAcquireFastMutex"))
        return FALSE;
    raise_to_apc(FastMutex);
    return TRUE;
}

NTKERNELAPI VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX FastMutex) {
    KIRQL old = (KIRQL)FastMutex->OldIrql;
    host_irql_at_most(APC_LEVEL, "ExReleaseFastMutex");
    if (fast_mutex_release(FastMutex, "ExReleaseFastMutex"))
        host_irql_lower(old);
}

/* The owner has disabled APCs itself, and keeps its IRQL (nf-wdm-exacquirefastmutexunsafe). */
NTKERNELAPI VOID NTAPI ExAcquireFastMutexUnsafe(PFAST_MUTEX FastMutex) {
    host_irql_at_most(APC_LEVEL, "ExAcquireFastMutexUnsafe");
    if (!KeAreApcsDisabled())
        host_violation("ExAcquireFastMutexUnsafe where APCs are not disabled");
    (void)fast_mutex_acquire(FastMutex, "ExAcquireFastMutexUnsafe");
}

NTKERNELAPI VOID NTAPI ExReleaseFastMutexUnsafe(PFAST_MUTEX FastMutex) {
    host_irql_at_most(APC_LEVEL, "ExReleaseFastMutexUnsafe");
    (void)fast_mutex_release(FastMutex, "ExReleaseFastMutexUnsafe");
}

/* ---- Guarded mutexes ------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI KeInitializeGuardedMutex(PKGUARDED_MUTEX Mutex) {
    host_irql_at_most(APC_LEVEL, "KeInitializeGuardedMutex");
    fast_mutex_init(Mutex, "KeInitializeGuardedMutex");
}

NTKERNELAPI VOID NTAPI KeAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
    host_irql_at_most(APC_LEVEL, "KeAcquireGuardedMutex");
    (void)fast_mutex_acquire(Mutex, "KeAcquireGuardedMutex");
}

NTKERNELAPI BOOLEAN NTAPI KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
    return fast_mutex_try(Mutex, "KeTryToAcquireGuardedMutex");
}

NTKERNELAPI VOID NTAPI KeReleaseGuardedMutex(PKGUARDED_MUTEX Mutex) {
    host_irql_at_most(APC_LEVEL, "KeReleaseGuardedMutex");
    (void)fast_mutex_release(Mutex, "KeReleaseGuardedMutex");
}
