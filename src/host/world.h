/*
 * world.h - the one host of the process, put together from its concepts.
 *
 * The ntoskrnl names that a driver calls have no instance argument, so the host is found through
 * `host_world`. It is set by vidmm_host_create before any driver code runs and cleared after the
 * last. Each concept has a file of its own; what it keeps in the host is a struct of its header.
 */
#ifndef HOST_WORLD_H
#define HOST_WORLD_H

#include <vidmm/host.h>

#include "memory/allocations.h"
#include "memory/bars.h"
#include "driver/device.h"
#include "kernel/dpc.h"
#include "kernel/engines.h"
#include "kernel/interrupt.h"
#include "memory/iommu.h"
#include "memory/mdl.h"
#include "memory/physical.h"
#include "memory/pool.h"
#include "driver/thunks.h"
#include "text/violations.h"

struct vidmm_host {
    struct vidmm_host_config config;
    struct vidmm_host_interposer interposer; /* copy; all NULL: none */
    struct vidmm_host_setting *settings;     /* copy of the configuration's, names included */
    struct host_allocations allocations;
    struct host_violations violations;
    struct host_physical physical;
    struct host_mdls mdls;
    struct host_pool pool;
    struct host_bars bars;
    struct host_iommu iommu;
    struct host_engines engines;
    struct host_interrupt interrupt;
    struct host_dpcs dpcs;
    struct host_device device;
    struct host_thunks thunks;
    struct vidmm_host_sink sink;
    struct vidmm_os os;
    struct vidmm_hw_host hw_host;
    void *hw;     /* what the model's create gave */
    void *module; /* dlopen handle, or NULL */
    void *model_module;
    bool physical_made, pool_made, bars_made;
};

extern struct vidmm_host *host_world;

/* Prints to the configured log; no-op without one. */
void host_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
