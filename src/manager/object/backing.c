/*
 * backing.c - see backing.h. Pages are write-combined unless the driver asked for Cached, lie where
 * the GPU can reach them, and are kept until the allocation dies: an eviction can then never fail
 * for want of memory.
 */
#include "object/backing.h"

/* Large pages can only lead to what lies together. */
static uint32_t backing_flags(const struct vidmm_allocation *allocation) {
    const struct adapter_facts *facts = &allocation->adapter->facts;
    bool large =
        facts->physical[allocation->home].mmu.large_system && allocation_may_be_large(allocation);
    return (allocation->info.Flags.Cached ? VIDMM_PAGES_CACHED : 0) |
           (large ? VIDMM_PAGES_LARGE : 0);
}

bool backing_create(struct vidmm_allocation *allocation, PMDL existing) {
    const struct vidmm_adapter *adapter = allocation->adapter;
    const struct vidmm_os *os = &adapter->os;
    uint64_t highest = (uint64_t)adapter->facts.caps.HighestAcceptableAddress.QuadPart;
    if (existing) {
        allocation->mdl = existing;
        allocation->content = true;
        return true;
    }
    allocation->mdl = os->pages_alloc(os->ctx, (size_t)(allocation->size / PAGE_BYTES),
                                      backing_flags(allocation), highest ? highest : UINT64_MAX);
    allocation->own_pages = allocation->mdl;
    return allocation->own_pages;
}

/* Entries of `parts`: one for each part that a transfer may have. */
static uint64_t backing_part_count(const struct vidmm_allocation *allocation) {
    uint64_t chunk = allocation->adapter->settings.transfer_chunk;
    return chunk == 0 ? 1 : (allocation->size + chunk - 1) / chunk;
}

static void backing_parts_destroy(struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    uint64_t count = backing_part_count(allocation);
    if (!allocation->parts)
        return;
    for (uint64_t i = 0; i < count; i++)
        if (allocation->parts[i])
            os->pages_free(os->ctx, allocation->parts[i]);
    adapter_free(allocation->adapter, allocation->parts, count * sizeof(*allocation->parts));
    allocation->parts = NULL;
}

void backing_destroy(struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    backing_parts_destroy(allocation);
    if (allocation->own_pages)
        os->pages_free(os->ctx, allocation->mdl);
    allocation->mdl = NULL;
    allocation->cpu = NULL;
    allocation->own_pages = false;
}

void *allocation_cpu(struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    if (!allocation->cpu)
        allocation->cpu = os->pages_map(os->ctx, allocation->mdl);
    return allocation->cpu;
}

bool backing_has_parts(const struct vidmm_adapter *adapter) {
    return adapter->os.pages_part;
}

PMDL backing_part(struct vidmm_allocation *allocation, uint64_t at, uint64_t size) {
    struct vidmm_adapter *adapter = allocation->adapter;
    const struct vidmm_os *os = &adapter->os;
    if (size == allocation->size)
        return allocation->mdl;
    if (!allocation->parts)
        allocation->parts =
            adapter_alloc(adapter, backing_part_count(allocation) * sizeof(*allocation->parts));
    if (!allocation->parts)
        return NULL;
    PMDL *part = &allocation->parts[at / adapter->settings.transfer_chunk];
    if (!*part)
        *part = os->pages_part(os->ctx, allocation->mdl, (size_t)(at / PAGE_BYTES),
                               (size_t)(size / PAGE_BYTES));
    return *part;
}
