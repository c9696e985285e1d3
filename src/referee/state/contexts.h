/*
 * contexts.h - allocations that the driver makes for its contexts and devices
 * (watch/context_allocation.c), their updates (watch/context_update.c), and the calls from inside
 * of which a driver may reserve addresses (watch/process.c).
 */
#ifndef REFEREE_STATE_CONTEXTS_H
#define REFEREE_STATE_CONTEXTS_H

#include "state/shadow.h"

#define CONTEXTS_NONE UINT32_MAX /* no index of one of the arrays */

/* A device or context that the driver may name by the system's handle. */
struct contexts_owner {
    HANDLE system, driver; /* handles of the device or context; system NULL: free */
    HANDLE device;         /* context: the driver's handle of its device */
    bool of_system, context;
};

struct contexts_allocation {
    HANDLE driver, system; /* its handles; driver NULL: free */
    HANDLE owner;          /* system's handle of its context, or of its device */
    uint64_t bytes;
    uint64_t va, mapped; /* bytes from `va` on lead to some of it; 0: none do */
};

/* Handles of an allocation that exists. */
struct contexts_handle {
    HANDLE driver, system; /* driver NULL: free */
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
    uint32_t creating;            /* calls under way from inside of which ranges may be reserved */
    struct contexts_owner *owner; /* they grow, and an index stays the same (state/grow.h) */
    struct contexts_allocation *made;
    struct contexts_handle *handle;
    struct contexts_update *update;
    uint32_t owners, mades, handles, updates; /* of each, used and free */
    /* The driver's handle of the context that each node ran last: the GPU may hold its state.
     * Contexts with physical addresses only. NULL: of none. */
    HANDLE running[SHADOW_NODES];
};

#endif
