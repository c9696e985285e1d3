/*
 * group_i.c - R250 to R264: root page tables, address spaces and the paging process.
 *
 * What a driver says of its page tables and how address spaces come to be; the operations on them
 * are in group_h_tables.c and group_h_operations.c.
 */
#define GROUP 'I'
#include "groups.h"

const struct vidmm_rule rules_i[] = {
    {
        RULE(250, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "PageTableLevelCount is at least 2.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "PageTableLevelCount of GPUMMUCAPS is looked at.",
        .why = "The system manages a root and leaves as different things.",
        .windows = "No page tells; the adapter cannot be used with virtual addresses.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->PageTableLevelCount = 1;\n",
        .right = "caps->PageTableLevelCount = 3;\n",
    },
    {
        RULE(251, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The index bits of all levels and the 12 bits within a page cover "
                     "VirtualAddressBitCount.",
        .page = "gpu-virtual-address",
        .how = "Once all levels are described, their index bits are added up.",
        .why = "Addresses that no table reaches could be given out.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->VirtualAddressBitCount = 48; /* 9 + 9 + 9 + 12 */\n",
        .right = "caps->VirtualAddressBitCount = 39;\n",
    },
    {
        RULE(252, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Page tables in system memory, segment id 0, are at most 4 KB.",
        .page = "ns-d3dkmddi-_dxgk_page_table_level_desc",
        .how = "Segments and size of every level are looked at, of leaves also the size of tables "
               "of 64 KB pages.",
        .why = "System memory is given out in pages of 4 KB that need not follow each other.",
        .windows = "No page tells; a bigger table would not be contiguous.",
        .windows_source = NOT_KNOWN,
        .wrong = "desc->PageTableSegmentId = 0;\n"
                 "desc->PageTableSizeInBytes = 65536;\n",
        .right = "desc->PageTableSegmentId = 1;\n"
                 "desc->PageTableSizeInBytes = 65536;\n",
    },
    {
        RULE(546, DRIVER, DOCUMENTED, START_FAILS),
        .severity_source = RECORD("W23"),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "PageTableSegmentId and PagingProcessPageTableSegmentId name no aperture "
                     "segment: page tables lie in a memory segment or, with 0, in system memory.",
        .page = "ns-d3dkmddi-_dxgk_page_table_level_desc",
        .how = "Both of every level are held against the segments that were described before.",
        .why = "An aperture is a page table itself, which the system fills while it runs; tables "
               "in it would have to be mapped before anything can be.",
        .windows = "The start stood still on 11 with WDDM 3.2.",
        .windows_source = RECORD("W23"),
        .wrong = "desc->PageTableSegmentId = APERTURE;\n",
        .right = "desc->PageTableSegmentId = 0; /* pages of the system, mapped by nothing */\n",
    },
    {
        RULE(253, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "PageTableSizeInBytes is a multiple of the CPU's page size and large enough "
                     "for the entries; the root of two levels may begin smaller, or with 0.",
        .page = "ns-d3dkmddi-_dxgk_page_table_level_desc",
        .how = "The size of every level is held against pages of 4 KB and its index bits.",
        .why = "The memory of tables is managed in pages.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "desc->PageTableSizeInBytes = 512 * 8 - 8;\n",
        .right = "desc->PageTableSizeInBytes = 512 * 8;\n",
    },
    {
        RULE(254, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "LeafPageTableSizeFor64KPagesInBytes is a multiple of 4096.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "The member of GPUMMUCAPS is looked at.",
        .why = "The memory of tables is managed in pages.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->LeafPageTableSizeFor64KPagesInBytes = 512 * 8 / 16;\n",
        .right = "caps->LeafPageTableSizeFor64KPagesInBytes = 4096;\n",
    },
    {
        RULE(255, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "GetRootPageTableSize is called only with two levels and answers with a "
                     "multiple of the segment's page size and at least the entries asked for.",
        .page = "nc-d3dkmddi-dxgkddi_getrootpagetablesize",
        .how = "The number of levels is looked at when it is called, then the answer is held "
               "against the question and the segment's pages.",
        .why = "Roots of more levels have a fixed size.",
        .windows = "The system allocates what is answered.",
        .windows_source = PAGE("gpu-virtual-address"),
        .wrong = "return args->NumberOfPte * 8;\n",
        .right = "SIZE_T bytes = (args->NumberOfPte * 8 + 4095) & ~(SIZE_T)4095;\n"
                 "args->NumberOfPte = (UINT)(bytes / 8);\n"
                 "return bytes;\n",
    },
    {
        RULE(256, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "SetRootPageTable comes before a context first runs and after its root moved "
                     "or was resized, while the context is idle.",
        .page = "nc-d3dkmddi-dxgkddi_setrootpagetable",
        .how = "A context has a root when it gets work, and no work of it is under way when the "
               "root is set.",
        .why = "The GPU has no other way to learn of its tables.",
        .windows = "The system keeps the order.",
        .windows_source = THE_PAGE,
        .wrong = "create_context(&context);\n"
                 "submit(context);\n",
        .right = "create_context(&context);\n"
                 "set_root(context);\n"
                 "submit(context);\n",
    },
    {
        RULE(257, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An access beyond NumEntries of the root is a fault.",
        .page = "ns-d3dkmddi-_dxgkarg_setrootpagetable",
        .how =
            "Stage engines has two processes on a board whose root page tables grow, and are "
            "shorter than addresses are: one of them fills a page at an address whose entry lies "
            "behind the end of its root, in the root of the other, of which no page may change. "
            "Of drivers for vidmm/umd.h whose MMU has two levels, where one root lies behind the "
            "other in the same segment.",
        .why = "Behind the table is other memory.",
        .windows =
            "A driver that does not bound the table lets processes read each other's memory.",
        .wrong = "ctx->Root = address(args->Address); /* of NumEntries nothing */\n",
        .right = "ctx->Root = address(args->Address);\n"
                 "ctx->RootEntries = args->NumEntries; /* the engine faults beyond them */\n",
    },
    {
        RULE(258, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Entry 0 of a process's root table is invalid and reservations of the driver "
                     "start behind it.",
        .page = "nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange",
        .how = "Entry 0 of the first update of every root is looked at.",
        .why = "Address 0 must fault.",
        .windows = "The system keeps the first range free.",
        .windows_source = THE_PAGE,
        .wrong = "root_entry[0].Valid = 1; /* from the start */\n",
        .right = "root_entry[0] = (DXGK_PTE){.Flags = 0};\n",
    },
    {
        RULE(259, BOTH, DISPUTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The driver reserves address ranges only during DxgkDdiCreateProcess, and at "
                     "any other time the callback fails.",
        .page = "nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange",
        .how = "DxgkCbReserveGpuVirtualAddressRange is watched: the driver calls it from inside "
               "DxgkDdiCreateProcess, or while the system device is made, and elsewhere it fails.",
        .why = "Later the range may be in use by the process.",
        .windows = "The callback fails.",
        .readings = "vidmm takes one reading: for the system process the creation of the system "
                    "device counts too, as examples has it; the callback's page allows only "
                    "DxgkDdiCreateProcess.",
        .wrong = "DxgkCbReserveGpuVirtualAddressRange(adapter, &args); /* in CreateDevice */\n",
        .right = "static NTSTATUS create_process(...) {\n"
                 "    return DxgkCbReserveGpuVirtualAddressRange(adapter, &args);\n",
    },
    {
        RULE(260, DRIVER, DISPUTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Ranges that the driver reserves are multiples of what one root entry covers, "
                     "aligned to it, and start at entry 1 or later.",
        .page = "nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange",
        .how =
            "Size and base of every reservation are held against what an entry of the root covers.",
        .why = "The driver shares whole tables between processes.",
        .windows = "The callback fails.",
        .readings = "vidmm takes one reading: the unit is the coverage of one entry of the root.",
        .wrong = "args.SizeInBytes = 65536;\n",
        .right = "args.SizeInBytes = root_entry_bytes;\n",
    },
    {
        RULE(261, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "VirtualAddressBitCount is the same on all physical adapters of a link.",
        .page = "linked-display-adapter",
        .how =
            "The answer to GPUMMUCAPS of each physical adapter is held against that of the first.",
        .why = "They share one address space.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->VirtualAddressBitCount = in->PhysicalAdapterIndex == 0 ? 40 : 48;\n",
        .right = "caps->VirtualAddressBitCount = 40;\n",
    },
    {
        RULE(262, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Page tables of the paging process stay where they are, are initialised again "
                     "after power-up, and leave the first page invalid.",
        .page = "system-paging-process",
        .how = "Entry 0 of the leaf at address 0 of the paging process is never valid, and its "
               "root is never set elsewhere.",
        .why = "Paging cannot page its own tables.",
        .windows = "The system pins them.",
        .windows_source = THE_PAGE,
        .wrong = "scratch_start = 0;\n",
        .right = "scratch_start = 65536;\n",
    },
    {
        RULE(263, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The paging process has at least 1 GB of addresses for paging, or what the "
                     "driver asked for.",
        .page = "system-paging-process",
        .how = "When the first bytes are moved, the leaf tables of the paging process are added "
               "up, and the root must lead to each; less passes where their segment has no room "
               "for those of 1 GB.",
        .why = "Operations are mapped there in pieces of that size.",
        .windows = "The system reserves the range.",
        .wrong = "make_tables(paging, 0, 16 << 20);\n",
        .right = "make_tables(paging, 0, 1 << 30);\n",
    },
    {
        RULE(264, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Operations that do not fit into the paging addresses are split.",
        .page = "system-paging-process",
        .how = "Each side of an operation is at most its share of the addresses that the paging "
               "process has tables for.",
        .why = "The driver sees each piece at an address of its own.",
        .windows = "The system splits them.",
        .windows_source = THE_PAGE,
        .wrong = "transfer(scratch, allocation->size);\n",
        .right = "for (at = 0; at < size; at += scratch_size)\n"
                 "    transfer(scratch, min(size - at, scratch_size));\n",
    },
    {
        RULE(426, DRIVER, IMPLIED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "PageTableLevelCount is at most DXGK_MAX_PAGE_TABLE_LEVEL_COUNT.",
        .page = "ns-d3dkmddi-_dxgk_gpummucaps",
        .how = "The capability is looked at. More than 6 levels are a finding: the value is not "
               "published, and 6 is vidmm's.",
        .why = "The system has room for so many levels and no more.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->PageTableLevelCount = hw->levels; /* 7 */\n",
        .right = "caps->PageTableLevelCount = min(hw->levels, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT);\n",
    },
    {
        RULE(423, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The work of DxgkDdiSubmitCommandVirtual runs in the address space of its "
                     "context, whatever ran before.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommandvirtual",
        .how = "When the newest work of a node is complete, or faulted, the hardware model says by "
               "which root "
               "table it translated, which must be that of the context. Stage residency has 24 "
               "processes at a time, of which each writes other bytes at the same address, in "
               "turn (FILL of vidmm/umd.h).",
        .why = "The same address leads to memory of another process in another address space.",
        .windows = "No page tells; work of one process reads and writes memory of another.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (context->Process != engine->Process)\n"
                 "    LoadRoot(engine, context); /* but not after paging, which has no process "
                 "here */\n",
        .right = "LoadRoot(engine, context->RootAddress, context->RootEntries);\n"
                 "Ring(engine, args);\n",
    },
};
