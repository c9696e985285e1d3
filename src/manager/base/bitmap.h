/*
 * bitmap.h - bits in bytes, from the lowest of each byte on, as drivers answer them.
 *
 * A map of `bits` bits has bitmap_bytes() bytes; runs of equal bits are skipped eight bytes at a
 * time.
 */
#ifndef VIDMM_MANAGER_BITMAP_H
#define VIDMM_MANAGER_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t bitmap_bytes(uint64_t bits) {
    return (size_t)((bits + 7) / 8);
}

static inline bool bitmap_has(const uint8_t *map, uint64_t bit) {
    return (map[bit / 8] >> (bit % 8)) & 1u;
}

/* Bits [first, end) become `value`. */
void bitmap_set(uint8_t *map, uint64_t first, uint64_t end, bool value);
/* The first bit in [at, end) that is `value`, or `end`. */
uint64_t bitmap_next(const uint8_t *map, uint64_t at, uint64_t end, bool value);
/* Bit first + i of `map` is set where bit from + i of `more` is, for `count` bits. */
void bitmap_merge(uint8_t *map, uint64_t first, const uint8_t *more, uint64_t from, uint64_t count);

/* One run of set bits; `first` == `end`: there is none any more. */
struct bitmap_run {
    uint64_t first, end;
};

/* The first run in [at, end). */
static inline struct bitmap_run bitmap_run(const uint8_t *map, uint64_t at, uint64_t end) {
    uint64_t first = bitmap_next(map, at, end, true);
    return (struct bitmap_run){first, bitmap_next(map, first, end, false)};
}

#endif
