/*
 * listing.c - see listing.h.
 */
#include "listing.h"

#include "allocation.h"
#include "budget.h"
#include "residency.h"

struct listing *listing_find(const struct vidmm_allocation *allocation,
                             const struct vidmm_device *device) {
    struct listing *listing = allocation->listings;
    while (listing && listing->device != device)
        listing = listing->other;
    return listing;
}

bool listing_add(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    struct listing *listing = listing_find(allocation, device);
    if (listing) {
        listing->count++;
        return true;
    }
    listing = adapter_alloc(device->adapter, sizeof *listing);
    if (!listing)
        return false;
    *listing = (struct listing){.next = device->listed,
                                .other = allocation->listings,
                                .allocation = allocation,
                                .device = device,
                                .count = 1,
                                .group = budget_group_of(allocation)};
    if (device->listed)
        device->listed->previous = listing;
    device->listed = listing;
    device->listed_count++;
    allocation_unqueue(allocation);
    allocation->listings = listing;
    device->epoch = 0;
    device->settled = false;
    if (device->process)
        device->process->listed[listing->group] += allocation->size;
    return true;
}

/* What the device did with it becomes the allocation's own to remember. */
static void inherit(const struct listing *listing) {
    struct vidmm_allocation *allocation = listing->allocation;
    const struct vidmm_device *device = listing->device;
    if (allocation->last_number < device->last_number)
        allocation->last_number = device->last_number;
    allocation->last_nodes |= device->last_nodes;
    allocation->resident.facts.last_use = allocation->last_number;
}

static void end(struct listing *listing) {
    struct vidmm_device *device = listing->device;
    struct vidmm_allocation *allocation = listing->allocation;
    struct listing **link = &allocation->listings;
    inherit(listing);
    while (*link != listing)
        link = &(*link)->other;
    *link = listing->other;
    if (listing->previous)
        listing->previous->next = listing->next;
    else
        device->listed = listing->next;
    if (listing->next)
        listing->next->previous = listing->previous;
    device->listed_count--;
    if (device->process)
        device->process->listed[listing->group] -= allocation->size;
    adapter_free(device->adapter, listing, sizeof *listing);
    allocation_queue(allocation);
}

void listing_remove(struct listing *listing) {
    if (--listing->count == 0)
        end(listing);
}

void listing_end_device(struct vidmm_device *device) {
    while (device->listed)
        end(device->listed);
}

void listing_end_allocation(struct vidmm_allocation *allocation) {
    while (allocation->listings)
        end(allocation->listings);
}

static bool may_leave(const struct vidmm_allocation *allocation, const struct segment *segment) {
    return allocation->segment == segment && allocation->mark != allocation->adapter->mark &&
           !allocation->pinned && !allocation_fixed(allocation) && !allocation_stays(allocation);
}

static struct vidmm_allocation *victim_of(const struct vidmm_device *device,
                                          const struct vidmm_device *asking,
                                          const struct segment *segment) {
    for (const struct listing *listing = device->listed; listing; listing = listing->next) {
        if (may_leave(listing->allocation, segment) &&
            (!asking || !listing_find(listing->allocation, asking)))
            return listing->allocation;
    }
    return NULL;
}

struct vidmm_allocation *listing_victim(struct vidmm_adapter *adapter,
                                        const struct vidmm_device *asking,
                                        const struct segment *segment) {
    struct vidmm_allocation *modest = NULL;
    for (const struct vidmm_device *device = adapter->devices; device; device = device->next) {
        if (device == asking || !device->listed)
            continue;
        struct vidmm_allocation *victim = victim_of(device, asking, segment);
        if (victim && budget_exceeded(device->process, segment))
            return victim;
        if (!modest)
            modest = victim;
    }
    return modest;
}

enum vidmm_status listing_restore(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    uint32_t missing = 0;
    if (device->epoch == adapter->epoch + 1)
        return VIDMM_OK;
    device->settled = false;
    if (!adapter_grow(adapter, (void **)&device->missing, &device->missing_size,
                      device->listed_count, sizeof *device->missing))
        return fault_no_memory(adapter, "vidmm residency");
    for (const struct listing *listing = device->listed; listing; listing = listing->next) {
        if (!listing->allocation->segment && !listing->allocation->offered)
            device->missing[missing++] =
                (struct vidmm_reference){.allocation = listing->allocation, .write = true};
    }
    enum vidmm_status status = VIDMM_OK;
    if (missing)
        status = residency_make_for(device, device->missing, missing);
    if (status == VIDMM_OK)
        device->epoch = adapter->epoch + 1;
    return status;
}

void listing_written(struct vidmm_allocation *allocation, bool assumed) {
    bool stale = allocation->segment && !allocation->segment->aperture;
    bool changed = stale && (!allocation->stale || !allocation->content);
    if (changed || !assumed)
        allocation->assumed = assumed;
    allocation->content = true;
    allocation->stale = stale;
    if (changed)
        allocation_publish(allocation);
}

void listing_used(struct vidmm_device *device, uint32_t node, uint64_t number, bool writes) {
    device->last_number = number;
    device->last_nodes |= UINT64_C(1) << node;
    if (!writes || device->settled)
        return;
    for (const struct listing *listing = device->listed; listing; listing = listing->next)
        listing_written(listing->allocation, true);
    device->settled = true;
}

static bool device_busy(const struct vidmm_device *device) {
    return device->last_nodes &&
           !fence_idle(device->adapter, device->last_nodes, device->last_number);
}

bool listing_busy(struct vidmm_allocation *allocation) {
    bool busy = false;
    for (const struct listing *listing = allocation->listings; listing; listing = listing->other)
        busy = busy || device_busy(listing->device);
    return busy;
}

enum vidmm_status listing_wait_idle(struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    for (struct listing *listing = allocation->listings; status == VIDMM_OK && listing;
         listing = listing->other) {
        struct vidmm_device *device = listing->device;
        if (device->last_nodes)
            status = fence_wait_idle(device->adapter, device->last_nodes, device->last_number);
        if (status == VIDMM_OK)
            device->last_nodes = 0;
    }
    return status;
}
