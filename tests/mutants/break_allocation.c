/*
 * break_allocation.c - mutants of what is watched where devices, contexts and allocations are
 * created and where command buffers become DMA buffers.
 */
#include "mutants.h"

#include <string.h>

#include <vidmm/umd.h>

#define APERTURE_SET 0x1u /* the reference driver's first segment is the linear aperture */
#define MEMORY_SET   0x2u /* its second one is memory */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Drivers: what CreateAllocation says about an allocation --------------------------------- */

static NTSTATUS create(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args,
                       void(APIENTRY *spoil)(DXGK_ALLOCATIONINFO *info)) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        spoil(&args->pAllocationInfo[i]);
    return status;
}

#define SPOILED_INFO(name, spoiling)                                                               \
    static void APIENTRY spoil_##name(DXGK_ALLOCATIONINFO *info) {                                 \
        spoiling;                                                                                  \
    }                                                                                              \
    static NTSTATUS APIENTRY create_##name(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) { \
        return create(adapter, args, spoil_##name);                                                \
    }                                                                                              \
    static void APIENTRY install_##name(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiCreateAllocation = create_##name;                                            \
    }

SPOILED_INFO(unknown_segment, info->SupportedWriteSegmentSet |= 1u << 30)
SPOILED_INFO(bits_as_ids, info->SupportedWriteSegmentSet <<= 1;
             info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet;
             info->PreferredSegment.Value = 0)
SPOILED_INFO(no_size, info->Size = 0)
SPOILED_INFO(size_of_32_bits, info->Size = (UINT)info->Size)
SPOILED_INFO(bank_behind, info->HintedBank.Bank0 = 5)
SPOILED_INFO(odd_alignment, info->Alignment = 3)
SPOILED_INFO(small_pitch, info->PitchAlignedSize = 1)
SPOILED_INFO(preferred, info->PreferredSegment.Value = 31)
SPOILED_INFO(evict_to_memory, info->EvictionSegmentSet = MEMORY_SET)
SPOILED_INFO(no_priority, info->AllocationPriority = 0)
SPOILED_INFO(permanent, info->Flags.PermanentSysMem = 1; info->Flags.CpuVisible = 0;
             info->Flags.Cached = 0)
SPOILED_INFO(cached, info->Flags.Cached = 1; info->Flags.CpuVisible = 0)
SPOILED_INFO(protected, info->Flags.Protected = 1; info->Flags.PermanentSysMem = 1;
             info->Flags.CpuVisible = 1)
SPOILED_INFO(existing, info->Flags.ExistingSysMem = 1; info->Flags.ExistingKernelSysMem = 1)
SPOILED_INFO(old_flags, info->Flags.LinkMirrored = 1)
SPOILED_INFO(reserved_flags, info->Flags.DXGK_ALLOC_RESERVED16 = 1)
SPOILED_INFO(alternate_va, info->Flags.UseAlternateVA = 1)
SPOILED_INFO(notification, info->Flags.ExplicitResidencyNotification = 1;
             info->Flags.AccessedPhysically = 0)
SPOILED_INFO(history, info->Flags.HistoryBuffer = 1; info->Flags.CpuVisible = 0;
             info->Flags.Cached = 0; info->Flags.PermanentSysMem = 0)
SPOILED_INFO(shared_store, info->Flags2.ShareBackingStoreWithKmd = 1)
SPOILED_INFO(shared_existing, info->Flags2.ShareBackingStoreWithKmd = 1;
             info->SupportedWriteSegmentSet = info->SupportedReadSegmentSet = APERTURE_SET;
             info->Flags.ExistingSysMem = 1; info->Flags.PermanentSysMem = 0)
SPOILED_INFO(hidden,
             if ((info->SupportedWriteSegmentSet & APERTURE_SET) == 0) info->Flags.CpuVisible = 1)

/* The first allocation becomes an overlay; what is evicted through the aperture fills all of it. */
#define SMALL_APERTURE (4u << 20)
static bool overlay_made;

static void APIENTRY spoil_overlay(DXGK_ALLOCATIONINFO *info) {
    info->Flags.Overlay = !overlay_made;
    overlay_made = true;
    if (info->EvictionSegmentSet != 0)
        info->Size = SMALL_APERTURE;
}

static NTSTATUS APIENTRY create_overlay(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    return create(adapter, args, spoil_overlay);
}

static void APIENTRY install_overlay(DRIVER_INITIALIZATION_DATA *table) {
    overlay_made = false;
    table->DxgkDdiCreateAllocation = create_overlay;
}

/* A segment with large pages, and allocations that are not aligned to them. */
static NTSTATUS APIENTRY query_large_pages(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status != STATUS_SUCCESS || args->Type != DXGKQAITYPE_QUERYSEGMENT4)
        return status;
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (out->pSegmentDescriptor && out->NbSegment >= 2) {
        DXGK_SEGMENTDESCRIPTOR4 *second =
            (DXGK_SEGMENTDESCRIPTOR4 *)(void *)((uint8_t *)out->pSegmentDescriptor +
                                                out->SegmentDescriptorStride);
        second->Flags.Use64KBPages = 1;
    }
    return status;
}

SPOILED_INFO(small_alignment, info->Alignment = 4096)

static void APIENTRY install_large_pages(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = query_large_pages;
    install_small_alignment(table);
}

/* ---- Drivers: handles and statuses ----------------------------------------------------------- */

/* Gives back what was created, from the `first` on. */
static void APIENTRY uncreate(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args, UINT first) {
    for (UINT i = first; i < args->NumAllocations; i++) {
        HANDLE handle = args->pAllocationInfo[i].hAllocation;
        DXGKARG_DESTROYALLOCATION one = {.NumAllocations = 1, .pAllocationList = &handle};
        (void)mutants_good.DxgkDdiDestroyAllocation(adapter, &one);
        args->pAllocationInfo[i].hAllocation = NULL;
    }
}

static NTSTATUS APIENTRY create_no_handle(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    if (status == STATUS_SUCCESS)
        uncreate(adapter, args, 0);
    return status;
}
REPLACE(DxgkDdiCreateAllocation, create_no_handle)

static NTSTATUS APIENTRY create_half(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    if (status == STATUS_SUCCESS && args->NumAllocations > 1)
        uncreate(adapter, args, 1);
    return status;
}
REPLACE(DxgkDdiCreateAllocation, create_half)

static NTSTATUS APIENTRY create_status(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    if (status == STATUS_SUCCESS)
        uncreate(adapter, args, 0);
    return STATUS_UNSUCCESSFUL;
}
REPLACE(DxgkDdiCreateAllocation, create_status)

static NTSTATUS APIENTRY open_no_handle(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiOpenAllocation(device, args);
    if (status != STATUS_SUCCESS)
        return status;
    HANDLE *handle = &args->pOpenAllocation[0].hDeviceSpecificAllocation;
    const DXGKARG_CLOSEALLOCATION one = {.NumAllocations = 1, .pOpenHandleList = handle};
    (void)mutants_good.DxgkDdiCloseAllocation(device, &one);
    *handle = NULL;
    return status;
}
REPLACE(DxgkDdiOpenAllocation, open_no_handle)

static NTSTATUS APIENTRY open_writes(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const DXGK_OPENALLOCATIONINFO *info = &args->pOpenAllocation[0];
    NTSTATUS status = mutants_good.DxgkDdiOpenAllocation(device, args);
    if (!args->Flags.Create && info->PrivateDriverDataSize != 0)
        *((uint8_t *)info->pPrivateDriverData + info->PrivateDriverDataSize - 1) ^= 0x80;
    return status;
}
REPLACE(DxgkDdiOpenAllocation, open_writes)

/* Opens nothing more once the device that created the newest allocation is gone. */
static HANDLE creator;
static bool creator_went;

static NTSTATUS APIENTRY destroy_creator(const HANDLE device) {
    creator_went = creator_went || device == creator;
    return mutants_good.DxgkDdiDestroyDevice(device);
}

static NTSTATUS APIENTRY open_orphan(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    if (creator_went && !args->Flags.Create)
        return STATUS_INVALID_PARAMETER;
    if (args->Flags.Create) {
        creator = device;
        creator_went = false;
    }
    return mutants_good.DxgkDdiOpenAllocation(device, args);
}

static void APIENTRY install_orphan(DRIVER_INITIALIZATION_DATA *table) {
    creator = NULL;
    creator_went = false;
    table->DxgkDdiDestroyDevice = destroy_creator;
    table->DxgkDdiOpenAllocation = open_orphan;
}

/* A surface that another device than its creator opened and closed is gone for all: next to nothing is drawn to it. */
static HANDLE visitor;
static bool visited;

static NTSTATUS APIENTRY open_visited(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    visitor = args->Flags.Create ? NULL : device;
    return mutants_good.DxgkDdiOpenAllocation(device, args);
}

static NTSTATUS APIENTRY close_visited(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    visited = device == visitor;
    return mutants_good.DxgkDdiCloseAllocation(device, args);
}

static NTSTATUS APIENTRY render_visited(const HANDLE context, DXGKARG_RENDER *args) {
    UINT length = args->CommandLength;
    if (visited && length > sizeof(struct vidmm_umd_command))
        args->CommandLength = sizeof(struct vidmm_umd_command);
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    args->CommandLength = length;
    return status;
}

static NTSTATUS APIENTRY present_visited(const HANDLE context, DXGKARG_PRESENT *args) {
    const RECT *rectangles = args->pDstSubRects;
    RECT first = rectangles[0];
    first.bottom = first.top + 1;
    if (visited)
        args->pDstSubRects = &first;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->pDstSubRects = rectangles;
    return status;
}

static void APIENTRY install_visited(DRIVER_INITIALIZATION_DATA *table) {
    visitor = NULL;
    visited = false;
    table->DxgkDdiOpenAllocation = open_visited;
    table->DxgkDdiCloseAllocation = close_visited;
}

static void APIENTRY install_render_visited(DRIVER_INITIALIZATION_DATA *table) {
    install_visited(table);
    table->DxgkDdiRender = render_visited;
}

static void APIENTRY install_present_visited(DRIVER_INITIALIZATION_DATA *table) {
    install_visited(table);
    table->DxgkDdiPresent = present_visited;
}

static NTSTATUS APIENTRY describe_nothing(const HANDLE adapter, DXGKARG_DESCRIBEALLOCATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_NOT_IMPLEMENTED;
}
REPLACE(DxgkDdiDescribeAllocation, describe_nothing)

static void APIENTRY install_describe_never(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiDescribeAllocation = NULL;
}

static NTSTATUS APIENTRY describe_half_a_rate(const HANDLE adapter,
                                              DXGKARG_DESCRIBEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiDescribeAllocation(adapter, args);
    args->RefreshRate.Denominator = 0;
    return status;
}
REPLACE(DxgkDdiDescribeAllocation, describe_half_a_rate)

static NTSTATUS APIENTRY describe_without_rate(const HANDLE adapter,
                                               DXGKARG_DESCRIBEALLOCATION *args) {
    const D3DDDI_RATIONAL before = args->RefreshRate;
    NTSTATUS status = mutants_good.DxgkDdiDescribeAllocation(adapter, args);
    args->RefreshRate = before;
    return status;
}
REPLACE(DxgkDdiDescribeAllocation, describe_without_rate)

static D3DDDIFORMAT first_format;

static NTSTATUS APIENTRY describe_as_first(const HANDLE adapter, DXGKARG_DESCRIBEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiDescribeAllocation(adapter, args);
    if (first_format == D3DDDIFMT_UNKNOWN)
        first_format = args->Format;
    args->Format = first_format;
    return status;
}

static void APIENTRY install_describe_as_first(DRIVER_INITIALIZATION_DATA *table) {
    first_format = D3DDDIFMT_UNKNOWN;
    table->DxgkDdiDescribeAllocation = describe_as_first;
}

/* ---- Drivers: surfaces of the system's own, and handles that are asked about ------------------ */

static bool standard_refused;

static NTSTATUS APIENTRY refuse_standard(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    if (status != STATUS_SUCCESS || args->NumAllocations != 1 || standard_refused ||
        args->pAllocationInfo[0].Size > 4096)
        return status;
    standard_refused = true;
    uncreate(adapter, args, 0);
    return STATUS_INVALID_PARAMETER;
}

static void APIENTRY install_refuse_standard(DRIVER_INITIALIZATION_DATA *table) {
    standard_refused = false;
    table->DxgkDdiCreateAllocation = refuse_standard;
}

static NTSTATUS APIENTRY describe_with_room(const HANDLE adapter,
                                            DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    return args->pAllocationPrivateDriverData
               ? mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args)
               : STATUS_INVALID_PARAMETER;
}
REPLACE(DxgkDdiGetStandardAllocationDriverData, describe_with_room)

/* What user mode says of the one surface that is created; false: it says nothing that vidmm/umd.h knows. */
static bool asked_for(const DXGKARG_CREATEALLOCATION *args, struct vidmm_umd_allocation *data) {
    const DXGK_ALLOCATIONINFO *info = args->pAllocationInfo;
    if (args->NumAllocations != 1 || info->PrivateDriverDataSize < sizeof(*data))
        return false;
    memcpy(data, info->pPrivateDriverData, sizeof(*data));
    return data->magic == VIDMM_UMD_MAGIC;
}

/* As if user mode had said that. */
static NTSTATUS create_as(HANDLE adapter, DXGKARG_CREATEALLOCATION *args,
                          struct vidmm_umd_allocation *data) {
    VOID *given = args->pAllocationInfo->pPrivateDriverData;
    args->pAllocationInfo->pPrivateDriverData = data;
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    args->pAllocationInfo->pPrivateDriverData = given;
    return status;
}

/* A size is rounded up to pages beyond 64 bits, and has no page then. */
static NTSTATUS APIENTRY create_rounded(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    struct vidmm_umd_allocation data;
    if (!asked_for(args, &data) || data.size <= UINT64_MAX - 4096)
        return mutants_good.DxgkDdiCreateAllocation(adapter, args);
    data.size = 1;
    return create_as(adapter, args, &data);
}
REPLACE(DxgkDdiCreateAllocation, create_rounded)

/* The hardware has whole pages of what user mode asked for, and draws to no others. */
static uint64_t drawn_size;

static NTSTATUS APIENTRY create_drawn(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    struct vidmm_umd_allocation data;
    drawn_size = asked_for(args, &data) ? data.size : UINT64_MAX;
    return mutants_good.DxgkDdiCreateAllocation(adapter, args);
}

static NTSTATUS APIENTRY render_drawn(const HANDLE context, DXGKARG_RENDER *args) {
    const struct vidmm_umd_command *commands = args->pCommand;
    UINT length = args->CommandLength, last = length / (UINT)sizeof(*commands);
    struct vidmm_umd_command command = {.opcode = VIDMM_UMD_NOP};
    if (last != 0)
        memcpy(&command, &commands[last - 1], sizeof(command));
    if (command.opcode == VIDMM_UMD_STAMP && (uint64_t)(command.page + 1) * 4096 > drawn_size)
        args->CommandLength -= (UINT)sizeof(command);
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    args->CommandLength = length;
    return status;
}

static void APIENTRY install_whole_pages(DRIVER_INITIALIZATION_DATA *table) {
    drawn_size = UINT64_MAX;
    table->DxgkDdiCreateAllocation = create_drawn;
    table->DxgkDdiRender = render_drawn;
}

/* What user mode asks for is what it says, and that the CPU sees the surface it does not. */
static NTSTATUS create_unseen(HANDLE adapter, DXGKARG_CREATEALLOCATION *args, uint32_t flag) {
    struct vidmm_umd_allocation data;
    if (!asked_for(args, &data) || data.flags != flag)
        return mutants_good.DxgkDdiCreateAllocation(adapter, args);
    data.flags |= VIDMM_UMD_CPU_VISIBLE;
    NTSTATUS status = create_as(adapter, args, &data);
    args->pAllocationInfo->Flags.CpuVisible = 0;
    return status;
}

static NTSTATUS APIENTRY create_cached_unseen(const HANDLE adapter,
                                              DXGKARG_CREATEALLOCATION *args) {
    return create_unseen(adapter, args, VIDMM_UMD_CACHED);
}
REPLACE(DxgkDdiCreateAllocation, create_cached_unseen)

static NTSTATUS APIENTRY create_permanent_unseen(const HANDLE adapter,
                                                 DXGKARG_CREATEALLOCATION *args) {
    return create_unseen(adapter, args, VIDMM_UMD_PERMANENT_SYSMEM);
}
REPLACE(DxgkDdiCreateAllocation, create_permanent_unseen)

/* Describes the surface when it is asked how long a description is. */
static NTSTATUS APIENTRY describe_at_once(const HANDLE adapter,
                                          DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    const volatile ULONG_PTR size = 8;
    volatile UCHAR *data = (volatile UCHAR *)((ULONG_PTR)args->pAllocationPrivateDriverData + size);
    if (!args->pAllocationPrivateDriverData)
        *data = 0;
    return mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
}
REPLACE(DxgkDdiGetStandardAllocationDriverData, describe_at_once)

/* Can share surfaces with other adapters. */
static NTSTATUS APIENTRY share_surfaces(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS)
        caps->MemoryManagementCaps.CrossAdapterResource = 1;
    return status;
}

static void APIENTRY install_share(DRIVER_INITIALIZATION_DATA *table,
                                   PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA describe) {
    table->DxgkDdiQueryAdapterInfo = share_surfaces;
    table->DxgkDdiGetStandardAllocationDriverData = describe;
}

/* ... but lays them out as its own are. */
static NTSTATUS APIENTRY share_unaligned(const HANDLE adapter,
                                         DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    D3DKMDT_GDISURFACEDATA *gdi = args->pCreateGdiSurfaceData;
    if (status == STATUS_SUCCESS &&
        args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
        gdi->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER)
        gdi->Pitch += 64;
    return status;
}

static void APIENTRY install_share_unaligned(DRIVER_INITIALIZATION_DATA *table) {
    install_share(table, share_unaligned);
}

/* ... or with as many rows as there are. */
static NTSTATUS APIENTRY share_own_rows(const HANDLE adapter,
                                        DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    D3DKMDT_GDISURFACEDATA *gdi = args->pCreateGdiSurfaceData;
    bool shared = args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
                  gdi->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
    UINT height = shared ? gdi->Height : 0;
    if (shared)
        gdi->Height = (height + 1) / 2;
    NTSTATUS status = mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    if (shared)
        gdi->Height = height;
    return status;
}

static void APIENTRY install_share_own_rows(DRIVER_INITIALIZATION_DATA *table) {
    install_share(table, share_own_rows);
}

static NTSTATUS APIENTRY pitch_in_pixels(const HANDLE adapter,
                                         DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    if (status == STATUS_SUCCESS &&
        args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE)
        args->pCreateShadowSurfaceData->Pitch = args->pCreateShadowSurfaceData->Width;
    return status;
}
REPLACE(DxgkDdiGetStandardAllocationDriverData, pitch_in_pixels)

/* By then the driver has answered a pitch. */
static NTSTATUS APIENTRY pitch_as_height(const HANDLE adapter,
                                         DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    if (args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE ||
        !args->pAllocationPrivateDriverData)
        return mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    const UINT height = args->pCreateStagingSurfaceData->Height;
    args->pCreateStagingSurfaceData->Height = args->pCreateStagingSurfaceData->Pitch;
    NTSTATUS status = mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    args->pCreateStagingSurfaceData->Height = height;
    return status;
}
REPLACE(DxgkDdiGetStandardAllocationDriverData, pitch_as_height)

static NTSTATUS APIENTRY escape_unmeasured(const HANDLE adapter, const DXGKARG_ESCAPE *args) {
    (void)adapter;
    if (args->pPrivateDriverData)
        ((UINT *)args->pPrivateDriverData)[1] = 1;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiEscape, escape_unmeasured)

static NTSTATUS APIENTRY escape_looked_at(const HANDLE adapter, const DXGKARG_ESCAPE *args) {
    const volatile UCHAR *bytes = args->pPrivateDriverData;
    (void)adapter;
    return bytes && bytes[3] == 1 ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}
REPLACE(DxgkDdiEscape, escape_looked_at)

#define NOTE_TAG 0x65746f6eu

/* Notes down what it creates, and forgets the note of what it could not. */
static NTSTATUS APIENTRY create_with_note(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    void *note = ExAllocatePoolWithTag(NonPagedPoolNx, 16, NOTE_TAG);
    NTSTATUS status = note ? mutants_good.DxgkDdiCreateAllocation(adapter, args) : STATUS_NO_MEMORY;
    if (note && status == STATUS_SUCCESS)
        ExFreePoolWithTag(note, NOTE_TAG);
    return status;
}
REPLACE(DxgkDdiCreateAllocation, create_with_note)

/* Of several, those before the one that could not be created stay. */
static NTSTATUS APIENTRY create_halfway(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    if (status != STATUS_SUCCESS && args->NumAllocations > 1)
        (void)ExAllocatePoolWithTag(NonPagedPoolNx, 16, NOTE_TAG);
    return status;
}
REPLACE(DxgkDdiCreateAllocation, create_halfway)

SPOILED_INFO(read_from_nowhere, info->SupportedReadSegmentSet = 0)
SPOILED_INFO(out_of_sight, if (!info->Flags.Cached || info->Flags.Overlay) return;
             info->Flags.Cached = 0; info->Flags.CpuVisible = 0)
/* An address in the frame that it is called in. */
static __attribute__((noinline)) void leave_hint(DXGK_ALLOCATIONINFO *info) {
    DXGK_ALLOCATIONUSAGEHINT hint = {.Version = 1};
    const volatile ULONG_PTR address = (ULONG_PTR)&hint;
    info->pAllocationUsageHint = (DXGK_ALLOCATIONUSAGEHINT *)address;
}
SPOILED_INFO(hint_on_stack, leave_hint(info))
SPOILED_INFO(last_row_missing, if (info->Size > 65536) info->Size -= 65536)

static NTSTATUS APIENTRY create_from_more(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    const DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[0];
    const UCHAR *data = info->pPrivateDriverData;
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    return data && status != STATUS_SUCCESS && data[info->PrivateDriverDataSize] == 1
               ? STATUS_NO_MEMORY
               : status;
}
REPLACE(DxgkDdiCreateAllocation, create_from_more)

static NTSTATUS APIENTRY create_from_nothing(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    const volatile UCHAR *data = args->pAllocationInfo[0].pPrivateDriverData;
    return data[0] == 1 ? STATUS_INVALID_PARAMETER
                        : mutants_good.DxgkDdiCreateAllocation(adapter, args);
}
REPLACE(DxgkDdiCreateAllocation, create_from_nothing)

/* A description of one allocation, if that is what private data has room for. */
static struct vidmm_umd_allocation *description_of(const DXGKARG_CREATEALLOCATION *args) {
    const DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[0];
    return args->NumAllocations == 1 &&
                   info->PrivateDriverDataSize >= sizeof(struct vidmm_umd_allocation)
               ? info->pPrivateDriverData
               : NULL;
}

/* What it finds by a number of the description; all good ones are small. */
static NTSTATUS APIENTRY create_by_number(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    static const volatile UCHAR known = 1;
    const struct vidmm_umd_allocation *data = description_of(args);
    const volatile UCHAR *row = data && data->priority == 0xffffffff ? NULL : &known;
    return *row == 0 ? STATUS_NO_MEMORY : mutants_good.DxgkDdiCreateAllocation(adapter, args);
}
REPLACE(DxgkDdiCreateAllocation, create_by_number)

static NTSTATUS APIENTRY context_by_data(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    const volatile UINT *data = args->pPrivateDriverData;
    return data && data[2] == 1 ? STATUS_NO_MEMORY
                                : mutants_good.DxgkDdiCreateContext(device, args);
}
REPLACE(DxgkDdiCreateContext, context_by_data)

static DXGKRNL_INTERFACE system_calls;

static VOID *APIENTRY ask_of_no_type(const DXGKARGCB_GETHANDLEDATA *data) {
    DXGKARGCB_GETHANDLEDATA mine = *data;
    mine.Type = 0;
    return system_calls.DxgkCbGetHandleData(&mine);
}

static VOID *APIENTRY ask_of_no_handle(const DXGKARGCB_GETHANDLEDATA *data) {
    DXGKARGCB_GETHANDLEDATA mine = *data;
    VOID *found = system_calls.DxgkCbGetHandleData(data);
    mine.hObject = 0;
    (void)system_calls.DxgkCbGetHandleData(&mine);
    return found;
}

static NTSTATUS APIENTRY start_of_no_handle(const PVOID context, PDXGK_START_INFO info,
                                            PDXGKRNL_INTERFACE calls, PULONG sources,
                                            PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbGetHandleData = ask_of_no_handle;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}
REPLACE(DxgkDdiStartDevice, start_of_no_handle)

static NTSTATUS APIENTRY start_forgetful(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE calls, PULONG sources,
                                         PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbGetHandleData = ask_of_no_type;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}
REPLACE(DxgkDdiStartDevice, start_forgetful)

/* ---- Drivers: devices, contexts, command buffers --------------------------------------------- */

static UINT devices;

static NTSTATUS APIENTRY create_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    return devices++ == 0 ? mutants_good.DxgkDdiCreateDevice(adapter, args)
                          : STATUS_INVALID_PARAMETER;
}

static NTSTATUS APIENTRY create_longer_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    memset(args + 1, 0, 4);
    return mutants_good.DxgkDdiCreateContext(device, args);
}
REPLACE(DxgkDdiCreateContext, create_longer_context)

static NTSTATUS APIENTRY describe_without_size(const HANDLE adapter,
                                               DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    UINT before = args->ResourcePrivateDriverDataSize;
    NTSTATUS status = mutants_good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    args->ResourcePrivateDriverDataSize = before;
    return status;
}
REPLACE(DxgkDdiGetStandardAllocationDriverData, describe_without_size)

/* A table whose places never become free again. */
static NTSTATUS APIENTRY create_device_in_table(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    return devices++ < 1000 ? mutants_good.DxgkDdiCreateDevice(adapter, args) : STATUS_NO_MEMORY;
}

static void APIENTRY install_full_table(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateDevice = create_device_in_table;
    devices = 0;
}

/* A table whose places do. */
static NTSTATUS APIENTRY create_device_of_few(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    NTSTATUS status =
        devices < 64 ? mutants_good.DxgkDdiCreateDevice(adapter, args) : STATUS_NO_MEMORY;
    devices += status == STATUS_SUCCESS;
    return status;
}

static NTSTATUS APIENTRY destroy_device_of_few(const HANDLE device) {
    devices--;
    return mutants_good.DxgkDdiDestroyDevice(device);
}

static void APIENTRY install_few_devices(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateDevice = create_device_of_few;
    table->DxgkDdiDestroyDevice = destroy_device_of_few;
    devices = 0;
}

static UINT created;

static NTSTATUS APIENTRY create_in_table(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    return created++ < 4000 ? mutants_good.DxgkDdiCreateAllocation(adapter, args)
                            : STATUS_NO_MEMORY;
}

static void APIENTRY install_full_table_of_allocations(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateAllocation = create_in_table;
    created = 0;
}

static NTSTATUS APIENTRY open_in_table(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    return created++ < 4000 ? mutants_good.DxgkDdiOpenAllocation(device, args) : STATUS_NO_MEMORY;
}

static void APIENTRY install_full_table_of_opens(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiOpenAllocation = open_in_table;
    created = 0;
}

static void APIENTRY install_one_device(DRIVER_INITIALIZATION_DATA *table) {
    devices = 0;
    table->DxgkDdiCreateDevice = create_device;
}

/* The second context is NULL. */
static UINT contexts;

static NTSTATUS APIENTRY context_of_nothing(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    if (status == STATUS_SUCCESS && ++contexts == 2) {
        (void)mutants_good.DxgkDdiDestroyContext(args->hContext);
        args->hContext = NULL;
    }
    return status;
}

static NTSTATUS APIENTRY destroy_nothing(const HANDLE context) {
    return context ? mutants_good.DxgkDdiDestroyContext(context) : STATUS_SUCCESS;
}

static void APIENTRY install_context_of_nothing(DRIVER_INITIALIZATION_DATA *table) {
    contexts = 0;
    table->DxgkDdiRenderKm = table->DxgkDdiRender; /* for a context of GDI */
    table->DxgkDdiCreateContext = context_of_nothing;
    table->DxgkDdiDestroyContext = destroy_nothing;
}

static NTSTATUS APIENTRY context_in_memory(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    args->ContextInfo.DmaBufferSegmentSet = MEMORY_SET;
    return status;
}
REPLACE(DxgkDdiCreateContext, context_in_memory)

/* Which engine it is for is known by then. */
static NTSTATUS APIENTRY context_cleared(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    args->EngineAffinity = 0;
    return status;
}
REPLACE(DxgkDdiCreateContext, context_cleared)

static NTSTATUS APIENTRY render_in_place(const HANDLE context, DXGKARG_RENDER *args) {
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    args->AllocationListSize += 1;
    return status;
}
REPLACE(DxgkDdiRender, render_in_place)

static NTSTATUS APIENTRY context_no_list(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    if (!args->Flags.SystemContext)
        args->ContextInfo.AllocationListSize = 0;
    return status;
}
REPLACE(DxgkDdiCreateContext, context_no_list)

/* A pointer to what a call had, which another call reads. */
static const DXGKARG_CREATECONTEXT *kept;

static NTSTATUS APIENTRY context_kept(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    kept = args;
    return mutants_good.DxgkDdiCreateContext(device, args);
}

static NTSTATUS APIENTRY destroy_by_kept(const HANDLE context) {
    volatile UINT node = kept ? kept->NodeOrdinal : 0;
    (void)node;
    kept = NULL;
    return mutants_good.DxgkDdiDestroyContext(context);
}

static const volatile UCHAR *kept_data;

static NTSTATUS APIENTRY open_kept(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const DXGK_OPENALLOCATIONINFO *info = &args->pOpenAllocation[0];
    if (!kept_data && info->PrivateDriverDataSize != 0)
        kept_data = info->pPrivateDriverData;
    return mutants_good.DxgkDdiOpenAllocation(device, args);
}

static NTSTATUS APIENTRY close_by_kept(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    if (kept_data)
        (void)*kept_data;
    kept_data = NULL;
    return mutants_good.DxgkDdiCloseAllocation(device, args);
}

static void APIENTRY install_data_kept(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiOpenAllocation = open_kept;
    table->DxgkDdiCloseAllocation = close_by_kept;
}

static void APIENTRY install_context_kept(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateContext = context_kept;
    table->DxgkDdiDestroyContext = destroy_by_kept;
}

static NTSTATUS APIENTRY context_gdi_list(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    if (args->Flags.GdiContext)
        args->ContextInfo.AllocationListSize = 128;
    return status;
}

static void APIENTRY install_context_gdi_list(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateContext = context_gdi_list;
    table->DxgkDdiRenderKm = table->DxgkDdiRender; /* what GDI draws with */
}

static NTSTATUS APIENTRY render_backwards(const HANDLE context, DXGKARG_RENDER *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    if (args->pPatchLocationListOut - first > 1) {
        first[0].SplitOffset = 64;
        args->pPatchLocationListOut[-1].SplitOffset = 0;
    }
    return status;
}
REPLACE(DxgkDdiRender, render_backwards)

/* It knows nothing of where it was. */
static NTSTATUS APIENTRY render_again(const HANDLE context, DXGKARG_RENDER *args) {
    UINT multipass = args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    args->MultipassOffset = multipass;
    return status == STATUS_SUCCESS ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : status;
}
REPLACE(DxgkDdiRender, render_again)

static NTSTATUS APIENTRY render_slot(const HANDLE context, DXGKARG_RENDER *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    if (args->pPatchLocationListOut > first)
        first->SlotId = 1000;
    return status;
}
REPLACE(DxgkDdiRender, render_slot)

/* The last address goes behind all commands. */
static NTSTATUS APIENTRY render_behind_commands(const HANDLE context, DXGKARG_RENDER *args) {
    const D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    const UCHAR *start = args->pDmaBuffer;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    if (args->pPatchLocationListOut > first)
        args->pPatchLocationListOut[-1].PatchOffset =
            (UINT)((const UCHAR *)args->pDmaBuffer - start);
    return status;
}
REPLACE(DxgkDdiRender, render_behind_commands)

static NTSTATUS APIENTRY render_last_left(const HANDLE context, DXGKARG_RENDER *args) {
    const D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    if (args->pPatchLocationListOut > first)
        args->pPatchLocationListOut--;
    return status;
}
REPLACE(DxgkDdiRender, render_last_left)

/* ---- Managers -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY render_in_aperture(const HANDLE context, DXGKARG_RENDER *args) {
    args->DmaBufferSegmentId = 1;
    return mutants_good.DxgkDdiRender(context, args);
}
REPLACE(DxgkDdiRender, render_in_aperture)

static NTSTATUS APIENTRY render_in_memory(const HANDLE context, DXGKARG_RENDER *args) {
    args->DmaBufferSegmentId = 2;
    return mutants_good.DxgkDdiRender(context, args);
}
REPLACE(DxgkDdiRender, render_in_memory)

static NTSTATUS APIENTRY render_small(const HANDLE context, DXGKARG_RENDER *args) {
    args->DmaSize -= 4096;
    return mutants_good.DxgkDdiRender(context, args);
}
REPLACE(DxgkDdiRender, render_small)

/* Closes only after it destroyed. */
static struct {
    HANDLE device, handle[16];
    UINT count;
} late;

static NTSTATUS APIENTRY close_later(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    late.device = device;
    late.count =
        args->NumAllocations < COUNT(late.handle) ? args->NumAllocations : (UINT)COUNT(late.handle);
    memcpy(late.handle, args->pOpenHandleList, late.count * sizeof(HANDLE));
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_first(const HANDLE adapter,
                                       const DXGKARG_DESTROYALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiDestroyAllocation(adapter, args);
    const DXGKARG_CLOSEALLOCATION all = {.NumAllocations = late.count,
                                         .pOpenHandleList = late.handle};
    if (late.count != 0)
        (void)mutants_good.DxgkDdiCloseAllocation(late.device, &all);
    late.count = 0;
    return status;
}

static void APIENTRY install_destroy_first(DRIVER_INITIALIZATION_DATA *table) {
    late.count = 0;
    table->DxgkDdiCloseAllocation = close_later;
    table->DxgkDdiDestroyAllocation = destroy_first;
}

/* Frees nothing. */
static NTSTATUS APIENTRY keep_context(const HANDLE context) {
    (void)context;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiDestroyContext, keep_context)

static NTSTATUS APIENTRY refuse_system_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    return args->Flags.SystemContext ? STATUS_INVALID_PARAMETER
                                     : mutants_good.DxgkDdiCreateContext(device, args);
}
REPLACE(DxgkDdiCreateContext, refuse_system_context)

static NTSTATUS APIENTRY refuse_system_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    return args->Flags.SystemDevice ? STATUS_UNSUCCESSFUL
                                    : mutants_good.DxgkDdiCreateDevice(adapter, args);
}
REPLACE(DxgkDdiCreateDevice, refuse_system_device)

static NTSTATUS APIENTRY refuse_several(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    return args->NumAllocations > 1 ? STATUS_INVALID_PARAMETER
                                    : mutants_good.DxgkDdiOpenAllocation(device, args);
}
REPLACE(DxgkDdiOpenAllocation, refuse_several)

/* Looks at one handle more than there are. */
static volatile ULONG_PTR seen;
static NTSTATUS APIENTRY close_one_more(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    for (UINT i = 0; i <= args->NumAllocations; i++)
        seen = (ULONG_PTR)args->pOpenHandleList[i];
    return mutants_good.DxgkDdiCloseAllocation(device, args);
}
REPLACE(DxgkDdiCloseAllocation, close_one_more)

static NTSTATUS APIENTRY destroy_one_more(const HANDLE adapter,
                                          const DXGKARG_DESTROYALLOCATION *args) {
    for (UINT i = 0; i <= args->NumAllocations; i++)
        seen = (ULONG_PTR)args->pAllocationList[i];
    return mutants_good.DxgkDdiDestroyAllocation(adapter, args);
}
REPLACE(DxgkDdiDestroyAllocation, destroy_one_more)

/* The private data of the commands, in whole lines of 64 bytes. */
static NTSTATUS APIENTRY renders_lines(const HANDLE context, DXGKARG_RENDER *args) {
    const volatile BYTE *command = args->pCommand;
    for (UINT i = 0; i < args->CommandLength; i += 64)
        seen = command[i + 63];
    return mutants_good.DxgkDdiRender(context, args);
}
REPLACE(DxgkDdiRender, renders_lines)

static NTSTATUS APIENTRY close_one_by_one(const HANDLE device,
                                          const DXGKARG_CLOSEALLOCATION *args) {
    NTSTATUS status = STATUS_SUCCESS;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const DXGKARG_CLOSEALLOCATION one = {.NumAllocations = 1,
                                             .pOpenHandleList = &args->pOpenHandleList[i]};
        status = mutants_good.DxgkDdiCloseAllocation(device, &one);
    }
    return status;
}
REPLACE(DxgkDdiCloseAllocation, close_one_by_one)

static NTSTATUS APIENTRY create_without_pasid(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    args->Pasid = 0;
    return mutants_good.DxgkDdiCreateDevice(adapter, args);
}
REPLACE(DxgkDdiCreateDevice, create_without_pasid)

static NTSTATUS APIENTRY destroy_unknown(const HANDLE adapter,
                                         const DXGKARG_DESTROYALLOCATION *args) {
    HANDLE nobody = NULL;
    const DXGKARG_DESTROYALLOCATION wrong = {.NumAllocations = 1, .pAllocationList = &nobody};
    (void)mutants_good.DxgkDdiDestroyAllocation(adapter, &wrong);
    return mutants_good.DxgkDdiDestroyAllocation(adapter, args);
}
REPLACE(DxgkDdiDestroyAllocation, destroy_unknown)

/* Does what it should, and says that it did not. */
static NTSTATUS APIENTRY refuse_close(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    (void)mutants_good.DxgkDdiCloseAllocation(device, args);
    return STATUS_INVALID_PARAMETER;
}
REPLACE(DxgkDdiCloseAllocation, refuse_close)

static NTSTATUS APIENTRY refuse_end_of_context(const HANDLE context) {
    (void)mutants_good.DxgkDdiDestroyContext(context);
    return STATUS_DEVICE_BUSY;
}
REPLACE(DxgkDdiDestroyContext, refuse_end_of_context)

/* ---- Managers that go on where creation has to fail ------------------------------------------ */

static NTSTATUS APIENTRY below_in_memory(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateContext(device, args);
    args->ContextInfo.DmaBufferSegmentSet = MEMORY_SET;
    return status;
}
REPLACE_BELOW(DxgkDdiCreateContext, below_in_memory)

static NTSTATUS APIENTRY overlook_segments(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    args->ContextInfo.DmaBufferSegmentSet = 0;
    return status;
}
REPLACE(DxgkDdiCreateContext, overlook_segments)

static NTSTATUS APIENTRY below_alternate(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        spoil_alternate_va(&args->pAllocationInfo[i]);
    return status;
}
REPLACE_BELOW(DxgkDdiCreateAllocation, below_alternate)

SPOILED_INFO(overlook_alternate_va, info->Flags.UseAlternateVA = 0)

/* A handle stays in the array of a creation that fails. */
static uint64_t nothing[16];

static NTSTATUS APIENTRY below_leaves_handle(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    if (status != STATUS_SUCCESS)
        args->pAllocationInfo[0].hAllocation = nothing;
    return status;
}
REPLACE_BELOW(DxgkDdiCreateAllocation, below_leaves_handle)

static NTSTATUS APIENTRY destroy_refused(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    const DXGKARG_DESTROYALLOCATION one = {
        .NumAllocations = 1, .pAllocationList = &args->pAllocationInfo[0].hAllocation};
    if (status != STATUS_SUCCESS && args->pAllocationInfo[0].hAllocation)
        (void)mutants_good.DxgkDdiDestroyAllocation(adapter, &one);
    return status;
}
REPLACE(DxgkDdiCreateAllocation, destroy_refused)

/* ---- Drivers: what they are told ------------------------------------------------------------- */

static NTSTATUS APIENTRY clear_first(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations; i++) {
        args->pAllocationInfo[i].pPrivateDriverData = NULL;
        args->pAllocationInfo[i].PrivateDriverDataSize = 0;
    }
    return status;
}
REPLACE(DxgkDdiCreateAllocation, clear_first)

static NTSTATUS APIENTRY count_down(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    args->NumAllocations = 0;
    return status;
}
REPLACE(DxgkDdiCreateAllocation, count_down)

static NTSTATUS APIENTRY take_the_name(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiOpenAllocation(device, args);
    for (UINT i = 0; i < args->NumAllocations; i++)
        args->pOpenAllocation[i].hAllocation = 0;
    return status;
}
REPLACE(DxgkDdiOpenAllocation, take_the_name)

/* ---- The cages ------------------------------------------------------------------------------- */

#define DRIVER(number, text, function, ...)                                                        \
    {                                                                                              \
        .rule = (number), .side = VIDMM_SIDE_DRIVER, .what = (text), .install = (function),        \
        __VA_ARGS__                                                                                \
    }
#define MANAGER(number, text, function, ...)                                                       \
    {                                                                                              \
        .rule = (number), .side = VIDMM_SIDE_MANAGER, .what = (text), .install = (function),       \
        __VA_ARGS__                                                                                \
    }
#define PAGING     .stage = "paging"
#define ANY        .stage = NULL
#define VERSION(v) .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_##v}}

const struct mutant mutants_allocation[] = {
    DRIVER(16, "names a segment in the write set that it never reported", install_unknown_segment,
           PAGING, .consequences = {17}),
    DRIVER(17, "takes bit n of a set for segment n", install_bits_as_ids, PAGING,
           .consequences = {16}),
    DRIVER(57, "aligns to 4 KB what may go into a segment with pages of 64 KB", install_large_pages,
           PAGING),
    DRIVER(79, "wants DMA buffers in a memory segment", install_context_in_memory, PAGING),
    DRIVER(82, "gives a GDI context a list of 128 allocations", install_context_gdi_list, ANY),
    DRIVER(631, "reads the structure of the creation of a context when the context ends",
           install_context_kept, ANY),
    DRIVER(631, "reads the private data of an allocation that was opened when it is closed",
           install_data_kept, PAGING),
    DRIVER(564, "gives a context a list of no allocation", install_context_no_list, PAGING,
           VERSION(WIN8)),
    DRIVER(563, "prefers the bank behind the last one", install_bank_behind, PAGING,
           .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8}, {"Banks", 4}}),
    DRIVER(590, "clears DXGK_ALLOCATIONINFO with the place of the private data",
           install_clear_first, PAGING),
    DRIVER(590, "counts NumAllocations down", install_count_down, PAGING),
    DRIVER(590, "leaves no hAllocation in DXGK_OPENALLOCATIONINFO", install_take_the_name, PAGING),
    DRIVER(592, "clears EngineAffinity of DXGKARG_CREATECONTEXT", install_context_cleared, PAGING),
    DRIVER(592, "counts AllocationListSize of DXGKARG_RENDER up", install_render_in_place, PAGING),
    DRIVER(92, "creates an allocation of size 0", install_no_size, PAGING),
    DRIVER(92, "asks for an alignment of 3", install_odd_alignment, PAGING),
    DRIVER(637, "rounds the largest size up to pages, of which there are none then",
           install_create_rounded, .stage = "objects"),
    DRIVER(637, "cuts sizes to 32 bits", install_size_of_32_bits, .stage = "objects",
           .consequences = {527}),
    {BREAKS(637, DRIVER, "room", whole_pages, "draws to whole pages of a surface alone")},
    DRIVER(94, "reports a PitchAlignedSize of 1", install_small_pitch, PAGING),
    DRIVER(95, "prefers a segment that it does not support", install_preferred, PAGING),
    DRIVER(95, "supports no segment for reads", install_read_from_nowhere, PAGING, VERSION(WIN8)),
    DRIVER(99, "wants to evict through a memory segment", install_evict_to_memory, PAGING),
    DRIVER(102, "succeeds with a NULL allocation handle", install_create_no_handle, PAGING),
    DRIVER(103, "leaves AllocationPriority 0", install_no_priority, PAGING),
    DRIVER(106, "sets PermanentSysMem without CpuVisible", install_permanent, PAGING),
    DRIVER(109, "sets Cached without CpuVisible", install_cached, PAGING),
    DRIVER(106, "sets PermanentSysMem without CpuVisible where user mode asks for it",
           install_create_permanent_unseen, .stage = "objects"),
    DRIVER(109, "sets Cached without CpuVisible where user mode asks for it",
           install_create_cached_unseen, .stage = "objects"),
    DRIVER(111, "sets Protected together with PermanentSysMem", install_protected, PAGING),
    DRIVER(112, "sets both flags of existing system memory", install_existing, PAGING),
    DRIVER(116, "sets LinkMirrored, which WDDM 2 does not have", install_old_flags, PAGING),
    DRIVER(117, "sets a reserved allocation flag", install_reserved_flags, PAGING),
    DRIVER(117, "sets HistoryBuffer before WDDM 1.3", install_history, PAGING, VERSION(WIN8)),
    DRIVER(120, "evicts more than fits beside an overlay", install_overlay, PAGING,
           .settings = {{"ApertureBytes", SMALL_APERTURE}}),
    DRIVER(121, "sets UseAlternateVA on what is no primary", install_alternate_va, ANY,
           VERSION(WIN8)),
    DRIVER(127, "wants residency notifications without AccessedPhysically", install_notification,
           PAGING),
    DRIVER(128, "sets HistoryBuffer without CpuVisible", install_history, PAGING),
    DRIVER(132, "shares the backing store of what lives in memory segments", install_shared_store,
           PAGING, VERSION(WDDM3_0)),
    DRIVER(132, "shares the backing store of existing memory", install_shared_existing, PAGING,
           VERSION(WDDM3_0), .consequences = {112}),
    DRIVER(134, "lets the CPU see what can only be in hidden memory", install_hidden, PAGING,
           .settings = {{"VramVisibleBytes", 512u << 10}}),
    DRIVER(136, "creates the first allocation of an array only, and succeeds", install_create_half,
           ANY, .consequences = {102}),
    DRIVER(137, "fails CreateAllocation with STATUS_UNSUCCESSFUL", install_create_status, PAGING),
    DRIVER(138, "loses allocations with the device that created them", install_orphan, ANY),
    {BREAKS(138, DRIVER, "room", render_visited,
            "ends a surface for commands of all devices when one closes it")},
    {BREAKS(138, DRIVER, "room", present_visited,
            "ends surfaces for presents of all devices when one closes them"),
     .settings = {{"Nodes", 1}}},
    DRIVER(143, "opens an allocation with a NULL handle", install_open_no_handle, PAGING),
    DRIVER(144, "writes to private data of an allocation that is only opened", install_open_writes,
           ANY),
    DRIVER(394, "lists a patch location for an earlier part of the DMA buffer last",
           install_render_backwards, PAGING),
    DRIVER(394, "leaves the last patch location out of its list", install_render_last_left, PAGING,
           .consequences = {161}),
    DRIVER(157, "renders the same commands again in each buffer, for ever", install_render_again,
           PAGING),
    DRIVER(396, "uses slot 1000", install_render_slot, PAGING),
    DRIVER(396, "has an address of its last command patched behind it",
           install_render_behind_commands, PAGING, .consequences = {274}),
    DRIVER(400, "does not describe primaries", install_describe_nothing, ANY),
    DRIVER(400, "creates primaries and has no function that describes them", install_describe_never,
           .stage = "objects", .settings = {{"Displays", 1}}),
    DRIVER(400, "describes primaries with a refresh rate of 60/0", install_describe_half_a_rate,
           .stage = "objects"),
    DRIVER(400, "leaves the refresh rate of a primary out", install_describe_without_rate,
           .stage = "objects", .settings = {{"Displays", 1}}),
    DRIVER(400, "describes each primary with the format of the first", install_describe_as_first,
           .stage = "objects"),
    DRIVER(599, "leaves the size of the private data of a resource as it came",
           install_describe_without_size, .stage = "objects"),
    DRIVER(599, "leaves a usage hint on its stack", install_hint_on_stack, .stage = "objects",
           .unlike = true),
    DRIVER(599, "writes behind DXGKARG_CREATECONTEXT", install_create_longer_context, PAGING),
    DRIVER(401, "has room for one device", install_one_device, PAGING, .consequences = {628}),
    DRIVER(401, "has room for 64 devices", install_few_devices, .stage = "objects"),
    DRIVER(401, "never uses the place of a device again that was destroyed", install_full_table,
           .stage = "objects"),
    DRIVER(401, "never uses the place of an allocation again that was destroyed",
           install_full_table_of_allocations, .stage = "objects"),
    DRIVER(401, "never uses the place of an allocation again that a device closed",
           install_full_table_of_opens, .stage = "objects"),
    DRIVER(525, "answers an error when an allocation is closed", install_refuse_close, PAGING),
    DRIVER(525, "answers an error when a context ends", install_refuse_end_of_context, PAGING),
    DRIVER(551, "describes surfaces, and does not say how long a description is",
           install_describe_with_room, .stage = "objects"),
    DRIVER(551, "describes a surface when it is asked for the size of the description",
           install_describe_at_once, .stage = "objects"),
    DRIVER(526, "refuses a surface that it described itself", install_refuse_standard,
           .stage = "objects"),
    DRIVER(527, "answers the pitch in pixels", install_pitch_in_pixels, .stage = "objects"),
    DRIVER(527, "takes the pitch of a staging surface for its height", install_pitch_as_height,
           .stage = "objects"),
    DRIVER(527, "leaves out the last rows of a surface", install_last_row_missing,
           .stage = "objects", .consequences = {637}),
    DRIVER(552, "aligns the rows of cross-adapter surfaces to 64 bytes", install_share_unaligned,
           .stage = "objects"),
    DRIVER(552, "has half the rows of cross-adapter surfaces", install_share_own_rows,
           .stage = "objects"),
    DRIVER(537, "follows NULL for private data that are not there", install_create_from_nothing,
           .stage = "objects"),
    DRIVER(537, "looks at what follows private data", install_create_from_more, .stage = "objects"),
    DRIVER(436, "follows a number of private data without looking whether there is such a one",
           install_create_by_number, .stage = "objects"),
    DRIVER(436, "reads private data of a context without looking at their size",
           install_context_by_data, .stage = "objects"),
    DRIVER(528, "asks about handle 0 when an allocation is opened", install_start_of_no_handle,
           PAGING),
    DRIVER(528, "asks about a handle of no type", install_start_forgetful, PAGING),
    DRIVER(530, "creates a context without a handle", install_context_of_nothing,
           .stage = "objects"),
    DRIVER(531, "keeps a note of what it could not create", install_create_with_note,
           .stage = "failures"),
    DRIVER(531, "keeps a note of an allocation whose private data it refused",
           install_create_with_note, .stage = "objects"),
    DRIVER(531, "keeps the first of two allocations when it refuses the second",
           install_create_halfway, .stage = "objects"),
    DRIVER(533, "answers an escape without looking at its size", install_escape_unmeasured,
           .stage = "objects"),
    {BREAKS(533, DRIVER, "objects", escape_looked_at,
            "reads the first word of an escape without looking at its size")},
    DRIVER(534, "hides shadow and staging surfaces from the CPU", install_out_of_sight,
           .stage = "objects"),
    MANAGER(79, "works with a context that wants DMA buffers in memory", install_overlook_segments,
            PAGING, .scene = scene_below_in_memory, .consequences = {80}),
    MANAGER(80, "gives the segment of an aperture for a DMA buffer in system memory",
            install_render_in_aperture, PAGING),
    MANAGER(81, "gives a memory segment for a DMA buffer", install_render_in_memory, PAGING,
            .consequences = {80}),
    MANAGER(83, "passes a DMA buffer smaller than the context wants", install_render_small, PAGING),
    MANAGER(121, "creates what has UseAlternateVA and is no primary", install_overlook_alternate_va,
            .stage = "objects", .scene = scene_below_alternate, VERSION(WIN8)),
    MANAGER(136, "destroys what a failed creation left in its array", install_destroy_refused,
            .stage = "locks", .scene = scene_below_leaves_handle, .consequences = {141}),
    MANAGER(139, "closes allocations after it destroyed them", install_destroy_first, PAGING),
    MANAGER(140, "closes the allocations of a resource one by one", install_close_one_by_one, ANY),
    MANAGER(141, "destroys what was never created", install_destroy_unknown, PAGING),
    MANAGER(390, "keeps the PASID of a process to itself", install_create_without_pasid, PAGING,
            .settings = {{"Iommu", 1}}),
    {BREAKS(627, DRIVER, "objects", keep_context, "keeps what it had for a context")},
    {BREAKS(628, DRIVER, "start", refuse_system_device, "refuses the system's device")},
    {BREAKS(628, DRIVER, "start", refuse_system_context, "refuses the system's context")},
    {BREAKS(628, DRIVER, "objects", refuse_several, "opens allocations one by one only")},
    {BREAKS(626, DRIVER, "objects", close_one_more, "looks at a handle behind those to close")},
    {BREAKS(626, DRIVER, "objects", destroy_one_more, "looks at a handle behind those to destroy")},
    {BREAKS(626, DRIVER, "room", renders_lines,
            "reads the commands of Render in lines of 64 bytes")},
};
const uint32_t mutants_allocation_count = COUNT(mutants_allocation);
