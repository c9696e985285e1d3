/*
 * plan_tell.c - see plan_tell.h.
 */
#include "paging/plan_tell.h"

#include "base/adapter.h"
#include "base/process.h"
#include "object/allocation.h"

void plan_tell(const struct plan *plan, enum vidmm_status status) {
    const struct vidmm_adapter *adapter = plan->adapter;
    const struct vidmm_plan record = {.reason = plan->reason,
                                      .status = status,
                                      .submissions = adapter->fences.submitted,
                                      .moves = plan->move_count,
                                      .ops = plan->op_count,
                                      .plan = plan};
    if (adapter->settings.observer.plan && (record.moves || record.ops))
        adapter->settings.observer.plan(adapter->settings.observer.plan_ctx, &record);
}

static struct vidmm_place tell_place(const struct segment *segment, const struct placement *place) {
    return segment ? (struct vidmm_place){.segment = segment->id, .offset = place->offset}
                   : (struct vidmm_place){0};
}

static uint32_t tell_process(const struct vidmm_allocation *allocation) {
    const struct vidmm_device *device = allocation_device(allocation);
    return device && device->process ? device->process->number : 0;
}

bool vidmm_plan_move(const struct vidmm_plan *plan, uint32_t index, struct vidmm_plan_move *out) {
    const struct move *move = &plan->plan->moves[index];
    const struct vidmm_allocation *allocation = move->allocation;
    if (!allocation)
        return false;
    *out = (struct vidmm_plan_move){
        .allocation = allocation->kernel,
        .process = tell_process(allocation),
        .reason = move->reason,
        .size = allocation->size,
        .from = tell_place(move->from, &move->old),
        .to = tell_place(allocation->segment, &allocation->place),
        .from_memory = segment_is_memory(move->from),
        .to_memory = segment_is_memory(allocation->segment),
        .discard = move->discard,
    };
    return true;
}

bool vidmm_plan_part(const struct vidmm_plan *plan, uint32_t index, uint32_t part, uint64_t *offset,
                     uint64_t *size) {
    const struct vidmm_allocation *allocation = plan->plan->moves[index].allocation;
    if (!allocation || !allocation->segment || allocation->place.floating)
        return false;
    const struct placement *place = &allocation->place;
    if (part >= (place->extents ? place->extent_count : 1))
        return false;
    *offset = place->extents ? place->extents[part].offset : place->offset;
    *size = place->extents ? place->extents[part].size : place->size;
    return true;
}

bool vidmm_plan_op(const struct vidmm_plan *plan, uint32_t index, struct vidmm_plan_op *out) {
    const struct vidmm_adapter *adapter = plan->plan->adapter;
    const struct plan_op *op = &plan->plan->ops[index];
    if (!op->first_buffer)
        return false; /* not built, or built by a plan that hung before */
    *out = (struct vidmm_plan_op){
        .op = op->op,
        .allocation = op->op.allocation ? op->op.allocation->kernel : 0,
        .from_memory = adapter_in_memory(adapter, &op->op.from),
        .to_memory = adapter_in_memory(adapter, &op->op.to),
        .done = outstanding_completed(adapter, op->sequence),
    };
    return true;
}

const char *vidmm_plan_reason_name(enum vidmm_plan_reason reason) {
    static const char *const names[VIDMM_PLAN_REASONS] = {
        [VIDMM_PLAN_START] = "start",
        [VIDMM_PLAN_STOP] = "stop",
        [VIDMM_PLAN_SUBMISSION] = "submission",
        [VIDMM_PLAN_MAKE_RESIDENT] = "make_resident",
        [VIDMM_PLAN_RECLAIM] = "reclaim",
        [VIDMM_PLAN_PIN] = "pin",
        [VIDMM_PLAN_PROPERTY] = "property",
        [VIDMM_PLAN_CONTEXT_ALLOCATION] = "context_allocation",
        [VIDMM_PLAN_LOCK] = "lock",
        [VIDMM_PLAN_UNLOCK] = "unlock",
        [VIDMM_PLAN_EVICT] = "evict",
        [VIDMM_PLAN_DESTROY] = "destroy",
        [VIDMM_PLAN_DMA_BUFFER] = "dma_buffer",
        [VIDMM_PLAN_ADDRESSES] = "addresses",
        [VIDMM_PLAN_TABLE_ROOM] = "table_room",
        [VIDMM_PLAN_TABLE_EVICTION] = "table_eviction",
        [VIDMM_PLAN_TABLE_RETURN] = "table_return",
        [VIDMM_PLAN_MIGRATION] = "migration",
        [VIDMM_PLAN_FENCE] = "fence",
        [VIDMM_PLAN_FLUSH] = "flush",
        [VIDMM_PLAN_POWER] = "power",
        [VIDMM_PLAN_RESET] = "reset",
    };
    return names[reason];
}

const char *vidmm_move_reason_name(enum vidmm_move_reason reason) {
    static const char *const names[VIDMM_MOVE_REASONS] = {
        [VIDMM_MOVE_REQUESTED] = "requested", [VIDMM_MOVE_PROMOTED] = "promoted",
        [VIDMM_MOVE_DEMOTED] = "demoted",     [VIDMM_MOVE_REPACKED] = "repacked",
        [VIDMM_MOVE_POLICY] = "policy",       [VIDMM_MOVE_OFFERED] = "offered",
        [VIDMM_MOVE_LISTED] = "listed",       [VIDMM_MOVE_OVER_BUDGET] = "over_budget",
        [VIDMM_MOVE_SWEPT] = "swept",
    };
    return names[reason];
}
