/*
 * va_request.c - see va_request.h.
 */
#include "address/va_request.h"

#include "base/process.h"
#include "object/allocation.h"
#include "address/gather.h"

#define CALL_RESERVE "vidmm_va_reserve"
#define CALL_MAP     "vidmm_va_map"
#define CALL_FREE    "vidmm_va_free"

bool va_units(uint64_t value, uint64_t unit) {
    return (value & (unit - 1)) == 0;
}

enum vidmm_status va_wrong(struct vidmm_adapter *adapter, const char *call, const char *expected,
                           const char *rule) {
    return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call, .expected = expected,
                .rule = rule, .page = "gpu-virtual-address", .index = ERROR_NO_INDEX);
}

/* ---- Where ----------------------------------------------------------------------------------- */

bool va_inside(const struct va *va, uint64_t start, uint64_t size) {
    return size != 0 && start >= SPACE_RESERVE_UNIT && start < va->limit &&
           size <= va->limit - start;
}

/* Sizes of large pages that the request may have, as a sum. */
static uint64_t va_request_large(const struct space *space,
                                 const struct vidmm_va_request *request) {
    return request->allocation && allocation_may_be_large(request->allocation)
               ? mmu_large_sizes(space->mmu, request->size)
               : 0;
}

/* A free range where the request wants it, at a multiple of a large page if there is such. */
static enum vidmm_status va_request_pick(struct space *space,
                                         const struct vidmm_va_request *request, uint64_t unit,
                                         const char *call, uint64_t *start) {
    uint64_t low = request->minimum > SPACE_RESERVE_UNIT ? request->minimum : SPACE_RESERVE_UNIT;
    uint64_t high = request->maximum ? request->maximum : space->va->limit;
    if (!va_units(low, unit) || !va_units(high, unit))
        return va_wrong(space->adapter, call, "bounds in the units of addresses", "R298");
    for (uint64_t sizes = va_request_large(space, request), size; sizes; sizes -= size) {
        size = segment_largest(sizes);
        if (high >= low && va_units(request->offset, size) &&
            va_pick(space->va, request->size, size, low, high, start))
            return VIDMM_OK;
    }
    if (high >= low && va_pick(space->va, request->size, unit, low, high, start))
        return VIDMM_OK;
    return FAIL(space->adapter, .status = VIDMM_DOES_NOT_FIT, .call = call,
                .expected = "so many free addresses within the bounds",
                .page = "gpu-virtual-address", .index = ERROR_NO_INDEX, .value = request->size);
}

/* ---- Reserve --------------------------------------------------------------------------------- */

/* Entries that read as zero, on each physical adapter. */
static bool va_request_zero(const struct vidmm_adapter *adapter) {
    bool has = true;
    for (uint32_t i = 0; i < adapter->facts.linked; i++)
        has = has && adapter->facts.physical[i].mmu.caps.ZeroInPteSupported;
    return has;
}

static enum vidmm_status va_request_no_zero(struct vidmm_adapter *adapter, const char *call) {
    return va_wrong(adapter, call, "no zero pages where the driver has no ZeroInPteSupported",
                    "R221");
}

enum vidmm_status va_reserve(struct space *space, const struct vidmm_va_request *request,
                             uint64_t *va) {
    struct vidmm_adapter *adapter = space->adapter;
    bool zero = request->reservation == VIDMM_VA_RESERVE_ZERO;
    enum vidmm_status status = VIDMM_OK;
    *va = request->base;
    if (!va_units(request->base | request->size, SPACE_RESERVE_UNIT) || request->size == 0)
        return va_wrong(adapter, CALL_RESERVE, "address and size in units of 64 KB", "R298");
    if (zero && !va_request_zero(adapter))
        return va_request_no_zero(adapter, CALL_RESERVE);
    if (!request->base)
        status = va_request_pick(space, request, SPACE_RESERVE_UNIT, CALL_RESERVE, va);
    if (status)
        return status;
    if (!va_inside(space->va, *va, request->size) ||
        !va_is_free(space->va, *va, *va + request->size))
        return va_wrong(adapter, CALL_RESERVE, "free addresses of the address space", "R298");
    struct va_use use = {.kind = zero ? VA_ZERO : VA_NOTHING,
                         .driver_protection = request->driver_protection,
                         .reservation = ++space->reservations,
                         .reserved_protection = request->driver_protection};
    use.reserved_kind = use.kind;
    return space_change(space, *va, *va + request->size, &use);
}

/* ---- Map ------------------------------------------------------------------------------------- */

struct va_use va_reservation(const struct space *space, uint64_t start, uint64_t end) {
    const struct mapping *mapping = va_find(space->va, start);
    struct va_use use = {0};
    if (!mapping || mapping->start > start)
        return use;
    use.reservation = mapping->use.reservation;
    use.reserved_kind = mapping->use.reserved_kind;
    use.reserved_protection = mapping->use.reserved_protection;
    use.owner = mapping->use.owner;
    while (mapping && mapping->end < end) {
        uint64_t at = mapping->end;
        mapping = va_find(space->va, at);
        if (!mapping || mapping->start != at || mapping->use.reservation != use.reservation)
            return (struct va_use){0};
    }
    return use;
}

/* A part of it belongs to the driver alone, or (with `any`) to the driver among others. */
static bool va_request_driver_owns(const struct space *space, uint64_t start, uint64_t end,
                                   bool any) {
    for (const struct mapping *mapping = va_find(space->va, start); mapping && mapping->start < end;
         mapping = mapping->after) {
        if (mapping->use.owner == VA_OF_DRIVER || (any && mapping->use.owner == VA_OF_BOTH))
            return true;
    }
    return false;
}

/* R297: what leads nowhere does not take the place of what Map obtained. */
static bool va_request_overlaps(const struct space *space, uint64_t start, uint64_t end) {
    for (const struct mapping *mapping = va_find(space->va, start); mapping && mapping->start < end;
         mapping = mapping->after) {
        if (mapping->use.reservation == 0)
            return true;
    }
    return false;
}

/* R228: a range that is mapped with a unique protection has no other. */
static bool va_request_conflicts(const struct vidmm_allocation *allocation, uint64_t start,
                                 uint64_t size, uint64_t protection) {
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        uint64_t from, to, other = mapping->use.driver_protection;
        va_mapped_bytes(mapping, &from, &to);
        if (!space_is_privileged(space_of(mapping)) && other != protection &&
            ((other | protection) & VIDMM_DRIVER_PROTECTION_UNIQUE) && start < to &&
            from < start + size)
            return true;
    }
    return false;
}

enum vidmm_status va_check_target(struct space *space, const struct vidmm_va_request *request,
                                  const char *call) {
    const struct vidmm_allocation *allocation = request->allocation;
    struct vidmm_adapter *adapter = space->adapter;
    bool nowhere = request->protection & (VIDMM_VA_ZERO | VIDMM_VA_NO_ACCESS);
    if (nowhere != !allocation)
        return va_wrong(adapter, call, "an allocation, or Zero or NoAccess", "R297");
    if ((request->protection & VIDMM_VA_ZERO) && !va_request_zero(adapter))
        return va_request_no_zero(adapter, call);
    if (!allocation)
        return VIDMM_OK;
    uint64_t bytes = allocation->size;
    if (!va_units(request->offset, VA_MAP_UNIT) || request->offset >= bytes ||
        request->size > bytes - request->offset)
        return va_wrong(adapter, call, "a range of the allocation, in units of 4 KB", "R296");
    if (va_request_conflicts(allocation, request->offset, request->size,
                             request->driver_protection))
        return va_wrong(adapter, call, "the unique driver protection that the range has", "R228");
    return VIDMM_OK;
}

/* In a reservation, or in none. */
static struct va_use va_use_in(struct va_use reservation, const struct vidmm_va_request *request,
                               uint64_t va) {
    struct va_use use = reservation;
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

struct va_use va_use_of(const struct space *space, const struct vidmm_va_request *request,
                        uint64_t va) {
    return va_use_in(va_reservation(space, va, va + request->size), request, va);
}

/* May [va, va + size), which is not free, be mapped? */
static enum vidmm_status va_map_replaces(const struct space *space,
                                         const struct vidmm_va_request *request, uint64_t va) {
    if (va_request_driver_owns(space, va, va + request->size, false))
        return va_wrong(space->adapter, CALL_MAP,
                        "addresses that the driver did not reserve for itself", "R296");
    if (!request->allocation && va_request_overlaps(space, va, va + request->size))
        return va_wrong(space->adapter, CALL_MAP, "Zero and NoAccess only where nothing was mapped",
                        "R297");
    return VIDMM_OK;
}

/* Where the request may map, and what is there then. */
static enum vidmm_status va_map_place(struct space *space, const struct vidmm_va_request *request,
                                      uint64_t *va, struct va_use *use) {
    struct vidmm_adapter *adapter = space->adapter;
    uint64_t unit = va_units(request->size | request->offset, SPACE_RESERVE_UNIT)
                        ? SPACE_RESERVE_UNIT
                        : VA_MAP_UNIT;
    *va = request->base;
    if (!va_units(request->base | request->size, VA_MAP_UNIT) || request->size == 0)
        return va_wrong(adapter, CALL_MAP, "address and size in units of 4 KB", "R296");
    enum vidmm_status status = va_check_target(space, request, CALL_MAP);
    if (status == VIDMM_OK && !request->base)
        status = va_request_pick(space, request, unit, CALL_MAP, va);
    if (status)
        return status;
    if (!va_inside(space->va, *va, request->size))
        return va_wrong(adapter, CALL_MAP, "addresses of the address space", "R296");
    if (!request->base || va_is_free(space->va, *va, *va + request->size)) {
        *use = va_use_in((struct va_use){0}, request, *va);
        return VIDMM_OK;
    }
    *use = va_use_of(space, request, *va);
    return va_map_replaces(space, request, *va);
}

enum vidmm_status va_map(struct space *space, const struct vidmm_va_request *request,
                         uint64_t *va) {
    struct va_use use;
    enum vidmm_status status = va_map_place(space, request, va, &use);
    return status ? status : space_change(space, *va, *va + request->size, &use);
}

enum vidmm_status va_map_later(struct space *space, const struct vidmm_va_request *request,
                               const uint64_t *fence, uint64_t *va, bool *gathered) {
    struct va_use use;
    enum vidmm_status status = va_map_place(space, request, va, &use);
    if (status)
        return status;
    uint64_t end = *va + request->size;
    *gathered = request->allocation && (!request->base || gather_may(space, *va, end));
    if (*gathered)
        return gather_add(space, *va, end, &use, fence);
    status = gather_flush(space);
    return status ? status : space_change(space, *va, end, &use);
}

/* ---- Free ------------------------------------------------------------------------------------ */

enum vidmm_status va_unmap(struct space *space, uint64_t va, uint64_t size) {
    if (!va_units(va | size, VA_MAP_UNIT) || !va_inside(space->va, va, size) ||
        va_is_free(space->va, va, va + size))
        return va_wrong(space->adapter, CALL_FREE, "addresses in units of 4 KB that were taken",
                        "R299");
    if (!va_request_driver_owns(space, va, va + size, true))
        return space_change(space, va, va + size, NULL);
    struct va_use use = va_reservation(space, va, va + size);
    use.kind = use.reserved_kind;
    if (use.owner == VA_OF_BOTH)
        return space_change(space, va, va + size, &use);
    return va_wrong(space->adapter, CALL_FREE,
                    "addresses that the driver did not reserve for itself", "R299");
}
