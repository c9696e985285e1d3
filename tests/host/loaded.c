/* loaded.c - a driver in a shared object: as little as starts. */
#include <ntddk.h>
#include <dispmprt.h>

static NTSTATUS APIENTRY add(const PDEVICE_OBJECT pdo, PVOID *context) {
    (void)pdo;
    *context = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 0x64616f4cu);
    return *context ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info,
                               PDXGKRNL_INTERFACE dxgkrnl, PULONG sources, PULONG children) {
    (void)context;
    (void)info;
    (void)dxgkrnl;
    *sources = *children = 0;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY stop(const PVOID context) {
    (void)context;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY removed(const PVOID context) {
    ExFreePool(context);
    return STATUS_SUCCESS;
}

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    DRIVER_INITIALIZATION_DATA data = {.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0};
    data.DxgkDdiAddDevice = add;
    data.DxgkDdiStartDevice = start;
    data.DxgkDdiStopDevice = stop;
    data.DxgkDdiRemoveDevice = removed;
    return DxgkInitialize(driver, path, &data);
}
