/*
 * Correct drivers of unusual shape are not accused: each is examined and nothing is found, as often as
 * UNUSUAL_TIMES in the environment says (once by default), each time with another seed. The argument
 * chooses the drivers: shapes (shapes.c), examples, settings.
 *
 * That a verdict of these drivers can be another one shows with shapes whose answers are spoiled on
 * their way to the system.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>

#include "../share.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MIB          (UINT64_C(1) << 20)
#define SETTINGS     6u
#define RING         DRIVERS "/ring-hardware.so"
#define WIN7                                                                                       \
    { "InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7 }
#define WDDM1_3                                                                                    \
    { "InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3 }
#define WDDM3_2                                                                                    \
    { "InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2 }

/* The reference driver where `driver` is NULL. */
struct unusual {
    const char *name, *driver, *model;
    struct vidmm_host_setting setting[SETTINGS]; /* a NULL name ends the list */
};

static const struct unusual examples[] = {
    {"all work on the CPU", DRIVERS "/cpu-vram.so", NULL, {{NULL, 0}}},
    {"no memory of its own", DRIVERS "/aperture-only.so", NULL, {{NULL, 0}}},
    {"banks", DRIVERS "/banked.so", NULL, {{NULL, 0}}},
    {"tables by the CPU", DRIVERS "/gpummu.so", NULL, {{NULL, 0}}},
    {"a ring", DRIVERS "/ring.so", RING, {{NULL, 0}}},
    {"a ring whose model knows one board",
     DRIVERS "/ring.so",
     UNUSUAL "/one-board.so",
     {{NULL, 0}}},
    {"a ring that a timer looks at", UNUSUAL "/polled.so", RING, {{NULL, 0}}},
    {"no physical operation", UNUSUAL "/virtual-only.so", NULL, {{NULL, 0}}},
    {"no work by physical address", UNUSUAL "/address-only.so", NULL, {{NULL, 0}}},
    {"a picture and nothing else", UNUSUAL "/display-only.so", NULL, {{NULL, 0}}},
};

static const struct unusual settings[] = {
    {"one huge segment", NULL, NULL, {{"VramBytes", 64 * 1024 * MIB}}},
    {"memory that the CPU does not see", NULL, NULL, {{"VramVisibleBytes", 0}}},
    {"memory behind a CPU host aperture",
     NULL,
     NULL,
     {{"VramVisibleBytes", 0}, {"CpuHostApertureBytes", MIB}}},
    {"as many segments as there can be",
     NULL,
     NULL,
     {{"VramVisibleBytes", MIB}, {"VramSegments", 64}}},
    {"paging buffers in the aperture", NULL, NULL, {{"PagingBufferSegment", 1}, {"Nodes", 1}}},
    {"presents on the node that pages, and GDI", NULL, NULL, {{"Nodes", 1}, {"Gdi", 1}}},
    {"the same of Windows 7", NULL, NULL, {WIN7, {"Nodes", 1}, {"Gdi", 1}}},
    {"paging buffers of 8 MiB, by address, with little memory",
     NULL,
     NULL,
     {{"MmuLevels", 4},
      {"PagingBufferBytes", 8 * MIB},
      {"VramBytes", 4 * MIB},
      {"MmuTableSegment", 2}}},
    {"every second transfer busy", NULL, NULL, {{"BusyEvery", 2}, {"PagingBufferBytes", 4096}}},
    {"an AGP aperture", NULL, NULL, {WIN7, {"Agp", 1}}},
    {"two apertures", NULL, NULL, {WDDM1_3, {"EvictionApertureBytes", 16 * MIB}}},
    {"MAP_APERTURE_SEGMENT2", NULL, NULL, {WDDM3_2, {"MapAperture2", 1}}},
    {"two levels of tables, without features", NULL, NULL, {{"MmuLevels", 2}, {"MmuFeatures", 0}}},
    {"six levels of tables in memory", NULL, NULL, {{"MmuLevels", 6}, {"MmuTableSegment", 2}}},
    {"behind an IOMMU", NULL, NULL, {{"Iommu", 1}}},
};

/* ---- Judging --------------------------------------------------------------------------------- */

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void examine(const struct unusual *unusual, uint64_t seed, const char *stage,
                    const struct vidmm_spoiler *spoiler, struct vidmm_check_result *result) {
    uint32_t count = 0;
    while (count < SETTINGS && unusual->setting[count].name)
        count++;
    const struct vidmm_check_options options = {.driver_path = unusual->driver,
                                                .model_path = unusual->model,
                                                .seed = seed,
                                                .settings = unusual->setting,
                                                .setting_count = count,
                                                .stage = stage,
                                                .spoiler = spoiler,
                                                .timeout_ms = 60000};
    vidmm_check(&options, result);
}

static void print_findings(const struct unusual *unusual, uint64_t seed,
                           const struct vidmm_check_result *result) {
    print_error("%s, seed %" PRIu64 ": %s\n", unusual->name, seed, result->text);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        char text[640];
        vidmm_finding_text(&result->ledger.finding[i], text, sizeof(text));
        print_error("  %s\n", text);
    }
}

/* Nothing is found, and no stage ends before its end: of a driver that is right there is no reason. */
static bool is_clean(const struct unusual *unusual, uint64_t seed) {
    static struct vidmm_check_result result;
    bool clean = true;
    examine(unusual, seed, NULL, NULL, &result);
    for (uint32_t i = 0; i < VIDMM_STAGES && result.stage[i].name; i++)
        clean = clean && result.stage[i].outcome <= VIDMM_STAGE_SKIPPED;
    if (clean && result.status == VIDMM_CHECK_PASSED && result.passed != 0)
        return true;
    print_findings(unusual, seed, &result);
    return false;
}

static uint32_t accused_of(const struct unusual *unusual) {
    uint64_t first = from_environment("UNUSUAL_SEED", 1), last = first;
    uint32_t accused = 0;
    last += from_environment("UNUSUAL_TIMES", 1);
    for (uint64_t seed = first; seed < last; seed++)
        accused += !is_clean(unusual, seed);
    return accused;
}

/* Every shape of a module; their number is counted in *shapes. */
static uint32_t accused_shapes(const char *path, uint32_t *shapes) {
    void *module = dlopen(path, RTLD_LAZY);
    assert_non_null(module);
    const char *(*name)(uint32_t) =
        (const char *(*)(uint32_t))(uintptr_t)dlsym(module, "shape_name");
    uint32_t accused = 0;
    assert_non_null(name);
    for (uint32_t i = 0; name(i); i++, ++*shapes) {
        if (i % share() != 0)
            continue;
        const struct unusual unusual = {name(i), path, NULL, {{"Shape", i}}};
        accused += accused_of(&unusual);
    }
    dlclose(module);
    return accused;
}

/* ---- The tests ------------------------------------------------------------------------------- */

static void shapes_are_not_accused(void **state) {
    uint32_t shapes = 0, accused = accused_shapes(UNUSUAL "/unusual.so", &shapes);
    (void)state;
    accused += accused_shapes(UNUSUAL "/unusual-win7.so", &shapes);
    assert_int_equal(accused, 0);
    assert_true(shapes >= 35);
}

static void examples_are_not_accused(void **state) {
    uint32_t accused = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i += share())
        accused += accused_of(&examples[i]);
    assert_int_equal(accused, 0);
}

static void settings_are_not_accused(void **state) {
    uint32_t accused = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i += share())
        accused += accused_of(&settings[i]);
    assert_int_equal(accused, 0);
}

/* "passed" stands for what was seen: of a driver that only displays each stage but two says that it was
 * not examined, and why. */
static void examples_that_only_display_are_said_to(void **state) {
    static struct vidmm_check_result result;
    const struct unusual unusual = {
        "a picture and nothing else", UNUSUAL "/display-only.so", NULL, {{NULL, 0}}};
    uint32_t done = 0, displays = 0;
    (void)state;
    examine(&unusual, 1, NULL, NULL, &result);
    for (uint32_t i = 0; i < result.stages; i++) {
        done += result.stage[i].outcome == VIDMM_STAGE_DONE;
        displays += !!strstr(result.stage[i].text, "the driver only displays");
        assert_true(result.stage[i].outcome == VIDMM_STAGE_DONE || result.stage[i].text[0] != 0);
    }
    assert_int_equal(done, 2); /* start, query */
    assert_true(displays + 4 >= result.stages);
    assert_string_equal(vidmm_check_outcome(&result, 161), "not reached");
}

/* ---- Spoiled --------------------------------------------------------------------------------- */

static DXGKDDI_BUILDPAGINGBUFFER *good_build;
static DXGKDDI_SUBMITCOMMAND *good_submit;

/* The last page of a transfer is left out. */
static NTSTATUS APIENTRY build_short(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER passed = *args;
    if (args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.TransferSize > 4096)
        passed.Transfer.TransferSize -= 4096;
    NTSTATUS status = good_build(adapter, &passed);
    args->pDmaBuffer = passed.pDmaBuffer;
    args->DmaSize = passed.DmaSize;
    args->pDmaBufferPrivateData = passed.pDmaBufferPrivateData;
    args->DmaBufferPrivateDataSize = passed.DmaBufferPrivateDataSize;
    args->MultipassOffset = passed.MultipassOffset;
    return status;
}

static void spoil_transfers(DRIVER_INITIALIZATION_DATA *table) {
    good_build = table->DxgkDdiBuildPagingBuffer;
    table->DxgkDdiBuildPagingBuffer = build_short;
}

/* Every seventh submission is lost. */
static NTSTATUS APIENTRY submit_some(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    return args->SubmissionFenceId % 7 == 0 ? STATUS_SUCCESS : good_submit(adapter, args);
}

static void spoil_submissions(DRIVER_INITIALIZATION_DATA *table) {
    good_submit = table->DxgkDdiSubmitCommand;
    table->DxgkDdiSubmitCommand = submit_some;
}

static bool is_broken(const struct unusual *unusual,
                      void (*spoil)(DRIVER_INITIALIZATION_DATA *table), uint32_t rule) {
    static struct vidmm_check_result result;
    const struct vidmm_spoiler spoiler = {.driver = spoil};
    examine(unusual, 1, "paging", &spoiler, &result);
    bool named = rule == 0;
    for (uint32_t i = 0; i < result.ledger.findings; i++)
        named = named || result.ledger.finding[i].rule == rule;
    if (result.status != VIDMM_CHECK_BROKEN || !named)
        print_error("shape %" PRIu64 ", %s: not accused: %s\n", unusual->setting[0].value,
                    unusual->name, result.text);
    return result.status == VIDMM_CHECK_BROKEN && named;
}

/* Finished by a timer, a thread, a work item, in the call; what is done when it is built does not need the
 * submission. */
static void spoiled_shapes_are_accused(void **state) {
    static const struct {
        uint64_t shape;
        bool later;
    } shapes[] = {{1, false}, {2, false}, {5, true}, {6, true}, {9, true}, {14, false}};
    uint32_t missed = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct unusual unusual = {
            "short transfers", UNUSUAL "/unusual.so", NULL, {{"Shape", shapes[i].shape}}};
        missed += !is_broken(&unusual, spoil_transfers, 161);
        unusual.name = "lost submissions";
        missed += shapes[i].later && !is_broken(&unusual, spoil_submissions, 0);
    }
    assert_int_equal(missed, 0);
}

/* ---- Answers in another way ------------------------------------------------------------------- */

static DXGKDDI_QUERYADAPTERINFO *good_query;

/* The paging process's tables are where only the CPU host aperture leads the CPU. */
static NTSTATUS APIENTRY query_far_tables(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good_query(adapter, args);
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC && status == STATUS_SUCCESS)
        ((DXGK_PAGE_TABLE_LEVEL_DESC *)args->pOutputData)->PagingProcessPageTableSegmentId = 2;
    return status;
}

static void spoil_tables(DRIVER_INITIALIZATION_DATA *table) {
    good_query = table->DxgkDdiQueryAdapterInfo;
    table->DxgkDdiQueryAdapterInfo = query_far_tables;
}

/* A paging buffer at a physical address, which no paging process has, is not carried out. */
static NTSTATUS APIENTRY submit_nothing(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND nothing = *args;
    if (args->Flags.Paging)
        nothing.DmaBufferSubmissionEndOffset = nothing.DmaBufferSubmissionStartOffset;
    return good_submit(adapter, &nothing);
}

static void spoil_physical(DRIVER_INITIALIZATION_DATA *table) {
    good_submit = table->DxgkDdiSubmitCommand;
    table->DxgkDdiSubmitCommand = submit_nothing;
}

/* The pointers tell how far it got; the sizes are as they were. */
static NTSTATUS APIENTRY build_without_sizes(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *args) {
    const UINT size = args->DmaSize, own = args->DmaBufferPrivateDataSize;
    NTSTATUS status = good_build(adapter, args);
    args->DmaSize = size;
    args->DmaBufferPrivateDataSize = own;
    return status;
}

static void spoil_sizes(DRIVER_INITIALIZATION_DATA *table) {
    good_build = table->DxgkDdiBuildPagingBuffer;
    table->DxgkDdiBuildPagingBuffer = build_without_sizes;
}

/* All of an operation or nothing, unless it has the whole buffer. */
static NTSTATUS APIENTRY build_whole(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGKARG_BUILDPAGINGBUFFER before = *args;
    NTSTATUS status = good_build(adapter, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && before.DmaBufferWriteOffset != 0)
        *args = before;
    return status;
}

static void spoil_whole(DRIVER_INITIALIZATION_DATA *table) {
    good_build = table->DxgkDdiBuildPagingBuffer;
    table->DxgkDdiBuildPagingBuffer = build_whole;
}

/* A driver that reads its fence again behind a reset reports what it had reported before, once more. */
static struct {
    DXGKDDI_START_DEVICE *start;
    DXGKDDI_RESETFROMTIMEOUT *reset;
    DXGKCB_NOTIFY_INTERRUPT notify;
    UINT submitted, told, again; /* fences; 0: none */
} retold;

static NTSTATUS APIENTRY submit_retold(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    retold.submitted = args->SubmissionFenceId;
    return good_submit(adapter, args);
}

static NTSTATUS APIENTRY reset_retold(const HANDLE adapter) {
    retold.again = retold.told == retold.submitted ? retold.told : 0;
    return retold.reset(adapter);
}

static VOID APIENTRY notify_retold(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA again = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        again.DmaCompleted.SubmissionFenceId = retold.again;
        if (retold.again != 0)
            retold.notify(device, &again);
        retold.told = data->DmaCompleted.SubmissionFenceId;
        retold.again = 0;
    }
    retold.notify(device, data);
}

static NTSTATUS APIENTRY start_retold(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    retold.notify = calls->DxgkCbNotifyInterrupt;
    retold.submitted = retold.told = retold.again = 0;
    mine.DxgkCbNotifyInterrupt = notify_retold;
    return retold.start(context, info, &mine, sources, children);
}

static void spoil_reports(DRIVER_INITIALIZATION_DATA *table) {
    good_submit = table->DxgkDdiSubmitCommand;
    retold.start = table->DxgkDdiStartDevice;
    retold.reset = table->DxgkDdiResetFromTimeout;
    table->DxgkDdiSubmitCommand = submit_retold;
    table->DxgkDdiStartDevice = start_retold;
    table->DxgkDdiResetFromTimeout = reset_retold;
}

/* As a driver whose linear surfaces are as they should be without a range: it refuses one for them. */
#define SWIZZLED 64u
static DXGKDDI_CREATEALLOCATION *good_create;
static DXGKDDI_ACQUIRESWIZZLINGRANGE *good_acquire;
static HANDLE swizzled[SWIZZLED];
static UINT swizzled_so_far;

static NTSTATUS APIENTRY create_noting(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good_create(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        if (args->pAllocationInfo[i].Flags.Swizzled)
            swizzled[swizzled_so_far++ % SWIZZLED] = args->pAllocationInfo[i].hAllocation;
    return status;
}

static NTSTATUS APIENTRY acquire_swizzled(const HANDLE adapter,
                                          DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    for (UINT i = 0; i < SWIZZLED; i++)
        if (swizzled[i] == args->hAllocation)
            return good_acquire(adapter, args);
    return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
}

static void spoil_linear_ranges(DRIVER_INITIALIZATION_DATA *table) {
    good_create = table->DxgkDdiCreateAllocation;
    good_acquire = table->DxgkDdiAcquireSwizzlingRange;
    table->DxgkDdiCreateAllocation = create_noting;
    table->DxgkDdiAcquireSwizzlingRange = acquire_swizzled;
}

/* A GPU without alternate addresses: no primary gets one, and the operation for them is not known. */
static NTSTATUS APIENTRY create_without_alternates(const HANDLE adapter,
                                                   DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good_create(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Flags.UseAlternateVA = 0;
    return status;
}

static NTSTATUS APIENTRY build_without_alternates(const HANDLE adapter,
                                                  DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER ? STATUS_SUCCESS
                                                                   : good_build(adapter, args);
}

static void spoil_alternates(DRIVER_INITIALIZATION_DATA *table) {
    good_create = table->DxgkDdiCreateAllocation;
    good_build = table->DxgkDdiBuildPagingBuffer;
    table->DxgkDdiCreateAllocation = create_without_alternates;
    table->DxgkDdiBuildPagingBuffer = build_without_alternates;
}

/* Apertures of few pages, and such as map few of theirs at once. */
static SIZE_T aperture_size, aperture_limit; /* bytes; 0: as they are */

static NTSTATUS APIENTRY query_small_apertures(const HANDLE adapter,
                                               const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good_query(adapter, args);
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT3 || status != STATUS_SUCCESS)
        return status;
    if (aperture_size != 0 && out->pSegmentDescriptor)
        out->PagingBufferSegmentId = 0; /* they have no room there */
    for (UINT i = 0; out->pSegmentDescriptor && i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR3 *segment = &out->pSegmentDescriptor[i];
        if (!segment->Flags.Aperture)
            continue;
        segment->Size = aperture_size != 0 ? aperture_size : segment->Size;
        segment->CommitLimit = aperture_limit;
    }
    return status;
}

static void spoil_commit_limit(DRIVER_INITIALIZATION_DATA *table) {
    good_query = table->DxgkDdiQueryAdapterInfo;
    table->DxgkDdiQueryAdapterInfo = query_small_apertures;
    aperture_size = 0;
    aperture_limit = 64 * 4096;
}

static void spoil_aperture(DRIVER_INITIALIZATION_DATA *table) {
    spoil_commit_limit(table);
    aperture_size = aperture_limit = 4 * 4096;
}

static void settings_answered_in_other_ways_are_not_accused(void **state) {
    static const struct {
        struct unusual driver;
        void (*spoil)(DRIVER_INITIALIZATION_DATA *table);
        const char *stage;
    } ways[] = {
        {{"tables behind a CPU host aperture",
          NULL,
          NULL,
          {{"MmuLevels", 4}, {"VramVisibleBytes", 0}, {"CpuHostApertureBytes", 16 * MIB}}},
         spoil_tables,
         "paging"},
        {{"no paging at physical addresses", NULL, NULL, {{"MmuLevels", 2}}},
         spoil_physical,
         "operations"},
        {{"sizes of paging buffers left alone", NULL, NULL, {{"Nodes", 2}}}, spoil_sizes, NULL},
        {{"the same with GPU virtual addresses",
          NULL,
          NULL,
          {{"MmuLevels", 3}, {"MmuUpdateMode", 1}, {"PagingPrivateBytes", 4096}}},
         spoil_sizes,
         NULL},
        {{"no operation in parts, unless it has a whole paging buffer",
          NULL,
          NULL,
          {{"MmuLevels", 3}, {"MmuUpdateMode", 1}, {"PagingBufferBytes", 65536}}},
         spoil_whole,
         NULL},
        {{"a fence reported again behind a reset", NULL, NULL, {{"Nodes", 1}}},
         spoil_reports,
         "locks"},
        {{"no ranges for linear surfaces", NULL, NULL, {WDDM1_3}}, spoil_linear_ranges, "ranges"},
        {{"no alternate addresses", NULL, NULL, {WDDM1_3}}, spoil_alternates, "ranges,locks"},
        {{"an aperture that maps 64 pages at once", NULL, NULL, {WDDM1_3}},
         spoil_commit_limit,
         "operations,room,preempt,paging,objects,promises"},
        {{"an aperture of four pages", NULL, NULL, {WDDM1_3}},
         spoil_aperture,
         "operations,room,preempt,promises"},
    };
    static struct vidmm_check_result result;
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        const struct vidmm_spoiler spoiler = {.driver = ways[i].spoil};
        examine(&ways[i].driver, 1, ways[i].stage, &spoiler, &result);
        if (result.status != VIDMM_CHECK_PASSED)
            print_findings(&ways[i].driver, 1, &result);
        assert_int_equal(result.status, VIDMM_CHECK_PASSED);
        for (uint32_t at = 0; at < result.stages; at++)
            assert_true(result.stage[at].outcome <= VIDMM_STAGE_SKIPPED);
    }
}

/* ---- Displays -------------------------------------------------------------------------------- */

static DRIVER_INITIALIZATION_DATA good_display;
static DXGKRNL_INTERFACE late_system; /* what the driver was given */

static SIZE_T paths_of(D3DKMDT_HVIDPN handle) {
    const DXGK_VIDPN_INTERFACE *network = NULL;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    SIZE_T count = 0;
    if (handle &&
        late_system.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &network) ==
            STATUS_SUCCESS &&
        network->pfnGetTopology(handle, &topology, &paths) == STATUS_SUCCESS)
        (void)paths->pfnGetNumPaths(topology, &count);
    return count;
}

static NTSTATUS APIENTRY support_nothing(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    NTSTATUS status = good_display.DxgkDdiIsSupportedVidPn(adapter, args);
    args->IsVidPnSupported = paths_of(args->hDesiredVidPn) == 0;
    return status;
}

static NTSTATUS APIENTRY commit_nothing(const HANDLE adapter, const DXGKARG_COMMITVIDPN *args) {
    return paths_of(args->hFunctionalVidPn) != 0 ? STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY
                                                 : good_display.DxgkDdiCommitVidPn(adapter, args);
}

static NTSTATUS APIENTRY control_nothing(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                         BOOLEAN enable) {
    (void)adapter;
    (void)type;
    (void)enable;
    return STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS APIENTRY control_newer(const HANDLE adapter,
                                       const DXGKARG_CONTROLINTERRUPT2 control) {
    return good_display.DxgkDdiControlInterrupt(adapter, control.InterruptType,
                                                control.CrtcVsyncState == DXGK_VSYNC_ENABLE);
}

static NTSTATUS APIENTRY control_newest(const HANDLE adapter,
                                        const DXGKARG_CONTROLINTERRUPT3 *control) {
    return good_display.DxgkDdiControlInterrupt(adapter, control->InterruptType,
                                                control->CrtcVsyncState == DXGK_VSYNC_ENABLE);
}

static NTSTATUS APIENTRY set_no_address(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    (void)adapter;
    (void)args;
    return STATUS_INVALID_PARAMETER;
}

/* Hardware that latches an address one vertical sync early: the first report is still of before. */
static uint64_t shown_before;

static VOID APIENTRY notify_late(const HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA late = *data;
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC && data->CrtcVsync.VidPnTargetId == 0) {
        uint64_t now = (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart;
        late.CrtcVsync.PhysicalAddress.QuadPart =
            (LONGLONG)(shown_before != 0 ? shown_before : now);
        shown_before = now;
    }
    late_system.DxgkCbNotifyInterrupt(handle, &late);
}

static NTSTATUS APIENTRY start_late(const PVOID context, PDXGK_START_INFO info,
                                    PDXGKRNL_INTERFACE system, PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE other = *system;
    late_system = *system;
    other.DxgkCbNotifyInterrupt = notify_late;
    shown_before = 0;
    return good_display.DxgkDdiStartDevice(context, info, &other, sources, children);
}

/* Goes on with the picture of the firmware, which the CPU reaches. */
static NTSTATUS APIENTRY leave_picture(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                       PDXGK_DISPLAY_INFORMATION info) {
    DXGK_DISPLAY_INFORMATION picture = {.Width = 0};
    (void)late_system.DxgkCbAcquirePostDisplayOwnership(late_system.DeviceHandle, &picture);
    NTSTATUS status =
        good_display.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target, info);
    *info = picture;
    info->TargetId = target;
    return status;
}

#define DISPLAYS(function, slot)                                                                   \
    static void spoil_##function(DRIVER_INITIALIZATION_DATA *table) {                              \
        good_display = *table;                                                                     \
        table->DxgkDdi##slot = function;                                                           \
    }
DISPLAYS(control_nothing, ControlInterrupt)
DISPLAYS(control_newer, ControlInterrupt2)
DISPLAYS(control_newest, ControlInterrupt3)
DISPLAYS(set_no_address, SetVidPnSourceAddress)
DISPLAYS(start_late, StartDevice)

static void spoil_leave_picture(DRIVER_INITIALIZATION_DATA *table) {
    spoil_start_late(table);
    table->DxgkDdiStopDeviceAndReleasePostDisplayOwnership = leave_picture;
}

static void spoil_commit_nothing(DRIVER_INITIALIZATION_DATA *table) {
    spoil_start_late(table);
    table->DxgkDdiCommitVidPn = commit_nothing;
}

static void spoil_support_nothing(DRIVER_INITIALIZATION_DATA *table) {
    spoil_start_late(table);
    table->DxgkDdiIsSupportedVidPn = support_nothing;
}

static void spoil_nothing(DRIVER_INITIALIZATION_DATA *table) {
    (void)table;
}

static void settings_of_displays_are_not_accused(void **state) {
    static const struct {
        const char *name;
        void (*spoil)(DRIVER_INITIALIZATION_DATA *table);
        const char *stage;
        uint64_t displays;
    } ways[] = {
        {"displays in all stages", spoil_nothing, NULL, 2},
        {"one display", spoil_nothing, "display", 1},
        {"no display", spoil_nothing, "display", 0},
        {"no path supported", spoil_support_nothing, "display", 2},
        {"no network committed", spoil_commit_nothing, "display", 2},
        {"vertical syncs that are not controlled", spoil_control_nothing, "display", 2},
        {"vertical syncs by the newer function", spoil_control_newer, "display", 2},
        {"vertical syncs by the newest function", spoil_control_newest, "display", 2},
        {"a picture that is left", spoil_leave_picture, "display", 2},
        {"no address set", spoil_set_no_address, "display", 2},
        {"an address that is latched early", spoil_start_late, "display", 2},
    };
    static struct vidmm_check_result result;
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        const struct vidmm_spoiler spoiler = {.driver = ways[i].spoil};
        const struct unusual unusual = {ways[i].name, NULL, NULL, {{"Displays", ways[i].displays}}};
        examine(&unusual, 1, ways[i].stage, &spoiler, &result);
        if (result.status != VIDMM_CHECK_PASSED)
            print_findings(&unusual, 1, &result);
        assert_int_equal(result.status, VIDMM_CHECK_PASSED);
        for (uint32_t at = 0; at < result.stages; at++)
            assert_true(result.stage[at].outcome <= VIDMM_STAGE_SKIPPED);
    }
}

/* Fills in what the second call asks for, in both. */
static NTSTATUS APIENTRY query_all_at_once(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good_query(adapter, args);
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT3 && !out->pSegmentDescriptor)
        out->PagingBufferSize = 65536;
    return status;
}

static void spoil_count(DRIVER_INITIALIZATION_DATA *table) {
    good_query = table->DxgkDdiQueryAdapterInfo;
    table->DxgkDdiQueryAdapterInfo = query_all_at_once;
}

/* Systems were seen to start such a driver (W31): it is told once, and the stages go on. */
static void settings_whose_count_pass_writes_more_go_on(void **state) {
    static struct vidmm_check_result result;
    const struct unusual unusual = {"all at once", NULL, NULL, {WDDM1_3}};
    const struct vidmm_spoiler spoiler = {.driver = spoil_count};
    (void)state;
    examine(&unusual, 1, NULL, &spoiler, &result);
    assert_int_equal(result.status, VIDMM_CHECK_BROKEN);
    assert_int_equal(result.ledger.findings, 1);
    assert_int_equal(result.ledger.finding[0].rule, 3);
    for (uint32_t at = 0; at < result.stages; at++)
        assert_true(result.stage[at].outcome <= VIDMM_STAGE_SKIPPED);
}

int main(int argc, char **argv) {
    const char *group = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_not_accused),
        cmocka_unit_test(spoiled_shapes_are_accused),
        cmocka_unit_test(examples_are_not_accused),
        cmocka_unit_test(examples_that_only_display_are_said_to),
        cmocka_unit_test(settings_are_not_accused),
        cmocka_unit_test(settings_of_displays_are_not_accused),
        cmocka_unit_test(settings_answered_in_other_ways_are_not_accused),
        cmocka_unit_test(settings_whose_count_pass_writes_more_go_on),
    };
    static const char *const filters[][2] = {
        {"shapes", "*shapes*"}, {"examples", "examples*"}, {"settings", "settings*"}};
    for (size_t i = 0; i < COUNT(filters); i++)
        if (strcmp(group, filters[i][0]) == 0)
            cmocka_set_test_filter(filters[i][1]);
    return cmocka_run_group_tests_name("unusual", tests, NULL, NULL);
}
