/*
 * replay.h - a finding again, by its identity (vidmm_check_options.replay).
 */
#ifndef VIDMM_CHECK_REPLAY_H
#define VIDMM_CHECK_REPLAY_H

#include "stage.h"

struct replay {
    struct check_shared before; /* as it was before the run that is looked at */
    struct vidmm_ledger ledger; /* with symbols */
    /* The run that shows the finding; NULL: none so far. */
    const struct check_stage *stage;
    uint32_t number;
    struct vidmm_finding finding;
    bool again; /* it came again */
};

/* Around each run of a stage, while a finding is looked for: true when the run has shown it. */
void replay_before(struct check *check);
bool replay_look(struct check *check, const struct check_stage *stage, uint32_t number);
/* Makes that run in this process; `result` is of it alone. false: no run has shown the finding, and
 * `result` says so. */
bool replay_again(struct check *check, struct vidmm_check_result *result);

#endif
