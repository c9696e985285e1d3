/* SPDX-License-Identifier: MIT */
/*
 * Locks of the executive: resources, push locks, reader/writer and queued spin locks, rundown
 * protection, remove locks; and lookaside lists (wdm reference pages).
 */
#ifndef WDDM_WDM_LOCKS_H
#define WDDM_WDM_LOCKS_H

#include "wdm_interlocked.h"
#include "wdm_memory.h"
#include "wdm_sync.h"

WDDM_BEGIN_DECLS

/* One owner, or many that share; an owner may acquire it again. */
typedef struct WDDM_LAYOUT _ERESOURCE {
    LIST_ENTRY SystemResourcesList;
    PVOID OwnerTable; /* those that share */
    SHORT ActiveCount;
    USHORT Flag;
    PVOID SharedWaiters;
    PVOID ExclusiveWaiters;
    ULONG_PTR OwnerThread; /* the one that owns it alone */
    ULONG OwnerCount;
    ULONG ActiveEntries; /* how many threads share it */
    ULONG ContentionCount;
    ULONG NumberOfSharedWaiters;
    ULONG NumberOfExclusiveWaiters;
    ULONG_PTR CreatorBackTraceIndex;
    KSPIN_LOCK SpinLock;
} ERESOURCE, *PERESOURCE;
typedef ULONG_PTR ERESOURCE_THREAD, *PERESOURCE_THREAD;

NTKERNELAPI NTSTATUS NTAPI ExInitializeResourceLite(PERESOURCE Resource);
NTKERNELAPI NTSTATUS NTAPI ExReinitializeResourceLite(PERESOURCE Resource);
NTKERNELAPI NTSTATUS NTAPI ExDeleteResourceLite(PERESOURCE Resource);
NTKERNELAPI BOOLEAN NTAPI ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait);
NTKERNELAPI BOOLEAN NTAPI ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait);
NTKERNELAPI BOOLEAN NTAPI ExAcquireSharedStarveExclusive(PERESOURCE Resource, BOOLEAN Wait);
NTKERNELAPI BOOLEAN NTAPI ExAcquireSharedWaitForExclusive(PERESOURCE Resource, BOOLEAN Wait);
NTKERNELAPI VOID NTAPI ExReleaseResourceLite(PERESOURCE Resource);
NTKERNELAPI VOID NTAPI ExReleaseResourceForThreadLite(PERESOURCE Resource,
                                                      ERESOURCE_THREAD ResourceThreadId);
NTKERNELAPI VOID NTAPI ExConvertExclusiveToSharedLite(PERESOURCE Resource);
NTKERNELAPI BOOLEAN NTAPI ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource);
NTKERNELAPI ULONG NTAPI ExIsResourceAcquiredSharedLite(PERESOURCE Resource);
#define ExIsResourceAcquiredLite     ExIsResourceAcquiredSharedLite
#define ExGetCurrentResourceThread() ((ERESOURCE_THREAD)KeGetCurrentThread())
#define ExEnterCriticalRegionAndAcquireResourceExclusive(Resource)                                 \
    (KeEnterCriticalRegion(), (PVOID)(ULONG_PTR)ExAcquireResourceExclusiveLite((Resource), TRUE))
#define ExEnterCriticalRegionAndAcquireResourceShared(Resource)                                    \
    (KeEnterCriticalRegion(), (PVOID)(ULONG_PTR)ExAcquireResourceSharedLite((Resource), TRUE))
#define ExReleaseResourceAndLeaveCriticalRegion(Resource)                                          \
    (ExReleaseResourceLite(Resource), KeLeaveCriticalRegion())

/* The size of a pointer; it knows no owner, so an owner may not acquire it again. */
typedef ULONG_PTR EX_PUSH_LOCK, *PEX_PUSH_LOCK;
NTKERNELAPI VOID NTAPI ExInitializePushLock(PEX_PUSH_LOCK PushLock);
NTKERNELAPI VOID NTAPI ExAcquirePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
NTKERNELAPI VOID NTAPI ExAcquirePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
NTKERNELAPI VOID NTAPI ExReleasePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
NTKERNELAPI VOID NTAPI ExReleasePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
#define EX_DEFAULT_PUSH_LOCK_FLAGS    0
#define ExAcquirePushLockExclusive(L) ExAcquirePushLockExclusiveEx((L), 0)
#define ExAcquirePushLockShared(L)    ExAcquirePushLockSharedEx((L), 0)
#define ExReleasePushLockExclusive(L) ExReleasePushLockExclusiveEx((L), 0)
#define ExReleasePushLockShared(L)    ExReleasePushLockSharedEx((L), 0)

/* Spin locks for one writer or many readers. */
typedef LONG EX_SPIN_LOCK, *PEX_SPIN_LOCK;
NTKERNELAPI KIRQL NTAPI ExAcquireSpinLockExclusive(PEX_SPIN_LOCK SpinLock);
NTKERNELAPI KIRQL NTAPI ExAcquireSpinLockShared(PEX_SPIN_LOCK SpinLock);
NTKERNELAPI VOID NTAPI ExReleaseSpinLockExclusive(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql);
NTKERNELAPI VOID NTAPI ExReleaseSpinLockShared(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql);
NTKERNELAPI VOID NTAPI ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK SpinLock);
NTKERNELAPI VOID NTAPI ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK SpinLock);
NTKERNELAPI VOID NTAPI ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK SpinLock);
NTKERNELAPI VOID NTAPI ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK SpinLock);
NTKERNELAPI LOGICAL NTAPI ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK SpinLock);

typedef struct WDDM_LAYOUT _KSPIN_LOCK_QUEUE {
    struct _KSPIN_LOCK_QUEUE *Next;
    PKSPIN_LOCK Lock;
} KSPIN_LOCK_QUEUE, *PKSPIN_LOCK_QUEUE;
typedef struct WDDM_LAYOUT _KLOCK_QUEUE_HANDLE {
    KSPIN_LOCK_QUEUE LockQueue;
    KIRQL OldIrql;
} KLOCK_QUEUE_HANDLE, *PKLOCK_QUEUE_HANDLE;
NTKERNELAPI VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock,
                                                      PKLOCK_QUEUE_HANDLE LockHandle);
NTKERNELAPI VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle);
NTKERNELAPI VOID NTAPI KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock,
                                                                PKLOCK_QUEUE_HANDLE LockHandle);
NTKERNELAPI VOID NTAPI KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle);
NTKERNELAPI BOOLEAN NTAPI KeTestSpinLock(PKSPIN_LOCK SpinLock);

/* Access to something until it runs down; then none is given any more. */
typedef struct WDDM_LAYOUT _EX_RUNDOWN_REF {
    union WDDM_LAYOUT {
        ULONG_PTR Count;
        PVOID Ptr;
    };
} EX_RUNDOWN_REF, *PEX_RUNDOWN_REF;
NTKERNELAPI VOID NTAPI ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
NTKERNELAPI VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
NTKERNELAPI BOOLEAN NTAPI ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef);
NTKERNELAPI BOOLEAN NTAPI ExAcquireRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count);
NTKERNELAPI VOID NTAPI ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef);
NTKERNELAPI VOID NTAPI ExReleaseRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count);
NTKERNELAPI VOID NTAPI ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef);
NTKERNELAPI VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef);

typedef struct WDDM_LAYOUT _IO_REMOVE_LOCK {
    BOOLEAN Removed;
    LONG IoCount;
    KEVENT RemoveEvent;
} IO_REMOVE_LOCK, *PIO_REMOVE_LOCK;
NTKERNELAPI VOID NTAPI IoInitializeRemoveLockEx(PIO_REMOVE_LOCK Lock, ULONG AllocateTag,
                                                ULONG MaxLockedMinutes, ULONG HighWatermark,
                                                ULONG RemlockSize);
NTKERNELAPI NTSTATUS NTAPI IoAcquireRemoveLockEx(PIO_REMOVE_LOCK Lock, PVOID Tag, PCSTR File,
                                                 ULONG Line, ULONG RemlockSize);
NTKERNELAPI VOID NTAPI IoReleaseRemoveLockEx(PIO_REMOVE_LOCK Lock, PVOID Tag, ULONG RemlockSize);
NTKERNELAPI VOID NTAPI IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK Lock, PVOID Tag,
                                                    ULONG RemlockSize);
#define IoInitializeRemoveLock(Lock, Tag, Minutes, High)                                           \
    IoInitializeRemoveLockEx((Lock), (Tag), (Minutes), (High), sizeof(IO_REMOVE_LOCK))
#define IoAcquireRemoveLock(Lock, Tag)                                                             \
    IoAcquireRemoveLockEx((Lock), (Tag), __FILE__, __LINE__, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLock(Lock, Tag) IoReleaseRemoveLockEx((Lock), (Tag), sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLockAndWait(Lock, Tag)                                                      \
    IoReleaseRemoveLockAndWaitEx((Lock), (Tag), sizeof(IO_REMOVE_LOCK))

/* Blocks of one size, the last one freed first. */
typedef PVOID NTAPI ALLOCATE_FUNCTION(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
typedef ALLOCATE_FUNCTION *PALLOCATE_FUNCTION;
typedef VOID NTAPI FREE_FUNCTION(PVOID Buffer);
typedef FREE_FUNCTION *PFREE_FUNCTION;
struct _LOOKASIDE_LIST_EX;
typedef PVOID NTAPI ALLOCATE_FUNCTION_EX(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag,
                                         struct _LOOKASIDE_LIST_EX *Lookaside);
typedef ALLOCATE_FUNCTION_EX *PALLOCATE_FUNCTION_EX;
typedef VOID NTAPI FREE_FUNCTION_EX(PVOID Buffer, struct _LOOKASIDE_LIST_EX *Lookaside);
typedef FREE_FUNCTION_EX *PFREE_FUNCTION_EX;

typedef struct _GENERAL_LOOKASIDE {
    SLIST_HEADER ListHead;
    USHORT Depth;
    USHORT MaximumDepth;
    ULONG TotalAllocates;
    ULONG AllocateMisses;
    ULONG TotalFrees;
    ULONG FreeMisses;
    POOL_TYPE Type;
    ULONG Tag;
    ULONG Size;
    PALLOCATE_FUNCTION Allocate;
    PFREE_FUNCTION Free;
    PALLOCATE_FUNCTION_EX AllocateEx;
    PFREE_FUNCTION_EX FreeEx;
} GENERAL_LOOKASIDE;
typedef struct _NPAGED_LOOKASIDE_LIST {
    GENERAL_LOOKASIDE L;
} NPAGED_LOOKASIDE_LIST, *PNPAGED_LOOKASIDE_LIST;
typedef struct _PAGED_LOOKASIDE_LIST {
    GENERAL_LOOKASIDE L;
} PAGED_LOOKASIDE_LIST, *PPAGED_LOOKASIDE_LIST;
typedef struct _LOOKASIDE_LIST_EX {
    GENERAL_LOOKASIDE L;
} LOOKASIDE_LIST_EX, *PLOOKASIDE_LIST_EX;

#define EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL 0x1u
#define EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE 0x2u

NTKERNELAPI VOID NTAPI ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside,
                                                       PALLOCATE_FUNCTION Allocate,
                                                       PFREE_FUNCTION Free, ULONG Flags,
                                                       SIZE_T Size, ULONG Tag, USHORT Depth);
NTKERNELAPI PVOID NTAPI ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside);
NTKERNELAPI VOID NTAPI ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry);
NTKERNELAPI VOID NTAPI ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside);
NTKERNELAPI VOID NTAPI ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside,
                                                      PALLOCATE_FUNCTION Allocate,
                                                      PFREE_FUNCTION Free, ULONG Flags, SIZE_T Size,
                                                      ULONG Tag, USHORT Depth);
NTKERNELAPI PVOID NTAPI ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside);
NTKERNELAPI VOID NTAPI ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry);
NTKERNELAPI VOID NTAPI ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside);
NTKERNELAPI NTSTATUS NTAPI ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX Lookaside,
                                                       PALLOCATE_FUNCTION_EX Allocate,
                                                       PFREE_FUNCTION_EX Free, POOL_TYPE PoolType,
                                                       ULONG Flags, SIZE_T Size, ULONG Tag,
                                                       USHORT Depth);
NTKERNELAPI PVOID NTAPI ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX Lookaside);
NTKERNELAPI VOID NTAPI ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PVOID Entry);
NTKERNELAPI VOID NTAPI ExFlushLookasideListEx(PLOOKASIDE_LIST_EX Lookaside);
NTKERNELAPI VOID NTAPI ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX Lookaside);

WDDM_END_DECLS

#endif
