/*
 * caps.c - judges what the driver says of the adapter as a whole: DRIVERCAPS,
 * PHYSICALADAPTERCAPS; see watch/query.h.
 */
#include <string.h>

#include "watch/query.h"

void caps_begin(struct vidmm_referee *referee) {
    referee->caps.remaps = false;
    referee->caps.size = 0;
}

bool caps_reach_memory(struct vidmm_referee *referee) {
    uint64_t bytes = referee->world.memory_bytes;
    uint64_t highest = (uint64_t)referee->adapter.caps.HighestAcceptableAddress.QuadPart;
    return referee->caps.remaps || !referee->adapter.caps_known || bytes == 0 ||
           highest >= bytes - 1;
}

static void caps_judge_memory_caps(struct vidmm_referee *referee, DXGK_VIDMMCAPS caps) {
    DRIVER_MUST(84, !caps.DedicatedPagingEngine && !caps.PagingEngineCanSwizzle,
                "DedicatedPagingEngine and PagingEngineCanSwizzle 0",
                "MemoryManagementCaps is 0x%08x: DedicatedPagingEngine %u, "
                "PagingEngineCanSwizzle %u",
                caps.Value, caps.DedicatedPagingEngine, caps.PagingEngineCanSwizzle);
    DRIVER_MUST(85, !caps.VirtualAddressingSupported || caps.GpuMmuSupported || caps.IoMmuSupported,
                "VirtualAddressingSupported together with GpuMmuSupported or IoMmuSupported",
                "MemoryManagementCaps is 0x%08x: VirtualAddressingSupported alone", caps.Value);
    DRIVER_MUST(448, !caps.GpuMmuSupported || !caps.IoMmuSupported,
                "GpuMmuSupported or IoMmuSupported, not both", "MemoryManagementCaps is 0x%08x",
                caps.Value);
    DRIVER_MUST(86,
                (!caps.CrossAdapterResourceTexture || caps.CrossAdapterResource) &&
                    (!caps.CrossAdapterResourceScanout ||
                     (caps.CrossAdapterResource && caps.CrossAdapterResourceTexture)),
                "CrossAdapterResourceTexture only with CrossAdapterResource, "
                "CrossAdapterResourceScanout only with both",
                "MemoryManagementCaps is 0x%08x: CrossAdapterResource %u, Texture %u, Scanout %u",
                caps.Value, caps.CrossAdapterResource, caps.CrossAdapterResourceTexture,
                caps.CrossAdapterResourceScanout);
}

/* mcdm-implementation-guidelines.md: what a compute-only driver leaves zero. */
static void caps_judge_compute_only(struct vidmm_referee *referee, const DXGK_DRIVERCAPS *caps) {
    const DXGK_VIDMMCAPS *memory = &caps->MemoryManagementCaps;
    const struct {
        const char *name;
        uint64_t value;
    } zeros[] = {
        {"ApertureSegmentCommitLimit", caps->ApertureSegmentCommitLimit},
        {"NumberOfSwizzlingRanges", caps->NumberOfSwizzlingRanges},
        {"MaxAllocationListSlotId", caps->MaxAllocationListSlotId},
        {"OutOfOrderLock", memory->OutOfOrderLock},
        {"SectionBackedPrimary", memory->SectionBackedPrimary},
        {"ReplicateGdiContent", memory->ReplicateGdiContent},
        {"NonCpuVisiblePrimary", memory->NonCpuVisiblePrimary},
    };
    for (size_t i = 0; i < sizeof(zeros) / sizeof(*zeros); i++) {
        unsigned long long value = zeros[i].value;
        DRIVER_MUST(25, value == 0, "0 in the caps that mean nothing to a compute-only driver",
                    "%s is %llu with ComputeOnly", zeros[i].name, value);
    }
}

/* What a driver of the declared version knows of the structure; the rest of a longer buffer is
 * whatever was in it before. */
static size_t caps_size_known(uint32_t version) {
    static const struct {
        uint32_t version;
        size_t size;
    } sizes[] = {
        {DXGKDDI_INTERFACE_VERSION_WDDM2_9, sizeof(DXGK_DRIVERCAPS)},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_6, offsetof(DXGK_DRIVERCAPS, MaxHwQueuedFlips)},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_0, offsetof(DXGK_DRIVERCAPS, MiscCaps)},
        {DXGKDDI_INTERFACE_VERSION_WDDM1_3, offsetof(DXGK_DRIVERCAPS, HybridIntegrated)},
        {DXGKDDI_INTERFACE_VERSION_WIN8, offsetof(DXGK_DRIVERCAPS, HybridDiscrete)},
        {DXGKDDI_INTERFACE_VERSION_WIN7, offsetof(DXGK_DRIVERCAPS, PreemptionCaps)},
    };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        if (version >= sizes[i].version)
            return sizes[i].size;
    return offsetof(DXGK_DRIVERCAPS, WDDMVersion);
}

static void caps_take_driver(struct vidmm_referee *referee, const struct query *query) {
    struct shadow_adapter *adapter = &referee->adapter;
    DXGK_DRIVERCAPS *caps = &adapter->caps;
    size_t known = caps_size_known(adapter->version);
    size_t size = query->out.size < known ? query->out.size : known;
    /* A shorter answer than before says nothing new, a very short one nothing at all. */
    if (size < referee->caps.size || size < offsetof(DXGK_DRIVERCAPS, WDDMVersion))
        return;
    referee->caps.size = size;
    memset(caps, 0, sizeof(*caps));
    memcpy(caps, query->out.bytes, size);
    adapter->caps_known = true;
    caps_judge_memory_caps(referee, caps->MemoryManagementCaps);
    if (caps->MiscCaps.ComputeOnly)
        caps_judge_compute_only(referee, caps);
    if (adapter->version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return;
    adapter->nodes = 1;
    adapter->paging_node = 0;
    uint32_t nodes = caps->GpuEngineTopology.NbAsymetricProcessingNodes;
    if (caps->SchedulingCaps.MultiEngineAware && nodes >= 1 && nodes <= SHADOW_NODES) {
        adapter->nodes = nodes;
        adapter->paging_node = caps->MemoryManagementCaps.PagingNode;
    }
}

static void caps_take_physical(struct vidmm_referee *referee, const struct query *query) {
    struct shadow_adapter *adapter = &referee->adapter;
    DXGK_PHYSICALADAPTERCAPS caps;
    size_t size = query->out.size < sizeof(caps) ? query->out.size : sizeof(caps);
    if (size < offsetof(DXGK_PHYSICALADAPTERCAPS, Flags))
        return;
    memset(&caps, 0, sizeof(caps));
    memcpy(&caps, query->out.bytes, size);
    DRIVER_MUST(89, caps.PagingNodeIndex < caps.NumExecutionNodes,
                "PagingNodeIndex less than NumExecutionNodes",
                "PagingNodeIndex is %u, NumExecutionNodes %u", caps.PagingNodeIndex,
                caps.NumExecutionNodes);
    HANDLE device = referee->callbacks.DeviceHandle;
    if (device)
        DRIVER_MUST(90, caps.DxgkPhysicalAdapterHandle == device,
                    "the DeviceHandle that DxgkDdiStartDevice got",
                    "DxgkPhysicalAdapterHandle is %p, DeviceHandle was %p",
                    caps.DxgkPhysicalAdapterHandle, device);
    adapter->nodes = caps.NumExecutionNodes < SHADOW_NODES ? caps.NumExecutionNodes : SHADOW_NODES;
    adapter->paging_node = caps.PagingNodeIndex;
}

static void caps_take_iommu(struct vidmm_referee *referee, const struct query *query) {
    DXGK_IOMMU_CAPS caps;
    if (query->out.size < sizeof(caps))
        return;
    memcpy(&caps, query->out.bytes, sizeof(caps));
    referee->caps.remaps = caps.DmaRemappingSupported;
}

void caps_answer(struct vidmm_referee *referee, const struct query *query) {
    if (!query->out.bytes)
        return;
    if (query->args->Type == DXGKQAITYPE_DRIVERCAPS)
        caps_take_driver(referee, query);
    else if (query->args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS)
        caps_take_physical(referee, query);
    else if (query->args->Type == DXGKQAITYPE_IOMMU_CAPS)
        caps_take_iommu(referee, query);
    else
        mmu_answer(referee, query);
}
