/*
 * query_nodes.c - what the driver says of its engines: DxgkDdiGetNodeMetadata of each node that it
 * reports, and of others; which ones are reset together.
 */
#include "stage.h"

#include <vidmm/virtual.h>

#define NOT_WRITTEN ((DXGK_ENGINE_TYPE)0x5a5a)

/* What any node is and can do, so far. */
struct nodes_models {
    bool gpu_mmu, io_mmu, graphics;
};

/* Of a kind that the system has no word for, the driver gives one. */
static void judge_name(struct check *check, uint32_t node, const DXGKARG_GETNODEMETADATA *answer) {
    if (answer->EngineType == DXGK_ENGINE_TYPE_OTHER)
        vidmm_ledger_judge(&check->shared->ledger, 630, VIDMM_SIDE_DRIVER,
                           answer->FriendlyName[0] != 0,
                           "a FriendlyName of a node of type DXGK_ENGINE_TYPE_OTHER",
                           "FriendlyName of node %u is empty", node);
}

static NTSTATUS ask_node(struct check *check, uint32_t node, struct nodes_models *models) {
    DXGKARG_GETNODEMETADATA answer = {.EngineType = NOT_WRITTEN};
    check_step(check, "query: metadata of node %u", node);
    NTSTATUS status = check->harness.spoken.DxgkDdiGetNodeMetadata(
        vidmm_host_adapter(check->harness.host), node, &answer);
    if (status != STATUS_SUCCESS)
        return status;
    vidmm_ledger_judge(&check->shared->ledger, 532, VIDMM_SIDE_DRIVER,
                       answer.EngineType != NOT_WRITTEN, "an EngineType",
                       "EngineType of node %u was not written", node);
    judge_name(check, node, &answer);
    models->gpu_mmu = models->gpu_mmu || answer.GpuMmuSupported;
    models->io_mmu = models->io_mmu || answer.IoMmuSupported;
    models->graphics = models->graphics || answer.EngineType == DXGK_ENGINE_TYPE_3D;
    return status;
}

/* The model of the adapter is that of some node of it. */
static void judge_models(struct check *check, const DXGK_VIDMMCAPS *caps,
                         const struct nodes_models *models) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    if (caps->GpuMmuSupported)
        vidmm_ledger_judge(ledger, 536, VIDMM_SIDE_DRIVER, models->gpu_mmu,
                           "a node with GpuMmuSupported, which DRIVERCAPS has",
                           "GpuMmuSupported is set for no node");
    if (caps->IoMmuSupported)
        vidmm_ledger_judge(ledger, 536, VIDMM_SIDE_DRIVER, models->io_mmu,
                           "a node with IoMmuSupported, which DRIVERCAPS has",
                           "IoMmuSupported is set for no node");
}

/* ne-d3dkmdt-_d3dkmdt_graphics_preemption_granularity.md: NONE says that graphics work is not preempted. */
static void judge_granularity(struct check *check, const DXGK_DRIVERCAPS *caps,
                              const struct nodes_models *models) {
    if (!caps->SchedulingCaps.PreemptionAware || !models->graphics)
        return;
    vidmm_ledger_judge(&check->shared->ledger, 549, VIDMM_SIDE_DRIVER,
                       caps->PreemptionCaps.GraphicsPreemptionGranularity !=
                           D3DKMDT_GRAPHICS_PREEMPTION_NONE,
                       "GraphicsPreemptionGranularity other than NONE with PreemptionAware and a "
                       "node of type 3D",
                       "it is NONE");
}

/* Linked adapters have the topology of one. */
void query_nodes(struct check *check, const DXGK_DRIVERCAPS *caps) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    uint32_t nodes = caps->GpuEngineTopology.NbAsymetricProcessingNodes;
    struct nodes_models models = {.gpu_mmu = false};
    bool there = check->harness.spoken.DxgkDdiGetNodeMetadata;
    if (check_displays_only(check) ||
        check->harness.spoken.Version < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
        return;
    vidmm_ledger_judge(ledger, 524, VIDMM_SIDE_DRIVER, there, "a function that tells of nodes",
                       "DxgkDdiGetNodeMetadata is NULL");
    for (uint32_t asked = 0; there && asked < 2 * nodes && asked < 64; asked++) {
        uint32_t node = asked % nodes; /* twice: the second answer is as whole as the first */
        NTSTATUS status = ask_node(check, node, &models);
        vidmm_ledger_judge(ledger, 524, VIDMM_SIDE_DRIVER, status == STATUS_SUCCESS,
                           "STATUS_SUCCESS for each node", "status 0x%08x for node %u of %u",
                           (unsigned)status, node, nodes);
    }
    if (there && check->shared->told.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        judge_models(check, &caps->MemoryManagementCaps, &models);
    if (there)
        judge_granularity(check, caps, &models);
    for (uint32_t beyond = 0; there && beyond < 2; beyond++) {
        uint32_t node = beyond == 0 ? nodes : UINT32_MAX;
        NTSTATUS status = ask_node(check, node, &models);
        vidmm_ledger_judge(ledger, 524, VIDMM_SIDE_DRIVER, status == STATUS_INVALID_PARAMETER,
                           "STATUS_INVALID_PARAMETER for a node that does not exist",
                           "status 0x%08x for node %u of %u", (unsigned)status, node, nodes);
    }
}

/* It works with the page tables of the paging process (examples.md), unless the adapter has another model, too. */
void query_paging_node(struct check *check) {
    struct nodes_models models = {.gpu_mmu = false};
    struct vidmm_adapter_info info;
    vidmm_adapter_info(check->harness.adapter, &info);
    const DXGK_VIDMMCAPS *caps = &info.caps.MemoryManagementCaps;
    if (info.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 || !caps->GpuMmuSupported ||
        caps->IoMmuSupported || !check->harness.spoken.DxgkDdiGetNodeMetadata ||
        ask_node(check, info.paging_node, &models) != STATUS_SUCCESS)
        return;
    vidmm_ledger_judge(&check->shared->ledger, 536, VIDMM_SIDE_DRIVER, models.gpu_mmu,
                       "GpuMmuSupported of the paging node, which works with GPU virtual addresses",
                       "GpuMmuSupported is not set for node %u, which PagingNodeIndex names",
                       info.paging_node);
}

void query_virtual_node(struct check *check, uint32_t node) {
    struct nodes_models models = {.gpu_mmu = false};
    struct vidmm_adapter_info info;
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    vidmm_adapter_info(check->harness.adapter, &info);
    if (info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
        check->harness.spoken.DxgkDdiGetNodeMetadata &&
        ask_node(check, node, &models) == STATUS_SUCCESS)
        vidmm_ledger_judge(&check->shared->ledger, 536, VIDMM_SIDE_DRIVER,
                           mmu.iommu ? models.io_mmu : models.gpu_mmu,
                           "GpuMmuSupported of a node that works with GPU virtual addresses, or "
                           "IoMmuSupported where they are the CPU's",
                           "%s is not set for node %u, which reported a fault of such an address",
                           mmu.iommu ? "IoMmuSupported" : "GpuMmuSupported", node);
}

/* What they answer is the referee's to judge (R606). */
void query_groups(struct check *check, const DXGK_DRIVERCAPS *caps) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    uint32_t nodes = caps->GpuEngineTopology.NbAsymetricProcessingNodes;
    if (check_displays_only(check) || table->Version < DXGKDDI_INTERFACE_VERSION_WIN8 ||
        !caps->SupportPerEngineTDR || !table->DxgkDdiQueryDependentEngineGroup)
        return;
    for (uint32_t node = 0; node < nodes && node < 64; node++) {
        DXGKARG_QUERYDEPENDENTENGINEGROUP args = {.NodeOrdinal = node};
        check_step(check, "query: what is reset with node %u", node);
        (void)table->DxgkDdiQueryDependentEngineGroup(vidmm_host_adapter(check->harness.host),
                                                      &args);
    }
}
