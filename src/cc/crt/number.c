/* SPDX-License-Identifier: MIT */
/* Numbers of stdlib.h. */
#include "stdlib.h"

#include <limits.h>

FOREIGN_FUNCTION int abs(int n) {
    return n < 0 ? (int)(0u - (unsigned)n) : n;
}

static int digit_of(char c) {
    if (isdigit(c))
        return c - '0';
    int small = tolower(c);
    return small >= 'a' && small <= 'z' ? small - 'a' + 10 : 99;
}

/* The number without its sign; *over: it is greater than the type has. */
static FOREIGN_ULONG read_number(const char **at, int base, int *over) {
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
        *over |= number > UINT_MAX;
        number = *over ? UINT_MAX : number;
        *at = text + 1;
    }
    return (FOREIGN_ULONG)number;
}

static FOREIGN_ULONG read_signed(const char *text, char **end, int base, int *over, int *minus) {
    const char *at = text;
    while (isspace(*at))
        at++;
    *minus = *at == '-';
    at += *at == '-' || *at == '+';
    const char *digits = at;
    FOREIGN_ULONG number = read_number(&at, base, over);
    if (end)
        *end = (char *)(at == digits ? text : at);
    return number;
}

FOREIGN_FUNCTION FOREIGN_ULONG strtoul(const char *text, char **end, int base) {
    int over = 0, minus;
    FOREIGN_ULONG number = read_signed(text, end, base, &over, &minus);
    return minus && !over ? 0u - number : number;
}

FOREIGN_FUNCTION FOREIGN_LONG strtol(const char *text, char **end, int base) {
    int over = 0, minus;
    FOREIGN_ULONG number = read_signed(text, end, base, &over, &minus);
    if (minus)
        return over || number > (FOREIGN_ULONG)INT_MAX ? INT_MIN : -(FOREIGN_LONG)number;
    return over || number > (FOREIGN_ULONG)INT_MAX ? INT_MAX : (FOREIGN_LONG)number;
}

FOREIGN_FUNCTION int atoi(const char *text) {
    return strtol(text, NULL, 10);
}

FOREIGN_FUNCTION FOREIGN_LONG atol(const char *text) {
    return strtol(text, NULL, 10);
}

static unsigned random_state = 1;

FOREIGN_FUNCTION void srand(unsigned seed) {
    random_state = seed;
}

FOREIGN_FUNCTION int rand(void) {
    random_state = random_state * 1103515245u + 12345u;
    return (int)(random_state >> 16 & 0x7fff);
}
