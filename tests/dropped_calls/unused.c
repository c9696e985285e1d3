/*
 * unused.c - whether anybody could have seen that entries or a flush were left out, before they
 * were written again or another flush came, or it was all over: any work of the process, or of the
 * paging process an operation through an address that they are about. Without an entry that leads
 * to a table addresses lead nowhere; that has no effect as long as they do so in the table, too. The
 * same holds of an entry that still leads to such a table, until its memory may be another table's.
 */
#include "dropped.h"

#include <stdlib.h>
#include <string.h>

static struct {
    bool open, paging, used, flush;
    enum link_change links;
    HANDLE process;
    uint64_t va, end; /* of a flush, or of the entries */
    uint64_t table;
    UINT start, count, wrong; /* entries; those that are not as they should be */
    uint32_t shift;           /* an entry is for 1 << shift bytes */
    bool *is_wrong;           /* of each */
} left;

static void settle(void) {
    dropped_seen()->equal = left.used    ? NULL
                            : left.flush ? "nobody used the addresses before another flush of them"
                                         : "nobody used the addresses before they were written "
                                           "again";
}

void unused_left_out(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT first, UINT count,
                     uint32_t shift, bool paging, enum link_change links, entry_differs *differs) {
    left.is_wrong = calloc(count, sizeof(*left.is_wrong));
    if (!left.is_wrong)
        abort();
    for (UINT i = 0; i < count; i++) {
        left.is_wrong[i] = differs(update, first + i);
        left.wrong += left.is_wrong[i];
    }
    left.open = left.wrong != 0;
    left.links = links;
    left.paging = paging;
    left.process = update->hProcess;
    left.table = operation_table(update);
    left.start = update->StartIndex + first;
    left.count = count;
    left.shift = shift;
    left.va = update->FirstPteVirtualAddress + ((uint64_t)first << shift);
    left.end = left.va + ((uint64_t)count << shift);
    settle();
    if (!left.open)
        dropped_seen()->equal = "the entries had these values already";
}

void unused_flush(HANDLE process, uint64_t start, uint64_t end, bool paging) {
    left.open = left.flush = true;
    left.paging = paging;
    left.process = process;
    left.va = start;
    left.end = end;
    settle();
}

/* ---- Written, or flushed, again -------------------------------------------------------------- */

static bool is_table(uint64_t table) {
    return !left.flush && table == left.table;
}

/* The entries of [start, start + count) of the table that are wrong; `corrects`: not any more. */
static UINT wrong_of(UINT start, UINT count, bool corrects) {
    UINT found = 0;
    for (UINT i = 0; i < left.count; i++) {
        if (!left.is_wrong[i] || left.start + i < start || left.start + i - start >= count)
            continue;
        found++;
        left.is_wrong[i] = !corrects;
    }
    left.wrong -= corrects ? found : 0;
    return found;
}

static void write_again(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    if (update->hProcess == left.process && is_table(operation_table(update)))
        wrong_of(update->StartIndex, update->NumPageTableEntries, true);
}

/* What is wrong becomes wrong elsewhere, too; what is right comes in its place. */
static void copy_again(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    for (UINT i = 0; i < copy->NumRanges; i++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[i];
        if (is_table(range->SrcPageTableAddress) &&
            wrong_of(range->SrcStartPteIndex, range->NumPageTableEntries, false))
            left.used = true;
        if (is_table(range->DstPageTableAddress))
            wrong_of(range->DstStartPteIndex, range->NumPageTableEntries, true);
    }
}

void unused_flushed(void) {
    if (left.open && left.flush)
        left.open = ranges_any(RANGES_STALE, left.process, left.va, left.end);
}

/* ---- Use ------------------------------------------------------------------------------------- */

static void use(uint64_t va, uint64_t size) {
    uint64_t start = va > left.va ? va : left.va;
    uint64_t end = va + size < left.end ? va + size : left.end;
    if (start >= end)
        return;
    UINT first = (UINT)((start - left.va) >> left.shift);
    UINT last = (UINT)((end - 1 - left.va) >> left.shift);
    if (left.flush ? ranges_any(RANGES_STALE, left.process, start, end)
                   : wrong_of(left.start + first, last - first + 1, false) != 0)
        left.used = true;
}

/* Entries of a table through its addresses in the paging process. */
static void use_table(uint64_t table, uint64_t entry_bytes, UINT start, UINT count) {
    use(table + start * entry_bytes, count * entry_bytes);
}

static void use_copy(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy,
                     uint64_t entry_bytes) {
    for (UINT i = 0; i < copy->NumRanges; i++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[i];
        use_table(range->SrcPageTableAddress, entry_bytes, range->SrcStartPteIndex,
                  range->NumPageTableEntries);
        use_table(range->DstPageTableAddress, entry_bytes, range->DstStartPteIndex,
                  range->NumPageTableEntries);
    }
}

static void use_operation(const DXGKARG_BUILDPAGINGBUFFER *args, entry_size *size_of) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &args->UpdatePageTable;
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
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
        use(args->UpdateContextAllocation.ContextAllocation,
            args->UpdateContextAllocation.ContextAllocationSize);
        break;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        if (update->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
            use_table(update->PageTableAddress.GpuVirtual, size_of(update->PageTableLevel),
                      update->StartIndex, update->NumPageTableEntries);
        break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        use_copy(&args->CopyPageTableEntries, size_of(0));
        break;
    default:
        break;
    }
}

/* A table begins for other addresses, perhaps where the one was that is still led to. */
static bool begins_elsewhere(const DXGKARG_BUILDPAGINGBUFFER *known) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &known->UpdatePageTable;
    return known->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && update->Flags.InitialUpdate &&
           (update->hProcess != left.process || update->FirstPteVirtualAddress < left.va ||
            update->FirstPteVirtualAddress >= left.end);
}

void unused_operation(const DXGKARG_BUILDPAGINGBUFFER *asked,
                      const DXGKARG_BUILDPAGINGBUFFER *known, HANDLE process, entry_size *size_of) {
    if (!left.open)
        return;
    if (left.paging && process == left.process)
        use_operation(asked, size_of);
    if (left.links == LINKS_END && begins_elsewhere(known))
        left.used = true;
    if (known->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
        write_again(&known->UpdatePageTable);
    if (known->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
        copy_again(&known->CopyPageTableEntries);
    left.open = left.flush || left.wrong != 0;
    settle();
}

void unused_submission(const DXGKARG_SUBMITCOMMANDVIRTUAL *args, HANDLE process) {
    if (!left.open || process != left.process)
        return;
    if (left.paging && args->Flags.Paging)
        use(args->DmaBufferVirtualAddress, args->DmaBufferSize);
    else if (left.links != LINKS_OTHER)
        left.used = left.used || ranges_lead(process, left.va, left.end);
    else
        left.used = true;
    settle();
}
