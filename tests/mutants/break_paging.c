/*
 * break_paging.c - drivers that get BuildPagingBuffer as such, Patch and SubmitCommand wrong:
 * groups C, E and K. The managers are break_paging_manager.c's.
 */
#include "mutants.h"

#include <string.h>

#define PAGE 4096u

typedef DXGKARG_BUILDPAGINGBUFFER build_args;

static NTSTATUS good_build(HANDLE adapter, build_args *args) {
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

/* ---- Drivers: BuildPagingBuffer -------------------------------------------------------------- */

static NTSTATUS APIENTRY refuse_fill(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_FILL ? STATUS_NOT_SUPPORTED
                                                  : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, refuse_fill)

/* No command of the hardware begins like this. */
static NTSTATUS APIENTRY spoil_command(const HANDLE adapter, build_args *args) {
    uint8_t *start = args->pDmaBuffer;
    NTSTATUS status = good_build(adapter, args);
    if (args->pDmaBuffer != start)
        memset(start, 0xff, sizeof(uint16_t));
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, spoil_command)

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
REPLACE(DxgkDdiBuildPagingBuffer, write_past_and_say_so)

static NTSTATUS APIENTRY write_past_in_silence(const HANDLE adapter, build_args *args) {
    return write_past(adapter, args, STATUS_SUCCESS);
}
REPLACE(DxgkDdiBuildPagingBuffer, write_past_in_silence)

static NTSTATUS APIENTRY move_backwards(const HANDLE adapter, build_args *args) {
    uint8_t *start = args->pDmaBuffer;
    NTSTATUS status = good_build(adapter, args);
    if (args->DmaBufferWriteOffset != 0)
        args->pDmaBuffer = start - 8;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, move_backwards)

static NTSTATUS APIENTRY move_too_far(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBuffer + args->DmaSize;
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBuffer = end + 8;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, move_too_far)

static NTSTATUS APIENTRY move_to_end(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBuffer + args->DmaSize;
    NTSTATUS status = good_build(adapter, args);
    if (args->Operation == DXGK_OPERATION_FILL && status == STATUS_SUCCESS)
        args->pDmaBuffer = end;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, move_to_end)

/* The next operation overwrites the command. */
static NTSTATUS leave_pointer(HANDLE adapter, build_args *args,
                              DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    void *start = args->pDmaBuffer, *private_start = args->pDmaBufferPrivateData;
    NTSTATUS status = good_build(adapter, args);
    if (args->Operation == operation && status == STATUS_SUCCESS) {
        args->pDmaBuffer = start;
        args->pDmaBufferPrivateData = private_start;
    }
    return status;
}

static NTSTATUS APIENTRY leave_fill(const HANDLE adapter, build_args *args) {
    return leave_pointer(adapter, args, DXGK_OPERATION_FILL);
}
REPLACE(DxgkDdiBuildPagingBuffer, leave_fill)

static NTSTATUS APIENTRY leave_map(const HANDLE adapter, build_args *args) {
    return leave_pointer(adapter, args, DXGK_OPERATION_MAP_APERTURE_SEGMENT);
}
REPLACE(DxgkDdiBuildPagingBuffer, leave_map)

static NTSTATUS APIENTRY never_enough(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_TRANSFER ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
                                                      : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, never_enough)

/* Without bytes, for as long as somebody asks. */
static NTSTATUS APIENTRY always_further(const HANDLE adapter, build_args *args) {
    if (args->Operation != DXGK_OPERATION_FILL)
        return good_build(adapter, args);
    args->MultipassOffset++;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}
REPLACE(DxgkDdiBuildPagingBuffer, always_further)

/* From the beginning again and again, for as long as somebody gives it a buffer. */
static NTSTATUS APIENTRY begins_again(const HANDLE adapter, build_args *args) {
    UINT before = args->MultipassOffset;
    NTSTATUS status = good_build(adapter, args);
    if (args->Operation != DXGK_OPERATION_FILL || !NT_SUCCESS(status))
        return status;
    args->MultipassOffset = before;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}
REPLACE(DxgkDdiBuildPagingBuffer, begins_again)

static NTSTATUS APIENTRY busy_fill(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_FILL ? STATUS_GRAPHICS_ALLOCATION_BUSY
                                                  : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, busy_fill)

static NTSTATUS APIENTRY busy_idle(const HANDLE adapter, build_args *args) {
    return args->Operation == DXGK_OPERATION_TRANSFER ? STATUS_GRAPHICS_ALLOCATION_BUSY
                                                      : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, busy_idle)

static NTSTATUS APIENTRY private_too_far(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBufferPrivateData + args->DmaBufferPrivateDataSize;
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBufferPrivateData = end + 8;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, private_too_far)

static NTSTATUS APIENTRY private_past(const HANDLE adapter, build_args *args) {
    uint8_t *end = (uint8_t *)args->pDmaBufferPrivateData + args->DmaBufferPrivateDataSize;
    NTSTATUS status = good_build(adapter, args);
    *end = 0;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, private_past)

/* Success, and nothing behind it. */
static NTSTATUS APIENTRY do_nothing(const HANDLE adapter, build_args *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiBuildPagingBuffer, do_nothing)

/* What does not fit is forgotten. */
static NTSTATUS APIENTRY swallow_errors(const HANDLE adapter, build_args *args) {
    (void)good_build(adapter, args);
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiBuildPagingBuffer, swallow_errors)

/* With half of the memory visible; the visible segment is the second. */
#define VISIBLE (512 << 10)

static NTSTATUS APIENTRY fill_first_segment(const HANDLE adapter, build_args *args) {
    if (args->Operation != DXGK_OPERATION_FILL || args->Fill.Destination.SegmentId <= 2)
        return good_build(adapter, args);
    UINT segment = args->Fill.Destination.SegmentId;
    args->Fill.Destination.SegmentId = 2;
    args->Fill.Destination.SegmentAddress.QuadPart -= VISIBLE;
    NTSTATUS status = good_build(adapter, args);
    args->Fill.Destination.SegmentId = segment;
    args->Fill.Destination.SegmentAddress.QuadPart += VISIBLE;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, fill_first_segment)

/* Every operation that it does not know becomes eight bytes of something. */
static NTSTATUS APIENTRY guess(const HANDLE adapter, build_args *args) {
    if ((uint32_t)args->Operation <= DXGK_OPERATION_NOTIFY_ALLOC || args->DmaSize < 8)
        return good_build(adapter, args);
    memset(args->pDmaBuffer, 0, 8);
    args->pDmaBuffer = (uint8_t *)args->pDmaBuffer + 8;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiBuildPagingBuffer, guess)

static NTSTATUS APIENTRY refuse_nameless(const HANDLE adapter, build_args *args) {
    bool nameless = args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
                    !args->MapApertureSegment.hAllocation;
    return nameless ? STATUS_INVALID_PARAMETER : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, refuse_nameless)

/* What the first part leaves undone is lost. */
static NTSTATUS APIENTRY forget_the_rest(const HANDLE adapter, build_args *args) {
    return args->MultipassOffset != 0 ? STATUS_SUCCESS : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, forget_the_rest)

static NTSTATUS APIENTRY refuse_maps(const HANDLE adapter, build_args *args) {
    bool map = args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    return map ? STATUS_NOT_SUPPORTED : good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, refuse_maps)

static NTSTATUS APIENTRY counts_private(const HANDLE adapter, build_args *args) {
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBufferPrivateData = (void *)((uintptr_t)args->pDmaBufferPrivateData + 8);
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, counts_private)

/* ---- Drivers: Patch and SubmitCommand -------------------------------------------------------- */

static NTSTATUS APIENTRY patch_outside(const HANDLE adapter, const DXGKARG_PATCH *args) {
    uint8_t *bytes = args->pDmaBuffer;
    if (args->DmaBufferSubmissionEndOffset < args->DmaBufferSize)
        bytes[args->DmaBufferSubmissionEndOffset] ^= 1;
    return mutants_good.DxgkDdiPatch(adapter, args);
}
REPLACE(DxgkDdiPatch, patch_outside)

static NTSTATUS APIENTRY patch_range(const HANDLE adapter, const DXGKARG_PATCH *args) {
    NTSTATUS status = mutants_good.DxgkDdiPatch(adapter, args);
    ((DXGKARG_PATCH *)(uintptr_t)args)->DmaBufferSubmissionEndOffset += 8;
    return status;
}
REPLACE(DxgkDdiPatch, patch_range)

static NTSTATUS APIENTRY refuse_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    (void)adapter;
    (void)args;
    return STATUS_UNSUCCESSFUL;
}
REPLACE(DxgkDdiPatch, refuse_patch)

static NTSTATUS APIENTRY refuse_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_NO_MEMORY;
}
REPLACE(DxgkDdiSubmitCommand, refuse_submit)

/* Structures of calls that have returned. */
static const DXGKARG_SUBMITCOMMAND *kept_submission;
static const DXGKARG_BUILDPAGINGBUFFER *kept_operation;
static volatile UINT kept_value;

static NTSTATUS APIENTRY submit_and_keep(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    kept_submission = args;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static VOID APIENTRY dpc_of_kept(const PVOID adapter) {
    if (kept_submission)
        kept_value = kept_submission->SubmissionFenceId;
    kept_submission = NULL;
    mutants_good.DxgkDdiDpcRoutine(adapter);
}

static void APIENTRY install_submission_kept(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = submit_and_keep;
    table->DxgkDdiDpcRoutine = dpc_of_kept;
}

/* The structure of what waits behind others, as the ring is full. */
#define RING 4u

static UINT in_ring;

static NTSTATUS APIENTRY submit_to_ring(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (++in_ring > RING)
        kept_submission = args;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static VOID APIENTRY dpc_of_ring(const PVOID adapter) {
    in_ring = 0;
    dpc_of_kept(adapter);
}

static NTSTATUS APIENTRY preempt_ring(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    kept_submission = NULL;
    return mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static void APIENTRY install_waiting_kept(DRIVER_INITIALIZATION_DATA *table) {
    in_ring = 0;
    kept_submission = NULL;
    table->DxgkDdiSubmitCommand = submit_to_ring;
    table->DxgkDdiDpcRoutine = dpc_of_ring;
    table->DxgkDdiPreemptCommand = preempt_ring;
}

static NTSTATUS APIENTRY build_and_keep(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    kept_operation = args;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY submit_kept(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (kept_operation)
        kept_value = kept_operation->MultipassOffset;
    kept_operation = NULL;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static void APIENTRY install_operation_kept(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = build_and_keep;
    table->DxgkDdiSubmitCommand = submit_kept;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Submits from a DPC, and without what it has there no memory for. */
#define LATER_MOST 64u
#define LATER_TAG  0x7265744cu
static struct {
    DXGKARG_SUBMITCOMMAND work[LATER_MOST]; /* a ring */
    UINT first, next;
    HANDLE adapter;
    KTIMER timer;
    KDPC dpc;
} later;

static VOID NTAPI submit_later(PKDPC dpc, PVOID context, PVOID first, PVOID second) {
    (void)dpc, (void)context, (void)first, (void)second;
    while (later.first != later.next) {
        DXGKARG_SUBMITCOMMAND *work = &later.work[later.first++ % LATER_MOST];
        PVOID room = ExAllocatePoolWithTag(NonPagedPoolNx, 16, LATER_TAG);
        if (room)
            ExFreePoolWithTag(room, LATER_TAG);
        else
            work->DmaBufferSubmissionEndOffset = work->DmaBufferSubmissionStartOffset;
        (void)mutants_good.DxgkDdiSubmitCommand(later.adapter, work);
    }
}

static NTSTATUS APIENTRY submit_by_timer(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    const LARGE_INTEGER soon = {.QuadPart = -10};
    later.adapter = adapter;
    later.work[later.next++ % LATER_MOST] = *args;
    (void)KeSetTimer(&later.timer, soon, &later.dpc);
    return STATUS_SUCCESS;
}

static void APIENTRY install_submit_by_timer(DRIVER_INITIALIZATION_DATA *table) {
    KeInitializeTimer(&later.timer);
    KeInitializeDpc(&later.dpc, submit_later, NULL);
    later.first = later.next = 0;
    table->DxgkDdiSubmitCommand = submit_by_timer;
}

const struct mutant mutants_paging[] = {
    {BREAKS(37, DRIVER, "paging", refuse_maps,
            "has an aperture and answers MAP_APERTURE_SEGMENT with STATUS_NOT_SUPPORTED"),
     .consequences = {149, 169}},
    {BREAKS(78, DRIVER, "paging", counts_private,
            "moves pDmaBufferPrivateData though it asked for none"),
     .consequences = {166}, .settings = {{"PagingPrivateBytes", 0}}},
    {BREAKS(162, DRIVER, "paging", forget_the_rest,
            "goes no further than the first part of an operation"),
     .consequences = {161, 184, 185, 194}, .settings = {{"PagingBufferBytes", 256}}},
    {BREAKS(149, DRIVER, "paging", refuse_fill, "answers FILL with STATUS_NOT_SUPPORTED")},
    {BREAKS(539, DRIVER, "operations", spoil_command,
            "builds commands that the GPU does not know")},
    {BREAKS(152, DRIVER, "paging", write_past_and_say_so,
            "writes one byte past DmaSize before it says INSUFFICIENT_DMA_BUFFER"),
     .settings = {{"PagingBufferBytes", 256}}},
    {BREAKS(153, DRIVER, "paging", move_backwards, "moves pDmaBuffer backwards")},
    {BREAKS(153, DRIVER, "paging", move_too_far, "moves pDmaBuffer beyond the end")},
    {BREAKS(153, DRIVER, "paging", move_to_end,
            "moves pDmaBuffer to the end of the room, whatever it wrote")},
    {BREAKS(153, DRIVER, "paging", leave_fill, "leaves pDmaBuffer before the command of a fill")},
    {BREAKS(153, DRIVER, "paging", leave_map, "leaves pDmaBuffer before the command of a map")},
    {BREAKS(154, DRIVER, "paging", write_past_in_silence,
            "writes one byte past DmaSize and says nothing"),
     .consequences = {152}},
    {BREAKS(157, DRIVER, "paging", never_enough, "wants more room in an empty buffer, for ever")},
    {BREAKS(157, DRIVER, "paging", always_further,
            "moves MultipassOffset and writes nothing, for ever")},
    {BREAKS(157, DRIVER, "paging", begins_again, "encodes FILL again in each buffer, for ever")},
    {BREAKS(163, DRIVER, "paging", busy_fill, "answers FILL with ALLOCATION_BUSY")},
    {BREAKS(163, DRIVER, "paging", busy_idle, "answers ALLOCATION_BUSY for an idle allocation")},
    {BREAKS(166, DRIVER, "paging", private_too_far, "moves pDmaBufferPrivateData beyond the end"),
     .settings = {{"PagingPrivateBytes", 64}}},
    {BREAKS(166, DRIVER, "paging", private_past, "writes one byte past the private data"),
     .settings = {{"PagingPrivateBytes", 64}}},
    {BREAKS(169, DRIVER, "paging", refuse_nameless,
            "refuses to map pages that are no allocation's"),
     .consequences = {37, 149}, .settings = {{"PagingBufferSegment", 1}}},
    {BREAKS(274, DRIVER, "paging", patch_outside, "patches the byte behind the range")},
    {BREAKS(274, DRIVER, "paging", patch_range, "makes the range longer in DxgkDdiPatch")},
    {BREAKS(277, DRIVER, "paging", refuse_patch, "fails DxgkDdiPatch")},
    {BREAKS(277, DRIVER, "paging", refuse_submit, "fails DxgkDdiSubmitCommand")},
    {BREAKS(161, DRIVER, "failures", submit_by_timer,
            "leaves out in a DPC what it has no memory for")},
    {BREAKS(631, DRIVER, "paging", submission_kept,
            "reads the structure of DxgkDdiSubmitCommand when its interrupt comes")},
    {BREAKS(631, DRIVER, "preempt", waiting_kept,
            "reads the structure of a submission that waited in a queue when there is room")},
    {BREAKS(631, DRIVER, "paging", operation_kept,
            "reads the structure of DxgkDdiBuildPagingBuffer when the buffer is submitted")},
    {BREAKS(194, DRIVER, "paging", do_nothing, "says SUCCESS and does nothing"),
     .consequences = {161, 188, 200}},
    {BREAKS(188, DRIVER, "operations", fill_first_segment,
            "fills the first memory segment, whatever segment it is told"),
     .settings = {{"VramVisibleBytes", VISIBLE}}},
    {BREAKS(161, DRIVER, "paging", swallow_errors, "says SUCCESS when the buffer is full"),
     .consequences = {184, 185, 188, 194, 200}, .settings = {{"PagingBufferBytes", 256}}},
    {BREAKS(167, DRIVER, "operations", guess, "makes something of operations that do not exist")},
};
const uint32_t mutants_paging_count = sizeof(mutants_paging) / sizeof(mutants_paging[0]);
