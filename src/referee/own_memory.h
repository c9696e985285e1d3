/*
 * own_memory.h - what watches the calls around an adapter's own memory: ranges through which the
 * CPU sees swizzled memory (see_swizzle.c), allocations that the driver makes for its contexts
 * (see_context_allocation.c), the CPU host aperture (see_host_aperture.c), and memory behind an
 * IOMMU (see_iommu.c). Each is put in front of what watches the same calls already.
 */
#ifndef REFEREE_OWN_MEMORY_H
#define REFEREE_OWN_MEMORY_H

#include "judge.h"

void referee_watch_swizzle(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_context_allocations(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_context_callbacks(DXGKRNL_INTERFACE *callbacks);
void referee_watch_host_aperture(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_iommu(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_iommu_callbacks(DXGKRNL_INTERFACE *callbacks);

#endif
