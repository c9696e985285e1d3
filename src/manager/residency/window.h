/*
 * window.h - which range of a segment is given to a request that needs its bytes in a row: the one
 * whose residents are worth least, of those that may leave next (vidmm/policy.h, `worth`).
 *
 * room.c has taken them out on paper and has found a place; here another one is chosen among them.
 */
#ifndef VIDMM_MANAGER_WINDOW_H
#define VIDMM_MANAGER_WINDOW_H

#include "paging/plan.h"

/* So many residents are compared at most. */
#define WINDOW_PARTS 128u

/* A request that may lie anywhere in a memory segment, in a row. */
bool window_serves(const struct segment *segment, const struct segment_request *request);
/*
 * Changes `place`, which was found for `request`, to the range out of which the least leaves of what
 * left `segment` by the moves of `plan` from `first` on, which are at most WINDOW_PARTS. The policy
 * must know what they are worth.
 */
void window_choose(const struct plan *plan, uint32_t first, struct segment *segment,
                   const struct segment_request *request, struct placement *place);

#endif
