/*
 * ahead.h - runs of the examination beside each other: while one is heard, the next ones go on.
 */
#ifndef VIDMM_CHECK_AHEAD_H
#define VIDMM_CHECK_AHEAD_H

#include <vidmm/watch.h>

#include "stage.h"

/* Processes of the driver at the same time, at most. */
#define AHEAD_MOST 64u

/* NULL: there is one run after the other. */
struct ahead *ahead_create(const struct vidmm_check_options *options);
/* Ends what was begun and is not needed. NULL is allowed. */
void ahead_destroy(struct ahead *ahead);
/* One run, which may have been begun already; true: the driver's process ended well. */
bool ahead_run(struct check *check, const struct check_stage *stage, uint32_t number,
               struct vidmm_watch_end *end);

#endif
