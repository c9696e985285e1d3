/* kernel_test.c - names of ntoskrnl that whole drivers use beside their memory code. */
#include "fixture/tiny.h"

#include <ntstrsafe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void equal_text(const WCHAR *text, const char *expected) {
    for (size_t i = 0; i <= strlen(expected); i++)
        assert_int_equal(text[i], (unsigned char)expected[i]);
}

static void safe_strings_are_cut_and_terminated(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    char narrow[8];
    WCHAR wide[32];
    SIZE_T length = 0;
    (void)state;
    assert_int_equal(RtlStringCbPrintfA(narrow, sizeof(narrow), "%u/%ws", 12u, u"ab"), 0);
    assert_string_equal(narrow, "12/ab");
    assert_int_equal(RtlStringCchPrintfA(narrow, 4, "%s", "abcdef"), STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "abc");
    /* In a wide format %s is wide and %S and %hs are not. */
    assert_int_equal(
        RtlStringCbPrintfW(wide, sizeof(wide), (PCWSTR)u"%s %S %hs %04x", u"w", "n", "h", 0x2au),
        STATUS_SUCCESS);
    equal_text(wide, "w n h 002a");
    assert_int_equal(RtlStringCchPrintfW(wide, 3, (PCWSTR)u"%d", 12345), STATUS_BUFFER_OVERFLOW);
    equal_text(wide, "12");
    assert_int_equal(RtlStringCbPrintfW(wide, 0, (PCWSTR)u"x"), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlStringCbCopyA(narrow, 3, "abcd"), STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "ab");
    assert_int_equal(RtlStringCbLengthW((PCWSTR)u"abc", 64, &length), STATUS_SUCCESS);
    assert_int_equal(length, 6);
    assert_true(tiny_down(host, &error));
}

static void counted_strings_are_made_of_others(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    ANSI_STRING narrow;
    UNICODE_STRING made;
    DECLARE_UNICODE_STRING_SIZE(text, 8);
    (void)state;
    RtlInitAnsiString(&narrow, "VGA");
    assert_int_equal(RtlAnsiStringToUnicodeString(&made, &narrow, TRUE), STATUS_SUCCESS);
    assert_int_equal(made.Length, 6);
    equal_text(made.Buffer, "VGA");
    RtlFreeUnicodeString(&made);
    assert_int_equal(RtlIntegerToUnicodeString(1050, 16, &text), STATUS_SUCCESS);
    equal_text(text.Buffer, "41A");
    assert_int_equal(RtlIntegerToUnicodeString(1u << 31, 2, &text), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(RtlIntegerToUnicodeString(1, 3, &text), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlUnicodeStringPrintf(&text, (PCWSTR)u"%ws%u", u"ab", 123456u),
                     STATUS_SUCCESS);
    assert_int_equal(text.Length, 16); /* all of the room: no terminator */
    assert_int_equal(RtlUnicodeStringPrintf(&text, (PCWSTR)u"%ws%u", u"abc", 123456u),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(READ_PORT_USHORT((PUSHORT)(uintptr_t)0x3c0), 0xffff);
    assert_true(tiny_violated(host, "port 0x3c0"));
    assert_true(tiny_down(host, &error));
}

static void a_wait_for_any_names_the_first_that_is_signalled(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    LARGE_INTEGER now = {.QuadPart = 0};
    KEVENT event[3];
    PVOID objects[3] = {&event[0], &event[1], &event[2]};
    (void)state;
    for (int i = 0; i < 3; i++)
        KeInitializeEvent(&event[i], SynchronizationEvent, FALSE);
    assert_int_equal(
        KeWaitForMultipleObjects(3, objects, WaitAny, Executive, KernelMode, FALSE, &now, NULL),
        STATUS_TIMEOUT);
    KeSetEvent(&event[1], 0, FALSE);
    KeSetEvent(&event[2], 0, FALSE);
    assert_int_equal(
        KeWaitForMultipleObjects(3, objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL),
        STATUS_WAIT_1);
    /* That one alone is taken. */
    assert_int_equal(KeReadStateEvent(&event[1]), 0);
    assert_int_equal(KeReadStateEvent(&event[2]), 1);
    assert_int_equal(
        KeWaitForMultipleObjects(4, objects, WaitAny, Executive, KernelMode, FALSE, &now, NULL),
        STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_host_violations(host), 1);
    assert_true(tiny_down(host, &error));
}

static void a_wait_for_all_takes_all_or_none(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    LARGE_INTEGER now = {.QuadPart = 0};
    KSEMAPHORE semaphore;
    KEVENT event;
    PVOID objects[2] = {&semaphore, &event};
    (void)state;
    KeInitializeSemaphore(&semaphore, 1, 4);
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    assert_int_equal(
        KeWaitForMultipleObjects(2, objects, WaitAll, Executive, KernelMode, FALSE, &now, NULL),
        STATUS_TIMEOUT);
    assert_int_equal(semaphore.Header.SignalState, 1);
    KeSetEvent(&event, 0, FALSE);
    assert_int_equal(
        KeWaitForMultipleObjects(2, objects, WaitAll, Executive, KernelMode, FALSE, &now, NULL),
        STATUS_SUCCESS);
    assert_int_equal(semaphore.Header.SignalState, 0);
    assert_int_equal(KeReadStateEvent(&event), 0);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

/* A worker in the manner of the samples: waits without an end for work or for the order to go. */
struct worker {
    KEVENT work, quit;
    LIST_ENTRY queue;
    KSPIN_LOCK lock;
    _Atomic int done;
};

static VOID NTAPI worker_thread(PVOID context) {
    struct worker *worker = context;
    PVOID objects[2] = {&worker->quit, &worker->work};
    while (KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, NULL,
                                    NULL) != STATUS_WAIT_0)
        while (ExInterlockedRemoveHeadList(&worker->queue, &worker->lock))
            worker->done++;
}

static void an_idle_worker_is_no_deadlock(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    struct worker worker = {.done = 0};
    LIST_ENTRY item[3];
    HANDLE thread;
    PVOID object;
    (void)state;
    KeInitializeEvent(&worker.work, SynchronizationEvent, FALSE);
    KeInitializeEvent(&worker.quit, SynchronizationEvent, FALSE);
    KeInitializeSpinLock(&worker.lock);
    InitializeListHead(&worker.queue);
    assert_int_equal(
        PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, worker_thread, &worker),
        STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByHandle(thread, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                                               &object, NULL),
                     STATUS_SUCCESS);
    ULONGLONG before = KeQueryInterruptTime();
    vidmm_host_run(host); /* nothing to do: time stands still, and that is no violation */
    assert_int_equal(KeQueryInterruptTime(), before);
    assert_null(ExInterlockedInsertTailList(&worker.queue, &item[0], &worker.lock));
    assert_ptr_equal(ExInterlockedInsertTailList(&worker.queue, &item[1], &worker.lock), &item[0]);
    assert_ptr_equal(ExInterlockedInsertHeadList(&worker.queue, &item[2], &worker.lock), &item[0]);
    KeSetEvent(&worker.work, 0, FALSE);
    vidmm_host_run(host);
    assert_int_equal(worker.done, 3);
    KeSetEvent(&worker.quit, 0, FALSE);
    KeWaitForSingleObject(object, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(object);
    ZwClose(thread);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static void keys_hold_the_settings(void **state) {
    struct vidmm_host_setting settings[] = {{"RenderOnly", 1}};
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    DECLARE_CONST_UNICODE_STRING(name, u"renderonly");
    DECLARE_CONST_UNICODE_STRING(absent, u"Render");
    union {
        KEY_VALUE_PARTIAL_INFORMATION info;
        unsigned char room[32];
    } value;
    ULONG length = 0, number = 0;
    HANDLE key;
    (void)state;
    config.settings = settings;
    config.setting_count = 1;
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(ZwOpenKey(&key, KEY_READ, NULL), STATUS_SUCCESS);
    PUNICODE_STRING wanted = (PUNICODE_STRING)(uintptr_t)&name;
    assert_int_equal(ZwQueryValueKey(key, wanted, KeyValuePartialInformation, &value, 12, &length),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(length, 16);
    assert_int_equal(
        ZwQueryValueKey(key, wanted, KeyValuePartialInformation, &value, sizeof(value), &length),
        STATUS_SUCCESS);
    memcpy(&number, value.info.Data, sizeof(number));
    assert_int_equal(value.info.Type, REG_DWORD);
    assert_int_equal(value.info.DataLength, 4);
    assert_int_equal(number, 1);
    assert_int_equal(ZwQueryValueKey(key, (PUNICODE_STRING)(uintptr_t)&absent,
                                     KeyValuePartialInformation, &value, sizeof(value), &length),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwClose(key), STATUS_SUCCESS);
    assert_true(tiny_down(host, &error));
}

static void there_are_no_files_and_no_other_drivers(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    IO_STATUS_BLOCK status;
    HANDLE file = &file;
    KEVENT event;
    (void)state;
    assert_int_equal(ZwCreateFile(&file, GENERIC_READ, NULL, &status, NULL, FILE_ATTRIBUTE_NORMAL,
                                  0, FILE_OPEN, FILE_NON_DIRECTORY_FILE, NULL, 0),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_null(file);
    assert_int_equal(ZwOpenFile(&file, GENERIC_READ, NULL, &status, 0, 0),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_null(file);
    assert_int_equal(status.Status, STATUS_OBJECT_NAME_NOT_FOUND);
    assert_null(IoBuildDeviceIoControlRequest(0, NULL, NULL, 0, NULL, 0, FALSE, &event, &status));
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_int_equal(IoCallDriver(NULL, NULL), STATUS_INVALID_DEVICE_REQUEST);
    assert_int_equal(vidmm_host_violations(host), 1);
    assert_true(tiny_down(host, &error));
}

static void no_handle_is_a_file(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    IO_STATUS_BLOCK status = {.Information = 5};
    OBJECT_ATTRIBUTES nameless;
    HANDLE event;
    char text[] = "text";
    (void)state;
    InitializeObjectAttributes(&nameless, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    assert_int_equal(ZwCreateEvent(&event, EVENT_ALL_ACCESS, &nameless, NotificationEvent, FALSE),
                     STATUS_SUCCESS);
    assert_int_equal(ZwWriteFile(event, NULL, NULL, NULL, &status, text, 4, NULL, NULL),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(status.Status, STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(status.Information, 0);
    assert_int_equal(ZwReadFile(event, NULL, NULL, NULL, &status, text, 4, NULL, NULL),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(ZwQueryInformationFile(event, &status, text, 4, FileStandardInformation),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(ZwSetInformationFile(event, &status, text, 4, FileEndOfFileInformation),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(ZwClose(event), STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_int_equal(ZwWriteFile(event, NULL, NULL, NULL, &status, text, 4, NULL, NULL),
                     STATUS_INVALID_HANDLE);
    assert_int_equal(vidmm_host_violations(host), 1);
    (void)tiny_down(host, &error);
}

static void contiguous_memory_of_the_driver_is_reached_as_a_bar_is(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    PHYSICAL_ADDRESS any = {.QuadPart = -1};
    (void)state;
    unsigned char *block = MmAllocateContiguousMemory(0x4000, any);
    uint64_t at = (uint64_t)MmGetPhysicalAddress(block).QuadPart;
    assert_ptr_equal(vidmm_host_io(host, at, 0x4000), block);
    assert_ptr_equal(vidmm_host_io(host, at + 0x1000, 0x3000), block + 0x1000);
    assert_null(vidmm_host_io(host, at + 0x1000, 0x4000));
    MmFreeContiguousMemory(block);
    assert_null(vidmm_host_io(host, at, 0x4000));
    assert_true(tiny_down(host, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_strings_are_cut_and_terminated),
        cmocka_unit_test(counted_strings_are_made_of_others),
        cmocka_unit_test(a_wait_for_any_names_the_first_that_is_signalled),
        cmocka_unit_test(a_wait_for_all_takes_all_or_none),
        cmocka_unit_test(an_idle_worker_is_no_deadlock),
        cmocka_unit_test(keys_hold_the_settings),
        cmocka_unit_test(there_are_no_files_and_no_other_drivers),
        cmocka_unit_test(no_handle_is_a_file),
        cmocka_unit_test(contiguous_memory_of_the_driver_is_reached_as_a_bar_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
