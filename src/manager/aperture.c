/*
 * aperture.c - see aperture.h.
 */
#include "aperture.h"

#include "allocation.h"

#define PIECE_BYTES (64u << 20) /* 16384 pages */

uint64_t aperture_op(const struct aperture_range *range, uint64_t at, bool map,
                     struct plan_op *op) {
    uint64_t left = range->size - at;
    uint64_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    struct vidmm_place pages = {.mdl = range->mdl, .mdl_page = at / PAGE_BYTES};
    struct vidmm_place window = {.segment = range->segment->id, .offset = range->offset + at};
    *op = (struct plan_op){
        .op = {.kind = map ? VIDMM_OP_MAP : VIDMM_OP_UNMAP,
               .allocation = range->allocation,
               .at = at,
               .size = piece,
               .from = map ? pages : window,
               .to = map ? window : pages},
        .device = range->device,
    };
    return piece;
}

struct vidmm_device *aperture_device(const struct vidmm_allocation *allocation) {
    return allocation->primary ? NULL : allocation_device(allocation);
}
