/*
 * play.c - plays a workload over the manager and makes findings of wrong bytes; the operation that
 * last wrote the page decides which rule is broken.
 */
#include "stage.h"
#include "surface.h"
#include "user.h"

static uint32_t rule_of(enum vidmm_op_kind kind) {
    switch (kind) {
    case VIDMM_OP_FILL:
        return 188;
    case VIDMM_OP_MAP:
        return 194;
    case VIDMM_OP_UNMAP:
        return 200;
    default:
        return 161; /* result of a transfer in one or many pieces */
    }
}

/* Where the referee sees what moves do, it names one that is wrong: a page that has been wrong before, or whose source
 * is gone, is no operation's. */
static bool blames_op(const struct vidmm_ledger *ledger, const struct vidmm_mismatch *first) {
    bool seen = ledger->kept[161] != 0 || ledger->kept[240] != 0;
    return first->by_op && (first->certain || !seen);
}

static void judge_bytes(struct check *check, const struct vidmm_play_result *result) {
    const struct vidmm_mismatch *first = &result->first;
    if (result->mismatched_bytes == 0 || check->starving)
        return;
    if (blames_op(&check->shared->ledger, first))
        check_judge(check, rule_of(first->op), VIDMM_SIDE_DRIVER, false,
                    "the bytes that were written", "%s", first->text);
    else
        check_note(check, "%s%s", first->text,
                   first->by_op ? ": what was drawn there before went wrong, or was lost" : "");
}

enum vidmm_status check_reset(struct check *check) {
    check->resets++;
    check->resetting = true;
    enum vidmm_status status = vidmm_reset(check->harness.adapter);
    check->resetting = false;
    return status;
}

/* ---- Playing --------------------------------------------------------------------------------- */

/* The manager reset a GPU that hung; bytes lost by that are not judged. */
static bool judge_hangs(struct check *check) {
    if (check_resets_made(check) <= check->resets)
        return false;
    check_unreported(check,
                     check_explained(check) || vidmm_referee_faults(check->harness.referee) != 0,
                     vidmm_referee_deaf(check->harness.referee),
                     "work that was submitted did not complete, and the GPU had to be reset");
    return true;
}

static enum vidmm_stage_outcome
play_frames(struct check *check, void (*between)(void *ctx, uint64_t done, uint64_t events)) {
    /* Not gathered: a page table is asked for when the first of its mappings is made, with pages of
     * the size that this one may have, and is converted when others come. */
    const struct vidmm_play_options options = {
        .own_tiles = check->options->driver_path, .progress = between, .progress_ctx = check};
    struct vidmm_play_result result;
    char text[256] = "";
    enum vidmm_play_status status =
        vidmm_player_run(check->player, &check->harness, &options, &result, text, sizeof(text));
    if (!judge_hangs(check))
        judge_bytes(check, &result);
    if (status == VIDMM_PLAY_OK || status == VIDMM_PLAY_WRONG) {
        vidmm_ledger_judge(&check->shared->ledger, 605, VIDMM_SIDE_DRIVER, true, "", "%s", "");
        if (result.refused > result.submissions)
            snprintf(check->shared->told.part, sizeof(check->shared->told.part),
                     "%llu of %llu submissions were not made: %.240s",
                     (unsigned long long)result.refused,
                     (unsigned long long)(result.refused + result.submissions), result.refusal);
        return VIDMM_STAGE_DONE;
    }
    struct vidmm_error error = {.status = VIDMM_OK};
    vidmm_last_error(check->harness.adapter, &error);
    check_error(check, &error);
    return check_say(check, VIDMM_STAGE_STOPPED, "%s", text);
}

/* One submission to each node. The last fence of a life is then the first of the next: a driver may take it for one that
 * was reported. */
static bool play_each(struct check *check) {
    return !check_virtual(check) || !user_describes(check) || user_completes_each(check);
}

static bool play_each_before(struct check *check) {
    const struct check_setup first = {.fail_at = 0};
    if (!check_manage(check, &first))
        return false;
    bool good = play_each(check);
    check_unmanage(check);
    return good && check_rebalance(check);
}

/* The work of before the device is stopped: rings and fences are not as in a first start then. */
static bool play_before(struct check *check, struct vidmm_player *player) {
    const struct check_setup first = {.observer = vidmm_player_observer(player)};
    if (!check_manage(check, &first) || !play_each(check))
        return false;
    if (!check_speaks(check) && !check_surface_any(check))
        return true;
    struct vidmm_player *after = check->player;
    check->player = player;
    bool good = play_frames(check, NULL) == VIDMM_STAGE_DONE;
    check->player = after;
    return good;
}

/* Where it is after the device was used once, and its resources moved. */
static bool moved(struct check *check, const struct check_setup *setup,
                  const struct vidmm_workload *workload) {
    if (!setup->rebalanced)
        return true;
    if (!play_each_before(check))
        return false;
    struct vidmm_player *player = vidmm_player_create(workload);
    if (!check_has(check, player))
        return false;
    bool good = play_before(check, player);
    check_unmanage(check);
    vidmm_player_destroy(player);
    return good && check_rebalance(check);
}

static enum vidmm_stage_outcome play_started(struct check *check, const struct check_setup *setup,
                                             void (*between)(void *ctx, uint64_t done,
                                                             uint64_t events)) {
    if (setup->able && !setup->able(check))
        return VIDMM_STAGE_DONE;
    if (setup->started)
        setup->started(check);
    if (setup->rebalanced && check_explained(check))
        return VIDMM_STAGE_DONE; /* the answers of its start say enough */
    if (!check_speaks(check) && !check_surface_any(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    return play_frames(check, between);
}

/* `opened`: the driver is started, and stays so. */
static enum vidmm_stage_outcome
play_workload(struct check *check, struct check_setup *setup, uint32_t frames, bool opened,
              void (*between)(void *ctx, uint64_t done, uint64_t events)) {
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_STOPPED;
    struct vidmm_workload workload;
    if (!check_workload(check->options->seed, frames, &workload))
        return check_say(check, VIDMM_STAGE_STOPPED, "out of memory");
    check->player = vidmm_player_create(&workload);
    if (!check->player) {
        (void)check_say(check, VIDMM_STAGE_STOPPED, "out of memory");
    } else {
        setup->observer = vidmm_player_observer(check->player);
        if ((opened || (check_open(check, setup) && moved(check, setup, &workload))) &&
            check_manage(check, setup))
            outcome = play_started(check, setup, between);
        if (setup->ended)
            setup->ended(check);
    }
    if (opened)
        vidmm_harness_stop_manager(&check->harness);
    else
        check_close(check);
    vidmm_player_destroy(check->player);
    check->player = NULL;
    vidmm_workload_free(&workload);
    return outcome;
}

enum vidmm_stage_outcome check_play(struct check *check, struct check_setup *setup, uint32_t frames,
                                    void (*between)(void *ctx, uint64_t done, uint64_t events)) {
    return play_workload(check, setup, frames, false, between);
}

enum vidmm_stage_outcome check_play_on(struct check *check, struct check_setup *setup,
                                       uint32_t frames,
                                       void (*between)(void *ctx, uint64_t done, uint64_t events)) {
    return play_workload(check, setup, frames, true, between);
}
