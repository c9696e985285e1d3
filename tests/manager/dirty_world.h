/*
 * dirty_world.h - dirty-bit tracking and live migration in the driver of space_world.h. A plane a
 * basis; what the GPU writes is noted where it is written.
 */
#ifndef VIDMM_TESTS_DIRTY_WORLD_H
#define VIDMM_TESTS_DIRTY_WORLD_H

#include "space_world.h"

#include <vidmm/migration.h>

#define DIRTY_BASES  16u
#define DIRTY_RANGES 8u
#define DIRTY_DATA   64u /* bytes of the driver's own state, of each kind */

struct dirty_basis {
    struct world *world;
    bool used, started;
    uint32_t segment, count;
    DXGK_MEMORYRANGE ranges[DIRTY_RANGES];
    uint8_t *bits; /* a byte a page, in the order of the basis */
};

struct world_dirty {
    /* What the driver says; set before world_start. */
    bool supported, performant, migration;
    uint32_t page[3];   /* of each segment; 0: STATUS_NOT_IMPLEMENTED */
    bool shared_plane;  /* a start and a query that clears are seen by every basis */
    uint64_t data_size; /* what the first call of a save answers */
    NTSTATUS refuse_start, refuse_restore;
    uint32_t invalid_pages; /* of VRAM, from its start on */

    /* What happened. */
    uint32_t caps_asked, segment_caps_asked, starts, stops, queries, part_queries;
    uint32_t prepared, ended, saved, restored;
    DXGK_GPUP_MIGRATIONTYPE side;
    bool second_save;
    uint8_t received[DIRTY_DATA];
    struct dirty_basis bases[DIRTY_BASES];
};

/* A driver of WDDM 3.2 that tracks; before world_start. `page`: of every memory segment. */
struct world_dirty *world_track(struct world *world, bool performant, uint32_t page);
void dirty_table(struct world *world);
NTSTATUS dirty_answer(struct world *world, const DXGKARG_QUERYADAPTERINFO *arg);
/* The GPU wrote to the page at `offset`. */
void world_wrote(struct world *world, uint32_t segment, uint64_t offset);

#endif
