/*
 * migration.h - the manager's part in a live migration of the whole adapter, vfIndex 0
 * (live-migration-on-gpup-devices.md).
 *
 * migration.c makes the driver's calls and keeps which side is paused; migration_dirty.c says what
 * has to be sent; migration_copy.c moves it. A migration must not change later decisions: it places
 * nothing, moves no allocation and counts none as used. Its staging pages and its addresses of the
 * paging process are taken when an adapter starts whose driver can migrate.
 */
#ifndef VIDMM_MANAGER_MIGRATION_H
#define VIDMM_MANAGER_MIGRATION_H

#include <vidmm/migration.h>

#include "migration/dirty.h"

struct migration {
    bool active; /* prepared, not ended */
    enum vidmm_migration_side side;
    bool paused;
    PMDL staging;                   /* NULL: nothing can be moved */
    uint8_t *cpu;                   /* of the staging pages */
    uint64_t staging_va, window_va; /* in the paging process: the pages, and what they go to */
    struct extent *extents;         /* room for as many pages as there are staging pages */
};

/* At start, behind the paging process: what is wanted later; and its end. */
enum vidmm_status migration_start(struct vidmm_adapter *adapter);
void migration_release(struct vidmm_adapter *adapter);
/* VIDMM_BUSY while new work has to wait. */
enum vidmm_status migration_admits(struct vidmm_adapter *adapter, const char *call);
/* Ends one that is under way; with the lock held. */
void migration_end(struct vidmm_adapter *adapter);

/* VIDMM_BAD_ARGUMENT with an error, unless a migration of `side` is under way. */
enum vidmm_status migration_is(struct vidmm_adapter *adapter, enum vidmm_migration_side side,
                               const char *call);
/* The plane of segment `id`; NULL with an error: its content cannot be moved. */
struct dirty_plane *migration_plane(struct vidmm_adapter *adapter, uint32_t id, const char *call,
                                    enum vidmm_status *status);
/* A new map of what of segment `id` is in use, a bit a dirty page; NULL with an error. */
uint8_t *migration_map(struct vidmm_adapter *adapter, uint32_t id, const char *call);

#endif
