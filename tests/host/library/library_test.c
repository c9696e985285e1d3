/* library_test.c - bitmaps, generic tables, times, versions of the run-time library. */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NONE 0xffffffffu

static void bits_are_found_from_the_hint_on_and_then_before_it(void **state) {
    ULONG words[3] = {0};
    RTL_BITMAP map;
    (void)state;
    RtlInitializeBitMap(&map, words, 70);
    RtlSetAllBits(&map);
    assert_int_equal(words[2], 0x3f); /* no bit beyond the 70 */
    RtlClearBits(&map, 10, 4);
    RtlClearBits(&map, 40, 8);
    assert_int_equal(RtlFindClearBits(&map, 4, 0), 10);
    assert_int_equal(RtlFindClearBits(&map, 4, 11), 40);
    assert_int_equal(RtlFindClearBits(&map, 4, 60), 10);
    assert_int_equal(RtlFindClearBits(&map, 4, 1000), 10); /* a hint beyond the end is none */
    assert_int_equal(RtlFindClearBits(&map, 9, 0), NONE);
    assert_int_equal(RtlFindSetBits(&map, 10, 0), 0);
    assert_int_equal(RtlFindSetBits(&map, 11, 0), 14);
    assert_int_equal(RtlFindClearBitsAndSet(&map, 4, 0), 10);
    assert_true(RtlAreBitsSet(&map, 0, 40));
    assert_int_equal(RtlFindSetBitsAndClear(&map, 2, 68), 68);
    assert_false(RtlTestBit(&map, 69));
    assert_int_equal(RtlFindClearBits(&map, 0, 13), 8); /* none are found at the byte of the hint */
}

static void runs_and_counts_of_bits_end_with_the_bitmap(void **state) {
    ULONG words[2] = {0}, start = 7;
    RTL_BITMAP map;
    (void)state;
    RtlInitializeBitMap(&map, words, 40);
    RtlSetBits(&map, 4, 4);
    assert_int_equal(RtlNumberOfSetBits(&map), 4);
    assert_int_equal(RtlNumberOfClearBits(&map), 36);
    assert_int_equal(RtlFindFirstRunClear(&map, &start), 4);
    assert_int_equal(start, 0);
    assert_int_equal(RtlFindNextForwardRunClear(&map, 5, &start), 32);
    assert_int_equal(start, 8);
    assert_int_equal(RtlFindLongestRunClear(&map, &start), 32);
    assert_int_equal(start, 8);
    assert_true(RtlAreBitsClear(&map, 8, 32));
    assert_false(RtlAreBitsClear(&map, 8, 33)); /* beyond the end */
    assert_false(RtlAreBitsSet(&map, 4, 0));    /* none are not set */
    RtlSetAllBits(&map);
    assert_int_equal(RtlFindLongestRunClear(&map, &start), 0);
    assert_int_equal(RtlCheckBit(&map, 33), 1);
    assert_int_equal(RtlFindLeastSignificantBit(0), -1);
    assert_int_equal(RtlFindLeastSignificantBit(0x180), 7);
    assert_int_equal(RtlFindMostSignificantBit(0), -1);
    assert_int_equal(RtlFindMostSignificantBit(1ull << 63), 63);
}

static void bits_beyond_the_bitmap_are_a_violation_and_stay(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    ULONG words[2] = {0, 0x12345678};
    RTL_BITMAP map;
    (void)state;
    RtlInitializeBitMap(&map, words, 32);
    RtlSetBits(&map, 30, 4);
    RtlClearBit(&map, 32);
    assert_false(RtlTestBit(&map, NONE));
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0x12345678);
    assert_int_equal(vidmm_host_violations(host), 3);
    assert_true(tiny_violated(host, "RtlSetBits of 4 bits from 30 on"));
    assert_true(tiny_down(host, &error));
}

static uint32_t made, freed;
static bool none_left;

static PVOID NTAPI table_allocate(PRTL_AVL_TABLE table, ULONG bytes) {
    (void)table;
    made++;
    return none_left ? NULL : malloc(bytes);
}

static VOID NTAPI table_free(PRTL_AVL_TABLE table, PVOID buffer) {
    (void)table;
    freed++;
    free(buffer);
}

static RTL_GENERIC_COMPARE_RESULTS NTAPI table_compare(PRTL_AVL_TABLE table, PVOID a, PVOID b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)table;
    return x < y ? GenericLessThan : x > y ? GenericGreaterThan : GenericEqual;
}

/* The height of the tree; fails where two sides differ by more than one or links do not agree. */
static int height(RTL_BALANCED_LINKS *node, RTL_BALANCED_LINKS *parent) {
    if (!node)
        return 0;
    assert_ptr_equal(node->Parent, parent);
    int left = height(node->LeftChild, node), right = height(node->RightChild, node);
    assert_int_equal(node->Balance, right - left);
    assert_in_range(right - left + 1, 0, 2);
    return (left > right ? left : right) + 1;
}

static void a_table_stays_balanced_and_in_order(void **state) {
    RTL_AVL_TABLE table;
    bool in[512] = {false};
    uint32_t random = 1, count = 0;
    (void)state;
    RtlInitializeGenericTableAvl(&table, table_compare, table_allocate, table_free, NULL);
    assert_true(RtlIsGenericTableEmptyAvl(&table));
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525u + 1013904223u;
        uint32_t key = random >> 8 & 511;
        BOOLEAN is_new = FALSE;
        if ((random >> 30 & 1) != 0) {
            uint32_t *element = RtlInsertElementGenericTableAvl(&table, &key, sizeof(key), &is_new);
            assert_int_equal(*element, key);
            assert_int_equal(is_new, !in[key]);
            count += is_new;
            in[key] = true;
        } else {
            assert_int_equal(RtlDeleteElementGenericTableAvl(&table, &key), in[key]);
            count -= in[key];
            in[key] = false;
        }
        if (i % 64 == 0)
            height(table.BalancedRoot.RightChild, &table.BalancedRoot);
    }
    assert_int_equal(RtlNumberGenericTableElementsAvl(&table), count);
    uint32_t seen = 0;
    for (uint32_t *e = RtlEnumerateGenericTableAvl(&table, TRUE); e;
         e = RtlEnumerateGenericTableAvl(&table, FALSE)) {
        while (!in[seen])
            seen++;
        assert_int_equal(*e, seen++);
        count--;
    }
    assert_int_equal(count, 0);
    for (uint32_t *e; (e = RtlGetElementGenericTableAvl(&table, 0));)
        assert_true(RtlDeleteElementGenericTableAvl(&table, e));
    assert_int_equal(made, freed);
}

static void a_table_without_memory_takes_nothing_in(void **state) {
    RTL_GENERIC_TABLE table;
    uint32_t key = 3;
    BOOLEAN is_new = TRUE;
    (void)state;
    RtlInitializeGenericTable(&table, table_compare, table_allocate, table_free, NULL);
    none_left = true;
    assert_null(RtlInsertElementGenericTable(&table, &key, sizeof(key), &is_new));
    none_left = false;
    assert_false(is_new);
    assert_int_equal(RtlNumberGenericTableElements(&table), 0);
    assert_null(RtlLookupElementGenericTable(&table, &key));
    assert_false(RtlDeleteElementGenericTable(&table, &key));
    assert_null(RtlGetElementGenericTable(&table, 0));
}

static void times_and_fields_are_the_same_days(void **state) {
    LARGE_INTEGER time = {.QuadPart = 0}, back;
    TIME_FIELDS fields;
    (void)state;
    RtlTimeToTimeFields(&time, &fields);
    assert_int_equal(fields.Year, 1601);
    assert_int_equal(fields.Month, 1);
    assert_int_equal(fields.Day, 1);
    assert_int_equal(fields.Weekday, 1); /* a Monday */
    time.QuadPart = 116444736000000000;  /* the beginning of 1970, a Thursday */
    RtlTimeToTimeFields(&time, &fields);
    assert_int_equal(fields.Year, 1970);
    assert_int_equal(fields.Weekday, 4);
    for (LONGLONG day = 0; day < 400000; day += 13) {
        time.QuadPart = (day * 86400000 + 86399999) * 10000;
        RtlTimeToTimeFields(&time, &fields);
        assert_int_equal(fields.Milliseconds, 999);
        assert_true(RtlTimeFieldsToTime(&fields, &back));
        assert_int_equal(back.QuadPart, time.QuadPart);
    }
    fields = (TIME_FIELDS){2000, 2, 29, 0, 0, 0, 0, 0};
    assert_true(RtlTimeFieldsToTime(&fields, &back));
    fields.Year = 1900; /* no leap year */
    assert_false(RtlTimeFieldsToTime(&fields, &back));
    fields = (TIME_FIELDS){1600, 12, 31, 0, 0, 0, 0, 0};
    assert_false(RtlTimeFieldsToTime(&fields, &back));
    fields = (TIME_FIELDS){2000, 1, 1, 24, 0, 0, 0, 0};
    assert_false(RtlTimeFieldsToTime(&fields, &back));
}

static void the_version_is_one_of_windows_10(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    RTL_OSVERSIONINFOEXW info = {.dwOSVersionInfoSize = sizeof(RTL_OSVERSIONINFOW)};
    ULONGLONG mask = 0;
    (void)state;
    assert_int_equal(RtlGetVersion((PRTL_OSVERSIONINFOW)&info), STATUS_SUCCESS);
    assert_int_equal(info.dwMajorVersion, 10);
    info.dwOSVersionInfoSize = 12;
    assert_int_equal(RtlGetVersion((PRTL_OSVERSIONINFOW)&info), STATUS_INVALID_PARAMETER);
    info = (RTL_OSVERSIONINFOEXW){.dwMajorVersion = 6, .dwMinorVersion = 3};
    VER_SET_CONDITION(mask, VER_MAJORVERSION, VER_GREATER_EQUAL);
    VER_SET_CONDITION(mask, VER_MINORVERSION, VER_GREATER_EQUAL);
    /* 10.0 is at least 6.3, though its minor number is less. */
    assert_int_equal(RtlVerifyVersionInfo(&info, VER_MAJORVERSION | VER_MINORVERSION, mask),
                     STATUS_SUCCESS);
    info.dwMajorVersion = 11;
    assert_int_equal(RtlVerifyVersionInfo(&info, VER_MAJORVERSION | VER_MINORVERSION, mask),
                     STATUS_REVISION_MISMATCH);
    assert_int_equal(RtlVerifyVersionInfo(&info, 0, mask), STATUS_INVALID_PARAMETER);
    assert_true(RtlIsNtDdiVersionAvailable(NTDDI_WIN10));
    assert_false(RtlIsNtDdiVersionAvailable(0x0B000000));
    assert_false(RtlIsNtDdiVersionAvailable(0x0A000001));
    assert_false(PsGetVersion(NULL, NULL, NULL, NULL)); /* no checked build */
    assert_true(tiny_down(host, &error));
}

static void memory_is_filled_and_compared_by_whole_words(void **state) {
    ULONG words[4] = {0};
    ULONG seed = 7, again = 7;
    (void)state;
    RtlFillMemoryUlong(words, 15, 0xabcdef01);
    assert_int_equal(words[2], 0xabcdef01);
    assert_int_equal(words[3], 0); /* three bytes are no word */
    assert_int_equal(RtlCompareMemoryUlong(words, sizeof(words), 0xabcdef01), 12);
    assert_int_equal(RtlCompareMemoryUlong(words, 7, 0xabcdef01), 4);
    RtlFillMemoryUlonglong(words, 16, 0x1122334455667788);
    assert_int_equal(words[3], 0x11223344);
    assert_int_equal(RtlRandomEx(&seed), RtlRandomEx(&again));
    assert_in_range(seed, 0, MAXLONG - 1);
}

static void large_memory_resources_count_in_larger_units(void **state) {
    CM_PARTIAL_RESOURCE_DESCRIPTOR d = {0};
    ULONGLONG start = 0;
    (void)state;
    assert_int_equal(RtlCmEncodeMemIoResource(&d, CmResourceTypeMemory, 0x10000, 0x4000000000),
                     STATUS_SUCCESS);
    assert_int_equal(d.Type, CmResourceTypeMemory);
    assert_int_equal(RtlCmDecodeMemIoResource(&d, &start), 0x10000);
    assert_int_equal(start, 0x4000000000);
    assert_int_equal(RtlCmEncodeMemIoResource(&d, CmResourceTypeMemory, 8ull << 30, 0),
                     STATUS_SUCCESS);
    assert_int_equal(d.Type, CmResourceTypeMemoryLarge);
    assert_int_equal(d.Flags & CM_RESOURCE_MEMORY_LARGE, CM_RESOURCE_MEMORY_LARGE_40);
    assert_int_equal(RtlCmDecodeMemIoResource(&d, NULL), 8ull << 30);
    assert_int_equal(RtlCmEncodeMemIoResource(&d, CmResourceTypeMemory, (8ull << 30) + 1, 0),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlCmEncodeMemIoResource(&d, CmResourceTypePort, 8ull << 30, 0),
                     STATUS_INVALID_PARAMETER);
}

static void single_bits_and_all_bits_change(void **state) {
    ULONG words[2] = {0};
    RTL_BITMAP map;
    (void)state;
    RtlInitializeBitMap(&map, words, 40);
    RtlSetBit(&map, 0);
    RtlSetBit(&map, 39);
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 0x80);
    words[1] |= 0x100; /* beyond the bitmap */
    RtlClearAllBits(&map);
    assert_int_equal(RtlNumberOfSetBits(&map), 0);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1] & 0xff, 0);
    ULONG flags = 1;
    SetFlag(flags, 6);
    assert_int_equal(flags, 7);
}

static void a_table_is_enumerated_by_either_name(void **state) {
    RTL_GENERIC_TABLE table;
    PVOID key = NULL;
    uint32_t expected = 0;
    (void)state;
    none_left = false;
    RtlInitializeGenericTable(&table, table_compare, table_allocate, table_free, NULL);
    assert_true(RtlIsGenericTableEmpty(&table));
    assert_null(RtlEnumerateGenericTable(&table, TRUE));
    assert_null(RtlEnumerateGenericTableWithoutSplaying(&table, &key));
    for (uint32_t i = 5; i-- > 0;)
        assert_non_null(RtlInsertElementGenericTable(&table, &i, sizeof(i), NULL));
    assert_false(RtlIsGenericTableEmpty(&table));
    for (uint32_t *e = RtlEnumerateGenericTable(&table, TRUE); e;
         e = RtlEnumerateGenericTable(&table, FALSE))
        assert_int_equal(*e, expected++);
    assert_int_equal(expected, 5);
    for (uint32_t *e; (e = RtlEnumerateGenericTableWithoutSplayingAvl(&table, &key));)
        assert_int_equal(*e, 5 - expected--);
    assert_int_equal(expected, 0);
    uint32_t wanted = 3, absent = 9;
    assert_int_equal(*(uint32_t *)RtlLookupElementGenericTableAvl(&table, &wanted), 3);
    assert_null(RtlLookupElementGenericTableAvl(&table, &absent));
    for (uint32_t *e; (e = RtlGetElementGenericTable(&table, 0));)
        RtlDeleteElementGenericTable(&table, e);
}

static void a_request_for_memory_is_decoded_by_its_unit(void **state) {
    IO_RESOURCE_DESCRIPTOR request = {.Type = CmResourceTypeMemory};
    ULONGLONG alignment, low, high;
    (void)state;
    request.u.Memory.Length = 0x1000;
    request.u.Memory.Alignment = 0x100;
    request.u.Memory.MinimumAddress.QuadPart = 5;
    request.u.Memory.MaximumAddress.QuadPart = 1ll << 40;
    assert_int_equal(RtlIoDecodeMemIoResource(&request, &alignment, &low, &high), 0x1000);
    assert_int_equal(alignment, 0x100);
    assert_int_equal(low, 5);
    assert_int_equal(high, 1ll << 40);
    request.Type = CmResourceTypeMemoryLarge;
    request.Flags = CM_RESOURCE_MEMORY_LARGE_64;
    assert_int_equal(RtlIoDecodeMemIoResource(&request, &alignment, NULL, NULL), 0x1000ull << 32);
    assert_int_equal(alignment, 0x100ull << 32);
}

static void state_is_kept_where_the_driver_says(void **state) {
    WCHAR path[8] = {0};
    ULONG bytes = 0;
    (void)state;
    assert_int_equal(RtlGetPersistedStateLocation(u"id", NULL, NULL, LocationTypeRegistry, path,
                                                  sizeof(path), &bytes),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(RtlGetPersistedStateLocation(u"id", NULL, u"C:\\state", LocationTypeFileSystem,
                                                  path, sizeof(path), &bytes),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(bytes, 18); /* with the terminator */
    assert_int_equal(RtlGetPersistedStateLocation(u"id", NULL, u"C:\\s", LocationTypeFileSystem,
                                                  path, sizeof(path), &bytes),
                     STATUS_SUCCESS);
    assert_memory_equal(path, u"C:\\s", 10);
    assert_int_equal(bytes, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_found_from_the_hint_on_and_then_before_it),
        cmocka_unit_test(runs_and_counts_of_bits_end_with_the_bitmap),
        cmocka_unit_test(bits_beyond_the_bitmap_are_a_violation_and_stay),
        cmocka_unit_test(a_table_stays_balanced_and_in_order),
        cmocka_unit_test(a_table_without_memory_takes_nothing_in),
        cmocka_unit_test(single_bits_and_all_bits_change),
        cmocka_unit_test(a_table_is_enumerated_by_either_name),
        cmocka_unit_test(a_request_for_memory_is_decoded_by_its_unit),
        cmocka_unit_test(state_is_kept_where_the_driver_says),
        cmocka_unit_test(times_and_fields_are_the_same_days),
        cmocka_unit_test(the_version_is_one_of_windows_10),
        cmocka_unit_test(memory_is_filled_and_compared_by_whole_words),
        cmocka_unit_test(large_memory_resources_count_in_larger_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
