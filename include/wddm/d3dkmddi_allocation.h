/* SPDX-License-Identifier: MIT */
/* Allocations: creation, opening, description and standard surfaces. Pages
 * _dxgkarg_createallocation and neighbours. */
#ifndef WDDM_D3DKMDDI_ALLOCATION_H
#define WDDM_D3DKMDDI_ALLOCATION_H

#include "d3dkmddi_segment.h"

WDDM_BEGIN_DECLS

/* Bits 19-31 are reserved one by one in the documentation, in this order. */
typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONINFOFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CpuVisible : 1;
            UINT PermanentSysMem : 1;
            UINT Cached : 1;
            UINT Protected : 1;
            UINT ExistingSysMem : 1;
            UINT ExistingKernelSysMem : 1;
            UINT FromEndOfSegment : 1;
            UINT Swizzled : 1;
            UINT Overlay : 1;
            UINT Capture : 1;
            UINT UseAlternateVA : 1;
            UINT SynchronousPaging : 1;
            UINT LinkMirrored : 1;
            UINT LinkInstanced : 1;
            UINT HistoryBuffer : 1;
#if WDDM_AT_LEAST(WDDM2_0)
            UINT AccessedPhysically : 1;
            UINT ExplicitResidencyNotification : 1;
            UINT HardwareProtected : 1;
            UINT CpuVisibleOnDemand : 1;
#else
            UINT Reserved : 4;
#endif
            UINT DXGK_ALLOC_RESERVED16 : 1;
            UINT DXGK_ALLOC_RESERVED15 : 1;
            UINT DXGK_ALLOC_RESERVED14 : 1;
            UINT DXGK_ALLOC_RESERVED13 : 1;
            UINT DXGK_ALLOC_RESERVED12 : 1;
            UINT DXGK_ALLOC_RESERVED11 : 1;
            UINT DXGK_ALLOC_RESERVED10 : 1;
            UINT DXGK_ALLOC_RESERVED9 : 1;
            UINT DXGK_ALLOC_RESERVED4 : 1;
            UINT DXGK_ALLOC_RESERVED3 : 1;
            UINT DXGK_ALLOC_RESERVED2 : 1;
            UINT DXGK_ALLOC_RESERVED1 : 1;
            UINT DXGK_ALLOC_RESERVED0 : 1;
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS;

#if WDDM_AT_LEAST(WDDM2_0)
typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CpuVisible : 1;
            UINT PermanentSysMem : 1;
            UINT Cached : 1;
            UINT Protected : 1;
            UINT ExistingSysMem : 1;
            UINT ExistingKernelSysMem : 1;
            UINT FromEndOfSegment : 1;
#if WDDM_AT_LEAST(WDDM2_1)
            UINT DisableLargePageMapping : 1;
#else
            UINT Swizzled : 1;
#endif
            UINT Overlay : 1;
            UINT Capture : 1;
#if WDDM_AT_LEAST(WDDM2_1)
            UINT CreateInVpr : 1;
#else
            UINT Reserved00 : 1;
#endif
            UINT DXGK_ALLOC_RESERVED17 : 1;
            UINT Reserved02 : 1;
#if WDDM_AT_LEAST(WDDM2_9)
            UINT MapApertureCpuVisible : 1;
#else
            UINT Reserved03 : 1;
#endif
            UINT HistoryBuffer : 1;
            UINT AccessedPhysically : 1;
            UINT ExplicitResidencyNotification : 1;
            UINT HardwareProtected : 1;
            UINT CpuVisibleOnDemand : 1;
            UINT DXGK_ALLOC_RESERVED16 : 1;
            UINT DXGK_ALLOC_RESERVED15 : 1;
            UINT DXGK_ALLOC_RESERVED14 : 1;
            UINT DXGK_ALLOC_RESERVED13 : 1;
            UINT DXGK_ALLOC_RESERVED12 : 1;
            UINT DXGK_ALLOC_RESERVED11 : 1;
            UINT DXGK_ALLOC_RESERVED10 : 1;
            UINT DXGK_ALLOC_RESERVED9 : 1;
            UINT DXGK_ALLOC_RESERVED4 : 1;
            UINT DXGK_ALLOC_RESERVED3 : 1;
            UINT DXGK_ALLOC_RESERVED2 : 1;
            UINT DXGK_ALLOC_RESERVED1 : 1;
            UINT DXGK_ALLOC_RESERVED0 : 1;
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;
#endif

#if WDDM_AT_LEAST(WDDM3_0)
/* Two variants are published; this is the one of the 24H2 pages. */
typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONINFOFLAGS2 {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ShareBackingStoreWithKmd : 1;
#if WDDM_AT_LEAST(WDDM3_2)
            UINT NoImplicitSynchronization : 1;
            UINT DisablePartialResidency : 1;
            UINT RestrictedToSingleSegment : 1;
            UINT NotifyEviction : 1;
            UINT NotifyIoMmuUnmap : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_2)
            UINT Reserved : 26;
#else
            UINT Reserved : 31;
#endif
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS2;
#endif

typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONUSAGEINFO1 {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT PrivateFormat : 1;
            UINT Swizzled : 1;
            UINT MipMap : 1;
            UINT Cube : 1;
            UINT Volume : 1;
            UINT Vertex : 1;
            UINT Index : 1;
            UINT Reserved : 25;
        };
        UINT Value;
    } Flags;
    union WDDM_LAYOUT {
        D3DDDIFORMAT Format;
        UINT PrivateFormat;
    };
    UINT SwizzledFormat;
    UINT ByteOffset;
    UINT Width;
    UINT Height;
    UINT Pitch;
    UINT Depth;
    UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;

typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONUSAGEHINT {
    UINT Version;
    DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;

typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONINFO {
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
#if WDDM_AT_LEAST(WDDM3_2)
    union WDDM_LAYOUT {
        UINT Alignment;
        struct WDDM_LAYOUT {
            UINT16 MinimumPageSize;
            UINT16 RecommendedPageSize;
        };
    };
#else
    UINT Alignment;
#endif
    SIZE_T Size;
    SIZE_T PitchAlignedSize;
    DXGK_SEGMENTBANKPREFERENCE HintedBank;
    DXGK_SEGMENTPREFERENCE PreferredSegment;
#if WDDM_AT_LEAST(WDDM3_2)
    union WDDM_LAYOUT {
        UINT SupportedReadSegmentSet;
        UINT MmuSet;
    };
#else
    UINT SupportedReadSegmentSet;
#endif
    UINT SupportedWriteSegmentSet;
    UINT EvictionSegmentSet;
    union WDDM_LAYOUT {
        UINT MaximumRenamingListLength; /* WDDM 1.x */
        UINT PhysicalAdapterIndex;      /* WDDM 2.x */
    };
    HANDLE hAllocation;
    union WDDM_LAYOUT {
        DXGK_ALLOCATIONINFOFLAGS Flags;
#if WDDM_AT_LEAST(WDDM2_0)
        DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
#endif
    };
    DXGK_ALLOCATIONUSAGEHINT *pAllocationUsageHint;
    UINT AllocationPriority;
#if WDDM_AT_LEAST(WDDM3_0)
    DXGK_ALLOCATIONINFOFLAGS2 Flags2;
#endif
} DXGK_ALLOCATIONINFO;

typedef struct WDDM_LAYOUT _DXGK_CREATEALLOCATIONFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Resource : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_CREATEALLOCATIONFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEALLOCATION {
    const VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    UINT NumAllocations;
    DXGK_ALLOCATIONINFO *pAllocationInfo;
    HANDLE hResource;
    DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;

typedef struct WDDM_LAYOUT _DXGK_DESTROYALLOCATIONFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT DestroyResource : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DESTROYALLOCATIONFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_DESTROYALLOCATION {
    UINT NumAllocations;
    const HANDLE *pAllocationList;
    HANDLE hResource;
    DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;

typedef struct WDDM_LAYOUT _DXGK_OPENALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    HANDLE hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;

typedef struct WDDM_LAYOUT _DXGK_OPENALLOCATIONFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Create : 1;
            UINT ReadOnly : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_OPENALLOCATIONFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_OPENALLOCATION {
    UINT NumAllocations;
    DXGK_OPENALLOCATIONINFO *pOpenAllocation;
    VOID *pPrivateDriverData;
    UINT PrivateDriverSize;
    DXGK_OPENALLOCATIONFLAGS Flags;
#if WDDM_AT_LEAST(WIN8)
    UINT SubresourceIndex;
    SIZE_T SubresourceOffset;
    UINT Pitch;
#endif
} DXGKARG_OPENALLOCATION;

typedef struct WDDM_LAYOUT _DXGKARG_CLOSEALLOCATION {
    UINT NumAllocations;
    const HANDLE *pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;

typedef struct WDDM_LAYOUT _DXGK_ALLOCATIONLIST {
    HANDLE hDeviceSpecificAllocation;
    struct WDDM_LAYOUT {
        UINT WriteOperation : 1;
        UINT SegmentId : 5;
        UINT Reserved : 26;
    };
#if WDDM_AT_LEAST(WDDM2_0)
    union WDDM_LAYOUT {
        PHYSICAL_ADDRESS PhysicalAddress;
        D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
    };
#else
    PHYSICAL_ADDRESS PhysicalAddress;
#endif
} DXGK_ALLOCATIONLIST;

#if WDDM_AT_LEAST(WIN8)
typedef struct WDDM_LAYOUT _DXGK_DESCRIBEALLOCATIONFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CheckDisplayMode : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DESCRIBEALLOCATIONFLAGS;
#endif

typedef struct WDDM_LAYOUT _DXGKARG_DESCRIBEALLOCATION {
    HANDLE hAllocation;
    UINT Width;
    UINT Height;
    D3DDDIFORMAT Format;
    D3DDDI_MULTISAMPLINGMETHOD MultisampleMethod;
    D3DDDI_RATIONAL RefreshRate;
    UINT PrivateDriverFormatAttribute;
#if WDDM_AT_LEAST(WIN8)
    DXGK_DESCRIBEALLOCATIONFLAGS Flags;
    D3DDDI_ROTATION Rotation;
#endif
} DXGKARG_DESCRIBEALLOCATION;

typedef struct WDDM_LAYOUT _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
    D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
    union WDDM_LAYOUT {
        D3DKMDT_SHAREDPRIMARYSURFACEDATA *pCreateSharedPrimarySurfaceData;
        D3DKMDT_SHADOWSURFACEDATA *pCreateShadowSurfaceData;
        D3DKMDT_STAGINGSURFACEDATA *pCreateStagingSurfaceData;
#if WDDM_AT_LEAST(WIN7)
        D3DKMDT_GDISURFACEDATA *pCreateGdiSurfaceData;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
        D3DKMDT_VIRTUALGPUSURFACEDATA *pCreateVirtualGpuSurfaceData;
#endif
    };
    VOID *pAllocationPrivateDriverData;
    UINT AllocationPrivateDriverDataSize;
    VOID *pResourcePrivateDriverData;
    UINT ResourcePrivateDriverDataSize;
#if WDDM_AT_LEAST(WDDM2_2)
    UINT PhysicalAdapterIndex;
#endif
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

#if WDDM_AT_LEAST(WDDM2_1)
typedef struct WDDM_LAYOUT _DXGKARG_VALIDATEUPDATEALLOCPROPERTY {
    HANDLE hAllocation;
    UINT SupportedSegmentSet;
    D3DDDI_SEGMENTPREFERENCE PreferredSegment;
    D3DDDI_UPDATEALLOCPROPERTY_FLAGS Flags;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SetAccessedPhysically : 1;
            UINT SetSupportedSegmentSet : 1;
            UINT SetPreferredSegment : 1;
            UINT Reserved : 29;
        };
        UINT PropertyMaskValue;
    };
} DXGKARG_VALIDATEUPDATEALLOCPROPERTY;
#endif

#if WDDM_AT_LEAST(WDDM3_0)
typedef struct WDDM_LAYOUT _DXGKARG_SETALLOCATIONBACKINGSTORE {
    HANDLE hDriverAllocation;
    PVOID pBackingStore;
} DXGKARG_SETALLOCATIONBACKINGSTORE;
#endif

WDDM_END_DECLS

#endif
