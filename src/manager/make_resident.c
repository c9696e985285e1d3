/*
 * make_resident.c - what user mode asks of residency lists: MakeResident, Evict, Trim
 * (residency-overview.md, nc-d3dumddi-pfnd3dddi_makeresidentcb.md, ns-d3dkmthk-_d3dkmt_evict.md).
 *
 * A request that does not fit first asks every other process that is over its budget to trim, then
 * answers how much the asking process would have to let go of.
 */
#include "allocation.h"
#include "budget.h"
#include "listing.h"
#include "paging_queue.h"
#include "residency.h"

#define CALL "vidmm_make_resident"

struct request {
    struct vidmm_device *device;
    struct vidmm_allocation *const *allocations;
    uint32_t count;
    bool moved;
};

/* Each is open in the device; an offered one has to be reclaimed first (R293). */
static enum vidmm_status check(const struct request *request, const char *call) {
    struct vidmm_adapter *adapter = request->device->adapter;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct vidmm_allocation *allocation = request->allocations[i];
        if (allocation->dead || !resource_handle(allocation, request->device) ||
            allocation->offered)
            return FAULT(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call,
                         .expected = "allocations that the device has open and has not offered",
                         .rule = "R292", .page = "ns-d3dukmdt-d3dddi_makeresident", .index = i);
    }
    return VIDMM_OK;
}

static void take_off(const struct request *request, uint32_t count) {
    while (count-- > 0)
        listing_remove(listing_find(request->allocations[count], request->device));
}

static enum vidmm_status add_all(const struct request *request) {
    for (uint32_t i = 0; i < request->count; i++) {
        if (listing_add(request->device, request->allocations[i]))
            continue;
        take_off(request, i);
        return fault_no_memory(request->device->adapter, CALL);
    }
    return VIDMM_OK;
}

static enum vidmm_status restore(void *ctx) {
    struct request *request = ctx;
    uint64_t epoch = request->device->adapter->epoch;
    enum vidmm_status status = listing_restore(request->device);
    request->moved |= epoch != request->device->adapter->epoch;
    return status;
}

/* What the request would add to the process's local memory beyond its budget, or its own size. */
static uint64_t to_trim(const struct request *request) {
    const struct vidmm_process *process = request->device->process;
    uint64_t wanted = process->listed[VIDMM_GROUP_LOCAL], added = 0;
    uint64_t budget = budget_of(process, VIDMM_GROUP_LOCAL);
    for (uint32_t i = 0; i < request->count; i++) {
        const struct listing *listing = listing_find(request->allocations[i], request->device);
        if (!listing)
            added += request->allocations[i]->size;
    }
    return wanted + added > budget ? wanted + added - budget : added;
}

/* Marks the devices of every other process over its budget; true when there is one. */
static bool mark_others(const struct vidmm_device *asking) {
    bool marked = false;
    for (struct vidmm_device *device = asking->adapter->devices; device; device = device->next) {
        struct vidmm_process *process = device->process;
        if (!process || process == asking->process || !device->trim)
            continue;
        uint64_t budget = budget_of(process, VIDMM_GROUP_LOCAL);
        uint64_t listed = process->listed[VIDMM_GROUP_LOCAL];
        device->trim_bytes = listed > budget ? listed - budget : 0;
        marked = marked || device->trim_bytes;
    }
    return marked;
}

/* Calls back one marked device, without locks; false: there is none. */
static bool trim_one(struct vidmm_adapter *adapter) {
    struct vidmm_device *device = adapter->devices;
    while (device && !device->trim_bytes)
        device = device->next;
    if (!device)
        return false;
    uint64_t bytes = device->trim_bytes;
    vidmm_trim_callback *trim = device->trim;
    void *ctx = device->trim_ctx;
    device->trim_bytes = 0;
    adapter_leave(adapter);
    trim(ctx, VIDMM_TRIM_TO_BUDGET, bytes);
    adapter_enter(adapter);
    return true;
}

static enum vidmm_status attempt(struct request *request, bool suspend) {
    request->device->suspends = suspend;
    enum vidmm_status status = add_all(request);
    if (status)
        return status;
    status = adapter_persist(request->device->adapter, restore, request);
    if (status)
        take_off(request, request->count);
    return status;
}

static bool over_budget(const struct request *request) {
    const struct vidmm_process *process = request->device->process;
    uint64_t added = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct vidmm_allocation *allocation = request->allocations[i];
        if (!listing_find(allocation, request->device) &&
            budget_group_of(allocation) == VIDMM_GROUP_LOCAL)
            added += allocation->size;
    }
    return process->listed[VIDMM_GROUP_LOCAL] + added > budget_of(process, VIDMM_GROUP_LOCAL);
}

/*
 * Without touching what others list; then after the others were asked; and, for a process within
 * its budget or at the end of its means, by suspending others.
 */
static enum vidmm_status make_resident(struct request *request, uint32_t flags) {
    struct vidmm_adapter *adapter = request->device->adapter;
    enum vidmm_status status = attempt(request, false);
    bool last = (flags & VIDMM_RESIDENT_CANT_TRIM) != 0;
    if (status != VIDMM_DOES_NOT_FIT || (over_budget(request) && !last))
        return status;
    if (mark_others(request->device)) {
        while (trim_one(adapter))
            ;
        status = device_serves(request->device, CALL);
        if (status == VIDMM_OK)
            status = attempt(request, false);
    }
    return status == VIDMM_DOES_NOT_FIT ? attempt(request, true) : status;
}

enum vidmm_status vidmm_make_resident(struct vidmm_paging_queue *queue,
                                      struct vidmm_allocation *const *allocations, uint32_t count,
                                      uint32_t flags, uint64_t *fence, uint64_t *bytes_to_trim) {
    struct vidmm_device *device = queue->device;
    struct vidmm_adapter *adapter = device->adapter;
    struct request request = {device, allocations, count, false};
    uint64_t trim = 0, value = 0;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, CALL);
    if (status == VIDMM_OK && (flags & VIDMM_RESIDENT_MUST_SUCCEED) &&
        !(flags & VIDMM_RESIDENT_CANT_TRIM))
        status = fault_argument(adapter, CALL, "MUST_SUCCEED only with CANT_TRIM (R289)");
    if (status == VIDMM_OK)
        status = check(&request, CALL);
    if (status == VIDMM_OK)
        status = make_resident(&request, flags);
    if (status == VIDMM_DOES_NOT_FIT)
        trim = to_trim(&request);
    if (status == VIDMM_DOES_NOT_FIT && (flags & VIDMM_RESIDENT_MUST_SUCCEED))
        status = device_lose(device, CALL, "R289", "ns-d3dukmdt-d3dddi_makeresident_flags");
    if (status == VIDMM_OK && request.moved)
        value = paging_queue_signal(queue);
    adapter_leave(adapter);
    if (fence)
        *fence = value;
    if (bytes_to_trim)
        *bytes_to_trim = trim;
    return status;
}

static void evict_one(struct vidmm_device *device, struct vidmm_allocation *allocation,
                      uint32_t flags) {
    struct listing *listing = listing_find(allocation, device);
    listing_remove(listing);
    /* The GPU left the system pages' copy as true as it was (R288). */
    if ((flags & VIDMM_EVICT_NOT_WRITTEN_TO) && !allocation->listings && allocation->assumed) {
        allocation->stale = allocation->assumed = false;
        allocation->resident.facts.clean = !allocation->stale || !allocation->content;
        allocation_publish(allocation);
    }
}

enum vidmm_status vidmm_device_evict(struct vidmm_device *device,
                                     struct vidmm_allocation *const *allocations, uint32_t count,
                                     uint32_t flags, uint64_t *bytes_to_trim) {
    struct vidmm_adapter *adapter = device->adapter;
    uint64_t trim = 0;
    adapter_enter(adapter);
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++) {
        if (!listing_find(allocations[i], device))
            status = fault_argument(adapter, "vidmm_device_evict",
                                    "allocations on the device's residency list (R286)");
    }
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++) {
        if (listing_find(allocations[i], device))
            evict_one(device, allocations[i], flags);
    }
    if (device->process) {
        uint64_t listed = device->process->listed[VIDMM_GROUP_LOCAL];
        uint64_t budget = budget_of(device->process, VIDMM_GROUP_LOCAL);
        trim = listed > budget ? listed - budget : 0;
    }
    adapter_leave(adapter);
    if (bytes_to_trim)
        *bytes_to_trim = trim;
    return status;
}

uint32_t vidmm_residency_count(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    adapter_enter(device->adapter);
    const struct listing *listing = listing_find(allocation, device);
    uint32_t count = listing ? listing->count : 0;
    adapter_leave(device->adapter);
    return count;
}

void vidmm_device_trim(struct vidmm_device *device, vidmm_trim_callback *callback, void *ctx) {
    adapter_enter(device->adapter);
    device->trim = callback;
    device->trim_ctx = ctx;
    device->trim_bytes = 0;
    adapter_leave(device->adapter);
}
