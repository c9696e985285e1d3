/*
 * stage_start.c - starts and stops the driver twice in one process, with all queries of the
 * manager's start.
 */
#include "stage.h"

/* Starts the driver, and the manager if there is memory to manage. */
static bool answers(struct check *check) {
    const struct check_setup setup = {.fail_at = 0};
    return check_displays_only(check) || check_manage(check, &setup);
}

enum vidmm_stage_outcome stage_start(struct check *check, uint32_t number) {
    const struct check_setup setup = {.fail_at = 0};
    (void)number;
    if (!check_open(check, &setup) || !answers(check))
        return VIDMM_STAGE_STOPPED;
    vidmm_harness_stop_manager(&check->harness);
    check_step(check, "start: a second time");
    if (!check_restart(check) || !answers(check))
        return VIDMM_STAGE_STOPPED;
    check_step(check, "start: down");
    check_close(check);
    return VIDMM_STAGE_DONE;
}
