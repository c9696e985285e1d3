/* SPDX-License-Identifier: MIT */
/* As d3d10umddi.h, for Direct3D 12. */
#ifndef WDDM_D3D12UMDDI_H
#define WDDM_D3D12UMDDI_H

typedef enum D3D12DDI_TEXTURE_LAYOUT {
    D3D12DDI_TL_UNDEFINED = 0,
    D3D12DDI_TL_ROW_MAJOR = 1
} D3D12DDI_TEXTURE_LAYOUT;

#endif
