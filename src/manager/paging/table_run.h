/*
 * table_run.h - what a run of addresses shall lead to, as table_plan.c, table_large.c and
 * table_join.c plan it.
 *
 * table_plan.c goes from leaf table to leaf table; where table_large.c finds that one entry above
 * can lead to all that the tables below it would, these are passed by. table_join.c finds the same
 * of mappings that lie side by side.
 */
#ifndef VIDMM_MANAGER_TABLE_RUN_H
#define VIDMM_MANAGER_TABLE_RUN_H

#include "paging/table.h"

/* Which sizes of pages an address may get. */
enum table_sizes {
    TABLE_SIZES_4K,
    TABLE_SIZES_LEAF, /* those of leaf tables; + n: and of entries of levels 1 to n */
    TABLE_SIZES_ALL = TABLE_SIZES_LEAF + VIDMM_LEVELS_MAX,
};

struct leaf_run {
    struct plan *plan;
    enum table_write write;
    struct table_source source;
    const struct mapping *mapping; /* NULL: the paging process's */
    enum table_sizes sizes;
};

/* ---- table_plan.c ---------------------------------------------------------------------------- */

bool table_plan_add(struct plan *plan, const struct table_op *what,
                    struct vidmm_allocation *allocation);
/* An operation of `run` on `table`; which addresses is left to the caller. */
struct table_op table_plan_describe(const struct leaf_run *run, struct table *table, bool wide);
/* [start, end) of the space leads nowhere, by entries of these sizes. */
bool table_plan_clear(struct plan *plan, struct space *space, uint64_t start, uint64_t end,
                      enum table_sizes sizes);
/* Where the plan under construction leaves the mapping's bytes; false: nowhere the GPU reaches. */
bool table_plan_view(const struct mapping *mapping, struct view *view);
/* The mapping behind it, if that goes on from it: the next byte of the same allocation, with the same
 * rights. NULL: it does not. */
const struct mapping *table_goes_on(const struct mapping *mapping);
/* The system pages that a mapping leads to where it leads to no segment. */
PMDL table_plan_pages(const struct va_use *use);

/* ---- table_large.c; false: no memory --------------------------------------------------------- */

/*
 * The end of the large pages that the run can have from `at` on, by entries of `*table`, which is
 * the highest that can have them; `at`: none. `leaf` translates `at`, and run->source.offset is its
 * byte of the allocation.
 */
uint64_t large_end(const struct leaf_run *run, struct table *leaf, uint64_t at, uint64_t end,
                   struct table **table);
/* Entries of `table` lead to [start, end) of the run. */
bool large_write(const struct leaf_run *run, struct table *table, uint64_t start, uint64_t end);
/* Large pages of such sizes that lie in [start, end) as a whole are there no more. */
bool large_clear(struct plan *plan, struct space *space, uint64_t start, uint64_t end,
                 enum table_sizes sizes);
/* The entry above leads to `table` again. */
bool large_end_of(struct plan *plan, const struct table *table);
/* The table in place of which a large page is that has `at` but not all of [start, end) inside;
 * NULL: there is none. */
const struct table *large_cut(const struct space *space, uint64_t at, uint64_t start, uint64_t end);

/* ---- table_join.c; false: no memory ---------------------------------------------------------- */

/*
 * Entries above the leaves that cover part of [start, end) lead to memory if several mappings below
 * one go on with the same allocation.
 */
bool table_join(struct plan *plan, struct space *space, uint64_t start, uint64_t end);

#endif
