/* SPDX-License-Identifier: MIT */
/*
 * Services of the display port driver that a driver asks for with DxgkCbQueryServices: AGP, debug
 * reports, timed operations, the simple peripheral bus, firmware tables; and I2C, which the driver
 * offers. Pages ns-dispmprt-_dxgk_agp_interface, ns-dispmprt-_dxgk_debug_report_interface,
 * ns-dispmprt-_dxgk_timed_operation_interface, ns-dispmprt-_dxgk_spb_interface,
 * ns-dispmprt-_dxgk_firmware_table_interface, ns-dispmprt-_dxgk_i2c_interface. The flags of
 * DXGKCB_AGP_SET_COMMAND and of I2C have no printed value.
 */
#ifndef WDDM_DISPMPRT_SERVICES_H
#define WDDM_DISPMPRT_SERVICES_H

#include "d3dkmddi_functions.h"
#include "dispmprt_device.h"

WDDM_BEGIN_DECLS

#define DXGK_AGP_INTERFACE_VERSION_1             1
#define DXGK_DEBUG_REPORT_INTERFACE_VERSION_1    1
#define DXGK_TIMED_OPERATION_INTERFACE_VERSION_1 1
#define DXGK_I2C_INTERFACE_VERSION_1             1
typedef NTSTATUS(APIENTRY *DXGKCB_AGP_ALLOCATE_POOL)(PVOID Context, ULONG AllocationSize,
                                                     MEMORY_CACHING_TYPE CacheType,
                                                     PPHYSICAL_ADDRESS PhysicalAddress,
                                                     PVOID *VirtualAddress);

typedef NTSTATUS(APIENTRY *DXGKCB_AGP_FREE_POOL)(PVOID Context, PVOID VirtualAddress);

typedef NTSTATUS(APIENTRY *DXGKCB_AGP_SET_COMMAND)(PVOID Context, ULONG Command);

typedef struct WDDM_LAYOUT _DXGK_AGP_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGKCB_AGP_ALLOCATE_POOL AgpAllocatePool;
    DXGKCB_AGP_FREE_POOL AgpFreePool;
    DXGKCB_AGP_SET_COMMAND AgpSetCommand;
} DXGK_AGP_INTERFACE, *PDXGK_AGP_INTERFACE;

typedef PVOID DXGK_DEBUG_REPORT_HANDLE;

typedef struct WDDM_LAYOUT _DXGK_DEBUG_REPORT_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGK_DEBUG_REPORT_HANDLE(APIENTRY *DbgReportCreate)
    (HANDLE DeviceHandle, ULONG ulCode, ULONG_PTR ulpArg1, ULONG_PTR ulpArg2, ULONG_PTR ulpArg3,
     ULONG_PTR ulpArg4);
    BOOLEAN(APIENTRY *DbgReportSecondaryData)
    (DXGK_DEBUG_REPORT_HANDLE hReport, PVOID pvData, ULONG ulDataSize);
    VOID(APIENTRY *DbgReportComplete)(DXGK_DEBUG_REPORT_HANDLE hReport);
} DXGK_DEBUG_REPORT_INTERFACE, *PDXGK_DEBUG_REPORT_INTERFACE;

/* The widths of the system's own members are printed nowhere. */
typedef struct WDDM_LAYOUT _DXGK_TIMED_OPERATION {
    USHORT Size;
    ULONG_PTR OwnerTag;
    BOOLEAN OsHandled;
    BOOLEAN TimeoutTriggered;
    LARGE_INTEGER Timeout;
    LARGE_INTEGER StartTick;
} DXGK_TIMED_OPERATION, *PDXGK_TIMED_OPERATION;

typedef struct WDDM_LAYOUT _DXGK_TIMED_OPERATION_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS(APIENTRY *TimedOperationStart)
    (DXGK_TIMED_OPERATION *Op, const LARGE_INTEGER *Timeout, BOOLEAN OsHandled);
    NTSTATUS(APIENTRY *TimedOperationDelay)
    (DXGK_TIMED_OPERATION *Op, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
     const LARGE_INTEGER *Interval);
    NTSTATUS(APIENTRY *TimedOperationWaitForSingleObject)
    (DXGK_TIMED_OPERATION *Op, PVOID Object, KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode,
     BOOLEAN Alertable, const LARGE_INTEGER *Timeout);
} DXGK_TIMED_OPERATION_INTERFACE, *PDXGK_TIMED_OPERATION_INTERFACE;

WDDM_DDI(NTSTATUS, I2C_TRANSMIT_DATA_TO_DISPLAY, PVOID MiniportDeviceContext,
         D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId, ULONG SevenBitI2CAddress, ULONG DataLength,
         const PVOID Data)
WDDM_DDI(NTSTATUS, I2C_RECEIVE_DATA_FROM_DISPLAY, PVOID MiniportDeviceContext,
         D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId, ULONG SevenBitI2CAddress, ULONG Flags,
         ULONG DataLength, PVOID Data)

typedef struct WDDM_LAYOUT _DXGK_I2C_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY DxgkDdiI2CTransmitDataToDisplay;
    PDXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY DxgkDdiI2CReceiveDataFromDisplay;
} DXGK_I2C_INTERFACE, *PDXGK_I2C_INTERFACE;

#if WDDM_AT_LEAST(WIN8)

#define DXGK_SPB_INTERFACE_VERSION_1            1
#define DXGK_FIRMWARE_TABLE_INTERFACE_VERSION_1 1

typedef struct WDDM_LAYOUT _DXGK_SPB_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS(APIENTRY *OpenSpbResource)
    (HANDLE DeviceHandle, LARGE_INTEGER SpbReourceId, PUNICODE_STRING SpbResourceSubName,
     ACCESS_MASK DesiredAccess, ULONG ShareAccess, ULONG OpenOptions, PVOID *SpbResource);
    NTSTATUS(APIENTRY *CloseSpbResource)(HANDLE DeviceHandle, PVOID SpbResource);
    NTSTATUS(APIENTRY *ReadSpbResource)
    (HANDLE DeviceHandle, PVOID SpbResource, ULONG Length, PVOID Buffer, PLARGE_INTEGER ByteOffset,
     HANDLE EventHandle, PIO_STATUS_BLOCK IoStatusBlock);
    NTSTATUS(APIENTRY *WriteSpbResource)
    (HANDLE DeviceHandle, PVOID SpbResource, ULONG Length, PVOID Buffer, PLARGE_INTEGER ByteOffset,
     HANDLE EventHandle, PIO_STATUS_BLOCK IoStatusBlock);
    NTSTATUS(APIENTRY *SpbResourceIoControl)
    (HANDLE DeviceHandle, PVOID SpbResource, ULONG IoControlCode, ULONG InBufferSize,
     PVOID InputBuffer, ULONG OutBufferSize, PVOID OutputBuffer, HANDLE EventHandle,
     PIO_STATUS_BLOCK IoStatusBlock);
} DXGK_SPB_INTERFACE, *PDXGK_SPB_INTERFACE;

typedef struct WDDM_LAYOUT _DXGK_FIRMWARE_TABLE_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS(APIENTRY *EnumSystemFirmwareTables)
    (VOID *Context, ULONG ProviderSignature, ULONG TableId, ULONG BufferSize, VOID *Buffer,
     ULONG *RequiredSize);
    NTSTATUS(APIENTRY *ReadSystemFirmwareTable)
    (VOID *Context, ULONG ProviderSignature, ULONG TableId, ULONG BufferSize, VOID *Buffer,
     ULONG *RequiredSize);
} DXGK_FIRMWARE_TABLE_INTERFACE, *PDXGK_FIRMWARE_TABLE_INTERFACE;

#endif

WDDM_END_DECLS

#endif
