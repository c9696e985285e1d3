/*
 * iommu_mapping.c - see iommu_mapping.h.
 */
#include "object/iommu_mapping.h"

#include "base/process.h"
#include "object/allocation.h"

static struct vidmm_process *iommu_mapping_process(const struct mapping *mapping) {
    return (struct vidmm_process *)(void *)((char *)mapping->va -
                                            offsetof(struct vidmm_process, shared));
}

void iommu_mapping_end(const struct mapping *mapping) {
    struct vidmm_process *process = iommu_mapping_process(mapping);
    const struct vidmm_os *os = &process->adapter->os;
    os->iommu->unmap(os->ctx, process->pasid, mapping->start);
    (void)va_set(&process->shared, mapping->start, mapping->end, NULL);
}

void iommu_mapping_set_access(const struct mapping *mapping) {
    const struct vidmm_process *process = iommu_mapping_process(mapping);
    const struct vidmm_os *os = &process->adapter->os;
    os->iommu->show(os->ctx, process->pasid, mapping->start, mapping->use.allocation->segment);
}

void iommu_mapping_follow(const struct vidmm_allocation *allocation) {
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next)
        iommu_mapping_set_access(mapping);
}

void iommu_mapping_forget(struct vidmm_allocation *allocation) {
    while (allocation->mappings)
        iommu_mapping_end(allocation->mappings);
}
