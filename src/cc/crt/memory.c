/* SPDX-License-Identifier: MIT */
/*
 * What a compiler calls unasked. A driver that is compiled with Windows' calling convention for
 * everything cannot use the C library of the process, which has another one, so these are linked
 * into it. Compile with -fno-builtin, or each becomes a call of itself.
 */
#include "string.h"

#define LOCAL __attribute__((visibility("hidden")))

LOCAL void *memmove(void *to, const void *from, size_t bytes) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f)
        for (size_t i = 0; i < bytes; i++)
            t[i] = f[i];
    else
        while (bytes-- > 0)
            t[bytes] = f[bytes];
    return to;
}

LOCAL void *memcpy(void *to, const void *from, size_t bytes) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < bytes; i++)
        t[i] = f[i];
    return to;
}

LOCAL void *memset(void *to, int value, size_t bytes) {
    unsigned char *t = to;
    for (size_t i = 0; i < bytes; i++)
        t[i] = (unsigned char)value;
    return to;
}

LOCAL int memcmp(const void *a, const void *b, size_t bytes) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* ERANGE where there is no room, and a target of zeros. */
LOCAL int memcpy_s(void *to, size_t room, const void *from, size_t bytes) {
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

/* Where a call of a function that no class defines would go. */
LOCAL void __cxa_pure_virtual(void) {
    __builtin_trap();
}
