/*
 * callbacks.c - the context allocations that the driver makes, and the handles that it asks about.
 * What it reports is interrupt.c's.
 */
#include <stdlib.h>

#include "watch/allocation.h"
#include "watch/watch.h"
#include "state/memory.h"

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
#if WDDM_AT_LEAST(WDDM2_0)
    info.PhysicalAdapterIndex = args->PhysicalAdapterIndex;
#endif
    allocation_take_info(referee, object, &info);
    return object;
}

static void callbacks_note_context_allocation(struct vidmm_referee *referee, HANDLE driver,
                                              HANDLE system) {
    struct contexts_handle *handle = memory_calloc(1, sizeof(*handle));
    if (!handle ||
        !keyed_add(&referee->contexts.handles, &handle->by_system, keyed_handle(system))) {
        free(handle);
        return;
    }
    handle->driver = driver;
}

static void callbacks_forget_context_allocation(struct vidmm_referee *referee,
                                                struct contexts_handle *handle) {
    keyed_remove(&referee->contexts.handles, &handle->by_system);
    free(handle);
}

void callbacks_end(struct vidmm_referee *referee) {
    struct keyed_table *handles = &referee->contexts.handles;
    while (handles->first)
        callbacks_forget_context_allocation(referee, (struct contexts_handle *)handles->first);
    keyed_clear(handles);
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
    struct contexts_handle *handle =
        (struct contexts_handle *)keyed_find(&referee->contexts.handles, keyed_handle(allocation));
    if (handle && status == STATUS_SUCCESS) {
        struct shadow_allocation *object = shadow_allocation(referee, handle->driver);
        if (object)
            shadow_remove_allocation(referee, object);
        callbacks_forget_context_allocation(referee, handle);
    }
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, DestroyContextAllocation, const HANDLE, const HANDLE)

/* ---- Handles --------------------------------------------------------------------------------- */

static void callbacks_judge_type(struct vidmm_referee *referee,
                                 const DXGKARGCB_GETHANDLEDATA *data) {
    if (!data)
        return;
    bool allocation = data->Type == DXGK_HANDLE_ALLOCATION;
    vidmm_ledger_judge(referee->ledger, 528, VIDMM_SIDE_DRIVER,
                       allocation ||
                           (data->Type == DXGK_HANDLE_RESOURCE && !data->Flags.DeviceSpecific),
                       "DXGK_HANDLE_ALLOCATION, or DXGK_HANDLE_RESOURCE without DeviceSpecific",
                       "Type is %d, Flags are 0x%x", (int)data->Type, data->Flags.Value);
}

/* User mode sends no handle to DxgkDdiOpenAllocation: those that the system passes are its own. */
static void callbacks_judge_found(struct vidmm_referee *referee,
                                  const DXGKARGCB_GETHANDLEDATA *data, const VOID *found) {
    if (data && data->Type == DXGK_HANDLE_ALLOCATION && !data->Flags.DeviceSpecific &&
        allocation_opening())
        vidmm_ledger_judge(referee->ledger, 528, VIDMM_SIDE_DRIVER, found,
                           "a handle that the system passed", "hObject 0x%x is none",
                           (unsigned)data->hObject);
}

static VOID *watch_GetHandleData(struct vidmm_referee *referee,
                                 const DXGKARGCB_GETHANDLEDATA *data) {
    callbacks_judge_type(referee, data);
    VOID *found = referee->callbacks.DxgkCbGetHandleData(data);
    callbacks_judge_found(referee, data, found);
    return found;
}
WATCHED_1(VOID *, GetHandleData, const DXGKARGCB_GETHANDLEDATA *)

static VOID *watch_AcquireHandleData(struct vidmm_referee *referee,
                                     const DXGKARGCB_GETHANDLEDATA *data, HANDLE *release) {
    callbacks_judge_type(referee, data);
    VOID *found = referee->callbacks.DxgkCbAcquireHandleData(data, release);
    callbacks_judge_found(referee, data, found);
    return found;
}
WATCHED_2(VOID *, AcquireHandleData, const DXGKARGCB_GETHANDLEDATA *, HANDLE *)

void referee_watch_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    WATCH_CALLBACK(callbacks, CreateContextAllocation);
    WATCH_CALLBACK(callbacks, DestroyContextAllocation);
    WATCH_CALLBACK(callbacks, GetHandleData);
    WATCH_CALLBACK(callbacks, AcquireHandleData);
}
