/* SPDX-License-Identifier: MIT */
/*
 * displib.c - the library that every display driver image is linked with, in our words: it finds
 * dxgkrnl and hands it the driver's table.
 *
 * Drivers for Windows get theirs with the WDK. This one makes the example drivers of this tree
 * images that start the same way: dxgkrnl is loaded, its device opened, and an internal
 * device-control request answers the address of the function.
 */
#include <ntddk.h>
#include <dispmprt.h>

#define CODE_INITIALIZE              0x0023003fu
#define CODE_INITIALIZE_DISPLAY_ONLY 0x00230043u
#define CODE_UNINITIALIZE            0x00230047u

typedef NTSTATUS(NTAPI *displib_initialize)(PDRIVER_OBJECT, PUNICODE_STRING, PVOID);
typedef NTSTATUS(NTAPI *displib_uninitialize)(PDRIVER_OBJECT);

static NTSTATUS displib_ask(ULONG code, PVOID *function) {
    UNICODE_STRING name;
    PFILE_OBJECT file;
    PDEVICE_OBJECT device;
    IO_STATUS_BLOCK block;
    KEVENT done;
    RtlInitUnicodeString(&name, u"\\Device\\DxgKrnl");
    NTSTATUS status = IoGetDeviceObjectPointer(&name, FILE_READ_DATA, &file, &device);
    if (!NT_SUCCESS(status))
        return status;
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    PIRP irp = IoBuildDeviceIoControlRequest(code, device, NULL, 0, function, sizeof(*function),
                                             TRUE, &done, &block);
    status = irp ? IofCallDriver(device, irp) : STATUS_INSUFFICIENT_RESOURCES;
    if (status == STATUS_PENDING) {
        (void)KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
        status = block.Status;
    }
    ObDereferenceObject(file);
    return status;
}

static NTSTATUS displib_start(ULONG code, PDRIVER_OBJECT driver, PUNICODE_STRING path,
                              PVOID table) {
    UNICODE_STRING service;
    PVOID function = NULL;
    displib_initialize initialize;
    RtlInitUnicodeString(&service,
                         u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\DXGKrnl");
    NTSTATUS status = ZwLoadDriver(&service);
    if (!NT_SUCCESS(status) && status != STATUS_IMAGE_ALREADY_LOADED)
        return status;
    status = displib_ask(code, &function);
    if (!NT_SUCCESS(status))
        return status;
    initialize = (displib_initialize)function;
    return initialize(driver, path, table);
}

NTSTATUS APIENTRY DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                 PDRIVER_INITIALIZATION_DATA DriverInitializationData) {
    return displib_start(CODE_INITIALIZE, DriverObject, RegistryPath, DriverInitializationData);
}

NTSTATUS APIENTRY
DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                PKMDDOD_INITIALIZATION_DATA KmdDodInitializationData) {
    return displib_start(CODE_INITIALIZE_DISPLAY_ONLY, DriverObject, RegistryPath,
                         KmdDodInitializationData);
}

NTSTATUS APIENTRY DxgkUnInitialize(PDRIVER_OBJECT DriverObject) {
    PVOID function = NULL;
    NTSTATUS status = displib_ask(CODE_UNINITIALIZE, &function);
    if (!NT_SUCCESS(status))
        return status;
    displib_uninitialize end = (displib_uninitialize)function;
    return end(DriverObject);
}
