/* SPDX-License-Identifier: MIT */
/* Annotations in their older form. */
#ifndef WDDM_SPECSTRINGS_H
#define WDDM_SPECSTRINGS_H

#include <wddm_sal.h>

#endif
