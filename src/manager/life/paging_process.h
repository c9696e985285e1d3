/*
 * paging_process.h - the process in whose address space paging runs (system-paging-process.md), one a
 * physical adapter.
 *
 * Its addresses, from the bottom: 64 KiB that lead nowhere; windows, through which page tables and
 * paging buffers are reached, and which stay; the scratch space, which is taken piece by piece and
 * from the start again; what migrations have for themselves. Its tables are pinned, and the CPU
 * writes them at the start and after a reset.
 */
#ifndef VIDMM_MANAGER_PAGING_PROCESS_H
#define VIDMM_MANAGER_PAGING_PROCESS_H

#include <vidmm/manager.h>

/* At start, when the adapter runs on GPU virtual addresses: the paging process and its tables. */
enum vidmm_status paging_process_start(struct vidmm_adapter *adapter);
void paging_process_stop(struct vidmm_adapter *adapter);
/* Bytes of its addresses, from 0 on, that are the manager's own. */
uint64_t paging_process_bytes(const struct vidmm_adapter *adapter, uint32_t physical);
/* Bytes at the end of those that migrations have for themselves; 0: none. */
uint64_t paging_process_migration_bytes(const struct vidmm_adapter *adapter, uint32_t physical);

#endif
