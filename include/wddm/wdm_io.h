/* SPDX-License-Identifier: MIT */
/* Driver and device objects, interfaces and hardware resource lists, as far as a display miniport
 * sees them. */
#ifndef WDDM_WDM_IO_H
#define WDDM_WDM_IO_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

typedef struct _IRP IRP, *PIRP;
typedef struct _DEVICE_OBJECT DEVICE_OBJECT, *PDEVICE_OBJECT;
typedef struct _DRIVER_OBJECT DRIVER_OBJECT, *PDRIVER_OBJECT;

typedef struct WDDM_LAYOUT _IO_STATUS_BLOCK {
    union WDDM_LAYOUT {
        NTSTATUS Status;
        PVOID Pointer;
    };
    ULONG_PTR Information;
} IO_STATUS_BLOCK, *PIO_STATUS_BLOCK;

typedef NTSTATUS NTAPI DRIVER_INITIALIZE(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath);
typedef DRIVER_INITIALIZE *PDRIVER_INITIALIZE;
typedef VOID NTAPI DRIVER_UNLOAD(PDRIVER_OBJECT DriverObject);
typedef DRIVER_UNLOAD *PDRIVER_UNLOAD;
typedef NTSTATUS NTAPI DRIVER_DISPATCH(PDEVICE_OBJECT DeviceObject, PIRP Irp);
typedef DRIVER_DISPATCH *PDRIVER_DISPATCH;

/* The display port driver owns the real ones, and a miniport only passes the pointers on; but the
 * members that a driver may touch stand where a driver compiled elsewhere expects them. */
struct WDDM_LAYOUT _DEVICE_OBJECT {
    CSHORT Type;
    USHORT Size;
    LONG ReferenceCount;
    PDRIVER_OBJECT DriverObject;
    PDEVICE_OBJECT NextDevice;
    PDEVICE_OBJECT AttachedDevice;
    PIRP CurrentIrp;
    PVOID Timer;
    ULONG Flags;
    ULONG Characteristics;
    PVOID Vpb;
    PVOID DeviceExtension;
    ULONG DeviceType;
    CHAR StackSize;
    UCHAR SystemOnly[259];
};

#define IRP_MJ_MAXIMUM_FUNCTION 0x1b

struct WDDM_LAYOUT _DRIVER_OBJECT {
    CSHORT Type;
    CSHORT Size;
    PDEVICE_OBJECT DeviceObject;
    ULONG Flags;
    PVOID DriverStart;
    ULONG DriverSize;
    PVOID DriverSection;
    PVOID DriverExtension;
    UNICODE_STRING DriverName;
    PUNICODE_STRING HardwareDatabase;
    PVOID FastIoDispatch;
    PDRIVER_INITIALIZE DriverInit;
    PVOID DriverStartIo;
    PDRIVER_UNLOAD DriverUnload;
    PDRIVER_DISPATCH MajorFunction[IRP_MJ_MAXIMUM_FUNCTION + 1];
};

WDDM_STATIC_ASSERT(sizeof(struct _DEVICE_OBJECT) == 0x150, "DEVICE_OBJECT of x64");
WDDM_STATIC_ASSERT(sizeof(struct _DRIVER_OBJECT) == 0x150, "DRIVER_OBJECT of x64");

typedef VOID NTAPI INTERFACE_REFERENCE_ROUTINE(PVOID Context);
typedef INTERFACE_REFERENCE_ROUTINE *PINTERFACE_REFERENCE;
typedef VOID NTAPI INTERFACE_DEREFERENCE_ROUTINE(PVOID Context);
typedef INTERFACE_DEREFERENCE_ROUTINE *PINTERFACE_DEREFERENCE;

typedef struct WDDM_LAYOUT _INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
} INTERFACE, *PINTERFACE;

typedef struct WDDM_LAYOUT _QUERY_INTERFACE {
    const GUID *InterfaceType;
    USHORT Size;
    USHORT Version;
    PINTERFACE Interface;
    PVOID InterfaceSpecificData;
} QUERY_INTERFACE, *PQUERY_INTERFACE;

typedef enum _INTERFACE_TYPE {
    InterfaceTypeUndefined = -1,
    Internal = 0,
    Isa = 1,
    Eisa = 2,
    MicroChannel = 3,
    TurboChannel = 4,
    PCIBus = 5,
    PNPBus = 15,
    ACPIBus = 17,
    MaximumInterfaceType = 18
} INTERFACE_TYPE,
    *PINTERFACE_TYPE;

/* Types of CM_PARTIAL_RESOURCE_DESCRIPTOR. */
#define CmResourceTypeNull           0
#define CmResourceTypePort           1
#define CmResourceTypeInterrupt      2
#define CmResourceTypeMemory         3
#define CmResourceTypeDma            4
#define CmResourceTypeDeviceSpecific 5
#define CmResourceTypeBusNumber      6
#define CmResourceTypeMemoryLarge    7
#define CmResourceTypeMaximum        8
#define CmResourceTypeConnection     132
#define CmResourceTypeConfigData     128
#define CmResourceTypeDevicePrivate  129

typedef enum _CM_SHARE_DISPOSITION {
    CmResourceShareUndetermined = 0,
    CmResourceShareDeviceExclusive,
    CmResourceShareDriverExclusive,
    CmResourceShareShared
} CM_SHARE_DISPOSITION;

#define CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE 0
#define CM_RESOURCE_INTERRUPT_LATCHED         1
#define CM_RESOURCE_INTERRUPT_MESSAGE         2
#define CM_RESOURCE_PORT_MEMORY               0x0000
#define CM_RESOURCE_PORT_IO                   0x0001
#define CM_RESOURCE_PORT_16_BIT_DECODE        0x0010
#define CM_RESOURCE_PORT_BAR                  0x0100
#define CM_RESOURCE_MEMORY_READ_WRITE         0x0000
#define CM_RESOURCE_MEMORY_READ_ONLY          0x0001
#define CM_RESOURCE_MEMORY_WRITE_ONLY         0x0002
#define CM_RESOURCE_MEMORY_PREFETCHABLE       0x0004
#define CM_RESOURCE_MEMORY_COMBINEDWRITE      0x0008
#define CM_RESOURCE_MEMORY_24                 0x0010
#define CM_RESOURCE_MEMORY_CACHEABLE          0x0020
#define CM_RESOURCE_MEMORY_WINDOW_DECODE      0x0040
#define CM_RESOURCE_MEMORY_BAR                0x0080
#define CM_RESOURCE_MEMORY_LARGE              0x0e00
#define CM_RESOURCE_MEMORY_LARGE_40           0x0200
#define CM_RESOURCE_MEMORY_LARGE_48           0x0400
#define CM_RESOURCE_MEMORY_LARGE_64           0x0800

/* Of a connection through another controller. */
#define CM_RESOURCE_CONNECTION_CLASS_GPIO       1
#define CM_RESOURCE_CONNECTION_CLASS_SERIAL     2
#define CM_RESOURCE_CONNECTION_TYPE_GPIO_IO     2
#define CM_RESOURCE_CONNECTION_TYPE_SERIAL_I2C  1
#define CM_RESOURCE_CONNECTION_TYPE_SERIAL_SPI  2
#define CM_RESOURCE_CONNECTION_TYPE_SERIAL_UART 3

/* Resource descriptors are packed to four bytes. */
#pragma pack(push, 4)
typedef struct WDDM_LAYOUT _CM_PARTIAL_RESOURCE_DESCRIPTOR {
    UCHAR Type;
    UCHAR ShareDisposition;
    USHORT Flags;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Generic;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Port;
        struct WDDM_LAYOUT {
#ifdef NT_PROCESSOR_GROUPS
            USHORT Level;
            USHORT Group;
#else
            ULONG Level;
#endif
            ULONG Vector;
            KAFFINITY Affinity;
        } Interrupt;
        struct WDDM_LAYOUT {
            union WDDM_LAYOUT {
                struct WDDM_LAYOUT {
                    USHORT Group;
                    USHORT MessageCount;
                    ULONG Vector;
                    KAFFINITY Affinity;
                } Raw;
                struct WDDM_LAYOUT {
#ifdef NT_PROCESSOR_GROUPS
                    USHORT Level;
                    USHORT Group;
#else
                    ULONG Level;
#endif
                    ULONG Vector;
                    KAFFINITY Affinity;
                } Translated;
            };
        } MessageInterrupt;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Memory;
        struct WDDM_LAYOUT {
            ULONG Channel;
            ULONG Port;
            ULONG Reserved1;
        } Dma;
        struct WDDM_LAYOUT {
            ULONG Data[3];
        } DevicePrivate;
        struct WDDM_LAYOUT {
            ULONG Start;
            ULONG Length;
            ULONG Reserved;
        } BusNumber;
        struct WDDM_LAYOUT {
            ULONG DataSize;
            ULONG Reserved1;
            ULONG Reserved2;
        } DeviceSpecificData;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS Start;
            ULONG Length40; /* units of 256 bytes */
        } Memory40;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS Start;
            ULONG Length48; /* units of 64 KB */
        } Memory48;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS Start;
            ULONG Length64; /* units of 4 GB */
        } Memory64;
        struct WDDM_LAYOUT {
            UCHAR Class;
            UCHAR Type;
            UCHAR Reserved1;
            UCHAR Reserved2;
            ULONG IdLowPart;
            ULONG IdHighPart;
        } Connection;
    } u;
} CM_PARTIAL_RESOURCE_DESCRIPTOR, *PCM_PARTIAL_RESOURCE_DESCRIPTOR;

typedef struct WDDM_LAYOUT _CM_PARTIAL_RESOURCE_LIST {
    USHORT Version;
    USHORT Revision;
    ULONG Count;
    CM_PARTIAL_RESOURCE_DESCRIPTOR PartialDescriptors[1];
} CM_PARTIAL_RESOURCE_LIST, *PCM_PARTIAL_RESOURCE_LIST;

typedef struct WDDM_LAYOUT _CM_FULL_RESOURCE_DESCRIPTOR {
    INTERFACE_TYPE InterfaceType;
    ULONG BusNumber;
    CM_PARTIAL_RESOURCE_LIST PartialResourceList;
} CM_FULL_RESOURCE_DESCRIPTOR, *PCM_FULL_RESOURCE_DESCRIPTOR;

typedef struct WDDM_LAYOUT _CM_RESOURCE_LIST {
    ULONG Count;
    CM_FULL_RESOURCE_DESCRIPTOR List[1];
} CM_RESOURCE_LIST, *PCM_RESOURCE_LIST;
#pragma pack(pop)

typedef enum _DEVICE_POWER_STATE {
    PowerDeviceUnspecified = 0,
    PowerDeviceD0,
    PowerDeviceD1,
    PowerDeviceD2,
    PowerDeviceD3,
    PowerDeviceMaximum
} DEVICE_POWER_STATE,
    *PDEVICE_POWER_STATE;

typedef enum _SYSTEM_POWER_STATE {
    PowerSystemUnspecified = 0,
    PowerSystemWorking,
    PowerSystemSleeping1,
    PowerSystemSleeping2,
    PowerSystemSleeping3,
    PowerSystemHibernate,
    PowerSystemShutdown,
    PowerSystemMaximum
} SYSTEM_POWER_STATE,
    *PSYSTEM_POWER_STATE;

typedef enum _POWER_ACTION {
    PowerActionNone = 0,
    PowerActionReserved,
    PowerActionSleep,
    PowerActionHibernate,
    PowerActionShutdown,
    PowerActionShutdownReset,
    PowerActionShutdownOff,
    PowerActionWarmEject,
    PowerActionDisplayOff
} POWER_ACTION,
    *PPOWER_ACTION;

/* Pieces of memory as a device sees them. */
typedef struct WDDM_LAYOUT _SCATTER_GATHER_ELEMENT {
    PHYSICAL_ADDRESS Address;
    ULONG Length;
    ULONG_PTR Reserved;
} SCATTER_GATHER_ELEMENT, *PSCATTER_GATHER_ELEMENT;

typedef struct WDDM_LAYOUT _SCATTER_GATHER_LIST {
    ULONG NumberOfElements;
    ULONG_PTR Reserved;
    SCATTER_GATHER_ELEMENT Elements[];
} SCATTER_GATHER_LIST, *PSCATTER_GATHER_LIST;

/* A registry key open for a device; the type flags of IoOpenDeviceRegistryKey. */
#define PLUGPLAY_REGKEY_DEVICE            1
#define PLUGPLAY_REGKEY_DRIVER            2
#define PLUGPLAY_REGKEY_CURRENT_HWPROFILE 4
NTKERNELAPI NTSTATUS NTAPI IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject,
                                                   ULONG DevInstKeyType, ACCESS_MASK DesiredAccess,
                                                   PHANDLE Key);

WDDM_END_DECLS

#endif
