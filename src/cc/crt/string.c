/* SPDX-License-Identifier: MIT */
/* Strings of bytes; see text.inc. */
#include "string.h"

#define CHAR       char
#define UNSIGNED   unsigned char
#define NAME(name) string_##name
#define LENGTH     strlen
#define NLENGTH    strnlen
#define COMPARE    strcmp
#define NCOMPARE   strncmp
#define ICOMPARE   _stricmp
#define NICOMPARE  _strnicmp
#define COPY       strcpy
#define NCOPY      strncpy
#define APPEND     strcat
#define NAPPEND    strncat
#define FIND       strchr
#define FINDLAST   strrchr
#define PART       strstr
#define COPYS      strcpy_s
#define CATS       strcat_s

#include "text.inc"
