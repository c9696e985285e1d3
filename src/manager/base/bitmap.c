/*
 * bitmap.c - see bitmap.h.
 */
#include "base/bitmap.h"

#include <string.h>

static void set_one(uint8_t *map, uint64_t bit, bool value) {
    uint8_t mask = (uint8_t)(1u << (bit % 8));
    map[bit / 8] = (uint8_t)(value ? map[bit / 8] | mask : map[bit / 8] & ~mask);
}

void bitmap_set(uint8_t *map, uint64_t first, uint64_t end, bool value) {
    for (; first < end && first % 8; first++)
        set_one(map, first, value);
    if (first < end)
        memset(map + first / 8, value ? 0xff : 0, (size_t)((end - first) / 8));
    for (uint64_t bit = first < end ? end & ~UINT64_C(7) : end; bit < end; bit++)
        set_one(map, bit, value);
}

uint64_t bitmap_next(const uint8_t *map, uint64_t at, uint64_t end, bool value) {
    const uint64_t skipped = value ? 0 : UINT64_MAX;
    const uint8_t flip = value ? 0 : 0xff;
    while (at < end) {
        uint64_t word;
        if (at % 8 == 0 && end - at >= 64) {
            memcpy(&word, map + at / 8, sizeof(word));
            if (word == skipped) {
                at += 64;
                continue;
            }
        }
        uint32_t rest = (uint32_t)(uint8_t)(map[at / 8] ^ flip) >> (at % 8);
        if (rest) {
            at += (uint32_t)__builtin_ctz(rest);
            return at < end ? at : end;
        }
        at = (at | 7) + 1;
    }
    return end;
}

void bitmap_merge(uint8_t *map, uint64_t first, const uint8_t *more, uint64_t from,
                  uint64_t count) {
    const uint64_t end = from + count;
    for (struct bitmap_run run = bitmap_run(more, from, end); run.first < run.end;
         run = bitmap_run(more, run.end, end))
        bitmap_set(map, first + (run.first - from), first + (run.end - from), true);
}
