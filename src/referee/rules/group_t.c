/*
 * group_t.c - R393 to R402: residency by DMA buffers, the way of WDDM 1.x.
 *
 * What the allocation and patch-location lists of a DMA buffer tell the manager; how buffers are
 * submitted is group_k.c, how memory is moved group_e.c to group_g.c.
 */
#define GROUP 'T'
#include "groups.h"

const struct vidmm_rule rules_t[] = {
    {
        RULE(393, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Everything that a DMA buffer refers to is in a segment when the buffer is "
                     "submitted.",
        .page = "paging-video-memory-resources",
        .how =
            "The allocation list that DxgkDdiPatch gets is looked at: each element has to name a "
            "segment.",
        .why = "The GPU has no way to wait for memory that is missing.",
        .windows = "The system pages in what the lists name, and nothing else: with an empty patch "
                   "list allocations never were, and the GPU faulted.",
        .windows_source = RECORD("W9"),
        .wrong = "submit(dma_buffer);\n"
                 "page_in(texture); /* the GPU has read other bytes already */\n",
        .right = "page_in(texture);\n"
                 "patch(dma_buffer);\n"
                 "submit(dma_buffer);\n",
    },
    {
        RULE(394, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "The elements of a patch-location list come in the order in which the buffer "
                     "uses its allocations, with SplitOffset going up.",
        .page = "splitting-a-dma-buffer",
        .how = "The list that DxgkDdiRender or DxgkDdiPresent wrote is looked at from its start; "
               "several elements may share a SplitOffset. With STATUS_SUCCESS "
               "pPatchLocationListOut lies behind "
               "the last element that was updated (ns-d3dkmddi-_dxgkarg_render).",
        .why = "The manager walks the list to find out up to where a buffer can run with the "
               "memory that there is.",
        .windows = "Nothing checks it; a buffer that is split runs with allocations that are not "
                   "in place.",
        .wrong = "loc[0].SplitOffset = 256;\n"
                 "loc[1].SplitOffset = 64; /* used earlier */\n",
        .right = "loc[0].SplitOffset = 64;\n"
                 "loc[1].SplitOffset = 256;\n",
    },
    {
        RULE(395, MANAGER, DOCUMENTED, DEVICE_LOST),
        .last = LAST_WDDM1,
        .statement = "A buffer whose allocations do not fit together runs up to the split point, "
                     "where what is bound stays and the rest may be evicted.",
        .page = "splitting-a-dma-buffer",
        .how =
            "Not judged: vidmm's manager refuses a buffer that does not fit instead of splitting "
            "it. It would take submissions of parts, and what is bound at each split point.",
        .why = "Otherwise work that needs much memory could not run at all.",
        .windows = "The system submits the parts one after the other.",
        .wrong = "if (!all_fit(buffer))\n"
                 "    return STATUS_NO_MEMORY;\n",
        .right = "end = last_split_that_fits(buffer);\n"
                 "submit(buffer, start, end);\n",
    },
    {
        RULE(396, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "Slots are below MaxAllocationListSlotId, allocation indices below "
            "AllocationListSize and patch offsets inside of what the call wrote to the DMA "
            "buffer, and a later element with the same slot takes the place of the earlier one.",
        .page = "splitting-a-dma-buffer",
        .how =
            "The slots in the lists that the driver writes are compared with its capability, the "
            "indices with the list that it was given, also of commands that user mode damaged, and "
            "each PatchOffset (ns-d3dukmdt-_d3dddi_patchlocationlist) but 0xffffffff with the "
            "bytes by which DxgkDdiRender, DxgkDdiRenderKm or DxgkDdiPresent moved pDmaBuffer; "
            "what a later element does to an earlier one shows in split buffers only.",
        .why = "The manager has an array of that many slots to know what is bound.",
        .windows = "The submission is refused as malformed.",
        .wrong = "loc->SlotId = allocation->Index; /* any number */\n",
        .right = "loc->SlotId = binding_point; /* below caps.MaxAllocationListSlotId */\n",
    },
    {
        RULE(397, BOTH, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement = "A paging buffer may run between the parts of a split buffer, and each part "
                     "sets the state of the GPU that it needs.",
        .page = "splitting-a-dma-buffer",
        .how = "Not judged: vidmm's manager does not split buffers.",
        .why = "Paging uses the same engine and leaves its own state behind.",
        .windows = "Nothing checks it; the second part draws with the state of paging.",
        .wrong = "split(buffer);\n"
                 "emit_draw(buffer); /* with the state set before the split */\n",
        .right = "split(buffer);\n"
                 "emit_state(buffer);\n"
                 "emit_draw(buffer);\n",
    },
    {
        RULE(398, DRIVER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement = "A driver supports split buffers even if its GPU cannot be preempted.",
        .page = "splitting-a-dma-buffer",
        .how =
            "vidmm's manager does not split buffers. Stage room does, by hand, with commands of "
            "vidmm/umd.h: a DMA buffer is submitted in two parts, cut at a SplitOffset of its "
            "patch-location list, and its surface moves in between. Each part has to draw what "
            "its own commands draw, at the place where the surface is then. So are the DMA buffers "
            "of presents and of commands of GDI, whose surfaces stay where they are.",
        .why = "Splitting is about memory, and preemption about time.",
        .windows = "The system splits whenever memory is short.",
        .wrong = "for (UINT i = 0; i < args->PatchLocationListSubmissionLength; i++)\n"
                 "    patch(args, &args->pPatchLocationList[i]); /* those of the part before */\n",
        .right = "for (UINT i = 0; i < args->PatchLocationListSubmissionLength; i++)\n"
                 "    patch(args, &args->pPatchLocationList[args->PatchLocationListSubmissionStart "
                 "+ i]);\n",
    },
    {
        RULE(593, DRIVER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement = "DxgkDdiRender returns STATUS_SUCCESS when the entire command buffer was "
                     "translated, and goes on from MultipassOffset in the next DMA buffer before.",
        .page = "nc-d3dkmddi-dxgkddi_render",
        .how = "Stage room gives a driver that understands vidmm/umd.h more commands than its DMA "
               "buffer has room for, and more than two have, with the ends of the first two among "
               "those that draw, and compares what was drawn.",
        .why = "The system throws the command buffer away when the call succeeds.",
        .windows = "Nothing checks it; what was not translated is not drawn.",
        .wrong = "if (room < sizeof(draw))\n"
                 "    break;\n"
                 "return STATUS_SUCCESS;\n",
        .right =
            "if (room < sizeof(draw))\n"
            "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; /* MultipassOffset: the draw */\n",
    },
    {
        RULE(607, DRIVER, DISPUTED, CORRUPTION),
        .statement = "Where SegmentId of an allocation is not 0 in the list of DxgkDdiRender, "
                     "DxgkDdiRenderKm or DxgkDdiPresent, the driver writes the address that the "
                     "list has into the DMA buffer, which may be submitted without DxgkDdiPatch.",
        .page = "nc-d3dkmddi-dxgkddi_render",
        .how =
            "By the reading dma-patch=when-moved stage room submits DMA buffers whose allocations "
            "have not moved since they were built, without DxgkDdiPatch: draws of vidmm/umd.h, "
            "presents and commands of GDI. What they wrote is compared. Nothing is judged before "
            "such a buffer had its effect when it was patched. vidmm's manager patches each "
            "buffer.",
        .why = "The system leaves out a call for each buffer whose allocations stay where they "
               "are; the patch-location list is there for those that move.",
        .windows = "The system may leave DxgkDdiPatch out.",
        .windows_source = THE_PAGE,
        .wrong = "command->address = 0; /* DxgkDdiPatch will write it */\n"
                 "add(patch_list, command);\n",
        .right = "if (list[i].SegmentId != 0)\n"
                 "    command->address = list[i].PhysicalAddress.QuadPart + offset;\n"
                 "add(patch_list, command); /* it may still move */\n",
        .readings =
            "dma-patch=always: DxgkDdiPatch is called for each DMA buffer with patch "
            "locations, and the rule is not judged; dma-patch=when-moved: it is not for one "
            "whose allocations are where they were.",
    },
    {
        RULE(659, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiPatch writes the address that an allocation has in the list of that "
                     "call, wherever the list had it when the DMA buffer was built.",
        .page = "nc-d3dkmddi-dxgkddi_patch",
        .how = "Stage room builds draws of vidmm/umd.h with a list in which the surface has no "
               "segment, lies at another page, or lies in the aperture, and patches and submits "
               "them when it lies in the memory segment. What they drew is compared. Nothing is "
               "judged before such draws had their effect at a place that the first list had. The "
               "same of two DMA buffers, of which the second is built before the first is "
               "patched, and of one that is patched twice.",
        .why = "An allocation moves between the two calls, also to another segment, where both "
               "halves of its address are other ones.",
        .windows = "The GPU writes to where the allocation was.",
        .windows_source = THE_PAGE,
        .wrong =
            "command->low = (UINT)list[i].PhysicalAddress.LowPart; /* high: of DxgkDdiRender */\n",
        .right = "command->low = list[i].PhysicalAddress.LowPart;\n"
                 "command->high = (UINT)list[i].PhysicalAddress.HighPart;\n",
    },
    {
        RULE(603, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiPresent copies to, or fills, the pixels of its sub-rectangles, and "
                     "changes no others; the source of a sub-rectangle lies in SrcRect where the "
                     "sub-rectangle lies in DstRect.",
        .page = "ns-d3dkmddi-_dxgkarg_present",
        .how = "Stage room presents between two surfaces of A8R8G8B8 whose pitch the driver "
               "returned: one rectangle, several, more than two DMA buffers have room for, others "
               "that are built before those are patched; from "
               "and to "
               "each segment, with places that the driver knows at DxgkDdiPresent, learns in "
               "DxgkDdiPatch, or learns there to be others. The colours of both surfaces are "
               "compared, those of a fill with their alpha (ns-d3dkmddi-_dxgk_presentflags). "
               "A copy to a larger rectangle has pixels of SrcRect alone, if the driver takes "
               "it. A copy within a surface, to a rectangle that overlaps the source, has the "
               "pixels that were there before, unless the driver reports NoOverlapScreenBlt "
               "(ns-d3dkmddi-_dxgk_presentationcaps). A refusal has to say that the hardware "
               "cannot do it. Nothing is "
               "judged before a copy of the whole surface had any effect, here or by commands of "
               "GDI, but "
               "that what the driver built completes, nor of "
               "drivers that page by GPU virtual addresses.",
        .why = "What the desktop shows is made of such copies.",
        .windows = "Nothing checks it; windows show what belongs elsewhere.",
        .wrong = "blt(dst, &args->DstRect, src, &args->SrcRect); /* windows above it are hit */\n",
        .right = "for (i = args->MultipassOffset; i < args->SubRectCnt; i++)\n"
                 "    blt(dst, &args->pDstSubRects[i], src, mapped(&args->pDstSubRects[i]));\n",
    },
    {
        RULE(604, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN7,
        .statement =
            "DXGK_GDIOP_BITBLT with SRCCOPY and DXGK_GDIOP_COLORFILL with PATCOPY copy to, "
            "or fill, the pixels of their sub-rectangles, and change no others.",
        .page = "ns-d3dkmddi-_dxgk_gdiarg_bitblt",
        .how = "Stage room gives a driver with SupportKernelModeCommandBuffer several commands of "
               "several rectangles in one buffer, between surfaces "
               "D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE; otherwise as for R603, with "
               "NoSameBitmapOverlappedBitBlt for the copies within a surface. A refusal does not "
               "say of whole commands and open allocations that they are invalid "
               "(nc-d3dkmddi-dxgkddi_renderkm); another refusal leaves the command unexamined, "
               "which the end of the report says. Success without commands is examined as they "
               "are, once presents had an effect. What other raster "
               "operations and blends do to pixels is not judged.",
        .why = "GDI draws the rest itself, and relies on what it had drawn by the GPU.",
        .windows = "Nothing checks it; applications show what they did not draw.",
        .wrong = "x = rect->left - bitblt->DstRect.left; /* in the source */\n",
        .right = "x = rect->left - bitblt->DstRect.left + bitblt->SrcRect.left;\n",
    },
    {
        RULE(614, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiRender, DxgkDdiRenderKm and DxgkDdiPresent return one of the values "
                     "that their pages list.",
        .page = "nc-d3dkmddi-dxgkddi_render",
        .how = "Each status is compared with the page's. STATUS_INSUFFICIENT_RESOURCES, which "
               "nc-d3dkmddi-dxgkddi_present lists beside STATUS_NO_MEMORY, is taken from all of "
               "them. Stage room gives DxgkDdiRender commands that no user-mode driver would "
               "write.",
        .why = "Each value says what becomes of the commands, and of the device: refused, asked "
               "for again, lost.",
        .windows = "The pages do not say what comes of other values.",
        .windows_source = NOT_KNOWN,
        .wrong = "default:\n"
                 "    return STATUS_NOT_SUPPORTED;\n",
        .right = "default:\n"
                 "    return STATUS_ILLEGAL_INSTRUCTION;\n",
    },
    {
        RULE(615, DRIVER, IMPLIED, CORRUPTION),
        .reach = VIDMM_REACH_ANSWER,
        .statement = "Allocations that a command uses at the same time have slots of their own.",
        .page = "splitting-a-dma-buffer",
        .how = "Stage room looks at the patch-location lists of presents and of commands of GDI "
               "that copy: source and destination in one slot each time are no two allocations "
               "that are there together.",
        .why = "An element with the slot of an earlier one takes its place: the earlier allocation "
               "may be paged out before the command runs.",
        .windows = "The system evicts what is no longer in a slot when memory is short.",
        .windows_source = THE_PAGE,
        .wrong = "add(list, source, 0);\n"
                 "add(list, destination, 0); /* the source is no longer needed */\n",
        .right = "add(list, source, SLOT_SOURCE);\n"
                 "add(list, destination, SLOT_DESTINATION);\n",
    },
    {
        RULE(620, DRIVER, IMPLIED, DEVICE_LOST),
        .last = LAST_WDDM1,
        .statement = "DxgkDdiRender refuses commands that reach out of the allocations of their "
                     "list, or makes harmless ones of them.",
        .page = "nc-d3dkmddi-dxgkddi_render",
        .how = "Stage room gives a driver that understands vidmm/umd.h commands with pages behind "
               "the end of their surface, some with a first page and a count whose sum is small in "
               "32 bits, and submits what the driver takes: the GPU must not fail on it.",
        .why = "Any process may write a command buffer. What the driver does not find there, the "
               "hardware does, if anything.",
        .windows = "The GPU faults, or writes to memory of another process.",
        .wrong = "if (command.first + command.count > pages)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "if (command.first > pages || command.count > pages - command.first)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(399, MANAGER, DOCUMENTED, CREATION_FAILS),
        .statement = "A shared allocation is locked only by the process that created it.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "Not judged: the lock service does not say which process asks.",
        .why = "The driver's user-mode half in other processes does not know its layout.",
        .windows = "The lock of another process fails.",
        .wrong = "return map(allocation); /* whoever asks */\n",
        .right = "if (allocation->shared && allocation->creator != process)\n"
                 "    return STATUS_INVALID_PARAMETER;\n"
                 "return map(allocation);\n",
    },
    {
        RULE(400, DRIVER, DOCUMENTED, CREATION_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .statement = "DxgkDdiDescribeAllocation answers for primaries and for what is presented.",
        .page = "nc-d3dkmddi-dxgkddi_describeallocation",
        .how = "The answer for a primary must be a success with a width and a height; of a "
               "standard surface they and the format must be those that were asked for, and a "
               "refresh rate of a primary has a denominator. Of an adapter with video present "
               "sources it is that of D3DKMDT_SHAREDPRIMARYSURFACEDATA "
               "(ns-d3dkmddi-_dxgkarg_describeallocation). Stage objects asks for primaries of "
               "several sizes and formats; a driver that creates them has the function.",
        .why = "The system has no other way to know the size and format of what it displays.",
        .windows = "The presentation fails.",
        .wrong = "NTSTATUS APIENTRY DescribeAllocation(...) {\n"
                 "    return STATUS_NOT_IMPLEMENTED;\n"
                 "}\n",
        .right = "args->Width = allocation->Width;\n"
                 "args->Height = allocation->Height;\n"
                 "args->Format = allocation->Format;\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(401, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "The number of devices is limited by memory only; of processes, contexts and "
                     "allocations, too, those that were destroyed do not count.",
        .page = "nc-d3dkmddi-dxgkddi_createdevice",
        .how =
            "When some devices exist, one more may fail with STATUS_NO_MEMORY only. Stage objects "
            "creates 1,100 devices that exist at a time, which the page has as limited by system "
            "memory alone. It creates and destroys a process, a device and a context 1,100 times, "
            "and creates, opens, closes and destroys a standard surface 5,000 times: none fails. "
            "That "
            "is an inference from nc-d3dkmddi-dxgkddi_destroyprocess, by which the driver frees "
            "what it had of the process, and from nc-d3dkmddi-dxgkddi_destroyallocation, by which "
            "it cleans up its structures and references.",
        .why = "Every process that draws has a device, and a desktop has many.",
        .windows = "Applications beyond the limit do not start.",
        .wrong = "if (ctx->DeviceCount == 16)\n"
                 "    return STATUS_UNSUCCESSFUL;\n",
        .right = "device = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*device), TAG);\n"
                 "if (!device)\n"
                 "    return STATUS_NO_MEMORY;\n",
    },
    {
        RULE(402, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DxgkDdiValidateUpdateAllocationProperty is asked before the properties of an "
                     "allocation change.",
        .page = "ns-d3dkmddi-_dxgkarg_validateupdateallocproperty",
        .how = "A change that is granted to user mode must be one that the driver was asked about "
               "and agreed to.",
        .why = "Only the driver knows where its hardware can use the allocation.",
        .windows = "The system asks, and refuses the change when the driver does.",
        .wrong = "allocation->supported = wanted->SupportedSegmentSet;\n",
        .right = "status = driver->DxgkDdiValidateUpdateAllocationProperty(adapter, &wanted);\n"
                 "if (NT_SUCCESS(status))\n"
                 "    allocation->supported = wanted.SupportedSegmentSet;\n",
    },
};
