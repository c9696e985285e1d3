/* SPDX-License-Identifier: MIT */
/* Control codes of requests: see wdm_objects.h. */
#ifndef WDDM_DEVIOCTL_H
#define WDDM_DEVIOCTL_H

#include "ntddk.h"

#ifndef FILE_DEVICE_VIDEO
#define FILE_DEVICE_VIDEO   0x00000023
#define FILE_DEVICE_UNKNOWN 0x00000022
#endif

#endif
