/*
 * residency.c - see residency.h.
 */
#include "residency/residency.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "residency/decide.h"
#include "residency/table_eviction.h"

/* The last that may go: the page tables of processes that do not run. False: there are none. */
static bool send_tables_away(struct vidmm_adapter *adapter, const struct vidmm_device *device,
                             enum vidmm_status *status) {
    const struct vidmm_error error = adapter->error;
    bool polite = device && device->list.suspends != SUSPEND_ANYBODY;
    enum vidmm_status sent =
        adapter->gpummu && !polite
            ? table_eviction_send(adapter, device ? device->process : NULL, NULL)
            : VIDMM_DOES_NOT_FIT;
    if (sent == VIDMM_OK)
        return true;
    if (sent == VIDMM_DOES_NOT_FIT)
        adapter->error = error;
    else
        *status = sent;
    return false;
}

static enum vidmm_status make_once(struct vidmm_adapter *adapter,
                                   const struct decide_request *request,
                                   enum vidmm_plan_reason reason) {
    struct plan plan;
    plan_begin(&plan, adapter, reason);
    enum vidmm_status status = decide_resident(&plan, request);
    if (status == VIDMM_OK && plan.move_count)
        status = plan_run(&plan);
    plan_end(&plan);
    return status;
}

static enum vidmm_status residency_make_all(struct vidmm_adapter *adapter,
                                            const struct decide_request *request,
                                            enum vidmm_plan_reason reason) {
    enum vidmm_status status = make_once(adapter, request, reason);
    while (status == VIDMM_DOES_NOT_FIT && send_tables_away(adapter, request->device, &status))
        status = make_once(adapter, request, reason);
    return status;
}

enum vidmm_status residency_make(struct vidmm_adapter *adapter,
                                 const struct vidmm_reference *references, uint32_t count,
                                 uint64_t number, enum vidmm_plan_reason reason) {
    const struct decide_request request = {
        .references = references, .count = count, .number = number};
    return residency_make_all(adapter, &request, reason);
}

enum vidmm_status residency_make_for(struct vidmm_device *device,
                                     const struct vidmm_reference *references, uint32_t count,
                                     enum vidmm_plan_reason reason) {
    struct vidmm_adapter *adapter = device->adapter;
    const struct decide_request request = {.device = device,
                                           .references = references,
                                           .count = count,
                                           .number = adapter->fences.submitted + 1};
    return residency_make_all(adapter, &request, reason);
}

/* With the fence lock. */
static void write_to(struct vidmm_allocation *allocation) {
    VIDMM_ASSERT(allocation->adapter, allocation->segment);
    bool stale = !allocation->segment->aperture;
    bool changed = stale != allocation->stale;
    allocation->content = true;
    allocation->stale = stale;
    allocation->resident.facts.clean = !stale;
    if (changed)
        allocation_show(allocation);
}

void residency_written(struct vidmm_allocation *allocation) {
    fences_lock(allocation->adapter);
    write_to(allocation);
    fences_unlock(allocation->adapter);
}

static void used(struct vidmm_allocation *allocation, bool write, uint32_t node, uint64_t number) {
    allocation->last_number = number;
    allocation->last_nodes |= UINT64_C(1) << node;
    allocation->resident.facts.idle = false;
    if (write)
        write_to(allocation);
}

void residency_used(struct vidmm_adapter *adapter, const struct vidmm_reference *references,
                    uint32_t count, uint32_t node, uint64_t number) {
    fences_lock(adapter);
    for (uint32_t i = 0; i < count; i++)
        used(references[i].allocation, references[i].write, node, number);
    fences_unlock(adapter);
    policy_submitted(&adapter->policy, number);
}
