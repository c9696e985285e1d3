/*
 * interval_test.c - the index of intervals finds what a walk over all of them finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "state/interval.h"

#define INTERVALS 200u
#define SPACE     1000u
#define ROUNDS    20000u

static uint32_t draw(uint32_t limit) {
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

struct bench {
    struct interval_index index;
    struct interval interval[INTERVALS];
    bool there[INTERVALS];
};

static uint32_t walk(const struct bench *bench, uint64_t start, uint64_t end) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < INTERVALS; i++)
        count +=
            bench->there[i] && bench->interval[i].start < end && start < bench->interval[i].end;
    return count;
}

/* Those that the index finds, each once, in the order of their starts. */
static uint32_t search(const struct bench *bench, uint64_t start, uint64_t end) {
    uint32_t count = 0;
    const struct interval *last = NULL;
    for (const struct interval *at = interval_meets(&bench->index, start, end, NULL); at;
         at = interval_meets(&bench->index, start, end, at)) {
        assert_true(at->start < end && start < at->end);
        assert_true(!last || last->start <= at->start);
        assert_ptr_not_equal(at, last);
        last = at;
        count++;
    }
    return count;
}

static void change(struct bench *bench, uint32_t i, uint32_t longest) {
    if (bench->there[i]) {
        interval_remove(&bench->index, &bench->interval[i]);
    } else {
        uint64_t start = draw(SPACE);
        interval_add(&bench->index, &bench->interval[i], start, start + draw(longest));
    }
    bench->there[i] = !bench->there[i];
}

static void the_index_finds_what_a_walk_finds(void **state) {
    static struct bench bench;
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        change(&bench, draw(INTERVALS), round % 2 != 0 ? 10 : 300);
        uint64_t start = draw(SPACE), end = start + draw(50);
        assert_int_equal(search(&bench, start, end), walk(&bench, start, end));
    }
    for (uint32_t i = 0; i < INTERVALS; i++) {
        if (bench.there[i])
            change(&bench, i, 1);
    }
    assert_null(bench.index.root);
}

static void an_interval_does_not_meet_its_neighbours(void **state) {
    struct interval_index index = {.root = NULL};
    struct interval pages[3];
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        interval_add(&index, &pages[i], 4096 * i, 4096 * (i + 1));
    assert_ptr_equal(interval_meets(&index, 4096, 8192, NULL), &pages[1]);
    assert_null(interval_meets(&index, 4096, 8192, &pages[1]));
    assert_null(interval_meets(&index, 12288, UINT64_MAX, NULL));
    interval_remove(&index, &pages[1]);
    assert_null(interval_meets(&index, 4096, 8192, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_finds_what_a_walk_finds),
        cmocka_unit_test(an_interval_does_not_meet_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
