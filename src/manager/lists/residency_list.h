/*
 * residency_list.h - the residency list of a device: the allocations that it needs resident while
 * its contexts run (residency-overview.md), with a count for each.
 *
 * An allocation on any list is in no victim queue of a segment: only a request with a better claim
 * (residency/room.h) has it leave, and residency_list_restore() brings it back before the device
 * runs again. Each submission of the device counts as a use of all that is on its list, and as a
 * write to it.
 *
 * Each list keeps chains of its entries by state: what is missing, what lies in an aperture though
 * memory would be better, and what does not count as written yet. A request then costs what it
 * changes, not the length of the list. A function that changes what these states depend on calls
 * residency_entries_update().
 */
#ifndef VIDMM_MANAGER_RESIDENCY_LIST_H
#define VIDMM_MANAGER_RESIDENCY_LIST_H

#include <vidmm/virtual.h>

#include "memory/policy.h"
#include "reported/physical.h"

struct segment;
struct segment_request;
struct residency_entry;

/* Lines in which entries of a device stand. */
enum entry_chain_kind {
    CHAIN_ALL,
    CHAIN_MISSING,   /* in no segment, and wanted in one */
    CHAIN_DEMOTED,   /* in an aperture; memory would be better */
    CHAIN_UNSETTLED, /* resident, and does not count as written */
    CHAIN_KINDS
};

struct entry_chain {
    struct residency_entry *first, *last;
    uint32_t count;
};

/* Whose entries a request may evict. */
enum suspension {
    SUSPEND_NOBODY,
    SUSPEND_EXCESS, /* of processes beyond their budgets, for a process within its own */
    SUSPEND_ANYBODY,
};

/* The list of one device. */
struct residency_list {
    struct entry_chain chains[CHAIN_KINDS];
    struct resident_queue *placed; /* by segment: what could be taken; NULL: never listed */
    enum suspension suspends;
    uint64_t promoted_epoch, promoted_number; /* when promotion was last tried */
    uint32_t promoted_in_vain;                /* tries since something moved */
    uint64_t last_number, last_nodes; /* newest submission; nodes it may be outstanding on */
    struct vidmm_reference *wanted;
    uint32_t wanted_size;
    /* What the submission at hand uses, as its caller says. */
    struct vidmm_allocation *const *named;
    uint32_t named_count;
    bool names; /* a submission said so: what is listed was not all used by each */
};

/* One allocation on the list of one device. */
struct residency_entry {
    struct {
        bool on;
        struct residency_entry *previous, *next;
    } link[CHAIN_KINDS];
    struct resident resident;      /* in `placed` of its segment */
    struct segment *segment;       /* whose queue that is, or NULL */
    struct residency_entry *other; /* of the same allocation, on the list of another device */
    struct vidmm_allocation *allocation;
    struct vidmm_device *device;
    uint32_t count;
    uint32_t queued; /* updates of addresses that map it and wait (companion.h) */
    uint32_t taken;  /* off the count by the request at hand */
    /* Of several devices of a process one is charged (budget.h). */
    bool charged;
    uint64_t listed[MEMORY_GROUPS], held[MEMORY_GROUPS]; /* bytes */
};

struct residency_entry *residency_entry_find(const struct vidmm_allocation *allocation,
                                             const struct vidmm_device *device);
/* Adds one. False: no memory. */
bool residency_entry_add(struct vidmm_device *device, struct vidmm_allocation *allocation);
/*
 * Takes one off the count. At 0 the allocation takes over the device's newest submission as its
 * last use, and may be evicted.
 */
void residency_entry_remove(struct residency_entry *entry);
/*
 * Adds a need of the manager's own, which vidmm_device_evict does not take off: a queued update of
 * addresses maps the allocation. False: no memory.
 */
bool residency_entry_require(struct vidmm_device *device, struct vidmm_allocation *allocation);
void residency_entry_release(struct residency_entry *entry);
/* User mode put it on the device's list. */
bool residency_entry_counts(const struct vidmm_allocation *allocation,
                            const struct vidmm_device *device);
/* Ends all entries of a device, or of an allocation, whatever their counts. */
void residency_list_end(struct vidmm_device *device);
void residency_entries_end(struct vidmm_allocation *allocation);

/*
 * After a change of the allocation's segment, content, locks, priority, segment sets, or of being
 * offered; also for the moves that a plan under construction makes.
 */
void residency_entries_update(struct vidmm_allocation *allocation);

/*
 * Makes all on the list of `device` resident, and with `context` what the driver allocated for that
 * context.
 */
enum vidmm_status residency_list_restore(struct vidmm_device *device, struct vidmm_context *context,
                                         enum suspension suspends, enum vidmm_plan_reason reason);
/*
 * Submission `number` will use `named`, `count` of them, of which those that are listed count;
 * NULL: it is not known. They are valid until the next call.
 */
void residency_list_name(struct vidmm_device *device, struct vidmm_allocation *const *named,
                         uint32_t count, uint64_t number);
/*
 * The policy decides what leaves for what: it is told what submissions use. False for a device whose
 * submissions never said so; NULL: addresses are physical, and every reference is told.
 */
bool residency_list_exchanges(const struct vidmm_adapter *adapter,
                              const struct vidmm_device *device);
/* Submission `number` on `node` may use all of the list, and with `writes` write to it. */
void residency_list_used(struct vidmm_device *device, uint32_t node, uint64_t number, bool writes);
/* The GPU writes to `allocation`; `assumed`: it may, and no fact tells otherwise. */
void residency_entries_written(struct vidmm_allocation *allocation, bool assumed);
/* The caller says that no work of `device` wrote to it. */
void residency_entries_not_written(struct vidmm_device *device,
                                   struct vidmm_allocation *allocation);
/* True while work of a device that has it on its list may be outstanding. */
bool residency_entries_busy(struct vidmm_allocation *allocation);
/* Sleeps until none is. */
enum vidmm_status residency_entries_wait_idle(struct vidmm_allocation *allocation);

#endif
