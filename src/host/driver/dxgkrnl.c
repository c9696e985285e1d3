/*
 * dxgkrnl.c - DXGKRNL_INTERFACE: the callbacks that a driver gets in StartDevice.
 *
 * Those of the memory path, of displays and of starting the device are implemented; all others answer "not
 * supported". No member is NULL, whatever the version.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "memory/bars.h"
#include "memory/contiguous.h"
#include "memory/mdl.h"
#include "memory/physical.h"
#include "kernel/device_log.h"
#include "kernel/interrupt.h"
#include "driver/beside.h"
#include "driver/config_space.h"
#include "driver/device.h"
#include "driver/driver.h"
#include "driver/reports.h"
#include "driver/resources.h"
#include "driver/vidpn.h"

/* For any callback that returns a status; the arguments stay in registers and are not used. */
static uint64_t APIENTRY not_supported(void) {
    return (uint64_t)(uint32_t)STATUS_NOT_SUPPORTED;
}

/* For any callback that returns a pointer, a handle or nothing. */
static uint64_t APIENTRY dxgkrnl_nothing(void) {
    return 0;
}

static const char *dxgkrnl_which(uint32_t board) {
    return board == 0 ? "first" : "second";
}

/* What a call or a routine of one adapter has to do, it does for that one. */
static void dxgkrnl_judge_other(const struct host_device *device, const char *function) {
    if (host_world->boards > host_world->linked && host_self.board != 0 &&
        host_self.board != device->board + 1)
        host_violation("%s was called with the DeviceHandle of the %s adapter of two, in a routine "
                       "that was called for the %s",
                       function, dxgkrnl_which(device->board), dxgkrnl_which(host_self.board - 1));
}

/* The device with this DXGKRNL_INTERFACE.DeviceHandle, or NULL. */
static struct host_device *dxgkrnl_device(HANDLE handle, const char *function) {
    for (uint32_t board = 0; board < host_world->boards; board++) {
        struct host_device *device = &host_world->device[board];
        if ((uintptr_t)handle - (uintptr_t)device->handles >= sizeof(device->handles))
            continue;
        if (handle != device->interface.DeviceHandle)
            host_violation("%s was called with a handle of before DxgkDdiStopDevice, which is not "
                           "DXGKRNL_INTERFACE.DeviceHandle any more",
                           function);
        dxgkrnl_judge_other(device, function);
        return device;
    }
    host_violation("%s was called with a handle that is not DXGKRNL_INTERFACE.DeviceHandle",
                   function);
    return NULL;
}

/* ---- Bring-up -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY get_device_information(HANDLE handle, PDXGK_DEVICE_INFO info) {
    static WCHAR path[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Video\\vidmm";
    host_irql_at_most(PASSIVE_LEVEL, "DxgkCbGetDeviceInformation");
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbGetDeviceInformation");
    if (!device || !info)
        return STATUS_INVALID_PARAMETER;
    if (!host_may_allocate()) /* the lists of resources are made for the driver */
        return STATUS_INSUFFICIENT_RESOURCES;
    memset(info, 0, sizeof(*info));
    info->MiniportDeviceContext = device->context;
    info->PhysicalDeviceObject = &device->physical;
    RtlInitUnicodeString(&info->DeviceRegistryPath, path);
    info->TranslatedResourceList = host_resources(device->board);
    info->SystemMemorySize.QuadPart = (LONGLONG)host_world->physical->installed;
    info->HighestPhysicalAddress.QuadPart =
        (LONGLONG)(host_world->physical->bytes + HOST_POOL_BYTES) - 1;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY map_memory(HANDLE handle, PHYSICAL_ADDRESS address, ULONG length,
                                    BOOLEAN io_space, BOOLEAN user_mode, MEMORY_CACHING_TYPE cache,
                                    PVOID *virtual_address) {
    host_irql_at_most(PASSIVE_LEVEL, "DxgkCbMapMemory");
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbMapMemory");
    if (!device || !virtual_address)
        return STATUS_INVALID_PARAMETER;
    *virtual_address = NULL;
    if (io_space || user_mode)
        return STATUS_NOT_SUPPORTED;
    if (!host_bars_hold(host_world->bars, device->board, (uint64_t)address.QuadPart, length)) {
        host_violation("DxgkCbMapMemory of %u bytes at 0x%llx, which are not the adapter's", length,
                       (unsigned long long)address.QuadPart);
        return STATUS_INVALID_PARAMETER;
    }
    *virtual_address = MmMapIoSpace(address, length, cache);
    return *virtual_address ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS APIENTRY unmap_memory(HANDLE handle, PVOID virtual_address) {
    host_irql_at_most(PASSIVE_LEVEL, "DxgkCbUnmapMemory");
    if (!dxgkrnl_device(handle, "DxgkCbUnmapMemory"))
        return STATUS_INVALID_PARAMETER;
    uint64_t size = host_io_mapping_size(virtual_address);
    if (size == 0) {
        host_violation("DxgkCbUnmapMemory of an address that DxgkCbMapMemory did not give");
        return STATUS_INVALID_PARAMETER;
    }
    MmUnmapIoSpace(virtual_address, size);
    return STATUS_SUCCESS;
}

/* `buffer` from or to the adapter's 256 bytes of configuration space. */
static NTSTATUS device_space(HANDLE handle, ULONG type, void *buffer, ULONG offset, ULONG length,
                             PULONG done, bool write) {
    static const char function[] = "DxgkCbReadDeviceSpace or DxgkCbWriteDeviceSpace";
    host_irql_at_most(PASSIVE_LEVEL, function);
    struct host_device *device = dxgkrnl_device(handle, function);
    if (!device)
        return STATUS_INVALID_PARAMETER;
    const ULONG size = sizeof(device->config_space);
    if (type != DXGK_WHICHSPACE_CONFIG)
        return STATUS_NOT_SUPPORTED;
    if (offset >= size)
        return STATUS_INVALID_PARAMETER;
    if (length > size - offset)
        length = size - offset;
    host_config_access(device, buffer, offset, length, write);
    if (done)
        *done = length;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY read_device_space(HANDLE handle, ULONG type, PVOID buffer, ULONG offset,
                                           ULONG length, PULONG bytes) {
    return device_space(handle, type, buffer, offset, length, bytes, false);
}

static NTSTATUS APIENTRY write_device_space(HANDLE handle, ULONG type, PVOID buffer, ULONG offset,
                                            ULONG length, PULONG bytes) {
    return device_space(handle, type, buffer, offset, length, bytes, true);
}

static NTSTATUS APIENTRY indicate_child_status(HANDLE handle, PDXGK_CHILD_STATUS status) {
    (void)status;
    return dxgkrnl_device(handle, "DxgkCbIndicateChildStatus") ? STATUS_SUCCESS
                                                               : STATUS_INVALID_PARAMETER;
}

static NTSTATUS APIENTRY is_device_present(HANDLE handle, PPCI_DEVICE_PRESENCE_PARAMETERS wanted,
                                           PBOOLEAN present) {
    (void)wanted;
    if (!dxgkrnl_device(handle, "DxgkCbIsDevicePresent") || !present)
        return STATUS_INVALID_PARAMETER;
    *present = FALSE; /* no other device is on this bus */
    return STATUS_SUCCESS;
}

/*
 * Without a model the firmware has left a picture of 1024 x 768 in the second BAR; with one what that
 * says. Without a boot display success with a width of 0 says so (dispmprt page of the callback).
 */
static bool boot_display(const struct host_device *device, struct vidmm_hw_display *display) {
    const struct vidmm_hw_model *model = host_world->model[device->board];
    *display = (struct vidmm_hw_display){.bar = 1, .width = 1024, .height = 768};
    return !model || (model->display && model->display(host_world->hw[device->board], display) &&
                      display->bar < VIDMM_HW_BARS);
}

static NTSTATUS APIENTRY acquire_post_display(HANDLE handle, PDXGK_DISPLAY_INFORMATION info) {
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbAcquirePostDisplayOwnership");
    struct vidmm_hw_display display;
    if (!device || !info)
        return STATUS_INVALID_PARAMETER;
    memset(info, 0, sizeof(*info));
    if (!boot_display(device, &display))
        return STATUS_SUCCESS;
    info->Width = display.width;
    info->Height = display.height;
    info->Pitch = info->Width * 4;
    info->ColorFormat = D3DDDIFMT_X8R8G8B8;
    info->PhysicAddress.QuadPart =
        (LONGLONG)host_bars_of(host_world->bars, device->board)[display.bar].physical;
    return STATUS_SUCCESS;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static BOOLEAN APIENTRY queue_dpc(HANDLE handle) {
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbQueueDpc");
    return device && KeInsertQueueDpc(&device->dpc, NULL, NULL);
}

/* A line has no messages, and the resources name one; of a model only its driver knows how many. */
static bool one_interrupt(void) {
    const struct vidmm_host_config *config = &host_world->config;
    return config->line || (!config->model && !config->model_path);
}

static NTSTATUS APIENTRY synchronize_execution(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine,
                                               PVOID context, ULONG message, PBOOLEAN answer) {
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbSynchronizeExecution");
    if (!device || message >= HOST_MESSAGES)
        return STATUS_INVALID_PARAMETER;
    if (!host_irql_at_most(HOST_DEVICE_IRQL - 1, "DxgkCbSynchronizeExecution"))
        return STATUS_UNSUCCESSFUL;
    if (message != 0 && one_interrupt())
        host_violation(
            "DxgkCbSynchronizeExecution was called with MessageNumber %u; the device has "
            "one interrupt: it must be 0",
            (unsigned)message);
    struct host_interrupt *interrupt = &host_world->interrupt[device->board];
    KIRQL old = host_interrupt_lock(interrupt);
    BOOLEAN result = DRIVER_CALL(routine)(context);
    if (host_self.irql != HOST_DEVICE_IRQL)
        host_violation("a routine of DxgkCbSynchronizeExecution returned at IRQL %u instead of %u",
                       host_self.irql, HOST_DEVICE_IRQL);
    host_interrupt_unlock(interrupt, old);
    host_beside_synchronized(host_world->beside);
    if (answer)
        *answer = result;
    return STATUS_SUCCESS;
}

/* Reports wait for the DPC: the real scheduler reads them in DxgkCbNotifyDpc. */
static VOID APIENTRY notify_interrupt(const HANDLE handle,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbNotifyInterrupt");
    struct vidmm_interrupt report;
    if (!device)
        return;
    if (host_self.irql != HOST_DEVICE_IRQL)
        host_violation("DxgkCbNotifyInterrupt was called at IRQL %u; it must be called at the "
                       "device's IRQL (%u): in the ISR or by DxgkCbSynchronizeExecution",
                       host_self.irql, HOST_DEVICE_IRQL);
    if (!vidmm_interrupt_read(data, &report))
        return;
    if (host_world->boards > host_world->linked && device->board != host_world->board_of[0]) {
        host_violation(
            "DxgkCbNotifyInterrupt reported work of the %s adapter of two, which has none "
            "under way",
            dxgkrnl_which(device->board));
        return;
    }
    const struct vidmm_host_watcher *watcher = host_world->config.watcher;
    if (watcher)
        watcher->reported(watcher->ctx, &report);
    if (!host_report_keep(&device->reports, &report))
        host_violation("more than %u interrupts were reported without a DxgkCbNotifyDpc",
                       HOST_REPORTS);
}

/* Linked adapters have one scheduler (tdr-changes-in-windows-8), and the pages do not say that it has to be told with the
 * handle that a report came with: what all of them reported is read. */
static VOID APIENTRY notify_dpc(const HANDLE handle) {
    struct host_device *device = dxgkrnl_device(handle, "DxgkCbNotifyDpc");
    if (!device)
        return;
    if (host_self.irql != DISPATCH_LEVEL)
        host_violation("DxgkCbNotifyDpc was called at IRQL %u; it must be called at IRQL %u",
                       host_self.irql, DISPATCH_LEVEL);
    host_reports_deliver(&device->reports);
    for (uint32_t board = 0; device->board < host_world->linked && board < host_world->linked;
         board++)
        host_reports_deliver(&host_world->device[board].reports);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A callback that needs the memory manager waits for it: only at PASSIVE_LEVEL, and not from a call
 * during which the memory manager is locked. */
static bool may_wait(const char *function) {
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return false;
    if (host_self.locked)
        host_violation("%s was called from inside a call that the memory manager waits for: it "
                       "would never return",
                       function);
    return !host_self.locked;
}

/* The driver may pass the failure on, in a call that names no cause (vidmm_host_refused_in). */
static void note_refusal(const char *function, bool refused) {
    if (!refused || !host_self.call)
        return;
    host_self.refused = function;
    host_self.refused_in = host_self.call;
}

static NTSTATUS APIENTRY create_context_allocation(DXGKARGCB_CREATECONTEXTALLOCATION *allocation) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    if (!sink->create_context_allocation)
        return STATUS_NOT_SUPPORTED;
    if (!allocation)
        return STATUS_INVALID_PARAMETER;
    NTSTATUS status = may_wait("DxgkCbCreateContextAllocation")
                          ? sink->create_context_allocation(sink->ctx, allocation)
                          : STATUS_UNSUCCESSFUL;
    note_refusal("DxgkCbCreateContextAllocation", !NT_SUCCESS(status));
    return status;
}

static NTSTATUS APIENTRY destroy_context_allocation(const HANDLE handle, const HANDLE allocation) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    if (!dxgkrnl_device(handle, "DxgkCbDestroyContextAllocation") ||
        !sink->destroy_context_allocation)
        return STATUS_NOT_SUPPORTED;
    return may_wait("DxgkCbDestroyContextAllocation")
               ? sink->destroy_context_allocation(sink->ctx, allocation)
               : STATUS_UNSUCCESSFUL;
}

static D3DGPU_VIRTUAL_ADDRESS APIENTRY
map_context_allocation(const HANDLE handle, const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    bool good = dxgkrnl_device(handle, "DxgkCbMapContextAllocation") && args &&
                sink->map_context_allocation && may_wait("DxgkCbMapContextAllocation");
    D3DGPU_VIRTUAL_ADDRESS va =
        good ? sink->map_context_allocation(sink->ctx, args, host_self.called) : 0;
    note_refusal("DxgkCbMapContextAllocation", va == 0);
    return va;
}

static NTSTATUS APIENTRY update_context_allocation(const HANDLE handle,
                                                   const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    if (!dxgkrnl_device(handle, "DxgkCbUpdateContextAllocation") || !args)
        return STATUS_INVALID_PARAMETER;
    if (!sink->update_context_allocation)
        return STATUS_NOT_SUPPORTED;
    NTSTATUS status = may_wait("DxgkCbUpdateContextAllocation")
                          ? sink->update_context_allocation(sink->ctx, args, host_self.called)
                          : STATUS_UNSUCCESSFUL;
    note_refusal("DxgkCbUpdateContextAllocation", !NT_SUCCESS(status));
    return status;
}

static NTSTATUS APIENTRY reserve_addresses(const HANDLE handle,
                                           DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    if (!dxgkrnl_device(handle, "DxgkCbReserveGpuVirtualAddressRange") || !args)
        return STATUS_INVALID_PARAMETER;
    if (!sink->reserve_addresses)
        return STATUS_NOT_SUPPORTED;
    NTSTATUS status = may_wait("DxgkCbReserveGpuVirtualAddressRange")
                          ? sink->reserve_addresses(sink->ctx, args)
                          : STATUS_UNSUCCESSFUL;
    note_refusal("DxgkCbReserveGpuVirtualAddressRange", !NT_SUCCESS(status));
    return status;
}

static VOID *APIENTRY get_handle_data(const DXGKARGCB_GETHANDLEDATA *data) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    if (!sink->handle_data || !data)
        return NULL;
    return sink->handle_data(sink->ctx, data);
}

static VOID *APIENTRY acquire_handle_data(const DXGKARGCB_GETHANDLEDATA *data, HANDLE *release) {
    VOID *found = get_handle_data(data);
    if (release)
        *release = found;
    return found;
}

static NTSTATUS APIENTRY allocate_contiguous(const HANDLE handle,
                                             DXGKARGCB_ALLOCATECONTIGUOUSMEMORY *args) {
    if (!dxgkrnl_device(handle, "DxgkCbAllocateContiguousMemory"))
        return STATUS_INVALID_PARAMETER;
    args->pMemory =
        host_contiguous_take(args->NumberOfBytes, args->LowestAcceptableAddress,
                             args->HighestAcceptableAddress, args->BoundaryAddressMultiple);
    args->hMemoryHandle = args->pMemory;
    return args->pMemory ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS APIENTRY free_contiguous(const HANDLE handle,
                                         const DXGKARGCB_FREECONTIGUOUSMEMORY *args) {
    if (!dxgkrnl_device(handle, "DxgkCbFreeContiguousMemory"))
        return STATUS_INVALID_PARAMETER;
    MmFreeContiguousMemory(args->hMemoryHandle);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY allocate_pages(const HANDLE handle, DXGKARGCB_ALLOCATEPAGESFORMDL *args) {
    if (!dxgkrnl_device(handle, "DxgkCbAllocatePagesForMdl"))
        return STATUS_INVALID_PARAMETER;
    args->pMdl = host_mdl_take(args->LowAddress, args->HighAddress, args->TotalBytes, args->Flags);
    args->hMemoryHandle = args->pMdl;
    return args->pMdl ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS APIENTRY free_pages(const HANDLE handle, const DXGKARGCB_FREEPAGESFROMMDL *args) {
    if (!dxgkrnl_device(handle, "DxgkCbFreePagesFromMdl"))
        return STATUS_INVALID_PARAMETER;
    MmFreePagesFromMdl(args->hMemoryHandle);
    ExFreePool(args->hMemoryHandle);
    return STATUS_SUCCESS;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Fills every member, by position: all are pointers to functions. */
static void fill_unsupported(DXGKRNL_INTERFACE *interface) {
    uint64_t(APIENTRY * stub)(void) = not_supported;
    for (size_t at = offsetof(DXGKRNL_INTERFACE, DxgkCbEvalAcpiMethod); at < sizeof(*interface);
         at += sizeof(stub))
        memcpy((char *)interface + at, &stub, sizeof(stub));
}

/* The members that do not return a status. */
static void fill_empty(DXGKRNL_INTERFACE *interface) {
    static const size_t members[] = {
        offsetof(DXGKRNL_INTERFACE, DxgkCbGetHandleParent),
        offsetof(DXGKRNL_INTERFACE, DxgkCbEnumHandleChildren),
        offsetof(DXGKRNL_INTERFACE, DxgkCbLogEtwEvent),
        offsetof(DXGKRNL_INTERFACE, DxgkCbSetPowerComponentActive),
        offsetof(DXGKRNL_INTERFACE, DxgkCbSetPowerComponentIdle),
        offsetof(DXGKRNL_INTERFACE, DxgkCbSetPowerComponentLatency),
        offsetof(DXGKRNL_INTERFACE, DxgkCbSetPowerComponentResidency),
        offsetof(DXGKRNL_INTERFACE, DxgkCbCompleteFStateTransition),
        offsetof(DXGKRNL_INTERFACE, DxgkCbCompletePStateTransition),
        offsetof(DXGKRNL_INTERFACE, DxgkCbReleaseHandleData),
        offsetof(DXGKRNL_INTERFACE, DxgkCbHardwareContentProtectionTeardown),
        offsetof(DXGKRNL_INTERFACE, DxgkCbMultiPlaneOverlayDisabled),
    };
    uint64_t(APIENTRY * stub)(void) = dxgkrnl_nothing;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        memcpy((char *)interface + members[i], &stub, sizeof(stub));
}

void host_device_interface(struct host_device *device) {
    DXGKRNL_INTERFACE *interface = &device->interface;
    interface->Size = sizeof(*interface);
    interface->Version = host_world->driver->ddi.Version;
    interface->DeviceHandle = &device->handles[device->life % sizeof(device->handles)];
    fill_unsupported(interface);
    fill_empty(interface);
    interface->DxgkCbGetDeviceInformation = get_device_information;
    interface->DxgkCbIndicateChildStatus = indicate_child_status;
    interface->DxgkCbMapMemory = map_memory;
    interface->DxgkCbUnmapMemory = unmap_memory;
    interface->DxgkCbReadDeviceSpace = read_device_space;
    interface->DxgkCbWriteDeviceSpace = write_device_space;
    interface->DxgkCbIsDevicePresent = is_device_present;
    interface->DxgkCbAcquirePostDisplayOwnership = acquire_post_display;
    interface->DxgkCbQueueDpc = queue_dpc;
    interface->DxgkCbSynchronizeExecution = synchronize_execution;
    interface->DxgkCbNotifyInterrupt = notify_interrupt;
    interface->DxgkCbNotifyDpc = notify_dpc;
    interface->DxgkCbCreateContextAllocation = create_context_allocation;
    interface->DxgkCbDestroyContextAllocation = destroy_context_allocation;
    interface->DxgkCbMapContextAllocation = map_context_allocation;
    interface->DxgkCbUpdateContextAllocation = update_context_allocation;
    interface->DxgkCbReserveGpuVirtualAddressRange = reserve_addresses;
    interface->DxgkCbQueryVidPnInterface = host_vidpn_query;
    interface->DxgkCbGetHandleData = get_handle_data;
    interface->DxgkCbAcquireHandleData = acquire_handle_data;
    interface->DxgkCbAllocateContiguousMemory = allocate_contiguous;
    interface->DxgkCbFreeContiguousMemory = free_contiguous;
    interface->DxgkCbAllocatePagesForMdl = allocate_pages;
    interface->DxgkCbFreePagesFromMdl = free_pages;
}
