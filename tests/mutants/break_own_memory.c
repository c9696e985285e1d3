/*
 * break_own_memory.c - what is broken of the memory that a driver keeps for itself: allocations for
 * its contexts, swizzling ranges, memory behind an IOMMU. The reference driver has no IOMMU, and
 * context allocations only on GPU virtual addresses: drivers and scenes here give it some.
 */
#include "mutants.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

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
static void make_own(DXGKARGCB_CREATECONTEXTALLOCATION *args) {
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
    static void NAME(DRIVER_INITIALIZATION_DATA *table) {                                          \
        below = &mutants_good;                                                                     \
        table->DxgkDdiStartDevice = start;                                                         \
        table->DxgkDdiCreateContext = CREATE;                                                      \
        table->DxgkDdiDestroyContext = destroy_saving;                                             \
    }

CONTEXTS(install_for_system, create_for_system)
CONTEXTS(install_shared, create_shared)

static void scene_saving(DRIVER_INITIALIZATION_DATA *table) {
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

#define BUILD(NAME)                                                                                \
    static void install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        table->DxgkDdiBuildPagingBuffer = build_##NAME;                                            \
    }

BUILD(larger_update)
BUILD(other_data)
BUILD(off_the_map)
BUILD(untold)

/* ---- Swizzling ranges ------------------------------------------------------------------------ */

static NTSTATUS APIENTRY acquire_unseen(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    args->SegmentId = APERTURE;
    return mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
}

static NTSTATUS APIENTRY acquire_beyond(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    DXGKARG_ACQUIRESWIZZLINGRANGE mine = *args;
    mine.RangeId = 99;
    return mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, &mine);
}

static NTSTATUS APIENTRY acquire_twice(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    DXGKARG_ACQUIRESWIZZLINGRANGE again = *args;
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    if (status == STATUS_SUCCESS)
        (void)mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, &again);
    return status;
}

static NTSTATUS APIENTRY acquire_again(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    for (uint32_t i = 0; i < 2 && status != STATUS_SUCCESS; i++)
        status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    return status;
}

static NTSTATUS APIENTRY acquire_larger(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    args->RangeSize *= 2;
    return status;
}

static NTSTATUS APIENTRY acquire_nowhere(const HANDLE adapter,
                                         DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    args->CPUTranslatedAddress.QuadPart = 0x7ff0000000;
    return status;
}

static NTSTATUS APIENTRY acquire_never(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
}

static NTSTATUS APIENTRY acquire_later(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE;
}

static NTSTATUS APIENTRY release_all(const HANDLE adapter,
                                     const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    DXGKARG_RELEASESWIZZLINGRANGE other = *args;
    other.RangeId = 1 - args->RangeId;
    (void)mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, &other);
    return mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, args);
}
REPLACE(DxgkDdiReleaseSwizzlingRange, release_all)

/* A driver that takes its time, so that two threads meet in a range that is free. */
static NTSTATUS APIENTRY release_slowly(const HANDLE adapter,
                                        const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    const struct timespec while_another_comes = {.tv_nsec = 1000000};
    nanosleep(&while_another_comes, NULL);
    return mutants_below.DxgkDdiReleaseSwizzlingRange(adapter, args);
}
REPLACE_BELOW(DxgkDdiReleaseSwizzlingRange, release_slowly)

#define RELEASES 50u

static void *release_often(void *adapter) {
    const DXGKARG_RELEASESWIZZLINGRANGE args = {.RangeId = 99};
    for (uint32_t i = 0; i < RELEASES; i++)
        (void)mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, &args);
    return NULL;
}

static NTSTATUS APIENTRY acquire_beside(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    static bool done;
    pthread_t other;
    if (!done && pthread_create(&other, NULL, release_often, adapter) == 0) {
        release_often(adapter);
        pthread_join(other, NULL);
    }
    done = true;
    return mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
}

#define ACQUIRE(NAME)                                                                              \
    static void install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        table->DxgkDdiAcquireSwizzlingRange = acquire_##NAME;                                      \
    }

ACQUIRE(unseen)
ACQUIRE(beside)
ACQUIRE(beyond)
ACQUIRE(twice)
ACQUIRE(again)
ACQUIRE(larger)
ACQUIRE(nowhere)
ACQUIRE(never)
ACQUIRE(later)

/* ---- Drivers behind an IOMMU ----------------------------------------------------------------- */

#define BEHIND_MEMORY 0x7000000000 /* no memory of the system is there */

static uint64_t save_size;
static uint64_t second_range; /* where the second reserved range begins */
static NTSTATUS ranges_status;
static bool remaps;

static NTSTATUS answer_ranges(DXGK_HARDWARERESERVEDRANGES *ranges) {
    ranges->NumRanges = 2;
    if (ranges_status != STATUS_SUCCESS)
        return ranges_status;
    if (!ranges->pPhysicalRanges)
        return STATUS_SUCCESS;
    ranges->pPhysicalRanges[0].BaseAddress.QuadPart = BEHIND_MEMORY;
    ranges->pPhysicalRanges[1].BaseAddress.QuadPart = (LONGLONG)second_range;
    ranges->pPhysicalRanges[0].NumberOfBytes = ranges->pPhysicalRanges[1].NumberOfBytes = 0x10000;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query_isolated(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE) {
        ((DXGK_FRAMEBUFFERSAVEAREA *)args->pOutputData)->MaximumSize = save_size;
        return STATUS_SUCCESS;
    }
    if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES)
        return answer_ranges(args->pOutputData);
    if (args->Type == DXGKQAITYPE_IOMMU_CAPS) {
        ((DXGK_IOMMU_CAPS *)args->pOutputData)->DmaRemappingSupported = remaps;
        return STATUS_SUCCESS;
    }
    NTSTATUS status = below->DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
        args->OutputDataSize == sizeof(DXGK_DRIVERCAPS))
        ((DXGK_DRIVERCAPS *)args->pOutputData)->MemoryManagementCaps.IoMmuSecureModeSupported = 1;
    return status;
}

static NTSTATUS APIENTRY begin_exclusive(const HANDLE adapter, DXGKARG_BEGINEXCLUSIVEACCESS *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY end_exclusive(const HANDLE adapter, DXGKARG_ENDEXCLUSIVEACCESS *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void isolate(DRIVER_INITIALIZATION_DATA *table, DRIVER_INITIALIZATION_DATA *good) {
    below = good;
    save_size = PAGE;
    second_range = BEHIND_MEMORY + 0x200000;
    ranges_status = STATUS_SUCCESS;
    remaps = false;
    table->DxgkDdiQueryAdapterInfo = query_isolated;
    table->DxgkDdiBeginExclusiveAccess = begin_exclusive;
    table->DxgkDdiEndExclusiveAccess = end_exclusive;
}

static void scene_isolated(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_below);
}

static void install_odd_size(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    save_size = 100;
}

static void install_takes_memory(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    second_range = 0x100000;
}

static void scene_takes_memory(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_below);
    second_range = 0x100000;
}

static void install_reserves_unasked(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    ranges_status = STATUS_INVALID_PARAMETER;
}

static void install_no_end(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    table->DxgkDdiEndExclusiveAccess = NULL;
}

/* Takes and gives back memory by a function of ntoskrnl. */
static NTSTATUS APIENTRY start_by_kernel(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE calls, PULONG sources,
                                         PULONG children) {
    PHYSICAL_ADDRESS highest = {.QuadPart = INT64_MAX};
    PVOID ring = MmAllocateContiguousMemory(PAGE, highest);
    if (ring)
        MmFreeContiguousMemory(ring);
    return start(context, info, calls, sources, children);
}

static void install_by_kernel(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    table->DxgkDdiStartDevice = start_by_kernel;
}

/* Takes and gives back memory by an older callback, at `irql`. */
static KIRQL irql;

static NTSTATUS APIENTRY start_older(const PVOID context, PDXGK_START_INFO info,
                                     PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    DXGKARGCB_ALLOCATECONTIGUOUSMEMORY take = {.NumberOfBytes = PAGE};
    KIRQL before;
    take.HighestAcceptableAddress.QuadPart = INT64_MAX;
    KeRaiseIrql(irql, &before);
    NTSTATUS status = calls->DxgkCbAllocateContiguousMemory(calls->DeviceHandle, &take);
    KeLowerIrql(before);
    if (status == STATUS_SUCCESS) {
        DXGKARGCB_FREECONTIGUOUSMEMORY give = {.hMemoryHandle = take.hMemoryHandle};
        (void)calls->DxgkCbFreeContiguousMemory(calls->DeviceHandle, &give);
    }
    return start(context, info, calls, sources, children);
}

static void install_older(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    remaps = true;
    irql = PASSIVE_LEVEL;
    table->DxgkDdiStartDevice = start_older;
}

static void install_too_high(DRIVER_INITIALIZATION_DATA *table) {
    below = &mutants_good;
    irql = DISPATCH_LEVEL;
    table->DxgkDdiStartDevice = start_older;
}

/* ---- Managers over them ---------------------------------------------------------------------- */

static NTSTATUS APIENTRY query_size_first(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_FRAMEBUFFERSAVEAREA area = {.MaximumSize = 0};
    DXGKARG_QUERYADAPTERINFO early = {.Type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE,
                                      .pOutputData = &area,
                                      .OutputDataSize = sizeof(area)};
    if (args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS)
        (void)mutants_good.DxgkDdiQueryAdapterInfo(adapter, &early);
    return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
}
REPLACE(DxgkDdiQueryAdapterInfo, query_size_first)

static void change_domain(const HANDLE adapter) {
    uint64_t nothing[8] = {0};
    (void)mutants_good.DxgkDdiBeginExclusiveAccess(adapter, (void *)nothing);
    (void)mutants_good.DxgkDdiEndExclusiveAccess(adapter, (void *)nothing);
}

/* Changes the domain where it should first ask what has to be in it. */
static NTSTATUS APIENTRY query_no_ranges(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type != DXGKQAITYPE_HARDWARERESERVEDRANGES)
        return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    change_domain(adapter);
    return STATUS_NO_MEMORY;
}
REPLACE(DxgkDdiQueryAdapterInfo, query_no_ranges)

/* Asks for the ranges, and does not mind what they are. */
static NTSTATUS APIENTRY query_any_ranges(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES &&
        ((DXGK_HARDWARERESERVEDRANGES *)args->pOutputData)->pPhysicalRanges)
        change_domain(adapter);
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, query_any_ranges)

/* Asks the driver while its domain changes. */
static NTSTATUS APIENTRY query_while_changing(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type != DXGKQAITYPE_HARDWARERESERVEDRANGES ||
        !((DXGK_HARDWARERESERVEDRANGES *)args->pOutputData)->pPhysicalRanges)
        return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    uint64_t nothing[8] = {0};
    (void)mutants_good.DxgkDdiBeginExclusiveAccess(adapter, (void *)nothing);
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    (void)mutants_good.DxgkDdiEndExclusiveAccess(adapter, (void *)nothing);
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, query_while_changing)

/* ---- The table ------------------------------------------------------------------------------- */

#define DRIVER           VIDMM_SIDE_DRIVER
#define MANAGER          VIDMM_SIDE_MANAGER
#define SAVED            .settings = {{"MmuLevels", 3}, {"ContextBytes", 2 * PAGE}}
#define VERSION(VERSION) .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_##VERSION}}

const struct mutant mutants_own_memory[] = {
    {283, MANAGER, "moves what a context keeps without having switched to none",
     install_submit_no_switch, "promises", .scene = scene_saving},
    {283, MANAGER, "switches to no context with commands", install_submit_long_switch, "promises",
     .scene = scene_saving},
    {BREAKS(343, DRIVER, "locks", for_system,
            "makes context allocations for the system's own contexts")},
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
     SAVED},
    {348, MANAGER, "updates more than the allocation has", install_larger_update, "residency",
     SAVED},
    {348, MANAGER, "updates with data that it made up", install_other_data, "residency",
     .consequences = {347}, SAVED},
    {348, MANAGER, "updates what is mapped nowhere", install_off_the_map, "residency", SAVED},
    {349, MANAGER, "asks for a range on an aperture that the CPU does not see", install_unseen,
     "locks", VERSION(WIN8)},
    {350, MANAGER, "asks for a range that the hardware does not have", install_beyond, "locks",
     VERSION(WIN8)},
    {350, MANAGER, "asks for a range that it has", install_twice, "locks", VERSION(WIN8)},
    {483, MANAGER, "releases ranges on two threads", install_beside, "locks",
     .scene = scene_release_slowly, VERSION(WIN8)},
    {351, DRIVER, "makes a range larger than it was asked for", install_larger, "locks",
     VERSION(WIN8)},
    {351, DRIVER, "gives an address where nothing is", install_nowhere, "ranges", VERSION(WIN8)},
    {352, DRIVER, "releases all ranges with one", install_release_all, "ranges", VERSION(WIN8)},
    {353, MANAGER, "asks again for what is not supported", install_again, "ranges",
     .scene = install_never, VERSION(WIN8)},
    {353, MANAGER, "asks again without having released anything", install_again, "ranges",
     .scene = install_later, VERSION(WIN8)},
    {356, DRIVER, "saves a part of a page", install_odd_size, "query", VERSION(WDDM2_9)},
    {356, MANAGER, "asks how much is to be saved before it asks for the adapter",
     install_query_size_first, "query", .scene = scene_isolated, VERSION(WDDM2_9)},
    {355, MANAGER, "asks the driver while its domain changes", install_query_while_changing,
     "query", .scene = scene_isolated, VERSION(WDDM2_9)},
    {357, DRIVER, "reserves memory of the system", install_takes_memory, "query", VERSION(WDDM2_9)},
    {357, MANAGER, "changes the domain though memory of the system is reserved",
     install_query_any_ranges, "query", .scene = scene_takes_memory, VERSION(WDDM2_9)},
    {475, DRIVER, "is isolated and takes memory from ntoskrnl", install_by_kernel, "query",
     VERSION(WDDM2_9)},
    {477, DRIVER, "is isolated and cannot end exclusive access", install_no_end, "query",
     VERSION(WDDM2_9)},
    {479, DRIVER, "is isolated and does not tell what is reserved", install_reserves_unasked,
     "query", VERSION(WDDM2_9)},
    {357, MANAGER, "changes the domain without having asked what is reserved",
     install_query_no_ranges, "query", .scene = scene_isolated, VERSION(WDDM2_9)},
    {358, DRIVER, "takes memory by an older callback in spite of remapping", install_older, "query",
     VERSION(WDDM2_9)},
    {359, DRIVER, "takes memory at DISPATCH_LEVEL", install_too_high, "query", VERSION(WDDM2_9)},
};
const uint32_t mutants_own_memory_count = COUNT(mutants_own_memory);
