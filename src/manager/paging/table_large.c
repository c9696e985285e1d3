/*
 * table_large.c - see table_run.h: entries above the leaves that lead to memory in place of tables
 * (LargePage in ns-d3dukmdt-_dxgk_pte.md).
 *
 * The tables below stay where they are, the leaves with invalid entries: to become small pages
 * again costs no memory, which a plan that evicts would not get. table.large of the table below is
 * the entry that is there instead.
 */
#include "base/process.h"
#include "object/allocation.h"
#include "paging/plan.h"
#include "paging/table_run.h"

/* ---- Which can be ---------------------------------------------------------------------------- */

/* The highest level of this space that may have them, of such sizes, where the GPU has them up to `level`; 0: none. What
 * the manager maps for itself has pages of 4 KiB. */
static uint32_t large_level(const struct space *space, uint32_t level, enum table_sizes sizes) {
    if (sizes <= TABLE_SIZES_LEAF || space->paging || space_is_privileged(space))
        return 0;
    return level < sizes - TABLE_SIZES_LEAF ? level : sizes - TABLE_SIZES_LEAF;
}

/*
 * Not what is reserved: tiles change one by one, by copies of leaf entries. Not with a driver
 * protection, which only entries of level 0 can have (R226). Entries that read as zero are possible at
 * all levels (ns-d3dkmddi-_dxgk_gpummucaps.md).
 */
static bool large_allowed(const struct leaf_run *run, const struct mmu *mmu) {
    const struct mapping *mapping = run->mapping;
    if (!mapping || mapping->use.reservation || mapping->use.driver_protection)
        return false;
    return run->write == TABLE_ZERO ||
           (run->write == TABLE_PAGES && mapping->use.kind == VA_PAGES &&
            (run->source.view.segment || mmu->large_system) &&
            allocation_may_be_large(mapping->use.allocation));
}

/* Of the pages of a list, from byte `offset` on; `*at` is where. */
static bool large_is_row(PMDL mdl, uint64_t offset, uint64_t size, uint64_t *at) {
    const PFN_NUMBER *page = MmGetMdlPfnArray(mdl) + (offset >> PAGE_SHIFT);
    uint64_t count = size >> PAGE_SHIFT, row = 1;
    while (row < count && page[row] == page[0] + row)
        row++;
    *at = page[0] << PAGE_SHIFT;
    return row == count;
}

/* Bytes of the place from `offset` on lie in a row, and begin where a large page can. No bytes are behind
 * zeroes. */
static bool large_fits(const struct leaf_run *run, const struct mmu *mmu, uint64_t offset,
                       uint64_t size) {
    const struct view *view = &run->source.view;
    uint64_t row, more, at, base = 0;
    if (run->write == TABLE_ZERO)
        return true;
    if (view->segment) {
        base = view->segment->base;
        at = placement_at(view->place, offset, &row);
        while (row < size && placement_at(view->place, offset + row, &more) == at + row)
            row += more;
    } else {
        row = large_is_row(run->source.mdl, offset, size, &at) ? size : 0;
    }
    return row >= size &&
           (mmu->caps.AllowNonAlignedLargePageAddress || ((at | (base + at)) & (size - 1)) == 0);
}

/* ---- Becoming large -------------------------------------------------------------------------- */

uint64_t large_end(const struct leaf_run *run, struct table *leaf, uint64_t at, uint64_t end,
                   struct table **table) {
    const struct mmu *mmu = leaf->space->mmu;
    uint32_t top = large_level(
        leaf->space, run->write == TABLE_ZERO ? mmu_zero_level(mmu) : mmu_large_level(mmu),
        run->sizes);
    uint64_t size = 0, stop = at;
    if (top == 0 || at != leaf->start || !large_allowed(run, mmu))
        return at;
    for (struct table *below = leaf; below->level < top && below->start == at;
         below = below->parent) {
        uint64_t covers = UINT64_C(1) << mmu_shift(mmu, below->level + 1);
        if (end - at < covers || !large_fits(run, mmu, run->source.offset, covers))
            break;
        size = covers;
        *table = below->parent;
    }
    if (size == 0)
        return at;
    uint64_t most = at + TABLE_ENTRIES_MAX * size, all = table_end(*table);
    all = all < end ? all : end;
    all = all < most ? all : most;
    while (all - stop >= size && large_fits(run, mmu, run->source.offset + (stop - at), size))
        stop += size;
    return stop;
}

bool large_write(const struct leaf_run *run, struct table *table, uint64_t start, uint64_t end) {
    struct table_op op = table_plan_describe(run, table, false);
    op.write = run->write == TABLE_ZERO ? TABLE_LARGE_ZERO : TABLE_LARGE;
    op.start = start;
    op.end = end;
    op.offset = run->source.offset;
    return table_plan_add(run->plan, &op, run->source.allocation);
}

/* ---- Becoming small -------------------------------------------------------------------------- */

static bool clear_level(struct plan *plan, struct space *space, uint32_t level, uint64_t start,
                        uint64_t end) {
    uint64_t size = UINT64_C(1) << mmu_shift(space->mmu, level);
    struct table *table;
    end &= ~(size - 1);
    for (uint64_t at = (start + size - 1) & ~(size - 1); (table = table_leaf(space, &at, end));) {
        uint64_t first = at & ~(size - 1), most = first + TABLE_ENTRIES_MAX * size, stop;
        while (table->level < level)
            table = table->parent;
        stop = table_end(table) < end ? table_end(table) : end;
        struct table_op op = {.space = space, .table = table, .write = TABLE_SMALL, .start = first};
        op.end = stop < most ? stop : most;
        if (!table_plan_add(plan, &op, NULL))
            return false;
        at = op.end;
    }
    return true;
}

bool large_clear(struct plan *plan, struct space *space, uint64_t start, uint64_t end,
                 enum table_sizes sizes) {
    uint32_t pages = mmu_large_level(space->mmu), zeroes = mmu_zero_level(space->mmu);
    for (uint32_t level = large_level(space, pages > zeroes ? pages : zeroes, sizes); level > 0;
         level--) {
        if (!clear_level(plan, space, level, start, end))
            return false;
    }
    return true;
}

bool large_end_of(struct plan *plan, const struct table *table) {
    return clear_level(plan, table->space, table->level + 1, table->start, table_end(table));
}

const struct table *large_cut(const struct space *space, uint64_t at, uint64_t start,
                              uint64_t end) {
    uint64_t found = at;
    const struct table *large = table_in_large(table_leaf(space, &found, at + 1));
    return large && (start > large->start || end < table_end(large)) ? large : NULL;
}
