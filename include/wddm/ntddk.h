/* SPDX-License-Identifier: MIT */
/* The subset of the kernel programming interface that display miniports use in their memory
 * code. */
#ifndef WDDM_NTDDK_H
#define WDDM_NTDDK_H

/* What sources ask to know which of the kernel's headers they have. */
#define _NTDDK_

#include <stdarg.h>

#include "ntdef.h"
#include "ntstatus.h"
#include "wdm_memory.h"
#include "wdm_sync.h"
#include "wdm_rtl.h"
#include "wdm_strings.h"
#include "wdm_interlocked.h"
#include "wdm_locks.h"
#include "wdm_library.h"
#include "wdm_io.h"
#include "wdm_objects.h"
#include "wdm_irp.h"
#include "wdm_queue.h"
#include "wdm_sections.h"
#include "wdm_security.h"
#include "wdm_dma.h"
#include "wdm_power.h"
#include "wdm_system.h"
#include "wdm_pci.h"
#include "wddm_version.h"

#endif
