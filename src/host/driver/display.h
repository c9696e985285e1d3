/*
 * display.h - if a driver can return the display (DXGK_DRIVERCAPS.SupportNonVGA); the host stops
 * its device accordingly. And if it flips by registers (FlipOnVSyncMmIo), which it is called for at the device's IRQL.
 */
#ifndef HOST_DISPLAY_H
#define HOST_DISPLAY_H

#include <stdbool.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

/* Looks for it in an answer of DxgkDdiQueryAdapterInfo, of any type. */
void host_display_learn(const DXGKARG_QUERYADAPTERINFO *query, NTSTATUS status);
/* Queries the capabilities if the run has not. */
bool host_display_given_back(HANDLE adapter);

#endif
