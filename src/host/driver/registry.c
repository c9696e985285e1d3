/*
 * registry.c - the registry's names of ntoskrnl: keys by path and by handle, values read and written.
 *
 * registry_keys.h has the keys, registry_query.c RtlQueryRegistryValues.
 */
#include "driver/registry.h"

#include <string.h>

#include "base/thread.h"
#include "base/world.h"
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
    bool hardware = (DevInstKeyType & PLUGPLAY_REGKEY_DEVICE) != 0;
    WCHAR *path = hardware ? device : driver;
    size_t units = host_wide_length(path);
    (void)DesiredAccess;
    *Key = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoOpenDeviceRegistryKey"))
        return STATUS_UNSUCCESSFUL;
    for (size_t i = 0; i < 16; i++)
        path[units - 1 - i] = (WCHAR) "0123456789ABCDEF"[(uintptr_t)DeviceObject >> 4 * i & 15];
    struct host_key *root = host_key_at(NULL, SYSTEM, host_wide_length(SYSTEM), NULL);
    return key_open(root ? host_key_at(root, path, units, NULL) : NULL, Key);
}

NTSYSAPI NTSTATUS NTAPI ZwFlushKey(HANDLE KeyHandle) {
    host_irql_at_most(PASSIVE_LEVEL, "ZwFlushKey");
    return host_handle_object(KeyHandle, HOST_HANDLE_KEY, "ZwFlushKey") ? STATUS_SUCCESS
                                                                        : STATUS_INVALID_HANDLE;
}

NTSYSAPI NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG TitleIndex,
                                      ULONG Type, PVOID Data, ULONG DataSize) {
    (void)TitleIndex;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwSetValueKey"))
        return STATUS_UNSUCCESSFUL;
    struct host_key *key = host_handle_object(KeyHandle, HOST_HANDLE_KEY, "ZwSetValueKey");
    return key ? key_set(key,
                         &(struct host_value){ValueName->Buffer, ValueName->Length / sizeof(WCHAR),
                                              Type, DataSize, Data})
               : STATUS_INVALID_HANDLE;
}

NTSYSAPI NTSTATUS NTAPI ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwDeleteValueKey"))
        return STATUS_UNSUCCESSFUL;
    struct host_key *key = host_handle_object(KeyHandle, HOST_HANDLE_KEY, "ZwDeleteValueKey");
    if (!key)
        return STATUS_INVALID_HANDLE;
    return host_key_delete(key, ValueName->Buffer, ValueName->Length / sizeof(WCHAR))
               ? STATUS_SUCCESS
               : STATUS_OBJECT_NAME_NOT_FOUND;
}

/* ---- What a value is ------------------------------------------------------------------------- */

/* The parts of an answer: fixed members, then the name, then the data. */
struct answer {
    size_t fixed; /* bytes before the first variable part */
    size_t name, data;
    union {
        KEY_VALUE_BASIC_INFORMATION basic;
        KEY_VALUE_FULL_INFORMATION full;
        KEY_VALUE_PARTIAL_INFORMATION partial;
    } info;
};

static bool answer_make(struct answer *answer, KEY_VALUE_INFORMATION_CLASS class,
                        const struct host_value *value) {
    ULONG name = (ULONG)(value->units * sizeof(WCHAR));
    memset(answer, 0, sizeof(*answer));
    switch (class) {
    case KeyValueBasicInformation:
        answer->fixed = answer->data = offsetof(KEY_VALUE_BASIC_INFORMATION, Name);
        answer->info.basic = (KEY_VALUE_BASIC_INFORMATION){.Type = value->type, .NameLength = name};
        answer->name = answer->fixed;
        return true;
    case KeyValueFullInformation:
        answer->fixed = answer->name = offsetof(KEY_VALUE_FULL_INFORMATION, Name);
        answer->data = (answer->name + name + 7) & ~(size_t)7;
        answer->info.full = (KEY_VALUE_FULL_INFORMATION){.Type = value->type,
                                                         .DataOffset = (ULONG)answer->data,
                                                         .DataLength = value->size,
                                                         .NameLength = name};
        return true;
    case KeyValuePartialInformation:
        answer->fixed = answer->data = offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data);
        answer->info.partial =
            (KEY_VALUE_PARTIAL_INFORMATION){.Type = value->type, .DataLength = value->size};
        return true;
    default:
        return false;
    }
}

/* As much of `size` bytes at `from` as the buffer has room for at `offset`. */
static void put_part(void *buffer, size_t room, size_t offset, const void *from, size_t size) {
    if (offset < room && size != 0)
        memcpy((char *)buffer + offset, from, size < room - offset ? size : room - offset);
}

NTSYSAPI NTSTATUS NTAPI ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName,
                                        KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                        PVOID KeyValueInformation, ULONG Length,
                                        PULONG ResultLength) {
    struct host_value value;
    struct answer answer;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwQueryValueKey"))
        return STATUS_UNSUCCESSFUL;
    struct host_key *key = host_handle_object(KeyHandle, HOST_HANDLE_KEY, "ZwQueryValueKey");
    if (!key)
        return STATUS_INVALID_HANDLE;
    if (!host_key_value(key, ValueName->Buffer, ValueName->Length / sizeof(WCHAR), &value))
        return STATUS_OBJECT_NAME_NOT_FOUND;
    if (!answer_make(&answer, KeyValueInformationClass, &value))
        return STATUS_INVALID_PARAMETER;
    bool named = KeyValueInformationClass != KeyValuePartialInformation;
    bool filled = KeyValueInformationClass != KeyValueBasicInformation;
    size_t name = named ? value.units * sizeof(WCHAR) : 0, data = filled ? value.size : 0;
    size_t end = filled ? answer.data + data : answer.name + name;
    *ResultLength = (ULONG)end;
    if (Length < answer.fixed)
        return STATUS_BUFFER_TOO_SMALL;
    put_part(KeyValueInformation, Length, 0, &answer.info, answer.fixed);
    put_part(KeyValueInformation, Length, answer.name, value.name, name);
    put_part(KeyValueInformation, Length, answer.data, value.data, data);
    return Length < end ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}
