/*
 * tiles.h - what an actor does with tiles (vidmm_va_update): it queues updates of a range between
 * two submissions, and knows what the GPU must find at each tile by the next one.
 *
 * The first allocations of an actor are its tile pools. They are created, listed, offered, evicted
 * and destroyed as the others are, whatever is queued for them; a tile whose pool is gone leads
 * nowhere.
 */
#ifndef STRESS_TILES_H
#define STRESS_TILES_H

#include <stdbool.h>
#include <stdint.h>

#define POOLS        2u
#define POOL_PAGES   128u  /* at most */
#define TILES        1024u /* of a range, a page each: more than a leaf table has */
#define TILE_PACKETS 128u  /* of a submission at most */

struct actor;
struct packets;
struct thing;

/* What a tile leads to once the queue is carried out: a page of a pool as long as that lives. */
struct tile {
    uint64_t oracle; /* of the pool; 0: none */
    uint32_t pool, page;
    bool zero; /* without a pool: reads as zero */
    bool writable;
};

struct tiles {
    uint64_t va;
    bool zero; /* what is unmapped reads as zero */
    struct tile tile[TILES];
    uint32_t versions[POOLS][POOL_PAGES];
};

/* Reserves a range. */
void tiles_start(struct actor *actor);
/* The versions of the pages of a new allocation if it is a pool, all zero; else NULL. */
uint32_t *tiles_pool(struct actor *actor, const struct thing *thing);
/* One random action. */
void tiles_step(struct actor *actor);
/* A few updates. */
void tiles_queue(struct actor *actor);
/* The same behind work that is under way, and sometimes sees them done. */
void tiles_queue_behind(struct actor *actor);
/* Packets that check and write pools through their tiles. */
void tiles_use(struct actor *actor, struct packets *packets);

#endif
