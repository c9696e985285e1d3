/* unicode_test.c - counted strings of the run-time library: wdm_rtl.h and wdm_strings.h. */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static UNICODE_STRING u(const WCHAR *text) {
    UNICODE_STRING string;
    RtlInitUnicodeString(&string, text);
    return string;
}

static void a_string_of_null_is_empty(void **state) {
    UNICODE_STRING wide;
    STRING narrow;
    (void)state;
    RtlInitUnicodeString(&wide, NULL);
    assert_int_equal(wide.Length | wide.MaximumLength, 0);
    assert_null(wide.Buffer);
    RtlInitString(&narrow, NULL);
    assert_int_equal(narrow.Length | narrow.MaximumLength, 0);
    RtlInitAnsiString(&narrow, "");
    assert_int_equal(narrow.MaximumLength, 1);
    RtlInitUTF8String(&narrow, "abc");
    assert_int_equal(narrow.Length, 3);
    assert_int_equal(narrow.MaximumLength, 4);
    WCHAR room[4];
    RtlInitEmptyUnicodeString(&wide, room, sizeof(room));
    assert_int_equal(wide.Length, 0);
    assert_int_equal(wide.MaximumLength, 8);
    assert_ptr_equal(wide.Buffer, room);
}

static void a_copy_is_cut_and_terminated_where_there_is_room(void **state) {
    DECLARE_UNICODE_STRING_SIZE(to, 3);
    UNICODE_STRING from = u(u"abcd"), shorter = u(u"xy");
    (void)state;
    RtlCopyUnicodeString(&to, &from);
    assert_int_equal(to.Length, 6);
    assert_memory_equal(to.Buffer, u"abc", 6);
    RtlCopyUnicodeString(&to, &shorter);
    assert_memory_equal(to.Buffer, u"xy", 6);
    RtlCopyUnicodeString(&to, NULL);
    assert_int_equal(to.Length, 0);
}

static void what_does_not_fit_is_not_appended_at_all(void **state) {
    DECLARE_UNICODE_STRING_SIZE(to, 4);
    UNICODE_STRING two = u(u"cd"), one = u(u"e");
    (void)state;
    assert_int_equal(RtlAppendUnicodeToString(&to, u"ab"), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"ab", 6);
    assert_int_equal(RtlAppendUnicodeStringToString(&to, &two), STATUS_SUCCESS);
    assert_int_equal(to.Length, 8);
    assert_int_equal(RtlAppendUnicodeStringToString(&to, &one), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(RtlAppendUnicodeToString(&to, u"e"), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(RtlAppendUnicodeToString(&to, NULL), STATUS_SUCCESS);
    assert_int_equal(to.Length, 8);
    assert_memory_equal(to.Buffer, u"abcd", 8);
}

static void comparisons_go_by_letters_then_by_length(void **state) {
    static const struct {
        const WCHAR *a, *b;
        bool no_case;
        int order;
        bool prefix;
    } rows[] = {
        {u"", u"", false, 0, true},      {u"", u"a", false, -1, true},
        {u"a", u"", false, 1, false},    {u"ab", u"abc", false, -1, true},
        {u"B", u"a", false, -1, false},  {u"B", u"a", true, 1, false},
        {u"É", u"é", true, 0, true},     {u"É", u"é", false, -1, false},
        {u"AB", u"abc", true, -1, true}, {u"AB", u"abc", false, -1, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        UNICODE_STRING a = u(rows[i].a), b = u(rows[i].b);
        LONG order = RtlCompareUnicodeString(&a, &b, rows[i].no_case);
        assert_int_equal((order > 0) - (order < 0), rows[i].order);
        assert_int_equal(RtlPrefixUnicodeString(&a, &b, rows[i].no_case), rows[i].prefix);
        assert_int_equal(RtlEqualUnicodeString(&a, &b, rows[i].no_case), rows[i].order == 0);
    }
}

static void strings_of_bytes_compare_and_copy(void **state) {
    char room[3];
    STRING a, b, to = {0, sizeof(room), room};
    (void)state;
    RtlInitString(&a, "ab\xe9");
    RtlInitString(&b, "AB\xc9");
    assert_true(RtlEqualString(&a, &b, TRUE));
    assert_false(RtlEqualString(&a, &b, FALSE));
    assert_true(RtlCompareString(&a, &b, FALSE) > 0);
    a.Length = 2;
    assert_true(RtlCompareString(&a, &b, TRUE) < 0);
    RtlInitString(&b, "wxyz");
    RtlUpperString(&to, &b);
    assert_int_equal(to.Length, 3);
    assert_memory_equal(room, "WXY", 3);
    RtlCopyString(&to, NULL);
    assert_int_equal(to.Length, 0);
    assert_int_equal(RtlUpperChar('{'), '{');
}

static void letters_change_both_ways(void **state) {
    UNICODE_STRING from = u(u"aÉя1"), to = {0, 0, NULL};
    DECLARE_UNICODE_STRING_SIZE(small, 3);
    (void)state;
    assert_int_equal(RtlUpcaseUnicodeChar(u'я'), u'Я');
    assert_int_equal(RtlDowncaseUnicodeChar(u'Я'), u'я');
    assert_int_equal(RtlDowncaseUnicodeChar(u'ß'), u'ß');
    assert_int_equal(RtlDowncaseUnicodeChar(u'Ÿ'), u'ÿ');
    assert_int_equal(RtlUpcaseUnicodeString(&small, &from, FALSE), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(small.Length, 0);
    assert_int_equal(RtlUpcaseUnicodeString(&to, &from, TRUE), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"AÉЯ1", 8);
    assert_int_equal(RtlDowncaseUnicodeString(&to, &from, FALSE), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"aéя1", 8);
    RtlFreeUnicodeString(&to);
    assert_null(to.Buffer);
    RtlFreeUnicodeString(&to); /* of none: nothing */
    assert_true(RtlCreateUnicodeString(&to, u"ab"));
    assert_memory_equal(to.Buffer, u"ab", 6);
    RtlFreeUnicodeString(&to);
}

static void a_hash_forgets_case_when_asked(void **state) {
    UNICODE_STRING a = u(u"Ab"), b = u(u"aB");
    ULONG one = 0, two = 0;
    (void)state;
    assert_int_equal(RtlHashUnicodeString(&a, FALSE, HASH_STRING_ALGORITHM_X65599, &one),
                     STATUS_SUCCESS);
    assert_int_equal(one, 'A' * 65599u + 'b');
    assert_int_equal(RtlHashUnicodeString(&a, TRUE, HASH_STRING_ALGORITHM_DEFAULT, &one),
                     STATUS_SUCCESS);
    assert_int_equal(RtlHashUnicodeString(&b, TRUE, HASH_STRING_ALGORITHM_X65599, &two),
                     STATUS_SUCCESS);
    assert_int_equal(one, two);
    assert_int_equal(RtlHashUnicodeString(&a, TRUE, 2, &one), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlHashUnicodeString(NULL, TRUE, 0, &one), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlHashUnicodeString(&a, TRUE, 0, NULL), STATUS_INVALID_PARAMETER);
}

/* ---- Bytes ------------------------------------------------------------------------------------------ */

static void the_code_page_needs_room_for_a_terminator(void **state) {
    char room[4];
    ANSI_STRING narrow = {0, sizeof(room), room}, made = {0, 0, NULL};
    UNICODE_STRING wide = u(u"aéЯ"), four = u(u"abcd"), back = {0, 0, NULL};
    WCHAR units[2];
    ULONG size = 0;
    (void)state;
    assert_int_equal(RtlUnicodeStringToAnsiString(&narrow, &wide, FALSE), STATUS_SUCCESS);
    assert_memory_equal(room, "a\xe9?", 4);
    assert_int_equal(narrow.Length, 3);
    assert_int_equal(RtlUnicodeStringToAnsiString(&narrow, &four, FALSE), STATUS_BUFFER_OVERFLOW);
    assert_memory_equal(room, "a\xe9?", 4);
    assert_int_equal(RtlUnicodeStringToAnsiString(&made, &four, TRUE), STATUS_SUCCESS);
    assert_string_equal(made.Buffer, "abcd");
    assert_int_equal(RtlUnicodeStringToAnsiSize(&four), 5);
    assert_int_equal(RtlAnsiStringToUnicodeSize(&made), 10);
    assert_int_equal(RtlAnsiStringToUnicodeString(&back, &made, TRUE), STATUS_SUCCESS);
    assert_memory_equal(back.Buffer, u"abcd", 10);
    RtlFreeUnicodeString(&back);
    assert_int_equal(RtlxUnicodeStringToAnsiSize(&four), 5);
    assert_int_equal(RtlxAnsiStringToUnicodeSize(&made), 10);
    RtlFreeAnsiString(&made);
    UTF8_STRING utf8 = {.Buffer = ExAllocatePoolWithTag(PagedPool, 4, 0x38667455)};
    RtlFreeUTF8String(&utf8); /* a leak fails the test at its end */
    assert_null(utf8.Buffer);
    ANSI_STRING bare;
    RtlInitEmptyAnsiString(&bare, room, 3);
    assert_ptr_equal(bare.Buffer, room);
    assert_int_equal(bare.Length, 0);
    assert_int_equal(bare.MaximumLength, 3);
    WCHAR digits[20];
    UNICODE_STRING number = {0, sizeof(digits), digits};
    assert_int_equal(RtlIntPtrToUnicodeString(~(ULONG_PTR)0, 16, &number), STATUS_SUCCESS);
    assert_memory_equal(digits, u"FFFFFFFFFFFFFFFF", 34);
    assert_int_equal(RtlIntPtrToUnicodeString(1, 3, &number), STATUS_INVALID_PARAMETER);
    number.MaximumLength = 2;
    assert_int_equal(RtlIntPtrToUnicodeString(10, 0, &number), STATUS_BUFFER_OVERFLOW);
    assert_null(made.Buffer);
    /* The functions with N cut without an error. */
    assert_int_equal(RtlMultiByteToUnicodeN(units, sizeof(units), &size, "xyz", 3), STATUS_SUCCESS);
    assert_int_equal(size, 4);
    assert_memory_equal(units, u"xy", 4);
    assert_int_equal(RtlUnicodeToMultiByteN(room, 2, &size, u"x\x3000z", 6), STATUS_SUCCESS);
    assert_int_equal(size, 2);
    assert_memory_equal(room, "x?", 2);
    assert_int_equal(RtlMultiByteToUnicodeSize(&size, "xyz", 3), STATUS_SUCCESS);
    assert_int_equal(size, 6);
    assert_int_equal(RtlUnicodeToMultiByteSize(&size, u"xyz", 6), STATUS_SUCCESS);
    assert_int_equal(size, 3);
}

static void utf_8_goes_there_and_back(void **state) {
    static const WCHAR all[] = u"a\x7ff\x800\xd83d\xde00"; /* one, two, three and four bytes */
    static const char bytes[] = "a\xdf\xbf\xe0\xa0\x80\xf0\x9f\x98\x80";
    char narrow[16];
    WCHAR wide[16];
    ULONG size = 0;
    (void)state;
    assert_int_equal(RtlUnicodeToUTF8N(narrow, sizeof(narrow), &size, all, sizeof(all)),
                     STATUS_SUCCESS);
    assert_int_equal(size, sizeof(bytes));
    assert_memory_equal(narrow, bytes, sizeof(bytes));
    assert_int_equal(RtlUTF8ToUnicodeN(wide, sizeof(wide), &size, bytes, sizeof(bytes)),
                     STATUS_SUCCESS);
    assert_int_equal(size, sizeof(all));
    assert_memory_equal(wide, all, sizeof(all));
    /* Without a destination the size is counted; what does not fit is whole characters less. */
    assert_int_equal(RtlUnicodeToUTF8N(NULL, 0, &size, all, sizeof(all)), STATUS_SUCCESS);
    assert_int_equal(size, sizeof(bytes));
    assert_int_equal(RtlUnicodeToUTF8N(narrow, 5, &size, all, sizeof(all)),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(size, 3);
    assert_int_equal(RtlUTF8ToUnicodeN(wide, 8, &size, bytes, sizeof(bytes)),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(size, 6);
}

static void what_is_no_character_is_replaced(void **state) {
    static const struct {
        const char *bytes;
        ULONG size, units;
    } rows[] = {{"\x80", 1, 1},
                {"\xc3", 1, 1},
                {"\xc0\x80", 2, 1},
                {"\xed\xa0\x80", 3, 1},
                {"\xf4\x90\x80\x80", 4, 1},
                {"\xe2\x82"
                 "a",
                 3, 2}};
    WCHAR wide[8];
    char narrow[8];
    ULONG size = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(RtlUTF8ToUnicodeN(wide, sizeof(wide), &size, rows[i].bytes, rows[i].size),
                         STATUS_SOME_NOT_MAPPED);
        assert_int_equal(size, rows[i].units * 2);
        assert_int_equal(wide[0], 0xfffd);
    }
    assert_int_equal(RtlUTF8ToUnicodeN(wide, sizeof(wide), &size, "\xef\xbf\xbd", 3),
                     STATUS_SUCCESS); /* the replacement itself */
    assert_int_equal(RtlUnicodeToUTF8N(narrow, sizeof(narrow), &size, u"\xd800z", 4),
                     STATUS_SOME_NOT_MAPPED);
    assert_memory_equal(narrow, "\xef\xbf\xbdz", 4);
    assert_int_equal(RtlUnicodeToUTF8N(narrow, sizeof(narrow), &size, u"\xdc00", 2),
                     STATUS_SOME_NOT_MAPPED);
    assert_int_equal(RtlUnicodeToUTF8N(narrow, 8, &size, NULL, 2), STATUS_INVALID_PARAMETER_4);
    assert_int_equal(RtlUnicodeToUTF8N(narrow, 8, &size, u"a", 1), STATUS_INVALID_PARAMETER_5);
    assert_int_equal(RtlUnicodeToUTF8N(NULL, 0, NULL, u"a", 2), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUTF8ToUnicodeN(wide, 8, &size, NULL, 2), STATUS_INVALID_PARAMETER_4);
    assert_int_equal(RtlUTF8ToUnicodeN(NULL, 0, NULL, "a", 1), STATUS_INVALID_PARAMETER);
}

/* ---- Numbers ---------------------------------------------------------------------------------------- */

static void numbers_are_read_as_their_page_says(void **state) {
    static const struct {
        const WCHAR *text;
        ULONG base;
        LONG value;
    } rows[] = {
        {u"123", 10, 123}, {u"-345", 10, -345},    {u"xyz", 10, 0},  {u"+678abc", 10, 678},
        {u"007", 10, 7},   {u"789", 8, 7},         {u"FGH", 16, 15}, {u" ", 10, 0},
        {u"0x1f", 0, 31},  {u"  -0b101", 0, -5},   {u"0o17", 0, 15}, {u"0x", 0, 0},
        {u"12", 2, 1},     {u"4294967295", 0, -1}, {u"- 1", 10, 0},  {u"+678abc", 16, 0x678abc},
    };
    UNICODE_STRING none = u(u""), one = u(u"1");
    ULONG value = 7;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        UNICODE_STRING text = u(rows[i].text);
        assert_int_equal(RtlUnicodeStringToInteger(&text, rows[i].base, &value), STATUS_SUCCESS);
        assert_int_equal((LONG)value, rows[i].value);
    }
    assert_int_equal(RtlUnicodeStringToInteger(&none, 10, &value), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringToInteger(&one, 7, &value), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlCharToInteger("0x7fffffff", 0, &value), STATUS_SUCCESS);
    assert_int_equal(value, 0x7fffffff);
    assert_int_equal(RtlCharToInteger("", 10, &value), STATUS_SUCCESS);
    assert_int_equal(value, 0);
}

static void numbers_are_written_where_there_is_room(void **state) {
    DECLARE_UNICODE_STRING_SIZE(to, 64);
    (void)state;
    assert_int_equal(RtlInt64ToUnicodeString(UINT64_MAX, 2, &to), STATUS_SUCCESS);
    assert_int_equal(to.Length, 128);
    assert_int_equal(RtlInt64ToUnicodeString(UINT64_MAX, 0, &to), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"18446744073709551615", 42);
    assert_int_equal(RtlInt64ToUnicodeString(0, 16, &to), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"0", 4);
    assert_int_equal(RtlInt64ToUnicodeString(1, 3, &to), STATUS_INVALID_PARAMETER);
    to.MaximumLength = 4; /* room for the digits, not for a terminator */
    assert_int_equal(RtlIntegerToUnicodeString(0xfe, 16, &to), STATUS_SUCCESS);
    assert_memory_equal(to.Buffer, u"FE", 4);
    assert_int_equal(RtlIntegerToUnicodeString(0x100, 16, &to), STATUS_BUFFER_OVERFLOW);
}

static void a_guid_has_one_form(void **state) {
    static const GUID id = {
        0x01234567, 0x89ab, 0xcdef, {0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}};
    static const WCHAR *const wrong[] = {
        u"",
        u"01234567-89AB-CDEF-FEDC-BA9876543210",
        u"{01234567-89AB-CDEF-FEDC-BA987654321G}",
        u"{0123456789AB-CDEF-FEDC-BA9876543210-}",
        u"{01234567-89AB-CDEF-FEDC-BA9876543210}x",
    };
    UNICODE_STRING text, lower = u(u"{01234567-89ab-cdef-fedc-ba9876543210}");
    GUID back = {0};
    (void)state;
    assert_int_equal(RtlStringFromGUID(&id, &text), STATUS_SUCCESS);
    assert_memory_equal(text.Buffer, u"{01234567-89AB-CDEF-FEDC-BA9876543210}", 39 * 2);
    RtlFreeUnicodeString(&text);
    assert_int_equal(RtlGUIDFromString(&lower, &back), STATUS_SUCCESS);
    assert_memory_equal(&back, &id, sizeof(id));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        text = u(wrong[i]);
        assert_int_equal(RtlGUIDFromString(&text, &back), STATUS_INVALID_PARAMETER);
    }
    assert_memory_equal(&back, &id, sizeof(id));
}

static void passive_functions_refuse_to_run_higher(void **state) {
    UNICODE_STRING text = u(u"a"), to = {0, 0, NULL};
    ANSI_STRING narrow = {0, 0, NULL};
    GUID id;
    ULONG value;
    KIRQL old;
    static const char *const names[] = {
        "RtlCompareUnicodeString",   "RtlUpcaseUnicodeString", "RtlUnicodeStringToAnsiString",
        "RtlUnicodeStringToInteger", "RtlStringFromGUID",      "RtlGUIDFromString",
        "RtlHashUnicodeString"};
    (void)state;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    RtlCompareUnicodeString(&text, &text, TRUE);
    assert_int_equal(RtlUpcaseUnicodeString(&to, &text, TRUE), STATUS_UNSUCCESSFUL);
    assert_int_equal(RtlUnicodeStringToAnsiString(&narrow, &text, TRUE), STATUS_UNSUCCESSFUL);
    RtlUnicodeStringToInteger(&text, 10, &value);
    RtlGUIDFromString(&text, &id);
    RtlHashUnicodeString(&text, FALSE, 0, &value);
    KeLowerIrql(APC_LEVEL);
    memset(&id, 0, sizeof(id));
    assert_int_equal(RtlStringFromGUID(&id, &to), STATUS_SUCCESS);
    RtlFreeUnicodeString(&to);
    KeLowerIrql(old);
    for (size_t i = 0; i < COUNT(names); i++)
        assert_true(tiny_violated(tiny_host, names[i]));
}

#define UNICODE_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_of_null_is_empty),
        cmocka_unit_test(a_copy_is_cut_and_terminated_where_there_is_room),
        cmocka_unit_test(what_does_not_fit_is_not_appended_at_all),
        UNICODE_TEST(comparisons_go_by_letters_then_by_length),
        UNICODE_TEST(strings_of_bytes_compare_and_copy),
        UNICODE_TEST(letters_change_both_ways),
        UNICODE_TEST(a_hash_forgets_case_when_asked),
        UNICODE_TEST(the_code_page_needs_room_for_a_terminator),
        UNICODE_TEST(utf_8_goes_there_and_back),
        UNICODE_TEST(what_is_no_character_is_replaced),
        UNICODE_TEST(numbers_are_read_as_their_page_says),
        UNICODE_TEST(numbers_are_written_where_there_is_room),
        UNICODE_TEST(a_guid_has_one_form),
        UNICODE_TEST(passive_functions_refuse_to_run_higher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
