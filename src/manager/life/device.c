/*
 * device.c - devices, and the system device. context.c makes contexts.
 */
#include "life/device.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "engine/device_error.h"
#include "engine/page_fault.h"
#include "lists/idle.h"
#include "lists/residency_list.h"
#include "life/context_allocation.h"
#include "life/paging_queue.h"
#include "life/process.h"
#include "life/resource.h"

/* A driver without contexts describes its DMA buffers here (ns-d3dkmddi-_dxgk_deviceinfo.md). */
static void take_device_info(struct vidmm_device *device, const DXGKARG_CREATEDEVICE *arg,
                             UINT flags) {
    if (device->adapter->contexts || (uintptr_t)arg->pInfo == flags)
        return;
    device->dma.DmaBufferSize = arg->pInfo->DmaBufferSize;
    device->dma.DmaBufferSegmentSet = arg->pInfo->DmaBufferSegmentSet;
    device->dma.DmaBufferPrivateDataSize = arg->pInfo->DmaBufferPrivateDataSize;
    device->dma.AllocationListSize = arg->pInfo->AllocationListSize;
    device->dma.PatchLocationListSize = arg->pInfo->PatchLocationListSize;
}

static enum vidmm_status device_driver_create(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    DXGKARG_CREATEDEVICE arg = {.hDevice = device};
    UINT flags;
    arg.pInfo = NULL;
    arg.Flags.SystemDevice = device->system;
    if (device->process) {
        arg.hKmdProcess = device->process->handle;
        arg.Pasid = device->process->pasid;
    }
    flags = arg.Flags.Value;
    context_allocations_ask(adapter);
    adapter_open(adapter);
    NTSTATUS nt = adapter->ddi->DxgkDdiCreateDevice(adapter->hadapter, &arg);
    adapter_return(adapter);
    enum vidmm_status status = context_allocations_answer(
        adapter, error_unless_success(adapter, "DxgkDdiCreateDevice",
                                      "nc-d3dkmddi-dxgkddi_createdevice", nt));
    if (status)
        return status;
    device->handle = arg.hDevice;
    take_device_info(device, &arg, flags);
    return VIDMM_OK;
}

static enum vidmm_status device_create(struct vidmm_adapter *adapter, struct vidmm_process *process,
                                       bool system, struct vidmm_device **out) {
    struct vidmm_device *device = adapter_alloc(adapter, sizeof(*device));
    if (!device)
        return error_no_memory(adapter, "vidmm_device_create");
    device->adapter = adapter;
    device->system = system;
    device->process = process;
    device->number = system ? 0 : ++adapter->devices.made;
    if (!system) { /* listed before the call: the driver may create device allocations in it */
        device->next = adapter->devices.first;
        adapter->devices.first = device;
    }
    enum vidmm_status status = device_driver_create(device);
    if (status == VIDMM_OK) {
        *out = device;
        return VIDMM_OK;
    }
    if (!system)
        adapter->devices.first = device->next;
    context_allocations_abandon(device, NULL);
    context_allocations_reap(adapter);
    adapter_free(adapter, device, sizeof(*device));
    return status;
}

static enum vidmm_status system_device_make(struct vidmm_adapter *adapter, uint32_t physical) {
    struct physical_adapter *its = &adapter->physical[physical];
    adapter->processes.creating = its->process; /* it has a device only when this has returned */
    enum vidmm_status status = device_create(adapter, its->process, true, &its->device);
    adapter->processes.creating = NULL;
    if (status == VIDMM_OK)
        status = system_context_create(its->device, physical);
    return status;
}

enum vidmm_status system_devices_create(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    if (adapter->facts.interface_version < DXGKDDI_INTERFACE_VERSION_WIN8 || !adapter->contexts)
        return VIDMM_OK; /* before WDDM 1.2 paging has no context (DXGKARG_SUBMITCOMMAND) */
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = system_device_make(adapter, i);
    return status;
}

/* False: it is none of those that page. */
static bool system_device_forget(struct vidmm_adapter *adapter, const struct vidmm_device *device) {
    for (uint32_t i = 0; i < adapter->facts.linked; i++) {
        if (adapter->physical[i].device != device)
            continue;
        adapter->physical[i].device = NULL;
        return true;
    }
    return false;
}

enum vidmm_status device_create_own(struct vidmm_process *process) {
    return device_create(process->adapter, process, true, &process->device);
}

enum vidmm_status vidmm_device_create(struct vidmm_adapter *adapter, struct vidmm_device **out) {
    *out = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_device_create");
    if (status == VIDMM_OK)
        status = device_create(adapter, NULL, false, out);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_process_device_create(struct vidmm_process *process,
                                              struct vidmm_device **out) {
    struct vidmm_adapter *adapter = process->adapter;
    *out = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_process_device_create");
    if (status == VIDMM_OK)
        status = device_create(adapter, process, false, out);
    if (status == VIDMM_OK)
        process->devices++;
    adapter_leave(adapter);
    return status;
}

static struct binding *binding_of(struct vidmm_resource *resource,
                                  const struct vidmm_device *device) {
    struct binding *binding = resource->bindings;
    while (binding && binding->device != device)
        binding = binding->next;
    return binding;
}

/*
 * A resource belongs to the adapter: when its creator goes and another device has it open, that one
 * answers for it from then on (nc-d3dkmddi-dxgkddi_createallocation.md).
 */
static void leave_resources(struct vidmm_device *device) {
    struct vidmm_resource *next;
    for (struct vidmm_resource *resource = device->adapter->resources; resource; resource = next) {
        struct binding *binding = binding_of(resource, device);
        next = resource->next;
        if (binding)
            resource_unbind(resource, binding);
        if (resource->creator != device)
            continue;
        if (resource->bindings)
            resource->creator = resource->bindings->device;
        else
            resource_destroy(resource);
    }
}

static void unlink_device(struct vidmm_device *device) {
    struct vidmm_device **link = &device->adapter->devices.first;
    while (*link && *link != device)
        link = &(*link)->next;
    if (*link)
        *link = device->next;
}

void device_destroy(struct vidmm_device *device) {
    VIDMM_ASSERT_ENTERED(device->adapter);
    struct vidmm_adapter *adapter = device->adapter;
    while (device->contexts)
        context_destroy(device->contexts);
    paging_queues_end(device);
    residency_list_end(device);
    leave_resources(device);
    adapter_open(adapter);
    (void)adapter->ddi->DxgkDdiDestroyDevice(device->handle);
    adapter_return(adapter);
    context_allocations_abandon(device, NULL);
    context_allocations_reap(adapter);
    unlink_device(device);
    bool pages = device->system && system_device_forget(adapter, device);
    if (device->system && !pages)
        device->process->device = NULL;
    else if (device->process)
        device->process->devices--;
    adapter_free(adapter, device, sizeof(*device));
}

void vidmm_device_destroy(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    vidmm_device_trim(device, NULL, NULL);
    adapter_enter(adapter);
    adapter_settle(adapter, NULL);
    device_destroy(device);
    adapter_leave(adapter);
}

bool vidmm_device_lost(struct vidmm_device *device) {
    return device_is_lost(device);
}
