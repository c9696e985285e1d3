/*
 * extensions.c - memory that a driver hangs on its driver object
 * (page nf-wdm-ioallocatedriverobjectextension).
 */
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/irps.h"

/* ---- Extensions of the driver object: freed with the host -------------------------------------------------- */

struct driver_extension {
    struct driver_extension *next;
    PDRIVER_OBJECT driver;
    PVOID client;
    LONGLONG data[];
};

static struct driver_extension *driver_extensions;

NTKERNELAPI PVOID NTAPI IoGetDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                                   PVOID ClientIdentificationAddress) {
    struct driver_extension *at = driver_extensions;
    host_irql_at_most(DISPATCH_LEVEL, "IoGetDriverObjectExtension");
    while (at && (at->driver != DriverObject || at->client != ClientIdentificationAddress))
        at = at->next;
    return at ? at->data : NULL;
}

NTKERNELAPI NTSTATUS NTAPI IoAllocateDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                                           PVOID ClientIdentificationAddress,
                                                           ULONG DriverObjectExtensionSize,
                                                           PVOID *DriverObjectExtension) {
    *DriverObjectExtension = NULL;
    if (IoGetDriverObjectExtension(DriverObject, ClientIdentificationAddress))
        return STATUS_OBJECT_NAME_COLLISION;
    struct driver_extension *made =
        host_may_allocate() ? calloc(1, sizeof(*made) + DriverObjectExtensionSize) : NULL;
    if (!made)
        return STATUS_INSUFFICIENT_RESOURCES;
    made->driver = DriverObject;
    made->client = ClientIdentificationAddress;
    made->next = driver_extensions;
    driver_extensions = made;
    *DriverObjectExtension = made->data;
    return STATUS_SUCCESS;
}

void host_driver_extensions_done(void) {
    while (driver_extensions) {
        struct driver_extension *first = driver_extensions;
        driver_extensions = first->next;
        free(first);
    }
}
