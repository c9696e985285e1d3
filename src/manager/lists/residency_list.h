/*
 * residency_list.h - what a device needs resident while its contexts run (residency-overview.md): its
 * residency list, with a count for each allocation.
 *
 * An allocation that any device lists is out of its segment's victim queue: it leaves only for
 * somebody with a better claim (listing_victim), and is back before its device runs again
 * (listing_restore). What is listed counts as used, and written, by all that its device submits.
 *
 * A device knows at any time what of its list is missing, what lies in an aperture though memory
 * would be better, and what does not count as written yet, so that a request costs what it changes
 * and not what is listed. Whoever changes what those depend on says so (listing_update).
 */
#ifndef VIDMM_MANAGER_LISTING_H
#define VIDMM_MANAGER_LISTING_H

#include <vidmm/virtual.h>

#include "memory/policy.h"

struct segment;
struct segment_request;
struct listing;

/* Lines in which listings of a device stand. */
enum listing_line {
    LINE_ALL,
    LINE_MISSING,   /* in no segment, and wanted in one */
    LINE_DEMOTED,   /* in an aperture; memory would be better */
    LINE_UNSETTLED, /* resident, and does not count as written */
    LINE_KINDS
};

struct line {
    struct listing *first, *last;
    uint32_t count;
};

/* What of others' lists a request may take. */
enum suspension {
    SUSPEND_NOBODY,
    SUSPEND_EXCESS, /* what processes hold beyond their budgets, for one that is within its own */
    SUSPEND_ANYBODY,
};

/* The list of one device. */
struct residency_list {
    struct line lines[LINE_KINDS];
    struct resident_queue *placed; /* by segment: what could be taken; NULL: never listed */
    enum suspension suspends;
    uint64_t promoted_epoch, promoted_number; /* when promotion was last tried */
    uint32_t promoted_in_vain;                /* tries since something moved */
    uint64_t last_number, last_nodes; /* newest submission; nodes it may be outstanding on */
    struct vidmm_reference *wanted;
    uint32_t wanted_size;
};

struct listing {
    struct {
        bool stands;
        struct listing *previous, *next;
    } in[LINE_KINDS];
    struct resident resident; /* in `placed` of its segment */
    struct segment *segment;  /* whose queue that is, or NULL */
    struct listing *other;    /* of the same allocation, by another device */
    struct vidmm_allocation *allocation;
    struct vidmm_device *device;
    uint32_t count;
    uint32_t queued; /* updates of addresses that will lead to it (companion.h) */
    uint32_t taken;  /* off the count by the request at hand */
    /* Of several devices of a process one is charged (budget.h). */
    bool charged;
    uint64_t listed[2], held[2]; /* bytes, by enum vidmm_memory_group */
};

struct listing *listing_find(const struct vidmm_allocation *allocation,
                             const struct vidmm_device *device);
/* Adds one. False: no memory. */
bool listing_add(struct vidmm_device *device, struct vidmm_allocation *allocation);
/* Takes one off. At 0 the allocation remembers the device's last work, and may leave. */
void listing_remove(struct listing *listing);
/*
 * The same for the manager's own reasons, which no eviction takes off: an update of addresses that
 * will lead to it is queued. False: no memory.
 */
bool listing_require(struct vidmm_device *device, struct vidmm_allocation *allocation);
void listing_release(struct listing *listing);
/* User mode has it on the device's list. */
bool listing_counts(const struct vidmm_allocation *allocation, const struct vidmm_device *device);
/* All of a device, or of an allocation, whatever the counts. */
void listing_end_device(struct vidmm_device *device);
void listing_end_allocation(struct vidmm_allocation *allocation);

/*
 * After a change of segment, content, locks, priority, segment sets, or of being offered; also on
 * paper, while a plan is made.
 */
void listing_update(struct vidmm_allocation *allocation);

/*
 * Somebody in `segment` who may leave it for `request` (NULL: to empty it) of `asking` (NULL: the
 * manager itself), or NULL: what the process lists that holds most beyond its budget, lower
 * priorities first.
 */
struct vidmm_allocation *listing_victim(struct vidmm_adapter *adapter,
                                        const struct vidmm_device *asking,
                                        const struct segment *segment,
                                        const struct segment_request *request);
/* Everything that `device` lists is resident, and with `context` what the driver keeps for it. */
enum vidmm_status listing_restore(struct vidmm_device *device, struct vidmm_context *context,
                                  enum suspension suspends, enum vidmm_plan_reason reason);
/* Notes that submission `number` on `node` may use, and with `writes` write, all of the list. */
void listing_used(struct vidmm_device *device, uint32_t node, uint64_t number, bool writes);
/* The GPU writes `allocation`; `assumed`: for all that is known. */
void listing_written(struct vidmm_allocation *allocation, bool assumed);
/* The caller vouches that the GPU did not write it, as far as `device` is concerned. */
void listing_not_written(struct vidmm_device *device, struct vidmm_allocation *allocation);
/* True while work of a device that lists it may be outstanding. */
bool listing_busy(struct vidmm_allocation *allocation);
/* Sleeps until none is. */
enum vidmm_status listing_wait_idle(struct vidmm_allocation *allocation);

#endif
