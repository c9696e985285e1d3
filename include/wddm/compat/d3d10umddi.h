/* SPDX-License-Identifier: MIT */
/*
 * What the private driver data of a Direct3D driver takes from the user-mode Direct3D interface.
 * Only the user-mode half reads these fields, so names matter here and values do not. A driver
 * includes dxgiformat.h and d3dukmdt.h first.
 */
#ifndef WDDM_D3D10UMDDI_H
#define WDDM_D3D10UMDDI_H

#include <ntdef.h>

typedef enum D3D10DDIRESOURCE_TYPE {
    D3D10DDIRESOURCE_BUFFER = 1,
    D3D10DDIRESOURCE_TEXTURE1D,
    D3D10DDIRESOURCE_TEXTURE2D,
    D3D10DDIRESOURCE_TEXTURE3D,
    D3D10DDIRESOURCE_TEXTURECUBE
} D3D10DDIRESOURCE_TYPE;

enum { D3D10_DDI_USAGE_DEFAULT = 0, D3D10_DDI_USAGE_IMMUTABLE };
enum {
    DXGI_DDI_MODE_SCANLINE_ORDER_UNSPECIFIED,
    DXGI_DDI_MODE_SCALING_UNSPECIFIED,
    DXGI_DDI_MODE_ROTATION_UNSPECIFIED
};
enum { D3D10_DDI_MAP_READWRITE = 3 };
enum { D3D10_DDI_RESOURCE_MISC_SHARED = 2 };
enum {
    D3D10_DDI_BIND_SHADER_RESOURCE = 0x8,
    D3D10_DDI_BIND_RENDER_TARGET = 0x20,
    D3D10_DDI_BIND_PRESENT = 0x80,
    D3D10_DDI_BIND_PIPELINE_MASK = 0x7f
};

typedef struct D3D10DDI_MIPINFO {
    UINT TexelWidth;
    UINT TexelHeight;
    UINT TexelDepth;
    UINT PhysicalWidth;
    UINT PhysicalHeight;
    UINT PhysicalDepth;
} D3D10DDI_MIPINFO;

typedef struct DXGI_SAMPLE_DESC {
    UINT Count;
    UINT Quality;
} DXGI_SAMPLE_DESC;

typedef struct DXGI_DDI_RATIONAL {
    UINT Numerator;
    UINT Denominator;
} DXGI_DDI_RATIONAL;

typedef struct DXGI_DDI_MODE_DESC {
    UINT Width;
    UINT Height;
    DXGI_FORMAT Format;
    DXGI_DDI_RATIONAL RefreshRate;
    UINT ScanlineOrdering;
    UINT Rotation;
    UINT Scaling;
} DXGI_DDI_MODE_DESC;

typedef struct DXGI_DDI_PRIMARY_DESC {
    UINT Flags;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGI_DDI_MODE_DESC ModeDesc;
    UINT DriverFlags;
} DXGI_DDI_PRIMARY_DESC;

#endif
