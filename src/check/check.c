/*
 * check.c - the whole conformance check: runs all stages with one ledger, then makes the summary.
 */
#include "stage.h"

#include <string.h>
#include <sys/mman.h>

/* Runs of one stage that may crash or hang before its other runs are left out. */
#define DEATHS_MOST 3u

/* Worst first, from the outcomes of a stage's runs. */
static bool worse(enum vidmm_stage_outcome a, enum vidmm_stage_outcome b) {
    return a > b;
}

static void run_stage(struct check *check, const struct check_stage *stage,
                      struct vidmm_stage_result *result) {
    uint64_t start = check_now_ms(), calls = check->shared->ledger.calls;
    uint32_t deaths = 0;
    for (uint32_t i = 0; i < stage->runs && deaths < DEATHS_MOST; i++) {
        enum vidmm_stage_outcome outcome = check_child(check, stage, i);
        deaths += outcome == VIDMM_STAGE_CRASHED;
        if (i == 0 || worse(outcome, result->outcome)) {
            result->outcome = outcome;
            snprintf(result->text, sizeof(result->text), "%s",
                     outcome == VIDMM_STAGE_DONE ? "" : check->shared->text);
        }
        if (outcome == VIDMM_STAGE_HUNG || outcome == VIDMM_STAGE_SKIPPED)
            break;
    }
    result->ms = (uint32_t)(check_now_ms() - start);
    result->calls = check->shared->ledger.calls - calls;
}

static bool asked_for(const struct vidmm_check_options *options, const char *stage) {
    return !options->stage || strcmp(options->stage, stage) == 0;
}

/* Goes on with the other stages if the driver starts. */
static void run_stages(struct check *check, struct vidmm_check_result *result) {
    bool starts = true;
    for (uint32_t i = 0; i < check_stage_count; i++) {
        const struct check_stage *stage = &check_stages[i];
        struct vidmm_stage_result *one = &result->stage[result->stages++];
        one->name = stage->name;
        if (!asked_for(check->options, stage->name))
            continue;
        if (!starts) {
            snprintf(one->text, sizeof(one->text), "the driver does not start");
            continue;
        }
        if (check->options->progress)
            check->options->progress(check->options->progress_ctx, stage->name);
        run_stage(check, stage, one);
        starts = check->shared->version != 0;
    }
}

/* ---- The sum --------------------------------------------------------------------------------- */

static bool is_examined(const struct vidmm_check_options *options, const struct vidmm_rule *rule) {
    return rule && rule->judged && (rule->side & VIDMM_SIDE_BOTH) != 0 &&
           (!options->only_some || options->only[rule->number] != 0);
}

static void check_count(const struct vidmm_check_options *options,
                        struct vidmm_check_result *result) {
    const struct vidmm_ledger *ledger = &result->ledger;
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        if (!is_examined(options, vidmm_rule(number)))
            continue;
        result->examined[number] = 1;
        result->judged++;
        if (ledger->broken[number] != 0)
            result->broken++;
        else if (ledger->kept[number] != 0)
            result->passed++;
        else
            result->not_reached++;
    }
}

static void conclude(struct vidmm_check_result *result) {
    const struct vidmm_ledger *ledger = &result->ledger;
    const struct vidmm_finding *refusal = NULL;
    for (uint32_t i = 0; i < ledger->findings; i++) {
        if (ledger->finding[i].kind != VIDMM_FINDING_REFUSED)
            result->status = VIDMM_CHECK_BROKEN;
        else if (!refusal)
            refusal = &ledger->finding[i];
    }
    if (result->status == VIDMM_CHECK_BROKEN)
        return;
    if (refusal) {
        result->status = VIDMM_CHECK_DRIVER_FAILED;
        snprintf(result->text, sizeof(result->text), "%s", refusal->found);
        return;
    }
    for (uint32_t i = 0; i < result->stages; i++) {
        if (result->stage[i].outcome != VIDMM_STAGE_STOPPED)
            continue;
        result->status = VIDMM_CHECK_DRIVER_FAILED;
        snprintf(result->text, sizeof(result->text), "stage %s: %s", result->stage[i].name,
                 result->stage[i].text);
        return;
    }
}

static bool stage_exists(const char *name) {
    for (uint32_t i = 0; i < check_stage_count; i++)
        if (strcmp(check_stages[i].name, name) == 0)
            return true;
    return false;
}

void vidmm_check(const struct vidmm_check_options *options, struct vidmm_check_result *result) {
    struct check check = {.options = options};
    memset(result, 0, sizeof(*result));
    result->seed = options->seed;
    snprintf(result->driver, sizeof(result->driver), "%s",
             options->driver_path ? options->driver_path : "softgpu");
    if (options->stage && !stage_exists(options->stage)) {
        result->status = VIDMM_CHECK_BAD_INPUT;
        snprintf(result->text, sizeof(result->text), "there is no stage '%s'", options->stage);
        return;
    }
    void *shared = mmap(NULL, sizeof(*check.shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        result->status = VIDMM_CHECK_DRIVER_FAILED;
        snprintf(result->text, sizeof(result->text), "out of memory for the ledger");
        return;
    }
    check.shared = shared;
    for (uint32_t number = 1; options->only_some && number <= VIDMM_RULES_LAST; number++)
        check.shared->ledger.muted[number] = options->only[number] == 0;
    run_stages(&check, result);
    result->ledger = check.shared->ledger;
    result->ddi_version = check.shared->version;
    result->registered_version = check.shared->registered_version;
    result->wddm_version = check.shared->wddm;
    munmap(shared, sizeof(*check.shared));
    if (options->driver_path)
        check_symbols(options->driver_path, &result->ledger);
    check_count(options, result);
    conclude(result);
}
