/*
 * context_update.c - content of context allocations that the driver changes
 * (nc-d3dkmddi-dxgkcb_updatecontextallocation.md): the callback, and UPDATE_CONTEXT_ALLOCATION,
 * which it makes the system ask the driver for.
 *
 * The operation names no allocation; what tells whose it is are the driver's own bytes.
 */
#include "state/own_memory.h"
#include "state/tables.h"

#include <string.h>

#define UPDATES 16u

/* Callbacks under way. */
static struct {
    bool used, done;
    const void *data;
    uint32_t size;
    uint64_t bytes;                           /* of the allocation; 0: not known */
    const struct shadow_operation *operation; /* NULL: not asked for so far */
} update[UPDATES];

static DXGKRNL_INTERFACE behind;

/* ---- The operation --------------------------------------------------------------------------- */

static bool same_data(uint32_t i, const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked) {
    return update[i].size == asked->DriverPrivateDataSize &&
           (update[i].size == 0 ||
            (asked->pDriverPrivateData &&
             memcmp(update[i].data, asked->pDriverPrivateData, update[i].size) == 0));
}

/* The callback that wants it; UPDATES: none does. */
static uint32_t wanted(const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked) {
    uint32_t i = 0;
    while (i < UPDATES && (!update[i].used || update[i].operation || !same_data(i, asked)))
        i++;
    return i;
}

/* All of it is where the paging process can see it. */
static void judge_addresses(const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked) {
    const struct tables_process *paging = tables_paging();
    uint64_t start = (uint64_t)asked->ContextAllocation;
    for (uint64_t at = start; paging && at - start < asked->ContextAllocationSize;
         at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(paging, at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        MANAGER_MUST(348, found.valid && !found.zero, "addresses of the paging process",
                     "0x%llx leads nowhere there", LLU(at));
        MANAGER_MUST(231, !found.stale, "FLUSH_TLB between an update and the use of its addresses",
                     "ContextAllocation 0x%llx changed and was not flushed", LLU(at));
    }
}

static void context_update_asked(struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked =
        &operation->arg.UpdateContextAllocation;
    uint32_t i = wanted(asked);
    MANAGER_MUST(348, i != UPDATES, "the data that the driver gave to the callback",
                 "%u bytes that no callback under way was given", asked->DriverPrivateDataSize);
    if (i != UPDATES) {
        update[i].operation = operation;
        MANAGER_MUST(348, update[i].bytes == 0 || asked->ContextAllocationSize == update[i].bytes,
                     "the size of the allocation",
                     "ContextAllocationSize is 0x%llx instead of "
                     "0x%llx",
                     LLU(asked->ContextAllocationSize), LLU(update[i].bytes));
    }
    if (tables_mmu.known)
        judge_addresses(asked);
}

static void context_update_done(const struct shadow_operation *operation) {
    for (uint32_t i = 0; i < UPDATES; i++)
        update[i].done = update[i].done || (update[i].used && update[i].operation == operation);
}

const struct operation_judge op_judge_context_update = {.asked = context_update_asked,
                                                        .done = context_update_done};

/* ---- The callback ---------------------------------------------------------------------------- */

static uint32_t begin(const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    uint32_t i = 0;
    while (i < UPDATES && update[i].used)
        i++;
    if (i == UPDATES || (!args->pPrivateDriverData && args->PrivateDriverDataSize != 0))
        return UPDATES;
    update[i].used = true;
    update[i].done = false;
    update[i].data = args->pPrivateDriverData;
    update[i].size = args->PrivateDriverDataSize;
    update[i].bytes = context_allocation_size(args->hAllocation);
    update[i].operation = NULL;
    return i;
}

static NTSTATUS APIENTRY
see_UpdateContextAllocation(const HANDLE adapter, const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    uint32_t i = begin(args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = behind.DxgkCbUpdateContextAllocation(adapter, args);
    pthread_mutex_lock(&referee->lock);
    if (i != UPDATES && status == STATUS_SUCCESS)
        MANAGER_MUST(347, update[i].done, "the operation complete when the callback returns", "%s",
                     !update[i].operation ? "the driver was not asked for it"
                                          : "the GPU has not done it");
    if (i != UPDATES)
        update[i].used = false;
    pthread_mutex_unlock(&referee->lock);
    return status;
}

void referee_watch_context_updates(DXGKRNL_INTERFACE *callbacks) {
    behind = *callbacks;
    memset(update, 0, sizeof(update));
    callbacks->DxgkCbUpdateContextAllocation = see_UpdateContextAllocation;
}
