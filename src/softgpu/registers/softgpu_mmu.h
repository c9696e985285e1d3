/*
 * softgpu_mmu.h - the GPU's virtual memory: the format of page tables, and the registers that only
 * a board with an MMU, or behind an IOMMU, has. A part of the register specification
 * (softgpu_regs.h, which includes it and has the commands); docs/softgpu.md has it as tables.
 *
 * A virtual submission names a root table and a space, the tag of its translations in the TLB. All
 * addresses in its commands are then GPU virtual addresses, its own address included. What the TLB
 * holds is used until it is flushed or displaced, whatever the tables say meanwhile.
 *
 * A shared submission names a PASID instead: all its addresses are those of the CPU in that
 * process, and the platform's IOMMU translates them. A board may have both, or either.
 */
#ifndef SOFTGPU_MMU_H
#define SOFTGPU_MMU_H

#include <stdint.h>

/* ---- What the board has ---------------------------------------------------------------------- */

#define GPU_REG_MMU       0x040u /* 32, read: see GPU_MMU_* below, 0: this board has no MMU */
#define GPU_REG_MMU_BITS  0x048u /* 64, read: byte n: index bits of level n (0: the leaves) */
#define GPU_REG_IOMMU     0x078u /* 32, read: 1: shared submissions are possible */
#define GPU_MMU_LEVELS(r) ((r)&0xfu)
#define GPU_MMU_PAGES(r)  ((r) >> 4 & 0xfu)  /* GPU_PAGES_* */
#define GPU_MMU_HAS(r)    ((r) >> 8 & 0xffu) /* GPU_MMU_HAS_* */
#define GPU_MMU_SPACES(r)                                                                          \
    ((r) >> 16 & 0xffffu) /* spaces that the TLB tells apart: ids below this */

#define GPU_LEVELS_MIN 2u
#define GPU_LEVELS_MAX 6u

/* Which sizes of leaf pages there are. */
#define GPU_PAGES_4K 0u
#define GPU_PAGES_SINGLE                                                                           \
    1u                    /* a level-1 entry says which its leaf table has (GPU_PTE_TABLE_64K)     \
                           */
#define GPU_PAGES_DUAL 2u /* a level-1 entry is two words: the 4 KiB table, the 64 KiB table */

#define GPU_MMU_HAS_READ_ONLY  0x1u
#define GPU_MMU_HAS_NO_EXECUTE 0x2u
#define GPU_MMU_HAS_ZERO       0x4u
#define GPU_MMU_HAS_LARGE      0x8u  /* GPU_PTE_LARGE */
#define GPU_MMU_CACHES_INVALID 0x10u /* that a page is not mapped is cached too */
#define GPU_MMU_LARGE_ANYWHERE 0x20u /* a large page begins at any multiple of 4 KiB */
#define GPU_MMU_LARGE_SYSTEM   0x40u /* and may lie in system memory */
#define GPU_SPACES             1024u

/* ---- Entries --------------------------------------------------------------------------------- */

/*
 * An entry is a 64-bit word; tables begin at multiples of 4 KiB. Bits that mean nothing in their
 * place, or that the board does not have, must be 0: an entry that breaks this is a fault.
 */
#define GPU_PTE_VALID      0x1u
#define GPU_PTE_ZERO       0x2u /* page: reads as zero, writes are dropped; the address is ignored */
#define GPU_PTE_COHERENT   0x4u  /* snooped: makes no difference to this model; everywhere */
#define GPU_PTE_READ_ONLY  0x8u  /* page */
#define GPU_PTE_NO_EXECUTE 0x10u /* page: no commands are fetched from it */
#define GPU_PTE_LARGE      0x20u /* level 1 and up: a page as large as all that the entry covers */
#define GPU_PTE_TABLE_64K  0x40u /* level 1, GPU_PAGES_SINGLE: the leaf table has 64 KiB pages */
/*
 * GPU physical address (bus, VRAM or aperture: there is one address space) of the page or table. A
 * page is aligned to its size, a large one not with GPU_MMU_LARGE_ANYWHERE.
 */
#define GPU_PTE_ADDRESS ((UINT64_C(1) << 48) - 4096u)

#define GPU_PAGE_64K       65536u
#define GPU_PAGE_64K_SHIFT 16u
#define GPU_BITS_64K       4u /* a table of 64 KiB pages has so many index bits less */

/* GPU_REG_MMU and GPU_REG_MMU_BITS, unpacked. */
struct gpu_mmu_format {
    uint32_t levels, pages, has;
    uint32_t bits[GPU_LEVELS_MAX];
};

static inline struct gpu_mmu_format gpu_mmu_format(uint32_t mmu, uint64_t bits) {
    struct gpu_mmu_format format = {GPU_MMU_LEVELS(mmu), GPU_MMU_PAGES(mmu), GPU_MMU_HAS(mmu), {0}};
    for (uint32_t level = 0; level < format.levels && level < GPU_LEVELS_MAX; level++)
        format.bits[level] = (uint32_t)(bits >> 8 * level & 0xffu);
    return format;
}

/* An entry of `level` covers 1 << shift bytes of virtual addresses; `levels`: of all. */
static inline uint32_t gpu_mmu_shift(const struct gpu_mmu_format *format, uint32_t level) {
    uint32_t shift = 12;
    for (uint32_t below = 0; below < level; below++)
        shift += format->bits[below];
    return shift;
}

/* Words of one entry: 2 in level 1 of GPU_PAGES_DUAL. */
static inline uint32_t gpu_mmu_words(const struct gpu_mmu_format *format, uint32_t level) {
    return level == 1 && format->pages == GPU_PAGES_DUAL ? 2 : 1;
}

/* Which entry of its table of `level` translates `va`. */
static inline uint64_t gpu_mmu_index(const struct gpu_mmu_format *format, uint32_t level,
                                     uint64_t va) {
    return va >> gpu_mmu_shift(format, level) & ((UINT64_C(1) << format->bits[level]) - 1);
}

/* Bytes of a table, not rounded. */
static inline uint64_t gpu_mmu_table_bytes(const struct gpu_mmu_format *format, uint32_t level) {
    return (UINT64_C(8) << format->bits[level]) * gpu_mmu_words(format, level);
}

/* Bytes of a leaf table with 64 KiB pages, not rounded. */
static inline uint64_t gpu_mmu_table_64k_bytes(const struct gpu_mmu_format *format) {
    return UINT64_C(8) << (format->bits[0] - GPU_BITS_64K);
}

/* ---- Flushing by register -------------------------------------------------------------------- */

#define GPU_REG_FLUSH_START 0x050u /* 64 */
#define GPU_REG_FLUSH_END   0x058u /* 64: the first address behind */
#define GPU_REG_FLUSH_SPACE 0x060u /* 32 */
#define GPU_REG_FLUSH       0x064u /* 32, write GPU_FLUSH_*: done when the write returns */
#define GPU_REG_TLB_HITS    0x068u /* 64, read: translations found in the TLB since the start */
#define GPU_REG_TLB_MISSES  0x070u /* 64, read: tables walked */

#define GPU_FLUSH_ALL   1u /* every space */
#define GPU_FLUSH_SPACE 2u /* one space */
#define GPU_FLUSH_RANGE 3u /* one space, [start, end): pages that have a byte in it */

/* ---- Registers of engine n, behind GPU_ENGINE_COMMAND ---------------------------------------- */

#define GPU_ENGINE_ROOT         0x38u /* 64: of the root table, a GPU physical address */
#define GPU_ENGINE_ROOT_ENTRIES 0x40u /* 32: how many it has; what is beyond is a fault */
#define GPU_ENGINE_SPACE        0x44u /* 32: below GPU_SPACES */
/* Of the newest page fault; all read. */
#define GPU_ENGINE_FAULT_VA     0x48u /* 64 */
#define GPU_ENGINE_FAULT_ROOT   0x50u /* 64 */
#define GPU_ENGINE_FAULT_SPACE  0x58u /* 32 */
#define GPU_ENGINE_FAULT_ACCESS 0x5cu /* 32: GPU_ACCESS_* */
#define GPU_ENGINE_FAULT_LEVEL  0x60u /* 32: of the table whose entry was at fault */
#define GPU_ENGINE_PASID        0x64u /* 32: of the process whose addresses a submission shares */

/*
 * With a kind in the doorbell: the submission is virtual. ADDRESS, ROOT, ROOT_ENTRIES and SPACE are
 * latched. A paging submission is privileged: see GPU_FLAG_PHYSICAL and the commands below.
 */
#define GPU_DOORBELL_VIRTUAL 0x10u
/*
 * With RENDER in the doorbell: the submission is shared. ADDRESS, PASID and SPACE are latched;
 * SPACE then only names the process of a fault.
 */
#define GPU_DOORBELL_SHARED 0x20u

/*
 * With VIRTUAL and RENDER in the doorbell: root table, space and what the context left behind are
 * in memory at CONTEXT, a GPU physical address, which is latched in place of ROOT, ROOT_ENTRIES and
 * SPACE. They are read when the submission begins; a state that is none, and a save area that does
 * not hold what the submission before it left there, is GPU_FAULT_STATE.
 */
#define GPU_ENGINE_CONTEXT 0x70u /* 64 */
#define GPU_DOORBELL_SAVED 0x40u

#define GPU_CONTEXT_MAGIC UINT64_C(0x0054584554435047) /* "GPCTEXT" */

struct gpu_context_state {
    uint64_t magic;
    uint64_t root; /* as GPU_ENGINE_ROOT */
    uint32_t root_entries;
    uint32_t space;
    uint64_t save;       /* of the save area, a GPU virtual address, whole pages */
    uint32_t save_pages; /* at most GPU_SAVE_PAGES_MAX */
    uint32_t saves;      /* by the GPU: submissions that came to their end */
};

#define GPU_SAVE_PAGES_MAX 4096u

#define GPU_ACCESS_READ    0u
#define GPU_ACCESS_WRITE   1u
#define GPU_ACCESS_EXECUTE 2u /* fetching commands */

/* GPU_ENGINE_EVENTS: a GPU_SIGNAL with GPU_FLAG_NOTIFY was executed. */
#define GPU_EVENT_SIGNALED 8u

#endif
