/*
 * thunks.h - what stands between the manager and the driver's table.
 *
 * Each slot that the driver filled and the manager may call is a thunk that sets the IRQL which the
 * slot's page documents, hashes what was asked and answered without pointers and handles, and
 * judges the IRQL that comes back. Two runs that behave the same have the same hash. What is done
 * unhashed of a run has a hash of its own, and leaves no trace in that of the run.
 */
#ifndef HOST_THUNKS_H
#define HOST_THUNKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define HOST_NODES 64u /* execution nodes that can be told apart */

/* The calls of one kind so far. */
struct host_tally {
    _Atomic uint64_t hash, calls;
};

struct host_thunks {
    DRIVER_INITIALIZATION_DATA table;
    struct host_tally run,
        beside; /* calls as usual, and those made unhashed (vidmm_host_unhashed) */
    _Atomic bool unhashed;
    _Atomic uint32_t skipped[HOST_NODES]; /* submissions of each node that were made unhashed */
};

/* A fence of `node` as it would be without what was submitted unhashed. */
uint32_t host_thunks_fence(uint32_t node, uint32_t fence);
/* Builds the table over the driver's. */
void host_thunks_build(struct host_thunks *thunks, const DRIVER_INITIALIZATION_DATA *driver);

#endif
