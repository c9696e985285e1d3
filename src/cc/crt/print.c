/* SPDX-License-Identifier: MIT */
/*
 * Printing into strings, by the kernel's ntstrsafe functions. Unlike those, _vsnprintf fills the
 * room without a terminator where the text ends with the room or beyond: it is printed here first.
 */
#include "stdio.h"

#include <ntdef.h> /* NTSTATUS, NTAPI */

/* Those of the kernel, without their IRQL, of which C functions say nothing (src/host/text/print.h). */
NTSTATUS NTAPI vidmm_host_print_narrow(char *text, size_t room, const char *format,
                                       FOREIGN_VA_LIST arguments);
NTSTATUS NTAPI vidmm_host_print_wide(__WCHAR_TYPE__ *text, size_t room,
                                     const __WCHAR_TYPE__ *format, FOREIGN_VA_LIST arguments);

#define KEPT 1024 /* of longer rooms, the last character is a terminator */

#define PRINT_FUNCTIONS(type, vprint, print, vprint_s, print_s, safe)                              \
    FOREIGN_FUNCTION int vprint(type *to, size_t room, const type *format,                         \
                                FOREIGN_VA_LIST arguments) {                                       \
        type kept[KEPT + 1];                                                                       \
        int small = room < KEPT;                                                                   \
        type *text = small ? kept : to;                                                            \
        NTSTATUS status = safe(text, small ? room + 1 : room, format, arguments);                  \
        size_t length = 0;                                                                         \
        while (text[length] != 0)                                                                  \
            length++;                                                                              \
        for (size_t i = 0; small && i < room && i <= length; i++)                                  \
            to[i] = kept[i];                                                                       \
        return status >= 0 ? (int)length : -1;                                                     \
    }                                                                                              \
    FOREIGN_FUNCTION int print(type *to, size_t room, const type *format, ...) {                   \
        FOREIGN_VA_LIST arguments;                                                                 \
        FOREIGN_VA_START(arguments, format);                                                       \
        int length = vprint(to, room, format, arguments);                                          \
        FOREIGN_VA_END(arguments);                                                                 \
        return length;                                                                             \
    }                                                                                              \
    FOREIGN_FUNCTION int vprint_s(type *to, size_t room, const type *format,                       \
                                  FOREIGN_VA_LIST arguments) {                                     \
        int length = vprint(to, room, format, arguments);                                          \
        if (room > 0 && (length < 0 || (size_t)length == room))                                    \
            to[0] = 0;                                                                             \
        return length >= 0 && (size_t)length == room ? -1 : length;                                \
    }                                                                                              \
    FOREIGN_FUNCTION int print_s(type *to, size_t room, const type *format, ...) {                 \
        FOREIGN_VA_LIST arguments;                                                                 \
        FOREIGN_VA_START(arguments, format);                                                       \
        int length = vprint_s(to, room, format, arguments);                                        \
        FOREIGN_VA_END(arguments);                                                                 \
        return length;                                                                             \
    }

PRINT_FUNCTIONS(char, _vsnprintf, _snprintf, vsprintf_s, sprintf_s, vidmm_host_print_narrow)
PRINT_FUNCTIONS(__WCHAR_TYPE__, _vsnwprintf, _snwprintf, vswprintf_s, swprintf_s,
                vidmm_host_print_wide)

FOREIGN_FUNCTION int vsprintf(char *to, const char *format, FOREIGN_VA_LIST arguments) {
    return _vsnprintf(to, 0x10000, format, arguments);
}

FOREIGN_FUNCTION int sprintf(char *to, const char *format, ...) {
    FOREIGN_VA_LIST arguments;
    FOREIGN_VA_START(arguments, format);
    int length = vsprintf(to, format, arguments);
    FOREIGN_VA_END(arguments);
    return length;
}
