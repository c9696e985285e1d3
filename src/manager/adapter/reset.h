/*
 * reset.h - timeout detection and recovery (thread-synchronization-and-tdr.md).
 */
#ifndef VIDMM_MANAGER_RESET_H
#define VIDMM_MANAGER_RESET_H

#include "adapter/adapter.h"

/*
 * ResetFromTimeout, clean-up notices, RestartFromTimeout. Work in flight is given up: the devices
 * it belongs to are lost, and so are those that own allocations of a paging operation in flight.
 * Everything else goes on; content that was only in memory segments is gone. VIDMM_GPU_LOST: the
 * GPU hung again; adapter->plan holds what is left to be cleaned up by the reset that has to
 * follow.
 */
enum vidmm_status reset_adapter(struct vidmm_adapter *adapter);
/* The UNMAP notice of one DMA or paging buffer joins the others; its place is given back. */
enum vidmm_status reset_buffer(struct vidmm_adapter *adapter, struct vidmm_device *device,
                               struct dma_buffer *buffer);
/* Ends the clean-up phase: RestartFromTimeout, after which paging buffers may be submitted again.
 */
enum vidmm_status reset_restart(struct vidmm_adapter *adapter);

#endif
