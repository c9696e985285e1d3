/*
 * check.c - the whole conformance check: runs all stages with one ledger, then makes the summary.
 */
#include "ahead.h"
#include "replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Runs of one stage that may crash or hang before its other runs are left out. */
#define DEATHS_MOST 3u

/* Worst first, from the outcomes of a stage's runs. */
static bool worse(enum vidmm_stage_outcome a, enum vidmm_stage_outcome b) {
    return a > b;
}

uint64_t check_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Of a stage whose first runs were done and that had nothing to go on with, or whose work was refused. */
static void done_in_part(struct vidmm_stage_result *result, const char *why) {
    char missing[sizeof(result->text)];
    snprintf(missing, sizeof(missing), "%s", why);
    result->outcome = VIDMM_STAGE_DONE;
    snprintf(result->text, sizeof(result->text), "in part: %.*s",
             (int)(sizeof(missing) - sizeof("in part: ")), missing);
}

/* True: it showed what a replay looks for. */
static bool run_stage(struct check *check, const struct check_stage *stage,
                      struct vidmm_stage_result *result) {
    uint64_t start = check_now_ms(), calls = check->shared->ledger.calls;
    uint32_t deaths = 0;
    bool shown = false, done = false;
    char part[sizeof(check->shared->told.part)] = "";
    for (uint32_t i = 0; i < check_stage_runs(check, stage) && deaths < DEATHS_MOST && !shown;
         i++) {
        replay_before(check);
        enum vidmm_stage_outcome outcome = check_child(check, stage, i);
        bool small = outcome == VIDMM_STAGE_STOPPED && check->shared->told.no_room != 0;
        shown = replay_look(check, stage, i);
        deaths += outcome == VIDMM_STAGE_CRASHED;
        done = done || outcome == VIDMM_STAGE_DONE;
        if (part[0] == '\0')
            memcpy(part, check->shared->told.part, sizeof(part));
        if (i == 0 || worse(outcome, result->outcome)) {
            result->outcome = small ? VIDMM_STAGE_SKIPPED : outcome;
            result->unmade = small;
            snprintf(result->text, sizeof(result->text), "%s",
                     outcome == VIDMM_STAGE_DONE ? "" : check->shared->told.text);
        }
        if (outcome == VIDMM_STAGE_HUNG || outcome == VIDMM_STAGE_SKIPPED)
            break;
    }
    if (done && result->outcome == VIDMM_STAGE_SKIPPED)
        done_in_part(result, result->text);
    else if (result->outcome == VIDMM_STAGE_DONE && part[0] != '\0') {
        done_in_part(result, part);
        result->unmade = true;
    }
    result->ms = (uint32_t)(check_now_ms() - start);
    result->calls = check->shared->ledger.calls - calls;
    return shown;
}

/* Each of them takes as long as a run may. */
#define HUNG_MOST 3u

/* NULL: the stage is run. */
static const char *left_out(const struct check *check, const struct check_stage *stage, bool starts,
                            uint32_t hung) {
    if (!starts)
        return "the driver does not start";
    if (check_stage_idle(check->options, stage))
        return "it shows no rule that was asked for";
    return hung == HUNG_MOST && !check->replay ? "three stages did not end; --stage examines it"
                                               : NULL;
}

/* Goes on with the other stages if the driver starts. */
static void run_stages(struct check *check, struct vidmm_check_result *result) {
    bool starts = true, shown = false;
    uint32_t hung = 0;
    for (uint32_t i = 0; i < check_stage_count && !shown && check->shared->told.unasked[0] == '\0';
         i++) {
        const struct check_stage *stage = &check_stages[i];
        struct vidmm_stage_result *one = &result->stage[result->stages++];
        one->name = stage->name;
        if (!check_stage_asked(check->options, stage))
            continue;
        const char *why = left_out(check, stage, starts, hung);
        if (why) {
            snprintf(one->text, sizeof(one->text), "%s", why);
            continue;
        }
        if (check->options->progress)
            check->options->progress(check->options->progress_ctx, stage->name);
        shown = run_stage(check, stage, one);
        hung += one->outcome == VIDMM_STAGE_HUNG;
        starts = check->shared->told.version != 0;
    }
}

/* Runs are recorded from here on, and findings of this process, too: what ends a driver is one. */
static void examine_recorded(struct vidmm_record *record, struct vidmm_ledger *ledger) {
    vidmm_harness_record(record);
    if (record)
        vidmm_record_ledger(record, ledger);
}

/* The runs of all stages, or the one that a replay asks for; false: there is none. */
static bool examine_run(struct check *check, struct vidmm_check_result *result) {
    struct vidmm_record *record = vidmm_harness_recording();
    examine_recorded(check->replay ? NULL : record, &check->shared->ledger);
    run_stages(check, result);
    examine_recorded(record, &check->shared->ledger);
    bool shown = !check->replay || replay_again(check, result);
    examine_recorded(record, NULL);
    return shown;
}

static void refuse_input(struct vidmm_check_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void refuse_input(struct vidmm_check_result *result, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(result->text, sizeof(result->text), format, args);
    va_end(args);
    result->status = VIDMM_CHECK_BAD_INPUT;
}

/* Its own findings, and what the driver's process left of them, are the result's. */
static void examine(struct check *check, struct vidmm_check_result *result) {
    const struct vidmm_check_options *options = check->options;
    for (uint32_t number = 1; options->only_some && number <= VIDMM_RULES_LAST; number++)
        check->shared->ledger.muted[number] = options->only[number] == 0;
    check->ahead = ahead_create(options);
    bool shown = examine_run(check, result);
    ahead_destroy(check->ahead);
    if (check->shared->told.unasked[0] != '\0') {
        refuse_input(result, "%s", check->shared->told.unasked);
        return;
    }
    if (!shown)
        return;
    result->ledger = check->shared->ledger;
    result->ddi_version = check->shared->told.version;
    result->registered_version = check->shared->told.registered_version;
    result->wddm_version = check->shared->told.wddm;
    result->lacks = check->shared->told.lacks;
    result->gdi_asked = check->shared->told.gdi_asked != 0;
    result->gdi_refused = check->shared->told.gdi_refused;
    result->gdi_status = check->shared->told.gdi_status;
    result->modelled = !options->driver_path || options->model_path || options->device;
    if (check->settings_told)
        vidmm_unread(&result->unread, options->settings, options->setting_count,
                     check->settings_read);
    if (options->driver_path)
        vidmm_check_symbols(options->driver_path, &result->ledger);
    check_sum(check->causes, options, result);
}

void vidmm_check(const struct vidmm_check_options *options, struct vidmm_check_result *result) {
    struct check check = {.options = options};
    memset(result, 0, sizeof(*result));
    result->seed = options->seed;
    snprintf(result->driver, sizeof(result->driver), "%s",
             options->driver_path ? options->driver_path : "softgpu");
    size_t length = 0;
    const char *unknown =
        options->stage ? vidmm_check_stage_unknown(options->stage, &length) : NULL;
    if (unknown) {
        refuse_input(result, "there is no stage '%.*s'", (int)length, unknown);
        return;
    }
    check.shared = calloc(1, sizeof(*check.shared));
    check.causes = calloc(1, sizeof(*check.causes));
    check.replay = options->replay ? calloc(1, sizeof(*check.replay)) : NULL;
    if (check.shared && check.causes && (check.replay || !options->replay)) {
        examine(&check, result);
    } else {
        result->status = VIDMM_CHECK_DRIVER_FAILED;
        snprintf(result->text, sizeof(result->text), "out of memory for the ledger");
    }
    free(check.replay);
    free(check.shared);
    free(check.causes);
}
