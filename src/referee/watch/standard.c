/*
 * standard.c - the surfaces that the system creates by itself: private data that the driver
 * makes for them (DxgkDdiGetStandardAllocationDriverData), and the driver's description of existing
 * allocations (DxgkDdiDescribeAllocation).
 *
 * That an allocation is a primary is not said to the driver in CreateAllocation; the private data
 * tells, when it is one of the last that were made here.
 */
#include "state/allocation.h"
#include "state/hash.h"

#define REMEMBERED 64u

static struct standard {
    uint64_t hash;
    size_t size;
    uint32_t type; /* 0: several */
} remembered[REMEMBERED];
static uint32_t newest;

static struct standard *find(uint64_t hash, size_t size) {
    for (uint32_t i = 0; i < REMEMBERED; i++) {
        if (remembered[i].size == size && remembered[i].hash == hash && size != 0)
            return &remembered[i];
    }
    return NULL;
}

uint32_t standard_of(const void *private_data, size_t size) {
    if (!private_data || size == 0)
        return 0;
    const struct standard *known = find(hash_bytes(HASH_START, private_data, size), size);
    return known ? known->type : 0;
}

static bool is_primary(uint32_t type) {
    return type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
}

static void remember(uint32_t type, const void *data, size_t size) {
    uint64_t hash = hash_bytes(HASH_START, data, size);
    struct standard *known = find(hash, size);
    if (known) { /* of kinds that are alike all that matters is whether one is a primary */
        if (is_primary(known->type) != is_primary(type))
            known->type = 0;
        return;
    }
    newest = (newest + 1) % REMEMBERED;
    remembered[newest] = (struct standard){.hash = hash, .size = size, .type = type};
}

static NTSTATUS APIENTRY see_GetStandardAllocationDriverData(
    const HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    struct referee_call call;
    struct guard data, resource;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA mine = *args;
    referee_enter(&call, "DxgkDdiGetStandardAllocationDriverData", REFEREE_REENTRANT);
    guard_make(&data, args->pAllocationPrivateDriverData, args->AllocationPrivateDriverDataSize);
    guard_make(&resource, args->pResourcePrivateDriverData, args->ResourcePrivateDriverDataSize);
    mine.pAllocationPrivateDriverData = data.bytes;
    mine.pResourcePrivateDriverData = resource.bytes;
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiGetStandardAllocationDriverData(adapter, &mine);
    referee_return(&call);
    allocation_judge_guard(&data, "pAllocationPrivateDriverData");
    allocation_judge_guard(&resource, "pResourcePrivateDriverData");
    guard_give(&data, 0, data.size);
    guard_give(&resource, 0, resource.size);
    guard_free(&data);
    guard_free(&resource);
    UINT size = mine.AllocationPrivateDriverDataSize;
    if (NT_SUCCESS(status) && data.original && size <= data.size)
        remember((uint32_t)args->StandardAllocationType, data.original, size);
    mine.pAllocationPrivateDriverData = data.original;
    mine.pResourcePrivateDriverData = resource.original;
    *args = mine;
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_DescribeAllocation(const HANDLE adapter,
                                                DXGKARG_DESCRIBEALLOCATION *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiDescribeAllocation", REFEREE_REENTRANT);
    const struct shadow_object *allocation = shadow_find(SHADOW_ALLOCATION, args->hAllocation);
    bool primary = allocation && is_primary(allocation->standard);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiDescribeAllocation(adapter, args);
    referee_return(&call);
    if (primary)
        DRIVER_MUST(400, NT_SUCCESS(status) && args->Width != 0 && args->Height != 0,
                    "a description of a primary", "status 0x%08x, %u times %u pixels",
                    (unsigned)status, args->Width, args->Height);
    referee_exit(&call);
    return status;
}

void referee_watch_standard(DRIVER_INITIALIZATION_DATA *table) {
    for (uint32_t i = 0; i < REMEMBERED; i++)
        remembered[i] = (struct standard){.size = 0};
    WATCH(table, GetStandardAllocationDriverData);
    WATCH(table, DescribeAllocation);
}
