/* SPDX-License-Identifier: MIT */
/* What ntoskrnl exports of stdio.h; see print.c. */
#ifndef FOREIGN_STDIO_H
#define FOREIGN_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#include "foreign.h"

#ifdef __cplusplus
extern "C" {
#endif
int FOREIGN_CALL _vsnprintf(char *to, size_t room, const char *format, FOREIGN_VA_LIST arguments);
int FOREIGN_CALL _vsnwprintf(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format,
                             FOREIGN_VA_LIST arguments);
int FOREIGN_CALL _snprintf(char *to, size_t room, const char *format, ...);
int FOREIGN_CALL _snwprintf(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format, ...);
int FOREIGN_CALL sprintf(char *to, const char *format, ...);
int FOREIGN_CALL vsprintf(char *to, const char *format, FOREIGN_VA_LIST arguments);
int FOREIGN_CALL sprintf_s(char *to, size_t room, const char *format, ...);
int FOREIGN_CALL swprintf_s(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format, ...);
int FOREIGN_CALL vsprintf_s(char *to, size_t room, const char *format, FOREIGN_VA_LIST arguments);
int FOREIGN_CALL vswprintf_s(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format,
                             FOREIGN_VA_LIST arguments);
#ifdef __cplusplus
}
#endif

#endif
