/* SPDX-License-Identifier: MIT */
/* What ntoskrnl exports of stdlib.h; a driver allocates with the kernel's functions. See number.c. */
#ifndef FOREIGN_STDLIB_H
#define FOREIGN_STDLIB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
int abs(int n);
int atoi(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
int rand(void);
void srand(unsigned seed);
int tolower(int c);
int toupper(int c);
int isdigit(int c);
int isspace(int c);
void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t bytes,
              int (*compare)(const void *, const void *));
#ifdef __cplusplus
}
#endif

#endif
