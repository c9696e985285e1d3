/* SPDX-License-Identifier: MIT */
/*
 * Wireless displays (Miracast): the chunks of a frame that is encoded. Pages
 * ns-d3dukmdt-dxgk_miracast_chunk_info, ns-d3dukmdt-dxgk_miracast_chunk_id,
 * ne-d3dukmdt-_dxgk_miracast_chunk_type. The interface is in dispmprt_miracast.h, the interrupt
 * that reports a chunk in d3dkmddi_engine.h.
 */
#ifndef WDDM_D3DUKMDT_MIRACAST_H
#define WDDM_D3DUKMDT_MIRACAST_H

#include "d3dukmdt.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM1_3)

/* By the order of the page. The two types that drivers define have no place in it. */
typedef enum _DXGK_MIRACAST_CHUNK_TYPE {
    DXGK_MIRACAST_CHUNK_TYPE_UNKNOWN = 0,
    DXGK_MIRACAST_CHUNK_TYPE_COLOR_CONVERT_COMPLETE = 1,
    DXGK_MIRACAST_CHUNK_TYPE_ENCODE_COMPLETE = 2,
    DXGK_MIRACAST_CHUNK_TYPE_FRAME_START = 3,
    DXGK_MIRACAST_CHUNK_TYPE_FRAME_DROPPED = 4
} DXGK_MIRACAST_CHUNK_TYPE;

typedef struct WDDM_LAYOUT _DXGK_MIRACAST_CHUNK_ID {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT FrameNumber;
            UINT PartNumber;
        };
        UINT64 Value;
    };
} DXGK_MIRACAST_CHUNK_ID;

typedef struct WDDM_LAYOUT _DXGK_MIRACAST_CHUNK_INFO {
    DXGK_MIRACAST_CHUNK_TYPE ChunkType;
    DXGK_MIRACAST_CHUNK_ID ChunkId;
    UINT ProcessingTime;
    UINT EncodeRate;
} DXGK_MIRACAST_CHUNK_INFO;

#endif

WDDM_END_DECLS

#endif
