/*
 * table_eviction.h - the page tables of a process that does not run, as something that may be
 * evicted (gpu-virtual-address.md, "Moving a page table").
 *
 * All tables of a space go at once and are not saved: the VA map says what to write into new ones.
 * While they are away nothing about the space is written anywhere; they are back before a context
 * of the process runs.
 */
#ifndef VIDMM_MANAGER_TABLE_EVICTION_H
#define VIDMM_MANAGER_TABLE_EVICTION_H

#include "base/adapter.h"

/*
 * Makes room in `segment` (NULL: any) by sending the tables of a process other than `runs` away.
 * With a plan of its own. VIDMM_DOES_NOT_FIT, without an error: no process is left that could.
 */
enum vidmm_status table_eviction_send(struct vidmm_adapter *adapter,
                                      const struct vidmm_process *runs,
                                      const struct segment *segment);
/* The tables of `process` are there. */
enum vidmm_status table_eviction_return(struct vidmm_process *process);

#endif
