/*
 * break_virtual.c - drivers and managers that get GPU virtual addresses wrong: what the MMU is said
 * to be, page tables and their entries, flushes, and what is moved through addresses.
 *
 * The base is a short game over a GPU with page tables. Faults in single calls are made once: the
 * GPU goes on with what is right, as far as it can.
 */
#include "mutants.h"

#include <string.h>

#define DRIVER  VIDMM_SIDE_DRIVER
#define MANAGER VIDMM_SIDE_MANAGER
#define UNIQUE  (UINT64_C(1) << 63)
#define ENTRIES 8192u

/* ---- BuildPagingBuffer with something wrong -------------------------------------------------- */

/* What a mutant does to an operation that it has chosen. */
static struct {
    /* True: this is the one. */
    bool (*wants)(const DXGKARG_BUILDPAGINGBUFFER *args);
    /* Changes what is asked for; entries may be changed, they are a copy. */
    void (*spoil)(DXGKARG_BUILDPAGINGBUFFER *args);
    /* Makes one more operation of it, that is asked for behind it. */
    void (*more)(DXGKARG_BUILDPAGINGBUFFER *args);
    bool swallow;              /* it is taken for done instead */
    bool always;               /* not only once */
    bool done, again, decided; /* so far; the last call comes again */
} fault;

static DXGK_PTE entries[ENTRIES], entries64[ENTRIES];
static HANDLE paging_process; /* whose tables the CPU writes first */

static const DXGK_PTE *copy_entries(DXGK_PTE *to, const DXGK_PTE *from,
                                    const DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT count = args->UpdatePageTable.Flags.Repeat ? 1 : args->UpdatePageTable.NumPageTableEntries;
    if (!from || count >= ENTRIES)
        return from;
    memcpy(to, from, count * sizeof(*to));
    return to;
}

static void own_entries(DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &args->UpdatePageTable;
    const DXGK_PTE *narrow = update->pPageTableEntries, *wide = update->pPageTableEntries64KB;
    if (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE)
        return;
    update->pPageTableEntries = (DXGK_PTE *)copy_entries(entries, narrow, args);
    update->pPageTableEntries64KB =
        (DXGK_PTE *)(wide == narrow ? update->pPageTableEntries
                                    : copy_entries(entries64, wide, args));
}

static void look(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !args->pDmaBuffer && !paging_process)
        paging_process = args->UpdatePageTable.hProcess;
}

/* Where the next operation begins. */
static void take_room(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *used) {
    args->pDmaBuffer = used->pDmaBuffer;
    args->DmaSize = used->DmaSize;
    args->pDmaBufferPrivateData = used->pDmaBufferPrivateData;
    args->DmaBufferPrivateDataSize = used->DmaBufferPrivateDataSize;
}

static void ask_more(const HANDLE adapter, const DXGKARG_BUILDPAGINGBUFFER *asked,
                     DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER other = *asked;
    UINT used = asked->DmaSize - args->DmaSize;
    take_room(&other, args);
    other.DmaBufferWriteOffset += used;
    other.MultipassOffset = 0;
    own_entries(&other);
    fault.more(&other);
    if (mutants_good.DxgkDdiBuildPagingBuffer(adapter, &other) == STATUS_SUCCESS)
        take_room(args, &other);
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER asked = *args, mine = *args;
    look(args);
    bool chosen = fault.again ? fault.decided : !fault.done && fault.wants(args);
    fault.again = false;
    if (chosen && fault.swallow) {
        fault.done = !fault.always;
        return STATUS_SUCCESS;
    }
    if (chosen && fault.spoil) {
        own_entries(&mine);
        fault.spoil(&mine);
    }
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, &mine);
    take_room(args, &mine);
    args->MultipassOffset = mine.MultipassOffset;
    fault.again = status != STATUS_SUCCESS;
    fault.decided = chosen;
    if (chosen && status == STATUS_SUCCESS) {
        fault.done = !fault.always;
        if (fault.more)
            ask_more(adapter, &asked, args);
    }
    return status;
}

static void install_build(DRIVER_INITIALIZATION_DATA *table) {
    fault.done = fault.again = false;
    paging_process = NULL;
    table->DxgkDdiBuildPagingBuffer = build;
}

#define FAIL(NAME, ...)                                                                            \
    static void install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        memset(&fault, 0, sizeof(fault));                                                          \
        __VA_ARGS__;                                                                               \
        install_build(table);                                                                      \
    }
/* Changes an operation; each one, or the first. */
#define SPOIL(NAME, WANTS, ...)                                                                    \
    static void NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                                            \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    FAIL(NAME, fault.wants = WANTS, fault.spoil = NAME)
#define SPOIL_ALL(NAME, WANTS, ...)                                                                \
    static void NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                                            \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    FAIL(NAME, fault.wants = WANTS, fault.spoil = NAME, fault.always = true)
/* Asks for one more operation behind it. */
#define MORE(NAME, WANTS, ...)                                                                     \
    static void NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                                            \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    FAIL(NAME, fault.wants = WANTS, fault.more = NAME)

#define UPDATE (&args->UpdatePageTable)
#define ENTRY  (args->UpdatePageTable.pPageTableEntries[0])

/* ---- Which operation ------------------------------------------------------------------------- */

static bool is_update(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
}

static bool by_gpu(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && args->pDmaBuffer;
}

static bool of_user(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && paging_process && UPDATE->hProcess != paging_process;
}

static bool at_once(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && !args->pDmaBuffer;
}

static bool first_content(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && UPDATE->Flags.InitialUpdate;
}

static bool root_content(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return first_content(args) && UPDATE->PageTableLevel == 2;
}

static bool level_one_content(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return first_content(args) && UPDATE->PageTableLevel == 1;
}

static bool leaf(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && UPDATE->PageTableLevel == 0;
}

static bool user_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args) && ENTRY.Valid && !ENTRY.Zero;
}

static bool user_pages_many(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && UPDATE->NumPageTableEntries > 2 && UPDATE->hAllocation;
}

static bool user_local(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && ENTRY.Segment != 0;
}

static bool large_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && is_update(args) && UPDATE->PageTableLevel == 1 && ENTRY.Valid &&
           ENTRY.LargePage;
}

static bool user_clear(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args) && !ENTRY.Valid && !UPDATE->Flags.InitialUpdate;
}

static bool wide_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && UPDATE->Flags.Use64KBPages;
}

static bool narrow_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && !UPDATE->Flags.Use64KBPages;
}

static bool links(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && UPDATE->PageTableLevel == 1 && ENTRY.Valid;
}

static bool wide_link(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return links(args) && ENTRY.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
}

static bool narrow_link(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return links(args) && ENTRY.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_4KB;
}

static bool flush(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_FLUSH_TLB;
}

static bool transfer(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
}

static bool large_transfer(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return transfer(args) && args->TransferVirtual.TransferSizeInBytes > 4096;
}

static bool fill(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_FILL;
}

/* ---- What drivers make of operations --------------------------------------------------------- */

SPOIL_ALL(leaves_last, at_once,
          if (!UPDATE->Flags.Repeat && UPDATE->NumPageTableEntries > 1)
              UPDATE->NumPageTableEntries--)
SPOIL_ALL(ignores_start, by_gpu, if (!UPDATE->Flags.InitialUpdate) UPDATE->StartIndex = 0)
SPOIL_ALL(forbids_code, by_gpu,
          for (UINT i = 0; !UPDATE->Flags.Repeat && i < UPDATE->NumPageTableEntries; i++)
              UPDATE->pPageTableEntries[i]
                  .NoExecute = UPDATE->PageTableLevel == 0)
SPOIL_ALL(
    forgets_base, user_local,
    for (UINT i = 0; i < UPDATE->NumPageTableEntries; i++) UPDATE->pPageTableEntries[i].Segment = 0)
SPOIL_ALL(reads_zero, user_pages, ENTRY.Zero = 1)
static bool flush_of_all(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return flush(args) && args->FlushTlb.EndVirtualAddress == 0;
}

static bool copies(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
}

FAIL(flushes_none, fault.wants = flush_of_all, fault.swallow = fault.always = true)
FAIL(copies_none, fault.wants = copies, fault.swallow = fault.always = true)
SPOIL_ALL(other_member, user_local,
          UPDATE->PageTableAddress.GpuPhysical.SegmentOffset = UPDATE->PageTableAddress.GpuVirtual +
                                                               (UINT64_C(96) << 20))
SPOIL_ALL(one_array, links, UPDATE->pPageTableEntries64KB = NULL)
SPOIL_ALL(copies_nothing, transfer, args->TransferVirtual.TransferSizeInBytes = 0)
SPOIL_ALL(first_page, large_transfer, args->TransferVirtual.TransferSizeInBytes = 4096)
FAIL(drops_flush, fault.wants = flush, fault.swallow = fault.always = true)

static NTSTATUS APIENTRY wants_allocation(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !UPDATE->hAllocation)
        return STATUS_INVALID_PARAMETER;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void install_wants_allocation(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = wants_allocation;
}

static NTSTATUS APIENTRY wants_private(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->DmaBufferPrivateDataSize == 0)
        return STATUS_INVALID_PARAMETER;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void install_wants_private(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommandVirtual = wants_private;
}

/* Forgets a page, and reports the fault for another process. */
static DXGKRNL_INTERFACE system_calls;

static VOID APIENTRY blame_other(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        report.DmaPageFaulted.FaultedProcessHandle = (HANDLE)(uintptr_t)0x1000;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls,
                               PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = blame_other;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

SPOIL(forgets_first, user_pages, ENTRY.Valid = 0)

/* Reserves addresses for itself. */
static void reserve(HANDLE process, UINT64 size) {
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE args = {.hDxgkProcess = process, .SizeInBytes = size};
    (void)system_calls.DxgkCbReserveGpuVirtualAddressRange(system_calls.DeviceHandle, &args);
}

static NTSTATUS APIENTRY reserves_little(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    reserve(args->hDxgkProcess, 65536);
    return mutants_good.DxgkDdiCreateProcess(adapter, args);
}

static NTSTATUS APIENTRY reserves_late(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    reserve(args->hKmdProcess, UINT64_C(1) << 30);
    return mutants_good.DxgkDdiCreateDevice(adapter, args);
}

static void install_reserves_little(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiCreateProcess = reserves_little;
}

static void install_reserves_late(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiCreateDevice = reserves_late;
}

static void install_blames_other(DRIVER_INITIALIZATION_DATA *table) {
    install_forgets_first(table);
    table->DxgkDdiStartDevice = start;
}

/* Surfaces of whole 64 KB, and one of two arrays. */
static NTSTATUS APIENTRY creates_whole(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Size = (args->pAllocationInfo[i].Size + 0xffff) & ~(SIZE_T)0xffff;
    return status;
}

SPOIL_ALL(in_steps, wide_pages, UPDATE->StartIndex *= 16)

static void install_in_narrow_steps(DRIVER_INITIALIZATION_DATA *table) {
    install_in_steps(table);
    table->DxgkDdiCreateAllocation = creates_whole;
}

static void install_half(DRIVER_INITIALIZATION_DATA *table) {
    install_one_array(table);
    table->DxgkDdiCreateAllocation = creates_whole;
}

/* ---- What drivers say of their MMU ----------------------------------------------------------- */

static void (*spoil_caps)(DXGK_GPUMMUCAPS *caps);
static void (*spoil_level)(DXGK_PAGE_TABLE_LEVEL_DESC *desc, UINT level);

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
    static void NAME(DXGK_GPUMMUCAPS *caps) {                                                      \
        SPOILING;                                                                                  \
    }                                                                                              \
    static void install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        spoil_caps = NAME;                                                                         \
        spoil_level = NULL;                                                                        \
        table->DxgkDdiQueryAdapterInfo = query;                                                    \
    }
#define LEVEL(NAME, SPOILING)                                                                      \
    static void NAME(DXGK_PAGE_TABLE_LEVEL_DESC *desc, UINT level) {                               \
        SPOILING;                                                                                  \
    }                                                                                              \
    static void install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        spoil_caps = NULL;                                                                         \
        spoil_level = NAME;                                                                        \
        table->DxgkDdiQueryAdapterInfo = query;                                                    \
    }

CAPS(by_cpu, caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
CAPS(one_level, caps->PageTableLevelCount = 1)
CAPS(more_bits, caps->VirtualAddressBitCount = 45)
CAPS(odd_leaf, caps->LeafPageTableSizeFor64KPagesInBytes = 100)
LEVEL(large_in_system, if (level == 0) desc->PageTableSizeInBytes = 8192)
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

static void install_query_second(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = query_second;
}

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

static void scene_asks_both(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = asks_both;
}

/* Of every allocation of the driver below. */
static NTSTATUS APIENTRY wants_tables(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].FlagsWddm2.DisableLargePageMapping = 1;
    return status;
}

static void scene_wants_tables(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateAllocation = wants_tables;
}

static NTSTATUS APIENTRY overlooks_tables(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].FlagsWddm2.DisableLargePageMapping = 0;
    return status;
}

static void install_overlooks_tables(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateAllocation = overlooks_tables;
}

static SIZE_T APIENTRY root_size(const HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE *args) {
    return mutants_good.DxgkDdiGetRootPageTableSize(adapter, args) + 8;
}

static void install_root_size(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiGetRootPageTableSize = root_size;
}

/* ---- What managers ask for ------------------------------------------------------------------- */

SPOIL(not_initial, first_content, UPDATE->Flags.InitialUpdate = 0)
SPOIL(other_mode, user_pages, {
    UPDATE->UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    UPDATE->PageTableAddress.GpuVirtual = 0;
})
SPOIL(odd_place, user_clear, UPDATE->PageTableAddress.GpuPhysical.SegmentOffset += 8)
SPOIL(nowhere, user_pages, UPDATE->PageTableAddress.GpuVirtual = 0)
SPOIL(one_too_many, first_content, UPDATE->NumPageTableEntries++)
SPOIL(same_page, user_pages_many, UPDATE->pPageTableEntries[1] = ENTRY)
SPOIL(strange_handle, user_pages, UPDATE->hAllocation = (HANDLE)(uintptr_t)0x1000)
SPOIL(other_address, user_clear, UPDATE->FirstPteVirtualAddress += 1)
SPOIL(large_leaf, user_pages, ENTRY.LargePage = 1)
SPOIL(unaligned_large, level_one_content, {
    ENTRY.Valid = ENTRY.LargePage = 1;
    ENTRY.PageAddress = 1;
})
SPOIL(beyond_allocation, large_pages, UPDATE->AllocationOffsetInBytes += UINT64_C(1) << 40)
SPOIL(large_system, large_pages, ENTRY.Segment = 0)
SPOIL(zero_invalid, user_clear, ENTRY.Zero = 1)
SPOIL(read_only, user_pages, ENTRY.ReadOnly = 1)
SPOIL(no_segment, user_local, ENTRY.Segment = 31)
SPOIL(in_bytes, user_local, { ENTRY.PageAddress = 1u << 12; })
SPOIL(reserved_bits, user_clear, ENTRY.Reserved = 1)
SPOIL(protects_links, links, UPDATE->DriverProtection = 1)
SPOIL_ALL(protects_paging, at_once, if (UPDATE->PageTableLevel == 0) UPDATE->DriverProtection = 1)
SPOIL(ends_early, flush, args->FlushTlb.EndVirtualAddress -= 1)
SPOIL(empty_flush, flush,
      args->FlushTlb.EndVirtualAddress = args->FlushTlb.StartVirtualAddress = 4096)
FAIL(no_flush, fault.wants = flush, fault.swallow = fault.always = true)
SPOIL(from_nowhere, transfer, args->TransferVirtual.SourceVirtualAddress = 0)
SPOIL(tables_too, transfer, args->TransferVirtual.SourcePageTable = 4096)
SPOIL(wide_source, transfer, args->TransferVirtual.Flags.Src64KBPages = 1)
SPOIL(to_local, transfer,
      args->TransferVirtual.TransferDirection = DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL)
SPOIL(fills_nothing, fill, args->FillVirtual.DestinationVirtualAddress = 0)
SPOIL(valid_root, root_content, ENTRY.Valid = 1)
SPOIL(system_wide, wide_pages, ENTRY.Segment = 0)
SPOIL(moved_page, user_local, ENTRY.PageAddress ^= 1)
SPOIL(moved_wide, wide_pages, ENTRY.PageAddress += 1)
SPOIL(odd_offset, wide_pages, UPDATE->AllocationOffsetInBytes += 4096)
SPOIL(calls_it_wide, narrow_link, ENTRY.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB)
SPOIL(calls_it_narrow, wide_link, ENTRY.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_4KB)
SPOIL(widens, narrow_pages, {
    UPDATE->Flags.Use64KBPages = 1;
    UPDATE->FirstPteVirtualAddress &= ~UINT64_C(0xffff);
    UPDATE->StartIndex /= 16;
    UPDATE->NumPageTableEntries = 1;
})
SPOIL(size_in_leaf, user_pages, ENTRY.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB)
SPOIL_ALL(second_array, links, UPDATE->pPageTableEntries64KB = UPDATE->pPageTableEntries)
SPOIL(wide_links, links, UPDATE->Flags.Use64KBPages = 1)

/* One more operation. */
static DXGK_BUILDPAGINGBUFFER_COPY_RANGE no_entries;

static void arm(DXGKARG_BUILDPAGINGBUFFER *args, DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    args->Operation = operation;
    memset(&args->Reserved, 0, sizeof(args->Reserved));
}

/* Of no entries, in the table at an address. */
static void copy_at(DXGKARG_BUILDPAGINGBUFFER *args, D3DGPU_VIRTUAL_ADDRESS table) {
    arm(args, DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES);
    args->CopyPageTableEntries.NumRanges = 1;
    args->CopyPageTableEntries.pRanges = &no_entries;
    no_entries = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){.SrcPageTableAddress = table,
                                                     .DstPageTableAddress = table};
}

MORE(copies_entries, user_pages, copy_at(args, 4096))
MORE(copies_nowhere, user_pages, copy_at(args, 0))
MORE(copies_by_gpu, transfer, {
    arm(args, DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES);
    args->CopyPageTableEntries.NumRanges = 0;
})
MORE(notifies, fill, {
    HANDLE allocation = args->FillVirtual.hAllocation;
    arm(args, DXGK_OPERATION_NOTIFY_RESIDENCY);
    args->NotifyResidency.hAllocation = allocation;
})
MORE(no_kind, fill, {
    HANDLE allocation = args->FillVirtual.hAllocation;
    arm(args, DXGK_OPERATION_NOTIFY_ALLOC);
    args->NotifyAllocation.hAllocation = allocation;
})
MORE(notifies_local, fill, {
    HANDLE allocation = args->FillVirtual.hAllocation;
    D3DGPU_VIRTUAL_ADDRESS at = args->FillVirtual.DestinationVirtualAddress;
    arm(args, DXGK_OPERATION_NOTIFY_ALLOC);
    args->NotifyAllocation.hAllocation = allocation;
    args->NotifyAllocation.Flags.Eviction = 1;
    args->NotifyAllocation.GpuVirtualAddressAtOffset = at;
})
MORE(everything, fill, {
    arm(args, DXGK_OPERATION_VIRTUAL_TRANSFER);
    args->TransferVirtual.TransferSizeInBytes = UINT64_C(1) << 40;
})

static bool first_page_table(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && UPDATE->FirstPteVirtualAddress == 0 &&
           UPDATE->Flags.InitialUpdate;
}

MORE(maps_first, first_page_table, {
    UPDATE->Flags.InitialUpdate = 0;
    UPDATE->NumPageTableEntries = 1;
    ENTRY.Valid = 1;
    ENTRY.PageAddress = 1;
})

/* A first mapping with a unique protection; the next one, elsewhere, says it is of the same pages.
 */
static HANDLE unique_allocation;
static uint64_t unique_offset;
static D3DGPU_VIRTUAL_ADDRESS unique_address;

static void share(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!unique_allocation) {
        unique_allocation = UPDATE->hAllocation;
        unique_offset = UPDATE->AllocationOffsetInBytes;
        unique_address = UPDATE->FirstPteVirtualAddress;
        UPDATE->DriverProtection = UNIQUE | 1;
    } else if (UPDATE->FirstPteVirtualAddress != unique_address) {
        UPDATE->hAllocation = unique_allocation;
        UPDATE->AllocationOffsetInBytes = unique_offset;
        UPDATE->DriverProtection = UNIQUE | 2;
    }
}

static void install_share(DRIVER_INITIALIZATION_DATA *table) {
    memset(&fault, 0, sizeof(fault));
    unique_allocation = NULL;
    fault.wants = user_pages;
    fault.spoil = share;
    fault.always = true;
    install_build(table);
}

static void first_unique(DXGKARG_BUILDPAGINGBUFFER *args) {
    UPDATE->DriverProtection = UNIQUE | 1;
}

static void other_protection(DXGKARG_BUILDPAGINGBUFFER *args) {
    UPDATE->DriverProtection = UNIQUE | 2;
}

static void install_two_protections(DRIVER_INITIALIZATION_DATA *table) {
    memset(&fault, 0, sizeof(fault));
    fault.wants = user_pages;
    fault.spoil = first_unique;
    fault.more = other_protection;
    install_build(table);
}

/* Tables of 4 KB pages and of 64 KB pages of the same addresses. */
static DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE narrow_table;

static bool notes_narrow(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (first_content(args) && leaf(args) && !UPDATE->Flags.Use64KBPages && !narrow_table.hProcess)
        narrow_table = *UPDATE;
    return wide_pages(args) && narrow_table.hProcess == UPDATE->hProcess;
}

static void narrow_too(DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE wide = *UPDATE;
    *UPDATE = narrow_table;
    UPDATE->Flags = (DXGK_UPDATEPAGETABLEFLAGS){.Repeat = 1};
    UPDATE->pPageTableEntries = wide.pPageTableEntries;
    UPDATE->pPageTableEntries64KB = NULL;
    UPDATE->FirstPteVirtualAddress = wide.FirstPteVirtualAddress;
    UPDATE->StartIndex = wide.StartIndex * 16;
    UPDATE->NumPageTableEntries = 1;
    UPDATE->hAllocation = NULL;
}

static void install_narrow_too(DRIVER_INITIALIZATION_DATA *table) {
    memset(&fault, 0, sizeof(fault));
    memset(&narrow_table, 0, sizeof(narrow_table));
    fault.wants = notes_narrow;
    fault.more = narrow_too;
    install_build(table);
}

/* Most of the paging process's tables are never filled. */
static UINT filled;

static bool few_tables(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && UPDATE->Flags.InitialUpdate && filled++ > 8;
}

static void install_few_tables(DRIVER_INITIALIZATION_DATA *table) {
    memset(&fault, 0, sizeof(fault));
    filled = 0;
    fault.wants = few_tables;
    fault.swallow = fault.always = true;
    install_build(table);
}

/* The twentieth leaf table of the paging process, which nobody needs soon: its first content, and
 * the entry that leads to it. */
static bool twentieth_filled(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && UPDATE->Flags.InitialUpdate && ++filled == 20;
}

static bool twentieth_linked(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && UPDATE->PageTableLevel == 1 && !UPDATE->Flags.InitialUpdate &&
           ++filled == 20;
}

FAIL(links_unfilled, filled = 0, fault.wants = twentieth_filled, fault.swallow = true)
FAIL(leaves_unlinked, filled = 0, fault.wants = twentieth_linked, fault.swallow = true)

/* The paging process comes to see a paging buffer, or all of a table of 64 KB. */
static bool shows_buffer(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && !UPDATE->Flags.InitialUpdate && ENTRY.Valid &&
           UPDATE->NumPageTableEntries == 16;
}

static bool shows_table(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args->pDmaBuffer &&
           UPDATE->hProcess == paging_process && leaf(args) && ENTRY.Valid &&
           !UPDATE->hAllocation && UPDATE->NumPageTableEntries == 16;
}

SPOIL(buffer_in_part, shows_buffer, UPDATE->NumPageTableEntries = 15)
SPOIL(table_in_part, shows_table, UPDATE->NumPageTableEntries = 15)

/* ---- What managers do besides ---------------------------------------------------------------- */

static VOID APIENTRY other_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE mine = *args;
    mine.Address.SegmentOffset += 4096;
    mutants_good.DxgkDdiSetRootPageTable(adapter, &mine);
}

static void install_other_root(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSetRootPageTable = other_root;
}

static VOID APIENTRY no_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    (void)adapter;
    (void)args;
}

static void install_no_root(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSetRootPageTable = no_root;
}

static VOID APIENTRY asks_size(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_GETROOTPAGETABLESIZE size = {.NumberOfPte = 1};
    mutants_good.DxgkDdiSetRootPageTable(adapter, args);
    (void)mutants_good.DxgkDdiGetRootPageTableSize(adapter, &size);
}

static void install_asks_size(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSetRootPageTable = asks_size;
}

static NTSTATUS APIENTRY paging_nowhere(const HANDLE adapter,
                                        const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    DXGKARG_SUBMITCOMMANDVIRTUAL mine = *args;
    if (args->Flags.Paging)
        mine.DmaBufferVirtualAddress = 0;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, &mine);
}

static void install_paging_nowhere(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommandVirtual = paging_nowhere;
}

/* The driver reports what it wants, and the manager does not hear of it. */
static NTSTATUS APIENTRY says_more(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_below.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_GPUMMUCAPS) {
        DXGK_GPUMMUCAPS *caps = args->pOutputData;
        caps->PageTableUpdateRequireAddressSpaceIdle = 1;
        caps->ExplicitPageTableInvalidation = 1;
    }
    return status;
}

static void scene_says_more(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = says_more;
}

/* Surfaces of whole 64 KB, so that their pages can be. */
static NTSTATUS APIENTRY in_whole(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Size = (args->pAllocationInfo[i].Size + 0xffff) & ~(SIZE_T)0xffff;
    return status;
}

static void scene_whole(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateAllocation = in_whole;
}

/* The first page of an application's is forgotten, and its use a fault. */
static bool forgotten;

static NTSTATUS APIENTRY forgets_page(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    look(args);
    if (!forgotten && user_pages(args)) {
        forgotten = true;
        own_entries(&mine);
        mine.UpdatePageTable.pPageTableEntries[0].Valid = 0;
    }
    NTSTATUS status = mutants_below.DxgkDdiBuildPagingBuffer(adapter, &mine);
    take_room(args, &mine);
    args->MultipassOffset = mine.MultipassOffset;
    return status;
}

static void scene_forgets_page(DRIVER_INITIALIZATION_DATA *table) {
    forgotten = false;
    paging_process = NULL;
    table->DxgkDdiBuildPagingBuffer = forgets_page;
}

/* Work of a device goes on whatever became of it: it comes again when its context goes. */
static DXGKARG_SUBMITCOMMANDVIRTUAL last_work;

static NTSTATUS APIENTRY remember_work(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (!args->Flags.Paging)
        last_work = *args;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static HANDLE the_adapter;

static NTSTATUS APIENTRY create_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    the_adapter = adapter;
    return mutants_good.DxgkDdiCreateProcess(adapter, args);
}

static NTSTATUS APIENTRY works_on(const HANDLE context) {
    if (context == last_work.hContext && the_adapter) {
        last_work.SubmissionFenceId += 1000;
        (void)mutants_good.DxgkDdiSubmitCommandVirtual(the_adapter, &last_work);
    }
    return mutants_good.DxgkDdiDestroyContext(context);
}

static void install_works_on(DRIVER_INITIALIZATION_DATA *table) {
    memset(&last_work, 0, sizeof(last_work));
    the_adapter = NULL;
    table->DxgkDdiSubmitCommandVirtual = remember_work;
    table->DxgkDdiCreateProcess = create_process;
    table->DxgkDdiDestroyContext = works_on;
}

/* Flushes a process's translations while it works. */
static DXGKARG_BUILDPAGINGBUFFER last_flush;

static NTSTATUS APIENTRY remember_flush(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    look(args);
    if (flush(args) && args->FlushTlb.hProcess != paging_process)
        last_flush = *args;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY flushes_meanwhile(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
    if (!args->Flags.Paging && last_flush.FlushTlb.hProcess) {
        last_flush.pDmaBuffer = last_flush.pDmaBufferPrivateData = NULL;
        last_flush.DmaSize = last_flush.DmaBufferPrivateDataSize = 0;
        last_flush.MultipassOffset = last_flush.DmaBufferWriteOffset = 0;
        (void)mutants_good.DxgkDdiBuildPagingBuffer(adapter, &last_flush);
    }
    return status;
}

static NTSTATUS APIENTRY hide_idle(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_GPUMMUCAPS)
        ((DXGK_GPUMMUCAPS *)args->pOutputData)->PageTableUpdateRequireAddressSpaceIdle = 0;
    return status;
}

static void install_not_idle(DRIVER_INITIALIZATION_DATA *table) {
    memset(&last_flush, 0, sizeof(last_flush));
    paging_process = NULL;
    table->DxgkDdiQueryAdapterInfo = hide_idle;
    table->DxgkDdiBuildPagingBuffer = remember_flush;
    table->DxgkDdiSubmitCommandVirtual = flushes_meanwhile;
}

CAPS(not_explicit, caps->ExplicitPageTableInvalidation = 0)

/* Nothing is left in the root of a process, and it is emptied behind the flush that was for that.
 */
static DXGKARG_BUILDPAGINGBUFFER last_of_root;

static bool flush_of_root(const DXGKARG_BUILDPAGINGBUFFER *args) {
    HANDLE process = last_of_root.UpdatePageTable.hProcess;
    return flush(args) && process && args->FlushTlb.hProcess == process;
}

static void empties_root(DXGKARG_BUILDPAGINGBUFFER *args) {
    static DXGK_PTE nothing;
    const DXGKARG_BUILDPAGINGBUFFER behind = *args;
    *args = last_of_root;
    take_room(args, &behind);
    args->DmaBufferWriteOffset = behind.DmaBufferWriteOffset;
    UPDATE->pPageTableEntries = &nothing;
    last_of_root.UpdatePageTable.hProcess = NULL;
}

static NTSTATUS APIENTRY keeps_root(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    bool last = of_user(args) && UPDATE->PageTableLevel == 2 && !UPDATE->Flags.InitialUpdate &&
                UPDATE->NumPageTableEntries == 1 && !ENTRY.Valid;
    if (last)
        last_of_root = *args;
    return last ? STATUS_SUCCESS : build(adapter, args);
}

static void install_late_root(DRIVER_INITIALIZATION_DATA *table) {
    memset(&fault, 0, sizeof(fault));
    memset(&last_of_root, 0, sizeof(last_of_root));
    fault.wants = flush_of_root;
    fault.more = empties_root;
    fault.always = true;
    install_build(table);
    table->DxgkDdiBuildPagingBuffer = keeps_root;
}

/* A manager that flushes everything whenever it flushes. */
static NTSTATUS APIENTRY flushes_all(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    if (flush(args))
        mine.FlushTlb.StartVirtualAddress = mine.FlushTlb.EndVirtualAddress = 0;
    NTSTATUS status = mutants_below.DxgkDdiBuildPagingBuffer(adapter, &mine);
    take_room(args, &mine);
    args->MultipassOffset = mine.MultipassOffset;
    return status;
}

static void scene_flushes_all(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiBuildPagingBuffer = flushes_all;
}

/* A manager that has the first entry of a table copied to its last. */
static DXGK_BUILDPAGINGBUFFER_COPY_RANGE to_the_end;

static NTSTATUS APIENTRY copies_too(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER asked = *args, copy = *args;
    NTSTATUS status = mutants_below.DxgkDdiBuildPagingBuffer(adapter, args);
    look(&asked);
    if (status != STATUS_SUCCESS || to_the_end.NumPageTableEntries != 0 || !user_pages(&asked))
        return status;
    to_the_end = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){
        .NumPageTableEntries = 1,
        .SrcPageTableAddress = asked.UpdatePageTable.PageTableAddress.GpuVirtual,
        .DstPageTableAddress = asked.UpdatePageTable.PageTableAddress.GpuVirtual,
        .SrcStartPteIndex = asked.UpdatePageTable.StartIndex,
        .DstStartPteIndex = 511};
    take_room(&copy, args);
    copy.DmaBufferWriteOffset += asked.DmaSize - args->DmaSize;
    arm(&copy, DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES);
    copy.CopyPageTableEntries.NumRanges = 1;
    copy.CopyPageTableEntries.pRanges = &to_the_end;
    if (mutants_below.DxgkDdiBuildPagingBuffer(adapter, &copy) == STATUS_SUCCESS)
        take_room(args, &copy);
    return status;
}

static void scene_copies_too(DRIVER_INITIALIZATION_DATA *table) {
    memset(&to_the_end, 0, sizeof(to_the_end));
    paging_process = NULL;
    table->DxgkDdiBuildPagingBuffer = copies_too;
}

/* A driver that reserves addresses when a device is created, and a manager that lets it. */
static NTSTATUS APIENTRY start_below(const PVOID context, PDXGK_START_INFO info,
                                     PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    system_calls = *calls;
    return mutants_below.DxgkDdiStartDevice(context, info, calls, sources, children);
}

static NTSTATUS APIENTRY reserves_below(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    reserve(args->hKmdProcess, UINT64_C(1) << 30);
    return mutants_below.DxgkDdiCreateDevice(adapter, args);
}

static void scene_reserves_late(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_below;
    table->DxgkDdiCreateDevice = reserves_below;
}

static NTSTATUS APIENTRY grant(const HANDLE adapter,
                               DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void grants_late(DXGKRNL_INTERFACE *callbacks) {
    callbacks->DxgkCbReserveGpuVirtualAddressRange = grant;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* clang-format off */
#define BREAKER(RULE, SIDE, WHAT, INSTALL, ...)                                                    \
    {.rule = RULE,                                                                                 \
     .side = SIDE,                                                                                 \
     .what = WHAT,                                                                                 \
     .install = install_##INSTALL,                                                                 \
     .stage = "paging",                                                                            \
     __VA_ARGS__}
#define WITH(...) .consequences = {__VA_ARGS__}
#define THREE     .settings = {{"MmuLevels", 3}}
#define NEWEST    .settings = {{"MmuLevels", 3}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2}}
#define TWO       .settings = {{"MmuLevels", 2}}
#define SINGLE    .settings = {{"MmuLevels", 3}, {"MmuPages", 1}}
#define DUAL      .settings = {{"MmuLevels", 3}, {"MmuPages", 2}}
#define BARE      .settings = {{"MmuLevels", 3}, {"MmuFeatures", 0}}
#define LARGE     .settings = {{"MmuLevels", 3}, {"MmuFeatures", 15}}
#define WHOLE                                                                                      \
    .settings = {{"MmuLevels", 3},                                                                 \
                 {"MmuIndexBits", 0x0c0905}, /* large pages of 128 KB */                           \
                 {"MmuFeatures", 15},                                                              \
                 {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}
#define VIRTUAL   .settings = {{"MmuLevels", 3}, {"MmuUpdateMode", 1}}
#define LONG      .settings = {{"MmuLevels", 2}, {"MmuUpdateMode", 1}} /* tables of 64 KB */
#define BY_CPU    .settings = {{"MmuLevels", 3}, {"MmuUpdateMode", 0}}
#define IN_LOCAL  .settings = {{"MmuLevels", 3}, {"MmuTableSegment", 2}}
/* clang-format on */

const struct mutant mutants_virtual[] = {
    BREAKER(210, DRIVER, "reads another member of PageTableAddress", other_member, THREE,
            WITH(215)),
    BREAKER(211, DRIVER, "leaves out the last entry of updates without a DMA buffer", leaves_last,
            THREE),
    BREAKER(212, DRIVER, "reports CPU_VIRTUAL with directories in local memory", by_cpu, IN_LOCAL),
    BREAKER(215, DRIVER, "writes all entries from the start of the table on", ignores_start, THREE),
    BREAKER(215, DRIVER, "sets NoExecute in every page", forbids_code, THREE, WITH(230)),
    BREAKER(217, DRIVER, "refuses updates without an allocation", wants_allocation, THREE,
            WITH(149)),
    BREAKER(221, DRIVER, "has pages read as zero that lead to memory", reads_zero, THREE),
    BREAKER(223, DRIVER, "counts pages of segments from the start of the bus", forgets_base, THREE,
            WITH(380)),
    BREAKER(230, DRIVER, "flushes nothing", drops_flush, THREE),
    BREAKER(232, DRIVER, "flushes nothing where everything is meant", flushes_none, THREE,
            .scene = scene_flushes_all),
    BREAKER(239, DRIVER, "does not copy entries", copies_none, VIRTUAL, WITH(231, 238),
            .scene = scene_copies_too),
    BREAKER(240, DRIVER, "copies nothing", copies_nothing, THREE, WITH(244)),
    BREAKER(244, DRIVER, "copies the first page of a range", first_page, THREE, WITH(240)),
    BREAKER(250, DRIVER, "has a single level", one_level, THREE),
    BREAKER(251, DRIVER, "has fewer index bits than address bits", more_bits, THREE),
    BREAKER(252, DRIVER, "has tables of 8 KB in system memory", large_in_system, THREE),
    BREAKER(253, DRIVER, "has tables that are no whole pages", odd_size, THREE),
    BREAKER(254, DRIVER, "has tables of 64 KB pages of 100 bytes", odd_leaf, SINGLE),
    BREAKER(255, DRIVER, "wants roots that are no whole pages", root_size, TWO),
    BREAKER(378, DRIVER, "reads one of two arrays", half, DUAL),
    BREAKER(259, DRIVER, "reserves addresses when a device is created", reserves_late, THREE),
    BREAKER(260, DRIVER, "reserves a part of what a root entry covers", reserves_little, THREE),
    BREAKER(261, DRIVER, "has more address bits on another adapter of a link", query_second, THREE,
            .scene = scene_asks_both),
    BREAKER(379, DRIVER, "takes tables of 64 KB pages for others", in_narrow_steps, SINGLE),
    BREAKER(380, DRIVER, "blames another process for a page fault", blames_other, THREE, WITH(215)),
    BREAKER(391, DRIVER, "refuses work without private data", wants_private, THREE, WITH(279)),

    BREAKER(172, MANAGER, "shows the paging process a buffer but for its end", buffer_in_part,
            THREE),
    BREAKER(208, MANAGER, "writes to tables that were never filled", not_initial, THREE),
    BREAKER(208, MANAGER, "leads to tables that were never filled", links_unfilled, THREE),
    BREAKER(209, MANAGER, "updates in another mode", other_mode, THREE, WITH(213)),
    BREAKER(210, MANAGER, "passes a place that is no table's", odd_place, THREE),
    BREAKER(213, MANAGER, "passes an address that leads nowhere", nowhere, VIRTUAL),
    BREAKER(213, MANAGER, "passes an address of a table of which it leaves out the end",
            table_in_part, LONG),
    BREAKER(213, MANAGER, "copies entries of a table whose address leads nowhere", copies_nowhere,
            VIRTUAL),
    BREAKER(214, MANAGER, "writes one entry more than there are", one_too_many, THREE, WITH(208)),
    BREAKER(216, MANAGER, "maps one page twice", same_page, THREE),
    BREAKER(217, MANAGER, "passes a handle that is no allocation's", strange_handle, THREE),
    BREAKER(218, MANAGER, "passes an address between pages", other_address, THREE),
    BREAKER(219, MANAGER, "makes large pages of leaf entries", large_leaf, THREE),
    BREAKER(220, MANAGER, "places a large page at 4 KB", unaligned_large, LARGE,
            WITH(208, 441, 442)),
    BREAKER(221, MANAGER, "sets Zero in invalid entries", zero_invalid, THREE),
    BREAKER(222, MANAGER, "sets ReadOnly where there is none", read_only, BARE),
    BREAKER(223, MANAGER, "names a segment that does not exist", no_segment, THREE),
    BREAKER(224, MANAGER, "passes addresses in bytes", in_bytes, THREE),
    BREAKER(225, MANAGER, "sets reserved bits", reserved_bits, THREE),
    BREAKER(226, MANAGER, "protects entries above the leaves", protects_links, THREE),
    BREAKER(227, MANAGER, "protects what it pages", protects_paging, THREE),
    BREAKER(228, MANAGER, "maps pages twice with two unique protections", share, THREE,
            WITH(299, 368)),
    BREAKER(229, MANAGER, "changes a unique protection where it is mapped", two_protections, THREE),
    BREAKER(231, MANAGER, "flushes nothing", no_flush, THREE),
    BREAKER(231, MANAGER, "empties the root of a process behind the last flush", late_root, THREE),
    BREAKER(232, MANAGER, "flushes an empty range", empty_flush, THREE, WITH(231)),
    BREAKER(233, MANAGER, "flushes up to the last byte of a page", ends_early, THREE),
    BREAKER(234, MANAGER, "updates an address space that is in use", not_idle, THREE,
            .scene = scene_says_more),
    BREAKER(235, MANAGER, "frees tables with valid entries", not_explicit, THREE,
            .scene = scene_says_more),
    BREAKER(237, MANAGER, "has contexts run with another root", other_root, THREE),
    BREAKER(238, MANAGER, "copies entries of tables between 64 KB", copies_entries, VIRTUAL,
            WITH(213)),
    BREAKER(240, MANAGER, "transfers from an address that leads nowhere", from_nowhere, THREE),
    BREAKER(241, MANAGER, "passes page tables that nobody asked for", tables_too, THREE),
    BREAKER(242, MANAGER, "says 64 KB pages of a table of 4 KB pages", wide_source, THREE),
    BREAKER(243, MANAGER, "says LOCAL_TO_LOCAL of system memory", to_local, THREE),
    BREAKER(245, MANAGER, "fills an address that leads nowhere", fills_nothing, THREE),
    BREAKER(246, MANAGER, "notifies of any allocation", notifies, THREE, WITH(247)),
    BREAKER(247, MANAGER, "notifies of an eviction that was not", notifies, THREE, WITH(246)),
    BREAKER(248, MANAGER, "notifies of nothing", no_kind, NEWEST),
    BREAKER(249, MANAGER, "notifies of what leaves a memory segment", notifies_local, NEWEST),
    BREAKER(255, MANAGER, "asks for the root's size with three levels", asks_size, THREE),
    BREAKER(256, MANAGER, "sets no roots", no_root, THREE),
    BREAKER(258, MANAGER, "begins with a valid entry 0", valid_root, THREE, WITH(208)),
    {.rule = 259,
     .side = MANAGER,
     .what = "lets a driver reserve addresses for a device",
     .callbacks = grants_late,
     .scene = scene_reserves_late,
     .stage = "paging",
     THREE},
    BREAKER(262, MANAGER, "maps the first page of the paging process", maps_first, THREE),
    BREAKER(263, MANAGER, "pages with few addresses", few_tables, THREE, WITH(208)),
    BREAKER(263, MANAGER, "has tables for paging that nothing leads to", leaves_unlinked, THREE),
    BREAKER(264, MANAGER, "transfers a terabyte at once", everything, THREE, WITH(240)),
    BREAKER(369, MANAGER, "makes 64 KB pages of system memory", system_wide, DUAL, WITH(380),
            .scene = scene_whole),
    BREAKER(370, MANAGER, "places 64 KB allocations at 4 KB", moved_page, SINGLE, WITH(216, 371)),
    BREAKER(371, MANAGER, "places a 64 KB page at 4 KB", moved_wide, DUAL, WITH(370),
            .scene = scene_whole),
    BREAKER(372, MANAGER, "maps parts of 64 KB by 64 KB", odd_offset, DUAL, WITH(370),
            .scene = scene_whole),
    BREAKER(373, MANAGER, "says 64 KB of a table of 4 KB pages", calls_it_wide, SINGLE),
    BREAKER(374, MANAGER, "says 4 KB of a table of 64 KB pages", calls_it_narrow, SINGLE,
            .scene = scene_whole),
    BREAKER(375, MANAGER, "makes a table one of 64 KB pages again", widens, SINGLE,
            WITH(377, 369, 370, 371, 372, 208)),
    BREAKER(376, MANAGER, "sets PageTablePageSize in leaf entries", size_in_leaf, THREE),
    BREAKER(377, MANAGER, "maps a page in both kinds of tables", narrow_too, DUAL,
            .scene = scene_whole),
    BREAKER(378, MANAGER, "passes a second array where there is one kind", second_array, THREE),
    BREAKER(379, MANAGER, "sets Use64KBPages above the leaves", wide_links, SINGLE),
    BREAKER(381, MANAGER, "goes on after a page fault without a reset", works_on, THREE,
            WITH(215, 281, 360, 384), .scene = scene_forgets_page),
    BREAKER(384, MANAGER, "gives work to a device in error", works_on, THREE,
            WITH(215, 281, 360, 381), .scene = scene_forgets_page),
    BREAKER(385, MANAGER, "submits paging buffers at no address", paging_nowhere, THREE),
    BREAKER(440, MANAGER, "overlooks DisableLargePageMapping", overlooks_tables, WHOLE,
            .scene = scene_wants_tables),
    BREAKER(441, MANAGER, "maps large pages beyond the end of the allocation", beyond_allocation,
            WHOLE),
    BREAKER(442, MANAGER, "makes large pages of system memory", large_system, WHOLE),
    BREAKER(388, MANAGER, "has the GPU copy entries that the CPU writes", copies_by_gpu, BY_CPU),
};
const uint32_t mutants_virtual_count = sizeof(mutants_virtual) / sizeof(mutants_virtual[0]);
