/*
 * cut.h - a paging buffer of a manager that ends early, for the operation that is asked for and for those behind it.
 * Between manager and referee, which is told of it (carry.h, vary.h).
 */
#ifndef VIDMM_CHECK_CUT_H
#define VIDMM_CHECK_CUT_H

#include "stage.h"

#define CUT_NOTHING UINT32_MAX

struct cut {
    struct vidmm_referee *referee;
    uint32_t end; /* of the buffer; 0: it was not cut */
};

/* Leaves the operation `room` bytes, where something is before it and the buffer was not cut; CUT_NOTHING: as many as
 * there are. True: it was cut here. */
bool cut_buffer(struct cut *cut, DXGKARG_BUILDPAGINGBUFFER *args, uint32_t room);
/* Moves `next`, which has the buffers as they were before operations that `built` tells the end of, behind these: by how
 * far the driver moved the pointers, since the sizes are the system's to count. False: that is not in the buffers. */
bool cut_behind(DXGKARG_BUILDPAGINGBUFFER *next, const DXGKARG_BUILDPAGINGBUFFER *built);

#endif
