/* SPDX-License-Identifier: MIT */
/*
 * driver.c - a display-only driver for the standard VGA display that hardware.c models. It reads
 * the configuration space, maps the registers and the frame buffer, sets one mode, and draws one
 * line. StartDevice fails if the device does not answer as documented, so `vidmm check` tests the
 * model and the driver together.
 */
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define POOL_TAG   0x61677673u /* "svga" */
#define FRAME_BAR  0u          /* index among the memory resources */
#define MODE_BAR   1u
#define REGISTERS  0x500u /* of the mode registers in their BAR */
#define DEVICE_ID  0xb0c5u
#define WIDTH      800u
#define HEIGHT     600u
#define ENABLED    0x41u /* enabled, with the linear frame buffer */
#define LINE_BYTES (WIDTH * 4)

enum { ID, MODE_WIDTH, MODE_HEIGHT, MODE_DEPTH, ENABLE };

struct display {
    DXGKRNL_INTERFACE dxgk;
    PUCHAR frame;
    PUCHAR registers;
    SIZE_T frame_bytes;
    SIZE_T register_bytes;
};

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

static PUCHAR map_resource(const DXGK_DEVICE_INFO *info, ULONG index, ULONG protect,
                           SIZE_T *bytes) {
    const CM_PARTIAL_RESOURCE_LIST *list =
        &info->TranslatedResourceList->List[0].PartialResourceList;
    for (ULONG i = 0; i < list->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type != CmResourceTypeMemory || index-- != 0)
            continue;
        PHYSICAL_ADDRESS start;
        RtlCopyMemory(&start, &resource->u.Memory.Start, sizeof(start));
        *bytes = resource->u.Memory.Length;
        return MmMapIoSpaceEx(start, *bytes, protect);
    }
    return NULL;
}

static VOID write_mode(const struct display *display, ULONG index, USHORT value) {
    WRITE_REGISTER_USHORT((PUSHORT)(display->registers + REGISTERS + 2 * index), value);
}

static USHORT read_mode(const struct display *display, ULONG index) {
    return READ_REGISTER_USHORT((PUSHORT)(display->registers + REGISTERS + 2 * index));
}

static BOOLEAN is_standard_vga(struct display *display) {
    USHORT id[2] = {0};
    ULONG read = 0;
    NTSTATUS status = display->dxgk.DxgkCbReadDeviceSpace(
        display->dxgk.DeviceHandle, DXGK_WHICHSPACE_CONFIG, id, 0, sizeof(id), &read);
    return NT_SUCCESS(status) && read == sizeof(id) && id[0] == 0x1234 && id[1] == 0x1111;
}

static BOOLEAN set_mode(const struct display *display) {
    write_mode(display, ID, 0); /* read-only */
    write_mode(display, MODE_WIDTH, WIDTH + 3);
    write_mode(display, MODE_HEIGHT, HEIGHT);
    write_mode(display, MODE_DEPTH, 32);
    write_mode(display, ENABLE, ENABLED);
    return read_mode(display, ID) == DEVICE_ID && read_mode(display, MODE_WIDTH) == WIDTH &&
           read_mode(display, MODE_HEIGHT) == HEIGHT && read_mode(display, ENABLE) == ENABLED;
}

static BOOLEAN draw_line(const struct display *display) {
    if (display->frame_bytes < (SIZE_T)LINE_BYTES * HEIGHT)
        return FALSE;
    RtlZeroMemory(display->frame, 2 * LINE_BYTES);
    RtlFillMemory(display->frame, LINE_BYTES, 0xa5);
    return display->frame[0] == 0xa5 && display->frame[LINE_BYTES - 1] == 0xa5 &&
           display->frame[LINE_BYTES] == 0;
}

static DXGKDDI_STOP_DEVICE stop_device;
static NTSTATUS APIENTRY stop_device(const PVOID context) {
    struct display *display = context;
    if (display->registers)
        write_mode(display, ENABLE, 0);
    if (display->frame)
        MmUnmapIoSpace(display->frame, display->frame_bytes);
    if (display->registers)
        MmUnmapIoSpace(display->registers, display->register_bytes);
    display->frame = display->registers = NULL;
    return STATUS_SUCCESS;
}

static DXGKDDI_START_DEVICE start_device;
static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO start,
                                      PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    struct display *display = context;
    DXGK_DEVICE_INFO info = {0};
    UNREFERENCED_PARAMETER(start);
    SIZE_T known = sizeof(display->dxgk);
    RtlCopyMemory(&display->dxgk, dxgk, dxgk->Size < known ? dxgk->Size : known);
    *sources = 1;
    *children = 1;
    NTSTATUS status = dxgk->DxgkCbGetDeviceInformation(dxgk->DeviceHandle, &info);
    if (!NT_SUCCESS(status))
        return status;
    if (!is_standard_vga(display))
        return STATUS_UNSUCCESSFUL;
    display->frame =
        map_resource(&info, FRAME_BAR, PAGE_READWRITE | PAGE_WRITECOMBINE, &display->frame_bytes);
    display->registers =
        map_resource(&info, MODE_BAR, PAGE_READWRITE | PAGE_NOCACHE, &display->register_bytes);
    if (!display->frame || !display->registers)
        status = STATUS_NO_MEMORY;
    else if (!set_mode(display) || !draw_line(display))
        status = STATUS_UNSUCCESSFUL;
    if (!NT_SUCCESS(status))
        stop_device(display);
    return status;
}

static DXGKDDI_QUERY_CHILD_RELATIONS query_child_relations;
static NTSTATUS APIENTRY query_child_relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                               ULONG size) {
    UNREFERENCED_PARAMETER(context);
    if (size < 2 * sizeof(*children)) /* the last one stays zeroed */
        return STATUS_BUFFER_TOO_SMALL;
    children->ChildDeviceType = TypeVideoOutput;
    children->ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
    children->ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_INTERNAL;
    return STATUS_SUCCESS;
}

static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DRIVERCAPS caps = {0};
    UNREFERENCED_PARAMETER(adapter);
    if (args->Type != DXGKQAITYPE_DRIVERCAPS || !args->pOutputData)
        return STATUS_INVALID_PARAMETER;
    caps.HighestAcceptableAddress.QuadPart = MAXLONGLONG;
    caps.WDDMVersion = DXGKDDI_WDDMv1_3;
    RtlCopyMemory(args->pOutputData, &caps,
                  args->OutputDataSize < sizeof(caps) ? args->OutputDataSize : sizeof(caps));
    return STATUS_SUCCESS;
}

/* ---- Modes: the one that StartDevice set is all there is -------------------------------------- */

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
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

static DXGKDDI_COMMITVIDPN commit;
static NTSTATUS APIENTRY commit(const HANDLE adapter, const DXGKARG_COMMITVIDPN *const args) {
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    KMDDOD_INITIALIZATION_DATA table = {
        .Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .DxgkDdiAddDevice = add_device,
        .DxgkDdiStartDevice = start_device,
        .DxgkDdiStopDevice = stop_device,
        .DxgkDdiRemoveDevice = remove_device,
        .DxgkDdiQueryChildRelations = query_child_relations,
        .DxgkDdiQueryAdapterInfo = query_adapter_info,
        .DxgkDdiIsSupportedVidPn = is_supported,
        .DxgkDdiRecommendFunctionalVidPn = recommend,
        .DxgkDdiEnumVidPnCofuncModality = enumerate,
        .DxgkDdiSetVidPnSourceVisibility = set_visibility,
        .DxgkDdiCommitVidPn = commit,
    };
    return DxgkInitializeDisplayOnlyDriver(driver, registry_path, &table);
}
