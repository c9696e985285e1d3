/*
 * What only some stages provoke: memory runs out in every call that may allocate, submissions wait
 * to be preempted, paging buffers have little room, and a driver whose user-mode half is unknown is
 * examined through the surfaces that the system makes for itself.
 */
#include "examined.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>
#include <vidmm/umd.h>

static DRIVER_INITIALIZATION_DATA good;
static struct vidmm_check_result result;

static enum vidmm_check_status examine(void (*spoil)(DRIVER_INITIALIZATION_DATA *table),
                                       const char *stage,
                                       const struct vidmm_host_setting *setting) {
    examined_spoiled(&result, spoil, stage, setting);
    return result.status;
}

static const struct vidmm_finding *find(enum vidmm_finding_kind kind) {
    return examined_finding(&result, kind);
}

static const struct vidmm_stage_result *stage_of(const char *name) {
    return examined_stage(&result, name);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* As one that writes to its memory without asking for it: a sanitizer would stop the write itself.
 */
static void allocate_carelessly(void) {
    void *block = ExAllocatePoolWithTag(NonPagedPool, 16, 0x65726163);
    if (!block)
        (void)raise(SIGSEGV);
    ExFreePoolWithTag(block, 0x65726163);
}

#define CARELESS(NAME, CONST_ARGS)                                                                 \
    static NTSTATUS APIENTRY careless_##NAME(const HANDLE handle, CONST_ARGS *args) {              \
        allocate_carelessly();                                                                     \
        return good.DxgkDdi##NAME(handle, args);                                                   \
    }                                                                                              \
    static void install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        good = *table;                                                                             \
        table->DxgkDdi##NAME = careless_##NAME;                                                    \
    }

CARELESS(QueryAdapterInfo, const DXGKARG_QUERYADAPTERINFO)
CARELESS(CreateDevice, DXGKARG_CREATEDEVICE)
CARELESS(CreateContext, DXGKARG_CREATECONTEXT)
CARELESS(CreateAllocation, DXGKARG_CREATEALLOCATION)
CARELESS(DestroyAllocation, const DXGKARG_DESTROYALLOCATION)
CARELESS(OpenAllocation, const DXGKARG_OPENALLOCATION)
CARELESS(CloseAllocation, const DXGKARG_CLOSEALLOCATION)
CARELESS(BuildPagingBuffer, DXGKARG_BUILDPAGINGBUFFER)
CARELESS(Patch, const DXGKARG_PATCH)
CARELESS(SubmitCommand, const DXGKARG_SUBMITCOMMAND)

static void memory_runs_out_in_every_call(void **state) {
    (void)state;
    static const struct {
        const char *call;
        void (*install)(DRIVER_INITIALIZATION_DATA *table);
    } calls[] = {
        {"QueryAdapterInfo", install_QueryAdapterInfo},
        {"CreateDevice", install_CreateDevice},
        {"CreateContext", install_CreateContext},
        {"CreateAllocation", install_CreateAllocation},
        {"DestroyAllocation", install_DestroyAllocation},
        {"OpenAllocation", install_OpenAllocation},
        {"CloseAllocation", install_CloseAllocation},
        {"BuildPagingBuffer", install_BuildPagingBuffer},
        {"Patch", install_Patch},
        {"SubmitCommand", install_SubmitCommand},
    };
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        assert_int_equal(examine(calls[i].install, "memory", NULL), VIDMM_CHECK_BROKEN);
        const struct vidmm_finding *crash = find(VIDMM_FINDING_CRASH);
        assert_non_null(crash);
        assert_non_null(strstr(crash->where, calls[i].call));
    }
}

/* ---- Room ------------------------------------------------------------------------------------ */

static bool buffer_is_new = true;

/* Knows a new paging buffer by its size, as Microsoft's compute-only sample does. */
static NTSTATUS APIENTRY build_by_size(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    static UINT whole;
    if (whole < args->DmaSize)
        whole = args->DmaSize;
    if (buffer_is_new && args->DmaSize != whole)
        return STATUS_UNSUCCESSFUL;
    buffer_is_new = false;
    return good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY submit_by_size(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    buffer_is_new = true;
    return good.DxgkDdiSubmitCommand(adapter, args);
}

static void building_by_size(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_by_size;
    table->DxgkDdiSubmitCommand = submit_by_size;
}

static void a_new_paging_buffer_is_whole(void **state) {
    (void)state;
    assert_int_equal(examine(building_by_size, "room", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("room")->outcome, VIDMM_STAGE_DONE);
}

/* What an allocation is stands in its private data, which are there again when it is opened. */
static NTSTATUS APIENTRY open_by_data(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++)
        if (!args->pOpenAllocation[i].pPrivateDriverData ||
            args->pOpenAllocation[i].PrivateDriverDataSize < sizeof(struct vidmm_umd_allocation))
            return STATUS_INVALID_PARAMETER;
    return good.DxgkDdiOpenAllocation(device, args);
}

static void opening_by_data(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiOpenAllocation = open_by_data;
}

static void allocations_are_opened_with_their_private_data(void **state) {
    static const struct vidmm_host_setting win7 = {"InterfaceVersion",
                                                   DXGKDDI_INTERFACE_VERSION_WIN7};
    (void)state;
    assert_int_equal(examine(opening_by_data, "room", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(examine(opening_by_data, "room", &win7), VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 398), "passed");
}

/* Of machines without memory beyond 4 GiB; each start has another handle. */
static HANDLE added;

static NTSTATUS APIENTRY add_elsewhere(const PDEVICE_OBJECT device, PVOID *context) {
    void *between = ExAllocatePoolWithTag(NonPagedPool, 16, 0x65726163);
    NTSTATUS status = good.DxgkDdiAddDevice(device, context);
    if (between)
        ExFreePoolWithTag(between, 0x65726163);
    added = *context;
    return status;
}

static NTSTATUS APIENTRY reach_little(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS)
        ((DXGK_DRIVERCAPS *)args->pOutputData)->HighestAcceptableAddress.QuadPart = 0xffffffff;
    return status;
}

static NTSTATUS APIENTRY build_for_added(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return adapter == added ? good.DxgkDdiBuildPagingBuffer(adapter, args)
                            : STATUS_INVALID_PARAMETER;
}

static void reaching_little(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiAddDevice = add_elsewhere;
    table->DxgkDdiQueryAdapterInfo = reach_little;
    table->DxgkDdiBuildPagingBuffer = build_for_added;
}

static void a_driver_that_was_started_again_gets_its_new_handle(void **state) {
    (void)state;
    assert_int_equal(examine(reaching_little, "operations", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("operations")->outcome, VIDMM_STAGE_DONE);
}

/* Counts on a kilobyte behind every operation, whatever DmaSize says. */
static NTSTATUS APIENTRY build_wide(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT offered = args->DmaSize;
    if (offered < 1024)
        args->DmaSize = 1024;
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->DmaSize = offered;
    return status;
}

static void building_wide(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_wide;
}

static void who_writes_behind_the_room_is_caught(void **state) {
    (void)state;
    assert_int_equal(examine(building_wide, "room", NULL), VIDMM_CHECK_BROKEN);
    assert_true(result.ledger.broken[152] != 0);
}

/* Uses its arguments as memory of its own. */
static NTSTATUS APIENTRY build_scribbling(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)0x7fffffff;
    memset(&args->Transfer, 0xee, sizeof(args->Transfer));
    return status;
}

static void building_scribbling(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_scribbling;
}

static NTSTATUS APIENTRY create_scribbling(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    args->pAllocationInfo = NULL;
    args->NumAllocations = UINT32_MAX;
    return status;
}

static void creating_scribbling(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_scribbling;
}

/* The stage is done all the same, and nothing is said but that. */
static void overwriting_is_said(void (*spoil)(DRIVER_INITIALIZATION_DATA *table), const char *stage,
                                uint32_t rule) {
    assert_int_equal(examine(spoil, stage, NULL), VIDMM_CHECK_BROKEN);
    assert_int_equal(stage_of(stage)->outcome, VIDMM_STAGE_DONE);
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        assert_int_equal(result.ledger.finding[i].rule, rule);
}

static void who_overwrites_its_arguments_is_asked_for_the_same_again(void **state) {
    (void)state;
    overwriting_is_said(building_scribbling, "room", 591);
    overwriting_is_said(creating_scribbling, "locks", 590);
}

/* Whatever is asked for, an allocation is one page: then nobody speaks of the pages behind it. */
static NTSTATUS APIENTRY create_short(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Size = 4096;
    return status;
}

static void creating_short(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_short;
}

static void a_size_that_nobody_asked_for_is_not_held_against_the_manager(void **state) {
    (void)state;
    (void)examine(creating_short, "preempt", NULL);
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        assert_int_equal(result.ledger.finding[i].who, VIDMM_SIDE_DRIVER);
    assert_true(result.ledger.kept[161] != 0);
}

/* Gets nowhere: no buffer is large enough, and each pass starts over. */
static NTSTATUS APIENTRY start_over(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    args->MultipassOffset = 0;
    return status == STATUS_SUCCESS ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : status;
}

static void starting_over(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = start_over;
}

static void an_operation_that_never_ends_ends_the_stage(void **state) {
    (void)state;
    assert_int_equal(examine(starting_over, "room", NULL), VIDMM_CHECK_BROKEN);
    assert_int_equal(stage_of("room")->outcome, VIDMM_STAGE_STOPPED);
    assert_non_null(strstr(stage_of("room")->text, "again and again"));
    assert_string_equal(vidmm_check_outcome(&result, 157), "broken");
}

/* Room for a row of a copy is room for the command of it, and an empty one. */
static NTSTATUS APIENTRY present_careless(const HANDLE context, DXGKARG_PRESENT *args) {
    UCHAR *end = (UCHAR *)args->pDmaBuffer + args->DmaSize;
    NTSTATUS status = good.DxgkDdiPresent(context, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && (UCHAR *)args->pDmaBuffer < end &&
        end - (UCHAR *)args->pDmaBuffer < 40)
        *end = 0;
    return status;
}

static void presenting_carelessly(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiPresent = present_careless;
}

static void a_present_ends_inside_its_buffer(void **state) {
    static const struct vidmm_host_setting one_node = {"Nodes", 1};
    (void)state;
    assert_int_equal(examine(presenting_carelessly, "room", &one_node), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_HOST);
    assert_non_null(finding);
    assert_string_equal(finding->where, "DxgkDdiPresent");
    assert_non_null(strstr(finding->found, "in pDmaBuffer"));
}

#define RECORD_ASKED 8u

static NTSTATUS APIENTRY create_with_record(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = good.DxgkDdiCreateContext(device, args);
    args->ContextInfo.DmaBufferPrivateDataSize = RECORD_ASKED;
    return status;
}

/* A record has become longer than what is asked for it. */
static NTSTATUS APIENTRY render_with_record(const HANDLE context, DXGKARG_RENDER *args) {
    memset(args->pDmaBufferPrivateData, 0, RECORD_ASKED + sizeof(UINT));
    return good.DxgkDdiRender(context, args);
}

static void recording_too_much(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateContext = create_with_record;
    table->DxgkDdiRender = render_with_record;
}

static void private_data_end_where_the_context_asked_for_no_more(void **state) {
    bool named = false;
    (void)state;
    assert_int_equal(examine(recording_too_much, "room", NULL), VIDMM_CHECK_BROKEN);
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        named = named || strstr(result.ledger.finding[i].found,
                                "wrote byte 8 of 8 in pDmaBufferPrivateData");
    assert_true(named);
}

/* ---- Preemption ------------------------------------------------------------------------------ */

static NTSTATUS APIENTRY forget_preempt(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void forgetting_preempt(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPreemptCommand = forget_preempt;
}

static void a_preemption_that_is_never_reported_is_named(void **state) {
    (void)state;
    assert_int_equal(examine(forgetting_preempt, "preempt", NULL), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_RULE);
    assert_non_null(finding);
    assert_int_equal(finding->rule, 561);
    assert_non_null(strstr(finding->found, "preemption"));
    assert_int_equal(stage_of("preempt")->outcome, VIDMM_STAGE_STOPPED);
}

/* From WDDM 2.0 on it can tell what comes again, and thinks that it has had it. */
static NTSTATUS APIENTRY refuse_again(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    return args->Flags.Resubmission ? STATUS_SUCCESS : good.DxgkDdiSubmitCommand(adapter, args);
}

static void refusing_again(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiSubmitCommand = refuse_again;
}

static void what_is_submitted_again_has_to_complete(void **state) {
    (void)state;
    assert_int_equal(examine(refusing_again, "preempt", NULL), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_RULE);
    assert_non_null(finding);
    assert_int_equal(finding->rule, 597);
}

static NTSTATUS APIENTRY refuse_reset(const HANDLE adapter) {
    (void)adapter;
    return STATUS_UNSUCCESSFUL;
}

static void refusing_reset(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiResetFromTimeout = refuse_reset;
}

static void a_reset_that_fails_ends_the_stage(void **state) {
    (void)state;
    assert_int_equal(examine(refusing_reset, "preempt", NULL), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_RULE);
    assert_non_null(finding);
    assert_int_equal(finding->rule, 422);
    assert_int_not_equal(stage_of("preempt")->outcome, VIDMM_STAGE_DONE);
}

/* ---- Engines --------------------------------------------------------------------------------- */

/* ---- A watchdog ------------------------------------------------------------------------------ */

#define WATCH_TAG 0x68637477

struct watchdog {
    KTIMER timer;
    KDPC dpc;
};

static struct watchdog *watchdog;
static bool
    unwatched_reset; /* DxgkDdiResetFromTimeout ends it, as the DPC of work that is done does */

static VOID NTAPI bark(PKDPC dpc, PVOID context, PVOID one, PVOID two) {
    (void)dpc;
    (void)context;
    (void)one;
    (void)two;
}

static NTSTATUS APIENTRY start_watched(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    watchdog = ExAllocatePoolWithTag(NonPagedPool, sizeof(*watchdog), WATCH_TAG);
    if (!watchdog)
        return STATUS_NO_MEMORY;
    KeInitializeTimer(&watchdog->timer);
    KeInitializeDpc(&watchdog->dpc, bark, NULL);
    return good.DxgkDdiStartDevice(context, info, calls, sources, children);
}

static NTSTATUS APIENTRY submit_watched(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    const LARGE_INTEGER second = {.QuadPart = -10000000};
    KeSetTimer(&watchdog->timer, second, &watchdog->dpc);
    return good.DxgkDdiSubmitCommand(adapter, args);
}

static VOID APIENTRY dpc_watched(const PVOID context) {
    KeCancelTimer(&watchdog->timer);
    good.DxgkDdiDpcRoutine(context);
}

static NTSTATUS APIENTRY reset_watched(const HANDLE adapter) {
    if (unwatched_reset)
        KeCancelTimer(&watchdog->timer);
    return good.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS APIENTRY stop_watched(const PVOID context) {
    NTSTATUS status = good.DxgkDdiStopDevice(context);
    ExFreePoolWithTag(watchdog, WATCH_TAG);
    return status;
}

static void install_watchdog(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiStartDevice = start_watched;
    table->DxgkDdiSubmitCommand = submit_watched;
    table->DxgkDdiDpcRoutine = dpc_watched;
    table->DxgkDdiResetFromTimeout = reset_watched;
    table->DxgkDdiStopDevice = stop_watched;
}

/* Where a reset ends work, no DPC comes that ends its watchdog. */
static void a_timer_that_lost_work_leaves_set_is_named(void **state) {
    (void)state;
    unwatched_reset = true;
    assert_int_equal(examine(install_watchdog, "preempt", NULL), VIDMM_CHECK_PASSED);
    unwatched_reset = false;
    assert_int_equal(examine(install_watchdog, "preempt", NULL), VIDMM_CHECK_BROKEN);
    assert_int_equal(result.ledger.findings, 1);
    assert_int_equal(result.ledger.finding[0].rule, VIDMM_K_OBJECT);
}

static void engines_are_reset_alone(void **state) {
    static const uint32_t rules[] = {281, 380, 381};
    (void)state;
    assert_int_equal(examine(NULL, "engines", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("engines")->outcome, VIDMM_STAGE_DONE);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        assert_string_equal(vidmm_check_outcome(&result, rules[i]), "passed");
}

static NTSTATUS APIENTRY refuse_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    (void)adapter;
    (void)args;
    return STATUS_UNSUCCESSFUL;
}

static void refusing_engines(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiResetEngine = refuse_engine;
}

/* A driver that counts what faulted as completed when the engine was reset (tdr-changes-in-windows-8.md), and not when it
 * reports the page fault. The system asks in between. */
static DRIVER_INITIALIZATION_DATA counting, asking; /* below the referee, and above it */
static DXGKRNL_INTERFACE counting_calls;
static UINT counted_before, counted_node;
static bool counted_late;

static VOID APIENTRY count_faults_late(const HANDLE device,
                                       const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        counted_node = data->DmaPageFaulted.NodeOrdinal;
        counted_before = data->DmaPageFaulted.FaultedFenceId - 1;
        counted_late = true;
    }
    counting_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY start_counting(const PVOID context, PDXGK_START_INFO info,
                                        PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    counting_calls = *calls;
    mine.DxgkCbNotifyInterrupt = count_faults_late;
    return counting.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static NTSTATUS APIENTRY query_counted(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *args) {
    NTSTATUS status = counting.DxgkDdiQueryCurrentFence(adapter, args);
    if (counted_late && args->NodeOrdinal == counted_node)
        args->CurrentFence = counted_before;
    return status;
}

static NTSTATUS APIENTRY reset_counted(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    counted_late = false;
    return counting.DxgkDdiResetEngine(adapter, args);
}

static void install_counting(DRIVER_INITIALIZATION_DATA *table) {
    counting = *table;
    counted_late = false;
    table->DxgkDdiStartDevice = start_counting;
    table->DxgkDdiQueryCurrentFence = query_counted;
    table->DxgkDdiResetEngine = reset_counted;
}

static NTSTATUS APIENTRY reset_asking(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = args->NodeOrdinal};
    (void)asking.DxgkDdiQueryCurrentFence(adapter, &fence);
    return asking.DxgkDdiResetEngine(adapter, args);
}

static void install_asking(DRIVER_INITIALIZATION_DATA *table) {
    asking = *table;
    table->DxgkDdiResetEngine = reset_asking;
}

static void work_that_faulted_may_count_as_completed_from_the_reset_on(void **state) {
    const struct vidmm_spoiler spoiler = {.driver = install_counting, .manager = install_asking};
    const struct vidmm_check_options options = {
        .stage = "engines", .seed = 1, .timeout_ms = 60000, .spoiler = &spoiler};
    (void)state;
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 522), "passed");
}

/* It may: then nothing is wrong, and nothing was seen. */
static void an_engine_that_cannot_be_reset_alone_is_not_reached(void **state) {
    const struct vidmm_host_setting old = {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7};
    (void)state;
    assert_int_equal(examine(refusing_engines, "engines", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("engines")->outcome, VIDMM_STAGE_SKIPPED);
    assert_non_null(strstr(stage_of("engines")->text, "DxgkDdiResetEngine refuses"));
    assert_int_equal(examine(NULL, "engines", &old), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("engines")->outcome, VIDMM_STAGE_SKIPPED);
    assert_non_null(strstr(stage_of("engines")->text, "SupportPerEngineTDR"));
}

/* ---- Apertures, and drivers with unknown private data ---------------------------------------- */

static void paging_buffers_in_an_aperture_are_examined(void **state) {
    (void)state;
    static const struct vidmm_host_setting aperture = {"PagingBufferSegment", 1};
    static const char *const stages[] = {"operations", "room", "preempt"};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        assert_int_equal(examine(NULL, stages[i], &aperture), VIDMM_CHECK_PASSED);
        assert_int_equal(stage_of(stages[i])->outcome, VIDMM_STAGE_DONE);
        assert_true(result.ledger.kept[75] != 0); /* it was submitted where it is mapped */
    }
}

static void apertures_mapped_from_address_lists_are_examined(void **state) {
    (void)state;
    static const struct vidmm_host_setting lists[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_9}, {"MapAperture2", 1}};
    static const char *const stages[] = {"operations", "room"};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const struct vidmm_check_options options = {
            .settings = lists, .setting_count = 2, .stage = stages[i], .seed = 3};
        vidmm_check(&options, &result);
        assert_int_equal(result.status, VIDMM_CHECK_PASSED);
        assert_int_equal(stage_of(stages[i])->outcome, VIDMM_STAGE_DONE);
        assert_true(result.ledger.kept[206] != 0); /* there was a list, and it was understood */
    }
}

/* As drivers before contexts were: the device says what its DMA buffers are. */
static NTSTATUS APIENTRY query_contextless(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS)
        ((DXGK_DRIVERCAPS *)args->pOutputData)->SchedulingCaps.MultiEngineAware = 0;
    return status;
}

static NTSTATUS APIENTRY create_contextless(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    static DXGK_DEVICEINFO info = {
        .DmaBufferSize = 65536, .AllocationListSize = 256, .PatchLocationListSize = 256};
    NTSTATUS status = good.DxgkDdiCreateDevice(adapter, args);
    args->pInfo = &info;
    return status;
}

static void without_contexts(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_contextless;
    table->DxgkDdiCreateDevice = create_contextless;
    table->DxgkDdiCreateContext = NULL;
    table->DxgkDdiDestroyContext = NULL;
}

/* Refuses what is smaller than its own structure, and pays no heed to the size of what is. */
static NTSTATUS APIENTRY query_by_sizeof(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && args->OutputDataSize < 0x228)
        return STATUS_BUFFER_TOO_SMALL;
    return good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static NTSTATUS APIENTRY query_without_size(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS)
        ((DXGK_DRIVERCAPS *)args->pOutputData)->WDDMVersion = DXGKDDI_WDDMv1_2;
    return status;
}

static void by_sizeof(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_by_sizeof;
}

static void without_size(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_without_size;
}

static void caps_smaller_than_any_system_asks_for_are_not_judged(void **state) {
    (void)state;
    static const struct vidmm_host_setting known = {"InterfaceVersion",
                                                    DXGKDDI_INTERFACE_VERSION_WDDM1_3},
                                           older = {"InterfaceVersion",
                                                    DXGKDDI_INTERFACE_VERSION_WIN8};
    assert_int_equal(examine(by_sizeof, "query", &known), VIDMM_CHECK_PASSED);
    assert_int_equal(examine(without_size, "query", &known), VIDMM_CHECK_PASSED);
    assert_int_equal(examine(by_sizeof, "query", &older), VIDMM_CHECK_BROKEN);
    assert_int_not_equal(result.ledger.broken[27], 0);
}

static void a_driver_without_contexts_is_examined(void **state) {
    (void)state;
    static const struct vidmm_host_setting win7 = {"InterfaceVersion",
                                                   DXGKDDI_INTERFACE_VERSION_WIN7};
    assert_int_equal(examine(without_contexts, "objects", &win7), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("objects")->outcome, VIDMM_STAGE_DONE);
}

/* ---- The oracle ------------------------------------------------------------------------------ */

/* Where the rules that would name a damage are not judged, the oracle finds its bytes. */
static void damage(uint64_t kind, uint64_t at, uint32_t only) {
    const struct vidmm_host_setting settings[] = {{"FaultKind", kind}, {"FaultAt", at}};
    struct vidmm_check_options options = {
        .settings = settings, .setting_count = 2, .stage = "paging", .only_some = true, .seed = 0};
    options.only[only] = options.only[VIDMM_K_BYTES] = 1;
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
}

static void a_damaged_copy_is_blamed_on_its_operation(void **state) {
    (void)state;
    damage(1, 5, 161);
    assert_true(result.ledger.broken[161] != 0);
    assert_non_null(strstr(find(VIDMM_FINDING_RULE)->found, "TRANSFER in paging buffer"));
}

static void damage_that_no_paging_did_is_blamed_on_none(void **state) {
    (void)state;
    damage(4, 5, 161);
    assert_int_equal(result.broken, 0);
    assert_non_null(strstr(find(VIDMM_FINDING_HOST)->found, "what the GPU drew in event"));
}

/* Its user-mode half speaks a language of its own. */
static NTSTATUS APIENTRY say_nothing(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    return args->Type == DXGKQAITYPE_UMDRIVERPRIVATE ? STATUS_INVALID_PARAMETER
                                                     : good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static void saying_nothing(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = say_nothing;
}

static void a_driver_with_a_language_of_its_own_is_examined_too(void **state) {
    (void)state;
    assert_int_equal(examine(saying_nothing, "locks", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(stage_of("locks")->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(examine(saying_nothing, "operations", NULL), VIDMM_CHECK_PASSED);
    assert_true(result.ledger.kept[188] != 0); /* FILL */
    assert_true(result.ledger.kept[190] != 0); /* DISCARD_CONTENT */
}

static void saying_nothing_of_surfaces(DRIVER_INITIALIZATION_DATA *table) {
    saying_nothing(table);
    table->DxgkDdiGetStandardAllocationDriverData = NULL;
}

static void without_any_surface_the_stage_says_so(void **state) {
    (void)state;
    (void)examine(saying_nothing_of_surfaces, "locks", NULL);
    assert_int_equal(stage_of("locks")->outcome, VIDMM_STAGE_SKIPPED);
    assert_non_null(strstr(stage_of("locks")->text, "standard surfaces"));
}

/* ---- Page tables ----------------------------------------------------------------------------- */

static NTSTATUS APIENTRY begin_empty(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = args->pInputData;
    DXGK_PAGE_TABLE_LEVEL_DESC *desc = args->pOutputData;
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_PAGETABLELEVELDESC &&
        in->LevelIndex == 1)
        desc->PageTableIndexBitCount = desc->PageTableSizeInBytes = 0;
    return status;
}

static void beginning_empty(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = begin_empty;
}

/* Its size is asked for by DxgkDdiGetRootPageTableSize (R253). */
static void a_root_of_two_levels_may_begin_with_nothing(void **state) {
    (void)state;
    const struct vidmm_host_setting levels = {"MmuLevels", 2};
    assert_int_equal(examine(beginning_empty, "start", &levels), VIDMM_CHECK_PASSED);
}

static NTSTATUS APIENTRY share_surfaces(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS)
        caps->MemoryManagementCaps.CrossAdapterResource = 1;
    return status;
}

static void sharing_surfaces(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = share_surfaces;
}

static void cross_adapter_surfaces_are_asked_of_who_has_them(void **state) {
    (void)state;
    assert_int_equal(examine(sharing_surfaces, "objects", NULL), VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 552), "passed");
    assert_int_equal(examine(NULL, "objects", NULL), VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 552), "not reached");
}

/* Knows no operation that only WDDM 1 has (ne-d3dkmddi-_dxgk_buildpagingbuffer_operation). */
static NTSTATUS APIENTRY build_by_address(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_FILL:
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL:
        raise(SIGSEGV);
        return STATUS_NOT_SUPPORTED;
    default:
        return good.DxgkDdiBuildPagingBuffer(adapter, args);
    }
}

static void building_by_address(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_by_address;
}

static void who_pages_by_address_is_asked_for_nothing_by_segment(void **state) {
    (void)state;
    const struct vidmm_host_setting settings[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2}, {"MmuLevels", 3}};
    const struct vidmm_spoiler spoiler = {.driver = building_by_address};
    struct vidmm_check_options options = {
        .settings = settings, .setting_count = 2, .spoiler = &spoiler, .seed = 3};
    static const char *const stages[] = {"dirty", "linked"};
    for (uint32_t i = 0; i < 2; i++) {
        options.stage = stages[i];
        options.linked = i == 1 ? 2 : 0;
        vidmm_check(&options, &result);
        assert_int_equal(result.status, VIDMM_CHECK_PASSED);
        assert_int_equal(stage_of(stages[i])->outcome, VIDMM_STAGE_DONE);
        assert_string_equal(vidmm_check_outcome(&result, i == 0 ? 326 : 508), "passed");
    }
}

/* ---- Work of applications ---------------------------------------------------------------------- */

static NTSTATUS APIENTRY refuse_draws(const HANDLE context, DXGKARG_RENDER *args) {
    const struct vidmm_umd_command *commands = args->pCommand;
    bool draws =
        args->CommandLength >= sizeof(*commands) && commands->opcode == (uint32_t)VIDMM_UMD_STAMP;
    return draws ? STATUS_ILLEGAL_INSTRUCTION : good.DxgkDdiRender(context, args);
}

static void refusing_draws(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiRender = refuse_draws;
}

static void a_command_that_is_said_to_be_understood_is_not_refused(void **state) {
    (void)state;
    assert_int_equal(examine(refusing_draws, "room", NULL), VIDMM_CHECK_DRIVER_FAILED);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_REFUSED);
    assert_non_null(finding);
    assert_non_null(strstr(finding->found, "DxgkDdiRender of VIDMM_UMD_STAMP"));
}

static NTSTATUS APIENTRY refuse_protected(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    const uint32_t both = VIDMM_UMD_IN_VPR | VIDMM_UMD_LOCAL_ONLY;
    const struct vidmm_umd_allocation *umd = args->pAllocationInfo[0].pPrivateDriverData;
    bool speaks = args->pAllocationInfo[0].PrivateDriverDataSize == sizeof(*umd);
    return speaks && (umd->flags & both) == both ? STATUS_INVALID_PARAMETER
                                                 : good.DxgkDdiCreateAllocation(adapter, args);
}

static void refusing_protected(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = refuse_protected;
}

static void a_surface_of_a_protected_range_is_not_refused(void **state) {
    (void)state;
    const struct vidmm_host_setting settings[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}, {"VprBytes", 1u << 20}};
    const struct vidmm_spoiler spoiler = {.driver = refusing_protected};
    struct vidmm_check_options options = {
        .settings = settings, .setting_count = 2, .stage = "promises", .seed = 3};
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    options.spoiler = &spoiler;
    vidmm_check(&options, &result);
    assert_int_equal(result.status, VIDMM_CHECK_DRIVER_FAILED);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_REFUSED);
    assert_non_null(finding);
    assert_non_null(strstr(finding->found, "DxgkDdiCreateAllocation"));
}

/* Commands that do something are in what is cancelled. */
static NTSTATUS APIENTRY cancel(const HANDLE adapter, const DXGKARG_CANCELCOMMAND *args) {
    (void)adapter;
    return args->DmaBufferSubmissionEndOffset > args->DmaBufferSubmissionStartOffset
               ? STATUS_SUCCESS
               : STATUS_INVALID_PARAMETER;
}

static NTSTATUS APIENTRY report_cancels(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS)
        caps->SchedulingCaps.CancelCommandAware = 1;
    return status;
}

static void cancelling(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = report_cancels;
    table->DxgkDdiCancelCommand = cancel;
}

static void work_is_cancelled_where_the_driver_knows_how(void **state) {
    (void)state;
    assert_int_equal(examine(cancelling, "preempt", NULL), VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 613), "passed");
    assert_int_equal(examine(NULL, "preempt", NULL), VIDMM_CHECK_PASSED);
    assert_string_equal(vidmm_check_outcome(&result, 613), "not reached");
}

static NTSTATUS APIENTRY create_aligned(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Alignment = 0x10000;
    return status;
}

static NTSTATUS APIENTRY create_roomy(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = good.DxgkDdiCreateContext(device, args);
    if (status == STATUS_SUCCESS && !args->Flags.SystemContext)
        args->ContextInfo.DmaBufferSize = 0x10000;
    return status;
}

static void aligned_and_roomy(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_aligned;
    table->DxgkDdiCreateContext = create_roomy;
}

/* The stage's surfaces are where the driver wants them (R93, R368), in DMA buffers of the size that it asks for (R83). */
static void what_is_drawn_by_hand_keeps_to_what_the_driver_asked_for(void **state) {
    (void)state;
    const struct vidmm_host_setting settings[] = {{"Nodes", 1}, {"Nodes", 2}, {"Gdi", 1}};
    for (uint32_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        assert_int_equal(examine(aligned_and_roomy, "room", &settings[i]), VIDMM_CHECK_PASSED);
}

/* ---- Resources ------------------------------------------------------------------------------- */

#define RESOURCE_TAG 0x6f736572

static NTSTATUS APIENTRY create_resource(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    if (status == STATUS_SUCCESS && args->Flags.Resource)
        args->hResource = ExAllocatePoolWithTag(NonPagedPool, 16, RESOURCE_TAG);
    return status;
}

static NTSTATUS APIENTRY destroy_resource(const HANDLE adapter,
                                          const DXGKARG_DESTROYALLOCATION *args) {
    if (args->Flags.DestroyResource && args->hResource)
        ExFreePoolWithTag(args->hResource, RESOURCE_TAG);
    return good.DxgkDdiDestroyAllocation(adapter, args);
}

static NTSTATUS APIENTRY destroy_resource_anyway(const HANDLE adapter,
                                                 const DXGKARG_DESTROYALLOCATION *args) {
    if (args->hResource)
        ExFreePoolWithTag(args->hResource, RESOURCE_TAG);
    return good.DxgkDdiDestroyAllocation(adapter, args);
}

static void install_resources(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_resource;
    table->DxgkDdiDestroyAllocation = destroy_resource;
}

static void install_resources_freed_anyway(DRIVER_INITIALIZATION_DATA *table) {
    install_resources(table);
    table->DxgkDdiDestroyAllocation = destroy_resource_anyway;
}

static void a_resource_is_there_until_it_is_destroyed(void **state) {
    (void)state;
    assert_int_equal(examine(install_resources, "objects", NULL), VIDMM_CHECK_PASSED);
    assert_int_equal(examine(install_resources_freed_anyway, "objects", NULL), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_HOST);
    assert_non_null(finding);
    assert_non_null(strstr(finding->where, "DxgkDdiDestroyAllocation"));
}

/* A block of each start. One that a start finds it takes for its own, and frees when it fails. */
#define START_TAG 0x72617473u
static PVOID of_start;

static NTSTATUS APIENTRY start_and_keep(const PVOID context, PDXGK_START_INFO info,
                                        PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    NTSTATUS status = good.DxgkDdiStartDevice(context, info, dxgk, sources, children);
    if (status == STATUS_SUCCESS)
        of_start = ExAllocatePoolWithTag(NonPagedPool, 16, START_TAG);
    else if (of_start)
        ExFreePoolWithTag(of_start, START_TAG);
    return status;
}

static NTSTATUS APIENTRY stop_and_free(const PVOID context) {
    if (of_start)
        ExFreePoolWithTag(of_start, START_TAG);
    return good.DxgkDdiStopDevice(context);
}

static void install_kept_block(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    of_start = NULL;
    table->DxgkDdiStartDevice = start_and_keep;
    table->DxgkDdiStopDevice = stop_and_free;
}

static void a_start_after_a_stop_fails_too(void **state) {
    (void)state;
    assert_int_equal(examine(install_kept_block, "memory", NULL), VIDMM_CHECK_BROKEN);
    const struct vidmm_finding *finding = find(VIDMM_FINDING_HOST);
    assert_non_null(finding);
    assert_non_null(strstr(finding->where, "DxgkDdiStartDevice"));
}

static void without_descriptions(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiDescribeAllocation = NULL;
}

static void a_rule_that_was_not_reached_says_which_function_is_missing(void **state) {
    (void)state;
    char reason[192];
    examine(without_descriptions, "query", NULL);
    vidmm_check_reason(&result, 400, reason, sizeof(reason));
    assert_string_equal(reason, "the driver has no DxgkDdiDescribeAllocation");
    vidmm_check_reason(&result, 650, reason, sizeof(reason));
    assert_null(strstr(reason, "the driver has no"));
    vidmm_check_reason(&result, 0, reason, sizeof(reason));
    assert_string_equal(reason, "nothing that the driver reported or was asked made it apply");
}

/* ---- Work that is refused ---------------------------------------------------------------------- */

static NTSTATUS APIENTRY query_with_little(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS)
        ((DXGK_DRIVERCAPS *)args->pOutputData)->ApertureSegmentCommitLimit = 262144;
    return status;
}

static void with_little(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = query_with_little;
}

static void a_stage_whose_work_does_not_fit_says_so(void **state) {
    (void)state;
    examine(with_little, "paging", NULL);
    assert_non_null(strstr(stage_of("paging")->text, "submissions were not made"));
    assert_non_null(strstr(stage_of("paging")->text, "ApertureSegmentCommitLimit is 0x40000"));
    assert_true(stage_of("paging")->unmade);
    assert_non_null(strstr(result.text, "most work of stage paging was not made"));
    assert_non_null(strstr(result.text, "ApertureSegmentCommitLimit is 0x40000"));
    examine(NULL, "paging", NULL);
    assert_false(stage_of("paging")->unmade);
    assert_string_equal(result.text, "");
}

/* Hardware may have no fills: it is no finding, and the rule is not kept by it alone. */
static NTSTATUS APIENTRY refuse_fills(const HANDLE context, DXGKARG_RENDER *args) {
    const DXGK_RENDERKM_COMMAND *command = args->pCommand;
    return command->OpCode == DXGK_GDIOP_COLORFILL ? STATUS_ILLEGAL_INSTRUCTION
                                                   : good.DxgkDdiRenderKm(context, args);
}

static NTSTATUS APIENTRY refuse_all(const HANDLE context, DXGKARG_RENDER *args) {
    (void)context;
    (void)args;
    return STATUS_ILLEGAL_INSTRUCTION;
}

static void refusing_fills(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiRenderKm = refuse_fills;
}

static void refusing_all(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiRenderKm = refuse_all;
}

static void commands_of_gdi_that_are_refused_are_told(void **state) {
    (void)state;
    const struct vidmm_host_setting gdi = {"Gdi", 1};
    char reason[192];
    assert_int_equal(examine(NULL, "room", &gdi), VIDMM_CHECK_PASSED);
    assert_true(result.gdi_asked);
    assert_int_equal(result.gdi_refused, 0);
    assert_int_equal(examine(refusing_fills, "room", &gdi), VIDMM_CHECK_PASSED);
    assert_int_equal(result.gdi_refused, 1u << VIDMM_GDI_COLORFILL);
    assert_int_equal(result.gdi_status, STATUS_ILLEGAL_INSTRUCTION);
    assert_string_equal(vidmm_check_outcome(&result, 604), "passed");
    assert_int_equal(examine(refusing_all, "room", &gdi), VIDMM_CHECK_PASSED);
    assert_int_equal(result.gdi_refused, 1u << VIDMM_GDI_BITBLT);
    assert_string_equal(vidmm_check_outcome(&result, 604), "not reached");
    vidmm_check_reason(&result, 604, reason, sizeof(reason));
    assert_string_equal(reason, "DxgkDdiRenderKm refused what it was asked for");
    examine(NULL, "room", NULL);
    assert_false(result.gdi_asked);
}

/* ---- Packets alone ----------------------------------------------------------------------------- */

static NTSTATUS APIENTRY no_commands_query(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_UMDRIVERPRIVATE && status == STATUS_SUCCESS)
        ((struct vidmm_umd_caps *)args->pOutputData)->commands = 0;
    return status;
}

/* A crash tells that it came: the calls are those of the stage's process. */
static NTSTATUS APIENTRY telling_submit(const HANDLE adapter,
                                        const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (!args->Flags.Paging && args->DmaBufferSize != 0 &&
        args->DmaBufferVirtualAddress % 4096 != 0)
        (void)raise(SIGSEGV);
    return good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void without_commands(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = no_commands_query;
    table->DxgkDdiSubmitCommandVirtual = telling_submit;
}

static void a_gpu_that_executes_packets_draws_without_commands(void **state) {
    (void)state;
    const struct vidmm_host_setting mmu = {"MmuLevels", 4};
    (void)examine(without_commands, "paging", &mmu);
    assert_non_null(find(VIDMM_FINDING_CRASH));
}

/* ---- A reset of the adapter while an engine hangs ---------------------------------------------- */

static uint32_t engine_resets, adapter_resets;

static NTSTATUS APIENTRY counting_reset(const HANDLE adapter) {
    adapter_resets++;
    return good.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS APIENTRY counting_reset_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    engine_resets++;
    return good.DxgkDdiResetEngine(adapter, args);
}

/* A crash tells that it came: the counts are those of the stage's process. */
static NTSTATUS APIENTRY telling_restart(const HANDLE adapter) {
    if (engine_resets != 0 && adapter_resets != 0)
        (void)raise(SIGSEGV);
    return good.DxgkDdiRestartFromTimeout(adapter);
}

static void resets_counted(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiResetFromTimeout = counting_reset;
    table->DxgkDdiResetEngine = counting_reset_engine;
    table->DxgkDdiRestartFromTimeout = telling_restart;
}

static void the_adapter_is_reset_too_where_engines_can_be_reset_alone(void **state) {
    (void)state;
    const struct vidmm_host_setting mmu = {"MmuLevels", 4};
    (void)examine(resets_counted, "engines", &mmu);
    assert_non_null(find(VIDMM_FINDING_CRASH));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_whose_work_does_not_fit_says_so),
        cmocka_unit_test(commands_of_gdi_that_are_refused_are_told),
        cmocka_unit_test(a_gpu_that_executes_packets_draws_without_commands),
        cmocka_unit_test(the_adapter_is_reset_too_where_engines_can_be_reset_alone),
        cmocka_unit_test(a_rule_that_was_not_reached_says_which_function_is_missing),
        cmocka_unit_test(a_start_after_a_stop_fails_too),
        cmocka_unit_test(a_command_that_is_said_to_be_understood_is_not_refused),
        cmocka_unit_test(a_surface_of_a_protected_range_is_not_refused),
        cmocka_unit_test(work_is_cancelled_where_the_driver_knows_how),
        cmocka_unit_test(what_is_drawn_by_hand_keeps_to_what_the_driver_asked_for),
        cmocka_unit_test(a_resource_is_there_until_it_is_destroyed),
        cmocka_unit_test(memory_runs_out_in_every_call),
        cmocka_unit_test(a_new_paging_buffer_is_whole),
        cmocka_unit_test(allocations_are_opened_with_their_private_data),
        cmocka_unit_test(a_driver_that_was_started_again_gets_its_new_handle),
        cmocka_unit_test(who_writes_behind_the_room_is_caught),
        cmocka_unit_test(who_overwrites_its_arguments_is_asked_for_the_same_again),
        cmocka_unit_test(a_size_that_nobody_asked_for_is_not_held_against_the_manager),
        cmocka_unit_test(a_preemption_that_is_never_reported_is_named),
        cmocka_unit_test(what_is_submitted_again_has_to_complete),
        cmocka_unit_test(a_reset_that_fails_ends_the_stage),
        cmocka_unit_test(a_timer_that_lost_work_leaves_set_is_named),
        cmocka_unit_test(engines_are_reset_alone),
        cmocka_unit_test(work_that_faulted_may_count_as_completed_from_the_reset_on),
        cmocka_unit_test(an_engine_that_cannot_be_reset_alone_is_not_reached),
        cmocka_unit_test(an_operation_that_never_ends_ends_the_stage),
        cmocka_unit_test(a_present_ends_inside_its_buffer),
        cmocka_unit_test(private_data_end_where_the_context_asked_for_no_more),
        cmocka_unit_test(paging_buffers_in_an_aperture_are_examined),
        cmocka_unit_test(apertures_mapped_from_address_lists_are_examined),
        cmocka_unit_test(caps_smaller_than_any_system_asks_for_are_not_judged),
        cmocka_unit_test(a_driver_without_contexts_is_examined),
        cmocka_unit_test(a_damaged_copy_is_blamed_on_its_operation),
        cmocka_unit_test(damage_that_no_paging_did_is_blamed_on_none),
        cmocka_unit_test(a_driver_with_a_language_of_its_own_is_examined_too),
        cmocka_unit_test(without_any_surface_the_stage_says_so),
        cmocka_unit_test(a_root_of_two_levels_may_begin_with_nothing),
        cmocka_unit_test(cross_adapter_surfaces_are_asked_of_who_has_them),
        cmocka_unit_test(who_pages_by_address_is_asked_for_nothing_by_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
