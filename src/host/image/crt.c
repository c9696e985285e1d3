/*
 * crt.c - see crt.h. Characters are ASCII where case matters, as in the "C" locale; wide characters
 * have 16 bits.
 */
#include "image/crt.h"

#include <stdbool.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <ntddk.h>

#include "image/seh.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *NTAPI crt_memcpy(void *to, const void *from, size_t size) {
    return memmove(to, from, size); /* ntoskrnl's two are one, and drivers rely on it */
}

static void *NTAPI crt_memset(void *to, int value, size_t size) {
    return memset(to, value, size);
}

static int NTAPI crt_memcmp(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size);
}

static const void *NTAPI crt_memchr(const void *in, int value, size_t size) {
    return memchr(in, value, size);
}

/* ---- Strings of bytes ------------------------------------------------------------------------ */

static size_t NTAPI crt_strlen(const char *text) {
    return strlen(text);
}

static size_t NTAPI crt_strnlen(const char *text, size_t most) {
    return strnlen(text, most);
}

static int NTAPI crt_strcmp(const char *a, const char *b) {
    return strcmp(a, b);
}

static int NTAPI crt_strncmp(const char *a, const char *b, size_t most) {
    return strncmp(a, b, most);
}

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int upper(int c) {
    return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}

static int NTAPI crt_strnicmp(const char *a, const char *b, size_t most) {
    for (; most > 0; a++, b++, most--) {
        int difference = lower((unsigned char)*a) - lower((unsigned char)*b);
        if (difference != 0 || *a == 0)
            return difference;
    }
    return 0;
}

static int NTAPI crt_stricmp(const char *a, const char *b) {
    return crt_strnicmp(a, b, SIZE_MAX);
}

static char *NTAPI crt_strcpy(char *to, const char *from) {
    memcpy(to, from, strlen(from) + 1);
    return to;
}

static char *NTAPI crt_strncpy(char *to, const char *from, size_t size) {
    size_t length = strnlen(from, size);
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
    return to;
}

static char *NTAPI crt_strcat(char *to, const char *from) {
    memcpy(to + strlen(to), from, strlen(from) + 1);
    return to;
}

static char *NTAPI crt_strncat(char *to, const char *from, size_t most) {
    size_t at = strlen(to), length = strnlen(from, most);
    memcpy(to + at, from, length);
    to[at + length] = 0;
    return to;
}

static const char *NTAPI crt_strchr(const char *text, int c) {
    return strchr(text, c);
}

static const char *NTAPI crt_strrchr(const char *text, int c) {
    return strrchr(text, c);
}

static const char *NTAPI crt_strstr(const char *text, const char *wanted) {
    return strstr(text, wanted);
}

/* ---- Strings of 16-bit units ----------------------------------------------------------------- */

static size_t NTAPI crt_wcsnlen(const WCHAR *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length] != 0)
        length++;
    return length;
}

static size_t NTAPI crt_wcslen(const WCHAR *text) {
    return crt_wcsnlen(text, SIZE_MAX);
}

static int NTAPI crt_wcsncmp(const WCHAR *a, const WCHAR *b, size_t most) {
    for (; most > 0; a++, b++, most--)
        if (*a != *b || *a == 0)
            return (int)*a - (int)*b;
    return 0;
}

static int NTAPI crt_wcscmp(const WCHAR *a, const WCHAR *b) {
    return crt_wcsncmp(a, b, SIZE_MAX);
}

static int NTAPI crt_wcsnicmp(const WCHAR *a, const WCHAR *b, size_t most) {
    for (; most > 0; a++, b++, most--) {
        int difference = lower(*a) - lower(*b);
        if (difference != 0 || *a == 0)
            return difference;
    }
    return 0;
}

static int NTAPI crt_wcsicmp(const WCHAR *a, const WCHAR *b) {
    return crt_wcsnicmp(a, b, SIZE_MAX);
}

static WCHAR *NTAPI crt_wcscpy(WCHAR *to, const WCHAR *from) {
    memcpy(to, from, (crt_wcslen(from) + 1) * sizeof(*to));
    return to;
}

static WCHAR *NTAPI crt_wcsncpy(WCHAR *to, const WCHAR *from, size_t count) {
    size_t length = crt_wcsnlen(from, count);
    memcpy(to, from, length * sizeof(*to));
    memset(to + length, 0, (count - length) * sizeof(*to));
    return to;
}

static WCHAR *NTAPI crt_wcscat(WCHAR *to, const WCHAR *from) {
    (void)crt_wcscpy(to + crt_wcslen(to), from);
    return to;
}

static const WCHAR *NTAPI crt_wcschr(const WCHAR *text, WCHAR c) {
    for (; *text != c; text++)
        if (*text == 0)
            return NULL;
    return text;
}

static const WCHAR *NTAPI crt_wcsrchr(const WCHAR *text, WCHAR c) {
    const WCHAR *found = NULL;
    for (;; text++) {
        if (*text == c)
            found = text;
        if (*text == 0)
            return found;
    }
}

static const WCHAR *NTAPI crt_wcsstr(const WCHAR *text, const WCHAR *wanted) {
    size_t length = crt_wcslen(wanted);
    for (;; text++) {
        if (crt_wcsncmp(text, wanted, length) == 0)
            return text;
        if (*text == 0)
            return NULL;
    }
}

/* ---- Characters, numbers, order -------------------------------------------------------------- */

static int NTAPI crt_tolower(int c) {
    return lower(c);
}

static int NTAPI crt_toupper(int c) {
    return upper(c);
}

static WCHAR NTAPI crt_towlower(WCHAR c) {
    return (WCHAR)lower(c);
}

static WCHAR NTAPI crt_towupper(WCHAR c) {
    return (WCHAR)upper(c);
}

static int NTAPI crt_isdigit(int c) {
    return c >= '0' && c <= '9';
}

static int NTAPI crt_isspace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int NTAPI crt_isupper(int c) {
    return c >= 'A' && c <= 'Z';
}

static int NTAPI crt_islower(int c) {
    return c >= 'a' && c <= 'z';
}

static int NTAPI crt_isprint(int c) {
    return c >= ' ' && c < 0x7f;
}

static int NTAPI crt_isxdigit(int c) {
    return crt_isdigit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

static INT32 NTAPI crt_abs(INT32 value) {
    return value < 0 ? (INT32)(0u - (UINT32)value) : value;
}

static INT32 NTAPI crt_atoi(const char *text) {
    UINT32 value = 0;
    while (crt_isspace((unsigned char)*text))
        text++;
    bool negative = *text == '-';
    text += *text == '-' || *text == '+';
    for (; crt_isdigit((unsigned char)*text); text++)
        value = value * 10u + (UINT32)(*text - '0');
    return (INT32)(negative ? 0u - value : value);
}

typedef int(NTAPI *crt_order)(const void *a, const void *b);

static int call_order(const void *a, const void *b, void *order) {
    crt_order function;
    memcpy(&function, order, sizeof(function));
    return function(a, b);
}

static void NTAPI crt_qsort(void *base, size_t count, size_t size, crt_order order) {
    qsort_r(base, count, size, call_order, &order);
}

static const void *NTAPI crt_bsearch(const void *key, const void *base, size_t count, size_t size,
                                     crt_order order) {
    for (size_t from = 0, to = count; from < to;) {
        size_t middle = from + (to - from) / 2;
        const void *at = (const char *)base + middle * size;
        int found = order(key, at);
        if (found == 0)
            return at;
        if (found < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

/* ---- What a compiler calls unasked ----------------------------------------------------------- */

/* rax is how much stack the caller is about to take: pages below the stack are there already. No
 * register changes. */
__attribute__((naked)) static void crt_chkstk(void) {
    __asm__ volatile("ret");
}

/* ---- The table ------------------------------------------------------------------------------- */

struct crt_name {
    const char *name;
    const void *address;
};

#define CRT_FUNCTION(exported, function)                                                           \
    { exported, (const void *)(uintptr_t)(function) }

/* Ordered by strcmp: crt_export searches by halves. */
static const struct crt_name crt_names[] = {
    CRT_FUNCTION("__C_specific_handler", seh_c_specific_handler),
    CRT_FUNCTION("__chkstk", crt_chkstk),
    CRT_FUNCTION("_local_unwind", seh_local_unwind),
    CRT_FUNCTION("_stricmp", crt_stricmp),
    CRT_FUNCTION("_strnicmp", crt_strnicmp),
    CRT_FUNCTION("_wcsicmp", crt_wcsicmp),
    CRT_FUNCTION("_wcsnicmp", crt_wcsnicmp),
    CRT_FUNCTION("abs", crt_abs),
    CRT_FUNCTION("atoi", crt_atoi),
    CRT_FUNCTION("bsearch", crt_bsearch),
    CRT_FUNCTION("isdigit", crt_isdigit),
    CRT_FUNCTION("islower", crt_islower),
    CRT_FUNCTION("isprint", crt_isprint),
    CRT_FUNCTION("isspace", crt_isspace),
    CRT_FUNCTION("isupper", crt_isupper),
    CRT_FUNCTION("isxdigit", crt_isxdigit),
    CRT_FUNCTION("memchr", crt_memchr),
    CRT_FUNCTION("memcmp", crt_memcmp),
    CRT_FUNCTION("memcpy", crt_memcpy),
    CRT_FUNCTION("memmove", crt_memcpy),
    CRT_FUNCTION("memset", crt_memset),
    CRT_FUNCTION("qsort", crt_qsort),
    CRT_FUNCTION("strcat", crt_strcat),
    CRT_FUNCTION("strchr", crt_strchr),
    CRT_FUNCTION("strcmp", crt_strcmp),
    CRT_FUNCTION("strcpy", crt_strcpy),
    CRT_FUNCTION("strlen", crt_strlen),
    CRT_FUNCTION("strncat", crt_strncat),
    CRT_FUNCTION("strncmp", crt_strncmp),
    CRT_FUNCTION("strncpy", crt_strncpy),
    CRT_FUNCTION("strnlen", crt_strnlen),
    CRT_FUNCTION("strrchr", crt_strrchr),
    CRT_FUNCTION("strstr", crt_strstr),
    CRT_FUNCTION("tolower", crt_tolower),
    CRT_FUNCTION("toupper", crt_toupper),
    CRT_FUNCTION("towlower", crt_towlower),
    CRT_FUNCTION("towupper", crt_towupper),
    CRT_FUNCTION("wcscat", crt_wcscat),
    CRT_FUNCTION("wcschr", crt_wcschr),
    CRT_FUNCTION("wcscmp", crt_wcscmp),
    CRT_FUNCTION("wcscpy", crt_wcscpy),
    CRT_FUNCTION("wcslen", crt_wcslen),
    CRT_FUNCTION("wcsncmp", crt_wcsncmp),
    CRT_FUNCTION("wcsncpy", crt_wcsncpy),
    CRT_FUNCTION("wcsnlen", crt_wcsnlen),
    CRT_FUNCTION("wcsrchr", crt_wcsrchr),
    CRT_FUNCTION("wcsstr", crt_wcsstr),
};

const void *crt_export(const char *name) {
    size_t from = 0, to = sizeof(crt_names) / sizeof(crt_names[0]);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(name, crt_names[middle].name);
        if (order == 0)
            return crt_names[middle].address;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}
