/*
 * standard.c - the surfaces that the system creates by itself: private data that the driver
 * makes for them (DxgkDdiGetStandardAllocationDriverData), and the driver's description of existing
 * allocations (DxgkDdiDescribeAllocation).
 *
 * That an allocation is a primary is not said to the driver in CreateAllocation; the private data
 * tells, when it is one of the last that were made here.
 */
#include "state/hash.h"
#include "watch/allocation.h"
#include "watch/thunk.h"

static struct standards_data *standard_find(struct vidmm_referee *referee, uint64_t hash,
                                            size_t size) {
    for (uint32_t i = 0; i < STANDARDS_REMEMBERED; i++) {
        if (referee->standards.remembered[i].size == size &&
            referee->standards.remembered[i].hash == hash && size != 0)
            return &referee->standards.remembered[i];
    }
    return NULL;
}

uint32_t standard_of(struct vidmm_referee *referee, const void *private_data, size_t size) {
    if (!private_data || size == 0)
        return 0;
    const struct standards_data *known =
        standard_find(referee, hash_bytes(HASH_START, private_data, size), size);
    return known ? known->type : 0;
}

static bool standard_is_primary(uint32_t type) {
    return type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
}

static void standard_remember(struct vidmm_referee *referee, uint32_t type, const void *data,
                              size_t size) {
    uint64_t hash = hash_bytes(HASH_START, data, size);
    struct standards_data *known = standard_find(referee, hash, size);
    if (known) { /* of kinds that are alike all that matters is whether one is a primary */
        if (standard_is_primary(known->type) != standard_is_primary(type))
            known->type = 0;
        return;
    }
    referee->standards.newest = (referee->standards.newest + 1) % STANDARDS_REMEMBERED;
    referee->standards.remembered[referee->standards.newest] =
        (struct standards_data){.hash = hash, .size = size, .type = type};
}

static NTSTATUS
watch_GetStandardAllocationDriverData(struct vidmm_referee *referee, const HANDLE adapter,
                                      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    struct referee_call call;
    struct guard data, resource;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA mine = *args;
    referee_enter(referee, &call, "DxgkDdiGetStandardAllocationDriverData", REFEREE_REENTRANT);
    guard_make(&data, args->pAllocationPrivateDriverData, args->AllocationPrivateDriverDataSize);
    guard_make(&resource, args->pResourcePrivateDriverData, args->ResourcePrivateDriverDataSize);
    mine.pAllocationPrivateDriverData = data.bytes;
    mine.pResourcePrivateDriverData = resource.bytes;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiGetStandardAllocationDriverData(adapter, &mine);
    referee_return(referee);
    guard_judge(referee, &data, "pAllocationPrivateDriverData");
    guard_judge(referee, &resource, "pResourcePrivateDriverData");
    guard_give(&data, 0, data.size);
    guard_give(&resource, 0, resource.size);
    guard_free(referee, &data);
    guard_free(referee, &resource);
    UINT size = mine.AllocationPrivateDriverDataSize;
    if (NT_SUCCESS(status) && data.original && size <= data.size)
        standard_remember(referee, (uint32_t)args->StandardAllocationType, data.original, size);
    mine.pAllocationPrivateDriverData = data.original;
    mine.pResourcePrivateDriverData = resource.original;
    *args = mine;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, GetStandardAllocationDriverData, const HANDLE,
          DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *)

static NTSTATUS watch_DescribeAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                         DXGKARG_DESCRIBEALLOCATION *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiDescribeAllocation", REFEREE_REENTRANT);
    const struct shadow_allocation *allocation = shadow_allocation(referee, args->hAllocation);
    bool primary = allocation && standard_is_primary(allocation->standard);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDescribeAllocation(adapter, args);
    referee_return(referee);
    if (primary)
        DRIVER_MUST(400, NT_SUCCESS(status) && args->Width != 0 && args->Height != 0,
                    "a description of a primary", "status 0x%08x, %u times %u pixels",
                    (unsigned)status, args->Width, args->Height);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, DescribeAllocation, const HANDLE, DXGKARG_DESCRIBEALLOCATION *)

void referee_watch_standard(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    for (uint32_t i = 0; i < STANDARDS_REMEMBERED; i++)
        referee->standards.remembered[i] = (struct standards_data){.size = 0};
    WATCH(table, GetStandardAllocationDriverData);
    WATCH(table, DescribeAllocation);
}
