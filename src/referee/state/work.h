/*
 * work.h - work on its way through the driver: buffers being filled (build_buffer.c), operations
 * built into them (watch/build.c), submissions (watch/submit.c), resets (watch/reset.c) and the reports
 * of completion (watch/callbacks.c). Private to these files; everything is called with the lock held.
 */
#ifndef REFEREE_WORK_H
#define REFEREE_WORK_H

#include <pthread.h>

#include <vidmm/interrupt.h>

#include "state/guard.h"
#include "state/shadow.h"

struct referee_call;

/* An operation and where in its buffer it ended. */
struct build_operation {
    struct shadow_operation shadow; /* first: what the other files see of it */
    uint32_t end;
};

/* A paging buffer and what was built into it. The driver writes into the mirrors. */
struct shadow_build {
    uint8_t *base; /* the caller's; NULL: slot not used */
    uint32_t size;
    uint32_t used, submitted; /* bytes */
    bool astray;              /* operations are not where the manager submits them */
    struct guard bytes;
    uint8_t *private_base;
    uint32_t private_size, private_used;
    struct guard private_bytes;
    uint64_t number;                      /* from 1; newer is higher */
    uint32_t segment;                     /* as DxgkDdiPatch was told */
    uint64_t address;                     /* as DxgkDdiPatch was told; 0: not yet */
    struct build_operation *first, *last; /* built, not submitted */
};

/* The operation that the driver has not answered with SUCCESS yet. */
struct builds_open {
    struct build_operation *operation; /* NULL: none */
    NTSTATUS answer;
    UINT multipass; /* as the driver left it */
    UINT silent;
    struct shadow_build *build;       /* of the last call, when it wrote something; else NULL */
    uint64_t build_number;            /* of that */
    DXGKARG_BUILDPAGINGBUFFER latest; /* as the driver left it */
};

/* More than any manager fills and submits at the same time. */
#define BUILDS_SLOTS 64u

struct builds {
    struct shadow_build slot[BUILDS_SLOTS];
    uint64_t newest;
    const void *seen_private[BUILDS_SLOTS]; /* areas of private data, a ring */
    uint32_t seen_privates;
    struct builds_open open;
    bool page_tables; /* some were written: virtual addresses may mean something */
};

struct submissions {
    bool gave_up; /* see submit_give_up */
    /* What DxgkDdiPatch was told, until DxgkDdiSubmitCommand follows. */
    struct {
        bool open;
        DXGKARG_PATCH args;
        uint32_t handles, room;
        HANDLE *handle; /* of the allocations in its list */
    } patched;
    bool faulted[SHADOW_NODES]; /* a page fault was reported and nothing was reset since */
};

enum reset_phase {
    RESET_RUNNING,
    RESET_RESETTING,   /* inside DxgkDdiResetFromTimeout */
    RESET_CLEANING_UP, /* until DxgkDdiRestartFromTimeout */
};

struct reset {
    enum reset_phase phase;
    /* The reset of an engine gave up paging work: what comes next is the reset of the adapter. */
    bool lost_paging;
};

#define REPORTS_MAX 4096u

/* What the driver reported and nobody has taken over yet, with a lock of its own. */
struct reports {
    pthread_mutex_t lock;
    uint32_t first, count;
    struct vidmm_interrupt report[REPORTS_MAX];
};

/* ---- build_buffer.c -------------------------------------------------------------------------- */

/* The buffer that a call goes on filling, or a fresh one; judges the manager. NULL: pDmaBuffer is
 * NULL, or there is no memory. */
struct shadow_build *build_aim(struct vidmm_referee *referee,
                               const DXGKARG_BUILDPAGINGBUFFER *args);
/* The driver's pointers in place of the caller's. */
void build_redirect(const struct shadow_build *build, DXGKARG_BUILDPAGINGBUFFER *args);
/* The caller's pointers again, and what was written; judges the driver. `in`: as the caller called.
 * Returns the bytes written. */
uint32_t build_return(struct vidmm_referee *referee, struct shadow_build *build,
                      const DXGKARG_BUILDPAGINGBUFFER *in, DXGKARG_BUILDPAGINGBUFFER *args,
                      NTSTATUS status);
/* The buffer at `base` with bytes not yet submitted, or NULL. */
struct shadow_build *build_at(struct vidmm_referee *referee, const void *base);
/* The buffer that a submission is of: by the address that Patch had, else the oldest that has bytes
 * not yet submitted; NULL: none. */
struct shadow_build *build_of(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args);
/* What was built and not submitted is given up. */
void build_forget(struct vidmm_referee *referee);
/* Operations of which a part may have been submitted, in lists: the first of list `index`, NULL
 * when it is empty; false: there is no such list. */
bool build_waiting(struct vidmm_referee *referee, uint32_t index,
                   const struct shadow_operation **first);
void build_end(struct vidmm_referee *referee);

/* ---- watch/build.c ----------------------------------------------------------------------------- */

void operation_free(struct shadow_operation *operation);
/* It was built and will not be done: freed. */
void operation_give_up(struct vidmm_referee *referee, struct shadow_operation *operation);
/* Its effects are there: judged and freed. */
void operation_complete(struct vidmm_referee *referee, struct shadow_operation *operation);
/* No operation is under way any more. */
void operation_abandon(struct vidmm_referee *referee);
/* The operation that the driver has not answered with SUCCESS yet, or NULL. */
const struct shadow_operation *operation_open(struct vidmm_referee *referee);

/* ---- watch/submit.c ---------------------------------------------------------------------------- */

/* Work that ended the last operation has gone to the GPU already: `operation` completes with the
 * newest paging submission under way; false: there is none. */
bool submit_append(struct vidmm_referee *referee, struct shadow_operation *operation);
/* `fence` of `node` was reported faulted: what came before it is complete, itself is not. */
void submit_faulted(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* True while anything is under way on any node. */
/* What is under way, node by node, in order; NULL: the first, and after the last. */
const struct shadow_submission *submit_next(struct vidmm_referee *referee,
                                            const struct shadow_submission *after);
bool submit_under_way(struct vidmm_referee *referee);
/* The driver answered what no driver may: Windows would have stopped here, and what the manager
 * leaves undone from now on is no fault of its. */
void submit_give_up(struct vidmm_referee *referee);
bool submit_gave_up(struct vidmm_referee *referee);

/* The oldest of a node is over without having been carried out: paging work is returned, in
 * nobody's list any more; NULL: it was other work, and is gone. */
struct shadow_submission *submit_lose(struct vidmm_referee *referee, struct shadow_node *node);
void submit_free(struct shadow_submission *submission);
/* For watch/submit_virtual.c: what its call says, in the members of the other; NULL: no memory. And
 * where the driver did not take it. */
struct shadow_submission *submit_given(struct vidmm_referee *referee,
                                       const struct referee_call *call,
                                       const DXGKARG_SUBMITCOMMAND *args);
void submit_refused(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                    struct shadow_submission *submission);

/* ---- watch/submit_virtual.c -------------------------------------------------------------------- */

/* An operation comes first in a paging buffer: R172. */
void submit_judge_buffer(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args);
/* A page fault was reported, before the work that it names is taken for faulted. */
void submit_page_faulted(struct vidmm_referee *referee, const struct vidmm_interrupt *report);
/* The engine of a node was reset, or (UINT32_MAX) all of them. */
void submit_node_reset(struct vidmm_referee *referee, uint32_t node);

/* ---- watch/virtual.c --------------------------------------------------------------------------- */

/* Work under way is given up: nobody knows what page tables hold. */
void virtual_forget(struct vidmm_referee *referee);
/* Nothing of the paging node is under way any more. */
void virtual_settled(struct vidmm_referee *referee);
void virtual_end(struct vidmm_referee *referee);

/* ---- watch/process.c --------------------------------------------------------------------------- */

void process_watch_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);

/* ---- watch/preempt.c --------------------------------------------------------------------------- */

/* The driver reported preemption `fence`, `last` being the fence completed last. */
void preempt_reported(struct vidmm_referee *referee, uint32_t node, uint32_t fence, uint32_t last);
/* The engine was reset; `aborted`: the last fence that it is done with, itself not carried out. */
void preempt_reset(struct vidmm_referee *referee, uint32_t node, uint32_t aborted);
/* False: the driver reported what it had said to be preempted as complete. */
bool preempt_judge_completed(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* True: the submission is preempted work that comes again; judges the manager. */
bool preempt_again(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                   const struct shadow_node *node);
/* Its operations, when preempt_again said so. */
struct shadow_operation *preempt_take(struct shadow_node *node);
/* Nothing is preempted and nothing asked for any more. */
void preempt_forget(struct vidmm_referee *referee, struct shadow_node *node);
void preempt_judge_end(struct vidmm_referee *referee, const struct shadow_node *node);

/* ---- operation/promise.c --------------------------------------------------------------------- */

/* An element of the list of a submission that is no paging; the submission itself. */
void promise_listed(struct vidmm_referee *referee, const DXGK_ALLOCATIONLIST *entry,
                    struct shadow_object *allocation);
void promise_submitted(struct vidmm_referee *referee);
/* Work under way is given up, or nobody knows what it writes. */
void promise_forget(struct vidmm_referee *referee);

/* ---- watch/reset.c ----------------------------------------------------------------------------- */

/* MANAGER R361 for a call that is no clean-up operation, or that is one. */
void reset_judge(struct vidmm_referee *referee, bool clean_up);

/* ---- watch/callbacks.c ------------------------------------------------------------------------- */

/* A report of the driver. */
void callbacks_act(struct vidmm_referee *referee, const struct vidmm_interrupt *report);
/* Takes over what was reported so far. */
void callbacks_drain(struct vidmm_referee *referee);

#endif
