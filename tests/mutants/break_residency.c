/*
 * break_residency.c - managers that do not keep what user mode is promised of residency, offers,
 * addresses, locks and budgets. Most of it shows in no DDI call: the mutant changes what the
 * manager was seen to answer.
 */
#include "mutants.h"

#define PAGE         4096u
#define LEAF_ENTRIES 512u
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An answer to SERVICE under CONDITION; `what` and `range` are its halves. */
#define TOLD(NAME, SERVICE, CONDITION, SPOILING)                                                   \
    static void NAME(struct vidmm_told *told) {                                                    \
        struct vidmm_told_residency *what = &told->residency;                                      \
        struct vidmm_told_addresses *range = &told->addresses;                                     \
        bool granted = told->answer == VIDMM_ANSWER_GRANTED;                                       \
        (void)what;                                                                                \
        (void)range;                                                                               \
        (void)granted;                                                                             \
        if (told->service == VIDMM_SERVICE_##SERVICE && (CONDITION)) {                             \
            SPOILING;                                                                              \
        }                                                                                          \
    }

/* ---- Lists ----------------------------------------------------------------------------------- */

/* As if it had been done. */
static void grant_residency(struct vidmm_told *told) {
    struct vidmm_told_residency *what = &told->residency;
    told->answer = VIDMM_ANSWER_GRANTED;
    for (uint32_t i = 0; i < what->count; i++) {
        what->allocation[i].after = what->allocation[i].before + 1;
        what->allocation[i].resident = true;
    }
}

TOLD(keep_one, MAKE_RESIDENT, told->answer == VIDMM_ANSWER_NO_ROOM, what->allocation[0].after++)
TOLD(no_number, MAKE_RESIDENT, told->answer == VIDMM_ANSWER_NO_ROOM, what->bytes_to_trim = 0)
TOLD(count_once, MAKE_RESIDENT, granted && what->allocation[0].before != 0,
     what->allocation[0].after = what->allocation[0].before)
TOLD(far_fence, MAKE_RESIDENT, granted && what->fence != 0, what->fence = what->reached + 1)
TOLD(early_fence, MAKE_RESIDENT, granted && what->fence != 0, what->allocation[0].resident = false)
TOLD(forget_all, EVICT, granted && what->allocation[0].before > 1, what->allocation[0].after = 0)
TOLD(evict_unlisted, EVICT, what->allocation[0].before == 0, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(run_without, SUBMIT, granted && what->count != 0, what->allocation[0].resident = false)
TOLD(evict_anyway, EVICT, what->if_necessary, what->allocation[0].resident = false)
TOLD(lose_unwritten, EVICT, what->not_written_to, what->allocation[0].lost = true)
TOLD(must_at_once, MAKE_RESIDENT, what->must_succeed && !what->cant_trim, grant_residency(told))
TOLD(must_and_go_on, MAKE_RESIDENT, what->must_succeed && what->cant_trim,
     told->answer = VIDMM_ANSWER_NO_ROOM;
     what->bytes_to_trim = PAGE)
TOLD(trim_nothing, TRIM, true, what->bytes_to_trim = 0)
TOLD(trim_both, TRIM, true, what->periodic = what->restart_periodic = true)
TOLD(take_foreign, MAKE_RESIDENT, what->allocation[0].foreign, grant_residency(told))
TOLD(take_offered, MAKE_RESIDENT, what->allocation[0].offered, grant_residency(told))
TOLD(unlockable, RECLAIM, granted, what->unlockable = true)
TOLD(offer_none, OFFER, what->priority == 0, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(hide_loss, RECLAIM, granted, what->allocation[0].lost = true;
     what->allocation[0].discarded = false)
TOLD(offer_early, OFFER, granted, what->working = true)
TOLD(count_twice, BUDGET, true, what->usage[0] += what->usage[0])
TOLD(promise_all, BUDGET, true, what->budget[0] = UINT64_MAX)

/* ---- Addresses ------------------------------------------------------------------------------- */

TOLD(map_off, MAP, granted && range->allocation, range->va += PAGE / 2)
TOLD(map_elsewhere, MAP, granted && range->allocation, range->leads = false)
TOLD(map_part, MAP, range->size % PAGE != 0, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(map_both, MAP, range->nowhere && range->allocation, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(map_over, MAP, range->nowhere && range->range == VIDMM_RANGE_MAPPED,
     told->answer = VIDMM_ANSWER_GRANTED)
TOLD(reserve_off, RESERVE, granted, range->va += PAGE)
TOLD(reserve_pages, RESERVE, range->size == PAGE, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(reserve_taken, RESERVE, range->range == VIDMM_RANGE_RESERVED,
     told->answer = VIDMM_ANSWER_GRANTED)
TOLD(keep_freed, FREE, granted, range->leads = true)
TOLD(out_of_order, UPDATE, granted, range->leads = !range->leads)
TOLD(update_beyond, UPDATE, !range->one_reservation, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(update_uneven, UPDATE, range->repeat != 0 && range->size % range->repeat != 0,
     told->answer = VIDMM_ANSWER_GRANTED)

TOLD(queue_all, UPDATE, granted && range->queued != 0, range->queued += 128)

/* Entries lose the protection that their range was reserved with. */
static NTSTATUS APIENTRY build_unprotected(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
        args->UpdatePageTable.DriverProtection = 0;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, build_unprotected)

/* ---- Companion contexts ---------------------------------------------------------------------- */

static NTSTATUS APIENTRY create_beyond(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    args->ContextInfo.PagingCompanionNodeId = 64;
    return status;
}
REPLACE(DxgkDdiCreateContext, create_beyond)

/* The manager takes one node for another. */
static NTSTATUS APIENTRY create_elsewhere(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    args->ContextInfo.PagingCompanionNodeId = args->ContextInfo.PagingCompanionNodeId == 0;
    return status;
}
REPLACE(DxgkDdiCreateContext, create_elsewhere)

/* The manager copies from where no pool is. */
static NTSTATUS APIENTRY copy_behind(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    static DXGK_BUILDPAGINGBUFFER_COPY_RANGE range;
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    if (args->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    range = args->CopyPageTableEntries.pRanges[0];
    range.SrcStartPteIndex = LEAF_ENTRIES - range.NumPageTableEntries;
    mine.CopyPageTableEntries.NumRanges = 1;
    mine.CopyPageTableEntries.pRanges = &range;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, &mine);
    mine.CopyPageTableEntries = args->CopyPageTableEntries;
    *args = mine;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, copy_behind)

/* ---- Locks ----------------------------------------------------------------------------------- */

static bool contradicts(const struct vidmm_told_lock *lock) {
    return (lock->read_only && lock->write_only) || (lock->alternate_va && !lock->acquire_aperture);
}

TOLD(lock_unseen, LOCK,
     told->answer == VIDMM_ANSWER_REFUSED && !contradicts(&told->lock) && !told->lock.offered,
     told->answer = VIDMM_ANSWER_GRANTED)
TOLD(lock_both_ways, LOCK, told->lock.read_only && told->lock.write_only,
     told->answer = VIDMM_ANSWER_GRANTED)
TOLD(lock_alternate, LOCK, told->lock.alternate_va && !told->lock.acquire_aperture,
     told->answer = VIDMM_ANSWER_GRANTED)
TOLD(lock_busy, LOCK, told->lock.dont_wait && told->lock.busy, told->answer = VIDMM_ANSWER_GRANTED)
TOLD(lock_evicting, LOCK, granted && told->lock.dont_evict, told->lock.resident = false)
TOLD(lock_offered, LOCK, told->lock.offered, told->answer = VIDMM_ANSWER_GRANTED)

/* ---- Properties ------------------------------------------------------------------------------ */

TOLD(change_anyway, PROPERTIES, !granted, told->answer = VIDMM_ANSWER_GRANTED)

static NTSTATUS APIENTRY agree(const HANDLE adapter, DXGKARG_VALIDATEUPDATEALLOCPROPERTY *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiValidateUpdateAllocationProperty, agree)

/* ---- The table ------------------------------------------------------------------------------- */

#define BREAKER(NUMBER, WHAT, TOLD)                                                                \
    { .rule = NUMBER, .side = VIDMM_SIDE_MANAGER, .what = WHAT, .told = TOLD, .stage = "residency" }

const struct mutant mutants_residency[] = {
    BREAKER(284, "keeps a part of a MakeResident that fails", keep_one),
    BREAKER(284, "does not say how much is missing", no_number),
    BREAKER(284, "counts a second MakeResident for nothing", count_once),
    BREAKER(285, "promises a fence that is never reached", far_fence),
    BREAKER(285, "signals the paging fence before all is in place", early_fence),
    BREAKER(286, "takes all references with one Evict", forget_all),
    BREAKER(286, "lets be evicted what is on no list", evict_unlisted),
    BREAKER(287, "runs a context without what its device lists", run_without),
    BREAKER(288, "evicts what still has references", evict_anyway),
    BREAKER(288, "loses content that nobody wrote to", lose_unwritten),
    BREAKER(289, "grants MustSucceed without CantTrimFurther", must_at_once),
    BREAKER(289, "lets a device go on whose MustSucceed failed", must_and_go_on),
    BREAKER(291, "asks for a trim of no bytes", trim_nothing),
    BREAKER(291, "asks for a periodic trim and its restart at once", trim_both),
    BREAKER(292, "makes another device's allocation resident", take_foreign),
    BREAKER(293, "makes resident what is offered", take_offered),
    BREAKER(293, "gives back what cannot be locked", unlockable),
    BREAKER(294, "takes offers without a priority", offer_none),
    BREAKER(294, "does not say that content was lost", hide_loss),
    BREAKER(295, "drops offered content under the GPU's hands", offer_early),
    BREAKER(296, "maps at half a page", map_off),
    BREAKER(296, "grants a mapping that leads elsewhere", map_elsewhere),
    BREAKER(296, "maps half a page", map_part),
    BREAKER(297, "maps an allocation with NoAccess", map_both),
    BREAKER(297, "maps NoAccess over an allocation", map_over),
    {.rule = 298,
     .side = VIDMM_SIDE_MANAGER,
     .what = "reserves where no unit begins",
     .told = reserve_off,
     .stage = "residency",
     .consequences = {302}},
    BREAKER(298, "reserves less than a unit", reserve_pages),
    BREAKER(298, "reserves the same addresses twice", reserve_taken),
    BREAKER(299, "leaves mappings of what was freed", keep_freed),
    BREAKER(300, "applies updates out of their order", out_of_order),
    BREAKER(300, "updates beyond the reservation", update_beyond),
    BREAKER(300, "repeats a part that does not divide the size", update_uneven),
    BREAKER(301, "queues as many updates as it is asked for", queue_all),
    {BREAKS(302, MANAGER, "residency", build_unprotected,
            "forgets the protection of a reservation")},
    BREAKER(305, "locks what the CPU cannot see", lock_unseen),
    BREAKER(306, "locks for reading only and writing only", lock_both_ways),
    BREAKER(306, "gives an alternate address without a range", lock_alternate),
    BREAKER(308, "locks what the GPU works on, for one who would not wait", lock_busy),
    BREAKER(308, "evicts for a lock that would not have it", lock_evicting),
    BREAKER(309, "locks what is offered", lock_offered),
    BREAKER(310, "counts an allocation twice", count_twice),
    BREAKER(310, "promises more than the segments have", promise_all),
    {BREAKS(386, DRIVER, "residency", create_beyond, "names a companion node that does not exist")},
    {BREAKS(386, MANAGER, "residency", create_elsewhere,
            "makes companion contexts on another node")},
    {BREAKS(387, MANAGER, "residency", copy_behind, "copies entries of what is not resident")},
    BREAKER(402, "changes properties of a driver that cannot be asked", change_anyway),
    {.rule = 402,
     .side = VIDMM_SIDE_MANAGER,
     .what = "changes properties although the driver refuses",
     .told = change_anyway,
     .stage = "residency",
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
    {BREAKS(402, MANAGER, "residency", agree, "changes properties without asking the driver"),
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
};
const uint32_t mutants_residency_count = COUNT(mutants_residency);
