/*
 * paging_fence.h - the memory of monitored fences: 64-bit values in system pages that the paging
 * process sees for ever, so that the GPU writes them in the order of its paging work
 * (ns-d3dkmddi-_dxgk_buildpagingbuffer_signalmonitoredfence.md).
 */
#ifndef VIDMM_MANAGER_PAGING_FENCE_H
#define VIDMM_MANAGER_PAGING_FENCE_H

#include "base/adapter.h"

/* One value; `page` NULL: there is no paging process, or the driver does not know the operation,
 * and there is no memory. */
struct paging_fence {
    struct fence_page *page;
    uint32_t index;
};

/* Zero. False: no memory. */
bool paging_fence_create(struct vidmm_adapter *adapter, struct paging_fence *fence);
void paging_fence_destroy(struct paging_fence *fence);
/* Where the GPU writes it, in the paging process of physical adapter 0; 0: nowhere. */
uint64_t paging_fence_address(const struct paging_fence *fence);
/* The GPU, or at worst the CPU, writes `value`; returns when it is there. */
void paging_fence_signal(struct vidmm_adapter *adapter, const struct paging_fence *fence,
                         uint64_t value);
/* The pages, when the adapter goes. */
void paging_fences_end(struct vidmm_adapter *adapter);

#endif
