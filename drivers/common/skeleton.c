/* skeleton.c - a render-only adapter without paging; see skeleton.h. */
#include "skeleton.h"

#define POOL_TAG 0x6c6b7356u /* "Vskl" */

/* Bytes of an allocation, whose number user mode chooses: what is computed with it does not overflow. */
#define BYTES_MOST ((ULONGLONG)1 << 40)

/* Behind the handle of a device, and of a context. The handles have to differ, so these exist. */
struct object {
    struct skeleton *adapter;
};

/* Private data of an allocation, and the object behind its handle. */
struct surface {
    ULONGLONG bytes;
};

/* Behind the handle that a device has for an allocation. */
struct binding {
    const struct surface *surface;
};

PVOID skeleton_allocate(SIZE_T bytes) {
    return ExAllocatePoolZero(NonPagedPoolNx, bytes, POOL_TAG);
}

VOID skeleton_release(PVOID block) {
    ExFreePoolWithTag(block, POOL_TAG);
}

/* ---- The device ------------------------------------------------------------------------------ */

static DXGKDDI_ADD_DEVICE add_device;
static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT physical_device, PVOID *context) {
    UNREFERENCED_PARAMETER(physical_device);
    *context = skeleton_allocate(skeleton_driver.adapter_bytes);
    return *context ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_REMOVE_DEVICE remove_device;
static NTSTATUS APIENTRY remove_device(const PVOID context) {
    skeleton_release(context);
    return STATUS_SUCCESS;
}

BOOLEAN skeleton_resource(const DXGK_DEVICE_INFO *info, UINT n, PHYSICAL_ADDRESS *start,
                          SIZE_T *bytes) {
    const CM_RESOURCE_LIST *resources = info->TranslatedResourceList;
    if (!resources || resources->Count == 0)
        return FALSE;
    const CM_PARTIAL_RESOURCE_LIST *list = &resources->List[0].PartialResourceList;
    for (ULONG i = 0; i < list->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type != CmResourceTypeMemory || n-- != 0)
            continue;
        RtlCopyMemory(start, &resource->u.Memory.Start, sizeof(*start));
        *bytes = resource->u.Memory.Length;
        return TRUE;
    }
    return FALSE;
}

ULONG skeleton_setting(PWSTR value_name) {
    static WCHAR path[] = u"vidmm";
    ULONG value = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {{0}};
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    table[0].Name = value_name;
    table[0].EntryContext = &value;
    table[0].DefaultType = (ULONG)REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    (void)RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, path, table, NULL, NULL);
    return value;
}

SIZE_T skeleton_size(PWSTR value_name, SIZE_T most) {
    ULONG bytes = skeleton_setting(value_name);
    bytes -= bytes % PAGE_SIZE;
    return bytes != 0 && bytes < most ? bytes : most;
}

/* Size says how much of the interface this system has. No sources: a render-only adapter. */
static DXGKDDI_START_DEVICE start_device;
static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO start,
                                      PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    struct skeleton *adapter = context;
    DXGK_DEVICE_INFO info = {0};
    UNREFERENCED_PARAMETER(start);
    SIZE_T known = sizeof(adapter->dxgk);
    RtlCopyMemory(&adapter->dxgk, dxgk, dxgk->Size < known ? dxgk->Size : known);
    *sources = 0;
    *children = 0;
    NTSTATUS status = adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &info);
    return NT_SUCCESS(status) ? skeleton_driver.start(adapter, &info) : status;
}

static DXGKDDI_STOP_DEVICE stop_device;
static NTSTATUS APIENTRY stop_device(const PVOID context) {
    skeleton_driver.stop(context);
    return STATUS_SUCCESS;
}

/* ---- What the adapter is --------------------------------------------------------------------- */

NTSTATUS skeleton_answer(const DXGKARG_QUERYADAPTERINFO *args, const void *data, SIZE_T bytes) {
    RtlCopyMemory(args->pOutputData, data,
                  args->OutputDataSize < bytes ? args->OutputDataSize : bytes);
    return STATUS_SUCCESS;
}

static NTSTATUS query_caps(const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DRIVERCAPS caps = {0};
    caps.HighestAcceptableAddress.QuadPart = MAXLONGLONG; /* the device reaches all of RAM */
    caps.ApertureSegmentCommitLimit = skeleton_driver.aperture_bytes;
    caps.SchedulingCaps.MultiEngineAware = 1;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    caps.MemoryManagementCaps.PagingNode = 0;
    caps.MemoryManagementCaps.VirtualAddressingSupported = skeleton_driver.gpu_mmu;
    caps.MemoryManagementCaps.GpuMmuSupported = skeleton_driver.gpu_mmu;
    caps.WDDMVersion = skeleton_driver.wddm;
    if (skeleton_driver.version >= DXGKDDI_INTERFACE_VERSION_WIN8) {
        caps.SchedulingCaps.PreemptionAware = 1;
        caps.PreemptionCaps.GraphicsPreemptionGranularity =
            D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
        caps.PreemptionCaps.ComputePreemptionGranularity =
            D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
        caps.SupportNonVGA = TRUE;
        caps.SupportSmoothRotation = TRUE;
    }
    return skeleton_answer(args, &caps, sizeof(caps));
}

DXGK_SEGMENTDESCRIPTOR3 skeleton_vram3(ULONGLONG base, PHYSICAL_ADDRESS bar, SIZE_T bytes) {
    const DXGK_SEGMENTDESCRIPTOR3 segment = {
        .Flags.CpuVisible = 1,
        .Flags.PreservedDuringStandby = 1,
        .BaseAddress.QuadPart = (LONGLONG)base,
        .CpuTranslatedAddress = bar,
        .Size = bytes,
        .CommitLimit = bytes,
    };
    return segment;
}

DXGK_SEGMENTDESCRIPTOR3 skeleton_aperture3(ULONGLONG base, SIZE_T bytes) {
    const DXGK_SEGMENTDESCRIPTOR3 segment = {
        .Flags.Aperture = 1,
        .Flags.CacheCoherent = 1,
        .BaseAddress.QuadPart = (LONGLONG)base,
        .Size = bytes,
        .CommitLimit = bytes,
    };
    return segment;
}

NTSTATUS skeleton_segments3(const DXGKARG_QUERYADAPTERINFO *args,
                            const DXGK_SEGMENTDESCRIPTOR3 *segments, UINT count,
                            UINT paging_buffer_bytes) {
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT3 || args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    if (!out->pSegmentDescriptor) {
        out->NbSegment = count;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != count)
        return STATUS_INVALID_PARAMETER;
    RtlCopyMemory(out->pSegmentDescriptor, segments, count * sizeof(*segments));
    out->PagingBufferSegmentId = 0;
    out->PagingBufferSize = paging_buffer_bytes;
    out->PagingBufferPrivateDataSize = 0;
    return STATUS_SUCCESS;
}

/* UMDRIVERPRIVATE is among the refused: no user-mode driver belongs to these. */
static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE handle,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    if (!args->pOutputData)
        return STATUS_INVALID_PARAMETER;
    switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        return query_caps(args);
    case DXGKQAITYPE_QUERYSEGMENT:
    case DXGKQAITYPE_QUERYSEGMENT3:
    case DXGKQAITYPE_QUERYSEGMENT4:
        return skeleton_driver.segments(handle, args);
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

/* The system's description of a standard surface; FALSE: not supported. */
static BOOLEAN standard_size(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args, UINT *width,
                             UINT *height, UINT **pitch) {
    switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        *width = args->pCreateShadowSurfaceData->Width;
        *height = args->pCreateShadowSurfaceData->Height;
        *pitch = &args->pCreateShadowSurfaceData->Pitch;
        return TRUE;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        *width = args->pCreateStagingSurfaceData->Width;
        *height = args->pCreateStagingSurfaceData->Height;
        *pitch = &args->pCreateStagingSurfaceData->Pitch;
        return TRUE;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        *width = args->pCreateGdiSurfaceData->Width;
        *height = args->pCreateGdiSurfaceData->Height;
        *pitch = &args->pCreateGdiSurfaceData->Pitch;
        return TRUE;
    default:
        return FALSE; /* primaries: a render-only adapter shows nothing */
    }
}

/* 32 bits a pixel. Called once for the size of the private data, and once more with the memory. */
static DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA get_standard;
static NTSTATUS APIENTRY get_standard(const HANDLE handle,
                                      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    UINT width, height, *pitch;
    UNREFERENCED_PARAMETER(handle);
    if (!standard_size(args, &width, &height, &pitch) || width > MAXULONG / 4)
        return STATUS_INVALID_PARAMETER;
    const struct surface surface = {.bytes = (ULONGLONG)width * 4 * height};
    *pitch = width * 4;
    if (args->pAllocationPrivateDriverData)
        RtlCopyMemory(args->pAllocationPrivateDriverData, &surface, sizeof(surface));
    args->AllocationPrivateDriverDataSize = sizeof(surface);
    args->ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
}

/* Bit id-1 for each of the segments where an allocation may be. */
static UINT segment_set(VOID) {
    UINT set = 1u << (skeleton_driver.preferred - 1);
    if (skeleton_driver.alternate != 0)
        set |= 1u << (skeleton_driver.alternate - 1);
    return set;
}

/* The preferred segment if there is room, else the alternate; all allocations are CPU-visible. */
static NTSTATUS create_one(struct skeleton *adapter, DXGK_ALLOCATIONINFO *info) {
    if (!info->pPrivateDriverData || info->PrivateDriverDataSize < sizeof(struct surface))
        return STATUS_INVALID_PARAMETER;
    struct surface *surface = skeleton_allocate(sizeof(*surface));
    if (!surface)
        return STATUS_NO_MEMORY;
    RtlCopyMemory(surface, info->pPrivateDriverData, sizeof(*surface));
    if (surface->bytes == 0 || surface->bytes > BYTES_MOST) {
        skeleton_release(surface);
        return STATUS_INVALID_PARAMETER;
    }
    info->hAllocation = surface;
    info->Size = (SIZE_T)surface->bytes;
    info->Alignment = 0;
    info->PitchAlignedSize = 0;
    info->HintedBank.Value = 0;
    info->PreferredSegment.Value = 0;
    info->PreferredSegment.SegmentId0 = skeleton_driver.preferred;
    info->PreferredSegment.SegmentId1 = skeleton_driver.alternate;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = segment_set();
    info->EvictionSegmentSet = 0;
    info->Flags.CpuVisible = 1;
    info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    if (skeleton_driver.hint)
        skeleton_driver.hint(adapter, info);
    return STATUS_SUCCESS;
}

static DXGKDDI_CREATEALLOCATION create_allocation;
static NTSTATUS APIENTRY create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        NTSTATUS status = create_one(handle, &args->pAllocationInfo[i]);
        if (NT_SUCCESS(status))
            continue;
        while (i-- != 0)
            skeleton_release(args->pAllocationInfo[i].hAllocation);
        return status;
    }
    return STATUS_SUCCESS;
}

static DXGKDDI_DESTROYALLOCATION destroy_allocation;
static NTSTATUS APIENTRY destroy_allocation(const HANDLE handle,
                                            const DXGKARG_DESTROYALLOCATION *args) {
    UNREFERENCED_PARAMETER(handle);
    for (UINT i = 0; i < args->NumAllocations; i++)
        skeleton_release(args->pAllocationList[i]);
    return STATUS_SUCCESS;
}

/* What a device has opened: a handle of its own for each, that leads to the allocation. */
static DXGKDDI_OPENALLOCATIONINFO open_allocation;
static NTSTATUS APIENTRY open_allocation(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const struct skeleton *adapter = ((const struct object *)device)->adapter;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        DXGKARGCB_GETHANDLEDATA query = {0};
        query.hObject = args->pOpenAllocation[i].hAllocation;
        query.Type = DXGK_HANDLE_ALLOCATION;
        struct binding *binding = skeleton_allocate(sizeof(*binding));
        if (!binding) {
            while (i-- != 0)
                skeleton_release(args->pOpenAllocation[i].hDeviceSpecificAllocation);
            return STATUS_NO_MEMORY;
        }
        binding->surface = adapter->dxgk.DxgkCbGetHandleData(&query);
        args->pOpenAllocation[i].hDeviceSpecificAllocation = binding;
    }
    return STATUS_SUCCESS;
}

static DXGKDDI_CLOSEALLOCATION close_allocation;
static NTSTATUS APIENTRY close_allocation(const HANDLE device,
                                          const DXGKARG_CLOSEALLOCATION *args) {
    UNREFERENCED_PARAMETER(device);
    for (UINT i = 0; i < args->NumAllocations; i++)
        skeleton_release(args->pOpenHandleList[i]);
    return STATUS_SUCCESS;
}

/* ---- Devices and contexts -------------------------------------------------------------------- */

static struct object *new_object(struct skeleton *adapter) {
    struct object *object = skeleton_allocate(sizeof(*object));
    if (object)
        object->adapter = adapter;
    return object;
}

static DXGKDDI_CREATEDEVICE create_device;
static NTSTATUS APIENTRY create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    args->hDevice = new_object(handle);
    return args->hDevice ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_CREATECONTEXT create_context;
static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    args->hContext = new_object(((const struct object *)device)->adapter);
    if (!args->hContext)
        return STATUS_NO_MEMORY;
    args->ContextInfo.DmaBufferSize = PAGE_SIZE;
    /* A context for GDI has lists of a fixed size (ns-d3dkmddi-_dxgk_contextinfo.md). */
    args->ContextInfo.AllocationListSize = args->Flags.GdiContext ? 256 : 8192;
    args->ContextInfo.PatchLocationListSize = args->ContextInfo.AllocationListSize;
    return STATUS_SUCCESS;
}

/* For DestroyDevice and DestroyContext alike. */
static DXGKDDI_DESTROYDEVICE destroy_object;
static NTSTATUS APIENTRY destroy_object(const HANDLE object) {
    skeleton_release(object);
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

VOID skeleton_table(DRIVER_INITIALIZATION_DATA *table) {
    table->Version = skeleton_driver.version;
    table->DxgkDdiAddDevice = add_device;
    table->DxgkDdiStartDevice = start_device;
    table->DxgkDdiStopDevice = stop_device;
    table->DxgkDdiRemoveDevice = remove_device;
    table->DxgkDdiQueryAdapterInfo = query_adapter_info;
    table->DxgkDdiGetNodeMetadata = get_node_metadata;
    table->DxgkDdiGetStandardAllocationDriverData = get_standard;
    table->DxgkDdiCreateAllocation = create_allocation;
    table->DxgkDdiDestroyAllocation = destroy_allocation;
    table->DxgkDdiOpenAllocation = open_allocation;
    table->DxgkDdiCloseAllocation = close_allocation;
    table->DxgkDdiCreateDevice = create_device;
    table->DxgkDdiDestroyDevice = destroy_object;
    table->DxgkDdiCreateContext = create_context;
    table->DxgkDdiDestroyContext = destroy_object;
    table->DxgkDdiRender = render;
    table->DxgkDdiPatch = patch;
}
