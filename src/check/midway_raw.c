/* midway_raw.c - by hand; see midway.h. Both contexts count in one surface, of which page 0 has the result. */
#include "midway.h"

#include <string.h>

#include <vidmm/umd.h>

#define CONTEXTS 2u
#define COMMANDS (MIDWAY_CHECKS(CONTEXTS - 1) + 2u)

/* Commands of a context, in a DMA buffer of their own. */
struct midway {
    struct raw_renderer renderer;
    struct raw_commands commands;
    struct raw_part whole;
    uint32_t checks;
    uint32_t undone; /* fence of what a preemption stopped; 0: none */
};

/* False: the driver makes nothing of them. raw_render_close follows anyway. */
static bool midway_open(struct midway *work, struct raw_submitter *raw, uint32_t node,
                        uint32_t number) {
    struct vidmm_umd_command commands[COMMANDS];
    uint32_t count = 0;
    work->checks = MIDWAY_CHECKS(number) + 1;
    while (count < MIDWAY_CHECKS(number))
        commands[count++] = (struct vidmm_umd_command){
            .opcode = VIDMM_UMD_CHECK, .oracle = 1, .page = 1, .pages = 1};
    commands[count++] = (struct vidmm_umd_command){.opcode = VIDMM_UMD_SPIN, .pages = MIDWAY_STEPS};
    commands[count++] = commands[0];
    work->commands =
        (struct raw_commands){.bytes = commands, .size = count * (uint32_t)sizeof(commands[0])};
    bool made = raw_render_open_on(&work->renderer, raw, node, false) &&
                raw_render_surface(&work->renderer) &&
                raw_render_whole(&work->renderer, &work->commands, &work->whole);
    work->commands.bytes = NULL;
    return made && work->commands.written != 0;
}

/* ---- The surface ----------------------------------------------------------------------------- */

static bool by_hand_begin(struct raw_submitter *raw, uint32_t seed) {
    raw_paint(raw, raw->source, seed);
    memset(raw_page(raw, raw->source, 0), 0, CHECK_PAGE);
    return raw_bring(raw, 0);
}

/* False: it cannot be read. */
static bool by_hand_end(struct raw_submitter *raw, uint64_t *checked) {
    struct vidmm_umd_result result;
    if (!raw_take(raw))
        return false;
    memcpy(&result, raw_page(raw, raw->target, 0), sizeof(result));
    *checked = result.checked_bytes;
    return true;
}

/* ---- What happens to it ---------------------------------------------------------------------- */

static bool by_hand_submit(struct midway *work) {
    return raw_render_submit(&work->renderer, &work->commands, &work->whole);
}

/* How long it takes; 0: it counts nothing, or takes no time, as of an engine that does not know such work. */
static uint64_t by_hand_alone(struct midway *work) {
    struct raw_submitter *raw = work->renderer.raw;
    uint64_t checked = 0;
    if (!by_hand_begin(raw, 80))
        return 0;
    uint64_t from = raw->os->now(raw->os->ctx);
    bool good = by_hand_submit(work) &&
                vidmm_host_run_until(raw->check->harness.host, raw_hang_reported, raw) &&
                raw->faulted == 0;
    uint64_t ns = raw->os->now(raw->os->ctx) - from;
    raw_hang_forget(raw);
    return by_hand_end(raw, &checked) && good && checked == work->checks * (uint64_t)CHECK_PAGE ? ns
                                                                                                : 0;
}

/* Stops it in the middle, unless its engine runs it to its end. */
static bool by_hand_stop(struct midway *work, uint64_t ns) {
    struct raw_submitter *raw = work->renderer.raw;
    if (!by_hand_submit(work))
        return false;
    uint32_t fence = raw->packet[0].fence;
    vidmm_host_pass(raw->check->harness.host, ns / 2);
    if (!raw_preempt(raw))
        return false;
    work->undone = raw->completed_then != fence ? fence : 0;
    raw_leave_to(raw, raw->node);
    return true;
}

static bool by_hand_go_on(struct midway *work) {
    struct raw_submitter *raw = work->renderer.raw;
    if (work->undone == 0)
        return true;
    raw->packets = 1;
    raw->packet[0].fence = work->undone;
    bool good = raw_render_resubmit(&work->renderer, &work->commands, &work->whole) &&
                raw_render_completes(raw);
    if (!good && raw->faulted != 0)
        midway_judge_fault(raw->check, work->renderer.node);
    return good;
}

/* All of the first ones are stopped before one goes on. */
static bool by_hand_stopped(struct midway *works, uint32_t count, uint64_t ns) {
    struct raw_submitter *raw = works[0].renderer.raw;
    uint32_t node = works[0].renderer.node;
    uint64_t expected = 0, checked = 0;
    check_step(raw->check, "preempt: in the middle of %s of node %u",
               count == 1 ? "a buffer" : "buffers of two contexts", node);
    bool good = by_hand_begin(raw, 80 + count);
    for (uint32_t i = 0; good && i < count; i++) {
        expected += works[i].checks * (uint64_t)CHECK_PAGE;
        good = by_hand_stop(&works[i], ns);
    }
    for (uint32_t i = 0; good && i < count; i++)
        good = by_hand_go_on(&works[i]);
    if (!good || !by_hand_end(raw, &checked))
        return false;
    midway_judge(raw->check, node, checked, expected);
    return true;
}

static uint32_t by_hand_undone(const struct raw_submitter *raw, uint32_t fence) {
    return raw_beyond(fence, raw->completed_then) ? fence : 0;
}

/* The first one, which was stopped and has ended, comes again, and waits behind the other when they are preempted. */
static bool by_hand_waits(struct midway *works, uint64_t ns) {
    struct raw_submitter *raw = works[0].renderer.raw;
    uint32_t node = works[0].renderer.node;
    uint64_t checked = 0;
    check_step(raw->check,
               "preempt: before a buffer of node %u that was stopped in its middle earlier", node);
    if (!by_hand_begin(raw, 84) || !by_hand_submit(&works[1]) || !by_hand_submit(&works[0]))
        return false;
    const uint32_t ahead = raw->packet[0].fence, behind = raw->packet[1].fence;
    vidmm_host_pass(raw->check->harness.host, ns / 2);
    if (!raw_preempt(raw))
        return false;
    works[1].undone = by_hand_undone(raw, ahead);
    works[0].undone = by_hand_undone(raw, behind);
    raw_leave_to(raw, raw->node);
    if (!by_hand_go_on(&works[1]) || !by_hand_go_on(&works[0]) || !by_hand_end(raw, &checked))
        return false;
    midway_judge(raw->check, node, checked,
                 (works[0].checks + works[1].checks) * (uint64_t)CHECK_PAGE);
    return true;
}

static void midway_on(struct raw_submitter *raw, uint32_t node) {
    struct midway works[CONTEXTS];
    bool made = true;
    for (uint32_t i = 0; i < CONTEXTS; i++)
        made = midway_open(&works[i], raw, node, i) && made;
    check_step(raw->check, "preempt: a buffer of node %u that counts", node);
    uint64_t ns = made ? by_hand_alone(&works[0]) : 0;
    if (ns != 0 && !raw->refused && by_hand_stopped(works, 1, ns) && by_hand_waits(works, ns))
        (void)by_hand_stopped(works, CONTEXTS, ns);
    for (uint32_t i = CONTEXTS; i-- > 0;)
        raw_render_close(&works[i].renderer);
}

void midway_by_hand(struct raw_submitter *raw) {
    if (!check_understands(raw->check, VIDMM_UMD_SPIN) ||
        !check_understands(raw->check, VIDMM_UMD_CHECK))
        return;
    for (uint32_t node = 0; node < raw->info.nodes && !raw->refused; node++)
        midway_on(raw, node);
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}
