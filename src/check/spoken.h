/*
 * spoken.h - surfaces in the words of vidmm/umd.h, which only drivers understand that speak it;
 * surface.h has those that the system makes of any driver.
 */
#ifndef VIDMM_CHECK_SPOKEN_H
#define VIDMM_CHECK_SPOKEN_H

#include "stage.h"

#include <vidmm/umd.h>

#define SPOKEN_VRAM  ((uint64_t)1 << 20)
#define SPOKEN_PITCH 1024u /* of swizzled surfaces */

/* The application of a stage that makes its surfaces so. */
struct spoken {
    struct vidmm_device *device;
    struct vidmm_context *context;
};

/* A context without virtual addresses, which a driver that has such addresses may refuse: its stage is skipped then. */
enum vidmm_stage_outcome check_plain_context(struct check *check, struct vidmm_device *device,
                                             struct vidmm_context **context);
/* Brings the driver up with SPOKEN_VRAM and a manager that moves `chunk` bytes at a time (0: whole
 * allocations); `stage` is the name of the stage. VIDMM_STAGE_DONE: there are a device and a context; else how
 * the stage ends. */
enum vidmm_stage_outcome spoken_open(struct spoken *spoken, struct check *check, const char *stage,
                                     uint64_t chunk);
/* `flags`: VIDMM_UMD_*. A driver without memory that the CPU sees may refuse a surface that is to be in memory and be seen: it is
 * asked for one that is not seen then, as that of a driver which does not honour the flag. */
enum vidmm_status spoken_create(struct vidmm_device *device, uint32_t flags, uint64_t pages,
                                struct vidmm_allocation **out);
/* User mode locks with UseAlternateVA "if the GPU supports" that (nc-d3dkmddi-dxgkddi_acquireswizzlingrange), which it
 * knows from its driver: here one that gives a primary UseAlternateVA when it is asked to. */
bool spoken_alternates(struct vidmm_adapter *adapter, struct vidmm_device *device);

#endif
