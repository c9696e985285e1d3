/*
 * raw_hang.c - work of an application that runs long or hangs (VIDMM_UMD_SPIN of vidmm/umd.h), by hand, and what a
 * system does while it runs: preemptions (gpu-preemption.md) and resets of its engine and of the adapter
 * (tdr-changes-in-windows-8.md), on each node whose engine knows such work. Nothing is done, or said, where the driver
 * does not understand it, or where the engine comes to its end at once.
 */
#include "raw.h"

#include <vidmm/umd.h>

#define LONG_STEPS 200u
#define LONG_NS    UINT64_C(10000000) /* more than those take */

/* Commands of a context, in a DMA buffer of their own. */
struct hang_work {
    struct raw_renderer renderer;
    struct raw_commands commands;
    struct raw_part whole;
};

/* False: the driver makes nothing of them. hang_close follows anyway. */
static bool hang_open(struct hang_work *work, struct raw_submitter *raw, uint32_t node,
                      uint32_t steps) {
    const struct vidmm_umd_command spin = {.opcode = VIDMM_UMD_SPIN, .pages = steps};
    work->commands = (struct raw_commands){.bytes = &spin, .size = sizeof(spin)};
    bool made = raw_render_open_on(&work->renderer, raw, node, false) &&
                raw_render_whole(&work->renderer, &work->commands, &work->whole);
    work->commands.bytes = NULL;
    return made && work->commands.written != 0;
}

static bool hang_submit(struct hang_work *work) {
    return raw_render_submit(&work->renderer, &work->commands, &work->whole);
}

bool raw_hang_reported(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->faulted != 0 || (raw->packets != 0 && raw->completed == raw->packet[0].fence);
}

void raw_hang_forget(struct raw_submitter *raw) {
    if (raw->faulted == 0)
        return;
    vidmm_host_run(raw->check->harness.host);
    raw_leave_to(raw, raw->node);
    raw->faulted = 0;
}

/* The fence behind what is complete is no work's. */
static bool hang_leave_fence(struct raw_submitter *raw) {
    return !raw->ddi->DxgkDdiPreemptCommand || raw_preempt(raw);
}

/* With work that waits behind it, as long as a system waits. False: it does not hang, and all is done. */
static bool hang_runs(struct hang_work *hanging, struct hang_work *behind) {
    struct raw_submitter *raw = hanging->renderer.raw;
    if (!hang_submit(hanging) || !hang_submit(behind))
        return false;
    if (!vidmm_host_run_until(raw->check->harness.host, raw_hang_reported, raw))
        return true;
    raw_hang_forget(raw);
    (void)raw_flush(raw);
    return false;
}

/* ---- Resets of the engine ------------------------------------------------------------------------ */

/* `*group`: the nodes that are reset with it. False: no DDI call follows but the reset of the adapter. */
static bool hang_ask(struct raw_submitter *raw, uint64_t *group) {
    bool told = raw_ask_engine(raw, group);
    raw->unseen = raw->unseen || !told;
    return told;
}

/* All that is under way is lost. */
static void hang_reset_adapter(struct raw_submitter *raw) {
    raw_leave_to(raw, raw->info.paging_node);
    if (!check_resets(raw->check) || !raw_reset(raw))
        raw->refused = raw->unseen = true;
}

/* Of a reset that the driver refused, as it may, the adapter's is what follows. */
static bool hang_reset_engine(struct raw_submitter *raw, uint32_t node,
                              DXGKARG_RESETENGINE *reset) {
    *reset = (DXGKARG_RESETENGINE){.NodeOrdinal = node, .EngineOrdinal = raw->physical};
    if (raw->ddi->DxgkDdiResetEngine(raw->adapter, reset) == STATUS_SUCCESS)
        return true;
    hang_reset_adapter(raw);
    return false;
}

static bool hang_reported_other(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->completed != raw->fence;
}

/* What was aborted is not reported any more, and counts as completed at a preemption, before new work runs. */
static bool hang_ends(struct hang_work *behind) {
    struct raw_submitter *raw = behind->renderer.raw;
    raw_leave_to(raw, raw->node);
    bool reported = vidmm_host_run_until(raw->check->harness.host, hang_reported_other, raw);
    check_judge(raw->check, 281, VIDMM_SIDE_DRIVER, !reported,
                "no report of work that an engine's reset ended",
                "work that an engine's reset ended was reported as completed behind it");
    raw_leave_to(raw, raw->node);
    return raw_preempt(raw) && hang_submit(behind) && raw_render_completes(raw);
}

static bool hang_reset_alone(struct hang_work *hanging, struct hang_work *behind) {
    struct raw_submitter *raw = hanging->renderer.raw;
    DXGKARG_RESETENGINE reset;
    uint64_t group = 0;
    check_step(raw->check, "engines: a reset of node %u, which hangs in work of an application",
               hanging->renderer.node);
    if (!hang_leave_fence(raw) || !hang_runs(hanging, behind))
        return false;
    uint32_t hung = raw->packet[0].fence;
    if (!hang_ask(raw, &group) || !hang_reset_engine(raw, raw->node, &reset))
        return false;
    check_judge(raw->check, 281, VIDMM_SIDE_DRIVER, reset.LastAbortedFenceId == hung,
                "LastAbortedFenceId of the work that the engine hung in", "%s",
                check_aborted_text(reset.LastAbortedFenceId, hung));
    return hang_ends(behind);
}

static bool hang_preempted(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->preempted == raw->fence;
}

/* A system asks for a preemption before it takes an engine for hung. False: it was preempted, and does not hang, or no DDI
 * call follows. What is undone then is forgotten. */
static bool hang_withstands(struct raw_submitter *raw) {
    if (!raw_ask_preempt(raw))
        return false;
    if (!vidmm_host_run_until(raw->check->harness.host, hang_preempted, raw))
        return true;
    raw_hang_forget(raw);
    raw_leave_to(raw, raw->node);
    return false;
}

/* The report of that preemption does not come behind the reset (R617), with the next work. */
static bool hang_reset_asked(struct hang_work *hanging, struct hang_work *behind) {
    struct raw_submitter *raw = hanging->renderer.raw;
    DXGKARG_RESETENGINE reset;
    uint64_t group = 0;
    check_step(raw->check,
               "engines: a reset of node %u, which hangs and was asked for a preemption",
               hanging->renderer.node);
    if (!hang_runs(hanging, behind))
        return false;
    uint32_t hung = raw->packet[0].fence;
    if (!hang_withstands(raw))
        return !raw->refused;
    if (!hang_ask(raw, &group) || !hang_reset_engine(raw, raw->node, &reset))
        return false;
    check_judge(raw->check, 281, VIDMM_SIDE_DRIVER, reset.LastAbortedFenceId == hung,
                "LastAbortedFenceId of the work that the engine hung in", "%s",
                check_aborted_text(reset.LastAbortedFenceId, hung));
    raw_leave_to(raw, raw->node);
    return hang_submit(behind) && raw_render_completes(raw);
}

/* `late`: it completes before the reset, and its interrupt comes behind that. */
static bool hang_reset_meanwhile(struct hang_work *beside, uint32_t node, bool late) {
    struct vidmm_host *host = beside->renderer.raw->check->harness.host;
    DXGKARG_RESETENGINE reset;
    vidmm_host_hold_interrupts(host, late);
    bool good = hang_submit(beside);
    if (good && late)
        vidmm_host_pass(host, LONG_NS);
    good = good && hang_reset_engine(beside->renderer.raw, node, &reset);
    vidmm_host_hold_interrupts(host, false);
    return good;
}

/* Work of another node that is under way, and which is not in the mask, completes. */
static bool hang_reset_beside(struct hang_work *hanging, struct hang_work *behind,
                              struct hang_work *beside, bool late) {
    struct raw_submitter *raw = hanging->renderer.raw;
    uint32_t node = hanging->renderer.node, other = beside->renderer.node;
    DXGKARG_RESETENGINE reset;
    uint64_t group = 0;
    check_step(raw->check, "engines: a reset of node %u, which hangs, with work on node %u%s", node,
               other, late ? " that is done before" : "");
    if (!hang_runs(hanging, behind) || !hang_ask(raw, &group))
        return false;
    bool apart = (group >> other & 1u) == 0;
    raw_leave_to(raw, other);
    if (apart ? !hang_reset_meanwhile(beside, node, late) : !hang_reset_engine(raw, node, &reset))
        return false;
    bool completes =
        !apart || vidmm_host_run_until(raw->check->harness.host, raw_hang_reported, raw);
    check_judge(raw->check, 606, VIDMM_SIDE_DRIVER, completes,
                "work of nodes that are not in DependentNodeOrdinalMask to go on", "%s",
                late ? "work of a node that is not in DependentNodeOrdinalMask was complete, or "
                       "under way, and was not reported behind the reset of another"
                     : "work of a node that is not in DependentNodeOrdinalMask ended in the reset "
                       "of another");
    raw_hang_forget(raw);
    if (!completes)
        hang_reset_adapter(raw);
    else
        raw_leave_to(raw, node);
    return completes && hang_ends(behind);
}

/* `beside`: NULL, or open. */
static void hang_resets_of(struct raw_submitter *raw, uint32_t node, struct hang_work *beside) {
    struct hang_work hanging, behind;
    bool good = hang_open(&hanging, raw, node, UINT32_MAX);
    bool both = hang_open(&behind, raw, node, 1) && good;
    if (both && hang_reset_alone(&hanging, &behind) && hang_reset_asked(&hanging, &behind) &&
        beside && !raw->refused && hang_reset_beside(&hanging, &behind, beside, false) &&
        !raw->refused)
        (void)hang_reset_beside(&hanging, &behind, beside, true);
    raw_render_close(&behind.renderer);
    raw_render_close(&hanging.renderer);
}

static void hang_resets_on(struct raw_submitter *raw, uint32_t node) {
    struct hang_work beside;
    uint32_t other = node != 0 ? 0 : 1;
    bool several = other < raw->info.nodes;
    bool open = several && hang_open(&beside, raw, other, LONG_STEPS);
    /* Its engine may not know such work. */
    open = open && hang_submit(&beside) &&
           vidmm_host_run_until(raw->check->harness.host, raw_hang_reported, raw) &&
           raw->faulted == 0;
    raw_hang_forget(raw);
    hang_resets_of(raw, node, open ? &beside : NULL);
    if (several)
        raw_render_close(&beside.renderer);
}

void raw_hang_resets(struct raw_submitter *raw) {
    if (!check_understands(raw->check, VIDMM_UMD_SPIN))
        return;
    for (uint32_t node = 0; node < raw->info.nodes && node < 64 && !raw->refused; node++)
        hang_resets_on(raw, node);
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}

/* ---- Preemptions --------------------------------------------------------------------------------- */

/* Work that a preemption left undone, by its report, is not reported as completed: it was not submitted again. */
static void hang_preempt(struct hang_work *running, bool begun) {
    struct raw_submitter *raw = running->renderer.raw;
    check_step(raw->check, "preempt: node %u, %s work of an application", running->renderer.node,
               begun ? "in" : "before");
    if (!hang_submit(running))
        return;
    if (begun)
        vidmm_host_run(raw->check->harness.host);
    if (!raw_preempt(raw))
        return;
    bool late = raw->completed_then != raw->packet[0].fence &&
                vidmm_host_run_until(raw->check->harness.host, raw_hang_reported, raw);
    check_judge(raw->check, 281, VIDMM_SIDE_DRIVER, !late || raw->faulted != 0,
                "the report of a preemption when nothing runs any more",
                "work that the report of a preemption left undone was reported as completed later");
    raw_hang_forget(raw);
    raw_leave_to(raw, raw->node);
}

void raw_hang_preempts(struct raw_submitter *raw) {
    if (!check_understands(raw->check, VIDMM_UMD_SPIN))
        return;
    for (uint32_t node = 0; node < raw->info.nodes && !raw->refused; node++) {
        struct hang_work running;
        if (hang_open(&running, raw, node, LONG_STEPS))
            for (uint32_t begun = 0; begun < 2 && !raw->refused; begun++)
                hang_preempt(&running, begun != 0);
        raw_render_close(&running.renderer);
    }
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}

/* ---- Errors -------------------------------------------------------------------------------------- */

/* An error of the hardware, if it takes it for one, is that of this work (R523). What is behind it is open until a
 * reset. */
static void hang_fault(struct hang_work *work) {
    struct raw_submitter *raw = work->renderer.raw;
    uint32_t node = work->renderer.node;
    check_step(raw->check, "preempt: a buffer of node %u%s", node,
               work->renderer.damaged ? " whose bytes are damaged" : "");
    if (!hang_leave_fence(raw) || !hang_submit(work))
        return;
    bool reported = vidmm_host_run_until(raw->check->harness.host, raw_hang_reported, raw);
    bool faulted = raw->faulted != 0;
    raw_hang_forget(raw);
    if (faulted || !reported)
        hang_reset_adapter(raw);
    else
        raw_leave_to(raw, node);
}

void raw_hang_faults(struct raw_submitter *raw) {
    if (!check_understands(raw->check, VIDMM_UMD_SPIN) || raw->check->options->device)
        return; /* nobody knows what a device does that was not made for this */
    for (uint32_t node = 0; node < raw->info.nodes && !raw->refused; node++) {
        struct hang_work work;
        if (hang_open(&work, raw, node, 1)) {
            hang_fault(&work);
            work.renderer.damaged = true;
            hang_fault(&work);
        }
        raw_render_close(&work.renderer);
    }
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}

/* ---- Resets of the adapter ----------------------------------------------------------------------- */

#define DRAW_AFTER 1000u /* steps */
#define DRAWN      9u    /* version */

/* Commands that draw all of the surface, after a while. */
static bool hang_open_drawing(struct hang_work *work, struct raw_submitter *raw, uint32_t node) {
    const struct vidmm_umd_command commands[] = {
        {.opcode = VIDMM_UMD_SPIN, .pages = DRAW_AFTER},
        {.opcode = VIDMM_UMD_STAMP, .pages = RAW_PAGES, .version = DRAWN}};
    work->commands = (struct raw_commands){.bytes = commands, .size = sizeof(commands)};
    bool made = raw_render_open_on(&work->renderer, raw, node, false) &&
                raw_render_surface(&work->renderer) &&
                raw_render_whole(&work->renderer, &work->commands, &work->whole);
    work->commands.bytes = NULL;
    return made && work->commands.written != 0;
}

static bool hang_never(const void *ctx) {
    (void)ctx;
    return false;
}

/* What comes into memory behind the reset stays there: the drawing is over. `hurried`: a driver that only tells its
 * thread, or the hardware, to stop has not seen it do so when the restart comes. False: no more can be asked. */
static bool hang_lose(struct hang_work *drawing, bool begun, bool hurried) {
    struct raw_submitter *raw = drawing->renderer.raw;
    check_step(raw->check, "preempt: a reset of the adapter, node %u %s work of an application%s",
               drawing->renderer.node, begun ? "in" : "before",
               hurried ? ", and its restart at once" : "");
    raw_paint(raw, raw->source, 70 + begun);
    if (!raw_bring(raw, 0) || !hang_submit(drawing))
        return false;
    if (begun)
        vidmm_host_run(raw->check->harness.host);
    raw_hang_forget(raw);
    if (!(hurried ? raw_reset_at_once(raw) : raw_reset(raw)) || !raw_bring(raw, 0))
        return false;
    (void)vidmm_host_run_until(raw->check->harness.host, hang_never, raw);
    if (!raw_take(raw))
        return false;
    raw_judge(raw, 421, raw_same(raw), "a GPU that neither reads nor writes memory after the reset",
              "work of an application that was submitted before the reset wrote memory after it");
    return true;
}

/* The same of a preemption that was asked for before the adapter was reset (R281): new work of the node completes, and is all
 * that is reported. */
static void hang_lose_asked(struct hang_work *hanging, struct hang_work *behind) {
    struct raw_submitter *raw = hanging->renderer.raw;
    check_step(raw->check,
               "preempt: a reset of the adapter, node %u hangs and was asked for a preemption",
               hanging->renderer.node);
    if (!hang_runs(hanging, behind) || !hang_withstands(raw))
        return;
    raw_hang_forget(raw);
    if (raw_reset(raw) && hang_submit(behind) && !raw_render_completes(raw) && raw->faulted == 0)
        check_unreported(raw->check, check_explained(raw->check), 618,
                         "work behind a reset of the adapter, whose engine hung, was never "
                         "reported complete");
}

static void hang_loses_asked(struct raw_submitter *raw, uint32_t node) {
    struct hang_work hanging, behind;
    bool good = hang_open(&hanging, raw, node, UINT32_MAX);
    if (hang_open(&behind, raw, node, 1) && good)
        hang_lose_asked(&hanging, &behind);
    raw_render_close(&behind.renderer);
    raw_render_close(&hanging.renderer);
}

void raw_hang_loses(struct raw_submitter *raw) {
    if (!check_understands(raw->check, VIDMM_UMD_SPIN) ||
        !check_understands(raw->check, VIDMM_UMD_STAMP))
        return;
    for (uint32_t node = 0; node < raw->info.nodes && !raw->refused; node++) {
        struct hang_work drawing;
        if (hang_open_drawing(&drawing, raw, node) && hang_lose(&drawing, false, false) &&
            hang_lose(&drawing, true, false) && raw_forgets(raw))
            (void)hang_lose(&drawing, true, true);
        raw_render_close(&drawing.renderer);
    }
    for (uint32_t node = 0; raw->ddi->DxgkDdiPreemptCommand && node < raw->info.nodes; node++)
        if (!raw->refused)
            hang_loses_asked(raw, node);
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}
