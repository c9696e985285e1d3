/*
 * moments.h - an interrupt that comes between two instructions of a call, at each moment of it in turn: what no thread
 * and no timer hits by chance.
 */
#ifndef VIDMM_CHECK_MOMENTS_H
#define VIDMM_CHECK_MOMENTS_H

#include "work.h"

/* Of submissions, and of the DPC routine while the next interrupt comes. `work` was shown before, and completes. */
void moments_show(struct work *work);

#endif
