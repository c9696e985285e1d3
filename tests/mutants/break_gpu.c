/*
 * break_gpu.c - drivers whose GPU does not do what was asked of it though each call looks right:
 * fences that are not written, resets that stop nothing, pages that are not snooped; and managers
 * that ask for what they must not.
 */
#include "mutants.h"

#include <string.h>

#define ENTRIES 8192u

/* ---- SIGNAL_MONITORED_FENCE ------------------------------------------------------------------ */

static bool signals(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
}

static NTSTATUS APIENTRY ignores_fences(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return signals(args) ? STATUS_SUCCESS : mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, ignores_fences)

static NTSTATUS APIENTRY behind_by_one(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    const UINT64 value = args->SignalMonitoredFence.MonitoredFenceValue;
    if (!signals(args))
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->SignalMonitoredFence.MonitoredFenceValue--;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->SignalMonitoredFence.MonitoredFenceValue = value;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, behind_by_one)

static NTSTATUS APIENTRY signals_nowhere(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (signals(args))
        args->SignalMonitoredFence.MonitoredFenceGpuVa += UINT64_C(1) << 29;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, signals_nowhere)

/* ---- Resets ---------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY stops_nothing(const HANDLE adapter) {
    (void)adapter;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiResetFromTimeout, stops_nothing)

static NTSTATUS APIENTRY resets_and_complains(const HANDLE adapter) {
    (void)mutants_good.DxgkDdiResetFromTimeout(adapter);
    return STATUS_UNSUCCESSFUL;
}
REPLACE(DxgkDdiResetFromTimeout, resets_and_complains)

/* ---- CacheCoherent --------------------------------------------------------------------------- */

static DXGK_PTE entries[ENTRIES];

/* The driver gets entries of tables up to `level` changed. */
static NTSTATUS update(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args, UINT level,
                       void(APIENTRY *change)(DXGK_PTE *entry)) {
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *of = &args->UpdatePageTable;
    UINT count = of->Flags.Repeat ? 1 : of->NumPageTableEntries;
    if (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || of->PageTableLevel > level ||
        count > ENTRIES)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    DXGK_PTE *given = of->pPageTableEntries;
    memcpy(entries, given, count * sizeof(entries[0]));
    for (UINT i = 0; i < count; i++)
        change(&entries[i]);
    of->pPageTableEntries = entries;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    of->pPageTableEntries = given;
    return status;
}

static void APIENTRY clear_coherent(DXGK_PTE *entry) {
    entry->CacheCoherent = 0;
}

static void APIENTRY set_coherent(DXGK_PTE *entry) {
    entry->CacheCoherent = entry->Valid;
}

static NTSTATUS APIENTRY snoops_nothing(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return update(adapter, args, 0, clear_coherent);
}
REPLACE(DxgkDdiBuildPagingBuffer, snoops_nothing)

static NTSTATUS APIENTRY always_coherent(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return update(adapter, args, 0, set_coherent);
}
REPLACE(DxgkDdiBuildPagingBuffer, always_coherent)

static NTSTATUS APIENTRY query_incoherent(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_below.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_GPUMMUCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS && status == STATUS_SUCCESS)
        caps->CacheCoherentMemorySupported = 0;
    return status;
}

static void APIENTRY scene_incoherent(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = query_incoherent;
}

/* ---- Rights, and where tables and allocations lie -------------------------------------------- */

static void APIENTRY clear_rights(DXGK_PTE *entry) {
    entry->ReadOnly = entry->NoExecute = 0;
}

static NTSTATUS APIENTRY forgets_rights(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return update(adapter, args, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT, clear_rights);
}
REPLACE(DxgkDdiBuildPagingBuffer, forgets_rights)

static void APIENTRY clear_read_only(DXGK_PTE *entry) {
    entry->ReadOnly = 0;
}

static NTSTATUS APIENTRY forgets_read_only(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return update(adapter, args, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT, clear_read_only);
}
REPLACE(DxgkDdiBuildPagingBuffer, forgets_read_only)

static void APIENTRY clear_large_read_only(DXGK_PTE *entry) {
    entry->ReadOnly = entry->ReadOnly && !entry->LargePage;
}

static NTSTATUS APIENTRY forgets_large_read_only(const HANDLE adapter,
                                                 DXGKARG_BUILDPAGINGBUFFER *args) {
    return update(adapter, args, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT, clear_large_read_only);
}
REPLACE(DxgkDdiBuildPagingBuffer, forgets_large_read_only)

/* A driver whose tables shall lie in system memory, which its manager does not hear. */
static NTSTATUS APIENTRY query_elsewhere(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_PAGE_TABLE_LEVEL_DESC *desc = args->pOutputData;
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC && status == STATUS_SUCCESS)
        desc->PageTableSegmentId = 0;
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, query_elsewhere)

/* ---- Protected ranges ------------------------------------------------------------------------ */

/* Changes every descriptor with a protected range. */
static NTSTATUS query_ranges(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args,
                             SIZE_T start, SIZE_T size) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || status != STATUS_SUCCESS)
        return status;
    for (UINT i = 0; out->pSegmentDescriptor && i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR4 *descriptor =
            (DXGK_SEGMENTDESCRIPTOR4 *)(void *)(out->pSegmentDescriptor +
                                                i * out->SegmentDescriptorStride);
        if (!descriptor->Flags.VprSupported)
            continue;
        descriptor->VprRangeStartOffset += start;
        descriptor->VprRangeSize = size != 0 ? size : descriptor->VprRangeSize;
        descriptor->Flags.VprSupported = size == 0;
    }
    return status;
}

static NTSTATUS APIENTRY query_odd_range(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    return query_ranges(adapter, args, 4096, 0);
}
REPLACE(DxgkDdiQueryAdapterInfo, query_odd_range)

static NTSTATUS APIENTRY query_no_range(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    return query_ranges(adapter, args, 0, 4096);
}
REPLACE(DxgkDdiQueryAdapterInfo, query_no_range)

/* ---- Operations and handles that are not there ----------------------------------------------- */

/* Once, behind another operation. */
static bool asked_later;

static NTSTATUS APIENTRY asks_later(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT room = args->DmaSize;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (asked_later || status != STATUS_SUCCESS || args->DmaSize == room)
        return status;
    DXGKARG_BUILDPAGINGBUFFER other = *args;
    asked_later = true;
    memset(&other.Transfer, 0, sizeof(other.Transfer));
    other.Operation = DXGK_OPERATION_UNMAP_MMU;
    other.MultipassOffset = 0;
    other.DmaBufferWriteOffset += room - args->DmaSize;
    (void)mutants_good.DxgkDdiBuildPagingBuffer(adapter, &other);
    return status;
}

static void APIENTRY install_asks_later(DRIVER_INITIALIZATION_DATA *table) {
    asked_later = false;
    table->DxgkDdiBuildPagingBuffer = asks_later;
}

static NTSTATUS APIENTRY creates_in_nothing(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    if (!args->hResource && !args->Flags.Resource)
        args->hResource = args;
    return mutants_good.DxgkDdiCreateAllocation(adapter, args);
}
REPLACE(DxgkDdiCreateAllocation, creates_in_nothing)

/* All that the CPU sees is Cached, which the manager does not hear. */
static NTSTATUS APIENTRY creates_cached(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Flags.Cached = args->pAllocationInfo[i].Flags.CpuVisible;
    return status;
}
REPLACE_BELOW(DxgkDdiCreateAllocation, creates_cached)

static NTSTATUS APIENTRY forgets_cached(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Flags.Cached = 0;
    return status;
}
REPLACE(DxgkDdiCreateAllocation, forgets_cached)

/* ---- DxgkDdiSubmitCommand -------------------------------------------------------------------- */

#define DEVICE_LEVEL 5

static NTSTATUS APIENTRY submits_high(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    KIRQL before;
    KeRaiseIrql(DEVICE_LEVEL, &before);
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    KeLowerIrql(before);
    return status;
}
REPLACE(DxgkDdiSubmitCommand, submits_high)

static NTSTATUS APIENTRY query_cancels(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS)
        caps->SchedulingCaps.CancelCommandAware = 1;
    return status;
}

static NTSTATUS APIENTRY cancels_nothing(const HANDLE adapter, const DXGKARG_CANCELCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_NOT_FOUND;
}

static void APIENTRY install_cancels_nothing(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = query_cancels;
    table->DxgkDdiCancelCommand = cancels_nothing;
}

static NTSTATUS APIENTRY drops_null(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    return args->Flags.NullRendering ? STATUS_SUCCESS
                                     : mutants_good.DxgkDdiSubmitCommand(adapter, args);
}
REPLACE(DxgkDdiSubmitCommand, drops_null)

static NTSTATUS APIENTRY runs_null(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND other = *args;
    other.Flags.NullRendering = 0;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, runs_null)

/* ---- DxgkDdiSubmitCommandVirtual ------------------------------------------------------------- */

static NTSTATUS APIENTRY has_no_memory(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
    return status == STATUS_SUCCESS ? STATUS_NO_MEMORY : status;
}
REPLACE(DxgkDdiSubmitCommandVirtual, has_no_memory)

static NTSTATUS APIENTRY runs_null_virtual(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    DXGKARG_SUBMITCOMMANDVIRTUAL other = *args;
    other.Flags.NullRendering = 0;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommandVirtual, runs_null_virtual)

/* All contexts but the first of the system run with the root of the first of an application. */
static DXGKARG_SETROOTPAGETABLE first_root;
static HANDLE paging_context;

static VOID APIENTRY one_space(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE mine = *args;
    if (!paging_context)
        paging_context = args->hContext;
    else if (args->hContext != paging_context && first_root.NumEntries == 0)
        first_root = *args;
    if (args->hContext != paging_context) {
        mine.Address = first_root.Address;
        mine.NumEntries = first_root.NumEntries;
    }
    mutants_good.DxgkDdiSetRootPageTable(adapter, &mine);
}

/* Each context keeps the root that it began with. */
#define ROOTS_MOST 64u
static struct {
    HANDLE context;
    DXGKARG_SETROOTPAGETABLE root;
} began[ROOTS_MOST];

static VOID APIENTRY keeps_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    uint32_t at = 0;
    while (at < ROOTS_MOST - 1 && began[at].context && began[at].context != args->hContext)
        at++;
    if (!began[at].context) {
        began[at].context = args->hContext;
        began[at].root = *args;
    }
    mutants_good.DxgkDdiSetRootPageTable(adapter, &began[at].root);
}

static NTSTATUS APIENTRY forgets_root(const HANDLE context) {
    for (uint32_t i = 0; i < ROOTS_MOST; i++)
        if (began[i].context == context)
            memset(&began[i], 0, sizeof(began[i]));
    return mutants_good.DxgkDdiDestroyContext(context);
}

static void APIENTRY install_keeps_root(DRIVER_INITIALIZATION_DATA *table) {
    memset(began, 0, sizeof(began));
    table->DxgkDdiSetRootPageTable = keeps_root;
    table->DxgkDdiDestroyContext = forgets_root;
}

/* Hardware has so many address spaces, and contexts beyond them get those of the first ones. */
#define SPACES 16u

static VOID APIENTRY few_spaces(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE mine = *args;
    uint32_t at = 0;
    while (at < ROOTS_MOST - 1 && began[at].context && began[at].context != args->hContext)
        at++;
    began[at].context = args->hContext;
    began[at].root = *args;
    if (at >= SPACES) {
        mine.Address = began[at - SPACES].root.Address;
        mine.NumEntries = began[at - SPACES].root.NumEntries;
    }
    mutants_good.DxgkDdiSetRootPageTable(adapter, &mine);
}

static void APIENTRY install_few_spaces(DRIVER_INITIALIZATION_DATA *table) {
    install_keeps_root(table);
    table->DxgkDdiSetRootPageTable = few_spaces;
}

/* As if a table could only be in a segment at address 0. */
static VOID APIENTRY root_by_offset(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE mine = *args;
    mine.Address.SegmentId = 0;
    mutants_good.DxgkDdiSetRootPageTable(adapter, &mine);
}
REPLACE(DxgkDdiSetRootPageTable, root_by_offset)

/* As if each root were as long as the longest. */
#define ROOT_MOST 32768u

static VOID APIENTRY root_without_end(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE mine = *args;
    mine.NumEntries = ROOT_MOST;
    mutants_good.DxgkDdiSetRootPageTable(adapter, &mine);
}
REPLACE(DxgkDdiSetRootPageTable, root_without_end)

static void APIENTRY install_one_space(DRIVER_INITIALIZATION_DATA *table) {
    memset(&first_root, 0, sizeof(first_root));
    paging_context = NULL;
    table->DxgkDdiSetRootPageTable = one_space;
}

/* A driver that takes the first work of an application for malformed. */
static bool refused;

static NTSTATUS APIENTRY refuses_once(const HANDLE adapter,
                                      const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    bool first = !args->Flags.Paging && !refused;
    refused = refused || first;
    return first ? STATUS_INVALID_PARAMETER
                 : mutants_below.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void APIENTRY scene_refuses_once(DRIVER_INITIALIZATION_DATA *table) {
    refused = false;
    table->DxgkDdiSubmitCommandVirtual = refuses_once;
}

static NTSTATUS APIENTRY submits_again(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
    return status == STATUS_INVALID_PARAMETER
               ? mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args)
               : status;
}
REPLACE(DxgkDdiSubmitCommandVirtual, submits_again)

/* ---- Capabilities ---------------------------------------------------------------------------- */

static NTSTATUS APIENTRY query_levels(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_GPUMMUCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS && status == STATUS_SUCCESS)
        caps->PageTableLevelCount = DXGK_MAX_PAGE_TABLE_LEVEL_COUNT + 1;
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, query_levels)

/* ---- The list -------------------------------------------------------------------------------- */

#define THREE .settings = {{"MmuLevels", 3}}
#define PROTECTED                                                                                  \
    .settings = {{"VprBytes", 8u << 20}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}
#define QUEUES                                                                                     \
    .settings = {{"MmuLevels", 3}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_2}}

const struct mutant mutants_gpu[] = {
    {BREAKS(420, DRIVER, "residency", ignores_fences, "ignores SIGNAL_MONITORED_FENCE"), QUEUES},
    {BREAKS(420, DRIVER, "residency", behind_by_one,
            "writes fence values that are reached already"),
     QUEUES},
    {BREAKS(420, MANAGER, "residency", signals_nowhere, "signals a fence at no address"), QUEUES},
    {BREAKS(421, DRIVER, "preempt", stops_nothing, "stops nothing in a reset"),
     .consequences = {281}},
    {BREAKS(421, DRIVER, "preempt", stops_nothing,
            "stops nothing in a reset, with paging by address"),
     THREE, .consequences = {281, 611}},
    {BREAKS(422, DRIVER, "preempt", resets_and_complains, "answers a reset with a failure")},
    {BREAKS(257, DRIVER, "engines", root_without_end,
            "lets the GPU read entries beyond the end of a root page table")},
    {BREAKS(423, DRIVER, "residency", one_space,
            "runs all applications in the address space of one"),
     .consequences = {539, 380}, THREE},
    {BREAKS(423, DRIVER, "residency", keeps_root,
            "goes on with the root page table that a context began with"),
     .consequences = {380}, THREE},
    {BREAKS(423, DRIVER, "residency", few_spaces, "has address spaces for 16 contexts at a time"),
     .consequences = {380}, THREE},
    {BREAKS(423, DRIVER, "paging", root_by_offset,
            "takes the offset of a root page table for its address"),
     .consequences = {380}, .settings = {{"MmuLevels", 4}, {"MmuTableSegment", 2}}},
    {BREAKS(424, MANAGER, "paging", always_coherent,
            "sets CacheCoherent where there is no such bit"),
     THREE, .scene = scene_incoherent},
    {BREAKS(425, DRIVER, "paging", snoops_nothing, "leaves CacheCoherent out of its entries"),
     THREE},
    {BREAKS(426, DRIVER, "paging", query_levels, "has one level of page tables too many"), THREE},
    {BREAKS(428, MANAGER, "paging", query_elsewhere, "puts tables into another segment"),
     .settings = {{"MmuLevels", 4}, {"MmuTableSegment", 2}}},
    {BREAKS(429, DRIVER, "start", query_odd_range, "has a protected range between its units"),
     PROTECTED},
    {BREAKS(430, MANAGER, "paging", query_no_range, "places anything in the protected range"),
     PROTECTED},
    {BREAKS(432, MANAGER, "paging", creates_in_nothing, "creates in a resource that is not there")},
    {BREAKS(446, MANAGER, "paging", asks_later, "asks for an operation of a later version")},
    {BREAKS(433, MANAGER, "operations", submits_high,
            "submits at the level of a device's interrupt")},
    {BREAKS(472, DRIVER, "residency", forgets_rights, "leaves ReadOnly and NoExecute out"), THREE},
    {BREAKS(472, DRIVER, "residency", forgets_read_only, "leaves ReadOnly out"), THREE},
    {BREAKS(472, DRIVER, "large-pages", forgets_large_read_only,
            "leaves ReadOnly out of large pages"),
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
    {BREAKS(472, DRIVER, "engines", forgets_read_only,
            "leaves ReadOnly out, and its GPU writes to the page"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(449, MANAGER, "locks", forgets_cached, "locks cached content in the GPU's memory"),
     .scene = scene_creates_cached},
    {BREAKS(278, MANAGER, "paging", submits_again,
            "goes on with a device whose work was malformed"),
     THREE, .scene = scene_refuses_once, .consequences = {279, 281, 391}},
    {BREAKS(613, DRIVER, "preempt", cancels_nothing, "fails to cancel work")},
    {BREAKS(612, DRIVER, "room", runs_null, "runs DMA buffers with NullRendering")},
    {BREAKS(612, DRIVER, "room", runs_null,
            "runs DMA buffers with NullRendering, with an aperture alone"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(612, DRIVER, "room", drops_null, "drops DMA buffers with NullRendering")},
    {BREAKS(612, DRIVER, "residency", runs_null_virtual,
            "runs commands at GPU virtual addresses with NullRendering"),
     THREE},
    {BREAKS(612, DRIVER, "residency", runs_null_virtual,
            "runs commands at addresses of processes with NullRendering"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(279, DRIVER, "paging", has_no_memory, "has no memory for a submission"), THREE},
};
const uint32_t mutants_gpu_count = sizeof(mutants_gpu) / sizeof(mutants_gpu[0]);
