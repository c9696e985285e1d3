/*
 * Placement inside a segment: pitch, banks, directions, the overlays' part, commit limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting_os.h"
#include "memory/segment.h"

#define PAGE 4096u
#define SIZE (100u * PAGE)

struct bench {
    struct counting_os counting;
    struct vidmm_os os;
    struct shared_memory shared;
    struct segment segment;
};

/* A segment of 100 pages at 1 GiB with the given flags. */
static struct bench *set_up(uint32_t flags) {
    struct bench *b = calloc(1, sizeof(*b));
    b->os = counting_os_view(&b->counting);
    b->shared.limit = UINT64_MAX;
    struct segment *segment = &b->segment;
    segment->id = 3;
    segment->flags.Value = flags;
    segment->aperture = segment->flags.Aperture;
    segment->page_size = segment->flags.Use64KBPages ? 65536u : PAGE;
    segment->base = 1u << 30;
    segment->size = segment->commit_limit = SIZE;
    assert_true(segment_init(segment, &b->os, &b->shared));
    return b;
}

static void tear_down(struct bench *b) {
    segment_destroy(&b->segment, &b->os);
    assert_int_equal(b->counting.blocks, 0);
    free(b);
}

static uint64_t place(struct bench *b, struct segment_request request) {
    struct placement place;
    memset(&place, 0, sizeof(place));
    assert_int_equal(segment_place(&b->segment, &request, &place), PLACER_OK);
    return place.offset;
}

static void only_pitch_alignment_segments_reserve_the_pitch(void **state) {
    (void)state;
    struct segment_request request = {.size = PAGE + 1, .pitch_size = 5 * PAGE};
    DXGK_SEGMENTFLAGS flags = {.Value = 0};
    struct bench *b = set_up(flags.Value);
    assert_int_equal(segment_reserves(&b->segment, &request), 2 * PAGE);
    tear_down(b);
    flags.PitchAlignment = 1;
    b = set_up(flags.Value);
    assert_int_equal(segment_reserves(&b->segment, &request), 5 * PAGE);
    request.pitch_size = PAGE;
    assert_int_equal(segment_reserves(&b->segment, &request), 2 * PAGE);
    tear_down(b);
}

static void large_pages_round_to_64_kib(void **state) {
    (void)state;
    DXGK_SEGMENTFLAGS flags = {.Value = 0};
    flags.Use64KBPages = 1;
    struct bench *b = set_up(flags.Value);
    struct segment_request request = {.size = PAGE, .alignment = PAGE};
    assert_int_equal(segment_reserves(&b->segment, &request), 65536);
    assert_int_equal(place(b, request) % 65536, 0);
    assert_int_equal(place(b, request) % 65536, 0);
    tear_down(b);
}

static void bank_hints_come_before_the_direction_and_are_only_hints(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    b->segment.banks = 3;
    b->segment.bank_ends = counting_alloc(&b->counting, 3 * sizeof(uint64_t));
    b->segment.bank_ends[0] = 10 * PAGE;
    b->segment.bank_ends[1] = 30 * PAGE;
    b->segment.bank_ends[2] = SIZE;
    struct segment_request request = {.size = 15 * PAGE, .from_end = true};
    request.banks.Bank0 = 1; /* too small */
    request.banks.Bank1 = 2;
    assert_int_equal(place(b, request), 10 * PAGE);
    request.size = PAGE;
    request.banks.Value = 0;
    request.banks.Bank0 = 2;
    request.banks.Direction0 = 1;
    assert_int_equal(place(b, request), 29 * PAGE);
    request.size = 20 * PAGE; /* no room in the hinted bank */
    assert_int_equal(place(b, request), SIZE - 20 * PAGE);
    request.banks.Value = 0;
    request.banks.Bank3 = 127; /* no such bank */
    assert_int_equal(place(b, request), SIZE - 40 * PAGE);
    tear_down(b);
}

static void overlays_stay_in_the_last_fifth(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    struct segment_request request = {.size = 8 * PAGE, .overlay = true};
    struct placement placement;
    assert_true(place(b, request) >= SIZE / 5 * 4);
    assert_true(place(b, request) >= SIZE / 5 * 4);
    assert_int_equal(segment_place(&b->segment, &request, &placement), PLACER_FULL);
    request.size = 21 * PAGE;
    assert_false(segment_can_hold(&b->segment, &request));
    request.size = 20 * PAGE;
    assert_true(segment_can_hold(&b->segment, &request));
    tear_down(b);
}

static void an_aperture_maps_no_more_than_its_commit_limit(void **state) {
    (void)state;
    DXGK_SEGMENTFLAGS flags = {.Value = 0};
    flags.Aperture = 1;
    struct bench *b = set_up(flags.Value);
    b->segment.commit_limit = 10 * PAGE;
    struct segment_request request = {.size = 6 * PAGE};
    struct placement first, second;
    assert_int_equal(segment_place(&b->segment, &request, &first), PLACER_OK);
    assert_int_equal(segment_place(&b->segment, &request, &second), PLACER_FULL);
    struct placement taken = {.offset = 20 * PAGE, .size = 5 * PAGE};
    assert_int_equal(segment_retake(&b->segment, &taken), PLACER_FULL);
    segment_release(&b->segment, &first);
    assert_int_equal(segment_place(&b->segment, &request, &second), PLACER_OK);
    request.size = 11 * PAGE;
    assert_false(segment_can_hold(&b->segment, &request));
    tear_down(b);
}

static void apertures_share_the_system_memory_limit(void **state) {
    (void)state;
    DXGK_SEGMENTFLAGS flags = {.Value = 0};
    flags.Aperture = 1;
    struct bench *a = set_up(flags.Value), *b = set_up(flags.Value);
    struct segment_request request = {.size = 6 * PAGE};
    struct placement first, second;
    b->segment.shared = &a->shared;
    a->shared.limit = 10 * PAGE;
    assert_int_equal(segment_place(&a->segment, &request, &first), PLACER_OK);
    assert_int_equal(segment_place(&b->segment, &request, &second), PLACER_FULL);
    assert_true(segment_shared_is_full(&b->segment, &request));
    b->segment.commit_limit = 5 * PAGE; /* its own is too small as well */
    assert_false(segment_shared_is_full(&b->segment, &request));
    b->segment.commit_limit = SIZE;
    assert_int_equal(a->shared.used, 6 * PAGE);
    segment_release(&a->segment, &first);
    assert_int_equal(a->shared.used, 0);
    assert_false(segment_shared_is_full(&b->segment, &request));
    assert_int_equal(segment_place(&b->segment, &request, &second), PLACER_OK);
    tear_down(a);
    tear_down(b);
}

static void figures_follow_what_is_placed(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    struct segment_request request = {.size = 3 * PAGE - 1};
    struct placement first, second;
    assert_int_equal(segment_place(&b->segment, &request, &first), PLACER_OK);
    assert_int_equal(segment_place(&b->segment, &request, &second), PLACER_OK);
    assert_int_equal(first.size, 3 * PAGE);
    assert_int_equal(b->segment.used, 6 * PAGE);
    assert_int_equal(b->segment.residents, 2);
    uint64_t offset = first.offset;
    segment_vacate(&b->segment, &first);
    assert_int_equal(b->segment.used, 3 * PAGE);
    assert_int_equal(b->segment.peak, 6 * PAGE);
    assert_int_equal(segment_retake(&b->segment, &first), PLACER_OK);
    assert_int_equal(first.offset, offset);
    assert_int_equal(b->segment.residents, 2);
    tear_down(b);
}

static void a_scattered_place_takes_every_hole_and_comes_back_to_the_same_bytes(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    uint64_t pages = b->segment.size / PAGE, taken = 0;
    struct placement keep[1024], big;
    struct segment_request one = {.size = PAGE};
    assert_true(pages <= 1024);
    for (uint64_t i = 0; i < pages; i++)
        assert_int_equal(segment_place(&b->segment, &one, &keep[i]), PLACER_OK);
    for (uint64_t i = 0; i < pages; i += 2, taken++)
        segment_release(&b->segment, &keep[i]);
    struct segment_request request = {.size = taken * PAGE};
    assert_int_equal(segment_place(&b->segment, &request, &big), PLACER_FULL);
    request.scattered = true;
    assert_int_equal(segment_place(&b->segment, &request, &big), PLACER_OK);
    assert_int_equal(b->segment.used, b->segment.size);
    uint64_t run, third = placement_at(&big, 2 * PAGE + 5, &run);
    assert_int_equal(third % PAGE, 5);
    assert_int_equal(run, PAGE - 5);
    segment_vacate(&b->segment, &big);
    assert_int_equal(segment_retake(&b->segment, &big), PLACER_OK);
    assert_int_equal(placement_at(&big, 2 * PAGE + 5, &run), third);
    segment_release(&b->segment, &big);
    assert_int_equal(b->segment.used, b->segment.size - taken * PAGE);
    tear_down(b);
}

static void scattered_places_stay_on_their_side_of_the_protected_range(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    struct placement inside[2], big;
    struct segment_request request = {.size = 10 * PAGE, .in_vpr = true};
    segment_destroy(&b->segment, &b->os);
    b->segment = (struct segment){.page_size = PAGE,
                                  .size = SIZE,
                                  .commit_limit = SIZE,
                                  .vpr = {.start = 40 * PAGE, .size = 20 * PAGE}};
    assert_true(segment_init(&b->segment, &b->os, &b->shared));
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(segment_place(&b->segment, &request, &inside[i]), PLACER_OK);
    request = (struct segment_request){.size = 81 * PAGE, .scattered = true};
    assert_int_equal(segment_place(&b->segment, &request, &big), PLACER_FULL);
    request.size = 80 * PAGE;
    assert_int_equal(segment_place(&b->segment, &request, &big), PLACER_OK);
    assert_int_equal(b->segment.used, SIZE);
    segment_vacate(&b->segment, &inside[0]);
    segment_vacate(&b->segment, &big);
    assert_int_equal(segment_retake(&b->segment, &inside[0]), PLACER_OK);
    assert_int_equal(segment_retake(&b->segment, &big), PLACER_OK);
    assert_in_range(inside[0].offset, 40 * PAGE, 50 * PAGE);
    for (uint32_t i = 0; i < big.extent_count; i++)
        assert_true(big.extents[i].offset + big.extents[i].size <= 40 * PAGE ||
                    big.extents[i].offset >= 60 * PAGE);
    segment_release(&b->segment, &big);
    tear_down(b);
}

static void every_byte_of_a_scattered_place_is_found_in_any_order(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    uint64_t pages = b->segment.size / PAGE, run, taken = 0;
    struct placement keep[1024], big;
    struct segment_request request = {.size = PAGE};
    bool seen[1024] = {false};
    assert_true(pages <= 1024);
    for (uint64_t i = 0; i < pages; i++)
        assert_int_equal(segment_place(&b->segment, &request, &keep[i]), PLACER_OK);
    for (uint64_t i = 0; i < pages; i += i % 3 + 1, taken++)
        segment_release(&b->segment, &keep[i]);
    request = (struct segment_request){.size = taken * PAGE, .scattered = true};
    assert_int_equal(segment_place(&b->segment, &request, &big), PLACER_OK);
    for (uint64_t page = 0; page < taken; page++) {
        uint64_t there = placement_at(&big, page * PAGE, &run);
        assert_false(seen[there / PAGE]);
        seen[there / PAGE] = true;
    }
    for (uint64_t page = taken; page-- > 0;) {
        uint64_t there = placement_at(&big, page * PAGE + 5, &run);
        assert_true(seen[there / PAGE] && run % PAGE == PAGE - 5);
        assert_int_equal(placement_at(&big, page * PAGE, &run), there - 5);
    }
    segment_release(&b->segment, &big);
    tear_down(b);
}

static void pages_of_an_aperture_count_without_a_range(void **state) {
    (void)state;
    DXGK_SEGMENTFLAGS flags = {.Value = 0};
    flags.Aperture = 1;
    struct bench *b = set_up(flags.Value);
    b->segment.commit_limit = 4 * PAGE;
    struct segment_request request = {.size = 3 * PAGE, .floating = true};
    struct placement place, other;
    assert_int_equal(segment_place(&b->segment, &request, &place), PLACER_OK);
    assert_null(place.block);
    assert_int_equal(b->segment.used, 3 * PAGE);
    assert_int_equal(segment_place(&b->segment, &request, &other), PLACER_FULL);
    segment_release(&b->segment, &place);
    assert_int_equal(b->segment.used, 0);
    tear_down(b);
}

static void addresses_have_the_base_and_sets_count_from_one(void **state) {
    (void)state;
    struct bench *b = set_up(0);
    assert_int_equal(segment_address(&b->segment, 5 * PAGE), (1u << 30) + 5 * PAGE);
    assert_true(segment_in_set(&b->segment, 4));
    assert_false(segment_in_set(&b->segment, ~4u));
    struct segment_request request = {.size = UINT64_MAX};
    struct placement placement;
    assert_false(segment_can_hold(&b->segment, &request));
    assert_int_equal(segment_place(&b->segment, &request, &placement), PLACER_FULL);
    request.size = 0;
    assert_false(segment_can_hold(&b->segment, &request));
    tear_down(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_pitch_alignment_segments_reserve_the_pitch),
        cmocka_unit_test(large_pages_round_to_64_kib),
        cmocka_unit_test(bank_hints_come_before_the_direction_and_are_only_hints),
        cmocka_unit_test(overlays_stay_in_the_last_fifth),
        cmocka_unit_test(an_aperture_maps_no_more_than_its_commit_limit),
        cmocka_unit_test(apertures_share_the_system_memory_limit),
        cmocka_unit_test(figures_follow_what_is_placed),
        cmocka_unit_test(a_scattered_place_takes_every_hole_and_comes_back_to_the_same_bytes),
        cmocka_unit_test(scattered_places_stay_on_their_side_of_the_protected_range),
        cmocka_unit_test(every_byte_of_a_scattered_place_is_found_in_any_order),
        cmocka_unit_test(pages_of_an_aperture_count_without_a_range),
        cmocka_unit_test(addresses_have_the_base_and_sets_count_from_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
