/*
 * space_change.h - one change of what a range of addresses leads to: in the VA map and in the page
 * tables, or in neither. A plan and its execution of its own.
 */
#ifndef VIDMM_MANAGER_SPACE_CHANGE_H
#define VIDMM_MANAGER_SPACE_CHANGE_H

#include "paging/table.h"

struct companion;

/* An address space; its root table, which has entries for all that the driver reserved. */
enum vidmm_status space_make(struct vidmm_process *process, struct space **out);
/* The paging process's of a physical adapter. */
enum vidmm_status space_make_paging(struct vidmm_process *process, uint32_t physical,
                                    struct space **out);
enum vidmm_status space_root(struct space *space);
/* It moves to other memory; not while it is away. */
enum vidmm_status space_move_root(struct space *space);
/* All of it goes. */
void space_end(struct space *space);

/* [start, end) is used for `use`, or with NULL for nothing. */
enum vidmm_status space_change(struct space *space, uint64_t start, uint64_t end,
                               const struct va_use *use);
/* As space_change, but the caller already retries on a GPU hang. */
enum vidmm_status space_change_once(struct space *space, uint64_t start, uint64_t end,
                                    const struct va_use *use);
/* The entries of all that is gathered (gather.h), by one plan, with its fence. */
enum vidmm_status space_change_gathered(struct space *space);
/*
 * Runs a queued update on the companion context (companion.h), where there is one; the plan must
 * not depend on state that the CPU learns later.
 */
enum vidmm_status space_retarget(struct space *space, const struct companion *companion,
                                 uint64_t start, uint64_t end, const struct va_use *use);
/*
 * Likewise the addresses from `to` on lead where those from `from` on lead now, in the reservation
 * that `to` lies in. The two may overlap (R239).
 */
enum vidmm_status space_copy(struct space *space, const struct companion *companion, uint64_t from,
                             uint64_t to, uint64_t size);
/* The mapping ends; what it was mapped into stays reserved. */
enum vidmm_status space_unmap(const struct mapping *mapping);

/* Before an allocation is destroyed: its mappings end, the addresses are free. */
enum vidmm_status space_forget(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation);

#endif
