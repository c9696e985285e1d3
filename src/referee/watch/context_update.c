/*
 * context_update.c - content of context allocations that the driver changes
 * (nc-d3dkmddi-dxgkcb_updatecontextallocation.md): the callback, and UPDATE_CONTEXT_ALLOCATION,
 * which the system builds after that callback.
 *
 * The operation names no allocation; only the driver's own bytes identify it.
 */
#include <string.h>

#include "state/grow.h"
#include "watch/own_memory.h"
#include "watch/thunk.h"

/* ---- The operation --------------------------------------------------------------------------- */

/* ---- The callback ---------------------------------------------------------------------------- */

static uint32_t update_begin(struct vidmm_referee *referee,
                             const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    struct contexts *contexts = &referee->contexts;
    uint32_t i = 0;
    if (!args->pPrivateDriverData && args->PrivateDriverDataSize != 0)
        return CONTEXTS_NONE;
    while (i < contexts->updates && contexts->update[i].used)
        i++;
    if (!grow(&contexts->update, &contexts->updates, i + 1, sizeof(*contexts->update)))
        return CONTEXTS_NONE;
    referee->contexts.update[i].used = true;
    referee->contexts.update[i].done = false;
    referee->contexts.update[i].data = args->pPrivateDriverData;
    referee->contexts.update[i].size = args->PrivateDriverDataSize;
    referee->contexts.update[i].bytes = context_allocation_size(referee, args->hAllocation);
    referee->contexts.update[i].operation = NULL;
    return i;
}

static NTSTATUS watch_UpdateContextAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                              const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    uint32_t i = update_begin(referee, args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status =
        referee->callbacks_behind_updates.DxgkCbUpdateContextAllocation(adapter, args);
    pthread_mutex_lock(&referee->lock);
    if (i != CONTEXTS_NONE && status == STATUS_SUCCESS)
        MANAGER_MUST(347, referee->contexts.update[i].done,
                     "the operation complete when the callback returns", "%s",
                     !referee->contexts.update[i].operation ? "the driver was not asked for it"
                                                            : "the GPU has not done it");
    if (i != CONTEXTS_NONE)
        referee->contexts.update[i].used = false;
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, UpdateContextAllocation, const HANDLE,
          const DXGKARGCB_UPDATECONTEXTALLOCATION *)

void referee_watch_context_updates(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    referee->callbacks_behind_updates = *callbacks;
    grow_free(&referee->contexts.update, &referee->contexts.updates);
    WATCH_CALLBACK(callbacks, UpdateContextAllocation);
}
