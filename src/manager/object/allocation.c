/*
 * allocation.c - one allocation: its state, and what everybody may know of it. resource.c creates
 * and destroys, lock.c lets the CPU in.
 */
#include "object/allocation.h"

#include "memory/backing.h"
#include "object/host_aperture.h"
#include "address/iommu.h"
#include "object/validate.h"
#include "lists/residency_list.h"
#include "residency/residency.h"
#include "paging/space.h"

bool allocation_init(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                     const DXGK_ALLOCATIONINFO *info, PMDL existing) {
    allocation->adapter = adapter;
    allocation->info = *info;
    allocation->handle = info->hAllocation;
    allocation->write_set = info->SupportedWriteSegmentSet;
    allocation->read_set = judge_read_set(adapter, info);
    allocation->evict_set = info->EvictionSegmentSet;
    allocation->size = page_round(info->Size);
    allocation->resident.owner = allocation;
    allocation->resident.facts = (struct vidmm_candidate){.priority = info->AllocationPriority,
                                                          .size = allocation->size,
                                                          .idle = true,
                                                          .clean = true};
    if (!backing_create(allocation, existing))
        return false;
    allocation_publish(allocation);
    return true;
}

static enum vidmm_status leave(void *ctx) {
    struct vidmm_allocation *allocation = ctx;
    return allocation->segment ? residency_evict(allocation, true) : VIDMM_OK;
}

/*
 * Leaving needs no more memory for the plan than entering did, so that no mapping is left behind
 * for want of it.
 */
void allocation_release(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    listing_end_allocation(allocation);
    swizzling_release(allocation);
    host_aperture_release(allocation);
    allocation->content = false; /* nobody is told about its end */
    if (adapter->iommu)
        iommu_forget(allocation);
    else if (allocation->mappings)
        (void)space_forget(adapter, allocation);
    if (allocation->segment && !adapter->stopped)
        (void)adapter_persist(adapter, leave, allocation);
    if (allocation->segment) {
        allocation_unqueue(allocation);
        segment_release(allocation->segment, &allocation->place);
        allocation->segment = NULL;
    }
    backing_destroy(allocation);
}

void allocation_each(struct vidmm_adapter *adapter,
                     void (*visit)(void *ctx, struct vidmm_allocation *allocation), void *ctx) {
    for (struct vidmm_resource *resource = adapter->resources; resource;
         resource = resource->next) {
        for (uint32_t i = 0; i < resource->count; i++) {
            if (!resource->allocations[i].dead)
                visit(ctx, &resource->allocations[i]);
        }
    }
    struct vidmm_allocation *allocation = adapter->context_allocations;
    for (; allocation; allocation = allocation->next)
        visit(ctx, allocation);
}

struct vidmm_device *allocation_device(const struct vidmm_allocation *allocation) {
    return allocation->resource ? allocation->resource->creator : allocation->device;
}

bool allocation_fixed(const struct vidmm_allocation *allocation) {
    return allocation->lock_kind == LOCK_SEGMENT ||
           (allocation->lock_kind == LOCK_RANGE && !allocation->alternate);
}

/* From WDDM 2.1 on the bit means something else. */
bool allocation_swizzled(const struct vidmm_allocation *allocation) {
    return allocation->info.Flags.Swizzled &&
           allocation->adapter->facts.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_1;
}

bool allocation_contiguous(const struct vidmm_allocation *allocation) {
    bool unaddressed = allocation->adapter->iommu && !allocation->resource;
    return allocation->info.FlagsWddm2.AccessedPhysically || allocation->primary || unaddressed ||
           allocation_stays(allocation);
}

/* Before WDDM 2.1 the bit means something else, or nothing. */
bool allocation_in_vpr(const struct vidmm_allocation *allocation) {
    return allocation->info.FlagsWddm2.CreateInVpr &&
           allocation->adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1;
}

bool allocation_in_the_way(const struct vidmm_allocation *allocation,
                           const struct segment_request *request) {
    return !request || request->in_vpr == allocation_in_vpr(allocation);
}

bool allocation_announced(const struct vidmm_allocation *allocation) {
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 flags = allocation->info.FlagsWddm2;
    return allocation->adapter->gpummu && flags.ExplicitResidencyNotification &&
           flags.AccessedPhysically && !allocation->dead;
}

bool allocation_stays(const struct vidmm_allocation *allocation) {
    return allocation->info.Flags.Overlay || allocation->info.Flags.Capture;
}

void allocation_queue(struct vidmm_allocation *allocation) {
    struct segment *segment = allocation->segment;
    allocation->resident.facts.clean = !allocation->stale || !allocation->content;
    if (segment && !allocation->pinned && !allocation_fixed(allocation) &&
        !allocation_stays(allocation) && (!allocation->listings || allocation->offered) &&
        !allocation->resident.queued)
        resident_add(&segment->queue, &allocation->resident);
}

void allocation_unqueue(struct vidmm_allocation *allocation) {
    if (allocation->segment)
        resident_remove(&allocation->segment->queue, &allocation->resident);
}

void allocation_publish(struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    struct vidmm_allocation_info shown = {
        .size = allocation->size,
        .segment = allocation->segment ? allocation->segment->id : 0,
        .offset = allocation->place.offset,
        .dirty = allocation->stale,
        .pinned = allocation->pinned,
        .locked = allocation->locks != 0,
        .swizzled = allocation_swizzled(allocation),
        .priority = allocation->resident.facts.priority,
        .driver = allocation->info,
    };
    os->lock(os->ctx, allocation->adapter->fence_lock);
    allocation->shown = shown;
    os->unlock(os->ctx, allocation->adapter->fence_lock);
}

bool allocation_idle(struct vidmm_allocation *allocation) {
    if (allocation->last_nodes &&
        !fence_idle(allocation->adapter, allocation->last_nodes, allocation->last_number))
        return false;
    allocation->last_nodes = 0;
    return !allocation->listings || !listing_busy(allocation);
}

enum vidmm_status allocation_wait_idle(struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    if (allocation->last_nodes)
        status =
            fence_wait_idle(allocation->adapter, allocation->last_nodes, allocation->last_number);
    if (status == VIDMM_OK)
        allocation->last_nodes = 0;
    return status ? status : listing_wait_idle(allocation);
}

void allocation_lost_content(struct vidmm_allocation *allocation) {
    const struct vidmm_observer *observer = &allocation->adapter->observer;
    if (observer->content_lost)
        observer->content_lost(observer->ctx, allocation);
}

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

PMDL vidmm_allocation_backing(const struct vidmm_allocation *allocation) {
    return allocation->mdl;
}

void vidmm_allocation_set_priority(struct vidmm_allocation *allocation, uint32_t priority) {
    adapter_enter(allocation->adapter);
    if (allocation->offered)
        allocation->offered_priority = priority;
    else if (allocation->resident.queued)
        resident_set_priority(&allocation->segment->queue, &allocation->resident, priority);
    else
        allocation->resident.facts.priority = priority;
    listing_update(allocation);
    allocation_publish(allocation);
    adapter_leave(allocation->adapter);
}
