/* SPDX-License-Identifier: MIT */
/*
 * Commands of GDI hardware acceleration, as DxgkDdiRenderKm gets them. Pages
 * ns-d3dkmddi-_dxgk_renderkm_command, ns-d3dkmddi-_dxgk_gdiarg_*, ne-d3dkmddi-_dxgk_gdirop_*.
 */
#ifndef WDDM_D3DKMDDI_GDI_H
#define WDDM_D3DKMDDI_GDI_H

#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WIN7)

/* The gamma of a ClearType blend that has none. */
#define D3DKM_INVALID_GAMMA_INDEX 0xFFFFFFFF

typedef enum _DXGK_RENDERKM_OPERATION {
    DXGK_GDIOP_BITBLT = 1,
    DXGK_GDIOP_COLORFILL = 2,
    DXGK_GDIOP_ALPHABLEND = 3,
    DXGK_GDIOP_STRETCHBLT = 4,
    DXGK_GDIOP_ESCAPE = 5,
    DXGK_GDIOP_TRANSPARENTBLT = 6,
    DXGK_GDIOP_CLEARTYPEBLEND = 7
} DXGK_RENDERKM_OPERATION;

typedef enum _DXGK_GDIROP_BITBLT {
    DXGK_GDIROP_INVALID = 0,
    DXGK_GDIROP_SRCCOPY = 1,
    DXGK_GDIROP_SRCINVERT = 2,
    DXGK_GDIROP_SRCAND = 3,
    DXGK_GDIROP_SRCOR = 4,
    DXGK_GDIROP_ROP3 = 5
} DXGK_GDIROP_BITBLT;

typedef enum _DXGK_GDIROP_COLORFILL {
    DXGK_GDIROPCF_INVALID = 0,
    DXGK_GDIROPCF_PATCOPY = 1,
    DXGK_GDIROPCF_PATINVERT = 2,
    DXGK_GDIROPCF_PDXN = 3,
    DXGK_GDIROPCF_DSTINVERT = 4,
    DXGK_GDIROPCF_PATAND = 5,
    DXGK_GDIROPCF_PATOR = 6,
    DXGK_GDIROPCF_ROP3 = 7
} DXGK_GDIROP_COLORFILL;

/* The two operations of a blit fit in 16 bits together: the page calls each an 8-bit value. */
typedef struct WDDM_LAYOUT _DXGK_GDIARG_BITBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    UCHAR Rop;
    UCHAR Rop3;
    UINT SrcPitch;
    UINT DstPitch;
} DXGK_GDIARG_BITBLT;

typedef struct WDDM_LAYOUT _DXGK_GDIARG_COLORFILL {
    RECT DstRect;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    UINT Color;
    UCHAR Rop;
    UCHAR Rop3;
} DXGK_GDIARG_COLORFILL;

typedef struct WDDM_LAYOUT _DXGK_GDIARG_ALPHABLEND {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    BYTE SourceConstantAlpha;
    BOOLEAN SourceHasAlpha;
    UINT SrcPitch;
} DXGK_GDIARG_ALPHABLEND;

typedef struct WDDM_LAYOUT _DXGK_GDIARG_STRETCHBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT DstAllocationIndex;
    UINT SrcAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Mode : 16;
            UINT MirrorX : 1;
            UINT MirrorY : 1;
        };
        UINT Flags;
    };
    UINT SrcPitch;
} DXGK_GDIARG_STRETCHBLT;

typedef struct WDDM_LAYOUT _D3DKM_TRANSPARENTBLTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT HonorAlpha : 1;
        };
        UINT Value;
    };
} D3DKM_TRANSPARENTBLTFLAGS;

typedef struct WDDM_LAYOUT _DXGK_GDIARG_TRANSPARENTBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT Color;
    UINT NumSubRects;
    RECT *pSubRects;
    D3DKM_TRANSPARENTBLTFLAGS Flags;
    UINT SrcPitch;
} DXGK_GDIARG_TRANSPARENTBLT;

typedef struct WDDM_LAYOUT _DXGK_GDIARG_CLEARTYPEBLEND {
    RECT DstRect;
    UINT TmpSurfAllocationIndex;
    UINT GammaSurfAllocationIndex;
    UINT AlphaSurfAllocationIndex;
    UINT DstAllocationIndex;
    INT DstToAlphaOffsetX;
    INT DstToAlphaOffsetY;
    UINT Color;
    UINT Gamma;
    UINT NumSubRects;
    RECT *pSubRects;
    UINT AlphaSurfPitch;
    UINT Color2;
} DXGK_GDIARG_CLEARTYPEBLEND;

/* CommandSize bytes on is the next one. */
typedef struct WDDM_LAYOUT _DXGK_RENDERKM_COMMAND {
    DXGK_RENDERKM_OPERATION OpCode;
    UINT CommandSize;
    union WDDM_LAYOUT {
        DXGK_GDIARG_BITBLT BitBlt;
        DXGK_GDIARG_COLORFILL ColorFill;
        DXGK_GDIARG_ALPHABLEND AlphaBlend;
        DXGK_GDIARG_STRETCHBLT StretchBlt;
        DXGK_GDIARG_TRANSPARENTBLT TransparentBlt;
        DXGK_GDIARG_CLEARTYPEBLEND ClearTypeBlend;
    } Command;
} DXGK_RENDERKM_COMMAND;

#endif

WDDM_END_DECLS

#endif
