/*
 * mover_physical.c - see mover.h: moves by TRANSFER, FILL and DISCARD, where the GPU uses physical
 * addresses.
 *
 * What leaves a memory segment goes through a window in an eviction aperture where the driver names
 * one; the windows are unmapped again only when the transfers through them are complete, because
 * the driver may unmap at once with the CPU.
 *
 * An allocation is cut into sub-transfers of config.transfer_chunk bytes: TransferStart on the
 * first, TransferEnd on the last (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md), tiled content, too. One exception:
 * TransferOffset has 32 bits, so no sub-transfer starts at 4 GiB or beyond, the last one takes the
 * rest. A part of
 * SPECIAL_LOCK_TRANSFER has an MDL that begins with the part, as TransferOffset is not for an MDL and there
 * is no MdlOffset (ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md); by the other reading it is the whole one.
 *
 * Tiled allocations are made linear whenever they leave the memory segments and tiled again when
 * they come back, so that system pages and apertures always hold linear bytes
 * (locking-swizzled-allocations.md allows to leave them tiled; this costs nothing here and a CPU
 * lock never has to page anything in).
 */
#include "object/allocation.h"
#include "object/aperture.h"
#include "object/backing.h"
#include "paging/mover.h"

#define START_LIMIT (UINT64_C(1) << 32)

static uint64_t physical_piece(const struct vidmm_adapter *adapter,
                               const struct vidmm_allocation *allocation, uint64_t at, bool whole) {
    uint64_t left = allocation->size - at, chunk = adapter->settings.transfer_chunk;
    if (whole || chunk == 0 || chunk >= left || at + chunk >= START_LIMIT)
        return left;
    return chunk;
}

static struct vidmm_place physical_advance(struct vidmm_place place, uint64_t at) {
    if (place.segment)
        place.offset += at;
    else
        place.mdl_page += at / PAGE_BYTES;
    return place;
}

static bool physical_special(const struct vidmm_allocation *allocation) {
    return allocation->lock_kind == LOCK_RANGE && allocation->alternate;
}

/* The MDL of each part begins with the part. */
static bool physical_in_parts(const struct vidmm_allocation *allocation) {
    return physical_special(allocation) &&
           allocation->adapter->settings.readings.transfer_offset == 0;
}

/* Where the piece of `size` bytes that begins at `at` is of what begins at `place`; a place without a
 * segment stands for the allocation's system pages. False: no memory. */
static bool physical_side(struct vidmm_allocation *allocation, const struct vidmm_place *place,
                          uint64_t at, uint64_t size, struct vidmm_place *side) {
    *side = physical_advance(*place, at);
    if (place->segment)
        return true;
    side->mdl = allocation->mdl;
    if (!physical_in_parts(allocation))
        return true;
    side->mdl = backing_part(allocation, at, size);
    side->mdl_page = 0;
    return side->mdl;
}

static bool physical_transfer(struct plan *plan, struct vidmm_allocation *allocation,
                              struct vidmm_place from, struct vidmm_place to) {
    const struct vidmm_adapter *adapter = plan->adapter;
    bool special = physical_special(allocation), tiled = allocation_swizzled(allocation);
    bool whole = physical_in_parts(allocation) && !backing_has_parts(adapter);
    bool from_memory = adapter_in_memory(adapter, &from),
         to_memory = adapter_in_memory(adapter, &to);
    for (uint64_t at = 0; at < allocation->size;) {
        struct plan_op *op = plan_add(
            plan, special ? VIDMM_OP_SPECIAL_LOCK_TRANSFER : VIDMM_OP_TRANSFER, allocation);
        uint64_t piece = physical_piece(adapter, allocation, at, whole);
        if (!op || !physical_side(allocation, &from, at, piece, &op->op.from) ||
            !physical_side(allocation, &to, at, piece, &op->op.to))
            return false;
        op->op.at = at;
        op->op.size = piece;
        op->op.swizzle = tiled && to_memory && !from_memory;
        op->op.unswizzle = tiled && from_memory && !to_memory;
        op->op.first = at == 0;
        at += piece;
        op->op.last = at == allocation->size;
    }
    return true;
}

static struct vidmm_place physical_place(struct view view) {
    return view.segment
               ? (struct vidmm_place){.segment = view.segment->id, .offset = view.place->offset}
               : (struct vidmm_place){0};
}

static bool physical_copy(struct plan *plan, struct vidmm_allocation *allocation, struct view from,
                          struct view to) {
    return physical_transfer(plan, allocation, physical_place(from), physical_place(to));
}

/* ---- Out of memory segments ------------------------------------------------------------------ */

/* A range of an eviction aperture for this move; without one the transfer goes to the pages. */
static void physical_find_window(struct vidmm_adapter *adapter, struct move *move) {
    const struct vidmm_allocation *allocation = move->allocation;
    struct segment_request request = {.size = allocation->size};
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        struct segment *segment = &adapter->facts.segments[i];
        if (!segment_in_set(segment, allocation->evict_set & adapter->sets.aperture) ||
            segment->flags.PitchAlignment)
            continue;
        if (segment_place(segment, &request, &move->window_place) == PLACER_OK) {
            move->window = segment;
            return;
        }
    }
}

/* To system memory, by way of an eviction aperture if there is one with room. */
static bool physical_save(struct plan *plan, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    struct vidmm_place from = {.segment = move->from->id, .offset = move->old.offset};
    struct vidmm_place to = {0};
    if (allocation->evict_set && aperture_serves(allocation))
        physical_find_window(plan->adapter, move);
    if (move->window) {
        to.segment = move->window->id;
        to.offset = move->window_place.offset;
        if (!plan_map(plan, allocation, move->window, to.offset, true))
            return false;
    }
    return physical_transfer(plan, allocation, from, to);
}

static bool physical_leave(struct plan *plan, struct move *move, bool save) {
    if (save)
        return physical_save(plan, move);
    struct plan_op *op = plan_add(plan, VIDMM_OP_DISCARD, move->allocation);
    if (!op)
        return false;
    op->op.from = (struct vidmm_place){.segment = move->from->id, .offset = move->old.offset};
    return true;
}

static bool physical_end_windows(struct plan *plan) {
    uint32_t first = plan->op_count;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        if (move->allocation && move->window && move->later == plan->later &&
            !plan_map(plan, move->allocation, move->window, move->window_place.offset, false))
            return false;
    }
    if (plan->op_count > first)
        plan->ops[first].barrier = true;
    return true;
}

/* ---- In -------------------------------------------------------------------------------------- */

/* FILL, or the driver's own initial content. */
static bool physical_initialize(struct plan *plan, struct vidmm_allocation *allocation) {
    struct plan_op *op = plan_add(
        plan, allocation->resource ? VIDMM_OP_FILL : VIDMM_OP_INIT_CONTEXT_RESOURCE, allocation);
    if (!op)
        return false;
    op->op.to = (struct vidmm_place){.segment = allocation->segment->id,
                                     .offset = allocation->place.offset};
    return true;
}

/* Commands are patched with the new place when they are submitted. */
static bool physical_nothing(struct plan *plan) {
    (void)plan;
    return true;
}

const struct mover mover_physical = {
    .detach = physical_nothing,
    .leave = physical_leave,
    .end_leaving = physical_end_windows,
    .copy = physical_copy,
    .initialize = physical_initialize,
    .flush = physical_nothing,
};
