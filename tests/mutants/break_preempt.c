/*
 * break_preempt.c - drivers and managers that get preemption and what is submitted again wrong, and
 * drivers that do so with little room in a paging or a DMA buffer.
 */
#include "mutants.h"

#include <string.h>

#include <vidmm/umd.h>

/* ---- What drivers report --------------------------------------------------------------------- */

static DXGKRNL_INTERFACE system_calls;
static void(APIENTRY *spoil_report)(DXGKARGCB_NOTIFY_INTERRUPT_DATA *report);

static VOID APIENTRY notify(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED)
        spoil_report(&report);
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls,
                               PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = notify;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

#define REPORT(NAME, SPOILING)                                                                     \
    static void APIENTRY NAME(DXGKARGCB_NOTIFY_INTERRUPT_DATA *report) {                           \
        SPOILING;                                                                                  \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        spoil_report = NAME;                                                                       \
        table->DxgkDdiStartDevice = start;                                                         \
    }

REPORT(other_request, report->DmaPreempted.PreemptionFenceId += 1000)
REPORT(old_fence, report->DmaPreempted.LastCompletedFenceId -= 1000)
REPORT(own_fence,
       report->DmaPreempted.LastCompletedFenceId = report->DmaPreempted.PreemptionFenceId)

/* What was submitted counts as completed, whether the hardware came to it or not. */
static UINT newest_submitted;

static NTSTATUS APIENTRY submit_noting_newest(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->Flags.Paging)
        newest_submitted = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void APIENTRY newest_fence(DXGKARGCB_NOTIFY_INTERRUPT_DATA *report) {
    if (newest_submitted != 0)
        report->DmaPreempted.LastCompletedFenceId = newest_submitted;
}

static void APIENTRY install_newest_fence(DRIVER_INITIALIZATION_DATA *table) {
    newest_submitted = 0;
    spoil_report = newest_fence;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommandVirtual = submit_noting_newest;
}

/* As the hardware, which forgets what a reset ended, has it; of one node. */
static UINT completed_before_reset, reset_node;

static NTSTATUS APIENTRY reset_noting(const HANDLE adapter) {
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = reset_node};
    (void)mutants_good.DxgkDdiQueryCurrentFence(adapter, &fence);
    completed_before_reset = fence.CurrentFence;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS APIENTRY submit_forgetting(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *args) {
    completed_before_reset = 0;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static void APIENTRY unsettled(DXGKARGCB_NOTIFY_INTERRUPT_DATA *report) {
    if (completed_before_reset != 0 && report->DmaPreempted.NodeOrdinal == reset_node)
        report->DmaPreempted.LastCompletedFenceId = completed_before_reset;
}

static void APIENTRY install_unsettled(DRIVER_INITIALIZATION_DATA *table) {
    completed_before_reset = 0;
    reset_node = 1; /* has paging */
    spoil_report = unsettled;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiResetFromTimeout = reset_noting;
    table->DxgkDdiSubmitCommand = submit_forgetting;
}

static void APIENTRY install_unsettled_process(DRIVER_INITIALIZATION_DATA *table) {
    install_unsettled(table);
    reset_node = 0;
}

/* The preempted work counts as completed right behind the preemption. */
static void APIENTRY completed_too(DXGKARGCB_NOTIFY_INTERRUPT_DATA *report) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA preempted = *report;
    system_calls.DxgkCbNotifyInterrupt(system_calls.DeviceHandle, &preempted);
    *report = (DXGKARGCB_NOTIFY_INTERRUPT_DATA){.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    report->DmaCompleted.SubmissionFenceId = preempted.DmaPreempted.PreemptionFenceId - 1;
    report->DmaCompleted.NodeOrdinal = preempted.DmaPreempted.NodeOrdinal;
}

static void APIENTRY install_completed_too(DRIVER_INITIALIZATION_DATA *table) {
    spoil_report = completed_too;
    table->DxgkDdiStartDevice = start;
}

/* Starts the driver with another DxgkCbNotifyInterrupt. */
static NTSTATUS start_notifying(DXGKCB_NOTIFY_INTERRUPT notify, const PVOID context,
                                PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls, PULONG sources,
                                PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = notify;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

/* Of one interrupt that tells of work and of a preemption it reports the preemption, with the fence that was reported
 * before. Nodes do not share interrupts here. */
static struct {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA completed; /* of this interrupt, and not reported yet */
    bool waits, serving;
    UINT told; /* the fence that was reported last */
} joint;

static void joint_tell(void) {
    if (joint.waits)
        system_calls.DxgkCbNotifyInterrupt(system_calls.DeviceHandle, &joint.completed);
    if (joint.waits)
        joint.told = joint.completed.DmaCompleted.SubmissionFenceId;
    joint.waits = false;
}

static VOID APIENTRY notify_joint(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (joint.serving && report.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        report.DmaCompleted.NodeOrdinal == 0) {
        joint_tell();
        joint.completed = report;
        joint.waits = true;
        return;
    }
    if (joint.waits && report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
        report.DmaPreempted.NodeOrdinal == 0) {
        joint.waits = false;
        report.DmaPreempted.LastCompletedFenceId = joint.told;
    }
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static BOOLEAN APIENTRY serve_joint(const PVOID context, ULONG message) {
    joint.serving = true;
    BOOLEAN served = mutants_good.DxgkDdiInterruptRoutine(context, message);
    joint.serving = false;
    joint_tell();
    return served;
}

static NTSTATUS APIENTRY start_joint(const PVOID context, PDXGK_START_INFO info,
                                     PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    return start_notifying(notify_joint, context, info, calls, sources, children);
}

static void APIENTRY install_joint(DRIVER_INITIALIZATION_DATA *table) {
    memset(&joint, 0, sizeof(joint));
    table->DxgkDdiStartDevice = start_joint;
    table->DxgkDdiInterruptRoutine = serve_joint;
}

/* One of two nodes alone. */
static NTSTATUS APIENTRY reset_one(const HANDLE adapter) {
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = 0};
    return mutants_good.DxgkDdiResetEngine(adapter, &reset);
}
REPLACE(DxgkDdiResetFromTimeout, reset_one)

/* What node 0 had begun when it was preempted counts as undone, and is run from its first command again. */
static struct {
    UINT work, reported; /* fences: of the newest work, and the one that was reported last */
    bool asked, begun;   /* for a preemption; with work under way */
} anew;

static NTSTATUS APIENTRY submit_anew(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (args->NodeOrdinal == 0)
        anew.work = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY submit_virtual_anew(const HANDLE adapter,
                                             const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->NodeOrdinal == 0)
        anew.work = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY preempt_anew(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    if (args->NodeOrdinal == 0)
        anew.asked = anew.work != anew.reported;
    return mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static VOID APIENTRY report_anew(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    bool completed = report.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
    if (completed && report.DmaCompleted.NodeOrdinal == 0) {
        anew.begun = anew.asked;
        if (anew.asked)
            return;
        anew.reported = report.DmaCompleted.SubmissionFenceId;
    }
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
        report.DmaPreempted.NodeOrdinal == 0) {
        if (anew.begun)
            report.DmaPreempted.LastCompletedFenceId = anew.reported;
        anew.asked = anew.begun = false;
    }
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static NTSTATUS APIENTRY start_anew(const PVOID context, PDXGK_START_INFO info,
                                    PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    memset(&anew, 0, sizeof(anew));
    return start_notifying(report_anew, context, info, calls, sources, children);
}

static void APIENTRY install_run_anew(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_anew;
    table->DxgkDdiSubmitCommand = submit_anew;
    table->DxgkDdiSubmitCommandVirtual = submit_virtual_anew;
    table->DxgkDdiPreemptCommand = preempt_anew;
}

/* Where a buffer of node 0 goes on that a preemption stopped is known by its address, and stays known when it has ended:
 * what has the same address then, and comes again, begins there. */
static struct {
    D3DGPU_VIRTUAL_ADDRESS newest, stopped; /* 0: none is known */
    UINT work, reported;                    /* fences */
    UINT offset;
} stale;

/* The bytes of node 0's work that are taken for done. */
static UINT stale_bytes(D3DGPU_VIRTUAL_ADDRESS address, UINT bytes, UINT fence,
                        DXGK_SUBMITCOMMANDFLAGS flags) {
    if (flags.Paging || bytes <= stale.offset)
        return 0;
    stale.newest = address;
    stale.work = fence;
    return flags.Resubmission && stale.stopped == address ? stale.offset : 0;
}

static NTSTATUS APIENTRY submit_stale(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (args->NodeOrdinal == 0)
        mine.DmaBufferSubmissionStartOffset +=
            stale_bytes((D3DGPU_VIRTUAL_ADDRESS)args->DmaBufferPhysicalAddress.QuadPart,
                        args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset,
                        args->SubmissionFenceId, args->Flags);
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static NTSTATUS APIENTRY submit_virtual_stale(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    DXGKARG_SUBMITCOMMANDVIRTUAL mine = *args;
    UINT done = args->NodeOrdinal == 0
                    ? stale_bytes(args->DmaBufferVirtualAddress, args->DmaBufferSize,
                                  args->SubmissionFenceId, args->Flags)
                    : 0;
    mine.DmaBufferVirtualAddress += done;
    mine.DmaBufferSize -= done;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, &mine);
}

static NTSTATUS APIENTRY preempt_stale(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    if (args->NodeOrdinal == 0 && stale.work != stale.reported && stale.stopped == 0)
        stale.stopped = stale.newest;
    return mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static VOID APIENTRY report_stale(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && data->DmaCompleted.NodeOrdinal == 0)
        stale.reported = data->DmaCompleted.SubmissionFenceId;
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY start_stale(const PVOID context, PDXGK_START_INFO info,
                                     PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    stale.newest = stale.stopped = 0;
    stale.work = stale.reported = 0;
    return start_notifying(report_stale, context, info, calls, sources, children);
}

static void APIENTRY install_begins_later(DRIVER_INITIALIZATION_DATA *table) {
    stale.offset = sizeof(struct vidmm_umd_draw);
    table->DxgkDdiStartDevice = start_stale;
    table->DxgkDdiSubmitCommand = submit_stale;
    table->DxgkDdiSubmitCommandVirtual = submit_virtual_stale;
    table->DxgkDdiPreemptCommand = preempt_stale;
}

/* As the place of another buffer, of other commands. */
static void APIENTRY install_begins_amid(DRIVER_INITIALIZATION_DATA *table) {
    install_begins_later(table);
    stale.offset = sizeof(struct vidmm_umd_packet);
}

/* Work of an application goes on, whatever the report says. */
static UINT under_way; /* fence of the newest work of node 0; 0: there is none */
static DXGKARGCB_NOTIFY_INTERRUPT_DATA at_once;

static NTSTATUS APIENTRY submit_noting_work(const HANDLE adapter,
                                            const DXGKARG_SUBMITCOMMAND *args) {
    if (args->NodeOrdinal == 0)
        under_way = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static BOOLEAN APIENTRY notify_at_once(PVOID context) {
    (void)context;
    system_calls.DxgkCbNotifyInterrupt(system_calls.DeviceHandle, &at_once);
    return system_calls.DxgkCbQueueDpc(system_calls.DeviceHandle);
}

static NTSTATUS APIENTRY preempt_at_once(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = args->NodeOrdinal};
    BOOLEAN notified = FALSE;
    if (args->NodeOrdinal != 0 || under_way == 0)
        return mutants_good.DxgkDdiPreemptCommand(adapter, args);
    (void)mutants_good.DxgkDdiQueryCurrentFence(adapter, &fence);
    at_once = (DXGKARGCB_NOTIFY_INTERRUPT_DATA){.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED};
    at_once.DmaPreempted.PreemptionFenceId = args->PreemptionFenceId;
    at_once.DmaPreempted.LastCompletedFenceId = fence.CurrentFence;
    return system_calls.DxgkCbSynchronizeExecution(system_calls.DeviceHandle, notify_at_once, NULL,
                                                   0, &notified);
}

static NTSTATUS APIENTRY start_at_once(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    system_calls = *calls;
    return mutants_good.DxgkDdiStartDevice(context, info, calls, sources, children);
}

static void APIENTRY install_preempt_at_once(DRIVER_INITIALIZATION_DATA *table) {
    under_way = 0;
    table->DxgkDdiStartDevice = start_at_once;
    table->DxgkDdiSubmitCommand = submit_noting_work;
    table->DxgkDdiPreemptCommand = preempt_at_once;
}

/* Submits the newest work of node 0 again behind a reset to which no clean-up came, and does not tell. */
static struct {
    DXGKARG_SUBMITCOMMAND work;
    bool cleaned, again;
} repeated;

static NTSTATUS APIENTRY submit_repeated(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (args->NodeOrdinal == 0) {
        repeated.work = *args;
        repeated.again = false;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY build_repeated(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    repeated.cleaned = true;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY reset_repeated(const HANDLE adapter) {
    repeated.cleaned = false;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS APIENTRY restart_repeated(const HANDLE adapter) {
    NTSTATUS status = mutants_good.DxgkDdiRestartFromTimeout(adapter);
    repeated.again = !repeated.cleaned;
    return repeated.cleaned ? status : mutants_good.DxgkDdiSubmitCommand(adapter, &repeated.work);
}

static VOID APIENTRY notify_new(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (!repeated.again)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY start_repeated(const PVOID context, PDXGK_START_INFO info,
                                        PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    return start_notifying(notify_new, context, info, calls, sources, children);
}

static void APIENTRY install_repeated(DRIVER_INITIALIZATION_DATA *table) {
    repeated.again = false;
    table->DxgkDdiStartDevice = start_repeated;
    table->DxgkDdiSubmitCommand = submit_repeated;
    table->DxgkDdiBuildPagingBuffer = build_repeated;
    table->DxgkDdiResetFromTimeout = reset_repeated;
    table->DxgkDdiRestartFromTimeout = restart_repeated;
}

/* Resets nothing while node 0 works, and does not tell what it does. */
static bool left_working;

static NTSTATUS APIENTRY reset_but_work(const HANDLE adapter) {
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = 0};
    (void)mutants_good.DxgkDdiQueryCurrentFence(adapter, &fence);
    left_working = under_way != 0 && fence.CurrentFence != under_way;
    return left_working ? STATUS_SUCCESS : mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static VOID APIENTRY notify_others(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (!left_working || data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED ||
        data->DmaCompleted.NodeOrdinal != 0)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY start_but_work(const PVOID context, PDXGK_START_INFO info,
                                        PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    return start_notifying(notify_others, context, info, calls, sources, children);
}

static void APIENTRY install_reset_but_work(DRIVER_INITIALIZATION_DATA *table) {
    under_way = 0;
    left_working = false;
    table->DxgkDdiStartDevice = start_but_work;
    table->DxgkDdiSubmitCommand = submit_noting_work;
    table->DxgkDdiResetFromTimeout = reset_but_work;
}

/* The reset turned interrupts off. */
static NTSTATUS APIENTRY restart_nothing(const HANDLE adapter) {
    (void)adapter;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiRestartFromTimeout, restart_nothing)

static VOID APIENTRY notify_all_but_preemptions(const HANDLE device,
                                                const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType != DXGK_INTERRUPT_DMA_PREEMPTED)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY start_silent(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    return start_notifying(notify_all_but_preemptions, context, info, calls, sources, children);
}
REPLACE(DxgkDdiStartDevice, start_silent)

/* Of the events of one interrupt, the first. */
static UINT told_so_far;

static BOOLEAN APIENTRY tell_anew(const PVOID context, ULONG message) {
    told_so_far = 0;
    return mutants_good.DxgkDdiInterruptRoutine(context, message);
}

static VOID APIENTRY notify_first(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (told_so_far++ == 0)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY start_first_only(const PVOID context, PDXGK_START_INFO info,
                                          PDXGKRNL_INTERFACE calls, PULONG sources,
                                          PULONG children) {
    return start_notifying(notify_first, context, info, calls, sources, children);
}

static void APIENTRY install_first_only(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_first_only;
    table->DxgkDdiInterruptRoutine = tell_anew;
}

/* ---- What drivers answer and do -------------------------------------------------------------- */

static NTSTATUS APIENTRY refuse_preempt(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_NOT_SUPPORTED;
}
REPLACE(DxgkDdiPreemptCommand, refuse_preempt)

/* Takes what comes again for done already. */
static NTSTATUS APIENTRY run_nothing_again(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (args->Flags.Resubmission)
        mine.DmaBufferSubmissionEndOffset = mine.DmaBufferSubmissionStartOffset;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommand, run_nothing_again)

/* Sure that a buffer never has less room than a page. */
static NTSTATUS APIENTRY expect_room(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT room = args->DmaSize;
    if (args->DmaSize < 64)
        args->DmaSize = 4096;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->DmaSize = room;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, expect_room)

/* Where the room is less than it likes, the operation is taken for done. */
static NTSTATUS APIENTRY leave_rest(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    bool little = args->DmaBufferWriteOffset != 0 && args->DmaSize < 64;
    return little && status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? STATUS_SUCCESS : status;
}
REPLACE(DxgkDdiBuildPagingBuffer, leave_rest)

/* ---- What managers submit again -------------------------------------------------------------- */

static NTSTATUS APIENTRY hide_again(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.Flags.Resubmission = 0;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommand, hide_again)

static NTSTATUS APIENTRY new_fence(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (args->Flags.Resubmission) {
        mine.Flags.Resubmission = 0;
        mine.SubmissionFenceId += 100;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void APIENTRY install_new_fence(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = new_fence;
    table->DxgkDdiPatch = NULL;
}

/* ---- Parts of DMA buffers --------------------------------------------------------------------- */

/* Where the only allocation of the list was when the first part was patched. */
static DXGK_ALLOCATIONLIST first_place;

static NTSTATUS APIENTRY patch_as_at_first(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH other = *args;
    if (args->PatchLocationListSubmissionStart != 0)
        other.pAllocationList = &first_place;
    else if (args->AllocationListSize == 1)
        first_place = args->pAllocationList[0];
    return mutants_good.DxgkDdiPatch(adapter, &other);
}
REPLACE(DxgkDdiPatch, patch_as_at_first)

static NTSTATUS APIENTRY submit_from_start(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND other = *args;
    if (!args->Flags.Paging)
        other.DmaBufferSubmissionStartOffset = 0;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, submit_from_start)

/* The same of paging buffers. */
static NTSTATUS APIENTRY page_from_start(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND other = *args;
    if (args->Flags.Paging)
        other.DmaBufferSubmissionStartOffset = 0;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, page_from_start)

/* As many bytes, but from the start. */
static NTSTATUS APIENTRY bytes_from_start(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND other = *args;
    if (args->Flags.Paging) {
        other.DmaBufferSubmissionStartOffset = 0;
        other.DmaBufferSubmissionEndOffset -= args->DmaBufferSubmissionStartOffset;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, bytes_from_start)

/* As many bytes, but those of the submission before. */
static NTSTATUS APIENTRY page_before(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    static UINT last_start, last_bytes;
    DXGKARG_SUBMITCOMMAND other = *args;
    UINT start = args->DmaBufferSubmissionStartOffset;
    UINT bytes = args->DmaBufferSubmissionEndOffset - start;
    if (args->Flags.Paging && start == last_start + last_bytes && bytes == last_bytes) {
        other.DmaBufferSubmissionStartOffset = last_start;
        other.DmaBufferSubmissionEndOffset = start;
    }
    last_start = start;
    last_bytes = bytes;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &other);
}
REPLACE(DxgkDdiSubmitCommand, page_before)

static NTSTATUS APIENTRY render_first_pass(const HANDLE context, DXGKARG_RENDER *args) {
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    return status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? STATUS_SUCCESS : status;
}
REPLACE(DxgkDdiRender, render_first_pass)

/* First page and count of one command get into its packet when their sum is small in 32 bits. */
static NTSTATUS APIENTRY render_small_sums(const HANDLE context, DXGKARG_RENDER *args) {
    struct vidmm_umd_command command = {.opcode = VIDMM_UMD_NOP};
    struct vidmm_umd_draw *draw = args->pDmaBuffer;
    DXGKARG_RENDER good = *args;
    if (args->CommandLength == sizeof(command))
        memcpy(&command, args->pCommand, sizeof(command));
    const uint32_t page = command.page, pages = command.pages;
    if (command.opcode != VIDMM_UMD_STAMP || page + pages >= page || page + pages > 1)
        return mutants_good.DxgkDdiRender(context, args);
    command.page = 0;
    command.pages = 1;
    good.pCommand = &command;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, &good);
    good.pCommand = args->pCommand;
    *args = good;
    if (status == STATUS_SUCCESS) {
        draw->page = page;
        draw->pages = pages;
    }
    return status;
}
REPLACE(DxgkDdiRender, render_small_sums)

static NTSTATUS APIENTRY render_skipping(const HANDLE context, DXGKARG_RENDER *args) {
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        args->MultipassOffset++;
    return status;
}
REPLACE(DxgkDdiRender, render_skipping)

#define ANEW_MOST 16384u

/* Has no bytes for commands that do nothing, and begins with the first of the others in each buffer. */
static NTSTATUS APIENTRY render_anew(const HANDLE context, DXGKARG_RENDER *args) {
    static struct vidmm_umd_command others[ANEW_MOST];
    const struct vidmm_umd_command *all = args->pCommand;
    DXGKARG_RENDER good = *args;
    UINT count = args->CommandLength / sizeof(*all), kept = 0;
    if (args->CommandLength % sizeof(*all) != 0 || count > ANEW_MOST)
        return mutants_good.DxgkDdiRender(context, args);
    for (UINT i = 0; i < count; i++)
        if (all[i].opcode != VIDMM_UMD_NOP)
            others[kept++] = all[i];
    good.pCommand = others;
    good.CommandLength = kept * (UINT)sizeof(*all);
    good.MultipassOffset = 0;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, &good);
    good.pCommand = args->pCommand;
    good.CommandLength = args->CommandLength;
    *args = good;
    return status;
}
REPLACE(DxgkDdiRender, render_anew)

/* The same for a driver that has the pass's own commands in mind when it says how far it came. */
static NTSTATUS APIENTRY render_of_call(const HANDLE context, DXGKARG_RENDER *args) {
    const UINT begun = args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        args->MultipassOffset -= begun;
    return status;
}
REPLACE(DxgkDdiRender, render_of_call)

const struct mutant mutants_preempt[] = {
    {BREAKS(277, DRIVER, "preempt", refuse_preempt, "fails DxgkDdiPreemptCommand")},
    {BREAKS(281, DRIVER, "preempt", other_request, "reports a preemption that nobody asked for")},
    {BREAKS(281, DRIVER, "preempt", old_fence,
            "forgets at a preemption which fence was completed last")},
    {BREAKS(281, DRIVER, "preempt", unsettled,
            "does not count as completed what a reset of the adapter ended")},
    {BREAKS(281, DRIVER, "preempt", unsettled_process,
            "does not count as completed what a reset ended, with paging by address"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(281, DRIVER, "preempt", own_fence, "reports the fence of the preemption as completed")},
    {BREAKS(281, DRIVER, "preempt", preempt_at_once,
            "reports a preemption while work of an application goes on")},
    {BREAKS(281, DRIVER, "preempt", joint,
            "forgets work that one interrupt tells of together with a preemption"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(281, DRIVER, "preempt", completed_too, "reports preempted work complete"),
     .consequences = {523}},
    {BREAKS(281, DRIVER, "preempt", newest_fence,
            "reports the newest fence as completed, with paging by address"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(645, DRIVER, "preempt", run_anew, "runs a preempted buffer from its first command")},
    {BREAKS(645, DRIVER, "preempt", run_anew,
            "runs a preempted buffer from its first command, with GPU virtual addresses"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(645, DRIVER, "preempt", run_anew,
            "runs a preempted buffer from its first command, at addresses of processes"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(645, DRIVER, "preempt", begins_later,
            "begins a later buffer at the same address where a preempted one went on")},
    {BREAKS(645, DRIVER, "preempt", begins_later,
            "begins a later buffer where a preempted one went on, with GPU virtual addresses"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(645, DRIVER, "preempt", begins_amid,
            "begins a later buffer amid the bytes of a command"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(618, DRIVER, "preempt", restart_nothing,
            "leaves interrupts off when the adapter was reset")},
    {BREAKS(618, DRIVER, "paging", restart_nothing,
            "leaves interrupts off when the adapter was reset in a game")},
    {BREAKS(421, DRIVER, "preempt", reset_but_work,
            "resets nothing while an application's work runs"),
     .consequences = {618}},
    {BREAKS(421, DRIVER, "preempt", repeated, "runs lost work again behind the restart")},
    {BREAKS(421, DRIVER, "preempt", reset_one,
            "resets one of two nodes, with GPU virtual addresses"),
     .consequences = {281, 611}, .settings = {{"MmuLevels", 3}}},
    {BREAKS(561, DRIVER, "preempt", first_only, "reports one event of each interrupt")},
    {BREAKS(561, DRIVER, "preempt", start_silent, "never reports a preemption")},
    {BREAKS(161, DRIVER, "preempt", run_nothing_again, "does not run what is submitted again"),
     .consequences = {176, 177, 281}},
    {BREAKS(152, DRIVER, "room", expect_room,
            "writes past the end of a buffer that is nearly full"),
     .consequences = {153, 154}},
    {BREAKS(161, DRIVER, "room", leave_rest,
            "takes an operation for done when the buffer is nearly full"),
     .consequences = {188, 194, 200}},
    {BREAKS(398, DRIVER, "room", patch_as_at_first,
            "patches the second part of a buffer with the addresses of the first")},
    {BREAKS(602, DRIVER, "operations", bytes_from_start,
            "runs as many bytes as were submitted from the start of the buffer"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(602, DRIVER, "operations", page_from_start,
            "runs a paging buffer from its start again")},
    {BREAKS(602, DRIVER, "operations", page_before,
            "runs the bytes of the submission before, where they are as many")},
    {BREAKS(398, DRIVER, "room", submit_from_start, "runs a split buffer from its start again")},
    {BREAKS(398, DRIVER, "room", submit_from_start,
            "runs a split buffer from its start again, with an aperture alone"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(398, DRIVER, "room", submit_from_start,
            "runs a split buffer that is mapped into the aperture from its start again"),
     .settings = {{"DmaBufferSegment", 1}}},
    {BREAKS(398, DRIVER, "room", patch_as_at_first,
            "patches the second part of a buffer with the addresses of the first, with an aperture "
            "alone"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(593, DRIVER, "room", render_anew,
            "translates from the first command in each DMA buffer, with an aperture alone"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(593, DRIVER, "room", render_of_call,
            "counts the commands of a pass as those of all passes")},
    {BREAKS(281, DRIVER, "preempt", completed_too,
            "reports preempted work complete, with an aperture alone"),
     MUTANTS_APERTURE_ALONE, .consequences = {523}},
    {BREAKS(421, DRIVER, "preempt", reset_but_work,
            "resets nothing while an application's work runs, with an aperture alone"),
     MUTANTS_APERTURE_ALONE, .consequences = {618}},
    {BREAKS(620, DRIVER, "room", render_small_sums,
            "adds the first page and the number of pages of a command in 32 bits")},
    {BREAKS(593, DRIVER, "room", render_first_pass,
            "counts commands as translated that had no room")},
    {BREAKS(593, DRIVER, "room", render_skipping,
            "leaves out the command at the end of each DMA buffer")},
    {BREAKS(593, DRIVER, "room", render_anew,
            "translates from the first command in each DMA buffer")},
    {BREAKS(281, MANAGER, "preempt", hide_again, "does not say that it submits again")},
    {BREAKS(281, MANAGER, "preempt", new_fence, "gives preempted paging work a new fence")},
};
const uint32_t mutants_preempt_count = sizeof(mutants_preempt) / sizeof(mutants_preempt[0]);
