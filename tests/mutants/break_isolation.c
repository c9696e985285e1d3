/*
 * break_isolation.c - what is broken of memory behind an IOMMU, which the reference driver does not
 * have: drivers and scenes here give it one.
 */
#include "mutants.h"

#include <string.h>

#define PAGE         4096u
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Drivers behind an IOMMU ----------------------------------------------------------------- */

static DRIVER_INITIALIZATION_DATA *below; /* the table that scene or mutant asks */

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

static void APIENTRY isolate(DRIVER_INITIALIZATION_DATA *table, DRIVER_INITIALIZATION_DATA *good) {
    below = good;
    save_size = PAGE;
    second_range = BEHIND_MEMORY + 0x200000;
    ranges_status = STATUS_SUCCESS;
    remaps = false;
    table->DxgkDdiQueryAdapterInfo = query_isolated;
    table->DxgkDdiBeginExclusiveAccess = begin_exclusive;
    table->DxgkDdiEndExclusiveAccess = end_exclusive;
}

static void APIENTRY scene_isolated(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_below);
}

static void APIENTRY install_odd_size(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    save_size = 100;
}

static void APIENTRY install_takes_memory(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    second_range = 0x100000;
}

static void APIENTRY scene_takes_memory(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_below);
    second_range = 0x100000;
}

static void APIENTRY install_reserves_unasked(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    ranges_status = STATUS_INVALID_PARAMETER;
}

static void APIENTRY install_no_end(DRIVER_INITIALIZATION_DATA *table) {
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
    return below->DxgkDdiStartDevice(context, info, calls, sources, children);
}

static void APIENTRY install_by_kernel(DRIVER_INITIALIZATION_DATA *table) {
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
    return below->DxgkDdiStartDevice(context, info, calls, sources, children);
}

static void APIENTRY install_older(DRIVER_INITIALIZATION_DATA *table) {
    isolate(table, &mutants_good);
    remaps = true;
    irql = PASSIVE_LEVEL;
    table->DxgkDdiStartDevice = start_older;
}

static void APIENTRY install_too_high(DRIVER_INITIALIZATION_DATA *table) {
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

static void APIENTRY change_domain(const HANDLE adapter) {
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
#define VERSION(VERSION) .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_##VERSION}}

const struct mutant mutants_isolation[] = {
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
const uint32_t mutants_isolation_count = COUNT(mutants_isolation);
