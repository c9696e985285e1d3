/*
 * sections_test.c - sections and their views, memory by addresses, handles and names of objects, at the
 * edges of their pages.
 */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define PAGES(n) ((SIZE_T)(n)*4096)

static NTSTATUS section_new(HANDLE *section, const WCHAR *name, ULONG flags, LONGLONG size,
                            ULONG protection) {
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES attributes;
    LARGE_INTEGER bytes = {.QuadPart = size};
    RtlInitUnicodeString(&text, name);
    InitializeObjectAttributes(&attributes, &text, OBJ_KERNEL_HANDLE | flags, NULL, NULL);
    return ZwCreateSection(section, SECTION_ALL_ACCESS, &attributes, &bytes, protection, SEC_COMMIT,
                           NULL);
}

static NTSTATUS view_new(HANDLE section, PVOID *base, LONGLONG *offset, SIZE_T *size,
                         ULONG protection) {
    LARGE_INTEGER at = {.QuadPart = offset ? *offset : 0};
    NTSTATUS status = ZwMapViewOfSection(section, ZwCurrentProcess(), base, 0, 0,
                                         offset ? &at : NULL, size, ViewUnmap, 0, protection);
    if (offset)
        *offset = at.QuadPart;
    return status;
}

static void views_of_a_section_show_the_same_bytes(void **state) {
    HANDLE section;
    PVOID one = NULL, two = NULL;
    SIZE_T whole = 0, part = 100;
    LONGLONG offset = 0x1ffff;
    (void)state;
    assert_int_equal(section_new(&section, u"", 0, 0x20001, PAGE_READWRITE), STATUS_SUCCESS);
    assert_int_equal(view_new(section, &one, NULL, &whole, PAGE_READWRITE), STATUS_SUCCESS);
    assert_int_equal(whole, 0x21000); /* rounded up to pages */
    assert_int_equal((uintptr_t)one & 0xffff, 0);
    assert_int_equal(view_new(section, &two, &offset, &part, PAGE_READONLY), STATUS_SUCCESS);
    assert_int_equal(offset, 0x10000); /* rounded down to the granularity */
    assert_int_equal(part, 4096);
    ((char *)one)[0x10010] = 'x';
    assert_int_equal(((char *)two)[0x10], 'x');
    assert_int_equal(ZwClose(section), STATUS_SUCCESS); /* the views keep the section */
    assert_int_equal(((char *)two)[0x10], 'x');
    assert_int_equal(ZwUnmapViewOfSection(ZwCurrentProcess(), (char *)one + 0x5000),
                     STATUS_SUCCESS); /* any address of it */
    assert_int_equal(ZwUnmapViewOfSection(ZwCurrentProcess(), one), STATUS_NOT_MAPPED_VIEW);
    assert_int_equal(ZwUnmapViewOfSection(ZwCurrentProcess(), two), STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void a_section_refuses_what_its_page_says(void **state) {
    HANDLE section = (HANDLE)1, reads;
    PVOID base = NULL;
    SIZE_T size = 0;
    (void)state;
    assert_int_equal(section_new(&section, u"", 0, 4096, PAGE_NOACCESS),
                     STATUS_INVALID_PAGE_PROTECTION);
    assert_null(section);
    assert_int_equal(section_new(&section, u"", 0, INT64_MAX, PAGE_READWRITE),
                     STATUS_SECTION_TOO_BIG);
    assert_int_equal(section_new(&section, u"", 0, 0, PAGE_READWRITE), STATUS_INVALID_PARAMETER_4);
    assert_int_equal(section_new(&reads, u"", 0, 4096, PAGE_READONLY), STATUS_SUCCESS);
    assert_int_equal(view_new(reads, &base, NULL, &size, PAGE_READWRITE),
                     STATUS_SECTION_PROTECTION);
    assert_int_equal(view_new(reads, &base, NULL, &size, 0x1234), STATUS_INVALID_PAGE_PROTECTION);
    size = PAGES(2);
    assert_int_equal(view_new(reads, &base, NULL, &size, PAGE_READONLY), STATUS_INVALID_VIEW_SIZE);
    size = 0;
    base = &size; /* of this thread's stack: not free */
    assert_int_equal(view_new(reads, &base, NULL, &size, PAGE_READONLY),
                     STATUS_CONFLICTING_ADDRESSES);
    assert_int_equal(ZwClose(reads), STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    base = NULL;
    assert_int_equal(view_new(reads, &base, NULL, &size, PAGE_READONLY), STATUS_INVALID_HANDLE);
    assert_true(tiny_violated(tiny_host, "ZwMapViewOfSection gets"));
}

static void a_section_is_found_by_its_name(void **state) {
    HANDLE made, opened, again;
    UNICODE_STRING name;
    OBJECT_ATTRIBUTES attributes;
    PVOID object, base;
    SIZE_T size = 0;
    (void)state;
    RtlInitUnicodeString(&name, u"\\BaseNamedObjects\\shared");
    InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL,
                               NULL);
    assert_int_equal(ZwOpenSection(&opened, SECTION_ALL_ACCESS, &attributes),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(section_new(&made, name.Buffer, 0, 4096, PAGE_READWRITE), STATUS_SUCCESS);
    assert_int_equal(section_new(&again, name.Buffer, 0, 4096, PAGE_READWRITE),
                     STATUS_OBJECT_NAME_COLLISION);
    assert_int_equal(section_new(&again, name.Buffer, OBJ_OPENIF, 4096, PAGE_READWRITE),
                     STATUS_OBJECT_NAME_EXISTS);
    assert_int_equal(ZwOpenSection(&opened, SECTION_ALL_ACCESS, &attributes), STATUS_SUCCESS);
    assert_int_equal(
        ObReferenceObjectByHandle(opened, SECTION_ALL_ACCESS, NULL, KernelMode, &object, NULL),
        STATUS_SUCCESS);
    ZwClose(made);
    ZwClose(again);
    ZwClose(opened);
    assert_int_equal(MmMapViewInSystemSpace(object, &base, &size), STATUS_SUCCESS);
    assert_int_equal(size, 4096);
    memset(base, 7, size);
    assert_int_equal(MmUnmapViewInSystemSpace(base), STATUS_SUCCESS);
    ObDereferenceObject(object); /* the last of it */
    assert_int_equal(ZwOpenSection(&opened, SECTION_ALL_ACCESS, &attributes),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void memory_is_reserved_committed_and_released(void **state) {
    HANDLE self = NtCurrentProcess();
    PVOID base = NULL, inner;
    SIZE_T size = 10000, none = 0, bytes = 1;
    (void)state;
    assert_int_equal(ZwAllocateVirtualMemory(self, &base, 0, &none, MEM_RESERVE, PAGE_READWRITE),
                     STATUS_INVALID_PARAMETER_4);
    assert_int_equal(ZwAllocateVirtualMemory(self, &base, 0, &size, 0, PAGE_READWRITE),
                     STATUS_INVALID_PARAMETER_5);
    assert_int_equal(ZwAllocateVirtualMemory(self, &base, 0, &size, MEM_RESERVE, 0x1234),
                     STATUS_INVALID_PAGE_PROTECTION);
    assert_int_equal(ZwAllocateVirtualMemory(self, &base, 0, &size, MEM_RESERVE, PAGE_READWRITE),
                     STATUS_SUCCESS);
    assert_int_equal(size, PAGES(3));
    assert_ptr_not_equal(ZwCurrentThread(), self);
    inner = (char *)base + 4097;
    assert_int_equal(ZwAllocateVirtualMemory(self, &inner, 0, &bytes, MEM_COMMIT, PAGE_READWRITE),
                     STATUS_SUCCESS);
    assert_ptr_equal(inner, (char *)base + 4096);
    assert_int_equal(bytes, 4096);
    memset(inner, 'm', 4096);
    assert_int_equal(ZwFreeVirtualMemory(self, &inner, &bytes, MEM_DECOMMIT), STATUS_SUCCESS);
    bytes = 4096;
    assert_int_equal(ZwAllocateVirtualMemory(self, &inner, 0, &bytes, MEM_COMMIT, PAGE_READWRITE),
                     STATUS_SUCCESS);
    assert_int_equal(*(char *)inner, 0); /* what was there is gone */
    assert_int_equal(ZwFreeVirtualMemory(self, &inner, &none, MEM_RELEASE),
                     STATUS_FREE_VM_NOT_AT_BASE);
    assert_int_equal(ZwFreeVirtualMemory(self, &base, &size, MEM_RELEASE),
                     STATUS_INVALID_PARAMETER_3);
    assert_int_equal(ZwFreeVirtualMemory(self, &base, &none, MEM_RELEASE), STATUS_SUCCESS);
    none = 0;
    assert_int_equal(ZwFreeVirtualMemory(self, &base, &none, MEM_RELEASE),
                     STATUS_MEMORY_NOT_ALLOCATED);
    assert_int_equal(ZwFreeVirtualMemory((HANDLE)8, &base, &none, MEM_RELEASE),
                     STATUS_INVALID_HANDLE);
}

static void objects_have_further_handles_and_names(void **state) {
    HANDLE event, other, none, directory;
    UNICODE_STRING name;
    ULONG need = 0;
    struct {
        OBJECT_NAME_INFORMATION head;
        WCHAR text[32];
    } info;
    (void)state;
    RtlInitUnicodeString(&name, u"\\BaseNamedObjects\\e");
    PKEVENT object = IoCreateNotificationEvent(&name, &event);
    assert_non_null(object);
    assert_int_equal(
        ObOpenObjectByPointer(object, OBJ_KERNEL_HANDLE, NULL, 0, NULL, KernelMode, &other),
        STATUS_SUCCESS);
    assert_int_equal(ZwSetEvent(other, NULL), STATUS_SUCCESS);
    assert_int_equal(KeReadStateEvent(object), 1);
    assert_int_equal(ObOpenObjectByPointer(object, 0x10000, NULL, 0, NULL, KernelMode, &none),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(ObOpenObjectByPointer(&need, 0, NULL, 0, NULL, KernelMode, &none),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(ObQueryNameString(object, NULL, 0, &need), STATUS_INFO_LENGTH_MISMATCH);
    assert_int_equal(need, sizeof(info.head) + name.Length + sizeof(WCHAR));
    assert_int_equal(ObQueryNameString(object, &info.head, sizeof(info), &need), STATUS_SUCCESS);
    assert_true(RtlEqualUnicodeString(&info.head.Name, &name, FALSE));
    assert_int_equal(info.head.Name.Buffer[name.Length / 2], 0);
    assert_int_equal(ObQueryNameString(KeGetCurrentThread(), &info.head, sizeof(info), &need),
                     STATUS_SUCCESS);
    assert_null(info.head.Name.Buffer);
    assert_int_equal(info.head.Name.Length, 0);
    assert_int_equal(ZwClose(other), STATUS_SUCCESS);
    assert_int_equal(ZwClose(event), STATUS_SUCCESS);
    assert_int_equal(ZwCreateDirectoryObject(&directory, DIRECTORY_ALL_ACCESS, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(ZwMakeTemporaryObject(directory), STATUS_SUCCESS);
    assert_int_equal(ZwClose(directory), STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    assert_int_equal(ZwMakeTemporaryObject(directory), STATUS_INVALID_HANDLE);
    assert_true(tiny_violated(tiny_host, "a handle that was closed"));
}

#define SECTIONS_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        SECTIONS_TEST(views_of_a_section_show_the_same_bytes),
        SECTIONS_TEST(a_section_refuses_what_its_page_says),
        SECTIONS_TEST(a_section_is_found_by_its_name),
        SECTIONS_TEST(memory_is_reserved_committed_and_released),
        SECTIONS_TEST(objects_have_further_handles_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
