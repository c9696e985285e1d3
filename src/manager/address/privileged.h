/*
 * privileged.h - the address space in which a process's companion contexts run, beside its own
 * (per-process-gpu-virtual-address-spaces.md, tile-resources.md). Only the manager has work there.
 *
 * The process's page tables, its tile pools and the paging buffers are mapped there for as long as
 * they live. An update copies the entries of the addresses where a pool is mapped, so that the
 * target leads to the pool wherever it lies by then. Mappings of pools follow them as any others
 * do; a table is mapped when an update first writes it.
 *
 * To the driver it is the space of a process of its own, without flags ("a normal GPU virtual
 * address space"); device and contexts in it are the system's, which distinguishes their
 * paging from the work of applications. The pages do not say how the driver is to see it.
 */
#ifndef VIDMM_MANAGER_PRIVILEGED_H
#define VIDMM_MANAGER_PRIVILEGED_H

#include "address/space_change.h"

struct companion;

/* Maps the page tables of [start, end) of `space`, whose entries `companion` copies or writes. */
enum vidmm_status privileged_map_tables(const struct companion *companion, struct space *space,
                                        uint64_t start, uint64_t end);
/*
 * Maps all of the pool of `use` with the same protections, for its entries to be copied. `*va` 0:
 * it is not resident, or has a protection that no two mappings share.
 */
enum vidmm_status privileged_map_pool(const struct companion *companion, const struct va_use *use,
                                      uint64_t *va);

#endif
