/*
 * display.h - whether a driver hands the display back (DXGK_DRIVERCAPS.SupportNonVGA), which
 * decides how the host stops its device.
 */
#ifndef HOST_DISPLAY_H
#define HOST_DISPLAY_H

#include "driver/device.h"

/* Learns it from an answer of DxgkDdiQueryAdapterInfo, which may be about something else. */
void host_display_learn(const DXGKARG_QUERYADAPTERINFO *query, NTSTATUS status);
/* Asks the driver where the run has not asked for the capabilities. */
bool host_display_given_back(struct host_device *device);

#endif
