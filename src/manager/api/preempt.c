/*
 * preempt.c - a preemption that the caller asks for; others come before resets (engine/engine.h).
 */
#include "base/adapter.h"
#include "engine/engine.h"
#include "reported/physical.h"

struct preemption {
    struct vidmm_adapter *adapter;
    uint32_t node;
};

static enum vidmm_status preempt(void *ctx) {
    const struct preemption *preemption = ctx;
    return engine_yield(preemption->adapter, preemption->node);
}

enum vidmm_status vidmm_preempt(struct vidmm_adapter *adapter, uint32_t physical, uint32_t node) {
    if (physical >= adapter->facts.linked || node >= adapter->facts.nodes)
        return VIDMM_BAD_ARGUMENT;
    struct preemption preemption = {adapter, node_index(&adapter->facts, physical, node)};
    return adapter_persist_call(adapter, "vidmm_preempt", preempt, &preemption);
}
