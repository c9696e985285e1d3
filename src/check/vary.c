/* vary.c - see vary.h. One run at a time, so that there is one manager whose calls these are. */
#include "cut.h"
#include "vary.h"

#include <string.h>

#include <vidmm/virtual.h>

/* Four bytes that differ, in a fill that would be of zeroes. */
#define PATTERN 0x3c5a7e91u
/* A whole multiple of it may be of pages of this size. */
#define WIDE_PAGE 0x10000u
/* Of each two ranges of this size, flushes that begin in the first are of all addresses. */
#define FLUSHES 0x100000u
/* Values of fences have 64 bits; the system counts the low ones. */
#define HIGH_VALUE ((UINT64)0x3c5a << 32)
/* Of updates whose entries another bit is set in. */
#define ENTRIES_MOST 2048u
/* An operation that no version of the interface has. */
#define UNKNOWN 0x7fff
/* Of operations; those behind them count as the last. */
#define KINDS (DXGK_OPERATION_NOTIFY_ALLOC + 1u)

static struct {
    PDXGKDDI_BUILDPAGINGBUFFER below;
    struct check *check; /* NULL: before vary_begin */
    bool operations;
    bool unknown;         /* an operation that no driver knows was asked for */
    struct cut cut;       /* `referee` NULL: no buffer ends early */
    uint32_t ends[KINDS]; /* of operations: how many found an early end */
    bool full;            /* the operation before had too little room, and comes again */
    HANDLE silent; /* allocation that is said to be done, of which nothing was written; or NULL */
    bool coherent; /* entries may have CacheCoherent */
    D3DGPU_VIRTUAL_ADDRESS tables; /* of transfers, where they mean nothing; 0: the manager's */
    HANDLE paging;                 /* the process that the first update is for */
    DXGK_PTE entries[ENTRIES_MOST];
    DXGK_PTE valid; /* the newest entry of a leaf table that leads to a page */
    DXGK_PTE other; /* an invalid one with that address */
} vary;

/* What is left out at the beginning and at the end: a page each, of at least four. 0: nothing. */
static uint64_t cut_of(uint64_t size) {
    const uint64_t page = size % WIDE_PAGE == 0 ? WIDE_PAGE : CHECK_PAGE;
    return size >= 4 * page ? page : 0;
}

static void vary_fill(DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill) {
    const uint64_t cut = cut_of(fill->FillSizeInBytes);
    fill->FillPattern = PATTERN;
    fill->AllocationOffsetInBytes += cut;
    fill->DestinationVirtualAddress += cut;
    fill->FillSizeInBytes -= 2 * cut;
}

/* Of an allocation: what else is moved has to be whole. */
static void vary_transfer(DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer) {
    const uint64_t cut = cut_of(transfer->TransferSizeInBytes);
    if (!transfer->hAllocation)
        return;
    transfer->AllocationOffsetInBytes += cut;
    transfer->SourceVirtualAddress += cut;
    transfer->DestinationVirtualAddress += cut;
    transfer->TransferSizeInBytes -= 2 * cut;
}

/* They are valid only where SourcePageTableVaInTransfer is set (ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual). */
static void vary_table_addresses(DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer) {
    if (vary.tables == 0)
        return;
    transfer->SourcePageTable = vary.tables;
    transfer->DestinationPageTable = vary.tables + CHECK_PAGE;
}

/* Only Valid says that an entry leads nowhere (ns-d3dukmdt-_dxgk_pte). */
static void vary_entries(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const DXGK_PTE *first = update->pPageTableEntries;
    if (update->PageTableLevel != 0 || update->Flags.Use64KBPages || !first ||
        update->NumPageTableEntries == 0 || first->Zero)
        return;
    if (first->Valid) {
        vary.valid = *first;
    } else if (update->Flags.Repeat && vary.valid.Valid) {
        vary.other = *first;
        vary.other.Segment = vary.valid.Segment;
        vary.other.PageAddress = vary.valid.PageAddress;
        update->pPageTableEntries = &vary.other;
    }
}

/* System memory is coherent where it is cached (ns-d3dukmdt-_dxgk_pte): as that of any allocation may be. */
static void vary_coherence(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const uint32_t count = update->Flags.Repeat ? 1 : update->NumPageTableEntries;
    if (!vary.coherent || update->PageTableLevel != 0 || update->Flags.Use64KBPages ||
        !update->pPageTableEntries || count > ENTRIES_MOST)
        return;
    for (uint32_t i = 0; i < count; i++) {
        DXGK_PTE *entry = &vary.entries[i];
        *entry = update->pPageTableEntries[i];
        if (entry->Valid && !entry->Zero && entry->Segment == 0)
            entry->CacheCoherent = 1;
    }
    update->pPageTableEntries = vary.entries;
}

/* Two zeros are all of the space (ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb), in which any range is. */
static void vary_flush(DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush) {
    if (flush->StartVirtualAddress / FLUSHES % 2 == 0)
        flush->StartVirtualAddress = flush->EndVirtualAddress = 0;
}

/* The same of an operation each time that it is asked for. */
static void vary_shape(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
        vary_table_addresses(&args->TransferVirtual);
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
        if (!vary.paging)
            vary.paging = args->UpdatePageTable.hProcess;
        vary_entries(&args->UpdatePageTable);
        vary_coherence(&args->UpdatePageTable);
    } else if (args->Operation == DXGK_OPERATION_FLUSH_TLB)
        vary_flush(&args->FlushTlb);
    else if (args->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE)
        args->SignalMonitoredFence.MonitoredFenceValue |= HIGH_VALUE;
    else if (vary.operations && args->Operation == DXGK_OPERATION_VIRTUAL_FILL)
        vary_fill(&args->FillVirtual);
    else if (vary.operations && args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
        vary_transfer(&args->TransferVirtual);
}

static bool is_copy(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
}

/* Not of the paging process: entries of it that are wrong are a fault before anyone can look at them. */
static bool is_cut_short(const DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &args->UpdatePageTable;
    return args->MultipassOffset == 0 && (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE ||
                                          (update->UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
                                           update->hProcess != vary.paging));
}

/* What has parts that may be in different buffers. The others are packets of few bytes. */
static bool is_long(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ||
           args->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION ||
           (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
            !args->UpdatePageTable.Flags.Repeat);
}

/* Bytes that an operation finds behind another one: room for some of its entries, ranges or other parts, or none for
 * any. */
static uint32_t room_of(const DXGKARG_BUILDPAGINGBUFFER *args, uint32_t turn) {
    static const uint32_t rooms[] = {96, 8, 200, 1, 328, 16}, short_rooms[] = {8, 1, 16};
    if (is_copy(args))
        return 2 * args->DmaBufferWriteOffset;
    return is_long(args) ? rooms[turn % (sizeof(rooms) / sizeof(rooms[0]))]
                         : short_rooms[turn % (sizeof(short_rooms) / sizeof(short_rooms[0]))];
}

static void vary_room(DXGKARG_BUILDPAGINGBUFFER *args) {
    const uint32_t kind = args->Operation < KINDS ? (uint32_t)args->Operation : KINDS - 1;
    if (vary.cut.referee &&
        cut_buffer(&vary.cut, args,
                   is_cut_short(args) ? room_of(args, vary.ends[kind]) : CUT_NOTHING))
        vary.ends[kind]++;
}

/* The content of a context that the CPU does not see: nobody but the driver knows what it is to be. */
static bool writes_nothing(const DXGKARG_BUILDPAGINGBUFFER *asked,
                           const DXGKARG_BUILDPAGINGBUFFER *built) {
    return asked->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE &&
           !asked->InitContextResource.Destination.VirtualAddress &&
           built->pDmaBuffer == asked->pDmaBuffer &&
           built->pDmaBufferPrivateData == asked->pDmaBufferPrivateData;
}

static void judge_silence(const DXGKARG_BUILDPAGINGBUFFER *asked,
                          const DXGKARG_BUILDPAGINGBUFFER *built) {
    struct vidmm_ledger *ledger = &vary.check->shared->ledger;
    char outer[sizeof(ledger->calling)];
    memcpy(outer, ledger->calling, sizeof(outer));
    vidmm_ledger_calling(ledger, "DxgkDdiBuildPagingBuffer(INIT_CONTEXT_RESOURCE)");
    vidmm_ledger_judge(
        ledger, 154, VIDMM_SIDE_DRIVER, writes_nothing(asked, built),
        "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER for an operation without room",
        "STATUS_SUCCESS and no bytes, of an operation that takes %llu bytes where there is room",
        (unsigned long long)((uintptr_t)built->pDmaBuffer - (uintptr_t)asked->pDmaBuffer));
    vidmm_ledger_calling(ledger, outer);
}

/* R154: where the driver is done with it and wrote nothing behind other operations, it comes again as if there had been
 * too little room; what it writes then it did not have room for. */
static NTSTATUS vary_silence(const DXGKARG_BUILDPAGINGBUFFER *asked,
                             DXGKARG_BUILDPAGINGBUFFER *built, NTSTATUS status) {
    const bool first = asked->MultipassOffset == 0 && asked->DmaBufferWriteOffset != 0;
    if (vary.silent && asked->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE &&
        asked->InitContextResource.hAllocation == vary.silent)
        judge_silence(asked, built);
    vary.silent = NULL;
    if (!vary.check || status != STATUS_SUCCESS || !first || !writes_nothing(asked, built))
        return status;
    vary.silent = asked->InitContextResource.hAllocation;
    built->MultipassOffset = asked->MultipassOffset;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* Whether a range of the copy reads that entry. */
static bool is_source(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy,
                      D3DGPU_VIRTUAL_ADDRESS table, uint32_t entry) {
    bool source = false;
    for (UINT i = 0; i < copy->NumRanges; i++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[i];
        source = source || (range->SrcPageTableAddress == table &&
                            entry - range->SrcStartPteIndex < range->NumPageTableEntries);
    }
    return source;
}

/* An entry of the first range that can be copied twice; false: each is read again. */
static bool vary_entry(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy,
                       DXGK_BUILDPAGINGBUFFER_COPY_RANGE *entry) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *first = copy->pRanges;
    for (UINT i = 0; copy->NumRanges > 1 && i < first->NumPageTableEntries; i++) {
        *entry = *first;
        entry->SrcStartPteIndex += i;
        entry->DstStartPteIndex += i;
        entry->NumPageTableEntries = 1;
        if (!is_source(copy, entry->DstPageTableAddress, entry->DstStartPteIndex))
            return true;
    }
    return false;
}

static void vary_go_on(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *built) {
    args->pDmaBuffer = built->pDmaBuffer;
    args->DmaSize = built->DmaSize;
    args->pDmaBufferPrivateData = built->pDmaBufferPrivateData;
    args->DmaBufferPrivateDataSize = built->DmaBufferPrivateDataSize;
}

/* What comes before an operation that is the first of its buffer: a copy of an entry before the copy of them all, which
 * then finds room for some of its ranges, and the value below before that of a fence. */
static bool vary_before(DXGKARG_BUILDPAGINGBUFFER *ahead,
                        DXGK_BUILDPAGINGBUFFER_COPY_RANGE *entry) {
    const bool copies = is_copy(ahead) && vary_entry(&ahead->CopyPageTableEntries, entry);
    const bool signals = ahead->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
    if (copies) {
        ahead->CopyPageTableEntries.pRanges = entry;
        ahead->CopyPageTableEntries.NumRanges = 1;
    } else if (signals) {
        ahead->SignalMonitoredFence.MonitoredFenceValue--;
    }
    return copies || signals;
}

/* Not before what found too little room once. */
static void vary_ahead(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER ahead = *args;
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE entry;
    if (!vary.cut.referee || vary.full || args->DmaBufferWriteOffset != 0 ||
        args->MultipassOffset != 0 || !vary_before(&ahead, &entry))
        return;
    if (vary.below(adapter, &ahead) == STATUS_SUCCESS && cut_behind(args, &ahead))
        vary.cut.end = 0;
}

/* What newer systems send (R167), once, before the first operation of a buffer: what the driver writes for it runs with
 * that. */
static void vary_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER unknown = *args;
    if (!vary.operations || vary.unknown || !args->pDmaBuffer || args->DmaBufferWriteOffset != 0 ||
        args->MultipassOffset != 0)
        return;
    vary.unknown = true;
    memset(&unknown.UpdatePageTable, 0, sizeof(unknown.UpdatePageTable));
    unknown.Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)UNKNOWN;
    NTSTATUS status = vary.below(adapter, &unknown);
    vidmm_ledger_judge(&vary.check->shared->ledger, 167, VIDMM_SIDE_DRIVER,
                       status == STATUS_SUCCESS && cut_behind(args, &unknown),
                       "STATUS_SUCCESS, and nothing for the GPU that does not complete",
                       "status 0x%08x", (unsigned)status);
}

static NTSTATUS APIENTRY vary_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER passed = *args;
    vary_unknown(adapter, &passed);
    vary_shape(&passed);
    vary_ahead(adapter, &passed);
    vary_room(&passed);
    const DXGKARG_BUILDPAGINGBUFFER asked = passed;
    NTSTATUS status = vary_silence(&asked, &passed, vary.below(adapter, &passed));
    vary.full = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    vary_go_on(args, &passed);
    args->MultipassOffset = passed.MultipassOffset;
    return status;
}

void vary_table(DRIVER_INITIALIZATION_DATA *table) {
    if (!table->DxgkDdiBuildPagingBuffer || table->DxgkDdiBuildPagingBuffer == vary_build)
        return;
    memset(&vary, 0, sizeof(vary)); /* --no-fork has several runs in one process */
    vary.below = table->DxgkDdiBuildPagingBuffer;
    table->DxgkDdiBuildPagingBuffer = vary_build;
}

void vary_begin(struct check *check) {
    vary.check = check;
}

void vary_little(struct check *check) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    vary.cut.referee = check->harness.referee;
    vary.coherent = mmu.caps.CacheCoherentMemorySupported;
}

void vary_operations(struct check *check, bool on) {
    vary.operations = on;
    vidmm_referee_look_beside(check->harness.referee, on);
}

/* The last address of the space that is one of tables. */
bool vary_tables(struct check *check, bool on) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    vary.tables = 0;
    if (on && mmu.on && !mmu.caps.LegacyBehaviors.SourcePageTableVaInTransfer)
        vary.tables = ((UINT64)1 << mmu.caps.VirtualAddressBitCount) - WIDE_PAGE;
    return vary.tables != 0;
}
