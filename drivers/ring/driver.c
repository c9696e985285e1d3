/*
 * driver.c - an example miniport for hardware with registers, a ring and interrupts (ring.h;
 * hardware.c is a model of it). Everything that pages is encoded as commands of the GPU.
 *
 * DxgkDdiBuildPagingBuffer writes commands for as long as they fit. When one does not, it notes in
 * MultipassOffset how many pages are done, returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, and is
 * called again with the same operation and another buffer. Nothing is done by the CPU: what an
 * operation reads is still being written by the one before it when it is built.
 */
#include "../common/skeleton.h"

#include "ring.h"

enum { VRAM = 1, APERTURE = 2, SEGMENTS = 2 };

#define FULL_RING_READS 1000000u

struct adapter {
    struct skeleton base;
    PUCHAR registers;
    PHYSICAL_ADDRESS vram; /* for the CPU */
    SIZE_T vram_bytes;
    struct ring *ring;
    ULONGLONG *table; /* the aperture's page table: the CPU writes it once, when it starts */
    ULONGLONG table_address;
    ULONG submitted; /* fence of the newest submission */
};

/* ---- Registers ------------------------------------------------------------------------------- */

static ULONG read_register(const struct adapter *adapter, ULONG offset) {
    return READ_REGISTER_ULONG((PULONG)(adapter->registers + offset));
}

static VOID write_register(const struct adapter *adapter, ULONG offset, ULONG value) {
    WRITE_REGISTER_ULONG((PULONG)(adapter->registers + offset), value);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Contiguous memory that the device reaches, zeroed. */
static PVOID shared(SIZE_T bytes, ULONGLONG *address) {
    PHYSICAL_ADDRESS highest = {.QuadPart = VRAM_BASE - 1};
    PVOID block = MmAllocateContiguousMemory(bytes, highest);
    if (!block)
        return NULL;
    RtlZeroMemory(block, bytes);
    *address = (ULONGLONG)MmGetPhysicalAddress(block).QuadPart;
    return block;
}

static VOID stop(struct skeleton *base) {
    struct adapter *adapter = (struct adapter *)base;
    if (adapter->registers) {
        write_register(adapter, REG_INT_ENABLE, 0);
        write_register(adapter, REG_RESET, 1);
        MmUnmapIoSpace(adapter->registers, RING_REGISTER_BYTES);
    }
    if (adapter->ring)
        MmFreeContiguousMemory(adapter->ring);
    if (adapter->table)
        MmFreeContiguousMemory(adapter->table);
    adapter->registers = NULL;
    adapter->ring = NULL;
    adapter->table = NULL;
}

static NTSTATUS bring_up(struct adapter *adapter) {
    ULONGLONG ring = 0;
    if (read_register(adapter, REG_ID) != ID_VALUE)
        return STATUS_DEVICE_DOES_NOT_EXIST;
    adapter->ring = shared(sizeof(*adapter->ring), &ring);
    adapter->table = shared(APERTURE_PAGES * sizeof(*adapter->table), &adapter->table_address);
    if (!adapter->ring || !adapter->table)
        return STATUS_NO_MEMORY;
    WRITE_REGISTER_ULONG64((PULONG64)(adapter->registers + REG_RING), ring);
    WRITE_REGISTER_ULONG64((PULONG64)(adapter->registers + REG_TABLE), adapter->table_address);
    write_register(adapter, REG_RESET, 1);
    write_register(adapter, REG_INT_ENABLE, 1);
    return STATUS_SUCCESS;
}

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct adapter *adapter = (struct adapter *)base;
    PHYSICAL_ADDRESS registers;
    SIZE_T bytes;
    if (!skeleton_resource(info, 0, &registers, &bytes) || bytes < RING_REGISTER_BYTES ||
        !skeleton_resource(info, 1, &adapter->vram, &adapter->vram_bytes))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    adapter->registers = MmMapIoSpace(registers, RING_REGISTER_BYTES, MmNonCached);
    if (!adapter->registers)
        return STATUS_NO_MEMORY;
    NTSTATUS status = bring_up(adapter);
    if (!NT_SUCCESS(status))
        stop(base);
    return status;
}

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    const struct adapter *adapter = (const struct adapter *)base;
    const DXGK_SEGMENTDESCRIPTOR3 segment[SEGMENTS] = {
        [VRAM - 1] = skeleton_vram3(VRAM_BASE, adapter->vram, adapter->vram_bytes),
        [APERTURE - 1] = skeleton_aperture3(APERTURE_BASE, APERTURE_BYTES),
    };
    /* Room for 102 commands: a page list that is scattered enough takes several buffers. */
    return skeleton_segments3(args, segment, SEGMENTS, PAGE_SIZE);
}

/* ---- Writing commands ------------------------------------------------------------------------ */

/* Appends a command to the paging buffer, or leaves it as it is and returns FALSE. */
static BOOLEAN put(DXGKARG_BUILDPAGINGBUFFER *args, UINT opcode, ULONGLONG destination,
                   ULONGLONG bytes, ULONGLONG source, ULONGLONG step) {
    const struct command command = {opcode, 0, destination, bytes, source, step};
    if (!args->pDmaBuffer || args->DmaSize < sizeof(command))
        return FALSE;
    RtlCopyMemory(args->pDmaBuffer, &command, sizeof(command));
    args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + sizeof(command);
    args->DmaSize -= (UINT)sizeof(command);
    return TRUE;
}

static NTSTATUS whole(BOOLEAN written) {
    return written ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* How many of `pages` page numbers follow each other in memory. */
static SIZE_T run_of(const PFN_NUMBER *page, SIZE_T pages) {
    SIZE_T length = 1;
    while (length < pages && page[length] == page[0] + length)
        length++;
    return length;
}

/* Between a segment and the pages of an MDL: a copy for each run of pages. */
static NTSTATUS transfer_pages(DXGKARG_BUILDPAGINGBUFFER *args, PMDL mdl, LARGE_INTEGER address,
                               BOOLEAN to_segment) {
    SIZE_T size = args->Transfer.TransferSize, pages = BYTES_TO_PAGES(size);
    const PFN_NUMBER *page = MmGetMdlPfnArray(mdl) + args->Transfer.MdlOffset;
    ULONGLONG segment = (ULONGLONG)address.QuadPart + args->Transfer.TransferOffset;
    while (args->MultipassOffset < pages) {
        SIZE_T done = args->MultipassOffset, run = run_of(page + done, pages - done);
        SIZE_T left = size - done * PAGE_SIZE;
        SIZE_T bytes = run * PAGE_SIZE < left ? run * PAGE_SIZE : left;
        ULONGLONG system = (ULONGLONG)page[done] * PAGE_SIZE, place = segment + done * PAGE_SIZE;
        if (!put(args, OPCODE_COPY, to_segment ? place : system, bytes, to_segment ? system : place,
                 0))
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        args->MultipassOffset += (UINT)run;
    }
    return STATUS_SUCCESS;
}

/* A size of 0 means that the content is lost, for example after a reset. */
static NTSTATUS transfer(DXGKARG_BUILDPAGINGBUFFER *args) {
    ULONGLONG offset = args->Transfer.TransferOffset;
    if (args->Transfer.TransferSize == 0)
        return STATUS_SUCCESS;
    if (args->Transfer.Source.SegmentId == 0)
        return transfer_pages(args, args->Transfer.Source.pMdl,
                              args->Transfer.Destination.SegmentAddress, TRUE);
    if (args->Transfer.Destination.SegmentId == 0)
        return transfer_pages(args, args->Transfer.Destination.pMdl,
                              args->Transfer.Source.SegmentAddress, FALSE);
    return whole(put(args, OPCODE_COPY,
                     (ULONGLONG)args->Transfer.Destination.SegmentAddress.QuadPart + offset,
                     args->Transfer.TransferSize,
                     (ULONGLONG)args->Transfer.Source.SegmentAddress.QuadPart + offset, 0));
}

/* Sizes of fills are whole pages; the pattern has half the bits of the hardware's. */
static NTSTATUS fill(DXGKARG_BUILDPAGINGBUFFER *args) {
    ULONGLONG pattern = args->Fill.FillPattern;
    if (args->Fill.FillSize == 0)
        return STATUS_SUCCESS;
    return whole(put(args, OPCODE_FILL, (ULONGLONG)args->Fill.Destination.SegmentAddress.QuadPart,
                     args->Fill.FillSize, pattern | pattern << 32, 0));
}

static ULONGLONG entry_address(const struct adapter *adapter, SIZE_T page) {
    return adapter->table_address + page * sizeof(*adapter->table);
}

/* A fill for each run of pages. */
static NTSTATUS map(const struct adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    SIZE_T pages = args->MapApertureSegment.NumberOfPages;
    const PFN_NUMBER *page =
        MmGetMdlPfnArray(args->MapApertureSegment.pMdl) + args->MapApertureSegment.MdlOffset;
    while (args->MultipassOffset < pages) {
        SIZE_T done = args->MultipassOffset, run = run_of(page + done, pages - done);
        if (!put(args, OPCODE_FILL,
                 entry_address(adapter, args->MapApertureSegment.OffsetInPages + done),
                 run * sizeof(*adapter->table), (ULONGLONG)page[done] * PAGE_SIZE | ENTRY_VALID,
                 PAGE_SIZE))
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        args->MultipassOffset += (UINT)run;
    }
    return STATUS_SUCCESS;
}

/* The range goes on being accessible, as the dummy page. */
static NTSTATUS unmap(const struct adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    SIZE_T pages = args->UnmapApertureSegment.NumberOfPages;
    if (pages == 0)
        return STATUS_SUCCESS;
    return whole(put(args, OPCODE_FILL,
                     entry_address(adapter, args->UnmapApertureSegment.OffsetInPages),
                     pages * sizeof(*adapter->table),
                     (ULONGLONG)args->UnmapApertureSegment.DummyPage.QuadPart | ENTRY_VALID, 0));
}

/* The others are notices that this hardware, which keeps no state of an allocation, needs not. */
static DXGKDDI_BUILDPAGINGBUFFER build_paging_buffer;
static NTSTATUS APIENTRY build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return transfer(args);
    case DXGK_OPERATION_FILL:
        return fill(args);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return map(handle, args);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return unmap(handle, args);
    default:
        return STATUS_SUCCESS;
    }
}

/* ---- Submission ------------------------------------------------------------------------------ */

/*
 * SubmitCommand and PreemptCommand never run at the same time, so the tail needs no lock. An entry
 * without room is lost: its fence never completes, and a TDR recovers from that.
 */
static VOID submit(const struct adapter *adapter, const struct ring_entry *entry) {
    ULONG tail = read_register(adapter, REG_TAIL), next = (tail + 1) % RING_ENTRIES;
    for (ULONG i = 0; read_register(adapter, REG_HEAD) == next; i++)
        if (i == FULL_RING_READS)
            return;
    adapter->ring->entry[tail] = *entry;
    KeMemoryBarrier();
    write_register(adapter, REG_TAIL, next);
}

static DXGKDDI_SUBMITCOMMAND submit_command;
static NTSTATUS APIENTRY submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    const struct ring_entry entry = {
        .address = (ULONGLONG)args->DmaBufferPhysicalAddress.QuadPart +
                   args->DmaBufferSubmissionStartOffset,
        .bytes = args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset,
        .fence = args->SubmissionFenceId,
        .kind = ENTRY_EXECUTE,
    };
    ((struct adapter *)handle)->submitted = args->SubmissionFenceId;
    submit(handle, &entry);
    return STATUS_SUCCESS;
}

/* After all queued work: buffers are too short to be worth preempting. */
static DXGKDDI_PREEMPTCOMMAND preempt_command;
static NTSTATUS APIENTRY preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *args) {
    const struct ring_entry entry = {.fence = args->PreemptionFenceId, .kind = ENTRY_PREEMPT};
    submit(handle, &entry);
    return STATUS_SUCCESS;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static VOID report(const struct adapter *adapter, ULONG events) {
    const DXGKRNL_INTERFACE *dxgk = &adapter->base.dxgk;
    const struct ring *ring = adapter->ring;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA completed = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    DXGKARGCB_NOTIFY_INTERRUPT_DATA faulted = {.InterruptType = DXGK_INTERRUPT_DMA_FAULTED};
    DXGKARGCB_NOTIFY_INTERRUPT_DATA preempted = {.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED};
    completed.DmaCompleted.SubmissionFenceId = ring->completed;
    faulted.DmaFaulted.FaultedFenceId = ring->faulted;
    faulted.DmaFaulted.Status = STATUS_ILLEGAL_INSTRUCTION;
    preempted.DmaPreempted.PreemptionFenceId = ring->preempted;
    preempted.DmaPreempted.LastCompletedFenceId = ring->completed;
    if (events & EVENT_COMPLETED)
        dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &completed);
    if (events & EVENT_FAULTED)
        dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &faulted);
    if (events & EVENT_PREEMPTED)
        dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &preempted);
}

/* Acknowledges before it reads the fences: what completes in between raises an event of its own. */
static KSYNCHRONIZE_ROUTINE serve;
static BOOLEAN NTAPI serve(PVOID context) {
    const struct adapter *adapter = context;
    ULONG events = read_register(adapter, REG_EVENTS);
    if (events == 0)
        return FALSE;
    write_register(adapter, REG_EVENTS, events);
    report(adapter, events);
    adapter->base.dxgk.DxgkCbQueueDpc(adapter->base.dxgk.DeviceHandle);
    return TRUE;
}

static DXGKDDI_INTERRUPT_ROUTINE interrupt_routine;
static BOOLEAN APIENTRY interrupt_routine(const PVOID context, ULONG message) {
    const struct adapter *adapter = context;
    UNREFERENCED_PARAMETER(message);
    return adapter->registers && serve(context);
}

/* The interrupt may be lost: what it would have reported is reported first. */
static DXGKDDI_QUERYCURRENTFENCE query_current_fence;
static NTSTATUS APIENTRY query_current_fence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *args) {
    const struct adapter *adapter = handle;
    BOOLEAN served;
    NTSTATUS status = adapter->base.dxgk.DxgkCbSynchronizeExecution(adapter->base.dxgk.DeviceHandle,
                                                                    serve, handle, 0, &served);
    args->CurrentFence = adapter->ring->completed;
    return status;
}

static DXGKDDI_DPC_ROUTINE dpc_routine;
static VOID APIENTRY dpc_routine(const PVOID context) {
    const struct adapter *adapter = context;
    adapter->base.dxgk.DxgkCbNotifyDpc(adapter->base.dxgk.DeviceHandle);
}

/* ---- Recovery -------------------------------------------------------------------------------- */

/* What it ends counts as completed (tdr-changes-in-windows-8.md). */
static DXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
static NTSTATUS APIENTRY reset_from_timeout(const HANDLE handle) {
    const struct adapter *adapter = handle;
    write_register(handle, REG_INT_ENABLE, 0);
    write_register(handle, REG_RESET, 1);
    adapter->ring->completed = adapter->submitted;
    return STATUS_SUCCESS;
}

static DXGKDDI_RESTARTFROMTIMEOUT restart_from_timeout;
static NTSTATUS APIENTRY restart_from_timeout(const HANDLE handle) {
    write_register(handle, REG_INT_ENABLE, 1);
    return STATUS_SUCCESS;
}

/* ---- Entry ----------------------------------------------------------------------------------- */

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    .wddm = DXGKDDI_WDDMv1_3,
    .adapter_bytes = sizeof(struct adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = VRAM,
    .alternate = APERTURE,
    .start = start,
    .stop = stop,
    .segments = segments,
};

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    DRIVER_INITIALIZATION_DATA table = {0};
    skeleton_table(&table);
    table.DxgkDdiInterruptRoutine = interrupt_routine;
    table.DxgkDdiDpcRoutine = dpc_routine;
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    table.DxgkDdiSubmitCommand = submit_command;
    table.DxgkDdiPreemptCommand = preempt_command;
    table.DxgkDdiQueryCurrentFence = query_current_fence;
    table.DxgkDdiResetFromTimeout = reset_from_timeout;
    table.DxgkDdiRestartFromTimeout = restart_from_timeout;
    return DxgkInitialize(driver, registry_path, &table);
}
