/*
 * services_test.c - what a system has besides the driver, and this one has in part or not: tracing,
 * identifiers, users, firmware, notifications, timers of devices, queues of requests, module lists.
 */
#include "fixture/tiny.h"

#include <aux_klib.h>
#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- Tracing and identifiers --------------------------------------------------------------------------------- */

static void events_of_a_provider_go_nowhere(void **state) {
    REGHANDLE handle;
    GUID guid = {0};
    EVENT_DESCRIPTOR event = {0};
    ULONG need = 7;
    (void)state;
    assert_int_equal(EtwRegister(&guid, NULL, NULL, &handle), STATUS_SUCCESS);
    assert_false(EtwEventEnabled(handle, &event));
    assert_int_equal(EtwWrite(handle, &event, NULL, 0, NULL), STATUS_SUCCESS);
    assert_int_equal(EtwWriteTransfer(handle, &event, NULL, NULL, 0, NULL), STATUS_SUCCESS);
    assert_int_equal(EtwWriteEx(handle, &event, 0, 0, NULL, NULL, 0, NULL), STATUS_SUCCESS);
    assert_int_equal(EtwWriteEx(handle, &event, 0, 1, NULL, NULL, 0, NULL),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(EtwWriteString(handle, 4, 0, NULL, u"text"), STATUS_SUCCESS);
    assert_int_equal(EtwSetInformation(handle, EventProviderSetTraits, NULL, 0),
                     STATUS_INVALID_DEVICE_REQUEST);
    assert_int_equal(EtwSetInformation(99, EventProviderSetTraits, NULL, 0), STATUS_INVALID_HANDLE);
    assert_int_equal(EtwWriteString(99, 4, 0, NULL, u"text"), STATUS_INVALID_HANDLE);
    assert_int_equal(EtwUnregister(handle), STATUS_SUCCESS);
    assert_int_equal(WmiTraceMessage(1, 0, &guid, 1, NULL), STATUS_INVALID_HANDLE);
    assert_int_equal(WmiQueryTraceInformation(GlobalLoggerHandleClass, NULL, 0, &need, NULL),
                     STATUS_NOT_FOUND);
    assert_int_equal(need, 0);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void an_activity_belongs_to_the_thread(void **state) {
    GUID first, second, got, none = {0};
    (void)state;
    assert_int_equal(ExUuidCreate(&first), STATUS_SUCCESS);
    assert_int_equal(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &second), STATUS_SUCCESS);
    assert_memory_not_equal(&first, &second, sizeof(GUID));
    assert_int_equal(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &none), STATUS_SUCCESS);
    got = first;
    assert_int_equal(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_GET_SET_ID, &got), STATUS_SUCCESS);
    assert_memory_equal(&got, &none, sizeof(GUID)); /* what it was before */
    assert_int_equal(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, &got), STATUS_SUCCESS);
    assert_memory_equal(&got, &first, sizeof(GUID));
    assert_int_equal(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_SET_ID, &got), STATUS_SUCCESS);
    assert_memory_equal(&got, &first, sizeof(GUID));
    assert_int_equal(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, &got), STATUS_SUCCESS);
    assert_memory_not_equal(&got, &first, sizeof(GUID));
    assert_int_equal(EtwActivityIdControl(77, &got), STATUS_INVALID_PARAMETER);
}

/* ---- Users and the platform -------------------------------------------------------------------------------------- */

static void the_kernel_has_every_access_and_a_user_what_is_open(void **state) {
    SECURITY_DESCRIPTOR descriptor;
    ACL empty = {.AclRevision = 2, .AclSize = sizeof(ACL)};
    ACCESS_MASK granted;
    NTSTATUS status;
    LUID privilege = {0};
    (void)state;
    assert_int_equal(RtlCreateSecurityDescriptor(&descriptor, 2), STATUS_UNKNOWN_REVISION);
    assert_int_equal(RtlCreateSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION),
                     STATUS_SUCCESS);
    assert_int_equal(descriptor.Control, 0);
    assert_true(SeAccessCheck(&descriptor, NULL, FALSE, MAXIMUM_ALLOWED | 4, 1, NULL, NULL,
                              UserMode, &granted, &status));
    assert_int_equal(granted, GENERIC_ALL | 5);
    assert_int_equal(RtlSetDaclSecurityDescriptor(&descriptor, TRUE, &empty, TRUE), STATUS_SUCCESS);
    assert_int_equal(descriptor.Control, SE_DACL_PRESENT | SE_DACL_DEFAULTED);
    assert_false(
        SeAccessCheck(&descriptor, NULL, FALSE, 4, 0, NULL, NULL, UserMode, &granted, &status));
    assert_int_equal(status, STATUS_ACCESS_DENIED);
    assert_int_equal(granted, 0);
    assert_true(
        SeAccessCheck(&descriptor, NULL, FALSE, 4, 0, NULL, NULL, KernelMode, &granted, &status));
    assert_int_equal(RtlSetDaclSecurityDescriptor(&descriptor, FALSE, NULL, FALSE), STATUS_SUCCESS);
    assert_int_equal(descriptor.Control & SE_DACL_PRESENT, 0);
    descriptor.Control |= SE_SELF_RELATIVE;
    assert_int_equal(RtlSetDaclSecurityDescriptor(&descriptor, TRUE, NULL, FALSE),
                     STATUS_INVALID_SECURITY_DESCR);
    assert_int_equal(RtlLengthRequiredSid(1), 12);
    assert_true(SeSinglePrivilegeCheck(privilege, KernelMode));
    assert_false(SeSinglePrivilegeCheck(privilege, UserMode));
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void what_the_platform_lacks_says_so(void **state) {
    UNICODE_STRING name = {0}, *image = &name;
    GUID guid = {0};
    ULONG length = 0;
    BOOTDISK_INFORMATION disk;
    LARGE_INTEGER cookie = {.QuadPart = 5};
    IO_CONNECT_INTERRUPT_PARAMETERS connect = {.Version = CONNECT_LINE_BASED};
    IO_DISCONNECT_INTERRUPT_PARAMETERS disconnect = {.Version = CONNECT_LINE_BASED};
    PVOID information = &disk;
    (void)state;
    assert_int_equal(ExGetFirmwareEnvironmentVariable(&name, &guid, NULL, &length, NULL),
                     STATUS_NOT_IMPLEMENTED);
    assert_int_equal(IoGetBootDiskInformation(&disk, sizeof(disk)), STATUS_TOO_LATE);
    assert_int_equal(IoGetBootDiskInformation(&disk, 4), STATUS_INVALID_PARAMETER);
    assert_int_equal(IoGetIommuInterface(1, NULL), STATUS_NOT_SUPPORTED);
    assert_int_equal(IoGetIommuInterfaceEx(2, 0, NULL), STATUS_NOT_SUPPORTED);
    assert_int_equal(IoQueryFullDriverPath(NULL, &name), STATUS_NOT_FOUND);
    assert_int_equal(SeLocateProcessImageName(PsGetCurrentProcess(), &image), STATUS_NOT_FOUND);
    assert_int_equal(CmRegisterCallbackEx(NULL, &name, NULL, NULL, &cookie, NULL),
                     STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(CmUnRegisterCallback(cookie), STATUS_INVALID_PARAMETER);
    assert_null(MmSecureVirtualMemory(&name, 1, PAGE_READONLY));
    assert_int_equal(IoConnectInterruptEx(&connect), STATUS_NOT_FOUND);
    connect.Version = 99;
    assert_int_equal(IoConnectInterruptEx(&connect), STATUS_INVALID_PARAMETER_1);
    ExInitializeDriverRuntime(DrvRtPoolNxOptIn);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    IoDisconnectInterruptEx(&disconnect);
    MmUnsecureVirtualMemory(NULL);
    assert_int_equal(SeQueryInformationToken(NULL, TokenSessionId, &information),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_host_violations(tiny_host), 3);
}

/* ---- Notifications, timers, modules -------------------------------------------------------------------------------- */

static NTSTATUS NTAPI notified(PVOID structure, PVOID context) {
    (void)structure, (void)context;
    return STATUS_SUCCESS;
}

static VOID NTAPI process_made(PEPROCESS process, HANDLE id, PPS_CREATE_NOTIFY_INFO info) {
    (void)process, (void)id, (void)info;
}

static void a_notification_is_taken_off_again(void **state) {
    GUID interface = {0};
    PVOID entry;
    (void)state;
    assert_int_equal(IoRegisterPlugPlayNotification(EventCategoryDeviceInterfaceChange, 0, NULL,
                                                    NULL, notified, NULL, &entry),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(IoRegisterPlugPlayNotification(EventCategoryHardwareProfileChange, 0,
                                                    &interface, NULL, notified, NULL, &entry),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(IoRegisterPlugPlayNotification(EventCategoryDeviceInterfaceChange, 0,
                                                    &interface, NULL, notified, NULL, &entry),
                     STATUS_SUCCESS);
    assert_int_equal(IoUnregisterPlugPlayNotificationEx(entry), STATUS_SUCCESS);
    assert_int_equal(IoUnregisterPlugPlayNotification(NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(PsSetCreateProcessNotifyRoutineEx(process_made, TRUE),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(PsSetCreateProcessNotifyRoutineEx(process_made, FALSE), STATUS_SUCCESS);
    assert_int_equal(PsSetCreateProcessNotifyRoutineEx(process_made, FALSE),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(PsSetCreateProcessNotifyRoutineEx(process_made, TRUE), STATUS_SUCCESS);
}

static void a_notification_that_stays_is_left_behind(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host = tiny_up(&config);
    GUID interface = {0};
    PVOID entry;
    (void)state;
    IoRegisterPlugPlayNotification(EventCategoryDeviceInterfaceChange, 0, &interface, NULL,
                                   notified, NULL, &entry);
    assert_false(tiny_down(host, &error));
    assert_non_null(strstr(error.text, "registrations"));
    free(entry); /* the host is gone, and knows of no block by address */
}

static struct {
    uint32_t calls;
    KIRQL irql;
    ULONG executing;
} ticks;

static VOID NTAPI tick(PDEVICE_OBJECT device, PVOID context) {
    assert_ptr_equal(device, tiny.bus);
    assert_ptr_equal(context, &ticks);
    ticks.calls++;
    ticks.irql = KeGetCurrentIrql();
    ticks.executing = KeIsExecutingDpc();
}

static void a_device_timer_ticks_once_a_second(void **state) {
    LARGE_INTEGER wait = {.QuadPart = -35000000};
    KIRQL old;
    (void)state;
    memset(&ticks, 0, sizeof(ticks));
    assert_int_equal(IoInitializeTimer(tiny.bus, tick, &ticks), STATUS_SUCCESS);
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    assert_int_equal(ticks.calls, 0); /* not before it is started */
    IoStartTimer(tiny.bus);
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    assert_int_equal(ticks.calls, 3);
    assert_int_equal(ticks.irql, DISPATCH_LEVEL);
    assert_int_not_equal(ticks.executing, 0);
    IoStopTimer(tiny.bus);
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    assert_int_equal(ticks.calls, 3);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_int_equal(KeIsExecutingDpc(), 0); /* the level alone is no DPC */
    KeLowerIrql(old);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    IoStartTimer(NULL);
    assert_true(tiny_violated(tiny_host, "IoInitializeTimer was not called"));
}

static void the_module_list_has_no_image_of_a_shared_object(void **state) {
    ULONG bytes = 77;
    (void)state;
    assert_int_equal(AuxKlibInitialize(), STATUS_SUCCESS);
    assert_int_equal(AuxKlibQueryModuleInformation(&bytes, 3, NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(AuxKlibQueryModuleInformation(&bytes, sizeof(AUX_MODULE_EXTENDED_INFO), NULL),
                     STATUS_SUCCESS);
    assert_int_equal(bytes, 0);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void a_device_key_is_of_a_device_and_one_kind(void **state) {
    HANDLE key;
    (void)state;
    assert_int_equal(IoOpenDeviceRegistryKey(tiny.bus, PLUGPLAY_REGKEY_DEVICE, KEY_READ, &key),
                     STATUS_SUCCESS);
    assert_int_equal(ZwClose(key), STATUS_SUCCESS);
    assert_int_equal(
        IoOpenDeviceRegistryKey(
            tiny.bus, PLUGPLAY_REGKEY_DRIVER | PLUGPLAY_REGKEY_CURRENT_HWPROFILE, KEY_READ, &key),
        STATUS_SUCCESS);
    assert_int_equal(ZwClose(key), STATUS_SUCCESS);
    assert_int_equal(IoOpenDeviceRegistryKey(
                         tiny.bus, PLUGPLAY_REGKEY_DEVICE | PLUGPLAY_REGKEY_DRIVER, KEY_READ, &key),
                     STATUS_INVALID_PARAMETER);
    assert_null(key);
    assert_int_equal(IoOpenDeviceRegistryKey(NULL, PLUGPLAY_REGKEY_DEVICE, KEY_READ, &key),
                     STATUS_INVALID_PARAMETER);
}

/* ---- Queues ------------------------------------------------------------------------------------------------------------ */

static struct {
    IO_CSQ csq;
    KSPIN_LOCK lock;
    LIST_ENTRY list;
    PIRP completed;
    bool full;
} queue;

static NTSTATUS NTAPI queue_insert_ex(PIO_CSQ csq, PIRP irp, PVOID context) {
    assert_ptr_equal(csq, &queue.csq);
    assert_ptr_equal(context, &queue);
    if (queue.full)
        return STATUS_DEVICE_BUSY;
    InsertTailList(&queue.list, &irp->Tail.Overlay.ListEntry);
    return STATUS_SUCCESS;
}

static VOID NTAPI queue_insert(PIO_CSQ csq, PIRP irp) {
    (void)queue_insert_ex(csq, irp, &queue);
}

static VOID NTAPI queue_remove(PIO_CSQ csq, PIRP irp) {
    (void)csq;
    RemoveEntryList(&irp->Tail.Overlay.ListEntry);
}

static PIRP NTAPI queue_peek(PIO_CSQ csq, PIRP irp, PVOID context) {
    PLIST_ENTRY next = irp ? irp->Tail.Overlay.ListEntry.Flink : queue.list.Flink;
    (void)csq, (void)context;
    return next == &queue.list ? NULL : CONTAINING_RECORD(next, IRP, Tail.Overlay.ListEntry);
}

static VOID NTAPI queue_lock(PIO_CSQ csq, PKIRQL irql) {
    (void)csq;
    KeAcquireSpinLock(&queue.lock, irql);
}

static VOID NTAPI queue_unlock(PIO_CSQ csq, KIRQL irql) {
    (void)csq;
    KeReleaseSpinLock(&queue.lock, irql);
}

static VOID NTAPI queue_cancelled(PIO_CSQ csq, PIRP irp) {
    (void)csq;
    queue.completed = irp;
}

static void queue_set_up(void) {
    memset(&queue, 0, sizeof(queue));
    KeInitializeSpinLock(&queue.lock);
    InitializeListHead(&queue.list);
}

static PIRP request(void) {
    PIRP irp = IoAllocateIrp(1, FALSE);
    IoSetNextIrpStackLocation(irp);
    return irp;
}

static void a_queued_request_is_removed_once_or_cancelled_once(void **state) {
    IO_CSQ_IRP_CONTEXT context;
    PIRP one = request(), two = request(), three = request(), four = request();
    (void)state;
    queue_set_up();
    assert_int_equal(IoCsqInitialize(&queue.csq, queue_insert, queue_remove, queue_peek, queue_lock,
                                     queue_unlock, queue_cancelled),
                     STATUS_SUCCESS);
    IoCsqInsertIrp(&queue.csq, one, NULL);
    IoCsqInsertIrp(&queue.csq, two, &context);
    IoCsqInsertIrp(&queue.csq, three, NULL);
    assert_true(IoGetCurrentIrpStackLocation(one)->Control & SL_PENDING_RETURNED);
    assert_true(IoCancelIrp(one));
    assert_ptr_equal(queue.completed, one);
    assert_ptr_equal(IoCsqRemoveIrp(&queue.csq, &context), two);
    assert_null(IoCsqRemoveIrp(&queue.csq, &context));
    assert_false(IoCancelIrp(two)); /* its owner's now */
    assert_ptr_equal(IoCsqRemoveNextIrp(&queue.csq, NULL), three);
    assert_null(IoCsqRemoveNextIrp(&queue.csq, NULL));
    IoCancelIrp(four);
    IoCsqInsertIrp(&queue.csq, four, &context); /* cancelled before */
    assert_ptr_equal(queue.completed, four);
    assert_null(IoCsqRemoveIrp(&queue.csq, &context));
    assert_true(IsListEmpty(&queue.list));
    IoFreeIrp(one);
    IoFreeIrp(two);
    IoFreeIrp(three);
    IoFreeIrp(four);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void an_extended_queue_may_refuse(void **state) {
    PIRP irp = request();
    (void)state;
    queue_set_up();
    IoCsqInitializeEx(&queue.csq, queue_insert_ex, queue_remove, queue_peek, queue_lock,
                      queue_unlock, queue_cancelled);
    queue.full = true;
    assert_int_equal(IoCsqInsertIrpEx(&queue.csq, irp, NULL, &queue), STATUS_DEVICE_BUSY);
    assert_false(IoCancelIrp(irp));
    irp->Cancel = FALSE;
    queue.full = false;
    assert_int_equal(IoCsqInsertIrpEx(&queue.csq, irp, NULL, &queue), STATUS_SUCCESS);
    assert_ptr_equal(IoCsqRemoveNextIrp(&queue.csq, NULL), irp);
    IofCompleteRequest(irp, IO_NO_INCREMENT); /* also frees it */
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    assert_int_equal(IofCallDriver(tiny.bus, NULL), STATUS_INVALID_DEVICE_REQUEST);
    assert_true(tiny_violated(tiny_host, "a request that no function here made"));
}

#define SERVICES_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVICES_TEST(events_of_a_provider_go_nowhere),
        SERVICES_TEST(an_activity_belongs_to_the_thread),
        SERVICES_TEST(the_kernel_has_every_access_and_a_user_what_is_open),
        SERVICES_TEST(what_the_platform_lacks_says_so),
        SERVICES_TEST(a_notification_is_taken_off_again),
        cmocka_unit_test(a_notification_that_stays_is_left_behind),
        SERVICES_TEST(a_device_timer_ticks_once_a_second),
        SERVICES_TEST(the_module_list_has_no_image_of_a_shared_object),
        SERVICES_TEST(a_device_key_is_of_a_device_and_one_kind),
        SERVICES_TEST(a_queued_request_is_removed_once_or_cancelled_once),
        SERVICES_TEST(an_extended_queue_may_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
