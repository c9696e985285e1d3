/*
 * tables_test.c - page tables that nobody but the driver knows how to read: the example driver of
 * the GpuMmu model without a model of its hardware, spoiled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <vidmm/check.h>

#define UPDATE args->UpdatePageTable

static struct vidmm_check_result result;
static DRIVER_INITIALIZATION_DATA good;
static void (*spoil)(DXGKARG_BUILDPAGINGBUFFER *args);

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER spoiled = *args;
    if (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE)
        return good.DxgkDdiBuildPagingBuffer(adapter, args);
    spoil(&spoiled);
    return good.DxgkDdiBuildPagingBuffer(adapter, &spoiled);
}

static void install(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build;
}

static const struct vidmm_finding *examine_stage(const char *stage,
                                                 void (*spoils)(DRIVER_INITIALIZATION_DATA *)) {
    const struct vidmm_spoiler spoiler = {.driver = spoils};
    const struct vidmm_check_options options = {.driver_path = DRIVERS "/gpummu.so",
                                                .stage = stage,
                                                .spoiler = spoils ? &spoiler : NULL,
                                                .seed = 1,
                                                .timeout_ms = 60000};
    vidmm_check(&options, &result);
    return result.ledger.findings != 0 ? &result.ledger.finding[0] : NULL;
}

static const struct vidmm_finding *examine(void (*with)(DXGKARG_BUILDPAGINGBUFFER *args)) {
    spoil = with;
    return examine_stage("paging", with ? install : NULL);
}

static void assert_named(void (*with)(DXGKARG_BUILDPAGINGBUFFER *args), uint32_t rule) {
    const struct vidmm_finding *first = examine(with);
    assert_non_null(first);
    assert_int_equal(first->kind, VIDMM_FINDING_RULE);
    assert_int_equal(first->rule, rule);
}

static void nothing_is_said_of_tables_that_are_right(void **state) {
    (void)state;
    assert_null(examine(NULL));
    assert_true(result.ledger.kept[215] > 100);
}

static void at_the_start_of_the_table(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (UPDATE.PageTableLevel == 0)
        UPDATE.StartIndex = 0;
}

static void always_the_first(DXGKARG_BUILDPAGINGBUFFER *args) {
    UPDATE.Flags.Repeat = 1;
}

static void one_too_few(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (UPDATE.NumPageTableEntries > 1)
        UPDATE.NumPageTableEntries--;
}

static DXGK_PTE changed[512];

static void of_even_pages(DXGKARG_BUILDPAGINGBUFFER *args) {
    uint32_t count = UPDATE.Flags.Repeat ? 1 : UPDATE.NumPageTableEntries;
    for (uint32_t i = 0; i < count; i++) {
        changed[i] = UPDATE.pPageTableEntries[i];
        changed[i].PageAddress &= ~(UINT64)1;
    }
    UPDATE.pPageTableEntries = changed;
}

static void entries_in_the_wrong_place_are_seen_without_a_model(void **state) {
    (void)state;
    assert_named(at_the_start_of_the_table, 215);
    assert_named(one_too_few, 215);
}

static void entries_that_say_something_else_are_seen_without_a_model(void **state) {
    (void)state;
    assert_named(always_the_first, 215);
    assert_named(of_even_pages, 215);
}

static void write_nothing(DXGKARG_BUILDPAGINGBUFFER *args) {
    UPDATE.NumPageTableEntries = 0;
}

static void entries_that_come_later_are_seen_without_a_model(void **state) {
    (void)state;
    assert_named(write_nothing, 211);
}

/* Hardware with pages of 64 KB: what points inside of them is not written. */
static void first_of_sixteen(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (UPDATE.PageTableLevel != 0 || UPDATE.Flags.InitialUpdate)
        return;
    uint32_t first = (16 - UPDATE.StartIndex % 16) % 16, count = UPDATE.NumPageTableEntries;
    volatile ULONG64 *table = UPDATE.PageTableAddress.CpuVirtual;
    for (uint32_t i = first; i < count; i += 16) {
        const DXGK_PTE *entry = &UPDATE.pPageTableEntries[UPDATE.Flags.Repeat ? 0 : i];
        table[UPDATE.StartIndex + i] =
            entry->Valid ? entry->PageAddress << 12 | (ULONG64)entry->Segment << 1 | 1 : 0;
    }
    UPDATE.NumPageTableEntries = 0;
}

static void entries_inside_of_larger_pages_may_be_left_out(void **state) {
    (void)state;
    examine(first_of_sixteen);
    assert_int_equal(result.ledger.broken[215], 0);
    assert_int_equal(result.ledger.broken[211], 0);
}

/* ---- Rights ---------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY query_with_rights(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_GPUMMUCAPS)
        ((DXGK_GPUMMUCAPS *)args->pOutputData)->ReadOnlyMemorySupported = 1;
    return status;
}

static void without_rights(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_with_rights;
}

#define READ_ONLY ((ULONG64)1 << 60) /* a bit of an entry that its format leaves free */

/* As the driver writes them, with a bit besides. */
static NTSTATUS APIENTRY build_with_rights(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || UPDATE.PageTableLevel != 0)
        return status;
    volatile ULONG64 *table = UPDATE.PageTableAddress.CpuVirtual;
    for (uint32_t i = 0; i < UPDATE.NumPageTableEntries; i++) {
        const DXGK_PTE *entry = &UPDATE.pPageTableEntries[UPDATE.Flags.Repeat ? 0 : i];
        if (entry->Valid && entry->ReadOnly)
            table[UPDATE.StartIndex + i] |= READ_ONLY;
    }
    return status;
}

static void with_rights(DRIVER_INITIALIZATION_DATA *table) {
    without_rights(table);
    table->DxgkDdiBuildPagingBuffer = build_with_rights;
}

static void rights_that_are_left_out_are_seen_without_a_model(void **state) {
    (void)state;
    const struct vidmm_finding *first = examine_stage("residency", without_rights);
    assert_non_null(first);
    assert_int_equal(first->rule, 472);
    assert_int_equal(result.ledger.findings, 1);
}

static void rights_that_are_written_are_seen_without_a_model(void **state) {
    (void)state;
    (void)examine_stage("residency", with_rights);
    assert_int_equal(result.ledger.broken[472], 0);
    assert_true(result.ledger.kept[472] != 0);
}

/* Its memory begins at 4 GiB for the GPU, where system memory has pages, too: which of them lie at the same
 * addresses as surfaces is up to the seed. */
static void a_page_of_system_memory_is_no_page_of_the_segment(void **state) {
    (void)state;
    for (uint64_t seed = 8; seed < 20; seed++) {
        const struct vidmm_check_options options = {.driver_path = DRIVERS "/gpummu.so",
                                                    .stage = "paging",
                                                    .seed = seed,
                                                    .timeout_ms = 60000};
        vidmm_check(&options, &result);
        assert_int_equal(result.ledger.findings, 0);
        assert_true(result.ledger.kept[240] != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_of_tables_that_are_right),
        cmocka_unit_test(entries_in_the_wrong_place_are_seen_without_a_model),
        cmocka_unit_test(entries_that_say_something_else_are_seen_without_a_model),
        cmocka_unit_test(entries_that_come_later_are_seen_without_a_model),
        cmocka_unit_test(rights_that_are_left_out_are_seen_without_a_model),
        cmocka_unit_test(rights_that_are_written_are_seen_without_a_model),
        cmocka_unit_test(a_page_of_system_memory_is_no_page_of_the_segment),
        cmocka_unit_test(entries_inside_of_larger_pages_may_be_left_out),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
