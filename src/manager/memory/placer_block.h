/*
 * placer_block.h - the blocks that a placer is made of: for placer.c, and for the checks of debug
 * builds (check/check_placer.c), which walk them.
 */
#ifndef VIDMM_MANAGER_PLACER_BLOCK_H
#define VIDMM_MANAGER_PLACER_BLOCK_H

#include <stddef.h>

#include "memory/placer.h"

#define PLACER_NO_PAGE   UINT32_MAX
#define PLACER_BIN_COUNT (PLACER_CLASSES * PLACER_BINS)

/*
 * Lists have no NULL in them: placer->edge stands before the first and behind the last block and at
 * the end of each bin, so that most steps need no branch that a processor would guess wrong.
 */
struct placer_block {
    struct placer_block *previous, *next; /* neighbours by address; `next` links spares */
    struct placer_block *free_next;       /* in the bin; NULL: taken, or the edge */
    struct placer_block **free_link;      /* what points at this one in the bin */
    uint32_t start, pages;                /* the edge starts at NO_PAGE */
};

struct placer_chunk {
    struct placer_chunk *next;
    size_t bytes;
    struct placer_block nodes[];
};

static inline bool placer_is_free(const struct placer_block *block) {
    return block->free_next;
}

static inline uint32_t placer_highest_bit(uint32_t value) {
    return 31u - (uint32_t)__builtin_clz(value);
}

/* Bins are numbered through: one a page count below 32, then 32 for each power of two. */
static inline uint32_t placer_bin_of(uint32_t pages) {
    uint32_t shift = placer_highest_bit(pages | PLACER_BINS) - 5u;
    return shift * PLACER_BINS + (pages >> shift);
}

#endif
