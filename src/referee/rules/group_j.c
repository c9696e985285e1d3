/*
 * group_j.c - R265 to R272: the CPU host aperture.
 *
 * How the CPU gets at memory segments that no BAR shows as a whole.
 */
#define GROUP 'J'
#include "groups.h"

const struct vidmm_rule rules_j[] = {
    {
        RULE(265, DRIVER, DOCUMENTED, START_FAILS),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "MapCpuHostAperture and UnmapCpuHostAperture work as soon as the segments "
                     "were reported.",
        .page = "cpu-host-aperature",
        .how = "The first DxgkDdiMapCpuHostAperture of the conformance check comes right after the "
               "segment query, before any allocation.",
        .why = "The first page tables are written through the aperture.",
        .windows = "The adapter cannot be initialised.",
        .wrong = "NTSTATUS MapCpuHostAperture(HANDLE hAdapter, const DXGKARG_MAPCPUHOSTAPERTURE "
                 "*args) {\n"
                 "    if (!ctx->ApertureTable)\n"
                 "        return STATUS_DEVICE_NOT_READY; /* made with the first allocation */\n",
        .right =
            "NTSTATUS StartDevice(...) {\n"
            "    ctx->ApertureTable = MakeApertureTable(ctx); /* long before it is needed */\n",
    },
    {
        RULE(266, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The pages of the arrays are those of the segment, 4 KB or 64 KB.",
        .page = "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture",
        .how =
            "Not judged by itself: pages of another size than the segment's show as R267 or R268.",
        .why = "A page number means another byte with another page size.",
        .windows = "The CPU sees other memory than it asked for.",
    },
    {
        RULE(267, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Aperture pages that are mapped are inside the aperture and were not mapped, "
                     "and segment pages are inside the segment.",
        .page = "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture",
        .how = "Both arrays of each DxgkDdiMapCpuHostAperture against the aperture, the segment "
               "and what is mapped already.",
        .why = "The driver writes them into its table as they are.",
        .windows = "The system manages the aperture's pages.",
    },
    {
        RULE(268, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "After the mapping the CPU sees exactly these pages of the segment, and after "
                     "the unmapping it does not.",
        .page = "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture",
        .how = "What the CPU sees through a page is compared with the segment once it is mapped, "
               "and again when it was unmapped.",
        .why = "The system reads and writes allocations through it at once.",
        .windows = "Bytes of applications go to memory of others.",
        .wrong =
            "for (UINT64 i = 0; i < args->NumberOfPages; i++)\n"
            "    WriteEntry(args->pCpuHostAperturePages[i], args->pMemorySegmentPages[0] + i);\n",
        .right = "for (UINT64 i = 0; i < args->NumberOfPages; i++)\n"
                 "    WriteEntry(args->pCpuHostAperturePages[i], args->pMemorySegmentPages[i]);\n",
    },
    {
        RULE(269, DRIVER, DOCUMENTED, BUGCHECK),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "hAllocation may be NULL, for page tables.",
        .page = "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture",
        .how = "The conformance check maps without an allocation.",
        .why = "The system's own allocations have no object in the driver.",
        .windows = "A driver that follows the NULL pointer is a bugcheck.",
        .windows_source = THE_PAGE,
        .wrong = "const struct allocation *allocation = args->hAllocation;\n"
                 "if (allocation->Segment != args->SegmentId)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "const struct allocation *allocation = args->hAllocation;\n"
                 "if (allocation && allocation->Segment != args->SegmentId)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(270, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A page is unmapped before its memory is used for something else.",
        .page = "ns-d3dkmddi-_dxgkarg_unmapcpuhostaperture",
        .how =
            "When an allocation gets a place, by TRANSFER, FILL or their virtual kinds: no page of "
            "the aperture that was mapped for another one leads there.",
        .why = "The CPU would write over the new contents.",
        .windows = "The system unmaps on eviction.",
        .wrong = "free_memory(allocation); /* its window stays */\n",
        .right = "UnmapCpuHostAperture(adapter, &window);\n"
                 "free_memory(allocation);\n",
    },
    {
        RULE(271, DRIVER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Mapping and unmapping does not disturb accesses to other pages.",
        .page = "cpu-host-aperature",
        .how = "What the CPU sees through all pages that a call does not name, before and after "
               "it. Accesses during the call cannot be told from the outside.",
        .why = "Other processors are using the rest of the aperture.",
        .windows = "Bytes get lost without anybody noticing.",
        .wrong = "WriteEntry(page, entry);\n"
                 "ResetApertureTable(ctx); /* flushes, and forgets, all of it */\n",
        .right = "WriteEntry(page, entry);\n"
                 "FlushApertureEntry(ctx, page);\n",
    },
    {
        RULE(272, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "On linked adapters a LinkInstanced allocation has aperture space for every "
                     "GPU, and any other is mapped in the aperture of one GPU.",
        .page = "cpu-host-aperature",
        .how =
            "PhysicalAdapterIndex of DxgkDdiMapCpuHostAperture must be the home of the allocation. "
            "From WDDM 2.0 on no driver can make one that is LinkInstanced (R116).",
        .why = "Every instance has contents of its own.",
        .windows = "The system maps them so.",
        .windows_source = THE_PAGE,
        .readings = "vidmm takes one reading: the page calls the one GPU GPU 0, which of an "
                    "allocation with a PhysicalAdapterIndex is its home.",
        .wrong = "args.PhysicalAdapterIndex = 0;\n",
        .right = "args.PhysicalAdapterIndex = (WORD)allocation->info.PhysicalAdapterIndex;\n",
    },
};
