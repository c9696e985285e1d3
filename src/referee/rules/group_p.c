/*
 * group_p.c - R354 to R359: IOMMU and remapping.
 *
 * Memory behind an IOMMU; where there is none, group_a.c (R31) tells what must hold.
 */
#include "groups.h"

const struct vidmm_rule rules_p[6] = {
    {
        .number = 354,
        .group = 'P',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "Under isolation every page that the GPU may touch is mapped before it is "
                     "used and unmapped after.",
        .page = "iommu-based-gpu-isolation",
        .how = "not judged yet: comes with IOMMU support.",
        .why = "The IOMMU stops all other accesses.",
        .windows = "A missing mapping is a fault of the device.",
    },
    {
        .number = 355,
        .group = 'P',
        .side = VIDMM_SIDE_BOTH,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "BeginExclusiveAccess and EndExclusiveAccess bracket a change of the IOMMU "
                     "domain, with idle hardware and no other call between them.",
        .page = "iommu-dma-remapping",
        .how = "not judged yet: comes with IOMMU support.",
        .why = "An access during the change goes to an unknown place.",
        .windows = "The device faults.",
    },
    {
        .number = 356,
        .group = 'P',
        .side = VIDMM_SIDE_BOTH,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_START_FAILS,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "The frame buffer's save size is a multiple of the page size, and is asked "
                     "for after the physical adapter's capabilities if isolation is reported.",
        .page = "iommu-based-gpu-isolation",
        .how = "not judged yet: comes with IOMMU support.",
        .why = "The system reserves memory for it.",
        .windows = "No page tells.",
    },
    {
        .number = 357,
        .group = 'P',
        .side = VIDMM_SIDE_BOTH,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_START_FAILS,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "Ranges reserved by hardware do not overlap and are mapped before the IOMMU "
                     "is attached.",
        .page = "iommu-based-gpu-isolation",
        .how = "not judged yet: comes with IOMMU support.",
        .why = "The device uses them without asking.",
        .windows = "The device faults.",
    },
    {
        .number = 358,
        .group = 'P',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "With logical remapping the driver does not use the older memory callbacks.",
        .page = "iommu-dma-remapping",
        .how = "not judged yet: comes with IOMMU support.",
        .why = "They give physical addresses, which the device cannot use then.",
        .windows = "The device reaches other memory or faults.",
    },
    {
        .number = 359,
        .group = 'P',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_BUGCHECK,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement =
            "Callbacks that map or allocate memory for the device are made at APC_LEVEL or below.",
        .page = "iommu-dma-remapping",
        .how = "not judged yet: comes with IOMMU support.",
        .why = "They wait and touch pageable memory.",
        .windows = "Making them at a higher level is a bugcheck.",
    },
};
