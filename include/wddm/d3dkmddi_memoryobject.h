/* SPDX-License-Identifier: MIT */
/*
 * Physical memory objects that a driver makes, opens and closes by callbacks, so that it never sees
 * a physical address. Pages ns-d3dkmddi-dxgkargcb_create_physical_memory_object and its neighbours,
 * ns-d3dkmddi-dxgkargcb_pinframebufferforsave2. The callbacks, and what maps such objects, are in
 * d3dkmddi_callbacks.h.
 */
#ifndef WDDM_D3DKMDDI_MEMORYOBJECT_H
#define WDDM_D3DKMDDI_MEMORYOBJECT_H

#include "d3dkmddi_callbacks.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM2_9)

typedef struct WDDM_LAYOUT _DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT {
    HANDLE hAdapter;
    SIZE_T Size;
    VOID *Context;
    DXGK_PHYSICAL_MEMORY_TYPE Type;
    MEMORY_CACHING_TYPE CacheType;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS LowAddress;
            PHYSICAL_ADDRESS HighAddress;
            PHYSICAL_ADDRESS SkipBytes;
            ULONG Flags;
        } Mdl;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS LowestAcceptableAddress;
            PHYSICAL_ADDRESS HighestAcceptableAddress;
            PHYSICAL_ADDRESS BoundaryAddressMultiple;
        } ContiguousMemory;
        struct WDDM_LAYOUT {
            ACCESS_MASK DesiredAccess;
            POBJECT_ATTRIBUTES ObjectAttributes;
            ULONG PageProtection;
            ULONG AllocationAttributes;
        } Section;
        struct WDDM_LAYOUT {
            PHYSICAL_ADDRESS BaseAddress;
        } IOSpace;
    };
    HANDLE hPhysicalMemoryObject; /* out */
    HANDLE hAdapterMemoryObject;  /* out */
} DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

typedef struct WDDM_LAYOUT _DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT {
    HANDLE hPhysicalMemoryObject;
    HANDLE hAdapterMemoryObject;
} DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT;

typedef struct WDDM_LAYOUT _DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT {
    HANDLE hPhysicalMemoryObject;
    HANDLE hAdapter;
    HANDLE hAdapterMemoryObject; /* out */
} DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT;

typedef struct WDDM_LAYOUT _DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT {
    HANDLE hAdapterMemoryObject;
} DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT;

typedef struct WDDM_LAYOUT _DXGKARGCB_PINFRAMEBUFFERFORSAVE2 {
    UINT PhysicalAdapterIndex;
    SIZE_T CommitSize;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT PreferContiguous : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
    DXGK_ADL *pAdl; /* out */
} DXGKARGCB_PINFRAMEBUFFERFORSAVE2;

#endif

WDDM_END_DECLS

#endif
