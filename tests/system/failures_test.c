/*
 * failures_test.c - every allocation of host, driver, hardware and manager fails once, in turn.
 *
 * A small workload over 1 MiB of VRAM, so that paging, splits, apertures and locks all happen, is
 * run again and again, with the n-th allocation failing, until a run gets through without reaching
 * its failure. Each run ends verified (the caller could do without) or with one clear sentence, and
 * in no case with a broken rule: nothing is left behind.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <vidmm/run.h>

/* More than any run of this workload allocates: an end for a sweep that would have none. */
#define SWEEP_MOST 20000u

static const char recording[] =
    "{\"vidmm_trace\":1,\"source\":\"failures_test\"}\n"
    "{\"t\":1,\"op\":\"alloc\",\"id\":1,\"size\":524288,\"heap\":0,\"flags\":[\"device_local\"]}\n"
    "{\"t\":2,\"op\":\"alloc\",\"id\":2,\"size\":524288,\"heap\":0,\"flags\":[\"device_local\"]}\n"
    "{\"t\":3,\"op\":\"alloc\",\"id\":3,\"size\":458752,\"heap\":0,"
    "\"flags\":[\"device_local\",\"host_visible\",\"host_coherent\"]}\n"
    "{\"t\":4,\"op\":\"alloc\",\"id\":4,\"size\":65536,\"heap\":1,\"flags\":[\"host_visible\","
    "\"host_coherent\"]}\n"
    "{\"t\":5,\"op\":\"map\",\"id\":4}\n"
    "{\"t\":6,\"op\":\"submit\",\"queue\":0,\"reads\":[4],\"writes\":[1]}\n"
    "{\"t\":7,\"op\":\"submit\",\"queue\":0,\"reads\":[1],\"writes\":[2]}\n"
    "{\"t\":8,\"op\":\"present\"}\n"
    "{\"t\":9,\"op\":\"submit\",\"queue\":0,\"reads\":[4],\"writes\":[3]}\n"
    "{\"t\":10,\"op\":\"map\",\"id\":3}\n"
    "{\"t\":11,\"op\":\"unmap\",\"id\":3}\n"
    "{\"t\":12,\"op\":\"submit\",\"queue\":0,\"reads\":[1,2],\"writes\":[]}\n"
    "{\"t\":13,\"op\":\"present\"}\n"
    "{\"t\":14,\"op\":\"free\",\"id\":2}\n"
    "{\"t\":15,\"op\":\"submit\",\"queue\":0,\"reads\":[1,3],\"writes\":[4]}\n"
    "{\"t\":16,\"op\":\"unmap\",\"id\":4}\n"
    "{\"t\":17,\"op\":\"present\"}\n";

/* One run with the n-th allocation failing; true when there was an n-th. */
static bool run_with_failure(const struct vidmm_workload *workload, uint32_t version,
                             enum vidmm_model model, uint64_t n) {
    /* A small paging buffer, so that splits are swept too. */
    const struct vidmm_host_setting settings[] = {{"PagingBufferBytes", 4096}};
    struct vidmm_run_options options = {
        /* Where addresses are virtual, command buffers count as well. */
        .vram_bytes = model == VIDMM_MODEL_IOMMU ? 5u << 19 : 1u << 20,
        .ddi_version = version,
        .memory_model = model,
        .settings = settings,
        .setting_count = 1,
        .fail_at = n,
    };
    struct vidmm_run_result result;
    enum vidmm_run_status status = vidmm_run(workload, &options, &result);
    bool failed = result.failed_once || !result.played;
    if (status == VIDMM_RUN_WRONG || status == VIDMM_RUN_BAD_INPUT || result.violation_count != 0)
        fail_msg("version 0x%x, allocation %u fails: %s", version, (unsigned)n, result.text);
    if (status != VIDMM_RUN_VERIFIED && result.text[0] == '\0')
        fail_msg("version 0x%x, allocation %u fails without a word", version, (unsigned)n);
    if (status != VIDMM_RUN_VERIFIED && !failed)
        fail_msg("version 0x%x, no allocation failed and yet: %s", version, result.text);
    vidmm_run_result_free(&result);
    return failed;
}

static void sweep(uint32_t version, enum vidmm_model model) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (!vidmm_workload_parse("failures", recording, sizeof(recording) - 1, &workload, &error))
        fail_msg("line %u: %s", (unsigned)error.line, error.text);
    uint64_t n = 1;
    while (n < SWEEP_MOST && run_with_failure(&workload, version, model, n))
        n++;
    print_message("version 0x%x: %u allocations failed once each\n", version, (unsigned)(n - 1));
    assert_true(n > 1 && n < SWEEP_MOST);
    vidmm_workload_free(&workload);
}

static void every_allocation_may_fail_once_with_banks(void **state) {
    (void)state;
    sweep(DXGKDDI_INTERFACE_VERSION_WIN7, VIDMM_MODEL_ANY);
}

static void every_allocation_may_fail_once_with_descriptors_of_version_4(void **state) {
    (void)state;
    sweep(DXGKDDI_INTERFACE_VERSION_WDDM2_0, VIDMM_MODEL_ANY);
}

static void every_allocation_may_fail_once_behind_an_iommu(void **state) {
    (void)state;
    sweep(DXGKDDI_INTERFACE_VERSION_WDDM2_0, VIDMM_MODEL_IOMMU);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail_once_with_banks),
        cmocka_unit_test(every_allocation_may_fail_once_with_descriptors_of_version_4),
        cmocka_unit_test(every_allocation_may_fail_once_behind_an_iommu),
    };
    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
