/*
 * racing_driver.c - an example driver that completes its work in a DPC of its own, a system thread or a work item, by way of
 * a queue, and protects the queue as the setting Race says: rightly (0, 7, 10), or with one mistake. race_test.sh reads lines of
 * this file, by their marks.
 *
 * It is cpu-vram with some functions of its table in front of those of the example.
 */
#include "../../drivers/common/cpu_pager.h"

#define DriverEntry    example_entry
#define DxgkInitialize take_table
static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table);
#include "../../drivers/common/cpu_entry.c"
#undef DriverEntry
#undef DxgkInitialize

enum races {
    RACE_SUBMIT = 1,  /* a submission enters the queue without the lock */
    RACE_BUSY = 2,    /* the DPC says that it is done when the lock is released */
    RACE_DPC = 3,     /* the DPC releases the lock before it has emptied the queue */
    RACE_PREEMPT = 4, /* a preemption is asked for without the lock */
    RACE_LIST = 5,    /* a context enters the list without the lock */
    RACE_SLOT = 6,    /* a context takes a slot without the lock */
    /* With a thread: */
    THREAD_RIGHT = 7,
    THREAD_EMPTIES = 8, /* it releases the lock before it has emptied the queue */
    THREAD_PREEMPT = 9, /* a preemption is asked for without the lock */
    /* With a work item: */
    ITEM_RIGHT = 10,
    ITEM_EMPTIES = 11,
};

enum { QUEUE = 16 };

static struct {
    KSPIN_LOCK lock;
    KDPC dpc;
    struct skeleton *adapter;
    volatile UINT fence[QUEUE], count, done;
    volatile UINT preemption; /* 0: none is asked for */
    volatile BOOLEAN busy;    /* RACE_BUSY: the DPC is queued, or runs */
    KEVENT wakes;             /* the thread */
    PKTHREAD thread;
    volatile BOOLEAN ends;
    WORK_QUEUE_ITEM item;
    volatile LONG queued; /* the item, which has not begun */
} queue;
static ULONG race;

/* ---- What is reported ------------------------------------------------------------------------ */

struct report {
    UINT fence, preemption;
};

static KSYNCHRONIZE_ROUTINE notify;
static BOOLEAN NTAPI notify(PVOID context) {
    const struct report *report = context;
    const DXGKRNL_INTERFACE *dxgk = &queue.adapter->dxgk;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    data.DmaCompleted.SubmissionFenceId = report->fence;
    if (report->fence != 0)
        dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &data);
    if (report->fence != 0)
        queue.done = report->fence;
    data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    data.DmaPreempted.PreemptionFenceId = report->preemption;
    data.DmaPreempted.LastCompletedFenceId = queue.done;
    if (report->preemption != 0)
        dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &data);
    return dxgk->DxgkCbQueueDpc(dxgk->DeviceHandle);
}

static BOOLEAN has_thread(VOID) {
    return race >= THREAD_RIGHT && race < ITEM_RIGHT;
}

/* At DISPATCH_LEVEL. */
static VOID take(struct report *report) {
    BOOLEAN early = race == RACE_DPC || race == THREAD_EMPTIES || race == ITEM_EMPTIES;
    KeAcquireSpinLockAtDpcLevel(&queue.lock);
    if (queue.count != 0)
        report->fence = queue.fence[queue.count - 1];
    report->preemption = queue.preemption; /* taken */
    if (early)
        KeReleaseSpinLockFromDpcLevel(&queue.lock);
    queue.count = 0; /* dpc */
    queue.preemption = 0;
    if (!early)
        KeReleaseSpinLockFromDpcLevel(&queue.lock);
    queue.busy = FALSE; /* busy */
}

static VOID tell(struct report *report) {
    const DXGKRNL_INTERFACE *dxgk = &queue.adapter->dxgk;
    BOOLEAN queued;
    (void)dxgk->DxgkCbSynchronizeExecution(dxgk->DeviceHandle, notify, report, 0, &queued);
}

static KDEFERRED_ROUTINE work_dpc;
static VOID NTAPI work_dpc(PKDPC dpc, PVOID context, PVOID first, PVOID second) {
    struct report report = {0, 0};
    (void)dpc;
    (void)context;
    (void)first;
    (void)second;
    take(&report);
    tell(&report);
}

static VOID take_and_tell(VOID) {
    struct report report = {0, 0};
    KIRQL irql;
    KeRaiseIrql(DISPATCH_LEVEL, &irql);
    take(&report);
    KeLowerIrql(irql);
    tell(&report);
}

static WORKER_THREAD_ROUTINE work_item;
static VOID NTAPI work_item(PVOID context) {
    (void)context;
    InterlockedExchange(&queue.queued, 0);
    take_and_tell();
}

static KSTART_ROUTINE work_thread;
static VOID NTAPI work_thread(PVOID context) {
    (void)context;
    for (;;) {
        KeWaitForSingleObject(&queue.wakes, Executive, KernelMode, FALSE, NULL);
        if (queue.ends)
            break;
        take_and_tell();
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID wake(VOID) {
    if (has_thread())
        KeSetEvent(&queue.wakes, IO_NO_INCREMENT, FALSE);
    else if (race < ITEM_RIGHT)
        KeInsertQueueDpc(&queue.dpc, NULL, NULL);
    else if (InterlockedExchange(&queue.queued, 1) == 0)
        ExQueueWorkItem(&queue.item, DelayedWorkQueue);
}

/* ---- What is asked for ----------------------------------------------------------------------- */

static VOID enter(UINT fence) {
    UINT count = queue.count;
    queue.fence[count % QUEUE] = fence;
    queue.count = count + 1;
}

static DXGKDDI_SUBMITCOMMAND submit_command;
static NTSTATUS APIENTRY submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    KIRQL irql;
    (void)handle;
    if (race == RACE_SUBMIT) {
        enter(args->SubmissionFenceId);
    } else {
        KeAcquireSpinLock(&queue.lock, &irql);
        enter(args->SubmissionFenceId);
        KeReleaseSpinLock(&queue.lock, irql);
    }
    if (race == RACE_BUSY && queue.busy)
        return STATUS_SUCCESS;
    queue.busy = TRUE;
    wake();
    return STATUS_SUCCESS;
}

static DXGKDDI_PREEMPTCOMMAND preempt_command;
static NTSTATUS APIENTRY preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *args) {
    KIRQL irql;
    (void)handle;
    if (race == RACE_PREEMPT) {
        KeInsertQueueDpc(&queue.dpc, NULL, NULL);
        queue.preemption = args->PreemptionFenceId; /* preempt */
        return STATUS_SUCCESS;
    }
    if (race == THREAD_PREEMPT)
        queue.preemption = args->PreemptionFenceId;
    KeAcquireSpinLock(&queue.lock, &irql);
    if (race != THREAD_PREEMPT)
        queue.preemption = args->PreemptionFenceId;
    KeReleaseSpinLock(&queue.lock, irql);
    wake();
    return STATUS_SUCCESS;
}

static DXGKDDI_QUERYCURRENTFENCE query_current_fence;
static NTSTATUS APIENTRY query_current_fence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *args) {
    (void)handle;
    args->CurrentFence = queue.done;
    return STATUS_SUCCESS;
}

/* ---- Contexts -------------------------------------------------------------------------------- */

enum { SLOTS = 2048 };

static struct context {
    LIST_ENTRY entry;
    volatile BOOLEAN taken;
} contexts[SLOTS];
static LIST_ENTRY list; /* of those that are taken */

static struct context *take_slot(VOID) {
    UINT slot = 0;
    while (slot < SLOTS && contexts[slot].taken) /* slot */
        slot++;
    if (slot == SLOTS)
        return NULL;
    contexts[slot].taken = TRUE;
    return &contexts[slot];
}

static NTSTATUS APIENTRY racing_create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    KIRQL irql;
    struct context *context = NULL;
    (void)device;
    if (race == RACE_SLOT)
        context = take_slot();
    KeAcquireSpinLock(&queue.lock, &irql);
    if (race != RACE_SLOT)
        context = take_slot();
    if (context && race != RACE_LIST && race != RACE_SLOT)
        InsertTailList(&list, &context->entry);
    KeReleaseSpinLock(&queue.lock, irql);
    if (!context)
        return STATUS_NO_MEMORY;
    if (race == RACE_LIST)
        InsertTailList(&list, &context->entry); /* list */
    args->hContext = context;
    args->ContextInfo.DmaBufferSize = PAGE_SIZE;
    args->ContextInfo.AllocationListSize = args->ContextInfo.PatchLocationListSize = 16;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY racing_destroy_context(const HANDLE handle) {
    struct context *context = handle;
    KIRQL irql;
    KeAcquireSpinLock(&queue.lock, &irql);
    if (race != RACE_SLOT)
        RemoveEntryList(&context->entry);
    context->taken = FALSE;
    KeReleaseSpinLock(&queue.lock, irql);
    return STATUS_SUCCESS;
}

/* ---- Start and stop -------------------------------------------------------------------------- */

static DXGKDDI_START_DEVICE *start_device;
static DXGKDDI_STOP_DEVICE *stop_device;

static NTSTATUS start_thread(VOID) {
    HANDLE handle;
    NTSTATUS status =
        PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, work_thread, NULL);
    if (!NT_SUCCESS(status))
        return status;
    status = ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                                       (PVOID *)&queue.thread, NULL);
    ZwClose(handle);
    return status;
}

static VOID stop_thread(VOID) {
    queue.ends = TRUE;
    KeSetEvent(&queue.wakes, IO_NO_INCREMENT, FALSE);
    KeWaitForSingleObject(queue.thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(queue.thread);
}

static NTSTATUS APIENTRY racing_start(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    queue.adapter = context;
    queue.count = queue.done = queue.preemption = 0;
    queue.busy = queue.ends = FALSE;
    NTSTATUS status = start_device(context, info, dxgk, sources, children);
    return status == STATUS_SUCCESS && has_thread() ? start_thread() : status;
}

static NTSTATUS APIENTRY racing_stop(const PVOID context) {
    KeRemoveQueueDpc(&queue.dpc);
    KeFlushQueuedDpcs();
    if (has_thread())
        stop_thread();
    return stop_device(context);
}

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table) {
    start_device = table->DxgkDdiStartDevice;
    stop_device = table->DxgkDdiStopDevice;
    table->DxgkDdiStartDevice = racing_start;
    table->DxgkDdiStopDevice = racing_stop;
    table->DxgkDdiCreateContext = racing_create_context;
    table->DxgkDdiDestroyContext = racing_destroy_context;
    table->DxgkDdiSubmitCommand = submit_command;
    table->DxgkDdiPreemptCommand = preempt_command;
    table->DxgkDdiQueryCurrentFence = query_current_fence;
    return DxgkInitialize(driver, path, table);
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    static WCHAR name[] = u"Race";
    race = skeleton_setting(name);
    InitializeListHead(&list);
    KeInitializeSpinLock(&queue.lock);
    KeInitializeDpc(&queue.dpc, work_dpc, NULL);
    ExInitializeWorkItem(&queue.item, work_item, NULL);
    KeInitializeEvent(&queue.wakes, SynchronizationEvent, FALSE);
    return example_entry(driver, registry_path);
}
