/*
 * group_d_flags.c - rules R102 to R135: what a driver says of an allocation besides its place - its
 * handle, priority, flags - and what the manager makes of that. Sizes and segments are
 * group_d_place.c's.
 */
#define GROUP 'D'
#include "groups.h"

const struct vidmm_rule rules_d_flags[] = {
    {
        RULE(102, DRIVER, DOCUMENTED, CREATION_FAILS),
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
        RULE(103, DRIVER, DOCUMENTED, CREATION_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .statement = "AllocationPriority is not zero when the allocation is created.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The value is checked when DxgkDdiCreateAllocation succeeds.",
        .why = "The structure arrives zeroed, so forgetting the member is the same as setting an "
               "illegal one.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "RtlZeroMemory(info, sizeof(*info)); /* and nothing more */\n",
        .right = "info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;\n",
    },
    {
        RULE(104, MANAGER, DOCUMENTED, PERFORMANCE),
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "A MaximumRenamingListLength that is not zero limits how many instances of an "
                     "allocation renaming may make; zero is no limit.",
        .page = "requesting-to-rename-an-allocation",
        .how = "Not judged: vidmm's manager renames nothing. It would take discard locks that make "
               "instances, and a count of the places in which one handle has content at a time.",
        .why = "A driver that keeps per-instance state has room for as many as it announced.",
        .windows = "Windows stays within the limit and makes the application wait instead.",
        .wrong = "instance = new_instance(allocation); /* one more at every discard */\n",
        .right = "if (limit != 0 && allocation->instances == limit)\n"
                 "    wait_idle(oldest(allocation));\n"
                 "else\n"
                 "    instance = new_instance(allocation);\n",
    },
    {
        RULE(105, MANAGER, DOCUMENTED, CORRUPTION),
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "Renaming makes further instances without DxgkDdiCreateAllocation, so one "
                     "handle may be resident in several places at once.",
        .page = "requesting-to-rename-an-allocation",
        .how =
            "Not judged: vidmm's manager renames nothing. It would take discard locks, during "
            "which no creation may come, and operations for a second place with the same handle.",
        .why = "A driver that stores one address in its allocation structure sends the GPU to the "
               "wrong instance.",
        .windows = "Windows renames silently; a driver that remembers one place per handle draws "
                   "from an old instance.",
        .wrong = "CreateAllocation(adapter, &copy); /* for the second instance */\n",
        .right = "instance = clone(allocation); /* same creation parameters */\n"
                 "args.Transfer.hAllocation = allocation->driver_handle;\n",
    },
    {
        RULE(106, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "PermanentSysMem comes with CpuVisible and is not set on a primary.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how =
            "The flags are compared when DxgkDdiCreateAllocation succeeds; primaries are known "
            "from DxgkDdiGetStandardAllocationDriverData. Stage objects asks for the flag alone, "
            "by vidmm/umd.h.",
        .why = "The flag means that locks return the copy in system memory, and without CpuVisible "
               "there are no locks.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.PermanentSysMem = 1;\n",
        .right = "info->Flags.PermanentSysMem = 1;\n"
                 "info->Flags.CpuVisible = 1;\n",
    },
    {
        RULE(107, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "A PermanentSysMem allocation that the GPU has not written since it was paged "
                     "in is evicted with DISCARD_CONTENT, a written one with TRANSFER.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "A PermanentSysMem allocation that was paged in, and that no submission listed as a "
               "write target since, may not leave by TRANSFER.",
        .why = "It saves a copy over the bus for every vertex buffer that was only read; dropping "
               "a dirty one loses what the GPU drew.",
        .windows = "Windows discards the clean copy; there is no write-back to wait for.",
        .windows_source = THE_PAGE,
        .wrong = "discard(allocation); /* dirty or not */\n",
        .right = "if (allocation->written)\n"
                 "    transfer_to_system(allocation);\n"
                 "else\n"
                 "    discard(allocation);\n",
    },
    {
        RULE(108, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A lock of a PermanentSysMem allocation returns its system copy, and an "
                     "unlock while it is in a memory segment updates the segment with a TRANSFER.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The CPU writes through a lock of a resident surface: the bytes must be in its "
               "system pages, and the unlock must bring a TRANSFER.",
        .why = "The CPU never writes VRAM of such an allocation; without the update the GPU draws "
               "with the old vertices.",
        .windows = "Windows schedules the update as ordinary paging work.",
        .windows_source = THE_PAGE,
        .wrong = "unlock(allocation); /* and nothing else */\n",
        .right = "unlock(allocation);\n"
                 "if (allocation->segment != 0)\n"
                 "    transfer_from_system(allocation);\n",
    },
    {
        RULE(109, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "Cached comes with CpuVisible and is set neither on primaries nor on "
                     "allocations that the CPU only writes.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Cached without CpuVisible, or on a standard primary, is a finding when the "
               "creation succeeds. Stage objects asks for the flag alone, by vidmm/umd.h.",
        .why = "Cached backing store is for reading back; for upload buffers, write-combined "
               "memory is faster and needs no flushes.",
        .windows = "The pages do not say; expect the creation to fail, and a write-only allocation "
                   "to cost cache flushes.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.Cached = 1; /* texture, never mapped */\n",
        .right = "info->Flags.Cached = blob->readback;\n"
                 "info->Flags.CpuVisible = blob->readback;\n",
    },
    {
        RULE(110, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The manager flushes CPU caches for Cached allocations that are used in "
                     "segments that are not cache-coherent.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "A Cached allocation in an AGP segment must have been flushed between its mapping "
               "by the GART and DxgkDdiPatch of the first work that uses it. Other flushes are "
               "invisible in a process, whose memory is coherent.",
        .why = "Without the flush the GPU reads what memory held before the CPU wrote; the errors "
               "come and go with cache pressure.",
        .windows = "Windows flushes at page-in and at lock boundaries.",
        .wrong = "map_aperture(allocation); /* CPU lines still dirty */\n",
        .right = "if (allocation->cached && !segment->coherent)\n"
                 "    flush_caches(allocation->mdl);\n"
                 "map_aperture(allocation);\n",
    },
    {
        RULE(111, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "Protected excludes PermanentSysMem, ExistingSysMem and ExistingKernelSysMem, "
                     "and is not set on a primary.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flags are compared when DxgkDdiCreateAllocation succeeds.",
        .why = "Protected puts the backing store into kernel memory that no application sees; the "
               "excluded flags say that the store is elsewhere.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.Protected = 1;\n"
                 "info->Flags.PermanentSysMem = 1;\n",
        .right = "info->Flags.Protected = 1;\n",
    },
    {
        RULE(112, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "Existing memory is page-aligned and whole pages long, and ExistingSysMem and "
                     "ExistingKernelSysMem exclude each other, PermanentSysMem, Protected and "
                     "primaries.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flags and Size are checked when the creation succeeds, and the address that "
               "came with it where one did.",
        .why = "The manager locks and maps whole pages; what shares the first or last page with "
               "the range becomes visible to the GPU.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.ExistingSysMem = 1;\n"
                 "info->Flags.PermanentSysMem = 1; /* same semantics, but not together */\n"
                 "info->Size = 5000;\n",
        .right = "info->Flags.ExistingSysMem = 1;\n"
                 "info->Size = ALIGN_UP(5000, PAGE_SIZE);\n",
    },
    {
        RULE(113, DRIVER, DOCUMENTED, CORRUPTION),
        .severity_source = THE_PAGE,
        .statement = "If existing memory is mapped cacheable, the driver sets Cached on its "
                     "allocation.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: ordinary process memory has no cache attribute that differs or could "
               "be asked for.",
        .why = "The manager believes the flag; memory that is cached without it is never flushed.",
        .windows = "Windows cannot keep the data coherent, and it is corrupted silently.",
        .windows_source = THE_PAGE,
        .wrong = "info->Flags.ExistingSysMem = 1; /* an ordinary heap buffer */\n",
        .right = "info->Flags.ExistingSysMem = 1;\n"
                 "info->Flags.CpuVisible = 1;\n"
                 "info->Flags.Cached = 1;\n",
    },
    {
        RULE(114, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Allocations over existing memory lock as PermanentSysMem ones do.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: the client's address is in no call to the driver. It would take the "
               "lock service to tell it, and a TRANSFER after the unlock where the allocation is "
               "in a memory segment.",
        .why = "The application holds its own pointer to the memory; a second copy elsewhere would "
               "never see its writes.",
        .windows = "Windows returns the existing address and pages the new content in after the "
                   "unlock.",
        .windows_source = THE_PAGE,
        .wrong = "return aperture_address(allocation);\n",
        .right = "return allocation->existing; /* and TRANSFER at unlock */\n",
    },
    {
        RULE(115, MANAGER, DOCUMENTED, PERFORMANCE),
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
        RULE(116, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A driver of WDDM 2.0 or later fills FlagsWddm2, in which bit 7 and bits 10 "
                     "to 13 do not mean what they mean in Flags.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "For a table of version 2.0 or later, bits that only the older layout defines are "
               "findings when the creation succeeds. Bit 7 has a meaning in both layouts, and "
               "which one a driver meant is not in the bit.",
        .why = "SynchronousPaging and the link flags are gone, and Swizzled is "
               "DisableLargePageMapping now; the old names compile, set the same union, and say "
               "something else.",
        .windows = "The pages do not say; the creation fails, or the bit switches on what nobody "
                   "asked for.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.SynchronousPaging = 1; /* reserved in 2.0 */\n",
        .right = "info->FlagsWddm2.CpuVisible = 1;\n"
                 "info->FlagsWddm2.AccessedPhysically = 1;\n",
    },
    {
        RULE(117, DRIVER, DOCUMENTED, CREATION_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .statement = "Reserved flag bits are zero.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how =
            "The value is masked with the bits that the driver's interface version defines. Stage "
            "engines asks for the status of an engine with all bits set, of which only "
            "Responsive may stay (ns-d3dkmddi-_dxgk_enginestatus). Flags of each report are looked "
            "at "
            "(ns-d3dkmddi-_dxgkcb_notify_interrupt_data_flags); the stack below a call holds no "
            "zeros.",
        .why = "Bits that are reserved today mean something in a later version, and then old "
               "binaries ask for it.",
        .windows = "The pages do not say; the creation fails, or the bit switches on what nobody "
                   "asked for.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.Value = blob->flags; /* straight from user mode */\n",
        .right = "info->Flags.Value = 0;\n"
                 "info->Flags.CpuVisible = blob->cpu_visible;\n",
    },
    {
        RULE(118, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Overlay and capture allocations stay where they are until a TDR, a PnP stop "
                     "or level-three synchronization.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "One that was transferred out of its segment, while another allocation stayed in "
               "GPU memory all the time, is a finding at the next submission.",
        .why = "The display engine reads them by address at any time, without a fence that anybody "
               "could wait for.",
        .windows = "Windows pins them; if they moved, the screen would show whatever took their "
                   "place.",
        .windows_source = THE_PAGE,
        .wrong = "evict(least_recently_used(segment));\n",
        .right = "victim = least_recently_used(segment, NOT_OVERLAY | NOT_CAPTURE);\n",
    },
    {
        RULE(616, DRIVER, IMPLIED, PERFORMANCE),
        .statement = "An allocation has Overlay where the driver supports overlays.",
        .page = "ns-d3dkmddi-_dxgk_drivercaps",
        .how = "Flags of each allocation are held against MaxOverlays of DXGK_DRIVERCAPS; a driver "
               "with planes (SupportMultiPlaneOverlay, MaxOverlayPlanes) is left alone.",
        .why = "Overlays are pinned in the last fifth of a segment: one that nothing ever displays "
               "takes it from others. Often the bit of another flag was meant.",
        .windows = "The pages do not say.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.Overlay = from_end; /* FromEndOfSegment was meant */\n",
        .right = "caps->MaxOverlays = 1;\n"
                 "info->Flags.Overlay = is_overlay;\n",
    },
    {
        RULE(119, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "Overlay allocations occupy at most the last 20 percent of a segment.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The offset of each overlay that is placed in a memory segment must be at or above "
               "80 percent of the segment.",
        .why = "Pinned memory in the middle of a segment breaks it into pieces that large surfaces "
               "do not fit into.",
        .windows = "Windows keeps overlays there by default, so that the rest of the segment stays "
                   "in one piece.",
        .windows_source = THE_PAGE,
        .wrong = "offset = first_fit(segment, overlay_size);\n",
        .right = "offset = last_fit(segment, overlay_size);\n"
                 "if (offset < segment->size / 5 * 4)\n"
                 "    return STATUS_NO_MEMORY;\n",
    },
    {
        RULE(120, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "If overlays live in an aperture that is also used for eviction, allocations "
                     "that evict through it are no larger than 80 percent of it.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Size is compared with four fifths of each segment in EvictionSegmentSet that some "
               "overlay supports.",
        .why = "The overlay is pinned in the last fifth, and what is larger than the rest cannot "
               "pass.",
        .windows = "Windows cannot evict the allocation through the segment: its content is lost "
                   "and its owner cannot render with it any more.",
        .windows_source = THE_PAGE,
        .wrong = "info->Size = aperture_size;\n"
                 "info->EvictionSegmentSet = 1u << (APERTURE - 1);\n",
        .right = "if (info->Size <= aperture_size / 5 * 4)\n"
                 "    info->EvictionSegmentSet = 1u << (APERTURE - 1);\n",
    },
    {
        RULE(121, BOTH, DOCUMENTED, CREATION_FAILS),
        .severity_source = THE_PAGE,
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "UseAlternateVA is set on a primary only, and any other allocation that has "
                     "it is not created.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flag is looked at when a standard allocation that is no primary is created; "
               "one that has it must not be opened.",
        .why = "The flag sets up a swizzling range at creation, of which there are few.",
        .windows = "Windows does not create the allocation.",
        .windows_source = THE_PAGE,
        .wrong = "info->Flags.UseAlternateVA = 1;\n",
        .right = "info->Flags.UseAlternateVA = surface->primary;\n",
    },
    {
        RULE(122, MANAGER, DOCUMENTED, CORRUPTION),
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "For a SynchronousPaging allocation, paging work waits for every fence that "
                     "references it, and later rendering work waits for the paging.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: vidmm's manager waits for everything before it pages. It would take a "
               "manager with several submissions under way, whose references are held against the "
               "paging buffer that follows.",
        .why = "Hardware with several engines does not order them by itself; the flag is how a "
               "driver asks for it.",
        .windows = "Windows stalls the submissions.",
        .windows_source = THE_PAGE,
        .wrong = "submit(paging_buffer); /* the render engine still runs */\n",
        .right = "wait(allocation->last_fence);\n"
                 "submit(paging_buffer);\n"
                 "wait(paging_fence); /* before the next render submission */\n",
    },
    {
        RULE(123, MANAGER, DOCUMENTED, CORRUPTION),
        .last = DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
        .statement = "A LinkMirrored allocation is paged on all linked adapters with one backing "
                     "store and the same content; a LinkInstanced one has a store for each.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how =
            "Not judged: from WDDM 2.0 on bits 12 and 13 are no flags for links (R116), and before "
            "it queries have no index of a physical adapter, so that vidmm links none.",
        .why = "Mixing them up sends one adapter's rendering to all of them.",
        .windows = "Windows pages each adapter's instance by these flags.",
        .wrong = NULL,
        .right = NULL,
    },
    {
        RULE(124, MANAGER, DOCUMENTED, CORRUPTION),
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
        .windows_source = THE_PAGE,
        .wrong = "scatter(allocation, pages);\n",
        .right = "if (in_memory_segment)\n"
                 "    place_contiguous(allocation);\n"
                 "else\n"
                 "    map_aperture(allocation);\n",
    },
    {
        RULE(125, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Without AccessedPhysically the pages may be scattered: the allocation is not "
                     "mapped into the aperture, and no allocation list may refer to it.",
        .page = "gpu-segments",
        .how =
            "Not judged: a driver cannot tell the aperture mapping of a primary that is displayed "
            "(R126) from a wrong one. It would take a display path that says what is displayed.",
        .why = "An aperture is small; mapping what only virtual addresses reach wastes it.",
        .windows = "A submission that refers to the allocation physically is rejected.",
        .windows_source = THE_PAGE,
        .wrong = "map_aperture(allocation); /* FlagsWddm2.AccessedPhysically is 0 */\n",
        .right = "if (allocation->accessed_physically)\n"
                 "    map_aperture(allocation);\n",
    },
    {
        RULE(126, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A primary without AccessedPhysically is contiguous in memory segments and is "
                     "mapped into the aperture only while displayed.",
        .page = "gpu-segments",
        .how = "Not judged: vidmm's manager has a primary mapped for as long as it is in the "
               "aperture.",
        .why = "The display engine needs a physical address even when the rendering engines do "
               "not.",
        .windows = "Windows maps the primary around its time on the screen.",
        .windows_source = THE_PAGE,
        .wrong = "map_aperture(primary); /* at creation, for good */\n",
        .right = "map_aperture(primary); /* before the flip to it */\n",
    },
    {
        RULE(127, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "ExplicitResidencyNotification is set only together with AccessedPhysically.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The two flags are compared when DxgkDdiCreateAllocation succeeds.",
        .why = "The notification carries a physical address, which a scattered allocation does not "
               "have.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->FlagsWddm2.ExplicitResidencyNotification = 1;\n",
        .right = "info->FlagsWddm2.AccessedPhysically = 1;\n"
                 "info->FlagsWddm2.ExplicitResidencyNotification = 1;\n",
    },
    {
        RULE(128, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement = "HistoryBuffer comes with CpuVisible, with Cached where apertures are "
                     "cache-coherent, and with no other flag.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "The flag value is compared with the one that is right for the reported segments.",
        .why = "History buffers hold GPU timestamps that the CPU reads while the GPU writes more.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.HistoryBuffer = 1;\n"
                 "info->Flags.PermanentSysMem = 1;\n",
        .right = "info->Flags.HistoryBuffer = 1;\n"
                 "info->Flags.CpuVisible = 1;\n"
                 "info->Flags.Cached = adapter->coherent_aperture;\n",
    },
    {
        RULE(129, MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "The manager refuses a MapApertureCpuVisible allocation of a driver that did "
                     "not set MapAperture2Supported.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0",
        .how = "An allocation with the flag from such a driver must never be opened; it is only "
               "destroyed again.",
        .why = "The CPU address travels in MAP_APERTURE_SEGMENT2 only, so the driver would wait "
               "for one that never comes.",
        .windows = "The creation fails.",
        .windows_source = THE_PAGE,
        .wrong = "open(device, allocation); /* caps.MapAperture2Supported is 0 */\n",
        .right = "if (flags.MapApertureCpuVisible && !caps.MapAperture2Supported) {\n"
                 "    destroy(allocation);\n"
                 "    return STATUS_INVALID_PARAMETER;\n"
                 "}\n",
    },
    {
        RULE(130, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "Only an AccessedPhysically allocation and a primary that is displayed get "
                     "MAP_APERTURE_SEGMENT2; others go to the implicit system memory segment.",
        .page = "iommu-dma-remapping",
        .how =
            "The allocation that the operation names is looked up, and its flags must have "
            "AccessedPhysically, or hDevice is NULL as that of a primary is (gpu-segments.md has "
            "it mapped when it is displayed).",
        .why = "A driver that waits for the operation to learn the logical addresses never gets it "
               "without the flag.",
        .windows = "Windows pages the allocation into system memory without an aperture mapping.",
        .windows_source = THE_PAGE,
        .wrong = "map_aperture2(allocation);\n",
        .right = "if (allocation->accessed_physically)\n"
                 "    map_aperture2(allocation);\n"
                 "else\n"
                 "    place_in_system_memory(allocation);\n",
    },
    {
        RULE(131, MANAGER, DOCUMENTED, PERFORMANCE),
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
        RULE(132, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_0,
        .statement = "ShareBackingStoreWithKmd is for shared allocations that live in aperture "
                     "segments only, not for those over existing memory, and not for a driver that "
                     "did not enable the feature.",
        .page = "ns-d3dkmddi-dxgk_allocationinfoflags2",
        .how = "With the flag set, every segment of the supported set must be an aperture, and "
               "neither ExistingSysMem nor ExistingKernelSysMem is set. Whether the feature was "
               "enabled is in DXGK_QUERYFEATURESUPPORT, which vidmm's manager does not ask for.",
        .why = "The driver gets a pointer to the backing store and may use it at any time, so the "
               "content must never be elsewhere.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags2.ShareBackingStoreWithKmd = 1;\n"
                 "info->SupportedWriteSegmentSet = 1u << (VRAM - 1) | 1u << (APERTURE - 1);\n",
        .right = "info->Flags2.ShareBackingStoreWithKmd = 1;\n"
                 "info->SupportedWriteSegmentSet = 1u << (APERTURE - 1);\n",
    },
    {
        RULE(133, MANAGER, DOCUMENTED, CORRUPTION),
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
        .windows_source = THE_PAGE,
        .wrong = "move(allocation, 0, half); /* the rest stays */\n",
        .right = "move(allocation, 0, allocation->size);\n",
    },
    {
        RULE(134, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An allocation with CpuVisible or CpuVisibleOnDemand that may be placed in a "
                     "memory segment without CPU access also supports an aperture.",
        .page = "allocation-usage-tracking",
        .how = "Each segment of the supported set is looked up; without CpuVisible among the "
               "memory segments, one aperture is wanted.",
        .why = "The manager moves the content to system memory to give the CPU an address, and the "
               "aperture's bit is the permission.",
        .windows =
            "The lock can fail: with a CPU host aperture when it is full, without one always.",
        .windows_source = THE_PAGE,
        .wrong = "info->FlagsWddm2.CpuVisible = 1;\n"
                 "info->SupportedWriteSegmentSet = 1u << (HIDDEN_VRAM - 1);\n",
        .right =
            "info->FlagsWddm2.CpuVisible = 1;\n"
            "info->SupportedWriteSegmentSet = 1u << (HIDDEN_VRAM - 1) | 1u << (APERTURE - 1);\n",
    },
    {
        RULE(135, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An allocation that was locked while not resident, and supports no aperture, "
                     "is not committed to a memory segment until it is unlocked.",
        .page = "allocation-usage-tracking",
        .how = "A surface without an aperture in its set is locked, then used: it must not be in a "
               "memory segment before the unlock.",
        .why = "The CPU holds a pointer to the system pages; after a page-in it would write into a "
               "copy that nobody reads.",
        .windows = "The page says that it is not committed, not how: waiting until the unlock, or "
                   "refusing the submission.",
        .windows_source = THE_PAGE,
        .wrong = "page_in(allocation); /* locked since before */\n",
        .right = "if (allocation->locks != 0 && !supports_aperture(allocation))\n"
                 "    wait_unlocked(allocation);\n"
                 "page_in(allocation);\n",
    },
    {
        RULE(435, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "A shared primary that uses an aperture segment without UseAlternateVA comes "
                     "with SectionBackedPrimary.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "Not judged: the page says that the driver should. Whether a primary is ever placed "
               "in its aperture is the manager's choice, and a driver may count on another.",
        .why = "Without a section behind it the CPU's view of the primary cannot follow where the "
               "primary goes.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong =
            "info->SupportedWriteSegmentSet = VRAM_SET | APERTURE_SET; /* a shared primary */\n",
        .right = "caps->MemoryManagementCaps.SectionBackedPrimary = 1;\n",
    },
    {
        RULE(437, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The range of an ExistingSysMem allocation has user addresses of the current "
                     "process, that of an ExistingKernelSysMem allocation kernel addresses, each "
                     "valid over all of Size.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: no call to the driver has the address, and a process has no kernel "
               "addresses. What is shorter than Size is refused by vidmm's manager.",
        .why = "The pages are locked by these addresses, and the GPU writes to them.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "mdl = lock(range.address, range.size); /* Size is larger */\n",
        .right = "if (range.size < info->Size)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
};
