/* irps.h - requests to the driver of the bus (irps.c), which stands below every adapter. */
#ifndef HOST_IRPS_H
#define HOST_IRPS_H

#include <stdbool.h>

#include <ntddk.h>

/* What the bus answers to a request in whose stack it is next. */
NTSTATUS host_irp_call(PDEVICE_OBJECT device, PIRP irp);
/* The device object is that of the bus for one of the adapters. */
bool host_device_of_bus(const DEVICE_OBJECT *object);
/* At the end of the host: frees the extensions of driver objects (extensions.c). */
void host_driver_extensions_done(void);

#endif
