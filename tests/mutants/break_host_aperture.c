/*
 * break_host_aperture.c - what is broken of a CPU host aperture. That of the reference driver is in
 * the hardware and cannot be spoiled from here: each driver here shows the lower half of its memory
 * through pages in the upper half's BAR. Silicon would redirect accesses; here a page is copied
 * when it is mapped and back when it is unmapped.
 */
#include "mutants.h"

#include <string.h>

#define PAGE         4096u
#define PAGES        8u
#define UNMAPPED     UINT64_MAX
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const DRIVER_INITIALIZATION_DATA *below;
static uint64_t bar;           /* of the memory segment */
static uint64_t behind[PAGES]; /* segment pages behind the aperture's */
static uint32_t described;     /* pages, as the driver says */

/* ---- A driver with an aperture --------------------------------------------------------------- */

static void APIENTRY open_aperture(DXGK_SEGMENTDESCRIPTOR4 *segment) {
    uint64_t half = segment->Size / 2;
    bar = (uint64_t)segment->CpuTranslatedAddress.QuadPart;
    segment->Flags.CpuVisible = 0;
    segment->Flags.SupportsCpuHostAperture = 1;
    segment->Size = segment->CommitLimit = half;
    segment->CpuHostAperture =
        (DXGK_CPUHOSTAPERTURE){.PhysicalAddress = bar + half, .SizeInPages = described};
    for (uint32_t i = 0; i < PAGES; i++)
        behind[i] = UNMAPPED;
}

static uint64_t aperture;
static UINT elsewhere; /* set of the other segments that the CPU sees; 0: all */

/* Its page tables would lie in the memory that the CPU does not see any more. */
static bool has_tables(const HANDLE adapter) {
    DXGK_DRIVERCAPS caps = {.WDDMVersion = 0};
    const DXGKARG_QUERYADAPTERINFO args = {
        .Type = DXGKQAITYPE_DRIVERCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    return below->DxgkDdiQueryAdapterInfo(adapter, &args) == STATUS_SUCCESS &&
           caps.MemoryManagementCaps.VirtualAddressingSupported;
}

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = below->DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || status != STATUS_SUCCESS ||
        !out->pSegmentDescriptor || has_tables(adapter))
        return status;
    elsewhere = 0;
    for (UINT i = 0, opened = 0; i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR4 *segment =
            (void *)(out->pSegmentDescriptor + i * out->SegmentDescriptorStride);
        elsewhere |= segment->Flags.Aperture ? 1u << i : 0;
        if (segment->Flags.Aperture || !segment->Flags.CpuVisible || opened++ != 0)
            continue;
        open_aperture(segment);
        aperture = segment->CpuHostAperture.PhysicalAddress;
    }
    return status;
}

/* What the CPU sees may lie elsewhere, too (R134). */
static NTSTATUS APIENTRY create(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = below->DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[i];
        if (!info->Flags.CpuVisible)
            continue;
        info->SupportedReadSegmentSet |= elsewhere;
        info->SupportedWriteSegmentSet |= elsewhere;
    }
    return status;
}

static void APIENTRY copy(uint64_t to, uint64_t from) {
    PHYSICAL_ADDRESS target = {.QuadPart = (LONGLONG)to}, source = {.QuadPart = (LONGLONG)from};
    void *a = MmMapIoSpace(target, PAGE, MmNonCached);
    void *b = MmMapIoSpace(source, PAGE, MmNonCached);
    if (a && b)
        memcpy(a, b, PAGE);
    if (a)
        MmUnmapIoSpace(a, PAGE);
    if (b)
        MmUnmapIoSpace(b, PAGE);
}

static void APIENTRY lead(uint32_t page, uint64_t to) {
    behind[page] = to;
    copy(aperture + (uint64_t)page * PAGE, bar + to * PAGE);
}

static void APIENTRY drop(uint32_t page) {
    if (page < PAGES && behind[page] != UNMAPPED)
        copy(bar + behind[page] * PAGE, aperture + (uint64_t)page * PAGE);
    if (page < PAGES)
        behind[page] = UNMAPPED;
}

static NTSTATUS APIENTRY map(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    for (UINT64 i = 0; i < args->NumberOfPages; i++)
        if (args->pCpuHostAperturePages[i] >= PAGES)
            return STATUS_INVALID_PARAMETER;
    for (UINT64 i = 0; i < args->NumberOfPages; i++)
        lead(args->pCpuHostAperturePages[i], args->pMemorySegmentPages[i]);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY unmap(const HANDLE adapter, const DXGKARG_UNMAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    for (UINT64 i = 0; i < args->NumberOfPages; i++)
        drop(args->pCpuHostAperturePages[i]);
    return STATUS_SUCCESS;
}

static void APIENTRY have_aperture(DRIVER_INITIALIZATION_DATA *table,
                                   const DRIVER_INITIALIZATION_DATA *good) {
    below = good;
    described = PAGES;
    table->DxgkDdiQueryAdapterInfo = query;
    table->DxgkDdiCreateAllocation = create;
    table->DxgkDdiMapCpuHostAperture = map;
    table->DxgkDdiUnmapCpuHostAperture = unmap;
}

static void APIENTRY scene_aperture(DRIVER_INITIALIZATION_DATA *table) {
    have_aperture(table, &mutants_below);
}

/* ---- Drivers that get it wrong --------------------------------------------------------------- */

static NTSTATUS APIENTRY map_not_yet(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    (void)args;
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS APIENTRY map_in_a_row(const HANDLE adapter,
                                      const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    for (UINT64 i = 0; i < args->NumberOfPages; i++)
        lead(args->pCpuHostAperturePages[i], args->pMemorySegmentPages[0] + i);
    return STATUS_SUCCESS;
}

/* The table is flushed whole, and what was in it before is gone. */
static NTSTATUS APIENTRY map_alone(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    for (uint32_t page = 0; page < PAGES; page++) {
        drop(page);
        copy(aperture + (uint64_t)page * PAGE, bar + (PAGES + page) * (uint64_t)PAGE);
    }
    return map(adapter, args);
}

static NTSTATUS APIENTRY unmap_late(const HANDLE adapter,
                                    const DXGKARG_UNMAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

#define APERTURE(NAME, SLOT, FUNCTION)                                                             \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        have_aperture(table, &mutants_good);                                                       \
        table->SLOT = FUNCTION;                                                                    \
    }

APERTURE(not_yet, DxgkDdiMapCpuHostAperture, map_not_yet)
APERTURE(in_a_row, DxgkDdiMapCpuHostAperture, map_in_a_row)
APERTURE(alone, DxgkDdiMapCpuHostAperture, map_alone)
APERTURE(late, DxgkDdiUnmapCpuHostAperture, unmap_late)

/* Behind the last resource of the device. */
static void APIENTRY install_too_long(DRIVER_INITIALIZATION_DATA *table) {
    have_aperture(table, &mutants_good);
    described = PAGES << 20;
}

/* ---- Managers -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY ask_beyond(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    UINT32 page = PAGES;
    DXGKARG_MAPCPUHOSTAPERTURE mine = *args;
    mine.NumberOfPages = 1;
    mine.pCpuHostAperturePages = &page;
    (void)mutants_good.DxgkDdiMapCpuHostAperture(adapter, &mine);
    return mutants_good.DxgkDdiMapCpuHostAperture(adapter, args);
}
REPLACE(DxgkDdiMapCpuHostAperture, ask_beyond)

static NTSTATUS APIENTRY ask_twice(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    (void)mutants_good.DxgkDdiMapCpuHostAperture(adapter, args);
    return mutants_good.DxgkDdiMapCpuHostAperture(adapter, args);
}
REPLACE(DxgkDdiMapCpuHostAperture, ask_twice)

/* Of the real aperture: pages whose allocation is gone lead to the next one's memory. */
static void APIENTRY install_unmaps_never(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiUnmapCpuHostAperture = unmap_late;
}

/* ---- The table ------------------------------------------------------------------------------- */

#define BREAKER(NUMBER, SIDE, WHAT, INSTALL, ...)                                                  \
    {                                                                                              \
        .rule = NUMBER, .side = VIDMM_SIDE_##SIDE, .what = WHAT, .install = INSTALL,               \
        .stage = "host-aperture", __VA_ARGS__                                                      \
    }

const struct mutant mutants_host_aperture[] = {
    BREAKER(61, DRIVER, "says that its aperture is longer than its resource", install_too_long, ),
    BREAKER(265, DRIVER, "has no aperture before the first allocation", install_not_yet,
            .consequences = {269}),
    BREAKER(267, MANAGER, "maps a page that the aperture does not have", install_ask_beyond,
            .scene = scene_aperture),
    BREAKER(267, MANAGER, "maps a page that is mapped", install_ask_twice, .scene = scene_aperture),
    BREAKER(268, DRIVER, "maps pages in a row that are scattered", install_in_a_row, ),
    BREAKER(268, DRIVER, "loses what the CPU wrote when a page is unmapped", install_late, ),
    BREAKER(268, DRIVER, "leaves pages mapped that are unmapped", install_unmaps_never, ),
    BREAKER(269, DRIVER, "wants an allocation for every page", install_not_yet,
            .consequences = {265}),
    {BREAKS(270, MANAGER, "paging", unmaps_never, "leaves pages mapped whose memory others get"),
     .consequences = {267},
     .settings = {{"VramVisibleBytes", 0}, {"CpuHostApertureBytes", 1 << 20}}},
    BREAKER(271, DRIVER, "loses all other pages with every page that it maps", install_alone,
            .consequences = {268}),
};
const uint32_t mutants_host_aperture_count = COUNT(mutants_host_aperture);
