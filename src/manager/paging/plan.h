/*
 * plan.h - a decision as data: who moves, and the paging operations that make it so.
 *
 * Moves are made on paper first: places are taken and given back in the segments at once, with the
 * adapter's lock held, so that later choices see them; until the plan is executed everything can be
 * taken back exactly (plan_undo). plan_execute emits the operations, has them built and executed,
 * and only after the last fence are the changes of place for others to see; what each operation did
 * is told as soon as it is done (outstanding.h).
 */
#ifndef VIDMM_MANAGER_PLAN_H
#define VIDMM_MANAGER_PLAN_H

#include <vidmm/manager.h>

#include "memory/segment.h"
#include "paging/table.h"

/* One allocation's way through the plan. */
struct move {
    struct vidmm_allocation *allocation; /* NULL: taken back */
    struct segment *from;                /* NULL: system memory */
    struct placement old;                /* vacated, unless held */
    bool holds_old;                      /* given back only when the plan is done */
    bool discard;                        /* content is not kept */
    bool content, stale;                 /* before */
    struct segment *window;              /* eviction aperture, or NULL */
    struct placement window_place;
};

struct plan_op {
    struct vidmm_op op;
    struct vidmm_device *device; /* hDevice of MAP and UNMAP */
    bool barrier;                /* all before it must be complete before it is built */
    struct table_op table;       /* UPDATE_PAGE_TABLE, FLUSH_TLB */
    void *driver_data;           /* UPDATE_CONTEXT_ALLOCATION: the driver's own */
    uint32_t driver_data_size;
    uint64_t first_buffer, last_buffer; /* 0: the driver has not seen it */
    bool done;                          /* by the driver at once, or in a buffer that completed */
    bool due;                           /* in the clean-up of a reset: still to be built */
};

struct plan {
    struct move *moves;
    uint32_t move_count, move_capacity;
    struct plan_op *ops;
    uint32_t op_count, op_capacity;
    uint32_t built;                 /* operations the driver has seen */
    struct segment *buffer_segment; /* place of a DMA buffer that the plan maps, or NULL */
    struct placement *buffer_place;
    struct vidmm_device *buffer_device; /* whose it is */
    PMDL buffer_mdl;
    uint64_t buffer_size;
};

/* Starts an empty plan. */
void plan_begin(struct vidmm_adapter *adapter);
void plan_destroy(struct vidmm_adapter *adapter);

/*
 * Takes `allocation` out of its segment, to system memory. With `hold` its place stays taken until
 * the plan is done. False: no memory.
 */
bool plan_leave(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation, bool discard,
                bool hold);
/* Puts `allocation`, which is in system memory or has left, into `place`. False: no memory. */
bool plan_enter(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                struct segment *segment, const struct placement *place);
/* Takes back moves down to `count`: everything is where it was. */
void plan_undo(struct vidmm_adapter *adapter, uint32_t count);
/* Takes back one eviction, if its old place is still free. */
bool plan_spare(struct vidmm_adapter *adapter, uint32_t index);

/* Adds an operation that no move stands for. NULL: no memory. */
struct plan_op *plan_add(struct vidmm_adapter *adapter, enum vidmm_op_kind kind,
                         struct vidmm_allocation *allocation);
/* The same in front of operation `at`. */
struct plan_op *plan_insert(struct vidmm_adapter *adapter, uint32_t at, enum vidmm_op_kind kind,
                            struct vidmm_allocation *allocation);
/* Adds the transfers between the system pages and the segment copy of a resident allocation. */
bool plan_sync(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation, bool to_system);
/* Adds the MAPs or UNMAPs of a whole aperture range; `allocation` NULL: of a DMA buffer. */
bool plan_map(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
              struct vidmm_device *device, PMDL mdl, struct segment *segment, uint64_t offset,
              uint64_t size, bool map);

/* Runs `emit` for each move that stands; false as soon as one is. */
typedef bool plan_emitter(struct vidmm_adapter *adapter, struct move *move);
bool plan_each(struct vidmm_adapter *adapter, plan_emitter *emit);
/* Emits what takes a move out of an aperture range, if it is in one. */
bool plan_emit_unmap(struct vidmm_adapter *adapter, struct move *move);
/* The operations of all moves when the GPU uses virtual addresses (plan_virtual.c). */
bool plan_emit_virtual(struct vidmm_adapter *adapter);

/*
 * Emits, builds, executes, commits. On failure everything is as before plan_begin as far as the
 * manager is concerned; after VIDMM_GPU_LOST the plan's arrays are kept for the reset to look at.
 */
enum vidmm_status plan_execute(struct vidmm_adapter *adapter);

#endif
