/*
 * raw_reset.c - resets of the adapter, and of the engine that pages, by hand: what was submitted is lost, or submitted
 * again. What is mapped leaves before the restart, and buffers come back behind it.
 */
#include "raw.h"

#include <string.h>

bool raw_begin_reset(struct raw_submitter *raw, enum raw_before before) {
    if (before == BEFORE_DONE || before == BEFORE_DONE_AND_ASKED)
        vidmm_host_run(raw->check->harness.host); /* no timer of the driver's fires meanwhile */
    if (before == BEFORE_PREEMPTED)
        return raw_preempt(raw);
    return before == BEFORE_NOTHING || before == BEFORE_DONE || raw_ask_preempt(raw);
}

/* What the GPU shows at a page of what the lost work was about; of memory without a model that shows it, the CPU. */
static const void *view_page(const struct raw_submitter *raw, uint32_t page) {
    struct vidmm_host *host = raw->check->harness.host;
    bool memory = raw->memory.id != 0;
    uint64_t offset = (uint64_t)page * CHECK_PAGE;
    uint64_t at = memory ? raw_memory_at(raw, page) : raw->aperture.base + offset;
    const void *bytes = vidmm_host_peek(host, raw->physical, at, CHECK_PAGE);
    if (bytes || !memory || raw->memory.cpu_base == 0)
        return bytes;
    return vidmm_host_io(host, raw->memory.cpu_base + offset, CHECK_PAGE);
}

/* Those pages, at one time. */
static struct view {
    bool seen;
    unsigned char bytes[CHECK_PAGE];
} view_before[RAW_PAGES];

static void view_all(const struct raw_submitter *raw) {
    for (uint32_t page = 0; page < RAW_PAGES; page++) {
        const void *now = view_page(raw, page);
        view_before[page].seen = now;
        if (now)
            memcpy(view_before[page].bytes, now, CHECK_PAGE);
    }
}

static bool view_never(const void *ctx) {
    (void)ctx;
    return false;
}

/* What was submitted before the reset is over: given time, `longer` so that threads which sleep go on, the GPU changes
 * nothing of the memory that it had to write, and maps nothing. */
static void view_judge(struct raw_submitter *raw, bool longer, const char *expected,
                       const char *found) {
    uint32_t changed = 0, seen = 0;
    view_all(raw);
    if (longer)
        (void)vidmm_host_run_until(raw->check->harness.host, view_never, raw);
    else
        vidmm_host_run(raw->check->harness.host);
    for (uint32_t page = 0; page < RAW_PAGES; page++) {
        const struct view *before = &view_before[page];
        const void *now = view_page(raw, page);
        bool shown = now;
        seen += shown || before->seen;
        changed += shown != before->seen || (now && memcmp(before->bytes, now, CHECK_PAGE) != 0);
    }
    if (seen != 0)
        raw_judge(raw, 421, changed == 0, expected, found);
}

static void raw_judge_stopped(struct raw_submitter *raw) {
    view_judge(raw, false, "a GPU that neither reads nor writes memory after the reset",
               raw->memory.id != 0
                   ? "work that was submitted before the reset wrote memory after it"
                   : "the aperture shows other pages, by work that was submitted before");
}

/* Nor when the adapter is used again. Of the memory, of which nothing is left, a driver may make anything in
 * DxgkDdiRestartFromTimeout but what that work moved there. */
static void raw_judge_forgotten(struct raw_submitter *raw) {
    static const char *const expected = "nothing of the work that the reset came to",
                             *const found = "work that was submitted before the reset wrote memory "
                                            "behind DxgkDdiRestartFromTimeout";
    uint32_t arrived = 0;
    for (uint32_t page = 0; page < RAW_PAGES; page++) {
        const void *now = view_page(raw, page), *moved = raw_page(raw, raw->source, page);
        arrived += now && view_before[page].seen && memcmp(now, moved, CHECK_PAGE) == 0 &&
                   memcmp(view_before[page].bytes, moved, CHECK_PAGE) != 0;
    }
    if (arrived != 0)
        raw_judge(raw, 421, false, expected, found);
    else
        view_judge(raw, true, expected, found);
}

/* The clean-up, which is built here and submitted by what follows. The paging buffer is unmapped in it. */
static bool clean_up(struct raw_submitter *raw, bool mapped) {
    bool told = raw->memory.id != 0 ? raw->hurried || raw_tell_lost(raw)
                                    : !raw->inside || raw_unmap_target(raw);
    return told && raw_dma_move_all(raw, false) && (!mapped || raw_unmap_buffer(raw)) &&
           (!raw->held || raw_restart(raw));
}

/* In a hurry the adapter is used again at once, while the commands of what was lost are still in the paging buffer. */
static bool reset_and_restart(struct raw_submitter *raw) {
    bool mapped = raw->mapped;
    NTSTATUS status = raw->ddi->DxgkDdiResetFromTimeout(raw->adapter);
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiResetFromTimeout", status);
    if (raw->hurried) {
        view_all(raw);
        if (!raw_restart(raw))
            return false;
        raw_judge_forgotten(raw);
    } else {
        raw_judge_stopped(raw);
        raw->held = true;
    }
    raw_empty(raw);
    return clean_up(raw, mapped);
}

/* ... and mapped again after the restart. */
static bool map_again(struct raw_submitter *raw, bool mapped) {
    return raw_flush(raw) && (!mapped || raw_map_buffer(raw)) && raw_dma_move_all(raw, true) &&
           raw_flush(raw);
}

bool raw_reset(struct raw_submitter *raw) {
    bool mapped = raw->mapped;
    return reset_and_restart(raw) && map_again(raw, mapped);
}

bool raw_forgets(const struct raw_submitter *raw) {
    return raw->memory.id != 0 && !raw->mapped && !raw->dma;
}

bool raw_reset_at_once(struct raw_submitter *raw) {
    raw->hurried = true;
    bool reset = raw_reset(raw);
    raw->hurried = false;
    return reset;
}

bool raw_reset_preempting(struct raw_submitter *raw) {
    bool mapped = raw->mapped;
    return reset_and_restart(raw) && raw_preempt(raw) && map_again(raw, mapped);
}

bool raw_reset_last(struct raw_submitter *raw) {
    bool reset = reset_and_restart(raw);
    raw_empty(raw);
    return reset;
}

/* What the driver says of the engine's status is R608's, and no reason to leave work under way. */
bool raw_ask_engine(struct raw_submitter *raw, uint64_t *group) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP dependent = {.NodeOrdinal = raw->node,
                                                   .EngineOrdinal = raw->physical};
    DXGKARG_QUERYENGINESTATUS engine = {.NodeOrdinal = raw->node, .EngineOrdinal = raw->physical};
    (void)raw->ddi->DxgkDdiQueryEngineStatus(raw->adapter, &engine);
    NTSTATUS status = raw->ddi->DxgkDdiQueryDependentEngineGroup(raw->adapter, &dependent);
    if (group)
        *group = dependent.DependentNodeOrdinalMask;
    return status == STATUS_SUCCESS || raw_refuse(raw, "DxgkDdiQueryDependentEngineGroup", status);
}

enum raw_engine raw_reset_engine(struct raw_submitter *raw) {
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = raw->node, .EngineOrdinal = raw->physical};
    bool lost = false;
    if (raw->refused || !raw_ask_engine(raw, NULL))
        return RAW_ENGINE_BROKEN;
    if (raw->ddi->DxgkDdiResetEngine(raw->adapter, &reset) != STATUS_SUCCESS)
        return RAW_ENGINE_REFUSED;
    for (uint32_t i = 0; i < raw->packets; i++)
        lost = lost || (raw_beyond(raw->packet[i].fence, raw->completed) &&
                        !raw_beyond(raw->packet[i].fence, reset.LastAbortedFenceId));
    if (raw_beyond(reset.LastAbortedFenceId, raw->completed))
        raw->completed = reset.LastAbortedFenceId;
    return lost ? RAW_ENGINE_LOST : RAW_ENGINE_RESET;
}
