/*
 * aperture.h - mapping system pages through an aperture segment.
 */
#ifndef VIDMM_MANAGER_APERTURE_H
#define VIDMM_MANAGER_APERTURE_H

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
/* hDevice of a mapping: the owner, NULL for a primary (ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md).
 */
struct vidmm_device *aperture_device(const struct vidmm_allocation *allocation);
/*
 * True for a driver that takes an address descriptor list instead of an MDL: it gets
 * MAP_APERTURE_SEGMENT2 and never MAP_APERTURE_SEGMENT (iommu-dma-remapping.md).
 */
bool aperture_second_form(const struct vidmm_adapter *adapter);
/* False for one that such a driver does not get into an aperture (R130). */
bool aperture_serves(const struct vidmm_allocation *allocation);
/* The arm of `op`, a MAP, in the second form; `handle` is the driver's allocation or NULL. */
void aperture_encode_second(const struct plan_op *op, HANDLE handle, bool coherent,
                            DXGKARG_BUILDPAGINGBUFFER *arg);

#endif
