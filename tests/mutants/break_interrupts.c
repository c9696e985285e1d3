/*
 * break_interrupts.c - drivers that get interrupts wrong, the DPCs that follow them, and the fences
 * that they report or are asked for.
 */
#include "mutants.h"

/* ---- Calls of the system that a driver leaves out, or spoils --------------------------------- */

static DXGKRNL_INTERFACE system_calls;
static void(APIENTRY *spoil_calls)(DXGKRNL_INTERFACE *calls);

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls,
                               PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    spoil_calls(&mine);
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

#define SPOIL_CALL(slot, function)                                                                 \
    static void APIENTRY spoil_##function(DXGKRNL_INTERFACE *calls) {                              \
        calls->slot = function;                                                                    \
    }                                                                                              \
    static void APIENTRY install_##function(DRIVER_INITIALIZATION_DATA *table) {                   \
        spoil_calls = spoil_##function;                                                            \
        table->DxgkDdiStartDevice = start;                                                         \
    }

static BOOLEAN APIENTRY queue_nothing(HANDLE device) {
    (void)device;
    return TRUE;
}
SPOIL_CALL(DxgkCbQueueDpc, queue_nothing)

static VOID APIENTRY report_ahead(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (mine.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        mine.DmaCompleted.SubmissionFenceId += 1000;
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, report_ahead)

static VOID APIENTRY report_before_first(const HANDLE device,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (mine.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        mine.DmaCompleted.SubmissionFenceId = 0;
        system_calls.DxgkCbNotifyInterrupt(device, &mine);
    }
    system_calls.DxgkCbNotifyInterrupt(device, data);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, report_before_first)

static VOID APIENTRY report_other_node(const HANDLE device,
                                       const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (mine.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        mine.DmaCompleted.NodeOrdinal += 40;
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, report_other_node)

/* One of many; asked for the fence it says how far the hardware is. */
static VOID APIENTRY report_most(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    static UINT reports;
    if (data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED || ++reports % 7 != 0)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, report_most)

/* Its own numbers of work come to their end, and it takes what has one before that for not done. */
#define NUMBERS 64u

static UINT numbered, numbered_told;
static bool behind_end;

static NTSTATUS APIENTRY submit_numbered(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    numbered++;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static VOID APIENTRY report_below_end(const HANDLE device,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        behind_end = behind_end || (numbered > numbered_told + 1 &&
                                    (numbered_told + 1) / NUMBERS != numbered / NUMBERS);
        numbered_told = numbered;
    }
    if (!behind_end)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY spoil_report_below_end(DXGKRNL_INTERFACE *calls) {
    numbered = numbered_told = 0;
    behind_end = false;
    calls->DxgkCbNotifyInterrupt = report_below_end;
}

static void APIENTRY install_report_below_end(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_below_end;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommand = submit_numbered;
}

/* Started again without having been removed, it begins with the fence of before. */
static UINT last_fence, stale_fence;

static VOID APIENTRY report_stale(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        mine.DmaCompleted.SubmissionFenceId = stale_fence;
        last_fence = data->DmaCompleted.SubmissionFenceId;
        if (stale_fence != 0)
            system_calls.DxgkCbNotifyInterrupt(device, &mine);
        stale_fence = 0;
    }
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY spoil_report_stale(DXGKRNL_INTERFACE *calls) {
    stale_fence = last_fence;
    calls->DxgkCbNotifyInterrupt = report_stale;
}

static NTSTATUS APIENTRY add_anew(const PDEVICE_OBJECT device, PVOID *context) {
    last_fence = 0;
    return mutants_good.DxgkDdiAddDevice(device, context);
}

static void APIENTRY install_report_stale(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_stale;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiAddDevice = add_anew;
}

/* Every third report is of the work before the newest. */
static VOID APIENTRY report_older(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    static UINT reports;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    system_calls.DxgkCbNotifyInterrupt(device, data);
    if (data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED || ++reports % 3 != 0)
        return;
    mine.DmaCompleted.SubmissionFenceId--;
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, report_older)

/* Some of what applications submit. */
static UINT rendered, rendered_on;

static NTSTATUS APIENTRY note_rendering(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (!args->Flags.Paging) {
        rendered = args->SubmissionFenceId;
        rendered_on = args->NodeOrdinal;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static BOOLEAN is_rendered(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    return data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && rendered != 0 &&
           data->DmaCompleted.SubmissionFenceId == rendered &&
           data->DmaCompleted.NodeOrdinal == rendered_on;
}

static void make_fault(DXGKARGCB_NOTIFY_INTERRUPT_DATA *fault,
                       const DXGKARGCB_NOTIFY_INTERRUPT_DATA *completed) {
    fault->InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    fault->DmaFaulted.FaultedFenceId = completed->DmaCompleted.SubmissionFenceId;
    fault->DmaFaulted.Status = STATUS_UNSUCCESSFUL;
    fault->DmaFaulted.NodeOrdinal = completed->DmaCompleted.NodeOrdinal;
    fault->DmaFaulted.EngineOrdinal = completed->DmaCompleted.EngineOrdinal;
}

static VOID APIENTRY report_fault(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    static UINT reports;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (is_rendered(data) && ++reports % 4 == 0)
        make_fault(&mine, data);
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}

static void APIENTRY spoil_report_fault(DXGKRNL_INTERFACE *calls) {
    rendered = 0;
    calls->DxgkCbNotifyInterrupt = report_fault;
}

static void APIENTRY install_report_fault(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_fault;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommand = note_rendering;
}

/* The commands of a reset adapter end in errors. */
static bool was_reset;

static VOID APIENTRY report_fault_again(const HANDLE device,
                                        const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (was_reset && data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        make_fault(&mine, data);
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}

static void APIENTRY spoil_report_fault_again(DXGKRNL_INTERFACE *calls) {
    was_reset = false;
    calls->DxgkCbNotifyInterrupt = report_fault_again;
}

static NTSTATUS APIENTRY restart_unready(const HANDLE adapter) {
    was_reset = true;
    return mutants_good.DxgkDdiRestartFromTimeout(adapter);
}

static void APIENTRY install_report_fault_again(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_fault_again;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiRestartFromTimeout = restart_unready;
}

/* Of applications alone: what their commands need is lost, and paging goes on. */
static VOID APIENTRY report_lost_again(const HANDLE device,
                                       const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (was_reset && is_rendered(data))
        make_fault(&mine, data);
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}

static void APIENTRY spoil_report_lost_again(DXGKRNL_INTERFACE *calls) {
    was_reset = false;
    rendered = 0;
    calls->DxgkCbNotifyInterrupt = report_lost_again;
}

static void APIENTRY install_report_lost_again(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_lost_again;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommand = note_rendering;
    table->DxgkDdiRestartFromTimeout = restart_unready;
}

static NTSTATUS APIENTRY wake_unready(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                      POWER_ACTION action) {
    was_reset = was_reset || (uid == 0xffffffffu && state == PowerDeviceD0);
    return mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
}

static void APIENTRY install_report_lost_awake(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_lost_again;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommand = note_rendering;
    table->DxgkDdiSetPowerState = wake_unready;
}

/* What a reset ended is reported with the first work behind it. */
static UINT submitted_last, ended;

static NTSTATUS APIENTRY note_submission(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    submitted_last = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY note_reset(const HANDLE adapter) {
    ended = submitted_last;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static VOID APIENTRY report_ended(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && ended != 0) {
        mine.DmaCompleted.SubmissionFenceId = ended;
        ended = 0;
        system_calls.DxgkCbNotifyInterrupt(device, &mine);
    }
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY spoil_report_ended(DXGKRNL_INTERFACE *calls) {
    calls->DxgkCbNotifyInterrupt = report_ended;
}

/* The same of what the reset of an engine left to be submitted again. */
static NTSTATUS APIENTRY note_virtual_submission(const HANDLE adapter,
                                                 const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (!args->Flags.Paging)
        submitted_last = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY note_engine_reset(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    bool left = args->NodeOrdinal == 0 && submitted_last > args->LastAbortedFenceId;
    ended = left ? submitted_last : 0;
    return status;
}

static void APIENTRY install_report_left(DRIVER_INITIALIZATION_DATA *table) {
    ended = submitted_last = 0;
    spoil_calls = spoil_report_ended;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommandVirtual = note_virtual_submission;
    table->DxgkDdiResetEngine = note_engine_reset;
}

static void APIENTRY install_report_ended(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_ended;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommand = note_submission;
    table->DxgkDdiResetFromTimeout = note_reset;
}

/* Nodes that count from one. */
static VOID APIENTRY signal_beyond(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    if (mine.InterruptType == DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED)
        mine.MonitoredFenceSignaled.NodeOrdinal += 1;
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, signal_beyond)

/* As where nobody wrote it. */
static VOID APIENTRY report_with_flags(const HANDLE device,
                                       const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    mine.Flags.Value = 0xa5a5a5a4;
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}
SPOIL_CALL(DxgkCbNotifyInterrupt, report_with_flags)

/* ---- Routines -------------------------------------------------------------------------------- */

static VOID APIENTRY end_quietly(const PVOID context) {
    (void)context;
}
REPLACE(DxgkDdiDpcRoutine, end_quietly)

static BOOLEAN APIENTRY claim_all(const PVOID context, ULONG message) {
    (void)mutants_good.DxgkDdiInterruptRoutine(context, message);
    return TRUE;
}
REPLACE(DxgkDdiInterruptRoutine, claim_all)

static BOOLEAN APIENTRY claim_none(const PVOID context, ULONG message) {
    (void)mutants_good.DxgkDdiInterruptRoutine(context, message);
    return FALSE;
}
REPLACE(DxgkDdiInterruptRoutine, claim_none)

/* The event is still set when the routine is called again. */
static BOOLEAN APIENTRY dismiss_late(const PVOID context, ULONG message) {
    static BOOLEAN left;
    BOOLEAN before = left;
    left = mutants_good.DxgkDdiInterruptRoutine(context, message);
    return left || before;
}
REPLACE(DxgkDdiInterruptRoutine, dismiss_late)

/* Dismisses what all nodes have to say, and serves the first of them that has. */
#define NO_NODE UINT32_MAX
static UINT served;
static bool serving;

static BOOLEAN APIENTRY serve_first(const PVOID context, ULONG message) {
    served = NO_NODE;
    serving = true;
    BOOLEAN claimed = mutants_good.DxgkDdiInterruptRoutine(context, message);
    serving = false;
    return claimed;
}

static VOID APIENTRY report_first_node(const HANDLE device,
                                       const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    bool completed = data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
    if (completed && serving && served == NO_NODE)
        served = data->DmaCompleted.NodeOrdinal;
    if (!completed || !serving || served == data->DmaCompleted.NodeOrdinal)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY spoil_serve_first(DXGKRNL_INTERFACE *calls) {
    calls->DxgkCbNotifyInterrupt = report_first_node;
}

static void APIENTRY install_serve_first(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_serve_first;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiInterruptRoutine = serve_first;
}

/* Reports what is newer than what it reported last, of the first nodes, by numbers with a sign or without one. */
static UINT reported[2];

static void report_newer(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data,
                         bool newer) {
    bool completed = data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
    if (completed && newer)
        reported[data->DmaCompleted.NodeOrdinal & 1u] = data->DmaCompleted.SubmissionFenceId;
    if (!completed || newer)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static VOID APIENTRY report_signed(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    INT last = (INT)reported[data->DmaCompleted.NodeOrdinal & 1u];
    report_newer(device, data, (INT)data->DmaCompleted.SubmissionFenceId > last);
}

static VOID APIENTRY report_unsigned(const HANDLE device,
                                     const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    UINT last = reported[data->DmaCompleted.NodeOrdinal & 1u];
    report_newer(device, data, data->DmaCompleted.SubmissionFenceId > last);
}

/* What it reported last outlives the start of the device, behind which fences begin anew. */
static void APIENTRY spoil_report_kept(DXGKRNL_INTERFACE *calls) {
    calls->DxgkCbNotifyInterrupt = report_unsigned;
}

static void APIENTRY install_report_kept(DRIVER_INITIALIZATION_DATA *table) {
    reported[0] = reported[1] = 0;
    spoil_calls = spoil_report_kept;
    table->DxgkDdiStartDevice = start;
}

static void APIENTRY spoil_report_signed(DXGKRNL_INTERFACE *calls) {
    reported[0] = reported[1] = 0;
    calls->DxgkCbNotifyInterrupt = report_signed;
}

static void APIENTRY install_report_signed(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_signed;
    table->DxgkDdiStartDevice = start;
}

static void APIENTRY spoil_report_unsigned(DXGKRNL_INTERFACE *calls) {
    reported[0] = reported[1] = 0;
    calls->DxgkCbNotifyInterrupt = report_unsigned;
}

static void APIENTRY install_report_unsigned(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_unsigned;
    table->DxgkDdiStartDevice = start;
}

/* Serves the device when it is told to preempt, and not before. */
static BOOLEAN told_to_preempt;
static BOOLEAN APIENTRY serve_preempted(const PVOID context, ULONG message) {
    return told_to_preempt && mutants_good.DxgkDdiInterruptRoutine(context, message);
}

static NTSTATUS APIENTRY begin_to_serve(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    told_to_preempt = TRUE;
    return mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static NTSTATUS APIENTRY submit_unserved(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    told_to_preempt = FALSE;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static void APIENTRY install_serve_preempted(DRIVER_INITIALIZATION_DATA *table) {
    told_to_preempt = FALSE;
    table->DxgkDdiInterruptRoutine = serve_preempted;
    table->DxgkDdiPreemptCommand = begin_to_serve;
    table->DxgkDdiSubmitCommand = submit_unserved;
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static UINT heard[2]; /* the fence that was reported last, of the first nodes */

static VOID APIENTRY note_report(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && data->DmaCompleted.NodeOrdinal < 2)
        heard[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY spoil_note_report(DXGKRNL_INTERFACE *calls) {
    heard[0] = heard[1] = 0;
    calls->DxgkCbNotifyInterrupt = note_report;
}

static NTSTATUS APIENTRY answer_heard(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *args) {
    (void)adapter;
    args->CurrentFence = heard[args->NodeOrdinal & 1u];
    return STATUS_SUCCESS;
}

static void APIENTRY install_answer_heard(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_note_report;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiQueryCurrentFence = answer_heard;
}

/* What faults has the fence that was completed before it. */
static VOID APIENTRY report_fault_before(const HANDLE device,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    bool page = data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    UINT before =
        heard[(page ? data->DmaPageFaulted.NodeOrdinal : data->DmaFaulted.NodeOrdinal) & 1u];
    if (page && before != 0)
        mine.DmaPageFaulted.FaultedFenceId = before;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_FAULTED)
        mine.DmaFaulted.FaultedFenceId = before;
    note_report(device, &mine);
}

static void APIENTRY spoil_report_fault_before(DXGKRNL_INTERFACE *calls) {
    heard[0] = heard[1] = 0;
    calls->DxgkCbNotifyInterrupt = report_fault_before;
}

static void APIENTRY install_report_fault_before(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_fault_before;
    table->DxgkDdiStartDevice = start;
}

/* Asked for the fence before the first work of such a start, it reports that the hardware has another one now. */
static VOID APIENTRY report_noting(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        last_fence = data->DmaCompleted.SubmissionFenceId;
    stale_fence = 0;
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY spoil_ask_stale(DXGKRNL_INTERFACE *calls) {
    stale_fence = last_fence;
    calls->DxgkCbNotifyInterrupt = report_noting;
}

static BOOLEAN APIENTRY report_no_fence(PVOID context) {
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA report = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    (void)context;
    system_calls.DxgkCbNotifyInterrupt(system_calls.DeviceHandle, &report);
    return system_calls.DxgkCbQueueDpc(system_calls.DeviceHandle);
}

static NTSTATUS APIENTRY ask_stale(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *args) {
    BOOLEAN told;
    if (stale_fence != 0)
        (void)system_calls.DxgkCbSynchronizeExecution(system_calls.DeviceHandle, report_no_fence,
                                                      NULL, 0, &told);
    stale_fence = 0;
    return mutants_good.DxgkDdiQueryCurrentFence(adapter, args);
}

static void APIENTRY install_ask_stale(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_ask_stale;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiAddDevice = add_anew;
    table->DxgkDdiQueryCurrentFence = ask_stale;
}

static NTSTATUS APIENTRY answer_old(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryCurrentFence(adapter, args);
    args->CurrentFence -= 1;
    return status;
}
REPLACE(DxgkDdiQueryCurrentFence, answer_old)

static NTSTATUS APIENTRY answer_ahead(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryCurrentFence(adapter, args);
    args->CurrentFence += 1000;
    return status;
}
REPLACE(DxgkDdiQueryCurrentFence, answer_ahead)

/* The fence that it noted last, of the first nodes: after it had told the hardware of the work. */
static UINT noted[2];

static NTSTATUS APIENTRY note_late(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    noted[args->NodeOrdinal & 1u] = args->SubmissionFenceId;
    return status;
}

static VOID APIENTRY report_noted(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA mine = *data;
    UINT known = noted[mine.DmaCompleted.NodeOrdinal & 1u];
    if (mine.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        (INT)(mine.DmaCompleted.SubmissionFenceId - known) > 0)
        mine.DmaCompleted.SubmissionFenceId = known;
    system_calls.DxgkCbNotifyInterrupt(device, &mine);
}

static void APIENTRY spoil_report_noted(DXGKRNL_INTERFACE *calls) {
    calls->DxgkCbNotifyInterrupt = report_noted;
}

static void APIENTRY install_note_late(DRIVER_INITIALIZATION_DATA *table) {
    spoil_calls = spoil_report_noted;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiSubmitCommand = note_late;
}

#define RING 2048u /* entries of a queue that does not come round */

static uint32_t submissions; /* to node 0 */

static NTSTATUS APIENTRY submit_once_round(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *args) {
    bool room = args->NodeOrdinal != 0 || submissions++ < RING;
    return room ? mutants_good.DxgkDdiSubmitCommand(adapter, args) : STATUS_SUCCESS;
}

static void APIENTRY install_submit_once_round(DRIVER_INITIALIZATION_DATA *table) {
    submissions = 0;
    table->DxgkDdiSubmitCommand = submit_once_round;
}

#define STANDS_AFTER 250u /* submissions */
#define NODES_KNOWN  4u

/* Nodes whose engine carries out nothing any more, until it is reset. */
static struct {
    uint32_t submissions;
    bool stands;
} standing[NODES_KNOWN];

static NTSTATUS APIENTRY submit_standing(const HANDLE adapter,
                                         const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    uint32_t node = args->NodeOrdinal % NODES_KNOWN;
    standing[node].stands =
        standing[node].stands || ++standing[node].submissions % STANDS_AFTER == 0;
    return standing[node].stands ? STATUS_SUCCESS
                                 : mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY preempt_standing(const HANDLE adapter,
                                          const DXGKARG_PREEMPTCOMMAND *args) {
    return standing[args->NodeOrdinal % NODES_KNOWN].stands
               ? STATUS_SUCCESS
               : mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static NTSTATUS APIENTRY reset_standing(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    standing[args->NodeOrdinal % NODES_KNOWN].stands = false;
    return mutants_good.DxgkDdiResetEngine(adapter, args);
}

static NTSTATUS APIENTRY reset_all_standing(const HANDLE adapter) {
    memset(standing, 0, sizeof(standing));
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static void APIENTRY install_submit_standing(DRIVER_INITIALIZATION_DATA *table) {
    memset(standing, 0, sizeof(standing));
    table->DxgkDdiSubmitCommandVirtual = submit_standing;
    table->DxgkDdiPreemptCommand = preempt_standing;
    table->DxgkDdiResetEngine = reset_standing;
    table->DxgkDdiResetFromTimeout = reset_all_standing;
}

#define GAP 1000u /* submissions of applications */

static uint32_t before_gap;

static NTSTATUS APIENTRY submit_with_gap(const HANDLE adapter,
                                         const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    return !args->Flags.Paging && ++before_gap == GAP
               ? STATUS_SUCCESS
               : mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void APIENTRY install_submit_with_gap(DRIVER_INITIALIZATION_DATA *table) {
    before_gap = 0;
    table->DxgkDdiSubmitCommandVirtual = submit_with_gap;
}

/* ---- Reported before it is done -------------------------------------------------------------- */

/* Where the newest transfer moves out, until its fence was reported: its first page is written when the DPC has run. */
static PMDL late_list;
static UINT late_fence; /* 0: it was not submitted */
static bool late_told;

static NTSTATUS APIENTRY build_late(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    bool out =
        args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.Destination.SegmentId == 0;
    late_list = out ? args->Transfer.Destination.pMdl : NULL;
    late_fence = 0;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY submit_late(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    late_fence = late_fence == 0 && late_list ? args->SubmissionFenceId : late_fence;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static VOID APIENTRY notify_late(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    late_told = late_list && data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
                late_fence == data->DmaCompleted.SubmissionFenceId;
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static VOID APIENTRY dpc_late(const PVOID context) {
    static unsigned char bytes[4096];
    unsigned char *page = late_told ? MmMapLockedPagesSpecifyCache(late_list, KernelMode, MmCached,
                                                                   NULL, FALSE, NormalPagePriority)
                                    : NULL;
    if (page) {
        memcpy(bytes, page, sizeof(bytes));
        memset(page, 0x3c, sizeof(bytes));
    }
    mutants_good.DxgkDdiDpcRoutine(context);
    if (!page)
        return;
    memcpy(page, bytes, sizeof(bytes));
    MmUnmapLockedPages(page, late_list);
    late_list = NULL;
    late_told = false;
}

static void APIENTRY spoil_late(DXGKRNL_INTERFACE *calls) {
    calls->DxgkCbNotifyInterrupt = notify_late;
}

static void APIENTRY install_late(DRIVER_INITIALIZATION_DATA *table) {
    late_list = NULL;
    late_fence = 0;
    late_told = false;
    spoil_calls = spoil_late;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiBuildPagingBuffer = build_late;
    table->DxgkDdiSubmitCommand = submit_late;
    table->DxgkDdiDpcRoutine = dpc_late;
}

const struct mutant mutants_interrupts[] = {
    {BREAKS(597, DRIVER, "interrupts", submit_with_gap,
            "loses one submission, which comes again when it was preempted"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(597, DRIVER, "objects", submit_standing,
            "has engines that stand still now and then, which a reset helps"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(597, DRIVER, "operations", late, "reports transfers before their bytes are there"),
     .consequences = {161, 176, 183, 184, 185, 162, 188}},
    {BREAKS(597, DRIVER, "interrupts", submit_once_round,
            "loses what is submitted when its queue has come to its end")},
    {BREAKS(518, DRIVER, "interrupts", queue_nothing, "queues no DPC after it reported work")},
    {BREAKS(619, DRIVER, "residency", signal_beyond,
            "counts nodes from one when a monitored fence is signaled"),
     .settings = {{"MmuLevels", 4},
                  {"Nodes", 1},
                  {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_2}}},
    {BREAKS(519, DRIVER, "interrupts", end_quietly,
            "has a DPC that does not call DxgkCbNotifyDpc")},
    {BREAKS(520, DRIVER, "interrupts", claim_all, "claims the interrupts of other devices"),
     .consequences = {521}},
    {BREAKS(520, DRIVER, "interrupts", claim_all,
            "claims the interrupts of other devices, with an aperture alone to map"),
     .consequences = {521}, .settings = {{"MmuLevels", 3}}},
    {BREAKS(520, DRIVER, "interrupts", claim_none, "does not claim its own interrupts")},
    {BREAKS(521, DRIVER, "interrupts", dismiss_late,
            "has the interrupt it served still asserted when it returns"),
     .consequences = {520}},
    {BREAKS(522, DRIVER, "interrupts", answer_heard,
            "answers with the fence that it reported last, whatever the hardware has done")},
    {BREAKS(522, DRIVER, "interrupts", answer_heard,
            "answers with the fence that it reported last, with paging by address"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(522, DRIVER, "interrupts", answer_old,
            "answers with the fence before the current one")},
    {BREAKS(523, DRIVER, "interrupts", answer_ahead,
            "answers with a fence that was never submitted"),
     .consequences = {522}},
    {BREAKS(523, DRIVER, "interrupts", report_ahead, "reports a fence that was never submitted")},
    {BREAKS(523, DRIVER, "interrupts", report_before_first, "reports fence 0, of no work")},
    {BREAKS(523, DRIVER, "interrupts", report_other_node, "reports a node that does not exist")},
    {BREAKS(523, DRIVER, "paging", ask_stale,
            "reports fence 0 when it is asked for the fence before the work of a second start")},
    {BREAKS(618, DRIVER, "preempt", report_fault_again,
            "leaves the hardware of a reset adapter without what its commands need")},
    {BREAKS(597, DRIVER, "interrupts", report_below_end,
            "compares numbers of its own that come to their end while work is under way"),
     .consequences = {522}},
    {BREAKS(618, DRIVER, "paging", report_lost_again,
            "leaves the hardware of a reset adapter without what applications' commands need")},
    {BREAKS(651, DRIVER, "power", report_lost_awake,
            "leaves the hardware in D0 without what applications' commands need")},
    {BREAKS(523, DRIVER, "paging", report_stale,
            "is stopped and started, and begins with the fence of before")},
    {BREAKS(523, DRIVER, "interrupts", report_older, "reports work again after later work")},
    {BREAKS(605, DRIVER, "paging", report_fault, "reports faults of work that was done")},
    {BREAKS(611, DRIVER, "preempt", report_ended,
            "reports work that a reset ended with the first work behind it")},
    {BREAKS(617, DRIVER, "engines", report_left,
            "reports work that the reset of its engine left undone"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(117, DRIVER, "interrupts", report_with_flags, "reports with Flags that nobody wrote")},
    {BREAKS(597, DRIVER, "operations", report_most, "loses one of its reports in seven"),
     .consequences = {522}},
    {BREAKS(597, DRIVER, "operations", serve_preempted,
            "reports work when it is told to preempt, and not before")},
    {BREAKS(597, DRIVER, "interrupts", serve_first,
            "serves one node of an interrupt that tells of two")},
    {BREAKS(597, DRIVER, "interrupts", serve_first,
            "serves one node of an interrupt that tells of two, with GPU virtual addresses"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(597, DRIVER, "interrupts", report_signed, "compares fences as numbers with a sign"),
     .consequences = {522}},
    {BREAKS(597, DRIVER, "interrupts", report_signed,
            "compares fences as numbers with a sign, with GPU virtual addresses"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(597, DRIVER, "paging", report_kept, "takes the fences of a second start for old ones"),
     .settings = {{"MmuLevels", 3}}},
    {BREAKS(646, DRIVER, "interrupts", report_unsigned, "takes no fence for newer behind 2^32"),
     .consequences = {522}, .readings = {.fence_ids = 1}},
    {BREAKS(523, DRIVER, "preempt", report_fault_before,
            "reports an error with the fence that was completed before")},
    {BREAKS(523, DRIVER, "engines", report_fault_before,
            "reports a page fault with the fence that was completed before"),
     .consequences = {380, 596, 632}, .settings = {{"MmuLevels", 3}}},
    {BREAKS(523, DRIVER, "paging", note_late,
            "notes the fence of its work after the hardware, which is done by then")},
};
const uint32_t mutants_interrupts_count =
    sizeof(mutants_interrupts) / sizeof(mutants_interrupts[0]);
