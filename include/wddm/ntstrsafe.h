/* SPDX-License-Identifier: MIT */
/*
 * Strings that are always terminated. Pages nf-ntstrsafe-*: Cb counts bytes, Cch characters, both
 * with the terminator; what does not fit is cut and answered STATUS_BUFFER_OVERFLOW, and a
 * destination of no size STATUS_INVALID_PARAMETER.
 */
#ifndef WDDM_NTSTRSAFE_H
#define WDDM_NTSTRSAFE_H

#include "ntdef.h"
#include "ntstatus.h"

WDDM_BEGIN_DECLS

#define NTSTRSAFE_MAX_CCH 2147483647u

/* Variadic with the Windows convention, as DbgPrint is. */
NTSYSAPI NTSTATUS NTAPI RtlStringCbPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCbPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCchPrintfA(PSTR Destination, SIZE_T Characters, PCSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCchPrintfW(PWSTR Destination, SIZE_T Characters, PCWSTR Format,
                                            ...);

/* Counted, without a terminator. */
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...);

/* Copy and Length for one type of character. */
#define WDDM_SAFE_STRING(letter, type, constant)                                                   \
    FORCEINLINE NTSTATUS RtlStringCchLength##letter(constant String, SIZE_T Maximum,               \
                                                    SIZE_T *Length) {                              \
        SIZE_T n = 0;                                                                              \
        while (n < Maximum && String[n] != 0)                                                      \
            n++;                                                                                   \
        if (Length)                                                                                \
            *Length = n < Maximum ? n : 0;                                                         \
        return n < Maximum ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;                            \
    }                                                                                              \
    FORCEINLINE NTSTATUS RtlStringCchCopy##letter(type Destination, SIZE_T Room,                   \
                                                  constant Source) {                               \
        SIZE_T n = 0;                                                                              \
        if (Room == 0 || Room > NTSTRSAFE_MAX_CCH)                                                 \
            return STATUS_INVALID_PARAMETER;                                                       \
        for (; n + 1 < Room && Source[n] != 0; n++)                                                \
            Destination[n] = Source[n];                                                            \
        Destination[n] = 0;                                                                        \
        return Source[n] == 0 ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;                           \
    }                                                                                              \
    FORCEINLINE NTSTATUS RtlStringCbLength##letter(constant String, SIZE_T Maximum,                \
                                                   SIZE_T *Length) {                               \
        NTSTATUS Status = RtlStringCchLength##letter(String, Maximum / sizeof(*String), Length);   \
        if (Length)                                                                                \
            *Length *= sizeof(*String);                                                            \
        return Status;                                                                             \
    }                                                                                              \
    FORCEINLINE NTSTATUS RtlStringCbCopy##letter(type Destination, SIZE_T Room, constant Source) { \
        return RtlStringCchCopy##letter(Destination, Room / sizeof(*Source), Source);              \
    }

WDDM_SAFE_STRING(A, PSTR, PCSTR)
WDDM_SAFE_STRING(W, PWSTR, PCWSTR)
#undef WDDM_SAFE_STRING

WDDM_END_DECLS

#endif
