/*
 * group_w.c - rows of group W: displays: video present networks, the surfaces that are scanned out, vertical syncs.
 */
#define GROUP 'W'
#include "groups.h"

const struct vidmm_rule rules_w[] = {
    {
        RULE(621, DRIVER, DOCUMENTED, CORRUPTION),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A vertical sync is reported with the address of the surface that is "
                     "displayed, as DxgkDdiSetVidPnSourceAddress gave it.",
        .page = "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data",
        .how = "CrtcVsync.PhysicalAddress must be PrimaryAddress of the surface that was reported "
               "last, or of one that was set for the source since. Before the first one is set "
               "any address is right. Stage display sets three surfaces in turn.",
        .why = "The system learns from it that the hardware reads the new surface, and that the "
               "old one is free.",
        .windows = "The flip never completes, or the old surface is written, or leaves its place, "
                   "while it is on the screen.",
        .wrong = "data.CrtcVsync.PhysicalAddress.LowPart = shown; /* of 64 bits */\n",
        .right = "data.CrtcVsync.PhysicalAddress.QuadPart = (LONGLONG)shown;\n",
    },
    {
        RULE(622, DRIVER, DOCUMENTED, DEVICE_LOST),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A vertical sync is reported of a video present target, which is the ChildUid "
                     "of a child.",
        .page = "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data",
        .how = "CrtcVsync.VidPnTargetId is compared with what DxgkDdiQueryChildRelations "
               "described.",
        .why = "Each target has flips of its own that wait for its vertical sync.",
        .windows = "The flips of the target that is shown never complete.",
        .wrong = "data.CrtcVsync.VidPnTargetId = pipe; /* the hardware's number */\n",
        .right = "data.CrtcVsync.VidPnTargetId = child_uid_of[pipe];\n",
    },
    {
        RULE(624, DRIVER, DOCUMENTED, DEVICE_LOST),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A surface that DxgkDdiSetVidPnSourceAddress sets is scanned out from the "
                     "vertical sync on that follows.",
        .page = "nc-d3dkmddi-dxgkddi_setvidpnsourceaddress",
        .how = "After the call the third vertical sync of the target that is reported must be with "
               "the address of that surface. With FlipOnNextVSync, and a hardware model that has "
               "scanout, no display reads the surface when the call returns, in which the hardware "
               "stands still.",
        .why = "The application waits for its flip, and the surface before it for its end.",
        .windows = "The picture stands still, and presents wait for flips that do not complete.",
        .wrong = "adapter->primary = args->PrimaryAddress; /* and no register is written */\n"
                 "return STATUS_SUCCESS;\n",
        .right = "WriteScanOut(adapter, args->PrimaryAddress);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(633, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "DxgkDdiIsSupportedVidPn says of no network (hDesiredVidPn 0), and of one "
                     "without paths, that it is supported.",
        .page = "nc-d3dkmddi-dxgkddi_issupportedvidpn",
        .how = "Stage display asks about both, with IsVidPnSupported FALSE before: the answer must "
               "be STATUS_SUCCESS and TRUE. Before a mode is set it commits the one without paths: "
               "that DxgkDdiCommitVidPn does not fail is an inference from "
               "seamless-state-transitions-in-wddm-1-2-and-later, by which the system commits an "
               "empty network, and from determining-whether-a-vidpn-is-supported-on-a-display-"
               "adapter, by which displaying nothing is always supported.",
        .why = "An adapter can always be made to display nothing.",
        .windows = "The system cannot take a display away; no page tells what it does then.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->IsVidPnSupported = paths != 0 && Fits(args->hDesiredVidPn);\n",
        .right = "if (!args->hDesiredVidPn || paths == 0)\n"
                 "    args->IsVidPnSupported = TRUE;\n",
    },
    {
        RULE(634, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "DxgkDdiEnumVidPnCofuncModality leaves the set of modes of the enumeration's "
                     "pivot as it is, and each that has a pinned mode.",
        .page = "nc-d3dkmddi-dxgkddi_enumvidpncofuncmodality",
        .how =
            "Stage display pins a mode of a source and asks with that source as the pivot: no "
            "set may be assigned to it. On another network the same with the target; then "
            "both are pinned, and neither may get another set. On a third one nothing is pinned, "
            "and each of the two is the pivot.",
        .why = "The pivot is what the system holds on to while it looks for the modes that go "
               "with it.",
        .windows = "The mode that a user chose is lost; no page tells what the system does then.",
        .windows_source = NOT_KNOWN,
        .wrong = "AssignSourceModes(network, path->VidPnSourceId);\n",
        .right = "if (args->EnumPivotType != D3DKMDT_EPT_VIDPNSOURCE ||\n"
                 "    args->EnumPivot.VidPnSourceId != path->VidPnSourceId)\n"
                 "    AssignSourceModes(network, path->VidPnSourceId);\n",
    },
    {
        RULE(638, DRIVER, DOCUMENTED, PERFORMANCE),
        .statement = "A driver releases what it acquires of a video present network, and releases, "
                     "or assigns or adds, what it creates.",
        .page = "nc-d3dkmddi-dxgkddi_vidpn_createnewsourcemodeset",
        .how =
            "The host counts the sets of modes, the modes and the paths that are out; behind "
            "each call of the driver that gets a network there must be none. Stage display has "
            "networks in which nothing, the source's mode, the target's and both are pinned, among "
            "them modes that the driver did not offer, and paths that cross.",
        .why = "The objects are counted by reference, and the system keeps them until the last is "
               "released.",
        .windows = "Memory of the kernel is lost with each change of the displays.",
        .wrong = "network->pfnCreateNewSourceModeSet(vidpn, id, &set, &modes);\n"
                 "if (!NT_SUCCESS(AddModes(modes, set)))\n"
                 "    return STATUS_NO_MEMORY;\n",
        .right = "if (!NT_SUCCESS(AddModes(modes, set))) {\n"
                 "    network->pfnReleaseSourceModeSet(vidpn, set);\n"
                 "    return STATUS_NO_MEMORY;\n"
                 "}\n",
    },
    {
        RULE(639, DRIVER, DOCUMENTED, DEVICE_LOST),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "While DxgkDdiControlInterrupt has DXGK_INTERRUPT_CRTC_VSYNC enabled, each "
                     "vertical retrace of a visible display is reported.",
        .page = "nc-d3dkmddi-dxgkddi_controlinterrupt",
        .how = "Stage display lets half a second pass while the display is on: of hardware that "
               "shows what its displays read (scanout of hwmodel.h), or that has had vertical "
               "syncs before, one must be reported. The same where all is asked for again behind "
               "monitors that were off, a reset and D3, and of two targets that are on at once.",
        .why = "The system enables it when it waits for a flip, and disables it to save power.",
        .windows = "Flips do not complete and the picture stands still.",
        .wrong = "case DXGK_INTERRUPT_CRTC_VSYNC:\n"
                 "    return STATUS_SUCCESS; /* and it stays masked */\n",
        .right = "case DXGK_INTERRUPT_CRTC_VSYNC:\n"
                 "    MaskVsync(adapter, !EnableInterrupt);\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(640, DRIVER, DOCUMENTED, CORRUPTION),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A visible source's display reads the surface that was set for it; once the "
                     "source is invisible no display reads one of its surfaces.",
        .page = "ns-d3dkmddi-_dxgkarg_setvidpnsourcevisibility",
        .how =
            "Stage display asks the hardware where it reads (scanout of hwmodel.h), after "
            "three frames: at PrimaryAddress while the source is visible, at none of the surfaces "
            "that were set after DxgkDdiSetVidPnSourceVisibility made it invisible. What is set "
            "while it is invisible is read when it is visible again. From Windows 8 on nothing is "
            "read when DxgkDdiCommitVidPn comes with PathPoweredOff while the monitors are off, "
            "and the surface is when they are turned on again (PathPowerTransition), and "
            "when all is set again behind a reset and D3. Where the driver supports a network of "
            "two paths, two sources show surfaces, flip, hide and are committed one after the "
            "other (AffectedVidPnSourceId), which leaves the other one as it is.",
        .why = "What is no longer displayed leaves its memory to others.",
        .windows = "The monitor shows memory of somebody else.",
        .wrong = "adapter->visible = args->Visible; /* no register is written */\n",
        .right = "WriteScanOutControl(adapter, args->Visible);\n",
    },
    {
        RULE(641, MANAGER, IMPLIED, CORRUPTION),
        .statement = "The system sets a surface that is resident, at the address where it is, and "
                     "leaves it there until a display reads another.",
        .page = "ns-d3dkmddi-_dxgkarg_setvidpnsourceaddress",
        .how = "PrimarySegment and PrimaryAddress are compared with the place of hAllocation, and "
               "no operation may take that away before a vertical sync shows another surface, "
               "the source is invisible, or another network is active. With GPU virtual addresses "
               "only the second.",
        .why = "A display reads memory at all times, by physical addresses.",
        .windows = "A manager that broke this would have the monitor show somebody else's memory.",
        .wrong = "evict(primary);\nset_source_address(next);\n",
        .right = "set_source_address(next);\nwait_for_vsync(target);\nunpin(primary);\n",
    },
    {
        RULE(642, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A mode that DxgkDdiEnumVidPnCofuncModality puts into a set is cofunctional: "
                     "the network is supported with it pinned.",
        .page = "nc-d3dkmddi-dxgkddi_enumvidpncofuncmodality",
        .how =
            "Stage display pins a mode that the driver has put into the set of a source, then "
            "one of the target, and on another network in the other order, and asks "
            "DxgkDdiIsSupportedVidPn each time, where it was TRUE before. So it does with the "
            "first, the last, the smallest and the largest mode of each set, each with those "
            "of the other end that the driver then offers. The same with each rotation and scaling "
            "that the driver says the path to support where none is pinned "
            "(enumerating-cofunctional-vidpn-source-and-target-modes).",
        .why = "The system offers users the modes of these sets.",
        .windows = "A mode that is offered cannot be set.",
        .wrong = "AddMode(set, 3840, 2160); /* whatever the target has pinned */\n",
        .right = "if (Fits(mode, pinned_target))\n"
                 "    AddMode(set, mode);\n",
    },
    {
        RULE(643, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiControlInterrupt enables and disables the interrupt that it is asked "
                     "for and no other one, and answers STATUS_SUCCESS, or STATUS_NOT_IMPLEMENTED "
                     "of an interrupt that it does not control.",
        .page = "nc-d3dkmddi-dxgkddi_controlinterrupt",
        .how = "Stage display asks for DXGK_INTERRUPT_CRTC_VSYNC, enabled and disabled, by the "
               "newest of DxgkDdiControlInterrupt, DxgkDdiControlInterrupt2 (both of its states "
               "that disable) and DxgkDdiControlInterrupt3 that the driver and its interface "
               "version have. One that has the first alone is asked for "
               "DXGK_INTERRUPT_DMA_COMPLETED, too, and must return STATUS_NOT_IMPLEMENTED. While "
               "they are disabled none must be reported, but one that was on its way. Where "
               "work without commands was reported complete before, it must "
               "be while vertical syncs are disabled.",
        .why = "Only these two tell the system whether vertical syncs will come; and the system "
               "disables them to save power while the GPU works.",
        .windows = "Work that is done while nothing is flipped counts as hanging. No page tells "
                   "what the system makes of another status.",
        .windows_source = NOT_KNOWN,
        .wrong = "WRITE_REGISTER_ULONG(ctx->InterruptMask, EnableInterrupt ? ALL_EVENTS : 0);\n"
                 "return STATUS_SUCCESS;\n",
        .right = "mask = EnableInterrupt ? ctx->Mask | VSYNC : ctx->Mask & ~VSYNC;\n"
                 "WRITE_REGISTER_ULONG(ctx->InterruptMask, mask);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(658, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "DxgkDdiEnumVidPnCofuncModality gives modes to each source of a supported "
                     "network that has none pinned.",
        .page = "enumerating-cofunctional-vidpn-source-and-target-modes",
        .how =
            "Stage display asks for the modes of a network of one path that the driver supports, "
            "in which nothing is pinned: the set of its source must have a mode of graphics.",
        .why = "The system has no other modes to choose from.",
        .windows = "No page tells what is displayed then.",
        .windows_source = NOT_KNOWN,
        .wrong = "return STATUS_SUCCESS; /* the set of the source is empty, as it was */\n",
        .right = "network->pfnAssignSourceModeSet(args->hConstrainingVidPn, source, filled);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(657, DRIVER, DOCUMENTED, PERFORMANCE),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "DxgkDdiGetScanLine says whether the target is in vertical blanking mode, and "
                     "its current scan line.",
        .page = "ns-d3dkmddi-_dxgkarg_getscanline",
        .how = "Stage display asks for it at 64 moments of a frame while a mode of the target is "
               "set, until the driver refuses. Both members must be written, and ScanLine is no "
               "line behind the last one of ActiveSize where InVerticalBlank is FALSE.",
        .why = "Programs draw into the lines that are not read at present.",
        .windows = "They draw where it is seen. No page tells what the system makes of it.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->ScanLine = read_line(ctx); /* lines of the blanking, too */\n"
                 "args->InVerticalBlank = FALSE;\n",
        .right = "args->ScanLine = read_line(ctx);\n"
                 "args->InVerticalBlank = args->ScanLine >= ctx->Mode.Height;\n",
    },
    {
        RULE(647, DRIVER, DOCUMENTED, CORRUPTION),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A primary can be displayed from each segment that its segment sets have.",
        .page = "gpu-segments",
        .how = "Stage display has a shared primary of the mode in each segment that is in both of "
               "its sets (from WDDM 2.0 on in SupportedWriteSegmentSet) where none is before: "
               "DxgkDdiSetVidPnSourceAddress must take it. Where the display then reads is R640.",
        .why = "The system chooses the segment among those of the sets, and maps a primary into "
               "an aperture, or has it in a memory segment, when it is displayed.",
        .windows = "No page tells what the system does when the driver refuses: the screen has no "
                   "surface to show.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->SupportedWriteSegmentSet = VRAM_SET | APERTURE_SET; /* of a primary */\n"
                 "...\n"
                 "if (args->PrimarySegment != VRAM)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "info->SupportedReadSegmentSet = VRAM_SET;\n"
                 "info->SupportedWriteSegmentSet = VRAM_SET; /* what the display can read */\n",
    },
    {
        RULE(648, DRIVER, DOCUMENTED, DEVICE_LOST),
        .reach = VIDMM_REACH_DISPLAY,
        .statement = "A driver with FlipOnVSyncMmIo takes a flip in DxgkDdiPresent without a DMA "
                     "buffer (pDmaBuffer NULL).",
        .page = "nc-d3dkmddi-dxgkddi_present",
        .how = "Stage display asks for one before each flip, with the primary as the source and no "
               "destination: the answer must be STATUS_SUCCESS (STATUS_NO_MEMORY and "
               "STATUS_INSUFFICIENT_RESOURCES are not judged).",
        .why = "Such a flip is carried out by DxgkDdiSetVidPnSourceAddress and needs no commands.",
        .windows = "Applications that are full-screen, and the desktop itself, cannot flip; no "
                   "page tells what the system does then.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (args->DmaSize < sizeof(struct command))\n"
                 "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
        .right = "if (args->Flags.Flip && !args->pDmaBuffer)\n"
                 "    return Displayable(source) ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;\n",
    },
    {
        RULE(649, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiStopDevice resets the adapter, which raises no interrupt from then "
                     "on.",
        .page = "nc-dispmprt-dxgkddi_stop_device",
        .how = "Stage display stops the device (by "
               "DxgkDdiStopDeviceAndReleasePostDisplayOwnership, where the driver has it) while "
               "vertical syncs are enabled, some were reported, and the source is invisible: in "
               "the next three frames the hardware must raise no interrupt.",
        .why = "Its interrupt routine is disconnected, so that nobody serves and acknowledges it; "
               "what the hardware works with is freed.",
        .windows = "Not known. On a line that it shares, other devices get no interrupt either.",
        .windows_source = NOT_KNOWN,
        .wrong = "MmUnmapIoSpace(adapter->registers, adapter->register_bytes);\n"
                 "return STATUS_SUCCESS;\n",
        .right = "WriteInterruptMask(adapter, 0);\n"
                 "ResetHardware(adapter);\n"
                 "MmUnmapIoSpace(adapter->registers, adapter->register_bytes);\n"
                 "return STATUS_SUCCESS;\n",
    },
};
