/*
 * allocation.c - the life of allocations: created, opened in devices, closed, destroyed. Keeps
 * their shadows, and judges which handles are passed to which call.
 *
 * As in watch/device.c, shadows go before the driver is asked to let go of a handle.
 */
#include "watch/allocation.h"

#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "work/work.h"
#include "watch/query.h"
#include "watch/watch.h"
#include "state/answers.h"
#include "state/given.h"
#include "state/memory.h"

/* ---- Guarded arrays: `count` private data areas behind the elements of an array -------------- */

struct areas {
    struct guard array;
    struct guard *data; /* NULL: no memory for it, unguarded */
    UINT count;
};

static void allocation_areas_make(struct vidmm_referee *referee, struct areas *areas, void *array,
                                  size_t element, UINT count) {
    guard_make(referee, &areas->array, array, element * count);
    areas->count = count;
    areas->data = count != 0 ? memory_calloc(count, sizeof(*areas->data)) : NULL;
}

static void *allocation_area_make(struct vidmm_referee *referee, struct areas *areas, UINT i,
                                  void *data, UINT size) {
    if (!areas->data)
        return data;
    guard_make(referee, &areas->data[i], data, size);
    return areas->data[i].bytes;
}

/* The caller's pointer for the driver's; what the driver wrote goes back. */
static void *allocation_area_give(struct vidmm_referee *referee, struct areas *areas, UINT i,
                                  void *moved) {
    if (!areas->data)
        return moved;
    struct guard *guard = &areas->data[i];
    guard_judge(referee, guard, "pPrivateDriverData");
    guard_give(guard, 0, guard->size);
    return guard_original(guard, moved);
}

static bool allocation_area_changed(const struct areas *areas, UINT i) {
    const struct guard *guard = areas->data ? &areas->data[i] : NULL;
    return guard && guard->block && memcmp(guard->bytes, guard->original, guard->size) != 0;
}

/* R590: what the driver is told about the private data of allocation `i`, and leaves as it is; afterwards
 * `data` and `size` say again what they said. */
static void allocation_judge_told(struct vidmm_referee *referee, const struct areas *areas, UINT i,
                                  PVOID *data, UINT *size, UINT told) {
    void *was = areas->data ? areas->data[i].bytes : *data;
    DRIVER_MUST(590, *data == was && *size == told, "the members that are [in] as they were",
                "allocation %u: pPrivateDriverData is %s, PrivateDriverDataSize %u, and was %u", i,
                *data == was ? "what it was" : "another", *size, told);
    *data = was;
    *size = told;
}

static void allocation_areas_free(struct vidmm_referee *referee, struct areas *areas,
                                  const char *what) {
    guard_judge(referee, &areas->array, what);
    guard_give(&areas->array, 0, areas->array.size);
    answers_end_member(referee, &areas->array, what);
    for (UINT i = 0; areas->data && i < areas->count; i++)
        answers_end_member(referee, &areas->data[i], "pPrivateDriverData");
    free(areas->data);
}

/* ---- Create ---------------------------------------------------------------------------------- */

/* `asked` is what went in as hResource: the handle of a resource that exists already, or NULL. */
static struct shadow_resource *allocation_resource_of(struct vidmm_referee *referee,
                                                      const DXGKARG_CREATEALLOCATION *args,
                                                      HANDLE asked) {
    if (!args->Flags.Resource)
        return NULL;
    struct shadow_resource *resource = asked ? shadow_resource(referee, asked) : NULL;
    return resource ? resource : shadow_add_resource(referee, args->hResource);
}

static void allocation_judge_handles(struct vidmm_referee *referee,
                                     const DXGK_ALLOCATIONINFO *infos, UINT count) {
    UINT missing = 0;
    for (UINT i = 0; i < count; i++)
        missing += !infos[i].hAllocation;
    if (count > 1)
        DRIVER_MUST(136, missing == 0 || missing == count, "all allocations of the array, or none",
                    "STATUS_SUCCESS with %u of %u handles NULL", missing, count);
    for (UINT i = 0; i < count; i++) {
        if (!infos[i].hAllocation && missing != count)
            continue; /* said already */
        DRIVER_MUST(102, infos[i].hAllocation && !shadow_allocation(referee, infos[i].hAllocation),
                    "a handle that is not NULL and no other allocation's",
                    "allocation %u: hAllocation is %p", i, infos[i].hAllocation);
    }
}

static void allocation_judge_standard(struct vidmm_referee *referee,
                                      const DXGK_ALLOCATIONINFO *info, UINT index,
                                      const struct standards_data *standard) {
    /* What is composed with GDI, and shown, is no surface of a compute-only driver. */
    if (standard->lockable && !referee->adapter.caps.MiscCaps.ComputeOnly)
        DRIVER_MUST(534, info->Flags.CpuVisible, "CpuVisible for a surface that the CPU locks",
                    "allocation %u: Flags are 0x%x", index, info->Flags.Value);
    if (standard->bytes != 0)
        DRIVER_MUST(standard->shared ? 552 : 527, info->Size >= standard->bytes,
                    "a standard surface with room for all of its rows",
                    "allocation %u: Size is 0x%llx, of the rows 0x%llx", index, LLU(info->Size),
                    LLU(standard->bytes));
}

static void allocation_created(struct vidmm_referee *referee, const DXGKARG_CREATEALLOCATION *args,
                               HANDLE asked, const struct standards_data *standards) {
    const DXGK_ALLOCATIONINFO *infos = args->pAllocationInfo;
    struct shadow_resource *resource = allocation_resource_of(referee, args, asked);
    allocation_judge_handles(referee, infos, args->NumAllocations);
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const struct standards_data none = {.size = 0};
        const struct standards_data *standard = standards ? &standards[i] : &none;
        allocation_judge_info(referee, &infos[i], i, standard->type);
        allocation_judge_standard(referee, &infos[i], i, standard);
        if (!infos[i].hAllocation)
            continue;
        struct shadow_allocation *allocation = shadow_add_allocation(referee, infos[i].hAllocation);
        if (!allocation)
            continue;
        allocation_take_info(referee, allocation, &infos[i]);
        allocation->standard = standard->type;
        allocation->width = standard->width;
        allocation->height = standard->height;
        allocation->format = standard->format;
        allocation->rate = standard->rate;
        shadow_join_resource(allocation, resource);
    }
    if (resource && resource->allocations.count == 0)
        shadow_remove_resource(referee, resource);
}

static void allocation_take_refused(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *infos,
                                    UINT count) {
    referee->refused.count = 0;
    for (UINT i = 0;
         i < count && referee->refused.count < sizeof(referee->refused.handle) / sizeof(HANDLE);
         i++) {
        HANDLE handle = infos[i].hAllocation;
        if (handle && !shadow_allocation(referee, handle))
            referee->refused.handle[referee->refused.count++] = handle;
    }
}

static bool allocation_was_refused(struct vidmm_referee *referee, HANDLE handle) {
    for (UINT i = 0; i < referee->refused.count; i++) {
        if (referee->refused.handle[i] == handle)
            return true;
    }
    return false;
}

/* Systems create standard surfaces one by one, and none that is larger than a screen or two. */
#define STANDARD_SIZED ((uint64_t)64 << 20)

static bool allocation_standard_sized(const DXGKARG_CREATEALLOCATION *args,
                                      const struct standards_data *standards) {
    return standards && args->NumAllocations == 1 && standards[0].bytes != 0 &&
           standards[0].bytes <= STANDARD_SIZED;
}

static void allocation_judge_status(struct vidmm_referee *referee,
                                    const DXGKARG_CREATEALLOCATION *args,
                                    const struct standards_data *standards, NTSTATUS status) {
    if (allocation_standard_sized(args, standards))
        DRIVER_MUST(526, status == STATUS_SUCCESS || status == STATUS_NO_MEMORY,
                    "a surface from the private data that the driver made for it",
                    "status 0x%08x for %u bytes of private data of a standard surface",
                    (unsigned)status, args->pAllocationInfo[0].PrivateDriverDataSize);
    DRIVER_MUST(137,
                status == STATUS_SUCCESS || status == STATUS_INVALID_PARAMETER ||
                    status == STATUS_NO_MEMORY || status == STATUS_GRAPHICS_DRIVER_MISMATCH,
                "STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY or "
                "STATUS_GRAPHICS_DRIVER_MISMATCH",
                "status 0x%08x", (unsigned)status);
}

/* What kind of surface each is to become, as far as the private data tells. */
static struct standards_data *allocation_standards(struct vidmm_referee *referee,
                                                   const DXGKARG_CREATEALLOCATION *args) {
    struct standards_data *standards =
        memory_calloc((size_t)args->NumAllocations + 1, sizeof(*standards));
    for (UINT i = 0; standards && i < args->NumAllocations; i++)
        standards[i] = standard_of(referee, args->pAllocationInfo[i].pPrivateDriverData,
                                   args->pAllocationInfo[i].PrivateDriverDataSize);
    return standards;
}

/* What the driver gets: the array, and the private data of each, in areas of their own. */
static DXGK_ALLOCATIONINFO *allocation_infos(struct vidmm_referee *referee,
                                             const struct referee_call *call,
                                             const DXGKARG_CREATEALLOCATION *args,
                                             struct areas *areas) {
    allocation_areas_make(referee, areas, args->pAllocationInfo, sizeof(*args->pAllocationInfo),
                          args->NumAllocations);
    DXGK_ALLOCATIONINFO *infos = (DXGK_ALLOCATIONINFO *)(void *)areas->array.bytes;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        if (!infos[i].pPrivateDriverData)
            referee_gives_no_data(call, 537, "pPrivateDriverData");
        infos[i].pPrivateDriverData = allocation_area_make(
            referee, areas, i, infos[i].pPrivateDriverData, infos[i].PrivateDriverDataSize);
    }
    return infos;
}

static void allocation_judge_hints(struct vidmm_referee *referee,
                                   const DXGKARG_CREATEALLOCATION *args, const void *local) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const void *hint = args->pAllocationInfo[i].pAllocationUsageHint;
        DRIVER_MUST(599, !given_gone(referee, local, hint),
                    "pAllocationUsageHint in memory that outlives the call",
                    "that of allocation %u is on the stack of the call", i);
    }
}

static NTSTATUS watch_CreateAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                       DXGKARG_CREATEALLOCATION *args) {
    struct referee_call call;
    struct areas areas;
    DXGKARG_CREATEALLOCATION mine = *args;
    referee_enter(referee, &call, "DxgkDdiCreateAllocation", REFEREE_REENTRANT);
    MANAGER_MUST(432, !args->hResource || shadow_resource(referee, args->hResource),
                 "hResource as the driver left it for the resource, or NULL for a new one",
                 "hResource is %p", args->hResource);
    struct standards_data *standards = allocation_standards(referee, args);
    DXGK_ALLOCATIONINFO *infos = allocation_infos(referee, &call, args, &areas);
    mine.pAllocationInfo = infos;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCreateAllocation(adapter, &mine);
    referee_return(referee);
    DRIVER_MUST(590,
                mine.NumAllocations == args->NumAllocations && mine.pAllocationInfo == infos &&
                    mine.pPrivateDriverData == args->pPrivateDriverData &&
                    mine.PrivateDriverDataSize == args->PrivateDriverDataSize &&
                    mine.Flags.Value == args->Flags.Value,
                "the members that are [in] as they were",
                "one of DXGKARG_CREATEALLOCATION is another");
    for (UINT i = 0; i < args->NumAllocations; i++) {
        allocation_judge_told(referee, &areas, i, &infos[i].pPrivateDriverData,
                              &infos[i].PrivateDriverDataSize,
                              args->pAllocationInfo[i].PrivateDriverDataSize);
        infos[i].pPrivateDriverData =
            allocation_area_give(referee, &areas, i, infos[i].pPrivateDriverData);
    }
    allocation_areas_free(referee, &areas, "pAllocationInfo");
    HANDLE asked = args->hResource;
    args->hResource = mine.hResource;
    allocation_judge_status(referee, args, standards, status);
    if (status == STATUS_SUCCESS) {
        allocation_judge_hints(referee, args, &mine);
        allocation_created(referee, args, asked, standards);
    } else {
        allocation_take_refused(referee, args->pAllocationInfo, args->NumAllocations);
    }
    free(standards);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CreateAllocation, const HANDLE, DXGKARG_CREATEALLOCATION *)

/* ---- Open ------------------------------------------------------------------------------------ */

/* The system keeps the driver's handle behind its own. */
static struct shadow_allocation *allocation_named(struct vidmm_referee *referee,
                                                  D3DKMT_HANDLE name) {
    DXGKARGCB_GETHANDLEDATA query = {.hObject = name, .Type = DXGK_HANDLE_ALLOCATION};
    if (!referee->callbacks.DxgkCbGetHandleData)
        return NULL;
    HANDLE handle = referee->callbacks.DxgkCbGetHandleData(&query);
    return handle ? shadow_allocation(referee, handle) : NULL;
}

static void allocation_opened(struct vidmm_referee *referee, HANDLE device,
                              const DXGK_OPENALLOCATIONINFO *info, bool create) {
    struct shadow_allocation *allocation = allocation_named(referee, info->hAllocation);
    struct shadow_opened *open = shadow_add_opened(referee, info->hDeviceSpecificAllocation);
    if (!open)
        return;
    if (allocation)
        allocation_judge_open(referee, allocation);
    shadow_join_opened(referee, open, device, allocation);
    if (!allocation)
        return;
    allocation->name = info->hAllocation;
    if (referee->adapter.caps_known && allocation->info.FlagsWddm2.MapApertureCpuVisible &&
        referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        MANAGER_MUST(129, referee->adapter.caps.MemoryManagementCaps.MapAperture2Supported,
                     "a MapApertureCpuVisible allocation of a driver without "
                     "MapAperture2Supported refused",
                     "it is opened");
    if (create)
        shadow_join_device(referee, allocation, device);
}

/* An allocation outlives the device that created it, as long as another can open it. */
static void allocation_judge_orphans(struct vidmm_referee *referee,
                                     const DXGKARG_OPENALLOCATION *args, NTSTATUS status) {
    for (UINT i = 0; i < args->NumAllocations && !args->Flags.Create; i++) {
        const struct shadow_allocation *allocation =
            allocation_named(referee, args->pOpenAllocation[i].hAllocation);
        if (!allocation || allocation->device)
            continue;
        DRIVER_MUST(138, status == STATUS_SUCCESS || status == STATUS_NO_MEMORY,
                    "allocations that outlive the device that created them",
                    "status 0x%08x when one was opened whose first device is gone",
                    (unsigned)status);
    }
}

static void allocation_judge_opened(struct vidmm_referee *referee, const HANDLE device,
                                    const DXGKARG_OPENALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const DXGK_OPENALLOCATIONINFO *info = &args->pOpenAllocation[i];
        DRIVER_MUST(143, info->hDeviceSpecificAllocation,
                    "hDeviceSpecificAllocation not NULL after STATUS_SUCCESS",
                    "NULL for allocation %u", i);
        if (info->hDeviceSpecificAllocation)
            allocation_opened(referee, device, info, args->Flags.Create);
    }
}

static void allocation_take_back(struct vidmm_referee *referee, struct areas *areas,
                                 const DXGKARG_OPENALLOCATION *mine,
                                 const DXGK_OPENALLOCATIONINFO *told) {
    for (UINT i = 0; i < mine->NumAllocations; i++) {
        DXGK_OPENALLOCATIONINFO *info = &mine->pOpenAllocation[i];
        DRIVER_MUST(590, info->hAllocation == told[i].hAllocation,
                    "the members that are [in] as they were",
                    "allocation %u: hAllocation is 0x%x, and was 0x%x", i, info->hAllocation,
                    told[i].hAllocation);
        info->hAllocation = told[i].hAllocation;
        allocation_judge_told(referee, areas, i, &info->pPrivateDriverData,
                              &info->PrivateDriverDataSize, told[i].PrivateDriverDataSize);
        if (!mine->Flags.Create)
            DRIVER_MUST(144, !allocation_area_changed(areas, i),
                        "private driver data as it was, without Flags.Create",
                        "that of allocation %u was changed", i);
        info->pPrivateDriverData =
            allocation_area_give(referee, areas, i, info->pPrivateDriverData);
    }
    allocation_areas_free(referee, areas, "pOpenAllocation");
}

/* This thread is in the driver's function, which asks about the handles that it got. */
static _Thread_local bool opening;

bool allocation_opening(void) {
    return opening;
}

static NTSTATUS watch_OpenAllocation(struct vidmm_referee *referee, const HANDLE device,
                                     const DXGKARG_OPENALLOCATION *args) {
    struct referee_call call;
    struct areas areas;
    DXGKARG_OPENALLOCATION mine = *args;
    referee_enter(referee, &call, "DxgkDdiOpenAllocation", REFEREE_REENTRANT);
    allocation_areas_make(referee, &areas, args->pOpenAllocation, sizeof(*args->pOpenAllocation),
                          args->NumAllocations);
    mine.pOpenAllocation = (DXGK_OPENALLOCATIONINFO *)(void *)areas.array.bytes;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        DXGK_OPENALLOCATIONINFO *info = &mine.pOpenAllocation[i];
        info->pPrivateDriverData = allocation_area_make(
            referee, &areas, i, info->pPrivateDriverData, info->PrivateDriverDataSize);
    }
    referee_leave(referee);
    opening = true;
    NTSTATUS status = referee->real.DxgkDdiOpenAllocation(device, &mine);
    opening = false;
    referee_return(referee);
    mine.NumAllocations = args->NumAllocations;
    mine.Flags = args->Flags;
    allocation_take_back(referee, &areas, &mine, args->pOpenAllocation);
    allocation_judge_orphans(referee, args, status);
    if (args->Flags.Create)
        device_judge_needed(referee, status, "the opening of allocations that were created for it");
    if (status == STATUS_SUCCESS)
        allocation_judge_opened(referee, device, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, OpenAllocation, const HANDLE, const DXGKARG_OPENALLOCATION *)

/* ---- Close ----------------------------------------------------------------------------------- */

static struct shadow_resource *allocation_resource_opened(const struct shadow_opened *open) {
    return open && open->allocation ? open->allocation->resource : NULL;
}

static uint32_t allocation_count_opened(const struct shadow_resource *resource, HANDLE device) {
    uint32_t count = 0;
    for (const struct chain_link *of = resource->allocations.first; of; of = of->after) {
        const struct shadow_allocation *allocation =
            CHAIN_OWNER(struct shadow_allocation, of_resource, of);
        for (const struct chain_link *at = allocation->opens.first; at; at = at->after)
            count += CHAIN_OWNER(struct shadow_opened, of_allocation, at)->device == device;
    }
    return count;
}

/* The allocations of a resource are closed together. */
static void allocation_judge_together(struct vidmm_referee *referee, HANDLE device,
                                      const DXGKARG_CLOSEALLOCATION *args) {
    const struct shadow_resource *before = NULL;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const struct shadow_resource *resource = allocation_resource_opened(
            shadow_find_opened(referee, device, args->pOpenHandleList[i]));
        if (!resource || resource == before)
            continue;
        before = resource;
        uint32_t listed = 0, open = allocation_count_opened(resource, device);
        for (UINT j = 0; j < args->NumAllocations; j++)
            listed += allocation_resource_opened(shadow_find_opened(
                          referee, device, args->pOpenHandleList[j])) == resource;
        MANAGER_MUST(140, listed == open, "all allocations of a resource in one CloseAllocation",
                     "%u of the %u that are open", listed, open);
    }
}

static NTSTATUS watch_CloseAllocation(struct vidmm_referee *referee, const HANDLE device,
                                      const DXGKARG_CLOSEALLOCATION *args) {
    struct referee_call call;
    struct ended list;
    DXGKARG_CLOSEALLOCATION mine = *args;
    referee_enter(referee, &call, "DxgkDdiCloseAllocation", REFEREE_REENTRANT);
    allocation_judge_together(referee, device, args);
    bool known = true;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        struct shadow_opened *open = shadow_find_opened(referee, device, args->pOpenHandleList[i]);
        MANAGER_MUST(139, open, "one CloseAllocation for every open",
                     "handle %u of the list is not open in this device", i);
        known = known && open;
        if (open)
            shadow_remove_opened(referee, open);
    }
    ended_make(referee, &list, &call, "pOpenHandleList", (void *)(uintptr_t)args->pOpenHandleList,
               args->NumAllocations * sizeof(*args->pOpenHandleList));
    mine.pOpenHandleList = list.bytes;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCloseAllocation(device, &mine);
    referee_return(referee);
    ended_free(referee, &list);
    if (known)
        device_judge_ended(referee, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CloseAllocation, const HANDLE, const DXGKARG_CLOSEALLOCATION *)

void allocation_device_gone(struct vidmm_referee *referee, HANDLE handle) {
    struct shadow_device *device = shadow_device(referee, handle);
    uint32_t left = device ? device->opens.count : 0;
    while (device && device->opens.first)
        shadow_remove_opened(referee,
                             CHAIN_OWNER(struct shadow_opened, of_device, device->opens.first));
    MANAGER_MUST(139, left == 0, "every open closed before its device is destroyed",
                 "%u are open in the device", left);
    struct chain_link *at = device ? device->allocations.first : NULL;
    for (; at; at = at->after)
        CHAIN_OWNER(struct shadow_allocation, of_device, at)->device = NULL;
}

/* ---- Destroy --------------------------------------------------------------------------------- */

static void allocation_destroyed(struct vidmm_referee *referee,
                                 struct shadow_allocation *allocation) {
    struct shadow_resource *resource = allocation->resource;
    MANAGER_MUST(139, allocation->opens.count == 0,
                 "every open closed before the allocation is destroyed", "%u are open",
                 allocation->opens.count);
    MANAGER_MUST(145, allocation->uses == 0,
                 "no GPU work under way that uses a destroyed allocation",
                 "%u submissions under way use it", allocation->uses);
    owners_judge_end(referee, allocation, operations_under_way(referee, allocation->head.handle));
    notice_judge_end(referee, allocation);
    while (allocation->opens.first)
        shadow_remove_opened(
            referee, CHAIN_OWNER(struct shadow_opened, of_allocation, allocation->opens.first));
    shadow_remove_allocation(referee, allocation);
    if (resource && resource->allocations.count == 0)
        shadow_remove_resource(referee, resource);
}

static void allocation_judge_resource(struct vidmm_referee *referee,
                                      const DXGKARG_DESTROYALLOCATION *args) {
    if (args->Flags.DestroyResource)
        MANAGER_MUST(141, shadow_resource(referee, args->hResource),
                     "the hResource that Create returned, once", "hResource is %p",
                     args->hResource);
}

static NTSTATUS watch_DestroyAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                        const DXGKARG_DESTROYALLOCATION *args) {
    struct referee_call call;
    struct ended list;
    DXGKARG_DESTROYALLOCATION mine = *args;
    referee_enter(referee, &call, "DxgkDdiDestroyAllocation", REFEREE_REENTRANT);
    reports_drain(referee); /* what the manager learnt from another processor's DPC */
    allocation_judge_resource(referee, args);
    bool known = true;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        HANDLE handle = args->pAllocationList[i];
        struct shadow_allocation *allocation = shadow_allocation(referee, handle);
        MANAGER_MUST(141, allocation, "handles that Create returned, each once",
                     "handle %u of the list is %p", i, handle);
        if (referee->refused.count != 0)
            MANAGER_MUST(136, allocation || !allocation_was_refused(referee, handle),
                         "no use of handles that a failed creation left in its array",
                         "handle %u of the list is %p", i, handle);
        known = known && allocation;
        if (allocation)
            allocation_destroyed(referee, allocation);
    }
    ended_make(referee, &list, &call, "pAllocationList", (void *)(uintptr_t)args->pAllocationList,
               args->NumAllocations * sizeof(*args->pAllocationList));
    mine.pAllocationList = list.bytes;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDestroyAllocation(adapter, &mine);
    referee_return(referee);
    ended_free(referee, &list);
    if (known)
        device_judge_ended(referee, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, DestroyAllocation, const HANDLE, const DXGKARG_DESTROYALLOCATION *)

void allocation_judge_end(struct vidmm_referee *referee) {
    uint32_t open = referee->objects.opened.count, alive = referee->objects.allocation.count;
    MANAGER_MUST(139, open == 0, "every open closed when the adapter goes", "%u are open", open);
    MANAGER_MUST(141, alive == 0, "every allocation destroyed when the adapter goes",
                 "%u are alive", alive);
}

void referee_watch_allocation(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->refused.count = 0;
    WATCH(table, CreateAllocation);
    WATCH(table, OpenAllocation);
    WATCH(table, CloseAllocation);
    WATCH(table, DestroyAllocation);
}
