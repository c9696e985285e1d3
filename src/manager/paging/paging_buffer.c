/*
 * paging_buffer.c - the buffers that paging operations are built into, and their way to the GPU
 * (submitting-a-command-buffer.md): DxgkDdiPatch without lists (docs/readings.md), then
 * DxgkDdiSubmitCommand on the paging node. Each submission gets its own buffer, filled from its
 * start.
 */
#include "object/allocation.h"
#include "engine/tdr.h"
#include "paging/paging.h"
#include "paging/space.h"

static struct paging *paging_of(struct vidmm_adapter *adapter, uint32_t physical) {
    return &adapter->physical[physical].paging;
}

bool paging_is_mapped(const struct vidmm_adapter *adapter, uint32_t physical) {
    return adapter->facts.physical[physical].paging_segment != 0;
}

static enum vidmm_status create_buffers(struct vidmm_adapter *adapter, uint32_t physical) {
    struct paging *paging = paging_of(adapter, physical);
    const struct physical_facts *facts = &adapter->facts.physical[physical];
    struct segment *segment = query_segment(&adapter->facts, facts->paging_segment);
    bool mapped = paging_is_mapped(adapter, physical);
    uint32_t count = mapped ? PAGING_BUFFERS + 1 : PAGING_BUFFERS;
    for (uint32_t i = 0; i < count; i++) {
        if (!dma_buffer_create(adapter, &paging->buffers[i], facts->paging_size,
                               facts->paging_private, i == 0 ? NULL : segment))
            return error_no_memory(adapter, "paging buffers");
    }
    paging->first = 0;
    paging->count = mapped ? 1 : PAGING_BUFFERS;
    return VIDMM_OK;
}

enum vidmm_status paging_create(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = create_buffers(adapter, i);
    if (status == VIDMM_OK && !outstanding_create(adapter))
        status = error_no_memory(adapter, "paging buffers");
    return status;
}

void paging_destroy(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < LINKED_MAX * (PAGING_BUFFERS + 1); i++)
        dma_buffer_destroy(
            adapter,
            &paging_of(adapter, i / (PAGING_BUFFERS + 1))->buffers[i % (PAGING_BUFFERS + 1)]);
    outstanding_destroy(adapter);
}

void paging_use(struct vidmm_adapter *adapter, uint32_t physical, bool bootstrap) {
    struct paging *paging = paging_of(adapter, physical);
    if (!paging_is_mapped(adapter, physical))
        return;
    paging->first = bootstrap ? 0 : 1;
    paging->count = bootstrap ? 1 : PAGING_BUFFERS;
    paging->current = paging->first;
    paging->used = paging->private_used = 0;
}

void paging_forget(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->facts.linked; i++) {
        struct paging *paging = paging_of(adapter, i);
        for (uint32_t b = 0; b < PAGING_BUFFERS + 1; b++)
            paging->buffers[b].pending = false;
        paging->used = paging->private_used = 0;
        paging_use(adapter, i, true);
    }
    outstanding_forget(adapter);
}

enum vidmm_status paging_restart(struct vidmm_adapter *adapter) {
    adapter->held = false;
    return tdr_restart(adapter);
}

struct paging_line paging_line(const struct vidmm_adapter *adapter, uint32_t physical) {
    if (adapter->line)
        return *adapter->line;
    return (struct paging_line){.context = adapter->physical[physical].paging.context,
                                .node = node_index(&adapter->facts, physical,
                                                   adapter->facts.physical[physical].paging_node)};
}

uint64_t paging_address(const struct vidmm_adapter *adapter, uint32_t physical) {
    const struct paging *paging = &adapter->physical[physical].paging;
    const struct dma_buffer *buffer = &paging->buffers[paging->current];
    if (!adapter->line)
        return buffer->va;
    return adapter->line->buffers + (uint64_t)paging->current * page_round(buffer->size);
}

static void describe_physical(struct vidmm_adapter *adapter, uint32_t physical,
                              struct packet *packet) {
    const struct paging *paging = paging_of(adapter, physical);
    const struct dma_buffer *buffer = &paging->buffers[paging->current];
    packet->patches = adapter->ddi->DxgkDdiPatch && adapter->settings.readings.paging_patch == 0;
    packet->patch = (DXGKARG_PATCH){
        .hContext = paging->context,
        .DmaBufferSegmentId = dma_buffer_segment(buffer),
        .DmaBufferPhysicalAddress = dma_buffer_address(buffer),
        .pDmaBuffer = buffer->cpu,
        .DmaBufferSize = buffer->size,
        .DmaBufferSubmissionEndOffset = paging->used,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = buffer->private_size,
        .DmaBufferPrivateDataSubmissionEndOffset = paging->private_used,
    };
    packet->patch.Flags.Paging = 1;
    packet->submit = (DXGKARG_SUBMITCOMMAND){
        .hContext = paging->context,
        .DmaBufferSegmentId = packet->patch.DmaBufferSegmentId,
        .DmaBufferPhysicalAddress = packet->patch.DmaBufferPhysicalAddress,
        .DmaBufferSize = buffer->size,
        .DmaBufferSubmissionEndOffset = paging->used,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = buffer->private_size,
        .DmaBufferPrivateDataSubmissionEndOffset = paging->private_used,
    };
    packet->submit.Flags.Paging = 1;
}

static void describe_virtual(struct vidmm_adapter *adapter, uint32_t physical,
                             struct packet *packet) {
    const struct paging *paging = paging_of(adapter, physical);
    const struct dma_buffer *buffer = &paging->buffers[paging->current];
    packet->virtual_address = true;
    packet->submit_virtual = (DXGKARG_SUBMITCOMMANDVIRTUAL){
        .hContext = paging_line(adapter, physical).context,
        .DmaBufferVirtualAddress = paging_address(adapter, physical),
        .DmaBufferSize = paging->used,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = paging->private_used,
    };
    packet->submit_virtual.Flags.Paging = 1;
}

static enum vidmm_status hand_over(struct vidmm_adapter *adapter, uint32_t physical) {
    struct paging *paging = paging_of(adapter, physical);
    struct dma_buffer *buffer = &paging->buffers[paging->current];
    uint32_t node = paging_line(adapter, physical).node;
    enum vidmm_status status = fence_room(adapter, node);
    if (status)
        return status;
    struct packet *packet = fence_packet(adapter, node);
    (void)packet_begin(adapter, packet, 0);
    packet->buffer = buffer;
    packet->node = node;
    if (buffer->va)
        describe_virtual(adapter, physical, packet);
    else
        describe_physical(adapter, physical, packet);
    buffer->number = adapter->stats.paging_buffers + 1;
    buffer->node = node;
    buffer->pending = true;
    status = fence_submit(adapter, node, 0, NULL);
    if (status == VIDMM_OK)
        adapter->stats.paging_buffers++;
    return status;
}

/* Waits for the buffer, whose turn it is, and tells what it completed. */
static enum vidmm_status settle(struct vidmm_adapter *adapter, struct dma_buffer *buffer) {
    if (!buffer->pending)
        return VIDMM_OK;
    enum vidmm_status status = fence_wait(adapter, buffer->node, &buffer->fence);
    if (status)
        return status;
    buffer->pending = false;
    outstanding_done(adapter, buffer->number);
    return VIDMM_OK;
}

static bool passed_on(struct vidmm_adapter *adapter, uint32_t physical, uint64_t number) {
    const struct paging *paging = paging_of(adapter, physical);
    if (number > adapter->stats.paging_buffers && paging->used != 0)
        return false; /* the current one, which was not submitted */
    for (uint32_t i = 0; i < PAGING_BUFFERS + 1; i++) {
        const struct dma_buffer *buffer = &paging->buffers[i];
        if (buffer->pending && buffer->number <= number &&
            !fence_passed(adapter, buffer->node, buffer->fence))
            return false;
    }
    return true;
}

bool paging_passed(struct vidmm_adapter *adapter, uint64_t number) {
    for (uint32_t i = 0; i < adapter->facts.linked; i++) {
        if (!passed_on(adapter, i, number))
            return false;
    }
    return true;
}

static uint32_t after(const struct paging *paging, uint32_t index) {
    return paging->first + (index - paging->first + 1) % paging->count;
}

enum vidmm_status paging_submit(struct vidmm_adapter *adapter, uint32_t physical) {
    struct paging *paging = paging_of(adapter, physical);
    enum vidmm_status status = VIDMM_OK;
    if (paging->used == 0)
        return VIDMM_OK;
    if (adapter->held)
        status = paging_restart(adapter);
    if (status == VIDMM_OK)
        status = hand_over(adapter, physical);
    if (status)
        return status;
    paging->used = paging->private_used = 0;
    paging->current = after(paging, paging->current);
    return settle(adapter, &paging->buffers[paging->current]);
}

/* The buffers are waited for one by one, in the order of submission: the next is the oldest. */
static enum vidmm_status finish_on(struct vidmm_adapter *adapter, uint32_t physical) {
    struct paging *paging = paging_of(adapter, physical);
    enum vidmm_status status = paging_submit(adapter, physical);
    uint32_t index = paging->current;
    for (uint32_t i = 0; status == VIDMM_OK && i < paging->count; i++) {
        status = settle(adapter, &paging->buffers[index]);
        index = after(paging, index);
    }
    return status;
}

enum vidmm_status paging_finish(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = finish_on(adapter, i);
    if (status == VIDMM_OK)
        outstanding_done(adapter, UINT64_MAX); /* what left nothing in a buffer */
    return status;
}
