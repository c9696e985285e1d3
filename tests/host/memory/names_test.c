/*
 * names_test.c - memory by its other names, at the edges: pool, contiguous memory, MDLs, paged
 * sections, plain copies and comparisons of memory.
 */
#include "fixture/tiny.h"

#include <ntddk.h>
#include <ntintsafe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define TAG 0x74736574u /* test */

/* Each of them: a block for a byte and for a page, with its tag; freed by the page's function. */
static void pool_by_every_name_is_a_block_of_its_tag(void **state) {
    (void)state;
    for (SIZE_T size = 1; size <= PAGE_SIZE; size += PAGE_SIZE - 1) {
        char *blocks[] = {
            ExAllocatePool(NonPagedPoolNx, size),
            ExAllocatePoolZero(NonPagedPoolNx, size, TAG),
            ExAllocatePoolUninitialized(NonPagedPoolNx, size, TAG),
            ExAllocatePoolWithTagPriority(NonPagedPoolNx, size, TAG, LowPoolPriority),
            ExAllocatePoolWithQuotaTag(NonPagedPoolNx, size, TAG),
            ExAllocatePoolWithQuotaTag(
                (POOL_TYPE)(NonPagedPoolNx | POOL_QUOTA_FAIL_INSTEAD_OF_RAISE), size, TAG),
            ExAllocatePool3(POOL_FLAG_NON_PAGED, size, TAG, NULL, 0),
        };
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
            assert_non_null(blocks[i]);
            assert_true(i != 1 || blocks[i][size - 1] == 0);
            blocks[i][size - 1] = 1;
        }
        ExFreePool(blocks[0]);
        ExFreePool2(blocks[6], TAG, NULL, 0);
        for (size_t i = 1; i < 6; i++)
            ExFreePoolWithTag(blocks[i], TAG);
    }
    /* An extended parameter that is not known. */
    assert_null(ExAllocatePool3(POOL_FLAG_NON_PAGED, 1, TAG, (PVOID)1, 1));
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void contiguous_memory_by_every_name_is_one_run(void **state) {
    PHYSICAL_ADDRESS none = {.QuadPart = 0}, low = {.QuadPart = (1 << 24) - 1};
    SIZE_T bytes = 3 * PAGE_SIZE;
    (void)state;
    char *blocks[] = {
        MmAllocateContiguousMemorySpecifyCacheNode(bytes, none, low, none, MmCached, 0),
        MmAllocateContiguousNodeMemory(bytes, none, low, none, PAGE_READWRITE, 0),
        MmAllocateNonCachedMemory(bytes),
    };
    for (size_t i = 0; i < 3; i++) {
        LONGLONG at = MmGetPhysicalAddress(blocks[i]).QuadPart;
        assert_int_equal(MmGetPhysicalAddress(blocks[i] + bytes - 1).QuadPart,
                         at + (LONGLONG)bytes - 1);
        assert_true(i == 2 || at + (LONGLONG)bytes - 1 <= low.QuadPart);
    }
    MmFreeContiguousMemorySpecifyCache(blocks[0], bytes, MmCached);
    MmFreeContiguousMemory(blocks[1]);
    MmFreeNonCachedMemory(blocks[2], bytes);
    assert_null(MmAllocateNonCachedMemory(0));
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    MmFreeNonCachedMemory(blocks[2], bytes);
    assert_true(tiny_violated(tiny_host, "no contiguous block"));
}

static void an_mdl_is_measured_and_advanced(void **state) {
    PHYSICAL_ADDRESS all = {.QuadPart = -1};
    char *memory = MmAllocateContiguousMemory(3 * PAGE_SIZE, all), *va = memory + 100;
    ULONG length = 2 * PAGE_SIZE;
    (void)state;
    assert_int_equal(MmSizeOfMdl(va, length), sizeof(MDL) + 3 * sizeof(PFN_NUMBER));
    assert_int_equal(MmSizeOfMdl(memory, PAGE_SIZE), sizeof(MDL) + sizeof(PFN_NUMBER));
    union {
        MDL mdl;
        char room[sizeof(MDL) + 3 * sizeof(PFN_NUMBER)];
    } own;
    MmInitializeMdl(&own.mdl, va, length);
    assert_ptr_equal(MmGetMdlVirtualAddress(&own.mdl), va);
    assert_ptr_equal(MmGetMdlBaseVa(&own.mdl), memory);
    assert_int_equal(MmGetMdlByteOffset(&own.mdl), 100);
    assert_int_equal(MmGetMdlByteCount(&own.mdl), length);
    PMDL mdl = IoAllocateMdl(va, length, FALSE, FALSE, NULL);
    MmBuildMdlForNonPagedPool(mdl);
    KeFlushIoBuffers(mdl, TRUE, TRUE);
    PFN_NUMBER second = MmGetMdlPfnArray(mdl)[1];
    assert_int_equal(MmAdvanceMdl(mdl, PAGE_SIZE), STATUS_SUCCESS);
    assert_ptr_equal(MmGetMdlVirtualAddress(mdl), va + PAGE_SIZE);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), va + PAGE_SIZE);
    assert_int_equal(MmGetMdlPfnArray(mdl)[0], second);
    assert_int_equal(MmGetMdlByteCount(mdl), PAGE_SIZE);
    assert_int_equal(MmAdvanceMdl(mdl, PAGE_SIZE), STATUS_INVALID_PARAMETER_2); /* past the end */
    IoFreeMdl(mdl);
    MmFreeContiguousMemory(memory);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void arguments_of_mdls_that_must_be_false_are_named(void **state) {
    PHYSICAL_ADDRESS none = {.QuadPart = 0}, all = {.QuadPart = -1};
    (void)state;
    PMDL mdl = MmAllocatePagesForMdlEx(none, all, none, PAGE_SIZE, MmCached, 0);
    IoFreeMdl(IoAllocateMdl(NULL, PAGE_SIZE, FALSE, TRUE, NULL));
    assert_true(tiny_violated(tiny_host, "ChargeQuota TRUE"));
    IoFreeMdl(IoAllocateMdl(NULL, PAGE_SIZE, TRUE, FALSE, NULL));
    assert_true(tiny_violated(tiny_host, "SecondaryBuffer TRUE and no IRP"));
    PVOID view = MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, TRUE, 0);
    assert_true(tiny_violated(tiny_host, "BugCheckOnFailure TRUE"));
    assert_int_equal(vidmm_host_violations(tiny_host), 3);
    assert_ptr_equal(MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, 0), view);
    assert_true(tiny_violated(tiny_host, "an MDL that is mapped already"));
    MmUnmapLockedPages(view, mdl);
    MmFreePagesFromMdl(mdl);
    ExFreePool(mdl);
}

static void mdls_that_may_not_be_mapped_are_named(void **state) {
    PHYSICAL_ADDRESS all = {.QuadPart = -1};
    (void)state;
    PVOID memory = MmAllocateContiguousMemory(PAGE_SIZE, all);
    PMDL mdl = IoAllocateMdl(memory, PAGE_SIZE, FALSE, FALSE, NULL);
    MmGetMdlPfnArray(mdl)[0] = (PFN_NUMBER)MmGetPhysicalAddress(memory).QuadPart / PAGE_SIZE;
    PVOID view = MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, 0);
    assert_true(tiny_violated(tiny_host, "an MDL whose pages are not locked"));
    MmUnmapLockedPages(view, mdl);
    MmBuildMdlForNonPagedPool(mdl);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), memory);
    assert_int_equal(vidmm_host_violations(tiny_host), 1);
    (void)MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, 0);
    assert_true(tiny_violated(tiny_host, "MmBuildMdlForNonPagedPool, which is mapped already"));
    IoFreeMdl(mdl);
    MmFreeContiguousMemory(memory);
}

static void a_list_of_frames_that_are_none_is_named(void **state) {
    (void)state;
    PMDL mdl = IoAllocateMdl(NULL, 2 * PAGE_SIZE, FALSE, FALSE, NULL);
    MmGetMdlPfnArray(mdl)[0] = 1;
    MmGetMdlPfnArray(mdl)[1] = (PFN_NUMBER)1 << 40; /* an address */
    mdl->MdlFlags |= MDL_PAGES_LOCKED;
    assert_null(MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, 0));
    assert_true(
        tiny_violated(tiny_host, "an MDL with frame 0x10000000000, where there is no memory"));
    assert_int_equal(vidmm_host_violations(tiny_host), 1);
    IoFreeMdl(mdl);
}

static void a_mapping_is_protected_and_given_up_for_reuse(void **state) {
    PHYSICAL_ADDRESS none = {.QuadPart = 0}, all = {.QuadPart = -1};
    PMDL mdl = MmAllocatePagesForMdlEx(none, all, none, 2 * PAGE_SIZE, MmCached, 0);
    (void)state;
    assert_int_equal(MmProtectMdlSystemAddress(mdl, PAGE_READONLY), STATUS_NOT_MAPPED_VIEW);
    assert_non_null(
        MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, NormalPagePriority));
    assert_int_equal(MmProtectMdlSystemAddress(mdl, PAGE_READONLY), STATUS_SUCCESS);
    assert_int_equal(MmProtectMdlSystemAddress(mdl, PAGE_WRITECOMBINE),
                     STATUS_INVALID_PAGE_PROTECTION);
    MmPrepareMdlForReuse(mdl);
    assert_int_equal(mdl->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA, 0);
    MmPrepareMdlForReuse(mdl); /* of none: nothing */
    MmFreePagesFromMdl(mdl);
    ExFreePool(mdl);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void memory_is_copied_by_either_address(void **state) {
    PHYSICAL_ADDRESS all = {.QuadPart = -1};
    char *memory = MmAllocateContiguousMemory(PAGE_SIZE, all), copy[4] = "";
    MM_COPY_ADDRESS from;
    SIZE_T done = 7;
    (void)state;
    memcpy(memory, "abc", 4);
    from.PhysicalAddress = MmGetPhysicalAddress(memory);
    assert_int_equal(MmCopyMemory(copy, from, 4, MM_COPY_MEMORY_PHYSICAL, &done), STATUS_SUCCESS);
    assert_string_equal(copy, "abc");
    assert_int_equal(done, 4);
    from.VirtualAddress = memory;
    assert_int_equal(MmCopyMemory(copy, from, 4, MM_COPY_MEMORY_VIRTUAL, &done), STATUS_SUCCESS);
    assert_int_equal(MmCopyMemory(copy, from, 4, 3, &done), STATUS_INVALID_PARAMETER_4);
    from.PhysicalAddress.QuadPart = INT64_C(1) << 50;
    assert_int_equal(MmCopyMemory(copy, from, 4, MM_COPY_MEMORY_PHYSICAL, &done),
                     STATUS_INVALID_ADDRESS);
    assert_int_equal(done, 0);
    assert_int_equal(MmQuerySystemSize(), MmLargeSystem);
    MmFreeContiguousMemory(memory);
}

static void plain_memory_functions_do_what_they_say(void **state) {
    char a[8] = "abcdefg", b[8] = "abcxefg";
    LARGE_INTEGER product = {.QuadPart = INT64_C(1) << 40};
    ULONG seed = 1, again = 1;
    (void)state;
    assert_int_equal(RtlCompareMemory(a, b, 8), 3);
    assert_int_equal(RtlCompareMemory(a, a, 8), 8);
    assert_int_equal(RtlCompareMemory(a, b, 0), 0);
    assert_true(RtlEqualMemory(a, b, 3));
    assert_false(RtlEqualMemory(a, b, 4));
    RtlMoveMemory(a + 1, a, 6); /* the ranges overlap */
    assert_string_equal(a, "aabcdef");
    RtlCopyBytes(a, b, 8);
    assert_string_equal(a, "abcxefg");
    RtlFillMemory(a, 2, '.');
    assert_string_equal(a, "..cxefg");
    RtlZeroMemory(a, 1);
    RtlZeroBytes(a + 1, 1);
    assert_memory_equal(a, "\0\0cx", 4);
    assert_ptr_equal(RtlSecureZeroMemory(b, sizeof(b)), b);
    assert_memory_equal(b, "\0\0\0\0\0\0\0", 8);
    assert_int_equal(RtlConvertLongToLargeInteger(-1).QuadPart, -1);
    assert_int_equal(RtlExtendedIntegerMultiply(product, -3).QuadPart,
                     INT64_C(-3) * (INT64_C(1) << 40));
    assert_int_equal(RtlRandom(&seed), RtlRandomEx(&again));
    assert_true(seed < 0x7fffffff);
}

static void sizes_that_do_not_fit_are_an_overflow(void **state) {
    SIZE_T size;
    SSIZE_T difference;
    (void)state;
    assert_int_equal(RtlSizeTMult(SIZE_MAX, 2, &size), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(size, SIZE_MAX);
    assert_int_equal(RtlSizeTMult(SIZE_MAX, 1, &size), STATUS_SUCCESS);
    assert_int_equal(RtlSizeTSub(0, 1, &size), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSizeTSub(1, 1, &size), STATUS_SUCCESS);
    assert_int_equal(size, 0);
    assert_int_equal(RtlSSizeTAdd(INTPTR_MAX, 1, &difference), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSSizeTSub(INTPTR_MIN, 1, &difference), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSSizeTMult(INTPTR_MIN, -1, &difference), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSSizeTMult(-3, 4, &difference), STATUS_SUCCESS);
    assert_int_equal(difference, -12);
}

static struct lists { PAGED_LOOKASIDE_LIST paged; } lists;

static void a_paged_lookaside_list_gives_entries_of_their_own(void **state) {
    (void)state;
    ExInitializePagedLookasideList(&lists.paged, NULL, NULL, 0, 64, TAG, 0);
    PVOID first = ExAllocateFromPagedLookasideList(&lists.paged);
    PVOID second = ExAllocateFromPagedLookasideList(&lists.paged);
    assert_true(first && second && first != second);
    ExFreeToPagedLookasideList(&lists.paged, first);
    ExFreeToPagedLookasideList(&lists.paged, second);
    ExDeletePagedLookasideList(&lists.paged);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void an_entry_of_a_lookaside_list_is_no_block_to_free(void **state) {
    (void)state;
    ExInitializePagedLookasideList(&lists.paged, NULL, NULL, 0, 64, TAG, 0);
    ExFreePoolWithTag(ExAllocateFromPagedLookasideList(&lists.paged), TAG);
    assert_true(tiny_violated(tiny_host, "ExFreePool of an entry of a lookaside list"));
    ExDeletePagedLookasideList(&lists.paged);
}

#define NAMES_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        NAMES_TEST(pool_by_every_name_is_a_block_of_its_tag),
        NAMES_TEST(contiguous_memory_by_every_name_is_one_run),
        NAMES_TEST(an_mdl_is_measured_and_advanced),
        NAMES_TEST(arguments_of_mdls_that_must_be_false_are_named),
        NAMES_TEST(mdls_that_may_not_be_mapped_are_named),
        NAMES_TEST(a_list_of_frames_that_are_none_is_named),
        NAMES_TEST(a_mapping_is_protected_and_given_up_for_reuse),
        NAMES_TEST(memory_is_copied_by_either_address),
        cmocka_unit_test(plain_memory_functions_do_what_they_say),
        cmocka_unit_test(sizes_that_do_not_fit_are_an_overflow),
        NAMES_TEST(a_paged_lookaside_list_gives_entries_of_their_own),
        NAMES_TEST(an_entry_of_a_lookaside_list_is_no_block_to_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
