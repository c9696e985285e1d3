/*
 * context_update.c - UPDATE_CONTEXT_ALLOCATION, the operation that the system builds after a
 * callback of the driver (watch/context_update.c).
 *
 * The operation names no allocation; only the driver's own bytes identify it.
 */
#include <string.h>

#include "operation/operation.h"

static bool update_same_data(struct vidmm_referee *referee, uint32_t i,
                             const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked) {
    return referee->contexts.update[i].size == asked->DriverPrivateDataSize &&
           (referee->contexts.update[i].size == 0 ||
            (asked->pDriverPrivateData &&
             memcmp(referee->contexts.update[i].data, asked->pDriverPrivateData,
                    referee->contexts.update[i].size) == 0));
}

/* The callback that wants it; CONTEXTS_NONE: none does. */
static uint32_t update_wanted(struct vidmm_referee *referee,
                              const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked) {
    uint32_t i = 0, updates = referee->contexts.updates;
    while (i < updates &&
           (!referee->contexts.update[i].used || referee->contexts.update[i].operation ||
            !update_same_data(referee, i, asked)))
        i++;
    return i < updates ? i : CONTEXTS_NONE;
}

/* All of it is where the paging process can see it. */
static void update_judge_addresses(struct vidmm_referee *referee,
                                   struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked =
        &operation->arg.UpdateContextAllocation;
    const struct tables_process *paging = tables_paging_of(referee, operation);
    uint64_t start = (uint64_t)asked->ContextAllocation;
    if (paging)
        virtual_note_target(referee, operation, paging, start, asked->ContextAllocationSize);
    for (uint64_t at = start; paging && at - start < asked->ContextAllocationSize;
         at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(referee, paging, at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        MANAGER_MUST(348, found.valid && !found.zero, "addresses of the paging process",
                     "0x%llx leads nowhere there", LLU(at));
        MANAGER_MUST(231, !found.stale, "FLUSH_TLB between an update and the use of its addresses",
                     "ContextAllocation 0x%llx changed and was not flushed", LLU(at));
    }
}

static void context_update_asked(struct vidmm_referee *referee,
                                 struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *asked =
        &operation->arg.UpdateContextAllocation;
    uint32_t i = update_wanted(referee, asked);
    MANAGER_MUST(348, i != CONTEXTS_NONE, "the data that the driver gave to the callback",
                 "%u bytes that no callback under way was given", asked->DriverPrivateDataSize);
    if (i != CONTEXTS_NONE) {
        referee->contexts.update[i].operation = operation;
        MANAGER_MUST(348,
                     referee->contexts.update[i].bytes == 0 ||
                         asked->ContextAllocationSize == referee->contexts.update[i].bytes,
                     "the size of the allocation",
                     "ContextAllocationSize is 0x%llx instead of "
                     "0x%llx",
                     LLU(asked->ContextAllocationSize), LLU(referee->contexts.update[i].bytes));
    }
    if (tables_known(referee))
        update_judge_addresses(referee, operation);
}

static void context_update_done(struct vidmm_referee *referee,
                                const struct shadow_operation *operation) {
    for (uint32_t i = 0; i < referee->contexts.updates; i++)
        referee->contexts.update[i].done = referee->contexts.update[i].done ||
                                           (referee->contexts.update[i].used &&
                                            referee->contexts.update[i].operation == operation);
}

const struct operation_judge op_judge_context_update = {.asked = context_update_asked,
                                                        .done = context_update_done};
