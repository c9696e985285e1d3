/*
 * bytes.c - strings of bytes, and UTF-16 as bytes and back (pages nf-wdm-rtlunicodestringtoansistring,
 * nf-ntifs-rtlunicodetoutf8n and their neighbours). The code page of the system has one byte for
 * each of the first 256 characters; others are a question mark.
 */
#include <string.h>

#include "base/thread.h"
#include "text/case.h"

/* ---- Strings of bytes --------------------------------------------------------------------------- */

NTSYSAPI VOID NTAPI RtlInitString(PSTRING DestinationString, PCSZ SourceString) {
    RtlInitAnsiString(DestinationString, SourceString);
}

NTSYSAPI VOID NTAPI RtlInitUTF8String(PUTF8_STRING DestinationString, PCSZ SourceString) {
    RtlInitAnsiString(DestinationString, SourceString);
}

NTSYSAPI VOID NTAPI RtlCopyString(PSTRING DestinationString, const STRING *SourceString) {
    USHORT length = SourceString ? SourceString->Length : 0;
    if (length > DestinationString->MaximumLength)
        length = DestinationString->MaximumLength;
    if (length != 0)
        memmove(DestinationString->Buffer, SourceString->Buffer, length);
    DestinationString->Length = length;
}

NTSYSAPI CHAR NTAPI RtlUpperChar(CHAR Character) {
    host_irql_at_most(APC_LEVEL, "RtlUpperChar");
    return (CHAR)host_upcase((UCHAR)Character);
}

NTSYSAPI VOID NTAPI RtlUpperString(PSTRING DestinationString, const STRING *SourceString) {
    host_irql_at_most(APC_LEVEL, "RtlUpperString");
    RtlCopyString(DestinationString, SourceString);
    for (USHORT i = 0; i < DestinationString->Length; i++)
        DestinationString->Buffer[i] = RtlUpperChar(DestinationString->Buffer[i]);
}

NTSYSAPI LONG NTAPI RtlCompareString(const STRING *String1, const STRING *String2,
                                     BOOLEAN CaseInSensitive) {
    USHORT less = String1->Length < String2->Length ? String1->Length : String2->Length;
    host_irql_at_most(PASSIVE_LEVEL, "RtlCompareString");
    for (USHORT i = 0; i < less; i++) {
        CHAR a = String1->Buffer[i], b = String2->Buffer[i];
        if (CaseInSensitive) {
            a = RtlUpperChar(a);
            b = RtlUpperChar(b);
        }
        if (a != b)
            return (LONG)(UCHAR)a - (LONG)(UCHAR)b;
    }
    return (LONG)String1->Length - (LONG)String2->Length;
}

NTSYSAPI BOOLEAN NTAPI RtlEqualString(const STRING *String1, const STRING *String2,
                                      BOOLEAN CaseInSensitive) {
    return String1->Length == String2->Length &&
           RtlCompareString(String1, String2, CaseInSensitive) == 0;
}

NTSYSAPI VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString) {
    host_irql_at_most(APC_LEVEL, "RtlFreeAnsiString");
    if (AnsiString->Buffer)
        ExFreePool(AnsiString->Buffer);
    memset(AnsiString, 0, sizeof(*AnsiString));
}

NTSYSAPI VOID NTAPI RtlFreeUTF8String(PUTF8_STRING Utf8String) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlFreeUTF8String");
    RtlFreeAnsiString(Utf8String);
}

/* ---- The code page: what does not fit is cut without an error ------------------------------------- */

NTSYSAPI NTSTATUS NTAPI RtlMultiByteToUnicodeN(PWCH UnicodeString, ULONG MaxBytesInUnicodeString,
                                               PULONG BytesInUnicodeString,
                                               const CHAR *MultiByteString,
                                               ULONG BytesInMultiByteString) {
    ULONG room = MaxBytesInUnicodeString / sizeof(WCHAR);
    ULONG count = BytesInMultiByteString < room ? BytesInMultiByteString : room;
    host_irql_at_most(APC_LEVEL, "RtlMultiByteToUnicodeN");
    for (ULONG i = 0; i < count; i++)
        UnicodeString[i] = (UCHAR)MultiByteString[i];
    if (BytesInUnicodeString)
        *BytesInUnicodeString = count * sizeof(WCHAR);
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeToMultiByteN(PCHAR MultiByteString,
                                               ULONG MaxBytesInMultiByteString,
                                               PULONG BytesInMultiByteString, PCWCH UnicodeString,
                                               ULONG BytesInUnicodeString) {
    ULONG units = BytesInUnicodeString / sizeof(WCHAR);
    ULONG count = units < MaxBytesInMultiByteString ? units : MaxBytesInMultiByteString;
    host_irql_at_most(APC_LEVEL, "RtlUnicodeToMultiByteN");
    for (ULONG i = 0; i < count; i++)
        MultiByteString[i] = (CHAR)(UnicodeString[i] < 0x100 ? UnicodeString[i] : '?');
    if (BytesInMultiByteString)
        *BytesInMultiByteString = count;
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlMultiByteToUnicodeSize(PULONG BytesInUnicodeString,
                                                  const CHAR *MultiByteString,
                                                  ULONG BytesInMultiByteString) {
    (void)MultiByteString;
    host_irql_at_most(APC_LEVEL, "RtlMultiByteToUnicodeSize");
    *BytesInUnicodeString = BytesInMultiByteString * sizeof(WCHAR);
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeToMultiByteSize(PULONG BytesInMultiByteString,
                                                  PCWCH UnicodeString, ULONG BytesInUnicodeString) {
    (void)UnicodeString;
    host_irql_at_most(APC_LEVEL, "RtlUnicodeToMultiByteSize");
    *BytesInMultiByteString = BytesInUnicodeString / sizeof(WCHAR);
    return STATUS_SUCCESS;
}

/* With a terminator, for which there has to be room. */
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString,
                                                     PCUNICODE_STRING SourceString,
                                                     BOOLEAN AllocateDestinationString) {
    ULONG length = SourceString->Length / sizeof(WCHAR);
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlUnicodeStringToAnsiString"))
        return STATUS_UNSUCCESSFUL;
    if (AllocateDestinationString) {
        PCHAR buffer = ExAllocatePoolWithTag(PagedPool, length + 1, 0x67727453 /* Strg */);
        if (!buffer)
            return STATUS_NO_MEMORY;
        DestinationString->Buffer = buffer;
        DestinationString->MaximumLength = (USHORT)(length + 1);
    }
    if (length + 1 > DestinationString->MaximumLength)
        return STATUS_BUFFER_OVERFLOW;
    RtlUnicodeToMultiByteN(DestinationString->Buffer, length, NULL, SourceString->Buffer,
                           SourceString->Length);
    DestinationString->Buffer[length] = 0;
    DestinationString->Length = (USHORT)length;
    return STATUS_SUCCESS;
}

/* ---- UTF-8 ---------------------------------------------------------------------------------------- */

#define REPLACEMENT 0xfffdu

struct utf_put {
    void *to; /* NULL: only counted */
    ULONG room, count;
    bool full;
};

/* All of `size` bytes, or none of them and of what follows. */
static void utf_put(struct utf_put *put, const void *bytes, ULONG size) {
    put->full |= put->to && put->count + size > put->room;
    if (put->full)
        return;
    if (put->to)
        memcpy((char *)put->to + put->count, bytes, size);
    put->count += size;
}

static void utf8_put(struct utf_put *put, ULONG character) {
    UCHAR bytes[4];
    ULONG size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const UCHAR lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (ULONG i = size; i-- > 1; character >>= 6)
        bytes[i] = (UCHAR)(0x80 | (character & 0x3f));
    bytes[0] = (UCHAR)(lead[size] | character);
    utf_put(put, bytes, size);
}

static void utf16_put(struct utf_put *put, ULONG character) {
    WCHAR units[2] = {(WCHAR)character, 0};
    if (character >= 0x10000) {
        units[0] = (WCHAR)(0xd800 + ((character - 0x10000) >> 10));
        units[1] = (WCHAR)(0xdc00 + (character & 0x3ff));
    }
    utf_put(put, units, character >= 0x10000 ? sizeof(units) : sizeof(WCHAR));
}

static NTSTATUS utf_end(const struct utf_put *put, PULONG actual, bool bad) {
    if (actual)
        *actual = put->count;
    return put->full ? STATUS_BUFFER_TOO_SMALL : bad ? STATUS_SOME_NOT_MAPPED : STATUS_SUCCESS;
}

/* The character at *at, which goes behind it; REPLACEMENT: half of a pair. */
static ULONG utf16_get(PCWCH from, ULONG units, ULONG *at) {
    ULONG first = from[(*at)++];
    if (first < 0xd800 || first > 0xdfff)
        return first;
    ULONG second = first < 0xdc00 && *at < units ? from[*at] : 0;
    if (second < 0xdc00 || second > 0xdfff)
        return REPLACEMENT;
    ++*at;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

/* The same of UTF-8; REPLACEMENT: a sequence cut off, too long, or of no character. */
static ULONG utf8_get(const UCHAR *from, ULONG bytes, ULONG *at) {
    static const ULONG least[] = {0, 0, 0x80, 0x800, 0x10000};
    ULONG first = from[(*at)++];
    ULONG size = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size <= 1)
        return size == 1 ? first : REPLACEMENT;
    ULONG character = first & (0x7fu >> size);
    for (ULONG i = 1; i < size; i++) {
        if (*at >= bytes || (from[*at] & 0xc0) != 0x80)
            return REPLACEMENT;
        character = character << 6 | (from[(*at)++] & 0x3f);
    }
    bool surrogate = character >= 0xd800 && character <= 0xdfff;
    return first > 0xf7 || character < least[size] || character > 0x10ffff || surrogate
               ? REPLACEMENT
               : character;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeToUTF8N(PCHAR UTF8StringDestination, ULONG UTF8StringMaxByteCount,
                                          PULONG UTF8StringActualByteCount,
                                          PCWCH UnicodeStringSource, ULONG UnicodeStringByteCount) {
    struct utf_put put = {.to = UTF8StringDestination, .room = UTF8StringMaxByteCount};
    ULONG units = UnicodeStringByteCount / sizeof(WCHAR);
    bool bad = false;
    host_irql_at_most(PASSIVE_LEVEL, "RtlUnicodeToUTF8N");
    if (!UnicodeStringSource)
        return STATUS_INVALID_PARAMETER_4;
    if (!UTF8StringDestination && !UTF8StringActualByteCount)
        return STATUS_INVALID_PARAMETER;
    if (UnicodeStringByteCount % sizeof(WCHAR) != 0)
        return STATUS_INVALID_PARAMETER_5;
    for (ULONG at = 0; at < units && !put.full;) {
        ULONG begin = at, character = utf16_get(UnicodeStringSource, units, &at);
        bad |= character == REPLACEMENT && UnicodeStringSource[begin] != REPLACEMENT;
        utf8_put(&put, character);
    }
    return utf_end(&put, UTF8StringActualByteCount, bad);
}

NTSYSAPI NTSTATUS NTAPI RtlUTF8ToUnicodeN(PWSTR UnicodeStringDestination,
                                          ULONG UnicodeStringMaxByteCount,
                                          PULONG UnicodeStringActualByteCount,
                                          const CHAR *UTF8StringSource, ULONG UTF8StringByteCount) {
    struct utf_put put = {.to = UnicodeStringDestination, .room = UnicodeStringMaxByteCount};
    const UCHAR *from = (const UCHAR *)UTF8StringSource;
    bool bad = false;
    host_irql_at_most(PASSIVE_LEVEL, "RtlUTF8ToUnicodeN");
    if (!from)
        return STATUS_INVALID_PARAMETER_4;
    if (!UnicodeStringDestination && !UnicodeStringActualByteCount)
        return STATUS_INVALID_PARAMETER;
    for (ULONG at = 0; at < UTF8StringByteCount && !put.full;) {
        ULONG begin = at, character = utf8_get(from, UTF8StringByteCount, &at);
        bad |= character == REPLACEMENT &&
               !(at - begin == 3 && memcmp(from + begin, "\xef\xbf\xbd", 3) == 0);
        utf16_put(&put, character);
    }
    return utf_end(&put, UnicodeStringActualByteCount, bad);
}
