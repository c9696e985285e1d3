/* SPDX-License-Identifier: MIT */
/* Basic types of windef.h. */
#ifndef WDDM_MINWINDEF_H
#define WDDM_MINWINDEF_H

#include <windef.h>

#endif
