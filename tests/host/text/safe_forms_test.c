/*
 * safe_forms_test.c - every form of the functions of ntstrsafe.h keeps the rules of its family: in
 * bytes or characters, narrow or wide, at most so many, with an end and flags, counted.
 */
#include <ntddk.h>
#include <ntstrsafe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- Terminated: each form as a row, tried with the same texts ------------------------------------- */

enum form_kind { COPY, CAT };

typedef NTSTATUS (*narrow_form)(char *to, SIZE_T room, const char *from, char **end, SIZE_T *rest);
typedef NTSTATUS (*wide_form)(WCHAR *to, SIZE_T room, const WCHAR *from, WCHAR **end, SIZE_T *rest);

#define PLAIN(name, type, constant, size)                                                          \
    static NTSTATUS try_##name(type *to, SIZE_T room, constant *from, type **end, SIZE_T *rest) {  \
        *end = NULL;                                                                               \
        *rest = 0;                                                                                 \
        return name(to, room * (size), from);                                                      \
    }
#define MOST(name, type, constant, size)                                                           \
    static NTSTATUS try_##name(type *to, SIZE_T room, constant *from, type **end, SIZE_T *rest) {  \
        *end = NULL;                                                                               \
        *rest = 0;                                                                                 \
        return name(to, room * (size), from, 100 * (size));                                        \
    }
#define ENDED(name, type, constant, size)                                                          \
    static NTSTATUS try_##name(type *to, SIZE_T room, constant *from, type **end, SIZE_T *rest) {  \
        NTSTATUS status = name(to, room * (size), from, end, rest, 0);                             \
        *rest /= (size);                                                                           \
        return status;                                                                             \
    }
#define MOST_ENDED(name, type, constant, size)                                                     \
    static NTSTATUS try_##name(type *to, SIZE_T room, constant *from, type **end, SIZE_T *rest) {  \
        NTSTATUS status = name(to, room * (size), from, 100 * (size), end, rest, 0);               \
        *rest /= (size);                                                                           \
        return status;                                                                             \
    }

PLAIN(RtlStringCchCopyA, char, const char, 1)
PLAIN(RtlStringCbCopyA, char, const char, 1)
MOST(RtlStringCchCopyNA, char, const char, 1)
MOST(RtlStringCbCopyNA, char, const char, 1)
ENDED(RtlStringCchCopyExA, char, const char, 1)
ENDED(RtlStringCbCopyExA, char, const char, 1)
MOST_ENDED(RtlStringCchCopyNExA, char, const char, 1)
MOST_ENDED(RtlStringCbCopyNExA, char, const char, 1)
PLAIN(RtlStringCchCatA, char, const char, 1)
PLAIN(RtlStringCbCatA, char, const char, 1)
MOST(RtlStringCchCatNA, char, const char, 1)
MOST(RtlStringCbCatNA, char, const char, 1)
ENDED(RtlStringCchCatExA, char, const char, 1)
ENDED(RtlStringCbCatExA, char, const char, 1)
MOST_ENDED(RtlStringCchCatNExA, char, const char, 1)
MOST_ENDED(RtlStringCbCatNExA, char, const char, 1)
PLAIN(RtlStringCchCopyW, WCHAR, const WCHAR, 1)
PLAIN(RtlStringCbCopyW, WCHAR, const WCHAR, 2)
MOST(RtlStringCchCopyNW, WCHAR, const WCHAR, 1)
MOST(RtlStringCbCopyNW, WCHAR, const WCHAR, 2)
ENDED(RtlStringCchCopyExW, WCHAR, const WCHAR, 1)
ENDED(RtlStringCbCopyExW, WCHAR, const WCHAR, 2)
MOST_ENDED(RtlStringCchCopyNExW, WCHAR, const WCHAR, 1)
MOST_ENDED(RtlStringCbCopyNExW, WCHAR, const WCHAR, 2)
PLAIN(RtlStringCchCatW, WCHAR, const WCHAR, 1)
PLAIN(RtlStringCbCatW, WCHAR, const WCHAR, 2)
MOST(RtlStringCchCatNW, WCHAR, const WCHAR, 1)
MOST(RtlStringCbCatNW, WCHAR, const WCHAR, 2)
ENDED(RtlStringCchCatExW, WCHAR, const WCHAR, 1)
ENDED(RtlStringCbCatExW, WCHAR, const WCHAR, 2)
MOST_ENDED(RtlStringCchCatNExW, WCHAR, const WCHAR, 1)
MOST_ENDED(RtlStringCbCatNExW, WCHAR, const WCHAR, 2)

static const struct {
    enum form_kind kind;
    narrow_form narrow;
    wide_form wide;
} forms[] = {
    {COPY, try_RtlStringCchCopyA, try_RtlStringCchCopyW},
    {COPY, try_RtlStringCbCopyA, try_RtlStringCbCopyW},
    {COPY, try_RtlStringCchCopyNA, try_RtlStringCchCopyNW},
    {COPY, try_RtlStringCbCopyNA, try_RtlStringCbCopyNW},
    {COPY, try_RtlStringCchCopyExA, try_RtlStringCchCopyExW},
    {COPY, try_RtlStringCbCopyExA, try_RtlStringCbCopyExW},
    {COPY, try_RtlStringCchCopyNExA, try_RtlStringCchCopyNExW},
    {COPY, try_RtlStringCbCopyNExA, try_RtlStringCbCopyNExW},
    {CAT, try_RtlStringCchCatA, try_RtlStringCchCatW},
    {CAT, try_RtlStringCbCatA, try_RtlStringCbCatW},
    {CAT, try_RtlStringCchCatNA, try_RtlStringCchCatNW},
    {CAT, try_RtlStringCbCatNA, try_RtlStringCbCatNW},
    {CAT, try_RtlStringCchCatExA, try_RtlStringCchCatExW},
    {CAT, try_RtlStringCbCatExA, try_RtlStringCbCatExW},
    {CAT, try_RtlStringCchCatNExA, try_RtlStringCchCatNExW},
    {CAT, try_RtlStringCbCatNExA, try_RtlStringCbCatNExW},
};

/* Before the call a destination of five holds "xy". */
static void every_narrow_form_terminates_and_tells_what_was_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const char *cut = forms[i].kind == COPY ? "12345" : "123";
        const char *fits = forms[i].kind == COPY ? "1234" : "12";
        char text[6] = "xy", *end = NULL;
        SIZE_T rest = 0;
        assert_int_equal(forms[i].narrow(text, 5, cut, &end, &rest), STATUS_BUFFER_OVERFLOW);
        assert_string_equal(text, forms[i].kind == COPY ? "1234" : "xy12");
        assert_true(!end || (end == text + 4 && rest == 1));
        memcpy(text, "xy", 3);
        assert_int_equal(forms[i].narrow(text, 5, fits, &end, &rest), STATUS_SUCCESS);
        assert_string_equal(text, forms[i].kind == COPY ? "1234" : "xy12");
        memcpy(text, "xy", 3);
        assert_int_equal(forms[i].narrow(text, 5, "", &end, &rest), STATUS_SUCCESS);
        assert_string_equal(text, forms[i].kind == COPY ? "" : "xy");
        assert_true(!end || end == text + strlen(text));
        assert_int_equal(forms[i].narrow(text, 0, "a", &end, &rest), STATUS_INVALID_PARAMETER);
        assert_int_equal(forms[i].narrow(text, (SIZE_T)NTSTRSAFE_MAX_CCH + 1, "a", &end, &rest),
                         STATUS_INVALID_PARAMETER);
    }
}

static void every_wide_form_terminates_and_tells_what_was_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const WCHAR *cut = forms[i].kind == COPY ? u"12345" : u"123";
        const WCHAR *after = forms[i].kind == COPY ? u"1234" : u"xy12";
        WCHAR text[6] = u"xy", *end = NULL;
        SIZE_T rest = 0;
        assert_int_equal(forms[i].wide(text, 5, cut, &end, &rest), STATUS_BUFFER_OVERFLOW);
        assert_memory_equal(text, after, 10);
        assert_true(!end || (end == text + 4 && rest == 1));
        memcpy(text, u"xy", 6);
        assert_int_equal(forms[i].wide(text, 5, u"", &end, &rest), STATUS_SUCCESS);
        assert_int_equal(text[forms[i].kind == COPY ? 0 : 2], 0);
        assert_int_equal(forms[i].wide(text, 0, u"a", &end, &rest), STATUS_INVALID_PARAMETER);
    }
}

static void most_counts_what_the_name_counts(void **state) {
    WCHAR wide[8];
    char narrow[8];
    (void)state;
    assert_int_equal(RtlStringCchCopyNW(wide, 8, u"abcd", 3), STATUS_SUCCESS);
    assert_memory_equal(wide, u"abc", 8);
    assert_int_equal(RtlStringCbCatNW(wide, 16, u"defg", 5), STATUS_SUCCESS); /* two characters */
    assert_memory_equal(wide, u"abcde", 12);
    assert_int_equal(RtlStringCbCopyNA(narrow, 8, "abcd", 0), STATUS_SUCCESS);
    assert_string_equal(narrow, "");
}

static void lengths_end_within_their_maximum(void **state) {
    SIZE_T length = 7;
    (void)state;
    assert_int_equal(RtlStringCchLengthA("abc", 4, &length), STATUS_SUCCESS);
    assert_int_equal(length, 3);
    assert_int_equal(RtlStringCchLengthA("abc", 3, &length), STATUS_INVALID_PARAMETER);
    assert_int_equal(length, 0);
    assert_int_equal(RtlStringCbLengthA("abc", 4, NULL), STATUS_SUCCESS);
    assert_int_equal(RtlStringCchLengthW(u"abc", 4, &length), STATUS_SUCCESS);
    assert_int_equal(length, 3);
    assert_int_equal(RtlStringCbLengthW(u"abc", 8, &length), STATUS_SUCCESS);
    assert_int_equal(length, 6);
    assert_int_equal(RtlStringCbLengthW(u"abc", 7, &length), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlStringCchLengthW(NULL, 7, &length), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlStringCchLengthA("a", (SIZE_T)NTSTRSAFE_MAX_CCH + 1, &length),
                     STATUS_INVALID_PARAMETER);
}

/* ---- Printed ----------------------------------------------------------------------------------------- */

#define PRINTED(name, print, type, constant)                                                       \
    static NTSTATUS NTAPI name(type *to, SIZE_T room, constant *format, ...) {                     \
        __builtin_ms_va_list args;                                                                 \
        __builtin_ms_va_start(args, format);                                                       \
        NTSTATUS status = print(to, room, format, args);                                           \
        __builtin_ms_va_end(args);                                                                 \
        return status;                                                                             \
    }
#define PRINTED_EX(name, print, type, constant)                                                    \
    static NTSTATUS NTAPI name(type *to, SIZE_T room, type **end, SIZE_T *rest, ULONG flags,       \
                               constant *format, ...) {                                            \
        __builtin_ms_va_list args;                                                                 \
        __builtin_ms_va_start(args, format);                                                       \
        NTSTATUS status = print(to, room, end, rest, flags, format, args);                         \
        __builtin_ms_va_end(args);                                                                 \
        return status;                                                                             \
    }
PRINTED(cch_a, RtlStringCchVPrintfA, char, const char)
PRINTED(cb_a, RtlStringCbVPrintfA, char, const char)
PRINTED(cch_w, RtlStringCchVPrintfW, WCHAR, const WCHAR)
PRINTED(cb_w, RtlStringCbVPrintfW, WCHAR, const WCHAR)
PRINTED_EX(cch_ex_a, RtlStringCchVPrintfExA, char, const char)
PRINTED_EX(cb_ex_a, RtlStringCbVPrintfExA, char, const char)
PRINTED_EX(cch_ex_w, RtlStringCchVPrintfExW, WCHAR, const WCHAR)
PRINTED_EX(cb_ex_w, RtlStringCbVPrintfExW, WCHAR, const WCHAR)

static void prints_are_cut_at_the_room(void **state) {
    NTSTATUS(NTAPI * narrow[])
    (char *, SIZE_T, const char *, ...) = {cch_a, cb_a, RtlStringCchPrintfA, RtlStringCbPrintfA};
    NTSTATUS(NTAPI * wide[])
    (WCHAR *, SIZE_T, const WCHAR *, ...) = {cch_w, cb_w, RtlStringCchPrintfW, RtlStringCbPrintfW};
    (void)state;
    for (size_t i = 0; i < COUNT(narrow); i++) {
        SIZE_T unit = i % 2 != 0 ? 2 : 1;
        char a[5];
        WCHAR w[5];
        assert_int_equal(narrow[i](a, 5, "%d-%u", -12, 3u), STATUS_BUFFER_OVERFLOW);
        assert_string_equal(a, "-12-");
        assert_int_equal(narrow[i](a, 5, "%02x%c", 10, 'z'), STATUS_SUCCESS);
        assert_string_equal(a, "0az");
        assert_int_equal(narrow[i](a, 0, "x"), STATUS_INVALID_PARAMETER);
        assert_int_equal(wide[i](w, 5 * unit, u"%d-%u", -12, 3u), STATUS_BUFFER_OVERFLOW);
        assert_memory_equal(w, u"-12-", 10);
        assert_int_equal(wide[i](w, 5 * unit, u"%s", u"abcd"), STATUS_SUCCESS);
        assert_memory_equal(w, u"abcd", 10);
    }
}

static void prints_with_an_end_obey_flags(void **state) {
    NTSTATUS(NTAPI * narrow[])
    (char *, SIZE_T, char **, SIZE_T *, ULONG, const char *,
     ...) = {cch_ex_a, cb_ex_a, RtlStringCchPrintfExA, RtlStringCbPrintfExA};
    NTSTATUS(NTAPI * wide[])
    (WCHAR *, SIZE_T, WCHAR **, SIZE_T *, ULONG, const WCHAR *,
     ...) = {cch_ex_w, cb_ex_w, RtlStringCchPrintfExW, RtlStringCbPrintfExW};
    (void)state;
    for (size_t i = 0; i < COUNT(narrow); i++) {
        SIZE_T rest = 0, unit = i % 2 != 0 ? 2 : 1;
        char a[5], *end = NULL;
        WCHAR w[5], *wide_end = NULL;
        assert_int_equal(narrow[i](a, 5, &end, &rest, STRSAFE_FILL_BYTE('.'), "%i", 7),
                         STATUS_SUCCESS);
        assert_memory_equal(a, "7\0...", 5);
        assert_ptr_equal(end, a + 1);
        assert_int_equal(rest, 4);
        assert_int_equal(narrow[i](a, 5, NULL, NULL, STRSAFE_NULL_ON_FAILURE, "%d", 12345),
                         STATUS_BUFFER_OVERFLOW);
        assert_string_equal(a, "");
        assert_int_equal(wide[i](w, 5 * unit, &wide_end, &rest, 0, u"%d", 123), STATUS_SUCCESS);
        assert_ptr_equal(wide_end, w + 3);
        assert_int_equal(rest, 2 * unit);
    }
}

/* ---- Counted ------------------------------------------------------------------------------------------ */

static UNICODE_STRING source(const WCHAR *text) {
    UNICODE_STRING string;
    assert_int_equal(RtlUnicodeStringInitEx(&string, text, 0), STATUS_SUCCESS);
    return string;
}

static void counted_forms_take_at_most_so_much(void **state) {
    DECLARE_UNICODE_STRING_SIZE(to, 4);
    UNICODE_STRING from = source(u"abcdef"), rest;
    (void)state;
    assert_int_equal(RtlUnicodeStringCchCopyN(&to, &from, 2), STATUS_SUCCESS);
    assert_int_equal(to.Length, 4);
    assert_int_equal(RtlUnicodeStringCbCopyN(&to, &from, 7), STATUS_SUCCESS);
    assert_int_equal(to.Length, 6);
    assert_int_equal(RtlUnicodeStringCchCatN(&to, &from, 1), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"abca", 8);
    assert_int_equal(RtlUnicodeStringCbCatN(&to, &from, 2), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(RtlUnicodeStringCchCopyStringN(&to, u"xyz", 1), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCbCopyStringN(&to, u"xyz", 2), STATUS_SUCCESS);
    assert_int_equal(to.Length, 2);
    assert_int_equal(RtlUnicodeStringCchCatStringN(&to, u"12", 9), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCbCatStringN(&to, u"34", 4), STATUS_BUFFER_OVERFLOW);
    assert_memory_equal(to.Buffer, u"x123", 8);
    to.Length = 2;
    assert_int_equal(RtlUnicodeStringCchCatNEx(&to, &from, 1, &rest, 0), STATUS_SUCCESS);
    assert_ptr_equal(rest.Buffer, to.Buffer + 2);
    assert_int_equal(rest.Length, 0);
    assert_int_equal(rest.MaximumLength, 4);
    assert_int_equal(RtlUnicodeStringCbCopyNEx(&to, &from, 2, &rest, 0), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCchCopyNEx(&to, &from, 0, &rest, 0), STATUS_SUCCESS);
    assert_int_equal(rest.MaximumLength, 8);
    assert_int_equal(RtlUnicodeStringCbCatNEx(&to, &from, 8, &rest, 0), STATUS_SUCCESS);
    assert_int_equal(rest.MaximumLength, 0);
    assert_int_equal(RtlUnicodeStringCchCopyStringNEx(&to, u"a", 1, &rest, 0), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCbCatStringNEx(&to, u"bc", 2, &rest, 0), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCchCatStringNEx(&to, u"c", 1, &rest, 0), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCbCopyStringNEx(&to, u"abc", 6, &rest, 0), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"abc", 6);
}

static void counted_forms_obey_flags(void **state) {
    DECLARE_UNICODE_STRING_SIZE(to, 2);
    UNICODE_STRING from = source(u"a"), large = source(u"abc"), odd = {3, 4, from.Buffer};
    (void)state;
    assert_int_equal(RtlUnicodeStringCopyEx(&to, &from, NULL, STRSAFE_FILL_BYTE(0)),
                     STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"a", 4);
    assert_int_equal(RtlUnicodeStringCatEx(&to, &large, NULL, STRSAFE_NO_TRUNCATION),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(to.Length, 2);
    assert_int_equal(RtlUnicodeStringCatStringEx(&to, u"bcd", NULL, STRSAFE_ZERO_LENGTH_ON_FAILURE),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(to.Length, 0);
    assert_int_equal(RtlUnicodeStringCopyStringEx(&to, u"abc", NULL, STRSAFE_FAILURE_BYTE(0x41)),
                     STATUS_BUFFER_OVERFLOW);
    assert_memory_equal(to.Buffer, u"\x4141\x4141", 4);
    assert_int_equal(RtlUnicodeStringCopyStringEx(&to, NULL, NULL, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringCopyStringEx(&to, NULL, NULL, STRSAFE_IGNORE_NULLS),
                     STATUS_SUCCESS);
    assert_int_equal(to.Length, 0);
    assert_int_equal(RtlUnicodeStringCopyEx(NULL, &from, NULL, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringCopyEx(NULL, NULL, NULL, STRSAFE_IGNORE_NULLS),
                     STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCopyEx(NULL, &from, NULL, STRSAFE_IGNORE_NULLS),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringCopy(&to, &odd), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringCopyEx(&to, &from, NULL, 0x8000), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringValidateEx(NULL, STRSAFE_IGNORE_NULLS), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringValidateEx(NULL, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringValidateEx(&odd, 0), STATUS_INVALID_PARAMETER);
}

static NTSTATUS NTAPI counted_print(PUNICODE_STRING to, const WCHAR *format, ...) {
    __builtin_ms_va_list args;
    __builtin_ms_va_start(args, format);
    NTSTATUS status = RtlUnicodeStringVPrintf(to, format, args);
    __builtin_ms_va_end(args);
    return status;
}

static NTSTATUS NTAPI counted_print_ex(PUNICODE_STRING to, PUNICODE_STRING rest, ULONG flags,
                                       const WCHAR *format, ...) {
    __builtin_ms_va_list args;
    __builtin_ms_va_start(args, format);
    NTSTATUS status = RtlUnicodeStringVPrintfEx(to, rest, flags, format, args);
    __builtin_ms_va_end(args);
    return status;
}

static void counted_prints_use_all_of_the_room(void **state) {
    DECLARE_UNICODE_STRING_SIZE(to, 4);
    UNICODE_STRING rest;
    (void)state;
    assert_int_equal(counted_print(&to, u"%u", 1234u), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"1234", 8);
    assert_int_equal(RtlUnicodeStringPrintf(&to, u"%u", 12345u), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(to.Length, 8);
    assert_int_equal(RtlUnicodeStringPrintfEx(&to, &rest, 0, u"%c", 'x'), STATUS_SUCCESS);
    assert_int_equal(rest.MaximumLength, 6);
    assert_int_equal(counted_print_ex(&to, &rest, STRSAFE_NULL_ON_FAILURE, u"%u", 12345u),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(to.Length, 0);
    assert_int_equal(rest.MaximumLength, 8);
    assert_int_equal(counted_print_ex(&to, NULL, 0, NULL), STATUS_INVALID_PARAMETER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_narrow_form_terminates_and_tells_what_was_cut),
        cmocka_unit_test(every_wide_form_terminates_and_tells_what_was_cut),
        cmocka_unit_test(most_counts_what_the_name_counts),
        cmocka_unit_test(lengths_end_within_their_maximum),
        cmocka_unit_test(prints_are_cut_at_the_room),
        cmocka_unit_test(prints_with_an_end_obey_flags),
        cmocka_unit_test(counted_forms_take_at_most_so_much),
        cmocka_unit_test(counted_forms_obey_flags),
        cmocka_unit_test(counted_prints_use_all_of_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
