/* SPDX-License-Identifier: MIT */
/*
 * Interface versions of the display driver interface. A driver defines DXGKDDI_INTERFACE_VERSION
 * before it includes the headers to build for an older interface; without it, the newest one known
 * here (WDDM 3.2) is declared.
 */
#ifndef WDDM_VERSION_H
#define WDDM_VERSION_H

#define DXGKDDI_INTERFACE_VERSION_VISTA                             0x1052
#define DXGKDDI_INTERFACE_VERSION_VISTA_SP1                         0x1053
#define DXGKDDI_INTERFACE_VERSION_WIN7                              0x2005
#define DXGKDDI_INTERFACE_VERSION_WIN8                              0x300E
#define DXGKDDI_INTERFACE_VERSION_WDDM1_3                           0x4002
#define DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION 0x4003
#define DXGKDDI_INTERFACE_VERSION_WDDM2_0                           0x5023
#define DXGKDDI_INTERFACE_VERSION_WDDM2_1                                                          \
    0x6003 /* one docs page still prints 0x6002, see README.md */
#define DXGKDDI_INTERFACE_VERSION_WDDM2_2 0x700A
#define DXGKDDI_INTERFACE_VERSION_WDDM2_3 0x8001
#define DXGKDDI_INTERFACE_VERSION_WDDM2_4 0x9006
#define DXGKDDI_INTERFACE_VERSION_WDDM2_5 0xA00B
#define DXGKDDI_INTERFACE_VERSION_WDDM2_6 0xB004
#define DXGKDDI_INTERFACE_VERSION_WDDM2_7 0xC004
#define DXGKDDI_INTERFACE_VERSION_WDDM2_8 0xD001
#define DXGKDDI_INTERFACE_VERSION_WDDM2_9 0xE003
#define DXGKDDI_INTERFACE_VERSION_WDDM3_0 0xF003
#define DXGKDDI_INTERFACE_VERSION_WDDM3_1 0x10004
#define DXGKDDI_INTERFACE_VERSION_WDDM3_2 0x11007

#ifndef DXGKDDI_INTERFACE_VERSION
#define DXGKDDI_INTERFACE_VERSION DXGKDDI_INTERFACE_VERSION_WDDM3_2
#endif

/* WDDM_AT_LEAST(WDDM2_0) in an #if: the declared interface has everything up to that version. */
#define WDDM_AT_LEAST(v) (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_##v)

/* The system that a driver is built for, which sources compare. */
#define NTDDI_WIN7    0x06010000
#define NTDDI_WIN8    0x06020000
#define NTDDI_WINBLUE 0x06030000
#define NTDDI_WIN10   0x0A000000
#ifndef NTDDI_VERSION
#define NTDDI_VERSION NTDDI_WIN10
#endif

#define IS_OFFICIAL_DDI_INTERFACE_VERSION(v)                                                       \
    ((v) == DXGKDDI_INTERFACE_VERSION_VISTA || (v) == DXGKDDI_INTERFACE_VERSION_VISTA_SP1 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WIN7 || (v) == DXGKDDI_INTERFACE_VERSION_WIN8 ||             \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM1_3 ||                                                   \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION ||                         \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_0 || (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_1 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_2 || (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_3 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_4 || (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_5 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_6 || (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_7 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_8 || (v) == DXGKDDI_INTERFACE_VERSION_WDDM2_9 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM3_0 || (v) == DXGKDDI_INTERFACE_VERSION_WDDM3_1 ||       \
     (v) == DXGKDDI_INTERFACE_VERSION_WDDM3_2)

#endif
