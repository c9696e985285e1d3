/*
 * strings.c - counted strings: RtlInitUnicodeString and its relatives. There is no code page: of
 * strings of bytes, characters beyond ASCII are only passed on.
 */
#include <string.h>

#include "base/thread.h"
#include "text/case.h"

NTSYSAPI VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString) {
    size_t n = 0;
    while (SourceString && SourceString[n] != 0 && n < 0x7ffe)
        n++;
    DestinationString->Length = (USHORT)(n * sizeof(WCHAR));
    DestinationString->MaximumLength = (USHORT)(SourceString ? (n + 1) * sizeof(WCHAR) : 0);
    DestinationString->Buffer = (PWSTR)(uintptr_t)SourceString;
}

NTSYSAPI VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString,
                                         PCUNICODE_STRING SourceString) {
    USHORT length = SourceString ? SourceString->Length : 0;
    if (length > DestinationString->MaximumLength)
        length = DestinationString->MaximumLength;
    if (length != 0)
        memmove(DestinationString->Buffer, SourceString->Buffer, length);
    DestinationString->Length = length;
    if (length + sizeof(WCHAR) <= DestinationString->MaximumLength)
        DestinationString->Buffer[length / sizeof(WCHAR)] = 0;
}

NTSYSAPI BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                             BOOLEAN CaseInSensitive) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlEqualUnicodeString");
    if (String1->Length != String2->Length)
        return FALSE;
    for (USHORT i = 0; i < String1->Length / sizeof(WCHAR); i++) {
        WCHAR a = String1->Buffer[i], b = String2->Buffer[i];
        if (a != b && !(CaseInSensitive && host_upcase(a) == host_upcase(b)))
            return FALSE;
    }
    return TRUE;
}

NTSYSAPI VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString) {
    host_irql_at_most(APC_LEVEL, "RtlFreeUnicodeString");
    if (UnicodeString->Buffer)
        ExFreePool(UnicodeString->Buffer);
    memset(UnicodeString, 0, sizeof(*UnicodeString));
}

NTSYSAPI VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString) {
    size_t n = SourceString ? strnlen(SourceString, 0xfffe) : 0;
    DestinationString->Length = (USHORT)n;
    DestinationString->MaximumLength = (USHORT)(SourceString ? n + 1 : 0);
    DestinationString->Buffer = (PCHAR)(uintptr_t)SourceString;
}

/* With a terminator, for which there has to be room. */
NTSYSAPI NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString,
                                                     const ANSI_STRING *SourceString,
                                                     BOOLEAN AllocateDestinationString) {
    size_t bytes = ((size_t)SourceString->Length + 1) * sizeof(WCHAR);
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlAnsiStringToUnicodeString"))
        return STATUS_UNSUCCESSFUL;
    if (bytes > 0xfffe)
        return STATUS_INVALID_PARAMETER;
    if (AllocateDestinationString) {
        DestinationString->Buffer = ExAllocatePoolWithTag(PagedPool, bytes, 0x67727453 /* Strg */);
        DestinationString->MaximumLength = (USHORT)bytes;
        if (!DestinationString->Buffer)
            return STATUS_NO_MEMORY;
    }
    if (bytes > DestinationString->MaximumLength)
        return STATUS_BUFFER_OVERFLOW;
    for (USHORT i = 0; i < SourceString->Length; i++)
        DestinationString->Buffer[i] = (UCHAR)SourceString->Buffer[i];
    DestinationString->Buffer[SourceString->Length] = 0;
    DestinationString->Length = SourceString->Length * sizeof(WCHAR);
    return STATUS_SUCCESS;
}
