/* SPDX-License-Identifier: MIT */
/*
 * What a driver or an adapter is, as answers: counters of performance, versions, and the
 * capabilities that the system keeps of each version of the model. Pages
 * ns-d3dkmdt-_dxgk_*_perfdata*, ns-d3dkmdt-_dxgk_gpuclockdata_flags,
 * ns-d3dkmdt-*d3dkmt_wddm_*_caps.
 */
#ifndef WDDM_D3DKMDT_CAPS_H
#define WDDM_D3DKMDT_CAPS_H

#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WIN8)

typedef struct WDDM_LAYOUT _D3DKMT_WDDM_1_2_CAPS {
    D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SupportNonVGA : 1;
            UINT SupportSmoothRotation : 1;
            UINT SupportPerEngineTDR : 1;
            UINT SupportKernelModeCommandBuffer : 1;
            UINT SupportCCD : 1;
            UINT SupportSoftwareDeviceBitmaps : 1;
            UINT SupportGammaRamp : 1;
            UINT SupportHWCursor : 1;
            UINT SupportHWVSync : 1;
            UINT SupportSurpriseRemovalInHibernation : 1;
            UINT Reserved : 22;
        };
        UINT Value;
    };
} D3DKMT_WDDM_1_2_CAPS;

#endif

#if WDDM_AT_LEAST(WDDM1_3)

typedef struct WDDM_LAYOUT _D3DKMT_WDDM_1_3_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SupportMiracast : 1;
            UINT IsHybridIntegratedGPU : 1;
            UINT IsHybridDiscreteGPU : 1;
            UINT SupportPowerManagementPStates : 1;
            UINT SupportVirtualModes : 1;
            UINT SupportCrossAdapterResource : 1;
            UINT Reserved : 26;
        };
        UINT Value;
    };
} D3DKMT_WDDM_1_3_CAPS;

#endif

#if WDDM_AT_LEAST(WDDM2_0)

typedef struct WDDM_LAYOUT _D3DKMT_WDDM_2_0_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Support64BitAtomics : 1;
            UINT GpuMmuSupported : 1;
            UINT IoMmuSupported : 1;
            UINT FlipOverwriteSupported : 1;
            UINT SupportContextlessPresent : 1;
            UINT SupportSurpriseRemoval : 1;
            UINT Reserved : 26;
        };
        UINT Value;
    };
} D3DKMT_WDDM_2_0_CAPS;

#endif

#if WDDM_AT_LEAST(WDDM2_4)

typedef struct WDDM_LAYOUT _DXGK_NODE_PERFDATA {
    ULONGLONG Frequency;
    ULONGLONG MaxFrequency;
    ULONGLONG MaxFrequencyOC;
    ULONG Voltage;
    ULONG VoltageMax;
    ULONG VoltageMaxOC;
    ULONGLONG MaxTransitionLatency;
} DXGK_NODE_PERFDATA;

typedef struct WDDM_LAYOUT _DXGK_ADAPTER_PERFDATA {
    ULONGLONG MemoryFrequency;
    ULONGLONG MaxMemoryFrequency;
    ULONGLONG MaxMemoryFrequencyOC;
    ULONGLONG MemoryBandwidth;
    ULONGLONG PCIEBandwidth;
    ULONG FanRPM;
    ULONG Power;
    ULONG Temperature;
    UCHAR PowerStateOverride;
} DXGK_ADAPTER_PERFDATA;

typedef struct WDDM_LAYOUT _DXGK_ADAPTER_PERFDATACAPS {
    ULONGLONG MaxMemoryBandwidth;
    ULONGLONG MaxPCIEBandwidth;
    ULONG MaxFanRPM;
    ULONG TemperatureMax;
    ULONG TemperatureWarning;
} DXGK_ADAPTER_PERFDATACAPS;

typedef struct WDDM_LAYOUT _DXGK_GPUCLOCKDATA_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ContextManagementProcessor : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_GPUCLOCKDATA_FLAGS;

#endif

#if WDDM_AT_LEAST(WDDM2_7)

typedef struct WDDM_LAYOUT _D3DKMT_WDDM_2_7_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT HwSchSupported : 1;
            UINT HwSchEnabled : 1;
            UINT HwSchEnabledByDefault : 1;
            UINT IndependentVidPnVSyncControl : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} D3DKMT_WDDM_2_7_CAPS;

#endif

WDDM_END_DECLS

#endif
