/*
 * candidates.h - the segments an allocation may be placed in, best first.
 */
#ifndef VIDMM_MANAGER_CANDIDATES_H
#define VIDMM_MANAGER_CANDIDATES_H

#include "base/adapter.h"

struct candidate_list {
    uint32_t count;
    uint32_t alike;     /* so many from the first on are of the first one's kind */
    uint32_t preferred; /* so many come from DXGK_ALLOCATIONINFO.PreferredSegment */
    struct segment *segments[SEGMENTS_TOTAL];
    bool from_end[SEGMENTS_TOTAL]; /* the preference's direction bit */
};

/*
 * Preferred segments in the driver's order, then the others of `set`: memory before apertures, the
 * one with more free space first (specifying-segments-when-creating-allocations.md).
 */
void candidates_list(const struct vidmm_allocation *allocation, uint32_t set,
                     struct candidate_list *list);
/* What the allocation asks of candidate `index`. */
struct segment_request candidate_request(const struct vidmm_allocation *allocation,
                                         const struct candidate_list *list, uint32_t index);

/* The best segment for it is a memory segment. */
bool candidates_prefer_memory(const struct vidmm_allocation *allocation);
/* Segments that may hold `allocation` for such an access, in the state it is in. */
uint32_t candidate_set(const struct vidmm_allocation *allocation, bool write);

#endif
