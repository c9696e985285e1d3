/*
 * work.c - submissions wait in a ring until what the shape says works them off: the call itself, a
 * DPC, the DPC of a timer, a thread, a work item. One at a time does it, for all nodes.
 */
#include "shape.h"

/* ---- Reports --------------------------------------------------------------------------------- */

struct report {
    struct adapter *adapter;
    UINT node;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
};

static KSYNCHRONIZE_ROUTINE notify;
static BOOLEAN NTAPI notify(PVOID context) {
    struct report *report = context;
    const DXGKRNL_INTERFACE *dxgk = &report->adapter->cpu.skeleton.dxgk;
    volatile UINT *fence = &report->adapter->worker.fence[report->node];
    if (report->data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        *fence = report->data.DmaCompleted.SubmissionFenceId;
    else
        report->data.DmaPreempted.LastCompletedFenceId = *fence;
    dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &report->data);
    return dxgk->DxgkCbQueueDpc(dxgk->DeviceHandle);
}

static VOID send(struct report *report) {
    const DXGKRNL_INTERFACE *dxgk = &report->adapter->cpu.skeleton.dxgk;
    BOOLEAN queued;
    (void)dxgk->DxgkCbSynchronizeExecution(dxgk->DeviceHandle, notify, report, 0, &queued);
}

static VOID report_completed(struct adapter *adapter, UINT node, UINT fence) {
    struct report report = {adapter, node, {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED}};
    report.data.DmaCompleted.SubmissionFenceId = fence;
    report.data.DmaCompleted.NodeOrdinal = node;
    send(&report);
}

static VOID report_preempted(struct adapter *adapter, UINT node, UINT fence) {
    struct report report = {adapter, node, {.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED}};
    report.data.DmaPreempted.PreemptionFenceId = fence;
    report.data.DmaPreempted.NodeOrdinal = node;
    send(&report);
}

/* ---- Working off ----------------------------------------------------------------------------- */

/* FALSE: there is none, and whoever asked has stopped. */
static BOOLEAN take(struct worker *worker, struct work *work) {
    KIRQL irql;
    KeAcquireSpinLock(&worker->lock, &irql);
    BOOLEAN some = worker->head != worker->tail;
    if (some)
        *work = worker->work[worker->head++ % MOST_WORK];
    else
        worker->busy = FALSE;
    if (!some)
        KeSetEvent(&worker->idle, IO_NO_INCREMENT, FALSE);
    KeReleaseSpinLock(&worker->lock, irql);
    return some;
}

static BOOLEAN is_last(struct worker *worker) {
    KIRQL irql;
    KeAcquireSpinLock(&worker->lock, &irql);
    BOOLEAN last = worker->head == worker->tail;
    KeReleaseSpinLock(&worker->lock, irql);
    return last;
}

/* What is done and not reported yet: by an interrupt of its own, or as LastCompletedFenceId of the
 * preemption that is reported next (ne-d3dkmddi-_dxgk_interrupt_type). */
static VOID tell(struct adapter *adapter, const struct work *work, UINT waiting[MOST_NODES]) {
    for (UINT node = 0; node < MOST_NODES; node++) {
        BOOLEAN preempted = work->kind == PREEMPT && node == work->node;
        if (waiting[node] != 0 && preempted && shape->told_by_preemption)
            adapter->worker.fence[node] = waiting[node];
        else if (waiting[node] != 0)
            report_completed(adapter, node, waiting[node]);
        waiting[node] = 0;
    }
}

/* In batches a completion waits for the last one; it is reported before anything else is. */
static VOID work_off(struct adapter *adapter) {
    UINT waiting[MOST_NODES] = {0};
    struct work work;
    while (take(&adapter->worker, &work)) {
        if (work.kind == EXECUTE) {
            later_execute(adapter, work.from, work.to);
            waiting[work.node] = work.fence;
        }
        BOOLEAN now = !shape->in_batches || work.kind == PREEMPT || is_last(&adapter->worker);
        if (now)
            tell(adapter, &work, waiting);
        if (work.kind == PREEMPT)
            report_preempted(adapter, work.node, work.fence);
    }
}

static KDEFERRED_ROUTINE work_dpc;
static VOID NTAPI work_dpc(PKDPC dpc, PVOID context, PVOID first, PVOID second) {
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    work_off(context);
}

static IO_WORKITEM_ROUTINE work_item;
static VOID NTAPI work_item(PDEVICE_OBJECT device, PVOID context) {
    UNREFERENCED_PARAMETER(device);
    work_off(context);
}

static KSTART_ROUTINE work_thread;
static VOID NTAPI work_thread(PVOID context) {
    struct worker *worker = &((struct adapter *)context)->worker;
    for (;;) {
        KeWaitForSingleObject(&worker->wakes, Executive, KernelMode, FALSE, NULL);
        if (worker->ends)
            break;
        work_off(context);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID wake(struct adapter *adapter) {
    LARGE_INTEGER soon = {.QuadPart = -500}; /* 50 us */
    struct worker *worker = &adapter->worker;
    switch (shape->completion) {
    case BY_DPC:
        KeInsertQueueDpc(&worker->dpc, NULL, NULL);
        break;
    case BY_TIMER:
        KeSetTimer(&worker->timer, soon, &worker->dpc);
        break;
    case BY_THREAD:
        KeSetEvent(&worker->wakes, IO_NO_INCREMENT, FALSE);
        break;
    case BY_WORK_ITEM:
        IoQueueWorkItem(worker->item, work_item, DelayedWorkQueue, adapter);
        break;
    default:
        work_off(adapter);
    }
}

/* ---- The ring -------------------------------------------------------------------------------- */

/* What waits and was not begun; of every node if `node` is MOST_NODES. With the lock held. */
static VOID drop(struct worker *worker, UINT node) {
    for (ULONG i = worker->head; i != worker->tail; i++)
        if (node == MOST_NODES || worker->work[i % MOST_WORK].node == node)
            worker->work[i % MOST_WORK].kind = DROPPED;
}

/* Without room it is lost: its fence never completes, and a TDR recovers from that. */
static VOID put(struct adapter *adapter, const struct work *work) {
    struct worker *worker = &adapter->worker;
    KIRQL irql;
    KeAcquireSpinLock(&worker->lock, &irql);
    if (work->kind == PREEMPT && shape->drops_when_preempted)
        drop(worker, work->node);
    if (worker->tail - worker->head < MOST_WORK)
        worker->work[worker->tail++ % MOST_WORK] = *work;
    BOOLEAN begins = !worker->busy;
    worker->busy = TRUE;
    KeClearEvent(&worker->idle);
    KeReleaseSpinLock(&worker->lock, irql);
    if (begins)
        wake(adapter);
}

static VOID wait_until_idle(struct worker *worker) {
    KeWaitForSingleObject(&worker->idle, Executive, KernelMode, FALSE, NULL);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static NTSTATUS start_thread(struct adapter *adapter) {
    HANDLE handle;
    NTSTATUS status =
        PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, work_thread, adapter);
    if (!NT_SUCCESS(status))
        return status;
    status = ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                                       (PVOID *)&adapter->worker.thread, NULL);
    ZwClose(handle);
    return status;
}

NTSTATUS worker_start(struct adapter *adapter) {
    struct worker *worker = &adapter->worker;
    KeInitializeSpinLock(&worker->lock);
    KeInitializeDpc(&worker->dpc, work_dpc, adapter);
    KeInitializeTimer(&worker->timer);
    KeInitializeEvent(&worker->wakes, SynchronizationEvent, FALSE);
    KeInitializeEvent(&worker->idle, NotificationEvent, TRUE);
    worker->head = worker->tail = 0;
    worker->busy = worker->ends = FALSE;
    if (shape->completion == BY_THREAD)
        return start_thread(adapter);
    if (shape->completion == BY_WORK_ITEM && !(worker->item = IoAllocateWorkItem(worker->device)))
        return STATUS_NO_MEMORY;
    return STATUS_SUCCESS;
}

VOID worker_stop(struct adapter *adapter) {
    struct worker *worker = &adapter->worker;
    wait_until_idle(worker);
    KeCancelTimer(&worker->timer);
    KeFlushQueuedDpcs();
    if (worker->item)
        IoFreeWorkItem(worker->item);
    worker->item = NULL;
    if (!worker->thread)
        return;
    worker->ends = TRUE;
    KeSetEvent(&worker->wakes, IO_NO_INCREMENT, FALSE);
    KeWaitForSingleObject(worker->thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(worker->thread);
    worker->thread = NULL;
}

/* ---- DDIs ------------------------------------------------------------------------------------ */

/* Before Windows 8 there is one node, and no member for it. */
static UINT node_of(UINT ordinal) {
    return shape->nodes != 0 ? ordinal : 0;
}

static DXGKDDI_SUBMITCOMMAND submit_command;
static NTSTATUS APIENTRY submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    struct work work = {EXECUTE, node_of(args->NodeOrdinal), args->SubmissionFenceId, NULL, NULL};
    if (args->Flags.Paging && args->pDmaBufferPrivateData) {
        const UCHAR *data = args->pDmaBufferPrivateData;
        work.from = data + args->DmaBufferPrivateDataSubmissionStartOffset;
        work.to = data + args->DmaBufferPrivateDataSubmissionEndOffset;
    }
    put(handle, &work);
    return STATUS_SUCCESS;
}

static DXGKDDI_PREEMPTCOMMAND preempt_command;
static NTSTATUS APIENTRY preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *args) {
    const struct work work = {PREEMPT, node_of(args->NodeOrdinal), args->PreemptionFenceId, NULL,
                              NULL};
    put(handle, &work);
    return STATUS_SUCCESS;
}

static DXGKDDI_QUERYCURRENTFENCE query_current_fence;
static NTSTATUS APIENTRY query_current_fence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *args) {
    const struct adapter *adapter = handle;
    args->CurrentFence = adapter->worker.fence[node_of(args->NodeOrdinal)];
    return STATUS_SUCCESS;
}

/* What was begun is finished, and nothing else. */
static DXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
static NTSTATUS APIENTRY reset_from_timeout(const HANDLE handle) {
    struct worker *worker = &((struct adapter *)handle)->worker;
    KIRQL irql;
    KeAcquireSpinLock(&worker->lock, &irql);
    drop(worker, MOST_NODES);
    KeReleaseSpinLock(&worker->lock, irql);
    wait_until_idle(worker);
    return STATUS_SUCCESS;
}

static DXGKDDI_RESTARTFROMTIMEOUT restart_from_timeout;
static NTSTATUS APIENTRY restart_from_timeout(const HANDLE handle) {
    UNREFERENCED_PARAMETER(handle);
    return STATUS_SUCCESS;
}

VOID worker_table(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = submit_command;
    table->DxgkDdiPreemptCommand = preempt_command;
    table->DxgkDdiQueryCurrentFence = query_current_fence;
    if (!shape->resets)
        return;
    table->DxgkDdiResetFromTimeout = reset_from_timeout;
    table->DxgkDdiRestartFromTimeout = restart_from_timeout;
}
