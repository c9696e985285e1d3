/* SPDX-License-Identifier: MIT */
/* Annotations. */
#ifndef WDDM_SAL_H
#define WDDM_SAL_H

#include <wddm_sal.h>

#endif
