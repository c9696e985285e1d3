/* SPDX-License-Identifier: MIT */
/* Error codes that video miniports return to user mode: those of winerror.h. */
#ifndef WDDM_DDERROR_H
#define WDDM_DDERROR_H

#include "compat/winerror.h"

#endif
