/* hand_operation.c - the paging operations that several stages ask for; see hand.h. */
#include "hand.h"

#include <string.h>

uint64_t hand_memory_at(const struct hand *hand, uint32_t page) {
    return hand->memory.base + (uint64_t)page * EXAM_PAGE;
}

/* ---- Transfers ------------------------------------------------------------------------------- */

static DXGKARG_BUILDPAGINGBUFFER transfer_args(const struct hand *hand, bool in) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.hAllocation = hand->allocation;
    if (in) {
        args.Transfer.Source.pMdl = hand->source;
        args.Transfer.Destination.SegmentId = hand->memory.id;
        args.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)hand_memory_at(hand, 0);
    } else {
        args.Transfer.Source.SegmentId = hand->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)hand_memory_at(hand, 0);
        args.Transfer.Destination.pMdl = hand->target;
    }
    return args;
}

bool hand_transfer(struct hand *hand, const struct hand_piece *piece) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer_args(hand, piece->in);
    bool both = hand->exam->options->readings.transfer_offset != 0;
    args.Transfer.TransferOffset = piece->at * EXAM_PAGE;
    args.Transfer.TransferSize = (SIZE_T)piece->pages * EXAM_PAGE;
    args.Transfer.MdlOffset = both ? 0 : piece->at;
    args.Transfer.Flags.TransferStart = piece->at == 0;
    args.Transfer.Flags.TransferEnd = piece->at + piece->pages == HAND_PAGES;
    return hand_build(hand, &args);
}

bool hand_move(struct hand *hand, bool in, uint32_t chunk) {
    bool good = true;
    for (uint32_t at = 0; good && at < HAND_PAGES; at += chunk) {
        uint32_t left = HAND_PAGES - at;
        const struct hand_piece piece = {.at = at, .pages = left < chunk ? left : chunk, .in = in};
        good = hand_transfer(hand, &piece);
    }
    return good && hand_flush(hand);
}

static bool enqueue(struct hand *hand, uint32_t at) {
    const struct hand_piece piece = {.at = at, .pages = HAND_PIECE, .in = true};
    bool built = hand->memory.id != 0
                     ? hand_transfer(hand, &piece)
                     : hand_map(hand, &hand->aperture, at, HAND_PIECE, hand->source, at);
    return built && hand_submit(hand);
}

bool hand_queue(struct hand *hand, uint32_t ahead) {
    bool good = true;
    for (uint32_t i = 0; good && i < HAND_PIECES; i++)
        good = enqueue(hand, i * HAND_PIECE) && (i + 1 != ahead || hand_flush(hand));
    return good;
}

bool hand_settle_in(struct hand *hand) {
    return (hand->allocation == NULL || hand_fill(hand, 0, HAND_PAGES, 0)) &&
           hand_move(hand, true, HAND_PAGES);
}

bool hand_tell_lost(struct hand *hand) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer_args(hand, false);
    args.Transfer.Flags.TransferStart = args.Transfer.Flags.TransferEnd = 1;
    return hand_build(hand, &args);
}

bool hand_same(struct hand *hand) {
    for (uint32_t page = 0; page < HAND_PAGES; page++)
        if (memcmp(hand_page(hand, hand->source, page), hand_page(hand, hand->target, page),
                   EXAM_PAGE) != 0)
            return false;
    return true;
}

/* ---- Fills ----------------------------------------------------------------------------------- */

bool hand_fill(struct hand *hand, uint32_t page, uint32_t pages, uint32_t pattern) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_FILL};
    args.Fill.hAllocation = hand->allocation;
    args.Fill.FillSize = (SIZE_T)pages * EXAM_PAGE;
    args.Fill.FillPattern = pattern;
    args.Fill.Destination.SegmentId = hand->memory.id;
    args.Fill.Destination.SegmentAddress.QuadPart = (LONGLONG)hand_memory_at(hand, page);
    return hand_build(hand, &args);
}

bool hand_filled(struct hand *hand, uint32_t page, uint32_t pattern) {
    const unsigned char *bytes = hand_page(hand, hand->target, page);
    for (uint32_t i = 0; i < EXAM_PAGE; i += sizeof(pattern))
        if (memcmp(bytes + i, &pattern, sizeof(pattern)) != 0)
            return false;
    return true;
}

/* ---- The aperture ---------------------------------------------------------------------------- */

/* A single page comes as a run of two that it is the end of, more of them as a list. */
static bool map_list(struct hand *hand, const struct vidmm_segment_info *aperture, uint32_t page,
                     uint32_t pages, PMDL mdl, uint32_t mdl_page) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2};
    const PFN_NUMBER *frames = MmGetMdlPfnArray(mdl);
    args.MapApertureSegment2.SegmentId = aperture->id;
    args.MapApertureSegment2.OffsetInPages = page;
    args.MapApertureSegment2.NumberOfPages = pages;
    args.MapApertureSegment2.AdlOffset = pages == 1 ? 1 : mdl_page;
    args.MapApertureSegment2.Adl.PageCount = pages == 1 ? 2 : mdl_page + pages;
    args.MapApertureSegment2.Adl.Flags.Contiguous = pages == 1;
    if (pages == 1)
        args.MapApertureSegment2.Adl.BasePageNumber = frames[mdl_page] - 1;
    else
        args.MapApertureSegment2.Adl.Pages = frames;
    return hand_build(hand, &args);
}

bool hand_map(struct hand *hand, const struct vidmm_segment_info *aperture, uint32_t page,
              uint32_t pages, PMDL mdl, uint32_t mdl_page) {
    if (hand->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 &&
        hand->info.caps.MemoryManagementCaps.MapAperture2Supported)
        return map_list(hand, aperture, page, pages, mdl, mdl_page);
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT};
    args.MapApertureSegment.SegmentId = aperture->id;
    args.MapApertureSegment.OffsetInPages = page;
    args.MapApertureSegment.NumberOfPages = pages;
    args.MapApertureSegment.pMdl = mdl;
    args.MapApertureSegment.MdlOffset = mdl_page;
    return hand_build(hand, &args);
}

bool hand_unmap(struct hand *hand, const struct vidmm_segment_info *aperture, uint32_t page,
                uint32_t pages) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT};
    args.UnmapApertureSegment.SegmentId = aperture->id;
    args.UnmapApertureSegment.OffsetInPages = page;
    args.UnmapApertureSegment.NumberOfPages = pages;
    args.UnmapApertureSegment.DummyPage.QuadPart = (LONGLONG)hand->os->dummy_page(hand->os->ctx);
    return hand_build(hand, &args);
}

/* ---- The rest -------------------------------------------------------------------------------- */

bool hand_touch(struct hand *hand, uint32_t page, bool write) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = write ? DXGK_OPERATION_WRITE_PHYSICAL
                                                         : DXGK_OPERATION_READ_PHYSICAL};
    LONGLONG address = (LONGLONG)hand_memory_at(hand, page);
    if (write) {
        args.WritePhysical.SegmentId = hand->memory.id;
        args.WritePhysical.PhysicalAddress.QuadPart = address;
    } else {
        args.ReadPhysical.SegmentId = hand->memory.id;
        args.ReadPhysical.PhysicalAddress.QuadPart = address;
    }
    return hand_build(hand, &args);
}

bool hand_discard(struct hand *hand) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_DISCARD_CONTENT};
    args.DiscardContent.hAllocation = hand->allocation;
    args.DiscardContent.SegmentId = hand->memory.id;
    args.DiscardContent.SegmentAddress.QuadPart = (LONGLONG)hand_memory_at(hand, 0);
    return hand_build(hand, &args);
}
