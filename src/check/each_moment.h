/*
 * each_moment.h - the moments of a call at which another processor does its part, one after the other: the calls of
 * moments.c and of reentry.c are tried so.
 */
#ifndef VIDMM_CHECK_EACH_MOMENT_H
#define VIDMM_CHECK_EACH_MOMENT_H

#include "stage.h"

struct each_moment {
    struct check *check;
    const char *call;  /* of the driver's table, or "a DPC routine" */
    const char *other; /* stage and who comes, for the step that is told */
    uint32_t most;     /* moments that are tried, evenly */
    /* Makes the call, with what comes at `moment`; `*count`: the moments up to there. False: there is no sense in more. */
    bool (*make)(void *ctx, uint32_t moment, uint32_t *count);
    void *ctx;
};

/* What comes, of engines that are held, with `ctx` the host: they work on. Their interrupt comes behind the call, which is
 * still under way. */
void each_moment_work_ends(void *ctx);
/* False: `make` said so. */
bool each_moment(const struct each_moment *each);

#endif
