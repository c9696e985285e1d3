/*
 * plan.h - a decision as data: what moves where, and the paging operations that make it so.
 *
 * A plan is a value of its request: begun, filled by residency/decide.c or by its request, run, and
 * over. Moves are made on paper first: places are taken and given back in the segments at once,
 * with the adapter's lock held, so that later choices see them; until the plan is executed
 * everything can be taken back exactly (plan_undo). Executing emits the operations, has them built
 * and executed, and only after the last fence are the changes of place visible; what each operation
 * did is told as soon as it is done (outstanding.h).
 *
 * Page tables are prepared, which may evict with plans of its own, before a plan that writes them:
 * such a plan begins with what was prepared (tables_begin in table.h), and there is no other way to
 * get new tables into a plan.
 *
 * A plan that the GPU hung on becomes adapter->lost: the reset takes over what is in flight from
 * there (adapter/reset.c). The next plan that runs ends that.
 */
#ifndef VIDMM_MANAGER_PLAN_H
#define VIDMM_MANAGER_PLAN_H

#include <vidmm/manager.h>

#include "memory/segment.h"
#include "paging/table.h"

struct paging_line;

/* One allocation's way through the plan. */
struct move {
    struct vidmm_allocation *allocation; /* NULL: taken back */
    enum vidmm_move_reason reason;
    struct segment *from;   /* NULL: system memory */
    struct placement old;   /* vacated, unless held */
    bool holds_old;         /* given back only when the plan is done */
    bool discard;           /* content is not kept */
    bool later;             /* waits for the GPU, or for a place that another such move leaves */
    bool content, stale;    /* before */
    struct segment *window; /* eviction aperture, or NULL */
    struct placement window_place;
};

struct plan_op {
    struct vidmm_op op;
    struct vidmm_device *device; /* hDevice of MAP and UNMAP */
    bool barrier;                /* all before it must be complete before it is built */
    void *driver_data;           /* UPDATE_CONTEXT_ALLOCATION: the driver's own */
    uint32_t driver_data_size;
    uint64_t first_buffer, last_buffer; /* 0: the driver has not seen it */
    uint64_t sequence;                  /* counts operations that were built: outstanding.h */
    bool done;                          /* by the driver at once, or in a buffer that completed */
    bool due;                           /* in the clean-up of a reset: still to be built */
    struct table_op table; /* UPDATE_PAGE_TABLE, FLUSH_TLB; of physical operations not even zero */
};

/* A DMA buffer's pages in an aperture segment. */
struct plan_buffer {
    struct vidmm_device *device; /* hDevice, or NULL */
    PMDL mdl;
    struct segment *segment;
    uint64_t offset, size;
};

struct plan {
    struct vidmm_adapter *adapter; /* NULL: all zero, no plan */
    enum vidmm_plan_reason reason;
    struct move *moves;
    uint32_t move_count, move_capacity;
    struct plan_op *ops;
    uint32_t op_count, op_capacity;
    bool later;               /* while operations are emitted: those of such moves */
    uint32_t built;           /* operations the driver has seen */
    struct vidmm_op *waiting; /* transfers and fills, for space_send */
    uint32_t waiting_count, waiting_capacity;
    const struct paging_line *line; /* where it runs; NULL: in the paging process */
    struct plan_buffer buffer;      /* a DMA buffer that the plan maps; segment NULL: none */
    struct placement *buffer_place;
};

/* Starts an empty plan in memory that the adapter keeps from earlier ones. */
void plan_begin(struct plan *plan, struct vidmm_adapter *adapter, enum vidmm_plan_reason reason);
/* The plan is over, and its memory the next one's. Moves that were not executed are taken back. */
void plan_end(struct plan *plan);
/* Frees the memory that the adapter keeps for plans. */
void plans_destroy(struct vidmm_adapter *adapter);

/*
 * Takes `allocation` out of its segment, to system memory; with `discard` its content is not kept.
 * False: no memory.
 */
bool plan_leave(struct plan *plan, struct vidmm_allocation *allocation, bool discard,
                enum vidmm_move_reason reason);
/* The same on its way to another memory segment: its place stays taken until the plan is done. */
bool plan_leave_held(struct plan *plan, struct vidmm_allocation *allocation,
                     enum vidmm_move_reason reason);
/* Puts `allocation`, which is in system memory or has left, into `place`. False: no memory. */
bool plan_enter(struct plan *plan, struct vidmm_allocation *allocation, struct segment *segment,
                const struct placement *place, enum vidmm_move_reason reason);
/* Takes back moves down to `count`: everything is where it was. */
void plan_undo(struct plan *plan, uint32_t count);
/* Takes back one eviction, if its old place is still free. */
bool plan_spare(struct plan *plan, uint32_t index);

/* Adds an operation that no move stands for, of the allocation's home or of physical adapter 0. NULL:
 * no memory. */
struct plan_op *plan_add(struct plan *plan, enum vidmm_op_kind kind,
                         struct vidmm_allocation *allocation);
/* The same in front of operation `at`. */
struct plan_op *plan_insert(struct plan *plan, uint32_t at, enum vidmm_op_kind kind,
                            struct vidmm_allocation *allocation);
/* Adds an access of the GPU to eight bytes of a segment: what it holds back of writes goes out. */
bool plan_touch(struct plan *plan, struct vidmm_place place, bool write);
/* Adds the transfers between the system pages and the segment copy of a resident allocation. */
bool plan_sync(struct plan *plan, struct vidmm_allocation *allocation, bool to_system);
/* Adds the MAPs or UNMAPs of a whole aperture range: of an allocation's move, of a DMA buffer. */
bool plan_map(struct plan *plan, struct vidmm_allocation *allocation, struct segment *segment,
              uint64_t offset, bool map);
bool plan_map_buffer(struct plan *plan, const struct plan_buffer *buffer, bool map);

/*
 * Emits, builds, executes, commits. On failure everything is as before plan_begin as far as the
 * manager is concerned. The plan's operations stay to be looked at.
 */
enum vidmm_status plan_execute(struct plan *plan);
/* plan_execute, and plan_end; after VIDMM_GPU_LOST adapter->lost is what was in flight. */
enum vidmm_status plan_run(struct plan *plan);

#endif
