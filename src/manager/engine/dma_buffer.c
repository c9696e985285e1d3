/*
 * dma_buffer.c - see dma_buffer.h.
 */
#include "engine/dma_buffer.h"

#include "object/allocation.h"
#include "residency/decide.h"

static uint64_t highest_address(const struct vidmm_adapter *adapter) {
    uint64_t highest = (uint64_t)adapter->facts.caps.HighestAcceptableAddress.QuadPart;
    return highest ? highest : UINT64_MAX;
}

bool dma_buffer_create(struct vidmm_adapter *adapter, struct dma_buffer *buffer, uint32_t size,
                       uint32_t private_size, struct segment *segment) {
    const struct vidmm_os *os = &adapter->os;
    uint32_t flags = segment ? 0 : VIDMM_PAGES_CONTIGUOUS;
    buffer->size = size;
    buffer->segment = segment;
    buffer->mdl =
        os->pages_alloc(os->ctx, page_round(size) / PAGE_BYTES, flags, highest_address(adapter));
    if (buffer->mdl)
        buffer->cpu = os->pages_map(os->ctx, buffer->mdl);
    if (buffer->cpu && private_size) {
        buffer->private_data = adapter_alloc(adapter, private_size);
        if (buffer->private_data)
            buffer->private_size = private_size;
    }
    if (buffer->cpu && buffer->private_size == private_size)
        return true;
    dma_buffer_destroy(adapter, buffer);
    return false;
}

void dma_buffer_destroy(struct vidmm_adapter *adapter, struct dma_buffer *buffer) {
    if (buffer->mdl)
        adapter->os.pages_free(adapter->os.ctx, buffer->mdl);
    adapter_free(adapter, buffer->private_data, buffer->private_size);
    memset(buffer, 0, sizeof(*buffer));
}

PHYSICAL_ADDRESS dma_buffer_address(const struct dma_buffer *buffer) {
    PHYSICAL_ADDRESS address;
    if (buffer->segment) {
        address.QuadPart = (LONGLONG)segment_address(buffer->segment, buffer->place.offset);
    } else {
        const PFN_NUMBER *pages = (const PFN_NUMBER *)(buffer->mdl + 1);
        address.QuadPart = (LONGLONG)((uint64_t)pages[0] * PAGE_BYTES);
    }
    return address;
}

uint32_t dma_buffer_segment(const struct dma_buffer *buffer) {
    return buffer->segment ? buffer->segment->id : 0;
}

static enum vidmm_status judge(struct vidmm_adapter *adapter, const DXGK_CONTEXTINFO *info,
                               const char *call) {
    uint32_t known = adapter->aperture_set;
    if (info->DmaBufferSegmentSet & ~known)
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = call,
                    .field = "DXGK_CONTEXTINFO.DmaBufferSegmentSet",
                    .expected = "aperture segments only, or 0", .rule = "R79",
                    .page = "ns-d3dkmddi-_dxgk_contextinfo", .index = ERROR_NO_INDEX,
                    .value = info->DmaBufferSegmentSet);
    return VIDMM_OK;
}

static struct segment *first_segment(struct vidmm_adapter *adapter, uint32_t set) {
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        if ((set >> i) & 1u)
            return &adapter->facts.segments[i];
    }
    return NULL;
}

static bool create_parts(struct vidmm_adapter *adapter, struct dma_ring *ring,
                         const DXGK_CONTEXTINFO *info) {
    uint32_t size = info->DmaBufferSize ? info->DmaBufferSize : PAGE_BYTES;
    struct segment *segment = first_segment(adapter, info->DmaBufferSegmentSet);
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
static enum vidmm_status no_memory(struct vidmm_adapter *adapter, const DXGK_CONTEXTINFO *info,
                                   const char *call) {
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

enum vidmm_status dma_ring_create(struct vidmm_adapter *adapter, struct dma_ring *ring,
                                  const DXGK_CONTEXTINFO *info, const char *call) {
    enum vidmm_status status = judge(adapter, info, call);
    if (status)
        return status;
    ring->segments = info->DmaBufferSegmentSet;
    if (create_parts(adapter, ring, info))
        return VIDMM_OK;
    dma_ring_destroy(adapter, ring);
    return no_memory(adapter, info, call);
}

struct unmapping {
    struct vidmm_adapter *adapter;
    struct vidmm_device *device;
    struct dma_buffer *buffer;
};

static enum vidmm_status unmap(void *ctx) {
    const struct unmapping *call = ctx;
    struct dma_buffer *buffer = call->buffer;
    if (!buffer->place.block)
        return VIDMM_OK; /* a reset did it */
    plan_begin(call->adapter);
    return plan_map(call->adapter, NULL, call->device, buffer->mdl, buffer->segment,
                    buffer->place.offset, page_round(buffer->size), false)
               ? plan_execute(call->adapter)
               : VIDMM_NO_MEMORY;
}

static void destroy(struct vidmm_adapter *adapter, struct vidmm_device *device,
                    struct dma_buffer *buffer) {
    struct unmapping call = {adapter, device, buffer};
    if (!adapter->stopped)
        (void)adapter_persist(adapter, unmap, &call);
    if (buffer->place.block)
        segment_release(buffer->segment, &buffer->place);
    dma_buffer_destroy(adapter, buffer);
}

void dma_ring_destroy(struct vidmm_adapter *adapter, struct dma_ring *ring) {
    for (uint32_t i = 0; i < DMA_BUFFERS; i++)
        destroy(adapter, ring->device, &ring->buffers[i]);
    adapter_free(adapter, ring->patches, ring->patches_size * sizeof(*ring->patches));
    adapter_free(adapter, ring->allocations, ring->allocations_size * sizeof(*ring->allocations));
    memset(ring, 0, sizeof(*ring));
}

bool dma_ring_lists(struct vidmm_adapter *adapter, struct dma_ring *ring, uint32_t allocations) {
    return adapter_grow(adapter, (void **)&ring->allocations, &ring->allocations_size, allocations,
                        sizeof(*ring->allocations));
}

static enum vidmm_status map(struct vidmm_context *context, struct dma_buffer *buffer) {
    struct vidmm_adapter *adapter = context->device->adapter;
    uint64_t size = page_round(buffer->size);
    plan_begin(adapter);
    enum vidmm_status status =
        decide_buffer(adapter, context->dma.segments, size, &buffer->segment, &buffer->place);
    if (status)
        return status;
    adapter->plan.buffer_device = context->device;
    adapter->plan.buffer_mdl = buffer->mdl;
    adapter->plan.buffer_size = size;
    return plan_execute(adapter);
}

enum vidmm_status dma_buffer_ready(struct vidmm_context *context, struct dma_buffer *buffer) {
    return context->dma.segments && !buffer->place.block ? map(context, buffer) : VIDMM_OK;
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
