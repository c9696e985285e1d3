/* SPDX-License-Identifier: MIT */
/* Error codes of user mode, as far as drivers return them to it; numbers as published in [MS-ERREF]. */
#ifndef WDDM_WINERROR_H
#define WDDM_WINERROR_H

#include "ntdef.h"

#define NO_ERROR                  0
#define ERROR_SUCCESS             0
#define ERROR_INVALID_FUNCTION    1
#define ERROR_FILE_NOT_FOUND      2
#define ERROR_ACCESS_DENIED       5
#define ERROR_NOT_ENOUGH_MEMORY   8
#define ERROR_DEV_NOT_EXIST       55
#define ERROR_INVALID_PARAMETER   87
#define ERROR_INSUFFICIENT_BUFFER 122
#define ERROR_MORE_DATA           234
#define ERROR_IO_PENDING          997
#define ERROR_NOT_SUPPORTED       50

#endif
