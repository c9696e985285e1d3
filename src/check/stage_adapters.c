/*
 * stage_adapters.c - two adapters of one driver that are not linked, each on a board of its own. The first has a short
 * workload alone, is started anew and has it again; in a pause of that the second adapter is started. Then the second
 * has its workload, in a pause of which the first one is removed. What the driver kept alone, and breaks with another adapter beside, is told as R654.
 */
#include "stage.h"

#include <string.h>

#define VRAM   ((uint64_t)1 << 20)
#define FRAMES 16u
#define BESIDE "two adapters: " /* steps in which there are, or were, two */

static struct {
    bool asked, there; /* the second adapter */
    bool goes, gone;   /* the first */
} adapters;

bool adapters_beside(const char *step) {
    return strncmp(step, BESIDE, sizeof(BESIDE) - 1) == 0;
}

void adapters_judge(struct vidmm_ledger *ledger, bool on) {
    check_instead(ledger, on ? 654 : 0, "what it does with one adapter, with two");
}

static void second_starts(struct check *check) {
    struct vidmm_host_error error;
    check_step(check, BESIDE "the second is started");
    adapters_judge(&check->shared->ledger, true);
    vidmm_referee_other_device(check->harness.referee, true);
    adapters.there = vidmm_host_second_start(check->harness.host, &error);
    vidmm_referee_other_device(check->harness.referee, false);
    check_step(check, BESIDE "work of the first");
    if (!adapters.there)
        (void)check_say(check, VIDMM_STAGE_SKIPPED, "the driver takes no second adapter: %.160s",
                        error.text);
}

static void first_goes(struct check *check) {
    struct vidmm_host_error error;
    check_step(check, BESIDE "the first goes");
    adapters_judge(&check->shared->ledger, false);
    vidmm_referee_other_device(check->harness.referee, true);
    if (!vidmm_host_first_stop(check->harness.host, &error))
        check_refused(check, error.text, error.status);
    vidmm_referee_other_device(check->harness.referee, false);
    adapters_judge(&check->shared->ledger, true);
    check_step(check, BESIDE "work of the second, without the first");
}

/* What the first one breaks alone says nothing of two. */
static bool breaks_alone(const struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; i < ledger->seen; i++) {
        const struct vidmm_rule *rule =
            vidmm_rule(ledger->finding[ledger->seen_as[i].finding].rule);
        if (!rule || !rule->advice)
            return true;
    }
    return false;
}

/* All work is done then. */
static void between(void *ctx, uint64_t done, uint64_t events) {
    struct check *check = ctx;
    (void)done;
    (void)events;
    if (breaks_alone(&check->shared->ledger) ||
        !check_good(check, vidmm_wait_idle(check->harness.adapter)))
        return;
    if (!adapters.asked)
        second_starts(check);
    else if (adapters.goes && !adapters.gone)
        first_goes(check);
    adapters.asked = true;
    adapters.gone = adapters.gone || adapters.goes;
}

static enum vidmm_stage_outcome adapters_play(struct check *check) {
    struct check_setup setup = {.fail_at = 0};
    return check_play_on(check, &setup, FRAMES, between);
}

static enum vidmm_stage_outcome adapters_run(struct check *check) {
    check_step(check, "one adapter: work, in a life that gets another");
    enum vidmm_stage_outcome outcome = adapters_play(check);
    if (outcome != VIDMM_STAGE_DONE || breaks_alone(&check->shared->ledger))
        return outcome;
    if (!adapters.there)
        return VIDMM_STAGE_SKIPPED;
    check_step(check, BESIDE "work of the second");
    vidmm_host_turn(check->harness.host, true);
    vidmm_referee_turn(check->harness.referee);
    adapters.goes = true;
    outcome = adapters_play(check);
    vidmm_ledger_judge(&check->shared->ledger, 654, VIDMM_SIDE_DRIVER, true, "", "%s", "");
    return outcome;
}

/* From its start to its end, so that what the driver breaks there is not told of the second adapter. */
static enum vidmm_stage_outcome adapters_alone(struct check *check) {
    struct check_setup setup = {.settings = {{"VramBytes", VRAM}}};
    check_step(check, "one adapter: work");
    return check_play(check, &setup, FRAMES, NULL);
}

enum vidmm_stage_outcome stage_adapters(struct check *check, uint32_t number) {
    const struct check_setup setup = {.settings = {{"VramBytes", VRAM}}, .second = true};
    (void)number;
    if (check->options->linked > 1 || check->options->device)
        return check_say(check, VIDMM_STAGE_SKIPPED, "there is one board, or they are linked");
    enum vidmm_stage_outcome outcome = adapters_alone(check);
    if (outcome != VIDMM_STAGE_DONE)
        return outcome;
    if (breaks_alone(&check->shared->ledger))
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver breaks rules with one adapter");
    memset(&adapters, 0, sizeof(adapters));
    if (!check_open(check, &setup))
        return VIDMM_STAGE_STOPPED;
    outcome = adapters_run(check);
    adapters_judge(&check->shared->ledger, false);
    if (check->shared->ledger.broken[654] != 0)
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_ONE_ADAPTER);
    return outcome;
}
