/* driver.c - loads and unloads the driver's table; see driver.h. */
#include "driver/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/interfaces.h>
#include <vidmm/statuses.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "image/stubs.h"
#include "kernel/irql.h"
#include "text/messages.h"

bool host_driver_fail(struct vidmm_host_error *error, NTSTATUS status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    host_messages_append(error->text, sizeof(error->text));
    error->status = status;
    return false;
}

bool host_driver_refuse(struct vidmm_host_error *error, NTSTATUS status, const char *call,
                        const char *which) {
    const char *name = vidmm_status_name(status);
    if (!name)
        return host_driver_fail(error, status, "%s%s failed with status 0x%08x", call, which,
                                (unsigned)status);
    return host_driver_fail(error, status, "%s%s failed with status %s (0x%08x)", call, which, name,
                            (unsigned)status);
}

void host_driver_init(struct host_driver *driver) {
    driver->object.Type = 4; /* IO_TYPE_DRIVER */
    driver->object.Size = sizeof(DRIVER_OBJECT);
}

NTSTATUS APIENTRY DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                 PDRIVER_INITIALIZATION_DATA DriverInitializationData) {
    const size_t first = offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiAddDevice);
    struct host_driver *driver = host_world->driver;
    host_irql_at_most(PASSIVE_LEVEL, "DxgkInitialize");
    if (!DriverObject || !RegistryPath || !DriverInitializationData)
        return STATUS_INVALID_PARAMETER;
    const struct vidmm_interface *interface = vidmm_interface(DriverInitializationData->Version);
    driver->ddi.Version = DriverInitializationData->Version;
    if (!interface) {
        driver->refusal = "DRIVER_INITIALIZATION_DATA.Version is no DXGKDDI_INTERFACE_VERSION";
        return STATUS_REVISION_MISMATCH;
    }
    memset(&driver->ddi, 0, sizeof(driver->ddi));
    memcpy(&driver->ddi, DriverInitializationData, interface->table_size);
    driver->own = driver->ddi;
    stubs_in((char *)&driver->ddi + first, (sizeof(driver->ddi) - first) / sizeof(void *));
    driver->initialized = true;
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
    TAKE(QueryChildRelations);
    TAKE(QueryChildStatus);
    TAKE(QueryDeviceDescriptor);
    TAKE(SetPointerPosition);
    TAKE(SetPointerShape);
    TAKE(IsSupportedVidPn);
    TAKE(RecommendFunctionalVidPn);
    TAKE(EnumVidPnCofuncModality);
    TAKE(SetVidPnSourceVisibility);
    TAKE(CommitVidPn);
    TAKE(UpdateActiveVidPnPresentPath);
    TAKE(RecommendMonitorModes);
    TAKE(QueryVidPnHWCapability);
#undef TAKE
    NTSTATUS status = DxgkInitialize(DriverObject, RegistryPath, &table);
    host_world->driver->displays_only = NT_SUCCESS(status);
    return status;
}

NTSTATUS APIENTRY DxgkUnInitialize(PDRIVER_OBJECT DriverObject) {
    (void)DriverObject;
    host_world->driver->initialized = false;
    return STATUS_SUCCESS;
}

void host_driver_calling(const char *call) {
    static const char prefix[] = "DxgkDdi";
    bool has = call && strncmp(call, prefix, sizeof(prefix) - 1) == 0;
    if (call)
        host_messages_begin();
    host_self.call = has ? call + sizeof(prefix) - 1 : call;
    host_show_call(call, false);
    const struct vidmm_host_interposer *interposer = &host_world->interposer;
    const struct vidmm_host_watcher *watcher = host_world->config.watcher;
    struct vidmm_host_call seen = {.name = call};
    if (interposer->calling)
        interposer->calling(interposer->ctx, call);
    if (call && watcher)
        watcher->called(watcher->ctx, &seen);
}

/* These calls have no number: a driver that does not start has no others. */
static void driver_trace(const char *call, NTSTATUS status) {
    const char *name = vidmm_status_name(status);
    host_log("%s at IRQL %u: 0x%x (%s)\n", call, host_self.irql, (unsigned)status,
             name ? name : "no status");
}

void host_driver_called(const char *call, NTSTATUS status) {
    const struct vidmm_host_watcher *watcher = host_world->config.watcher;
    const struct vidmm_host_call seen = {.name = call, .answer = (uint32_t)status};
    if (watcher)
        watcher->returned(watcher->ctx, &seen);
    if (host_world->config.trace_calls)
        driver_trace(call, status);
    host_driver_calling(NULL);
    if (host_self.irql == PASSIVE_LEVEL)
        return;
    host_violation("%s returned at IRQL %u instead of %u", call, host_self.irql, PASSIVE_LEVEL);
    host_irql_lower(PASSIVE_LEVEL);
}

bool host_driver_enter(struct vidmm_host *host, DRIVER_INITIALIZE *entry,
                       struct vidmm_host_error *error) {
    static WCHAR path[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\vidmm";
    UNICODE_STRING registry;
    RtlInitUnicodeString(&registry, path);
    host->driver->object.DriverInit = entry;
    host_driver_calling("DriverEntry");
    NTSTATUS status = DRIVER_CALL(entry)(&host->driver->object, &registry);
    host_driver_called("DriverEntry", status);
    if (host->driver->refusal)
        return host_driver_fail(error, status, "DxgkInitialize refused the driver: %s (0x%x)",
                                host->driver->refusal, host->driver->ddi.Version);
    if (!NT_SUCCESS(status))
        return host_driver_refuse(error, status, "DriverEntry", "");
    if (!host->driver->initialized)
        return host_driver_fail(error, status,
                                "DriverEntry succeeded without calling DxgkInitialize");
    if (host->interposer.ddi)
        host->interposer.ddi(host->interposer.ctx, &host->driver->ddi);
    return true;
}

void host_driver_unload(struct vidmm_host *host) {
    struct host_driver *driver = host->driver;
    host_driver_calling("DxgkDdiUnload");
    if (driver->initialized && driver->ddi.DxgkDdiUnload)
        driver->ddi.DxgkDdiUnload();
    else if (driver->initialized && driver->object.DriverUnload)
        DRIVER_CALL(driver->object.DriverUnload)(&driver->object);
    host_driver_called("DxgkDdiUnload", STATUS_SUCCESS);
    driver->initialized = false;
}
