/*
 * stage_start.c - the driver comes up and goes down, twice in one life, with the manager asking it
 * for everything it asks at a start.
 */
#include "stage.h"

/* Up, and asked by the manager where there is something to manage. */
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
