/*
 * allocation.c - what callers ask about an allocation, and its priority.
 */
#include "object/allocation.h"
#include "lists/residency_list.h"

uint32_t vidmm_allocation_page(const struct vidmm_allocation *allocation, uint64_t page,
                               uint64_t *offset) {
    const struct segment *segment = allocation->segment;
    uint64_t run;
    if (!segment || allocation->place.floating)
        return 0;
    *offset = placement_at(&allocation->place, page * PAGE_BYTES, &run);
    return segment->id;
}

void *vidmm_allocation_user(const struct vidmm_allocation *allocation) {
    return allocation->user;
}

void vidmm_allocation_info(const struct vidmm_allocation *allocation,
                           struct vidmm_allocation_info *info) {
    const struct vidmm_os *os = &allocation->adapter->os;
    os->lock(os->ctx, allocation->adapter->fence_lock);
    *info = allocation->shown;
    os->unlock(os->ctx, allocation->adapter->fence_lock);
}

uint32_t vidmm_allocation_handle(const struct vidmm_allocation *allocation) {
    return allocation->kernel;
}

PMDL vidmm_allocation_backing(const struct vidmm_allocation *allocation) {
    return allocation->mdl;
}

void vidmm_allocation_set_priority(struct vidmm_allocation *allocation, uint32_t priority) {
    adapter_enter(allocation->adapter);
    if (allocation->offered)
        allocation->offered_priority = priority;
    else
        resident_set_priority(&allocation->adapter->policy, &allocation->resident, priority);
    residency_entries_update(allocation);
    allocation_publish(allocation);
    adapter_leave(allocation->adapter);
}

void *vidmm_handle_data(struct vidmm_adapter *adapter, D3DKMT_HANDLE handle) {
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
    const struct vidmm_allocation *allocation = handle_object(adapter, handle);
    void *data = allocation ? allocation->handle : NULL;
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
    return data;
}
