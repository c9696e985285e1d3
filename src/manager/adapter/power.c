/*
 * power.c - the adapter leaves full power and comes back: content that memory would lose is moved out before, and
 * what else was in memory, or mapped, is made again behind. What stays keeps its swizzling range: those are released
 * when an allocation is evicted (nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md). The caller calls DxgkDdiSetPowerState in between.
 */
#include "base/adapter.h"
#include "engine/fence.h"
#include "object/allocation.h"
#include "object/swizzle.h"
#include "paging/space.h"
#include "residency/dma_ring.h"
#include "residency/residency.h"

struct power {
    struct vidmm_adapter *adapter;
    enum vidmm_power_loss loss;
};

/* First and last byte of a place; of one that is scattered, of all its extents. */
static void power_bounds(const struct placement *place, uint64_t size, uint64_t *first,
                         uint64_t *last) {
    *first = place->offset;
    *last = place->offset + size - 1;
    for (uint32_t i = 0; i < place->extent_count; i++) {
        const struct extent *extent = &place->extents[i];
        uint64_t end = extent->offset + extent->size - 1;
        *first = extent->offset < *first || i == 0 ? extent->offset : *first;
        *last = end > *last || i == 0 ? end : *last;
    }
}

/* R53: what lies behind SystemMemoryEndAddress is lost. */
static bool power_keeps_part(const struct vidmm_adapter *adapter,
                             const struct vidmm_allocation *allocation) {
    const struct segment *segment = allocation->segment;
    uint64_t first, last;
    power_bounds(&allocation->place, allocation->size, &first, &last);
    return (adapter->settings.readings.hibernate_end == 0 ? last : first) <=
           segment->system_memory_end;
}

/* The flags' table; an invalid combination, and a driver older than they are, keeps nothing (R50, R51). */
static bool power_keeps(const struct power *power, const struct vidmm_allocation *allocation) {
    const DXGK_SEGMENTFLAGS flags = allocation->segment->flags;
    bool all = flags.PreservedDuringHibernate, part = flags.PartiallyPreservedDuringHibernate;
    if (power->adapter->facts.interface_version < DXGKDDI_INTERFACE_VERSION_WIN8 ||
        !flags.PreservedDuringStandby || (all && part))
        return false;
    return power->loss == VIDMM_POWER_STANDBY || all ||
           (part && power_keeps_part(power->adapter, allocation));
}

static bool power_takes(const void *ctx, const struct vidmm_allocation *allocation) {
    return !power_keeps(ctx, allocation);
}

struct power_locks {
    const struct power *power;
    bool found;
};

static void power_look(void *ctx, struct vidmm_allocation *allocation) {
    struct power_locks *locks = ctx;
    locks->found = locks->found || (allocation->segment && allocation_fixed(allocation) &&
                                    power_takes(locks->power, allocation));
}

static enum vidmm_status power_unlocked(const struct power *power) {
    struct power_locks locks = {power, false};
    allocation_each(power->adapter, power_look, &locks);
    return locks.found ? FAIL(power->adapter, .status = VIDMM_BUSY, .call = "vidmm_power_down",
                              .expected = "no lock of memory that loses its content",
                              .index = ERROR_NO_INDEX)
                       : VIDMM_OK;
}

/* Of all contexts. */
static enum vidmm_status power_unmap_rings(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (struct vidmm_device *device = adapter->devices.first; device; device = device->next)
        for (struct vidmm_context *context = device->contexts; context; context = context->next)
            if (status == VIDMM_OK)
                status = dma_ring_leave(adapter, &context->dma);
    return status;
}

static enum vidmm_status power_empty(void *ctx) {
    const struct power *power = ctx;
    struct vidmm_adapter *adapter = power->adapter;
    enum vidmm_status status = fence_wait_all(adapter);
    if (status == VIDMM_OK)
        status = power_unlocked(power);
    if (status == VIDMM_OK)
        status = residency_evict_all(adapter, power_takes, power, VIDMM_PLAN_POWER);
    if (status == VIDMM_OK)
        status = power_unmap_rings(adapter);
    if (status == VIDMM_OK)
        status = fence_wait_all(adapter);
    return status;
}

enum vidmm_status vidmm_power_down(struct vidmm_adapter *adapter, enum vidmm_power_loss loss) {
    struct power power = {adapter, loss};
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_power_down");
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, power_empty, &power);
    if (status == VIDMM_OK) {
        swizzling_release_outside(adapter);
        paging_unmap(adapter);
        dirty_lost(adapter);
    }
    adapter_leave(adapter);
    return status;
}

static enum vidmm_status power_rebuild(struct vidmm_adapter *adapter) {
    enum vidmm_status status = adapter->gpummu ? space_restore_paging(adapter) : VIDMM_OK;
    if (status == VIDMM_OK)
        status = paging_map(adapter);
    if (status == VIDMM_OK && adapter->gpummu)
        status = space_restore(adapter);
    return status == VIDMM_OK ? residency_bring_back(adapter, VIDMM_PLAN_POWER) : status;
}

/* A reset builds the same anew. */
enum vidmm_status vidmm_power_up(struct vidmm_adapter *adapter) {
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_power_up");
    if (status == VIDMM_OK)
        status = power_rebuild(adapter);
    if (status == VIDMM_GPU_LOST)
        status = adapter_recover(adapter);
    adapter_leave(adapter);
    return status;
}
