/*
 * keyed_test.c - tables of objects by a number, and lists of what belongs to an object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "state/chain.h"
#include "state/keyed.h"

#define OBJECTS 5000u

struct object {
    struct keyed keyed;
    struct chain_link of_even, of_third;
};

static struct object objects[OBJECTS];

static void every_object_is_found_by_its_number_until_it_is_removed(void **state) {
    (void)state;
    struct keyed_table table = {.first = NULL};
    assert_null(keyed_find(&table, 0));
    for (uint64_t i = 0; i < OBJECTS; i++)
        assert_true(keyed_add(&table, &objects[i].keyed, i << 12));
    for (uint64_t i = 0; i < OBJECTS; i += 2)
        keyed_remove(&table, &objects[i].keyed);
    for (uint64_t i = 0; i < OBJECTS; i++)
        assert_ptr_equal(keyed_find(&table, i << 12), i % 2 != 0 ? &objects[i].keyed : NULL);
    assert_int_equal(table.count, OBJECTS / 2);
    keyed_clear(&table);
}

static void the_newest_with_a_number_is_found_first_and_the_list_is_in_their_order(void **state) {
    (void)state;
    struct keyed_table table = {.first = NULL};
    for (uint64_t i = 0; i < OBJECTS; i++)
        assert_true(keyed_add(&table, &objects[i].keyed, i % 7));
    const struct keyed *at = keyed_find(&table, 3);
    for (uint64_t i = OBJECTS; i-- > 0;) {
        if (i % 7 != 3)
            continue;
        assert_ptr_equal(at, &objects[i].keyed);
        at = keyed_find_older(at);
    }
    assert_null(at);
    at = table.first;
    for (uint64_t i = 0; i < OBJECTS; i++, at = at->after)
        assert_ptr_equal(at, &objects[i].keyed);
    keyed_clear(&table);
}

static void what_is_in_two_lists_leaves_one_alone(void **state) {
    (void)state;
    struct chain even = {.count = 0}, third = {.count = 0};
    for (uint32_t i = 0; i < 12; i++) {
        objects[i] = (struct object){.keyed = {.key = i}};
        if (i % 2 == 0)
            chain_join(&even, &objects[i].of_even);
        if (i % 3 == 0)
            chain_join(&third, &objects[i].of_third);
    }
    chain_leave(&objects[6].of_even);
    chain_leave(&objects[6].of_even); /* it is in none by now */
    chain_leave(&objects[0].of_third);
    chain_join(&third, &objects[3].of_third); /* the last from now on */
    static const uint64_t want[] = {6, 9, 3};
    uint32_t count = 0;
    for (struct chain_link *at = third.first; at; at = at->after)
        assert_int_equal(CHAIN_OWNER(struct object, of_third, at)->keyed.key, want[count++]);
    assert_int_equal(count, third.count);
    assert_int_equal(even.count, 5);
    chain_part(&even);
    assert_null(even.first);
    assert_null(objects[2].of_even.chain);
    assert_int_equal(third.count, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object_is_found_by_its_number_until_it_is_removed),
        cmocka_unit_test(the_newest_with_a_number_is_found_first_and_the_list_is_in_their_order),
        cmocka_unit_test(what_is_in_two_lists_leaves_one_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
