/*
 * translate.c - from GPU virtual addresses to pieces of host memory: walks of page tables
 * (softgpu_mmu.h has the format) behind the TLB.
 *
 * Tables are read one word at a time, each where its parent says, at most as many as there are
 * levels: tables that name themselves, or nothing, end in a fault like any other wrong entry.
 *
 * Cost model, in virtual nanoseconds: 20 a table read in VRAM, 100 elsewhere; nothing for what the
 * TLB has.
 */
#include "hardware/mmu.h"

#define PAGE_ENTRIES_SHIFT 9u /* entries in a page of a table */
#define PAGE_ENTRIES       (1u << PAGE_ENTRIES_SHIFT)

#define WALK_VRAM_NS   20u
#define WALK_SYSTEM_NS 100u

/* Pages that follow each other physically are handed out together up to here. */
#define MERGE_BYTES (UINT64_C(2) << 20)

/* ---- Walking --------------------------------------------------------------------------------- */

struct walk {
    struct hw *hw;
    const struct hw_mmu *mmu;
    uint64_t va;
    uint32_t level; /* of the table being read */
    uint64_t cost_ns;
    struct hw_leaves *leaves; /* NULL: not wanted */
};

/* Word `index` of the table at `table`; NULL: there is no memory. */
static const hw_entry *find_word(struct walk *walk, uint64_t table, uint64_t index) {
    unsigned char *at;
    uint64_t bytes = sizeof(hw_entry), address = table + index * bytes;
    walk->cost_ns += hw_in_vram(walk->hw, address, bytes) ? WALK_VRAM_NS : WALK_SYSTEM_NS;
    if (hw_at(walk->hw, address, &at, &bytes) != GPU_FAULT_NONE)
        return NULL;
    return (const hw_entry *)(void *)at;
}

static enum gpu_fault read_entry(const hw_entry *entry, uint64_t *word) {
    if (!entry)
        return GPU_FAULT_TABLE;
    *word = atomic_load_explicit(entry, memory_order_relaxed);
    return *word & GPU_PTE_VALID ? GPU_FAULT_NONE : GPU_FAULT_INVALID;
}

static enum gpu_fault read_word(struct walk *walk, uint64_t table, uint64_t index, uint64_t *word) {
    return read_entry(find_word(walk, table, index), word);
}

/* Is this a page of 1 << shift bytes? */
static enum gpu_fault translate_page(const struct walk *walk, uint64_t word, uint32_t shift,
                                     struct hw_leaf *leaf) {
    uint64_t unaligned = word & GPU_PTE_ADDRESS & ((UINT64_C(1) << shift) - 1);
    if (walk->level != 0 && (walk->mmu->format.has & GPU_MMU_LARGE_ANYWHERE))
        unaligned = 0;
    if ((word & ~walk->mmu->page_bits) != 0 || (unaligned != 0 && !(word & GPU_PTE_ZERO)))
        return GPU_FAULT_FORMAT;
    *leaf = (struct hw_leaf){word, shift, walk->level};
    return GPU_FAULT_NONE;
}

/* For the next page. Not of dual entries, where there is another half to look at first. */
static void note_leaves(const struct walk *walk, const hw_entry *entry, uint32_t shift) {
    const struct gpu_mmu_format *format = &walk->mmu->format;
    uint32_t covers = shift + PAGE_ENTRIES_SHIFT, all = gpu_mmu_shift(format, 1);
    if (!walk->leaves || format->pages == GPU_PAGES_DUAL)
        return;
    covers = covers < all ? covers : all;
    *walk->leaves = (struct hw_leaves){
        entry, shift, covers, walk->va >> covers, walk->mmu->flushes, walk->cost_ns};
}

/* Reads the entry of a page from a leaf table of pages of 1 << shift bytes. */
static enum gpu_fault leaf_table(struct walk *walk, uint64_t table, uint32_t shift,
                                 struct hw_leaf *leaf) {
    uint64_t word;
    uint64_t index = gpu_mmu_index(&walk->mmu->format, 0, walk->va) >> (shift - GPU_PAGE_SHIFT);
    const hw_entry *entry = find_word(walk, table, index);
    walk->level = 0;
    if (entry)
        note_leaves(walk, entry - index % PAGE_ENTRIES, shift);
    enum gpu_fault fault = read_entry(entry, &word);
    return fault == GPU_FAULT_NONE ? translate_page(walk, word, shift, leaf) : fault;
}

/* What an entry of level 1 or above names: a page, or a table whose address is in `*table`. */
static enum gpu_fault above_leaves(const struct walk *walk, uint64_t word, struct hw_leaf *leaf,
                                   uint64_t *table) {
    const struct gpu_mmu_format *format = &walk->mmu->format;
    uint64_t known = walk->mmu->table_bits;
    *table = 0;
    if ((word & GPU_PTE_LARGE) && (format->has & GPU_MMU_HAS_LARGE))
        return translate_page(walk, word & ~(uint64_t)GPU_PTE_LARGE,
                              gpu_mmu_shift(format, walk->level), leaf);
    if (walk->level == 1 && format->pages == GPU_PAGES_SINGLE)
        known |= GPU_PTE_TABLE_64K;
    if ((word & ~known) != 0)
        return GPU_FAULT_FORMAT;
    *table = word & GPU_PTE_ADDRESS;
    return GPU_FAULT_NONE;
}

/* The 64 KiB half of a dual entry: INVALID, at either level, sends the walk to the other half. */
static enum gpu_fault dual_half(struct walk *walk, uint64_t table, uint64_t index,
                                struct hw_leaf *leaf) {
    uint64_t word;
    enum gpu_fault fault = read_word(walk, table, index, &word);
    if (fault != GPU_FAULT_NONE)
        return fault;
    if ((word & ~walk->mmu->table_bits) != 0)
        return GPU_FAULT_FORMAT;
    return leaf_table(walk, word & GPU_PTE_ADDRESS, GPU_PAGE_64K_SHIFT, leaf);
}

/* Level 1, from its entry down. */
static enum gpu_fault level_one(struct walk *walk, uint64_t table, uint64_t index,
                                struct hw_leaf *leaf) {
    const struct gpu_mmu_format *format = &walk->mmu->format;
    uint32_t words = gpu_mmu_words(format, 1);
    uint64_t word, leaves;
    enum gpu_fault fault;
    if (words == 2) {
        fault = dual_half(walk, table, index * words + 1, leaf);
        if (fault != GPU_FAULT_INVALID)
            return fault;
        walk->level = 1;
    }
    fault = read_word(walk, table, index * words, &word);
    if (fault == GPU_FAULT_NONE)
        fault = above_leaves(walk, word, leaf, &leaves);
    if (fault != GPU_FAULT_NONE || leaf->word != 0)
        return fault;
    return leaf_table(walk, leaves, word & GPU_PTE_TABLE_64K ? GPU_PAGE_64K_SHIFT : GPU_PAGE_SHIFT,
                      leaf);
}

/* From the root down. */
static enum gpu_fault walk_tables(struct walk *walk, const struct hw_space *space,
                                  struct hw_leaf *leaf) {
    const struct gpu_mmu_format *format = &walk->mmu->format;
    uint64_t table = space->root;
    *leaf = (struct hw_leaf){0, 0, 0};
    walk->level = format->levels - 1;
    if (walk->va >> walk->mmu->va_bits != 0 ||
        gpu_mmu_index(format, walk->level, walk->va) >= space->entries)
        return GPU_FAULT_RANGE;
    if ((table & ~(uint64_t)GPU_PTE_ADDRESS) != 0)
        return GPU_FAULT_TABLE;
    for (; walk->level > 1; walk->level--) {
        uint64_t word;
        enum gpu_fault fault =
            read_word(walk, table, gpu_mmu_index(format, walk->level, walk->va), &word);
        if (fault == GPU_FAULT_NONE)
            fault = above_leaves(walk, word, leaf, &table);
        if (fault != GPU_FAULT_NONE || leaf->word != 0)
            return fault;
    }
    return level_one(walk, table, gpu_mmu_index(format, 1, walk->va), leaf);
}

static bool is_near(const struct hw *hw, const struct hw_leaves *leaves, uint64_t va) {
    return leaves && leaves->entry && leaves->flushes == hw->mmu->flushes &&
           leaves->index == va >> leaves->covers;
}

/* Reads one entry, and costs what reading those above it did. */
static enum gpu_fault walk_near(struct walk *walk, struct hw_leaf *leaf) {
    const struct hw_leaves *near = walk->leaves;
    uint64_t word;
    walk->level = 0;
    walk->cost_ns = near->cost_ns;
    *leaf = (struct hw_leaf){0, 0, 0};
    uint64_t into = walk->va & ((UINT64_C(1) << near->covers) - 1);
    enum gpu_fault fault = read_entry(&near->entry[into >> near->shift], &word);
    return fault == GPU_FAULT_NONE ? translate_page(walk, word, near->shift, leaf) : fault;
}

enum gpu_fault hw_mmu_walk(struct hw *hw, const struct hw_space *space, uint64_t va,
                           struct hw_leaf *leaf, struct hw_leaves *leaves, uint64_t *cost_ns) {
    struct walk walk = {hw, hw->mmu, va, 0, 0, leaves};
    enum gpu_fault fault =
        is_near(hw, leaves, va) ? walk_near(&walk, leaf) : walk_tables(&walk, space, leaf);
    leaf->level = walk.level;
    *cost_ns += walk.cost_ns;
    return fault;
}

/* ---- Translating ----------------------------------------------------------------------------- */

static enum gpu_fault translate_allowed(const struct hw_leaf *leaf, uint32_t access) {
    if (leaf->word == 0)
        return GPU_FAULT_INVALID;
    if (access == GPU_ACCESS_WRITE && (leaf->word & GPU_PTE_READ_ONLY))
        return GPU_FAULT_READ_ONLY;
    if (access == GPU_ACCESS_EXECUTE && (leaf->word & GPU_PTE_NO_EXECUTE))
        return GPU_FAULT_NO_EXECUTE;
    return GPU_FAULT_NONE;
}

/* A TLB that keeps what is not mapped fetches the entry behind a page's with it, and keeps that it is invalid. */
static void look_ahead(struct hw *hw, struct hw_engine *engine, uint64_t va,
                       const struct hw_leaf *leaf) {
    struct hw_mmu *mmu = hw->mmu;
    uint64_t next = (va | ((UINT64_C(1) << leaf->shift) - 1)) + 1, cost = 0;
    struct hw_leaf behind;
    if (hw_tlb_find(&mmu->tlb, engine->space.id, next) ||
        hw_mmu_walk(hw, &engine->space, next, &behind, NULL, &cost) != GPU_FAULT_INVALID)
        return;
    behind = (struct hw_leaf){0, GPU_PAGE_SHIFT, behind.level};
    hw_tlb_put(&mmu->tlb, engine->space.id, next, &behind);
}

/* From the TLB, or else from the tables into the TLB. */
static enum gpu_fault look_up(struct hw *hw, struct hw_engine *engine, uint64_t va,
                              struct hw_leaf *leaf) {
    struct hw_mmu *mmu = hw->mmu;
    const struct hw_leaf *found = hw_tlb_find(&mmu->tlb, engine->space.id, va);
    if (found) {
        mmu->tlb.hits++;
        *leaf = *found;
        return GPU_FAULT_NONE;
    }
    enum gpu_fault fault =
        hw_mmu_walk(hw, &engine->space, va, leaf, &engine->leaves, &engine->cost_ns);
    mmu->tlb.misses++;
    bool keeps = mmu->format.has & GPU_MMU_CACHES_INVALID;
    if (fault == GPU_FAULT_NONE && keeps)
        look_ahead(hw, engine, va, leaf);
    if (fault == GPU_FAULT_INVALID && keeps) {
        *leaf = (struct hw_leaf){0, GPU_PAGE_SHIFT, leaf->level};
        fault = GPU_FAULT_NONE;
    }
    if (fault == GPU_FAULT_NONE)
        hw_tlb_put(&mmu->tlb, engine->space.id, va, leaf);
    return fault;
}

/* One page: where `va` is, and how much of it is behind that. Zero pages have no address. */
static enum gpu_fault one_page(struct hw *hw, struct hw_engine *engine, uint32_t access,
                               uint64_t va, struct hw_leaf *leaf, uint64_t *address,
                               uint64_t *bytes) {
    enum gpu_fault fault = look_up(hw, engine, va, leaf);
    if (fault == GPU_FAULT_NONE)
        fault = translate_allowed(leaf, access);
    uint64_t size = UINT64_C(1) << leaf->shift;
    *address = (leaf->word & GPU_PTE_ADDRESS) + va % size;
    *bytes = size - va % size;
    return fault;
}

/*
 * Pages from `va` on, in the leaf table that was met last, that go on as `leaf`, of the page
 * before, does: so many bytes, of at most `most`. False: they cannot be looked up that way.
 */
static bool translate_followed(struct hw *hw, struct hw_engine *engine, uint64_t va,
                               const struct hw_leaf *leaf, uint64_t most, uint64_t *bytes) {
    struct hw_tlb *tlb = &hw->mmu->tlb;
    const struct hw_leaves *near = &engine->leaves;
    uint32_t missed = 0;
    if (!is_near(hw, near, va) || leaf->level != 0 || leaf->shift != near->shift ||
        tlb->shifts != UINT64_C(1) << leaf->shift)
        return false;
    uint64_t into = va & ((UINT64_C(1) << near->covers) - 1);
    uint64_t room = (UINT64_C(1) << near->covers) - into, size = UINT64_C(1) << leaf->shift;
    uint64_t pages = ((most < room ? most : room) + size - 1) >> leaf->shift;
    uint32_t found = hw_tlb_follow(tlb, engine->space.id, va, leaf,
                                   &near->entry[into >> leaf->shift], (uint32_t)pages, &missed);
    tlb->misses += missed;
    tlb->hits += found - missed;
    engine->cost_ns += missed * near->cost_ns;
    *bytes = (uint64_t)found << leaf->shift;
    return true;
}

/* Bytes of a piece whose first page has `have`, with the pages that follow it in both spaces. */
static uint64_t translate_merged(struct hw *hw, struct hw_engine *engine, uint32_t access,
                                 uint64_t va, uint64_t address, struct hw_leaf leaf, uint64_t have,
                                 uint64_t want) {
    uint64_t next, bytes, most = want < MERGE_BYTES ? want : MERGE_BYTES;
    while (have < most) {
        if (translate_followed(hw, engine, va + have, &leaf, most - have, &bytes)) {
            leaf.word += bytes;
            if (bytes == 0)
                break;
        } else if (one_page(hw, engine, access, va + have, &leaf, &next, &bytes) !=
                       GPU_FAULT_NONE ||
                   (leaf.word & GPU_PTE_ZERO) || next != address + have) {
            break;
        }
        have += bytes;
    }
    return have < want ? have : want;
}

static unsigned char *zero_page(struct hw *hw, const struct hw_engine *engine, uint32_t access,
                                uint64_t va, uint64_t *bytes) {
    uint64_t rest = GPU_PAGE - va % GPU_PAGE;
    if (*bytes > rest)
        *bytes = rest;
    return access == GPU_ACCESS_WRITE ? hw->mmu->sink[engine->index] : hw->mmu->zeros;
}

/* A piece of memory as long as it can be; when that crosses an end of memory, only its first
 * page. */
static enum gpu_fault translate_target(struct hw *hw, struct hw_engine *engine, uint64_t address,
                                       uint64_t first, unsigned char **at, uint64_t *bytes) {
    enum gpu_fault fault = hw_at(hw, address, at, bytes);
    if (fault != GPU_FAULT_NONE && *bytes > first) {
        *bytes = first;
        fault = hw_at(hw, address, at, bytes);
    }
    engine->remote = engine->remote || !hw_in_vram(hw, address, 1);
    return fault == GPU_FAULT_NONE ? GPU_FAULT_NONE : GPU_FAULT_TARGET;
}

/* With the MMU's lock held. What cannot be reached is noted. */
static enum gpu_fault translate_reach(struct hw *hw, struct hw_engine *engine, uint32_t access,
                                      uint64_t va, unsigned char **at, uint64_t *bytes) {
    struct hw_leaf leaf;
    uint64_t address, first, want = *bytes;
    enum gpu_fault fault = one_page(hw, engine, access, va, &leaf, &address, &first);
    if (first > want)
        first = want;
    if (fault == GPU_FAULT_NONE && (leaf.word & GPU_PTE_ZERO)) {
        *at = zero_page(hw, engine, access, va, bytes);
    } else if (fault == GPU_FAULT_NONE) {
        *bytes = translate_merged(hw, engine, access, va, address, leaf, first, want);
        fault = translate_target(hw, engine, address, first, at, bytes);
    }
    if (fault != GPU_FAULT_NONE)
        engine->trap =
            (struct hw_trap){va, engine->space.root, engine->space.id, access, leaf.level};
    return fault;
}

enum gpu_fault hw_mmu_at(struct hw *hw, struct hw_engine *engine, uint32_t access, uint64_t va,
                         unsigned char **at, uint64_t *bytes) {
    pthread_mutex_lock(&hw->mmu->lock);
    enum gpu_fault fault = translate_reach(hw, engine, access, va, at, bytes);
    pthread_mutex_unlock(&hw->mmu->lock);
    return fault;
}

enum gpu_fault hw_mmu_pieces(struct hw *hw, struct hw_engine *engine, uint32_t access, uint64_t va,
                             uint64_t bytes, struct hw_piece *piece, uint32_t *count) {
    enum gpu_fault fault = GPU_FAULT_NONE;
    uint32_t room = *count, done = 0;
    pthread_mutex_lock(&hw->mmu->lock);
    while (done < room && bytes != 0) {
        struct hw_piece *next = &piece[done];
        next->bytes = bytes;
        fault = translate_reach(hw, engine, access, va, &next->at, &next->bytes);
        if (fault != GPU_FAULT_NONE)
            break;
        va += next->bytes;
        bytes -= next->bytes;
        done++;
    }
    pthread_mutex_unlock(&hw->mmu->lock);
    *count = done;
    return fault;
}

bool hw_mmu_enter(struct hw *hw, const struct hw_space *space) {
    if (space->id >= GPU_SPACES)
        return false;
    pthread_mutex_lock(&hw->mmu->lock);
    hw->mmu->root[space->id] = space->root;
    if (hw->mmu->spaces <= space->id)
        hw->mmu->spaces = space->id + 1;
    pthread_mutex_unlock(&hw->mmu->lock);
    return true;
}
