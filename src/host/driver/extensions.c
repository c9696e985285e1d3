/*
 * extensions.c - what a driver asks about where it runs: the stack of its thread, and memory that it
 * hangs on its driver object (pages nf-wdm-iogetstacklimits, nf-wdm-ioallocatedriverobjectextension).
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/irps.h"

/* ---- The stack of the calling thread --------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI IoGetStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit) {
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    *LowLimit = *HighLimit = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        *LowLimit = (ULONG_PTR)low;
        *HighLimit = (ULONG_PTR)low + size;
    }
    pthread_attr_destroy(&attributes);
}

NTKERNELAPI ULONG_PTR NTAPI IoGetRemainingStackSize(VOID) {
    ULONG_PTR low, high, here = (ULONG_PTR)__builtin_frame_address(0);
    IoGetStackLimits(&low, &high);
    return here > low && here < high ? here - low : 0;
}

NTKERNELAPI PVOID NTAPI IoGetInitialStack(VOID) {
    host_irql_at_most(APC_LEVEL, "IoGetInitialStack");
    ULONG_PTR low, high;
    IoGetStackLimits(&low, &high);
    return (PVOID)high;
}

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
