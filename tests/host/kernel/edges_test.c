/*
 * edges_test.c - processors, priorities, locks of the executive by their other names, remove locks,
 * work items of a device, references, registers and debugging aids, at the edges of their pages.
 */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* ---- Processors ---------------------------------------------------------------------------------------- */

static ULONG_PTR NTAPI broadcast(ULONG_PTR argument) {
    return argument + 1;
}

static void one_processor_answers_alike_by_every_name(void **state) {
    GROUP_AFFINITY group = {.Mask = 77};
    XSTATE_SAVE extended;
    KFLOATING_SAVE floating;
    USHORT count = 77;
    (void)state;
    assert_int_equal(KeQueryActiveProcessors(), 1);
    assert_int_equal(KeQueryMaximumProcessorCount(), 1);
    assert_int_equal(KeQueryMaximumProcessorCountEx(0), 1);
    assert_int_equal(KeQueryMaximumProcessorCountEx(7), 0);
    assert_int_equal(KeGetCurrentProcessorIndex(), 0);
    assert_int_equal(KeGetCurrentProcessorNumber(), 0);
    KeQueryNodeActiveAffinity(0, &group, &count);
    assert_int_equal(group.Mask, 1);
    assert_int_equal(count, 1);
    KeQueryNodeActiveAffinity(1, &group, &count);
    assert_int_equal(group.Mask, 0);
    assert_int_equal(count, 0);
    assert_int_equal(KeIpiGenericCall(broadcast, 4), 5);
    assert_int_equal(KeSaveExtendedProcessorState(XSTATE_MASK_LEGACY, &extended), STATUS_SUCCESS);
    KeRestoreExtendedProcessorState(&extended);
    assert_int_equal(KeSaveFloatingPointState(&floating), STATUS_SUCCESS);
    assert_int_equal(KeRestoreFloatingPointState(&floating), STATUS_SUCCESS);
    assert_true(KeInvalidateAllCaches());
    assert_true(ExIsProcessorFeaturePresent(PF_XMMI64_INSTRUCTIONS_AVAILABLE));
    assert_false(ExIsProcessorFeaturePresent(PF_FLOATING_POINT_EMULATED));
    assert_false(ExIsProcessorFeaturePresent(64));
    KeSetSystemAffinityThread(1);
    KeRevertToUserAffinityThread();
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    KeSetSystemAffinityThread(6);
    assert_true(tiny_violated(tiny_host, "names no processor"));
}

static void a_thread_is_the_systems_and_of_normal_priority(void **state) {
    PKTHREAD self = KeGetCurrentThread();
    (void)state;
    assert_ptr_equal(PsGetCurrentThread(), self);
    assert_true(PsIsSystemThread(self));
    assert_non_null(PsGetCurrentThreadId());
    assert_int_equal(KeQueryPriorityThread(self), 8);
    assert_int_equal(KeSetPriorityThread(self, LOW_REALTIME_PRIORITY), 8);
    assert_int_equal(KeSetBasePriorityThread(self, 1), 0);
    assert_ptr_equal(IoGetCurrentProcess(), PsGetCurrentProcess());
    assert_int_equal(ExGetPreviousMode(), KernelMode);
    assert_false(IoIs32bitProcess(NULL));
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

/* ---- IRQL and spin locks -------------------------------------------------------------------------------- */

static void a_lock_raises_and_a_try_takes_what_is_free(void **state) {
    KSPIN_LOCK lock;
    EX_SPIN_LOCK shared = 0;
    (void)state;
    KeInitializeSpinLock(&lock);
    assert_int_equal(KfRaiseIrql(APC_LEVEL), PASSIVE_LEVEL);
    assert_int_equal(KeRaiseIrqlToDpcLevel(), APC_LEVEL);
    assert_true(KeTryToAcquireSpinLockAtDpcLevel(&lock));
    assert_false(KeTryToAcquireSpinLockAtDpcLevel(&lock));
    KeReleaseSpinLockFromDpcLevel(&lock);
    ExAcquireSpinLockExclusiveAtDpcLevel(&shared);
    ExReleaseSpinLockExclusiveFromDpcLevel(&shared);
    KeLowerIrql(PASSIVE_LEVEL);
    assert_int_equal(KeAcquireSpinLockRaiseToDpc(&lock), PASSIVE_LEVEL);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeReleaseSpinLock(&lock, PASSIVE_LEVEL);
    KIRQL old = ExAcquireSpinLockExclusive(&shared);
    assert_int_equal(old, PASSIVE_LEVEL);
    ExReleaseSpinLockExclusive(&shared, old);
    old = ExAcquireSpinLockShared(&shared);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    ExReleaseSpinLockShared(&shared, old);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

/* ---- Locks of the executive ------------------------------------------------------------------------------- */

static void a_resource_by_its_other_names(void **state) {
    ERESOURCE resource;
    (void)state;
    ExInitializeResourceLite(&resource);
    ExEnterCriticalRegionAndAcquireResourceExclusive(&resource);
    assert_true(KeAreApcsDisabled());
    assert_int_equal(ExIsResourceAcquiredLite(&resource), 1);
    ExReleaseResourceAndLeaveCriticalRegion(&resource);
    assert_false(KeAreApcsDisabled());
    assert_int_equal(ExIsResourceAcquiredLite(&resource), 0);
    ExEnterCriticalRegionAndAcquireResourceShared(&resource);
    assert_true(ExAcquireSharedStarveExclusive(&resource, FALSE));
    assert_true(ExAcquireSharedWaitForExclusive(&resource, FALSE));
    assert_int_equal(ExIsResourceAcquiredSharedLite(&resource), 3);
    ExReleaseResourceForThreadLite(&resource, ExGetCurrentResourceThread());
    ExReleaseResourceLite(&resource);
    ExReleaseResourceAndLeaveCriticalRegion(&resource);
    assert_int_equal(ExReinitializeResourceLite(&resource), STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    ExReleaseResourceForThreadLite(&resource, 1);
    assert_true(tiny_violated(tiny_host, "does not own"));
    ExDeleteResourceLite(&resource);
}

static ERESOURCE contended;

static VOID NTAPI wait_for_exclusive(PVOID context) {
    (void)context;
    KeEnterCriticalRegion();
    ExAcquireResourceExclusiveLite(&contended, TRUE);
    ExReleaseResourceLite(&contended);
    KeLeaveCriticalRegion();
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static struct { BOOLEAN plain, starve, behind; } tried;

static VOID NTAPI try_shared(PVOID context) {
    (void)context;
    KeEnterCriticalRegion();
    tried.plain = ExAcquireResourceSharedLite(&contended, FALSE);
    tried.behind = ExAcquireSharedWaitForExclusive(&contended, FALSE);
    tried.starve = ExAcquireSharedStarveExclusive(&contended, FALSE);
    if (tried.starve)
        ExReleaseResourceLite(&contended);
    KeLeaveCriticalRegion();
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static HANDLE run_thread(PKSTART_ROUTINE routine) {
    LARGE_INTEGER soon = {.QuadPart = -10000};
    HANDLE thread;
    assert_int_equal(
        PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, routine, NULL),
        STATUS_SUCCESS);
    KeDelayExecutionThread(KernelMode, FALSE, &soon);
    return thread;
}

static void only_starving_passes_a_thread_that_waits_to_own(void **state) {
    (void)state;
    ExInitializeResourceLite(&contended);
    KeEnterCriticalRegion();
    assert_true(ExAcquireResourceSharedLite(&contended, TRUE));
    HANDLE owner = run_thread(wait_for_exclusive), reader = run_thread(try_shared);
    assert_false(tried.plain || tried.behind);
    assert_true(tried.starve);
    /* The thread shares it: once more is no question, unless it yields. */
    assert_true(ExAcquireResourceSharedLite(&contended, FALSE));
    assert_false(ExAcquireSharedWaitForExclusive(&contended, FALSE));
    ExReleaseResourceLite(&contended);
    ExReleaseResourceLite(&contended);
    HANDLE threads[] = {owner, reader};
    for (size_t i = 0; i < 2; i++) {
        ZwWaitForSingleObject(threads[i], FALSE, NULL);
        ZwClose(threads[i]);
    }
    KeLeaveCriticalRegion();
    ExDeleteResourceLite(&contended);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void a_push_lock_knows_how_it_is_held(void **state) {
    EX_PUSH_LOCK lock;
    (void)state;
    ExInitializePushLock(&lock);
    KeEnterCriticalRegion();
    ExAcquirePushLockExclusiveEx(&lock, EX_DEFAULT_PUSH_LOCK_FLAGS);
    ExReleasePushLockExclusiveEx(&lock, EX_DEFAULT_PUSH_LOCK_FLAGS);
    ExAcquirePushLockSharedEx(&lock, EX_DEFAULT_PUSH_LOCK_FLAGS);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    ExReleasePushLockExclusiveEx(&lock, EX_DEFAULT_PUSH_LOCK_FLAGS);
    assert_true(tiny_violated(tiny_host, "not held exclusively"));
    ExReleasePushLockSharedEx(&lock, EX_DEFAULT_PUSH_LOCK_FLAGS);
    ExReleasePushLockSharedEx(&lock, EX_DEFAULT_PUSH_LOCK_FLAGS);
    assert_true(tiny_violated(tiny_host, "not held shared"));
    KeLeaveCriticalRegion();
    ExAcquirePushLockShared(&lock);
    assert_true(tiny_violated(tiny_host, "ExAcquirePushLockShared where APCs are not disabled"));
    ExReleasePushLockShared(&lock);
}

static void a_removed_lock_gives_no_access(void **state) {
    IO_REMOVE_LOCK lock;
    (void)state;
    IoInitializeRemoveLockEx(&lock, 0, 0, 0, sizeof(lock));
    assert_int_equal(IoAcquireRemoveLockEx(&lock, &lock, "", 1, sizeof(lock)), STATUS_SUCCESS);
    assert_int_equal(IoAcquireRemoveLockEx(&lock, NULL, "", 1, sizeof(lock)), STATUS_SUCCESS);
    IoReleaseRemoveLockEx(&lock, NULL, sizeof(lock));
    IoReleaseRemoveLockAndWaitEx(&lock, &lock, sizeof(lock));
    assert_int_equal(IoAcquireRemoveLockEx(&lock, NULL, "", 1, sizeof(lock)),
                     STATUS_DELETE_PENDING);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

/* ---- Work items of a device --------------------------------------------------------------------------------- */

static VOID NTAPI work_done(PDEVICE_OBJECT device, PVOID context) {
    assert_null(device);
    KeSetEvent(context, 0, FALSE);
}

static void a_work_item_in_the_drivers_memory_runs(void **state) {
    KEVENT event;
    (void)state;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    PIO_WORKITEM item = ExAllocatePoolWithTag(NonPagedPoolNx, IoSizeofWorkItem(), 0x74736574u);
    IoInitializeWorkItem(NULL, item);
    IoQueueWorkItem(item, work_done, DelayedWorkQueue, &event);
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    IoUninitializeWorkItem(item);
    ExFreePool(item);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

/* ---- References --------------------------------------------------------------------------------------------- */

static VOID NTAPI thread_body(PVOID context) {
    (void)context;
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void references_are_counted_by_every_name(void **state) {
    HANDLE handle;
    PVOID thread;
    (void)state;
    assert_int_equal(
        PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, thread_body, NULL),
        STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByHandleWithTag(handle, THREAD_ALL_ACCESS, NULL, KernelMode,
                                                      1, &thread, NULL),
                     STATUS_SUCCESS);
    LONG_PTR count = ObfReferenceObject(thread);
    assert_int_equal(ObReferenceObjectWithTag(thread, 1), count + 1);
    assert_int_equal(ObDereferenceObjectWithTag(thread, 1), count);
    assert_int_equal(ObfDereferenceObject(thread), count - 1);
    KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(thread);
    ZwClose(handle);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void a_threaded_dpc_runs_like_any(void **state) {
    KDPC dpc;
    (void)state;
    KeInitializeThreadedDpc(&dpc, NULL, NULL);
    assert_false(KeRemoveQueueDpc(&dpc));
    KBUGCHECK_REASON_CALLBACK_RECORD record;
    KeInitializeCallbackRecord(&record);
    assert_true(KeRegisterBugCheckReasonCallback(&record, NULL, KbCallbackDumpIo, NULL));
    assert_false(KeRegisterBugCheckReasonCallback(&record, NULL, KbCallbackDumpIo, NULL));
    assert_true(KeDeregisterBugCheckReasonCallback(&record));
    assert_false(KeDeregisterBugCheckReasonCallback(&record));
}

/* ---- Time and versions --------------------------------------------------------------------------------------- */

static void local_time_is_utc(void **state) {
    LARGE_INTEGER time = {.QuadPart = 12345}, other = {.QuadPart = 0};
    ULONGLONG mask = 0;
    (void)state;
    ExSystemTimeToLocalTime(&time, &other);
    assert_int_equal(other.QuadPart, 12345);
    ExLocalTimeToSystemTime(&other, &time);
    assert_int_equal(time.QuadPart, 12345);
    mask = VerSetConditionMask(mask, VER_MAJORVERSION, VER_GREATER_EQUAL);
    assert_int_equal(mask, (ULONGLONG)VER_GREATER_EQUAL << 3);
    assert_true(KdRefreshDebuggerNotPresent());
}

static void names_of_the_system_are_found(void **state) {
    UNICODE_STRING good, none, service;
    (void)state;
    RtlInitUnicodeString(&good, u"KeSetEvent");
    RtlInitUnicodeString(&none, u"KeNoSuchFunction");
    RtlInitUnicodeString(&service,
                         u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\None");
    assert_non_null(MmGetSystemRoutineAddress(&good));
    assert_null(MmGetSystemRoutineAddress(&none));
    assert_int_equal(ZwLoadDriver(&service), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwUnloadDriver(&service), STATUS_INVALID_DEVICE_REQUEST);
    PFILE_OBJECT file;
    PDEVICE_OBJECT device;
    assert_int_equal(IoGetDeviceObjectPointer(&service, 0, &file, &device),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_null(device);
}

#define EDGES_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        EDGES_TEST(one_processor_answers_alike_by_every_name),
        EDGES_TEST(a_thread_is_the_systems_and_of_normal_priority),
        EDGES_TEST(a_lock_raises_and_a_try_takes_what_is_free),
        EDGES_TEST(a_resource_by_its_other_names),
        EDGES_TEST(only_starving_passes_a_thread_that_waits_to_own),
        EDGES_TEST(a_push_lock_knows_how_it_is_held),
        EDGES_TEST(a_removed_lock_gives_no_access),
        EDGES_TEST(a_work_item_in_the_drivers_memory_runs),
        EDGES_TEST(references_are_counted_by_every_name),
        EDGES_TEST(a_threaded_dpc_runs_like_any),
        EDGES_TEST(local_time_is_utc),
        EDGES_TEST(names_of_the_system_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
