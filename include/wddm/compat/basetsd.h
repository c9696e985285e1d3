/* SPDX-License-Identifier: MIT */
/* Sizes of types. */
#ifndef WDDM_BASETSD_H
#define WDDM_BASETSD_H

#include <ntdef.h>

#endif
