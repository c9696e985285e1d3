/*
 * instant.c - submission for an adapter whose work is done when it is built: every buffer completes
 * while it is submitted. The hardware has no interrupt line; reports are made at the interrupt's
 * IRQL through DxgkCbSynchronizeExecution, as from an interrupt routine.
 */
#include "skeleton.h"

struct notice {
    struct skeleton *adapter;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
};

static KSYNCHRONIZE_ROUTINE notify;
static BOOLEAN NTAPI notify(PVOID context) {
    struct notice *notice = context;
    const DXGKRNL_INTERFACE *dxgk = &notice->adapter->dxgk;
    if (notice->data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        notice->adapter->fence = notice->data.DmaCompleted.SubmissionFenceId;
    else
        notice->data.DmaPreempted.LastCompletedFenceId = notice->adapter->fence;
    dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &notice->data);
    return dxgk->DxgkCbQueueDpc(dxgk->DeviceHandle);
}

static NTSTATUS report(struct notice *notice) {
    const DXGKRNL_INTERFACE *dxgk = &notice->adapter->dxgk;
    BOOLEAN queued;
    return dxgk->DxgkCbSynchronizeExecution(dxgk->DeviceHandle, notify, notice, 0, &queued);
}

static NTSTATUS complete(struct skeleton *adapter, UINT fence) {
    struct notice notice = {.adapter = adapter};
    notice.data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    notice.data.DmaCompleted.SubmissionFenceId = fence;
    return report(&notice);
}

static DXGKDDI_SUBMITCOMMAND submit_command;
static NTSTATUS APIENTRY submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    return complete(handle, args->SubmissionFenceId);
}

static DXGKDDI_SUBMITCOMMANDVIRTUAL submit_command_virtual;
static NTSTATUS APIENTRY submit_command_virtual(const HANDLE handle,
                                                const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    return complete(handle, args->SubmissionFenceId);
}

static DXGKDDI_PREEMPTCOMMAND preempt_command;
static NTSTATUS APIENTRY preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *args) {
    struct notice notice = {.adapter = handle};
    notice.data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    notice.data.DmaPreempted.PreemptionFenceId = args->PreemptionFenceId;
    return report(&notice);
}

static DXGKDDI_QUERYCURRENTFENCE query_current_fence;
static NTSTATUS APIENTRY query_current_fence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *args) {
    const struct skeleton *adapter = handle;
    args->CurrentFence = adapter->fence;
    return STATUS_SUCCESS;
}

/* This device never interrupts. */
static DXGKDDI_INTERRUPT_ROUTINE interrupt_routine;
static BOOLEAN APIENTRY interrupt_routine(const PVOID context, ULONG message) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(message);
    return FALSE;
}

static DXGKDDI_DPC_ROUTINE dpc_routine;
static VOID APIENTRY dpc_routine(const PVOID context) {
    const struct skeleton *adapter = context;
    adapter->dxgk.DxgkCbNotifyDpc(adapter->dxgk.DeviceHandle);
}

VOID instant_table(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiInterruptRoutine = interrupt_routine;
    table->DxgkDdiDpcRoutine = dpc_routine;
    table->DxgkDdiSubmitCommand = submit_command;
    if (skeleton_driver.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        table->DxgkDdiSubmitCommandVirtual = submit_command_virtual;
    table->DxgkDdiPreemptCommand = preempt_command;
    table->DxgkDdiQueryCurrentFence = query_current_fence;
}
