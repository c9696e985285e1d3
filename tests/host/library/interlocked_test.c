/*
 * interlocked_test.c - wdm_interlocked.h and the interlocked part of wdm_rtl.h: what each operation
 * returns and leaves, at zero, at the largest value and beyond; bits, bytes, products; lists.
 */
#define _KERNEL_MODE 1 /* what a driver has: intrinsics, too */
#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* ---- One argument: what is returned is the new value, which wraps ------------------------------ */

#define STEP(function, type, before, after)                                                        \
    do {                                                                                           \
        type step_value = (type)(before);                                                          \
        assert_true((type)function(&step_value) == (type)(after));                                 \
        assert_true(step_value == (type)(after));                                                  \
    } while (0)

static void increments_and_decrements_return_the_new_value_and_wrap(void **state) {
    (void)state;
    STEP(InterlockedIncrement, LONG, 0x7fffffff, INT32_MIN);
    STEP(InterlockedIncrementAcquire, LONG, -1, 0);
    STEP(InterlockedIncrementRelease, LONG, 0, 1);
    STEP(InterlockedIncrementNoFence, LONG, 0x7fffffff, INT32_MIN);
    STEP(InterlockedDecrement, LONG, INT32_MIN, 0x7fffffff);
    STEP(InterlockedDecrementAcquire, LONG, 0, -1);
    STEP(InterlockedDecrementRelease, LONG, 1, 0);
    STEP(InterlockedDecrementNoFence, LONG, INT32_MIN, 0x7fffffff);
    STEP(InterlockedIncrement16, SHORT, 0x7fff, INT16_MIN);
    STEP(InterlockedDecrement16, SHORT, INT16_MIN, 0x7fff);
    STEP(InterlockedIncrement64, LONG64, INT64_MAX, INT64_MIN);
    STEP(InterlockedIncrement64NoFence, LONG64, 0xffffffff, INT64_C(0x100000000));
    STEP(InterlockedDecrement64, LONG64, INT64_MIN, INT64_MAX);
    STEP(InterlockedIncrementSizeT, SIZE_T, SIZE_MAX, 0);
    STEP(InterlockedDecrementSizeT, SIZE_T, 0, SIZE_MAX);
}

/* ---- Two arguments: old or new value ----------------------------------------------------------- */

#define CHANGE(function, type, before, operand, returned, after)                                   \
    do {                                                                                           \
        type change_value = (type)(before);                                                        \
        assert_true(function(&change_value, (type)(operand)) == (type)(returned));                 \
        assert_true(change_value == (type)(after));                                                \
    } while (0)

static void additions_return_what_their_names_say(void **state) {
    (void)state;
    /* Add: the sum. ExchangeAdd: what was there. */
    CHANGE(InterlockedAdd, LONG, 0x7fffffff, 1, INT32_MIN, INT32_MIN);
    CHANGE(InterlockedAdd64, LONG64, INT64_MAX, 1, INT64_MIN, INT64_MIN);
    CHANGE(InterlockedAdd64NoFence, LONG64, 5, -7, -2, -2);
    CHANGE(InterlockedExchangeAdd, LONG, 0x7fffffff, 1, 0x7fffffff, INT32_MIN);
    CHANGE(InterlockedExchangeAddAcquire, LONG, 5, -7, 5, -2);
    CHANGE(InterlockedExchangeAddNoFence, LONG, 0, 0, 0, 0);
    CHANGE(InterlockedExchangeAdd64, LONG64, INT64_MIN, -1, INT64_MIN, INT64_MAX);
}

static void exchanges_and_bits_return_what_was_there(void **state) {
    int one, two;
    PVOID pointer = &one;
    (void)state;
    CHANGE(InterlockedExchange, LONG, -1, INT32_MIN, -1, INT32_MIN);
    CHANGE(InterlockedExchangeAcquire, LONG, 1, 0, 1, 0);
    CHANGE(InterlockedExchangeNoFence, LONG, 1, 2, 1, 2);
    CHANGE(InterlockedExchange64, LONG64, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX);
    CHANGE(InterlockedExchange8, CHAR, 0x7f, -1, 0x7f, -1);
    CHANGE(InterlockedAnd, LONG, 0xff, 0x3c0, 0xff, 0xc0);
    CHANGE(InterlockedAndNoFence, LONG, -1, 0, -1, 0);
    CHANGE(InterlockedAnd64, LONG64, -1, INT64_MIN, -1, INT64_MIN);
    CHANGE(InterlockedOr, LONG, 1, INT32_MIN, 1, INT32_MIN + 1);
    CHANGE(InterlockedOrAcquire, LONG, 0, 0, 0, 0);
    CHANGE(InterlockedOrNoFence, LONG, 3, 5, 3, 7);
    CHANGE(InterlockedOr64, LONG64, 0, INT64_MIN, 0, INT64_MIN);
    CHANGE(InterlockedXor, LONG, -1, -1, -1, 0);
    CHANGE(InterlockedXor64, LONG64, INT64_MIN, -1, INT64_MIN, INT64_MAX);
    assert_ptr_equal(InterlockedExchangePointer(&pointer, &two), &one);
    assert_ptr_equal(InterlockedExchangePointer(&pointer, NULL), &two);
    assert_null(pointer);
}

/* ---- Compare and exchange ---------------------------------------------------------------------- */

#define COMPARE(function, type, before, exchange, comparand, after)                                \
    do {                                                                                           \
        type compare_value = (type)(before);                                                       \
        assert_true(function(&compare_value, (type)(exchange), (type)(comparand)) ==               \
                    (type)(before));                                                               \
        assert_true(compare_value == (type)(after));                                               \
    } while (0)

static void a_comparison_changes_only_what_is_equal(void **state) {
    int one;
    PVOID pointer = NULL;
    DECLSPEC_ALIGN(16) LONG64 pair[2] = {1, 2};
    LONG64 expected[2] = {1, 3};
    (void)state;
    COMPARE(InterlockedCompareExchange, LONG, INT32_MIN, 7, INT32_MIN, 7);
    COMPARE(InterlockedCompareExchange, LONG, 0, 7, 1, 0);
    COMPARE(InterlockedCompareExchangeAcquire, LONG, -1, 0, -1, 0);
    COMPARE(InterlockedCompareExchangeRelease, LONG, 1, 0, 2, 1);
    COMPARE(InterlockedCompareExchangeNoFence, LONG, 0, 0, 0, 0);
    COMPARE(InterlockedCompareExchange16, SHORT, -1, INT16_MIN, -1, INT16_MIN);
    COMPARE(InterlockedCompareExchange64, LONG64, 0, 1, INT64_C(1) << 32, 0);
    COMPARE(InterlockedCompareExchange64, LONG64, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX);
    assert_null(InterlockedCompareExchangePointer(&pointer, &one, NULL));
    assert_ptr_equal(InterlockedCompareExchangePointer(&pointer, NULL, NULL), &one);
    assert_ptr_equal(pointer, &one);
    /* Of 128 bits: the comparand gets what was there. */
    assert_false(InterlockedCompareExchange128(pair, 9, 8, expected));
    assert_int_equal(expected[0], 1);
    assert_int_equal(expected[1], 2);
    assert_true(InterlockedCompareExchange128(pair, 9, 8, expected));
    assert_int_equal(pair[0], 8);
    assert_int_equal(pair[1], 9);
}

static void bits_are_counted_over_all_words(void **state) {
    LONG bits[2] = {0, 0};
    (void)state;
    assert_false(InterlockedBitTestAndSet(bits, 31));
    assert_true(InterlockedBitTestAndSet(bits, 31));
    assert_int_equal(bits[0], INT32_MIN);
    assert_false(InterlockedBitTestAndComplement(bits, 32));
    assert_int_equal(bits[1], 1);
    assert_true(InterlockedBitTestAndComplement(bits, 32));
    assert_true(InterlockedBitTestAndReset(bits, 31));
    assert_false(InterlockedBitTestAndReset(bits, 31));
    assert_int_equal(bits[0] | bits[1], 0);
}

/* ---- Reads and writes with an order ------------------------------------------------------------ */

#define READ_BACK(function, type, value)                                                           \
    do {                                                                                           \
        type read_back = (type)(value);                                                            \
        assert_true(function(&read_back) == (type)(value));                                        \
    } while (0)
#define WRITTEN(function, type, value)                                                             \
    do {                                                                                           \
        type written = 0;                                                                          \
        function(&written, (type)(value));                                                         \
        assert_true(written == (type)(value));                                                     \
    } while (0)

static void ordered_reads_and_writes_keep_every_bit(void **state) {
    (void)state;
    READ_BACK(ReadAcquire, LONG, INT32_MIN);
    READ_BACK(ReadNoFence, LONG, -1);
    READ_BACK(ReadRaw, LONG, 0x7fffffff);
    READ_BACK(ReadULongAcquire, ULONG, UINT32_MAX);
    READ_BACK(ReadULongNoFence, ULONG, 1);
    READ_BACK(ReadULongRaw, ULONG, UINT32_MAX);
    READ_BACK(ReadUShortAcquire, USHORT, 0xffff);
    READ_BACK(ReadUShortNoFence, USHORT, 0x8000);
    READ_BACK(ReadUShortRaw, USHORT, 0xffff);
    READ_BACK(ReadShortAcquire, SHORT, INT16_MIN);
    READ_BACK(ReadShortNoFence, SHORT, -1);
    READ_BACK(ReadShortRaw, SHORT, INT16_MIN);
    READ_BACK(ReadUCharAcquire, UCHAR, 0xff);
    READ_BACK(ReadUCharNoFence, UCHAR, 0x80);
    READ_BACK(ReadUCharRaw, UCHAR, 0xff);
    READ_BACK(ReadPointerAcquire, PVOID, UINTPTR_MAX);
    READ_BACK(ReadPointerNoFence, PVOID, 0);
    READ_BACK(ReadPointerRaw, PVOID, UINTPTR_MAX);
    READ_BACK(ReadAcquire64, LONG64, INT64_MIN);
    READ_BACK(ReadNoFence64, LONG64, -1);
    READ_BACK(ReadULong64Acquire, ULONG64, UINT64_MAX);
    READ_BACK(ReadULong64NoFence, ULONG64, UINT64_MAX - 1);
    WRITTEN(WriteRelease, LONG, INT32_MIN);
    WRITTEN(WriteNoFence, LONG, -1);
    WRITTEN(WriteRaw, LONG, 0x7fffffff);
    WRITTEN(WriteULongRelease, ULONG, UINT32_MAX);
    WRITTEN(WriteULongNoFence, ULONG, 1);
    WRITTEN(WriteULongRaw, ULONG, UINT32_MAX);
    WRITTEN(WriteUShortRelease, USHORT, 0xffff);
    WRITTEN(WriteUShortNoFence, USHORT, 0x8000);
    WRITTEN(WriteUShortRaw, USHORT, 0xffff);
    WRITTEN(WriteShortRelease, SHORT, INT16_MIN);
    WRITTEN(WriteShortNoFence, SHORT, -1);
    WRITTEN(WriteShortRaw, SHORT, INT16_MIN);
    WRITTEN(WriteUCharRelease, UCHAR, 0xff);
    WRITTEN(WriteUCharNoFence, UCHAR, 0x80);
    WRITTEN(WriteUCharRaw, UCHAR, 0xff);
    WRITTEN(WritePointerRelease, PVOID, UINTPTR_MAX);
    WRITTEN(WritePointerNoFence, PVOID, 1);
    WRITTEN(WritePointerRaw, PVOID, UINTPTR_MAX);
    WRITTEN(WriteRelease64, LONG64, INT64_MIN);
    WRITTEN(WriteNoFence64, LONG64, -1);
    WRITTEN(WriteULong64Release, ULONG64, UINT64_MAX);
}

static void barriers_may_stand_anywhere(void **state) {
    (void)state;
    KeMemoryBarrier();
    MemoryBarrier();
    _ReadWriteBarrier();
    _ReadBarrier();
    _WriteBarrier();
    _mm_mfence();
    _mm_lfence();
    _mm_sfence();
    _mm_pause();
    YieldProcessor();
    ULONG64 first = ReadTimeStampCounter(), second = __rdtsc();
    assert_true(second >= first);
}

/* ---- Bits, bytes, products ---------------------------------------------------------------------- */

static void scans_leave_the_index_of_nothing_alone(void **state) {
    ULONG index = 77;
    (void)state;
    assert_false(BitScanForward(&index, 0) || BitScanReverse(&index, 0));
    assert_false(BitScanForward64(&index, 0) || BitScanReverse64(&index, 0));
    assert_false(_BitScanForward(&index, 0) || _BitScanReverse(&index, 0));
    assert_int_equal(index, 77);
    assert_true(_BitScanForward(&index, 0x80000000));
    assert_int_equal(index, 31);
    assert_true(_BitScanReverse(&index, 1));
    assert_int_equal(index, 0);
    assert_true(_BitScanForward64(&index, UINT64_C(1) << 63));
    assert_int_equal(index, 63);
    assert_true(_BitScanReverse64(&index, UINT64_MAX));
    assert_int_equal(index, 63);
    assert_int_equal(PopulationCount64(UINT64_MAX), 64);
    assert_int_equal(__popcnt64(0), 0);
    assert_int_equal(__popcnt(UINT32_MAX), 32);
}

static void bytes_are_swapped_within_their_type(void **state) {
    (void)state;
    assert_int_equal(RtlUshortByteSwap(0xff00), 0x00ff);
    assert_int_equal(_byteswap_ushort(0x1234), 0x3412);
    assert_int_equal(RtlUlongByteSwap(0x80000001), 0x01000080);
    assert_int_equal(_byteswap_ulong(0x12345678), 0x78563412);
    assert_true(RtlUlonglongByteSwap(UINT64_C(0xff00000000000001)) == UINT64_C(0x01000000000000ff));
    assert_true(_byteswap_uint64(1) == UINT64_C(1) << 56);
}

static void products_have_their_high_half(void **state) {
    ULONG64 high = 0;
    (void)state;
    assert_true(UnsignedMultiply128(UINT64_MAX, UINT64_MAX, &high) == 1);
    assert_true(high == UINT64_MAX - 1);
    assert_true(UnsignedMultiplyHigh(UINT64_MAX, 2) == 1);
    assert_true(RtlUnsignedMultiplyHigh(UINT64_C(1) << 32, UINT64_C(1) << 32) == 1);
    assert_true(UnsignedMultiplyHigh(UINT64_MAX, 0) == 0);
}

/* ---- Lists --------------------------------------------------------------------------------------- */

static void lists_go_in_both_directions(void **state) {
    LIST_ENTRY head, a, b, c;
    (void)state;
    InitializeListHead(&head);
    assert_true(IsListEmpty(&head));
    /* Of an empty list, the head itself. */
    assert_ptr_equal(RemoveHeadList(&head), &head);
    assert_ptr_equal(RemoveTailList(&head), &head);
    InsertHeadList(&head, &b);
    InsertHeadList(&head, &a);
    InsertTailList(&head, &c);
    assert_false(IsListEmpty(&head));
    assert_false(RemoveEntryList(&b));
    assert_ptr_equal(RemoveTailList(&head), &c);
    assert_true(RemoveEntryList(&a)); /* the list is empty now */
    InsertTailList(&head, &a);
    b.Flink = b.Blink = &b;
    AppendTailList(&head, &b); /* entries without a head */
    assert_ptr_equal(RemoveHeadList(&head), &a);
    assert_ptr_equal(RemoveHeadList(&head), &b);
    assert_true(IsListEmpty(&head));
}

static void single_lists_are_stacks(void **state) {
    SINGLE_LIST_ENTRY head = {NULL}, a, b;
    (void)state;
    assert_null(PopEntryList(&head));
    PushEntryList(&head, &a);
    PushEntryList(&head, &b);
    assert_ptr_equal(PopEntryList(&head), &b);
    assert_ptr_equal(PopEntryList(&head), &a);
    assert_null(PopEntryList(&head));
}

/* Each of three names of one function: the entry that was first before, NULL of none. */
static void sequenced_lists_tell_what_was_first(void **state) {
    SLIST_HEADER head;
    SLIST_ENTRY a, b, c;
    KSPIN_LOCK lock = 0;
    (void)state;
    InitializeSListHead(&head);
    assert_null(InterlockedPopEntrySList(&head));
    assert_null(ExInterlockedFlushSList(&head));
    assert_null(ExInterlockedPushEntrySList(&head, &a, &lock));
    assert_ptr_equal(ExpInterlockedPushEntrySList(&head, &b), &a);
    assert_ptr_equal(InterlockedPushEntrySList(&head, &c), &b);
    assert_int_equal(QueryDepthSList(&head), 3);
    assert_ptr_equal(ExInterlockedPopEntrySList(&head, &lock), &c);
    assert_ptr_equal(ExpInterlockedPopEntrySList(&head), &b);
    assert_ptr_equal(InterlockedPushEntrySList(&head, &b), &a);
    assert_ptr_equal(ExpInterlockedFlushSList(&head), &b);
    assert_ptr_equal(b.Next, &a);
    assert_int_equal(QueryDepthSList(&head), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(increments_and_decrements_return_the_new_value_and_wrap),
        cmocka_unit_test(additions_return_what_their_names_say),
        cmocka_unit_test(exchanges_and_bits_return_what_was_there),
        cmocka_unit_test(a_comparison_changes_only_what_is_equal),
        cmocka_unit_test(bits_are_counted_over_all_words),
        cmocka_unit_test(ordered_reads_and_writes_keep_every_bit),
        cmocka_unit_test(barriers_may_stand_anywhere),
        cmocka_unit_test(scans_leave_the_index_of_nothing_alone),
        cmocka_unit_test(bytes_are_swapped_within_their_type),
        cmocka_unit_test(products_have_their_high_half),
        cmocka_unit_test(lists_go_in_both_directions),
        cmocka_unit_test(single_lists_are_stacks),
        cmocka_unit_test(sequenced_lists_tell_what_was_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
