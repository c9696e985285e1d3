/*
 * generate_offers.c - three programs, each with more than its share of memory, that offer
 * allocations which they do not need for a while (offer-and-reclaim-changes.md).
 *
 * Each has a small hot set that it draws every frame, and caches that it fills, reads for some
 * frames, and offers until their next turn; then it reclaims one, reads it if the content was kept,
 * and fills it again. Caches support GPU memory only, so that processes must be trimmed.
 */
#include "generator.h"

#define PROGRAMS 3
#define ROUNDS   60
#define HOT      4
#define CACHES   10

struct cache {
    uint32_t allocation;
    bool offered;
};

struct program {
    uint32_t hot[HOT], target;
    struct cache caches[CACHES];
    uint32_t next;
};

struct machine {
    struct generator generator;
    struct program programs[PROGRAMS];
};

static void offers_start(struct machine *machine, uint32_t number) {
    struct generator *generator = &machine->generator;
    struct program *program = &machine->programs[number];
    program->target = generator_alloc(generator, number, 2 * MIB, VIDMM_UMD_LOCAL, 0);
    for (uint32_t i = 0; i < HOT; i++)
        program->hot[i] = generator_alloc(
            generator, number, generator_size(generator, 256 * KIB, 1 * MIB), VIDMM_UMD_LOCAL, 0);
    for (uint32_t i = 0; i < CACHES; i++)
        program->caches[i].allocation =
            generator_alloc(generator, number, generator_size(generator, 1 * MIB, 4 * MIB),
                            VIDMM_UMD_LOCAL_ONLY, 0);
}

static void offer(struct generator *generator, struct cache *cache) {
    if (!cache->offered)
        generator_offer(generator, cache->allocation);
    cache->offered = true;
}

static void take_back(struct generator *generator, struct cache *cache) {
    if (cache->offered)
        generator_reclaim(generator, cache->allocation);
    cache->offered = false;
}

static void round_of(struct machine *machine, uint32_t number) {
    struct generator *generator = &machine->generator;
    struct program *program = &machine->programs[number];
    struct cache *cache = &program->caches[program->next++ % CACHES];
    take_back(generator, cache);
    generator_read(generator, cache->allocation);
    generator_submit(generator, number);
    generator_write(generator, cache->allocation);
    generator_submit(generator, number);
    for (uint32_t i = 0; i < HOT; i++)
        generator_read(generator, program->hot[i]);
    generator_read(generator, cache->allocation);
    generator_write(generator, program->target);
    generator_submit(generator, number);
    generator_present(generator, number);
    /* A part of what was used some rounds ago, in another order. */
    if (generator_roll(generator, 0, 3) != 0)
        offer(generator, &program->caches[generator_roll(generator, 0, CACHES - 1)]);
}

bool generate_offers(uint64_t seed, struct vidmm_workload *out,
                     struct vidmm_workload_error *error) {
    struct machine machine = {.programs = {{.next = 0}}};
    generator_start(&machine.generator, "offers", seed);
    for (uint32_t i = 0; i < PROGRAMS; i++)
        offers_start(&machine, i);
    for (uint32_t i = 0; i < ROUNDS * PROGRAMS; i++)
        round_of(&machine, i % PROGRAMS);
    return generator_finish(&machine.generator, out, error);
}
