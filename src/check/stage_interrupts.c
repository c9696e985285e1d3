/*
 * stage_interrupts.c - what the usual deliverer of interrupts, which is prompt and exact, does not
 * show: an interrupt of another device on the same line, one that is still there when the driver
 * has served it, one that is lost, so that the system has to ask for the fence, and one that tells of two nodes
 * (two_nodes.c). And so much work on each node that a ring of submissions comes round, with fences that come to the
 * middle of the numbers of 32 bits.
 */
#include "moments.h"
#include "two_nodes.h"

/* Longer than a driver waits for hardware that it believes to hang. */
#define SECONDS_NS UINT64_C(10000000000)
/* Submissions to a node: rings of 4,096 entries are common, longer ones are not. */
#define ROUND 4200u
/* To the nodes beside the first: a ring of 256 entries comes round twice. */
#define ROUND_BESIDE 600u

/* ---- On a line with other devices ------------------------------------------------------------ */

/* The hardware has nothing to say; false: there is no interrupt routine. */
static bool other_device(struct check *check, const char *when) {
    check_step(check, "interrupts: of another device, %s", when);
    return check_ask_line(check, when);
}

/* Work completes while interrupts are held; then the driver is asked until it has nothing more. */
static bool own_device(struct work *work) {
    struct vidmm_host *host = work->check->harness.host;
    struct vidmm_host_asked asked, once_more;
    check_step(work->check, "interrupts: the device's own");
    bool good = work_prepare(work);
    vidmm_host_hold_interrupts(host, true);
    good = good && work_submit(work);
    vidmm_host_run(host);
    good = good && vidmm_host_ask_interrupt(host, &asked);
    if (good && asked.raised && asked.claimed && !asked.again &&
        vidmm_host_ask_interrupt(host, &once_more) && !once_more.raised)
        vidmm_ledger_judge(&work->check->shared->ledger, 521, VIDMM_SIDE_DRIVER, !once_more.claimed,
                           "an interrupt that is dismissed when the routine returned TRUE",
                           "DxgkDdiInterruptRoutine returned TRUE again, with no new interrupt");
    vidmm_host_hold_interrupts(host, false);
    return good && work_finish(work);
}

static void on_a_line(struct work *work) {
    struct check *check = work->check;
    if (!other_device(check, "before any work") || !work_first(work))
        return;
    (void)(other_device(check, "after work") && own_device(work) &&
           other_device(check, "after work of which it interrupted"));
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static bool ask_fence(struct work *work, const char *when) {
    check_step(work->check, "interrupts: the current fence %s", when);
    bool told = check_ask_fence(work->check, work->node, work->physical);
    if (!told && work->raw)
        work->raw->refused = true;
    return told;
}

/* Work is done and its interrupt lost. That it was done shows when the interrupt comes after all. */
static bool lost_interrupt(struct work *work) {
    struct vidmm_host *host = work->check->harness.host;
    bool good = work_prepare(work);
    vidmm_host_hold_interrupts(host, true);
    good = good && work_submit(work);
    vidmm_host_run(host);
    good = good && ask_fence(work, "of work whose interrupt is lost");
    bool told = work_told(work);
    vidmm_host_hold_interrupts(host, false);
    vidmm_host_run(host);
    if (good && work_told(work))
        vidmm_ledger_judge(&work->check->shared->ledger, 522, VIDMM_SIDE_DRIVER, told,
                           "a report of the fence before DxgkDdiQueryCurrentFence returns",
                           "work was complete, and its fence was not reported%s", "");
    return good && work_finish(work);
}

/* False: the run ends. */
static bool fences(struct work *work) {
    if (!work->check->harness.spoken.DxgkDdiQueryCurrentFence)
        return true;
    bool good =
        ask_fence(work, "before any work") && work_first(work) && ask_fence(work, "after work");
    for (uint32_t i = 0; good && i < 3; i++)
        good = work_prepare(work) && work_submit(work) && ask_fence(work, "of work under way") &&
               work_finish(work) && ask_fence(work, "after it");
    return good && lost_interrupt(work);
}

/* ---- A DPC that is late ------------------------------------------------------------------------ */

/* Two submissions, both of which a DPC has to report. */
static bool late_for_two(struct work *work) {
    struct vidmm_host *host = work->check->harness.host;
    check_step(work->check, "interrupts: two submissions before a DPC runs");
    bool good = work_prepare(work);
    vidmm_host_hold_dpcs(host, true);
    good = good && work_submit(work) && work_submit(work);
    vidmm_host_hold_dpcs(host, false);
    return good && work_finish(work);
}

struct beside {
    struct work *work;
    bool good;
};

static void beside_submit(void *ctx) {
    struct beside *beside = ctx;
    beside->good = work_submit(beside->work);
}

/* The next submission is made on another processor, when a DPC has reported one and before that DPC goes on. */
static bool late_for_another(struct work *work) {
    struct beside beside = {.work = work, .good = true};
    struct vidmm_host *host = work->check->harness.host;
    check_step(work->check, "interrupts: a submission while a DPC reports another");
    bool good = work_prepare(work);
    vidmm_host_hold_dpcs(host, true);
    good = good && work_submit(work);
    vidmm_host_beside(host, beside_submit, &beside);
    vidmm_host_hold_dpcs(host, false);
    (void)vidmm_host_beside_end(host);
    return good && beside.good && work_finish(work);
}

/* Timers fire before the DPC that would have stopped them; what theirs begin is under way when the device stops. */
static bool late_by_seconds(struct work *work) {
    struct vidmm_host *host = work->check->harness.host;
    check_step(work->check, "interrupts: a stop after a DPC that was late by seconds");
    bool good = work_prepare(work);
    vidmm_host_hold_dpcs(host, true);
    good = good && work_submit(work);
    vidmm_host_pass(host, SECONDS_NS);
    vidmm_host_hold_dpcs(host, false);
    return good && (work_told(work) || work_finish(work));
}

static void late_dpc(struct work *work) {
    (void)(work_first(work) && late_for_two(work) && late_for_another(work) &&
           late_by_seconds(work));
}

/* ---- Several at once --------------------------------------------------------------------------- */

#define TOGETHER 4u
/* So many times: a counter of the hardware's own that comes to its end soon after a start does so within some of them. */
#define TIMES_TOGETHER 40u

/* All are done when the interrupt of the first comes. */
static bool tell_together(struct work *work) {
    struct vidmm_host *host = work->check->harness.host;
    bool good = work_prepare(work);
    vidmm_host_hold_interrupts(host, true);
    for (uint32_t i = 0; good && i < TOGETHER; i++)
        good = work_submit(work);
    vidmm_host_run(host);
    vidmm_host_hold_interrupts(host, false);
    return good && work_finish(work);
}

static void together(struct work *work) {
    check_step(work->check, "interrupts: %u submissions that are done at once, %u times", TOGETHER,
               TIMES_TOGETHER);
    bool good = work_first(work);
    for (uint32_t i = 0; good && i < TIMES_TOGETHER; i++)
        good = tell_together(work);
}

/* ---- So much work that rings come round ------------------------------------------------------ */

/* So many fences before the middle of their range, where a comparison of signed numbers is wrong; or before its end
 * where the reading has them wrap. No page tells what comes then (selections-in-the-gpu-hardware-queue.md). */
#define FENCES_BEFORE 2000u
#define FENCES_HALF   0x80000000u
/* Steps in which a difference of two fences is positive, from 0 on. */
#define FENCES_STEP  0x55555555u
#define FENCES_STEPS 2u

static bool fences_wrap(const struct check *check) {
    return check->options->readings.fence_ids != 0;
}

static uint32_t late_fence(const struct check *check) {
    return (fences_wrap(check) ? 0 : FENCES_HALF) - FENCES_BEFORE;
}

/* What is said of the next submissions: the fences of a manager's node 0, and those made by hand, come there once. */
static const char *passes(const struct work *work) {
    uint32_t end = late_fence(work->check) + FENCES_BEFORE;
    if (work->raw && end - work->raw->fence > ROUND)
        return "";
    return fences_wrap(work->check) ? ", with fences beyond 2^32" : ", with fences beyond 2^31";
}

static bool finish_told(struct work *work) {
    uint32_t since = fences_wrap(work->check) ? 646 : 0;
    bool told = true;
    return (work->user ? user_rest_told(work->user, since, &told) : work_finish(work)) && told;
}

/* By a manager, which waited for too long; 0 without one. */
static uint64_t ring_preemptions(const struct work *work) {
    struct vidmm_stats stats = {0};
    if (work->user)
        vidmm_stats(work->check->harness.adapter, &stats);
    return stats.preemptions;
}

/* One after the other, so that no more is under way than always. */
static bool round_times(struct work *work, uint32_t times) {
    check_step(work->check, "interrupts: %u submissions to node %u%s", times, work->node,
               passes(work));
    uint64_t before = ring_preemptions(work);
    bool good = work_prepare(work);
    for (uint32_t i = 0; good && i < times; i++)
        good = work_submit(work) && finish_told(work);
    if (good && ring_preemptions(work) != before)
        check_unreported(work->check, check_explained(work->check), 0,
                         "work that was submitted was reported only when it was preempted");
    if (good && fences_wrap(work->check))
        vidmm_ledger_judge(&work->check->shared->ledger, 646, VIDMM_SIDE_DRIVER, true, "", "%s",
                           "");
    return good;
}

static void round_a_ring(struct work *work) {
    (void)round_times(work, ROUND);
}

/* Commands that are none: the engine of a node may not know others. */
static bool round_in_node(struct user *user, uint32_t node) {
    struct work work = work_of_user(user);
    work.node = node;
    return user_send(user, "", 0) && round_times(&work, ROUND_BESIDE);
}

static void of_a_process(struct work *work) {
    if (fences(work)) {
        together(work);
        late_dpc(work);
    }
    round_a_ring(work);
    if (work->user && !user_in_nodes(work->check, 1, round_in_node))
        return;
    moments_show(work);
}

static void of_processes(struct work *work) {
    of_a_process(work);
    two_nodes_managed(work->check);
}

/* Of an application: a paging buffer whose operations the CPU carries out is empty. A driver may have nodes that it
 * makes no contexts for. */
static void by_application(struct raw_submitter *raw, uint32_t node,
                           void (*show)(struct work *work)) {
    struct raw_renderer renderer;
    if (raw->refused)
        return;
    if (raw_render_open_on(&renderer, raw, node, false)) {
        struct work work = work_of_application(&renderer);
        show(&work);
    }
    raw_render_close(&renderer);
}

static void on_other_nodes(struct raw_submitter *raw) {
    for (uint32_t node = 0; node < raw->info.nodes; node++)
        if (node != raw->info.paging_node)
            by_application(raw, node, of_a_process);
}

/* ---- At the middle and at the end of the range of fences --------------------------------------- */

static void of_once(struct work *work) {
    (void)work_first(work);
}

static void count_late(struct raw_submitter *raw) {
    for (uint32_t step = 1; fences_wrap(raw->check) && step <= FENCES_STEPS; step++) {
        check_step(raw->check, "interrupts: fences behind %u", step * FENCES_STEP);
        raw_count_from(raw, step * FENCES_STEP);
        for (uint32_t node = 0; node < raw->info.nodes; node++)
            by_application(raw, node, of_once);
        struct work work = work_by_hand(raw);
        if (!raw->refused)
            of_once(&work);
    }
    raw_count_from(raw, late_fence(raw->check));
}

/* A manager for each step. False: the run ends. */
static bool climb_managed(struct check *check, const struct check_setup *world) {
    struct check_setup setup = *world;
    bool good = true, on = true;
    for (uint32_t step = 1; good && on && step <= FENCES_STEPS; step++) {
        setup.first_fence = step * FENCES_STEP;
        check_step(check, "interrupts: fences behind %u", setup.first_fence);
        if (!check_manage(check, &setup))
            return false;
        on = check_virtual(check);
        good = !on || user_completes_each(check);
        vidmm_harness_stop_manager(&check->harness);
    }
    return good;
}

static enum vidmm_stage_outcome over_manager(struct check *check, const struct check_setup *world) {
    struct check_setup setup = *world;
    if (world->line)
        return work_over_manager(check, world, on_a_line);
    if (fences_wrap(check) && !climb_managed(check, world))
        return VIDMM_STAGE_STOPPED;
    setup.first_fence = late_fence(check);
    return work_over_manager(check, &setup, of_processes);
}

/* ---- The stage ------------------------------------------------------------------------------- */

static enum vidmm_stage_outcome by_hand(struct check *check, const struct check_setup *world) {
    struct raw_submitter raw;
    enum vidmm_stage_outcome opened = raw_open_aperture(&raw, check);
    if (opened != VIDMM_STAGE_DONE)
        return raw_unopened(&raw, opened);
    struct work work = work_by_hand(&raw);
    if (world->line) {
        on_a_line(&work);
    } else {
        count_late(&raw);
        (void)fences(&work);
        by_application(&raw, raw.info.paging_node, together);
        by_application(&raw, raw.info.paging_node, late_dpc);
        by_application(&raw, raw.info.paging_node, round_a_ring);
        by_application(&raw, raw.info.paging_node, moments_show);
        on_other_nodes(&raw);
        two_nodes_by_hand(&raw);
    }
    return raw_close(&raw);
}

enum vidmm_stage_outcome stage_interrupts(struct check *check, uint32_t number) {
    static const struct check_setup worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}, .overlapping = true},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}, .overlapping = true},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}, .line = true},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}, .line = true},
    };
    const struct check_setup *world = &worlds[number];
    bool managed = number % 2 == 1;
    if (world->line && check->options->device)
        return VIDMM_STAGE_DONE; /* a real device has messages of its own making */
    check_step(check, "interrupts: run %u", number + 1);
    if (!check_open(check, world))
        return world->line ? VIDMM_STAGE_SKIPPED : VIDMM_STAGE_STOPPED;
    return managed ? over_manager(check, world) : by_hand(check, world);
}
