/* raw_operation.c - the paging operations that several stages ask for; see raw.h. */
#include "raw.h"

#include <string.h>

uint64_t raw_memory_at(const struct raw_submitter *raw, uint32_t page) {
    return raw->memory.base + (uint64_t)page * CHECK_PAGE;
}

uint32_t raw_alignment(const DXGK_ALLOCATIONINFO *info) {
    return info->Alignment > CHECK_PAGE ? info->Alignment / CHECK_PAGE : 1;
}

uint64_t raw_align(uint64_t page, uint32_t alignment) {
    return (page + alignment - 1) / alignment * alignment;
}

const struct vidmm_segment_info *raw_segment(const struct raw_submitter *raw) {
    return raw->memory.id != 0 ? &raw->memory : &raw->aperture;
}

uint64_t raw_surface_at(const struct raw_submitter *raw) {
    return raw_segment(raw)->base + (uint64_t)raw->place_page * CHECK_PAGE;
}

uint64_t raw_room(const struct raw_submitter *raw, const struct vidmm_segment_info *segment) {
    uint64_t pages = raw->mapped && raw->place.id == segment->id ? raw_buffer_page(raw)
                                                                 : segment->size / CHECK_PAGE;
    return segment->id == raw->aperture.id && raw->dma ? raw->dma_first : pages;
}

uint32_t raw_beside(const struct raw_submitter *raw) {
    uint64_t page = raw_align(RAW_PAGES, raw->alignment);
    return page + RAW_PAGES <= raw_room(raw, raw_segment(raw)) ? (uint32_t)page : 0;
}

/* ---- Transfers ------------------------------------------------------------------------------- */

static DXGKARG_BUILDPAGINGBUFFER transfer_args(const struct raw_submitter *raw, bool in) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.hAllocation = raw->allocation;
    if (in) {
        args.Transfer.Source.pMdl = raw->source;
        args.Transfer.Destination.SegmentId = raw->memory.id;
        args.Transfer.Destination.SegmentAddress.QuadPart =
            (LONGLONG)raw_memory_at(raw, raw->place_page);
    } else {
        args.Transfer.Source.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart =
            (LONGLONG)raw_memory_at(raw, raw->place_page);
        args.Transfer.Destination.pMdl = raw->target;
    }
    return args;
}

bool raw_transfer(struct raw_submitter *raw, const struct raw_piece *piece) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer_args(raw, piece->in);
    bool both = raw->check->options->readings.transfer_offset != 0;
    args.Transfer.TransferOffset = piece->at * CHECK_PAGE;
    args.Transfer.TransferSize = (SIZE_T)piece->pages * CHECK_PAGE;
    args.Transfer.MdlOffset = both ? 0 : piece->at;
    args.Transfer.Flags.TransferStart = piece->at == 0;
    args.Transfer.Flags.TransferEnd = piece->at + piece->pages == RAW_PAGES;
    raw->inside = piece->in || (raw->inside && !args.Transfer.Flags.TransferEnd);
    return raw_build(raw, &args);
}

bool raw_move(struct raw_submitter *raw, bool in, uint32_t chunk) {
    bool good = true;
    for (uint32_t at = 0; good && at < RAW_PAGES; at += chunk) {
        uint32_t left = RAW_PAGES - at;
        const struct raw_piece piece = {.at = at, .pages = left < chunk ? left : chunk, .in = in};
        good = raw_transfer(raw, &piece);
    }
    return good && raw_flush(raw);
}

/* What is mapped is the target itself. */
static bool bring_mapped(struct raw_submitter *raw) {
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        memcpy(raw_page(raw, raw->target, page), raw_page(raw, raw->source, page), CHECK_PAGE);
    return raw_map_target(raw, 0, RAW_PAGES) && raw_flush(raw);
}

bool raw_bring(struct raw_submitter *raw, uint32_t page) {
    bool memory = raw->memory.id != 0;
    if (!memory && !raw_leave(raw))
        return false;
    raw->place_page = page;
    return memory ? raw_move(raw, true, RAW_PAGES) : bring_mapped(raw);
}

bool raw_take(struct raw_submitter *raw) {
    return raw->memory.id != 0 ? raw_move(raw, false, RAW_PAGES)
                               : raw_unmap_target(raw) && raw_flush(raw);
}

bool raw_leave(struct raw_submitter *raw) {
    return !raw->inside || raw_take(raw);
}

bool raw_settle_in(struct raw_submitter *raw) {
    if (raw->memory.id == 0)
        return raw_bring(raw, 0) && raw_take(raw);
    return (!raw->allocation || raw_fill(raw, 0, RAW_PAGES, 0)) && raw_move(raw, true, RAW_PAGES);
}

bool raw_tell_lost(struct raw_submitter *raw) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer_args(raw, false);
    args.Transfer.Flags.TransferStart = args.Transfer.Flags.TransferEnd = 1;
    return raw_build(raw, &args);
}

bool raw_same(struct raw_submitter *raw) {
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        if (memcmp(raw_page(raw, raw->source, page), raw_page(raw, raw->target, page),
                   CHECK_PAGE) != 0)
            return false;
    return true;
}

/* ---- Fills ----------------------------------------------------------------------------------- */

bool raw_fill(struct raw_submitter *raw, uint32_t page, uint32_t pages, uint32_t pattern) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_FILL};
    args.Fill.hAllocation = raw->allocation;
    args.Fill.FillSize = (SIZE_T)pages * CHECK_PAGE;
    args.Fill.FillPattern = pattern;
    args.Fill.Destination.SegmentId = raw->memory.id;
    args.Fill.Destination.SegmentAddress.QuadPart = (LONGLONG)raw_memory_at(raw, page);
    raw->inside = true;
    return raw_build(raw, &args);
}

bool raw_filled(struct raw_submitter *raw, uint32_t page, uint32_t pattern) {
    const unsigned char *bytes = raw_page(raw, raw->target, page);
    for (uint32_t i = 0; i < CHECK_PAGE; i += sizeof(pattern))
        if (memcmp(bytes + i, &pattern, sizeof(pattern)) != 0)
            return false;
    return true;
}

/* ---- The aperture ---------------------------------------------------------------------------- */

/* System pages are cacheable: what reaches them is snooped where the segment can do that. */
static bool map_snooped(const struct vidmm_segment_info *aperture) {
    const DXGK_SEGMENTFLAGS flags = {.Value = aperture->flags};
    return flags.CacheCoherent;
}

/* A single page is the end of a run of two; more pages are a list. */
static bool map_list(struct raw_submitter *raw, const struct vidmm_segment_info *aperture,
                     uint32_t page, uint32_t pages, PMDL mdl, uint32_t mdl_page) {
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
    args.MapApertureSegment2.Flags.CacheCoherent = map_snooped(aperture);
    return raw_build(raw, &args);
}

bool raw_map(struct raw_submitter *raw, const struct vidmm_segment_info *aperture, uint32_t page,
             uint32_t pages, PMDL mdl, uint32_t mdl_page) {
    if (raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 &&
        raw->info.caps.MemoryManagementCaps.MapAperture2Supported)
        return map_list(raw, aperture, page, pages, mdl, mdl_page);
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT};
    args.MapApertureSegment.SegmentId = aperture->id;
    args.MapApertureSegment.OffsetInPages = page;
    args.MapApertureSegment.NumberOfPages = pages;
    args.MapApertureSegment.pMdl = mdl;
    args.MapApertureSegment.MdlOffset = mdl_page;
    args.MapApertureSegment.Flags.CacheCoherent = map_snooped(aperture);
    return raw_build(raw, &args);
}

bool raw_unmap(struct raw_submitter *raw, const struct vidmm_segment_info *aperture, uint32_t page,
               uint32_t pages) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT};
    args.UnmapApertureSegment.SegmentId = aperture->id;
    args.UnmapApertureSegment.OffsetInPages = page;
    args.UnmapApertureSegment.NumberOfPages = pages;
    args.UnmapApertureSegment.DummyPage.QuadPart = (LONGLONG)raw->os->dummy_page(raw->os->ctx);
    return raw_build(raw, &args);
}

bool raw_map_target(struct raw_submitter *raw, uint32_t at, uint32_t pages) {
    raw->inside = true;
    return raw_map(raw, &raw->aperture, raw->place_page + at, pages, raw->target, at);
}

bool raw_unmap_target(struct raw_submitter *raw) {
    raw->inside = false;
    return raw_unmap(raw, &raw->aperture, raw->place_page, RAW_PAGES);
}

bool raw_move_through(struct raw_submitter *raw, uint32_t page, uint32_t first, uint32_t pages) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.TransferSize = (SIZE_T)pages * CHECK_PAGE;
    if (raw->memory.id != 0) {
        args.Transfer.Source.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)raw_memory_at(raw, first);
    } else {
        args.Transfer.Source.pMdl = raw->source;
        args.Transfer.MdlOffset = first;
    }
    args.Transfer.Destination.SegmentId = raw->aperture.id;
    args.Transfer.Destination.SegmentAddress.QuadPart =
        (LONGLONG)(raw->aperture.base + (uint64_t)page * CHECK_PAGE);
    args.Transfer.Flags.TransferStart = 1;
    args.Transfer.Flags.TransferEnd = 1;
    return raw_build(raw, &args) && raw_flush(raw);
}

bool raw_moves_through(struct raw_submitter *raw) {
    const uint32_t first = 1;
    raw_paint(raw, raw->source, 99);
    raw_paint(raw, raw->target, 99);
    if (!raw_map(raw, &raw->aperture, 0, RAW_PAGES, raw->target, 0) || !raw_flush(raw) ||
        !raw_move_through(raw, 0, first, RAW_PAGES - first))
        return false;
    bool moved = !raw_same(raw);
    return raw_unmap(raw, &raw->aperture, 0, RAW_PAGES) && raw_flush(raw) && moved;
}

/* ---- The rest -------------------------------------------------------------------------------- */

bool raw_touch(struct raw_submitter *raw, uint32_t page, bool write) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = write ? DXGK_OPERATION_WRITE_PHYSICAL
                                                         : DXGK_OPERATION_READ_PHYSICAL};
    LONGLONG address = (LONGLONG)raw_memory_at(raw, page);
    if (write) {
        args.WritePhysical.SegmentId = raw->memory.id;
        args.WritePhysical.PhysicalAddress.QuadPart = address;
    } else {
        args.ReadPhysical.SegmentId = raw->memory.id;
        args.ReadPhysical.PhysicalAddress.QuadPart = address;
    }
    return raw_build(raw, &args);
}

bool raw_discard(struct raw_submitter *raw) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_DISCARD_CONTENT};
    args.DiscardContent.hAllocation = raw->allocation;
    args.DiscardContent.SegmentId = raw->memory.id;
    args.DiscardContent.SegmentAddress.QuadPart = (LONGLONG)raw_memory_at(raw, 0);
    return raw_build(raw, &args);
}
