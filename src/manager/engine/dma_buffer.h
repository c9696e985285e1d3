/*
 * dma_buffer.h - memory that holds commands: DMA buffers of contexts and paging buffers.
 *
 * The driver says where they live: segment 0 is contiguous write-combined system memory, anything
 * else an aperture segment through which the pages are mapped
 * (specifying-segments-for-dma-buffers).
 */
#ifndef VIDMM_MANAGER_DMA_BUFFER_H
#define VIDMM_MANAGER_DMA_BUFFER_H

#include <vidmm/manager.h>

#include "memory/segment.h"

#define DMA_BUFFERS 8u /* a context's ring */
/* Buffers in a row that a driver may fill and leave MultipassOffset where it was, all that tells one call
 * from the next: more of them are no progress. */
#define DMA_BUFFERS_REPEATED 4096u

struct dma_buffer {
    uint32_t size;         /* bytes, as the driver wants them */
    uint32_t private_size; /* bytes */
    PMDL mdl;
    uint8_t *cpu;
    uint8_t *private_data;   /* zeroed once, then the driver's */
    uint64_t va;             /* in the paging process's space; 0: none */
    struct segment *segment; /* NULL: contiguous system memory */
    struct placement place;  /* in `segment`; block NULL: not mapped */
    uint32_t fence;          /* of its last submission */
    uint32_t node;           /* paging buffers: of the same */
    uint64_t number;         /* paging buffers: of its last submission, from 1 */
    bool pending;            /* submitted, and not waited for since */
};

/* residency/dma_ring.h */
struct dma_ring {
    struct vidmm_device *device; /* owner of the mappings */
    struct dma_buffer buffers[DMA_BUFFERS];
    uint32_t next;
    uint32_t physical;                       /* the physical adapter of the context */
    uint32_t segments;                       /* DmaBufferSegmentSet, as the manager counts */
    uint32_t allocations_size, patches_size; /* elements */
    DXGK_ALLOCATIONLIST *allocations;
    D3DDDI_PATCHLOCATIONLIST *patches;
};

/* Pages and private data, not yet mapped into `segment`. False: no memory. */
bool dma_buffer_create(struct vidmm_adapter *adapter, struct dma_buffer *buffer, uint32_t size,
                       uint32_t private_size, struct segment *segment);
/* It must not be mapped or in flight. */
void dma_buffer_destroy(struct vidmm_adapter *adapter, struct dma_buffer *buffer);
/* Address for the driver: segment base + offset, or a system physical address. */
PHYSICAL_ADDRESS dma_buffer_address(const struct dma_buffer *buffer);
uint32_t dma_buffer_segment(const struct dma_buffer *buffer);

#endif
