/*
 * player_virtual.c - whole runs over an adapter with GPU virtual addresses: the same workloads are
 * right, by whatever addresses and in whatever memory, and what goes wrong in an MMU is found.
 */
#include "runs.h"

static void set_mmu(struct run *run, uint64_t levels, uint64_t pages, uint64_t mode) {
    run->model = VIDMM_MODEL_GPUMMU;
    set(run, "MmuLevels", levels);
    set(run, "MmuPages", pages);
    set(run, "MmuUpdateMode", mode);
}

/* ---- Right runs ------------------------------------------------------------------------------ */

static void every_generator_is_right_with_too_little_memory(void **state) {
    (void)state;
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++) {
        struct vidmm_workload workload = generate(generators[i].name, 1);
        struct run run = {.options.frame_limit = 25};
        set_mmu(&run, 3 + i % 3, i % 3, 1 + i % 2);
        set(&run, "VramBytes", 32 * MIB);
        set(&run, "ApertureBytes", 48 * MIB);
        expect_right(&run, &workload, "32 MiB");
        assert_true(run.result.stats.ops[VIDMM_OP_UPDATE_PAGE_TABLE] > 0);
        assert_true(run.result.stats.ops[VIDMM_OP_FLUSH_TLB] > 0);
        vidmm_workload_free(&workload);
    }
}

static void recordings_are_right_and_the_same_twice(void **state) {
    (void)state;
    static const char *const names[] = {"vkcube", "openarena-tour", "ncnn-bench-cnn"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct vidmm_workload workload = recording(names[i]);
        struct run runs[2] = {{.options.frame_limit = 30}, {.options.frame_limit = 30}};
        for (uint32_t n = 0; n < 2; n++) {
            set_mmu(&runs[n], 4, 0, 2);
            set(&runs[n], "VramBytes", (workload.peak_live_bytes / 4 / MIB + 4) * MIB);
            set(&runs[n], "ApertureBytes", (workload.peak_live_bytes / 2 / MIB + 4) * MIB);
            expect_right(&runs[n], &workload, "a quarter of its peak");
        }
        assert_int_equal(runs[0].calls_hash, runs[1].calls_hash);
        assert_int_equal(runs[0].result.verified_bytes, runs[1].result.verified_bytes);
        vidmm_workload_free(&workload);
    }
}

static void every_way_to_update_page_tables_verifies_the_same_bytes(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("frame-loop", 4);
    uint64_t bytes = 0;
    for (uint64_t mode = 0; mode < 3; mode++) {
        struct run run = {.options.frame_limit = 6};
        set_mmu(&run, 4, 0, mode);
        set(&run, "VramBytes", 512 * MIB);
        expect_right(&run, &workload, "512 MiB");
        if (mode != 0)
            assert_int_equal(run.result.verified_bytes, bytes);
        bytes = run.result.verified_bytes;
    }
    vidmm_workload_free(&workload);
}

/* What is bound, copied, viewed and released changes where bytes are seen, never the bytes. */
static void tiles_and_views_lead_to_the_bytes_of_their_allocations(void **state) {
    (void)state;
    static const char *const names[] = {"tiled-resource", "address-churn"};
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t levels = 2; levels < 6; levels++) {
            struct vidmm_workload workload = generate(names[i], levels);
            struct run run = {.options.frame_limit = 20};
            set_mmu(&run, levels, levels % 3, 2);
            set(&run, "VramBytes", 40 * MIB);
            set(&run, "ApertureBytes", 24 * MIB);
            expect_right(&run, &workload, "tiles and views");
            assert_true(run.result.ranges > 0);
            assert_true(run.result.aliased > 0);
            vidmm_workload_free(&workload);
        }
    }
}

static void a_workload_with_ranges_and_offers_is_right_without_virtual_addresses(void **state) {
    (void)state;
    static const char *const names[] = {"tiled-resource", "address-churn", "offers"};
    for (size_t i = 0; i < 3; i++) {
        struct vidmm_workload workload = generate(names[i], 1);
        struct run run = {.options.frame_limit = 30, .model = VIDMM_MODEL_PHYSICAL};
        set(&run, "VramBytes", 24 * MIB);
        expect_right(&run, &workload, "physical");
        assert_int_equal(run.result.ranges, 0);
        assert_int_equal(run.result.offers, 0);
        vidmm_workload_free(&workload);
    }
}

/* A driver with an MMU that is run by physical addresses behaves as the one without. */
static void a_driver_with_an_mmu_runs_by_physical_addresses_as_before(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("level-changes", 2);
    struct run without = {.options.frame_limit = 10, .model = VIDMM_MODEL_PHYSICAL};
    struct run with = without;
    set(&without, "VramBytes", 48 * MIB);
    set(&with, "VramBytes", 48 * MIB);
    set(&with, "MmuLevels", 4);
    expect_right(&without, &workload, "without an MMU");
    expect_right(&with, &workload, "with an MMU");
    assert_memory_equal(with.result.stats.ops, without.result.stats.ops,
                        sizeof(with.result.stats.ops));
    assert_int_equal(with.result.verified_bytes, without.result.verified_bytes);
    assert_int_equal(with.result.stats.ops[VIDMM_OP_UPDATE_PAGE_TABLE], 0);
    vidmm_workload_free(&workload);
}

/* ---- Short of memory ------------------------------------------------------------------------- */

static void processes_over_their_budgets_trim_and_are_told_what_was_discarded(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("offers", 3);
    struct run tight = {.options.frame_limit = 0}, plenty = {.options.frame_limit = 0};
    set_mmu(&tight, 4, 0, 2);
    set(&tight, "VramBytes", 24 * MIB);
    expect_right(&tight, &workload, "24 MiB");
    assert_true(tight.result.trims > 0);
    assert_true(tight.result.trimmed_bytes > 0);
    assert_true(tight.result.offers > 0);
    assert_true(tight.result.discards > 0);
    assert_int_equal(tight.result.process_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(tight.result.process[i].local_budget < 24 * MIB);
    set_mmu(&plenty, 4, 0, 2);
    set(&plenty, "VramBytes", 512 * MIB);
    expect_right(&plenty, &workload, "512 MiB");
    assert_int_equal(plenty.result.trims, 0);
    assert_int_equal(plenty.result.discards, 0);
    vidmm_workload_free(&workload);
}

static void processes_on_threads_trim_each_other_and_are_right(void **state) {
    (void)state;
    static const char *const names[] = {"processes", "offers"};
    for (size_t i = 0; i < 2; i++) {
        struct vidmm_workload workload = generate(names[i], 5);
        struct run run = {.options = {.threads = 3, .frame_limit = 60}, .threads = true};
        set_mmu(&run, 4, 0, 2);
        set(&run, "VramBytes", 32 * MIB);
        set(&run, "ApertureBytes", 32 * MIB);
        expect_right(&run, &workload, "3 threads");
        assert_true(run.result.trims > 0);
        vidmm_workload_free(&workload);
    }
}

/* The event as a second process has it, with everything of its own behind the first one's. */
static struct vidmm_event of_second_process(const struct vidmm_workload *one,
                                            struct vidmm_event event) {
    event.process = 1;
    event.allocation += one->allocation_count;
    event.first += (uint32_t)one->list_count;
    event.range += one->range_count;
    event.like += event.like != VIDMM_EVENT_NOTHING ? one->range_count : 0;
    return event;
}

/* Two processes that do the same by turns. Frees `one`. */
static struct vidmm_workload two_of(struct vidmm_workload *one) {
    struct vidmm_workload both = *one;
    both.events = calloc(2 * one->event_count, sizeof(*both.events));
    both.lists = calloc(2 * one->list_count, sizeof(*both.lists));
    assert_true(both.events && both.lists);
    for (size_t i = 0; i < one->event_count; i++) {
        both.events[2 * i] = one->events[i];
        both.events[2 * i + 1] = of_second_process(one, one->events[i]);
    }
    for (size_t i = 0; i < one->list_count; i++) {
        both.lists[i] = one->lists[i];
        both.lists[one->list_count + i] = one->lists[i] + one->allocation_count;
    }
    both.event_count *= 2;
    both.list_count *= 2;
    both.allocation_count *= 2;
    both.range_count *= 2;
    both.process_count = 2;
    both.peak_live_bytes *= 2;
    vidmm_workload_free(one);
    return both;
}

/* Each allocation that is freed is looked for in all ranges of its process. */
static void processes_on_threads_leave_the_ranges_of_others_alone(void **state) {
    (void)state;
    struct vidmm_workload one = generate("address-churn", 5), workload = two_of(&one);
    struct run run = {.options = {.threads = 2, .frame_limit = 40}, .threads = true};
    set_mmu(&run, 4, 0, 2);
    set(&run, "VramBytes", 64 * MIB);
    expect_right(&run, &workload, "2 threads");
    assert_true(run.result.ranges > 0);
    vidmm_workload_free(&workload);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void memory_that_runs_out_anywhere_ends_the_run_in_order(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("address-churn", 1);
    struct run run = {.options.frame_limit = 3};
    set_mmu(&run, 4, 0, 2);
    set(&run, "VramBytes", 64 * MIB);
    expect_order_without_memory(&run, &workload, 6000, 5);
    vidmm_workload_free(&workload);
}

/* With an argument: only the tests whose names match it. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator_is_right_with_too_little_memory),
        cmocka_unit_test(recordings_are_right_and_the_same_twice),
        cmocka_unit_test(every_way_to_update_page_tables_verifies_the_same_bytes),
        cmocka_unit_test(tiles_and_views_lead_to_the_bytes_of_their_allocations),
        cmocka_unit_test(a_workload_with_ranges_and_offers_is_right_without_virtual_addresses),
        cmocka_unit_test(a_driver_with_an_mmu_runs_by_physical_addresses_as_before),
        cmocka_unit_test(processes_over_their_budgets_trim_and_are_told_what_was_discarded),
        cmocka_unit_test(processes_on_threads_trim_each_other_and_are_right),
        cmocka_unit_test(processes_on_threads_leave_the_ranges_of_others_alone),
        cmocka_unit_test(memory_that_runs_out_anywhere_ends_the_run_in_order),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
