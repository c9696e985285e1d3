/*
 * mover_virtual.c - see mover.h: moves when the GPU uses virtual addresses. Bytes go through the
 * paging process's scratch space (space_move.c), and wait there for one flush of it.
 */
#include "object/allocation.h"
#include "paging/mover.h"

/* R246: only for allocations that asked for it, and that the driver knows the address of. */
static bool virtual_notice(struct plan *plan, struct vidmm_allocation *allocation,
                           const struct segment *segment, const struct placement *place) {
    if (!allocation_announced(allocation))
        return true;
    struct plan_op *op = plan_add(plan, VIDMM_OP_NOTIFY_RESIDENCY, allocation);
    if (!op)
        return false;
    op->op.size = 0;
    if (segment)
        op->op.to = (struct vidmm_place){.segment = segment->id, .offset = place->offset};
    return true;
}

/* Every address that leads to what moves leads nowhere; then the notices. */
static bool virtual_detach(struct plan *plan) {
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        if (move->allocation && move->from && !space_clear_ptes(plan, move->allocation))
            return false;
    }
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        if (move->allocation && move->from && !virtual_notice(plan, move->allocation, NULL, NULL))
            return false;
    }
    return true;
}

/* No operation tells the driver of content that is not kept. */
static bool virtual_leave(struct plan *plan, struct move *move, bool save) {
    const struct view old = {.segment = move->from, .place = &move->old};
    return !save || space_transfer(plan, move->allocation, old, (struct view){0});
}

static bool virtual_initialize(struct plan *plan, struct vidmm_allocation *allocation) {
    const struct view place = space_view_of(allocation);
    return allocation->resource ? space_fill(plan, allocation, place, 0)
                                : space_init(plan, allocation, place);
}

static bool virtual_attach(struct plan *plan, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    return !allocation->segment ||
           (virtual_notice(plan, allocation, allocation->segment, &allocation->place) &&
            space_write_ptes(plan, allocation, space_view_of(allocation)));
}

const struct mover mover_virtual = {
    .detach = virtual_detach,
    .leave = virtual_leave,
    .end_leaving = space_send,
    .copy = space_transfer,
    .initialize = virtual_initialize,
    .flush = space_send,
    .attach = virtual_attach,
};
