/* space.c - the page tables of each process by the addresses that they translate; see space.h. */
#include "state/space.h"

#include <stddef.h>
#include <stdlib.h>

#include "state/judge.h"
#include "state/memory.h"

struct tables_space *tables_space(struct vidmm_referee *referee, HANDLE process) {
    return (struct tables_space *)keyed_find(&referee->tables.spaces, keyed_handle(process));
}

struct tables_space *tables_next_space(struct vidmm_referee *referee,
                                       const struct tables_space *after) {
    struct keyed *next = after ? after->keyed.after : referee->tables.spaces.first;
    return (struct tables_space *)next;
}

struct tables_space *tables_space_make(struct vidmm_referee *referee, HANDLE process) {
    struct tables_space *space = tables_space(referee, process);
    if (space)
        return space;
    space = memory_calloc(1, sizeof(*space));
    if (!space || !keyed_add(&referee->tables.spaces, &space->keyed, keyed_handle(process))) {
        free(space);
        return NULL;
    }
    space->process = process;
    return space;
}

void tables_space_end(struct vidmm_referee *referee, struct tables_space *space) {
    if (!space || space->tables != 0)
        return;
    keyed_remove(&referee->tables.spaces, &space->keyed);
    free(space);
}

/* Bytes of addresses. */
static uint64_t space_covered(struct vidmm_referee *referee, const struct tables_table *table) {
    return (uint64_t)table->entries << tables_entry_shift(referee, table);
}

/* Addresses from `start` on; those behind the last one are none. */
static void space_index(struct vidmm_referee *referee, struct tables_table *table, uint64_t start) {
    uint64_t bytes = space_covered(referee, table);
    uint64_t end = bytes < UINT64_MAX - start ? start + bytes : UINT64_MAX;
    table->start = start;
    interval_add(&table->space->index, &table->addresses, start, end);
}

void tables_space_enter(struct vidmm_referee *referee, struct tables_table *table) {
    uint64_t bytes = space_covered(referee, table);
    table->space->tables++;
    table->space->leaf_bytes += table->level == 0 ? bytes : 0;
    space_index(referee, table, table->start);
}

/* Where a flush looks for it. */
static void space_expect_flush(struct tables_table *table, enum tables_when when) {
    interval_add(&table->space->flushes[when], &table->flushes[when], table->addresses.start,
                 table->addresses.end);
}

static void space_expect_no_flush(struct tables_table *table, enum tables_when when) {
    interval_remove(&table->space->flushes[when], &table->flushes[when]);
}

void tables_space_count(struct tables_table *table, enum tables_when when, bool stale,
                        uint32_t entries) {
    uint32_t change = stale ? entries : 0u - entries;
    if (stale && table->stale[when] == 0)
        space_expect_flush(table, when);
    table->stale[when] += change;
    table->space->stale[when] += change;
    if (!stale && table->stale[when] == 0)
        space_expect_no_flush(table, when);
}

void tables_space_leave(struct vidmm_referee *referee, struct tables_table *table) {
    struct tables_space *space = table->space;
    interval_remove(&space->index, &table->addresses);
    space->leaf_bytes -= table->level == 0 ? space_covered(referee, table) : 0;
    for (uint32_t when = 0; when < 2; when++) {
        if (table->stale[when] != 0)
            space_expect_no_flush(table, (enum tables_when)when);
        space->stale[when] -= table->stale[when];
    }
    space->tables--;
    tables_space_end(referee, space);
}

void tables_set_start(struct vidmm_referee *referee, struct tables_table *table, uint64_t start) {
    interval_remove(&table->space->index, &table->addresses);
    space_index(referee, table, start);
    for (uint32_t when = 0; when < 2; when++) {
        if (table->stale[when] == 0)
            continue;
        space_expect_no_flush(table, (enum tables_when)when);
        space_expect_flush(table, (enum tables_when)when);
    }
}

uint64_t tables_leaf_bytes(struct vidmm_referee *referee, const struct tables_process *process) {
    const struct tables_space *space = tables_space(referee, process->handle);
    return space ? space->leaf_bytes : 0;
}

struct tables_table *tables_translating(struct vidmm_referee *referee, HANDLE process,
                                        uint64_t start, uint64_t end,
                                        const struct tables_table *after) {
    const struct tables_space *space = tables_space(referee, process);
    struct interval *at =
        space ? interval_meets(&space->index, start, end, after ? &after->addresses : NULL) : NULL;
    return at ? (struct tables_table *)((char *)at - offsetof(struct tables_table, addresses))
              : NULL;
}

struct tables_table *tables_to_flush(const struct tables_space *space, uint64_t start, uint64_t end,
                                     enum tables_when when, const struct tables_table *after) {
    struct interval *at =
        interval_meets(&space->flushes[when], start, end, after ? &after->flushes[when] : NULL);
    return at ? (struct tables_table *)((char *)at - offsetof(struct tables_table, flushes) -
                                        when * sizeof(struct interval))
              : NULL;
}

uint32_t tables_stale(struct vidmm_referee *referee, const struct tables_process *process,
                      enum tables_when when) {
    const struct tables_space *space = tables_space(referee, process->handle);
    return space ? space->stale[when] : 0;
}
