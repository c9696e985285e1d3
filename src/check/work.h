/*
 * work.h - a piece of work whose completion a stage looks at, whichever way the driver takes it: in a paging buffer or
 * a DMA buffer of an application that is made by hand (raw.h), or of a process over the manager where the driver has
 * GPU virtual addresses (user.h).
 */
#ifndef VIDMM_CHECK_WORK_H
#define VIDMM_CHECK_WORK_H

#include "raw.h"
#include "user.h"

struct work {
    struct check *check;
    uint32_t node, physical;   /* that it is for */
    struct raw_submitter *raw; /* NULL: over the manager */
    struct user *user;
    struct raw_renderer *renderer; /* NULL: not of an application by hand */
    struct raw_commands commands;  /* none, and what was built of them */
    struct raw_part whole;
};

/* In a paging buffer. */
struct work work_by_hand(struct raw_submitter *raw);
/* In a DMA buffer, of no commands. */
struct work work_of_application(struct raw_renderer *renderer);
/* Of the user's context, which is on node 0. */
struct work work_of_user(struct user *user);
/* Once before all others, and waits; false, here and below: the run ends. */
bool work_first(struct work *work);
/* What has to be done before it is submitted, which may have to wait for other work. */
bool work_prepare(struct work *work);
/* Without waiting. */
bool work_submit(struct work *work);
/* Waits for it, and undoes what it did. */
bool work_finish(struct work *work);
/* Of an application, by hand: submits it again if a preemption left it undone. */
bool work_again(struct work *work);
/* What was lost is not waited for: the run ends. */
void work_give_up(struct work *work);
/* The system was told that the newest piece is complete. */
bool work_told(const struct work *work);

/* A run over the manager of a driver with GPU virtual addresses: `show` gets a user's work. DONE where it has none. */
enum vidmm_stage_outcome work_over_manager(struct check *check, const struct check_setup *setup,
                                           void (*show)(struct work *work));

#endif
