/*
 * saved.c - contexts whose state is in memory (setting ContextBytes): a context allocation, as
 * context-allocation.md has it. Its first page is privileged and is reached by its physical
 * address; it says which root table and space the context has. Behind it is the save area, which
 * the GPU reaches by an address of the process.
 *
 * Where the allocation is the system tells in NOTIFY_RESIDENCY; INIT_CONTEXT_RESOURCE and
 * UPDATE_CONTEXT_ALLOCATION (paging_virtual.c) write what kmd_saved_state() says.
 */
#include "driver/kmd.h"

struct gpu_context_state kmd_saved_state(const struct kmd_saved *saved) {
    const struct kmd_context *context = saved->context;
    struct gpu_context_state state = {
        .magic = GPU_CONTEXT_MAGIC,
        .root = context->root,
        .root_entries = context->root_entries,
        .space = context->device->space,
        .save = saved->va,
        .save_pages = context->device->adapter->settings.context_bytes / GPU_PAGE,
    };
    return state;
}

static NTSTATUS saved_allocate(struct kmd_saved *saved, HANDLE runtime) {
    const struct kmd_adapter *adapter = saved->context->board;
    const DXGKRNL_INTERFACE *dxgk = &adapter->lead->dxgk;
    UINT local = kmd_segment_set(adapter, KMD_SEGMENT_INVISIBLE) |
                 kmd_segment_set(adapter, KMD_SEGMENT_VISIBLE);
    DXGKARGCB_CREATECONTEXTALLOCATION create = {
        .hAdapter = dxgk->DeviceHandle,
        .hDevice = saved->context->device->runtime,
        .hContext = runtime,
        .hDriverAllocation = &saved->allocation,
        .Size = saved->allocation.size,
        .SupportedSegmentSet = local | kmd_segment_set(adapter, KMD_SEGMENT_APERTURE),
    };
    /* The last: the CPU has no use for it, and visible memory is left to others. */
    for (UINT id = 1; id <= adapter->segments; id++)
        if ((local >> (id - 1) & 1u) != 0)
            create.PreferredSegment.SegmentId0 = id;
    create.PhysicalAdapterIndex = adapter->physical;
    create.Flags.AccessedPhysically = 1;
    create.Flags.ExplicitResidencyNotification = 1;
    NTSTATUS status = dxgk->DxgkCbCreateContextAllocation(&create);
    saved->system = create.hAllocation;
    return status;
}

/* The first page is not mapped: only the GPU reads it. */
static ULONGLONG saved_map(const struct kmd_saved *saved) {
    const DXGKRNL_INTERFACE *dxgk = &saved->context->device->adapter->dxgk;
    DXGKARGCB_MAPCONTEXTALLOCATION args = {
        .hAllocation = saved->system,
        .OffsetInPages = 1,
        .SizeInPages = saved->allocation.size / GPU_PAGE - 1,
    };
    args.Protection.Write = 1;
    return dxgk->DxgkCbMapContextAllocation(dxgk->DeviceHandle, &args);
}

bool kmd_saved_create(struct kmd_context *context, HANDLE runtime) {
    struct kmd_saved *saved = kmd_alloc(sizeof(*saved));
    if (!saved)
        return false;
    saved->allocation.magic = KMD_MAGIC_ALLOCATION;
    saved->allocation.size = GPU_PAGE + context->device->adapter->settings.context_bytes;
    saved->allocation.physical = context->board->physical;
    saved->allocation.saves = saved;
    saved->context = context;
    if (!NT_SUCCESS(saved_allocate(saved, runtime))) {
        kmd_free(saved);
        return false;
    }
    context->saved = saved;
    saved->va = saved_map(saved);
    if (saved->va != 0)
        return true;
    kmd_saved_destroy(context);
    return false;
}

/* Its addresses go with the allocation. */
void kmd_saved_destroy(struct kmd_context *context) {
    struct kmd_saved *saved = context->saved;
    if (!saved)
        return;
    const DXGKRNL_INTERFACE *dxgk = &context->device->adapter->dxgk;
    (void)dxgk->DxgkCbDestroyContextAllocation(dxgk->DeviceHandle, saved->system);
    context->saved = NULL;
    saved->allocation.magic = 0;
    kmd_free(saved);
}

/* All but what the GPU counts itself. */
void kmd_saved_update(struct kmd_context *context) {
    struct kmd_saved *saved = context->saved;
    if (!saved)
        return;
    const DXGKRNL_INTERFACE *dxgk = &context->device->adapter->dxgk;
    struct gpu_context_state state = kmd_saved_state(saved);
    DXGKARGCB_UPDATECONTEXTALLOCATION args = {
        .hAllocation = saved->system,
        .pPrivateDriverData = &state,
        .PrivateDriverDataSize = offsetof(struct gpu_context_state, saves),
    };
    saved->told = NT_SUCCESS(dxgk->DxgkCbUpdateContextAllocation(dxgk->DeviceHandle, &args));
}
