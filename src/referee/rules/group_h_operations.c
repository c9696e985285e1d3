/*
 * group_h_operations.c - rules R240 to R249: the paging operations by GPU virtual addresses, and
 * notices of residency. Page tables are group_h_tables.c's.
 */
#define GROUP 'H'
#include "groups.h"

const struct vidmm_rule rules_h_operations[] = {
    {
        RULE(240, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The addresses of VIRTUALTRANSFER are those of the paging process and "
                     "AllocationOffsetInBytes is not added to them.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual",
        .how =
            "Both addresses are looked up in the shadow of the paging process's tables when the "
            "operation is built, and whether their entries were written for those pages of the "
            "allocation; when it is done the bytes are compared. A page fault at an address that "
            "no operation of the work names is told by it where it is one of a transfer's with "
            "the offset added.",
        .why = "The offset only tells which part of the allocation is moved.",
        .windows = "A driver that adds it moves other bytes.",
        .wrong =
            "copy(transfer->SourceVirtualAddress + transfer->AllocationOffsetInBytes, size);\n",
        .right = "copy(transfer->SourceVirtualAddress, size);\n",
    },
    {
        RULE(241, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Where SourcePageTableVaInTransfer was reported, SourcePageTable of an "
                     "eviction is the address of the leaf table of the source.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "SourcePageTable of a transfer from a memory segment to system memory leads to the "
               "leaf table of SourceVirtualAddress. What the members hold in other transfers, or "
               "without the capability, is left open.",
        .why = "Such a driver finds the pages of the source by their entries.",
        .windows = "It sets the member for those drivers.",
        .windows_source = THE_PAGE,
        .wrong = "args.TransferVirtual.SourcePageTable = 0;\n",
        .right = "if (caps.LegacyBehaviors.SourcePageTableVaInTransfer)\n"
                 "    args.TransferVirtual.SourcePageTable = table_va;\n",
        .readings = "The capability's page speaks of SourcePageTable and of evictions alone; "
                    "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual of both members, whatever "
                    "the transfer. vidmm's manager sets both in all of them; the first is judged.",
    },
    {
        RULE(517, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The driver uses SourcePageTable and DestinationPageTable only where it "
                     "reported SourcePageTableVaInTransfer.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual",
        .how = "vidmm's manager leaves both 0 without the capability. Stage residency moves a "
               "surface out and in, and another one while both members are addresses that lead "
               "nowhere: a rule that was kept so far and is broken then is told as this one.",
        .why = "They are addresses only then.",
        .windows = "Otherwise they hold nothing of use.",
        .windows_source = THE_PAGE,
        .wrong = "walk(args->TransferVirtual.SourcePageTable);\n",
        .right = "if (ctx->WantsTables)\n"
                 "    walk(args->TransferVirtual.SourcePageTable);\n"
                 "else\n"
                 "    copy(args->TransferVirtual.SourceVirtualAddress);\n",
    },
    {
        RULE(242, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "Src64KBPages and Dst64KBPages tell the kind of page table behind each address.",
        .page = "ns-d3dkmddi-_dxgk_transfervirtualflags",
        .how = "Both flags are held against the kind of table through which the shadow translates "
               "each address.",
        .why = "The copy engine may need to know the size of pages.",
        .windows = "The system sets them from its own tables.",
        .wrong = "args.TransferVirtual.Flags.Src64KBPages = 1;\n",
        .right = "args.TransferVirtual.Flags.Src64KBPages = table_is_64kb(source_va);\n",
    },
    {
        RULE(243, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "TransferDirection names where the two sides are.",
        .page = "ne-d3dkmddi-_dxgk_memory_transfer_direction",
        .how = "The direction is held against the segments to which the two addresses lead.",
        .why = "Drivers choose the copy engine by it.",
        .windows = "The system knows both places.",
        .wrong = "args.TransferVirtual.TransferDirection = DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;\n",
        .right = "args.TransferVirtual.TransferDirection =\n"
                 "    to_system ? DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM : "
                 "DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;\n",
    },
    {
        RULE(244, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The driver does not take virtual ranges for continuous in memory.",
        .page = "live-migration-on-gpup-devices",
        .how =
            "Where the pages behind an address are scattered, the bytes of each page are compared.",
        .why = "The system maps what pages it has.",
        .windows = "A driver that translates only the first page moves bytes of somebody else.",
        .wrong = "dma_copy(translate(source), translate(destination), size);\n",
        .right = "for (page = 0; page < size; page += 4096)\n"
                 "    dma_copy(translate(source + page), translate(destination + page), 4096);\n",
    },
    {
        RULE(245, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "VIRTUALFILL targets pages of a memory segment and an allocation that no work uses.",
        .page = "examples",
        .how = "By the shadow of the paging process's tables the addresses lead to pages of memory "
               "segments, by entries that were written for those pages of the allocation.",
        .why = "It takes the place of FILL.",
        .windows = "The system fills before an allocation is used.",
        .wrong = "args.FillVirtual.DestinationVirtualAddress = va_of_system_pages;\n",
        .right = "args.FillVirtual.DestinationVirtualAddress = va_of_vram;\n",
    },
    {
        RULE(246, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "NOTIFYRESIDENCY is sent only for allocations with "
                     "ExplicitResidencyNotification and AccessedPhysically.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency",
        .how = "The flags of the allocation are looked at.",
        .why = "Other allocations have no physical address that the driver could use.",
        .windows = "The system sends no other.",
        .windows_source = THE_PAGE,
        .wrong = "notify_residency(allocation);\n",
        .right = "if (flags.ExplicitResidencyNotification && flags.AccessedPhysically)\n"
                 "    notify_residency(allocation);\n",
    },
    {
        RULE(247, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "NOTIFYRESIDENCY comes once a change: after the contents when memory is "
                     "committed, before them when it is evicted.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency",
        .how = "Notices of an allocation alternate, come behind the operation that gives it "
               "contents and before the one that takes them away; none is owed at its end.",
        .why = "The driver programs the physical address into hardware between the two.",
        .windows = "The system keeps the order.",
        .wrong = "notify(allocation, 1, place); transfer_in(allocation);\n",
        .right = "transfer_in(allocation); notify(allocation, 1, place);\n",
    },
    {
        RULE(248, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "An eviction that is notified uses an address of the paging process, an IOMMU "
            "unmapping one of the process, and the memory is unmapped only when all are done.",
        .page = "allocation-notification",
        .how = "Flags, address and process of every NOTIFY_ALLOC are held against the shadows; "
               "when the memory is unmapped cannot be seen.",
        .why = "The device may use the memory until then.",
        .windows = "The system waits for every notified adapter.",
        .wrong = "notify.Flags.Eviction = notify.Flags.IoMmuUnmap = 1;\n",
        .right = "notify.Flags.Eviction = 1;\n"
                 "notify.GpuVirtualAddressAtOffset = scratch_va;\n",
    },
    {
        RULE(249, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "NotifyEviction is sent only for allocations that leave an aperture segment "
                     "or system memory.",
        .page = "allocation-notification",
        .how = "The address of a notice of eviction leads to an aperture or to system memory.",
        .why = "Of memory segments the driver learns by the transfer.",
        .windows = "The system sends no other.",
        .wrong = "notify_eviction(allocation_in_vram);\n",
        .right = "if (!is_memory_segment(segment))\n"
                 "    notify_eviction(allocation);\n",
    },
    {
        RULE(420, BOTH, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_2,
        .statement = "SIGNAL_MONITORED_FENCE makes the GPU write MonitoredFenceValue at "
                     "MonitoredFenceGpuVa, an address of the process that the operation runs in, "
                     "after all work before it and never before.",
        .page = "ns-d3dkmddi-_dxgkarg_signalmonitoredfence",
        .how = "The address is looked up in the process's page tables; the value must not be there "
               "when the operation was built, and must be there when its fence came back.",
        .why = "User mode and other engines wait for the value in memory; without it they wait for "
               "ever, and with it too early they read what is not there yet.",
        .windows = "No page tells; what waits for the value does not go on, or goes on too early.",
        .windows_source = NOT_KNOWN,
        .wrong = "case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:\n"
                 "    return STATUS_SUCCESS; /* the interrupt tells that the buffer is done */\n",
        .right = "case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:\n"
                 "    return WriteStore64(args, args->SignalMonitoredFence.MonitoredFenceGpuVa,\n"
                 "                        args->SignalMonitoredFence.MonitoredFenceValue);\n",
    },
};
