/* paging_aperture.c - the paging operations that map and unmap pages of an aperture segment. */
#include "driver/writer.h"

#define ADL_PIECE 64u /* pages of an address descriptor list at a time */

/* One command for as many of the pages as there is room for: so many. */
static SIZE_T map_pages(struct kmd_writer *writer, const struct kmd_segment *segment, UINT coherent,
                        ULONGLONG first, const PFN_NUMBER *page, SIZE_T count) {
    struct gpu_map command = {
        .head = {GPU_MAP, coherent ? GPU_FLAG_COHERENT : 0, 0},
        .aperture = segment->hardware,
        .pages = (uint32_t)count,
        .first = first,
    };
    PUCHAR written;
    SIZE_T pages = kmd_put_pages(writer, &command, sizeof(command), page, count, &written);
    if (pages < count && pages != 0) {
        uint32_t fewer = (uint32_t)pages;
        RtlCopyMemory(written + offsetof(struct gpu_map, pages), &fewer, sizeof(fewer));
    }
    return pages;
}

NTSTATUS kmd_build_map(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                       DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct kmd_segment *segment = kmd_segment(adapter, args->MapApertureSegment.SegmentId);
    SIZE_T wanted = args->MapApertureSegment.NumberOfPages;
    ULONGLONG first = args->MapApertureSegment.OffsetInPages;
    if (!segment || wanted == 0)
        return STATUS_SUCCESS;
    struct kmd_page_list list =
        kmd_pages_left(args->MapApertureSegment.pMdl, args->MapApertureSegment.MdlOffset, wanted,
                       args->MultipassOffset);
    SIZE_T pages = map_pages(writer, segment, args->MapApertureSegment.Flags.CacheCoherent,
                             first + args->MultipassOffset, list.page, list.pages);
    if (pages == list.pages)
        kmd_moved(args->MapApertureSegment.hAllocation, args->MapApertureSegment.SegmentId,
                  segment->base + first * GPU_PAGE);
    return kmd_progress(args, pages, list.pages);
}

/* The same from an address descriptor list, a piece of it at a time. */
NTSTATUS kmd_build_map_second(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                              DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct kmd_segment *segment = kmd_segment(adapter, args->MapApertureSegment2.SegmentId);
    const DXGK_ADL *adl = &args->MapApertureSegment2.Adl;
    SIZE_T wanted = args->MapApertureSegment2.NumberOfPages, done = args->MultipassOffset;
    while (segment && done < wanted) {
        PFN_NUMBER page[ADL_PIECE];
        SIZE_T pages = wanted - done < ADL_PIECE ? wanted - done : ADL_PIECE;
        for (SIZE_T i = 0; i < pages; i++) {
            SIZE_T at = args->MapApertureSegment2.AdlOffset + done + i;
            page[i] = adl->Flags.Contiguous ? adl->BasePageNumber + at : adl->Pages[at];
        }
        UINT coherent = args->MapApertureSegment2.Flags.CacheCoherent;
        SIZE_T written = map_pages(writer, segment, coherent,
                                   args->MapApertureSegment2.OffsetInPages + done, page, pages);
        done += written;
        if (written == pages)
            continue;
        args->MultipassOffset = (UINT)done;
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    if (segment)
        kmd_moved(args->MapApertureSegment2.hAllocation, args->MapApertureSegment2.SegmentId,
                  segment->base + args->MapApertureSegment2.OffsetInPages * GPU_PAGE);
    return STATUS_SUCCESS;
}

/* The range goes on being accessible: every page of it is the dummy page. */
NTSTATUS kmd_build_unmap(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                         DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT id = args->UnmapApertureSegment.SegmentId;
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    const struct kmd_allocation *allocation =
        kmd_allocation_of(args->UnmapApertureSegment.hAllocation);
    if (!segment || args->UnmapApertureSegment.NumberOfPages == 0)
        return STATUS_SUCCESS;
    struct gpu_unmap command = {
        .head = {GPU_UNMAP, 0, 0},
        .aperture = segment->hardware,
        .pages = (uint32_t)args->UnmapApertureSegment.NumberOfPages,
        .first = args->UnmapApertureSegment.OffsetInPages,
        .dummy = (ULONGLONG)args->UnmapApertureSegment.DummyPage.QuadPart,
    };
    if (!kmd_put(writer, &command, sizeof(command)))
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (allocation && allocation->segment == id)
        kmd_moved(args->UnmapApertureSegment.hAllocation, 0, 0);
    return STATUS_SUCCESS;
}
