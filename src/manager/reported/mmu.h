/*
 * mmu.h - the GPU's MMU as the driver describes it: levels of page tables, page sizes, and how
 * tables are written.
 *
 * mmu_query.c asks and checks; no other file reads DXGK_GPUMMUCAPS to find out about the shape of a
 * table. Level 0 is the leaves; `levels - 1` is the root.
 */
#ifndef VIDMM_MANAGER_MMU_H
#define VIDMM_MANAGER_MMU_H

#include <vidmm/virtual.h>

#define PAGE_SHIFT_LARGE 16u /* pages of 64 KiB */

/* Which leaf tables there are (support-for-64kb-pages.md). */
enum mmu_pages {
    MMU_PAGES_4K,
    MMU_PAGES_SINGLE, /* a leaf table has pages of 4 KiB or of 64 KiB */
    MMU_PAGES_DUAL,   /* an entry of level 1 leads to a table of each */
};

struct mmu {
    bool has; /* the driver has GpuMmu */
    bool on;  /* and the adapter runs on it */
    DXGK_GPUMMUCAPS caps;
    enum mmu_pages pages;
    bool large; /* entries above the leaves may lead to memory: DXGK_PTE.LargePage, from 2.1 on */
    bool large_system; /* and to system memory, from 2.9 on */
    uint32_t levels;
    struct vidmm_level_info level[VIDMM_LEVELS_MAX];
    uint32_t wide_size; /* bytes of a leaf table with pages of 64 KiB */
    uint64_t limit;     /* addresses are below */
    uint64_t paging;    /* bytes of scratch space that the driver wants; 0: the manager chooses */
};

/* An entry of `level` covers 1 << shift bytes. */
static inline uint32_t mmu_shift(const struct mmu *mmu, uint32_t level) {
    uint32_t shift = PAGE_SHIFT;
    for (uint32_t below = 0; below < level; below++)
        shift += mmu->level[below].index_bits;
    return shift;
}

/* The highest level whose entries may lead to memory; 0: only leaves do. */
static inline uint32_t mmu_large_level(const struct mmu *mmu) {
    return mmu->large && mmu->on ? mmu->levels - 1 : 0;
}

/* The same whose entries may read as zero: "This applies to all page table levels" (ns-d3dkmddi-_dxgk_gpummucaps.md). */
static inline uint32_t mmu_zero_level(const struct mmu *mmu) {
    return mmu->caps.ZeroInPteSupported && mmu->on ? mmu->levels - 1 : 0;
}

/* The sum of the sizes of large pages that are no larger than `most`: powers of two. */
static inline uint64_t mmu_large_sizes(const struct mmu *mmu, uint64_t most) {
    uint64_t sizes = 0, size;
    for (uint32_t level = 1; level <= mmu_large_level(mmu); level++) {
        size = UINT64_C(1) << mmu_shift(mmu, level);
        sizes |= size <= most ? size : 0;
    }
    return sizes;
}

/* The root of two levels grows with what is mapped (gpu-virtual-address.md). */
static inline bool mmu_root_grows(const struct mmu *mmu) {
    return mmu->levels == DXGK_MIN_PAGE_TABLE_LEVEL_COUNT;
}

/* Entries that a table of `level` may have. */
static inline uint32_t mmu_entries(const struct mmu *mmu, uint32_t level) {
    if (level + 1 == mmu->levels) {
        uint32_t shift = mmu_shift(mmu, level);
        return (uint32_t)((mmu->limit + (UINT64_C(1) << shift) - 1) >> shift);
    }
    return 1u << mmu->level[level].index_bits;
}

#endif
