/*
 * The placer against a plain map of pages: every range it hands out is free, aligned and where it
 * was asked to be, and what it says about itself is so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting_os.h"
#include "memory/placer.h"

#define PAGE   4096u
#define PAGES  4096u
#define RANGES 512u

struct range {
    struct placer_block *block;
    uint32_t start, pages;
};

/* The placer under test and what it ought to think. */
struct model {
    struct counting_os counting;
    struct vidmm_os os;
    struct placer placer;
    uint32_t page_size;
    bool taken[PAGES];
    struct range ranges[RANGES];
    uint32_t count;
    uint64_t used;
    uint64_t seed;
};

static uint64_t random64(struct model *m) {
    m->seed ^= m->seed << 13;
    m->seed ^= m->seed >> 7;
    m->seed ^= m->seed << 17;
    return m->seed * 0x2545f4914f6cdd1dull;
}

static uint32_t below(struct model *m, uint32_t limit) {
    return (uint32_t)(random64(m) >> 32) % limit;
}

static void model_init(struct model *m, uint32_t page_size, uint64_t seed) {
    memset(m, 0, sizeof(*m));
    m->os = counting_os_view(&m->counting);
    m->page_size = page_size;
    m->seed = seed;
    assert_true(placer_init(&m->placer, &m->os, (uint64_t)PAGES * page_size, page_size));
}

static void model_end(struct model *m) {
    placer_destroy(&m->placer);
    assert_int_equal(m->counting.blocks, 0);
    assert_int_equal(m->counting.bytes, 0);
}

/* Records what the placer handed out; fails the test when it may not. */
static void model_take(struct model *m, struct placer_block *block) {
    struct range *range = &m->ranges[m->count++];
    range->block = block;
    range->start = (uint32_t)(placer_offset(&m->placer, block) / m->page_size);
    range->pages = (uint32_t)(placer_size(&m->placer, block) / m->page_size);
    assert_true(range->start + range->pages <= PAGES);
    for (uint32_t i = 0; i < range->pages; i++) {
        assert_false(m->taken[range->start + i]);
        m->taken[range->start + i] = true;
    }
    m->used += (uint64_t)range->pages * m->page_size;
}

static void model_give_back(struct model *m, uint32_t index) {
    struct range range = m->ranges[index];
    placer_free(&m->placer, range.block);
    memset(&m->taken[range.start], 0, range.pages);
    m->used -= (uint64_t)range.pages * m->page_size;
    m->ranges[index] = m->ranges[--m->count];
}

/* Pages of the largest hole in [low, high) that starts on an aligned page. */
static uint32_t largest_hole(const struct model *m, uint32_t low, uint32_t high, uint32_t align) {
    uint32_t largest = 0, start = 0;
    while (start < high) {
        uint32_t first = start < low ? low : start;
        first = (first + align - 1u) / align * align;
        uint32_t end = start;
        while (end < high && !m->taken[end])
            end++;
        largest = end > first && end - first > largest ? end - first : largest;
        start = end + 1u;
    }
    return largest;
}

static void model_alloc(struct model *m) {
    uint32_t pages = 1u + below(m, 1u << below(m, 10));
    uint32_t align = 1u << below(m, 6);
    bool limited = below(m, 4) == 0;
    uint32_t low = limited ? below(m, PAGES) : 0;
    uint32_t high = limited ? low + 1u + below(m, PAGES - low) : PAGES;
    struct placer_request request = {
        .size = (uint64_t)pages * m->page_size - below(m, m->page_size),
        .alignment = below(m, 2) ? (uint64_t)align * m->page_size : below(m, 3) * 128u,
        .low = (uint64_t)low * m->page_size,
        .high = limited ? (uint64_t)high * m->page_size : 0,
        .from_end = below(m, 8) == 0,
        .from_start = below(m, 8) == 0,
    };
    uint32_t aligned = request.alignment > m->page_size ? align : 1u;
    struct placer_block *block = NULL;
    enum placer_result result = placer_alloc(&m->placer, &request, &block);
    if (result == PLACER_FULL) {
        assert_true(largest_hole(m, low, high, aligned) < pages);
        return;
    }
    assert_int_equal(result, PLACER_OK);
    model_take(m, block);
    const struct range *range = &m->ranges[m->count - 1u];
    assert_int_equal(range->pages, pages);
    assert_int_equal(range->start % aligned, 0);
    assert_true(range->start >= low && range->start + pages <= high);
}

static void model_alloc_at(struct model *m) {
    uint32_t start = below(m, PAGES), pages = 1u + below(m, 64);
    bool free = start + pages <= PAGES;
    for (uint32_t i = 0; free && i < pages; i++)
        free = !m->taken[start + i];
    struct placer_block *block = NULL;
    enum placer_result result = placer_alloc_at(&m->placer, (uint64_t)start * m->page_size,
                                                (uint64_t)pages * m->page_size, &block);
    assert_int_equal(result, free ? PLACER_OK : PLACER_FULL);
    if (free) {
        model_take(m, block);
        assert_int_equal(m->ranges[m->count - 1u].start, start);
        assert_int_equal(m->ranges[m->count - 1u].pages, pages);
    }
}

/* The same answer as placer_alloc_at, from wherever the search begins, and nothing is taken. */
static void model_ask_at(struct model *m) {
    uint32_t start = below(m, PAGES), pages = 1u + below(m, 16), near = below(m, PAGES);
    bool free = start + pages <= PAGES;
    for (uint32_t i = 0; free && i < pages; i++)
        free = !m->taken[start + i];
    assert_int_equal(placer_is_free_at(&m->placer, (uint64_t)start * m->page_size,
                                       (uint64_t)pages * m->page_size,
                                       (uint64_t)near * m->page_size),
                     free);
}

static void model_check(const struct model *m) {
    assert_int_equal(m->placer.used, m->used);
    assert_int_equal(m->placer.taken, m->count);
    assert_int_equal(placer_largest_free(&m->placer),
                     (uint64_t)largest_hole(m, 0, PAGES, 1) * m->page_size);
}

static void random_operations(uint32_t page_size, uint64_t seed) {
    struct model *m = malloc(sizeof(*m));
    model_init(m, page_size, seed);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t what = below(m, 16);
        if (m->count == RANGES || (m->count != 0 && what < 6))
            model_give_back(m, below(m, m->count));
        else if (what < 8)
            model_alloc_at(m);
        else
            model_alloc(m);
        model_ask_at(m);
        model_check(m);
    }
    while (m->count != 0)
        model_give_back(m, below(m, m->count));
    assert_int_equal(placer_largest_free(&m->placer), (uint64_t)PAGES * page_size);
    assert_int_equal(m->placer.used, 0);
    model_end(m);
    free(m);
}

static void ranges_are_disjoint_aligned_and_within_limits(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++)
        random_operations(seed % 4 == 0 ? 65536u : PAGE, seed * 0x9e3779b97f4a7c15ull);
}

static void a_request_that_can_never_fit_is_refused(void **state) {
    (void)state;
    struct model *m = malloc(sizeof(*m));
    model_init(m, PAGE, 1);
    uint64_t size = (uint64_t)PAGES * PAGE;
    const struct placer_request requests[] = {
        {.size = 0},
        {.size = size + 1},
        {.size = UINT64_MAX},
        {.size = PAGE, .low = size},
        {.size = PAGE, .low = UINT64_MAX},
        {.size = PAGE, .low = 1, .high = PAGE},
        {.size = PAGE, .low = 2 * PAGE, .high = 2 * PAGE},
        {.size = PAGE, .low = PAGE, .alignment = 1ull << 63},
        {.size = PAGE, .low = PAGE, .alignment = size, .from_end = true},
    };
    struct placer_block *block;
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
        assert_int_equal(placer_alloc(&m->placer, &requests[i], &block), PLACER_FULL);
    assert_int_equal(placer_alloc_at(&m->placer, size, PAGE, &block), PLACER_FULL);
    assert_int_equal(placer_alloc_at(&m->placer, 0, size + PAGE, &block), PLACER_FULL);
    assert_int_equal(placer_alloc_at(&m->placer, UINT64_MAX - 1, PAGE, &block), PLACER_FULL);
    assert_int_equal(placer_alloc_at(&m->placer, 0, 0, &block), PLACER_FULL);
    model_end(m);
    free(m);
}

static void the_whole_segment_can_be_taken_at_any_alignment_of_its_start(void **state) {
    (void)state;
    struct model *m = malloc(sizeof(*m));
    model_init(m, PAGE, 1);
    for (uint32_t shift = 0; shift < 64; shift++) {
        struct placer_request request = {.size = (uint64_t)PAGES * PAGE,
                                         .alignment = 1ull << shift};
        struct placer_block *block;
        assert_int_equal(placer_alloc(&m->placer, &request, &block), PLACER_OK);
        assert_int_equal(placer_offset(&m->placer, block), 0);
        placer_free(&m->placer, block);
    }
    model_end(m);
    free(m);
}

static void directions_take_the_outermost_place(void **state) {
    (void)state;
    struct model *m = malloc(sizeof(*m));
    model_init(m, PAGE, 1);
    uint64_t size = (uint64_t)PAGES * PAGE;
    struct placer_block *block, *middle;
    assert_int_equal(placer_alloc_at(&m->placer, size / 2, PAGE, &middle), PLACER_OK);
    struct placer_request request = {.size = 3 * PAGE, .alignment = 4 * PAGE, .from_end = true};
    assert_int_equal(placer_alloc(&m->placer, &request, &block), PLACER_OK);
    assert_int_equal(placer_offset(&m->placer, block), size - 4 * PAGE);
    request.high = size / 2;
    assert_int_equal(placer_alloc(&m->placer, &request, &block), PLACER_OK);
    assert_int_equal(placer_offset(&m->placer, block), size / 2 - 4 * PAGE);
    request = (struct placer_request){.size = PAGE, .from_start = true};
    assert_int_equal(placer_alloc(&m->placer, &request, &block), PLACER_OK);
    assert_int_equal(placer_offset(&m->placer, block), 0);
    request = (struct placer_request){.size = PAGE, .low = size / 2};
    assert_int_equal(placer_alloc(&m->placer, &request, &block), PLACER_OK);
    assert_int_equal(placer_offset(&m->placer, block), size / 2 + PAGE);
    model_end(m);
    free(m);
}

/* Fills the segment with ranges of one page, so that every node is in use. */
static uint32_t fill_with_pages(struct model *m, struct placer_block **blocks) {
    struct placer_request request = {.size = PAGE};
    uint32_t count = 0;
    while (placer_alloc(&m->placer, &request, &blocks[count]) == PLACER_OK)
        count++;
    return count;
}

/* Ranges of a random state, some of them freed and others taken since: back to where it was. */
static void an_earlier_state_comes_back_without_memory(void **state) {
    (void)state;
    struct model *m = malloc(sizeof(*m));
    struct placer_block **blocks = calloc(PAGES + 1u, sizeof(*blocks));
    model_init(m, PAGE, 0x9e3779b97f4a7c15ull);
    uint32_t count = fill_with_pages(m, blocks);
    assert_int_equal(count, PAGES);
    for (uint32_t i = 0; i < PAGES / 3; i++)
        placer_free(&m->placer, blocks[i * 3]);
    m->counting.fail_at = m->counting.calls + 1;
    static uint64_t offsets[PAGES];
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t freed = 0, taken = 0;
        for (uint32_t i = 1 + below(m, 2); i < PAGES; i += 3) {
            offsets[freed++] = placer_offset(&m->placer, blocks[i]);
            placer_free(&m->placer, blocks[i]);
        }
        struct placer_request request = {.size = (1 + round % 3) * PAGE};
        static struct placer_block *newer[PAGES];
        while (taken < 500 && placer_alloc(&m->placer, &request, &newer[taken]) == PLACER_OK)
            taken++;
        while (taken > 0)
            placer_free(&m->placer, newer[--taken]);
        while (freed > 0) {
            uint32_t pick = below(m, freed);
            uint64_t offset = offsets[pick];
            offsets[pick] = offsets[--freed];
            assert_int_equal(placer_alloc_at(&m->placer, offset, PAGE, &blocks[offset / PAGE]),
                             PLACER_OK);
            assert_int_equal(placer_offset(&m->placer, blocks[offset / PAGE]), offset);
        }
    }
    model_end(m);
    free(blocks);
    free(m);
}

static void a_failed_allocation_of_memory_changes_nothing(void **state) {
    (void)state;
    struct model *m = malloc(sizeof(*m));
    struct placer_block **blocks = calloc(PAGES + 1u, sizeof(*blocks));
    for (uint64_t fail_at = 1; fail_at < 12; fail_at++) {
        memset(m, 0, sizeof(*m));
        m->os = counting_os_view(&m->counting);
        m->counting.fail_at = fail_at;
        if (!placer_init(&m->placer, &m->os, (uint64_t)PAGES * PAGE, PAGE)) {
            model_end(m);
            continue;
        }
        uint32_t count = fill_with_pages(m, blocks);
        assert_int_equal(m->placer.taken, count);
        assert_int_equal(m->placer.used, (uint64_t)count * PAGE);
        struct placer_request request = {.size = PAGE};
        assert_int_equal(placer_alloc(&m->placer, &request, &blocks[count]),
                         count == PAGES ? PLACER_FULL : PLACER_NO_MEMORY);
        for (uint32_t i = 0; i < count; i++)
            placer_free(&m->placer, blocks[i]);
        assert_int_equal(placer_largest_free(&m->placer), (uint64_t)PAGES * PAGE);
        model_end(m);
    }
    free(blocks);
    free(m);
}

static void segments_of_no_page_and_of_eight_tebibytes_work(void **state) {
    (void)state;
    struct counting_os counting = {0};
    struct vidmm_os os = counting_os_view(&counting);
    struct placer *placer = malloc(sizeof(*placer));
    struct placer_request request = {.size = PAGE};
    struct placer_block *block;
    assert_true(placer_init(placer, &os, 4095, PAGE));
    assert_int_equal(placer_alloc(placer, &request, &block), PLACER_FULL);
    assert_int_equal(placer_largest_free(placer), 0);
    placer_destroy(placer);
    assert_true(placer_init(placer, &os, UINT64_MAX, PAGE));
    assert_int_equal(placer->size, (uint64_t)PLACER_PAGES_MAX * PAGE);
    request = (struct placer_request){.size = placer->size};
    assert_int_equal(placer_alloc(placer, &request, &block), PLACER_OK);
    placer_free(placer, block);
    request = (struct placer_request){.size = placer->size - PAGE, .alignment = 65536};
    assert_int_equal(placer_alloc(placer, &request, &block), PLACER_OK);
    placer_destroy(placer);
    assert_int_equal(counting.blocks, 0);
    free(placer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_disjoint_aligned_and_within_limits),
        cmocka_unit_test(a_request_that_can_never_fit_is_refused),
        cmocka_unit_test(the_whole_segment_can_be_taken_at_any_alignment_of_its_start),
        cmocka_unit_test(directions_take_the_outermost_place),
        cmocka_unit_test(an_earlier_state_comes_back_without_memory),
        cmocka_unit_test(a_failed_allocation_of_memory_changes_nothing),
        cmocka_unit_test(segments_of_no_page_and_of_eight_tebibytes_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
