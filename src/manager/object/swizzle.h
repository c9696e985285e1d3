/*
 * swizzle.h - swizzling ranges: linear CPU views of tiled content (swizzling-ranges.md).
 *
 * A range stays with its allocation after the lock, and is released when the allocation leaves its
 * segment or dies, when another allocation needs it, or in a reset. In D3 it stays with an allocation that does. One with an alternate address
 * stays through an eviction under the lock; if it outlives the lock outside of memory, the next
 * lock asks for another one.
 */
#ifndef VIDMM_MANAGER_SWIZZLE_H
#define VIDMM_MANAGER_SWIZZLE_H

#include <vidmm/manager.h>

struct swizzling_range {
    struct vidmm_allocation *allocation; /* NULL: free */
    void *cpu;
    uint64_t used; /* when it was locked last */
    bool outlived; /* the allocation had left its segment when the lock ended */
};

struct swizzling {
    struct swizzling_range *ranges;
    uint32_t count;
    uint64_t clock;
};

bool swizzling_init(struct vidmm_adapter *adapter);
void swizzling_destroy(struct vidmm_adapter *adapter);
/*
 * A linear view of a resident allocation. VIDMM_NOT_LOCKABLE: the driver will not or cannot now.
 */
enum vidmm_status swizzling_acquire(struct vidmm_allocation *allocation, bool alternate,
                                    void **cpu);
/* The lock ends; the range, if there is one, stays for the next one. */
void swizzling_idle(struct vidmm_allocation *allocation);
/* Releases the allocation's range, if it has one. */
void swizzling_release(struct vidmm_allocation *allocation);
void swizzling_release_all(struct vidmm_adapter *adapter);
/* Those whose allocation is in no memory segment. */
void swizzling_release_outside(struct vidmm_adapter *adapter);
#endif
