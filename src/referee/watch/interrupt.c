/*
 * interrupt.c - how the driver tells that work is over: what it reports in its interrupt routine or
 * in a routine of DxgkCbSynchronizeExecution, the DPC that has to follow, and what it answers to
 * DxgkDdiQueryCurrentFence. What a report says of work is work/report.c's.
 *
 * These calls come at the device's IRQL, from any thread and from inside the hardware model, where
 * the referee's lock cannot be taken: reports, and what is wrong about how they were made, only go
 * into a queue with a lock of its own. The queue is emptied, in order, before DxgkCbNotifyDpc goes on
 * to the manager and before any call of the GPU scheduler's class or that ends an allocation.
 */
#include <vidmm/interrupt.h>

#include "state/given.h"
#include "work/work.h"
#include "watch/watch.h"

/* The interrupt routine, or a synchronised one, that the thread is in. */
struct routine {
    struct routine *outer;
    bool reported; /* DxgkCbNotifyInterrupt, about work or a vertical sync */
    bool queued;   /* DxgkCbQueueDpc */
};

static _Thread_local struct routine *innermost;

static void routine_enter(struct routine *routine) {
    *routine = (struct routine){.outer = innermost};
    innermost = routine;
}

static void routine_leave(struct vidmm_referee *referee, const struct routine *routine,
                          bool claimed) {
    innermost = routine->outer;
    if (routine->reported)
        reports_put(referee, &(struct reported){
                                 .routine = true, .queued = routine->queued, .claimed = claimed});
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* ValidPhysicalAdapterMask and HsyncFlipCompletion (ns-d3dkmddi-_dxgkcb_notify_interrupt_data_flags.md). */
#define FLAGS_DEFINED 3u

static bool report_read_signal(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data,
                               struct reported *report) {
    report->signaled = data->InterruptType == DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    if (report->signaled) {
        report->interrupt.node = data->MonitoredFenceSignaled.NodeOrdinal;
        report->interrupt.physical = data->MonitoredFenceSignaled.EngineOrdinal;
    }
    return report->signaled;
}

/* Of planes: the target is in the same place, and what each plane shows is not read. */
static bool report_of_planes(DXGK_INTERRUPT_TYPE type) {
    switch ((uint32_t)type) {
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3:
        return true;
    default:
        return false;
    }
}

static bool report_read_vsync(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data,
                              struct reported *report) {
    report->planes = report_of_planes(data->InterruptType);
    report->vsync = report->planes || data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC;
    if (!report->vsync)
        return false;
    report->interrupt.node = data->CrtcVsync.VidPnTargetId;
    if (!report->planes)
        report->interrupt.address = (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart;
    return true;
}

static VOID watch_NotifyInterrupt(struct vidmm_referee *referee, const HANDLE handle,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    struct reported report = {.handle = handle, .undefined = data->Flags.Value & ~FLAGS_DEFINED};
    if (vidmm_interrupt_read(data, &report.interrupt)) {
        report.frames = vidmm_ledger_here(report.frame, REPORT_FRAMES);
        reports_put(referee, &report);
        if (innermost)
            innermost->reported = true;
    } else if (report_read_signal(data, &report)) {
        reports_put(referee, &report);
    } else if (report_read_vsync(data, &report)) {
        report.frames = vidmm_ledger_here(report.frame, REPORT_FRAMES);
        reports_put(referee, &report);
        if (innermost)
            innermost->reported = true;
    }
    referee->callbacks.DxgkCbNotifyInterrupt(handle, data);
}
WATCHED_2(VOID, NotifyInterrupt, const HANDLE, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *)

static BOOLEAN watch_QueueDpc(struct vidmm_referee *referee, const HANDLE handle) {
    if (innermost)
        innermost->queued = true;
    return referee->callbacks.DxgkCbQueueDpc(handle);
}
WATCHED_1(BOOLEAN, QueueDpc, const HANDLE)

static VOID watch_NotifyDpc(struct vidmm_referee *referee, const HANDLE handle) {
    pthread_mutex_lock(&referee->lock);
    referee->reports.told = reports_routines(referee);
    reports_drain(referee);
    pthread_mutex_unlock(&referee->lock);
    referee->callbacks.DxgkCbNotifyDpc(handle);
}
WATCHED_1(VOID, NotifyDpc, const HANDLE)

/* ---- Routines -------------------------------------------------------------------------------- */

static BOOLEAN watch_InterruptRoutine(struct vidmm_referee *referee, const PVOID context,
                                      ULONG message) {
    struct routine routine;
    routine_enter(&routine);
    BOOLEAN claimed = referee->real.DxgkDdiInterruptRoutine(context, message);
    routine_leave(referee, &routine, claimed);
    return claimed;
}
WATCHED_2(BOOLEAN, InterruptRoutine, const PVOID, ULONG)

struct synchronized {
    struct vidmm_referee *referee;
    PKSYNCHRONIZE_ROUTINE routine;
    PVOID context;
};

static KSYNCHRONIZE_ROUTINE synchronized_run;
static BOOLEAN NTAPI synchronized_run(PVOID context) {
    const struct synchronized *synchronized = context;
    struct routine routine;
    routine_enter(&routine);
    BOOLEAN result = synchronized->routine(synchronized->context);
    routine_leave(synchronized->referee, &routine, true);
    return result;
}

static NTSTATUS watch_SynchronizeExecution(struct vidmm_referee *referee, const HANDLE handle,
                                           PKSYNCHRONIZE_ROUTINE routine, PVOID context,
                                           ULONG message, PBOOLEAN result) {
    struct synchronized synchronized = {referee, routine, context};
    return referee->callbacks.DxgkCbSynchronizeExecution(handle, routine ? synchronized_run : NULL,
                                                         &synchronized, message, result);
}
WATCHED_5(NTSTATUS, SynchronizeExecution, const HANDLE, PKSYNCHRONIZE_ROUTINE, PVOID, ULONG,
          PBOOLEAN)

/* What was reported before it began is for this DPC; of linked adapters each has a DPC of its own. */
static VOID watch_DpcRoutine(struct vidmm_referee *referee, const PVOID context) {
    uint64_t routines = reports_routines(referee);
    referee->real.DxgkDdiDpcRoutine(context);
    pthread_mutex_lock(&referee->lock);
    if (routines != 0 && linked_count(referee) == 1)
        DRIVER_MUST(519, referee->reports.told >= routines, "DxgkCbNotifyDpc in the DPC",
                    "DxgkDdiDpcRoutine returned, and %llu interrupt routines had reported work "
                    "that DxgkCbNotifyDpc was not called for",
                    LLU(routines - referee->reports.told));
    pthread_mutex_unlock(&referee->lock);
}
WATCHED_1(VOID, DpcRoutine, const PVOID)

/* ---- Fences that are asked for --------------------------------------------------------------- */

/* Before the first report of a node the answer is any that no work has. */
static void fence_judge_current(struct vidmm_referee *referee, const struct shadow_node *node,
                                const struct shadow_node *before, uint32_t current) {
    if (!node->any)
        return;
    DRIVER_MUST(523, !fence_beyond(current, node->submitted),
                "the fence of work that was submitted to the node",
                "CurrentFence is %u, fence %u was submitted last", current, node->submitted);
    uint32_t least = before->completed;
    bool known = node->faulted ? node_completed_least(node, &least) : before->reported;
    if (node->reported && known)
        DRIVER_MUST(
            522, fence_reached(current, least) && fence_reached(node_completed_most(node), current),
            "the fence completed last, reported before the call returns",
            "CurrentFence is %u, fence %u was reported last", current, node->completed);
}

static const struct given fence_given[] = {
    GIVEN(DXGKARG_QUERYCURRENTFENCE, NodeOrdinal),
    GIVEN(DXGKARG_QUERYCURRENTFENCE, EngineOrdinal),
    GIVEN_END,
};

static NTSTATUS watch_QueryCurrentFence(struct vidmm_referee *referee, const HANDLE handle,
                                        DXGKARG_QUERYCURRENTFENCE *args) {
    struct referee_call call;
    const DXGKARG_QUERYCURRENTFENCE asked = *args;
    struct guard answer;
    uint32_t ordinal = args->NodeOrdinal < SHADOW_ORDINALS ? args->NodeOrdinal : 0;
    const struct shadow_node *node =
        &referee->node[linked_node(linked_index(referee, args->EngineOrdinal), ordinal)];
    referee_enter(referee, &call, "DxgkDdiQueryCurrentFence", REFEREE_REENTRANT);
    reports_drain(referee);
    const struct shadow_node before = *node;
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiQueryCurrentFence(handle, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    reports_drain(referee);
    given_judge(referee, fence_given, &asked, args);
    if (status == STATUS_SUCCESS)
        fence_judge_current(referee, node, &before, args->CurrentFence);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, QueryCurrentFence, const HANDLE, DXGKARG_QUERYCURRENTFENCE *)

void referee_watch_interrupt(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, InterruptRoutine);
    WATCH(table, DpcRoutine);
    WATCH(table, QueryCurrentFence);
}

void referee_watch_interrupt_callbacks(struct vidmm_referee *referee,
                                       DXGKRNL_INTERFACE *callbacks) {
    WATCH_CALLBACK(callbacks, NotifyInterrupt);
    WATCH_CALLBACK(callbacks, QueueDpc);
    WATCH_CALLBACK(callbacks, NotifyDpc);
    WATCH_CALLBACK(callbacks, SynchronizeExecution);
}
