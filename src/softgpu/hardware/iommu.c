/*
 * iommu.c - the CPU's addresses of a process: the GPU asks the platform's IOMMU for every
 * access, as a device with an empty translation cache would, and reaches system memory only.
 */
#include "hardware/hw.h"

enum gpu_fault hw_iommu_at(struct hw *hw, struct hw_engine *engine, uint32_t access, uint64_t va,
                           unsigned char **at, uint64_t *bytes) {
    size_t size = (size_t)*bytes;
    *at = hw->host.iommu(hw->host.ctx, engine->space.pasid, va, &size);
    if (!*at) {
        engine->trap = (struct hw_trap){.va = va, .space = engine->space.id, .access = access};
        return GPU_FAULT_IOMMU;
    }
    *bytes = size;
    engine->remote = true;
    return GPU_FAULT_NONE;
}
