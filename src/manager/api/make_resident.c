/*
 * make_resident.c - what user mode asks of residency lists: MakeResident and Evict
 * (residency-overview.md, nc-d3dumddi-pfnd3dddi_makeresidentcb.md, ns-d3dkmthk-_d3dkmt_evict.md).
 *
 * A request that does not fit first asks every other process that is over its budget to trim, then
 * answers how much the asking process would have to let go of.
 */
#include "object/allocation.h"
#include "engine/device_error.h"
#include "lists/budget.h"
#include "lists/residency_list.h"
#include "life/paging_queue.h"
#include "life/resource.h"

#define CALL  "vidmm_make_resident"
#define EVICT "vidmm_device_evict"

struct request {
    struct vidmm_device *device;
    struct vidmm_allocation *const *allocations;
    uint32_t count;
    enum suspension suspends;
    uint64_t added, overdraft; /* bytes, of local memory: by the request, and after it */
    bool moved;
};

/* Each is open in the device; an offered one has to be reclaimed first (R293). */
static enum vidmm_status make_resident_check(const struct request *request) {
    struct vidmm_adapter *adapter = request->device->adapter;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct vidmm_allocation *allocation = request->allocations[i];
        if (allocation->dead || !resource_handle(allocation, request->device) ||
            allocation->offered)
            return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = CALL,
                        .expected = "allocations that the device has open and has not offered",
                        .rule = "R292", .page = "ns-d3dukmdt-d3dddi_makeresident", .index = i);
    }
    return VIDMM_OK;
}

static void take_off(const struct request *request, uint32_t count) {
    while (count-- > 0)
        residency_entry_remove(residency_entry_find(request->allocations[count], request->device));
}

static uint64_t listed_locally(const struct vidmm_process *process) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < process->adapter->facts.linked; i++)
        bytes += process->listed[group_index(i, VIDMM_GROUP_LOCAL)];
    return bytes;
}

static enum vidmm_status add_all(struct request *request) {
    const struct vidmm_process *process = request->device->process;
    uint64_t before = listed_locally(process), asked = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        if (residency_entry_add(request->device, request->allocations[i]))
            continue;
        take_off(request, i);
        return error_no_memory(request->device->adapter, CALL);
    }
    request->added = listed_locally(process) - before;
    for (uint32_t i = 0; request->added == 0 && i < request->count; i++)
        asked += request->allocations[i]->size;
    request->added += asked; /* what lies in apertures only, or is listed already */
    request->overdraft = budget_overdraft_local(process);
    return VIDMM_OK;
}

/* After a reset the device may be lost. */
static enum vidmm_status make_resident_restore(void *ctx) {
    struct request *request = ctx;
    struct vidmm_device *device = request->device;
    uint64_t epoch = device->adapter->epoch;
    enum vidmm_status status = device_serves(device, CALL);
    if (status == VIDMM_OK)
        status = residency_list_restore(device, NULL, request->suspends, VIDMM_PLAN_MAKE_RESIDENT);
    request->moved |= epoch != device->adapter->epoch;
    return status;
}

static enum vidmm_status make_resident_attempt(struct request *request, enum suspension suspends) {
    request->suspends = suspends;
    enum vidmm_status status = add_all(request);
    if (status)
        return status;
    status = adapter_persist(request->device->adapter, make_resident_restore, request);
    if (status)
        take_off(request, request->count);
    return status;
}

/*
 * Out of what others hold beyond their budgets; then after the others were asked; and, for a
 * process within its budget or at the end of its means, by suspending others.
 */
static enum vidmm_status make_resident(struct request *request, uint32_t flags) {
    enum vidmm_status status = make_resident_attempt(request, SUSPEND_EXCESS);
    bool last = (flags & VIDMM_RESIDENT_CANT_TRIM) != 0;
    if (status != VIDMM_DOES_NOT_FIT || (request->overdraft && !last))
        return status;
    if (trim_others(request->device)) {
        status = device_serves(request->device, CALL);
        if (status == VIDMM_OK)
            status = make_resident_attempt(request, SUSPEND_EXCESS);
    }
    return status == VIDMM_DOES_NOT_FIT ? make_resident_attempt(request, SUSPEND_ANYBODY) : status;
}

static enum vidmm_status check_flags(struct vidmm_adapter *adapter, uint32_t flags) {
    bool must = (flags & VIDMM_RESIDENT_MUST_SUCCEED) != 0;
    return must && !(flags & VIDMM_RESIDENT_CANT_TRIM)
               ? error_argument(adapter, CALL, "MUST_SUCCEED only with CANT_TRIM (R289)")
               : VIDMM_OK;
}

enum vidmm_status vidmm_make_resident(struct vidmm_paging_queue *queue,
                                      struct vidmm_allocation *const *allocations, uint32_t count,
                                      uint32_t flags, uint64_t *fence, uint64_t *bytes_to_trim) {
    struct vidmm_device *device = queue->device;
    struct vidmm_adapter *adapter = device->adapter;
    struct request request = {.device = device, .allocations = allocations, .count = count};
    uint64_t trim = 0, value = 0;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, CALL);
    if (status == VIDMM_OK)
        status = check_flags(adapter, flags);
    if (status == VIDMM_OK)
        status = make_resident_check(&request);
    if (status == VIDMM_OK)
        status = paging_queue_settle(queue);
    if (status == VIDMM_OK)
        status = make_resident(&request, flags);
    if (status == VIDMM_DOES_NOT_FIT)
        trim = request.overdraft ? request.overdraft : request.added;
    if (status == VIDMM_DOES_NOT_FIT && (flags & VIDMM_RESIDENT_MUST_SUCCEED))
        status = device_lose(device, CALL, "R289", "ns-d3dukmdt-d3dddi_makeresident_flags");
    if (status == VIDMM_OK && request.moved)
        value = paging_queue_signal(queue);
    if (status == VIDMM_OK)
        trim_shrunken(adapter, device->process);
    adapter_leave(adapter);
    if (fence)
        *fence = value;
    if (bytes_to_trim)
        *bytes_to_trim = trim;
    return status;
}

/* Every reference that is to be taken off is there: an allocation may be named more than once. */
static enum vidmm_status check_counts(struct vidmm_device *device,
                                      struct vidmm_allocation *const *allocations, uint32_t count) {
    uint32_t good = 0;
    for (; good < count; good++) {
        struct residency_entry *entry = residency_entry_find(allocations[good], device);
        if (!entry || entry->taken == entry->count)
            break;
        entry->taken++;
    }
    for (uint32_t i = 0; i < good; i++)
        residency_entry_find(allocations[i], device)->taken = 0;
    return good == count
               ? VIDMM_OK
               : FAIL(device->adapter, .status = VIDMM_BAD_ARGUMENT, .call = EVICT,
                      .expected = "allocations as often as the device's residency list has them",
                      .rule = "R286", .page = "ns-d3dkmthk-_d3dkmt_evict", .index = good);
}

/* What will not be needed soon is the first to go (ns-d3dukmdt-d3dddi_evict_flags). */
static void evict_one(struct vidmm_device *device, struct vidmm_allocation *allocation,
                      uint32_t flags) {
    if (flags & VIDMM_EVICT_NOT_WRITTEN_TO)
        residency_entries_not_written(device, allocation);
    residency_entry_remove(residency_entry_find(allocation, device));
    if (!(flags & VIDMM_EVICT_ONLY_IF_NECESSARY) && !allocation->residency_entries &&
        allocation->segment)
        resident_dismiss(&allocation->resident);
}

enum vidmm_status vidmm_device_evict(struct vidmm_device *device,
                                     struct vidmm_allocation *const *allocations, uint32_t count,
                                     uint32_t flags, uint64_t *bytes_to_trim) {
    struct vidmm_adapter *adapter = device->adapter;
    uint64_t trim = 0;
    adapter_enter(adapter);
    enum vidmm_status status = check_counts(device, allocations, count);
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++)
        evict_one(device, allocations[i], flags);
    if (device->process)
        trim = budget_overdraft_local(device->process);
    adapter_leave(adapter);
    if (bytes_to_trim)
        *bytes_to_trim = trim;
    return status;
}

uint32_t vidmm_residency_count(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    adapter_enter(device->adapter);
    const struct residency_entry *entry = residency_entry_find(allocation, device);
    uint32_t count = entry ? entry->count : 0;
    adapter_leave(device->adapter);
    return count;
}
