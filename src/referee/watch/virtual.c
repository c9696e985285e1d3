/*
 * virtual.c - the paging operations on GPU virtual addresses: watch/operation.c hands on what is
 * none of its own, and each goes to the file of its kind.
 */
#include "state/tables.h"
#include "state/work.h"

/* Beside the paging process only updates of tiles are carried out. */
static void judge_companion(const struct shadow_operation *operation) {
    const struct shadow_object *context =
        shadow_find(SHADOW_CONTEXT, operation->arg.hSystemContext);
    uint32_t kind = (uint32_t)operation->arg.Operation;
    if (tables_companion(context))
        MANAGER_MUST(385,
                     kind == DXGK_OPERATION_UPDATE_PAGE_TABLE ||
                         kind == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES ||
                         kind == DXGK_OPERATION_FLUSH_TLB,
                     "updates of page tables, and nothing else, on a companion context",
                     "operation %u is asked for there", kind);
}

void virtual_asked(struct shadow_operation *operation) {
    judge_companion(operation);
    switch (operation->arg.Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        table_asked(operation);
        break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        entries_asked(operation);
        break;
    case DXGK_OPERATION_FLUSH_TLB:
        flush_asked(operation);
        break;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
    case DXGK_OPERATION_VIRTUAL_FILL:
        virtual_copy_asked(operation);
        break;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
    case DXGK_OPERATION_NOTIFY_ALLOC:
        notice_asked(operation);
        break;
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
        context_update_asked(operation);
        break;
    default:
        break;
    }
}

void virtual_built(const struct shadow_operation *operation) {
    switch (operation->arg.Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        table_built(operation);
        break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        entries_built(operation);
        break;
    case DXGK_OPERATION_FLUSH_TLB:
        flush_built(operation);
        break;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
    case DXGK_OPERATION_VIRTUAL_FILL:
        virtual_copy_built(operation);
        break;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        notice_built(operation);
        break;
    default:
        break;
    }
}

void virtual_done(const struct shadow_operation *operation) {
    switch (operation->arg.Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        table_done(operation);
        break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        entries_done(operation);
        break;
    case DXGK_OPERATION_FLUSH_TLB:
        flush_done(operation);
        break;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
    case DXGK_OPERATION_VIRTUAL_FILL:
        virtual_copy_done(operation);
        break;
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
        context_update_done(operation);
        break;
    default:
        break;
    }
}

/* Nameless updates are those of what the driver knows nothing of. */
void operation_answered(const DXGKARG_BUILDPAGINGBUFFER *args, bool may, NTSTATUS status) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !args->UpdatePageTable.hAllocation)
        DRIVER_MUST(217, may, "an update without an allocation to be accepted",
                    "status 0x%08x for an update without hAllocation", (unsigned)status);
}

/* Contexts and roots stay, and so does what the driver was told until it is told otherwise. */
void virtual_forget(void) {
    flush_settle(false);
    tables_forget();
    for (struct shadow_object *allocation = shadow_each(SHADOW_ALLOCATION, NULL); allocation;
         allocation = shadow_each(SHADOW_ALLOCATION, allocation))
        allocation->arrived = false;
}

void virtual_settled(void) {
    const struct shadow_operation *first = NULL;
    bool waits = false;
    for (uint32_t list = 0; !waits && build_waiting(list, &first); list++)
        waits = first;
    if (!waits)
        flush_settle(true);
}

void virtual_end(void) {
    tables_clear();
}
