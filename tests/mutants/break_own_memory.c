/*
 * break_own_memory.c - what is broken of the memory that a driver keeps for its contexts. The
 * reference driver has context allocations only on GPU virtual addresses: drivers and scenes here
 * give it some. break_isolation.c has memory behind an IOMMU.
 */
#include "mutants.h"

#include <string.h>

#define PAGE         4096u
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define APERTURE     1u /* segments of the reference driver */

/* ---- Drivers with context allocations -------------------------------------------------------- */

static DRIVER_INITIALIZATION_DATA *below; /* the table that scene or mutant asks */
static DXGKRNL_INTERFACE system_calls;
static uint64_t own[8]; /* behind the driver's handles: nothing of the reference driver's */
static HANDLE saved;    /* the system's handle of the last one; NULL: none */
static uint32_t made;

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls,
                               PULONG sources, PULONG children) {
    system_calls = *calls;
    made = 0;
    saved = NULL;
    return below->DxgkDdiStartDevice(context, info, calls, sources, children);
}

/* `args` names the owner; a save area in the aperture. */
static void APIENTRY make_own(DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    args->hAdapter = system_calls.DeviceHandle;
    args->hDriverAllocation = &own[made++ % COUNT(own)];
    args->Size = PAGE;
    args->SupportedSegmentSet = 1u << (APERTURE - 1);
    if (system_calls.DxgkCbCreateContextAllocation(args) == STATUS_SUCCESS)
        saved = args->hAllocation;
}

static NTSTATUS APIENTRY destroy_saving(const HANDLE context) {
    NTSTATUS status = below->DxgkDdiDestroyContext(context);
    if (saved)
        (void)system_calls.DxgkCbDestroyContextAllocation(system_calls.DeviceHandle, saved);
    saved = NULL;
    return status;
}

static NTSTATUS APIENTRY create_saving(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.hContext = args->hContext};
    if (!args->Flags.SystemContext)
        make_own(&create);
    return below->DxgkDdiCreateContext(device, args);
}

/* The handle that the driver gave for the device, not the one that it was given. */
static NTSTATUS APIENTRY create_in_own_device(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.hDevice = device, .hContext = args->hContext};
    if (!args->Flags.SystemContext)
        make_own(&create);
    return below->DxgkDdiCreateContext(device, args);
}

/* The handle that the driver gives for its device, where the context's belongs. */
static NTSTATUS APIENTRY create_for_device(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.hContext = device};
    if (!args->Flags.SystemContext)
        make_own(&create);
    return below->DxgkDdiCreateContext(device, args);
}

static NTSTATUS APIENTRY create_for_system(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.hContext = args->hContext};
    if (args->Flags.SystemContext)
        make_own(&create);
    return below->DxgkDdiCreateContext(device, args);
}

static NTSTATUS APIENTRY create_shared(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.hContext = args->hContext};
    create.ContextAllocationFlags.SharedAcrossContexts = 1;
    if (!args->Flags.SystemContext)
        make_own(&create);
    return below->DxgkDdiCreateContext(device, args);
}

#define CONTEXTS(NAME, CREATE)                                                                     \
    static void APIENTRY NAME(DRIVER_INITIALIZATION_DATA *table) {                                 \
        below = &mutants_good;                                                                     \
        table->DxgkDdiStartDevice = start;                                                         \
        table->DxgkDdiCreateContext = CREATE;                                                      \
        table->DxgkDdiDestroyContext = destroy_saving;                                             \
    }

CONTEXTS(install_for_system, create_for_system)
CONTEXTS(install_in_own_device, create_in_own_device)
CONTEXTS(install_for_device, create_for_device)
CONTEXTS(install_shared, create_shared)

static void APIENTRY scene_saving(DRIVER_INITIALIZATION_DATA *table) {
    below = &mutants_below;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiCreateContext = create_saving;
    table->DxgkDdiDestroyContext = destroy_saving;
}

/* ---- Managers over such a driver ------------------------------------------------------------- */

static NTSTATUS APIENTRY build_with_address(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE)
        args->InitContextResource.Destination.VirtualAddress = own;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, build_with_address)

static bool is_own(HANDLE allocation) {
    return (uint64_t *)allocation >= own && (uint64_t *)allocation < own + COUNT(own);
}

static NTSTATUS APIENTRY build_without_own(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ||
        (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
         is_own(args->MapApertureSegment.hAllocation)) ||
        (args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT &&
         is_own(args->UnmapApertureSegment.hAllocation)))
        return STATUS_SUCCESS;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, build_without_own)

static NTSTATUS APIENTRY submit_no_switch(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND other = *args;
    other.Flags.ContextSwitch = 0;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, submit_no_switch)

static NTSTATUS APIENTRY submit_long_switch(const HANDLE adapter,
                                            const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND other = *args;
    if (args->Flags.ContextSwitch)
        other.DmaBufferSubmissionEndOffset = other.DmaBufferSize = 8; /* of whatever is there */
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, submit_long_switch)

/* ---- Managers over the reference driver, which saves contexts where the GPU has an MMU ------- */

static NTSTATUS APIENTRY update_never(const HANDLE adapter,
                                      const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void updates_never(DXGKRNL_INTERFACE *callbacks) {
    callbacks->DxgkCbUpdateContextAllocation = update_never;
}

static NTSTATUS APIENTRY build_larger_update(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION)
        args->UpdateContextAllocation.ContextAllocationSize += PAGE;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY build_other_data(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    static uint8_t data[256];
    DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *update = &args->UpdateContextAllocation;
    if (args->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION &&
        update->DriverPrivateDataSize < sizeof(data)) {
        memcpy(data, update->pDriverPrivateData, update->DriverPrivateDataSize);
        data[update->DriverPrivateDataSize] = 0;
        update->pDriverPrivateData = data;
        update->DriverPrivateDataSize++;
    }
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY build_off_the_map(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION)
        args->UpdateContextAllocation.ContextAllocation = 0;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY build_untold(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY && args->NotifyResidency.Resident)
        return STATUS_SUCCESS;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

/* Pages counted in bytes. */
static D3DGPU_VIRTUAL_ADDRESS APIENTRY map_bytes(const HANDLE adapter,
                                                 const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    DXGKARGCB_MAPCONTEXTALLOCATION mine = *args;
    mine.SizeInPages *= PAGE;
    return system_calls.DxgkCbMapContextAllocation(adapter, &mine);
}

static NTSTATUS APIENTRY start_mapping_bytes(const PVOID context, PDXGK_START_INFO info,
                                             PDXGKRNL_INTERFACE calls, PULONG sources,
                                             PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbMapContextAllocation = map_bytes;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}
REPLACE(DxgkDdiStartDevice, start_mapping_bytes)

#define BUILD(NAME)                                                                                \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiBuildPagingBuffer = build_##NAME;                                            \
    }

BUILD(larger_update)
BUILD(other_data)
BUILD(off_the_map)
BUILD(untold)

/* ---- The table ------------------------------------------------------------------------------- */

#define DRIVER  VIDMM_SIDE_DRIVER
#define MANAGER VIDMM_SIDE_MANAGER
#define SAVED   .settings = {{"MmuLevels", 3}, {"ContextBytes", 2 * PAGE}}

const struct mutant mutants_own_memory[] = {
    {283, MANAGER, "moves what a context keeps without having switched to none",
     install_submit_no_switch, "promises", .scene = scene_saving},
    {283, MANAGER, "switches to no context with commands", install_submit_long_switch, "promises",
     .scene = scene_saving},
    {BREAKS(343, DRIVER, "locks", for_system,
            "makes context allocations for the system's own contexts")},
    {BREAKS(344, DRIVER, "locks", in_own_device,
            "makes a context allocation in the device by its own handle of it")},
    {BREAKS(344, DRIVER, "locks", for_device,
            "makes a context allocation for a context that is none of the system's")},
    {BREAKS(629, DRIVER, "residency", start_mapping_bytes,
            "counts the pages of its context allocations in bytes"),
     SAVED},
    {BREAKS(344, DRIVER, "locks", shared, "names a context for what all contexts share")},
    {345, MANAGER, "gives an address for a context allocation that has none",
     install_build_with_address, "locks", .scene = scene_saving},
    {346, MANAGER, "runs a context without its own allocations", install_build_without_own, "locks",
     .consequences = {199}, .scene = scene_saving},
    {346, MANAGER, "runs a context whose memory the driver takes for evicted", install_untold,
     "residency", .consequences = {247}, SAVED},
    {.rule = 347,
     .side = MANAGER,
     .what = "says that an update is done and does nothing",
     .callbacks = updates_never,
     .stage = "residency",
     .consequences = {423},
     SAVED},
    {348, MANAGER, "updates more than the allocation has", install_larger_update, "residency",
     .consequences = {160}, SAVED},
    {348, MANAGER, "updates with data that it made up", install_other_data, "residency",
     .consequences = {347, 160}, SAVED},
    {348, MANAGER, "updates what is mapped nowhere", install_off_the_map, "residency", SAVED},
};
const uint32_t mutants_own_memory_count = COUNT(mutants_own_memory);
