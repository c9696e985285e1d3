/*
 * print.c - DbgPrint and its relatives, to the configured log.
 *
 * They are variadic functions of the Windows calling convention whose format has Windows' sizes
 * (l is 32 bits, I64, ws, wZ), so every conversion is taken apart here and printed on its own.
 */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct output {
    char text[1024];
    size_t length;
};

struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    uint32_t bytes;       /* of an integer argument */
    bool wide;
};

void host_log(const char *format, ...) {
    FILE *log = host_world->config.log;
    if (log == NULL)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(log, format, args);
    va_end(args);
}

static void put(struct output *out, char c) {
    if (out->length + 1 < sizeof(out->text))
        out->text[out->length++] = c;
}

/* `count` UTF-16 units, those beyond ASCII as '?'. */
static void put_wide(struct output *out, const WCHAR *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        put(out, text[i] < 128 ? (char)text[i] : '?');
}

static size_t wide_length(const WCHAR *text, int precision) {
    size_t n = 0;
    while ((precision < 0 || n < (size_t)precision) && text[n] != 0)
        n++;
    return n;
}

static int number(const char **at, __builtin_ms_va_list *args) {
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
static void sizes(const char **at, struct conversion *c) {
    for (;; ++*at) {
        if (strncmp(*at, "I64", 3) == 0 || strncmp(*at, "I32", 3) == 0) {
            c->bytes = (*at)[1] == '6' ? 8 : 4;
            *at += 2;
        } else if (**at == 'h') {
            c->bytes = c->bytes == 2 ? 1 : 2;
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

static const char *parse(const char *at, struct conversion *c, __builtin_ms_va_list *args) {
    size_t flags = 0;
    *c = (struct conversion){.width = -1, .precision = -1, .bytes = 4};
    while (*at != 0 && strchr("-+ #0", *at) != NULL) {
        if (flags + 1 < sizeof(c->flags))
            c->flags[flags++] = *at;
        at++;
    }
    if (*at == '*' || (*at >= '0' && *at <= '9'))
        c->width = number(&at, args);
    if (*at == '.') {
        at++;
        c->precision = number(&at, args);
    }
    sizes(&at, c);
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
        put(out, *t);
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
    if (text == NULL)
        text = wide ? (const void *)u"(null)" : "(null)";
    if (wide) {
        put_wide(out, text, wide_length(text, c->precision));
        return;
    }
    size_t most = c->precision >= 0 ? (size_t)c->precision : SIZE_MAX;
    for (const char *t = text; most-- > 0 && *t != 0; t++)
        put(out, *t);
}

/* %Z and %wZ: counted strings. */
static void put_counted(struct output *out, bool wide, __builtin_ms_va_list *args) {
    const UNICODE_STRING *text = __builtin_va_arg(*args, const UNICODE_STRING *);
    if (text == NULL)
        return;
    if (wide)
        put_wide(out, text->Buffer, text->Length / sizeof(WCHAR));
    else
        for (USHORT i = 0; i < text->Length; i++)
            put(out, ((const char *)text->Buffer)[i]);
}

static void put_conversion(struct output *out, struct conversion *c, char letter,
                           __builtin_ms_va_list *args) {
    const char real[2] = {letter, 'r'};
    if (letter != 0 && strchr("diuxXo", letter) != NULL) {
        put_integer(out, c, letter, args);
    } else if (letter == 'p') {
        c->bytes = 8;
        put_integer(out, c, 'x', args);
    } else if (letter == 'c' || letter == 'C') {
        put(out, (char)__builtin_va_arg(*args, int));
    } else if (letter == 's' || letter == 'S') {
        put_string(out, c, letter == 'S' ? !c->wide : c->wide, args);
    } else if (letter == 'Z') {
        put_counted(out, c->wide, args);
    } else if (letter != 0 && strchr("feEgGaA", letter) != NULL) {
        put_formatted(out, c, real, 0, __builtin_va_arg(*args, double));
    } else if (letter != 0) {
        put(out, letter); /* "%%", and what nobody knows */
    }
}

static void print(const char *format, __builtin_ms_va_list *args) {
    struct output out = {.length = 0};
    if (host_world->config.log == NULL)
        return;
    for (const char *at = format; *at != 0; at++) {
        struct conversion c;
        if (*at != '%') {
            put(&out, *at);
            continue;
        }
        at = parse(at + 1, &c, args);
        put_conversion(&out, &c, *at, args);
        if (*at == 0)
            break;
    }
    out.text[out.length] = 0;
    host_log("%s", out.text);
}

NTSYSAPI ULONG NTAPI DbgPrint(PCSTR Format, ...) {
    __builtin_ms_va_list args;
    __builtin_ms_va_start(args, Format);
    print(Format, &args);
    __builtin_ms_va_end(args);
    return (ULONG)STATUS_SUCCESS;
}

NTSYSAPI ULONG NTAPI DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...) {
    __builtin_ms_va_list args;
    (void)ComponentId;
    (void)Level;
    __builtin_ms_va_start(args, Format);
    print(Format, &args);
    __builtin_ms_va_end(args);
    return (ULONG)STATUS_SUCCESS;
}

NTSYSAPI VOID NTAPI DbgBreakPoint(VOID) {
    host_violation("the driver reached a break point");
}

NTSYSAPI VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber,
                              PCHAR Message) {
    host_violation("an assertion of the driver failed: %s (%s:%u)%s%s",
                   (const char *)FailedAssertion, (const char *)FileName, LineNumber,
                   Message != NULL ? ": " : "", Message != NULL ? Message : "");
}

/* A bugcheck ends the system; here it ends the process, after saying why. */
NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR P1,
                                                      ULONG_PTR P2, ULONG_PTR P3, ULONG_PTR P4) {
    fprintf(stderr, "the driver called KeBugCheckEx(0x%x, 0x%llx, 0x%llx, 0x%llx, 0x%llx)\n",
            BugCheckCode, (unsigned long long)P1, (unsigned long long)P2, (unsigned long long)P3,
            (unsigned long long)P4);
    abort();
}

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI KeBugCheck(ULONG BugCheckCode) {
    KeBugCheckEx(BugCheckCode, 0, 0, 0, 0);
}
