/*
 * escape.c - what the halves of a driver say to each other past the system: DxgkDdiEscape.
 */
#include "engine/device_error.h"
#include "life/device.h"

enum vidmm_status vidmm_escape(struct vidmm_device *device, struct vidmm_context *context,
                               uint32_t flags, void *data, uint32_t size) {
    struct vidmm_adapter *adapter = device->adapter;
    DXGKARG_ESCAPE args = {.hDevice = device->handle,
                           .Flags.Value = flags,
                           .pPrivateDriverData = size != 0 ? data : NULL,
                           .PrivateDriverDataSize = size,
                           .hContext = context ? context->handle : NULL};
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, "vidmm_escape");
    if (status == VIDMM_OK && !adapter->ddi->DxgkDdiEscape)
        status = error_argument(adapter, "vidmm_escape", "a driver with DxgkDdiEscape");
    if (status == VIDMM_OK) {
        adapter_open(adapter);
        NTSTATUS nt = adapter->ddi->DxgkDdiEscape(adapter->hadapter, &args);
        adapter_return(adapter);
        status = error_unless_success(adapter, "DxgkDdiEscape", "nc-d3dkmddi-dxgkddi_escape", nt);
    }
    adapter_leave(adapter);
    return status;
}
