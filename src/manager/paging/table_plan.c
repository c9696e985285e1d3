/*
 * table_plan.c - see table.h: what has to be written into tables, as operations of the plan under
 * construction.
 *
 * A flush is wanted once all that it is for is written, so an update goes in front of the flushes
 * that the plan ends with, and these grow. Which entries an update really has is found out when it
 * is built; those that turn out to change nothing are not built at all.
 */
#include "base/process.h"
#include "object/allocation.h"
#include "paging/plan.h"
#include "paging/table_run.h"

#define WIDE_BYTES (UINT64_C(1) << PAGE_SHIFT_LARGE)
#define WIDE_MASK  (WIDE_BYTES - 1)

/* ---- Operations ------------------------------------------------------------------------------ */

static bool is_flush(const struct plan_op *op, const struct space *space) {
    return op->op.kind == VIDMM_OP_FLUSH_TLB && (!space || op->table.space == space);
}

/* Where the flushes begin that the plan ends with. */
static uint32_t flushes(const struct plan *plan) {
    uint32_t at = plan->op_count;
    while (at > 0 && is_flush(&plan->ops[at - 1], NULL))
        at--;
    return at;
}

/* In front of the flushes that the plan ends with, but what is written through a window comes
 * behind the flush of the window's addresses (R231). */
static uint32_t place_of(const struct plan *plan, const struct space *space) {
    uint32_t at = flushes(plan);
    bool through =
        !space->paging && space->mmu->caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    for (uint32_t i = plan->op_count; through && i > at; i--) {
        if (is_flush(&plan->ops[i - 1], spaces_of(space)->paging))
            return i;
    }
    return at;
}

bool table_plan_add(struct plan *plan, const struct table_op *what,
                    struct vidmm_allocation *allocation) {
    struct spaces *spaces = spaces_of(what->space);
    struct plan_op *op =
        plan_insert(plan, place_of(plan, what->space), VIDMM_OP_UPDATE_PAGE_TABLE, allocation);
    if (!op)
        return false;
    op->table = *what;
    op->table.now = what->space->now;
    op->op.physical = what->space->physical;
    op->op.at = what->offset;
    op->op.size = what->end - what->start;
    op->op.va_from = what->start;
    op->op.va_to = what->end;
    op->barrier = spaces->wrapped && what->space->paging;
    if (op->barrier)
        spaces->wrapped = false;
    return true;
}

bool table_flush(struct plan *plan, struct space *space) {
    for (uint32_t i = flushes(plan); i < plan->op_count; i++) {
        if (is_flush(&plan->ops[i], space))
            return true;
    }
    struct plan_op *op = plan_add(plan, VIDMM_OP_FLUSH_TLB, NULL);
    if (!op)
        return false;
    op->op.physical = space->physical;
    op->table = (struct table_op){.space = space};
    return true;
}

static bool add_whole(struct plan *plan, struct table *table, enum table_write write) {
    struct table_op op = {.space = table->space,
                          .table = table,
                          .write = write,
                          .start = table->start,
                          .end = table_end(table)};
    if (!table_plan_add(plan, &op, NULL))
        return false;
    op.wide = true;
    return !table->memory[1].size || write == TABLE_CONVERT || table_plan_add(plan, &op, NULL);
}

/* The entry, or entries, of `table` that lead to what is below [start, end). */
static bool add_links(struct plan *plan, struct table *table, uint64_t start, uint64_t end) {
    uint64_t piece = (uint64_t)TABLE_ENTRIES_MAX << mmu_shift(table->space->mmu, table->level);
    struct table_op op = {.space = table->space, .table = table, .write = TABLE_LINKS};
    for (uint64_t at = start; at < end; at = op.end) {
        op.start = at;
        op.end = end - at > piece ? at + piece : end;
        if (!table_plan_add(plan, &op, NULL))
            return false;
    }
    return true;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* True when [start, end) can be pages of 64 KiB. */
static bool is_wide(const struct leaf_run *run, uint64_t start, uint64_t end) {
    const struct view *view = &run->source.view;
    uint64_t size = end - start, row = 0;
    if (((start | end) & WIDE_MASK) || run->write != TABLE_PAGES)
        return !((start | end) & WIDE_MASK);
    if (!run->mapping || !view->segment || !view->segment->flags.Use64KBPages ||
        ((run->source.offset | run->source.allocation->size) & WIDE_MASK))
        return false;
    for (uint64_t at = 0; at < size; at += row) {
        uint64_t place = placement_at(view->place, run->source.offset + at, &row);
        if ((place & WIDE_MASK) || row < WIDE_BYTES)
            return false;
        row &= ~WIDE_MASK;
    }
    return true;
}

static bool convert(struct plan *plan, struct table *table);

struct table_op table_plan_describe(const struct leaf_run *run, struct table *table, bool wide) {
    const struct mmu *mmu = table->space->mmu;
    const struct table_source *source = &run->source;
    const struct va_use *use = run->mapping ? &run->mapping->use : NULL;
    return (struct table_op){
        .space = table->space,
        .table = table,
        .write = run->write,
        .wide = wide,
        .segment = source->view.segment,
        .place = source->view.segment ? *source->view.place : (struct placement){0},
        .mdl = source->mdl,
        .coherent = mmu->caps.CacheCoherentMemorySupported && source->allocation &&
                    source->allocation->info.Flags.Cached && !source->view.segment,
        .read_only =
            use && !(use->protection & VIDMM_VA_WRITE) && mmu->caps.ReadOnlyMemorySupported,
        .no_execute =
            use && !(use->protection & VIDMM_VA_EXECUTE) && mmu->caps.NoExecuteMemorySupported,
        .driver_protection = source->driver_protection,
    };
}

/* [start, end) of one table, of one kind of pages. */
static bool write_run(const struct leaf_run *run, struct table *table, bool wide, uint64_t start,
                      uint64_t end, uint64_t offset) {
    struct table_op op = table_plan_describe(run, table, wide);
    uint64_t most = (uint64_t)TABLE_ENTRIES_MAX << PAGE_SHIFT;
    for (uint64_t at = start; at < end; at = op.end) {
        op.start = at;
        op.end = run->write == TABLE_PAGES && end - at > most ? at + most : end;
        op.offset = offset + (at - start);
        if (!table_plan_add(run->plan, &op, run->source.allocation))
            return false;
    }
    return true;
}

/*
 * In the table of 64 KiB pages what can be there, and in the other the rest. The
 * addresses were unmapped before, so no address has a valid entry in both (R377).
 */
static bool write_dual(const struct leaf_run *run, struct table *table, uint64_t start,
                       uint64_t end) {
    uint64_t offset = run->source.offset;
    uint64_t first = (start + WIDE_MASK) & ~WIDE_MASK, last = end & ~WIDE_MASK;
    struct leaf_run middle = *run;
    if (run->write == TABLE_CLEAR)
        return write_run(run, table, false, start, end, 0) &&
               write_run(run, table, true, start & ~WIDE_MASK, (end + WIDE_MASK) & ~WIDE_MASK, 0);
    middle.source.offset = offset + (first - start);
    if (first >= last || !is_wide(&middle, first, last))
        return write_run(run, table, false, start, end, offset);
    return write_run(run, table, false, start, first, offset) &&
           write_run(run, table, true, first, last, offset + (first - start)) &&
           write_run(run, table, false, last, end, offset + (last - start));
}

/* [start, end) of one table. */
static bool write_table(const struct leaf_run *run, struct table *table, uint64_t start,
                        uint64_t end) {
    if (table->memory[1].size)
        return write_dual(run, table, start, end);
    if (table->wide && run->sizes != TABLE_SIZES_4K && !is_wide(run, start, end) &&
        !convert(run->plan, table))
        return false;
    return write_run(run, table, false, start, end, run->source.offset);
}

static bool write_leaves(struct space *space, uint64_t start, uint64_t end, struct leaf_run run) {
    struct table *table;
    uint64_t offset = run.source.offset, stop;
    if (run.write == TABLE_CLEAR && !large_clear(run.plan, space, start, end, run.sizes))
        return false;
    for (uint64_t at = start; (table = table_leaf(space, &at, end)); at = stop) {
        struct table *above;
        run.source.offset = offset + (at - start);
        stop = large_end(&run, table, at, end, &above);
        bool large = stop != at;
        if (!large)
            stop = table_end(table) < end ? table_end(table) : end;
        if (!(large ? large_write(&run, above, at, stop) : write_table(&run, table, at, stop)))
            return false;
    }
    return true;
}

bool table_plan_clear(struct plan *plan, struct space *space, uint64_t start, uint64_t end,
                      enum table_sizes sizes) {
    struct leaf_run run = {.plan = plan, .write = TABLE_CLEAR, .sizes = sizes};
    return write_leaves(space, start, end, run);
}

/* ---- Mappings -------------------------------------------------------------------------------- */

PMDL table_plan_pages(const struct va_use *use) {
    if (use->kind == VA_MEMORY)
        return use->memory ? use->memory->mdl : use->pages;
    return use->allocation->mdl;
}

/* What a mapping leads to; NULL: nowhere. */
struct target {
    const struct view *view;
    enum table_sizes sizes;
};

/* [start, end) of a mapping, and of those behind it that go on from it. */
static bool write_mapping(struct plan *plan, struct space *space, const struct mapping *mapping,
                          uint64_t start, uint64_t end, struct target target) {
    struct leaf_run run = {.plan = plan, .mapping = mapping, .sizes = target.sizes};
    if (mapping->use.kind == VA_ZERO) {
        run.write = TABLE_ZERO;
        run.source.driver_protection = mapping->use.driver_protection;
        return write_leaves(space, start, end, run);
    }
    if (mapping->use.kind == VA_NOTHING || !target.view) {
        run.write = TABLE_CLEAR;
        return write_leaves(space, start, end, run);
    }
    run.write = TABLE_PAGES;
    run.source = (struct table_source){.allocation = mapping->use.allocation,
                                       .view = *target.view,
                                       .mdl = table_plan_pages(&mapping->use),
                                       .driver_protection = mapping->use.driver_protection};
    for (uint64_t at = start, row; at < end; at += row) {
        run.source.offset = va_offset(mapping, at, &row);
        row = row < end - at && mapping->use.repeat ? row : end - at;
        if (!write_leaves(space, at, at + row, run))
            return false;
    }
    return true;
}

bool table_plan_view(const struct mapping *mapping, struct view *view) {
    const struct vidmm_allocation *allocation = mapping->use.allocation;
    const struct table_memory *memory = mapping->use.memory;
    *view = (struct view){0};
    if (mapping->use.kind == VA_MEMORY) {
        if (memory && memory->segment)
            *view = (struct view){.segment = memory->segment, .place = &memory->place};
        return true;
    }
    if (!allocation || !allocation->segment)
        return false;
    if (!allocation->segment->aperture)
        *view = (struct view){.segment = allocation->segment, .place = &allocation->place};
    return true;
}

static bool write_ptes(struct plan *plan, struct space *space, uint64_t start, uint64_t end,
                       enum table_sizes sizes) {
    const struct mapping *last;
    for (const struct mapping *mapping = va_find(space->va, start); mapping && mapping->start < end;
         mapping = last->after) {
        const struct mapping *next = mapping;
        for (last = mapping; next && next->start < end; next = table_goes_on(last))
            last = next;
        uint64_t from = mapping->start > start ? mapping->start : start;
        uint64_t to = last->end < end ? last->end : end;
        struct view view;
        bool mapped = table_plan_view(mapping, &view);
        if ((mapped || mapping->use.kind == VA_ZERO) &&
            !write_mapping(plan, space, mapping, from, to,
                           (struct target){mapped ? &view : NULL, sizes}))
            return false;
    }
    return true;
}

/* From 64 KiB pages to 4 KiB pages; all that it translates is written anew (R374). */
static bool convert(struct plan *plan, struct table *table) {
    struct space *space = table->space;
    return add_whole(plan, table, TABLE_CONVERT) &&
           write_ptes(plan, space, table->start, table_end(table), TABLE_SIZES_4K) &&
           add_links(plan, table->parent, table->start, table_end(table)) &&
           table_flush(plan, space);
}

/*
 * The tables below are filled before the entry above leads there again: at no time does an address
 * that stays lead nowhere. Smaller large pages may be among what they are filled with.
 */
static bool split_large(struct plan *plan, const struct table *table) {
    return write_ptes(plan, table->space, table->start, table_end(table),
                      TABLE_SIZES_LEAF + table->level) &&
           large_end_of(plan, table);
}

/* Writes, as smaller pages, the large pages of which [*start, *end) has only a part; what is left
 * of the range has whole ones. */
static bool split_ends(struct plan *plan, struct space *space, uint64_t *start, uint64_t *end) {
    const struct table *head = large_cut(space, *start, *start, *end);
    const struct table *tail = large_cut(space, *end - 1, *start, *end);
    if (head)
        *start = *end < table_end(head) ? *end : table_end(head);
    if (tail && tail != head)
        *end = tail->start;
    return (!head || split_large(plan, head)) && (!tail || tail == head || split_large(plan, tail));
}

bool table_write_ptes(struct plan *plan, struct space *space, uint64_t start, uint64_t end) {
    if (space->mmu->pages != MMU_PAGES_4K) { /* a page of 64 KiB is there or not as a whole */
        start &= ~WIDE_MASK;
        end = (end + WIDE_MASK) & ~WIDE_MASK;
    }
    uint64_t from = start, to = end;
    return split_ends(plan, space, &start, &end) &&
           table_plan_clear(plan, space, start, end, TABLE_SIZES_ALL) &&
           write_ptes(plan, space, start, end, TABLE_SIZES_ALL) &&
           table_join(plan, space, from, to) && table_flush(plan, space);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

uint64_t table_copy_part(const struct table_copied *source, const struct space *space, uint64_t to,
                         uint64_t left, struct table **from, struct table **target) {
    uint64_t next = source->from, at = to;
    *from = table_leaf(source->space, &next, source->from + left);
    *target = table_leaf(space, &at, to + left);
    uint64_t bytes = table_end(*target) - to;
    if (!*from || next != source->from) { /* nothing up to `next` */
        bytes = bytes < next - source->from ? bytes : next - source->from;
        *from = NULL;
    } else if (bytes > table_end(*from) - source->from) {
        bytes = table_end(*from) - source->from;
    }
    return bytes < left ? bytes : left;
}

static bool narrow(const struct table *table) {
    return !table || !table->wide;
}

/* Where every leaf table has the same kind of entries, and so many ranges fit one operation. */
static bool gpu_copies(const struct table_copied *source, const struct space *space, uint64_t start,
                       uint64_t end) {
    struct table_copied part = *source;
    struct table *from, *target;
    uint32_t parts = 0;
    if (space->mmu->pages == MMU_PAGES_DUAL)
        return false;
    for (uint64_t at = start, bytes; at < end && parts <= TABLE_RANGES_MAX; parts++) {
        bytes = table_copy_part(&part, space, at, end - at, &from, &target);
        if (!narrow(from) || !narrow(target))
            return false;
        part.from += bytes;
        at += bytes;
    }
    return parts <= TABLE_RANGES_MAX;
}

static bool add_copy(struct plan *plan, const struct table_copied *source, struct space *space,
                     uint64_t start, uint64_t end) {
    struct plan_op *op = plan_insert(plan, place_of(plan, space), VIDMM_OP_COPY_ENTRIES, NULL);
    if (!op)
        return false;
    op->op.physical = space->physical;
    op->table = (struct table_op){.space = space,
                                  .write = TABLE_COPY,
                                  .start = start,
                                  .end = end,
                                  .source = source->space,
                                  .offset = source->from};
    op->op.size = end - start;
    op->op.va_from = source->from;
    op->op.va_to = start;
    return true;
}

bool table_copy(struct plan *plan, const struct table_copied *source, struct space *space,
                uint64_t start, uint64_t end) {
    struct table_copied part = *source;
    struct table *from, *target;
    if (!gpu_copies(source, space, start, end))
        return table_write_ptes(plan, space, start, end);
    if (!add_copy(plan, source, space, start, end))
        return false;
    for (uint64_t at = start, bytes; at < end; at += bytes, part.from += bytes) {
        bytes = table_copy_part(&part, space, at, end - at, &from, &target);
        if (!from && !table_plan_clear(plan, space, at, at + bytes, TABLE_SIZES_ALL))
            return false;
    }
    return table_flush(plan, space);
}

/* The large pages that an unmapped mapping shares with those beside it: all of them go, for all
 * lead to the same allocation. */
static bool clear_shared(struct plan *plan, const struct space *space,
                         const struct mapping *mapping) {
    uint64_t start = mapping->start, end = mapping->end;
    const struct table *head = large_cut(space, start, start, end);
    const struct table *tail = large_cut(space, end - 1, start, end);
    return (!head || large_end_of(plan, head)) &&
           (!tail || tail == head || large_end_of(plan, tail));
}

static bool map_view(struct plan *plan, struct space *space, const struct mapping *mapping,
                     const struct view *view) {
    const struct target target = {view, TABLE_SIZES_ALL};
    return (view || clear_shared(plan, space, mapping)) &&
           write_mapping(plan, space, mapping, mapping->start, mapping->end, target) &&
           table_flush(plan, space);
}

bool table_map_view(struct plan *plan, const struct mapping *mapping, const struct view *view) {
    struct space *space = mapping->use.kind == VA_PAGES ? space_of(mapping) : NULL;
    while (space && map_view(plan, space, mapping, view))
        space = space->peer;
    return !space;
}

bool table_scratch(struct plan *plan, struct space *paging, uint64_t start, uint64_t end,
                   const struct table_source *source) {
    struct leaf_run run = {
        .plan = plan, .write = TABLE_PAGES, .source = *source, .sizes = TABLE_SIZES_4K};
    return write_leaves(paging, start, end, run);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Maps the window of `memory` in the paging process's space, or unmaps it. */
static bool write_window(struct plan *plan, const struct space *space,
                         const struct table_memory *memory, bool open) {
    struct space *paging = spaces_of(space)->paging;
    struct leaf_run run = {
        .plan = plan, .write = open ? TABLE_PAGES : TABLE_CLEAR, .sizes = TABLE_SIZES_4K};
    if (!memory->window)
        return true;
    run.source.view = (struct view){.segment = memory->segment, .place = &memory->place};
    run.source.mdl = memory->mdl;
    return write_leaves(paging, memory->window, memory->window + page_round(memory->size), run) &&
           table_flush(plan, paging);
}

static bool write_windows(struct plan *plan, struct table *table, bool open) {
    return write_window(plan, table->space, &table->memory[0], open) &&
           write_window(plan, table->space, &table->memory[1], open);
}

/* The first content of a table, which is written through its window unless the CPU does it. */
static bool emit_init(struct plan *plan, struct table *table) {
    return (table->space->now || write_windows(plan, table, true)) &&
           add_whole(plan, table, TABLE_INIT);
}

/* Tables that lie side by side below the same one are led to by one operation. */
static bool emit_links(struct plan *plan, const struct table *table) {
    while (table) {
        struct table *parent = table->parent;
        uint64_t start = table->start, end = table_end(table);
        for (table = table->next; table && table->parent == parent && table->start == end;
             table = table->next)
            end = table_end(table);
        if (parent && !add_links(plan, parent, start, end))
            return false;
    }
    return true;
}

static bool emit_fresh(struct plan *plan, struct space *space) {
    struct table *root = space->root, *table;
    bool grown = space->old_root.size != 0;
    if (grown && !emit_init(plan, root))
        return false;
    for (table = space->fresh; table; table = table->next) {
        if (!emit_init(plan, table))
            return false;
    }
    if (grown && !add_links(plan, root, root->start, table_end(root)))
        return false;
    if (!emit_links(plan, space->fresh))
        return false;
    for (table = space->now ? space->fresh : NULL; table; table = table->next) {
        if (!write_windows(plan, table, true))
            return false;
    }
    return true;
}

bool tables_begin(struct plan *plan, const struct tables_ready *ready,
                  enum vidmm_plan_reason reason) {
    plan_begin(plan, ready->space->adapter, reason);
    for (struct space *space = ready->space; space; space = space->peer) {
        if (!emit_fresh(plan, space))
            return false;
    }
    return true;
}

/* Makes the PTEs of `memory` in the privileged space invalid. */
static bool clear_memory_ptes(struct plan *plan, const struct space *space,
                              const struct table_memory *memory) {
    struct space *privileged = space_privileged_of(space);
    const struct target nowhere = {NULL, TABLE_SIZES_4K};
    uint64_t at = memory->privileged_va;
    return !at || write_mapping(plan, privileged, va_find(privileged->va, at), at,
                                at + page_round(memory->size), nowhere);
}

/* The same for the memory of a table, unless the whole space goes. */
static bool clear_table_ptes(struct plan *plan, const struct table *table) {
    return clear_memory_ptes(plan, table->space, &table->memory[0]) &&
           clear_memory_ptes(plan, table->space, &table->memory[1]) &&
           (!table->memory[0].privileged_va ||
            table_flush(plan, space_privileged_of(table->space)));
}

bool tables_emit_old_root(struct plan *plan, struct space *space) {
    struct table *root = space->root;
    struct table_op op = {.space = space,
                          .table = root,
                          .write = TABLE_LEAVE,
                          .old = true,
                          .start = root->start,
                          .end = table_end(root)};
    return clear_memory_ptes(plan, space, &space->old_root) &&
           (!space->old_root.privileged_va || table_flush(plan, space_privileged_of(space))) &&
           (!space->mmu->caps.ExplicitPageTableInvalidation || table_plan_add(plan, &op, NULL)) &&
           write_window(plan, space, &space->old_root, false);
}

bool tables_emit_end(struct plan *plan, struct table *dying) {
    for (struct table *table = dying; table; table = table->next) {
        if (!clear_table_ptes(plan, table))
            return false;
    }
    for (struct table *table = dying; table; table = table->next) {
        if (!add_links(plan, table->parent, table->start, table_end(table)) ||
            !table_flush(plan, table->space))
            return false;
    }
    for (struct table *table = dying; table; table = table->next) {
        if (!write_windows(plan, table, false))
            return false;
    }
    return true;
}

/* ---- Whole spaces ---------------------------------------------------------------------------- */

static bool each_table(struct plan *plan, struct table *table,
                       bool (*visit)(struct plan *plan, struct table *table)) {
    if (!visit(plan, table))
        return false;
    for (uint32_t i = 0; table->child && i < table->entries; i++) {
        if (table->child[i] && !each_table(plan, table->child[i], visit))
            return false;
    }
    return true;
}

static bool emit_leave(struct plan *plan, struct table *table) {
    return (!table->space->mmu->caps.ExplicitPageTableInvalidation ||
            add_whole(plan, table, TABLE_LEAVE)) &&
           (table->space->paging || write_windows(plan, table, false));
}

/* When the paging process ends nothing runs in it any more, not even a flush. */
bool tables_emit_leave(struct plan *plan, struct space *space) {
    return !space->root || (each_table(plan, space->root, emit_leave) &&
                            (space->paging || table_flush(plan, space)));
}

static bool emit_evict(struct plan *plan, struct table *table) {
    return (space_is_privileged(table->space) || clear_table_ptes(plan, table)) &&
           add_whole(plan, table, TABLE_EVICT) && write_windows(plan, table, false);
}

bool tables_emit_away(struct plan *plan, struct space *space) {
    space->stale_start = 0;
    space->stale_end = space->va->limit;
    return each_table(plan, space->root, emit_evict) && table_flush(plan, space);
}

/* What the entry above led to is lost, whatever becomes of the plan. */
static bool emit_again(struct plan *plan, struct table *table) {
    table->large = (DXGK_PTE){.Flags = 0};
    return emit_init(plan, table) &&
           (table->level == 0 || add_links(plan, table, table->start, table_end(table)));
}

static bool emit_window(struct plan *plan, struct table *table) {
    return write_windows(plan, table, true);
}

bool tables_emit_again(struct plan *plan, struct space *space) {
    if (!each_table(plan, space->root, emit_again))
        return false;
    space->stale_start = 0;
    space->stale_end = space->va->limit;
    if (space->now)
        return each_table(plan, space->root, emit_window);
    return write_ptes(plan, space, 0, space->va->limit, TABLE_SIZES_ALL) &&
           table_join(plan, space, 0, space->va->limit) && table_flush(plan, space);
}
