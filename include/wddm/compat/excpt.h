/* SPDX-License-Identifier: MIT */
/* Structured exceptions: see wdm_rtl.h. */
#ifndef WDDM_EXCPT_H
#define WDDM_EXCPT_H

#include <ntddk.h>

#endif
