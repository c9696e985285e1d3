/*
 * break_virtual_manager.c - managers that get GPU virtual addresses wrong but for the page tables,
 * which are break_page_tables.c's: flushes, operations that move by address, notifications, roots,
 * and work of devices in error.
 */
#include "virtual_fault.h"

/* ---- Which operation ------------------------------------------------------------------------- */

static bool fill(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_FILL;
}

static bool evicts(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return transfer(args) &&
           args->TransferVirtual.TransferDirection == DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
}

#define DEMANDS_TABLE 4u /* MmuDemands: SourcePageTableVaInTransfer */

/* ---- What managers ask for ------------------------------------------------------------------- */

SPOIL(ends_early, flush, args->FlushTlb.EndVirtualAddress -= 1)
SPOIL(empty_flush, flush,
      args->FlushTlb.EndVirtualAddress = args->FlushTlb.StartVirtualAddress = 4096)
SWALLOW_ALL(no_flush, flush)
SPOIL(from_nowhere, transfer, args->TransferVirtual.SourceVirtualAddress = 0)
SPOIL(no_source_table, evicts, args->TransferVirtual.SourcePageTable = 0)
SPOIL(wide_source, transfer, args->TransferVirtual.Flags.Src64KBPages = 1)
SPOIL(to_local, transfer,
      args->TransferVirtual.TransferDirection = DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL)
SPOIL(fills_nothing, fill, args->FillVirtual.DestinationVirtualAddress = 0)

/* One more operation. */
MORE(copies_by_gpu, transfer, {
    virtual_arm(args, DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES);
    args->CopyPageTableEntries.NumRanges = 0;
})
MORE(notifies, fill, {
    HANDLE allocation = args->FillVirtual.hAllocation;
    virtual_arm(args, DXGK_OPERATION_NOTIFY_RESIDENCY);
    args->NotifyResidency.hAllocation = allocation;
})
MORE(no_kind, fill, {
    HANDLE allocation = args->FillVirtual.hAllocation;
    virtual_arm(args, DXGK_OPERATION_NOTIFY_ALLOC);
    args->NotifyAllocation.hAllocation = allocation;
})
MORE(notifies_local, fill, {
    HANDLE allocation = args->FillVirtual.hAllocation;
    D3DGPU_VIRTUAL_ADDRESS at = args->FillVirtual.DestinationVirtualAddress;
    virtual_arm(args, DXGK_OPERATION_NOTIFY_ALLOC);
    args->NotifyAllocation.hAllocation = allocation;
    args->NotifyAllocation.Flags.Eviction = 1;
    args->NotifyAllocation.GpuVirtualAddressAtOffset = at;
})
MORE(everything, fill, {
    virtual_arm(args, DXGK_OPERATION_VIRTUAL_TRANSFER);
    args->TransferVirtual.TransferSizeInBytes = UINT64_C(1) << 40;
})

/* ---- What managers do besides ---------------------------------------------------------------- */

static VOID APIENTRY other_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE mine = *args;
    mine.Address.SegmentOffset += 4096;
    mutants_good.DxgkDdiSetRootPageTable(adapter, &mine);
}
REPLACE(DxgkDdiSetRootPageTable, other_root)

static VOID APIENTRY no_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    (void)adapter;
    (void)args;
}
REPLACE(DxgkDdiSetRootPageTable, no_root)

static VOID APIENTRY asks_size(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_GETROOTPAGETABLESIZE size = {.NumberOfPte = 1};
    mutants_good.DxgkDdiSetRootPageTable(adapter, args);
    (void)mutants_good.DxgkDdiGetRootPageTableSize(adapter, &size);
}
REPLACE(DxgkDdiSetRootPageTable, asks_size)

static NTSTATUS APIENTRY paging_nowhere(const HANDLE adapter,
                                        const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    DXGKARG_SUBMITCOMMANDVIRTUAL mine = *args;
    if (args->Flags.Paging)
        mine.DmaBufferVirtualAddress = 0;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommandVirtual, paging_nowhere)

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
REPLACE_BELOW(DxgkDdiQueryAdapterInfo, says_more)

/* The first page of an application's is forgotten, and its use a fault. */
static bool forgotten;

static NTSTATUS APIENTRY forgets_page(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    virtual_look(args);
    if (!forgotten && user_pages(args)) {
        forgotten = true;
        virtual_own_entries(&mine);
        mine.UpdatePageTable.pPageTableEntries[0].Valid = 0;
    }
    NTSTATUS status = mutants_below.DxgkDdiBuildPagingBuffer(adapter, &mine);
    virtual_take_room(args, &mine);
    args->MultipassOffset = mine.MultipassOffset;
    return status;
}

static void APIENTRY scene_forgets_page(DRIVER_INITIALIZATION_DATA *table) {
    forgotten = false;
    virtual_paging_process = NULL;
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

static void APIENTRY install_works_on(DRIVER_INITIALIZATION_DATA *table) {
    memset(&last_work, 0, sizeof(last_work));
    the_adapter = NULL;
    table->DxgkDdiSubmitCommandVirtual = remember_work;
    table->DxgkDdiCreateProcess = create_process;
    table->DxgkDdiDestroyContext = works_on;
}

/* Flushes a process's translations while it works. */
static DXGKARG_BUILDPAGINGBUFFER last_flush;

static NTSTATUS APIENTRY remember_flush(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    virtual_look(args);
    if (flush(args) && args->FlushTlb.hProcess != virtual_paging_process)
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

static void APIENTRY install_not_idle(DRIVER_INITIALIZATION_DATA *table) {
    memset(&last_flush, 0, sizeof(last_flush));
    virtual_paging_process = NULL;
    table->DxgkDdiQueryAdapterInfo = hide_idle;
    table->DxgkDdiBuildPagingBuffer = remember_flush;
    table->DxgkDdiSubmitCommandVirtual = flushes_meanwhile;
}

static NTSTATUS APIENTRY not_explicit(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_GPUMMUCAPS)
        ((DXGK_GPUMMUCAPS *)args->pOutputData)->ExplicitPageTableInvalidation = 0;
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, not_explicit)

/* Nothing is left in the root of a process, and it is emptied behind the flush that was for that.
 */
static DXGKARG_BUILDPAGINGBUFFER last_of_root;

static bool flush_of_root(const DXGKARG_BUILDPAGINGBUFFER *args) {
    HANDLE process = last_of_root.UpdatePageTable.hProcess;
    return flush(args) && process && args->FlushTlb.hProcess == process;
}

static void APIENTRY empties_root(DXGKARG_BUILDPAGINGBUFFER *args) {
    static DXGK_PTE nothing;
    const DXGKARG_BUILDPAGINGBUFFER behind = *args;
    *args = last_of_root;
    virtual_take_room(args, &behind);
    args->DmaBufferWriteOffset = behind.DmaBufferWriteOffset;
    UPDATE->pPageTableEntries = &nothing;
    last_of_root.UpdatePageTable.hProcess = NULL;
}

static NTSTATUS APIENTRY keeps_root(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    bool last = of_user(args) && UPDATE->PageTableLevel == 2 && !UPDATE->Flags.InitialUpdate &&
                UPDATE->NumPageTableEntries == 1 && !ENTRY.Valid;
    if (last)
        last_of_root = *args;
    return last ? STATUS_SUCCESS : virtual_fault_build(adapter, args);
}

static void APIENTRY install_late_root(DRIVER_INITIALIZATION_DATA *table) {
    memset(&virtual_fault, 0, sizeof(virtual_fault));
    memset(&last_of_root, 0, sizeof(last_of_root));
    virtual_fault.wants = flush_of_root;
    virtual_fault.more = empties_root;
    virtual_fault.always = true;
    virtual_fault_install(table);
    table->DxgkDdiBuildPagingBuffer = keeps_root;
}

/* A driver that reserves addresses when a device is created, and a manager that lets it. */
static NTSTATUS APIENTRY start_below(const PVOID context, PDXGK_START_INFO info,
                                     PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    virtual_system = *calls;
    return mutants_below.DxgkDdiStartDevice(context, info, calls, sources, children);
}

static NTSTATUS APIENTRY reserves_below(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    virtual_reserve(args->hKmdProcess, UINT64_C(1) << 30);
    return mutants_below.DxgkDdiCreateDevice(adapter, args);
}

static void APIENTRY scene_reserves_late(DRIVER_INITIALIZATION_DATA *table) {
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

const struct mutant mutants_virtual_manager[] = {
    BREAKER(231, MANAGER, "flushes nothing", no_flush, THREE),
    BREAKER(231, MANAGER, "empties the root of a process behind the last flush", late_root, THREE),
    BREAKER(232, MANAGER, "flushes an empty range", empty_flush, THREE, WITH(231)),
    BREAKER(233, MANAGER, "flushes up to the last byte of a page", ends_early, THREE),
    BREAKER(234, MANAGER, "updates an address space that is in use", not_idle, THREE,
            .scene = scene_says_more),
    BREAKER(235, MANAGER, "frees tables with valid entries", not_explicit, THREE,
            .scene = scene_says_more),
    BREAKER(237, MANAGER, "has contexts run with another root", other_root, THREE),
    BREAKER(240, MANAGER, "transfers from an address that leads nowhere", from_nowhere, THREE),
    BREAKER(241, MANAGER, "leaves out the source's table in an eviction", no_source_table,
            .settings = {{"MmuLevels", 3}, {"MmuDemands", DEMANDS_TABLE}}),
    BREAKER(242, MANAGER, "says 64 KB pages of a table of 4 KB pages", wide_source, THREE),
    BREAKER(243, MANAGER, "says LOCAL_TO_LOCAL of system memory", to_local, THREE),
    BREAKER(245, MANAGER, "fills an address that leads nowhere", fills_nothing, THREE),
    BREAKER(246, MANAGER, "notifies of any allocation", notifies, THREE, WITH(247)),
    BREAKER(247, MANAGER, "notifies of an eviction that was not", notifies, THREE, WITH(246)),
    BREAKER(248, MANAGER, "notifies of nothing", no_kind, NEWEST),
    BREAKER(249, MANAGER, "notifies of what leaves a memory segment", notifies_local, NEWEST),
    BREAKER(255, MANAGER, "asks for the root's size with three levels", asks_size, THREE),
    BREAKER(256, MANAGER, "sets no roots", no_root, THREE),
    {.rule = 259,
     .side = MANAGER,
     .what = "lets a driver reserve addresses for a device",
     .callbacks = grants_late,
     .scene = scene_reserves_late,
     .stage = "paging",
     THREE},
    BREAKER(264, MANAGER, "transfers a terabyte at once", everything, THREE, WITH(240)),
    BREAKER(381, MANAGER, "goes on after a page fault without a reset", works_on, THREE,
            WITH(215, 281, 360, 384, 211, 210), .scene = scene_forgets_page),
    BREAKER(384, MANAGER, "gives work to a device in error", works_on, THREE,
            WITH(215, 281, 360, 381, 211, 210), .scene = scene_forgets_page),
    BREAKER(385, MANAGER, "submits paging buffers at no address", paging_nowhere, THREE),
    BREAKER(388, MANAGER, "has the GPU copy entries that the CPU writes", copies_by_gpu, BY_CPU),
};
const uint32_t mutants_virtual_manager_count =
    sizeof(mutants_virtual_manager) / sizeof(mutants_virtual_manager[0]);
