/*
 * preempt.c - a preemption that the caller asks for; others come before resets (engine/engine.h).
 */
#include "base/adapter.h"
#include "base/device.h"
#include "engine/engine.h"
#include "reported/physical.h"

struct preemption {
    struct vidmm_adapter *adapter;
    uint32_t node;
    HANDLE urgent; /* the driver's context whose work goes first; NULL: none */
};

static enum vidmm_status preempt(void *ctx) {
    const struct preemption *preemption = ctx;
    return engine_yield(preemption->adapter, preemption->node, preemption->urgent);
}

enum vidmm_status vidmm_preempt(struct vidmm_adapter *adapter, uint32_t physical, uint32_t node) {
    if (physical >= adapter->facts.linked || node >= adapter->facts.nodes)
        return VIDMM_BAD_ARGUMENT;
    struct preemption preemption = {.adapter = adapter,
                                    .node = node_index(&adapter->facts, physical, node)};
    return adapter_persist_call(adapter, "vidmm_preempt", preempt, &preemption);
}

enum vidmm_status vidmm_preempt_for(struct vidmm_context *context) {
    struct preemption preemption = {
        .adapter = context->device->adapter, .node = context->node, .urgent = context->handle};
    return adapter_persist_call(preemption.adapter, "vidmm_preempt_for", preempt, &preemption);
}
