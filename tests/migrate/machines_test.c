/*
 * machines_test.c - both state machines over a guest and a link in memory: what must hold wherever
 * the link breaks and whoever is killed.
 */
#include "rig.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LONG_ENOUGH 6000u

static struct rig *make(unsigned writes) {
    struct rig *rig = malloc(sizeof(*rig));
    assert_non_null(rig);
    rig_start(rig, writes);
    return rig;
}

static void drop(struct rig *rig) {
    rig_stop(rig);
    free(rig);
}

static void a_guest_moves_in_mid_run_and_ends_with_every_byte_right(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig_go(rig);
    rig_run(rig, LONG_ENOUGH);
    if (!rig->source.result.moved)
        print_message("source: %s (state %d), target: %s (state %d)\n", rig->source.result.text,
                      rig->source.source.state, rig->target.result.text, rig->target.target.state);
    assert_true(rig->source.result.moved);
    assert_true(rig->target.result.moved);
    assert_true(rig_right(&rig->target));
    assert_false(rig->two_owners);
    assert_true(rig->source.result.round_count >= 2);
    assert_int_equal(rig->source.result.event, rig->target.own_event);
    drop(rig);
}

/* ---- The link breaks ---------------------------------------------------------------------------
 */

/* Whatever happened, nobody was killed: one side has the guest, and has every byte. */
static void one_owner_has_everything(struct rig *rig, const char *what, uint64_t at) {
    const struct rig_side *source = &rig->source, *target = &rig->target;
    bool moved = target->own_event != RIG_NEVER;
    bool right = rig_right(moved ? target : source);
    bool told = moved || (source->result.text[0] != '\0' && target->result.text[0] != '\0');
    if (rig->two_owners || !right || !told || source->alive || target->alive)
        fail_msg("%s at byte %u: %s, %s, two owners %d, source %d '%s', target %d '%s', said '%s'",
                 what, (unsigned)at, moved ? "moved" : "stayed", right ? "right" : "wrong",
                 rig->two_owners, source->source.state, source->result.text, target->target.state,
                 target->result.text, rig->said);
}

enum harm { CUT_TO_TARGET, CUT_TO_SOURCE, SPOIL_TO_TARGET, SPOIL_TO_SOURCE };

static void harmed(enum harm harm, uint64_t at, unsigned writes) {
    static const char *const names[] = {"cut to target", "cut to source", "spoilt to target",
                                        "spoilt to source"};
    struct rig *rig = make(writes);
    struct rig_link *link = &rig->link;
    uint64_t *where[] = {&link->to_target.cut_at, &link->to_source.cut_at,
                         &link->to_target.spoil_at, &link->to_source.spoil_at};
    *where[harm] = at;
    rig_go(rig);
    rig_run(rig, LONG_ENOUGH);
    one_owner_has_everything(rig, names[harm], at);
    drop(rig);
}

/* Bytes that an undisturbed migration puts on the wire. */
static void measure(unsigned writes, uint64_t *to_target, uint64_t *to_source) {
    struct rig *rig = make(writes);
    rig_go(rig);
    rig_run(rig, LONG_ENOUGH);
    *to_target = rig->link.to_target.carried;
    *to_source = rig->link.to_source.carried;
    drop(rig);
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

/* ---- Somebody dies -----------------------------------------------------------------------------
 */

/* Who is left decides, as a person would who sees what the other one did. */
static void decide(struct rig_side *left, const struct rig_side *dead) {
    bool has_owned = dead->is_target && dead->own_event != RIG_NEVER;
    left->verdict = has_owned ? VIDMM_MIGRATE_DROP : VIDMM_MIGRATE_TAKE;
}

static void killed(bool target_dies, uint64_t tick, unsigned writes) {
    struct rig *rig = make(writes);
    struct rig_side *dead = target_dies ? &rig->target : &rig->source;
    struct rig_side *left = target_dies ? &rig->source : &rig->target;
    rig_go(rig);
    rig_run(rig, tick);
    bool had_ended = !dead->alive || dead->ended;
    bool owned = target_dies ? dead->own_event != RIG_NEVER : !dead->result.moved;
    rig_kill(rig, dead);
    rig_run(rig, LONG_ENOUGH);
    bool doubt = left->alive; /* it waits, for ever */
    if (doubt)
        decide(left, dead);
    rig_run(rig, LONG_ENOUGH);
    /* The only thing that a killed process takes with it is a guest that it alone had. */
    bool lost = owned && !had_ended && !rig_right(left);
    bool right = rig_right(left) || rig_right(dead) || lost;
    if (rig->two_owners || !right || left->alive || (doubt && rig->said[0] == '\0'))
        fail_msg("%s killed at tick %u: two owners %d, right %d, source %d '%s', target %d '%s'",
                 target_dies ? "target" : "source", (unsigned)tick, rig->two_owners, right,
                 rig->source.source.state, rig->source.result.text, rig->target.target.state,
                 rig->target.result.text);
    drop(rig);
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
    struct rig *rig = make(1);
    rig_go(rig);
    while (rig->source.deeds[MIGRATE_PAUSES] == 0)
        rig_tick(rig);
    uint64_t paused = rig->ticks;
    drop(rig);
    for (uint64_t tick = paused - 5; tick < paused + 40; tick++) {
        killed(false, tick, 1);
        killed(true, tick, 1);
    }
}

/* ---- In doubt ----------------------------------------------------------------------------------
 */

/* The byte of the stream to the target at which COMMIT begins. */
static uint64_t commit_byte(void) {
    struct rig *rig = make(1);
    uint64_t at = 0;
    rig_go(rig);
    while (rig->source.deeds[MIGRATE_GIVES] == 0) {
        at = rig->link.to_target.carried;
        rig_tick(rig);
    }
    drop(rig);
    return at;
}

static void doubt_is_resolved_by_reconnecting(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig->link.to_target.cut_at = commit_byte() + 5;
    rig_go(rig);
    rig_run(rig, LONG_ENOUGH);
    assert_int_equal(rig->source.deeds[MIGRATE_DOUBTS], 1);
    assert_true(rig->target.own_event != RIG_NEVER);
    one_owner_has_everything(rig, "commit cut", rig->link.to_target.cut_at);
    drop(rig);
}

static void in_doubt_both_sides_wait_with_all_they_have_and_say_so(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig->link.to_target.cut_at = commit_byte() + 5;
    rig_go(rig);
    while (rig->source.deeds[MIGRATE_DOUBTS] == 0)
        rig_tick(rig);
    for (unsigned i = 0; i < 2000; i++) {
        rig->source.wants = false; /* they cannot find each other */
        rig_tick(rig);
    }
    assert_true(rig->source.alive && rig->target.alive);
    assert_non_null(strstr(rig->said, "in doubt"));
    assert_int_equal(rig->source.next, rig->source.source.party.event);
    rig_run(rig, 0);
    rig->source.wants = true;
    rig_run(rig, LONG_ENOUGH);
    one_owner_has_everything(rig, "reconnected", 0);
    drop(rig);
}

/* ---- Decisions ---------------------------------------------------------------------------------
 */

static void run_dirty(struct rig *rig, enum vidmm_migrate_too_dirty how) {
    rig->full = true;
    rig->link.rate = 4000;
    rig->source.options.too_dirty = how;
    rig_go(rig);
    rig_run(rig, 20000);
    assert_false(rig->two_owners);
}

static void a_guest_that_is_too_fast_stays_when_it_must_not_be_held_back(void **state) {
    (void)state;
    struct rig *rig = make(40);
    run_dirty(rig, VIDMM_MIGRATE_STOP);
    assert_false(rig->source.result.moved);
    assert_non_null(strstr(rig->source.result.text, "faster than the link"));
    assert_non_null(strstr(rig->target.result.text, "faster than the link"));
    assert_true(rig_right(&rig->source));
    drop(rig);
}

static void a_guest_that_is_too_fast_is_held_back(void **state) {
    (void)state;
    struct rig *rig = make(40);
    run_dirty(rig, VIDMM_MIGRATE_THROTTLE);
    assert_true(rig->source.result.moved);
    assert_true(rig->source.result.held_ns > 0);
    assert_true(rig_right(&rig->target));
    drop(rig);
}

static void a_guest_that_is_too_fast_is_paused_for_long_when_that_is_wanted(void **state) {
    (void)state;
    struct rig *rig = make(40);
    run_dirty(rig, VIDMM_MIGRATE_PAUSE);
    assert_true(rig->source.result.moved);
    assert_true(rig_right(&rig->target));
    drop(rig);
}

static void a_failed_migration_begins_again_when_asked_to(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig->source.options.retries = 3;
    rig->link.to_target.cut_at = 600;
    rig_go(rig);
    while (rig->target.alive)
        rig_tick(rig);
    assert_int_equal(rig->source.result.attempts, 1);
    struct rig_side *target = &rig->target;
    migrate_target_stop(&target->target);
    target->alive = target->wants = true; /* somebody starts another */
    rig_restart(target);
    struct migrate_party party = target->target.party;
    party.areas = (struct migrate_areas){0};
    migrate_target_start(&target->target, &party, false);
    rig_run(rig, LONG_ENOUGH);
    assert_true(rig->source.result.attempts >= 2);
    assert_true(rig->source.result.moved);
    assert_true(rig_right(target));
    drop(rig);
}

/* The target is slower than the source: another event, and in the end the source waits. */
static void a_target_that_lags_behind_is_given_time(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig->lag = 2;
    rig_go(rig);
    rig_run(rig, LONG_ENOUGH);
    assert_true(rig->source.result.moved);
    assert_true(rig_right(&rig->target));
    assert_true(rig->source.result.held_ns > 0);
    drop(rig);
}

/* It is there, and pings, and does not play. */
static void a_target_that_gets_stuck_does_not_hold_the_guest_for_long(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig->events = 2000;
    rig_go(rig);
    while (rig->source.source.state != SOURCE_FOLLOW)
        rig_tick(rig);
    rig->lag = UINT32_MAX;
    rig_run(rig, LONG_ENOUGH);
    assert_non_null(strstr(rig->source.result.text, "does not get on"));
    assert_true(rig_right(&rig->source));
    drop(rig);
}

/* It stands, its memory is the source's, and then it is told another event. */
static void a_target_that_stood_in_vain_begins_again_with_all_that_came(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig->full = true;
    rig_go(rig);
    while (rig->target.target.state != TARGET_STANDING)
        rig_tick(rig);
    struct migrate_source *source = &rig->source.source;
    assert_int_equal(source->state, SOURCE_LEAD);
    source->stand += 12;
    source->standing = false;
    migrate_say_event(&source->party, MIGRATE_STAND, source->stand);
    uint64_t sent = rig->source.result.memory_bytes;
    rig_run(rig, LONG_ENOUGH);
    assert_true(rig->source.result.moved);
    assert_true(rig_right(&rig->target));
    assert_true(rig->source.result.memory_bytes < sent * 2);
    drop(rig);
}

/* ---- What does not fit -------------------------------------------------------------------------
 */

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
    struct rig *rig = make(1);
    rig_go(rig);
    rig->target.target.party.config = "workload=rest\n";
    rig_run(rig, LONG_ENOUGH);
    assert_non_null(strstr(rig->source.result.text, "'workload=test', this side 'workload=rest'"));
    one_owner_has_everything(rig, "configuration", 0);
    drop(rig);
}

static void a_rehearsal_that_went_differently_is_refused(void **state) {
    (void)state;
    struct rig *rig = make(1);
    rig_go(rig);
    rig->target.calls = 1;
    rig_run(rig, LONG_ENOUGH);
    assert_non_null(strstr(rig->source.result.text, "the guests differ"));
    one_owner_has_everything(rig, "rehearsal", 0);
    drop(rig);
}

static void any_failure_of_a_device_leaves_one_owner_with_everything(void **state) {
    (void)state;
    for (unsigned at = 1; at < 120; at++) {
        for (unsigned who = 0; who < 2; who++) {
            struct rig *rig = make(1);
            (who == 0 ? &rig->source : &rig->target)->fail_at = at;
            rig_go(rig);
            rig_run(rig, LONG_ENOUGH);
            one_owner_has_everything(rig, who == 0 ? "source's device" : "target's device", at);
            drop(rig);
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
