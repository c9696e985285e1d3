/*
 * group_v.c - rows of group V: interrupts, the DPCs that follow them, and fences.
 */
#define GROUP 'V'
#include "groups.h"

const struct vidmm_rule rules_v[] = {
    {
        RULE(518, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "After DxgkCbNotifyInterrupt the driver queues a DPC before it leaves its "
                     "interrupt routine, or the routine of DxgkCbSynchronizeExecution.",
        .page = "nc-d3dkmddi-dxgkcb_notify_interrupt",
        .how = "At the end of each such routine that reported work, or a vertical sync, "
               "DxgkCbQueueDpc must have been called in it; its result does not matter.",
        .why = "The scheduler acts on a report in DxgkCbNotifyDpc, which the DPC calls.",
        .windows = "The work that was reported stays under way, until something else queues the "
                   "DPC or the time-out comes.",
        .wrong = "dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &completed);\n"
                 "return TRUE;\n",
        .right = "dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &completed);\n"
                 "dxgk->DxgkCbQueueDpc(dxgk->DeviceHandle);\n"
                 "return TRUE;\n",
    },
    {
        RULE(519, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiDpcRoutine calls DxgkCbNotifyDpc about the events that were reported "
                     "at interrupt time.",
        .page = "nc-d3dkmddi-dxgkcb_notify_interrupt",
        .how = "When DxgkDdiDpcRoutine returns, DxgkCbNotifyDpc must have been called since the "
               "last interrupt routine that reported work, or a vertical sync, and returned before "
               "the DPC began. Not "
               "judged for linked adapters, of which each has a DPC.",
        .why = "The scheduler must be told of the same event at DPC time: only then it submits "
               "what comes next.",
        .windows = "The work that was reported stays under way and the time-out comes.",
        .wrong = "VOID DpcRoutine(const PVOID context) { UNREFERENCED_PARAMETER(context); }\n",
        .right = "dxgk->DxgkCbNotifyDpc(dxgk->DeviceHandle);\n",
    },
    {
        RULE(520, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiInterruptRoutine returns FALSE for an interrupt that its adapter did "
                     "not generate, and TRUE for one that it did.",
        .page = "nc-dispmprt-dxgkddi_interrupt_routine",
        .how =
            "Where the interrupt is line-based (stage interrupts), the routine is called for "
            "another device on the line, when the hardware has nothing to say: FALSE. Stage power "
            "does it in PowerDeviceD3, where the hardware model has `power`. A routine "
            "that reported work must return TRUE.",
        .why = "Devices share a line: the system asks one driver after the other until one says "
               "that the interrupt was its own.",
        .windows = "The other device's interrupt is never served, or the line stays asserted and "
                   "the processor does nothing else.",
        .wrong = "return TRUE; /* whatever the hardware says */\n",
        .right = "if (ReadEvents(ctx) == 0)\n"
                 "    return FALSE;\n",
    },
    {
        RULE(521, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiInterruptRoutine dismisses the interrupt on the adapter before it "
                     "returns TRUE.",
        .page = "nc-dispmprt-dxgkddi_interrupt_routine",
        .how = "Where the interrupt is line-based (stage interrupts), the routine is called again "
               "after it returned TRUE, with nothing new from the hardware: it must return FALSE.",
        .why = "A line stays asserted for as long as the device has an interrupt.",
        .windows = "The routine is called again without end.",
        .wrong = "ULONG events = ReadEvents(ctx);\n"
                 "Report(ctx, events);\n"
                 "return events != 0;\n",
        .right = "ULONG events = ReadEvents(ctx);\n"
                 "WriteEvents(ctx, events); /* write one to clear */\n"
                 "Report(ctx, events);\n"
                 "return events != 0;\n",
    },
    {
        RULE(522, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiQueryCurrentFence answers with the fence that the hardware completed "
                     "last, and reports it before it returns where that was not done yet.",
        .page = "nc-d3dkmddi-dxgkddi_querycurrentfence",
        .how =
            "CurrentFence must be the fence that was reported last, reports that are made during "
            "the call included. Stage interrupts holds interrupts back while work completes, "
            "asks, and expects the work to have been reported.",
        .why = "The system asks when it has waited too long, because an interrupt may have been "
               "lost.",
        .windows = "Work that is done counts as hanging, and the time-out resets the adapter.",
        .wrong = "args->CurrentFence = ctx->LastReportedFence;\n",
        .right = "args->CurrentFence = ReadCompletedFence(ctx, args->NodeOrdinal);\n"
                 "ReportIfNewer(ctx, args->CurrentFence); /* by DxgkCbSynchronizeExecution */\n",
    },
    {
        RULE(619, DRIVER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED names the node of the engine that "
                     "signaled.",
        .page = "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data",
        .how = "NodeOrdinal is held against NbAsymetricProcessingNodes, EngineOrdinal is R503. "
               "That the interrupt comes at all is not asked for: the system looks at fences when "
               "work completes, too (context-monitoring).",
        .why = "By the node the system finds who waits for a fence.",
        .windows = "No page tells; who waits may do so until other work completes.",
        .windows_source = NOT_KNOWN,
        .wrong = "data.MonitoredFenceSignaled.NodeOrdinal = engine->Index + 1;\n",
        .right = "data.MonitoredFenceSignaled.NodeOrdinal = engine->Index;\n",
    },
    {
        RULE(523, DRIVER, DOCUMENTED, BUGCHECK),
        .statement =
            "A fence that is reported, or answered to DxgkDdiQueryCurrentFence, is one "
            "that work was submitted to that node with, and no older than what was reported "
            "before.",
        .page = "bug-check-0x119---video-scheduler-internal-error",
        .how =
            "A fence that is reported complete or faulted may not lie beyond the last one that "
            "was submitted to the node, the first report not before the first one, and the "
            "node must exist. Of two buffers that are reported complete, with no reset in "
            "between, the "
            "second is not the older one: SubmissionFenceId is that of the latest completed DMA "
            "buffer (ns-d3dkmddi-_dxgkargcb_notify_interrupt_data). What is reported as faulted "
            "was "
            "not reported complete before, and its fence is not that of a preemption, which stages "
            "engines and preempt ask for before work that faults; stage preempt damages the bytes "
            "of "
            "a buffer, which the hardware may take for an error. Stage paging asks for the "
            "fences before the first work of a device that was stopped after work and started "
            "again without being removed: what is reported then is judged, and no answer, since no "
            "page says that fences begin anew.",
        .why = "The scheduler takes the work with that fence for done.",
        .windows = "Bugcheck 0x119, parameter 1 is 1: an invalid fence ID.",
        .severity_source = THE_PAGE,
        .windows_source = THE_PAGE,
        .wrong =
            "data.DmaCompleted.SubmissionFenceId = ++ctx->Completed; /* a counter of ours */\n",
        .right = "data.DmaCompleted.SubmissionFenceId = ReadCompletedFence(ctx, node);\n",
    },
    {
        RULE(539, DRIVER, IMPLIED, DEVICE_LOST),
        .statement = "The GPU carries out what the driver built for paging: none of its commands "
                     "ends in an error.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The driver may not report a fault, or a page fault, of a submission of paging "
               "operations, where no other rule was broken before from which that may follow.",
        .why = "No application writes paging buffers: a command that the hardware does not "
               "understand, or an address that leads nowhere, is the driver's.",
        .windows = "Not known. What should have been moved is not, and the GPU is reset.",
        .windows_source = NOT_KNOWN,
        .wrong = "command.Destination = TableAddress + Page;\n",
        .right = "command.Destination = TableAddress + Page * sizeof(GPU_PTE);\n",
    },
    {
        RULE(605, DRIVER, IMPLIED, DEVICE_LOST),
        .statement = "Work whose commands and addresses are right does not end in a fault.",
        .page = "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data",
        .how =
            "vidmm check plays workloads and uses surfaces: a device that is lost by a fault that "
            "the driver reported, where no rule was broken before, memory was not refused and the "
            "GPU was not reset. The finding says which "
            "reset or change of power came last before; where this was the first work of an "
            "application behind it, and some was carried out before, it is R618 or R651. R539 is "
            "about paging work.",
        .why =
            "The DMA buffer, what was patched into it or the memory where it lies is not what the "
            "driver built.",
        .windows = "The device is in error, and its application ends.",
        .wrong =
            "Map(aperture, page, pfn); /* of whichever aperture: the buffer's own is another */\n",
        .right = "Map(ApertureOf(args->MapApertureSegment.SegmentId), page, pfn);\n",
    },
    {
        RULE(646, DRIVER, DISPUTED, DEVICE_LOST),
        .statement = "Work whose fence is behind 2^32 - 1, where fences begin with 0 again, is "
                     "newer than that before it, and is reported.",
        .page = "selections-in-the-gpu-hardware-queue",
        .how = "By the reading fence-ids=wrap the fences of stage interrupts come there, and its "
               "work must be reported as before. vidmm's manager has its fences wrap, too.",
        .why = "A fence has 32 bits: at 10,000 submissions a second there are no more after five "
               "days.",
        .windows = "No page tells what comes behind the last fence of 32 bits.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (fence > ctx->reported)\n"
                 "    Report(ctx, fence);\n",
        .right = "if ((LONG)(fence - ctx->reported) > 0)\n"
                 "    Report(ctx, fence);\n",
        .readings = "fence-ids=increase: fence ids only go up, and the rule is not judged; "
                    "fence-ids=wrap: 0 comes behind the last one of 32 bits.",
    },
    {
        RULE(597, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "The driver reports each DMA buffer that was submitted when the GPU is done "
                     "with it: DMA_COMPLETED with its fence, or with a later one of the node.",
        .page = "submitting-a-command-buffer",
        .how =
            "A GPU that the manager had to reset, in any run that provokes no hang, where the "
            "driver reported no fault. Stage interrupts waits for each of thousands of submissions "
            "to node 0, until the fences are beyond 2^31 (--reading fence-ids=wrap: 2^32), and of "
            "600 to each other one: none may be reported only when the manager, which has waited "
            "too long, preempts it; and lets work of two nodes, and 40 times four submissions to "
            "one, complete before the one interrupt that tells of it. The stages that submit "
            "paging work by hand wait for its fence, where no rule was "
            "broken, and other work completed before or DxgkDdiQueryCurrentFence, which is "
            "asked then, says that this work was done. Stage operations looks at the bytes that a "
            "transfer moves out when its fence is reported, and when all is idle behind that: "
            "they must not come in between.",
        .why = "Hardware works on while its interrupt is served: what completes after the routine "
               "read the fence, and before it dismissed the interrupt, is never seen.",
        .windows = "The work counts as hanging, and the time-out comes.",
        .wrong = "fence = READ_REGISTER_ULONG(ctx->Fence);\n"
                 "WRITE_REGISTER_ULONG(ctx->Acknowledge, events);\n"
                 "Report(ctx, fence);\n",
        .right = "WRITE_REGISTER_ULONG(ctx->Acknowledge, events);\n"
                 "fence = READ_REGISTER_ULONG(ctx->Fence);\n"
                 "Report(ctx, fence);\n",
    },
};
