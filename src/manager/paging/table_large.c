/*
 * table_large.c - see table_run.h: entries of level 1 that lead to memory in place of a leaf table
 * (LargePage in ns-d3dukmdt-_dxgk_pte.md).
 *
 * The leaf table stays where it is, with invalid entries: to become small pages again costs no
 * memory, which a plan that evicts would not get. table.large of the leaf table is the entry that
 * is there instead.
 */
#include "base/process.h"
#include "object/allocation.h"
#include "paging/plan.h"
#include "paging/table_run.h"

static const struct mmu *mmu_of(const struct space *space) {
    return &space->adapter->facts.mmu;
}

/* 0: not in this space. What the manager maps for itself has pages of 4 KiB. */
static uint64_t large_bytes(const struct space *space) {
    return space->paging || space_is_privileged(space) ? 0 : mmu_large_bytes(mmu_of(space));
}

/*
 * Not what is reserved: tiles change one by one, by copies of leaf entries. Not with a driver
 * protection, which only entries of level 0 can have (R226).
 */
static bool large_allowed(const struct leaf_run *run) {
    const struct mapping *mapping = run->mapping;
    return run->write == TABLE_PAGES && run->sizes == TABLE_SIZES_ALL && mapping &&
           mapping->use.kind == VA_PAGES && !mapping->use.reservation &&
           !mapping->use.driver_protection && run->source.view.segment &&
           allocation_may_be_large(mapping->use.allocation);
}

/* Bytes of the place from `offset` on lie in a row, and begin where a large page can. */
static bool large_fits(const struct leaf_run *run, uint64_t offset, uint64_t size) {
    const struct view *view = &run->source.view;
    const DXGK_GPUMMUCAPS *caps = &mmu_of(space_of(run->mapping))->caps;
    uint64_t row, more, at = placement_at(view->place, offset, &row);
    while (row < size && placement_at(view->place, offset + row, &more) == at + row)
        row += more;
    return row >= size && (caps->AllowNonAlignedLargePageAddress ||
                           ((at | (view->segment->base + at)) & (size - 1)) == 0);
}

uint64_t large_end(const struct leaf_run *run, const struct table *leaf, uint64_t at,
                   uint64_t end) {
    uint64_t size = large_bytes(leaf->space), stop = at;
    if (!size || at != leaf->start || !large_allowed(run))
        return at;
    uint64_t most = at + TABLE_ENTRIES_MAX * size, all = table_end(leaf->parent);
    all = all < end ? all : end;
    all = all < most ? all : most;
    while (all - stop >= size && large_fits(run, run->source.offset + (stop - at), size))
        stop += size;
    return stop;
}

bool large_write(const struct leaf_run *run, struct table *table, uint64_t start, uint64_t end) {
    struct table_op op = table_plan_describe(run, table, false);
    op.write = TABLE_LARGE;
    op.start = start;
    op.end = end;
    op.offset = run->source.offset;
    return table_plan_add(run->plan, &op, run->source.allocation);
}

bool large_clear(struct plan *plan, struct space *space, uint64_t start, uint64_t end) {
    uint64_t size = large_bytes(space);
    struct table *leaf;
    if (!size)
        return true;
    end &= ~(size - 1);
    for (uint64_t at = (start + size - 1) & ~(size - 1); (leaf = table_leaf(space, &at, end));) {
        uint64_t most = leaf->start + TABLE_ENTRIES_MAX * size, stop = table_end(leaf->parent);
        struct table_op op = {.space = space, .table = leaf->parent, .write = TABLE_SMALL};
        stop = stop < end ? stop : end;
        op.start = leaf->start;
        op.end = stop < most ? stop : most;
        if (!table_plan_add(plan, &op, NULL))
            return false;
        at = op.end;
    }
    return true;
}
