/*
 * buffer_map.c - see paging.h: the paging buffers where the GPU finds them, in the aperture segment
 * that the driver names, or at virtual addresses of the paging process.
 */
#include "base/adapter.h"
#include "paging/paging.h"
#include "paging/plan.h"
#include "paging/space.h"

static bool buffer_map_add(struct plan *plan, struct dma_buffer *buffer, bool map) {
    const struct plan_buffer what = {.mdl = buffer->mdl,
                                     .segment = buffer->segment,
                                     .offset = buffer->place.offset,
                                     .size = page_round(buffer->size)};
    return plan_map_buffer(plan, &what, map);
}

static enum vidmm_status buffer_map_place(struct plan *plan, struct dma_buffer *buffer) {
    struct vidmm_adapter *adapter = plan->adapter;
    struct segment_request request = {.size = page_round(buffer->size)};
    if (segment_place(buffer->segment, &request, &buffer->place) != PLACER_OK)
        return FAIL(adapter, .status = VIDMM_DOES_NOT_FIT, .call = "paging buffers",
                    .field = "DXGK_QUERYSEGMENTOUT.PagingBufferSize",
                    .expected = "room for the paging buffers in PagingBufferSegmentId",
                    .page = "ns-d3dkmddi-_dxgk_querysegmentout",
                    .index = buffer->segment->driver_id, .value = buffer->size);
    return buffer_map_add(plan, buffer, true) ? VIDMM_OK
                                              : error_no_memory(adapter, "paging buffers");
}

static void buffer_map_release(struct paging *paging) {
    for (uint32_t i = 1; i <= PAGING_BUFFERS; i++) {
        struct dma_buffer *buffer = &paging->buffers[i];
        if (buffer->place.block)
            segment_release(buffer->segment, &buffer->place);
    }
}

static enum vidmm_status buffer_map_one(struct vidmm_adapter *adapter, uint32_t physical) {
    struct paging *paging = &adapter->physical[physical].paging;
    enum vidmm_status status = VIDMM_OK;
    if (!paging_is_mapped(adapter, physical))
        return VIDMM_OK;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_START);
    paging_use(adapter, physical, true);
    for (uint32_t i = 1; status == VIDMM_OK && i <= PAGING_BUFFERS; i++)
        status = buffer_map_place(&plan, &paging->buffers[i]);
    if (status == VIDMM_OK)
        status = plan_run(&plan);
    plan_end(&plan);
    if (status)
        buffer_map_release(paging);
    else
        paging_use(adapter, physical, false);
    return status;
}

/* A buffer has a place exactly while it is mapped. */
enum vidmm_status paging_map(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = buffer_map_one(adapter, i);
    return status;
}

static enum vidmm_status buffer_unmap_one(struct vidmm_adapter *adapter, uint32_t physical) {
    struct paging *paging = &adapter->physical[physical].paging;
    bool built = true;
    if (!paging_is_mapped(adapter, physical))
        return VIDMM_OK;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_STOP);
    paging_use(adapter, physical, true);
    for (uint32_t i = 1; built && i <= PAGING_BUFFERS; i++) {
        struct dma_buffer *buffer = &paging->buffers[i];
        built = !buffer->place.block || buffer_map_add(&plan, buffer, false);
    }
    enum vidmm_status status = built ? plan_run(&plan) : VIDMM_NO_MEMORY;
    plan_end(&plan);
    if (status == VIDMM_OK)
        buffer_map_release(paging);
    return status;
}

/* A reset between two attempts has mapped those of all physical adapters anew. */
static enum vidmm_status buffer_unmap_all(void *ctx) {
    struct vidmm_adapter *adapter = ctx;
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = buffer_unmap_one(adapter, i);
    return status;
}

void paging_unmap(struct vidmm_adapter *adapter) {
    if (!adapter->stopped)
        (void)adapter_persist(adapter, buffer_unmap_all, adapter);
    for (uint32_t i = 0; i < adapter->facts.linked; i++)
        buffer_map_release(&adapter->physical[i].paging);
}

enum vidmm_status paging_keep(struct vidmm_adapter *adapter, uint32_t physical) {
    for (uint32_t i = 0; i < PAGING_BUFFERS + 1; i++) {
        struct dma_buffer *buffer = &adapter->physical[physical].paging.buffers[i];
        if (!buffer->mdl)
            continue;
        buffer->va = space_keep_pages(adapter, physical, buffer->mdl, page_round(buffer->size));
        if (!buffer->va)
            return error_no_memory(adapter, "paging buffers");
    }
    return VIDMM_OK;
}
