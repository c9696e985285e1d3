/*
 * group_f.c - rules R174 to R192, R553: the operations that move, fill, drop or touch content at physical
 * places. Group E is what they have in common with all others, group G what maps apertures, group H
 * their counterparts with virtual addresses.
 */
#define GROUP 'F'
#include "groups.h"

const struct vidmm_rule rules_f[] = {
    {
        RULE(174, MANAGER, IMPLIED, CORRUPTION),
        .statement = "At most one side of a TRANSFER is an MDL; a move inside the GPU's memory has "
                     "segments on both sides.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "An operation with segment 0 on both sides is a finding: the page lists four moves, "
               "and none is from system memory to system memory.",
        .why = "There is one MdlOffset for both sides, and a copy between system pages needs no "
               "GPU.",
        .windows = "Windows does not ask for it.",
        .wrong = "args.Transfer.Source.SegmentId = 0;\n"
                 "args.Transfer.Destination.SegmentId = 0;\n",
        .right = "args.Transfer.Source.SegmentId = VRAM;\n"
                 "args.Transfer.Destination.SegmentId = 0;\n",
    },
    {
        RULE(175, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A location with SegmentId 0 has a valid MDL, any other a valid "
                     "SegmentAddress.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The id is looked up; for 0 the MDL must be there and describe enough pages.",
        .why = "The two members share a union: with the wrong one the driver takes an address for "
               "a pointer.",
        .windows = "Windows fills the member that the id selects.",
        .wrong = "args.Transfer.Source.SegmentId = 0;\n"
                 "args.Transfer.Source.SegmentAddress.QuadPart = physical;\n",
        .right = "args.Transfer.Source.SegmentId = 0;\n"
                 "args.Transfer.Source.pMdl = allocation->mdl;\n",
    },
    {
        RULE(176, BOTH, DISPUTED, CORRUPTION),
        .statement = "TransferOffset is a byte offset of whole pages into the allocation, and is "
                     "added to segment locations only.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how =
            "A transfer in several chunks moves pages with distinguishable content; each must "
            "arrive at SegmentAddress plus TransferOffset. Stage ranges looks through a range at "
            "a swizzled surface that came in parts of three pages.",
        .why = "Five drivers have five readings, and all work until the first transfer in more "
               "than one chunk; then content is corrupt after an eviction.",
        .windows = "Windows adds it to nothing: the driver that leaves it out copies every chunk "
                   "to the beginning.",
        .wrong = "copy.to = args->Transfer.Destination.SegmentAddress.QuadPart;\n"
                 "copy.from = mdl_page(args->Transfer.Source.pMdl, offset / PAGE_SIZE);\n",
        .right = "copy.to = args->Transfer.Destination.SegmentAddress.QuadPart +\n"
                 "          args->Transfer.TransferOffset;\n"
                 "copy.from = mdl_page(args->Transfer.Source.pMdl, args->Transfer.MdlOffset);\n",
        .readings = "transfer-offset=segment: TransferOffset counts on the segment side and "
                    "MdlOffset on the MDL side, as the page says; transfer-offset=both: the MDL "
                    "side starts at MdlOffset plus TransferOffset / 4096.",
    },
    {
        RULE(177, BOTH, DISPUTED, CORRUPTION),
        .statement = "MdlOffset is a page index into the MDL's array of page frame numbers, and "
                     "the MDL side of the operation starts there.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how =
            "Operations move pages with distinguishable content; each must come from, or go to, "
            "the right frame. Wrong ones are looked for where they would be without MdlOffset, if "
            "the frames followed each other, and at addresses of 32 bits.",
        .why = "One Microsoft sample changed its reading three days after its first test with a "
               "multi-chunk transfer; a driver that also leaves the side unbounded copies past the "
               "array.",
        .windows = "Windows locks as many pages as the chunk needs and says where they start; a "
                   "wrong start copies foreign pages.",
        .wrong = "pfn = MmGetMdlPfnArray(mdl)[i]; /* or [MdlOffset / PAGE_SIZE + i] */\n",
        .right = "pfn = MmGetMdlPfnArray(mdl)[args->Transfer.MdlOffset + i];\n",
        .readings = "transfer-offset=segment: the first page is PFN[MdlOffset]; "
                    "transfer-offset=both: it is PFN[MdlOffset + TransferOffset / 4096].",
    },
    {
        RULE(178, MANAGER, DISPUTED, CORRUPTION),
        .statement = "The sub-transfers of an allocation do not overlap and cover it up to its "
                     "size rounded to pages.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The bytes of all sub-transfers between TransferStart and TransferEnd are added up "
               "and must be the rounded size.",
        .why = "An allocation moves as a whole; a driver may refuse nothing just because the last "
               "chunk is longer than the nominal size (0x1E10000 of 0x1C20000 bytes has been "
               "seen).",
        .windows = "VIRTUAL_TRANSFER: 0x1E10000 bytes were sent for an allocation of 0x1C20000, so "
                   "more than the size rounded to pages may come.",
        .readings = "vidmm takes one reading: the size rounded to pages, as the page of the "
                    "physical transfer says. A system was seen to send more by virtual address "
                    "(W22), so that a driver must not refuse it.",
        .windows_source = RECORD("W22"),
        .wrong = "chunk(0, MB), chunk(MB, info->Size - MB); /* tail page cut */\n",
        .right = "chunk(0, MB), chunk(MB, round_up(info->Size, PAGE_SIZE) - MB);\n",
    },
    {
        RULE(179, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "TransferStart is set in the first sub-transfer and TransferEnd in the last "
                     "one only, repetitions aside; a transfer in one piece has both.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The flags of each TRANSFER are held against whether a transfer of the allocation "
               "is under way.",
        .why = "Drivers set up a detiling unit at the start and release it at the end.",
        .windows = "Windows marks both ends.",
        .windows_source = THE_PAGE,
        .wrong = "first.Flags.TransferStart = last.Flags.TransferStart = 1;\n",
        .right = "args.Transfer.Flags.TransferStart = i == 0;\n"
                 "args.Transfer.Flags.TransferEnd = i == chunks - 1;\n",
    },
    {
        RULE(180, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The end of a transfer comes before the start of the next one.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "While a transfer is between its start and its end, no TRANSFER of another "
               "allocation may start.",
        .why = "A driver needs only one set of transfer resources because of it.",
        .windows = "Windows finishes one transfer before it starts another.",
        .windows_source = THE_PAGE,
        .wrong = "chunk(a, 0), chunk(b, 0), chunk(a, 1), chunk(b, 1);\n",
        .right = "chunk(a, 0), chunk(a, 1), chunk(b, 0), chunk(b, 1);\n",
    },
    {
        RULE(181, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "The driver does not take a repeated TransferStart for a new transfer.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Stage operations makes transfers in a single call, and others that take several: "
               "of these the driver may not hold more pool blocks each time. Of what else it takes "
               "for a transfer nothing is seen; lost content after a split is R161.",
        .why = "When the buffer runs out in the first chunk, the same flags come again; resources "
               "taken twice are released once.",
        .windows = "Windows repeats the call with the flag still set.",
        .wrong = "if (args->Transfer.Flags.TransferStart)\n"
                 "    adapter->detiler = acquire_detiler();\n",
        .right = "if (args->Transfer.Flags.TransferStart && args->MultipassOffset == 0)\n"
                 "    adapter->detiler = acquire_detiler();\n",
    },
    {
        RULE(182, MANAGER, IMPLIED, CORRUPTION),
        .statement = "Swizzle and Unswizzle are never both set, and either applies to every mip "
                     "level of the allocation.",
        .page = "ns-d3dkmddi-_dxgk_transferflags",
        .how = "The two flags of each TRANSFER are compared. Copies with either flag are "
               "not compared byte by byte: in which order swizzled content lies is the "
               "driver's own, and no call tells it. A level that was left out shows as "
               "other bytes after both ways, which only the byte oracle of a run or a "
               "lock sees.",
        .why = "Both at once has no meaning, and a driver that converts only the top level leaves "
               "the others unreadable.",
        .windows = "Windows sets at most one of them.",
        .wrong = "args.Transfer.Flags.Swizzle = 1;\n"
                 "args.Transfer.Flags.Unswizzle = 1;\n",
        .right = "args.Transfer.Flags.Swizzle = to_memory_segment;\n"
                 "args.Transfer.Flags.Unswizzle = !to_memory_segment;\n",
    },
    {
        RULE(183, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "A TRANSFER without an allocation is a plain copy, without swizzling or "
                     "tiling.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Source and destination are compared byte for byte after an operation with "
               "hAllocation NULL; in stage operations with Swizzle and Unswizzle, too.",
        .why = "The content is not a surface, and a driver that looks up a tiling mode there "
               "follows NULL.",
        .windows = "Windows uses it for content that no allocation of the driver describes.",
        .wrong = "mode = ((struct surface *)args->Transfer.hAllocation)->tiling;\n",
        .right = "surface = args->Transfer.hAllocation;\n"
                 "mode = surface ? surface->tiling : LINEAR;\n",
    },
    {
        RULE(184, DRIVER, DOCUMENTED, CORRUPTION),
        .last = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A CPU-visible allocation without the Swizzled flag is stored in linear order "
                     "when it is evicted.",
        .page = "locking-swizzled-allocations",
        .how = "What the CPU sees through CpuTranslatedAddress of an allocation that is "
               "not Swizzled is compared with the system pages when the transfer out of "
               "the segment is done. Transfers with Swizzle or Unswizzle are left out "
               "(R182): they are for Swizzled allocations.",
        .why = "The CPU reads the system pages directly afterwards, and nobody asks the driver any "
               "more.",
        .windows = "Windows returns the pages as they are: the application sees tiles.",
        .wrong = "emit_raw_copy(args); /* tiled in VRAM */\n",
        .right = "emit_detiling_copy(args);\n",
    },
    {
        RULE(185, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "An eviction stores the bytes of a CPU-visible allocation in the order in "
                     "which the CPU saw them through its aperture.",
        .page = "mapping-virtual-addresses-to-a-memory-segment",
        .how =
            "The bytes behind CpuTranslatedAddress are compared with the system pages when a "
            "transfer out of a CPU-visible segment, without Swizzle and Unswizzle, is done. Stage "
            "ranges writes surfaces through swizzling ranges, evicts them, one in several "
            "transfers while the CPU keeps an alternate address, and looks at their bytes. It also "
            "looks through a range at one that came in several transfers.",
        .why = "A lock may survive the eviction: same pointer, other memory, and the application "
               "must not notice.",
        .windows = "Windows redirects the pointer to the system pages; a wrong order scrambles "
                   "what the application reads.",
        .wrong = "copy.flags = COPY_NO_DETILE; /* BAR view detiles on the fly */\n",
        .right = "copy.flags = COPY_DETILE;\n",
    },
    {
        RULE(186, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "A TRANSFER with size zero, as sent after a TDR, only tells that the content "
                     "is gone: nothing is copied.",
        .page = "thread-synchronization-and-tdr",
        .how = "The operation is sent, and the memory on both sides must be unchanged when it is "
               "done.",
        .why = "The hardware has just been reset; a copy engine programmed with length zero may "
               "copy its maximum.",
        .windows = "Windows sends it for each allocation that lost its place in a memory segment; "
                   "there is no content to move.",
        .wrong = "copy.bytes_minus_one = (UINT)args->Transfer.TransferSize - 1;\n"
                 "emit(args, &copy);\n",
        .right = "if (args->Transfer.TransferSize == 0)\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(187, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "FILL is asked only for memory segments, never for apertures, and only while "
                     "the allocation is idle.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The destination is looked up, and no submission under way may reference the "
               "allocation.",
        .why = "Drivers leave the aperture case out, and fill by any engine without waiting.",
        .windows = "The system never has an aperture segment filled, and an allocation is idle "
                   "when it is.",
        .windows_source = THE_PAGE,
        .wrong = "args.Fill.Destination.SegmentId = APERTURE;\n",
        .right = "args.Fill.Destination.SegmentId = VRAM;\n",
    },
    {
        RULE(188, DRIVER, DOCUMENTED, CORRUPTION),
        .severity_source = RECORD("W12"),
        .statement = "FILL writes FillSize bytes with the 32-bit pattern repeated.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "All bytes of the range are compared with the pattern when the GPU is done, also "
               "where the size is no multiple of four, and where Size of the allocation ends "
               "within the last page, which is filled whole.",
        .why = "A driver that clamps a long range reports a partial fill as done; one that returns "
               "success and does nothing shows a black display or another process's data.",
        .windows = "Windows does not look: a driver that answers success and does nothing loses "
                   "content without an error.",
        .windows_source = RECORD("W12, W29"),
        .wrong = "fill.bytes = min(args->Fill.FillSize, MAX_FILL); /* the rest is lost */\n",
        .right = "for (left = args->Fill.FillSize; left != 0; left -= n)\n"
                 "    if (!emit_fill(args, n = min(left, MAX_FILL)))\n"
                 "        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
    },
    {
        RULE(189, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A new allocation is filled before its first use, and one that has content is "
                     "never filled.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The first placement of an allocation that nobody has written must be a FILL; later "
               "ones must be TRANSFERs as long as there is content.",
        .why = "Memory of another process must not show through; and a fill where a transfer "
               "belongs wipes a texture.",
        .windows = "Windows fills new allocations with zeroes.",
        .wrong = "fill(allocation); /* at every page-in */\n",
        .right = "if (allocation->has_content)\n"
                 "    transfer_from_system(allocation);\n"
                 "else\n"
                 "    fill(allocation);\n",
    },
    {
        RULE(190, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "DISCARD_CONTENT names the place in a memory segment where the allocation is.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Segment and address are compared with where the last completed operation left the "
               "allocation.",
        .why = "The driver drops compression or tiling state by address; a wrong one drops "
               "somebody else's.",
        .windows = "Windows names the current place.",
        .wrong = "args.DiscardContent.SegmentAddress.QuadPart = next->offset;\n",
        .right = "args.DiscardContent.SegmentId = allocation->segment->id;\n"
                 "args.DiscardContent.SegmentAddress.QuadPart =\n"
                 "    allocation->segment->base + allocation->offset;\n",
    },
    {
        RULE(191, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Content is discarded instead of transferred only if it need not survive: "
                     "clean PermanentSysMem, offered, not written to, or about to be destroyed.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Not judged: what an application has given up is not in the calls. It would take "
               "the offers and writes that the services tell of, held against the content at the "
               "next use.",
        .why = "It is the one operation that loses data on purpose.",
        .windows = "Windows transfers everything else.",
        .wrong = "discard(victim); /* fastest way to make room */\n",
        .right = "if (need_not_survive(victim))\n"
                 "    discard(victim);\n"
                 "else\n"
                 "    transfer_to_system(victim);\n",
    },
    {
        RULE(192, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "READ_PHYSICAL and WRITE_PHYSICAL make the GPU access one to eight bytes at "
                     "the given address of the segment.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Of an AGP segment: an operation that is answered with success has left something "
               "in the paging buffer. A read leaves no other trace, and drivers that move bytes "
               "with the CPU have nothing to push out of other segments.",
        .why = "The access pushes the GPU's posted writes out before the CPU reads; a driver that "
               "skips it hands stale data to the CPU.",
        .windows = "Windows sends them when the CPU is about to read AGP memory that the GPU "
                   "wrote.",
        .wrong = "case DXGK_OPERATION_READ_PHYSICAL:\n"
                 "    return STATUS_SUCCESS;\n",
        .right = "case DXGK_OPERATION_READ_PHYSICAL:\n"
                 "    return emit_read(args, args->ReadPhysical.PhysicalAddress, 4);\n",
    },
    {
        RULE(443, MANAGER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement =
            "SPECIAL_LOCK_TRANSFER is asked for only when an allocation that is locked with "
            "UseAlternateVA is evicted or paged back, and never of a driver without that support.",
        .page = "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation",
        .how = "Not judged: which allocation is locked with an alternate address is between user "
               "mode and the manager, and the range may be given up before the content moves. It "
               "would take the lock calls of WDDM 1.x in the services that the referee is told of.",
        .why = "The operation moves content between the GPU's memory and an address that other "
               "allocations do not have.",
        .windows = "No page tells more than the operation.",
        .windows_source = NOT_KNOWN,
        .wrong = "args.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER; /* it is locked */\n",
        .right = "args.Operation = allocation->alternate ? DXGK_OPERATION_SPECIAL_LOCK_TRANSFER\n"
                 "                                       : DXGK_OPERATION_TRANSFER;\n",
    },
    {
        RULE(444, DRIVER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement = "SPECIAL_LOCK_TRANSFER moves content to and from the alternate address that "
                     "was set up for the allocation, not its backing store.",
        .page = "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation",
        .how = "Stage ranges evicts a surface that is locked with AcquireAperture and "
               "UseAlternateVA, gives its place to another, and looks at the address that the CPU "
               "keeps. It has the CPU write there, pages the surface back in, and looks at the "
               "address, and at the surface after the next eviction. A surface that moves in parts "
               "has an MDL for each, which begins with the part; by the reading "
               "transfer-offset=both each part has the MDL of the whole allocation.",
        .why = "The application has a pointer to the alternate address and goes on writing there.",
        .windows = "No page tells; what the application writes is lost.",
        .windows_source = NOT_KNOWN,
        .wrong = "case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:\n"
                 "    return BuildTransfer(args); /* to the MDL */\n",
        .right = "case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:\n"
                 "    return BuildMove(args, "
                 "AlternateAddressOf(args->SpecialLockTransfer.hAllocation));\n",
    },
    {
        RULE(476, MANAGER, DOCUMENTED, CORRUPTION),
        .last = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "Content of a Swizzled allocation that was unswizzled when it left is swizzled "
            "on its way back into a memory segment, and is mapped into no aperture.",
        .page = "locking-swizzled-allocations",
        .how = "Unswizzle of the last TRANSFER out of a memory segment is held against Swizzle of "
               "the next one back, and against MAP_APERTURE_SEGMENT before it.",
        .why = "The GPU takes the pages of such an allocation for swizzled.",
        .windows = "It pages the allocation into a memory segment and asks for swizzling.",
        .windows_source = THE_PAGE,
        .wrong = "args.Transfer.Flags.Swizzle = 0; /* it came out without trouble, too */\n",
        .right = "args.Transfer.Flags.Swizzle = allocation->unswizzled;\n",
    },
    {
        RULE(553, DRIVER, DOCUMENTED, BUGCHECK),
        .statement = "Where SegmentId of a side of TRANSFER or FILL is not zero, its union has "
                     "SegmentAddress, an address of the GPU's: no pointer to an MDL or to memory.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The driver dies of an access between SegmentAddress and 1 MiB behind it.",
        .why = "pMdl and SegmentAddress are the same bytes.",
        .windows = "Bugcheck 0x3B, 0x50 or 0x7E: access violation in the driver.",
        .windows_source = NOT_KNOWN,
        .wrong =
            "pages = MmGetMdlPfnArray(args->Transfer.Source.pMdl); /* whatever SegmentId is */\n",
        .right = "if (args->Transfer.Source.SegmentId == 0)\n"
                 "    pages = MmGetMdlPfnArray(args->Transfer.Source.pMdl);\n",
    },
    {
        RULE(560, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "FILL and TRANSFER, and those by GPU virtual address, write to as many bytes of "
            "their destination as their size says and to nothing beside them.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how =
            "The conformance check fills and transfers four pages in the middle of others, and "
            "compares "
            "those on both sides, in the segment and in the list of pages, with what they had. "
            "Of operations by address it asks for parts of a surface, and the pages of addresses "
            "before and behind are compared.",
        .why = "Beside it is memory of another allocation or another process.",
        .windows = "Windows does not look: what is overwritten shows in another surface.",
        .windows_source = NOT_KNOWN,
        .wrong = "for (i = 0; i <= args->Fill.FillSize; i++) /* one byte too many */\n"
                 "    view[i] = ((UCHAR *)&args->Fill.FillPattern)[i % 4];\n",
        .right = "for (i = 0; i < args->Fill.FillSize; i++)\n"
                 "    view[i] = ((UCHAR *)&args->Fill.FillPattern)[i % 4];\n",
    },
};
