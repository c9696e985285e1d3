/*
 * table_join.c - see table_run.h: mappings side by side that lead to one allocation in a row, with
 * the same rights, share a large page. What table_large.c finds inside one mapping, this file finds
 * across the borders of several.
 *
 * The entry above leads to memory before the small pages below it go, so that no address leads
 * nowhere meanwhile: the reverse of a split.
 */
#include "object/allocation.h"
#include "paging/table_run.h"

static bool join_same(const struct va_use *a, const struct va_use *b) {
    return a->kind == VA_PAGES && b->kind == VA_PAGES && a->allocation == b->allocation &&
           !a->repeat && !b->repeat && a->offset - a->origin == b->offset - b->origin &&
           a->protection == b->protection && a->driver_protection == b->driver_protection &&
           a->reservation == b->reservation;
}

const struct mapping *table_goes_on(const struct mapping *mapping) {
    const struct mapping *next = mapping->after;
    return next && next->start == mapping->end && join_same(&mapping->use, &next->use) ? next
                                                                                       : NULL;
}

/* From `first` on the addresses up to `end` lead to its allocation in a row; not by it alone. */
static bool join_goes_on(const struct mapping *first, uint64_t end) {
    const struct mapping *mapping = first;
    while (mapping->end < end) {
        mapping = table_goes_on(mapping);
        if (!mapping)
            return false;
    }
    return mapping != first;
}

/* What an entry of `table` shall lead to. */
struct join {
    struct leaf_run run;
    const struct space *space;
    struct table *table;
    uint64_t start, end;
};

/* The entry of `level` that covers join->start can lead to what the mappings from run.mapping on
 * lead to. */
static bool join_fits(struct join *join, uint32_t level) {
    const struct mapping *first = join->run.mapping;
    uint64_t at = join->start, row;
    struct table *leaf = table_leaf(join->space, &at, join->start + 1);
    join->run.source.offset = va_offset(first, join->start, &row);
    join->run.sizes = TABLE_SIZES_LEAF + level;
    return leaf && large_end(&join->run, leaf, join->start, join->end, &join->table) == join->end &&
           join->table->level == level;
}

/* The largest entry above `at` that mappings share, if there is one. */
static bool join_find(struct plan *plan, struct space *space, uint64_t at, const struct view *view,
                      struct join *join) {
    const struct mmu *mmu = space->mmu;
    for (uint32_t level = mmu_large_level(mmu); level > 0; level--) {
        uint64_t size = UINT64_C(1) << mmu_shift(mmu, level);
        *join = (struct join){.run = {.plan = plan, .write = TABLE_PAGES}, .space = space};
        join->start = at & ~(size - 1);
        join->end = join->start + size;
        const struct mapping *first = va_find(space->va, join->start);
        struct table_source *source = &join->run.source;
        if (!first || first->start > join->start || first->use.kind != VA_PAGES ||
            first->use.repeat || first->use.allocation->size < size ||
            !join_goes_on(first, join->end) || !(view || table_plan_view(first, &source->view)))
            continue;
        if (view)
            source->view = *view;
        source->allocation = first->use.allocation;
        source->mdl = table_plan_pages(&first->use);
        join->run.mapping = first;
        if (join_fits(join, level))
            return true;
    }
    return false;
}

static bool join_emit(const struct join *join) {
    return large_write(&join->run, join->table, join->start, join->end) &&
           table_plan_clear(join->run.plan, join->table->space, join->start, join->end,
                            join->run.sizes - 1);
}

/* Entries are shared at the ends of mappings. */
bool table_join(struct plan *plan, struct space *space, uint64_t start, uint64_t end) {
    uint64_t done = 0;
    struct join join;
    if (!mmu_large_level(space->mmu))
        return true;
    for (const struct mapping *mapping = va_find(space->va, start); mapping && mapping->start < end;
         mapping = mapping->after) {
        const uint64_t ends[2] = {mapping->start > start ? mapping->start : start,
                                  (mapping->end < end ? mapping->end : end) - 1};
        for (uint32_t i = 0; i < 2; i++) {
            if (ends[i] < done || !join_find(plan, space, ends[i], NULL, &join))
                continue;
            if (!join_emit(&join))
                return false;
            done = join.end;
        }
    }
    return true;
}

/* Each entry when it is the turn of the mapping that it begins in. */
static bool join_moved(struct plan *plan, const struct mapping *mapping, const struct view *view) {
    struct join join;
    for (struct space *space = space_of(mapping); space; space = space->peer) {
        if (join_find(plan, space, mapping->end - 1, view, &join) && join.run.mapping == mapping &&
            !join_emit(&join))
            return false;
    }
    return true;
}

bool table_join_moved(struct plan *plan, const struct vidmm_allocation *allocation,
                      const struct view *view) {
    const struct mapping *mapping = allocation->mappings;
    while (mapping && join_moved(plan, mapping, view))
        mapping = mapping->next;
    return !mapping;
}
