/* SPDX-License-Identifier: MIT */
/* Entry points that the display port driver calls (device life cycle) and the callbacks it
 * offers. */
#ifndef WDDM_DISPMPRT_FUNCTIONS_H
#define WDDM_DISPMPRT_FUNCTIONS_H

#include "acpiioct.h"
#include "dispmprt_device.h"
#include "bugcodes.h"
#include "ntddvdeo.h"
#include "d3dkmddi.h"

WDDM_BEGIN_DECLS

typedef struct _PCI_DEVICE_PRESENCE_PARAMETERS PCI_DEVICE_PRESENCE_PARAMETERS,
    *PPCI_DEVICE_PRESENCE_PARAMETERS;
typedef struct _DXGKRNL_INTERFACE DXGKRNL_INTERFACE, *PDXGKRNL_INTERFACE;

/* The DeviceUid that means the adapter itself. */
#ifndef DISPLAY_ADAPTER_HW_ID
#define DISPLAY_ADAPTER_HW_ID 0xFFFFFFFFu
#endif

/* Parameter types by direction, as the samples write them. */
typedef ULONG IN_ULONG;
typedef UCHAR IN_UCHAR;
typedef BOOLEAN IN_BOOLEAN;
typedef PVOID IN_PVOID;
typedef PULONG OUT_PULONG;
typedef PVOID *OUT_PPVOID;
typedef DEVICE_POWER_STATE IN_DEVICE_POWER_STATE;
typedef POWER_ACTION IN_POWER_ACTION;
typedef PQUERY_INTERFACE IN_PQUERY_INTERFACE;
typedef PVIDEO_REQUEST_PACKET IN_PVIDEO_REQUEST_PACKET;
typedef DXGK_EVENT_TYPE IN_DXGK_EVENT_TYPE;
typedef PDXGK_START_INFO IN_PDXGK_START_INFO;
typedef PDXGKRNL_INTERFACE IN_PDXGKRNL_INTERFACE;
typedef PDXGK_CHILD_STATUS IN_PDXGK_CHILD_STATUS;
typedef PDXGK_CHILD_DESCRIPTOR INOUT_PDXGK_CHILD_DESCRIPTOR;
typedef PDXGK_DEVICE_DESCRIPTOR INOUT_PDXGK_DEVICE_DESCRIPTOR;
typedef PLINKED_DEVICE INOUT_PLINKED_DEVICE;
typedef PDXGK_CHILD_STATUS INOUT_PDXGK_CHILD_STATUS;
/* Of types that not every interface version has. */
#define IN_OUT_PDXGK_PRE_START_INFO                    PDXGK_PRE_START_INFO
#define IN_CONST_DXGK_INTERRUPT_TYPE                   const DXGK_INTERRUPT_TYPE
#define IN_CONST_DXGKARG_CONTROLINTERRUPT2             const DXGKARG_CONTROLINTERRUPT2
#define IN_OUT_PDXGKARG_SETTIMINGSFROMVIDPN            DXGKARG_SETTIMINGSFROMVIDPN *
#define IN_OUT_PDXGKARG_GETPOSTCOMPOSITIONCAPS         DXGKARG_GETPOSTCOMPOSITIONCAPS *
#define IN_OUT_PDXGKARG_GETMULTIPLANEOVERLAYCAPS       DXGKARG_GETMULTIPLANEOVERLAYCAPS *
#define IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT  DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT *
#define IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *
#define IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 *
#define IN_OUT_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3                                \
    DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 *

WDDM_DDI(NTSTATUS, ADD_DEVICE, const PDEVICE_OBJECT PhysicalDeviceObject,
         PVOID *MiniportDeviceContext)
WDDM_DDI(NTSTATUS, START_DEVICE, const PVOID MiniportDeviceContext, PDXGK_START_INFO DxgkStartInfo,
         PDXGKRNL_INTERFACE DxgkInterface, PULONG NumberOfVideoPresentSources,
         PULONG NumberOfChildren)
WDDM_DDI(NTSTATUS, STOP_DEVICE, const PVOID MiniportDeviceContext)
WDDM_DDI(NTSTATUS, REMOVE_DEVICE, const PVOID MiniportDeviceContext)
WDDM_DDI(NTSTATUS, DISPATCH_IO_REQUEST, const PVOID MiniportDeviceContext, ULONG VidPnSourceId,
         PVIDEO_REQUEST_PACKET VideoRequestPacket)
WDDM_DDI(BOOLEAN, INTERRUPT_ROUTINE, const PVOID MiniportDeviceContext, ULONG MessageNumber)
WDDM_DDI(VOID, DPC_ROUTINE, const PVOID MiniportDeviceContext)
WDDM_DDI(NTSTATUS, QUERY_CHILD_RELATIONS, const PVOID MiniportDeviceContext,
         PDXGK_CHILD_DESCRIPTOR ChildRelations, ULONG ChildRelationsSize)
WDDM_DDI(NTSTATUS, QUERY_CHILD_STATUS, const PVOID MiniportDeviceContext,
         PDXGK_CHILD_STATUS ChildStatus, BOOLEAN NonDestructiveOnly)
WDDM_DDI(NTSTATUS, QUERY_DEVICE_DESCRIPTOR, const PVOID MiniportDeviceContext, ULONG ChildUid,
         PDXGK_DEVICE_DESCRIPTOR DeviceDescriptor)
WDDM_DDI(NTSTATUS, SET_POWER_STATE, const PVOID MiniportDeviceContext, ULONG DeviceUid,
         DEVICE_POWER_STATE DevicePowerState, POWER_ACTION ActionType)
WDDM_DDI(NTSTATUS, NOTIFY_ACPI_EVENT, const PVOID MiniportDeviceContext, DXGK_EVENT_TYPE EventType,
         ULONG Event, PVOID Argument, PULONG AcpiFlags)
WDDM_DDI(VOID, RESET_DEVICE, const PVOID MiniportDeviceContext)
WDDM_DDI(VOID, UNLOAD, VOID)
WDDM_DDI(NTSTATUS, QUERY_INTERFACE, const PVOID MiniportDeviceContext,
         PQUERY_INTERFACE QueryInterface)
WDDM_DDI(VOID, CONTROL_ETW_LOGGING, BOOLEAN Enable, ULONG Flags, UCHAR Level)
WDDM_DDI(NTSTATUS, LINK_DEVICE, const PDEVICE_OBJECT PhysicalDeviceObject,
         const PVOID MiniportDeviceContext, PLINKED_DEVICE LinkedDevice)

#if WDDM_AT_LEAST(WIN8)
WDDM_DDI(NTSTATUS, STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP, PVOID MiniportDeviceContext,
         D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId, PDXGK_DISPLAY_INFORMATION DisplayInfo)
WDDM_DDI(NTSTATUS, SYSTEM_DISPLAY_ENABLE, PVOID MiniportDeviceContext,
         D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId, PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS Flags,
         UINT *Width, UINT *Height, D3DDDIFORMAT *ColorFormat)
WDDM_DDI(VOID, SYSTEM_DISPLAY_WRITE, PVOID MiniportDeviceContext, PVOID Source, UINT SourceWidth,
         UINT SourceHeight, UINT SourceStride, UINT PositionX, UINT PositionY)
WDDM_DDI(NTSTATUS, GET_CHILD_CONTAINER_ID, PVOID MiniportDeviceContext, ULONG ChildUid,
         PDXGK_CHILD_CONTAINER_ID ContainerId)
WDDM_DDI(NTSTATUS, NOTIFY_SURPRISE_REMOVAL, PVOID MiniportDeviceContext,
         DXGK_SURPRISE_REMOVAL_TYPE RemovalType)
#endif

typedef VOID APIENTRY DXGKDDI_PROTECTED_CALLBACK(const PVOID MiniportDeviceContext,
                                                 PVOID ProtectedCallbackContext,
                                                 NTSTATUS ProtectionStatus);
typedef DXGKDDI_PROTECTED_CALLBACK *PDXGKDDI_PROTECTED_CALLBACK;

typedef NTSTATUS(APIENTRY *DXGKCB_EVAL_ACPI_METHOD)(HANDLE DeviceHandle, ULONG DeviceUid,
                                                    PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer,
                                                    ULONG AcpiInputSize,
                                                    PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer,
                                                    ULONG AcpiOutputSize);
typedef NTSTATUS(APIENTRY *DXGKCB_GET_DEVICE_INFORMATION)(HANDLE DeviceHandle,
                                                          PDXGK_DEVICE_INFO DeviceInfo);
typedef NTSTATUS(APIENTRY *DXGKCB_INDICATE_CHILD_STATUS)(HANDLE DeviceHandle,
                                                         PDXGK_CHILD_STATUS ChildStatus);
typedef NTSTATUS(APIENTRY *DXGKCB_MAP_MEMORY)(HANDLE DeviceHandle,
                                              PHYSICAL_ADDRESS TranslatedAddress, ULONG Length,
                                              BOOLEAN InIoSpace, BOOLEAN MapToUserMode,
                                              MEMORY_CACHING_TYPE CacheType, PVOID *VirtualAddress);
typedef BOOLEAN(APIENTRY *DXGKCB_QUEUE_DPC)(HANDLE DeviceHandle);
typedef NTSTATUS(APIENTRY *DXGKCB_QUERY_SERVICES)(HANDLE DeviceHandle, DXGK_SERVICES ServicesType,
                                                  PINTERFACE Interface);
typedef NTSTATUS(APIENTRY *DXGKCB_READ_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType,
                                                     PVOID Buffer, ULONG Offset, ULONG Length,
                                                     PULONG BytesRead);
typedef NTSTATUS(APIENTRY *DXGKCB_SYNCHRONIZE_EXECUTION)(HANDLE DeviceHandle,
                                                         PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                         PVOID Context, ULONG MessageNumber,
                                                         PBOOLEAN ReturnValue);
typedef NTSTATUS(APIENTRY *DXGKCB_UNMAP_MEMORY)(HANDLE DeviceHandle, PVOID VirtualAddress);
typedef NTSTATUS(APIENTRY *DXGKCB_WRITE_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType,
                                                      PVOID Buffer, ULONG Offset, ULONG Length,
                                                      PULONG BytesWritten);
typedef NTSTATUS(APIENTRY *DXGKCB_IS_DEVICE_PRESENT)(
    HANDLE DeviceHandle, PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
    PBOOLEAN DevicePresent);
typedef VOID(APIENTRY *DXGKCB_LOG_ETW_EVENT)(LPCGUID EventGuid, UCHAR Type, USHORT EventBufferSize,
                                             PVOID EventBuffer);
typedef NTSTATUS(APIENTRY *DXGKCB_EXCLUDE_ADAPTER_ACCESS)(
    HANDLE DeviceHandle, ULONG Attributes, PDXGKDDI_PROTECTED_CALLBACK DxgkProtectedCallback,
    PVOID ProtectedCallbackContext);
#if WDDM_AT_LEAST(WIN8)
typedef NTSTATUS(APIENTRY *DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP)(
    HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo);
#endif
#if WDDM_AT_LEAST(WDDM2_2)
struct _DXGK_DISPLAY_OWNERSHIP_FLAGS;
typedef NTSTATUS(APIENTRY *DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2)(
    HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo,
    struct _DXGK_DISPLAY_OWNERSHIP_FLAGS *Flags);
#endif
#if WDDM_AT_LEAST(WDDM2_4)
struct _DXGK_DIAGNOSTIC_HEADER;
typedef NTSTATUS(APIENTRY *DXGKCB_REPORT_DIAGNOSTIC)(HANDLE DeviceHandle,
                                                     struct _DXGK_DIAGNOSTIC_HEADER *pDiagnostic);
#endif

WDDM_END_DECLS

#endif
