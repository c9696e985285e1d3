/*
 * table.h - an update of page table entries, as the files share it that judge updates:
 * operation/table.c (what is asked for), change.c (the tables before and after it), table_entries.c
 * (what single entries say), table_bits.c (what the driver makes of them), operation/entries.c
 * (entries that are copied).
 */
#ifndef REFEREE_OPERATION_TABLE_H
#define REFEREE_OPERATION_TABLE_H

#include "operation/compare.h"

#define TABLE_LEFT 4u /* allocations of which an operation keeps count */

/* What an operation keeps until it is done (struct shadow_operation.own). */
struct table_change {
    D3DGPU_PHYSICAL_ADDRESS place;
    HANDLE process, allocation;
    uint32_t level, start, count;
    bool wide, repeat, initial;
    bool now;      /* without a DMA buffer */
    bool unsure;   /* what it says broke a rule: the entries are not known afterwards */
    uint8_t kinds; /* bit 0: entries of tables or pages of 4 KB; bit 1: of tables of 64 KB pages */
    uint64_t offset, protection, va;  /* of the first entry */
    const struct tables_owner *owner; /* of each entry; NULL: as `allocation` and `offset` say */
    struct { /* allocations that entries lead to no more, once it is done */
        HANDLE allocation;
        int32_t entries;
    } left[TABLE_LEFT];
    uint64_t made;    /* the table that it was built for (struct tables_table.made); 0: none */
    uint64_t before;  /* hash of the table's memory when it was asked for; 0: cannot be seen */
    DXGK_PTE entry[]; /* `count` of each kind; with `repeat` one */
};

/* Entry `index` of one kind, from 0 on; NULL: there is none of that kind. */
const DXGK_PTE *change_entry(const struct table_change *change, uint32_t kind, uint32_t index);
/* Elements of the array of one kind. */
uint32_t change_elements(const struct table_change *change);
/* Of the physical adapter whose table it is. */
const struct tables_mmu *change_mmu(struct vidmm_referee *referee,
                                    const struct table_change *change);
/* log2 of the bytes that an entry covers. */
uint32_t change_shift(struct vidmm_referee *referee, const struct table_change *change);
/* Before and after: as of `when`. Notes the table that it is built for, and changes no other once
 * it is done: what is at the same place by then has changes of its own under way. */
void change_apply(struct vidmm_referee *referee, struct table_change *change,
                  enum tables_when when);
/* Drops the references that the old entries held. */
void change_settle(struct vidmm_referee *referee, struct table_change *change);
/* The operation that the driver is building may have changed the entries of an address already. */
bool change_open(struct vidmm_referee *referee, HANDLE process, uint64_t va);
/* Bytes [first, end) of a table are reached in `runs`, where its address is `window`. */
void window_judge(struct vidmm_referee *referee, const struct tables_process *runs, uint64_t window,
                  uint64_t first, uint64_t end);
/* Compares the hardware's translation with the entries. */
void change_compare(struct vidmm_referee *referee, const struct table_change *change,
                    struct tables_blame blame);

/* table_bits.c: over all of the table's memory; 0: it cannot be seen, or there is no table yet. */
uint64_t bits_hash(struct vidmm_referee *referee, const struct table_change *change);
/* That memory is what it was when the update was asked for. */
bool bits_untouched(struct vidmm_referee *referee, const struct table_change *change);
/* Judges that memory, once the update is done. */
void bits_done(struct vidmm_referee *referee, const struct table_change *change);

/* table_entries.c: judges what the entries say; false: a rule is broken. `table` may be NULL. */
bool entries_judge(struct vidmm_referee *referee, const struct table_change *change,
                   const struct tables_table *table);

#endif
