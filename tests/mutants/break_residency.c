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
#define REQUEST(NAME, SERVICE, CONDITION, SPOILING)                                                \
    static void NAME(struct vidmm_request_record *record) {                                        \
        struct vidmm_request_residency *what = &record->residency;                                 \
        struct vidmm_request_addresses *range = &record->addresses;                                \
        bool granted = record->answer == VIDMM_ANSWER_GRANTED;                                     \
        (void)what;                                                                                \
        (void)range;                                                                               \
        (void)granted;                                                                             \
        if (record->service == VIDMM_SERVICE_##SERVICE && (CONDITION)) {                           \
            SPOILING;                                                                              \
        }                                                                                          \
    }

/* ---- Lists ----------------------------------------------------------------------------------- */

/* As if it had been done. */
static void grant_residency(struct vidmm_request_record *record) {
    struct vidmm_request_residency *what = &record->residency;
    record->answer = VIDMM_ANSWER_GRANTED;
    for (uint32_t i = 0; i < what->count; i++) {
        what->allocation[i].after = what->allocation[i].before + 1;
        what->allocation[i].resident = true;
    }
}

REQUEST(keep_one, MAKE_RESIDENT, record->answer == VIDMM_ANSWER_NO_ROOM,
        what->allocation[0].after++)
REQUEST(no_number, MAKE_RESIDENT, record->answer == VIDMM_ANSWER_NO_ROOM, what->bytes_to_trim = 0)
REQUEST(count_once, MAKE_RESIDENT, granted && what->allocation[0].before != 0,
        what->allocation[0].after = what->allocation[0].before)
REQUEST(far_fence, MAKE_RESIDENT, granted && what->fence != 0, what->fence = what->reached + 1)
REQUEST(early_fence, MAKE_RESIDENT, granted && what->fence != 0,
        what->allocation[0].resident = false)
REQUEST(forget_all, EVICT, granted && what->allocation[0].before > 1, what->allocation[0].after = 0)
REQUEST(evict_unlisted, EVICT, what->allocation[0].before == 0,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(run_without, SUBMIT, granted && what->count != 0, what->allocation[0].resident = false)
REQUEST(evict_anyway, EVICT, what->if_necessary, what->allocation[0].resident = false)
REQUEST(lose_unwritten, EVICT, what->not_written_to, what->allocation[0].lost = true)
REQUEST(must_at_once, MAKE_RESIDENT, what->must_succeed && !what->cant_trim,
        grant_residency(record))
REQUEST(must_and_go_on, MAKE_RESIDENT, what->must_succeed && what->cant_trim,
        record->answer = VIDMM_ANSWER_NO_ROOM;
        what->bytes_to_trim = PAGE)
REQUEST(trim_nothing, TRIM, true, what->bytes_to_trim = 0)
REQUEST(trim_both, TRIM, true, what->periodic = what->restart_periodic = true)
REQUEST(take_foreign, MAKE_RESIDENT, what->allocation[0].foreign, grant_residency(record))
REQUEST(take_offered, MAKE_RESIDENT, what->allocation[0].offered, grant_residency(record))
REQUEST(unlockable, RECLAIM, granted, what->unlockable = true)
REQUEST(offer_none, OFFER, what->priority == 0, record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(hide_loss, RECLAIM, granted, what->allocation[0].lost = true;
        what->allocation[0].discarded = false)
REQUEST(offer_early, OFFER, granted, what->working = true)
REQUEST(count_twice, BUDGET, true, what->usage[0] += what->usage[0])
REQUEST(promise_all, BUDGET, true, what->budget[0] = UINT64_MAX)

/* ---- Addresses ------------------------------------------------------------------------------- */

REQUEST(map_off, MAP, granted && range->allocation, range->va += PAGE / 2)
REQUEST(map_elsewhere, MAP, granted && range->allocation, range->leads = false)
REQUEST(map_part, MAP, range->size % PAGE != 0, record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(map_both, MAP, range->nowhere && range->allocation, record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(map_over, MAP, range->nowhere && range->range == VIDMM_RANGE_MAPPED,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(reserve_off, RESERVE, granted, range->va += PAGE)
REQUEST(reserve_outside, RESERVE, granted && range->maximum != 0, range->va = range->maximum)
REQUEST(reserve_pages, RESERVE, range->size == PAGE, record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(reserve_taken, RESERVE, range->range == VIDMM_RANGE_RESERVED,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(keep_freed, FREE, granted, range->leads = true)
REQUEST(out_of_order, UPDATE, granted, range->leads = !range->leads)
REQUEST(update_beyond, UPDATE, !range->one_reservation, record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(update_uneven, UPDATE, range->repeat != 0 && range->size % range->repeat != 0,
        record->answer = VIDMM_ANSWER_GRANTED)

REQUEST(queue_all, UPDATE, granted && range->queued != 0, range->queued += 128)

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

static bool contradicts(const struct vidmm_request_lock *lock) {
    return (lock->read_only && lock->write_only) || (lock->alternate_va && !lock->acquire_aperture);
}

REQUEST(lock_unseen, LOCK,
        record->answer == VIDMM_ANSWER_REFUSED && !contradicts(&record->lock) &&
            !record->lock.offered,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(lock_both_ways, LOCK, record->lock.read_only && record->lock.write_only,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(lock_alternate, LOCK, record->lock.alternate_va && !record->lock.acquire_aperture,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(lock_busy, LOCK, record->lock.dont_wait && record->lock.busy,
        record->answer = VIDMM_ANSWER_GRANTED)
REQUEST(lock_evicting, LOCK, granted && record->lock.dont_evict, record->lock.resident = false)
REQUEST(lock_offered, LOCK, record->lock.offered, record->answer = VIDMM_ANSWER_GRANTED)

/* ---- Properties ------------------------------------------------------------------------------ */

REQUEST(change_anyway, PROPERTIES, !granted, record->answer = VIDMM_ANSWER_GRANTED)

static NTSTATUS APIENTRY agree(const HANDLE adapter,
                               const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiValidateUpdateAllocationProperty, agree)

/* ---- The table ------------------------------------------------------------------------------- */

#define BREAKER(NUMBER, WHAT, SPOILER)                                                             \
    {                                                                                              \
        .rule = NUMBER, .side = VIDMM_SIDE_MANAGER, .what = WHAT, .request = SPOILER,              \
        .stage = "residency"                                                                       \
    }

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
     .request = reserve_off,
     .stage = "residency",
     .consequences = {302}},
    {.rule = 482,
     .side = VIDMM_SIDE_MANAGER,
     .what = "reserves behind the bound",
     .request = reserve_outside,
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
     .request = change_anyway,
     .stage = "residency",
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
    {BREAKS(402, MANAGER, "residency", agree, "changes properties without asking the driver"),
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
};
const uint32_t mutants_residency_count = COUNT(mutants_residency);
