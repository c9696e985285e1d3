/* SPDX-License-Identifier: MIT */
/*
 * What a compiler calls unasked. A driver that is compiled with Windows' calling convention for
 * everything cannot use the C library of the process, which has another one, so these are linked
 * into it. Compile with -fno-builtin, or each becomes a call of itself.
 */
#include "string.h"

/* Eight bytes at any address, of any type. */
typedef unsigned long long word __attribute__((may_alias, aligned(1)));

/* Whole words are read before they are written, so `to` may lie in front of `from` by any distance. */
static void copy_up(unsigned char *to, const unsigned char *from, size_t bytes) {
    for (; bytes >= sizeof(word); to += sizeof(word), from += sizeof(word), bytes -= sizeof(word))
        *(word *)to = *(const word *)from;
    while (bytes-- > 0)
        *to++ = *from++;
}

static void copy_down(unsigned char *to, const unsigned char *from, size_t bytes) {
    for (; bytes >= sizeof(word); bytes -= sizeof(word))
        *(word *)(to + bytes - sizeof(word)) = *(const word *)(from + bytes - sizeof(word));
    while (bytes-- > 0)
        to[bytes] = from[bytes];
}

FOREIGN_FUNCTION void *memmove(void *to, const void *from, size_t bytes) {
    if ((size_t)to - (size_t)from >= bytes)
        copy_up(to, from, bytes);
    else
        copy_down(to, from, bytes);
    return to;
}

/* ntoskrnl's two are one, and drivers rely on it. */
FOREIGN_FUNCTION void *memcpy(void *to, const void *from, size_t bytes) {
    return memmove(to, from, bytes);
}

FOREIGN_FUNCTION void *memset(void *to, int value, size_t bytes) {
    const word all = (unsigned char)value * 0x0101010101010101ull;
    unsigned char *t = to;
    for (; bytes >= sizeof(word); t += sizeof(word), bytes -= sizeof(word))
        *(word *)t = all;
    while (bytes-- > 0)
        *t++ = (unsigned char)value;
    return to;
}

FOREIGN_FUNCTION int memcmp(const void *a, const void *b, size_t bytes) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

FOREIGN_FUNCTION void *memchr(const void *in, int value, size_t bytes) {
    const unsigned char *at = in;
    for (; bytes > 0; at++, bytes--)
        if (*at == (unsigned char)value)
            return (void *)at;
    return NULL;
}

/* ERANGE where there is no room, and a target of zeros. */
FOREIGN_FUNCTION int memcpy_s(void *to, size_t room, const void *from, size_t bytes) {
    if (bytes == 0)
        return 0;
    if (!to)
        return 22;
    if (!from || bytes > room) {
        memset(to, 0, room);
        return from ? 34 : 22;
    }
    memcpy(to, from, bytes);
    return 0;
}

/* Leaves the target as it is where there is no room. */
FOREIGN_FUNCTION int memmove_s(void *to, size_t room, const void *from, size_t bytes) {
    if (bytes == 0)
        return 0;
    if (!to || !from)
        return 22;
    if (bytes > room)
        return 34;
    memmove(to, from, bytes);
    return 0;
}

/* Where a call of a function that no class defines would go. */
FOREIGN_FUNCTION void __cxa_pure_virtual(void) {
    __builtin_trap();
}
