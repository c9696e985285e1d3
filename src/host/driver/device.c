/* device.c - starts and stops a driver and its device; see device.h. */
#include "driver/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"
#include "kernel/interrupt.h"
#include "kernel/irql.h"
#include "driver/display.h"
#include "driver/thunks.h"
#include "driver/versions.h"

#define VENDOR 0x1af4u
#define DEVICE 0x4d56u

static bool device_fail(struct vidmm_host_error *error, NTSTATUS status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool device_fail(struct vidmm_host_error *error, NTSTATUS status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    error->status = status;
    return false;
}

static VOID NTAPI device_dpc(struct _KDPC *dpc, PVOID context, PVOID argument1, PVOID argument2) {
    struct host_device *device = context;
    (void)dpc;
    (void)argument1;
    (void)argument2;
    if (device->ddi.DxgkDdiDpcRoutine)
        device->ddi.DxgkDdiDpcRoutine(device->context);
}

void host_device_init(struct host_device *device) {
    const uint16_t ids[4] = {VENDOR, DEVICE, 0x0006 /* memory, bus master */, 0x0010};
    const uint8_t class_code[4] = {0x01, 0x00, 0x00, 0x03}; /* revision, display controller */
    pthread_mutex_init(&device->reports.lock, NULL);
    KeInitializeDpc(&device->dpc, device_dpc, device);
    memcpy(&device->config_space[0], ids, sizeof(ids));
    memcpy(&device->config_space[8], class_code, sizeof(class_code));
    device->driver.Type = 4; /* IO_TYPE_DRIVER */
    device->driver.Size = sizeof(DRIVER_OBJECT);
    device->driver.DeviceObject = &device->physical;
    device->physical.Type = 3; /* IO_TYPE_DEVICE */
    device->physical.Size = sizeof(DEVICE_OBJECT);
    device->physical.DriverObject = &device->driver;
}

/* Where the base addresses are, and the bits of one with 64 bits. */
#define BASE_ADDRESSES 0x10u
#define BASE_64BIT     0x4u
#define BASE_PREFETCH  0x8u

/* BARs lie beyond 32 bits, so one whose upper half would be the next one's register has no
 * entry. */
void host_device_configure(struct vidmm_host *host) {
    uint8_t *space = host->device->config_space;
    if (host->config.model && host->config.model->configure)
        host->config.model->configure(host->hw, space);
    for (uint32_t i = 0; i + 1 < VIDMM_HW_BARS; i++) {
        const struct host_bar *bar = &host->bars->bar[i];
        if (bar->bar.kind == VIDMM_HW_BAR_NONE ||
            host->bars->bar[i + 1].bar.kind != VIDMM_HW_BAR_NONE)
            continue;
        uint64_t entry =
            bar->physical | BASE_64BIT | (bar->bar.kind == VIDMM_HW_BAR_MEMORY ? BASE_PREFETCH : 0);
        memcpy(space + BASE_ADDRESSES + sizeof(uint32_t) * i, &entry, sizeof(entry));
    }
}

void host_device_done(struct host_device *device) {
    pthread_mutex_destroy(&device->reports.lock);
}

NTSTATUS APIENTRY DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                 PDRIVER_INITIALIZATION_DATA DriverInitializationData) {
    struct host_device *device = host_world->device;
    host_irql_at_most(PASSIVE_LEVEL, "DxgkInitialize");
    if (!DriverObject || !RegistryPath || !DriverInitializationData)
        return STATUS_INVALID_PARAMETER;
    size_t size = host_table_size(DriverInitializationData->Version);
    device->ddi.Version = DriverInitializationData->Version;
    if (size == 0) {
        device->refusal = "DRIVER_INITIALIZATION_DATA.Version is no DXGKDDI_INTERFACE_VERSION";
        return STATUS_REVISION_MISMATCH;
    }
    memset(&device->ddi, 0, sizeof(device->ddi));
    memcpy(&device->ddi, DriverInitializationData, size);
    device->initialized = true;
    return STATUS_SUCCESS;
}

/* Copies the table of a display-only driver to the same slots of the full table. */
NTSTATUS APIENTRY
DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                PKMDDOD_INITIALIZATION_DATA KmdDodInitializationData) {
    const KMDDOD_INITIALIZATION_DATA *from = KmdDodInitializationData;
    DRIVER_INITIALIZATION_DATA table = {.Version = 0};
    if (!from)
        return STATUS_INVALID_PARAMETER;
    table.Version = from->Version;
#define TAKE(slot) table.DxgkDdi##slot = from->DxgkDdi##slot
    TAKE(AddDevice);
    TAKE(StartDevice);
    TAKE(StopDevice);
    TAKE(RemoveDevice);
    TAKE(DispatchIoRequest);
    TAKE(InterruptRoutine);
    TAKE(DpcRoutine);
    TAKE(SetPowerState);
    TAKE(ResetDevice);
    TAKE(Unload);
    TAKE(QueryAdapterInfo);
    TAKE(StopDeviceAndReleasePostDisplayOwnership);
#undef TAKE
    NTSTATUS status = DxgkInitialize(DriverObject, RegistryPath, &table);
    host_world->device->displays_only = NT_SUCCESS(status);
    return status;
}

NTSTATUS APIENTRY DxgkUnInitialize(PDRIVER_OBJECT DriverObject) {
    (void)DriverObject;
    host_world->device->initialized = false;
    return STATUS_SUCCESS;
}

/* Before every life-cycle call. */
static void device_calling(const char *call) {
    const struct vidmm_host_interposer *interposer = &host_world->interposer;
    if (interposer->calling)
        interposer->calling(interposer->ctx, call);
}

/* After every life-cycle call: the driver returned at the IRQL at which it was called. */
static void check_irql(const char *call) {
    device_calling(NULL);
    if (host_self.irql == PASSIVE_LEVEL)
        return;
    host_violation("%s returned at IRQL %u instead of %u", call, host_self.irql, PASSIVE_LEVEL);
    host_irql_lower(PASSIVE_LEVEL);
}

bool host_device_enter(struct vidmm_host *host, DRIVER_INITIALIZE *entry,
                       struct vidmm_host_error *error) {
    static WCHAR path[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\vidmm";
    UNICODE_STRING registry;
    RtlInitUnicodeString(&registry, path);
    host->device->driver.DriverInit = entry;
    device_calling("DriverEntry");
    NTSTATUS status = entry(&host->device->driver, &registry);
    check_irql("DriverEntry");
    if (host->device->refusal)
        return device_fail(error, status, "DxgkInitialize refused the driver: %s (0x%x)",
                           host->device->refusal, host->device->ddi.Version);
    if (!NT_SUCCESS(status))
        return device_fail(error, status, "DriverEntry failed with status 0x%08x",
                           (unsigned)status);
    if (!host->device->initialized)
        return device_fail(error, status, "DriverEntry succeeded without calling DxgkInitialize");
    if (host->interposer.ddi)
        host->interposer.ddi(host->interposer.ctx, &host->device->ddi);
    return true;
}

/* The four life-cycle entry points that every driver must have. */
static const char *device_missing(const DRIVER_INITIALIZATION_DATA *ddi) {
    return !ddi->DxgkDdiAddDevice      ? "DxgkDdiAddDevice"
           : !ddi->DxgkDdiStartDevice  ? "DxgkDdiStartDevice"
           : !ddi->DxgkDdiStopDevice   ? "DxgkDdiStopDevice"
           : !ddi->DxgkDdiRemoveDevice ? "DxgkDdiRemoveDevice"
                                       : NULL;
}

static bool device_add(struct host_device *device, struct vidmm_host_error *error) {
    const char *absent = device_missing(&device->ddi);
    if (absent)
        return device_fail(error, STATUS_SUCCESS, "the driver left %s NULL in its table", absent);
    device_calling("DxgkDdiAddDevice");
    NTSTATUS status = device->ddi.DxgkDdiAddDevice(&device->physical, &device->context);
    check_irql("DxgkDdiAddDevice");
    if (!NT_SUCCESS(status))
        return device_fail(error, status, "DxgkDdiAddDevice failed with status 0x%08x",
                           (unsigned)status);
    if (!device->context)
        return device_fail(error, status,
                           "DxgkDdiAddDevice succeeded with a NULL MiniportDeviceContext");
    device->added = true;
    return true;
}

static bool device_removed(struct host_device *device, struct vidmm_host_error *error) {
    if (!device->added)
        return true;
    device_calling("DxgkDdiRemoveDevice");
    NTSTATUS status = device->ddi.DxgkDdiRemoveDevice(device->context);
    check_irql("DxgkDdiRemoveDevice");
    device->added = false;
    device->context = NULL;
    if (!NT_SUCCESS(status))
        return device_fail(error, status, "DxgkDdiRemoveDevice failed with status 0x%08x",
                           (unsigned)status);
    return true;
}

/* Disconnects the interrupt; pending messages still arrive. */
static void device_disconnect(struct host_device *device) {
    host_interrupt_disconnect();
    KeFlushQueuedDpcs();
    device->started = false;
}

static bool device_start(struct host_device *device, struct vidmm_host_error *error) {
    DXGK_START_INFO info = {.RequiredDmaQueueEntry = 256,
                            .AdapterGuid = {0x76696d6du, 0x0001, 0x0001, {1}},
                            .AdapterLuid = {.LowPart = 1}};
    ULONG sources = UINT32_MAX, children = UINT32_MAX;
    host_device_interface(device);
    host_interrupt_connect(device->ddi.DxgkDdiInterruptRoutine, device->context);
    device->started = true;
    if (host_world->interposer.callbacks)
        host_world->interposer.callbacks(host_world->interposer.ctx, &device->interface);
    device_calling("DxgkDdiStartDevice");
    NTSTATUS status = device->ddi.DxgkDdiStartDevice(device->context, &info, &device->interface,
                                                     &sources, &children);
    check_irql("DxgkDdiStartDevice");
    if (!NT_SUCCESS(status)) {
        device_disconnect(device);
        return device_fail(error, status, "DxgkDdiStartDevice failed with status 0x%08x",
                           (unsigned)status);
    }
    if (sources == UINT32_MAX || children == UINT32_MAX)
        host_violation("DxgkDdiStartDevice succeeded without setting %s",
                       sources == UINT32_MAX ? "NumberOfVideoPresentSources" : "NumberOfChildren");
    return true;
}

bool host_device_start(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    if (!device_add(host->device, error))
        return false;
    host_thunks_build(host->thunks, &host->device->ddi);
    if (device_start(host->device, error))
        return true;
    device_removed(host->device, &second);
    return false;
}

/*
 * A driver with SupportNonVGA is asked to return the display instead of stopping if the device is
 * the boot display: here, a VGA-compatible one (nc-dispmprt-dxgkddi_stop_device_and_
 * release_post_display_ownership). If it fails that call it is stopped as usual.
 */
static bool display_given_back(struct host_device *device) {
    const uint8_t *space = device->config_space;
    bool vga = space[11] == PCI_CLASS_DISPLAY_CTLR && space[10] == PCI_SUBCLASS_VID_VGA_CTLR;
    DXGK_DISPLAY_INFORMATION info = {.Width = 0};
    if (!vga || !device->ddi.DxgkDdiStopDeviceAndReleasePostDisplayOwnership ||
        !host_display_given_back(device))
        return false;
    device_calling("DxgkDdiStopDeviceAndReleasePostDisplayOwnership");
    NTSTATUS status =
        device->ddi.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(device->context, 0, &info);
    check_irql("DxgkDdiStopDeviceAndReleasePostDisplayOwnership");
    return NT_SUCCESS(status);
}

static bool device_stopped(struct host_device *device, struct vidmm_host_error *error) {
    if (!device->started)
        return true;
    if (display_given_back(device)) {
        device_disconnect(device);
        return true;
    }
    device_calling("DxgkDdiStopDevice");
    NTSTATUS status = device->ddi.DxgkDdiStopDevice(device->context);
    check_irql("DxgkDdiStopDevice");
    device_disconnect(device);
    if (!NT_SUCCESS(status))
        return device_fail(error, status, "DxgkDdiStopDevice failed with status 0x%08x",
                           (unsigned)status);
    return true;
}

bool host_device_stop(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    bool good = device_stopped(host->device, error);
    return device_removed(host->device, good ? error : &second) && good;
}

void host_device_unload(struct vidmm_host *host) {
    struct host_device *device = host->device;
    device_calling("DxgkDdiUnload");
    if (device->initialized && device->ddi.DxgkDdiUnload)
        device->ddi.DxgkDdiUnload();
    else if (device->initialized && device->driver.DriverUnload)
        device->driver.DriverUnload(&device->driver);
    check_irql("DxgkDdiUnload");
    device->initialized = false;
}
