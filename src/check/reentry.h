/*
 * reentry.h - calls that two processes make of a driver at once: creations and destructions are made without any
 * synchronization of the system's (Level Zero, display/threading-and-synchronization-zero-level.md).
 */
#ifndef VIDMM_CHECK_REENTRY_H
#define VIDMM_CHECK_REENTRY_H

#include "stage.h"

/* Of devices, contexts and surfaces, by hand: one call is halted between any two instructions, and the same is done for
 * another device meanwhile. */
void reentry_show(struct check *check);

#endif
