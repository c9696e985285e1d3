/*
 * player_linked.c - whole runs over linked physical adapters: they share the work, every byte is
 * right with too little memory on each, and one adapter alone is played as if there were no links.
 */
#include "runs.h"

#define FRAMES 25

static struct run linked_run(enum vidmm_model model, uint32_t linked) {
    struct run run = {.options.frame_limit = FRAMES, .model = model, .linked = linked};
    if (model == VIDMM_MODEL_GPUMMU)
        set(&run, "MmuLevels", 4);
    return run;
}

static void expect_shared(const struct run *run, const struct vidmm_workload *workload) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < VIDMM_LINKED_MOST; i++) {
        if ((run->result.on_physical[i] != 0) != (i < run->linked))
            fail_msg("%s: %llu submissions on adapter %u of %u", workload->name,
                     (unsigned long long)run->result.on_physical[i], i, run->linked);
        sum += run->result.on_physical[i];
    }
    assert_int_equal(sum, run->result.submissions);
}

static void generators_are_right_on_adapters_with_too_little_memory(enum vidmm_model model,
                                                                    bool share) {
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++) {
        struct vidmm_workload workload = generate(generators[i].name, 1);
        struct run run = linked_run(model, 2 + i % 2);
        set(&run, "VramBytes", 32 * MIB);
        set(&run, "ApertureBytes", 48 * MIB);
        expect_right(&run, &workload, "32 MiB on each");
        if (share)
            expect_shared(&run, &workload);
        vidmm_workload_free(&workload);
    }
}

static void frames_take_turns_and_every_adapter_reaches_every_allocation(void **state) {
    (void)state;
    generators_are_right_on_adapters_with_too_little_memory(VIDMM_MODEL_GPUMMU, true);
}

/* One group of allocations has to stay together, so that not every workload has work for all. */
static void what_is_used_together_is_together_with_physical_addresses(void **state) {
    (void)state;
    generators_are_right_on_adapters_with_too_little_memory(VIDMM_MODEL_PHYSICAL, false);
}

static void groups_of_allocations_are_spread_with_physical_addresses(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("processes", 1);
    struct run run = linked_run(VIDMM_MODEL_PHYSICAL, 2);
    set(&run, "VramBytes", 64 * MIB);
    expect_right(&run, &workload, "64 MiB on each");
    expect_shared(&run, &workload);
    vidmm_workload_free(&workload);
}

static void recordings_are_right_and_the_same_twice(void **state) {
    (void)state;
    static const char *const names[] = {"vkcube", "minetest"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct vidmm_workload workload = recording(names[i]);
        uint64_t hash[2];
        for (uint32_t n = 0; n < 2; n++) {
            struct run run = linked_run(VIDMM_MODEL_GPUMMU, 2);
            set(&run, "VramBytes", (workload.peak_live_bytes / 4 / MIB + 4) * MIB);
            set(&run, "ApertureBytes", (workload.peak_live_bytes / 2 / MIB + 4) * MIB);
            expect_right(&run, &workload, "a quarter of its peak on each");
            expect_shared(&run, &workload);
            hash[n] = run.calls_hash;
        }
        assert_int_equal(hash[0], hash[1]);
        vidmm_workload_free(&workload);
    }
}

static void a_chain_of_one_link_is_played_as_an_adapter_alone(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("processes", 2);
    struct run alone = linked_run(VIDMM_MODEL_GPUMMU, 0), one = linked_run(VIDMM_MODEL_GPUMMU, 1);
    expect_right(&alone, &workload, "alone");
    expect_right(&one, &workload, "one link");
    assert_int_equal(alone.calls_hash, one.calls_hash);
    vidmm_workload_free(&workload);
}

static void processes_on_threads_share_linked_adapters(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("processes", 3);
    struct run run = linked_run(VIDMM_MODEL_GPUMMU, 2);
    run.threads = true;
    run.options.threads = 3;
    set(&run, "VramBytes", 48 * MIB);
    expect_right(&run, &workload, "threads");
    expect_shared(&run, &workload);
    vidmm_workload_free(&workload);
}

static void memory_that_runs_out_anywhere_ends_the_run_in_order(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("frame-loop", 1);
    struct run run = linked_run(VIDMM_MODEL_GPUMMU, 2);
    run.options.frame_limit = 2;
    set(&run, "VramBytes", 48 * MIB);
    expect_order_without_memory(&run, &workload, 4000, 20);
    vidmm_workload_free(&workload);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_take_turns_and_every_adapter_reaches_every_allocation),
        cmocka_unit_test(what_is_used_together_is_together_with_physical_addresses),
        cmocka_unit_test(groups_of_allocations_are_spread_with_physical_addresses),
        cmocka_unit_test(recordings_are_right_and_the_same_twice),
        cmocka_unit_test(a_chain_of_one_link_is_played_as_an_adapter_alone),
        cmocka_unit_test(processes_on_threads_share_linked_adapters),
        cmocka_unit_test(memory_that_runs_out_anywhere_ends_the_run_in_order),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
