/*
 * mmu.h - the MMU's own: the block and its registers (mmu.c), page table walks
 * (translate.c) and the TLB in front of them (tlb.c).
 *
 * One TLB serves all engines. What it holds is used whatever the tables say by now: forgetting to
 * flush it has the consequences that it has on silicon. Replacement takes turns within a set, so
 * the same accesses always displace the same translations. `lock` is a leaf of the lock order.
 */
#ifndef SOFTGPU_HW_MMU_H
#define SOFTGPU_HW_MMU_H

#include "hardware/hw.h"

/* The end of a walk. */
struct hw_leaf {
    uint64_t word;  /* the entry of the page; 0: there is none (GPU_MMU_CACHES_INVALID) */
    uint32_t shift; /* of the page's size */
    uint32_t level; /* of the table that has the entry */
};

/*
 * What is looked for, page, space and size, is one word a way and apart from what is found: a miss,
 * of which every page that is copied costs one, reads one line of a set of four.
 */
struct hw_tlb {
    uint64_t *tag;        /* sets * ways; 0: free */
    struct hw_leaf *leaf; /* likewise */
    uint32_t *victim;     /* way of each set that is displaced next */
    uint32_t sets, ways;
    uint64_t shifts; /* bit n: a page of 1 << n bytes may be in it */
    uint64_t hits, misses;
};

struct hw_mmu {
    struct gpu_mmu_format format;
    uint32_t va_bits;
    uint64_t page_bits, table_bits; /* that may be set in the entry of a page, of a table */
    pthread_mutex_t lock;
    struct hw_tlb tlb;
    uint64_t root[GPU_SPACES]; /* that each space used last */
    uint32_t spaces;           /* those above were never used */
    uint64_t flush_start, flush_end;
    uint32_t flush_space;
    uint64_t flushes;                                       /* so far */
    _Alignas(64) unsigned char zeros[GPU_PAGE];             /* what a zero page reads as */
    _Alignas(64) unsigned char sink[GPU_ENGINES][GPU_PAGE]; /* where writes to it go */
};

/* ---- mmu.c ----------------------------------------------------------------------------------- */

/* Reads the settings; true with hw->mmu NULL when there shall be none. */
bool hw_mmu_make(struct hw *hw);
void hw_mmu_drop(struct hw *hw);
/* A reset: the TLB is empty. */
void hw_mmu_stop(struct hw *hw);
/* The back door of vidmm_hw_model. */
bool hw_mmu_query(struct hw *hw, uint64_t root, uint32_t entries, uint64_t va,
                  struct vidmm_hw_translation *out);
uint64_t hw_mmu_read(struct hw *hw, uint32_t offset);
void hw_mmu_write(struct hw *hw, uint32_t offset, uint64_t value);
/* GPU_FLUSH_*; false when there is no such. */
bool hw_mmu_flush(struct hw *hw, uint32_t what, uint32_t space, uint64_t start, uint64_t end);

/* ---- translate.c: with `lock` held ----------------------------------------------------------- */

/*
 * `leaf->level` is that of the entry that decided, also of a fault. Adds to `cost_ns`. Notes the
 * leaf table in `leaves`, which may be NULL.
 */
enum gpu_fault hw_mmu_walk(struct hw *hw, const struct hw_space *space, uint64_t va,
                           struct hw_leaf *leaf, struct hw_leaves *leaves, uint64_t *cost_ns);

/* ---- tlb.c: likewise ------------------------------------------------------------------------- */

bool hw_tlb_make(struct hw *hw, struct hw_tlb *tlb, uint64_t sets, uint64_t ways);
void hw_tlb_drop(struct hw *hw, struct hw_tlb *tlb);
void hw_tlb_put(struct hw_tlb *tlb, uint32_t space, uint64_t va, const struct hw_leaf *leaf);
/* Tags are never 0, because no page is of one byte. */
#define HW_TLB_SHIFT_BITS 6u
#define HW_TLB_SPACE_BITS 10u
_Static_assert(GPU_SPACES <= 1u << HW_TLB_SPACE_BITS, "spaces do not fit a tag");

static inline uint64_t hw_tlb_tag(uint32_t space, uint64_t page, uint32_t shift) {
    return page << (HW_TLB_SPACE_BITS + HW_TLB_SHIFT_BITS) | (uint64_t)space << HW_TLB_SHIFT_BITS |
           shift;
}

static inline uint32_t hw_tlb_set(const struct hw_tlb *tlb, uint32_t space, uint64_t page) {
    return (uint32_t)(page ^ page >> 9 ^ space * 7u) & (tlb->sets - 1);
}

static inline const struct hw_leaf *hw_tlb_find_in(const struct hw_tlb *tlb, uint32_t set,
                                                   uint64_t tag) {
    size_t first = (size_t)set * tlb->ways;
    for (uint32_t way = 0; way < tlb->ways; way++)
        if (tlb->tag[first + way] == tag)
            return &tlb->leaf[first + way];
    return NULL;
}

/* Small pages first, where the TLB holds a large page and, of newer tables, a small one in it. */
static inline const struct hw_leaf *hw_tlb_find(const struct hw_tlb *tlb, uint32_t space,
                                                uint64_t va) {
    for (uint64_t shifts = tlb->shifts; shifts != 0; shifts &= shifts - 1) {
        uint32_t shift = (uint32_t)__builtin_ctzll(shifts);
        const struct hw_leaf *leaf = hw_tlb_find_in(tlb, hw_tlb_set(tlb, space, va >> shift),
                                                    hw_tlb_tag(space, va >> shift, shift));
        if (leaf)
            return leaf;
    }
    return NULL;
}

/*
 * Pages from `va` on that lead where `leaf`, of the page before it, goes on, with the same rights:
 * each from the TLB, or else from its entry, `entry` being that of `va`, into the TLB. So many, at
 * most `pages`; `*missed` counts the entries read. All pages in the TLB have the size of `leaf`.
 */
uint32_t hw_tlb_follow(struct hw_tlb *tlb, uint32_t space, uint64_t va, const struct hw_leaf *leaf,
                       const hw_entry *entry, uint32_t pages, uint32_t *missed);

/* Which translations go: of `space`, or of all, with a byte in [start, last]. */
struct hw_flush {
    bool all_spaces;
    bool short_of; /* an ordered fault: those of odd pages stay */
    uint32_t space;
    uint64_t start, last;
};
void hw_tlb_flush(struct hw_tlb *tlb, const struct hw_flush *flush);

#endif
