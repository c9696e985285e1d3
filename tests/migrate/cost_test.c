/*
 * cost_test.c - what a migration costs: the guest's pause, and bytes. The link carries 1 Gb/s in
 * virtual time, and an event of the guest takes a millisecond, so nothing here hangs on the speed
 * of the machine.
 */
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MS          UINT64_C(1000000)
#define LINK        125000u /* bytes a millisecond: 30 pages */
#define PAGES       4096u   /* of each of two segments: 32 MiB in all */
#define MEMORY      ((uint64_t)FIXTURE_SEGMENTS * PAGES * FIXTURE_PAGE)
#define EVENTS      4000u
#define LONG_ENOUGH 60000u
#define ROUND_MS    20u /* between two rounds that have little to send */

struct guest {
    unsigned writes;  /* pages a millisecond */
    unsigned hot;     /* it writes only so many of each segment; 0: any */
    unsigned late;    /* ticks after which the target comes */
    unsigned lag;     /* see struct fixture, */
    unsigned read_ns; /* and this, */
    unsigned idle;    /* and this */
};

static void print(const struct guest *guest, const struct vidmm_migrate_result *result) {
    print_message("%2u pages/ms of %4u, late %4u, lag %u: pause %3u ms, sent %3u %% of what is in "
                  "use, in %4u ms from event %u\n",
                  guest->writes, FIXTURE_SEGMENTS * (guest->hot == 0 ? PAGES : guest->hot),
                  guest->late, guest->lag, (unsigned)(result->pause_ns / MS),
                  (unsigned)(result->memory_bytes * 100 / MEMORY),
                  (unsigned)(result->total_ns / MS), (unsigned)result->event);
}

/* It has moved, with every byte. */
static struct fixture *migrate(const struct guest *guest) {
    struct fixture *fixture = malloc(sizeof(*fixture));
    assert_non_null(fixture);
    fixture_start(fixture, guest->writes);
    fixture->pages = PAGES;
    fixture->events = EVENTS;
    fixture->hot = guest->hot;
    fixture->lag = guest->lag;
    fixture->read_ns = guest->read_ns;
    fixture->idle = guest->idle;
    fixture->full = true;
    fixture->link.rate = LINK;
    fixture->source.options = (struct vidmm_migrate_options){.pause_ns = 300 * MS,
                                                             .pause_most_ns = 750 * MS,
                                                             .timeout_ns = 10000 * MS,
                                                             .whole_ns = 3600000 * MS,
                                                             .rounds = 30};
    fixture->target.options = fixture->source.options;
    fixture_go(fixture);
    fixture->target.wants = false;
    fixture_run(fixture, guest->late);
    fixture->target.wants = true;
    fixture_run(fixture, LONG_ENOUGH);
    print(guest, &fixture->source.result);
    assert_true(fixture->source.result.moved);
    assert_int_equal(fixture->source.result.used_bytes, MEMORY);
    assert_true(fixture->source.result.event < EVENTS - 1); /* and need not wait for its end */
    assert_true(fixture_right(&fixture->target));
    return fixture;
}

static void drop(struct fixture *fixture) {
    fixture_stop(fixture);
    free(fixture);
}

static void below_half_of_the_link_a_pause_is_50_ms_and_a_round_of_dirty_pages(void **state) {
    (void)state;
    static const unsigned hot[] = {0, 64, 512};
    for (unsigned h = 0; h < 3; h++) {
        for (unsigned writes = 0; writes <= 14; writes += 7) {
            struct fixture *fixture = migrate(&(struct guest){.writes = writes, .hot = hot[h]});
            uint64_t round = MS * ROUND_MS * writes * FIXTURE_PAGE / LINK;
            assert_true(fixture->source.result.pause_ns < 50 * MS + round);
            drop(fixture);
        }
    }
}

static void no_pause_is_above_750_ms_however_much_is_written(void **state) {
    (void)state;
    static const struct guest guests[] = {{.writes = 20}, {.writes = 30}, {.writes = 60}};
    for (unsigned i = 0; i < sizeof(guests) / sizeof(*guests); i++) {
        struct fixture *fixture = migrate(&guests[i]);
        assert_true(fixture->source.result.pause_ns < 750 * MS);
        drop(fixture);
    }
}

static void sends_less_than_one_and_a_third(const struct guest *guest) {
    struct fixture *fixture = migrate(guest);
    assert_true(fixture->source.result.memory_bytes * 10 < MEMORY * 13);
    drop(fixture);
}

/* Writes are a fifth of what the link carries, or go to the same few pages. */
static void a_guest_that_mostly_reads_is_sent_less_than_one_and_a_third_times(void **state) {
    (void)state;
    static const struct guest guests[] = {
        {.writes = 1}, {.writes = 6}, {.writes = 14, .hot = 64}, {.writes = 40, .hot = 64}};
    for (unsigned i = 0; i < sizeof(guests) / sizeof(*guests); i++)
        sends_less_than_one_and_a_third(&guests[i]);
}

/* An eighth of memory is dirty in every round; reading is slow, or the target is, so there is much
 * time for rounds. */
static void what_is_written_all_the_time_is_sent_late(void **state) {
    (void)state;
    static const struct {
        struct guest guest;
        unsigned percent;
    } of[] = {{{.writes = 60, .hot = 512, .read_ns = 15000}, 155},
              {{.writes = 60, .hot = 512, .late = 600, .lag = 1}, 135}};
    for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++) {
        struct fixture *fixture = migrate(&of[i].guest);
        assert_true(fixture->source.result.memory_bytes * 100 < MEMORY * of[i].percent);
        drop(fixture);
    }
}

/* The guest has long been running when the target comes, and the target is no faster. */
static void a_target_that_has_much_to_rehearse_makes_nothing_be_sent_again(void **state) {
    (void)state;
    static const struct guest guests[] = {{.writes = 6, .late = 1000},
                                          {.writes = 6, .late = 600, .lag = 1},
                                          {.writes = 6, .late = 100, .lag = 2}};
    for (unsigned i = 0; i < sizeof(guests) / sizeof(*guests); i++)
        sends_less_than_one_and_a_third(&guests[i]);
}

/* While it runs it writes more than the link carries; that is a tenth of the time. */
static void a_guest_that_is_paced_counts_by_what_it_writes_in_all_its_time(void **state) {
    (void)state;
    struct fixture *fixture = migrate(&(struct guest){.writes = 50, .idle = 9});
    assert_true(fixture->source.result.pause_ns <
                50 * MS + MS * ROUND_MS * 5 * FIXTURE_PAGE / LINK);
    assert_true(fixture->source.result.held_ns < 50 * MS);
    assert_true(fixture->source.result.memory_bytes * 10 < MEMORY * 13);
    drop(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_half_of_the_link_a_pause_is_50_ms_and_a_round_of_dirty_pages),
        cmocka_unit_test(no_pause_is_above_750_ms_however_much_is_written),
        cmocka_unit_test(a_guest_that_mostly_reads_is_sent_less_than_one_and_a_third_times),
        cmocka_unit_test(what_is_written_all_the_time_is_sent_late),
        cmocka_unit_test(a_target_that_has_much_to_rehearse_makes_nothing_be_sent_again),
        cmocka_unit_test(a_guest_that_is_paced_counts_by_what_it_writes_in_all_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
