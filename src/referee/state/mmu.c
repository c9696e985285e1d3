/*
 * mmu.c - what follows from the shape of the page tables that the driver described; see tables.h.
 */
#include "state/judge.h"

uint32_t tables_shift(struct vidmm_referee *referee, uint32_t level) {
    uint32_t shift = TABLES_PAGE_SHIFT;
    for (uint32_t i = 0; i < level; i++)
        shift += referee->tables.mmu.level[i].PageTableIndexBitCount;
    return shift < 63 ? shift : 63;
}

bool tables_has(struct vidmm_referee *referee, uint32_t version, bool bit) {
    return bit && referee->adapter.version >= version;
}

uint64_t tables_limit(struct vidmm_referee *referee) {
    uint32_t bits = referee->tables.mmu.caps.VirtualAddressBitCount;
    return bits < 64 ? UINT64_C(1) << bits : UINT64_MAX;
}

uint32_t tables_entry_shift(struct vidmm_referee *referee, const struct tables_table *table) {
    return table->wide ? TABLES_WIDE_SHIFT : tables_shift(referee, table->level);
}
