/*
 * plan_emit.c - see plan_emit.h. The order, for physical and for virtual addresses:
 *
 *   1. what leaves is out of the GPU's reach, and out of aperture segments: UNMAP, so that eviction
 *      windows may lie there;
 *   2. out of memory segments, to the system pages or discarded;
 *   3. from memory segment to memory segment, whose old places are still held;
 *   4. in: MAP into apertures, first content, or content from the system pages;
 *   5. what arrived is in the GPU's reach; and the MAP of a DMA buffer.
 *
 * With physical addresses moves that wait for the GPU, and those into places that such moves leave,
 * come after all others, in the same order: the others are carried out meanwhile (plan_run.c).
 */
#include "paging/plan_emit.h"

#include "lists/idle.h"
#include "object/allocation.h"
#include "paging/mover.h"

#define DIVIDED 64u /* moves of a plan that is divided, at most: each is compared with each */

static const struct mover *emit_mover(const struct plan *plan) {
    return plan->adapter->gpummu ? &mover_virtual : &mover_physical;
}

typedef bool emit_move(struct plan *plan, const struct mover *mover, struct move *move);

/* False as soon as one is. */
static bool emit_each(struct plan *plan, const struct mover *mover, emit_move *emit) {
    for (uint32_t i = 0; i < plan->move_count; i++) {
        struct move *move = &plan->moves[i];
        if (move->allocation && move->later == plan->later && !emit(plan, mover, move))
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

/* The steps that some move needs. */
struct emit_steps {
    bool unmap, out, across, in;
};

static struct emit_steps emit_needed(const struct plan *plan) {
    struct emit_steps needed = {0};
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        if (!move->allocation)
            continue;
        needed.unmap = needed.unmap || (move->from && move->from->aperture);
        needed.out = needed.out || segment_is_memory(move->from);
        needed.across = needed.across || move->holds_old;
        needed.in = needed.in || move->allocation->segment;
    }
    return needed;
}

static bool emit_moves(struct plan *plan) {
    const struct mover *mover = emit_mover(plan);
    const struct emit_steps needed = emit_needed(plan);
    return mover->detach(plan) && (!needed.unmap || emit_each(plan, mover, emit_unmap)) &&
           (!needed.out || emit_each(plan, mover, emit_out)) && mover->end_leaving(plan) &&
           (!needed.across || emit_each(plan, mover, emit_across)) && mover->flush(plan) &&
           (!needed.in || emit_each(plan, mover, emit_in)) && mover->flush(plan) &&
           (!mover->attach || emit_each(plan, mover, emit_attach));
}

/* ---- What need not wait ---------------------------------------------------------------------- */

/* Into a place, or a part of it, that the other one leaves. */
static bool emit_follows(const struct move *move, const struct move *other) {
    const struct placement *place = &move->allocation->place, *old = &other->old;
    if (!move->allocation->segment || move->allocation->segment != other->from)
        return false;
    return place->extents || place->floating || old->extents || old->floating ||
           (place->offset < old->offset + old->size && old->offset < place->offset + place->size);
}

static bool emit_follows_later(const struct plan *plan, const struct move *move) {
    bool follows = false;
    for (uint32_t i = 0; !follows && i < plan->move_count; i++) {
        const struct move *other = &plan->moves[i];
        follows = other->allocation && other->later && emit_follows(move, other);
    }
    return follows;
}

/* Those that wait for the GPU; false: none does. */
static bool emit_find_busy(struct plan *plan) {
    bool any = false;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        struct move *move = &plan->moves[i];
        move->later = move->allocation && !allocation_idle(move->allocation);
        any = any || move->later;
    }
    return any;
}

/* Finds the moves that wait; false: none does. */
static bool emit_find_later(struct plan *plan) {
    bool any = emit_find_busy(plan), more = any;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < plan->move_count; i++) {
            struct move *move = &plan->moves[i];
            if (!move->allocation || move->later || !emit_follows_later(plan, move))
                continue;
            move->later = more = true;
        }
    }
    return any;
}

/* One that waits leaves an aperture, where windows of others' evictions may already lie. */
static bool emit_windows_wait(const struct plan *plan) {
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        if (move->allocation && move->later && move->from && move->from->aperture)
            return true;
    }
    return false;
}

/* True: some moves come after the others. */
static bool emit_divide(struct plan *plan) {
    if (plan->adapter->gpummu || plan->move_count < 2 || plan->move_count > DIVIDED ||
        !emit_find_later(plan))
        return false;
    if (!emit_windows_wait(plan))
        return true;
    for (uint32_t i = 0; i < plan->move_count; i++)
        plan->moves[i].later = false;
    return false;
}

bool plan_emit(struct plan *plan) {
    bool divided = emit_divide(plan), emitted = emit_moves(plan);
    if (emitted && divided) {
        plan->later = true;
        emitted = emit_moves(plan);
        plan->later = false;
    }
    return emitted && emit_buffer(plan);
}

bool plan_sync(struct plan *plan, struct vidmm_allocation *allocation, bool to_system) {
    const struct mover *mover = emit_mover(plan);
    const struct view pages = {0};
    const struct view local = {.segment = allocation->segment, .place = &allocation->place};
    return mover->copy(plan, allocation, to_system ? local : pages, to_system ? pages : local) &&
           mover->flush(plan);
}
