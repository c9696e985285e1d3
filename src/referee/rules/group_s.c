/*
 * group_s.c - R369 to R392, R440 to R442: 64 KB and large pages, invalid accesses, companion contexts.
 *
 * The finer points of GPU virtual addresses, beyond the rules of group_h_tables.c,
 * group_h_operations.c and group_i.c.
 */
#define GROUP 'S'
#include "groups.h"

const struct vidmm_rule rules_s[] = {
    {
        RULE(369, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "System memory has pages of 4 KB unless SysMem64KBPageSupported was reported.",
        .page = "gpu-virtual-address",
        .how = "Entries in tables of 64 KB pages do not lead to system memory unless "
               "SysMem64KBPageSupported was reported.",
        .why = "Entries of the wrong size cover other memory.",
        .windows = "The system keeps to it.",
        .wrong = "wide[i].Segment = 0;\n",
        .right = "wide[i].Segment = segment_with_Use64KBPages;\n",
        .readings =
            "gpu-virtual-address and gpummu-model: system memory is always managed by "
            "4 KB. ns-d3dkmddi-_dxgk_gpummucaps has SysMem64KBPageSupported since WDDM 2.1, "
            "and says nothing but that the driver provides management by 64 KB. vidmm "
            "takes it as leave for entries of 64 KB; its manager makes none.",
    },
    {
        RULE(370, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "In a segment of 64 KB pages every allocation has a size and a place in "
                     "multiples of 64 KB.",
        .page = "gpu-virtual-address",
        .how = "The place of each byte of an allocation in a segment with Use64KBPages has the "
               "same low 16 bits as its offset.",
        .why = "Two allocations would share a page otherwise.",
        .windows = "The system rounds up.",
        .wrong = "place = align(place, 4096);\n",
        .right = "place = align(place, segment->Use64KBPages ? 65536 : 4096);\n",
    },
    {
        RULE(371, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "The virtual and the physical address of a 64 KB mapping have the same low 16 bits.",
        .page = "gpu-virtual-address",
        .how = "Address and page of each entry in a table of 64 KB pages are compared.",
        .why = "The offset within a page is not translated.",
        .windows = "The system aligns both.",
        .windows_source = THE_PAGE,
        .wrong = "wide[i].PageAddress = 1;\n",
        .right = "wide[i].PageAddress = 16;\n",
    },
    {
        RULE(372, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "64 KB entries are used only where alignment and size are multiples of 64 KB "
                     "and the segment has Use64KBPages.",
        .page = "support-for-64kb-pages",
        .how = "Segment, size of the allocation and offset of each entry in a table of 64 KB pages "
               "are looked at.",
        .why = "Such an entry covers 64 KB of memory that must belong to the allocation.",
        .windows = "The system uses 4 KB entries elsewhere.",
        .windows_source = THE_PAGE,
        .wrong = "use_64kb = true;\n",
        .right = "use_64kb = segment->Use64KBPages && ((size | offset | va) & 65535) == 0;\n",
    },
    {
        RULE(373, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "With one kind of entry a leaf table has 64 KB entries only as long as all "
                     "allocations in its range allow it.",
        .page = "support-for-64kb-pages",
        .how = "PageTablePageSize of an entry of level 1 is held against the entries that the leaf "
               "table has.",
        .why = "A table has entries of one size.",
        .windows = "The system converts the table otherwise.",
        .wrong = "entry.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB; /* of 4 KB entries */\n",
        .right = "entry.PageTablePageSize = table->wide ? DXGK_PTE_PAGE_TABLE_PAGE_64KB\n"
                 "                                      : DXGK_PTE_PAGE_TABLE_PAGE_4KB;\n",
    },
    {
        RULE(374, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A table is converted to 4 KB with all contexts of the process suspended, the "
                     "entries first and the parent's PageTablePageSize after them.",
        .page = "support-for-64kb-pages",
        .how = "No submission of the process is under way when 4 KB entries replace those of 64 "
               "KB, and the parent's entry follows them.",
        .why = "A GPU that walks the table meanwhile misreads it.",
        .windows = "The system keeps the order.",
        .wrong = "write_parent(PAGE_4KB);\n"
                 "write_entries(table);\n",
        .right = "suspend(process);\n"
                 "write_entries(table);\n"
                 "write_parent(PAGE_4KB);\n"
                 "resume(process);\n",
    },
    {
        RULE(375, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A table of 4 KB entries is never converted back.",
        .page = "support-for-64kb-pages",
        .how = "Use64KBPages is never set again for a table that got entries of 4 KB.",
        .why = "Converting suspends the process.",
        .windows = "The system never does.",
        .windows_source = THE_PAGE,
        .wrong = "if (all_qualify(table))\n"
                 "    widen(table);\n",
        .right = "/* it stays one of 4 KB pages until it is freed */\n",
    },
    {
        RULE(376, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "PageTablePageSize is set in entries of level 1 only, and is ignored where "
                     "both kinds of tables exist.",
        .page = "support-for-64kb-pages",
        .how = "The member is looked at in every entry. A driver that follows it where both kinds "
               "of tables exist leaves out one of them (R378).",
        .why = "It tells the kind of the leaf table.",
        .windows = "The system sets it so.",
        .wrong = "entry.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB; /* level 2 */\n",
        .right = "entry.PageTablePageSize = level == 1 ? size_of_child : 0;\n",
    },
    {
        RULE(377, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Where both kinds of tables exist, a range of 64 KB has valid entries in one "
                     "of them only.",
        .page = "support-for-64kb-pages",
        .how = "A valid entry is held against the entries of the same range in the other table.",
        .why = "Hardware may take either of the two.",
        .windows = "The system invalidates one first.",
        .readings = "vidmm takes one reading: the 64 KB entry is the valid one in memory of 64 KB "
                    "pages, against the sentence of the page that says the opposite.",
        .wrong = "write_wide(va, page); /* 4 KB entries are valid there */\n",
        .right = "clear_narrow(va, 65536);\n"
                 "write_wide(va, page);\n",
    },
    {
        RULE(378, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "pPageTableEntries64KB is used only where DualPteSupported was reported.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable",
        .how = "The pointer is NULL without the capability; with it the hardware model's "
               "translation is compared with the entries of both arrays.",
        .why = "It is not set for other drivers.",
        .windows = "Its value means nothing otherwise.",
        .wrong = "link = encode(&update->pPageTableEntries[i]); /* 64 KB tables forgotten */\n",
        .right = "link[0] = encode(&update->pPageTableEntries[i]);\n"
                 "link[1] = encode(&update->pPageTableEntries64KB[i]);\n",
    },
    {
        RULE(379, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Use64KBPages of an update tells which kind of table is updated.",
        .page = "support-for-64kb-pages",
        .how = "The flag is set for leaf tables only, and as the table that is updated wants it; "
               "what a driver makes of it is compared as under R215.",
        .why = "Indices count other sizes in each.",
        .windows = "Entries go to the wrong pages otherwise.",
        .wrong = "args.UpdatePageTable.Flags.Use64KBPages = 0; /* of the table of 64 KB pages */\n",
        .right = "args.UpdatePageTable.Flags.Use64KBPages = table->wide;\n",
    },
    {
        RULE(380, DRIVER, DOCUMENTED, DEVICE_LOST),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An access to an invalid address is a fault, which the driver reports as "
                     "DmaPageFaulted.",
        .page = "access-to-non-resident-allocation",
        .how = "A reported address must be one that the shadow of the process's tables has no use "
               "for, or that the IOMMU leads nowhere by the PASID of the work's device, and "
               "FaultedProcessHandle hDxgkProcess of the work's process, or NULL; FaultedFenceId "
               "is not "
               "that of work behind other work of the node whose own commands are there; work that "
               "cannot be named has fence 0 (ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md) and "
               "asks for a reset. The "
               "conformance check submits commands at an address that leads nowhere, "
               "above 4 GiB where there are such addresses: that must end in a report of that "
               "address.",
        .why = "The system has to know whose work it was.",
        .windows = "Without the report the fault becomes a timeout.",
        .windows_source = THE_PAGE,
        .wrong = "data.DmaPageFaulted.FaultedVirtualAddress = 0;\n",
        .right = "data.DmaPageFaulted.FaultedVirtualAddress = read_fault_address();\n",
    },
    {
        RULE(596, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DXGK_PAGE_FAULT_WRITE says that the operation that faulted was a write, and "
                     "DXGK_PAGE_FAULT_IOMMU that an IOMMU maps its address.",
        .page = "ne-d3dkmdt-_dxgk_page_fault_flags",
        .how = "Stage engines submits commands at an address that leads nowhere, and commands of "
               "vidmm/umd.h that write to one. Addresses of the system's IOMMU are those of "
               "processes with a PASID.",
        .why = "The report of a lost device tells it, and a developer looks for reads in vain.",
        .windows = "Nothing checks it; what is told of the fault is wrong.",
        .wrong = "data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;\n",
        .right = "UINT flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;\n"
                 "if (fault_was_write())\n"
                 "    flags |= DXGK_PAGE_FAULT_WRITE;\n"
                 "data.DmaPageFaulted.PageFaultFlags = flags;\n",
    },
    {
        RULE(381, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "After a page fault the engine is reset and its context or device put in "
                     "error, and if that fails the adapter is reset.",
        .page = "access-to-non-resident-allocation",
        .how =
            "Between the report and the next work of the node that engine or the adapter is reset "
            "with success; work of the device is R384.",
        .why = "Work after a fault cannot be trusted.",
        .windows = "The system does so.",
        .windows_source = THE_PAGE,
        .wrong = "submit(other_context); /* the engine is still stuck */\n",
        .right = "DxgkDdiResetEngine(adapter, &args);\n"
                 "submit(other_context);\n",
    },
    {
        RULE(382, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "On an engine without GPU virtual addresses, a submission whose list names an "
                     "allocation that is not resident is rejected and the device put in error.",
        .page = "residency-overview",
        .how = "Not judged: an engine without GPU virtual addresses in a driver of WDDM 2 would be "
               "needed, and its allocation lists, which no driver of this program has.",
        .why = "The GPU would read memory of others; obeying the rule costs the application its "
               "device, breaking it costs others their bytes.",
        .windows = "The device is put in error.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(383, MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Without patching there is no patch list, and the allocation list of 16 names "
                     "only primaries that are written.",
        .page = "residency-overview",
        .how = "Not judged: contexts that need no patching get no lists at all from vidmm's "
               "manager, as if the 16 entries were never used.",
        .why = "The system needs it for displaying alone.",
        .windows = "Contexts are created so.",
    },
    {
        RULE(384, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A device in error gets no more work.",
        .page = "nc-d3dumddi-pfnd3dddi_makeresidentcb",
        .how = "After a page fault of one of its contexts a device gets no more work.",
        .why = "Its memory may be in any state.",
        .windows = "Submissions fail.",
        .windows_source = THE_PAGE,
        .wrong = "submit(context); /* of the device that faulted */\n",
        .right = "if (device->lost)\n"
                 "    return STATUS_DEVICE_REMOVED;\n",
    },
    {
        RULE(385, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Paging runs in the paging process; only updates of tiled resources run on a "
                     "companion context.",
        .page = "system-paging-process",
        .how = "Paging buffers go to system contexts, other work does not, and a paging buffer's "
               "address is one of the process that it runs in: of work by "
               "DxgkDdiSubmitCommandVirtual, no other is judged. A system context of another "
               "process than the paging process is taken for a companion context (tile-resources): "
               "it gets UPDATE_PAGE_TABLE, COPY_PAGE_TABLE_ENTRIES and FLUSH_TLB only. That such a "
               "context has SystemContext set is an inference: no page says so.",
        .why = "Those are ordered with the application's work.",
        .windows = "Most paging is in the paging process, the updates of UpdateGpuVirtualAddress "
                   "are in a companion context.",
        .windows_source = THE_PAGE,
        .wrong = "submit.hContext = context_of_the_process;\n"
                 "submit.Flags.Paging = 1;\n",
        .right = "submit.hContext = system_context;\n"
                 "submit.Flags.Paging = 1;\n",
    },
    {
        RULE(386, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The companion context is created when first needed, on the node that the "
                     "driver chose.",
        .page = "tile-resources",
        .how = "PagingCompanionNodeId of a context with GPU virtual addresses is a node that the "
               "driver reported; a system context of another process than the paging process is on "
               "a node that some context names so.",
        .why = "Not every node can update page tables.",
        .windows = "The system creates it so.",
        .windows_source = THE_PAGE,
        .wrong = "args->ContextInfo.PagingCompanionNodeId = node_count; /* counted from 0 */\n",
        .right = "args->ContextInfo.PagingCompanionNodeId = copy_node;\n",
    },
    {
        RULE(387, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Tile pools of queued updates stay required to be resident.",
        .page = "tile-resources",
        .how = "An entry that a companion context copies from its own address space, where the "
               "pools are shown, is valid when the copy is built.",
        .why = "The mappings will point into them.",
        .windows = "The system keeps them.",
        .windows_source = THE_PAGE,
        .wrong = "evict(pool); /* nobody lists it any more */\n"
                 "build(COPY_PAGE_TABLE_ENTRIES);\n",
        .right = "required = listed || pool->queued_updates != 0;\n",
    },
    {
        RULE(388, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "With CPU_VIRTUAL queued updates are done by UPDATEPAGETABLE when their turn comes.",
        .page = "tile-resources",
        .how = "With CPU_VIRTUAL no COPY_PAGE_TABLE_ENTRIES is asked for.",
        .why = "The CPU has to write the entries in the order of the GPU's work.",
        .windows = "The system does so.",
        .windows_source = THE_PAGE,
        .wrong = "args.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;\n",
        .right = "wait_for_turn();\n"
                 "args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;\n",
    },
    {
        RULE(389, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "On linked adapters root tables are at the same place on each GPU and lower "
                     "tables are instances of their own.",
        .page = "gpu-virtual-address",
        .how =
            "When work of a process is submitted, its root table is at the same place of the same "
            "segment on each physical adapter that has one. That lower tables are the adapter's "
            "own follows from R428 and R208: each update names a table in its segments that was "
            "filled there.",
        .why = "All GPUs share one address space.",
        .windows = "The system allocates them so.",
        .windows_source = THE_PAGE,
        .wrong = "root[physical] = place(physical, root_bytes);\n",
        .right = "root = place_on_all(root_bytes); /* the first place that is free on each */\n",
    },
    {
        RULE(390, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "With the IOMMU model CreateDevice gets the PASID, and primaries are mapped "
                     "into the aperture before they are displayed.",
        .page = "iommu-model",
        .how = "Of a driver with IoMmuSupported and without GpuMmuSupported every device of a "
               "process is made with a PASID. Nothing is displayed in vidmm.",
        .why = "The display does not go through the process's tables.",
        .windows = "The system does both.",
        .windows_source = THE_PAGE,
        .wrong = "args.hKmdProcess = process->hKmdProcess;\nargs.Pasid = 0;\n",
        .right = "args.hKmdProcess = process->hKmdProcess;\nargs.Pasid = process->Pasid;\n",
    },
    {
        RULE(391, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "With DmaBufferPrivateDataSize 0 the driver looks at no private data.",
        .page = "ns-d3dkmddi-_dxgkarg_submitcommand",
        .how = "Work without private data has to be accepted. Where some was before, a refusal has "
               "another reason, and is R279.",
        .why = "There is none.",
        .windows = "A driver that follows the pointer is a bugcheck.",
        .wrong = "if (args->DmaBufferPrivateDataSize < sizeof(struct header))\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "if (args->DmaBufferPrivateDataSize != 0)\n"
                 "    check(args->pDmaBufferPrivateData);\n",
    },
    {
        RULE(392, BOTH, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Swizzling ranges are not used from WDDM 2.0 on.",
        .page = "swizzling-ranges",
        .how = "Not judged: drivers of WDDM 2 with swizzling ranges are run on purpose, to show "
               "what becomes of them.",
        .why = "CPU and GPU see memory in one layout there.",
        .windows = "The system never acquires one.",
    },
    {
        RULE(440, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_1,
        .statement = "An allocation with DisableLargePageMapping is never mapped by an entry with "
                     "LargePage.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0",
        .how = "The allocation of every update that writes an entry with LargePage is looked up.",
        .why = "The driver asks for page tables where single pages will change or where an engine "
               "cannot walk large pages.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "entry.LargePage = size >= coverage;\n",
        .right = "entry.LargePage = size >= coverage && !flags.DisableLargePageMapping;\n",
    },
    {
        RULE(441, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "All that an entry with LargePage covers is memory of one allocation.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "Where hAllocation of the update is given, AllocationOffsetInBytes and what an "
               "entry covers lie inside that allocation.",
        .why = "What is behind the end of the allocation would be another one's.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "entry.LargePage = size - offset > 0;\n",
        .right = "entry.LargePage = size - offset >= coverage;\n",
        .readings = "vidmm takes one reading: the allocation is at least as large as what the "
                    "entry covers. The page says that its size is equal to it.",
    },
    {
        RULE(442, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Entries with LargePage lead to system memory only where "
                     "SysMemLargePageSupported was reported.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "The segment of every entry with LargePage is held against the capability.",
        .why = "Before WDDM 2.9 large pages are for memory segments.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "entry.LargePage = contiguous;\n",
        .right = "entry.LargePage = contiguous && (entry.Segment != 0 || "
                 "caps.SysMemLargePageSupported);\n",
    },
};
