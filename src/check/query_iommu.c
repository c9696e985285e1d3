/*
 * query_iommu.c - the queries about memory behind an IOMMU (iommu-based-gpu-isolation.md,
 * iommu-dma-remapping.md), to drivers that report such memory.
 */
#include "stage.h"

#include <string.h>

#define RANGES 64u

static NTSTATUS iommu_ask(struct check *check, DXGK_QUERYADAPTERINFOTYPE type, void *output,
                          uint32_t size) {
    UINT adapter = 0;
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = &adapter,
                                      .InputDataSize = sizeof(adapter),
                                      .pOutputData = output,
                                      .OutputDataSize = size};
    check_step(check, "query: type %d", (int)type);
    return check->harness.spoken.DxgkDdiQueryAdapterInfo(vidmm_host_adapter(check->harness.host),
                                                         &query);
}

/* First their number, then the list. */
static void ask_ranges(struct check *check) {
    DXGK_PHYSICAL_MEMORY_RANGE range[RANGES];
    DXGK_HARDWARERESERVEDRANGES ranges = {.NumRanges = 0};
    NTSTATUS status = iommu_ask(check, DXGKQAITYPE_HARDWARERESERVEDRANGES, &ranges, sizeof(ranges));
    if (status != STATUS_SUCCESS || ranges.NumRanges == 0 || ranges.NumRanges > RANGES)
        return;
    memset(range, 0, sizeof(range));
    ranges.pPhysicalRanges = range;
    (void)iommu_ask(check, DXGKQAITYPE_HARDWARERESERVEDRANGES, &ranges, sizeof(ranges));
}

void query_iommu(struct check *check, const DXGK_DRIVERCAPS *caps) {
    uint32_t version = check->harness.spoken.Version;
    DXGK_PHYSICALADAPTERCAPS adapter;
    DXGK_FRAMEBUFFERSAVEAREA area = {.MaximumSize = 0};
    DXGK_IOMMU_CAPS iommu = {.Value = 0};
    DXGK_PHYSICAL_MEMORY_CAPS memory = {.HighestVisibleAddress.QuadPart = 0};
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9) {
        (void)iommu_ask(check, DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, &memory, sizeof(memory));
        (void)iommu_ask(check, DXGKQAITYPE_IOMMU_CAPS, &iommu, sizeof(iommu));
    }
    if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_4 ||
        !caps->MemoryManagementCaps.IoMmuSecureModeSupported)
        return;
    (void)iommu_ask(check, DXGKQAITYPE_PHYSICALADAPTERCAPS, &adapter, sizeof(adapter));
    (void)iommu_ask(check, DXGKQAITYPE_FRAMEBUFFERSAVESIZE, &area, sizeof(area));
    ask_ranges(check);
}
