/*
 * operation.h - what the files share that judge single paging operations.
 *
 * operation/dispatch.c sends each operation to the file of its kind: operation/transfer.c and
 * operation/copy.c (what was asked for, what came of it), operation/fill.c, operation/aperture.c.
 * operation/place.c has the rules about places that all kinds obey, operation/promise.c those about
 * what single allocations were promised; operation/later.c tells what operations behind one can
 * already have changed.
 */
#ifndef REFEREE_OPERATION_H
#define REFEREE_OPERATION_H

#include "state/judge.h"
#include "state/work.h"

#include <vidmm/operations.h>

/* Pages that an MDL describes. */
static inline uint64_t operation_mdl_pages(const MDL *mdl) {
    return ((uint64_t)mdl->ByteOffset + mdl->ByteCount + SHADOW_PAGE - 1) / SHADOW_PAGE;
}

/* Its system pages are the CPU's all the time. */
bool operation_shared_with_cpu(struct vidmm_referee *referee, HANDLE handle);

/* operation/place.c: SegmentAddress as an offset in its segment, judged as the place of `size`
 * bytes that begin `at` bytes behind it; false: it is nowhere. */
bool place_range(struct vidmm_referee *referee, uint32_t id, LARGE_INTEGER address, uint64_t at,
                 uint64_t size, uint64_t *offset);
/* An allocation gets its place: from `offset` of `segment` on. */
void place_allocation(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                      const struct shadow_segment *segment, uint64_t offset);
/* `size` bytes of it lie at `offset` of a segment: the protected range is for CreateInVpr (R430). */
void place_judge_protected(struct vidmm_referee *referee,
                           const struct shadow_allocation *allocation,
                           const struct shadow_segment *segment, uint64_t offset, uint64_t size);
/* Places, of an allocation that may be NULL, after the operation was built. */
void place_set(struct vidmm_referee *referee, struct shadow_allocation *allocation, uint32_t id,
               uint64_t offset);

/* operation/aperture.c, R340: a migration to this adapter ends. */
void apertures_judge_restored(struct vidmm_referee *referee);
/* The adapter lost what it does not keep in D3, and is in D0 again. */
void apertures_returned(struct vidmm_referee *referee);
/* operation/aperture.c, R64 and R65: `pages` more are about to be mapped into `segment`. */
void aperture_judge_commitment(struct vidmm_referee *referee, const struct shadow_segment *segment,
                               uint64_t pages);
/* operation/gart.c: the GPU is about to use the allocation at `offset` of an AGP segment. */
void gart_judge_use(struct vidmm_referee *referee, const struct shadow_segment *segment,
                    struct shadow_allocation *allocation, uint64_t offset);

/* operation/virtual.c: an operation of another kind writes to these addresses of the paging process:
 * what those in front of it moved is not there any more. */
void virtual_note_target(struct vidmm_referee *referee, struct shadow_operation *operation,
                         const struct tables_process *paging, uint64_t va, uint64_t size);

/* operation/later.c: an operation is asked for; a virtual one was looked up, and writes to GPU physical
 * memory in [low, high); it is done or given up. */
void later_enter(struct vidmm_referee *referee, struct shadow_operation *operation);
void later_enter_pages(struct vidmm_referee *referee, struct shadow_operation *operation,
                       uint64_t low, uint64_t high);
void later_leave(struct vidmm_referee *referee, struct shadow_operation *operation);
/* None is kept any more. */
void later_end(struct vidmm_referee *referee);
/* Whether an operation that came behind `operation` writes to these
 * bytes of a segment or maps them anew, or writes to these pages of an MDL. */
bool later_touches(struct vidmm_referee *referee, const struct shadow_operation *operation,
                   uint32_t segment, uint64_t offset, uint64_t size);
bool later_writes(struct vidmm_referee *referee, const struct shadow_operation *operation,
                  const MDL *mdl, uint64_t page, uint64_t pages);
/* The operations behind `operation` that write to GPU physical memory between two bytes of
 * [low, high), one after another; NULL at first, and after the last. */
const struct shadow_operation *later_pages(struct vidmm_referee *referee,
                                           const struct shadow_operation *operation, uint64_t low,
                                           uint64_t high, const struct shadow_operation *after);
/* The operation that came behind `after`, which is `operation` at first; `at` begins as zero and
 * remembers where `after` came from. */
struct later {
    const struct shadow_submission *in;
    uint32_t waiting; /* lists of build_waiting */
};
const struct shadow_operation *later_next(struct vidmm_referee *referee,
                                          const struct shadow_operation *operation,
                                          const struct shadow_operation *after, struct later *at);
/* Paging operations that were submitted, are not done and name the allocation. */
uint32_t operations_under_way(struct vidmm_referee *referee, HANDLE allocation);

/* operation/promise.c: an allocation gets its place; its content goes to segment `to`, 0: to system
 * pages; it goes without a transfer; pages of an aperture are taken by what comes in. */
void promise_place(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                   const struct shadow_segment *segment, uint64_t offset);
void promise_leave(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                   uint32_t to);
void promise_discard(struct vidmm_referee *referee, const struct shadow_allocation *allocation);
void promise_taken(struct vidmm_referee *referee, const struct shadow_segment *segment,
                   uint64_t first, uint64_t pages);

/*
 * The judge of the operations of a kind; the table of operations (vidmm/operations.h) names it.
 * NULL: there is nothing to judge. State of a single operation is kept in its `own`.
 */
struct operation_judge {
    void (*asked)(struct vidmm_referee *referee,
                  struct shadow_operation *operation); /* the manager's first call for it */
    void (*built)(struct vidmm_referee *referee,
                  const struct shadow_operation *operation); /* the driver has answered SUCCESS */
    void (*done)(struct vidmm_referee *referee,
                 const struct shadow_operation *operation); /* the GPU has completed it */
};
#define PLANNED(ddi, kind, json, effect, address, allocation, judge)                               \
    extern const struct operation_judge op_judge_##judge;
#define OTHER(ddi, effect, allocation, judge) extern const struct operation_judge op_judge_##judge;
VIDMM_OPERATIONS(PLANNED, OTHER)
#undef PLANNED
#undef OTHER

void copy_done(struct vidmm_referee *referee, const struct shadow_operation *operation);
/* operation/adl.c */
void adl_asked(struct vidmm_referee *referee, const struct shadow_operation *operation);
void adl_unmapped(struct vidmm_referee *referee, const struct shadow_operation *operation);
/* It was built and will not be done. */
void unmap_given_up(struct vidmm_referee *referee, const struct shadow_operation *operation);

/* operation/table.c: R234 of an operation on the tables of a process. */
void table_judge_idle(struct vidmm_referee *referee, HANDLE process);
/* operation/flush.c: all that was built is complete (or, when it `compares` not, given up). */
void flush_settle(struct vidmm_referee *referee, bool compares);
/* operation/notice.c */
/* The allocation's content arrives by this operation, or leaves its memory segment. */
void notice_judge_end(struct vidmm_referee *referee, const struct shadow_allocation *allocation);
void notice_content(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                    bool leaves);

/*
 * dispatch.c, with the lock held. `asked`: the first call of an operation, before the driver has
 * it. `built`: the driver answered SUCCESS. `done`: the GPU completed it (or nothing was left for
 * the GPU): its effects can be seen now.
 */
/* reserved.c: what every operation leaves 0. */
void operation_judge_reserved(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *arg);
void operation_asked(struct vidmm_referee *referee, struct shadow_operation *operation);
void operation_built(struct vidmm_referee *referee, struct shadow_operation *operation);
void operation_done(struct vidmm_referee *referee, struct shadow_operation *operation);

/* number.c: gives the segments, places and processes of an operation their numbers over all physical
 * adapters (state/linked.h). */
void operation_number(uint32_t physical, DXGKARG_BUILDPAGINGBUFFER *arg);

/* fill.c: the first of `size` bytes that is not what a fill leaves there, or `size`; the fill began `at`
 * bytes before the first. */
uint64_t fill_unlike(const uint8_t *bytes, uint64_t size, uint32_t pattern, uint64_t at);

/* kind.c, of DXGK_OPERATION_* `operation`: its name, NULL: no such operation; the name of the call
 * as findings show it, of an unknown operation in `text`; what it changes, NONE of an unknown one. */
const char *operation_name(uint32_t operation);
const char *operation_call_name(uint32_t operation, char *text, size_t size);
enum vidmm_op_effect operation_effect(uint32_t operation);
/* True when an operation of this kind names an allocation: into `*handle`. */
bool operation_names(const DXGKARG_BUILDPAGINGBUFFER *args, HANDLE *handle);
/* NULL is legal there. */
bool operation_may_be_nameless(uint32_t operation);

/* transfer.c: work under way is given up (TDR): no transfer is pending any more. */
void transfer_forget(struct vidmm_referee *referee);
/* place.c, R270: an allocation gets memory of a segment. */
void place_judge_host_aperture(struct vidmm_referee *referee, const struct shadow_segment *segment,
                               uint64_t offset, uint64_t size, HANDLE allocation);

/* promise.c: an element of the list of a submission to a physical adapter that is no paging; the
 * submission itself. */
void promise_listed(struct vidmm_referee *referee, const DXGK_ALLOCATIONLIST *entry,
                    uint32_t physical, struct shadow_allocation *allocation);
void promise_submitted(struct vidmm_referee *referee);
/* Work under way is given up, or what it writes is not known. */
void promise_forget(struct vidmm_referee *referee);

#endif
