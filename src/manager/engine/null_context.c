/*
 * null_context.c - see null_context.h.
 */
#include "engine/null_context.h"

/* True when the state of the context that `allocation` belongs to may be on `node`. */
static bool null_context_holds(const struct node *node, const struct vidmm_allocation *allocation) {
    const struct vidmm_context *context = allocation->device->contexts;
    for (; node->context && context; context = context->next) {
        if (context->handle == node->context &&
            (!allocation->context || allocation->context == context))
            return true;
    }
    return false;
}

/*
 * The work of the context's device, in case the engine hangs in it. No byte of the buffer is meant:
 * a paging buffer lends its address, which is always a valid one.
 */
static enum vidmm_status null_context_submit(struct vidmm_device *device, uint32_t index) {
    struct vidmm_adapter *adapter = device->adapter;
    const struct paging *paging = &adapter->physical[node_physical(&adapter->facts, index)].paging;
    const struct dma_buffer *buffer = &paging->buffers[paging->first];
    enum vidmm_status status = fence_room(adapter, index);
    if (status)
        return status;
    struct packet *packet = fence_packet(adapter, index);
    (void)packet_begin(adapter, packet, 0);
    packet->submit = (DXGKARG_SUBMITCOMMAND){
        .DmaBufferSegmentId = dma_buffer_segment(buffer),
        .DmaBufferPhysicalAddress = dma_buffer_address(buffer),
    };
    packet->node = index;
    packet->submit.Flags.ContextSwitch = 1;
    return fence_submit(adapter, index, 0, device);
}

enum vidmm_status null_context_switch(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    enum vidmm_status status = VIDMM_OK;
    if (allocation->resource || adapter->facts.interface_version < DXGKDDI_INTERFACE_VERSION_WIN8)
        return VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->fences.node_count; i++) {
        if (!null_context_holds(&adapter->fences.nodes[i], allocation))
            continue;
        status = null_context_submit(allocation->device, i);
        if (status == VIDMM_OK)
            status = fence_wait_node(adapter, i);
    }
    return status;
}

void null_context_forget(const struct vidmm_context *context) {
    struct fences *fences = &context->device->adapter->fences;
    for (uint32_t i = 0; i < fences->node_count; i++) {
        if (fences->nodes[i].context == context->handle)
            fences->nodes[i].context = NULL;
    }
}
