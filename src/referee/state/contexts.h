/*
 * contexts.h - allocations that the driver makes for its contexts and devices
 * (watch/context_allocation.c), their updates (watch/context_update.c), and the calls from inside
 * of which a driver may reserve addresses (watch/process.c).
 */
#ifndef REFEREE_STATE_CONTEXTS_H
#define REFEREE_STATE_CONTEXTS_H

#include "state/chain.h"
#include "state/keyed.h"
#include "state/shadow.h"

#define CONTEXTS_NONE UINT32_MAX /* no index of `update` */

/* A device or context that the driver may name by the system's handle. */
struct contexts_owner {
    struct keyed by_system; /* first */
    struct keyed by_driver; /* once the call that makes it returned */
    HANDLE driver;          /* handle of the device or context; NULL: it is being made */
    HANDLE device;          /* context: the driver's handle of its device */
    bool of_system, context;
    struct chain made; /* for it */
};

struct contexts_allocation {
    struct keyed by_system; /* first */
    struct keyed by_driver;
    struct chain_link of_owner; /* its context, or its device; in no list: that is not known */
    HANDLE driver;
    uint64_t bytes;
    uint64_t va, mapped; /* bytes from `va` on lead to some of it; 0: none do */
};

/* Handles of an allocation that exists. */
struct contexts_handle {
    struct keyed by_system; /* first */
    HANDLE driver;
};

/* A DxgkCbUpdateContextAllocation under way. */
struct contexts_update {
    bool used, done;
    const void *data;
    uint32_t size;
    uint64_t bytes;                           /* of the allocation; 0: not known */
    const struct shadow_operation *operation; /* NULL: not asked for so far */
};

struct contexts {
    uint32_t creating; /* calls under way from inside of which ranges may be reserved */
    struct keyed_table owners, devices, contexts; /* by the system's handle; by the driver's */
    struct keyed_table made, made_by_driver;
    struct keyed_table handles;
    struct contexts_update *update; /* it grows, and an index stays the same (state/grow.h) */
    uint32_t updates;               /* used and free */
    /* The driver's handle of the context that each node ran last: the GPU may hold its state.
     * Contexts with physical addresses only. NULL: of none. */
    HANDLE running[SHADOW_NODES];
};

#endif
