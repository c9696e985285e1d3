/* SPDX-License-Identifier: MIT */
/* Annotations of drivers. */
#ifndef WDDM_DRIVERSPECS_H
#define WDDM_DRIVERSPECS_H

#include <wddm_sal.h>

#endif
