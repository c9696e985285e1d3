/* SPDX-License-Identifier: MIT */
/*
 * What each .tmh file of a driver has: WPP's macros without a tracer (pages "WPP_INIT_TRACING",
 * "WPP_CLEANUP", "WPP_CONTROL_GUIDS"). Included again where a source included its own .tmh late.
 */
#ifndef WPP_INIT_TRACING
#define WPP_INIT_TRACING(...) ((void)0)
#endif
#ifndef WPP_CLEANUP
#define WPP_CLEANUP(...) ((void)0)
#endif
#ifndef WPP_LEVEL_ENABLED
#define WPP_LEVEL_ENABLED(...) 0
#endif
#ifndef WPP_LEVEL_LOGGER
#define WPP_LEVEL_LOGGER(...) 0,
#endif
#ifndef VIDMM_WPP_H
#define VIDMM_WPP_H
#ifdef WPP_CONTROL_GUIDS
#define WPP_DEFINE_CONTROL_GUID(Name, Guid, Bits) Bits
#define WPP_DEFINE_BIT(Name)                      WPP_BIT_##Name,
enum WPP_BITS { WPP_CONTROL_GUIDS WPP_LAST_BIT };
#undef WPP_DEFINE_CONTROL_GUID
#undef WPP_DEFINE_BIT
#endif
#endif
