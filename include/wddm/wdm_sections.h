/* SPDX-License-Identifier: MIT */
/*
 * Sections and their views, memory of a process, object directories, names of objects (wdm and ntifs
 * reference pages). Numbers of SECTION_, SEC_ and MEM_ flags: the Win32 reference, whose pages the kernel's
 * refer to.
 */
#ifndef WDDM_WDM_SECTIONS_H
#define WDDM_WDM_SECTIONS_H

#include "wdm_memory.h"
#include "wdm_objects.h"

WDDM_BEGIN_DECLS

#define SECTION_QUERY       0x0001u
#define SECTION_MAP_WRITE   0x0002u
#define SECTION_MAP_READ    0x0004u
#define SECTION_MAP_EXECUTE 0x0008u
#define SECTION_EXTEND_SIZE 0x0010u
#define SECTION_ALL_ACCESS  0x000f001fu
#define SEC_RESERVE         0x04000000u
#define SEC_COMMIT          0x08000000u
#define SEC_NOCACHE         0x10000000u
#define MEM_COMMIT          0x00001000u
#define MEM_RESERVE         0x00002000u
#define MEM_DECOMMIT        0x00004000u
#define MEM_RELEASE         0x00008000u
#define MEM_RESET           0x00080000u
#define MEM_TOP_DOWN        0x00100000u
#define MEM_LARGE_PAGES     0x20000000u
#ifndef PAGE_WRITECOPY
#define PAGE_WRITECOPY         0x08
#define PAGE_EXECUTE_WRITECOPY 0x80
#define PAGE_GUARD             0x100
#endif

typedef enum _SECTION_INHERIT { ViewShare = 1, ViewUnmap = 2 } SECTION_INHERIT;

#define NtCurrentProcess() ((HANDLE)(LONG_PTR)-1)
#define ZwCurrentProcess() NtCurrentProcess()
#define NtCurrentThread()  ((HANDLE)(LONG_PTR)-2)
#define ZwCurrentThread()  NtCurrentThread()

NTSYSAPI NTSTATUS NTAPI ZwCreateSection(PHANDLE SectionHandle, ACCESS_MASK DesiredAccess,
                                        POBJECT_ATTRIBUTES ObjectAttributes,
                                        PLARGE_INTEGER MaximumSize, ULONG SectionPageProtection,
                                        ULONG AllocationAttributes, HANDLE FileHandle);
NTSYSAPI NTSTATUS NTAPI ZwOpenSection(PHANDLE SectionHandle, ACCESS_MASK DesiredAccess,
                                      POBJECT_ATTRIBUTES ObjectAttributes);
NTSYSAPI NTSTATUS NTAPI ZwMapViewOfSection(HANDLE SectionHandle, HANDLE ProcessHandle,
                                           PVOID *BaseAddress, ULONG_PTR ZeroBits,
                                           SIZE_T CommitSize, PLARGE_INTEGER SectionOffset,
                                           PSIZE_T ViewSize, SECTION_INHERIT InheritDisposition,
                                           ULONG AllocationType, ULONG Win32Protect);
NTSYSAPI NTSTATUS NTAPI ZwUnmapViewOfSection(HANDLE ProcessHandle, PVOID BaseAddress);
NTKERNELAPI NTSTATUS NTAPI MmMapViewInSystemSpace(PVOID Section, PVOID *MappedBase,
                                                  PSIZE_T ViewSize);
NTKERNELAPI NTSTATUS NTAPI MmUnmapViewInSystemSpace(PVOID MappedBase);

NTSYSAPI NTSTATUS NTAPI ZwAllocateVirtualMemory(HANDLE ProcessHandle, PVOID *BaseAddress,
                                                ULONG_PTR ZeroBits, PSIZE_T RegionSize,
                                                ULONG AllocationType, ULONG Protect);
NTSYSAPI NTSTATUS NTAPI ZwFreeVirtualMemory(HANDLE ProcessHandle, PVOID *BaseAddress,
                                            PSIZE_T RegionSize, ULONG FreeType);
/* Addresses of user mode, of which there are none: nothing can be secured. */
NTKERNELAPI HANDLE NTAPI MmSecureVirtualMemory(PVOID Address, SIZE_T Size, ULONG ProbeMode);
NTKERNELAPI VOID NTAPI MmUnsecureVirtualMemory(HANDLE SecureHandle);

#define DIRECTORY_QUERY               0x0001u
#define DIRECTORY_TRAVERSE            0x0002u
#define DIRECTORY_CREATE_OBJECT       0x0004u
#define DIRECTORY_CREATE_SUBDIRECTORY 0x0008u
#define DIRECTORY_ALL_ACCESS          0x000f000fu
NTSYSAPI NTSTATUS NTAPI ZwCreateDirectoryObject(PHANDLE DirectoryHandle, ACCESS_MASK DesiredAccess,
                                                POBJECT_ATTRIBUTES ObjectAttributes);
NTSYSAPI NTSTATUS NTAPI ZwMakeTemporaryObject(HANDLE Handle);

typedef struct _ACCESS_STATE *PACCESS_STATE;
NTKERNELAPI NTSTATUS NTAPI ObOpenObjectByPointer(PVOID Object, ULONG HandleAttributes,
                                                 PACCESS_STATE PassedAccessState,
                                                 ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                                 KPROCESSOR_MODE AccessMode, PHANDLE Handle);
typedef struct WDDM_LAYOUT _OBJECT_NAME_INFORMATION {
    UNICODE_STRING Name;
} OBJECT_NAME_INFORMATION, *POBJECT_NAME_INFORMATION;
NTKERNELAPI NTSTATUS NTAPI ObQueryNameString(PVOID Object, POBJECT_NAME_INFORMATION ObjectNameInfo,
                                             ULONG Length, PULONG ReturnLength);

WDDM_END_DECLS

#endif
