/*
 * owners.h - whose pages entries lead to, those of leaf tables and those with LargePage, as the updates said that wrote them.
 *
 * Of the entries of processes it is also kept where they lead, and where a TLB may still lead that
 * was not flushed since: memory that another allocation has by then was given away too early.
 * Written by operation/table.c as entries are asked for; tables.h has what the entries hold.
 */
#ifndef REFEREE_OWNERS_H
#define REFEREE_OWNERS_H

#include "state/keyed.h"
#include "state/shadow.h"

struct tables_table;

/* Of DriverProtection: no other address may lead to the page with another (R228). */
#define OWNERS_UNIQUE (UINT64_C(1) << 63)

struct owners {
    struct keyed_table pages;  /* that entries lead to, by GPU physical address */
    struct keyed_table unique; /* entries with a unique protection, by page of allocation */
    uint64_t flushes_built, flushes_done; /* they are done in their order */
    HANDLE *next;                         /* allocations that the next work uses */
    uint32_t next_count, next_room;
};

/* Of one entry. */
struct tables_owner {
    HANDLE allocation;         /* NULL: no allocation's */
    uint64_t page, protection; /* byte of the allocation; DriverProtection */
    /* Of processes; GPU physical addresses + 1, 0: none. */
    uint64_t leads;   /* a valid entry */
    uint64_t held_at; /* a TLB, to a page of `held`, until it is flushed */
    HANDLE held;
};

/* Entry `index`, which was just asked for, is for a page of `owner`'s allocation. The allocation
 * that it led to before, or NULL. */
HANDLE owners_set(struct vidmm_referee *referee, struct tables_table *table, uint32_t index,
                  const struct tables_owner *owner);
/* An entry other than `own` that leads to the page of `owner`'s allocation with another unique
 * protection, or NULL. */
const struct tables_owner *owners_conflict(struct vidmm_referee *referee,
                                           const struct tables_owner *owner,
                                           const struct tables_owner *own);
/* No TLB has an old value of the entry any more. */
void owners_flushed(struct vidmm_referee *referee, struct tables_table *table, uint32_t index);
/* A flush was built, before what it covers is flushed; and done. */
void owners_flush_built(struct vidmm_referee *referee);
void owners_flush_done(struct vidmm_referee *referee);
/* The end of the adapter. */
void owners_clear(struct vidmm_referee *referee);
/* The table is gone. */
void owners_drop(struct vidmm_referee *referee, struct tables_table *table);
/* Nothing that was built will be done. */
void owners_forget(struct vidmm_referee *referee);

/* So many entries are on their way out of the tables: operations that were built and are not done.
 */
void owners_leaving(struct vidmm_referee *referee, HANDLE allocation, int32_t entries);

/* User mode said that the next work uses the allocation. */
void owners_add_next(struct vidmm_referee *referee, struct shadow_allocation *allocation);
/* Work was submitted; it uses what user mode said before. */
void owners_used(struct vidmm_referee *referee, uint32_t node, uint32_t fence);

/* R368: the page at a GPU physical address is one of the allocation from now on; NULL: a table's.
 */
void owners_judge_page(struct vidmm_referee *referee, HANDLE allocation, uint64_t gpu_address);
/* R299, R231: no address leads to an allocation that is destroyed. `open`: paging operations of it
 * that are under way (R145). */
void owners_judge_end(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                      uint32_t open);

#endif
