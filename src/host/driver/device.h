/*
 * device.h - dxgkrnl around one adapter: the driver's table, its device, the callbacks.
 *
 * Order of the calls: DriverEntry calls DxgkInitialize (the table is copied and checked),
 * AddDevice, StartDevice (interrupts from here on), StopDevice, RemoveDevice, Unload.
 */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/host.h>

#include "driver/reports.h"

struct host_device {
    DRIVER_OBJECT driver;
    DEVICE_OBJECT physical;         /* the PDO */
    DRIVER_INITIALIZATION_DATA ddi; /* as the driver filled it; NULL beyond its version */
    const char *refusal;            /* why DxgkInitialize failed */
    PVOID context;                  /* the driver's, from AddDevice */
    bool initialized, added, started;
    bool displays_only;             /* it called DxgkInitializeDisplayOnlyDriver */
    bool asked, gives_display_back; /* for DXGK_DRIVERCAPS; its SupportNonVGA */
    DXGKRNL_INTERFACE interface;
    KDPC dpc; /* DxgkCbQueueDpc */
    uint8_t config_space[256];
    struct host_reports reports;
};

void host_device_init(struct host_device *device);
void host_device_done(struct host_device *device);
/* The hardware model's configuration space, with the addresses of the BARs. */
void host_device_configure(struct vidmm_host *host);
/* DriverEntry. */
bool host_device_enter(struct vidmm_host *host, DRIVER_INITIALIZE *entry,
                       struct vidmm_host_error *error);
bool host_device_start(struct vidmm_host *host, struct vidmm_host_error *error);
bool host_device_stop(struct vidmm_host *host, struct vidmm_host_error *error);
void host_device_unload(struct vidmm_host *host);
/* Fills in the callbacks (dxgkrnl.c). */
void host_device_interface(struct host_device *device);

#endif
