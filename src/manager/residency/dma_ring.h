/*
 * dma_ring.h - the DMA buffers of a context: a ring of them, each of which is mapped into an
 * aperture segment before it is used where the driver wants that.
 *
 * The mapping is a plan like any other, and may evict to make room in the aperture.
 */
#ifndef VIDMM_MANAGER_DMA_RING_H
#define VIDMM_MANAGER_DMA_RING_H

#include "engine/dma_buffer.h"

enum vidmm_status dma_ring_create(struct vidmm_adapter *adapter, struct dma_ring *ring,
                                  const DXGK_CONTEXTINFO *info, const char *call);
/* Unmaps and frees. */
void dma_ring_destroy(struct vidmm_adapter *adapter, struct dma_ring *ring);
/* Unmaps the buffers, which the GPU is done with; they are mapped again before they are used. */
enum vidmm_status dma_ring_leave(struct vidmm_adapter *adapter, struct dma_ring *ring);
/* A buffer that the GPU is done with, mapped. */
enum vidmm_status dma_ring_acquire(struct vidmm_context *context, struct dma_buffer **buffer);
/* Maps the buffer if it must be and is not; for one acquired before a reset. */
enum vidmm_status dma_buffer_ready(struct vidmm_context *context, struct dma_buffer *buffer);
/* Room for so many elements in the allocation list. */
bool dma_ring_lists(struct vidmm_adapter *adapter, struct dma_ring *ring, uint32_t allocations);

#endif
