/*
 * allocation.c - allocations: which segments they may live in, and their handles
 * (nc-d3dkmddi-dxgkddi_createallocation.md, ns-d3dkmddi-_dxgk_allocationinfo.md).
 *
 * Placement: GPU memory first for what asks for it, invisible before visible so that visible VRAM
 * is left to those that the CPU maps; the linear aperture last, or alone.
 */
#include "driver/kmd.h"

struct kmd_allocation *kmd_allocation_of(HANDLE handle) {
    struct kmd_allocation *allocation = handle;
    return allocation && allocation->magic == KMD_MAGIC_ALLOCATION ? allocation : NULL;
}

struct kmd_allocation *kmd_open_of(HANDLE handle) {
    const struct kmd_open *open = handle;
    return open && open->magic == KMD_MAGIC_OPEN ? open->allocation : NULL;
}

void kmd_moved(HANDLE handle, UINT segment, ULONGLONG address) {
    struct kmd_allocation *allocation = kmd_allocation_of(handle);
    if (!allocation)
        return;
    allocation->segment = segment;
    allocation->address = segment != 0 ? address : 0;
}

/* ---- Placement ------------------------------------------------------------------------------- */

/* Kinds in order of preference; the eviction aperture only for an allocation that names it. */
static const enum kmd_segment_kind preference[] = {
    KMD_SEGMENT_INVISIBLE, KMD_SEGMENT_VISIBLE,  KMD_SEGMENT_APERTURE,
    KMD_SEGMENT_AGP,       KMD_SEGMENT_EVICTION,
};

static bool kind_allowed(const struct kmd_adapter *adapter, const struct vidmm_umd_allocation *umd,
                         enum kmd_segment_kind kind) {
    bool local = (umd->flags & (VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY)) != 0 ||
                 (kmd_segment_set(adapter, KMD_SEGMENT_APERTURE) |
                  kmd_segment_set(adapter, KMD_SEGMENT_AGP)) == 0;
    /* Behind an IOMMU system memory is what the GPU has, and the CPU where it reaches no VRAM. */
    bool hidden = (umd->flags & VIDMM_UMD_CPU_VISIBLE) && adapter->visible_bytes == 0;
    bool nowhere_else = (umd->flags & VIDMM_UMD_LOCAL_ONLY) != 0 && !adapter->iommu && !hidden;
    switch (kind) {
    case KMD_SEGMENT_INVISIBLE: /* the CPU may find no room in its aperture: then it is elsewhere */
        return local && (!(umd->flags & VIDMM_UMD_CPU_VISIBLE) ||
                         (adapter->host_bytes != 0 && !nowhere_else));
    case KMD_SEGMENT_VISIBLE:
        return local;
    case KMD_SEGMENT_EVICTION:
        return !nowhere_else && umd->segments != 0;
    default:
        return !nowhere_else;
    }
}

static void allocation_prefer(DXGK_SEGMENTPREFERENCE *preferred, UINT place, UINT id) {
    preferred->Value |= id << (6u * place);
}

/* The supported set, and its members in order as far as the five preferences go. */
static UINT allocation_place(const struct kmd_adapter *adapter,
                             const struct vidmm_umd_allocation *umd,
                             DXGK_SEGMENTPREFERENCE *preferred) {
    UINT set = 0, count = 0, vpr = kmd_vpr_segment(adapter);
    for (UINT i = 0; i < RTL_NUMBER_OF(preference); i++) {
        /* What the CPU maps is better off where it needs no window. */
        enum kmd_segment_kind next =
            preference[i < 2 && (umd->flags & VIDMM_UMD_CPU_VISIBLE) ? 1 - i : i];
        UINT kind = kind_allowed(adapter, umd, next) ? kmd_segment_set(adapter, next) : 0;
        if (umd->segments != 0)
            kind &= umd->segments;
        if ((umd->flags & VIDMM_UMD_IN_VPR) && vpr != 0)
            kind &= 1u << (vpr - 1);
        for (UINT id = 1; id <= adapter->segments; id++)
            if ((kind >> (id - 1) & 1u) != 0 && count < 5)
                allocation_prefer(preferred, count++, id);
        set |= kind;
    }
    return set;
}

/* The last fifth of an aperture may be an overlay's (ns-d3dkmddi-_dxgk_allocationinfoflags.md). */
static UINT eviction_set(const struct kmd_adapter *adapter,
                         const struct vidmm_umd_allocation *umd) {
    if (!(umd->flags & VIDMM_UMD_EVICT_TO_APERTURE))
        return 0;
    UINT set = kmd_segment_set(adapter, KMD_SEGMENT_APERTURE) |
               kmd_segment_set(adapter, KMD_SEGMENT_EVICTION) |
               kmd_segment_set(adapter, KMD_SEGMENT_AGP);
    for (UINT id = 1; id <= KMD_SEGMENTS_MAX; id++)
        if ((set >> (id - 1) & 1u) != 0 && umd->size > kmd_segment(adapter, id)->size / 5 * 4)
            set &= ~(1u << (id - 1));
    return set;
}

/* ---- Flags ----------------------------------------------------------------------------------- */

/* Combinations that ns-d3dkmddi-_dxgk_allocationinfoflags.md rules out, or that mean nothing. */
static bool allocation_sensible(const struct vidmm_umd_allocation *umd) {
    bool visible = (umd->flags & VIDMM_UMD_CPU_VISIBLE) != 0;
    bool primary = (umd->flags & VIDMM_UMD_PRIMARY) != 0;
    if (umd->size == 0 || umd->size > GPU_MEMORY_LIMIT ||
        (umd->alignment & (umd->alignment - 1)) != 0)
        return false;
    if ((umd->flags & (VIDMM_UMD_CACHED | VIDMM_UMD_PERMANENT_SYSMEM)) && (!visible || primary))
        return false;
    if ((umd->flags & VIDMM_UMD_ALTERNATE_VA) && !primary)
        return false;
    if ((umd->flags & VIDMM_UMD_IN_VPR) && !(umd->flags & (VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY)))
        return false;
    if ((umd->flags & VIDMM_UMD_RESIDENCY_NOTIFIED) &&
        !(umd->flags & VIDMM_UMD_ACCESSED_PHYSICALLY))
        return false;
    if (umd->flags & VIDMM_UMD_SWIZZLED)
        return umd->pitch != 0 && umd->pitch % GPU_TILE_WIDTH == 0 && umd->pitch <= GPU_PITCH_LIMIT;
    return true;
}

/* Later versions never ask a driver to unswizzle, nor does paging by GPU virtual addresses. */
static bool may_be_tiled(const struct kmd_adapter *adapter) {
    return adapter->settings.version < DXGKDDI_INTERFACE_VERSION_WDDM2_1 &&
           !kmd_virtual_on(adapter);
}

/* Bits 0 to 9 mean the same in both flag types; what 2.0 and 2.1 gave another meaning is left
 * alone. */
static DXGK_ALLOCATIONINFOFLAGS info_flags(const struct kmd_adapter *adapter,
                                           const struct vidmm_umd_allocation *umd) {
    ULONG version = adapter->settings.version;
    DXGK_ALLOCATIONINFOFLAGS flags = {0};
    flags.CpuVisible = (umd->flags & VIDMM_UMD_CPU_VISIBLE) != 0;
    flags.PermanentSysMem = (umd->flags & VIDMM_UMD_PERMANENT_SYSMEM) != 0;
    flags.Cached = (umd->flags & VIDMM_UMD_CACHED) != 0;
    flags.FromEndOfSegment = (umd->flags & VIDMM_UMD_FROM_END) != 0;
    flags.Overlay = (umd->flags & VIDMM_UMD_OVERLAY) != 0;
    if (may_be_tiled(adapter))
        flags.Swizzled = (umd->flags & VIDMM_UMD_SWIZZLED) != 0;
    if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        flags.UseAlternateVA = (umd->flags & VIDMM_UMD_ALTERNATE_VA) != 0;
    else
        flags.AccessedPhysically =
            !kmd_virtual_on(adapter) || (umd->flags & VIDMM_UMD_ACCESSED_PHYSICALLY) != 0;
    if (kmd_mmu_on(adapter))
        flags.ExplicitResidencyNotification = (umd->flags & VIDMM_UMD_RESIDENCY_NOTIFIED) != 0;
    return flags;
}

/* ---- Creating -------------------------------------------------------------------------------- */

/* Whole pages of 64 KiB get such, where they may live in memory that has them
 * (support-for-64kb-pages.md). */
static UINT alignment_of(const struct kmd_adapter *adapter, const struct vidmm_umd_allocation *umd,
                         UINT set) {
    bool large = false;
    for (UINT id = 1; id <= adapter->segments; id++)
        large =
            large || ((set >> (id - 1) & 1u) != 0 && kmd_segment_page(adapter, id) == GPU_PAGE_64K);
    return large && umd->size % GPU_PAGE_64K == 0 && umd->alignment < GPU_PAGE_64K ? GPU_PAGE_64K
                                                                                   : umd->alignment;
}

static void fill_info(const struct kmd_adapter *adapter, const struct vidmm_umd_allocation *umd,
                      DXGK_ALLOCATIONINFO *info) {
    DXGK_SEGMENTPREFERENCE preferred = {0};
    UINT set = allocation_place(adapter, umd, &preferred);
    info->Alignment = alignment_of(adapter, umd, set);
    info->Size = (SIZE_T)umd->size;
    info->PitchAlignedSize = 0;
    info->HintedBank.Value = 0;
    info->PreferredSegment = preferred;
    info->SupportedReadSegmentSet = set;
    info->SupportedWriteSegmentSet = set;
    info->EvictionSegmentSet = eviction_set(adapter, umd);
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        info->PhysicalAdapterIndex = adapter->physical;
    else
        info->MaximumRenamingListLength = 0;
    info->Flags = info_flags(adapter, umd);
    if (kmd_second_form(adapter))
        info->FlagsWddm2.MapApertureCpuVisible = info->Flags.CpuVisible;
    if ((umd->flags & VIDMM_UMD_IN_VPR) && kmd_vpr_segment(adapter) != 0)
        info->FlagsWddm2.CreateInVpr = 1;
    info->pAllocationUsageHint = NULL;
    info->AllocationPriority =
        umd->priority != 0 ? umd->priority : D3DDDI_ALLOCATIONPRIORITY_NORMAL;
}

static void allocation_describe(struct kmd_allocation *allocation,
                                const struct kmd_standard *standard) {
    allocation->width = standard->width;
    allocation->height = standard->height;
    allocation->format = (D3DDDIFORMAT)standard->format;
    allocation->refresh.Numerator = standard->refresh_numerator;
    allocation->refresh.Denominator = standard->refresh_denominator;
}

static NTSTATUS create_one(const struct kmd_adapter *lead, DXGK_ALLOCATIONINFO *info) {
    struct kmd_standard data = {0};
    DXGK_SEGMENTPREFERENCE preferred = {0};
    UINT size = info->PrivateDriverDataSize;
    if (!info->pPrivateDriverData || size < sizeof(data.umd))
        return STATUS_INVALID_PARAMETER;
    RtlCopyMemory(&data, info->pPrivateDriverData,
                  size < sizeof(data) ? sizeof(data.umd) : sizeof(data));
    if (data.umd.magic != VIDMM_UMD_MAGIC)
        return STATUS_GRAPHICS_DRIVER_MISMATCH;
    const struct kmd_adapter *adapter = kmd_board(lead, VIDMM_UMD_PHYSICAL_OF(data.umd.flags));
    if (!adapter || !allocation_sensible(&data.umd) ||
        allocation_place(adapter, &data.umd, &preferred) == 0)
        return STATUS_INVALID_PARAMETER;
    struct kmd_allocation *allocation = kmd_alloc(sizeof(*allocation));
    if (!allocation)
        return STATUS_NO_MEMORY;
    allocation->magic = KMD_MAGIC_ALLOCATION;
    allocation->flags = data.umd.flags;
    allocation->physical = adapter->physical;
    if (!may_be_tiled(adapter))
        allocation->flags &= ~VIDMM_UMD_SWIZZLED;
    allocation->segments = allocation_place(adapter, &data.umd, &preferred);
    allocation->size = data.umd.size;
    allocation->pitch = data.umd.pitch;
    allocation_describe(allocation, &data);
    fill_info(adapter, &data.umd, info);
    info->hAllocation = allocation;
    return STATUS_SUCCESS;
}

static void destroy_one(HANDLE handle) {
    struct kmd_allocation *allocation = handle;
    allocation->magic = 0;
    kmd_free(allocation);
}

NTSTATUS APIENTRY kmd_create_allocation(const HANDLE hAdapter, DXGKARG_CREATEALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        NTSTATUS status = create_one(hAdapter, &args->pAllocationInfo[i]);
        if (NT_SUCCESS(status))
            continue;
        while (i-- != 0) {
            destroy_one(args->pAllocationInfo[i].hAllocation);
            args->pAllocationInfo[i].hAllocation = NULL;
        }
        return status;
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_allocation(const HANDLE hAdapter,
                                         const DXGKARG_DESTROYALLOCATION *args) {
    UNREFERENCED_PARAMETER(hAdapter);
    for (UINT i = 0; i < args->NumAllocations; i++)
        if (!kmd_allocation_of(args->pAllocationList[i]))
            return STATUS_INVALID_PARAMETER;
    for (UINT i = 0; i < args->NumAllocations; i++)
        destroy_one(args->pAllocationList[i]);
    return STATUS_SUCCESS;
}

/* Fewer segments than at first will do, others not. */
NTSTATUS APIENTRY kmd_validate_update_allocation_property(
    const HANDLE hAdapter, const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *args) {
    const struct kmd_allocation *allocation = kmd_allocation_of(args->hAllocation);
    UNREFERENCED_PARAMETER(hAdapter);
    if (!allocation ||
        (args->SetSupportedSegmentSet &&
         (args->SupportedSegmentSet == 0 || (args->SupportedSegmentSet & ~allocation->segments))))
        return STATUS_INVALID_PARAMETER;
    return STATUS_SUCCESS;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void close_one(HANDLE handle) {
    struct kmd_open *open = handle;
    open->magic = 0;
    kmd_free(open);
}

/* The system's handle leads to ours: it keeps the driver's allocation handle for us. */
static NTSTATUS open_one(const struct kmd_device *device, DXGK_OPENALLOCATIONINFO *info) {
    const DXGKRNL_INTERFACE *dxgk = &device->adapter->dxgk;
    DXGKARGCB_GETHANDLEDATA query = {0};
    query.hObject = info->hAllocation;
    query.Type = DXGK_HANDLE_ALLOCATION;
    struct kmd_allocation *allocation = kmd_allocation_of(dxgk->DxgkCbGetHandleData(&query));
    if (!allocation)
        return STATUS_INVALID_PARAMETER;
    struct kmd_open *open = kmd_alloc(sizeof(*open));
    if (!open)
        return STATUS_NO_MEMORY;
    open->magic = KMD_MAGIC_OPEN;
    open->allocation = allocation;
    info->hDeviceSpecificAllocation = open;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_open_allocation(const HANDLE hDevice, const DXGKARG_OPENALLOCATION *args) {
    const struct kmd_device *device = hDevice;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        NTSTATUS status = open_one(device, &args->pOpenAllocation[i]);
        if (NT_SUCCESS(status))
            continue;
        while (i-- != 0) {
            close_one(args->pOpenAllocation[i].hDeviceSpecificAllocation);
            args->pOpenAllocation[i].hDeviceSpecificAllocation = NULL;
        }
        return status;
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_close_allocation(const HANDLE hDevice, const DXGKARG_CLOSEALLOCATION *args) {
    UNREFERENCED_PARAMETER(hDevice);
    for (UINT i = 0; i < args->NumAllocations; i++)
        if (!kmd_open_of(args->pOpenHandleList[i]))
            return STATUS_INVALID_PARAMETER;
    for (UINT i = 0; i < args->NumAllocations; i++)
        close_one(args->pOpenHandleList[i]);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_describe_allocation(const HANDLE hAdapter, DXGKARG_DESCRIBEALLOCATION *args) {
    const struct kmd_adapter *adapter = hAdapter;
    const struct kmd_allocation *allocation = kmd_allocation_of(args->hAllocation);
    if (!allocation)
        return STATUS_INVALID_PARAMETER;
    args->Width = allocation->width;
    args->Height = allocation->height;
    args->Format = allocation->format;
    args->MultisampleMethod.NumSamples = 1;
    args->MultisampleMethod.NumQualityLevels = 0;
    args->RefreshRate = allocation->refresh;
    args->PrivateDriverFormatAttribute = 0;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        args->Rotation = D3DDDI_ROTATION_IDENTITY;
    return STATUS_SUCCESS;
}
