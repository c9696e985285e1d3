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

/*
 * Around a creation that the driver may refuse. One that it refuses behind a callback that had no
 * room it passes on: VIDMM_DOES_NOT_FIT, with the error of that callback, and no refusal of its own.
 */
void context_allocations_ask(struct vidmm_adapter *adapter);
enum vidmm_status context_allocations_answer(struct vidmm_adapter *adapter,
                                             enum vidmm_status status);

#endif
