/*
 * mover.h - what moving bytes is made of: by physical addresses (mover_physical.c) or through the
 * paging process's virtual ones (mover_virtual.c). plan_emit.c has the order of moves, which is the
 * same for both.
 *
 * Every function adds operations to the plan, and answers false when there is no memory.
 */
#ifndef VIDMM_MANAGER_MOVER_H
#define VIDMM_MANAGER_MOVER_H

#include "paging/plan.h"
#include "paging/space.h"

struct mover {
    /* First, for all moves: the GPU does not reach what leaves, and the driver is told. */
    bool (*detach)(struct plan *plan);
    /* Out of a memory segment; `save`: the content goes to the system pages. */
    bool (*leave)(struct plan *plan, struct move *move, bool save);
    /* After all that leaves, and before anything that needs the places. */
    bool (*end_leaving)(struct plan *plan);
    /* All bytes of `allocation`. A view without a segment stands for its system pages. */
    bool (*copy)(struct plan *plan, struct vidmm_allocation *allocation, struct view from,
                 struct view to);
    /* The first content of an allocation that has none, in its segment. */
    bool (*initialize)(struct plan *plan, struct vidmm_allocation *allocation);
    /* After copies and first contents, before anything that needs them. */
    bool (*flush)(struct plan *plan);
    /* Last, for each move: the GPU reaches what arrived, and the driver is told. NULL: nothing. */
    bool (*attach)(struct plan *plan, struct move *move);
};

extern const struct mover mover_physical, mover_virtual;

#endif
