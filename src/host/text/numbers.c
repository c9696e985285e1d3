/*
 * numbers.c - numbers and GUIDs as counted strings and back (pages nf-wdm-rtlunicodestringtointeger,
 * nf-wdm-rtlint64tounicodestring, nf-wdm-rtlstringfromguid and their neighbours).
 */
#include <string.h>

#include "base/thread.h"

/* ---- Integers ------------------------------------------------------------------------------------ */

NTSYSAPI NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base,
                                                PUNICODE_STRING String) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlInt64ToUnicodeString");
    WCHAR digits[64];
    size_t begin = sizeof(digits) / sizeof(digits[0]);
    if (Base == 0)
        Base = 10;
    if (Base != 2 && Base != 8 && Base != 10 && Base != 16)
        return STATUS_INVALID_PARAMETER;
    do
        digits[--begin] = (WCHAR) "0123456789ABCDEF"[Value % Base];
    while ((Value /= Base) != 0);
    size_t bytes = sizeof(digits) - begin * sizeof(WCHAR);
    if (bytes > String->MaximumLength)
        return STATUS_BUFFER_OVERFLOW;
    memcpy(String->Buffer, digits + begin, bytes);
    String->Length = (USHORT)bytes;
    if (bytes + sizeof(WCHAR) <= String->MaximumLength)
        String->Buffer[bytes / sizeof(WCHAR)] = 0;
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String) {
    return RtlInt64ToUnicodeString(Value, Base, String);
}

/* Characters of one or two bytes, so many of them. */
struct number_text {
    const void *text;
    size_t length, at;
    bool wide;
};

/* 0 behind the end. */
static WCHAR number_peek(const struct number_text *from, size_t ahead) {
    size_t at = from->at + ahead;
    if (at >= from->length)
        return 0;
    return from->wide ? ((const WCHAR *)from->text)[at] : ((const UCHAR *)from->text)[at];
}

static ULONG number_digit(WCHAR c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10u : MAXULONG;
}

/* The base that a prefix tells, which is left behind; without one 10. */
static ULONG number_base(struct number_text *from) {
    WCHAR kind = number_peek(from, 0) == '0' ? number_peek(from, 1) : 0;
    ULONG base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    if (base != 10)
        from->at += 2;
    return base;
}

static NTSTATUS number_read(struct number_text *from, ULONG base, PULONG value) {
    ULONG number = 0;
    if (base != 0 && base != 2 && base != 8 && base != 10 && base != 16)
        return STATUS_INVALID_PARAMETER;
    while (number_peek(from, 0) != 0 && number_peek(from, 0) <= ' ')
        from->at++;
    bool negative = number_peek(from, 0) == '-';
    if (negative || number_peek(from, 0) == '+')
        from->at++;
    if (base == 0)
        base = number_base(from);
    for (; number_digit(number_peek(from, 0)) < base; from->at++)
        number = number * base + number_digit(number_peek(from, 0));
    *value = negative ? 0u - number : number;
    return STATUS_SUCCESS;
}

/* An empty string is no number; one without digits is 0. */
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base,
                                                  PULONG Value) {
    struct number_text from = {String->Buffer, String->Length / sizeof(WCHAR), 0, true};
    host_irql_at_most(PASSIVE_LEVEL, "RtlUnicodeStringToInteger");
    return from.length != 0 ? number_read(&from, Base, Value) : STATUS_INVALID_PARAMETER;
}

NTSYSAPI NTSTATUS NTAPI RtlCharToInteger(PCSZ String, ULONG Base, PULONG Value) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlCharToInteger");
    struct number_text from = {String, strlen(String), 0, false};
    return number_read(&from, Base, Value);
}

/* ---- GUIDs: {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx} ------------------------------------------------ */

/* The form with a digit's byte at each digit, in the order of the bytes in memory. */
static const signed char guid_form[] = {'{', 3,   3,  2,  2,  1,  1,   0,  0,  '-', 5,  5,   4,
                                        4,   '-', 7,  7,  6,  6,  '-', 8,  8,  9,   9,  '-', 10,
                                        10,  11,  11, 12, 12, 13, 13,  14, 14, 15,  15, '}'};
#define GUID_UNITS (sizeof(guid_form) / sizeof(guid_form[0]))

NTSYSAPI NTSTATUS NTAPI RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString) {
    const UCHAR *bytes = (const UCHAR *)Guid;
    bool high = true;
    host_irql_at_most(PASSIVE_LEVEL, "RtlStringFromGUID");
    PWSTR text =
        ExAllocatePoolWithTag(PagedPool, (GUID_UNITS + 1) * sizeof(WCHAR), 0x67727453 /* Strg */);
    if (!text)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < GUID_UNITS; i++) {
        text[i] = (WCHAR)guid_form[i];
        if (guid_form[i] >= 16)
            continue;
        UCHAR byte = bytes[(int)guid_form[i]];
        text[i] = (WCHAR) "0123456789ABCDEF"[high ? byte >> 4 : byte & 15];
        high = !high;
    }
    text[GUID_UNITS] = 0;
    *GuidString =
        (UNICODE_STRING){GUID_UNITS * sizeof(WCHAR), (GUID_UNITS + 1) * sizeof(WCHAR), text};
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID *Guid) {
    UCHAR bytes[sizeof(GUID)] = {0};
    host_irql_at_most(PASSIVE_LEVEL, "RtlGUIDFromString");
    if (GuidString->Length != GUID_UNITS * sizeof(WCHAR))
        return STATUS_INVALID_PARAMETER;
    for (size_t i = 0; i < GUID_UNITS; i++) {
        WCHAR unit = GuidString->Buffer[i];
        ULONG digit = number_digit(unit);
        if (guid_form[i] >= 16 ? unit != (WCHAR)guid_form[i] : digit > 15)
            return STATUS_INVALID_PARAMETER;
        if (guid_form[i] < 16)
            bytes[(int)guid_form[i]] = (UCHAR)(bytes[(int)guid_form[i]] << 4 | digit);
    }
    memcpy(Guid, bytes, sizeof(bytes));
    return STATUS_SUCCESS;
}
