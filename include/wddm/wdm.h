/* SPDX-License-Identifier: MIT */
/* Drivers include either name; both give the same subset. */
#ifndef WDDM_WDM_H
#define WDDM_WDM_H

#include "ntddk.h"

#endif
