/* SPDX-License-Identifier: MIT */
/* Kinds of characters, as a kernel without a locale has them: those of ASCII. */
#include "stdlib.h"

FOREIGN_FUNCTION int tolower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

FOREIGN_FUNCTION int toupper(int c) {
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

FOREIGN_FUNCTION __WCHAR_TYPE__ towlower(__WCHAR_TYPE__ c) {
    return (__WCHAR_TYPE__)tolower(c);
}

FOREIGN_FUNCTION __WCHAR_TYPE__ towupper(__WCHAR_TYPE__ c) {
    return (__WCHAR_TYPE__)toupper(c);
}

FOREIGN_FUNCTION int isdigit(int c) {
    return c >= '0' && c <= '9';
}

FOREIGN_FUNCTION int islower(int c) {
    return c >= 'a' && c <= 'z';
}

FOREIGN_FUNCTION int isupper(int c) {
    return c >= 'A' && c <= 'Z';
}

FOREIGN_FUNCTION int isprint(int c) {
    return c >= ' ' && c < 0x7f;
}

FOREIGN_FUNCTION int isspace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

FOREIGN_FUNCTION int isxdigit(int c) {
    return isdigit(c) || (tolower(c) >= 'a' && tolower(c) <= 'f');
}
