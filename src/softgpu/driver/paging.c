/*
 * paging.c - DxgkDdiBuildPagingBuffer (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md,
 * ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md).
 *
 * Everything is encoded into the paging buffer and nothing done on the spot, so the GPU executes
 * operations in the order in which they were built. An operation without a page list is one
 * command: it fits or it does not. One with a page list is cut where the buffer ends;
 * MultipassOffset counts the pages that are done. TransferOffset counts at the segment side and
 * MdlOffset at the MDL side.
 */
#include "driver/writer.h"

static SIZE_T whole_pages(SIZE_T bytes) {
    return bytes / GPU_PAGE + (bytes % GPU_PAGE != 0);
}

/* ---- Transfer -------------------------------------------------------------------------------- */

/* GPU_FLAG_TILE, GPU_FLAG_UNTILE or neither. */
static uint16_t tile_flag(const struct kmd_allocation *allocation, DXGK_TRANSFERFLAGS flags) {
    if (!allocation || !(allocation->flags & VIDMM_UMD_SWIZZLED))
        return 0;
    if (flags.Swizzle)
        return GPU_FLAG_TILE;
    return flags.Unswizzle ? GPU_FLAG_UNTILE : 0;
}

struct copy_command {
    struct gpu_copy copy;
    struct gpu_tiling tiling;
};

/* A copy of `bytes` that begins `offset` bytes into the allocation; returns its size without
 * runs. */
static UINT copy_command(struct copy_command *command, const struct kmd_allocation *allocation,
                         uint16_t flags, ULONGLONG destination, ULONGLONG source, ULONGLONG offset,
                         ULONGLONG bytes) {
    bool tile = (flags & GPU_FLAG_TILE) != 0, untile = (flags & GPU_FLAG_UNTILE) != 0;
    RtlZeroMemory(command, sizeof(*command));
    command->copy.head.opcode = GPU_COPY;
    command->copy.head.flags = flags;
    /* The tiled side is named by its start, since its bytes are all over it. */
    if (!(flags & GPU_FLAG_DESTINATION_PAGES))
        command->copy.destination = destination + (tile ? 0 : offset);
    if (!(flags & GPU_FLAG_SOURCE_PAGES))
        command->copy.source = source + (untile ? 0 : offset);
    command->copy.bytes = bytes;
    if (!tile && !untile)
        return sizeof(command->copy);
    command->tiling.pitch = allocation->pitch;
    command->tiling.offset = offset;
    command->tiling.surface = kmd_round_to_page(allocation->size);
    return sizeof(*command);
}

/* Between a segment and pages of an MDL. */
static NTSTATUS transfer_pages(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args,
                               const struct kmd_allocation *allocation, uint16_t flags,
                               const MDL *mdl, ULONGLONG address) {
    struct kmd_page_list list =
        kmd_pages_left(mdl, args->Transfer.MdlOffset, whole_pages(args->Transfer.TransferSize),
                       args->MultipassOffset);
    ULONGLONG done = (ULONGLONG)args->MultipassOffset * GPU_PAGE;
    ULONGLONG left = args->Transfer.TransferSize - done;
    struct copy_command command;
    PUCHAR written;
    UINT fixed = copy_command(&command, allocation, flags, address, address,
                              args->Transfer.TransferOffset + done, left);
    SIZE_T pages = kmd_put_pages(writer, &command, fixed, list.page, list.pages, &written);
    if (pages < list.pages && pages != 0) {
        uint64_t bytes = pages * GPU_PAGE;
        RtlCopyMemory(written + offsetof(struct gpu_copy, bytes), &bytes, sizeof(bytes));
    }
    return kmd_progress(args, pages, list.pages);
}

/* Pretends now and then that hardware state of an allocation in use would have to change. */
static bool paging_busy(struct kmd_adapter *adapter, const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (adapter->settings.busy_every == 0 || !args->Transfer.hAllocation ||
        args->Transfer.Flags.AllocationIsIdle || args->MultipassOffset != 0)
        return false;
    return ++adapter->transfers % adapter->settings.busy_every == 0;
}

static NTSTATUS paging_transfer(struct kmd_adapter *adapter, struct kmd_writer *writer,
                                DXGKARG_BUILDPAGINGBUFFER *args) {
    struct kmd_allocation *allocation = kmd_allocation_of(args->Transfer.hAllocation);
    uint16_t flags = tile_flag(allocation, args->Transfer.Flags);
    UINT from = args->Transfer.Source.SegmentId, to = args->Transfer.Destination.SegmentId;
    ULONGLONG source = (ULONGLONG)args->Transfer.Source.SegmentAddress.QuadPart;
    ULONGLONG destination = (ULONGLONG)args->Transfer.Destination.SegmentAddress.QuadPart;
    NTSTATUS status;
    /* After a reset: it is evicted and its content lost; the GPU is better left alone. */
    if (args->Transfer.TransferSize == 0) {
        kmd_moved(args->Transfer.hAllocation, to, destination);
        return STATUS_SUCCESS;
    }
    if (paging_busy(adapter, args))
        return STATUS_GRAPHICS_ALLOCATION_BUSY;
    if (from == 0 && to == 0)
        return STATUS_SUCCESS; /* system memory to system memory is no work for a GPU */
    if (from == 0) {
        status = transfer_pages(writer, args, allocation, flags | GPU_FLAG_SOURCE_PAGES,
                                args->Transfer.Source.pMdl, destination);
    } else if (to == 0) {
        status = transfer_pages(writer, args, allocation, flags | GPU_FLAG_DESTINATION_PAGES,
                                args->Transfer.Destination.pMdl, source);
    } else {
        struct copy_command command;
        UINT size = copy_command(&command, allocation, flags, destination, source,
                                 args->Transfer.TransferOffset, args->Transfer.TransferSize);
        status = kmd_fits(kmd_put(writer, &command, size));
    }
    if (NT_SUCCESS(status) && args->Transfer.Flags.TransferEnd)
        kmd_moved(args->Transfer.hAllocation, to, destination);
    return status;
}

/* ---- Fill, discard, touch -------------------------------------------------------------------- */

/* A filled part of where the allocation is known to be says nothing new. */
static bool known_place(HANDLE handle, UINT segment, ULONGLONG address) {
    const struct kmd_allocation *allocation = kmd_allocation_of(handle);
    return allocation && allocation->segment == segment &&
           address - allocation->address < allocation->size;
}

static NTSTATUS paging_fill(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args) {
    ULONGLONG address = (ULONGLONG)args->Fill.Destination.SegmentAddress.QuadPart;
    UINT segment = args->Fill.Destination.SegmentId;
    struct gpu_fill command = {
        .head = {GPU_FILL, 0, 0},
        .pattern = args->Fill.FillPattern,
        .destination = address,
        .bytes = args->Fill.FillSize,
    };
    if (args->Fill.FillSize == 0)
        return STATUS_SUCCESS;
    if (!kmd_put(writer, &command, sizeof(command)))
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (!known_place(args->Fill.hAllocation, segment, address))
        kmd_moved(args->Fill.hAllocation, segment, address);
    return STATUS_SUCCESS;
}

/* This GPU keeps nothing about an allocation that would have to be forgotten. */
static NTSTATUS paging_discard(DXGKARG_BUILDPAGINGBUFFER *args) {
    kmd_moved(args->DiscardContent.hAllocation, 0, 0);
    return STATUS_SUCCESS;
}

static NTSTATUS paging_touch(struct kmd_writer *writer, enum gpu_opcode opcode,
                             PHYSICAL_ADDRESS address) {
    struct gpu_touch command = {{(uint16_t)opcode, 0, 0}, (ULONGLONG)address.QuadPart};
    return kmd_fits(kmd_put(writer, &command, sizeof(command)));
}

/* ---- Special lock transfer ------------------------------------------------------------------- */

/*
 * The surface moves while the CPU keeps its window. What the window shows is what moves: out of the
 * segment, its pages become the window's backing (GPU_RANGE_BACK, then DETACH with the last part);
 * into a segment, the window is attached to the new place and stored there.
 */
static NTSTATUS special_out(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args) {
    SIZE_T wanted = whole_pages(args->SpecialLockTransfer.TransferSize);
    ULONGLONG first = args->SpecialLockTransfer.TransferOffset / GPU_PAGE;
    struct kmd_page_list list = kmd_pages_left(args->SpecialLockTransfer.Destination.pMdl, 0,
                                               wanted, args->MultipassOffset);
    struct gpu_range command = {
        .head = {GPU_RANGE_BACK, 0, 0},
        .range = args->SpecialLockTransfer.SwizzlingRangeId,
        .value = first + args->MultipassOffset,
    };
    PUCHAR written;
    SIZE_T pages =
        kmd_put_pages(writer, &command, sizeof(command), list.page, list.pages, &written);
    if (pages != list.pages)
        return kmd_progress(args, pages, list.pages);
    if (!args->SpecialLockTransfer.Flags.TransferEnd)
        return STATUS_SUCCESS;
    args->MultipassOffset += (UINT)pages;
    command.head.opcode = GPU_RANGE_DETACH;
    return kmd_fits(kmd_put(writer, &command, sizeof(command)));
}

static NTSTATUS special_in(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                           DXGKARG_BUILDPAGINGBUFFER *args,
                           const struct kmd_allocation *allocation) {
    UINT id = args->SpecialLockTransfer.Destination.SegmentId;
    bool tiled = (allocation->flags & VIDMM_UMD_SWIZZLED) && kmd_segment_is_memory(adapter, id);
    struct gpu_range command = {
        .head = {GPU_RANGE_ATTACH, 0, 0},
        .range = args->SpecialLockTransfer.SwizzlingRangeId,
        .pitch = tiled ? allocation->pitch : 0,
        .value = (ULONGLONG)args->SpecialLockTransfer.Destination.SegmentAddress.QuadPart,
    };
    if (!args->SpecialLockTransfer.Flags.TransferEnd)
        return STATUS_SUCCESS;
    return kmd_fits(kmd_put(writer, &command, sizeof(command)));
}

/* No window shows it: then it is a transfer like any other, with an MDL that begins with the part. */
static NTSTATUS special_plain(struct kmd_adapter *adapter, struct kmd_writer *writer,
                              DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER plain = *args;
    plain.Transfer.MdlOffset = 0; /* SpecialLockTransfer has no such member */
    NTSTATUS status = paging_transfer(adapter, writer, &plain);
    args->MultipassOffset = plain.MultipassOffset;
    return status;
}

static NTSTATUS paging_special(struct kmd_adapter *adapter, struct kmd_writer *writer,
                               DXGKARG_BUILDPAGINGBUFFER *args) {
    struct kmd_allocation *allocation = kmd_allocation_of(args->SpecialLockTransfer.hAllocation);
    UINT range = args->SpecialLockTransfer.SwizzlingRangeId;
    UINT to = args->SpecialLockTransfer.Destination.SegmentId;
    ULONGLONG address = (ULONGLONG)args->SpecialLockTransfer.Destination.SegmentAddress.QuadPart;
    NTSTATUS status;
    /* The two arms agree in every member that a plain transfer reads, except for the MDL offset. */
    if (args->SpecialLockTransfer.TransferSize == 0 || !allocation || range >= adapter->ranges ||
        adapter->range_owner[range] != allocation)
        return special_plain(adapter, writer, args);
    status = to == 0 ? special_out(writer, args) : special_in(adapter, writer, args, allocation);
    if (NT_SUCCESS(status) && args->SpecialLockTransfer.Flags.TransferEnd)
        kmd_moved(args->SpecialLockTransfer.hAllocation, to, address);
    return status;
}

/* ---- Context resources ----------------------------------------------------------------------- */

static NTSTATUS init_resource(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct kmd_allocation *allocation =
        kmd_allocation_of(args->InitContextResource.hAllocation);
    struct gpu_fill command = {.head = {GPU_FILL, 0, 0}};
    if (!allocation)
        return STATUS_SUCCESS;
    ULONGLONG size = kmd_round_to_page(allocation->size);
    if (args->InitContextResource.Destination.SegmentId != 0) {
        command.destination =
            (ULONGLONG)args->InitContextResource.Destination.SegmentAddress.QuadPart;
        command.bytes = size;
        return kmd_fits(kmd_put(writer, &command, sizeof(command)));
    }
    struct kmd_page_list list = kmd_pages_left(args->InitContextResource.Destination.pMdl, 0,
                                               (SIZE_T)(size / GPU_PAGE), args->MultipassOffset);
    PUCHAR written;
    command.head.flags = GPU_FLAG_DESTINATION_PAGES;
    SIZE_T pages =
        kmd_put_pages(writer, &command, sizeof(command), list.page, list.pages, &written);
    if (pages != 0) {
        uint64_t bytes = pages * GPU_PAGE;
        RtlCopyMemory(written + offsetof(struct gpu_fill, bytes), &bytes, sizeof(bytes));
    }
    return kmd_progress(args, pages, list.pages);
}

/* ---- The call -------------------------------------------------------------------------------- */

static NTSTATUS paging_build(struct kmd_adapter *adapter, struct kmd_writer *writer,
                             DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return paging_transfer(adapter, writer, args);
    case DXGK_OPERATION_FILL:
        return paging_fill(writer, args);
    case DXGK_OPERATION_DISCARD_CONTENT:
        return paging_discard(args);
    case DXGK_OPERATION_READ_PHYSICAL:
        return paging_touch(writer, GPU_READ, args->ReadPhysical.PhysicalAddress);
    case DXGK_OPERATION_WRITE_PHYSICAL:
        return paging_touch(writer, GPU_WRITE, args->WritePhysical.PhysicalAddress);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return kmd_build_map(adapter, writer, args);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        return kmd_build_map_second(adapter, writer, args);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return kmd_build_unmap(adapter, writer, args);
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return paging_special(adapter, writer, args);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        return kmd_mmu_on(adapter) && args->InitContextResource.Destination.GpuVirtualAddress != 0
                   ? kmd_init_virtual(writer, args)
                   : init_resource(writer, args);
    default:
        /* Without an MMU: notices of a driver model that this one does not take part in. */
        return kmd_mmu_on(adapter) ? kmd_build_virtual(adapter, writer, args) : STATUS_SUCCESS;
    }
}

/* Notes what was built, for as long as there is private data for it. */
static void paging_record(DXGKARG_BUILDPAGINGBUFFER *args, UINT bytes) {
    struct kmd_paging_record note = {(UINT)args->Operation, bytes};
    if (bytes == 0 || !args->pDmaBufferPrivateData || args->DmaBufferPrivateDataSize < sizeof(note))
        return;
    RtlCopyMemory(args->pDmaBufferPrivateData, &note, sizeof(note));
    args->pDmaBufferPrivateData = (PUCHAR)args->pDmaBufferPrivateData + sizeof(note);
    args->DmaBufferPrivateDataSize -= (UINT)sizeof(note);
}

NTSTATUS APIENTRY kmd_build_paging_buffer(const HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    /* The paging context says which board runs the buffer, and whose memory the operation moves. */
    struct kmd_adapter *adapter = kmd_board_of_context(hAdapter, args->hSystemContext);
    /* A virtual submission takes addresses for virtual ones unless a command says otherwise. */
    struct kmd_writer writer = {args->pDmaBuffer, args->DmaSize & ~7u,
                                kmd_mmu_on(adapter) ? GPU_FLAG_PHYSICAL : 0};
    if (!writer.at)
        writer.room = 0;
    NTSTATUS status = paging_build(adapter, &writer, args);
    UINT bytes = writer.at ? (UINT)(writer.at - (PUCHAR)args->pDmaBuffer) : 0;
    args->pDmaBuffer = writer.at;
    args->DmaSize -= bytes;
    paging_record(args, bytes);
    return status;
}
