/*
 * registry.c - the registry, as far as a miniport reads it: the run's settings, and as `Linked` how
 * many devices the adapter is made of, which an installer would have entered for the driver.
 *
 * Every path shows the same values: numbers up to 32 bits are REG_DWORD, larger ones REG_QWORD.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/handles.h"

static char registry_lower(uint32_t c) {
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Is `name`, of so many units, this setting's, in capitals or not? */
static bool same_name(const char *ascii, const WCHAR *name, size_t units) {
    size_t i = 0;
    for (; i < units && ascii[i] != 0 && name[i] < 128; i++)
        if (registry_lower((unsigned char)ascii[i]) != registry_lower(name[i]))
            return false;
    return i == units && ascii[i] == 0;
}

/* By how many devices there are. */
static const struct vidmm_host_setting linked[] = {
    {"Linked", 0}, {"Linked", 1}, {"Linked", 2}, {"Linked", 3}, {"Linked", 4}};

static const struct vidmm_host_setting *registry_find(const WCHAR *name, size_t units) {
    for (uint32_t i = 0; i < host_world->config.setting_count; i++)
        if (same_name(host_world->settings[i].name, name, units))
            return &host_world->settings[i];
    uint32_t devices = host_world->config.linked;
    bool told = devices > 1 && devices < sizeof(linked) / sizeof(linked[0]);
    return told && same_name("Linked", name, units) ? &linked[devices] : NULL;
}

/*
 * RTL_QUERY_REGISTRY_DIRECT: data of at most 4 bytes is stored as it is; for more, the buffer
 * begins with its own size as a LONG, negative when only the data is wanted (wdm,
 * RtlQueryRegistryValues).
 */
static NTSTATUS store_direct(void *buffer, ULONG type, const void *data, ULONG length) {
    LONG size;
    if (length <= sizeof(ULONG)) {
        memcpy(buffer, data, length);
        return STATUS_SUCCESS;
    }
    memcpy(&size, buffer, sizeof(size));
    uint64_t room = size < 0 ? (uint64_t) - (int64_t)size : (uint64_t)size;
    uint64_t header = size < 0 ? 0 : 2 * sizeof(ULONG);
    if (room < header + length)
        return STATUS_BUFFER_TOO_SMALL;
    if (header != 0) {
        memcpy(buffer, &length, sizeof(length));
        memcpy((char *)buffer + sizeof(length), &type, sizeof(type));
    }
    memcpy((char *)buffer + header, data, length);
    return STATUS_SUCCESS;
}

static NTSTATUS registry_deliver(const RTL_QUERY_REGISTRY_TABLE *entry, ULONG type,
                                 const void *data, ULONG length, void *context) {
    if (entry->Flags & RTL_QUERY_REGISTRY_DIRECT) {
        ULONG expected = entry->DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
        if ((entry->Flags & RTL_QUERY_REGISTRY_TYPECHECK) && expected != type)
            return STATUS_OBJECT_TYPE_MISMATCH;
        return store_direct(entry->EntryContext, type, data, length);
    }
    if (!entry->QueryRoutine)
        return STATUS_SUCCESS;
    uint64_t copy = 0;
    memcpy(&copy, data, length < sizeof(copy) ? length : sizeof(copy));
    return entry->QueryRoutine(entry->Name, type, &copy, length, context, entry->EntryContext);
}

static NTSTATUS registry_query(const RTL_QUERY_REGISTRY_TABLE *entry, void *context) {
    const struct vidmm_host_setting *setting = NULL;
    if (entry->Name) {
        size_t units = 0;
        while (entry->Name[units] != 0)
            units++;
        setting = registry_find(entry->Name, units);
    }
    ULONG fallback = entry->DefaultType & 0xffffffu;
    if (setting) {
        bool wide = setting->value > UINT32_MAX;
        return registry_deliver(entry, wide ? REG_QWORD : REG_DWORD, &setting->value, wide ? 8 : 4,
                                context);
    }
    if (entry->Flags & RTL_QUERY_REGISTRY_REQUIRED)
        return STATUS_OBJECT_NAME_NOT_FOUND;
    if (fallback == REG_NONE || !entry->DefaultData)
        return STATUS_SUCCESS;
    ULONG length = entry->DefaultLength;
    if (length == 0)
        length = fallback == REG_QWORD ? 8 : 4;
    return registry_deliver(entry, fallback, entry->DefaultData, length, context);
}

NTSYSAPI NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path,
                                               PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                               PVOID Environment) {
    (void)RelativeTo;
    (void)Path;
    (void)Environment;
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlQueryRegistryValues"))
        return STATUS_UNSUCCESSFUL;
    for (; QueryTable->QueryRoutine || QueryTable->Name; QueryTable++) {
        if (QueryTable->Flags & RTL_QUERY_REGISTRY_SUBKEY)
            continue;
        NTSTATUS status = registry_query(QueryTable, Context);
        if (!NT_SUCCESS(status))
            return status;
    }
    return STATUS_SUCCESS;
}

/* A value that a driver writes is for the next boot; it is dropped. */
NTSYSAPI NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName,
                                              ULONG ValueType, PVOID ValueData, ULONG ValueLength) {
    (void)RelativeTo;
    (void)Path;
    (void)ValueName;
    (void)ValueType;
    (void)ValueData;
    (void)ValueLength;
    return host_irql_at_most(PASSIVE_LEVEL, "RtlWriteRegistryValue") ? STATUS_SUCCESS
                                                                     : STATUS_UNSUCCESSFUL;
}

NTKERNELAPI NTSTATUS NTAPI IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject,
                                                   ULONG DevInstKeyType, ACCESS_MASK DesiredAccess,
                                                   PHANDLE Key) {
    (void)DeviceObject;
    (void)DevInstKeyType;
    (void)DesiredAccess;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoOpenDeviceRegistryKey"))
        return STATUS_UNSUCCESSFUL;
    *Key = host_handle_open(HOST_HANDLE_KEY, host_world, NULL);
    return *Key ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

/* ---- Keys that the driver opens by name: the same values ------------------------------------- */

NTSYSAPI NTSTATUS NTAPI ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                                  POBJECT_ATTRIBUTES ObjectAttributes) {
    (void)ObjectAttributes;
    return IoOpenDeviceRegistryKey(NULL, 0, DesiredAccess, KeyHandle);
}

/* Only KEY_VALUE_PARTIAL_INFORMATION, with which drivers read a value. */
NTSYSAPI NTSTATUS NTAPI ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName,
                                        KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                        PVOID KeyValueInformation, ULONG Length,
                                        PULONG ResultLength) {
    KEY_VALUE_PARTIAL_INFORMATION *info = KeyValueInformation;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwQueryValueKey"))
        return STATUS_UNSUCCESSFUL;
    if (!host_handle_object(KeyHandle, HOST_HANDLE_KEY, "ZwQueryValueKey"))
        return STATUS_INVALID_HANDLE;
    if (KeyValueInformationClass != KeyValuePartialInformation)
        return STATUS_NOT_SUPPORTED;
    const struct vidmm_host_setting *setting =
        registry_find(ValueName->Buffer, ValueName->Length / sizeof(WCHAR));
    if (!setting)
        return STATUS_OBJECT_NAME_NOT_FOUND;
    ULONG bytes = setting->value > UINT32_MAX ? 8 : 4;
    *ResultLength = (ULONG)offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) + bytes;
    if (Length < *ResultLength)
        return Length < offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) ? STATUS_BUFFER_TOO_SMALL
                                                                      : STATUS_BUFFER_OVERFLOW;
    info->TitleIndex = 0;
    info->Type = bytes == 8 ? REG_QWORD : REG_DWORD;
    info->DataLength = bytes;
    memcpy(info->Data, &setting->value, bytes);
    return STATUS_SUCCESS;
}

/* A value that a driver writes is for the next boot; it is dropped. */
NTSYSAPI NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG TitleIndex,
                                      ULONG Type, PVOID Data, ULONG DataSize) {
    (void)ValueName;
    (void)TitleIndex;
    (void)Type;
    (void)Data;
    (void)DataSize;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwSetValueKey"))
        return STATUS_UNSUCCESSFUL;
    return host_handle_object(KeyHandle, HOST_HANDLE_KEY, "ZwSetValueKey") ? STATUS_SUCCESS
                                                                           : STATUS_INVALID_HANDLE;
}
