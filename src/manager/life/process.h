/*
 * process.h - making and ending processes; base/process.h has their record. device.h makes their
 * devices, budget.h says how much of the memory is theirs.
 */
#ifndef VIDMM_MANAGER_PROCESS_H
#define VIDMM_MANAGER_PROCESS_H

#include "base/process.h"

/* DxgkDdiCreateProcess and an empty address space without tables. */
enum vidmm_status process_make(struct vidmm_adapter *adapter, uint32_t number,
                               struct vidmm_process **out);
/* The system's of a physical adapter: its address space is the paging process's, without peers. */
enum vidmm_status process_make_paging(struct vidmm_adapter *adapter, uint32_t physical,
                                      struct vidmm_process **out);
/* It is one of the adapter's from now on: those have page tables that can be lost, or leave. */
void process_list(struct vidmm_process *process);
/* Out of that list if it is in it, its spaces, and DxgkDdiDestroyProcess. */
void process_end(struct vidmm_process *process);
/* All that are left, when the adapter goes. */
void processes_end(struct vidmm_adapter *adapter);

#endif
