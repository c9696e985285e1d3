/*
 * submit_virtual.c - submissions whose addresses are GPU virtual ones, of users and of paging
 * (nc-d3dkmddi-dxgkddi_submitcommandvirtual.md), and the page faults that they may end in
 * (access-to-non-resident-allocation.md).
 *
 * The commands of a user-mode driver run as it wrote them: the GPU allows itself no more in them
 * than the page tables, or the IOMMU, do. A page fault halts its engine until DxgkDdiResetEngine.
 */
#include "driver/kmd.h"

/* Registers of a submission are latched by the doorbell; see submit.c for why there is no
 * lock. */
static void virtual_submit(struct kmd_adapter *adapter, const struct kmd_context *context,
                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args, UINT size) {
    ULONG engine = GPU_ENGINE(context                              ? context->node
                              : args->NodeOrdinal < adapter->nodes ? args->NodeOrdinal
                                                                   : 0);
    kmd_write64(adapter, engine + GPU_ENGINE_ADDRESS, args->DmaBufferVirtualAddress);
    kmd_write(adapter, engine + GPU_ENGINE_SIZE, size);
    kmd_write(adapter, engine + GPU_ENGINE_FENCE, args->SubmissionFenceId);
    kmd_note_submitted(adapter, engine, args->SubmissionFenceId);
    bool shared = context ? context->device->pasid != 0 : !kmd_mmu_on(adapter);
    if (shared && context) {
        kmd_write(adapter, engine + GPU_ENGINE_PASID, context->device->pasid);
    } else if (context && context->saved) {
        kmd_write64(adapter, engine + GPU_ENGINE_CONTEXT, context->saved->allocation.address);
    } else if (context) {
        kmd_write64(adapter, engine + GPU_ENGINE_ROOT, context->root);
        kmd_write(adapter, engine + GPU_ENGINE_ROOT_ENTRIES, context->root_entries);
    }
    if (context)
        kmd_write(adapter, engine + GPU_ENGINE_SPACE, context->device->space);
    ULONG doorbell = shared ? GPU_DOORBELL_SHARED : GPU_DOORBELL_VIRTUAL;
    if (context && context->saved && size != 0)
        doorbell |= GPU_DOORBELL_SAVED; /* what is empty needs nothing of its context */
    kmd_write(adapter, engine + GPU_ENGINE_DOORBELL,
              doorbell |
                  (args->Flags.Paging && !shared ? GPU_DOORBELL_PAGING : GPU_DOORBELL_RENDER));
}

/* The fence of what is refused completes in its turn all the same: an empty submission stands
 * in. */
NTSTATUS APIENTRY kmd_submit_command_virtual(const HANDLE hAdapter,
                                             const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    const struct kmd_context *context = kmd_context_of(args->hContext);
    if (!adapter || (context && context->board != adapter))
        return STATUS_INVALID_PARAMETER;
    bool sound = context && args->DmaBufferSize % sizeof(struct gpu_command) == 0 &&
                 (context->device->pasid == 0 || !args->Flags.Paging) &&
                 (!context->saved || context->saved->told);
    virtual_submit(adapter, context, args,
                   sound && !args->Flags.NullRendering ? args->DmaBufferSize : 0);
    return sound ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

void kmd_report_page_fault(struct kmd_adapter *adapter, UINT node) {
    ULONG engine = GPU_ENGINE(node);
    ULONG space = kmd_read(adapter, engine + GPU_ENGINE_FAULT_SPACE);
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};
    UINT flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
    if (kmd_read(adapter, engine + GPU_ENGINE_FAULT_ACCESS) == GPU_ACCESS_WRITE)
        flags |= DXGK_PAGE_FAULT_WRITE;
    if (kmd_read(adapter, engine + GPU_ENGINE_FAULT) == GPU_FAULT_IOMMU)
        flags |= DXGK_PAGE_FAULT_IOMMU;
    ULONG fence = kmd_read(adapter, engine + GPU_ENGINE_FAULTED);
    kmd_settle(adapter, node, fence);
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    data.DmaPageFaulted.FaultedFenceId = fence;
    data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    data.DmaPageFaulted.PageFaultFlags = (DXGK_PAGE_FAULT_FLAGS)flags;
    data.DmaPageFaulted.FaultedVirtualAddress = kmd_read64(adapter, engine + GPU_ENGINE_FAULT_VA);
    data.DmaPageFaulted.NodeOrdinal = node;
    data.DmaPageFaulted.EngineOrdinal = adapter->physical;
    data.DmaPageFaulted.PageTableLevel = kmd_read(adapter, engine + GPU_ENGINE_FAULT_LEVEL);
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
    if (space < GPU_SPACES)
        data.DmaPageFaulted.FaultedProcessHandle = adapter->lead->mmu.process[space];
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &data);
}

/* The CPU may be waiting for a monitored fence that the GPU signalled. */
void kmd_report_signaled(struct kmd_adapter *adapter, UINT node) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};
    if (adapter->settings.version < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
        return;
    data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    data.MonitoredFenceSignaled.NodeOrdinal = node;
    data.MonitoredFenceSignaled.EngineOrdinal = adapter->physical;
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &data);
}
