/*
 * aperture_op.h - the operations that map system pages into an aperture segment and unmap them.
 */
#ifndef VIDMM_MANAGER_APERTURE_OP_H
#define VIDMM_MANAGER_APERTURE_OP_H

#include "paging/plan.h"

/* A run of pages in an aperture segment, and the pages behind it. */
struct aperture_range {
    struct vidmm_allocation *allocation; /* NULL: a DMA buffer */
    struct vidmm_device *device;         /* hDevice */
    PMDL mdl;
    const struct segment *segment;
    uint64_t offset, size; /* bytes */
};

/*
 * Fills in the MAP or UNMAP of the piece of `range` that starts `at` bytes into it, and returns the
 * bytes of the piece. Pieces are bounded so that no single operation grows without limit.
 */
uint64_t aperture_op(const struct aperture_range *range, uint64_t at, bool map, struct plan_op *op);
/* The arm of `op`, a MAP, in the second form; `handle` is the driver's allocation or NULL,
 * `segment_id` the driver's number of the segment. */
void aperture_encode_second(const struct plan_op *op, HANDLE handle, UINT segment_id, bool coherent,
                            DXGKARG_BUILDPAGINGBUFFER *arg);

#endif
