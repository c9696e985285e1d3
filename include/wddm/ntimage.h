/* SPDX-License-Identifier: MIT */
/* Layouts of images, which a driver's sources include and do not read here. */
#ifndef WDDM_NTIMAGE_H
#define WDDM_NTIMAGE_H

#include <ntdef.h>

#endif
