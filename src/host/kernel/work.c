/*
 * work.c - see work.h (pages nf-wdm-ioqueueworkitem, nf-wdm-exqueueworkitem).
 *
 * One queue in the order of coming. A thread of the system is made when there is work and none runs,
 * and ends when the queue is empty, so that what waits for threads at the end waits for the work.
 */
#include "kernel/irql.h"
#include "kernel/work.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "kernel/threads.h"

struct _IO_WORKITEM {
    WORK_QUEUE_ITEM item;
    PVOID object;
    PIO_WORKITEM_ROUTINE routine;
    PIO_WORKITEM_ROUTINE_EX routine_ex;
    PVOID context;
    struct _IO_WORKITEM *next; /* of those that IoAllocateWorkItem made */
    bool queued;
};

static pthread_mutex_t work_guard = PTHREAD_MUTEX_INITIALIZER;
static LIST_ENTRY work_queue = {&work_queue, &work_queue};
static bool work_running, work_used;
static struct _IO_WORKITEM *work_made;

/* The first item out of the queue; NULL: the thread ends. */
static PWORK_QUEUE_ITEM work_next(void) {
    PWORK_QUEUE_ITEM item = NULL;
    pthread_mutex_lock(&work_guard);
    work_running = !IsListEmpty(&work_queue);
    if (work_running) {
        item = CONTAINING_RECORD(RemoveHeadList(&work_queue), WORK_QUEUE_ITEM, List);
        item->List.Flink = NULL;
    }
    pthread_mutex_unlock(&work_guard);
    return item;
}

static VOID NTAPI work_thread(PVOID context) {
    PWORK_QUEUE_ITEM item;
    (void)context;
    while ((item = work_next())) {
        PWORKER_THREAD_ROUTINE routine = item->WorkerRoutine;
        host_thread_goes_on();
        DRIVER_CALL(routine)(item->Parameter); /* which may free the item */
        if (host_self.irql != PASSIVE_LEVEL) {
            host_violation("a work item returned at IRQL %u", host_self.irql);
            host_irql_set(PASSIVE_LEVEL);
        }
    }
}

/* The thread is the system's own: made at any level, and without fail. */
static void work_start(void) {
    HANDLE thread = NULL;
    KIRQL irql = host_self.irql;
    host_irql_set(PASSIVE_LEVEL);
    for (int tries = 0; tries < 8 && !thread; tries++)
        PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, work_thread, NULL);
    if (thread)
        ZwClose(thread);
    else
        host_violation("no thread could be made for a work item");
    host_irql_set(irql);
}

NTKERNELAPI VOID NTAPI ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType) {
    (void)QueueType;
    if (!host_irql_at_most(DISPATCH_LEVEL, "ExQueueWorkItem"))
        return;
    pthread_mutex_lock(&work_guard);
    bool twice = WorkItem->List.Flink, start = !work_running && !twice;
    if (!twice)
        InsertTailList(&work_queue, &WorkItem->List);
    work_running = work_used = true;
    pthread_mutex_unlock(&work_guard);
    if (twice)
        host_violation("a work item was queued that is in the queue already");
    if (start)
        work_start();
}

bool host_work_used(void) {
    pthread_mutex_lock(&work_guard);
    bool used = work_used;
    pthread_mutex_unlock(&work_guard);
    return used;
}

/* ---- Work items of a device --------------------------------------------------------------------- */

NTKERNELAPI ULONG NTAPI IoSizeofWorkItem(VOID) {
    return sizeof(struct _IO_WORKITEM);
}

NTKERNELAPI VOID NTAPI IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem) {
    *IoWorkItem = (struct _IO_WORKITEM){.object = IoObject};
}

NTKERNELAPI VOID NTAPI IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem) {
    if (__atomic_load_n(&IoWorkItem->queued, __ATOMIC_ACQUIRE))
        host_violation("IoUninitializeWorkItem of a work item that is in the queue");
}

NTKERNELAPI PIO_WORKITEM NTAPI IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject) {
    if (!host_irql_at_most(DISPATCH_LEVEL, "IoAllocateWorkItem"))
        return NULL;
    struct _IO_WORKITEM *item = host_may_allocate() ? calloc(1, sizeof(*item)) : NULL;
    if (!item)
        return NULL;
    item->object = DeviceObject;
    pthread_mutex_lock(&work_guard);
    item->next = work_made;
    work_made = item;
    pthread_mutex_unlock(&work_guard);
    host_track(HOST_TRACKED_WORK_ITEM, item);
    return item;
}

NTKERNELAPI VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem) {
    host_irql_at_most(DISPATCH_LEVEL, "IoFreeWorkItem");
    pthread_mutex_lock(&work_guard);
    struct _IO_WORKITEM **link = &work_made;
    while (*link && *link != IoWorkItem)
        link = &(*link)->next;
    bool made = *link;
    if (made)
        *link = IoWorkItem->next;
    pthread_mutex_unlock(&work_guard);
    host_untrack(HOST_TRACKED_WORK_ITEM, IoWorkItem);
    if (!made)
        host_violation("IoFreeWorkItem(%p), which IoAllocateWorkItem did not make",
                       (void *)IoWorkItem);
    else if (__atomic_load_n(&IoWorkItem->queued, __ATOMIC_ACQUIRE))
        host_violation("IoFreeWorkItem of a work item that is in the queue");
    else
        free(IoWorkItem);
}

static VOID NTAPI work_run(PVOID parameter) {
    struct _IO_WORKITEM *item = parameter;
    PIO_WORKITEM_ROUTINE routine = item->routine;
    PIO_WORKITEM_ROUTINE_EX routine_ex = item->routine_ex;
    PVOID object = item->object, context = item->context;
    __atomic_store_n(&item->queued, false, __ATOMIC_RELEASE);
    if (routine)
        DRIVER_CALL(routine)(object, context);
    else
        DRIVER_CALL(routine_ex)(object, context, item);
}

static void work_queue_io(PIO_WORKITEM item, WORK_QUEUE_TYPE type, PVOID context) {
    if (__atomic_exchange_n(&item->queued, true, __ATOMIC_ACQ_REL)) {
        host_violation("a work item was queued that is in the queue already");
        return;
    }
    item->context = context;
    ExInitializeWorkItem(&item->item, work_run, item);
    ExQueueWorkItem(&item->item, type);
}

NTKERNELAPI VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine,
                                       WORK_QUEUE_TYPE QueueType, PVOID Context) {
    IoWorkItem->routine = WorkerRoutine;
    work_queue_io(IoWorkItem, QueueType, Context);
}

NTKERNELAPI VOID NTAPI IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem,
                                         PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                                         WORK_QUEUE_TYPE QueueType, PVOID Context) {
    IoWorkItem->routine = NULL;
    IoWorkItem->routine_ex = WorkerRoutine;
    work_queue_io(IoWorkItem, QueueType, Context);
}

uint32_t host_work_forget(void) {
    uint32_t left = 0;
    while (work_made) {
        struct _IO_WORKITEM *item = work_made;
        work_made = item->next;
        free(item);
        left++;
    }
    pthread_mutex_lock(&work_guard);
    work_used = false;
    pthread_mutex_unlock(&work_guard);
    return left;
}
