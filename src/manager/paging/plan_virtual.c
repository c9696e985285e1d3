/*
 * plan_virtual.c - a plan's operations when the GPU uses virtual addresses; plan_run.c has them
 * built and executed as any others.
 *
 *   1. every address that leads to what moves leads nowhere, and the aperture ranges go;
 *   2. out of memory segments: the driver is told, then VIRTUAL_TRANSFER to the system pages,
 * through the paging process's scratch space, of what they do not hold already;
 *   3. from memory segment to memory segment, whose old places are still held;
 *   4. in: VIRTUAL_FILL, INIT_CONTEXT_RESOURCE or VIRTUAL_TRANSFER, aperture ranges, then the
 * driver is told;
 *   5. the addresses lead to the new places.
 */
#include "paging/plan.h"

#include "object/allocation.h"
#include "object/aperture.h"
#include "paging/space.h"

static struct view old_view(const struct move *move) {
    return (struct view){.segment = move->from, .place = &move->old};
}

static bool emit_hide(struct vidmm_adapter *adapter, struct move *move) {
    return !move->from || space_hide(adapter, move->allocation);
}

/* R246: only for allocations that asked for it, and that the driver knows the address of. */
static bool emit_notice(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                        const struct segment *segment, const struct placement *place) {
    if (!allocation_announced(allocation))
        return true;
    struct plan_op *op = plan_add(adapter, VIDMM_OP_NOTIFY_RESIDENCY, allocation);
    if (!op)
        return false;
    op->op.size = 0;
    if (segment)
        op->op.to = (struct vidmm_place){.segment = segment->id, .offset = place->offset};
    return true;
}

static bool emit_leaving(struct vidmm_adapter *adapter, struct move *move) {
    return !move->from || emit_notice(adapter, move->allocation, NULL, NULL);
}

static bool emit_out(struct vidmm_adapter *adapter, struct move *move) {
    if (!segment_is_memory(move->from) || move->holds_old || move->discard || !move->content ||
        !move->stale)
        return true;
    return space_transfer(adapter, move->allocation, old_view(move), (struct view){0});
}

static bool moves_across(const struct move *move) {
    return move->holds_old && move->allocation->content;
}

static bool emit_across(struct vidmm_adapter *adapter, struct move *move) {
    return !moves_across(move) || space_transfer(adapter, move->allocation, old_view(move),
                                                 space_view_of(move->allocation));
}

static bool emit_initial(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    if (allocation->resource)
        return !segment_is_memory(allocation->segment) ||
               space_fill(adapter, allocation, space_view_of(allocation), 0);
    return space_init(adapter, allocation, space_view_of(allocation));
}

static bool emit_in(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    const struct segment *segment = allocation->segment;
    if (!segment || moves_across(move))
        return true;
    if (segment->aperture && !allocation->place.floating &&
        !plan_map(adapter, allocation, aperture_device(allocation), allocation->mdl,
                  allocation->segment, allocation->place.offset, allocation->size, true))
        return false;
    if (!allocation->content)
        return emit_initial(adapter, allocation);
    return segment->aperture ||
           space_transfer(adapter, allocation, (struct view){0}, space_view_of(allocation));
}

static bool emit_arrived(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    return !allocation->segment ||
           (emit_notice(adapter, allocation, allocation->segment, &allocation->place) &&
            space_show(adapter, allocation, space_view_of(allocation)));
}

bool plan_emit_virtual(struct vidmm_adapter *adapter) {
    return plan_each(adapter, emit_hide) && plan_each(adapter, emit_leaving) &&
           plan_each(adapter, plan_emit_unmap) && plan_each(adapter, emit_out) &&
           space_send(adapter) && plan_each(adapter, emit_across) && space_send(adapter) &&
           plan_each(adapter, emit_in) && space_send(adapter) && plan_each(adapter, emit_arrived);
}
