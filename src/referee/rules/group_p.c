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
        .how = "Not judged: the IOMMU of this program translates for processes "
               "(iommu-model) and not for an adapter's domain, and its mapping is the "
               "system's own work, in no call. It would take a domain that every access "
               "of the board goes through.",
        .why = "The IOMMU stops all other accesses.",
        .windows = "A missing mapping is a fault of the device.",
    },
    {
        RULE(355, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "BeginExclusiveAccess and EndExclusiveAccess bracket a change of the IOMMU "
                     "domain, with all work done before and no other call between them.",
        .page = "nc-d3dkmddi-dxgkddi_beginexclusiveaccess",
        .how = "Work under way at DxgkDdiBeginExclusiveAccess, calls until "
               "DxgkDdiEndExclusiveAccess, and one of the two alone. The driver's half, that its "
               "hardware is silent meanwhile, would take a device that does something without "
               "work.",
        .why = "An access during the change goes to an unknown place.",
        .windows = "The system promises both.",
        .windows_source = THE_PAGE,
        .wrong = "DxgkDdiBeginExclusiveAccess(hAdapter, &begin);\n"
                 "DxgkDdiBuildPagingBuffer(hAdapter, &unmap);\n"
                 "DxgkDdiEndExclusiveAccess(hAdapter, &end);\n",
        .right = "DxgkDdiBuildPagingBuffer(hAdapter, &unmap);\n"
                 "WaitForAllWork();\n"
                 "DxgkDdiBeginExclusiveAccess(hAdapter, &begin);\n"
                 "DxgkDdiEndExclusiveAccess(hAdapter, &end);\n",
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
        .statement = "Ranges reserved by hardware lie outside of the memory that the system "
                     "manages, and are asked for, looked at and mapped before the IOMMU is "
                     "attached.",
        .page = "iommu-based-gpu-isolation",
        .how = "The pages of the ranges in an answer to HARDWARERESERVEDRANGES are looked for in "
               "system memory. Before a DxgkDdiBeginExclusiveAccess they were asked for, and none "
               "is system memory. The mapping itself is not modelled.",
        .why = "What is reserved is mapped for the device; a range of the system's memory would "
               "open that to it.",
        .windows = "The system looks for such an overlap.",
        .windows_source = THE_PAGE,
        .wrong = "/* a page that the driver allocated */\n"
                 "ranges[0] = (DXGK_PHYSICAL_MEMORY_RANGE){MmGetPhysicalAddress(table), 0x1000};\n",
        .right = "/* what the firmware's tables name as the device's */\n"
                 "ranges[0] = (DXGK_PHYSICAL_MEMORY_RANGE){firmware, 0x100000};\n",
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
    {
        RULE(475, DRIVER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "A driver with IoMmuSecureModeSupported takes contiguous memory and MDLs for "
                     "its device from the callbacks, and locks no memory itself.",
        .page = "iommu-based-gpu-isolation",
        .how =
            "MmAllocateContiguousMemory, MmAllocatePagesForMdl and MmProbeAndLockPages, from the "
            "load of the driver on, which must not have been called when it reports the "
            "capability, or later.",
        .why =
            "The system maps for the device what it gave out itself; other pages have no logical "
            "address.",
        .windows = "The page has a test that looks for these functions; the device reaches none of "
                   "such memory.",
        .windows_source = THE_PAGE,
        .wrong = "ring = MmAllocateContiguousMemory(RING_BYTES, highest);\n",
        .right = "DXGKARGCB_ALLOCATECONTIGUOUSMEMORY take = {.NumberOfBytes = RING_BYTES};\n"
                 "DxgkCbAllocateContiguousMemory(hAdapter, &take);\n",
    },
    {
        RULE(479, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_4,
        .statement = "A driver with IoMmuSecureModeSupported answers FRAMEBUFFERSAVESIZE and "
                     "HARDWARERESERVEDRANGES.",
        .page = "mcdm-implementation-guidelines",
        .how = "The status of both queries. The page says it of compute-only drivers; "
               "iommu-based-gpu-isolation has the system ask every driver with the capability.",
        .why = "What is saved and what is reserved has to be mapped before the device is attached.",
        .windows = "No page tells; it sets aside and maps what it is told.",
        .windows_source = NOT_KNOWN,
        .wrong = "default:\n"
                 "    return STATUS_INVALID_PARAMETER; /* nothing is saved here */\n",
        .right = "case DXGKQAITYPE_FRAMEBUFFERSAVESIZE:\n"
                 "    area->MaximumSize = 0;\n"
                 "    return STATUS_SUCCESS;\n",
    },
};
