/*
 * break_paging.c - breakers of the rules for BuildPagingBuffer as such, for paging buffers, for
 * submission and for resets: groups C, E, K, Q and T.
 */
#include "zoo.h"

#include <pthread.h>
#include <string.h>

#define PAGE 4096u

typedef DXGKARG_BUILDPAGINGBUFFER build_args;

static NTSTATUS good_build(HANDLE adapter, build_args *args) {
    return zoo_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

/* ---- Drivers: BuildPagingBuffer -------------------------------------------------------------- */

static NTSTATUS APIENTRY refuse_fill(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_FILL ? STATUS_NOT_SUPPORTED
                                                  : good_build(adapter, args);
}

static void install_refuse_fill(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = refuse_fill;
}

static NTSTATUS write_past(const HANDLE adapter, build_args *args, NTSTATUS when) {
    uint8_t *end = (uint8_t *)args->pDmaBuffer + args->DmaSize;
    NTSTATUS status = good_build(adapter, args);
    if (status == when)
        *end = 0;
    return status;
}

static NTSTATUS APIENTRY write_past_and_say_so(const HANDLE adapter, build_args *args) {
    return write_past(adapter, args, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
}

static void install_write_past(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = write_past_and_say_so;
}

static NTSTATUS APIENTRY write_past_in_silence(const HANDLE adapter, build_args *args) {
    return write_past(adapter, args, STATUS_SUCCESS);
}

static void install_write_past_in_silence(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = write_past_in_silence;
}

static NTSTATUS APIENTRY move_backwards(const HANDLE adapter, build_args *args) {
    uint8_t *start = args->pDmaBuffer;
    NTSTATUS status = good_build(adapter, args);
    if (args->DmaBufferWriteOffset != 0)
        args->pDmaBuffer = start - 8;
    return status;
}

static void install_move_backwards(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = move_backwards;
}

static NTSTATUS APIENTRY move_too_far(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBuffer + args->DmaSize;
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBuffer = end + 8;
    return status;
}

static void install_move_too_far(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = move_too_far;
}

static NTSTATUS APIENTRY never_enough(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_TRANSFER ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
                                                      : good_build(adapter, args);
}

static void install_never_enough(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = never_enough;
}

/* Without bytes, for as long as somebody asks. */
static NTSTATUS APIENTRY always_further(const HANDLE adapter, build_args *args) {
    if (args->Operation != DXGK_OPERATION_FILL)
        return good_build(adapter, args);
    args->MultipassOffset++;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

static void install_always_further(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = always_further;
}

static NTSTATUS APIENTRY busy_fill(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_FILL ? STATUS_GRAPHICS_ALLOCATION_BUSY
                                                  : good_build(adapter, args);
}

static void install_busy_fill(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = busy_fill;
}

static NTSTATUS APIENTRY busy_idle(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_TRANSFER ? STATUS_GRAPHICS_ALLOCATION_BUSY
                                                      : good_build(adapter, args);
}

static void install_busy_idle(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = busy_idle;
}

static NTSTATUS APIENTRY private_too_far(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBufferPrivateData + args->DmaBufferPrivateDataSize;
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBufferPrivateData = end + 8;
    return status;
}

static void install_private_too_far(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = private_too_far;
}

static NTSTATUS APIENTRY private_past(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBufferPrivateData + args->DmaBufferPrivateDataSize;
    NTSTATUS status = good_build(adapter, args);
    *end = 0;
    return status;
}

static void install_private_past(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = private_past;
}

/* Success, and nothing behind it. */
static NTSTATUS APIENTRY do_nothing(const HANDLE adapter, build_args *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void install_do_nothing(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = do_nothing;
}

/* What does not fit is forgotten. */
static NTSTATUS APIENTRY swallow_errors(const HANDLE adapter, build_args *args) {
    (void)good_build(adapter, args);
    return STATUS_SUCCESS;
}

static void install_swallow_errors(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = swallow_errors;
}

/* Every operation that it does not know becomes eight bytes of something. */
static NTSTATUS APIENTRY guess(const HANDLE adapter, build_args *args) {
    if ((uint32_t)args->Operation <= DXGK_OPERATION_NOTIFY_ALLOC || args->DmaSize < 8)
        return good_build(adapter, args);
    memset(args->pDmaBuffer, 0, 8);
    args->pDmaBuffer = (uint8_t *)args->pDmaBuffer + 8;
    return STATUS_SUCCESS;
}

static void install_guess(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = guess;
}

static NTSTATUS APIENTRY refuse_nameless(const HANDLE adapter, build_args *args) {
    bool nameless = args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
                    args->MapApertureSegment.hAllocation == NULL;
    return nameless ? STATUS_INVALID_PARAMETER : good_build(adapter, args);
}

static void install_refuse_nameless(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = refuse_nameless;
}

/* ---- Drivers: Patch and SubmitCommand -------------------------------------------------------- */

static NTSTATUS APIENTRY patch_outside(const HANDLE adapter, const DXGKARG_PATCH *args) {
    uint8_t *bytes = args->pDmaBuffer;
    if (args->DmaBufferSubmissionEndOffset < args->DmaBufferSize)
        bytes[args->DmaBufferSubmissionEndOffset] ^= 1;
    return zoo_good.DxgkDdiPatch(adapter, args);
}

static void install_patch_outside(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = patch_outside;
}

static NTSTATUS APIENTRY patch_range(const HANDLE adapter, const DXGKARG_PATCH *args) {
    NTSTATUS status = zoo_good.DxgkDdiPatch(adapter, args);
    ((DXGKARG_PATCH *)(uintptr_t)args)->DmaBufferSubmissionEndOffset += 8;
    return status;
}

static void install_patch_range(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = patch_range;
}

static NTSTATUS APIENTRY refuse_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    (void)adapter;
    (void)args;
    return STATUS_UNSUCCESSFUL;
}

static void install_refuse_patch(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = refuse_patch;
}

static NTSTATUS APIENTRY refuse_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_NO_MEMORY;
}

static void install_refuse_submit(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = refuse_submit;
}

/* ---- Managers: BuildPagingBuffer ------------------------------------------------------------- */

/* Often enough for two threads to meet. */
#define QUERIES 100000u

static void *query_often(void *adapter) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP args = {0};
    for (uint32_t i = 0; i < QUERIES; i++)
        (void)zoo_good.DxgkDdiQueryDependentEngineGroup(adapter, &args);
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
    if (args->pDmaBufferPrivateData != NULL)
        memset(args->pDmaBufferPrivateData, 0x5a, args->DmaBufferPrivateDataSize);
    return good_build(adapter, args);
}

static void install_used_private(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = used_private;
}

static NTSTATUS APIENTRY scribbled_private(const HANDLE adapter, build_args *args) {
    uint8_t *before = args->pDmaBufferPrivateData;
    NTSTATUS status = good_build(adapter, args);
    if (before != NULL && args->pDmaBufferPrivateData != before)
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
        mine.hContext = lie.context != NULL ? lie.context : mine.hContext;
    }
    return zoo_good.DxgkDdiPatch(adapter, &mine);
}

static NTSTATUS APIENTRY lying_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (mine.Flags.Paging == lie.paging) {
        mine.DmaBufferSegmentId = lie.segment ? lie.segment_id : mine.DmaBufferSegmentId;
        mine.DmaBufferSize = lie.small ? mine.DmaBufferSubmissionEndOffset - 1 : mine.DmaBufferSize;
        mine.hContext = lie.context != NULL ? lie.context : mine.hContext;
    }
    return zoo_good.DxgkDdiSubmitCommand(adapter, &mine);
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
    return zoo_good.DxgkDdiPatch(adapter, &mine);
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
    return zoo_good.DxgkDdiPatch(adapter, &mine);
}

static void install_with_list(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = with_list;
}

static NTSTATUS APIENTRY nowhere(const HANDLE adapter, const DXGKARG_PATCH *args) {
    static DXGK_ALLOCATIONLIST list[1024];
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging || mine.AllocationListSize > 1024 || mine.AllocationListSize == 0)
        return zoo_good.DxgkDdiPatch(adapter, args);
    memcpy(list, mine.pAllocationList, mine.AllocationListSize * sizeof(list[0]));
    for (UINT i = 0; i < mine.AllocationListSize; i++)
        list[i].SegmentId = 0;
    mine.pAllocationList = list;
    return zoo_good.DxgkDdiPatch(adapter, &mine);
}

static void install_nowhere(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = nowhere;
}

static NTSTATUS APIENTRY other_size(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.DmaBufferSize += 8;
    return zoo_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_other_size(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = other_size;
}

static NTSTATUS APIENTRY new_resubmission(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.Flags.Resubmission = 1;
    return zoo_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_new_resubmission(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = new_resubmission;
}

static NTSTATUS APIENTRY other_node(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.NodeOrdinal += args->Flags.Paging;
    return zoo_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void install_other_node(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = other_node;
}

/* ---- Managers: level 3 ----------------------------------------------------------------------- */

static NTSTATUS APIENTRY power_while_busy(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    NTSTATUS status = zoo_good.DxgkDdiSubmitCommand(adapter, args);
    (void)zoo_good.DxgkDdiSetPowerState(adapter, (ULONG)-1, PowerDeviceD0, PowerActionNone);
    return status;
}

static void install_power_while_busy(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = power_while_busy;
}

static NTSTATUS APIENTRY query_while_reset(const HANDLE adapter) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP args = {0};
    NTSTATUS status = zoo_good.DxgkDdiResetFromTimeout(adapter);
    (void)zoo_good.DxgkDdiQueryDependentEngineGroup(adapter, &args);
    return status;
}

static void install_query_while_reset(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiResetFromTimeout = query_while_reset;
}

#define DRIVER  VIDMM_SIDE_DRIVER
#define MANAGER VIDMM_SIDE_MANAGER

const struct zoo_breaker zoo_paging[] = {
    {88,
     MANAGER,
     "submits paging buffers to a node beyond the last",
     install_other_node,
     "paging",
     {0},
     {{"Nodes", 1}}},
    {172,
     MANAGER,
     "gives a virtual address without page tables",
     install_virtual_buffer,
     "paging",
     {0},
     {{0}}},
    {149,
     DRIVER,
     "answers FILL with STATUS_NOT_SUPPORTED",
     install_refuse_fill,
     "paging",
     {0},
     {{0}}},
    {152,
     DRIVER,
     "writes one byte past DmaSize before it says INSUFFICIENT_DMA_BUFFER",
     install_write_past,
     "paging",
     {0},
     {{"PagingBufferBytes", 256}}},
    {153, DRIVER, "moves pDmaBuffer backwards", install_move_backwards, "paging", {0}, {{0}}},
    {153, DRIVER, "moves pDmaBuffer beyond the end", install_move_too_far, "paging", {0}, {{0}}},
    {154,
     DRIVER,
     "writes one byte past DmaSize and says nothing",
     install_write_past_in_silence,
     "paging",
     {152},
     {{0}}},
    {157,
     DRIVER,
     "wants more room in an empty buffer, for ever",
     install_never_enough,
     "paging",
     {0},
     {{0}}},
    {157,
     DRIVER,
     "moves MultipassOffset and writes nothing, for ever",
     install_always_further,
     "paging",
     {0},
     {{0}}},
    {163, DRIVER, "answers FILL with ALLOCATION_BUSY", install_busy_fill, "paging", {0}, {{0}}},
    {163,
     DRIVER,
     "answers ALLOCATION_BUSY for an idle allocation",
     install_busy_idle,
     "paging",
     {0},
     {{0}}},
    {166,
     DRIVER,
     "moves pDmaBufferPrivateData beyond the end",
     install_private_too_far,
     "paging",
     {0},
     {{"PagingPrivateBytes", 64}}},
    {166,
     DRIVER,
     "writes one byte past the private data",
     install_private_past,
     "paging",
     {0},
     {{"PagingPrivateBytes", 64}}},
    {169,
     DRIVER,
     "refuses to map pages that are no allocation's",
     install_refuse_nameless,
     "paging",
     {149},
     {{"PagingBufferSegment", 1}}},
    {274, DRIVER, "patches the byte behind the range", install_patch_outside, "paging", {0}, {{0}}},
    {274,
     DRIVER,
     "makes the range longer in DxgkDdiPatch",
     install_patch_range,
     "paging",
     {0},
     {{0}}},
    {277, DRIVER, "fails DxgkDdiPatch", install_refuse_patch, "paging", {0}, {{0}}},
    {277, DRIVER, "fails DxgkDdiSubmitCommand", install_refuse_submit, "paging", {0}, {{0}}},
    {194,
     DRIVER,
     "says SUCCESS and does nothing",
     install_do_nothing,
     "paging",
     {161, 188, 200},
     {{0}}},
    {161,
     DRIVER,
     "says SUCCESS when the buffer is full",
     install_swallow_errors,
     "paging",
     {188, 194, 200},
     {{"PagingBufferBytes", 256}}},
    {167,
     DRIVER,
     "makes something of operations that do not exist",
     install_guess,
     "operations",
     {0},
     {{0}}},
    {74,
     MANAGER,
     "names another address than the paging buffer's",
     install_elsewhere,
     "paging",
     {275},
     {{0}}},
    {75,
     MANAGER,
     "says the paging buffer is in an aperture where it is not mapped",
     install_other_aperture,
     "paging",
     {81},
     {{"PagingBufferSegment", 1},
      {"EvictionApertureBytes", 1 << 20},
      {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}}},
    {76,
     MANAGER,
     "gives smaller paging buffers than the driver asked for",
     install_smaller,
     "paging",
     {0},
     {{0}}},
    {77,
     MANAGER,
     "gives private data that is not zero",
     install_used_private,
     "paging",
     {0},
     {{"PagingPrivateBytes", 64}}},
    {77,
     MANAGER,
     "changes private data between two calls",
     install_scribbled_private,
     "paging",
     {0},
     {{"PagingPrivateBytes", 64}}},
    {78,
     MANAGER,
     "gives private data that the driver did not ask for",
     install_invented_private,
     "paging",
     {0},
     {{"PagingPrivateBytes", 0}}},
    {80,
     MANAGER,
     "puts DMA buffers into an aperture that the context did not name",
     install_render_in_aperture,
     "paging",
     {0},
     {{0}}},
    {81,
     MANAGER,
     "puts DMA buffers into GPU memory",
     install_render_in_memory,
     "paging",
     {80},
     {{0}}},
    {147,
     MANAGER,
     "has two threads in the GPU scheduler's calls",
     install_not_alone,
     "paging",
     {0},
     {{0}}},
    {148,
     MANAGER,
     "calls BuildPagingBuffer at DISPATCH_LEVEL",
     install_at_dispatch,
     "paging",
     {0},
     {{0}}},
    {150,
     MANAGER,
     "starts paging buffers in the middle of a page",
     install_unaligned,
     "paging",
     {0},
     {{0}}},
    {151,
     MANAGER,
     "leaves a gap behind the first operation",
     install_gapped,
     "paging",
     {156},
     {{0}}},
    {156,
     MANAGER,
     "asks for another operation after INSUFFICIENT_DMA_BUFFER",
     install_something_else,
     "paging",
     {77, 158},
     {{"PagingBufferBytes", 256}}},
    {158, MANAGER, "begins with MultipassOffset 1", install_begins_at_one, "paging", {0}, {{0}}},
    {159,
     MANAGER,
     "moves MultipassOffset between two calls",
     install_moves_offset,
     "paging",
     {0},
     {{"PagingBufferBytes", 256}}},
    {160,
     MANAGER,
     "changes the arm of an operation that it repeats",
     install_changes_arm,
     "paging",
     {0},
     {{"PagingBufferBytes", 256}}},
    {164,
     MANAGER,
     "does not say that an allocation is idle now",
     install_never_idle,
     "paging",
     {0},
     {{0}}},
    {168,
     MANAGER,
     "names an allocation that the driver does not have",
     install_wrong_handle,
     "paging",
     {368},
     {{0}}},
    {171,
     MANAGER,
     "names a system context that the driver does not have",
     install_wrong_context,
     "paging",
     {0},
     {{0}}},
    {173,
     MANAGER,
     "gives another DmaBufferWriteOffset",
     install_wrong_offset,
     "paging",
     {0},
     {{0}}},
    {273,
     MANAGER,
     "patches a paging buffer with an allocation list",
     install_with_list,
     "paging",
     {0},
     {{0}}},
    {275,
     MANAGER,
     "submits another size than it patched",
     install_other_size,
     "paging",
     {0},
     {{0}}},
    {276,
     MANAGER,
     "submits paging buffers to a context of its own making",
     install_wrong_submit_context,
     "paging",
     {0},
     {{0}}},
    {280,
     MANAGER,
     "submits a range beyond the buffer",
     install_beyond_buffer,
     "paging",
     {0},
     {{0}}},
    {281,
     MANAGER,
     "submits again what was never submitted",
     install_new_resubmission,
     "paging",
     {0},
     {{0}}},
    {360,
     MANAGER,
     "changes the power state while work is under way",
     install_power_while_busy,
     "paging",
     {0},
     {{0}}},
    {361,
     MANAGER,
     "calls the driver between reset and restart",
     install_query_while_reset,
     "paging",
     {0},
     {{0}}},
    {393, MANAGER, "submits references that are nowhere", install_nowhere, "paging", {0}, {{0}}},
};
const uint32_t zoo_paging_count = sizeof(zoo_paging) / sizeof(zoo_paging[0]);
