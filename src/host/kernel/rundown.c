/*
 * rundown.c - rundown protection and remove locks: something is in use by many, and at its end one
 * waits until no use is left (pages nf-wdm-exwaitforrundownprotectionrelease,
 * nf-wdm-ioreleaseremovelockandwait).
 *
 * A rundown reference counts uses by two; bit 0 says that it runs down. The one that waits looks
 * again whenever a use ends.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

#define ENDED ((ULONG_PTR)1)
#define USE   ((ULONG_PTR)2)

/* Between looks of the one that waits. */
#define LOOK_100NS (-10000)

NTKERNELAPI VOID NTAPI ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) {
    host_irql_at_most(APC_LEVEL, "ExInitializeRundownProtection");
    __atomic_store_n(&RunRef->Count, 0, __ATOMIC_SEQ_CST);
}

NTKERNELAPI VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) {
    if (RunRef->Count != ENDED)
        host_violation("ExReInitializeRundownProtection of a reference that has not run down");
    ExInitializeRundownProtection(RunRef);
}

NTKERNELAPI BOOLEAN NTAPI ExAcquireRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count) {
    ULONG_PTR value = __atomic_load_n(&RunRef->Count, __ATOMIC_RELAXED);
    host_irql_at_most(DISPATCH_LEVEL, "ExAcquireRundownProtection");
    do {
        if ((value & ENDED) != 0)
            return FALSE;
    } while (!__atomic_compare_exchange_n(&RunRef->Count, &value, value + Count * USE, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return TRUE;
}

NTKERNELAPI BOOLEAN NTAPI ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef) {
    return ExAcquireRundownProtectionEx(RunRef, 1);
}

NTKERNELAPI VOID NTAPI ExReleaseRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count) {
    host_irql_at_most(DISPATCH_LEVEL, "ExReleaseRundownProtection");
    if (__atomic_load_n(&RunRef->Count, __ATOMIC_RELAXED) < Count * USE)
        host_violation("ExReleaseRundownProtection of more than was acquired");
    else
        __atomic_sub_fetch(&RunRef->Count, Count * USE, __ATOMIC_SEQ_CST);
}

NTKERNELAPI VOID NTAPI ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef) {
    ExReleaseRundownProtectionEx(RunRef, 1);
}

NTKERNELAPI VOID NTAPI ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef) {
    LARGE_INTEGER interval = {.QuadPart = LOOK_100NS};
    host_irql_at_most(APC_LEVEL, "ExWaitForRundownProtectionRelease");
    ULONG_PTR value = __atomic_or_fetch(&RunRef->Count, ENDED, __ATOMIC_SEQ_CST);
    while (value != ENDED) {
        KeDelayExecutionThread(KernelMode, FALSE, &interval);
        value = __atomic_load_n(&RunRef->Count, __ATOMIC_SEQ_CST);
    }
}

NTKERNELAPI VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef) {
    host_irql_at_most(APC_LEVEL, "ExRundownCompleted");
    __atomic_store_n(&RunRef->Count, ENDED, __ATOMIC_SEQ_CST);
}

/* ---- Remove locks: 1 for the device itself, 1 for each use -------------------------------------- */

NTKERNELAPI VOID NTAPI IoInitializeRemoveLockEx(PIO_REMOVE_LOCK Lock, ULONG AllocateTag,
                                                ULONG MaxLockedMinutes, ULONG HighWatermark,
                                                ULONG RemlockSize) {
    (void)AllocateTag;
    (void)MaxLockedMinutes;
    (void)HighWatermark;
    (void)RemlockSize;
    host_irql_at_most(PASSIVE_LEVEL, "IoInitializeRemoveLock");
    memset(Lock, 0, sizeof(*Lock));
    Lock->IoCount = 1;
    KeInitializeEvent(&Lock->RemoveEvent, SynchronizationEvent, FALSE);
}

static void remove_lock_release(PIO_REMOVE_LOCK lock) {
    LONG left = __atomic_sub_fetch(&lock->IoCount, 1, __ATOMIC_SEQ_CST);
    if (left < 0)
        host_violation("IoReleaseRemoveLock of more than was acquired");
    else if (left == 0)
        KeSetEvent(&lock->RemoveEvent, IO_NO_INCREMENT, FALSE);
}

NTKERNELAPI NTSTATUS NTAPI IoAcquireRemoveLockEx(PIO_REMOVE_LOCK Lock, PVOID Tag, PCSTR File,
                                                 ULONG Line, ULONG RemlockSize) {
    (void)Tag;
    (void)File;
    (void)Line;
    (void)RemlockSize;
    host_irql_at_most(DISPATCH_LEVEL, "IoAcquireRemoveLock");
    __atomic_add_fetch(&Lock->IoCount, 1, __ATOMIC_SEQ_CST);
    if (!Lock->Removed)
        return STATUS_SUCCESS;
    remove_lock_release(Lock);
    return STATUS_DELETE_PENDING;
}

NTKERNELAPI VOID NTAPI IoReleaseRemoveLockEx(PIO_REMOVE_LOCK Lock, PVOID Tag, ULONG RemlockSize) {
    (void)Tag;
    (void)RemlockSize;
    host_irql_at_most(DISPATCH_LEVEL, "IoReleaseRemoveLock");
    remove_lock_release(Lock);
}

/* The caller's own use ends here as well, and with it the device's. */
NTKERNELAPI VOID NTAPI IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK Lock, PVOID Tag,
                                                    ULONG RemlockSize) {
    (void)Tag;
    (void)RemlockSize;
    host_irql_at_most(PASSIVE_LEVEL, "IoReleaseRemoveLockAndWait");
    Lock->Removed = TRUE;
    remove_lock_release(Lock);
    if (__atomic_sub_fetch(&Lock->IoCount, 1, __ATOMIC_SEQ_CST) > 0)
        KeWaitForSingleObject(&Lock->RemoveEvent, Executive, KernelMode, FALSE, NULL);
}
