/*
 * paging.h - the paging queues, one a physical adapter: operations in, DMA buffers through the
 * driver, fences out.
 *
 * Operations are packed into paging buffers through DxgkDdiBuildPagingBuffer (paging.c) until the
 * driver finds no more room or a caller must wait for the result; then the buffer goes to the
 * paging node and the next of a few buffers is filled (paging_buffer.c). Operations take effect in
 * the order in which they are built: where the next is another physical adapter's, what was built
 * for the one before is waited for.
 */
#ifndef VIDMM_MANAGER_PAGING_H
#define VIDMM_MANAGER_PAGING_H

#include "engine/dma_buffer.h"

#define PAGING_BUFFERS 4u

struct plan_op;

/* The context that a plan's paging buffers run in when it is not the paging process's. */
struct paging_line {
    HANDLE context;
    uint32_t node;
    uint64_t buffers; /* where buffer 0 is in its address space; the others are behind it */
};

struct paging {
    /*
     * In contiguous memory. When the driver wants its paging buffers in an aperture segment, the
     * MAP of those has to be built somewhere: buffer 0 is then an extra one in contiguous memory,
     * used for that at start and after a reset.
     */
    struct dma_buffer buffers[PAGING_BUFFERS + 1];
    uint32_t first, count; /* buffers in use: [first, first + count) */
    uint32_t current;
    uint32_t used, private_used; /* bytes of the current buffer */
    HANDLE context;              /* the driver's system context, or NULL */
};

enum vidmm_status paging_create(struct vidmm_adapter *adapter);
void paging_destroy(struct vidmm_adapter *adapter);
/* Unmaps the paging buffers from their aperture; before destroy. */
void paging_unmap(struct vidmm_adapter *adapter);
/* After a reset: what was in flight is gone; only the buffer in contiguous memory is safe. */
void paging_forget(struct vidmm_adapter *adapter);
/* Ends what paging_forget began: the GPU takes paging buffers again. */
enum vidmm_status paging_restart(struct vidmm_adapter *adapter);
/* With GPU virtual addresses: the buffers' addresses in the paging process of a physical adapter. */
enum vidmm_status paging_keep(struct vidmm_adapter *adapter, uint32_t physical);
/* Maps the paging buffers into their aperture segment (again). */
enum vidmm_status paging_map(struct vidmm_adapter *adapter);

/* Where and in what the operations of the plan at hand run that are a physical adapter's; the address
 * of its current buffer there. */
struct paging_line paging_line(const struct vidmm_adapter *adapter, uint32_t physical);
uint64_t paging_address(const struct vidmm_adapter *adapter, uint32_t physical);

/* Those of a physical adapter lie in an aperture segment of the driver's choice. */
bool paging_is_mapped(const struct vidmm_adapter *adapter, uint32_t physical);
/* Only buffer 0, which needs no mapping, from now on; or all the others. */
void paging_use(struct vidmm_adapter *adapter, uint32_t physical, bool bootstrap);
/* Has the driver encode one operation, in as many buffers as it takes. */
enum vidmm_status paging_build(struct vidmm_adapter *adapter, struct plan_op *op);
/* The GPU has done what is in buffers up to number `number`. */
bool paging_passed(struct vidmm_adapter *adapter, uint64_t number);
/* Hands the current buffer to the GPU, if anything is in it, and takes the next. */
enum vidmm_status paging_submit(struct vidmm_adapter *adapter, uint32_t physical);
/* paging_submit of each physical adapter, then waits until all of it is done. */
enum vidmm_status paging_finish(struct vidmm_adapter *adapter);

#endif
