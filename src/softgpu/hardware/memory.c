/*
 * memory.c - the GPU's address space: VRAM, apertures with their page tables, the bus, and the
 * same of the boards that are linked to this one.
 *
 * Every physical address that a command names goes through hw_at, where an address that means
 * nothing becomes a fault instead of a crash. reach.c takes the virtual addresses too.
 */
#include <sys/mman.h>

#include "hardware/hw.h"

/* Pages of an aperture are looked at together up to here. */
#define MERGE_BYTES (UINT64_C(2) << 20)

bool hw_memory_make(struct hw_memory *memory, uint64_t size) {
    memory->bytes = NULL;
    memory->size = size;
    if (size == 0)
        return true;
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return false;
    /* Only a hint: without huge pages large copies lose a third of their speed to TLB misses. */
    (void)madvise(bytes, size, MADV_HUGEPAGE);
    memory->bytes = bytes;
    return true;
}

void hw_memory_drop(struct hw_memory *memory) {
    if (memory->bytes)
        munmap(memory->bytes, memory->size);
    memory->bytes = NULL;
}

void hw_memory_clear(struct hw_memory *memory) {
    if (memory->bytes)
        (void)madvise(memory->bytes, memory->size, MADV_DONTNEED);
}

/* The aperture that `address` is in, or NULL. */
static const struct hw_aperture *aperture_at(const struct hw *hw, uint64_t address,
                                             uint64_t *offset) {
    for (uint32_t i = 0; i < GPU_APERTURES; i++) {
        if (address < GPU_APERTURE_BASE(i))
            continue;
        *offset = address - GPU_APERTURE_BASE(i);
        if (*offset < hw->aperture[i].pages * GPU_PAGE)
            return &hw->aperture[i];
    }
    return NULL;
}

struct hw *hw_peer_owner(struct hw *hw, uint64_t *address) {
    uint64_t window = GPU_PEER_WINDOW(*address);
    if (!hw_linked(hw) || window > hw->host.linked)
        return NULL;
    *address = GPU_PEER_ADDRESS(*address);
    return hw->host.peer(hw->host.ctx, (uint32_t)window - 1);
}

/* The aperture that has all of it, or NULL. */
static const struct hw_aperture *aperture_over(const struct hw *hw, uint64_t address,
                                               uint64_t bytes, uint64_t *offset) {
    const struct hw_aperture *aperture = aperture_at(hw, address, offset);
    return aperture && hw_within(*offset, bytes, aperture->pages * GPU_PAGE) ? aperture : NULL;
}

bool hw_inside(struct hw *hw, uint64_t address, uint64_t bytes) {
    uint64_t offset;
    hw = hw_owner(hw, &address);
    if (!hw)
        return false;
    if (address < GPU_BUS_END)
        return bytes <= GPU_BUS_END - address;
    return hw_in_vram(hw, address, bytes) || aperture_over(hw, address, bytes, &offset);
}

enum gpu_fault hw_bus_at(struct hw *hw, uint64_t address, unsigned char **at, uint64_t *bytes) {
    uint64_t page_left = GPU_PAGE - address % GPU_PAGE;
    *at = hw->host.memory(hw->host.ctx, address, (size_t)*bytes);
    if (!*at && *bytes > page_left) {
        *bytes = page_left;
        *at = hw->host.memory(hw->host.ctx, address, (size_t)page_left);
    }
    return *at ? GPU_FAULT_NONE : GPU_FAULT_BUS;
}

/* The bus address behind an aperture offset; pages that follow each other there make one piece. */
static enum gpu_fault aperture_bus(const struct hw_aperture *aperture, uint64_t offset,
                                   uint64_t *address, uint64_t *bytes) {
    uint64_t page = offset / GPU_PAGE;
    uint64_t entry = atomic_load_explicit(&aperture->entries[page], memory_order_acquire);
    uint64_t have = GPU_PAGE - offset % GPU_PAGE;
    if (!(entry & HW_ENTRY_VALID))
        return GPU_FAULT_ADDRESS;
    *address = entry / GPU_PAGE * GPU_PAGE + offset % GPU_PAGE;
    while (have < *bytes && have < MERGE_BYTES) {
        uint64_t next = atomic_load_explicit(&aperture->entries[++page], memory_order_acquire);
        if (!(next & HW_ENTRY_VALID) || next / GPU_PAGE != entry / GPU_PAGE + 1)
            break;
        entry = next;
        have += GPU_PAGE;
    }
    if (have < *bytes)
        *bytes = have;
    return GPU_FAULT_NONE;
}

bool hw_aperture_snoops(const struct hw *hw, uint64_t address, bool *snoops) {
    uint64_t offset = 0;
    const struct hw_aperture *aperture = aperture_at(hw, address, &offset);
    uint64_t entry =
        aperture ? atomic_load_explicit(&aperture->entries[offset / GPU_PAGE], memory_order_acquire)
                 : 0;
    *snoops = (entry & HW_ENTRY_COHERENT) != 0;
    return (entry & HW_ENTRY_VALID) != 0;
}

enum gpu_fault hw_at(struct hw *hw, uint64_t address, unsigned char **at, uint64_t *bytes) {
    hw = hw_owner(hw, &address);
    if (!hw || *bytes == 0)
        return GPU_FAULT_ADDRESS;
    if (hw_in_vram(hw, address, *bytes)) {
        *at = hw_vram_at(hw, address);
        return GPU_FAULT_NONE;
    }
    if (address < GPU_BUS_END)
        return *bytes <= GPU_BUS_END - address ? hw_bus_at(hw, address, at, bytes)
                                               : GPU_FAULT_ADDRESS;
    uint64_t offset = 0;
    const struct hw_aperture *aperture = aperture_over(hw, address, *bytes, &offset);
    enum gpu_fault fault =
        aperture ? aperture_bus(aperture, offset, &address, bytes) : GPU_FAULT_ADDRESS;
    return fault == GPU_FAULT_NONE ? hw_bus_at(hw, address, at, bytes) : fault;
}
