/*
 * segment_query.c - the three versions of the query that reports the segments
 * (ns-d3dkmddi-_dxgk_querysegmentout*.md).
 */
#include "driver/kmd.h"

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
    flags.UseBanking = adapter->settings.banks != 0 && id == kmd_first_memory(adapter) &&
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

/* More than the bus has says nothing. */
static SIZE_T commit_limit(const struct kmd_adapter *adapter, UINT id) {
    const struct kmd_segment *segment = kmd_segment(adapter, id);
    ULONG limit = segment->kind == KMD_SEGMENT_AGP ? adapter->settings.agp_commit_limit : 0;
    return limit != 0 && limit < segment->size ? limit : (SIZE_T)segment->size;
}

static void segment_describe1(struct kmd_adapter *adapter, UINT id, DXGK_SEGMENTDESCRIPTOR *out) {
    DXGK_SEGMENTDESCRIPTOR descriptor = {0};
    descriptor.BaseAddress = base_address(adapter, id);
    descriptor.CpuTranslatedAddress = cpu_address(adapter, id);
    descriptor.Size = (SIZE_T)kmd_segment(adapter, id)->size;
    descriptor.CommitLimit = commit_limit(adapter, id);
    descriptor.Flags = flags_of(adapter, id);
    if (descriptor.Flags.UseBanking) {
        descriptor.NbOfBanks = adapter->settings.banks;
        descriptor.pBankRangeTable = adapter->bank_ends;
    }
    *out = descriptor;
}

static void segment_describe3(struct kmd_adapter *adapter, UINT id, DXGK_SEGMENTDESCRIPTOR3 *out) {
    DXGK_SEGMENTDESCRIPTOR3 descriptor = {0};
    descriptor.Flags = flags_of(adapter, id);
    descriptor.BaseAddress = base_address(adapter, id);
    descriptor.CpuTranslatedAddress = cpu_address(adapter, id);
    descriptor.Size = (SIZE_T)kmd_segment(adapter, id)->size;
    descriptor.CommitLimit = commit_limit(adapter, id);
    if (descriptor.Flags.UseBanking) {
        descriptor.NbOfBanks = adapter->settings.banks;
        descriptor.pBankRangeTable = adapter->bank_ends;
    }
    *out = descriptor;
}

/* No more than a stride: the system's structure may be older, and shorter, than ours. */
static void segment_describe4(const struct kmd_adapter *adapter, UINT id, BYTE *out,
                              SIZE_T stride) {
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
        descriptor.VprRangeStartOffset = kmd_vpr_start(adapter, id);
        descriptor.VprRangeSize = kmd_vpr_size(adapter, id);
        descriptor.VprAlignment = GPU_PAGE_64K;
    }
    RtlCopyMemory(out, &descriptor, stride < sizeof(descriptor) ? stride : sizeof(descriptor));
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* A query comes twice: without descriptors, to learn how many there are, and with room for
 * those. */
static NTSTATUS count_segments(const struct kmd_adapter *adapter, UINT *count,
                               const void *descriptors) {
    NTSTATUS status =
        !descriptors || *count == adapter->segments ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
    if (!descriptors)
        *count = adapter->segments;
    return status;
}

/* A quarter of the segment that they are in at most: the system has several, and other uses for it.
 */
static UINT paging_bytes(const struct kmd_adapter *adapter) {
    const struct kmd_segment *segment = kmd_segment(adapter, adapter->settings.paging_segment);
    ULONG bytes = adapter->settings.paging_bytes;
    ULONGLONG most = segment ? kmd_round_to_page(segment->size / 4) : bytes;
    return most < bytes ? (UINT)most : bytes;
}

/* Where the system shall keep paging buffers: the last three members of each version. */
#define DESCRIBE_PAGING_BUFFER(adapter, out)                                                       \
    ((out)->PagingBufferSegmentId = (adapter)->settings.paging_segment,                            \
     (out)->PagingBufferSize = paging_bytes(adapter),                                              \
     (out)->PagingBufferPrivateDataSize = (adapter)->settings.paging_private)

static NTSTATUS segment_query1(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT *out = args->pOutputData;
    if (args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    kmd_add_agp(adapter, args);
    NTSTATUS status = count_segments(adapter, &out->NbSegment, out->pSegmentDescriptor);
    if (!NT_SUCCESS(status) || !out->pSegmentDescriptor)
        return status;
    for (UINT id = 1; id <= adapter->segments; id++)
        segment_describe1(adapter, id, &out->pSegmentDescriptor[id - 1]);
    DESCRIBE_PAGING_BUFFER(adapter, out);
    return STATUS_SUCCESS;
}

static NTSTATUS segment_query3(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    if (args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    kmd_add_agp(adapter, args);
    NTSTATUS status = count_segments(adapter, &out->NbSegment, out->pSegmentDescriptor);
    if (!NT_SUCCESS(status) || !out->pSegmentDescriptor)
        return status;
    for (UINT id = 1; id <= adapter->segments; id++)
        segment_describe3(adapter, id, &out->pSegmentDescriptor[id - 1]);
    DESCRIBE_PAGING_BUFFER(adapter, out);
    return STATUS_SUCCESS;
}

static NTSTATUS segment_query4(const struct kmd_adapter *adapter,
                               const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    const DXGK_QUERYSEGMENTIN4 *in = args->pInputData;
    if (args->OutputDataSize < sizeof(*out) || !in || args->InputDataSize < sizeof(*in))
        return STATUS_INVALID_PARAMETER;
    const struct kmd_adapter *board = kmd_board(adapter, in->PhysicalAdapterIndex);
    if (!board)
        return STATUS_INVALID_PARAMETER;
    /* The count alone identifies the first call, in which nothing else may be looked at. */
    if (out->NbSegment == 0) {
        out->NbSegment = board->segments;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != board->segments || !out->pSegmentDescriptor)
        return STATUS_INVALID_PARAMETER;
    for (UINT id = 1; id <= board->segments; id++)
        segment_describe4(board, id,
                          out->pSegmentDescriptor + (id - 1) * out->SegmentDescriptorStride,
                          out->SegmentDescriptorStride);
    DESCRIBE_PAGING_BUFFER(board, out);
    return STATUS_SUCCESS;
}

NTSTATUS kmd_query_segments(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    ULONG version = adapter->settings.version;
    if (!args->pOutputData)
        return STATUS_INVALID_PARAMETER;
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT)
        return segment_query1(adapter, args);
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT3 && version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        return segment_query3(adapter, args);
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT4 && version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return segment_query4(adapter, args);
    return STATUS_INVALID_PARAMETER;
}
