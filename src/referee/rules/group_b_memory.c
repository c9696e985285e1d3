/*
 * group_b_memory.c - rules R48 to R72: what a segment descriptor says of the memory of a segment -
 * what survives standby, page sizes, CPU host apertures, limits, invalid ranges - and what the
 * manager makes of that. Kinds and addresses of segments are group_b_kind.c's.
 */
#define GROUP 'B'
#include "groups.h"

#define HIBERNATE_READINGS                                                                         \
    "hibernate-end=last-byte: an allocation is kept when its last byte lies at or before "         \
    "SystemMemoryEndAddress (descriptor version 4); hibernate-end=first-byte: it is kept when it " \
    "begins there (version 3)."

const struct vidmm_rule rules_b_memory[] = {
    {
        RULE(48, BOTH, DOCUMENTED, PERFORMANCE),
        .statement =
            "PopulatedFromSystemMemory is for memory that the driver took from the system, "
            "not for memory that the BIOS hid, and counts for nothing on an aperture.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how =
            "The flag must not be set on an aperture, and an aperture that has it must not count "
            "as dedicated memory; where the memory behind a segment came from is in no call.",
        .why = "The flag decides whether the segment is counted as part of the machine's memory or "
               "beside it.",
        .windows = "It reports too little or too much memory.",
        .wrong =
            "d->Flags.PopulatedFromSystemMemory = ctx->IsIntegrated; /* stolen by the BIOS */\n",
        .right = "d->Flags.PopulatedFromSystemMemory = ctx->CarveoutIsFromMmAllocate;\n",
    },
    {
        RULE(49, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "PreservedDuringHibernate and PartiallyPreservedDuringHibernate exclude each "
                     "other, and each needs PreservedDuringStandby.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "The three flags are compared with the table of valid combinations.",
        .why =
            "An invalid combination is not recognised, so what the driver meant to keep is moved "
            "out on each transition.",
        .windows = "It does not recognise the combination.",
        .windows_source = THE_PAGE,
        .wrong = "d->Flags.PreservedDuringHibernate = 1;\n",
        .right = "d->Flags.PreservedDuringStandby = 1;\n"
                 "d->Flags.PreservedDuringHibernate = 1;\n",
    },
    {
        RULE(50, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "The manager takes an invalid combination of the preserve flags as none set.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "When DxgkDdiSetPowerState takes the adapter out of D0 no allocation may be in a "
               "memory segment whose "
               "flags are such a combination. With physical addresses, which tell where "
               "allocations are.",
        .why = "To purge what was kept costs time; to keep what was lost costs content.",
        .windows = "It purges the segment.",
        .windows_source = THE_PAGE,
        .wrong = "keep = flags.PreservedDuringHibernate;\n",
        .right = "keep = flags.PreservedDuringStandby && flags.PreservedDuringHibernate &&\n"
                 "       !flags.PartiallyPreservedDuringHibernate;\n",
    },
    {
        RULE(51, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "The manager purges a segment at standby when PreservedDuringStandby is clear, "
            "at hibernation as the other two flags say, and takes hybrid sleep for "
            "hibernation.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "When DxgkDdiSetPowerState takes the adapter out of D0 the allocations in each "
               "memory segment are held "
               "against its flags; the action tells standby from hibernation. With physical "
               "addresses, which tell where "
               "allocations are.",
        .why = "Memory that loses its power must be emptied before, and only the flags tell which.",
        .windows = "It purges by the flags.",
        .windows_source = THE_PAGE,
        .wrong = "if (state == HYBRID_SLEEP && segment->flags.PreservedDuringStandby)\n"
                 "    return; /* the power may still go */\n",
        .right = "if (state == STANDBY ? !standby_kept(segment) : !hibernate_kept(segment))\n"
                 "    evict_all(segment);\n",
    },
    {
        RULE(52, DRIVER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "SystemMemoryEndAddress is other than 0 when PartiallyPreservedDuringHibernate is "
            "set, and only then.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor3",
        .how = "Flag and member of each descriptor are compared.",
        .why =
            "The member is the border between what is kept and what is purged; with the flag and "
            "0 nothing is kept, without the flag it is noise.",
        .windows = "Without the flag it does not look at the member.",
        .wrong = "d->Flags.PreservedDuringStandby = 1;\n"
                 "d->Flags.PartiallyPreservedDuringHibernate = 1;\n"
                 "d->SystemMemoryEndAddress = 0;\n",
        .right = "d->Flags.PreservedDuringStandby = 1;\n"
                 "d->Flags.PartiallyPreservedDuringHibernate = 1;\n"
                 "d->SystemMemoryEndAddress = ctx->OwnBytes - 1;\n",
        .readings = HIBERNATE_READINGS,
    },
    {
        RULE(53, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "Of a partially preserved segment the offsets 0 to SystemMemoryEndAddress, both "
            "included, are kept at hibernation and the rest is purged.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor3",
        .how =
            "When DxgkDdiSetPowerState takes the adapter out of D0 for hibernation the places of "
            "allocations are "
            "compared with the border. With physical addresses, which tell where allocations are.",
        .why =
            "The pages differ on an allocation across the border: by one its last byte counts, by "
            "another its first.",
        .windows = "It purges what lies beyond the border.",
        .windows_source = THE_PAGE,
        .wrong = "keep = offset <= end; /* the tail of the allocation is lost */\n",
        .right = "keep = offset + size - 1 <= end;\n",
        .readings = HIBERNATE_READINGS,
    },
    {
        RULE(54, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "Reserved of DXGK_SEGMENTDESCRIPTOR3 and the reserved bits of the flags are 0.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor3",
        .how = "Flags are compared with the bits that the driver's version has.",
        .why =
            "Later systems give these bits a meaning. A hand-made header with bits swapped had all "
            "tests pass and all facts wrong.",
        .windows = "A newer version may act on them.",
        .wrong = "DXGK_SEGMENTFLAGS flags; /* uninitialised */\n"
                 "flags.Aperture = 1;\n"
                 "d->Flags = flags;\n",
        .right = "DXGK_SEGMENTFLAGS flags = {0};\n"
                 "flags.Aperture = 1;\n"
                 "d->Flags = flags;\n",
    },
    {
        RULE(55, DRIVER, DOCUMENTED, PERFORMANCE),
        .advice = true,
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "A driver of WDDM 1.2 or later sets the preserve flags that its hardware can "
                     "keep.",
        .page = "standby-hibernate-optimizations",
        .how =
            "Advice: a driver none of whose memory segments has a preserve flag is named. What the "
            "hardware can keep is in no call, so that the finding counts only when it is asked for "
            "(--only R55, --fail-on performance).",
        .why =
            "Memory that keeps its content in standby need not be copied out and in, which is most "
            "of the time that such a transition takes.",
        .windows = "It copies everything out before standby.",
        .wrong = "d->Flags.CpuVisible = 1; /* self-refreshing memory, and nobody is told */\n",
        .right = "d->Flags.CpuVisible = 1;\n"
                 "d->Flags.PreservedDuringStandby = 1;\n",
    },
    {
        RULE(56, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "Direct Flip allocations can be pinned in, and scanned out from, a segment with "
            "DirectFlip.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how =
            "Not judged: surfaces of an application are not flipped to, those of the system alone.",
        .why = "The compositor shows an application's own surface from there, without a copy.",
        .windows = "It flips to the surface; the display shows what the hardware can read.",
        .wrong = "d->Flags.DirectFlip = 1; /* beyond the reach of the display controller */\n",
        .right = "d->Flags.DirectFlip = (end <= DISPLAY_ADDRESS_LIMIT);\n",
    },
    {
        RULE(57, DRIVER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "The Alignment of every allocation that can be paged into a Use64KBPages segment "
            "is a multiple of 64 KB.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Alignment is looked at when a supported segment has the flag.",
        .why = "A 64 KB page-table entry cannot point into the middle of a 64 KB page.",
        .windows = "No page tells what it does to such an allocation.",
        .windows_source = NOT_KNOWN,
        .readings = "vidmm takes one reading: the driver aligns the allocation itself. "
                    "gpu-virtual-address says that all allocations are aligned and sized to 64 KB "
                    "automatically, ns-d3dkmddi-_dxgkarg_mapcpuhostaperture that an allocation may "
                    "be aligned to 4 KB, and support-for-64kb-pages that 64 KB mappings are used "
                    "only where alignment and size allow them.",
        .wrong = "info->Alignment = 4096;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM_64K - 1);\n",
        .right = "info->Alignment = 64 * 1024;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM_64K - 1);\n",
    },
    {
        RULE(58, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A driver does not set ReservedSysMem.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "The flag is looked at in each descriptor.",
        .why = "The system marks a segment of its own with it, and takes the driver's for that.",
        .windows = "No page tells; the flag is the system's.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->Flags.ReservedSysMem = ctx->IsIntegrated;\n",
        .right = "d->Flags.PopulatedFromSystemMemory = ctx->CarveoutIsFromMmAllocate;\n",
    },
    {
        RULE(59, DRIVER, DOCUMENTED, START_FAILS),
        .severity_source = RECORD("W19"),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "SupportsCpuHostAperture and CpuVisible exclude each other.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "The flags of each descriptor are compared.",
        .why = "A segment is seen by the CPU either as a whole or through a window, and the "
               "descriptor has room for one of the two addresses.",
        .windows = "No page tells; a segment listed behind one with SupportsCpuHostAperture ended "
                   "AddAdapter with 'Invalid flags specified for segment #2'.",
        .windows_source = RECORD("W19"),
        .wrong = "d->Flags.CpuVisible = 1;\n"
                 "d->Flags.SupportsCpuHostAperture = 1; /* for what the BAR does not reach */\n",
        .right = "d->Flags.SupportsCpuHostAperture = ctx->BarBytes < ctx->VramBytes;\n"
                 "d->Flags.CpuVisible = !d->Flags.SupportsCpuHostAperture;\n",
    },
    {
        RULE(60, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "SupportsCachedCpuHostAperture is set together with SupportsCpuHostAperture "
                     "only.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "The flags of each descriptor are compared.",
        .why = "It describes how the CPU host aperture caches, so there must be one.",
        .windows = "No page tells; there is no aperture that it could speak of.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->Flags.SupportsCachedCpuHostAperture = 1;\n",
        .right = "d->Flags.SupportsCpuHostAperture = 1;\n"
                 "d->Flags.SupportsCachedCpuHostAperture = 1;\n",
    },
    {
        RULE(61, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Descriptor version 4 has CpuHostAperture with SupportsCpuHostAperture, and "
                     "CpuTranslatedAddress without it.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4",
        .how = "With the flag, CpuHostAperture must have a size; the two share their first eight "
               "bytes, so its address alone does not tell. Its SizeInPages pages, of the segment's "
               "page "
               "size (cpu-host-aperature), end where the memory resource of the device does, or "
               "before.",
        .why = "The members are a union; an aperture without its size is an aperture of no pages.",
        .windows = "It reads the member that the flag selects.",
        .windows_source = THE_PAGE,
        .wrong = "d->Flags.SupportsCpuHostAperture = 1;\n"
                 "d->CpuTranslatedAddress = ctx->Bar; /* SizeInPages stays 0 */\n",
        .right = "d->Flags.SupportsCpuHostAperture = 1;\n"
                 "d->CpuHostAperture.PhysicalAddress = ctx->Bar.QuadPart;\n"
                 "d->CpuHostAperture.SizeInPages = ctx->BarBytes / 4096;\n",
    },
    {
        RULE(62, DRIVER, DISPUTED, CREATION_FAILS),
        .severity_source = RECORD("W26"),
        .statement =
            "CommitLimit of a memory segment is its Size; descriptor version 4 may leave it "
            "0.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Both members of each memory segment are compared, as the reading of the version "
               "wants it.",
        .why =
            "A driver that left CommitLimit 0 had a segment into which nothing could be committed.",
        .windows = "A driver that never set CommitLimit started on 10 and paged.",
        .windows_source = RECORD("W26"),
        .wrong = "d->Size = ctx->VramBytes;\n"
                 "d->CommitLimit = 0; /* no limit */\n",
        .right = "d->Size = ctx->VramBytes;\n"
                 "d->CommitLimit = d->Size;\n",
        .readings = "commit-limit=aperture-only: memory segments of descriptor version 4 may leave "
                    "CommitLimit 0; commit-limit=equals-size: it must be Size there too.",
    },
    {
        RULE(63, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "CommitLimit of an aperture is at most its Size.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor",
        .how = "Both members of each aperture are compared.",
        .why = "More pages than the aperture has entries cannot be mapped at once; a limit from "
               "another variable shows that the size is wrong as well.",
        .windows = "It cannot use more than Size.",
        .wrong = "d->Size = ctx->GartBytes;\n"
                 "d->CommitLimit = TotalPhysicalMemory / 2;\n",
        .right = "d->Size = ctx->GartBytes;\n"
                 "d->CommitLimit = min(ctx->GartBytes, TotalPhysicalMemory / 2);\n",
    },
    {
        RULE(64, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "The manager has no more than CommitLimit bytes mapped into an aperture at any "
            "time.",
        .page = "calculating-graphics-memory",
        .how = "Mapped pages are counted from the map and unmap operations, those of an AGP "
               "segment from what the GART is asked to do.",
        .why = "By the limit a driver keeps the system from locking too much of its memory for the "
               "GPU.",
        .windows = "It evicts from the aperture first.",
        .wrong = "if (segment->mapped + size <= segment->size)\n"
                 "    map(segment, allocation);\n",
        .right = "while (segment->mapped + size > segment->commit_limit)\n"
                 "    unmap(segment, victim(segment));\n"
                 "map(segment, allocation);\n",
    },
    {
        RULE(65, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement =
            "The manager has no more than the shared-memory limit mapped over all apertures.",
        .page = "calculating-graphics-memory",
        .how =
            "Mapped pages of all apertures are added up and compared with half of system memory, "
            "64 MB at least, without what memory segments take of it, and with "
            "ApertureSegmentCommitLimit, where the driver set one. The third limit, the sum of "
            "CommitLimit of all apertures, is kept where R64 is. ns-d3dkmddi-_dxgk_drivercaps says "
            "of the member that it is about an aperture segment; the page has it for all of them.",
        .why = "Each aperture may keep its own limit while together they lock most of the machine.",
        .windows = "It allows no driver to get past the limit of a segment or of all.",
        .windows_source = THE_PAGE,
        .wrong = "if (segment->mapped + size <= segment->commit_limit)\n"
                 "    map(segment, allocation);\n",
        .right = "if (segment->mapped + size <= segment->commit_limit &&\n"
                 "    adapter->mapped + size <= adapter->shared_limit)\n"
                 "    map(segment, allocation);\n",
    },
    {
        RULE(66, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "While the adapter starts, and only then, the manager asks SEGMENTMEMORYSTATE of "
            "each segment whose NumInvalidMemoryRanges is not 0, and of no other.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4",
        .how = "The queries are counted for each segment until the first allocation is created.",
        .why =
            "Without the ranges the bad memory is used; a driver that reported none may not know "
            "the query.",
        .windows = "It asks once for each such segment.",
        .wrong = "for (id = 1; id <= segments; id++)\n"
                 "    query_state(id);\n",
        .right = "for (id = 1; id <= segments; id++)\n"
                 "    if (descriptor(id)->NumInvalidMemoryRanges != 0)\n"
                 "        query_state(id);\n",
    },
    {
        RULE(67, MANAGER, DOCUMENTED, CORRUPTION),
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
                 "                             sizeof(*state.pMemoryRanges));\n",
    },
    {
        RULE(68, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "Offset and size of an invalid range are multiples of the segment's page size.",
        .page = "ns-d3dkmddi-_dxgk_memoryrange",
        .how = "Each range is compared with 4 KB, or 64 KB in a segment with Use64KBPages.",
        .why = "Memory is given out in such pages; of a page that is bad in part none can be used.",
        .windows = "No page tells; part of a bad page may be used.",
        .windows_source = NOT_KNOWN,
        .wrong = "range->SegmentOffset = bad->Address;\n"
                 "range->SizeInBytes = 64; /* one burst */\n",
        .right = "range->SegmentOffset = bad->Address & ~(PAGE - 1);\n"
                 "range->SizeInBytes = PAGE;\n",
    },
    {
        RULE(69, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The manager puts and maps nothing into an invalid range.",
        .page = "ns-d3dkmddi-_dxgk_memoryrange",
        .how = "The address range of each paging operation is compared with the ranges.",
        .why = "The memory there is bad, or belongs to somebody else.",
        .windows = "It leaves the ranges out.",
        .wrong = "offset = first_fit(segment, size);\n",
        .right = "for (i = 0; i < segment->invalid_count; i++)\n"
                 "    reserve_for_ever(segment, &segment->invalid[i]);\n"
                 "offset = first_fit(segment, size);\n",
    },
    {
        RULE(70, DRIVER, DOCUMENTED, PERFORMANCE),
        .statement =
            "All memory that processes compete for lies in segments; memory hidden from the "
            "manager belongs to no process alone.",
        .page = "using-memory-segments-to-describe-the-gpu-address-space",
        .how = "Memory that the driver keeps to itself appears in no call.",
        .why =
            "What the driver gives to one process by itself can be taken from it by nobody, so the "
            "next process starves.",
        .windows =
            "It does not know of the memory and cannot manage it: one process starves another.",
        .wrong = "process->Shaders = TakeHiddenVram(ctx, size); /* first come, first served */\n",
        .right = "info->Size = size;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM - 1);\n",
    },
    {
        RULE(71, DRIVER, DISPUTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "After a successful resize of its BAR the driver reports one CpuVisible memory "
            "segment for all of video memory.",
        .page = "resizable-bar-support",
        .how =
            "Whether a BAR was resized is decided in the PCI configuration space, which no memory "
            "call shows.",
        .why = "The CPU can reach everything, so a division into visible and invisible memory only "
               "wastes one half while the other is full.",
        .windows = "A CpuVisible memory segment together with GpuMmu ended in Code 43 on 11 with "
                   "WDDM 3.2.",
        .readings = "vidmm takes one reading: the page resizable-bar-support, which asks for the "
                    "CpuVisible segment. A driver with GpuMmu that had one was refused (W20).",
        .windows_source = RECORD("W20"),
        .wrong = "AddSegment(out, VISIBLE, 256 << 20);\n"
                 "AddSegment(out, INVISIBLE, ctx->VramBytes - (256 << 20));\n",
        .right = "if (ctx->BarBytes >= ctx->VramBytes)\n"
                 "    AddSegment(out, VISIBLE, ctx->VramBytes);\n",
    },
    {
        RULE(72, BOTH, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "A driver that wants budgets marks at least one segment ApplicationTarget, and "
            "the manager budgets the sum of those marked.",
        .page = "process-residency-budgets",
        .how = "Not judged: whether budgets are wanted is in no call to the driver, and "
               "a driver without a mark has none. That a budget is no more than the "
               "segments have is R310, whose records do not say which segments were "
               "counted.",
        .why = "Applications ask for their budget and size their textures by it; with no segment "
               "marked it says nothing.",
        .windows = "Segments without the mark do not count for the budget.",
        .wrong = "d->Flags.CpuVisible = 1; /* the only video memory */\n",
        .right = "d->Flags.CpuVisible = 1;\n"
                 "d->Flags.ApplicationTarget = 1;\n",
    },
    {
        RULE(429, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_1,
        .statement = "Start and size of a protected range are multiples of VprAlignment, and the "
                     "range lies inside its segment.",
        .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4",
        .how = "The members of each memory segment with VprSupported are looked at; that the range "
               "lies inside follows from the page without being said. No page asks for whole "
               "pages of the segment, which vidmm's manager needs and refuses others without "
               "this rule.",
        .why = "The hardware protects whole units; a part of one would be protected by accident, "
               "or not at all.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->VprRangeStartOffset = d->Size - ctx->ProtectedBytes;\n",
        .right =
            "d->VprRangeSize = align_down(ctx->ProtectedBytes, d->VprAlignment);\n"
            "d->VprRangeStartOffset = align_down(d->Size, d->VprAlignment) - d->VprRangeSize;\n",
    },
};
