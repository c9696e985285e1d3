/*
 * group_u.c - rows of group U: several physical adapters behind one logical adapter.
 */
#define GROUP 'U'
#include "groups.h"

const struct vidmm_rule rules_u[] = {
    {
        RULE(500, MANAGER, DOCUMENTED, START_FAILS),
        .statement = "Where the driver fills DxgkDdiLinkDevice in, it is called for each device "
                     "right after DxgkDdiAddDevice.",
        .page = "nc-dispmprt-dxgkddi_link_device",
        .how =
            "Between DxgkDdiAddDevice and DxgkDdiLinkDevice of a device no other DxgkDdiAddDevice "
            "and no DxgkDdiStartDevice may come.",
        .why = "The driver learns of all devices of a chain, and the system which of them leads, "
               "before one of them starts.",
        .windows = "The system asks then.",
        .windows_source = THE_PAGE,
        .wrong = "add_device(&second);\n"
                 "link_device(&first);\n",
        .right = "add_device(&first);\n"
                 "link_device(&first);\n"
                 "add_device(&second);\n",
    },
    {
        RULE(501, DRIVER, DOCUMENTED, START_FAILS),
        .statement =
            "The devices of a chain have one ChainUid, and one NumberOfLinksInChain, which "
            "is how many of them there are.",
        .page = "ns-dispmprt-_linked_device",
        .how = "The answers to DxgkDdiLinkDevice with one ChainUid are held against the first of "
               "them, and their number against NumberOfLinksInChain. A chain of none or one is a "
               "device that is not linked.",
        .why = "By these two members the system finds which devices are one logical adapter, and "
               "when it has all of them.",
        .windows = "With a device missing the system starts in VGA mode.",
        .severity_source = PAGE("nc-dispmprt-dxgkddi_link_device"),
        .windows_source = PAGE("nc-dispmprt-dxgkddi_link_device"),
        .wrong =
            "link->NumberOfLinksInChain = ctx->Index + 1; /* those that were added so far */\n",
        .right = "link->NumberOfLinksInChain = chain->BoardsOnTheBridge;\n",
    },
    {
        RULE(502, DRIVER, DOCUMENTED, START_FAILS),
        .statement = "One device of a chain has LeadLink TRUE.",
        .page = "nc-dispmprt-dxgkddi_link_device",
        .how = "The answers to DxgkDdiLinkDevice with LeadLink are counted for each ChainUid: "
               "never two, and one when the chain is complete. Devices that are not linked to "
               "others are not judged.",
        .why = "The calls for the logical adapter have the lead's context.",
        .windows = "No page tells what a second lead ends in.",
        .windows_source = NOT_KNOWN,
        .wrong = "link->LeadLink = TRUE;\n",
        .right = "link->LeadLink = ctx->Index == 0;\n",
    },
    {
        RULE(503, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "EngineOrdinal of a report is the index of the physical adapter that the "
                     "interrupting engine belongs to, 0 where adapters are not linked.",
        .page = "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data",
        .how = "EngineOrdinal has to be below the number of physical adapters, and that of the "
               "device whose handle DxgkCbNotifyInterrupt gets. The lead may report for all of "
               "them. DmaPageFaulted is judged like the others, an inference: the page calls its "
               "member the ordinal of the engine and no more.",
        .why =
            "Fences of two adapters have equal numbers: a report for the wrong one completes work "
            "that still runs.",
        .windows = "The work of the other adapter times out, or is taken for complete.",
        .wrong = "data.DmaCompleted.EngineOrdinal = 0;\n",
        .right = "data.DmaCompleted.EngineOrdinal = ctx->Index;\n",
    },
    {
        RULE(504, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Each PhysicalAdapterIndex and EngineOrdinal of a call is the index of a "
                     "physical adapter of the link, 0 where adapters are not linked.",
        .page = "ns-d3dkmddi-_dxgkarg_resetengine",
        .how = "The index in GPUMMUCAPS, PAGETABLELEVELDESC, PHYSICALADAPTERCAPS, "
               "DxgkDdiGetRootPageTableSize, the calls for the CPU host aperture and those of the "
               "scheduler is held against the number of devices. R12 is about QUERYSEGMENT4.",
        .why =
            "A driver of linked adapters takes its per-adapter data from an array at this index.",
        .windows = "The system names adapters of the link only.",
        .wrong = "args.EngineOrdinal = node; /* of one adapter alone */\n",
        .right = "args.EngineOrdinal = context->PhysicalAdapterIndex;\n"
                 "args.NodeOrdinal = context->NodeOrdinal;\n",
    },
    {
        RULE(505, DRIVER, DISPUTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "PAGETABLELEVELDESC is answered for the level LevelIndex of the physical "
                     "adapter PhysicalAdapterIndex, members of 16 bits each.",
        .page = "ns-d3dkmddi-_dxgk_querypagetableleveldescin",
        .how = "Each level that GPUMMUCAPS of a physical adapter has must be answered, of those "
               "other than "
               "the first with bits of an index.",
        .why =
            "Both members read as one of 32 bits are the right level on the first adapter, and no "
            "level on the next one.",
        .windows = "The adapter does not start when a level is refused.",
        .readings = "vidmm takes one reading: the page describes each of the two members with the "
                    "words of the other.",
        .wrong = "UINT level = *(UINT *)args->pInputData;\n",
        .right = "const DXGK_QUERYPAGETABLELEVELDESCIN *in = args->pInputData;\n"
                 "level = &ctx->Adapter[in->PhysicalAdapterIndex].Level[in->LevelIndex];\n",
    },
    {
        RULE(506, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "EngineAffinity of a context is one bit, that of the physical adapter on which "
            "it works, and NodeOrdinal a node of that one.",
        .page = "tdr-changes-in-windows-8",
        .how = "The member is looked at in each DxgkDdiCreateContext; 0 passes where adapters are "
               "not linked.",
        .why = "No other argument tells a driver for which GPU the context is.",
        .windows = "The system sets one bit.",
        .windows_source = THE_PAGE,
        .wrong = "args.EngineAffinity = (1u << adapters) - 1;\n",
        .right = "args.EngineAffinity = 1u << physical;\n",
    },
    {
        RULE(507, MANAGER, IMPLIED, CORRUPTION),
        .statement =
            "Work goes to the physical adapter of its context, and a paging buffer to that "
            "of the system context for which it was built.",
        .page = "tdr-changes-in-windows-8",
        .how = "EngineOrdinal of Patch and SubmitCommand is held against the context's "
               "EngineAffinity. "
               "A submission of paging work must find its buffer among those that were built for a "
               "context of the same physical adapter.",
        .why = "Segments and addresses in the buffer are those of one physical adapter.",
        .windows =
            "The pages reserve EngineOrdinal of these calls; the system submits per adapter.",
        .wrong = "args.hContext = system_context[0]; /* built for physical adapter 1 */\n",
        .right = "args.hContext = buffer->system_context;\n",
    },
    {
        RULE(508, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "An entry of a page table leads to the segment Segment of the physical adapter "
            "PhysicalAdapterIndex, which may be another one than that of the table.",
        .page = "ns-d3dukmdt-_dxgk_pte",
        .how =
            "The index of each valid entry is held against the number of physical adapters. Where "
            "the GPU's translation can be seen, a page that is right but for the physical adapter "
            "is the driver's fault. R223 is about the segment.",
        .why =
            "Both adapters have a page at that address, and the wrong one is read without a fault.",
        .windows = "Nothing checks; another allocation is read or written.",
        .wrong = "hw->address = entry->PageAddress << PAGE_SHIFT;\n",
        .right = "hw->address = entry->PageAddress << PAGE_SHIFT;\n"
                 "hw->peer = (UINT)entry->PhysicalAdapterIndex;\n",
    },
    {
        RULE(509, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "All physical adapters of a link have the same number of nodes.",
        .page = "tdr-changes-in-windows-8",
        .how = "NumExecutionNodes of each physical adapter is held against that of the first.",
        .why = "The scheduler numbers nodes once, for all of them.",
        .windows = "The system supports no other link.",
        .windows_source = THE_PAGE,
        .wrong = "caps->NumExecutionNodes = in->PhysicalAdapterIndex == 0 ? 4 : 2;\n",
        .right = "caps->NumExecutionNodes = ctx->Chain->NodesOnEachBoard;\n",
    },
    {
        RULE(510, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "PhysicalAdapterIndex of DXGK_ALLOCATIONINFO is the index of a physical adapter "
            "of the link, 0 where adapters are not linked.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "The member of each created allocation is held against the number of physical "
               "adapters.",
        .why = "The segment sets beside it are of that adapter's segments. The member was "
               "MaximumRenamingListLength before WDDM 2.0.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->MaximumRenamingListLength = 64;\n",
        .right = "info->PhysicalAdapterIndex = data->PhysicalAdapterIndex;\n",
    },
    {
        RULE(511, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "QUERYSEGMENT4 describes the memory of the physical adapter that the input "
                     "names.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentin4",
        .how =
            "Ranges at CpuTranslatedAddress of two physical adapters' segments must not overlap.",
        .why = "The CPU would write the first adapter's memory for all of them.",
        .windows = "Nothing checks; locks of one adapter's allocations lead to another's.",
        .wrong = "segment->CpuTranslatedAddress = ctx->Chain->Lead->Bar;\n",
        .right =
            "segment->CpuTranslatedAddress = ctx->Chain->Board[in->PhysicalAdapterIndex]->Bar;\n",
    },
    {
        RULE(512, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An allocation is placed in segments of the physical adapter that "
                     "PhysicalAdapterIndex of its DXGK_ALLOCATIONINFO names.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Each place that a fill, a transfer or a mapping into an aperture gives it is one "
               "of that "
               "adapter's segments. Moves by GPU virtual address are not looked at.",
        .why = "Its segment sets have no meaning on another adapter.",
        .windows = "The system places it there.",
        .readings = "vidmm takes one reading: an allocation is on one physical adapter only. The "
                    "member's page says no more than that it is an index; cpu-host-aperature.md "
                    "has LinkMirrored and LinkInstanced allocations on several, with flags that "
                    "drivers of WDDM 2.0 do not have (R116).",
        .wrong = "segment = find_room(&adapter->Physical[0], allocation);\n",
        .right = "segment = find_room(&adapter->Physical[allocation->Home], allocation);\n",
    },
    {
        RULE(513, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "GPUMMUCAPS and PAGETABLELEVELDESC are asked of each physical adapter of a "
                     "link.",
        .page = "linked-display-adapter",
        .how = "An update of page tables on a physical adapter comes after answers for each of its "
               "levels.",
        .why = "Each adapter may have levels, sizes and segments of its own.",
        .windows = "The system asks each of them.",
        .windows_source = THE_PAGE,
        .wrong = "level[1] = level[0]; /* the boards are alike */\n",
        .right = "in.PhysicalAdapterIndex = (WORD)physical;\n"
                 "query(DXGKQAITYPE_PAGETABLELEVELDESC, &in, &level[physical]);\n",
    },
    {
        RULE(514, MANAGER, DOCUMENTED, START_FAILS),
        .statement = "The lead of a chain is started after all other devices of it and stopped "
                     "before them.",
        .page = "nc-dispmprt-dxgkddi_link_device",
        .how = "DxgkDdiStartDevice of each device, and DxgkDdiStopDevice or "
               "DxgkDdiStopDeviceAndReleasePostDisplayOwnership, are held against which devices "
               "are started.",
        .why = "The lead's start asks the driver about all of them.",
        .windows = "Plug and Play does so.",
        .windows_source = THE_PAGE,
        .wrong = "for (UINT i = 0; i < devices; i++)\n"
                 "    start_device(i); /* the lead is device 0 */\n",
        .right = "for (UINT i = devices; i-- > 0;)\n"
                 "    start_device(i);\n",
    },
    {
        RULE(515, DRIVER, IMPLIED, CORRUPTION),
        .reach = VIDMM_REACH_ANSWER,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DxgkDdiQueryAdapterInfo does not answer for a physical adapter that the link "
                     "does not have.",
        .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo",
        .how = "QUERYSEGMENT4, GPUMMUCAPS, PAGETABLELEVELDESC and PHYSICALADAPTERCAPS of an index "
               "that is too high must not succeed.",
        .why =
            "STATUS_INVALID_PARAMETER is the answer to a question with an error; what else comes "
            "back is from behind the driver's array.",
        .windows = "The system names adapters of the link only.",
        .wrong = "segments = ctx->Segments; /* whatever the index is */\n",
        .right = "if (in->PhysicalAdapterIndex >= ctx->Chain->Boards)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
};
