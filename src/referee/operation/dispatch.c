/*
 * dispatch.c - paging operations one by one: when they are asked for, built, and done; and
 * what their judges share, see operation.h.
 */
#include "operation/dirty_bits.h"
#include "operation/operation.h"

/* Beside the paging process only updates of tiles are carried out. */
static void dispatch_judge_companion(struct vidmm_referee *referee,
                                     const struct shadow_operation *operation) {
    const struct shadow_context *context = shadow_context(referee, operation->arg.hSystemContext);
    uint32_t kind = (uint32_t)operation->arg.Operation;
    if (tables_companion(referee, context))
        MANAGER_MUST(385, operation_effect(kind) == VIDMM_EFFECT_PAGE_TABLE,
                     "updates of page tables, and nothing else, on a companion context",
                     "operation %u is asked for there", kind);
}

/* ---- The judge of an operation --------------------------------------------------------------- */

/* Operations of which nothing is judged but what holds for all. */
const struct operation_judge op_judge_no;

static const struct operation_judge *dispatch_judge_of(uint32_t operation) {
    static const struct operation_judge *const judges[] = {
#define PLANNED(ddi, kind, json, effect, address, allocation, judge)                               \
    [DXGK_OPERATION_##ddi] = &op_judge_##judge,
#define OTHER(ddi, effect, allocation, judge) [DXGK_OPERATION_##ddi] = &op_judge_##judge,
        VIDMM_OPERATIONS(PLANNED, OTHER)
#undef PLANNED
#undef OTHER
    };
    return operation < sizeof(judges) / sizeof(judges[0]) ? judges[operation] : &op_judge_no;
}

/* The first interface version whose drivers know the operation; 0: all do. */
static uint32_t dispatch_since(uint32_t operation) {
    if (operation <= DXGK_OPERATION_SPECIAL_LOCK_TRANSFER ||
        operation > DXGK_OPERATION_NOTIFY_ALLOC) /* no version has these: R167 */
        return 0;
    if (operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE)
        return DXGKDDI_INTERFACE_VERSION_WIN8;
    if (operation <= DXGK_OPERATION_NOTIFY_RESIDENCY)
        return DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    if (operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE)
        return DXGKDDI_INTERFACE_VERSION_WDDM2_2;
    return operation <= DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY ? DXGKDDI_INTERFACE_VERSION_WDDM2_9
                                                              : DXGKDDI_INTERFACE_VERSION_WDDM3_2;
}

static void dispatch_judge_version(struct vidmm_referee *referee, uint32_t operation) {
    uint32_t since = dispatch_since(operation), version = referee->adapter.version;
    MANAGER_MUST(446, version >= since, "operations that the driver's interface version has",
                 "operation %u, which comes with %s, of a driver of %s", operation,
                 vidmm_rule_version(since), vidmm_rule_version(version));
}

void operation_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const struct operation_judge *judge = dispatch_judge_of((uint32_t)operation->arg.Operation);
    operation->asked = referee->ledger->calls;
    dispatch_judge_version(referee, (uint32_t)operation->arg.Operation);
    dispatch_judge_companion(referee, operation);
    operation_judge_reserved(referee, &operation->arg);
    if (judge->asked)
        judge->asked(referee, operation);
}

void operation_built(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const struct operation_judge *judge = dispatch_judge_of((uint32_t)operation->arg.Operation);
    if (judge->built)
        judge->built(referee, operation);
}

/* It moves pages of a migration, or maps them for that. */
static bool dispatch_of_migration(struct vidmm_referee *referee,
                                  const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const struct tables_process *paging = tables_paging_of(referee, operation);
    switch (arg->Operation) {
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        return !arg->TransferVirtual.hAllocation;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        return paging && arg->UpdatePageTable.hProcess == paging->handle;
    default:
        return arg->Operation == DXGK_OPERATION_FLUSH_TLB;
    }
}

void operation_done(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const struct operation_judge *judge = dispatch_judge_of((uint32_t)operation->arg.Operation);
    dirty_operation_done(referee, operation);
    if (!dispatch_of_migration(referee, operation))
        migration_note_other(referee);
    if (judge->done)
        judge->done(referee, operation);
}

/* Content that the driver gave a context allocation itself. */
static void dispatch_initialise_asked(struct vidmm_referee *referee,
                                      struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->InitContextResource.hAllocation);
    const struct tables_process *paging = tables_paging_of(referee, operation);
    uint64_t va = tables_mmu(referee, operation->physical)->known
                      ? (uint64_t)arg->InitContextResource.Destination.GpuVirtualAddress
                      : 0;
    if (allocation && paging && va != 0)
        virtual_note_target(referee, operation, paging, va, allocation->size);
}

static void dispatch_initialise_built(struct vidmm_referee *referee,
                                      const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->InitContextResource.hAllocation);
    const struct shadow_segment *segment =
        shadow_segment(referee, arg->InitContextResource.Destination.SegmentId);
    if (allocation)
        allocation->arrived = true;
    if (segment)
        place_set(referee, allocation, segment->id,
                  (uint64_t)arg->InitContextResource.Destination.SegmentAddress.QuadPart -
                      segment->base);
}

const struct operation_judge op_judge_initialise = {.asked = dispatch_initialise_asked,
                                                    .built = dispatch_initialise_built};
