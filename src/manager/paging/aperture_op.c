/*
 * aperture_op.c - see aperture_op.h.
 */
#include "paging/aperture_op.h"

#include "object/allocation.h"

#define PIECE_BYTES (64u << 20) /* 16384 pages */

uint64_t aperture_op(const struct aperture_range *range, uint64_t at, bool map,
                     struct plan_op *op) {
    uint64_t left = range->size - at;
    uint64_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    struct vidmm_place pages = {.mdl = range->mdl, .mdl_page = at / PAGE_BYTES};
    struct vidmm_place window = {.segment = range->segment->id, .offset = range->offset + at};
    *op = (struct plan_op){
        .op = {.kind = map ? VIDMM_OP_MAP : VIDMM_OP_UNMAP,
               .physical = range->segment->physical,
               .allocation = range->allocation,
               .at = at,
               .size = piece,
               .from = map ? pages : window,
               .to = map ? window : pages},
        .device = range->device,
    };
    return piece;
}

/* Physical pages in both forms: one run where they are one, else the MDL's own list. */
static DXGK_ADL describe_pages(const MDL *mdl) {
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(mdl + 1);
    uint32_t count = (mdl->ByteCount + PAGE_BYTES - 1) / PAGE_BYTES, run = 1;
    while (run < count && frames[run] == frames[0] + run)
        run++;
    DXGK_ADL adl = {.PageCount = count};
    adl.Flags.Contiguous = run >= count;
    if (adl.Flags.Contiguous)
        adl.BasePageNumber = frames[0];
    else
        adl.Pages = frames;
    return adl;
}

void aperture_encode_second(const struct plan_op *op, HANDLE handle, UINT segment_id, bool coherent,
                            DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct vidmm_allocation *allocation = op->op.allocation;
    arg->Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
    arg->MapApertureSegment2.hDevice = op->device ? op->device->handle : NULL;
    arg->MapApertureSegment2.hAllocation = handle;
    arg->MapApertureSegment2.SegmentId = segment_id;
    arg->MapApertureSegment2.OffsetInPages = op->op.to.offset / PAGE_BYTES;
    arg->MapApertureSegment2.NumberOfPages = op->op.size / PAGE_BYTES;
    arg->MapApertureSegment2.Adl = describe_pages(op->op.from.mdl);
    arg->MapApertureSegment2.Flags.CacheCoherent = coherent;
    arg->MapApertureSegment2.AdlOffset = (ULONG)op->op.from.mdl_page;
    if (allocation && allocation->info.FlagsWddm2.MapApertureCpuVisible)
        arg->MapApertureSegment2.CpuVisibleAddress = allocation_cpu(allocation);
}
