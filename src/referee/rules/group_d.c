/*
 * group_d.c - rules R91 to R146: what a driver says of an allocation when it creates, opens and
 * closes it, and what the manager does with these words. Where the segments themselves are
 * described is groups A and B; the paging operations that move allocations are E and F.
 */
#include "groups.h"

const struct vidmm_rule rules_d[56] = {
    {
        .number = 91,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
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
        .number = 92,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_IMPLIED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "Size is not zero, and Alignment is zero or a power of two.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Both values are checked when DxgkDdiCreateAllocation succeeds.",
        .why = "A size without its padding has overwritten the neighbour in a shipped driver; a "
               "size of zero has nothing to place.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->Size = pitch * height; /* both 0 when the blob is short */\n"
                 "info->Alignment = 3 * PAGE_SIZE;\n",
        .right = "if (blob->pitch == 0 || blob->height == 0)\n"
                 "    return STATUS_INVALID_PARAMETER;\n"
                 "info->Size = blob->pitch * ALIGN_UP(blob->height, TILE_ROWS);\n"
                 "info->Alignment = 64 * 1024;\n",
    },
    {
        .number = 93,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
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
        .number = 94,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "PitchAlignedSize is zero or at least Size.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The two members are compared when DxgkDdiCreateAllocation succeeds.",
        .why = "The field is what the allocation takes in a segment with PitchAlignment; a garbage "
               "value left from the stack has the same effect as a wrong one.",
        .windows = "The pages do not say; expect the creation to fail, or the neighbour in a "
                   "pitch-aligned segment to be overwritten.",
        .wrong = "info->Size = 1u << 20;\n"
                 "info->PitchAlignedSize = pitch; /* one row */\n",
        .right = "info->Size = 1u << 20;\n"
                 "info->PitchAlignedSize = 0; /* no pitch-aligned segments here */\n",
    },
    {
        .number = 95,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "Every segment that PreferredSegment names is in the allocation's supported "
                     "set.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Each SegmentIdN that is not zero is looked up as bit N-1 of the supported sets.",
        .why = "Ids count from one and set bits from zero; mixing them up is the usual way to "
               "break this.",
        .windows = "The video memory manager asserts; the creation does not succeed.",
        .wrong = "info->PreferredSegment.SegmentId0 = VRAM; /* id 1 */\n"
                 "info->SupportedWriteSegmentSet = 1u << VRAM; /* bit 1: segment 2 */\n",
        .right = "info->PreferredSegment.SegmentId0 = VRAM;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM - 1);\n",
    },
    {
        .number = 96,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "The manager places an allocation only in segments of its supported set; from "
                     "WDDM 2.0 on that is the write set, and the read set is ignored.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The segment of every placement that paging operations show is looked up in the "
               "set.",
        .why = "A driver leaves a segment out because some engine cannot reach it; there is no "
               "second check on the way to the hardware.",
        .windows = "Windows keeps to the set; an engine that cannot reach the segment would read "
                   "garbage.",
        .wrong = "segment = any_with_room(adapter, size);\n",
        .right = "segment = any_with_room(adapter, size, info->SupportedWriteSegmentSet);\n",
    },
    {
        .number = 97,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "Preferred segments are tried in the order SegmentId0 to SegmentId4, and a "
                     "zero id names none.",
        .page = "ns-d3dukmdt-_d3dddi_segmentpreference",
        .how = "As long as the preferred memory segment has room for every allocation that was "
               "ever created, the first placement of one that the CPU cannot see must be there.",
        .why = "Order is how a driver says that VRAM is faster than the aperture; ignoring it "
               "works and is slow.",
        .windows = "Nothing fails: the allocation lies in slower memory.",
        .wrong = "segment = roomiest(info->SupportedWriteSegmentSet);\n",
        .right = "for (n = 0; n < 5 && !segment; n++)\n"
                 "    segment = with_room(preferred(info, n), size);\n",
    },
    {
        .number = 98,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_DEVICE_LOST,
        .judged = true,
        .statement = "When no preferred segment has room, any other supported segment will do.",
        .page = "specifying-segments-when-creating-allocations",
        .how = "A surface that is larger than the segment it prefers, with the aperture in its "
               "set, is used by the GPU: that must not be refused.",
        .why = "Preference is a wish and the set is the limit: a manager that mixes them up runs "
               "out of memory while an aperture stands empty.",
        .windows = "Windows falls back to the other segments, at a lower speed.",
        .wrong = "if (!place_preferred(allocation))\n"
                 "    return STATUS_NO_MEMORY;\n",
        .right = "if (!place_preferred(allocation) && !place_supported(allocation))\n"
                 "    return STATUS_NO_MEMORY; /* after evictions, too */\n",
    },
    {
        .number = 99,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "EvictionSegmentSet names aperture segments only.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Each bit of the set is looked up among the reported segments and must be one with "
               "the Aperture flag.",
        .why = "Eviction goes through the named segment into system memory, which only an aperture "
               "can show to the GPU.",
        .windows = "The pages do not say; expect the creation to fail or the set to be ignored.",
        .wrong = "info->EvictionSegmentSet = 1u << (VRAM - 1);\n",
        .right = "info->EvictionSegmentSet = 1u << (APERTURE - 1); /* or 0: by MDL */\n",
    },
    {
        .number = 100,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "With EvictionSegmentSet zero, an eviction transfers straight into locked "
                     "system pages that an MDL describes, and maps no aperture pages for it.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The TRANSFER that evicts must have destination segment 0, without a "
               "MAP_APERTURE_SEGMENT for the same allocation before it.",
        .why = "Drivers without room in the aperture rely on it; this is also the path on which "
               "the MDL side of a transfer must be right.",
        .windows = "Windows hands the MDL to the driver; a driver that expects an aperture address "
                   "here copies to a wrong place.",
        .wrong = "map_aperture(allocation); /* although the set is 0 */\n"
                 "transfer(allocation, vram, aperture);\n",
        .right = "args.Transfer.Destination.SegmentId = 0;\n"
                 "args.Transfer.Destination.pMdl = allocation->mdl;\n",
    },
    {
        .number = 101,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "With EvictionSegmentSet not zero, the manager first tries to evict through "
                     "those apertures: map, transfer, unmap.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "When an allocation with a set leaves GPU memory for its MDL, an aperture of the "
               "set must not have a run of pages with room for it that is free before and after.",
        .why = "Hardware that cannot scatter to system pages by itself needs the aperture in "
               "between.",
        .windows = "Windows falls back to an MDL only when the apertures have no room.",
        .wrong = "transfer_to_mdl(allocation); /* never looked at the set */\n",
        .right = "if (map_in(allocation->eviction_set, allocation->mdl, &where))\n"
                 "    transfer(allocation, vram, where), unmap(where);\n"
                 "else\n"
                 "    transfer_to_mdl(allocation);\n",
    },
    {
        .number = 102,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "When DxgkDdiCreateAllocation succeeds, hAllocation of every element holds "
                     "the driver's own handle.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The member is preset to a pattern; it must have changed, must not be NULL and must "
               "not be the handle of another live allocation.",
        .why = "The same value comes back in every paging operation, so two allocations with one "
               "handle overwrite each other's state.",
        .windows = "Windows passes whatever stands there back to the driver, which then follows a "
                   "pointer that it never made.",
        .wrong = "info->Size = blob->size; /* hAllocation untouched */\n"
                 "return STATUS_SUCCESS;\n",
        .right = "info->Size = blob->size;\n"
                 "info->hAllocation = surface;\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        .number = 103,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "AllocationPriority is not zero when the allocation is created.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The value is checked when DxgkDdiCreateAllocation succeeds.",
        .why = "The structure arrives zeroed, so forgetting the member is the same as setting an "
               "illegal one.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "RtlZeroMemory(info, sizeof(*info)); /* and nothing more */\n",
        .right = "info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;\n",
    },
    {
        .number = 104,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = false,
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "A MaximumRenamingListLength that is not zero limits how many instances of an "
                     "allocation renaming may make; zero is no limit.",
        .page = "requesting-to-rename-an-allocation",
        .how = "not judged yet: the places where one handle has content at the same time are "
               "counted after discard "
               "locks.",
        .why = "A driver that keeps per-instance state has room for as many as it announced.",
        .windows = "Windows stays within the limit and makes the application wait instead.",
        .wrong = "instance = new_instance(allocation); /* one more at every discard */\n",
        .right = "if (limit != 0 && allocation->instances == limit)\n"
                 "    wait_idle(oldest(allocation));\n"
                 "else\n"
                 "    instance = new_instance(allocation);\n",
    },
    {
        .number = 105,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "Renaming makes further instances without DxgkDdiCreateAllocation, so one "
                     "handle may be resident in several places at once.",
        .page = "requesting-to-rename-an-allocation",
        .how = "not judged yet: the log of calls must show no creation during a discard lock, and "
               "operations for a "
               "second place carry the same handle.",
        .why = "A driver that stores one address in its allocation structure sends the GPU to the "
               "wrong instance.",
        .windows = "Windows renames silently; a driver that remembers one place per handle draws "
                   "from an old instance.",
        .wrong = "CreateAllocation(adapter, &copy); /* for the second instance */\n",
        .right = "instance = clone(allocation); /* same creation parameters */\n"
                 "args.Transfer.hAllocation = allocation->driver_handle;\n",
    },
    {
        .number = 106,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "PermanentSysMem comes with CpuVisible and is not set on a primary.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flags are compared when DxgkDdiCreateAllocation succeeds; primaries are known "
               "from DxgkDdiGetStandardAllocationDriverData.",
        .why = "The flag means that locks return the copy in system memory, and without CpuVisible "
               "there are no locks.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->Flags.PermanentSysMem = 1;\n",
        .right = "info->Flags.PermanentSysMem = 1;\n"
                 "info->Flags.CpuVisible = 1;\n",
    },
    {
        .number = 107,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "A PermanentSysMem allocation that the GPU has not written since it was paged "
                     "in is evicted with DISCARD_CONTENT, a written one with TRANSFER.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "A PermanentSysMem allocation that was paged in, and that no submission listed as a "
               "write target since, may not leave by TRANSFER.",
        .why = "It saves a copy over the bus for every vertex buffer that was only read; dropping "
               "a dirty one loses what the GPU drew.",
        .windows = "Windows discards the clean copy; there is no write-back to wait for.",
        .wrong = "discard(allocation); /* dirty or not */\n",
        .right = "if (allocation->written)\n"
                 "    transfer_to_system(allocation);\n"
                 "else\n"
                 "    discard(allocation);\n",
    },
    {
        .number = 108,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "A lock of a PermanentSysMem allocation returns its system copy, and an "
                     "unlock while it is in a memory segment updates the segment with a TRANSFER.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The CPU writes through a lock of a resident surface: the bytes must be in its "
               "system pages, and the unlock must bring a TRANSFER.",
        .why = "The CPU never writes VRAM of such an allocation; without the update the GPU draws "
               "with the old vertices.",
        .windows = "Windows schedules the update as ordinary paging work.",
        .wrong = "unlock(allocation); /* and nothing else */\n",
        .right = "unlock(allocation);\n"
                 "if (allocation->segment != 0)\n"
                 "    transfer_from_system(allocation);\n",
    },
    {
        .number = 109,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "Cached comes with CpuVisible and is set neither on primaries nor on "
                     "allocations that the CPU only writes.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Cached without CpuVisible, or on a standard primary, is a finding when the "
               "creation succeeds.",
        .why = "Cached backing store is for reading back; for upload buffers, write-combined "
               "memory is faster and needs no flushes.",
        .windows = "The pages do not say; expect the creation to fail, and a write-only allocation "
                   "to cost cache flushes.",
        .wrong = "info->Flags.Cached = 1; /* texture, never mapped */\n",
        .right = "info->Flags.Cached = blob->readback;\n"
                 "info->Flags.CpuVisible = blob->readback;\n",
    },
    {
        .number = 110,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .statement = "The manager flushes CPU caches for Cached allocations that are used in "
                     "segments that are not cache-coherent.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: a process cannot see which of its lines are in a cache, and the memory "
               "of a test is coherent.",
        .why = "Without the flush the GPU reads what memory held before the CPU wrote; the errors "
               "come and go with cache pressure.",
        .windows = "Windows flushes at page-in and at lock boundaries.",
        .wrong = "map_aperture(allocation); /* CPU lines still dirty */\n",
        .right = "if (allocation->cached && !segment->coherent)\n"
                 "    flush_caches(allocation->mdl);\n"
                 "map_aperture(allocation);\n",
    },
    {
        .number = 111,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "Protected excludes PermanentSysMem, ExistingSysMem and ExistingKernelSysMem, "
                     "and is not set on a primary.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flags are compared when DxgkDdiCreateAllocation succeeds.",
        .why = "Protected puts the backing store into kernel memory that no application sees; the "
               "excluded flags say that the store is elsewhere.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->Flags.Protected = 1;\n"
                 "info->Flags.PermanentSysMem = 1;\n",
        .right = "info->Flags.Protected = 1;\n",
    },
    {
        .number = 112,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "Existing memory is page-aligned and whole pages long, and ExistingSysMem and "
                     "ExistingKernelSysMem exclude each other, PermanentSysMem, Protected and "
                     "primaries.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flags and Size are checked when the creation succeeds, and the address that "
               "came with it where one did.",
        .why = "The manager locks and maps whole pages; what shares the first or last page with "
               "the range becomes visible to the GPU.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->Flags.ExistingSysMem = 1;\n"
                 "info->Flags.PermanentSysMem = 1; /* same semantics, but not together */\n"
                 "info->Size = 5000;\n",
        .right = "info->Flags.ExistingSysMem = 1;\n"
                 "info->Size = ALIGN_UP(5000, PAGE_SIZE);\n",
    },
    {
        .number = 113,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .statement = "If existing memory is mapped cacheable, the driver sets Cached on its "
                     "allocation.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: ordinary process memory has no cache attribute that differs or could "
               "be asked for.",
        .why = "The manager believes the flag; memory that is cached without it is never flushed.",
        .windows = "Windows cannot keep the data coherent, and it is corrupted silently.",
        .wrong = "info->Flags.ExistingSysMem = 1; /* an ordinary heap buffer */\n",
        .right = "info->Flags.ExistingSysMem = 1;\n"
                 "info->Flags.CpuVisible = 1;\n"
                 "info->Flags.Cached = 1;\n",
    },
    {
        .number = 114,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .statement = "Allocations over existing memory lock as PermanentSysMem ones do.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "not judged yet: the pointer that a lock returns must be the existing memory, and "
               "an unlock while "
               "resident in a memory segment must be followed by a TRANSFER.",
        .why = "The application holds its own pointer to the memory; a second copy elsewhere would "
               "never see its writes.",
        .windows = "Windows returns the existing address and pages the new content in after the "
                   "unlock.",
        .wrong = "return aperture_address(allocation);\n",
        .right = "return allocation->existing; /* and TRANSFER at unlock */\n",
    },
    {
        .number = 115,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = false,
        .statement = "FromEndOfSegment makes the search for room start at the end of a segment, "
                     "but segment preferences and bank hints go first.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: several placements are right at any time, and the calls do not tell "
               "which room was free when one was chosen.",
        .why = "It keeps long-lived allocations away from the short-lived ones and so limits "
               "fragmentation.",
        .windows = "Nothing fails; the flag is a hint.",
        .wrong = "offset = last_fit(segment, size); /* a bank was hinted */\n",
        .right = "offset = hinted(info) ? in_banks(segment, info) : last_fit(segment, size);\n",
    },
    {
        .number = 116,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A driver of WDDM 2.0 or later fills FlagsWddm2, in which bits 10 to 13 do "
                     "not mean what they mean in Flags.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "For a table of version 2.0 or later, bits that only the older layout defines are "
               "findings when the creation succeeds.",
        .why = "SynchronousPaging and the link flags are gone; the old names compile, set the same "
               "union, and say something else.",
        .windows = "The pages do not say; the creation fails, or the bit switches on what nobody "
                   "asked for.",
        .wrong = "info->Flags.SynchronousPaging = 1; /* reserved in 2.0 */\n",
        .right = "info->FlagsWddm2.CpuVisible = 1;\n"
                 "info->FlagsWddm2.AccessedPhysically = 1;\n",
    },
    {
        .number = 117,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "Reserved flag bits are zero.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The value is masked with the bits that the driver's interface version defines.",
        .why = "Bits that are reserved today mean something in a later version, and then old "
               "binaries ask for it.",
        .windows = "The pages do not say; the creation fails, or the bit switches on what nobody "
                   "asked for.",
        .wrong = "info->Flags.Value = blob->flags; /* straight from user mode */\n",
        .right = "info->Flags.Value = 0;\n"
                 "info->Flags.CpuVisible = blob->cpu_visible;\n",
    },
    {
        .number = 118,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "Overlay and capture allocations stay where they are until a TDR, a PnP stop "
                     "or level-three synchronization.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "One that was transferred out of its segment, while another allocation stayed in "
               "GPU memory all the time, is a finding at the next submission.",
        .why = "The display engine reads them by address at any time, without a fence that anybody "
               "could wait for.",
        .windows = "Windows pins them; if they moved, the screen would show whatever took their "
                   "place.",
        .wrong = "evict(least_recently_used(segment));\n",
        .right = "victim = least_recently_used(segment, NOT_OVERLAY | NOT_CAPTURE);\n",
    },
    {
        .number = 119,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "Overlay allocations occupy at most the last 20 percent of a segment.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The offset of each overlay that is placed in a memory segment must be at or above "
               "80 percent of the segment.",
        .why = "Pinned memory in the middle of a segment breaks it into pieces that large surfaces "
               "do not fit into.",
        .windows = "Windows keeps overlays there by default, so that the rest of the segment stays "
                   "in one piece.",
        .wrong = "offset = first_fit(segment, overlay_size);\n",
        .right = "offset = last_fit(segment, overlay_size);\n"
                 "if (offset < segment->size / 5 * 4)\n"
                 "    return STATUS_NO_MEMORY;\n",
    },
    {
        .number = 120,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "If overlays live in an aperture that is also used for eviction, allocations "
                     "that evict through it are no larger than 80 percent of it.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Size is compared with four fifths of each segment in EvictionSegmentSet that some "
               "overlay supports.",
        .why = "The overlay is pinned in the last fifth, and what is larger than the rest cannot "
               "pass.",
        .windows = "Windows cannot evict the allocation through the segment: its content is lost "
                   "and its owner cannot render with it any more.",
        .wrong = "info->Size = aperture_size;\n"
                 "info->EvictionSegmentSet = 1u << (APERTURE - 1);\n",
        .right = "if (info->Size <= aperture_size / 5 * 4)\n"
                 "    info->EvictionSegmentSet = 1u << (APERTURE - 1);\n",
    },
    {
        .number = 121,
        .group = 'D',
        .side = VIDMM_SIDE_BOTH,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "UseAlternateVA is set on a primary only, and any other allocation that has "
                     "it is not created.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flag is looked at when a standard allocation that is no primary is created; "
               "one that has it must not be opened.",
        .why = "The flag sets up a swizzling range at creation, of which there are few.",
        .windows = "Windows does not create the allocation.",
        .wrong = "info->Flags.UseAlternateVA = 1;\n",
        .right = "info->Flags.UseAlternateVA = surface->primary;\n",
    },
    {
        .number = 122,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "For a SynchronousPaging allocation, paging work waits for every fence that "
                     "references it, and later rendering work waits for the paging.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "not judged yet: submissions that reference the allocation must be complete before "
               "its paging "
               "buffer is submitted, and the paging before the next of them.",
        .why = "Hardware with several engines does not order them by itself; the flag is how a "
               "driver asks for it.",
        .windows = "Windows stalls the submissions.",
        .wrong = "submit(paging_buffer); /* the render engine still runs */\n",
        .right = "wait(allocation->last_fence);\n"
                 "submit(paging_buffer);\n"
                 "wait(paging_fence); /* before the next render submission */\n",
    },
    {
        .number = 123,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "A LinkMirrored allocation is paged on all linked adapters with one backing "
                     "store and the same content; a LinkInstanced one has a store for each.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: a test has one physical adapter and no link.",
        .why = "Mixing them up sends one adapter's rendering to all of them.",
        .windows = "Windows pages each adapter's instance by these flags.",
        .wrong = NULL,
        .right = NULL,
    },
    {
        .number = 124,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An AccessedPhysically allocation is contiguous in a memory segment and, "
                     "while resident in system memory, mapped into the aperture.",
        .page = "gpu-segments",
        .how =
            "The address of each element of an allocation list must be where all of the allocation "
            "is: the one range of a memory segment, or aperture pages that are all mapped.",
        .why = "Engines without GPU virtual addresses reach an allocation through one base "
               "address.",
        .windows = "Windows allocates one range or maps aperture pages; otherwise the engine would "
                   "run off the first page.",
        .wrong = "scatter(allocation, pages);\n",
        .right = "if (in_memory_segment)\n"
                 "    place_contiguous(allocation);\n"
                 "else\n"
                 "    map_aperture(allocation);\n",
    },
    {
        .number = 125,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_DEVICE_LOST,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Without AccessedPhysically the pages may be scattered: the allocation is not "
                     "mapped into the aperture, and no allocation list may refer to it.",
        .page = "gpu-segments",
        .how = "not judged yet: no MAP_APERTURE_SEGMENT may name such an allocation.",
        .why = "An aperture is small; mapping what only virtual addresses reach wastes it.",
        .windows = "A submission that refers to the allocation physically is rejected.",
        .wrong = "map_aperture(allocation); /* FlagsWddm2.AccessedPhysically is 0 */\n",
        .right = "if (allocation->accessed_physically)\n"
                 "    map_aperture(allocation);\n",
    },
    {
        .number = 126,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A primary without AccessedPhysically is contiguous in memory segments and is "
                     "mapped into the aperture only while displayed.",
        .page = "gpu-segments",
        .how = "Not judged: there is no display path, so nothing is ever flipped to.",
        .why = "The display engine needs a physical address even when the rendering engines do "
               "not.",
        .windows = "Windows maps the primary around its time on the screen.",
        .wrong = "map_aperture(primary); /* at creation, for good */\n",
        .right = "map_aperture(primary); /* before the flip to it */\n",
    },
    {
        .number = 127,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "ExplicitResidencyNotification is set only together with AccessedPhysically.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The two flags are compared when DxgkDdiCreateAllocation succeeds.",
        .why = "The notification carries a physical address, which a scattered allocation does not "
               "have.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->FlagsWddm2.ExplicitResidencyNotification = 1;\n",
        .right = "info->FlagsWddm2.AccessedPhysically = 1;\n"
                 "info->FlagsWddm2.ExplicitResidencyNotification = 1;\n",
    },
    {
        .number = 128,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement = "HistoryBuffer comes with CpuVisible, with Cached where apertures are "
                     "cache-coherent, and with no other flag.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flag value is compared with the one that is right for the reported segments.",
        .why = "History buffers hold GPU timestamps that the CPU reads while the GPU writes more.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->Flags.HistoryBuffer = 1;\n"
                 "info->Flags.PermanentSysMem = 1;\n",
        .right = "info->Flags.HistoryBuffer = 1;\n"
                 "info->Flags.CpuVisible = 1;\n"
                 "info->Flags.Cached = adapter->coherent_aperture;\n",
    },
    {
        .number = 129,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "The manager refuses a MapApertureCpuVisible allocation of a driver that did "
                     "not set MapAperture2Supported.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0",
        .how = "An allocation with the flag from such a driver must never be opened; it is only "
               "destroyed again.",
        .why = "The CPU address travels in MAP_APERTURE_SEGMENT2 only, so the driver would wait "
               "for one that never comes.",
        .windows = "The creation fails.",
        .wrong = "open(device, allocation); /* caps.MapAperture2Supported is 0 */\n",
        .right = "if (flags.MapApertureCpuVisible && !caps.MapAperture2Supported) {\n"
                 "    destroy(allocation);\n"
                 "    return STATUS_INVALID_PARAMETER;\n"
                 "}\n",
    },
    {
        .number = 130,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "Only an AccessedPhysically allocation gets MAP_APERTURE_SEGMENT2; others go "
                     "to the implicit system memory segment.",
        .page = "iommu-dma-remapping",
        .how = "The allocation that the operation names is looked up, and its flags must have "
               "AccessedPhysically.",
        .why = "A driver that waits for the operation to learn the logical addresses never gets it "
               "without the flag.",
        .windows = "Windows pages the allocation into system memory without an aperture mapping.",
        .wrong = "map_aperture2(allocation);\n",
        .right = "if (allocation->accessed_physically)\n"
                 "    map_aperture2(allocation);\n"
                 "else\n"
                 "    place_in_system_memory(allocation);\n",
    },
    {
        .number = 131,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A CpuVisibleOnDemand allocation has a CPU address only while it is mapped or "
                     "locked.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: the address space of a client is not part of any call to the driver.",
        .why = "It spares 32-bit processes the address space of thousands of textures.",
        .windows = "Nothing fails; address space is used up.",
        .wrong = "allocation->cpu = map(allocation); /* at creation */\n",
        .right = "if (allocation->locks++ == 0)\n"
                 "    allocation->cpu = map(allocation);\n",
    },
    {
        .number = 132,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_0,
        .statement = "ShareBackingStoreWithKmd is for shared allocations that live in aperture "
                     "segments only.",
        .page = "ns-d3dkmddi-dxgk_allocationinfoflags2",
        .how = "With the flag set, every segment of the supported set must be an aperture.",
        .why = "The driver gets a pointer to the backing store and may use it at any time, so the "
               "content must never be elsewhere.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "info->Flags2.ShareBackingStoreWithKmd = 1;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM - 1) | 1u << (APERTURE - 1);\n",
        .right = "info->Flags2.ShareBackingStoreWithKmd = 1;\n"
                 "info->SupportedWriteSegmentSet = 1u << (APERTURE - 1);\n",
    },
    {
        .number = 133,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "The pages of a RestrictedToSingleSegment allocation are never split over "
                     "segments, and a DisablePartialResidency allocation is resident as a whole or "
                     "not at all.",
        .page = "ns-d3dkmddi-dxgk_allocationinfoflags2",
        .how = "A submission may list an allocation with one of the flags only while all of it is "
               "in the segment that the list names.",
        .why = "The driver asks for it where hardware state covers the whole allocation, such as "
               "compression.",
        .windows = "Windows moves the whole allocation.",
        .wrong = "move(allocation, 0, half); /* the rest stays */\n",
        .right = "move(allocation, 0, allocation->size);\n",
    },
    {
        .number = 134,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A CpuVisible allocation that may be placed in a memory segment without CPU "
                     "access also supports an aperture.",
        .page = "allocation-usage-tracking",
        .how = "Each segment of the supported set is looked up; without CpuVisible among the "
               "memory segments, one aperture is wanted.",
        .why = "The manager moves the content to system memory to give the CPU an address, and the "
               "aperture's bit is the permission.",
        .windows = "The lock fails: there is nowhere to show the content.",
        .wrong = "info->FlagsWddm2.CpuVisible = 1;\n"
                 "info->SupportedWriteSegmentSet = 1u << (HIDDEN_VRAM - 1);\n",
        .right =
            "info->FlagsWddm2.CpuVisible = 1;\n"
            "info->SupportedWriteSegmentSet = 1u << (HIDDEN_VRAM - 1) | 1u << (APERTURE - 1);\n",
    },
    {
        .number = 135,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An allocation that was locked while not resident, and supports no aperture, "
                     "is not committed to a memory segment until it is unlocked.",
        .page = "allocation-usage-tracking",
        .how = "A surface without an aperture in its set is locked, then used: it must not be in a "
               "memory segment before the unlock.",
        .why = "The CPU holds a pointer to the system pages; after a page-in it would write into a "
               "copy that nobody reads.",
        .windows = "Windows waits with the page-in until the unlock.",
        .wrong = "page_in(allocation); /* locked since before */\n",
        .right = "if (allocation->locks != 0 && !supports_aperture(allocation))\n"
                 "    wait_unlocked(allocation);\n"
                 "page_in(allocation);\n",
    },
    {
        .number = 136,
        .group = 'D',
        .side = VIDMM_SIDE_BOTH,
        .confidence = VIDMM_IMPLIED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "DxgkDdiCreateAllocation creates all elements of its array or none.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "When the call fails, the driver's pool must be as full as before it, and no handle "
               "of the array may be used or destroyed later.",
        .why = "The error path of the k-th element is the least tested line of a driver; it leaks "
               "or leaves dangling handles.",
        .windows = "Windows forgets all elements of a failed call: what the driver still holds for "
                   "them is leaked.",
        .wrong = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    if (!NT_SUCCESS(status = create_one(&args->pAllocationInfo[i])))\n"
                 "        return status; /* the first i are leaked */\n",
        .right = "if (!NT_SUCCESS(status)) {\n"
                 "    while (i-- != 0)\n"
                 "        release(args->pAllocationInfo[i].hAllocation);\n"
                 "    return status;\n"
                 "}\n",
    },
    {
        .number = 137,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "DxgkDdiCreateAllocation returns STATUS_SUCCESS, STATUS_INVALID_PARAMETER, "
                     "STATUS_NO_MEMORY or STATUS_GRAPHICS_DRIVER_MISMATCH.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "The returned status is compared with these four.",
        .why = "Statuses that a call may not return have cost driver authors bugchecks and Code 43 "
               "in other calls of this interface.",
        .windows = "The pages do not say; expect the creation to fail.",
        .wrong = "return STATUS_INSUFFICIENT_RESOURCES;\n",
        .right = "return STATUS_NO_MEMORY;\n",
    },
    {
        .number = 138,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "Allocations and resources belong to the adapter: one that is shared outlives "
                     "the device that created it.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "The creating device is destroyed while another has the allocation open, and paging "
               "of it must still work.",
        .why = "A structure in the device's list, or a pointer back to the device, dangles after "
               "that device is gone.",
        .windows = "Windows goes on using the allocation from the other process; the driver "
                   "follows freed memory.",
        .wrong = "surface->device = device; /* used when paging */\n"
                 "InsertTailList(&device->surfaces, &surface->link); /* freed with it */\n",
        .right = "surface->adapter = adapter;\n",
    },
    {
        .number = 139,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "Every binding of an allocation is closed before the allocation is destroyed.",
        .page = "nc-d3dkmddi-dxgkddi_closeallocation",
        .how = "Opens and closes of each allocation are counted; at DxgkDdiDestroyAllocation the "
               "count must be zero.",
        .why = "A driver frees in Destroy what its bindings point to.",
        .windows = "Windows closes first; if it did not, the bindings would dangle.",
        .wrong = "DestroyAllocation(adapter, &all);\n"
                 "CloseAllocation(device, &bindings);\n",
        .right = "CloseAllocation(device, &bindings);\n"
                 "DestroyAllocation(adapter, &all);\n",
    },
    {
        .number = 140,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "One DxgkDdiCloseAllocation carries all bindings that a device has of a "
                     "resource.",
        .page = "nc-d3dkmddi-dxgkddi_closeallocation",
        .how = "NumAllocations is compared with the number of the device's open bindings whose "
               "allocations share the resource.",
        .why = "A driver may keep one structure for the whole resource and free it here.",
        .windows = "Windows closes a resource with one call.",
        .wrong = "for (i = 0; i < n; i++)\n"
                 "    close(device, 1, &binding[i]);\n",
        .right = "close(device, n, binding);\n",
    },
    {
        .number = 141,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "DxgkDdiDestroyAllocation gets exactly the handles that "
                     "DxgkDdiCreateAllocation returned, each once.",
        .page = "ns-d3dkmddi-_dxgkarg_destroyallocation",
        .how = "Each handle of the list is looked up among the living allocations and removed.",
        .why = "The driver frees memory by these handles: a handle too many is a double free.",
        .windows = "Windows keeps the books; a handle twice would corrupt the pool.",
        .wrong = "destroy(adapter, 2, (HANDLE[]){a, a});\n",
        .right = "destroy(adapter, 2, (HANDLE[]){a, b});\n",
    },
    {
        .number = 142,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = true,
        .statement = "In DxgkDdiDestroyAllocation the driver releases all memory that it holds for "
                     "the handles.",
        .page = "ns-d3dkmddi-_dxgkarg_destroyallocation",
        .how = "Surfaces are created, used and destroyed one after the other: the number of pool "
               "blocks must not grow with every one.",
        .why = "A driver lives as long as the machine runs, and leaks of nonpaged pool end it.",
        .windows = "Windows does not notice; the pool grows until allocation fails elsewhere.",
        .wrong = "release(surface); /* its page list stays */\n",
        .right = "release(surface->pages);\n"
                 "release(surface);\n",
    },
    {
        .number = 143,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CREATION_FAILS,
        .judged = true,
        .statement = "When DxgkDdiOpenAllocation succeeds, hDeviceSpecificAllocation of every "
                     "element is not NULL.",
        .page = "nc-d3dkmddi-dxgkddi_openallocationinfo",
        .how = "The member of each element is checked after the call.",
        .why = "It is the handle that allocation lists carry; NULL means there that the entry is "
               "unused.",
        .windows = "The pages do not say; expect the open to fail, or NULL to travel in allocation "
                   "lists as an unused entry.",
        .wrong = "return STATUS_SUCCESS; /* \"we need no binding\" */\n",
        .right = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    args->pOpenAllocation[i].hDeviceSpecificAllocation = bind(device, i);\n",
    },
    {
        .number = 144,
        .group = 'D',
        .side = VIDMM_SIDE_DRIVER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "In DxgkDdiOpenAllocation the driver writes to private data only when "
                     "Flags.Create is set.",
        .page = "nc-d3dkmddi-dxgkddi_openallocationinfo",
        .how = "The bytes of the private data are compared before and after an open without "
               "Create.",
        .why = "With a shared resource the same bytes go to several processes, and the second open "
               "would change what the first one saw.",
        .windows = "Windows does not check; the other process reads changed data.",
        .wrong = "blob->handle = next_id(); /* on every open */\n",
        .right = "if (args->Flags.Create)\n"
                 "    blob->handle = next_id();\n",
    },
    {
        .number = 145,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_CORRUPTION,
        .judged = true,
        .statement = "An allocation is destroyed only after queued GPU work that may use it is "
                     "done, unless the client said AssumeNotInUse.",
        .page = "allocation-usage-tracking",
        .how = "At DxgkDdiDestroyAllocation the fences of all submissions that reference the "
               "allocation must have completed, and of paging work all that names it.",
        .why = "Clients free textures right after the last draw call; the wait is not theirs.",
        .windows = "Windows defers the destruction; otherwise the GPU would read memory that is "
                   "someone else's.",
        .wrong = "destroy(allocation); /* fence 17 uses it, 16 is complete */\n",
        .right = "wait(allocation->last_fence);\n"
                 "destroy(allocation);\n",
    },
    {
        .number = 146,
        .group = 'D',
        .side = VIDMM_SIDE_MANAGER,
        .confidence = VIDMM_DOCUMENTED,
        .severity = VIDMM_SEVERITY_PERFORMANCE,
        .judged = false,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "With SynchronousDestroy the call returns only after the memory has been "
                     "reclaimed.",
        .page = "ns-d3dukmdt-_d3dddicb_destroyallocation2flags",
        .how = "Not judged: the calls to the driver do not show when the client's call returned or "
               "whether its pages were free by then.",
        .why = "A client sets it when it needs the memory for its next allocation.",
        .windows = "Windows makes the caller wait.",
        .wrong = "queue_destroy(allocation);\n"
                 "return S_OK;\n",
        .right = "queue_destroy(allocation);\n"
                 "wait_reclaimed(allocation);\n"
                 "return S_OK;\n",
    },
};
