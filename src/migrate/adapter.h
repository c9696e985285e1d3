/*
 * adapter.h - the adapter of a harness as the virtual GPU that moves.
 */
#ifndef VIDMM_MIGRATE_ADAPTER_H
#define VIDMM_MIGRATE_ADAPTER_H

#include <vidmm/harness.h>

#include "device.h"

struct migrate_adapter {
    struct vidmm_harness *harness;
    char why[320];
};

/* `adapter` is the device's context and outlives it. */
struct migrate_device migrate_adapter_device(struct migrate_adapter *adapter);

#endif
