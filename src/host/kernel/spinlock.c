/*
 * spinlock.c - KSPIN_LOCK: real locks between threads, whose value is the owner's identity.
 *
 * With the owner known, a thread that takes a lock twice is reported instead of hanging, and so is
 * a release by another thread.
 */
#include <sched.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/halted.h"
#include "kernel/irql.h"

#define SPINS_BEFORE_YIELD 100u

NTKERNELAPI VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK SpinLock) {
    __atomic_store_n(SpinLock, 0, __ATOMIC_RELEASE);
}

static bool try_lock(PKSPIN_LOCK lock) {
    KSPIN_LOCK unlocked = 0;
    return __atomic_compare_exchange_n(lock, &unlocked, (KSPIN_LOCK)host_thread_id(), false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void lock_spin(PKSPIN_LOCK lock) {
    uint32_t spins = 0;
    while (!try_lock(lock)) {
        uint64_t owner = __atomic_load_n(lock, __ATOMIC_RELAXED);
        if (owner == host_thread_id()) {
            host_violation("a spin lock was acquired by the thread that holds it already");
            return;
        }
        if (owner != 0)
            host_halted_spins(owner, lock);
        if (++spins % SPINS_BEFORE_YIELD == 0) {
            sched_yield();
            host_yield(); /* virtual time: to a thread that yielded while it holds the lock */
        }
    }
}

static void unlock_spin(PKSPIN_LOCK lock) {
    if (__atomic_load_n(lock, __ATOMIC_RELAXED) != host_thread_id())
        host_violation("a spin lock was released by a thread that does not hold it");
    else
        __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    host_halted_unlocked(lock);
}

NTKERNELAPI KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock) {
    KIRQL old = host_self.irql;
    if (host_irql_at_most(DISPATCH_LEVEL, "KeAcquireSpinLock"))
        host_irql_raise(DISPATCH_LEVEL);
    lock_spin(SpinLock);
    return old;
}

NTKERNELAPI VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql) {
    host_irql_exactly(DISPATCH_LEVEL, "KeReleaseSpinLock");
    unlock_spin(SpinLock);
    if (NewIrql > host_self.irql)
        host_violation("KeReleaseSpinLock to IRQL %u was called at IRQL %u", NewIrql,
                       host_self.irql);
    else
        host_irql_lower(NewIrql);
}

NTKERNELAPI VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "KeAcquireSpinLockAtDpcLevel");
    lock_spin(SpinLock);
}

NTKERNELAPI BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "KeTryToAcquireSpinLockAtDpcLevel");
    return try_lock(SpinLock);
}

NTKERNELAPI VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock) {
    host_irql_at_least(DISPATCH_LEVEL, "KeReleaseSpinLockFromDpcLevel");
    unlock_spin(SpinLock);
}

/* ---- Lists under a lock of their own --------------------------------------------------------- */

/* At any IRQL: interrupts wait meanwhile. */
static KIRQL lock_list(PKSPIN_LOCK lock) {
    KIRQL old = host_self.irql < HIGH_LEVEL ? host_irql_raise(HIGH_LEVEL) : HIGH_LEVEL;
    lock_spin(lock);
    return old;
}

static void unlock_list(PKSPIN_LOCK lock, KIRQL old) {
    unlock_spin(lock);
    host_irql_lower(old);
}

NTKERNELAPI PLIST_ENTRY NTAPI ExInterlockedInsertHeadList(PLIST_ENTRY ListHead,
                                                          PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
    KIRQL old = lock_list(Lock);
    PLIST_ENTRY first = IsListEmpty(ListHead) ? NULL : ListHead->Flink;
    InsertHeadList(ListHead, ListEntry);
    unlock_list(Lock, old);
    return first;
}

NTKERNELAPI PLIST_ENTRY NTAPI ExInterlockedInsertTailList(PLIST_ENTRY ListHead,
                                                          PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
    KIRQL old = lock_list(Lock);
    PLIST_ENTRY last = IsListEmpty(ListHead) ? NULL : ListHead->Blink;
    InsertTailList(ListHead, ListEntry);
    unlock_list(Lock, old);
    return last;
}

NTKERNELAPI PLIST_ENTRY NTAPI ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
    KIRQL old = lock_list(Lock);
    PLIST_ENTRY first = IsListEmpty(ListHead) ? NULL : RemoveHeadList(ListHead);
    unlock_list(Lock, old);
    return first;
}
