/*
 * unicode.c - counted strings of UTF-16: appended, compared, in capitals or small letters, hashed
 * (pages nf-wdm-rtlappendunicodetostring, nf-wdm-rtlcompareunicodestring and their neighbours).
 */
#include <string.h>

#include "base/thread.h"
#include "text/case.h"

/* ---- Appended: whole, or not at all ------------------------------------------------------------ */

static NTSTATUS unicode_append(PUNICODE_STRING to, const WCHAR *from, size_t bytes) {
    if (to->Length + bytes > to->MaximumLength)
        return STATUS_BUFFER_TOO_SMALL;
    if (bytes != 0)
        memmove((char *)to->Buffer + to->Length, from, bytes);
    to->Length = (USHORT)(to->Length + bytes);
    if (to->Length + sizeof(WCHAR) <= to->MaximumLength)
        to->Buffer[to->Length / sizeof(WCHAR)] = 0;
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source) {
    size_t units = 0;
    while (Source && Source[units] != 0)
        units++;
    return unicode_append(Destination, Source, units * sizeof(WCHAR));
}

NTSYSAPI NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination,
                                                       PCUNICODE_STRING Source) {
    return unicode_append(Destination, Source->Buffer, Source->Length);
}

/* ---- Compared ----------------------------------------------------------------------------------- */

NTSYSAPI LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                            BOOLEAN CaseInSensitive) {
    USHORT less = String1->Length < String2->Length ? String1->Length : String2->Length;
    host_irql_at_most(PASSIVE_LEVEL, "RtlCompareUnicodeString");
    for (USHORT i = 0; i < less / sizeof(WCHAR); i++) {
        WCHAR a = String1->Buffer[i], b = String2->Buffer[i];
        if (CaseInSensitive) {
            a = host_upcase(a);
            b = host_upcase(b);
        }
        if (a != b)
            return (LONG)a - (LONG)b;
    }
    return (LONG)String1->Length - (LONG)String2->Length;
}

NTSYSAPI BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                              BOOLEAN CaseInSensitive) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlPrefixUnicodeString");
    UNICODE_STRING begin = *String2;
    if (String1->Length > String2->Length)
        return FALSE;
    begin.Length = String1->Length;
    return RtlEqualUnicodeString(String1, &begin, CaseInSensitive);
}

/* The algorithm by default is the one that has a name. */
NTSYSAPI NTSTATUS NTAPI RtlHashUnicodeString(PCUNICODE_STRING String, BOOLEAN CaseInSensitive,
                                             ULONG HashAlgorithm, PULONG HashValue) {
    if (!String || !HashValue || HashAlgorithm > HASH_STRING_ALGORITHM_X65599)
        return STATUS_INVALID_PARAMETER;
    host_irql_at_most(APC_LEVEL, "RtlHashUnicodeString");
    ULONG hash = 0;
    for (USHORT i = 0; i < String->Length / sizeof(WCHAR); i++) {
        WCHAR unit = String->Buffer[i];
        hash = hash * 65599u + (CaseInSensitive ? host_upcase(unit) : unit);
    }
    *HashValue = hash;
    return STATUS_SUCCESS;
}

/* ---- In other letters --------------------------------------------------------------------------- */

NTSYSAPI WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter) {
    host_irql_at_most(APC_LEVEL, "RtlUpcaseUnicodeChar");
    return host_upcase(SourceCharacter);
}

NTSYSAPI WCHAR NTAPI RtlDowncaseUnicodeChar(WCHAR SourceCharacter) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlDowncaseUnicodeChar");
    return host_downcase(SourceCharacter);
}

/* Without a terminator, for which no room is needed. */
static NTSTATUS unicode_convert(PUNICODE_STRING to, PCUNICODE_STRING from, bool allocate,
                                WCHAR (*letter)(WCHAR), const char *function) {
    if (!host_irql_at_most(APC_LEVEL, function))
        return STATUS_UNSUCCESSFUL;
    if (allocate) {
        to->MaximumLength = from->Length;
        to->Buffer = ExAllocatePoolWithTag(PagedPool, from->Length ? from->Length : sizeof(WCHAR),
                                           0x67727453 /* Strg */);
        if (!to->Buffer)
            return STATUS_NO_MEMORY;
    }
    if (from->Length > to->MaximumLength)
        return STATUS_BUFFER_OVERFLOW;
    for (USHORT i = 0; i < from->Length / sizeof(WCHAR); i++)
        to->Buffer[i] = letter(from->Buffer[i]);
    to->Length = from->Length;
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString,
                                               PCUNICODE_STRING SourceString,
                                               BOOLEAN AllocateDestinationString) {
    return unicode_convert(DestinationString, SourceString, AllocateDestinationString, host_upcase,
                           "RtlUpcaseUnicodeString");
}

NTSYSAPI NTSTATUS NTAPI RtlDowncaseUnicodeString(PUNICODE_STRING DestinationString,
                                                 PCUNICODE_STRING SourceString,
                                                 BOOLEAN AllocateDestinationString) {
    return unicode_convert(DestinationString, SourceString, AllocateDestinationString,
                           host_downcase, "RtlDowncaseUnicodeString");
}

/* A copy with its terminator, for RtlFreeUnicodeString. */
NTSYSAPI BOOLEAN NTAPI RtlCreateUnicodeString(PUNICODE_STRING DestinationString,
                                              PCWSTR SourceString) {
    UNICODE_STRING source;
    RtlInitUnicodeString(&source, SourceString);
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlCreateUnicodeString"))
        return FALSE;
    PWSTR buffer = ExAllocatePoolWithTag(PagedPool, source.MaximumLength, 0x67727453 /* Strg */);
    if (!buffer)
        return FALSE;
    memcpy(buffer, SourceString, source.MaximumLength);
    *DestinationString = (UNICODE_STRING){source.Length, source.MaximumLength, buffer};
    return TRUE;
}
