/* SPDX-License-Identifier: MIT */
/*
 * Resources, contexts and synchronization objects as user mode describes them and a driver's
 * private data often repeats them. Pages ns-d3dukmdt-_d3dddi_resourceflags,
 * ns-d3dukmdt-_d3dddiarg_createresource, ns-d3dukmdt-_d3dddi_surfaceinfo,
 * ns-d3dukmdt-_d3dddi_create*flags and their neighbours. D3DDDI_POOL and
 * D3DDDI_SYNCHRONIZATIONOBJECT_TYPE are numbers: no page prints their values.
 */
#ifndef WDDM_D3DUKMDT_RESOURCE_H
#define WDDM_D3DUKMDT_RESOURCE_H

#include "d3dukmdt.h"

WDDM_BEGIN_DECLS

/* The numbers of samples are in the names. */
typedef enum _D3DDDIMULTISAMPLE_TYPE {
    D3DDDIMULTISAMPLE_NONE = 0,
    D3DDDIMULTISAMPLE_NONMASKABLE = 1,
    D3DDDIMULTISAMPLE_2_SAMPLES = 2,
    D3DDDIMULTISAMPLE_3_SAMPLES = 3,
    D3DDDIMULTISAMPLE_4_SAMPLES = 4,
    D3DDDIMULTISAMPLE_5_SAMPLES = 5,
    D3DDDIMULTISAMPLE_6_SAMPLES = 6,
    D3DDDIMULTISAMPLE_7_SAMPLES = 7,
    D3DDDIMULTISAMPLE_8_SAMPLES = 8,
    D3DDDIMULTISAMPLE_9_SAMPLES = 9,
    D3DDDIMULTISAMPLE_10_SAMPLES = 10,
    D3DDDIMULTISAMPLE_11_SAMPLES = 11,
    D3DDDIMULTISAMPLE_12_SAMPLES = 12,
    D3DDDIMULTISAMPLE_13_SAMPLES = 13,
    D3DDDIMULTISAMPLE_14_SAMPLES = 14,
    D3DDDIMULTISAMPLE_15_SAMPLES = 15,
    D3DDDIMULTISAMPLE_16_SAMPLES = 16,
    D3DDDIMULTISAMPLE_FORCE_UINT = 0x7fffffff
} D3DDDIMULTISAMPLE_TYPE;

typedef UINT D3DDDI_POOL;

typedef UINT D3DDDI_SYNCHRONIZATIONOBJECT_TYPE;

typedef struct WDDM_LAYOUT _D3DDDI_RESOURCEFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT RenderTarget : 1;
            UINT ZBuffer : 1;
            UINT Dynamic : 1;
            UINT HintStatic : 1;
            UINT AutogenMipmap : 1;
            UINT DMap : 1;
            UINT WriteOnly : 1;
            UINT NotLockable : 1;
            UINT Points : 1;
            UINT RtPatches : 1;
            UINT NPatches : 1;
            UINT SharedResource : 1;
            UINT DiscardRenderTarget : 1;
            UINT Video : 1;
            UINT CaptureBuffer : 1;
            UINT Primary : 1;
            UINT Texture : 1;
            UINT CubeMap : 1;
            UINT Volume : 1;
            UINT VertexBuffer : 1;
            UINT IndexBuffer : 1;
            UINT DecodeRenderTarget : 1;
            UINT DecodeCompressedBuffer : 1;
            UINT VideoProcessRenderTarget : 1;
            UINT CpuOptimized : 1;
            UINT MightDrawFromLocked : 1;
            UINT Overlay : 1;
            UINT MatchGdiPrimary : 1;
            UINT InterlacedRefresh : 1;
            UINT TextApi : 1;
            UINT RestrictedContent : 1;
            UINT RestrictSharedAccess : 1;
        };
        UINT Value;
    };
} D3DDDI_RESOURCEFLAGS;

typedef struct WDDM_LAYOUT _D3DDDI_SURFACEINFO {
    UINT Width;
    UINT Height;
    UINT Depth;
    const VOID *pSysMem;
    UINT SysMemPitch;
    UINT SysMemSlicePitch;
} D3DDDI_SURFACEINFO;

typedef struct WDDM_LAYOUT _D3DDDIARG_CREATERESOURCE {
    D3DDDIFORMAT Format;
    D3DDDI_POOL Pool;
    D3DDDIMULTISAMPLE_TYPE MultisampleType;
    UINT MultisampleQuality;
    const D3DDDI_SURFACEINFO *pSurfList;
    UINT SurfCount;
    UINT MipLevels;
    UINT Fvf;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_RATIONAL RefreshRate;
    HANDLE hResource; /* in and out */
    D3DDDI_RESOURCEFLAGS Flags;
    D3DDDI_ROTATION Rotation;
} D3DDDIARG_CREATERESOURCE;

typedef struct WDDM_LAYOUT _D3DDDI_CREATECONTEXTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT NullRendering : 1;
            UINT InitialData : 1;
            UINT DisableGpuTimeout : 1;
            UINT SynchronizationOnly : 1;
            UINT HwQueueSupported : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} D3DDDI_CREATECONTEXTFLAGS;

typedef struct WDDM_LAYOUT _D3DDDICB_SIGNALFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SignalAtSubmission : 1;
            UINT EnqueueCpuEvent : 1;
            UINT AllowFenceRewind : 1;
            UINT DXGK_SIGNAL_FLAG_INTERNAL0 : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} D3DDDICB_SIGNALFLAGS;

typedef struct WDDM_LAYOUT _D3DDDI_KERNELOVERLAYINFO {
    D3DKMT_HANDLE hAllocation;
    D3DDDIRECT DstRect;
    D3DDDIRECT SrcRect;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DDDI_KERNELOVERLAYINFO;

typedef struct WDDM_LAYOUT _D3DDDI_OPENALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    const VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DDDI_OPENALLOCATIONINFO;

typedef struct WDDM_LAYOUT _D3DDDI_ALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation; /* out */
    const VOID *pSystemMem;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Primary : 1;
#if WDDM_AT_LEAST(WIN8)
            UINT Stereo : 1;
            UINT Reserved : 30;
#else
            UINT Reserved : 31;
#endif
        };
        UINT Value;
    } Flags;
} D3DDDI_ALLOCATIONINFO;

#if WDDM_AT_LEAST(WIN7)

typedef enum _D3DDDI_SCANLINEORDERING {
    D3DDDI_SCANLINEORDERING_UNKNOWN = 0,
    D3DDDI_SCANLINEORDERING_PROGRESSIVE = 1,
    D3DDDI_SCANLINEORDERING_INTERLACED = 2
} D3DDDI_SCANLINEORDERING;

/* NoWait and what follows it are bits by the order of the page; the last bit is the system's. */
typedef struct WDDM_LAYOUT _D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Shared : 1;
            UINT NtSecuritySharing : 1;
            UINT CrossAdapter : 1;
            UINT TopOfPipeline : 1;
            UINT NoSignal : 1;
            UINT NoWait : 1;
            UINT NoSignalMaxValueOnTdr : 1;
            UINT NoGPUAccess : 1;
            UINT SignalByKmd : 1;
            UINT LocalMemoryPreferred : 1;
            UINT Reserved : 21;
            UINT D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS_RESERVED0 : 1;
        };
        UINT Value;
    };
} D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

#endif

#if WDDM_AT_LEAST(WIN8)

typedef struct WDDM_LAYOUT _D3DDDI_RESOURCEFLAGS2 {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT VideoEncoder : 1;
            UINT UserMemory : 1;
            UINT CrossAdapter : 1;
            UINT IsDisplayable : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} D3DDDI_RESOURCEFLAGS2;

typedef struct WDDM_LAYOUT _D3DDDIARG_CREATERESOURCE2 {
    D3DDDIFORMAT Format;
    D3DDDI_POOL Pool;
    D3DDDIMULTISAMPLE_TYPE MultisampleType;
    UINT MultisampleQuality;
    const D3DDDI_SURFACEINFO *pSurfList;
    UINT SurfCount;
    UINT MipLevels;
    UINT Fvf;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_RATIONAL RefreshRate;
    HANDLE hResource; /* in and out */
    D3DDDI_RESOURCEFLAGS Flags;
    D3DDDI_ROTATION Rotation;
    D3DDDI_RESOURCEFLAGS2 Flags2;
} D3DDDIARG_CREATERESOURCE2;

#endif

#if WDDM_AT_LEAST(WDDM2_0)

typedef struct WDDM_LAYOUT _D3DDDICB_DESTROYALLOCATION2FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT AssumeNotInUse : 1;
            UINT SynchronousDestroy : 1;
            UINT Reserved : 29;
            UINT SystemUseOnly : 1;
        };
        UINT Value;
    };
} D3DDDICB_DESTROYALLOCATION2FLAGS;

typedef struct WDDM_LAYOUT _D3DDDI_OFFER_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT AllowDecommit : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_OFFER_FLAGS;

#endif

#if WDDM_AT_LEAST(WDDM2_2)

typedef struct WDDM_LAYOUT _D3DDDI_CREATEHWCONTEXTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DDDI_CREATEHWCONTEXTFLAGS;

typedef struct WDDM_LAYOUT _D3DDDI_CREATEHWQUEUEFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT DisableGpuTimeout : 1;
            UINT NoBroadcastSignal : 1;
            UINT NoBroadcastWait : 1;
            UINT NoKmdAccess : 1;
            UINT UserModeSubmission : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} D3DDDI_CREATEHWQUEUEFLAGS;

#endif

WDDM_END_DECLS

#endif
