/*
 * life.c - one life of the driver for a run of a stage: how it begins, what is done in the driver's process, and what that
 * one tells (vidmm/watch.h).
 */
#include "stage.h"

#include <string.h>

#include <vidmm/watch.h>

#define SAYS_TOLD VIDMM_WATCH_SAID

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

void check_live(struct check *check, const struct check_stage *stage, uint32_t number) {
    enum vidmm_stage_outcome outcome = stage->run(check, number);
    check_close(check);
    tell_unasked(check);
    check->shared->told.outcome = (uint32_t)(check->displays_only ? VIDMM_STAGE_SKIPPED : outcome);
    if (check->options->log)
        fflush(check->options->log);
    check_tell(check);
}

bool check_hear(struct check *check, uint32_t kind, const void *bytes, size_t size) {
    struct check_told told;
    if (kind != SAYS_TOLD || size != sizeof(told))
        return false;
    memcpy(&told, bytes, sizeof(told));
    if (told.outcome > VIDMM_STAGE_HUNG || told.failures > CHECK_FAILURES ||
        !memchr(told.text, 0, sizeof(told.text)) || !memchr(told.part, 0, sizeof(told.part)) ||
        !memchr(told.unasked, 0, sizeof(told.unasked)))
        return false;
    check->shared->told = told;
    return true;
}

void check_instead(struct vidmm_ledger *ledger, uint32_t rule, const char *expected) {
    ledger->instead = rule;
    snprintf(ledger->instead_expected, sizeof(ledger->instead_expected), "%s", expected);
}

void check_begin(struct check *check, const struct check_stage *stage) {
    struct check_shared *shared = check->shared;
    shared->told.outcome = VIDMM_STAGE_STOPPED;
    shared->told.text[0] = shared->told.part[0] = 0;
    shared->told.no_room = 0;
    shared->ledger.depth = 0;
    vidmm_ledger_begin(&shared->ledger);
    vidmm_ledger_calling(&shared->ledger, NULL);
    check_step(check, "%s", stage->name);
}
