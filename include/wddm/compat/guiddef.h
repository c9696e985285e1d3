/* SPDX-License-Identifier: MIT */
/* GUID and its macros. */
#ifndef WDDM_GUIDDEF_H
#define WDDM_GUIDDEF_H

#include <ntdef.h>

#endif
