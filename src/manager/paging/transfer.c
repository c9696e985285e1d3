/*
 * transfer.c - see transfer.h.
 *
 * An allocation is cut into sub-transfers of config.transfer_chunk bytes: TransferStart on the
 * first, TransferEnd on the last (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md). Two exceptions:
 * TransferOffset has 32 bits, so no sub-transfer starts at 4 GiB or beyond, the last one takes the
 * rest; and tiled content goes in one piece, because a tile may lie across any byte boundary.
 *
 * Tiled allocations are made linear whenever they leave the memory segments and tiled again when
 * they come back, so that system pages and apertures always hold linear bytes
 * (locking-swizzled-allocations.md allows to leave them tiled; this costs nothing here and a CPU
 * lock never has to page anything in).
 */
#include "paging/transfer.h"

#include "object/allocation.h"
#include "paging/space.h"

#define START_LIMIT (UINT64_C(1) << 32)

static uint64_t piece_size(const struct vidmm_adapter *adapter,
                           const struct vidmm_allocation *allocation, uint64_t at, bool whole) {
    uint64_t left = allocation->size - at, chunk = adapter->transfer_chunk;
    if (whole || chunk == 0 || chunk >= left || at + chunk >= START_LIMIT)
        return left;
    return chunk;
}

static struct vidmm_place advance(struct vidmm_place place, uint64_t at) {
    if (place.segment)
        place.offset += at;
    else
        place.mdl_page += at / PAGE_BYTES;
    return place;
}

bool transfer_add(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                  struct vidmm_place from, struct vidmm_place to) {
    bool special = allocation->lock_kind == LOCK_RANGE && allocation->alternate;
    bool tiled = allocation_swizzled(allocation);
    bool from_memory = adapter_in_memory(adapter, &from),
         to_memory = adapter_in_memory(adapter, &to);
    if (!from.segment)
        from.mdl = allocation->mdl;
    if (!to.segment)
        to.mdl = allocation->mdl;
    for (uint64_t at = 0; at < allocation->size;) {
        struct plan_op *op = plan_add(
            adapter, special ? VIDMM_OP_SPECIAL_LOCK_TRANSFER : VIDMM_OP_TRANSFER, allocation);
        if (!op)
            return false;
        uint64_t piece = piece_size(adapter, allocation, at, tiled || special);
        op->op.at = at;
        op->op.size = piece;
        op->op.from = advance(from, at);
        op->op.to = advance(to, at);
        op->op.swizzle = tiled && to_memory && !from_memory;
        op->op.unswizzle = tiled && from_memory && !to_memory;
        op->op.first = at == 0;
        at += piece;
        op->op.last = at == allocation->size;
    }
    return true;
}

/* By virtual addresses it may lie scattered, which a TRANSFER cannot say. */
static bool sync_virtual(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                         bool to_system) {
    const struct view pages = {0};
    const struct view local = {.segment = allocation->segment, .place = &allocation->place};
    return space_transfer(adapter, allocation, to_system ? local : pages,
                          to_system ? pages : local) &&
           space_send(adapter);
}

bool plan_sync(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation, bool to_system) {
    if (adapter->gpummu)
        return sync_virtual(adapter, allocation, to_system);
    struct vidmm_place pages = {0};
    struct vidmm_place local = {.segment = allocation->segment->id,
                                .offset = allocation->place.offset};
    return transfer_add(adapter, allocation, to_system ? local : pages, to_system ? pages : local);
}
