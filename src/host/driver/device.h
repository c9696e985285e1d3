/*
 * device.h - dxgkrnl around one device of the driver: a display adapter on the bus, with its
 * callbacks. A logical adapter has one device for each of its physical adapters (chain.h).
 *
 * Order of the calls: AddDevice, LinkDevice where the driver has it, StartDevice (interrupts from
 * here on), StopDevice, RemoveDevice.
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
#include "memory/handed.h"

struct host_device {
    uint32_t board;         /* its hardware: place in the order of enumeration */
    DEVICE_OBJECT physical; /* the PDO */
    PVOID context;          /* the driver's, from AddDevice */
    bool added, started;
    uint32_t children, sources;  /* as DxgkDdiStartDevice said, once it is started */
    DXGKRNL_INTERFACE interface; /* DeviceHandle is the address of handles[life] */
    char handles[64];            /* of its lives, from StartDevice to StopDevice */
    uint32_t life;
    struct host_handed handed; /* what the driver gets of it */
    KDPC dpc;                  /* DxgkCbQueueDpc */
    uint8_t config_space[256];
    struct host_reports reports;
};

void host_device_init(struct host_device *device, uint32_t board);
void host_device_done(struct host_device *device);
/* The hardware model's configuration space, with the addresses of the BARs. */
void host_device_configure(struct host_device *device);
bool host_device_add(struct host_device *device, struct vidmm_host_error *error);
/* What the driver says of the device's link in a chain of adapters. */
bool host_device_ask_link(struct host_device *device, LINKED_DEVICE *link,
                          struct vidmm_host_error *error);
bool host_device_start(struct host_device *device, struct vidmm_host_error *error);
/* Stops, and removes, a device that was started, and added. */
/*
 * A driver with SupportNonVGA is asked to return the display instead of stopping if the device is
 * the boot display: here, a VGA-compatible one (nc-dispmprt-dxgkddi_stop_device_and_
 * release_post_display_ownership). If it fails that call it is stopped as usual.
 */
bool host_device_gives_back(const struct host_device *device);
bool host_device_stop(struct host_device *device, struct vidmm_host_error *error);
bool host_device_remove(struct host_device *device, struct vidmm_host_error *error);
/* Fills in the callbacks (dxgkrnl.c). */
void host_device_interface(struct host_device *device);

#endif
