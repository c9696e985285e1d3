/*
 * once.h - work of a process that shows whether the GPU did it once: it copies a page and writes the first one then, which
 * the second time is what it copies. For preemptions (stage_preempt.c), behind which only what was not done is done again.
 */
#ifndef VIDMM_CHECK_ONCE_H
#define VIDMM_CHECK_ONCE_H

#include "user.h"

struct once {
    struct user *user;
    bool shows; /* the driver has such commands, and their effect was seen */
};

/* Makes the surface, and does it a first time. False, here and below: the run ends. */
bool once_open(struct once *once, struct user *user);
/* Writes the pages and the commands anew, which the next submission of the user is. */
bool once_prepare(const struct once *once);
/* R281, when all has ended. */
void once_judge(const struct once *once);
void once_close(struct once *once);

#endif
