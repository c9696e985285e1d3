/* SPDX-License-Identifier: MIT */
/*
 * support.c - what the compiler refers to by name in an image, and no kernel exports.
 */
#include <ntddk.h>

/* Somewhere there is floating point. */
int _fltused = 1;

/* Called in place of a virtual function that has no body. */
DECLSPEC_NORETURN void _purecall(void);
DECLSPEC_NORETURN void _purecall(void) {
    KeBugCheckEx(0x1e, (ULONG)STATUS_NOT_IMPLEMENTED, 0, 0, 0);
}
