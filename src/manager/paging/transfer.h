/*
 * transfer.h - the TRANSFERs that carry one allocation from one place to another, where the GPU
 * uses physical addresses (space.h has those by virtual ones).
 */
#ifndef VIDMM_MANAGER_TRANSFER_H
#define VIDMM_MANAGER_TRANSFER_H

#include "paging/plan.h"

/*
 * Adds to the plan the sub-transfers of the whole allocation from `from` to `to` (their start). A
 * segment of 0 stands for the allocation's system pages. False: no memory.
 */
bool transfer_add(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                  struct vidmm_place from, struct vidmm_place to);

#endif
