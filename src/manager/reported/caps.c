/*
 * caps.c - what the driver says about itself before it says anything about memory: driver caps and,
 * from WDDM 2.0 on, the physical adapter's caps.
 */
#include <string.h>

#include <vidmm/interfaces.h>

#include "reported/ask.h"

#define PAGE_CAPS          "ns-d3dkmddi-_dxgk_drivercaps"
#define PAGE_VIDMM_CAPS    "ns-d3dkmddi-_dxgk_vidmmcaps"
#define PAGE_PHYSICAL_CAPS "ns-d3dkmddi-_dxgk_physicaladaptercaps"
#define PAGE_QUERY         "nc-d3dkmddi-dxgkddi_queryadapterinfo"
#define PAGE_COMPUTE_ONLY  "mcdm-implementation-guidelines"

#define NODES_MAX DXGK_MAX_ASYMETRICAL_PROCESSING_NODES

/* ---- Asking ---------------------------------------------------------------------------------- */

enum vidmm_status query_refuse(const struct question *question, const struct complaint *complaint) {
    *question->error = (struct vidmm_error){
        .status = VIDMM_DRIVER_BROKE_RULE,
        .call = question->call,
        .field = complaint->field,
        .expected = complaint->expected,
        .rule = complaint->rule,
        .page = complaint->page,
        .index = complaint->index != 0 ? complaint->index : UINT32_MAX,
        .value = complaint->value,
    };
    return VIDMM_DRIVER_BROKE_RULE;
}

enum vidmm_status query_no_memory(const struct question *question) {
    *question->error = (struct vidmm_error){
        .status = VIDMM_NO_MEMORY, .call = question->call, .index = UINT32_MAX};
    return VIDMM_NO_MEMORY;
}

/* nc-d3dkmddi-dxgkddi_queryadapterinfo lists these. */
static bool may_fail_with(NTSTATUS status) {
    return status == STATUS_INVALID_PARAMETER || status == STATUS_NO_MEMORY ||
           status == STATUS_GRAPHICS_DRIVER_MISMATCH;
}

enum vidmm_status query_ask(const struct question *question, DXGK_QUERYADAPTERINFOTYPE type,
                            void *input, uint32_t input_size, void *output, uint32_t output_size) {
    DXGKARG_QUERYADAPTERINFO args;
    memset(&args, 0, sizeof(args));
    args.Type = type;
    args.pInputData = input;
    args.InputDataSize = input_size;
    args.pOutputData = output;
    args.OutputDataSize = output_size;
    const struct query_context *context = question->context;
    NTSTATUS status = context->ddi->DxgkDdiQueryAdapterInfo(context->hadapter, &args);
    if (status == STATUS_SUCCESS)
        return VIDMM_OK;
    query_refuse(question, &(struct complaint){
                               .field = "status",
                               .expected = may_fail_with(status)
                                               ? "STATUS_SUCCESS, for the answer is needed"
                                               : "STATUS_SUCCESS; or STATUS_INVALID_PARAMETER, "
                                                 "STATUS_NO_MEMORY or "
                                                 "STATUS_GRAPHICS_DRIVER_MISMATCH",
                               .rule = may_fail_with(status) ? NULL : "R27",
                               .page = PAGE_QUERY,
                               .value = (uint32_t)status});
    question->error->nt = status;
    question->error->status =
        may_fail_with(status) ? VIDMM_DRIVER_REFUSED : VIDMM_DRIVER_BROKE_RULE;
    return question->error->status;
}

/* ---- Driver caps ----------------------------------------------------------------------------- */

static enum vidmm_status validate_addresses(const struct question *question,
                                            const DXGK_DRIVERCAPS *caps) {
    const struct vidmm_os *os = question->context->os;
    uint64_t highest = (uint64_t)caps->HighestAcceptableAddress.QuadPart;
    if (highest < os->memory_highest(os->ctx))
        return query_refuse(
            question, &(struct complaint){
                          .field = "DXGK_DRIVERCAPS.HighestAcceptableAddress",
                          .expected = "at least the highest physical address of system memory",
                          .rule = "R31",
                          .page = PAGE_CAPS,
                          .value = highest});
    return VIDMM_OK;
}

static enum vidmm_status validate_vidmm_caps(const struct question *question, uint32_t version,
                                             DXGK_VIDMMCAPS caps) {
    struct complaint complaint = {.page = PAGE_VIDMM_CAPS, .value = caps.Value};
    if (caps.DedicatedPagingEngine || caps.PagingEngineCanSwizzle) {
        complaint.field = "DXGK_VIDMMCAPS.DedicatedPagingEngine, PagingEngineCanSwizzle";
        complaint.expected = "0: both are reserved";
        complaint.rule = "R84";
    } else if ((caps.Value & ~vidmm_interface_memory_caps(version)) != 0) {
        complaint.field = "DXGK_VIDMMCAPS.Reserved";
        complaint.expected = "0 in every bit that the interface version does not define";
        complaint.rule = "R84";
    } else if (caps.VirtualAddressingSupported && !caps.GpuMmuSupported && !caps.IoMmuSupported) {
        complaint.field = "DXGK_VIDMMCAPS.VirtualAddressingSupported";
        complaint.expected = "set together with GpuMmuSupported or IoMmuSupported";
        complaint.rule = "R85";
    } else if (caps.CrossAdapterResourceTexture && !caps.CrossAdapterResource) {
        complaint.field = "DXGK_VIDMMCAPS.CrossAdapterResourceTexture";
        complaint.expected = "set only together with CrossAdapterResource";
        complaint.rule = "R86";
    } else if (caps.CrossAdapterResourceScanout &&
               !(caps.CrossAdapterResource && caps.CrossAdapterResourceTexture)) {
        complaint.field = "DXGK_VIDMMCAPS.CrossAdapterResourceScanout";
        complaint.expected = "set only together with CrossAdapterResource and "
                             "CrossAdapterResourceTexture";
        complaint.rule = "R86";
    } else {
        return VIDMM_OK;
    }
    return query_refuse(question, &complaint);
}

/* mcdm-implementation-guidelines.md: what a compute-only driver leaves zero. */
static enum vidmm_status validate_compute_only(const struct question *question,
                                               const DXGK_DRIVERCAPS *caps) {
    const DXGK_VIDMMCAPS *memory = &caps->MemoryManagementCaps;
    const struct {
        const char *field;
        uint64_t value;
    } zeros[] = {
        {"DXGK_DRIVERCAPS.ApertureSegmentCommitLimit", caps->ApertureSegmentCommitLimit},
        {"DXGK_DRIVERCAPS.NumberOfSwizzlingRanges", caps->NumberOfSwizzlingRanges},
        {"DXGK_DRIVERCAPS.MaxAllocationListSlotId", caps->MaxAllocationListSlotId},
        {"DXGK_VIDMMCAPS.OutOfOrderLock", memory->OutOfOrderLock},
        {"DXGK_VIDMMCAPS.SectionBackedPrimary", memory->SectionBackedPrimary},
        {"DXGK_VIDMMCAPS.ReplicateGdiContent", memory->ReplicateGdiContent},
        {"DXGK_VIDMMCAPS.NonCpuVisiblePrimary", memory->NonCpuVisiblePrimary},
    };
    for (size_t i = 0; caps->MiscCaps.ComputeOnly && i < sizeof(zeros) / sizeof(*zeros); i++) {
        if (zeros[i].value != 0)
            return query_refuse(question,
                                &(struct complaint){.field = zeros[i].field,
                                                    .expected = "0 from a compute-only driver",
                                                    .rule = "R25",
                                                    .page = PAGE_COMPUTE_ONLY,
                                                    .value = zeros[i].value});
    }
    return VIDMM_OK;
}

static enum vidmm_status query_driver_caps(const struct query_context *context,
                                           struct adapter_facts *facts, struct vidmm_error *error) {
    const struct question question = {context, error, "DxgkDdiQueryAdapterInfo(DRIVERCAPS)"};
    DXGK_DRIVERCAPS *caps = &facts->caps;
    uint32_t size = vidmm_interface_caps_size(facts->registered_version);
    enum vidmm_status status = query_ask(&question, DXGKQAITYPE_DRIVERCAPS, NULL, 0, caps, size);
    facts->caps_known = status == VIDMM_OK;
    if (status != VIDMM_OK)
        return status;
    /* The buffer is larger than what was offered: nothing may have been written behind it. */
    const uint8_t *bytes = (const uint8_t *)caps;
    for (size_t i = size; i < sizeof(*caps); i++) {
        if (bytes[i] != 0)
            return query_refuse(
                &question, &(struct complaint){.field = "DXGKARG_QUERYADAPTERINFO.pOutputData",
                                               .expected = "nothing written behind OutputDataSize",
                                               .rule = "R545",
                                               .page = PAGE_QUERY,
                                               .value = i});
    }
    status = validate_addresses(&question, caps);
    if (status == VIDMM_OK)
        status =
            validate_vidmm_caps(&question, facts->registered_version, caps->MemoryManagementCaps);
    /* From here on the driver is asked what it knows. */
    facts->interface_version = vidmm_interface_spoken(
        facts->registered_version, (uint32_t)caps->WDDMVersion, context->interface_version);
    return status == VIDMM_OK ? validate_compute_only(&question, caps) : status;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static enum vidmm_status refuse_node(const struct question *question, const char *field,
                                     const char *expected, const char *rule, const char *page,
                                     uint32_t value) {
    return query_refuse(
        question,
        &(struct complaint){
            .field = field, .expected = expected, .rule = rule, .page = page, .value = value});
}

/* WDDM 1.x, and drivers of later versions that know no PHYSICALADAPTERCAPS: the nodes count as GPU
 * engine topology says; PagingNode only when MultiEngineAware, and before WDDM 2.0. */
static enum vidmm_status topology_nodes(const struct query_context *context,
                                        struct adapter_facts *facts,
                                        struct physical_facts *physical,
                                        struct vidmm_error *error) {
    const struct question question = {context, error, "DxgkDdiQueryAdapterInfo(DRIVERCAPS)"};
    facts->nodes = 1;
    physical->paging_node = 0;
    if (!facts->caps.SchedulingCaps.MultiEngineAware)
        return VIDMM_OK;
    uint32_t nodes = facts->caps.GpuEngineTopology.NbAsymetricProcessingNodes;
    bool named = facts->interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    uint32_t paging = named ? facts->caps.MemoryManagementCaps.PagingNode : 0;
    if (nodes == 0 || nodes > NODES_MAX)
        return refuse_node(&question, "DXGK_GPUENGINETOPOLOGY.NbAsymetricProcessingNodes",
                           "1 to 64 nodes from a MultiEngineAware driver", "R89",
                           "ns-d3dkmddi-_dxgk_gpuenginetopology", nodes);
    if (paging >= nodes)
        return refuse_node(&question, "DXGK_VIDMMCAPS.PagingNode", "less than the number of nodes",
                           "R89", PAGE_VIDMM_CAPS, paging);
    facts->nodes = nodes;
    physical->paging_node = paging;
    return VIDMM_OK;
}

static uint32_t physical_caps_size(uint32_t version) {
    return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_7 ? sizeof(DXGK_PHYSICALADAPTERCAPS) : 0x18;
}

static enum vidmm_status validate_nodes(const struct question *question,
                                        const DXGK_PHYSICALADAPTERCAPS *caps) {
    if (caps->NumExecutionNodes == 0 || caps->NumExecutionNodes > NODES_MAX)
        return refuse_node(question, "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes",
                           "1 to 64 execution nodes", "R89", PAGE_PHYSICAL_CAPS,
                           caps->NumExecutionNodes);
    if (caps->PagingNodeIndex >= caps->NumExecutionNodes)
        return refuse_node(question, "DXGK_PHYSICALADAPTERCAPS.PagingNodeIndex",
                           "less than NumExecutionNodes", "R89", PAGE_PHYSICAL_CAPS,
                           caps->PagingNodeIndex);
    if (caps->Flags.VPRPagingContextRequired && caps->VPRPagingNode >= caps->NumExecutionNodes)
        return refuse_node(question, "DXGK_PHYSICALADAPTERCAPS.VPRPagingNode",
                           "less than NumExecutionNodes with VPRPagingContextRequired", "R89",
                           PAGE_PHYSICAL_CAPS, caps->VPRPagingNode);
    return VIDMM_OK;
}

/* tdr-changes-in-windows-8.md: a node ordinal means the same on each physical adapter. */
static enum vidmm_status validate_linked_nodes(const struct question *question,
                                               const struct adapter_facts *facts, uint32_t index,
                                               uint32_t nodes) {
    if (index != 0 && nodes != facts->nodes)
        return refuse_node(question, "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes",
                           "as many as the other physical adapters of the link have", "R509",
                           "tdr-changes-in-windows-8", nodes);
    if (nodes * facts->linked > NODES_MAX)
        return refuse_node(question, "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes",
                           "at most 64 execution nodes of all linked adapters together", NULL,
                           PAGE_PHYSICAL_CAPS, nodes * facts->linked);
    return VIDMM_OK;
}

static enum vidmm_status query_physical_caps(const struct query_context *context,
                                             struct adapter_facts *facts, uint32_t index,
                                             struct vidmm_error *error) {
    const struct question question = {context, error,
                                      "DxgkDdiQueryAdapterInfo(PHYSICALADAPTERCAPS)"};
    struct physical_facts *physical = &facts->physical[index];
    DXGK_QUERYPHYSICALADAPTERCAPSIN input = {.PhysicalAdapterIndex = index};
    DXGK_PHYSICALADAPTERCAPS caps;
    memset(&caps, 0, sizeof(caps));
    enum vidmm_status status =
        query_ask(&question, DXGKQAITYPE_PHYSICALADAPTERCAPS, &input, sizeof(input), &caps,
                  physical_caps_size(facts->interface_version));
    if (status != VIDMM_OK && error->nt == STATUS_NOT_SUPPORTED && facts->linked == 1) {
        memset(error, 0, sizeof(*error)); /* the referee says what it has to say */
        physical->mmu.has = facts->caps.MemoryManagementCaps.GpuMmuSupported;
        physical->iommu = facts->caps.MemoryManagementCaps.IoMmuSupported;
        return topology_nodes(context, facts, physical, error);
    }
    if (status == VIDMM_OK)
        status = validate_nodes(&question, &caps);
    if (status == VIDMM_OK)
        status = validate_linked_nodes(&question, facts, index, caps.NumExecutionNodes);
    if (status != VIDMM_OK)
        return status;
    physical->mmu.has =
        facts->caps.MemoryManagementCaps.GpuMmuSupported && caps.Flags.GpuMmuSupported;
    physical->iommu = facts->caps.MemoryManagementCaps.IoMmuSupported && caps.Flags.IoMmuSupported;
    physical->paging_node = caps.PagingNodeIndex;
    facts->nodes = caps.NumExecutionNodes;
    return VIDMM_OK;
}

enum vidmm_status query_caps(const struct query_context *context, struct adapter_facts *facts,
                             struct vidmm_error *error) {
    enum vidmm_status status = query_driver_caps(context, facts, error);
    if (status != VIDMM_OK)
        return status;
    if (facts->interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return topology_nodes(context, facts, &facts->physical[0], error);
    for (uint32_t i = 0; status == VIDMM_OK && i < facts->linked; i++)
        status = query_physical_caps(context, facts, i, error);
    return status;
}
