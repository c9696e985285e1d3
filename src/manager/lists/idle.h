/*
 * idle.h - waiting until the GPU is done with an allocation: with the submissions that referenced
 * it, and with those of the devices that have it on their residency lists.
 */
#ifndef VIDMM_MANAGER_IDLE_H
#define VIDMM_MANAGER_IDLE_H

#include "object/allocation.h"

bool allocation_idle(struct vidmm_allocation *allocation);
/* Sleeps until the GPU is done with it. */
enum vidmm_status allocation_wait_idle(struct vidmm_allocation *allocation);
/*
 * Before destroying: the GPU is done with `allocation` (NULL: with everything), by a reset if it
 * must be.
 */
void adapter_settle(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation);

#endif
