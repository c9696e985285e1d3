/*
 * break_paging_manager.c - managers that get BuildPagingBuffer as such and paging buffers wrong:
 * groups C, E, K and T. The drivers are break_paging.c's; break_submission.c has what becomes of the
 * buffers.
 */
#include "mutants.h"
#include "two_threads.h"

#include <string.h>

#define PAGE 4096u

typedef DXGKARG_BUILDPAGINGBUFFER build_args;

static NTSTATUS good_build(HANDLE adapter, build_args *args) {
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

/* ---- BuildPagingBuffer ----------------------------------------------------------------------- */

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
    if (!done)
        on_two_threads(query_often, adapter);
    done = true;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, not_alone)

static NTSTATUS APIENTRY at_dispatch(const HANDLE adapter, build_args *args) {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    NTSTATUS status = good_build(adapter, args);
    KeLowerIrql(old);
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, at_dispatch)

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
REPLACE(DxgkDdiBuildPagingBuffer, unaligned)

static NTSTATUS APIENTRY gapped(const HANDLE adapter, build_args *args) {
    return divert(adapter, args, 0, 64);
}
REPLACE(DxgkDdiBuildPagingBuffer, gapped)

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
REPLACE(DxgkDdiBuildPagingBuffer, something_else)

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
REPLACE(DxgkDdiBuildPagingBuffer, builds_ahead)

/* Of an operation that the reference driver builds in one piece, so that it looks at no offset. */
static NTSTATUS APIENTRY begins_at_one(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        args->MultipassOffset = 1;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, begins_at_one)

static bool in_one_piece(const build_args *args) {
    return args->Operation == DXGK_OPERATION_FILL ||
           args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

static NTSTATUS APIENTRY moves_offset(const HANDLE adapter, build_args *args) {
    if (repeats && in_one_piece(args))
        args->MultipassOffset += 3;
    return noting(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, moves_offset)

/* Padding of the arm, which no driver looks at. */
static NTSTATUS APIENTRY changes_arm(const HANDLE adapter, build_args *args) {
    if (repeats && in_one_piece(args))
        args->Reserved.Reserved[40] ^= 1;
    return noting(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, changes_arm)

static NTSTATUS APIENTRY never_idle(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        args->Transfer.Flags.AllocationIsIdle = 0;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, never_idle)

/* Memory that is no object of the driver's, but may be read. */
static uint64_t nobody[64];

static NTSTATUS APIENTRY wrong_handle(const HANDLE adapter, build_args *args) {
    if (args->Operation == DXGK_OPERATION_DISCARD_CONTENT)
        args->DiscardContent.hAllocation = nobody;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, wrong_handle)

static NTSTATUS APIENTRY wrong_context(const HANDLE adapter, build_args *args) {
    args->hSystemContext = nobody;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, wrong_context)

static NTSTATUS APIENTRY wrong_offset(const HANDLE adapter, build_args *args) {
    args->DmaBufferWriteOffset += 8;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, wrong_offset)

static NTSTATUS APIENTRY virtual_buffer(const HANDLE adapter, build_args *args) {
    args->DmaBufferGpuVirtualAddress = 0x10000;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, virtual_buffer)

/* ---- Paging buffers -------------------------------------------------------------------------- */

static NTSTATUS APIENTRY smaller(const HANDLE adapter, build_args *args) {
    args->DmaSize -= args->DmaSize >= 64 ? 64 : args->DmaSize;
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, smaller)

static NTSTATUS APIENTRY used_private(const HANDLE adapter, build_args *args) {
    if (args->pDmaBufferPrivateData)
        memset(args->pDmaBufferPrivateData, 0x5a, args->DmaBufferPrivateDataSize);
    return good_build(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, used_private)

static NTSTATUS APIENTRY scribbled_private(const HANDLE adapter, build_args *args) {
    uint8_t *before = args->pDmaBufferPrivateData;
    NTSTATUS status = good_build(adapter, args);
    if (before && args->pDmaBufferPrivateData != before)
        *before ^= 0xff;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, scribbled_private)

static NTSTATUS APIENTRY invented_private(const HANDLE adapter, build_args *args) {
    static uint8_t area[64];
    args->pDmaBufferPrivateData = area;
    args->DmaBufferPrivateDataSize = sizeof(area);
    NTSTATUS status = good_build(adapter, args);
    args->pDmaBufferPrivateData = NULL;
    args->DmaBufferPrivateDataSize = 0;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, invented_private)

/* ---- The mutants ----------------------------------------------------------------------------- */

const struct mutant mutants_paging_manager[] = {
    {BREAKS(172, MANAGER, "paging", virtual_buffer, "gives a virtual address without page tables")},
    {BREAKS(162, MANAGER, "paging", builds_ahead,
            "builds the next part before it submitted the one before"),
     .consequences = {151, 156, 158, 159, 178, 199},
     .settings = {{"PagingBufferBytes", 256}, {"PagingPrivateBytes", 0}}},
    {BREAKS(76, MANAGER, "paging", smaller,
            "gives smaller paging buffers than the driver asked for")},
    {BREAKS(77, MANAGER, "paging", used_private, "gives private data that is not zero"),
     .settings = {{"PagingPrivateBytes", 64}}},
    {BREAKS(77, MANAGER, "paging", scribbled_private, "changes private data between two calls"),
     .settings = {{"PagingPrivateBytes", 64}}},
    {BREAKS(78, MANAGER, "paging", invented_private,
            "gives private data that the driver did not ask for"),
     .settings = {{"PagingPrivateBytes", 0}}},
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
};
const uint32_t mutants_paging_manager_count =
    sizeof(mutants_paging_manager) / sizeof(mutants_paging_manager[0]);
