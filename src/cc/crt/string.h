/* SPDX-License-Identifier: MIT */
/*
 * The C functions on memory and strings that ntoskrnl exports, for code compiled with Windows'
 * conventions; see memory.c, string.c, wide.c.
 */
#ifndef FOREIGN_STRING_H
#define FOREIGN_STRING_H

#include <stddef.h>

#include "foreign.h"

#ifdef __cplusplus
extern "C" {
#endif
void *FOREIGN_CALL memcpy(void *to, const void *from, size_t bytes);
void *FOREIGN_CALL memmove(void *to, const void *from, size_t bytes);
void *FOREIGN_CALL memset(void *to, int value, size_t bytes);
int FOREIGN_CALL memcmp(const void *a, const void *b, size_t bytes);
void *FOREIGN_CALL memchr(const void *in, int value, size_t bytes);
int FOREIGN_CALL memcpy_s(void *to, size_t room, const void *from, size_t bytes);
int FOREIGN_CALL memmove_s(void *to, size_t room, const void *from, size_t bytes);
#ifdef __cplusplus
}
#endif

/* One set for each type of character. */
#define FOREIGN_STRINGS(length, nlength, compare, ncompare, copy, ncopy, append, nappend, find,    \
                        findlast, part, icompare, copys, cats, type)                               \
    size_t FOREIGN_CALL length(const type *text);                                                  \
    size_t FOREIGN_CALL nlength(const type *text, size_t most);                                    \
    int FOREIGN_CALL compare(const type *a, const type *b);                                        \
    int FOREIGN_CALL ncompare(const type *a, const type *b, size_t most);                          \
    type *FOREIGN_CALL copy(type *to, const type *from);                                           \
    type *FOREIGN_CALL ncopy(type *to, const type *from, size_t most);                             \
    type *FOREIGN_CALL append(type *to, const type *from);                                         \
    type *FOREIGN_CALL nappend(type *to, const type *from, size_t most);                           \
    type *FOREIGN_CALL find(const type *text, int c);                                              \
    type *FOREIGN_CALL findlast(const type *text, int c);                                          \
    type *FOREIGN_CALL part(const type *text, const type *part_);                                  \
    int FOREIGN_CALL icompare(const type *a, const type *b);                                       \
    int FOREIGN_CALL copys(type *to, size_t room, const type *from);                               \
    int FOREIGN_CALL cats(type *to, size_t room, const type *from);

#ifdef __cplusplus
extern "C" {
#endif
FOREIGN_STRINGS(strlen, strnlen, strcmp, strncmp, strcpy, strncpy, strcat, strncat, strchr, strrchr,
                strstr, _stricmp, strcpy_s, strcat_s, char)
FOREIGN_STRINGS(wcslen, wcsnlen, wcscmp, wcsncmp, wcscpy, wcsncpy, wcscat, wcsncat, wcschr, wcsrchr,
                wcsstr, _wcsicmp, wcscpy_s, wcscat_s, FOREIGN_WIDE)
int FOREIGN_CALL _strnicmp(const char *a, const char *b, size_t most);
int FOREIGN_CALL _wcsnicmp(const FOREIGN_WIDE *a, const FOREIGN_WIDE *b, size_t most);
#ifdef __cplusplus
}
#endif

#endif
