/*
 * companion.h - what stands beside a context for its updates of GPU virtual addresses
 * (tile-resources.md): the queue of those that wait for its work, and the paging companion context
 * of the driver that carries them out.
 *
 * A queued update follows all that the context was given so far. It is carried out before the
 * context is given more work, when the queue is full, when vidmm_va_wait asks for it, or when its
 * addresses or its tile pool go. None of these depends on the speed of the GPU, so no decision does
 * either. Until then no call waits for it, and the queue keeps its tile pools on the residency list
 * of the device.
 *
 * The limit of 128 operations is taken to be that of one context, since the queue is its own; the
 * pages do not say.
 */
#ifndef VIDMM_MANAGER_COMPANION_H
#define VIDMM_MANAGER_COMPANION_H

#include "base/device.h"

#define COMPANION_QUEUE 128u /* nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb.md */

struct companion {
    struct vidmm_context *context; /* NULL where the CPU writes page tables */
    struct paging_line line;       /* of that */
    uint32_t count;
    struct vidmm_va_operation queue[COMPANION_QUEUE];
};

/*
 * Queues operations that were checked, on a context that has a companion. One that finds the queue
 * full waits until all that came before is carried out.
 */
enum vidmm_status companion_queue(struct vidmm_context *context,
                                  const struct vidmm_va_operation *operations, uint32_t count);
/* True while operations are queued. */
bool companion_waits(const struct vidmm_context *context);
/*
 * Waits for the work of the context, then carries out what is queued; what failed stays queued. A
 * device that is lost by then has no updates any more.
 */
enum vidmm_status companion_run(struct vidmm_context *context);
/* Before `allocation` goes: what is queued and leads to it was carried out, or leads to nothing. */
void companion_forget(struct vidmm_allocation *allocation);
/* Before [va, va + size) is freed: what is queued and touches it, or reads it, but does not lie in
 * it as a whole, is carried out with all that it depends on. */
enum vidmm_status companion_settle(struct vidmm_process *process, uint64_t va, uint64_t size);
/* It is free: what is queued and lies in it is dropped (R299). */
void companion_free(struct vidmm_process *process, uint64_t va, uint64_t size);
/*
 * Before the context goes: carries out what is queued. There is no caller left to answer that there
 * is no memory for an update; the device is in error then, because its tiles lead somewhere else.
 */
void companion_finish(struct vidmm_context *context);

#endif
