/*
 * slist.c - sequenced lists, and lookaside lists over them and the pool (pages
 * nf-wdm-exinterlockedpushentryslist, nf-wdm-exinitializelookasidelistex).
 *
 * Alignment of a header holds the depth and, in its highest bit, a lock for the moment of a change.
 */
#include <sched.h>
#include <string.h>

#include "base/in_use.h"
#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "memory/pool.h"

#define LOCKED (1ull << 63)

static ULONGLONG slist_lock(PSLIST_HEADER head) {
    ULONGLONG depth = __atomic_load_n(&head->Alignment, __ATOMIC_RELAXED) & ~LOCKED;
    while (!__atomic_compare_exchange_n(&head->Alignment, &depth, depth | LOCKED, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        depth &= ~LOCKED;
        sched_yield();
    }
    return depth;
}

static void slist_unlock(PSLIST_HEADER head, ULONGLONG depth) {
    __atomic_store_n(&head->Alignment, depth, __ATOMIC_RELEASE);
}

NTKERNELAPI VOID NTAPI InitializeSListHead(PSLIST_HEADER SListHead) {
    if (((ULONG_PTR)SListHead & 15) != 0)
        host_violation("ExInitializeSListHead of a header at %p, which is no multiple of 16",
                       (void *)SListHead);
    SListHead->Alignment = SListHead->Region = 0;
}

NTKERNELAPI PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead,
                                                            PSLIST_ENTRY ListEntry) {
    ULONGLONG depth = slist_lock(ListHead);
    PSLIST_ENTRY first = (PSLIST_ENTRY)(ULONG_PTR)ListHead->Region;
    ListEntry->Next = first;
    ListHead->Region = (ULONG_PTR)ListEntry;
    slist_unlock(ListHead, depth + 1);
    return first;
}

NTKERNELAPI PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead) {
    ULONGLONG depth = slist_lock(ListHead);
    PSLIST_ENTRY first = (PSLIST_ENTRY)(ULONG_PTR)ListHead->Region;
    if (first)
        ListHead->Region = (ULONG_PTR)first->Next;
    slist_unlock(ListHead, first ? depth - 1 : depth);
    return first;
}

NTKERNELAPI PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(PSLIST_HEADER ListHead) {
    slist_lock(ListHead);
    PSLIST_ENTRY first = (PSLIST_ENTRY)(ULONG_PTR)ListHead->Region;
    ListHead->Region = 0;
    slist_unlock(ListHead, 0);
    return first;
}

NTKERNELAPI USHORT NTAPI ExQueryDepthSList(PSLIST_HEADER SListHead) {
    host_irql_at_most(DISPATCH_LEVEL, "ExQueryDepthSList");
    return (USHORT)__atomic_load_n(&SListHead->Alignment, __ATOMIC_RELAXED);
}

/* ---- Lookaside lists ---------------------------------------------------------------------------- */

/*
 * How many entries a list keeps is the system's affair. None here, as under Driver Verifier: an entry that is
 * used after it was freed, or never freed, is found as any other block of the pool.
 */
static void lookaside_init(GENERAL_LOOKASIDE *list, POOL_TYPE type, SIZE_T size, ULONG tag) {
    memset(list, 0, sizeof(*list));
    InitializeSListHead(&list->ListHead);
    list->Type = type;
    list->Tag = tag;
    list->Size = (ULONG)(size < sizeof(SLIST_ENTRY) ? sizeof(SLIST_ENTRY) : size);
    host_in_use(HOST_IN_USE_LOOKASIDE, list, NULL);
}

static PVOID lookaside_allocate(GENERAL_LOOKASIDE *list) {
    list->TotalAllocates++;
    list->AllocateMisses++;
    if (list->AllocateEx)
        return DRIVER_CALL(list->AllocateEx)(list->Type, list->Size, list->Tag,
                                             (PLOOKASIDE_LIST_EX)list);
    if (list->Allocate)
        return DRIVER_CALL(list->Allocate)(list->Type, list->Size, list->Tag);
    return host_pool_entry(list->Type, list->Size, list->Tag);
}

static void lookaside_free(GENERAL_LOOKASIDE *list, PVOID entry) {
    list->TotalFrees++;
    list->FreeMisses++;
    if (list->FreeEx)
        DRIVER_CALL(list->FreeEx)(entry, (PLOOKASIDE_LIST_EX)list);
    else if (list->Free)
        DRIVER_CALL(list->Free)(entry);
    else
        host_pool_entry_free(entry, list->Tag);
}

#define LOOKASIDE(kind, type, pool, highest)                                                       \
    NTKERNELAPI VOID NTAPI ExInitialize##kind(type Lookaside, PALLOCATE_FUNCTION Allocate,         \
                                              PFREE_FUNCTION Free, ULONG Flags, SIZE_T Size,       \
                                              ULONG Tag, USHORT Depth) {                           \
        (void)Flags;                                                                               \
        (void)Depth; /* the page: reserved */                                                      \
        host_irql_at_most(highest, "ExInitialize" #kind);                                          \
        lookaside_init(&Lookaside->L, pool, Size, Tag);                                            \
        Lookaside->L.Allocate = Allocate;                                                          \
        Lookaside->L.Free = Free;                                                                  \
    }                                                                                              \
    NTKERNELAPI PVOID NTAPI ExAllocateFrom##kind(type Lookaside) {                                 \
        host_irql_at_most(highest, "ExAllocateFrom" #kind);                                        \
        return lookaside_allocate(&Lookaside->L);                                                  \
    }                                                                                              \
    NTKERNELAPI VOID NTAPI ExFreeTo##kind(type Lookaside, PVOID Entry) {                           \
        host_irql_at_most(highest, "ExFreeTo" #kind);                                              \
        lookaside_free(&Lookaside->L, Entry);                                                      \
    }                                                                                              \
    NTKERNELAPI VOID NTAPI ExDelete##kind(type Lookaside) {                                        \
        host_irql_at_most(highest, "ExDelete" #kind);                                              \
        host_in_use_end(&Lookaside->L);                                                            \
    }

LOOKASIDE(NPagedLookasideList, PNPAGED_LOOKASIDE_LIST, NonPagedPool, DISPATCH_LEVEL)
LOOKASIDE(PagedLookasideList, PPAGED_LOOKASIDE_LIST, PagedPool, APC_LEVEL)

static bool pool_type_valid(POOL_TYPE type) {
    unsigned kind = (unsigned)type & ~(unsigned)NonPagedPoolNx;
    return kind == NonPagedPool || kind == PagedPool || kind == NonPagedPoolCacheAligned ||
           kind == PagedPoolCacheAligned;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI NTSTATUS NTAPI ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX Lookaside,
                                                       PALLOCATE_FUNCTION_EX Allocate,
                                                       PFREE_FUNCTION_EX Free, POOL_TYPE PoolType,
                                                       ULONG Flags, SIZE_T Size, ULONG Tag,
                                                       USHORT Depth) {
    ULONG known =
        EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL | EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE;
    host_irql_at_most(DISPATCH_LEVEL, "ExInitializeLookasideListEx");
    (void)Depth; /* the page: reserved */
    if (!pool_type_valid(PoolType))
        return STATUS_INVALID_PARAMETER_4;
    if ((Flags & ~known) != 0 || Flags == known)
        return STATUS_INVALID_PARAMETER_5;
    lookaside_init(&Lookaside->L, PoolType, Size, Tag);
    Lookaside->L.AllocateEx = Allocate;
    Lookaside->L.FreeEx = Free;
    return STATUS_SUCCESS;
}

NTKERNELAPI PVOID NTAPI ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
    host_irql_at_most(DISPATCH_LEVEL, "ExAllocateFromLookasideListEx");
    return lookaside_allocate(&Lookaside->L);
}

NTKERNELAPI VOID NTAPI ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PVOID Entry) {
    host_irql_at_most(DISPATCH_LEVEL, "ExFreeToLookasideListEx");
    lookaside_free(&Lookaside->L, Entry);
}

NTKERNELAPI VOID NTAPI ExFlushLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
    (void)Lookaside;
    host_irql_at_most(DISPATCH_LEVEL, "ExFlushLookasideListEx");
}

NTKERNELAPI VOID NTAPI ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
    host_irql_at_most(DISPATCH_LEVEL, "ExDeleteLookasideListEx");
    host_in_use_end(&Lookaside->L);
}
