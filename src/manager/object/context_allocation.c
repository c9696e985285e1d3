/*
 * context_allocation.c - see context_allocation.h.
 */
#include "object/context_allocation.h"

#include "base/assert.h"

struct vidmm_allocation *context_allocation_find(struct vidmm_adapter *adapter, HANDLE handle) {
    struct vidmm_allocation *allocation = adapter->context_allocations.first;
    while (allocation && ((HANDLE)allocation != handle || allocation->dead))
        allocation = allocation->next;
    return allocation;
}

static bool context_allocations_owned(const struct vidmm_allocation *allocation,
                                      const struct vidmm_context *context) {
    return allocation->device == context->device && !allocation->dead &&
           (!allocation->context || allocation->context == context);
}

uint32_t context_allocations_count(const struct vidmm_context *context) {
    uint32_t count = 0;
    const struct vidmm_allocation *allocation = context->device->adapter->context_allocations.first;
    for (; allocation; allocation = allocation->next)
        count += context_allocations_owned(allocation, context);
    return count;
}

/* The GPU saves state in them, so each is as good as written. */
void context_allocations_list(const struct vidmm_context *context,
                              struct vidmm_reference *references) {
    VIDMM_ASSERT_LOCKED(context->device->adapter);
    struct vidmm_allocation *allocation = context->device->adapter->context_allocations.first;
    for (; allocation; allocation = allocation->next) {
        if (context_allocations_owned(allocation, context))
            *references++ = (struct vidmm_reference){.allocation = allocation, .write = true};
    }
}
