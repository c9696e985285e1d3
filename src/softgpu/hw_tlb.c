/*
 * hw_tlb.c - a set associative TLB, tagged with address spaces, for pages of any size.
 */
#include "hw_mmu.h"

#define WAYS_MAX 64u
#define SETS_MAX 65536u

static uint64_t count(const struct hw_tlb *tlb) {
    return (uint64_t)tlb->sets * tlb->ways;
}

bool hw_tlb_make(struct hw *hw, struct hw_tlb *tlb, uint64_t sets, uint64_t ways) {
    if (sets == 0 || sets > SETS_MAX || (sets & (sets - 1)) != 0 || ways == 0 || ways > WAYS_MAX)
        return false;
    tlb->sets = (uint32_t)sets;
    tlb->ways = (uint32_t)ways;
    tlb->entry = hw->host.alloc(hw->host.ctx, count(tlb) * sizeof *tlb->entry);
    tlb->victim = hw->host.alloc(hw->host.ctx, sets * sizeof *tlb->victim);
    return tlb->entry != NULL && tlb->victim != NULL;
}

void hw_tlb_drop(struct hw *hw, struct hw_tlb *tlb) {
    if (tlb->entry != NULL)
        hw->host.free(hw->host.ctx, tlb->entry, count(tlb) * sizeof *tlb->entry);
    if (tlb->victim != NULL)
        hw->host.free(hw->host.ctx, tlb->victim, tlb->sets * sizeof *tlb->victim);
}

static uint32_t set_of(const struct hw_tlb *tlb, uint32_t space, uint64_t page) {
    return (uint32_t)(page ^ page >> 9 ^ space * 7u) & (tlb->sets - 1);
}

static const struct hw_leaf *find_size(const struct hw_tlb *tlb, uint32_t space, uint64_t page,
                                       uint32_t shift) {
    const struct hw_tlb_entry *entry = tlb->entry + (uint64_t)set_of(tlb, space, page) * tlb->ways;
    for (uint32_t way = 0; way < tlb->ways; way++, entry++)
        if (entry->used && entry->page == page && entry->space == space &&
            entry->leaf.shift == shift)
            return &entry->leaf;
    return NULL;
}

/* Small pages first, where the TLB holds a large page and, of newer tables, a small one in it. */
const struct hw_leaf *hw_tlb_find(const struct hw_tlb *tlb, uint32_t space, uint64_t va) {
    for (uint64_t shifts = tlb->shifts; shifts != 0; shifts &= shifts - 1) {
        uint32_t shift = (uint32_t)__builtin_ctzll(shifts);
        const struct hw_leaf *leaf = find_size(tlb, space, va >> shift, shift);
        if (leaf != NULL)
            return leaf;
    }
    return NULL;
}

void hw_tlb_put(struct hw_tlb *tlb, uint32_t space, uint64_t va, const struct hw_leaf *leaf) {
    uint64_t page = va >> leaf->shift;
    uint32_t set = set_of(tlb, space, page), way = tlb->victim[set];
    struct hw_tlb_entry *entry = tlb->entry + (uint64_t)set * tlb->ways;
    /* One that is free before one that is not. */
    for (uint32_t i = 0; i < tlb->ways; i++) {
        if (!entry[i].used) {
            way = i;
            break;
        }
    }
    if (entry[way].used)
        tlb->victim[set] = (way + 1) % tlb->ways;
    entry[way] = (struct hw_tlb_entry){page, *leaf, space, true};
    tlb->shifts |= UINT64_C(1) << leaf->shift;
}

static bool goes(const struct hw_tlb_entry *entry, const struct hw_flush *flush) {
    uint64_t first = entry->page << entry->leaf.shift;
    uint64_t last = first + ((UINT64_C(1) << entry->leaf.shift) - 1);
    return (flush->all_spaces || entry->space == flush->space) && first <= flush->last &&
           last >= flush->start && !(flush->short_of && entry->page % 2 != 0);
}

/* Only the sets that pages of a short range can be in. False: it is not that short. */
static bool flush_short(struct hw_tlb *tlb, const struct hw_flush *flush) {
    uint64_t pages = 0, bytes = flush->last - flush->start;
    for (uint64_t shifts = tlb->shifts; shifts != 0; shifts &= shifts - 1)
        pages += (bytes >> __builtin_ctzll(shifts)) + 2;
    if (flush->all_spaces || flush->last < flush->start || pages > tlb->sets)
        return false;
    for (uint64_t shifts = tlb->shifts; shifts != 0; shifts &= shifts - 1) {
        uint32_t shift = (uint32_t)__builtin_ctzll(shifts);
        for (uint64_t page = flush->start >> shift; page <= flush->last >> shift; page++) {
            uint64_t first = (uint64_t)set_of(tlb, flush->space, page) * tlb->ways;
            for (uint64_t i = first; i < first + tlb->ways; i++)
                tlb->entry[i].used = tlb->entry[i].used && !goes(&tlb->entry[i], flush);
        }
    }
    return true;
}

void hw_tlb_flush(struct hw_tlb *tlb, const struct hw_flush *flush) {
    if (flush_short(tlb, flush))
        return;
    tlb->shifts = 0;
    for (uint64_t i = 0; i < count(tlb); i++) {
        struct hw_tlb_entry *entry = &tlb->entry[i];
        entry->used = entry->used && !goes(entry, flush);
        if (entry->used)
            tlb->shifts |= UINT64_C(1) << entry->leaf.shift;
    }
}
