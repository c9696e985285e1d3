/*
 * seam.h - what stands between the manager and the driver's table.
 *
 * Each slot that the driver filled and the manager may call is a thunk that sets the IRQL which the
 * slot's page documents, hashes what was asked and answered without pointers and handles, and
 * judges the IRQL that comes back. Two runs that behave the same have the same hash.
 */
#ifndef HOST_SEAM_H
#define HOST_SEAM_H

#include <stdatomic.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

struct host_seam {
    DRIVER_INITIALIZATION_DATA table;
    _Atomic uint64_t hash, calls;
};

/* Builds the table over the driver's. */
void host_seam_build(struct host_seam *seam, const DRIVER_INITIALIZATION_DATA *driver);

#endif
