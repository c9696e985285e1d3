/*
 * generate_tiled_resource.c - a world too large for memory; a pool of tiles holds the visible part
 * (tile-resources.md).
 *
 * A range of addresses is the world. In every frame some of its tiles are bound to tiles of a pool,
 * some are unbound, and some are copied, so that two places of the world share one tile. Then the
 * pool is read and written. Without GPU virtual addresses only these reads and writes remain.
 */
#include "generator.h"

#define TILE        VIDMM_TILE_BYTES
#define FRAMES      60
#define WORLD_TILES 2048 /* 128 MiB */
#define BLOCKS      24   /* of the pool */
#define BLOCK_TILES 48   /* 3 MiB each */
#define BINDS       12   /* a frame */
#define RUN_MOST    16

struct world {
    struct generator generator;
    uint32_t range, blocks[BLOCKS], target, staging;
};

static void tiled_start(struct world *world) {
    struct generator *generator = &world->generator;
    world->target = generator_alloc(generator, 0, 1280 * 720 * 4, VIDMM_UMD_LOCAL,
                                    D3DDDI_ALLOCATIONPRIORITY_HIGH);
    world->staging = generator_alloc(generator, 0, 2 * MIB, VIDMM_UMD_CPU_VISIBLE, 0);
    for (uint32_t i = 0; i < BLOCKS; i++)
        world->blocks[i] = generator_alloc(generator, 0, BLOCK_TILES * TILE, VIDMM_UMD_LOCAL, 0);
    world->range = generator_reserve(generator, 0, WORLD_TILES * TILE);
}

/* Binds a run of tiles of the world to a run of the pool, unbinds it, or copies another run. */
static void change(struct world *world) {
    struct generator *generator = &world->generator;
    uint64_t run = generator_roll(generator, 1, RUN_MOST);
    uint64_t at = generator_roll(generator, 0, WORLD_TILES - run) * TILE;
    uint64_t die = generator_roll(generator, 0, 5);
    if (die == 0) {
        generator_unbind(generator, world->range, at, run * TILE);
    } else if (die == 1) {
        uint64_t from = generator_roll(generator, 0, WORLD_TILES - run) * TILE;
        generator_copy(generator, world->range, at, from, run * TILE);
    } else {
        const struct generator_part part = {
            .allocation = world->blocks[generator_roll(generator, 0, BLOCKS - 1)],
            .offset = generator_roll(generator, 0, BLOCK_TILES - run) * TILE,
            .size = run * TILE};
        generator_bind(generator, world->range, at, &part);
    }
}

static void frame(struct world *world) {
    struct generator *generator = &world->generator;
    uint32_t view = (uint32_t)generator_roll(generator, 0, BLOCKS - 1);
    for (uint32_t i = 0; i < BINDS; i++)
        change(world);
    generator_cpu(generator, world->staging);
    generator_read(generator, world->staging);
    generator_write(generator, world->blocks[view]);
    generator_submit(generator, 0);
    for (uint32_t i = 0; i < BLOCKS / 4; i++)
        generator_read(generator, world->blocks[(view + i) % BLOCKS]);
    generator_write(generator, world->target);
    generator_submit(generator, 0);
    generator_present(generator, 0);
}

bool generate_tiled_resource(uint64_t seed, struct vidmm_workload *out,
                             struct vidmm_workload_error *error) {
    struct world world;
    generator_start(&world.generator, "tiled-resource", seed);
    tiled_start(&world);
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame(&world);
        /* Sometimes the whole world is replaced. */
        if (i % 20 == 19) {
            generator_release(&world.generator, world.range);
            world.range = generator_reserve(&world.generator, 0, WORLD_TILES * TILE);
        }
    }
    return generator_finish(&world.generator, out, error);
}
