/*
 * driver.c - an example miniport: VRAM behind a BAR that the CPU sees, and nobody but the CPU to
 * move it.
 *
 * DxgkDdiBuildPagingBuffer may do an operation on the spot instead of writing commands for the GPU
 * (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md). This driver does that with all of them: it copies
 * between VRAM, aperture and system memory while "building", writes no commands, and completes
 * every submission at once. There is no engine that could still be at work on what is moved, so the
 * order of building is the order of execution.
 *
 * It needs a host without a hardware model: the second memory resource is taken for VRAM.
 */
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define POOL_TAG 0x4d525643u /* "CVRM" */

/* Segment ids, in the order in which the query reports the segments. */
enum { VRAM = 1, APERTURE = 2, SEGMENTS = 2 };

/* Where the GPU would see them; no two segments overlap. */
#define VRAM_BASE      0x100000000ull
#define APERTURE_BASE  0x200000000ull
#define APERTURE_PAGES 65536u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)

/* What an aperture's page table would hold. A page without an MDL is the dummy page. */
struct aperture_entry {
    PMDL mdl;
    SIZE_T page;
};

struct adapter {
    DXGKRNL_INTERFACE dxgk;
    PHYSICAL_ADDRESS bar;
    SIZE_T bar_bytes, vram_bytes; /* the segment may be smaller than the BAR */
    PUCHAR vram;
    struct aperture_entry *aperture;
    UINT fence; /* the last completed one */
};

/* Private data of an allocation, and the object behind its handle. */
struct surface {
    ULONGLONG bytes;
};

static PVOID allocate(SIZE_T bytes) {
    return ExAllocatePoolZero(NonPagedPoolNx, bytes, POOL_TAG);
}

static VOID release(PVOID block) {
    ExFreePoolWithTag(block, POOL_TAG);
}

/* ---- The device ------------------------------------------------------------------------------ */

static DXGKDDI_ADD_DEVICE add_device;
static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT physical_device, PVOID *context) {
    UNREFERENCED_PARAMETER(physical_device);
    *context = allocate(sizeof(struct adapter));
    return *context != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_REMOVE_DEVICE remove_device;
static NTSTATUS APIENTRY remove_device(const PVOID context) {
    release(context);
    return STATUS_SUCCESS;
}

/* The second memory resource of the device: the first one is for registers. */
static BOOLEAN find_bar(struct adapter *adapter, const CM_RESOURCE_LIST *resources) {
    UINT memory = 0;
    if (resources == NULL || resources->Count == 0)
        return FALSE;
    const CM_PARTIAL_RESOURCE_LIST *list = &resources->List[0].PartialResourceList;
    for (ULONG i = 0; i < list->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type != CmResourceTypeMemory || memory++ != 1)
            continue;
        RtlCopyMemory(&adapter->bar, &resource->u.Memory.Start, sizeof adapter->bar);
        adapter->bar_bytes = resource->u.Memory.Length;
        return TRUE;
    }
    return FALSE;
}

/* The registry value VramBytes makes the segment smaller than the BAR; others are ignored. */
static SIZE_T vram_size(SIZE_T bar_bytes) {
    static WCHAR path[] = u"vidmm", name[] = u"VramBytes";
    ULONG bytes = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {{0}};
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    table[0].Name = name;
    table[0].EntryContext = &bytes;
    table[0].DefaultType = (ULONG)REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    if (!NT_SUCCESS(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, path, table, NULL, NULL)))
        return bar_bytes;
    bytes -= bytes % PAGE_SIZE;
    return bytes != 0 && bytes < bar_bytes ? bytes : bar_bytes;
}

static DXGKDDI_START_DEVICE start_device;
static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO start,
                                      PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    struct adapter *adapter = context;
    DXGK_DEVICE_INFO info = {0};
    UNREFERENCED_PARAMETER(start);
    SIZE_T known = sizeof adapter->dxgk;
    RtlCopyMemory(&adapter->dxgk, dxgk, dxgk->Size < known ? dxgk->Size : known);
    NTSTATUS status = adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &info);
    if (!NT_SUCCESS(status))
        return status;
    if (!find_bar(adapter, info.TranslatedResourceList))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    adapter->vram_bytes = vram_size(adapter->bar_bytes);
    adapter->aperture = allocate(APERTURE_PAGES * sizeof *adapter->aperture);
    if (adapter->aperture == NULL)
        return STATUS_NO_MEMORY;
    adapter->vram = MmMapIoSpace(adapter->bar, adapter->bar_bytes, MmWriteCombined);
    if (adapter->vram == NULL) {
        release(adapter->aperture);
        return STATUS_NO_MEMORY;
    }
    /* A render-only adapter. */
    *sources = 0;
    *children = 0;
    return STATUS_SUCCESS;
}

static DXGKDDI_STOP_DEVICE stop_device;
static NTSTATUS APIENTRY stop_device(const PVOID context) {
    struct adapter *adapter = context;
    MmUnmapIoSpace(adapter->vram, adapter->bar_bytes);
    release(adapter->aperture);
    return STATUS_SUCCESS;
}

/* ---- What the adapter is --------------------------------------------------------------------- */

static NTSTATUS query_caps(const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DRIVERCAPS caps = {0};
    caps.HighestAcceptableAddress.QuadPart = MAXLONGLONG; /* the CPU reaches all of RAM */
    caps.ApertureSegmentCommitLimit = APERTURE_BYTES;
    caps.SchedulingCaps.MultiEngineAware = 1;
    caps.SchedulingCaps.PreemptionAware = 1;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    caps.MemoryManagementCaps.PagingNode = 0;
    caps.WDDMVersion = DXGKDDI_WDDMv1_3;
    caps.PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.PreemptionCaps.ComputePreemptionGranularity =
        D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.SupportNonVGA = TRUE;
    caps.SupportSmoothRotation = TRUE;
    /* The system's structure ends where this interface version does; ours may be longer. */
    RtlCopyMemory(args->pOutputData, &caps,
                  args->OutputDataSize < sizeof caps ? args->OutputDataSize : sizeof caps);
    return STATUS_SUCCESS;
}

/* initializing-use-of-memory-segments.md: the first call asks for the number, the second for all.
 */
static NTSTATUS query_segments(const struct adapter *adapter,
                               const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->OutputDataSize < sizeof *out)
        return STATUS_INVALID_PARAMETER;
    if (out->pSegmentDescriptor == NULL) {
        out->NbSegment = SEGMENTS;
        return STATUS_SUCCESS;
    }
    DXGK_SEGMENTDESCRIPTOR3 *vram = &out->pSegmentDescriptor[VRAM - 1];
    vram->Flags.CpuVisible = 1;
    vram->BaseAddress.QuadPart = VRAM_BASE;
    vram->CpuTranslatedAddress = adapter->bar;
    vram->Size = vram->CommitLimit = adapter->vram_bytes;
    DXGK_SEGMENTDESCRIPTOR3 *aperture = &out->pSegmentDescriptor[APERTURE - 1];
    aperture->Flags.Aperture = 1;
    aperture->Flags.CacheCoherent = 1;
    aperture->BaseAddress.QuadPart = APERTURE_BASE;
    aperture->Size = aperture->CommitLimit = APERTURE_BYTES;
    /* A paging buffer is never written: one page of system memory is plenty. */
    out->PagingBufferSegmentId = 0;
    out->PagingBufferSize = PAGE_SIZE;
    out->PagingBufferPrivateDataSize = 0;
    return STATUS_SUCCESS;
}

/* UMDRIVERPRIVATE is among the refused: no user-mode driver belongs to this one. */
static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE handle,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        return query_caps(args);
    case DXGKQAITYPE_QUERYSEGMENT3:
        return query_segments(handle, args);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

static DXGKDDI_GETNODEMETADATA get_node_metadata;
static NTSTATUS APIENTRY get_node_metadata(const HANDLE handle, UINT node,
                                           DXGKARG_GETNODEMETADATA *args) {
    UNREFERENCED_PARAMETER(handle);
    if (node != 0)
        return STATUS_INVALID_PARAMETER;
    args->EngineType = DXGK_ENGINE_TYPE_3D;
    return STATUS_SUCCESS;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

/* The surfaces that the system makes for itself, 32 bits a pixel. */
static DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA get_standard;
static NTSTATUS APIENTRY get_standard(const HANDLE handle,
                                      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    struct surface surface;
    UNREFERENCED_PARAMETER(handle);
    if (args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_GDISURFACE)
        return STATUS_INVALID_PARAMETER;
    D3DKMDT_GDISURFACEDATA *gdi = args->pCreateGdiSurfaceData;
    surface.bytes = (ULONGLONG)gdi->Width * 4 * gdi->Height;
    gdi->Pitch = gdi->Width * 4;
    if (args->pAllocationPrivateDriverData != NULL)
        RtlCopyMemory(args->pAllocationPrivateDriverData, &surface, sizeof surface);
    args->AllocationPrivateDriverDataSize = sizeof surface;
    args->ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
}

/* VRAM if there is room, else the aperture; the CPU may look at everything. */
static NTSTATUS create_one(DXGK_ALLOCATIONINFO *info) {
    if (info->pPrivateDriverData == NULL || info->PrivateDriverDataSize < sizeof(struct surface))
        return STATUS_INVALID_PARAMETER;
    struct surface *surface = allocate(sizeof *surface);
    if (surface == NULL)
        return STATUS_NO_MEMORY;
    RtlCopyMemory(surface, info->pPrivateDriverData, sizeof *surface);
    if (surface->bytes == 0) {
        release(surface);
        return STATUS_INVALID_PARAMETER;
    }
    info->hAllocation = surface;
    info->Size = (SIZE_T)surface->bytes;
    info->Alignment = 0;
    info->PitchAlignedSize = 0;
    info->HintedBank.Value = 0;
    info->PreferredSegment.Value = 0;
    info->PreferredSegment.SegmentId0 = VRAM;
    info->PreferredSegment.SegmentId1 = APERTURE;
    info->SupportedReadSegmentSet = 1u << (VRAM - 1) | 1u << (APERTURE - 1);
    info->SupportedWriteSegmentSet = info->SupportedReadSegmentSet;
    info->EvictionSegmentSet = 0;
    info->Flags.CpuVisible = 1;
    info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    return STATUS_SUCCESS;
}

static DXGKDDI_CREATEALLOCATION create_allocation;
static NTSTATUS APIENTRY create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    UNREFERENCED_PARAMETER(handle);
    for (UINT i = 0; i < args->NumAllocations; i++) {
        NTSTATUS status = create_one(&args->pAllocationInfo[i]);
        if (NT_SUCCESS(status))
            continue;
        while (i-- != 0)
            release(args->pAllocationInfo[i].hAllocation);
        return status;
    }
    return STATUS_SUCCESS;
}

static DXGKDDI_DESTROYALLOCATION destroy_allocation;
static NTSTATUS APIENTRY destroy_allocation(const HANDLE handle,
                                            const DXGKARG_DESTROYALLOCATION *args) {
    UNREFERENCED_PARAMETER(handle);
    for (UINT i = 0; i < args->NumAllocations; i++)
        release(args->pAllocationList[i]);
    return STATUS_SUCCESS;
}

/* A device sees an allocation as the adapter does: same handle. */
static DXGKDDI_OPENALLOCATIONINFO open_allocation;
static NTSTATUS APIENTRY open_allocation(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const struct adapter *adapter = device;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        DXGKARGCB_GETHANDLEDATA query = {0};
        query.hObject = args->pOpenAllocation[i].hAllocation;
        query.Type = DXGK_HANDLE_ALLOCATION;
        args->pOpenAllocation[i].hDeviceSpecificAllocation =
            adapter->dxgk.DxgkCbGetHandleData(&query);
    }
    return STATUS_SUCCESS;
}

static DXGKDDI_CLOSEALLOCATION close_allocation;
static NTSTATUS APIENTRY close_allocation(const HANDLE device,
                                          const DXGKARG_CLOSEALLOCATION *args) {
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

/* ---- Paging ---------------------------------------------------------------------------------- */

/*
 * The CPU's address of a byte of a segment, and in `run` how many follow it there. NULL: the bytes
 * are the dummy page's, and not worth moving.
 */
static PUCHAR in_segment(const struct adapter *adapter, UINT segment, ULONGLONG address,
                         SIZE_T *run) {
    if (segment == VRAM) {
        *run = (SIZE_T)(VRAM_BASE + adapter->vram_bytes - address);
        return adapter->vram + (address - VRAM_BASE);
    }
    const struct aperture_entry *entry = &adapter->aperture[(address - APERTURE_BASE) / PAGE_SIZE];
    *run = PAGE_SIZE - (SIZE_T)(address % PAGE_SIZE);
    if (entry->mdl == NULL)
        return NULL;
    /* Mapped since map(), so this cannot fail. */
    PUCHAR pages = MmGetSystemAddressForMdlSafe(entry->mdl, HighPagePriority);
    return pages + entry->page * PAGE_SIZE + address % PAGE_SIZE;
}

/* One end of a transfer. TransferOffset counts in a segment, MdlOffset in an MDL. */
struct end {
    UINT segment; /* 0: system memory */
    ULONGLONG address;
    PUCHAR pages;
};

static BOOLEAN find_end(const DXGKARG_BUILDPAGINGBUFFER *args, UINT segment, LARGE_INTEGER address,
                        PMDL mdl, struct end *end) {
    end->segment = segment;
    if (segment != 0) {
        end->address = (ULONGLONG)address.QuadPart + args->Transfer.TransferOffset;
        return TRUE;
    }
    end->pages = MmGetSystemAddressForMdlSafe(mdl, HighPagePriority);
    if (end->pages == NULL)
        return FALSE;
    end->pages += (SIZE_T)args->Transfer.MdlOffset * PAGE_SIZE;
    return TRUE;
}

static PUCHAR at_end(const struct adapter *adapter, const struct end *end, SIZE_T done,
                     SIZE_T *run) {
    if (end->segment != 0)
        return in_segment(adapter, end->segment, end->address + done, run);
    return end->pages + done;
}

static NTSTATUS transfer(const struct adapter *adapter, const DXGKARG_BUILDPAGINGBUFFER *args) {
    SIZE_T size = args->Transfer.TransferSize;
    struct end from = {0}, to = {0};
    /* Nothing to move means that the place is lost, say after a reset. */
    if (size == 0)
        return STATUS_SUCCESS;
    if (!find_end(args, args->Transfer.Source.SegmentId, args->Transfer.Source.SegmentAddress,
                  args->Transfer.Source.pMdl, &from) ||
        !find_end(args, args->Transfer.Destination.SegmentId,
                  args->Transfer.Destination.SegmentAddress, args->Transfer.Destination.pMdl, &to))
        return STATUS_NO_MEMORY;
    for (SIZE_T done = 0, step; done < size; done += step) {
        SIZE_T from_run = size - done, to_run = size - done;
        PUCHAR source = at_end(adapter, &from, done, &from_run);
        PUCHAR destination = at_end(adapter, &to, done, &to_run);
        step = from_run < to_run ? from_run : to_run;
        step = step < size - done ? step : size - done;
        if (source != NULL && destination != NULL)
            RtlMoveMemory(destination, source, step);
    }
    return STATUS_SUCCESS;
}

static VOID fill(const struct adapter *adapter, const DXGKARG_BUILDPAGINGBUFFER *args) {
    ULONGLONG address = (ULONGLONG)args->Fill.Destination.SegmentAddress.QuadPart;
    ULONG pattern = args->Fill.FillPattern;
    for (SIZE_T done = 0, run; done < args->Fill.FillSize; done += run) {
        PUCHAR at = in_segment(adapter, args->Fill.Destination.SegmentId, address + done, &run);
        run = run < args->Fill.FillSize - done ? run : args->Fill.FillSize - done;
        for (SIZE_T i = 0; at != NULL && i < run; i++)
            at[i] = (UCHAR)(pattern >> i % sizeof pattern * 8);
    }
}

/* The pages stay locked for as long as they are mapped, so the MDL may be remembered. */
static NTSTATUS map(const struct adapter *adapter, const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (MmGetSystemAddressForMdlSafe(args->MapApertureSegment.pMdl, HighPagePriority) == NULL)
        return STATUS_NO_MEMORY;
    for (SIZE_T i = 0; i < args->MapApertureSegment.NumberOfPages; i++)
        adapter->aperture[args->MapApertureSegment.OffsetInPages + i] = (struct aperture_entry){
            args->MapApertureSegment.pMdl, args->MapApertureSegment.MdlOffset + i};
    return STATUS_SUCCESS;
}

/* A GPU's page table would get DummyPage here, lest a stray access hits a page of someone else. */
static VOID unmap(const struct adapter *adapter, const DXGKARG_BUILDPAGINGBUFFER *args) {
    RtlZeroMemory(&adapter->aperture[args->UnmapApertureSegment.OffsetInPages],
                  args->UnmapApertureSegment.NumberOfPages * sizeof *adapter->aperture);
}

/*
 * pDmaBuffer stays where it is: nothing is left for a GPU to do. READ_PHYSICAL and WRITE_PHYSICAL
 * flush what a GPU has posted, DISCARD_CONTENT forgets what it knows: there is neither.
 * Pages that cannot be mapped leave no honest answer but a failure, which stops the adapter.
 */
static DXGKDDI_BUILDPAGINGBUFFER build_paging_buffer;
static NTSTATUS APIENTRY build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return transfer(handle, args);
    case DXGK_OPERATION_FILL:
        fill(handle, args);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return map(handle, args);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        unmap(handle, args);
        break;
    default:
        break;
    }
    return STATUS_SUCCESS;
}

/* ---- Devices, contexts, submission ----------------------------------------------------------- */

/* There is no state of a device or a context: their handles are the adapter's. */
static DXGKDDI_CREATEDEVICE create_device;
static NTSTATUS APIENTRY create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    args->hDevice = handle;
    return STATUS_SUCCESS;
}

static DXGKDDI_CREATECONTEXT create_context;
static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    args->hContext = device;
    args->ContextInfo.DmaBufferSize = PAGE_SIZE;
    args->ContextInfo.AllocationListSize = 8192;
    args->ContextInfo.PatchLocationListSize = 8192;
    return STATUS_SUCCESS;
}

/* For DestroyDevice and DestroyContext alike. */
static DXGKDDI_DESTROYDEVICE destroy_nothing;
static NTSTATUS APIENTRY destroy_nothing(const HANDLE object) {
    UNREFERENCED_PARAMETER(object);
    return STATUS_SUCCESS;
}

/* No command is known: a buffer without one keeps its allocations resident, and that is all. */
static DXGKDDI_RENDER render;
static NTSTATUS APIENTRY render(const HANDLE context, DXGKARG_RENDER *args) {
    UNREFERENCED_PARAMETER(context);
    return args->CommandLength == 0 ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
}

static DXGKDDI_PATCH patch;
static NTSTATUS APIENTRY patch(const HANDLE handle, const DXGKARG_PATCH *args) {
    UNREFERENCED_PARAMETER(handle);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

struct notice {
    struct adapter *adapter;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
};

/* At the device's IRQL, as an interrupt routine would be. */
static KSYNCHRONIZE_ROUTINE notify;
static BOOLEAN NTAPI notify(PVOID context) {
    struct notice *notice = context;
    const DXGKRNL_INTERFACE *dxgk = &notice->adapter->dxgk;
    if (notice->data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        notice->adapter->fence = notice->data.DmaCompleted.SubmissionFenceId;
    else
        notice->data.DmaPreempted.LastCompletedFenceId = notice->adapter->fence;
    dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &notice->data);
    return dxgk->DxgkCbQueueDpc(dxgk->DeviceHandle);
}

static NTSTATUS report(struct notice *notice) {
    const DXGKRNL_INTERFACE *dxgk = &notice->adapter->dxgk;
    BOOLEAN queued;
    return dxgk->DxgkCbSynchronizeExecution(dxgk->DeviceHandle, notify, notice, 0, &queued);
}

/* Everything was done when it was built. */
static DXGKDDI_SUBMITCOMMAND submit_command;
static NTSTATUS APIENTRY submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    struct notice notice = {.adapter = handle};
    notice.data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    notice.data.DmaCompleted.SubmissionFenceId = args->SubmissionFenceId;
    return report(&notice);
}

static DXGKDDI_PREEMPTCOMMAND preempt_command;
static NTSTATUS APIENTRY preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *args) {
    struct notice notice = {.adapter = handle};
    notice.data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    notice.data.DmaPreempted.PreemptionFenceId = args->PreemptionFenceId;
    return report(&notice);
}

static DXGKDDI_QUERYCURRENTFENCE query_current_fence;
static NTSTATUS APIENTRY query_current_fence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *args) {
    const struct adapter *adapter = handle;
    args->CurrentFence = adapter->fence;
    return STATUS_SUCCESS;
}

/* The hardware has no interrupt line, so whatever interrupted was not this device. */
static DXGKDDI_INTERRUPT_ROUTINE interrupt_routine;
static BOOLEAN APIENTRY interrupt_routine(const PVOID context, ULONG message) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(message);
    return FALSE;
}

static DXGKDDI_DPC_ROUTINE dpc_routine;
static VOID APIENTRY dpc_routine(const PVOID context) {
    const struct adapter *adapter = context;
    adapter->dxgk.DxgkCbNotifyDpc(adapter->dxgk.DeviceHandle);
}

/* ---- Entry ----------------------------------------------------------------------------------- */

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    DRIVER_INITIALIZATION_DATA table = {0};
    table.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiStopDevice = stop_device;
    table.DxgkDdiRemoveDevice = remove_device;
    table.DxgkDdiInterruptRoutine = interrupt_routine;
    table.DxgkDdiDpcRoutine = dpc_routine;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiGetNodeMetadata = get_node_metadata;
    table.DxgkDdiGetStandardAllocationDriverData = get_standard;
    table.DxgkDdiCreateAllocation = create_allocation;
    table.DxgkDdiDestroyAllocation = destroy_allocation;
    table.DxgkDdiOpenAllocation = open_allocation;
    table.DxgkDdiCloseAllocation = close_allocation;
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    table.DxgkDdiCreateDevice = create_device;
    table.DxgkDdiDestroyDevice = destroy_nothing;
    table.DxgkDdiCreateContext = create_context;
    table.DxgkDdiDestroyContext = destroy_nothing;
    table.DxgkDdiRender = render;
    table.DxgkDdiPatch = patch;
    table.DxgkDdiSubmitCommand = submit_command;
    table.DxgkDdiPreemptCommand = preempt_command;
    table.DxgkDdiQueryCurrentFence = query_current_fence;
    return DxgkInitialize(driver, registry_path, &table);
}
