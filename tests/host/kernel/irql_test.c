/*
 * irql_test.c - functions of each kind at the highest IRQL of their pages, where nothing is said, and at
 * the next one, which is a violation. scripts/kernel-irql.py compares all pages with the host's sources.
 */
#include "fixture/tiny.h"

#include <ntddk.h>
#include <ntstrsafe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static KEVENT event;
static KSEMAPHORE semaphore;
static KMUTEX mutex;
static KTIMER timer;
static FAST_MUTEX fast;
static ERESOURCE resource;
static EX_RUNDOWN_REF rundown;
static SLIST_HEADER slist;
static UNICODE_STRING name;
static WNODE_HEADER wnode;
static WCHAR wide[8];
static CHAR narrow[8];
static ULONG number;

#define CALL(function, ...)                                                                        \
    static void call_##function(void) {                                                            \
        __VA_ARGS__;                                                                               \
    }

CALL(ExIsProcessorFeaturePresent, (void)ExIsProcessorFeaturePresent(3))
CALL(KeInitializeSemaphore, KeInitializeSemaphore(&semaphore, 0, 1))
CALL(KeSetPriorityThread, KeSetPriorityThread(KeGetCurrentThread(), 8))
CALL(KeQueryPriorityThread, KeQueryPriorityThread(KeGetCurrentThread()))
CALL(KeSetBasePriorityThread, KeSetBasePriorityThread(KeGetCurrentThread(), 1))
CALL(PsGetVersion, (void)PsGetVersion(NULL, NULL, NULL, NULL))
CALL(RtlEqualUnicodeString, (void)RtlEqualUnicodeString(&name, &name, TRUE))
CALL(RtlPrefixUnicodeString, (void)RtlPrefixUnicodeString(&name, &name, TRUE))
CALL(RtlInt64ToUnicodeString, RtlInt64ToUnicodeString(1, 10, &name))
CALL(RtlCharToInteger, RtlCharToInteger("1", 10, &number))
CALL(RtlDowncaseUnicodeChar, (void)RtlDowncaseUnicodeChar('A'))
CALL(RtlIsNtDdiVersionAvailable, (void)RtlIsNtDdiVersionAvailable(0x0a000000))
CALL(RtlStringCbCopyA, RtlStringCbCopyA(narrow, sizeof(narrow), "a"))
CALL(RtlStringCchVPrintfW, RtlStringCchPrintfW(wide, 8, u"%u", 1))
CALL(RtlStringCchLengthW, RtlStringCchLengthW(wide, 8, NULL))
CALL(RtlUnicodeStringInit, UNICODE_STRING text; RtlUnicodeStringInit(&text, u"n"))
CALL(RtlUnicodeStringCopyEx, RtlUnicodeStringCopy(&name, &name))
CALL(IoDisconnectInterrupt, IoDisconnectInterrupt(NULL))

CALL(ExDeleteResourceLite, ExDeleteResourceLite(&resource))
CALL(ExInitializeRundownProtection, ExInitializeRundownProtection(&rundown))
CALL(ExRundownCompleted, ExRundownCompleted(&rundown))
CALL(KeInitializeGuardedMutex, KeInitializeGuardedMutex(&fast))
CALL(KeStackAttachProcess, KAPC_STATE state; KeStackAttachProcess(PsGetCurrentProcess(), &state))
CALL(MmLockPagableDataSection, MmLockPagableDataSection(&number))
CALL(MmUnlockPagableImageSection, MmUnlockPagableImageSection(&number))
CALL(MmPageEntireDriver, MmPageEntireDriver(&number))
CALL(RtlFreeUnicodeString, UNICODE_STRING none = {0}; RtlFreeUnicodeString(&none))
CALL(RtlRandomEx, RtlRandomEx(&number))
CALL(RtlUpperChar, (void)RtlUpperChar('a'))
CALL(RtlUpcaseUnicodeChar, (void)RtlUpcaseUnicodeChar('a'))
CALL(RtlMultiByteToUnicodeSize, RtlMultiByteToUnicodeSize(&number, "a", 1))
CALL(IoGetInitialStack, (void)IoGetInitialStack())
CALL(PoSetPowerState, POWER_STATE d3 = {.DeviceState = PowerDeviceD3};
     PoSetPowerState(NULL, DevicePowerState, d3))
CALL(IoWMIWriteEvent, wnode.Flags = 0; IoWMIWriteEvent(&wnode))

CALL(KeClearEvent, KeClearEvent(&event))
CALL(KeReadStateEvent, (void)KeReadStateEvent(&event))
CALL(KePulseEvent, KePulseEvent(&event, 0, TRUE))
CALL(KeReadStateMutex, (void)KeReadStateMutex(&mutex))
CALL(KeReadStateTimer, (void)KeReadStateTimer(&timer))
CALL(ExInitializeFastMutex, ExInitializeFastMutex(&fast))
CALL(ExQueryDepthSList, (void)ExQueryDepthSList(&slist))
CALL(ExIsResourceAcquiredExclusiveLite, (void)ExIsResourceAcquiredExclusiveLite(&resource))
CALL(ObReferenceObject, ObReferenceObject(KeGetCurrentThread()))
CALL(MmIsAddressValid, (void)MmIsAddressValid(&number))
CALL(KeAreApcsDisabled, (void)KeAreApcsDisabled())
CALL(KeInvalidateAllCaches, (void)KeInvalidateAllCaches())
CALL(IoIs32bitProcess, (void)IoIs32bitProcess(NULL))
CALL(IoCallDriver, IoCallDriver(NULL, NULL))
CALL(RtlInitializeGenericTableAvl, RTL_AVL_TABLE table;
     RtlInitializeGenericTableAvl(&table, NULL, NULL, NULL, NULL))

CALL(DbgPrint, DbgPrint("%s %hS %d\n", "a", "b", 1))

#define AT(level, function)                                                                        \
    { #function, level, call_##function }
static const struct {
    const char *name;
    KIRQL highest;
    void (*call)(void);
} functions[] = {
    AT(PASSIVE_LEVEL, ExIsProcessorFeaturePresent),
    AT(PASSIVE_LEVEL, KeInitializeSemaphore),
    AT(PASSIVE_LEVEL, KeSetPriorityThread),
    AT(PASSIVE_LEVEL, KeQueryPriorityThread),
    AT(PASSIVE_LEVEL, KeSetBasePriorityThread),
    AT(PASSIVE_LEVEL, PsGetVersion),
    AT(PASSIVE_LEVEL, RtlEqualUnicodeString),
    AT(PASSIVE_LEVEL, RtlPrefixUnicodeString),
    AT(PASSIVE_LEVEL, RtlInt64ToUnicodeString),
    AT(PASSIVE_LEVEL, RtlCharToInteger),
    AT(PASSIVE_LEVEL, RtlDowncaseUnicodeChar),
    AT(PASSIVE_LEVEL, RtlIsNtDdiVersionAvailable),
    AT(PASSIVE_LEVEL, RtlStringCbCopyA),
    AT(PASSIVE_LEVEL, RtlStringCchVPrintfW),
    AT(PASSIVE_LEVEL, RtlStringCchLengthW),
    AT(PASSIVE_LEVEL, RtlUnicodeStringInit),
    AT(PASSIVE_LEVEL, RtlUnicodeStringCopyEx),
    AT(PASSIVE_LEVEL, IoDisconnectInterrupt),
    AT(APC_LEVEL, ExDeleteResourceLite),
    AT(APC_LEVEL, ExInitializeRundownProtection),
    AT(APC_LEVEL, ExRundownCompleted),
    AT(APC_LEVEL, KeInitializeGuardedMutex),
    AT(APC_LEVEL, KeStackAttachProcess),
    AT(APC_LEVEL, MmLockPagableDataSection),
    AT(APC_LEVEL, MmUnlockPagableImageSection),
    AT(APC_LEVEL, MmPageEntireDriver),
    AT(APC_LEVEL, RtlFreeUnicodeString),
    AT(APC_LEVEL, RtlRandomEx),
    AT(APC_LEVEL, RtlUpperChar),
    AT(APC_LEVEL, RtlUpcaseUnicodeChar),
    AT(APC_LEVEL, RtlMultiByteToUnicodeSize),
    AT(APC_LEVEL, IoGetInitialStack),
    AT(APC_LEVEL, PoSetPowerState),
    AT(APC_LEVEL, IoWMIWriteEvent),
    AT(DISPATCH_LEVEL, KeClearEvent),
    AT(DISPATCH_LEVEL, KeReadStateEvent),
    AT(DISPATCH_LEVEL, KePulseEvent),
    AT(DISPATCH_LEVEL, KeReadStateMutex),
    AT(DISPATCH_LEVEL, KeReadStateTimer),
    AT(DISPATCH_LEVEL, ExInitializeFastMutex),
    AT(DISPATCH_LEVEL, ExQueryDepthSList),
    AT(DISPATCH_LEVEL, ExIsResourceAcquiredExclusiveLite),
    AT(DISPATCH_LEVEL, ObReferenceObject),
    AT(DISPATCH_LEVEL, MmIsAddressValid),
    AT(DISPATCH_LEVEL, KeAreApcsDisabled),
    AT(DISPATCH_LEVEL, KeInvalidateAllCaches),
    AT(DISPATCH_LEVEL, IoIs32bitProcess),
    AT(DISPATCH_LEVEL, IoCallDriver),
    AT(DISPATCH_LEVEL, RtlInitializeGenericTableAvl),
    AT(CLOCK_LEVEL - 1, DbgPrint),
};

/* The host's sentence about a call at `level`: is it said? */
static bool told(const char *function, KIRQL level) {
    char text[128];
    snprintf(text, sizeof(text), "%s was called at IRQL %u; it may be called at IRQL", function,
             level);
    return tiny_violated(tiny_host, text);
}

static void call_at(void (*call)(void), KIRQL level) {
    KIRQL old;
    KeRaiseIrql(level, &old);
    call();
    KeLowerIrql(old);
}

static void objects_set_up(void) {
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeInitializeMutex(&mutex, 0);
    KeInitializeTimer(&timer);
    ExInitializeResourceLite(&resource);
    InitializeSListHead(&slist);
    name = (UNICODE_STRING){.Length = 0, .MaximumLength = sizeof(wide), .Buffer = wide};
}

static void a_function_may_be_called_up_to_the_level_of_its_page(void **state) {
    (void)state;
    objects_set_up();
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        call_at(functions[i].call, functions[i].highest);
        if (told(functions[i].name, functions[i].highest))
            fail_msg("%s at IRQL %u", functions[i].name, functions[i].highest);
        call_at(functions[i].call, (KIRQL)(functions[i].highest + 1));
        if (!told(functions[i].name, (KIRQL)(functions[i].highest + 1)))
            fail_msg("%s at IRQL %u is no violation", functions[i].name, functions[i].highest + 1);
    }
}

static void arguments_may_lower_the_level(void **state) {
    POWER_STATE d0 = {.DeviceState = PowerDeviceD0};
    UNICODE_STRING text = RTL_CONSTANT_STRING(u"text");
    KIRQL old;
    (void)state;
    objects_set_up();
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    PoSetPowerState(NULL, DevicePowerState, d0);
    wnode.Flags = WNODE_FLAG_TRACED_GUID;
    IoWMIWriteEvent(&wnode);
    DbgPrint("%d%% %-5s %08x\n", 1, "a", 2);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    KeSetEvent(&event, 0, TRUE);
    assert_true(told("KeSetEvent", DISPATCH_LEVEL));
    DbgPrint("%d %wZ\n", 1, &text);
    assert_true(told("DbgPrint with characters of Unicode", DISPATCH_LEVEL));
    KeLowerIrql(old);
    DbgPrint("%wZ %S %lc\n", &text, u"a", 'b');
    assert_int_equal(vidmm_host_violations(tiny_host), 2);
    ExDeleteResourceLite(&resource);
}

/* nf-wdm-kesetevent.md: what is promised with Wait is a wait at once, which brings the IRQL back. */
static void a_promised_wait_keeps_the_irql_raised_until_it_comes(void **state) {
    LARGE_INTEGER moment = {.QuadPart = -1};
    (void)state;
    objects_set_up();
    KeSetEvent(&event, 0, TRUE);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    KeReleaseSemaphore(&semaphore, 0, 1, TRUE);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    KeDelayExecutionThread(KernelMode, FALSE, &moment); /* is none of the waits that are meant */
    assert_true(told("KeDelayExecutionThread", DISPATCH_LEVEL));
    KeLowerIrql(PASSIVE_LEVEL);
    ExDeleteResourceLite(&resource);
}

static void what_holds_a_spin_lock_is_called_at_dispatch_level(void **state) {
    KSPIN_LOCK lock;
    KIRQL old, higher;
    (void)state;
    KeInitializeSpinLock(&lock);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeAcquireSpinLockAtDpcLevel(&lock);
    KeReleaseSpinLockFromDpcLevel(&lock);
    KeLowerIrql(old);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    KeAcquireSpinLockAtDpcLevel(&lock);
    assert_true(told("KeAcquireSpinLockAtDpcLevel", PASSIVE_LEVEL));
    KeReleaseSpinLockFromDpcLevel(&lock);
    assert_true(told("KeReleaseSpinLockFromDpcLevel", PASSIVE_LEVEL));
    KeAcquireSpinLock(&lock, &old);
    KeRaiseIrql(DISPATCH_LEVEL + 1, &higher);
    KeReleaseSpinLock(&lock, old);
    assert_true(told("KeReleaseSpinLock", DISPATCH_LEVEL + 1));
}

#define IRQL_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IRQL_TEST(a_function_may_be_called_up_to_the_level_of_its_page),
        IRQL_TEST(arguments_may_lower_the_level),
        IRQL_TEST(a_promised_wait_keeps_the_irql_raised_until_it_comes),
        IRQL_TEST(what_holds_a_spin_lock_is_called_at_dispatch_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
