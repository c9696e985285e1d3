/*
 * dirty.h - what watches dirty-bit tracking (watch/dirty.c) and live migration (watch/migration.c).
 */
#ifndef REFEREE_WATCH_DIRTY_H
#define REFEREE_WATCH_DIRTY_H

#include "state/dirty.h"

struct query;

/* ---- watch/dirty.c --------------------------------------------------------------------------- */

/* An answer to DxgkDdiQueryAdapterInfo, of whatever type and status. */
void dirty_query_answered(struct vidmm_referee *referee, const struct query *query);
/* The manager goes on from asking what the adapter is to using it. */
void dirty_judge_use(struct vidmm_referee *referee);
void dirty_end(struct vidmm_referee *referee);

/* ---- watch/migration.c ----------------------------------------------------------------------- */

void referee_watch_dirty(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_migration(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
/* Work is submitted; work of applications if not `paging`. */
void migration_judge_work(struct vidmm_referee *referee, bool paging);
/* The bits of a basis are asked for. */
void migration_judge_query(struct vidmm_referee *referee, const struct dirty_basis *basis);
void migration_judge_end(struct vidmm_referee *referee);

#endif
