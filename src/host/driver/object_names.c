/*
 * object_names.c - names and further handles of objects of any kind, and object directories (pages
 * nf-ntifs-obopenobjectbypointer, nf-ntifs-obquerynamestring, nf-wdm-zwcreatedirectoryobject).
 */
#include "driver/object_names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/event_handles.h"
#include "kernel/handles.h"
#include "kernel/sections.h"
#include "kernel/threads.h"

NTKERNELAPI NTSTATUS NTAPI ObOpenObjectByPointer(PVOID Object, ULONG HandleAttributes,
                                                 PACCESS_STATE PassedAccessState,
                                                 ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                                 KPROCESSOR_MODE AccessMode, PHANDLE Handle) {
    const ULONG known = OBJ_INHERIT | OBJ_EXCLUSIVE | OBJ_KERNEL_HANDLE | OBJ_FORCE_ACCESS_CHECK;
    (void)PassedAccessState, (void)DesiredAccess, (void)ObjectType, (void)AccessMode;
    *Handle = NULL;
    if (!host_irql_at_most(APC_LEVEL, "ObOpenObjectByPointer"))
        return STATUS_UNSUCCESSFUL;
    if ((HandleAttributes & ~known) != 0)
        return STATUS_INVALID_PARAMETER;
    *Handle = host_thread_handle(Object);
    if (!*Handle)
        *Handle = host_event_handle(Object);
    if (!*Handle)
        *Handle = host_section_handle(Object);
    return *Handle ? STATUS_SUCCESS : STATUS_OBJECT_TYPE_MISMATCH;
}

/* Behind the head, and with a terminator; without a name the head alone. */
NTKERNELAPI NTSTATUS NTAPI ObQueryNameString(PVOID Object, POBJECT_NAME_INFORMATION ObjectNameInfo,
                                             ULONG Length, PULONG ReturnLength) {
    if (!host_irql_at_most(APC_LEVEL, "ObQueryNameString"))
        return STATUS_UNSUCCESSFUL;
    const UNICODE_STRING *name = host_event_name(Object);
    name = name ? name : host_section_name(Object);
    USHORT bytes = name ? name->Length : 0;
    ULONG need = (ULONG)sizeof(*ObjectNameInfo) + (bytes != 0 ? bytes + (ULONG)sizeof(WCHAR) : 0);
    *ReturnLength = need;
    if (!ObjectNameInfo || Length < need)
        return STATUS_INFO_LENGTH_MISMATCH;
    memset(ObjectNameInfo, 0, need);
    if (bytes == 0)
        return STATUS_SUCCESS;
    PWSTR text = (PWSTR)(PVOID)(ObjectNameInfo + 1);
    memcpy(text, name->Buffer, bytes);
    ObjectNameInfo->Name = (UNICODE_STRING){bytes, (USHORT)(bytes + sizeof(WCHAR)), text};
    return STATUS_SUCCESS;
}

/* ---- Directories: of each only that it is there is known ------------------------------------------- */

struct directory {
    struct directory *next;
    LONG references;
};

static pthread_mutex_t directory_guard = PTHREAD_MUTEX_INITIALIZER;
static struct directory *directories;

static void directory_counts(void *object, LONG change) {
    struct directory *directory = object, **link = &directories;
    pthread_mutex_lock(&directory_guard);
    bool ends = (directory->references += change) == 0;
    while (ends && *link != directory)
        link = &(*link)->next;
    if (ends)
        *link = directory->next;
    pthread_mutex_unlock(&directory_guard);
    if (ends)
        free(directory);
}

uint32_t host_directories_forget(void) {
    uint32_t open = host_handles_forget(HOST_HANDLE_DIRECTORY);
    while (directories) {
        struct directory *directory = directories;
        directories = directory->next;
        free(directory);
    }
    return open;
}

NTSYSAPI NTSTATUS NTAPI ZwCreateDirectoryObject(PHANDLE DirectoryHandle, ACCESS_MASK DesiredAccess,
                                                POBJECT_ATTRIBUTES ObjectAttributes) {
    (void)DesiredAccess, (void)ObjectAttributes;
    *DirectoryHandle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwCreateDirectoryObject"))
        return STATUS_UNSUCCESSFUL;
    struct directory *directory = host_may_allocate() ? calloc(1, sizeof(*directory)) : NULL;
    if (!directory)
        return STATUS_INSUFFICIENT_RESOURCES;
    pthread_mutex_lock(&directory_guard);
    directory->next = directories;
    directories = directory;
    pthread_mutex_unlock(&directory_guard);
    *DirectoryHandle = host_handle_open(HOST_HANDLE_DIRECTORY, directory, directory_counts);
    if (*DirectoryHandle)
        return STATUS_SUCCESS;
    directory_counts(directory, 0); /* without a handle: gone */
    return STATUS_INSUFFICIENT_RESOURCES;
}

/* Objects here are temporary anyway: none outlives its handles and references. */
NTSYSAPI NTSTATUS NTAPI ZwMakeTemporaryObject(HANDLE Handle) {
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwMakeTemporaryObject"))
        return STATUS_UNSUCCESSFUL;
    return host_handle_object(Handle, HOST_HANDLE_ANY, "ZwMakeTemporaryObject")
               ? STATUS_SUCCESS
               : STATUS_INVALID_HANDLE;
}
