/* SPDX-License-Identifier: MIT */
/*
 * Flips that wait in the display hardware: the queue's log, and how waiting flips are cancelled.
 * Pages ns-d3dkmddi-dxgkarg_setflipqueuelogbuffer, ns-d3dkmddi-dxgkarg_cancelflips and those that
 * they name. The flips themselves are in d3dkmddi_overlay.h.
 */
#ifndef WDDM_D3DKMDDI_FLIPQUEUE_H
#define WDDM_D3DKMDDI_FLIPQUEUE_H

#include "d3dkmddi_overlay.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM2_9)

typedef struct WDDM_LAYOUT _DXGK_FLIPQUEUE_LOG_ENTRY {
    UINT64 PresentId;
    UINT64 PresentTimestamp;
} DXGK_FLIPQUEUE_LOG_ENTRY;

typedef struct WDDM_LAYOUT _DXGKARG_SETFLIPQUEUELOGBUFFER {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT LayerIndex;
    UINT NumberOfEntries;
    DXGK_FLIPQUEUE_LOG_ENTRY *LogBufferAddress;
} DXGKARG_SETFLIPQUEUELOGBUFFER;

typedef struct WDDM_LAYOUT _DXGKARG_UPDATEFLIPQUEUELOG {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT LayerIndex;
    UINT FirstFreeFlipQueueLogEntryIndex; /* out */
} DXGKARG_UPDATEFLIPQUEUELOG;

typedef struct WDDM_LAYOUT _DXGKARG_CANCELQUEUEDFLIPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT LayerIndex;
    UINT64 PresentIdCancelRequested;
    UINT64 PresentIdCancelled; /* out */
} DXGKARG_CANCELQUEUEDFLIPS;

typedef struct WDDM_LAYOUT _DXGKARG_SETINTERRUPTTARGETPRESENTID {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT LayerIndex;
    UINT64 InterruptTargetPresentId;
} DXGKARG_SETINTERRUPTTARGETPRESENTID;

typedef struct WDDM_LAYOUT _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 {
    DWORD LayerIndex;
    UINT FirstFreeFlipQueueLogEntryIndex;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3;

#endif

#if WDDM_AT_LEAST(WDDM3_0)

typedef struct WDDM_LAYOUT _DXGK_CANCELFLIPS_PLANE {
    UINT64 PresentIdCancelRequested;
    UINT64 PresentIdCancelled; /* out */
    UINT LayerIndex;
} DXGK_CANCELFLIPS_PLANE;

typedef struct WDDM_LAYOUT _DXGKARG_CANCELFLIPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT PlaneCount;
    DXGK_CANCELFLIPS_PLANE **ppPlanes;
} DXGKARG_CANCELFLIPS;

#endif

WDDM_END_DECLS

#endif
