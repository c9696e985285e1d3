/*
 * iommu.c - memory behind an IOMMU, as far as calls show it (iommu-based-gpu-isolation.md,
 * iommu-dma-remapping.md): what the driver says of memory that must survive or be mapped before,
 * and which callbacks it takes memory through, and when. No IOMMU is modelled here.
 */
#include <string.h>

#include "watch/own_memory.h"
#include "watch/thunk.h"
#include "work/work.h"

#define RANGES 256u

/* ---- Answers --------------------------------------------------------------------------------- */

static bool iommu_isolated(struct vidmm_referee *referee) {
    const struct shadow_adapter *adapter = &referee->adapter;
    return adapter->caps_known && adapter->version >= DXGKDDI_INTERFACE_VERSION_WDDM2_4 &&
           adapter->caps.MemoryManagementCaps.IoMmuSecureModeSupported;
}

static void iommu_judge_save_area(struct vidmm_referee *referee,
                                  const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    const DXGK_FRAMEBUFFERSAVEAREA *area = args->pOutputData;
    MANAGER_MUST(356, referee->iommu.adapter_caps,
                 "FRAMEBUFFERSAVESIZE asked for after PHYSICALADAPTERCAPS",
                 "PHYSICALADAPTERCAPS was not asked for yet");
    if (status == STATUS_SUCCESS && area && args->OutputDataSize >= sizeof(*area))
        DRIVER_MUST(356, area->MaximumSize % SHADOW_PAGE == 0,
                    "MaximumSize that is a multiple of PAGE_SIZE", "it is 0x%llx",
                    (unsigned long long)area->MaximumSize);
}

/* The first page of the range that is system memory, or the range's end. */
static uint64_t iommu_taken_at(struct vidmm_referee *referee,
                               const DXGK_PHYSICAL_MEMORY_RANGE *range) {
    uint64_t page = (uint64_t)range->BaseAddress.QuadPart / SHADOW_PAGE * SHADOW_PAGE;
    uint64_t end = (uint64_t)range->BaseAddress.QuadPart + range->NumberOfBytes;
    while (page < end && page < world_memory_end(referee) && !world_memory(referee, page, 1))
        page += SHADOW_PAGE;
    return page < world_memory_end(referee) ? page : end;
}

/* What the caller gave the driver to fill in: the driver's answer names other memory at will. */
static DXGK_HARDWARERESERVEDRANGES iommu_room_for_ranges(const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_HARDWARERESERVEDRANGES room = {.NumRanges = 0};
    if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES && args->pOutputData &&
        args->OutputDataSize >= sizeof(room))
        memcpy(&room, args->pOutputData, sizeof(room));
    return room;
}

static void iommu_judge_ranges(struct vidmm_referee *referee, const DXGKARG_QUERYADAPTERINFO *args,
                               const DXGK_HARDWARERESERVEDRANGES *room) {
    DXGK_HARDWARERESERVEDRANGES passed = iommu_room_for_ranges(args);
    UINT32 count = passed.NumRanges < room->NumRanges ? passed.NumRanges : room->NumRanges;
    const DXGK_PHYSICAL_MEMORY_RANGE *range = room->pPhysicalRanges;
    for (UINT32 i = 0; range && i < count && i < RANGES; i++) {
        uint64_t end = (uint64_t)range[i].BaseAddress.QuadPart + range[i].NumberOfBytes;
        uint64_t page = iommu_taken_at(referee, &range[i]);
        DRIVER_MUST(357, page >= end, "reserved ranges outside of the system's memory",
                    "page 0x%llx of range %u is system memory", LLU(page), i);
        referee->iommu.taken = referee->iommu.taken || page < end;
    }
}

/* What a driver with isolation answers in any case. */
static void iommu_judge_answered(struct vidmm_referee *referee, DXGK_QUERYADAPTERINFOTYPE type,
                                 NTSTATUS status) {
    if (iommu_isolated(referee) &&
        (type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE || type == DXGKQAITYPE_HARDWARERESERVEDRANGES))
        DRIVER_MUST(479, status == STATUS_SUCCESS,
                    "answers to FRAMEBUFFERSAVESIZE and HARDWARERESERVEDRANGES with "
                    "IoMmuSecureModeSupported",
                    "query type %u was answered with status 0x%08x", (unsigned)type,
                    (unsigned)status);
}

static void iommu_judge_own_pages(struct vidmm_referee *referee) {
    DRIVER_MUST(475, !referee->iommu.kernel,
                "memory for the GPU from the callbacks with IoMmuSecureModeSupported",
                "the driver called %s", referee->iommu.kernel);
}

static void iommu_judge_remapping(struct vidmm_referee *referee,
                                  const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_IOMMU_CAPS *caps = args->pOutputData;
    if (!caps || args->OutputDataSize < sizeof(*caps) || !caps->DmaRemappingSupported)
        return;
    referee->iommu.remapping = true;
    DRIVER_MUST(358, !referee->iommu.older, "no older memory callbacks with DmaRemappingSupported",
                "the driver has used one already");
}

static NTSTATUS watch_QueryAdapterInfo(struct vidmm_referee *referee, const HANDLE adapter,
                                       const DXGKARG_QUERYADAPTERINFO *args) {
    char outer[REFEREE_CALL_BYTES];
    DXGK_HARDWARERESERVEDRANGES room = iommu_room_for_ranges(args);
    NTSTATUS status = referee->behind_iommu.DxgkDdiQueryAdapterInfo(adapter, args);
    pthread_mutex_lock(&referee->lock);
    referee_calling(referee, "DxgkDdiQueryAdapterInfo", outer);
    if (args->Type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE && iommu_isolated(referee))
        iommu_judge_save_area(referee, args, status);
    if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES && status == STATUS_SUCCESS)
        iommu_judge_ranges(referee, args, &room);
    iommu_judge_answered(referee, args->Type, status);
    if (args->Type == DXGKQAITYPE_IOMMU_CAPS && status == STATUS_SUCCESS)
        iommu_judge_remapping(referee, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && iommu_isolated(referee))
        iommu_judge_own_pages(referee);
    referee->iommu.adapter_caps =
        referee->iommu.adapter_caps || args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS;
    referee->iommu.ranges =
        referee->iommu.ranges || args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES;
    vidmm_ledger_calling(referee->ledger, outer);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, QueryAdapterInfo, const HANDLE, const DXGKARG_QUERYADAPTERINFO *)

/* The domain is about to change: what hardware reserves has to be known, to be mapped in it. */
static NTSTATUS watch_BeginExclusiveAccess(struct vidmm_referee *referee, HANDLE adapter,
                                           DXGKARG_BEGINEXCLUSIVEACCESS *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiBeginExclusiveAccess", REFEREE_ALONE);
    if (iommu_isolated(referee))
        MANAGER_MUST(357, referee->iommu.ranges && !referee->iommu.taken,
                     "HARDWARERESERVEDRANGES asked for before a domain changes, and outside of the "
                     "system's memory",
                     "%s", referee->iommu.ranges ? "a range is not" : "it was not");
    MANAGER_MUST(355, !submit_under_way(referee), "all work done before a domain changes",
                 "some is under way");
    referee_leave(referee);
    NTSTATUS status = referee->behind_iommu.DxgkDdiBeginExclusiveAccess(adapter, args);
    referee_return(referee);
    referee->iommu.exclusive = status == STATUS_SUCCESS;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, BeginExclusiveAccess, HANDLE, DXGKARG_BEGINEXCLUSIVEACCESS *)

static NTSTATUS watch_EndExclusiveAccess(struct vidmm_referee *referee, HANDLE adapter,
                                         DXGKARG_ENDEXCLUSIVEACCESS *args) {
    struct referee_call call;
    bool began = referee->iommu.exclusive;
    referee->iommu.exclusive = false;
    referee_enter(referee, &call, "DxgkDdiEndExclusiveAccess", REFEREE_ALONE);
    MANAGER_MUST(355, began, "DxgkDdiBeginExclusiveAccess before it", "there was none");
    referee_leave(referee);
    NTSTATUS status = referee->behind_iommu.DxgkDdiEndExclusiveAccess(adapter, args);
    referee_return(referee);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, EndExclusiveAccess, HANDLE, DXGKARG_ENDEXCLUSIVEACCESS *)

void vidmm_referee_kernel_memory(struct vidmm_referee *referee, const char *function) {
    pthread_mutex_lock(&referee->lock);
    referee->iommu.kernel = function;
    if (iommu_isolated(referee))
        iommu_judge_own_pages(referee);
    pthread_mutex_unlock(&referee->lock);
}

void referee_watch_iommu(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->behind_iommu = *table;
    memset(&referee->iommu, 0, sizeof(referee->iommu));
    WATCH(table, QueryAdapterInfo);
    WATCH(table, BeginExclusiveAccess);
    WATCH(table, EndExclusiveAccess);
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static void iommu_judge_callback(struct vidmm_referee *referee, const char *name, bool older) {
    pthread_mutex_lock(&referee->lock);
    KIRQL irql = world_irql(referee);
    DRIVER_MUST(359, irql <= APC_LEVEL, "memory callbacks at APC_LEVEL or below",
                "%s was called at IRQL %u", name, irql);
    referee->iommu.older = referee->iommu.older || older;
    if (older && referee->iommu.remapping)
        DRIVER_MUST(358, false, "no older memory callbacks with DmaRemappingSupported",
                    "%s was called", name);
    pthread_mutex_unlock(&referee->lock);
}

/* Those of the first kind give physical addresses, those of the second logical ones. */
#define WATCH_OLDER(name, argument)                                                                \
    static NTSTATUS watch_##name(struct vidmm_referee *referee, const HANDLE adapter,              \
                                 argument *args) {                                                 \
        iommu_judge_callback(referee, "DxgkCb" #name, true);                                       \
        return referee->callbacks_behind_iommu.DxgkCb##name(adapter, args);                        \
    }                                                                                              \
    WATCHED_2(NTSTATUS, name, const HANDLE, argument *)
#define WATCH_NEWER(name, argument)                                                                \
    static NTSTATUS watch_##name(struct vidmm_referee *referee, argument *args) {                  \
        iommu_judge_callback(referee, "DxgkCb" #name, false);                                      \
        return referee->callbacks_behind_iommu.DxgkCb##name(args);                                 \
    }                                                                                              \
    WATCHED_1(NTSTATUS, name, argument *)

WATCH_OLDER(AllocateContiguousMemory, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY)
WATCH_OLDER(FreeContiguousMemory, const DXGKARGCB_FREECONTIGUOUSMEMORY)
WATCH_OLDER(AllocatePagesForMdl, DXGKARGCB_ALLOCATEPAGESFORMDL)
WATCH_OLDER(FreePagesFromMdl, const DXGKARGCB_FREEPAGESFROMMDL)
WATCH_OLDER(MapMdlToIoMmu, DXGKARGCB_MAPMDLTOIOMMU)
WATCH_NEWER(MapPhysicalMemory, DXGKARGCB_MAP_PHYSICAL_MEMORY)
WATCH_NEWER(AllocateAdl, DXGKARGCB_ALLOCATE_ADL)

void referee_watch_iommu_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    referee->callbacks_behind_iommu = *callbacks;
    WATCH_CALLBACK(callbacks, AllocateContiguousMemory);
    WATCH_CALLBACK(callbacks, FreeContiguousMemory);
    WATCH_CALLBACK(callbacks, AllocatePagesForMdl);
    WATCH_CALLBACK(callbacks, FreePagesFromMdl);
    WATCH_CALLBACK(callbacks, MapMdlToIoMmu);
    WATCH_CALLBACK(callbacks, MapPhysicalMemory);
    WATCH_CALLBACK(callbacks, AllocateAdl);
}
