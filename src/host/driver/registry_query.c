/*
 * registry_query.c - RtlQueryRegistryValues (nf-wdm-rtlqueryregistryvalues): a table of values that
 * are stored where the driver wants them (RTL_QUERY_REGISTRY_DIRECT) or given to its routine.
 */
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "driver/registry.h"
#include "driver/registry_keys.h"

#define TAG_REGISTRY 0x67526c52u /* "RlRg" */

static bool is_string(ULONG type) {
    return type == REG_SZ || type == REG_EXPAND_SZ || type == REG_MULTI_SZ;
}

/* ---- RTL_QUERY_REGISTRY_DIRECT --------------------------------------------------------------- */

/* Into a UNICODE_STRING, for which memory is allocated if it has none. Its Length is without the
 * terminator. */
static NTSTATUS store_string(PUNICODE_STRING string, const WCHAR *text, ULONG size) {
    if (size > 0xfffe)
        return STATUS_BUFFER_TOO_SMALL;
    if (!string->Buffer) {
        string->Buffer = ExAllocatePoolWithTag(PagedPool, size + sizeof(WCHAR), TAG_REGISTRY);
        if (!string->Buffer)
            return STATUS_NO_MEMORY;
        string->MaximumLength = (USHORT)(size + sizeof(WCHAR));
    }
    if (size > string->MaximumLength)
        return STATUS_BUFFER_TOO_SMALL;
    size_t units = size / sizeof(WCHAR);
    memcpy(string->Buffer, text, units * sizeof(WCHAR));
    bool ended = units != 0 && text[units - 1] == 0;
    string->Length = (USHORT)((units - ended) * sizeof(WCHAR));
    if (!ended && string->Length + sizeof(WCHAR) <= string->MaximumLength)
        string->Buffer[units] = 0;
    return STATUS_SUCCESS;
}

/* Of more than 4 bytes: the buffer begins with its own size as a LONG, which is negative when only
 * the data is wanted. */
static NTSTATUS store_data(void *buffer, const struct host_value *value) {
    LONG size;
    if (value->size <= sizeof(ULONG)) {
        memcpy(buffer, value->data, value->size);
        return STATUS_SUCCESS;
    }
    memcpy(&size, buffer, sizeof(size));
    uint64_t room = size < 0 ? (uint64_t) - (int64_t)size : (uint64_t)size;
    uint64_t header = size < 0 ? 0 : 2 * sizeof(ULONG);
    if (room < header + value->size)
        return STATUS_BUFFER_TOO_SMALL;
    if (header != 0) {
        memcpy(buffer, &value->size, sizeof(ULONG));
        memcpy((char *)buffer + sizeof(ULONG), &value->type, sizeof(ULONG));
    }
    memcpy((char *)buffer + header, value->data, value->size);
    return STATUS_SUCCESS;
}

static NTSTATUS store_direct(const RTL_QUERY_REGISTRY_TABLE *entry,
                             const struct host_value *value) {
    if (value->type == REG_MULTI_SZ && !(entry->Flags & RTL_QUERY_REGISTRY_NOEXPAND))
        host_violation("RtlQueryRegistryValues stores a value of REG_MULTI_SZ directly without "
                       "RTL_QUERY_REGISTRY_NOEXPAND");
    return is_string(value->type) ? store_string(entry->EntryContext, value->data, value->size)
                                  : store_data(entry->EntryContext, value);
}

/* ---- Query routines -------------------------------------------------------------------------- */

/* The routine may write into what it gets, and finds a terminator behind a string. */
static NTSTATUS call_routine(const RTL_QUERY_REGISTRY_TABLE *entry, const struct host_value *value,
                             void *context) {
    size_t name = (value->units + 1) * sizeof(WCHAR);
    WCHAR *copy = calloc(1, name + value->size + sizeof(WCHAR));
    if (!copy)
        return STATUS_NO_MEMORY;
    if (value->units != 0)
        memcpy(copy, value->name, value->units * sizeof(WCHAR));
    void *data = (char *)copy + name;
    if (value->size != 0)
        memcpy(data, value->data, value->size);
    NTSTATUS status = DRIVER_CALL(entry->QueryRoutine)(value->name ? copy : NULL, value->type,
                                                       value->data ? data : NULL, value->size,
                                                       context, entry->EntryContext);
    free(copy);
    return status == STATUS_BUFFER_TOO_SMALL ? STATUS_SUCCESS : status;
}

/* Each string of REG_MULTI_SZ by itself. */
static NTSTATUS call_for_each(const RTL_QUERY_REGISTRY_TABLE *entry, const struct host_value *value,
                              void *context) {
    const WCHAR *text = value->data;
    size_t units = value->size / sizeof(WCHAR), begin = 0;
    NTSTATUS status = STATUS_SUCCESS;
    while (NT_SUCCESS(status) && begin < units && text[begin] != 0) {
        size_t end = begin;
        while (end < units && text[end] != 0)
            end++;
        struct host_value one = *value;
        one.type = REG_SZ;
        one.data = text + begin;
        one.size = (ULONG)((end - begin + (end < units)) * sizeof(WCHAR));
        status = call_routine(entry, &one, context);
        begin = end + 1;
    }
    return status;
}

static NTSTATUS registry_deliver(const RTL_QUERY_REGISTRY_TABLE *entry,
                                 const struct host_value *value, void *context) {
    struct host_value expanded = *value;
    if (entry->Flags & RTL_QUERY_REGISTRY_DIRECT)
        return store_direct(entry, value);
    if (!entry->QueryRoutine)
        return STATUS_SUCCESS;
    if (entry->Flags & RTL_QUERY_REGISTRY_NOEXPAND)
        return call_routine(entry, value, context);
    if (value->type == REG_MULTI_SZ)
        return call_for_each(entry, value, context);
    if (value->type == REG_EXPAND_SZ) /* there is no environment */
        expanded.type = REG_SZ;
    return call_routine(entry, &expanded, context);
}

/* ---- The table ------------------------------------------------------------------------------- */

static ULONG string_size(const WCHAR *text, ULONG type) {
    size_t units = 0;
    if (type == REG_MULTI_SZ)
        while (text[units] != 0)
            while (text[units++] != 0)
                ;
    else
        while (text[units] != 0)
            units++;
    return (ULONG)((units + 1) * sizeof(WCHAR));
}

/* A value that is not there: an error, the default, or nothing. */
static NTSTATUS query_default(const RTL_QUERY_REGISTRY_TABLE *entry, const struct host_value *name,
                              void *context) {
    struct host_value value = *name;
    value.type = entry->DefaultType & 0xffu;
    if (entry->Flags & RTL_QUERY_REGISTRY_REQUIRED)
        return STATUS_OBJECT_NAME_NOT_FOUND;
    if (value.type == REG_NONE || !entry->DefaultData)
        return STATUS_SUCCESS;
    value.data = entry->DefaultData;
    value.size = entry->DefaultLength;
    if (value.size == 0)
        value.size = is_string(value.type)     ? string_size(value.data, value.type)
                     : value.type == REG_QWORD ? 8
                                               : 4;
    return registry_deliver(entry, &value, context);
}

static NTSTATUS query_named(struct host_key *key, const RTL_QUERY_REGISTRY_TABLE *entry,
                            void *context) {
    struct host_value value = {.name = entry->Name, .units = host_wide_length(entry->Name)};
    ULONG expected = entry->DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    if (!host_key_value(key, value.name, value.units, &value))
        return query_default(entry, &value, context);
    if ((entry->Flags & RTL_QUERY_REGISTRY_TYPECHECK) && expected != value.type)
        return STATUS_OBJECT_TYPE_MISMATCH;
    NTSTATUS status = registry_deliver(entry, &value, context);
    if (NT_SUCCESS(status) && (entry->Flags & RTL_QUERY_REGISTRY_DELETE))
        (void)host_key_delete(key, value.name, value.units);
    return status;
}

/* Every value of the key, or only the call. */
static NTSTATUS query_all(struct host_key *key, const RTL_QUERY_REGISTRY_TABLE *entry,
                          void *context) {
    struct host_value value = {.type = REG_NONE};
    NTSTATUS status = STATUS_SUCCESS;
    if (entry->Flags & RTL_QUERY_REGISTRY_NOVALUE)
        return call_routine(entry, &value, context);
    for (size_t i = 0; NT_SUCCESS(status) && host_key_value_at(key, i, &value); i++)
        status = registry_deliver(entry, &value, context);
    return status;
}

/* No routine gets the value, and no flag says what else becomes of it. */
static bool entry_lost(const RTL_QUERY_REGISTRY_TABLE *entry) {
    const ULONG beside =
        RTL_QUERY_REGISTRY_NOEXPAND | RTL_QUERY_REGISTRY_NOVALUE | RTL_QUERY_REGISTRY_TYPECHECK;
    return !entry->QueryRoutine && (entry->Flags & ~beside) == 0;
}

static bool entry_good(const RTL_QUERY_REGISTRY_TABLE *entry) {
    if (entry_lost(entry)) {
        host_violation("RtlQueryRegistryValues was called with an entry that has neither a "
                       "QueryRoutine nor RTL_QUERY_REGISTRY_DIRECT");
        return false;
    }
    if (entry->Flags & RTL_QUERY_REGISTRY_DIRECT)
        return entry->Name && !entry->QueryRoutine && entry->EntryContext;
    if (entry->Flags & RTL_QUERY_REGISTRY_SUBKEY)
        return entry->Name;
    return true;
}

static NTSTATUS query_table(struct host_key *top, const RTL_QUERY_REGISTRY_TABLE *entry,
                            void *context) {
    struct host_key *key = top;
    NTSTATUS status = STATUS_SUCCESS;
    for (; NT_SUCCESS(status) && (entry->QueryRoutine || entry->Name); entry++) {
        if (!entry_good(entry))
            return STATUS_INVALID_PARAMETER;
        if (entry->Flags & (RTL_QUERY_REGISTRY_TOPKEY | RTL_QUERY_REGISTRY_SUBKEY))
            key = top;
        if (entry->Flags & RTL_QUERY_REGISTRY_SUBKEY)
            key = host_key_at(top, entry->Name, host_wide_length(entry->Name), NULL);
        else if (entry->Name)
            status = query_named(key, entry, context);
        else
            status = query_all(key, entry, context);
        if (!key)
            return STATUS_NO_MEMORY;
    }
    return status;
}

NTSYSAPI NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path,
                                               PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                               PVOID Environment) {
    struct host_key *key;
    (void)Environment;
    if (!host_irql_at_most(PASSIVE_LEVEL, "RtlQueryRegistryValues"))
        return STATUS_UNSUCCESSFUL;
    NTSTATUS status = host_registry_key(RelativeTo, Path, "RtlQueryRegistryValues", &key, NULL);
    return NT_SUCCESS(status) ? query_table(key, QueryTable, Context) : status;
}
