/*
 * many_test.c - what the referee remembers of calls has no maximum: the last of many contexts,
 * allocations, ranges, pages and reports is judged like the first. Driver and system do nothing but
 * give out handles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <vidmm/referee.h>

#define PAGE     4096u
#define CONTEXTS 3000u
#define UPDATES  100u
#define RANGES   500u
#define PAGES    20000u
#define REPORTS  20000u

/* Handles are addresses of bytes. */
static struct {
    DRIVER_INITIALIZATION_DATA table;
    DXGKRNL_INTERFACE callbacks;
    struct vidmm_referee *referee;
    struct vidmm_ledger *ledger;
    uint8_t device, system_device;
    uint8_t context[CONTEXTS], system_context[CONTEXTS];
    uint8_t allocation[CONTEXTS], system_allocation[CONTEXTS];
    uint32_t contexts, allocations; /* that were made */
    uint32_t data[UPDATES];         /* of the updates of context allocations, each another */
    uint32_t updates;               /* under way */
} fixture;

/* ---- Driver and system ----------------------------------------------------------------------- */

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)args->pOutputData)->NumberOfSwizzlingRanges = RANGES;
        return STATUS_SUCCESS;
    }
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    out->NbSegment = 1;
    if (out->pSegmentDescriptor) {
        DXGK_SEGMENTDESCRIPTOR4 *segment = (DXGK_SEGMENTDESCRIPTOR4 *)out->pSegmentDescriptor;
        segment->Flags.SupportsCpuHostAperture = 1;
        segment->Size = (SIZE_T)PAGES * PAGE;
        segment->CpuHostAperture.PhysicalAddress = 1 << 30;
        segment->CpuHostAperture.SizeInPages = PAGES;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    (void)adapter;
    args->hDevice = &fixture.device;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    (void)device;
    args->hContext = &fixture.context[fixture.contexts++];
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY acquire(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY release(const HANDLE adapter, const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY map(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY unmap(const HANDLE adapter, const DXGKARG_UNMAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_allocation(DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    args->hAllocation = &fixture.system_allocation[fixture.allocations++];
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_allocation(const HANDLE adapter, const HANDLE allocation) {
    (void)adapter;
    (void)allocation;
    return STATUS_SUCCESS;
}

static void build_update(const void *data, UINT size) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
    args.UpdateContextAllocation.pDriverPrivateData = (PVOID)(uintptr_t)data;
    args.UpdateContextAllocation.DriverPrivateDataSize = size;
    assert_int_equal(fixture.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
}

/* From inside of which the next one comes, until there are UPDATES; then the operation of each. */
static NTSTATUS APIENTRY update(const HANDLE adapter,
                                const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    if (fixture.updates < UPDATES) {
        DXGKARGCB_UPDATECONTEXTALLOCATION next = {.pPrivateDriverData =
                                                      &fixture.data[fixture.updates],
                                                  .PrivateDriverDataSize = sizeof(fixture.data[0])};
        fixture.updates++;
        fixture.callbacks.DxgkCbUpdateContextAllocation(adapter, &next);
    }
    build_update(args->pPrivateDriverData, args->PrivateDriverDataSize);
    return STATUS_SUCCESS;
}

static void APIENTRY notify_interrupt(const HANDLE adapter,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    (void)adapter;
    (void)data;
}

static void APIENTRY notify_dpc(const HANDLE adapter) {
    (void)adapter;
}

/* ---- A referee between them ------------------------------------------------------------------ */

static void begin(ULONG version) {
    memset(&fixture, 0, sizeof(fixture));
    fixture.ledger = calloc(1, sizeof(*fixture.ledger));
    struct vidmm_referee_config config = {.ledger = fixture.ledger};
    fixture.referee = vidmm_referee_create(&config);
    fixture.table.Version = version;
    fixture.table.DxgkDdiQueryAdapterInfo = query;
    fixture.table.DxgkDdiCreateDevice = create_device;
    fixture.table.DxgkDdiCreateContext = create_context;
    fixture.table.DxgkDdiBuildPagingBuffer = build;
    fixture.table.DxgkDdiSubmitCommand = submit;
    fixture.table.DxgkDdiAcquireSwizzlingRange = acquire;
    fixture.table.DxgkDdiReleaseSwizzlingRange = release;
    fixture.table.DxgkDdiMapCpuHostAperture = map;
    fixture.table.DxgkDdiUnmapCpuHostAperture = unmap;
    fixture.callbacks.Size = sizeof(fixture.callbacks);
    fixture.callbacks.DxgkCbCreateContextAllocation = create_allocation;
    fixture.callbacks.DxgkCbDestroyContextAllocation = destroy_allocation;
    fixture.callbacks.DxgkCbUpdateContextAllocation = update;
    fixture.callbacks.DxgkCbNotifyInterrupt = notify_interrupt;
    fixture.callbacks.DxgkCbNotifyDpc = notify_dpc;
    vidmm_referee_wrap_ddi(fixture.referee, &fixture.table);
    vidmm_referee_wrap_callbacks(fixture.referee, &fixture.callbacks);
}

/* The end of the adapter; the ledger is there still. */
static void end(void) {
    vidmm_referee_destroy(fixture.referee);
    fixture.referee = NULL;
}

static int close_fixture(void **state) {
    (void)state;
    end();
    free(fixture.ledger);
    return 0;
}

static uint32_t broken(uint32_t rule) {
    return fixture.ledger->broken[rule];
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* Each has an allocation of its own. */
static void make_contexts(bool of_system) {
    DXGKARG_CREATEDEVICE device = {.hDevice = &fixture.system_device};
    assert_int_equal(fixture.table.DxgkDdiCreateDevice(NULL, &device), STATUS_SUCCESS);
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        DXGKARG_CREATECONTEXT context = {.hContext = &fixture.system_context[i]};
        context.Flags.SystemContext = of_system && i + 1 == CONTEXTS;
        assert_int_equal(fixture.table.DxgkDdiCreateContext(&fixture.device, &context),
                         STATUS_SUCCESS);
        DXGKARGCB_CREATECONTEXTALLOCATION args = {.hContext = &fixture.system_context[i],
                                                  .hDriverAllocation = &fixture.allocation[i],
                                                  .Size = PAGE};
        assert_int_equal(fixture.callbacks.DxgkCbCreateContextAllocation(&args), STATUS_SUCCESS);
    }
}

/* Its content is moved out of a segment. */
static void move_allocation(uint32_t i) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_TRANSFER;
    args.Transfer.hAllocation = &fixture.allocation[i];
    args.Transfer.Source.SegmentId = 1;
    assert_int_equal(fixture.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
}

static void the_last_of_many_contexts_is_known_as_the_systems(void **state) {
    (void)state;
    begin(DXGKDDI_INTERFACE_VERSION_WIN8);
    make_contexts(true);
    assert_int_equal(broken(343), 1);
}

static void what_the_last_of_many_contexts_keeps_does_not_move_while_it_runs(void **state) {
    (void)state;
    DXGKARG_SUBMITCOMMAND command;
    begin(DXGKDDI_INTERFACE_VERSION_WIN8);
    make_contexts(false);
    memset(&command, 0, sizeof(command));
    command.hContext = &fixture.context[CONTEXTS - 1];
    command.SubmissionFenceId = 1;
    assert_int_equal(fixture.table.DxgkDdiSubmitCommand(NULL, &command), STATUS_SUCCESS);
    for (uint32_t i = 0; i + 1 < CONTEXTS; i++)
        move_allocation(i);
    assert_int_equal(broken(283), 0);
    move_allocation(CONTEXTS - 1);
    assert_int_equal(broken(283), 1);
}

static void destroy_allocations(uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(
            fixture.callbacks.DxgkCbDestroyContextAllocation(NULL, &fixture.system_allocation[i]),
            STATUS_SUCCESS);
    end();
}

static void each_of_many_context_allocations_is_known_until_it_is_destroyed(void **state) {
    (void)state;
    begin(DXGKDDI_INTERFACE_VERSION_WIN8);
    make_contexts(false);
    destroy_allocations(CONTEXTS);
    assert_int_equal(broken(141), 0);
}

static void one_of_many_context_allocations_that_is_left_is_missed(void **state) {
    (void)state;
    begin(DXGKDDI_INTERFACE_VERSION_WIN8);
    make_contexts(false);
    destroy_allocations(CONTEXTS - 1);
    assert_int_equal(broken(141), 1);
}

static void each_of_many_updates_under_way_is_known_by_its_data(void **state) {
    (void)state;
    uint32_t other = UPDATES;
    begin(DXGKDDI_INTERFACE_VERSION_WDDM2_0);
    for (uint32_t i = 0; i < UPDATES; i++)
        fixture.data[i] = i;
    DXGKARGCB_UPDATECONTEXTALLOCATION args = {.pPrivateDriverData = NULL};
    fixture.callbacks.DxgkCbUpdateContextAllocation(NULL, &args);
    assert_int_equal(broken(347), 0);
    assert_int_equal(broken(348), 0);
    build_update(&other, sizeof(other));
    assert_int_equal(broken(348), 1);
}

/* ---- Views of the CPU ------------------------------------------------------------------------ */

static void ask(DXGK_QUERYADAPTERINFOTYPE type, void *in, UINT in_size, void *out, UINT size) {
    DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                     .pInputData = in,
                                     .InputDataSize = in_size,
                                     .pOutputData = out,
                                     .OutputDataSize = size};
    assert_int_equal(fixture.table.DxgkDdiQueryAdapterInfo(NULL, &args), STATUS_SUCCESS);
}

static void acquire_range(uint32_t id) {
    DXGKARG_ACQUIRESWIZZLINGRANGE args = {.hAllocation = &fixture.allocation[id], .RangeId = id};
    assert_int_equal(fixture.table.DxgkDdiAcquireSwizzlingRange(NULL, &args), STATUS_SUCCESS);
}

static void the_last_of_many_swizzling_ranges_serves_one_request_at_a_time(void **state) {
    (void)state;
    DXGK_DRIVERCAPS caps;
    begin(DXGKDDI_INTERFACE_VERSION_WDDM1_3);
    memset(&caps, 0, sizeof(caps));
    ask(DXGKQAITYPE_DRIVERCAPS, NULL, 0, &caps, sizeof(caps));
    for (uint32_t i = 0; i < RANGES; i++)
        acquire_range(i);
    assert_int_equal(broken(350), 0);
    acquire_range(RANGES - 1);
    assert_int_equal(broken(350), 1);
    DXGKARG_RELEASESWIZZLINGRANGE args = {.RangeId = RANGES - 1};
    assert_int_equal(fixture.table.DxgkDdiReleaseSwizzlingRange(NULL, &args), STATUS_SUCCESS);
    acquire_range(RANGES - 1);
    assert_int_equal(broken(350), 1);
}

static void describe_segment(void) {
    DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = 0};
    DXGK_SEGMENTDESCRIPTOR4 segment;
    DXGK_QUERYSEGMENTOUT4 out;
    memset(&out, 0, sizeof(out));
    memset(&segment, 0, sizeof(segment));
    ask(DXGKQAITYPE_QUERYSEGMENT4, &in, sizeof(in), &out, sizeof(out));
    out.pSegmentDescriptor = (BYTE *)&segment;
    out.SegmentDescriptorStride = sizeof(segment);
    ask(DXGKQAITYPE_QUERYSEGMENT4, &in, sizeof(in), &out, sizeof(out));
}

/* Page `i` of the aperture leads to page `i` of the segment. */
static void map_page(uint32_t i) {
    UINT64 behind = i;
    DXGKARG_MAPCPUHOSTAPERTURE args = {.SegmentId = 1,
                                       .NumberOfPages = 1,
                                       .pCpuHostAperturePages = &i,
                                       .pMemorySegmentPages = &behind};
    assert_int_equal(fixture.table.DxgkDdiMapCpuHostAperture(NULL, &args), STATUS_SUCCESS);
}

static void the_last_of_many_pages_of_the_host_aperture_is_mapped_once(void **state) {
    (void)state;
    uint32_t last = PAGES - 1;
    DXGKARG_UNMAPCPUHOSTAPERTURE args = {
        .NumberOfPages = 1, .pCpuHostAperturePages = &last, .SegmentId = 1};
    begin(DXGKDDI_INTERFACE_VERSION_WDDM2_0);
    describe_segment();
    for (uint32_t i = 0; i < PAGES; i += 1000)
        map_page(i);
    map_page(last);
    assert_int_equal(broken(267), 0);
    map_page(last);
    assert_int_equal(broken(267), 1);
    assert_int_equal(fixture.table.DxgkDdiUnmapCpuHostAperture(NULL, &args), STATUS_SUCCESS);
    map_page(last);
    assert_int_equal(broken(267), 1);
    map_page(PAGES);
    assert_int_equal(broken(267), 2);
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* All work is submitted; the driver reports so much of it before the first DPC. */
static uint32_t hangs_after(uint32_t reports) {
    uint32_t hangs = 0;
    begin(DXGKDDI_INTERFACE_VERSION_WIN8);
    for (uint32_t i = 1; i <= REPORTS; i++) {
        DXGKARG_SUBMITCOMMAND command;
        memset(&command, 0, sizeof(command));
        command.SubmissionFenceId = i;
        assert_int_equal(fixture.table.DxgkDdiSubmitCommand(NULL, &command), STATUS_SUCCESS);
    }
    for (uint32_t i = 1; i <= reports; i++) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
        memset(&data, 0, sizeof(data));
        data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
        data.DmaCompleted.SubmissionFenceId = i;
        fixture.callbacks.DxgkCbNotifyInterrupt(NULL, &data);
    }
    fixture.callbacks.DxgkCbNotifyDpc(NULL);
    end();
    for (uint32_t i = 0; i < fixture.ledger->findings; i++)
        hangs += fixture.ledger->finding[i].kind == VIDMM_FINDING_HANG;
    return hangs;
}

static void the_last_of_many_reports_between_two_dpcs_counts(void **state) {
    (void)state;
    assert_int_equal(hangs_after(REPORTS), 0);
}

static void one_report_that_is_missing_of_many_is_missed(void **state) {
    (void)state;
    assert_int_equal(hangs_after(REPORTS - 1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_last_of_many_contexts_is_known_as_the_systems, close_fixture),
        cmocka_unit_test_teardown(what_the_last_of_many_contexts_keeps_does_not_move_while_it_runs,
                                  close_fixture),
        cmocka_unit_test_teardown(each_of_many_context_allocations_is_known_until_it_is_destroyed,
                                  close_fixture),
        cmocka_unit_test_teardown(one_of_many_context_allocations_that_is_left_is_missed,
                                  close_fixture),
        cmocka_unit_test_teardown(each_of_many_updates_under_way_is_known_by_its_data,
                                  close_fixture),
        cmocka_unit_test_teardown(the_last_of_many_swizzling_ranges_serves_one_request_at_a_time,
                                  close_fixture),
        cmocka_unit_test_teardown(the_last_of_many_pages_of_the_host_aperture_is_mapped_once,
                                  close_fixture),
        cmocka_unit_test_teardown(the_last_of_many_reports_between_two_dpcs_counts, close_fixture),
        cmocka_unit_test_teardown(one_report_that_is_missing_of_many_is_missed, close_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
