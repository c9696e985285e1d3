/*
 * swizzle.c - see swizzle.h. Statuses of DxgkDdiAcquireSwizzlingRange are taken as
 * nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md has it: UNSUPPORTED ends the attempt, UNAVAILABLE
 * costs the idle range of another allocation and is tried again while there are any.
 */
#include "object/swizzle.h"

#include "base/assert.h"
#include "object/allocation.h"

#define CALL "DxgkDdiAcquireSwizzlingRange"
#define PAGE "nc-d3dkmddi-dxgkddi_acquireswizzlingrange"

bool swizzling_init(struct vidmm_adapter *adapter) {
    struct swizzling *swizzling = &adapter->swizzling;
    uint32_t count = adapter->facts.caps.NumberOfSwizzlingRanges;
    if (!adapter->ddi->DxgkDdiAcquireSwizzlingRange || !adapter->ddi->DxgkDdiReleaseSwizzlingRange)
        count = 0;
    if (count > VIDMM_SWIZZLING_RANGES)
        count = VIDMM_SWIZZLING_RANGES;
    if (count)
        swizzling->ranges = adapter_alloc(adapter, count * sizeof(*swizzling->ranges));
    if (swizzling->ranges)
        swizzling->count = count;
    return swizzling->count == count;
}

void swizzling_destroy(struct vidmm_adapter *adapter) {
    struct swizzling *swizzling = &adapter->swizzling;
    adapter_free(adapter, swizzling->ranges, swizzling->count * sizeof(*swizzling->ranges));
    swizzling->ranges = NULL;
    swizzling->count = 0;
}

static void swizzling_give_back(struct vidmm_adapter *adapter, uint32_t id) {
    struct swizzling_range *range = &adapter->swizzling.ranges[id];
    DXGKARG_RELEASESWIZZLINGRANGE arg = {.hAllocation = range->allocation->handle, .RangeId = id};
    (void)adapter->ddi->DxgkDdiReleaseSwizzlingRange(adapter->hadapter, &arg);
    range->allocation->range = NULL;
    range->allocation = NULL;
    range->outlived = false;
}

void swizzling_release(struct vidmm_allocation *allocation) {
    const struct swizzling_range *range = allocation->range;
    if (range)
        swizzling_give_back(allocation->adapter,
                            (uint32_t)(range - allocation->adapter->swizzling.ranges));
}

void swizzling_release_all(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->swizzling.count; i++) {
        if (adapter->swizzling.ranges[i].allocation)
            swizzling_give_back(adapter, i);
    }
}

void swizzling_release_outside(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->swizzling.count; i++) {
        const struct vidmm_allocation *allocation = adapter->swizzling.ranges[i].allocation;
        if (allocation && !segment_is_memory(allocation->segment))
            swizzling_give_back(adapter, i);
    }
}

/* Releases the range that was not used for longest and is under no lock. False: there is none. */
static bool release_idle(struct vidmm_adapter *adapter) {
    struct swizzling *swizzling = &adapter->swizzling;
    uint32_t best = swizzling->count;
    for (uint32_t i = 0; i < swizzling->count; i++) {
        const struct swizzling_range *range = &swizzling->ranges[i];
        if (range->allocation && range->allocation->lock_kind != LOCK_RANGE &&
            (best == swizzling->count || range->used < swizzling->ranges[best].used))
            best = i;
    }
    if (best == swizzling->count)
        return false;
    swizzling_give_back(adapter, best);
    return true;
}

static struct swizzling_range *find_free(struct swizzling *swizzling) {
    for (uint32_t i = 0; i < swizzling->count; i++) {
        if (!swizzling->ranges[i].allocation)
            return &swizzling->ranges[i];
    }
    return NULL;
}

static enum vidmm_status swizzling_not_lockable(struct vidmm_adapter *adapter, NTSTATUS nt) {
    return FAIL(adapter, .status = VIDMM_NOT_LOCKABLE, .call = CALL, .page = PAGE,
                .index = ERROR_NO_INDEX, .value = (uint32_t)nt, .nt = nt);
}

/* The driver set the address, and the size only where it may (R351). */
static enum vidmm_status swizzling_check_answer(struct vidmm_allocation *allocation,
                                                const DXGKARG_ACQUIRESWIZZLINGRANGE *arg,
                                                bool alternate, struct swizzling_range *range) {
    struct vidmm_adapter *adapter = allocation->adapter;
    uint32_t id = (uint32_t)(range - adapter->swizzling.ranges);
    range->allocation = allocation;
    allocation->range = range;
    if (!alternate && arg->RangeSize != allocation->size) {
        swizzling_give_back(adapter, id);
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL,
                    .field = "DXGKARG_ACQUIRESWIZZLINGRANGE.RangeSize",
                    .expected = "unchanged without UseAlternateVA", .rule = "R351",
                    .page = "ns-d3dkmddi-_dxgkarg_acquireswizzlingrange", .index = id,
                    .value = arg->RangeSize);
    }
    range->cpu = adapter->os.io_map(adapter->os.ctx, (uint64_t)arg->CPUTranslatedAddress.QuadPart,
                                    (size_t)arg->RangeSize);
    if (range->cpu)
        return VIDMM_OK;
    swizzling_give_back(adapter, id);
    return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL,
                .field = "DXGKARG_ACQUIRESWIZZLINGRANGE.CPUTranslatedAddress",
                .expected = "an address that the CPU can map", .rule = "R351",
                .page = "ns-d3dkmddi-_dxgkarg_acquireswizzlingrange", .index = id,
                .value = (uint64_t)arg->CPUTranslatedAddress.QuadPart);
}

/* One call to the driver for `range`. */
static NTSTATUS swizzling_ask(struct vidmm_allocation *allocation,
                              const struct swizzling_range *range,
                              DXGKARG_ACQUIRESWIZZLINGRANGE *arg) {
    struct vidmm_adapter *adapter = allocation->adapter;
    *arg = (DXGKARG_ACQUIRESWIZZLINGRANGE){
        .hAllocation = allocation->handle,
        .RangeId = (UINT)(range - adapter->swizzling.ranges),
        .SegmentId = allocation->segment->driver_id,
        .RangeSize = allocation->size,
    };
    arg->CPUTranslatedAddress.QuadPart =
        (LONGLONG)(allocation->segment->cpu_base + allocation->place.offset);
    return adapter->ddi->DxgkDdiAcquireSwizzlingRange(adapter->hadapter, arg);
}

static enum vidmm_status swizzling_take(struct vidmm_allocation *allocation, bool alternate,
                                        struct swizzling_range **out) {
    struct vidmm_adapter *adapter = allocation->adapter;
    DXGKARG_ACQUIRESWIZZLINGRANGE arg;
    for (;;) {
        struct swizzling_range *range = find_free(&adapter->swizzling);
        if (!range) {
            if (!release_idle(adapter))
                return swizzling_not_lockable(adapter,
                                              STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE);
            continue;
        }
        NTSTATUS nt = swizzling_ask(allocation, range, &arg);
        *out = range;
        if (nt == STATUS_SUCCESS)
            return swizzling_check_answer(allocation, &arg, alternate, range);
        if (nt == STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE && release_idle(adapter))
            continue;
        if (nt == STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE ||
            nt == STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED)
            return swizzling_not_lockable(adapter, nt);
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL,
                    .field = "return value",
                    .expected = "STATUS_SUCCESS, STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED "
                                "or STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE",
                    .page = PAGE, .index = arg.RangeId, .value = (uint32_t)nt, .nt = nt);
    }
}

void swizzling_idle(struct vidmm_allocation *allocation) {
    struct swizzling_range *range = allocation->range;
    if (range)
        range->outlived = !segment_is_memory(allocation->segment);
}

enum vidmm_status swizzling_acquire(struct vidmm_allocation *allocation, bool alternate,
                                    void **cpu) {
    VIDMM_ASSERT(allocation->adapter, segment_is_memory(allocation->segment));
    struct swizzling *swizzling = &allocation->adapter->swizzling;
    struct swizzling_range *range = allocation->range;
    if (range && range->outlived) {
        swizzling_release(allocation);
        range = NULL;
    }
    enum vidmm_status status = range ? VIDMM_OK : swizzling_take(allocation, alternate, &range);
    if (status)
        return status;
    range->used = ++swizzling->clock;
    *cpu = range->cpu;
    return VIDMM_OK;
}
