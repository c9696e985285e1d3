/* SPDX-License-Identifier: MIT */
/* The memory functions of a kernel, for code compiled with Windows' conventions; see memory.c. */
#ifndef FOREIGN_STRING_H
#define FOREIGN_STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
#ifdef __cplusplus
}
#endif

#endif
