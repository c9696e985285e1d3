/*
 * virtual_memory.c - memory of the process by addresses: reserved, committed, decommitted, released
 * (pages nf-ntifs-zwallocatevirtualmemory, nf-ntifs-zwfreevirtualmemory). The only process is the system's.
 */
#include "kernel/virtual_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <ntddk.h>

#include "base/thread.h"
#include "base/world.h"

#define PAGE ((uintptr_t)4096)

struct region {
    struct region *next;
    uintptr_t base;
    size_t size;
};

static pthread_mutex_t region_guard = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions;

/* Under the guard: the link to the region that [at, + size) is in, or to NULL. */
static struct region **region_of(uintptr_t at, size_t size) {
    struct region **link = &regions;
    while (*link &&
           (at - (*link)->base >= (*link)->size || size > (*link)->size - (at - (*link)->base)))
        link = &(*link)->next;
    return link;
}

void host_regions_forget(void) {
    while (regions) {
        struct region *region = regions;
        regions = region->next;
        munmap((void *)region->base, region->size);
        free(region);
    }
}

/* What of mmap a protection is; -1: it is none. */
static int region_access(ULONG protection) {
    switch (protection & ~(ULONG)(PAGE_NOCACHE | PAGE_WRITECOMBINE)) {
    case PAGE_NOACCESS:
        return PROT_NONE;
    case PAGE_READONLY:
    case PAGE_EXECUTE:
    case PAGE_EXECUTE_READ:
        return PROT_READ;
    case PAGE_READWRITE:
    case PAGE_EXECUTE_READWRITE:
        return PROT_READ | PROT_WRITE;
    default:
        return -1;
    }
}

static NTSTATUS region_reserve(uintptr_t *at, size_t size) {
    struct region *region = host_may_allocate() ? calloc(1, sizeof(*region)) : NULL;
    if (!region)
        return STATUS_INSUFFICIENT_RESOURCES;
    void *base = mmap(
        (void *)*at, size, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (*at != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    bool elsewhere = base != MAP_FAILED && *at != 0 && (uintptr_t)base != *at;
    if (elsewhere)
        munmap(base, size);
    if (base == MAP_FAILED || elsewhere) {
        free(region);
        return *at != 0 ? STATUS_CONFLICTING_ADDRESSES : STATUS_NO_MEMORY;
    }
    *at = (uintptr_t)base;
    pthread_mutex_lock(&region_guard);
    *region = (struct region){regions, (uintptr_t)base, size};
    regions = region;
    pthread_mutex_unlock(&region_guard);
    return STATUS_SUCCESS;
}

static NTSTATUS region_commit(uintptr_t at, size_t size, int access) {
    pthread_mutex_lock(&region_guard);
    bool reserved = *region_of(at, size);
    pthread_mutex_unlock(&region_guard);
    if (!reserved)
        return STATUS_CONFLICTING_ADDRESSES;
    return mprotect((void *)at, size, access) == 0 ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

/* Committed without an address is reserved as well. */
static NTSTATUS region_allocate(uintptr_t *at, size_t size, ULONG type, int access) {
    NTSTATUS status = STATUS_SUCCESS;
    if ((type & MEM_RESERVE) != 0 || *at == 0)
        status = region_reserve(at, size);
    if (NT_SUCCESS(status) && (type & MEM_COMMIT) != 0)
        status = region_commit(*at, size, access);
    return status;
}

NTSYSAPI NTSTATUS NTAPI ZwAllocateVirtualMemory(HANDLE ProcessHandle, PVOID *BaseAddress,
                                                ULONG_PTR ZeroBits, PSIZE_T RegionSize,
                                                ULONG AllocationType, ULONG Protect) {
    ULONG type = AllocationType & ~MEM_TOP_DOWN;
    int access = region_access(Protect);
    uintptr_t at = (uintptr_t)*BaseAddress & ~(PAGE - 1);
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwAllocateVirtualMemory"))
        return STATUS_UNSUCCESSFUL;
    if (ProcessHandle != NtCurrentProcess())
        return STATUS_INVALID_HANDLE;
    if (ZeroBits >= 21)
        return STATUS_INVALID_PARAMETER_3;
    if (*RegionSize == 0 || *RegionSize > SIZE_MAX / 2)
        return STATUS_INVALID_PARAMETER_4;
    if (type == 0 || (type & ~(MEM_RESERVE | MEM_COMMIT)) != 0)
        return STATUS_INVALID_PARAMETER_5; /* MEM_RESET and MEM_PHYSICAL are not to be had */
    if (access < 0)
        return STATUS_INVALID_PAGE_PROTECTION;
    size_t size = ((uintptr_t)*BaseAddress + *RegionSize - at + PAGE - 1) & ~(PAGE - 1);
    NTSTATUS status = region_allocate(&at, size, type, access);
    if (!NT_SUCCESS(status))
        return status;
    *BaseAddress = (PVOID)at;
    *RegionSize = size;
    return STATUS_SUCCESS;
}

static NTSTATUS region_decommit(uintptr_t at, size_t size) {
    pthread_mutex_lock(&region_guard);
    const struct region *region = *region_of(at, size);
    pthread_mutex_unlock(&region_guard);
    if (!region)
        return STATUS_MEMORY_NOT_ALLOCATED;
    if (size == 0 && at != region->base)
        return STATUS_FREE_VM_NOT_AT_BASE;
    size = size != 0 ? size : region->size;
    void *again = mmap((void *)at, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return again != MAP_FAILED ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS region_release(uintptr_t at, size_t size) {
    pthread_mutex_lock(&region_guard);
    struct region **link = region_of(at, 0);
    struct region *region = *link;
    bool whole = region && region->base == at && size == 0;
    if (whole)
        *link = region->next;
    pthread_mutex_unlock(&region_guard);
    if (!region)
        return STATUS_MEMORY_NOT_ALLOCATED;
    if (!whole)
        return size != 0 ? STATUS_INVALID_PARAMETER_3 : STATUS_FREE_VM_NOT_AT_BASE;
    munmap((void *)region->base, region->size);
    free(region);
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI ZwFreeVirtualMemory(HANDLE ProcessHandle, PVOID *BaseAddress,
                                            PSIZE_T RegionSize, ULONG FreeType) {
    uintptr_t at = (uintptr_t)*BaseAddress & ~(PAGE - 1);
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwFreeVirtualMemory"))
        return STATUS_UNSUCCESSFUL;
    if (ProcessHandle != NtCurrentProcess())
        return STATUS_INVALID_HANDLE;
    size_t size = *RegionSize;
    if (size != 0)
        size = ((uintptr_t)*BaseAddress + size - at + PAGE - 1) & ~(PAGE - 1);
    NTSTATUS status = FreeType == MEM_DECOMMIT  ? region_decommit(at, size)
                      : FreeType == MEM_RELEASE ? region_release(at, size)
                                                : STATUS_INVALID_PARAMETER_4;
    if (!NT_SUCCESS(status))
        return status;
    *BaseAddress = (PVOID)at;
    *RegionSize = size;
    return STATUS_SUCCESS;
}
