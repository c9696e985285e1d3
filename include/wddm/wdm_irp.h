/* SPDX-License-Identifier: MIT */
/*
 * Requests between drivers and what a driver of its own device stack uses: the parts of a request
 * that sources name (page ns-wdm-_irp), devices, links, notifications. Below a display miniport is the
 * driver of the bus; nothing else takes a request.
 */
#ifndef WDDM_WDM_IRP_H
#define WDDM_WDM_IRP_H

#include "devpkey.h"
#include "wdm_memory.h"
#include "wdm_objects.h"

WDDM_BEGIN_DECLS

typedef VOID NTAPI DRIVER_CANCEL(PDEVICE_OBJECT DeviceObject, PIRP Irp);
typedef DRIVER_CANCEL *PDRIVER_CANCEL;
typedef NTSTATUS NTAPI DRIVER_ADD_DEVICE(PDRIVER_OBJECT DriverObject, PDEVICE_OBJECT Device);
typedef DRIVER_ADD_DEVICE *PDRIVER_ADD_DEVICE;
struct _KINTERRUPT;
typedef BOOLEAN NTAPI KSERVICE_ROUTINE(struct _KINTERRUPT *Interrupt, PVOID ServiceContext);
typedef KSERVICE_ROUTINE *PKSERVICE_ROUTINE;
typedef struct _KINTERRUPT *PKINTERRUPT;

struct WDDM_LAYOUT _IRP {
    CSHORT Type;
    USHORT Size;
    ULONG AllocationProcessor;
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
    CCHAR ApcEnvironment;
    UCHAR AllocationFlags;
    PIO_STATUS_BLOCK UserIosb;
    PKEVENT UserEvent;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            PVOID UserApcRoutine;
            PVOID UserApcContext;
        } AsynchronousParameters;
        LARGE_INTEGER AllocationSize;
    } Overlay;
    PDRIVER_CANCEL CancelRoutine;
    PVOID UserBuffer;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            PVOID DriverContext[4];
            PETHREAD Thread;
            PCHAR AuxiliaryBuffer;
            LIST_ENTRY ListEntry;
            PIO_STACK_LOCATION CurrentStackLocation;
            PFILE_OBJECT OriginalFileObject;
        } Overlay;
        PVOID CompletionKey;
    } Tail;
};

/* Of the location below: when to call the completion routine; that the request was pending. */
#define SL_PENDING_RETURNED  0x01
#define SL_ERROR_RETURNED    0x02
#define SL_INVOKE_ON_CANCEL  0x20
#define SL_INVOKE_ON_SUCCESS 0x40
#define SL_INVOKE_ON_ERROR   0x80
FORCEINLINE PIO_STACK_LOCATION IoGetCurrentIrpStackLocation(PIRP Irp) {
    return Irp->Tail.Overlay.CurrentStackLocation;
}
FORCEINLINE PIO_STACK_LOCATION IoGetNextIrpStackLocation(PIRP Irp) {
    return Irp->Tail.Overlay.CurrentStackLocation - 1;
}
FORCEINLINE VOID IoSetNextIrpStackLocation(PIRP Irp) {
    Irp->CurrentLocation--;
    Irp->Tail.Overlay.CurrentStackLocation--;
}
FORCEINLINE VOID IoSkipCurrentIrpStackLocation(PIRP Irp) {
    Irp->CurrentLocation++;
    Irp->Tail.Overlay.CurrentStackLocation++;
}
/* Without the completion routine. */
FORCEINLINE VOID IoCopyCurrentIrpStackLocationToNext(PIRP Irp) {
    PIO_STACK_LOCATION next = IoGetNextIrpStackLocation(Irp);
    __builtin_memcpy(next, IoGetCurrentIrpStackLocation(Irp),
                     offsetof(IO_STACK_LOCATION, CompletionRoutine));
    next->Control = 0;
}
FORCEINLINE VOID IoMarkIrpPending(PIRP Irp) {
    IoGetCurrentIrpStackLocation(Irp)->Control |= SL_PENDING_RETURNED;
}
FORCEINLINE VOID IoSetCompletionRoutine(PIRP Irp, PIO_COMPLETION_ROUTINE CompletionRoutine,
                                        PVOID Context, BOOLEAN InvokeOnSuccess,
                                        BOOLEAN InvokeOnError, BOOLEAN InvokeOnCancel) {
    PIO_STACK_LOCATION next = IoGetNextIrpStackLocation(Irp);
    next->CompletionRoutine = CompletionRoutine;
    next->Context = Context;
    next->Control = (UCHAR)((InvokeOnSuccess ? SL_INVOKE_ON_SUCCESS : 0) |
                            (InvokeOnError ? SL_INVOKE_ON_ERROR : 0) |
                            (InvokeOnCancel ? SL_INVOKE_ON_CANCEL : 0));
}
FORCEINLINE PDRIVER_CANCEL IoSetCancelRoutine(PIRP Irp, PDRIVER_CANCEL CancelRoutine) {
    return __atomic_exchange_n(&Irp->CancelRoutine, CancelRoutine, __ATOMIC_SEQ_CST);
}

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
NTKERNELAPI VOID NTAPI IoReuseIrp(PIRP Irp, NTSTATUS Iostatus);
NTKERNELAPI VOID NTAPI IoInitializeIrp(PIRP Irp, USHORT PacketSize, CHAR StackSize);
NTKERNELAPI USHORT NTAPI IoSizeOfIrp(CHAR StackSize);
NTKERNELAPI BOOLEAN NTAPI IoCancelIrp(PIRP Irp);
NTKERNELAPI VOID NTAPI IoAcquireCancelSpinLock(PKIRQL Irql);
NTKERNELAPI VOID NTAPI IoReleaseCancelSpinLock(KIRQL Irql);
NTKERNELAPI VOID NTAPI IofCompleteRequest(PIRP Irp, CHAR PriorityBoost);
#define IoCompleteRequest(Irp, Boost) IofCompleteRequest(Irp, Boost)
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
/* The head of an item (page ns-wmistr-_wnode_header). */
typedef struct WDDM_LAYOUT _WNODE_HEADER {
    ULONG BufferSize;
    ULONG ProviderId;
    union WDDM_LAYOUT {
        ULONG64 HistoricalContext;
        struct WDDM_LAYOUT {
            ULONG Version;
            ULONG Linkage;
        };
    };
    union WDDM_LAYOUT {
        ULONG CountLost;
        HANDLE KernelHandle;
        LARGE_INTEGER TimeStamp;
    };
    GUID Guid;
    ULONG ClientContext;
    ULONG Flags;
} WNODE_HEADER, *PWNODE_HEADER;
#define WNODE_FLAG_TRACED_GUID                                                                     \
    0x00020000u /* its page has the name alone; the value is that of user mode */
NTKERNELAPI NTSTATUS NTAPI IoWMIWriteEvent(PVOID WnodeEventItem);
NTKERNELAPI BOOLEAN NTAPI IoIs32bitProcess(PIRP Irp);
NTKERNELAPI PVOID NTAPI IoAllocateErrorLogEntry(PVOID IoObject, UCHAR EntrySize);
NTKERNELAPI VOID NTAPI IoWriteErrorLogEntry(PVOID ElEntry);
NTKERNELAPI VOID NTAPI IoFreeErrorLogEntry(PVOID ElEntry);
NTKERNELAPI VOID NTAPI IoGetStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit);
NTKERNELAPI ULONG_PTR NTAPI IoGetRemainingStackSize(VOID);
NTKERNELAPI PVOID NTAPI IoGetInitialStack(VOID);
/* No page has the number: a large stack of x64, less half a page. */
#define MAXIMUM_EXPANSION_SIZE ((SIZE_T)0x11800)
typedef VOID NTAPI EXPAND_STACK_CALLOUT(PVOID Parameter);
typedef EXPAND_STACK_CALLOUT *PEXPAND_STACK_CALLOUT;
NTKERNELAPI NTSTATUS NTAPI KeExpandKernelStackAndCallout(PEXPAND_STACK_CALLOUT Callout,
                                                         PVOID Parameter, SIZE_T Size);
NTKERNELAPI NTSTATUS NTAPI KeExpandKernelStackAndCalloutEx(PEXPAND_STACK_CALLOUT Callout,
                                                           PVOID Parameter, SIZE_T Size,
                                                           BOOLEAN Wait, PVOID Context);
NTKERNELAPI NTSTATUS NTAPI IoAllocateDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                                           PVOID ClientIdentificationAddress,
                                                           ULONG DriverObjectExtensionSize,
                                                           PVOID *DriverObjectExtension);
NTKERNELAPI PVOID NTAPI IoGetDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                                   PVOID ClientIdentificationAddress);
NTKERNELAPI PDEVICE_OBJECT NTAPI IoAttachDeviceToDeviceStack(PDEVICE_OBJECT SourceDevice,
                                                             PDEVICE_OBJECT TargetDevice);
NTKERNELAPI VOID NTAPI IoDetachDevice(PDEVICE_OBJECT TargetDevice);
NTKERNELAPI NTSTATUS NTAPI IoConnectInterrupt(PKINTERRUPT *InterruptObject,
                                              PKSERVICE_ROUTINE ServiceRoutine,
                                              PVOID ServiceContext, PKSPIN_LOCK SpinLock,
                                              ULONG Vector, KIRQL Irql, KIRQL SynchronizeIrql,
                                              ULONG InterruptMode, BOOLEAN ShareVector,
                                              KAFFINITY ProcessorEnableMask, BOOLEAN FloatingSave);
NTKERNELAPI VOID NTAPI IoDisconnectInterrupt(PKINTERRUPT InterruptObject);
/* What it connects to is in the members behind the version, which no request reaches. */
#define CONNECT_FULLY_SPECIFIED       0x1
#define CONNECT_LINE_BASED            0x2
#define CONNECT_MESSAGE_BASED         0x3
#define CONNECT_FULLY_SPECIFIED_GROUP 0x4
#define CONNECT_MESSAGE_BASED_PASSIVE 0x5
#define CONNECT_CURRENT_VERSION       0x5
typedef struct WDDM_LAYOUT _IO_CONNECT_INTERRUPT_FULLY_SPECIFIED_PARAMETERS {
    PDEVICE_OBJECT PhysicalDeviceObject;
    PKINTERRUPT *InterruptObject;
    PKSERVICE_ROUTINE ServiceRoutine;
    PVOID ServiceContext;
    PKSPIN_LOCK SpinLock;
    KIRQL SynchronizeIrql;
    BOOLEAN FloatingSave;
    BOOLEAN ShareVector;
    ULONG Vector;
    KIRQL Irql;
    ULONG InterruptMode;
    KAFFINITY ProcessorEnableMask;
    USHORT Group;
} IO_CONNECT_INTERRUPT_FULLY_SPECIFIED_PARAMETERS,
    *PIO_CONNECT_INTERRUPT_FULLY_SPECIFIED_PARAMETERS;
typedef struct WDDM_LAYOUT _IO_CONNECT_INTERRUPT_LINE_BASED_PARAMETERS {
    PDEVICE_OBJECT PhysicalDeviceObject;
    PKINTERRUPT *InterruptObject;
    PKSERVICE_ROUTINE ServiceRoutine;
    PVOID ServiceContext;
    PKSPIN_LOCK SpinLock;
    KIRQL SynchronizeIrql;
    BOOLEAN FloatingSave;
} IO_CONNECT_INTERRUPT_LINE_BASED_PARAMETERS, *PIO_CONNECT_INTERRUPT_LINE_BASED_PARAMETERS;
typedef BOOLEAN NTAPI KMESSAGE_SERVICE_ROUTINE(struct _KINTERRUPT *Interrupt, PVOID ServiceContext,
                                               ULONG MessageID);
typedef KMESSAGE_SERVICE_ROUTINE *PKMESSAGE_SERVICE_ROUTINE;
typedef struct WDDM_LAYOUT _IO_CONNECT_INTERRUPT_MESSAGE_BASED_PARAMETERS {
    PDEVICE_OBJECT PhysicalDeviceObject;
    union WDDM_LAYOUT {
        PVOID *Generic;
        struct _IO_INTERRUPT_MESSAGE_INFO **InterruptMessageTable;
        PKINTERRUPT *InterruptObject;
    } ConnectionContext;
    PKMESSAGE_SERVICE_ROUTINE MessageServiceRoutine;
    PVOID ServiceContext;
    PKSPIN_LOCK SpinLock;
    KIRQL SynchronizeIrql;
    BOOLEAN FloatingSave;
    PKSERVICE_ROUTINE FallBackServiceRoutine;
} IO_CONNECT_INTERRUPT_MESSAGE_BASED_PARAMETERS, *PIO_CONNECT_INTERRUPT_MESSAGE_BASED_PARAMETERS;
typedef struct WDDM_LAYOUT _IO_CONNECT_INTERRUPT_PARAMETERS {
    ULONG Version;
    union WDDM_LAYOUT {
        IO_CONNECT_INTERRUPT_FULLY_SPECIFIED_PARAMETERS FullySpecified;
        IO_CONNECT_INTERRUPT_LINE_BASED_PARAMETERS LineBased;
        IO_CONNECT_INTERRUPT_MESSAGE_BASED_PARAMETERS MessageBased;
    };
} IO_CONNECT_INTERRUPT_PARAMETERS, *PIO_CONNECT_INTERRUPT_PARAMETERS;
typedef struct WDDM_LAYOUT _IO_DISCONNECT_INTERRUPT_PARAMETERS {
    ULONG Version;
    union WDDM_LAYOUT {
        PVOID Generic;
        PKINTERRUPT InterruptObject;
        struct _IO_INTERRUPT_MESSAGE_INFO *InterruptMessageTable;
    } ConnectionContext;
} IO_DISCONNECT_INTERRUPT_PARAMETERS, *PIO_DISCONNECT_INTERRUPT_PARAMETERS;
NTKERNELAPI NTSTATUS NTAPI IoConnectInterruptEx(PIO_CONNECT_INTERRUPT_PARAMETERS Parameters);
NTKERNELAPI VOID NTAPI IoDisconnectInterruptEx(PIO_DISCONNECT_INTERRUPT_PARAMETERS Parameters);
NTKERNELAPI BOOLEAN NTAPI KeSynchronizeExecution(PKINTERRUPT Interrupt,
                                                 PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                 PVOID SynchronizeContext);
NTKERNELAPI KIRQL NTAPI KeAcquireInterruptSpinLock(PKINTERRUPT Interrupt);
NTKERNELAPI VOID NTAPI KeReleaseInterruptSpinLock(PKINTERRUPT Interrupt, KIRQL OldIrql);
NTKERNELAPI NTSTATUS NTAPI IoGetDevicePropertyData(PDEVICE_OBJECT Pdo,
                                                   const DEVPROPKEY *PropertyKey, LCID Lcid,
                                                   ULONG Flags, ULONG Size, PVOID Data,
                                                   PULONG RequiredSize, PDEVPROPTYPE Type);
NTKERNELAPI NTSTATUS NTAPI IoSetDevicePropertyData(PDEVICE_OBJECT Pdo,
                                                   const DEVPROPKEY *PropertyKey, LCID Lcid,
                                                   ULONG Flags, DEVPROPTYPE Type, ULONG Size,
                                                   PVOID Data);
NTKERNELAPI NTSTATUS NTAPI IoOpenDeviceInterfaceRegistryKey(PUNICODE_STRING SymbolicLinkName,
                                                            ACCESS_MASK DesiredAccess,
                                                            PHANDLE DeviceInterfaceRegKey);
NTKERNELAPI VOID NTAPI IoRequestDeviceEject(PDEVICE_OBJECT PhysicalDeviceObject);
NTKERNELAPI VOID NTAPI IoInvalidateDeviceRelations(PDEVICE_OBJECT DeviceObject, ULONG Type);

/* ---- Notifications of Plug and Play -------------------------------------------------------------- */

typedef enum _IO_NOTIFICATION_EVENT_CATEGORY {
    EventCategoryReserved,
    EventCategoryHardwareProfileChange,
    EventCategoryDeviceInterfaceChange,
    EventCategoryTargetDeviceChange
} IO_NOTIFICATION_EVENT_CATEGORY;
#define PNPNOTIFY_DEVICE_INTERFACE_INCLUDE_EXISTING_INTERFACES 0x00000001u
typedef NTSTATUS NTAPI DRIVER_NOTIFICATION_CALLBACK_ROUTINE(PVOID NotificationStructure,
                                                            PVOID Context);
typedef DRIVER_NOTIFICATION_CALLBACK_ROUTINE *PDRIVER_NOTIFICATION_CALLBACK_ROUTINE;
NTKERNELAPI NTSTATUS NTAPI IoRegisterPlugPlayNotification(
    IO_NOTIFICATION_EVENT_CATEGORY EventCategory, ULONG EventCategoryFlags, PVOID EventCategoryData,
    PDRIVER_OBJECT DriverObject, PDRIVER_NOTIFICATION_CALLBACK_ROUTINE CallbackRoutine,
    PVOID Context, PVOID *NotificationEntry);
NTKERNELAPI NTSTATUS NTAPI IoUnregisterPlugPlayNotification(PVOID NotificationEntry);
NTKERNELAPI NTSTATUS NTAPI IoUnregisterPlugPlayNotificationEx(PVOID NotificationEntry);

/* ---- Timers of devices: once a second -------------------------------------------------------------- */

typedef VOID NTAPI IO_TIMER_ROUTINE(PDEVICE_OBJECT DeviceObject, PVOID Context);
typedef IO_TIMER_ROUTINE *PIO_TIMER_ROUTINE;
NTKERNELAPI NTSTATUS NTAPI IoInitializeTimer(PDEVICE_OBJECT DeviceObject,
                                             PIO_TIMER_ROUTINE TimerRoutine, PVOID Context);
NTKERNELAPI VOID NTAPI IoStartTimer(PDEVICE_OBJECT DeviceObject);
NTKERNELAPI VOID NTAPI IoStopTimer(PDEVICE_OBJECT DeviceObject);

/* ---- The system's disk, the driver's file, the platform's IOMMU -------------------------------------- */

typedef struct WDDM_LAYOUT _BOOTDISK_INFORMATION {
    LONGLONG BootPartitionOffset;
    LONGLONG SystemPartitionOffset;
    ULONG BootDeviceSignature;
    ULONG SystemDeviceSignature;
} BOOTDISK_INFORMATION, *PBOOTDISK_INFORMATION;
NTKERNELAPI NTSTATUS NTAPI IoGetBootDiskInformation(PBOOTDISK_INFORMATION BootDiskInformation,
                                                    ULONG Size);
NTKERNELAPI NTSTATUS NTAPI IoQueryFullDriverPath(PDRIVER_OBJECT DriverObject,
                                                 PUNICODE_STRING FullPath);
typedef struct _DMA_IOMMU_INTERFACE *PDMA_IOMMU_INTERFACE;
typedef struct _DMA_IOMMU_INTERFACE_EX *PDMA_IOMMU_INTERFACE_EX;
NTKERNELAPI NTSTATUS NTAPI IoGetIommuInterface(ULONG Version, PDMA_IOMMU_INTERFACE InterfaceOut);
NTKERNELAPI NTSTATUS NTAPI IoGetIommuInterfaceEx(ULONG Version, ULONGLONG Flags,
                                                 PDMA_IOMMU_INTERFACE_EX InterfaceOut);

WDDM_END_DECLS

#endif
