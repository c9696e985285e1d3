/*
 * stage_interrupts.c - what the usual deliverer of interrupts, which is prompt and exact, does not
 * show: an interrupt of another device on the same line, one that is still there when the driver
 * has served it, and one that is lost, so that the system has to ask for the fence.
 */
#include "raw.h"

/* ---- Work ------------------------------------------------------------------------------------ */

/* Builds work that can be built again behind work_undo. */
static bool work_build(struct raw_submitter *raw) {
    const struct raw_piece piece = {0, RAW_PAGES, true};
    return raw->memory.id != 0 ? raw_transfer(raw, &piece)
                               : raw_map(raw, &raw->aperture, 0, RAW_PAGES, raw->source, 0);
}

static bool work_undo(struct raw_submitter *raw) {
    return raw->memory.id != 0 || (raw_unmap(raw, &raw->aperture, 0, RAW_PAGES) && raw_flush(raw));
}

static bool work_first(struct raw_submitter *raw) {
    return raw->memory.id != 0 ? raw_settle_in(raw)
                               : work_build(raw) && raw_flush(raw) && work_undo(raw);
}

/* ---- On a line with other devices ------------------------------------------------------------ */

/* The hardware has nothing to say; false: there is no interrupt routine. */
static bool other_device(struct raw_submitter *raw, const char *when) {
    struct vidmm_host_asked asked;
    check_step(raw->check, "interrupts: of another device, %s", when);
    if (!vidmm_host_ask_interrupt(raw->check->harness.host, &asked))
        return false;
    if (!asked.raised && !asked.again)
        vidmm_ledger_judge(&raw->check->shared->ledger, 520, VIDMM_SIDE_DRIVER, !asked.claimed,
                           "FALSE for an interrupt that the adapter did not generate",
                           "DxgkDdiInterruptRoutine returned TRUE %s", when);
    return true;
}

/* Work completes while interrupts are held; then the driver is asked until it has nothing more. Building may have to
 * wait for work itself. */
static bool own_device(struct raw_submitter *raw) {
    struct vidmm_host *host = raw->check->harness.host;
    struct vidmm_host_asked asked, once_more;
    check_step(raw->check, "interrupts: the device's own");
    bool good = work_build(raw);
    vidmm_host_hold_interrupts(host, true);
    good = good && raw_submit(raw);
    vidmm_host_run(host);
    good = good && vidmm_host_ask_interrupt(host, &asked);
    if (good && asked.raised && asked.claimed && !asked.again &&
        vidmm_host_ask_interrupt(host, &once_more) && !once_more.raised)
        vidmm_ledger_judge(&raw->check->shared->ledger, 521, VIDMM_SIDE_DRIVER, !once_more.claimed,
                           "an interrupt that is dismissed when the routine returned TRUE",
                           "DxgkDdiInterruptRoutine returned TRUE again, with no new interrupt");
    vidmm_host_hold_interrupts(host, false);
    return good && raw_flush(raw) && work_undo(raw);
}

static void on_a_line(struct raw_submitter *raw) {
    if (!other_device(raw, "before any work") || !work_first(raw))
        return;
    (void)(other_device(raw, "after work") && own_device(raw) &&
           other_device(raw, "after work of which it interrupted"));
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static bool ask_fence(struct raw_submitter *raw, const char *when) {
    check_step(raw->check, "interrupts: the current fence %s", when);
    raw->refused = !check_ask_fence(raw->check, raw->info.paging_node, raw->physical);
    return !raw->refused;
}

/* Work is done and its interrupt lost. That it was done shows when the interrupt comes after all. */
static bool lost_interrupt(struct raw_submitter *raw) {
    struct vidmm_host *host = raw->check->harness.host;
    bool good = work_build(raw);
    vidmm_host_hold_interrupts(host, true);
    good = good && raw_submit(raw);
    vidmm_host_run(host);
    good = good && ask_fence(raw, "of work whose interrupt is lost");
    uint32_t reported = raw->completed;
    vidmm_host_hold_interrupts(host, false);
    vidmm_host_run(host);
    if (good && raw->completed == raw->fence && raw->faulted == 0)
        vidmm_ledger_judge(
            &raw->check->shared->ledger, 522, VIDMM_SIDE_DRIVER, reported == raw->fence,
            "a report of the fence before DxgkDdiQueryCurrentFence returns",
            "fence %u was complete, and %u the last one that was reported", raw->fence, reported);
    return good && raw_flush(raw) && work_undo(raw);
}

static bool submit_twice(struct raw_renderer *renderer) {
    struct vidmm_host *host = renderer->raw->check->harness.host;
    struct raw_commands commands;
    struct raw_part whole;
    if (!raw_render_nothing(renderer, &commands, &whole))
        return true;
    vidmm_host_hold_dpcs(host, true);
    bool good = raw_render_submit(renderer, &commands, &whole) &&
                raw_render_submit(renderer, &commands, &whole);
    vidmm_host_hold_dpcs(host, false);
    return good && raw_flush(renderer->raw);
}

/* A submission that is made on another processor. */
struct beside {
    struct raw_renderer *renderer;
    struct raw_commands commands;
    struct raw_part whole;
    bool good;
};

static void beside_submit(void *ctx) {
    struct beside *beside = ctx;
    beside->good = raw_render_submit(beside->renderer, &beside->commands, &beside->whole);
}

/* The next submission is made when a DPC has reported one, and before that DPC goes on. */
static bool submit_beside(struct raw_renderer *renderer) {
    struct beside beside = {.renderer = renderer, .good = true};
    struct vidmm_host *host = renderer->raw->check->harness.host;
    if (!raw_render_nothing(renderer, &beside.commands, &beside.whole))
        return true;
    vidmm_host_hold_dpcs(host, true);
    bool good = raw_render_submit(renderer, &beside.commands, &beside.whole);
    vidmm_host_beside(host, beside_submit, &beside);
    vidmm_host_hold_dpcs(host, false);
    (void)vidmm_host_beside_end(host);
    return good && beside.good && raw_flush(renderer->raw);
}

/* Two submissions of an application follow each other before a DPC runs, which has both to report; two
 * where the second comes while a DPC reports the first. */
static void late_dpc(struct raw_submitter *raw) {
    struct raw_renderer renderer;
    if (raw->refused)
        return;
    check_step(raw->check, "interrupts: two submissions before a DPC runs");
    if (raw_render_open(&renderer, raw) && raw_render(&renderer) && submit_twice(&renderer)) {
        check_step(raw->check, "interrupts: a submission while a DPC reports another");
        (void)submit_beside(&renderer);
    }
    raw_render_close(&renderer);
}

/* Longer than a driver waits for hardware that it believes to hang. */
#define SECONDS_NS UINT64_C(10000000000)

/* Timers fire before the DPC that would have stopped them; what theirs begin is under way when the device stops. */
static void stop_behind_timers(struct raw_submitter *raw) {
    struct vidmm_host *host = raw->check->harness.host;
    struct raw_renderer renderer;
    struct raw_commands commands;
    struct raw_part whole;
    if (raw->refused)
        return;
    check_step(raw->check, "interrupts: a stop after a DPC that was late by seconds");
    if (raw_render_open(&renderer, raw) && raw_render_nothing(&renderer, &commands, &whole)) {
        vidmm_host_hold_dpcs(host, true);
        bool good = raw_render_submit(&renderer, &commands, &whole);
        vidmm_host_pass(host, SECONDS_NS);
        vidmm_host_hold_dpcs(host, false);
        if (good && raw->completed != raw->fence)
            (void)raw_flush(raw);
    }
    raw_render_close(&renderer);
}

static void fences(struct raw_submitter *raw) {
    if (!raw->ddi->DxgkDdiQueryCurrentFence || !ask_fence(raw, "before any work") ||
        !work_first(raw) || !ask_fence(raw, "after work"))
        return;
    for (uint32_t i = 0; i < 3; i++)
        if (!work_build(raw) || !raw_submit(raw) || !ask_fence(raw, "of work under way") ||
            !raw_flush(raw) || !ask_fence(raw, "after it") || !work_undo(raw))
            return;
    (void)lost_interrupt(raw);
}

enum vidmm_stage_outcome stage_interrupts(struct check *check, uint32_t number) {
    static const struct check_setup worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}, .overlapping = true},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}, .line = true},
    };
    struct raw_submitter raw;
    if (worlds[number].line && check->options->device)
        return VIDMM_STAGE_DONE; /* a real device has messages of its own making */
    check_step(check, "interrupts: run %u", number + 1);
    if (!check_open(check, &worlds[number]))
        return worlds[number].line ? VIDMM_STAGE_SKIPPED : VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = raw_open_aperture(&raw, check);
    if (opened != VIDMM_STAGE_DONE)
        return opened;
    if (worlds[number].line) {
        on_a_line(&raw);
    } else {
        fences(&raw);
        late_dpc(&raw);
        stop_behind_timers(&raw);
    }
    return raw_close(&raw);
}
