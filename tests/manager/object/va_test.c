/*
 * va_test.c - the VA map of an address space, alone: random changes against a model that remembers
 * every page, and the failure of every allocation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting_os.h"
#include "object/va.h"

#define UNIT  4096u
#define PAGES 512u
#define STEPS 20000u

struct model {
    uint32_t owner[PAGES]; /* 0: free */
};

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void set_model(struct model *model, uint32_t first, uint32_t end, uint32_t owner) {
    for (uint32_t i = first; i < end; i++)
        model->owner[i] = owner;
}

/* Every page has the owner that the model says, and ranges are in order. */
static void compare(const struct va *va, const struct model *model) {
    for (uint32_t i = 0; i < PAGES; i++) {
        uint64_t at = (uint64_t)i * UNIT;
        const struct mapping *mapping = va_find(va, at);
        bool taken = mapping && mapping->start <= at;
        assert_int_equal(taken ? mapping->use.reservation : 0, model->owner[i]);
        assert_true(!mapping || mapping->end > at);
    }
}

static bool model_free(const struct model *model, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        if (model->owner[i])
            return false;
    }
    return true;
}

/* The lowest aligned hole, found the slow way. */
static bool model_pick(const struct model *model, uint32_t pages, uint32_t unit, uint32_t low,
                       uint32_t high, uint32_t *first) {
    for (uint32_t i = (low + unit - 1) / unit * unit; i + pages <= high; i += unit) {
        if (model_free(model, i, i + pages)) {
            *first = i;
            return true;
        }
    }
    return false;
}

static void check_pick(const struct va *va, const struct model *model, uint32_t *seed) {
    uint32_t pages = next(seed) % 24 + 1, unit = 1u << next(seed) % 5;
    uint32_t low = next(seed) % PAGES, high = low + next(seed) % (PAGES - low) + 1, first = 0;
    uint64_t start = 0;
    bool there = model_pick(model, pages, unit, low, high, &first);
    assert_int_equal(va_pick(va, (uint64_t)pages * UNIT, (uint64_t)unit * UNIT,
                             (uint64_t)low * UNIT, (uint64_t)high * UNIT, &start),
                     there);
    if (there)
        assert_int_equal(start, (uint64_t)first * UNIT);
}

static void random_changes_match_a_model(void **state) {
    struct counting_os memory = {0};
    struct vidmm_os os = counting_os_view(&memory);
    struct model model = {{0}};
    struct va va;
    uint32_t seed = 1;
    (void)state;
    va_init(&va, &os, (uint64_t)PAGES * UNIT);
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint32_t first = next(&seed) % PAGES, pages = next(&seed) % 40 + 1;
        uint32_t end = first + pages < PAGES ? first + pages : PAGES;
        struct va_use use = {.kind = VA_NOTHING, .reservation = step};
        bool frees = next(&seed) % 2;
        assert_true(va_set(&va, (uint64_t)first * UNIT, (uint64_t)end * UNIT, frees ? NULL : &use));
        set_model(&model, first, end, frees ? 0 : step);
        assert_int_equal(va_is_free(&va, (uint64_t)first * UNIT, (uint64_t)end * UNIT), frees);
        check_pick(&va, &model, &seed);
        if (step % 16 == 0)
            compare(&va, &model);
    }
    va_destroy(&va);
    assert_int_equal(memory.blocks, 0);
}

/* An allocation's list names exactly the ranges that lead to it, however they were cut. */
static void an_allocation_lists_its_ranges(void **state) {
    struct counting_os memory = {0};
    struct vidmm_os os = counting_os_view(&memory);
    struct mapping *list = NULL;
    struct va va;
    uint64_t bytes = 0;
    (void)state;
    va_init(&va, &os, 1u << 30);
    struct va_use use = {.kind = VA_PAGES, .list = &list, .origin = 0x10000, .offset = 0x3000};
    assert_true(va_set(&va, 0x10000, 0x20000, &use));
    assert_true(va_set(&va, 0x14000, 0x16000, NULL));
    assert_true(va_set(&va, 0x1f000, 0x21000, &(struct va_use){.kind = VA_ZERO}));
    for (const struct mapping *mapping = list; mapping; mapping = mapping->next) {
        uint64_t run;
        assert_int_equal(va_offset(mapping, mapping->start, &run),
                         mapping->start - 0x10000 + 0x3000);
        assert_int_equal(run, mapping->end - mapping->start);
        bytes += run;
    }
    assert_int_equal(bytes, 0xd000);
    assert_true(va_set(&va, 0, 1u << 30, NULL));
    assert_null(list);
    va_destroy(&va);
    assert_int_equal(memory.blocks, 0);
}

static void repeated_parts_start_again(void **state) {
    struct counting_os memory = {0};
    struct vidmm_os os = counting_os_view(&memory);
    struct mapping *list = NULL;
    struct va va;
    uint64_t run;
    (void)state;
    va_init(&va, &os, 1u << 30);
    struct va_use use = {
        .kind = VA_PAGES, .list = &list, .origin = 0x10000, .offset = 0x8000, .repeat = 0x2000};
    assert_true(va_set(&va, 0x10000, 0x18000, &use));
    assert_true(va_set(&va, 0x10000, 0x13000, NULL));
    const struct mapping *mapping = va_find(&va, 0x13000);
    assert_int_equal(va_offset(mapping, 0x13000, &run), 0x9000);
    assert_int_equal(run, 0x1000);
    assert_int_equal(va_offset(mapping, 0x14000, &run), 0x8000);
    assert_int_equal(run, 0x2000);
    va_destroy(&va);
    assert_int_equal(memory.blocks, 0);
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    for (uint64_t fail_at = 1; fail_at <= 5; fail_at++) {
        struct counting_os memory = {0};
        struct vidmm_os os = counting_os_view(&memory);
        struct va va;
        va_init(&va, &os, 1u << 30);
        struct va_use first = {.reservation = 1}, second = {.reservation = 2};
        assert_true(va_set(&va, 0x10000, 0x20000, &first));
        memory.fail_at = memory.calls + fail_at;
        bool set = va_set(&va, 0x14000, 0x18000, &second);
        const struct mapping *mapping = va_find(&va, 0x14000);
        assert_int_equal(mapping->use.reservation, set ? 2 : 1);
        assert_int_equal(mapping->end - mapping->start, set ? 0x4000 : 0x10000);
        va_destroy(&va);
        assert_int_equal(memory.blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_match_a_model),
        cmocka_unit_test(an_allocation_lists_its_ranges),
        cmocka_unit_test(repeated_parts_start_again),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
