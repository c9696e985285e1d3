/*
 * later.c - paging operations that are written into the paging buffer, or into its private data, and
 * done with the submission (work.c).
 *
 * A command is the arguments of an operation for no more pages than it has room for, with a copy of
 * their numbers: the system's MDL need not be there any more. Private data leads from a submission to
 * the commands in its buffer.
 */
#include "shape.h"

#define MOST_PAGES 16u

struct command {
    DXGKARG_BUILDPAGINGBUFFER args;
    struct {
        MDL mdl; /* its page numbers follow it */
        PFN_NUMBER page[MOST_PAGES];
    } list;
};

static UINT buffer_bytes(VOID) {
    return shape->paging_buffer_bytes != 0 ? shape->paging_buffer_bytes : PAGE_SIZE;
}

/* Of private data, for each command. */
static UINT entry_bytes(VOID) {
    return shape->paging == IN_BUFFER ? sizeof(struct command *) : sizeof(struct command);
}

/* Of the buffer, for each command. */
static UINT token_bytes(VOID) {
    return shape->paging == IN_BUFFER ? sizeof(struct command) : sizeof(ULONG64);
}

UINT later_private_bytes(VOID) {
    if (shape->paging == DONE_WHEN_BUILT)
        return 0;
    return buffer_bytes() / sizeof(struct command) * entry_bytes();
}

/* ---- Writing --------------------------------------------------------------------------------- */

static BOOLEAN has_room(const DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT written = later_private_bytes() - args->DmaBufferPrivateDataSize;
    return args->pDmaBuffer && args->DmaSize >= token_bytes() &&
           args->DmaBufferPrivateDataSize >= entry_bytes() &&
           (shape->commands_a_buffer == 0 || written < shape->commands_a_buffer * entry_bytes());
}

static VOID advance(DXGKARG_BUILDPAGINGBUFFER *args) {
    args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + token_bytes();
    args->DmaSize -= token_bytes();
    args->pDmaBufferPrivateData = (PUCHAR)args->pDmaBufferPrivateData + entry_bytes();
    args->DmaBufferPrivateDataSize -= entry_bytes();
}

static BOOLEAN put(DXGKARG_BUILDPAGINGBUFFER *args, const struct command *command) {
    PVOID place = args->pDmaBuffer;
    if (!has_room(args))
        return FALSE;
    if (shape->paging == IN_BUFFER) {
        RtlCopyMemory(args->pDmaBuffer, command, sizeof(*command));
        RtlCopyMemory(args->pDmaBufferPrivateData, &place, sizeof(place));
    } else {
        RtlZeroMemory(args->pDmaBuffer, token_bytes());
        RtlCopyMemory(args->pDmaBufferPrivateData, command, sizeof(*command));
    }
    advance(args);
    return TRUE;
}

/* The MDL of an operation, and how many pages of it are wanted; 0: it has none. */
static SIZE_T pages_of(const DXGKARG_BUILDPAGINGBUFFER *args, const PFN_NUMBER **page) {
    const MDL *mdl = NULL;
    SIZE_T skipped = 0, pages = 0;
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
        mdl = args->MapApertureSegment.pMdl;
        skipped = args->MapApertureSegment.MdlOffset;
        pages = args->MapApertureSegment.NumberOfPages;
    } else if (args->Operation == DXGK_OPERATION_TRANSFER) {
        mdl = args->Transfer.Source.SegmentId == 0        ? args->Transfer.Source.pMdl
              : args->Transfer.Destination.SegmentId == 0 ? args->Transfer.Destination.pMdl
                                                          : NULL;
        skipped = args->Transfer.MdlOffset;
        pages = mdl ? BYTES_TO_PAGES(args->Transfer.TransferSize) : 0;
    }
    *page = pages != 0 ? MmGetMdlPfnArray(mdl) + skipped : NULL;
    return pages;
}

/* Of an operation, `pages` pages from the page `done` on. */
static VOID cut(struct command *command, SIZE_T done, SIZE_T pages) {
    DXGKARG_BUILDPAGINGBUFFER *args = &command->args;
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
        args->MapApertureSegment.OffsetInPages += done;
        args->MapApertureSegment.NumberOfPages = pages;
        args->MapApertureSegment.MdlOffset = 0;
        return;
    }
    SIZE_T left = args->Transfer.TransferSize - done * PAGE_SIZE;
    args->Transfer.TransferOffset += (UINT)(done * PAGE_SIZE);
    args->Transfer.TransferSize = left < pages * PAGE_SIZE ? left : pages * PAGE_SIZE;
    args->Transfer.MdlOffset = 0;
}

/* MultipassOffset counts pages that are done. */
static NTSTATUS put_pages(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *ours,
                          const PFN_NUMBER *page, SIZE_T pages) {
    SIZE_T most = shape->pages_a_command != 0 ? shape->pages_a_command : 1;
    while (args->MultipassOffset < pages) {
        SIZE_T done = args->MultipassOffset, left = pages - done;
        SIZE_T step = left < most ? left : most;
        struct command command = {.args = *ours};
        RtlCopyMemory(command.list.page, page + done, step * sizeof(*page));
        cut(&command, done, step);
        if (!put(args, &command))
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        args->MultipassOffset += (UINT)step;
    }
    return STATUS_SUCCESS;
}

NTSTATUS later_build(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *ours) {
    const PFN_NUMBER *page;
    SIZE_T pages = pages_of(ours, &page);
    const struct command command = {.args = *ours};
    if (pages != 0)
        return put_pages(args, ours, page, pages);
    return put(args, &command) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* ---- Doing ----------------------------------------------------------------------------------- */

static VOID execute(const struct command *command, struct cpu_pager *pager) {
    struct command copy = *command;
    if (copy.args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT)
        copy.args.MapApertureSegment.pMdl = &copy.list.mdl;
    else if (copy.args.Operation == DXGK_OPERATION_TRANSFER) {
        if (copy.args.Transfer.Source.SegmentId == 0)
            copy.args.Transfer.Source.pMdl = &copy.list.mdl;
        if (copy.args.Transfer.Destination.SegmentId == 0)
            copy.args.Transfer.Destination.pMdl = &copy.list.mdl;
    }
    cpu_pager_build(pager, &copy.args);
}

VOID later_execute(struct adapter *adapter, const UCHAR *from, const UCHAR *to) {
    for (; from < to; from += entry_bytes())
        execute(shape->paging == IN_BUFFER ? *(struct command *const *)from
                                           : (const struct command *)from,
                &adapter->cpu.pager);
}
