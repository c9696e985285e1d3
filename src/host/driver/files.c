/*
 * files.c - there are no files: none can be opened or made, so that no handle is one. A driver that
 * logs to a file goes on without.
 */
#include "base/thread.h"
#include "base/world.h"
#include "kernel/handles.h"

static NTSTATUS no_such_file(PHANDLE file, PIO_STATUS_BLOCK status, const char *function) {
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return STATUS_UNSUCCESSFUL;
    *file = NULL;
    *status = (IO_STATUS_BLOCK){.Status = STATUS_OBJECT_NAME_NOT_FOUND};
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTSYSAPI NTSTATUS NTAPI ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                                     POBJECT_ATTRIBUTES ObjectAttributes,
                                     PIO_STATUS_BLOCK IoStatusBlock, PLARGE_INTEGER AllocationSize,
                                     ULONG FileAttributes, ULONG ShareAccess,
                                     ULONG CreateDisposition, ULONG CreateOptions, PVOID EaBuffer,
                                     ULONG EaLength) {
    (void)DesiredAccess;
    (void)ObjectAttributes;
    (void)AllocationSize;
    (void)FileAttributes;
    (void)ShareAccess;
    (void)CreateDisposition;
    (void)CreateOptions;
    (void)EaBuffer;
    (void)EaLength;
    return no_such_file(FileHandle, IoStatusBlock, "ZwCreateFile");
}

NTSYSAPI NTSTATUS NTAPI ZwOpenFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                                   POBJECT_ATTRIBUTES ObjectAttributes,
                                   PIO_STATUS_BLOCK IoStatusBlock, ULONG ShareAccess,
                                   ULONG OpenOptions) {
    (void)DesiredAccess, (void)ObjectAttributes, (void)ShareAccess, (void)OpenOptions;
    return no_such_file(FileHandle, IoStatusBlock, "ZwOpenFile");
}

/* The handle is another object's, or none. */
static NTSTATUS no_file_handle(HANDLE file, PIO_STATUS_BLOCK status, const char *function) {
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return STATUS_UNSUCCESSFUL;
    bool other = host_handle_object(file, HOST_HANDLE_ANY, function);
    *status =
        (IO_STATUS_BLOCK){.Status = other ? STATUS_OBJECT_TYPE_MISMATCH : STATUS_INVALID_HANDLE};
    return status->Status;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTSYSAPI NTSTATUS NTAPI ZwReadFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                                   PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                                   ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key) {
    (void)Event, (void)ApcRoutine, (void)ApcContext, (void)Buffer, (void)Length;
    (void)ByteOffset, (void)Key;
    return no_file_handle(FileHandle, IoStatusBlock, "ZwReadFile");
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTSYSAPI NTSTATUS NTAPI ZwWriteFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                                    PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                                    ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key) {
    (void)Event, (void)ApcRoutine, (void)ApcContext, (void)Buffer, (void)Length;
    (void)ByteOffset, (void)Key;
    return no_file_handle(FileHandle, IoStatusBlock, "ZwWriteFile");
}

NTSYSAPI NTSTATUS NTAPI ZwQueryInformationFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock,
                                               PVOID FileInformation, ULONG Length,
                                               FILE_INFORMATION_CLASS FileInformationClass) {
    (void)FileInformation, (void)Length, (void)FileInformationClass;
    return no_file_handle(FileHandle, IoStatusBlock, "ZwQueryInformationFile");
}

NTSYSAPI NTSTATUS NTAPI ZwSetInformationFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock,
                                             PVOID FileInformation, ULONG Length,
                                             FILE_INFORMATION_CLASS FileInformationClass) {
    (void)FileInformation, (void)Length, (void)FileInformationClass;
    return no_file_handle(FileHandle, IoStatusBlock, "ZwSetInformationFile");
}
