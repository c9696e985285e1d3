/*
 * print.c - DbgPrint and its relatives, to the configured log, and the printing for safe_strings.c.
 *
 * They are variadic functions of the Windows calling convention whose format has Windows' sizes (l
 * is 32 bits, I64, ws, wZ), so every conversion is parsed here and printed by itself.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "text/messages.h"
#include "text/print.h"

/* Where the text goes: characters of one byte or of two, and always room for a terminator. */
struct output {
    char *text;
    WCHAR *wide;
    size_t room, length;
    bool cut;
};

struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    uint32_t bytes;       /* of an integer argument */
    bool wide, narrow;
};

static void put_unit(struct output *out, WCHAR c) {
    if (out->length + 1 >= out->room) {
        out->cut = true;
        return;
    }
    if (out->wide)
        out->wide[out->length++] = c;
    else
        out->text[out->length++] = c < 128 ? (char)c : '?';
}

static void print_put(struct output *out, char c) {
    put_unit(out, (unsigned char)c);
}

/* `count` UTF-16 units; where there are only bytes, those beyond ASCII become '?'. */
static void put_wide(struct output *out, const WCHAR *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        put_unit(out, text[i]);
}

static size_t wide_length(const WCHAR *text, int precision) {
    size_t n = 0;
    while ((precision < 0 || n < (size_t)precision) && text[n] != 0)
        n++;
    return n;
}

static int print_number(const char **at, __builtin_ms_va_list *args) {
    int n = 0;
    if (**at == '*') {
        ++*at;
        return __builtin_va_arg(*args, int);
    }
    while (**at >= '0' && **at <= '9' && n < 10000)
        n = n * 10 + (*(*at)++ - '0');
    return n;
}

/* Length modifiers of the Windows format language. */
static void print_sizes(const char **at, struct conversion *c) {
    for (;; ++*at) {
        if (strncmp(*at, "I64", 3) == 0 || strncmp(*at, "I32", 3) == 0) {
            c->bytes = (*at)[1] == '6' ? 8 : 4;
            *at += 2;
        } else if (**at == 'h') {
            c->bytes = c->bytes == 2 ? 1 : 2;
            c->narrow = true;
        } else if (**at == 'l' || **at == 'w') {
            c->bytes = c->wide ? 8 : 4;
            c->wide = true;
        } else if (**at == 'I' || **at == 'z' || **at == 'j' || **at == 't') {
            c->bytes = 8;
        } else {
            return;
        }
    }
}

static const char *print_parse(const char *at, struct conversion *c, __builtin_ms_va_list *args) {
    size_t flags = 0;
    *c = (struct conversion){.width = -1, .precision = -1, .bytes = 4};
    while (*at != 0 && strchr("-+ #0", *at)) {
        if (flags + 1 < sizeof(c->flags))
            c->flags[flags++] = *at;
        at++;
    }
    if (*at == '*' || (*at >= '0' && *at <= '9'))
        c->width = print_number(&at, args);
    if (*at == '.') {
        at++;
        c->precision = print_number(&at, args);
    }
    print_sizes(&at, c);
    return at;
}

static void put_formatted(struct output *out, const struct conversion *c, const char *letter,
                          uint64_t value, double real) {
    char format[64], text[256], precision[16] = "";
    if (c->precision >= 0)
        snprintf(precision, sizeof(precision), ".%d", c->precision < 200 ? c->precision : 200);
    snprintf(format, sizeof(format), "%%%s%d%s%s%c", c->flags,
             c->width > 0 ? (c->width < 200 ? c->width : 200) : 1, precision,
             letter[1] == 'r' ? "" : "ll", letter[0]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (letter[1] == 'r')
        snprintf(text, sizeof(text), format, real);
    else
        snprintf(text, sizeof(text), format, (unsigned long long)value);
#pragma GCC diagnostic pop
    for (const char *t = text; *t != 0; t++)
        print_put(out, *t);
}

static void put_integer(struct output *out, const struct conversion *c, char letter,
                        __builtin_ms_va_list *args) {
    uint64_t value =
        c->bytes == 8 ? __builtin_va_arg(*args, uint64_t) : __builtin_va_arg(*args, uint32_t);
    uint32_t spare = 64 - 8 * c->bytes;
    char letters[2] = {letter, 0};
    if (letter == 'd' || letter == 'i')
        value = (uint64_t)((int64_t)(value << spare) >> spare);
    else
        value = value << spare >> spare;
    put_formatted(out, c, letters, value, 0);
}

static void put_string(struct output *out, const struct conversion *c, bool wide,
                       __builtin_ms_va_list *args) {
    const void *text = __builtin_va_arg(*args, void *);
    if (!text)
        text = wide ? (const void *)u"(null)" : "(null)";
    if (wide) {
        put_wide(out, text, wide_length(text, c->precision));
        return;
    }
    size_t most = c->precision >= 0 ? (size_t)c->precision : SIZE_MAX;
    for (const char *t = text; most-- > 0 && *t != 0; t++)
        print_put(out, *t);
}

/* %Z and %wZ: counted strings. */
static void put_counted(struct output *out, bool wide, __builtin_ms_va_list *args) {
    const UNICODE_STRING *text = __builtin_va_arg(*args, const UNICODE_STRING *);
    if (!text)
        return;
    if (wide)
        put_wide(out, text->Buffer, text->Length / sizeof(WCHAR));
    else
        for (USHORT i = 0; i < text->Length; i++)
            print_put(out, ((const char *)text->Buffer)[i]);
}

static void put_conversion(struct output *out, struct conversion *c, char letter,
                           __builtin_ms_va_list *args) {
    const char real[2] = {letter, 'r'};
    if (letter != 0 && strchr("diuxXo", letter)) {
        put_integer(out, c, letter, args);
    } else if (letter == 'p') {
        c->bytes = 8;
        c->precision = 16; /* every digit, in capitals */
        put_integer(out, c, 'X', args);
    } else if (letter == 'c' || letter == 'C') {
        print_put(out, (char)__builtin_va_arg(*args, int));
    } else if (letter == 's' || letter == 'S') {
        /* %s has the characters of the format, %S the other ones, unless a modifier says. */
        bool wide = !!out->wide == (letter == 's');
        put_string(out, c, c->wide || (wide && !c->narrow), args);
    } else if (letter == 'Z') {
        put_counted(out, c->wide, args);
    } else if (letter != 0 && strchr("feEgGaA", letter)) {
        put_formatted(out, c, real, 0, __builtin_va_arg(*args, double));
    } else if (letter != 0) {
        print_put(out, letter); /* "%%", and unknown conversions */
    }
}

static void format_text(struct output *out, const char *format, __builtin_ms_va_list *args) {
    for (const char *at = format; *at != 0; at++) {
        struct conversion c;
        if (*at != '%') {
            print_put(out, *at);
            continue;
        }
        at = print_parse(at + 1, &c, args);
        put_conversion(out, &c, *at, args);
        if (*at == 0)
            break;
    }
    if (out->wide)
        out->wide[out->length] = 0;
    else
        out->text[out->length] = 0;
}

/* %C, %S, or %c, %s, %Z of wide characters. */
static bool format_has_unicode(const char *format) {
    const char *at = format;
    while ((at = strchr(at, '%'))) {
        size_t skip = strspn(++at, "-+ #0123456789.*");
        size_t sizes = strspn(at + skip, "hlwI0123456789zjt");
        bool wide = memchr(at + skip, 'l', sizes) || memchr(at + skip, 'w', sizes);
        char letter = at[skip + sizes];
        if (letter == 'C' || letter == 'S' ||
            (wide && (letter == 'c' || letter == 's' || letter == 'Z')))
            return true;
        at += skip + sizes + (letter != 0);
    }
    return false;
}

static void print_text(const char *format, __builtin_ms_va_list *args) {
    char text[1024];
    struct output out = {.text = text, .room = sizeof(text)};
    host_irql_at_most(HOST_HIGHEST_DIRQL, "DbgPrint");
    if (host_self.irql != PASSIVE_LEVEL && format_has_unicode(format))
        host_irql_at_most(PASSIVE_LEVEL, "DbgPrint with characters of Unicode");
    format_text(&out, format, args);
    host_messages_add(text);
    host_log("%s", text);
}

NTSYSAPI ULONG NTAPI DbgPrint(PCSTR Format, ...) {
    __builtin_ms_va_list args;
    __builtin_ms_va_start(args, Format);
    print_text(Format, &args);
    __builtin_ms_va_end(args);
    return (ULONG)STATUS_SUCCESS;
}

NTSYSAPI ULONG NTAPI vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format,
                                 WDDM_VA_LIST Arguments) {
    (void)ComponentId;
    (void)Level;
    print_text(Format, &Arguments);
    return (ULONG)STATUS_SUCCESS;
}

NTSYSAPI ULONG NTAPI DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...) {
    __builtin_ms_va_list args;
    (void)ComponentId;
    (void)Level;
    __builtin_ms_va_start(args, Format);
    print_text(Format, &args);
    __builtin_ms_va_end(args);
    return (ULONG)STATUS_SUCCESS;
}

/* The prefix stands before what is printed. */
NTSYSAPI ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level,
                                           PCSTR Format, WDDM_VA_LIST Arguments) {
    host_messages_add(Prefix);
    host_log("%s", Prefix);
    return vDbgPrintEx(ComponentId, Level, Format, Arguments);
}

/* There is no debugger to answer. */
NTSYSAPI ULONG NTAPI DbgPrompt(PCSTR Prompt, PCHAR Response, ULONG Length) {
    host_irql_at_most(HOST_HIGHEST_DIRQL, "DbgPrompt");
    (void)Response, (void)Length; /* which no character reaches */
    host_log("%s\n", Prompt);
    return 0;
}

NTSYSAPI VOID NTAPI DbgBreakPoint(VOID) {
    host_violation("the driver reached a break point");
}

NTSYSAPI VOID NTAPI DbgBreakPointWithStatus(ULONG Status) {
    host_violation("the driver reached a break point with status 0x%x", Status);
}

NTSYSAPI VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber,
                              PCHAR Message) {
    host_violation("an assertion of the driver failed: %s (%s:%u)%s%s",
                   (const char *)FailedAssertion, (const char *)FileName, LineNumber,
                   Message ? ": " : "", Message ? Message : "");
}

/* ---- For ntstrsafe.h ------------------------------------------------------------------------- */

bool host_print_narrow(PSTR text, size_t room, PCSTR format, __builtin_ms_va_list *args) {
    struct output out = {.text = text, .room = room};
    format_text(&out, format, args);
    return !out.cut;
}

/* The format is taken as ASCII, as in drivers. */
bool host_print_wide(PWSTR text, size_t room, PCWSTR format, __builtin_ms_va_list *args) {
    char narrow[1024];
    size_t n = wide_length(format, (int)sizeof(narrow) - 1);
    struct output out = {.wide = text, .room = room};
    for (size_t i = 0; i < n; i++)
        narrow[i] = format[i] < 128 ? (char)format[i] : '?';
    narrow[n] = 0;
    format_text(&out, narrow, args);
    return !out.cut && format[n] == 0;
}

/* A bugcheck ends the system; here it ends the process, after printing why. */
NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR P1,
                                                      ULONG_PTR P2, ULONG_PTR P3, ULONG_PTR P4) {
    char text[160];
    snprintf(text, sizeof(text),
             "the driver called KeBugCheckEx(0x%x, 0x%llx, 0x%llx, 0x%llx, 0x%llx)", BugCheckCode,
             (unsigned long long)P1, (unsigned long long)P2, (unsigned long long)P3,
             (unsigned long long)P4);
    host_violation("%s", text);
    fprintf(stderr, "%s\n", text);
    abort();
}

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI KeBugCheck(ULONG BugCheckCode) {
    KeBugCheckEx(BugCheckCode, 0, 0, 0, 0);
}
