/*
 * manager_driver.c - the driver for manager.c: one memory segment of 1 MiB, and a GPU that is memcpy. A program that
 * embeds the manager has its own miniport here, with what DriverEntry gives to DxgkInitialize.
 */
#include <string.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

enum { PAGE = 4096, SEGMENT_BYTES = 1 << 20 };

static DXGKRNL_INTERFACE callbacks;
static _Alignas(4096) uint8_t memory[SEGMENT_BYTES];

static NTSTATUS APIENTRY query(HANDLE handle, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DRIVERCAPS caps = {0};
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        caps.HighestAcceptableAddress.QuadPart = INT64_MAX;
        caps.SchedulingCaps.MultiEngineAware = 1;
        caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
        memcpy(args->pOutputData, &caps, args->OutputDataSize < sizeof(caps) ? args->OutputDataSize : sizeof(caps));
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT3:
        out->NbSegment = 1;
        if (!out->pSegmentDescriptor) /* the first call asks for the number alone */
            return STATUS_SUCCESS;
        out->pSegmentDescriptor[0] =
            (DXGK_SEGMENTDESCRIPTOR3){.Flags.CpuVisible = 1,
                                      .CpuTranslatedAddress.QuadPart = (LONGLONG)(uintptr_t)memory,
                                      .Size = SEGMENT_BYTES,
                                      .CommitLimit = SEGMENT_BYTES};
        out->PagingBufferSegmentId = 0; /* in system memory */
        out->PagingBufferSize = PAGE;
        out->PagingBufferPrivateDataSize = 0;
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* Devices, contexts and opened allocations have no state; their handles only must not be NULL. */
static NTSTATUS APIENTRY create_device(HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    args->hDevice = handle;
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY create_context(HANDLE device, DXGKARG_CREATECONTEXT *args) {
    args->hContext = device;
    args->ContextInfo =
        (DXGK_CONTEXTINFO){.DmaBufferSize = PAGE, .AllocationListSize = 16, .PatchLocationListSize = 16};
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY destroy_object(HANDLE object) { return STATUS_SUCCESS; }
static NTSTATUS APIENTRY create_allocation(HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[i];
        info->Size = *(const uint32_t *)info->pPrivateDriverData; /* as manager.c writes it */
        info->PreferredSegment.SegmentId0 = 1;
        info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = 1u << 0;
        info->Flags.CpuVisible = 1;
        info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
        info->hAllocation = handle;
    }
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY destroy_allocation(HANDLE handle, const DXGKARG_DESTROYALLOCATION *args) {
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY open_allocation(HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++)
        args->pOpenAllocation[i].hDeviceSpecificAllocation = device;
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY close_allocation(HANDLE device, const DXGKARG_CLOSEALLOCATION *args) { return STATUS_SUCCESS; }

/* One end of a transfer. The pages of an MDL follow each other in the operating system of manager.c. */
static uint8_t *end_of(const DXGKARG_BUILDPAGINGBUFFER *args, UINT segment, LARGE_INTEGER address, const MDL *mdl) {
    return segment ? memory + address.QuadPart + args->Transfer.TransferOffset
                   : (uint8_t *)mdl->MappedSystemVa + (uint64_t)args->Transfer.MdlOffset * PAGE;
}

/* The GPU's work is done while its commands are built, as in drivers/cpu-vram. */
static NTSTATUS APIENTRY build_paging_buffer(HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.TransferSize != 0)
        memcpy(end_of(args, args->Transfer.Destination.SegmentId, args->Transfer.Destination.SegmentAddress,
                      args->Transfer.Destination.pMdl),
               end_of(args, args->Transfer.Source.SegmentId, args->Transfer.Source.SegmentAddress,
                      args->Transfer.Source.pMdl),
               args->Transfer.TransferSize);
    for (SIZE_T i = 0; args->Operation == DXGK_OPERATION_FILL && i < args->Fill.FillSize; i += sizeof(UINT))
        memcpy(memory + args->Fill.Destination.SegmentAddress.QuadPart + i, &args->Fill.FillPattern, sizeof(UINT));
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY render(HANDLE context, DXGKARG_RENDER *args) { return STATUS_SUCCESS; }
static NTSTATUS APIENTRY patch(HANDLE handle, const DXGKARG_PATCH *args) { return STATUS_SUCCESS; }
static NTSTATUS APIENTRY submit(HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA done = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED,
                                                  .DmaCompleted.NodeOrdinal = args->NodeOrdinal,
                                                  .DmaCompleted.SubmissionFenceId = args->SubmissionFenceId};
    callbacks.DxgkCbNotifyInterrupt(callbacks.DeviceHandle, &done);
    return STATUS_SUCCESS;
}

const DRIVER_INITIALIZATION_DATA *driver_load(const DXGKRNL_INTERFACE *system, HANDLE *handle);
const DRIVER_INITIALIZATION_DATA *driver_load(const DXGKRNL_INTERFACE *system, HANDLE *handle) {
    static const DRIVER_INITIALIZATION_DATA table = {.Version = DXGKDDI_INTERFACE_VERSION_WIN8,
                                                     .DxgkDdiQueryAdapterInfo = query,
                                                     .DxgkDdiCreateDevice = create_device,
                                                     .DxgkDdiDestroyDevice = destroy_object,
                                                     .DxgkDdiCreateContext = create_context,
                                                     .DxgkDdiDestroyContext = destroy_object,
                                                     .DxgkDdiCreateAllocation = create_allocation,
                                                     .DxgkDdiDestroyAllocation = destroy_allocation,
                                                     .DxgkDdiOpenAllocation = open_allocation,
                                                     .DxgkDdiCloseAllocation = close_allocation,
                                                     .DxgkDdiBuildPagingBuffer = build_paging_buffer,
                                                     .DxgkDdiRender = render,
                                                     .DxgkDdiPatch = patch,
                                                     .DxgkDdiSubmitCommand = submit};
    callbacks = *system;
    *handle = memory;
    return &table;
}
