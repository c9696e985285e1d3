/*
 * break_paging_manager.c - managers that get BuildPagingBuffer as such, paging buffers, submission
 * and resets wrong: groups C, E, K, Q and T. The drivers are break_paging.c's.
 */
#include "mutants.h"

#include <pthread.h>
#include <string.h>

#define PAGE 4096u

typedef DXGKARG_BUILDPAGINGBUFFER build_args;

static NTSTATUS good_build(HANDLE adapter, build_args *args) {
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

/* ---- Managers: BuildPagingBuffer ------------------------------------------------------------- */

/* Often enough for two threads to meet. */
#define QUERIES 100000u

static void *query_often(void *adapter) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP args = {0};
    for (uint32_t i = 0; i < QUERIES; i++)
        (void)mutants_good.DxgkDdiQueryDependentEngineGroup(adapter, &args);
    return NULL;
}

static NTSTATUS APIENTRY not_alone(const HANDLE adapter, build_args *args) {
    static bool done;
    pthread_t other;
    if (!done && pthread_create(&other, NULL, query_often, adapter) == 0) {
        query_often(adapter);
        pthread_join(other, NULL);
    }
    done = true;
    return good_build(adapter, args);
}

static void install_not_alone(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = not_alone;
}

static NTSTATUS APIENTRY at_dispatch(const HANDLE adapter, build_args *args) {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    NTSTATUS status = good_build(adapter, args);
    KeLowerIrql(old);
    return status;
}

static void install_at_dispatch(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = at_dispatch;
}

/* What the driver fills in place of the manager's buffer: `shift` bytes into a page, with `gap`
 * bytes between the first operation and the others. */
static NTSTATUS divert(HANDLE adapter, build_args *args, uint32_t shift, uint32_t gap) {
    static _Alignas(PAGE) uint8_t area[1 << 17];
    uint8_t *real = args->pDmaBuffer;
    uint32_t at = args->DmaBufferWriteOffset;
    uint8_t *start = area + shift + at + (at != 0 ? gap : 0);
    if (at + args->DmaSize + PAGE > sizeof(area))
        return good_build(adapter, args);
    args->pDmaBuffer = start;
    args->DmaBufferWriteOffset = (uint32_t)(start - (area + shift));
    NTSTATUS status = good_build(adapter, args);
    size_t written = (size_t)((uint8_t *)args->pDmaBuffer - start);
    memcpy(real, start, written);
    args->pDmaBuffer = real + written;
    return status;
}

static NTSTATUS APIENTRY unaligned(const HANDLE adapter, build_args *args) {
    return divert(adapter, args, 8, 0);
}

static void install_unaligned(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = unaligned;
}

static NTSTATUS APIENTRY gapped(const HANDLE adapter, build_args *args) {
    return divert(adapter, args, 0, 64);
}

static void install_gapped(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = gapped;
}

/* True when the call repeats an operation that was answered `status` the last time. */
static bool repeats;
static NTSTATUS last_status;

static NTSTATUS noting(HANDLE adapter, build_args *args) {
    last_status = good_build(adapter, args);
    repeats = last_status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return last_status;
}

static NTSTATUS APIENTRY something_else(const HANDLE adapter, build_args *args) {
    static _Alignas(PAGE) uint8_t area[PAGE];
    NTSTATUS status = good_build(adapter, args);
    if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || args->Operation != DXGK_OPERATION_FILL)
        return status;
    build_args other = {.pDmaBuffer = area, .DmaSize = 256};
    other.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
    other.hSystemContext = args->hSystemContext;
    (void)good_build(adapter, &other);
    return status;
}

static void install_something_else(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = something_else;
}

/* The next part into a buffer of its own, while the part before it waits. */
static NTSTATUS APIENTRY builds_ahead(const HANDLE adapter, build_args *args) {
    static _Alignas(PAGE) uint8_t area[PAGE];
    build_args next = *args;
    NTSTATUS status = good_build(adapter, args);
    if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || args->pDmaBuffer == next.pDmaBuffer)
        return status;
    next.pDmaBuffer = area;
    next.DmaSize = 256;
    next.DmaBufferWriteOffset = 0;
    next.MultipassOffset = args->MultipassOffset;
    (void)good_build(adapter, &next);
    return status;
}

static void install_builds_ahead(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = builds_ahead;
}

/* Of an operation that the reference driver builds in one piece, so that it looks at no offset. */
static NTSTATUS APIENTRY begins_at_one(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        args->MultipassOffset = 1;
    return good_build(adapter, args);
}

static void install_begins_at_one(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = begins_at_one;
}

static bool in_one_piece(const build_args *args) {
    return args->Operation == DXGK_OPERATION_FILL ||
           args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

static NTSTATUS APIENTRY moves_offset(const HANDLE adapter, build_args *args) {
    if (repeats && in_one_piece(args))
        args->MultipassOffset += 3;
    return noting(adapter, args);
}

static void install_moves_offset(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = moves_offset;
}

/* Padding of the arm, which no driver looks at. */
static NTSTATUS APIENTRY changes_arm(const HANDLE adapter, build_args *args) {
    if (repeats && in_one_piece(args))
        args->Reserved.Reserved[40] ^= 1;
    return noting(adapter, args);
}

static void install_changes_arm(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = changes_arm;
}

static NTSTATUS APIENTRY never_idle(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        args->Transfer.Flags.AllocationIsIdle = 0;
    return good_build(adapter, args);
}

static void install_never_idle(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = never_idle;
}

/* Memory that is no object of the driver's, but may be read. */
static uint64_t nobody[64];

static NTSTATUS APIENTRY wrong_handle(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_DISCARD_CONTENT)
        args->DiscardContent.hAllocation = nobody;
    return good_build(adapter, args);
}

static void install_wrong_handle(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = wrong_handle;
}

static NTSTATUS APIENTRY wrong_context(const HANDLE adapter, build_args *args) {
    args->hSystemContext = nobody;
    return good_build(adapter, args);
}

static void install_wrong_context(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = wrong_context;
}

static NTSTATUS APIENTRY wrong_offset(const HANDLE adapter, build_args *args) {
    args->DmaBufferWriteOffset += 8;
    return good_build(adapter, args);
}

static void install_wrong_offset(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = wrong_offset;
}

static NTSTATUS APIENTRY virtual_buffer(const HANDLE adapter, build_args *args) {
    args->DmaBufferGpuVirtualAddress = 0x10000;
    return good_build(adapter, args);
}

static void install_virtual_buffer(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = virtual_buffer;
}

/* ---- Managers: paging buffers ---------------------------------------------------------------- */

static NTSTATUS APIENTRY smaller(const HANDLE adapter, build_args *args) {
    args->DmaSize -= args->DmaSize >= 64 ? 64 : args->DmaSize;
    return good_build(adapter, args);
}

static void install_smaller(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = smaller;
}

static NTSTATUS APIENTRY used_private(const HANDLE adapter, build_args *args) {
    if (args->pDmaBufferPrivateData)
        memset(args->pDmaBufferPrivateData, 0x5a, args->DmaBufferPrivateDataSize);
    return good_build(adapter, args);
}

static void install_used_private(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = used_private;
}

static NTSTATUS APIENTRY scribbled_private(const HANDLE adapter, build_args *args) {
    uint8_t *before = args->pDmaBufferPrivateData;
    NTSTATUS status = good_build(adapter, args);
    if (before && args->pDmaBufferPrivateData != before)
        *before ^= 0xff;
    return status;
}

static void install_scribbled_private(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = scribbled_private;
}

static NTSTATUS APIENTRY invented_private(const HANDLE adapter, build_args *args) {
    static uint8_t area[64];
    args->pDmaBufferPrivateData = area;
    args->DmaBufferPrivateDataSize = sizeof(area);
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBufferPrivateData = NULL;
    args->DmaBufferPrivateDataSize = 0;
    return status;
}

static void install_invented_private(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = invented_private;
}

/* ---- Managers: Patch and SubmitCommand ------------------------------------------------------- */

/* What both calls say of one submission: the same lie to both. */
static struct {
    bool paging; /* which submissions */
    bool segment;
    UINT segment_id;
    bool small;
    HANDLE context;
} lie;

static NTSTATUS APIENTRY lying_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging == lie.paging) {
        mine.DmaBufferSegmentId = lie.segment ? lie.segment_id : mine.DmaBufferSegmentId;
        mine.DmaBufferSize = lie.small ? mine.DmaBufferSubmissionEndOffset - 1 : mine.DmaBufferSize;
        mine.hContext = lie.context ? lie.context : mine.hContext;
    }
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static NTSTATUS APIENTRY lying_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (mine.Flags.Paging == lie.paging) {
        mine.DmaBufferSegmentId = lie.segment ? lie.segment_id : mine.DmaBufferSegmentId;
        mine.DmaBufferSize = lie.small ? mine.DmaBufferSubmissionEndOffset - 1 : mine.DmaBufferSize;
        mine.hContext = lie.context ? lie.context : mine.hContext;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_lies(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = lying_patch;
    table->DxgkDdiSubmitCommand = lying_submit;
}

static void install_other_aperture(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .segment = true, .segment_id = 3};
    install_lies(table);
}

static void install_render_in_aperture(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.segment = true, .segment_id = 1};
    install_lies(table);
}

static void install_render_in_memory(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.segment = true, .segment_id = 2};
    install_lies(table);
}

static void install_segment_zero(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .segment = true, .segment_id = 0};
    install_lies(table);
}

static void install_beyond_buffer(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .small = true};
    install_lies(table);
}

static void install_wrong_submit_context(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .context = nobody};
    install_lies(table);
}

static NTSTATUS APIENTRY elsewhere(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging)
        mine.DmaBufferPhysicalAddress.QuadPart += 16 * PAGE;
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static void install_elsewhere(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = elsewhere;
}

static NTSTATUS APIENTRY with_list(const HANDLE adapter, const DXGKARG_PATCH *args) {
    static const DXGK_ALLOCATIONLIST list;
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging) {
        mine.pAllocationList = &list;
        mine.AllocationListSize = 1;
    }
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static void install_with_list(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = with_list;
}

/* Every allocation of the list in `segment`. */
static NTSTATUS patch_in(const HANDLE adapter, const DXGKARG_PATCH *args, UINT segment) {
    static DXGK_ALLOCATIONLIST list[1024];
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging || mine.AllocationListSize > 1024 || mine.AllocationListSize == 0)
        return mutants_good.DxgkDdiPatch(adapter, args);
    memcpy(list, mine.pAllocationList, mine.AllocationListSize * sizeof(list[0]));
    for (UINT i = 0; i < mine.AllocationListSize; i++)
        list[i].SegmentId = segment;
    mine.pAllocationList = list;
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static NTSTATUS APIENTRY nowhere(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return patch_in(adapter, args, 0);
}

static NTSTATUS APIENTRY beyond_last(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return patch_in(adapter, args, 30);
}

static void install_beyond_last(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = beyond_last;
}

/* Addresses of the other segments are not on the bus. */
static NTSTATUS APIENTRY in_agp(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return patch_in(adapter, args, 3);
}

static void install_in_agp(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = in_agp;
}

static void install_nowhere(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = nowhere;
}

static NTSTATUS APIENTRY other_size(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.DmaBufferSize += 8;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_other_size(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = other_size;
}

static NTSTATUS APIENTRY new_resubmission(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.Flags.Resubmission = 1;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_new_resubmission(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = new_resubmission;
}

static NTSTATUS APIENTRY other_node(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.NodeOrdinal += args->Flags.Paging;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_other_node(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = other_node;
}

/* ---- Managers: what the GPU still uses ------------------------------------------------------- */

/* The last command buffer: given to the GPU once more, without a byte of it, its allocations are in
 * use again for as long as nobody waits. */
static struct {
    bool known;
    HANDLE adapter;
    DXGKARG_PATCH patch;
    DXGKARG_SUBMITCOMMAND submit;
    DXGK_ALLOCATIONLIST list[1024];
} newest;

static NTSTATUS APIENTRY note_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    if (!args->Flags.Paging && args->AllocationListSize <= 1024) {
        newest.known = false;
        newest.adapter = adapter;
        newest.patch = *args;
        memcpy(newest.list, args->pAllocationList, args->AllocationListSize * sizeof(*newest.list));
    }
    return mutants_good.DxgkDdiPatch(adapter, args);
}

static NTSTATUS APIENTRY note_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (args->SubmissionFenceId == newest.patch.SubmissionFenceId && !args->Flags.Paging) {
        newest.submit = *args;
        newest.known = true;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY forget_context(const HANDLE context) {
    newest.known = newest.known && newest.patch.hContext != context;
    return mutants_good.DxgkDdiDestroyContext(context);
}

static void keep_busy(void) {
    if (!newest.known)
        return;
    newest.patch.pAllocationList = newest.list;
    newest.patch.pPatchLocationList = NULL;
    newest.patch.PatchLocationListSize = newest.patch.PatchLocationListSubmissionLength = 0;
    newest.patch.DmaBufferSubmissionEndOffset = newest.patch.DmaBufferSubmissionStartOffset;
    newest.submit.DmaBufferSubmissionEndOffset = newest.submit.DmaBufferSubmissionStartOffset;
    (void)mutants_good.DxgkDdiPatch(newest.adapter, &newest.patch);
    (void)mutants_good.DxgkDdiSubmitCommand(newest.adapter, &newest.submit);
}

static void install_notes(DRIVER_INITIALIZATION_DATA *table) {
    newest.known = false;
    table->DxgkDdiPatch = note_patch;
    table->DxgkDdiSubmitCommand = note_submit;
    table->DxgkDdiDestroyContext = forget_context;
}

static NTSTATUS APIENTRY close_in_use(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    keep_busy();
    newest.known = false;
    return mutants_good.DxgkDdiCloseAllocation(device, args);
}

static void install_close_in_use(DRIVER_INITIALIZATION_DATA *table) {
    install_notes(table);
    table->DxgkDdiCloseAllocation = close_in_use;
}

static NTSTATUS APIENTRY map_in_use(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
        keep_busy();
    return good_build(adapter, args);
}

static NTSTATUS APIENTRY forget_all(const HANDLE adapter) {
    newest.known = false;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static void install_map_in_use(DRIVER_INITIALIZATION_DATA *table) {
    install_notes(table);
    table->DxgkDdiResetFromTimeout = forget_all;
    table->DxgkDdiBuildPagingBuffer = map_in_use;
}

/* ---- Managers: engines ----------------------------------------------------------------------- */

/* An engine that gives up what it was given last. */
static UINT last_fence;

static NTSTATUS APIENTRY below_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    last_fence = args->SubmissionFenceId;
    return mutants_below.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY below_reset(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    (void)adapter;
    args->LastAbortedFenceId = last_fence;
    return STATUS_SUCCESS;
}

static void scene_engine_gives_up(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = below_submit;
    table->DxgkDdiResetEngine = below_reset;
}

static NTSTATUS APIENTRY reset_and_go_on(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = args->NodeOrdinal};
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    if (args->Flags.Paging)
        (void)mutants_good.DxgkDdiResetEngine(adapter, &reset);
    return status;
}

static void install_reset_and_go_on(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = reset_and_go_on;
}

/* ---- Managers: level 3 ----------------------------------------------------------------------- */

static NTSTATUS APIENTRY power_while_busy(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    (void)mutants_good.DxgkDdiSetPowerState(adapter, (ULONG)-1, PowerDeviceD0, PowerActionNone);
    return status;
}

static void install_power_while_busy(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = power_while_busy;
}

static NTSTATUS APIENTRY query_while_reset(const HANDLE adapter) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP args = {0};
    NTSTATUS status = mutants_good.DxgkDdiResetFromTimeout(adapter);
    (void)mutants_good.DxgkDdiQueryDependentEngineGroup(adapter, &args);
    return status;
}

static void install_query_while_reset(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiResetFromTimeout = query_while_reset;
}

const struct mutant mutants_paging_manager[] = {
    {BREAKS(16, MANAGER, "paging", beyond_last,
            "says that allocations are in a segment beyond the last"),
     .consequences = {393}},
    {BREAKS(18, MANAGER, "paging", segment_zero,
            "says segment 0 of a paging buffer in an aperture"),
     .consequences = {74}, .settings = {{"PagingBufferSegment", 1}}},
    {BREAKS(35, MANAGER, "paging", in_agp,
            "gives addresses in the AGP segment that the bus does not have"),
     .settings = {{"Agp", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7}}},
    {BREAKS(88, MANAGER, "paging", other_node, "submits paging buffers to a node beyond the last"),
     .settings = {{"Nodes", 1}}},
    {BREAKS(172, MANAGER, "paging", virtual_buffer, "gives a virtual address without page tables")},
    {BREAKS(145, MANAGER, "locks", close_in_use, "destroys what the GPU still uses"),
     .consequences = {281, 360}},
    {BREAKS(198, MANAGER, "locks", map_in_use, "unmaps what the GPU still uses"),
     .consequences = {281}},
    {BREAKS(162, MANAGER, "paging", builds_ahead,
            "builds the next part before it submitted the one before"),
     .consequences = {156, 158, 159},
     .settings = {{"PagingBufferBytes", 256}, {"PagingPrivateBytes", 0}}},
    {BREAKS(74, MANAGER, "paging", elsewhere, "names another address than the paging buffer's"),
     .consequences = {275}},
    {BREAKS(75, MANAGER, "paging", other_aperture,
            "says the paging buffer is in an aperture where it is not mapped"),
     .consequences = {81},
     .settings = {{"PagingBufferSegment", 1},
                  {"EvictionApertureBytes", 1 << 20},
                  {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}}},
    {BREAKS(76, MANAGER, "paging", smaller,
            "gives smaller paging buffers than the driver asked for")},
    {BREAKS(77, MANAGER, "paging", used_private, "gives private data that is not zero"),
     .settings = {{"PagingPrivateBytes", 64}}},
    {BREAKS(77, MANAGER, "paging", scribbled_private, "changes private data between two calls"),
     .settings = {{"PagingPrivateBytes", 64}}},
    {BREAKS(78, MANAGER, "paging", invented_private,
            "gives private data that the driver did not ask for"),
     .settings = {{"PagingPrivateBytes", 0}}},
    {BREAKS(80, MANAGER, "paging", render_in_aperture,
            "puts DMA buffers into an aperture that the context did not name")},
    {BREAKS(81, MANAGER, "paging", render_in_memory, "puts DMA buffers into GPU memory"),
     .consequences = {80}},
    {BREAKS(147, MANAGER, "paging", not_alone, "has two threads in the GPU scheduler's calls")},
    {BREAKS(148, MANAGER, "paging", at_dispatch, "calls BuildPagingBuffer at DISPATCH_LEVEL")},
    {BREAKS(150, MANAGER, "paging", unaligned, "starts paging buffers in the middle of a page")},
    {BREAKS(151, MANAGER, "paging", gapped, "leaves a gap behind the first operation"),
     .consequences = {156}},
    {BREAKS(156, MANAGER, "paging", something_else,
            "asks for another operation after INSUFFICIENT_DMA_BUFFER"),
     .consequences = {77, 158, 446}, .settings = {{"PagingBufferBytes", 256}}},
    {BREAKS(158, MANAGER, "paging", begins_at_one, "begins with MultipassOffset 1")},
    {BREAKS(159, MANAGER, "paging", moves_offset, "moves MultipassOffset between two calls"),
     .settings = {{"PagingBufferBytes", 256}}},
    {BREAKS(160, MANAGER, "paging", changes_arm, "changes the arm of an operation that it repeats"),
     .settings = {{"PagingBufferBytes", 256}}},
    {BREAKS(164, MANAGER, "paging", never_idle, "does not say that an allocation is idle now")},
    {BREAKS(168, MANAGER, "paging", wrong_handle,
            "names an allocation that the driver does not have"),
     .consequences = {124, 368}},
    {BREAKS(171, MANAGER, "paging", wrong_context,
            "names a system context that the driver does not have")},
    {BREAKS(173, MANAGER, "paging", wrong_offset, "gives another DmaBufferWriteOffset")},
    {BREAKS(273, MANAGER, "paging", with_list, "patches a paging buffer with an allocation list")},
    {BREAKS(275, MANAGER, "paging", other_size, "submits another size than it patched")},
    {BREAKS(276, MANAGER, "paging", wrong_submit_context,
            "submits paging buffers to a context of its own making")},
    {BREAKS(280, MANAGER, "paging", beyond_buffer, "submits a range beyond the buffer")},
    {BREAKS(281, MANAGER, "paging", new_resubmission, "submits again what was never submitted")},
    {.rule = 282,
     .side = VIDMM_SIDE_MANAGER,
     .what = "resets an engine that had paging work, and goes on",
     .install = install_reset_and_go_on,
     .scene = scene_engine_gives_up,
     .stage = "paging"},
    {BREAKS(360, MANAGER, "paging", power_while_busy,
            "changes the power state while work is under way")},
    {BREAKS(361, MANAGER, "paging", query_while_reset,
            "calls the driver between reset and restart")},
    {BREAKS(393, MANAGER, "paging", nowhere, "submits references that are nowhere")},
};
const uint32_t mutants_paging_manager_count =
    sizeof(mutants_paging_manager) / sizeof(mutants_paging_manager[0]);
