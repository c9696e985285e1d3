/* SPDX-License-Identifier: MIT */
/* Of the interface between user mode and the graphics kernel: what kernel-mode drivers include it
 * for. Page ns-d3dkmddi-_dxgkarg_present_displayonly names the structure. */
#ifndef WDDM_D3DKMTHK_H
#define WDDM_D3DKMTHK_H

#include "d3dukmdt.h"
#include "windef.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT _D3DKMT_MOVE_RECT {
    POINT SourcePoint;
    RECT DestRect;
} D3DKMT_MOVE_RECT;

WDDM_END_DECLS

#endif
