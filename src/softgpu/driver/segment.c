/*
 * segment.c - the segments, and the three versions of the query that reports them
 * (initializing-use-of-memory-segments.md, ns-d3dkmddi-_dxgk_querysegmentout*.md).
 *
 * Order, which is also the order of ids: linear aperture, visible VRAM, the pieces of invisible
 * VRAM, eviction aperture, AGP aperture. What the board does not have is left out, and so is what
 * the CPU's addresses never lead to when there are no others: VRAM.
 */
#include "driver/kmd.h"

static void add(struct kmd_adapter *adapter, enum kmd_segment_kind kind, ULONGLONG base,
                ULONGLONG size, UINT hardware) {
    if (size != 0 && adapter->segments < KMD_SEGMENTS_MAX)
        adapter->segment[adapter->segments++] = (struct kmd_segment){kind, base, size, hardware};
}

static void add_invisible(struct kmd_adapter *adapter) {
    ULONGLONG at = adapter->visible_bytes;
    ULONGLONG left = adapter->vram_bytes - at;
    ULONGLONG page = adapter->mmu.format.pages == GPU_PAGES_4K ? GPU_PAGE : GPU_PAGE_64K;
    if (page < adapter->dirty.page)
        page = adapter->dirty.page; /* no bit stands for two segments */
    /* Room for the two apertures and AGP behind them. */
    ULONGLONG pieces = adapter->settings.vram_segments;
    if (pieces == 0 || left / page < pieces)
        pieces = 1;
    if (pieces > KMD_SEGMENTS_MAX - 4)
        pieces = KMD_SEGMENTS_MAX - 4;
    for (; pieces != 0; pieces--) {
        ULONGLONG size = pieces == 1 ? left : left / pieces / page * page;
        add(adapter, KMD_SEGMENT_INVISIBLE, GPU_VRAM_BASE + at, size, 0);
        at += size;
        left -= size;
    }
}

static UINT first_memory(const struct kmd_adapter *adapter) {
    UINT id = 1;
    while (id <= adapter->segments && !kmd_segment_is_memory(adapter, id))
        id++;
    return id;
}

/* Equal banks, whole pages; the last takes what is left
 * (dividing-a-memory-space-segment-into-banks.md). */
static void cut_banks(struct kmd_adapter *adapter) {
    const struct kmd_segment *segment = kmd_segment(adapter, first_memory(adapter));
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

void kmd_segments_build(struct kmd_adapter *adapter) {
    adapter->segments = 0;
    add(adapter, KMD_SEGMENT_APERTURE, GPU_APERTURE_BASE(0), adapter->aperture_bytes[0], 0);
    if (kmd_mmu_on(adapter) || !adapter->iommu) {
        add(adapter, KMD_SEGMENT_VISIBLE, GPU_VRAM_BASE, adapter->visible_bytes, 0);
        add_invisible(adapter);
    }
    add(adapter, KMD_SEGMENT_EVICTION, GPU_APERTURE_BASE(1), adapter->aperture_bytes[1], 1);
    cut_banks(adapter);
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
static SIZE_T vpr_start(const struct kmd_adapter *adapter, UINT id) {
    return (SIZE_T)(kmd_segment(adapter, id)->size / 2 / GPU_PAGE_64K * GPU_PAGE_64K);
}

static SIZE_T vpr_size(const struct kmd_adapter *adapter, UINT id) {
    SIZE_T most = vpr_start(adapter, id);
    SIZE_T size = adapter->settings.vpr_bytes / GPU_PAGE_64K * GPU_PAGE_64K;
    return size < most ? size : most;
}

UINT kmd_vpr_segment(const struct kmd_adapter *adapter) {
    UINT id = first_memory(adapter);
    bool has = adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1 &&
               id <= adapter->segments && vpr_size(adapter, id) != 0;
    return has ? id : 0;
}

bool kmd_second_form(const struct kmd_adapter *adapter) {
    return adapter->settings.map_aperture2 != 0 &&
           adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9;
}

/* ---- Describing ------------------------------------------------------------------------------ */

static DXGK_SEGMENTFLAGS flags_of(const struct kmd_adapter *adapter, UINT id) {
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    ULONG version = adapter->settings.version;
    bool groups = kmd_virtual_on(adapter) && version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1;
    DXGK_SEGMENTFLAGS flags = {0};
    switch (segment->kind) {
    case KMD_SEGMENT_APERTURE:
    case KMD_SEGMENT_EVICTION:
        flags.Aperture = 1;
        flags.CacheCoherent = 1;
        flags.NonLocalBudgetGroup = groups;
        return flags;
    case KMD_SEGMENT_AGP:
        /* Must stand alone. */
        flags.Agp = 1;
        return flags;
    default:
        break;
    }
    flags.CpuVisible = segment->kind == KMD_SEGMENT_VISIBLE;
    flags.UseBanking = adapter->settings.banks != 0 && id == first_memory(adapter) &&
                       version < DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    flags.PreservedDuringStandby = version >= DXGKDDI_INTERFACE_VERSION_WIN8;
    flags.ApplicationTarget = version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    flags.Use64KBPages = kmd_segment_page(adapter, id) == GPU_PAGE_64K;
    flags.LocalBudgetGroup = groups;
    return flags;
}

static PHYSICAL_ADDRESS cpu_address(const struct kmd_adapter *adapter, UINT id) {
    PHYSICAL_ADDRESS none = {0};
    return kmd_segment(adapter, id)->kind == KMD_SEGMENT_VISIBLE ? adapter->vram : none;
}

static PHYSICAL_ADDRESS base_address(const struct kmd_adapter *adapter, UINT id) {
    PHYSICAL_ADDRESS base;
    base.QuadPart = (LONGLONG)kmd_segment(adapter, id)->base;
    return base;
}

static void describe1(struct kmd_adapter *adapter, UINT id, DXGK_SEGMENTDESCRIPTOR *out) {
    DXGK_SEGMENTDESCRIPTOR descriptor = {0};
    descriptor.BaseAddress = base_address(adapter, id);
    descriptor.CpuTranslatedAddress = cpu_address(adapter, id);
    descriptor.Size = (SIZE_T)kmd_segment(adapter, id)->size;
    descriptor.CommitLimit = descriptor.Size;
    descriptor.Flags = flags_of(adapter, id);
    if (descriptor.Flags.UseBanking) {
        descriptor.NbOfBanks = adapter->settings.banks;
        descriptor.pBankRangeTable = adapter->bank_ends;
    }
    *out = descriptor;
}

static void describe3(struct kmd_adapter *adapter, UINT id, DXGK_SEGMENTDESCRIPTOR3 *out) {
    DXGK_SEGMENTDESCRIPTOR3 descriptor = {0};
    descriptor.Flags = flags_of(adapter, id);
    descriptor.BaseAddress = base_address(adapter, id);
    descriptor.CpuTranslatedAddress = cpu_address(adapter, id);
    descriptor.Size = (SIZE_T)kmd_segment(adapter, id)->size;
    descriptor.CommitLimit = descriptor.Size;
    if (descriptor.Flags.UseBanking) {
        descriptor.NbOfBanks = adapter->settings.banks;
        descriptor.pBankRangeTable = adapter->bank_ends;
    }
    *out = descriptor;
}

/* No more than a stride: the system's structure may be older, and shorter, than ours. */
static void describe4(struct kmd_adapter *adapter, UINT id, BYTE *out, SIZE_T stride) {
    DXGK_SEGMENTDESCRIPTOR4 descriptor = {0};
    descriptor.Flags = flags_of(adapter, id);
    descriptor.BaseAddress = base_address(adapter, id);
    descriptor.Size = (SIZE_T)kmd_segment(adapter, id)->size;
    descriptor.CommitLimit = descriptor.Size;
    descriptor.CpuTranslatedAddress = cpu_address(adapter, id);
    if (kmd_has_host_aperture(adapter, id)) {
        descriptor.Flags.SupportsCpuHostAperture = 1;
        descriptor.CpuHostAperture = kmd_describe_host_aperture(adapter, id);
    }
    if (kmd_vpr_segment(adapter) == id) {
        descriptor.Flags.VprSupported = 1;
        descriptor.VprRangeStartOffset = vpr_start(adapter, id);
        descriptor.VprRangeSize = vpr_size(adapter, id);
        descriptor.VprAlignment = GPU_PAGE_64K;
    }
    RtlCopyMemory(out, &descriptor, stride < sizeof(descriptor) ? stride : sizeof(descriptor));
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* An AGP aperture is reported only where the system says that there is one. */
static void add_agp(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_QUERYSEGMENTIN *in = args->pInputData;
    if (adapter->settings.agp == 0 || kmd_segment_set(adapter, KMD_SEGMENT_AGP) != 0 || !in ||
        args->InputDataSize < sizeof(*in) || in->AgpApertureSize.QuadPart <= 0)
        return;
    add(adapter, KMD_SEGMENT_AGP, (ULONGLONG)in->AgpApertureBase.QuadPart,
        (ULONGLONG)in->AgpApertureSize.QuadPart, 0);
}

static NTSTATUS query1(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT *out = args->pOutputData;
    if (args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    add_agp(adapter, args);
    if (!out->pSegmentDescriptor) {
        out->NbSegment = adapter->segments;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != adapter->segments)
        return STATUS_INVALID_PARAMETER;
    for (UINT id = 1; id <= adapter->segments; id++)
        describe1(adapter, id, &out->pSegmentDescriptor[id - 1]);
    out->PagingBufferSegmentId = adapter->settings.paging_segment;
    out->PagingBufferSize = adapter->settings.paging_bytes;
    out->PagingBufferPrivateDataSize = adapter->settings.paging_private;
    return STATUS_SUCCESS;
}

static NTSTATUS query3(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    add_agp(adapter, args);
    if (!out->pSegmentDescriptor) {
        out->NbSegment = adapter->segments;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != adapter->segments)
        return STATUS_INVALID_PARAMETER;
    for (UINT id = 1; id <= adapter->segments; id++)
        describe3(adapter, id, &out->pSegmentDescriptor[id - 1]);
    out->PagingBufferSegmentId = adapter->settings.paging_segment;
    out->PagingBufferSize = adapter->settings.paging_bytes;
    out->PagingBufferPrivateDataSize = adapter->settings.paging_private;
    return STATUS_SUCCESS;
}

static NTSTATUS query4(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    const DXGK_QUERYSEGMENTIN4 *in = args->pInputData;
    if (args->OutputDataSize < sizeof(*out) || !in || args->InputDataSize < sizeof(*in) ||
        in->PhysicalAdapterIndex != 0)
        return STATUS_INVALID_PARAMETER;
    /* The count alone identifies the first call, in which nothing else may be looked at. */
    if (out->NbSegment == 0) {
        out->NbSegment = adapter->segments;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != adapter->segments || !out->pSegmentDescriptor)
        return STATUS_INVALID_PARAMETER;
    for (UINT id = 1; id <= adapter->segments; id++)
        describe4(adapter, id, out->pSegmentDescriptor + (id - 1) * out->SegmentDescriptorStride,
                  out->SegmentDescriptorStride);
    out->PagingBufferSegmentId = adapter->settings.paging_segment;
    out->PagingBufferSize = adapter->settings.paging_bytes;
    out->PagingBufferPrivateDataSize = adapter->settings.paging_private;
    return STATUS_SUCCESS;
}

NTSTATUS kmd_query_segments(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    ULONG version = adapter->settings.version;
    if (!args->pOutputData)
        return STATUS_INVALID_PARAMETER;
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT)
        return query1(adapter, args);
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT3 && version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        return query3(adapter, args);
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT4 && version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return query4(adapter, args);
    return STATUS_INVALID_PARAMETER;
}
