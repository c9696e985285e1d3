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

/* What the GPU shows at a page of what the lost work was about. */
static const void *view_page(const struct raw_submitter *raw, uint32_t page) {
    uint64_t at = raw->memory.id != 0 ? raw_memory_at(raw, page)
                                      : raw->aperture.base + (uint64_t)page * CHECK_PAGE;
    return vidmm_host_peek(raw->check->harness.host, raw->physical, at, CHECK_PAGE);
}

/* What was submitted before the reset is over: given time, the GPU changes nothing of the memory
 * that it had to write, and maps nothing. */
static void raw_judge_stopped(struct raw_submitter *raw) {
    static struct {
        bool seen;
        unsigned char bytes[CHECK_PAGE];
    } before[RAW_PAGES];
    uint32_t changed = 0, seen = 0;
    for (uint32_t page = 0; page < RAW_PAGES; page++) {
        const void *now = view_page(raw, page);
        before[page].seen = now;
        if (now)
            memcpy(before[page].bytes, now, CHECK_PAGE);
    }
    vidmm_host_run(raw->check->harness.host);
    for (uint32_t page = 0; page < RAW_PAGES; page++) {
        const void *now = view_page(raw, page);
        bool shown = now;
        seen += shown || before[page].seen;
        changed +=
            shown != before[page].seen || (now && memcmp(before[page].bytes, now, CHECK_PAGE) != 0);
    }
    if (seen != 0)
        raw_judge(raw, 421, changed == 0,
                  "a GPU that neither reads nor writes memory after the reset",
                  raw->memory.id != 0
                      ? "work that was submitted before the reset wrote memory after it"
                      : "the aperture shows other pages, by work that was submitted before");
}

/* The paging buffer is unmapped in the clean-up, which is built here and submitted by what follows. */
static bool reset_and_restart(struct raw_submitter *raw) {
    bool mapped = raw->mapped;
    NTSTATUS status = raw->ddi->DxgkDdiResetFromTimeout(raw->adapter);
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiResetFromTimeout", status);
    raw_judge_stopped(raw);
    raw->held = true;
    raw_empty(raw);
    bool told = raw->memory.id != 0 ? raw_tell_lost(raw) : !raw->inside || raw_unmap_target(raw);
    return told && raw_dma_move_all(raw, false) && (!mapped || raw_unmap_buffer(raw)) &&
           (!raw->held || raw_restart(raw));
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
