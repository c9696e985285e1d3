/*
 * device.h - dxgkrnl around one adapter: the driver's table, its device, the callbacks.
 *
 * The order of a life: DriverEntry calls DxgkInitialize (the table is copied and judged),
 * AddDevice, StartDevice (interrupts from here on), StopDevice, RemoveDevice, Unload.
 */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/host.h>
#include <vidmm/interrupt.h>

#define HOST_REPORTS 1024u

struct host_device {
    DRIVER_OBJECT driver;
    DEVICE_OBJECT physical; /* the PDO */
    DRIVER_INITIALIZATION_DATA
    ddi;                 /* as the driver filled it; members beyond its version are NULL */
    const char *refusal; /* why DxgkInitialize said no */
    PVOID context;       /* the driver's, from AddDevice */
    bool initialized, added, started;
    bool displays_only;             /* it came with DxgkInitializeDisplayOnlyDriver */
    bool asked, gives_display_back; /* for DXGK_DRIVERCAPS; its SupportNonVGA */
    DXGKRNL_INTERFACE interface;
    KDPC dpc; /* DxgkCbQueueDpc */
    uint8_t config_space[256];
    pthread_mutex_t report_lock;
    struct vidmm_interrupt report[HOST_REPORTS]; /* a ring: what has not gone to the sink yet */
    uint32_t first_report, reports;
};

void host_device_init(struct host_device *device);
void host_device_done(struct host_device *device);
/* The configuration space as the hardware model has it, and the addresses of the BARs. */
void host_device_configure(struct vidmm_host *host);
/* DriverEntry. */
bool host_device_enter(struct vidmm_host *host, DRIVER_INITIALIZE *entry,
                       struct vidmm_host_error *error);
bool host_device_start(struct vidmm_host *host, struct vidmm_host_error *error);
bool host_device_stop(struct vidmm_host *host, struct vidmm_host_error *error);
void host_device_unload(struct vidmm_host *host);
/* What the host itself wants to know of an answer of DxgkDdiQueryAdapterInfo. */
void host_device_learn(const DXGKARG_QUERYADAPTERINFO *query, NTSTATUS status);
/* Fills in the callbacks (dxgkrnl.c). */
void host_device_interface(struct host_device *device);

#endif
