/*
 * space.h - which tables a process has, for tables.c, which makes and frees them. What other files
 * ask of a process's tables is in tables.h: tables_translating, tables_stale, tables_leaf_bytes.
 */
#ifndef REFEREE_SPACE_H
#define REFEREE_SPACE_H

#include "state/tables.h"

/* The tables of a process, which may be none so far; NULL: no memory. */
struct tables_space *tables_space_make(struct vidmm_referee *referee, HANDLE process);
/* Frees one without tables; NULL: nothing is done. */
void tables_space_end(struct vidmm_referee *referee, struct tables_space *space);
/* So many of the table's entries are stale, or are not any more. */
void tables_space_count(struct tables_table *table, enum tables_when when, bool stale,
                        uint32_t entries);
/* The table is one of table->space from now on, or is not any more; with its last table the space goes.
 */
void tables_space_enter(struct vidmm_referee *referee, struct tables_table *table);
void tables_space_leave(struct vidmm_referee *referee, struct tables_table *table);

#endif
