/* SPDX-License-Identifier: MIT */
/*
 * Interfaces for the brightness of integrated panels, in three versions. Pages
 * ns-dispmprt-dxgk_brightness_interface*, nc-dispmprt-dxgk_brightness_*. What they exchange is in
 * d3dkmdt_brightness.h.
 */
#ifndef WDDM_DISPMPRT_BRIGHTNESS_H
#define WDDM_DISPMPRT_BRIGHTNESS_H

#include "d3dkmdt_brightness.h"
#include "dispmprt_device.h"

WDDM_BEGIN_DECLS

/* The type of a function and the type of a pointer to it. */
#define WDDM_BRIGHTNESS(name, ...)                                                                 \
    typedef NTSTATUS APIENTRY DXGK_BRIGHTNESS_##name(PVOID Context, __VA_ARGS__);                  \
    typedef DXGK_BRIGHTNESS_##name *PDXGK_BRIGHTNESS_##name;

#define DXGK_BRIGHTNESS_INTERFACE_VERSION_1 1

WDDM_BRIGHTNESS(GET_POSSIBLE, ULONG BufferSize, PUCHAR LevelCount, PUCHAR BrightnessLevels)
WDDM_BRIGHTNESS(SET, UCHAR Brightness)
WDDM_BRIGHTNESS(GET, PUCHAR Brightness)

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
    PDXGK_BRIGHTNESS_SET SetBrightness;
    PDXGK_BRIGHTNESS_GET GetBrightness;
} DXGK_BRIGHTNESS_INTERFACE, *PDXGK_BRIGHTNESS_INTERFACE;

#if WDDM_AT_LEAST(WIN8)

#define DXGK_BRIGHTNESS_INTERFACE_VERSION_2 2

WDDM_BRIGHTNESS(GET_CAPS, DXGK_BRIGHTNESS_CAPS *BrightnessCaps)
WDDM_BRIGHTNESS(SET_STATE, DXGK_BRIGHTNESS_STATE *BrightnessState)
WDDM_BRIGHTNESS(SET_BACKLIGHT_OPTIMIZATION, DXGK_BACKLIGHT_OPTIMIZATION_LEVEL OptimizationLevel)
WDDM_BRIGHTNESS(GET_BACKLIGHT_REDUCTION, DXGK_BACKLIGHT_INFO *BacklightInfo)

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_INTERFACE_2 {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
    PDXGK_BRIGHTNESS_SET SetBrightness;
    PDXGK_BRIGHTNESS_GET GetBrightness;
    PDXGK_BRIGHTNESS_GET_CAPS GetBrightnessCaps;
    PDXGK_BRIGHTNESS_SET_STATE SetBrightnessState;
    PDXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION SetBacklightOptimization;
    PDXGK_BRIGHTNESS_GET_BACKLIGHT_REDUCTION GetBacklightReduction;
} DXGK_BRIGHTNESS_INTERFACE_2, *PDXGK_BRIGHTNESS_INTERFACE_2;

#endif

#if WDDM_AT_LEAST(WDDM2_4)

#define DXGK_BRIGHTNESS_INTERFACE_VERSION_3 3

/* The length of the list of ranges is printed nowhere: the name alone. */
typedef struct _DXGK_BRIGHTNESS_GET_NIT_RANGES_OUT DXGK_BRIGHTNESS_GET_NIT_RANGES_OUT,
    *PDXGK_BRIGHTNESS_GET_NIT_RANGES_OUT;

WDDM_BRIGHTNESS(SET_3, ULONG ChildUid, PDXGK_BRIGHTNESS_SET_IN pIn)
WDDM_BRIGHTNESS(GET_3, ULONG ChildUid, PDXGK_BRIGHTNESS_GET_OUT pOut)
WDDM_BRIGHTNESS(GET_CAPS_3, ULONG ChildUid, DXGK_BRIGHTNESS_CAPS *pBrightnessCaps)
WDDM_BRIGHTNESS(GET_NIT_RANGES, ULONG ChildUid, PDXGK_BRIGHTNESS_GET_NIT_RANGES_OUT pOut)
WDDM_BRIGHTNESS(SET_BACKLIGHT_OPTIMIZATION_3, ULONG ChildUid,
                DXGK_BACKLIGHT_OPTIMIZATION_LEVEL OptimizationLevel)

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_INTERFACE_3 {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGK_BRIGHTNESS_SET_3 SetBrightness;
    PDXGK_BRIGHTNESS_GET_3 GetBrightness;
    PDXGK_BRIGHTNESS_GET_CAPS_3 GetBrightnessCaps;
    PDXGK_BRIGHTNESS_GET_NIT_RANGES GetNitRanges;
    PDXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION_3 SetBacklightOptimization;
} DXGK_BRIGHTNESS_INTERFACE_3, *PDXGK_BRIGHTNESS_INTERFACE_3;

#endif

#undef WDDM_BRIGHTNESS

WDDM_END_DECLS

#endif
