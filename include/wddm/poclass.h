/* SPDX-License-Identifier: MIT */
/* Power classes: what dispmprt.h and wdm.h have of them. */
#ifndef WDDM_POCLASS_H
#define WDDM_POCLASS_H

#include <ntddk.h>

#endif
