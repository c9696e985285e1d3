/*
 * virtual_players.h - processes that share the GPU of space_world.h, each with a device, a context,
 * a paging queue and allocations whose bytes it knows.
 */
#ifndef VIDMM_TESTS_VIRTUAL_PLAYERS_H
#define VIDMM_TESTS_VIRTUAL_PLAYERS_H

#include "space_world.h"

#define PLAYERS 4u

struct player {
    struct game *game;
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_paging_queue *queue;
    uint32_t index;
    /* What it was asked: */
    uint32_t trims, trim_flags;
    uint64_t trim_bytes;
};

struct game {
    struct world *world;
    struct player players[PLAYERS];
};

/* VRAM of 4 MiB and an aperture of 8 MiB; tables in system memory. */
struct game *game_new(uint32_t players);
/* The same in two steps, with so much VRAM (at most 4 MiB). */
struct game *game_prepare(uint64_t vram);
void game_start(struct game *game, uint32_t players);
/* Process, device, context and queue of one. */
void player_start(struct game *game, uint32_t index);
void game_end(struct game *game);

struct vidmm_allocation *make(struct player *player, uint64_t size, uint32_t set);
/* Content that is a function of `tag`, through the CPU. */
void stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag);
/* The same by the GPU, wherever it is resident. */
void gpu_stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag);
void expect_stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag);

/* The same in the system pages, which need not be where it is. */
void stamp_backing(struct player *player, struct vidmm_allocation *allocation, uint64_t tag);
void expect_backing(struct player *player, struct vidmm_allocation *allocation, uint64_t tag);

enum vidmm_status make_resident(struct player *player, struct vidmm_allocation *allocation);
void must_list(struct player *player, struct vidmm_allocation *allocation);
void evict(struct player *player, struct vidmm_allocation *allocation, uint32_t flags);
enum vidmm_status submit(struct player *player);
void must_submit(struct player *player);
/* 0: system memory. */
uint32_t segment_of(const struct vidmm_allocation *allocation);
struct vidmm_stats stats_of(const struct game *game);
void listen(struct player *player);

#endif
