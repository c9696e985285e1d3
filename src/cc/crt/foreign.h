/* SPDX-License-Identifier: MIT */
/*
 * What the C functions of ntoskrnl are made of: Windows' calling convention and its sizes.
 *
 * They are compiled twice: into each driver that is built as a shared object, by a compiler for
 * Windows, where these words are the compiler's own; and into the host for driver images, where
 * src/host/image/crt_names.h is included first and says what they are.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#ifndef FOREIGN_CALL
#define FOREIGN_CALL                   /* of each declaration */
#define FOREIGN_FUNCTION               __attribute__((visibility("hidden"))) /* of each definition */
#define FOREIGN_VA_LIST                va_list
#define FOREIGN_VA_START(list, before) va_start(list, before)
#define FOREIGN_VA_END(list)           va_end(list)
#endif

/* What L"..." is made of: 16 bits. In C, wchar_t is a type of the kernel's headers. */
#ifndef FOREIGN_WIDE
#ifdef __cplusplus
#define FOREIGN_WIDE wchar_t
#else
#define FOREIGN_WIDE __WCHAR_TYPE__
#endif
#endif

/* 32 bits, as in Windows. */
#if __SIZEOF_LONG__ == 4
#define FOREIGN_LONG  long
#define FOREIGN_ULONG unsigned long
#else
#define FOREIGN_LONG  int
#define FOREIGN_ULONG unsigned
#endif

#endif
