/*
 * break_placement.c - managers that do not keep what an allocation's flags and preferences promise,
 * and what is broken of the order of bytes and of the aperture's second form.
 */
#include "mutants.h"

#include <string.h>

#include <vidmm/umd.h>

#define PAGE         4096u
#define VRAM         (1u << 20) /* of the stages that these break */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Managers that read DXGK_ALLOCATIONINFO otherwise than the driver wrote it --------------- */

static NTSTATUS create(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args, uint32_t umd_flags,
                       void(APIENTRY *misread)(DXGK_ALLOCATIONINFO *info)) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        struct vidmm_umd_allocation *umd = args->pAllocationInfo[i].pPrivateDriverData;
        if (umd->flags & VIDMM_UMD_FROM_END)
            umd->flags |= umd_flags;
    }
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        misread(&args->pAllocationInfo[i]);
    return status;
}

#define MISREAD(NAME, UMD_FLAGS, MISREADING)                                                       \
    static void APIENTRY misread_##NAME(DXGK_ALLOCATIONINFO *info) {                               \
        MISREADING;                                                                                \
    }                                                                                              \
    static NTSTATUS APIENTRY NAME(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {          \
        return create(adapter, args, UMD_FLAGS, misread_##NAME);                                   \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiCreateAllocation = NAME;                                                     \
    }

/* The aperture is the reference driver's first segment. */
MISREAD(prefer_aperture, 0, info->PreferredSegment.Value = 1)
MISREAD(evict_to_pages, 0, info->EvictionSegmentSet = 0)
MISREAD(move_overlays, VIDMM_UMD_OVERLAY, info->Flags.Overlay = 0)
MISREAD(
    place_in_preferred, 0, if (info->Size > VRAM) {
        info->PreferredSegment.Value = 2;
        info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = 2;
    })
MISREAD(lock_the_segment, 0, info->Flags.PermanentSysMem = 0)
MISREAD(page_in_what_is_locked, 0,
        if (info->SupportedWriteSegmentSet == 2 && info->Flags.CpuVisible)
            info->Flags.PermanentSysMem = 1)
MISREAD(open_what_nobody_maps, 0, info->FlagsWddm2.MapApertureCpuVisible = 0)
MISREAD(map_what_is_not_accessed, 0, info->FlagsWddm2.AccessedPhysically = 1)

/* ---- Managers that list something else than they did ----------------------------------------- */

#define LISTED 4096u

static struct {
    DXGKARG_PATCH args;
    DXGK_ALLOCATIONLIST list[LISTED];
} patched;

/* A copy of the list of a submission that is no paging; NULL: there is none. */
static DXGK_ALLOCATIONLIST *list_of(const DXGKARG_PATCH *args) {
    if (args->Flags.Paging || !args->pAllocationList || args->AllocationListSize > LISTED)
        return NULL;
    memcpy(&patched.args, args, sizeof(patched.args));
    memcpy(patched.list, args->pAllocationList, args->AllocationListSize * sizeof(patched.list[0]));
    patched.args.pAllocationList = patched.list;
    return patched.list;
}

static NTSTATUS APIENTRY patch_no_writes(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGK_ALLOCATIONLIST *list = list_of(args);
    for (UINT i = 0; list && i < args->AllocationListSize; i++)
        list[i].WriteOperation = 0;
    return mutants_good.DxgkDdiPatch(adapter, list ? &patched.args : args);
}
REPLACE(DxgkDdiPatch, patch_no_writes)

static NTSTATUS APIENTRY patch_next_page(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGK_ALLOCATIONLIST *list = list_of(args);
    for (UINT i = 0; list && i < args->AllocationListSize; i++)
        list[i].PhysicalAddress.QuadPart += list[i].SegmentId != 0 ? PAGE : 0;
    return mutants_good.DxgkDdiPatch(adapter, list ? &patched.args : args);
}
REPLACE(DxgkDdiPatch, patch_next_page)

/* ---- Scenes and managers: the aperture's second form ----------------------------------------- */

#define SCENE(NAME, SAYING)                                                                        \
    static NTSTATUS APIENTRY scenery_##NAME(const HANDLE adapter,                                  \
                                            DXGKARG_CREATEALLOCATION *args) {                      \
        NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);                    \
        for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {              \
            DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[i];                                 \
            SAYING;                                                                                \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    static void APIENTRY scene_##NAME(DRIVER_INITIALIZATION_DATA *table) {                         \
        table->DxgkDdiCreateAllocation = scenery_##NAME;                                           \
    }

SCENE(one_segment, info->Flags2.RestrictedToSingleSegment = 1)
SCENE(cpu_address, info->FlagsWddm2.MapApertureCpuVisible = info->Flags.CpuVisible)
SCENE(not_accessed, info->FlagsWddm2.AccessedPhysically = 0)

static NTSTATUS APIENTRY query_first_form(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS) {
        DXGK_DRIVERCAPS *caps = args->pOutputData;
        caps->MemoryManagementCaps.MapAperture2Supported = 0;
    }
    return status;
}

static void APIENTRY install_first_form(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = query_first_form;
    install_open_what_nobody_maps(table);
}

/* With `args` as it was again when the driver is done with it. */
static NTSTATUS ask(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args,
                    void(APIENTRY *spoil)(DXGKARG_BUILDPAGINGBUFFER *args)) {
    if (args->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT2)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    DXGK_ADL adl = args->MapApertureSegment2.Adl;
    void *cpu = args->MapApertureSegment2.CpuVisibleAddress;
    spoil(args);
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->MapApertureSegment2.Adl = adl;
    args->MapApertureSegment2.CpuVisibleAddress = cpu;
    return status;
}

#define LISTING(NAME, SPOILING)                                                                    \
    static void APIENTRY spoil_##NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                           \
        DXGK_ADL *adl = &args->MapApertureSegment2.Adl;                                            \
        (void)adl;                                                                                 \
        SPOILING;                                                                                  \
    }                                                                                              \
    static NTSTATUS APIENTRY build_##NAME(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {       \
        return ask(adapter, args, spoil_##NAME);                                                   \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiBuildPagingBuffer = build_##NAME;                                            \
    }

LISTING(short_list, adl->PageCount -= 1)
LISTING(no_address, args->MapApertureSegment2.CpuVisibleAddress = NULL)
LISTING(
    always_one_run, if (!adl->Flags.Contiguous) {
        uint32_t first = args->MapApertureSegment2.AdlOffset;
        adl->BasePageNumber = adl->Pages[first] - first;
        adl->Flags.Contiguous = 1;
    })

static void map_a_page(const DXGK_ADL *adl, uint32_t first) {
    const uint64_t page = adl->Flags.Contiguous ? adl->BasePageNumber + first : adl->Pages[first];
    const PHYSICAL_ADDRESS place = {.QuadPart = (LONGLONG)(page * PAGE_SIZE)};
    void *cpu = MmMapIoSpace(place, PAGE_SIZE, MmCached);
    if (cpu)
        MmUnmapIoSpace(cpu, PAGE_SIZE);
}

LISTING(mapped_by_cpu, map_a_page(adl, args->MapApertureSegment2.AdlOffset))

/* ---- Drivers: what they leave behind --------------------------------------------------------- */

static NTSTATUS APIENTRY create_for_good(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    (void)ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 0x64676f6bu);
    return mutants_good.DxgkDdiCreateAllocation(adapter, args);
}
REPLACE(DxgkDdiCreateAllocation, create_for_good)

/* Tiles what it maps, with the CPU. */
static NTSTATUS APIENTRY build_tiled(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT && args->MultipassOffset == 0 &&
        args->MapApertureSegment.hAllocation) {
        uint8_t *bytes =
            MmGetSystemAddressForMdlSafe(args->MapApertureSegment.pMdl, NormalPagePriority);
        for (uint32_t i = 0; bytes && i < PAGE; i += 2) {
            uint8_t first = bytes[i];
            bytes[i] = bytes[i + 1];
            bytes[i + 1] = first;
        }
    }
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, build_tiled)

/* ---- Drivers: the order of bytes ------------------------------------------------------------- */

#define OWN_PAGES 4096u

static struct {
    MDL mdl;
    PFN_NUMBER frame[OWN_PAGES];
} own;

/* Pages change places in pairs when they leave GPU memory. */
static NTSTATUS APIENTRY build_crosswise(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    const MDL *mdl = args->Transfer.Destination.pMdl;
    if (args->Operation != DXGK_OPERATION_TRANSFER || args->Transfer.TransferSize == 0 ||
        args->Transfer.Destination.SegmentId != 0 || mdl->ByteCount > OWN_PAGES * PAGE)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    uint64_t pages = (mdl->ByteCount + PAGE - 1) / PAGE;
    own.mdl = *mdl;
    memcpy(own.frame, mdl + 1, pages * sizeof(own.frame[0]));
    for (uint64_t i = 0; i + 1 < pages; i += 2) {
        PFN_NUMBER first = own.frame[i];
        own.frame[i] = own.frame[i + 1];
        own.frame[i + 1] = first;
    }
    args->Transfer.Destination.pMdl = &own.mdl;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->Transfer.Destination.pMdl = (PMDL)(uintptr_t)mdl;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, build_crosswise)

/* ---- The table ------------------------------------------------------------------------------- */

#define BREAKER(number, who, text, function, where, ...)                                           \
    {                                                                                              \
        .rule = (number), .side = VIDMM_SIDE_##who, .what = (text), .install = (function),         \
        .stage = (where), __VA_ARGS__                                                              \
    }
#define LISTS                                                                                      \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_9}, {"MapAperture2", 1}}
#define VERSION(v) .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_##v}}

const struct mutant mutants_placement[] = {
    BREAKER(97, MANAGER, "takes the second preference first", install_prefer_aperture, "locks", ),
    BREAKER(98, MANAGER, "refuses what has no room in its preferred segment",
            install_place_in_preferred, "promises", ),
    BREAKER(101, MANAGER, "evicts straight to the pages in spite of EvictionSegmentSet",
            install_evict_to_pages, "paging", ),
    BREAKER(107, MANAGER, "transfers out PermanentSysMem allocations that nobody wrote",
            install_patch_no_writes, "paging", ),
    BREAKER(108, MANAGER, "locks PermanentSysMem where it is in GPU memory",
            install_lock_the_segment, "promises", ),
    BREAKER(118, MANAGER, "evicts overlays", install_move_overlays, "paging",
            .consequences = {119}),
    BREAKER(119, MANAGER, "places an overlay at the start of a segment", install_move_overlays,
            "locks", ),
    BREAKER(124, MANAGER, "lists addresses one page behind the allocation", install_patch_next_page,
            "locks", ),
    BREAKER(129, MANAGER, "opens a surface whose address it can never tell",
            install_open_what_nobody_maps, "paging", .scene = scene_cpu_address, VERSION(WDDM2_9)),
    BREAKER(130, MANAGER, "maps by list what nobody accesses physically",
            install_map_what_is_not_accessed, "paging", .scene = scene_not_accessed, LISTS),
    BREAKER(133, MANAGER, "uses an allocation that is only partly in the segment",
            install_patch_next_page, "locks", .consequences = {124}, .scene = scene_one_segment,
            VERSION(WDDM3_2)),
    BREAKER(135, MANAGER, "pages in what the CPU holds", install_page_in_what_is_locked,
            "promises", ),
    BREAKER(142, DRIVER, "takes pool memory for every allocation and keeps it",
            install_create_for_good, "promises", ),
    BREAKER(184, DRIVER, "stores linear content in another order", install_build_crosswise,
            "paging", .consequences = {161, 176, 185}, VERSION(WIN8)),
    BREAKER(185, DRIVER, "stores the pages of a surface in another order", install_build_crosswise,
            "paging", .consequences = {161, 176, 184}),
    BREAKER(202, DRIVER, "tiles what it maps into the aperture", install_build_tiled, "promises", ),
    BREAKER(203, MANAGER, "sends MAP_APERTURE_SEGMENT to a driver that takes lists",
            install_first_form, "paging", .consequences = {206}, LISTS),
    BREAKER(204, DRIVER, "takes every list for one run", install_always_one_run, "paging",
            .consequences = {161, 194, 197}, LISTS),
    BREAKER(205, MANAGER, "describes a page less than it maps", install_short_list, "paging",
            .consequences = {124, 199}, LISTS),
    BREAKER(206, MANAGER, "gives no address for a MapApertureCpuVisible allocation",
            install_no_address, "paging", LISTS),
    BREAKER(207, DRIVER, "maps pages of a list for the CPU", install_mapped_by_cpu, "paging",
            LISTS),
};
const uint32_t mutants_placement_count = COUNT(mutants_placement);
