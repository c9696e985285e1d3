/* SPDX-License-Identifier: MIT */
/*
 * Power components, which a driver that manages power reports through
 * DXGKQAITYPE_POWERCOMPONENTINFO. Pages ns-d3dkmddi-_dxgk_power_*. The lengths of ComponentName and
 * Providers are not published; the GUIDs are named on the page of DxgkDdiPowerRuntimeControlRequest
 * without their values, so these are ours: nothing here sends them.
 */
#ifndef WDDM_D3DKMDDI_POWER_H
#define WDDM_D3DKMDDI_POWER_H

#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WIN8)
#define DXGK_MAX_F_STATES              8
#define DXGK_POWER_COMPONENT_NAME_SIZE 40

typedef struct WDDM_LAYOUT _DXGK_POWER_RUNTIME_STATE {
    ULONGLONG TransitionLatency;    /* to the F0 state, 100 ns */
    ULONGLONG ResidencyRequirement; /* 100 ns */
    ULONG NominalPower;             /* microwatts */
} DXGK_POWER_RUNTIME_STATE;

typedef enum _DXGK_POWER_COMPONENT_TYPE {
    DXGK_POWER_COMPONENT_ENGINE = 0,
    DXGK_POWER_COMPONENT_MONITOR,
    DXGK_POWER_COMPONENT_MONITOR_REFRESH,
    DXGK_POWER_COMPONENT_MEMORY,
    DXGK_POWER_COMPONENT_MEMORY_REFRESH,
    DXGK_POWER_COMPONENT_OTHER,
    DXGK_POWER_COMPONENT_D3_TRANSITION,
    DXGK_POWER_COMPONENT_SHARED,
    DXGK_POWER_COMPONENT_MAX
} DXGK_POWER_COMPONENT_TYPE;

typedef struct WDDM_LAYOUT _DXGK_POWER_COMPONENT_MAPPING {
    DXGK_POWER_COMPONENT_TYPE ComponentType;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT NodeIndex;
        } EngineDesc;
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceID;
        } MonitorRefreshDesc;
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetID;
        } MonitorDesc;
        struct WDDM_LAYOUT {
            UINT SegmentID;
        } MemoryDesc;
    };
} DXGK_POWER_COMPONENT_MAPPING;

typedef union _DXGK_POWER_COMPONENT_FLAGS {
    struct WDDM_LAYOUT {
        UINT Reserved0 : 1;
        UINT DriverCompletesFStateTransition : 1;
        UINT TransitionTo_F0_OnDx : 1;
        UINT NoDebounce : 1;
        UINT ActiveInD3 : 1;
        UINT Reserved : 27;
    };
    UINT Value;
} DXGK_POWER_COMPONENT_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_POWER_RUNTIME_COMPONENT {
    ULONG StateCount;
    DXGK_POWER_RUNTIME_STATE States[DXGK_MAX_F_STATES];
    DXGK_POWER_COMPONENT_MAPPING ComponentMapping;
    DXGK_POWER_COMPONENT_FLAGS Flags;
    GUID ComponentGuid;
    UCHAR ComponentName[DXGK_POWER_COMPONENT_NAME_SIZE];
    ULONG ProviderCount;
    ULONG Providers[1];
} DXGK_POWER_RUNTIME_COMPONENT, *PDXGK_POWER_RUNTIME_COMPONENT;

#define WDDM_POWER_GUID(name, number)                                                              \
    static const GUID GUID_DXGKDDI_POWER_MANAGEMENT_##name                                         \
        __attribute__((unused)) = {number, 0x7664, 0x6d6d, {0, 0, 0, 0, 0, 0, 0, 0}}
WDDM_POWER_GUID(PREPARE_TO_START, 1);
WDDM_POWER_GUID(STARTED, 2);
WDDM_POWER_GUID(STOPPED, 3);
#undef WDDM_POWER_GUID
#endif

WDDM_END_DECLS

#endif
