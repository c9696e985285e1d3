/*
 * table_run.h - what a run of addresses shall lead to, as table_plan.c and table_large.c plan it.
 *
 * table_plan.c goes from leaf table to leaf table; where table_large.c finds that one entry above
 * can lead to all that a leaf table would, the leaf table is passed by.
 */
#ifndef VIDMM_MANAGER_TABLE_RUN_H
#define VIDMM_MANAGER_TABLE_RUN_H

#include "paging/table.h"

/* Which sizes of pages an address may get. */
enum table_sizes {
    TABLE_SIZES_ALL,
    TABLE_SIZES_SMALL, /* those of leaf tables */
    TABLE_SIZES_4K,
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

/* ---- table_large.c --------------------------------------------------------------------------- */

/* The end of the large pages that the run can have from `at` on, below one table; `at`: none.
 * `leaf` translates `at`, and run->source.offset is its byte of the allocation. */
uint64_t large_end(const struct leaf_run *run, const struct table *leaf, uint64_t at, uint64_t end);
/* Entries of `table` lead to [start, end) of the run. False: no memory. */
bool large_write(const struct leaf_run *run, struct table *table, uint64_t start, uint64_t end);
/* Large pages that lie in [start, end) as a whole are there no more. False: no memory. */
bool large_clear(struct plan *plan, struct space *space, uint64_t start, uint64_t end);

#endif
