/*
 * iommu.h - the IoMmu model (iommu-model.md): the GPU uses the CPU's addresses of a process, and
 * the operating system's IOMMU translates them with the process's page tables.
 *
 * There are no page tables of the manager's here, and no addresses of its choice: an allocation is
 * where the CPU's view of its system pages is, for as long as it lives. Only system memory can be
 * reached so. Allocations float in an aperture's budget without a range of it, unless the GPU or
 * the display reads them physically: those are mapped into it like without virtual addresses, by
 * physical paging. Residency is the same as with page tables of the GPU; what is not resident the
 * IOMMU does not let the GPU reach.
 */
#ifndef VIDMM_MANAGER_IOMMU_H
#define VIDMM_MANAGER_IOMMU_H

#include "base/process.h"

/* At start: the driver has what the model needs. */
enum vidmm_status iommu_start(struct vidmm_adapter *adapter);
/* A process is registered, before the driver hears of it: process->pasid. */
enum vidmm_status iommu_enter(struct vidmm_process *process);
void iommu_leave(struct vidmm_process *process);
/* A driver with both models has to use this one in a context of a process. */
enum vidmm_status iommu_check_context(struct vidmm_adapter *adapter, const DXGK_CONTEXTINFO *info);

/* vidmm_va_map: the address is the CPU's. */
enum vidmm_status iommu_map(struct vidmm_process *process, const struct vidmm_va_request *request,
                            uint64_t *va);
/* vidmm_va_free: of all of an allocation. */
enum vidmm_status iommu_free(struct vidmm_process *process, uint64_t va, uint64_t size);

#endif
