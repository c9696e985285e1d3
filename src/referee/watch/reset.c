/*
 * reset.c - resets, and the end: DxgkDdiResetFromTimeout to DxgkDdiRestartFromTimeout, DxgkDdiStopDevice, and the
 * rest of the GPU scheduler's calls. What holds of all calls that want the adapter at rest is here, too.
 */
#include "state/given.h"
#include "work/work.h"
#include "watch/watch.h"

/* No other thread is in the driver; the life-cycle call itself is one of REFEREE_ALONE. */
static bool reset_nobody_else(struct vidmm_referee *referee, const struct referee_call *call) {
    return call->alone && referee->inside[REFEREE_REENTRANT] == 0 &&
           referee->inside[REFEREE_SCHEDULER] == 0 && referee->inside[REFEREE_SWIZZLING] == 0;
}

/* The content of an allocation is in a memory segment alone. */
static bool reset_in_video_memory(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id))
        if (shadow_memory(referee, id) && referee->objects.places[id - 1].root)
            return true;
    return false;
}

void reset_judge_at_rest(struct vidmm_referee *referee, const struct referee_call *call) {
    if (submit_gave_up(referee))
        return;
    MANAGER_MUST(360, reset_nobody_else(referee, call), "a single thread in the driver",
                 "another call is under way%s", "");
    MANAGER_MUST(360, !submit_under_way(referee), "no DMA buffer under way", "work is under way%s",
                 "");
}

/* What it ends counts as completed for drivers that reset engines, which the page is about
 * (tdr-changes-in-windows-8.md). */
static void reset_note_ended(struct vidmm_referee *referee) {
    bool judged = referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8 &&
                  referee->adapter.caps_known && referee->adapter.caps.SupportPerEngineTDR;
    for (uint32_t i = 0; i < shadow_node_end(referee); i++) {
        struct shadow_node *node = &referee->node[i];
        node->ended = node->any && judged;
        node->adapter_reset = node->any;
        node->ended_told = !node->first && (node->told || node->ended_told);
        node->last_ended = node->submitted;
    }
}

static bool reset_preempts(const struct vidmm_referee *referee) {
    bool preempts = false;
    for (uint32_t i = 0; i < shadow_node_end(referee); i++)
        preempts = preempts || referee->node[i].preempting;
    return preempts;
}

/* Work, or a preemption, that is under way when its hardware is reset was not reported. */
static void reset_note_deaf(struct vidmm_referee *referee) {
    bool works = submit_under_way(referee), preempts = reset_preempts(referee);
    if (referee->reset.deaf != 0 || (!works && !preempts))
        return;
    referee->reset.deaf = referee->reset.silent;
    if (referee->reset.deaf == 0 && !works)
        referee->reset.deaf = 561;
}

void reset_begin_anew(struct vidmm_referee *referee, uint32_t rule) {
    referee->reset.silent = rule;
    if (referee->reset.drew)
        referee->reset.undrawn = rule;
}

static NTSTATUS watch_ResetFromTimeout(struct vidmm_referee *referee, const HANDLE handle) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiResetFromTimeout", REFEREE_ALONE);
    reports_drain(referee);
    MANAGER_MUST(361, reset_nobody_else(referee, &call),
                 "no other call during DxgkDdiResetFromTimeout", "another call is under way%s", "");
    reset_judge_lost(referee, true);
    reset_note_deaf(referee);
    submit_node_reset(referee, UINT32_MAX);
    display_lost(referee);
    referee->reset.phase = RESET_RESETTING;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiResetFromTimeout(handle);
    referee_return(referee);
    DRIVER_MUST(422, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", (unsigned)status);
    referee->reset.phase = RESET_CLEANING_UP;
    reports_drain(referee);
    reset_note_ended(referee);
    submit_forget(referee);
    referee_exit(referee, &call);
    return status;
}
WATCHED_1(NTSTATUS, ResetFromTimeout, const HANDLE)

static NTSTATUS watch_RestartFromTimeout(struct vidmm_referee *referee, const HANDLE handle) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiRestartFromTimeout", REFEREE_ALONE);
    referee->reset.phase = RESET_RUNNING;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiRestartFromTimeout(handle);
    referee_return(referee);
    reset_begin_anew(referee, 618);
    referee_exit(referee, &call);
    return status;
}
WATCHED_1(NTSTATUS, RestartFromTimeout, const HANDLE)

/* By either function: one that gives the display back, too, and fails is followed by the other. */
static void reset_stopping(struct vidmm_referee *referee, struct referee_call *call,
                           const char *name, PVOID context) {
    referee_enter(referee, call, name, REFEREE_ALONE);
    reports_drain(referee);
    linked_stopping(referee, context);
    if (!referee->other_device)
        reset_judge_at_rest(referee, call);
    if (!referee->other_device && !submit_gave_up(referee))
        MANAGER_MUST(360, !reset_in_video_memory(referee), "video memory that is evicted",
                     "an allocation is in a memory segment%s", "");
    referee->reset.phase = RESET_RUNNING;
    referee_leave(referee);
}

static NTSTATUS watch_StopDevice(struct vidmm_referee *referee, const PVOID context) {
    struct referee_call call;
    reset_stopping(referee, &call, "DxgkDdiStopDevice", context);
    NTSTATUS status = referee->real.DxgkDdiStopDevice(context);
    referee_return(referee);
    referee_exit(referee, &call);
    return status;
}
WATCHED_1(NTSTATUS, StopDevice, const PVOID)

#if WDDM_AT_LEAST(WIN8)
static NTSTATUS
watch_StopDeviceAndReleasePostDisplayOwnership(struct vidmm_referee *referee, PVOID context,
                                               D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                               PDXGK_DISPLAY_INFORMATION display) {
    struct referee_call call;
    reset_stopping(referee, &call, "DxgkDdiStopDeviceAndReleasePostDisplayOwnership", context);
    NTSTATUS status =
        referee->real.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target, display);
    referee_return(referee);
    referee_exit(referee, &call);
    return status;
}
WATCHED_3(NTSTATUS, StopDeviceAndReleasePostDisplayOwnership, PVOID, D3DDDI_VIDEO_PRESENT_TARGET_ID,
          PDXGK_DISPLAY_INFORMATION)
#endif

/* ---- The GPU scheduler's other calls --------------------------------------------------------- */

#if WDDM_AT_LEAST(WIN8)
static void reset_enter_scheduler(struct vidmm_referee *referee, struct referee_call *call,
                                  const char *name, uint32_t ordinal) {
    referee_enter(referee, call, name, REFEREE_SCHEDULER);
    MANAGER_MUST(147, call->alone, "one thread at a time in the GPU scheduler's calls",
                 "another of them is under way%s", "");
    reset_judge(referee, false);
    linked_judge_index(referee, ordinal);
    referee_leave(referee);
}

/* NULL: there is no such node. */
static const struct shadow_node *reset_node(struct vidmm_referee *referee, uint32_t ordinal,
                                            uint32_t engine) {
    return ordinal < SHADOW_ORDINALS
               ? &referee->node[linked_node(linked_index(referee, engine), ordinal)]
               : NULL;
}

/* As many as the driver says that there are. */
static uint32_t reset_nodes(const struct vidmm_referee *referee, uint32_t physical) {
    const struct shadow_adapter *adapter = &referee->adapter;
    uint32_t said = adapter->caps.GpuEngineTopology.NbAsymetricProcessingNodes;
    uint32_t nodes = adapter->physical[physical].nodes;
    return adapter->caps_known && said > nodes ? said : nodes;
}

/* Of a node that exists. */
static void reset_judge_group(struct vidmm_referee *referee,
                              const DXGKARG_QUERYDEPENDENTENGINEGROUP *args, NTSTATUS status) {
    uint32_t nodes = reset_nodes(referee, linked_index(referee, args->EngineOrdinal));
    uint64_t mask = args->DependentNodeOrdinalMask, beyond = nodes < 64 ? mask >> nodes : 0;
    if (args->NodeOrdinal >= nodes || args->NodeOrdinal >= 64)
        return;
    DRIVER_MUST(606, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x for node %u",
                (unsigned)status, args->NodeOrdinal);
    if (status == STATUS_SUCCESS)
        DRIVER_MUST(606, (mask >> args->NodeOrdinal & 1u) != 0 && beyond == 0,
                    "the node itself in DependentNodeOrdinalMask, and none that does not exist",
                    "it is 0x%llx for node %u of %u", (unsigned long long)mask, args->NodeOrdinal,
                    nodes);
}

/* Which engine a call is about. */
#define ENGINE_GIVEN(type)                                                                         \
    { GIVEN(type, NodeOrdinal), GIVEN(type, EngineOrdinal), GIVEN_END }

static NTSTATUS watch_QueryDependentEngineGroup(struct vidmm_referee *referee, const HANDLE handle,
                                                DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    static const struct given given[] = ENGINE_GIVEN(DXGKARG_QUERYDEPENDENTENGINEGROUP);
    const DXGKARG_QUERYDEPENDENTENGINEGROUP asked = *args;
    struct referee_call call;
    reset_enter_scheduler(referee, &call, "DxgkDdiQueryDependentEngineGroup", args->EngineOrdinal);
    NTSTATUS status = referee->real.DxgkDdiQueryDependentEngineGroup(handle, args);
    referee_return(referee);
    given_judge(referee, given, &asked, args);
    reset_judge_group(referee, args, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, QueryDependentEngineGroup, const HANDLE, DXGKARG_QUERYDEPENDENTENGINEGROUP *)

/* A preemption that is asked for is work, too. */
static bool engine_is_idle(const struct shadow_node *node) {
    return !node->first && !node->preempting;
}

/* What is reported while the driver looks may have been under way when it did. */
static NTSTATUS watch_QueryEngineStatus(struct vidmm_referee *referee, const HANDLE handle,
                                        DXGKARG_QUERYENGINESTATUS *args) {
    static const struct given given[] = ENGINE_GIVEN(DXGKARG_QUERYENGINESTATUS);
    const DXGKARG_QUERYENGINESTATUS asked = *args;
    struct referee_call call;
    reset_enter_scheduler(referee, &call, "DxgkDdiQueryEngineStatus", args->EngineOrdinal);
    uint32_t index = linked_node(linked_index(referee, args->EngineOrdinal), args->NodeOrdinal);
    bool known = asked.NodeOrdinal < SHADOW_ORDINALS;
    bool idle = known && engine_is_idle(&referee->node[index]);
    NTSTATUS status = referee->real.DxgkDdiQueryEngineStatus(handle, args);
    referee_return(referee);
    given_judge(referee, given, &asked, args);
    idle = idle && engine_is_idle(&referee->node[index]);
    if (known)
        DRIVER_MUST(608, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x",
                    (unsigned)status);
    if (status == STATUS_SUCCESS && idle)
        DRIVER_MUST(610, args->EngineStatus.Responsive,
                    "Responsive 1 of an engine that has no work",
                    "node %u, without work, is not responsive", asked.NodeOrdinal);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, QueryEngineStatus, const HANDLE, DXGKARG_QUERYENGINESTATUS *)

/* True when paging work of a node up to `fence` is not complete. */
static bool reset_paging_before(struct vidmm_referee *referee, uint32_t node, uint32_t fence) {
    const struct shadow_submission *at = node < SHADOW_NODES ? referee->node[node].first : NULL;
    for (; at && (int32_t)(fence - at->fence) >= 0; at = at->next) {
        if (at->paging)
            return true;
    }
    return false;
}

/* How far the engine came, by what the driver answers. No page tells what DMA_FAULTED makes of the work before
 * it: what the driver does not count as completed comes again, or not. */
static bool reset_judge_aborted(struct vidmm_referee *referee, const struct shadow_node *node,
                                uint32_t fence) {
    uint32_t least = node->completed;
    bool known = node->reported;
    bool open = node->faulted && node->completed != node->faulted_fence;
    if (open)
        known = node_completed_least(node, &least);
    bool kept = !node->any ||
                (!fence_beyond(fence, node->submitted) && !(known && fence_beyond(least, fence)));
    DRIVER_MUST(281, kept,
                "LastAbortedFenceId no earlier than the fence completed last, and no "
                "later than the one submitted last",
                "LastAbortedFenceId is %u, fence %u was completed and fence %u submitted last",
                fence, least, node->submitted);
    return kept && !(open && fence_beyond(node->faulted_fence, fence));
}

/* Nothing to abort, as far as was reported: "Special cases" of the page. */
static bool reset_of_empty(const struct shadow_node *node) {
    return engine_is_idle(node) && node->reported && !node->faulted;
}

static void reset_judge_empty(struct vidmm_referee *referee, uint32_t completed, uint32_t fence) {
    DRIVER_MUST(281, fence == completed,
                "LastAbortedFenceId of the work completed last where the queue is empty",
                "LastAbortedFenceId is %u, fence %u was completed last and nothing was under way",
                fence, completed);
}

/* The engine begins anew: work that was aborted is over, the rest is for the manager to submit
 * again. Lost paging work is for the adapter's reset to give up. */
static void reset_engine_was_reset(struct vidmm_referee *referee, const DXGKARG_RESETENGINE *args) {
    uint32_t index = linked_node(linked_index(referee, args->EngineOrdinal), args->NodeOrdinal);
    if (args->NodeOrdinal >= SHADOW_ORDINALS)
        return;
    submit_node_reset(referee, index);
    referee->node[index].emptied = referee->node[index].any;
    referee->node[index].unheard = true;
    referee->node[index].last_queued = referee->node[index].submitted;
    referee->node[index].last_aborted = args->LastAbortedFenceId;
    referee->node[index].preemption_emptied =
        referee->node[index].preempting ? referee->node[index].preemption : 0;
    if (!reset_judge_aborted(referee, &referee->node[index], args->LastAbortedFenceId)) {
        submit_give_up(referee);
        return;
    }
    referee->reset.lost_paging =
        referee->reset.lost_paging || reset_paging_before(referee, index, args->LastAbortedFenceId);
    if (!referee->reset.lost_paging)
        preempt_reset(referee, index, args->LastAbortedFenceId);
}

static NTSTATUS watch_ResetEngine(struct vidmm_referee *referee, const HANDLE handle,
                                  DXGKARG_RESETENGINE *args) {
    static const struct given given[] = ENGINE_GIVEN(DXGKARG_RESETENGINE);
    const DXGKARG_RESETENGINE asked = *args;
    struct referee_call call;
    reset_enter_scheduler(referee, &call, "DxgkDdiResetEngine", args->EngineOrdinal);
    const struct shadow_node *node = reset_node(referee, args->NodeOrdinal, args->EngineOrdinal);
    bool empty = node && reset_of_empty(node);
    uint32_t completed = empty ? node->completed : 0;
    reset_note_deaf(referee);
    NTSTATUS status = referee->real.DxgkDdiResetEngine(handle, args);
    referee_return(referee);
    reports_drain(referee);
    given_judge(referee, given, &asked, args);
    if (status == STATUS_SUCCESS && empty)
        reset_judge_empty(referee, completed, args->LastAbortedFenceId);
    if (status == STATUS_SUCCESS)
        reset_engine_was_reset(referee, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, ResetEngine, const HANDLE, DXGKARG_RESETENGINE *)

#endif

void referee_watch_reset(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->reset = (struct reset){.phase = RESET_RUNNING};
    WATCH(table, ResetFromTimeout);
    WATCH(table, RestartFromTimeout);
    WATCH(table, StopDevice);
#if WDDM_AT_LEAST(WIN8)
    WATCH(table, StopDeviceAndReleasePostDisplayOwnership);
    WATCH(table, QueryDependentEngineGroup);
    WATCH(table, QueryEngineStatus);
    WATCH(table, ResetEngine);
#endif
}
