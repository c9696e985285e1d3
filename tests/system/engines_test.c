/*
 * engines_test.c - one process meets a page fault, or hangs: it dies, with its reasons, and every
 * byte of the others is verified to the end.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <vidmm/run.h>

#define KIND_DROP_ENTRIES 10u
#define POSITIONS         100u /* that are tried */

static struct vidmm_workload processes;

/* What the generator's processes submit; of all but one, or (UINT32_MAX) of all. */
static uint64_t submissions_without(uint32_t process) {
    uint64_t count = 0;
    for (size_t i = 0; i < processes.event_count; i++)
        count += processes.events[i].kind == VIDMM_EVENT_SUBMIT &&
                 processes.events[i].process != process;
    return count;
}

static void run(enum vidmm_model model, const char *setting, uint64_t value, uint64_t kind,
                struct vidmm_run_result *result) {
    const struct vidmm_host_setting settings[] = {{setting, value}, {"FaultKind", kind}};
    struct vidmm_run_options options = {
        .memory_model = model, .settings = settings, .setting_count = 2};
    assert_true(vidmm_run_parse_vram("50%", processes.peak_live_bytes, &options.vram_bytes));
    vidmm_run(&processes, &options, result);
}

/* The number of the process that the sentence names; the workload counts from 0. */
static uint32_t process_in(const char *text) {
    unsigned number = 0;
    const char *at = strstr(text, "of process ");
    if (!at || sscanf(at, "of process %u", &number) != 1 || number == 0)
        fail_msg("no process in: %s", text);
    return number - 1;
}

/* The referee may blame the GPU for the entries that it dropped, and the manager for nothing. */
static void expect_lawful_manager(const struct vidmm_run_result *result) {
    for (uint32_t i = 0; i < result->violation_count; i++)
        if (!strstr(result->violations[i], ": the driver: "))
            fail_msg("%s", result->violations[i]);
}

static void expect_others_verified(const struct vidmm_run_result *result, uint32_t dead) {
    if (result->status != VIDMM_RUN_DRIVER_FAILED)
        fail_msg("%s", result->text);
    expect_lawful_manager(result);
    assert_int_equal(result->play.lost_processes, 1);
    assert_int_equal(result->play.mismatched_bytes, 0);
    assert_true(result->play.verified_bytes > 0);
    assert_true(result->play.submissions >= submissions_without(dead));
    assert_true(result->play.submissions < submissions_without(UINT32_MAX));
    assert_int_equal(result->play.stats.engine_resets, 1);
}

/* Plays with entries that are dropped at one position after the other from `at` on, until what is `said`; the position. */
static uint64_t run_until(uint64_t at, const char *said, struct vidmm_run_result *result) {
    for (uint64_t end = at + POSITIONS; at < end; at++) {
        run(VIDMM_MODEL_GPUMMU, "FaultAt", at, KIND_DROP_ENTRIES, result);
        if (strstr(result->text, said))
            return at;
        vidmm_run_result_free(result);
    }
    fail_msg("no entries whose loss is told as '%s'", said);
    return 0;
}

static void a_page_fault_kills_the_process_that_met_it(void **state) {
    (void)state;
    uint64_t at = 8; /* what is dropped up to here is not read by the GPU */
    for (uint32_t i = 0; i < 2; i++) {
        struct vidmm_run_result result;
        at = run_until(at + 1, "the GPU could not read address 0x", &result);
        expect_others_verified(&result, process_in(result.text));
        assert_int_equal(result.play.stats.resets, 0);
        assert_non_null(strstr(result.text, "of allocation 0x"));
        vidmm_run_result_free(&result);
    }
}

/* The system's own work cannot be done again: the adapter is reset, and the owners know why. */
static void a_page_fault_of_paging_work_kills_the_owner(void **state) {
    struct vidmm_run_result result;
    (void)state;
    (void)run_until(20, "of the paging process; paging work", &result);
    const char *of = strstr(result.text, "for device");
    expect_others_verified(&result, process_in(!of ? "" : of));
    assert_int_equal(result.play.stats.resets, 1);
    vidmm_run_result_free(&result);
}

static void a_hang_kills_the_process_that_hangs(void **state) {
    static const enum vidmm_model models[] = {VIDMM_MODEL_PHYSICAL, VIDMM_MODEL_GPUMMU,
                                              VIDMM_MODEL_IOMMU};
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct vidmm_run_result result;
        run(models[i], "HangAt", 40, 0, &result);
        if (result.play.lost_processes != 1 || result.play.mismatched_bytes != 0 ||
            result.status != VIDMM_RUN_DRIVER_FAILED || result.violation_count != 0)
            fail_msg("%s %s", result.text, result.violation_count ? result.violations[0] : "");
        assert_int_equal(result.play.stats.resets, 0);
        assert_int_equal(result.play.stats.engine_resets, 1);
        assert_int_equal(result.play.stats.preemptions, 1);
        assert_non_null(strstr(result.text, "the device was lost"));
        assert_true(result.play.verified_bytes > 0);
        vidmm_run_result_free(&result);
    }
}

static int generate(void **state) {
    struct vidmm_workload_error error;
    (void)state;
    return vidmm_run_find("processes", 0, &processes, &error) ? 0 : -1;
}

static int forget(void **state) {
    (void)state;
    vidmm_workload_free(&processes);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_fault_kills_the_process_that_met_it),
        cmocka_unit_test(a_page_fault_of_paging_work_kills_the_owner),
        cmocka_unit_test(a_hang_kills_the_process_that_hangs),
    };
    return cmocka_run_group_tests_name("engines", tests, generate, forget);
}
