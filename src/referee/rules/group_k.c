/*
 * group_k.c - R273 to R283: patching and submission.
 *
 * What happens to a DMA buffer between its building (group_e.c) and the fence that tells of its
 * end; what a DMA buffer of user mode refers to is group_t.c.
 */
#define GROUP 'K'
#include "groups.h"

const struct vidmm_rule rules_k[] = {
    {
        RULE(273, MANAGER, DISPUTED, CORRUPTION),
        .statement = "DxgkDdiPatch of a paging buffer comes with Flags.Paging and without "
                     "allocation and patch-location lists.",
        .page = "ns-d3dkmddi-_dxgkarg_patch",
        .how = "The arguments of every DxgkDdiPatch for a buffer that DxgkDdiBuildPagingBuffer "
               "filled are looked at.",
        .why = "A paging buffer has its addresses already; a driver tells by the flag that there "
               "is nothing to look up.",
        .windows = "The system passes NULL and 0.",
        .wrong = "patch.pAllocationList = left_from_the_last_render;\n"
                 "driver->DxgkDdiPatch(adapter, &patch);\n",
        .right = "memset(&patch, 0, sizeof(patch));\n"
                 "patch.Flags.Paging = 1;\n"
                 "driver->DxgkDdiPatch(adapter, &patch);\n",
        .readings = "paging-patch=yes: DxgkDdiPatch is called for paging buffers, as its page "
                    "says; paging-patch=no: it is not, as the page on submission allows.",
    },
    {
        RULE(274, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiPatch changes nothing but bytes of the buffer inside the submission's "
                     "range.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The bytes of the buffer outside of the range and the arguments are compared before "
               "and after the call: all of the buffer with the first 256 calls and every "
               "sixteenth later one, else up to 4096 bytes behind the range.",
        .why = "The rest of the buffer may be executing, or belong to the next submission.",
        .windows = "Nothing checks it; the GPU executes what was overwritten.",
        .wrong = "/* a fence behind the range */\n"
                 "memcpy((UCHAR *)args->pDmaBuffer + args->DmaBufferSubmissionEndOffset, &fence,\n"
                 "       sizeof(fence));\n",
        .right = "/* room for the fence was left when the buffer was built */\n"
                 "memcpy((UCHAR *)args->pDmaBuffer + args->DmaBufferSubmissionEndOffset -\n"
                 "           sizeof(fence),\n"
                 "       &fence, sizeof(fence));\n",
    },
    {
        RULE(275, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiPatch and DxgkDdiSubmitCommand of one range carry the same offsets "
                     "and the same fence.",
        .page = "supplying-fence-identifiers",
        .how = "The arguments of each DxgkDdiSubmitCommand are compared with those of the "
               "DxgkDdiPatch before it.",
        .why = "A driver writes the fence in one of the two calls, whichever fits its hardware.",
        .windows = "The system passes the same values.",
        .wrong = "patch.SubmissionFenceId = fence++;\n"
                 "submit.SubmissionFenceId = fence++;\n",
        .right = "patch.SubmissionFenceId = ++fence;\n"
                 "submit.SubmissionFenceId = patch.SubmissionFenceId;\n",
    },
    {
        RULE(276, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A paging buffer is submitted with Flags.Paging, the address of the whole "
                     "buffer, and the system's context or none.",
        .page = "ns-d3dkmddi-_dxgkarg_submitcommand",
        .how = "The arguments of DxgkDdiSubmitCommand for paging buffers are looked at; a context "
               "must be one that was created with SystemContext.",
        .why = "The driver adds the offsets to the address itself, and no application's context "
               "may be charged with paging.",
        .windows = "The system passes the start of the buffer.",
        .wrong = "submit.DmaBufferPhysicalAddress.QuadPart = buffer + start; /* added twice */\n"
                 "submit.DmaBufferSubmissionStartOffset = start;\n",
        .right = "submit.DmaBufferPhysicalAddress.QuadPart = buffer;\n"
                 "submit.DmaBufferSubmissionStartOffset = start;\n",
    },
    {
        RULE(277, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .statement = "DxgkDdiPatch, DxgkDdiSubmitCommand and DxgkDdiPreemptCommand return "
                     "STATUS_SUCCESS.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommand",
        .how = "The status of each is looked at.",
        .why = "The fence is given out and the scheduler counts on the work; a driver whose "
               "hardware queue is full has to wait or to hold the buffer.",
        .windows = "Any other status is bugcheck 0x119, with 0x2 for a submission or a preemption "
                   "and 0x3 for a patch.",
        .windows_source = THE_PAGE,
        .wrong = "if (ring_full(ctx))\n"
                 "    return STATUS_DEVICE_BUSY;\n",
        .right = "while (ring_full(ctx)) /* the GPU makes room in bounded time */\n"
                 "    KeStallExecutionProcessor(1);\n"
                 "ring_put(ctx, args);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(278, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "After DxgkDdiSubmitCommandVirtual answered STATUS_INVALID_PARAMETER to "
                     "malformed private data the device is in error and gets no more work, and the "
                     "fence counts as reached in its order.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommandvirtual",
        .how = "Work of the device that comes behind such an answer, by either submission call, "
               "is looked for. That the fence counts as reached in its order is the driver's own "
               "record.",
        .why = "The private data comes from user mode, which must not be able to bring the system "
               "down.",
        .windows = "The device is put in error.",
        .windows_source = THE_PAGE,
        .wrong = "ASSERT(data->Magic == MY_MAGIC); /* from user mode */\n",
        .right = "if (args->DmaBufferPrivateDataSize < sizeof(*data) || data->Magic != MY_MAGIC)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(279, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "DxgkDdiSubmitCommandVirtual returns nothing but STATUS_SUCCESS and, for DMA or "
            "private data that is malformed, STATUS_INVALID_PARAMETER.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommandvirtual",
        .how = "The status of every call is looked at. Work without private data, and paging, is "
               "well-formed; where private data that is missing is the reason it is R391.",
        .why = "As for DxgkDdiSubmitCommand, the fence is given out already.",
        .windows =
            "STATUS_INVALID_PARAMETER puts the device that the work is of in error; any other "
            "status is a bugcheck.",
        .windows_source = THE_PAGE,
        .wrong = "return STATUS_NO_MEMORY;\n",
        .right = "/* what a submission needs was allocated with its context */\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(280, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A submitted range lies in its buffer, and the ranges of a buffer follow each "
                     "other without overlapping.",
        .page = "ns-d3dkmddi-_dxgkarg_submitcommand",
        .how = "The offsets are compared with the buffer's size and with the range that was "
               "submitted before.",
        .why = "The GPU executes whatever is in the range, a second time too.",
        .windows = "The system submits what was built since the last submission.",
        .wrong = "submit.DmaBufferSubmissionStartOffset = 0; /* again from the start */\n"
                 "submit.DmaBufferSubmissionEndOffset = end;\n",
        .right = "submit.DmaBufferSubmissionStartOffset = end_of_last;\n"
                 "submit.DmaBufferSubmissionEndOffset = end;\n",
    },
    {
        RULE(602, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Of a paging buffer the GPU executes what lies between "
                     "DmaBufferSubmissionStartOffset and DmaBufferSubmissionEndOffset, once.",
        .page = "ns-d3dkmddi-_dxgkarg_submitcommand",
        .how = "Stage operations submits, from one buffer and each alone, a transfer out of pages, "
               "one into the same pages, and two into others: what was moved out has to be what "
               "was there at first, and all that was to come in has to be there. Of a driver "
               "without memory segments it maps pages by two parts of a buffer, which shows as "
               "far as the hardware's view of the aperture does.",
        .why = "One paging buffer is used for several submissions that follow each other.",
        .windows = "The system submits what was built since the last submission; by then the pages "
                   "of earlier operations may be others'.",
        .wrong =
            "ring_put(ctx, args->DmaBufferPhysicalAddress, args->DmaBufferSubmissionEndOffset);\n",
        .right =
            "ring_put(ctx, args->DmaBufferPhysicalAddress + args->DmaBufferSubmissionStartOffset,\n"
            "         args->DmaBufferSubmissionEndOffset - "
            "args->DmaBufferSubmissionStartOffset);\n",
    },
    {
        RULE(281, BOTH, DOCUMENTED, CORRUPTION),
        .statement =
            "The fences of a node go up; the driver reports a preemption with the fence "
            "completed last, and paging work that is submitted again keeps its fence and "
            "its order, comes before new work and completes then; of an engine that hangs it "
            "says that it is not responsive, and which work it hung in; what a reset ended counts "
            "as completed.",
        .page = "tdr-changes-in-windows-8",
        .how =
            "Each fence is compared with those submitted and completed on its node. The "
            "conformance check preempts queued paging work: the report must name the request and a "
            "fence between those reported and those submitted last, work of a process that was "
            "done "
            "by then must not be done again (which shows where the driver executes COPY and FILL "
            "of vidmm/umd.h), what it leaves undone must "
            "not be reported complete before it was submitted again, and must come again first, "
            "in order, from WDDM 2.0 on with Resubmission. What the report alone says was done "
            "must show in memory. It resets the engine with work queued, "
            "too: LastAbortedFenceId must be between the fence completed last and the one "
            "submitted last, and what comes behind it comes again in the same way. Where the "
            "hardware can be made to hang (HangPagingAt), Responsive of that engine must be 0 and "
            "LastAbortedFenceId the fence of the work that it hung in. Where the driver "
            "understands VIDMM_UMD_SPIN, so must be that of an application's work that hangs, with "
            "other work queued behind it, and a preemption before it, which has the fence behind "
            "that "
            "completed last; neither is reported complete behind the reset, nor is the preemption "
            "that was asked for before a reset, as a system does (R617). Work that "
            "was under way when a preemption was reported, and is not up to LastCompletedFenceId, "
            "must not be reported complete later; a preemption comes between any two instructions "
            "of a system thread of the driver's that works on the first of two submissions, too. "
            "An engine that has nothing under way says the "
            "fence "
            "completed last; stage engines resets one whose work completes just before. What hangs "
            "at "
            "GPU virtual addresses (VIDMM_UMD_PACKET_SPIN) is looked at in the same way. A "
            "preemption right after a "
            "reset of the adapter must name the fence submitted last before it, or a later one, of "
            "drivers with SupportPerEngineTDR.",
        .why = "The scheduler tells by these fences which work was done; what it takes for done "
               "and was not is lost.",
        .windows = "The system keeps a list of what is under way for each node.",
        .windows_source = THE_PAGE,
        .wrong = "submit.Flags.Resubmission = 1;\n"
                 "submit.SubmissionFenceId = ++fence; /* the GPU's waiters know the old one */\n",
        .right = "submit.Flags.Resubmission = 1;\n"
                 "submit.SubmissionFenceId = packet->fence;\n",
    },
    {
        RULE(282, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "When paging work is lost in the reset of an engine the whole adapter is "
                     "reset, and the system's own device stays usable.",
        .page = "tdr-changes-in-windows-8",
        .how = "Paging work that is under way on the engine, up to LastAbortedFenceId of a "
               "successful DxgkDdiResetEngine, must be followed by DxgkDdiResetFromTimeout; that "
               "the system's device works afterwards is not looked at.",
        .why = "Without its paging nobody knows which contents are where.",
        .windows = "The system goes on to reset the adapter.",
        .windows_source = THE_PAGE,
        .wrong = "reset_engine(node);\n"
                 "drop(packet); /* and with it the contents that it moved */\n",
        .right = "if (packet->paging)\n"
                 "    reset_adapter();\n",
    },
    {
        RULE(608, DRIVER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "DxgkDdiQueryEngineStatus succeeds.",
        .page = "nc-d3dkmddi-dxgkddi_queryenginestatus",
        .how = "The status of each call for a node that exists is looked at. Stage engines asks of "
               "each engine, with work under way and without.",
        .why =
            "The system asks when an engine took too long, to find out whether it makes progress.",
        .windows = "No page tells what follows.",
        .wrong = "if (!ring_moved(ctx))\n"
                 "    return STATUS_UNSUCCESSFUL;\n",
        .right = "args->EngineStatus.Responsive = ring_is_empty(ctx) || ring_moved(ctx);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(610, DRIVER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "Of an engine that has no work DxgkDdiQueryEngineStatus says Responsive.",
        .page = "ns-d3dkmddi-_dxgk_enginestatus",
        .how = "Responsive is looked at whenever the engine's status is asked for and nothing that "
               "was submitted to it is under way, nor a preemption. Stage engines asks of each "
               "engine twice in a row, and again after a while.",
        .why = "The system asks engines that did not time out, too, to find out which ones hang "
               "with the one that did.",
        .windows = "The engine is reset with the one that hangs, or the whole adapter is.",
        .wrong =
            "args->EngineStatus.Responsive = ring_moved(ctx); /* nothing moves in an empty one "
            "*/\n",
        .right = "args->EngineStatus.Responsive = ring_is_empty(ctx) || ring_moved(ctx);\n",
    },
    {
        RULE(606, DRIVER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "DxgkDdiQueryDependentEngineGroup succeeds, and DependentNodeOrdinalMask has "
                     "the node itself, each that DxgkDdiResetEngine resets with it, and none that "
                     "does not exist.",
        .page = "nc-d3dkmddi-dxgkddi_querydependentenginegroup",
        .how =
            "Status and mask of each call for a node that exists are looked at. Stage query asks "
            "drivers with SupportPerEngineTDR for each node. Stage engines resets a node that "
            "hangs in a VIDMM_UMD_SPIN, with work under way on another, which must complete, and "
            "with "
            "work of another that is done, and whose interrupt comes behind the reset.",
        .why =
            "The mask says which engines the scheduler has to preempt, or to reset, with the one "
            "that hangs.",
        .windows = "No page tells what a wrong mask leads to.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->DependentNodeOrdinalMask = 1; /* whichever node it is about */\n",
        .right = "args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;\n",
    },
    {
        RULE(617, DRIVER, DOCUMENTED, BUGCHECK),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "After DxgkDdiResetEngine succeeded nothing remains in the hardware's queue of "
            "the node, which is ready for new work.",
        .page = "nc-d3dkmddi-dxgkddi_resetengine",
        .how = "A fence that work had before the reset, and that is reported complete beyond "
               "LastAbortedFenceId, or behind one "
               "that was reported after it, or as faulted while it was not submitted again; a "
               "preemption that was asked for before the reset, and is reported after it. Stage "
               "engines hangs a node with GPU virtual addresses in a VIDMM_UMD_PACKET_SPIN, with "
               "work behind it, which completes behind the reset without another one; and has work "
               "complete just before the reset, whose interrupt comes behind it. Of a preemption "
               "that is asked for behind the reset something has to be reported.",
        .why = "The system counts what was aborted as done and submits the rest again: what the "
               "hardware still has runs a second time.",
        .windows = "Bugcheck 0x119, parameter 1 is 1: an invalid fence ID.",
        .windows_source = PAGE("bug-check-0x119---video-scheduler-internal-error"),
        .wrong = "WRITE_REGISTER_ULONG(ctx->Reset, 1); /* the head of the ring is 0 now */\n"
                 "return STATUS_SUCCESS;               /* and the tail where it was */\n",
        .right = "WRITE_REGISTER_ULONG(ctx->Reset, 1);\n"
                 "ring->tail = 0;\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(632, DRIVER, IMPLIED, CORRUPTION),
        .statement = "Work that was reported as faulted is not reported as completed, too.",
        .page = "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data",
        .how = "A fence that is reported complete (DMA_COMPLETED) after it was reported by "
               "DMA_FAULTED or DMA_PAGE_FAULTED, with no reset and no later work completed in "
               "between.",
        .why = "The device that the work belongs to is put into an error; whoever waits for the "
               "work learns that it did what it had to.",
        .windows = "No page tells what follows.",
        .windows_source = NOT_KNOWN,
        .wrong = "ReportPageFault(ctx, fence);\n"
                 "ReportCompleted(ctx, fence); /* the ring is empty, after all */\n",
        .right = "ReportPageFault(ctx, fence);\n"
                 "ctx->Completed = fence; /* for preemptions; the system knows */\n",
    },
    {
        RULE(611, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "Work that a reset of the adapter ended is not reported as completed behind it.",
        .page = "tdr-changes-in-windows-8",
        .how = "Of drivers with SupportPerEngineTDR: a fence that is reported as completed is "
               "compared with the one that was submitted last before DxgkDdiResetFromTimeout. "
               "Stage preempt resets behind work that is done and not reported, too.",
        .why = "The reset advances the fence completed last to the one submitted last; a report of "
               "an older one takes it back.",
        .windows = "The fence goes backwards: new work may be taken for work that is under way.",
        .wrong = "flush_queue(ctx); /* what is done and not reported stays in the other list */\n",
        .right = "flush_queue(ctx);\n"
                 "flush_unreported(ctx);\n"
                 "ctx->completed = ctx->submitted;\n",
    },
    {
        RULE(613, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "DxgkDdiCancelCommand succeeds.",
        .page = "nc-d3dkmddi-dxgkddi_cancelcommand",
        .how =
            "The status of each call. Stage preempt cancels DMA buffers of an application, which "
            "the hardware never gets, on each node of a driver that reports CancelCommandAware, "
            "and submits others behind them. vidmm's manager cancels nothing.",
        .why = "The system gives up what it had queued for a device that is lost; the driver frees "
               "what it keeps for that.",
        .windows = "Bugcheck 0x119, parameter 1 = 9, parameter 2 = the status.",
        .windows_source = THE_PAGE,
        .wrong = "return STATUS_NOT_FOUND; /* it is not in the ring */\n",
        .right = "free_of(args->pDmaBufferPrivateData);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(612, DRIVER, DOCUMENTED, PERFORMANCE),
        .statement = "The GPU runs nothing of a DMA buffer that is submitted with NullRendering, "
                     "and its fence completes.",
        .page = "ns-d3dkmddi-_dxgk_submitcommandflags",
        .how = "Drivers that understand vidmm/umd.h get commands that write memory twice: once to "
               "show that they do, and once with NullRendering. Stage room draws at addresses that "
               "are patched, and stage residency fills at GPU virtual addresses. Paging buffers "
               "never have the flag.",
        .why = "A developer measures with it what a frame takes without the time of the GPU.",
        .windows = "The system sets it only while somebody looks for what takes time; the "
                   "measurement is then one of the GPU as well.",
        .windows_source = THE_PAGE,
        .wrong = "ring_put(ctx, address, bytes, fence); /* whatever args->Flags says */\n",
        .right = "ring_put(ctx, address, args->Flags.NullRendering ? 0 : bytes, fence);\n",
    },
    {
        RULE(283, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "Before an allocation of the running context is moved the manager submits a "
                     "buffer of length zero with ContextSwitch.",
        .page = "ns-d3dkmddi-_dxgk_submitcommandflags",
        .how = "Of each node the context of the newest DxgkDdiSubmitCommand is remembered: the GPU "
               "holds its state until other work comes. No operation may take a context allocation "
               "of it, or of its device, out of its place before a submission with ContextSwitch, "
               "or a reset. Contexts with GPU virtual addresses are not looked at.",
        .why = "The GPU would save its state to where the allocation was.",
        .windows = "The system switches to its own context first.",
        .wrong = "move(context_allocation); /* its context is still on the GPU */\n",
        .right = "submit.hContext = NULL; /* no context at all, of this node: */\n"
                 "submit.NodeOrdinal = node;\n"
                 "submit.Flags.ContextSwitch = 1;\n"
                 "submit.DmaBufferSubmissionEndOffset = submit.DmaBufferSubmissionStartOffset;\n"
                 "driver->DxgkDdiSubmitCommand(adapter, &submit);\n",
    },
    {
        RULE(433, MANAGER, DOCUMENTED, BUGCHECK),
        .statement = "DxgkDdiSubmitCommand and DxgkDdiPreemptCommand are called at DISPATCH_LEVEL.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommand",
        .how = "The modelled IRQL of the thread is read when the call begins; what the driver may "
               "do there is R434. With LowIrqlPreemptCommand preemptions come at a lower level "
               "(mcdm-implementation-guidelines), and are left out.",
        .why = "The scheduler calls them with spin locks held.",
        .windows = "No page tells more than the level.",
        .windows_source = NOT_KNOWN,
        .wrong = "driver->DxgkDdiSubmitCommand(adapter, &args); /* at PASSIVE_LEVEL */\n",
        .right = "KeAcquireSpinLock(&scheduler_lock, &irql);\n"
                 "driver->DxgkDdiSubmitCommand(adapter, &args);\n",
    },
    {
        RULE(434, DRIVER, DOCUMENTED, BUGCHECK),
        .statement = "In DxgkDdiSubmitCommand and DxgkDdiPreemptCommand the driver neither waits "
                     "nor touches pageable memory.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommand",
        .how = "Not judged by a rule of the table: it is K1. The host keeps the level, names waits "
               "and functions that it forbids, and has paged pool and the pageable sections of an "
               "image out of reach meanwhile.",
        .why = "They are called at DISPATCH_LEVEL.",
        .windows = "No page tells more than the level; a page fault there is bugcheck 0xA or 0xD1.",
        .windows_source = NOT_KNOWN,
        .wrong = "KeWaitForSingleObject(&ctx->RingMutex, Executive, KernelMode, FALSE, NULL);\n",
        .right = "KeAcquireSpinLockAtDpcLevel(&ctx->RingLock);\n",
    },
    {
        RULE(470, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "A driver whose hardware needs a device for paging makes one for itself when "
                     "the adapter starts and keeps it.",
        .page = "nc-d3dkmddi-dxgkddi_submitcommand",
        .how =
            "Not judged: whether the hardware needs one, and what the driver keeps for itself, is "
            "in no call. A driver that follows the NULL of hDevice crashes, and is named for that.",
        .why = "Paging belongs to no application, so hDevice is NULL.",
        .windows = "No page tells; a driver that follows the NULL pointer is a bugcheck.",
        .windows_source = NOT_KNOWN,
        .wrong = "ring = ((struct device *)args->hDevice)->ring; /* NULL for paging */\n",
        .right = "ring = args->hDevice ? ((struct device *)args->hDevice)->ring : "
                 "ctx->PagingDevice->ring;\n",
    },
    {
        RULE(471, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "If everything is done already and was reported, DxgkDdiPreemptCommand "
                     "reports the preemption itself, synchronised with the interrupt, instead of "
                     "handing it to the hardware.",
        .page = "nc-d3dkmddi-dxgkddi_preemptcommand",
        .how =
            "Not judged: the page says that the driver should, and a report of hardware that is "
            "idle looks like one of the driver. What is required, that the report comes, is R561.",
        .why = "Idle hardware may not look at a preemption fence, and the scheduler waits for the "
               "report.",
        .windows = "No page tells; a preemption that is never reported ends in a reset.",
        .windows_source = NOT_KNOWN,
        .wrong =
            "WriteRing(ring, PREEMPT, args->PreemptionFenceId); /* whether it runs or not */\n",
        .right = "if (ring->completed == ring->submitted)\n"
                 "    DxgkCbSynchronizeExecution(device, ReportPreempted, ring, 0, &done);\n",
    },
    {
        RULE(474, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Reserved bits of DXGK_SUBMITCOMMANDFLAGS are zero.",
        .page = "ns-d3dkmddi-_dxgk_submitcommandflags",
        .how = "Flags of each submission; ContextSwitch is reserved before WDDM 1.2, Resubmission "
               "before 2.0, VirtualMachineData before 2.4.",
        .why = "A driver of a later version takes the bit for a flag.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "submit.Flags.Value = packet->flags; /* with bits of the caller's own */\n",
        .right = "submit.Flags.Value = 0;\n"
                 "submit.Flags.Paging = packet->paging;\n",
    },
    {
        RULE(561, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement =
            "Each DxgkDdiPreemptCommand that succeeds is answered by one DMA_PREEMPTED with its "
            "PreemptionFenceId, also where nothing is queued.",
        .page = "nc-d3dkmddi-dxgkddi_preemptcommand",
        .how =
            "At the end of the adapter no preemption may be left that was asked for and not "
            "reported; the "
            "conformance check preempts busy and idle nodes, and holds interrupts until one tells "
            "of work and of its preemption, or until the preemption is done while the interrupt of "
            "work is served. With GPU virtual addresses no reset may be needed meanwhile.",
        .why = "The scheduler submits nothing more to the node until the report comes.",
        .windows = "A preemption that is not reported in time ends in a reset of the GPU.",
        .windows_source = NOT_KNOWN,
        .wrong = "return STATUS_SUCCESS; /* nothing is queued, so there is nothing to report */\n",
        .right = "if (ring->completed == ring->submitted)\n"
                 "    DxgkCbSynchronizeExecution(device, ReportPreempted, ring, 0, &done);\n",
    },
    {
        RULE(645, DRIVER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "A DMA buffer that a preemption stopped in its middle goes on there when it is "
            "submitted again, in the state of its own context: each of its commands is carried "
            "out once.",
        .page = "nc-d3dkmddi-dxgkcb_createcontextallocation",
        .how =
            "Of drivers that understand VIDMM_UMD_SPIN and VIDMM_UMD_CHECK: stage preempt "
            "preempts a buffer that counts what it checks while it spins between two checks, "
            "and submits it again; then buffers of two contexts, of which both are stopped "
            "before one goes on. One that has ended comes again at its address, and is preempted "
            "while it waits behind another's. None may fault when it goes on. An engine that runs "
            "a buffer to its end is as right.",
        .why = "What was done is done a second time: a blend is applied twice, a counter counts "
               "twice.",
        .windows = "Wrong pictures, where more urgent work came between.",
        .windows_source = NOT_KNOWN,
        .wrong = "slot.SaveArea = ctx->Adapter->SaveArea; /* who was stopped last has it */\n",
        .right = "slot.SaveArea = ctx->SaveArea;\n"
                 "slot.Restore = args->Flags.Resubmission;\n",
    },
};
