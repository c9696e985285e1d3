/*
 * player.c - whole runs over the reference driver: right bytes are found right, wrong ones wrong.
 */
#include "runs.h"

/* ---- Right runs ------------------------------------------------------------------------------ */

static void every_generator_is_right_with_plenty_and_with_too_little_memory(void **state) {
    (void)state;
    static const uint64_t vram[] = {512, 64, 24};
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < sizeof(vram) / sizeof(vram[0]); seed++) {
            struct vidmm_workload workload = generate(generators[i].name, seed);
            struct run run = {.options.frame_limit = 40};
            char what[64];
            snprintf(what, sizeof(what), "seed %llu, %llu MiB", (unsigned long long)seed,
                     (unsigned long long)vram[seed]);
            set(&run, "VramBytes", vram[seed] * MIB);
            set(&run, "InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3);
            set(&run, "EvictionApertureBytes", 32 * MIB);
            expect_right(&run, &workload, what);
            vidmm_workload_free(&workload);
        }
    }
}

static void recordings_are_right_in_half_of_what_they_need(void **state) {
    (void)state;
    static const char *const names[] = {"vkcube", "ffmpeg-filters", "openarena-tour",
                                        "ncnn-bench-cnn"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct vidmm_workload workload = recording(names[i]);
        struct run run = {.options.frame_limit = 60};
        set(&run, "VramBytes", (workload.peak_live_bytes / 2 / MIB + 2) * MIB);
        set(&run, "VramVisibleBytes", (workload.peak_live_bytes / 8 / MIB + 1) * MIB);
        expect_right(&run, &workload, "half of its peak");
        vidmm_workload_free(&workload);
    }
}

static void every_interface_version_is_right(void **state) {
    (void)state;
    static const uint64_t versions[] = {
        DXGKDDI_INTERFACE_VERSION_WIN7, DXGKDDI_INTERFACE_VERSION_WIN8,
        DXGKDDI_INTERFACE_VERSION_WDDM1_3, DXGKDDI_INTERFACE_VERSION_WDDM2_0};
    struct vidmm_workload workload = generate("level-changes", 3);
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        struct run run = {.options.frame_limit = 20};
        set(&run, "InterfaceVersion", versions[i]);
        set(&run, "VramBytes", 48 * MIB);
        expect_right(&run, &workload, "48 MiB");
    }
    vidmm_workload_free(&workload);
}

static void processes_on_threads_are_right(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("processes", 5);
    struct run run = {.options = {.threads = 3, .frame_limit = 60}, .threads = true};
    set(&run, "VramBytes", 64 * MIB);
    expect_right(&run, &workload, "3 threads");
    vidmm_workload_free(&workload);
}

static void the_same_run_twice_makes_the_same_calls(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("level-changes", 2);
    struct run runs[2] = {{.options.frame_limit = 10}, {.options.frame_limit = 10}};
    for (uint32_t i = 0; i < 2; i++) {
        set(&runs[i], "VramBytes", 48 * MIB);
        expect_right(&runs[i], &workload, "again");
    }
    assert_int_equal(runs[0].calls_hash, runs[1].calls_hash);
    assert_int_equal(runs[0].result.verified_bytes, runs[1].result.verified_bytes);
    assert_int_equal(runs[0].result.virtual_ns, runs[1].result.virtual_ns);
    vidmm_workload_free(&workload);
}

static uint64_t sum_of(const uint64_t *samples, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += samples[i];
    return sum;
}

/* Its samples have all that was referenced, each where it lay. */
static void expect_all_references_in_the_chart(const struct vidmm_play_result *result) {
    uint32_t count = result->chart_samples;
    assert_int_equal(sum_of(result->chart_referenced_vram, count), result->referenced_vram);
    assert_int_equal(sum_of(result->chart_referenced_aperture, count), result->referenced_aperture);
    assert_int_equal(sum_of(result->chart_referenced_system, count), result->referenced_system);
}

static void a_frame_limit_stops_the_run_and_the_chart_has_samples(void **state) {
    (void)state;
    struct vidmm_workload workload = recording("vkcube");
    struct run run = {.options.frame_limit = 100};
    expect_right(&run, &workload, "100 frames");
    assert_int_equal(run.result.frames, 100);
    assert_int_equal(run.result.submissions, 101); /* one before the first frame */
    assert_int_equal(run.result.chart_samples, 20);
    assert_true(run.result.chart_vram[19] > 0);
    expect_all_references_in_the_chart(&run.result);
    struct run all = {.options.frame_limit = 0};
    expect_right(&all, &workload, "all frames");
    assert_int_equal(all.result.frames, 300);
    assert_int_equal(all.result.submissions, 301);
    assert_int_equal(all.result.chart_samples, VIDMM_PLAY_CHART);
    expect_all_references_in_the_chart(&all.result);
    assert_true(all.result.referenced_aperture > 0 && all.result.referenced_vram > 0);
    vidmm_workload_free(&workload);
}

static void what_does_not_fit_is_counted_and_the_rest_goes_on(void **state) {
    (void)state;
    static const char text[] = "{\"vidmm_trace\":1}\n"
                               "{\"op\":\"alloc\",\"id\":1,\"size\":10000000,\"heap\":0}\n"
                               "{\"op\":\"alloc\",\"id\":2,\"size\":10000000,\"heap\":0}\n"
                               "{\"op\":\"submit\",\"reads\":[],\"writes\":[1]}\n"
                               "{\"op\":\"submit\",\"reads\":[1],\"writes\":[2]}\n"
                               "{\"op\":\"submit\",\"reads\":[],\"writes\":[2]}\n"
                               "{\"op\":\"submit\",\"reads\":[1],\"writes\":[]}\n";
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (!vidmm_workload_parse("small", text, sizeof(text) - 1, &workload, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < 2; i++) /* no way out into an aperture */
        workload.events[i].umd_flags = VIDMM_UMD_LOCAL_ONLY;
    struct run run = {.options.frame_limit = 0};
    set(&run, "VramBytes", 16 * MIB);
    expect_right(&run, &workload, "16 MiB");
    assert_int_equal(run.result.refused, 1);
    assert_int_equal(run.result.submissions, 3);
    assert_true(run.result.refusal[0] != 0);
    vidmm_workload_free(&workload);
}

/* ---- Wrong runs ------------------------------------------------------------------------------ */

static void each_fault_of_the_hardware_is_found_and_blamed(void **state) {
    (void)state;
    static const struct {
        uint32_t kind, at;
        const char *workload;
        bool by_op;
        enum vidmm_op_kind op;
    } faults[] = {
        {1, 3, "frame-loop", true, VIDMM_OP_TRANSFER},
        {2, 3, "frame-loop", true, VIDMM_OP_FILL},
        {3, 1, "frame-loop", true, VIDMM_OP_MAP}, /* the page for results */
        {3, 2, "level-changes", true, VIDMM_OP_MAP},
        {3, 4, "frame-loop", true, VIDMM_OP_MAP}, /* of a window for an eviction */
        {3, 12, "frame-loop", true, VIDMM_OP_MAP},
        {3, 11, "level-changes", true, VIDMM_OP_MAP}, /* another window */
        {3, 13, "level-changes", true, VIDMM_OP_MAP},
        {3, 5, "processes", true, VIDMM_OP_MAP},
        {4, 3, "frame-loop", false, VIDMM_OP_TRANSFER},
        {4, 40, "level-changes", false, VIDMM_OP_TRANSFER},
        {5, 3, "level-changes", true, VIDMM_OP_TRANSFER},
        {6, 3, "frame-loop", true, VIDMM_OP_TRANSFER},
        {7, 3, "level-changes", true, VIDMM_OP_UNMAP},
        {7, 9, "level-changes", true, VIDMM_OP_UNMAP},
        {7, 2, "frame-loop", true, VIDMM_OP_UNMAP},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct vidmm_workload workload = generate(faults[i].workload, 1);
        struct run run = {.options.frame_limit = 30};
        set(&run, "VramBytes", 64 * MIB);
        set(&run, "FaultKind", faults[i].kind);
        set(&run, "FaultAt", faults[i].at);
        run_workload(&run, &workload);
        if (run.status != VIDMM_PLAY_WRONG || run.result.first.by_op != faults[i].by_op ||
            (faults[i].by_op && run.result.first.op != faults[i].op))
            fail_msg("error %u at %u: status %d, by_op %d, op %d: %s", faults[i].kind, faults[i].at,
                     (int)run.status, run.result.first.by_op, (int)run.result.first.op, run.text);
        assert_true(run.result.mismatched_bytes > 0);
        assert_true(run.closed_clean);
        vidmm_workload_free(&workload);
    }
}

/* Neither work that the GPU did not run nor the clean-up notices count as wrong bytes. */
static void a_reset_blames_nobody(void **state) {
    (void)state;
    static const struct {
        const char *workload, *hang;
        uint64_t at;
    } hangs[] = {
        {"level-changes", "HangAt", 5},        {"level-changes", "HangAt", 60},
        {"level-changes", "HangPagingAt", 33}, {"level-changes", "HangPagingAt", 64},
        {"frame-loop", "HangPagingAt", 12},    {"frame-loop", "HangAt", 40},
    };
    for (size_t i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++) {
        struct vidmm_workload workload = generate(hangs[i].workload, 1);
        struct run run = {.options.frame_limit = 30};
        set(&run, "VramBytes", 48 * MIB);
        set(&run, hangs[i].hang, hangs[i].at);
        run_workload(&run, &workload);
        assert_int_equal(run.status, VIDMM_PLAY_DRIVER_FAILED); /* the device is lost */
        if (run.result.mismatched_bytes != 0)
            fail_msg("%s %llu: %s", hangs[i].hang, (unsigned long long)hangs[i].at,
                     run.result.first.text);
        assert_true(run.result.verified_bytes > 0);
        assert_true(run.closed_clean);
        vidmm_workload_free(&workload);
    }
}

static void memory_that_runs_out_anywhere_ends_the_run_in_order(void **state) {
    (void)state;
    struct vidmm_workload workload = recording("vkcube");
    struct run run = {.options.frame_limit = 20};
    set(&run, "VramBytes", 4 * MIB);
    expect_order_without_memory(&run, &workload, 2000, 8);
    vidmm_workload_free(&workload);
}

/* With an argument: only the tests whose names match it. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator_is_right_with_plenty_and_with_too_little_memory),
        cmocka_unit_test(recordings_are_right_in_half_of_what_they_need),
        cmocka_unit_test(every_interface_version_is_right),
        cmocka_unit_test(processes_on_threads_are_right),
        cmocka_unit_test(the_same_run_twice_makes_the_same_calls),
        cmocka_unit_test(a_frame_limit_stops_the_run_and_the_chart_has_samples),
        cmocka_unit_test(what_does_not_fit_is_counted_and_the_rest_goes_on),
        cmocka_unit_test(each_fault_of_the_hardware_is_found_and_blamed),
        cmocka_unit_test(a_reset_blames_nobody),
        cmocka_unit_test(memory_that_runs_out_anywhere_ends_the_run_in_order),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
