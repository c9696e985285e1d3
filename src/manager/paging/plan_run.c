/*
 * plan_run.c - a plan's way through the paging queue: the GPU is done with what the plan touches,
 * the operations are built and executed, and the moves take effect.
 */
#include "base/assert.h"
#include "object/allocation.h"
#include "object/host_aperture.h"
#include "object/iommu_mapping.h"
#include "engine/null_context.h"
#include "lists/idle.h"
#include "paging/plan_emit.h"
#include "paging/plan_tell.h"

/* It leaves in another way than by operations alone. */
static bool run_at_once(const struct vidmm_allocation *allocation) {
    return adapter_virtual(allocation->adapter) || !allocation->resource || allocation->window ||
           allocation->range;
}

/* The GPU is done with all that the plan touches. */
static enum vidmm_status run_idle(const struct plan *plan) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < plan->op_count; i++) {
        struct vidmm_allocation *allocation = plan->ops[i].op.allocation;
        status = allocation ? allocation_wait_idle(allocation) : VIDMM_OK;
    }
    return status;
}

/*
 * Waits for what cannot wait for its turn: changes of page tables, through which the GPU may reach
 * more than what moves, and everything where paging runs beside no other work. The CPU no longer
 * reaches what leaves.
 */
static enum vidmm_status run_quiesce(const struct plan *plan) {
    struct vidmm_adapter *adapter = plan->adapter;
    enum vidmm_status done = adapter_virtual(adapter) ? run_idle(plan) : VIDMM_OK;
    if (done == VIDMM_OK && adapter->settings.serial_paging)
        done = fence_wait_all(adapter);
    if (done)
        return done;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        struct vidmm_allocation *allocation = plan->moves[i].allocation;
        if (!allocation || !plan->moves[i].from)
            continue;
        enum vidmm_status status =
            run_at_once(allocation) ? allocation_wait_idle(allocation) : VIDMM_OK;
        if (status == VIDMM_OK)
            status = null_context_switch(allocation);
        if (status)
            return status;
        if (!allocation->alternate)
            swizzling_release(allocation);
        host_aperture_release(allocation);
    }
    return VIDMM_OK;
}

/* The GPU is done with what the operation touches; meanwhile it carries out what was built before. */
static enum vidmm_status run_await(struct vidmm_adapter *adapter, const struct plan_op *op) {
    struct vidmm_allocation *allocation = op->op.allocation;
    if (!allocation || allocation_idle(allocation))
        return VIDMM_OK;
    enum vidmm_status status = paging_submit(adapter, adapter->paging);
    return status ? status : allocation_wait_idle(allocation);
}

static enum vidmm_status run_build(struct plan *plan) {
    struct vidmm_adapter *adapter = plan->adapter;
    enum vidmm_status status = VIDMM_OK;
    while (status == VIDMM_OK && plan->built < plan->op_count) {
        struct plan_op *op = &plan->ops[plan->built];
        status = op->barrier ? paging_finish(adapter) : VIDMM_OK;
        if (status == VIDMM_OK)
            status = run_await(adapter, op);
        if (status == VIDMM_OK) {
            plan->built++; /* before: an operation may be half built when the GPU hangs */
            status = paging_build(adapter, op);
        }
    }
    return status ? status : paging_finish(adapter);
}

static void run_commit_move(struct vidmm_adapter *adapter, struct move *move) {
    struct vidmm_allocation *allocation = move->allocation;
    if (move->from && !move->from->aperture)
        adapter->stats.evictions++;
    if (allocation->segment && !allocation->segment->aperture)
        adapter->stats.page_ins++;
    if (move->holds_old)
        segment_release(move->from, &move->old);
    else if (move->from)
        segment_drop(move->from, &move->old);
    if (move->window)
        segment_release(move->window, &move->window_place);
    allocation->move = 0;
    resident_moved(&adapter->policy, &allocation->resident,
                   allocation->segment ? allocation->segment->id : 0);
    if (adapter->iommu)
        iommu_mapping_follow(allocation);
}

/* All moves at once. */
static void run_show(struct plan *plan) {
    fences_lock(plan->adapter);
    for (uint32_t i = 0; i < plan->move_count; i++) {
        if (plan->moves[i].allocation)
            allocation_show(plan->moves[i].allocation);
    }
    fences_unlock(plan->adapter);
}

static void run_commit(struct plan *plan) {
    struct vidmm_adapter *adapter = plan->adapter;
    adapter->epoch += plan->move_count != 0;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        if (plan->moves[i].allocation)
            run_commit_move(adapter, &plan->moves[i]);
    }
    run_show(plan);
    for (uint32_t i = 0; i < plan->move_count; i++) {
        const struct move *move = &plan->moves[i];
        if (move->allocation && move->discard && move->content)
            allocation_lost_content(move->allocation);
    }
    plan->move_count = 0;
    plan->buffer.segment = NULL;
}

enum vidmm_status plan_execute(struct plan *plan) {
    VIDMM_ASSERT_LOCKED(plan->adapter);
    struct vidmm_adapter *adapter = plan->adapter;
    enum vidmm_status status = plan_emit(plan) ? VIDMM_OK : error_no_memory(adapter, "vidmm plan");
    adapter->line = plan->line;
    if (status == VIDMM_OK)
        status = run_quiesce(plan);
    if (status == VIDMM_OK)
        status = run_build(plan);
    adapter->line = NULL;
    plan_tell(plan, status);
    if (status)
        plan_undo(plan, 0);
    else
        run_commit(plan);
    return status;
}

enum vidmm_status plan_run(struct plan *plan) {
    struct vidmm_adapter *adapter = plan->adapter;
    plan_end(&adapter->lost);
    enum vidmm_status status = plan_execute(plan);
    if (status == VIDMM_GPU_LOST) {
        adapter->lost = *plan;
        memset(plan, 0, sizeof(*plan));
    }
    plan_end(plan);
    return status;
}
