/*
 * swizzle.c - swizzling ranges: the CPU's windows on tiled (or out-of-reach) allocations
 * (nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md).
 */
#include "driver/kmd.h"

/* A number is given to one allocation at a time, and so to one board. */
static struct kmd_adapter *swizzle_board(struct kmd_adapter *adapter,
                                         const struct kmd_allocation *allocation) {
    return allocation ? kmd_board(adapter, allocation->physical) : adapter;
}

/* False: the hardware cannot show that. */
static bool swizzle_attach(struct kmd_adapter *adapter, UINT id,
                           const struct kmd_allocation *allocation) {
    ULONG range = GPU_RANGE(id);
    bool tiled = (allocation->flags & VIDMM_UMD_SWIZZLED) &&
                 kmd_segment_is_memory(adapter, allocation->segment);
    kmd_write64(adapter, range + GPU_RANGE_ADDRESS, allocation->address);
    kmd_write64(adapter, range + GPU_RANGE_BYTES, kmd_round_to_page(allocation->size));
    kmd_write(adapter, range + GPU_RANGE_PITCH, tiled ? allocation->pitch : 0);
    kmd_write(adapter, range + GPU_RANGE_CONTROL, GPU_RANGE_ATTACHED);
    return kmd_read(adapter, range + GPU_RANGE_CONTROL) == GPU_RANGE_ATTACHED;
}

void kmd_swizzle_restore(struct kmd_adapter *adapter) {
    for (UINT i = 0; i < adapter->ranges; i++)
        if (adapter->range_owner[i])
            (void)swizzle_attach(adapter, i, adapter->range_owner[i]);
}

NTSTATUS APIENTRY kmd_acquire_swizzling_range(const HANDLE hAdapter,
                                              DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    struct kmd_allocation *allocation = kmd_allocation_of(args->hAllocation);
    struct kmd_adapter *adapter = swizzle_board(hAdapter, allocation);
    if (!allocation || args->RangeId >= adapter->ranges || allocation->segment == 0 ||
        allocation->segment != args->SegmentId)
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
    if (kmd_round_to_page(allocation->size) > GPU_WINDOW_BYTES)
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
    if (kmd_read(adapter, GPU_RANGE(args->RangeId) + GPU_RANGE_CONTROL) != GPU_RANGE_OFF)
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE;
    if (!swizzle_attach(adapter, args->RangeId, allocation))
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
    adapter->range_owner[args->RangeId] = allocation;
    args->CPUTranslatedAddress.QuadPart =
        adapter->windows.QuadPart + (LONGLONG)(args->RangeId * GPU_WINDOW_BYTES);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_release_swizzling_range(const HANDLE hAdapter,
                                              const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    struct kmd_adapter *adapter = swizzle_board(hAdapter, kmd_allocation_of(args->hAllocation));
    if (args->RangeId >= adapter->ranges)
        return STATUS_INVALID_PARAMETER;
    kmd_write(adapter, GPU_RANGE(args->RangeId) + GPU_RANGE_CONTROL, GPU_RANGE_OFF);
    adapter->range_owner[args->RangeId] = NULL;
    return STATUS_SUCCESS;
}
