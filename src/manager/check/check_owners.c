/*
 * check_owners.c - owners and owned objects, in both directions: resources and their allocations,
 * the table of kernel handles, devices and contexts, and the allocations of contexts.
 */
#include "base/device.h"
#include "base/handle.h"
#include "base/process.h"
#include "object/allocation.h"
#include "address/companion.h"
#include "life/paging_queue.h"
#include "check/bookkeeping.h"

static bool is_device(const struct vidmm_adapter *adapter, const struct vidmm_device *device) {
    const struct vidmm_device *one = adapter->devices.first;
    while (one && one != device)
        one = one->next;
    return one;
}

/* ---- Resources ------------------------------------------------------------------------------- */

static void check_bindings(struct vidmm_adapter *adapter, const struct vidmm_resource *resource,
                           struct check_object object) {
    for (const struct binding *one = resource->bindings; one; one = one->next)
        CHECK(adapter, is_device(adapter, one->device), object, "opened by a device that is gone");
}

static void check_resource(struct vidmm_adapter *adapter, const struct vidmm_resource *resource) {
    struct check_object object =
        check_object("resource of allocation", resource->count ? resource->allocations->kernel : 0);
    uint32_t alive = 0;
    CHECK(adapter, resource->adapter == adapter && is_device(adapter, resource->creator), object,
          "no device of the adapter answers for it");
    CHECK(adapter, *resource->link == resource, object, "not linked both ways");
    for (uint32_t i = 0; i < resource->count; i++) {
        const struct vidmm_allocation *one = &resource->allocations[i];
        alive += !one->dead;
        CHECK(adapter, one->resource == resource, check_allocation(one), "of another resource");
        CHECK(adapter, handle_object(adapter, one->kernel) == one, check_allocation(one),
              "its kernel handle leads to another allocation");
    }
    CHECK(adapter, resource->alive == alive, object, "its allocations are not as many as counted");
    check_bindings(adapter, resource, object);
}

/* With the fence lock. Returns how many allocations have a handle. */
static uint32_t check_resources(struct vidmm_adapter *adapter) {
    uint32_t handles = 0;
    for (const struct vidmm_resource *one = adapter->resources; one; one = one->next) {
        check_resource(adapter, one);
        handles += one->count;
    }
    return handles;
}

/* With the fence lock. `given` allocations have a handle. */
static void check_handles(struct vidmm_adapter *adapter, uint32_t given) {
    const struct handles *handles = &adapter->handles;
    struct check_object object = check_object("table of kernel handles", 0);
    uint32_t taken = 0, free = 0;
    for (uint32_t i = 0; i < handles->used; i++)
        taken += !!handles->slots[i].object;
    for (uint32_t at = handles->free; at && at <= handles->used && free <= handles->used;
         at = handles->slots[at - 1].next) {
        CHECK(adapter, !handles->slots[at - 1].object, object, "a slot in use is free as well");
        free++;
    }
    CHECK(adapter, handles->used <= handles->size, object, "more slots are used than there are");
    CHECK(adapter, taken + free == handles->used, object, "a slot is neither in use nor free");
    CHECK(adapter, taken == given, object, "a slot leads to an allocation that is gone");
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void check_context(struct vidmm_adapter *adapter, const struct vidmm_device *device,
                          const struct vidmm_context *context) {
    struct check_object object = check_object("context of device", device->number);
    const struct companion *companion = context->companion;
    CHECK(adapter, context->device == device, object, "of another device");
    CHECK(adapter, context->node < node_total(&adapter->facts), object,
          "on a node that there is not");
    CHECK(adapter, context->dma.next < DMA_BUFFERS, object, "its next DMA buffer is none");
    CHECK(adapter, !companion || companion->count <= COMPANION_QUEUE, object,
          "more updates are queued than there is room for");
}

static void check_device(struct vidmm_adapter *adapter, const struct vidmm_device *device) {
    struct check_object object = check_object("device", device->number);
    CHECK(adapter, device->adapter == adapter, object, "of another adapter");
    CHECK(adapter, device->number <= adapter->devices.made, object, "its number is still to come");
    for (const struct vidmm_context *one = device->contexts; one; one = one->next)
        check_context(adapter, device, one);
    for (const struct vidmm_paging_queue *one = device->queues; one; one = one->next)
        CHECK(adapter, one->device == device, object, "a paging queue of another device");
}

static bool is_context(const struct vidmm_device *device, const struct vidmm_context *context) {
    const struct vidmm_context *one = device->contexts;
    while (one && one != context)
        one = one->next;
    return one;
}

static void check_context_allocations(struct vidmm_adapter *adapter) {
    const struct vidmm_allocation *one = adapter->context_allocations.first;
    struct check_object object = check_object("allocations of contexts", 0);
    for (; one; one = one->next) {
        bool owned = is_device(adapter, one->device);
        CHECK(adapter, !one->resource, object, "one belongs to a resource");
        CHECK(adapter, !one->dead || adapter->context_allocations.reap, object,
              "one was given up, and stays");
        CHECK(adapter, owned, object, "one belongs to a device that is gone");
        CHECK(adapter, !owned || !one->context || is_context(one->device, one->context), object,
              "one belongs to a context that is gone");
    }
}

void check_owners(struct vidmm_adapter *adapter) {
    fences_lock(adapter);
    check_handles(adapter, check_resources(adapter));
    fences_unlock(adapter);
    for (const struct vidmm_device *one = adapter->devices.first; one; one = one->next)
        check_device(adapter, one);
    check_context_allocations(adapter);
}
