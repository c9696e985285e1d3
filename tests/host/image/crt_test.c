/*
 * crt_test.c - the C functions that driver images import, by the names and with the calling
 * convention and the sizes of Windows. `vidmm cc` compiles the same sources into shared objects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ntddk.h>

#include "image/exports.h"

static const void *named(const char *name) {
    struct image_export found;
    if (!image_export(name, &found))
        fail_msg("images cannot import %s", name);
    assert_false(found.data);
    return found.address;
}

/* What an image calls by `name`. */
#define IMPORT(result, name, ...)                                                                  \
    result(NTAPI *const crt_##name)(__VA_ARGS__) =                                                 \
        (result(NTAPI *)(__VA_ARGS__))(uintptr_t)named(#name)

static void memory_is_copied_whichever_way_the_ranges_overlap(void **state) {
    IMPORT(void *, memcpy, void *, const void *, size_t);
    IMPORT(void *, memmove, void *, const void *, size_t);
    (void)state;
    for (unsigned bytes = 0; bytes < 40; bytes++)
        for (unsigned from = 0; from < 24; from++) {
            char ours[64], theirs[64];
            for (unsigned i = 0; i < sizeof(ours); i++)
                ours[i] = theirs[i] = (char)(i * 7);
            memmove(ours + 12, ours + from, bytes);
            assert_ptr_equal(crt_memmove(theirs + 12, theirs + from, bytes), theirs + 12);
            assert_memory_equal(ours, theirs, sizeof(ours));
            memmove(ours + from, ours + 12, bytes);
            (void)crt_memcpy(theirs + from, theirs + 12, bytes);
            assert_memory_equal(ours, theirs, sizeof(ours));
        }
}

static void memory_is_filled_compared_and_searched(void **state) {
    IMPORT(void *, memset, void *, int, size_t);
    IMPORT(int, memcmp, const void *, const void *, size_t);
    IMPORT(const char *, memchr, const void *, int, size_t);
    char text[24] = "";
    (void)state;
    (void)crt_memset(text + 1, 'x', 21);
    assert_string_equal(text + 1, "xxxxxxxxxxxxxxxxxxxxx");
    assert_int_equal(text[0], 0);
    assert_true(crt_memcmp("a\xff", "a\x01", 2) > 0); /* as unsigned */
    assert_true(crt_memcmp("ab", "ac", 2) < 0);
    assert_int_equal(crt_memcmp("ab", "ac", 1), 0);
    assert_ptr_equal(crt_memchr(text, 'x', 24), text + 1);
    assert_null(crt_memchr(text, 'x', 1));
}

static void copies_with_room_say_what_did_not_fit(void **state) {
    IMPORT(int, memcpy_s, void *, size_t, const void *, size_t);
    IMPORT(int, memmove_s, void *, size_t, const void *, size_t);
    IMPORT(int, strcpy_s, char *, size_t, const char *);
    IMPORT(int, wcscat_s, WCHAR *, size_t, const WCHAR *);
    char bytes[4] = "abc";
    WCHAR wide[4] = u"ab";
    (void)state;
    assert_int_equal(crt_memmove_s(bytes, 2, "wxyz", 4), 34);
    assert_string_equal(bytes, "abc");
    assert_int_equal(crt_memcpy_s(bytes, 2, "wxyz", 4), 34);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(crt_strcpy_s(bytes, 4, "abc"), 0);
    assert_int_equal(crt_strcpy_s(bytes, 4, "abcd"), 34);
    assert_int_equal(crt_strcpy_s(bytes, 4, NULL), 22);
    assert_int_equal(crt_wcscat_s(wide, 4, u"c"), 0);
    assert_memory_equal(wide, u"abc", 8);
    assert_int_equal(crt_wcscat_s(wide, 4, u"d"), 34);
    assert_int_equal(wide[0], 0);
}

static void strings_compare_as_unsigned_and_without_case_where_asked(void **state) {
    IMPORT(int, strcmp, const char *, const char *);
    IMPORT(int, strncmp, const char *, const char *, size_t);
    IMPORT(int, _stricmp, const char *, const char *);
    IMPORT(int, _wcsnicmp, const WCHAR *, const WCHAR *, size_t);
    (void)state;
    assert_true(crt_strcmp("\xe4", "z") > 0);
    assert_int_equal(crt_strncmp("abc", "abd", 2), 0);
    assert_int_equal(crt__stricmp("AbC", "aBc"), 0);
    assert_true(crt__stricmp("abc", "abcd") < 0);
    assert_int_equal(crt__wcsnicmp(u"ABCx", u"abcY", 3), 0);
    assert_true(crt__wcsnicmp(u"\x263a", u"a", 1) > 0);
}

static void strings_are_appended_and_searched(void **state) {
    IMPORT(char *, strncat, char *, const char *, size_t);
    IMPORT(char *, strncpy, char *, const char *, size_t);
    IMPORT(const char *, strstr, const char *, const char *);
    IMPORT(const WCHAR *, wcsrchr, const WCHAR *, int);
    IMPORT(size_t, wcsnlen, const WCHAR *, size_t);
    char text[8] = "ab";
    const WCHAR path[] = u"a\\b\\c";
    (void)state;
    assert_string_equal(crt_strncat(text, "cdef", 2), "abcd");
    (void)crt_strncpy(text, "x", 4);
    assert_memory_equal(text, "x\0\0\0\0", 5);
    assert_string_equal(crt_strstr("GPU memory", "mem"), "memory");
    assert_null(crt_strstr("GPU", "GPUs"));
    assert_ptr_equal(crt_wcsrchr(path, '\\'), path + 3);
    assert_int_equal(crt_wcsnlen(path, 3), 3);
}

static void characters_and_parts_are_found_at_the_edges(void **state) {
    IMPORT(const char *, strchr, const char *, int);
    IMPORT(const char *, strrchr, const char *, int);
    IMPORT(const WCHAR *, wcschr, const WCHAR *, int);
    IMPORT(const WCHAR *, wcsstr, const WCHAR *, const WCHAR *);
    IMPORT(size_t, strnlen, const char *, size_t);
    const char text[] = "a.b.c";
    const WCHAR wide[] = u"GPU memory";
    (void)state;
    assert_ptr_equal(crt_strchr(text, '.'), text + 1);
    assert_ptr_equal(crt_strrchr(text, '.'), text + 3);
    assert_ptr_equal(crt_strchr(text, 0), text + 5); /* the terminator is a character */
    assert_ptr_equal(crt_strrchr(text, 0), text + 5);
    assert_null(crt_strrchr(text, 'x'));
    assert_ptr_equal(crt_wcschr(wide, 'm'), wide + 4);
    assert_null(crt_wcschr(wide, 0x263a));
    assert_ptr_equal(crt_wcsstr(wide, u"mem"), wide + 4);
    assert_ptr_equal(crt_wcsstr(wide, u""), wide); /* the empty part is at the start */
    assert_null(crt_wcsstr(wide, u"memoryx"));
    assert_int_equal(crt_strnlen(text, 3), 3);
    assert_int_equal(crt_strnlen(text, 9), 5);
}

static void copies_end_with_a_terminator_unless_the_count_ends_them(void **state) {
    IMPORT(char *, strcpy, char *, const char *);
    IMPORT(char *, strcat, char *, const char *);
    IMPORT(int, strcat_s, char *, size_t, const char *);
    IMPORT(WCHAR *, wcscpy, WCHAR *, const WCHAR *);
    IMPORT(WCHAR *, wcscat, WCHAR *, const WCHAR *);
    IMPORT(WCHAR *, wcsncpy, WCHAR *, const WCHAR *, size_t);
    IMPORT(WCHAR *, wcsncat, WCHAR *, const WCHAR *, size_t);
    IMPORT(int, wcscpy_s, WCHAR *, size_t, const WCHAR *);
    char text[8] = "#######";
    WCHAR wide[8] = u"#######";
    (void)state;
    assert_ptr_equal(crt_strcpy(text, "ab"), text);
    assert_ptr_equal(crt_strcat(text, "cd"), text);
    assert_memory_equal(text, "abcd\0##", 7);
    assert_int_equal(crt_strcat_s(text, 6, "e"), 0);
    assert_string_equal(text, "abcde");
    assert_int_equal(crt_strcat_s(text, 6, "f"), 34); /* the terminator has no room */
    assert_int_equal(text[0], 0);
    (void)crt_wcscpy(wide, u"ab");
    (void)crt_wcscat(wide, u"c");
    (void)crt_wcsncat(wide, u"def", 1);
    assert_memory_equal(wide, u"abcd\0##", 14);
    (void)crt_wcsncpy(wide, u"xyz", 2);
    assert_memory_equal(wide, u"xycd", 10);
    assert_int_equal(crt_wcscpy_s(wide, 3, u"xyz"), 34);
    assert_int_equal(wide[0], 0);
    assert_int_equal(crt_wcscpy_s(wide, 4, u"xyz"), 0);
}

static void wide_strings_compare_by_their_units(void **state) {
    IMPORT(int, wcscmp, const WCHAR *, const WCHAR *);
    IMPORT(int, wcsncmp, const WCHAR *, const WCHAR *, size_t);
    IMPORT(int, _wcsicmp, const WCHAR *, const WCHAR *);
    IMPORT(int, _strnicmp, const char *, const char *, size_t);
    (void)state;
    assert_true(crt_wcscmp(u"\xff21", u"z") > 0);
    assert_true(crt_wcscmp(u"a", u"ab") < 0);
    assert_int_equal(crt_wcsncmp(u"abX", u"abY", 2), 0);
    assert_int_equal(crt_wcsncmp(u"a", u"b", 0), 0);
    assert_int_equal(crt__wcsicmp(u"GPU", u"gpu"), 0);
    assert_true(crt__wcsicmp(u"gpu_", u"gpuA") < 0); /* compared as small letters */
    assert_int_equal(crt__strnicmp("VRAMx", "vramY", 4), 0);
    assert_true(crt__strnicmp("VRAMx", "vramY", 5) < 0);
}

static void random_numbers_repeat_from_a_seed(void **state) {
    IMPORT(int, rand, void);
    IMPORT(void, srand, unsigned);
    int first[50];
    bool differ = false;
    (void)state;
    crt_srand(7);
    for (int i = 0; i < 50; i++) {
        first[i] = crt_rand();
        assert_in_range(first[i], 0, 0x7fff);
        differ = differ || first[i] != first[0];
    }
    assert_true(differ);
    crt_srand(7);
    for (int i = 0; i < 50; i++)
        assert_int_equal(crt_rand(), first[i]);
}

static void numbers_have_32_bits_and_stop_at_the_largest(void **state) {
    IMPORT(int, atoi, const char *);
    IMPORT(int32_t, strtol, const char *, char **, int);
    IMPORT(uint32_t, strtoul, const char *, char **, int);
    IMPORT(int, abs, int);
    IMPORT(int32_t, atol, const char *);
    char *end = NULL;
    (void)state;
    assert_int_equal(crt_atoi(" -42x"), -42);
    assert_int_equal(crt_strtol("99999999999", &end, 10), INT32_MAX);
    assert_int_equal(*end, 0);
    assert_int_equal(crt_strtol("-99999999999", NULL, 10), INT32_MIN);
    assert_int_equal(crt_strtoul("0xfffffffe,", &end, 0), 0xfffffffe);
    assert_int_equal(*end, ',');
    assert_int_equal(crt_strtoul("4294967296", NULL, 10), UINT32_MAX);
    assert_int_equal(crt_abs(-7), 7);
    assert_int_equal(crt_atol("\t+2147483648"), INT32_MAX); /* 32 bits, as a long of Windows */
    assert_int_equal(crt_atol("-2147483648"), INT32_MIN);
    assert_int_equal(crt_atol("x1"), 0);
}

static void kinds_of_characters_are_those_of_ascii(void **state) {
    IMPORT(int, isxdigit, int);
    IMPORT(int, isprint, int);
    IMPORT(int, isspace, int);
    IMPORT(WCHAR, towupper, WCHAR);
    (void)state;
    assert_true(crt_isxdigit('F') && crt_isxdigit('0') && !crt_isxdigit('g'));
    assert_true(crt_isprint('~') && !crt_isprint(0x7f) && !crt_isprint('\n'));
    assert_true(crt_isspace('\t') && !crt_isspace('_'));
    assert_int_equal(crt_towupper(u'z'), u'Z');
    assert_int_equal(crt_towupper(0xe4), 0xe4);
    IMPORT(int, isdigit, int);
    IMPORT(int, islower, int);
    IMPORT(int, isupper, int);
    IMPORT(int, tolower, int);
    IMPORT(int, toupper, int);
    IMPORT(WCHAR, towlower, WCHAR);
    assert_true(crt_isdigit('0') && crt_isdigit('9') && !crt_isdigit('9' + 1) && !crt_isdigit(-1));
    assert_true(crt_islower('a') && crt_islower('z') && !crt_islower('A') && !crt_islower(0xe4));
    assert_true(crt_isupper('A') && crt_isupper('Z') && !crt_isupper('z') && !crt_isupper('Z' + 1));
    assert_int_equal(crt_tolower('Q'), 'q');
    assert_int_equal(crt_tolower('['), '[');
    assert_int_equal(crt_toupper('q'), 'Q');
    assert_int_equal(crt_toupper(-1), -1);
    assert_int_equal(crt_towlower(u'Z'), u'z');
    assert_int_equal(crt_towlower(0xc4), 0xc4);
}

/* qsort calls back by Windows' convention. */
static int NTAPI by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void elements_are_sorted_and_found(void **state) {
    IMPORT(void, qsort, void *, size_t, size_t, int(NTAPI *)(const void *, const void *));
    IMPORT(const int *, bsearch, const void *, const void *, size_t, size_t,
           int(NTAPI *)(const void *, const void *));
    int numbers[100], wanted = 50, absent = 1000;
    (void)state;
    for (int i = 0; i < 100; i++)
        numbers[i] = i * 37 % 100;
    crt_qsort(numbers, 100, sizeof(numbers[0]), by_number);
    for (int i = 0; i < 100; i++)
        assert_int_equal(numbers[i], i);
    assert_ptr_equal(crt_bsearch(&wanted, numbers, 100, sizeof(numbers[0]), by_number),
                     &numbers[50]);
    assert_null(crt_bsearch(&absent, numbers, 100, sizeof(numbers[0]), by_number));
}

static void printing_takes_the_arguments_of_windows(void **state) {
    IMPORT(int, _snprintf, char *, size_t, const char *, ...);
    IMPORT(int, _snwprintf, WCHAR *, size_t, const WCHAR *, ...);
    IMPORT(int, sprintf_s, char *, size_t, const char *, ...);
    char text[48];
    WCHAR wide[32];
    (void)state;
    assert_int_equal(crt__snprintf(text, 48, "%lx %I64u %ws|", 0xffffffffu, UINT64_MAX, u"wide"),
                     35);
    assert_int_equal(crt__snwprintf(wide, 32, u"%s %hs", u"wide", "narrow"), 11);
    assert_memory_equal(wide, u"wide narrow", 24);
    memset(text, '#', sizeof(text));
    assert_int_equal(crt__snprintf(text, 3, "abcd"), -1);
    assert_memory_equal(text, "abc#", 4); /* without a terminator */
    assert_int_equal(crt__snprintf(text, 3, "xyz"), 3);
    assert_memory_equal(text, "xyz#", 4);
    assert_int_equal(crt_sprintf_s(text, 3, "abc"), -1);
    assert_int_equal(text[0], 0);
}

static int NTAPI printed_by_a_list(char *to, size_t room, const char *format, ...) {
    IMPORT(int, _vsnprintf, char *, size_t, const char *, __builtin_ms_va_list);
    __builtin_ms_va_list arguments;
    __builtin_ms_va_start(arguments, format);
    int length = crt__vsnprintf(to, room, format, arguments);
    __builtin_ms_va_end(arguments);
    return length;
}

static void printing_takes_a_list_of_arguments(void **state) {
    char text[16];
    (void)state;
    assert_int_equal(printed_by_a_list(text, 16, "%d %s %c", -5, "five", 'V'), 9);
    assert_string_equal(text, "-5 five V");
}

static int NTAPI wide_by_a_list(WCHAR *to, size_t room, const WCHAR *format, ...) {
    IMPORT(int, _vsnwprintf, WCHAR *, size_t, const WCHAR *, __builtin_ms_va_list);
    IMPORT(int, vswprintf_s, WCHAR *, size_t, const WCHAR *, __builtin_ms_va_list);
    __builtin_ms_va_list arguments;
    __builtin_ms_va_start(arguments, format);
    int length = room == 3 ? crt_vswprintf_s(to, room, format, arguments)
                           : crt__vsnwprintf(to, room, format, arguments);
    __builtin_ms_va_end(arguments);
    return length;
}

static int NTAPI narrow_by_a_list(char *to, size_t room, const char *format, ...) {
    IMPORT(int, vsprintf, char *, const char *, __builtin_ms_va_list);
    IMPORT(int, vsprintf_s, char *, size_t, const char *, __builtin_ms_va_list);
    __builtin_ms_va_list arguments;
    __builtin_ms_va_start(arguments, format);
    int length = room == 0 ? crt_vsprintf(to, format, arguments)
                           : crt_vsprintf_s(to, room, format, arguments);
    __builtin_ms_va_end(arguments);
    return length;
}

/* What ends at the room has no terminator, but of the forms that are told to be safe, which clear. */
static void printing_without_room_differs_by_the_form(void **state) {
    IMPORT(int, sprintf, char *, const char *, ...);
    IMPORT(int, swprintf_s, WCHAR *, size_t, const WCHAR *, ...);
    char text[8];
    WCHAR wide[8] = u"#######";
    (void)state;
    assert_int_equal(crt_sprintf(text, "%d-%s", 12, "ab"), 5);
    assert_string_equal(text, "12-ab");
    assert_int_equal(narrow_by_a_list(text, 0, "%x", 0xabcu), 3);
    assert_string_equal(text, "abc");
    assert_int_equal(narrow_by_a_list(text, 4, "%s", "abc"), 3);
    assert_int_equal(narrow_by_a_list(text, 3, "%s", "abc"), -1);
    assert_int_equal(text[0], 0);
    assert_int_equal(wide_by_a_list(wide, 4, u"%s", u"abcd"), 4);
    assert_memory_equal(wide, u"abcd##", 12);
    assert_int_equal(wide_by_a_list(wide, 3, u"%s", u"abc"), -1);
    assert_int_equal(wide[0], 0);
    assert_int_equal(crt_swprintf_s(wide, 8, u"%u", 7u), 1);
    assert_memory_equal(wide, u"7", 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_copied_whichever_way_the_ranges_overlap),
        cmocka_unit_test(memory_is_filled_compared_and_searched),
        cmocka_unit_test(copies_with_room_say_what_did_not_fit),
        cmocka_unit_test(strings_compare_as_unsigned_and_without_case_where_asked),
        cmocka_unit_test(strings_are_appended_and_searched),
        cmocka_unit_test(characters_and_parts_are_found_at_the_edges),
        cmocka_unit_test(copies_end_with_a_terminator_unless_the_count_ends_them),
        cmocka_unit_test(wide_strings_compare_by_their_units),
        cmocka_unit_test(random_numbers_repeat_from_a_seed),
        cmocka_unit_test(numbers_have_32_bits_and_stop_at_the_largest),
        cmocka_unit_test(kinds_of_characters_are_those_of_ascii),
        cmocka_unit_test(elements_are_sorted_and_found),
        cmocka_unit_test(printing_takes_the_arguments_of_windows),
        cmocka_unit_test(printing_takes_a_list_of_arguments),
        cmocka_unit_test(printing_without_room_differs_by_the_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
