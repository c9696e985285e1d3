/* SPDX-License-Identifier: MIT */
/*
 * Types shared by kernel-mode and user-mode display drivers, as far as the memory path needs them:
 * formats, GPU addresses, page-table entries, residency and GPU virtual address requests.
 * Reference: the d3dukmdt pages.
 */
#ifndef WDDM_D3DUKMDT_H
#define WDDM_D3DUKMDT_H

#include "windef.h"
#include "wddm_version.h"

WDDM_BEGIN_DECLS

typedef UINT D3DKMT_HANDLE;
typedef UINT D3DDDI_VIDEO_PRESENT_SOURCE_ID;
typedef UINT D3DDDI_VIDEO_PRESENT_TARGET_ID;
typedef ULONGLONG D3DGPU_VIRTUAL_ADDRESS;
typedef ULONGLONG D3DGPU_SIZE_T;

#define D3DDDI_ID_UNINITIALIZED         ((UINT)~0u)
#define D3DDDI_ID_NOTAPPLICABLE         ((UINT)0)
#define D3DDDI_ID_ALL                   ((UINT)~1u)
#define D3DGPU_NULL                     0
#define D3DGPU_UNIQUE_DRIVER_PROTECTION 0x8000000000000000ull
#define D3DDDI_MAX_WRITTEN_PRIMARIES    16

#ifndef MAKEFOURCC
#define MAKEFOURCC(a, b, c, d)                                                                     \
    ((INT)((UINT)(UCHAR)(a) | ((UINT)(UCHAR)(b) << 8) | ((UINT)(UCHAR)(c) << 16) |                 \
           ((UINT)(UCHAR)(d) << 24)))
#endif

typedef enum _D3DDDIFORMAT {
    D3DDDIFMT_UNKNOWN = 0,
    D3DDDIFMT_R8G8B8 = 20,
    D3DDDIFMT_A8R8G8B8 = 21,
    D3DDDIFMT_X8R8G8B8 = 22,
    D3DDDIFMT_R5G6B5 = 23,
    D3DDDIFMT_X1R5G5B5 = 24,
    D3DDDIFMT_A1R5G5B5 = 25,
    D3DDDIFMT_A4R4G4B4 = 26,
    D3DDDIFMT_R3G3B2 = 27,
    D3DDDIFMT_A8 = 28,
    D3DDDIFMT_A8R3G3B2 = 29,
    D3DDDIFMT_X4R4G4B4 = 30,
    D3DDDIFMT_A2B10G10R10 = 31,
    D3DDDIFMT_A8B8G8R8 = 32,
    D3DDDIFMT_X8B8G8R8 = 33,
    D3DDDIFMT_G16R16 = 34,
    D3DDDIFMT_A2R10G10B10 = 35,
    D3DDDIFMT_A16B16G16R16 = 36,
    D3DDDIFMT_A8P8 = 40,
    D3DDDIFMT_P8 = 41,
    D3DDDIFMT_L8 = 50,
    D3DDDIFMT_A8L8 = 51,
    D3DDDIFMT_A4L4 = 52,
    D3DDDIFMT_V8U8 = 60,
    D3DDDIFMT_L6V5U5 = 61,
    D3DDDIFMT_X8L8V8U8 = 62,
    D3DDDIFMT_Q8W8V8U8 = 63,
    D3DDDIFMT_V16U16 = 64,
    D3DDDIFMT_W11V11U10 = 65,
    D3DDDIFMT_A2W10V10U10 = 67,
    D3DDDIFMT_UYVY = MAKEFOURCC('U', 'Y', 'V', 'Y'),
    D3DDDIFMT_R8G8_B8G8 = MAKEFOURCC('R', 'G', 'B', 'G'),
    D3DDDIFMT_YUY2 = MAKEFOURCC('Y', 'U', 'Y', '2'),
    D3DDDIFMT_G8R8_G8B8 = MAKEFOURCC('G', 'R', 'G', 'B'),
    D3DDDIFMT_DXT1 = MAKEFOURCC('D', 'X', 'T', '1'),
    D3DDDIFMT_DXT2 = MAKEFOURCC('D', 'X', 'T', '2'),
    D3DDDIFMT_DXT3 = MAKEFOURCC('D', 'X', 'T', '3'),
    D3DDDIFMT_DXT4 = MAKEFOURCC('D', 'X', 'T', '4'),
    D3DDDIFMT_DXT5 = MAKEFOURCC('D', 'X', 'T', '5'),
    D3DDDIFMT_D16_LOCKABLE = 70,
    D3DDDIFMT_D32 = 71,
    D3DDDIFMT_S1D15 = 72,
    D3DDDIFMT_D15S1 = 73,
    D3DDDIFMT_S8D24 = 74,
    D3DDDIFMT_D24S8 = 75,
    D3DDDIFMT_X8D24 = 76,
    D3DDDIFMT_D24X8 = 77,
    D3DDDIFMT_X4S4D24 = 78,
    D3DDDIFMT_D24X4S4 = 79,
    D3DDDIFMT_D16 = 80,
    D3DDDIFMT_L16 = 81,
    D3DDDIFMT_D32F_LOCKABLE = 82,
    D3DDDIFMT_D24FS8 = 83,
    D3DDDIFMT_D32_LOCKABLE = 84,
    D3DDDIFMT_S8_LOCKABLE = 85,
    D3DDDIFMT_G8R8 = 91,
    D3DDDIFMT_R8 = 92,
    D3DDDIFMT_VERTEXDATA = 100,
    D3DDDIFMT_INDEX16 = 101,
    D3DDDIFMT_INDEX32 = 102,
    D3DDDIFMT_Q16W16V16U16 = 110,
    D3DDDIFMT_R16F = 111,
    D3DDDIFMT_G16R16F = 112,
    D3DDDIFMT_A16B16G16R16F = 113,
    D3DDDIFMT_R32F = 114,
    D3DDDIFMT_G32R32F = 115,
    D3DDDIFMT_A32B32G32R32F = 116,
    D3DDDIFMT_CxV8U8 = 117,
    D3DDDIFMT_A1 = 118,
    D3DDDIFMT_A2B10G10R10_XR_BIAS = 119,
    D3DDDIFMT_DXVACOMPBUFFER_BASE = 150,
    D3DDDIFMT_PICTUREPARAMSDATA = 150,
    D3DDDIFMT_MACROBLOCKDATA = 151,
    D3DDDIFMT_RESIDUALDIFFERENCEDATA = 152,
    D3DDDIFMT_DEBLOCKINGDATA = 153,
    D3DDDIFMT_INVERSEQUANTIZATIONDATA = 154,
    D3DDDIFMT_SLICECONTROLDATA = 155,
    D3DDDIFMT_BITSTREAMDATA = 156,
    D3DDDIFMT_MOTIONVECTORBUFFER = 157,
    D3DDDIFMT_FILMGRAINBUFFER = 158,
    D3DDDIFMT_DXVA_RESERVED9 = 159,
    D3DDDIFMT_DXVA_RESERVED10 = 160,
    D3DDDIFMT_DXVA_RESERVED11 = 161,
    D3DDDIFMT_DXVA_RESERVED12 = 162,
    D3DDDIFMT_DXVA_RESERVED13 = 163,
    D3DDDIFMT_DXVA_RESERVED14 = 164,
    D3DDDIFMT_DXVA_RESERVED15 = 165,
    D3DDDIFMT_DXVA_RESERVED16 = 166,
    D3DDDIFMT_DXVA_RESERVED17 = 167,
    D3DDDIFMT_DXVA_RESERVED18 = 168,
    D3DDDIFMT_DXVA_RESERVED19 = 169,
    D3DDDIFMT_DXVA_RESERVED20 = 170,
    D3DDDIFMT_DXVA_RESERVED21 = 171,
    D3DDDIFMT_DXVA_RESERVED22 = 172,
    D3DDDIFMT_DXVA_RESERVED23 = 173,
    D3DDDIFMT_DXVA_RESERVED24 = 174,
    D3DDDIFMT_DXVA_RESERVED25 = 175,
    D3DDDIFMT_DXVA_RESERVED26 = 176,
    D3DDDIFMT_DXVA_RESERVED27 = 177,
    D3DDDIFMT_DXVA_RESERVED28 = 178,
    D3DDDIFMT_DXVA_RESERVED29 = 179,
    D3DDDIFMT_DXVA_RESERVED30 = 180,
    D3DDDIFMT_DXVA_RESERVED31 = 181,
    D3DDDIFMT_DXVACOMPBUFFER_MAX = D3DDDIFMT_DXVA_RESERVED31,
    D3DDDIFMT_BINARYBUFFER = 199,
    D3DDDIFMT_FORCE_UINT = 0x7fffffff,
} D3DDDIFORMAT;

typedef enum _D3DDDI_ROTATION {
    D3DDDI_ROTATION_IDENTITY = 1,
    D3DDDI_ROTATION_90 = 2,
    D3DDDI_ROTATION_180 = 3,
    D3DDDI_ROTATION_270 = 4
} D3DDDI_ROTATION;

typedef enum D3DDDI_FLIPINTERVAL_TYPE {
    D3DDDI_FLIPINTERVAL_IMMEDIATE = 0,
    D3DDDI_FLIPINTERVAL_ONE = 1,
    D3DDDI_FLIPINTERVAL_TWO = 2,
    D3DDDI_FLIPINTERVAL_THREE = 3,
    D3DDDI_FLIPINTERVAL_FOUR = 4,
#if WDDM_AT_LEAST(WDDM2_0)
    D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING = 5
#endif
} D3DDDI_FLIPINTERVAL_TYPE;

typedef struct WDDM_LAYOUT _D3DDDI_RATIONAL {
    UINT Numerator;
    UINT Denominator;
} D3DDDI_RATIONAL;

typedef struct WDDM_LAYOUT _D3DDDI_MULTISAMPLINGMETHOD {
    UINT NumSamples;
    UINT NumQualityLevels;
} D3DDDI_MULTISAMPLINGMETHOD;

typedef struct WDDM_LAYOUT _D3DDDIRECT {
    LONG left;
    LONG top;
    LONG right;
    LONG bottom;
} D3DDDIRECT;

/* Allocation priorities; every value between them is legal. */
#define D3DDDI_ALLOCATIONPRIORITY_MINIMUM 0x28000000
#define D3DDDI_ALLOCATIONPRIORITY_LOW     0x50000000
#define D3DDDI_ALLOCATIONPRIORITY_NORMAL  0x78000000
#define D3DDDI_ALLOCATIONPRIORITY_HIGH    0xA0000000
#define D3DDDI_ALLOCATIONPRIORITY_MAXIMUM 0xC8000000

/* Up to five preferred segments, best first; id 0 ends the list. */
typedef struct WDDM_LAYOUT _D3DDDI_SEGMENTPREFERENCE {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SegmentId0 : 5;
            UINT Direction0 : 1;
            UINT SegmentId1 : 5;
            UINT Direction1 : 1;
            UINT SegmentId2 : 5;
            UINT Direction2 : 1;
            UINT SegmentId3 : 5;
            UINT Direction3 : 1;
            UINT SegmentId4 : 5;
            UINT Direction4 : 1;
            UINT Reserved : 2;
        };
        UINT Value;
    };
} D3DDDI_SEGMENTPREFERENCE, DXGK_SEGMENTPREFERENCE, *PDXGK_SEGMENTPREFERENCE;

typedef struct WDDM_LAYOUT _D3DDDI_ALLOCATIONLIST {
    D3DKMT_HANDLE hAllocation;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT WriteOperation : 1;
            UINT DoNotRetireInstance : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT OfferPriority : 3;
            UINT Reserved : 27;
#else
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    };
} D3DDDI_ALLOCATIONLIST;

typedef struct WDDM_LAYOUT _D3DDDI_PATCHLOCATIONLIST {
    UINT AllocationIndex;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SlotId : 24;
            UINT Reserved : 8;
        };
        UINT Value;
    };
    UINT DriverId;
    UINT AllocationOffset;
    UINT PatchOffset;
    UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

typedef struct WDDM_LAYOUT _D3DDDICB_LOCKFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ReadOnly : 1;
            UINT WriteOnly : 1;
            UINT DonotWait : 1;
            UINT IgnoreSync : 1;
            UINT LockEntire : 1;
            UINT DonotEvict : 1;
            UINT AcquireAperture : 1;
            UINT Discard : 1;
            UINT NoExistingReference : 1;
            UINT UseAlternateVA : 1;
            UINT IgnoreReadSync : 1;
            UINT Reserved : 21;
        };
        UINT Value;
    };
} D3DDDICB_LOCKFLAGS;

typedef struct WDDM_LAYOUT _D3DDDICB_LOCK2FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DDDICB_LOCK2FLAGS;

typedef struct WDDM_LAYOUT _D3DDDI_ESCAPEFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT HardwareAccess : 1;
#if WDDM_AT_LEAST(WDDM1_3)
            UINT DeviceStatusQuery : 1;
            UINT ChangeFrameLatency : 1;
#if WDDM_AT_LEAST(WDDM2_2)
            UINT NoAdapterSynchronization : 1;
            UINT VirtualMachineData : 1;
            UINT DriverKnownEscape : 1;
            UINT DriverCommonEscape : 1;
            UINT Reserved : 25;
#else
            UINT Reserved : 29;
#endif
#else
            UINT Reserved : 31;
#endif
        };
        UINT Value;
    };
} D3DDDI_ESCAPEFLAGS;

typedef enum _D3DDDI_OFFER_PRIORITY {
    D3DDDI_OFFER_PRIORITY_NONE = 0,
    D3DDDI_OFFER_PRIORITY_LOW = 1,
    D3DDDI_OFFER_PRIORITY_NORMAL = 2,
    D3DDDI_OFFER_PRIORITY_HIGH = 3,
    D3DDDI_OFFER_PRIORITY_AUTO = 4
} D3DDDI_OFFER_PRIORITY;

typedef enum _D3DDDI_RECLAIM_RESULT {
    D3DDDI_RECLAIM_RESULT_OK = 0,
    D3DDDI_RECLAIM_RESULT_DISCARDED = 1,
    D3DDDI_RECLAIM_RESULT_NOT_COMMITTED = 2
} D3DDDI_RECLAIM_RESULT;

/* A place in GPU memory: segment 0 is system memory, the offset counts from the start of the
 * segment. */
typedef struct WDDM_LAYOUT _D3DGPU_PHYSICAL_ADDRESS {
    UINT SegmentId;
    UINT Padding;
    UINT64 SegmentOffset;
} D3DGPU_PHYSICAL_ADDRESS;

#if WDDM_AT_LEAST(WIN7)

typedef enum _DXGK_PTE_PAGE_SIZE {
    DXGK_PTE_PAGE_TABLE_PAGE_4KB = 0,
    DXGK_PTE_PAGE_TABLE_PAGE_64KB = 1
} DXGK_PTE_PAGE_SIZE;

/* The OS form of a page-table entry. PageAddress and PageTableAddress count 4 KB pages, see
 * README.md. */
typedef struct WDDM_LAYOUT _DXGK_PTE {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            ULONGLONG Valid : 1;
            ULONGLONG Zero : 1;
            ULONGLONG CacheCoherent : 1;
            ULONGLONG ReadOnly : 1;
            ULONGLONG NoExecute : 1;
            ULONGLONG Segment : 5;
            ULONGLONG LargePage : 1;
            ULONGLONG PhysicalAdapterIndex : 6;
            ULONGLONG PageTablePageSize : 2; /* DXGK_PTE_PAGE_SIZE */
            ULONGLONG SystemReserved0 : 1;
            ULONGLONG Reserved : 44;
        };
        ULONGLONG Flags;
    };
    union WDDM_LAYOUT {
        ULONGLONG PageAddress;
        ULONGLONG PageTableAddress;
    };
} DXGK_PTE;

#endif

#if WDDM_AT_LEAST(WDDM2_0)

typedef struct WDDM_LAYOUT _D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT64 Write : 1;
            UINT64 Execute : 1;
            UINT64 Zero : 1;
            UINT64 NoAccess : 1;
            UINT64 SystemUseOnly : 1;
            UINT64 Reserved : 59;
        };
        UINT64 Value;
    };
} D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE;

typedef enum _D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE {
    D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS = 0,
    D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO = 1,
    D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT = 2
} D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE;

typedef enum D3DDDI_PAGINGQUEUE_PRIORITY {
    D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL = -1,
    D3DDDI_PAGINGQUEUE_PRIORITY_NORMAL = 0,
    D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL = 1
} D3DDDI_PAGINGQUEUE_PRIORITY;

typedef struct WDDM_LAYOUT D3DDDI_MAKERESIDENT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CantTrimFurther : 1;
            UINT MustSucceed : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_MAKERESIDENT_FLAGS;

typedef struct WDDM_LAYOUT D3DDDI_MAKERESIDENT {
    D3DKMT_HANDLE hPagingQueue;
    UINT NumAllocations;
    const D3DKMT_HANDLE *AllocationList;
    const UINT *PriorityList;
    D3DDDI_MAKERESIDENT_FLAGS Flags;
    UINT64 PagingFenceValue;
    UINT64 NumBytesToTrim;
} D3DDDI_MAKERESIDENT;

typedef struct WDDM_LAYOUT D3DDDI_EVICT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT EvictOnlyIfNecessary : 1;
            UINT NotWrittenTo : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_EVICT_FLAGS;

typedef struct WDDM_LAYOUT D3DDDI_TRIMRESIDENCYSET_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT PeriodicTrim : 1;
            UINT RestartPeriodicTrim : 1;
            UINT TrimToBudget : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} D3DDDI_TRIMRESIDENCYSET_FLAGS;

typedef struct WDDM_LAYOUT D3DDDI_MAPGPUVIRTUALADDRESS {
    D3DKMT_HANDLE hPagingQueue;
    D3DGPU_VIRTUAL_ADDRESS BaseAddress;
    D3DGPU_VIRTUAL_ADDRESS MinimumAddress;
    D3DGPU_VIRTUAL_ADDRESS MaximumAddress;
    D3DKMT_HANDLE hAllocation;
    D3DGPU_SIZE_T OffsetInPages;
    D3DGPU_SIZE_T SizeInPages;
    D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
    UINT64 DriverProtection;
    UINT Reserved0;
    UINT64 Reserved1;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
    UINT64 PagingFenceValue;
} D3DDDI_MAPGPUVIRTUALADDRESS;

typedef struct WDDM_LAYOUT D3DDDI_RESERVEGPUVIRTUALADDRESS {
    union WDDM_LAYOUT {
        D3DKMT_HANDLE hPagingQueue;
        D3DKMT_HANDLE hAdapter;
    };
    D3DGPU_VIRTUAL_ADDRESS BaseAddress;
    D3DGPU_VIRTUAL_ADDRESS MinimumAddress;
    D3DGPU_VIRTUAL_ADDRESS MaximumAddress;
    D3DGPU_SIZE_T Size;
    union WDDM_LAYOUT {
        D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE ReservationType;
        UINT Reserved0;
    };
    union WDDM_LAYOUT {
        UINT64 DriverProtection;
        UINT64 Reserved1;
    };
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
    union WDDM_LAYOUT {
        UINT64 PagingFenceValue;
        UINT64 Reserved2;
    };
} D3DDDI_RESERVEGPUVIRTUALADDRESS;

typedef enum _D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE {
    D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP = 0,
    D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP = 1,
    D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY = 2,
    D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT = 3
} D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE;

typedef struct WDDM_LAYOUT _D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION {
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE OperationType;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            D3DGPU_VIRTUAL_ADDRESS BaseAddress;
            D3DGPU_SIZE_T SizeInBytes;
            D3DKMT_HANDLE hAllocation;
            D3DGPU_SIZE_T AllocationOffsetInBytes;
            D3DGPU_SIZE_T AllocationSizeInBytes;
        } Map;
        struct WDDM_LAYOUT {
            D3DGPU_VIRTUAL_ADDRESS BaseAddress;
            D3DGPU_SIZE_T SizeInBytes;
            D3DKMT_HANDLE hAllocation;
            D3DGPU_SIZE_T AllocationOffsetInBytes;
            D3DGPU_SIZE_T AllocationSizeInBytes;
            D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
            UINT64 DriverProtection;
        } MapProtect;
        struct WDDM_LAYOUT {
            D3DGPU_VIRTUAL_ADDRESS BaseAddress;
            D3DGPU_SIZE_T SizeInBytes;
            D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
        } Unmap;
        struct WDDM_LAYOUT {
            union WDDM_LAYOUT {
                D3DGPU_VIRTUAL_ADDRESS SourceAddress;
                D3DGPU_VIRTUAL_ADDRESS BaseAddress; /* the older name of the source */
            };
            D3DGPU_SIZE_T SizeInBytes;
            D3DGPU_VIRTUAL_ADDRESS DestAddress;
        } Copy;
    };
} D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

typedef struct WDDM_LAYOUT _D3DDDI_UPDATEALLOCPROPERTY_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT AccessedPhysically : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_UPDATEALLOCPROPERTY_FLAGS;

typedef struct WDDM_LAYOUT D3DDDI_UPDATEALLOCPROPERTY {
    D3DKMT_HANDLE hPagingQueue;
    D3DKMT_HANDLE hAllocation;
    UINT SupportedSegmentSet;
    DXGK_SEGMENTPREFERENCE PreferredSegment;
    D3DDDI_UPDATEALLOCPROPERTY_FLAGS Flags;
    UINT64 PagingFenceValue;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SetAccessedPhysically : 1;
            UINT SetSupportedSegmentSet : 1;
            UINT SetPreferredSegment : 1;
            UINT Reserved : 29;
        };
        UINT PropertyMaskValue;
    };
} D3DDDI_UPDATEALLOCPROPERTY;

#endif

WDDM_END_DECLS

#endif
