/*
 * swizzle.h - swizzling ranges: linear CPU views of tiled content (swizzling-ranges.md).
 *
 * A range stays with its allocation after the lock, and is released when the allocation leaves its
 * segment or dies, when another allocation needs it, or in a reset.
 */
#ifndef VIDMM_MANAGER_SWIZZLE_H
#define VIDMM_MANAGER_SWIZZLE_H

#include <vidmm/manager.h>

struct swizzling_range {
    struct vidmm_allocation *allocation; /* NULL: free */
    void *cpu;
    uint64_t used; /* when it was locked last */
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
/* Releases the allocation's range, if it has one. */
void swizzling_release(struct vidmm_allocation *allocation);
void swizzling_release_all(struct vidmm_adapter *adapter);
/* The allocation's range, or NULL. */
const struct swizzling_range *swizzling_of(const struct vidmm_allocation *allocation);

#endif
