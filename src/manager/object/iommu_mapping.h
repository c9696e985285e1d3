/*
 * iommu_mapping.h - what the IOMMU translates: the mappings of allocations in processes that the
 * GPU reaches by the CPU's addresses (address/iommu.h makes them).
 */
#ifndef VIDMM_MANAGER_IOMMU_MAPPING_H
#define VIDMM_MANAGER_IOMMU_MAPPING_H

#include "object/va.h"

/* Lets the GPU reach the allocation while it is resident, and not otherwise. */
void iommu_mapping_set_access(const struct mapping *mapping);
/* Ends the mapping. Needs no memory: what made it prepared the nodes. */
void iommu_mapping_end(const struct mapping *mapping);
/* The allocation became resident, or is not any more: as iommu_mapping_set_access for all its mappings. */
void iommu_mapping_follow(const struct vidmm_allocation *allocation);
/* Before an allocation is destroyed: ends all its mappings. */
void iommu_mapping_forget(struct vidmm_allocation *allocation);

#endif
