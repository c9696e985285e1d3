/*
 * device.h - making and ending devices and contexts; base/device.h has their records.
 */
#ifndef VIDMM_MANAGER_DEVICE_H
#define VIDMM_MANAGER_DEVICE_H

#include "base/device.h"

/* The system device of each physical adapter, and its context on the paging node; nothing when the
 * driver needs none. */
enum vidmm_status system_devices_create(struct vidmm_adapter *adapter);
/* For such a device; its handle goes into the paging queue. */
enum vidmm_status system_context_create(struct vidmm_device *device, uint32_t physical);
/* A system device in the space of `process`, which becomes its own. */
enum vidmm_status device_create_own(struct vidmm_process *process);
enum vidmm_status context_make(struct vidmm_device *device, uint32_t node,
                               struct vidmm_context **out);
void context_destroy(struct vidmm_context *context);
/* Destroys device, contexts and bindings. With both locks held. */
void device_destroy(struct vidmm_device *device);
#endif
