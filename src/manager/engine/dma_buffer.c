/*
 * dma_buffer.c - see dma_buffer.h.
 */
#include "engine/dma_buffer.h"

#include "base/assert.h"
#include "object/allocation.h"

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
    VIDMM_ASSERT(adapter, !buffer->place.block);
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
    return segment_driver_id(buffer->segment);
}
