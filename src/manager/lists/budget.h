/*
 * budget.h - how much memory a process should keep resident (process-residency-budgets.md).
 *
 * Memory comes in two groups: LOCAL, the memory segments that applications are told of, and
 * NON_LOCAL, system memory that the GPU reaches. Linked adapters have groups each. A group is shared equally among the processes that
 * list something of it, and what one leaves unused is for the others to have. Budgets are advice:
 * they decide which processes are asked to trim and which lose memory, not what may be allocated.
 *
 * A process is charged once for an allocation, in the group of its most preferred segment, while
 * any of its devices lists it and it is not offered; and it holds it in the group where it lies.
 */
#ifndef VIDMM_MANAGER_BUDGET_H
#define VIDMM_MANAGER_BUDGET_H

#include "base/process.h"

struct residency_entry;

/* A group is one of a physical adapter: group_index (reported/physical.h). */
uint32_t budget_group(const struct segment *segment);
uint64_t budget_of(const struct vidmm_process *process, uint32_t group);
/* What `process` (NULL: 0) would hold in the group beyond its budget with `more` bytes. */
uint64_t budget_excess(const struct vidmm_process *process, uint32_t group, uint64_t more);
/* What it lists beyond its budget. */
uint64_t budget_overdraft(const struct vidmm_process *process, uint32_t group);
/* Of the local memory of all physical adapters. */
uint64_t budget_overdraft_local(const struct vidmm_process *process);

/* So many bytes of `segment` are taken, or with `back` given back, by what is no process's share.
 */
void budget_keep(struct vidmm_adapter *adapter, struct segment *segment, uint64_t bytes, bool back);

/* The charge for an entry follows the state of its allocation; ends with it. */
void budget_charge(struct residency_entry *entry);
void budget_discharge(struct residency_entry *entry);

#endif
