/*
 * seeds.h - what is played at random is played from seeds: all of them, or the one that SEED in the
 * environment says. The last line of standard error has the one that failed.
 */
#ifndef VIDMM_TESTS_SEEDS_H
#define VIDMM_TESTS_SEEDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* `count` seeds from `first` on. */
static inline void play_seeds(uint32_t first, uint32_t count, void (*play)(uint32_t seed)) {
    const char *only = getenv("SEED");
    for (uint32_t seed = first; seed < first + count; seed++) {
        if (only && seed != (uint32_t)atoi(only))
            continue;
        fprintf(stderr, "\rseed %u ", seed);
        play(seed);
    }
    fprintf(stderr, "\r");
}

#endif
