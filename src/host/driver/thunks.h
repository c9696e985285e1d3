/*
 * thunks.h - the thunks between the manager and the driver's table.
 *
 * Each slot that the driver filled and the manager may call is a thunk that sets the IRQL which the
 * slot's page documents, hashes arguments and results without pointers and handles (calls.h,
 * tally.h), and checks the IRQL afterwards. Two runs that behave the same have the same hash.
 */
#ifndef HOST_THUNKS_H
#define HOST_THUNKS_H

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

struct host_thunks {
    DRIVER_INITIALIZATION_DATA table;
};

/* Builds the table over the driver's. */
void host_thunks_build(struct host_thunks *thunks, const DRIVER_INITIALIZATION_DATA *driver);

#endif
