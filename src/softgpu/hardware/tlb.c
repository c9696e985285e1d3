/*
 * tlb.c - a set associative TLB, tagged with address spaces, for pages of any size.
 */
#include "hardware/mmu.h"

#define WAYS_MAX 64u
#define SETS_MAX 65536u

static size_t tlb_count(const struct hw_tlb *tlb) {
    return (size_t)tlb->sets * tlb->ways;
}

bool hw_tlb_make(struct hw *hw, struct hw_tlb *tlb, uint64_t sets, uint64_t ways) {
    if (sets == 0 || sets > SETS_MAX || (sets & (sets - 1)) != 0 || ways == 0 || ways > WAYS_MAX)
        return hw_refuse(hw, "TlbSets is a power of two up to 65536, TlbWays from 1 to 64");
    tlb->sets = (uint32_t)sets;
    tlb->ways = (uint32_t)ways;
    tlb->tag = hw->host.alloc(hw->host.ctx, tlb_count(tlb) * sizeof(*tlb->tag));
    tlb->leaf = hw->host.alloc(hw->host.ctx, tlb_count(tlb) * sizeof(*tlb->leaf));
    tlb->victim = hw->host.alloc(hw->host.ctx, sets * sizeof(*tlb->victim));
    return tlb->tag && tlb->leaf && tlb->victim;
}

void hw_tlb_drop(struct hw *hw, struct hw_tlb *tlb) {
    if (tlb->tag)
        hw->host.free(hw->host.ctx, tlb->tag, tlb_count(tlb) * sizeof(*tlb->tag));
    if (tlb->leaf)
        hw->host.free(hw->host.ctx, tlb->leaf, tlb_count(tlb) * sizeof(*tlb->leaf));
    if (tlb->victim)
        hw->host.free(hw->host.ctx, tlb->victim, tlb->sets * sizeof(*tlb->victim));
}

/* ---- Finding and filling --------------------------------------------------------------------- */

/* Into way `way`, or, when that is behind the last, into the one that is displaced next. */
static void put_way(struct hw_tlb *tlb, uint32_t set, uint32_t way, uint64_t tag,
                    const struct hw_leaf *leaf) {
    if (way == tlb->ways) {
        way = tlb->victim[set];
        tlb->victim[set] = way + 1 < tlb->ways ? way + 1 : 0;
    }
    size_t at = (size_t)set * tlb->ways + way;
    tlb->tag[at] = tag;
    tlb->leaf[at] = *leaf;
}

static void put_in(struct hw_tlb *tlb, uint32_t set, uint64_t tag, const struct hw_leaf *leaf) {
    const uint64_t *tags = &tlb->tag[(size_t)set * tlb->ways];
    uint32_t way = 0;
    /* One that is free before one that is not. */
    while (way < tlb->ways && tags[way] != 0)
        way++;
    put_way(tlb, set, way, tag, leaf);
}

void hw_tlb_put(struct hw_tlb *tlb, uint32_t space, uint64_t va, const struct hw_leaf *leaf) {
    uint64_t page = va >> leaf->shift;
    put_in(tlb, hw_tlb_set(tlb, space, page), hw_tlb_tag(space, page, leaf->shift), leaf);
    tlb->shifts |= UINT64_C(1) << leaf->shift;
}

/* The way with `tag`, or `ways`; and the first that is free, or `ways`. Without branches. */
static uint32_t tlb_look(const uint64_t *tags, uint32_t ways, uint64_t tag, uint32_t *empty) {
    uint32_t found = ways;
    *empty = ways;
    for (uint32_t way = ways; way-- > 0;) {
        found = tags[way] == tag ? way : found;
        *empty = tags[way] == 0 ? way : *empty;
    }
    return found;
}

uint32_t hw_tlb_follow(struct hw_tlb *tlb, uint32_t space, uint64_t va, const struct hw_leaf *leaf,
                       const hw_entry *entry, uint32_t pages, uint32_t *missed) {
    const uint32_t shift = leaf->shift, ways = tlb->ways;
    struct hw_leaf next = *leaf;
    uint64_t page = va >> shift;
    uint32_t done = 0, misses = 0, empty;
    for (; done < pages; done++, page++) {
        next.word += UINT64_C(1) << shift;
        /* The entry first: of scattered pages it says no at once. */
        if ((next.word & GPU_PTE_ADDRESS) == 0 ||
            atomic_load_explicit(&entry[done], memory_order_relaxed) != next.word)
            break;
        uint64_t tag = hw_tlb_tag(space, page, shift);
        uint32_t set = hw_tlb_set(tlb, space, page);
        size_t first = (size_t)set * ways;
        uint32_t way = tlb_look(&tlb->tag[first], ways, tag, &empty);
        if (way != ways && tlb->leaf[first + way].word != next.word)
            break;
        if (way == ways) {
            put_way(tlb, set, empty, tag, &next);
            misses++;
        }
    }
    *missed += misses;
    return done;
}

/* ---- Flushing -------------------------------------------------------------------------------- */

static uint64_t page_of(uint64_t tag) {
    return tag >> (HW_TLB_SPACE_BITS + HW_TLB_SHIFT_BITS);
}

static uint32_t space_of(uint64_t tag) {
    return (uint32_t)(tag >> HW_TLB_SHIFT_BITS) & ((1u << HW_TLB_SPACE_BITS) - 1);
}

static uint32_t shift_of(uint64_t tag) {
    return (uint32_t)tag & ((1u << HW_TLB_SHIFT_BITS) - 1);
}

static bool tlb_goes(uint64_t tag, const struct hw_flush *flush) {
    uint64_t first = page_of(tag) << shift_of(tag);
    uint64_t last = first + ((UINT64_C(1) << shift_of(tag)) - 1);
    return (flush->all_spaces || space_of(tag) == flush->space) && first <= flush->last &&
           last >= flush->start && !(flush->short_of && page_of(tag) % 2 != 0);
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
            uint64_t *tags = &tlb->tag[(size_t)hw_tlb_set(tlb, flush->space, page) * tlb->ways];
            uint64_t tag = hw_tlb_tag(flush->space, page, shift);
            for (uint32_t way = 0; way < tlb->ways; way++)
                tags[way] = tags[way] == tag && tlb_goes(tag, flush) ? 0 : tags[way];
        }
    }
    return true;
}

void hw_tlb_flush(struct hw_tlb *tlb, const struct hw_flush *flush) {
    if (flush_short(tlb, flush))
        return;
    tlb->shifts = 0;
    for (size_t i = 0; i < tlb_count(tlb); i++) {
        if (tlb->tag[i] != 0 && tlb_goes(tlb->tag[i], flush))
            tlb->tag[i] = 0;
        if (tlb->tag[i] != 0)
            tlb->shifts |= UINT64_C(1) << shift_of(tlb->tag[i]);
    }
}
