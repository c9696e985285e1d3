/*
 * stage_start.c - the driver comes up and goes down, twice in one life, with the manager asking it
 * for everything it asks at a start.
 */
#include "exam.h"

/* Up, and asked by the manager where there is something to manage. */
static bool answers(struct exam *exam) {
    const struct exam_world world = {.fail_at = 0};
    return exam_displays_only(exam) || exam_manage(exam, &world);
}

enum vidmm_stage_outcome stage_start(struct exam *exam, uint32_t number) {
    const struct exam_world world = {.fail_at = 0};
    (void)number;
    if (!exam_open(exam, &world) || !answers(exam))
        return VIDMM_STAGE_STOPPED;
    vidmm_lab_stop_manager(&exam->lab);
    exam_step(exam, "start: a second time");
    if (!exam_restart(exam) || !answers(exam))
        return VIDMM_STAGE_STOPPED;
    exam_step(exam, "start: down");
    exam_close(exam);
    return VIDMM_STAGE_DONE;
}
