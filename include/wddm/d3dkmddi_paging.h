/* SPDX-License-Identifier: MIT */
/*
 * BuildPagingBuffer: the operation, its flag sets and the argument with one union arm for each
 * operation. Page _dxgkarg_buildpagingbuffer; offsets are asserted in tests/contract/layout.c.
 */
#ifndef WDDM_D3DKMDDI_PAGING_H
#define WDDM_D3DKMDDI_PAGING_H

#include "ntddk.h"
#include "d3dkmddi_gpummu.h"

WDDM_BEGIN_DECLS

typedef enum _DXGK_BUILDPAGINGBUFFER_OPERATION {
    DXGK_OPERATION_TRANSFER = 0,
    DXGK_OPERATION_FILL = 1,
    DXGK_OPERATION_DISCARD_CONTENT = 2,
    DXGK_OPERATION_READ_PHYSICAL = 3,
    DXGK_OPERATION_WRITE_PHYSICAL = 4,
    DXGK_OPERATION_MAP_APERTURE_SEGMENT = 5,
    DXGK_OPERATION_UNMAP_APERTURE_SEGMENT = 6,
    DXGK_OPERATION_SPECIAL_LOCK_TRANSFER = 7,
#if WDDM_AT_LEAST(WIN7)
    DXGK_OPERATION_VIRTUAL_TRANSFER = 8,
    DXGK_OPERATION_VIRTUAL_FILL = 9,
#endif
#if WDDM_AT_LEAST(WIN8)
    DXGK_OPERATION_INIT_CONTEXT_RESOURCE = 10,
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    DXGK_OPERATION_UPDATE_PAGE_TABLE = 11,
    DXGK_OPERATION_FLUSH_TLB = 12,
    DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION = 13,
    DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES = 14,
    DXGK_OPERATION_NOTIFY_RESIDENCY = 15,
#endif
#if WDDM_AT_LEAST(WDDM2_2)
    DXGK_OPERATION_SIGNAL_MONITORED_FENCE = 16,
#endif
#if WDDM_AT_LEAST(WDDM2_9)
    DXGK_OPERATION_MAP_APERTURE_SEGMENT2 = 17,
#endif
#if WDDM_AT_LEAST(WDDM3_1)
    DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY = 18,
#endif
#if WDDM_AT_LEAST(WDDM3_2)
    DXGK_OPERATION_MAP_MMU = 19,
    DXGK_OPERATION_UNMAP_MMU = 20,
    DXGK_OPERATION_NOTIFY_RESIDENCY2 = 21,
    DXGK_OPERATION_NOTIFY_ALLOC = 22,
#endif
} DXGK_BUILDPAGINGBUFFER_OPERATION;

typedef struct WDDM_LAYOUT _DXGK_TRANSFERFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Swizzle : 1;
            UINT Unswizzle : 1;
            UINT AllocationIsIdle : 1;
            UINT TransferStart : 1;
            UINT TransferEnd : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} DXGK_TRANSFERFLAGS;
typedef struct WDDM_LAYOUT _DXGK_DISCARDCONTENTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT AllocationIsIdle : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DISCARDCONTENTFLAGS;
typedef struct WDDM_LAYOUT _DXGK_MAPAPERTUREFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CacheCoherent : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_MAPAPERTUREFLAGS;

#if WDDM_AT_LEAST(WDDM2_0)

typedef enum _DXGK_MEMORY_TRANSFER_DIRECTION {
    DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM = 0,
    DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL = 1,
    DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL = 2
} DXGK_MEMORY_TRANSFER_DIRECTION;

typedef struct WDDM_LAYOUT _DXGK_TRANSFERVIRTUALFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Src64KBPages : 1;
            UINT Dst64KBPages : 1;
            UINT Reserved : 30;
        };
        UINT Flags;
    };
} DXGK_TRANSFERVIRTUALFLAGS;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL {
    HANDLE hAllocation;
    UINT64 AllocationOffsetInBytes;
    UINT64 TransferSizeInBytes;
    D3DGPU_VIRTUAL_ADDRESS SourceVirtualAddress;
    D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
    D3DGPU_VIRTUAL_ADDRESS SourcePageTable;
    DXGK_MEMORY_TRANSFER_DIRECTION TransferDirection;
    DXGK_TRANSFERVIRTUALFLAGS Flags;
    D3DGPU_VIRTUAL_ADDRESS DestinationPageTable;
} DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL {
    HANDLE hAllocation;
    UINT64 AllocationOffsetInBytes;
    UINT64 FillSizeInBytes;
    UINT FillPattern;
    D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE {
    UINT PageTableLevel;
    HANDLE hAllocation;
    DXGK_PAGETABLEUPDATEADDRESS PageTableAddress;
    DXGK_PTE *pPageTableEntries;
    UINT StartIndex;
    UINT NumPageTableEntries;
    UINT Reserved0;
    DXGK_UPDATEPAGETABLEFLAGS Flags;
    UINT64 DriverProtection;
    UINT64 AllocationOffsetInBytes;
    HANDLE hProcess;
    DXGK_PAGETABLEUPDATEMODE UpdateMode;
    DXGK_PTE *pPageTableEntries64KB;
    D3DGPU_VIRTUAL_ADDRESS FirstPteVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
    D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
    HANDLE hProcess;
    D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress;
    D3DGPU_VIRTUAL_ADDRESS EndVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FLUSHTLB;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_COPY_RANGE {
    UINT NumPageTableEntries;
    D3DGPU_VIRTUAL_ADDRESS SrcPageTableAddress;
    D3DGPU_VIRTUAL_ADDRESS DstPageTableAddress;
    UINT SrcStartPteIndex;
    UINT DstStartPteIndex;
} DXGK_BUILDPAGINGBUFFER_COPY_RANGE;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES {
    UINT NumRanges;
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE *pRanges;
} DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION {
    D3DGPU_VIRTUAL_ADDRESS ContextAllocation;
    UINT64 ContextAllocationSize;
    PVOID pDriverPrivateData;
    UINT DriverPrivateDataSize;
} DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY {
    HANDLE hAllocation;
    D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
    struct WDDM_LAYOUT {
        UINT Resident : 1;
        UINT Reserved : 31;
    };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY;

#endif

#if WDDM_AT_LEAST(WDDM2_2)
typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE {
    D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
    UINT64 MonitoredFenceValue;
} DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE;
#endif

#if WDDM_AT_LEAST(WDDM2_9)
typedef ULONG_PTR DXGK_PAGE_NUMBER;

typedef struct WDDM_LAYOUT _DXGK_ADL_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Contiguous : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_ADL_FLAGS;

/* Address descriptor list: logical page numbers, one run or one by one. */
typedef struct WDDM_LAYOUT _DXGK_ADL {
    UINT32 PageCount;
    DXGK_ADL_FLAGS Flags;
    union WDDM_LAYOUT {
        DXGK_PAGE_NUMBER BasePageNumber;
        const DXGK_PAGE_NUMBER *Pages;
    };
} DXGK_ADL;
#endif

#if WDDM_AT_LEAST(WDDM3_1)
/* Not published: at least what a native fence needs to be found again. Only the name of the arm is
 * a fact. */
typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY {
    HANDLE hNativeFence;
    D3DGPU_VIRTUAL_ADDRESS CurrentValueGpuVa;
    D3DGPU_VIRTUAL_ADDRESS MonitoredValueGpuVa;
    D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
    struct WDDM_LAYOUT {
        UINT Resident : 1;
        UINT Reserved : 31;
    };
} DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY;
#endif

#if WDDM_AT_LEAST(WDDM3_2)
/* The layouts of the three MMU arms are not published either: members are our reading, see
 * README.md. */
typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_MAPMMU {
    HANDLE hAllocation;
    UINT MmuId;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
    UINT64 OffsetInPages;
    UINT64 NumberOfPages;
    DXGK_ADL Adl;
} DXGK_BUILDPAGINGBUFFER_MAPMMU;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_UNMAPMMU {
    HANDLE hAllocation;
    UINT MmuId;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
    UINT64 NumberOfPages;
} DXGK_BUILDPAGINGBUFFER_UNMAPMMU;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 {
    HANDLE hAllocation;
    D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
    UINT64 OffsetInBytes;
    UINT64 SizeInBytes;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
    struct WDDM_LAYOUT {
        UINT Resident : 1;
        UINT Reserved : 31;
    };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2;

typedef struct WDDM_LAYOUT _DXGK_NOTIFYALLOCFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Eviction : 1;
            UINT IoMmuUnmap : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_NOTIFYALLOCFLAGS;

typedef struct WDDM_LAYOUT _DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC {
    HANDLE hAllocation;
    HANDLE hKmdProcessHandle;
    DXGK_NOTIFYALLOCFLAGS Flags;
    UINT64 OffsetInBytes;
    UINT64 SizeInBytes;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddressAtOffset;
} DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC;
#endif

/* Which old interface first had hSystemContext is not known; the page lists it without a
 * version. */
#ifndef WDDM_PAGING_HAS_SYSTEM_CONTEXT
#define WDDM_PAGING_HAS_SYSTEM_CONTEXT 1
#endif

typedef struct WDDM_LAYOUT _DXGKARG_BUILDPAGINGBUFFER {
    VOID *pDmaBuffer;            /* in and out: past what was written */
    UINT DmaSize;                /* bytes left */
    VOID *pDmaBufferPrivateData; /* in and out */
    UINT DmaBufferPrivateDataSize;
    DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
    UINT MultipassOffset; /* in and out */
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            HANDLE hAllocation;
            UINT TransferOffset;
            SIZE_T TransferSize;
            struct WDDM_LAYOUT {
                UINT SegmentId;
                union WDDM_LAYOUT {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Source;
            struct WDDM_LAYOUT {
                UINT SegmentId;
                union WDDM_LAYOUT {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Destination;
            DXGK_TRANSFERFLAGS Flags;
            UINT MdlOffset;
        } Transfer;
        struct WDDM_LAYOUT {
            HANDLE hAllocation;
            SIZE_T FillSize;
            UINT FillPattern;
            struct WDDM_LAYOUT {
                UINT SegmentId;
                LARGE_INTEGER SegmentAddress;
            } Destination;
        } Fill;
        struct WDDM_LAYOUT {
            HANDLE hAllocation;
            DXGK_DISCARDCONTENTFLAGS Flags;
            UINT SegmentId;
            PHYSICAL_ADDRESS SegmentAddress;
        } DiscardContent;
        struct WDDM_LAYOUT {
            UINT SegmentId;
            PHYSICAL_ADDRESS PhysicalAddress;
        } ReadPhysical;
        struct WDDM_LAYOUT {
            UINT SegmentId;
            PHYSICAL_ADDRESS PhysicalAddress;
        } WritePhysical;
        struct WDDM_LAYOUT {
            HANDLE hDevice;
            HANDLE hAllocation;
            UINT SegmentId;
            SIZE_T OffsetInPages;
            SIZE_T NumberOfPages;
            PMDL pMdl;
            DXGK_MAPAPERTUREFLAGS Flags;
            ULONG MdlOffset;
        } MapApertureSegment;
        struct WDDM_LAYOUT {
            HANDLE hDevice;
            HANDLE hAllocation;
            UINT SegmentId;
            SIZE_T OffsetInPages;
            SIZE_T NumberOfPages;
            PHYSICAL_ADDRESS DummyPage;
        } UnmapApertureSegment;
        struct WDDM_LAYOUT {
            HANDLE hAllocation;
            UINT TransferOffset;
            SIZE_T TransferSize;
            struct WDDM_LAYOUT {
                UINT SegmentId;
                union WDDM_LAYOUT {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Source;
            struct WDDM_LAYOUT {
                UINT SegmentId;
                union WDDM_LAYOUT {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Destination;
            DXGK_TRANSFERFLAGS Flags;
            UINT SwizzlingRangeId;
            UINT SwizzlingRangeData;
        } SpecialLockTransfer;
#if WDDM_AT_LEAST(WIN8)
        struct WDDM_LAYOUT {
            HANDLE hAllocation;
            struct WDDM_LAYOUT {
                UINT SegmentId;
                union WDDM_LAYOUT {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
                PVOID VirtualAddress;
#if WDDM_AT_LEAST(WDDM2_0)
                D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
#endif
            } Destination;
        } InitContextResource;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
        DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL TransferVirtual;
        DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL FillVirtual;
        DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE UpdatePageTable;
        DXGK_BUILDPAGINGBUFFER_FLUSHTLB FlushTlb;
        DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES CopyPageTableEntries;
        DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION UpdateContextAllocation;
        DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY NotifyResidency;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
        DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE SignalMonitoredFence;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
        struct WDDM_LAYOUT {
            HANDLE hDevice;
            HANDLE hAllocation;
            UINT SegmentId;
            SIZE_T OffsetInPages;
            SIZE_T NumberOfPages;
            DXGK_ADL Adl;
            DXGK_MAPAPERTUREFLAGS Flags;
            ULONG AdlOffset;
            PVOID CpuVisibleAddress;
        } MapApertureSegment2;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
        DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY NotifyFenceResidency;
#endif
#if WDDM_AT_LEAST(WDDM3_2)
        DXGK_BUILDPAGINGBUFFER_MAPMMU MapMmu;
        DXGK_BUILDPAGINGBUFFER_UNMAPMMU UnmapMmu;
        DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 NotifyResidency2;
        DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC NotifyAllocation;
#endif
        struct WDDM_LAYOUT {
            UINT Reserved[64];
        } Reserved;
    };
#if WDDM_PAGING_HAS_SYSTEM_CONTEXT
    HANDLE hSystemContext;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
    UINT DmaBufferWriteOffset;
#endif
} DXGKARG_BUILDPAGINGBUFFER;

WDDM_END_DECLS

#endif
