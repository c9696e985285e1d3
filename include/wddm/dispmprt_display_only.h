/* SPDX-License-Identifier: MIT */
/*
 * Drivers that only display: their table and how they hand it over. Pages
 * ns-dispmprt-_kmddod_initialization_data and nf-dispmprt-dxgkinitializedisplayonlydriver.
 */
#ifndef WDDM_DISPMPRT_DISPLAY_ONLY_H
#define WDDM_DISPMPRT_DISPLAY_ONLY_H

#include "dispmprt_functions.h"

#if WDDM_AT_LEAST(WIN8)

WDDM_BEGIN_DECLS

WDDM_DDI(NTSTATUS, PRESENTDISPLAYONLY, const HANDLE hAdapter,
         const DXGKARG_PRESENT_DISPLAYONLY *pPresentDisplayOnly)

/* The members that the page prints, in its order. */
typedef struct WDDM_LAYOUT _KMDDOD_INITIALIZATION_DATA {
    ULONG Version;
    PDXGKDDI_ADD_DEVICE DxgkDdiAddDevice;
    PDXGKDDI_START_DEVICE DxgkDdiStartDevice;
    PDXGKDDI_STOP_DEVICE DxgkDdiStopDevice;
    PDXGKDDI_REMOVE_DEVICE DxgkDdiRemoveDevice;
    PDXGKDDI_DISPATCH_IO_REQUEST DxgkDdiDispatchIoRequest;
    PDXGKDDI_INTERRUPT_ROUTINE DxgkDdiInterruptRoutine;
    PDXGKDDI_DPC_ROUTINE DxgkDdiDpcRoutine;
    PDXGKDDI_QUERY_CHILD_RELATIONS DxgkDdiQueryChildRelations;
    PDXGKDDI_QUERY_CHILD_STATUS DxgkDdiQueryChildStatus;
    PDXGKDDI_QUERY_DEVICE_DESCRIPTOR DxgkDdiQueryDeviceDescriptor;
    PDXGKDDI_SET_POWER_STATE DxgkDdiSetPowerState;
    PDXGKDDI_NOTIFY_ACPI_EVENT DxgkDdiNotifyAcpiEvent;
    PDXGKDDI_RESET_DEVICE DxgkDdiResetDevice;
    PDXGKDDI_UNLOAD DxgkDdiUnload;
    PDXGKDDI_QUERY_INTERFACE DxgkDdiQueryInterface;
    PDXGKDDI_CONTROL_ETW_LOGGING DxgkDdiControlEtwLogging;
    PDXGKDDI_QUERYADAPTERINFO DxgkDdiQueryAdapterInfo;
    PDXGKDDI_SETPALETTE DxgkDdiSetPalette;
    PDXGKDDI_SETPOINTERPOSITION DxgkDdiSetPointerPosition;
    PDXGKDDI_SETPOINTERSHAPE DxgkDdiSetPointerShape;
    PDXGKDDI_ESCAPE DxgkDdiEscape;
    PDXGKDDI_COLLECTDBGINFO DxgkDdiCollectDbgInfo;
    PDXGKDDI_ISSUPPORTEDVIDPN DxgkDdiIsSupportedVidPn;
    PDXGKDDI_RECOMMENDFUNCTIONALVIDPN DxgkDdiRecommendFunctionalVidPn;
    PDXGKDDI_ENUMVIDPNCOFUNCMODALITY DxgkDdiEnumVidPnCofuncModality;
    PDXGKDDI_SETVIDPNSOURCEVISIBILITY DxgkDdiSetVidPnSourceVisibility;
    PDXGKDDI_COMMITVIDPN DxgkDdiCommitVidPn;
    PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH DxgkDdiUpdateActiveVidPnPresentPath;
    PDXGKDDI_RECOMMENDMONITORMODES DxgkDdiRecommendMonitorModes;
    PDXGKDDI_GETSCANLINE DxgkDdiGetScanLine;
    PDXGKDDI_QUERYVIDPNHWCAPABILITY DxgkDdiQueryVidPnHWCapability;
    PDXGKDDI_PRESENTDISPLAYONLY DxgkDdiPresentDisplayOnly;
    PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP
    DxgkDdiStopDeviceAndReleasePostDisplayOwnership;
    PDXGKDDI_SYSTEM_DISPLAY_ENABLE DxgkDdiSystemDisplayEnable;
    PDXGKDDI_SYSTEM_DISPLAY_WRITE DxgkDdiSystemDisplayWrite;
    PDXGKDDI_GET_CHILD_CONTAINER_ID DxgkDdiGetChildContainerId;
    PDXGKDDI_CONTROLINTERRUPT DxgkDdiControlInterrupt;
    PDXGKDDISETPOWERCOMPONENTFSTATE DxgkDdiSetPowerComponentFState;
    PDXGKDDIPOWERRUNTIMECONTROLREQUEST DxgkDdiPowerRuntimeControlRequest;
    PDXGKDDI_NOTIFY_SURPRISE_REMOVAL DxgkDdiNotifySurpriseRemoval;
#if WDDM_AT_LEAST(WDDM2_0)
    PDXGKDDI_POWERRUNTIMESETDEVICEHANDLE DxgkDdiPowerRuntimeSetDeviceHandle;
#endif
} KMDDOD_INITIALIZATION_DATA, *PKMDDOD_INITIALIZATION_DATA;

NTSTATUS APIENTRY
DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                PKMDDOD_INITIALIZATION_DATA KmdDodInitializationData);

WDDM_END_DECLS

#endif

#endif
