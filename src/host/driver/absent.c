/*
 * absent.c - functions of ntoskrnl with nothing behind them here: requests, devices and links of a
 * driver's own stack, processes, tracing, power settings, bugcheck callbacks. Each answers as its
 * page says of a system where that is not to be had.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

static NTSTATUS not_supported(const char *function) {
    return host_irql_at_most(PASSIVE_LEVEL, function) ? STATUS_NOT_SUPPORTED : STATUS_UNSUCCESSFUL;
}

/* ---- Devices: the one that is asked about is the highest of its stack ---------------------------- */

NTKERNELAPI PDEVICE_OBJECT NTAPI IoGetAttachedDeviceReference(PDEVICE_OBJECT DeviceObject) {
    host_irql_at_most(DISPATCH_LEVEL, "IoGetAttachedDeviceReference");
    return DeviceObject;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI NTSTATUS NTAPI IoCreateDevice(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
                                          PUNICODE_STRING DeviceName, ULONG DeviceType,
                                          ULONG DeviceCharacteristics, BOOLEAN Exclusive,
                                          PDEVICE_OBJECT *DeviceObject) {
    (void)DriverObject, (void)DeviceExtensionSize, (void)DeviceName, (void)DeviceType;
    (void)DeviceCharacteristics, (void)Exclusive;
    *DeviceObject = NULL;
    host_irql_at_most(APC_LEVEL, "IoCreateDevice");
    return STATUS_INSUFFICIENT_RESOURCES;
}

NTKERNELAPI VOID NTAPI IoDeleteDevice(PDEVICE_OBJECT DeviceObject) {
    (void)DeviceObject;
    host_irql_at_most(APC_LEVEL, "IoDeleteDevice");
    host_violation("IoDeleteDevice of a device that IoCreateDevice did not make");
}

NTKERNELAPI NTSTATUS NTAPI IoCreateSymbolicLink(PUNICODE_STRING SymbolicLinkName,
                                                PUNICODE_STRING DeviceName) {
    (void)SymbolicLinkName, (void)DeviceName;
    return not_supported("IoCreateSymbolicLink");
}

NTKERNELAPI NTSTATUS NTAPI IoDeleteSymbolicLink(PUNICODE_STRING SymbolicLinkName) {
    (void)SymbolicLinkName;
    host_irql_at_most(PASSIVE_LEVEL, "IoDeleteSymbolicLink");
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTKERNELAPI NTSTATUS NTAPI IoRegisterDeviceInterface(PDEVICE_OBJECT PhysicalDeviceObject,
                                                     const GUID *InterfaceClassGuid,
                                                     PUNICODE_STRING ReferenceString,
                                                     PUNICODE_STRING SymbolicLinkName) {
    (void)PhysicalDeviceObject, (void)InterfaceClassGuid, (void)ReferenceString;
    memset(SymbolicLinkName, 0, sizeof(*SymbolicLinkName));
    host_irql_at_most(PASSIVE_LEVEL, "IoRegisterDeviceInterface");
    return STATUS_INVALID_DEVICE_REQUEST;
}

NTKERNELAPI NTSTATUS NTAPI IoSetDeviceInterfaceState(PUNICODE_STRING SymbolicLinkName,
                                                     BOOLEAN Enable) {
    (void)SymbolicLinkName, (void)Enable;
    host_irql_at_most(PASSIVE_LEVEL, "IoSetDeviceInterfaceState");
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTKERNELAPI NTSTATUS NTAPI IoRegisterShutdownNotification(PDEVICE_OBJECT DeviceObject) {
    (void)DeviceObject;
    host_irql_at_most(PASSIVE_LEVEL, "IoRegisterShutdownNotification");
    return STATUS_SUCCESS; /* the system is never shut down */
}

NTKERNELAPI VOID NTAPI IoUnregisterShutdownNotification(PDEVICE_OBJECT DeviceObject) {
    (void)DeviceObject;
    host_irql_at_most(PASSIVE_LEVEL, "IoUnregisterShutdownNotification");
}

NTKERNELAPI VOID NTAPI IoInvalidateDeviceRelations(PDEVICE_OBJECT DeviceObject, ULONG Type) {
    (void)DeviceObject, (void)Type;
    host_irql_at_most(DISPATCH_LEVEL, "IoInvalidateDeviceRelations");
}

/* ---- Logs and tracing: nothing listens ------------------------------------------------------------ */

NTKERNELAPI PVOID NTAPI IoAllocateErrorLogEntry(PVOID IoObject, UCHAR EntrySize) {
    (void)IoObject, (void)EntrySize;
    host_irql_at_most(DISPATCH_LEVEL, "IoAllocateErrorLogEntry");
    return NULL; /* the page: the caller goes on without */
}

NTKERNELAPI VOID NTAPI IoWriteErrorLogEntry(PVOID ElEntry) {
    (void)ElEntry;
    host_irql_at_most(DISPATCH_LEVEL, "IoWriteErrorLogEntry");
    host_violation("IoWriteErrorLogEntry of an entry that IoAllocateErrorLogEntry did not make");
}

NTKERNELAPI VOID NTAPI IoFreeErrorLogEntry(PVOID ElEntry) {
    (void)ElEntry;
    host_violation("IoFreeErrorLogEntry of an entry that IoAllocateErrorLogEntry did not make");
}

NTKERNELAPI NTSTATUS NTAPI IoWMIRegistrationControl(PDEVICE_OBJECT DeviceObject, ULONG Action) {
    (void)DeviceObject;
    host_irql_at_most(PASSIVE_LEVEL, "IoWMIRegistrationControl");
    return Action == 0 ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI IoWMIWriteEvent(PVOID WnodeEventItem) {
    const WNODE_HEADER *header = WnodeEventItem;
    if (!header || (header->Flags & WNODE_FLAG_TRACED_GUID) == 0)
        host_irql_at_most(APC_LEVEL, "IoWMIWriteEvent");
    return STATUS_UNSUCCESSFUL; /* which leaves the item to the caller */
}

NTKERNELAPI NTSTATUS NTAPI EtwRegister(LPCGUID ProviderId, PETWENABLECALLBACK EnableCallback,
                                       PVOID CallbackContext, PREGHANDLE RegHandle) {
    (void)ProviderId, (void)EnableCallback, (void)CallbackContext;
    host_irql_at_most(PASSIVE_LEVEL, "EtwRegister");
    *RegHandle = 1;
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI EtwUnregister(REGHANDLE RegHandle) {
    host_irql_at_most(PASSIVE_LEVEL, "EtwUnregister");
    return RegHandle == 1 ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

NTKERNELAPI BOOLEAN NTAPI EtwEventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor) {
    (void)RegHandle, (void)EventDescriptor;
    return FALSE;
}

NTKERNELAPI BOOLEAN NTAPI EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword) {
    (void)RegHandle, (void)Level, (void)Keyword;
    return FALSE;
}

NTKERNELAPI NTSTATUS NTAPI EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                    LPCGUID ActivityId, ULONG UserDataCount,
                                    PEVENT_DATA_DESCRIPTOR UserData) {
    (void)EventDescriptor, (void)ActivityId, (void)UserDataCount, (void)UserData;
    return RegHandle == 1 ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

/* ---- Processes: the system's alone ----------------------------------------------------------------- */

static char system_process;

NTKERNELAPI PEPROCESS NTAPI PsGetCurrentProcess(VOID) {
    return (PEPROCESS)(PVOID)&system_process;
}

NTKERNELAPI HANDLE NTAPI PsGetProcessId(PEPROCESS Process) {
    return Process == PsGetCurrentProcess() ? PsGetCurrentProcessId() : NULL;
}

NTKERNELAPI NTSTATUS NTAPI PsLookupProcessByProcessId(HANDLE ProcessId, PEPROCESS *Process) {
    host_irql_at_most(APC_LEVEL, "PsLookupProcessByProcessId");
    *Process = ProcessId == PsGetCurrentProcessId() ? PsGetCurrentProcess() : NULL;
    return *Process ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTKERNELAPI NTSTATUS NTAPI
PsSetCreateProcessNotifyRoutine(PCREATE_PROCESS_NOTIFY_ROUTINE NotifyRoutine, BOOLEAN Remove) {
    static PCREATE_PROCESS_NOTIFY_ROUTINE registered; /* no process is ever made */
    host_irql_at_most(PASSIVE_LEVEL, "PsSetCreateProcessNotifyRoutine");
    if (Remove ? registered != NotifyRoutine : registered == NotifyRoutine)
        return STATUS_INVALID_PARAMETER;
    registered = Remove ? NULL : NotifyRoutine;
    return STATUS_SUCCESS;
}

NTKERNELAPI BOOLEAN NTAPI PsIsSystemThread(PETHREAD Thread) {
    (void)Thread;
    host_irql_at_most(DISPATCH_LEVEL, "PsIsSystemThread");
    return TRUE;
}

NTKERNELAPI VOID NTAPI KeStackAttachProcess(PEPROCESS Process, PRKAPC_STATE ApcState) {
    host_irql_at_most(APC_LEVEL, "KeStackAttachProcess");
    ApcState->Process = Process;
}

NTKERNELAPI VOID NTAPI KeUnstackDetachProcess(PRKAPC_STATE ApcState) {
    host_irql_at_most(APC_LEVEL, "KeUnstackDetachProcess");
    ApcState->Process = NULL;
}

/* ---- Power settings, bugchecks, other drivers --------------------------------------------------------- */

NTKERNELAPI NTSTATUS NTAPI PoRegisterPowerSettingCallback(PDEVICE_OBJECT DeviceObject,
                                                          LPCGUID SettingGuid,
                                                          PPOWER_SETTING_CALLBACK Callback,
                                                          PVOID Context, PVOID *Handle) {
    (void)DeviceObject, (void)SettingGuid, (void)Context;
    host_irql_at_most(PASSIVE_LEVEL, "PoRegisterPowerSettingCallback");
    if (!Callback)
        return STATUS_INVALID_PARAMETER;
    if (Handle)
        *Handle = &system_process; /* no setting ever changes */
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI PoUnregisterPowerSettingCallback(PVOID Handle) {
    host_irql_at_most(PASSIVE_LEVEL, "PoUnregisterPowerSettingCallback");
    return Handle == &system_process ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

NTKERNELAPI BOOLEAN NTAPI
KeRegisterBugCheckReasonCallback(PKBUGCHECK_REASON_CALLBACK_RECORD CallbackRecord,
                                 PKBUGCHECK_REASON_CALLBACK_ROUTINE CallbackRoutine,
                                 KBUGCHECK_CALLBACK_REASON Reason, PUCHAR Component) {
    if (CallbackRecord->State != 0)
        return FALSE;
    CallbackRecord->CallbackRoutine = CallbackRoutine;
    CallbackRecord->Reason = Reason;
    CallbackRecord->Component = Component;
    CallbackRecord->State = 1;
    return TRUE;
}

NTKERNELAPI BOOLEAN NTAPI
KeDeregisterBugCheckReasonCallback(PKBUGCHECK_REASON_CALLBACK_RECORD CallbackRecord) {
    BOOLEAN registered = CallbackRecord->State == 1;
    CallbackRecord->State = 0;
    return registered;
}

/* No addresses are reserved. */
NTKERNELAPI PVOID NTAPI MmAllocateMappingAddress(SIZE_T NumberOfBytes, ULONG PoolTag) {
    (void)NumberOfBytes, (void)PoolTag;
    host_irql_at_most(APC_LEVEL, "MmAllocateMappingAddress");
    return NULL; /* the page: no addresses are left */
}

NTKERNELAPI VOID NTAPI MmFreeMappingAddress(PVOID BaseAddress, ULONG PoolTag) {
    (void)BaseAddress, (void)PoolTag;
    host_irql_at_most(APC_LEVEL, "MmFreeMappingAddress");
    host_violation("MmFreeMappingAddress of addresses that were not reserved");
}

NTKERNELAPI PVOID NTAPI MmMapLockedPagesWithReservedMapping(PVOID MappingAddress, ULONG PoolTag,
                                                            PMDL MemoryDescriptorList,
                                                            MEMORY_CACHING_TYPE CacheType) {
    (void)MappingAddress, (void)PoolTag, (void)MemoryDescriptorList, (void)CacheType;
    host_irql_at_most(DISPATCH_LEVEL, "MmMapLockedPagesWithReservedMapping");
    host_violation("MmMapLockedPagesWithReservedMapping of addresses that were not reserved");
    return NULL;
}

NTKERNELAPI VOID NTAPI MmUnmapReservedMapping(PVOID BaseAddress, ULONG PoolTag,
                                              PMDL MemoryDescriptorList) {
    (void)BaseAddress, (void)PoolTag, (void)MemoryDescriptorList;
    host_irql_at_most(DISPATCH_LEVEL, "MmUnmapReservedMapping");
    host_violation("MmUnmapReservedMapping of addresses that were not reserved");
}
