/* registry_test.c - values that drivers read and write: RtlQueryRegistryValues and keys. */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define KEY     ((PWSTR)(uintptr_t)u"Tiny")
#define W(text) ((PWSTR)(uintptr_t)u##text)

static struct vidmm_host *up(void) {
    static const struct vidmm_host_setting settings[] = {{"Small", 7},
                                                         {"Large", UINT64_C(1) << 40}};
    struct vidmm_host_config config = tiny_config();
    config.settings = settings;
    config.setting_count = 2;
    return tiny_up(&config);
}

static void down(struct vidmm_host *host, uint32_t violations) {
    struct vidmm_host_error error;
    assert_int_equal(vidmm_host_violations(host), violations);
    assert_true(tiny_down(host, &error));
}

static NTSTATUS query(RTL_QUERY_REGISTRY_TABLE *table, void *context) {
    return RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, KEY, table, context, NULL);
}

/* A table of one entry that stores its value directly. */
static NTSTATUS query_direct(PWSTR name, void *buffer, ULONG flags, ULONG type, const void *data,
                             ULONG length) {
    RTL_QUERY_REGISTRY_TABLE table[2] = {{.Flags = RTL_QUERY_REGISTRY_DIRECT | flags,
                                          .Name = name,
                                          .EntryContext = buffer,
                                          .DefaultType = type,
                                          .DefaultData = (PVOID)(uintptr_t)data,
                                          .DefaultLength = length}};
    return query(table, NULL);
}

static void write_value(PWSTR name, ULONG type, const void *data, ULONG size) {
    assert_int_equal(
        RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, KEY, name, type, (PVOID)(uintptr_t)data, size),
        STATUS_SUCCESS);
}

static void a_string_is_stored_in_the_room_of_its_unicode_string(void **state) {
    struct vidmm_host *host = up();
    struct {
        WCHAR room[4], after[12];
    } memory;
    UNICODE_STRING string = {.MaximumLength = sizeof(memory.room), .Buffer = memory.room};
    (void)state;
    memset(&memory, 0x55, sizeof(memory));
    /* The default is as long as a table says, or ends with its terminator. */
    assert_int_equal(query_direct(W("Absent"), &string, 0, REG_SZ, u"abc", 0), STATUS_SUCCESS);
    assert_int_equal(string.Length, 6);
    assert_memory_equal(memory.room, u"abc", 8);
    assert_int_equal(query_direct(W("Absent"), &string, 0, REG_SZ, u"abcd", 0),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(query_direct(W("Absent"), &string, 0, REG_SZ, u"xyz!", 8), STATUS_SUCCESS);
    assert_int_equal(string.Length, 8);
    assert_int_equal(memory.after[0], 0x5555);
    write_value(W("Text"), REG_SZ, u"a longer text", sizeof(u"a longer text"));
    assert_int_equal(query_direct(W("Text"), &string, 0, REG_NONE, NULL, 0),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(memory.after[0], 0x5555);
    assert_memory_equal(memory.room, u"xyz!", 8);
    down(host, 0);
}

static void a_unicode_string_without_a_buffer_gets_one(void **state) {
    static const WCHAR several[] = u"one\0two\0"; /* and the terminator of the list */
    struct vidmm_host *host = up();
    UNICODE_STRING string = {.Length = 0};
    (void)state;
    write_value(W("List"), REG_MULTI_SZ, several, sizeof(several));
    assert_int_equal(
        query_direct(W("list"), &string, RTL_QUERY_REGISTRY_NOEXPAND, REG_NONE, NULL, 0),
        STATUS_SUCCESS);
    assert_non_null(string.Buffer);
    assert_memory_equal(string.Buffer, several, sizeof(several));
    assert_true(string.MaximumLength >= sizeof(several));
    RtlFreeUnicodeString(&string);
    assert_int_equal(query_direct(W("Absent"), &string, 0, REG_EXPAND_SZ, u"%x%", 0),
                     STATUS_SUCCESS);
    assert_int_equal(string.Length, 6);
    RtlFreeUnicodeString(&string);
    down(host, 0);
}

static void data_is_stored_behind_its_size(void **state) {
    struct vidmm_host *host = up();
    union {
        LONG size;
        ULONG words[4];
        unsigned char bytes[16];
    } buffer;
    ULONG number = 0;
    (void)state;
    assert_int_equal(query_direct(W("small"), &number, 0, REG_NONE, NULL, 0), STATUS_SUCCESS);
    assert_int_equal(number, 7);
    buffer.size = 16;
    assert_int_equal(query_direct(W("LARGE"), &buffer, 0, REG_NONE, NULL, 0), STATUS_SUCCESS);
    assert_int_equal(buffer.words[0], 8);
    assert_int_equal(buffer.words[1], REG_QWORD);
    assert_int_equal(buffer.words[3], 1u << 8);
    buffer.size = -8;
    assert_int_equal(query_direct(W("Large"), &buffer, 0, REG_NONE, NULL, 0), STATUS_SUCCESS);
    assert_int_equal(buffer.words[1], 1u << 8);
    buffer.size = -7;
    assert_int_equal(query_direct(W("Large"), &buffer, 0, REG_NONE, NULL, 0),
                     STATUS_BUFFER_TOO_SMALL);
    write_value(W("Bytes"), REG_BINARY, "abc", 3);
    memset(&buffer, 0, sizeof(buffer));
    assert_int_equal(query_direct(W("Bytes"), &buffer, 0, REG_NONE, NULL, 0), STATUS_SUCCESS);
    assert_memory_equal(buffer.bytes, "abc\0", 4);
    down(host, 0);
}

static void types_are_checked_of_what_is_stored(void **state) {
    struct vidmm_host *host = up();
    const ULONG type = REG_SZ << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT, fallback = 9;
    ULONG number = 0;
    (void)state;
    assert_int_equal(query_direct(W("Small"), &number, RTL_QUERY_REGISTRY_TYPECHECK, type, NULL, 0),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(query_direct(W("Absent"), &number, RTL_QUERY_REGISTRY_TYPECHECK,
                                  type | REG_DWORD, &fallback, sizeof(fallback)),
                     STATUS_SUCCESS);
    assert_int_equal(number, 9);
    assert_int_equal(
        query_direct(W("Absent"), &number, RTL_QUERY_REGISTRY_REQUIRED, REG_NONE, NULL, 0),
        STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(query_direct(W("Absent"), &number, 0, REG_NONE, NULL, 0), STATUS_SUCCESS);
    RTL_QUERY_REGISTRY_TABLE nameless[2] = {
        {.Flags = RTL_QUERY_REGISTRY_SUBKEY, .QueryRoutine = (PRTL_QUERY_REGISTRY_ROUTINE)1}};
    assert_int_equal(query(nameless, NULL), STATUS_INVALID_PARAMETER);
    down(host, 0);
}

/* What a query routine was given. */
struct call {
    WCHAR name[16], text[16];
    ULONG type, length;
};
struct calls {
    struct call call[8];
    uint32_t count;
    NTSTATUS answer;
};

static NTSTATUS NTAPI note_call(PWSTR name, ULONG type, PVOID data, ULONG length, PVOID context,
                                PVOID entry) {
    struct calls *calls = context;
    struct call *call = &calls->call[calls->count++];
    assert_ptr_equal(entry, calls);
    memset(call, 0, sizeof(*call));
    for (size_t i = 0; name && name[i] != 0; i++)
        call->name[i] = name[i];
    call->type = type;
    call->length = length;
    if (data)
        memcpy(call->text, data, length);
    return calls->answer;
}

static void a_routine_gets_whole_values(void **state) {
    static const WCHAR several[] = u"one\0three\0";
    struct vidmm_host *host = up();
    struct calls calls = {.count = 0};
    RTL_QUERY_REGISTRY_TABLE table[2] = {
        {.QueryRoutine = note_call, .Name = W("List"), .EntryContext = &calls}};
    (void)state;
    write_value(W("List"), REG_MULTI_SZ, several, sizeof(several));
    assert_int_equal(query(table, &calls), STATUS_SUCCESS);
    assert_int_equal(calls.count, 2);
    assert_int_equal(calls.call[0].type, REG_SZ);
    assert_int_equal(calls.call[0].length, 8);
    assert_int_equal(calls.call[1].length, 12);
    assert_memory_equal(calls.call[1].text, u"three", 12);
    assert_memory_equal(calls.call[1].name, u"List", 10);
    table[0].Flags = RTL_QUERY_REGISTRY_NOEXPAND;
    assert_int_equal(query(table, &calls), STATUS_SUCCESS);
    assert_int_equal(calls.call[2].type, REG_MULTI_SZ);
    assert_int_equal(calls.call[2].length, sizeof(several));
    assert_memory_equal(calls.call[2].text, several, sizeof(several));
    /* Its error ends the table, but for one. */
    calls.answer = STATUS_BUFFER_TOO_SMALL;
    assert_int_equal(query(table, &calls), STATUS_SUCCESS);
    calls.answer = STATUS_UNSUCCESSFUL;
    assert_int_equal(query(table, &calls), STATUS_UNSUCCESSFUL);
    down(host, 0);
}

static void an_entry_that_nobody_gets_is_said_of(void **state) {
    struct vidmm_host *host = up();
    RTL_QUERY_REGISTRY_TABLE table[2] = {{.Name = u"small"}};
    (void)state;
    table[0].Flags = RTL_QUERY_REGISTRY_TYPECHECK;
    assert_int_equal(query(table, NULL), STATUS_INVALID_PARAMETER);
    table[0].Flags = RTL_QUERY_REGISTRY_REQUIRED; /* whether it is there */
    assert_int_equal(query(table, NULL), STATUS_SUCCESS);
    down(host, 1);
}

static void without_a_name_a_routine_gets_every_value_or_just_a_call(void **state) {
    struct vidmm_host *host = up();
    struct calls calls = {.count = 0};
    RTL_QUERY_REGISTRY_TABLE table[2] = {{.QueryRoutine = note_call, .EntryContext = &calls}};
    const ULONG number = 8;
    (void)state;
    write_value(W("Mine"), REG_SZ, u"x", 4);
    write_value(W("small"), REG_DWORD, &number, 4); /* instead of the setting */
    assert_int_equal(query(table, &calls), STATUS_SUCCESS);
    assert_int_equal(calls.count, 3);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 3; i++)
        seen += calls.call[i].type == REG_DWORD && calls.call[i].text[0] == 8;
    assert_int_equal(seen, 1);
    calls.count = 0;
    table[0].Flags = RTL_QUERY_REGISTRY_NOVALUE;
    assert_int_equal(query(table, &calls), STATUS_SUCCESS);
    assert_int_equal(calls.count, 1);
    assert_int_equal(calls.call[0].type, REG_NONE);
    assert_int_equal(calls.call[0].length, 0);
    down(host, 0);
}

static void what_is_written_into_a_key_is_read_from_it_alone(void **state) {
    struct vidmm_host *host = up();
    const ULONG one = 1, two = 2;
    ULONG top = 0, sub = 0, again = 0;
    RTL_QUERY_REGISTRY_TABLE table[5] = {
        {.Flags = RTL_QUERY_REGISTRY_SUBKEY, .Name = W("Sub")},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = W("Value"), .EntryContext = &sub},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TOPKEY,
         .Name = W("Value"),
         .EntryContext = &top},
    };
    (void)state;
    write_value(W("Value"), REG_DWORD, &one, 4);
    assert_int_equal(RtlWriteRegistryValue(RTL_REGISTRY_ABSOLUTE,
                                           u"\\REGISTRY\\MACHINE\\SYSTEM\\CurrentControlSet"
                                           u"\\services\\TINY\\Sub\\",
                                           u"Value", REG_DWORD, (PVOID)(uintptr_t)&two, 4),
                     STATUS_SUCCESS);
    assert_int_equal(query(table, NULL), STATUS_SUCCESS);
    assert_int_equal(top, 1);
    assert_int_equal(sub, 2);
    /* Read once, then gone; so is a setting. */
    assert_int_equal(query_direct(W("value"), &again, RTL_QUERY_REGISTRY_DELETE, 0, NULL, 0),
                     STATUS_SUCCESS);
    assert_int_equal(again, 1);
    assert_int_equal(query_direct(W("Value"), &again, RTL_QUERY_REGISTRY_REQUIRED, 0, NULL, 0),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(RtlDeleteRegistryValue(RTL_REGISTRY_SERVICES, KEY, u"Small"), STATUS_SUCCESS);
    assert_int_equal(RtlDeleteRegistryValue(RTL_REGISTRY_SERVICES, KEY, u"Small"),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    down(host, 0);
}

static void keys_are_opened_and_kept(void **state) {
    struct vidmm_host *host = up();
    DECLARE_CONST_UNICODE_STRING(path, u"\\Registry\\Machine\\Software\\Tiny");
    DECLARE_CONST_UNICODE_STRING(sub, u"Sub");
    DECLARE_CONST_UNICODE_STRING(name, u"Größe");
    DECLARE_CONST_UNICODE_STRING(same, u"GRÖßE");
    PUNICODE_STRING wanted = (PUNICODE_STRING)(uintptr_t)&name;
    OBJECT_ATTRIBUTES attributes;
    union {
        KEY_VALUE_FULL_INFORMATION full;
        KEY_VALUE_BASIC_INFORMATION basic;
        unsigned char room[64];
    } value;
    HANDLE key, inner;
    ULONG disposition = 0, length = 0;
    uint64_t data = 5;
    (void)state;
    InitializeObjectAttributes(&attributes, (PUNICODE_STRING)(uintptr_t)&path, OBJ_CASE_INSENSITIVE,
                               NULL, NULL);
    assert_int_equal(ZwCreateKey(&key, KEY_ALL_ACCESS, &attributes, 0, NULL,
                                 REG_OPTION_NON_VOLATILE, &disposition),
                     STATUS_SUCCESS);
    assert_int_equal(disposition, REG_CREATED_NEW_KEY);
    InitializeObjectAttributes(&attributes, (PUNICODE_STRING)(uintptr_t)&sub, 0, key, NULL);
    assert_int_equal(ZwOpenKey(&inner, KEY_READ, &attributes), STATUS_SUCCESS);
    assert_int_equal(ZwSetValueKey(inner, wanted, 0, REG_QWORD, &data, 8), STATUS_SUCCESS);
    assert_int_equal(ZwClose(inner), STATUS_SUCCESS);
    assert_int_equal(ZwSetValueKey(inner, wanted, 0, REG_QWORD, &data, 8), STATUS_INVALID_HANDLE);
    assert_int_equal(ZwCreateKey(&inner, KEY_READ, &attributes, 0, NULL, 0, &disposition),
                     STATUS_SUCCESS);
    assert_int_equal(disposition, REG_OPENED_EXISTING_KEY);
    assert_int_equal(ZwQueryValueKey(inner, (PUNICODE_STRING)(uintptr_t)&same,
                                     KeyValueFullInformation, &value, sizeof(value), &length),
                     STATUS_SUCCESS);
    assert_int_equal(value.full.NameLength, name.Length);
    assert_memory_equal(value.full.Name, name.Buffer, name.Length);
    assert_memory_equal(value.room + value.full.DataOffset, &data, 8);
    assert_int_equal(length, value.full.DataOffset + 8);
    assert_int_equal(ZwQueryValueKey(inner, wanted, KeyValueBasicInformation, &value, 14, &length),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(length, 12 + name.Length);
    assert_int_equal(value.basic.Name[0], 'G');
    assert_int_equal(ZwQueryValueKey(inner, wanted, MaxKeyValueInfoClass, &value, 64, &length),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(ZwDeleteValueKey(inner, wanted), STATUS_SUCCESS);
    assert_int_equal(ZwQueryValueKey(inner, wanted, KeyValueBasicInformation, &value, 64, &length),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwClose(inner), STATUS_SUCCESS);
    assert_int_equal(ZwClose(key), STATUS_SUCCESS);
    down(host, 1); /* the closed handle */
}

static HANDLE key_of(HANDLE root, const WCHAR *name) {
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES attributes;
    HANDLE key = NULL;
    RtlInitUnicodeString(&text, name);
    InitializeObjectAttributes(&attributes, &text, OBJ_CASE_INSENSITIVE, root, NULL);
    assert_int_equal(ZwCreateKey(&key, KEY_ALL_ACCESS, &attributes, 0, NULL, 0, NULL),
                     STATUS_SUCCESS);
    return key;
}

static void keys_and_values_are_counted_and_enumerated(void **state) {
    struct vidmm_host *host = up();
    UNICODE_STRING name;
    union {
        KEY_BASIC_INFORMATION basic;
        KEY_FULL_INFORMATION full;
        KEY_NAME_INFORMATION name;
        KEY_VALUE_BASIC_INFORMATION value;
        unsigned char room[256];
    } info;
    ULONG length = 0, seen = 0;
    HANDLE top = key_of(NULL, u"\\Registry\\Machine\\Software\\Counted");
    HANDLE one = key_of(top, u"One"), deep = key_of(top, u"Two\\Deep"),
           other = key_of(top, u"Two\\Flat");
    (void)state;
    assert_int_equal(ZwEnumerateKey(top, 0, KeyBasicInformation, &info, sizeof(info), &length),
                     STATUS_SUCCESS);
    assert_int_equal(info.basic.NameLength, 6);
    assert_memory_equal(info.basic.Name, u"One", 6);
    assert_int_equal(length, offsetof(KEY_BASIC_INFORMATION, Name) + 6);
    assert_int_equal(ZwEnumerateKey(top, 1, KeyBasicInformation, &info, sizeof(info), &length),
                     STATUS_SUCCESS);
    assert_memory_equal(info.basic.Name, u"Two", 6);
    assert_int_equal(ZwEnumerateKey(top, 2, KeyBasicInformation, &info, sizeof(info), &length),
                     STATUS_NO_MORE_ENTRIES);
    assert_int_equal(ZwEnumerateKey(top, 0, KeyBasicInformation, &info, 8, &length),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(ZwEnumerateKey(top, 0, KeyBasicInformation, &info, 18, &length),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(ZwEnumerateKey(top, 0, MaxKeyInfoClass, &info, sizeof(info), &length),
                     STATUS_INVALID_PARAMETER);
    RtlInitUnicodeString(&name, u"Longer");
    assert_int_equal(ZwSetValueKey(top, &name, 0, REG_SZ, W("text"), 10), STATUS_SUCCESS);
    assert_int_equal(ZwQueryKey(top, KeyFullInformation, &info, sizeof(info), &length),
                     STATUS_SUCCESS);
    assert_int_equal(info.full.SubKeys, 2);
    assert_int_equal(info.full.MaxNameLen, 6);
    assert_int_equal(info.full.MaxValueNameLen, 12);
    assert_int_equal(info.full.MaxValueDataLen, 10);
    ULONG values = info.full.Values;
    for (ULONG i = 0; i < values; i++) {
        assert_int_equal(
            ZwEnumerateValueKey(top, i, KeyValueBasicInformation, &info, sizeof(info), &length),
            STATUS_SUCCESS);
        seen += info.value.Type == REG_SZ && info.value.NameLength == 12;
    }
    assert_int_equal(seen, 1);
    assert_int_equal(
        ZwEnumerateValueKey(top, values, KeyValueBasicInformation, &info, sizeof(info), &length),
        STATUS_NO_MORE_ENTRIES);
    assert_int_equal(ZwQueryKey(deep, KeyNodeInformation, &info, sizeof(info), &length),
                     STATUS_SUCCESS);
    assert_int_equal(ZwQueryKey(one, KeyNameInformation, &info, sizeof(info), &length),
                     STATUS_SUCCESS);
    assert_memory_equal(info.name.Name, u"\\Registry\\Machine\\Software\\Counted\\One", 76);
    assert_int_equal(info.name.NameLength, 76);
    HANDLE all[] = {top, one, deep, other};
    for (size_t i = 0; i < 4; i++)
        ZwClose(all[i]);
    down(host, 0);
}

static void a_deleted_key_is_gone_for_all_its_handles(void **state) {
    struct vidmm_host *host = up();
    HANDLE top = key_of(NULL, u"\\Registry\\Machine\\Software\\Gone");
    HANDLE sub = key_of(top, u"Sub"), again = key_of(top, u"Sub");
    unsigned char room[64];
    ULONG length;
    (void)state;
    assert_int_equal(ZwDeleteKey(top), STATUS_CANNOT_DELETE);
    assert_int_equal(ZwDeleteKey(sub), STATUS_SUCCESS);
    assert_int_equal(ZwFlushKey(again), STATUS_KEY_DELETED);
    assert_int_equal(ZwEnumerateKey(top, 0, KeyBasicInformation, room, 64, &length),
                     STATUS_NO_MORE_ENTRIES);
    ZwClose(sub);
    ZwClose(again);
    assert_int_equal(ZwDeleteKey(top), STATUS_SUCCESS);
    ZwClose(top);
    down(host, 0);
    host = up();
    assert_int_equal(ZwDeleteKey((HANDLE)8), STATUS_INVALID_HANDLE);
    down(host, 1);
}

/* Every key is there; what is no place is not. */
static void keys_by_path_are_created_and_checked(void **state) {
    struct vidmm_host *host = up();
    ULONG one = 1;
    (void)state;
    assert_int_equal(RtlCreateRegistryKey(RTL_REGISTRY_SERVICES, W("Tiny\\Made")), STATUS_SUCCESS);
    assert_int_equal(RtlCheckRegistryKey(RTL_REGISTRY_SERVICES, W("Tiny\\Made")), STATUS_SUCCESS);
    assert_int_equal(RtlCheckRegistryKey(99, W("Tiny")), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlCreateRegistryKey(99, W("Tiny")), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlWriteRegistryValue(99, u"Tiny", u"x", REG_DWORD, &one, 4),
                     STATUS_INVALID_PARAMETER);
    KIRQL old;
    KeRaiseIrql(APC_LEVEL, &old);
    assert_int_equal(RtlCheckRegistryKey(RTL_REGISTRY_SERVICES, W("Tiny")), STATUS_UNSUCCESSFUL);
    KeLowerIrql(old);
    down(host, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_is_stored_in_the_room_of_its_unicode_string),
        cmocka_unit_test(a_unicode_string_without_a_buffer_gets_one),
        cmocka_unit_test(data_is_stored_behind_its_size),
        cmocka_unit_test(types_are_checked_of_what_is_stored),
        cmocka_unit_test(a_routine_gets_whole_values),
        cmocka_unit_test(an_entry_that_nobody_gets_is_said_of),
        cmocka_unit_test(without_a_name_a_routine_gets_every_value_or_just_a_call),
        cmocka_unit_test(what_is_written_into_a_key_is_read_from_it_alone),
        cmocka_unit_test(keys_are_opened_and_kept),
        cmocka_unit_test(keys_and_values_are_counted_and_enumerated),
        cmocka_unit_test(a_deleted_key_is_gone_for_all_its_handles),
        cmocka_unit_test(keys_by_path_are_created_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
