/*
 * space_move.c - see space.h: bytes that are moved, filled or made through the paging process's
 * scratch space, which is taken piece by piece and from the start again: the paging process's of the
 * physical adapter that is the allocation's home.
 *
 * Transfers and fills wait until all that a plan does at that point can be seen, and have one flush
 * between them: plans with many small allocations take a sixteenth less time (docs/speed.md).
 */
#include "object/allocation.h"
#include "paging/space.h"
#include "paging/table.h"

struct view space_view_of(const struct vidmm_allocation *allocation) {
    return segment_is_memory(allocation->segment)
               ? (struct view){.segment = allocation->segment, .place = &allocation->place}
               : (struct view){0};
}

static struct spaces *home_spaces(const struct vidmm_allocation *allocation) {
    return &allocation->adapter->physical[allocation->home].spaces;
}

/* Scratch addresses that nothing built so far uses, unless `wrapped` says so. False: no memory. */
static bool take_scratch(struct plan *plan, struct spaces *spaces, uint64_t size, uint64_t *start) {
    if (spaces->scratch_end - spaces->scratch_next < size) {
        if (!space_send(plan))
            return false;
        spaces->scratch_next = spaces->scratch_start;
        spaces->wrapped = true;
    }
    *start = spaces->scratch_next;
    spaces->scratch_next += size;
    return true;
}

/* What one piece of an allocation may have in common: size, and protection while it is paged. */
struct piece {
    uint64_t at, size;
    uint64_t protection; /* 0, or the unique one of its mappings (driver-protection.md) */
};

/* The unique protection at `at`, and how far it is the same. */
static uint64_t protection_at(const struct vidmm_allocation *allocation, uint64_t at,
                              uint64_t *end) {
    uint64_t protection = 0;
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        const struct va_use *use = &mapping->use;
        if (!(use->driver_protection & VIDMM_DRIVER_PROTECTION_UNIQUE))
            continue;
        uint64_t start, stop;
        va_mapped_bytes(mapping, &start, &stop);
        if (at >= start && at < stop) {
            protection = use->driver_protection;
            *end = stop < *end ? stop : *end;
        } else if (start > at) {
            *end = start < *end ? start : *end;
        }
    }
    return protection;
}

/* `sides`: how many pieces of scratch space it needs. False: all was done. */
static bool next_piece(const struct vidmm_allocation *allocation, uint32_t sides,
                       struct piece *piece) {
    const struct vidmm_adapter *adapter = allocation->adapter;
    const struct spaces *spaces = home_spaces(allocation);
    uint64_t most = (spaces->scratch_end - spaces->scratch_start) / sides & ~(PAGE_BYTES - 1ull);
    uint64_t end = allocation->size;
    piece->at += piece->size;
    if (piece->at >= end)
        return false;
    piece->protection = protection_at(allocation, piece->at, &end);
    if (adapter->settings.transfer_chunk && adapter->settings.transfer_chunk < most)
        most = adapter->settings.transfer_chunk;
    piece->size = end - piece->at < most ? end - piece->at : most;
    return true;
}

/* A piece of an allocation as the paging process sees it from `va` on. */
static bool map_piece(struct plan *plan, struct vidmm_allocation *allocation,
                      const struct piece *piece, struct view view, uint64_t va) {
    struct table_source source = {.allocation = allocation,
                                  .view = view,
                                  .mdl = allocation->mdl,
                                  .offset = piece->at,
                                  .driver_protection = piece->protection};
    return table_scratch(plan, home_spaces(allocation)->paging, va, va + piece->size, &source);
}

static struct vidmm_place place_of(const struct vidmm_allocation *allocation, struct view view,
                                   uint64_t at) {
    uint64_t row;
    if (!view.segment)
        return (struct vidmm_place){.mdl = allocation->mdl, .mdl_page = at / PAGE_BYTES};
    return (struct vidmm_place){.segment = view.segment->id,
                                .offset = placement_at(view.place, at, &row)};
}

/* What is done once its scratch addresses, and those of all others, lead there. NULL: no memory. */
static struct vidmm_op *add_waiting(struct plan *plan, enum vidmm_op_kind kind,
                                    struct vidmm_allocation *allocation,
                                    const struct piece *piece) {
    if (!adapter_grow(plan->adapter, (void **)&plan->waiting, &plan->waiting_capacity,
                      plan->waiting_count + 1, sizeof(*plan->waiting)))
        return NULL;
    struct vidmm_op *op = &plan->waiting[plan->waiting_count++];
    *op = (struct vidmm_op){.kind = kind,
                            .physical = allocation->home,
                            .allocation = allocation,
                            .at = piece->at,
                            .size = piece->size};
    return op;
}

/* One flush of each paging process that something waits for. */
static bool send_flushes(struct plan *plan) {
    for (uint32_t i = 0; i < plan->waiting_count; i++) {
        bool first = i == 0 || plan->waiting[i].physical != plan->waiting[i - 1].physical;
        if (first && !table_flush(plan, home_spaces(plan->waiting[i].allocation)->paging))
            return false;
    }
    return true;
}

bool space_send(struct plan *plan) {
    if (!send_flushes(plan))
        return false;
    for (uint32_t i = 0; i < plan->waiting_count; i++) {
        struct plan_op *op = plan_add(plan, plan->waiting[i].kind, plan->waiting[i].allocation);
        if (!op)
            return false;
        op->op = plan->waiting[i];
    }
    plan->waiting_count = 0;
    return true;
}

bool space_transfer(struct plan *plan, struct vidmm_allocation *allocation, struct view from,
                    struct view to) {
    struct piece piece = {0};
    uint64_t source;
    while (next_piece(allocation, 2, &piece)) {
        if (!take_scratch(plan, home_spaces(allocation), 2 * piece.size, &source) ||
            !map_piece(plan, allocation, &piece, from, source) ||
            !map_piece(plan, allocation, &piece, to, source + piece.size))
            return false;
        struct vidmm_op *op = add_waiting(plan, VIDMM_OP_VIRTUAL_TRANSFER, allocation, &piece);
        if (!op)
            return false;
        op->from = place_of(allocation, from, piece.at);
        op->to = place_of(allocation, to, piece.at);
        op->va_from = source;
        op->va_to = source + piece.size;
    }
    return true;
}

bool space_fill(struct plan *plan, struct vidmm_allocation *allocation, struct view to,
                uint32_t pattern) {
    struct piece piece = {0};
    uint64_t target;
    while (next_piece(allocation, 1, &piece)) {
        if (!take_scratch(plan, home_spaces(allocation), piece.size, &target) ||
            !map_piece(plan, allocation, &piece, to, target))
            return false;
        struct vidmm_op *op = add_waiting(plan, VIDMM_OP_VIRTUAL_FILL, allocation, &piece);
        if (!op)
            return false;
        op->pattern = pattern;
        op->to = place_of(allocation, to, piece.at);
        op->va_to = target;
    }
    return true;
}

bool space_maps_whole(const struct vidmm_allocation *allocation) {
    const struct spaces *spaces = home_spaces(allocation);
    return allocation->size <= spaces->scratch_end - spaces->scratch_start;
}

/* An operation on all of an allocation, which the paging process sees if it is not too large. */
static struct plan_op *add_whole(struct plan *plan, enum vidmm_op_kind kind,
                                 struct vidmm_allocation *allocation, struct view to) {
    const struct piece piece = {.size = allocation->size};
    bool fits = space_maps_whole(allocation);
    uint64_t target = 0;
    if (fits && (!take_scratch(plan, home_spaces(allocation), piece.size, &target) ||
                 !map_piece(plan, allocation, &piece, to, target) ||
                 !table_flush(plan, home_spaces(allocation)->paging)))
        return NULL;
    struct plan_op *op = plan_add(plan, kind, allocation);
    if (!op)
        return NULL;
    op->op.to = (struct vidmm_place){.segment = allocation->segment->id,
                                     .offset = allocation->place.offset};
    op->op.va_to = target;
    return op;
}

bool space_init(struct plan *plan, struct vidmm_allocation *allocation, struct view to) {
    return add_whole(plan, VIDMM_OP_INIT_CONTEXT_RESOURCE, allocation, to);
}

bool space_update(struct plan *plan, struct vidmm_allocation *allocation, void *data,
                  uint32_t size) {
    struct plan_op *op =
        add_whole(plan, VIDMM_OP_UPDATE_CONTEXT_ALLOCATION, allocation, space_view_of(allocation));
    if (!op)
        return false;
    op->driver_data = data;
    op->driver_data_size = size;
    return true;
}
