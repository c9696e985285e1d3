/*
 * rw_spinlock.c - spin locks for one writer or many readers, and spin locks with a queue in the
 * callers' stacks (pages nf-wdm-exacquirespinlockexclusive, nf-wdm-keacquireinstackqueuedspinlock).
 *
 * The queue of the latter is a promise of fairness; here they are the spin locks of spinlock.c, so
 * that both kinds of calls may not be mixed is all that a driver sees of it.
 */
#include <sched.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/halted.h"
#include "kernel/irql.h"

static void rw_spin(PEX_SPIN_LOCK lock, bool shared) {
    for (;;) {
        LONG value = __atomic_load_n(lock, __ATOMIC_RELAXED);
        LONG next = shared ? value + 1 : INT32_MIN;
        if ((shared ? value >= 0 : value == 0) &&
            __atomic_compare_exchange_n(lock, &value, next, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return;
        host_halted_spins(0, NULL);
        sched_yield();
        host_yield(); /* virtual time: to a thread that yielded while it holds the lock */
    }
}

static void rw_unlock(PEX_SPIN_LOCK lock, bool shared, const char *function) {
    LONG value = __atomic_load_n(lock, __ATOMIC_RELAXED);
    if (shared ? value <= 0 : value != INT32_MIN)
        host_violation("%s of a spin lock that is not held like that", function);
    else if (shared)
        __atomic_sub_fetch(lock, 1, __ATOMIC_RELEASE);
    else
        __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static KIRQL rw_acquire(PEX_SPIN_LOCK lock, bool shared, const char *function) {
    KIRQL old = host_self.irql;
    if (host_irql_at_most(DISPATCH_LEVEL, function))
        host_irql_raise(DISPATCH_LEVEL);
    rw_spin(lock, shared);
    return old;
}

static void rw_release(PEX_SPIN_LOCK lock, bool shared, KIRQL old, const char *function) {
    host_irql_exactly(DISPATCH_LEVEL, function);
    rw_unlock(lock, shared, function);
    if (old <= host_self.irql)
        host_irql_lower(old);
    else
        host_violation("%s to IRQL %u was called at IRQL %u", function, old, host_self.irql);
}

NTKERNELAPI KIRQL NTAPI ExAcquireSpinLockExclusive(PEX_SPIN_LOCK SpinLock) {
    return rw_acquire(SpinLock, false, "ExAcquireSpinLockExclusive");
}

NTKERNELAPI KIRQL NTAPI ExAcquireSpinLockShared(PEX_SPIN_LOCK SpinLock) {
    return rw_acquire(SpinLock, true, "ExAcquireSpinLockShared");
}

NTKERNELAPI VOID NTAPI ExReleaseSpinLockExclusive(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql) {
    rw_release(SpinLock, false, OldIrql, "ExReleaseSpinLockExclusive");
}

NTKERNELAPI VOID NTAPI ExReleaseSpinLockShared(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql) {
    rw_release(SpinLock, true, OldIrql, "ExReleaseSpinLockShared");
}

NTKERNELAPI VOID NTAPI ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "ExAcquireSpinLockExclusiveAtDpcLevel");
    rw_spin(SpinLock, false);
}

NTKERNELAPI VOID NTAPI ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "ExAcquireSpinLockSharedAtDpcLevel");
    rw_spin(SpinLock, true);
}

NTKERNELAPI VOID NTAPI ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "ExReleaseSpinLockExclusiveFromDpcLevel");
    rw_unlock(SpinLock, false, "ExReleaseSpinLockExclusiveFromDpcLevel");
}

NTKERNELAPI VOID NTAPI ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "ExReleaseSpinLockSharedFromDpcLevel");
    rw_unlock(SpinLock, true, "ExReleaseSpinLockSharedFromDpcLevel");
}

/* TRUE: the caller was the only reader, and is the writer now. */
NTKERNELAPI LOGICAL NTAPI ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK SpinLock) {
    LONG alone = 1;
    host_irql_at_least(DISPATCH_LEVEL, "ExTryConvertSharedSpinLockExclusive");
    return __atomic_compare_exchange_n(SpinLock, &alone, INT32_MIN, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* ---- Queued spin locks ------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock,
                                                      PKLOCK_QUEUE_HANDLE LockHandle) {
    LockHandle->LockQueue.Lock = SpinLock;
    LockHandle->OldIrql = KeAcquireSpinLockRaiseToDpc(SpinLock);
}

NTKERNELAPI VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle) {
    KeReleaseSpinLock(LockHandle->LockQueue.Lock, LockHandle->OldIrql);
}

NTKERNELAPI VOID NTAPI KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock,
                                                                PKLOCK_QUEUE_HANDLE LockHandle) {
    LockHandle->LockQueue.Lock = SpinLock;
    LockHandle->OldIrql = host_self.irql;
    KeAcquireSpinLockAtDpcLevel(SpinLock);
}

NTKERNELAPI VOID NTAPI KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle) {
    KeReleaseSpinLockFromDpcLevel(LockHandle->LockQueue.Lock);
}

NTKERNELAPI BOOLEAN NTAPI KeTestSpinLock(PKSPIN_LOCK SpinLock) {
    return __atomic_load_n(SpinLock, __ATOMIC_RELAXED) == 0;
}
