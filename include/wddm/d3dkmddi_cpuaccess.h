/* SPDX-License-Identifier: MIT */
/* Processor access to video memory: swizzling ranges (WDDM 1.x) and the CPU host aperture (2.x). */
#ifndef WDDM_D3DKMDDI_CPUACCESS_H
#define WDDM_D3DKMDDI_CPUACCESS_H

#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT _DXGKARG_ACQUIRESWIZZLINGRANGE {
    HANDLE hAllocation;
    UINT PrivateDriverData;
    UINT RangeId;
    UINT SegmentId;
    SIZE_T RangeSize;                      /* in and out */
    PHYSICAL_ADDRESS CPUTranslatedAddress; /* in and out */
} DXGKARG_ACQUIRESWIZZLINGRANGE;

typedef struct WDDM_LAYOUT _DXGKARG_RELEASESWIZZLINGRANGE {
    HANDLE hAllocation;
    UINT PrivateDriverData;
    UINT RangeId;
} DXGKARG_RELEASESWIZZLINGRANGE;

#if WDDM_AT_LEAST(WDDM2_0)
/* The two arguments list their members in different orders. */
typedef struct WDDM_LAYOUT _DXGKARG_MAPCPUHOSTAPERTURE {
    HANDLE hAllocation;
    WORD SegmentId;
    WORD PhysicalAdapterIndex;
    UINT64 NumberOfPages;
    UINT32 *pCpuHostAperturePages;
    UINT64 *pMemorySegmentPages;
} DXGKARG_MAPCPUHOSTAPERTURE;

typedef struct WDDM_LAYOUT _DXGKARG_UNMAPCPUHOSTAPERTURE {
    UINT64 NumberOfPages;
    UINT32 *pCpuHostAperturePages;
    WORD SegmentId;
    WORD PhysicalAdapterIndex;
} DXGKARG_UNMAPCPUHOSTAPERTURE;
#endif

WDDM_END_DECLS

#endif
