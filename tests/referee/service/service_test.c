/*
 * service_test.c - what user mode asked of a manager and was answered, against the page tables: where
 * addresses lead when work is submitted, and the protection of reserved addresses.
 */
#include <string.h>

#include "paging_fixture.h"

#define RESERVATIONS 100u
#define UNIT         UINT64_C(0x10000) /* of reservations */
#define FLUSHES      200u              /* that are over before what is built in front of them */

/* Work is about to be submitted to another node than the paging work: it uses the first page of
 * the allocation there, or (NULL) must not reach anything there. */
static void begin_work_at(uint64_t va, HANDLE allocation) {
    const struct vidmm_request_record record = {.service = VIDMM_SERVICE_WORK,
                                                .work = {.process = &fixture.process[0],
                                                         .allocation = allocation,
                                                         .node = 1,
                                                         .va = va,
                                                         .size = PAGE}};
    vidmm_referee_judge_request(fixture.referee, &record);
}

static void begin_work(HANDLE allocation) {
    begin_work_at(0, allocation);
}

static void work_begins_when_the_flush_of_its_addresses_is_complete(void **state) {
    (void)state;
    DXGK_PTE entry = fixture_page(8);
    fixture_make_tables();
    fixture_gpu_has(8);
    fixture_submit(fixture_update(0, LEAF, &entry), 1);
    fixture_submit(fixture_flush_of(0, PAGE), 2);
    vidmm_referee_completed(fixture.referee, 0, 0, 1);
    begin_work(&fixture);
    assert_int_equal(fixture.ledger->broken[231], 1);
    vidmm_referee_completed(fixture.referee, 0, 0, 2);
    begin_work(&fixture);
    assert_int_equal(fixture.ledger->broken[231], 1);
    assert_int_equal(fixture.ledger->broken[287], 0);
}

static void work_begins_when_what_it_must_not_reach_is_cleared(void **state) {
    (void)state;
    DXGK_PTE nothing = {.Flags = 0};
    fixture_make_tables();
    fixture_gpu_has(8);
    fixture_map(8);
    fixture_submit(fixture_update(0, LEAF, &nothing), 1);
    begin_work(NULL);
    assert_int_equal(fixture.ledger->broken[287], 1);
    fixture.answer.valid = false;
    vidmm_referee_completed(fixture.referee, 0, 0, 1);
    begin_work(NULL);
    assert_int_equal(fixture.ledger->broken[287], 1);
}

/* The driver writes nothing into the paging buffer for a flush: it is over at once, and settled
 * once the update in front of it is complete. */
static void every_flush_counts_that_waits_for_the_work_in_front_of_it(void **state) {
    (void)state;
    DXGK_PTE entry = fixture_page(8);
    fixture_make_tables();
    DXGKARG_BUILDPAGINGBUFFER update = fixture_update(0, LEAF, &entry);
    update.UpdatePageTable.Flags.Repeat = 1;
    update.UpdatePageTable.NumPageTableEntries = FLUSHES;
    fixture_submit(update, 1);
    for (uint64_t i = 0; i < FLUSHES; i++)
        fixture_flush(i * PAGE, (i + 1) * PAGE);
    fixture_gpu_has(8);
    vidmm_referee_completed(fixture.referee, 0, 0, 1);
    for (uint64_t i = 0; i < FLUSHES; i++)
        begin_work_at(i * PAGE, &fixture);
    assert_int_equal(fixture.ledger->broken[231], 0);
    assert_int_equal(fixture.ledger->broken[287], 0);
}

/* Reservation `number` has addresses of its own and its number + 1 as protection. */
static void reserve(uint64_t number) {
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_RESERVE,
                                          .answer = VIDMM_ANSWER_GRANTED};
    record.addresses.size = UNIT;
    record.addresses.va = record.addresses.base = number * UNIT;
    record.addresses.driver_protection = number + 1;
    vidmm_referee_judge_request(fixture.referee, &record);
}

static void update_with(uint64_t number, uint64_t protection) {
    DXGK_PTE entry = fixture_page(8);
    DXGKARG_BUILDPAGINGBUFFER args = fixture_update(0, LEAF, &entry);
    args.UpdatePageTable.hAllocation = &fixture;
    args.UpdatePageTable.FirstPteVirtualAddress = number * UNIT;
    args.UpdatePageTable.StartIndex = (UINT)(number * UNIT / PAGE) % ENTRIES;
    args.UpdatePageTable.DriverProtection = protection;
    fixture_do(args);
}

static void each_of_many_reservations_has_its_protection(void **state) {
    (void)state;
    fixture_make_tables();
    for (uint64_t i = 0; i < RESERVATIONS; i++)
        reserve(i);
    for (uint64_t i = 0; i < RESERVATIONS; i++)
        update_with(i, i + 1);
    assert_int_equal(fixture.ledger->broken[302], 0);
    for (uint64_t i = 0; i < RESERVATIONS; i++)
        update_with(i, i + 2);
    assert_int_equal(fixture.ledger->broken[302], RESERVATIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_begins_when_the_flush_of_its_addresses_is_complete,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(work_begins_when_what_it_must_not_reach_is_cleared,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(every_flush_counts_that_waits_for_the_work_in_front_of_it,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(each_of_many_reservations_has_its_protection, fixture_open,
                                        fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
