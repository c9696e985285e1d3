/* SPDX-License-Identifier: MIT */
/* Memory segments: query arguments, descriptors and flags. Pages _dxgk_querysegment*,
 * _dxgk_segment*. */
#ifndef WDDM_D3DKMDDI_SEGMENT_H
#define WDDM_D3DKMDDI_SEGMENT_H

#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

/* Bit n of a segment set stands for segment id n + 1; id 0 is system memory or "none". */
#define DXGK_SEGMENT_ID_INVALID       0
#define DXGK_SEGMENT_ID_SYSTEMMEMORY  31
#define DXGK_SEGMENT_SET_SYSTEMMEMORY 0x80000000u

typedef struct WDDM_LAYOUT _DXGK_SEGMENTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Aperture : 1;
            UINT Agp : 1;
            UINT CpuVisible : 1;
            UINT UseBanking : 1;
            UINT CacheCoherent : 1;
            UINT PitchAlignment : 1;
            UINT PopulatedFromSystemMemory : 1;
            UINT PreservedDuringStandby : 1;
            UINT PreservedDuringHibernate : 1;
            UINT PartiallyPreservedDuringHibernate : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT DirectFlip : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT Use64KBPages : 1;
            UINT ReservedSysMem : 1;
            UINT SupportsCpuHostAperture : 1;
            UINT SupportsCachedCpuHostAperture : 1;
            UINT ApplicationTarget : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
            UINT VprSupported : 1;
            UINT VprPreservedDuringStandby : 1;
            UINT EncryptedPagingSupported : 1;
            UINT LocalBudgetGroup : 1;
            UINT NonLocalBudgetGroup : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
            UINT PopulatedByReservedDDRByFirmware : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
            UINT Reserved : 10;
#elif WDDM_AT_LEAST(WDDM2_1)
            UINT Reserved : 11;
#elif WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 16;
#elif WDDM_AT_LEAST(WIN8)
            UINT Reserved : 21;
#else
            UINT Reserved : 22;
#endif
        };
        UINT Value;
    };
} DXGK_SEGMENTFLAGS;

typedef struct WDDM_LAYOUT _DXGK_SEGMENTBANKPREFERENCE {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Bank0 : 7;
            UINT Direction0 : 1;
            UINT Bank1 : 7;
            UINT Direction1 : 1;
            UINT Bank2 : 7;
            UINT Direction2 : 1;
            UINT Bank3 : 7;
            UINT Direction3 : 1;
        };
        UINT Value;
    };
} DXGK_SEGMENTBANKPREFERENCE;

/* QUERYSEGMENT (and QUERYSEGMENT3): the AGP aperture found by the system. */
typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTIN {
    PHYSICAL_ADDRESS AgpApertureBase;
    LARGE_INTEGER AgpApertureSize;
    DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;

typedef struct WDDM_LAYOUT _DXGK_SEGMENTDESCRIPTOR {
    PHYSICAL_ADDRESS BaseAddress;
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    SIZE_T Size;
    UINT NbOfBanks;
    SIZE_T *pBankRangeTable;
    SIZE_T CommitLimit;
    DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTOUT {
    UINT NbSegment;
    DXGK_SEGMENTDESCRIPTOR *pSegmentDescriptor;
    UINT PagingBufferSegmentId;
    UINT PagingBufferSize;
    UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;

#if WDDM_AT_LEAST(WIN8)

typedef struct WDDM_LAYOUT _DXGK_SEGMENTDESCRIPTOR3 {
    DXGK_SEGMENTFLAGS Flags;
    PHYSICAL_ADDRESS BaseAddress;
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    SIZE_T Size;
    UINT NbOfBanks;
    SIZE_T *pBankRangeTable;
    SIZE_T CommitLimit;
    SIZE_T SystemMemoryEndAddress;
    SIZE_T Reserved;
} DXGK_SEGMENTDESCRIPTOR3;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTOUT3 {
    UINT NbSegment;
    DXGK_SEGMENTDESCRIPTOR3 *pSegmentDescriptor;
    UINT PagingBufferSegmentId;
    UINT PagingBufferSize;
    UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT3;

#endif

#if WDDM_AT_LEAST(WDDM2_0)

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTIN4 {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;

/* The caller sets SegmentDescriptorStride: walk pSegmentDescriptor by it, never by sizeof. */
typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTOUT4 {
    UINT NbSegment;
    BYTE *pSegmentDescriptor; /* of DXGK_SEGMENTDESCRIPTOR4 */
    UINT PagingBufferSegmentId;
    UINT PagingBufferSize;
    UINT PagingBufferPrivateDataSize;
    SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT4;

typedef struct WDDM_LAYOUT _DXGK_CPUHOSTAPERTURE {
    UINT64 PhysicalAddress;
    UINT32 SizeInPages;
} DXGK_CPUHOSTAPERTURE;

typedef struct WDDM_LAYOUT _DXGK_SEGMENTDESCRIPTOR4 {
    DXGK_SEGMENTFLAGS Flags;
    PHYSICAL_ADDRESS BaseAddress;
    SIZE_T Size;
    SIZE_T CommitLimit;
    SIZE_T SystemMemoryEndAddress;
    union WDDM_LAYOUT {
        PHYSICAL_ADDRESS CpuTranslatedAddress;
        DXGK_CPUHOSTAPERTURE CpuHostAperture;
    };
    UINT NumInvalidMemoryRanges;
#if WDDM_AT_LEAST(WDDM2_1)
    SIZE_T VprRangeStartOffset;
    SIZE_T VprRangeSize;
    UINT VprAlignment;
    UINT NumVprSupported;
    UINT VprReserveSize;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
    UINT NumUEFIFrameBufferRanges;
#endif
} DXGK_SEGMENTDESCRIPTOR4;

typedef struct WDDM_LAYOUT _DXGK_MEMORYRANGE {
    UINT64 SegmentOffset;
    UINT64 SizeInBytes;
} DXGK_MEMORYRANGE;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTMEMORYSTATE {
    WORD DriverSegmentId; /* from 1 */
    WORD PhysicalAdapterIndex;
#if WDDM_AT_LEAST(WDDM2_2)
    union WDDM_LAYOUT {
        UINT NumInvalidMemoryRanges;
        UINT NumUEFIFrameBufferRanges;
    };
#else
    UINT NumInvalidMemoryRanges;
#endif
    DXGK_MEMORYRANGE *pMemoryRanges;
} DXGK_QUERYSEGMENTMEMORYSTATE, DXGK_SEGMENTMEMORYSTATE;

#endif

#if WDDM_AT_LEAST(WDDM3_2)

/*
 * Version 5 of the segment query. Its layout is not published and no size is asserted: the member
 * order is that of drivers seen in public, the types are our reading (README.md).
 */
typedef enum _DXGK_SEGMENTTYPE { DXGK_SEGMENTTYPE_INVALID = 0 } DXGK_SEGMENTTYPE;

typedef enum _DXGK_PAGESIZE { DXGK_PAGESIZE_4KB = 0 } DXGK_PAGESIZE;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTIN5 {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN5;

typedef struct WDDM_LAYOUT _DXGK_SEGMENTDESCRIPTOR5 {
    DXGK_SEGMENTTYPE SegmentType;
    DXGK_SEGMENTFLAGS Flags;
    PHYSICAL_ADDRESS BaseAddress;
    SIZE_T Size;
    SIZE_T SystemMemoryEndAddress;
    union WDDM_LAYOUT {
        PHYSICAL_ADDRESS CpuTranslatedAddress;
        DXGK_CPUHOSTAPERTURE CpuHostAperture;
    };
    SIZE_T VprRangeStartOffset;
    SIZE_T VprRangeSize;
    UINT VprAlignment;
    UINT NumInvalidMemoryRanges;
    UINT NumVprSupported;
    UINT VprReserveSize;
    UINT NumUEFIFrameBufferRanges;
    DXGK_PAGESIZE SlabSize;
} DXGK_SEGMENTDESCRIPTOR5;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTOUT5 {
    UINT NbSegment;
    BYTE *pSegmentDescriptor; /* of DXGK_SEGMENTDESCRIPTOR5 */
    SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT5;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTCOUNTIN {
    UINT16 PhysicalAdapterIndex;
    UINT16 Reserved;
} DXGK_QUERYSEGMENTCOUNTIN;

typedef struct WDDM_LAYOUT _DXGK_QUERYSEGMENTCOUNTOUT {
    UINT16 SegmentCount;
    UINT16 Reserved;
} DXGK_QUERYSEGMENTCOUNTOUT;

typedef struct WDDM_LAYOUT _DXGK_QUERYPAGINGBUFFERINFOIN {
    UINT16 PhysicalAdapterIndex;
    UINT16 Reserved;
} DXGK_QUERYPAGINGBUFFERINFOIN;

typedef struct WDDM_LAYOUT _DXGK_QUERYPAGINGBUFFERINFOOUT {
    UINT PagingBufferSize;
    UINT PagingBufferPrivateDataSize;
} DXGK_QUERYPAGINGBUFFERINFOOUT;

typedef struct WDDM_LAYOUT _DXGK_QUERYMMUCOUNTIN {
    UINT16 PhysicalAdapterIndex;
    UINT16 Reserved;
} DXGK_QUERYMMUCOUNTIN;

typedef struct WDDM_LAYOUT _DXGK_QUERYMMUCOUNTOUT {
    UINT16 MmuCount;
    UINT16 Reserved;
} DXGK_QUERYMMUCOUNTOUT;

typedef struct WDDM_LAYOUT _DXGK_QUERYSCATTERRESERVEIN {
    UINT SegmentId;
} DXGK_QUERYSCATTERRESERVEIN;

typedef struct WDDM_LAYOUT _DXGK_QUERYSCATTERRESERVEOUT {
    UINT64 SetVGPUResourcesPageSize;
} DXGK_QUERYSCATTERRESERVEOUT;

#endif

WDDM_END_DECLS

#endif
