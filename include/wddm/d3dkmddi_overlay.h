/* SPDX-License-Identifier: MIT */
/*
 * Overlays: the hardware overlays of the first interface, and planes that the display hardware
 * composes (multiplane overlays) in their three generations. Pages ns-d3dkmddi-_dxgk_overlayinfo,
 * ns-d3dkmddi-_dxgk_multiplane_overlay_*, ns-d3dkmddi-_dxgkarg_checkmultiplaneoverlaysupport*,
 * ns-d3dkmddi-_dxgkarg_setvidpnsourceaddresswithmultiplaneoverlay*. Flips that the hardware queues
 * are in d3dkmddi_flipqueue.h.
 */
#ifndef WDDM_D3DKMDDI_OVERLAY_H
#define WDDM_D3DKMDDI_OVERLAY_H

#include "d3dukmdt_color.h"
#include "d3dkmddi_vidpn.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT _DXGK_OVERLAYINFO {
    HANDLE hAllocation;
    PHYSICAL_ADDRESS PhysicalAddress;
    UINT SegmentId;
    RECT DstRect;
    RECT SrcRect;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} DXGK_OVERLAYINFO;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEOVERLAY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_OVERLAYINFO OverlayInfo;
    HANDLE hOverlay; /* out */
} DXGKARG_CREATEOVERLAY;

typedef struct WDDM_LAYOUT _DXGKARG_UPDATEOVERLAY {
    DXGK_OVERLAYINFO OverlayInfo;
} DXGKARG_UPDATEOVERLAY;

typedef struct WDDM_LAYOUT _DXGKARG_FLIPOVERLAY {
    HANDLE hSource;
    PHYSICAL_ADDRESS SrcPhysicalAddress;
    UINT SrcSegmentId;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} DXGKARG_FLIPOVERLAY;

#if WDDM_AT_LEAST(WIN8)

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_BLEND {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT AlphaBlend : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_BLEND;

typedef enum _DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT {
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE = 0,
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_INTERLACED_TOP_FIELD_FIRST = 1,
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_INTERLACED_BOTTOM_FIELD_FIRST = 2
} DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT NominalRange : 1;
            UINT Bt709 : 1;
            UINT xvYCC : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS;

typedef enum _DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT {
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO = 0,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_HORIZONTAL = 1,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_VERTICAL = 2,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_SEPARATE = 3,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO_OFFSET = 4,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_ROW_INTERLEAVED = 5,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_COLUMN_INTERLEAVED = 6,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_CHECKERBOARD = 7
} DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT;

typedef enum _DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE {
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_NONE = 0,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_FRAME0 = 1,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_FRAME1 = 2
} DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE;

/* A number as long as no page prints its values. */
typedef UINT DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES {
    DXGK_MULTIPLANE_OVERLAY_FLAGS Flags;
    RECT SrcRect;
    RECT DstRect;
    RECT ClipRect;
    D3DDDI_ROTATION Rotation;
    DXGK_MULTIPLANE_OVERLAY_BLEND Blend;
    UINT NumFilters;
    VOID *pFilters;
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT VideoFrameFormat;
    DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS YCbCrFlags;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT StereoFormat;
    BOOL StereoLeftViewFrame0;
    BOOL StereoBaseViewFrame0;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE StereoFlipMode;
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY StretchQuality;
} DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_PLANE {
    UINT LayerIndex;
    BOOL Enabled;
    UINT AllocationSegment;
    PHYSICAL_ADDRESS AllocationAddress;
    HANDLE hAllocation;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE;

typedef struct WDDM_LAYOUT _DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY {
    UINT ContextCount;
    HANDLE Context[1 + D3DDDI_MAX_BROADCAST_CONTEXT];
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE *pPlanes;
    UINT Duration;
} DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY;

#endif

#if WDDM_AT_LEAST(WDDM1_3)

typedef struct WDDM_LAYOUT _DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE {
    HANDLE hAllocation;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE;

/* The first four bits number the plane, the fifth says that it may go better later. */
typedef struct WDDM_LAYOUT _DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT FailingPlane : 4;
            UINT TryAgain : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO;

typedef struct WDDM_LAYOUT _DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT {
    UINT PlaneCount;
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE *pPlanes;
    BOOL Supported;                                               /* out */
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo; /* out */
} DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO {
    DWORD LayerIndex;
    BOOL Enabled;
    PHYSICAL_ADDRESS PhysicalAddress;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO;

typedef struct WDDM_LAYOUT _DXGK_PRESENTMULTIPLANEOVERLAYLIST {
    UINT LayerIndex;
    BOOL Enabled;
    HANDLE hDeviceSpecificAllocation;
    struct WDDM_LAYOUT {
        UINT SegmentId : 5;
        UINT Reserved : 27;
    };
    PHYSICAL_ADDRESS PhysicalAddress;
} DXGK_PRESENTMULTIPLANEOVERLAYLIST;

typedef struct WDDM_LAYOUT _DXGK_PRESENTMULTIPLANEOVERLAYINFO {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT PlaneListCount;
    DXGK_PRESENTMULTIPLANEOVERLAYLIST *pPlaneList;
} DXGK_PRESENTMULTIPLANEOVERLAYINFO;

#endif

#if WDDM_AT_LEAST(WDDM2_0)

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 {
    DXGK_MULTIPLANE_OVERLAY_FLAGS Flags;
    RECT SrcRect;
    RECT DstRect;
    RECT ClipRect;
    D3DDDI_ROTATION Rotation;
    DXGK_MULTIPLANE_OVERLAY_BLEND Blend;
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT VideoFrameFormat;
    D3DDDI_COLOR_SPACE_TYPE ColorSpaceType;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT StereoFormat;
    BOOL StereoLeftViewFrame0;
    BOOL StereoBaseViewFrame0;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE StereoFlipMode;
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY StretchQuality;
    UINT Reserved1;
} DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_PLANE2 {
    UINT LayerIndex;
    BOOL Enabled;
    UINT AllocationSegment;
    PHYSICAL_ADDRESS AllocationAddress;
    HANDLE hAllocation;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE2;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE {
    HANDLE hAllocation;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT LayerIndex;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE;

typedef struct WDDM_LAYOUT _DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 {
    UINT PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE *pPlanes;
    BOOL Supported;                                               /* out */
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo; /* out */
} DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2;

typedef struct WDDM_LAYOUT _DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 {
    UINT ContextCount;
    HANDLE Context[1 + D3DDDI_MAX_BROADCAST_CONTEXT];
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE2 *pPlanes;
    UINT Duration;
} DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2;

#endif

#if WDDM_AT_LEAST(WDDM2_1)

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 {
    DXGK_MULTIPLANE_OVERLAY_FLAGS Flags;
    RECT SrcRect;
    RECT DstRect;
    RECT ClipRect;
    D3DDDI_ROTATION Rotation;
    DXGK_MULTIPLANE_OVERLAY_BLEND Blend;
    D3DDDI_COLOR_SPACE_TYPE ColorSpaceType;
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY StretchQuality;
#if WDDM_AT_LEAST(WDDM2_3)
    UINT SDRWhiteLevel;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
    UINT DirtyRectCnt;
    RECT *pDirtyRects;
#endif
} DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3;

typedef struct WDDM_LAYOUT _DXGK_PLANE_SPECIFIC_INPUT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Enabled : 1;
            UINT FlipImmediate : 1;
            UINT FlipOnNextVSync : 1;
            UINT SharedPrimaryTransition : 1;
            UINT IndependentFlipExclusive : 1;
            UINT FlipImmediateNoTearing : 1;
            UINT Reserved : 26;
        };
        UINT Value;
    };
} DXGK_PLANE_SPECIFIC_INPUT_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_PLANE_SPECIFIC_OUTPUT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT FlipConvertedToImmediate : 1;
            UINT PostPresentNeeded : 1;
            UINT HsyncInterruptCompletion : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_PLANE_SPECIFIC_OUTPUT_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_PLANE3 {
    UINT LayerIndex;
    ULONGLONG PresentId;
    DXGK_PLANE_SPECIFIC_INPUT_FLAGS InputFlags;
    DXGK_PLANE_SPECIFIC_OUTPUT_FLAGS OutputFlags; /* out */
    UINT MaxImmediateFlipLine;
    UINT ContextCount;
    HANDLE *ppContextData;
    UINT DriverPrivateDataSize;
    VOID *pDriverPrivateData;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE3;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 {
    HANDLE hAllocation;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT LayerIndex;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION {
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS Flags;
    RECT SrcRect;
    RECT DstRect;
    D3DDDI_ROTATION Rotation;
} DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION PostComposition;
} DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE;

typedef struct WDDM_LAYOUT _DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 {
    UINT PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 **ppPlanes;
    UINT PostCompositionCount;
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE **ppPostComposition;
    BOOL Supported;                                               /* out */
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo; /* out */
} DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3;

typedef struct WDDM_LAYOUT _DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT RetryAtLowerIrql : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_SETVIDPNSOURCEADDRESS_OUTPUT_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT PrePresentNeeded : 1;
            UINT HwFlipQueueDrainNeeded : 1;
            UINT HwFlipQueueDrainAllPlanes : 1;
            UINT HwFlipQueueDrainAllSources : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_SETVIDPNSOURCEADDRESS_OUTPUT_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_HDR_METADATA {
    D3DDDI_HDR_METADATA_TYPE Type;
    UINT Size;
    const VOID *pMetaData;
} DXGK_HDR_METADATA;

typedef struct WDDM_LAYOUT _DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS InputFlags;
    DXGK_SETVIDPNSOURCEADDRESS_OUTPUT_FLAGS OutputFlags; /* out */
    UINT PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE3 **ppPlanes;
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION *pPostComposition;
    UINT Duration;
    DXGK_HDR_METADATA *pHDRMetaData;
#if WDDM_AT_LEAST(WDDM2_9)
    ULONGLONG TargetFlipTime;
#endif
} DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3;

typedef struct WDDM_LAYOUT _DXGKARG_POSTMULTIPLANEOVERLAYPRESENT {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    UINT PhysicalAdapterMask;
    UINT LayerIndex;
    ULONGLONG PresentID;
} DXGKARG_POSTMULTIPLANEOVERLAYPRESENT;

typedef struct WDDM_LAYOUT _DXGKCB_NOTIFY_MPO_VSYNC_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT PostPresentNeeded : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKCB_NOTIFY_MPO_VSYNC_FLAGS;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 {
    DWORD LayerIndex;
    ULONGLONG PresentId;
    DXGKCB_NOTIFY_MPO_VSYNC_FLAGS Flags;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2;

#endif

#if WDDM_AT_LEAST(WDDM2_2)

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANEOVERLAYCAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Rotation : 1;
            UINT RotationWithoutIndependentFlip : 1;
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT StretchRGB : 1;
            UINT StretchYUV : 1;
            UINT BilinearFilter : 1;
            UINT HighFilter : 1;
            UINT Shared : 1;
            UINT Immediate : 1;
            UINT Plane0ForVirtualModeOnly : 1;
            UINT Reserved : 21;
        };
        UINT Value;
    };
} DXGK_MULTIPLANEOVERLAYCAPS;

typedef struct WDDM_LAYOUT _DXGKARG_GETMULTIPLANEOVERLAYCAPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT MaxPlanes;
    UINT MaxRGBPlanes;
    UINT MaxYUVPlanes;
    DXGK_MULTIPLANEOVERLAYCAPS OverlayCaps;
    FLOAT MaxStretchFactor;
    FLOAT MaxShrinkFactor;
} DXGKARG_GETMULTIPLANEOVERLAYCAPS;

typedef struct WDDM_LAYOUT _DXGKARG_GETPOSTCOMPOSITIONCAPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    FLOAT MaxStretchFactor; /* out */
    FLOAT MaxShrinkFactor;  /* out */
} DXGKARG_GETPOSTCOMPOSITIONCAPS;

#endif

WDDM_END_DECLS

#endif
