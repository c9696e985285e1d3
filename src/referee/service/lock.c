/*
 * lock.c - which locks a manager grants (ns-d3dukmdt-_d3dddicb_lockflags.md). Where a lock
 * leads to is watch/lock.c's.
 */
#include "service/services.h"

static bool lock_contradicts(const struct vidmm_request_lock *lock) {
    return (lock->read_only && lock->write_only) || (lock->alternate_va && !lock->acquire_aperture);
}

/* On demand since WDDM 2.0 (ns-d3dkmddi-_dxgk_allocationinfoflags.md). */
static bool lock_can_be_seen(const struct vidmm_referee *referee,
                             const struct shadow_allocation *allocation) {
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    return flags.CpuVisible || (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
                                flags.CpuVisibleOnDemand);
}

void service_lock(struct vidmm_referee *referee, const struct vidmm_request_record *record) {
    const struct vidmm_request_lock *lock = &record->lock;
    const struct shadow_allocation *allocation = shadow_allocation(referee, lock->allocation);
    bool granted = record->answer == VIDMM_ANSWER_GRANTED;
    if (lock_contradicts(lock)) {
        MANAGER_MUST(306, !granted, "a refusal of flags that contradict each other", "%s",
                     lock->alternate_va ? "UseAlternateVA without AcquireAperture was granted"
                                        : "ReadOnly with WriteOnly was granted");
        return;
    }
    if (lock->offered)
        MANAGER_MUST(309, !granted, "no lock of what is offered", "the lock was granted");
    if (allocation && !lock_can_be_seen(referee, allocation)) {
        MANAGER_MUST(305, !granted, "no lock without CpuVisible", "the lock was granted");
        return; /* refused for that, whatever else would be a reason */
    }
    if (lock->dont_wait && lock->busy)
        MANAGER_MUST(308, record->answer == VIDMM_ANSWER_BUSY,
                     "a refusal because the GPU is still drawing", "%s",
                     granted ? "the lock was granted" : "the reason given is another");
    if (lock->dont_evict && granted)
        MANAGER_MUST(308, lock->resident || !lock->was_resident,
                     "no eviction by a lock with DonotEvict",
                     "the allocation has left its segment");
}
