/* SPDX-License-Identifier: MIT */
/* What ntoskrnl exports of stdlib.h and ctype.h; a driver allocates with the kernel's functions. See
 * number.c, kind.c and order.c. */
#ifndef FOREIGN_STDLIB_H
#define FOREIGN_STDLIB_H

#include <stddef.h>

#include "foreign.h"

#ifdef __cplusplus
extern "C" {
#endif
int FOREIGN_CALL abs(int n);
int FOREIGN_CALL atoi(const char *text);
FOREIGN_LONG FOREIGN_CALL atol(const char *text);
FOREIGN_LONG FOREIGN_CALL strtol(const char *text, char **end, int base);
FOREIGN_ULONG FOREIGN_CALL strtoul(const char *text, char **end, int base);
int FOREIGN_CALL rand(void);
void FOREIGN_CALL srand(unsigned seed);
int FOREIGN_CALL tolower(int c);
int FOREIGN_CALL toupper(int c);
FOREIGN_WIDE FOREIGN_CALL towlower(FOREIGN_WIDE c);
FOREIGN_WIDE FOREIGN_CALL towupper(FOREIGN_WIDE c);
int FOREIGN_CALL isdigit(int c);
int FOREIGN_CALL islower(int c);
int FOREIGN_CALL isprint(int c);
int FOREIGN_CALL isspace(int c);
int FOREIGN_CALL isupper(int c);
int FOREIGN_CALL isxdigit(int c);
/* The order of two elements: less than 0, 0, greater than 0. */
typedef int(FOREIGN_CALL *foreign_order)(const void *a, const void *b);
void FOREIGN_CALL qsort(void *base, size_t count, size_t bytes, foreign_order compare);
void *FOREIGN_CALL bsearch(const void *key, const void *base, size_t count, size_t bytes,
                           foreign_order compare);
#ifdef __cplusplus
}
#endif

#endif
