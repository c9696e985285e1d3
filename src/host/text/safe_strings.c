/*
 * safe_strings.c - ntstrsafe.h: copies, concatenations and prints that end with a terminator and say
 * what did not fit; counted_strings.c has those without one. One function for each, for characters of one byte and of two, with room counted
 * in characters or in bytes; the names of all forms are at the end.
 */
#include <ntddk.h>
#include <ntstrsafe.h>
#include <string.h>

#include "base/thread.h"
#include "text/print.h"

/* A destination. */
struct safe {
    void *text;
    size_t room, length; /* characters; of the result */
    bool wide;
    ULONG flags;
};

static WCHAR unit_get(const void *text, bool wide, size_t at) {
    return wide ? ((const WCHAR *)text)[at] : ((const UCHAR *)text)[at];
}

static void unit_put(const struct safe *to, size_t at, WCHAR unit) {
    if (to->wide)
        ((WCHAR *)to->text)[at] = unit;
    else
        ((char *)to->text)[at] = (char)unit;
}

static size_t unit_size(bool wide) {
    return wide ? sizeof(WCHAR) : 1;
}

static size_t safe_length(const void *text, bool wide, size_t most) {
    size_t n = 0;
    while (n < most && unit_get(text, wide, n) != 0)
        n++;
    return n;
}

static bool room_good(const struct safe *to) {
    return to->room != 0 && to->room <= NTSTRSAFE_MAX_CCH;
}

/* A result that does not fit: it is cut, or, with STRSAFE_NO_TRUNCATION, what was there stays. */
static NTSTATUS safe_cut(struct safe *to, size_t before) {
    if (to->flags & STRSAFE_NO_TRUNCATION)
        to->length = before;
    unit_put(to, to->length, 0);
    return STATUS_BUFFER_OVERFLOW;
}

/* Puts at most `most` characters behind the first `begin`. */
static NTSTATUS safe_put(struct safe *to, size_t begin, const void *source, size_t most) {
    size_t i = 0;
    if (!source)
        most = 0;
    for (; i < most && begin + i + 1 < to->room && unit_get(source, to->wide, i) != 0; i++)
        unit_put(to, begin + i, unit_get(source, to->wide, i));
    to->length = begin + i;
    unit_put(to, to->length, 0);
    bool cut = i < most && unit_get(source, to->wide, i) != 0;
    return cut ? safe_cut(to, begin) : STATUS_SUCCESS;
}

static NTSTATUS safe_copy(struct safe *to, const void *source, size_t most) {
    if (!room_good(to) || most > NTSTRSAFE_MAX_CCH)
        return STATUS_INVALID_PARAMETER;
    return safe_put(to, 0, source, most);
}

/* Behind a string that ends within its room. */
static NTSTATUS safe_cat(struct safe *to, const void *source, size_t most) {
    if (!room_good(to) || most > NTSTRSAFE_MAX_CCH)
        return STATUS_INVALID_PARAMETER;
    size_t begin = safe_length(to->text, to->wide, to->room);
    return begin < to->room ? safe_put(to, begin, source, most) : STATUS_INVALID_PARAMETER;
}

static NTSTATUS safe_print(struct safe *to, const void *format, __builtin_ms_va_list *args) {
    if (!room_good(to))
        return STATUS_INVALID_PARAMETER;
    bool whole = to->wide ? host_print_wide(to->text, to->room, format, args)
                          : host_print_narrow(to->text, to->room, format, args);
    to->length = safe_length(to->text, to->wide, to->room - 1);
    return whole ? STATUS_SUCCESS : safe_cut(to, 0);
}

static void safe_fill(struct safe *to, size_t from) {
    size_t unit = unit_size(to->wide);
    memset((char *)to->text + from * unit, (int)(to->flags & 0xff), (to->room - from) * unit);
}

/* What flags ask of the rest of the room, and the end of the result. */
static NTSTATUS safe_finish(struct safe *to, NTSTATUS status, void **end, SIZE_T *remaining,
                            size_t unit) {
    bool failed = !NT_SUCCESS(status) && room_good(to) && to->text;
    if (NT_SUCCESS(status) && (to->flags & STRSAFE_FILL_BEHIND_NULL))
        safe_fill(to, to->length + 1);
    if (failed && (to->flags & STRSAFE_FILL_ON_FAILURE)) {
        safe_fill(to, 0);
        to->length = (to->flags & 0xff) != 0 ? to->room - 1 : 0;
        unit_put(to, to->length, 0);
    }
    if (failed && (to->flags & STRSAFE_NULL_ON_FAILURE)) {
        to->length = 0;
        unit_put(to, 0, 0);
    }
    bool known = NT_SUCCESS(status) || status == STATUS_BUFFER_OVERFLOW;
    if (end && known)
        *end = (char *)to->text + to->length * unit_size(to->wide);
    if (remaining && known)
        *remaining = (to->room - to->length) * unit;
    return status;
}

static NTSTATUS safe_measure(const void *text, bool wide, size_t most, SIZE_T *length,
                             size_t unit) {
    size_t n = text && most <= NTSTRSAFE_MAX_CCH ? safe_length(text, wide, most) : most;
    if (length)
        *length = n < most ? n * unit : 0;
    return n < most ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS NTAPI vidmm_host_print_narrow(char *text, size_t room, const char *format,
                                       WDDM_VA_LIST arguments) {
    struct safe to = {.text = text, .room = room};
    return safe_print(&to, format, &arguments);
}

NTSTATUS NTAPI vidmm_host_print_wide(WCHAR *text, size_t room, const WCHAR *format,
                                     WDDM_VA_LIST arguments) {
    struct safe to = {.text = text, .room = room, .wide = true};
    return safe_print(&to, format, &arguments);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* `unit`: what the room is counted in; `size`: bytes of a character in that unit. */
#define DESTINATION(room_)                                                                         \
    host_irql_at_most(PASSIVE_LEVEL, __func__);                                                    \
    struct safe to = {.text = Destination, .room = (room_), .wide = sizeof(*Destination) == 2}

#define PUTS(kind, put, letter, type, constant, size, unit)                                        \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##letter(type Destination, SIZE_T Room,                 \
                                                    constant Source) {                             \
        DESTINATION(Room / (size));                                                                \
        return put(&to, Source, NTSTRSAFE_MAX_CCH);                                                \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##N##letter(type Destination, SIZE_T Room,              \
                                                       constant Source, SIZE_T Most) {             \
        DESTINATION(Room / (size));                                                                \
        return put(&to, Source, Most / (size));                                                    \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##NEx##letter(type Destination, SIZE_T Room,            \
                                                         constant Source, SIZE_T Most, type *End,  \
                                                         SIZE_T *Remaining, ULONG Flags) {         \
        DESTINATION(Room / (size));                                                                \
        void *end = Destination;                                                                   \
        to.flags = Flags;                                                                          \
        NTSTATUS status =                                                                          \
            safe_finish(&to, put(&to, Source, Most / (size)), &end, Remaining, unit);              \
        if (End)                                                                                   \
            *End = end;                                                                            \
        return status;                                                                             \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##Ex##letter(type Destination, SIZE_T Room,             \
                                                        constant Source, type *End,                \
                                                        SIZE_T *Remaining, ULONG Flags) {          \
        return RtlString##kind##NEx##letter(                                                       \
            Destination, Room, Source, (SIZE_T)NTSTRSAFE_MAX_CCH * (size), End, Remaining, Flags); \
    }

#define PRINTS(kind, letter, type, constant, size, unit)                                           \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##VPrintfEx##letter(                                    \
        type Destination, SIZE_T Room, type *End, SIZE_T *Remaining, ULONG Flags, constant Format, \
        WDDM_VA_LIST Arguments) {                                                                  \
        DESTINATION(Room / (size));                                                                \
        void *end = Destination;                                                                   \
        to.flags = Flags;                                                                          \
        NTSTATUS status =                                                                          \
            safe_finish(&to, safe_print(&to, Format, &Arguments), &end, Remaining, unit);          \
        if (End)                                                                                   \
            *End = end;                                                                            \
        return status;                                                                             \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##VPrintf##letter(                                      \
        type Destination, SIZE_T Room, constant Format, WDDM_VA_LIST Arguments) {                  \
        DESTINATION(Room / (size));                                                                \
        return safe_print(&to, Format, &Arguments);                                                \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##Printf##letter(type Destination, SIZE_T Room,         \
                                                            constant Format, ...) {                \
        __builtin_ms_va_list args;                                                                 \
        __builtin_ms_va_start(args, Format);                                                       \
        NTSTATUS status = RtlString##kind##VPrintf##letter(Destination, Room, Format, args);       \
        __builtin_ms_va_end(args);                                                                 \
        return status;                                                                             \
    }                                                                                              \
    NTSYSAPI NTSTATUS NTAPI RtlString##kind##PrintfEx##letter(type Destination, SIZE_T Room,       \
                                                              type *End, SIZE_T *Remaining,        \
                                                              ULONG Flags, constant Format, ...) { \
        __builtin_ms_va_list args;                                                                 \
        __builtin_ms_va_start(args, Format);                                                       \
        NTSTATUS status = RtlString##kind##VPrintfEx##letter(Destination, Room, End, Remaining,    \
                                                             Flags, Format, args);                 \
        __builtin_ms_va_end(args);                                                                 \
        return status;                                                                             \
    }

#define FAMILY(count, letter, type, constant, size, unit)                                          \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##Length##letter(constant String, SIZE_T Maximum,      \
                                                             SIZE_T *Length) {                     \
        host_irql_at_most(PASSIVE_LEVEL, __func__);                                                \
        return safe_measure(String, sizeof(*String) == 2, Maximum / (size), Length, unit);         \
    }                                                                                              \
    PUTS(count##Copy, safe_copy, letter, type, constant, size, unit)                               \
    PUTS(count##Cat, safe_cat, letter, type, constant, size, unit)                                 \
    PRINTS(count, letter, type, constant, size, unit)

FAMILY(Cch, A, PSTR, PCSTR, 1, 1)
FAMILY(Cb, A, PSTR, PCSTR, 1, 1)
FAMILY(Cch, W, PWSTR, PCWSTR, 1, 1)
FAMILY(Cb, W, PWSTR, PCWSTR, sizeof(WCHAR), sizeof(WCHAR))
