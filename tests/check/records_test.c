/*
 * records_test.c - drivers that do what records of docs/records.md tell, and what the check says of
 * them. The records name these tests.
 *
 * A driver that is known to start is not told that its start fails, and what is known to end badly
 * is named.
 */
#include "examined.h"
#include "report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static DRIVER_INITIALIZATION_DATA good;
static struct vidmm_check_result result;

static const struct vidmm_host_setting wddm1_3 = {"InterfaceVersion",
                                                  DXGKDDI_INTERFACE_VERSION_WDDM1_3};
static const struct vidmm_host_setting with_mmu = {"MmuLevels", 4};

static void examine(void (*spoil)(DRIVER_INITIALIZATION_DATA *table), const char *stage,
                    const struct vidmm_host_setting *setting) {
    examined_spoiled(&result, spoil, stage, setting);
}

/* Nothing counts that ends a start or the system. */
static void assert_starts(void) {
    for (uint32_t i = 0; i < result.ledger.findings; i++) {
        const struct vidmm_finding *finding = &result.ledger.finding[i];
        if (vidmm_finding_severity(finding) <= VIDMM_SEVERITY_START_FAILS)
            fail_msg("%s: %s", finding->where, finding->found);
    }
}

static const struct vidmm_finding *found_of(uint32_t rule) {
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        if (result.ledger.finding[i].rule == rule)
            return &result.ledger.finding[i];
    fail_msg("there is no finding of rule %u among %u", rule, result.ledger.findings);
    return NULL;
}

/* ---- Queries --------------------------------------------------------------------------------- */

/* Answers what a driver of WDDM 1.3 was asked, and nothing else. */
static NTSTATUS APIENTRY answer_few(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    bool known = args->Type == DXGKQAITYPE_DRIVERCAPS || args->Type == DXGKQAITYPE_QUERYSEGMENT3 ||
                 args->Type == DXGKQAITYPE_HISTORYBUFFERPRECISION;
    return known ? good.DxgkDdiQueryAdapterInfo(adapter, args) : STATUS_INVALID_PARAMETER;
}

static void answering_few(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = answer_few;
}

static void w2_three_queries_are_enough(void **state) {
    (void)state;
    examine(answering_few, "query", &wddm1_3);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    examine(answering_few, "paging", &wddm1_3);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(examined_stage(&result, "paging")->outcome, VIDMM_STAGE_DONE);
}

static NTSTATUS APIENTRY state_nothing(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status) &&
        args->OutputDataSize > offsetof(DXGK_DRIVERCAPS, SupportSmoothRotation)) {
        caps->WDDMVersion = 0;
        caps->SupportSmoothRotation = 0;
    }
    return status;
}

static void stating_nothing(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = state_nothing;
}

/* ns-d3dkmddi-_dxgk_drivercaps.md wants 0 there, so that it is told and not held against a driver. */
static void w3_caps_without_a_version_are_told(void **state) {
    (void)state;
    examine(stating_nothing, "start", &wddm1_3);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    const char *text = report_text(&result, VIDMM_CHECK_TEXT, false);
    assert_non_null(strstr(text, "DRIVERCAPS says no WDDMVersion"));
    assert_non_null(strstr(text, "W3"));
}

static NTSTATUS APIENTRY write_past(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status))
        memset((unsigned char *)args->pOutputData + args->OutputDataSize, 0, 40);
    return status;
}

static void writing_past(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = write_past;
}

static void w31_an_answer_past_its_buffer_is_no_failed_start(void **state) {
    (void)state;
    examine(writing_past, "query", &wddm1_3);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_non_null(found_of(545));
    assert_starts();
}

static NTSTATUS APIENTRY put_in_aperture(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC && NT_SUCCESS(status)) {
        DXGK_PAGE_TABLE_LEVEL_DESC *level = args->pOutputData;
        level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = 1;
    }
    return status;
}

static void putting_tables_in_the_aperture(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = put_in_aperture;
}

static void w23_tables_in_an_aperture_do_not_start(void **state) {
    (void)state;
    examine(putting_tables_in_the_aperture, "paging", &with_mmu);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_non_null(found_of(546));
}

/* ---- The table ------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY promise(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status) &&
        args->OutputDataSize > offsetof(DXGK_DRIVERCAPS, SupportPerEngineTDR)) {
        caps->SchedulingCaps.MultiEngineAware = caps->SchedulingCaps.CancelCommandAware = 1;
        caps->SupportPerEngineTDR = TRUE;
    }
    return status;
}

static void lacking_five(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = promise;
    table->DxgkDdiCancelCommand = NULL;
    table->DxgkDdiQueryEngineStatus = NULL;
    table->DxgkDdiResetEngine = NULL;
    table->DxgkDdiQueryDependentEngineGroup = NULL;
    table->DxgkDdiPatch = NULL;
}

/* All of them in one sentence. */
static void w6_five_functions_are_missing(void **state) {
    static const char *const names[] = {"DxgkDdiCancelCommand", "DxgkDdiQueryEngineStatus",
                                        "DxgkDdiResetEngine", "DxgkDdiQueryDependentEngineGroup",
                                        "DxgkDdiPatch"};
    (void)state;
    examine(lacking_five, "start", &wddm1_3);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = found_of(477);
    assert_int_equal(vidmm_finding_severity(finding), VIDMM_SEVERITY_START_FAILS);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_non_null(strstr(finding->found, names[i]));
    assert_int_equal(result.ledger.findings, 1);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* What it takes for a pointer of the adapter's is a number of the device's, and leads nowhere. */
__attribute__((no_sanitize("undefined"), no_sanitize("address"))) static NTSTATUS APIENTRY
open_adapter(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const volatile UCHAR *volatile const *member = device;
    (void)**member;
    return good.DxgkDdiOpenAllocation(device, args);
}

static void opening_the_adapter(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiOpenAllocation = open_adapter;
}

static void w10_the_device_is_taken_for_the_adapter(void **state) {
    (void)state;
    examine(opening_the_adapter, "paging", &wddm1_3);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = examined_finding(&result, VIDMM_FINDING_CRASH);
    assert_non_null(finding);
    assert_non_null(strstr(finding->where, "DxgkDdiOpenAllocation"));
}

static NTSTATUS APIENTRY submit_physical(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    KeBugCheckEx(0x119, 0, 0, 0, 0);
}

static void submitting_by_address_only(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = submit_physical;
}

static void w13_paging_by_address_is_submitted_by_address(void **state) {
    (void)state;
    examine(submitting_by_address_only, "paging", &with_mmu);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(examined_stage(&result, "paging")->outcome, VIDMM_STAGE_DONE);
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

#define WAITING 64u

static DXGKRNL_INTERFACE dxgkrnl;
static DXGKARGCB_NOTIFY_INTERRUPT_DATA waiting[WAITING];
static uint32_t kept, told;

static VOID APIENTRY keep_report(const HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    (void)handle;
    waiting[kept++ % WAITING] = *data;
}

static VOID APIENTRY tell_in_dpc(const PVOID context) {
    while (told != kept)
        dxgkrnl.DxgkCbNotifyInterrupt(dxgkrnl.DeviceHandle, &waiting[told++ % WAITING]);
    good.DxgkDdiDpcRoutine(context);
}

static NTSTATUS APIENTRY start_telling(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE interface, PULONG sources,
                                       PULONG children) {
    DXGKRNL_INTERFACE mine = *interface;
    dxgkrnl = *interface;
    kept = told = 0;
    mine.DxgkCbNotifyInterrupt = keep_report;
    return good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static void telling_in_dpcs(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiStartDevice = start_telling;
    table->DxgkDdiDpcRoutine = tell_in_dpc;
}

static void w33_completions_out_of_the_dpc_lose_nothing(void **state) {
    (void)state;
    examine(telling_in_dpcs, "paging", NULL);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_non_null(found_of(VIDMM_K_NOTIFY));
    assert_starts();
    assert_int_equal(examined_stage(&result, "paging")->outcome, VIDMM_STAGE_DONE);
}

/* ---- Starting -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY start_copying(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE interface, PULONG sources,
                                       PULONG children) {
    static unsigned char copy[sizeof(*interface) + 8];
    for (size_t i = 0; i < sizeof(copy); i++)
        copy[i] = ((volatile unsigned char *)interface)[i];
    return good.DxgkDdiStartDevice(context, info, interface, sources, children);
}

static void copying_past_the_interface(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiStartDevice = start_copying;
}

static void w34_an_interface_copied_past_its_end_crashes(void **state) {
    (void)state;
    examine(copying_past_the_interface, "start", NULL);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = examined_finding(&result, VIDMM_FINDING_CRASH);
    assert_non_null(finding);
    assert_non_null(strstr(finding->where, "DxgkDdiStartDevice"));
}

/* ---- Preemption ------------------------------------------------------------------------------ */

static PDXGKRNL_INTERFACE kept_interface;

static NTSTATUS APIENTRY start_keeping(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE interface, PULONG sources,
                                       PULONG children) {
    kept_interface = interface;
    return good.DxgkDdiStartDevice(context, info, interface, sources, children);
}

static NTSTATUS APIENTRY stop_by_kept(const PVOID context) {
    const volatile ULONG *version = &kept_interface->Version;
    return *version != 0 ? good.DxgkDdiStopDevice(context) : STATUS_UNSUCCESSFUL;
}

static void keeping_the_interface(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiStartDevice = start_keeping;
    table->DxgkDdiStopDevice = stop_by_kept;
}

static void an_interface_that_is_kept_is_found(void **state) {
    (void)state;
    examine(keeping_the_interface, "query", NULL);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_non_null(strstr(found_of(VIDMM_K_CALLBACK)->found, "DXGKRNL_INTERFACE"));
}

/* The buffer's old state says that nothing of it is left to run. */
static NTSTATUS APIENTRY submit_as_before(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND nothing = *args;
    if (args->Flags.Resubmission)
        nothing.DmaBufferSubmissionStartOffset = args->DmaBufferSubmissionEndOffset;
    return good.DxgkDdiSubmitCommand(adapter, &nothing);
}

static void keeping_the_state(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiSubmitCommand = submit_as_before;
}

static void w35_a_resubmission_that_is_not_run_is_found(void **state) {
    (void)state;
    examine(keeping_the_state, "preempt", NULL);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_starts();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w2_three_queries_are_enough),
        cmocka_unit_test(w3_caps_without_a_version_are_told),
        cmocka_unit_test(w6_five_functions_are_missing),
        cmocka_unit_test(w10_the_device_is_taken_for_the_adapter),
        cmocka_unit_test(w13_paging_by_address_is_submitted_by_address),
        cmocka_unit_test(w23_tables_in_an_aperture_do_not_start),
        cmocka_unit_test(w31_an_answer_past_its_buffer_is_no_failed_start),
        cmocka_unit_test(w33_completions_out_of_the_dpc_lose_nothing),
        cmocka_unit_test(w34_an_interface_copied_past_its_end_crashes),
        cmocka_unit_test(an_interface_that_is_kept_is_found),
        cmocka_unit_test(w35_a_resubmission_that_is_not_run_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
