/*
 * stage_preempt.c - queued paging work is preempted, submitted again with its fences
 * (gpu-preemption.md), preempted again, or lost in a reset. At the end the bytes must be right. So must they be of
 * buffers of applications that are preempted in their middle (midway.h).
 */
#include "midway.h"
#include "once.h"
#include "reset_each.h"
#include "work.h"

#include <string.h>

#include <vidmm/umd.h>
#include <vidmm/virtual.h>

#define BY_HAND     2u /* runs; the others are over the manager */
#define ROUNDS      3u
#define FRAMES      8u
#define OFTEN       5u /* fences of a node */
#define SUBMISSIONS 4u

/* Preempted `times` times, each time before the work that was submitted again begins. */
static bool round_trip(struct raw_submitter *raw, uint32_t ahead, uint32_t times) {
    check_step(raw->check, "preempt: %u times behind %u submissions", times, ahead);
    raw_paint(raw, raw->source, 5 * ahead + times);
    raw_paint(raw, raw->target, 99);
    bool good = raw_queue(raw, ahead);
    for (uint32_t i = 0; good && i < times; i++)
        good = raw_preempt(raw) && raw_resubmit(raw);
    if (!good || !raw_queue_end(raw))
        return false;
    raw_judge_queued(raw, 281, "work that is done when it was submitted again",
                     "other bytes after work was preempted and submitted again");
    return true;
}

/* The hardware has done all when its interrupts come: one tells of the work and of the preemption. Or, not `whole`,
 * the preemption is done while the driver serves the interrupt of the work, where engines work on meanwhile. */
static bool in_one_interrupt(struct raw_submitter *raw, bool whole) {
    struct vidmm_host *host = raw->check->harness.host;
    check_step(raw->check, whole ? "preempt: work and preemption in one interrupt"
                                 : "preempt: in the interrupt of work");
    raw_paint(raw, raw->source, 41);
    raw_paint(raw, raw->target, 99);
    bool good = raw_queue(raw, 0); /* which may have to wait for work */
    vidmm_host_hold_interrupts(host, true);
    vidmm_host_run(host);
    good = good && raw_ask_preempt(raw);
    if (whole)
        vidmm_host_run(host);
    vidmm_host_hold_interrupts(host, false);
    if (!good || !raw_await_preempted(raw) || !raw_resubmit(raw) || !raw_queue_end(raw))
        return false;
    raw_judge_queued(raw, 281, "work that is done before its preemption is reported",
                     "other bytes after work and preemption were reported at once");
    return true;
}

/* A driver that reports by a timer of its own has work that is done, and not reported. */
static bool behind_done(struct raw_submitter *raw, uint32_t ahead) {
    check_step(raw->check, "preempt: behind %u submissions that are done", ahead);
    raw_paint(raw, raw->source, 43);
    raw_paint(raw, raw->target, 99);
    bool good = raw_queue(raw, ahead);
    vidmm_host_run(raw->check->harness.host);
    if (!good || !raw_preempt(raw) || !raw_resubmit(raw) || !raw_queue_end(raw))
        return false;
    raw_judge_queued(raw, 281, "work that is done before its preemption is reported",
                     "other bytes after work was preempted that was done");
    return true;
}

static void preempts(struct raw_submitter *raw) {
    check_step(raw->check, "preempt: nothing queued");
    if (!raw_preempt(raw))
        return;
    for (uint32_t times = 1; times <= ROUNDS; times++)
        for (uint32_t ahead = 0; ahead < RAW_PIECES; ahead += 2)
            if (!round_trip(raw, ahead, times))
                return;
    for (uint32_t ahead = 0; ahead < RAW_PIECES; ahead += 2)
        if (!behind_done(raw, ahead))
            return;
    if (!in_one_interrupt(raw, true) || !in_one_interrupt(raw, false))
        return;
    check_step(raw->check, "preempt: nothing queued any more");
    (void)raw_preempt(raw);
}

/* A driver that leaves paging buffers empty has fences of applications' work alone. Nothing has left memory
 * yet, by hand and past the segments of an eviction, when a system would submit such work. */
static void preempts_rendering(struct raw_submitter *raw, uint32_t node) {
    struct raw_renderer renderer;
    bool good = raw_render_open_on(&renderer, raw, node, false);
    for (uint32_t i = 0; good && i < ROUNDS; i++) {
        check_step(raw->check, "preempt: behind work of an application that is done, round %u",
                   i + 1);
        good = raw_render(&renderer) && raw_render(&renderer) && raw_preempt(raw);
    }
    raw_render_close(&renderer);
}

static void preempts_other_nodes(struct raw_submitter *raw) {
    for (uint32_t node = 0; node < raw->info.nodes && !raw->refused; node++)
        if (node != raw->info.paging_node)
            preempts_rendering(raw, node);
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}

static void preempts_any(struct raw_submitter *raw) {
    bool completes = raw_queue_first(raw);
    if (completes && !raw->works)
        preempts_rendering(raw, raw->node);
    if (completes && !raw->refused)
        preempts(raw);
}

/* Lost work is built and submitted again, with new fences. */
static bool lose(struct raw_submitter *raw, uint32_t ahead, enum raw_before before) {
    check_step(raw->check, "preempt: a reset behind %u submissions, way %u", ahead, before);
    raw_paint(raw, raw->source, ahead + 50);
    raw_paint(raw, raw->target, 99);
    if (!raw_queue(raw, ahead) || !raw_begin_reset(raw, before) || !raw_reset(raw) ||
        !raw_queue(raw, 0) || !raw_queue_end(raw))
        return false;
    raw_judge_queued(raw, raw->memory.id != 0 ? 161 : 194, "the bytes of the source pages",
                     "other bytes in what was moved after a reset");
    return true;
}

/* The same, and no time passes between the reset and the restart. */
static void lose_at_once(struct raw_submitter *raw) {
    check_step(raw->check, "preempt: a reset and its restart at once");
    raw_paint(raw, raw->source, 49);
    (void)(raw_queue(raw, 0) && raw_reset_at_once(raw));
}

/* What the reset ended counts as completed (tdr-changes-in-windows-8.md): a preemption that comes before any
 * other work tells. */
static void preempts_after_reset(struct raw_submitter *raw) {
    check_step(raw->check, "preempt: nothing queued after a reset");
    (void)(raw_queue(raw, 2) && raw_reset_preempting(raw));
}

static void loses(struct raw_submitter *raw) {
    bool preempts = raw->ddi->DxgkDdiPreemptCommand;
    for (uint32_t ahead = 0; ahead < RAW_PIECES; ahead += 2)
        for (uint32_t before = BEFORE_NOTHING; before <= BEFORE_DONE_AND_ASKED; before++)
            if ((preempts || before == BEFORE_NOTHING || before == BEFORE_DONE) &&
                !lose(raw, ahead, (enum raw_before)before))
                return;
}

/* A timer that the lost work had set is set when the device stops (K6). */
static void stops_after_reset(struct raw_submitter *raw) {
    check_step(raw->check, "preempt: a stop behind a reset");
    (void)(raw_queue(raw, 0) && raw_reset_last(raw));
}

static void resets(struct raw_submitter *raw) {
    loses(raw);
    if (!raw->refused && raw_forgets(raw))
        lose_at_once(raw);
    if (!raw->refused && raw->works)
        raw_hang_loses(raw);
    if (!raw->refused && raw->works)
        raw_hang_faults(raw);
    if (!raw->refused && raw->ddi->DxgkDdiPreemptCommand &&
        raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        preempts_after_reset(raw);
    if (!raw->refused && !raw->mapped)
        stops_after_reset(raw); /* no mapping is left behind */
}

/* ---- Over the manager ------------------------------------------------------------------------ */

/* Work at virtual addresses is the manager's alone: no queue of it is made by hand. */
static bool works_by_address(struct check *check, const struct check_setup *setup) {
    return check_open(check, setup) && check_manage(check, setup) && check_virtual(check);
}

/* Each node, whether it has work or not. */
static bool preempts_nodes(struct check *check, bool idle) {
    struct vidmm_adapter_info info;
    bool good = true;
    vidmm_adapter_info(check->harness.adapter, &info);
    for (uint32_t node = 0; good && node < info.nodes; node++)
        good = idle ? check_preempt_idle(check, node)
                    : check_good(check, vidmm_preempt(check->harness.adapter, 0, node));
    return good;
}

/* Nothing hangs here: a reset since there were `resets` is the manager's for a report that did not come. */
static bool all_was_reported(struct check *check, uint64_t resets) {
    bool told = check_resets_made(check) == resets;
    check_judge(
        check, 561, VIDMM_SIDE_DRIVER, told, "DMA_PREEMPTED for each DxgkDdiPreemptCommand",
        "a preemption, or the work before it, was never reported, and the GPU had to be reset");
    return told;
}

static bool preempts_behind(struct work *work, uint32_t submissions) {
    check_step(work->check, "preempt: behind %u submissions of a process", submissions);
    uint64_t resets = check_resets_made(work->check);
    bool good = work_prepare(work);
    for (uint32_t i = 0; good && i < submissions; i++)
        good = work_submit(work);
    return good && preempts_nodes(work->check, submissions == 0) && work_finish(work) &&
           all_was_reported(work->check, resets);
}

/* Interrupts of work that is done are held until the preemption was asked for, and is done, too, if `whole`. */
static struct {
    PDXGKDDI_PREEMPTCOMMAND preempt;
    struct vidmm_host *host; /* NULL: none are held */
    bool whole;
} holding;

static NTSTATUS APIENTRY preempt_held(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    struct vidmm_host *host = holding.host;
    NTSTATUS status = holding.preempt(adapter, args);
    holding.host = NULL;
    if (host && holding.whole)
        vidmm_host_run(host);
    if (host)
        vidmm_host_hold_interrupts(host, false);
    return status;
}

static bool preempts_done(struct work *work, const struct once *once, bool whole) {
    struct check *check = work->check;
    struct vidmm_host *host = check->harness.host;
    check_step(check, whole ? "preempt: work of a process and preemption in one interrupt"
                            : "preempt: in the interrupt of work of a process");
    uint64_t resets = check_resets_made(check);
    bool good = work_prepare(work) && once_prepare(once);
    vidmm_host_hold_interrupts(host, true);
    good = good && work_submit(work);
    vidmm_host_run(host);
    holding.host = host;
    holding.whole = whole;
    good = good && check_preempt_idle(check, work->node);
    holding.host = NULL;
    vidmm_host_hold_interrupts(host, false);
    good = good && work_finish(work) && all_was_reported(check, resets);
    if (good)
        once_judge(once);
    return good;
}

static bool preempts_all_done(struct work *work) {
    struct once once;
    bool good = once_open(&once, work->user) && preempts_done(work, &once, true) &&
                preempts_done(work, &once, false);
    once_close(&once);
    return good;
}

static void looking_table(DRIVER_INITIALIZATION_DATA *table) {
    holding.preempt = table->DxgkDdiPreemptCommand;
    if (holding.preempt)
        table->DxgkDdiPreemptCommand = preempt_held;
    reset_each_table(table);
}

/* What the reset ended counts as completed (tdr-changes-in-windows-8.md): a preemption that comes before any other
 * work tells. */
static void resets_behind(struct user *user) {
    if (reset_each(user) && preempts_nodes(user->check, false))
        (void)user_rest(user);
}

static void preempts_process(struct work *work) {
    bool good = preempts_behind(work, 0) && work_first(work);
    for (uint32_t submissions = SUBMISSIONS; good && submissions-- > 0;)
        good = preempts_behind(work, submissions);
    good = good && midway_managed(work->check) && preempts_all_done(work);
    if (good && check_resets(work->check))
        resets_behind(work->user);
}

static enum vidmm_stage_outcome preempts_workload(struct check *check) {
    struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}},
                                .preempt_every = OFTEN};
    if (!works_by_address(check, &setup))
        return VIDMM_STAGE_DONE;
    check_close(check);
    check_step(check, "preempt: a workload");
    return check_play(check, &setup, FRAMES, NULL);
}

enum vidmm_stage_outcome stage_preempt(struct check *check, uint32_t number) {
    static const struct check_setup worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"PagingBufferSegment", 1}},
         .overlapping = true},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}},
         .overlapping = true,
         .table = looking_table},
    };
    /* What the driver reports of work by hand leads to errors of the manager, which goes by it. */
    static const uint16_t known[] = {277, 281, 421, 561, 645};
    struct raw_submitter raw;
    if (number >= BY_HAND && check_broke(check, known, sizeof(known) / sizeof(known[0])))
        return VIDMM_STAGE_DONE;
    if (number == BY_HAND + 1)
        return preempts_workload(check);
    check_step(check, "preempt: run %u", number + 1);
    if (!check_open(check, &worlds[number]))
        return VIDMM_STAGE_STOPPED;
    if (number == BY_HAND)
        return work_over_manager(check, &worlds[number], preempts_process);
    enum vidmm_stage_outcome opened = raw_open_aperture(&raw, check);
    if (opened != VIDMM_STAGE_DONE)
        return raw_unopened(&raw, opened);
    if (raw.ddi->DxgkDdiPreemptCommand) {
        preempts_any(&raw);
        preempts_other_nodes(&raw);
        if (!raw.refused && raw.works)
            raw_hang_preempts(&raw);
        if (!raw.refused && raw.works)
            midway_by_hand(&raw);
    } else
        (void)raw_queue_first(&raw);
    if (!raw.refused)
        raw_cancels(&raw);
    if (!raw.refused && check_resets(check))
        resets(&raw);
    return raw_close(&raw);
}
