/* virtual_memory.h - the regions of ZwAllocateVirtualMemory, until the driver frees them. */
#ifndef HOST_VIRTUAL_MEMORY_H
#define HOST_VIRTUAL_MEMORY_H

void host_regions_forget(void);

#endif
