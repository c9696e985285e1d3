/*
 * gart.c - see gart.h.
 */
#include "paging/gart.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "object/allocation.h"
#include "paging/plan.h"

/* The range of the aperture that a MAP or UNMAP names. */
static const struct vidmm_place *gart_range(const struct plan_op *op) {
    return op->op.kind == VIDMM_OP_MAP ? &op->op.to : &op->op.from;
}

bool gart_serves(const struct vidmm_adapter *adapter, const struct plan_op *op) {
    if (op->op.kind != VIDMM_OP_MAP && op->op.kind != VIDMM_OP_UNMAP)
        return false;
    return query_segment(&adapter->facts, gart_range(op)->segment)->agp;
}

/* Before the first use of the GPU, and after its last one. */
void gart_carry_out(struct vidmm_adapter *adapter, const struct plan_op *op) {
    const struct vidmm_os *os = &adapter->os;
    bool cached = op->op.allocation && op->op.allocation->info.Flags.Cached;
    uint64_t page = gart_range(op)->offset / PAGE_BYTES, pages = op->op.size / PAGE_BYTES;
    VIDMM_ASSERT(adapter, os->gart && page + pages <= os->gart->size / PAGE_BYTES);
    if (op->op.kind == VIDMM_OP_MAP)
        os->gart->map(os->ctx, page, op->op.from.mdl, op->op.from.mdl_page, pages);
    if (cached)
        os->gart->flush(os->ctx, page, pages);
    if (op->op.kind == VIDMM_OP_UNMAP)
        os->gart->unmap(os->ctx, page, pages);
}

void gart_flush(const struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &allocation->adapter->os;
    if (allocation->segment && allocation->segment->agp && allocation->info.Flags.Cached)
        os->gart->flush(os->ctx, allocation->place.offset / PAGE_BYTES,
                        allocation->size / PAGE_BYTES);
}
