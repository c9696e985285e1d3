/*
 * operation.h - what the files share that judge single paging operations.
 *
 * watch/operation.c sends each operation to the file of its kind: operation/transfer.c and
 * operation/copy.c (what was asked for, what came of it), operation/fill.c, operation/aperture.c.
 * operation/place.c has the rules about places that all kinds obey, operation/promise.c those about
 * what single allocations were promised; operation/later.c tells what operations behind one can
 * already have changed.
 */
#ifndef REFEREE_OPERATION_H
#define REFEREE_OPERATION_H

#include "state/judge.h"

#include <vidmm/operations.h>

/* The allocation behind hAllocation; NULL: none, or none that we know. */
struct shadow_object *operation_allocation(struct vidmm_referee *referee, HANDLE handle);
/* Segment `id` if it is GPU memory, or an aperture; else NULL. */
struct shadow_segment *operation_memory(struct vidmm_referee *referee, uint32_t id);
struct shadow_segment *operation_aperture(struct vidmm_referee *referee, uint32_t id);
/* Pages that an MDL describes. */
uint64_t operation_mdl_pages(const MDL *mdl);
/* Up to a page of a segment as the GPU sees it, an aperture's through its shadow if need be; NULL:
 * cannot be seen. */
const uint8_t *operation_see(struct vidmm_referee *referee, const struct shadow_segment *segment,
                             uint64_t offset, uint64_t size);
/* The model shows GPU memory: what it does not show cannot be accessed. */
bool operation_sees_all(struct vidmm_referee *referee);
/* Its system pages are the CPU's all the time. */
bool operation_shared_with_cpu(struct vidmm_referee *referee, HANDLE handle);

/* operation/place.c: SegmentAddress as an offset in its segment, judged as the place of `size`
 * bytes that begin `at` bytes behind it; false: it is nowhere. */
bool place_range(struct vidmm_referee *referee, uint32_t id, LARGE_INTEGER address, uint64_t at,
                 uint64_t size, uint64_t *offset);
/* An allocation gets its place: from `offset` of `segment` on. */
void place_allocation(struct vidmm_referee *referee, const struct shadow_object *allocation,
                      const struct shadow_segment *segment, uint64_t offset);
/* Places, of an allocation that may be NULL, after the operation was built. */
void place_set(struct vidmm_referee *referee, struct shadow_object *allocation, uint32_t id,
               uint64_t offset);

/* operation/later.c: whether an operation that came behind `operation` writes to these
 * bytes of a segment or maps them anew, or writes to these pages of an MDL. */
bool later_touches(struct vidmm_referee *referee, const struct shadow_operation *operation,
                   uint32_t segment, uint64_t offset, uint64_t size);
bool later_writes(struct vidmm_referee *referee, const struct shadow_operation *operation,
                  const MDL *mdl, uint64_t page, uint64_t pages);
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
void promise_place(struct vidmm_referee *referee, const struct shadow_object *allocation,
                   const struct shadow_segment *segment, uint64_t offset);
void promise_leave(struct vidmm_referee *referee, struct shadow_object *allocation, uint32_t to);
void promise_discard(struct vidmm_referee *referee, const struct shadow_object *allocation);
void promise_taken(struct vidmm_referee *referee, const struct shadow_segment *segment,
                   uint64_t first, uint64_t pages);

/*
 * Who judges the operations of a kind: the table of operations (vidmm/operations.h) names the judge
 * of each. NULL: nothing to do. What belongs to an operation alone is kept in its `own`.
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
/* What DXGK_OPERATION_* `operation` changes; NONE of a number that does not exist. */
enum vidmm_op_effect operation_effect(uint32_t operation);

void copy_done(struct vidmm_referee *referee, const struct shadow_operation *operation);
/* operation/adl.c */
void adl_asked(struct vidmm_referee *referee, const struct shadow_operation *operation);
void adl_unmapped(struct vidmm_referee *referee, const struct shadow_operation *operation);
/* It was built and will not be done. */
void unmap_given_up(struct vidmm_referee *referee, const struct shadow_operation *operation);

/* watch/virtual.c: R385 */
void virtual_judge_companion(struct vidmm_referee *referee,
                             const struct shadow_operation *operation);
/* operation/table.c: R234 of an operation on the tables of a process. */
void table_judge_idle(struct vidmm_referee *referee, HANDLE process);
/* operation/flush.c: all that was built is complete (or, when it `compares` not, given up). */
void flush_settle(struct vidmm_referee *referee, bool compares);
/* operation/notice.c */
/* The allocation's content arrives by this operation, or leaves its memory segment. */
void notice_judge_end(struct vidmm_referee *referee, const struct shadow_object *allocation);
void notice_content(struct vidmm_referee *referee, struct shadow_object *allocation, bool leaves);

#endif
