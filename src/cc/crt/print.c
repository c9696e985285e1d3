/* SPDX-License-Identifier: MIT */
/*
 * Printing into strings, by the kernel's ntstrsafe functions. Unlike those, _vsnprintf fills the
 * room without a terminator where the text ends with the room or beyond: it is printed here first.
 */
#include "stdio.h"

#include <ntstrsafe.h>

#define LOCAL __attribute__((visibility("hidden")))
#define KEPT  1024 /* of longer rooms, the last character is a terminator */

#define PRINT_FUNCTIONS(type, vprint, print, print_s, safe)                                        \
    LOCAL int vprint(type *to, size_t room, const type *format, va_list arguments) {               \
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
    LOCAL int print(type *to, size_t room, const type *format, ...) {                              \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        int length = vprint(to, room, format, arguments);                                          \
        va_end(arguments);                                                                         \
        return length;                                                                             \
    }                                                                                              \
    LOCAL int print_s(type *to, size_t room, const type *format, ...) {                            \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        int length = vprint(to, room, format, arguments);                                          \
        va_end(arguments);                                                                         \
        if (room > 0 && (length < 0 || (size_t)length == room))                                    \
            to[0] = 0;                                                                             \
        return (size_t)length == room ? -1 : length;                                               \
    }

PRINT_FUNCTIONS(char, _vsnprintf, _snprintf, sprintf_s, RtlStringCchVPrintfA)
PRINT_FUNCTIONS(__WCHAR_TYPE__, _vsnwprintf, _snwprintf, swprintf_s, RtlStringCchVPrintfW)

LOCAL int vsprintf(char *to, const char *format, va_list arguments) {
    return _vsnprintf(to, 0x10000, format, arguments);
}

LOCAL int sprintf(char *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf(to, format, arguments);
    va_end(arguments);
    return length;
}
