/*
 * check_tables.c - the page tables of each address space: the tree, the addresses at which they are
 * reached, and which entries are valid. An entry above the leaves is valid where there is a table
 * below; an entry of a leaf where its address leads to bytes that the GPU may reach now.
 */
#include "base/process.h"
#include "object/allocation.h"
#include "address/gather.h"
#include "paging/table.h"
#include "check/bookkeeping.h"

struct tree {
    struct vidmm_adapter *adapter;
    const struct space *space;
    struct check_object object;
    uint64_t bytes;
};

static const struct mmu *tree_mmu(const struct tree *tree) {
    return tree->space->mmu;
}

/* ---- Valid entries --------------------------------------------------------------------------- */

/* Of [first, end). */
static uint32_t count_valid(const struct table_memory *memory, uint32_t first, uint32_t end) {
    uint32_t count = 0;
    for (uint32_t at = first; at < end;) {
        uint32_t bits = 64u - at % 64u, left = end - at;
        uint64_t word = memory->valid[at / 64u] >> at % 64u;
        if (left < bits)
            word &= (UINT64_C(1) << left) - 1u;
        for (; word; word &= word - 1)
            count++;
        at += left < bits ? left : bits;
    }
    return count;
}

/* Pages of 4 KiB of [start, end) that entries of `memory` lead to, an entry 1 << shift bytes. */
static uint64_t pages_in(const struct table *table, const struct table_memory *memory,
                         uint32_t shift, uint64_t start, uint64_t end) {
    uint64_t unit = UINT64_C(1) << shift;
    uint32_t first = (uint32_t)((start - table->start + unit - 1) >> shift);
    uint32_t last = (uint32_t)((end - table->start) >> shift);
    return first < last ? (uint64_t)count_valid(memory, first, last) << (shift - PAGE_SHIFT) : 0;
}

/* Pages of [start, end) of a leaf that lead somewhere, in either kind of table. */
static uint64_t valid_pages(const struct table *table, uint64_t start, uint64_t end) {
    if (table_in_large(table)) /* instead of them: every page */
        return (end - start) >> PAGE_SHIFT;
    uint64_t pages =
        pages_in(table, &table->memory[0], table->wide ? PAGE_SHIFT_LARGE : PAGE_SHIFT, start, end);
    if (table->memory[1].size)
        pages += pages_in(table, &table->memory[1], PAGE_SHIFT_LARGE, start, end);
    return pages;
}

static bool leads_somewhere(const struct va_use *use) {
    return use->kind == VA_ZERO || use->kind == VA_MEMORY ||
           (use->kind == VA_PAGES && use->allocation->segment);
}

/* [start, end) of a leaf, all of it used for `use`; NULL: free. */
static void check_entries(struct tree *tree, const struct table *table, uint64_t start,
                          uint64_t end, const struct va_use *use) {
    bool leads = use && leads_somewhere(use);
    uint64_t wanted = leads ? (end - start) >> PAGE_SHIFT : 0;
    if (start >= end)
        return;
    CHECK(tree->adapter, valid_pages(table, start, end) == wanted, tree->object,
          leads ? "an entry is invalid, and its address leads to bytes"
                : "an entry is valid, and its address leads nowhere");
}

static void check_leaf(struct tree *tree, const struct table *table) {
    uint64_t at = table->start, end = table_end(table);
    const struct table *large = table_in_large(table);
    CHECK(tree->adapter, !large || !count_valid(&table->memory[0], 0, table->entries), tree->object,
          "an entry is valid below a large page");
    CHECK(tree->adapter, !large || !table_in_large(large->parent), tree->object,
          "a large page lies below another one");
    const struct va *va = tree->space->va;
    for (const struct mapping *mapping = va_find(va, at); mapping && mapping->start < end;
         mapping = va_find(va, mapping->end)) {
        uint64_t from = mapping->start > at ? mapping->start : at;
        uint64_t to = mapping->end < end ? mapping->end : end;
        check_entries(tree, table, at, from, NULL);
        if (!gather_has(space_first(tree->space), from, to))
            check_entries(tree, table, from, to, &mapping->use);
        at = to;
    }
    check_entries(tree, table, at, end, NULL);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Where the paging process, and a companion context, reach it. */
static void check_windows(struct tree *tree, const struct table_memory *memory) {
    const struct space *paging = spaces_of(tree->space)->paging;
    const struct space *privileged = space_privileged_of(tree->space);
    if (memory->window) {
        const struct mapping *window = va_find(paging->va, memory->window);
        CHECK(tree->adapter, window && window->start == memory->window, tree->object,
              "a table's window is not taken in the paging process");
    }
    if (memory->privileged_va && privileged) {
        const struct mapping *mapping = va_find(privileged->va, memory->privileged_va);
        CHECK(tree->adapter,
              mapping && mapping->start == memory->privileged_va && mapping->use.memory == memory,
              tree->object, "a table is not mapped where it says");
    }
}

static void check_table_memory(struct tree *tree, const struct table *table, uint32_t index) {
    const struct table_memory *memory = &table->memory[index];
    const struct vidmm_level_info *info = &tree_mmu(tree)->level[table->level];
    uint32_t id = tree->space->paging ? info->paging_segment : info->segment;
    if (!memory->size) {
        CHECK(tree->adapter, index == 1, tree->object, "a table has no memory");
        return;
    }
    tree->bytes += memory->size;
    CHECK(tree->adapter, memory->segment == query_segment(&tree->adapter->facts, id), tree->object,
          "a table lies in another segment than its level's");
    CHECK(tree->adapter, memory->segment ? !!memory->place.block : !!memory->mdl, tree->object,
          "a table has no place");
    check_windows(tree, memory);
}

static bool is_child(const struct table *table, const struct table *child, uint32_t index,
                     const struct mmu *mmu) {
    return child->parent == table && child->level + 1 == table->level &&
           child->space == table->space &&
           child->start == table->start + ((uint64_t)index << mmu_shift(mmu, table->level));
}

static void check_table(struct tree *tree, const struct table *table) {
    uint32_t children = 0;
    check_table_memory(tree, table, 0);
    check_table_memory(tree, table, 1);
    CHECK(tree->adapter, !table->next, tree->object, "a table is still on a list of new ones");
    if (table->level == 0 && !tree->space->paging)
        check_leaf(tree, table);
    for (uint32_t i = 0; table->level > 0 && i < table->entries; i++) {
        const struct table *child = table->child[i];
        CHECK(tree->adapter, count_valid(&table->memory[0], i, i + 1) == !!child, tree->object,
              "an entry is valid without a table below it, or the other way round");
        if (!child)
            continue;
        children++;
        bool its = is_child(table, child, i, tree_mmu(tree));
        CHECK(tree->adapter, its, tree->object, "a table below is not the child that it should be");
        if (its) /* what its damaged links lead to may not end */
            check_table(tree, child);
    }
    CHECK(tree->adapter, table->children == children, tree->object,
          "the tables below one are not as many as counted");
}

/* The paging process flushes before it uses what it mapped. A root that has grown leaves nothing in
 * a TLB: invalidating the old one is told with the next flush. */
static bool may_be_stale(const struct space *space) {
    const struct mmu *mmu = space->mmu;
    return space->paging || !space->root ||
           (mmu_root_grows(mmu) && mmu->caps.ExplicitPageTableInvalidation);
}

static uint64_t check_space(struct vidmm_adapter *adapter, const struct vidmm_process *process,
                            const struct space *space) {
    struct tree tree = {.adapter = adapter,
                        .space = space,
                        .object = check_object("page tables of process", process->number)};
    CHECK(adapter, space->adapter == adapter && space->process == process, tree.object,
          "the space is another process's");
    CHECK(adapter, !space->fresh, tree.object, "tables were made, and never written or dropped");
    CHECK(adapter, !space->old_root.size, tree.object, "a root has grown, and the old one stays");
    CHECK(adapter, !space->now, tree.object, "still in the hands of the CPU");
    CHECK(adapter, !space->away || !space->root, tree.object, "evicted, and there is a root");
    CHECK(adapter, space->stale_start == space->stale_end || may_be_stale(space), tree.object,
          "translations are stale, and no flush follows");
    CHECK(adapter, space->away == process->space->away && !space->root == !process->space->root,
          tree.object, "it has tables on one of the linked adapters, and none on another");
    if (space->root)
        check_table(&tree, space->root);
    return tree.bytes;
}

static uint64_t check_spaces(struct vidmm_adapter *adapter, const struct vidmm_process *process) {
    const struct space *space = process ? process->space : NULL;
    uint64_t bytes = 0;
    for (; space; space = space->peer) {
        CHECK(adapter, space->va == process->space->va,
              check_object("page tables of process", process->number),
              "linked adapters do not share its addresses");
        bytes += check_space(adapter, process, space);
    }
    return bytes;
}

void check_tables(struct vidmm_adapter *adapter) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < adapter->facts.linked; i++)
        bytes += check_spaces(adapter, adapter->physical[i].process);
    for (const struct vidmm_process *one = adapter->processes.first; one; one = one->next)
        bytes += check_spaces(adapter, one);
    CHECK(adapter, adapter->stats.table_bytes == bytes,
          check_object("statistics of page tables", 0),
          "their bytes are not the sum of the tables");
    CHECK(adapter, adapter->stats.table_bytes_peak >= bytes,
          check_object("statistics of page tables", 0), "their peak is below what there is");
}
