/* SPDX-License-Identifier: MIT */
/* Named devices with a security descriptor: display miniports make none. */
#ifndef WDDM_WDMSEC_H
#define WDDM_WDMSEC_H

#include "ntddk.h"

#endif
