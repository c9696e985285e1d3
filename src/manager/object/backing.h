/*
 * backing.h - the system pages behind an allocation.
 */
#ifndef VIDMM_MANAGER_BACKING_H
#define VIDMM_MANAGER_BACKING_H

#include "object/allocation.h"

/* Commits zeroed pages, or takes the caller's. False: no memory. */
bool backing_create(struct vidmm_allocation *allocation, PMDL existing);
void backing_destroy(struct vidmm_allocation *allocation);

#endif
