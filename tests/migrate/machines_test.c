/*
 * machines_test.c - both state machines over a guest and a link in memory: what must hold wherever
 * the link breaks and whichever side is killed.
 */
#include "fixture.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LONG_ENOUGH 6000u

static struct fixture *make(unsigned writes) {
    struct fixture *fixture = malloc(sizeof(*fixture));
    assert_non_null(fixture);
    fixture_start(fixture, writes);
    return fixture;
}

static void drop(struct fixture *fixture) {
    fixture_stop(fixture);
    free(fixture);
}

static void a_guest_moves_in_mid_run_and_ends_with_every_byte_right(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture_go(fixture);
    fixture_run(fixture, LONG_ENOUGH);
    if (!fixture->source.result.moved)
        print_message("source: %s (state %d), target: %s (state %d)\n", fixture->source.result.text,
                      fixture->source.source.state, fixture->target.result.text,
                      fixture->target.target.state);
    assert_true(fixture->source.result.moved);
    assert_true(fixture->target.result.moved);
    assert_true(fixture_right(&fixture->target));
    assert_false(fixture->two_owners);
    assert_true(fixture->source.result.round_count >= 2);
    assert_int_equal(fixture->source.result.event, fixture->target.own_event);
    drop(fixture);
}

/* ---- The link breaks ------------------------------------------------------------------------- */

/* A target that let no source in waits for another one. */
static bool waits(const struct fixture_side *side) {
    return side->is_target && side->target.state == TARGET_AWAIT;
}

/* No side was killed: one side has the guest, and has every byte. */
static void one_owner_has_everything(struct fixture *fixture, const char *what, uint64_t at) {
    const struct fixture_side *source = &fixture->source, *target = &fixture->target;
    bool moved = target->own_event != FIXTURE_NEVER;
    bool right = fixture_right(moved ? target : source);
    bool explained = moved || (source->result.text[0] != '\0' &&
                               (waits(target) || target->result.text[0] != '\0'));
    if (fixture->two_owners || !right || !explained || source->alive ||
        (target->alive && !waits(target)))
        fail_msg("%s at byte %u: %s, %s, two owners %d, source %d '%s', target %d '%s', said '%s'",
                 what, (unsigned)at, moved ? "moved" : "stayed", right ? "right" : "wrong",
                 fixture->two_owners, source->source.state, source->result.text,
                 target->target.state, target->result.text, fixture->said);
}

enum harm { CUT_TO_TARGET, CUT_TO_SOURCE, SPOIL_TO_TARGET, SPOIL_TO_SOURCE };

static void harmed(enum harm harm, uint64_t at, unsigned writes) {
    static const char *const names[] = {"cut to target", "cut to source", "spoilt to target",
                                        "spoilt to source"};
    struct fixture *fixture = make(writes);
    struct fixture_link *link = &fixture->link;
    uint64_t *where[] = {&link->to_target.cut_at, &link->to_source.cut_at,
                         &link->to_target.spoil_at, &link->to_source.spoil_at};
    *where[harm] = at;
    fixture_go(fixture);
    fixture_run(fixture, LONG_ENOUGH);
    one_owner_has_everything(fixture, names[harm], at);
    drop(fixture);
}

/* Bytes that an undisturbed migration puts on the wire. */
static void measure(unsigned writes, uint64_t *to_target, uint64_t *to_source) {
    struct fixture *fixture = make(writes);
    fixture_go(fixture);
    fixture_run(fixture, LONG_ENOUGH);
    *to_target = fixture->link.to_target.carried;
    *to_source = fixture->link.to_source.carried;
    drop(fixture);
}

static void a_link_that_breaks_at_any_byte_leaves_one_owner_with_everything(void **state) {
    (void)state;
    uint64_t to_target = 0, to_source = 0;
    measure(0, &to_target, &to_source);
    print_message("%u bytes to the target, %u back\n", (unsigned)to_target, (unsigned)to_source);
    for (uint64_t at = 0; at < to_target; at++)
        harmed(CUT_TO_TARGET, at, 0);
    for (uint64_t at = 0; at < to_source; at++)
        harmed(CUT_TO_SOURCE, at, 0);
}

static void a_spoilt_byte_anywhere_is_noticed_and_leaves_one_owner_with_everything(void **state) {
    (void)state;
    uint64_t to_target = 0, to_source = 0;
    measure(0, &to_target, &to_source);
    for (uint64_t at = 0; at < to_target; at++)
        harmed(SPOIL_TO_TARGET, at, 0);
    for (uint64_t at = 0; at < to_source; at++)
        harmed(SPOIL_TO_SOURCE, at, 0);
}

static uint64_t draw(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void a_stream_full_of_pages_may_break_or_be_spoilt_anywhere(void **state) {
    (void)state;
    uint64_t to_target = 0, to_source = 0, seed = 5;
    measure(2, &to_target, &to_source);
    for (unsigned i = 0; i < 200; i++) {
        harmed(CUT_TO_TARGET, draw(&seed) % to_target, 2);
        harmed(SPOIL_TO_TARGET, draw(&seed) % to_target, 2);
    }
}

/* ---- A side is killed ------------------------------------------------------------------------ */

/* The remaining side decides, as an operator would after reading the peer's journal. */
static void decide(struct fixture_side *left, const struct fixture_side *dead) {
    bool has_owned = dead->is_target && dead->own_event != FIXTURE_NEVER;
    left->verdict = has_owned ? VIDMM_MIGRATE_DROP : VIDMM_MIGRATE_TAKE;
}

static void killed(bool target_dies, uint64_t tick, unsigned writes) {
    struct fixture *fixture = make(writes);
    struct fixture_side *dead = target_dies ? &fixture->target : &fixture->source;
    struct fixture_side *left = target_dies ? &fixture->source : &fixture->target;
    fixture_go(fixture);
    fixture_run(fixture, tick);
    bool had_ended = !dead->alive || dead->ended;
    bool owned = target_dies ? dead->own_event != FIXTURE_NEVER : !dead->result.moved;
    fixture_kill(fixture, dead);
    fixture_run(fixture, LONG_ENOUGH);
    bool doubt = left->alive && !waits(left); /* it waits, for ever */
    if (doubt)
        decide(left, dead);
    fixture_run(fixture, LONG_ENOUGH);
    /* The only thing that a killed process takes with it is a guest that it alone had. */
    bool lost = owned && !had_ended && !fixture_right(left);
    bool right = fixture_right(left) || fixture_right(dead) || lost;
    if (fixture->two_owners || !right || (left->alive && !waits(left)) ||
        (doubt && fixture->said[0] == '\0'))
        fail_msg("%s killed at tick %u: two owners %d, right %d, source %d '%s', target %d '%s'",
                 target_dies ? "target" : "source", (unsigned)tick, fixture->two_owners, right,
                 fixture->source.source.state, fixture->source.result.text,
                 fixture->target.target.state, fixture->target.result.text);
    drop(fixture);
}

static void killing_either_side_at_any_instant_never_makes_two_owners(void **state) {
    (void)state;
    uint64_t seed = 77;
    for (unsigned i = 0; i < 200; i++) {
        uint64_t tick = draw(&seed) % 460;
        killed(false, tick, 1);
        killed(true, tick, 1);
    }
}

static void killing_either_side_around_the_commit_never_makes_two_owners(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture_go(fixture);
    while (fixture->source.deeds[MIGRATE_PAUSES] == 0)
        fixture_tick(fixture);
    uint64_t paused = fixture->ticks;
    drop(fixture);
    for (uint64_t tick = paused - 5; tick < paused + 40; tick++) {
        killed(false, tick, 1);
        killed(true, tick, 1);
    }
}

/* ---- In doubt -------------------------------------------------------------------------------- */

/* The byte of the stream to the target at which COMMIT begins. */
static uint64_t commit_byte(void) {
    struct fixture *fixture = make(1);
    uint64_t at = 0;
    fixture_go(fixture);
    while (fixture->source.deeds[MIGRATE_GIVES] == 0) {
        at = fixture->link.to_target.carried;
        fixture_tick(fixture);
    }
    drop(fixture);
    return at;
}

static void doubt_is_resolved_by_reconnecting(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture->link.to_target.cut_at = commit_byte() + 5;
    fixture_go(fixture);
    fixture_run(fixture, LONG_ENOUGH);
    assert_int_equal(fixture->source.deeds[MIGRATE_DOUBTS], 1);
    assert_true(fixture->target.own_event != FIXTURE_NEVER);
    one_owner_has_everything(fixture, "commit cut", fixture->link.to_target.cut_at);
    drop(fixture);
}

static void in_doubt_both_sides_wait_with_all_they_have_and_say_so(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture->link.to_target.cut_at = commit_byte() + 5;
    fixture_go(fixture);
    while (fixture->source.deeds[MIGRATE_DOUBTS] == 0)
        fixture_tick(fixture);
    for (unsigned i = 0; i < 2000; i++) {
        fixture->source.wants = false; /* they cannot find each other */
        fixture_tick(fixture);
    }
    assert_true(fixture->source.alive && fixture->target.alive);
    assert_non_null(strstr(fixture->said, "in doubt"));
    assert_int_equal(fixture->source.next, fixture->source.source.party.event);
    fixture_run(fixture, 0);
    fixture->source.wants = true;
    fixture_run(fixture, LONG_ENOUGH);
    one_owner_has_everything(fixture, "reconnected", 0);
    drop(fixture);
}

/* What each direction had carried when the source had sent SEAL and nothing of READY. */
static void carried_by_ready(uint64_t *to_target, uint64_t *to_source) {
    struct fixture *fixture = make(1);
    fixture_go(fixture);
    while (fixture->source.deeds[MIGRATE_GIVES] == 0) {
        if (fixture->target.target.state != TARGET_READY)
            *to_source = fixture->link.to_source.carried;
        *to_target = fixture->link.to_target.carried;
        fixture_tick(fixture);
    }
    drop(fixture);
}

/* The connection stays and carries nothing any more: neither side learns it by an end of the link. */
static void
a_withdrawn_source_calls_again_when_its_abort_is_lost_on_a_link_that_stays(void **state) {
    (void)state;
    uint64_t to_target = 0, to_source = 0;
    carried_by_ready(&to_target, &to_source);
    struct fixture *fixture = make(1);
    fixture->link.to_target.lost_at = to_target;
    fixture->link.to_source.lost_at = to_source;
    fixture_go(fixture);
    fixture_run(fixture, LONG_ENOUGH);
    assert_false(fixture->source.result.moved);
    one_owner_has_everything(fixture, "silent from READY", to_source);
    drop(fixture);
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static void run_dirty(struct fixture *fixture, enum vidmm_migrate_too_dirty how) {
    fixture->full = true;
    fixture->link.rate = 4000;
    fixture->source.options.too_dirty = how;
    fixture_go(fixture);
    fixture_run(fixture, 20000);
    assert_false(fixture->two_owners);
}

static void a_guest_that_is_too_fast_stays_when_it_must_not_be_held_back(void **state) {
    (void)state;
    struct fixture *fixture = make(40);
    run_dirty(fixture, VIDMM_MIGRATE_STOP);
    assert_false(fixture->source.result.moved);
    assert_non_null(strstr(fixture->source.result.text, "faster than the link"));
    assert_non_null(strstr(fixture->target.result.text, "faster than the link"));
    assert_true(fixture_right(&fixture->source));
    drop(fixture);
}

static void a_guest_that_is_too_fast_is_held_back(void **state) {
    (void)state;
    struct fixture *fixture = make(40);
    run_dirty(fixture, VIDMM_MIGRATE_THROTTLE);
    assert_true(fixture->source.result.moved);
    assert_true(fixture->source.result.held_ns > 0);
    assert_true(fixture_right(&fixture->target));
    drop(fixture);
}

static void a_guest_that_is_too_fast_is_paused_for_long_when_that_is_wanted(void **state) {
    (void)state;
    struct fixture *fixture = make(40);
    run_dirty(fixture, VIDMM_MIGRATE_PAUSE);
    assert_true(fixture->source.result.moved);
    assert_true(fixture_right(&fixture->target));
    drop(fixture);
}

static void a_failed_migration_begins_again_when_asked_to(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture->source.options.retries = 3;
    fixture->link.to_target.cut_at = 600;
    fixture_go(fixture);
    while (fixture->target.alive)
        fixture_tick(fixture);
    assert_int_equal(fixture->source.result.attempts, 1);
    struct fixture_side *target = &fixture->target;
    migrate_target_stop(&target->target);
    target->alive = target->wants = true; /* an operator starts another */
    fixture_restart(target);
    struct migrate_party party = target->target.party;
    party.areas = (struct migrate_areas){0};
    migrate_target_start(&target->target, &party, false);
    fixture_run(fixture, LONG_ENOUGH);
    assert_true(fixture->source.result.attempts >= 2);
    assert_true(fixture->source.result.moved);
    assert_true(fixture_right(target));
    drop(fixture);
}

/* The target is slower than the source: another event, and in the end the source waits. */
static void a_target_that_lags_behind_is_given_time(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture->lag = 2;
    fixture_go(fixture);
    fixture_run(fixture, LONG_ENOUGH);
    assert_true(fixture->source.result.moved);
    assert_true(fixture_right(&fixture->target));
    assert_true(fixture->source.result.held_ns > 0);
    drop(fixture);
}

/* It is there, and pings, and does not play. */
static void a_target_that_gets_stuck_does_not_hold_the_guest_for_long(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture->events = 2000;
    fixture_go(fixture);
    while (fixture->source.source.state != SOURCE_FOLLOW)
        fixture_tick(fixture);
    fixture->lag = UINT32_MAX;
    fixture_run(fixture, LONG_ENOUGH);
    assert_non_null(strstr(fixture->source.result.text, "does not get on"));
    assert_true(fixture_right(&fixture->source));
    drop(fixture);
}

/* It stands, its memory is the source's, and then it is told another event. */
static void a_target_that_stood_in_vain_begins_again_with_all_that_came(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture->full = true;
    fixture_go(fixture);
    while (fixture->target.target.state != TARGET_STANDING)
        fixture_tick(fixture);
    struct migrate_source *source = &fixture->source.source;
    assert_int_equal(source->state, SOURCE_LEAD);
    source->stand += 12;
    source->standing = false;
    migrate_say_event(&source->party, MIGRATE_STAND, source->stand);
    uint64_t sent = fixture->source.result.memory_bytes;
    fixture_run(fixture, LONG_ENOUGH);
    assert_true(fixture->source.result.moved);
    assert_true(fixture_right(&fixture->target));
    assert_true(fixture->source.result.memory_bytes < sent * 2);
    drop(fixture);
}

/* ---- What does not fit ----------------------------------------------------------------------- */

static void a_version_that_is_not_understood_is_refused_with_both_named(void **state) {
    (void)state;
    struct migrate_message hello = {.type = MIGRATE_HELLO, .version = 9, .oldest = 7};
    char text[256] = "";
    assert_false(migrate_hello_good(&hello, text, sizeof(text)));
    assert_non_null(strstr(text, "versions 7 to 9"));
    hello.version = hello.oldest = 0;
    assert_false(migrate_hello_good(&hello, text, sizeof(text)));
    assert_non_null(strstr(text, "too old"));
    hello.version = 9;
    assert_true(migrate_hello_good(&hello, text, sizeof(text)));
}

static void another_configuration_is_refused_by_its_first_line_that_differs(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture_go(fixture);
    fixture->target.target.party.config = "workload=rest\n";
    fixture_run(fixture, LONG_ENOUGH);
    assert_non_null(
        strstr(fixture->source.result.text, "'workload=test', this side 'workload=rest'"));
    one_owner_has_everything(fixture, "configuration", 0);
    drop(fixture);
}

static void a_rehearsal_that_went_differently_is_refused(void **state) {
    (void)state;
    struct fixture *fixture = make(1);
    fixture_go(fixture);
    fixture->target.calls = 1;
    fixture_run(fixture, LONG_ENOUGH);
    assert_non_null(strstr(fixture->source.result.text, "the guests differ"));
    one_owner_has_everything(fixture, "rehearsal", 0);
    drop(fixture);
}

static void any_failure_of_a_device_leaves_one_owner_with_everything(void **state) {
    (void)state;
    for (unsigned at = 1; at < 120; at++) {
        for (unsigned who = 0; who < 2; who++) {
            struct fixture *fixture = make(1);
            (who == 0 ? &fixture->source : &fixture->target)->fail_at = at;
            fixture_go(fixture);
            fixture_run(fixture, LONG_ENOUGH);
            one_owner_has_everything(fixture, who == 0 ? "source's device" : "target's device", at);
            drop(fixture);
        }
    }
}

int main(void) {
    /* Thousands of runs with a few large blocks each: the kernel need not see every one. */
    (void)mallopt(M_MMAP_THRESHOLD, 64 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_moves_in_mid_run_and_ends_with_every_byte_right),
        cmocka_unit_test(a_link_that_breaks_at_any_byte_leaves_one_owner_with_everything),
        cmocka_unit_test(a_spoilt_byte_anywhere_is_noticed_and_leaves_one_owner_with_everything),
        cmocka_unit_test(a_stream_full_of_pages_may_break_or_be_spoilt_anywhere),
        cmocka_unit_test(killing_either_side_at_any_instant_never_makes_two_owners),
        cmocka_unit_test(killing_either_side_around_the_commit_never_makes_two_owners),
        cmocka_unit_test(doubt_is_resolved_by_reconnecting),
        cmocka_unit_test(
            a_withdrawn_source_calls_again_when_its_abort_is_lost_on_a_link_that_stays),
        cmocka_unit_test(in_doubt_both_sides_wait_with_all_they_have_and_say_so),
        cmocka_unit_test(a_guest_that_is_too_fast_stays_when_it_must_not_be_held_back),
        cmocka_unit_test(a_guest_that_is_too_fast_is_held_back),
        cmocka_unit_test(a_guest_that_is_too_fast_is_paused_for_long_when_that_is_wanted),
        cmocka_unit_test(a_failed_migration_begins_again_when_asked_to),
        cmocka_unit_test(a_target_that_lags_behind_is_given_time),
        cmocka_unit_test(a_target_that_gets_stuck_does_not_hold_the_guest_for_long),
        cmocka_unit_test(a_target_that_stood_in_vain_begins_again_with_all_that_came),
        cmocka_unit_test(a_version_that_is_not_understood_is_refused_with_both_named),
        cmocka_unit_test(another_configuration_is_refused_by_its_first_line_that_differs),
        cmocka_unit_test(a_rehearsal_that_went_differently_is_refused),
        cmocka_unit_test(any_failure_of_a_device_leaves_one_owner_with_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
