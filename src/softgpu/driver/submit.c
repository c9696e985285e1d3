/*
 * submit.c - submission, completion and resets of the adapter: the scheduler's side of the
 * driver. What concerns single engines is in engine.c.
 *
 * SubmitCommand, Patch and PreemptCommand never run at the same time as each other, so an engine's
 * submission registers need no lock. An interrupt may report several completed submissions at once:
 * fences complete in order on an engine, and the newest stands for all. What concerns GPU virtual
 * addresses alone is in submit_virtual.c.
 */
#include "driver/kmd.h"

void kmd_interrupts(const struct kmd_adapter *adapter, bool enable) {
    kmd_write(adapter, GPU_REG_INT_ENABLE, enable ? 1 : 0);
}

/* Before WIN8 the argument names no node. */
static UINT node_of(const struct kmd_adapter *adapter, const DXGKARG_SUBMITCOMMAND *args) {
    const struct kmd_context *context;
    UINT node;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        node = args->NodeOrdinal;
    else if ((context = kmd_context_of(args->hContext)))
        node = context->node;
    else
        node = args->Flags.Paging ? adapter->nodes - 1 : 0;
    return node < adapter->nodes ? node : 0;
}

static void note_private(struct kmd_adapter *adapter, const DXGKARG_SUBMITCOMMAND *args) {
    UINT end = args->DmaBufferPrivateDataSubmissionEndOffset;
    UINT start = args->DmaBufferPrivateDataSubmissionStartOffset;
    if (!args->Flags.Paging || !args->pDmaBufferPrivateData || end < start ||
        end - start < sizeof(adapter->last_paging) || end > args->DmaBufferPrivateDataSize)
        return;
    RtlCopyMemory(&adapter->last_paging,
                  (const UCHAR *)args->pDmaBufferPrivateData + end - sizeof(adapter->last_paging),
                  sizeof(adapter->last_paging));
}

/* GPU addresses below 1 TiB are bus addresses, so segment 0 needs no case of its own. */
NTSTATUS APIENTRY kmd_submit_command(const HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND *args) {
    struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    if (!adapter)
        return STATUS_INVALID_PARAMETER;
    ULONG engine = GPU_ENGINE(node_of(adapter, args));
    ULONGLONG start = (ULONGLONG)args->DmaBufferPhysicalAddress.QuadPart;
    note_private(adapter, args);
    kmd_write64(adapter, engine + GPU_ENGINE_ADDRESS, start + args->DmaBufferSubmissionStartOffset);
    kmd_write(adapter, engine + GPU_ENGINE_SIZE,
              args->Flags.NullRendering
                  ? 0
                  : args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset);
    kmd_write(adapter, engine + GPU_ENGINE_FENCE, args->SubmissionFenceId);
    kmd_note_submitted(adapter, engine, args->SubmissionFenceId);
    kmd_write(adapter, engine + GPU_ENGINE_DOORBELL,
              args->Flags.Paging ? GPU_DOORBELL_PAGING : GPU_DOORBELL_RENDER);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_preempt_command(const HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND *args) {
    const struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    if (adapter && args->NodeOrdinal < adapter->nodes)
        kmd_write(adapter, GPU_ENGINE(args->NodeOrdinal) + GPU_ENGINE_PREEMPT,
                  args->PreemptionFenceId);
    return STATUS_SUCCESS;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static void report_completed(struct kmd_adapter *adapter, UINT node) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId =
        kmd_read(adapter, GPU_ENGINE(node) + GPU_ENGINE_COMPLETED);
    data.DmaCompleted.NodeOrdinal = node;
    data.DmaCompleted.EngineOrdinal = adapter->physical;
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &data);
}

static void report_preempted(struct kmd_adapter *adapter, UINT node) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};
    data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    data.DmaPreempted.PreemptionFenceId =
        kmd_read(adapter, GPU_ENGINE(node) + GPU_ENGINE_PREEMPTED);
    data.DmaPreempted.LastCompletedFenceId = kmd_last_completed(adapter, node);
    data.DmaPreempted.NodeOrdinal = node;
    data.DmaPreempted.EngineOrdinal = adapter->physical;
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &data);
}

static void report_faulted(struct kmd_adapter *adapter, UINT node) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};
    ULONG engine = GPU_ENGINE(node);
    if (GPU_FAULT_IS_PAGE(kmd_read(adapter, engine + GPU_ENGINE_FAULT))) {
        kmd_report_page_fault(adapter, node);
        return;
    }
    data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    data.DmaFaulted.FaultedFenceId = kmd_read(adapter, engine + GPU_ENGINE_FAULTED);
    data.DmaFaulted.Status = kmd_read(adapter, engine + GPU_ENGINE_FAULT) == GPU_FAULT_COMMAND
                                 ? STATUS_ILLEGAL_INSTRUCTION
                                 : STATUS_ACCESS_VIOLATION;
    data.DmaFaulted.NodeOrdinal = node;
    data.DmaFaulted.EngineOrdinal = adapter->physical;
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &data);
}

/* Acknowledging before reading the fences: one that completes in between raises its own
 * interrupt. */
static void submit_serve(struct kmd_adapter *adapter, UINT node) {
    ULONG events = kmd_read(adapter, GPU_ENGINE(node) + GPU_ENGINE_EVENTS);
    kmd_write(adapter, GPU_ENGINE(node) + GPU_ENGINE_EVENTS, events);
    if (events & GPU_EVENT_COMPLETED)
        report_completed(adapter, node);
    if (events & GPU_EVENT_FAULTED)
        report_faulted(adapter, node);
    if (events & GPU_EVENT_PREEMPTED)
        report_preempted(adapter, node);
    if (events & GPU_EVENT_SIGNALED)
        kmd_report_signaled(adapter, node);
}

/* Whatever the hardware has to report, at the device's IRQL; FALSE: it has nothing. */
static KSYNCHRONIZE_ROUTINE submit_serve_all;
static BOOLEAN NTAPI submit_serve_all(PVOID context) {
    struct kmd_adapter *adapter = context;
    ULONG status = kmd_read(adapter, GPU_REG_INT_STATUS);
    if (status == 0)
        return FALSE;
    for (UINT node = 0; node < adapter->nodes; node++)
        if (status >> node & 1u)
            submit_serve(adapter, node);
    if (status & GPU_INT_VSYNC)
        kmd_report_vsync(adapter);
    adapter->dxgk.DxgkCbQueueDpc(adapter->dxgk.DeviceHandle);
    return TRUE;
}

BOOLEAN APIENTRY kmd_interrupt_routine(const PVOID MiniportDeviceContext, ULONG MessageNumber) {
    const struct kmd_adapter *adapter = MiniportDeviceContext;
    UNREFERENCED_PARAMETER(MessageNumber);
    return adapter->registers && submit_serve_all(MiniportDeviceContext);
}

/* The interrupt may be lost: what it would have reported is reported first. */
NTSTATUS APIENTRY kmd_query_current_fence(const HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE *args) {
    struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    BOOLEAN served;
    if (!adapter || args->NodeOrdinal >= adapter->nodes)
        return STATUS_INVALID_PARAMETER;
    NTSTATUS status = adapter->dxgk.DxgkCbSynchronizeExecution(
        adapter->dxgk.DeviceHandle, submit_serve_all, adapter, 0, &served);
    args->CurrentFence = kmd_last_completed(adapter, args->NodeOrdinal);
    return status;
}

VOID APIENTRY kmd_dpc_routine(const PVOID MiniportDeviceContext) {
    const struct kmd_adapter *adapter = MiniportDeviceContext;
    adapter->dxgk.DxgkCbNotifyDpc(adapter->dxgk.DeviceHandle);
}

/* ---- Recovery -------------------------------------------------------------------------------- */

/* Before any of its peers loses its memory, which its engines may be using. */
static void submit_quiet(const struct kmd_adapter *adapter) {
    kmd_interrupts(adapter, false);
    for (UINT node = 0; node < adapter->nodes && kmd_linked(adapter); node++)
        kmd_write(adapter, GPU_ENGINE(node) + GPU_ENGINE_STATE, 1);
}

static void board_reset(struct kmd_adapter *adapter) {
    kmd_write(adapter, GPU_REG_RESET, 1);
    kmd_settle_all(adapter);
    if (kmd_mmu_on(adapter))
        kmd_mmu_flush(adapter, GPU_FLUSH_ALL, 0, 0, 0);
}

/* Stops everything on all boards; VRAM loses its content, apertures keep their pages. */
NTSTATUS APIENTRY kmd_reset_from_timeout(const HANDLE hAdapter) {
    for (UINT i = 0; kmd_board(hAdapter, i); i++)
        submit_quiet(kmd_board(hAdapter, i));
    for (UINT i = 0; kmd_board(hAdapter, i); i++)
        board_reset(kmd_board(hAdapter, i));
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_restart_from_timeout(const HANDLE hAdapter) {
    for (UINT i = 0; kmd_board(hAdapter, i); i++)
        kmd_interrupts(kmd_board(hAdapter, i), true);
    return STATUS_SUCCESS;
}

struct debug_engine {
    ULONG completed, faulted, fault, queued, command;
};

NTSTATUS APIENTRY kmd_collect_dbg_info(const HANDLE hAdapter, const DXGKARG_COLLECTDBGINFO *args) {
    const struct kmd_adapter *adapter = hAdapter;
    struct {
        struct kmd_paging_record last_paging;
        struct debug_engine engine[GPU_ENGINES];
    } report = {.last_paging = adapter->last_paging};
    for (UINT node = 0; node < adapter->nodes; node++) {
        ULONG engine = GPU_ENGINE(node);
        report.engine[node] = (struct debug_engine){
            kmd_read(adapter, engine + GPU_ENGINE_COMPLETED),
            kmd_read(adapter, engine + GPU_ENGINE_FAULTED),
            kmd_read(adapter, engine + GPU_ENGINE_FAULT),
            kmd_read(adapter, engine + GPU_ENGINE_QUEUED),
            kmd_read(adapter, engine + GPU_ENGINE_COMMAND),
        };
    }
    if (args->pBuffer)
        RtlCopyMemory(args->pBuffer, &report,
                      args->BufferSize < sizeof(report) ? args->BufferSize : sizeof(report));
    if (args->pExtension)
        args->pExtension->CurrentDmaBufferOffset = report.engine[0].command;
    return STATUS_SUCCESS;
}
