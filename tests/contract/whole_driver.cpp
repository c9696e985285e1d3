/* SPDX-License-Identifier: MIT */
/*
 * What a whole driver of the WDK's samples uses besides its memory code, compiled only: GUIDs, safe
 * integers and strings, structured exceptions, old annotations, requests to other drivers, power,
 * ACPI, display paths, PCI configuration, names of parameters by direction. It is built as kernel
 * code, with _KERNEL_MODE.
 */
#include <initguid.h>
#include <ntddk.h>
#include <ntintsafe.h>
#include <ntddvdeo.h>
#include <ntstrsafe.h>

#define ENABLE_DXGK_SAL

extern "C" {
#include <dispmprt.h>
#include <bugcodes.h>
} // extern "C"

DEFINE_GUID(GUID_WHOLE, 0x12345678, 0x9abc, 0xdef0, 1, 2, 3, 4, 5, 6, 7, 8);

class Adapter {
  public:
    static NTSTATUS APIENTRY AddDevice(IN_CONST_PDEVICE_OBJECT physical, OUT_PPVOID context);
    virtual BOOLEAN Interrupt(IN_ULONG message) = NULL;
    virtual NTSTATUS Start(IN_PDXGK_START_INFO start, IN_PDXGKRNL_INTERFACE dxgkrnl,
                           OUT_PULONG sources, OUT_PULONG children);
    _Check_return_ _Function_class_DXGK_(DXGKDDI_SET_POWER_STATE)
        _IRQL_requires_DXGK_(PASSIVE_LEVEL) NTSTATUS
        SetPowerState(IN_ULONG uid, IN_DEVICE_POWER_STATE state, IN_POWER_ACTION action);
    static BOOLEAN NTAPI Synchronized(PVOID context);
    VOID Work();

  private:
    ULONG m_Count = 0;
    KSPIN_LOCK m_Lock = 0;
    LIST_ENTRY m_Queue = {};
    KEVENT m_Event[2] = {};
    PVOID m_Thread = nullptr;
};

NTSTATUS Adapter::Start(IN_PDXGK_START_INFO, IN_PDXGKRNL_INTERFACE dxgkrnl, OUT_PULONG sources,
                        OUT_PULONG children) {
    ACPI_EVAL_INPUT_BUFFER_COMPLEX in = {};
    ACPI_EVAL_OUTPUT_BUFFER out = {};
    WCHAR name[32];
    HANDLE thread = nullptr;
    *sources = *children = 0;
    in.Signature = ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE;
    in.MethodNameAsUlong = ACPI_METHOD_HARDWARE_ID;
    NTSTATUS status = dxgkrnl->DxgkCbEvalAcpiMethod(dxgkrnl->DeviceHandle, DISPLAY_ADAPTER_HW_ID,
                                                    &in, sizeof(in), &out, sizeof(out));
    if (NT_SUCCESS(status) && out.Argument[0].Type != ACPI_METHOD_ARGUMENT_INTEGER &&
        ACPI_METHOD_NEXT_ARGUMENT(&out.Argument[0])->DataLength > 8)
        return STATUS_ACPI_INVALID_DATA;
    status = RtlULongAdd(m_Count, 1, &m_Count);
    if (NT_SUCCESS(status))
        status = RtlStringCbPrintfW(name, sizeof(name), L"adapter %u", m_Count);
    if (NT_SUCCESS(status))
        status = ObReferenceObjectByHandle(thread, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                                           &m_Thread, nullptr);
    return status;
}

VOID Adapter::Work() {
    PVOID events[2] = {&m_Event[0], &m_Event[1]};
    LARGE_INTEGER ticks;
    while (KeWaitForMultipleObjects(ARRAYSIZE(events), events, WaitAny, Executive, KernelMode,
                                    FALSE, nullptr, nullptr) == STATUS_WAIT_0)
        if (ExInterlockedRemoveHeadList(&m_Queue, &m_Lock) == nullptr)
            KeQueryTickCount(&ticks);
}

static NTSTATUS ReadSetting(__in PUNICODE_STRING path, __out ULONG *value) {
    OBJECT_ATTRIBUTES attributes;
    DECLARE_CONST_UNICODE_STRING(name, L"RenderOnly");
    union {
        KEY_VALUE_PARTIAL_INFORMATION Info;
        struct {
            ULONG TitleIndex;
            ULONG Type;
            ULONG DataLength;
            ULONG Data;
        } DUMMYSTRUCTNAME;
    } u;
    HANDLE key;
    ULONG length;
    InitializeObjectAttributes(&attributes, path, OBJ_KERNEL_HANDLE, nullptr, nullptr);
    NTSTATUS status = ZwOpenKey(&key, GENERIC_READ, &attributes);
    if (!NT_SUCCESS(status))
        return status;
    status = ZwQueryValueKey(key, const_cast<UNICODE_STRING *>(&name), KeyValuePartialInformation,
                             &u.Info, sizeof(u), &length);
    *value = NT_SUCCESS(status) && u.Type == REG_DWORD ? u.Data : 0;
    return ZwClose(key);
}

static NTSTATUS CopyFromUser(PVOID to, const void *from, SIZE_T bytes) {
    __try {
        RtlCopyMemory(to, from, min(bytes, (SIZE_T)PAGE_SIZE));
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}

#if WDDM_AT_LEAST(WIN8)
static VOID Describe(DXGK_POWER_RUNTIME_COMPONENT *component, const GUID &event) {
    component->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    component->Flags.DriverCompletesFStateTransition =
        IsEqualGUID(event, GUID_DXGKDDI_POWER_MANAGEMENT_STARTED);
    component->ComponentGuid = GUID_WHOLE;
}
#endif

/* The sources of the network, as far as there are paths from them. */
static NTSTATUS CountPaths(const DXGKRNL_INTERFACE *dxgkrnl, DXGKARG_ISSUPPORTEDVIDPN *asked) {
    const DXGK_VIDPN_INTERFACE *network = NULL;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths = NULL;
    D3DKMDT_HVIDPNTOPOLOGY topology = 0;
    SIZE_T count = 0;
    NTSTATUS status = dxgkrnl->DxgkCbQueryVidPnInterface(asked->hDesiredVidPn,
                                                         DXGK_VIDPN_INTERFACE_VERSION_V1, &network);
    if (NT_SUCCESS(status))
        status = network->pfnGetTopology(asked->hDesiredVidPn, &topology, &paths);
    if (NT_SUCCESS(status))
        status = paths->pfnGetNumPathsFromSource(topology, 0, &count);
    asked->IsVidPnSupported = status != STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY && count <= 1;
    return status;
}

static VOID FillMode(const VIDEO_MODE_INFORMATION *from, D3DKMDT_VIDPN_SOURCE_MODE *to) {
    NT_ASSERT(from->AttributeFlags & VIDEO_MODE_GRAPHICS);
    to->Type = D3DKMDT_RMT_GRAPHICS;
    to->Format.Graphics.PrimSurfSize.cx = from->VisScreenWidth;
    to->Format.Graphics.PrimSurfSize.cy = from->VisScreenHeight;
    to->Format.Graphics.VisibleRegionSize = to->Format.Graphics.PrimSurfSize;
    to->Format.Graphics.Stride = from->ScreenStride;
    to->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
    to->Format.Graphics.ColorBasis = D3DKMDT_CB_SCRGB;
    to->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
}

static BOOLEAN HasCapabilities(const DXGKRNL_INTERFACE *dxgkrnl) {
    PCI_COMMON_HEADER header = {};
    ULONG bytes = 0;
    return NT_SUCCESS(dxgkrnl->DxgkCbReadDeviceSpace(dxgkrnl->DeviceHandle, DXGK_WHICHSPACE_CONFIG,
                                                     &header, 0, sizeof(header), &bytes)) &&
           (header.Status & PCI_STATUS_CAPABILITIES_LIST) && header.u.type0.CapabilitiesPtr != 0;
}

extern "C" __control_entrypoint(DeviceDriver) NTSTATUS NTAPI
    DriverEntry(__in IN DRIVER_OBJECT *driver, __in IN UNICODE_STRING *path) {
    ULONG value = 0;
    UCHAR bytes[4];
    NTSTATUS status = ReadSetting(path, &value);
    if (NT_SUCCESS(status))
        status = CopyFromUser(bytes, driver, sizeof(bytes));
#if WDDM_AT_LEAST(WIN8)
    DXGK_POWER_RUNTIME_COMPONENT component;
    Describe(&component, GUID_WHOLE);
#endif
    DXGKARG_ISSUPPORTEDVIDPN asked = {};
    D3DKMDT_VIDPN_SOURCE_MODE mode = {};
    VIDEO_MODE_INFORMATION information = {};
    if (value == 3) {
        const DXGKRNL_INTERFACE *dxgkrnl = reinterpret_cast<const DXGKRNL_INTERFACE *>(driver);
        FillMode(&information, &mode);
        status = HasCapabilities(dxgkrnl) ? CountPaths(dxgkrnl, &asked) : STATUS_UNSUCCESSFUL;
    }
    if (value == 2)
        KeBugCheckEx(VIDEO_TDR_TIMEOUT_DETECTED, 0, 0, 0, 0);
    return status;
}
