/*
 * empty_work.h - work without commands, over the manager: of a context where work has physical addresses, and of a process
 * where it has virtual ones.
 */
#ifndef VIDMM_CHECK_EMPTY_WORK_H
#define VIDMM_CHECK_EMPTY_WORK_H

#include "user.h"

struct empty_work {
    struct check *check;
    struct vidmm_context *context;
    struct user *user; /* NULL: it is the context's */
    uint64_t fence;
};

/* `show` gets one, and `ctx`, if the driver takes such work; `context` may be NULL where addresses are virtual. */
void empty_work_show(struct check *check, struct vidmm_context *context,
                     void (*show)(struct empty_work *work, void *ctx), void *ctx);
/* False: the driver takes none. */
bool empty_work_submit(struct empty_work *work);
/* Waits until the newest is reported complete; false: it is not. */
bool empty_work_completes(struct empty_work *work);

#endif
