/*
 * generate_frame_loop.c - the worst workload for a least-recently-used policy.
 *
 * A set of textures and buffers somewhat larger than a budget of 96 MiB, every one of them touched
 * every frame in the same order: with just too little memory, a queue of pages evicts each of them
 * right before its next use.
 */
#include "generator.h"

#define BUDGET  (96 * MIB)
#define FRAMES  48
#define PASSES  8
#define SET_MAX 160

static uint32_t make_set(struct generator *generator, uint32_t *set, uint64_t bytes) {
    uint32_t count = 0;
    while (bytes >= 256 * KIB && count < SET_MAX) {
        uint64_t size = generator_size(generator, 256 * KIB, 6 * MIB);
        size = size < bytes ? size : bytes;
        uint32_t flags = VIDMM_UMD_LOCAL;
        if (count % 5 == 1)
            flags |= VIDMM_UMD_SWIZZLED;
        if (count % 7 == 3)
            flags |= VIDMM_UMD_EVICT_TO_APERTURE;
        set[count] = generator_alloc(generator, 0, size, flags, 0);
        generator_write(generator, set[count++]);
        bytes -= size;
        generator_submit(generator, 0);
    }
    return count;
}

/* One frame: constants from the CPU, then passes over the set into the two targets. */
static void frame(struct generator *generator, const uint32_t *set, uint32_t count,
                  uint32_t constants, const uint32_t targets[2], uint32_t screen) {
    generator_cpu(generator, constants);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        for (uint32_t i = count * pass / PASSES; i < count * (pass + 1) / PASSES; i++)
            generator_read(generator, set[i]);
        generator_read(generator, constants);
        generator_write(generator, targets[pass % 2]);
        generator_submit(generator, 0);
    }
    generator_read(generator, targets[0]);
    generator_read(generator, targets[1]);
    generator_write(generator, screen);
    generator_submit(generator, 0);
    generator_present(generator, 0);
}

bool generate_frame_loop(uint64_t seed, struct vidmm_workload *out,
                         struct vidmm_workload_error *error) {
    struct generator generator;
    uint32_t set[SET_MAX];
    generator_start(&generator, "frame-loop", seed);
    uint64_t percent = generator_roll(&generator, 110, 150);
    uint32_t screen[2], targets[2];
    for (uint32_t i = 0; i < 2; i++) {
        screen[i] =
            generator_alloc(&generator, 0, 1280 * 720 * 4, VIDMM_UMD_LOCAL | VIDMM_UMD_PRIMARY, 0);
        targets[i] =
            generator_alloc(&generator, 0, 1280 * 720 * 4, VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED,
                            D3DDDI_ALLOCATIONPRIORITY_HIGH);
    }
    uint32_t constants = generator_alloc(&generator, 0, 256 * KIB, VIDMM_UMD_CPU_VISIBLE, 0);
    uint32_t count = make_set(&generator, set, BUDGET * percent / 100);
    for (uint32_t i = 0; i < FRAMES; i++)
        frame(&generator, set, count, constants, targets, screen[i % 2]);
    return generator_finish(&generator, out, error);
}
