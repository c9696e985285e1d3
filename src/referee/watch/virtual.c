/*
 * virtual.c - what holds for all paging operations on GPU virtual addresses. Single operations
 * are the files' of their kind (operation/table.c and its neighbours).
 */
#include "operation/operation.h"
#include "state/judge.h"
#include "state/tables.h"
#include "state/work.h"

/* Beside the paging process only updates of tiles are carried out. */
void virtual_judge_companion(struct vidmm_referee *referee,
                             const struct shadow_operation *operation) {
    const struct shadow_object *context =
        shadow_find(referee, SHADOW_CONTEXT, operation->arg.hSystemContext);
    uint32_t kind = (uint32_t)operation->arg.Operation;
    if (tables_companion(referee, context))
        MANAGER_MUST(385, operation_effect(kind) == VIDMM_EFFECT_PAGE_TABLE,
                     "updates of page tables, and nothing else, on a companion context",
                     "operation %u is asked for there", kind);
}

/* Nameless updates are those of what the driver knows nothing of. */
void operation_answered(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args,
                        bool may, NTSTATUS status) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !args->UpdatePageTable.hAllocation)
        DRIVER_MUST(217, may, "an update without an allocation to be accepted",
                    "status 0x%08x for an update without hAllocation", (unsigned)status);
}

/* Contexts and roots stay, and so does what the driver was told until it is told otherwise. */
void virtual_forget(struct vidmm_referee *referee) {
    flush_settle(referee, false);
    tables_forget(referee);
    for (struct shadow_object *allocation = shadow_each(referee, SHADOW_ALLOCATION, NULL);
         allocation; allocation = shadow_each(referee, SHADOW_ALLOCATION, allocation))
        allocation->arrived = false;
}

void virtual_settled(struct vidmm_referee *referee) {
    const struct shadow_operation *first = NULL;
    bool waits = false;
    for (uint32_t list = 0; !waits && build_waiting(referee, list, &first); list++)
        waits = first;
    if (!waits)
        flush_settle(referee, true);
}

void virtual_end(struct vidmm_referee *referee) {
    tables_clear(referee);
}
