/*
 * play.c - plays a workload over the manager and makes findings of wrong bytes: which rule a wrong
 * byte breaks follows from the operation that last touched its page.
 */
#include "exam.h"

static uint32_t rule_of(enum vidmm_op_kind kind) {
    switch (kind) {
    case VIDMM_OP_FILL:
        return 188;
    case VIDMM_OP_MAP:
        return 194;
    case VIDMM_OP_UNMAP:
        return 200;
    default:
        return 161; /* what a transfer in one or many pieces must come to */
    }
}

static void judge_bytes(struct exam *exam, const struct vidmm_play_result *result) {
    const struct vidmm_mismatch *first = &result->first;
    struct vidmm_ledger *ledger = &exam->shared->ledger;
    if (result->mismatched_bytes == 0 || exam->starving)
        return;
    for (uint32_t i = 0; i < ledger->findings; i++)
        if (ledger->finding[i].kind == VIDMM_FINDING_RULE)
            return; /* wrong bytes follow from what is already named */
    if (first->by_op)
        vidmm_ledger_judge(ledger, rule_of(first->op), VIDMM_SIDE_DRIVER, false,
                           "the bytes that were written", "%s", first->text);
    else
        vidmm_ledger_note(ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", first->text);
}

void exam_reset(struct exam *exam) {
    exam->resets++;
    (void)vidmm_reset(exam->lab.adapter);
}

/* ---- Playing -----------------------------------------------------------------------------------
 */

/* The manager had to reset a GPU that made no progress; bytes that were lost so are not judged. */
static bool judge_hangs(struct exam *exam) {
    struct vidmm_stats stats;
    vidmm_stats(exam->lab.adapter, &stats);
    if (stats.resets + stats.engine_resets <= exam->resets)
        return false;
    vidmm_ledger_note(&exam->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                      "work that was submitted did not complete, and the GPU had to be reset");
    return true;
}

static enum vidmm_stage_outcome play(struct exam *exam,
                                     void (*between)(void *ctx, uint64_t done, uint64_t events)) {
    const struct vidmm_play_options options = {.progress = between, .progress_ctx = exam};
    struct vidmm_play_result result;
    char text[256] = "";
    enum vidmm_play_status status =
        vidmm_player_run(exam->player, &exam->lab, &options, &result, text, sizeof(text));
    if (!judge_hangs(exam))
        judge_bytes(exam, &result);
    if (status == VIDMM_PLAY_OK || status == VIDMM_PLAY_WRONG)
        return VIDMM_STAGE_DONE;
    struct vidmm_fault fault = {.status = VIDMM_OK};
    vidmm_last_fault(exam->lab.adapter, &fault);
    exam_fault(exam, &fault);
    return exam_say(exam, VIDMM_STAGE_STOPPED, "%s", text);
}

enum vidmm_stage_outcome exam_play(struct exam *exam, struct exam_world *world, uint32_t frames,
                                   void (*between)(void *ctx, uint64_t done, uint64_t events)) {
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_STOPPED;
    struct vidmm_workload workload;
    if (!exam_workload(exam->options->seed, frames, &workload))
        return exam_say(exam, VIDMM_STAGE_STOPPED, "out of memory");
    exam->player = vidmm_player_create(&workload);
    if (exam->player == NULL) {
        (void)exam_say(exam, VIDMM_STAGE_STOPPED, "out of memory");
    } else {
        world->observer = vidmm_player_observer(exam->player);
        if (exam_open(exam, world) && exam_manage(exam, world))
            outcome = play(exam, between);
    }
    exam_close(exam);
    vidmm_player_destroy(exam->player);
    vidmm_workload_free(&workload);
    return outcome;
}
