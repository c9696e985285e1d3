/*
 * work.h - what becomes of work on its way through the driver: paging buffers while they are filled
 * (buffer.c), operations that complete or are given up (completion.c), submissions (submission.c)
 * and what comes again after a preemption (preempt.c), reports of the driver (report.c,
 * page_fault.c), resets (reset.c), and the end of all of it (forget.c); effects that are looked at on behalf of
 * another rule (quiet.c). state/work.h has the
 * structures. Everything is called with the referee's lock held.
 */
#ifndef REFEREE_WORK_WORK_H
#define REFEREE_WORK_WORK_H

#include <vidmm/interrupt.h>

#include "state/judge.h"
#include "state/work.h"

/* ---- buffer.c -------------------------------------------------------------------------------- */

/* The buffer that a call goes on filling, or a fresh one; judges the manager. NULL: pDmaBuffer is
 * NULL, or there is no memory. */
struct shadow_build *build_aim(struct vidmm_referee *referee,
                               const DXGKARG_BUILDPAGINGBUFFER *args);
/* The driver's pointers in place of the caller's. */
void build_redirect(const struct shadow_build *build, DXGKARG_BUILDPAGINGBUFFER *args);
/* The caller's pointers again, and what was written; judges the driver. `in`: as the caller called.
 * Returns the bytes written; `*unmoved`: there are some, behind a pointer that came back as it was. */
uint32_t build_return(struct vidmm_referee *referee, struct shadow_build *build,
                      const DXGKARG_BUILDPAGINGBUFFER *in, DXGKARG_BUILDPAGINGBUFFER *args,
                      NTSTATUS status, bool *unmoved);
/* The buffer at `base` with bytes not yet submitted, or NULL. */
struct shadow_build *build_at(struct vidmm_referee *referee, const void *base);
/* The buffer that a submission is of: by the address that Patch had, else the oldest that has bytes
 * not yet submitted; NULL: none. */
struct shadow_build *build_of(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args);
/* There is none, and one was built for another physical adapter. */
bool build_elsewhere(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args);
/* The operations built into the submitted range. */
struct shadow_operation *build_take(struct vidmm_referee *referee,
                                    const DXGKARG_SUBMITCOMMAND *args);
/* What was built and not submitted is given up. */
void build_forget(struct vidmm_referee *referee);
void build_end(struct vidmm_referee *referee);

/* ---- completion.c ---------------------------------------------------------------------------- */

/* It was built and will not be done: freed. */
void operation_give_up(struct vidmm_referee *referee, struct shadow_operation *operation);
/* Its effects are there: judged and freed. */
void operation_complete(struct vidmm_referee *referee, struct shadow_operation *operation);
/* No operation is under way any more. */
void operation_abandon(struct vidmm_referee *referee);

/* ---- quiet.c --------------------------------------------------------------------------------- */

/* Whether nothing was found before that a report may follow from, of either side. */
bool work_unexplained(const struct vidmm_ledger *ledger);

/* What is judged from the first to the second makes no finding. */
struct work_quiet {
    uint32_t broken[VIDMM_RULES_SIZE];
    uint8_t muted[VIDMM_RULES_SIZE];
};
void work_quiet_begin(struct work_quiet *quiet, struct vidmm_ledger *ledger);
/* How many rules were broken meanwhile. */
uint32_t work_quiet_end(const struct work_quiet *quiet, struct vidmm_ledger *ledger);

/* ---- submission.c ---------------------------------------------------------------------------- */

struct work_submission {
    struct shadow_submission shadow; /* first: what the other files see of it */
    uint32_t uses;
    HANDLE use[]; /* allocations that it references */
};

/* From now on it is under way, with the allocations that DxgkDdiPatch named; NULL: no memory. */
struct work_submission *submission_begin(struct vidmm_referee *referee,
                                         const DXGKARG_SUBMITCOMMAND *args, uint32_t index);
/* The oldest of a node is over; `complete`: its operations were carried out. */
void submission_end(struct vidmm_referee *referee, struct shadow_node *node, bool complete);
/* Work that ended the last operation has gone to the GPU already: `operation` completes with the
 * newest paging submission under way; false: there is none. */
bool submit_append(struct vidmm_referee *referee, struct shadow_operation *operation);
/* `fence` of `node` is complete. */
void submit_completed(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* R423, of the newest work of `node`, if `fence` is its: by what the engine translated last. */
void submit_judge_space(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* `fence` of `node` was reported faulted: what came before it is complete, itself is not. */
void submit_faulted(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* The oldest of a node is over without having been carried out: paging work is returned, in
 * no list any more; NULL: it was other work, and is gone. */
struct shadow_submission *submit_lose(struct vidmm_referee *referee, struct shadow_node *node);
void submit_free(struct shadow_submission *submission);
/* The oldest work under way of a node that has that fence; NULL: none. */
const struct shadow_submission *submit_with_fence(const struct shadow_node *node, uint32_t fence);

/* ---- preempt.c ------------------------------------------------------------------------------- */

/* The fences between which the one is that the driver may take for completed last; false: there may be none. */
bool node_completed_least(const struct shadow_node *node, uint32_t *fence);
uint32_t node_completed_most(const struct shadow_node *node);

/* The driver reported preemption `fence`, `last` being the fence completed last. */
void preempt_reported(struct vidmm_referee *referee, uint32_t node, uint32_t fence, uint32_t last);
/* The engine was reset; `aborted`: the last fence that it is done with, itself not carried out. */
void preempt_reset(struct vidmm_referee *referee, uint32_t node, uint32_t aborted);
/* False: the driver reported what it had said to be preempted as complete. */
bool preempt_judge_completed(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* R281 of other work than paging, which is reported complete. */
void preempt_judge_undone(struct vidmm_referee *referee, const struct shadow_node *node,
                          uint32_t fence);
/* True: the submission is preempted work that comes again; judges the manager. */
bool preempt_again(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                   const struct shadow_node *node);
/* Its operations, when preempt_again said so. */
struct shadow_operation *preempt_take(struct shadow_node *node);
/* Nothing is preempted and nothing asked for any more. */
void preempt_forget(struct vidmm_referee *referee, struct shadow_node *node);
void preempt_judge_end(struct vidmm_referee *referee, const struct shadow_node *node);

/* ---- paging_fault.c -------------------------------------------------------------------------- */

/* R539 and what tells why: paging work ended in an error. */
void paging_fault_judge(struct vidmm_referee *referee, const struct vidmm_interrupt *report);

/* ---- page_fault.c ---------------------------------------------------------------------------- */

/* A page fault was reported, before the work that it names is taken for faulted. */
void submit_page_faulted(struct vidmm_referee *referee, const struct vidmm_interrupt *report);
/* The engine of a node was reset, or (UINT32_MAX) all of them. */
void submit_node_reset(struct vidmm_referee *referee, uint32_t node);

/* ---- report.c -------------------------------------------------------------------------------- */

/* The node of a report, over all physical adapters. */
static inline uint32_t report_node(const struct vidmm_interrupt *report) {
    return linked_node(report->physical, report->node);
}

/* DxgkCbNotifyInterrupt, without the referee's lock. */
void reports_put(struct vidmm_referee *referee, const struct reported *report);
/* How many routines that reported work have returned so far. */
uint64_t reports_routines(struct vidmm_referee *referee);
/* A report of the driver. */
void reports_act(struct vidmm_referee *referee, const struct reported *report);
/* Takes over what was reported so far. */
void reports_drain(struct vidmm_referee *referee);

/* ---- display.c ------------------------------------------------------------------------------- */

/* A vertical sync of a video present target was reported, with that address; NULL: it is not known. */
void display_synced(struct vidmm_referee *referee, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                    const uint64_t *address);
/* A source is about to show another surface; the driver did not take it. */
void display_set(struct vidmm_referee *referee, const DXGKARG_SETVIDPNSOURCEADDRESS *args);
/* The driver made the source visible, or invisible. */
void display_seen(struct vidmm_referee *referee, const DXGKARG_SETVIDPNSOURCEVISIBILITY *args);
void display_refused(struct vidmm_referee *referee, const DXGKARG_SETVIDPNSOURCEADDRESS *args);
/* The network that the driver has made active, of which `interface` tells; all of it, or `source` alone. */
/* The hardware has lost what it shows: nothing is judged of it before the next network is active. */
void display_lost(struct vidmm_referee *referee);
void display_committed(struct vidmm_referee *referee, const DXGKARG_COMMITVIDPN *args,
                       const DXGK_VIDPN_INTERFACE *interface);

/* ---- reset.c --------------------------------------------------------------------------------- */

/* MANAGER R361 for a call that is no clean-up operation, or that is one. */
void reset_judge(struct vidmm_referee *referee, bool clean_up);
/* R282: after an engine's reset that lost paging work; `reset`: the call is the adapter's reset. */
void reset_judge_lost(struct vidmm_referee *referee, bool reset);

/* ---- forget.c -------------------------------------------------------------------------------- */

/* Work under way is given up (TDR). */
void submit_forget(struct vidmm_referee *referee);

#endif
