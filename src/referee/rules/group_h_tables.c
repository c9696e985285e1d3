/*
 * group_h_tables.c - rules R208 to R239: page tables, their updates, flushes and copies.
 * Transfers and fills by virtual addresses, and notices of residency, are group_h_operations.c's;
 * root page tables and address spaces are group I.
 */
#define GROUP 'H'
#include "groups.h"

const struct vidmm_rule rules_h_tables[] = {
    {
        RULE(208, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A new page table holds nothing but invalid entries before its first valid "
                     "entry is written.",
        .page = "gpu-virtual-address",
        .how = "The first update of a table has InitialUpdate, covers all of it and has no valid "
               "entry; an update of a table that was never filled, or an entry that leads to one, "
               "breaks the rule.",
        .why = "Whatever was in the memory before would be taken for translations.",
        .windows =
            "The system initialises a table when it becomes resident, with InitialUpdate set.",
        .windows_source = THE_PAGE,
        .wrong =
            "args.UpdatePageTable.Flags.InitialUpdate = 0; /* first entries of a new table */\n",
        .right = "args.UpdatePageTable.Flags.Repeat = 1; /* one invalid entry, all over */\n"
                 "args.UpdatePageTable.Flags.InitialUpdate = 1;\n",
    },
    {
        RULE(209, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "UpdateMode is the mode of the capabilities, except while the paging process "
                     "is initialised, when it is CPU_VIRTUAL.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable",
        .how = "UpdateMode is compared with the capabilities; CPU_VIRTUAL passes for tables of the "
               "paging process that are updated without a DMA buffer.",
        .why = "A driver has code for the mode that it reported and for the first tables, for no "
               "other.",
        .windows =
            "With GPU_PHYSICAL reported, 1028 updates by CPU_VIRTUAL were seen at the start.",
        .windows_source = RECORD("W17"),
        .wrong =
            "args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL; /* easier */\n",
        .right = "args.UpdatePageTable.UpdateMode = caps.PageTableUpdateMode;\n",
    },
    {
        RULE(210, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Of the union PageTableAddress only the member that belongs to UpdateMode is "
                     "written and read.",
        .page = "ne-d3dkmddi-_dxgk_pagetableupdatemode",
        .how = "A place in a segment must exist, and a CPU pointer lead to memory; where a driver "
               "reads another member its entries are missing from the table (R215), or it dies of "
               "the GPU's address.",
        .why = "The members have different meanings: a CPU pointer, a GPU virtual address, a place "
               "in a segment.",
        .windows = "A driver that reads another member writes its entries somewhere else.",
        .wrong = "table = (ULONG64 *)(ULONG_PTR)update->PageTableAddress.GpuVirtual;\n",
        .right = "switch (update->UpdateMode) {\n"
                 "case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL:\n"
                 "    table = update->PageTableAddress.CpuVirtual;\n",
    },
    {
        RULE(211, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An update without a DMA buffer is done by the CPU when the call returns.",
        .page = "system-paging-process",
        .how = "When the call returns, addresses that the update is about are translated by the "
               "hardware model and compared with the entries. Where the table is another than it "
               "was before, what is wrong is R215.",
        .why = "Nothing is submitted for it, so nothing could finish it later.",
        .windows = "The system goes on at once; entries written later are missed by the GPU.",
        .wrong = "queue_work(update); /* written when there is time */\n",
        .right = "for (UINT i = 0; i < update->NumPageTableEntries; i++)\n"
                 "    table[update->StartIndex + i] = encode(update, i);\n",
    },
    {
        RULE(212, DRIVER, DISPUTED, PERFORMANCE),
        .severity_source = RECORD("W26"),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "CPU_VIRTUAL is not reported by a driver that keeps page directories in "
                     "memory segments.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "The update mode is held against the segments of the levels above the leaves.",
        .why = "The CPU has no permanent view of memory segments.",
        .windows =
            "A driver for compute with both, in a segment that the CPU sees, started on 10, ran "
            "and paged.",
        .windows_source = RECORD("W26"),
        .readings = "vidmm takes one reading: not both, as ns-d3dkmddi-_dxgk_gpummucaps says; its "
                    "manager has the CPU write such tables all the same (W26).",
        .wrong = "caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;\n"
                 "desc->PageTableSegmentId = 1; /* VRAM */\n",
        .right = "caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;\n"
                 "desc->PageTableSegmentId = 1;\n",
    },
    {
        RULE(213, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "With GPU_VIRTUAL the addresses of page tables are those of the address space of the "
            "system context that pages; copies of entries name those of the companion context that "
            "carries them out. The paging process's own tables are initialised with CPU_VIRTUAL.",
        .page = "tile-resources",
        .how = "The addresses of all that an update writes, and a copy reads and writes, are "
               "translated by the shadow of the context's tables, and must lead to one piece of "
               "memory.",
        .why = "The GPU translates them through that address space and no other.",
        .windows = "The system maps page tables into the paging process.",
        .wrong = "args.UpdatePageTable.PageTableAddress.GpuVirtual = va_in_the_process;\n",
        .right = "args.UpdatePageTable.PageTableAddress.GpuVirtual = va_in_the_paging_process;\n",
    },
    {
        RULE(214, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "StartIndex plus NumPageTableEntries is at most the number of entries of the level.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable",
        .how = "The range is held against the index bits of the level; for the root of two levels "
               "against what GetRootPageTableSize offered.",
        .why = "Entries behind the table are another table's memory.",
        .windows = "The system splits updates at the end of a table.",
        .wrong = "args.UpdatePageTable.NumPageTableEntries = pages; /* beyond the table */\n",
        .right = "UINT room = entries - args.UpdatePageTable.StartIndex;\n"
                 "args.UpdatePageTable.NumPageTableEntries = pages < room ? pages : room;\n",
    },
    {
        RULE(215, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Each entry says what its element of pPageTableEntries says; element 0 "
                     "belongs to StartIndex, and with Repeat it is written to all indices.",
        .page = "ns-d3dkmddi-_dxgk_updatepagetableflags",
        .how = "When the GPU has done the update, addresses at its ends, beside them and at random "
               "inside are translated by the hardware model and compared with the entries. "
               "Without a model, where the memory of a table can be seen: entries that differ in "
               "Valid, Segment or PageAddress must not be the same bits.",
        .why = "The array has as many elements as are updated, with Repeat only one.",
        .windows = "Reading behind the only element gives wild translations.",
        .wrong = "for (UINT i = 0; i < count; i++)\n"
                 "    table[i] = encode(&update->pPageTableEntries[i]); /* StartIndex, Repeat */\n",
        .right = "for (UINT i = 0; i < count; i++)\n"
                 "    table[update->StartIndex + i] =\n"
                 "        encode(&update->pPageTableEntries[update->Flags.Repeat ? 0 : i]);\n",
    },
    {
        RULE(216, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Repeat aside, the pages of one update follow each other in the allocation, "
                     "though not always in memory.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable",
        .how = "Two entries in a row of one update of an allocation never lead to the same page; "
               "with Repeat there is one entry alone.",
        .why = "The driver is told one offset in the allocation for all of them.",
        .windows = "The system splits updates where the allocation is not continuous.",
        .wrong = "entry[i].PageAddress = first; /* for every i */\n",
        .right = "entry[i].PageAddress = page_of(allocation, offset + i * 4096);\n",
    },
    {
        RULE(217, BOTH, DOCUMENTED, BUGCHECK),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "hAllocation of an update may be NULL, and the driver copes with it.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable",
        .how = "A handle of an update is NULL or one that the driver gave; an update without one "
               "has to be accepted.",
        .why = "Some allocations have no object in the driver.",
        .windows = "A driver that follows the NULL pointer is a bugcheck.",
        .wrong = "if (!update->hAllocation)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "if (update->hAllocation)\n"
                 "    note_mapping(update->hAllocation);\n",
    },
    {
        RULE(218, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Leaf entries come in steps of 4 KB, and a GPU with bigger pages uses those "
                     "at the starts of its pages.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable",
        .how = "FirstPteVirtualAddress is a multiple of what an entry of the level covers, and "
               "StartIndex its index. The model GPU has no pages of a size between 4 KB and 64 KB; "
               "a driver that takes the steps for others puts translations elsewhere (R215).",
        .why = "The system counts in 4 KB pages for every GPU.",
        .windows = "The system always passes entries of 4 KB.",
        .wrong = "args.UpdatePageTable.StartIndex = (UINT)(va >> 12);\n",
        .right = "args.UpdatePageTable.StartIndex = (UINT)(va >> shift_of_level) & index_mask;\n",
    },
    {
        RULE(219, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "LargePage is set only where LargePageSupported was reported and never in a "
                     "leaf entry.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "The bit is held against the capabilities and the level of every entry that is "
               "written.",
        .why = "A GPU without large pages takes the address for that of a table.",
        .windows = "The system uses large pages only when they are reported.",
        .wrong = "entry.LargePage = 1; /* in a leaf */\n",
        .right = "entry.LargePage = level > 0 && caps.LargePageSupported;\n",
    },
    {
        RULE(220, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The address of a large page is aligned to what the entry covers, unless "
                     "AllowNonAlignedLargePageAddress was reported.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "The address of every entry with LargePage is held against what an entry of its "
               "level covers.",
        .why = "Hardware drops the low bits of such an address.",
        .windows = "The system falls back to small pages where memory is not aligned.",
        .wrong = "entry.LargePage = 1;\n"
                 "entry.PageAddress = 1;\n",
        .right = "entry.LargePage = address % coverage == 0;\n",
    },
    {
        RULE(221, BOTH, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Zero is set only where ZeroInPteSupported was reported, and reads of a page "
                     "with Valid and Zero give zero.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "The bits of every entry are held against the capabilities. The hardware model's "
               "translation of a page with Valid and Zero has to be a zero page, or lead to memory "
               "that is zero; what an entry with Zero alone leads to is left open. Stage residency "
               "maps ranges of which entries above the leaves cover most.",
        .why = "Applications rely on zeroes in the unmapped parts of tiled resources.",
        .windows = "Without the capability the system does not set the bit.",
        .wrong = "if (!entry->Valid)\n"
                 "    return 0;\n"
                 "return PTE_VALID | entry->PageAddress << 12; /* Zero forgotten */\n",
        .right = "if (entry->Zero)\n"
                 "    return PTE_VALID | PTE_ZERO;\n",
        .readings = "Zero counts together with Valid, as its own description has it; that of Valid "
                    "has it keep an access to an invalid entry from being a fault. vidmm's manager "
                    "sets both, and neither reading of Zero alone breaks the rule.",
    },
    {
        RULE(516, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Writes to a page with Valid and Zero are discarded.",
        .page = "ns-d3dukmdt-_d3dddigpuvirtualaddress_protection_type",
        .how = "The hardware model's translation of such a page must not lead to memory, even if "
               "that is zero: a write would stay there, or be a fault where it is read-only.",
        .why = "A page of zeroes that all zero pages lead to is one of zeroes until the first "
               "application writes to it.",
        .windows = "Applications read what others wrote.",
        .wrong = "if (entry->Zero)\n"
                 "    return PTE_VALID | page_of_zeroes;\n",
        .right = "if (entry->Zero)\n"
                 "    return PTE_VALID | PTE_ZERO; /* and without such a bit no capability */\n",
    },
    {
        RULE(222, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "ReadOnly and NoExecute are set only where the capabilities have them.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "Both bits of every entry are held against the capabilities.",
        .why = "A GPU without the bit has something else in its place.",
        .windows = "The system leaves out what was not reported.",
        .wrong = "entry.ReadOnly = !(protection & WRITE);\n",
        .right = "entry.ReadOnly = caps.ReadOnlyMemorySupported && !(protection & WRITE);\n",
    },
    {
        RULE(223, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An entry with segment 0 names a page of system memory, and any other a page "
                     "counted from the start of that segment.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "The page has to lie in the segment or in system memory, and the hardware model has "
               "to find it at the segment's base plus the offset. Stage residency has surfaces, "
               "and tables in memory segments, behind 4 GiB of a segment, where the board can have "
               "one of 6 GiB.",
        .why = "The driver has to turn both into what its hardware calls an address.",
        .windows = "Host memory arrives as segment 0; a driver that mixes the two up maps memory "
                   "of somebody else.",
        .windows_source = RECORD("W16"),
        .wrong = "word = PTE_VALID | entry->PageAddress << 12; /* from the start of the bus */\n",
        .right =
            "word = PTE_VALID | (segment_base[entry->Segment] + (entry->PageAddress << 12));\n",
    },
    {
        RULE(224, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "The address in a page table entry is the number of a 4 KB page, from the start of "
            "its segment or of system memory.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "The address member has to be a page number inside its segment; one that would only "
               "be an address in bytes inside it breaks the rule.",
        .why = "Hardware keeps the page number and uses the other bits as flags.",
        .windows = "It passes page numbers, not bytes.",
        .windows_source = RECORD("W15"),
        .readings = "vidmm takes one reading: PageAddress holds the page number; the page could "
                    "also mean an address with twelve zero bits.",
        .wrong = "entry.PageAddress = address;\n",
        .right = "entry.PageAddress = address >> 12;\n",
    },
    {
        RULE(225, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Reserved bits of an entry are zero, and the driver ignores them.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how =
            "Reserved and SystemReserved0 of every entry are looked at. Whether a driver ignores "
            "them does not show: they hold zero.",
        .why = "Later versions give them a meaning.",
        .windows = "The system passes zero.",
        .wrong = "DXGK_PTE entry; /* whatever was on the stack */\n",
        .right = "DXGK_PTE entry = {.Flags = 0};\n",
    },
    {
        RULE(226, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "DriverProtection comes back in updates of level 0 and is 0 in those of other levels.",
        .page = "driver-protection",
        .how = "DriverProtection of every update above the leaves is looked at.",
        .why = "It belongs to a mapping, and only leaf entries are mappings.",
        .windows = "The system passes 0 for directories.",
        .windows_source = THE_PAGE,
        .wrong = "args.UpdatePageTable.DriverProtection = mapping->protection; /* level 1 */\n",
        .right = "args.UpdatePageTable.DriverProtection = level == 0 ? mapping->protection : 0;\n",
    },
    {
        RULE(227, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "While the system pages, DriverProtection is 0 unless the range was mapped "
                     "with the unique bit.",
        .page = "driver-protection",
        .how = "DriverProtection of every update of the paging process is 0 or has the unique bit.",
        .why = "Compressed contents must be moved as they are, unless the driver asked for its own "
               "view.",
        .windows = "The system keeps to it in its own address space.",
        .wrong = "args.UpdatePageTable.DriverProtection = 1; /* the mapping's, for paging */\n",
        .right =
            "args.UpdatePageTable.DriverProtection = unique(mapping) ? mapping->protection : 0;\n",
    },
    {
        RULE(228, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "A range of an allocation that is mapped with a unique protection is mapped again only "
            "with the same one; another one fails with STATUS_INVALID_PARAMETER.",
        .page = "driver-protection",
        .how = "An update with a unique protection is held against all other entries with one that "
               "lead to the same pages of the allocation. Mappings with a plain protection are not "
               "looked at: one that was there before the unique one is allowed to stay.",
        .why = "Paging could not tell which of the two the contents have.",
        .windows = "The second mapping is refused.",
        .windows_source = THE_PAGE,
        .wrong = "map(va2, allocation, 0, UNIQUE | 2); /* it has UNIQUE | 1 at va1 */\n",
        .right = "if (conflicts(allocation, offset, protection))\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(229, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The protection of a range with a unique one is changed only after it was "
                     "mapped with NoAccess.",
        .page = "driver-protection",
        .how = "A valid entry with a unique protection is never followed by one with another.",
        .why = "The GPU must not read contents under a protection that they do not have.",
        .windows = "The change is refused.",
        .windows_source = THE_PAGE,
        .wrong = "write(va, page, UNIQUE | 2); /* it was UNIQUE | 1 */\n",
        .right = "write(va, nothing, 0);\n"
                 "flush(va);\n"
                 "write(va, page, UNIQUE | 2);\n",
    },
    {
        RULE(230, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "What the driver keeps of translations is refreshed after every update of the "
                     "address space.",
        .page = "driver-protection",
        .how = "After a flush of a range the hardware model's translation there, its TLB included, "
               "is compared with the entries.",
        .why = "Contents move while their virtual address stays.",
        .windows = "A stale copy makes the GPU read memory that belongs to somebody else.",
        .wrong = "case DXGK_OPERATION_FLUSH_TLB:\n"
                 "    return STATUS_SUCCESS; /* the hardware will notice */\n",
        .right = "case DXGK_OPERATION_FLUSH_TLB:\n"
                 "    return emit_flush(buffer, flush->StartVirtualAddress, "
                 "flush->EndVirtualAddress);\n",
    },
    {
        RULE(231, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "An update of leaf entries is followed by FLUSHTLB of that root before the range is "
            "used, except from invalid to valid where InvalidTlbEntriesNotCached was reported.",
        .page = "examples",
        .how = "Entries that changed, links to tables as well, are remembered until a flush covers "
               "them; work of the process, an operation on the address, another use of the memory "
               "that it led to must not come before. Work on another node that is known to use "
               "the address, DxgkDdiDestroyAllocation and DxgkDdiDestroyProcess must not come "
               "before the GPU has done that flush.",
        .why = "The GPU keeps old translations until it is told.",
        .windows = "The system flushes after every such update.",
        .wrong = "update(va); submit(context);\n",
        .right = "update(va); flush(process, va, va + size); submit(context);\n",
    },
    {
        RULE(232, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "FLUSHTLB with both addresses 0 means the whole address space.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb",
        .how =
            "After a flush with two zeros the hardware model's translations in the whole address "
            "space are compared with the entries; another empty range is the manager's mistake.",
        .why = "An empty range would be nothing to flush.",
        .windows = "A driver that flushes nothing leaves stale translations behind.",
        .wrong = "emit_flush(0, 0); /* nothing is flushed */\n",
        .right = "if (start == 0 && end == 0)\n"
                 "    emit_flush_all();\n",
    },
    {
        RULE(233, MANAGER, DISPUTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The range of FLUSHTLB starts at or before its end, both aligned to pages, "
                     "and hProcess is the owner's.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb",
        .how = "Range, hProcess and root table of every flush are held against what is known of "
               "the process.",
        .why = "The driver hands the range to hardware that counts in pages.",
        .windows = "No page tells more than the members.",
        .windows_source = NOT_KNOWN,
        .readings = "vidmm takes one reading: the end is not part of the range.",
        .wrong = "args.FlushTlb.EndVirtualAddress = va + size - 1;\n",
        .right = "args.FlushTlb.EndVirtualAddress = va + size;\n",
    },
    {
        RULE(234, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Where PageTableUpdateRequireAddressSpaceIdle was reported no context of the "
                     "address space runs during an update or a flush.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "With the capability no submission of the process is under way when an update or a "
               "flush is asked for.",
        .why = "Such hardware cannot change tables that it is walking.",
        .windows = "The system suspends the contexts of the process.",
        .windows_source = THE_PAGE,
        .wrong = "update(process, va); /* while its contexts run */\n",
        .right = "wait_idle(process);\n"
                 "update(process, va);\n",
    },
    {
        RULE(235, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Where ExplicitPageTableInvalidation was reported every entry was made "
                     "invalid before its table is freed.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "With the capability no entry is valid when a process is destroyed or a table is "
               "filled for the first time again.",
        .why = "The driver counts references to memory by the entries.",
        .windows = "The system invalidates them.",
        .wrong = "free_table(table);\n",
        .right = "invalidate(table, 0, entries);\n"
                 "free_table(table);\n",
    },
    {
        RULE(236, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "NotifyEviction is set before a page table is evicted or moved.",
        .page = "ns-d3dkmddi-_dxgk_updatepagetableflags",
        .how = "Not judged: no call tells that a page table moves, and vidmm's manager never moves "
               "one.",
        .why = "The driver may have a copy of the table's place.",
        .windows = "The system sets it in the last update.",
    },
    {
        RULE(237, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "When a table moves its parent's entry is updated, and for a root "
                     "SetRootPageTable is called.",
        .page = "gpu-virtual-address",
        .how = "At each submission the root that DxgkDdiSetRootPageTable named last is the newest "
               "that was written for the process.",
        .why = "The GPU would walk memory that is not a table any more.",
        .windows = "The system does so before contexts run again.",
        .windows_source = THE_PAGE,
        .wrong = "root = grow(root); /* nobody is told */\n",
        .right = "root = grow(root);\n"
                 "DxgkDdiSetRootPageTable(adapter, &args);\n",
    },
    {
        RULE(238, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "COPYPAGETABLEENTRIES is used only with an update mode that the GPU carries "
                     "out, and the table addresses are aligned.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_copy_range",
        .how = "Both table addresses of every range are multiples of 64 KB.",
        .why = "The copies are ordered with other GPU work.",
        .windows = "With CPU_VIRTUAL the system updates entries instead.",
        .readings = "vidmm takes one reading: 64 KB for every table, also for those that are "
                    "smaller.",
        .wrong = "range.DstPageTableAddress = entry_address;\n",
        .right = "range.DstPageTableAddress = table_address;\n"
                 "range.DstStartPteIndex = index;\n",
    },
    {
        RULE(239, DRIVER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "COPYPAGETABLEENTRIES has the effect of reading all source entries before any "
                     "is written.",
        .page = "ns-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation",
        .how = "The shadow copies all sources before any destination; the hardware model's "
               "translations at the destinations are compared. A manager only asks for the copy. "
               "Stage residency moves mappings over the end of a table by less than their size, up "
               "and down, and has buffers with room for some of the ranges. The ranges come in an "
               "order in which none overwrites what a "
               "later one reads, since no page of the driver's says that they may overlap each "
               "other.",
        .why = "Source and destination may overlap.",
        .windows = "No page tells; an overlapping copy in the wrong direction repeats entries.",
        .windows_source = NOT_KNOWN,
        .wrong = "for (i = 0; i < n; i++)\n"
                 "    table[to + i] = table[from + i]; /* they overlap */\n",
        .right = "memmove(&table[to], &table[from], n * sizeof(*table));\n",
    },
    {
        RULE(424, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "CacheCoherent is set in an entry only where CacheCoherentMemorySupported was "
                     "reported.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "The bit of every valid entry is held against the capabilities.",
        .why = "A driver that did not report it has no bit to put it in, and no flush is made for "
               "such a page.",
        .windows = "No page tells more than the capability.",
        .windows_source = NOT_KNOWN,
        .wrong = "entry.CacheCoherent = cached;\n",
        .right = "entry.CacheCoherent = cached && caps.CacheCoherentMemorySupported;\n",
    },
    {
        RULE(425, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A driver that reported CacheCoherentMemorySupported has the GPU snoop the "
                     "CPU's caches through every entry with CacheCoherent.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "Addresses whose entry has the bit are translated by the hardware model, whose "
               "translation must say so.",
        .why = "The CPU's caches are not flushed for such a page: without snooping the GPU reads "
               "old bytes.",
        .windows = "No page tells; it does no flushes for such pages.",
        .windows_source = NOT_KNOWN,
        .wrong = "word = PTE_VALID | entry->PageAddress << 12;\n",
        .right = "word = PTE_VALID | entry->PageAddress << 12 | (entry->CacheCoherent ? PTE_SNOOP "
                 ": 0);\n",
    },
    {
        RULE(427, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "InvalidTlbEntriesNotCached is reported only if the TLB keeps no translation "
                     "of an invalid entry.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "Where it is reported the hardware model's translation of entries that became "
               "valid, its "
               "TLB included, is no fault by a TLB; nor is that of an address that was just used "
               "while it was invalid, when its fault is reported (stage engines).",
        .why = "The system then flushes nothing when an entry becomes valid, and the GPU would "
               "fault where memory is.",
        .windows = "No page tells; the fault costs the application its device.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->InvalidTlbEntriesNotCached = 1; /* flushes are slow */\n",
        .right = "caps->InvalidTlbEntriesNotCached = !hw->CachesFaults;\n",
    },
    {
        RULE(428, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "Page tables lie in the PageTableSegmentId of their level, those of the paging process "
            "in its PagingProcessPageTableSegmentId, aligned to PageTableAlignmentInBytes.",
        .page = "ns-d3dkmddi-_dxgk_page_table_level_desc",
        .how = "The place of each table that is updated is held against what its level was "
               "described with.",
        .why = "The hardware walks tables where it can reach them, and may keep fewer bits of "
               "their address.",
        .windows = "An aperture segment named for page tables of GpuMmu brought the start to a "
                   "standstill.",
        .windows_source = RECORD("W23"),
        .wrong = "table->segment = any_segment_with_room(bytes);\n",
        .right = "table->segment = paging ? desc.PagingProcessPageTableSegmentId : "
                 "desc.PageTableSegmentId;\n",
    },
    {
        RULE(472, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The GPU of a driver that reported ReadOnlyMemorySupported or "
                     "NoExecuteMemorySupported does not write through an entry with ReadOnly, nor "
                     "execute through one with NoExecute.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how = "Addresses whose entry has a bit are translated by the hardware model, whose "
               "translation must have it too. Stage residency maps a surface without the right to "
               "write and without that to execute; stage large-pages one of large pages; stage "
               "engines has the GPU write through an "
               "entry with ReadOnly, and looks at the bytes behind it. Without a model, where the "
               "memory of a table can be "
               "seen: entries of one page that differ in a bit must not be the same bits there.",
        .why = "The bits keep commands and shared memory from being written over.",
        .windows = "No page tells; it does not look.",
        .windows_source = NOT_KNOWN,
        .wrong = "word = PTE_VALID | entry->PageAddress << 12;\n",
        .right = "word = PTE_VALID | entry->PageAddress << 12 | (entry->ReadOnly ? PTE_READ_ONLY : "
                 "0) |\n"
                 "       (entry->NoExecute ? PTE_NO_EXECUTE : 0);\n",
    },
};
