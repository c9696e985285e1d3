/*
 * allocation.c - one allocation: its state, and its published facts (vidmm_allocation_info).
 * resource.c creates and destroys allocations, lock.c gives the CPU a pointer.
 */
#include "object/allocation.h"

#include "base/assert.h"
#include "object/backing.h"
#include "object/candidates.h"

uint32_t allocation_home_of(const struct vidmm_adapter *adapter, const DXGK_ALLOCATIONINFO *info) {
    return adapter->facts.linked > 1 ? info->PhysicalAdapterIndex : 0;
}

uint32_t allocation_read_set_of(const struct vidmm_adapter *adapter,
                                const DXGK_ALLOCATIONINFO *info) {
    return adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0
               ? info->SupportedWriteSegmentSet
               : info->SupportedReadSegmentSet;
}

bool allocation_init_shows_cpu(const struct vidmm_allocation *allocation) {
    return allocation->info.Flags.CpuVisible && allocation->info.Flags.Protected &&
           !(allocation->write_set & allocation->adapter->sets.memory);
}

/* The CPU's view is made with the pages where an operation will need it, since an operation cannot fail for want of
 * memory. False: no memory. */
static bool make_backing(struct vidmm_allocation *allocation, PMDL existing) {
    bool shown =
        allocation_init_shows_cpu(allocation) || allocation->info.FlagsWddm2.MapApertureCpuVisible;
    if (!backing_create(allocation, existing))
        return false;
    if (shown && !allocation_cpu(allocation)) {
        backing_destroy(allocation);
        return false;
    }
    return true;
}

bool allocation_init(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                     const DXGK_ALLOCATIONINFO *info, PMDL existing) {
    const struct adapter_facts *facts = &adapter->facts;
    uint32_t home = allocation_home_of(adapter, info);
    allocation->adapter = adapter;
    allocation->info = *info;
    allocation->handle = info->hAllocation;
    allocation->home = home;
    allocation->write_set = segment_set_of_driver(facts, home, info->SupportedWriteSegmentSet);
    allocation->read_set =
        segment_set_of_driver(facts, home, allocation_read_set_of(adapter, info));
    allocation->evict_set = segment_set_of_driver(facts, home, info->EvictionSegmentSet);
    allocation->size = page_round(info->Size);
    allocation->resident.owner = allocation;
    allocation->resident.facts = (struct vidmm_candidate){.priority = info->AllocationPriority,
                                                          .size = allocation->size,
                                                          .idle = true,
                                                          .clean = true};
    if (!make_backing(allocation, existing))
        return false;
    allocation->resident.facts.local = candidates_prefer_memory(allocation);
    allocation_publish_info(allocation);
    return true;
}

void allocation_each(struct vidmm_adapter *adapter,
                     void (*visit)(void *ctx, struct vidmm_allocation *allocation), void *ctx) {
    VIDMM_ASSERT_LOCKED(adapter);
    for (struct vidmm_resource *resource = adapter->resources; resource;
         resource = resource->next) {
        for (uint32_t i = 0; i < resource->count; i++) {
            if (!resource->allocations[i].dead)
                visit(ctx, &resource->allocations[i]);
        }
    }
    struct vidmm_allocation *allocation = adapter->context_allocations.first;
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

/* Before WDDM 2.1 the bit means something else, and there are no large pages. */
bool allocation_may_be_large(const struct vidmm_allocation *allocation) {
    return !allocation->info.FlagsWddm2.DisableLargePageMapping;
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
    VIDMM_ASSERT_LOCKED(allocation->adapter);
    struct segment *segment = allocation->segment;
    allocation->resident.facts.clean = !allocation->stale || !allocation->content;
    if (segment && !allocation->pinned && !allocation_fixed(allocation) &&
        !allocation_stays(allocation) && (!allocation->residency_entries || allocation->offered) &&
        !allocation->resident.queue)
        resident_add(&segment->queue, &allocation->resident);
}

void allocation_unqueue(struct vidmm_allocation *allocation) {
    VIDMM_ASSERT_LOCKED(allocation->adapter);
    resident_remove(&allocation->resident);
}

void allocation_show(struct vidmm_allocation *allocation) {
    VIDMM_ASSERT_FENCES_LOCKED(allocation->adapter);
    struct vidmm_allocation_info *shown = &allocation->shown;
    shown->segment = allocation->segment ? allocation->segment->id : 0;
    shown->offset = allocation->place.offset;
    shown->dirty = allocation->stale;
    shown->pinned = allocation->pinned;
    shown->locked = allocation->locks != 0;
    shown->priority = allocation->resident.facts.priority;
}

void allocation_publish(struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    os->lock(os->ctx, allocation->adapter->fence_lock);
    allocation_show(allocation);
    os->unlock(os->ctx, allocation->adapter->fence_lock);
}

void allocation_publish_info(struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    os->lock(os->ctx, allocation->adapter->fence_lock);
    allocation->shown = (struct vidmm_allocation_info){.size = allocation->size,
                                                       .physical = allocation->home,
                                                       .swizzled = allocation_swizzled(allocation),
                                                       .driver = allocation->info};
    allocation_show(allocation);
    os->unlock(os->ctx, allocation->adapter->fence_lock);
}

void allocation_lost_content(struct vidmm_allocation *allocation) {
    const struct vidmm_observer *observer = &allocation->adapter->settings.observer;
    if (observer->content_lost)
        observer->content_lost(observer->ctx, allocation);
}
