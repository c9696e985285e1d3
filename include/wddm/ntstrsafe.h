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

#define NTSTRSAFE_MAX_CCH                2147483647u
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH (0xffffu / 2)

/* Flags of the functions with Ex. The low byte is what FILL fills with. */
#define STRSAFE_IGNORE_NULLS           0x00000100u
#define STRSAFE_FILL_BEHIND_NULL       0x00000200u
#define STRSAFE_FILL_ON_FAILURE        0x00000400u
#define STRSAFE_NULL_ON_FAILURE        0x00000800u
#define STRSAFE_NO_TRUNCATION          0x00001000u
#define STRSAFE_ZERO_LENGTH_ON_FAILURE STRSAFE_NULL_ON_FAILURE
#define STRSAFE_FILL_BEHIND            STRSAFE_FILL_BEHIND_NULL
#define STRSAFE_FILL_BYTE(x)           ((ULONG)(((x)&0xffu) | STRSAFE_FILL_BEHIND_NULL))
#define STRSAFE_FAILURE_BYTE(x)        ((ULONG)(((x)&0xffu) | STRSAFE_FILL_ON_FAILURE))
typedef PSTR NTSTRSAFE_PSTR;
typedef PCSTR NTSTRSAFE_PCSTR;
typedef PWSTR NTSTRSAFE_PWSTR;
typedef PCWSTR NTSTRSAFE_PCWSTR;

/* Variadic with the Windows convention, as DbgPrint is. */
NTSYSAPI NTSTATUS NTAPI RtlStringCchLengthA(PCSTR String, SIZE_T Maximum, SIZE_T *Length);
NTSYSAPI NTSTATUS NTAPI RtlStringCchPrintfA(PSTR Destination, SIZE_T Characters, PCSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCchVPrintfA(PSTR Destination, SIZE_T Characters, PCSTR Format,
                                             WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCchPrintfExA(PSTR Destination, SIZE_T Characters, PSTR *End,
                                              SIZE_T *Remaining, ULONG Flags, PCSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCchVPrintfExA(PSTR Destination, SIZE_T Characters, PSTR *End,
                                               SIZE_T *Remaining, ULONG Flags, PCSTR Format,
                                               WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyA(PSTR Destination, SIZE_T Characters, PCSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyNA(PSTR Destination, SIZE_T Characters, PCSTR Source,
                                           SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyExA(PSTR Destination, SIZE_T Characters, PCSTR Source,
                                            PSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyNExA(PSTR Destination, SIZE_T Characters, PCSTR Source,
                                             SIZE_T Most, PSTR *End, SIZE_T *Remaining,
                                             ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatA(PSTR Destination, SIZE_T Characters, PCSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatNA(PSTR Destination, SIZE_T Characters, PCSTR Source,
                                          SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatExA(PSTR Destination, SIZE_T Characters, PCSTR Source,
                                           PSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatNExA(PSTR Destination, SIZE_T Characters, PCSTR Source,
                                            SIZE_T Most, PSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbLengthA(PCSTR String, SIZE_T Maximum, SIZE_T *Length);
NTSYSAPI NTSTATUS NTAPI RtlStringCbPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCbVPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format,
                                            WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCbPrintfExA(PSTR Destination, SIZE_T Bytes, PSTR *End,
                                             SIZE_T *Remaining, ULONG Flags, PCSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCbVPrintfExA(PSTR Destination, SIZE_T Bytes, PSTR *End,
                                              SIZE_T *Remaining, ULONG Flags, PCSTR Format,
                                              WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyA(PSTR Destination, SIZE_T Bytes, PCSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyNA(PSTR Destination, SIZE_T Bytes, PCSTR Source,
                                          SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyExA(PSTR Destination, SIZE_T Bytes, PCSTR Source, PSTR *End,
                                           SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyNExA(PSTR Destination, SIZE_T Bytes, PCSTR Source,
                                            SIZE_T Most, PSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatA(PSTR Destination, SIZE_T Bytes, PCSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatNA(PSTR Destination, SIZE_T Bytes, PCSTR Source, SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatExA(PSTR Destination, SIZE_T Bytes, PCSTR Source, PSTR *End,
                                          SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatNExA(PSTR Destination, SIZE_T Bytes, PCSTR Source,
                                           SIZE_T Most, PSTR *End, SIZE_T *Remaining, ULONG Flags);

NTSYSAPI NTSTATUS NTAPI RtlStringCchLengthW(PCWSTR String, SIZE_T Maximum, SIZE_T *Length);
NTSYSAPI NTSTATUS NTAPI RtlStringCchPrintfW(PWSTR Destination, SIZE_T Characters, PCWSTR Format,
                                            ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCchVPrintfW(PWSTR Destination, SIZE_T Characters, PCWSTR Format,
                                             WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCchPrintfExW(PWSTR Destination, SIZE_T Characters, PWSTR *End,
                                              SIZE_T *Remaining, ULONG Flags, PCWSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCchVPrintfExW(PWSTR Destination, SIZE_T Characters, PWSTR *End,
                                               SIZE_T *Remaining, ULONG Flags, PCWSTR Format,
                                               WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyW(PWSTR Destination, SIZE_T Characters, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyNW(PWSTR Destination, SIZE_T Characters, PCWSTR Source,
                                           SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyExW(PWSTR Destination, SIZE_T Characters, PCWSTR Source,
                                            PWSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCopyNExW(PWSTR Destination, SIZE_T Characters, PCWSTR Source,
                                             SIZE_T Most, PWSTR *End, SIZE_T *Remaining,
                                             ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatW(PWSTR Destination, SIZE_T Characters, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatNW(PWSTR Destination, SIZE_T Characters, PCWSTR Source,
                                          SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatExW(PWSTR Destination, SIZE_T Characters, PCWSTR Source,
                                           PWSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCchCatNExW(PWSTR Destination, SIZE_T Characters, PCWSTR Source,
                                            SIZE_T Most, PWSTR *End, SIZE_T *Remaining,
                                            ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbLengthW(PCWSTR String, SIZE_T Maximum, SIZE_T *Length);
NTSYSAPI NTSTATUS NTAPI RtlStringCbPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCbVPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format,
                                            WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCbPrintfExW(PWSTR Destination, SIZE_T Bytes, PWSTR *End,
                                             SIZE_T *Remaining, ULONG Flags, PCWSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlStringCbVPrintfExW(PWSTR Destination, SIZE_T Bytes, PWSTR *End,
                                              SIZE_T *Remaining, ULONG Flags, PCWSTR Format,
                                              WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyNW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source,
                                          SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyExW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source,
                                           PWSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCopyNExW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source,
                                            SIZE_T Most, PWSTR *End, SIZE_T *Remaining,
                                            ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatNW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source,
                                         SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatExW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source,
                                          PWSTR *End, SIZE_T *Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlStringCbCatNExW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source,
                                           SIZE_T Most, PWSTR *End, SIZE_T *Remaining, ULONG Flags);

/* Counted, without a terminator. */
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringVPrintf(PUNICODE_STRING Destination, PCWSTR Format,
                                                WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringPrintfEx(PUNICODE_STRING Destination,
                                                 PUNICODE_STRING Remaining, ULONG Flags,
                                                 PCWSTR Format, ...);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringVPrintfEx(PUNICODE_STRING Destination,
                                                  PUNICODE_STRING Remaining, ULONG Flags,
                                                  PCWSTR Format, WDDM_VA_LIST Arguments);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringInit(PUNICODE_STRING Destination, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringInitEx(PUNICODE_STRING Destination, PCWSTR Source,
                                               ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringValidate(PCUNICODE_STRING Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringValidateEx(PCUNICODE_STRING Source, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCopy(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCopyEx(PUNICODE_STRING Destination, PCUNICODE_STRING Source,
                                               PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCopyN(PUNICODE_STRING Destination,
                                                 PCUNICODE_STRING Source, SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCopyNEx(PUNICODE_STRING Destination,
                                                   PCUNICODE_STRING Source, SIZE_T Most,
                                                   PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCopyN(PUNICODE_STRING Destination,
                                                PCUNICODE_STRING Source, SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCopyNEx(PUNICODE_STRING Destination,
                                                  PCUNICODE_STRING Source, SIZE_T Most,
                                                  PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCopyString(PUNICODE_STRING Destination, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCopyStringEx(PUNICODE_STRING Destination, PCWSTR Source,
                                                     PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCopyStringN(PUNICODE_STRING Destination, PCWSTR Source,
                                                       SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCopyStringNEx(PUNICODE_STRING Destination, PCWSTR Source,
                                                         SIZE_T Most, PUNICODE_STRING Remaining,
                                                         ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCopyStringN(PUNICODE_STRING Destination, PCWSTR Source,
                                                      SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCopyStringNEx(PUNICODE_STRING Destination, PCWSTR Source,
                                                        SIZE_T Most, PUNICODE_STRING Remaining,
                                                        ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCat(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCatEx(PUNICODE_STRING Destination, PCUNICODE_STRING Source,
                                              PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCatN(PUNICODE_STRING Destination,
                                                PCUNICODE_STRING Source, SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCatNEx(PUNICODE_STRING Destination,
                                                  PCUNICODE_STRING Source, SIZE_T Most,
                                                  PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCatN(PUNICODE_STRING Destination, PCUNICODE_STRING Source,
                                               SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCatNEx(PUNICODE_STRING Destination,
                                                 PCUNICODE_STRING Source, SIZE_T Most,
                                                 PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCatString(PUNICODE_STRING Destination, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCatStringEx(PUNICODE_STRING Destination, PCWSTR Source,
                                                    PUNICODE_STRING Remaining, ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCatStringN(PUNICODE_STRING Destination, PCWSTR Source,
                                                      SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCchCatStringNEx(PUNICODE_STRING Destination, PCWSTR Source,
                                                        SIZE_T Most, PUNICODE_STRING Remaining,
                                                        ULONG Flags);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCatStringN(PUNICODE_STRING Destination, PCWSTR Source,
                                                     SIZE_T Most);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCbCatStringNEx(PUNICODE_STRING Destination, PCWSTR Source,
                                                       SIZE_T Most, PUNICODE_STRING Remaining,
                                                       ULONG Flags);

WDDM_END_DECLS

#endif
