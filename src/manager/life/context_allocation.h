/*
 * context_allocation.h - allocations that the driver makes for a context or a device through
 * DxgkCbCreateContextAllocation: resident with every submission of their owner.
 *
 * context_allocation_virtual.c has what GPU virtual addresses add: addresses that lead to them, and
 * content that the driver changes later.
 */
#ifndef VIDMM_MANAGER_CONTEXT_ALLOCATION_H
#define VIDMM_MANAGER_CONTEXT_ALLOCATION_H

#include "object/context_allocation.h"

/* Destroys those that the driver gave up, and with `device` or `context` those left of theirs. */
void context_allocations_reap(struct vidmm_adapter *adapter);
void context_allocations_abandon(struct vidmm_device *device, struct vidmm_context *context);

#endif
