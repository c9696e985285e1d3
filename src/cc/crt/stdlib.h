/* SPDX-License-Identifier: MIT */
/* Drivers include it and allocate with the kernel's functions. */
#ifndef FOREIGN_STDLIB_H
#define FOREIGN_STDLIB_H

#include <stddef.h>

#endif
