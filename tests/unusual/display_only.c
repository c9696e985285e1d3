/*
 * display_only.c - a driver that displays and has neither memory nor engines
 * (ns-dispmprt-_kmddod_initialization_data): it goes on with the picture that the firmware left
 * (DxgkCbAcquirePostDisplayOwnership), has one source and one child that is always there, and copies what
 * is presented with the CPU.
 */
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define POOL_TAG 0x796c6e6fu

struct display {
    DXGKRNL_INTERFACE dxgk;
    DXGK_DISPLAY_INFORMATION picture;
    PUCHAR frame;
    SIZE_T bytes;
    BOOLEAN visible;
    DEVICE_POWER_STATE power;
};

/* ---- The device ------------------------------------------------------------------------------ */

static DXGKDDI_ADD_DEVICE add_device;
static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT device, PVOID *context) {
    UNREFERENCED_PARAMETER(device);
    *context = ExAllocatePoolZero(NonPagedPoolNx, sizeof(struct display), POOL_TAG);
    return *context ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_REMOVE_DEVICE remove_device;
static NTSTATUS APIENTRY remove_device(const PVOID context) {
    ExFreePoolWithTag(context, POOL_TAG);
    return STATUS_SUCCESS;
}

/* Without a picture of the firmware's (Width 0) there is none. */
static NTSTATUS take_picture(struct display *display) {
    NTSTATUS status = display->dxgk.DxgkCbAcquirePostDisplayOwnership(display->dxgk.DeviceHandle,
                                                                      &display->picture);
    if (!NT_SUCCESS(status) || display->picture.Width == 0)
        return status;
    display->bytes = (SIZE_T)display->picture.Pitch * display->picture.Height;
    display->frame = MmMapIoSpace(display->picture.PhysicAddress, display->bytes, MmWriteCombined);
    return display->frame ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_START_DEVICE start_device;
static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO start,
                                      PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    struct display *display = context;
    SIZE_T known = sizeof(display->dxgk);
    UNREFERENCED_PARAMETER(start);
    RtlCopyMemory(&display->dxgk, dxgk, dxgk->Size < known ? dxgk->Size : known);
    *sources = 1;
    *children = 1;
    return take_picture(display);
}

static DXGKDDI_STOP_DEVICE stop_device;
static NTSTATUS APIENTRY stop_device(const PVOID context) {
    struct display *display = context;
    if (display->frame)
        MmUnmapIoSpace(display->frame, display->bytes);
    display->frame = NULL;
    return STATUS_SUCCESS;
}

static DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP stop_and_release;
static NTSTATUS APIENTRY stop_and_release(const PVOID context,
                                          D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                          PDXGK_DISPLAY_INFORMATION picture) {
    struct display *display = context;
    *picture = display->picture;
    picture->TargetId = target;
    return stop_device(context);
}

static DXGKDDI_SET_POWER_STATE set_power_state;
static NTSTATUS APIENTRY set_power_state(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                         POWER_ACTION action) {
    struct display *display = context;
    UNREFERENCED_PARAMETER(action);
    if (uid == DISPLAY_ADAPTER_HW_ID)
        display->power = state;
    return STATUS_SUCCESS;
}

static DXGKDDI_UNLOAD unload;
static VOID APIENTRY unload(VOID) {
}

/* ---- Its child ------------------------------------------------------------------------------- */

static DXGKDDI_QUERY_CHILD_RELATIONS query_child_relations;
static NTSTATUS APIENTRY query_child_relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR child,
                                               ULONG bytes) {
    UNREFERENCED_PARAMETER(context);
    if (bytes < 2 * sizeof(*child)) /* one, and an empty one behind it */
        return STATUS_BUFFER_TOO_SMALL;
    child->ChildDeviceType = TypeVideoOutput;
    child->ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
    child->ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_INTERNAL;
    child->ChildCapabilities.Type.VideoOutput.MonitorOrientationAwareness = D3DKMDT_MOA_NONE;
    return STATUS_SUCCESS;
}

static DXGKDDI_QUERY_CHILD_STATUS query_child_status;
static NTSTATUS APIENTRY query_child_status(const PVOID context, PDXGK_CHILD_STATUS status,
                                            BOOLEAN destructively) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(destructively);
    if (status->Type != StatusConnection)
        return STATUS_NOT_SUPPORTED;
    status->HotPlug.Connected = TRUE;
    return STATUS_SUCCESS;
}

static DXGKDDI_QUERY_DEVICE_DESCRIPTOR query_device_descriptor;
static NTSTATUS APIENTRY query_device_descriptor(const PVOID context, ULONG uid,
                                                 PDXGK_DEVICE_DESCRIPTOR descriptor) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(uid);
    UNREFERENCED_PARAMETER(descriptor);
    return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* The only query that a driver without memory has to answer. */
static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DRIVERCAPS caps = {0};
    UNREFERENCED_PARAMETER(adapter);
    if (args->Type != DXGKQAITYPE_DRIVERCAPS || !args->pOutputData)
        return STATUS_NOT_SUPPORTED;
    caps.HighestAcceptableAddress.QuadPart = MAXLONGLONG;
    caps.WDDMVersion = DXGKDDI_WDDMv1_2;
    caps.SupportNonVGA = TRUE;
    caps.SupportSmoothRotation = TRUE;
    RtlCopyMemory(args->pOutputData, &caps,
                  args->OutputDataSize < sizeof(caps) ? args->OutputDataSize : sizeof(caps));
    return STATUS_SUCCESS;
}

/* ---- Modes: that of the firmware ------------------------------------------------------------- */

static DXGKDDI_ISSUPPORTEDVIDPN is_supported;
static NTSTATUS APIENTRY is_supported(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    UNREFERENCED_PARAMETER(adapter);
    args->IsVidPnSupported = TRUE;
    return STATUS_SUCCESS;
}

static DXGKDDI_RECOMMENDFUNCTIONALVIDPN recommend;
static NTSTATUS APIENTRY recommend(const HANDLE adapter,
                                   const DXGKARG_RECOMMENDFUNCTIONALVIDPN *const args) {
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

static DXGKDDI_ENUMVIDPNCOFUNCMODALITY enumerate;
static NTSTATUS APIENTRY enumerate(const HANDLE adapter,
                                   const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const args) {
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

static DXGKDDI_SETVIDPNSOURCEVISIBILITY set_visibility;
static NTSTATUS APIENTRY set_visibility(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    ((struct display *)adapter)->visible = args->Visible;
    return STATUS_SUCCESS;
}

static DXGKDDI_COMMITVIDPN commit;
static NTSTATUS APIENTRY commit(const HANDLE adapter, const DXGKARG_COMMITVIDPN *const args) {
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

/* SupportSmoothRotation asks for it; there is one rotation. */
static DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH update_path;
static NTSTATUS APIENTRY update_path(const HANDLE adapter,
                                     const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *const args) {
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

/* ---- The picture ----------------------------------------------------------------------------- */

static DXGKDDI_PRESENTDISPLAYONLY present;
static NTSTATUS APIENTRY present(const HANDLE adapter, const DXGKARG_PRESENT_DISPLAYONLY *args) {
    const struct display *display = adapter;
    LONG row = (LONG)display->picture.Pitch;
    for (ULONG y = 0; display->frame && y < display->picture.Height; y++)
        RtlCopyMemory(display->frame + (LONG)y * row,
                      (const UCHAR *)args->pSource + (LONG)y * args->Pitch,
                      (SIZE_T)display->picture.Width * args->BytesPerPixel);
    return STATUS_SUCCESS;
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    KMDDOD_INITIALIZATION_DATA table = {
        .Version = DXGKDDI_INTERFACE_VERSION_WIN8,
        .DxgkDdiAddDevice = add_device,
        .DxgkDdiStartDevice = start_device,
        .DxgkDdiStopDevice = stop_device,
        .DxgkDdiRemoveDevice = remove_device,
        .DxgkDdiQueryChildRelations = query_child_relations,
        .DxgkDdiQueryChildStatus = query_child_status,
        .DxgkDdiQueryDeviceDescriptor = query_device_descriptor,
        .DxgkDdiSetPowerState = set_power_state,
        .DxgkDdiUnload = unload,
        .DxgkDdiQueryAdapterInfo = query_adapter_info,
        .DxgkDdiIsSupportedVidPn = is_supported,
        .DxgkDdiRecommendFunctionalVidPn = recommend,
        .DxgkDdiEnumVidPnCofuncModality = enumerate,
        .DxgkDdiSetVidPnSourceVisibility = set_visibility,
        .DxgkDdiCommitVidPn = commit,
        .DxgkDdiUpdateActiveVidPnPresentPath = update_path,
        .DxgkDdiPresentDisplayOnly = present,
        .DxgkDdiStopDeviceAndReleasePostDisplayOwnership = stop_and_release,
    };
    return DxgkInitializeDisplayOnlyDriver(driver, registry_path, &table);
}
