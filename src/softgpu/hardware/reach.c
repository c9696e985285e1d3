/*
 * reach.c - reads and writes memory at the addresses of a command, whichever they are: physical
 * (memory.c), translated by the MMU (translate.c), or of the CPU (iommu.c).
 */
#include <string.h>

#include "hardware/hw.h"

enum gpu_fault hw_reach(struct hw *hw, struct hw_engine *by, uint32_t access, uint64_t address,
                        unsigned char **at, uint64_t *bytes) {
    if (!by)
        return hw_at(hw, address, at, bytes);
    return by->space.shared ? hw_iommu_at(hw, by, access, address, at, bytes)
                            : hw_mmu_at(hw, by, access, address, at, bytes);
}

bool hw_named(struct hw *hw, const struct hw_engine *engine, uint64_t address, uint64_t bytes) {
    return engine->translate ? bytes <= GPU_VIRTUAL_LIMIT && bytes <= UINT64_MAX - address
                             : hw_inside(hw, address, bytes);
}

enum gpu_fault hw_read(struct hw *hw, struct hw_engine *by, uint32_t access, uint64_t address,
                       void *out, uint64_t bytes) {
    unsigned char *to = out;
    while (bytes != 0) {
        unsigned char *at;
        uint64_t part = bytes;
        enum gpu_fault fault = hw_reach(hw, by, access, address, &at, &part);
        if (fault != GPU_FAULT_NONE)
            return fault;
        memcpy(to, at, (size_t)part);
        to += part;
        address += part;
        bytes -= part;
    }
    return GPU_FAULT_NONE;
}

enum gpu_fault hw_write(struct hw *hw, struct hw_engine *by, uint64_t address, const void *in,
                        uint64_t bytes) {
    const unsigned char *from = in;
    while (bytes != 0) {
        unsigned char *at;
        uint64_t part = bytes;
        enum gpu_fault fault = hw_reach(hw, by, GPU_ACCESS_WRITE, address, &at, &part);
        if (fault != GPU_FAULT_NONE)
            return fault;
        memcpy(at, from, (size_t)part);
        hw_wrote(hw, at, part);
        from += part;
        address += part;
        bytes -= part;
    }
    return GPU_FAULT_NONE;
}
