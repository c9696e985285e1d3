/* SPDX-License-Identifier: MIT */
/*
 * Brightness of integrated panels as data: levels, ranges, sensors, backlight. Pages
 * ns-d3dkmdt-_dxgk_brightness_*, ns-d3dkmdt-_dxgk_backlight_info. The interfaces are in
 * dispmprt_brightness.h.
 */
#ifndef WDDM_D3DKMDT_BRIGHTNESS_H
#define WDDM_D3DKMDT_BRIGHTNESS_H

#include "d3dukmdt_color.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WIN8)

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SmoothBrightness : 1;
            UINT AdaptiveBrightness : 1;
            UINT NitsBrightness : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_BRIGHTNESS_CAPS;

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_STATE {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SmoothBrightness : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_BRIGHTNESS_STATE;

typedef enum _DXGK_BACKLIGHT_OPTIMIZATION_LEVEL {
    DxgkBacklightOptimizationDisable = 0,
    DxgkBacklightOptimizationDesktop = 1,
    DxgkBacklightOptimizationDynamic = 2,
    DxgkBacklightOptimizationDimmed = 3,
#if WDDM_AT_LEAST(WDDM2_4)
    DxgkBacklightOptimizationEDR = 4
#endif
} DXGK_BACKLIGHT_OPTIMIZATION_LEVEL;

/* Both levels go up to 65535. */
typedef struct WDDM_LAYOUT _DXGK_BACKLIGHT_INFO {
    USHORT BacklightUsersetting;
    USHORT BacklightEffective;
    D3DDDI_GAMMA_RAMP_RGB256x3x16 GammaRamp;
} DXGK_BACKLIGHT_INFO;

#endif

#if WDDM_AT_LEAST(WDDM2_4)

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_SENSOR_DATA_CHROMATICITY {
    FLOAT ChromaticityX;
    FLOAT ChromaticityY;
} DXGK_BRIGHTNESS_SENSOR_DATA_CHROMATICITY;

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_SENSOR_DATA {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            ULONG AlsReadingValid : 1;
            ULONG ChromaticityValid : 1;
            ULONG ColorTemperatureValid : 1;
            ULONG Reserved : 29;
        } Flags;
        ULONG ValidSensorValues;
    };
    ULONG Size;
    FLOAT AlsReading;
    DXGK_BRIGHTNESS_SENSOR_DATA_CHROMATICITY Chromaticity;
    FLOAT ColorTemperature;
} DXGK_BRIGHTNESS_SENSOR_DATA;

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_SET_IN {
    ULONG BrightnessMillinits;
    ULONG TransitionTimeMs;
    DXGK_BRIGHTNESS_SENSOR_DATA SensorReadings;
} DXGK_BRIGHTNESS_SET_IN, *PDXGK_BRIGHTNESS_SET_IN;

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_GET_OUT {
    ULONG CurrentBrightnessMillinits;
    ULONG TargetBrightnessMillinits;
} DXGK_BRIGHTNESS_GET_OUT, *PDXGK_BRIGHTNESS_GET_OUT;

typedef struct WDDM_LAYOUT _DXGK_BRIGHTNESS_NIT_RANGE {
    ULONG MinimumLevelMillinit;
    ULONG MaximumLevelMillinit;
    ULONG StepSizeMillinit;
} DXGK_BRIGHTNESS_NIT_RANGE;

#endif

WDDM_END_DECLS

#endif
