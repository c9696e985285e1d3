/*
 * operation.c - leaves operations out, or parts of them: between the manager and the referee.
 *
 * What is left out is answered as if it had been done. An entry is left out by asking for those in
 * front of it and for those behind it; where the first part does not fit the paging buffer, the
 * manager comes back with the next one, and so does `split`.
 */
#include "mutation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static DRIVER_INITIALIZATION_DATA good;
static const struct vidmm_lab *lab;
static HANDLE paging_process;
static uint32_t index_bits[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];

/* ---- What tables hold, as far as it was asked for ------------------------------------------- */

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

static uint64_t table_of(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
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
    const DXGK_PTE *pte = array == NULL ? NULL : &array[update->Flags.Repeat ? 0 : i];
    return pte == NULL ? 0 : (pte->Flags & ((1u << FLAG_BITS) - 1)) | pte->PageAddress << FLAG_BITS;
}

/* The `i`-th entry says something new. */
static bool differs(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    for (uint32_t wide = 0; wide < 2; wide++) {
        uint32_t entry = (update->StartIndex + i) << 1 | wide;
        const struct cell *cell = cell_of(table_of(update), entry);
        if (array_of(update, wide) != NULL &&
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

/* When the leaf entry of an address was changed last, and what was flushed since: by number. */
#define PAGES_OF(process) ((uint64_t)(uintptr_t)(process) | UINT64_C(1) << 63)
#define FLUSHES           65536u

static uint64_t number;
static struct flush {
    HANDLE process;
    uint64_t start, end, number;
} * flushes;
static uint32_t flush_count;

static void note_change(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    uint32_t shift = shift_of(update);
    uint64_t first = (update->FirstPteVirtualAddress + ((uint64_t)i << shift)) >> 12;
    uint64_t table = PAGES_OF(update->hProcess);
    for (uint64_t page = first; page < first + (UINT64_C(1) << (shift - 12)); page++) {
        uint32_t entry = (uint32_t)page & 0x7fffffffu;
        *cell_of(table, entry) = (struct cell){table, number, entry + 1};
    }
}

static void note_flush(HANDLE process, uint64_t start, uint64_t end) {
    if (flush_count < FLUSHES)
        flushes[flush_count++] = (struct flush){process, start, end, number};
}

/* Its leaf entry did not change since a flush covered it. */
static bool is_flushed(HANDLE process, uint64_t va) {
    const struct cell *cell = cell_of(PAGES_OF(process), (uint32_t)(va >> 12) & 0x7fffffffu);
    bool flushed = cell->entry == 0;
    for (uint32_t i = 0; i < flush_count && !flushed; i++)
        flushed = flushes[i].process == process && flushes[i].number > cell->value &&
                  va >= flushes[i].start && va < flushes[i].end;
    return flushed;
}

/* An entry that leads somewhere is changed by it. */
static bool takes(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        for (uint32_t wide = 0; wide < 2; wide++) {
            uint32_t entry = (update->StartIndex + i) << 1 | wide;
            const struct cell *cell = cell_of(table_of(update), entry);
            if (array_of(update, wide) != NULL && cell->entry != 0 && (cell->value & 1) != 0 &&
                cell->value != entry_of(update, wide, i))
                return true;
        }
    }
    return false;
}

/* ---- Pages that entries went on to lead to --------------------------------------------------- */

#define PLACE_OF(value) ((value) >> FLAG_BITS << 5 | ((value) >> 5 & 31u) | UINT64_C(1) << 62)

/* Which entry keeps a page. */
static uint64_t keeper(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, uint32_t entry) {
    return table_of(update) * 31 + entry;
}

/*
 * Entries that were to lead nowhere keep their pages: those of `*first` and `*count`, which become
 * the part that matters. False: something else is left out, too.
 */
static bool keep_places(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT *first,
                        UINT *count) {
    UINT begin = UINT32_MAX, end = 0;
    for (UINT i = *first; i < *first + *count; i++) {
        for (uint32_t wide = 0; wide < 2; wide++) {
            uint32_t entry = (update->StartIndex + i) << 1 | wide;
            const struct cell *cell = cell_of(table_of(update), entry);
            if (array_of(update, wide) == NULL || cell->entry == 0 || (cell->value & 1) == 0)
                continue;
            uint64_t place = PLACE_OF(cell->value);
            if (entry_of(update, wide, i) & 1)
                return false;
            *cell_of(place, 0) = (struct cell){place, keeper(update, entry), 1};
            begin = i < begin ? i : begin;
            end = i + 1;
        }
    }
    if (begin == UINT32_MAX)
        return false;
    *first = begin;
    *count = end - begin;
    return true;
}

/* Another entry leads to such a page from now on. */
static bool gives(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        for (uint32_t wide = 0; wide < 2; wide++) {
            uint64_t value = entry_of(update, wide, i);
            const struct cell *kept = cell_of(PLACE_OF(value), 0);
            if ((value & 1) != 0 && kept->entry != 0 &&
                kept->value != keeper(update, (update->StartIndex + i) << 1 | wide))
                return true;
        }
    }
    return false;
}

/* What one flush is narrowed by: no less than what the TLB has at once. */
static uint64_t unit = 4096;

static void remember(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        if (update->PageTableLevel == 0 && !update->Flags.InitialUpdate && differs(update, i))
            note_change(update, i);
        for (uint32_t wide = 0; wide < 2; wide++) {
            uint32_t entry = (update->StartIndex + i) << 1 | wide;
            if (array_of(update, wide) != NULL)
                *cell_of(table_of(update), entry) =
                    (struct cell){table_of(update), entry_of(update, wide, i), entry + 1};
        }
    }
}

/* ---- Choosing ------------------------------------------------------------------------------- */

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
} now;

static UINT choose_entry(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const struct mutation *mutation = mutation_now();
    UINT first = (UINT)(mix(mutation->seed ^ mutation->at) % update->NumPageTableEntries);
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        UINT entry = (first + i) % update->NumPageTableEntries;
        if (differs(update, entry))
            return entry;
    }
    return first;
}

static void tell_update(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i) {
    struct mutation_seen *seen = mutation_seen();
    snprintf(
        seen->what, sizeof seen->what,
        "level %u%s%s%s, entry %u of %u from %u on, address 0x%llx, 0x%llx", update->PageTableLevel,
        update->Flags.InitialUpdate ? ", initial" : "", update->Flags.Use64KBPages ? ", 64 KB" : "",
        update->hAllocation != NULL ? ", of an allocation" : "", i, update->NumPageTableEntries,
        update->StartIndex, (unsigned long long)update->FirstPteVirtualAddress,
        (unsigned long long)entry_of(update, update->pPageTableEntries == NULL, i));
}

/* `count` entries from `first` on are left out. */
static void leave_out(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT first,
                      UINT count) {
    bool changes = false;
    for (UINT i = first; i < first + count; i++)
        changes = changes || differs(update, i);
    tell_update(update, first);
    bool ends = update->PageTableLevel == 0 && keep_places(update, &first, &count);
    if (changes)
        unused_left_out(update, first, count, shift_of(update), update->hProcess == paging_process,
                        ends);
    else
        mutation_seen()->equal = "the entries had these values already";
}

static void choose_update(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    bool entry = mutation_comes(MUTATION_ENTRY), all = mutation_comes(MUTATION_UPDATE);
    if (update->hProcess != paging_process && update->PageTableLevel == 0 && gives(update))
        unused_given();
    if (entry) {
        now.entry = choose_entry(update);
        now.behind = false;
        now.how = SPLIT;
        leave_out(update, now.entry, 1);
    } else if (all) {
        now.how = SWALLOW;
        leave_out(update, 0, update->NumPageTableEntries);
    }
    remember(update);
    unit = update->Flags.Use64KBPages ? 65536 : unit;
}

static void choose_flush(const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush) {
    struct mutation_seen *seen = mutation_seen();
    const struct mutation *mutation = mutation_now();
    bool all = mutation_comes(MUTATION_FLUSH), page = mutation_comes(MUTATION_NARROW);
    if (!all && !page)
        return;
    now.last = mix(mutation->seed ^ mutation->at) & 1;
    bool one = flush->EndVirtualAddress - flush->StartVirtualAddress <= unit;
    now.how = all || one ? SWALLOW : FEWER;
    snprintf(seen->what, sizeof seen->what, "flush from 0x%llx to 0x%llx%s",
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
    bool flushed = end - start <= unit;
    for (uint64_t at = start; flushed && at < end; at += 4096)
        flushed = is_flushed(flush->hProcess, at);
    if (flushed)
        seen->equal = "no entry of these pages changed since they were flushed last";
    else
        unused_flush(flush->hProcess, start, end, flush->hProcess == paging_process);
}

static void ask_flush(const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush) {
    uint64_t start = flush->StartVirtualAddress, end = flush->EndVirtualAddress;
    if (now.how == SWALLOW)
        return;
    if (now.how == FEWER && now.last)
        end -= unit;
    else if (now.how == FEWER)
        start += unit;
    note_flush(flush->hProcess, start, end);
    if (now.how == AS_IT_IS)
        unused_flushed(is_flushed);
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
        for (UINT i = 0; i < copy->pRanges[r].NumPageTableEntries; i++) {
            uint32_t entry = (copy->pRanges[r].DstStartPteIndex + i) << 1;
            struct cell *cell = cell_of(copy->pRanges[r].DstPageTableAddress, entry);
            uint64_t now_is = value[count++ % 65536];
            changes = changes || cell->entry == 0 || cell->value != now_is;
            *cell = (struct cell){copy->pRanges[r].DstPageTableAddress, now_is, entry + 1};
        }
    }
    return changes;
}

static void choose_copy(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    struct mutation_seen *seen = mutation_seen();
    bool changes = copy_entries(copy);
    if (!mutation_comes(MUTATION_COPY))
        return;
    now.how = SWALLOW;
    seen->equal = changes ? NULL : "the entries had these values already";
    snprintf(seen->what, sizeof seen->what, "%u ranges, the first of %u entries", copy->NumRanges,
             copy->pRanges[0].NumPageTableEntries);
}

static void choose(const DXGKARG_BUILDPAGINGBUFFER *args) {
    now.how = AS_IT_IS;
    number++;
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
        if (mutation_comes(MUTATION_NOTICE)) {
            now.how = SWALLOW;
            snprintf(mutation_seen()->what, sizeof mutation_seen()->what, "Resident %u",
                     args->NotifyResidency.Resident);
        }
        break;
    default:
        break;
    }
}

/* ---- BuildPagingBuffer ---------------------------------------------------------------------- */

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
    if (!update->Flags.Repeat && update->pPageTableEntries != NULL)
        update->pPageTableEntries += first;
    if (!update->Flags.Repeat && update->pPageTableEntries64KB != NULL)
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

/* By the CPU at once, or when the paging node comes to it. */
static void tell_waits(const DXGKARG_BUILDPAGINGBUFFER *args) {
    waits_called(args->pDmaBuffer != NULL, args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                                               args->UpdatePageTable.hProcess != paging_process &&
                                               takes(&args->UpdatePageTable));
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = STATUS_SUCCESS;
    if (!now.again) {
        tell_waits(args);
        unused_operation(args);
        choose(args);
    }
    if (now.how == SPLIT)
        status = split(adapter, args);
    else if (now.how == FEWER)
        status = fewer(adapter, args);
    else if (now.how == AS_IT_IS)
        status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    now.again = status != STATUS_SUCCESS;
    return status;
}

/* ---- The other calls ------------------------------------------------------------------------ */

static VOID APIENTRY set_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    waits_called(true, true);
    if (mutation_comes(MUTATION_ROOT))
        snprintf(mutation_seen()->what, sizeof mutation_seen()->what, "root of %u entries",
                 args->NumEntries);
    else
        good.DxgkDdiSetRootPageTable(adapter, args);
}

static NTSTATUS APIENTRY submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    HANDLE process = NULL;
    waits_called(args->Flags.Paging, false);
    if (!args->Flags.Paging && lab != NULL)
        process = books_tell(lab, args);
    unused_submission(args, process);
    return good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY destroy(const HANDLE adapter, const DXGKARG_DESTROYALLOCATION *args) {
    waits_called(true, true); /* the referee judges what is under way of these */
    return good.DxgkDdiDestroyAllocation(adapter, args);
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
    }
    return status;
}

void operation_install(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    cells = calloc(CELLS, sizeof *cells);
    flushes = calloc(FLUSHES, sizeof *flushes);
    table->DxgkDdiBuildPagingBuffer = build;
    table->DxgkDdiSetRootPageTable = set_root;
    table->DxgkDdiSubmitCommandVirtual = submit;
    table->DxgkDdiQueryAdapterInfo = query;
    table->DxgkDdiDestroyAllocation = destroy;
    table->DxgkDdiCreateProcess = create_process;
    table->DxgkDdiDestroyProcess = destroy_process;
}

void operation_in(const struct vidmm_lab *opened) {
    lab = opened;
}
