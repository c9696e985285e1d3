/* SPDX-License-Identifier: MIT */
/* Microsoft's intrinsics: see wdm_interlocked.h. */
#ifndef WDDM_INTRIN_H
#define WDDM_INTRIN_H

#include "ntddk.h"

#endif
