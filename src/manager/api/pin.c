/*
 * pin.c - pinning and evicting one allocation on request.
 */
#include "object/allocation.h"
#include "engine/device_error.h"
#include "residency/residency.h"

static enum vidmm_status pin_bring_in(void *ctx) {
    struct vidmm_allocation *allocation = ctx;
    struct vidmm_adapter *adapter = allocation->adapter;
    struct vidmm_reference reference = {.allocation = allocation,
                                        .write = allocation->write_set != 0};
    return residency_make(adapter, &reference, 1, adapter->fences.submitted + 1, VIDMM_PLAN_PIN);
}

enum vidmm_status vidmm_allocation_pin(struct vidmm_allocation *allocation, bool pin) {
    struct vidmm_adapter *adapter = allocation->adapter;
    enum vidmm_status status = VIDMM_OK;
    adapter_enter(adapter);
    if (pin && !allocation->pinned) {
        status = device_serves(allocation_device(allocation), "vidmm_allocation_pin");
        if (status == VIDMM_OK)
            status = adapter_persist(adapter, pin_bring_in, allocation);
        if (status == VIDMM_OK) {
            allocation->pinned = true;
            allocation_unqueue(allocation);
        }
    } else if (!pin && allocation->pinned) {
        allocation->pinned = false;
        allocation_queue(allocation);
    }
    allocation_publish(allocation);
    adapter_leave(adapter);
    return status;
}

struct eviction {
    struct vidmm_allocation *allocation;
    bool discard;
};

/* Content without a segment copy is dropped without the driver. */
static enum vidmm_status pin_drop(struct vidmm_allocation *allocation) {
    bool had_content = allocation->content;
    allocation->content = false;
    allocation->stale = true;
    allocation_publish(allocation);
    if (had_content)
        allocation_lost_content(allocation);
    return VIDMM_OK;
}

static enum vidmm_status pin_evict(void *ctx) {
    const struct eviction *eviction = ctx;
    struct vidmm_allocation *allocation = eviction->allocation;
    if (allocation->segment)
        return residency_evict(allocation, eviction->discard, VIDMM_PLAN_EVICT);
    return eviction->discard ? pin_drop(allocation) : VIDMM_OK;
}

enum vidmm_status vidmm_allocation_evict(struct vidmm_allocation *allocation, bool keep_content) {
    struct vidmm_adapter *adapter = allocation->adapter;
    struct eviction eviction = {allocation, !keep_content};
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_allocation_evict");
    if (status == VIDMM_OK && (allocation->pinned || allocation_fixed(allocation) ||
                               (allocation->segment && allocation_stays(allocation))))
        status = FAIL(adapter, .status = VIDMM_PINNED, .call = "vidmm_allocation_evict",
                      .index = ERROR_NO_INDEX);
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, pin_evict, &eviction);
    adapter_leave(adapter);
    return status;
}
