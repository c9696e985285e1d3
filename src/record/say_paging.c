/*
 * say_paging.c - what DxgkDdiBuildPagingBuffer is asked for, an arm of its union an operation.
 */
#include "fields.h"

#include <vidmm/operations.h>

static const char *operation_name(uint32_t operation) {
    switch (operation) {
#define OPERATION_PLANNED(ddi, kind, json, effect, address, allocation, judge)                     \
    case DXGK_OPERATION_##ddi:                                                                     \
        return #ddi;
#define OPERATION_OTHER(ddi, effect, allocation, judge)                                            \
    case DXGK_OPERATION_##ddi:                                                                     \
        return #ddi;
        VIDMM_OPERATIONS(OPERATION_PLANNED, OPERATION_OTHER)
    default:
        return NULL;
    }
}

/* One side of a transfer: an MDL where the segment is 0. */
#define SIDE(name, side)                                                                           \
    do {                                                                                           \
        field_begin(f, name, false);                                                               \
        field_number(f, "SegmentId", (side)->SegmentId);                                           \
        if ((side)->SegmentId == 0)                                                                \
            field_mdl(f, "Mdl", (side)->pMdl);                                                     \
        else                                                                                       \
            field_hex(f, "SegmentAddress", (uint64_t)(side)->SegmentAddress.QuadPart);             \
        field_end(f);                                                                              \
    } while (0)

static void say_transfer(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->Transfer) *a = &args->Transfer;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(TransferOffset);
    NUMBER(TransferSize);
    SIDE("Source", &a->Source);
    SIDE("Destination", &a->Destination);
    FLAGS(Flags);
    NUMBER(MdlOffset);
}

static void say_special_lock(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->SpecialLockTransfer) *a = &args->SpecialLockTransfer;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(TransferOffset);
    NUMBER(TransferSize);
    SIDE("Source", &a->Source);
    SIDE("Destination", &a->Destination);
    FLAGS(Flags);
    NUMBER(SwizzlingRangeId);
    NUMBER(SwizzlingRangeData);
}

static void say_fill(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->Fill) *a = &args->Fill;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(FillSize);
    HEX(FillPattern);
    NUMBER(Destination.SegmentId);
    ADDRESS(Destination.SegmentAddress);
}

static void say_discard(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->DiscardContent) *a = &args->DiscardContent;
    HANDLE_OF(ALLOCATION, hAllocation);
    FLAGS(Flags);
    NUMBER(SegmentId);
    ADDRESS(SegmentAddress);
}

static void say_touch(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->ReadPhysical) *a = &args->ReadPhysical;
    NUMBER(SegmentId);
    ADDRESS(PhysicalAddress);
}

static void say_map(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->MapApertureSegment) *a = &args->MapApertureSegment;
    HANDLE_OF(DEVICE, hDevice);
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(SegmentId);
    NUMBER(OffsetInPages);
    NUMBER(NumberOfPages);
    field_mdl(f, "Mdl", a->pMdl);
    FLAGS(Flags);
    NUMBER(MdlOffset);
}

static void say_map2(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->MapApertureSegment2) *a = &args->MapApertureSegment2;
    HANDLE_OF(DEVICE, hDevice);
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(SegmentId);
    NUMBER(OffsetInPages);
    NUMBER(NumberOfPages);
    NUMBER(Adl.PageCount);
    HEX(Adl.Flags.Value);
    FLAGS(Flags);
    NUMBER(AdlOffset);
}

static void say_unmap(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const __typeof__(args->UnmapApertureSegment) *a = &args->UnmapApertureSegment;
    HANDLE_OF(DEVICE, hDevice);
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(SegmentId);
    NUMBER(OffsetInPages);
    NUMBER(NumberOfPages);
    ADDRESS(DummyPage);
}

static void say_virtual_transfer(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *a = &args->TransferVirtual;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(AllocationOffsetInBytes);
    NUMBER(TransferSizeInBytes);
    HEX(SourceVirtualAddress);
    HEX(DestinationVirtualAddress);
    NUMBER(TransferDirection);
    field_hex(f, "Flags", a->Flags.Flags);
}

static void say_virtual_fill(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *a = &args->FillVirtual;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(AllocationOffsetInBytes);
    NUMBER(FillSizeInBytes);
    HEX(FillPattern);
    HEX(DestinationVirtualAddress);
}

/* The first entry tells what all of them are when they repeat. */
static void say_table(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *a = &args->UpdatePageTable;
    NUMBER(PageTableLevel);
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(UpdateMode);
    if (a->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
        NUMBER(PageTableAddress.GpuPhysical.SegmentId);
        HEX(PageTableAddress.GpuPhysical.SegmentOffset);
    } else if (a->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
        HEX(PageTableAddress.GpuVirtual);
    }
    NUMBER(StartIndex);
    NUMBER(NumPageTableEntries);
    NUMBER(Flags.Repeat);
    NUMBER(AllocationOffsetInBytes);
    HANDLE_OF(PROCESS, hProcess);
    HEX(FirstPteVirtualAddress);
}

static void say_flush(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *a = &args->FlushTlb;
    NUMBER(RootPageTableAddress.SegmentId);
    HEX(RootPageTableAddress.SegmentOffset);
    HANDLE_OF(PROCESS, hProcess);
    HEX(StartVirtualAddress);
    HEX(EndVirtualAddress);
}

static void say_entries(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    uint32_t count = args->CopyPageTableEntries.NumRanges;
    uint32_t told = field_list(f, "Ranges", count);
    for (uint32_t i = 0; i < told; i++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *a = &args->CopyPageTableEntries.pRanges[i];
        field_begin(f, NULL, false);
        NUMBER(NumPageTableEntries);
        HEX(SrcPageTableAddress);
        HEX(DstPageTableAddress);
        NUMBER(SrcStartPteIndex);
        NUMBER(DstStartPteIndex);
        field_end(f);
    }
    field_list_end(f, count);
}

static void say_context_update(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *a = &args->UpdateContextAllocation;
    HEX(ContextAllocation);
    NUMBER(ContextAllocationSize);
    NUMBER(DriverPrivateDataSize);
}

static void say_residency(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY *a = &args->NotifyResidency;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(PhysicalAddress.SegmentId);
    HEX(PhysicalAddress.SegmentOffset);
    NUMBER(Resident);
}

static void say_signal(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE *a = &args->SignalMonitoredFence;
    HEX(MonitoredFenceGpuVa);
    NUMBER(MonitoredFenceValue);
}

/* Of the other operations their name is all that is told. */
static void (*const arms[])(const struct fields *f, const DXGKARG_BUILDPAGINGBUFFER *args) = {
    [DXGK_OPERATION_TRANSFER] = say_transfer,
    [DXGK_OPERATION_FILL] = say_fill,
    [DXGK_OPERATION_DISCARD_CONTENT] = say_discard,
    [DXGK_OPERATION_READ_PHYSICAL] = say_touch,
    [DXGK_OPERATION_WRITE_PHYSICAL] = say_touch,
    [DXGK_OPERATION_MAP_APERTURE_SEGMENT] = say_map,
    [DXGK_OPERATION_UNMAP_APERTURE_SEGMENT] = say_unmap,
    [DXGK_OPERATION_SPECIAL_LOCK_TRANSFER] = say_special_lock,
    [DXGK_OPERATION_VIRTUAL_TRANSFER] = say_virtual_transfer,
    [DXGK_OPERATION_VIRTUAL_FILL] = say_virtual_fill,
    [DXGK_OPERATION_UPDATE_PAGE_TABLE] = say_table,
    [DXGK_OPERATION_FLUSH_TLB] = say_flush,
    [DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION] = say_context_update,
    [DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES] = say_entries,
    [DXGK_OPERATION_NOTIFY_RESIDENCY] = say_residency,
    [DXGK_OPERATION_SIGNAL_MONITORED_FENCE] = say_signal,
    [DXGK_OPERATION_MAP_APERTURE_SEGMENT2] = say_map2,
};

void say_paging(const struct fields *f, const void *args) {
    const DXGKARG_BUILDPAGINGBUFFER *a = args;
    uint32_t operation = (uint32_t)a->Operation;
    const char *name = operation_name(operation);
    if (name)
        field_text(f, "Operation", name);
    else
        NUMBER(Operation);
    NUMBER(DmaSize);
    NUMBER(DmaBufferPrivateDataSize);
    NUMBER(MultipassOffset);
    if (operation >= sizeof(arms) / sizeof(arms[0]) || !arms[operation])
        return;
    field_begin(f, "arguments", false);
    arms[operation](f, a);
    field_end(f);
}

void say_keep_paging(struct vidmm_host_call *call) {
    const DXGKARG_BUILDPAGINGBUFFER *a = call->args;
    call->kept[0] = (uintptr_t)a->pDmaBuffer;
    call->kept[1] = (uintptr_t)a->pDmaBufferPrivateData;
}

/* How far the driver got; the buffers are as far as they were before the call. */
void say_paging_answer(const struct fields *f, const void *args) {
    const DXGKARG_BUILDPAGINGBUFFER *a = args;
    field_number(f, "DmaBufferBytes", (uintptr_t)a->pDmaBuffer - f->call->kept[0]);
    field_number(f, "DmaBufferPrivateDataBytes",
                 (uintptr_t)a->pDmaBufferPrivateData - f->call->kept[1]);
    NUMBER(MultipassOffset);
}
