/*
 * allocation.h - what the files that watch allocations and the devices they are open in share:
 * watch/allocation.c (create to destroy), allocation_info.c (the driver's description of one),
 * watch/standard.c (surfaces of the system's own), watch/render.c (work that uses them),
 * watch/device.c.
 */
#ifndef REFEREE_ALLOCATION_H
#define REFEREE_ALLOCATION_H

#include "state/judge.h"

/* Sets of segment ids of a physical adapter, bit id - 1. An AGP segment is an aperture too. */
uint32_t allocation_apertures(struct vidmm_referee *referee, uint32_t physical);

/*
 * allocation_info.c: rules for what DxgkDdiCreateAllocation answered about one allocation.
 * `standard`: what kind of surface of the system's it is, 0: not known.
 */
void allocation_judge_info(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                           UINT index, uint32_t standard);
/* It is opened: the manager let it be created. */
void allocation_judge_open(struct vidmm_referee *referee,
                           const struct shadow_allocation *allocation);
/* The members of a shadow that come from it. */
void allocation_take_info(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                          const DXGK_ALLOCATIONINFO *info);

/* watch/standard.c: the D3DKMDT_STANDARDALLOCATION_TYPE that the driver made this private data for;
 * 0: for none, or it is the same for several. */
struct standards_data standard_of(struct vidmm_referee *referee, const void *private_data,
                                  size_t size);
void referee_watch_standard(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);

/* watch/render.c */
void referee_watch_render(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);

/* watch/allocation.c: nothing may be open in a device that goes; what it created has no creator. */
void allocation_device_gone(struct vidmm_referee *referee, HANDLE device);

#endif
