/*
 * report.c - what the driver reports of work: complete, preempted and faulted. watch/interrupt.c puts
 * it into the queue, and says why there is one.
 */
#include <string.h>

#include "operation/operation.h"
#include "state/grow.h"
#include "work/work.h"

/* There is room behind the last report; false: out of memory. */
static bool report_room(struct reports *reports) {
    if (reports->first + reports->count < reports->room)
        return true;
    if (reports->first <= reports->room / 2) /* moving them would be done again soon */
        return grow(&reports->report, &reports->room, reports->first + reports->count + 1,
                    sizeof(*reports->report));
    memmove(reports->report, reports->report + reports->first,
            reports->count * sizeof(*reports->report));
    reports->first = 0;
    return true;
}

void reports_put(struct vidmm_referee *referee, const struct reported *report) {
    struct reports *reports = &referee->reports;
    pthread_mutex_lock(&reports->lock);
    if (report_room(reports))
        reports->report[reports->first + reports->count++] = *report;
    reports->routines += report->routine;
    pthread_mutex_unlock(&reports->lock);
}

uint64_t reports_routines(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->reports.lock);
    uint64_t routines = referee->reports.routines;
    pthread_mutex_unlock(&referee->reports.lock);
    return routines;
}

static bool report_take(struct vidmm_referee *referee, struct reported *report) {
    struct reports *reports = &referee->reports;
    pthread_mutex_lock(&reports->lock);
    bool any = reports->count != 0;
    if (any) {
        *report = reports->report[reports->first];
        reports->first = --reports->count != 0 ? reports->first + 1 : 0;
    }
    pthread_mutex_unlock(&reports->lock);
    return any;
}

/* A page fault of work that the driver cannot name. */
static bool report_anonymous(const struct vidmm_interrupt *report) {
    return report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
           (report->flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0;
}

/* The device that interrupts is another physical adapter than the one that the report is of. */
static bool report_of_another(struct vidmm_referee *referee, const struct reported *reported) {
    const struct linked_device *device = linked_of_handle(referee, reported->handle);
    return device && device->reported && device->physical != 0 &&
           reported->interrupt.physical != device->physical;
}

/* R503: false where the report is of no physical adapter of the link. The lead may report for all
 * of them. */
static bool report_of_link(struct vidmm_referee *referee, const struct reported *reported) {
    const struct vidmm_interrupt *report = &reported->interrupt;
    uint32_t count = linked_count(referee);
    bool there = report->physical < count;
    DRIVER_MUST(503, there, "EngineOrdinal below the number of physical adapters",
                "EngineOrdinal is %u, of %u physical adapters", report->physical, count);
    const struct linked_device *device = linked_of_handle(referee, reported->handle);
    if (there && device && device->reported && device->physical != 0)
        DRIVER_MUST(503, !report_of_another(referee, reported),
                    "the index of the physical adapter that interrupts as EngineOrdinal",
                    "EngineOrdinal is %u, the device is physical adapter %u", report->physical,
                    device->physical);
    return there;
}

/* R619: of no work, but of an engine. */
static void report_judge_signal(struct vidmm_referee *referee,
                                const struct vidmm_interrupt *report) {
    uint32_t nodes = referee->adapter.physical[report->physical].nodes;
    if (nodes != 0)
        DRIVER_MUST(619, report->node < nodes, "the ordinal of the engine's node",
                    "NodeOrdinal is %u, of %u nodes", report->node, nodes);
}

/* R523: false where a scheduler can make no sense of it. */
static bool report_makes_sense(struct vidmm_referee *referee, const struct reported *reported) {
    const struct vidmm_interrupt *report = &reported->interrupt;
    bool there = report->node < SHADOW_ORDINALS;
    if (there) {
        const struct shadow_node *node = &referee->node[report_node(report)];
        if (report->type == DXGK_INTERRUPT_DMA_PREEMPTED || report_anonymous(report))
            return true;
        there = node->any && fence_reached(node->submitted, report->fence) &&
                (node->reported || fence_reached(report->fence, node->earliest));
    }
    if (!there && report_of_another(referee, reported))
        return false; /* R503 says why */
    DRIVER_MUST(523, there, "a fence that work was submitted to the node with",
                "fence %u was reported for node %u, where nothing was submitted with it",
                report->fence, report->node);
    return there;
}

/* R523: no work before that which was reported last. */
static void report_judge_order(struct vidmm_referee *referee,
                               const struct vidmm_interrupt *report) {
    struct shadow_node *node = &referee->node[report_node(report)];
    if (report->type != DXGK_INTERRUPT_DMA_COMPLETED)
        return;
    /* What was reported before the reset may be read, and reported, once more behind it. */
    bool again = node->ended_told && report->fence == node->latest;
    /* While the reset goes on, interrupts may (thread-synchronization-and-tdr). */
    bool lost = node->ended && !again && referee->reset.phase == RESET_RUNNING &&
                !report_anonymous(report) && fence_reached(node->last_ended, report->fence);
    if (!lost || work_unexplained(referee->ledger))
        DRIVER_MUST(
            611, !lost, "no report of work that a reset of the adapter ended",
            "fence %u was reported for node %u, where a reset ended the work up to fence %u",
            report->fence, report->node, node->last_ended);
    bool onwards = !node->told || fence_reached(report->fence, node->latest);
    /* What nothing was ever submitted with, the engine did not have either. */
    bool emptied = node->emptied && fence_reached(node->last_queued, report->fence) &&
                   fence_reached(report->fence, node->earliest);
    bool judged = onwards || work_unexplained(referee->ledger);
    if (judged && emptied)
        DRIVER_MUST(617, onwards, "no report of work that an engine had before it was reset",
                    "fence %u was reported for node %u after fence %u, where a reset ended the "
                    "work up to fence %u",
                    report->fence, report->node, node->latest, node->last_queued);
    else if (judged && !onwards && node->adapter_reset &&
             fence_reached(node->last_ended, report->fence))
        DRIVER_MUST(523, false,
                    "no report of work from before DxgkDdiResetFromTimeout: the hardware has "
                    "nothing of it any more",
                    "fence %u was reported for node %u after fence %u, and behind a reset of the "
                    "adapter, which ended the work up to fence %u",
                    report->fence, report->node, node->latest, node->last_ended);
    else if (judged)
        DRIVER_MUST(523, onwards, "the fence of the latest completed DMA buffer",
                    "fence %u was reported for node %u after fence %u", report->fence, report->node,
                    node->latest);
    node->told = true;
    if (onwards)
        node->latest = report->fence;
}

/* R523: what faults is under way. Hardware that begins with what it had before D3 says so. */
static void report_judge_faulty(struct vidmm_referee *referee,
                                const struct vidmm_interrupt *report) {
    const struct shadow_node *node = &referee->node[report_node(report)];
    bool gone = node->emptied && fence_reached(node->last_queued, report->fence); /* R617 */
    bool done = node->told && fence_reached(node->latest, report->fence);
    bool fault = report->type != DXGK_INTERRUPT_DMA_COMPLETED &&
                 report->type != DXGK_INTERRUPT_DMA_PREEMPTED;
    if (!fault || gone || report_anonymous(report) || (done && !work_unexplained(referee->ledger)))
        return;
    DRIVER_MUST(523, !done, "the fence of work that was not reported complete",
                "fence %u was reported as faulted for node %u after fence %u was complete%s",
                report->fence, report->node, node->latest,
                node->woken ? ", in the first report since PowerDeviceD0" : "");
    bool works = !node->asked_preemption || report->fence != node->preemption ||
                 submit_with_fence(node, report->fence);
    if (!done)
        DRIVER_MUST(523, works, "the fence of the work that faulted",
                    "fence %u was reported as faulted for node %u, and is that of a preemption",
                    report->fence, report->node);
}

/* R632: while the engine was not reset, the hardware did not get past it. */
static void report_judge_faulted(struct vidmm_referee *referee,
                                 const struct vidmm_interrupt *report) {
    struct shadow_node *node = &referee->node[report_node(report)];
    if (report->type != DXGK_INTERRUPT_DMA_COMPLETED || !node->faulted)
        return;
    DRIVER_MUST(632, report->fence != node->faulted_fence,
                "no report of work as completed that was reported as faulted",
                "fence %u was reported for node %u, where it had faulted", report->fence,
                report->node);
    node->faulted = !fence_beyond(report->fence, node->faulted_fence);
}

/* R617: paging work that is submitted again has the same fence again. */
static void report_judge_gone(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    const struct shadow_node *node = &referee->node[report_node(report)];
    bool gone = node->emptied && fence_reached(node->last_queued, report->fence) &&
                !submit_with_fence(node, report->fence);
    if (report_anonymous(report) || !node->emptied || (gone && !work_unexplained(referee->ledger)))
        return;
    DRIVER_MUST(617, !gone, "no report of work that an engine had before it was reset",
                "fence %u was reported faulted for node %u, where a reset ended the work up to "
                "fence %u",
                report->fence, report->node, node->last_queued);
}

/* R617: what the reset left undone, by the driver's answer, comes again with another fence. */
static void report_judge_left(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    const struct shadow_node *node = &referee->node[report_node(report)];
    bool onwards = !node->told || fence_beyond(report->fence, node->latest);
    bool left = onwards && fence_reached(node->last_queued, report->fence) &&
                fence_beyond(report->fence, node->last_aborted) &&
                !submit_with_fence(node, report->fence);
    if (report->type == DXGK_INTERRUPT_DMA_COMPLETED && node->emptied &&
        referee->reset.phase == RESET_RUNNING && !submit_gave_up(referee))
        DRIVER_MUST(617, !left, "no report of work that an engine had before it was reset",
                    "fence %u was reported for node %u, where a reset with LastAbortedFenceId %u "
                    "ended the work up to fence %u",
                    report->fence, report->node, node->last_aborted, node->last_queued);
}

/* What counts as completed is open until the engine is reset or gets past it: see node_completed_least. */
static void report_note_fault(struct shadow_node *node, uint32_t fence) {
    if (!node->faulted) {
        node->known_before_fault = node->reported;
        node->completed_before_fault = node->completed;
    }
    node->faulted = true;
    node->faulted_fence = fence;
}

/* R518, R520: at the end of a routine that made reports. */
static void report_judge_routine(struct vidmm_referee *referee, const struct reported *reported) {
    DRIVER_MUST(518, reported->queued, "DxgkCbQueueDpc before the routine returns",
                "an interrupt was reported and no DPC queued%s", "");
    DRIVER_MUST(520, reported->claimed, "TRUE for an interrupt of the driver's own device",
                "DxgkDdiInterruptRoutine reported work and returned FALSE%s", "");
}

/* Behind a reset or another power state work is carried out again (R618, R651, R652). */
static void report_end_silence(struct vidmm_referee *referee,
                               const struct vidmm_interrupt *report) {
    if (report->type == DXGK_INTERRUPT_DMA_PREEMPTED)
        return;
    if (referee->reset.silent != 0 && report->type == DXGK_INTERRUPT_DMA_COMPLETED)
        referee->ledger->kept[referee->reset.silent]++;
    referee->reset.silent = 0;
}

static void report_fault(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    referee->reports.faults++;
    if (work_unexplained(referee->ledger))
        submit_judge_space(referee, report_node(report), report->fence);
    paging_fault_judge(referee, report);
    report_judge_gone(referee, report);
    if (!report_anonymous(report))
        report_note_fault(&referee->node[report_node(report)], report->fence);
    if (report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        submit_page_faulted(referee, report);
    else
        submit_faulted(referee, report_node(report), report->fence);
}

void reports_act(struct vidmm_referee *referee, const struct reported *reported) {
    const struct vidmm_interrupt *report = &reported->interrupt;
    if (reported->routine)
        report_judge_routine(referee, reported);
    else
        DRIVER_MUST(117, reported->undefined == 0, "reserved flags 0",
                    "DXGKARGCB_NOTIFY_INTERRUPT_DATA.Flags has the undefined bits 0x%x",
                    reported->undefined);
    if (reported->vsync)
        display_synced(referee, report->node, reported->planes ? NULL : &report->address);
    if (reported->routine || reported->vsync || !report_of_link(referee, reported))
        return;
    if (reported->signaled)
        report_judge_signal(referee, report);
    if (reported->signaled || !report_makes_sense(referee, reported))
        return;
    report_judge_left(referee, report);
    report_judge_order(referee, report);
    report_judge_faulty(referee, report);
    report_judge_faulted(referee, report);
    struct shadow_node *node = &referee->node[report_node(report)];
    if (report->type == DXGK_INTERRUPT_DMA_COMPLETED)
        preempt_judge_undone(referee, node, report->fence);
    node->woken = node->woken && report->type == DXGK_INTERRUPT_DMA_PREEMPTED;
    node->unheard = false;
    if (report->type == DXGK_INTERRUPT_DMA_PREEMPTED)
        preempt_reported(referee, report_node(report), report->fence, report->last_completed);
    else if (report->type != DXGK_INTERRUPT_DMA_COMPLETED)
        report_fault(referee, report);
    else if (preempt_judge_completed(referee, report_node(report), report->fence))
        submit_completed(referee, report_node(report), report->fence);
    report_end_silence(referee, report);
}

void reports_drain(struct vidmm_referee *referee) {
    struct reported report;
    char outer[REFEREE_CALL_BYTES];
    if (!report_take(referee, &report))
        return;
    referee_calling(referee, "DxgkCbNotifyInterrupt", outer);
    do {
        vidmm_ledger_was_at(report.frame, report.frames);
        reports_act(referee, &report);
    } while (report_take(referee, &report));
    vidmm_ledger_was_at(NULL, 0);
    vidmm_ledger_calling(referee->ledger, outer);
}
