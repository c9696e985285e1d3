/* SPDX-License-Identifier: MIT */
/* Device, child and start-up structures of the display port driver. Pages
 * ns-dispmprt-_dxgk_device_info and others. */
#ifndef WDDM_DISPMPRT_DEVICE_H
#define WDDM_DISPMPRT_DEVICE_H

#include "ntddk.h"
#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

typedef enum {
    DockStateUnsupported = 0,
    DockStateUnDocked = 1,
    DockStateDocked = 2,
    DockStateUnknown = 3
} DOCKING_STATE;

typedef struct WDDM_LAYOUT _DXGK_DEVICE_INFO {
    PVOID MiniportDeviceContext;
    PDEVICE_OBJECT PhysicalDeviceObject;
    UNICODE_STRING DeviceRegistryPath;
    PCM_RESOURCE_LIST TranslatedResourceList;
    LARGE_INTEGER SystemMemorySize;
    PHYSICAL_ADDRESS HighestPhysicalAddress;
    PHYSICAL_ADDRESS AgpApertureBase;
    SIZE_T AgpApertureSize;
    DOCKING_STATE DockingState;
} DXGK_DEVICE_INFO, *PDXGK_DEVICE_INFO;

typedef struct WDDM_LAYOUT _DXGK_START_INFO {
    ULONG RequiredDmaQueueEntry;
    GUID AdapterGuid;
#if WDDM_AT_LEAST(WIN8)
    LUID AdapterLuid;
#endif
} DXGK_START_INFO, *PDXGK_START_INFO;

typedef struct WDDM_LAYOUT _LINKED_DEVICE {
    ULONG ChainUid;
    ULONG NumberOfLinksInChain;
    BOOLEAN LeadLink;
} LINKED_DEVICE, *PLINKED_DEVICE;

typedef enum _DXGK_CHILD_DEVICE_TYPE {
    TypeUninitialized = 0,
    TypeVideoOutput,
    TypeOther,
    TypeIntegratedDisplay
} DXGK_CHILD_DEVICE_TYPE,
    *PDXGK_CHILD_DEVICE_TYPE;

typedef enum _DXGK_CHILD_DEVICE_HPD_AWARENESS {
    HpdAwarenessUninitialized = 0,
    HpdAwarenessAlwaysConnected = 1,
    HpdAwarenessNone = 2,
    HpdAwarenessPolled = 3,
    HpdAwarenessInterruptible = 4
} DXGK_CHILD_DEVICE_HPD_AWARENESS,
    *PDXGK_CHILD_DEVICE_HPD_AWARENESS;

typedef struct WDDM_LAYOUT _DXGK_VIDEO_OUTPUT_CAPABILITIES {
    D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
    D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
    BOOLEAN SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES, *PDXGK_VIDEO_OUTPUT_CAPABILITIES;

#if WDDM_AT_LEAST(WDDM2_2)
typedef struct WDDM_LAYOUT _DXGK_INTEGRATED_DISPLAY_CHILD {
    D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
    USHORT DescriptorLength;
} DXGK_INTEGRATED_DISPLAY_CHILD, *PDXGK_INTEGRATED_DISPLAY_CHILD;
#endif

typedef struct WDDM_LAYOUT _DXGK_CHILD_CAPABILITIES {
    union WDDM_LAYOUT {
        DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
        struct WDDM_LAYOUT {
            UINT MustBeZero;
        } Other;
#if WDDM_AT_LEAST(WDDM2_2)
        DXGK_INTEGRATED_DISPLAY_CHILD IntegratedDisplayChild;
#endif
    } Type;
    DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES, *PDXGK_CHILD_CAPABILITIES;

typedef struct WDDM_LAYOUT _DXGK_CHILD_DESCRIPTOR {
    DXGK_CHILD_DEVICE_TYPE ChildDeviceType;
    DXGK_CHILD_CAPABILITIES ChildCapabilities;
    ULONG AcpiUid;
    ULONG ChildUid;
} DXGK_CHILD_DESCRIPTOR, *PDXGK_CHILD_DESCRIPTOR;

typedef enum _DXGK_CHILD_STATUS_TYPE {
    StatusUninitialized = 0,
    StatusConnection,
    StatusRotation,
#if WDDM_AT_LEAST(WDDM1_3)
    StatusMiracastConnection
#endif
} DXGK_CHILD_STATUS_TYPE,
    *PDXGK_CHILD_STATUS_TYPE;

typedef struct WDDM_LAYOUT _DXGK_CHILD_STATUS {
    DXGK_CHILD_STATUS_TYPE Type;
    ULONG ChildUid;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            BOOLEAN Connected;
        } HotPlug;
        struct WDDM_LAYOUT {
            UCHAR Angle;
        } Rotation;
#if WDDM_AT_LEAST(WDDM1_3)
        struct WDDM_LAYOUT {
            BOOLEAN Connected;
            D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY MiracastMonitorType;
        } Miracast;
#endif
    };
} DXGK_CHILD_STATUS, *PDXGK_CHILD_STATUS;

#if WDDM_AT_LEAST(WIN8)
typedef struct WDDM_LAYOUT _DXGK_CHILD_CONTAINER_ID {
    GUID ContainerId;
    struct WDDM_LAYOUT {
        ULONG64 PortId;
        USHORT ManufacturerName;
        USHORT ProductCode;
    } EldInfo;
} DXGK_CHILD_CONTAINER_ID, *PDXGK_CHILD_CONTAINER_ID;

typedef struct WDDM_LAYOUT _DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS, *PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS;
#endif

/* Page ns-d3dkmdt-_d3dkmdt_video_present_target. */
typedef struct WDDM_LAYOUT _D3DKMDT_VIDEO_PRESENT_TARGET {
    D3DDDI_VIDEO_PRESENT_TARGET_ID Id;
    D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY VideoOutputTechnology;
    DXGK_CHILD_DEVICE_HPD_AWARENESS VideoOutputHpdAwareness;
    D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
    BOOLEAN SupportsSdtvModes;
} D3DKMDT_VIDEO_PRESENT_TARGET;

typedef struct WDDM_LAYOUT _DXGK_DEVICE_DESCRIPTOR {
    ULONG DescriptorOffset;
    ULONG DescriptorLength;
    PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR, *PDXGK_DEVICE_DESCRIPTOR;

typedef enum _DXGK_EVENT_TYPE {
    DxgkUndefinedEvent = 0,
    DxgkAcpiEvent = 1,
    DxgkPowerStateEvent = 2,
    DxgkDockingEvent = 3,
    DxgkChainedAcpiEvent = 4
} DXGK_EVENT_TYPE,
    *PDXGK_EVENT_TYPE;

#if WDDM_AT_LEAST(WIN8)
typedef enum _DXGK_SURPRISE_REMOVAL_TYPE {
    DxgkRemovalHibernation = 0,
    DxgkRemovalPnPNotify = 1
} DXGK_SURPRISE_REMOVAL_TYPE,
    *PDXGK_SURPRISE_REMOVAL_TYPE;

/* The boot display that a driver takes over. */
typedef struct WDDM_LAYOUT _DXGK_DISPLAY_INFORMATION {
    UINT Width;
    UINT Height;
    UINT Pitch;
    D3DDDIFORMAT ColorFormat;
    PHYSICAL_ADDRESS PhysicAddress;
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    ULONG AcpiId;
} DXGK_DISPLAY_INFORMATION, *PDXGK_DISPLAY_INFORMATION;
#endif

#if WDDM_AT_LEAST(WDDM2_2)
/* Who wrote the frame buffer that a driver takes over. */
typedef enum _DXGK_FRAMEBUFFER_STATE {
    FrameBufferStateUnknown = 0,
    FrameBufferStateInitializedByFirmware = 1,
    FrameBufferStateInitializedByDriver = 2
} DXGK_FRAMEBUFFER_STATE;

/* The width of the state inside is printed nowhere: the name alone. */
typedef struct _DXGK_DISPLAY_OWNERSHIP_FLAGS DXGK_DISPLAY_OWNERSHIP_FLAGS,
    *PDXGK_DISPLAY_OWNERSHIP_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_PRE_START_INFO {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ReservedIn;
        };
        UINT Input;
    };
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SupportPreserveBootDisplay : 1;
            UINT IsUEFIFrameBufferCpuAccessibleDuringStartup : 1;
            UINT ReservedOut : 30;
        };
        UINT Output;
    };
} DXGK_PRE_START_INFO, *PDXGK_PRE_START_INFO;
#endif

typedef enum {
    DxgkServicesAgp = 0,
    DxgkServicesDebugReport = 1,
    DxgkServicesTimedOperation = 2,
    DxgkServicesSPB = 3,
    DxgkServicesBDD = 4,
    DxgkServicesFirmwareTable = 5,
    DxgkServicesIDD = 6
} DXGK_SERVICES;

#define DXGK_WHICHSPACE_CONFIG 0x0
#define DXGK_WHICHSPACE_ROM    0x1
#define DXGK_WHICHSPACE_MCH    0x80000000
#define DXGK_WHICHSPACE_BRIDGE 0x80000001

WDDM_END_DECLS

#endif
