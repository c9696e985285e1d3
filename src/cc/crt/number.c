/* SPDX-License-Identifier: MIT */
/* Numbers, order and search of stdlib.h, as a kernel without a locale has them. */
#include "stdlib.h"

#include <limits.h>

#include "string.h"

#define LOCAL __attribute__((visibility("hidden")))

LOCAL int abs(int n) {
    return n < 0 ? -n : n;
}

LOCAL int tolower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

LOCAL int toupper(int c) {
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

LOCAL int isdigit(int c) {
    return c >= '0' && c <= '9';
}

LOCAL int isspace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int digit_of(char c) {
    if (isdigit(c))
        return c - '0';
    int small = tolower(c);
    return small >= 'a' && small <= 'z' ? small - 'a' + 10 : 99;
}

/* The number without its sign; *over: it is greater than unsigned long has. */
static unsigned long read_number(const char **at, int base, int *over) {
    const char *text = *at;
    unsigned long long number = 0;
    if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
        digit_of(text[2]) < 16) {
        text += 2;
        base = 16;
    }
    if (base == 0)
        base = text[0] == '0' ? 8 : 10;
    for (; digit_of(*text) < base; text++) {
        number = number * (unsigned)base + (unsigned)digit_of(*text);
        *over |= number > ULONG_MAX;
        number = *over ? ULONG_MAX : number;
        *at = text + 1;
    }
    return (unsigned long)number;
}

static unsigned long read_signed(const char *text, char **end, int base, int *over, int *minus) {
    const char *at = text;
    while (isspace(*at))
        at++;
    *minus = *at == '-';
    at += *at == '-' || *at == '+';
    const char *digits = at;
    unsigned long number = read_number(&at, base, over);
    if (end)
        *end = (char *)(at == digits ? text : at);
    return number;
}

LOCAL unsigned long strtoul(const char *text, char **end, int base) {
    int over = 0, minus;
    unsigned long number = read_signed(text, end, base, &over, &minus);
    return minus && !over ? 0ul - number : number;
}

LOCAL long strtol(const char *text, char **end, int base) {
    int over = 0, minus;
    unsigned long number = read_signed(text, end, base, &over, &minus);
    if (minus)
        return over || number > (unsigned long)LONG_MAX ? LONG_MIN : -(long)number;
    return over || number > (unsigned long)LONG_MAX ? LONG_MAX : (long)number;
}

LOCAL int atoi(const char *text) {
    return strtol(text, NULL, 10);
}

static unsigned random_state = 1;

LOCAL void srand(unsigned seed) {
    random_state = seed;
}

LOCAL int rand(void) {
    random_state = random_state * 1103515245u + 12345u;
    return (int)(random_state >> 16 & 0x7fff);
}

static void swap(char *a, char *b, size_t bytes) {
    while (bytes-- > 0) {
        char c = *a;
        *a++ = *b;
        *b++ = c;
    }
}

/* A heap: no memory, no stack, n log n in every case. */
static void sift(char *base, size_t root, size_t count, size_t bytes,
                 int (*compare)(const void *, const void *)) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(base + child * bytes, base + (child + 1) * bytes) < 0)
            child++;
        if (compare(base + root * bytes, base + child * bytes) >= 0)
            return;
        swap(base + root * bytes, base + child * bytes, bytes);
    }
}

LOCAL void qsort(void *base, size_t count, size_t bytes,
                 int (*compare)(const void *, const void *)) {
    for (size_t i = count / 2; i-- > 0;)
        sift(base, i, count, bytes, compare);
    for (size_t last = count; last-- > 1;) {
        swap(base, (char *)base + last * bytes, bytes);
        sift(base, 0, last, bytes, compare);
    }
}

LOCAL void *bsearch(const void *key, const void *base, size_t count, size_t bytes,
                    int (*compare)(const void *, const void *)) {
    const char *low = base;
    for (; count > 0; count /= 2) {
        const char *middle = low + count / 2 * bytes;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            low = middle + bytes;
            count--;
        }
    }
    return NULL;
}
