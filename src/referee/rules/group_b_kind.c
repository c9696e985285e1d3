/*
 * group_b_kind.c - rules R32 to R47: what a segment descriptor says of the kind of a segment - AGP,
 * aperture, memory - its addresses, banks and pitch. What becomes of its memory is
 * group_b_memory.c's; how descriptors are asked for is group_a.c.
 */
#define GROUP 'B'
#include "groups.h"

const struct vidmm_rule rules_b_kind[] = {
    {
        RULE(32, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "The Size of a segment is a multiple of the host's page size, and of memory no "
            "more than there is.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Size modulo 4096 must be 0; AGP segments, whose Size is ignored, are left out. No "
               "page forbids a Size of 0. Where the hardware model shows the first page of memory "
               "(peek), "
               "it must show the last one, unless the driver has invalid ranges in it. vidmm's "
               "manager goes on with the whole pages, and refuses "
               "a segment that has none.",
        .why = "Segments are handed out in pages. Sizes in the wrong unit, or taken from the wrong "
               "variable, corrupted memory and the display.",
        .windows = "No page tells; a part of a page at the end belongs to nobody.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->Size = VramBytes - sizeof(RING); /* the ring is at the end */\n",
        .right = "d->Size = VramBytes - ROUND_TO_PAGES(sizeof(RING));\n",
    },
    {
        RULE(540, DRIVER, IMPLIED, START_FAILS),
        .statement = "The Size of a segment is not 0.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Size of each descriptor is looked at; AGP segments, whose Size is ignored, are "
               "left out.",
        .why = "Nothing can be placed in it. A descriptor that was copied before its last member "
               "was written looks like this.",
        .windows = "No page forbids it, and none tells what becomes of it.",
        .windows_source = NOT_KNOWN,
        .wrong = "out->pSegmentDescriptor[0] = d;\n"
                 "d.Size = VramBytes;\n",
        .right = "d.Size = VramBytes;\n"
                 "out->pSegmentDescriptor[0] = d;\n",
    },
    {
        RULE(33, BOTH, DOCUMENTED, START_FAILS),
        .severity_source = THE_PAGE,
        .statement =
            "An AGP segment has the flag Agp and no other, and the manager does not start an "
            "adapter that sets more.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Flags.Value with Agp must be Agp alone; after another value nothing may be paged.",
        .why =
            "Aperture and CpuVisible look right for AGP memory, and each of them keeps the adapter "
            "from starting.",
        .windows = "The adapter fails to initialise.",
        .windows_source = THE_PAGE,
        .wrong = "d->Flags.Agp = 1;\n"
                 "d->Flags.Aperture = 1;\n"
                 "d->Flags.CpuVisible = 1;\n",
        .right = "d->Flags.Value = 0;\n"
                 "d->Flags.Agp = 1;\n",
    },
    {
        RULE(34, DRIVER, DOCUMENTED, START_FAILS),
        .statement = "There is at most one AGP segment.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Descriptors with Flags.Agp are counted.",
        .why = "The system takes the whole AGP aperture for the one segment; a second one would be "
               "the same memory.",
        .windows = "The adapter does not start.",
        .wrong = "d[1].Flags.Agp = 1; /* write-combined */\n"
                 "d[2].Flags.Agp = 1; /* cached */\n",
        .right = "d[1].Flags.Agp = 1;\n",
    },
    {
        RULE(35, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "The manager takes address and size of an AGP segment from the bus and ignores "
            "those of the descriptor.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Addresses in an AGP segment that reach the driver, and pages that the GART maps, "
               "must lie in the aperture of DXGK_QUERYSEGMENTIN.",
        .why =
            "Drivers leave both members at any value, and use the addresses that they get without "
            "translating them.",
        .windows = "It uses the aperture that the chipset has.",
        .windows_source = THE_PAGE,
        .wrong = "address = descriptor->BaseAddress.QuadPart + offset;\n",
        .right = "base = descriptor->Flags.Agp ? in.AgpApertureBase : descriptor->BaseAddress;\n"
                 "address = base.QuadPart + offset;\n",
    },
    {
        RULE(36, MANAGER, DOCUMENTED, BUGCHECK),
        .statement = "The manager maps and unmaps pages of an AGP segment through the GART, and "
                     "asks for no MAP_APERTURE_SEGMENT or UNMAP_APERTURE_SEGMENT on it.",
        .page = "agp-type-aperture-space-segments",
        .how = "The segment of both operations must not be an AGP segment, and all pages of an "
               "allocation that DxgkDdiPatch finds there are mapped by the GART.",
        .why =
            "The GART driver does the mapping; the miniport has no table that it could write and "
            "no status to refuse with.",
        .windows = "It maps through the GART driver.",
        .windows_source = THE_PAGE,
        .wrong = "op.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;\n"
                 "op.MapApertureSegment.SegmentId = AgpSegmentId;\n",
        .right = "if (segment->Flags.Agp)\n"
                 "    gart_map(segment, offset, mdl);\n"
                 "else\n"
                 "    build(MAP_APERTURE_SEGMENT, segment, offset, mdl);\n",
    },
    {
        RULE(37, DRIVER, DISPUTED, CORRUPTION),
        .severity_source = RECORD("W12"),
        .statement =
            "A driver that reports an aperture segment implements mapping and unmapping in "
            "DxgkDdiBuildPagingBuffer.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Both operations must be accepted; that the pages are seen, and no longer seen, "
               "through the aperture is R194 and R200.",
        .why = "Without them the aperture shows nothing; a driver that answered success and did "
               "nothing showed a black display.",
        .windows = "A failing status is a bugcheck 0x10E. Success without effect is believed: the "
                   "display stays black and content is lost, without an error.",
        .readings =
            "vidmm takes one reading: both operations are needed. A driver that did nothing for "
            "them was seen to start (W12), and one was never asked to unmap (W8).",
        .windows_source = RECORD("W8, W12, W30"),
        .wrong = "case DXGK_OPERATION_MAP_APERTURE_SEGMENT:\n"
                 "    return STATUS_NOT_IMPLEMENTED;\n",
        .right = "case DXGK_OPERATION_MAP_APERTURE_SEGMENT:\n"
                 "    return WriteGart(ctx, args->MapApertureSegment.OffsetInPages,\n"
                 "                     args->MapApertureSegment.NumberOfPages,\n"
                 "                     args->MapApertureSegment.pMdl);\n",
    },
    {
        RULE(38, MANAGER, DISPUTED, CORRUPTION),
        .statement =
            "CpuTranslatedAddress means something only with CpuVisible, and nothing for an "
            "aperture, save for a primary without an alternate address.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how =
            "What an application gets to look at an allocation with must not be that address where "
            "the flag is clear. In an aperture that is judged of what cannot be such a primary: a "
            "standard allocation of another kind, or one with UseAlternateVA.",
        .why =
            "A driver may leave rubbish there when the flag is clear, and a manager that maps it "
            "hands out somebody else's memory.",
        .windows = "It ignores the member: a driver that invented one for its aperture starts and "
                   "renders.",
        .windows_source = RECORD("W27"),
        .wrong = "/* manager */\n"
                 "if (descriptor->CpuTranslatedAddress.QuadPart != 0)\n"
                 "    cpu = map(descriptor->CpuTranslatedAddress);\n",
        .right = "if (descriptor->Flags.CpuVisible && !descriptor->Flags.Aperture)\n"
                 "    cpu = map(descriptor->CpuTranslatedAddress);\n",
        .readings = "vidmm takes one reading: the CPU sees what is in an aperture by its system "
                    "pages. linear-aperture-space-segments and "
                    "mapping-virtual-addresses-to-a-memory-segment let it look through an aperture "
                    "with CpuVisible.",
    },
    {
        RULE(39, BOTH, DOCUMENTED, CORRUPTION),
        .statement =
            "The CPU finds offset n of a CpuVisible segment at CpuTranslatedAddress + n, and "
            "the GPU at BaseAddress + n.",
        .page = "mapping-virtual-addresses-to-a-memory-segment",
        .how =
            "The descriptor's addresses must be behind a BAR, also after the device was stopped "
            "and "
            "started with its BARs elsewhere (stage paging); what an application gets to look at "
            "an "
            "allocation with is compared with the sum, and the bytes there with those that the GPU "
            "sees. Where page tables lead to memory that the hardware model shows (peek), and "
            "BaseAddress to where it shows none, BaseAddress is told of.",
        .why = "CPU and GPU would work on different bytes. Two memories behind one segment were a "
               "black desktop that took 16 rounds of debugging.",
        .windows = "It maps by this sum and checks nothing.",
        .wrong = "d->BaseAddress = ctx->VramGpu; /* after the firmware's part */\n"
                 "d->CpuTranslatedAddress = ctx->Bar; /* before it */\n",
        .right = "d->BaseAddress.QuadPart = ctx->VramGpu.QuadPart;\n"
                 "d->CpuTranslatedAddress.QuadPart = ctx->Bar.QuadPart + ctx->FirmwareBytes;\n",
    },
    {
        RULE(40, DRIVER, DOCUMENTED, BUGCHECK),
        .last = LAST_WDDM1,
        .statement = "A segment with UseBanking has NbOfBanks of at least 1 and a pBankRangeTable.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Both members are looked at when the flag is set.",
        .why = "The memory manager reads the table on the word of the flag.",
        .windows = "No page tells; it reads through the pointer.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->Flags.UseBanking = 1; /* table to come */\n",
        .right = "d->Flags.UseBanking = 1;\n"
                 "d->NbOfBanks = 2;\n"
                 "d->pBankRangeTable = ctx->BankEnds; /* not on the stack */\n",
    },
    {
        RULE(41, DRIVER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement =
            "Banks follow each other without gaps from offset 0 to Size, so the ends in the "
            "table strictly grow.",
        .page = "dividing-a-memory-space-segment-into-banks",
        .how = "The first NbOfBanks - 1 ends must grow and stay below Size; the last, if given, is "
               "Size.",
        .why = "The table has ends only. Starts or lengths in it make banks that overlap or are "
               "empty.",
        .windows = "No page tells; hints to such banks go astray.",
        .windows_source = NOT_KNOWN,
        .wrong = "static SIZE_T Banks[2] = {0, 64 << 20}; /* starts */\n",
        .right = "static SIZE_T Banks[2] = {64 << 20, 128 << 20}; /* ends */\n",
    },
    {
        RULE(595, DRIVER, IMPLIED, PERFORMANCE),
        .last = LAST_WDDM1,
        .statement = "Each bank has room for an allocation, which is placed in whole pages.",
        .page = "dividing-a-memory-space-segment-into-banks",
        .how = "The first NbOfBanks - 1 banks have at least a page each.",
        .why = "The ends are in bytes. In pages, or in any larger unit, all banks but the last are "
               "too small for any allocation.",
        .windows = "No page tells; hints to such banks go astray.",
        .windows_source = NOT_KNOWN,
        .wrong = "static SIZE_T Banks[2] = {16384, 32768}; /* pages */\n",
        .right = "static SIZE_T Banks[2] = {16384 * PAGE_SIZE, 32768 * PAGE_SIZE};\n",
    },
    {
        RULE(42, MANAGER, DOCUMENTED, BUGCHECK),
        .last = LAST_WDDM1,
        .statement = "The manager reads no more than NbOfBanks - 1 entries of pBankRangeTable.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Not judged: the table is the driver's memory, and a read leaves no "
               "trace. It would take a table that ends where the process may not read, "
               "from a driver that leaves the last entry out; what comes of a wrong last "
               "entry is in no call, as the end is Size either way.",
        .why = "The end of the last bank is the end of the segment, so a driver need not give it.",
        .windows = "It takes Size for the last end.",
        .windows_source = THE_PAGE,
        .wrong = "for (i = 0; i < d->NbOfBanks; i++)\n"
                 "    end[i] = d->pBankRangeTable[i];\n",
        .right = "for (i = 0; i + 1 < d->NbOfBanks; i++)\n"
                 "    end[i] = d->pBankRangeTable[i];\n"
                 "end[i] = d->Size;\n",
    },
    {
        RULE(43, MANAGER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement =
            "An allocation lies in one segment, though it may reach from one bank into the "
            "next.",
        .page = "dividing-a-memory-space-segment-into-banks",
        .how = "Offset and size of each transfer and mapping must end inside the segment.",
        .why =
            "A driver computes addresses from one base, which beyond the segment lead elsewhere.",
        .windows = "It never splits an allocation.",
        .wrong = "place(allocation, segment, segment->size - 4096); /* 64 KB long */\n",
        .right = "if (offset + allocation->size <= segment->size)\n"
                 "    place(allocation, segment, offset);\n",
    },
    {
        RULE(44, MANAGER, DOCUMENTED, PERFORMANCE),
        .last = LAST_WDDM1,
        .statement = "HintedBank is a hint, and it counts for the most preferred segment only.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how =
            "Any placement agrees with a hint, and whether the hinted bank was full cannot be told "
            "from the calls.",
        .why = "A driver must work wherever its allocation lands; banks only make it faster.",
        .windows = "No page tells how hard it tries the hinted banks.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (!fits(bank[hint.Bank0], size))\n"
                 "    return STATUS_NO_MEMORY;\n",
        .right = "if (!place_in_bank(hint.Bank0, size) && !place_in_segment(size))\n"
                 "    evict_something();\n",
    },
    {
        RULE(45, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "CacheCoherent is set together with Aperture only.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "The flags of each descriptor are compared.",
        .why = "It tells that the GPU snoops the CPU's caches for pages in the aperture; for video "
               "memory there is nothing to snoop.",
        .windows = "It means nothing on a memory segment.",
        .wrong = "d->Flags.CpuVisible = 1;\n"
                 "d->Flags.CacheCoherent = 1; /* video memory */\n",
        .right = "d->Flags.Aperture = 1;\n"
                 "d->Flags.CacheCoherent = 1;\n",
    },
    {
        RULE(46, BOTH, DOCUMENTED, CORRUPTION),
        .statement = "Segments with PitchAlignment are not used for eviction.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "EvictionSegmentSet must not have the bit of such a segment, and no eviction may go "
               "there.",
        .why = "What lies there has another size than its backing store, so it is no place to keep "
               "content in passing.",
        .windows = "It cannot use the segment for eviction.",
        .windows_source = THE_PAGE,
        .wrong = "info->EvictionSegmentSet = 1u << (PITCH_ALIGNED_SEGMENT - 1);\n",
        .right = "info->EvictionSegmentSet = 1u << (APERTURE_SEGMENT - 1);\n",
    },
    {
        RULE(47, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "In a PitchAlignment segment an allocation takes PitchAlignedSize bytes, in its "
            "backing store Size bytes.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Judged of memory segments only: places in such a one must not come closer to each "
               "other, or to its end, than PitchAlignedSize.",
        .why =
            "The driver spreads the rows when it pages in; what was reserved by Size is overrun.",
        .windows = "It reserves PitchAlignedSize.",
        .windows_source = THE_PAGE,
        .wrong = "reserve(segment, allocation->info.Size);\n",
        .right = "reserve(segment, segment->flags.PitchAlignment\n"
                 "                     ? allocation->info.PitchAlignedSize\n"
                 "                     : allocation->info.Size);\n",
    },
    {
        RULE(562, DRIVER, DOCUMENTED, PERFORMANCE),
        .last = LAST_WDDM1,
        .statement = "A driver gives a segment a pBankRangeTable only if it also sets UseBanking.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Flag and pointer of each descriptor are compared.",
        .why = "Without the flag nobody reads the table: hints to banks count for nothing.",
        .windows = "No page tells; it places allocations as if there were no banks.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->NbOfBanks = 2;\n"
                 "d->pBankRangeTable = ctx->BankEnds; /* and UseBanking is left 0 */\n",
        .right = "d->NbOfBanks = 2;\n"
                 "d->pBankRangeTable = ctx->BankEnds;\n"
                 "d->Flags.UseBanking = 1;\n",
    },
};
