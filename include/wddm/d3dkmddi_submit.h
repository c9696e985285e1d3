/* SPDX-License-Identifier: MIT */
/* Processes, devices, contexts, submission, rendering and presentation. Pages
 * _dxgkarg_createdevice, _submitcommand ... */
#ifndef WDDM_D3DKMDDI_SUBMIT_H
#define WDDM_D3DKMDDI_SUBMIT_H

#include "d3dkmddi_allocation.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM2_0)

typedef struct WDDM_LAYOUT _DXGK_CREATEPROCESSFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SystemProcess : 1;
            UINT GdiProcess : 1;
#if WDDM_AT_LEAST(WDDM2_2)
            UINT VirtualMachineProcess : 1;
            UINT VirtualMachineWorkerProcess : 1;
            UINT SessionIsolatedContainer : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
            UINT Reserved : 27;
#else
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    };
} DXGK_CREATEPROCESSFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEPROCESS {
    HANDLE hDxgkProcess;
    HANDLE hKmdProcess; /* out */
    DXGK_CREATEPROCESSFLAGS Flags;
    UINT NumPasid;
    ULONG *pPasid;
#if WDDM_AT_LEAST(WDDM2_2)
    HANDLE hKmdVmWorkerProcess;
    UINT ProcessNameLength;
    WCHAR *pProcessName;
#endif
} DXGKARG_CREATEPROCESS;

#endif

typedef struct WDDM_LAYOUT _DXGK_DEVICEINFOFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT GuaranteedDmaBufferContract : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DEVICEINFOFLAGS;

typedef struct WDDM_LAYOUT _DXGK_DEVICEINFO {
    UINT DmaBufferSize;
    UINT DmaBufferSegmentSet;
    UINT DmaBufferPrivateDataSize;
    UINT AllocationListSize;
    UINT PatchLocationListSize;
    DXGK_DEVICEINFOFLAGS Flags;
} DXGK_DEVICEINFO;

typedef struct WDDM_LAYOUT _DXGK_CREATEDEVICEFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SystemDevice : 1;
            UINT GdiDevice : 1;
            UINT Reserved : 29;
            UINT DXGK_DEVICE_RESERVED0 : 1;
        };
        UINT Value;
    };
} DXGK_CREATEDEVICEFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEDEVICE {
    HANDLE hDevice; /* in and out */
    union WDDM_LAYOUT {
        DXGK_CREATEDEVICEFLAGS Flags; /* in */
        DXGK_DEVICEINFO *pInfo;       /* out */
    };
#if WDDM_AT_LEAST(WDDM2_0)
    ULONG Pasid;
    HANDLE hKmdProcess;
#endif
} DXGKARG_CREATEDEVICE;

/* The least number of allocations that a context for GDI must take. */
#define DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT 256

#if WDDM_AT_LEAST(WDDM2_0)
typedef struct WDDM_LAYOUT _DXGK_CONTEXTINFO_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT NoPatchingRequired : 1;
            UINT DriverManagesResidency : 1;
            UINT UseIoMmu : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_CONTEXTINFO_CAPS;
#endif

typedef struct WDDM_LAYOUT _DXGK_CONTEXTINFO {
    UINT DmaBufferSize;
    UINT DmaBufferSegmentSet;
    UINT DmaBufferPrivateDataSize;
    UINT AllocationListSize;
    UINT PatchLocationListSize;
#if WDDM_AT_LEAST(WIN7)
    UINT Reserved;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    DXGK_CONTEXTINFO_CAPS Caps;
    ULONG PagingCompanionNodeId;
#endif
} DXGK_CONTEXTINFO;

typedef struct WDDM_LAYOUT _DXGK_CREATECONTEXTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SystemContext : 1;
#if WDDM_AT_LEAST(WIN7)
            UINT GdiContext : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT VirtualAddressing : 1;
            UINT SystemProtectedContext : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
            UINT HwQueueSupported : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
            UINT Reserved : 27;
#elif WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 28;
#elif WDDM_AT_LEAST(WIN7)
            UINT Reserved : 30;
#else
            UINT Reserved : 31;
#endif
        };
        UINT Value;
    };
} DXGK_CREATECONTEXTFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATECONTEXT {
    HANDLE hContext; /* in and out */
    UINT NodeOrdinal;
    UINT EngineAffinity;
    DXGK_CREATECONTEXTFLAGS Flags;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    DXGK_CONTEXTINFO ContextInfo; /* out */
} DXGKARG_CREATECONTEXT;

typedef struct WDDM_LAYOUT _DXGK_SUBMITCOMMANDFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Paging : 1;
            UINT Present : 1;
            UINT RedirectedPresent : 1;
            UINT NullRendering : 1;
            UINT Flip : 1;
            UINT FlipWithNoWait : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT ContextSwitch : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT Resubmission : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
            UINT VirtualMachineData : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
            UINT Reserved : 23;
#elif WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 24;
#elif WDDM_AT_LEAST(WIN8)
            UINT Reserved : 25;
#else
            UINT Reserved : 26;
#endif
        };
        UINT Value;
    };
} DXGK_SUBMITCOMMANDFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_SUBMITCOMMAND {
    union WDDM_LAYOUT {
        HANDLE hDevice;
        HANDLE hContext;
    };
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
    UINT DmaBufferSize;
    UINT DmaBufferSubmissionStartOffset;
    UINT DmaBufferSubmissionEndOffset;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT DmaBufferPrivateDataSubmissionStartOffset;
    UINT DmaBufferPrivateDataSubmissionEndOffset;
    UINT SubmissionFenceId;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    DXGK_SUBMITCOMMANDFLAGS Flags;
    UINT EngineOrdinal;
#if WDDM_AT_LEAST(WIN7)
    D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
#endif
#if WDDM_AT_LEAST(WIN8)
    UINT NodeOrdinal;
#endif
} DXGKARG_SUBMITCOMMAND;

#if WDDM_AT_LEAST(WDDM2_0)
typedef struct WDDM_LAYOUT _DXGKARG_SUBMITCOMMANDVIRTUAL {
    HANDLE hContext;
    D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
    UINT DmaBufferSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT DmaBufferUmdPrivateDataSize;
    UINT SubmissionFenceId;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    DXGK_SUBMITCOMMANDFLAGS Flags;
    UINT EngineOrdinal;
    UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMANDVIRTUAL;
#endif

typedef struct WDDM_LAYOUT _DXGK_PATCHFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Paging : 1;
            UINT Present : 1;
            UINT RedirectedPresent : 1;
            UINT NullRendering : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_PATCHFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_PATCH {
    union WDDM_LAYOUT {
        HANDLE hDevice;
        HANDLE hContext;
    };
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
    VOID *pDmaBuffer;
    UINT DmaBufferSize;
    UINT DmaBufferSubmissionStartOffset;
    UINT DmaBufferSubmissionEndOffset;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT DmaBufferPrivateDataSubmissionStartOffset;
    UINT DmaBufferPrivateDataSubmissionEndOffset;
    const DXGK_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    const D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    UINT PatchLocationListSize;
    UINT PatchLocationListSubmissionStart;
    UINT PatchLocationListSubmissionLength;
    UINT SubmissionFenceId;
    DXGK_PATCHFLAGS Flags;
    UINT EngineOrdinal;
} DXGKARG_PATCH;

#if WDDM_AT_LEAST(WIN8)
typedef struct WDDM_LAYOUT _DXGKARG_CANCELCOMMAND {
    HANDLE hContext;
    VOID *pDmaBuffer;
    UINT DmaBufferSize;
    UINT DmaBufferSubmissionStartOffset;
    UINT DmaBufferSubmissionEndOffset;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT DmaBufferPrivateDataSubmissionStartOffset;
    UINT DmaBufferPrivateDataSubmissionEndOffset;
    const DXGK_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    const D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    UINT PatchLocationListSize;
    UINT PatchLocationListSubmissionStart;
    UINT PatchLocationListSubmissionLength;
#if WDDM_AT_LEAST(WDDM2_0)
    D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
    UINT DmaBufferUmdPrivateDataSize;
#endif
} DXGKARG_CANCELCOMMAND;
#endif

typedef struct WDDM_LAYOUT _DXGKARG_RENDER {
    const VOID *pCommand;
    UINT CommandLength;
    VOID *pDmaBuffer;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    DXGK_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListIn;
    UINT PatchLocationListInSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListOut;
    UINT PatchLocationListOutSize;
    UINT MultipassOffset;
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_RENDER;

#if WDDM_AT_LEAST(WDDM2_0)
typedef struct WDDM_LAYOUT _DXGKARG_RENDERGDI {
    const VOID *pCommand;
    UINT CommandLength;
    VOID *pDmaBuffer;
    D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    DXGK_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    UINT MultipassOffset;
} DXGKARG_RENDERGDI;
#endif

typedef struct WDDM_LAYOUT _DXGK_PRESENTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Blt : 1;
            UINT ColorFill : 1;
            UINT Flip : 1;
            UINT FlipWithNoWait : 1;
            UINT SrcColorKey : 1;
            UINT DstColorKey : 1;
            UINT LinearToSrgb : 1;
            UINT Rotate : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT BltStereoUseRight : 1;
            UINT FlipWithMultiPlaneOverlay : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT RedirectedFlip : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
            UINT Reserved : 18;
#elif WDDM_AT_LEAST(WIN8)
            UINT Reserved : 19;
#else
            UINT Reserved : 24;
#endif
        };
        UINT Value;
    };
} DXGK_PRESENTFLAGS;

/* Positions of the source and the destination in a present call's allocation list. */
#define DXGK_PRESENT_SOURCE_INDEX      1
#define DXGK_PRESENT_DESTINATION_INDEX 2
#define DXGK_PRESENT_MAX_INDEX         2

struct _DXGK_PRESENTALLOCATIONINFO;
struct _DXGK_PRESENTMULTIPLANEOVERLAYINFO;

typedef struct WDDM_LAYOUT _DXGKARG_PRESENT {
    VOID *pDmaBuffer;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    union WDDM_LAYOUT {
        DXGK_ALLOCATIONLIST *pAllocationList;
#if WDDM_AT_LEAST(WIN7)
        struct _DXGK_PRESENTALLOCATIONINFO *pAllocationInfo;
#endif
#if WDDM_AT_LEAST(WIN8)
        struct _DXGK_PRESENTMULTIPLANEOVERLAYINFO *pPresentMultiPlaneOverlayInfo;
#endif
    };
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListOut;
    UINT PatchLocationListOutSize;
    UINT MultipassOffset;
    UINT Color;
    RECT DstRect;
    RECT SrcRect;
    UINT SubRectCnt;
    const RECT *pDstSubRects;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    DXGK_PRESENTFLAGS Flags;
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
#if WDDM_AT_LEAST(WDDM1_3)
    UINT Reserved;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
    UINT NumSrcAllocations;
    UINT NumDstAllocations;
    UINT PrivateDriverDataSize;
    PVOID pPrivateDriverData;
#endif
} DXGKARG_PRESENT;

typedef struct WDDM_LAYOUT _DXGKARG_ESCAPE {
    HANDLE hDevice;
    D3DDDI_ESCAPEFLAGS Flags;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    HANDLE hContext;
#if WDDM_AT_LEAST(WDDM2_2)
    HANDLE hKmdProcessHandle;
#endif
} DXGKARG_ESCAPE;

#if WDDM_AT_LEAST(WDDM2_5)
typedef enum _DXGK_KERNEL_SUBMISSION_TYPE {
    DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER = 0,
    DXGK_KERNEL_SUBMISSION_RENDERGDI = 1,
    DXGK_KERNEL_SUBMISSION_PRESENTBLT = 2
} DXGK_KERNEL_SUBMISSION_TYPE;

typedef struct WDDM_LAYOUT _DXGKARG_SIGNALMONITOREDFENCE {
    DXGK_KERNEL_SUBMISSION_TYPE KernelSubmissionType;
    VOID *pDmaBuffer;
    D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT MultipassOffset;
    D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
    UINT64 MonitoredFenceValue;
    VOID *MonitoredFenceCpuVa;
    HANDLE hHwQueue;
} DXGKARG_SIGNALMONITOREDFENCE;
#endif

#if WDDM_AT_LEAST(WDDM2_2)
typedef struct WDDM_LAYOUT _DXGKARG_SUBMITCOMMANDTOHWQUEUE {
    HANDLE hHwQueue;
    UINT64 HwQueueProgressFenceId;
    D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
    UINT DmaBufferSize;
    UINT DmaBufferPrivateDataSize;
    VOID *pDmaBufferPrivateData;
    DXGK_SUBMITCOMMANDFLAGS Flags;
    D3DGPU_VIRTUAL_ADDRESS HwQueueProgressFenceGpuVa;
    VOID *HwQueueProgressFenceCpuVa;
} DXGKARG_SUBMITCOMMANDTOHWQUEUE;
#endif

WDDM_END_DECLS

#endif
