/*
 * query_iommu.c - what systems ask of memory behind an IOMMU (iommu-based-gpu-isolation.md,
 * iommu-dma-remapping.md), of those drivers that report any of it.
 */
#include "exam.h"

#include <string.h>

#define RANGES 64u

static NTSTATUS ask(struct exam *exam, DXGK_QUERYADAPTERINFOTYPE type, void *output,
                    uint32_t size) {
    UINT adapter = 0;
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = &adapter,
                                      .InputDataSize = sizeof(adapter),
                                      .pOutputData = output,
                                      .OutputDataSize = size};
    exam_step(exam, "query: type %d", (int)type);
    return exam->lab.table.DxgkDdiQueryAdapterInfo(vidmm_host_adapter(exam->lab.host), &query);
}

/* How many there are, then which. */
static void ask_ranges(struct exam *exam) {
    DXGK_PHYSICAL_MEMORY_RANGE range[RANGES];
    DXGK_HARDWARERESERVEDRANGES ranges = {.NumRanges = 0};
    NTSTATUS status = ask(exam, DXGKQAITYPE_HARDWARERESERVEDRANGES, &ranges, sizeof(ranges));
    if (status != STATUS_SUCCESS || ranges.NumRanges == 0 || ranges.NumRanges > RANGES)
        return;
    memset(range, 0, sizeof(range));
    ranges.pPhysicalRanges = range;
    (void)ask(exam, DXGKQAITYPE_HARDWARERESERVEDRANGES, &ranges, sizeof(ranges));
}

void query_iommu(struct exam *exam, const DXGK_DRIVERCAPS *caps) {
    uint32_t version = exam->lab.table.Version;
    DXGK_PHYSICALADAPTERCAPS adapter;
    DXGK_FRAMEBUFFERSAVEAREA area = {.MaximumSize = 0};
    DXGK_IOMMU_CAPS iommu = {.Value = 0};
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        (void)ask(exam, DXGKQAITYPE_IOMMU_CAPS, &iommu, sizeof(iommu));
    if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_4 ||
        !caps->MemoryManagementCaps.IoMmuSecureModeSupported)
        return;
    (void)ask(exam, DXGKQAITYPE_PHYSICALADAPTERCAPS, &adapter, sizeof(adapter));
    (void)ask(exam, DXGKQAITYPE_FRAMEBUFFERSAVESIZE, &area, sizeof(area));
    ask_ranges(exam);
}
