/*
 * reset.h - timeout detection and recovery (thread-synchronization-and-tdr.md).
 */
#ifndef VIDMM_MANAGER_RESET_H
#define VIDMM_MANAGER_RESET_H

#include "base/adapter.h"

/*
 * ResetFromTimeout, clean-up notices, RestartFromTimeout. Work in flight is given up: the devices
 * it belongs to are lost, and so are those that own allocations of a paging operation in flight.
 * Everything else goes on; content that was only in memory segments is gone. VIDMM_GPU_LOST: the
 * GPU hung again; adapter->lost holds what is left to be cleaned up by the reset that has to
 * follow.
 */
enum vidmm_status reset_adapter(struct vidmm_adapter *adapter);

#endif
