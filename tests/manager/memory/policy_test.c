/*
 * The order of eviction: priority, then the rank that the policy gives, then who has it for longest;
 * what a policy is told, once and in order; and what a victim costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting_os.h"
#include "memory/adaptive.h"
#include "memory/policy.h"

#define RESIDENTS 200u

static uint64_t random64(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * 0x2545f4914f6cdd1dull;
}

static uint32_t below(uint64_t *seed, uint32_t limit) {
    return (uint32_t)(random64(seed) >> 32) % limit;
}

static const uint64_t no_memory[VIDMM_POLICY_SEGMENTS + 1];

/* A policy that runs over an operating system which counts what it gives. */
struct running {
    struct counting_os counting;
    struct vidmm_os os;
    struct policy_run run;
};

static void running_start(struct running *running, const struct vidmm_policy *policy) {
    memset(running, 0, sizeof(*running));
    running->os = counting_os_view(&running->counting);
    assert_true(policy_start(&running->run, policy, &running->os, no_memory, false));
}

static bool is_odd(void *ctx, const struct resident *resident) {
    (void)ctx;
    return ((uintptr_t)resident->owner & 1u) != 0;
}

/* ---- The order -------------------------------------------------------------------------------- */

static uint64_t most_used_first(void *policy, struct vidmm_candidate *candidate, bool write) {
    (void)policy;
    (void)write;
    return UINT64_MAX - candidate->uses;
}

static const struct vidmm_policy odd_policy = {
    .version = VIDMM_POLICY_VERSION, .name = "most used", .used = most_used_first};

static uint64_t expected_rank(const struct vidmm_policy *policy, const struct resident *r) {
    return policy == &odd_policy && r->facts.uses ? UINT64_MAX - r->facts.uses : r->facts.last_use;
}

/* The victim is none that the policy would evict after another, dirt aside. */
static void check_victim(struct resident_queue *queue, const struct resident *residents,
                         resident_eligible *eligible) {
    const struct vidmm_policy *policy = queue->run->policy;
    const struct resident *victim = resident_victim(queue, eligible, NULL);
    for (uint32_t i = 0; i < RESIDENTS; i++) {
        const struct resident *r = &residents[i];
        if (!r->queue || (eligible && !eligible(NULL, r)))
            continue;
        assert_non_null(victim);
        assert_true(victim->facts.priority <= r->facts.priority);
        if (victim->facts.priority == r->facts.priority)
            assert_true(expected_rank(policy, victim) <= expected_rank(policy, r));
    }
    if (victim)
        assert_true(victim->queue == queue && (!eligible || eligible(NULL, victim)));
}

static uint32_t random_priority(uint64_t *seed, bool documented) {
    static const uint32_t priorities[] = {0x28000000, 0x50000000, 0x78000000, 0xa0000000,
                                          0xc8000000};
    return documented ? priorities[below(seed, 5)] : below(seed, 1u << 31) * 2u + 1u;
}

static void churn(const struct vidmm_policy *policy, bool documented, uint64_t seed) {
    struct running running;
    struct resident_queue queue;
    struct resident *residents = calloc(RESIDENTS, sizeof(*residents));
    uint64_t number = 1;
    running_start(&running, policy);
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < RESIDENTS; i++) {
        residents[i].facts.priority = random_priority(&seed, documented);
        residents[i].owner = (void *)(uintptr_t)i;
    }
    for (uint32_t i = 0; i < 5000; i++) {
        struct resident *r = &residents[below(&seed, RESIDENTS)];
        switch (below(&seed, 5)) {
        case 0:
            resident_set_priority(&running.run, r, random_priority(&seed, documented));
            break;
        case 1:
            resident_remove(r);
            break;
        case 2:
            r->facts.clean = below(&seed, 2) != 0;
            number += below(&seed, 2);
            resident_use(&running.run, r, number, false);
            break;
        default:
            if (!r->queue)
                resident_add(&queue, r);
        }
        check_victim(&queue, residents, below(&seed, 2) ? is_odd : NULL);
    }
    for (uint32_t i = 0; i < RESIDENTS; i++)
        resident_remove(&residents[i]);
    assert_int_equal(queue.count, 0);
    assert_null(queue.order.root);
    assert_null(resident_victim(&queue, NULL, NULL));
    policy_stop(&running.run);
    free(residents);
}

static void the_victim_is_what_the_policy_evicts_first(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        print_message("seed %llu\n", (unsigned long long)seed);
        churn(&vidmm_policy_lru, true, seed * 0x9e3779b97f4a7c15ull);
        churn(&vidmm_policy_lru, false, seed * 0x9e3779b97f4a7c15ull);
        churn(&odd_policy, true, seed * 0x9e3779b97f4a7c15ull);
    }
}

/* What is used again and again need not move each time: its place is looked for when a victim is. */
static void a_use_costs_no_steps(void **state) {
    (void)state;
    struct running running;
    struct resident_queue queue;
    struct resident residents[RESIDENTS] = {0};
    running_start(&running, &vidmm_policy_lru);
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < RESIDENTS; i++)
        resident_add(&queue, &residents[i]);
    uint64_t steps = queue.order.steps;
    for (uint32_t i = RESIDENTS; i-- > 0;)
        resident_use(&running.run, &residents[i], 2 * RESIDENTS - i, false);
    assert_int_equal(queue.order.steps, steps);
    for (uint32_t i = RESIDENTS; i-- > 0;) {
        assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[i]);
        resident_remove(&residents[i]);
    }
    policy_stop(&running.run);
}

static void a_clean_one_goes_first_among_equals(void **state) {
    (void)state;
    struct running running;
    struct resident_queue queue;
    struct resident residents[3];
    memset(residents, 0, sizeof(residents));
    running_start(&running, &vidmm_policy_lru);
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < 3; i++) {
        residents[i].facts.priority = 0x78000000;
        resident_add(&queue, &residents[i]);
        resident_use(&running.run, &residents[i], 7, false);
    }
    residents[2].facts.clean = true;
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[2]);
    resident_use(&running.run, &residents[2], 8, false);
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[0]);
    policy_stop(&running.run);
}

static void what_is_not_needed_soon_goes_first(void **state) {
    (void)state;
    struct running running;
    struct resident_queue queue;
    struct resident residents[2];
    memset(residents, 0, sizeof(residents));
    running_start(&running, &vidmm_policy_lru);
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < 2; i++) {
        resident_add(&queue, &residents[i]);
        resident_use(&running.run, &residents[i], i + 3, false);
    }
    resident_dismiss(&residents[1]);
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[1]);
    policy_stop(&running.run);
}

/* ---- What a policy is told and asked ---------------------------------------------------------- */

static char told[256];

static void note(const char *word, uint64_t number) {
    size_t length = strlen(told);
    snprintf(told + length, sizeof(told) - length, "%s%s %u", length ? "; " : "", word,
             (unsigned)number);
}

struct spy {
    const struct vidmm_policy_host *host;
    uint32_t refusals; /* left */
};

static bool spy_init(const struct vidmm_policy_host *host, void **policy) {
    struct spy *spy = host->alloc(host->ctx, sizeof(*spy));
    if (!spy)
        return false;
    spy->host = host;
    *policy = spy;
    note("init", 0);
    return true;
}

static void spy_done(void *policy) {
    struct spy *spy = policy;
    note("done", 0);
    spy->host->free(spy->host->ctx, spy, sizeof(*spy));
}

static uint64_t spy_used(void *policy, struct vidmm_candidate *candidate, bool write) {
    (void)policy;
    note(write ? "written" : "read", candidate->last_use);
    return 100 - candidate->size;
}

static uint64_t spy_admitted(void *policy, struct vidmm_candidate *candidate) {
    (void)policy;
    note("admitted", candidate->segment);
    return 100 - candidate->size;
}

static void spy_evicted(void *policy, struct vidmm_candidate *candidate) {
    (void)policy;
    note("evicted", candidate->segment);
}

static void spy_freed(void *policy, struct vidmm_candidate *candidate) {
    (void)policy;
    note("freed", candidate->size);
}

static void spy_submitted(void *policy, uint64_t number) {
    (void)policy;
    note("submitted", number);
}

static bool spy_victim(void *policy, struct vidmm_candidate *candidate, uint64_t *rank) {
    struct spy *spy = policy;
    (void)candidate;
    if (spy->refusals == 0)
        return true;
    spy->refusals--;
    *rank += 100;
    return false;
}

static const struct vidmm_policy spy_policy = {.version = VIDMM_POLICY_VERSION,
                                               .name = "spy",
                                               .init = spy_init,
                                               .done = spy_done,
                                               .used = spy_used,
                                               .admitted = spy_admitted,
                                               .evicted = spy_evicted,
                                               .freed = spy_freed,
                                               .submitted = spy_submitted,
                                               .victim = spy_victim};

static void each_event_is_told_once_and_in_order(void **state) {
    (void)state;
    struct running running;
    struct resident one;
    memset(&one, 0, sizeof(one));
    told[0] = 0;
    running_start(&running, &spy_policy);
    resident_use(&running.run, &one, 4, true);
    resident_use(&running.run, &one, 4, true); /* the submission was tried again */
    resident_moved(&running.run, &one, 2);
    policy_submitted(&running.run, 4);
    policy_submitted(&running.run, 4);
    resident_use(&running.run, &one, 5, false);
    resident_moved(&running.run, &one, 1);
    resident_freed(&running.run, &one);
    policy_stop(&running.run);
    assert_string_equal(told, "init 0; written 4; admitted 2; submitted 4; read 5; evicted 2; "
                              "admitted 1; evicted 1; freed 0; done 0");
    assert_int_equal(running.counting.blocks, 0);
}

static void a_victim_may_be_spared_but_not_for_ever(void **state) {
    (void)state;
    struct running running;
    struct resident_queue queue;
    struct resident residents[3];
    memset(residents, 0, sizeof(residents));
    running_start(&running, &spy_policy);
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < 3; i++) {
        residents[i].facts.size = i;
        resident_use(&running.run, &residents[i], 1, false);
        resident_add(&queue, &residents[i]);
    }
    struct spy *spy = running.run.own;
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[2]);
    spy->refusals = 1;
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[1]);
    spy->refusals = UINT32_MAX;
    assert_non_null(resident_victim(&queue, NULL, NULL));
    policy_stop(&running.run);
}

static void a_list_has_the_order_of_its_allocations(void **state) {
    (void)state;
    struct running running;
    struct resident_queue list;
    struct resident allocations[2], entries[2];
    memset(allocations, 0, sizeof(allocations));
    memset(entries, 0, sizeof(entries));
    running_start(&running, &vidmm_policy_lru);
    resident_queue_init(&list, &running.run);
    for (uint32_t i = 0; i < 2; i++) {
        resident_follow(&allocations[i], &entries[i]);
        resident_add(&list, &entries[i]);
        resident_use(&running.run, &allocations[i], 9 - i, false);
    }
    assert_ptr_equal(resident_victim(&list, NULL, NULL), &entries[1]);
    resident_use(&running.run, &allocations[1], 10, false);
    assert_ptr_equal(resident_victim(&list, NULL, NULL), &entries[0]);
    resident_unfollow(&allocations[0], &entries[0]);
    resident_use(&running.run, &allocations[0], 11, false);
    assert_ptr_equal(resident_victim(&list, NULL, NULL), &entries[0]);
    policy_stop(&running.run);
}

/* ---- What it costs ---------------------------------------------------------------------------- */

/* Steps of a use, and of a victim that leaves and comes back, among `count`. */
static uint64_t steps_among(uint32_t count) {
    const uint32_t tries = 1000;
    struct running running;
    struct resident_queue queue;
    struct resident *residents = calloc(count, sizeof(*residents));
    uint64_t seed = 7;
    assert_non_null(residents);
    running_start(&running, &odd_policy);
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < count; i++) {
        residents[i].rank = random64(&seed);
        resident_add(&queue, &residents[i]);
    }
    queue.order.steps = 0;
    for (uint32_t i = 0; i < tries; i++) {
        resident_use(&running.run, &residents[below(&seed, count)], i + 1, false);
        struct resident *victim = resident_victim(&queue, NULL, NULL);
        resident_remove(victim);
        victim->rank = random64(&seed);
        resident_add(&queue, victim);
    }
    policy_stop(&running.run);
    free(residents);
    return queue.order.steps / tries;
}

static void a_victim_costs_logarithmic_steps(void **state) {
    (void)state;
    uint64_t few = steps_among(1000), many = steps_among(1000000);
    print_message("%u steps among 1e3, %u among 1e6\n", (unsigned)few, (unsigned)many);
    assert_true(few >= 10); /* it counts */
    assert_true(many <= 3 * few);
}

/* ---- The guard -------------------------------------------------------------------------------- */

#define ROOM 64u /* pages of memory, an allocation each */
#define MOST 160u
#define USES 20000u

/* Which allocation use `i` of a trace is of. */
typedef uint32_t trace(uint32_t i, uint64_t *seed);

static uint32_t loop_trace(uint32_t i, uint64_t *seed) {
    (void)seed;
    return i % (ROOM + ROOM / 5);
}

static uint32_t random_trace(uint32_t i, uint64_t *seed) {
    (void)i;
    return below(seed, MOST);
}

/* Half of the uses are of a few. */
static uint32_t skewed_trace(uint32_t i, uint64_t *seed) {
    (void)i;
    return below(seed, below(seed, 2) ? ROOM / 2 : MOST);
}

/* What moves on is used for a while and never again; regular for a prediction until then. */
static uint32_t moving_trace(uint32_t i, uint64_t *seed) {
    return (i / 40 + below(seed, ROOM / 2)) % MOST;
}

/* A loop, then anything, in turn. */
static uint32_t mixed_trace(uint32_t i, uint64_t *seed) {
    return i / 3000 % 2 ? random_trace(i, seed) : loop_trace(i, seed);
}

static bool lets_in(const struct policy_run *run, const struct resident *coming,
                    const struct resident *leaving) {
    return !leaving || !policy_exchanges(run) ||
           run->policy->exchange(run->own, &coming->facts, &leaving->facts);
}

/* Misses of a memory of ROOM pages; what is not let in is used where it is. */
static uint32_t misses_of(const struct vidmm_policy *policy, trace *next) {
    const uint64_t memory[VIDMM_POLICY_SEGMENTS + 1] = {0, ROOM * 4096u};
    struct running running;
    struct resident_queue queue;
    struct resident *residents = calloc(MOST, sizeof(*residents));
    uint64_t seed = 99;
    uint32_t misses = 0;
    assert_non_null(residents);
    memset(&running, 0, sizeof(running));
    running.os = counting_os_view(&running.counting);
    assert_true(policy_start(&running.run, policy, &running.os, memory, false));
    resident_queue_init(&queue, &running.run);
    for (uint32_t i = 0; i < USES; i++) {
        struct resident *one = &residents[next(i, &seed)];
        one->facts.size = 4096;
        one->facts.local = true;
        resident_use(&running.run, one, i + 1, false);
        struct resident *victim =
            !one->queue && queue.count == ROOM ? resident_victim(&queue, NULL, NULL) : NULL;
        misses += !one->queue;
        if (!one->queue && lets_in(&running.run, one, victim)) {
            resident_remove(victim ? victim : one);
            if (victim)
                resident_moved(&running.run, victim, 0);
            resident_add(&queue, one);
            resident_moved(&running.run, one, 1);
        }
        policy_submitted(&running.run, i + 1);
    }
    for (uint32_t i = 0; i < MOST; i++) {
        resident_remove(&residents[i]);
        resident_freed(&running.run, &residents[i]);
    }
    policy_stop(&running.run);
    assert_int_equal(running.counting.blocks, 0);
    free(residents);
    return misses;
}

static void the_adaptive_policy_never_falls_far_behind_lru(void **state) {
    (void)state;
    trace *const traces[] = {loop_trace, random_trace, skewed_trace, moving_trace, mixed_trace};
    for (uint32_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
        uint32_t lru = misses_of(&vidmm_policy_lru, traces[i]);
        uint32_t adaptive = misses_of(&vidmm_policy_adaptive, traces[i]);
        print_message("trace %u: lru %u, adaptive %u\n", i, lru, adaptive);
        assert_true(adaptive <= lru + lru / 10 + 4 * ROOM);
    }
    assert_true(2 * misses_of(&vidmm_policy_adaptive, loop_trace) <
                misses_of(&vidmm_policy_lru, loop_trace));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_victim_is_what_the_policy_evicts_first),
        cmocka_unit_test(a_use_costs_no_steps),
        cmocka_unit_test(a_clean_one_goes_first_among_equals),
        cmocka_unit_test(what_is_not_needed_soon_goes_first),
        cmocka_unit_test(each_event_is_told_once_and_in_order),
        cmocka_unit_test(a_victim_may_be_spared_but_not_for_ever),
        cmocka_unit_test(a_list_has_the_order_of_its_allocations),
        cmocka_unit_test(a_victim_costs_logarithmic_steps),
        cmocka_unit_test(the_adaptive_policy_never_falls_far_behind_lru),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
