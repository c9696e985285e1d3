/*
 * bitmap_test.c - maps of bits against an array of truth, at every alignment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"

#define BITS 300u

static uint32_t seed = 1;

static uint32_t next(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void check(const uint8_t *map, const bool *truth) {
    for (uint64_t at = 0; at <= BITS; at++) {
        uint64_t end = at + next((uint32_t)(BITS - at) + 1);
        for (uint32_t value = 0; value < 2; value++) {
            uint64_t expected = at;
            while (expected < end && truth[expected] != value)
                expected++;
            assert_int_equal(bitmap_next(map, at, end, value), expected);
        }
    }
}

static void runs_are_found_as_they_were_set(void **state) {
    uint8_t map[(BITS + 7) / 8 + 1] = {0};
    bool truth[BITS] = {false};
    (void)state;
    map[sizeof(map) - 1] = 0xa5;
    for (uint32_t step = 0; step < 300; step++) {
        uint32_t first = next(BITS), end = first + next(BITS - first + 1);
        bool value = next(3) != 0;
        bitmap_set(map, first, end, value);
        for (uint32_t i = first; i < end; i++)
            truth[i] = value;
        check(map, truth);
    }
    assert_int_equal(map[sizeof(map) - 1], 0xa5);
    assert_int_equal(bitmap_bytes(BITS), sizeof(map) - 1);
}

static void merging_adds_and_takes_nothing_away(void **state) {
    (void)state;
    for (uint32_t step = 0; step < 300; step++) {
        uint8_t map[(BITS + 7) / 8] = {0}, more[(BITS + 7) / 8] = {0};
        bool truth[BITS] = {false};
        for (uint32_t i = 0; i < BITS; i++) {
            bitmap_set(map, i, i + 1, truth[i] = next(4) == 0);
            bitmap_set(more, i, i + 1, next(4) == 0);
        }
        uint32_t count = next(BITS), first = next(BITS - count), from = next(BITS - count);
        for (uint32_t i = 0; i < count; i++)
            truth[first + i] = truth[first + i] || bitmap_has(more, from + i);
        bitmap_merge(map, first, more, from, count);
        for (uint32_t i = 0; i < BITS; i++)
            assert_int_equal(bitmap_has(map, i), truth[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_found_as_they_were_set),
        cmocka_unit_test(merging_adds_and_takes_nothing_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
