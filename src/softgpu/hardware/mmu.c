/*
 * mmu.c - the MMU as a block of the board: what it was made with, its registers, flushing, and
 * the back door through which the referee sees what it would do. translate.c does it.
 */
#include "hardware/mmu.h"

#include <string.h>

#define VA_BITS_MAX    57u
#define INDEX_BITS_MAX 18u
#define LEAF_BITS_MIN  5u /* a table of 64 KiB pages has at least two */
#define BY_CPU         0u /* values of MmuUpdateMode, which is the driver's */
#define BY_GPU         2u

/* ---- Making ---------------------------------------------------------------------------------- */

/*
 * Tables that the CPU writes are in system memory, where one has no more than a page: as many
 * entries of 8 bytes, and half as many pairs.
 */
static uint64_t default_bits(uint64_t levels, uint64_t pages, bool by_cpu) {
    static const uint64_t bits[GPU_LEVELS_MAX + 1] = {
        [2] = 0x0f0d, [3] = 0x0c0909, [4] = 0x09090909, [5] = 0x0405090909, [6] = 0x040404060909};
    if (by_cpu && levels == 2)
        return 0x0f09; /* the driver cuts the root */
    return bits[levels] - (by_cpu && pages == GPU_PAGES_DUAL ? 0x0100 : 0);
}

static bool set_format(struct hw *hw, struct hw_mmu *mmu, uint64_t levels) {
    uint64_t bits = hw->host.setting(hw->host.ctx, "MmuIndexBits", 0);
    uint64_t pages = hw->host.setting(hw->host.ctx, "MmuPages", GPU_PAGES_4K);
    uint64_t has =
        hw->host.setting(hw->host.ctx, "MmuFeatures",
                         GPU_MMU_HAS_READ_ONLY | GPU_MMU_HAS_NO_EXECUTE | GPU_MMU_HAS_ZERO);
    if (levels < GPU_LEVELS_MIN || levels > GPU_LEVELS_MAX || pages > GPU_PAGES_DUAL || has >= 128)
        return hw_refuse(hw,
                         "MmuLevels is 0 or from 2 to 6, MmuPages at most 2, MmuFeatures at most "
                         "127");
    if (bits == 0)
        bits = default_bits(levels, pages,
                            hw->host.setting(hw->host.ctx, "MmuUpdateMode", BY_GPU) == BY_CPU);
    mmu->format = gpu_mmu_format((uint32_t)(levels | pages << 4 | has << 8), bits);
    mmu->va_bits = gpu_mmu_shift(&mmu->format, (uint32_t)levels);
    for (uint32_t level = 0; level < levels; level++)
        if (mmu->format.bits[level] == 0 || mmu->format.bits[level] > INDEX_BITS_MAX)
            return hw_refuse(hw, "MmuIndexBits gives a level no bits, or more than 18");
    if (mmu->va_bits > VA_BITS_MAX || mmu->format.bits[0] < LEAF_BITS_MIN)
        return hw_refuse(hw,
                         "MmuIndexBits gives addresses of more than 57 bits, or the leaves less "
                         "than 5");
    return true;
}

/* Which bits entries may have, by what the board has. */
static void set_bits(struct hw_mmu *mmu) {
    uint32_t has = mmu->format.has;
    mmu->table_bits = GPU_PTE_VALID | GPU_PTE_COHERENT | GPU_PTE_ADDRESS;
    mmu->page_bits = mmu->table_bits | (has & GPU_MMU_HAS_READ_ONLY ? GPU_PTE_READ_ONLY : 0) |
                     (has & GPU_MMU_HAS_NO_EXECUTE ? GPU_PTE_NO_EXECUTE : 0) |
                     (has & GPU_MMU_HAS_ZERO ? GPU_PTE_ZERO : 0);
}

bool hw_mmu_make(struct hw *hw) {
    uint64_t levels = hw->host.setting(hw->host.ctx, "MmuLevels", 0);
    if (levels == 0)
        return true;
    struct hw_mmu *mmu = hw->host.alloc(hw->host.ctx, sizeof(*mmu));
    if (!mmu)
        return false;
    hw->mmu = mmu;
    pthread_mutex_init(&mmu->lock, NULL);
    for (uint32_t space = 0; space < GPU_SPACES; space++)
        mmu->root[space] = UINT64_MAX;
    if (!set_format(hw, mmu, levels))
        return false;
    set_bits(mmu);
    return hw_tlb_make(hw, &mmu->tlb, hw->host.setting(hw->host.ctx, "TlbSets", 64),
                       hw->host.setting(hw->host.ctx, "TlbWays", 4));
}

void hw_mmu_drop(struct hw *hw) {
    struct hw_mmu *mmu = hw->mmu;
    if (!mmu)
        return;
    hw_tlb_drop(hw, &mmu->tlb);
    pthread_mutex_destroy(&mmu->lock);
    hw->host.free(hw->host.ctx, mmu, sizeof(*mmu));
    hw->mmu = NULL;
}

/* ---- The back door --------------------------------------------------------------------------- */

/* What the TLB has for a space that ran with this root, or NULL. */
static const struct hw_leaf *mmu_cached(const struct hw_mmu *mmu, uint64_t root, uint64_t va) {
    const struct hw_leaf *leaf = NULL;
    for (uint32_t space = 0; space < mmu->spaces && !leaf; space++)
        if (mmu->root[space] == root)
            leaf = hw_tlb_find(&mmu->tlb, space, va);
    return leaf;
}

bool hw_mmu_query(struct hw *hw, uint64_t root, uint32_t entries, uint64_t va,
                  struct vidmm_hw_translation *out) {
    const struct hw_mmu *mmu = hw->mmu;
    struct hw_space space = {.root = root, .entries = entries != 0 ? entries : UINT32_MAX};
    struct hw_leaf leaf;
    uint64_t cost_ns = 0;
    if (!mmu)
        return false;
    pthread_mutex_lock(&hw->mmu->lock);
    const struct hw_leaf *found = mmu_cached(mmu, root, va);
    enum gpu_fault fault = GPU_FAULT_NONE;
    if (found)
        leaf = *found;
    else
        fault = hw_mmu_walk(hw, &space, va, &leaf, NULL, &cost_ns);
    pthread_mutex_unlock(&hw->mmu->lock);
    memset(out, 0, sizeof(*out));
    out->cached = found;
    if (fault != GPU_FAULT_NONE || leaf.word == 0)
        return true;
    out->valid = true;
    out->zero = (leaf.word & GPU_PTE_ZERO) != 0;
    out->read_only = (leaf.word & GPU_PTE_READ_ONLY) != 0;
    out->no_execute = (leaf.word & GPU_PTE_NO_EXECUTE) != 0;
    out->coherent = (leaf.word & GPU_PTE_COHERENT) != 0;
    out->page_bytes = UINT64_C(1) << leaf.shift;
    out->physical = hw->host.physical;
    if (!out->zero)
        out->address = (leaf.word & GPU_PTE_ADDRESS) + va % out->page_bytes;
    if (hw_linked(hw) && GPU_PEER_WINDOW(out->address) != 0) {
        out->physical = (uint32_t)GPU_PEER_WINDOW(out->address) - 1;
        out->address = GPU_PEER_ADDRESS(out->address);
    }
    return true;
}

/* ---- Registers and flushing ------------------------------------------------------------------ */

/* Nothing that can be ordered to fail. */
static void flush_locked(struct hw_mmu *mmu, const struct hw_flush *flush) {
    pthread_mutex_lock(&mmu->lock);
    mmu->flushes++;
    hw_tlb_flush(&mmu->tlb, flush);
    pthread_mutex_unlock(&mmu->lock);
}

void hw_mmu_stop(struct hw *hw) {
    const struct hw_flush everything = {true, false, 0, 0, UINT64_MAX};
    if (hw->mmu)
        flush_locked(hw->mmu, &everything);
}

bool hw_mmu_flush(struct hw *hw, uint32_t what, uint32_t space, uint64_t start, uint64_t end) {
    struct hw_flush flush = {what == GPU_FLUSH_ALL, false, space, 0, UINT64_MAX};
    if (what != GPU_FLUSH_ALL && what != GPU_FLUSH_SPACE && what != GPU_FLUSH_RANGE)
        return false;
    if (what == GPU_FLUSH_RANGE) {
        if (start >= end)
            return true;
        flush.start = start;
        flush.last = end - 1;
    }
    if (hw_damaged(hw, HW_DAMAGE_DROP_FLUSH))
        return true;
    flush.short_of = hw_damaged(hw, HW_DAMAGE_SHORT_FLUSH);
    flush_locked(hw->mmu, &flush);
    return true;
}

static uint64_t packed_bits(const struct gpu_mmu_format *format) {
    uint64_t bits = 0;
    for (uint32_t level = 0; level < format->levels; level++)
        bits |= (uint64_t)format->bits[level] << 8 * level;
    return bits;
}

uint64_t hw_mmu_read(struct hw *hw, uint32_t offset) {
    struct hw_mmu *mmu = hw->mmu;
    uint64_t value = 0;
    if (!mmu)
        return 0;
    pthread_mutex_lock(&mmu->lock);
    switch (offset) {
    case GPU_REG_MMU:
        value =
            mmu->format.levels | mmu->format.pages << 4 | mmu->format.has << 8 | GPU_SPACES << 16;
        break;
    case GPU_REG_MMU_BITS:
        value = packed_bits(&mmu->format);
        break;
    case GPU_REG_FLUSH_START:
        value = mmu->flush_start;
        break;
    case GPU_REG_FLUSH_END:
        value = mmu->flush_end;
        break;
    case GPU_REG_FLUSH_SPACE:
        value = mmu->flush_space;
        break;
    case GPU_REG_TLB_HITS:
        value = mmu->tlb.hits;
        break;
    case GPU_REG_TLB_MISSES:
        value = mmu->tlb.misses;
        break;
    }
    pthread_mutex_unlock(&mmu->lock);
    return value;
}

void hw_mmu_write(struct hw *hw, uint32_t offset, uint64_t value) {
    struct hw_mmu *mmu = hw->mmu;
    if (!mmu)
        return;
    pthread_mutex_lock(&mmu->lock);
    if (offset == GPU_REG_FLUSH_START)
        mmu->flush_start = value;
    else if (offset == GPU_REG_FLUSH_END)
        mmu->flush_end = value;
    else if (offset == GPU_REG_FLUSH_SPACE)
        mmu->flush_space = (uint32_t)value;
    uint64_t start = mmu->flush_start, end = mmu->flush_end;
    uint32_t space = mmu->flush_space;
    pthread_mutex_unlock(&mmu->lock);
    if (offset == GPU_REG_FLUSH)
        (void)hw_mmu_flush(hw, (uint32_t)value, space, start, end);
}
