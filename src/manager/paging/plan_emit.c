/*
 * plan_emit.c - see plan_emit.h. The order, for physical and for virtual addresses:
 *
 *   1. what leaves is out of the GPU's reach, and out of aperture segments: UNMAP, so that eviction
 *      windows may lie there;
 *   2. out of memory segments, to the system pages or discarded;
 *   3. from memory segment to memory segment, whose old places are still held;
 *   4. in: MAP into apertures, first content, or content from the system pages;
 *   5. what arrived is in the GPU's reach; and the MAP of a DMA buffer.
 */
#include "paging/plan_emit.h"

#include "object/allocation.h"
#include "paging/mover.h"

static const struct mover *emit_mover(const struct plan *plan) {
    return plan->adapter->gpummu ? &mover_virtual : &mover_physical;
}

typedef bool emit_move(struct plan *plan, const struct mover *mover, struct move *move);

/* False as soon as one is. */
static bool emit_each(struct plan *plan, const struct mover *mover, emit_move *emit) {
    for (uint32_t i = 0; i < plan->move_count; i++) {
        if (plan->moves[i].allocation && !emit(plan, mover, &plan->moves[i]))
            return false;
    }
    return true;
}

/* Out of an aperture: the content is in the system pages already. */
static bool emit_unmap(struct plan *plan, const struct mover *mover, struct move *move) {
    (void)mover;
    return !move->from || !move->from->aperture || move->old.floating ||
           plan_map(plan, move->allocation, move->from, move->old.offset, false);
}

static bool emit_out(struct plan *plan, const struct mover *mover, struct move *move) {
    bool save = !move->discard && move->content && move->stale;
    return !segment_is_memory(move->from) || move->holds_old || mover->leave(plan, move, save);
}

static bool emit_moves_across(const struct move *move) {
    return move->holds_old && move->allocation->content;
}

static bool emit_across(struct plan *plan, const struct mover *mover, struct move *move) {
    const struct view old = {.segment = move->from, .place = &move->old};
    return !emit_moves_across(move) ||
           mover->copy(plan, move->allocation, old, space_view_of(move->allocation));
}

/* Fresh pages are zero, and FILL is never asked of an aperture. */
static bool emit_initial(struct plan *plan, const struct mover *mover,
                         struct vidmm_allocation *allocation) {
    return (allocation->resource && allocation->segment->aperture) ||
           mover->initialize(plan, allocation);
}

static bool emit_in(struct plan *plan, const struct mover *mover, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    struct segment *segment = allocation->segment;
    if (!segment || emit_moves_across(move))
        return true;
    if (segment->aperture && !allocation->place.floating &&
        !plan_map(plan, allocation, segment, allocation->place.offset, true))
        return false;
    if (!allocation->content)
        return emit_initial(plan, mover, allocation);
    return segment->aperture ||
           mover->copy(plan, allocation, (struct view){0}, space_view_of(allocation));
}

static bool emit_attach(struct plan *plan, const struct mover *mover, struct move *move) {
    return mover->attach(plan, move);
}

/* A DMA buffer in an aperture, perhaps where something else was. */
static bool emit_buffer(struct plan *plan) {
    return !plan->buffer.segment || plan_map_buffer(plan, &plan->buffer, true);
}

bool plan_emit(struct plan *plan) {
    const struct mover *mover = emit_mover(plan);
    return mover->detach(plan) && emit_each(plan, mover, emit_unmap) &&
           emit_each(plan, mover, emit_out) && mover->end_leaving(plan) &&
           emit_each(plan, mover, emit_across) && mover->flush(plan) &&
           emit_each(plan, mover, emit_in) && mover->flush(plan) &&
           emit_each(plan, mover, emit_attach) && emit_buffer(plan);
}

bool plan_sync(struct plan *plan, struct vidmm_allocation *allocation, bool to_system) {
    const struct mover *mover = emit_mover(plan);
    const struct view pages = {0};
    const struct view local = {.segment = allocation->segment, .place = &allocation->place};
    return mover->copy(plan, allocation, to_system ? local : pages, to_system ? pages : local) &&
           mover->flush(plan);
}
