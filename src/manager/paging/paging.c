/*
 * paging.c - one paging operation through DxgkDdiBuildPagingBuffer, by the protocol of
 * nc-d3dkmddi-dxgkddi_buildpagingbuffer.md:
 *
 *   SUCCESS                  the next operation follows right behind in the same buffer
 *   INSUFFICIENT_DMA_BUFFER  the manager submits the buffer and continues the same operation in a
 *                            fresh buffer; MultipassOffset belongs to the driver
 *   ALLOCATION_BUSY          the manager waits until the GPU no longer uses the allocation, then
 *                            calls again with AllocationIsIdle
 *   anything else            the driver is broken: Windows stops with a bugcheck, the manager
 *                            stops the adapter
 */
#include "paging/paging.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/aperture.h"
#include "lists/idle.h"
#include "paging/aperture_op.h"
#include "paging/gart.h"
#include "paging/virtual_build.h"

#define CALL     "DxgkDdiBuildPagingBuffer"
#define PAGE     "nc-d3dkmddi-dxgkddi_buildpagingbuffer"
#define ARG_PAGE "ns-d3dkmddi-_dxgkarg_buildpagingbuffer"

/* Answers INSUFFICIENT in a row that move MultipassOffset but write nothing. */
#define SILENT_PASSES 65536u

/* Answers INSUFFICIENT in a row of one operation that get it nowhere. */
struct passes {
    uint32_t silent, repeated;
};

static HANDLE driver_handle(const struct vidmm_allocation *allocation) {
    return allocation && !allocation->dead ? allocation->handle : NULL;
}

/* SegmentAddress of a place: where the allocation would start if it began `at` bytes before. */
static LARGE_INTEGER segment_start(struct vidmm_adapter *adapter, const struct vidmm_place *place,
                                   uint64_t at) {
    const struct segment *segment = query_segment(&adapter->facts, place->segment);
    LARGE_INTEGER address;
    address.QuadPart = (LONGLONG)(segment_address(segment, place->offset) - at);
    return address;
}

static DXGK_TRANSFERFLAGS transfer_flags(const struct vidmm_op *op) {
    DXGK_TRANSFERFLAGS flags = {.Value = 0};
    flags.Swizzle = op->swizzle;
    flags.Unswizzle = op->unswizzle;
    flags.TransferStart = op->first;
    flags.TransferEnd = op->last;
    return flags;
}

/*
 * TransferOffset counts on the segment side only and MdlOffset (pages) on the MDL side only
 * (ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md). By the other reading the driver adds TransferOffset
 * on the MDL side as well, and MdlOffset is where the allocation starts.
 */
static UINT mdl_offset(const struct vidmm_adapter *adapter, const struct vidmm_op *op,
                       const struct vidmm_place *place) {
    uint64_t before = adapter->settings.readings.transfer_offset == 1 ? op->at / PAGE_BYTES : 0;
    return (UINT)(place->mdl_page - before);
}

static void encode_transfer(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                            DXGKARG_BUILDPAGINGBUFFER *arg) {
    arg->Operation = DXGK_OPERATION_TRANSFER;
    arg->Transfer.hAllocation = driver_handle(op->allocation);
    arg->Transfer.TransferOffset = (UINT)op->at;
    arg->Transfer.TransferSize = op->size;
    arg->Transfer.Source.SegmentId = driver_segment_id(&adapter->facts, op->from.segment);
    arg->Transfer.Destination.SegmentId = driver_segment_id(&adapter->facts, op->to.segment);
    if (op->from.segment) {
        arg->Transfer.Source.SegmentAddress = segment_start(adapter, &op->from, op->at);
    } else {
        arg->Transfer.Source.pMdl = op->from.mdl;
        arg->Transfer.MdlOffset = mdl_offset(adapter, op, &op->from);
    }
    if (op->to.segment) {
        arg->Transfer.Destination.SegmentAddress = segment_start(adapter, &op->to, op->at);
    } else {
        arg->Transfer.Destination.pMdl = op->to.mdl;
        arg->Transfer.MdlOffset = mdl_offset(adapter, op, &op->to);
    }
    arg->Transfer.Flags = transfer_flags(op);
}

static void encode_special_lock(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                                DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct swizzling_range *range = op->allocation->range;
    arg->Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    arg->SpecialLockTransfer.hAllocation = driver_handle(op->allocation);
    arg->SpecialLockTransfer.TransferOffset = (UINT)op->at;
    arg->SpecialLockTransfer.TransferSize = op->size;
    arg->SpecialLockTransfer.Source.SegmentId =
        driver_segment_id(&adapter->facts, op->from.segment);
    arg->SpecialLockTransfer.Destination.SegmentId =
        driver_segment_id(&adapter->facts, op->to.segment);
    if (op->from.segment)
        arg->SpecialLockTransfer.Source.SegmentAddress = segment_start(adapter, &op->from, op->at);
    else
        arg->SpecialLockTransfer.Source.pMdl = op->from.mdl;
    if (op->to.segment)
        arg->SpecialLockTransfer.Destination.SegmentAddress =
            segment_start(adapter, &op->to, op->at);
    else
        arg->SpecialLockTransfer.Destination.pMdl = op->to.mdl;
    arg->SpecialLockTransfer.Flags = transfer_flags(op);
    if (range)
        arg->SpecialLockTransfer.SwizzlingRangeId = (UINT)(range - adapter->swizzling.ranges);
}

static void encode_fill(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                        DXGKARG_BUILDPAGINGBUFFER *arg) {
    arg->Operation = DXGK_OPERATION_FILL;
    arg->Fill.hAllocation = driver_handle(op->allocation);
    arg->Fill.FillSize = op->size;
    arg->Fill.FillPattern = op->pattern;
    arg->Fill.Destination.SegmentId = driver_segment_id(&adapter->facts, op->to.segment);
    arg->Fill.Destination.SegmentAddress = segment_start(adapter, &op->to, 0);
}

static void encode_discard(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                           DXGKARG_BUILDPAGINGBUFFER *arg) {
    arg->Operation = DXGK_OPERATION_DISCARD_CONTENT;
    arg->DiscardContent.hAllocation = driver_handle(op->allocation);
    arg->DiscardContent.SegmentId = driver_segment_id(&adapter->facts, op->from.segment);
    arg->DiscardContent.SegmentAddress = segment_start(adapter, &op->from, 0);
}

static void encode_physical(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                            DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (op->kind == VIDMM_OP_READ_PHYSICAL) {
        arg->Operation = DXGK_OPERATION_READ_PHYSICAL;
        arg->ReadPhysical.SegmentId = driver_segment_id(&adapter->facts, op->from.segment);
        arg->ReadPhysical.PhysicalAddress = segment_start(adapter, &op->from, 0);
    } else {
        arg->Operation = DXGK_OPERATION_WRITE_PHYSICAL;
        arg->WritePhysical.SegmentId = driver_segment_id(&adapter->facts, op->to.segment);
        arg->WritePhysical.PhysicalAddress = segment_start(adapter, &op->to, 0);
    }
}

static void encode_map(struct vidmm_adapter *adapter, const struct plan_op *plan_op,
                       DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct vidmm_op *op = &plan_op->op;
    const struct segment *segment = query_segment(&adapter->facts, op->to.segment);
    bool cached = op->allocation && op->allocation->info.Flags.Cached;
    bool coherent = cached && segment->flags.CacheCoherent;
    if (aperture_second_form(adapter)) {
        aperture_encode_second(plan_op, driver_handle(op->allocation), segment_driver_id(segment),
                               coherent, arg);
        return;
    }
    arg->Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    arg->MapApertureSegment.hDevice = plan_op->device ? plan_op->device->handle : NULL;
    arg->MapApertureSegment.hAllocation = driver_handle(op->allocation);
    arg->MapApertureSegment.SegmentId = driver_segment_id(&adapter->facts, op->to.segment);
    arg->MapApertureSegment.OffsetInPages = op->to.offset / PAGE_BYTES;
    arg->MapApertureSegment.NumberOfPages = op->size / PAGE_BYTES;
    arg->MapApertureSegment.pMdl = op->from.mdl;
    arg->MapApertureSegment.Flags.CacheCoherent = coherent;
    arg->MapApertureSegment.MdlOffset = (ULONG)op->from.mdl_page;
}

static void encode_unmap(struct vidmm_adapter *adapter, const struct plan_op *plan_op,
                         DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct vidmm_op *op = &plan_op->op;
    arg->Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    arg->UnmapApertureSegment.hDevice = plan_op->device ? plan_op->device->handle : NULL;
    arg->UnmapApertureSegment.hAllocation = driver_handle(op->allocation);
    arg->UnmapApertureSegment.SegmentId = driver_segment_id(&adapter->facts, op->from.segment);
    arg->UnmapApertureSegment.OffsetInPages = op->from.offset / PAGE_BYTES;
    arg->UnmapApertureSegment.NumberOfPages = op->size / PAGE_BYTES;
    arg->UnmapApertureSegment.DummyPage.QuadPart =
        (LONGLONG)adapter->os.dummy_page(adapter->os.ctx);
}

static void encode_init(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                        DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct vidmm_allocation *allocation = op->allocation;
    arg->Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
    arg->InitContextResource.hAllocation = driver_handle(allocation);
    arg->InitContextResource.Destination.SegmentId =
        driver_segment_id(&adapter->facts, op->to.segment);
    arg->InitContextResource.Destination.SegmentAddress = segment_start(adapter, &op->to, 0);
    arg->InitContextResource.Destination.GpuVirtualAddress = op->va_to;
    if (allocation_init_shows_cpu(allocation))
        arg->InitContextResource.Destination.VirtualAddress = allocation_cpu(allocation);
}

/* False: there is nothing to build. */
static bool encode(struct vidmm_adapter *adapter, struct plan_op *op,
                   DXGKARG_BUILDPAGINGBUFFER *arg) {
    memset(arg, 0, sizeof(*arg));
    arg->hSystemContext = paging_line(adapter, op->op.physical).context;
    switch (op->op.kind) {
    case VIDMM_OP_TRANSFER:
        encode_transfer(adapter, &op->op, arg);
        break;
    case VIDMM_OP_FILL:
        encode_fill(adapter, &op->op, arg);
        break;
    case VIDMM_OP_DISCARD:
        encode_discard(adapter, &op->op, arg);
        break;
    case VIDMM_OP_READ_PHYSICAL:
    case VIDMM_OP_WRITE_PHYSICAL:
        encode_physical(adapter, &op->op, arg);
        break;
    case VIDMM_OP_MAP:
        encode_map(adapter, op, arg);
        break;
    case VIDMM_OP_UNMAP:
        encode_unmap(adapter, op, arg);
        break;
    case VIDMM_OP_SPECIAL_LOCK_TRANSFER:
        encode_special_lock(adapter, &op->op, arg);
        break;
    case VIDMM_OP_INIT_CONTEXT_RESOURCE:
        encode_init(adapter, &op->op, arg);
        break;
    default:
        return virtual_encode(adapter, op, driver_handle(op->op.allocation), arg);
    }
    return true;
}

/* The flag that tells the driver the allocation is idle, or NULL for operations without one. */
static bool set_idle(DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch (arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
        if (arg->Transfer.Flags.AllocationIsIdle)
            return false;
        arg->Transfer.Flags.AllocationIsIdle = 1;
        return true;
    case DXGK_OPERATION_DISCARD_CONTENT:
        if (arg->DiscardContent.Flags.AllocationIsIdle)
            return false;
        arg->DiscardContent.Flags.AllocationIsIdle = 1;
        return true;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        if (arg->SpecialLockTransfer.Flags.AllocationIsIdle)
            return false;
        arg->SpecialLockTransfer.Flags.AllocationIsIdle = 1;
        return true;
    default:
        return false;
    }
}

static enum vidmm_status retry_idle(struct vidmm_adapter *adapter, const struct plan_op *op,
                                    DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (!set_idle(arg))
        return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL,
                     .field = "return value",
                     .expected = "ALLOCATION_BUSY only for TRANSFER, DISCARD_CONTENT and "
                                 "SPECIAL_LOCK_TRANSFER without AllocationIsIdle",
                     .rule = "R163", .page = PAGE, .index = (uint32_t)arg->Operation,
                     .nt = STATUS_GRAPHICS_ALLOCATION_BUSY);
    adapter->stats.busy_retries++;
    return op->op.allocation ? allocation_wait_idle(op->op.allocation) : VIDMM_OK;
}

static enum vidmm_status bad_pointer(struct vidmm_adapter *adapter, const char *field,
                                     const char *rule, uint64_t value) {
    return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL, .field = field,
                 .expected = "one past the last byte written, inside the buffer", .rule = rule,
                 .page = ARG_PAGE, .index = ERROR_NO_INDEX, .value = value);
}

/* Takes over how far the driver wrote. */
static enum vidmm_status advance(struct vidmm_adapter *adapter, struct paging *paging,
                                 const DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct dma_buffer *buffer = &paging->buffers[paging->current];
    uintptr_t start = (uintptr_t)buffer->cpu, at = (uintptr_t)arg->pDmaBuffer;
    uintptr_t private_start = (uintptr_t)buffer->private_data;
    uintptr_t private_at = (uintptr_t)arg->pDmaBufferPrivateData;
    if (at < start + paging->used || at > start + buffer->size)
        return bad_pointer(adapter, "DXGKARG_BUILDPAGINGBUFFER.pDmaBuffer", "R153",
                           (uint64_t)at - (uint64_t)start);
    if (private_start && (private_at < private_start + paging->private_used ||
                          private_at > private_start + buffer->private_size))
        return bad_pointer(adapter, "DXGKARG_BUILDPAGINGBUFFER.pDmaBufferPrivateData", "R166",
                           (uint64_t)private_at - (uint64_t)private_start);
    paging->used = (uint32_t)(at - start);
    if (private_start)
        paging->private_used = (uint32_t)(private_at - private_start);
    return VIDMM_OK;
}

static void aim(struct vidmm_adapter *adapter, uint32_t physical, DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct paging *paging = &adapter->physical[physical].paging;
    const struct dma_buffer *buffer = &paging->buffers[paging->current];
    arg->pDmaBuffer = buffer->cpu + paging->used;
    arg->DmaSize = buffer->size - paging->used;
    arg->pDmaBufferPrivateData =
        buffer->private_data ? buffer->private_data + paging->private_used : NULL;
    arg->DmaBufferPrivateDataSize = buffer->private_size - paging->private_used;
    arg->DmaBufferWriteOffset = paging->used;
    arg->DmaBufferGpuVirtualAddress = paging_address(adapter, physical);
}

static enum vidmm_status no_progress(struct vidmm_adapter *adapter,
                                     const DXGKARG_BUILDPAGINGBUFFER *arg) {
    return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL, .field = "return value",
                 .expected = "progress in an empty paging buffer before INSUFFICIENT_DMA_BUFFER",
                 .rule = "R157", .page = PAGE, .index = (uint32_t)arg->Operation,
                 .value = arg->DmaSize, .nt = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
}

static enum vidmm_status bad_status(struct vidmm_adapter *adapter,
                                    const DXGKARG_BUILDPAGINGBUFFER *arg, NTSTATUS nt) {
    return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL, .field = "return value",
                 .expected = "STATUS_SUCCESS, STATUS_GRAPHICS_ALLOCATION_BUSY or "
                             "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER",
                 .rule = "R149", .page = PAGE, .index = (uint32_t)arg->Operation,
                 .value = (uint32_t)nt, .nt = nt);
}

/* By the other reading what an INSUFFICIENT answer wrote is not run: the operation starts over. */
static void drop_pass(struct vidmm_adapter *adapter, uint32_t physical,
                      DXGKARG_BUILDPAGINGBUFFER *arg, uint32_t used_before) {
    if (adapter->settings.readings.insufficient == 0 || used_before == 0)
        return;
    adapter->physical[physical].paging.used = used_before;
    arg->MultipassOffset = 0;
}

/* The driver wants a fresh buffer for the rest of the operation. */
static enum vidmm_status next_pass(struct vidmm_adapter *adapter, uint32_t physical,
                                   DXGKARG_BUILDPAGINGBUFFER *arg, uint32_t used_before,
                                   uint32_t multipass_before, struct passes *passes) {
    bool wrote = adapter->physical[physical].paging.used != used_before;
    bool moved = arg->MultipassOffset != multipass_before, progress = wrote || moved;
    if (!progress && used_before == 0)
        return no_progress(adapter, arg);
    if (progress)
        adapter->stats.multipass_splits++;
    passes->silent = wrote ? 0 : passes->silent + 1;
    passes->repeated = wrote && !moved ? passes->repeated + 1 : 0;
    if (passes->silent > SILENT_PASSES || passes->repeated > DMA_BUFFERS_REPEATED)
        return no_progress(adapter, arg);
    drop_pass(adapter, physical, arg, used_before);
    return paging_submit(adapter, physical);
}

/* By the CPU, before the driver returns (system-paging-process.md). */
static enum vidmm_status build_now(struct vidmm_adapter *adapter, struct plan_op *op,
                                   DXGKARG_BUILDPAGINGBUFFER *arg) {
    NTSTATUS nt = adapter->ddi->DxgkDdiBuildPagingBuffer(adapter->hadapter, arg);
    if (nt != STATUS_SUCCESS)
        return bad_status(adapter, arg, nt);
    op->first_buffer = op->last_buffer = adapter->stats.paging_buffers + 1;
    outstanding_add(adapter, op);
    return VIDMM_OK;
}

/* Without the driver, and done at once; told in its turn. */
static enum vidmm_status build_in_gart(struct vidmm_adapter *adapter, struct plan_op *op) {
    gart_carry_out(adapter, op);
    op->first_buffer = op->last_buffer = adapter->stats.paging_buffers + 1;
    op->done = true;
    outstanding_add(adapter, op);
    return VIDMM_OK;
}

/* Room to tell of it, and nothing outstanding of another physical adapter, so that what is built
 * takes effect in that order. */
static enum vidmm_status paging_begin(struct vidmm_adapter *adapter, const struct plan_op *op) {
    enum vidmm_status status = outstanding_room(adapter);
    if (status == VIDMM_OK && adapter->paging != op->op.physical)
        status = paging_finish(adapter);
    if (status)
        return status;
    adapter->paging = op->op.physical;
    return virtual_wait(adapter, op);
}

/* Of what a driver changes only its progress counts: it must not get a handle of its own making back. */
static void ask_again(DXGKARG_BUILDPAGINGBUFFER *arg, const DXGKARG_BUILDPAGINGBUFFER *asked) {
    UINT progress = arg->MultipassOffset;
    *arg = *asked;
    arg->MultipassOffset = progress;
}

enum vidmm_status paging_build(struct vidmm_adapter *adapter, struct plan_op *op) {
    VIDMM_ASSERT_LOCKED(adapter);
    DXGKARG_BUILDPAGINGBUFFER arg;
    const uint32_t physical = op->op.physical;
    struct paging *paging = &adapter->physical[physical].paging;
    enum vidmm_status status = paging_begin(adapter, op);
    struct passes passes = {0};
    bool wrote = false;
    if (status == VIDMM_OK && gart_serves(adapter, op))
        return build_in_gart(adapter, op);
    if (status || !encode(adapter, op, &arg))
        return status;
    if (virtual_now(op))
        return build_now(adapter, op, &arg);
    op->first_buffer = adapter->stats.paging_buffers + 1;
    while (status == VIDMM_OK) {
        uint32_t used = paging->used, multipass = arg.MultipassOffset;
        aim(adapter, physical, &arg);
        const DXGKARG_BUILDPAGINGBUFFER asked = arg;
        NTSTATUS nt = adapter->ddi->DxgkDdiBuildPagingBuffer(adapter->hadapter, &arg);
        status = advance(adapter, paging, &arg);
        if (status)
            break;
        op->last_buffer = adapter->stats.paging_buffers + 1;
        wrote = wrote || paging->used != used;
        if (nt == STATUS_SUCCESS) {
            op->done = !wrote;
            outstanding_add(adapter, op);
            return VIDMM_OK;
        }
        ask_again(&arg, &asked);
        if (nt == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
            status = next_pass(adapter, physical, &arg, used, multipass, &passes);
        else if (nt == STATUS_GRAPHICS_ALLOCATION_BUSY)
            status = retry_idle(adapter, op, &arg);
        else
            status = bad_status(adapter, &arg, nt);
    }
    return status;
}
