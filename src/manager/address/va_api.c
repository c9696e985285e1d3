/*
 * va_api.c - what callers do with the addresses of their process: reserve, map, change, free. What
 * a request may ask for is judged here; space_change.c carries it out, for changes in their turn
 * (companion.h).
 */
#include "object/allocation.h"
#include "address/companion.h"
#include "address/iommu.h"
#include "address/privileged.h"
#include "life/paging_queue.h"
#include "life/process.h"
#include "address/space_change.h"
#include "address/va_api.h"

#define CALL_RESERVE "vidmm_va_reserve"
#define CALL_MAP     "vidmm_va_map"
#define CALL_UPDATE  "vidmm_va_update"
#define CALL_WAIT    "vidmm_va_wait"
#define CALL_FREE    "vidmm_va_free"

#define MAP_UNIT PAGE_BYTES /* R296 */

static bool units(uint64_t value, uint64_t unit) {
    return (value & (unit - 1)) == 0;
}

static enum vidmm_status wrong(struct vidmm_adapter *adapter, const char *call,
                               const char *expected, const char *rule) {
    return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call, .expected = expected,
                .rule = rule, .page = "gpu-virtual-address", .index = ERROR_NO_INDEX);
}

/* Behind an IOMMU: tiles are led to addresses in user mode (iommu-model.md). */
static enum vidmm_status unreserved(struct vidmm_adapter *adapter, const char *call) {
    return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call,
                .expected = "an adapter on GPU virtual addresses: the CPU's are not to be reserved",
                .page = "iommu-model", .index = ERROR_NO_INDEX);
}

/* ---- Where ----------------------------------------------------------------------------------- */

/* [start, start + size) can be somebody's. */
static bool inside(const struct va *va, uint64_t start, uint64_t size) {
    return size != 0 && start >= SPACE_RESERVE_UNIT && start < va->limit &&
           size <= va->limit - start;
}

/* A free range where the request wants it. */
static enum vidmm_status pick(struct space *space, const struct vidmm_va_request *request,
                              uint64_t unit, const char *call, uint64_t *start) {
    uint64_t low = request->minimum > SPACE_RESERVE_UNIT ? request->minimum : SPACE_RESERVE_UNIT;
    uint64_t high = request->maximum ? request->maximum : space->va.limit;
    if (!units(low, unit) || !units(high, unit))
        return wrong(space->adapter, call, "bounds in the units of addresses", "R298");
    if (high >= low && va_pick(&space->va, request->size, unit, low, high, start))
        return VIDMM_OK;
    return FAIL(space->adapter, .status = VIDMM_DOES_NOT_FIT, .call = call,
                .expected = "so many free addresses within the bounds",
                .page = "gpu-virtual-address", .index = ERROR_NO_INDEX, .value = request->size);
}

/* ---- Reserve --------------------------------------------------------------------------------- */

static enum vidmm_status no_zero(struct vidmm_adapter *adapter, const char *call) {
    return wrong(adapter, call, "no zero pages where the driver has no ZeroInPteSupported", "R221");
}

static enum vidmm_status reserve(struct space *space, const struct vidmm_va_request *request,
                                 uint64_t *va) {
    struct vidmm_adapter *adapter = space->adapter;
    bool zero = request->reservation == VIDMM_VA_RESERVE_ZERO;
    enum vidmm_status status = VIDMM_OK;
    *va = request->base;
    if (!units(request->base | request->size, SPACE_RESERVE_UNIT) || request->size == 0)
        return wrong(adapter, CALL_RESERVE, "address and size in units of 64 KB", "R298");
    if (zero && !adapter->facts.mmu.caps.ZeroInPteSupported)
        return no_zero(adapter, CALL_RESERVE);
    if (!request->base)
        status = pick(space, request, SPACE_RESERVE_UNIT, CALL_RESERVE, va);
    if (status)
        return status;
    if (!inside(&space->va, *va, request->size) ||
        !va_is_free(&space->va, *va, *va + request->size))
        return wrong(adapter, CALL_RESERVE, "free addresses of the address space", "R298");
    struct va_use use = {.kind = zero ? VA_ZERO : VA_NOTHING,
                         .driver_protection = request->driver_protection,
                         .reservation = ++space->reservations,
                         .reserved_protection = request->driver_protection};
    use.reserved_kind = use.kind;
    return space_change(space, *va, *va + request->size, &use);
}

enum vidmm_status vidmm_va_reserve(struct vidmm_process *process,
                                   const struct vidmm_va_request *request, uint64_t *va) {
    struct vidmm_adapter *adapter = process->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, CALL_RESERVE);
    if (status == VIDMM_OK)
        status = adapter->iommu ? unreserved(adapter, CALL_RESERVE)
                                : reserve(process->space, request, va);
    adapter_leave(adapter);
    return status;
}

/* ---- Map ------------------------------------------------------------------------------------- */

/* `mapping` covers all of [start, end) with others of one reservation: its number, else 0. */
static struct va_use reserved(const struct space *space, uint64_t start, uint64_t end) {
    const struct mapping *mapping = va_find(&space->va, start);
    struct va_use use = {0};
    if (!mapping || mapping->start > start)
        return use;
    use.reservation = mapping->use.reservation;
    use.reserved_kind = mapping->use.reserved_kind;
    use.reserved_protection = mapping->use.reserved_protection;
    use.owner = mapping->use.owner;
    while (mapping && mapping->end < end) {
        uint64_t at = mapping->end;
        mapping = va_find(&space->va, at);
        if (!mapping || mapping->start != at || mapping->use.reservation != use.reservation)
            return (struct va_use){0};
    }
    return use;
}

/* A part of it belongs to the driver alone, or (with `any`) to the driver among others. */
static bool driver_owns(const struct space *space, uint64_t start, uint64_t end, bool any) {
    for (const struct mapping *mapping = va_find(&space->va, start);
         mapping && mapping->start < end; mapping = va_find(&space->va, mapping->end)) {
        if (mapping->use.owner == VA_OF_DRIVER || (any && mapping->use.owner == VA_OF_BOTH))
            return true;
    }
    return false;
}

/* R297: what leads nowhere does not take the place of what Map obtained. */
static bool overlaps_mapped(const struct space *space, uint64_t start, uint64_t end) {
    for (const struct mapping *mapping = va_find(&space->va, start);
         mapping && mapping->start < end; mapping = va_find(&space->va, mapping->end)) {
        if (mapping->use.reservation == 0)
            return true;
    }
    return false;
}

/* R228: a range that is mapped with a unique protection has no other. */
static bool protection_conflicts(const struct vidmm_allocation *allocation, uint64_t start,
                                 uint64_t size, uint64_t protection) {
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        uint64_t from, to, other = mapping->use.driver_protection;
        space_mapped_bytes(mapping, &from, &to);
        if (!privileged_is(space_of(mapping)) && other != protection &&
            ((other | protection) & VIDMM_DRIVER_PROTECTION_UNIQUE) && start < to &&
            from < start + size)
            return true;
    }
    return false;
}

/* What the allocation and the protections of a request may be. */
static enum vidmm_status check_target(struct space *space, const struct vidmm_va_request *request,
                                      const char *call) {
    const struct vidmm_allocation *allocation = request->allocation;
    struct vidmm_adapter *adapter = space->adapter;
    bool nowhere = request->protection & (VIDMM_VA_ZERO | VIDMM_VA_NO_ACCESS);
    if (nowhere != !allocation)
        return wrong(adapter, call, "an allocation, or Zero or NoAccess", "R297");
    if ((request->protection & VIDMM_VA_ZERO) && !adapter->facts.mmu.caps.ZeroInPteSupported)
        return no_zero(adapter, call);
    if (!allocation)
        return VIDMM_OK;
    uint64_t bytes = allocation->size;
    if (!units(request->offset, MAP_UNIT) || request->offset >= bytes ||
        request->size > bytes - request->offset)
        return wrong(adapter, call, "a range of the allocation, in units of 4 KB", "R296");
    if (protection_conflicts(allocation, request->offset, request->size,
                             request->driver_protection))
        return wrong(adapter, call, "the unique driver protection that the range has", "R228");
    return VIDMM_OK;
}

static struct va_use use_of(const struct space *space, const struct vidmm_va_request *request,
                            uint64_t va) {
    struct va_use use = reserved(space, va, va + request->size);
    use.protection = request->protection;
    use.driver_protection = request->driver_protection;
    use.kind = request->protection & VIDMM_VA_ZERO ? VA_ZERO : VA_NOTHING;
    if (request->allocation) {
        use.kind = VA_PAGES;
        use.allocation = request->allocation;
        use.list = &request->allocation->mappings;
        use.origin = va;
        use.offset = request->offset;
    }
    return use;
}

enum vidmm_status va_map(struct space *space, const struct vidmm_va_request *request,
                         uint64_t *va) {
    struct vidmm_adapter *adapter = space->adapter;
    uint64_t unit =
        units(request->size | request->offset, SPACE_RESERVE_UNIT) ? SPACE_RESERVE_UNIT : MAP_UNIT;
    *va = request->base;
    if (!units(request->base | request->size, MAP_UNIT) || request->size == 0)
        return wrong(adapter, CALL_MAP, "address and size in units of 4 KB", "R296");
    enum vidmm_status status = check_target(space, request, CALL_MAP);
    if (status == VIDMM_OK && !request->base)
        status = pick(space, request, unit, CALL_MAP, va);
    if (status)
        return status;
    if (!inside(&space->va, *va, request->size))
        return wrong(adapter, CALL_MAP, "addresses of the address space", "R296");
    if (driver_owns(space, *va, *va + request->size, false))
        return wrong(adapter, CALL_MAP, "addresses that the driver did not reserve for itself",
                     "R296");
    if (!request->allocation && overlaps_mapped(space, *va, *va + request->size))
        return wrong(adapter, CALL_MAP, "Zero and NoAccess only where nothing was mapped", "R297");
    struct va_use use = use_of(space, request, *va);
    return space_change(space, *va, *va + request->size, &use);
}

enum vidmm_status vidmm_va_map(struct vidmm_paging_queue *queue,
                               const struct vidmm_va_request *request, uint64_t *va,
                               uint64_t *fence) {
    struct vidmm_device *device = queue->device;
    adapter_enter(device->adapter);
    enum vidmm_status status = device_serves(device, CALL_MAP);
    if (status == VIDMM_OK)
        status = device->adapter->iommu ? iommu_map(device->process, request, va)
                                        : va_map(device->process->space, request, va);
    *fence = status == VIDMM_OK ? paging_queue_signal(queue) : 0;
    adapter_leave(device->adapter);
    return status;
}

/* ---- Update ---------------------------------------------------------------------------------- */

struct batch {
    struct space *space;
    uint64_t reservation, source; /* that all destinations, all sources lie in; 0: none yet */
};

/* All of [start, start + size) lies in one reservation, the same one for all of a batch. */
static bool belongs(const struct batch *batch, uint64_t start, uint64_t size,
                    uint64_t *reservation) {
    if (!units(start | size, MAP_UNIT) || !inside(&batch->space->va, start, size))
        return false;
    struct va_use use = reserved(batch->space, start, start + size);
    if (use.reservation == 0 || (*reservation != 0 && *reservation != use.reservation))
        return false;
    *reservation = use.reservation;
    return true;
}

static enum vidmm_status check_operation(struct batch *batch,
                                         const struct vidmm_va_operation *operation) {
    struct vidmm_adapter *adapter = batch->space->adapter;
    bool copy = operation->type == VIDMM_VA_OP_COPY;
    uint64_t repeat = operation->repeat ? operation->repeat : operation->size;
    struct vidmm_va_request request = {.size = repeat,
                                       .allocation = operation->allocation,
                                       .offset = operation->offset,
                                       .protection = operation->protection,
                                       .driver_protection = operation->driver_protection};
    if (!belongs(batch, copy ? operation->destination : operation->base, operation->size,
                 &batch->reservation) ||
        (copy && !belongs(batch, operation->base, operation->size, &batch->source)))
        return wrong(adapter, CALL_UPDATE, "addresses in units of 4 KB of one reservation", "R300");
    if (copy)
        return VIDMM_OK;
    if (!units(repeat, MAP_UNIT) || operation->size % repeat)
        return wrong(adapter, CALL_UPDATE, "a part of the allocation that divides the size",
                     "R300");
    if (operation->type == VIDMM_VA_OP_UNMAP)
        request.allocation = NULL;
    if (operation->type == VIDMM_VA_OP_MAP) {
        request.protection = VIDMM_VA_WRITE;
        request.driver_protection = 0;
    }
    return check_target(batch->space, &request, CALL_UPDATE);
}

/* R302: what is mapped without a protection of its own gets the reservation's. */
static enum vidmm_status set_range(struct space *space, const struct companion *companion,
                                   const struct vidmm_va_operation *operation) {
    bool own = operation->type == VIDMM_VA_OP_MAP_PROTECT;
    bool unmap = operation->type == VIDMM_VA_OP_UNMAP;
    uint64_t end = operation->base + operation->size;
    struct vidmm_va_request request = {.size = operation->size,
                                       .allocation = unmap ? NULL : operation->allocation,
                                       .offset = operation->offset,
                                       .protection = operation->protection};
    struct va_use use = use_of(space, &request, operation->base);
    if (operation->type == VIDMM_VA_OP_MAP)
        use.protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE;
    use.driver_protection = own ? operation->driver_protection : use.reserved_protection;
    if (unmap && !operation->protection)
        use.kind = use.reserved_kind; /* its pool is gone (companion.h) */
    if (use.kind == VA_PAGES && operation->repeat && operation->repeat < operation->size)
        use.repeat = operation->repeat;
    return space_retarget(space, companion, operation->base, end, &use);
}

/* What was freed since it was queued, and is no reservation's any more, is left alone (R299). */
enum vidmm_status va_carry_out(struct vidmm_context *context,
                               const struct vidmm_va_operation *operation) {
    struct batch batch = {.space = context->device->process->space};
    const struct companion *companion = context->companion;
    bool copy = operation->type == VIDMM_VA_OP_COPY;
    uint64_t start = copy ? operation->destination : operation->base;
    if (!belongs(&batch, start, operation->size, &batch.reservation) ||
        (copy && !belongs(&batch, operation->base, operation->size, &batch.source)))
        return VIDMM_OK;
    return copy ? space_copy(batch.space, companion, operation->base, start, operation->size)
                : set_range(batch.space, companion, operation);
}

static enum vidmm_status check_all(const struct vidmm_context *context,
                                   const struct vidmm_va_operation *operations, uint32_t count) {
    struct batch batch = {.space = context->device->process->space};
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++)
        status = check_operation(&batch, &operations[i]);
    return status;
}

/*
 * A protection that belongs to one mapping alone (R228) is judged by the books: nothing that has to
 * do with one stays queued, and what looks wrong may only be ahead of the queue.
 */
static enum vidmm_status update(struct vidmm_context *context,
                                const struct vidmm_va_operation *operations, uint32_t count) {
    bool unique = false;
    for (uint32_t i = 0; i < count; i++)
        unique |= (operations[i].driver_protection & VIDMM_DRIVER_PROTECTION_UNIQUE) != 0;
    enum vidmm_status status = check_all(context, operations, count);
    if (status && companion_waits(context)) {
        status = companion_run(context);
        if (status == VIDMM_OK)
            status = check_all(context, operations, count);
    }
    if (status == VIDMM_OK)
        status = companion_queue(context, operations, count);
    return status == VIDMM_OK && unique ? companion_run(context) : status;
}

static enum vidmm_status serves_updates(struct vidmm_context *context, const char *call) {
    struct vidmm_device *device = context->device;
    enum vidmm_status status = device_serves(device, call);
    if (status == VIDMM_OK && !device->process)
        status = wrong(device->adapter, call, "a context of a process's device", NULL);
    return status == VIDMM_OK && device->adapter->iommu ? unreserved(device->adapter, call)
                                                        : status;
}

enum vidmm_status vidmm_va_update(struct vidmm_context *context,
                                  const struct vidmm_va_operation *operations, uint32_t count) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = serves_updates(context, CALL_UPDATE);
    if (status == VIDMM_OK)
        status = update(context, operations, count);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_va_wait(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = serves_updates(context, CALL_WAIT);
    if (status == VIDMM_OK)
        status = companion_run(context);
    adapter_leave(adapter);
    return status;
}

uint32_t vidmm_va_queued(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    uint32_t count = context->companion ? context->companion->count : 0;
    adapter_leave(adapter);
    return count;
}

/* ---- Free ------------------------------------------------------------------------------------ */

/* What the driver reserved for itself and others stays reserved. */
static enum vidmm_status unmap(struct space *space, uint64_t va, uint64_t size) {
    if (!units(va | size, MAP_UNIT) || !inside(&space->va, va, size) ||
        va_is_free(&space->va, va, va + size))
        return wrong(space->adapter, CALL_FREE, "addresses in units of 4 KB that were taken",
                     "R299");
    if (!driver_owns(space, va, va + size, true))
        return space_change(space, va, va + size, NULL);
    struct va_use use = reserved(space, va, va + size);
    use.kind = use.reserved_kind;
    if (use.owner == VA_OF_BOTH)
        return space_change(space, va, va + size, &use);
    return wrong(space->adapter, CALL_FREE, "addresses that the driver did not reserve for itself",
                 "R299");
}

enum vidmm_status vidmm_va_free(struct vidmm_process *process, uint64_t va, uint64_t size) {
    struct vidmm_adapter *adapter = process->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, CALL_FREE);
    if (status == VIDMM_OK && !adapter->iommu)
        status = companion_settle(process, va, size);
    if (status == VIDMM_OK)
        status = adapter->iommu ? iommu_free(process, va, size) : unmap(process->space, va, size);
    if (status == VIDMM_OK)
        companion_free(process, va, size);
    adapter_leave(adapter);
    return status;
}
