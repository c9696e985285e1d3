/*
 * break_virtual.c - drivers that get GPU virtual addresses wrong: what they say of their MMU, and
 * what they make of page tables, flushes and operations that move by address. The managers are
 * break_page_tables.c's and break_virtual_manager.c's.
 */
#include "virtual_fault.h"

/* ---- Which operation ------------------------------------------------------------------------- */

static bool by_gpu(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && args->pDmaBuffer;
}

static bool several_at_once(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && !UPDATE->Flags.Repeat && UPDATE->NumPageTableEntries > 1;
}

static bool several_pages_at_once(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return several_at_once(args) && of_user(args) && leaf(args);
}

static bool large_transfer(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return transfer(args) && args->TransferVirtual.TransferSizeInBytes > 4096;
}

static bool flush_of_all(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return flush(args) && args->FlushTlb.EndVirtualAddress == 0;
}

static bool copies(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
}

static bool user_leaves(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args);
}

static bool zero_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args) && ENTRY.Valid && ENTRY.Zero;
}

static bool zero_directories(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && of_user(args) && !leaf(args) && ENTRY.Valid && ENTRY.Zero;
}

/* ---- What drivers make of operations --------------------------------------------------------- */

SWALLOW_ALL(writes_later, several_pages_at_once)
SPOIL_ALL(leaves_last, several_at_once, UPDATE->NumPageTableEntries--)
SPOIL_ALL(ignores_start, by_gpu, if (!UPDATE->Flags.InitialUpdate) UPDATE->StartIndex = 0)
SPOIL_ALL(forbids_code, by_gpu,
          for (UINT i = 0; !UPDATE->Flags.Repeat && i < UPDATE->NumPageTableEntries; i++)
              UPDATE->pPageTableEntries[i]
                  .NoExecute = UPDATE->PageTableLevel == 0)
SPOIL_ALL(
    forgets_base, user_local,
    for (UINT i = 0; i < UPDATE->NumPageTableEntries; i++) UPDATE->pPageTableEntries[i].Segment = 0)
SPOIL_ALL(cuts_frames, user_leaves,
          for (UINT i = 0; i < (UPDATE->Flags.Repeat ? 1 : UPDATE->NumPageTableEntries);
               i++) if (UPDATE->pPageTableEntries[i].Segment == 0) UPDATE->pPageTableEntries[i]
              .PageAddress &= 0xfffff)
SPOIL_ALL(cuts_offsets, user_leaves,
          for (UINT i = 0; i < (UPDATE->Flags.Repeat ? 1 : UPDATE->NumPageTableEntries);
               i++) if (UPDATE->pPageTableEntries[i].Segment != 0) UPDATE->pPageTableEntries[i]
              .PageAddress &= 0xfffff)
SPOIL_ALL(reads_zero, user_pages, ENTRY.Zero = 1)
/* The last page of a memory of 16 MiB: nothing is there. */
SPOIL_ALL(page_of_zeroes, zero_pages, {
    ENTRY.Zero = 0;
    ENTRY.Segment = 2;
    ENTRY.PageAddress = (16u << 20 >> 12) - 1;
})
SPOIL_ALL(zeroes_leaves, zero_directories,
          for (UINT i = 0; i < (UPDATE->Flags.Repeat ? 1 : UPDATE->NumPageTableEntries); i++)
              UPDATE->pPageTableEntries[i]
                  .Flags = 0)

/* Pages that read as zero do not need large ones. */
static NTSTATUS APIENTRY query_zero_alone(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_GPUMMUCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS && status == STATUS_SUCCESS)
        caps->LargePageSupported = 0;
    return status;
}

static void APIENTRY install_zeroes_alone(DRIVER_INITIALIZATION_DATA *table) {
    install_zeroes_leaves(table);
    table->DxgkDdiQueryAdapterInfo = query_zero_alone;
}

SWALLOW_ALL(flushes_none, flush_of_all)
SWALLOW_ALL(copies_none, copies)
SPOIL_ALL(other_member, user_local,
          UPDATE->PageTableAddress.GpuPhysical.SegmentOffset = UPDATE->PageTableAddress.GpuVirtual +
                                                               (UINT64_C(96) << 20))
SPOIL_ALL(one_array, links, UPDATE->pPageTableEntries64KB = NULL)
SPOIL_ALL(copies_nothing, transfer, args->TransferVirtual.TransferSizeInBytes = 0)
SPOIL_ALL(large_as_table, large_pages, {
    for (UINT i = 0; i < UPDATE->NumPageTableEntries; i++)
        UPDATE->pPageTableEntries[i].LargePage = 0;
})
SPOIL_ALL(first_page, large_transfer, args->TransferVirtual.TransferSizeInBytes = 4096)
SWALLOW_ALL(drops_flush, flush)

static bool fills(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_FILL;
}

SPOIL(writes_by_pointer, by_gpu,
      *(volatile ULONG64 *)(ULONG_PTR)UPDATE->PageTableAddress.GpuVirtual = 0)

/* Where there are pages of the allocation on both sides: else the GPU finds no memory there. */
static bool fills_part(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return fills(args) && args->FillVirtual.AllocationOffsetInBytes == 4096;
}

static bool moves_part(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return transfer(args) && args->TransferVirtual.AllocationOffsetInBytes == 4096;
}

static bool clears(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args) && UPDATE->Flags.Repeat && !ENTRY.Valid &&
           ENTRY.PageAddress != 0;
}

SPOIL_ALL(fills_too_far, fills_part, args->FillVirtual.FillSizeInBytes += 4096)
SPOIL_ALL(fills_from_before, fills_part, args->FillVirtual.DestinationVirtualAddress -= 4096;
          args->FillVirtual.FillSizeInBytes += 4096)
SPOIL_ALL(moves_too_far, moves_part, args->TransferVirtual.TransferSizeInBytes += 4096)
SPOIL_ALL(adds_offset, transfer,
          args->TransferVirtual.SourceVirtualAddress +=
          args->TransferVirtual.AllocationOffsetInBytes)
/* Where only pages of the allocation that move have addresses, on the side in memory. */
static bool evicts_part(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return transfer(args) &&
           args->TransferVirtual.TransferDirection == DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM &&
           args->TransferVirtual.AllocationOffsetInBytes >= 131072;
}

SPOIL_ALL(adds_far_offset, evicts_part,
          args->TransferVirtual.SourceVirtualAddress +=
          args->TransferVirtual.AllocationOffsetInBytes)
SPOIL_ALL(fills_16_bits, fills, args->FillVirtual.FillPattern &= 0xffff)
SPOIL_ALL(takes_address_for_valid, clears, ENTRY.Valid = 1)

static bool wide_links(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && UPDATE->PageTableLevel == 1 &&
           ENTRY.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
}

static bool windows(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && leaf(args) && !of_user(args);
}

SPOIL_ALL(forgets_kind, wide_links,
          for (UINT i = 0; i < UPDATE->NumPageTableEntries; i++) UPDATE->pPageTableEntries[i]
              .PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_4KB)
SPOIL_ALL(forgets_zero, zero_pages, ENTRY.Zero = 0)
SPOIL_ALL(snoops_no_window, windows,
          for (UINT i = 0; i < (UPDATE->Flags.Repeat ? 1 : UPDATE->NumPageTableEntries); i++)
              UPDATE->pPageTableEntries[i]
                  .CacheCoherent = 0)

/* ---- Drivers with a user-mode half of another language ------------------------------------------ */

static NTSTATUS APIENTRY says_nothing(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    return args->Type == DXGKQAITYPE_UMDRIVERPRIVATE
               ? STATUS_INVALID_PARAMETER
               : mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
}

/* The aperture is the first segment. */
static NTSTATUS APIENTRY prefers_aperture(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[i];
        if (info->SupportedWriteSegmentSet & info->SupportedReadSegmentSet & 1u) {
            info->PreferredSegment.Value = 0;
            info->PreferredSegment.SegmentId0 = 1;
        }
    }
    return status;
}

static void become_foreign(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = says_nothing;
    table->DxgkDdiCreateAllocation = prefers_aperture;
}

static void APIENTRY install_foreign_fills_16_bits(DRIVER_INITIALIZATION_DATA *table) {
    install_fills_16_bits(table);
    become_foreign(table);
}

static NTSTATUS APIENTRY refuses_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return (UINT)args->Operation > DXGK_OPERATION_NOTIFY_ALLOC
               ? STATUS_INVALID_PARAMETER
               : mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, refuses_unknown)

/* What the first buffer had no room for is written from the first entry on. */
static NTSTATUS APIENTRY begins_again(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    const UINT start = UPDATE->StartIndex;
    virtual_look(args);
    bool again = of_user(args) && args->MultipassOffset != 0;
    if (again)
        UPDATE->StartIndex -= args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (again)
        UPDATE->StartIndex = start;
    return status;
}

static void APIENTRY install_begins_again(DRIVER_INITIALIZATION_DATA *table) {
    virtual_paging_process = NULL;
    table->DxgkDdiBuildPagingBuffer = begins_again;
}

static NTSTATUS APIENTRY wants_allocation(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !UPDATE->hAllocation)
        return STATUS_INVALID_PARAMETER;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, wants_allocation)

/* One entry after the other, upwards: of a range that overlaps its source, what the first ones write the next ones
 * read. */
static NTSTATUS APIENTRY copies_in_turn(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    static DXGK_BUILDPAGINGBUFFER_COPY_RANGE single[4096];
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &args->CopyPageTableEntries;
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES asked = *copy;
    if (args->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    copy->pRanges = single;
    copy->NumRanges = 0;
    for (UINT i = 0; i < asked.NumRanges; i++)
        for (UINT k = 0; k < asked.pRanges[i].NumPageTableEntries && copy->NumRanges < 4096; k++) {
            DXGK_BUILDPAGINGBUFFER_COPY_RANGE *one = &single[copy->NumRanges++];
            *one = asked.pRanges[i];
            one->NumPageTableEntries = 1;
            one->SrcStartPteIndex += k;
            one->DstStartPteIndex += k;
        }
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    *copy = asked;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, copies_in_turn)

/* What the first buffer had no room for begins with the first range. */
static NTSTATUS APIENTRY copies_again(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    static DXGK_BUILDPAGINGBUFFER_COPY_RANGE same[64];
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &args->CopyPageTableEntries;
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES asked = *copy;
    if (!copies(args) || args->MultipassOffset == 0 || copy->NumRanges > 64)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    for (UINT i = 0; i < copy->NumRanges; i++)
        same[i] = copy->pRanges[0];
    copy->pRanges = same;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    *copy = asked;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, copies_again)

static NTSTATUS APIENTRY wants_private(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->DmaBufferPrivateDataSize == 0)
        return STATUS_INVALID_PARAMETER;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}
REPLACE(DxgkDdiSubmitCommandVirtual, wants_private)

/* Forgets a page, and reports the fault for another process. */
static VOID APIENTRY blame_other(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        report.DmaPageFaulted.FaultedProcessHandle = (HANDLE)(uintptr_t)0x1000;
    virtual_system.DxgkCbNotifyInterrupt(device, &report);
}

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls,
                               PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    virtual_system = *calls;
    mine.DxgkCbNotifyInterrupt = blame_other;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

SPOIL(forgets_first, user_pages, ENTRY.Valid = 0)

static NTSTATUS APIENTRY reserves_little(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    virtual_reserve(args->hDxgkProcess, 65536);
    return mutants_good.DxgkDdiCreateProcess(adapter, args);
}

static NTSTATUS APIENTRY reserves_late(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    virtual_reserve(args->hKmdProcess, UINT64_C(1) << 30);
    return mutants_good.DxgkDdiCreateDevice(adapter, args);
}

static void APIENTRY install_reserves_little(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiCreateProcess = reserves_little;
}

static void APIENTRY install_reserves_late(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiCreateDevice = reserves_late;
}

static void APIENTRY install_blames_other(DRIVER_INITIALIZATION_DATA *table) {
    install_forgets_first(table);
    table->DxgkDdiStartDevice = start;
}

/* Surfaces of whole 64 KB, and one of two arrays. */
static NTSTATUS APIENTRY creates_whole(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    return virtual_create_whole(&mutants_good, adapter, args);
}

SPOIL_ALL(in_steps, wide_pages, UPDATE->StartIndex *= 16)

static void APIENTRY install_in_narrow_steps(DRIVER_INITIALIZATION_DATA *table) {
    install_in_steps(table);
    table->DxgkDdiCreateAllocation = creates_whole;
}

static void APIENTRY install_half(DRIVER_INITIALIZATION_DATA *table) {
    install_one_array(table);
    table->DxgkDdiCreateAllocation = creates_whole;
}

/* ---- What drivers say of their MMU ----------------------------------------------------------- */

static void(APIENTRY *spoil_caps)(DXGK_GPUMMUCAPS *caps);
static void(APIENTRY *spoil_level)(DXGK_PAGE_TABLE_LEVEL_DESC *desc, UINT level);

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status != STATUS_SUCCESS)
        return status;
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS && spoil_caps)
        spoil_caps(args->pOutputData);
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC && spoil_level)
        spoil_level(args->pOutputData,
                    ((const DXGK_QUERYPAGETABLELEVELDESCIN *)args->pInputData)->LevelIndex);
    return status;
}

#define CAPS(NAME, SPOILING)                                                                       \
    static void APIENTRY NAME(DXGK_GPUMMUCAPS *caps) {                                             \
        SPOILING;                                                                                  \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        spoil_caps = NAME;                                                                         \
        spoil_level = NULL;                                                                        \
        table->DxgkDdiQueryAdapterInfo = query;                                                    \
    }
#define LEVEL(NAME, SPOILING)                                                                      \
    static void APIENTRY NAME(DXGK_PAGE_TABLE_LEVEL_DESC *desc, UINT level) {                      \
        SPOILING;                                                                                  \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        spoil_caps = NULL;                                                                         \
        spoil_level = NAME;                                                                        \
        table->DxgkDdiQueryAdapterInfo = query;                                                    \
    }

CAPS(by_cpu, caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
CAPS(keeps_nothing, caps->InvalidTlbEntriesNotCached = 1)
CAPS(one_level, caps->PageTableLevelCount = 1)
CAPS(more_bits, caps->VirtualAddressBitCount = 45)
CAPS(odd_leaf, caps->LeafPageTableSizeFor64KPagesInBytes = 100)
LEVEL(large_in_system, if (level == 0) desc->PageTableSizeInBytes = 8192)
LEVEL(in_aperture, if (level == 0) desc->PageTableSegmentId = 1)
LEVEL(odd_size, if (level == 0) desc->PageTableSizeInBytes -= 8)

/* A second adapter of a link, with more address bits. */
static NTSTATUS APIENTRY query_second(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYGPUMMUCAPSIN first = {.PhysicalAdapterIndex = 0};
    const DXGK_QUERYGPUMMUCAPSIN *in = args->pInputData;
    DXGKARG_QUERYADAPTERINFO mine = *args;
    if (args->Type != DXGKQAITYPE_GPUMMUCAPS || !in || in->PhysicalAdapterIndex != 1)
        return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    mine.pInputData = &first;
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, &mine);
    if (status == STATUS_SUCCESS)
        ((DXGK_GPUMMUCAPS *)args->pOutputData)->VirtualAddressBitCount += 1;
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, query_second)

static NTSTATUS APIENTRY asks_both(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYGPUMMUCAPSIN second = {.PhysicalAdapterIndex = 1};
    DXGKARG_QUERYADAPTERINFO mine = *args;
    DXGK_GPUMMUCAPS caps;
    NTSTATUS status = mutants_below.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_GPUMMUCAPS) {
        memset(&caps, 0, sizeof(caps));
        mine.pInputData = &second;
        mine.pOutputData = &caps;
        mine.OutputDataSize = sizeof(caps);
        (void)mutants_below.DxgkDdiQueryAdapterInfo(adapter, &mine);
    }
    return status;
}
REPLACE_BELOW(DxgkDdiQueryAdapterInfo, asks_both)

static SIZE_T APIENTRY root_size(const HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE *args) {
    return mutants_good.DxgkDdiGetRootPageTableSize(adapter, args) + 8;
}
REPLACE(DxgkDdiGetRootPageTableSize, root_size)

/* ---- Managers above them ---------------------------------------------------------------------- */

/* A manager that flushes everything whenever it flushes. */
static NTSTATUS APIENTRY flushes_all(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    if (flush(args))
        mine.FlushTlb.StartVirtualAddress = mine.FlushTlb.EndVirtualAddress = 0;
    NTSTATUS status = mutants_below.DxgkDdiBuildPagingBuffer(adapter, &mine);
    virtual_take_room(args, &mine);
    args->MultipassOffset = mine.MultipassOffset;
    return status;
}
REPLACE_BELOW(DxgkDdiBuildPagingBuffer, flushes_all)

/* A manager that has the first entry of a table copied to its last. */
static DXGK_BUILDPAGINGBUFFER_COPY_RANGE to_the_end;

static NTSTATUS APIENTRY copies_too(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER asked = *args, copy = *args;
    NTSTATUS status = mutants_below.DxgkDdiBuildPagingBuffer(adapter, args);
    virtual_look(&asked);
    if (status != STATUS_SUCCESS || to_the_end.NumPageTableEntries != 0 || !user_pages(&asked))
        return status;
    to_the_end = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){
        .NumPageTableEntries = 1,
        .SrcPageTableAddress = asked.UpdatePageTable.PageTableAddress.GpuVirtual,
        .DstPageTableAddress = asked.UpdatePageTable.PageTableAddress.GpuVirtual,
        .SrcStartPteIndex = asked.UpdatePageTable.StartIndex,
        .DstStartPteIndex = 511};
    virtual_take_room(&copy, args);
    copy.DmaBufferWriteOffset += asked.DmaSize - args->DmaSize;
    virtual_arm(&copy, DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES);
    copy.CopyPageTableEntries.NumRanges = 1;
    copy.CopyPageTableEntries.pRanges = &to_the_end;
    if (mutants_below.DxgkDdiBuildPagingBuffer(adapter, &copy) == STATUS_SUCCESS)
        virtual_take_room(args, &copy);
    return status;
}

static void APIENTRY scene_copies_too(DRIVER_INITIALIZATION_DATA *table) {
    memset(&to_the_end, 0, sizeof(to_the_end));
    virtual_paging_process = NULL;
    table->DxgkDdiBuildPagingBuffer = copies_too;
}

/* ---- Apertures ------------------------------------------------------------------------------- */

#define APERTURE_PAGES 32u
#define APERTURE_BLOCK 16u

static bool maps(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
}

static bool maps_lists(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
}

static bool unmaps(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

/* Of less than half of what a list of our own has room for. */
static bool maps_few(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return maps(args) && args->MapApertureSegment.NumberOfPages < APERTURE_PAGES / 2;
}

/* The pages that are mapped, and that as often again. */
static MDL *twice_as_many(const DXGKARG_BUILDPAGINGBUFFER *args) {
    static struct {
        MDL mdl;
        PFN_NUMBER frame[APERTURE_PAGES];
    } own;
    const PFN_NUMBER *frames = MmGetMdlPfnArray(args->MapApertureSegment.pMdl);
    own.mdl = *args->MapApertureSegment.pMdl;
    for (SIZE_T i = 0; i < APERTURE_PAGES; i++)
        own.frame[i] =
            frames[args->MapApertureSegment.MdlOffset + i % args->MapApertureSegment.NumberOfPages];
    return &own.mdl;
}

/* Where each of the tables that are told of has entries of its own for all of the address. */
SPOIL_ALL(follows_tables, transfer,
          if (args->TransferVirtual.SourcePageTable != 0)
              args->TransferVirtual.SourceVirtualAddress = args->TransferVirtual.SourcePageTable)
SPOIL_ALL(leaves_to_tables, transfer,
          if (args->TransferVirtual.DestinationPageTable != 0) args->TransferVirtual
              .DestinationVirtualAddress = args->TransferVirtual.SourceVirtualAddress)
SPOIL_ALL(maps_from_the_start, maps, args->MapApertureSegment.MdlOffset = 0)
SPOIL_ALL(maps_the_first, maps, args->MapApertureSegment.NumberOfPages = 1)
SPOIL_ALL(maps_lists_from_the_start, maps_lists, args->MapApertureSegment2.AdlOffset = 0)
SPOIL_ALL(maps_without_snooping, maps, args->MapApertureSegment.Flags.CacheCoherent = 0)
SPOIL_ALL(maps_too_far, maps_few, {
    args->MapApertureSegment.pMdl = twice_as_many(args);
    args->MapApertureSegment.MdlOffset = 0;
    args->MapApertureSegment.NumberOfPages++;
})
SPOIL_ALL(unmaps_too_far, unmaps, args->UnmapApertureSegment.NumberOfPages++)
SPOIL_ALL(unmaps_blocks, unmaps, {
    const SIZE_T first = args->UnmapApertureSegment.OffsetInPages;
    const SIZE_T end = first + args->UnmapApertureSegment.NumberOfPages + APERTURE_BLOCK - 1;
    args->UnmapApertureSegment.NumberOfPages = end / APERTURE_BLOCK * APERTURE_BLOCK - first;
})
SPOIL_ALL(unmaps_too_few, unmaps, args->UnmapApertureSegment.NumberOfPages--)
SPOIL_ALL(unmaps_to_page_zero, unmaps, args->UnmapApertureSegment.DummyPage.QuadPart = 0)
SWALLOW_ALL(unmaps_none, unmaps)

/* What has no room is left out. */
static NTSTATUS leaves_out(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args,
                           DXGK_BUILDPAGINGBUFFER_OPERATION what) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    bool full = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return full && args->Operation == what ? STATUS_SUCCESS : status;
}

static NTSTATUS APIENTRY leaves_out_moves(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return leaves_out(adapter, args, DXGK_OPERATION_VIRTUAL_TRANSFER);
}
REPLACE(DxgkDdiBuildPagingBuffer, leaves_out_moves)

static NTSTATUS APIENTRY leaves_out_fills(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return leaves_out(adapter, args, DXGK_OPERATION_VIRTUAL_FILL);
}
REPLACE(DxgkDdiBuildPagingBuffer, leaves_out_fills)

static NTSTATUS APIENTRY leaves_out_fences(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return leaves_out(adapter, args, DXGK_OPERATION_SIGNAL_MONITORED_FENCE);
}
REPLACE(DxgkDdiBuildPagingBuffer, leaves_out_fences)

static NTSTATUS APIENTRY leaves_out_flushes(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return leaves_out(adapter, args, DXGK_OPERATION_FLUSH_TLB);
}
REPLACE(DxgkDdiBuildPagingBuffer, leaves_out_flushes)

static NTSTATUS APIENTRY leaves_out_contexts(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *args) {
    return leaves_out(adapter, args, DXGK_OPERATION_INIT_CONTEXT_RESOURCE);
}
REPLACE(DxgkDdiBuildPagingBuffer, leaves_out_contexts)

/* What has no room has its first byte behind the end. */
static NTSTATUS APIENTRY updates_behind(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    UCHAR *end = (UCHAR *)args->pDmaBuffer + args->DmaSize;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER &&
        args->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION)
        *end = (UCHAR) ~*end;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, updates_behind)

static bool moves(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
}

SPOIL_ALL(
    moves_from_low, moves,
    args->TransferVirtual.SourceVirtualAddress = (UINT)args->TransferVirtual.SourceVirtualAddress)

static NTSTATUS APIENTRY list_in_one_piece(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (maps(args) && args->MapApertureSegment.NumberOfPages * sizeof(UINT64) > args->DmaSize)
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, list_in_one_piece)

/* ---- The list -------------------------------------------------------------------------------- */

const struct mutant mutants_virtual[] = {
    BREAKER(210, DRIVER, "reads another member of PageTableAddress", other_member, THREE,
            WITH(215, 539)),
    BREAKER(211, DRIVER, "has not written several entries when the call returns", writes_later,
            THREE),
    BREAKER(215, DRIVER, "leaves out the last entry of updates without a DMA buffer", leaves_last,
            THREE),
    BREAKER(212, DRIVER, "reports CPU_VIRTUAL with directories in local memory", by_cpu, IN_LOCAL),
    BREAKER(215, DRIVER, "writes all entries from the start of the table on", ignores_start, THREE,
            WITH(539)),
    BREAKER(215, DRIVER, "sets NoExecute in every page", forbids_code, THREE, WITH(230)),
    BREAKER(215, DRIVER, "takes large pages for tables", large_as_table, WHOLE),
    BREAKER(215, DRIVER, "cuts page addresses of system memory to 20 bits", cuts_frames, THREE,
            WITH(211)),
    BREAKER(217, DRIVER, "refuses updates without an allocation", wants_allocation, THREE,
            WITH(149)),
    BREAKER(221, DRIVER, "has pages read as zero that lead to memory", reads_zero, THREE),
    {BREAKS(221, DRIVER, "residency", zeroes_alone,
            "knows Zero in leaf entries alone, of a GPU without large pages"),
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}, {"MmuFeatures", 15}}},
    {BREAKS(516, DRIVER, "large-pages", page_of_zeroes,
            "has a page of zeroes for all pages that read as zero"),
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
    BREAKER(223, DRIVER, "counts pages of segments from the start of the bus", forgets_base, THREE,
            WITH(380, 230, 240)),
    {BREAKS(223, DRIVER, "residency", cuts_offsets, "cuts offsets in memory segments to 32 bits")},
    BREAKER(230, DRIVER, "flushes nothing", drops_flush, THREE, WITH(188, 240)),
    BREAKER(232, DRIVER, "flushes nothing where everything is meant", flushes_none, THREE,
            WITH(188, 240), .scene = scene_flushes_all),
    BREAKER(239, DRIVER, "does not copy entries", copies_none, VIRTUAL, WITH(231, 238, 299),
            .scene = scene_copies_too),
    {BREAKS(239, DRIVER, "residency", copies_in_turn,
            "copies entries of overlapping ranges in turn")},
    {BREAKS(239, DRIVER, "residency", copies_again,
            "begins a copy of entries again in another buffer"),
     .settings = {{"MmuLevels", 3}, {"PagingBufferBytes", 65536}}},
    {BREAKS(239, DRIVER, "residency", copies_again,
            "begins a copy of entries again on a board of whose memory the CPU sees a quarter"),
     .settings = {{"MmuLevels", 3},
                  {"PagingBufferBytes", 65536},
                  {"VramBytes", 1 << 20},
                  {"VramVisibleBytes", 1 << 18}}},
    {BREAKS(239, DRIVER, "residency", copies_none,
            "copies no entries where a table may be of 64 KB pages"),
     .settings = {{"MmuPages", 1}}},
    {BREAKS(215, DRIVER, "residency", begins_again,
            "goes on with an update at its first entry in another buffer")},
    {BREAKS(425, DRIVER, "residency", snoops_no_window,
            "leaves CacheCoherent out of the paging process's entries")},
    {BREAKS(427, DRIVER, "paging", keeps_nothing,
            "says that its TLB, which keeps invalid entries, does not"),
     .settings = {{"MmuLevels", 4},
                  {"MmuFeatures", 16},
                  {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_6}}},
    {BREAKS(427, DRIVER, "engines", keeps_nothing,
            "says that its TLB, which keeps what faulted, does not"),
     .settings = {{"MmuLevels", 4},
                  {"MmuFeatures", 17},
                  {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_6}}},
    {BREAKS(516, DRIVER, "residency", forgets_zero, "leaves Zero out of its entries"),
     .settings = {{"MmuFeatures", 15}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}},
    {BREAKS(379, DRIVER, "residency", forgets_kind,
            "takes all leaf tables for tables of 4 KB pages"),
     .settings = {{"MmuPages", 1}}},
    BREAKER(240, DRIVER, "copies nothing", copies_nothing, THREE, WITH(244)),
    {BREAKS(517, DRIVER, "residency", follows_tables,
            "reads from SourcePageTable, which it did not ask for"),
     FOUR},
    {BREAKS(517, DRIVER, "residency", leaves_to_tables,
            "leaves a move to DestinationPageTable, which it did not ask for"),
     FOUR},
    {BREAKS(240, DRIVER, "residency", adds_offset,
            "adds AllocationOffsetInBytes to the address of the source"),
     FOUR},
    {BREAKS(240, DRIVER, "paging", adds_far_offset,
            "adds AllocationOffsetInBytes where that leads to no memory"),
     THREE},
    {BREAKS(240, DRIVER, "residency", leaves_out_moves,
            "leaves out a move that the buffer has no room for"),
     FOUR},
    {BREAKS(188, DRIVER, "residency", leaves_out_fills,
            "leaves out a fill that the buffer has no room for"),
     FOUR},
    {BREAKS(420, DRIVER, "residency", leaves_out_fences,
            "leaves out the value of a fence that the buffer has no room for"),
     .settings = {{"MmuLevels", 4}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_2}}},
    {BREAKS(230, DRIVER, "residency", leaves_out_flushes,
            "leaves out a flush that the buffer has no room for"),
     .consequences = {232}, FOUR},
    {BREAKS(154, DRIVER, "residency", leaves_out_contexts,
            "leaves out the first content of a context that the buffer has no room for"),
     FOUR},
    {BREAKS(152, DRIVER, "residency", updates_behind,
            "writes an update of a context behind a buffer without room"),
     FOUR},
    {BREAKS(539, DRIVER, "residency", moves_from_low,
            "cuts addresses that it moves from to 32 bits"),
     FOUR},
    BREAKER(244, DRIVER, "copies the first page of a range", first_page, THREE, WITH(240)),
    BREAKER(250, DRIVER, "has a single level", one_level, THREE),
    BREAKER(251, DRIVER, "has fewer index bits than address bits", more_bits, THREE),
    BREAKER(252, DRIVER, "has tables of 8 KB in system memory", large_in_system, THREE),
    BREAKER(546, DRIVER, "has leaf tables in an aperture segment", in_aperture, THREE),
    BREAKER(253, DRIVER, "has tables that are no whole pages", odd_size, THREE),
    BREAKER(254, DRIVER, "has tables of 64 KB pages of 100 bytes", odd_leaf, SINGLE),
    BREAKER(255, DRIVER, "wants roots that are no whole pages", root_size, TWO),
    BREAKER(378, DRIVER, "reads one of two arrays", half, DUAL),
    BREAKER(259, DRIVER, "reserves addresses when a device is created", reserves_late, THREE),
    BREAKER(260, DRIVER, "reserves a part of what a root entry covers", reserves_little, THREE),
    BREAKER(261, DRIVER, "has more address bits on another adapter of a link", query_second, THREE,
            WITH(504, 515), .scene = scene_asks_both),
    BREAKER(379, DRIVER, "takes tables of 64 KB pages for others", in_narrow_steps, SINGLE),
    BREAKER(380, DRIVER, "blames another process for a page fault", blames_other, THREE,
            WITH(215, 211, 210)),
    {BREAKS(560, DRIVER, "residency", fills_too_far, "fills a page of addresses too many"), FOUR},
    {BREAKS(560, DRIVER, "residency", fills_from_before, "fills from the page before on"), FOUR},
    {BREAKS(560, DRIVER, "residency", moves_too_far, "moves a page of addresses too many"), FOUR},
    {BREAKS(188, DRIVER, "residency", fills_16_bits, "fills with 16 bits of the pattern"), FOUR},
    {BREAKS(188, DRIVER, "residency", foreign_fills_16_bits,
            "fills with 16 bits of the pattern what it prefers in the aperture"),
     FOUR},
    {BREAKS(167, DRIVER, "residency", refuses_unknown,
            "refuses operations that do not exist, with paging by address"),
     .consequences = {149, 158, 208, 240, 245, 247, 299}, FOUR},
    {BREAKS(215, DRIVER, "residency", takes_address_for_valid,
            "takes an entry with an address for a valid one"),
     FOUR},
    BREAKER(210, DRIVER, "takes the GPU's address of a table for a pointer", writes_by_pointer,
            VIRTUAL),
    {BREAKS(157, DRIVER, "operations", list_in_one_piece,
            "wants the page numbers of a map in one buffer"),
     .consequences = {231, 299}, FOUR},
    {BREAKS(194, DRIVER, "operations", maps_from_the_start, "ignores MdlOffset of a mapping"),
     FOUR},
    {BREAKS(194, DRIVER, "operations", maps_the_first, "maps the first page of a range alone"),
     FOUR},
    {BREAKS(196, DRIVER, "operations", maps_without_snooping,
            "leaves CacheCoherent of mappings out"),
     FOUR},
    {BREAKS(197, DRIVER, "operations", maps_too_far, "maps a page too many"), FOUR},
    {BREAKS(197, DRIVER, "operations", unmaps_too_far, "unmaps a page too many"), FOUR},
    {BREAKS(197, DRIVER, "operations", unmaps_blocks, "unmaps to the end of a block of 16 pages"),
     FOUR},
    {BREAKS(200, DRIVER, "operations", unmaps_too_few, "leaves the last page of a range mapped"),
     FOUR},
    {BREAKS(200, DRIVER, "operations", unmaps_none, "leaves pages mapped that are unmapped"), FOUR},
    {BREAKS(200, DRIVER, "operations", unmaps_to_page_zero,
            "leaves page 0 behind in place of DummyPage"),
     FOUR},
    {BREAKS(204, DRIVER, "operations", maps_lists_from_the_start, "ignores AdlOffset"),
     .settings = {{"MmuLevels", 4},
                  {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_9},
                  {"MapAperture2", 1}}},
    BREAKER(391, DRIVER, "refuses work without private data", wants_private, THREE, WITH(279)),
};
const uint32_t mutants_virtual_count = sizeof(mutants_virtual) / sizeof(mutants_virtual[0]);
