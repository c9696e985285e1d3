/*
 * child.c - one run of a stage, in a process of its own (ahead.h) or in this one; a crash or a hang becomes a
 * finding.
 */
#include "ahead.h"

#include <string.h>

void vidmm_check_death(struct vidmm_ledger *ledger, int signal, bool own, const char *reason,
                       const char *where) {
    struct vidmm_watch_end end = {.how = VIDMM_WATCH_SIGNALLED, .number = signal, .own = own};
    snprintf(end.where, sizeof(end.where), "%s", where ? where : CHECK_NO_CALL);
    snprintf(end.reason, sizeof(end.reason), "%s", reason ? reason : "");
    vidmm_watch_note(&end, ledger);
}

/* The outcome of a run whose process did not end as it should. */
static enum vidmm_stage_outcome judge_end(struct check *check, const struct vidmm_watch_end *end) {
    char text[sizeof(check->shared->told.text)];
    vidmm_watch_text(end, text, sizeof(text));
    switch (end->how) {
    case VIDMM_WATCH_NONE:
    case VIDMM_WATCH_STARVED:
        return check_say(check, VIDMM_STAGE_STOPPED, "%s", text);
    case VIDMM_WATCH_HUNG:
        return check_say(check, VIDMM_STAGE_HUNG, "%s", text);
    case VIDMM_WATCH_SIGNALLED:
    case VIDMM_WATCH_EXITED:
        return check_say(check, VIDMM_STAGE_CRASHED, "died in %s", end->where);
    default:
        return check_say(check, VIDMM_STAGE_CRASHED, "%s", text);
    }
}

/* In this process: what ends the driver ends the caller. */
static enum vidmm_stage_outcome run_here(struct check *check, const struct check_stage *stage,
                                         uint32_t number) {
    struct check run = *check;
    vidmm_ledger_places(vidmm_host_places);
    check_live(&run, stage, number);
    return (enum vidmm_stage_outcome)run.shared->told.outcome;
}

static enum vidmm_stage_outcome run_apart(struct check *check, const struct check_stage *stage,
                                          uint32_t number) {
    struct vidmm_watch_end end;
    struct vidmm_ledger *ledger = &check->shared->ledger;
    bool done = ahead_run(check, stage, number, &end);
    bool beside = stage->run == stage_adapters && adapters_beside(end.step);
    if (beside)
        adapters_judge(ledger, true);
    else if (damaged_step(end.step))
        damaged_judge(ledger, true);
    vidmm_watch_note(&end, ledger);
    check_instead(ledger, 0, "");
    check->settings_read |= end.settings;
    check->settings_told = true;
    if (!done && beside && ledger->broken[654] != 0)
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_ONE_ADAPTER);
    return done ? (enum vidmm_stage_outcome)check->shared->told.outcome : judge_end(check, &end);
}

enum vidmm_stage_outcome check_child(struct check *check, const struct check_stage *stage,
                                     uint32_t number) {
    check_begin(check, stage);
    enum vidmm_stage_outcome outcome =
        check->options->no_fork ? run_here(check, stage, number) : run_apart(check, stage, number);
    causes_take(check->causes, &check->shared->ledger);
    return outcome;
}
