/*
 * The conformance check outlives whatever a driver does: it crashes, hangs, ends the process,
 * leaks, refuses or scribbles, and each of these is a finding; and the reports say so in every
 * format.
 */
#include "examined.h"
#include "report_text.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

static DRIVER_INITIALIZATION_DATA good;
static struct vidmm_check_result result;

static enum vidmm_check_status examine(void (*spoil)(DRIVER_INITIALIZATION_DATA *table),
                                       const char *stage) {
    const struct vidmm_spoiler spoiler = {.driver = spoil};
    const struct vidmm_check_options options = {
        .stage = stage, .spoiler = &spoiler, .timeout_ms = 400, .seed = 3};
    vidmm_check(&options, &result);
    return result.status;
}

static const struct vidmm_finding *find(enum vidmm_finding_kind kind) {
    return examined_finding(&result, kind);
}

/* Stages for what the reference driver does not have at WDDM 2.0, or not without a setting. */
static bool is_for_others(const char *stage) {
    static const char *const stages[] = {"agp", "dirty", "large-pages", "linked", "migration"};
    for (uint32_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
        if (strcmp(stage, stages[i]) == 0)
            return true;
    return false;
}

static void the_reference_driver_passes(void **state) {
    (void)state;
    struct vidmm_check_options options = {.seed = 1, .timeout_ms = 60000};
    vidmm_check(&options, &result);
    for (uint32_t i = 0; i < result.ledger.findings; i++) {
        char text[640];
        vidmm_finding_text(&result.ledger.finding[i], text, sizeof(text));
        print_error("%s\n", text);
    }
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(result.broken, 0);
    assert_true(result.passed > 80);
    assert_int_equal(result.passed + result.broken + result.not_reached, result.judged);
    for (uint32_t i = 0; i < result.stages; i++)
        assert_int_equal(result.stage[i].outcome, is_for_others(result.stage[i].name)
                                                      ? VIDMM_STAGE_SKIPPED
                                                      : VIDMM_STAGE_DONE);
}

static void expect_rules(const char *stage, uint32_t first, uint32_t last) {
    const struct vidmm_host_setting settings[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
        {"DirtyPageBytes", 4096},
        {"MmuLevels", 3}};
    const struct vidmm_check_options options = {
        .seed = 1, .timeout_ms = 60000, .stage = stage, .settings = settings, .setting_count = 3};
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    for (uint32_t rule = first; rule <= last; rule++)
        if (vidmm_rule(rule)->judged)
            assert_string_equal(vidmm_check_outcome(&result, rule), "passed");
}

static void large_pages_have_their_stage(void **state) {
    (void)state;
    expect_rules("large-pages", 219, 220);
    expect_rules("large-pages", 440, 442);
}

static void linked_adapters_have_their_stage(void **state) {
    static const uint32_t rules[] = {501, 502, 503, 505, 508, 509, 510, 511, 515};
    (void)state;
    const struct vidmm_check_options options = {
        .seed = 1, .timeout_ms = 60000, .stage = "linked", .linked = 2};
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(examined_stage(&result, "linked")->outcome, VIDMM_STAGE_DONE);
    for (uint32_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        assert_string_equal(vidmm_check_outcome(&result, rules[i]), "passed");
}

static void an_agp_aperture_has_its_stage(void **state) {
    (void)state;
    const struct vidmm_host_setting settings[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7}, {"Agp", 1}};
    const struct vidmm_check_options options = {
        .seed = 1, .timeout_ms = 60000, .stage = "agp", .settings = settings, .setting_count = 2};
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(examined_stage(&result, "agp")->outcome, VIDMM_STAGE_DONE);
    assert_string_equal(vidmm_check_outcome(&result, 110), "passed");
}

static void dirty_bits_and_migrations_are_looked_at_whole(void **state) {
    (void)state;
    expect_rules("dirty", 311, 331);
    expect_rules("migration", 332, 342);
}

/* ---- What drivers do ------------------------------------------------------------------------- */

static NTSTATUS APIENTRY crash(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    (void)args;
    raise(SIGSEGV);
    return STATUS_SUCCESS;
}

static void crashing(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = crash;
}

static void a_crash_is_a_finding(void **state) {
    (void)state;
    assert_int_equal(examine(crashing, "paging"), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_CRASH);
    assert_non_null(finding);
    assert_non_null(strstr(finding->where, "DxgkDdiBuildPagingBuffer"));
    assert_non_null(strstr(finding->found, "signal"));
}

/* Outside of the calls that the manager makes it is told as well whose code it was. */
static NTSTATUS APIENTRY crash_adding(PDEVICE_OBJECT device, PVOID *context) {
    (void)device;
    (void)context;
    (void)raise(SIGSEGV);
    return STATUS_UNSUCCESSFUL;
}

static BOOLEAN APIENTRY crash_interrupted(const PVOID context, ULONG message) {
    (void)context;
    (void)message;
    (void)raise(SIGSEGV);
    return TRUE;
}

static VOID NTAPI crash_deferred(PKDPC dpc, PVOID context, PVOID one, PVOID two) {
    (void)dpc;
    (void)context;
    (void)one;
    (void)two;
    (void)raise(SIGSEGV);
}

static VOID NTAPI crash_threaded(PVOID context) {
    (void)context;
    (void)raise(SIGSEGV);
}

static NTSTATUS APIENTRY query_deferred(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    static KDPC dpc;
    KeInitializeDpc(&dpc, crash_deferred, NULL);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    return good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static NTSTATUS APIENTRY query_threaded(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    HANDLE handle = NULL;
    PVOID thread = NULL;
    (void)PsCreateSystemThread(&handle, 0, NULL, NULL, NULL, crash_threaded, NULL);
    (void)ObReferenceObjectByHandle(handle, 0, NULL, KernelMode, &thread, NULL);
    (void)KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
    return good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static void adding(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiAddDevice = crash_adding;
}

static void interrupted(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiInterruptRoutine = crash_interrupted;
}

static void deferred(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_deferred;
}

static void threaded(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_threaded;
}

static void a_crash_has_a_place_wherever_it_is(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(DRIVER_INITIALIZATION_DATA *table);
        const char *place;
    } crashes[] = {{adding, "DxgkDdiAddDevice"},
                   {interrupted, "DxgkDdiInterruptRoutine"},
                   {deferred, "DPC"},
                   {threaded, "a system thread of the driver"}};
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
        assert_int_equal(examine(crashes[i].spoil, "paging"), VIDMM_CHECK_BROKEN);
        const struct vidmm_finding *finding = find(VIDMM_FINDING_CRASH);
        assert_non_null(finding);
        assert_non_null(strstr(finding->where, crashes[i].place));
        assert_non_null(strstr(finding->found, crashes[i].place));
    }
}

static void hang_here(void) {
    for (volatile bool for_ever = true; for_ever;)
        pause();
}

static NTSTATUS APIENTRY hang(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    hang_here();
    return STATUS_SUCCESS;
}

static void hanging(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = hang;
}

static void a_hang_is_a_finding(void **state) {
    (void)state;
    assert_int_equal(examine(hanging, "operations"), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_HANG);
    assert_non_null(finding);
    assert_non_null(strstr(finding->where, "DxgkDdiSubmitCommand"));
}

static BOOLEAN APIENTRY hang_interrupted(const PVOID context, ULONG message) {
    (void)context;
    (void)message;
    hang_here();
    return TRUE;
}

static void hanging_interrupted(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiInterruptRoutine = hang_interrupted;
}

static BOOLEAN APIENTRY leave_interrupted(const PVOID context, ULONG message) {
    (void)context;
    (void)message;
    exit(0);
}

static void leaving_interrupted(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiInterruptRoutine = leave_interrupted;
}

static void a_hang_and_an_exit_have_a_place_outside_of_calls_too(void **state) {
    (void)state;
    assert_int_equal(examine(hanging_interrupted, "operations"), VIDMM_CHECK_BROKEN);
    assert_non_null(strstr(find(VIDMM_FINDING_HANG)->found, "DxgkDdiInterruptRoutine"));
    assert_int_equal(examine(leaving_interrupted, "operations"), VIDMM_CHECK_BROKEN);
    assert_non_null(strstr(find(VIDMM_FINDING_EXIT)->found, "DxgkDdiInterruptRoutine"));
}

static NTSTATUS APIENTRY leave(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    (void)args;
    exit(0);
}

static void leaving(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = leave;
}

static void an_exit_is_a_finding(void **state) {
    (void)state;
    assert_int_equal(examine(leaving, "query"), VIDMM_CHECK_BROKEN);
    assert_non_null(find(VIDMM_FINDING_EXIT));
}

static NTSTATUS APIENTRY bugcheck(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    (void)args;
    abort();
}

static NTSTATUS APIENTRY bugcheck_coded(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    (void)args;
    KeBugCheckEx(0x119, 1, 2, 3, 4);
}

static void bugchecking_coded(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = bugcheck_coded;
}

static void bugchecking(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = bugcheck;
}

static void a_bugcheck_is_a_finding(void **state) {
    (void)state;
    assert_int_equal(examine(bugchecking, "start"), VIDMM_CHECK_BROKEN);
    assert_non_null(find(VIDMM_FINDING_EXIT));
    assert_int_equal(examine(bugchecking_coded, "start"), VIDMM_CHECK_BROKEN);
    assert_non_null(find(VIDMM_FINDING_EXIT));
    assert_non_null(strstr(find(VIDMM_FINDING_HOST)->found, "KeBugCheckEx(0x119, 0x1, 0x2"));
}

static VOID APIENTRY unload_leaking(VOID) {
    (void)ExAllocatePoolWithTag(NonPagedPool, 100, 0x6c65616b);
    good.DxgkDdiUnload();
}

static void leaking(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiUnload = unload_leaking;
}

static void a_leak_is_a_finding(void **state) {
    (void)state;
    assert_int_equal(examine(leaking, "start"), VIDMM_CHECK_BROKEN);
    assert_non_null(find(VIDMM_FINDING_LEAK));
}

static NTSTATUS APIENTRY refuse(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_NO_MEMORY;
}

static void refusing(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateAllocation = refuse;
}

static void a_refusal_is_the_drivers_failure(void **state) {
    (void)state;
    assert_int_equal(examine(refusing, "paging"), VIDMM_CHECK_DRIVER_FAILED);
    assert_non_null(find(VIDMM_FINDING_REFUSED));
    assert_true(result.text[0] != '\0');
}

/* ---- Options --------------------------------------------------------------------------------- */

static void an_unknown_stage_is_bad_input(void **state) {
    (void)state;
    assert_int_equal(examine(NULL, "nonsense"), VIDMM_CHECK_BAD_INPUT);
    assert_non_null(strstr(result.text, "nonsense"));
}

static void all_stages_that_are_named_run_and_no_others(void **state) {
    (void)state;
    (void)examine(NULL, "query,start");
    for (uint32_t i = 0; i < result.stages; i++)
        assert_int_equal(result.stage[i].outcome, i < 2 ? VIDMM_STAGE_DONE : VIDMM_STAGE_LEFT_OUT);
    assert_int_equal(examine(NULL, "start,,query"), VIDMM_CHECK_BAD_INPUT);
}

static void a_missing_driver_fails(void **state) {
    (void)state;
    const struct vidmm_check_options options = {.driver_path = "/nonexistent.so"};
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_DRIVER_FAILED);
    assert_int_equal(result.ddi_version, 0);
}

static void only_some_rules_can_be_judged(void **state) {
    (void)state;
    struct vidmm_check_options options = {.stage = "start", .only_some = true};
    options.only[1] = 1;
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_true(result.judged <= 1);
}

/* ---- Reports --------------------------------------------------------------------------------- */

static void every_format_names_the_crash(void **state) {
    (void)state;
    (void)examine(crashing, "paging");
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, true), "crash"));
    json_t *json = json_loads(report_text(&result, VIDMM_CHECK_JSON, true), 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "broken");
    assert_true(json_array_size(json_object_get(json, "findings")) > 0);
    json_decref(json);
    json = json_loads(report_text(&result, VIDMM_CHECK_SARIF, true), 0, NULL);
    assert_non_null(json);
    json_t *run = json_array_get(json_object_get(json, "runs"), 0);
    assert_true(json_array_size(json_object_get(run, "results")) > 0);
    json_decref(json);
    char *xml = report_text(&result, VIDMM_CHECK_JUNIT, true);
    assert_non_null(strstr(xml, "<failure type="));
    assert_non_null(strstr(xml, "</testsuites>"));
}

/* A driver author may print to standard output while the report goes to a pipe. */
static NTSTATUS APIENTRY print(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    puts("here");
    fflush(stdout);
    return good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static void printing(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = print;
}

static void what_a_driver_prints_is_no_part_of_the_report(void **state) {
    (void)state;
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);
    assert_non_null(file);
    fflush(stdout);
    (void)dup2(fileno(file), STDOUT_FILENO);
    enum vidmm_check_status status = examine(printing, "start");
    (void)dup2(out, STDOUT_FILENO);
    close(out);
    assert_int_equal(status, VIDMM_CHECK_PASSED);
    assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
    fclose(file);
}

/* A pipe, a terminal, /dev/null: a report does not take their place. */
static void a_report_goes_into_what_is_no_file(void **state) {
    (void)state;
    char directory[] = "/tmp/vidmm-check-XXXXXX", path[64], why[512], text[16] = "";
    const struct vidmm_check_style style = {.color = false};
    struct stat there;
    (void)examine(NULL, "start");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/pipe", directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    int pipe = open(path, O_RDWR);
    assert_true(pipe >= 0);
    assert_true(vidmm_report_check(path, VIDMM_CHECK_TEXT, &result, &style, why, sizeof(why)));
    assert_int_equal(stat(path, &there), 0);
    assert_true(S_ISFIFO(there.st_mode));
    assert_int_equal(read(pipe, text, 7), 7);
    assert_string_equal(text, "softgpu");
    close(pipe);
    unlink(path);
    rmdir(directory);
}

static void an_unwritable_report_says_so(void **state) {
    (void)state;
    char why[512] = "";
    const struct vidmm_check_style style = {.color = false};
    (void)examine(NULL, "start");
    assert_false(vidmm_report_check("/nonexistent/report", VIDMM_CHECK_JSON, &result, &style, why,
                                    sizeof(why)));
    assert_non_null(strstr(why, "/nonexistent/report"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_driver_passes),
        cmocka_unit_test(large_pages_have_their_stage),
        cmocka_unit_test(linked_adapters_have_their_stage),
        cmocka_unit_test(an_agp_aperture_has_its_stage),
        cmocka_unit_test(dirty_bits_and_migrations_are_looked_at_whole),
        cmocka_unit_test(a_crash_is_a_finding),
        cmocka_unit_test(a_crash_has_a_place_wherever_it_is),
        cmocka_unit_test(a_hang_is_a_finding),
        cmocka_unit_test(a_hang_and_an_exit_have_a_place_outside_of_calls_too),
        cmocka_unit_test(an_exit_is_a_finding),
        cmocka_unit_test(a_bugcheck_is_a_finding),
        cmocka_unit_test(a_leak_is_a_finding),
        cmocka_unit_test(a_refusal_is_the_drivers_failure),
        cmocka_unit_test(an_unknown_stage_is_bad_input),
        cmocka_unit_test(all_stages_that_are_named_run_and_no_others),
        cmocka_unit_test(a_missing_driver_fails),
        cmocka_unit_test(only_some_rules_can_be_judged),
        cmocka_unit_test(every_format_names_the_crash),
        cmocka_unit_test(what_a_driver_prints_is_no_part_of_the_report),
        cmocka_unit_test(a_report_goes_into_what_is_no_file),
        cmocka_unit_test(an_unwritable_report_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
