/*
 * The order of eviction: priority, then least recent use, then clean; for any other policy,
 * whatever it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static void lru_orders_by_priority_then_use_then_cleanness(void **state) {
    (void)state;
    const struct vidmm_candidate low = {.priority = 1, .last_use = 9};
    const struct vidmm_candidate old = {.priority = 2, .last_use = 3};
    const struct vidmm_candidate recent = {.priority = 2, .last_use = 4};
    const struct vidmm_candidate clean = {.priority = 2, .last_use = 4, .clean = true};
    const struct vidmm_candidate *order[] = {&low, &old, &clean, &recent};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++)
            assert_int_equal(vidmm_policy_lru.before(order[i], order[j]), i < j);
    }
}

static bool is_odd(void *ctx, const struct resident *resident) {
    (void)ctx;
    return ((uintptr_t)resident->owner & 1u) != 0;
}

static bool most_used_first(const struct vidmm_candidate *a, const struct vidmm_candidate *b) {
    return a->uses != b->uses ? a->uses > b->uses : a->last_use < b->last_use;
}

static const struct vidmm_policy odd_policy = {.name = "most used", .before = most_used_first};

/* The victim is none that the policy would evict after another, dirt aside. */
static void check_victim(const struct resident_queue *queue, const struct resident *residents,
                         resident_eligible *eligible) {
    const struct resident *victim = resident_victim(queue, eligible, NULL);
    for (uint32_t i = 0; i < RESIDENTS; i++) {
        const struct resident *r = &residents[i];
        if (!r->queued || (eligible && !eligible(NULL, r)))
            continue;
        assert_non_null(victim);
        struct vidmm_candidate a = r->facts, b = victim->facts;
        a.clean = b.clean = false;
        assert_false(queue->policy->before(&a, &b));
    }
    if (victim)
        assert_true(victim->queued && (!eligible || eligible(NULL, victim)));
}

static uint32_t random_priority(uint64_t *seed, bool documented) {
    static const uint32_t priorities[] = {0x28000000, 0x50000000, 0x78000000, 0xa0000000,
                                          0xc8000000};
    return documented ? priorities[below(seed, 5)] : below(seed, 1u << 31) * 2u + 1u;
}

static void churn(const struct vidmm_policy *policy, bool documented, uint64_t seed) {
    struct resident_queue queue;
    struct resident *residents = calloc(RESIDENTS, sizeof(*residents));
    uint64_t number = 1;
    resident_queue_init(&queue, policy);
    for (uint32_t i = 0; i < RESIDENTS; i++) {
        residents[i].facts.priority = random_priority(&seed, documented);
        residents[i].owner = (void *)(uintptr_t)i;
    }
    for (uint32_t i = 0; i < 5000; i++) {
        struct resident *r = &residents[below(&seed, RESIDENTS)];
        switch (below(&seed, 5)) {
        case 0:
            resident_set_priority(&queue, r, random_priority(&seed, documented));
            break;
        case 1:
            resident_remove(&queue, r);
            break;
        case 2:
            r->facts.clean = below(&seed, 2) != 0;
            number += below(&seed, 2);
            resident_touch(&queue, r, number);
            break;
        default:
            if (!r->queued)
                resident_add(&queue, r);
        }
        check_victim(&queue, residents, below(&seed, 2) ? is_odd : NULL);
    }
    for (uint32_t i = 0; i < RESIDENTS; i++)
        resident_remove(&queue, &residents[i]);
    assert_int_equal(queue.count, 0);
    assert_int_equal(queue.map, 0);
    assert_null(resident_victim(&queue, NULL, NULL));
    free(residents);
}

static void the_victim_is_what_the_policy_evicts_first(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        print_message("seed %llu\n", (unsigned long long)seed);
        churn(NULL, true, seed * 0x9e3779b97f4a7c15ull);
        churn(NULL, false, seed * 0x9e3779b97f4a7c15ull);
        churn(&odd_policy, true, seed * 0x9e3779b97f4a7c15ull);
    }
}

static void a_clean_one_goes_first_among_equals(void **state) {
    (void)state;
    struct resident_queue queue;
    struct resident residents[3];
    memset(residents, 0, sizeof(residents));
    resident_queue_init(&queue, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        residents[i].facts.priority = 0x78000000;
        resident_add(&queue, &residents[i]);
        resident_touch(&queue, &residents[i], 7);
    }
    residents[2].facts.clean = true;
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[2]);
    resident_touch(&queue, &residents[2], 8);
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[0]);
}

static void what_was_never_used_goes_first(void **state) {
    (void)state;
    struct resident_queue queue;
    struct resident residents[2];
    memset(residents, 0, sizeof(residents));
    resident_queue_init(&queue, NULL);
    resident_add(&queue, &residents[0]);
    resident_touch(&queue, &residents[0], 3);
    resident_add(&queue, &residents[1]);
    assert_ptr_equal(resident_victim(&queue, NULL, NULL), &residents[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_orders_by_priority_then_use_then_cleanness),
        cmocka_unit_test(the_victim_is_what_the_policy_evicts_first),
        cmocka_unit_test(a_clean_one_goes_first_among_equals),
        cmocka_unit_test(what_was_never_used_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
