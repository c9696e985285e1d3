/*
 * registry.c - the registry's names of ntoskrnl: keys by path and by handle, values written.
 *
 * registry_keys.h has the keys, registry_answers.c what they and their values are, registry_query.c
 * RtlQueryRegistryValues.
 */
#include "driver/registry.h"

#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/irps.h"
#include "driver/registry_keys.h"
#include "kernel/handles.h"

#define SYSTEM u"Registry\\Machine\\System\\CurrentControlSet\\"

size_t host_wide_length(const WCHAR *text) {
    size_t units = 0;
    while (text && text[units] != 0)
        units++;
    return units;
}

/* The key below which a relative path begins (nf-wdm-rtlqueryregistryvalues); NULL: there is no such
 * place. */
static const WCHAR *known_path(ULONG relative) {
    static const WCHAR *const known[] = {
        [RTL_REGISTRY_ABSOLUTE] = u"",
        [RTL_REGISTRY_SERVICES] = SYSTEM u"Services",
        [RTL_REGISTRY_CONTROL] = SYSTEM u"Control",
        [RTL_REGISTRY_WINDOWS_NT] =
            u"Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion",
        [RTL_REGISTRY_DEVICEMAP] = u"Registry\\Machine\\Hardware\\DeviceMap",
        [RTL_REGISTRY_USER] = u"Registry\\User\\CurrentUser",
    };
    return relative < sizeof(known) / sizeof(known[0]) ? known[relative] : NULL;
}

NTSTATUS host_registry_key(ULONG relative, PCWSTR path, const char *function, struct host_key **key,
                           bool *created) {
    if (relative & RTL_REGISTRY_HANDLE) {
        *key = host_handle_object((HANDLE)(uintptr_t)path, HOST_HANDLE_KEY, function);
        return *key ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
    }
    const WCHAR *known = known_path(relative & ~RTL_REGISTRY_OPTIONAL);
    if (!known)
        return STATUS_INVALID_PARAMETER;
    struct host_key *root = host_key_at(NULL, known, host_wide_length(known), NULL);
    *key = root ? host_key_at(root, path, host_wide_length(path), created) : NULL;
    return *key ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS key_set(struct host_key *key, const struct host_value *value) {
    return host_key_set(key, value) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

/* ---- By path --------------------------------------------------------------------------------- */

NTSYSAPI NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName,
                                              ULONG ValueType, PVOID ValueData, ULONG ValueLength) {
    struct host_value value = {ValueName, host_wide_length(ValueName), ValueType, ValueLength,
                               ValueData};
    struct host_key *key;
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlWriteRegistryValue"))
        return STATUS_UNSUCCESSFUL;
    NTSTATUS status = host_registry_key(RelativeTo, Path, "RtlWriteRegistryValue", &key, NULL);
    return NT_SUCCESS(status) ? key_set(key, &value) : status;
}

NTSYSAPI NTSTATUS NTAPI RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName) {
    struct host_key *key;
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlDeleteRegistryValue"))
        return STATUS_UNSUCCESSFUL;
    NTSTATUS status = host_registry_key(RelativeTo, Path, "RtlDeleteRegistryValue", &key, NULL);
    if (NT_SUCCESS(status) && !host_key_delete(key, ValueName, host_wide_length(ValueName)))
        return STATUS_OBJECT_NAME_NOT_FOUND;
    return status;
}

NTSYSAPI NTSTATUS NTAPI RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path) {
    struct host_key *key;
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlCreateRegistryKey"))
        return STATUS_UNSUCCESSFUL;
    return host_registry_key(RelativeTo, Path, "RtlCreateRegistryKey", &key, NULL);
}

/* Every key is there. */
NTSYSAPI NTSTATUS NTAPI RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path) {
    struct host_key *key;
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlCheckRegistryKey"))
        return STATUS_UNSUCCESSFUL;
    return host_registry_key(RelativeTo, Path, "RtlCheckRegistryKey", &key, NULL);
}

/* ---- By handle ------------------------------------------------------------------------------- */

static NTSTATUS key_open(struct host_key *key, PHANDLE handle) {
    *handle = key ? host_handle_open(HOST_HANDLE_KEY, key, NULL) : NULL;
    return *handle ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

/* The key that the attributes name, from a handle of another one or from the top. */
static NTSTATUS attributes_open(const OBJECT_ATTRIBUTES *attributes, const char *function,
                                PHANDLE handle, bool *created) {
    const UNICODE_STRING none = {.Length = 0}, *name = attributes ? attributes->ObjectName : NULL;
    struct host_key *root = NULL;
    *handle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return STATUS_UNSUCCESSFUL;
    if (attributes && attributes->RootDirectory) {
        root = host_handle_object(attributes->RootDirectory, HOST_HANDLE_KEY, function);
        if (!root)
            return STATUS_INVALID_HANDLE;
    }
    name = name ? name : &none;
    return key_open(host_key_at(root, name->Buffer, name->Length / sizeof(WCHAR), created), handle);
}

NTSYSAPI NTSTATUS NTAPI ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                                  POBJECT_ATTRIBUTES ObjectAttributes) {
    (void)DesiredAccess;
    return attributes_open(ObjectAttributes, "ZwOpenKey", KeyHandle, NULL);
}

NTSYSAPI NTSTATUS NTAPI ZwCreateKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                                    POBJECT_ATTRIBUTES ObjectAttributes, ULONG TitleIndex,
                                    PUNICODE_STRING Class, ULONG CreateOptions,
                                    PULONG Disposition) {
    bool created = false;
    (void)DesiredAccess;
    (void)TitleIndex;
    (void)Class;
    (void)CreateOptions;
    NTSTATUS status = attributes_open(ObjectAttributes, "ZwCreateKey", KeyHandle, &created);
    if (NT_SUCCESS(status) && Disposition)
        *Disposition = created ? REG_CREATED_NEW_KEY : REG_OPENED_EXISTING_KEY;
    return status;
}

/* Each device has a key, and its driver another one. */
NTKERNELAPI NTSTATUS NTAPI IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject,
                                                   ULONG DevInstKeyType, ACCESS_MASK DesiredAccess,
                                                   PHANDLE Key) {
    WCHAR device[] = u"Enum\\PCI\\0000000000000000", driver[] = u"Control\\Class\\0000000000000000";
    ULONG kind = DevInstKeyType & ~(ULONG)PLUGPLAY_REGKEY_CURRENT_HWPROFILE;
    bool hardware = kind == PLUGPLAY_REGKEY_DEVICE;
    WCHAR *path = hardware ? device : driver;
    size_t units = host_wide_length(path);
    (void)DesiredAccess;
    *Key = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoOpenDeviceRegistryKey"))
        return STATUS_UNSUCCESSFUL;
    if ((!hardware && kind != PLUGPLAY_REGKEY_DRIVER) || !host_device_of_bus(DeviceObject))
        return STATUS_INVALID_PARAMETER;
    for (size_t i = 0; i < 16; i++)
        path[units - 1 - i] = (WCHAR) "0123456789ABCDEF"[(uintptr_t)DeviceObject >> 4 * i & 15];
    struct host_key *root = host_key_at(NULL, SYSTEM, host_wide_length(SYSTEM), NULL);
    return key_open(root ? host_key_at(root, path, units, NULL) : NULL, Key);
}

NTSTATUS host_registry_handle(HANDLE handle, const char *function, struct host_key **key) {
    *key = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return STATUS_UNSUCCESSFUL;
    *key = host_handle_object(handle, HOST_HANDLE_KEY, function);
    if (!*key)
        return STATUS_INVALID_HANDLE;
    return host_key_deleted(*key) ? STATUS_KEY_DELETED : STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI ZwFlushKey(HANDLE KeyHandle) {
    struct host_key *key;
    return host_registry_handle(KeyHandle, "ZwFlushKey", &key);
}

NTSYSAPI NTSTATUS NTAPI ZwDeleteKey(HANDLE KeyHandle) {
    struct host_key *key;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwDeleteKey", &key);
    if (NT_SUCCESS(status) && !host_key_remove(key))
        return STATUS_CANNOT_DELETE;
    return status;
}

NTSYSAPI NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG TitleIndex,
                                      ULONG Type, PVOID Data, ULONG DataSize) {
    struct host_value value = {ValueName->Buffer, ValueName->Length / sizeof(WCHAR), Type, DataSize,
                               Data};
    struct host_key *key;
    (void)TitleIndex;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwSetValueKey", &key);
    return NT_SUCCESS(status) ? key_set(key, &value) : status;
}

NTSYSAPI NTSTATUS NTAPI ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
    struct host_key *key;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwDeleteValueKey", &key);
    if (NT_SUCCESS(status) &&
        !host_key_delete(key, ValueName->Buffer, ValueName->Length / sizeof(WCHAR)))
        return STATUS_OBJECT_NAME_NOT_FOUND;
    return status;
}
