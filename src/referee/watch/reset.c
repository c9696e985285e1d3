/*
 * reset.c - resets, and the calls that want the adapter at rest: DxgkDdiResetFromTimeout to
 * DxgkDdiRestartFromTimeout, DxgkDdiSetPowerState, DxgkDdiStopDevice, and the rest of the GPU
 * scheduler's calls.
 */
#include "state/work.h"

static enum {
    RUNNING,
    RESETTING,   /* inside DxgkDdiResetFromTimeout */
    CLEANING_UP, /* until DxgkDdiRestartFromTimeout */
} phase;

/* The reset of an engine gave up paging work: what comes next is the reset of the adapter. */
static bool lost_paging;

static void judge_lost(bool reset) {
    if (lost_paging)
        MANAGER_MUST(282, reset, "DxgkDdiResetFromTimeout where an engine's reset lost paging work",
                     "another call came first%s", "");
    lost_paging = false;
}

void reset_judge(bool clean_up) {
    judge_lost(false);
    if (phase == RESETTING)
        MANAGER_MUST(361, false, "no other call during DxgkDdiResetFromTimeout", "called%s", "");
    else if (phase == CLEANING_UP)
        MANAGER_MUST(361, clean_up, "clean-up operations only until DxgkDdiRestartFromTimeout",
                     "called%s", "");
}

/* Nobody else in the driver; the life-cycle call itself is one of REFEREE_ALONE. */
static bool nobody_else(const struct referee_call *call) {
    return call->alone && referee->inside[REFEREE_REENTRANT] == 0 &&
           referee->inside[REFEREE_SCHEDULER] == 0 && referee->inside[REFEREE_SWIZZLING] == 0;
}

/* An allocation whose content only a memory segment has, or NULL. */
static const struct shadow_object *in_video_memory(void) {
    const struct shadow_object *object = shadow_each(SHADOW_ALLOCATION, NULL);
    for (; object; object = shadow_each(SHADOW_ALLOCATION, object)) {
        const struct shadow_segment *segment = shadow_segment(object->segment);
        if (object->placed && segment && !segment->flags.Aperture)
            return object;
    }
    return NULL;
}

/* Level 3. */
static void judge_at_rest(const struct referee_call *call) {
    if (submit_gave_up())
        return;
    MANAGER_MUST(360, nobody_else(call), "a single thread in the driver",
                 "another call is under way%s", "");
    MANAGER_MUST(360, !submit_under_way(), "no DMA buffer under way", "work is under way%s", "");
    MANAGER_MUST(360, !in_video_memory(), "video memory that is evicted",
                 "an allocation is in a memory segment%s", "");
}

static NTSTATUS APIENTRY see_ResetFromTimeout(const HANDLE handle) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiResetFromTimeout", REFEREE_ALONE);
    callbacks_drain();
    MANAGER_MUST(361, nobody_else(&call), "no other call during DxgkDdiResetFromTimeout",
                 "another call is under way%s", "");
    judge_lost(true);
    submit_node_reset(UINT32_MAX);
    phase = RESETTING;
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiResetFromTimeout(handle);
    referee_return(&call);
    phase = CLEANING_UP;
    callbacks_drain();
    submit_forget();
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_RestartFromTimeout(const HANDLE handle) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiRestartFromTimeout", REFEREE_ALONE);
    phase = RUNNING;
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiRestartFromTimeout(handle);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_StopDevice(const PVOID context) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiStopDevice", REFEREE_ALONE);
    callbacks_drain();
    judge_at_rest(&call);
    phase = RUNNING;
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiStopDevice(context);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_SetPowerState(const PVOID context, ULONG device,
                                           DEVICE_POWER_STATE state, POWER_ACTION action) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiSetPowerState", REFEREE_ALONE);
    callbacks_drain();
    judge_at_rest(&call);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiSetPowerState(context, device, state, action);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

/* ---- The GPU scheduler's other calls --------------------------------------------------------- */

#if WDDM_AT_LEAST(WIN8)
static void enter_scheduler(struct referee_call *call, const char *name) {
    referee_enter(call, name, REFEREE_SCHEDULER);
    MANAGER_MUST(147, call->alone, "one thread at a time in the GPU scheduler's calls",
                 "another of them is under way%s", "");
    reset_judge(false);
    referee_leave(call);
}

static void leave_scheduler(struct referee_call *call) {
    referee_return(call);
    referee_exit(call);
}

/* No rule of the table, and yet nothing that a scheduler could reset by. */
static void judge_group(const DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    uint32_t nodes = referee->adapter.nodes;
    uint64_t mask = args->DependentNodeOrdinalMask, beyond = nodes < 64 ? mask >> nodes : 0;
    if (nodes == 0 || args->NodeOrdinal >= nodes ||
        ((mask >> args->NodeOrdinal & 1u) != 0 && beyond == 0))
        return;
    vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                      "DependentNodeOrdinalMask of node %u is 0x%llx: it lacks the node itself, or "
                      "has one of those that do not exist",
                      args->NodeOrdinal, (unsigned long long)mask);
}

static NTSTATUS APIENTRY see_QueryDependentEngineGroup(const HANDLE handle,
                                                       DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    struct referee_call call;
    enter_scheduler(&call, "DxgkDdiQueryDependentEngineGroup");
    NTSTATUS status = referee->real.DxgkDdiQueryDependentEngineGroup(handle, args);
    referee_return(&call);
    if (status == STATUS_SUCCESS)
        judge_group(args);
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_QueryEngineStatus(const HANDLE handle,
                                               DXGKARG_QUERYENGINESTATUS *args) {
    struct referee_call call;
    enter_scheduler(&call, "DxgkDdiQueryEngineStatus");
    NTSTATUS status = referee->real.DxgkDdiQueryEngineStatus(handle, args);
    leave_scheduler(&call);
    return status;
}

/* True when paging work of a node up to `fence` is not complete. */
static bool paging_before(uint32_t node, uint32_t fence) {
    const struct shadow_submission *at = node < SHADOW_NODES ? referee->node[node].first : NULL;
    for (; at && (int32_t)(fence - at->fence) >= 0; at = at->next) {
        if (at->paging)
            return true;
    }
    return false;
}

/* How far the engine came, by what the driver answers. */
static bool judge_aborted(const struct shadow_node *node, uint32_t fence) {
    bool kept = !node->any || ((int32_t)(node->submitted - fence) >= 0 &&
                               !(node->told && (int32_t)(node->completed - fence) > 0));
    DRIVER_MUST(281, kept,
                "LastAbortedFenceId no earlier than the fence completed last, and no "
                "later than the one submitted last",
                "LastAbortedFenceId is %u, fence %u was completed and fence %u submitted last",
                fence, node->completed, node->submitted);
    return kept;
}

/* The engine begins anew: work that was aborted is over, the rest is for the manager to submit
 * again. Lost paging work is for the adapter's reset to give up. */
static void engine_was_reset(const DXGKARG_RESETENGINE *args) {
    uint32_t index = args->NodeOrdinal;
    if (index >= SHADOW_NODES)
        return;
    submit_node_reset(index);
    if (!judge_aborted(&referee->node[index], args->LastAbortedFenceId)) {
        submit_give_up();
        return;
    }
    lost_paging = lost_paging || paging_before(index, args->LastAbortedFenceId);
    if (!lost_paging)
        preempt_reset(index, args->LastAbortedFenceId);
}

static NTSTATUS APIENTRY see_ResetEngine(const HANDLE handle, DXGKARG_RESETENGINE *args) {
    struct referee_call call;
    enter_scheduler(&call, "DxgkDdiResetEngine");
    NTSTATUS status = referee->real.DxgkDdiResetEngine(handle, args);
    referee_return(&call);
    callbacks_drain();
    if (status == STATUS_SUCCESS)
        engine_was_reset(args);
    referee_exit(&call);
    return status;
}
#endif

void referee_watch_reset(DRIVER_INITIALIZATION_DATA *table) {
    phase = RUNNING;
    lost_paging = false;
    WATCH(table, ResetFromTimeout);
    WATCH(table, RestartFromTimeout);
    WATCH(table, StopDevice);
    WATCH(table, SetPowerState);
#if WDDM_AT_LEAST(WIN8)
    WATCH(table, QueryDependentEngineGroup);
    WATCH(table, QueryEngineStatus);
    WATCH(table, ResetEngine);
#endif
}
