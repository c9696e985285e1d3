/*
 * say_allocations.c - what calls say of allocations: made, opened, closed, described, reached by the
 * CPU.
 */
#include "fields.h"

/* What it is asked for, as far as the system knows: the driver's own data say it otherwise. */
static void say_wanted(const struct fields *f, const DXGK_ALLOCATIONINFO *a) {
    field_begin(f, NULL, false);
    NUMBER(PrivateDriverDataSize);
    say_surface_of(f, a->pPrivateDriverData, a->PrivateDriverDataSize);
    field_end(f);
}

static void say_create(const struct fields *f, const void *args) {
    const DXGKARG_CREATEALLOCATION *a = args;
    NUMBER(NumAllocations);
    NUMBER(PrivateDriverDataSize);
    FLAGS(Flags);
    uint32_t told = field_list(f, "Allocations", a->NumAllocations);
    for (uint32_t i = 0; i < told; i++)
        say_wanted(f, &a->pAllocationInfo[i]);
    field_list_end(f, a->NumAllocations);
}

static void say_keep_create(struct vidmm_host_call *call) {
    const DXGKARG_CREATEALLOCATION *a = call->args;
    call->kept[0] = (uintptr_t)a->pAllocationInfo;
    call->kept[1] = a->NumAllocations;
}

/* It succeeded, and its list is the one that was given. */
static bool say_unchanged(const struct fields *f, const void *list, uint32_t count) {
    return f->succeeded && f->call->kept[0] == (uintptr_t)list && f->call->kept[1] == count;
}

static void say_made(const struct fields *f, const DXGK_ALLOCATIONINFO *a) {
    field_begin(f, NULL, false);
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(Size);
    NUMBER(Alignment);
    NUMBER(PitchAlignedSize);
    FLAGS(PreferredSegment);
    HEX(SupportedReadSegmentSet);
    HEX(SupportedWriteSegmentSet);
    HEX(EvictionSegmentSet);
    NUMBER(PhysicalAdapterIndex);
    FLAGS(Flags);
    HEX(AllocationPriority);
    field_end(f);
}

static void say_create_answer(const struct fields *f, const void *args) {
    const DXGKARG_CREATEALLOCATION *a = args;
    if (!say_unchanged(f, a->pAllocationInfo, a->NumAllocations))
        return;
    HANDLE_OF(RESOURCE, hResource);
    uint32_t told = field_list(f, "Allocations", a->NumAllocations);
    for (uint32_t i = 0; i < told; i++)
        say_made(f, &a->pAllocationInfo[i]);
    field_list_end(f, a->NumAllocations);
}

static void say_handles(const struct fields *f, const char *name, enum handle_kind kind,
                        const HANDLE *list, uint32_t count) {
    uint32_t told = field_list(f, name, count);
    for (uint32_t i = 0; i < told; i++)
        field_handle(f, NULL, kind, list[i]);
    field_list_end(f, count);
}

static void say_destroy(const struct fields *f, const void *args) {
    const DXGKARG_DESTROYALLOCATION *a = args;
    say_handles(f, "Allocations", HANDLE_ALLOCATION, a->pAllocationList, a->NumAllocations);
    HANDLE_OF(RESOURCE, hResource);
    FLAGS(Flags);
}

static void say_open(const struct fields *f, const void *args) {
    const DXGKARG_OPENALLOCATION *a = args;
    uint32_t told = field_list(f, "Allocations", a->NumAllocations);
    for (uint32_t i = 0; i < told; i++)
        field_number(f, NULL, a->pOpenAllocation[i].hAllocation);
    field_list_end(f, a->NumAllocations);
    FLAGS(Flags);
}

static void say_keep_open(struct vidmm_host_call *call) {
    const DXGKARG_OPENALLOCATION *a = call->args;
    call->kept[0] = (uintptr_t)a->pOpenAllocation;
    call->kept[1] = a->NumAllocations;
}

static void say_open_answer(const struct fields *f, const void *args) {
    const DXGKARG_OPENALLOCATION *a = args;
    if (!say_unchanged(f, a->pOpenAllocation, a->NumAllocations))
        return;
    uint32_t told = field_list(f, "Opened", a->NumAllocations);
    for (uint32_t i = 0; i < told; i++)
        field_handle(f, NULL, HANDLE_OPENED, a->pOpenAllocation[i].hDeviceSpecificAllocation);
    field_list_end(f, a->NumAllocations);
}

static void say_close(const struct fields *f, const void *args) {
    const DXGKARG_CLOSEALLOCATION *a = args;
    say_handles(f, "Opened", HANDLE_OPENED, a->pOpenHandleList, a->NumAllocations);
}

static void say_describe(const struct fields *f, const void *args) {
    const DXGKARG_DESCRIBEALLOCATION *a = args;
    HANDLE_OF(ALLOCATION, hAllocation);
}

static void say_describe_answer(const struct fields *f, const void *args) {
    const DXGKARG_DESCRIBEALLOCATION *a = args;
    if (!f->succeeded)
        return;
    NUMBER(Width);
    NUMBER(Height);
    NUMBER(Format);
}

static void say_acquire(const struct fields *f, const void *args) {
    const DXGKARG_ACQUIRESWIZZLINGRANGE *a = args;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(PrivateDriverData);
    NUMBER(RangeId);
    NUMBER(SegmentId);
}

static void say_acquire_answer(const struct fields *f, const void *args) {
    const DXGKARG_ACQUIRESWIZZLINGRANGE *a = args;
    if (!f->succeeded)
        return;
    NUMBER(RangeSize);
    ADDRESS(CPUTranslatedAddress);
}

static void say_release(const struct fields *f, const void *args) {
    const DXGKARG_RELEASESWIZZLINGRANGE *a = args;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(PrivateDriverData);
    NUMBER(RangeId);
}

static void say_property(const struct fields *f, const void *args) {
    const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *a = args;
    HANDLE_OF(ALLOCATION, hAllocation);
    HEX(SupportedSegmentSet);
    HEX(PropertyMaskValue);
}

/* Pages of the aperture, and of the segment where they lead. */
static void say_host_pages(const struct fields *f, const UINT32 *from, const UINT64 *to,
                           uint64_t count) {
    uint32_t told = field_list(f, "Pages", count);
    for (uint32_t i = 0; i < told; i++) {
        field_begin(f, NULL, false);
        field_number(f, "CpuHostAperturePage", from[i]);
        if (to)
            field_number(f, "MemorySegmentPage", to[i]);
        field_end(f);
    }
    field_list_end(f, count);
}

static void say_host_map(const struct fields *f, const void *args) {
    const DXGKARG_MAPCPUHOSTAPERTURE *a = args;
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(SegmentId);
    NUMBER(PhysicalAdapterIndex);
    say_host_pages(f, a->pCpuHostAperturePages, a->pMemorySegmentPages, a->NumberOfPages);
}

static void say_host_unmap(const struct fields *f, const void *args) {
    const DXGKARG_UNMAPCPUHOSTAPERTURE *a = args;
    NUMBER(SegmentId);
    NUMBER(PhysicalAdapterIndex);
    say_host_pages(f, a->pCpuHostAperturePages, NULL, a->NumberOfPages);
}

const struct said said_allocations[] = {
    {.name = "DxgkDdiCreateAllocation",
     .arguments = say_create,
     .answers = say_create_answer,
     .keep = say_keep_create},
    {.name = "DxgkDdiDestroyAllocation", .arguments = say_destroy},
    {.name = "DxgkDdiOpenAllocation",
     .arguments = say_open,
     .answers = say_open_answer,
     .keep = say_keep_open,
     .of = HANDLE_DEVICE},
    {.name = "DxgkDdiCloseAllocation", .arguments = say_close, .of = HANDLE_DEVICE},
    {.name = "DxgkDdiDescribeAllocation",
     .arguments = say_describe,
     .answers = say_describe_answer},
    {.name = "DxgkDdiGetStandardAllocationDriverData",
     .arguments = say_standard,
     .answers = say_standard_answer},
    {.name = "DxgkDdiAcquireSwizzlingRange",
     .arguments = say_acquire,
     .answers = say_acquire_answer},
    {.name = "DxgkDdiReleaseSwizzlingRange", .arguments = say_release},
    {.name = "DxgkDdiValidateUpdateAllocationProperty", .arguments = say_property},
    {.name = "DxgkDdiMapCpuHostAperture", .arguments = say_host_map},
    {.name = "DxgkDdiUnmapCpuHostAperture", .arguments = say_host_unmap},
    {.name = NULL},
};
