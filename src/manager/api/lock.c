/*
 * lock.c - the CPU's way to an allocation's bytes, linear in every case (locking-memory.md,
 * locking-swizzled-allocations.md, mapping-virtual-addresses-to-a-memory-segment.md).
 *
 *   in system memory or an aperture   the system pages, from an AGP-type one with what the GPU
 *                                     and the CPU's caches hold back
 *   in a CPU-visible memory segment   CpuTranslatedAddress + offset, or a swizzling range
 *   in one with a CPU host aperture   a window of that
 *   else                              it is evicted, and then the system pages
 * PermanentSysMem and existing system memory always give the system pages, which a transfer brings
 * up to date before, and which a transfer carries back after a lock for writing.
 */
#include "object/allocation.h"
#include "object/host_aperture.h"
#include "engine/device_error.h"
#include "lists/idle.h"
#include "lists/residency_list.h"
#include "paging/gart.h"
#include "residency/residency.h"

#define CALL "vidmm_lock"

struct lock_call {
    struct vidmm_allocation *allocation;
    uint32_t flags;
};

static bool lock_permanent(const struct vidmm_allocation *allocation) {
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    return flags.PermanentSysMem || flags.ExistingSysMem || flags.ExistingKernelSysMem;
}

static enum vidmm_status lock_not_lockable(struct vidmm_allocation *allocation,
                                           const char *expected) {
    return FAIL(allocation->adapter, .status = VIDMM_NOT_LOCKABLE, .call = CALL,
                .expected = expected, .page = "ns-d3dukmdt-_d3dddicb_lockflags",
                .index = allocation->segment ? allocation->segment->id : ERROR_NO_INDEX);
}

static enum vidmm_status lock_grant(struct vidmm_allocation *allocation, enum lock_kind kind,
                                    void *cpu) {
    if (!cpu)
        return error_no_memory(allocation->adapter, CALL);
    allocation->lock_kind = kind;
    allocation->lock_cpu = cpu;
    return VIDMM_OK;
}

/* READ_PHYSICAL pushes out what the GPU wrote through the GART (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md). */
static enum vidmm_status lock_settle_agp(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    if (!allocation->segment || !allocation->segment->agp || !allocation->content)
        return VIDMM_OK;
    const struct vidmm_place place = {.segment = allocation->segment->id,
                                      .offset = allocation->place.offset};
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_LOCK);
    enum vidmm_status status =
        plan_touch(&plan, place, false) ? plan_run(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    gart_flush(allocation);
    return status;
}

static enum vidmm_status lock_pages(struct vidmm_allocation *allocation) {
    enum vidmm_status status = lock_settle_agp(allocation);
    return status ? status : lock_grant(allocation, LOCK_SYSTEM, allocation_cpu(allocation));
}

/* Brings the system pages of a resident allocation up to date. */
static enum vidmm_status refresh_pages(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    if (!segment_is_memory(allocation->segment) || !allocation->content || !allocation->stale)
        return VIDMM_OK;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_LOCK);
    enum vidmm_status status =
        plan_sync(&plan, allocation, true) ? plan_run(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    if (status == VIDMM_OK)
        allocation->stale = false;
    residency_entries_update(allocation);
    return status;
}

static enum vidmm_status lock_evicted(const struct lock_call *call) {
    struct vidmm_allocation *allocation = call->allocation;
    if (call->flags & VIDMM_LOCK_DONT_EVICT)
        return lock_not_lockable(allocation, "a way to its bytes that needs no eviction");
    if (allocation->pinned)
        return lock_not_lockable(allocation, "a way to the bytes of a pinned allocation");
    enum vidmm_status status =
        residency_evict(allocation, (call->flags & VIDMM_LOCK_DISCARD) != 0, VIDMM_PLAN_LOCK);
    return status ? status : lock_pages(allocation);
}

static enum vidmm_status lock_range(const struct lock_call *call) {
    struct vidmm_allocation *allocation = call->allocation;
    bool alternate = (call->flags & VIDMM_LOCK_ALTERNATE_VA) != 0;
    void *cpu = NULL;
    if (!allocation->segment->flags.CpuVisible && !alternate)
        return lock_evicted(call);
    /* The driver is told one address for all of it. */
    enum vidmm_status status =
        allocation->place.extents
            ? lock_not_lockable(allocation, "an allocation that lies in one row")
            : swizzling_acquire(allocation, alternate, &cpu);
    if (status == VIDMM_NOT_LOCKABLE && !alternate)
        return lock_evicted(call);
    if (status)
        return status;
    allocation->alternate = alternate;
    return lock_grant(allocation, LOCK_RANGE, cpu);
}

static enum vidmm_status lock_window(const struct lock_call *call) {
    void *cpu = NULL;
    enum vidmm_status status = host_aperture_acquire(call->allocation, &cpu);
    if (status == VIDMM_NOT_LOCKABLE)
        return lock_evicted(call);
    return status ? status : lock_grant(call->allocation, LOCK_SEGMENT, cpu);
}

static enum vidmm_status lock_memory(const struct lock_call *call) {
    struct vidmm_allocation *allocation = call->allocation;
    const struct vidmm_os *os = &allocation->adapter->os;
    const struct segment *segment = allocation->segment;
    if (call->flags & VIDMM_LOCK_ACQUIRE_APERTURE)
        return lock_range(call);
    if (host_aperture_serves(allocation))
        return lock_window(call);
    if (!segment->flags.CpuVisible || allocation_swizzled(allocation) || allocation->place.extents)
        return lock_evicted(call);
    void *cpu =
        os->io_map(os->ctx, segment->cpu_base + allocation->place.offset, (size_t)allocation->size);
    return cpu ? lock_grant(allocation, LOCK_SEGMENT, cpu) : lock_evicted(call);
}

/* The CPU writes where the lock points. */
static void note_write(struct vidmm_allocation *allocation) {
    allocation->content = true;
    allocation->stale = allocation->lock_kind != LOCK_SYSTEM;
    allocation->assumed = false;
    allocation->resident.facts.clean = !allocation->stale;
}

static void note_lock(const struct lock_call *call) {
    struct vidmm_allocation *allocation = call->allocation;
    allocation->locks = 1;
    allocation->acquired = (call->flags & VIDMM_LOCK_ACQUIRE_APERTURE) != 0;
    allocation->lock_write = !(call->flags & VIDMM_LOCK_READ_ONLY);
    if (allocation_fixed(allocation))
        allocation_unqueue(allocation);
    if (allocation->lock_write)
        note_write(allocation);
    residency_entries_update(allocation);
    allocation_publish(allocation);
}

static enum vidmm_status first_lock(void *ctx) {
    const struct lock_call *call = ctx;
    struct vidmm_allocation *allocation = call->allocation;
    enum vidmm_status status = VIDMM_OK;
    if (!(call->flags & VIDMM_LOCK_DONT_WAIT))
        status = allocation_wait_idle(allocation);
    else if (!allocation_idle(allocation))
        return VIDMM_BUSY;
    if (status)
        return status;
    if (lock_permanent(allocation)) {
        status = refresh_pages(allocation);
        status = status ? status : lock_pages(allocation);
    } else {
        status =
            segment_is_memory(allocation->segment) ? lock_memory(call) : lock_pages(allocation);
    }
    if (status == VIDMM_OK)
        note_lock(call);
    return status;
}

/* Locks nest: the pointer is the first one's. */
static enum vidmm_status nested_lock(const struct lock_call *call) {
    struct vidmm_allocation *allocation = call->allocation;
    if ((call->flags & VIDMM_LOCK_ACQUIRE_APERTURE) && !allocation->acquired)
        return error_argument(allocation->adapter, CALL,
                              "AcquireAperture from the first lock on, or not at all");
    if (!(call->flags & VIDMM_LOCK_READ_ONLY) && !allocation->lock_write) {
        allocation->lock_write = true;
        note_write(allocation);
        residency_entries_update(allocation);
    }
    allocation->locks++;
    allocation_publish(allocation);
    return VIDMM_OK;
}

static enum vidmm_status lock_check(const struct lock_call *call) {
    struct vidmm_allocation *allocation = call->allocation;
    struct vidmm_adapter *adapter = allocation->adapter;
    uint32_t both = VIDMM_LOCK_READ_ONLY | VIDMM_LOCK_WRITE_ONLY;
    if ((call->flags & both) == both)
        return error_argument(adapter, CALL, "not READ_ONLY and WRITE_ONLY together");
    if ((call->flags & VIDMM_LOCK_ALTERNATE_VA) && !(call->flags & VIDMM_LOCK_ACQUIRE_APERTURE))
        return error_argument(adapter, CALL, "ALTERNATE_VA only with ACQUIRE_APERTURE");
    if (allocation->offered)
        return lock_not_lockable(allocation, "an allocation that is not offered (R309)");
    if (!allocation->info.Flags.CpuVisible)
        return lock_not_lockable(allocation,
                                 "an allocation with DXGK_ALLOCATIONINFOFLAGS.CpuVisible");
    return VIDMM_OK;
}

enum vidmm_status vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags, void **cpu) {
    struct vidmm_adapter *adapter = allocation->adapter;
    struct lock_call call = {allocation, flags};
    *cpu = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(allocation_device(allocation), CALL);
    if (status == VIDMM_OK)
        status = lock_check(&call);
    if (status == VIDMM_OK)
        status =
            allocation->locks ? nested_lock(&call) : adapter_persist(adapter, first_lock, &call);
    if (status == VIDMM_BUSY)
        (void)FAIL(adapter, .status = VIDMM_BUSY, .call = CALL, .index = ERROR_NO_INDEX);
    if (status == VIDMM_OK)
        *cpu = allocation->lock_cpu;
    adapter_leave(adapter);
    return status;
}

/* What the CPU wrote into the system pages goes to the segment (R108). */
static enum vidmm_status push_pages(void *ctx) {
    struct vidmm_allocation *allocation = ctx;
    struct vidmm_adapter *adapter = allocation->adapter;
    if (!segment_is_memory(allocation->segment) || allocation->stale)
        return VIDMM_OK;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_UNLOCK);
    enum vidmm_status status = plan_sync(&plan, allocation, false)
                                   ? plan_run(&plan)
                                   : error_no_memory(adapter, "vidmm_unlock");
    plan_end(&plan);
    return status;
}

/* Without memory for the update the segment copy is dropped instead: DISCARD is one small plan. */
static void update_segment(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    if (adapter->stopped || adapter_persist(adapter, push_pages, allocation) != VIDMM_NO_MEMORY)
        return;
    (void)residency_evict(allocation, false, VIDMM_PLAN_UNLOCK);
}

void vidmm_unlock(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    adapter_enter(adapter);
    if (allocation->locks && --allocation->locks == 0) {
        bool update = allocation->lock_write && lock_permanent(allocation);
        if (allocation->lock_write)
            gart_flush(allocation);
        allocation->lock_kind = LOCK_NONE;
        allocation->lock_cpu = NULL;
        allocation->alternate = false;
        swizzling_idle(allocation);
        host_aperture_idle(allocation);
        allocation_queue(allocation);
        residency_entries_update(allocation);
        if (update)
            update_segment(allocation);
    }
    allocation_publish(allocation);
    adapter_leave(adapter);
}
