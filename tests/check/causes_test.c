/*
 * causes_test.c - findings of one cause are one, with what follows from it; two mistakes are two; and
 * each finding has an identity that stays.
 */
#include "causes.h"
#include "examined.h"
#include "report_text.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct vidmm_check_result result;
static DRIVER_INITIALIZATION_DATA good;

/* The reference driver, which loses the second page that it unmaps (R200). */
static const struct vidmm_host_setting unmaps_wrong[] = {{"FaultKind", 7}, {"FaultAt", 2}};

static void examine(void (*spoil)(DRIVER_INITIALIZATION_DATA *table), const char *stage,
                    bool unmap_wrong, uint64_t seed) {
    const struct vidmm_spoiler spoiler = {.driver = spoil};
    const struct vidmm_check_options options = {.stage = stage,
                                                .spoiler = spoil ? &spoiler : NULL,
                                                .settings = unmaps_wrong,
                                                .setting_count = unmap_wrong ? 2 : 0,
                                                .seed = seed};
    vidmm_check(&options, &result);
}

static uint32_t leads(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        count += result.mark[i].follows == 0;
    return count;
}

/* The mark of the first finding of a rule. */
static const struct vidmm_finding_mark *mark_of(uint32_t rule) {
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        if (result.ledger.finding[i].rule == rule)
            return &result.mark[i];
    fail_msg("nothing of row %u was found", rule);
    return NULL;
}

/* ---- One cause ------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY refuse_to_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    (void)args;
    return STATUS_NOT_IMPLEMENTED;
}

static void builds_nothing(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = refuse_to_build;
}

static void one_rule_in_many_operations_is_one_finding(void **state) {
    (void)state;
    examine(builds_nothing, NULL, false, 0);
    assert_true(result.ledger.findings > 2);
    assert_int_equal(leads(), 1);
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false), "also: "));
}

/* Page tables in DRIVERCAPS, and none in PHYSICALADAPTERCAPS; and operations that the driver does not know without them. */
static NTSTATUS APIENTRY forget_tables(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS && NT_SUCCESS(status))
        ((DXGK_PHYSICALADAPTERCAPS *)args->pOutputData)->Flags.GpuMmuSupported = 0;
    return status;
}

static void forgets_tables(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = refuse_to_build;
    table->DxgkDdiQueryAdapterInfo = forget_tables;
}

static void what_caps_contradict_comes_before_what_follows(void **state) {
    const struct vidmm_spoiler spoiler = {.driver = forgets_tables};
    const struct vidmm_host_setting tables[] = {{"MmuLevels", 4}};
    const struct vidmm_check_options options = {
        .spoiler = &spoiler, .settings = tables, .setting_count = 1};
    (void)state;
    vidmm_check(&options, &result);
    assert_true(result.ledger.findings > 1);
    assert_int_equal(mark_of(536)->follows, 0);
    assert_int_equal(leads(), 1);
}

/* No memory segment keeps anything in standby, which is R55 and advice. */
static NTSTATUS APIENTRY preserve_nothing(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT3 || !NT_SUCCESS(status))
        return status;
    for (uint32_t i = 0; out->pSegmentDescriptor && i < out->NbSegment; i++)
        out->pSegmentDescriptor[i].Flags.PreservedDuringStandby = 0;
    return status;
}

static NTSTATUS APIENTRY present_from_destination(const HANDLE context, DXGKARG_PRESENT *args) {
    const RECT from = args->SrcRect;
    args->SrcRect = args->DstRect;
    NTSTATUS status = good.DxgkDdiPresent(context, args);
    args->SrcRect = from;
    return status;
}

static void preserves_nothing_and_presents_wrong(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = preserve_nothing;
    table->DxgkDdiPresent = present_from_destination;
}

static void what_only_costs_time_explains_nothing(void **state) {
    const struct vidmm_spoiler spoiler = {.driver = preserves_nothing_and_presents_wrong};
    const struct vidmm_host_setting settings[] = {
        {"Nodes", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8}};
    const struct vidmm_check_options options = {
        .spoiler = &spoiler, .stage = "room", .settings = settings, .setting_count = 2};
    (void)state;
    vidmm_check(&options, &result);
    assert_int_not_equal(result.ledger.broken[55], 0);
    assert_int_equal(mark_of(603)->follows, 0);
}

/* Paging is wrong as well, which may explain each pixel. */
static void what_may_follow_from_a_finding_is_held_back_and_told_as_such(void **state) {
    const struct vidmm_spoiler spoiler = {.driver = preserves_nothing_and_presents_wrong};
    const struct vidmm_host_setting settings[] = {{"Nodes", 1}, {"FaultKind", 7}, {"FaultAt", 2}};
    const struct vidmm_check_options options = {
        .spoiler = &spoiler, .stage = "room", .settings = settings, .setting_count = 3};
    (void)state;
    vidmm_check(&options, &result);
    assert_int_equal(result.ledger.broken[603], 0);
    assert_int_not_equal(result.ledger.held[603], 0);
    const char *told = strstr(report_text(&result, VIDMM_CHECK_TEXT, false), "\nheld back: R");
    assert_non_null(told);
    assert_non_null(strstr(told, "R603"));
}

/* Surfaces have one page, and share the others. */
static NTSTATUS APIENTRY create_one_page(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (uint32_t i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Size = 4096;
    return status;
}

static void creates_one_page(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_one_page;
}

static void bytes_of_other_surfaces_follow_from_a_size_that_is_too_small(void **state) {
    (void)state;
    examine(creates_one_page, NULL, false, 0);
    assert_true(result.ledger.findings > 1);
    assert_int_equal(mark_of(637)->follows, 0);
    assert_int_not_equal(mark_of(185)->follows, 0);
}

/* The GPU fetches from within a command on, where the part of a buffer is not its first. */
static NTSTATUS APIENTRY submit_from_within(const HANDLE adapter,
                                            const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (args->Flags.Paging && args->DmaBufferSubmissionStartOffset != 0)
        mine.DmaBufferSubmissionStartOffset += 8;
    return good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void submits_from_within(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiSubmitCommand = submit_from_within;
}

static void errors_of_work_follow_from_the_wrong_part_of_a_buffer(void **state) {
    (void)state;
    examine(submits_from_within, NULL, false, 0);
    assert_int_equal(mark_of(602)->follows, 0);
    assert_int_equal(leads(), 1);
}

/* Not even engines are stopped. */
static NTSTATUS APIENTRY reset_nothing(const HANDLE adapter) {
    (void)adapter;
    return STATUS_SUCCESS;
}

static void resets_nothing(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiResetFromTimeout = reset_nothing;
}

static void fences_follow_from_work_that_a_reset_left(void **state) {
    (void)state;
    examine(resets_nothing, "preempt,engines", false, 0);
    assert_int_equal(mark_of(421)->follows, 0);
    assert_int_equal(leads(), 1);
}

/* In D3 it loses its queue, and does not know since what was completed. */
static bool lost;

static NTSTATUS APIENTRY lose_power(const PVOID context, ULONG device, DEVICE_POWER_STATE state,
                                    POWER_ACTION action) {
    lost = lost || state == PowerDeviceD3;
    return good.DxgkDdiSetPowerState(context, device, state, action);
}

static NTSTATUS APIENTRY submit_to_lost(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    return lost ? STATUS_SUCCESS : good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY reset_lost(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = good.DxgkDdiResetEngine(adapter, args);
    args->LastAbortedFenceId = lost ? 0 : args->LastAbortedFenceId;
    return status;
}

static void loses_its_queue(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    lost = false;
    table->DxgkDdiSetPowerState = lose_power;
    table->DxgkDdiSubmitCommand = submit_to_lost;
    table->DxgkDdiResetEngine = reset_lost;
}

static void fences_follow_from_a_queue_that_was_lost(void **state) {
    (void)state;
    examine(loses_its_queue, "power", false, 0);
    assert_int_equal(mark_of(651)->follows, 0);
    assert_int_equal(leads(), 1);
}

static NTSTATUS APIENTRY move_back(const HANDLE context, DXGKARG_RENDER *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = good.DxgkDdiRender(context, args);
    args->pPatchLocationListOut = first - 1;
    return status;
}

static void moves_back(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiRender = move_back;
}

/* What lies in front of the list is nobody's element (R394). */
static void a_pointer_that_leaves_its_list_updates_no_element_of_it(void **state) {
    (void)state;
    examine(moves_back, "paging", false, 0);
    assert_int_not_equal(result.ledger.findings, 0);
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        assert_int_not_equal(result.ledger.finding[i].rule, 394);
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false),
                           "DxgkDdiRender moved pPatchLocationListOut to no element of its list"));
}

/* Its preemptions are for a DPC that was never initialized, which the kernel does not queue. */
static NTSTATUS APIENTRY preempt_by_dpc(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    static KDPC never_initialized;
    (void)adapter;
    (void)args;
    (void)KeInsertQueueDpc(&never_initialized, NULL, NULL);
    return STATUS_SUCCESS;
}

static void preempts_by_dpc(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPreemptCommand = preempt_by_dpc;
}

static void what_is_never_reported_follows_from_what_the_host_saw(void **state) {
    (void)state;
    examine(preempts_by_dpc, "preempt", false, 0);
    assert_int_equal(leads(), 1);
    assert_int_equal(mark_of(VIDMM_K_OBJECT)->follows, 0);
    assert_int_not_equal(mark_of(561)->follows, 0);
}

static NTSTATUS APIENTRY refuse_to_start(PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE callbacks, PULONG sources,
                                         PULONG children) {
    (void)context;
    (void)info;
    (void)callbacks;
    (void)sources;
    (void)children;
    return STATUS_DEVICE_CONFIGURATION_ERROR;
}

static void starts_not(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = refuse_to_start;
}

static uint32_t times_said(const char *text, const char *word) {
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void a_failed_start_is_one_sentence(void **state) {
    (void)state;
    examine(starts_not, NULL, false, 0);
    assert_int_equal(result.status, VIDMM_CHECK_DRIVER_FAILED);
    assert_int_equal(leads(), 1);
    assert_int_equal(mark_of(VIDMM_K_START)->follows, 0);
    const char *text = report_text(&result, VIDMM_CHECK_TEXT, false);
    assert_int_equal(times_said(text, "the driver does not start"), 1);
}

static VOID APIENTRY crash_at_the_end(VOID) {
    (void)raise(SIGSEGV);
}

static void crashes_at_the_end(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiUnload = crash_at_the_end;
}

static void a_crash_names_the_breach_before_it(void **state) {
    (void)state;
    examine(crashes_at_the_end, "paging", true, 0);
    const char *text = report_text(&result, VIDMM_CHECK_TEXT, false);
    assert_non_null(strstr(text, "after R200 broken in DxgkDdiBuildPagingBuffer(UNMAP_APERTURE_"
                                 "SEGMENT), call "));
    text = report_text(&result, VIDMM_CHECK_JSON, false);
    assert_non_null(strstr(text, "\"after\": \"after R200 broken in "));
}

/* ---- All that is missing at once ------------------------------------------------------------- */

static void examine_mmu(void (*spoil)(DRIVER_INITIALIZATION_DATA *table)) {
    const struct vidmm_host_setting settings[] = {{"MmuLevels", 4}};
    const struct vidmm_spoiler spoiler = {.driver = spoil};
    const struct vidmm_check_options options = {
        .spoiler = &spoiler, .settings = settings, .setting_count = 1};
    vidmm_check(&options, &result);
}

/* Builds no flush. What is moved by addresses that the TLB still has follows. */
static NTSTATUS APIENTRY build_no_flush(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_FLUSH_TLB
               ? STATUS_SUCCESS
               : good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void builds_no_flush(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_no_flush;
}

static void what_a_tlb_misleads_follows_from_the_flush(void **state) {
    const struct vidmm_host_setting settings[] = {{"MmuLevels", 4}};
    const struct vidmm_spoiler spoiler = {.driver = builds_no_flush};
    const struct vidmm_check_options options = {
        .stage = "paging", .spoiler = &spoiler, .settings = settings, .setting_count = 1};
    (void)state;
    vidmm_check(&options, &result);
    assert_int_equal(mark_of(230)->follows, 0);
    assert_int_not_equal(mark_of(240)->follows, 0);
}

static NTSTATUS unanswered; /* what queries of the MMU and of adapters are answered with */

static NTSTATUS APIENTRY query_without_mmu(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    bool kept = args->Type != DXGKQAITYPE_PHYSICALADAPTERCAPS &&
                args->Type != DXGKQAITYPE_GPUMMUCAPS &&
                args->Type != DXGKQAITYPE_PAGETABLELEVELDESC;
    return kept ? good.DxgkDdiQueryAdapterInfo(adapter, args) : unanswered;
}

static void answers_no_mmu(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_without_mmu;
}

static void unanswered_queries_are_told_in_one_sentence(void **state) {
    (void)state;
    unanswered = STATUS_INVALID_PARAMETER;
    examine_mmu(answers_no_mmu);
    const struct vidmm_finding *finding = &result.ledger.finding[0];
    assert_int_equal(leads(), 1);
    assert_int_equal(finding->rule, 625);
    assert_non_null(strstr(finding->found, "refused: PHYSICALADAPTERCAPS with "));
    assert_non_null(strstr(finding->found, "GPUMMUCAPS with "));
}

static void queries_answered_otherwise_are_told_in_one_sentence(void **state) {
    (void)state;
    unanswered = STATUS_UNSUCCESSFUL;
    examine_mmu(answers_no_mmu);
    const struct vidmm_finding *finding = &result.ledger.finding[0];
    assert_int_equal(leads(), 1);
    assert_int_equal(finding->rule, 27);
    assert_non_null(strstr(finding->found, "PHYSICALADAPTERCAPS with "));
    assert_non_null(strstr(finding->found, "GPUMMUCAPS with "));
    assert_non_null(strstr(finding->found, "PAGETABLELEVELDESC with "));
    assert_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false), "also: "));
}

/* Some are missed by the table alone, some with what DxgkDdiStartDevice and the caps say. */
static void lacks_functions(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiOpenAllocation = NULL;
    table->DxgkDdiDestroyAllocation = NULL;
    table->DxgkDdiSetRootPageTable = NULL;
    table->DxgkDdiCancelCommand = NULL;
}

static void empty_slots_are_told_in_one_sentence(void **state) {
    static const char *const missing[] = {"DxgkDdiOpenAllocation", "DxgkDdiDestroyAllocation",
                                          "DxgkDdiSetRootPageTable"};
    (void)state;
    examine_mmu(lacks_functions);
    assert_int_equal(leads(), 1);
    assert_int_equal(result.ledger.finding[0].rule, 477);
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
        assert_int_equal(times_said(result.ledger.finding[0].found, missing[i]), 1);
}

/* ---- Races ----------------------------------------------------------------------------------- */

static struct causes lives;
static const char race[] = "an interrupt came between two instructions",
                  damaged[] = "bug check 0x139: a list is damaged";

/* A life in which these were found, in this order. */
static void live(const char *const *found, size_t count) {
    vidmm_ledger_begin(&result.ledger);
    for (size_t i = 0; i < count; i++)
        vidmm_ledger_note(&result.ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", found[i]);
    causes_take(&lives, &result.ledger);
}

static void begin_lives(void) {
    memset(&result, 0, sizeof(result));
    memset(&lives, 0, sizeof(lives));
}

/* ---- Resets ---------------------------------------------------------------------------------- */

static void judge(uint32_t rule, bool kept) {
    result.ledger.calls++;
    vidmm_ledger_judge(&result.ledger, rule, VIDMM_SIDE_DRIVER, kept, "so", "not so");
}

static void enter(const char *call) {
    result.ledger.calls++;
    vidmm_ledger_entered(&result.ledger, call);
}

/* Kept twice in the life before, and three times in this one, until it is reset. */
static void live_until_reset(void) {
    begin_lives();
    vidmm_ledger_begin(&result.ledger);
    judge(194, true);
    judge(194, true);
    vidmm_ledger_begin(&result.ledger);
    for (uint32_t i = 0; i < 3; i++)
        judge(194, true);
    enter("DxgkDdiRestartFromTimeout");
}

static void a_finding_tells_the_reset_until_which_its_rule_was_kept(void **state) {
    (void)state;
    live_until_reset();
    judge(194, false);
    assert_int_equal(result.ledger.finding[0].kept_until, 3);
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false),
                           "kept:     3 times until DxgkDdiRestartFromTimeout (call 6), and never "
                           "since\n"));
}

static void a_rule_that_was_kept_behind_a_reset_has_nothing_to_do_with_it(void **state) {
    (void)state;
    live_until_reset();
    judge(194, true);
    judge(194, false);
    assert_int_equal(result.ledger.finding[0].kept_until, 0);
}

static void a_reset_is_of_its_life(void **state) {
    (void)state;
    live_until_reset();
    vidmm_ledger_begin(&result.ledger);
    judge(194, false);
    assert_int_equal(result.ledger.finding[0].kept_until, 0);
}

/* ---- Races of a life ------------------------------------------------------------------------- */

static void a_damaged_list_follows_from_a_race_of_its_life(void **state) {
    const char *const both[] = {race, damaged};
    (void)state;
    begin_lives();
    live(&both[1], 1); /* more lives show the list alone */
    live(&both[1], 1);
    live(both, 2);
    causes_conclude(&lives, &result);
    assert_int_equal(leads(), 1);
    assert_int_equal(mark_of(VIDMM_K_RACE)->follows, 0);
}

static void a_damaged_list_of_another_life_stays_a_finding_of_its_own(void **state) {
    const char *const both[] = {race, damaged};
    (void)state;
    begin_lives();
    live(&both[0], 1);
    live(&both[1], 1);
    causes_conclude(&lives, &result);
    assert_int_equal(leads(), 2);
}

/* ---- How far a rule reaches ------------------------------------------------------------------- */

/* A life in which DxgkDdiPresent breaks a rule, and an event is lost later. */
static void live_until_lost(uint32_t rule) {
    begin_lives();
    vidmm_ledger_begin(&result.ledger);
    vidmm_ledger_calling(&result.ledger, "DxgkDdiPresent");
    judge(rule, false);
    vidmm_ledger_calling(&result.ledger, NULL);
    result.ledger.calls++;
    vidmm_ledger_note(&result.ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                      "work ended between two instructions, and was not reported");
    causes_take(&lives, &result.ledger);
    causes_conclude(&lives, &result);
}

static void what_reaches_work_explains_that_an_event_is_lost(void **state) {
    (void)state;
    live_until_lost(603);
    assert_int_equal(leads(), 1);
    assert_int_not_equal(mark_of(VIDMM_K_RACE)->follows, 0);
}

static void what_reaches_displays_alone_does_not(void **state) {
    (void)state;
    live_until_lost(648);
    assert_int_equal(leads(), 2);
    assert_int_equal(result.ledger.finding[1].after, 0);
}

/* ---- Two causes ------------------------------------------------------------------------------ */

static NTSTATUS APIENTRY query_coherent(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (status != STATUS_SUCCESS || args->Type != DXGKQAITYPE_QUERYSEGMENT4 ||
        !out->pSegmentDescriptor)
        return status;
    for (UINT i = 0; i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR4 *segment =
            (void *)(out->pSegmentDescriptor + i * out->SegmentDescriptorStride);
        if (!segment->Flags.Aperture)
            segment->Flags.CacheCoherent = 1;
    }
    return status;
}

static void describes_wrong(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_coherent;
}

static void mistakes_in_calls_that_share_nothing_stay_two(void **state) {
    (void)state;
    examine(describes_wrong, "paging", true, 0);
    assert_int_equal(mark_of(45)->follows, 0);
    assert_int_equal(mark_of(200)->follows, 0);
    assert_int_equal(leads(), 2);
}

static NTSTATUS APIENTRY build_and_free(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        ExFreePool(NULL);
    return good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void frees_nothing(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_and_free;
}

static void what_a_function_does_after_it_spoilt_memory_follows_from_that(void **state) {
    (void)state;
    examine(frees_nothing, "paging", true, 0);
    assert_int_equal(mark_of(VIDMM_K_POOL)->follows, 0);
    assert_int_not_equal(mark_of(200)->follows, 0);
    assert_int_equal(leads(), 1);
}

static NTSTATUS APIENTRY standard_too_long(const HANDLE adapter,
                                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    NTSTATUS status = good.DxgkDdiGetStandardAllocationDriverData(adapter, args);
    if (status == STATUS_SUCCESS && args->pAllocationPrivateDriverData)
        ((BYTE *)args->pAllocationPrivateDriverData)[args->AllocationPrivateDriverDataSize] = 0;
    return status;
}

static NTSTATUS APIENTRY describe_nothing(const HANDLE adapter, DXGKARG_DESCRIBEALLOCATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void says_too_much_of_surfaces(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiGetStandardAllocationDriverData = standard_too_long;
    table->DxgkDdiDescribeAllocation = describe_nothing;
}

static void what_is_said_of_surfaces_follows_from_data_behind_their_room(void **state) {
    (void)state;
    examine(says_too_much_of_surfaces, "objects", false, 0);
    assert_int_equal(mark_of(VIDMM_K_GUARD)->follows, 0);
    assert_int_not_equal(mark_of(400)->follows, 0);
}

static NTSTATUS APIENTRY start_and_keep(PVOID context, PDXGK_START_INFO info,
                                        PDXGKRNL_INTERFACE callbacks, PULONG sources,
                                        PULONG children) {
    (void)ExAllocatePoolWithTag(NonPagedPoolNx, 40, 0x70656b20u);
    return good.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

static NTSTATUS APIENTRY create_one_of_several(const HANDLE adapter,
                                               DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    if (status == STATUS_SUCCESS && args->NumAllocations > 1)
        args->pAllocationInfo[1].hAllocation = NULL;
    return status;
}

static void keeps_and_creates_wrong(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiStartDevice = start_and_keep;
    table->DxgkDdiCreateAllocation = create_one_of_several;
}

static void what_is_left_in_every_life_follows_from_nothing_of_one_life(void **state) {
    (void)state;
    examine(keeps_and_creates_wrong, NULL, false, 0);
    assert_int_equal(mark_of(136)->follows, 0);
    assert_int_equal(mark_of(VIDMM_K_LEAK_POOL)->follows, 0);
}

static NTSTATUS APIENTRY keep_context(const HANDLE context) {
    (void)context;
    return STATUS_SUCCESS;
}

static void keeps_contexts(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiDestroyContext = keep_context;
}

static void what_is_left_at_the_end_follows_from_what_contexts_left(void **state) {
    (void)state;
    examine(keeps_contexts, NULL, false, 0);
    assert_int_equal(mark_of(627)->follows, 0);
    assert_int_not_equal(mark_of(VIDMM_K_LEAK_POOL)->follows, 0);
}

static NTSTATUS APIENTRY destroy_and_keep(const HANDLE adapter,
                                          const DXGKARG_DESTROYALLOCATION *args) {
    (void)ExAllocatePoolWithTag(NonPagedPoolNx, 40, 0x70656b20u);
    return good.DxgkDdiDestroyAllocation(adapter, args);
}

static void keeps_for_each_surface(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiDestroyAllocation = destroy_and_keep;
    table->DxgkDdiCreateAllocation = create_one_of_several;
}

static void a_breach_of_one_life_explains_nothing_of_another(void **state) {
    (void)state;
    examine(keeps_for_each_surface, NULL, false, 0);
    assert_int_equal(mark_of(136)->follows, 0);
    assert_int_equal(mark_of(142)->follows, 0);
}

/* ---- Identities ------------------------------------------------------------------------------ */

static void an_identity_is_the_same_with_every_seed(void **state) {
    (void)state;
    char first[VIDMM_IDENTITY];
    examine(describes_wrong, "start", false, 0);
    snprintf(first, sizeof(first), "%s", mark_of(45)->identity);
    assert_memory_equal(first, "R45-", 4);
    assert_int_equal(strspn(first + 4, "0123456789abcdef"), 6);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        examine(describes_wrong, "operations", true, seed);
        assert_string_equal(mark_of(45)->identity, first);
    }
}

static void an_identity_depends_on_what_a_finding_is_about(void **state) {
    (void)state;
    struct vidmm_finding finding = {.kind = VIDMM_FINDING_RULE,
                                    .who = VIDMM_SIDE_DRIVER,
                                    .rule = 200,
                                    .places = 1,
                                    .where = "DxgkDdiPatch",
                                    .found = "page 3 differs",
                                    .expected = "at least 4096 bytes"};
    char one[VIDMM_IDENTITY], other[VIDMM_IDENTITY];
    snprintf(finding.place[0].function, sizeof(finding.place[0].function), "patch");
    vidmm_finding_identity(&finding, one);
    finding.place[0].line = 77; /* an edit above it */
    finding.call = 12;
    snprintf(finding.found, sizeof(finding.found), "page 4 differs");
    snprintf(finding.expected, sizeof(finding.expected), "at least 8192 bytes");
    vidmm_finding_identity(&finding, other);
    assert_string_equal(one, other);
    snprintf(finding.place[0].function, sizeof(finding.place[0].function), "render");
    vidmm_finding_identity(&finding, other);
    assert_string_not_equal(one, other);
    snprintf(finding.place[0].function, sizeof(finding.place[0].function), "patch");
    snprintf(finding.where, sizeof(finding.where), "DxgkDdiRender");
    vidmm_finding_identity(&finding, other);
    assert_string_not_equal(one, other);
}

static void sentences_that_differ_in_numbers_are_one(void **state) {
    (void)state;
    static struct vidmm_ledger ledger;
    for (uint32_t i = 0; i < 5; i++)
        vidmm_ledger_note(&ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "MmMapIoSpace of %u bytes at 0x%x, which is not in a BAR", i, i * 0xabcd);
    vidmm_ledger_note(&ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "ExFreePool of NULL");
    assert_int_equal(ledger.findings, 2);
    assert_int_equal(ledger.finding[0].times, 5);
    assert_int_equal(ledger.finding[0].rule, VIDMM_K_MEMORY);
    assert_int_equal(ledger.finding[1].rule, VIDMM_K_POOL);
    assert_int_equal(ledger.broken[VIDMM_K_MEMORY], 5);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

/* With --only, stages that show none of the groups do not run. */
static void expect_groups(size_t index, const struct vidmm_host_setting *setting) {
    const char *groups = vidmm_check_stage_groups(index);
    const struct vidmm_check_options options = {
        .stage = vidmm_check_stage_at(index, NULL), .settings = setting, .setting_count = 1};
    vidmm_check(&options, &result);
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++)
        if (result.ledger.kept[number] != 0 && !strchr(groups, vidmm_rule(number)->group))
            fail_msg("stage %s shows R%u: stages.c has to name group %c", options.stage, number,
                     vidmm_rule(number)->group);
}

static void a_stage_names_the_groups_that_it_shows(void **state) {
    (void)state;
    static const struct vidmm_host_setting settings[] = {{"Banks", 1}, {"MmuLevels", 4}};
    for (size_t i = 0; vidmm_check_stage_at(i, NULL); i++)
        for (size_t k = 0; k < 2; k++)
            expect_groups(i, &settings[k]);
}

static void stages_that_show_nothing_asked_for_do_not_run(void **state) {
    (void)state;
    struct vidmm_check_options options = {.only_some = true};
    options.only[266] = 1; /* the CPU host aperture */
    vidmm_check(&options, &result);
    for (uint32_t i = 0; i < result.stages; i++) {
        bool shows = strchr(vidmm_check_stage_groups(i), vidmm_rule(266)->group);
        assert_true((result.stage[i].outcome == VIDMM_STAGE_LEFT_OUT) == !shows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rule_in_many_operations_is_one_finding),
        cmocka_unit_test(bytes_of_other_surfaces_follow_from_a_size_that_is_too_small),
        cmocka_unit_test(what_only_costs_time_explains_nothing),
        cmocka_unit_test(what_may_follow_from_a_finding_is_held_back_and_told_as_such),
        cmocka_unit_test(errors_of_work_follow_from_the_wrong_part_of_a_buffer),
        cmocka_unit_test(fences_follow_from_work_that_a_reset_left),
        cmocka_unit_test(fences_follow_from_a_queue_that_was_lost),
        cmocka_unit_test(what_caps_contradict_comes_before_what_follows),
        cmocka_unit_test(a_pointer_that_leaves_its_list_updates_no_element_of_it),
        cmocka_unit_test(what_is_never_reported_follows_from_what_the_host_saw),
        cmocka_unit_test(a_failed_start_is_one_sentence),
        cmocka_unit_test(a_crash_names_the_breach_before_it),
        cmocka_unit_test(what_a_tlb_misleads_follows_from_the_flush),
        cmocka_unit_test(unanswered_queries_are_told_in_one_sentence),
        cmocka_unit_test(queries_answered_otherwise_are_told_in_one_sentence),
        cmocka_unit_test(empty_slots_are_told_in_one_sentence),
        cmocka_unit_test(a_finding_tells_the_reset_until_which_its_rule_was_kept),
        cmocka_unit_test(a_rule_that_was_kept_behind_a_reset_has_nothing_to_do_with_it),
        cmocka_unit_test(a_reset_is_of_its_life),
        cmocka_unit_test(a_damaged_list_follows_from_a_race_of_its_life),
        cmocka_unit_test(a_damaged_list_of_another_life_stays_a_finding_of_its_own),
        cmocka_unit_test(what_reaches_work_explains_that_an_event_is_lost),
        cmocka_unit_test(what_reaches_displays_alone_does_not),
        cmocka_unit_test(mistakes_in_calls_that_share_nothing_stay_two),
        cmocka_unit_test(what_a_function_does_after_it_spoilt_memory_follows_from_that),
        cmocka_unit_test(what_is_said_of_surfaces_follows_from_data_behind_their_room),
        cmocka_unit_test(what_is_left_in_every_life_follows_from_nothing_of_one_life),
        cmocka_unit_test(what_is_left_at_the_end_follows_from_what_contexts_left),
        cmocka_unit_test(a_breach_of_one_life_explains_nothing_of_another),
        cmocka_unit_test(an_identity_is_the_same_with_every_seed),
        cmocka_unit_test(an_identity_depends_on_what_a_finding_is_about),
        cmocka_unit_test(sentences_that_differ_in_numbers_are_one),
        cmocka_unit_test(a_stage_names_the_groups_that_it_shows),
        cmocka_unit_test(stages_that_show_nothing_asked_for_do_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
