/*
 * reset.c - see reset.h.
 *
 * The whole adapter is reset, so everything in flight is given up, whichever node hung. Memory
 * segments count as lost: what has a valid system copy survives there. While the GPU is between
 * reset and restart the driver is told, operation by operation, that everything left its segment;
 * what it writes into paging buffers for that goes to the GPU after the restart, and is told then.
 *
 * These notices follow in the plan that hung, behind its own operations. When one of their paging
 * buffers hangs, the next reset goes on from there: what the GPU did not unmap is unmapped again,
 * and the driver is told nothing else twice.
 */
#include "adapter/reset.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/aperture.h"
#include "object/host_aperture.h"
#include "object/iommu_mapping.h"
#include "engine/page_fault.h"
#include "engine/tdr.h"
#include "lists/residency_list.h"
#include "paging/aperture_op.h"
#include "paging/plan_tell.h"
#include "paging/space.h"
#include "residency/residency.h"

/* Built, and not known to be done. */
static bool in_flight(const struct plan_op *op) {
    return op->last_buffer && !op->done;
}

/* Devices that own allocations of the paging operations in flight (tdr-changes-in-windows-8.md). */
static void lose_paging_owners(struct vidmm_adapter *adapter) {
    const struct plan *plan = &adapter->lost;
    struct node *nodes = adapter->fences.nodes; /* companion contexts are on any of them */
    fences_lock(adapter);
    for (uint32_t i = 0; i < plan->built; i++) {
        const struct vidmm_allocation *allocation = plan->ops[i].op.allocation;
        if (!allocation || !in_flight(&plan->ops[i]))
            continue;
        for (uint32_t n = 0; n < adapter->fences.node_count; n++)
            page_fault_blame_paging(&nodes[n], allocation_device(allocation));
        allocation_device(allocation)->lost = true;
    }
    for (uint32_t n = 0; n < adapter->fences.node_count; n++)
        nodes[n].anonymous = false;
    fences_unlock(adapter);
}

static bool same_window(const struct plan_op *op, enum vidmm_op_kind kind,
                        const struct vidmm_allocation *allocation,
                        const struct vidmm_place *window) {
    const struct vidmm_place *place = kind == VIDMM_OP_MAP ? &op->op.to : &op->op.from;
    return op->op.kind == kind && op->op.allocation == allocation &&
           place->segment == window->segment && place->offset == window->offset;
}

/* Before fences are given up: what of the plan that hung is done all the same. */
static void note_done(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->lost;
    for (uint32_t i = 0; i < plan->built; i++) {
        struct plan_op *op = &plan->ops[i];
        op->done = op->done || (op->last_buffer && paging_passed(adapter, op->last_buffer));
    }
}

/* True when the plan that hung unmaps it, from operation `first` on. */
static bool plan_unmaps(const struct plan *plan, uint32_t first,
                        const struct vidmm_allocation *allocation,
                        const struct vidmm_place *window) {
    for (uint32_t i = first; i < plan->built; i++) {
        if (same_window(&plan->ops[i], VIDMM_OP_UNMAP, allocation, window))
            return true;
    }
    return false;
}

static enum vidmm_status add_notice(struct vidmm_adapter *adapter, const struct plan_op *notice) {
    struct plan_op *op = plan_add(&adapter->lost, notice->op.kind, notice->op.allocation);
    if (!op)
        return error_no_memory(adapter, "vidmm reset");
    *op = *notice;
    op->due = true;
    return VIDMM_OK;
}

/* UNMAPs a range, except the pieces that the plan that hung unmaps. */
static enum vidmm_status reset_unmap(struct vidmm_adapter *adapter,
                                     const struct aperture_range *range) {
    enum vidmm_status status = VIDMM_OK;
    for (uint64_t at = 0; status == VIDMM_OK && at < range->size;) {
        struct plan_op op;
        at += aperture_op(range, at, false, &op);
        if (!plan_unmaps(&adapter->lost, 0, range->allocation, &op.op.from))
            status = add_notice(adapter, &op);
    }
    return status;
}

/*
 * The plan that hung ends here. What was in flight went with the reset, its MAPs become UNMAPs
 * unless it unmaps them itself, and what the GPU has not unmapped is due.
 */
static void turn_round(struct plan *plan) {
    plan->op_count = plan->built;
    for (uint32_t i = 0; i < plan->built; i++) {
        struct plan_op *op = &plan->ops[i];
        const struct vidmm_op map = op->op;
        op->first_buffer = op->last_buffer = 0;
        if (map.kind == VIDMM_OP_MAP && !plan_unmaps(plan, i, map.allocation, &map.to)) {
            op->op.kind = VIDMM_OP_UNMAP;
            op->op.from = map.to;
            op->op.to = map.from;
            op->done = false;
        }
        op->due |= op->op.kind == VIDMM_OP_UNMAP && !op->done;
    }
}

static enum vidmm_status notify_memory(struct vidmm_allocation *allocation) {
    struct plan_op op = {
        .op = {.kind = VIDMM_OP_TRANSFER,
               .physical = allocation->home,
               .allocation = allocation,
               .from = {.segment = allocation->segment->id, .offset = allocation->place.offset},
               .to = {.mdl = allocation->mdl},
               .first = true,
               .last = true},
    };
    return add_notice(allocation->adapter, &op);
}

static enum vidmm_status notify_aperture(struct vidmm_allocation *allocation) {
    struct aperture_range range = {
        allocation,          aperture_device(allocation), allocation->mdl,
        allocation->segment, allocation->place.offset,    allocation->size};
    return reset_unmap(allocation->adapter, &range);
}

/* By the last NOTIFY_RESIDENCY: of the plan that hung, or of an earlier one. */
static bool notified_resident(const struct vidmm_allocation *allocation) {
    const struct plan *plan = &allocation->adapter->lost;
    for (uint32_t i = plan->built; i-- > 0;) {
        const struct vidmm_op *op = &plan->ops[i].op;
        if (op->kind == VIDMM_OP_NOTIFY_RESIDENCY && op->allocation == allocation)
            return op->to.segment != 0;
    }
    return allocation->segment;
}

/* It is evicted (ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md, NOTIFY_RESIDENCY). */
static enum vidmm_status reset_announce(struct vidmm_allocation *allocation) {
    struct plan_op op = {.op = {.kind = VIDMM_OP_NOTIFY_RESIDENCY,
                                .physical = allocation->home,
                                .allocation = allocation}};
    if (!allocation_announced(allocation) || !notified_resident(allocation))
        return VIDMM_OK;
    return add_notice(allocation->adapter, &op);
}

/* With GPU virtual addresses no TRANSFER tells of memory, and not all is in an aperture's range. */
static enum vidmm_status reset_notify(struct vidmm_allocation *allocation) {
    bool aperture = allocation->segment->aperture;
    if (allocation->place.floating || (allocation->adapter->gpummu && !aperture))
        return VIDMM_OK;
    return aperture ? notify_aperture(allocation) : notify_memory(allocation);
}

struct cleanup {
    enum vidmm_status status;
};

/* Out of its segment, in the driver's state and the manager's. A CPU pointer into the segment keeps its
 * place. */
static void clean_up(void *ctx, struct vidmm_allocation *allocation) {
    struct cleanup *cleanup = ctx;
    struct segment *segment = allocation->segment;
    bool lost = segment && !segment->aperture && allocation->stale && allocation->content;
    allocation->last_nodes = 0;
    if (cleanup->status == VIDMM_OK && !allocation_fixed(allocation))
        cleanup->status = reset_announce(allocation);
    if (segment && !allocation_fixed(allocation)) {
        host_aperture_release(allocation);
        if (cleanup->status == VIDMM_OK)
            cleanup->status = reset_notify(allocation);
        allocation_unqueue(allocation);
        segment_release(segment, &allocation->place);
        allocation->segment = NULL;
        resident_moved(&allocation->adapter->policy, &allocation->resident, 0);
        if (allocation->adapter->iommu)
            iommu_mapping_follow(allocation);
    }
    if (lost)
        allocation->content = false;
    residency_entries_update(allocation);
    allocation_publish(allocation);
    if (lost)
        allocation_lost_content(allocation);
}

static enum vidmm_status reset_buffer(struct vidmm_adapter *adapter, struct vidmm_device *device,
                                      struct dma_buffer *buffer) {
    struct aperture_range range = {
        NULL, device, buffer->mdl, buffer->segment, buffer->place.offset, page_round(buffer->size)};
    enum vidmm_status status = reset_unmap(adapter, &range);
    segment_release(buffer->segment, &buffer->place);
    return status;
}

/* The paging buffers of a physical adapter are no longer mapped. */
static enum vidmm_status clean_up_paging(struct vidmm_adapter *adapter, struct paging *paging) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 1; status == VIDMM_OK && i <= PAGING_BUFFERS; i++) {
        struct dma_buffer *buffer = &paging->buffers[i];
        if (buffer->place.block)
            status = reset_buffer(adapter, NULL, buffer);
    }
    return status;
}

static enum vidmm_status clean_up_ring(struct vidmm_adapter *adapter, struct dma_ring *ring) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < DMA_BUFFERS; i++) {
        struct dma_buffer *buffer = &ring->buffers[i];
        buffer->pending = false;
        if (buffer->place.block)
            status = reset_buffer(adapter, ring->device, buffer);
    }
    return status;
}

static enum vidmm_status clean_up_buffers(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = clean_up_paging(adapter, &adapter->physical[i].paging);
    for (struct vidmm_device *device = adapter->devices.first; device; device = device->next) {
        for (struct vidmm_context *context = device->contexts; context; context = context->next) {
            if (status == VIDMM_OK)
                status = clean_up_ring(adapter, &context->dma);
        }
    }
    return status;
}

/* Everything leaves on paper; what the driver has to be told of it is due in the plan. */
static enum vidmm_status clean_up_all(struct vidmm_adapter *adapter) {
    struct cleanup cleanup = {VIDMM_OK};
    struct plan *plan = &adapter->lost;
    if (!plan->adapter) /* no plan hung */
        plan_begin(plan, adapter, VIDMM_PLAN_RESET);
    turn_round(plan);
    allocation_each(adapter, clean_up, &cleanup);
    if (cleanup.status == VIDMM_OK)
        cleanup.status = clean_up_buffers(adapter);
    plan->built = plan->op_count; /* a hang from here on is one of these */
    return cleanup.status;
}

static enum vidmm_status build_notices(struct vidmm_adapter *adapter) {
    struct plan *plan = &adapter->lost;
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < plan->op_count; i++) {
        struct plan_op *op = &plan->ops[i];
        if (!op->due)
            continue;
        op->due = false; /* before: it may be half built when the GPU hangs */
        status = paging_build(adapter, op);
    }
    return status;
}

/* The notices, then the restart, then what the notices left in paging buffers. */
static enum vidmm_status give_notices(struct vidmm_adapter *adapter) {
    enum vidmm_status status = clean_up_all(adapter);
    if (status == VIDMM_OK)
        status = build_notices(adapter);
    if (status == VIDMM_OK && adapter->held)
        status = paging_restart(adapter);
    if (status == VIDMM_OK)
        status = paging_finish(adapter);
    adapter->lost.reason = VIDMM_PLAN_RESET;
    plan_tell(&adapter->lost, status);
    return status;
}

/* The paging process's page tables, the notices, then what has to be mapped again. */
static enum vidmm_status start_over(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    adapter->held = true;
    paging_forget(adapter);
    swizzling_release_all(adapter);
    if (adapter->gpummu)
        status = space_restore_paging(adapter);
    if (status == VIDMM_OK)
        status = give_notices(adapter);
    if (status)
        return status;
    plan_end(&adapter->lost);
    status = paging_map(adapter);
    return status == VIDMM_OK && adapter->gpummu ? space_restore(adapter) : status;
}

enum vidmm_status reset_adapter(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_LOCKED(adapter);
    adapter->stats.resets++;
    enum vidmm_status status = tdr_reset(adapter);
    note_done(adapter);
    if (fence_give_up(adapter))
        lose_paging_owners(adapter);
    dirty_lost(adapter);
    if (status == VIDMM_OK)
        status = start_over(adapter);
    return status == VIDMM_OK ? residency_bring_back(adapter, VIDMM_PLAN_RESET) : status;
}

enum vidmm_status vidmm_reset(struct vidmm_adapter *adapter) {
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_reset");
    if (status == VIDMM_OK) {
        plan_end(&adapter->lost);
        status = adapter_recover(adapter);
    }
    adapter_leave(adapter);
    return status;
}
