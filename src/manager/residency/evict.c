/*
 * evict.c - see residency.h: one allocation, or many, out of their segments; what is pinned back into them.
 */
#include "object/allocation.h"
#include "paging/plan.h"
#include "residency/residency.h"

static enum vidmm_status evict_run(struct plan *plan, bool left) {
    enum vidmm_status status =
        left ? plan_run(plan) : error_no_memory(plan->adapter, "vidmm_allocation_evict");
    plan_end(plan);
    return status;
}

enum vidmm_status residency_evict(struct vidmm_allocation *allocation, bool discard,
                                  enum vidmm_plan_reason reason) {
    struct plan plan;
    plan_begin(&plan, allocation->adapter, reason);
    return evict_run(&plan, plan_leave(&plan, allocation, discard, VIDMM_MOVE_REQUESTED));
}

enum vidmm_status residency_give_way(struct vidmm_allocation *allocation,
                                     enum vidmm_move_reason reason) {
    struct plan plan;
    plan_begin(&plan, allocation->adapter, VIDMM_PLAN_TABLE_ROOM);
    return evict_run(&plan, plan_leave(&plan, allocation, false, reason));
}

struct sweep {
    struct plan plan;
    residency_choice *leaves;
    const void *ctx;
    bool failed;
};

bool residency_may_leave(const void *ctx, const struct vidmm_allocation *allocation) {
    (void)ctx;
    return !allocation->pinned && !allocation_fixed(allocation) && !allocation_stays(allocation);
}

bool residency_any(const void *ctx, const struct vidmm_allocation *allocation) {
    (void)ctx, (void)allocation;
    return true;
}

static void evict_visit(void *ctx, struct vidmm_allocation *allocation) {
    struct sweep *sweep = ctx;
    if (!allocation->segment || sweep->failed || !sweep->leaves(sweep->ctx, allocation))
        return;
    sweep->failed = !plan_leave(&sweep->plan, allocation, false, VIDMM_MOVE_SWEPT);
}

enum vidmm_status residency_evict_all(struct vidmm_adapter *adapter, residency_choice *leaves,
                                      const void *ctx, enum vidmm_plan_reason reason) {
    struct sweep sweep = {.leaves = leaves, .ctx = ctx};
    plan_begin(&sweep.plan, adapter, reason);
    allocation_each(adapter, evict_visit, &sweep);
    enum vidmm_status status =
        sweep.failed ? error_no_memory(adapter, "vidmm_evict_all") : plan_run(&sweep.plan);
    plan_end(&sweep.plan);
    return status;
}

/* ---- And back -------------------------------------------------------------------------------- */

struct back {
    enum vidmm_plan_reason reason;
    enum vidmm_status status;
};

static void back_visit(void *ctx, struct vidmm_allocation *allocation) {
    struct back *back = ctx;
    struct vidmm_adapter *adapter = allocation->adapter;
    struct vidmm_reference reference = {.allocation = allocation,
                                        .write = allocation->write_set != 0};
    if (allocation->pinned && back->status != VIDMM_GPU_LOST)
        back->status =
            residency_make(adapter, &reference, 1, adapter->fences.submitted + 1, back->reason);
}

enum vidmm_status residency_bring_back(struct vidmm_adapter *adapter,
                                       enum vidmm_plan_reason reason) {
    struct back back = {reason, VIDMM_OK};
    allocation_each(adapter, back_visit, &back);
    return back.status == VIDMM_GPU_LOST ? VIDMM_GPU_LOST : VIDMM_OK;
}
