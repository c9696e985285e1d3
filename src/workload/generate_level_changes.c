/*
 * generate_level_changes.c - a game: levels are loaded and freed, render targets stay.
 *
 * Every level is uploaded through a mapped staging buffer, then drawn for some seconds of frames in
 * which the view moves over the level's resources. The next level is loaded before the last one is
 * freed, which is the peak of memory use. At the end everything is freed.
 */
#include "generator.h"

#define LEVELS      5
#define FRAMES      26
#define LEVEL_MAX   96
#define LEVEL_BYTES (72 * MIB)
#define TARGETS     3

struct level {
    uint32_t resources[LEVEL_MAX];
    uint32_t count;
};

struct game {
    struct generator generator;
    uint32_t screen, cursor, staging, constants, targets[TARGETS];
};

static void levels_start(struct game *game) {
    struct generator *generator = &game->generator;
    const uint64_t target = 1280 * 720 * 4;
    game->screen = generator_alloc(generator, 0, target, VIDMM_UMD_LOCAL | VIDMM_UMD_PRIMARY,
                                   D3DDDI_ALLOCATIONPRIORITY_MAXIMUM);
    game->cursor =
        generator_alloc(generator, 0, 64 * KIB, VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_OVERLAY, 0);
    game->staging = generator_alloc(generator, 0, 4 * MIB, VIDMM_UMD_CPU_VISIBLE, 0);
    game->constants = generator_alloc(
        generator, 0, 512 * KIB, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_FROM_END, 0);
    for (uint32_t i = 0; i < TARGETS; i++) {
        uint32_t flags = i == 0 ? VIDMM_UMD_LOCAL_ONLY : VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED;
        game->targets[i] =
            generator_alloc(generator, 0, target, flags, D3DDDI_ALLOCATIONPRIORITY_HIGH);
    }
    generator_write(generator, game->cursor);
    generator_submit(generator, 0);
}

static uint32_t resource_flags(struct generator *generator) {
    static const uint32_t kinds[] = {
        VIDMM_UMD_LOCAL,
        VIDMM_UMD_LOCAL,
        VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED,
        VIDMM_UMD_LOCAL | VIDMM_UMD_EVICT_TO_APERTURE,
        VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE,
        VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_SWIZZLED,
        VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED,
    };
    return kinds[generator_roll(generator, 0, sizeof(kinds) / sizeof(kinds[0]) - 1)];
}

static void load(struct game *game, struct level *level) {
    struct generator *generator = &game->generator;
    uint64_t bytes = generator_roll(generator, LEVEL_BYTES / 2, LEVEL_BYTES);
    level->count = 0;
    while (bytes >= 64 * KIB && level->count < LEVEL_MAX) {
        uint64_t size = generator_size(generator, 64 * KIB, 4 * MIB);
        size = size < bytes ? size : bytes;
        uint32_t priority =
            generator_roll(generator, 0, 9) == 0 ? D3DDDI_ALLOCATIONPRIORITY_LOW : 0;
        uint32_t resource =
            generator_alloc(generator, 0, size, resource_flags(generator), priority);
        level->resources[level->count++] = resource;
        bytes -= size;
        if (level->count % 8 == 0)
            generator_cpu(generator, game->staging);
        generator_read(generator, game->staging);
        generator_write(generator, resource);
        generator_submit(generator, 0);
    }
}

static void unload(struct game *game, struct level *level) {
    for (uint32_t i = 0; i < level->count; i++)
        generator_free(&game->generator, level->resources[i]);
    level->count = 0;
}

/* A frame uses a window over the level that moves with `view`, and sometimes another resource. */
static void frame(struct game *game, const struct level *level, uint32_t view) {
    struct generator *generator = &game->generator;
    generator_cpu(generator, game->constants);
    for (uint32_t pass = 0; pass < TARGETS; pass++) {
        for (uint32_t i = 0; i < level->count / 6; i++)
            generator_read(generator, level->resources[(view + pass + i) % level->count]);
        if (generator_roll(generator, 0, 3) == 0)
            generator_read(generator,
                           level->resources[generator_roll(generator, 0, level->count - 1)]);
        generator_read(generator, game->constants);
        generator_write(generator, game->targets[pass]);
        generator_submit(generator, 0);
    }
    for (uint32_t i = 0; i < TARGETS; i++)
        generator_read(generator, game->targets[i]);
    generator_read(generator, game->cursor);
    generator_write(generator, game->screen);
    generator_submit(generator, 0);
    generator_present(generator, 0);
}

bool generate_level_changes(uint64_t seed, struct vidmm_workload *out,
                            struct vidmm_workload_error *error) {
    struct game game;
    struct level levels[2] = {{.count = 0}, {.count = 0}};
    generator_start(&game.generator, "level-changes", seed);
    levels_start(&game);
    for (uint32_t n = 0; n < LEVELS; n++) {
        struct level *level = &levels[n % 2];
        load(&game, level);
        unload(&game, &levels[(n + 1) % 2]);
        uint32_t view = 0;
        for (uint32_t i = 0; i < FRAMES; i++) {
            view += (uint32_t)generator_roll(&game.generator, 0, 3);
            frame(&game, level, view);
        }
    }
    unload(&game, &levels[(LEVELS - 1) % 2]);
    for (uint32_t i = 0; i < TARGETS; i++)
        generator_free(&game.generator, game.targets[i]);
    return generator_finish(&game.generator, out, error);
}
