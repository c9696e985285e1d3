/*
 * privileged.h - the address space in which a process's companion contexts run, beside its own
 * (per-process-gpu-virtual-address-spaces.md, tile-resources.md). Nobody but the manager has work
 * there.
 *
 * It shows, for as long as they live, the process's page tables, its tile pools and the paging
 * buffers: an update that was asked for copies entries from where a pool is mapped to where it
 * shall be, and what is copied leads to where the pool is by then. Mappings of pools follow them as
 * any others do; a table is shown when an update first touches it.
 *
 * To the driver it is the space of a process of its own, without flags ("a normal GPU virtual
 * address space"); device and contexts in it are the system's, so that their paging is told from
 * the work of applications. The pages leave open what the driver is told.
 */
#ifndef VIDMM_MANAGER_PRIVILEGED_H
#define VIDMM_MANAGER_PRIVILEGED_H

#include "address/space_change.h"

struct companion;

/* What `companion` needs in order to copy entries from [from, from + size) of `source` to
 * [start, end) of `space`, or to write those, is shown. */
enum vidmm_status privileged_show(const struct companion *companion, struct space *space,
                                  uint64_t start, uint64_t end);
/*
 * Where all of the pool of `use` is mapped with the same protections, for entries to be copied
 * from; `*va` 0: it is not resident, or has a protection that no two mappings share.
 */
enum vidmm_status privileged_view(const struct companion *companion, const struct va_use *use,
                                  uint64_t *va);

#endif
