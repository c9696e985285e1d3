/*
 * segment.c - the segments (initializing-use-of-memory-segments.md). segment_query.c reports them.
 *
 * Order, which is also the order of ids: linear aperture, visible VRAM, the pieces of invisible
 * VRAM, eviction aperture, AGP aperture. What the board does not have is left out, and so is what
 * the CPU's addresses never lead to when there are no others: VRAM.
 */
#include "driver/kmd.h"

static void segment_add(struct kmd_adapter *adapter, enum kmd_segment_kind kind, ULONGLONG base,
                        ULONGLONG size, UINT hardware) {
    if (size != 0 && adapter->segments < KMD_SEGMENTS_MAX)
        adapter->segment[adapter->segments++] = (struct kmd_segment){kind, base, size, hardware};
}

static void segment_add_invisible(struct kmd_adapter *adapter) {
    ULONGLONG at = adapter->visible_bytes;
    ULONGLONG left = adapter->vram_bytes - at;
    ULONGLONG page = adapter->mmu.format.pages == GPU_PAGES_4K ? GPU_PAGE : GPU_PAGE_64K;
    if (page < adapter->dirty.page)
        page = adapter->dirty.page; /* no bit stands for two segments */
    /* Room for the two apertures and AGP behind them. */
    ULONGLONG pieces = adapter->settings.vram_segments;
    if (pieces == 0 || left / page < pieces)
        pieces = 1;
    /* Of linked boards all together have so many: a set of segments has a bit for each. */
    ULONG boards = adapter->settings.linked > 1 ? adapter->settings.linked : 1;
    if (pieces > KMD_SEGMENTS_MAX / boards - 4)
        pieces = KMD_SEGMENTS_MAX / boards - 4;
    for (; pieces != 0; pieces--) {
        ULONGLONG size = pieces == 1 ? left : left / pieces / page * page;
        segment_add(adapter, KMD_SEGMENT_INVISIBLE, GPU_VRAM_BASE + at, size, 0);
        at += size;
        left -= size;
    }
}

UINT kmd_first_memory(const struct kmd_adapter *adapter) {
    UINT id = 1;
    while (id <= adapter->segments && !kmd_segment_is_memory(adapter, id))
        id++;
    return id;
}

/* Equal banks, whole pages; the last takes what is left
 * (dividing-a-memory-space-segment-into-banks.md). */
static void segment_cut_banks(struct kmd_adapter *adapter) {
    const struct kmd_segment *segment = kmd_segment(adapter, kmd_first_memory(adapter));
    ULONG banks = adapter->settings.banks;
    if (!segment || segment->size / GPU_PAGE < banks) {
        adapter->settings.banks = 0;
        return;
    }
    for (ULONG i = 0; i < banks; i++)
        adapter->bank_ends[i] =
            i + 1 == banks ? (SIZE_T)segment->size
                           : (SIZE_T)(segment->size / banks / GPU_PAGE * GPU_PAGE * (i + 1));
}

/* From WDDM 2.0 on there is one aperture segment (gpu-segments.md). */
static NTSTATUS segments_judge(const struct kmd_adapter *adapter) {
    if (kmd_segment_set(adapter, KMD_SEGMENT_APERTURE) == 0 &&
        adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return kmd_refuse("ApertureBytes is 0; from WDDM 2.0 on an adapter has an aperture");
    return STATUS_SUCCESS;
}

NTSTATUS kmd_segments_build(struct kmd_adapter *adapter) {
    bool second = adapter->settings.version < DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    adapter->segments = 0;
    segment_add(adapter, KMD_SEGMENT_APERTURE, GPU_APERTURE_BASE(0), adapter->aperture_bytes[0], 0);
    if (kmd_mmu_on(adapter) || !adapter->iommu) {
        segment_add(adapter, KMD_SEGMENT_VISIBLE, GPU_VRAM_BASE, adapter->visible_bytes, 0);
        segment_add_invisible(adapter);
    }
    if (second)
        segment_add(adapter, KMD_SEGMENT_EVICTION, GPU_APERTURE_BASE(1), adapter->aperture_bytes[1],
                    1);
    if (adapter->aperture_bytes[0] == 0)
        adapter->settings.paging_segment = 0;
    segment_cut_banks(adapter);
    return segments_judge(adapter);
}

void kmd_add_agp(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_QUERYSEGMENTIN *in = args->pInputData;
    if (adapter->settings.agp == 0 || kmd_segment_set(adapter, KMD_SEGMENT_AGP) != 0 || !in ||
        args->InputDataSize < sizeof(*in) || in->AgpApertureSize.QuadPart <= 0)
        return;
    segment_add(adapter, KMD_SEGMENT_AGP, (ULONGLONG)in->AgpApertureBase.QuadPart,
                (ULONGLONG)in->AgpApertureSize.QuadPart, 0);
}

const struct kmd_segment *kmd_segment(const struct kmd_adapter *adapter, UINT id) {
    return id != 0 && id <= adapter->segments ? &adapter->segment[id - 1] : NULL;
}

bool kmd_segment_is_memory(const struct kmd_adapter *adapter, UINT id) {
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    return segment &&
           (segment->kind == KMD_SEGMENT_VISIBLE || segment->kind == KMD_SEGMENT_INVISIBLE);
}

ULONGLONG kmd_gpu_address(const struct kmd_adapter *adapter, UINT id, ULONGLONG offset) {
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    return (segment ? segment->base : 0) + offset;
}

ULONGLONG kmd_peer_address(const struct kmd_adapter *adapter, const struct kmd_adapter *owner,
                           UINT id, ULONGLONG offset) {
    bool away = owner != adapter && kmd_segment(owner, id);
    return kmd_gpu_address(owner, id, offset) + (away ? GPU_PEER_BASE(owner->physical) : 0);
}

UINT kmd_segment_page(const struct kmd_adapter *adapter, UINT id) {
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    bool large = kmd_mmu_on(adapter) && adapter->mmu.format.pages != GPU_PAGES_4K &&
                 kmd_segment_is_memory(adapter, id) && segment->base % GPU_PAGE_64K == 0 &&
                 segment->size % GPU_PAGE_64K == 0;
    return large ? GPU_PAGE_64K : GPU_PAGE;
}

UINT kmd_segment_set(const struct kmd_adapter *adapter, enum kmd_segment_kind kind) {
    UINT set = 0;
    for (UINT i = 0; i < adapter->segments; i++)
        if (adapter->segment[i].kind == kind)
            set |= 1u << i;
    return set;
}

/* The middle of the segment, where nothing would stay clear of it by chance. */
SIZE_T kmd_vpr_start(const struct kmd_adapter *adapter, UINT id) {
    return (SIZE_T)(kmd_segment(adapter, id)->size / 2 / GPU_PAGE_64K * GPU_PAGE_64K);
}

SIZE_T kmd_vpr_size(const struct kmd_adapter *adapter, UINT id) {
    SIZE_T most = kmd_vpr_start(adapter, id);
    SIZE_T size = adapter->settings.vpr_bytes / GPU_PAGE_64K * GPU_PAGE_64K;
    return size < most ? size : most;
}

UINT kmd_vpr_segment(const struct kmd_adapter *adapter) {
    UINT id = kmd_first_memory(adapter);
    bool has = adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1 &&
               id <= adapter->segments && kmd_vpr_size(adapter, id) != 0;
    return has ? id : 0;
}

bool kmd_second_form(const struct kmd_adapter *adapter) {
    return adapter->settings.map_aperture2 != 0 &&
           adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9;
}
