/* sections.c - the sections of sections.h: each is a file in memory, and a view a mapping of it. */
#include "kernel/sections.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/handles.h"

/* Views begin at multiples of it (page nf-wdm-zwmapviewofsection). */
#define GRANULARITY UINT64_C(0x10000)
#define PAGE        UINT64_C(0x1000)
/* More than any machine has: the system's own limit, of which no page has the number. */
#define LARGEST (UINT64_C(1) << 44)

struct section {
    struct section *next;
    int file;
    uint64_t size;
    ULONG protection;
    LONG references; /* handles, references and views */
    UNICODE_STRING name;
    WCHAR text[];
};

struct view {
    struct view *next;
    struct section *section;
    uint8_t *base;
    uint64_t size;
};

static pthread_mutex_t section_guard = PTHREAD_MUTEX_INITIALIZER;
static struct section *section_list;
static struct view *view_list;

/* ---- Objects, under the guard ------------------------------------------------------------------- */

static struct section *section_find(const void *object) {
    struct section *at = section_list;
    while (at && at != object)
        at = at->next;
    return at;
}

static struct section *section_named(PCUNICODE_STRING name) {
    struct section *at = name && name->Length != 0 ? section_list : NULL;
    while (at && !RtlEqualUnicodeString(&at->name, name, TRUE))
        at = at->next;
    return at;
}

static void section_free(struct section *section) {
    struct section **link = &section_list;
    while (*link != section)
        link = &(*link)->next;
    *link = section->next;
    close(section->file);
    free(section);
}

static LONG section_count(struct section *section, LONG change) {
    LONG left = section->references += change;
    if (left == 0)
        section_free(section);
    return left;
}

LONG host_section_reference(void *object, LONG change) {
    pthread_mutex_lock(&section_guard);
    struct section *section = section_find(object);
    LONG left = section ? section_count(section, change) : 0;
    pthread_mutex_unlock(&section_guard);
    return left;
}

static void section_counts(void *object, LONG change) {
    (void)host_section_reference(object, change);
}

const UNICODE_STRING *host_section_name(const void *object) {
    pthread_mutex_lock(&section_guard);
    const struct section *section = section_find(object);
    pthread_mutex_unlock(&section_guard);
    return section ? &section->name : NULL;
}

HANDLE host_section_handle(void *object) {
    return host_section_name(object) ? host_handle_open(HOST_HANDLE_SECTION, object, section_counts)
                                     : NULL;
}

uint32_t host_sections_forget(void) {
    uint32_t open = host_handles_forget(HOST_HANDLE_SECTION);
    while (view_list) {
        struct view *view = view_list;
        view_list = view->next;
        munmap(view->base, view->size);
        free(view);
    }
    while (section_list)
        section_free(section_list);
    return open;
}

/* ---- Made and opened ------------------------------------------------------------------------------ */

static bool protection_good(ULONG protection) {
    return protection == PAGE_READONLY || protection == PAGE_READWRITE ||
           protection == PAGE_EXECUTE || protection == PAGE_WRITECOPY;
}

static struct section *section_make(PCUNICODE_STRING name, uint64_t size, ULONG protection) {
    size_t length = name ? name->Length : 0;
    struct section *section = host_may_allocate() ? calloc(1, sizeof(*section) + length) : NULL;
    if (!section)
        return NULL;
    section->file = memfd_create("section", MFD_CLOEXEC);
    if (section->file < 0 || ftruncate(section->file, (off_t)size) != 0) {
        if (section->file >= 0)
            close(section->file);
        free(section);
        return NULL;
    }
    if (length != 0)
        memcpy(section->text, name->Buffer, length);
    section->name = (UNICODE_STRING){(USHORT)length, (USHORT)length, section->text};
    section->size = size;
    section->protection = protection;
    pthread_mutex_lock(&section_guard);
    section->next = section_list;
    section_list = section;
    pthread_mutex_unlock(&section_guard);
    return section;
}

static struct section *section_look_up(const OBJECT_ATTRIBUTES *attributes) {
    pthread_mutex_lock(&section_guard);
    struct section *section = section_named(attributes ? attributes->ObjectName : NULL);
    pthread_mutex_unlock(&section_guard);
    return section;
}

static NTSTATUS section_open(struct section *section, PHANDLE handle) {
    *handle = section ? host_handle_open(HOST_HANDLE_SECTION, section, section_counts) : NULL;
    if (*handle)
        return STATUS_SUCCESS;
    if (section)
        section_counts(section, 0); /* new, and without a handle: gone */
    return STATUS_INSUFFICIENT_RESOURCES;
}

/* There are no files that a section could be of. */
static NTSTATUS section_parameters(const LARGE_INTEGER *size, ULONG protection, HANDLE file) {
    if (!protection_good(protection))
        return STATUS_INVALID_PAGE_PROTECTION;
    if (file)
        return host_handle_object(file, HOST_HANDLE_ANY, "ZwCreateSection")
                   ? STATUS_OBJECT_TYPE_MISMATCH
                   : STATUS_INVALID_HANDLE;
    if (!size || size->QuadPart <= 0)
        return STATUS_INVALID_PARAMETER_4;
    return (uint64_t)size->QuadPart > LARGEST ? STATUS_SECTION_TOO_BIG : STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI ZwCreateSection(PHANDLE SectionHandle, ACCESS_MASK DesiredAccess,
                                        POBJECT_ATTRIBUTES ObjectAttributes,
                                        PLARGE_INTEGER MaximumSize, ULONG SectionPageProtection,
                                        ULONG AllocationAttributes, HANDLE FileHandle) {
    (void)DesiredAccess;
    (void)AllocationAttributes;
    *SectionHandle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwCreateSection"))
        return STATUS_UNSUCCESSFUL;
    NTSTATUS status = section_parameters(MaximumSize, SectionPageProtection, FileHandle);
    if (!NT_SUCCESS(status))
        return status;
    struct section *there = section_look_up(ObjectAttributes);
    if (there && (ObjectAttributes->Attributes & OBJ_OPENIF) == 0)
        return STATUS_OBJECT_NAME_COLLISION;
    if (there) {
        status = section_open(there, SectionHandle);
        return NT_SUCCESS(status) ? STATUS_OBJECT_NAME_EXISTS : status;
    }
    uint64_t size = ((uint64_t)MaximumSize->QuadPart + PAGE - 1) & ~(PAGE - 1);
    return section_open(section_make(ObjectAttributes ? ObjectAttributes->ObjectName : NULL, size,
                                     SectionPageProtection),
                        SectionHandle);
}

NTSYSAPI NTSTATUS NTAPI ZwOpenSection(PHANDLE SectionHandle, ACCESS_MASK DesiredAccess,
                                      POBJECT_ATTRIBUTES ObjectAttributes) {
    (void)DesiredAccess;
    *SectionHandle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwOpenSection"))
        return STATUS_UNSUCCESSFUL;
    struct section *section = section_look_up(ObjectAttributes);
    return section ? section_open(section, SectionHandle) : STATUS_OBJECT_NAME_NOT_FOUND;
}

/* ---- Views ------------------------------------------------------------------------------------------ */

/* Where the view is to be, what of the section it shows, and how. */
struct view_request {
    uint8_t *at; /* NULL: anywhere */
    uint64_t offset, size;
    int access, kind; /* of mmap */
};

/* Addresses for the view, at a multiple of the granularity; NULL: they are not free. */
static uint8_t *view_reserve(uint8_t *at, uint64_t size) {
    uint64_t room = at ? size : size + GRANULARITY;
    uint8_t *begin =
        mmap(at, room, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    if (at && begin != at) {
        munmap(begin, room);
        return NULL;
    }
    uint8_t *aligned = (uint8_t *)(((uintptr_t)begin + GRANULARITY - 1) & ~(GRANULARITY - 1));
    if (aligned != begin)
        munmap(begin, (size_t)(aligned - begin));
    if (aligned + size != begin + room)
        munmap(aligned + size, (size_t)(begin + room - (aligned + size)));
    return aligned;
}

static NTSTATUS view_map(struct section *section, const struct view_request *wanted,
                         uint8_t **base) {
    struct view *view = host_may_allocate() ? calloc(1, sizeof(*view)) : NULL;
    if (!view)
        return STATUS_INSUFFICIENT_RESOURCES;
    uint8_t *at = view_reserve(wanted->at, wanted->size);
    if (!at || mmap(at, wanted->size, wanted->access, wanted->kind | MAP_FIXED, section->file,
                    (off_t)wanted->offset) == MAP_FAILED) {
        if (at)
            munmap(at, wanted->size);
        free(view);
        return wanted->at ? STATUS_CONFLICTING_ADDRESSES : STATUS_NO_MEMORY;
    }
    *view = (struct view){.section = section, .base = at, .size = wanted->size};
    pthread_mutex_lock(&section_guard);
    view->next = view_list;
    view_list = view;
    section->references++;
    pthread_mutex_unlock(&section_guard);
    *base = at;
    return STATUS_SUCCESS;
}

/* What of mmap a protection is; false: it is none. */
static bool view_access(ULONG protection, struct view_request *to) {
    to->kind = MAP_SHARED;
    switch (protection & 0xff) {
    case PAGE_NOACCESS:
        to->access = PROT_NONE;
        return true;
    case PAGE_READONLY:
    case PAGE_EXECUTE:
    case PAGE_EXECUTE_READ:
        to->access = PROT_READ;
        return true;
    case PAGE_WRITECOPY:
    case PAGE_EXECUTE_WRITECOPY:
        to->kind = MAP_PRIVATE;
        to->access = PROT_READ | PROT_WRITE;
        return true;
    case PAGE_READWRITE:
    case PAGE_EXECUTE_READWRITE:
        to->access = PROT_READ | PROT_WRITE;
        return true;
    default:
        return false;
    }
}

/* The part of the section that is asked for; 0 is all of the rest. */
static NTSTATUS view_part(const struct section *section, uint64_t offset, uint64_t size,
                          struct view_request *to) {
    to->offset = offset & ~(GRANULARITY - 1);
    if (to->offset >= section->size)
        return STATUS_INVALID_VIEW_SIZE;
    uint64_t rest = section->size - to->offset;
    if (size > rest)
        return STATUS_INVALID_VIEW_SIZE;
    to->size = size != 0 ? (size + PAGE - 1) & ~(PAGE - 1) : rest;
    return STATUS_SUCCESS;
}

static NTSTATUS view_check(const struct section *section, ULONG type, ULONG protection,
                           struct view_request *to) {
    if ((type & ~(MEM_LARGE_PAGES | MEM_RESERVE | MEM_TOP_DOWN)) != 0)
        return STATUS_INVALID_PARAMETER_9;
    if (!view_access(protection, to))
        return STATUS_INVALID_PAGE_PROTECTION;
    bool writes = (to->access & PROT_WRITE) != 0 && to->kind == MAP_SHARED;
    return writes && section->protection != PAGE_READWRITE ? STATUS_SECTION_PROTECTION
                                                           : STATUS_SUCCESS;
}

static bool process_good(HANDLE process, const char *function) {
    if (process != ZwCurrentProcess())
        host_violation("%s gets 0x%llx, which is no process: there is the system's own alone",
                       function, (unsigned long long)(uintptr_t)process);
    return process == ZwCurrentProcess();
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTSYSAPI NTSTATUS NTAPI ZwMapViewOfSection(HANDLE SectionHandle, HANDLE ProcessHandle,
                                           PVOID *BaseAddress, ULONG_PTR ZeroBits,
                                           SIZE_T CommitSize, PLARGE_INTEGER SectionOffset,
                                           PSIZE_T ViewSize, SECTION_INHERIT InheritDisposition,
                                           ULONG AllocationType, ULONG Win32Protect) {
    (void)CommitSize;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwMapViewOfSection"))
        return STATUS_UNSUCCESSFUL;
    struct section *section =
        host_handle_object(SectionHandle, HOST_HANDLE_SECTION, "ZwMapViewOfSection");
    if (!section || !process_good(ProcessHandle, "ZwMapViewOfSection"))
        return STATUS_INVALID_HANDLE;
    if (ZeroBits >= 21)
        return STATUS_INVALID_PARAMETER_4;
    if (InheritDisposition != ViewShare && InheritDisposition != ViewUnmap)
        return STATUS_INVALID_PARAMETER_8;
    struct view_request wanted = {
        .at = (uint8_t *)((uintptr_t)*BaseAddress & ~(uintptr_t)(GRANULARITY - 1))};
    NTSTATUS status = view_check(section, AllocationType, Win32Protect, &wanted);
    if (NT_SUCCESS(status))
        status = view_part(section, SectionOffset ? (uint64_t)SectionOffset->QuadPart : 0,
                           *ViewSize, &wanted);
    uint8_t *base = NULL;
    if (NT_SUCCESS(status))
        status = view_map(section, &wanted, &base);
    if (!NT_SUCCESS(status))
        return status;
    *BaseAddress = base;
    *ViewSize = wanted.size;
    if (SectionOffset)
        SectionOffset->QuadPart = (LONGLONG)wanted.offset;
    return STATUS_SUCCESS;
}

/* The view that any address of it names, out of the list; NULL: there is none. */
static struct view *view_take(const void *address) {
    pthread_mutex_lock(&section_guard);
    struct view **link = &view_list;
    while (*link && (uintptr_t)address - (uintptr_t)(*link)->base >= (*link)->size)
        link = &(*link)->next;
    struct view *view = *link;
    if (view)
        *link = view->next;
    pthread_mutex_unlock(&section_guard);
    return view;
}

static NTSTATUS view_unmap(const void *address) {
    struct view *view = view_take(address);
    if (!view)
        return STATUS_NOT_MAPPED_VIEW;
    munmap(view->base, view->size);
    host_section_reference(view->section, -1);
    free(view);
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI ZwUnmapViewOfSection(HANDLE ProcessHandle, PVOID BaseAddress) {
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwUnmapViewOfSection"))
        return STATUS_UNSUCCESSFUL;
    return process_good(ProcessHandle, "ZwUnmapViewOfSection") ? view_unmap(BaseAddress)
                                                               : STATUS_INVALID_HANDLE;
}

/* Takes the object itself, of ObReferenceObjectByHandle. */
NTKERNELAPI NTSTATUS NTAPI MmMapViewInSystemSpace(PVOID Section, PVOID *MappedBase,
                                                  PSIZE_T ViewSize) {
    struct view_request wanted = {.access = PROT_READ | PROT_WRITE, .kind = MAP_SHARED};
    uint8_t *base = NULL;
    *MappedBase = NULL;
    host_irql_at_most(APC_LEVEL, "MmMapViewInSystemSpace");
    pthread_mutex_lock(&section_guard);
    struct section *section = section_find(Section);
    pthread_mutex_unlock(&section_guard);
    if (!section) {
        host_violation("MmMapViewInSystemSpace(%p), which is no section", Section);
        return STATUS_INVALID_PARAMETER_1;
    }
    if (section->protection == PAGE_WRITECOPY)
        wanted.kind = MAP_PRIVATE;
    else if (section->protection != PAGE_READWRITE)
        wanted.access = PROT_READ;
    NTSTATUS status = view_part(section, 0, *ViewSize, &wanted);
    if (NT_SUCCESS(status))
        status = view_map(section, &wanted, &base);
    if (!NT_SUCCESS(status))
        return status;
    *MappedBase = base;
    *ViewSize = wanted.size;
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI MmUnmapViewInSystemSpace(PVOID MappedBase) {
    host_irql_at_most(APC_LEVEL, "MmUnmapViewInSystemSpace");
    return view_unmap(MappedBase);
}
