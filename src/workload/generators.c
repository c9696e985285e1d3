/*
 * generators.c - the list of generators; each has a file of its own, generate_*.c.
 */
#include "generator.h"

static const struct vidmm_generator generators[] = {
    {"frame-loop", "a fixed set 1.1 to 1.5 times of 96 MiB, all of it touched in order every frame",
     generate_frame_loop},
    {"level-changes", "a game that loads and unloads levels around its render targets",
     generate_level_changes},
    {"training-step", "forward and backward over a stack of activations, then an optimizer step",
     generate_training_step},
    {"processes", "a desktop, a game and a computation that share the GPU", generate_processes},
    {"tiled-resource",
     "a world of tiles, of which a pool holds what is seen; tiles come, go and alias",
     generate_tiled_resource},
    {"address-churn", "allocations seen at many GPU addresses, which are freed and taken again",
     generate_address_churn},
    {"offers", "three programs over their budgets that offer caches and reclaim them",
     generate_offers},
};

const struct vidmm_generator *vidmm_generators(size_t *count) {
    *count = sizeof(generators) / sizeof(generators[0]);
    return generators;
}
