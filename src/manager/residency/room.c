/*
 * room.c - see room.h.
 *
 * A process takes from the lists of others what they hold beyond their budgets as long as it is
 * within its own: then no process can take it back for the same reason, and what lists hold comes
 * to rest however many of them do not fit together. Only a list that could not run at all takes
 * from any other; it runs then, and the list that gave way does the same at its turn.
 */
#include "residency/room.h"

#include "object/allocation.h"
#include "object/candidates.h"
#include "lists/budget.h"
#include "lists/residency_list.h"
#include "paging/plan.h"
#include "residency/residency.h"
#include "residency/table_eviction.h"
#include "residency/window.h"

#define REFUSED 16u /* victims that do not pay until no more are tried */
#define UNPAID  4u  /* one part in so many of what comes */
/* So many times as many as must leave, and so many more, are compared. */
#define WIDER          2u
#define WIDER_AT_LEAST 16u

/* ---- Victims that no device lists ------------------------------------------------------------ */

static bool room_takes(void *ctx, const struct resident *resident) {
    const struct room *room = ctx;
    struct vidmm_allocation *allocation = resident->owner;
    allocation->resident.facts.idle = allocation->last_nodes == 0;
    return allocation->mark != room->adapter->mark &&
           allocation_in_the_way(allocation, room->request) &&
           resident->facts.last_use <= room->oldest && !allocation->pinned &&
           !allocation_fixed(allocation);
}

/* ---- Victims from residency lists ------------------------------------------------------------ */

struct room_question {
    const struct room *room;
    const struct segment *segment;
};

static bool room_takes_listed(void *ctx, const struct resident *resident) {
    const struct room_question *question = ctx;
    const struct room *room = question->room;
    const struct residency_entry *entry = resident->owner;
    const struct vidmm_allocation *allocation = entry->allocation;
    return allocation->segment == question->segment && allocation->mark != room->adapter->mark &&
           !allocation->pinned && !allocation_fixed(allocation) && !allocation_stays(allocation) &&
           allocation_in_the_way(allocation, room->request) &&
           (!room->device || !residency_entry_find(allocation, room->device));
}

static const struct residency_entry *room_listed_by(const struct vidmm_device *device,
                                                    struct room_question *question) {
    if (device == question->room->device || !device->list.placed)
        return NULL;
    const struct resident *victim = resident_victim(&device->list.placed[question->segment->id - 1],
                                                    room_takes_listed, question);
    return victim ? victim->owner : NULL;
}

/* A request may take from processes that hold at least so much beyond their budgets; false: from
 * none. */
static bool room_claim(const struct vidmm_device *device, uint32_t group, uint64_t size,
                       uint64_t *least) {
    *least = 0;
    if (!device || device->list.suspends == SUSPEND_ANYBODY)
        return true;
    *least = 1;
    return device->list.suspends == SUSPEND_EXCESS &&
           budget_excess(device->process, group, size) == 0;
}

/* What the process lists that holds most beyond its budget. */
static struct room_victim room_listed(const struct room *room, const struct segment *segment) {
    uint32_t group = budget_group(segment);
    struct room_question question = {room, segment};
    const struct segment_request *request = room->request;
    uint64_t size = request && !request->in_vpr ? segment_reserves(segment, request) : 0;
    struct room_victim victim = {0};
    uint64_t least;
    if (!room_claim(room->device, group, size, &least))
        return victim;
    for (const struct vidmm_device *device = room->adapter->devices.first; device;
         device = device->next) {
        uint64_t excess = budget_excess(device->process, group, 0);
        const struct residency_entry *found = excess < least || (victim.allocation && excess == 0)
                                                  ? NULL
                                                  : room_listed_by(device, &question);
        if (!found)
            continue;
        victim.allocation = found->allocation;
        victim.reason = excess ? VIDMM_MOVE_OVER_BUDGET : VIDMM_MOVE_LISTED;
        least = excess + 1;
    }
    return victim;
}

/* ---- Victims that stay resident -------------------------------------------------------------- */

/* On the own list, and usable in an aperture. */
static bool room_takes_own(void *ctx, const struct resident *resident) {
    const struct room *room = ctx;
    const struct residency_entry *entry = resident->owner;
    const struct vidmm_allocation *allocation = entry->allocation;
    return allocation->mark != room->adapter->mark && !allocation->move && !allocation->pinned &&
           !allocation_fixed(allocation) && !allocation_stays(allocation) &&
           allocation_in_the_way(allocation, room->request) &&
           (candidate_set(allocation, allocation->write_set != 0) & room->adapter->sets.aperture);
}

static struct room_victim room_own(const struct room *room, const struct segment *segment) {
    struct room asked = *room;
    const struct resident *found =
        room->coming && room->device && room->device->list.placed
            ? resident_victim(&room->device->list.placed[segment->id - 1], room_takes_own, &asked)
            : NULL;
    const struct residency_entry *entry = found ? found->owner : NULL;
    return (struct room_victim){entry ? entry->allocation : NULL, VIDMM_MOVE_DEMOTED};
}

/* To an aperture: the device lists it. VIDMM_DOES_NOT_FIT: none has room. */
static enum vidmm_status room_demote(const struct room *room, struct vidmm_allocation *allocation) {
    struct candidate_list list;
    candidates_list(allocation, candidate_set(allocation, allocation->write_set != 0), &list);
    if (!plan_leave(room->plan, allocation, false, VIDMM_MOVE_DEMOTED))
        return VIDMM_NO_MEMORY;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct segment_request request = candidate_request(allocation, &list, i);
        struct placement place;
        if (!list.segments[i]->aperture ||
            segment_place(list.segments[i], &request, &place) != PLACER_OK)
            continue;
        if (plan_enter(room->plan, allocation, list.segments[i], &place, VIDMM_MOVE_DEMOTED))
            return VIDMM_OK;
        segment_release(list.segments[i], &place);
        return VIDMM_NO_MEMORY;
    }
    return VIDMM_DOES_NOT_FIT;
}

static bool room_pays(const struct room *room, const struct vidmm_allocation *leaving) {
    const struct policy_run *run = &room->adapter->policy;
    return leaving->offered ||
           run->policy->exchange(run->own, &room->coming->resident.facts, &leaving->resident.facts);
}

struct room_victim room_next_victim(const struct room *room, struct segment *segment) {
    struct room asked = *room;
    const struct vidmm_device *device = room->device;
    const struct resident *found = resident_victim(&segment->queue, room_takes, &asked);
    struct vidmm_allocation *allocation = found ? found->owner : NULL;
    bool needed = room->oldest == UINT64_MAX && !room->coming; /* no promotion */
    if (allocation)
        return (struct room_victim){allocation,
                                    allocation->offered ? VIDMM_MOVE_OFFERED : VIDMM_MOVE_POLICY};
    struct room_victim victim = {0};
    if (adapter_virtual(room->adapter) &&
        (needed || (device && device->list.suspends == SUSPEND_EXCESS)))
        victim = room_listed(room, segment);
    return victim.allocation ? victim : room_own(room, segment);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/*
 * A range takes more to leave than remains away (room_spare): a few that do not pay may leave on
 * paper.
 */
static bool room_goes_on(const struct room *room, const struct room_victim *victim,
                         uint32_t *refused) {
    if (!room->coming || !victim->allocation || room_pays(room, victim->allocation))
        return true;
    return !room->request->scattered && ++*refused <= REFUSED;
}

/* What is away for it and should not be is but a small part of it. */
static bool room_paid(const struct room *room, uint32_t first) {
    const struct plan *plan = room->plan;
    uint64_t bytes = 0;
    for (uint32_t i = first; room->coming && i < plan->move_count; i++) {
        const struct vidmm_allocation *leaving = plan->moves[i].allocation;
        if (leaving && !room_pays(room, leaving))
            bytes += leaving->size;
    }
    return !room->coming || bytes <= room->coming->size / UNPAID;
}

/* What is executed at once keeps its content whatever it is. */
static enum vidmm_status room_evict(const struct room *room, const struct room_victim *victim) {
    struct vidmm_allocation *allocation = victim->allocation;
    if (!allocation)
        return VIDMM_DOES_NOT_FIT;
    if (victim->reason == VIDMM_MOVE_DEMOTED)
        return room_demote(room, allocation);
    if (!room->plan)
        return residency_give_way(allocation, victim->reason);
    return plan_leave(room->plan, allocation, allocation->offered != 0, victim->reason)
               ? VIDMM_OK
               : VIDMM_NO_MEMORY;
}

/* Puts back what was evicted without need: victims that do not lie where the place is now. */
void room_spare(struct plan *plan, uint32_t first) {
    for (uint32_t i = plan->move_count; i-- > first;)
        (void)plan_spare(plan, i);
}

/*
 * More of the same priorities leave on paper, so that there are ranges to choose from. A plan without
 * memory for that has what it needs.
 */
static void room_widen(const struct room *room, struct segment *segment, uint32_t first) {
    struct plan *plan = room->plan;
    uint32_t most = first + WIDER * (plan->move_count - first) + WIDER_AT_LEAST, priority = 0;
    for (uint32_t i = first; i < plan->move_count; i++) {
        const struct vidmm_allocation *left = plan->moves[i].allocation;
        if (left && left->resident.facts.priority > priority)
            priority = left->resident.facts.priority;
    }
    while (plan->move_count < most) {
        const struct room_victim victim = room_next_victim(room, segment);
        if (!victim.allocation || victim.reason == VIDMM_MOVE_DEMOTED ||
            victim.allocation->resident.facts.priority > priority ||
            room_evict(room, &victim) != VIDMM_OK)
            return;
    }
}

/* The range that is worth least, instead of the one whose residents are the first in the order. */
static void room_choose(const struct room *room, struct segment *segment, uint32_t first,
                        struct placement *place) {
    uint32_t left = room->plan ? room->plan->move_count - first : 0;
    if (left == 0 || WIDER * left + WIDER_AT_LEAST > WINDOW_PARTS ||
        !policy_knows_worth(&room->adapter->policy) || !window_serves(segment, room->request))
        return;
    room_widen(room, segment, first);
    window_choose(room->plan, first, segment, room->request, place);
}

enum vidmm_status room_place(const struct room *room, struct segment *segment,
                             struct placement *place) {
    uint32_t first = room->plan ? room->plan->move_count : 0, refused = 0;
    enum vidmm_status status = VIDMM_OK;
    enum placer_result result = segment_place(segment, room->request, place);
    while (status == VIDMM_OK && result == PLACER_FULL) {
        const struct room_victim victim = room_next_victim(room, segment);
        status =
            room_goes_on(room, &victim, &refused) ? room_evict(room, &victim) : VIDMM_DOES_NOT_FIT;
        if (status == VIDMM_OK)
            result = segment_place(segment, room->request, place);
    }
    if (result == PLACER_NO_MEMORY)
        status = error_no_memory(room->adapter, "vidmm residency");
    if (status == VIDMM_OK)
        room_choose(room, segment, first, place);
    if (room->plan && status == VIDMM_OK)
        room_spare(room->plan, first);
    if (status == VIDMM_OK && !room_paid(room, first)) {
        segment_release(segment, place);
        status = VIDMM_DOES_NOT_FIT;
    }
    if (room->plan && status)
        plan_undo(room->plan, first);
    return status;
}

/* ---- Page tables ----------------------------------------------------------------------------- */

enum vidmm_status room_for_table(struct vidmm_adapter *adapter, const struct table_place *wanted,
                                 struct placement *place) {
    const struct room room = {.adapter = adapter, .oldest = UINT64_MAX, .request = wanted->request};
    enum vidmm_status status;
    do {
        adapter->mark++; /* this decision references nothing */
        status = room_place(&room, wanted->segment, place);
        if (status != VIDMM_DOES_NOT_FIT)
            return status;
        status = table_eviction_send(adapter, wanted->runs, wanted->segment);
    } while (status == VIDMM_OK);
    return status;
}
