/* SPDX-License-Identifier: MIT */
/* QueryAdapterInfo: its argument, the query types and the adapter-wide capabilities. Pages
 * _dxgkarg_queryadapterinfo, _dxgk_queryadapterinfotype, _dxgk_drivercaps, _dxgk_vidmmcaps. */
#ifndef WDDM_D3DKMDDI_ADAPTER_H
#define WDDM_D3DKMDDI_ADAPTER_H

#include "d3dkmddi_gpummu.h"

WDDM_BEGIN_DECLS

typedef enum _DXGK_QUERYADAPTERINFOTYPE {
    DXGKQAITYPE_UMDRIVERPRIVATE = 0,
    DXGKQAITYPE_DRIVERCAPS = 1,
    DXGKQAITYPE_QUERYSEGMENT = 2,
#if WDDM_AT_LEAST(WIN7)
    DXGKQAITYPE_ALLOCATIONGROUP = 3,
    DXGKQAITYPE_RESERVED = 3,
    DXGKQAITYPE_QUERYSEGMENT2 = 4,
#endif
#if WDDM_AT_LEAST(WIN8)
    DXGKQAITYPE_QUERYSEGMENT3 = 5,
    DXGKQAITYPE_NUMPOWERCOMPONENTS = 6,
    DXGKQAITYPE_POWERCOMPONENTINFO = 7,
    DXGKQAITYPE_PREFERREDGPUNODE = 8,
#endif
#if WDDM_AT_LEAST(WDDM1_3)
    DXGKQAITYPE_POWERCOMPONENTPSTATEINFO = 9,
    DXGKQAITYPE_HISTORYBUFFERPRECISION = 10,
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    DXGKQAITYPE_QUERYSEGMENT4 = 11,
    DXGKQAITYPE_SEGMENTMEMORYSTATE = 12,
    DXGKQAITYPE_GPUMMUCAPS = 13,
    DXGKQAITYPE_PAGETABLELEVELDESC = 14,
    DXGKQAITYPE_PHYSICALADAPTERCAPS = 15,
    DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION = 16,
#endif
#if WDDM_AT_LEAST(WDDM2_2)
    DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR = 17,
    DXGKQAITYPE_UEFIFRAMEBUFFERRANGES = 18,
    DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES = 19,
#endif
#if WDDM_AT_LEAST(WDDM2_3)
    DXGKQAITYPE_DISPLAYID_DESCRIPTOR = 20,
#endif
#if WDDM_AT_LEAST(WDDM2_4)
    DXGKQAITYPE_FRAMEBUFFERSAVESIZE = 21,
    DXGKQAITYPE_HARDWARERESERVEDRANGES = 22,
    DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2 = 23,
    DXGKQAITYPE_NODEPERFDATA = 24,
    DXGKQAITYPE_ADAPTERPERFDATA = 25,
    DXGKQAITYPE_ADAPTERPERFDATA_CAPS = 26,
    DXGKQAITYPE_GPUVERSION = 27,
#endif
#if WDDM_AT_LEAST(WDDM2_5)
    DXGKQAITYPE_DEVICE_TYPE_CAPS = 28,
#endif
#if WDDM_AT_LEAST(WDDM2_6)
    DXGKQAITYPE_WDDMDEVICECAPS = 29,
    DXGKQAITYPE_GPUPCAPS = 30,
    DXGKQAITYPE_QUERYTARGETGAMMACAPS = 31,
#endif
#if WDDM_AT_LEAST(WDDM2_7)
    DXGKQAITYPE_SCANOUT_CAPS = 33,
#endif
#if WDDM_AT_LEAST(WDDM2_9)
    DXGKQAITYPE_PHYSICAL_MEMORY_CAPS = 34,
    DXGKQAITYPE_IOMMU_CAPS = 35,
    DXGKQAITYPE_HARDWARERESERVEDRANGES2 = 36,
#endif
#if WDDM_AT_LEAST(WDDM3_1)
    DXGKQAITYPE_NATIVE_FENCE_CAPS = 37,
    DXGKQAITYPE_USERMODESUBMISSION_CAPS = 38,
#endif
#if WDDM_AT_LEAST(WDDM3_2)
    DXGKQAITYPE_DIRTYBITTRACKINGCAPS = 39,
    DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS = 40,
    DXGKQAITYPE_SCATTER_RESERVE = 41,
    DXGKQAITYPE_QUERYPAGINGBUFFERINFO = 42,
    DXGKQAITYPE_QUERYSEGMENTCOUNT = 43,
    DXGKQAITYPE_QUERYSEGMENT5 = 44,
    DXGKQAITYPE_QUERYMMUCOUNT = 45,
    DXGKQAITYPE_QUERYMMUS = 46,
    DXGKQAITYPE_64BITONLYCAPS = 47,
    DXGKQAITYPE_PAGINGPROCESSGPUVASIZE = 48,
#endif
} DXGK_QUERYADAPTERINFOTYPE;

#if WDDM_AT_LEAST(WDDM2_2)
typedef struct WDDM_LAYOUT _DXGK_QUERYADAPTERINFOFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT VirtualMachineData : 1;
            UINT SecureVirtualMachine : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_QUERYADAPTERINFOFLAGS;
#endif

typedef struct WDDM_LAYOUT _DXGKARG_QUERYADAPTERINFO {
    DXGK_QUERYADAPTERINFOTYPE Type;
    VOID *pInputData;
    UINT InputDataSize;
    VOID *pOutputData;
    UINT OutputDataSize;
#if WDDM_AT_LEAST(WDDM2_2)
    DXGK_QUERYADAPTERINFOFLAGS Flags;
    HANDLE hKmdProcessHandle;
#endif
} DXGKARG_QUERYADAPTERINFO;

/* The numbers of 2.1 and later follow the pattern of the published ones; only 1.0, 1.2, 1.3 and 2.0
 * are printed. */
typedef enum _DXGK_WDDMVERSION {
    DXGKDDI_WDDMv1 = 0x1000,
    DXGKDDI_WDDMv1_2 = 0x1200,
    DXGKDDI_WDDMv1_3 = 0x1300,
    DXGKDDI_WDDMv2 = 0x2000,
    DXGKDDI_WDDMv2_0 = 0x2000,
    DXGKDDI_WDDMv2_1 = 0x2100,
    DXGKDDI_WDDMv2_2 = 0x2200,
    DXGKDDI_WDDMv2_3 = 0x2300,
    DXGKDDI_WDDMv2_4 = 0x2400,
    DXGKDDI_WDDMv2_5 = 0x2500,
    DXGKDDI_WDDMv2_6 = 0x2600,
    DXGKDDI_WDDMv2_7 = 0x2700,
    DXGKDDI_WDDMv2_8 = 0x2800,
    DXGKDDI_WDDMv2_9 = 0x2900,
    DXGKDDI_WDDMv3_0 = 0x3000,
    DXGKDDI_WDDMv3_1 = 0x3100,
    DXGKDDI_WDDMv3_2 = 0x3200
} DXGK_WDDMVERSION;

typedef struct WDDM_LAYOUT _DXGK_POINTERFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Monochrome : 1;
            UINT Color : 1;
            UINT MaskedColor : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_POINTERFLAGS;
typedef struct WDDM_LAYOUT _DXGK_GAMMARAMPCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Gamma_Rgb256x3x16 : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_GAMMARAMPCAPS;
typedef struct WDDM_LAYOUT _DXGK_COLORTRANSFORMCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Gamma_Rgb256x3x16 : 1;
            UINT Gamma_Dxgi1 : 1;
            UINT Transform_3x4Matrix : 1;
            UINT Transform_3x4Matrix_WideColor : 1;
            UINT Transform_3x4Matrix_HighColor : 1;
            UINT Transform_Matrix_V2 : 1;
            UINT Reserved : 26;
        };
        UINT Value;
    };
} DXGK_COLORTRANSFORMCAPS;
typedef struct WDDM_LAYOUT _DXGK_FLIPCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT FlipOnVSyncWithNoWait : 1;
            UINT FlipOnVSyncMmIo : 1;
            UINT FlipInterval : 1;
            UINT FlipImmediateMmIo : 1;
#if WDDM_AT_LEAST(WDDM1_3)
            UINT FlipIndependent : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT DdiPresentForIFlip : 1;
            UINT FlipImmediateOnHSync : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 25;
#elif WDDM_AT_LEAST(WDDM1_3)
            UINT Reserved : 27;
#else
            UINT Reserved : 28;
#endif
        };
        UINT Value;
    };
} DXGK_FLIPCAPS;
typedef struct WDDM_LAYOUT _DXGK_VIDSCHCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT MultiEngineAware : 1;
            UINT VSyncPowerSaveAware : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT PreemptionAware : 1;
            UINT NoDmaPatching : 1;
            UINT CancelCommandAware : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT No64BitAtomics : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
            UINT LowIrqlPreemptCommand : 1;
            UINT HwQueuePacketCap : 4;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
            UINT Reserved : 21;
#elif WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 26;
#elif WDDM_AT_LEAST(WIN8)
            UINT Reserved : 27;
#else
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    };
} DXGK_VIDSCHCAPS;
#if WDDM_AT_LEAST(WDDM2_9)
typedef struct WDDM_LAYOUT _DXGK_HWQUEUEDFLIP_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_HWQUEUEDFLIP_CAPS;
#endif

typedef struct WDDM_LAYOUT _DXGK_PRESENTATIONCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT NoScreenToScreenBlt : 1;
            UINT NoOverlapScreenBlt : 1;
            UINT SupportKernelModeCommandBuffer : 1;
            UINT NoSameBitmapAlphaBlend : 1;
            UINT NoSameBitmapStretchBlt : 1;
            UINT NoSameBitmapTransparentBlt : 1;
            UINT NoSameBitmapOverlappedAlphaBlend : 1;
            UINT NoSameBitmapOverlappedStretchBlt : 1;
            UINT DriverSupportsCddDwmInterop : 1;
            UINT Reserved0 : 1;
            UINT AlignmentShift : 4;
            UINT MaxTextureWidthShift : 3;
            UINT MaxTextureHeightShift : 3;
            UINT SupportAllBltRops : 1;
            UINT SupportMirrorStretchBlt : 1;
            UINT SupportMonoStretchBltModes : 1;
            UINT StagingRectStartPitchAligned : 1;
            UINT NoSameBitmapBitBlt : 1;
            UINT NoSameBitmapOverlappedBitBlt : 1;
            UINT Reserved1 : 1;
            UINT NoTempSurfaceForClearTypeBlend : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT SupportSoftwareDeviceBitmaps : 1;
            UINT NoCacheCoherentApertureMemory : 1;
            UINT SupportLinearHeap : 1;
            UINT Reserved : 1;
#else
            UINT Reserved : 4;
#endif
        };
        UINT Value;
    };
} DXGK_PRESENTATIONCAPS;

typedef struct WDDM_LAYOUT _DXGK_VIDMMCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT OutOfOrderLock : 1;
#if WDDM_AT_LEAST(WIN7)
            UINT DedicatedPagingEngine : 1;
            UINT PagingEngineCanSwizzle : 1;
            UINT SectionBackedPrimary : 1;
#endif
#if WDDM_AT_LEAST(WDDM1_3)
            UINT CrossAdapterResource : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT VirtualAddressingSupported : 1;
            UINT GpuMmuSupported : 1;
            UINT IoMmuSupported : 1;
            UINT ReplicateGdiContent : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
            UINT NonCpuVisiblePrimary : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
            UINT ParavirtualizationSupported : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
            UINT IoMmuSecureModeSupported : 1;
            UINT DisableSelfRefreshVRAMInS3 : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_7)
            UINT IoMmuSecureModeRequired : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
            UINT MapAperture2Supported : 1;
            UINT CrossAdapterResourceTexture : 1;
            UINT CrossAdapterResourceScanout : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
            UINT AlwaysPoweredVRAM : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
            UINT Reserved : 14;
#elif WDDM_AT_LEAST(WDDM2_9)
            UINT Reserved : 15;
#elif WDDM_AT_LEAST(WDDM2_7)
            UINT Reserved : 18;
#elif WDDM_AT_LEAST(WDDM2_4)
            UINT Reserved : 19;
#elif WDDM_AT_LEAST(WDDM2_2)
            UINT Reserved : 21;
#elif WDDM_AT_LEAST(WDDM2_1)
            UINT Reserved : 22;
#elif WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 23;
#elif WDDM_AT_LEAST(WDDM1_3)
            UINT Reserved : 27;
#elif WDDM_AT_LEAST(WIN7)
            UINT Reserved : 28;
#else
            UINT Reserved : 31;
#endif
        };
        UINT Value;
    };
    UINT PagingNode; /* WDDM 1.x, MultiEngineAware drivers */
} DXGK_VIDMMCAPS;

#define DXGK_MAX_ASYMETRICAL_PROCESSING_NODES 64

typedef struct WDDM_LAYOUT _DXGK_GPUENGINETOPOLOGY {
    UINT NbAsymetricProcessingNodes;
    UINT Reserved[DXGK_MAX_ASYMETRICAL_PROCESSING_NODES];
} DXGK_GPUENGINETOPOLOGY;

/* Drivers fill no more than OutputDataSize bytes of this: real systems pass shorter buffers than a
 * new sizeof. */
typedef struct WDDM_LAYOUT _DXGK_DRIVERCAPS {
    PHYSICAL_ADDRESS HighestAcceptableAddress;
    UINT MaxAllocationListSlotId;
    SIZE_T ApertureSegmentCommitLimit;
    UINT MaxPointerWidth;
    UINT MaxPointerHeight;
    DXGK_POINTERFLAGS PointerCaps;
    UINT InterruptMessageNumber;
    UINT NumberOfSwizzlingRanges;
    UINT MaxOverlays;
    union WDDM_LAYOUT {
        DXGK_GAMMARAMPCAPS GammaRampCaps;
        DXGK_COLORTRANSFORMCAPS ColorTransformCaps;
    };
    DXGK_PRESENTATIONCAPS PresentationCaps;
    UINT MaxQueuedFlipOnVSync;
    DXGK_FLIPCAPS FlipCaps;
    DXGK_VIDSCHCAPS SchedulingCaps;
    DXGK_VIDMMCAPS MemoryManagementCaps;
    DXGK_GPUENGINETOPOLOGY GpuEngineTopology;
#if WDDM_AT_LEAST(WIN7)
    DXGK_WDDMVERSION WDDMVersion;
    UINT Reserved[46]; /* virtual address and DMA buffer capabilities of a draft; how the 188 bytes
                          split is unknown */
    UINT Reserved1;
#endif
#if WDDM_AT_LEAST(WIN8)
    D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
    BOOLEAN SupportNonVGA;
    BOOLEAN SupportSmoothRotation;
    BOOLEAN SupportPerEngineTDR;
    BOOLEAN SupportDirectFlip;
    BOOLEAN SupportMultiPlaneOverlay;
    BOOLEAN SupportRuntimePowerManagement;
    BOOLEAN SupportSurpriseRemovalInHibernation;
#endif
#if WDDM_AT_LEAST(WDDM1_3)
    BOOLEAN HybridDiscrete;
    UINT MaxOverlayPlanes;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    BOOLEAN HybridIntegrated;
    D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeStart;
    D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeEnd;
    BOOLEAN SupportSurpriseRemoval;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
    BOOLEAN SupportMultiPlaneOverlayImmediateFlip;
    BOOLEAN CursorScaledWithMultiPlaneOverlayPlane0;
    BOOLEAN HybridAcpiChainingRequired;
    UINT MaxQueuedMultiPlaneOverlayFlipVSync;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SupportContextlessPresent : 1;
            UINT Detachable : 1;
#if WDDM_AT_LEAST(WDDM2_5)
            UINT VirtualGpuOnly : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_6)
            UINT ComputeOnly : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_7)
            UINT IndependentVidPnVSyncControl : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_8)
            UINT NoHybridDiscreteDListDllSupport : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_0)
            UINT DisplayableSupport : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_0)
            UINT Reserved : 25;
#elif WDDM_AT_LEAST(WDDM2_8)
            UINT Reserved : 26;
#elif WDDM_AT_LEAST(WDDM2_7)
            UINT Reserved : 27;
#elif WDDM_AT_LEAST(WDDM2_6)
            UINT Reserved : 28;
#elif WDDM_AT_LEAST(WDDM2_5)
            UINT Reserved : 29;
#else
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    } MiscCaps;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
    UINT MaxHwQueuedFlips;
    DXGK_HWQUEUEDFLIP_CAPS HwQueuedFlipCaps;
#endif
} DXGK_DRIVERCAPS;

#if WDDM_AT_LEAST(WDDM2_4)
typedef struct WDDM_LAYOUT _DXGK_PHYSICAL_MEMORY_RANGE {
    PHYSICAL_ADDRESS BaseAddress;
    UINT64 NumberOfBytes;
} DXGK_PHYSICAL_MEMORY_RANGE;

typedef struct WDDM_LAYOUT _DXGK_HARDWARERESERVEDRANGES {
    UINT32 NumRanges;
    DXGK_PHYSICAL_MEMORY_RANGE *pPhysicalRanges;
} DXGK_HARDWARERESERVEDRANGES;

typedef struct WDDM_LAYOUT _DXGK_FRAMEBUFFERSAVEAREA {
    UINT64 MaximumSize;
} DXGK_FRAMEBUFFERSAVEAREA;
#endif

#if WDDM_AT_LEAST(WDDM2_6)
typedef struct WDDM_LAYOUT _DXGK_GPUPCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT VirtualMachineHibernation : 1;
            UINT HotDriverUpdate : 1;
#if WDDM_AT_LEAST(WDDM3_2)
            UINT LiveMigration : 1;
            UINT ScatterMapReserve : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_2)
            UINT Reserved : 28;
#else
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    } Caps;
} DXGK_GPUPCAPS;
#endif

#if WDDM_AT_LEAST(WDDM2_9)
typedef struct WDDM_LAYOUT _DXGK_IOMMU_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT IommuIsolationSupported : 1;
            UINT IommuIsolationRequired : 1;
            UINT DmaRemappingSupported : 1;
            UINT GpuVaIommuRequired : 1;
            UINT GpuVaIommuGlobalRequired : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} DXGK_IOMMU_CAPS;
#endif

#if WDDM_AT_LEAST(WDDM1_3)
typedef struct WDDM_LAYOUT _DXGKARG_HISTORYBUFFERPRECISION {
    UINT32 PrecisionBits;
} DXGKARG_HISTORYBUFFERPRECISION;

typedef DXGK_NODEMETADATA DXGKARG_GETNODEMETADATA;
#endif

WDDM_END_DECLS

#endif
