/*
 * flush.c - what a caller asks of the segments as a whole: to write out what the hardware holds
 * back, and to evict all that may leave.
 */
#include "base/adapter.h"
#include "residency/residency.h"

struct flush {
    struct vidmm_adapter *adapter;
    uint32_t segment;
    uint64_t offset;
    bool write;
};

static enum vidmm_status flush_touch(void *ctx) {
    const struct flush *flush = ctx;
    struct vidmm_place place = {.segment = flush->segment, .offset = flush->offset};
    struct plan plan;
    plan_begin(&plan, flush->adapter, VIDMM_PLAN_FLUSH);
    enum vidmm_status status = plan_touch(&plan, place, flush->write)
                                   ? plan_run(&plan)
                                   : error_no_memory(flush->adapter, "vidmm_flush");
    plan_end(&plan);
    return status;
}

enum vidmm_status vidmm_flush(struct vidmm_adapter *adapter, uint32_t segment, uint64_t offset,
                              bool write) {
    struct flush flush = {adapter, segment, offset, write};
    adapter_enter(adapter);
    const struct segment *target = query_segment(&adapter->facts, segment);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_flush");
    if (status == VIDMM_OK && (!target || offset >= target->size || target->size - offset < 8))
        status = error_argument(adapter, "vidmm_flush", "eight bytes inside a segment");
    if (status == VIDMM_OK && adapter->gpummu)
        status = error_argument(adapter, "vidmm_flush", "an adapter on physical addresses");
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, flush_touch, &flush);
    adapter_leave(adapter);
    return status;
}

static enum vidmm_status evict_what_may(void *ctx) {
    return residency_evict_all(ctx, residency_may_leave, NULL, VIDMM_PLAN_EVICT);
}

enum vidmm_status vidmm_evict_all(struct vidmm_adapter *adapter) {
    return adapter_persist_call(adapter, "vidmm_evict_all", evict_what_may, adapter);
}

void vidmm_place_first(struct vidmm_adapter *adapter, uint32_t segment) {
    adapter_enter(adapter);
    adapter->settings.place_first = segment;
    adapter_leave(adapter);
}

void vidmm_place_at_end(struct vidmm_adapter *adapter, bool on) {
    adapter_enter(adapter);
    adapter->settings.place_at_end = on;
    adapter_leave(adapter);
}
