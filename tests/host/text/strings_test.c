/* strings_test.c - strings and integers that say what did not fit: ntstrsafe.h, ntintsafe.h. */
#include "fixture/tiny.h"

#include <ntintsafe.h>
#include <ntstrsafe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void copies_end_with_a_terminator(void **state) {
    struct {
        char text[4], after;
    } narrow = {.after = 9};
    WCHAR wide[4];
    (void)state;
    assert_int_equal(RtlStringCchCopyA(narrow.text, 4, "abc"), STATUS_SUCCESS);
    assert_int_equal(RtlStringCchCopyA(narrow.text, 4, "wxyz"), STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow.text, "wxy");
    assert_int_equal(RtlStringCchCopyNA(narrow.text, 4, "abcd", 2), STATUS_SUCCESS);
    assert_string_equal(narrow.text, "ab");
    assert_int_equal(RtlStringCbCatA(narrow.text, 4, "c"), STATUS_SUCCESS);
    assert_int_equal(RtlStringCbCatA(narrow.text, 4, "d"), STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow.text, "abc");
    assert_int_equal(RtlStringCchCopyA(narrow.text, 0, "a"), STATUS_INVALID_PARAMETER);
    memset(narrow.text, 'x', 4);
    assert_int_equal(RtlStringCchCatA(narrow.text, 4, "a"), STATUS_INVALID_PARAMETER);
    assert_int_equal(narrow.after, 9);
    /* Cb counts bytes: of an odd number the last one is nothing. */
    assert_int_equal(RtlStringCbCopyW(wide, 7, u"abc"), STATUS_BUFFER_OVERFLOW);
    assert_memory_equal(wide, u"ab", 6);
    assert_int_equal(RtlStringCbCopyNW(wide, 8, u"abcd", 6), STATUS_SUCCESS);
    assert_memory_equal(wide, u"abc", 8);
    assert_int_equal(RtlStringCchCatNW(wide, 4, u"d", 0), STATUS_SUCCESS);
}

static void the_functions_with_ex_tell_where_the_string_ends(void **state) {
    char text[8], *end = NULL;
    WCHAR wide[4], *wide_end = NULL;
    SIZE_T left = 0;
    (void)state;
    memset(text, 1, sizeof(text));
    assert_int_equal(RtlStringCchCopyExA(text, 8, "abc", &end, &left, STRSAFE_FILL_BYTE(0x2a)),
                     STATUS_SUCCESS);
    assert_ptr_equal(end, text + 3);
    assert_int_equal(left, 5);
    assert_memory_equal(text, "abc\0****", 8);
    assert_int_equal(RtlStringCchCatExA(text, 8, "defgh", &end, &left, STRSAFE_NO_TRUNCATION),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "abc");
    assert_ptr_equal(end, text + 3);
    assert_int_equal(RtlStringCchCopyExA(text, 4, "abcdef", NULL, NULL, STRSAFE_NULL_ON_FAILURE),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "");
    assert_int_equal(RtlStringCchCopyExA(text, 4, "abcdef", &end, &left, STRSAFE_FAILURE_BYTE('-')),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "---");
    assert_int_equal(RtlStringCchCopyExA(text, 4, NULL, &end, &left, STRSAFE_IGNORE_NULLS),
                     STATUS_SUCCESS);
    assert_int_equal(left, 4);
    assert_int_equal(RtlStringCbPrintfExW(wide, sizeof(wide), &wide_end, &left, 0, u"%u", 12u),
                     STATUS_SUCCESS);
    assert_ptr_equal(wide_end, wide + 2);
    assert_int_equal(left, 4);
    assert_int_equal(RtlStringCchPrintfExA(text, 8, &end, &left, 0, "%s-%s", "abcd", "efgh"),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "abcd-ef");
    assert_int_equal(left, 1);
}

static void counted_strings_use_all_of_their_room(void **state) {
    DECLARE_UNICODE_STRING_SIZE(text, 4);
    UNICODE_STRING made;
    (void)state;
    assert_int_equal(RtlUnicodeStringCopyString(&text, u"abc"), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCatString(&text, u"d"), STATUS_SUCCESS);
    assert_int_equal(text.Length, 8);
    assert_int_equal(RtlUnicodeStringCatString(&text, u"e"), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(RtlUnicodeStringCopyString(&text, u"12345"), STATUS_BUFFER_OVERFLOW);
    assert_memory_equal(text.Buffer, u"1234", 8);
    assert_int_equal(RtlUnicodeStringInit(&made, u"xy"), STATUS_SUCCESS);
    assert_int_equal(made.MaximumLength, 6);
    assert_int_equal(RtlUnicodeStringCopy(&text, &made), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCat(&text, &made), STATUS_SUCCESS);
    assert_memory_equal(text.Buffer, u"xyxy", 8);
    assert_int_equal(RtlUnicodeStringValidate(&text), STATUS_SUCCESS);
    text.Length = 9;
    assert_int_equal(RtlUnicodeStringValidate(&text), STATUS_INVALID_PARAMETER);
}

static void comparison_without_case_goes_beyond_ascii(void **state) {
    DECLARE_CONST_UNICODE_STRING(small, u"straße éňλщ ａ");
    DECLARE_CONST_UNICODE_STRING(capital, u"STRAßE ÉŇΛЩ Ａ");
    (void)state;
    assert_true(RtlEqualUnicodeString(&small, &capital, TRUE));
    assert_false(RtlEqualUnicodeString(&small, &capital, FALSE));
}

static void pointers_are_printed_as_sixteen_digits(void **state) {
    char text[64];
    (void)state;
    assert_int_equal(RtlStringCbPrintfA(text, sizeof(text), "%p|%18p", (void *)0xabc, (void *)1),
                     STATUS_SUCCESS);
    assert_string_equal(text, "0000000000000ABC|  0000000000000001");
}

static void integers_that_do_not_fit_are_an_overflow(void **state) {
    UCHAR byte;
    CHAR small;
    SHORT number;
    ULONG whole;
    LONGLONG large;
    SIZE_T size;
    (void)state;
    assert_int_equal(RtlULongToUChar(256, &byte), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(byte, 0xff);
    assert_int_equal(RtlIntToUChar(-1, &byte), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlUIntToUChar(255, &byte), STATUS_SUCCESS);
    assert_int_equal(RtlLongToShort(-32768, &number), STATUS_SUCCESS);
    assert_int_equal(RtlLongToShort(-32769, &number), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlUInt8ToChar(128, &small), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlInt8ToUChar(-1, &byte), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlLongToULong(-1, &whole), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlULongLongToLongLong(UINT64_C(1) << 63, &large), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlUShortMult(256, 256, &(USHORT){0}), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlShortAdd(32767, 1, &number), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlIntPtrSub(INTPTR_MIN, 1, &(INT_PTR){0}), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSizeTAdd(SIZE_MAX, 1, &size), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(size, SIZE_MAX);
    assert_int_equal(RtlSIZETSub(3, 1, &size), STATUS_SUCCESS);
    assert_int_equal(size, 2);
}

static void the_address_of_a_function_can_be_taken(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    VOID (*raise)(KIRQL, PKIRQL) = KeRaiseIrql;
    VOID (*acquire)(PKSPIN_LOCK, PKIRQL) = KeAcquireSpinLock;
    LONG_PTR(NTAPI * reference)(PVOID) = ObReferenceObject;
    KSPIN_LOCK lock;
    KIRQL old;
    (void)state;
    KeInitializeSpinLock(&lock);
    acquire(&lock, &old);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    /* A raise to a lower level does nothing. */
    KIRQL before = 77;
    raise(APC_LEVEL, &before);
    assert_int_equal(before, DISPATCH_LEVEL);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    assert_true(tiny_violated(host, "that is not a raise"));
    KeReleaseSpinLock(&lock, old);
    assert_int_equal(reference(&lock), 0);
    assert_true(tiny_down(host, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_end_with_a_terminator),
        cmocka_unit_test(the_functions_with_ex_tell_where_the_string_ends),
        cmocka_unit_test(counted_strings_use_all_of_their_room),
        cmocka_unit_test(comparison_without_case_goes_beyond_ascii),
        cmocka_unit_test(pointers_are_printed_as_sixteen_digits),
        cmocka_unit_test(integers_that_do_not_fit_are_an_overflow),
        cmocka_unit_test(the_address_of_a_function_can_be_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
