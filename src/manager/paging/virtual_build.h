/*
 * virtual_build.h - the arms of DxgkDdiBuildPagingBuffer for GPU virtual memory. paging.c calls the
 * driver.
 */
#ifndef VIDMM_MANAGER_VIRTUAL_BUILD_H
#define VIDMM_MANAGER_VIRTUAL_BUILD_H

#include "paging/plan.h"

/* Before `op` is built: the contexts of its space are idle, where the MMU wants that. */
enum vidmm_status virtual_wait(struct vidmm_adapter *adapter, const struct plan_op *op);
/*
 * The arm of `op`, of a kind that only GPU virtual memory has. False: it would change nothing, and
 * is not built. From here on the tables count as written.
 */
bool virtual_encode(struct vidmm_adapter *adapter, struct plan_op *op, HANDLE allocation,
                    DXGKARG_BUILDPAGINGBUFFER *arg);
/* True for an operation that gets no paging buffer (system-paging-process.md). */
bool virtual_now(const struct plan_op *op);
/* Entries that led nowhere were written by the CPU while the GPU worked: the next flush of the space tells it, unless no
 * TLB keeps such entries. */
void virtual_outdate(struct space *space, uint64_t start, uint64_t end);

#endif
