/*
 * outstanding.c - see outstanding.h.
 */
#include "paging/outstanding.h"

#include "base/adapter.h"
#include "base/assert.h"

bool outstanding_create(struct vidmm_adapter *adapter) {
    struct outstanding *outstanding = &adapter->outstanding;
    return adapter_grow(adapter, (void **)&outstanding->ops, &outstanding->capacity, 1,
                        sizeof(*outstanding->ops));
}

void outstanding_destroy(struct vidmm_adapter *adapter) {
    struct outstanding *outstanding = &adapter->outstanding;
    adapter_free(adapter, outstanding->ops, outstanding->capacity * sizeof(*outstanding->ops));
    *outstanding = (struct outstanding){0};
}

enum vidmm_status outstanding_room(struct vidmm_adapter *adapter) {
    struct outstanding *outstanding = &adapter->outstanding;
    return adapter_grow(adapter, (void **)&outstanding->ops, &outstanding->capacity,
                        outstanding->end + 1, sizeof(*outstanding->ops))
               ? VIDMM_OK
               : paging_finish(adapter);
}

void outstanding_add(struct vidmm_adapter *adapter, struct plan_op *op) {
    VIDMM_ASSERT(adapter, adapter->outstanding.end < adapter->outstanding.capacity);
    struct outstanding *outstanding = &adapter->outstanding;
    op->sequence = ++outstanding->added;
    outstanding->ops[outstanding->end++] =
        (struct built_op){op->op, op->first_buffer, op->last_buffer, op->sequence};
}

static void outstanding_count(struct vidmm_adapter *adapter, const struct vidmm_op *op) {
    struct vidmm_stats *stats = &adapter->stats;
    stats->ops[op->kind]++;
    if (op->kind != VIDMM_OP_FLUSH_TLB) /* a range of addresses */
        stats->op_bytes[op->kind] += op->size;
    if (!vidmm_op_writes_content(op->kind))
        return;
    if (adapter_in_memory(adapter, &op->to))
        stats->paged_in_bytes += op->size;
    if (adapter_in_memory(adapter, &op->from))
        stats->paged_out_bytes += op->size;
}

void outstanding_done(struct vidmm_adapter *adapter, uint64_t buffer) {
    struct outstanding *outstanding = &adapter->outstanding;
    const struct vidmm_observer *observer = &adapter->settings.observer;
    while (outstanding->first < outstanding->end &&
           outstanding->ops[outstanding->first].last_buffer <= buffer) {
        const struct built_op *op = &outstanding->ops[outstanding->first++];
        outstanding->completed = op->sequence;
        outstanding_count(adapter, &op->op);
        if (observer->op_done)
            observer->op_done(observer->ctx, &op->op, op->first_buffer, op->last_buffer);
    }
    if (outstanding->first == outstanding->end)
        outstanding_forget(adapter);
}

void outstanding_forget(struct vidmm_adapter *adapter) {
    adapter->outstanding.first = adapter->outstanding.end = 0;
}

bool outstanding_completed(const struct vidmm_adapter *adapter, uint64_t sequence) {
    return sequence && sequence <= adapter->outstanding.completed;
}
