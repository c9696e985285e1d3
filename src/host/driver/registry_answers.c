/*
 * registry_answers.c - what keys and values are, in the structures of their classes (pages
 * nf-wdm-zwqueryvaluekey, nf-wdm-zwenumeratevaluekey, nf-wdm-zwquerykey, nf-wdm-zwenumeratekey): fixed
 * members, then a name, then data, of which the caller's buffer gets as much as it has room for.
 */
#include <string.h>

#include "base/world.h"
#include "driver/registry.h"
#include "driver/registry_keys.h"

struct answer {
    size_t fixed; /* bytes before the first variable part */
    size_t name, name_size, data, data_size;
    const void *name_from, *data_from;
    union {
        KEY_VALUE_BASIC_INFORMATION value_basic;
        KEY_VALUE_FULL_INFORMATION value_full;
        KEY_VALUE_PARTIAL_INFORMATION value_partial;
        KEY_BASIC_INFORMATION basic;
        KEY_NODE_INFORMATION node;
        KEY_FULL_INFORMATION full;
        KEY_NAME_INFORMATION name;
    } info;
};

/* As much of `size` bytes at `from` as the buffer has room for at `offset`. */
static void put_part(void *buffer, size_t room, size_t offset, const void *from, size_t size) {
    if (offset < room && size != 0)
        memcpy((char *)buffer + offset, from, size < room - offset ? size : room - offset);
}

static NTSTATUS answer_give(const struct answer *answer, PVOID buffer, ULONG room, PULONG length) {
    size_t end = answer->fixed;
    if (answer->name_size != 0)
        end = answer->name + answer->name_size;
    if (answer->data != 0)
        end = answer->data + answer->data_size;
    *length = (ULONG)end;
    if (room < answer->fixed)
        return STATUS_BUFFER_TOO_SMALL;
    put_part(buffer, room, 0, &answer->info, answer->fixed);
    put_part(buffer, room, answer->name, answer->name_from, answer->name_size);
    put_part(buffer, room, answer->data, answer->data_from, answer->data_size);
    return room < end ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

static void answer_name(struct answer *answer, size_t at, const WCHAR *name, size_t size) {
    answer->fixed = answer->name = at;
    answer->name_from = name;
    answer->name_size = size;
}

/* ---- Values --------------------------------------------------------------------------------------- */

static bool answer_value(struct answer *answer, KEY_VALUE_INFORMATION_CLASS class,
                         const struct host_value *value) {
    ULONG name = (ULONG)(value->units * sizeof(WCHAR));
    memset(answer, 0, sizeof(*answer));
    answer->data_from = value->data;
    answer->data_size = value->size;
    switch (class) {
    case KeyValueBasicInformation:
        answer_name(answer, offsetof(KEY_VALUE_BASIC_INFORMATION, Name), value->name, name);
        answer->data_size = 0;
        answer->info.value_basic =
            (KEY_VALUE_BASIC_INFORMATION){.Type = value->type, .NameLength = name};
        return true;
    case KeyValueFullInformation:
        answer_name(answer, offsetof(KEY_VALUE_FULL_INFORMATION, Name), value->name, name);
        answer->data = (answer->name + name + 7) & ~(size_t)7;
        answer->info.value_full = (KEY_VALUE_FULL_INFORMATION){.Type = value->type,
                                                               .DataOffset = (ULONG)answer->data,
                                                               .DataLength = value->size,
                                                               .NameLength = name};
        return true;
    case KeyValuePartialInformation:
        answer->fixed = answer->data = offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data);
        answer->info.value_partial =
            (KEY_VALUE_PARTIAL_INFORMATION){.Type = value->type, .DataLength = value->size};
        return true;
    default:
        return false;
    }
}

static NTSTATUS answer_give_value(const struct host_value *value, KEY_VALUE_INFORMATION_CLASS kind,
                                  PVOID to, ULONG room, PULONG needed) {
    struct answer answer;
    if (!answer_value(&answer, kind, value))
        return STATUS_INVALID_PARAMETER;
    return answer_give(&answer, to, room, needed);
}

NTSYSAPI NTSTATUS NTAPI ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName,
                                        KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                        PVOID KeyValueInformation, ULONG Length,
                                        PULONG ResultLength) {
    struct host_value value;
    struct host_key *key;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwQueryValueKey", &key);
    if (!NT_SUCCESS(status))
        return status;
    if (!host_key_value(key, ValueName->Buffer, ValueName->Length / sizeof(WCHAR), &value))
        return STATUS_OBJECT_NAME_NOT_FOUND;
    return answer_give_value(&value, KeyValueInformationClass, KeyValueInformation, Length,
                             ResultLength);
}

NTSYSAPI NTSTATUS NTAPI ZwEnumerateValueKey(HANDLE KeyHandle, ULONG Index,
                                            KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                            PVOID KeyValueInformation, ULONG Length,
                                            PULONG ResultLength) {
    struct host_value value;
    struct host_key *key;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwEnumerateValueKey", &key);
    if (!NT_SUCCESS(status))
        return status;
    if (!host_key_value_at(key, Index, &value))
        return STATUS_NO_MORE_ENTRIES;
    return answer_give_value(&value, KeyValueInformationClass, KeyValueInformation, Length,
                             ResultLength);
}

/* ---- Keys: none has a class ------------------------------------------------------------------------- */

static ULONG larger(ULONG most, size_t size) {
    return size > most ? (ULONG)size : most;
}

static void count_key(struct host_key *key, KEY_FULL_INFORMATION *full) {
    const WCHAR *name;
    size_t units;
    struct host_value value;
    for (; host_key_child(key, full->SubKeys, &name, &units); full->SubKeys++)
        full->MaxNameLen = larger(full->MaxNameLen, units * sizeof(WCHAR));
    for (; host_key_value_at(key, full->Values, &value); full->Values++) {
        full->MaxValueNameLen = larger(full->MaxValueNameLen, value.units * sizeof(WCHAR));
        full->MaxValueDataLen = larger(full->MaxValueDataLen, value.size);
    }
}

/* `name` is that of the key itself. */
static bool answer_key(struct answer *answer, KEY_INFORMATION_CLASS class, struct host_key *key,
                       const WCHAR *name, size_t units) {
    ULONG size = (ULONG)(units * sizeof(WCHAR));
    memset(answer, 0, sizeof(*answer));
    switch (class) {
    case KeyBasicInformation:
        answer_name(answer, offsetof(KEY_BASIC_INFORMATION, Name), name, size);
        answer->info.basic = (KEY_BASIC_INFORMATION){.NameLength = size};
        return true;
    case KeyNodeInformation:
        answer_name(answer, offsetof(KEY_NODE_INFORMATION, Name), name, size);
        answer->info.node = (KEY_NODE_INFORMATION){.ClassOffset = MAXULONG, .NameLength = size};
        return true;
    case KeyFullInformation:
        answer->fixed = offsetof(KEY_FULL_INFORMATION, Class);
        answer->info.full = (KEY_FULL_INFORMATION){.ClassOffset = MAXULONG};
        count_key(key, &answer->info.full);
        return true;
    default:
        return false;
    }
}

/* The name behind the last separator of the path, or the path. */
NTSYSAPI NTSTATUS NTAPI ZwQueryKey(HANDLE KeyHandle, KEY_INFORMATION_CLASS KeyInformationClass,
                                   PVOID KeyInformation, ULONG Length, PULONG ResultLength) {
    struct host_key *key;
    struct answer answer;
    WCHAR full[512] = {'\\'};
    size_t units, begin;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwQueryKey", &key);
    if (!NT_SUCCESS(status))
        return status;
    const WCHAR *path = host_key_path(key, &units);
    for (begin = units; begin != 0 && path[begin - 1] != '\\'; begin--)
        ;
    if (KeyInformationClass == KeyNameInformation) {
        size_t most = sizeof(full) / sizeof(full[0]) - 1;
        size_t bytes = (units < most ? units : most) * sizeof(WCHAR);
        memcpy(full + 1, path, bytes);
        memset(&answer, 0, sizeof(answer));
        answer_name(&answer, offsetof(KEY_NAME_INFORMATION, Name), full, bytes + sizeof(WCHAR));
        answer.info.name.NameLength = (ULONG)(bytes + sizeof(WCHAR));
    } else if (!answer_key(&answer, KeyInformationClass, key, path + begin, units - begin)) {
        return STATUS_INVALID_PARAMETER;
    }
    return answer_give(&answer, KeyInformation, Length, ResultLength);
}

NTSYSAPI NTSTATUS NTAPI ZwEnumerateKey(HANDLE KeyHandle, ULONG Index,
                                       KEY_INFORMATION_CLASS KeyInformationClass,
                                       PVOID KeyInformation, ULONG Length, PULONG ResultLength) {
    struct host_key *key, *child;
    struct answer answer;
    const WCHAR *name;
    size_t units;
    NTSTATUS status = host_registry_handle(KeyHandle, "ZwEnumerateKey", &key);
    if (!NT_SUCCESS(status))
        return status;
    if (!host_key_child(key, Index, &name, &units))
        return STATUS_NO_MORE_ENTRIES;
    child = host_key_at(key, name, units, NULL);
    if (!child)
        return STATUS_INSUFFICIENT_RESOURCES;
    if (!answer_key(&answer, KeyInformationClass, child, name, units))
        return STATUS_INVALID_PARAMETER;
    return answer_give(&answer, KeyInformation, Length, ResultLength);
}
