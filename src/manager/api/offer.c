/*
 * offer.c - content that a process can do without for a while (offer-and-reclaim-changes.md): the
 * manager may drop it instead of saving it, and says so when the process wants it back.
 *
 * An offered allocation is the first to be evicted, low offers before high ones, whether or not a
 * device lists it; its device runs without it.
 */
#include "object/allocation.h"
#include "engine/device_error.h"
#include "lists/residency_list.h"
#include "life/paging_queue.h"
#include "life/resource.h"

static enum vidmm_status offer_check(struct vidmm_device *device,
                                     struct vidmm_allocation *const *list, uint32_t count,
                                     bool offered, const char *call) {
    for (uint32_t i = 0; i < count; i++) {
        const struct vidmm_allocation *allocation = list[i];
        bool known = !allocation->dead && resource_handle(allocation, device);
        if (!known || (allocation->offered != 0) != offered || allocation->locks ||
            allocation->pinned)
            return FAIL(device->adapter, .status = VIDMM_BAD_ARGUMENT, .call = call,
                        .expected = offered ? "allocations that the device has offered"
                                            : "allocations of the device, not locked, pinned or "
                                              "offered",
                        .rule = "R294", .page = "nc-d3dumddi-pfnd3dddi_offerallocationscb",
                        .index = i);
    }
    return VIDMM_OK;
}

/* Into the queue of those that may go, at the place that `priority` gives it, or out of it. */
static void offer_requeue(struct vidmm_allocation *allocation, enum vidmm_offer_priority offered,
                          uint32_t priority) {
    allocation_unqueue(allocation);
    allocation->offered = offered;
    resident_set_priority(&allocation->adapter->policy, &allocation->resident, priority);
    allocation_queue(allocation);
    residency_entries_update(allocation);
    allocation_publish(allocation);
}

enum vidmm_status vidmm_offer(struct vidmm_device *device,
                              struct vidmm_allocation *const *allocations, uint32_t count,
                              enum vidmm_offer_priority priority) {
    struct vidmm_adapter *adapter = device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, "vidmm_offer");
    if (status == VIDMM_OK && (priority < VIDMM_OFFER_LOW || priority > VIDMM_OFFER_HIGH))
        status = error_argument(adapter, "vidmm_offer", "a priority of LOW, NORMAL or HIGH (R294)");
    if (status == VIDMM_OK)
        status = offer_check(device, allocations, count, false, "vidmm_offer");
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++) {
        struct vidmm_allocation *allocation = allocations[i];
        if (allocation->offered)
            continue; /* named twice */
        allocation->offered_content = allocation->content;
        allocation->offered_priority = allocation->resident.facts.priority;
        offer_requeue(allocation, priority, (uint32_t)priority);
    }
    adapter_leave(adapter);
    return status;
}

static enum vidmm_status offer_restore(void *ctx) {
    struct vidmm_device *device = ctx;
    enum vidmm_status status = device_serves(device, "vidmm_reclaim");
    return status ? status
                  : residency_list_restore(device, NULL, SUSPEND_EXCESS, VIDMM_PLAN_RECLAIM);
}

static void offer_take_back(struct vidmm_allocation *const *allocations, uint32_t count,
                            enum vidmm_reclaim_result *results) {
    for (uint32_t i = 0; i < count; i++) {
        struct vidmm_allocation *allocation = allocations[i];
        bool lost = allocation->offered_content && !allocation->content;
        results[i] = lost ? VIDMM_RECLAIM_DISCARDED : VIDMM_RECLAIM_OK;
        if (allocation->offered)
            offer_requeue(allocation, 0, allocation->offered_priority);
    }
}

/* What does not fit now is the next submission's to bring in, and to tell. */
static enum vidmm_status offer_bring_in(struct vidmm_paging_queue *queue, uint64_t *value) {
    struct vidmm_device *device = queue->device;
    struct vidmm_adapter *adapter = device->adapter;
    uint64_t epoch = adapter->epoch;
    enum vidmm_status status = paging_queue_settle(queue);
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, offer_restore, device);
    if (status == VIDMM_DOES_NOT_FIT || status == VIDMM_NO_MEMORY)
        status = VIDMM_OK;
    if (status == VIDMM_OK && epoch != adapter->epoch)
        *value = paging_queue_signal(queue);
    return status;
}

enum vidmm_status vidmm_reclaim(struct vidmm_paging_queue *queue,
                                struct vidmm_allocation *const *allocations, uint32_t count,
                                enum vidmm_reclaim_result *results, uint64_t *fence) {
    struct vidmm_device *device = queue->device;
    struct vidmm_adapter *adapter = device->adapter;
    uint64_t value = 0;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, "vidmm_reclaim");
    if (status == VIDMM_OK)
        status = offer_check(device, allocations, count, true, "vidmm_reclaim");
    if (status == VIDMM_OK) {
        offer_take_back(allocations, count, results);
        status = offer_bring_in(queue, &value);
        trim_shrunken(adapter, device->process);
    }
    adapter_leave(adapter);
    if (fence)
        *fence = value;
    return status;
}
