/*
 * plan_run.c - a plan's operations, in an order in which no operation spoils another's source, and
 * their way through the paging queue.
 *
 *   1. out of apertures: UNMAP, so that eviction windows may lie there;
 *   2. out of memory segments: DISCARD, or TRANSFER to system pages, through a window in an
 * eviction aperture where the driver names one; the windows are unmapped again only when the
 * transfers through them are complete, because the driver may do that at once with the CPU;
 *   3. from memory segment to memory segment, whose old places are still held;
 *   4. in: FILL, INIT_CONTEXT_RESOURCE, TRANSFER, MAP, and the MAP of a DMA buffer.
 */
#include "lists/idle.h"
#include "paging/plan.h"

#include "object/allocation.h"
#include "object/aperture.h"
#include "object/host_aperture.h"
#include "object/iommu_mapping.h"
#include "engine/null_context.h"
#include "paging/transfer.h"

/* A range of an eviction aperture for this move; without one the transfer goes to the pages. */
static void find_window(struct vidmm_adapter *adapter, struct move *move) {
    const struct vidmm_allocation *allocation = move->allocation;
    struct segment_request request = {.size = allocation->size};
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        struct segment *segment = &adapter->facts.segments[i];
        if (!segment_in_set(segment, allocation->evict_set & adapter->aperture_set) ||
            segment->flags.PitchAlignment)
            continue;
        if (segment_place(segment, &request, &move->window_place) == PLACER_OK) {
            move->window = segment;
            return;
        }
    }
}

/* To system memory, by way of an eviction aperture if there is one with room. */
static bool emit_save(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    struct vidmm_place from = {.segment = move->from->id, .offset = move->old.offset};
    struct vidmm_place to = {0};
    if (allocation->evict_set && aperture_serves(allocation))
        find_window(adapter, move);
    if (move->window) {
        to.segment = move->window->id;
        to.offset = move->window_place.offset;
        if (!plan_map(adapter, allocation, aperture_device(allocation), allocation->mdl,
                      move->window, to.offset, allocation->size, true))
            return false;
    }
    return transfer_add(adapter, allocation, from, to);
}

/* Out of an aperture: the content is in the system pages already. */
bool plan_emit_unmap(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    return !move->from || !move->from->aperture || move->old.floating ||
           plan_map(adapter, allocation, aperture_device(allocation), allocation->mdl, move->from,
                    move->old.offset, allocation->size, false);
}

/* Out of a memory segment. */
static bool emit_out(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    if (!move->from || move->from->aperture || move->holds_old)
        return true;
    if (!move->discard && move->content && move->stale)
        return emit_save(adapter, move);
    struct plan_op *op = plan_add(adapter, VIDMM_OP_DISCARD, allocation);
    if (!op)
        return false;
    op->op.from = (struct vidmm_place){.segment = move->from->id, .offset = move->old.offset};
    return true;
}

static bool emit_windows(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->plan;
    uint32_t first = plan->op_count;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        struct vidmm_allocation *allocation = move->allocation;
        if (allocation && move->window &&
            !plan_map(adapter, allocation, aperture_device(allocation), allocation->mdl,
                      move->window, move->window_place.offset, allocation->size, false))
            return false;
    }
    if (plan->op_count > first)
        plan->ops[first].barrier = true;
    return true;
}

/* From memory segment to memory segment. */
static bool emit_across(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    if (!move->holds_old || !allocation->content)
        return true;
    struct vidmm_place from = {.segment = move->from->id, .offset = move->old.offset};
    struct vidmm_place to = {.segment = allocation->segment->id,
                             .offset = allocation->place.offset};
    return transfer_add(adapter, allocation, from, to);
}

/* FILL, or the driver's own initial content. */
static bool emit_initial(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    bool fill = allocation->resource;
    if (fill && allocation->segment->aperture)
        return true; /* fresh pages are zero, and FILL is never asked of an aperture */
    struct plan_op *op =
        plan_add(adapter, fill ? VIDMM_OP_FILL : VIDMM_OP_INIT_CONTEXT_RESOURCE, allocation);
    if (!op)
        return false;
    op->op.to = (struct vidmm_place){.segment = allocation->segment->id,
                                     .offset = allocation->place.offset};
    return true;
}

static bool emit_in(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    if (!allocation->segment || (move->holds_old && allocation->content))
        return true;
    if (allocation->segment->aperture && !allocation->place.floating &&
        !plan_map(adapter, allocation, aperture_device(allocation), allocation->mdl,
                  allocation->segment, allocation->place.offset, allocation->size, true))
        return false;
    if (!allocation->content)
        return emit_initial(adapter, allocation);
    return allocation->segment->aperture || plan_sync(adapter, allocation, false);
}

bool plan_each(struct vidmm_adapter *adapter, plan_emitter *emit) {
    struct plan *plan = &adapter->plan;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        if (plan->moves[i].allocation && !emit(adapter, &plan->moves[i]))
            return false;
    }
    return true;
}

/* A DMA buffer in an aperture, perhaps where something else was. */
static bool emit_buffer(struct vidmm_adapter *adapter) {
    const struct plan *plan = &adapter->plan;
    return !plan->buffer_segment ||
           plan_map(adapter, NULL, plan->buffer_device, plan->buffer_mdl, plan->buffer_segment,
                    plan->buffer_place->offset, plan->buffer_size, true);
}

static bool emit_moves(struct vidmm_adapter *adapter) {
    if (adapter->gpummu)
        return plan_emit_virtual(adapter);
    return plan_each(adapter, plan_emit_unmap) && plan_each(adapter, emit_out) &&
           emit_windows(adapter) && plan_each(adapter, emit_across) && plan_each(adapter, emit_in);
}

static bool emit(struct vidmm_adapter *adapter) {
    return emit_moves(adapter) && emit_buffer(adapter);
}

/* Waits for the GPU to be done with all that the plan touches, so that nothing is built in vain. */
static enum vidmm_status quiesce(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->plan;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct vidmm_allocation *allocation = plan->ops[i].op.allocation;
        enum vidmm_status status = allocation ? allocation_wait_idle(allocation) : VIDMM_OK;
        if (status)
            return status;
    }
    for (uint32_t i = 0; i < plan->move_count; i++) {
        struct vidmm_allocation *allocation = plan->moves[i].allocation;
        if (!allocation || !plan->moves[i].from)
            continue;
        enum vidmm_status status =
            adapter_virtual(adapter) ? allocation_wait_idle(allocation) : VIDMM_OK;
        if (status == VIDMM_OK)
            status = null_context_switch(allocation);
        if (status)
            return status;
        if (!allocation->alternate)
            swizzling_release(allocation);
        host_aperture_release(allocation);
    }
    return VIDMM_OK;
}

static enum vidmm_status build(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->plan;
    enum vidmm_status status = VIDMM_OK;
    while (status == VIDMM_OK && plan->built < plan->op_count) {
        struct plan_op *op = &plan->ops[plan->built];
        if (op->barrier)
            status = paging_finish(adapter);
        if (status == VIDMM_OK) {
            plan->built++; /* before: an operation may be half built when the GPU hangs */
            status = paging_build(adapter, op);
        }
    }
    return status ? status : paging_finish(adapter);
}

static void commit_move(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    if (move->from && !move->from->aperture)
        adapter->stats.evictions++;
    if (allocation->segment && !allocation->segment->aperture)
        adapter->stats.page_ins++;
    if (move->holds_old)
        segment_release(move->from, &move->old);
    else if (move->from)
        segment_drop(move->from, &move->old);
    if (move->window)
        segment_release(move->window, &move->window_place);
    allocation->move = 0;
    if (adapter->iommu)
        iommu_mapping_follow(allocation);
    allocation_publish(allocation);
    if (move->discard && move->content)
        allocation_lost_content(allocation);
}

static void commit(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->plan;
    adapter->epoch += plan->move_count != 0;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        if (plan->moves[i].allocation)
            commit_move(adapter, &plan->moves[i]);
    }
    plan_begin(adapter);
}

enum vidmm_status plan_execute(struct vidmm_adapter *adapter) {
    enum vidmm_status status = emit(adapter) ? VIDMM_OK : error_no_memory(adapter, "vidmm plan");
    if (status == VIDMM_OK)
        status = quiesce(adapter);
    if (status == VIDMM_OK)
        status = build(adapter);
    if (status)
        plan_undo(adapter, 0);
    else
        commit(adapter);
    return status;
}
