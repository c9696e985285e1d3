/* SPDX-License-Identifier: MIT */
/*
 * What display drivers still take from the video port: the description of a mode (page
 * ns-ntddvdeo-_video_mode_information) and the request packet (ns-video-_video_request_packet).
 */
#ifndef WDDM_NTDDVDEO_H
#define WDDM_NTDDVDEO_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

/* AttributeFlags */
#define VIDEO_MODE_COLOR            0x0001
#define VIDEO_MODE_GRAPHICS         0x0002
#define VIDEO_MODE_PALETTE_DRIVEN   0x0004
#define VIDEO_MODE_MANAGED_PALETTE  0x0008
#define VIDEO_MODE_INTERLACED       0x0010
#define VIDEO_MODE_NO_OFF_SCREEN    0x0020
#define VIDEO_MODE_NO_64_BIT_ACCESS 0x0040

typedef struct WDDM_LAYOUT _VIDEO_MODE_INFORMATION {
    ULONG Length;
    ULONG ModeIndex;
    ULONG VisScreenWidth;
    ULONG VisScreenHeight;
    ULONG ScreenStride;
    ULONG NumberOfPlanes;
    ULONG BitsPerPlane;
    ULONG Frequency;
    ULONG XMillimeter;
    ULONG YMillimeter;
    ULONG NumberRedBits;
    ULONG NumberGreenBits;
    ULONG NumberBlueBits;
    ULONG RedMask;
    ULONG GreenMask;
    ULONG BlueMask;
    ULONG AttributeFlags;
    ULONG VideoMemoryBitmapWidth;
    ULONG VideoMemoryBitmapHeight;
    ULONG DriverSpecificAttributeFlags;
} VIDEO_MODE_INFORMATION, *PVIDEO_MODE_INFORMATION;

typedef struct WDDM_LAYOUT _STATUS_BLOCK {
    union WDDM_LAYOUT {
        LONG Status;
        PVOID Pointer;
    };
    ULONG_PTR Information;
} STATUS_BLOCK, *PSTATUS_BLOCK;

typedef struct WDDM_LAYOUT _VIDEO_REQUEST_PACKET {
    ULONG IoControlCode;
    PSTATUS_BLOCK StatusBlock;
    PVOID InputBuffer;
    ULONG InputBufferLength;
    PVOID OutputBuffer;
    ULONG OutputBufferLength;
} VIDEO_REQUEST_PACKET, *PVIDEO_REQUEST_PACKET;

WDDM_END_DECLS

#endif
