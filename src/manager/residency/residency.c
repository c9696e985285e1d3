/*
 * residency.c - see residency.h.
 */
#include "residency/residency.h"

#include "object/allocation.h"
#include "residency/decide.h"
#include "address/table_eviction.h"

/* The last that may go: the page tables of processes that do not run. False: there are none. */
static bool send_tables_away(struct vidmm_adapter *adapter, const struct vidmm_device *device,
                             enum vidmm_status *status) {
    const struct vidmm_error error = adapter->error;
    bool polite = device && device->list.suspends != SUSPEND_ANYBODY;
    enum vidmm_status sent = adapter->gpummu && !polite
                                 ? space_send_away(adapter, device ? device->process : NULL, NULL)
                                 : VIDMM_DOES_NOT_FIT;
    if (sent == VIDMM_OK) {
        plan_begin(adapter);
        return true;
    }
    if (sent == VIDMM_DOES_NOT_FIT)
        adapter->error = error;
    else
        *status = sent;
    return false;
}

static enum vidmm_status make(struct vidmm_adapter *adapter, const struct vidmm_device *device,
                              const struct vidmm_reference *references, uint32_t count,
                              uint64_t number) {
    plan_begin(adapter);
    enum vidmm_status status = decide_resident(adapter, device, references, count, number);
    while (status == VIDMM_DOES_NOT_FIT && send_tables_away(adapter, device, &status))
        status = decide_resident(adapter, device, references, count, number);
    if (status == VIDMM_OK && adapter->plan.move_count)
        status = plan_execute(adapter);
    return status;
}

enum vidmm_status residency_make(struct vidmm_adapter *adapter,
                                 const struct vidmm_reference *references, uint32_t count,
                                 uint64_t number) {
    return make(adapter, NULL, references, count, number);
}

enum vidmm_status residency_make_for(struct vidmm_device *device,
                                     const struct vidmm_reference *references, uint32_t count) {
    struct vidmm_adapter *adapter = device->adapter;
    return make(adapter, device, references, count, adapter->fences.submitted + 1);
}

enum vidmm_status residency_evict(struct vidmm_allocation *allocation, bool discard) {
    struct vidmm_adapter *adapter = allocation->adapter;
    plan_begin(adapter);
    if (!plan_leave(adapter, allocation, discard, false))
        return error_no_memory(adapter, "vidmm_allocation_evict");
    return plan_execute(adapter);
}

struct sweep {
    bool all, failed;
};

static void leave(void *ctx, struct vidmm_allocation *allocation) {
    struct sweep *sweep = ctx;
    bool stays = allocation->pinned || allocation_fixed(allocation);
    if (!allocation->segment || (stays && !sweep->all) || sweep->failed)
        return;
    sweep->failed = !plan_leave(allocation->adapter, allocation, false, false);
}

enum vidmm_status residency_evict_all(struct vidmm_adapter *adapter, bool all) {
    struct sweep sweep = {.all = all};
    plan_begin(adapter);
    allocation_each(adapter, leave, &sweep);
    if (!sweep.failed)
        return plan_execute(adapter);
    plan_undo(adapter, 0);
    return error_no_memory(adapter, "vidmm_evict_all");
}

void residency_written(struct vidmm_allocation *allocation) {
    bool stale = !allocation->segment->aperture;
    bool changed = stale != allocation->stale;
    allocation->content = true;
    allocation->stale = stale;
    allocation->resident.facts.clean = !stale;
    if (changed)
        allocation_publish(allocation);
}

static void used(struct vidmm_allocation *allocation, bool write, uint32_t node, uint64_t number) {
    allocation->last_number = number;
    allocation->last_nodes |= UINT64_C(1) << node;
    allocation->resident.facts.idle = false;
    if (write)
        residency_written(allocation);
}

void residency_used(struct vidmm_adapter *adapter, const struct vidmm_reference *references,
                    uint32_t count, uint32_t node, uint64_t number) {
    (void)adapter;
    for (uint32_t i = 0; i < count; i++)
        used(references[i].allocation, references[i].write, node, number);
}
