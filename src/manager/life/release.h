/*
 * release.h - the end of an allocation: off the residency lists, out of the address spaces, out of
 * its segment, and its system pages given back.
 */
#ifndef VIDMM_MANAGER_RELEASE_H
#define VIDMM_MANAGER_RELEASE_H

#include "object/allocation.h"

/* The GPU is done with it, and the content is not kept. The record itself is the caller's. */
void allocation_release(struct vidmm_allocation *allocation);

#endif
