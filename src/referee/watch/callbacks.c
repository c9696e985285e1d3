/*
 * callbacks.c - what the driver reports (completed, preempted and faulted work) and the context
 * allocations that it makes.
 *
 * DxgkCbNotifyInterrupt comes at the device's IRQL, from any thread and from inside the hardware
 * model: it only puts the report into a queue with a lock of its own. The queue is emptied, in order,
 * before DxgkCbNotifyDpc goes on to the manager and before any call of the GPU scheduler's class or
 * that ends an allocation.
 */
#include <string.h>

#include <vidmm/interrupt.h>

#include "state/grow.h"
#include "work/work.h"
#include "watch/allocation.h"
#include "watch/watch.h"

static VOID watch_NotifyInterrupt(struct vidmm_referee *referee, const HANDLE handle,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    struct vidmm_interrupt report;
    if (vidmm_interrupt_read(data, &report))
        reports_put(referee, &report);
    referee->callbacks.DxgkCbNotifyInterrupt(handle, data);
}
WATCHED_2(VOID, NotifyInterrupt, const HANDLE, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *)

static VOID watch_NotifyDpc(struct vidmm_referee *referee, const HANDLE handle) {
    pthread_mutex_lock(&referee->lock);
    reports_drain(referee);
    pthread_mutex_unlock(&referee->lock);
    referee->callbacks.DxgkCbNotifyDpc(handle);
}
WATCHED_1(VOID, NotifyDpc, const HANDLE)

/* ---- Context allocations --------------------------------------------------------------------- */

/* Paging operations name it before the callback returns. */
static struct shadow_allocation *
callbacks_begin_context_allocation(struct vidmm_referee *referee,
                                   const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    DXGK_ALLOCATIONINFO info = {0};
    if (!args->hDriverAllocation || shadow_allocation(referee, args->hDriverAllocation))
        return NULL;
    struct shadow_allocation *object = shadow_add_allocation(referee, args->hDriverAllocation);
    if (!object)
        return NULL;
    info.hAllocation = args->hDriverAllocation;
    info.Alignment = args->Alignment;
    info.Size = args->Size;
    info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = args->SupportedSegmentSet;
    info.EvictionSegmentSet = args->EvictionSegmentSet;
    info.Flags = args->Flags;
    allocation_take_info(referee, object, &info);
    return object;
}

static void callbacks_note_context_allocation(struct vidmm_referee *referee, HANDLE driver,
                                              HANDLE system) {
    struct contexts *contexts = &referee->contexts;
    uint32_t i = 0;
    while (i < contexts->handles && contexts->handle[i].driver)
        i++;
    if (grow(&contexts->handle, &contexts->handles, i + 1, sizeof(*contexts->handle)))
        contexts->handle[i] = (struct contexts_handle){.driver = driver, .system = system};
}

static NTSTATUS watch_CreateContextAllocation(struct vidmm_referee *referee,
                                              DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    struct shadow_allocation *object = callbacks_begin_context_allocation(referee, args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->callbacks.DxgkCbCreateContextAllocation(args);
    pthread_mutex_lock(&referee->lock);
    if (object && status == STATUS_SUCCESS)
        callbacks_note_context_allocation(referee, object->head.handle, args->hAllocation);
    else if (object)
        shadow_remove_allocation(referee, object);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_1(NTSTATUS, CreateContextAllocation, DXGKARGCB_CREATECONTEXTALLOCATION *)

static NTSTATUS watch_DestroyContextAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                               const HANDLE allocation) {
    NTSTATUS status = referee->callbacks.DxgkCbDestroyContextAllocation(adapter, allocation);
    pthread_mutex_lock(&referee->lock);
    for (uint32_t i = 0; status == STATUS_SUCCESS && i < referee->contexts.handles; i++) {
        HANDLE driver = referee->contexts.handle[i].driver;
        if (!driver || referee->contexts.handle[i].system != allocation)
            continue;
        struct shadow_allocation *object = shadow_allocation(referee, driver);
        if (object)
            shadow_remove_allocation(referee, object);
        referee->contexts.handle[i].driver = NULL;
        break;
    }
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, DestroyContextAllocation, const HANDLE, const HANDLE)

void referee_watch_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    WATCH_CALLBACK(callbacks, NotifyInterrupt);
    WATCH_CALLBACK(callbacks, NotifyDpc);
    grow_free(&referee->contexts.handle, &referee->contexts.handles);
    WATCH_CALLBACK(callbacks, CreateContextAllocation);
    WATCH_CALLBACK(callbacks, DestroyContextAllocation);
}
