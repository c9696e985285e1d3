/*
 * caps.c - judges what the driver says of the adapter as a whole: DRIVERCAPS,
 * PHYSICALADAPTERCAPS; see watch/query.h.
 */
#include <string.h>

#include <vidmm/interfaces.h>

#include "watch/query.h"

void caps_begin(struct vidmm_referee *referee) {
    referee->caps.remaps = referee->caps.refused = false;
    referee->caps.size = 0;
}

bool caps_reach_memory(struct vidmm_referee *referee) {
    uint64_t end = world_memory_end(referee);
    uint64_t highest = (uint64_t)referee->adapter.caps.HighestAcceptableAddress.QuadPart;
    return referee->caps.remaps || !referee->adapter.caps_known || end == 0 || highest >= end - 1;
}

/* R644: the system uses whole pages, of which none ends less than a page behind what is reached. */
static void caps_judge_reach(struct vidmm_referee *referee, const char *field, uint64_t highest) {
    uint64_t reach = referee->world.reach;
    if (reach != 0)
        DRIVER_MUST(644, highest < reach || highest - reach < SHADOW_PAGE - 1,
                    "a highest address that the device reaches",
                    "%s is 0x%llx, and the hardware model says that the device reaches addresses "
                    "below 0x%llx",
                    field, (unsigned long long)highest, (unsigned long long)reach);
}

static void caps_judge_acceptable(struct vidmm_referee *referee) {
    caps_judge_reach(referee, "HighestAcceptableAddress",
                     (uint64_t)referee->adapter.caps.HighestAcceptableAddress.QuadPart);
}

static void caps_judge_memory_caps(struct vidmm_referee *referee, DXGK_VIDMMCAPS caps) {
    DRIVER_MUST(84, !caps.DedicatedPagingEngine && !caps.PagingEngineCanSwizzle,
                "DedicatedPagingEngine and PagingEngineCanSwizzle 0",
                "MemoryManagementCaps is 0x%08x: DedicatedPagingEngine %u, "
                "PagingEngineCanSwizzle %u",
                caps.Value, caps.DedicatedPagingEngine, caps.PagingEngineCanSwizzle);
    DRIVER_MUST(
        84, (caps.Value & ~vidmm_interface_memory_caps(referee->adapter.registered_version)) == 0,
        "0 in every bit that the interface version does not define",
        "MemoryManagementCaps is 0x%08x", caps.Value);
    DRIVER_MUST(85, !caps.VirtualAddressingSupported || caps.GpuMmuSupported || caps.IoMmuSupported,
                "VirtualAddressingSupported together with GpuMmuSupported or IoMmuSupported",
                "MemoryManagementCaps is 0x%08x: VirtualAddressingSupported alone", caps.Value);
    DRIVER_MUST(536,
                caps.VirtualAddressingSupported || (!caps.GpuMmuSupported && !caps.IoMmuSupported),
                "VirtualAddressingSupported with GpuMmuSupported or IoMmuSupported",
                "MemoryManagementCaps is 0x%08x, without VirtualAddressingSupported", caps.Value);
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

/* ns-d3dkmddi-_dxgk_vidschcaps.md: what each needs beside it. */
static void caps_judge_scheduling(struct vidmm_referee *referee, DXGK_VIDSCHCAPS caps) {
    bool engines = caps.MultiEngineAware, preempts = caps.PreemptionAware;
    if (referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WIN8)
        return;
    DRIVER_MUST(481,
                (!preempts || engines) && (!caps.NoDmaPatching || (preempts && engines)) &&
                    (!caps.CancelCommandAware || engines),
                "PreemptionAware and CancelCommandAware only with MultiEngineAware, NoDmaPatching "
                "only with PreemptionAware and MultiEngineAware",
                "SchedulingCaps is 0x%08x", caps.Value);
}

/* ne-d3dkmdt-_d3dkmdt_graphics_preemption_granularity.md: what NONE says. A driver may have no work of
 * one kind. */
static void caps_judge_granularity(struct vidmm_referee *referee, const DXGK_DRIVERCAPS *caps) {
    const D3DKMDT_PREEMPTION_CAPS *preemption = &caps->PreemptionCaps;
    if (referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WIN8 ||
        referee->caps.size < offsetof(DXGK_DRIVERCAPS, PreemptionCaps) + sizeof(*preemption))
        return;
    DRIVER_MUST(549,
                !caps->SchedulingCaps.PreemptionAware ||
                    preemption->GraphicsPreemptionGranularity != D3DKMDT_GRAPHICS_PREEMPTION_NONE ||
                    preemption->ComputePreemptionGranularity != D3DKMDT_COMPUTE_PREEMPTION_NONE,
                "PreemptionCaps other than NONE with PreemptionAware",
                "both granularities are NONE and SchedulingCaps is 0x%08x",
                caps->SchedulingCaps.Value);
}

/* mcdm-implementation-guidelines.md: what a compute-only driver has to be able to do. */
static void caps_judge_compute_engines(struct vidmm_referee *referee, const DXGK_DRIVERCAPS *caps) {
    const DXGK_VIDSCHCAPS *scheduling = &caps->SchedulingCaps;
    const struct {
        const char *name;
        bool set;
    } must[] = {
        {"SchedulingCaps.MultiEngineAware", scheduling->MultiEngineAware},
        {"SchedulingCaps.PreemptionAware", scheduling->PreemptionAware},
        {"SchedulingCaps.LowIrqlPreemptCommand", scheduling->LowIrqlPreemptCommand},
        {"SupportPerEngineTDR", caps->SupportPerEngineTDR},
        {"PreemptionCaps.ComputePreemptionGranularity",
         caps->PreemptionCaps.ComputePreemptionGranularity != D3DKMDT_COMPUTE_PREEMPTION_NONE},
    };
    for (size_t i = 0; i < sizeof(must) / sizeof(*must); i++)
        DRIVER_MUST(656, must[i].set, "the capabilities that each compute-only driver has",
                    "%s is 0 with ComputeOnly", must[i].name);
}

/* The same: what it leaves zero. */
static void caps_judge_compute_only(struct vidmm_referee *referee, const DXGK_DRIVERCAPS *caps) {
    const DXGK_VIDMMCAPS *memory = &caps->MemoryManagementCaps;
    const struct {
        const char *name;
        uint64_t value;
    } zeros[] = {
        {"ApertureSegmentCommitLimit", caps->ApertureSegmentCommitLimit},
        {"NumberOfSwizzlingRanges", caps->NumberOfSwizzlingRanges},
        {"MaxAllocationListSlotId", caps->MaxAllocationListSlotId},
        {"MaxPointerWidth", caps->MaxPointerWidth},
        {"MaxPointerHeight", caps->MaxPointerHeight},
        {"PointerCaps", caps->PointerCaps.Value},
        {"MaxOverlays", caps->MaxOverlays},
        {"GammaRampCaps", caps->GammaRampCaps.Value},
        {"PresentationCaps", caps->PresentationCaps.Value},
        {"MaxQueuedFlipOnVSync", caps->MaxQueuedFlipOnVSync},
        {"FlipCaps", caps->FlipCaps.Value},
        {"SupportNonVGA", caps->SupportNonVGA},
        {"SupportSmoothRotation", caps->SupportSmoothRotation},
        {"SupportDirectFlip", caps->SupportDirectFlip},
        {"SupportMultiPlaneOverlay", caps->SupportMultiPlaneOverlay},
        {"MaxOverlayPlanes", caps->MaxOverlayPlanes},
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
    DRIVER_MUST(480, caps->WDDMVersion >= DXGKDDI_WDDMv2_6, "WDDMVersion 2.6 or later",
                "WDDMVersion is 0x%x with ComputeOnly", (unsigned)caps->WDDMVersion);
    caps_judge_compute_engines(referee, caps);
}

/* Newer systems have later versions than ours, but of the same shape. 0 is what W3 is about. */
static void caps_judge_version(struct vidmm_referee *referee, uint32_t wddm) {
    DRIVER_MUST(636, wddm == 0 || (wddm >= DXGKDDI_WDDMv1 && wddm <= UINT16_MAX),
                "a DXGK_WDDMVERSION in WDDMVersion", "WDDMVersion is 0x%x", (unsigned)wddm);
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

/* Before WDDM 2.0: the nodes of the adapter, and which of them pages. */
static void caps_take_topology(struct vidmm_referee *referee, const DXGK_DRIVERCAPS *caps) {
    struct shadow_physical *first = &referee->adapter.physical[0];
    uint32_t nodes = caps->GpuEngineTopology.NbAsymetricProcessingNodes;
    uint32_t paging = caps->MemoryManagementCaps.PagingNode;
    first->nodes = 1;
    first->paging_node = first->vpr_paging_node = 0;
    if (!caps->SchedulingCaps.MultiEngineAware)
        return;
    DRIVER_MUST(89, paging < nodes && nodes <= SHADOW_ORDINALS,
                "1 to 64 nodes with MultiEngineAware, and a PagingNode that is one of them",
                "NbAsymetricProcessingNodes is %u, PagingNode %u", nodes, paging);
    if (nodes >= 1 && nodes <= SHADOW_ORDINALS) {
        first->nodes = nodes;
        first->paging_node = first->vpr_paging_node = paging;
    }
}

static void caps_take_driver(struct vidmm_referee *referee, const struct query *query) {
    struct shadow_adapter *adapter = &referee->adapter;
    DXGK_DRIVERCAPS *caps = &adapter->caps;
    size_t known = caps_size_known(adapter->registered_version);
    size_t size = query->out.size < known ? query->out.size : known;
    /* A shorter answer than before says nothing new, a very short one nothing at all. */
    if (size < referee->caps.size || size < offsetof(DXGK_DRIVERCAPS, WDDMVersion))
        return;
    referee->caps.size = size;
    memset(caps, 0, sizeof(*caps));
    memcpy(caps, query->out.bytes, size);
    adapter->caps_known = true;
    adapter->version = vidmm_interface_spoken(adapter->registered_version,
                                              (uint32_t)caps->WDDMVersion, adapter->wanted_version);
    caps_judge_version(referee, (uint32_t)caps->WDDMVersion);
    if (referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        caps_judge_acceptable(referee);
    caps_judge_memory_caps(referee, caps->MemoryManagementCaps);
    caps_judge_scheduling(referee, caps->SchedulingCaps);
    caps_judge_granularity(referee, caps);
    if (caps->MiscCaps.ComputeOnly)
        caps_judge_compute_only(referee, caps);
    slots_judge(referee);
    if (adapter->version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        caps_take_topology(referee, caps);
}

/* The index of the physical adapter that PHYSICALADAPTERCAPS is asked of. */
static uint32_t caps_index(const struct query *query) {
    const DXGK_QUERYPHYSICALADAPTERCAPSIN *in = query->args->pInputData;
    return in && query->args->InputDataSize >= sizeof(*in) ? in->PhysicalAdapterIndex : 0;
}

/* The device of the index is the one whose handle comes back; each device has one index. */
static void caps_judge_handle(struct vidmm_referee *referee, uint32_t physical, HANDLE handle) {
    struct linked_device *device = linked_of_handle(referee, handle);
    HANDLE only = referee->callbacks.DeviceHandle;
    if (linked_count(referee) == 1) {
        if (only)
            DRIVER_MUST(90, handle == only, "the DeviceHandle that DxgkDdiStartDevice got",
                        "DxgkPhysicalAdapterHandle is %p, DeviceHandle was %p", handle, only);
        return;
    }
    DRIVER_MUST(90, device && (!device->reported || device->physical == physical),
                "the DeviceHandle that DxgkDdiStartDevice got for this physical adapter",
                "DxgkPhysicalAdapterHandle of physical adapter %u is %p, %s", physical, handle,
                device ? "as of another one" : "which no device got");
    if (!device || device->reported)
        return;
    device->reported = true;
    device->physical = physical;
}

/* tdr-changes-in-windows-8.md */
static void caps_judge_nodes(struct vidmm_referee *referee, uint32_t physical, uint32_t nodes) {
    const struct shadow_physical *first = &referee->adapter.physical[0];
    if (physical != 0 && first->node_known)
        DRIVER_MUST(509, nodes == first->nodes, "as many nodes on each physical adapter of a link",
                    "NumExecutionNodes of physical adapter %u is %u, of the first %u", physical,
                    nodes, first->nodes);
}

/* Of linked adapters each says what it has itself. */
static void caps_judge_models(struct vidmm_referee *referee,
                              const DXGK_PHYSICALADAPTERCAPS *physical) {
    const DXGK_VIDMMCAPS *all = &referee->adapter.caps.MemoryManagementCaps;
    if (!referee->adapter.caps_known || linked_count(referee) != 1)
        return;
    DRIVER_MUST(536, !all->GpuMmuSupported || physical->Flags.GpuMmuSupported,
                "GpuMmuSupported of DRIVERCAPS also in PHYSICALADAPTERCAPS",
                "DXGK_PHYSICALADAPTERCAPS.Flags are 0x%x", physical->Flags.Value);
    DRIVER_MUST(536, !all->IoMmuSupported || physical->Flags.IoMmuSupported,
                "IoMmuSupported of DRIVERCAPS also in PHYSICALADAPTERCAPS",
                "DXGK_PHYSICALADAPTERCAPS.Flags are 0x%x", physical->Flags.Value);
}

/* Both count the nodes of the one physical adapter that there is. */
static void caps_judge_count(struct vidmm_referee *referee, uint32_t nodes) {
    const DXGK_DRIVERCAPS *caps = &referee->adapter.caps;
    uint32_t others = caps->GpuEngineTopology.NbAsymetricProcessingNodes;
    if (referee->adapter.caps_known && linked_count(referee) == 1)
        DRIVER_MUST(580, nodes == others, "as many nodes in PHYSICALADAPTERCAPS as in DRIVERCAPS",
                    "NumExecutionNodes is %u, NbAsymetricProcessingNodes %u", nodes, others);
}

static void caps_take_physical(struct vidmm_referee *referee, const struct query *query) {
    DXGK_PHYSICALADAPTERCAPS caps;
    size_t size = query->out.size < sizeof(caps) ? query->out.size : sizeof(caps);
    uint32_t index = caps_index(query);
    if (size < offsetof(DXGK_PHYSICALADAPTERCAPS, Flags) || index >= linked_count(referee))
        return;
    memset(&caps, 0, sizeof(caps));
    memcpy(&caps, query->out.bytes, size);
    DRIVER_MUST(
        89,
        caps.PagingNodeIndex < caps.NumExecutionNodes &&
            caps.NumExecutionNodes <= SHADOW_ORDINALS &&
            (!caps.Flags.VPRPagingContextRequired || caps.VPRPagingNode < caps.NumExecutionNodes),
        "1 to 64 nodes, and nodes for paging that are among them",
        "NumExecutionNodes is %u, PagingNodeIndex %u", caps.NumExecutionNodes,
        caps.PagingNodeIndex);
    caps_judge_handle(referee, index, caps.DxgkPhysicalAdapterHandle);
    caps_judge_nodes(referee, index, caps.NumExecutionNodes);
    caps_judge_models(referee, &caps);
    caps_judge_count(referee, caps.NumExecutionNodes);
    struct shadow_physical *physical = &referee->adapter.physical[index];
    bool second = caps.Flags.VPRPagingContextRequired;
    physical->nodes =
        caps.NumExecutionNodes < SHADOW_ORDINALS ? caps.NumExecutionNodes : SHADOW_ORDINALS;
    physical->paging_node = linked_node(index, caps.PagingNodeIndex);
    physical->vpr_paging_node =
        second ? linked_node(index, caps.VPRPagingNode) : physical->paging_node;
    physical->node_known = true;
}

/* From WDDM 2.9 on it may tell what HighestAcceptableAddress told before. */
static void caps_take_memory(struct vidmm_referee *referee, const struct query *query) {
    DXGK_PHYSICAL_MEMORY_CAPS caps;
    referee->caps.refused = query->status != STATUS_SUCCESS;
    if (referee->caps.refused || query->out.size < sizeof(caps))
        return;
    memcpy(&caps, query->out.bytes, sizeof(caps));
    caps_judge_reach(referee, "HighestVisibleAddress",
                     (uint64_t)caps.HighestVisibleAddress.QuadPart);
}

/* Addresses that are remapped need not be in reach. */
static void caps_take_iommu(struct vidmm_referee *referee, const struct query *query) {
    DXGK_IOMMU_CAPS caps = {.Value = 0};
    if (query->status == STATUS_SUCCESS && query->out.size >= sizeof(caps))
        memcpy(&caps, query->out.bytes, sizeof(caps));
    referee->caps.remaps = caps.DmaRemappingSupported;
    if (referee->caps.refused && !referee->caps.remaps && referee->adapter.caps_known)
        caps_judge_acceptable(referee);
}

void caps_answer(struct vidmm_referee *referee, const struct query *query) {
    bool success = query->status == STATUS_SUCCESS;
    if (!query->out.bytes)
        return;
    if (query->args->Type == DXGKQAITYPE_DRIVERCAPS && success)
        caps_take_driver(referee, query);
    else if (query->args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS && success)
        caps_take_physical(referee, query);
    else if (query->args->Type == DXGKQAITYPE_PHYSICAL_MEMORY_CAPS)
        caps_take_memory(referee, query);
    else if (query->args->Type == DXGKQAITYPE_IOMMU_CAPS)
        caps_take_iommu(referee, query);
    else
        mmu_answer(referee, query);
}
