/* SPDX-License-Identifier: MIT */
/*
 * The C functions on memory and strings that ntoskrnl exports, for code compiled with Windows'
 * conventions; see memory.c, string.c, wide.c.
 */
#ifndef FOREIGN_STRING_H
#define FOREIGN_STRING_H

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
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
int memcpy_s(void *to, size_t room, const void *from, size_t bytes);
#ifdef __cplusplus
}
#endif

/* One set for each type of character. In C, wchar_t is a type of the kernel's headers. */
#define FOREIGN_STRINGS(length, nlength, compare, ncompare, copy, ncopy, append, find, findlast,   \
                        part, icompare, copys, cats, type)                                         \
    size_t length(const type *text);                                                               \
    size_t nlength(const type *text, size_t most);                                                 \
    int compare(const type *a, const type *b);                                                     \
    int ncompare(const type *a, const type *b, size_t most);                                       \
    type *copy(type *to, const type *from);                                                        \
    type *ncopy(type *to, const type *from, size_t most);                                          \
    type *append(type *to, const type *from);                                                      \
    type *find(const type *text, int c);                                                           \
    type *findlast(const type *text, int c);                                                       \
    type *part(const type *text, const type *part_);                                               \
    int icompare(const type *a, const type *b);                                                    \
    int copys(type *to, size_t room, const type *from);                                            \
    int cats(type *to, size_t room, const type *from);

#ifdef __cplusplus
extern "C" {
#endif
FOREIGN_STRINGS(strlen, strnlen, strcmp, strncmp, strcpy, strncpy, strcat, strchr, strrchr, strstr,
                _stricmp, strcpy_s, strcat_s, char)
FOREIGN_STRINGS(wcslen, wcsnlen, wcscmp, wcsncmp, wcscpy, wcsncpy, wcscat, wcschr, wcsrchr, wcsstr,
                _wcsicmp, wcscpy_s, wcscat_s, FOREIGN_WIDE)
int _strnicmp(const char *a, const char *b, size_t most);
int _wcsnicmp(const FOREIGN_WIDE *a, const FOREIGN_WIDE *b, size_t most);
#ifdef __cplusplus
}
#endif

#endif
