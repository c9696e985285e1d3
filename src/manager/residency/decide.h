/*
 * decide.h - placement and victims: which allocations go where so that all references of one
 * request are resident together.
 */
#ifndef VIDMM_MANAGER_DECIDE_H
#define VIDMM_MANAGER_DECIDE_H

#include "base/adapter.h"

struct plan;

struct decide_request {
    /* Whose residency list it is, or is about to be; NULL: of none in particular. */
    const struct vidmm_device *device;
    const struct vidmm_reference *references;
    uint32_t count;
    uint64_t number; /* of the submission */
};

/*
 * Completes the plan, which is empty, so that every reference is in a segment it may be in. On
 * failure the plan is empty again: VIDMM_DOES_NOT_FIT names the first allocation that found no
 * place, or the limit of all apertures together, if that left it none.
 */
enum vidmm_status decide_resident(struct plan *plan, const struct decide_request *request);
/* A place for a DMA buffer in an aperture of `set`, evicting if need be. */
enum vidmm_status decide_buffer(struct plan *plan, uint32_t set, uint64_t size,
                                struct segment **segment, struct placement *place);

#endif
