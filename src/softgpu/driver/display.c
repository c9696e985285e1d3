/*
 * display.c - the display half of the table: the children of the adapter, one for each connector,
 * the surface that each shows, its vertical sync. An adapter without connectors has no video present sources, so
 * none of this is ever called; drivers before WDDM 1.3 have to fill the slots all the same.
 */
#include "driver/kmd.h"

/* An entry point that takes the adapter and one argument, and has nothing to do it with. */
#define WITHOUT_DISPLAY(function, argument)                                                        \
    static NTSTATUS APIENTRY function(const HANDLE hAdapter, argument *args) {                     \
        UNREFERENCED_PARAMETER(hAdapter);                                                          \
        UNREFERENCED_PARAMETER(args);                                                              \
        return STATUS_NOT_SUPPORTED;                                                               \
    }

WITHOUT_DISPLAY(set_palette, const DXGKARG_SETPALETTE)
WITHOUT_DISPLAY(set_pointer_position, const DXGKARG_SETPOINTERPOSITION)
WITHOUT_DISPLAY(set_pointer_shape, const DXGKARG_SETPOINTERSHAPE)
WITHOUT_DISPLAY(update_active_path, const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH)
WITHOUT_DISPLAY(recommend_monitor_modes, const DXGKARG_RECOMMENDMONITORMODES)
WITHOUT_DISPLAY(get_scan_line, DXGKARG_GETSCANLINE)
WITHOUT_DISPLAY(stop_capture, const DXGKARG_STOPCAPTURE)
WITHOUT_DISPLAY(create_overlay, DXGKARG_CREATEOVERLAY)
WITHOUT_DISPLAY(escape, const DXGKARG_ESCAPE)

static NTSTATUS APIENTRY recommend_functional_vidpn(const HANDLE hAdapter,
                                                    const DXGKARG_RECOMMENDFUNCTIONALVIDPN *args) {
    UNREFERENCED_PARAMETER(hAdapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

static NTSTATUS APIENTRY recommend_topology(const HANDLE hAdapter,
                                            const DXGKARG_RECOMMENDVIDPNTOPOLOGY *args) {
    UNREFERENCED_PARAMETER(hAdapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY;
}

static NTSTATUS APIENTRY dispatch_io_request(const PVOID context, ULONG source,
                                             PVIDEO_REQUEST_PACKET packet) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(source);
    UNREFERENCED_PARAMETER(packet);
    return STATUS_NOT_SUPPORTED;
}

/* ---- Children -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY query_child_relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                               ULONG size) {
    const struct kmd_adapter *adapter = context;
    for (ULONG i = 0; i < adapter->settings.displays && (i + 1) * sizeof(*children) <= size; i++) {
        children[i].ChildDeviceType = TypeVideoOutput;
        children[i].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_OTHER;
        children[i].ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
        children[i].ChildUid = i;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query_child_status(const PVOID context, PDXGK_CHILD_STATUS status,
                                            BOOLEAN non_destructive) {
    const struct kmd_adapter *adapter = context;
    UNREFERENCED_PARAMETER(non_destructive);
    if (status->ChildUid >= adapter->settings.displays || status->Type != StatusConnection)
        return STATUS_INVALID_PARAMETER;
    status->HotPlug.Connected = TRUE;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query_device_descriptor(const PVOID context, ULONG child,
                                                 PDXGK_DEVICE_DESCRIPTOR descriptor) {
    const struct kmd_adapter *adapter = context;
    UNREFERENCED_PARAMETER(descriptor);
    return child < adapter->settings.displays ? STATUS_MONITOR_NO_DESCRIPTOR
                                              : STATUS_INVALID_PARAMETER;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static NTSTATUS APIENTRY set_vidpn_source_address(const HANDLE hAdapter,
                                                  const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    const struct kmd_adapter *adapter = hAdapter;
    if (args->VidPnSourceId >= adapter->settings.displays)
        return STATUS_INVALID_PARAMETER;
    kmd_write64(adapter, GPU_DISPLAY(args->VidPnSourceId) + GPU_DISPLAY_ADDRESS,
                (ULONG64)args->PrimaryAddress.QuadPart);
    return STATUS_SUCCESS;
}

/* A monitor that shows nothing goes on to be synchronized. */
static NTSTATUS APIENTRY set_vidpn_source_visibility(const HANDLE hAdapter,
                                                     const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    const struct kmd_adapter *adapter = hAdapter;
    if (args->VidPnSourceId >= adapter->settings.displays)
        return STATUS_INVALID_PARAMETER;
    kmd_write(adapter, GPU_DISPLAY(args->VidPnSourceId) + GPU_DISPLAY_CONTROL,
              GPU_DISPLAY_SYNC | (args->Visible ? GPU_DISPLAY_READ : 0));
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY control_interrupt(const HANDLE hAdapter, const DXGK_INTERRUPT_TYPE type,
                                           BOOLEAN enable) {
    const struct kmd_adapter *adapter = hAdapter;
    if (type != DXGK_INTERRUPT_CRTC_VSYNC || adapter->settings.displays == 0)
        return STATUS_NOT_IMPLEMENTED;
    kmd_write(adapter, GPU_REG_VSYNC, enable ? (1u << adapter->settings.displays) - 1u : 0);
    return STATUS_SUCCESS;
}

void kmd_displays_off(const struct kmd_adapter *adapter) {
    for (UINT i = 0; i < adapter->settings.displays; i++)
        kmd_write(adapter, GPU_DISPLAY(i) + GPU_DISPLAY_CONTROL, 0);
    if (adapter->settings.displays != 0)
        kmd_write(adapter, GPU_REG_VSYNC, 0);
}

void kmd_report_vsync(struct kmd_adapter *adapter) {
    ULONG events = kmd_read(adapter, GPU_REG_VSYNC_EVENTS);
    kmd_write(adapter, GPU_REG_VSYNC_EVENTS, events);
    for (UINT i = 0; i < adapter->settings.displays; i++) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};
        if ((events >> i & 1u) == 0)
            continue;
        data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
        data.CrtcVsync.VidPnTargetId = i;
        data.CrtcVsync.PhysicalAddress.QuadPart =
            (LONGLONG)kmd_read64(adapter, GPU_DISPLAY(i) + GPU_DISPLAY_SHOWN);
        adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &data);
    }
}

/* The monitors stay dark until the next driver comes: this one leaves no picture that the system may draw on. */
static NTSTATUS APIENTRY stop_and_release(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                          PDXGK_DISPLAY_INFORMATION display) {
    RtlZeroMemory(display, sizeof(*display));
    display->TargetId = target;
    return kmd_stop_device(context);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void shown_entries(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiRecommendFunctionalVidPn = recommend_functional_vidpn;
    table->DxgkDdiSetVidPnSourceAddress = set_vidpn_source_address;
    table->DxgkDdiSetVidPnSourceVisibility = set_vidpn_source_visibility;
    table->DxgkDdiUpdateActiveVidPnPresentPath = update_active_path;
    table->DxgkDdiRecommendMonitorModes = recommend_monitor_modes;
    table->DxgkDdiRecommendVidPnTopology = recommend_topology;
    table->DxgkDdiGetScanLine = get_scan_line;
    table->DxgkDdiStopCapture = stop_capture;
    table->DxgkDdiControlInterrupt = control_interrupt;
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WIN8 && kmd_settings()->displays != 0)
        table->DxgkDdiStopDeviceAndReleasePostDisplayOwnership = stop_and_release;
}

void kmd_display_entries(DRIVER_INITIALIZATION_DATA *table) {
    shown_entries(table);
    kmd_vidpn_entries(table);
    table->DxgkDdiDispatchIoRequest = dispatch_io_request;
    table->DxgkDdiQueryChildRelations = query_child_relations;
    table->DxgkDdiQueryChildStatus = query_child_status;
    table->DxgkDdiQueryDeviceDescriptor = query_device_descriptor;
    table->DxgkDdiSetPalette = set_palette;
    table->DxgkDdiSetPointerPosition = set_pointer_position;
    table->DxgkDdiSetPointerShape = set_pointer_shape;
    table->DxgkDdiCreateOverlay = create_overlay;
    table->DxgkDdiEscape = escape;
}
