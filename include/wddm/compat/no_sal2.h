/* SPDX-License-Identifier: MIT */
/* Annotations, for compilers without them. */
#ifndef WDDM_NO_SAL2_H
#define WDDM_NO_SAL2_H

#include <wddm_sal.h>

#endif
