/* system_test.c - work items, callback objects, processors, and functions with nothing behind them. */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct {
    KEVENT done;
    KIRQL irql;
    uint32_t order[8], count;
} work;

struct numbered {
    WORK_QUEUE_ITEM item;
    uint32_t number;
};

static VOID NTAPI note(PVOID parameter) {
    struct numbered *item = parameter;
    work.irql = KeGetCurrentIrql();
    work.order[work.count++] = item->number;
    if (item->number == 3)
        KeSetEvent(&work.done, 0, FALSE);
}

static void work_queued_by_a_dpc_runs_at_passive_level_in_its_order(void **state) {
    struct numbered items[4];
    KIRQL old;
    (void)state;
    work.count = 0;
    KeInitializeEvent(&work.done, NotificationEvent, FALSE);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    for (uint32_t i = 0; i < 4; i++) {
        items[i].number = i;
        ExInitializeWorkItem(&items[i].item, note, &items[i]);
        ExQueueWorkItem(&items[i].item, DelayedWorkQueue);
    }
    KeLowerIrql(old);
    assert_int_equal(KeWaitForSingleObject(&work.done, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(work.irql, PASSIVE_LEVEL);
    assert_int_equal(work.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(work.order[i], i);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static VOID NTAPI free_itself(PVOID object, PVOID context, PIO_WORKITEM item) {
    assert_ptr_equal(object, &work);
    IoFreeWorkItem(item);
    KeSetEvent(context, 0, FALSE);
}

static void a_work_item_may_free_itself(void **state) {
    KEVENT event;
    (void)state;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    PIO_WORKITEM item = IoAllocateWorkItem((PDEVICE_OBJECT)(PVOID)&work);
    IoQueueWorkItemEx(item, free_itself, DelayedWorkQueue, &event);
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void a_work_item_that_is_not_freed_is_left_behind(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *alone = tiny_up(&config);
    (void)state;
    assert_non_null(IoAllocateWorkItem(NULL));
    assert_false(tiny_down(alone, &error));
    assert_non_null(strstr(error.text, "1 work items"));
}

static uint32_t called;

static VOID NTAPI callback(PVOID context, PVOID one, PVOID two) {
    assert_ptr_equal(one, &called);
    assert_null(two);
    called = called * 10 + (uint32_t)(uintptr_t)context;
}

static NTSTATUS open_callback(PCALLBACK_OBJECT *object, const WCHAR *name, BOOLEAN create,
                              BOOLEAN many) {
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES attributes;
    RtlInitUnicodeString(&text, name);
    InitializeObjectAttributes(&attributes, &text, OBJ_CASE_INSENSITIVE | OBJ_PERMANENT, NULL,
                               NULL);
    return ExCreateCallback(object, &attributes, create, many);
}

static void callbacks_are_called_in_the_order_of_registration(void **state) {
    PCALLBACK_OBJECT object, again, single;
    (void)state;
    assert_int_equal(open_callback(&object, u"\\Callback\\Mine", FALSE, TRUE),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(open_callback(&object, u"", TRUE, TRUE), STATUS_UNSUCCESSFUL);
    assert_int_equal(open_callback(&object, u"\\Callback\\Mine", TRUE, TRUE), STATUS_SUCCESS);
    assert_int_equal(open_callback(&again, u"\\CALLBACK\\MINE", FALSE, FALSE), STATUS_SUCCESS);
    assert_ptr_equal(object, again);
    PVOID first = ExRegisterCallback(object, callback, (PVOID)1);
    PVOID second = ExRegisterCallback(object, callback, (PVOID)2);
    ExNotifyCallback(object, &called, NULL);
    assert_int_equal(called, 12);
    ExUnregisterCallback(first);
    ExNotifyCallback(object, &called, NULL);
    assert_int_equal(called, 122);
    ExUnregisterCallback(second);
    assert_int_equal(open_callback(&single, u"\\Callback\\One", TRUE, FALSE), STATUS_SUCCESS);
    first = ExRegisterCallback(single, callback, (PVOID)1);
    assert_null(ExRegisterCallback(single, callback, (PVOID)2));
    ExUnregisterCallback(first);
    /* The system's are there without being made. */
    assert_int_equal(open_callback(&object, u"\\Callback\\PowerState", FALSE, TRUE),
                     STATUS_SUCCESS);
}

static void in_virtual_time_there_is_one_processor(void **state) {
    PROCESSOR_NUMBER number;
    KAFFINITY mask = 0;
    KDPC dpc;
    (void)state;
    KeInitializeDpc(&dpc, NULL, NULL);
    assert_int_equal(KeQueryActiveProcessorCount(&mask), 1);
    assert_int_equal(mask, 1);
    assert_int_equal(KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS), 1);
    assert_int_equal(KeQueryActiveProcessorCountEx(1), 0); /* no such group */
    assert_int_equal(KeGetCurrentProcessorNumberEx(&number), 0);
    assert_int_equal(KeGetProcessorNumberFromIndex(1, &number), STATUS_INVALID_PARAMETER);
    number = (PROCESSOR_NUMBER){.Number = 5};
    assert_int_equal(KeSetTargetProcessorDpcEx(&dpc, &number), STATUS_INVALID_PARAMETER);
    KeSetImportanceDpc(&dpc, HighImportance);
    KeSetTargetProcessorDpc(&dpc, 0);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    KeSetTargetProcessorDpc(&dpc, 3);
    assert_true(tiny_violated(tiny_host, "no processor 3"));
    assert_true(ExIsProcessorFeaturePresent(10));
    assert_false(ExIsProcessorFeaturePresent(1000));
}

static void what_is_not_there_says_so(void **state) {
    PEPROCESS process;
    REGHANDLE handle = 0;
    UNICODE_STRING name = {0, 0, NULL};
    PVOID setting = NULL;
    GUID guid = {0};
    (void)state;
    assert_null(MmAllocateMappingAddress(4096, 0x74736574u));
    assert_int_equal(IoCreateSymbolicLink(&name, &name), STATUS_NOT_SUPPORTED);
    assert_int_equal(PsLookupProcessByProcessId(PsGetCurrentProcessId(), &process), STATUS_SUCCESS);
    assert_ptr_equal(process, PsGetCurrentProcess());
    assert_int_equal(PsLookupProcessByProcessId((HANDLE)12, &process), STATUS_INVALID_PARAMETER);
    assert_int_equal(EtwRegister(&guid, NULL, NULL, &handle), STATUS_SUCCESS);
    assert_false(EtwProviderEnabled(handle, 0, 0));
    assert_int_equal(EtwUnregister(handle), STATUS_SUCCESS);
    assert_int_equal(PoRegisterPowerSettingCallback(NULL, &guid, NULL, NULL, &setting),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    IoFreeIrp(NULL);
    assert_true(tiny_violated(tiny_host, "IoFreeIrp"));
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_int_equal(IoCreateSymbolicLink(&name, &name), STATUS_UNSUCCESSFUL);
    KeLowerIrql(old);
    assert_true(tiny_violated(tiny_host, "IoCreateSymbolicLink"));
}

#define SYSTEM_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        SYSTEM_TEST(work_queued_by_a_dpc_runs_at_passive_level_in_its_order),
        SYSTEM_TEST(a_work_item_may_free_itself),
        cmocka_unit_test(a_work_item_that_is_not_freed_is_left_behind),
        SYSTEM_TEST(callbacks_are_called_in_the_order_of_registration),
        SYSTEM_TEST(in_virtual_time_there_is_one_processor),
        SYSTEM_TEST(what_is_not_there_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
