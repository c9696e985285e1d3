/*
 * threads_test.c - judged runs with threads: engines run ahead of what was reported complete, and
 * the referee holds none of that against driver or manager.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <vidmm/run.h>

#include "../share.h"

#define RUNS 3u /* what depends on time shows now and then */

/* Too little memory and too small an aperture, so that tables come and go between processes. */
static void expect_verified(enum vidmm_model model, const char *name, uint64_t update_mode) {
    const struct vidmm_host_setting settings[] = {{"ApertureBytes", UINT64_C(48) << 20},
                                                  {"MmuUpdateMode", update_mode}};
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (!vidmm_run_find(name, 1, &workload, &error))
        fail_msg("%s", error.text);
    struct vidmm_run_options options = {.memory_model = model,
                                        .settings = settings,
                                        .setting_count = sizeof(settings) / sizeof(settings[0]),
                                        .threads = 3,
                                        .frame_limit = 40};
    assert_true(vidmm_run_parse_vram("25%", workload.peak_live_bytes, &options.vram_bytes));
    for (uint32_t i = 0; i < RUNS; i += share()) {
        struct vidmm_run_result result;
        if (vidmm_run(&workload, &options, &result) != VIDMM_RUN_VERIFIED)
            fail_msg("%s: %s", name, result.text);
        assert_true(result.play.verified_bytes > 0);
        vidmm_run_result_free(&result);
    }
    vidmm_workload_free(&workload);
}

static void tables_that_change_hands_under_threads_break_no_rule(void **state) {
    (void)state;
    for (uint64_t mode = 0; mode < 3; mode++)
        expect_verified(VIDMM_MODEL_GPUMMU, "processes", mode);
}

static void ranges_that_come_and_go_under_threads_break_no_rule(void **state) {
    (void)state;
    expect_verified(VIDMM_MODEL_GPUMMU, "address-churn", 2);
}

static void processes_behind_an_iommu_break_no_rule_under_threads(void **state) {
    (void)state;
    expect_verified(VIDMM_MODEL_IOMMU, "processes", 0);
}

static void physical_addresses_break_no_rule_under_threads(void **state) {
    (void)state;
    expect_verified(VIDMM_MODEL_PHYSICAL, "processes", 0);
}

/* Each thread looks at what the frames of its processes wrote; what they find is one result. */
static void frames_that_end_on_several_threads_are_each_counted_once(void **state) {
    (void)state;
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    struct vidmm_run_result result;
    const struct vidmm_run_options options = {.memory_model = VIDMM_MODEL_GPUMMU,
                                              .vram_bytes = UINT64_C(64) << 20,
                                              .threads = 3,
                                              .dirty = true};
    uint64_t frames = 0;
    assert_true(vidmm_run_find("processes", 1, &workload, &error));
    workload.event_count /= 8;
    for (size_t i = 0; i + 1 < workload.event_count; i++) /* looked at by what comes next */
        frames += workload.events[i].kind == vidmm_workload_frames(&workload).end;
    if (vidmm_run(&workload, &options, &result) != VIDMM_RUN_VERIFIED)
        fail_msg("%s", result.text);
    assert_int_equal(result.dirty.frames, frames);
    vidmm_run_result_free(&result);
    vidmm_workload_free(&workload);
}

/* With a name only the test of that name. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_that_change_hands_under_threads_break_no_rule),
        cmocka_unit_test(ranges_that_come_and_go_under_threads_break_no_rule),
        cmocka_unit_test(processes_behind_an_iommu_break_no_rule_under_threads),
        cmocka_unit_test(physical_addresses_break_no_rule_under_threads),
        cmocka_unit_test(frames_that_end_on_several_threads_are_each_counted_once),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
