/* SPDX-License-Identifier: MIT */
/* Wide strings: string.h has them. */
#ifndef FOREIGN_WCHAR_H
#define FOREIGN_WCHAR_H

#include "stdio.h"
#include "string.h"

#endif
