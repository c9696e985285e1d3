/*
 * generate_processes.c - three independent programs that share the GPU.
 *
 * Process 0 is a desktop with a primary and windows that open and close, process 1 a small game
 * that draws a fixed set, process 2 a computation that sometimes runs, with large buffers. Each has
 * its own period, so the working set changes all the time.
 */
#include "generator.h"

#define ROUNDS  90
#define WINDOWS 6
#define SCENE   24
#define BUFFERS 6

enum { DESKTOP, GAME, COMPUTE };

struct machine {
    struct generator generator;
    uint32_t screen, windows[WINDOWS];
    uint32_t scene[SCENE], target, uniforms;
    uint32_t buffers[BUFFERS], ring;
    bool computing;
};

static uint32_t open_window(struct generator *generator) {
    uint32_t flags =
        VIDMM_UMD_LOCAL | (generator_roll(generator, 0, 2) == 0 ? VIDMM_UMD_CPU_VISIBLE : 0);
    return generator_alloc(generator, DESKTOP, generator_size(generator, 256 * KIB, 4 * MIB), flags,
                           0);
}

static void processes_start(struct machine *machine) {
    struct generator *generator = &machine->generator;
    machine->screen =
        generator_alloc(generator, DESKTOP, 1280 * 720 * 4, VIDMM_UMD_LOCAL | VIDMM_UMD_PRIMARY, 0);
    for (uint32_t i = 0; i < WINDOWS; i++)
        machine->windows[i] = open_window(generator);
    for (uint32_t i = 0; i < SCENE; i++) {
        uint32_t flags = VIDMM_UMD_LOCAL | (i % 4 == 2 ? VIDMM_UMD_SWIZZLED : 0);
        machine->scene[i] = generator_alloc(
            generator, GAME, generator_size(generator, 512 * KIB, 4 * MIB), flags, 0);
        generator_write(generator, machine->scene[i]);
        generator_submit(generator, GAME);
    }
    machine->target =
        generator_alloc(generator, GAME, 1280 * 720 * 4, VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED,
                        D3DDDI_ALLOCATIONPRIORITY_HIGH);
    machine->uniforms = generator_alloc(generator, GAME, 128 * KIB, VIDMM_UMD_CPU_VISIBLE, 0);
    machine->ring =
        generator_alloc(generator, COMPUTE, 256 * KIB,
                        VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED | VIDMM_UMD_PERMANENT_SYSMEM, 0);
}

static void desktop(struct machine *machine) {
    struct generator *generator = &machine->generator;
    uint32_t which = (uint32_t)generator_roll(generator, 0, WINDOWS - 1);
    if (generator_roll(generator, 0, 7) == 0) {
        generator_free(generator, machine->windows[which]);
        machine->windows[which] = open_window(generator);
    }
    generator_write(generator, machine->windows[which]);
    generator_submit(generator, DESKTOP);
    for (uint32_t i = 0; i < WINDOWS; i++)
        generator_read(generator, machine->windows[i]);
    generator_write(generator, machine->screen);
    generator_submit(generator, DESKTOP);
    generator_present(generator, DESKTOP);
}

static void game(struct machine *machine) {
    struct generator *generator = &machine->generator;
    generator_cpu(generator, machine->uniforms);
    for (uint32_t i = 0; i < SCENE; i++)
        generator_read(generator, machine->scene[i]);
    generator_read(generator, machine->uniforms);
    generator_write(generator, machine->target);
    generator_submit(generator, GAME);
    generator_present(generator, GAME);
}

static void compute(struct machine *machine) {
    struct generator *generator = &machine->generator;
    if (!machine->computing)
        for (uint32_t i = 0; i < BUFFERS; i++)
            machine->buffers[i] =
                generator_alloc(generator, COMPUTE, generator_size(generator, 2 * MIB, 8 * MIB),
                                VIDMM_UMD_LOCAL | (i % 2 ? VIDMM_UMD_EVICT_TO_APERTURE : 0), 0);
    machine->computing = true;
    for (uint32_t i = 0; i + 1 < BUFFERS; i++) {
        generator_read(generator, machine->buffers[i]);
        generator_write(generator, machine->buffers[i + 1]);
        generator_write(generator, machine->ring);
        generator_submit(generator, COMPUTE);
    }
    generator_cpu(generator, machine->ring);
    if (generator_roll(generator, 0, 4) != 0)
        return;
    for (uint32_t i = 0; i < BUFFERS; i++)
        generator_free(generator, machine->buffers[i]);
    machine->computing = false;
}

bool generate_processes(uint64_t seed, struct vidmm_workload *out,
                        struct vidmm_workload_error *error) {
    struct machine machine = {.computing = false};
    generator_start(&machine.generator, "processes", seed);
    processes_start(&machine);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        desktop(&machine);
        if (generator_roll(&machine.generator, 0, 4) != 0)
            game(&machine);
        if (i % 3 == 0)
            compute(&machine);
    }
    return generator_finish(&machine.generator, out, error);
}
