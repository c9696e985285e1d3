/* SPDX-License-Identifier: MIT */
/*
 * Counted strings of the run-time library beside those of wdm_rtl.h: appended, compared, in other
 * letters, as bytes, numbers and GUIDs (wdm, ntddk, ntifs reference pages).
 */
#ifndef WDDM_WDM_STRINGS_H
#define WDDM_WDM_STRINGS_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

typedef STRING UTF8_STRING, *PUTF8_STRING;
typedef const STRING *PCSTRING;
typedef const ANSI_STRING *PCANSI_STRING;
typedef const UTF8_STRING *PCUTF8_STRING;

FORCEINLINE VOID RtlInitEmptyUnicodeString(PUNICODE_STRING UnicodeString, PWCHAR Buffer,
                                           USHORT BufferSize) {
    UnicodeString->Length = 0;
    UnicodeString->MaximumLength = BufferSize;
    UnicodeString->Buffer = Buffer;
}
FORCEINLINE VOID RtlInitEmptyAnsiString(PANSI_STRING AnsiString, PCHAR Buffer, USHORT BufferSize) {
    AnsiString->Length = 0;
    AnsiString->MaximumLength = BufferSize;
    AnsiString->Buffer = Buffer;
}

/* ---- UTF-16 ---------------------------------------------------------------------------------- */

NTSYSAPI NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination,
                                                       PCUNICODE_STRING Source);
NTSYSAPI LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                            BOOLEAN CaseInSensitive);
NTSYSAPI BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                              BOOLEAN CaseInSensitive);
NTSYSAPI WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter);
NTSYSAPI WCHAR NTAPI RtlDowncaseUnicodeChar(WCHAR SourceCharacter);
NTSYSAPI NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString,
                                               PCUNICODE_STRING SourceString,
                                               BOOLEAN AllocateDestinationString);
NTSYSAPI NTSTATUS NTAPI RtlDowncaseUnicodeString(PUNICODE_STRING DestinationString,
                                                 PCUNICODE_STRING SourceString,
                                                 BOOLEAN AllocateDestinationString);
NTSYSAPI BOOLEAN NTAPI RtlCreateUnicodeString(PUNICODE_STRING DestinationString,
                                              PCWSTR SourceString);
#define HASH_STRING_ALGORITHM_DEFAULT 0u
#define HASH_STRING_ALGORITHM_X65599  1u
#define HASH_STRING_ALGORITHM_INVALID 0xffffffffu
NTSYSAPI NTSTATUS NTAPI RtlHashUnicodeString(PCUNICODE_STRING String, BOOLEAN CaseInSensitive,
                                             ULONG HashAlgorithm, PULONG HashValue);

/* ---- Bytes ----------------------------------------------------------------------------------- */

NTSYSAPI VOID NTAPI RtlInitString(PSTRING DestinationString, PCSZ SourceString);
NTSYSAPI VOID NTAPI RtlInitUTF8String(PUTF8_STRING DestinationString, PCSZ SourceString);
NTSYSAPI VOID NTAPI RtlCopyString(PSTRING DestinationString, const STRING *SourceString);
NTSYSAPI LONG NTAPI RtlCompareString(const STRING *String1, const STRING *String2,
                                     BOOLEAN CaseInSensitive);
NTSYSAPI BOOLEAN NTAPI RtlEqualString(const STRING *String1, const STRING *String2,
                                      BOOLEAN CaseInSensitive);
NTSYSAPI CHAR NTAPI RtlUpperChar(CHAR Character);
NTSYSAPI VOID NTAPI RtlUpperString(PSTRING DestinationString, const STRING *SourceString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString,
                                                     PCUNICODE_STRING SourceString,
                                                     BOOLEAN AllocateDestinationString);
NTSYSAPI VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString);
NTSYSAPI VOID NTAPI RtlFreeUTF8String(PUTF8_STRING Utf8String);
NTSYSAPI NTSTATUS NTAPI RtlMultiByteToUnicodeN(PWCH UnicodeString, ULONG MaxBytesInUnicodeString,
                                               PULONG BytesInUnicodeString,
                                               const CHAR *MultiByteString,
                                               ULONG BytesInMultiByteString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeToMultiByteN(PCHAR MultiByteString,
                                               ULONG MaxBytesInMultiByteString,
                                               PULONG BytesInMultiByteString, PCWCH UnicodeString,
                                               ULONG BytesInUnicodeString);
NTSYSAPI NTSTATUS NTAPI RtlMultiByteToUnicodeSize(PULONG BytesInUnicodeString,
                                                  const CHAR *MultiByteString,
                                                  ULONG BytesInMultiByteString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeToMultiByteSize(PULONG BytesInMultiByteString,
                                                  PCWCH UnicodeString, ULONG BytesInUnicodeString);
NTSYSAPI NTSTATUS NTAPI RtlUTF8ToUnicodeN(PWSTR UnicodeStringDestination,
                                          ULONG UnicodeStringMaxByteCount,
                                          PULONG UnicodeStringActualByteCount,
                                          const CHAR *UTF8StringSource, ULONG UTF8StringByteCount);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeToUTF8N(PCHAR UTF8StringDestination, ULONG UTF8StringMaxByteCount,
                                          PULONG UTF8StringActualByteCount,
                                          PCWCH UnicodeStringSource, ULONG UnicodeStringByteCount);
/* With the terminator. */
#define RtlAnsiStringToUnicodeSize(s)  ((ULONG)(((s)->Length + 1) * sizeof(WCHAR)))
#define RtlUnicodeStringToAnsiSize(s)  ((ULONG)((s)->Length / sizeof(WCHAR) + 1))
#define RtlxAnsiStringToUnicodeSize(s) RtlAnsiStringToUnicodeSize(s)
#define RtlxUnicodeStringToAnsiSize(s) RtlUnicodeStringToAnsiSize(s)

/* ---- Numbers --------------------------------------------------------------------------------- */

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base,
                                                  PULONG Value);
NTSYSAPI NTSTATUS NTAPI RtlCharToInteger(PCSZ String, ULONG Base, PULONG Value);
NTSYSAPI NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base,
                                                PUNICODE_STRING String);
#define RtlIntPtrToUnicodeString(Value, Base, String)                                              \
    RtlInt64ToUnicodeString((ULONGLONG)(Value), (Base), (String))
NTSYSAPI NTSTATUS NTAPI RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString);
NTSYSAPI NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID *Guid);

WDDM_END_DECLS

#endif
