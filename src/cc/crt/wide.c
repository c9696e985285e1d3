/* SPDX-License-Identifier: MIT */
/* Strings of 16-bit characters; see text.inc. */
#include "string.h"

#define CHAR       __WCHAR_TYPE__
#define UNSIGNED   unsigned short
#define NAME(name) wide_##name
#define LENGTH     wcslen
#define NLENGTH    wcsnlen
#define COMPARE    wcscmp
#define NCOMPARE   wcsncmp
#define ICOMPARE   _wcsicmp
#define NICOMPARE  _wcsnicmp
#define COPY       wcscpy
#define NCOPY      wcsncpy
#define APPEND     wcscat
#define NAPPEND    wcsncat
#define FIND       wcschr
#define FINDLAST   wcsrchr
#define PART       wcsstr
#define COPYS      wcscpy_s
#define CATS       wcscat_s

#include "text.inc"
