/* SPDX-License-Identifier: MIT */
/* GPU page tables: capabilities, levels, update modes and physical adapters. Pages _dxgk_gpummucaps
 * and neighbours. */
#ifndef WDDM_D3DKMDDI_GPUMMU_H
#define WDDM_D3DKMDDI_GPUMMU_H

#include "d3dkmddi_segment.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM2_0)

#define DXGK_MIN_PAGE_TABLE_LEVEL_COUNT 2
#define DXGK_MAX_PAGE_TABLE_LEVEL_COUNT 6 /* not published; our limit */

typedef enum _DXGK_PAGETABLEUPDATEMODE {
    DXGK_PAGETABLEUPDATE_CPU_VIRTUAL = 0,
    DXGK_PAGETABLEUPDATE_GPU_VIRTUAL = 1,
    DXGK_PAGETABLEUPDATE_GPU_PHYSICAL = 2
} DXGK_PAGETABLEUPDATEMODE;

typedef struct WDDM_LAYOUT _DXGK_QUERYGPUMMUCAPSIN {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYGPUMMUCAPSIN;

typedef struct WDDM_LAYOUT _DXGK_GPUMMUCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ReadOnlyMemorySupported : 1;
            UINT NoExecuteMemorySupported : 1;
            UINT ZeroInPteSupported : 1;
            UINT ExplicitPageTableInvalidation : 1;
            UINT CacheCoherentMemorySupported : 1;
            UINT PageTableUpdateRequireAddressSpaceIdle : 1;
            UINT LargePageSupported : 1;
            UINT DualPteSupported : 1;
#if WDDM_AT_LEAST(WDDM2_1)
            UINT AllowNonAlignedLargePageAddress : 1;
            UINT SysMem64KBPageSupported : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_6)
            UINT InvalidTlbEntriesNotCached : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
            UINT SysMemLargePageSupported : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
            UINT CachedPageTables : 1;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
            UINT Reserved : 19;
#elif WDDM_AT_LEAST(WDDM2_9)
            UINT Reserved : 20;
#elif WDDM_AT_LEAST(WDDM2_6)
            UINT Reserved : 21;
#elif WDDM_AT_LEAST(WDDM2_1)
            UINT Reserved : 22;
#else
            UINT Reserved : 24;
#endif
        };
        UINT Value;
    };
    DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
    UINT VirtualAddressBitCount;
    UINT LeafPageTableSizeFor64KPagesInBytes;
    UINT PageTableLevelCount;
    struct WDDM_LAYOUT {
        UINT SourcePageTableVaInTransfer : 1;
        UINT Reserved : 31;
    } LegacyBehaviors;
} DXGK_GPUMMUCAPS;

typedef struct WDDM_LAYOUT _DXGK_QUERYPAGETABLELEVELDESCIN {
    WORD LevelIndex; /* 0 is the leaf level */
    WORD PhysicalAdapterIndex;
} DXGK_QUERYPAGETABLELEVELDESCIN;

typedef struct WDDM_LAYOUT _DXGK_PAGE_TABLE_LEVEL_DESC {
    UINT PageTableIndexBitCount;
    UINT PageTableSegmentId;
    UINT PagingProcessPageTableSegmentId;
    UINT PageTableSizeInBytes;
    UINT PageTableAlignmentInBytes; /* 0: none */
} DXGK_PAGE_TABLE_LEVEL_DESC;

typedef struct WDDM_LAYOUT _DXGK_QUERYPHYSICALADAPTERCAPSIN {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYPHYSICALADAPTERCAPSIN;

typedef struct WDDM_LAYOUT _DXGK_PHYSICALADAPTERFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT IoMmuSupported : 1;
            UINT GpuMmuSupported : 1;
            UINT MovePagingSupported : 1;
            UINT VPRPagingContextRequired : 1;
            UINT AllowHardwareProtectedNoVpr : 1;
            UINT VirtualCopyEngineSupported : 1;
            UINT GpuVaIommuRequired : 1;
            UINT GpuVaIommuGlobalRequired : 1;
            UINT GpuVaIommuCacheCoherent : 1;
            UINT Reserved : 23;
        };
        UINT Value;
    };
} DXGK_PHYSICALADAPTERFLAGS;

typedef struct WDDM_LAYOUT _DXGK_PHYSICALADAPTERCAPS {
    WORD NumExecutionNodes;
    WORD PagingNodeIndex;
    HANDLE DxgkPhysicalAdapterHandle;
    DXGK_PHYSICALADAPTERFLAGS Flags;
#if WDDM_AT_LEAST(WDDM2_1)
    UINT VPRPagingNode;
#endif
#if WDDM_AT_LEAST(WDDM2_7)
    UINT VirtualCopyNodeIndex;
#endif
} DXGK_PHYSICALADAPTERCAPS;

typedef struct WDDM_LAYOUT _DXGK_PAGETABLEUPDATEADDRESS {
    union WDDM_LAYOUT {
        PVOID CpuVirtual;
        D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
        D3DGPU_VIRTUAL_ADDRESS GpuVirtual;
    };
} DXGK_PAGETABLEUPDATEADDRESS;

typedef struct WDDM_LAYOUT _DXGK_UPDATEPAGETABLEFLAGS {
    UINT Repeat : 1;
    UINT InitialUpdate : 1;
    UINT NotifyEviction : 1;
    UINT Use64KBPages : 1;
#if WDDM_AT_LEAST(WDDM3_1)
    UINT NativeFence : 1;
    UINT Reserved : 27;
#else
    UINT Reserved : 28;
#endif
} DXGK_UPDATEPAGETABLEFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_SETROOTPAGETABLE {
    HANDLE hContext;
    D3DGPU_PHYSICAL_ADDRESS Address;
    UINT NumEntries;
} DXGKARG_SETROOTPAGETABLE;

typedef struct WDDM_LAYOUT _DXGKARG_GETROOTPAGETABLESIZE {
    UINT NumberOfPte; /* in and out */
    UINT PhysicalAdapterIndex;
} DXGKARG_GETROOTPAGETABLESIZE;

#endif

WDDM_END_DECLS

#endif
