/* calls.c - the long arguments of calls.h. */
#include "driver/calls.h"

#include "memory/iommu.h"
#include "driver/tally.h"

void host_in_query(struct host_call *c, const DXGKARG_QUERYADAPTERINFO *a) {
    host_mix2(c, (uint32_t)a->Type, a->InputDataSize);
    host_mix(c, a->OutputDataSize);
}

void host_in_create_allocation(struct host_call *c, const DXGKARG_CREATEALLOCATION *a) {
    host_mix2(c, a->NumAllocations, a->Flags.Value);
    host_mix(c, a->PrivateDriverDataSize);
    for (UINT i = 0; i < a->NumAllocations; i++)
        host_mix(c, a->pAllocationInfo[i].PrivateDriverDataSize);
}

void host_out_create_allocation(struct host_call *c, const DXGKARG_CREATEALLOCATION *a) {
    for (UINT i = 0; i < a->NumAllocations; i++) {
        const DXGK_ALLOCATIONINFO *info = &a->pAllocationInfo[i];
        host_mix(c, info->Size);
        host_mix2(c, info->Alignment, info->Flags.Value);
        host_mix2(c, info->SupportedReadSegmentSet, info->SupportedWriteSegmentSet);
        host_mix2(c, info->EvictionSegmentSet, info->PreferredSegment.Value);
        host_mix(c, info->AllocationPriority);
    }
}

/* One side of a transfer; `mdl_offset` is what says where in an MDL. */
static void call_side(struct host_call *c, uint32_t segment, int64_t address, uint32_t mdl_offset) {
    host_mix2(c, segment, mdl_offset);
    if (segment != 0)
        host_mix(c, (uint64_t)address);
}

static void call_transfer(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    host_mix(c, a->Transfer.TransferSize);
    host_mix2(c, a->Transfer.TransferOffset, a->Transfer.Flags.Value);
    call_side(c, a->Transfer.Source.SegmentId, a->Transfer.Source.SegmentAddress.QuadPart,
              a->Transfer.MdlOffset);
    call_side(c, a->Transfer.Destination.SegmentId, a->Transfer.Destination.SegmentAddress.QuadPart,
              a->Transfer.MdlOffset);
}

static void special_lock(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    host_mix(c, a->SpecialLockTransfer.TransferSize);
    host_mix2(c, a->SpecialLockTransfer.TransferOffset, a->SpecialLockTransfer.Flags.Value);
    call_side(c, a->SpecialLockTransfer.Source.SegmentId,
              a->SpecialLockTransfer.Source.SegmentAddress.QuadPart, 0);
    call_side(c, a->SpecialLockTransfer.Destination.SegmentId,
              a->SpecialLockTransfer.Destination.SegmentAddress.QuadPart, 0);
    host_mix(c, a->SpecialLockTransfer.SwizzlingRangeId);
}

static void call_aperture(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    if (a->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
        host_mix2(c, a->MapApertureSegment.SegmentId, a->MapApertureSegment.Flags.Value);
        host_mix(c, a->MapApertureSegment.OffsetInPages);
        host_mix(c, a->MapApertureSegment.NumberOfPages);
        host_mix(c, a->MapApertureSegment.MdlOffset);
    } else if (a->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
        host_mix2(c, a->MapApertureSegment2.SegmentId, a->MapApertureSegment2.Flags.Value);
        host_mix(c, a->MapApertureSegment2.OffsetInPages);
        host_mix(c, a->MapApertureSegment2.NumberOfPages);
        host_mix2(c, a->MapApertureSegment2.AdlOffset, a->MapApertureSegment2.Adl.Flags.Value);
        host_mix(c, a->MapApertureSegment2.Adl.PageCount);
    } else {
        host_mix(c, a->UnmapApertureSegment.SegmentId);
        host_mix(c, a->UnmapApertureSegment.OffsetInPages);
        host_mix(c, a->UnmapApertureSegment.NumberOfPages);
        host_mix(c, (uint64_t)a->UnmapApertureSegment.DummyPage.QuadPart);
    }
}

static void page_table(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    host_mix2(c, a->UpdatePageTable.PageTableLevel, (uint32_t)a->UpdatePageTable.UpdateMode);
    host_mix2(c, a->UpdatePageTable.StartIndex, a->UpdatePageTable.NumPageTableEntries);
    host_mix(c, a->UpdatePageTable.Flags.Repeat);
    host_mix(c, a->UpdatePageTable.AllocationOffsetInBytes);
    host_mix(c, a->UpdatePageTable.FirstPteVirtualAddress);
}

static void call_operation(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    switch (a->Operation) {
    case DXGK_OPERATION_TRANSFER:
        call_transfer(c, a);
        break;
    case DXGK_OPERATION_FILL:
        host_mix(c, a->Fill.FillSize);
        host_mix2(c, a->Fill.FillPattern, a->Fill.Destination.SegmentId);
        host_mix(c, (uint64_t)a->Fill.Destination.SegmentAddress.QuadPart);
        break;
    case DXGK_OPERATION_DISCARD_CONTENT:
        host_mix2(c, a->DiscardContent.Flags.Value, a->DiscardContent.SegmentId);
        host_mix(c, (uint64_t)a->DiscardContent.SegmentAddress.QuadPart);
        break;
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL:
        host_mix(c, a->ReadPhysical.SegmentId);
        host_mix(c, (uint64_t)a->ReadPhysical.PhysicalAddress.QuadPart);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        call_aperture(c, a);
        break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        special_lock(c, a);
        break;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        page_table(c, a);
        break;
    default:
        break; /* the operation's number and the buffer are hashed anyway */
    }
}

void host_in_paging(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    c->buffer = a->pDmaBuffer;
    c->private_data = a->pDmaBufferPrivateData;
    host_mix2(c, (uint32_t)a->Operation, a->DmaSize);
    host_mix2(c, a->MultipassOffset, a->DmaBufferPrivateDataSize);
    call_operation(c, a);
}

/* How far the driver got in the buffer, in the private data and in the operation. */
void host_out_paging(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a) {
    host_mix2(c, (uint32_t)((uintptr_t)a->pDmaBuffer - (uintptr_t)c->buffer), a->MultipassOffset);
    host_mix(c, (uintptr_t)a->pDmaBufferPrivateData - (uintptr_t)c->private_data);
}

void host_in_patch(struct host_call *c, const DXGKARG_PATCH *a) {
    host_mix2(c, a->DmaBufferSegmentId, a->DmaBufferSize);
    host_mix(c, (uint64_t)a->DmaBufferPhysicalAddress.QuadPart);
    host_mix2(c, a->DmaBufferSubmissionStartOffset, a->DmaBufferSubmissionEndOffset);
    host_mix2(c, a->AllocationListSize, a->PatchLocationListSize);
    host_mix2(c, a->PatchLocationListSubmissionStart, a->PatchLocationListSubmissionLength);
    host_mix2(c, a->SubmissionFenceId, a->Flags.Value);
    host_mix(c, a->EngineOrdinal);
    for (UINT i = 0; i < a->AllocationListSize; i++) {
        const DXGK_ALLOCATIONLIST *entry = &a->pAllocationList[i];
        host_mix2(c, entry->WriteOperation, entry->SegmentId);
        host_mix(c, (uint64_t)entry->PhysicalAddress.QuadPart);
    }
}

void host_in_submit(struct host_call *c, const DXGKARG_SUBMITCOMMAND *a) {
    host_mix2(c, a->DmaBufferSegmentId, a->DmaBufferSize);
    host_mix(c, (uint64_t)a->DmaBufferPhysicalAddress.QuadPart);
    host_mix2(c, a->DmaBufferSubmissionStartOffset, a->DmaBufferSubmissionEndOffset);
    host_mix2(c, a->DmaBufferPrivateDataSubmissionStartOffset,
              a->DmaBufferPrivateDataSubmissionEndOffset);
    host_mix2(c, host_tally_fence(a->NodeOrdinal, a->SubmissionFenceId), a->Flags.Value);
    host_mix2(c, a->EngineOrdinal, a->NodeOrdinal);
}

void host_in_submit_virtual(struct host_call *c, const DXGKARG_SUBMITCOMMANDVIRTUAL *a) {
    /* An address of the CPU is a pointer and is not hashed. */
    host_mix(c, host_iommu_in_use() ? 0 : a->DmaBufferVirtualAddress);
    host_mix2(c, a->DmaBufferSize, a->DmaBufferPrivateDataSize);
    host_mix2(c, host_tally_fence(a->NodeOrdinal, a->SubmissionFenceId), a->Flags.Value);
    host_mix2(c, a->EngineOrdinal, a->NodeOrdinal);
}

void host_in_render(struct host_call *c, const DXGKARG_RENDER *a) {
    c->buffer = a->pDmaBuffer;
    c->private_data = a->pDmaBufferPrivateData;
    host_mix2(c, a->CommandLength, a->DmaSize);
    host_mix2(c, a->AllocationListSize, a->PatchLocationListInSize);
    host_mix2(c, a->MultipassOffset, a->PatchLocationListOutSize);
}

void host_out_render(struct host_call *c, const DXGKARG_RENDER *a) {
    host_mix2(c, (uint32_t)((uintptr_t)a->pDmaBuffer - (uintptr_t)c->buffer), a->MultipassOffset);
    host_mix(c, (uintptr_t)a->pDmaBufferPrivateData - (uintptr_t)c->private_data);
}
