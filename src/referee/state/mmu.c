/*
 * mmu.c - what follows from the shape of the page tables that the driver described; see tables.h.
 */
#include "state/judge.h"

struct tables_mmu *tables_mmu(struct vidmm_referee *referee, uint32_t physical) {
    return &referee->tables.mmu[physical];
}

bool tables_known(const struct vidmm_referee *referee) {
    return referee->tables.mmu[0].known;
}

uint32_t tables_entry_segment(const DXGK_PTE *entry) {
    return linked_segment((uint32_t)entry->PhysicalAdapterIndex, (uint32_t)entry->Segment);
}

uint32_t tables_shift(const struct tables_mmu *mmu, uint32_t level) {
    uint32_t shift = TABLES_PAGE_SHIFT;
    for (uint32_t i = 0; i < level; i++)
        shift += mmu->level[i].PageTableIndexBitCount;
    return shift < 63 ? shift : 63;
}

bool tables_has(struct vidmm_referee *referee, uint32_t version, bool bit) {
    return bit && referee->adapter.version >= version;
}

uint64_t tables_limit(const struct tables_mmu *mmu) {
    uint32_t bits = mmu->caps.VirtualAddressBitCount;
    return bits < 64 ? UINT64_C(1) << bits : UINT64_MAX;
}

uint32_t tables_entry_shift(struct vidmm_referee *referee, const struct tables_table *table) {
    const struct tables_mmu *mmu = tables_mmu(referee, table->physical);
    return table->wide ? TABLES_WIDE_SHIFT : tables_shift(mmu, table->level);
}
