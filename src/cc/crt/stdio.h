/* SPDX-License-Identifier: MIT */
/* Drivers include it and print with the kernel's functions. */
#ifndef FOREIGN_STDIO_H
#define FOREIGN_STDIO_H

#include <stddef.h>

#endif
