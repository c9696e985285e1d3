/*
 * context_allocation.c - see context_allocation.h.
 *
 * The callbacks may come from inside a DDI call, and these two make no DDI call themselves:
 * creating only takes memory, and destroying marks; the next API call takes care of what is marked.
 * By then the driver's own handle is dead and is no longer passed to it.
 */
#include "life/context_allocation.h"

#include "base/assert.h"
#include "lists/idle.h"
#include "life/release.h"

void context_allocations_ask(struct vidmm_adapter *adapter) {
    adapter->context_allocations.no_room = (struct vidmm_error){.status = VIDMM_OK};
}

enum vidmm_status context_allocations_answer(struct vidmm_adapter *adapter,
                                             enum vidmm_status status) {
    const struct vidmm_error *no_room = &adapter->context_allocations.no_room;
    return status == VIDMM_DRIVER_REFUSED && no_room->status ? error_report(adapter, no_room)
                                                             : status;
}

static struct vidmm_device *find_device(struct vidmm_adapter *adapter, HANDLE handle) {
    struct vidmm_device *device = adapter->devices.first;
    while (device && (HANDLE)device != handle)
        device = device->next;
    return device;
}

/* The owner that the driver names with the handles it was given (R343, R344). */
static bool find_owner(struct vidmm_adapter *adapter, const DXGKARGCB_CREATECONTEXTALLOCATION *args,
                       struct vidmm_device **device, struct vidmm_context **context) {
    *device = find_device(adapter, args->hDevice);
    *context = NULL;
    if (args->ContextAllocationFlags.SharedAcrossContexts)
        return *device && !args->hContext;
    for (struct vidmm_device *owner = adapter->devices.first; owner; owner = owner->next) {
        for (struct vidmm_context *one = owner->contexts; one; one = one->next) {
            if ((HANDLE)one != args->hContext || (*device && *device != owner))
                continue;
            *device = owner;
            *context = one;
            return true;
        }
    }
    return false;
}

static bool context_allocation_sane(const struct vidmm_adapter *adapter,
                                    const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    uint32_t usable = adapter->sets.memory | adapter->sets.aperture;
    bool aligned = (args->Alignment & (args->Alignment - 1)) == 0;
    return args->Size && args->Size < UINT64_MAX / 2 && aligned &&
           (args->SupportedSegmentSet & usable) &&
           !(args->EvictionSegmentSet & ~adapter->sets.aperture);
}

static struct vidmm_allocation *new_allocation(struct vidmm_adapter *adapter,
                                               const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    DXGK_ALLOCATIONINFO info = {
        .Alignment = args->Alignment,
        .Size = args->Size,
        .HintedBank = args->HintedBank,
        .PreferredSegment = args->PreferredSegment,
        .SupportedReadSegmentSet = args->SupportedSegmentSet,
        .SupportedWriteSegmentSet = args->SupportedSegmentSet,
        .EvictionSegmentSet = args->EvictionSegmentSet,
        .hAllocation = args->hDriverAllocation,
        .Flags = args->Flags,
        .PhysicalAdapterIndex = adapter->facts.linked > 1 ? args->PhysicalAdapterIndex : 0,
        .AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_HIGH,
    };
    struct vidmm_allocation *allocation = adapter_alloc(adapter, sizeof(*allocation));
    if (allocation && !allocation_init(adapter, allocation, &info, NULL)) {
        adapter_free(adapter, allocation, sizeof(*allocation));
        allocation = NULL;
    }
    return allocation;
}

NTSTATUS vidmm_context_allocation_create(struct vidmm_adapter *adapter,
                                         DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    struct vidmm_device *device;
    struct vidmm_context *context;
    NTSTATUS nt = STATUS_INVALID_PARAMETER;
    adapter_close(adapter);
    if (find_owner(adapter, args, &device, &context) && context_allocation_sane(adapter, args)) {
        struct vidmm_allocation *allocation = new_allocation(adapter, args);
        nt = allocation ? STATUS_SUCCESS : STATUS_NO_MEMORY;
        if (allocation) {
            allocation->device = device;
            allocation->context = context;
            allocation->next = adapter->context_allocations.first;
            adapter->context_allocations.first = allocation;
            args->hAllocation = allocation;
        }
    }
    adapter_open(adapter);
    return nt;
}

NTSTATUS vidmm_context_allocation_destroy(struct vidmm_adapter *adapter, HANDLE handle) {
    adapter_close(adapter);
    struct vidmm_allocation *allocation = context_allocation_find(adapter, handle);
    if (allocation)
        allocation->dead = adapter->context_allocations.reap = true;
    adapter_open(adapter);
    return allocation ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

void context_allocations_abandon(struct vidmm_device *device, struct vidmm_context *context) {
    struct vidmm_allocation *allocation = device->adapter->context_allocations.first;
    for (; allocation; allocation = allocation->next) {
        if (allocation->device == device && (!context || allocation->context == context))
            allocation->dead = device->adapter->context_allocations.reap = true;
    }
}

/* Listed until it has left its segment: a reset on the way must find it. */
void context_allocations_reap(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_LOCKED(adapter);
    struct vidmm_allocation **link = &adapter->context_allocations.first;
    if (!adapter->context_allocations.reap)
        return;
    adapter->context_allocations.reap = false;
    while (*link) {
        struct vidmm_allocation *allocation = *link;
        if (!allocation->dead) {
            link = &allocation->next;
            continue;
        }
        adapter_settle(adapter, allocation);
        allocation_release(allocation);
        *link = allocation->next;
        adapter_free(adapter, allocation, sizeof(*allocation));
    }
}
