/*
 * operation.c - leaves operations out, or parts of them: between the manager and the referee.
 *
 * What is left out is answered as if it had been done. An entry is left out by asking for those in
 * front of it and for those behind it; where the first part does not fit the paging buffer, the
 * manager comes back with the next one, and so does `split`.
 */
#include "dropped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static DRIVER_INITIALIZATION_DATA good;
static const struct vidmm_harness *harness;
static HANDLE paging_process;
static uint32_t index_bits[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];
static uint32_t table_bytes[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];

/* ---- What tables hold, as far as it was asked for -------------------------------------------- */

#define CELLS (1u << 20)

struct cell {
    uint64_t table, value;
    uint32_t entry; /* index << 1 | array, + 1; 0: free */
};
static struct cell *cells;

static struct cell *cell_of(uint64_t table, uint32_t entry) {
    uint64_t hash = (table ^ (uint64_t)entry << 40) * UINT64_C(0x9fb21c651e98df25);
    for (uint32_t at = (uint32_t)(hash >> 44);; at++) {
        struct cell *cell = &cells[at % CELLS];
        if (cell->entry == 0 || (cell->table == table && cell->entry == entry + 1))
            return cell;
    }
}

static void set_cell(uint64_t table, uint32_t entry, uint64_t value) {
    *cell_of(table, entry) = (struct cell){table, value, entry + 1};
}

/* In place of an entry of a leaf table: whose it is, and the first address that it translates. */
#define TABLE_PROCESS 0xfffffff0u
#define TABLE_START   0xfffffff1u

uint64_t operation_table(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    switch (update->UpdateMode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL:
        return (uintptr_t)update->PageTableAddress.CpuVirtual;
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
        return update->PageTableAddress.GpuVirtual;
    default:
        return update->PageTableAddress.GpuPhysical.SegmentOffset |
               (uint64_t)update->PageTableAddress.GpuPhysical.SegmentId << 56;
    }
}

static const DXGK_PTE *array_of(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, bool wide) {
    return wide ? update->pPageTableEntries64KB : update->pPageTableEntries;
}

#define FLAG_BITS 19u

/* Flags, and above them the page. */
static uint64_t entry_of(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, bool wide, UINT i) {
    const DXGK_PTE *array = array_of(update, wide);
    const DXGK_PTE *pte = !array ? NULL : &array[update->Flags.Repeat ? 0 : i];
    return !pte ? 0 : (pte->Flags & ((1u << FLAG_BITS) - 1)) | pte->PageAddress << FLAG_BITS;
}

/* The `i`-th entry says something new; the content of a new table's memory is unknown. */
static bool differs(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    if (update->Flags.InitialUpdate)
        return true;
    for (uint32_t wide = 0; wide < 2; wide++) {
        uint32_t entry = (update->StartIndex + i) << 1 | wide;
        const struct cell *cell = cell_of(operation_table(update), entry);
        if (array_of(update, wide) &&
            (cell->entry == 0 || cell->value != entry_of(update, wide, i)))
            return true;
    }
    return false;
}

static uint32_t shift_of(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    uint32_t shift = update->Flags.Use64KBPages && update->PageTableLevel == 0 ? 16 : 12;
    for (UINT level = 0; level < update->PageTableLevel; level++)
        shift += index_bits[level];
    return shift;
}

static uint64_t entry_bytes(UINT level) {
    return table_bytes[level] >> index_bits[level];
}

/* The `i`-th entry led somewhere, and does not any more, or elsewhere. */
static bool entry_takes(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    for (uint32_t wide = 0; wide < 2; wide++) {
        uint32_t entry = (update->StartIndex + i) << 1 | wide;
        const struct cell *cell = cell_of(operation_table(update), entry);
        if (array_of(update, wide) && cell->entry != 0 && (cell->value & 1) != 0 &&
            cell->value != entry_of(update, wide, i))
            return true;
    }
    return false;
}

/* Only the paging process or companion contexts use these addresses. */
static bool paging_only(HANDLE process) {
    return process == paging_process || bookkeeping_privileged(harness, process);
}

/* The process whose addresses paging of the context uses. */
static HANDLE paging_in(HANDLE context) {
    HANDLE companion = bookkeeping_companion(harness, context);
    return companion ? companion : paging_process;
}

/* The `i`-th entry leads nowhere now, and led to a table, if anywhere. */
static bool entry_ends(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    for (uint32_t wide = 0; wide < 2; wide++) {
        uint32_t entry = (update->StartIndex + i) << 1 | wide;
        const struct cell *cell = cell_of(operation_table(update), entry);
        const DXGK_PTE old = {.Flags = cell->value & ((1u << FLAG_BITS) - 1)};
        if (array_of(update, wide) &&
            (cell->entry == 0 || old.LargePage || (entry_of(update, wide, i) & 1) != 0))
            return false;
    }
    return true;
}

/* Before the update is remembered. */
static enum link_change link_change(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    uint64_t start = update->FirstPteVirtualAddress;
    uint64_t bytes = (uint64_t)update->NumPageTableEntries << shift_of(update);
    bool takes = false, ends = true;
    if (update->PageTableLevel == 0 || update->Flags.InitialUpdate)
        return LINKS_OTHER;
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        takes = takes || entry_takes(update, i);
        ends = ends && entry_ends(update, i);
    }
    if (!takes)
        return LINKS_BEGIN;
    return ends && !ranges_lead(update->hProcess, start, start + bytes) ? LINKS_END : LINKS_OTHER;
}

/* Work under way may use what an entry leads to that is changed. */
static bool takes_from_work(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    uint64_t va = update->FirstPteVirtualAddress, bytes = UINT64_C(1) << shift_of(update);
    for (UINT i = 0; i < update->NumPageTableEntries; i++, va += bytes)
        if (entry_takes(update, i) && bookkeeping_used(harness, update->hProcess, va, va + bytes))
            return true;
    return false;
}

/* A TLB may know the `i`-th entry as it was; of what led nowhere it knows pages, not tables. */
static bool makes_stale(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    return !update->Flags.InitialUpdate &&
           (update->PageTableLevel == 0 ? differs(update, i) : entry_takes(update, i));
}

/* What one flush is narrowed by: no less than what the TLB has at once. */
static uint64_t unit = 4096;

/* What the leaf entries of an update show. Of two tables for the same addresses that of 4 KB pages
 * is cleared with the other one. */
static void note_mapped(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, uint32_t shift) {
    uint64_t va = update->FirstPteVirtualAddress, bytes = UINT64_C(1) << shift;
    bool wide = update->Flags.Use64KBPages && update->pPageTableEntries64KB;
    if (!wide)
        ranges_remove(RANGES_MAPPED, update->hProcess, va,
                      va + update->NumPageTableEntries * bytes);
    for (UINT i = 0; i < update->NumPageTableEntries; i++, va += bytes)
        if (entry_of(update, wide, i) & 1)
            ranges_add(RANGES_MAPPED, update->hProcess, va, va + bytes);
}

/* What the entries of a table above the leaves show: below a large page no leaf entry is valid. */
static void note_large(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, uint32_t shift) {
    uint64_t va = update->FirstPteVirtualAddress, bytes = UINT64_C(1) << shift;
    for (UINT i = 0; i < update->NumPageTableEntries; i++, va += bytes) {
        ranges_remove(RANGES_LARGE, update->hProcess, va, va + bytes);
        if (update->pPageTableEntries[update->Flags.Repeat ? 0 : i].LargePage)
            ranges_add(RANGES_LARGE, update->hProcess, va, va + bytes);
    }
}

static void remember(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    uint32_t shift = shift_of(update);
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        uint64_t va = update->FirstPteVirtualAddress + ((uint64_t)i << shift);
        if (makes_stale(update, i))
            ranges_add(RANGES_STALE, update->hProcess, va, va + (UINT64_C(1) << shift));
        for (uint32_t wide = 0; wide < 2; wide++) {
            uint32_t entry = (update->StartIndex + i) << 1 | wide;
            if (array_of(update, wide))
                set_cell(operation_table(update), entry, entry_of(update, wide, i));
        }
    }
    if (update->PageTableLevel != 0) {
        note_large(update, shift);
        return;
    }
    set_cell(operation_table(update), TABLE_PROCESS, (uintptr_t)update->hProcess);
    set_cell(operation_table(update), TABLE_START,
             update->FirstPteVirtualAddress - ((uint64_t)update->StartIndex << shift));
    note_mapped(update, shift);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

/* How the operation at hand is spoiled. */
static struct {
    enum { AS_IT_IS, SWALLOW, SPLIT, FEWER } how;
    bool again;  /* it comes back with the next paging buffer */
    UINT entry;  /* SPLIT */
    bool behind; /* SPLIT: the part in front is done */
    bool last;   /* FEWER: the last page, not the first */
    enum link_change links;
} now;

static UINT choose_entry(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const struct dropped_call *dropped_call = dropped_now();
    UINT first = (UINT)(mix(dropped_call->seed ^ dropped_call->at) % update->NumPageTableEntries);
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        UINT entry = (first + i) % update->NumPageTableEntries;
        if (differs(update, entry))
            return entry;
    }
    return first;
}

static void tell_update(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    struct dropped_seen *seen = dropped_seen();
    snprintf(seen->what, sizeof(seen->what),
             "level %u%s%s%s, entry %u of %u from %u on, address 0x%llx, 0x%llx",
             update->PageTableLevel, update->Flags.InitialUpdate ? ", initial" : "",
             update->Flags.Use64KBPages ? ", 64 KB" : "",
             update->hAllocation ? ", of an allocation" : "", i, update->NumPageTableEntries,
             update->StartIndex, (unsigned long long)update->FirstPteVirtualAddress,
             (unsigned long long)entry_of(update, !update->pPageTableEntries, i));
}

static void choose_update(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    bool entry = dropped_comes(DROPPED_ENTRY), all = dropped_comes(DROPPED_UPDATE);
    now.links = link_change(update);
    if (entry || all) {
        UINT first = entry ? choose_entry(update) : 0;
        now.how = entry ? SPLIT : SWALLOW;
        now.entry = first;
        now.behind = false;
        tell_update(update, first);
        unused_left_out(update, first, entry ? 1 : update->NumPageTableEntries, shift_of(update),
                        paging_only(update->hProcess), now.links, differs);
    }
    remember(update);
    unit = update->Flags.Use64KBPages ? 65536 : unit;
}

static void choose_flush(const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush) {
    struct dropped_seen *seen = dropped_seen();
    const struct dropped_call *dropped_call = dropped_now();
    bool all = dropped_comes(DROPPED_FLUSH), page = dropped_comes(DROPPED_NARROW);
    if (!all && !page)
        return;
    now.last = mix(dropped_call->seed ^ dropped_call->at) & 1;
    bool one = flush->EndVirtualAddress - flush->StartVirtualAddress <= unit;
    now.how = all || one ? SWALLOW : FEWER;
    snprintf(seen->what, sizeof(seen->what), "flush from 0x%llx to 0x%llx%s",
             (unsigned long long)flush->StartVirtualAddress,
             (unsigned long long)flush->EndVirtualAddress,
             now.how == SWALLOW ? ""
             : now.last         ? ", its last pages"
                                : ", its first pages");
    uint64_t start = flush->StartVirtualAddress, end = flush->EndVirtualAddress;
    if (now.how == FEWER && now.last)
        start = end - unit;
    else if (now.how == FEWER)
        end = start + unit;
    if (!ranges_any(RANGES_STALE, flush->hProcess, start, end))
        seen->equal = "no entry of these pages changed since they were flushed last";
    else
        unused_flush(flush->hProcess, start, end, paging_only(flush->hProcess));
}

static void ask_flush(const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush) {
    uint64_t start = flush->StartVirtualAddress, end = flush->EndVirtualAddress;
    if (now.how == SWALLOW)
        return;
    if (now.how == FEWER && now.last)
        end -= unit;
    else if (now.how == FEWER)
        start += unit;
    ranges_remove(RANGES_STALE, flush->hProcess, start, end);
    if (now.how == AS_IT_IS)
        unused_flushed();
}

/* Entry `index` of a leaf table of 4 KB pages gets a copied value; true: a new one. */
static bool copy_entry(uint64_t table, uint32_t index, uint64_t value) {
    const struct cell *cell = cell_of(table, index << 1);
    HANDLE process = (HANDLE)(uintptr_t)cell_of(table, TABLE_PROCESS)->value;
    uint64_t va = cell_of(table, TABLE_START)->value + ((uint64_t)index << 12);
    bool changes = cell->entry == 0 || cell->value != value;
    set_cell(table, index << 1, value);
    if (changes)
        ranges_add(RANGES_STALE, process, va, va + 4096);
    if (value & 1)
        ranges_add(RANGES_MAPPED, process, va, va + 4096);
    return changes;
}

static bool is_new[65536]; /* of the entries that are copied at last */

static bool copy_differs(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    (void)update;
    return is_new[i % 65536];
}

/* All are read before any is written. */
static bool copy_entries(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    static uint64_t value[65536];
    uint32_t count = 0;
    bool changes = false;
    for (UINT r = 0; r < copy->NumRanges; r++)
        for (UINT i = 0; i < copy->pRanges[r].NumPageTableEntries; i++)
            value[count++ % 65536] = cell_of(copy->pRanges[r].SrcPageTableAddress,
                                             (copy->pRanges[r].SrcStartPteIndex + i) << 1)
                                         ->value;
    count = 0;
    for (UINT r = 0; r < copy->NumRanges; r++) {
        for (UINT i = 0; i < copy->pRanges[r].NumPageTableEntries; i++, count++) {
            is_new[count % 65536] =
                copy_entry(copy->pRanges[r].DstPageTableAddress,
                           copy->pRanges[r].DstStartPteIndex + i, value[count % 65536]);
            changes |= is_new[count % 65536];
        }
    }
    return changes;
}

/* As an update with what it copies. */
static void copy_left_out(const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range) {
    uint64_t table = range->DstPageTableAddress;
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE same;
    memset(&same, 0, sizeof(same));
    same.hProcess = (HANDLE)(uintptr_t)cell_of(table, TABLE_PROCESS)->value;
    same.PageTableAddress.GpuVirtual = table;
    same.StartIndex = range->DstStartPteIndex;
    same.FirstPteVirtualAddress =
        cell_of(table, TABLE_START)->value + ((uint64_t)range->DstStartPteIndex << 12);
    unused_left_out(&same, 0, range->NumPageTableEntries, 12, false, false, copy_differs);
}

static void choose_copy(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    struct dropped_seen *seen = dropped_seen();
    bool changes = copy_entries(copy);
    if (!dropped_comes(DROPPED_COPY))
        return;
    now.how = SWALLOW;
    seen->equal = changes ? NULL : "the entries had these values already";
    snprintf(seen->what, sizeof(seen->what), "%u ranges, the first of %u entries", copy->NumRanges,
             copy->pRanges[0].NumPageTableEntries);
    if (changes && copy->NumRanges == 1)
        copy_left_out(&copy->pRanges[0]);
}

static void choose(const DXGKARG_BUILDPAGINGBUFFER *args) {
    now.how = AS_IT_IS;
    now.links = LINKS_OTHER;
    switch (args->Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        choose_update(&args->UpdatePageTable);
        break;
    case DXGK_OPERATION_FLUSH_TLB:
        choose_flush(&args->FlushTlb);
        ask_flush(&args->FlushTlb);
        break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        choose_copy(&args->CopyPageTableEntries);
        break;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        if (dropped_comes(DROPPED_NOTICE)) {
            now.how = SWALLOW;
            snprintf(dropped_seen()->what, sizeof(dropped_seen)()->what, "Resident %u",
                     args->NotifyResidency.Resident);
        }
        break;
    default:
        break;
    }
}

/* ---- BuildPagingBuffer ----------------------------------------------------------------------- */

static void take_room(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *used) {
    args->DmaBufferWriteOffset += (UINT)((uintptr_t)used->pDmaBuffer - (uintptr_t)args->pDmaBuffer);
    args->pDmaBuffer = used->pDmaBuffer;
    args->DmaSize = used->DmaSize;
    args->pDmaBufferPrivateData = used->pDmaBufferPrivateData;
    args->DmaBufferPrivateDataSize = used->DmaBufferPrivateDataSize;
    args->MultipassOffset = used->MultipassOffset;
}

/* `count` entries from `first` on. */
static void cut(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT first, UINT count) {
    uint64_t bytes = (uint64_t)first << shift_of(update);
    update->StartIndex += first;
    update->NumPageTableEntries = count;
    update->FirstPteVirtualAddress += bytes;
    update->AllocationOffsetInBytes += bytes;
    if (!update->Flags.Repeat && update->pPageTableEntries)
        update->pPageTableEntries += first;
    if (!update->Flags.Repeat && update->pPageTableEntries64KB)
        update->pPageTableEntries64KB += first;
}

static NTSTATUS ask_part(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args, UINT first,
                         UINT count) {
    DXGKARG_BUILDPAGINGBUFFER part = *args;
    if (count == 0)
        return STATUS_SUCCESS;
    cut(&part.UpdatePageTable, first, count);
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, &part);
    take_room(args, &part);
    return status;
}

static NTSTATUS split(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT count = args->UpdatePageTable.NumPageTableEntries;
    if (!now.behind) {
        NTSTATUS status = ask_part(adapter, args, 0, now.entry);
        if (status != STATUS_SUCCESS)
            return status;
        now.behind = true;
        args->MultipassOffset = 0;
    }
    return ask_part(adapter, args, now.entry + 1, count - now.entry - 1);
}

static NTSTATUS fewer(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    if (now.last)
        mine.FlushTlb.EndVirtualAddress -= unit;
    else
        mine.FlushTlb.StartVirtualAddress += unit;
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, &mine);
    take_room(args, &mine);
    return status;
}

/* An entry leads somewhere that others are copied over. */
static bool copy_takes(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    for (UINT r = 0; r < copy->NumRanges; r++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[r];
        for (UINT i = 0; i < range->NumPageTableEntries; i++) {
            uint32_t entry = (range->DstStartPteIndex + i) << 1;
            const struct cell *cell = cell_of(range->DstPageTableAddress, entry);
            if (cell->entry == 0 || (cell->value & 1) != 0)
                return true;
        }
    }
    return false;
}

static bool moves(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER ||
           args->Operation == DXGK_OPERATION_VIRTUAL_FILL ||
           args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ||
           args->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
}

/* It takes away what work under way may use, or changes it. What is filled is nobody's yet. */
static bool takes(const DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        return args->UpdatePageTable.hProcess != paging_process &&
               takes_from_work(&args->UpdatePageTable);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        return copy_takes(&args->CopyPageTableEntries);
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return !args->NotifyResidency.Resident;
    case DXGK_OPERATION_VIRTUAL_FILL:
        return false;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        return !args->TransferVirtual.hAllocation ||
               bookkeeping_uses(harness, args->TransferVirtual.hAllocation);
    default:
        return moves(args);
    }
}

/* By the paging node when it comes to it; otherwise by the CPU at once, which is for entries alone.
 */
static bool in_turn(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->pDmaBuffer &&
           !(args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
             args->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
}

/* The CPU writes entries that paging under way does not go through. */
static bool beside_paging(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    return !paging_only(update->hProcess) || waits_flush_left();
}

/* What uses addresses of its process may go through all of it; but addresses that are cut off from
 * tables that lead nowhere lead nowhere all the time. */
static void note_update(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    uint64_t start = update->FirstPteVirtualAddress;
    uint64_t bytes = (uint64_t)update->NumPageTableEntries << shift_of(update);
    if (update->UpdateMode != DXGK_PAGETABLEUPDATE_GPU_PHYSICAL)
        waits_change(harness->adapter);
    else if (now.links == LINKS_END)
        waits_addresses(harness->adapter, update->hProcess, start, start + bytes, true);
    else
        waits_addresses(harness->adapter, update->hProcess, 0, UINT64_MAX, true);
}

/* What goes with the next paging buffer. */
static void note_paging(const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush = &args->FlushTlb;
    if (moves(args))
        waits_move(harness->adapter);
    if (args->Operation == DXGK_OPERATION_FLUSH_TLB)
        waits_addresses(harness->adapter, flush->hProcess, flush->StartVirtualAddress,
                        flush->EndVirtualAddress, false);
    else if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
        note_update(&args->UpdatePageTable);
    else
        waits_change(harness->adapter);
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = STATUS_SUCCESS;
    if (!now.again) {
        DXGKARG_BUILDPAGINGBUFFER known = *args;
        bookkeeping_name(harness, &known);
        waits_called(in_turn(args) || beside_paging(&args->UpdatePageTable), takes(&known));
        unused_operation(args, &known, paging_in(args->hSystemContext), entry_bytes);
        choose(&known);
    }
    if (harness && in_turn(args))
        note_paging(args);
    if (now.how == SPLIT)
        status = split(adapter, args);
    else if (now.how == FEWER)
        status = fewer(adapter, args);
    else if (now.how == AS_IT_IS)
        status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    now.again = status != STATUS_SUCCESS;
    return status;
}

/* ---- The other calls ------------------------------------------------------------------------- */

static VOID APIENTRY set_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    waits_called(true, !bookkeeping_companion(harness, args->hContext));
    if (dropped_comes(DROPPED_ROOT))
        snprintf(dropped_seen()->what, sizeof(dropped_seen)()->what, "root of %u entries",
                 args->NumEntries);
    else
        good.DxgkDdiSetRootPageTable(adapter, args);
}

static NTSTATUS APIENTRY submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    HANDLE process = args->Flags.Paging ? paging_in(args->hContext) : NULL;
    if (!args->Flags.Paging && harness)
        process = bookkeeping_tell(harness, args);
    waits_called(args->Flags.Paging || waits_unmapped(process), false);
    unused_submission(args, process);
    return good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY destroy(const HANDLE adapter, const DXGKARG_DESTROYALLOCATION *args) {
    waits_called(true, true); /* the referee judges what is under way of these */
    return good.DxgkDdiDestroyAllocation(adapter, args);
}

static NTSTATUS APIENTRY destroy_context(const HANDLE context) {
    waits_called(false, true);
    return good.DxgkDdiDestroyContext(context);
}

static NTSTATUS APIENTRY destroy_device(const HANDLE device) {
    waits_called(false, true);
    return good.DxgkDdiDestroyDevice(device);
}

static NTSTATUS APIENTRY create_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    NTSTATUS status = good.DxgkDdiCreateProcess(adapter, args);
    if (args->Flags.SystemProcess)
        paging_process = args->hKmdProcess;
    return status;
}

static NTSTATUS APIENTRY destroy_process(const HANDLE adapter, const HANDLE process) {
    waits_called(true, true); /* the referee judges what is under way of its tables */
    return good.DxgkDdiDestroyProcess(adapter, process);
}

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_PAGETABLELEVELDESC) {
        const DXGK_QUERYPAGETABLELEVELDESCIN *in = args->pInputData;
        const DXGK_PAGE_TABLE_LEVEL_DESC *desc = args->pOutputData;
        index_bits[in->LevelIndex] = desc->PageTableIndexBitCount;
        table_bytes[in->LevelIndex] = desc->PageTableSizeInBytes;
    }
    return status;
}

void operation_install(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    cells = calloc(CELLS, sizeof(*cells));
    table->DxgkDdiBuildPagingBuffer = build;
    table->DxgkDdiSetRootPageTable = set_root;
    table->DxgkDdiSubmitCommandVirtual = submit;
    table->DxgkDdiQueryAdapterInfo = query;
    table->DxgkDdiDestroyAllocation = destroy;
    table->DxgkDdiDestroyContext = destroy_context;
    table->DxgkDdiDestroyDevice = destroy_device;
    table->DxgkDdiCreateProcess = create_process;
    table->DxgkDdiDestroyProcess = destroy_process;
}

void operation_in(const struct vidmm_harness *opened) {
    harness = opened;
}
