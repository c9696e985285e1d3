/*
 * budget.h - how much memory a process should keep resident (process-residency-budgets.md).
 *
 * Memory comes in two groups: LOCAL, the memory segments that applications are told of, and
 * NON_LOCAL, system memory that the GPU reaches. A group is shared equally among the processes that
 * use it, and what one leaves unused is for the others to have. Budgets are advice: they decide who
 * is asked to trim and who is evicted first, not what may be allocated.
 */
#ifndef VIDMM_MANAGER_BUDGET_H
#define VIDMM_MANAGER_BUDGET_H

#include "process.h"

enum vidmm_memory_group budget_group(const struct segment *segment);
/* The group that the allocation is charged to: the one of its most preferred segment. */
enum vidmm_memory_group budget_group_of(const struct vidmm_allocation *allocation);
uint64_t budget_of(const struct vidmm_process *process, enum vidmm_memory_group group);
/* True when the process lists more than its budget of the group of `segment`. */
bool budget_exceeded(const struct vidmm_process *process, const struct segment *segment);

#endif
