/*
 * copy_test.c - every way of copying that this processor has moves the same bytes and no others,
 * whichever of them is chosen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#include "hardware/copy.h"
#include "hardware/ways.h"

#define ROOM   ((size_t)3 << 20)
#define AROUND 64u

static unsigned char *from, *to;

static int make_room(void **state) {
    (void)state;
    from = aligned_alloc(4096, ROOM);
    to = aligned_alloc(4096, ROOM);
    for (size_t i = 0; from && i < ROOM; i++)
        from[i] = (unsigned char)(i * 2654435761u >> 16);
    return from && to ? 0 : -1;
}

static int drop_room(void **state) {
    (void)state;
    free(from);
    free(to);
    return 0;
}

static void expect_copied(size_t at, size_t source, size_t bytes) {
    static const unsigned char before[AROUND] = {0};
    assert_memory_equal(to + at, from + source, bytes);
    assert_memory_equal(to + at - AROUND, before, AROUND);
    assert_memory_equal(to + at + bytes, before, AROUND);
}

static void every_way_copies_the_bytes_and_no_others(void **state) {
    static const size_t sizes[] = {256, 4096, 4096 + 256, 65536, 2u << 20};
    struct copy_way way[WAYS_MOST];
    uint32_t count = ways_list(way);
    (void)state;
    assert_in_range(count, 1, WAYS_MOST);
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            memset(to, 0, ROOM);
            way[i].copy(to + AROUND, from + 3, sizes[k], k % 2 ? from : NULL);
            hw_stream_fence();
            expect_copied(AROUND, 3, sizes[k]);
        }
}

static void copies_are_right_while_the_ways_are_tried(void **state) {
    (void)state;
    for (size_t i = 0; i < 3000; i++) {
        size_t bytes = 4096 + i % 7 * 1111, at = 4096 + i % 5 * 32;
        memset(to + at - AROUND, 0, bytes + 2 * AROUND);
        hw_stream_copy(to + at, from + i, bytes, NULL);
        hw_stream_fence();
        expect_copied(at, i, bytes);
    }
}

static void memory_that_is_named_twice_is_moved_whole(void **state) {
    (void)state;
    memcpy(to, from, ROOM / 2);
    hw_stream_copy(to + 4096, to, ROOM / 2 - 4096, NULL);
    hw_stream_fence();
    assert_memory_equal(to + 4096, from, ROOM / 2 - 4096);
}

static void each_size_has_one_way_that_was_chosen(void **state) {
    struct vidmm_softgpu_copy_rate rate[32];
    uint64_t size = 0;
    uint32_t count = vidmm_softgpu_copy_rates(rate, 32), chosen = 0, sizes = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        sizes += rate[i].from_bytes != size;
        size = rate[i].from_bytes;
        chosen += rate[i].chosen;
        assert_true(rate[i].bytes_per_second > 0 && rate[i].way[0] != '\0');
    }
    assert_int_equal(sizes, 3);
    assert_int_equal(chosen, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_copies_the_bytes_and_no_others),
        cmocka_unit_test(copies_are_right_while_the_ways_are_tried),
        cmocka_unit_test(memory_that_is_named_twice_is_moved_whole),
        cmocka_unit_test(each_size_has_one_way_that_was_chosen),
    };
    return cmocka_run_group_tests(tests, make_room, drop_room);
}
