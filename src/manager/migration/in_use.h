/*
 * in_use.h - what of a memory segment belongs to processes: placed allocations of every kind, those
 * of contexts among them, and the processes' page tables. The paging process, through which all
 * else is reached, is the manager's own and no part of it.
 */
#ifndef VIDMM_MANAGER_IN_USE_H
#define VIDMM_MANAGER_IN_USE_H

#include "base/adapter.h"

/* Sets a bit of `map` for each piece of `unit` bytes of `segment` that holds any of it. */
void in_use_mark(struct vidmm_adapter *adapter, const struct segment *segment, uint32_t unit,
                 uint8_t *map);
/*
 * At start: takes the rest of each piece of `unit` bytes that holds page tables of the paging
 * process, so that no piece holds both memory of a process and the manager's own.
 */
enum vidmm_status in_use_separate(struct vidmm_adapter *adapter, struct segment *segment,
                                  uint32_t unit);

#endif
