/*
 * requests.c - other drivers and named objects do not exist: opening one fails, no request is sent,
 * but those of displib.c. Also the bus's properties of the device. Files are in files.c.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/irps.h"

NTKERNELAPI PDEVICE_OBJECT NTAPI IoGetRelatedDeviceObject(PFILE_OBJECT FileObject) {
    (void)FileObject;
    host_irql_at_most(DISPATCH_LEVEL, "IoGetRelatedDeviceObject");
    return NULL;
}

/* Only the identifiers of the device are known. */
NTKERNELAPI NTSTATUS NTAPI IoGetDeviceProperty(PDEVICE_OBJECT DeviceObject,
                                               DEVICE_REGISTRY_PROPERTY DeviceProperty,
                                               ULONG BufferLength, PVOID PropertyBuffer,
                                               PULONG ResultLength) {
    static const WCHAR ids[] = u"PCI\\VEN_FFFF&DEV_0001\0"; /* a list: ends with an empty one */
    *ResultLength = 0;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoGetDeviceProperty"))
        return STATUS_UNSUCCESSFUL;
    if (!host_device_of_bus(DeviceObject))
        return STATUS_INVALID_DEVICE_REQUEST;
    if (DeviceProperty != DevicePropertyHardwareID && DeviceProperty != DevicePropertyCompatibleIDs)
        return STATUS_OBJECT_NAME_NOT_FOUND;
    *ResultLength = sizeof(ids);
    if (BufferLength < sizeof(ids))
        return STATUS_BUFFER_TOO_SMALL;
    memcpy(PropertyBuffer, ids, sizeof(ids));
    return STATUS_SUCCESS;
}
