/*
 * plan.c - see plan.h: making moves and taking them back. plan_run.c emits and executes.
 */
#include "paging/aperture_op.h"
#include "paging/plan.h"

#include "object/allocation.h"
#include "object/aperture.h"
#include "lists/residency_list.h"

void plan_begin(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->plan;
    plan->move_count = plan->op_count = plan->built = 0;
    plan->buffer_segment = NULL;
    adapter->spaces.waiting_count = 0;
}

void plan_destroy(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->plan;
    adapter_free(adapter, plan->moves, plan->move_capacity * sizeof(*plan->moves));
    adapter_free(adapter, plan->ops, plan->op_capacity * sizeof(*plan->ops));
    memset(plan, 0, sizeof(*plan));
}

static struct move *add_move(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    struct plan *plan = &adapter->plan;
    if (!adapter_grow(adapter, (void **)&plan->moves, &plan->move_capacity, plan->move_count + 1,
                      sizeof(*plan->moves)))
        return NULL;
    struct move *move = &plan->moves[plan->move_count++];
    *move = (struct move){
        .allocation = allocation,
        .from = allocation->segment,
        .old = allocation->place,
        .content = allocation->content,
        .stale = allocation->stale,
    };
    allocation->move = plan->move_count;
    return move;
}

bool plan_leave(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation, bool discard,
                bool hold) {
    struct move *move = add_move(adapter, allocation);
    if (!move)
        return false;
    move->holds_old = hold;
    move->discard = discard;
    allocation_unqueue(allocation);
    if (!hold)
        segment_vacate(allocation->segment, &move->old);
    if (discard) {
        allocation->content = false;
        allocation->stale = true;
    } else if (allocation->content) {
        allocation->stale = false; /* a TRANSFER brings the system pages up to date */
    }
    allocation->segment = NULL;
    allocation->place = (struct placement){0};
    listing_update(allocation);
    return true;
}

bool plan_enter(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                struct segment *segment, const struct placement *place) {
    struct move *move = allocation->move ? &adapter->plan.moves[allocation->move - 1]
                                         : add_move(adapter, allocation);
    if (!move)
        return false;
    if (move->holds_old) { /* segment to segment: the system pages see nothing of it */
        allocation->content = move->content;
        allocation->stale = move->stale;
    }
    if (segment->aperture)
        allocation->stale = false;
    allocation->segment = segment;
    allocation->place = *place;
    allocation_queue(allocation);
    listing_update(allocation);
    return true;
}

/* Puts the allocation of `move` back to where it was; its old place must be free or held. */
static void restore(struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    allocation->segment = move->from;
    allocation->place = move->old;
    allocation->content = move->content;
    allocation->stale = move->stale;
    allocation->move = 0;
    allocation_queue(allocation);
    listing_update(allocation);
    move->allocation = NULL;
}

static void take_back(struct move *move) {
    if (move->from && !move->holds_old)
        (void)segment_retake(move->from, &move->old);
    restore(move);
}

void plan_undo(struct vidmm_adapter *adapter, uint32_t count) {
    struct plan *plan = &adapter->plan;
    if (count == 0 && plan->buffer_segment) {
        segment_release(plan->buffer_segment, plan->buffer_place);
        plan->buffer_segment = NULL;
    }
    /* First everything that was taken is given back: then all old places are free again. */
    for (uint32_t i = plan->move_count; i-- > count;) {
        struct move *move = &plan->moves[i];
        struct vidmm_allocation *allocation = move->allocation;
        if (allocation && move->window)
            segment_release(move->window, &move->window_place);
        if (allocation && allocation->segment) {
            allocation_unqueue(allocation);
            segment_release(allocation->segment, &allocation->place);
            allocation->segment = NULL;
        }
    }
    while (plan->move_count > count) {
        struct move *move = &plan->moves[--plan->move_count];
        if (move->allocation)
            take_back(move);
    }
}

bool plan_spare(struct vidmm_adapter *adapter, uint32_t index) {
    struct move *move = &adapter->plan.moves[index];
    if (!move->allocation || move->allocation->segment || !move->from || move->holds_old)
        return false;
    if (segment_retake(move->from, &move->old) != PLACER_OK)
        return false;
    restore(move);
    return true;
}

struct plan_op *plan_insert(struct vidmm_adapter *adapter, uint32_t at, enum vidmm_op_kind kind,
                            struct vidmm_allocation *allocation) {
    struct plan *plan = &adapter->plan;
    if (!adapter_grow(adapter, (void **)&plan->ops, &plan->op_capacity, plan->op_count + 1,
                      sizeof(*plan->ops)))
        return NULL;
    struct plan_op *op = &plan->ops[at];
    if (at < plan->op_count)
        memmove(op + 1, op, (plan->op_count - at) * sizeof(*op));
    plan->op_count++;
    memset(op, 0, sizeof(*op));
    op->op.kind = kind;
    op->op.allocation = allocation;
    if (allocation)
        op->op.size = allocation->size;
    return op;
}

struct plan_op *plan_add(struct vidmm_adapter *adapter, enum vidmm_op_kind kind,
                         struct vidmm_allocation *allocation) {
    return plan_insert(adapter, adapter->plan.op_count, kind, allocation);
}

bool plan_map(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
              struct vidmm_device *device, PMDL mdl, struct segment *segment, uint64_t offset,
              uint64_t size, bool map) {
    struct aperture_range range = {allocation, device, mdl, segment, offset, size};
    for (uint64_t at = 0; at < size;) {
        struct plan_op *op = plan_add(adapter, map ? VIDMM_OP_MAP : VIDMM_OP_UNMAP, allocation);
        if (!op)
            return false;
        at += aperture_op(&range, at, map, op);
    }
    return true;
}
