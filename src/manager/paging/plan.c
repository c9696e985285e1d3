/*
 * plan.c - see plan.h: making moves and taking them back. plan_emit.c emits operations, plan_run.c
 * executes.
 */
#include "paging/plan.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/aperture.h"
#include "lists/residency_list.h"
#include "paging/aperture_op.h"

void plan_begin(struct plan *plan, struct vidmm_adapter *adapter, enum vidmm_plan_reason reason) {
    VIDMM_ASSERT_LOCKED(adapter);
    const struct plan spare = adapter->spare;
    *plan = (struct plan){.adapter = adapter,
                          .reason = reason,
                          .moves = spare.moves,
                          .move_capacity = spare.move_capacity,
                          .ops = spare.ops,
                          .op_capacity = spare.op_capacity,
                          .waiting = spare.waiting,
                          .waiting_capacity = spare.waiting_capacity};
    memset(&adapter->spare, 0, sizeof(adapter->spare));
}

/* The larger of two arrays becomes the spare one. */
static void plan_keep(struct vidmm_adapter *adapter, void **spare, uint32_t *capacity, void *array,
                      uint32_t array_capacity, size_t element) {
    bool larger = array_capacity > *capacity;
    void *unwanted = larger ? *spare : array;
    adapter_free(adapter, unwanted, (larger ? *capacity : array_capacity) * element);
    if (!larger)
        return;
    *spare = array;
    *capacity = array_capacity;
}

void plan_end(struct plan *plan) {
    struct vidmm_adapter *adapter = plan->adapter;
    if (!adapter)
        return;
    struct plan *spare = &adapter->spare;
    plan_undo(plan, 0);
    plan_keep(adapter, (void **)&spare->moves, &spare->move_capacity, plan->moves,
              plan->move_capacity, sizeof(*plan->moves));
    plan_keep(adapter, (void **)&spare->ops, &spare->op_capacity, plan->ops, plan->op_capacity,
              sizeof(*plan->ops));
    plan_keep(adapter, (void **)&spare->waiting, &spare->waiting_capacity, plan->waiting,
              plan->waiting_capacity, sizeof(*plan->waiting));
    memset(plan, 0, sizeof(*plan));
}

void plans_destroy(struct vidmm_adapter *adapter) {
    struct plan *spare = &adapter->spare;
    plan_end(&adapter->lost);
    adapter_free(adapter, spare->moves, spare->move_capacity * sizeof(*spare->moves));
    adapter_free(adapter, spare->ops, spare->op_capacity * sizeof(*spare->ops));
    adapter_free(adapter, spare->waiting, spare->waiting_capacity * sizeof(*spare->waiting));
    memset(spare, 0, sizeof(*spare));
}

static struct move *plan_add_move(struct plan *plan, struct vidmm_allocation *allocation,
                                  enum vidmm_move_reason reason) {
    if (!adapter_grow(plan->adapter, (void **)&plan->moves, &plan->move_capacity,
                      plan->move_count + 1, sizeof(*plan->moves)))
        return NULL;
    struct move *move = &plan->moves[plan->move_count++];
    *move = (struct move){
        .allocation = allocation,
        .reason = reason,
        .from = allocation->segment,
        .old = allocation->place,
        .content = allocation->content,
        .stale = allocation->stale,
    };
    allocation->move = plan->move_count;
    return move;
}

static bool plan_take_out(struct vidmm_allocation *allocation, struct move *move) {
    if (!move)
        return false;
    allocation_unqueue(allocation);
    if (!move->holds_old)
        segment_vacate(allocation->segment, &move->old);
    if (move->discard) {
        allocation->content = false;
        allocation->stale = true;
    } else if (allocation->content) {
        allocation->stale = false; /* a TRANSFER brings the system pages up to date */
    }
    allocation->segment = NULL;
    allocation->place = (struct placement){0};
    residency_entries_update(allocation);
    return true;
}

bool plan_leave(struct plan *plan, struct vidmm_allocation *allocation, bool discard,
                enum vidmm_move_reason reason) {
    VIDMM_ASSERT(plan->adapter, allocation->segment);
    struct move *move = plan_add_move(plan, allocation, reason);
    if (move)
        move->discard = discard;
    return plan_take_out(allocation, move);
}

bool plan_leave_held(struct plan *plan, struct vidmm_allocation *allocation,
                     enum vidmm_move_reason reason) {
    struct move *move = plan_add_move(plan, allocation, reason);
    if (move)
        move->holds_old = true;
    return plan_take_out(allocation, move);
}

bool plan_enter(struct plan *plan, struct vidmm_allocation *allocation, struct segment *segment,
                const struct placement *place, enum vidmm_move_reason reason) {
    VIDMM_ASSERT(plan->adapter, !allocation->segment);
    struct move *move = allocation->move ? &plan->moves[allocation->move - 1]
                                         : plan_add_move(plan, allocation, reason);
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
    residency_entries_update(allocation);
    return true;
}

/* Puts the allocation of `move` back to where it was; its old place must be free or held. */
static void move_restore(struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    allocation->segment = move->from;
    allocation->place = move->old;
    allocation->content = move->content;
    allocation->stale = move->stale;
    allocation->move = 0;
    allocation_queue(allocation);
    residency_entries_update(allocation);
    move->allocation = NULL;
}

static void move_take_back(struct move *move) {
    if (move->from && !move->holds_old)
        (void)segment_retake(move->from, &move->old);
    move_restore(move);
}

void plan_undo(struct plan *plan, uint32_t count) {
    if (count == 0 && plan->buffer.segment) {
        segment_release(plan->buffer.segment, plan->buffer_place);
        plan->buffer.segment = NULL;
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
            move_take_back(move);
    }
}

bool plan_spare(struct plan *plan, uint32_t index) {
    struct move *move = &plan->moves[index];
    if (!move->allocation || move->allocation->segment || !move->from || move->holds_old)
        return false;
    if (segment_retake(move->from, &move->old) != PLACER_OK)
        return false;
    move_restore(move);
    return true;
}

struct plan_op *plan_insert(struct plan *plan, uint32_t at, enum vidmm_op_kind kind,
                            struct vidmm_allocation *allocation) {
    VIDMM_ASSERT(plan->adapter, at <= plan->op_count);
    if (!adapter_grow(plan->adapter, (void **)&plan->ops, &plan->op_capacity, plan->op_count + 1,
                      sizeof(*plan->ops)))
        return NULL;
    struct plan_op *op = &plan->ops[at];
    if (at < plan->op_count)
        memmove(op + 1, op, (plan->op_count - at) * sizeof(*op));
    plan->op_count++;
    bool physical = vidmm_op_address(kind) == VIDMM_ADDRESS_PHYSICAL;
    memset(op, 0, physical ? offsetof(struct plan_op, table) : sizeof(*op));
    op->op.kind = kind;
    op->op.allocation = allocation;
    if (allocation) {
        op->op.physical = allocation->home;
        op->op.size = allocation->size;
    }
    return op;
}

struct plan_op *plan_add(struct plan *plan, enum vidmm_op_kind kind,
                         struct vidmm_allocation *allocation) {
    return plan_insert(plan, plan->op_count, kind, allocation);
}

bool plan_touch(struct plan *plan, struct vidmm_place place, bool write) {
    struct plan_op *op =
        plan_add(plan, write ? VIDMM_OP_WRITE_PHYSICAL : VIDMM_OP_READ_PHYSICAL, NULL);
    if (!op)
        return false;
    op->op.physical = query_segment(&plan->adapter->facts, place.segment)->physical;
    op->op.size = sizeof(uint64_t);
    if (write)
        op->op.to = place;
    else
        op->op.from = place;
    return true;
}

static bool plan_map_range(struct plan *plan, const struct aperture_range *range, bool map) {
    for (uint64_t at = 0; at < range->size;) {
        struct plan_op *op = plan_add(plan, map ? VIDMM_OP_MAP : VIDMM_OP_UNMAP, range->allocation);
        if (!op)
            return false;
        at += aperture_op(range, at, map, op);
    }
    return true;
}

bool plan_map(struct plan *plan, struct vidmm_allocation *allocation, struct segment *segment,
              uint64_t offset, bool map) {
    const struct aperture_range range = {allocation,      aperture_device(allocation),
                                         allocation->mdl, segment,
                                         offset,          allocation->size};
    return plan_map_range(plan, &range, map);
}

bool plan_map_buffer(struct plan *plan, const struct plan_buffer *buffer, bool map) {
    const struct aperture_range range = {
        NULL, buffer->device, buffer->mdl, buffer->segment, buffer->offset, buffer->size};
    return plan_map_range(plan, &range, map);
}
