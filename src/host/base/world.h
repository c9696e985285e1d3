/*
 * world.h - the one host of the process.
 *
 * The ntoskrnl names that a driver calls have no instance argument, so the host is found through
 * `host_world`. vidmm_host_create sets it before any driver code runs, vidmm_host_destroy clears it
 * after the last. The parts of a host are in the folders above this one; each has a file and a
 * struct of its own, which is only declared here. host.c allocates them.
 */
#ifndef HOST_WORLD_H
#define HOST_WORLD_H

#include <vidmm/host.h>

#include "base/allocations.h"
#include "base/tracking.h"
#include "base/violations.h"

struct host_bars;
struct host_beside;
struct host_contiguous;
struct host_device;
struct host_dpcs;
struct host_driver;
struct host_engines;
struct host_gart;
struct host_interrupt;
struct host_iommu;
struct host_mdls;
struct host_physical;
struct host_pool;
struct host_tallies;
struct host_thunks;

/* Devices of one driver, each with hardware of its own, a board. */
#define HOST_LINKED_MOST VIDMM_LINKED_MOST

struct vidmm_host {
    struct vidmm_host_config config;
    struct vidmm_host_interposer interposer; /* copy; all NULL: none */
    struct vidmm_host_setting *settings;     /* copy of the configuration's, names included */
    struct vidmm_host_sink sink;
    struct vidmm_os os;
    uint32_t linked;            /* physical adapters, from 1 to HOST_LINKED_MOST */
    uint32_t boards;            /* those, and a second adapter's */
    void *hw[HOST_LINKED_MOST]; /* of each board: result of the model's create */
    /* Of each board; NULL: none. All are alike, but the second adapter's has variables of its own. */
    const struct vidmm_hw_model *model[HOST_LINKED_MOST];
    uint32_t board_of
        [HOST_LINKED_MOST]; /* the board of each physical adapter, of the second adapter in its turn */
    struct host_allocations allocations;
    struct host_violations violations;
    struct host_tracking tracking;
    /* The parts; none is ever NULL. */
    struct host_physical *physical;
    struct host_mdls *mdls;
    struct host_contiguous *contiguous;
    struct host_pool *pool;
    struct host_bars *bars;
    struct host_iommu *iommu;
    struct host_gart *gart;
    struct host_engines *engines;
    struct host_interrupt *interrupt; /* one for each board */
    _Atomic bool interrupts_held;
    struct host_dpcs *dpcs;
    struct host_beside *beside;
    struct host_driver *driver;
    struct host_device *device; /* one for each board */
    struct host_thunks *thunks;
    struct host_tallies *tallies;
};

extern struct vidmm_host *host_world;

/* Prints to the configured log; does nothing without one. */
void host_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts one sentence into `error`; false. */
bool host_fail(struct vidmm_host_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
