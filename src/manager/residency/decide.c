/*
 * decide.c - see decide.h.
 *
 * The usual case: what is already somewhere it may be stays there; the rest is placed one by one,
 * preferred segments first, evicting what was not used for longest (policy.h). When that fails
 * because references take each other's room, the whole set is placed anew: those with the fewest
 * choices and the largest first, at their old places where possible; and as a last resort with
 * everything else evicted first, so that fragmentation cannot be the reason for a refusal.
 */
#include "residency/decide.h"

#include "base/assert.h"
#include "lists/residency_list.h"
#include "object/allocation.h"
#include "object/aperture.h"
#include "object/candidates.h"
#include "residency/room.h"

#define PROMOTE_AGE   64u         /* submissions unused that make a victim for a promotion */
#define PROMOTE_BYTES (64u << 20) /* moved by promotions in one request */

enum mode {
    IN_ORDER, /* keep what is resident */
    REPACK,   /* take all references up, put them down again */
    COMPACT,  /* and everything else out first */
};

/* One attempt. */
struct decision {
    struct plan *plan;
    struct vidmm_adapter *adapter;
    const struct vidmm_device *device; /* that asks for its residency list; NULL: no
                                          particular device */
    enum mode mode;
    const struct vidmm_reference *references; /* as asked for */
    uint32_t count;
    uint64_t number;               /* of the submission */
    uint64_t oldest;               /* victims were last used at this number or before */
    enum vidmm_move_reason reason; /* of references that move */
    /* The reference at hand can do without a memory segment: the policy is asked. NULL: it must. */
    const struct vidmm_allocation *coming;
    /* Sizes from here on found no place even with eviction: outside, and in a protected range. */
    uint64_t hopeless[2][SEGMENTS_TOTAL];
};

static struct room decision_room(const struct decision *decision,
                                 const struct segment_request *request) {
    return (struct room){.adapter = decision->adapter,
                         .plan = decision->plan,
                         .device = decision->device,
                         .oldest = decision->oldest,
                         .request = request,
                         .coming = decision->coming};
}

/* PLACER_FULL: not even with every eligible resident out of the way; nothing changed. */
static enum placer_result place_evicting(struct decision *decision, struct segment *segment,
                                         const struct segment_request *request,
                                         struct placement *place) {
    const struct room room = decision_room(decision, request);
    uint64_t *hopeless = &decision->hopeless[request->in_vpr][segment->id - 1];
    if (!segment_can_hold(segment, request) || (*hopeless && request->size >= *hopeless))
        return PLACER_FULL;
    enum vidmm_status status = room_place(&room, segment, place);
    if (status == VIDMM_OK)
        return PLACER_OK;
    if (decision->oldest == UINT64_MAX && !decision->coming &&
        (!*hopeless || request->size < *hopeless))
        *hopeless = request->size;
    return status == VIDMM_DOES_NOT_FIT ? PLACER_FULL : PLACER_NO_MEMORY;
}

static enum placer_result try_candidate(struct decision *decision,
                                        const struct vidmm_allocation *allocation,
                                        const struct candidate_list *list, uint32_t index,
                                        bool evict, struct placement *place) {
    struct segment *segment = list->segments[index];
    struct segment_request request = candidate_request(allocation, list, index);
    return evict ? place_evicting(decision, segment, &request, place)
                 : segment_place(segment, &request, place);
}

/*
 * The first place in candidate order, out of [first, last). `evict`: also by evicting. PLACER_FULL:
 * none.
 */
static enum placer_result try_range(struct decision *decision,
                                    const struct vidmm_allocation *allocation,
                                    const struct candidate_list *list, uint32_t first,
                                    uint32_t last, bool evict, uint32_t *found,
                                    struct placement *place) {
    for (uint32_t i = first; i < last; i++) {
        enum placer_result result = try_candidate(decision, allocation, list, i, evict, place);
        if (result != PLACER_FULL) {
            *found = i;
            return result;
        }
    }
    return PLACER_FULL;
}

/* In a memory segment that it prefers: free, or out of which others leave if that pays. */
static enum placer_result find_exchange(struct decision *decision,
                                        const struct vidmm_allocation *allocation,
                                        const struct candidate_list *list, uint32_t *found,
                                        struct placement *place) {
    enum placer_result result = PLACER_FULL;
    decision->coming = allocation;
    for (uint32_t evict = 0; result == PLACER_FULL && evict < 2; evict++)
        result = try_range(decision, allocation, list, 0, list->alike, evict != 0, found, place);
    decision->coming = NULL;
    return result;
}

/* For one that can lie in an aperture as well. */
static enum placer_result find_exchange_or_free(struct decision *decision,
                                                const struct vidmm_allocation *allocation,
                                                const struct candidate_list *list, uint32_t *found,
                                                struct placement *place) {
    if (!residency_list_exchanges(decision->adapter, decision->device) ||
        decision->mode != IN_ORDER || list->alike == list->count || list->segments[0]->aperture)
        return PLACER_FULL;
    enum placer_result result = find_exchange(decision, allocation, list, found, place);
    return result == PLACER_FULL ? try_range(decision, allocation, list, list->alike, list->count,
                                             false, found, place)
                                 : result;
}

/*
 * Free places of the preferred kind, then evictions there, then the other kind likewise; where the
 * policy is asked, free places of the other kind before evictions that do not pay.
 */
static enum placer_result find_place(struct decision *decision,
                                     const struct vidmm_allocation *allocation,
                                     const struct candidate_list *list, uint32_t *found,
                                     struct placement *place) {
    enum placer_result first = find_exchange_or_free(decision, allocation, list, found, place);
    if (first != PLACER_FULL)
        return first;
    const uint32_t bounds[3] = {0, list->alike, list->count};
    for (uint32_t part = 0; part < 2; part++) {
        for (uint32_t evict = 0; evict < 2; evict++) {
            enum placer_result result = try_range(decision, allocation, list, bounds[part],
                                                  bounds[part + 1], evict != 0, found, place);
            if (result != PLACER_FULL)
                return result;
        }
    }
    return PLACER_FULL;
}

/* Moves the allocation, wherever it is, to a place that was found. */
static bool move_to(struct decision *decision, struct vidmm_allocation *allocation,
                    struct segment *segment, struct placement *place) {
    struct plan *plan = decision->plan;
    enum vidmm_move_reason reason = decision->reason;
    bool across = segment_is_memory(allocation->segment) && segment_is_memory(segment);
    if (across && !plan_leave_held(plan, allocation, reason))
        goto failed;
    if (allocation->segment && !plan_leave(plan, allocation, false, reason))
        goto failed;
    if (plan_enter(plan, allocation, segment, place, reason))
        return true;
failed:
    segment_release(segment, place);
    return false;
}

/* The error names the reference by its index in the request. */
static enum vidmm_status does_not_fit(struct decision *decision,
                                      const struct vidmm_reference *reference) {
    uint32_t index = 0;
    while (decision->references[index].allocation != reference->allocation)
        index++;
    return FAIL(decision->adapter, .status = VIDMM_DOES_NOT_FIT, .call = "vidmm residency",
                .field = reference->write ? "DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet"
                                          : "DXGK_ALLOCATIONINFO.SupportedReadSegmentSet",
                .expected = "room for all references together in their supported segments",
                .page = "paging-video-memory-resources", .index = index,
                .value = candidate_set(reference->allocation, reference->write));
}

/* An aperture has room for it, and DXGK_DRIVERCAPS.ApertureSegmentCommitLimit leaves none: no memory of the system's is
 * what is short. */
static bool limit_is_full(const struct decision *decision,
                          const struct vidmm_allocation *allocation,
                          const struct candidate_list *list) {
    const struct adapter_facts *facts = &decision->adapter->facts;
    bool full = false;
    for (uint32_t i = 0; i < list->count && !full; i++) {
        const struct segment_request request = candidate_request(allocation, list, i);
        full = segment_shared_is_full(list->segments[i], &request);
    }
    return full && facts->shared.limit == facts->caps.ApertureSegmentCommitLimit;
}

/* No place was found: the limit that kept it out of an aperture is named, if that is the reason. */
static enum vidmm_status no_place(struct decision *decision,
                                  const struct vidmm_reference *reference,
                                  const struct candidate_list *list) {
    if (!limit_is_full(decision, reference->allocation, list))
        return does_not_fit(decision, reference);
    return FAIL(decision->adapter, .status = VIDMM_DOES_NOT_FIT, .call = "vidmm residency",
                .field = "DXGK_DRIVERCAPS.ApertureSegmentCommitLimit",
                .expected = "room for what has to be in an aperture",
                .page = "ns-d3dkmddi-_dxgk_drivercaps", .index = ERROR_NO_INDEX,
                .value = decision->adapter->facts.shared.limit);
}

static enum vidmm_status place_reference(struct decision *decision,
                                         const struct vidmm_reference *reference) {
    struct vidmm_adapter *adapter = decision->adapter;
    struct vidmm_allocation *allocation = reference->allocation;
    struct candidate_list list;
    struct placement place;
    uint32_t found;
    if (allocation->segment && (allocation_fixed(allocation) || allocation->pinned))
        return does_not_fit(decision, reference);
    candidates_list(allocation, candidate_set(allocation, reference->write), &list);
    switch (find_place(decision, allocation, &list, &found, &place)) {
    case PLACER_FULL:
        return no_place(decision, reference, &list);
    case PLACER_NO_MEMORY:
        return error_no_memory(adapter, "vidmm residency");
    case PLACER_OK:
        break;
    }
    if (!move_to(decision, allocation, list.segments[found], &place))
        return error_no_memory(adapter, "vidmm residency");
    return VIDMM_OK;
}

static bool acceptable(const struct vidmm_reference *reference) {
    const struct vidmm_allocation *allocation = reference->allocation;
    return allocation->segment &&
           segment_in_set(allocation->segment, candidate_set(allocation, reference->write));
}

/* What may be promoted is no use of it: its uses are told where the device says what it uses. */
static enum vidmm_status in_order(struct decision *decision) {
    bool named = decision->device && decision->device->list.names;
    const struct vidmm_reference *references = decision->references;
    uint32_t count = decision->count;
    for (uint32_t i = 0; i < count; i++) {
        if (!named || !acceptable(&references[i]))
            resident_use(&decision->adapter->policy, &references[i].allocation->resident,
                         decision->number, references[i].write);
    }
    for (uint32_t i = 0; i < count; i++) {
        enum vidmm_status status =
            acceptable(&references[i]) ? VIDMM_OK : place_reference(decision, &references[i]);
        if (status)
            return status;
    }
    return VIDMM_OK;
}

/* Fewest choices first, then largest. */
static bool goes_before(const struct vidmm_adapter *adapter, const struct vidmm_reference *a,
                        const struct vidmm_reference *b) {
    bool a_free = (candidate_set(a->allocation, a->write) & adapter->sets.aperture) != 0;
    bool b_free = (candidate_set(b->allocation, b->write) & adapter->sets.aperture) != 0;
    return a_free != b_free ? b_free : a->allocation->size > b->allocation->size;
}

/* Shell sort: no library, no recursion, no memory. */
static void sort_references(const struct vidmm_adapter *adapter, struct vidmm_reference *list,
                            uint32_t count) {
    uint32_t gap = 1;
    while (gap < count / 3)
        gap = gap * 3 + 1;
    for (; gap > 0; gap /= 3) {
        for (uint32_t i = gap; i < count; i++) {
            struct vidmm_reference moved = list[i];
            uint32_t at = i;
            for (; at >= gap && goes_before(adapter, &moved, &list[at - gap]); at -= gap)
                list[at] = list[at - gap];
            list[at] = moved;
        }
    }
}

static bool may_lift(const struct vidmm_allocation *allocation) {
    return allocation->segment && !allocation_fixed(allocation) && !allocation->pinned &&
           !allocation_stays(allocation);
}

/* Takes up every reference that may move. */
static bool lift(struct decision *decision) {
    for (uint32_t i = 0; i < decision->count; i++) {
        struct vidmm_allocation *allocation = decision->references[i].allocation;
        if (may_lift(allocation) &&
            !plan_leave(decision->plan, allocation, false, VIDMM_MOVE_REPACKED))
            return false;
    }
    return true;
}

/* Every allocation that is not a reference leaves the segments that the references may use. */
static bool clear_segments(struct decision *decision) {
    struct vidmm_adapter *adapter = decision->adapter;
    const struct vidmm_reference *references = decision->references;
    const struct room room = decision_room(decision, NULL);
    uint32_t sets = 0;
    for (uint32_t i = 0; i < decision->count; i++)
        sets |= candidate_set(references[i].allocation, references[i].write);
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        struct segment *segment = &adapter->facts.segments[i];
        struct room_victim victim;
        if (!segment_in_set(segment, sets))
            continue;
        while ((victim = room_next_victim(&room, segment)).allocation) {
            if (!plan_leave(decision->plan, victim.allocation, victim.allocation->offered != 0,
                            victim.reason))
                return false;
        }
    }
    return true;
}

/* Back to where it was taken up, if that is still free and a memory segment. */
static bool put_back(struct decision *decision, const struct vidmm_reference *reference) {
    struct vidmm_allocation *allocation = reference->allocation;
    struct plan *plan = decision->plan;
    if (decision->mode != REPACK || !allocation->move)
        return false;
    const struct move *move = &plan->moves[allocation->move - 1];
    return segment_is_memory(move->from) &&
           segment_in_set(move->from, candidate_set(allocation, reference->write)) &&
           plan_spare(plan, allocation->move - 1);
}

static enum vidmm_status place_sorted(struct decision *decision) {
    struct vidmm_adapter *adapter = decision->adapter;
    sort_references(adapter, adapter->scratch, decision->count);
    for (uint32_t i = 0; i < decision->count; i++) {
        const struct vidmm_reference *reference = &adapter->scratch[i];
        if (acceptable(reference) || put_back(decision, reference))
            continue;
        enum vidmm_status status = place_reference(decision, reference);
        if (status)
            return status;
    }
    return VIDMM_OK;
}

static enum vidmm_status anew(struct decision *decision) {
    struct vidmm_adapter *adapter = decision->adapter;
    uint32_t count = decision->count;
    if (!adapter_grow(adapter, (void **)&adapter->scratch, &adapter->scratch_size, count,
                      sizeof(*adapter->scratch)))
        return error_no_memory(adapter, "vidmm residency");
    memcpy(adapter->scratch, decision->references, count * sizeof(*adapter->scratch));
    if (!lift(decision) || (decision->mode == COMPACT && !clear_segments(decision)))
        return error_no_memory(adapter, "vidmm residency");
    enum vidmm_status status = place_sorted(decision);
    if (status == VIDMM_OK)
        room_spare(decision->plan, 0);
    return status;
}

/*
 * Moves an allocation from an aperture to the memory segment that it prefers, if no allocation in
 * use is evicted for that.
 */
static enum vidmm_status promote(struct decision *decision,
                                 const struct vidmm_reference *reference) {
    struct vidmm_allocation *allocation = reference->allocation;
    struct candidate_list list;
    struct placement place;
    uint32_t found;
    candidates_list(allocation, candidate_set(allocation, reference->write), &list);
    if (list.count == 0 || list.segments[0]->aperture)
        return VIDMM_OK;
    enum placer_result result = PLACER_FULL;
    for (uint32_t evict = 0; result == PLACER_FULL && evict < 2; evict++)
        result = try_range(decision, allocation, &list, 0, list.alike, evict != 0, &found, &place);
    if (result == PLACER_FULL)
        return VIDMM_OK;
    if (result == PLACER_NO_MEMORY || !move_to(decision, allocation, list.segments[found], &place))
        return error_no_memory(decision->adapter, "vidmm residency");
    return VIDMM_OK;
}

/*
 * Moves an allocation from an aperture to the memory segment that it prefers, if the policy says
 * that it pays for all that leaves for it; else nothing has changed.
 */
static enum vidmm_status decide_exchange(struct decision *decision,
                                         const struct vidmm_reference *reference) {
    struct vidmm_allocation *allocation = reference->allocation;
    struct plan *plan = decision->plan;
    uint32_t first = plan->move_count, found;
    struct candidate_list list;
    struct placement place;
    candidates_list(allocation, candidate_set(allocation, reference->write), &list);
    if (list.count == 0 || list.segments[0]->aperture)
        return VIDMM_OK;
    if (!plan_leave(plan, allocation, false, decision->reason)) /* room for what is exchanged */
        return error_no_memory(decision->adapter, "vidmm residency");
    enum placer_result result = find_exchange(decision, allocation, &list, &found, &place);
    if (result == PLACER_FULL)
        plan_undo(plan, first);
    if (result == PLACER_FULL)
        return VIDMM_OK;
    if (result == PLACER_NO_MEMORY || !move_to(decision, allocation, list.segments[found], &place))
        return error_no_memory(decision->adapter, "vidmm residency");
    return VIDMM_OK;
}

static bool may_promote(const struct vidmm_allocation *allocation) {
    return allocation->segment && allocation->segment->aperture && !allocation->move &&
           may_lift(allocation);
}

static enum vidmm_status exchange_all(struct decision *decision) {
    enum vidmm_status status = VIDMM_OK;
    decision->reason = VIDMM_MOVE_PROMOTED;
    for (uint32_t i = 0; status == VIDMM_OK && i < decision->count; i++) {
        if (may_promote(decision->references[i].allocation))
            status = decide_exchange(decision, &decision->references[i]);
    }
    return status;
}

static enum vidmm_status promote_all(struct decision *decision) {
    const struct vidmm_reference *references = decision->references;
    uint64_t budget = PROMOTE_BYTES;
    decision->reason = VIDMM_MOVE_PROMOTED;
    decision->oldest = decision->number > PROMOTE_AGE ? decision->number - PROMOTE_AGE : 0;
    for (uint32_t i = 0; i < decision->count; i++) {
        const struct vidmm_allocation *allocation = references[i].allocation;
        if (!may_promote(allocation) || allocation->size > budget)
            continue;
        budget -= allocation->size;
        enum vidmm_status status = promote(decision, &references[i]);
        if (status)
            return status;
    }
    return VIDMM_OK;
}

enum vidmm_status decide_resident(struct plan *plan, const struct decide_request *request) {
    VIDMM_ASSERT_LOCKED(plan->adapter);
    struct vidmm_adapter *adapter = plan->adapter;
    struct decision decision = {.plan = plan,
                                .adapter = adapter,
                                .device = request->device,
                                .references = request->references,
                                .count = request->count,
                                .number = request->number,
                                .oldest = UINT64_MAX};
    adapter->mark++;
    for (uint32_t i = 0; i < request->count; i++)
        request->references[i].allocation->mark = adapter->mark;
    enum vidmm_status status = in_order(&decision);
    while (status == VIDMM_DOES_NOT_FIT && decision.mode != COMPACT) {
        plan_undo(plan, 0);
        decision.mode++;
        memset(decision.hopeless, 0, sizeof(decision.hopeless));
        status = anew(&decision);
    }
    if (status == VIDMM_OK && decision.mode == IN_ORDER)
        status = residency_list_exchanges(adapter, request->device) ? exchange_all(&decision)
                                                                    : promote_all(&decision);
    if (status)
        plan_undo(plan, 0);
    return status;
}

enum vidmm_status decide_buffer(struct plan *plan, uint32_t set, uint64_t size,
                                struct segment **out, struct placement *place) {
    struct vidmm_adapter *adapter = plan->adapter;
    struct decision decision = {.plan = plan, .adapter = adapter, .oldest = UINT64_MAX};
    struct segment_request request = {.size = size};
    enum placer_result result = PLACER_FULL;
    for (uint32_t i = 0; result == PLACER_FULL && i < adapter->facts.segment_count; i++) {
        struct segment *segment = &adapter->facts.segments[i];
        if (!segment_in_set(segment, set))
            continue;
        result = place_evicting(&decision, segment, &request, place);
        *out = segment;
    }
    if (result == PLACER_NO_MEMORY)
        return error_no_memory(adapter, "DMA buffer");
    if (result == PLACER_FULL)
        return FAIL(adapter, .status = VIDMM_DOES_NOT_FIT, .call = "DMA buffer",
                    .field = "DXGK_CONTEXTINFO.DmaBufferSegmentSet",
                    .expected = "room for a DMA buffer", .page = "ns-d3dkmddi-_dxgk_contextinfo",
                    .index = ERROR_NO_INDEX, .value = set);
    return VIDMM_OK;
}
