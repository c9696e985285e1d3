/*
 * backing.h - the system pages behind an allocation.
 */
#ifndef VIDMM_MANAGER_BACKING_H
#define VIDMM_MANAGER_BACKING_H

#include "object/allocation.h"

/* Commits zeroed pages, or takes the caller's. False: no memory. */
bool backing_create(struct vidmm_allocation *allocation, PMDL existing);
void backing_destroy(struct vidmm_allocation *allocation);

/* Whether there are MDLs of parts. */
bool backing_has_parts(const struct vidmm_adapter *adapter);
/*
 * The MDL that begins with the part [at, at + size) of a transfer, for a driver that counts the MDL from
 * its start. It lives as long as the pages: a driver may read it until the transfer is done. NULL: no
 * memory.
 */
PMDL backing_part(struct vidmm_allocation *allocation, uint64_t at, uint64_t size);

#endif
