/*
 * umd_shim.h - the part of a user-mode driver that the player needs.
 *
 * WDDM leaves private data of allocations and commands to the driver. A miniport that knows
 * vidmm/umd.h gets its private data in that format (umd_shim_native.c); for every other one the
 * driver itself describes standard allocations, and the CPU writes them (umd_shim_standard.c).
 */
#ifndef VIDMM_WORKLOAD_UMD_SHIM_H
#define VIDMM_WORKLOAD_UMD_SHIM_H

#include <vidmm/umd.h>
#include <vidmm/workload.h>

struct shim {
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE hadapter;
    bool native;      /* understands vidmm/umd.h, with STAMP and CHECK, as commands or as packets */
    bool overlays;    /* says that it supports some */
    uint32_t version; /* of the driver's interface */
};

/* Finds out if the driver knows vidmm/umd.h. */
void umd_shim_start(struct shim *shim, struct vidmm_harness *harness);

/* An allocation to create. */
struct umd_shim_request {
    uint64_t size;
    uint32_t umd_flags, priority;
    uint32_t physical; /* the physical adapter that it is at home on */
    uint32_t pitch;    /* of a swizzled surface, else 0 */
    void *user;
};

/* Rows of a swizzled surface of about `size` bytes; different surfaces get different ones. */
uint32_t umd_shim_pitch(uint64_t size, uint32_t index);
enum vidmm_status umd_shim_create(const struct shim *shim, struct vidmm_device *device,
                                  const struct umd_shim_request *request,
                                  struct vidmm_allocation **out);

/* The two implementations. */
enum vidmm_status umd_shim_create_native(struct vidmm_device *device,
                                         const struct umd_shim_request *request,
                                         struct vidmm_allocation **out);
enum vidmm_status umd_shim_create_standard(const struct shim *shim, struct vidmm_device *device,
                                           const struct umd_shim_request *request,
                                           struct vidmm_allocation **out);

#endif
