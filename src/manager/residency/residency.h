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
/* Everything that may leave; with `all` everything. */
enum vidmm_status residency_evict_all(struct vidmm_adapter *adapter, bool all,
                                      enum vidmm_plan_reason reason);
/* The GPU wrote to one that is resident. */
void residency_written(struct vidmm_allocation *allocation);
/* Notes that submission `number` on `node` references them. */
void residency_used(struct vidmm_adapter *adapter, const struct vidmm_reference *references,
                    uint32_t count, uint32_t node, uint64_t number);

#endif
