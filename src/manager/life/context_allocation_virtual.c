/*
 * context_allocation_virtual.c - context allocations on GPU virtual addresses
 * (context-allocation.md): addresses of the owner's process that lead to one, and content that the
 * driver changes itself, in a paging operation of its own.
 *
 * Both make DDI calls, and both come from inside one: of a thread that holds api_lock and has
 * released lock, or from a thread of the driver's own, which then takes api_lock as any caller
 * does. A GPU that hangs in the first case is reset when that call has returned: what asked has
 * failed.
 */
#include "paging/space.h"
#include "residency/residency.h"
#include "address/va_request.h"
#include "life/context_allocation.h"
#include "life/process.h"

static void context_allocation_enter(struct vidmm_adapter *adapter, bool inside) {
    if (inside)
        adapter_close(adapter);
    else
        adapter_enter(adapter);
    adapter->within += inside;
}

static void context_allocation_leave(struct vidmm_adapter *adapter, bool inside) {
    adapter->within -= inside;
    if (inside)
        adapter_open(adapter);
    else
        adapter_leave(adapter);
}

/* A creation that the driver refuses for it is not its own refusal (context_allocations_answer). */
static enum vidmm_status context_allocation_note(struct vidmm_adapter *adapter,
                                                 enum vidmm_status status) {
    if (status == VIDMM_DOES_NOT_FIT && adapter->within)
        adapter->context_allocations.no_room = adapter->error;
    return status;
}

/* The one that is named, while the adapter runs on the GPU's addresses; else NULL. */
static struct vidmm_allocation *context_allocation_serves(struct vidmm_adapter *adapter,
                                                          HANDLE handle) {
    return adapter->gpummu && !adapter->stopped ? context_allocation_find(adapter, handle) : NULL;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

/* The space of the owner's process, if it has one, unless its tables are being made: the driver is
 * told that the root has grown. */
static struct space *space_for(const struct vidmm_allocation *allocation) {
    const struct vidmm_process *process = allocation->device->process;
    return process && !process->space->old_root.size ? process->space : NULL;
}

static uint64_t context_allocation_map(struct vidmm_allocation *allocation,
                                       const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    struct space *space = space_for(allocation);
    uint64_t pages = allocation->size / PAGE_BYTES, va = 0;
    if (!space || args->OffsetInPages >= pages || args->SizeInPages > pages)
        return 0;
    struct vidmm_va_request request = {.base = args->BaseAddress,
                                       .minimum = args->MinimumAddress,
                                       .maximum = args->MaximumAddress,
                                       .size = args->SizeInPages * PAGE_BYTES,
                                       .allocation = allocation,
                                       .offset = args->OffsetInPages * PAGE_BYTES,
                                       .protection = (uint32_t)args->Protection.Value,
                                       .driver_protection = args->DriverProtection};
    bool taken = request.base && request.base < space->va->limit &&
                 !va_is_free(space->va, request.base, request.base + request.size);
    if (taken)
        return 0;
    return context_allocation_note(space->adapter, va_map(space, &request, &va)) == VIDMM_OK ? va
                                                                                             : 0;
}

D3DGPU_VIRTUAL_ADDRESS vidmm_context_allocation_map(struct vidmm_adapter *adapter,
                                                    const DXGKARGCB_MAPCONTEXTALLOCATION *args,
                                                    bool inside) {
    context_allocation_enter(adapter, inside);
    struct vidmm_allocation *allocation = context_allocation_serves(adapter, args->hAllocation);
    uint64_t va = allocation ? context_allocation_map(allocation, args) : 0;
    context_allocation_leave(adapter, inside);
    return va;
}

/* ---- Content --------------------------------------------------------------------------------- */

struct update {
    struct vidmm_allocation *allocation;
    const DXGKARGCB_UPDATECONTEXTALLOCATION *args;
};

/* As for a submission of its context (submit_virtual.c). */
static enum vidmm_status context_allocation_make_resident(struct vidmm_allocation *allocation) {
    struct vidmm_reference reference = {.allocation = allocation, .write = true};
    struct vidmm_device *device = allocation->device;
    if (allocation->segment)
        return VIDMM_OK;
    device->list.suspends = SUSPEND_EXCESS;
    enum vidmm_status status =
        residency_make_for(device, &reference, 1, VIDMM_PLAN_CONTEXT_ALLOCATION);
    if (status != VIDMM_DOES_NOT_FIT)
        return status;
    device->list.suspends = SUSPEND_ANYBODY;
    return residency_make_for(device, &reference, 1, VIDMM_PLAN_CONTEXT_ALLOCATION);
}

static enum vidmm_status context_allocation_attempt(void *ctx) {
    const struct update *update = ctx;
    struct vidmm_allocation *allocation = update->allocation;
    struct vidmm_adapter *adapter = allocation->adapter;
    enum vidmm_status status = context_allocation_make_resident(allocation);
    if (status)
        return status;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_CONTEXT_ALLOCATION);
    status = space_update(&plan, allocation, update->args->pPrivateDriverData,
                          update->args->PrivateDriverDataSize)
                 ? plan_run(&plan)
                 : error_no_memory(adapter, "DxgkCbUpdateContextAllocation");
    plan_end(&plan);
    if (status == VIDMM_OK)
        residency_written(allocation);
    return status;
}

static NTSTATUS context_allocation_update(struct vidmm_allocation *allocation,
                                          const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    struct update what = {allocation, args};
    if (!space_maps_whole(allocation))
        return STATUS_INSUFFICIENT_RESOURCES;
    switch (context_allocation_note(
        allocation->adapter,
        adapter_persist(allocation->adapter, context_allocation_attempt, &what))) {
    case VIDMM_OK:
        return STATUS_SUCCESS;
    case VIDMM_NO_MEMORY:
        return STATUS_NO_MEMORY;
    case VIDMM_DOES_NOT_FIT:
        return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
    default:
        return STATUS_UNSUCCESSFUL;
    }
}

NTSTATUS vidmm_context_allocation_update(struct vidmm_adapter *adapter,
                                         const DXGKARGCB_UPDATECONTEXTALLOCATION *args,
                                         bool inside) {
    bool sane = args->pPrivateDriverData || args->PrivateDriverDataSize == 0;
    context_allocation_enter(adapter, inside);
    struct vidmm_allocation *allocation =
        sane ? context_allocation_serves(adapter, args->hAllocation) : NULL;
    NTSTATUS nt = STATUS_INVALID_PARAMETER;
    if (!adapter->gpummu)
        nt = STATUS_NOT_SUPPORTED;
    else if (allocation)
        nt = context_allocation_update(allocation, args);
    context_allocation_leave(adapter, inside);
    return nt;
}
