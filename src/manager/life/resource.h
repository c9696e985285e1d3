/*
 * resource.h - resources: the allocations of one DxgkDdiCreateAllocation call, and their bindings
 * to devices. allocation.h has the record.
 */
#ifndef VIDMM_MANAGER_RESOURCE_H
#define VIDMM_MANAGER_RESOURCE_H

#include "object/allocation.h"

/* Closes `binding` of the resource in the driver and frees it. Lock released meanwhile. */
void resource_unbind(struct vidmm_resource *resource, struct binding *binding);
/* Closes everywhere, destroys in the driver, frees. */
void resource_destroy(struct vidmm_resource *resource);
/* The handle that `device` has for it, or NULL: it is not open there. */
HANDLE resource_handle(const struct vidmm_allocation *allocation,
                       const struct vidmm_device *device);

#endif
