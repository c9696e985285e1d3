/*
 * counted_strings.c - the counted strings of ntstrsafe.h (pages nf-ntstrsafe-rtlunicodestring*): no
 * terminator, all of the room is for characters, and flags as those of safe_strings.c. Sources are
 * counted or terminated, whole or at most so many characters or bytes of them.
 */
#include <ntddk.h>
#include <ntstrsafe.h>
#include <string.h>

#include "base/thread.h"
#include "text/print.h"

#define FLAGS                                                                                      \
    (0xffu | STRSAFE_IGNORE_NULLS | STRSAFE_FILL_BEHIND_NULL | STRSAFE_FILL_ON_FAILURE |           \
     STRSAFE_NULL_ON_FAILURE | STRSAFE_NO_TRUNCATION)

/* What is put into a destination, and how. */
struct counted {
    const WCHAR *source;
    size_t units;
    bool append, bad; /* the source is none */
    ULONG flags;
    PUNICODE_STRING rest; /* or NULL */
};

static bool counted_good(PCUNICODE_STRING string) {
    return string->Length % sizeof(WCHAR) == 0 && string->MaximumLength % sizeof(WCHAR) == 0 &&
           string->Length <= string->MaximumLength &&
           (string->Buffer || string->MaximumLength == 0);
}

static NTSTATUS counted_fill_in(PUNICODE_STRING to, const struct counted *put) {
    size_t begin = put->append ? to->Length / sizeof(WCHAR) : 0;
    size_t room = to->MaximumLength / sizeof(WCHAR) - begin;
    size_t copied = put->units < room ? put->units : room;
    bool cut = copied < put->units;
    if (cut && (put->flags & STRSAFE_NO_TRUNCATION))
        return STATUS_BUFFER_OVERFLOW;
    if (copied != 0)
        memmove(to->Buffer + begin, put->source, copied * sizeof(WCHAR));
    to->Length = (USHORT)((begin + copied) * sizeof(WCHAR));
    return cut ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

/* What flags ask of the room behind the result, or of all of it. */
static void counted_flags(PUNICODE_STRING to, ULONG flags, bool good) {
    size_t from = good ? to->Length : 0;
    if ((flags & (good ? STRSAFE_FILL_BEHIND_NULL : STRSAFE_FILL_ON_FAILURE)) && to->Buffer)
        memset((char *)to->Buffer + from, (int)(flags & 0xff), to->MaximumLength - from);
    if (!good && (flags & STRSAFE_FILL_ON_FAILURE))
        to->Length = to->MaximumLength;
    if (!good && (flags & STRSAFE_NULL_ON_FAILURE))
        to->Length = 0;
}

static NTSTATUS counted_put(PUNICODE_STRING to, const struct counted *put) {
    static UNICODE_STRING none;
    bool nulls = (put->flags & STRSAFE_IGNORE_NULLS) != 0;
    if ((put->flags & ~FLAGS) != 0 || (!to && !nulls) || (to && !counted_good(to)))
        return STATUS_INVALID_PARAMETER;
    to = to ? to : &none;
    bool good = !put->bad && (put->source || nulls);
    bool empty = to->MaximumLength == 0 && put->units != 0;
    NTSTATUS status = good && !empty ? counted_fill_in(to, put) : STATUS_INVALID_PARAMETER;
    counted_flags(to, put->flags, NT_SUCCESS(status));
    if (put->rest && status != STATUS_INVALID_PARAMETER)
        *put->rest = (UNICODE_STRING){.MaximumLength = (USHORT)(to->MaximumLength - to->Length),
                                      .Buffer = to->Buffer + to->Length / sizeof(WCHAR)};
    return status;
}

/* ---- Sources -------------------------------------------------------------------------------------- */

static void source_counted(struct counted *put, PCUNICODE_STRING source, size_t most) {
    put->bad = source && !counted_good(source);
    if (!source || put->bad)
        return;
    put->source = source->Buffer ? source->Buffer : u"";
    put->units = source->Length / sizeof(WCHAR);
    if (put->units > most)
        put->units = most;
}

static void source_text(struct counted *put, PCWSTR source, size_t most) {
    put->source = source;
    while (source && put->units < most && put->units <= NTSTRSAFE_UNICODE_STRING_MAX_CCH &&
           source[put->units] != 0)
        put->units++;
}

/* ---- Names ---------------------------------------------------------------------------------------- */

#define ALL SIZE_MAX

#define PUT(name, append_, kind, type)                                                             \
    NTSYSAPI NTSTATUS NTAPI RtlUnicodeString##name##Ex(PUNICODE_STRING Destination, type Source,   \
                                                       PUNICODE_STRING Remaining, ULONG Flags) {   \
        host_irql_at_most(PASSIVE_LEVEL, __func__);                                                \
        struct counted put = {.append = (append_), .flags = Flags, .rest = Remaining};             \
        kind(&put, Source, ALL);                                                                   \
        return counted_put(Destination, &put);                                                     \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlUnicodeString##name(PUNICODE_STRING Destination, type Source) {     \
        return RtlUnicodeString##name##Ex(Destination, Source, NULL, 0);                           \
    }
/* At most `Most` characters of `size`. */
#define PUT_N(name, append_, kind, type, size)                                                     \
    NTSYSAPI NTSTATUS NTAPI RtlUnicodeString##name##Ex(PUNICODE_STRING Destination, type Source,   \
                                                       SIZE_T Most, PUNICODE_STRING Remaining,     \
                                                       ULONG Flags) {                              \
        host_irql_at_most(PASSIVE_LEVEL, __func__);                                                \
        struct counted put = {.append = (append_), .flags = Flags, .rest = Remaining};             \
        kind(&put, Source, Most / (size));                                                         \
        return counted_put(Destination, &put);                                                     \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlUnicodeString##name(PUNICODE_STRING Destination, type Source,       \
                                                   SIZE_T Most) {                                  \
        return RtlUnicodeString##name##Ex(Destination, Source, Most, NULL, 0);                     \
    }

PUT(Copy, false, source_counted, PCUNICODE_STRING)
PUT(Cat, true, source_counted, PCUNICODE_STRING)
PUT(CopyString, false, source_text, PCWSTR)
PUT(CatString, true, source_text, PCWSTR)
PUT_N(CchCopyN, false, source_counted, PCUNICODE_STRING, 1)
PUT_N(CbCopyN, false, source_counted, PCUNICODE_STRING, sizeof(WCHAR))
PUT_N(CchCatN, true, source_counted, PCUNICODE_STRING, 1)
PUT_N(CbCatN, true, source_counted, PCUNICODE_STRING, sizeof(WCHAR))
PUT_N(CchCopyStringN, false, source_text, PCWSTR, 1)
PUT_N(CbCopyStringN, false, source_text, PCWSTR, sizeof(WCHAR))
PUT_N(CchCatStringN, true, source_text, PCWSTR, 1)
PUT_N(CbCatStringN, true, source_text, PCWSTR, sizeof(WCHAR))

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringValidateEx(PCUNICODE_STRING Source, ULONG Flags) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlUnicodeStringValidate");
    if ((Flags & ~STRSAFE_IGNORE_NULLS) != 0)
        return STATUS_INVALID_PARAMETER;
    bool good = Source ? counted_good(Source) : Flags != 0;
    return good ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringValidate(PCUNICODE_STRING Source) {
    return RtlUnicodeStringValidateEx(Source, 0);
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringInitEx(PUNICODE_STRING Destination, PCWSTR Source,
                                               ULONG Flags) {
    struct counted text = {.source = NULL};
    host_irql_at_most(PASSIVE_LEVEL, "RtlUnicodeStringInit");
    source_text(&text, Source, ALL);
    if ((Flags & ~STRSAFE_IGNORE_NULLS) != 0 || (!Destination && Flags == 0))
        return STATUS_INVALID_PARAMETER;
    if (Destination)
        *Destination = (UNICODE_STRING){.Length = 0};
    if (text.units > NTSTRSAFE_UNICODE_STRING_MAX_CCH || (!Destination && text.units != 0))
        return STATUS_INVALID_PARAMETER;
    if (Destination)
        RtlInitUnicodeString(Destination, Source);
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringInit(PUNICODE_STRING Destination, PCWSTR Source) {
    return RtlUnicodeStringInitEx(Destination, Source, 0);
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringVPrintfEx(PUNICODE_STRING Destination,
                                                  PUNICODE_STRING Remaining, ULONG Flags,
                                                  PCWSTR Format, WDDM_VA_LIST Arguments) {
    WCHAR text[1024];
    host_irql_at_most(PASSIVE_LEVEL, "RtlUnicodeStringPrintf");
    struct counted put = {.flags = Flags, .rest = Remaining};
    bool whole =
        !Format || host_print_wide(text, sizeof(text) / sizeof(text[0]), Format, &Arguments);
    source_text(&put, Format ? text : NULL, ALL);
    NTSTATUS status = counted_put(Destination, &put);
    return whole ? status : STATUS_BUFFER_OVERFLOW;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringVPrintf(PUNICODE_STRING Destination, PCWSTR Format,
                                                WDDM_VA_LIST Arguments) {
    return RtlUnicodeStringVPrintfEx(Destination, NULL, 0, Format, Arguments);
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringPrintfEx(PUNICODE_STRING Destination,
                                                 PUNICODE_STRING Remaining, ULONG Flags,
                                                 PCWSTR Format, ...) {
    __builtin_ms_va_list args;
    __builtin_ms_va_start(args, Format);
    NTSTATUS status = RtlUnicodeStringVPrintfEx(Destination, Remaining, Flags, Format, args);
    __builtin_ms_va_end(args);
    return status;
}

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...) {
    __builtin_ms_va_list args;
    __builtin_ms_va_start(args, Format);
    NTSTATUS status = RtlUnicodeStringVPrintfEx(Destination, NULL, 0, Format, args);
    __builtin_ms_va_end(args);
    return status;
}
