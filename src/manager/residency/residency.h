/*
 * residency.h - requests about where allocations are, each one decision and one execution.
 */
#ifndef VIDMM_MANAGER_RESIDENCY_H
#define VIDMM_MANAGER_RESIDENCY_H

#include "base/adapter.h"

/* All references resident at once. VIDMM_GPU_LOST is the caller's to handle (adapter_persist). */
enum vidmm_status residency_make(struct vidmm_adapter *adapter,
                                 const struct vidmm_reference *references, uint32_t count,
                                 uint64_t number, enum vidmm_plan_reason reason);
/* The same for what `device` lists, or is about to: what else it lists stays. */
enum vidmm_status residency_make_for(struct vidmm_device *device,
                                     const struct vidmm_reference *references, uint32_t count,
                                     enum vidmm_plan_reason reason);
/* Out of its segment. */
enum vidmm_status residency_evict(struct vidmm_allocation *allocation, bool discard,
                                  enum vidmm_plan_reason reason);
/* The same for one that gives way to a page table. */
enum vidmm_status residency_give_way(struct vidmm_allocation *allocation,
                                     enum vidmm_move_reason reason);
/* Whether a resident allocation is to leave. */
typedef bool residency_choice(const void *ctx, const struct vidmm_allocation *allocation);
/* What is neither pinned nor fixed, nor an overlay's or a capture's; all. */
residency_choice residency_may_leave, residency_any;
/* Everything that is chosen. */
enum vidmm_status residency_evict_all(struct vidmm_adapter *adapter, residency_choice *leaves,
                                      const void *ctx, enum vidmm_plan_reason reason);
/* What is pinned comes back, after it was lost or had to leave. VIDMM_GPU_LOST, or VIDMM_OK. */
enum vidmm_status residency_bring_back(struct vidmm_adapter *adapter,
                                       enum vidmm_plan_reason reason);
/* The GPU wrote to one that is resident. */
void residency_written(struct vidmm_allocation *allocation);
/* Notes that submission `number` on `node` references them. */
void residency_used(struct vidmm_adapter *adapter, const struct vidmm_reference *references,
                    uint32_t count, uint32_t node, uint64_t number);

#endif
