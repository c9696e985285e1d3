/*
 * device_error.h - devices in error: work of theirs was given up, so they serve no call any more
 * (timeout-detection-and-recovery.md, access-to-non-resident-allocation.md).
 */
#ifndef VIDMM_MANAGER_DEVICE_ERROR_H
#define VIDMM_MANAGER_DEVICE_ERROR_H

#include <vidmm/manager.h>

bool device_is_lost(struct vidmm_device *device);
/* Puts it in error. */
void device_mark_lost(struct vidmm_device *device);
/* Puts it in error, and reports that: VIDMM_DEVICE_LOST. */
enum vidmm_status device_lose(struct vidmm_device *device, const char *call, const char *rule,
                              const char *page);
/*
 * VIDMM_DEVICE_LOST with an error, for work of device `number`, which may be destroyed. Takes the
 * locks.
 */
enum vidmm_status device_report_lost(struct vidmm_adapter *adapter, uint32_t number,
                                     const char *call);
/* VIDMM_DEVICE_LOST or VIDMM_STOPPED, with an error, when `device` serves no `call`. */
enum vidmm_status device_serves(struct vidmm_device *device, const char *call);

#endif
