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
#include "lists/budget.h"
#include "lists/residency_list.h"
#include "paging/plan.h"
#include "residency/residency.h"
#include "residency/table_eviction.h"

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

struct room_victim room_next_victim(const struct room *room, struct segment *segment) {
    struct room asked = *room;
    const struct vidmm_device *device = room->device;
    const struct resident *found = resident_victim(&segment->queue, room_takes, &asked);
    struct vidmm_allocation *allocation = found ? found->owner : NULL;
    bool needed = room->oldest == UINT64_MAX; /* no promotion */
    if (allocation)
        return (struct room_victim){allocation,
                                    allocation->offered ? VIDMM_MOVE_OFFERED : VIDMM_MOVE_POLICY};
    return adapter_virtual(room->adapter) &&
                   (needed || (device && device->list.suspends == SUSPEND_EXCESS))
               ? room_listed(room, segment)
               : (struct room_victim){0};
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* What is executed at once keeps its content whatever it is. */
static enum vidmm_status room_evict(const struct room *room, const struct room_victim *victim) {
    struct vidmm_allocation *allocation = victim->allocation;
    if (!allocation)
        return VIDMM_DOES_NOT_FIT;
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

enum vidmm_status room_place(const struct room *room, struct segment *segment,
                             struct placement *place) {
    uint32_t first = room->plan ? room->plan->move_count : 0;
    enum vidmm_status status = VIDMM_OK;
    enum placer_result result = segment_place(segment, room->request, place);
    while (status == VIDMM_OK && result == PLACER_FULL) {
        const struct room_victim victim = room_next_victim(room, segment);
        status = room_evict(room, &victim);
        if (status == VIDMM_OK)
            result = segment_place(segment, room->request, place);
    }
    if (result == PLACER_NO_MEMORY)
        status = error_no_memory(room->adapter, "vidmm residency");
    if (room->plan && status)
        plan_undo(room->plan, first);
    else if (room->plan)
        room_spare(room->plan, first);
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
