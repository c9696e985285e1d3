/*
 * group_d_place.c - rules R91 to R101 and R637: size and alignment of an allocation, and the segments that
 * it may be placed in. Flags are group_d_flags.c's, creating and destroying group_d_life.c's; where
 * the segments themselves are described is groups A and B.
 */
#define GROUP 'D'
#include "groups.h"

const struct vidmm_rule rules_d_place[] = {
    {
        RULE(91, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The manager reserves each allocation's Size rounded up to whole host pages, "
                     "and to whole 64 KB pages in a segment that has those.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The places of all allocations in a segment, each rounded up, must not overlap.",
        .why = "A driver may move whole pages, so the tail of the last page belongs to the "
               "allocation; transfers longer than the nominal Size are legal and follow from this.",
        .windows = "Windows rounds up itself; a driver that refuses the rounded size makes the "
                   "paging operation fail.",
        .wrong = "place(&next, offset + info->Size);\n",
        .right = "place(&next, offset + round_up(info->Size, segment->page_size));\n",
    },
    {
        RULE(92, DRIVER, IMPLIED, CREATION_FAILS),
        .statement = "Size is not zero and below 2^63, and Alignment is zero or a power of two.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Both values are checked when DxgkDdiCreateAllocation succeeds.",
        .why = "A size of zero has nothing to place. No page says that Alignment is a power of "
               "two; masks round no other number.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Size = pitch * height; /* both 0 when the blob is short */\n"
                 "info->Alignment = 3 * PAGE_SIZE;\n",
        .right = "if (blob->pitch == 0 || blob->height == 0)\n"
                 "    return STATUS_INVALID_PARAMETER;\n"
                 "info->Size = blob->pitch * blob->height;\n"
                 "info->Alignment = 64 * 1024;\n",
    },
    {
        RULE(637, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Size holds all bytes of the allocation that the user-mode driver asked for, "
                     "and the GPU reaches them.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Stage objects creates surfaces as vidmm/umd.h describes them, some of no whole "
               "pages, some of more than 4 GB and one of nearly 2^64 bytes, and compares Size. A "
               "driver may refuse them, and "
               "one that does not use vidmm/umd.h is not asked. Of standard surfaces R527 judges "
               "the same. Stage room draws each page of a surface that ends within its last page, "
               "unless the driver refuses that, and compares the bytes that were asked for.",
        .why = "The page calls it the size in bytes of the allocation, and the member has 64 bits "
               "where the machine has.",
        .windows = "Windows knows no other size; what the GPU writes behind it belongs to another "
                   "allocation.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Size = (UINT)data->Bytes;\n",
        .right = "info->Size = (SIZE_T)data->Bytes;\n",
    },
    {
        RULE(93, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Where the manager places an allocation in a segment, the offset is a "
                     "multiple of the Alignment that the driver asked for.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "SegmentAddress minus the segment's base, modulo Alignment, is computed for every "
               "paging operation that names the allocation.",
        .why = "Tiling units, scan-out engines and texture units drop the low bits of an address: "
               "a misaligned surface shows the memory before it.",
        .windows = "Windows honours the value; hardware that gets a misaligned address reads and "
                   "writes its neighbours.",
        .wrong = "offset = first_fit(segment, size, PAGE_SIZE);\n",
        .right = "offset = first_fit(segment, size, max(info->Alignment, PAGE_SIZE));\n",
    },
    {
        RULE(94, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "PitchAlignedSize is zero or at least Size.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The two members are compared when DxgkDdiCreateAllocation succeeds.",
        .why = "The field is what the allocation takes in a segment with PitchAlignment; a garbage "
               "value left from the stack has the same effect as a wrong one.",
        .windows = "The pages do not say; expect the creation to fail, or the neighbour in a "
                   "pitch-aligned segment to be overwritten.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Size = 1u << 20;\n"
                 "info->PitchAlignedSize = pitch; /* one row */\n",
        .right = "info->Size = 1u << 20;\n"
                 "info->PitchAlignedSize = 0; /* no pitch-aligned segments here */\n",
    },
    {
        RULE(95, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "Every segment that PreferredSegment names is in the allocation's supported "
                     "set.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how =
            "Each SegmentIdN that is not zero is looked up as bit N-1 of the supported sets; one "
            "at least must be in the read set and one in the write set.",
        .why = "Ids count from one and set bits from zero; mixing them up is the usual way to "
               "break this.",
        .windows = "The video memory manager asserts; the creation does not succeed.",
        .windows_source = THE_PAGE,
        .wrong = "info->PreferredSegment.SegmentId0 = VRAM; /* id 1 */\n"
                 "info->SupportedWriteSegmentSet = 1u << VRAM; /* bit 1: segment 2 */\n",
        .right = "info->PreferredSegment.SegmentId0 = VRAM;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM - 1);\n",
    },
    {
        RULE(96, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The manager commits an allocation only to segments of its supported set, "
                     "evictions to the eviction set and to system memory excepted; from WDDM 2.0 "
                     "on that is the write set, and the read set is ignored.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how =
            "The segment of every placement that paging operations show is looked up in the set; a "
            "place that is only passed through by an eviction, and system memory, are in no set.",
        .why = "A driver leaves a segment out because some engine cannot reach it; there is no "
               "second check on the way to the hardware.",
        .windows = "Windows keeps to the set; an engine that cannot reach the segment would read "
                   "garbage.",
        .windows_source = THE_PAGE,
        .wrong = "segment = any_with_room(adapter, size);\n",
        .right = "segment = any_with_room(adapter, size, info->SupportedWriteSegmentSet);\n",
    },
    {
        RULE(97, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "Preferred segments are tried in the order SegmentId0 to SegmentId4, and a "
                     "zero id names none.",
        .page = "ns-d3dukmdt-_d3dddi_segmentpreference",
        .how = "As long as the preferred memory segment has room for every allocation that was "
               "ever created, the first placement of one that the CPU cannot see must be there.",
        .why = "Order is how a driver says that VRAM is faster than the aperture; ignoring it "
               "works and is slow.",
        .windows = "Nothing fails: the allocation lies in slower memory.",
        .windows_source = THE_PAGE,
        .wrong = "segment = roomiest(info->SupportedWriteSegmentSet);\n",
        .right = "for (n = 0; n < 5 && !segment; n++)\n"
                 "    segment = with_room(preferred(info, n), size);\n",
    },
    {
        RULE(98, MANAGER, DOCUMENTED, DEVICE_LOST),
        .statement = "When no preferred segment has room, any other supported segment will do.",
        .page = "specifying-segments-when-creating-allocations",
        .how = "A surface that is larger than the segment it prefers, with the aperture in its "
               "set, is used by the GPU: that must not be refused.",
        .why = "Preference is a wish and the set is the limit: a manager that mixes them up runs "
               "out of memory while an aperture stands empty.",
        .windows = "Windows falls back to the other segments, at a lower speed.",
        .windows_source = THE_PAGE,
        .wrong = "if (!place_preferred(allocation))\n"
                 "    return STATUS_NO_MEMORY;\n",
        .right = "if (!place_preferred(allocation) && !place_supported(allocation))\n"
                 "    return STATUS_NO_MEMORY; /* after evictions, too */\n",
    },
    {
        RULE(99, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "EvictionSegmentSet names aperture segments only.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Each bit of the set is looked up among the reported segments and must be one with "
               "the Aperture flag.",
        .why = "Eviction goes through the named segment into system memory, which only an aperture "
               "can show to the GPU.",
        .windows = "The pages do not say; expect the creation to fail or the set to be ignored.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->EvictionSegmentSet = 1u << (VRAM - 1);\n",
        .right = "info->EvictionSegmentSet = 1u << (APERTURE - 1); /* or 0: by MDL */\n",
    },
    {
        RULE(100, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "With EvictionSegmentSet zero, an eviction transfers straight into locked "
                     "system pages that an MDL describes, and maps no aperture pages for it.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The TRANSFER that evicts must have destination segment 0, without a "
               "MAP_APERTURE_SEGMENT for the same allocation before it.",
        .why = "Drivers without room in the aperture rely on it; this is also the path on which "
               "the MDL side of a transfer must be right.",
        .windows = "Windows hands the MDL to the driver; a driver that expects an aperture address "
                   "here copies to a wrong place.",
        .windows_source = THE_PAGE,
        .wrong = "map_aperture(allocation); /* although the set is 0 */\n"
                 "transfer(allocation, vram, aperture);\n",
        .right = "args.Transfer.Destination.SegmentId = 0;\n"
                 "args.Transfer.Destination.pMdl = allocation->mdl;\n",
    },
    {
        RULE(101, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "With EvictionSegmentSet not zero, the manager first tries to evict through "
                     "those apertures: map, transfer, unmap.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "When an allocation with a set leaves GPU memory for its MDL, an aperture of the "
               "set must not have a run of pages with room for it that is free before and after.",
        .why = "Hardware that cannot scatter to system pages by itself needs the aperture in "
               "between.",
        .windows = "It tries for room in those apertures; with a set of 0 it asks for a transfer "
                   "to locked system memory, without a mapping. No page tells what it does where "
                   "they have no room, but that behind a pinned overlay the content is lost "
                   "(R120).",
        .windows_source = THE_PAGE,
        .wrong = "transfer_to_mdl(allocation); /* never looked at the set */\n",
        .right = "if (map_in(allocation->eviction_set, allocation->mdl, &where))\n"
                 "    transfer(allocation, vram, where), unmap(where);\n"
                 "else\n"
                 "    transfer_to_mdl(allocation);\n",
    },
    {
        RULE(430, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_1,
        .statement = "Allocations with CreateInVpr, and no others, lie in the protected range of a "
                     "memory segment, outside what VprReserveSize keeps for the driver.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0",
        .how =
            "Places that paging operations and page table entries give are held against the range. "
            "No page tells where in it the reserve lies, so that this half is not judged.",
        .why = "Protected content may not lie where others read, and others fault where it lies.",
        .windows = "No page tells more than the flag.",
        .windows_source = NOT_KNOWN,
        .wrong = "place = any_room(segment, info->Size);\n",
        .right =
            "place = info->FlagsWddm2.CreateInVpr ? room_in(&segment->vpr, info->Size)\n"
            "                                     : room_outside(&segment->vpr, info->Size);\n",
    },
    {
        RULE(563, DRIVER, DOCUMENTED, PERFORMANCE),
        .last = LAST_WDDM1,
        .statement = "Where SegmentId0 of an allocation is a segment with banks, each Bank of "
                     "HintedBank is 0 or "
                     "the id of one of them, from 1 to NbOfBanks.",
        .page = "ns-d3dkmddi-_dxgk_segmentbankpreference",
        .how = "HintedBank of each allocation is held against NbOfBanks of the segment.",
        .why = "A hint to a bank that is not there is none.",
        .windows = "No page tells; the allocation is placed elsewhere.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->HintedBank.Bank0 = turn++ % BANKS; /* counted from 0 */\n"
                 "info->HintedBank.Bank1 = BANKS + 1;\n",
        .right = "info->HintedBank.Bank0 = turn++ % BANKS + 1;\n",
    },
};
