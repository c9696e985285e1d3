/* SPDX-License-Identifier: MIT */
/* The kernel interface of file systems, of which display drivers take what ntddk.h has and processes. */
#ifndef WDDM_NTIFS_H
#define WDDM_NTIFS_H

#include <ntddk.h>

#endif
