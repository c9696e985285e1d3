/*
 * info.c - questions about an adapter, which need no lock of the API.
 */
#include "base/adapter.h"

void vidmm_adapter_info(struct vidmm_adapter *adapter, struct vidmm_adapter_info *info) {
    const struct adapter_facts *facts = &adapter->facts;
    *info = (struct vidmm_adapter_info){
        .interface_version = facts->interface_version,
        .registered_version = facts->registered_version,
        .query_version = facts->query_version,
        .segments = facts->segment_count,
        .linked = facts->linked,
        .paging_segment = facts->physical[0].paging_segment,
        .paging_size = facts->physical[0].paging_size,
        .paging_private = facts->physical[0].paging_private,
        .nodes = facts->nodes,
        .paging_node = facts->physical[0].paging_node,
        .shared_limit = facts->shared.limit,
        .caps = facts->caps,
    };
}

bool vidmm_segment_info(struct vidmm_adapter *adapter, uint32_t id,
                        struct vidmm_segment_info *info) {
    const struct segment *segment = query_segment(&adapter->facts, id);
    if (!segment)
        return false;
    adapter->os.lock(adapter->os.ctx, adapter->lock);
    *info = (struct vidmm_segment_info){
        .id = segment->id,
        .physical = segment->physical,
        .driver_id = segment->driver_id,
        .flags = segment->flags.Value,
        .aperture = segment->aperture,
        .agp = segment->agp,
        .base = segment->base,
        .cpu_base = segment->cpu_base,
        .size = segment->size,
        .commit_limit = segment->commit_limit,
        .banks = segment->banks,
        .bank_ends = segment->bank_ends,
        .vpr_start = segment->vpr.start,
        .vpr_size = segment->vpr.size,
        .vpr_reserve = segment->vpr.reserve,
        .invalid_ranges = segment->invalid_count,
        .used = segment->used,
        .peak = segment->peak,
        .residents = segment->residents,
    };
    adapter->os.unlock(adapter->os.ctx, adapter->lock);
    return true;
}

void vidmm_memory_sizes(struct vidmm_adapter *adapter, struct vidmm_memory_sizes *sizes) {
    const struct adapter_facts *facts = &adapter->facts;
    *sizes = (struct vidmm_memory_sizes){
        .available = facts->available,
        .dedicated_video = facts->dedicated_video,
        .dedicated_system = facts->dedicated_system,
        .shared_system = facts->shared.limit,
        .total = facts->dedicated_video + facts->dedicated_system + facts->shared.limit,
    };
}

void vidmm_stats(struct vidmm_adapter *adapter, struct vidmm_stats *stats) {
    adapter->os.lock(adapter->os.ctx, adapter->lock);
    *stats = adapter->stats;
    adapter->os.unlock(adapter->os.ctx, adapter->lock);
}

void vidmm_last_error(struct vidmm_adapter *adapter, struct vidmm_error *error) {
    adapter->os.lock(adapter->os.ctx, adapter->lock);
    *error = adapter->error;
    adapter->os.unlock(adapter->os.ctx, adapter->lock);
}
