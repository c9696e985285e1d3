/*
 * context_allocation.h - the allocations that the driver made for contexts and devices
 * (life/context_allocation.h), as submitting and paging need them.
 */
#ifndef VIDMM_MANAGER_OBJECT_CONTEXT_ALLOCATION_H
#define VIDMM_MANAGER_OBJECT_CONTEXT_ALLOCATION_H

#include "object/allocation.h"

/* The one that the driver names by the handle it was given, or NULL. */
struct vidmm_allocation *context_allocation_find(struct vidmm_adapter *adapter, HANDLE handle);
/* How many submissions of `context` need; then fills in that many. */
uint32_t context_allocations_count(const struct vidmm_context *context);
void context_allocations_list(const struct vidmm_context *context,
                              struct vidmm_reference *references);

#endif
