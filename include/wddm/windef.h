/* SPDX-License-Identifier: MIT */
/* The few window-manager level types that the display contract uses. */
#if defined(_WIN32) && (defined(_INC_WINDOWS) || defined(_WINDOWS_))
/* Reached from <windows.h> because this directory is on the include path: hand over to the real
 * one. */
#include_next <windef.h>
#elif !defined(WDDM_WINDEF_H)
#define WDDM_WINDEF_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT tagRECT {
    LONG left;
    LONG top;
    LONG right;
    LONG bottom;
} RECT, *PRECT, *LPRECT;
typedef const RECT *LPCRECT;

typedef struct WDDM_LAYOUT tagPOINT {
    LONG x;
    LONG y;
} POINT, *PPOINT;

typedef struct WDDM_LAYOUT tagSIZE {
    LONG cx;
    LONG cy;
} SIZE, *PSIZE;

typedef ULONG COLORREF;

WDDM_END_DECLS

#endif
