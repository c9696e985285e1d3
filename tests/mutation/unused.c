/*
 * unused.c - whether anybody could have seen that entries or a flush were left out, before they
 * were written again or another flush came, or it was all over: work of the process, or of the
 * paging process an operation through an address that they are about.
 */
#include "mutation.h"

#include <string.h>

#define FLUSH_MOST (UINT64_C(1) << 30) /* bytes that are looked at, page by page */

static struct {
    bool open, paging, used, flush, ends, given;
    HANDLE process;
    DXGK_PAGETABLEUPDATEADDRESS table;
    UINT start, count;
    uint64_t va, end;
} left;

static void settle(void) {
    struct mutation_seen *seen = mutation_seen();
    seen->equal = left.used && left.ends && !left.given
                      ? "the pages that the addresses led to were nobody else's meanwhile"
                  : left.used  ? NULL
                  : left.flush ? "nobody used the addresses before another flush of them"
                               : "nobody used the addresses before they were written again";
}

void unused_left_out(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT first, UINT count,
                     uint32_t shift, bool paging, bool ends) {
    left.open = true;
    left.ends = ends;
    left.paging = paging;
    left.process = update->hProcess;
    left.table = update->PageTableAddress;
    left.start = update->StartIndex + first;
    left.count = count;
    left.va = update->FirstPteVirtualAddress + ((uint64_t)first << shift);
    left.end = left.va + ((uint64_t)count << shift);
    settle();
}

void unused_given(void) {
    left.given = true;
    if (left.open)
        settle();
}

void unused_flush(HANDLE process, uint64_t start, uint64_t end, bool paging) {
    left.open = left.flush = true;
    left.paging = paging;
    left.process = process;
    left.va = start;
    left.end = end;
    settle();
}

static void use(uint64_t va, uint64_t size) {
    left.used = left.used || (va < left.end && left.va < va + size);
}

/* The whole of it is written again. */
static bool covers(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    return update->hProcess == left.process &&
           memcmp(&update->PageTableAddress, &left.table, sizeof left.table) == 0 &&
           update->StartIndex <= left.start &&
           left.start + left.count <= update->StartIndex + update->NumPageTableEntries;
}

static void use_operation(const DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        use(args->TransferVirtual.SourceVirtualAddress, args->TransferVirtual.TransferSizeInBytes);
        use(args->TransferVirtual.DestinationVirtualAddress,
            args->TransferVirtual.TransferSizeInBytes);
        break;
    case DXGK_OPERATION_VIRTUAL_FILL:
        use(args->FillVirtual.DestinationVirtualAddress, args->FillVirtual.FillSizeInBytes);
        break;
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
        use(args->SignalMonitoredFence.MonitoredFenceGpuVa, sizeof(uint64_t));
        break;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        if (args->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
            use(args->UpdatePageTable.PageTableAddress.GpuVirtual, 4096);
        break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        for (UINT i = 0; i < args->CopyPageTableEntries.NumRanges; i++) {
            use(args->CopyPageTableEntries.pRanges[i].SrcPageTableAddress, 4096);
            use(args->CopyPageTableEntries.pRanges[i].DstPageTableAddress, 4096);
        }
        break;
    default:
        break;
    }
}

void unused_operation(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!left.open)
        return;
    if (left.paging)
        use_operation(args);
    if (!left.flush && args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
        covers(&args->UpdatePageTable))
        left.open = false;
    settle();
}

void unused_flushed(bool (*is_flushed)(HANDLE process, uint64_t va)) {
    bool flushed = left.open && left.flush && left.end - left.va <= FLUSH_MOST;
    for (uint64_t at = left.va; flushed && at < left.end; at += 4096)
        flushed = is_flushed(left.process, at);
    left.open = left.open && !flushed;
}

void unused_submission(const DXGKARG_SUBMITCOMMANDVIRTUAL *args, HANDLE process) {
    if (!left.open)
        return;
    if (left.paging && args->Flags.Paging)
        use(args->DmaBufferVirtualAddress, args->DmaBufferSize);
    else if (!left.paging && !args->Flags.Paging && process == left.process)
        left.used = true;
    settle();
}
