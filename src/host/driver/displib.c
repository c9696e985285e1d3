/*
 * displib.c - dxgkrnl as the library sees it that every display driver is linked with.
 *
 * In a shared object DxgkInitialize is a name of the program. An image has the library in it, which
 * asks for dxgkrnl to be loaded, opens its device, and gets the address of DxgkInitialize or of a
 * relative from it by an internal device-control request. What is here is what was seen at the
 * imports of such images.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/device.h"
#include "driver/irps.h"
#include "image/exports.h"
#include "image/stubs.h"

/* Control codes of dxgkrnl's device; each answers the address of a function. */
#define CODE_INITIALIZE              0x0023003fu
#define CODE_INITIALIZE_DISPLAY_ONLY 0x00230043u
#define CODE_UNINITIALIZE            0x00230047u

struct request {
    IRP irp; /* what the driver has of it */
    IO_STACK_LOCATION stack[1];
    ULONG code;
    PVOID output;
    ULONG output_bytes;
    PKEVENT event;
    PIO_STATUS_BLOCK status;
};

/* The one request of displib: it is sent before the next is made. */
static _Thread_local struct request request;
static DEVICE_OBJECT dxgkrnl;
static uint8_t dxgkrnl_file[sizeof(void *)]; /* only its address means something */

static bool named(PCUNICODE_STRING name, const WCHAR *wanted) {
    UNICODE_STRING other;
    RtlInitUnicodeString(&other, wanted);
    return RtlEqualUnicodeString(name, &other, TRUE);
}

NTSYSAPI NTSTATUS NTAPI ZwLoadDriver(PUNICODE_STRING DriverServiceName) {
    static const WCHAR service[] =
        u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\DXGKrnl";
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwLoadDriver"))
        return STATUS_UNSUCCESSFUL;
    return named(DriverServiceName, service) ? STATUS_IMAGE_ALREADY_LOADED
                                             : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSYSAPI NTSTATUS NTAPI ZwUnloadDriver(PUNICODE_STRING DriverServiceName) {
    (void)DriverServiceName;
    host_irql_at_most(PASSIVE_LEVEL, "ZwUnloadDriver");
    return STATUS_INVALID_DEVICE_REQUEST; /* dxgkrnl stays */
}

NTKERNELAPI NTSTATUS NTAPI IoGetDeviceObjectPointer(PUNICODE_STRING ObjectName,
                                                    ACCESS_MASK DesiredAccess,
                                                    PFILE_OBJECT *FileObject,
                                                    PDEVICE_OBJECT *DeviceObject) {
    (void)DesiredAccess;
    *FileObject = NULL;
    *DeviceObject = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoGetDeviceObjectPointer"))
        return STATUS_UNSUCCESSFUL;
    if (!named(ObjectName, u"\\Device\\DxgKrnl"))
        return STATUS_OBJECT_NAME_NOT_FOUND;
    *FileObject = (PFILE_OBJECT)(void *)dxgkrnl_file;
    *DeviceObject = &dxgkrnl;
    return STATUS_SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI PIRP NTAPI IoBuildDeviceIoControlRequest(ULONG IoControlCode,
                                                     PDEVICE_OBJECT DeviceObject, PVOID InputBuffer,
                                                     ULONG InputBufferLength, PVOID OutputBuffer,
                                                     ULONG OutputBufferLength,
                                                     BOOLEAN InternalDeviceIoControl, PKEVENT Event,
                                                     PIO_STATUS_BLOCK IoStatusBlock) {
    (void)InputBuffer;
    (void)InputBufferLength;
    if (!host_irql_at_most(APC_LEVEL, "IoBuildDeviceIoControlRequest") ||
        DeviceObject != &dxgkrnl || !InternalDeviceIoControl)
        return NULL;
    request = (struct request){.code = IoControlCode,
                               .output = OutputBuffer,
                               .output_bytes = OutputBufferLength,
                               .event = Event,
                               .status = IoStatusBlock};
    request.irp.Tail.Overlay.CurrentStackLocation = request.stack + 1;
    return &request.irp;
}

static NTSTATUS answer(const struct request *sent, const void *function) {
    if (sent->output_bytes < sizeof(function) || !sent->output)
        return STATUS_BUFFER_TOO_SMALL;
    memcpy(sent->output, &function, sizeof(function));
    return STATUS_SUCCESS;
}

static NTSTATUS answer_export(const struct request *sent, const char *name) {
    struct image_export function;
    return image_export(name, &function) ? answer(sent, stub_out(function.address, name))
                                         : STATUS_INVALID_DEVICE_REQUEST;
}

static NTSTATUS control(const struct request *sent) {
    switch (sent->code) {
    case CODE_INITIALIZE:
        return answer_export(sent, "DxgkInitialize");
    case CODE_INITIALIZE_DISPLAY_ONLY:
        return answer_export(sent, "DxgkInitializeDisplayOnlyDriver");
    case CODE_UNINITIALIZE:
        return answer_export(sent, "DxgkUnInitialize");
    default:
        host_violation("the driver sends dxgkrnl the control code 0x%x, which is not known here",
                       sent->code);
        return STATUS_INVALID_DEVICE_REQUEST;
    }
}

NTKERNELAPI NTSTATUS NTAPI IofCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    host_irql_at_most(DISPATCH_LEVEL, "IoCallDriver");
    if (host_device_of_bus(DeviceObject))
        return host_irp_call(DeviceObject, Irp);
    if (DeviceObject != &dxgkrnl || Irp != &request.irp) {
        host_violation("IoCallDriver with a request that no function here made");
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    NTSTATUS status = control(&request);
    if (request.status) {
        request.status->Status = status;
        request.status->Information = NT_SUCCESS(status) ? sizeof(void *) : 0;
    }
    if (request.event)
        (void)KeSetEvent(request.event, 0, FALSE);
    return status;
}

NTSYSAPI PVOID NTAPI MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName) {
    char name[128];
    struct image_export function;
    uint32_t length = SystemRoutineName->Length / (uint32_t)sizeof(WCHAR);
    if (!host_irql_at_most(PASSIVE_LEVEL, "MmGetSystemRoutineAddress") || length >= sizeof(name))
        return NULL;
    for (uint32_t i = 0; i < length; i++)
        name[i] = SystemRoutineName->Buffer[i] < 128 ? (char)SystemRoutineName->Buffer[i] : '?';
    name[length] = 0;
    if (!image_export(name, &function))
        return NULL;
    return (PVOID)(uintptr_t)(function.data ? function.address
                                            : stub_out(function.address, "a function by name"));
}
