/*
 * residency_test.c - promises to user mode are judged where a manager makes them, and reported as
 * out of reach where none does.
 */
#include "examined.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <vidmm/check.h>

static struct vidmm_check_result result;

static const struct vidmm_stage_result *
examine(const char *stage, uint32_t version, void (*request)(struct vidmm_request_record *record)) {
    const struct vidmm_spoiler spoiler = {.request = request};
    const struct vidmm_check_options options = {
        .stage = stage, .ddi_version = version, .seed = 1, .spoiler = &spoiler};
    vidmm_check(&options, &result);
    return examined_stage(&result, stage);
}

static void every_service_is_judged(void **state) {
    (void)state;
    const struct vidmm_stage_result *stage = examine("residency", 0, NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    for (uint32_t rule = 284; rule <= 310; rule++) {
        const struct vidmm_rule *row = vidmm_rule(rule);
        if (row->judged && (row->side & VIDMM_SIDE_BOTH) != 0)
            assert_string_equal(vidmm_check_outcome(&result, rule), "passed");
    }
}

static DRIVER_INITIALIZATION_DATA good;

static NTSTATUS APIENTRY query_all_local(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    bool described = status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_QUERYSEGMENT4 &&
                     out->pSegmentDescriptor;
    for (UINT i = 0; described && i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR4 *segment =
            (void *)(out->pSegmentDescriptor + i * out->SegmentDescriptorStride);
        segment->Flags.LocalBudgetGroup = 1;
        segment->Flags.NonLocalBudgetGroup = 0;
    }
    return status;
}

static void counts_its_aperture_as_local(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_all_local;
}

static void a_driver_has_the_budget_groups_that_it_wants(void **state) {
    const struct vidmm_spoiler spoiler = {.driver = counts_its_aperture_as_local};
    const struct vidmm_check_options options = {.stage = "residency",
                                                .ddi_version = DXGKDDI_INTERFACE_VERSION_WDDM2_1,
                                                .seed = 1,
                                                .spoiler = &spoiler};
    (void)state;
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 310), "passed");
}

/* The size of each surface is 4 KB more than whole pages of 64 KB. */
static NTSTATUS APIENTRY create_odd(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        if (args->pAllocationInfo[i].Size > 65536)
            args->pAllocationInfo[i].Size -= 65536 - 4096;
    return status;
}

static void has_sizes_of_no_whole_pages(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_odd;
}

/* gpummu-model.md: memory is managed by pages of 64 KB, where the driver chose them. */
static void usage_is_of_whole_pages_of_64k(void **state) {
    static const struct vidmm_host_setting pages[] = {{"MmuPages", 1}};
    const struct vidmm_spoiler spoiler = {.driver = has_sizes_of_no_whole_pages};
    const struct vidmm_check_options options = {.stage = "residency",
                                                .settings = pages,
                                                .setting_count = 1,
                                                .seed = 1,
                                                .spoiler = &spoiler};
    (void)state;
    vidmm_check(&options, &result);
    assert_string_equal(vidmm_check_outcome(&result, 310), "passed");
}

static void without_an_mmu_it_is_out_of_reach(void **state) {
    (void)state;
    const struct vidmm_stage_result *stage =
        examine("residency", DXGKDDI_INTERFACE_VERSION_WIN8, NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_SKIPPED);
    assert_string_equal(stage->text, "the driver has no virtual addresses");
    assert_string_equal(vidmm_check_outcome(&result, 284), "not reached");
}

static void ranges_are_judged_before_wddm2(void **state) {
    (void)state;
    static const uint32_t rules[] = {349, 350, 351, 352};
    const struct vidmm_stage_result *stage =
        examine("ranges", DXGKDDI_INTERFACE_VERSION_WIN8, NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        assert_string_equal(vidmm_check_outcome(&result, rules[i]), "passed");
}

static void without_a_host_aperture_nothing_is_mapped(void **state) {
    (void)state;
    const struct vidmm_stage_result *stage =
        examine("host-aperture", DXGKDDI_INTERFACE_VERSION_WDDM1_3, NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_SKIPPED);
    assert_string_equal(stage->text, "the driver has no CPU host aperture");
}

/* A record with more allocations than there is room for does no harm. */
static void too_many(struct vidmm_request_record *record) {
    record->residency.count = UINT32_MAX;
}

static void nonsense_is_survived(void **state) {
    (void)state;
    (void)examine("residency", 0, too_many);
    assert_int_not_equal(result.status, VIDMM_CHECK_PASSED);
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        assert_int_equal(result.ledger.finding[i].kind, VIDMM_FINDING_RULE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_service_is_judged),
        cmocka_unit_test(a_driver_has_the_budget_groups_that_it_wants),
        cmocka_unit_test(usage_is_of_whole_pages_of_64k),
        cmocka_unit_test(without_an_mmu_it_is_out_of_reach),
        cmocka_unit_test(ranges_are_judged_before_wddm2),
        cmocka_unit_test(without_a_host_aperture_nothing_is_mapped),
        cmocka_unit_test(nonsense_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
