/* SPDX-License-Identifier: MIT */
/* What ntoskrnl exports of stdio.h; see print.c. */
#ifndef FOREIGN_STDIO_H
#define FOREIGN_STDIO_H

#include <stdarg.h>
#include <stddef.h>

/* What L"..." is made of. */
#ifndef FOREIGN_WIDE
#ifdef __cplusplus
#define FOREIGN_WIDE wchar_t
#else
#define FOREIGN_WIDE __WCHAR_TYPE__
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
int _vsnprintf(char *to, size_t room, const char *format, va_list arguments);
int _vsnwprintf(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format, va_list arguments);
int _snprintf(char *to, size_t room, const char *format, ...);
int _snwprintf(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format, ...);
int sprintf(char *to, const char *format, ...);
int vsprintf(char *to, const char *format, va_list arguments);
int sprintf_s(char *to, size_t room, const char *format, ...);
int swprintf_s(FOREIGN_WIDE *to, size_t room, const FOREIGN_WIDE *format, ...);
#ifdef __cplusplus
}
#endif

#endif
