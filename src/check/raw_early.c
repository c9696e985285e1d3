/*
 * raw_early.c - whether a fence is reported before the work is done: the bytes that a transfer moves out are looked at when
 * its fence is reported, and when the driver and the GPU are idle behind that.
 */
#include "causes.h"
#include "raw.h"

#include <string.h>

static struct { bool looked, done; /* when the fence was reported */ } early;

static void early_look(struct raw_submitter *raw, uint32_t fence) {
    if (raw->packets != 0 && fence == raw->packet[raw->packets - 1].fence) {
        early.looked = true;
        early.done = raw_same(raw);
    }
}

/* Whatever was reported: its buffer is used again when all is idle. */
static bool early_rest(struct raw_submitter *raw) {
    bool reported = raw_flush(raw);
    vidmm_host_run(raw->check->harness.host);
    return reported;
}

/* What is there of other seeds is nothing that the transfer left. */
static bool early_move(struct raw_submitter *raw) {
    raw_paint(raw, raw->source, 61);
    if ((raw->allocation && !raw_fill(raw, 0, RAW_PAGES, 0)) || !early_rest(raw) ||
        !raw_move(raw, true, RAW_PAGES) || !early_rest(raw))
        return false;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        memset(raw_page(raw, raw->target, page), 0, CHECK_PAGE);
    raw->completes = early_look;
    bool moved = raw_move(raw, false, RAW_PAGES);
    raw->completes = NULL;
    return moved && early.looked && !early.done;
}

/* R597: also where other rules explain it, which follow from this. */
void raw_judge_early(struct raw_submitter *raw) {
    if (raw->memory.id == 0 || raw->refused)
        return;
    check_step(raw->check, "operations: a fence, and what its work does");
    early.looked = false;
    if (!early_move(raw))
        return;
    vidmm_host_run(raw->check->harness.host);
    vidmm_ledger_judge(&raw->check->shared->ledger, 597, VIDMM_SIDE_DRIVER, !raw_same(raw),
                       "DMA_COMPLETED when the GPU is done with the buffer",
                       "the bytes that a transfer moved out %s", CAUSES_EARLY);
}
