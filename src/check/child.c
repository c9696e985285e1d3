/*
 * child.c - one run of a stage in a process of its own (vidmm/watch.h); a crash or a hang becomes a
 * finding.
 */
#include "stage.h"

#include <string.h>

#include <vidmm/watch.h>

#define SAYS_TOLD VIDMM_WATCH_SAID
/* Deadlines of a call that one run may take, so that a slow machine is not a driver's fault. */
#define WHOLE_RUN 12u

/* The run that a process is for. */
struct life {
    struct check *check;
    const struct check_stage *stage;
    uint32_t number;
};

void check_tell(const struct check *check) {
    vidmm_watch_say(SAYS_TOLD, &check->shared->told, sizeof(check->shared->told));
}

/* Once, of the first driver that started. */
static void tell_unasked(struct check *check) {
    const struct vidmm_check_options *options = check->options;
    struct check_told *told = &check->shared->told;
    if (told->version == 0 || check->starving || told->settings_asked != 0)
        return;
    told->settings_asked = 1;
    (void)vidmm_unasked(options->settings, options->named_settings, told->unasked,
                        sizeof(told->unasked));
}

static void live(void *ctx) {
    const struct life *life = ctx;
    struct check *check = life->check;
    enum vidmm_stage_outcome outcome = life->stage->run(check, life->number);
    check_close(check);
    tell_unasked(check);
    check->shared->told.outcome = (uint32_t)(check->displays_only ? VIDMM_STAGE_SKIPPED : outcome);
    if (check->options->log)
        fflush(check->options->log);
    check_tell(check);
}

static bool hear(void *ctx, uint32_t kind, const void *bytes, size_t size) {
    const struct life *life = ctx;
    struct check_told told;
    if (kind != SAYS_TOLD || size != sizeof(told))
        return false;
    memcpy(&told, bytes, sizeof(told));
    if (told.outcome > VIDMM_STAGE_HUNG || told.failures > CHECK_FAILURES ||
        !memchr(told.text, 0, sizeof(told.text)) || !memchr(told.unasked, 0, sizeof(told.unasked)))
        return false;
    life->check->shared->told = told;
    return true;
}

void vidmm_check_death(struct vidmm_ledger *ledger, int signal, const char *reason,
                       const char *where) {
    struct vidmm_watch_end end = {.how = VIDMM_WATCH_SIGNALLED, .number = signal};
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

/* The same in this process: what ends the driver ends the caller. */
static enum vidmm_stage_outcome run_here(const struct life *life) {
    struct check run = *life->check;
    vidmm_ledger_places(vidmm_host_places);
    live(&(struct life){&run, life->stage, life->number});
    return (enum vidmm_stage_outcome)run.shared->told.outcome;
}

static enum vidmm_stage_outcome run_apart(struct life *life) {
    struct check *check = life->check;
    const struct vidmm_watch_options options = {.timeout_ms = check->options->timeout_ms,
                                                .most = WHOLE_RUN,
                                                .ledger = &check->shared->ledger,
                                                .run = live,
                                                .heard = hear,
                                                .ctx = life};
    struct vidmm_watch_end end;
    bool done = vidmm_watch(&options, &end);
    vidmm_watch_note(&end, &check->shared->ledger);
    check->settings_read |= end.settings;
    check->settings_told = true;
    return done ? (enum vidmm_stage_outcome)check->shared->told.outcome : judge_end(check, &end);
}

enum vidmm_stage_outcome check_child(struct check *check, const struct check_stage *stage,
                                     uint32_t number) {
    struct check_shared *shared = check->shared;
    struct life life = {check, stage, number};
    shared->told.outcome = VIDMM_STAGE_STOPPED;
    shared->told.text[0] = 0;
    shared->ledger.depth = 0;
    vidmm_ledger_begin(&shared->ledger);
    vidmm_ledger_calling(&shared->ledger, NULL);
    check_step(check, "%s", stage->name);
    enum vidmm_stage_outcome outcome = check->options->no_fork ? run_here(&life) : run_apart(&life);
    causes_take(check->causes, &shared->ledger);
    return outcome;
}
