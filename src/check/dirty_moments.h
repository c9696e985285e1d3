/*
 * dirty_moments.h - the GPU writes between two instructions of DxgkDdiQueryDirtyBitData, at each moment of it in turn:
 * what is read and made zero in two steps loses that write (R323).
 */
#ifndef VIDMM_CHECK_DIRTY_MOMENTS_H
#define VIDMM_CHECK_DIRTY_MOMENTS_H

#include "dirty_memory.h"

struct dirty_moments {
    struct dirty_memory *memory;
    uint32_t before,
        within; /* units that are written: so that there is something to clear, and meanwhile */
    bool (*query)(
        void *ctx); /* with CLEARDATA, of both; true: `within` is set, or the driver refused */
    void *ctx;
    bool lost; /* a write: told */
};

/* False: the memory could not be written. */
bool dirty_moments_show(struct dirty_moments *moments);

#endif
