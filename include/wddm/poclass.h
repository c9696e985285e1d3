/* SPDX-License-Identifier: MIT */
/* Power classes; the names of power settings are in initguid's users. */
#ifndef WDDM_POCLASS_H
#define WDDM_POCLASS_H

#include <ntddk.h>

#endif
