/*
 * absent_services.c - tracing sessions, users and their tokens, firmware, other drivers' events: a driver
 * may ask for each, and gets what its page says of a system that has none of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

/* ---- Tracing: the handle of EtwRegister (absent.c) is 1, and no session listens ------------------------ */

static NTSTATUS event_written(REGHANDLE handle) {
    return handle == 1 ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

NTKERNELAPI NTSTATUS NTAPI EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                            LPCGUID ActivityId, LPCGUID RelatedActivityId,
                                            ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData) {
    (void)EventDescriptor, (void)ActivityId, (void)RelatedActivityId;
    (void)UserDataCount, (void)UserData;
    return event_written(RegHandle);
}

NTKERNELAPI NTSTATUS NTAPI EtwWriteEx(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                      ULONG64 Filter, ULONG Flags, LPCGUID ActivityId,
                                      LPCGUID RelatedActivityId, ULONG UserDataCount,
                                      PEVENT_DATA_DESCRIPTOR UserData) {
    (void)EventDescriptor, (void)Filter, (void)ActivityId, (void)RelatedActivityId;
    (void)UserDataCount, (void)UserData;
    return Flags != 0 ? STATUS_INVALID_PARAMETER : event_written(RegHandle);
}

NTKERNELAPI NTSTATUS NTAPI EtwWriteString(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword,
                                          LPCGUID ActivityId, PCWSTR String) {
    (void)Level, (void)Keyword, (void)ActivityId, (void)String;
    return event_written(RegHandle);
}

NTKERNELAPI NTSTATUS NTAPI EtwSetInformation(REGHANDLE RegHandle, EVENT_INFO_CLASS InformationClass,
                                             PVOID EventInformation, ULONG InformationLength) {
    (void)EventInformation, (void)InformationLength;
    host_irql_at_most(PASSIVE_LEVEL, "EtwSetInformation");
    if (RegHandle != 1)
        return STATUS_INVALID_HANDLE;
    return InformationClass < MaxEventInfo ? STATUS_INVALID_DEVICE_REQUEST
                                           : STATUS_INVALID_PARAMETER;
}

NTKERNELAPI NTSTATUS NTAPI WmiTraceMessage(TRACEHANDLE LoggerHandle, ULONG MessageFlags,
                                           LPCGUID MessageGuid, USHORT MessageNumber, ...) {
    (void)LoggerHandle, (void)MessageFlags, (void)MessageGuid, (void)MessageNumber;
    return STATUS_INVALID_HANDLE;
}

NTKERNELAPI NTSTATUS NTAPI WmiQueryTraceInformation(TRACE_INFORMATION_CLASS TraceInformationClass,
                                                    PVOID TraceInformation,
                                                    ULONG TraceInformationLength,
                                                    PULONG RequiredLength, PVOID Buffer) {
    (void)TraceInformation, (void)TraceInformationLength, (void)Buffer;
    if (RequiredLength)
        *RequiredLength = 0;
    switch (TraceInformationClass) {
    case TraceIdClass:
    case TraceHandleClass:
    case TraceEnableFlagsClass:
    case TraceEnableLevelClass:
        return STATUS_INVALID_HANDLE;
    case GlobalLoggerHandleClass:
        return STATUS_NOT_FOUND;
    case EventLoggerHandleClass:
    case AllLoggerHandlesClass:
    case TraceHandleByNameClass:
        return STATUS_INVALID_PARAMETER;
    default:
        return STATUS_INVALID_INFO_CLASS;
    }
}

/* ---- Users: the kernel alone asks -------------------------------------------------------------------------- */

/* The kernel has each access; a user has what a descriptor without a list gives to all. */
/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI BOOLEAN NTAPI SeAccessCheck(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                        PSECURITY_SUBJECT_CONTEXT SubjectSecurityContext,
                                        BOOLEAN SubjectContextLocked, ACCESS_MASK DesiredAccess,
                                        ACCESS_MASK PreviouslyGrantedAccess,
                                        PPRIVILEGE_SET *Privileges, PGENERIC_MAPPING GenericMapping,
                                        KPROCESSOR_MODE AccessMode, ACCESS_MASK *GrantedAccess,
                                        NTSTATUS *AccessStatus) {
    const SECURITY_DESCRIPTOR *descriptor = SecurityDescriptor;
    (void)SubjectSecurityContext, (void)SubjectContextLocked, (void)GenericMapping;
    host_irql_at_most(PASSIVE_LEVEL, "SeAccessCheck");
    if (Privileges)
        *Privileges = NULL;
    bool open = descriptor && (descriptor->Control & SE_SELF_RELATIVE) == 0 &&
                ((descriptor->Control & SE_DACL_PRESENT) == 0 || !descriptor->Dacl);
    bool all = (DesiredAccess & MAXIMUM_ALLOWED) != 0;
    bool allowed = AccessMode == KernelMode || open;
    *GrantedAccess = !allowed ? 0
                              : PreviouslyGrantedAccess | (DesiredAccess & ~MAXIMUM_ALLOWED) |
                                    (all ? GENERIC_ALL : 0);
    *AccessStatus = allowed ? STATUS_SUCCESS : STATUS_ACCESS_DENIED;
    return allowed;
}

NTKERNELAPI BOOLEAN NTAPI SeSinglePrivilegeCheck(LUID PrivilegeValue,
                                                 KPROCESSOR_MODE PreviousMode) {
    (void)PrivilegeValue;
    host_irql_at_most(PASSIVE_LEVEL, "SeSinglePrivilegeCheck");
    return PreviousMode == KernelMode;
}

NTKERNELAPI NTSTATUS NTAPI SeQueryInformationToken(PACCESS_TOKEN Token,
                                                   TOKEN_INFORMATION_CLASS TokenInformationClass,
                                                   PVOID *TokenInformation) {
    (void)TokenInformationClass;
    host_irql_at_most(PASSIVE_LEVEL, "SeQueryInformationToken");
    host_violation("SeQueryInformationToken(%p), which is no token: there are none", Token);
    *TokenInformation = NULL;
    return STATUS_INVALID_PARAMETER;
}

/* The system's process has no image. */
NTKERNELAPI NTSTATUS NTAPI SeLocateProcessImageName(PEPROCESS Process,
                                                    PUNICODE_STRING *pImageFileName) {
    (void)Process;
    host_irql_at_most(PASSIVE_LEVEL, "SeLocateProcessImageName");
    *pImageFileName = NULL;
    return STATUS_NOT_FOUND;
}

NTKERNELAPI HANDLE NTAPI MmSecureVirtualMemory(PVOID Address, SIZE_T Size, ULONG ProbeMode) {
    (void)Address, (void)Size, (void)ProbeMode;
    host_irql_at_most(APC_LEVEL, "MmSecureVirtualMemory");
    return NULL;
}

NTKERNELAPI VOID NTAPI MmUnsecureVirtualMemory(HANDLE SecureHandle) {
    (void)SecureHandle;
    host_irql_at_most(APC_LEVEL, "MmUnsecureVirtualMemory");
    host_violation("MmUnsecureVirtualMemory of memory that was not secured");
}

/* ---- The platform ---------------------------------------------------------------------------------------------- */

/* As on a platform whose firmware is no UEFI. */
NTKERNELAPI NTSTATUS NTAPI ExGetFirmwareEnvironmentVariable(PUNICODE_STRING VariableName,
                                                            GUID *VendorGuid, PVOID Value,
                                                            PULONG ValueLength, PULONG Attributes) {
    (void)VariableName, (void)VendorGuid, (void)Value, (void)ValueLength, (void)Attributes;
    host_irql_at_most(PASSIVE_LEVEL, "ExGetFirmwareEnvironmentVariable");
    return STATUS_NOT_IMPLEMENTED;
}

NTKERNELAPI NTSTATUS NTAPI IoGetBootDiskInformation(PBOOTDISK_INFORMATION BootDiskInformation,
                                                    ULONG Size) {
    (void)BootDiskInformation;
    host_irql_at_most(APC_LEVEL, "IoGetBootDiskInformation");
    return Size < sizeof(BOOTDISK_INFORMATION) ? STATUS_INVALID_PARAMETER : STATUS_TOO_LATE;
}

NTKERNELAPI NTSTATUS NTAPI IoQueryFullDriverPath(PDRIVER_OBJECT DriverObject,
                                                 PUNICODE_STRING FullPath) {
    (void)DriverObject;
    host_irql_at_most(APC_LEVEL, "IoQueryFullDriverPath");
    memset(FullPath, 0, sizeof(*FullPath));
    return STATUS_NOT_FOUND; /* no section is behind the driver object */
}

/* Of the IOMMU a display driver has dxgkrnl's view (DxgkCbMapMdlToIoMmu and its kin). */
NTKERNELAPI NTSTATUS NTAPI IoGetIommuInterface(ULONG Version, PDMA_IOMMU_INTERFACE InterfaceOut) {
    (void)Version, (void)InterfaceOut;
    host_irql_at_most(PASSIVE_LEVEL, "IoGetIommuInterface");
    return STATUS_NOT_SUPPORTED;
}

NTKERNELAPI NTSTATUS NTAPI IoGetIommuInterfaceEx(ULONG Version, ULONGLONG Flags,
                                                 PDMA_IOMMU_INTERFACE_EX InterfaceOut) {
    (void)Version, (void)Flags, (void)InterfaceOut;
    return STATUS_NOT_SUPPORTED;
}

NTKERNELAPI NTSTATUS NTAPI IoConnectInterruptEx(PIO_CONNECT_INTERRUPT_PARAMETERS Parameters) {
    host_irql_at_most(PASSIVE_LEVEL, "IoConnectInterruptEx");
    if (Parameters->Version < CONNECT_FULLY_SPECIFIED ||
        Parameters->Version > CONNECT_CURRENT_VERSION)
        return STATUS_INVALID_PARAMETER_1;
    return STATUS_NOT_FOUND; /* the device's interrupt is dxgkrnl's */
}

NTKERNELAPI VOID NTAPI IoDisconnectInterruptEx(PIO_DISCONNECT_INTERRUPT_PARAMETERS Parameters) {
    (void)Parameters;
    host_irql_at_most(PASSIVE_LEVEL, "IoDisconnectInterruptEx");
    host_violation("IoDisconnectInterruptEx of an interrupt that IoConnectInterruptEx did not "
                   "connect");
}

/* ---- Events of others: they are registered for, and never come ------------------------------------------------- */

NTKERNELAPI NTSTATUS NTAPI IoRegisterPlugPlayNotification(
    IO_NOTIFICATION_EVENT_CATEGORY EventCategory, ULONG EventCategoryFlags, PVOID EventCategoryData,
    PDRIVER_OBJECT DriverObject, PDRIVER_NOTIFICATION_CALLBACK_ROUTINE CallbackRoutine,
    PVOID Context, PVOID *NotificationEntry) {
    bool profile = EventCategory == EventCategoryHardwareProfileChange;
    (void)EventCategoryFlags, (void)DriverObject, (void)Context;
    *NotificationEntry = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoRegisterPlugPlayNotification"))
        return STATUS_UNSUCCESSFUL;
    if (EventCategory <= EventCategoryReserved || EventCategory > EventCategoryTargetDeviceChange ||
        !CallbackRoutine || profile != !EventCategoryData)
        return STATUS_INVALID_PARAMETER;
    /* Counted: a driver takes each off before it is unloaded. */
    *NotificationEntry = host_block_alloc(HOST_OWNER_IO, 1);
    return *NotificationEntry ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

NTKERNELAPI NTSTATUS NTAPI IoUnregisterPlugPlayNotificationEx(PVOID NotificationEntry) {
    host_irql_at_most(PASSIVE_LEVEL, "IoUnregisterPlugPlayNotificationEx");
    if (!NotificationEntry)
        return STATUS_INVALID_PARAMETER;
    host_block_free(HOST_OWNER_IO, NotificationEntry, 1);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI IoUnregisterPlugPlayNotification(PVOID NotificationEntry) {
    return IoUnregisterPlugPlayNotificationEx(NotificationEntry);
}

NTKERNELAPI NTSTATUS NTAPI
PsSetCreateProcessNotifyRoutineEx(PCREATE_PROCESS_NOTIFY_ROUTINE_EX NotifyRoutine, BOOLEAN Remove) {
    static PCREATE_PROCESS_NOTIFY_ROUTINE_EX registered; /* no process is ever made */
    host_irql_at_most(PASSIVE_LEVEL, "PsSetCreateProcessNotifyRoutineEx");
    if (Remove ? registered != NotifyRoutine : registered == NotifyRoutine)
        return STATUS_INVALID_PARAMETER;
    registered = Remove ? NULL : NotifyRoutine;
    return STATUS_SUCCESS;
}

/* The registry here tells nobody what is done to it. */
NTKERNELAPI NTSTATUS NTAPI CmRegisterCallbackEx(PEX_CALLBACK_FUNCTION Function,
                                                PCUNICODE_STRING Altitude, PVOID Driver,
                                                PVOID Context, PLARGE_INTEGER Cookie,
                                                PVOID Reserved) {
    (void)Function, (void)Altitude, (void)Driver, (void)Context, (void)Reserved;
    host_irql_at_most(APC_LEVEL, "CmRegisterCallbackEx");
    Cookie->QuadPart = 0;
    return STATUS_INSUFFICIENT_RESOURCES;
}

NTKERNELAPI NTSTATUS NTAPI CmUnRegisterCallback(LARGE_INTEGER Cookie) {
    (void)Cookie;
    host_irql_at_most(APC_LEVEL, "CmUnRegisterCallback");
    return STATUS_INVALID_PARAMETER;
}
