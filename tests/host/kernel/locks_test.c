/* locks_test.c - resources, push locks, reader and writer spin locks, rundown, lists, lookaside lists. */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static HANDLE start(KSTART_ROUTINE body, void *context) {
    HANDLE thread;
    assert_int_equal(
        PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, body, context),
        STATUS_SUCCESS);
    return thread;
}

static void join(HANDLE thread) {
    PVOID object;
    assert_int_equal(
        ObReferenceObjectByHandle(thread, THREAD_ALL_ACCESS, NULL, KernelMode, &object, NULL),
        STATUS_SUCCESS);
    KeWaitForSingleObject(object, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(object);
    ZwClose(thread);
}

/* Runs `body` in a system thread and waits for its end. */
static void in_thread(KSTART_ROUTINE body, void *context) {
    join(start(body, context));
}

struct attempt {
    ERESOURCE *resource;
    BOOLEAN shared, exclusive;
};

static VOID NTAPI try_resource(PVOID context) {
    struct attempt *attempt = context;
    KeEnterCriticalRegion();
    attempt->shared = ExAcquireResourceSharedLite(attempt->resource, FALSE);
    if (attempt->shared)
        ExReleaseResourceLite(attempt->resource);
    attempt->exclusive = ExAcquireResourceExclusiveLite(attempt->resource, FALSE);
    if (attempt->exclusive)
        ExReleaseResourceLite(attempt->resource);
    KeLeaveCriticalRegion();
}

static void a_resource_is_shared_or_has_one_owner_who_may_acquire_it_again(void **state) {
    ERESOURCE resource;
    struct attempt other = {.resource = &resource};
    (void)state;
    assert_int_equal(ExInitializeResourceLite(&resource), STATUS_SUCCESS);
    KeEnterCriticalRegion();
    assert_true(ExAcquireResourceExclusiveLite(&resource, TRUE));
    assert_true(ExAcquireResourceExclusiveLite(&resource, FALSE));
    assert_true(ExAcquireResourceSharedLite(&resource, FALSE));
    assert_int_equal(ExIsResourceAcquiredSharedLite(&resource), 3);
    in_thread(try_resource, &other);
    assert_false(other.shared || other.exclusive);
    ExReleaseResourceLite(&resource);
    ExReleaseResourceLite(&resource);
    in_thread(try_resource, &other);
    assert_false(other.shared);
    ExConvertExclusiveToSharedLite(&resource);
    assert_false(ExIsResourceAcquiredExclusiveLite(&resource));
    in_thread(try_resource, &other);
    assert_true(other.shared && !other.exclusive);
    assert_false(ExAcquireResourceExclusiveLite(&resource, FALSE)); /* it shares it itself */
    ExReleaseResourceLite(&resource);
    in_thread(try_resource, &other);
    assert_true(other.shared && other.exclusive);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    ExReleaseResourceLite(&resource);
    assert_true(tiny_violated(tiny_host, "does not own"));
    KeLeaveCriticalRegion();
    assert_int_equal(ExDeleteResourceLite(&resource), STATUS_SUCCESS);
}

static EX_PUSH_LOCK push_lock;
static volatile LONG inside, worst, turns;

static VOID NTAPI push_often(PVOID context) {
    (void)context;
    KeEnterCriticalRegion();
    for (int i = 0; i < 200; i++) {
        ExAcquirePushLockExclusive(&push_lock);
        LONG now = InterlockedIncrement(&inside);
        worst = now > worst ? now : worst;
        turns++;
        InterlockedDecrement(&inside);
        ExReleasePushLockExclusive(&push_lock);
        ExAcquirePushLockShared(&push_lock);
        ExReleasePushLockShared(&push_lock);
    }
    KeLeaveCriticalRegion();
}

static void a_push_lock_has_one_owner_among_threads(void **state) {
    HANDLE threads[4];
    (void)state;
    ExInitializePushLock(&push_lock);
    for (int i = 0; i < 4; i++)
        threads[i] = start(push_often, NULL);
    for (int i = 0; i < 4; i++)
        join(threads[i]);
    assert_int_equal(worst, 1);
    assert_int_equal(turns, 800);
    assert_int_equal(push_lock, 0);
    ExReleasePushLockExclusive(&push_lock);
    assert_true(tiny_violated(tiny_host, "not held exclusively"));
}

static void spin_locks_of_readers_and_writers_raise_and_are_checked(void **state) {
    EX_SPIN_LOCK lock = 0;
    (void)state;
    KIRQL old = ExAcquireSpinLockShared(&lock);
    assert_int_equal(old, PASSIVE_LEVEL);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    ExAcquireSpinLockSharedAtDpcLevel(&lock);
    assert_false(ExTryConvertSharedSpinLockExclusive(&lock)); /* two readers */
    ExReleaseSpinLockSharedFromDpcLevel(&lock);
    assert_true(ExTryConvertSharedSpinLockExclusive(&lock));
    ExReleaseSpinLockExclusive(&lock, old);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    assert_int_equal(lock, 0);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    ExAcquireSpinLockSharedAtDpcLevel(&lock);
    assert_true(tiny_violated(tiny_host, "at IRQL 2 at least"));
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    ExReleaseSpinLockExclusiveFromDpcLevel(&lock);
    assert_true(tiny_violated(tiny_host, "not held like that"));
    ExReleaseSpinLockSharedFromDpcLevel(&lock);
    KeLowerIrql(old);
}

static void a_queued_spin_lock_gives_the_level_back(void **state) {
    KSPIN_LOCK lock;
    KLOCK_QUEUE_HANDLE handle;
    (void)state;
    KeInitializeSpinLock(&lock);
    assert_true(KeTestSpinLock(&lock));
    KeAcquireInStackQueuedSpinLock(&lock, &handle);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    assert_false(KeTestSpinLock(&lock));
    KeReleaseInStackQueuedSpinLock(&handle);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeAcquireInStackQueuedSpinLockAtDpcLevel(&lock, &handle);
    KeReleaseInStackQueuedSpinLockFromDpcLevel(&handle);
    KeLowerIrql(old);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static VOID NTAPI release_later(PVOID context) {
    LARGE_INTEGER interval = {.QuadPart = -100000};
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    ExReleaseRundownProtection(context);
}

static void rundown_waits_for_the_uses_and_gives_none_afterwards(void **state) {
    EX_RUNDOWN_REF ref;
    HANDLE thread;
    (void)state;
    ExInitializeRundownProtection(&ref);
    assert_true(ExAcquireRundownProtection(&ref));
    assert_true(ExAcquireRundownProtectionEx(&ref, 2));
    ExReleaseRundownProtectionEx(&ref, 2);
    thread = start(release_later, &ref);
    ExWaitForRundownProtectionRelease(&ref);
    assert_false(ExAcquireRundownProtection(&ref));
    ExRundownCompleted(&ref);
    ExReInitializeRundownProtection(&ref);
    assert_true(ExAcquireRundownProtection(&ref));
    ExReleaseRundownProtection(&ref);
    join(thread);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    ExReleaseRundownProtection(&ref);
    assert_true(tiny_violated(tiny_host, "more than was acquired"));
}

static void a_remove_lock_is_not_acquired_once_it_is_removed(void **state) {
    IO_REMOVE_LOCK lock;
    (void)state;
    IoInitializeRemoveLock(&lock, 0x6b636f6cu, 0, 0);
    assert_int_equal(IoAcquireRemoveLock(&lock, NULL), STATUS_SUCCESS);
    IoReleaseRemoveLock(&lock, NULL);
    assert_int_equal(IoAcquireRemoveLock(&lock, NULL), STATUS_SUCCESS);
    IoReleaseRemoveLockAndWait(&lock, NULL);
    assert_int_equal(IoAcquireRemoveLock(&lock, NULL), STATUS_DELETE_PENDING);
}

static void a_sequenced_list_gives_the_last_one_first(void **state) {
    SLIST_HEADER head;
    SLIST_ENTRY entries[3];
    (void)state;
    ExInitializeSListHead(&head);
    assert_null(InterlockedPopEntrySList(&head));
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(InterlockedPushEntrySList(&head, &entries[i]), i ? &entries[i - 1] : NULL);
    assert_int_equal(ExQueryDepthSList(&head), 3);
    assert_ptr_equal(InterlockedPopEntrySList(&head), &entries[2]);
    PSLIST_ENTRY rest = InterlockedFlushSList(&head);
    assert_ptr_equal(rest, &entries[1]);
    assert_ptr_equal(rest->Next, &entries[0]);
    assert_int_equal(ExQueryDepthSList(&head), 0);
}

static uint32_t asked, given_back;

static PVOID NTAPI own_allocate(POOL_TYPE type, SIZE_T bytes, ULONG tag, PLOOKASIDE_LIST_EX list) {
    (void)list;
    asked++;
    return ExAllocatePoolWithTag(type, bytes, tag);
}

static VOID NTAPI own_free(PVOID buffer, PLOOKASIDE_LIST_EX list) {
    (void)list;
    given_back++;
    ExFreePool(buffer);
}

static void a_lookaside_list_keeps_nothing_that_was_freed(void **state) {
    LOOKASIDE_LIST_EX list;
    PVOID entries[40];
    (void)state;
    assert_int_equal(ExInitializeLookasideListEx(&list, own_allocate, own_free, NonPagedPoolNx, 4,
                                                 64, 0x74736574u, 0),
                     STATUS_INVALID_PARAMETER_5);
    assert_int_equal(
        ExInitializeLookasideListEx(&list, NULL, NULL, (POOL_TYPE)3, 0, 64, 0x74736574u, 0),
        STATUS_INVALID_PARAMETER_4);
    assert_int_equal(ExInitializeLookasideListEx(&list, own_allocate, own_free, NonPagedPoolNx, 0,
                                                 64, 0x74736574u, 0),
                     STATUS_SUCCESS);
    PVOID first = ExAllocateFromLookasideListEx(&list);
    ExFreeToLookasideListEx(&list, first);
    assert_int_equal(asked, 1);
    assert_int_equal(given_back, 1);
    for (int i = 0; i < 40; i++)
        entries[i] = ExAllocateFromLookasideListEx(&list);
    for (int i = 0; i < 40; i++)
        ExFreeToLookasideListEx(&list, entries[i]);
    ExFlushLookasideListEx(&list);
    assert_int_equal(given_back, asked);
    ExDeleteLookasideListEx(&list);

    NPAGED_LOOKASIDE_LIST nonpaged;
    ExInitializeNPagedLookasideList(&nonpaged, NULL, NULL, 0, 3, 0x74736574u, 0);
    PVOID entry = ExAllocateFromNPagedLookasideList(&nonpaged);
    assert_non_null(entry); /* at least large enough for a link */
    ExFreeToNPagedLookasideList(&nonpaged, entry);
    ExDeleteNPagedLookasideList(
        &nonpaged); /* what it kept goes back to the pool: tiny_down looks */
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void interlocked_operations_say_what_was_before(void **state) {
    LONG bits[2] = {0, 0};
    LONG64 wide = 5;
    DECLSPEC_ALIGN(16) LONG64 pair[2] = {1, 2};
    LONG64 expected[2] = {1, 3};
    ULONG index = 99;
    (void)state;
    assert_false(InterlockedBitTestAndSet(bits, 33));
    assert_true(InterlockedBitTestAndReset(bits, 33));
    assert_int_equal(bits[1], 0);
    assert_int_equal(InterlockedOr64(&wide, 2), 5);
    assert_int_equal(InterlockedAdd64(&wide, 1), 8);
    assert_false(InterlockedCompareExchange128(pair, 9, 8, expected));
    assert_int_equal(expected[1], 2); /* what it is */
    assert_true(InterlockedCompareExchange128(pair, 9, 8, expected));
    assert_int_equal(pair[0], 8);
    assert_int_equal(pair[1], 9);
    assert_false(BitScanForward(&index, 0));
    assert_int_equal(index, 99);
    assert_true(BitScanReverse64(&index, 1ull << 40 | 1));
    assert_int_equal(index, 40);
    WriteRelease(&bits[0], 7);
    assert_int_equal(ReadAcquire(&bits[0]), 7);
    assert_int_equal(RtlUlongByteSwap(0x11223344), 0x44332211);
    ULONG64 high;
    assert_int_equal(UnsignedMultiply128(1ull << 63, 6, &high), 0);
    assert_int_equal(high, 3);
}

#define LOCK_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        LOCK_TEST(a_resource_is_shared_or_has_one_owner_who_may_acquire_it_again),
        LOCK_TEST(a_push_lock_has_one_owner_among_threads),
        LOCK_TEST(spin_locks_of_readers_and_writers_raise_and_are_checked),
        LOCK_TEST(a_queued_spin_lock_gives_the_level_back),
        LOCK_TEST(rundown_waits_for_the_uses_and_gives_none_afterwards),
        LOCK_TEST(a_remove_lock_is_not_acquired_once_it_is_removed),
        LOCK_TEST(a_sequenced_list_gives_the_last_one_first),
        LOCK_TEST(a_lookaside_list_keeps_nothing_that_was_freed),
        LOCK_TEST(interlocked_operations_say_what_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
