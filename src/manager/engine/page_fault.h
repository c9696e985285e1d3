/*
 * page_fault.h - page faults of the GPU that the driver reported: the context whose work faulted,
 * and the owner of the address. engine.h has the reset that follows.
 */
#ifndef VIDMM_MANAGER_PAGE_FAULT_H
#define VIDMM_MANAGER_PAGE_FAULT_H

#include "engine/fence.h"

/* With the fence lock: a fault of unknown work on `node` was met by the work of `record`. */
void page_fault_blame(struct node *node, const struct fence_record *record);
/* With the fence lock: paging work that faulted on `node` was about to serve `device`. */
void page_fault_blame_paging(struct node *node, struct vidmm_device *device);
/* With the adapter's lock: finds out what the addresses of new faults belong to. */
void page_faults_resolve(struct vidmm_adapter *adapter);

#endif
