/*
 * group_b.c - R32 to R72: segment descriptors and flags.
 *
 * What a descriptor may say, and what the manager makes of it. How descriptors are asked for is
 * group_a.c.
 */
#include "groups.h"

/* Versions 1 and 3 of the descriptor, the ones with banks, are those of drivers before WDDM 2.0. */
#define LAST_WDDM1 DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION

#define HIBERNATE_READINGS                                                                         \
    "hibernate-end=last-byte: an allocation is kept when its last byte lies at or before "         \
    "SystemMemoryEndAddress (descriptor version 4); hibernate-end=first-byte: it is kept when it " \
    "begins there (version 3)."

const struct vidmm_rule rules_b[41] = {
    {.number = 32,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_START_FAILS,
     .judged = true,
     .statement = "The Size of a segment is a multiple of the host's page size.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
     .how = "Size modulo 4096 must be 0; AGP segments, whose Size is ignored, are left out.",
     .why = "Segments are handed out in pages. Sizes in the wrong unit, or taken from the wrong "
            "variable, corrupted memory and the display.",
     .windows = "No page tells; a part of a page at the end belongs to nobody.",
     .wrong = "d->Size = VramBytes - sizeof(RING); /* the ring is at the end */\n",
     .right = "d->Size = VramBytes - ROUND_TO_PAGES(sizeof(RING));\n"},
    {.number = 33,
     .group = 'B',
     .side = VIDMM_SIDE_BOTH,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_START_FAILS,
     .judged = true,
     .statement = "An AGP segment has the flag Agp and no other, and the manager does not start an "
                  "adapter that sets more.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Flags.Value with Agp must be Agp alone; after another value nothing may be paged.",
     .why = "Aperture and CpuVisible look right for AGP memory, and each of them keeps the adapter "
            "from starting.",
     .windows = "The adapter fails to initialise.",
     .wrong = "d->Flags.Agp = 1;\n"
              "d->Flags.Aperture = 1;\n"
              "d->Flags.CpuVisible = 1;\n",
     .right = "d->Flags.Value = 0;\n"
              "d->Flags.Agp = 1;\n"},
    {.number = 34,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_START_FAILS,
     .judged = true,
     .statement = "There is at most one AGP segment.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Descriptors with Flags.Agp are counted.",
     .why = "The system takes the whole AGP aperture for the one segment; a second one would be "
            "the same memory.",
     .windows = "The adapter does not start.",
     .wrong = "d[1].Flags.Agp = 1; /* write-combined */\n"
              "d[2].Flags.Agp = 1; /* cached */\n",
     .right = "d[1].Flags.Agp = 1;\n"},
    {.number = 35,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "The manager takes address and size of an AGP segment from the bus and ignores "
                  "those of the descriptor.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
     .how = "Addresses in an AGP segment that reach the driver must lie in the aperture of "
            "DXGK_QUERYSEGMENTIN.",
     .why = "Drivers leave both members at any value, and use the addresses that they get without "
            "translating them.",
     .windows = "It uses the aperture that the chipset has.",
     .wrong = "address = descriptor->BaseAddress.QuadPart + offset;\n",
     .right = "base = descriptor->Flags.Agp ? in.AgpApertureBase : descriptor->BaseAddress;\n"
              "address = base.QuadPart + offset;\n"},
    {.number = 36,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_BUGCHECK,
     .judged = true,
     .statement = "The manager asks for no MAP_APERTURE_SEGMENT or UNMAP_APERTURE_SEGMENT on an "
                  "AGP segment.",
     .page = "agp-type-aperture-space-segments",
     .how = "The segment of both operations must not be an AGP segment.",
     .why = "The GART driver does the mapping; the miniport has no table that it could write and "
            "no status to refuse with.",
     .windows = "It maps through the GART driver.",
     .wrong = "op.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;\n"
              "op.MapApertureSegment.SegmentId = AgpSegmentId;\n",
     .right = "if (segment->Flags.Agp)\n"
              "    gart_map(segment, offset, mdl);\n"
              "else\n"
              "    build(MAP_APERTURE_SEGMENT, segment, offset, mdl);\n"},
    {.number = 37,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_BUGCHECK,
     .judged = true,
     .statement = "A driver that reports an aperture segment implements mapping and unmapping in "
                  "DxgkDdiBuildPagingBuffer.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Both operations must be accepted; that the pages are seen, and no longer seen, "
            "through the aperture is R194 and R200.",
     .why = "Without them the aperture shows nothing; a driver that answered success and did "
            "nothing showed a black display.",
     .windows = "A failing status is a bugcheck 0x10E; success without effect is believed.",
     .wrong = "case DXGK_OPERATION_MAP_APERTURE_SEGMENT:\n"
              "    return STATUS_NOT_IMPLEMENTED;\n",
     .right = "case DXGK_OPERATION_MAP_APERTURE_SEGMENT:\n"
              "    return WriteGart(ctx, args->MapApertureSegment.OffsetInPages,\n"
              "                     args->MapApertureSegment.NumberOfPages,\n"
              "                     args->MapApertureSegment.pMdl);\n"},
    {.number = 38,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "CpuTranslatedAddress means something only with CpuVisible, and nothing for an "
                  "aperture, save for a primary without an alternate address.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
     .how = "What an application gets to look at an allocation with must not be that address where "
            "the flag is clear, or in an aperture.",
     .why = "A driver may leave rubbish there when the flag is clear, and a manager that maps it "
            "hands out somebody else's memory.",
     .windows = "It ignores the member.",
     .wrong = "/* manager */\n"
              "if (descriptor->CpuTranslatedAddress.QuadPart != 0)\n"
              "    cpu = map(descriptor->CpuTranslatedAddress);\n",
     .right = "if (descriptor->Flags.CpuVisible && !descriptor->Flags.Aperture)\n"
              "    cpu = map(descriptor->CpuTranslatedAddress);\n"},
    {.number = 39,
     .group = 'B',
     .side = VIDMM_SIDE_BOTH,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "The CPU finds offset n of a CpuVisible segment at CpuTranslatedAddress + n, and "
                  "the GPU at BaseAddress + n.",
     .page = "mapping-virtual-addresses-to-a-memory-segment",
     .how = "The descriptor's addresses must be behind a BAR; what an application gets to look at "
            "an allocation with is compared with the sum, and the bytes there with those that the "
            "GPU sees.",
     .why = "CPU and GPU would work on different bytes. Two memories behind one segment were a "
            "black desktop that took 16 rounds of debugging.",
     .windows = "It maps by this sum and checks nothing.",
     .wrong = "d->BaseAddress = ctx->VramGpu; /* after the firmware's part */\n"
              "d->CpuTranslatedAddress = ctx->Bar; /* before it */\n",
     .right = "d->BaseAddress.QuadPart = ctx->VramGpu.QuadPart;\n"
              "d->CpuTranslatedAddress.QuadPart = ctx->Bar.QuadPart + ctx->FirmwareBytes;\n"},
    {.number = 40,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_BUGCHECK,
     .judged = true,
     .last = LAST_WDDM1,
     .statement = "A segment with UseBanking has NbOfBanks of at least 1 and a pBankRangeTable.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Both members are looked at when the flag is set.",
     .why = "The memory manager reads the table on the word of the flag.",
     .windows = "No page tells; it reads through the pointer.",
     .wrong = "d->Flags.UseBanking = 1; /* table to come */\n",
     .right = "d->Flags.UseBanking = 1;\n"
              "d->NbOfBanks = 2;\n"
              "d->pBankRangeTable = ctx->BankEnds; /* not on the stack */\n"},
    {.number = 41,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .last = LAST_WDDM1,
     .statement = "Banks follow each other without gaps from offset 0 to Size, so the ends in the "
                  "table strictly grow.",
     .page = "dividing-a-memory-space-segment-into-banks",
     .how = "The first NbOfBanks - 1 ends must grow and stay below Size; the last, if given, is "
            "Size.",
     .why = "The table has ends only. Starts or lengths in it make banks that overlap or are "
            "empty.",
     .windows = "No page tells; hints to such banks go astray.",
     .wrong = "static SIZE_T Banks[2] = {0, 64 << 20}; /* starts */\n",
     .right = "static SIZE_T Banks[2] = {64 << 20, 128 << 20}; /* ends */\n"},
    {.number = 42,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_BUGCHECK,
     .judged = false,
     .last = LAST_WDDM1,
     .statement = "The manager reads no more than NbOfBanks - 1 entries of pBankRangeTable.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
     .how = "The table is the driver's memory, and a read from it leaves no trace in calls.",
     .why = "The end of the last bank is the end of the segment, so a driver need not give it.",
     .windows = "It takes Size for the last end.",
     .wrong = "for (i = 0; i < d->NbOfBanks; i++)\n"
              "    end[i] = d->pBankRangeTable[i];\n",
     .right = "for (i = 0; i + 1 < d->NbOfBanks; i++)\n"
              "    end[i] = d->pBankRangeTable[i];\n"
              "end[i] = d->Size;\n"},
    {.number = 43,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .last = LAST_WDDM1,
     .statement = "An allocation lies in one segment, though it may reach from one bank into the "
                  "next.",
     .page = "dividing-a-memory-space-segment-into-banks",
     .how = "Offset and size of each transfer and mapping must end inside the segment.",
     .why = "A driver computes addresses from one base, which beyond the segment lead elsewhere.",
     .windows = "It never splits an allocation.",
     .wrong = "place(allocation, segment, segment->size - 4096); /* 64 KB long */\n",
     .right = "if (offset + allocation->size <= segment->size)\n"
              "    place(allocation, segment, offset);\n"},
    {.number = 44,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_PERFORMANCE,
     .judged = false,
     .last = LAST_WDDM1,
     .statement = "HintedBank is a hint, and it counts for the most preferred segment only.",
     .page = "ns-d3dkmddi-_dxgk_allocationinfo",
     .how = "Any placement agrees with a hint, and whether the hinted bank was full cannot be told "
            "from the calls.",
     .why = "A driver must work wherever its allocation lands; banks only make it faster.",
     .windows = "It tries the hinted banks first and then takes any place.",
     .wrong = "if (!fits(bank[hint.Bank0], size))\n"
              "    return STATUS_NO_MEMORY;\n",
     .right = "if (!place_in_bank(hint.Bank0, size) && !place_in_segment(size))\n"
              "    evict_something();\n"},
    {.number = 45,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "CacheCoherent is set together with Aperture only.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "The flags of each descriptor are compared.",
     .why = "It tells that the GPU snoops the CPU's caches for pages in the aperture; for video "
            "memory there is nothing to snoop.",
     .windows = "It means nothing on a memory segment.",
     .wrong = "d->Flags.CpuVisible = 1;\n"
              "d->Flags.CacheCoherent = 1; /* video memory */\n",
     .right = "d->Flags.Aperture = 1;\n"
              "d->Flags.CacheCoherent = 1;\n"},
    {.number = 46,
     .group = 'B',
     .side = VIDMM_SIDE_BOTH,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "Segments with PitchAlignment are not used for eviction.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "EvictionSegmentSet must not have the bit of such a segment, and no eviction may go "
            "there.",
     .why = "What lies there has another size than its backing store, so it is no place to keep "
            "content in passing.",
     .windows = "It cannot use the segment for eviction.",
     .wrong = "info->EvictionSegmentSet = 1u << (PITCH_ALIGNED_SEGMENT - 1);\n",
     .right = "info->EvictionSegmentSet = 1u << (APERTURE_SEGMENT - 1);\n"},
    {.number = 47,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "In a PitchAlignment segment an allocation takes PitchAlignedSize bytes, in its "
                  "backing store Size bytes.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Places in such a segment must not come closer to each other, or to its end, than "
            "PitchAlignedSize.",
     .why = "The driver spreads the rows when it pages in; what was reserved by Size is overrun.",
     .windows = "It reserves PitchAlignedSize.",
     .wrong = "reserve(segment, allocation->info.Size);\n",
     .right = "reserve(segment, segment->flags.PitchAlignment\n"
              "                     ? allocation->info.PitchAlignedSize\n"
              "                     : allocation->info.Size);\n"},
    {.number = 48,
     .group = 'B',
     .side = VIDMM_SIDE_BOTH,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_PERFORMANCE,
     .judged = true,
     .statement = "PopulatedFromSystemMemory is for memory that the driver took from the system, "
                  "not for memory that the BIOS hid, and counts for nothing on an aperture.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "The flag must not be set on an aperture, and an aperture that has it must not count "
            "as dedicated memory; where the memory behind a segment came from is in no call.",
     .why = "The flag decides whether the segment is counted as part of the machine's memory or "
            "beside it.",
     .windows = "It reports too little or too much memory.",
     .wrong = "d->Flags.PopulatedFromSystemMemory = ctx->IsIntegrated; /* stolen by the BIOS */\n",
     .right = "d->Flags.PopulatedFromSystemMemory = ctx->CarveoutIsFromMmAllocate;\n"},
    {.number = 49,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement = "PreservedDuringHibernate and PartiallyPreservedDuringHibernate exclude each "
                  "other, and each needs PreservedDuringStandby.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "The three flags are compared with the table of valid combinations.",
     .why = "An invalid combination is not recognised, so what the driver meant to keep is moved "
            "out on each transition.",
     .windows = "It does not recognise the combination.",
     .wrong = "d->Flags.PreservedDuringHibernate = 1;\n",
     .right = "d->Flags.PreservedDuringStandby = 1;\n"
              "d->Flags.PreservedDuringHibernate = 1;\n"},
    {.number = 50,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = false,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement = "The manager takes an invalid combination of the preserve flags as none set.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "What is purged shows only in a power transition of the system, which a process does "
            "not go through.",
     .why = "To purge what was kept costs time; to keep what was lost costs content.",
     .windows = "It purges the segment.",
     .wrong = "keep = flags.PreservedDuringHibernate;\n",
     .right = "keep = flags.PreservedDuringStandby && flags.PreservedDuringHibernate &&\n"
              "       !flags.PartiallyPreservedDuringHibernate;\n"},
    {.number = 51,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = false,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement = "The manager purges a segment at standby when PreservedDuringStandby is clear, "
                  "at hibernation as the other two flags say, and takes hybrid sleep for "
                  "hibernation.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "What is purged shows only in a power transition of the system, which a process does "
            "not go through.",
     .why = "Memory that loses its power must be emptied before, and only the flags tell which.",
     .windows = "It purges by the flags.",
     .wrong = "if (state == HYBRID_SLEEP && segment->flags.PreservedDuringStandby)\n"
              "    return; /* the power may still go */\n",
     .right = "if (state == STANDBY ? !standby_kept(segment) : !hibernate_kept(segment))\n"
              "    evict_all(segment);\n"},
    {.number = 52,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DISPUTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement =
         "SystemMemoryEndAddress is other than 0 when PartiallyPreservedDuringHibernate is "
         "set, and only then.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor3",
     .how = "Flag and member of each descriptor are compared.",
     .why = "The member is the border between what is kept and what is purged; with the flag and "
            "0 nothing is kept, without the flag it is noise.",
     .windows = "Without the flag it does not look at the member.",
     .wrong = "d->Flags.PreservedDuringStandby = 1;\n"
              "d->Flags.PartiallyPreservedDuringHibernate = 1;\n"
              "d->SystemMemoryEndAddress = 0;\n",
     .right = "d->Flags.PreservedDuringStandby = 1;\n"
              "d->Flags.PartiallyPreservedDuringHibernate = 1;\n"
              "d->SystemMemoryEndAddress = ctx->OwnBytes - 1;\n",
     .readings = HIBERNATE_READINGS},
    {.number = 53,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DISPUTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = false,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement = "Of a partially preserved segment the offsets 0 to SystemMemoryEndAddress, both "
                  "included, are kept at hibernation and the rest is purged.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor3",
     .how = "What is purged shows only in a power transition of the system, which a process does "
            "not go through.",
     .why = "The pages differ on an allocation across the border: by one its last byte counts, by "
            "another its first.",
     .windows = "It purges what lies beyond the border.",
     .wrong = "keep = offset <= end; /* the tail of the allocation is lost */\n",
     .right = "keep = offset + size - 1 <= end;\n",
     .readings = HIBERNATE_READINGS},
    {.number = 54,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "Reserved of DXGK_SEGMENTDESCRIPTOR3 and the reserved bits of the flags are 0.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor3",
     .how = "Flags are compared with the bits that the driver's version has.",
     .why = "Later systems give these bits a meaning. A hand-made header with bits swapped had all "
            "tests pass and all facts wrong.",
     .windows = "A newer version may act on them.",
     .wrong = "DXGK_SEGMENTFLAGS flags; /* uninitialised */\n"
              "flags.Aperture = 1;\n"
              "d->Flags = flags;\n",
     .right = "DXGK_SEGMENTFLAGS flags = {0};\n"
              "flags.Aperture = 1;\n"
              "d->Flags = flags;\n"},
    {.number = 55,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_PERFORMANCE,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement = "A driver of WDDM 1.2 or later sets the preserve flags that its hardware can "
                  "keep.",
     .page = "standby-hibernate-optimizations",
     .how = "Advice only: a driver none of whose memory segments has a preserve flag is named.",
     .why = "Memory that keeps its content in standby need not be copied out and in, which is most "
            "of the time that such a transition takes.",
     .windows = "It copies everything out before standby.",
     .wrong = "d->Flags.CpuVisible = 1; /* self-refreshing memory, and nobody is told */\n",
     .right = "d->Flags.CpuVisible = 1;\n"
              "d->Flags.PreservedDuringStandby = 1;\n"},
    {.number = 56,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = false,
     .first = DXGKDDI_INTERFACE_VERSION_WIN8,
     .statement = "Direct Flip allocations can be pinned in, and scanned out from, a segment with "
                  "DirectFlip.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Scan-out happens in the display hardware, and there is none behind this program.",
     .why = "The compositor shows an application's own surface from there, without a copy.",
     .windows = "It flips to the surface; the display shows what the hardware can read.",
     .wrong = "d->Flags.DirectFlip = 1; /* beyond the reach of the display controller */\n",
     .right = "d->Flags.DirectFlip = (end <= DISPLAY_ADDRESS_LIMIT);\n"},
    {.number = 57,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CREATION_FAILS,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "The Alignment of every allocation that can be paged into a Use64KBPages segment "
                  "is a multiple of 64 KB.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "Alignment is looked at when a supported segment has the flag.",
     .why = "A 64 KB page-table entry cannot point into the middle of a 64 KB page.",
     .windows = "No page tells what it does to such an allocation.",
     .wrong = "info->Alignment = 4096;\n"
              "info->SupportedWriteSegmentSet = 1u << (VRAM_64K - 1);\n",
     .right = "info->Alignment = 64 * 1024;\n"
              "info->SupportedWriteSegmentSet = 1u << (VRAM_64K - 1);\n"},
    {.number = 58,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_START_FAILS,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "A driver does not set ReservedSysMem.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "The flag is looked at in each descriptor.",
     .why = "The system marks a segment of its own with it, and takes the driver's for that.",
     .windows = "No page tells; the flag is the system's.",
     .wrong = "d->Flags.ReservedSysMem = ctx->IsIntegrated;\n",
     .right = "d->Flags.PopulatedFromSystemMemory = ctx->CarveoutIsFromMmAllocate;\n"},
    {.number = 59,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_START_FAILS,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "SupportsCpuHostAperture and CpuVisible exclude each other.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "The flags of each descriptor are compared.",
     .why = "A segment is seen by the CPU either as a whole or through a window, and the "
            "descriptor has room for one of the two addresses.",
     .windows =
         "No page tells; unusual layouts around the CPU host aperture kept adapters from starting.",
     .wrong = "d->Flags.CpuVisible = 1;\n"
              "d->Flags.SupportsCpuHostAperture = 1; /* for what the BAR does not reach */\n",
     .right = "d->Flags.SupportsCpuHostAperture = ctx->BarBytes < ctx->VramBytes;\n"
              "d->Flags.CpuVisible = !d->Flags.SupportsCpuHostAperture;\n"},
    {.number = 60,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_START_FAILS,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "SupportsCachedCpuHostAperture is set together with SupportsCpuHostAperture "
                  "only.",
     .page = "ns-d3dkmddi-_dxgk_segmentflags",
     .how = "The flags of each descriptor are compared.",
     .why = "It describes how the CPU host aperture caches, so there must be one.",
     .windows = "No page tells; there is no aperture that it could speak of.",
     .wrong = "d->Flags.SupportsCachedCpuHostAperture = 1;\n",
     .right = "d->Flags.SupportsCpuHostAperture = 1;\n"
              "d->Flags.SupportsCachedCpuHostAperture = 1;\n"},
    {.number = 61,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "Descriptor version 4 has CpuHostAperture with SupportsCpuHostAperture, and "
                  "CpuTranslatedAddress without it.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4",
     .how = "With the flag, CpuHostAperture must have a size; the two share their first eight "
            "bytes, so its address alone does not tell.",
     .why = "The members are a union; an aperture without its size is an aperture of no pages.",
     .windows = "It reads the member that the flag selects.",
     .wrong = "d->Flags.SupportsCpuHostAperture = 1;\n"
              "d->CpuTranslatedAddress = ctx->Bar; /* SizeInPages stays 0 */\n",
     .right = "d->Flags.SupportsCpuHostAperture = 1;\n"
              "d->CpuHostAperture.PhysicalAddress = ctx->Bar.QuadPart;\n"
              "d->CpuHostAperture.SizeInPages = ctx->BarBytes / 4096;\n"},
    {.number = 62,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DISPUTED,
     .severity = VIDMM_SEVERITY_CREATION_FAILS,
     .judged = true,
     .statement = "CommitLimit of a memory segment is its Size; descriptor version 4 may leave it "
                  "0.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
     .how = "Both members of each memory segment are compared, as the reading of the version "
            "wants it.",
     .why = "A driver that left CommitLimit 0 had a segment into which nothing could be committed.",
     .windows = "It commits up to CommitLimit; nothing, when it is 0 and counts.",
     .wrong = "d->Size = ctx->VramBytes;\n"
              "d->CommitLimit = 0; /* no limit */\n",
     .right = "d->Size = ctx->VramBytes;\n"
              "d->CommitLimit = d->Size;\n",
     .readings = "commit-limit=aperture-only: memory segments of descriptor version 4 may leave "
                 "CommitLimit 0; commit-limit=equals-size: it must be Size there too."},
    {.number = 63,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "CommitLimit of an aperture is at most its Size.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
     .how = "Both members of each aperture are compared.",
     .why = "More pages than the aperture has entries cannot be mapped at once; a limit from "
            "another variable shows that the size is wrong as well.",
     .windows = "It cannot use more than Size.",
     .wrong = "d->Size = ctx->GartBytes;\n"
              "d->CommitLimit = TotalPhysicalMemory / 2;\n",
     .right = "d->Size = ctx->GartBytes;\n"
              "d->CommitLimit = min(ctx->GartBytes, TotalPhysicalMemory / 2);\n"},
    {.number = 64,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "The manager has no more than CommitLimit bytes mapped into an aperture at any "
                  "time.",
     .page = "calculating-graphics-memory",
     .how = "Mapped pages are counted from the map and unmap operations.",
     .why = "By the limit a driver keeps the system from locking too much of its memory for the "
            "GPU.",
     .windows = "It evicts from the aperture first.",
     .wrong = "if (segment->mapped + size <= segment->size)\n"
              "    map(segment, allocation);\n",
     .right = "while (segment->mapped + size > segment->commit_limit)\n"
              "    unmap(segment, victim(segment));\n"
              "map(segment, allocation);\n"},
    {.number = 65,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .statement = "The manager has no more than the shared-memory limit mapped over all apertures.",
     .page = "calculating-graphics-memory",
     .how = "Mapped pages of all apertures are added up and compared with "
            "ApertureSegmentCommitLimit, where the driver set one.",
     .why = "Each aperture may keep its own limit while together they lock most of the machine.",
     .windows = "It keeps the smallest of both limits and its own.",
     .wrong = "if (segment->mapped + size <= segment->commit_limit)\n"
              "    map(segment, allocation);\n",
     .right = "if (segment->mapped + size <= segment->commit_limit &&\n"
              "    adapter->mapped + size <= adapter->shared_limit)\n"
              "    map(segment, allocation);\n"},
    {.number = 66,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "While the adapter starts, and only then, the manager asks SEGMENTMEMORYSTATE of "
                  "each segment whose NumInvalidMemoryRanges is not 0, and of no other.",
     .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4",
     .how = "The queries are counted for each segment until the first allocation is created.",
     .why = "Without the ranges the bad memory is used; a driver that reported none may not know "
            "the query.",
     .windows = "It asks once for each such segment.",
     .wrong = "for (id = 1; id <= segments; id++)\n"
              "    query_state(id);\n",
     .right = "for (id = 1; id <= segments; id++)\n"
              "    if (descriptor(id)->NumInvalidMemoryRanges != 0)\n"
              "        query_state(id);\n"},
    {.number = 67,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement =
         "SEGMENTMEMORYSTATE has the segment's id counted from 1, the adapter's index, the "
         "reported number of ranges, and an array of as many.",
     .page = "ns-d3dkmddi-_dxgk_querysegmentmemorystate",
     .how = "The members are compared with the descriptor before the driver gets them.",
     .why = "The driver fills the array that it is given and knows no other length.",
     .windows = "It passes what the driver reported.",
     .wrong = "state.DriverSegmentId = index; /* counted from 0 */\n",
     .right = "state.DriverSegmentId = (WORD)(index + 1);\n"
              "state.NumInvalidMemoryRanges = descriptor->NumInvalidMemoryRanges;\n"
              "state.pMemoryRanges = calloc(state.NumInvalidMemoryRanges,\n"
              "                             sizeof(*state.pMemoryRanges));\n"},
    {.number = 68,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "Offset and size of an invalid range are multiples of the segment's page size.",
     .page = "ns-d3dkmddi-_dxgk_memoryrange",
     .how = "Each range is compared with 4 KB, or 64 KB in a segment with Use64KBPages.",
     .why = "Memory is given out in such pages; of a page that is bad in part none can be used.",
     .windows = "No page tells; part of a bad page may be used.",
     .wrong = "range->SegmentOffset = bad->Address;\n"
              "range->SizeInBytes = 64; /* one burst */\n",
     .right = "range->SegmentOffset = bad->Address & ~(PAGE - 1);\n"
              "range->SizeInBytes = PAGE;\n"},
    {.number = 69,
     .group = 'B',
     .side = VIDMM_SIDE_MANAGER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = true,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "The manager puts and maps nothing into an invalid range.",
     .page = "ns-d3dkmddi-_dxgk_memoryrange",
     .how = "The address range of each paging operation is compared with the ranges.",
     .why = "The memory there is bad, or belongs to somebody else.",
     .windows = "It leaves the ranges out.",
     .wrong = "offset = first_fit(segment, size);\n",
     .right = "for (i = 0; i < segment->invalid_count; i++)\n"
              "    reserve_for_ever(segment, &segment->invalid[i]);\n"
              "offset = first_fit(segment, size);\n"},
    {.number = 70,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_CORRUPTION,
     .judged = false,
     .statement = "All memory that processes compete for lies in segments; memory hidden from the "
                  "manager belongs to no process alone.",
     .page = "using-memory-segments-to-describe-the-gpu-address-space",
     .how = "Memory that the driver keeps to itself appears in no call.",
     .why = "What the driver gives to one process by itself can be taken from it by nobody, so the "
            "next process starves.",
     .windows = "It does not know of the memory and cannot manage it.",
     .wrong = "process->Shaders = TakeHiddenVram(ctx, size); /* first come, first served */\n",
     .right = "info->Size = size;\n"
              "info->SupportedWriteSegmentSet = 1u << (VRAM - 1);\n"},
    {.number = 71,
     .group = 'B',
     .side = VIDMM_SIDE_DRIVER,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_PERFORMANCE,
     .judged = false,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "After a successful resize of its BAR the driver reports one CpuVisible memory "
                  "segment for all of video memory.",
     .page = "resizable-bar-support",
     .how = "Whether a BAR was resized is decided in the PCI configuration space, which no memory "
            "call shows.",
     .why = "The CPU can reach everything, so a division into visible and invisible memory only "
            "wastes one half while the other is full.",
     .windows = "It manages the parts as they are reported.",
     .wrong = "AddSegment(out, VISIBLE, 256 << 20);\n"
              "AddSegment(out, INVISIBLE, ctx->VramBytes - (256 << 20));\n",
     .right = "if (ctx->BarBytes >= ctx->VramBytes)\n"
              "    AddSegment(out, VISIBLE, ctx->VramBytes);\n"},
    {.number = 72,
     .group = 'B',
     .side = VIDMM_SIDE_BOTH,
     .confidence = VIDMM_DOCUMENTED,
     .severity = VIDMM_SEVERITY_PERFORMANCE,
     .judged = false,
     .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     .statement = "A driver that wants budgets marks at least one segment ApplicationTarget, and "
                  "the manager budgets the sum of those marked.",
     .page = "process-residency-budgets",
     .how = "Whether budgets are wanted, and how large they are, is in no call to the driver.",
     .why = "Applications ask for their budget and size their textures by it; with no segment "
            "marked it says nothing.",
     .windows = "Segments without the mark do not count for the budget.",
     .wrong = "d->Flags.CpuVisible = 1; /* the only video memory */\n",
     .right = "d->Flags.CpuVisible = 1;\n"
              "d->Flags.ApplicationTarget = 1;\n"},
};
