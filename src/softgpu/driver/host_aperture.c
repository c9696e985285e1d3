/*
 * host_aperture.c - the CPU host aperture (cpu-host-aperature.md): where the board has a BAR
 * whose pages lead anywhere in invisible VRAM, each segment of that has an equal part of it, and
 * the system says what is behind its pages.
 */
#include "driver/kmd.h"

/* Bytes of the aperture that each invisible segment has. */
static ULONGLONG part_of(const struct kmd_adapter *adapter) {
    UINT segments = 0;
    for (UINT i = 0; i < adapter->segments; i++)
        segments += adapter->segment[i].kind == KMD_SEGMENT_INVISIBLE;
    return segments != 0 ? adapter->host_bytes / segments / GPU_PAGE_64K * GPU_PAGE_64K : 0;
}

/* Which part segment `id` has. */
static UINT index_of(const struct kmd_adapter *adapter, UINT id) {
    UINT index = 0;
    for (UINT i = 0; i + 1 < id; i++)
        index += adapter->segment[i].kind == KMD_SEGMENT_INVISIBLE;
    return index;
}

bool kmd_has_host_aperture(const struct kmd_adapter *adapter, UINT id) {
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    return segment && segment->kind == KMD_SEGMENT_INVISIBLE && part_of(adapter) != 0;
}

DXGK_CPUHOSTAPERTURE kmd_describe_host_aperture(const struct kmd_adapter *adapter, UINT id) {
    ULONGLONG part = part_of(adapter);
    DXGK_CPUHOSTAPERTURE aperture = {
        .PhysicalAddress = (ULONGLONG)adapter->host_window.QuadPart + index_of(adapter, id) * part,
        .SizeInPages = (UINT32)(part / kmd_segment_page(adapter, id)),
    };
    return aperture;
}

/* Page `page` of the segment's part leads to `target`, or with 0 nowhere. */
static void host_aperture_lead(struct kmd_adapter *adapter, UINT id, UINT page, ULONGLONG target) {
    UINT small = kmd_segment_page(adapter, id) / GPU_PAGE;
    ULONGLONG first = index_of(adapter, id) * part_of(adapter) / GPU_PAGE + (ULONGLONG)page * small;
    KIRQL irql;
    KeAcquireSpinLock(&adapter->host_lock, &irql);
    for (UINT i = 0; i < small; i++) {
        kmd_write(adapter, GPU_REG_HOST_PAGE, (ULONG)(first + i));
        kmd_write64(adapter, GPU_REG_HOST_TARGET,
                    target != 0 ? (target + (ULONGLONG)i * GPU_PAGE) | GPU_HOST_VALID : 0);
    }
    KeReleaseSpinLock(&adapter->host_lock, irql);
}

/* Pages of the segment's part, and with `memory` those of the segment that they are to show. */
static bool in_bounds(const struct kmd_adapter *adapter, UINT id, const UINT32 *aperture,
                      const UINT64 *memory, UINT64 count) {
    UINT page = kmd_segment_page(adapter, id);
    ULONGLONG part = part_of(adapter) / page, size = kmd_segment(adapter, id)->size / page;
    for (UINT64 i = 0; i < count; i++)
        if (aperture[i] >= part || (memory && memory[i] >= size))
            return false;
    return true;
}

/* All of them or none; without `memory` they lead nowhere. NULL: no such board. */
static NTSTATUS lead_all(struct kmd_adapter *adapter, UINT id, const UINT32 *aperture,
                         const UINT64 *memory, UINT64 count) {
    if (!adapter || !kmd_has_host_aperture(adapter, id) ||
        !in_bounds(adapter, id, aperture, memory, count))
        return STATUS_INVALID_PARAMETER;
    for (UINT64 i = 0; i < count; i++)
        host_aperture_lead(
            adapter, id, aperture[i],
            memory ? kmd_gpu_address(adapter, id, memory[i] * kmd_segment_page(adapter, id)) : 0);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_map_cpu_host_aperture(const HANDLE hAdapter,
                                            const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    return lead_all(kmd_board(hAdapter, args->PhysicalAdapterIndex), args->SegmentId,
                    args->pCpuHostAperturePages, args->pMemorySegmentPages, args->NumberOfPages);
}

NTSTATUS APIENTRY kmd_unmap_cpu_host_aperture(const HANDLE hAdapter,
                                              const DXGKARG_UNMAPCPUHOSTAPERTURE *args) {
    return lead_all(kmd_board(hAdapter, args->PhysicalAdapterIndex), args->SegmentId,
                    args->pCpuHostAperturePages, NULL, args->NumberOfPages);
}
