/*
 * preempt.c - DxgkDdiPreemptCommand, of work that the hardware has, and DxgkDdiCancelCommand, of work that it
 * never gets. What the driver reports of a preemption, and the work that comes again, are work/preempt.c's.
 */
#include "work/work.h"
#include "watch/watch.h"

static NTSTATUS watch_PreemptCommand(struct vidmm_referee *referee, const HANDLE handle,
                                     const DXGKARG_PREEMPTCOMMAND *args) {
    struct referee_call call;
    uint32_t physical = linked_index(referee, args->EngineOrdinal);
    uint32_t ordinal = args->NodeOrdinal < SHADOW_ORDINALS ? args->NodeOrdinal : 0;
    struct shadow_node *node = &referee->node[linked_node(physical, ordinal)];
    referee_enter(referee, &call, "DxgkDdiPreemptCommand", REFEREE_SCHEDULER);
    reports_drain(referee);
    MANAGER_MUST(147, call.alone, "one thread at a time in the GPU scheduler's calls",
                 "another of them is under way%s", "");
    if (!referee->adapter.caps.SchedulingCaps.LowIrqlPreemptCommand)
        submit_judge_irql(referee, &call);
    linked_judge_index(referee, args->EngineOrdinal);
    reset_judge(referee, false);
    node->preempting = node->asked_preemption = true;
    node->preemption = args->PreemptionFenceId;
    node->preemptable = node->submitted;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiPreemptCommand(handle, args);
    referee_return(referee);
    DRIVER_MUST(277, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", (unsigned)status);
    if (status != STATUS_SUCCESS) {
        node->preempting = false;
        submit_give_up(referee);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, PreemptCommand, const HANDLE, const DXGKARG_PREEMPTCOMMAND *)

static NTSTATUS watch_CancelCommand(struct vidmm_referee *referee, const HANDLE handle,
                                    const DXGKARG_CANCELCOMMAND *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiCancelCommand", REFEREE_REENTRANT);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCancelCommand(handle, args);
    referee_return(referee);
    DRIVER_MUST(613, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", (unsigned)status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CancelCommand, const HANDLE, const DXGKARG_CANCELCOMMAND *)

void referee_watch_preempt(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, PreemptCommand);
    WATCH(table, CancelCommand);
}
