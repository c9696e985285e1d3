/*
 * oracle_tiles.c - surfaces that are tiled while they are in a memory segment: those of the reference
 * driver, whose layout is known (docs/softgpu.md: tiles of 8 rows of 512 bytes, row by row), and those
 * of drivers whose layout is their own. Of these the words of a surface are compared in whatever order,
 * when all of it was moved; their places show when a surface leaves, or is read through a lock or by
 * the GPU.
 */
#include "oracle.h"

#include <string.h>

#define PAGE        VIDMM_PATTERN_PAGE
#define TILE_WIDTH  512u
#define TILE_HEIGHT 8u

static uint64_t tiled_offset(uint64_t at, uint32_t pitch, uint64_t surface) {
    uint64_t band = (uint64_t)pitch * TILE_HEIGHT, start = at / band * band;
    if (start + band > surface)
        return at; /* rows behind the last tile are linear */
    uint64_t row = (at - start) / pitch, column = (at - start) % pitch;
    return start + column / TILE_WIDTH * (TILE_WIDTH * TILE_HEIGHT) + row * TILE_WIDTH +
           column % TILE_WIDTH;
}

const void *oracle_segment_bytes(const struct oracle *oracle, uint32_t segment, uint64_t address,
                                 size_t size) {
    return vidmm_host_peek(oracle->host, oracle->segment_physical[segment], address, size);
}

const void *oracle_tiled_page(const struct oracle_allocation *allocation, uint32_t segment,
                              uint64_t address, uint64_t page, unsigned char *scratch) {
    for (uint32_t at = 0; at < PAGE; at += TILE_WIDTH) {
        uint64_t offset =
            tiled_offset(page * PAGE + at, allocation->pitch, (uint64_t)allocation->pages * PAGE);
        const void *part =
            oracle_segment_bytes(allocation->oracle, segment, address + offset, TILE_WIDTH);
        if (!part)
            return NULL;
        memmove(scratch + at, part, TILE_WIDTH); /* no memcpy: hardware/tile.c */
    }
    return scratch;
}

/* ---- A layout of the driver's own ------------------------------------------------------------ */

/* The same for a page's words in any order; sums of pages are sums of surfaces. */
static uint64_t sum_of(const void *bytes) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < PAGE; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const unsigned char *)bytes + at, sizeof(word));
        uint64_t mixed = (word + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
        sum += (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    }
    return sum;
}

/* No write is under way, and the content of each page is known. */
static bool surface_known(const struct oracle_allocation *allocation) {
    for (uint32_t page = 0; page < allocation->pages; page++)
        if (allocation->versions[page] == ORACLE_UNKNOWN)
            return false;
    return allocation->pending.pages == 0;
}

enum oracle_words oracle_words(const struct oracle_allocation *allocation, uint32_t segment,
                               uint64_t address) {
    unsigned char scratch[PAGE];
    uint64_t expected = 0, found = 0;
    if (!surface_known(allocation))
        return ORACLE_WORDS_UNSEEN;
    for (uint32_t page = 0; page < allocation->pages; page++) {
        const void *bytes = oracle_segment_bytes(allocation->oracle, segment,
                                                 address + (uint64_t)page * PAGE, PAGE);
        if (!bytes)
            return ORACLE_WORDS_UNSEEN;
        vidmm_pattern_write(scratch, vidmm_pattern_key(allocation->index + UINT64_C(1), page,
                                                       allocation->versions[page]));
        expected += sum_of(scratch);
        found += sum_of(bytes);
    }
    return expected == found ? ORACLE_WORDS_RIGHT : ORACLE_WORDS_WRONG;
}
