/*
 * listing.h - what a device needs resident while its contexts run (residency-overview.md): its
 * residency list, with a count for each allocation.
 *
 * An allocation that any device lists is out of its segment's victim queue: it leaves only when
 * somebody else has nothing better to evict (listing_victim), and is back before its device runs
 * again (listing_restore). What is listed counts as used, and written, by all that its device
 * submits.
 */
#ifndef VIDMM_MANAGER_LISTING_H
#define VIDMM_MANAGER_LISTING_H

#include <vidmm/virtual.h>

#include "adapter.h"

struct listing {
    struct listing *previous, *next; /* of the device */
    struct listing *other;           /* of the same allocation, by another device */
    struct vidmm_allocation *allocation;
    struct vidmm_device *device;
    uint32_t count;
    enum vidmm_memory_group group; /* that the process is charged for it */
};

struct listing *listing_find(const struct vidmm_allocation *allocation,
                             const struct vidmm_device *device);
/* Adds one. False: no memory. */
bool listing_add(struct vidmm_device *device, struct vidmm_allocation *allocation);
/* Takes one off. At 0 the allocation remembers the device's last work, and may leave. */
void listing_remove(struct listing *listing);
/* All of a device, or of an allocation, whatever the counts. */
void listing_end_device(struct vidmm_device *device);
void listing_end_allocation(struct vidmm_allocation *allocation);

/*
 * Somebody in `segment` that a device other than `device` lists and that may move, or NULL: of
 * processes over their budget first.
 */
struct vidmm_allocation *listing_victim(struct vidmm_adapter *adapter,
                                        const struct vidmm_device *device,
                                        const struct segment *segment);
/* Everything that `device` lists is resident. */
enum vidmm_status listing_restore(struct vidmm_device *device);
/* Notes that submission `number` on `node` may use, and with `writes` write, all of the list. */
void listing_used(struct vidmm_device *device, uint32_t node, uint64_t number, bool writes);
/* The GPU writes `allocation`; `assumed`: for all that is known. */
void listing_written(struct vidmm_allocation *allocation, bool assumed);
/* True while work of a device that lists it may be outstanding. */
bool listing_busy(struct vidmm_allocation *allocation);
/* Sleeps until none is. */
enum vidmm_status listing_wait_idle(struct vidmm_allocation *allocation);

#endif
