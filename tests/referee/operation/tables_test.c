/*
 * tables_test.c - the referee's page tables against what an MMU says, for what the operations say.
 */
#include "paging_fixture.h"

/* ---- Properties ------------------------------------------------------------------------------ */

static void what_the_entries_say_is_compared_with_the_mmu(void **state) {
    (void)state;
    fixture_make_tables();
    assert_int_equal(fixture.ledger->broken[211], 0);
    fixture.answer = (struct vidmm_referee_translation){.valid = true, .address = 7 * PAGE};
    fixture.ledger->broken[211] = fixture.asked = 0;
    fixture_map(8);
    assert_true(fixture.asked != 0);
    assert_true(fixture.ledger->broken[211] != 0);
}

static void tables_that_were_never_filled_are_the_managers_fault(void **state) {
    (void)state;
    fixture_fill_first(1, ROOT);
    fixture_map(8);
    assert_int_equal(fixture.ledger->broken[208], 1);
}

static void an_entry_leads_to_tables_that_were_filled_only(void **state) {
    (void)state;
    DXGK_PTE link = fixture_page(LEAF / PAGE);
    fixture_fill_first(1, ROOT);
    fixture_do(fixture_update(1, ROOT, &link));
    assert_int_equal(fixture.ledger->broken[208], 1);
}

static void a_tlb_is_judged_after_a_flush_only(void **state) {
    (void)state;
    fixture_make_tables();
    fixture.answer =
        (struct vidmm_referee_translation){.valid = true, .cached = true, .address = 7 * PAGE};
    fixture_map(8);
    assert_int_equal(fixture.ledger->broken[211], 0);
    fixture_flush(0, PAGE);
    assert_true(fixture.ledger->broken[230] != 0);
    fixture_map(9);
    fixture_flush(0, 0);
    assert_true(fixture.ledger->broken[232] != 0);
}

static void entries_beyond_the_table_break_a_rule_and_nothing_else(void **state) {
    (void)state;
    DXGK_PTE entry = fixture_page(8);
    fixture_make_tables();
    DXGKARG_BUILDPAGINGBUFFER args = fixture_update(0, LEAF, &entry);
    args.UpdatePageTable.Flags.Repeat = 1;
    args.UpdatePageTable.NumPageTableEntries = UINT32_MAX;
    fixture_do(args);
    assert_int_equal(fixture.ledger->broken[214], 1);
    args.UpdatePageTable.PageTableLevel = UINT32_MAX;
    fixture_do(args);
    assert_int_equal(fixture.ledger->broken[214], 2);
}

static void what_broke_a_rule_is_not_held_against_the_driver(void **state) {
    (void)state;
    fixture_make_tables();
    DXGK_PTE entry = fixture_page(8);
    entry.Segment = 9;
    fixture.ledger->broken[211] = 0;
    fixture_do(fixture_update(0, LEAF, &entry));
    assert_true(fixture.ledger->broken[223] != 0);
    fixture_flush(0, PAGE);
    assert_int_equal(fixture.ledger->broken[211] + fixture.ledger->broken[230], 0);
}

/* The GPU is ahead of what is complete: the new table's entry is there when what emptied the table
 * is reported, and so is something of the table that was at the place before. */
static void
a_table_at_the_place_of_another_is_compared_once_its_own_changes_are_done(void **state) {
    (void)state;
    DXGK_PTE link = fixture_page(LEAF / PAGE), old = fixture_page(8), new = fixture_page(9);
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = &link};
    DXGKARG_BUILDPAGINGBUFFER step[] = {fixture_first(1, ROOT_2), fixture_update(1, ROOT_2, &link),
                                        fixture_first(0, LEAF), fixture_update(0, LEAF, &new)};
    fixture_make_tables();
    fixture.table.DxgkDdiCreateProcess(NULL, &process);
    for (uint32_t i = 0; i < 4; i++)
        step[i].UpdatePageTable.hProcess = &fixture.process[1];
    fixture_do(step[0]);
    fixture_submit(fixture_update(0, LEAF, &old), 1);
    fixture_submit(step[2], 2);
    fixture_submit(step[1], 3);
    fixture_submit(step[3], 4);
    fixture_gpu_has(9);
    for (uint32_t fence = 1; fence < 4; fence++)
        vidmm_referee_completed(fixture.referee, 0, 0, fence);
    assert_int_equal(fixture.ledger->broken[215], 0);
    assert_int_equal(fixture.ledger->broken[210], 0);
    uint32_t before = fixture.asked;
    vidmm_referee_completed(fixture.referee, 0, 0, 4);
    assert_true(fixture.asked > before);
    assert_int_equal(fixture.ledger->broken[215], 0);
    fixture_submit(step[3], 5);
    fixture_gpu_has(7);
    vidmm_referee_completed(fixture.referee, 0, 0, 5);
    assert_int_equal(fixture.ledger->broken[210], 1); /* nothing wrote the table's memory */
}

/* An update by the CPU changes entries while the driver has the call, in which other work ends. */
static void entries_are_left_alone_while_the_driver_changes_them(void **state) {
    (void)state;
    DXGK_PTE entry = fixture_page(8);
    fixture_gpu_has(8);
    fixture.answer.valid = false;
    fixture_make_tables();
    fixture_submit(fixture_update(0, LEAF, &entry), 1);
    fixture_gpu_has(9);
    fixture.completes = 1;
    fixture_map(9);
    assert_int_equal(fixture.ledger->broken[211] + fixture.ledger->broken[215], 0);
    assert_true(fixture.asked != 0);
}

/* The page can be read either way (docs/readings.md). */
static void zero_without_valid_may_be_a_zero_page_or_a_fault(void **state) {
    (void)state;
    DXGK_PTE entry = {.Zero = 1};
    fixture_make_tables();
    for (uint32_t zero = 0; zero < 2; zero++) {
        fixture.answer = (struct vidmm_referee_translation){.valid = zero, .zero = zero};
        fixture.first_page = true;
        fixture_do(fixture_update(0, LEAF, &entry));
        fixture_flush(0, PAGE);
    }
    assert_int_equal(fixture.ledger->broken[211] + fixture.ledger->broken[215], 0);
    assert_int_equal(fixture.ledger->broken[221] + fixture.ledger->broken[230], 0);
}

static void a_page_with_valid_and_zero_leads_to_no_memory(void **state) {
    (void)state;
    DXGK_PTE entry = {.Valid = 1, .Zero = 1};
    fixture_make_tables();
    fixture.answer = (struct vidmm_referee_translation){.valid = true, .zero = true};
    fixture.first_page = true;
    fixture_do(fixture_update(0, LEAF, &entry));
    assert_int_equal(fixture.ledger->broken[221], 0);
    fixture_gpu_has(8);
    fixture_do(fixture_update(0, LEAF, &entry));
    assert_int_equal(fixture.ledger->broken[221], 1);
}

static void a_large_page_need_not_name_an_allocation(void **state) {
    (void)state;
    DXGK_PTE entry = {.Valid = 1, .LargePage = 1};
    fixture_fill_first(1, ROOT);
    fixture_do(fixture_update(1, ROOT, &entry));
    assert_int_equal(fixture.ledger->broken[219], 0);
    assert_int_equal(fixture.ledger->broken[441], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_the_entries_say_is_compared_with_the_mmu, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(tables_that_were_never_filled_are_the_managers_fault,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(an_entry_leads_to_tables_that_were_filled_only,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(a_tlb_is_judged_after_a_flush_only, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(entries_beyond_the_table_break_a_rule_and_nothing_else,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(what_broke_a_rule_is_not_held_against_the_driver,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(
            a_table_at_the_place_of_another_is_compared_once_its_own_changes_are_done, fixture_open,
            fixture_close),
        cmocka_unit_test_setup_teardown(entries_are_left_alone_while_the_driver_changes_them,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(zero_without_valid_may_be_a_zero_page_or_a_fault,
                                        fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(a_page_with_valid_and_zero_leads_to_no_memory, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(a_large_page_need_not_name_an_allocation, fixture_open,
                                        fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
