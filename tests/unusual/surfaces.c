/*
 * surfaces.c - allocations whose sizes, alignments, segments, private data and handles are not those
 * of the skeleton. It stands before the skeleton's functions, which make them.
 */
#include "shape.h"

#define LONG_DATA 65536u

/* The skeleton's. */
static DRIVER_INITIALIZATION_DATA below;

/* ---- What an allocation asks for ------------------------------------------------------------- */

static UINT set_of(enum segment_kind kind) {
    UINT set = 0;
    for (UINT i = 0; i < MOST_SEGMENTS; i++)
        set |= shape->segment[i].kind == kind ? 1u << i : 0;
    return set;
}

/* Memory segments from the last id down, then apertures. */
static VOID prefer(DXGK_ALLOCATIONINFO *info) {
    UINT ids[MOST_SEGMENTS] = {0}, count = 0;
    for (UINT i = MOST_SEGMENTS; i-- != 0;)
        if (shape->segment[i].kind == MEMORY)
            ids[count++] = i + 1;
    for (UINT i = MOST_SEGMENTS; i-- != 0;)
        if (shape->segment[i].kind == APERTURE)
            ids[count++] = i + 1;
    info->PreferredSegment.Value = 0;
    if (shape->surface.no_preference)
        return;
    info->PreferredSegment.SegmentId0 = ids[0];
    info->PreferredSegment.SegmentId1 = ids[1];
    info->PreferredSegment.SegmentId2 = ids[2];
}

VOID surfaces_hint(struct skeleton *base, DXGK_ALLOCATIONINFO *info) {
    const struct surface_shape *surface = &shape->surface;
    SIZE_T bytes = PAGE_SIZE;
    UNREFERENCED_PARAMETER(base);
    while (bytes < info->Size)
        bytes *= 2;
    info->Size = (surface->doubled ? bytes : info->Size) + surface->more;
    info->Alignment = surface->alignment;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet =
        set_of(MEMORY) | set_of(APERTURE);
    info->EvictionSegmentSet = surface->evicts_to_aperture ? set_of(APERTURE) : 0;
    prefer(info);
}

/* ---- Private data ---------------------------------------------------------------------------- */

/* The resource's data has what the skeleton wants for the allocation. */
static NTSTATUS describe_resource(const HANDLE handle,
                                  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    PVOID data = args->pAllocationPrivateDriverData;
    args->pAllocationPrivateDriverData = args->pResourcePrivateDriverData;
    NTSTATUS status = below.DxgkDdiGetStandardAllocationDriverData(handle, args);
    args->pAllocationPrivateDriverData = data;
    args->ResourcePrivateDriverDataSize = args->AllocationPrivateDriverDataSize;
    args->AllocationPrivateDriverDataSize = 0;
    return status;
}

static DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA get_standard;
static NTSTATUS APIENTRY get_standard(const HANDLE handle,
                                      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    if (shape->surface.refused)
        return STATUS_INVALID_PARAMETER;
    if (shape->surface.described_by_resource)
        return describe_resource(handle, args);
    NTSTATUS status = below.DxgkDdiGetStandardAllocationDriverData(handle, args);
    if (NT_SUCCESS(status) && shape->surface.long_data)
        args->AllocationPrivateDriverDataSize = args->ResourcePrivateDriverDataSize = LONG_DATA;
    return status;
}

/* Each allocation is described by the same data, in a copy: what the system says of each stays as it is. */
static NTSTATUS create_described(const HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    DXGKARG_CREATEALLOCATION mine = *args;
    DXGK_ALLOCATIONINFO *infos = skeleton_allocate(args->NumAllocations * sizeof(*infos));
    if (!infos)
        return STATUS_NO_MEMORY;
    mine.pAllocationInfo = infos;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        infos[i] = args->pAllocationInfo[i];
        infos[i].pPrivateDriverData = (PVOID)args->pPrivateDriverData;
        infos[i].PrivateDriverDataSize = args->PrivateDriverDataSize;
    }
    NTSTATUS status = below.DxgkDdiCreateAllocation(handle, &mine);
    for (UINT i = 0; i < args->NumAllocations; i++) {
        infos[i].pPrivateDriverData = args->pAllocationInfo[i].pPrivateDriverData;
        infos[i].PrivateDriverDataSize = args->pAllocationInfo[i].PrivateDriverDataSize;
        args->pAllocationInfo[i] = infos[i];
    }
    args->hResource = mine.hResource;
    skeleton_release(infos);
    return status;
}

/* ---- Handles --------------------------------------------------------------------------------- */

enum numbered { ALLOCATIONS, OPENED, DEVICES, CONTEXTS, KINDS };

struct entry {
    LIST_ENTRY link;
    ULONG_PTR number;
    PVOID object;
};

/* An adapter at a time is enough: numbers begin at 1 for each kind. */
static struct {
    KSPIN_LOCK lock;
    LIST_ENTRY list[KINDS];
    ULONG_PTR last[KINDS];
} numbers;

/* NULL: there is no memory for it. */
static HANDLE number(enum numbered kind, PVOID object) {
    struct entry *entry = skeleton_allocate(sizeof(*entry));
    KIRQL irql;
    if (!entry)
        return NULL;
    KeAcquireSpinLock(&numbers.lock, &irql);
    entry->number = ++numbers.last[kind];
    entry->object = object;
    InsertTailList(&numbers.list[kind], &entry->link);
    KeReleaseSpinLock(&numbers.lock, irql);
    return (HANDLE)entry->number;
}

static struct entry *find(enum numbered kind, HANDLE handle) {
    LIST_ENTRY *at = numbers.list[kind].Flink;
    while (at != &numbers.list[kind]) {
        struct entry *entry = CONTAINING_RECORD(at, struct entry, link);
        if (entry->number == (ULONG_PTR)handle)
            return entry;
        at = at->Flink;
    }
    return NULL;
}

static PVOID object_of(enum numbered kind, HANDLE handle, BOOLEAN forget) {
    KIRQL irql;
    KeAcquireSpinLock(&numbers.lock, &irql);
    struct entry *entry = find(kind, handle);
    PVOID object = entry ? entry->object : NULL;
    if (entry && forget)
        RemoveEntryList(&entry->link);
    KeReleaseSpinLock(&numbers.lock, irql);
    if (entry && forget)
        skeleton_release(entry);
    return object;
}

static DXGKDDI_DESTROYALLOCATION destroy_numbered;
static NTSTATUS APIENTRY destroy_numbered(const HANDLE handle,
                                          const DXGKARG_DESTROYALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const HANDLE object = object_of(ALLOCATIONS, args->pAllocationList[i], TRUE);
        const DXGKARG_DESTROYALLOCATION one = {.NumAllocations = 1, .pAllocationList = &object};
        (void)below.DxgkDdiDestroyAllocation(handle, &one);
    }
    return STATUS_SUCCESS;
}

/* All of them have numbers, or none is there. */
static NTSTATUS create_numbered(const HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = below.DxgkDdiCreateAllocation(handle, args);
    BOOLEAN good = NT_SUCCESS(status);
    for (UINT i = 0; NT_SUCCESS(status) && i < args->NumAllocations; i++) {
        const HANDLE object = args->pAllocationInfo[i].hAllocation;
        HANDLE given = good ? number(ALLOCATIONS, object) : NULL;
        const DXGKARG_DESTROYALLOCATION one = {.NumAllocations = 1, .pAllocationList = &object};
        args->pAllocationInfo[i].hAllocation = given;
        if (given)
            continue;
        (void)below.DxgkDdiDestroyAllocation(handle, &one);
        for (UINT j = 0; good && j < i; j++) {
            const HANDLE before = args->pAllocationInfo[j].hAllocation;
            const DXGKARG_DESTROYALLOCATION its = {.NumAllocations = 1, .pAllocationList = &before};
            (void)destroy_numbered(handle, &its);
        }
        good = FALSE;
    }
    return NT_SUCCESS(status) && !good ? STATUS_NO_MEMORY : status;
}

static DXGKDDI_CREATEALLOCATION create_allocation;
static NTSTATUS APIENTRY create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    if (shape->surface.described_by_resource)
        return create_described(handle, args);
    if (shape->surface.numbered)
        return create_numbered(handle, args);
    return below.DxgkDdiCreateAllocation(handle, args);
}

static DXGKDDI_CLOSEALLOCATION close_numbered;
static NTSTATUS APIENTRY close_numbered(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const HANDLE object = object_of(OPENED, args->pOpenHandleList[i], TRUE);
        const DXGKARG_CLOSEALLOCATION one = {.NumAllocations = 1, .pOpenHandleList = &object};
        (void)below.DxgkDdiCloseAllocation(object_of(DEVICES, device, FALSE), &one);
    }
    return STATUS_SUCCESS;
}

/* One after another, so that a failure leaves a simple end. */
static DXGKDDI_OPENALLOCATIONINFO open_numbered;
static NTSTATUS APIENTRY open_numbered(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const HANDLE object = object_of(DEVICES, device, FALSE);
    NTSTATUS status = below.DxgkDdiOpenAllocation(object, args);
    for (UINT i = 0; NT_SUCCESS(status) && i < args->NumAllocations; i++) {
        DXGK_OPENALLOCATIONINFO *info = &args->pOpenAllocation[i];
        HANDLE given = number(OPENED, info->hDeviceSpecificAllocation);
        if (given) {
            info->hDeviceSpecificAllocation = given;
            continue;
        }
        for (UINT j = i; j < args->NumAllocations; j++)
            skeleton_release(args->pOpenAllocation[j].hDeviceSpecificAllocation);
        while (i-- != 0)
            skeleton_release(
                object_of(OPENED, args->pOpenAllocation[i].hDeviceSpecificAllocation, TRUE));
        return STATUS_NO_MEMORY;
    }
    return status;
}

static DXGKDDI_CREATEDEVICE create_device;
static NTSTATUS APIENTRY create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    NTSTATUS status = below.DxgkDdiCreateDevice(handle, args);
    HANDLE object = args->hDevice;
    if (!NT_SUCCESS(status))
        return status;
    args->hDevice = number(DEVICES, object);
    if (!args->hDevice)
        (void)below.DxgkDdiDestroyDevice(object);
    return args->hDevice ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_DESTROYDEVICE destroy_device;
static NTSTATUS APIENTRY destroy_device(const HANDLE device) {
    return below.DxgkDdiDestroyDevice(object_of(DEVICES, device, TRUE));
}

static DXGKDDI_CREATECONTEXT create_context;
static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = below.DxgkDdiCreateContext(object_of(DEVICES, device, FALSE), args);
    HANDLE object = args->hContext;
    if (!NT_SUCCESS(status))
        return status;
    args->hContext = number(CONTEXTS, object);
    if (!args->hContext)
        (void)below.DxgkDdiDestroyContext(object);
    return args->hContext ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static DXGKDDI_DESTROYCONTEXT destroy_context;
static NTSTATUS APIENTRY destroy_context(const HANDLE context) {
    return below.DxgkDdiDestroyContext(object_of(CONTEXTS, context, TRUE));
}

VOID surfaces_table(DRIVER_INITIALIZATION_DATA *table) {
    below = *table;
    table->DxgkDdiGetStandardAllocationDriverData = get_standard;
    table->DxgkDdiCreateAllocation = create_allocation;
    if (!shape->surface.numbered)
        return;
    KeInitializeSpinLock(&numbers.lock);
    for (UINT i = 0; i < KINDS; i++) {
        InitializeListHead(&numbers.list[i]);
        numbers.last[i] = 0;
    }
    table->DxgkDdiDestroyAllocation = destroy_numbered;
    table->DxgkDdiOpenAllocation = open_numbered;
    table->DxgkDdiCloseAllocation = close_numbered;
    table->DxgkDdiCreateDevice = create_device;
    table->DxgkDdiDestroyDevice = destroy_device;
    table->DxgkDdiCreateContext = create_context;
    table->DxgkDdiDestroyContext = destroy_context;
}
