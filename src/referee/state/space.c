/* space.c - the page tables of each process by the addresses that they translate; see space.h. */
#include "state/space.h"

#include <stddef.h>
#include <stdlib.h>

#include "state/judge.h"

static struct tables_space *space_of(struct vidmm_referee *referee, HANDLE process) {
    struct tables_space *space = referee->tables.spaces;
    while (space && space->process != process)
        space = space->next;
    return space;
}

struct tables_space *tables_space_make(struct vidmm_referee *referee, HANDLE process) {
    struct tables_space *space = space_of(referee, process);
    if (space)
        return space;
    space = calloc(1, sizeof(*space));
    if (!space)
        return NULL;
    space->process = process;
    space->next = referee->tables.spaces;
    referee->tables.spaces = space;
    return space;
}

static void space_free(struct vidmm_referee *referee, struct tables_space *space) {
    struct tables_space **link = &referee->tables.spaces;
    while (*link != space)
        link = &(*link)->next;
    *link = space->next;
    free(space);
}

/* Bytes of addresses. */
static uint64_t space_covered(struct vidmm_referee *referee, const struct tables_table *table) {
    return (uint64_t)table->entries << tables_entry_shift(referee, table);
}

void tables_space_enter(struct vidmm_referee *referee, struct tables_table *table) {
    uint64_t bytes = space_covered(referee, table);
    table->space->tables++;
    table->space->leaf_bytes += table->level == 0 ? bytes : 0;
    interval_add(&table->space->index, &table->addresses, table->start, table->start + bytes);
}

void tables_space_leave(struct vidmm_referee *referee, struct tables_table *table) {
    struct tables_space *space = table->space;
    interval_remove(&space->index, &table->addresses);
    space->leaf_bytes -= table->level == 0 ? space_covered(referee, table) : 0;
    for (uint32_t when = 0; when < 2; when++)
        space->stale[when] -= table->stale[when];
    if (--space->tables == 0)
        space_free(referee, space);
}

void tables_set_start(struct vidmm_referee *referee, struct tables_table *table, uint64_t start) {
    uint64_t end = start + space_covered(referee, table);
    interval_remove(&table->space->index, &table->addresses);
    table->start = start;
    interval_add(&table->space->index, &table->addresses, start, end);
}

uint64_t tables_leaf_bytes(struct vidmm_referee *referee, const struct tables_process *process) {
    const struct tables_space *space = space_of(referee, process->handle);
    return space ? space->leaf_bytes : 0;
}

struct tables_table *tables_translating(struct vidmm_referee *referee, HANDLE process,
                                        uint64_t start, uint64_t end,
                                        const struct tables_table *after) {
    const struct tables_space *space = space_of(referee, process);
    struct interval *at =
        space ? interval_meets(&space->index, start, end, after ? &after->addresses : NULL) : NULL;
    return at ? (struct tables_table *)((char *)at - offsetof(struct tables_table, addresses))
              : NULL;
}

uint32_t tables_stale(struct vidmm_referee *referee, const struct tables_process *process,
                      enum tables_when when) {
    const struct tables_space *space = space_of(referee, process->handle);
    return space ? space->stale[when] : 0;
}
