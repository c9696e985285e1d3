/*
 * dma_ring.c - see dma_ring.h.
 */
#include "residency/dma_ring.h"

#include "base/device.h"
#include "residency/decide.h"

static enum vidmm_status dma_ring_check(struct vidmm_adapter *adapter, const struct dma_ring *ring,
                                        const DXGK_CONTEXTINFO *info, const char *call) {
    uint32_t known = driver_segment_set(&adapter->facts, ring->physical, adapter->sets.aperture);
    if (info->DmaBufferSegmentSet & ~known)
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = call,
                    .field = "DXGK_CONTEXTINFO.DmaBufferSegmentSet",
                    .expected = "aperture segments only, or 0", .rule = "R79",
                    .page = "ns-d3dkmddi-_dxgk_contextinfo", .index = ERROR_NO_INDEX,
                    .value = info->DmaBufferSegmentSet);
    return VIDMM_OK;
}

static struct segment *dma_ring_segment(struct vidmm_adapter *adapter, uint32_t set) {
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        if ((set >> i) & 1u)
            return &adapter->facts.segments[i];
    }
    return NULL;
}

static bool dma_ring_parts(struct vidmm_adapter *adapter, struct dma_ring *ring,
                           const DXGK_CONTEXTINFO *info) {
    uint32_t size = info->DmaBufferSize ? info->DmaBufferSize : PAGE_BYTES;
    struct segment *segment = dma_ring_segment(adapter, ring->segments);
    for (uint32_t i = 0; i < DMA_BUFFERS; i++) {
        if (!dma_buffer_create(adapter, &ring->buffers[i], size, info->DmaBufferPrivateDataSize,
                               segment))
            return false;
    }
    uint32_t patches = info->PatchLocationListSize;
    if (patches) {
        ring->patches = adapter_alloc(adapter, patches * sizeof(*ring->patches));
        if (!ring->patches)
            return false;
        ring->patches_size = patches;
    }
    return dma_ring_lists(adapter, ring, info->AllocationListSize);
}

/* Names what the driver asked most for: it may have meant another number. */
static enum vidmm_status dma_ring_no_memory(struct vidmm_adapter *adapter,
                                            const DXGK_CONTEXTINFO *info, const char *call) {
    const struct {
        const char *field;
        uint32_t value;
        uint64_t bytes;
    } asked[] = {{"DXGK_CONTEXTINFO.DmaBufferSize", info->DmaBufferSize,
                  (uint64_t)info->DmaBufferSize * DMA_BUFFERS},
                 {"DXGK_CONTEXTINFO.DmaBufferPrivateDataSize", info->DmaBufferPrivateDataSize,
                  (uint64_t)info->DmaBufferPrivateDataSize * DMA_BUFFERS},
                 {"DXGK_CONTEXTINFO.AllocationListSize", info->AllocationListSize,
                  (uint64_t)info->AllocationListSize * sizeof(DXGK_ALLOCATIONLIST)},
                 {"DXGK_CONTEXTINFO.PatchLocationListSize", info->PatchLocationListSize,
                  (uint64_t)info->PatchLocationListSize * sizeof(D3DDDI_PATCHLOCATIONLIST)}};
    uint32_t most = 0;
    for (uint32_t i = 1; i < sizeof(asked) / sizeof(asked[0]); i++)
        if (asked[i].bytes > asked[most].bytes)
            most = i;
    return FAIL(adapter, .status = VIDMM_NO_MEMORY, .call = call, .field = asked[most].field,
                .expected = "what there is memory for", .page = "ns-d3dkmddi-_dxgk_contextinfo",
                .index = ERROR_NO_INDEX, .value = asked[most].value);
}

bool dma_ring_lists(struct vidmm_adapter *adapter, struct dma_ring *ring, uint32_t allocations) {
    return adapter_grow(adapter, (void **)&ring->allocations, &ring->allocations_size, allocations,
                        sizeof(*ring->allocations));
}

enum vidmm_status dma_ring_create(struct vidmm_adapter *adapter, struct dma_ring *ring,
                                  const DXGK_CONTEXTINFO *info, const char *call) {
    enum vidmm_status status = dma_ring_check(adapter, ring, info, call);
    if (status)
        return status;
    ring->segments =
        segment_set_of_driver(&adapter->facts, ring->physical, info->DmaBufferSegmentSet);
    if (dma_ring_parts(adapter, ring, info))
        return VIDMM_OK;
    dma_ring_destroy(adapter, ring);
    return dma_ring_no_memory(adapter, info, call);
}

struct unmapping {
    struct vidmm_adapter *adapter;
    struct vidmm_device *device;
    struct dma_buffer *buffer;
};

static struct plan_buffer dma_ring_pages(struct vidmm_device *device,
                                         const struct dma_buffer *buffer) {
    return (struct plan_buffer){.device = device,
                                .mdl = buffer->mdl,
                                .segment = buffer->segment,
                                .offset = buffer->place.offset,
                                .size = page_round(buffer->size)};
}

static enum vidmm_status dma_ring_unmap(void *ctx) {
    const struct unmapping *call = ctx;
    struct dma_buffer *buffer = call->buffer;
    if (!buffer->place.block)
        return VIDMM_OK; /* a reset did it */
    const struct plan_buffer what = dma_ring_pages(call->device, buffer);
    struct plan plan;
    plan_begin(&plan, call->adapter, VIDMM_PLAN_DMA_BUFFER);
    enum vidmm_status status =
        plan_map_buffer(&plan, &what, false) ? plan_run(&plan) : VIDMM_NO_MEMORY;
    plan_end(&plan);
    return status;
}

enum vidmm_status dma_ring_leave(struct vidmm_adapter *adapter, struct dma_ring *ring) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < DMA_BUFFERS; i++) {
        struct unmapping call = {adapter, ring->device, &ring->buffers[i]};
        status = dma_ring_unmap(&call);
        if (status == VIDMM_OK && call.buffer->place.block)
            segment_release(call.buffer->segment, &call.buffer->place);
    }
    return status;
}

static void dma_ring_end_buffer(struct vidmm_adapter *adapter, struct vidmm_device *device,
                                struct dma_buffer *buffer) {
    struct unmapping call = {adapter, device, buffer};
    if (!adapter->stopped)
        (void)adapter_persist(adapter, dma_ring_unmap, &call);
    if (buffer->place.block)
        segment_release(buffer->segment, &buffer->place);
    dma_buffer_destroy(adapter, buffer);
}

void dma_ring_destroy(struct vidmm_adapter *adapter, struct dma_ring *ring) {
    for (uint32_t i = 0; i < DMA_BUFFERS; i++)
        dma_ring_end_buffer(adapter, ring->device, &ring->buffers[i]);
    adapter_free(adapter, ring->patches, ring->patches_size * sizeof(*ring->patches));
    adapter_free(adapter, ring->allocations, ring->allocations_size * sizeof(*ring->allocations));
    memset(ring, 0, sizeof(*ring));
}

static enum vidmm_status dma_ring_map(struct vidmm_context *context, struct dma_buffer *buffer) {
    struct vidmm_adapter *adapter = context->device->adapter;
    uint64_t size = page_round(buffer->size);
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_DMA_BUFFER);
    enum vidmm_status status =
        decide_buffer(&plan, context->dma.segments, size, &buffer->segment, &buffer->place);
    if (status == VIDMM_OK) {
        plan.buffer = dma_ring_pages(context->device, buffer);
        plan.buffer_place = &buffer->place;
        status = plan_run(&plan);
    }
    plan_end(&plan);
    return status;
}

enum vidmm_status dma_buffer_ready(struct vidmm_context *context, struct dma_buffer *buffer) {
    return context->dma.segments && !buffer->place.block ? dma_ring_map(context, buffer) : VIDMM_OK;
}

enum vidmm_status dma_ring_acquire(struct vidmm_context *context, struct dma_buffer **out) {
    struct dma_ring *ring = &context->dma;
    struct dma_buffer *buffer = &ring->buffers[ring->next];
    enum vidmm_status status = VIDMM_OK;
    if (buffer->pending)
        status = fence_wait(context->device->adapter, context->node, &buffer->fence);
    if (status == VIDMM_OK)
        status = dma_buffer_ready(context, buffer);
    if (status)
        return status;
    buffer->pending = false;
    ring->next = (ring->next + 1) % DMA_BUFFERS;
    *out = buffer;
    return VIDMM_OK;
}
