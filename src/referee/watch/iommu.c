/*
 * iommu.c - memory behind an IOMMU, as far as calls show it (iommu-based-gpu-isolation.md,
 * iommu-dma-remapping.md): what the driver says of memory that must survive or be mapped before,
 * and which callbacks it takes memory through, and when. No IOMMU is modelled here.
 */
#include "state/own_memory.h"

#include <string.h>

#define RANGES 256u

static DRIVER_INITIALIZATION_DATA behind;
static DXGKRNL_INTERFACE callbacks_behind;

static struct {
    bool adapter_caps; /* PHYSICALADAPTERCAPS was asked */
    bool ranges;       /* HARDWARERESERVEDRANGES was asked */
    bool remapping;    /* the driver reported DmaRemappingSupported */
    bool older;        /* it used a callback that gives physical addresses */
} known;

/* ---- Answers --------------------------------------------------------------------------------- */

static bool isolated(void) {
    const struct shadow_adapter *adapter = &referee->adapter;
    return adapter->caps_known && adapter->version >= DXGKDDI_INTERFACE_VERSION_WDDM2_4 &&
           adapter->caps.MemoryManagementCaps.IoMmuSecureModeSupported;
}

static void judge_save_area(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    const DXGK_FRAMEBUFFERSAVEAREA *area = args->pOutputData;
    MANAGER_MUST(356, known.adapter_caps, "FRAMEBUFFERSAVESIZE asked for after PHYSICALADAPTERCAPS",
                 "PHYSICALADAPTERCAPS was not asked for yet");
    if (status == STATUS_SUCCESS && area && args->OutputDataSize >= sizeof(*area))
        DRIVER_MUST(356, area->MaximumSize % SHADOW_PAGE == 0,
                    "MaximumSize that is a multiple of PAGE_SIZE", "it is 0x%llx",
                    (unsigned long long)area->MaximumSize);
}

static bool overlap(const DXGK_PHYSICAL_MEMORY_RANGE *a, const DXGK_PHYSICAL_MEMORY_RANGE *b) {
    uint64_t start_a = (uint64_t)a->BaseAddress.QuadPart;
    uint64_t start_b = (uint64_t)b->BaseAddress.QuadPart;
    return start_a < start_b ? b->NumberOfBytes != 0 && start_b - start_a < a->NumberOfBytes
                             : a->NumberOfBytes != 0 && start_a - start_b < b->NumberOfBytes;
}

/* What the caller gave the driver to fill in: the driver's answer names other memory at will. */
static DXGK_HARDWARERESERVEDRANGES room_for_ranges(const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_HARDWARERESERVEDRANGES room = {.NumRanges = 0};
    if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES && args->pOutputData &&
        args->OutputDataSize >= sizeof(room))
        memcpy(&room, args->pOutputData, sizeof(room));
    return room;
}

static void judge_ranges(const DXGKARG_QUERYADAPTERINFO *args,
                         const DXGK_HARDWARERESERVEDRANGES *room) {
    DXGK_HARDWARERESERVEDRANGES told = room_for_ranges(args);
    UINT32 count = told.NumRanges < room->NumRanges ? told.NumRanges : room->NumRanges;
    const DXGK_PHYSICAL_MEMORY_RANGE *range = room->pPhysicalRanges;
    for (UINT32 i = 0; range && i < count && i < RANGES; i++)
        for (UINT32 j = i + 1; j < count && j < RANGES; j++)
            DRIVER_MUST(357, !overlap(&range[i], &range[j]), "reserved ranges that do not overlap",
                        "ranges %u and %u do", i, j);
}

static void judge_remapping(const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_IOMMU_CAPS *caps = args->pOutputData;
    if (!caps || args->OutputDataSize < sizeof(*caps) || !caps->DmaRemappingSupported)
        return;
    known.remapping = true;
    DRIVER_MUST(358, !known.older, "no older memory callbacks with DmaRemappingSupported",
                "the driver has used one already");
}

static NTSTATUS APIENTRY see_QueryAdapterInfo(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *args) {
    char outer[96];
    DXGK_HARDWARERESERVEDRANGES room = room_for_ranges(args);
    NTSTATUS status = behind.DxgkDdiQueryAdapterInfo(adapter, args);
    pthread_mutex_lock(&referee->lock);
    memcpy(outer, referee->ledger->calling, sizeof(outer));
    outer[sizeof(outer) - 1] = 0;
    vidmm_ledger_calling(referee->ledger, "DxgkDdiQueryAdapterInfo");
    if (args->Type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE && isolated())
        judge_save_area(args, status);
    if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES && status == STATUS_SUCCESS)
        judge_ranges(args, &room);
    if (args->Type == DXGKQAITYPE_IOMMU_CAPS && status == STATUS_SUCCESS)
        judge_remapping(args);
    known.adapter_caps = known.adapter_caps || args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS;
    known.ranges = known.ranges || args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES;
    vidmm_ledger_calling(referee->ledger, outer);
    pthread_mutex_unlock(&referee->lock);
    return status;
}

/* The domain is about to change: what hardware reserves has to be known, to be mapped in it. */
static NTSTATUS APIENTRY see_BeginExclusiveAccess(HANDLE adapter,
                                                  DXGKARG_BEGINEXCLUSIVEACCESS *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiBeginExclusiveAccess", REFEREE_ALONE);
    if (isolated())
        MANAGER_MUST(357, known.ranges, "HARDWARERESERVEDRANGES asked for before a domain changes",
                     "it was not");
    referee_leave(&call);
    NTSTATUS status = behind.DxgkDdiBeginExclusiveAccess(adapter, args);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

void referee_watch_iommu(DRIVER_INITIALIZATION_DATA *table) {
    behind = *table;
    memset(&known, 0, sizeof(known));
    WATCH(table, QueryAdapterInfo);
    WATCH(table, BeginExclusiveAccess);
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static void judge_callback(const char *name, bool older) {
    pthread_mutex_lock(&referee->lock);
    KIRQL irql = world_irql();
    DRIVER_MUST(359, irql <= APC_LEVEL, "memory callbacks at APC_LEVEL or below",
                "%s was called at IRQL %u", name, irql);
    known.older = known.older || older;
    if (older && known.remapping)
        DRIVER_MUST(358, false, "no older memory callbacks with DmaRemappingSupported",
                    "%s was called", name);
    pthread_mutex_unlock(&referee->lock);
}

/* Those of the first kind give physical addresses, those of the second logical ones. */
#define SEE_OLDER(NAME, ARGUMENT)                                                                  \
    static NTSTATUS APIENTRY see_##NAME(const HANDLE adapter, ARGUMENT *args) {                    \
        judge_callback("DxgkCb" #NAME, true);                                                      \
        return callbacks_behind.DxgkCb##NAME(adapter, args);                                       \
    }
#define SEE_NEWER(NAME, ARGUMENT)                                                                  \
    static NTSTATUS APIENTRY see_##NAME(ARGUMENT *args) {                                          \
        judge_callback("DxgkCb" #NAME, false);                                                     \
        return callbacks_behind.DxgkCb##NAME(args);                                                \
    }

SEE_OLDER(AllocateContiguousMemory, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY)
SEE_OLDER(FreeContiguousMemory, const DXGKARGCB_FREECONTIGUOUSMEMORY)
SEE_OLDER(AllocatePagesForMdl, DXGKARGCB_ALLOCATEPAGESFORMDL)
SEE_OLDER(FreePagesFromMdl, const DXGKARGCB_FREEPAGESFROMMDL)
SEE_OLDER(MapMdlToIoMmu, DXGKARGCB_MAPMDLTOIOMMU)
SEE_NEWER(MapPhysicalMemory, DXGKARGCB_MAP_PHYSICAL_MEMORY)
SEE_NEWER(AllocateAdl, DXGKARGCB_ALLOCATE_ADL)

void referee_watch_iommu_callbacks(DXGKRNL_INTERFACE *callbacks) {
    callbacks_behind = *callbacks;
    callbacks->DxgkCbAllocateContiguousMemory = see_AllocateContiguousMemory;
    callbacks->DxgkCbFreeContiguousMemory = see_FreeContiguousMemory;
    callbacks->DxgkCbAllocatePagesForMdl = see_AllocatePagesForMdl;
    callbacks->DxgkCbFreePagesFromMdl = see_FreePagesFromMdl;
    callbacks->DxgkCbMapMdlToIoMmu = see_MapMdlToIoMmu;
    callbacks->DxgkCbMapPhysicalMemory = see_MapPhysicalMemory;
    callbacks->DxgkCbAllocateAdl = see_AllocateAdl;
}
