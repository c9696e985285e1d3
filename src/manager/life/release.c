/*
 * release.c - see release.h.
 */
#include "life/release.h"

#include "object/backing.h"
#include "object/host_aperture.h"
#include "object/iommu_mapping.h"
#include "lists/residency_list.h"
#include "residency/residency.h"
#include "address/space_change.h"

static enum vidmm_status release_leave(void *ctx) {
    struct vidmm_allocation *allocation = ctx;
    return allocation->segment ? residency_evict(allocation, true, VIDMM_PLAN_DESTROY) : VIDMM_OK;
}

/*
 * Leaving needs no more memory for the plan than entering did, so that no mapping is left behind
 * for want of it.
 */
void allocation_release(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    residency_entries_end(allocation);
    swizzling_release(allocation);
    host_aperture_release(allocation);
    allocation->content = false; /* its end is not reported */
    if (adapter->iommu)
        iommu_mapping_forget(allocation);
    else if (allocation->mappings)
        (void)space_forget(adapter, allocation);
    if (allocation->segment && !adapter->stopped)
        (void)adapter_persist(adapter, release_leave, allocation);
    if (allocation->segment) {
        allocation_unqueue(allocation);
        segment_release(allocation->segment, &allocation->place);
        allocation->segment = NULL;
    }
    resident_freed(&adapter->policy, &allocation->resident);
    backing_destroy(allocation);
}
