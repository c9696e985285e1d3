/* SPDX-License-Identifier: MIT */
/* Bug check codes of the graphics system (the bug check reference). */
#ifndef WDDM_BUGCODES_H
#define WDDM_BUGCODES_H

#define VIDEO_DXGKRNL_FATAL_ERROR        0x00000113u
#define VIDEO_SHADOW_DRIVER_FATAL_ERROR  0x00000114u
#define VIDEO_TDR_FAILURE                0x00000116u
#define VIDEO_TDR_TIMEOUT_DETECTED       0x00000117u
#define VIDEO_MEMORY_MANAGEMENT_INTERNAL 0x0000010Eu
#define VIDEO_SCHEDULER_INTERNAL_ERROR   0x00000119u
#define VIDEO_ENGINE_TIMEOUT_DETECTED    0x00000141u

/* The first word of secondary data of a bugcheck: its number has no public page, so this one is ours. */
#ifndef DXGK_SECONDARY_BUCKETING_TAG
#define DXGK_SECONDARY_BUCKETING_TAG 0x47435344u
#endif

#endif
