/*
 * display.c - the display half of the table. The adapter reports no video present sources and
 * no children, so none of this is ever called; drivers before WDDM 1.3 have to fill the slots all
 * the same.
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
WITHOUT_DISPLAY(is_supported_vidpn, DXGKARG_ISSUPPORTEDVIDPN)
WITHOUT_DISPLAY(recommend_functional_vidpn, const DXGKARG_RECOMMENDFUNCTIONALVIDPN)
WITHOUT_DISPLAY(enum_vidpn_cofunc_modality, const DXGKARG_ENUMVIDPNCOFUNCMODALITY)
WITHOUT_DISPLAY(set_vidpn_source_address, const DXGKARG_SETVIDPNSOURCEADDRESS)
WITHOUT_DISPLAY(set_vidpn_source_visibility, const DXGKARG_SETVIDPNSOURCEVISIBILITY)
WITHOUT_DISPLAY(commit_vidpn, const DXGKARG_COMMITVIDPN)
WITHOUT_DISPLAY(update_active_path, const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH)
WITHOUT_DISPLAY(recommend_monitor_modes, const DXGKARG_RECOMMENDMONITORMODES)
WITHOUT_DISPLAY(recommend_topology, const DXGKARG_RECOMMENDVIDPNTOPOLOGY)
WITHOUT_DISPLAY(get_scan_line, DXGKARG_GETSCANLINE)
WITHOUT_DISPLAY(stop_capture, const DXGKARG_STOPCAPTURE)
WITHOUT_DISPLAY(create_overlay, DXGKARG_CREATEOVERLAY)
WITHOUT_DISPLAY(escape, const DXGKARG_ESCAPE)

static NTSTATUS APIENTRY control_interrupt(const HANDLE hAdapter, const DXGK_INTERRUPT_TYPE type,
                                           BOOLEAN enable) {
    UNREFERENCED_PARAMETER(hAdapter);
    UNREFERENCED_PARAMETER(type);
    UNREFERENCED_PARAMETER(enable);
    return STATUS_NOT_IMPLEMENTED; /* there is no vertical sync to control */
}

static NTSTATUS APIENTRY dispatch_io_request(const PVOID context, ULONG source,
                                             PVIDEO_REQUEST_PACKET packet) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(source);
    UNREFERENCED_PARAMETER(packet);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS APIENTRY query_child_relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                               ULONG size) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(children);
    UNREFERENCED_PARAMETER(size);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query_child_status(const PVOID context, PDXGK_CHILD_STATUS status,
                                            BOOLEAN non_destructive) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(status);
    UNREFERENCED_PARAMETER(non_destructive);
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS APIENTRY query_device_descriptor(const PVOID context, ULONG child,
                                                 PDXGK_DEVICE_DESCRIPTOR descriptor) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    UNREFERENCED_PARAMETER(descriptor);
    return STATUS_INVALID_PARAMETER;
}

static void vidpn_entries(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiIsSupportedVidPn = is_supported_vidpn;
    table->DxgkDdiRecommendFunctionalVidPn = recommend_functional_vidpn;
    table->DxgkDdiEnumVidPnCofuncModality = enum_vidpn_cofunc_modality;
    table->DxgkDdiSetVidPnSourceAddress = set_vidpn_source_address;
    table->DxgkDdiSetVidPnSourceVisibility = set_vidpn_source_visibility;
    table->DxgkDdiCommitVidPn = commit_vidpn;
    table->DxgkDdiUpdateActiveVidPnPresentPath = update_active_path;
    table->DxgkDdiRecommendMonitorModes = recommend_monitor_modes;
    table->DxgkDdiRecommendVidPnTopology = recommend_topology;
    table->DxgkDdiGetScanLine = get_scan_line;
    table->DxgkDdiStopCapture = stop_capture;
    table->DxgkDdiControlInterrupt = control_interrupt;
}

void kmd_display_entries(DRIVER_INITIALIZATION_DATA *table) {
    vidpn_entries(table);
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
