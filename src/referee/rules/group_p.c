/*
 * group_p.c - R354 to R359: IOMMU and remapping.
 *
 * Memory behind an IOMMU; where there is none, group_a.c (R31) tells what must hold.
 */
#define GROUP 'P'
#include "groups.h"

const struct vidmm_rule rules_p[] = {
    {
        RULE(354, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "Under isolation every page that the GPU may touch is mapped before it is "
                     "used and unmapped after.",
        .page = "iommu-based-gpu-isolation",
        .how = "not judged: isolation is not modelled, and no call shows what is mapped in the "
               "adapter's domain.",
        .why = "The IOMMU stops all other accesses.",
        .windows = "A missing mapping is a fault of the device.",
    },
    {
        RULE(355, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "BeginExclusiveAccess and EndExclusiveAccess bracket a change of the IOMMU "
                     "domain, with idle hardware and no other call between them.",
        .page = "iommu-dma-remapping",
        .how = "not judged: isolation is not modelled, so that the adapter's domain never changes.",
        .why = "An access during the change goes to an unknown place.",
        .windows = "The device faults.",
    },
    {
        RULE(356, BOTH, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "The frame buffer's save size is a multiple of the page size, and is asked "
                     "for after the physical adapter's capabilities if isolation is reported.",
        .page = "iommu-based-gpu-isolation",
        .how = "MaximumSize of each answer to FRAMEBUFFERSAVESIZE, and that PHYSICALADAPTERCAPS "
               "was asked before. That memory is set aside for it nobody can see.",
        .why = "The system reserves memory for it.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "area->MaximumSize = sizeof(struct saved_state);\n",
        .right = "area->MaximumSize = ROUND_TO_PAGES(sizeof(struct saved_state));\n",
    },
    {
        RULE(357, BOTH, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "Ranges reserved by hardware do not overlap and are mapped before the IOMMU "
                     "is attached.",
        .page = "iommu-based-gpu-isolation",
        .how =
            "All pairs of the ranges in an answer to HARDWARERESERVEDRANGES, and that they were "
            "asked for before a DxgkDdiBeginExclusiveAccess. The mapping itself is not modelled.",
        .why = "The device uses them without asking.",
        .windows = "The device faults.",
        .wrong = "/* firmware's, and the page table inside of it */\n"
                 "ranges[0] = (DXGK_PHYSICAL_MEMORY_RANGE){firmware, 0x100000};\n"
                 "ranges[1] = (DXGK_PHYSICAL_MEMORY_RANGE){tables, 0x1000};\n",
        .right = "ranges[0] = (DXGK_PHYSICAL_MEMORY_RANGE){firmware, 0x100000}; /* with the page "
                 "table in it */\n",
    },
    {
        RULE(358, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "With logical remapping the driver does not use the older memory callbacks.",
        .page = "iommu-dma-remapping",
        .how = "The older callbacks, by a driver whose answer to IOMMU_CAPS has "
               "DmaRemappingSupported.",
        .why = "They give physical addresses, which the device cannot use then.",
        .windows = "The device reaches other memory or faults.",
        .wrong = "caps->DmaRemappingSupported = 1;\n"
                 "/* and later */\n"
                 "DxgkCbAllocateContiguousMemory(hAdapter, &contiguous);\n",
        .right = "caps->DmaRemappingSupported = 1;\n"
                 "/* and later */\n"
                 "DxgkCbCreatePhysicalMemoryObject(&object);\n"
                 "DxgkCbAllocateAdl(&adl);\n",
    },
    {
        RULE(359, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement =
            "Callbacks that map or allocate memory for the device are made at APC_LEVEL or below.",
        .page = "iommu-dma-remapping",
        .how = "The IRQL at each of the callbacks that allocate or map memory.",
        .why = "They wait and touch pageable memory.",
        .windows = "Making them at a higher level is a bugcheck.",
        .windows_source = THE_PAGE,
        .wrong = "VOID DpcRoutine(PVOID context) {\n"
                 "    DxgkCbAllocatePagesForMdl(hAdapter, &pages); /* DISPATCH_LEVEL */\n",
        .right = "VOID DpcRoutine(PVOID context) {\n"
                 "    IoQueueWorkItem(grow, GrowAtPassiveLevel, DelayedWorkQueue, context);\n",
    },
    {
        RULE(447, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "After a notice with NotifyIoMmuUnmap the driver sees to it that the address "
                     "is not accessed any more.",
        .page = "allocation-notification",
        .how = "Not judged: it takes a device behind an IOMMU that reports accesses to what was "
               "unmapped; the IOMMU of this program keeps no record of the device's reads.",
        .why = "The mapping goes next, and an access then is a fault of the device.",
        .windows = "No page tells more.",
        .windows_source = NOT_KNOWN,
        .wrong = "case DXGK_OPERATION_NOTIFY_ALLOC:\n"
                 "    return STATUS_SUCCESS;\n",
        .right =
            "case DXGK_OPERATION_NOTIFY_ALLOC:\n"
            "    return FlushDeviceTlb(args, args->NotifyAllocation.GpuVirtualAddressAtOffset);\n",
    },
};
