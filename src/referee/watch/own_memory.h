/*
 * own_memory.h - what watches the calls around an adapter's own memory: ranges through which the
 * CPU sees swizzled memory (watch/swizzle.c), allocations that the driver makes for its contexts
 * (watch/context_allocation.c, watch/context_update.c), the CPU host aperture
 * (watch/host_aperture.c), and memory behind an IOMMU (watch/iommu.c). Each is put in front of what
 * watches the same calls already.
 */
#ifndef REFEREE_OWN_MEMORY_H
#define REFEREE_OWN_MEMORY_H

#include "state/judge.h"

void referee_watch_swizzle(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_context_allocations(struct vidmm_referee *referee,
                                       DRIVER_INITIALIZATION_DATA *table);
void referee_watch_context_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);
void referee_watch_context_updates(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);
/* All that is known of them is freed. */
void context_allocations_end(struct vidmm_referee *referee);
/* watch/process.c: the system device begins to be made, or is. */
void process_creating(struct vidmm_referee *referee, bool begins);
/* Bytes of the one that the system knows by this handle; 0: there is none. */
uint64_t context_allocation_size(struct vidmm_referee *referee, HANDLE system);
void referee_watch_host_aperture(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_iommu(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_iommu_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);

#endif
