/* SPDX-License-Identifier: MIT */
/*
 * Requests between drivers and what a driver of its own device stack uses: the parts of a request
 * that sources name (page ns-wdm-_irp), devices, links, notifications. Nothing is behind a display
 * miniport here, so what would create or send one answers that it cannot.
 */
#ifndef WDDM_WDM_IRP_H
#define WDDM_WDM_IRP_H

#include "wdm_memory.h"
#include "wdm_objects.h"

WDDM_BEGIN_DECLS

typedef VOID NTAPI DRIVER_CANCEL(PDEVICE_OBJECT DeviceObject, PIRP Irp);
typedef DRIVER_CANCEL *PDRIVER_CANCEL;
typedef NTSTATUS NTAPI IO_COMPLETION_ROUTINE(PDEVICE_OBJECT DeviceObject, PIRP Irp, PVOID Context);
typedef IO_COMPLETION_ROUTINE *PIO_COMPLETION_ROUTINE;
typedef NTSTATUS NTAPI DRIVER_ADD_DEVICE(PDRIVER_OBJECT DriverObject, PDEVICE_OBJECT Device);
typedef DRIVER_ADD_DEVICE *PDRIVER_ADD_DEVICE;
struct _KINTERRUPT;
typedef BOOLEAN NTAPI KSERVICE_ROUTINE(struct _KINTERRUPT *Interrupt, PVOID ServiceContext);
typedef KSERVICE_ROUTINE *PKSERVICE_ROUTINE;
typedef struct _KINTERRUPT *PKINTERRUPT;

struct WDDM_LAYOUT _IRP {
    CSHORT Type;
    USHORT Size;
    PMDL MdlAddress;
    ULONG Flags;
    union WDDM_LAYOUT {
        struct _IRP *MasterIrp;
        LONG IrpCount;
        PVOID SystemBuffer;
    } AssociatedIrp;
    LIST_ENTRY ThreadListEntry;
    IO_STATUS_BLOCK IoStatus;
    KPROCESSOR_MODE RequestorMode;
    BOOLEAN PendingReturned;
    CHAR StackCount;
    CHAR CurrentLocation;
    BOOLEAN Cancel;
    KIRQL CancelIrql;
    PIO_STATUS_BLOCK UserIosb;
    PKEVENT UserEvent;
    PDRIVER_CANCEL CancelRoutine;
    PVOID UserBuffer;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            PVOID DriverContext[4];
            PETHREAD Thread;
            LIST_ENTRY ListEntry;
        } Overlay;
        PVOID CompletionKey;
    } Tail;
};

#define IRP_MJ_POWER          0x16
#define IRP_MJ_SYSTEM_CONTROL 0x17
#define IRP_MJ_PNP            0x1b
#define IRP_MN_READ_CONFIG    0x0f
#define IRP_MN_WRITE_CONFIG   0x10
#define IRP_MN_START_DEVICE   0x00
#define IRP_MN_REMOVE_DEVICE  0x02
#define PCI_WHICHSPACE_CONFIG 0x0
#define PCI_WHICHSPACE_ROM    0x52696350

typedef union WDDM_LAYOUT _POWER_STATE {
    SYSTEM_POWER_STATE SystemState;
    DEVICE_POWER_STATE DeviceState;
} POWER_STATE, *PPOWER_STATE;
typedef ULONG PNP_DEVICE_STATE, *PPNP_DEVICE_STATE;
typedef struct WDDM_LAYOUT _DEVICE_RELATIONS {
    ULONG Count;
    PDEVICE_OBJECT Objects[1];
} DEVICE_RELATIONS, *PDEVICE_RELATIONS;

NTKERNELAPI PDEVICE_OBJECT NTAPI IoGetAttachedDeviceReference(PDEVICE_OBJECT DeviceObject);
NTKERNELAPI PIRP NTAPI IoAllocateIrp(CHAR StackSize, BOOLEAN ChargeQuota);
NTKERNELAPI VOID NTAPI IoFreeIrp(PIRP Irp);
NTKERNELAPI VOID NTAPI IofCompleteRequest(PIRP Irp, CHAR PriorityBoost);
#define IoCompleteRequest(Irp, Boost) IofCompleteRequest(Irp, Boost)
NTKERNELAPI PIO_STACK_LOCATION NTAPI IoGetCurrentIrpStackLocation(PIRP Irp);
NTKERNELAPI NTSTATUS NTAPI IoCreateDevice(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
                                          PUNICODE_STRING DeviceName, ULONG DeviceType,
                                          ULONG DeviceCharacteristics, BOOLEAN Exclusive,
                                          PDEVICE_OBJECT *DeviceObject);
NTKERNELAPI VOID NTAPI IoDeleteDevice(PDEVICE_OBJECT DeviceObject);
NTKERNELAPI NTSTATUS NTAPI IoCreateSymbolicLink(PUNICODE_STRING SymbolicLinkName,
                                                PUNICODE_STRING DeviceName);
NTKERNELAPI NTSTATUS NTAPI IoDeleteSymbolicLink(PUNICODE_STRING SymbolicLinkName);
NTKERNELAPI NTSTATUS NTAPI IoRegisterDeviceInterface(PDEVICE_OBJECT PhysicalDeviceObject,
                                                     const GUID *InterfaceClassGuid,
                                                     PUNICODE_STRING ReferenceString,
                                                     PUNICODE_STRING SymbolicLinkName);
NTKERNELAPI NTSTATUS NTAPI IoSetDeviceInterfaceState(PUNICODE_STRING SymbolicLinkName,
                                                     BOOLEAN Enable);
NTKERNELAPI NTSTATUS NTAPI IoRegisterShutdownNotification(PDEVICE_OBJECT DeviceObject);
NTKERNELAPI VOID NTAPI IoUnregisterShutdownNotification(PDEVICE_OBJECT DeviceObject);
#define WMIREG_ACTION_REGISTER   1
#define WMIREG_ACTION_DEREGISTER 2
NTKERNELAPI NTSTATUS NTAPI IoWMIRegistrationControl(PDEVICE_OBJECT DeviceObject, ULONG Action);
NTKERNELAPI NTSTATUS NTAPI IoWMIWriteEvent(PVOID WnodeEventItem);
NTKERNELAPI BOOLEAN NTAPI IoIs32bitProcess(PIRP Irp);
NTKERNELAPI PVOID NTAPI IoAllocateErrorLogEntry(PVOID IoObject, UCHAR EntrySize);
NTKERNELAPI VOID NTAPI IoWriteErrorLogEntry(PVOID ElEntry);
NTKERNELAPI VOID NTAPI IoFreeErrorLogEntry(PVOID ElEntry);
NTKERNELAPI VOID NTAPI IoInvalidateDeviceRelations(PDEVICE_OBJECT DeviceObject, ULONG Type);

WDDM_END_DECLS

#endif
