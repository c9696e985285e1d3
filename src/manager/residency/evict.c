/*
 * evict.c - see residency.h: one allocation, or all, out of their segments.
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
    bool all, failed;
};

static void evict_visit(void *ctx, struct vidmm_allocation *allocation) {
    struct sweep *sweep = ctx;
    bool stays = allocation->pinned || allocation_fixed(allocation) || allocation_stays(allocation);
    if (!allocation->segment || (stays && !sweep->all) || sweep->failed)
        return;
    sweep->failed = !plan_leave(&sweep->plan, allocation, false, VIDMM_MOVE_SWEPT);
}

enum vidmm_status residency_evict_all(struct vidmm_adapter *adapter, bool all,
                                      enum vidmm_plan_reason reason) {
    struct sweep sweep = {.all = all};
    plan_begin(&sweep.plan, adapter, reason);
    allocation_each(adapter, evict_visit, &sweep);
    enum vidmm_status status =
        sweep.failed ? error_no_memory(adapter, "vidmm_evict_all") : plan_run(&sweep.plan);
    plan_end(&sweep.plan);
    return status;
}
