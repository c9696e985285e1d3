/*
 * device_error.c - see device_error.h.
 */
#include "engine/device_error.h"

#include "base/device.h"
#include "engine/page_fault.h"

bool device_is_lost(struct vidmm_device *device) {
    const struct vidmm_os *os = &device->adapter->os;
    os->lock(os->ctx, device->adapter->fence_lock);
    bool lost = device->lost;
    os->unlock(os->ctx, device->adapter->fence_lock);
    return lost;
}

void device_mark_lost(struct vidmm_device *device) {
    const struct vidmm_os *os = &device->adapter->os;
    os->lock(os->ctx, device->adapter->fence_lock);
    device->lost = true;
    os->unlock(os->ctx, device->adapter->fence_lock);
}

enum vidmm_status device_lose(struct vidmm_device *device, const char *call, const char *rule,
                              const char *page) {
    device_mark_lost(device);
    return FAIL(device->adapter, .status = VIDMM_DEVICE_LOST, .call = call, .rule = rule,
                .page = page, .index = ERROR_NO_INDEX);
}

/* Why it is in error, as far as that is known. */
static enum vidmm_status device_error_report(struct vidmm_device *device, const char *call) {
    struct vidmm_adapter *adapter = device->adapter;
    page_faults_resolve(adapter);
    fences_lock(adapter);
    struct vidmm_access access = device->access;
    fences_unlock(adapter);
    bool judged = adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    return FAIL(adapter, .status = VIDMM_DEVICE_LOST, .call = call,
                .rule = access.known ? "R381"
                        : judged     ? "R384"
                                     : NULL,
                .page = access.known ? "access-to-non-resident-allocation"
                                     : "thread-synchronization-and-tdr",
                .index = ERROR_NO_INDEX, .access = access);
}

enum vidmm_status device_serves(struct vidmm_device *device, const char *call) {
    enum vidmm_status status = adapter_serves(device->adapter, call);
    return status == VIDMM_OK && device_is_lost(device) ? device_error_report(device, call)
                                                        : status;
}

enum vidmm_status device_report_lost(struct vidmm_adapter *adapter, uint32_t number,
                                     const char *call) {
    enum vidmm_status status;
    adapter_enter(adapter);
    struct vidmm_device *device = adapter->devices.first;
    while (device && device->number != number)
        device = device->next;
    if (device)
        status = device_error_report(device, call);
    else
        status = FAIL(adapter, .status = VIDMM_DEVICE_LOST, .call = call, .index = ERROR_NO_INDEX);
    adapter_leave(adapter);
    return status;
}
