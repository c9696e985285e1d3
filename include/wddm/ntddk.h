/* SPDX-License-Identifier: MIT */
/* The subset of the kernel programming interface that display miniports use in their memory
 * code. */
#ifndef WDDM_NTDDK_H
#define WDDM_NTDDK_H

#include "ntdef.h"
#include "ntstatus.h"
#include "wdm_memory.h"
#include "wdm_sync.h"
#include "wdm_rtl.h"
#include "wdm_io.h"
#include "wdm_objects.h"
#include "wdm_pci.h"
#include "wddm_version.h"

#endif
