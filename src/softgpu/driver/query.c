/*
 * query.c - DxgkDdiQueryAdapterInfo and node metadata.
 *
 * Allowed answers are SUCCESS, INVALID_PARAMETER, NO_MEMORY and DRIVER_MISMATCH
 * (nc-d3dkmddi-dxgkddi_queryadapterinfo.md): what this driver does not have is INVALID_PARAMETER.
 */
#include "driver/kmd.h"

/* The GPU executes packets as they are. */
C_ASSERT((int)VIDMM_UMD_PACKET_NOP == (int)GPU_NOP && (int)VIDMM_UMD_PACKET_COPY == (int)GPU_COPY);
C_ASSERT((int)VIDMM_UMD_PACKET_FILL == (int)GPU_FILL &&
         (int)VIDMM_UMD_PACKET_READ == (int)GPU_READ);
C_ASSERT((int)VIDMM_UMD_PACKET_WRITE == (int)GPU_WRITE &&
         (int)VIDMM_UMD_PACKET_STAMP == (int)GPU_STAMP);
C_ASSERT((int)VIDMM_UMD_PACKET_CHECK == (int)GPU_CHECK &&
         (int)VIDMM_UMD_PACKET_SPIN == (int)GPU_SPIN);
C_ASSERT((int)VIDMM_UMD_PACKET_SIGNAL == (int)GPU_SIGNAL);
#define PACKETS                                                                                    \
    (1u << VIDMM_UMD_PACKET_NOP | 1u << VIDMM_UMD_PACKET_COPY | 1u << VIDMM_UMD_PACKET_FILL |      \
     1u << VIDMM_UMD_PACKET_READ | 1u << VIDMM_UMD_PACKET_WRITE | 1u << VIDMM_UMD_PACKET_STAMP |   \
     1u << VIDMM_UMD_PACKET_CHECK | 1u << VIDMM_UMD_PACKET_SPIN | 1u << VIDMM_UMD_PACKET_SIGNAL)

static NTSTATUS query_private(const struct kmd_adapter *adapter,
                              const DXGKARG_QUERYADAPTERINFO *args) {
    struct vidmm_umd_caps caps = {
        .magic = VIDMM_UMD_MAGIC,
        .version = VIDMM_UMD_VERSION,
        .commands = 1u << VIDMM_UMD_NOP | 1u << VIDMM_UMD_STAMP | 1u << VIDMM_UMD_CHECK |
                    1u << VIDMM_UMD_SPIN,
        .packets = kmd_virtual_on(adapter) ? PACKETS : 0,
    };
    return kmd_answer(args, &caps, sizeof(caps), sizeof(caps));
}

static DXGK_WDDMVERSION wddm_version(ULONG version) {
    static const struct {
        ULONG interface;
        DXGK_WDDMVERSION wddm;
    } table[] = {
        {DXGKDDI_INTERFACE_VERSION_WDDM3_2, DXGKDDI_WDDMv3_2},
        {DXGKDDI_INTERFACE_VERSION_WDDM3_1, DXGKDDI_WDDMv3_1},
        {DXGKDDI_INTERFACE_VERSION_WDDM3_0, DXGKDDI_WDDMv3_0},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_9, DXGKDDI_WDDMv2_9},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_8, DXGKDDI_WDDMv2_8},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_7, DXGKDDI_WDDMv2_7},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_6, DXGKDDI_WDDMv2_6},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_5, DXGKDDI_WDDMv2_5},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_4, DXGKDDI_WDDMv2_4},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_3, DXGKDDI_WDDMv2_3},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_2, DXGKDDI_WDDMv2_2},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_1, DXGKDDI_WDDMv2_1},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_0, DXGKDDI_WDDMv2_0},
        {DXGKDDI_INTERFACE_VERSION_WDDM1_3, DXGKDDI_WDDMv1_3},
        {DXGKDDI_INTERFACE_VERSION_WIN8, DXGKDDI_WDDMv1_2},
    };
    for (ULONG i = 0; i < RTL_NUMBER_OF(table); i++)
        if (version >= table[i].interface)
            return table[i].wddm;
    return DXGKDDI_WDDMv1;
}

static NTSTATUS query_caps(const struct kmd_adapter *adapter,
                           const DXGKARG_QUERYADAPTERINFO *args) {
    ULONG version = adapter->settings.version;
    DXGK_DRIVERCAPS caps = {0};
    caps.HighestAcceptableAddress.QuadPart = (LONGLONG)(GPU_BUS_END - 1);
    caps.MaxAllocationListSlotId = 2;
    for (UINT i = 0; kmd_board(adapter, i); i++)
        caps.ApertureSegmentCommitLimit += (SIZE_T)(kmd_board(adapter, i)->aperture_bytes[0] +
                                                    kmd_board(adapter, i)->aperture_bytes[1]);
    if (adapter->settings.agp != 0) /* how much the bus has comes later, with the segment query */
        caps.ApertureSegmentCommitLimit = 0;
    /* What is reached by virtual addresses is never tiled by paging. */
    caps.NumberOfSwizzlingRanges = kmd_virtual_on(adapter) ? 0 : adapter->ranges;
    caps.PresentationCaps.SupportKernelModeCommandBuffer =
        adapter->settings.gdi != 0 && version >= DXGKDDI_INTERFACE_VERSION_WIN7 &&
        !kmd_virtual_on(adapter);
    caps.MaxOverlays = 1;
    if (adapter->settings.displays != 0) {
        caps.FlipCaps.FlipOnVSyncMmIo = 1;
        caps.MaxQueuedFlipOnVSync = 1;
    }
    caps.SchedulingCaps.MultiEngineAware = 1;
    caps.MemoryManagementCaps.PagingNode = adapter->nodes - 1;
    caps.MemoryManagementCaps.VirtualAddressingSupported = kmd_virtual_on(adapter);
    caps.MemoryManagementCaps.GpuMmuSupported = kmd_mmu_on(adapter);
    caps.MemoryManagementCaps.IoMmuSupported = adapter->iommu;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = adapter->nodes;
    caps.WDDMVersion = wddm_version(version);
    caps.MemoryManagementCaps.MapAperture2Supported = kmd_second_form(adapter);
    if (version >= DXGKDDI_INTERFACE_VERSION_WIN8) {
        caps.SchedulingCaps.PreemptionAware = 1;
        caps.PreemptionCaps.GraphicsPreemptionGranularity =
            D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
        caps.PreemptionCaps.ComputePreemptionGranularity =
            D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
        caps.SupportPerEngineTDR = TRUE;
        caps.SupportNonVGA = TRUE;
        caps.SupportSmoothRotation = TRUE;
    }
    return kmd_answer(args, &caps, sizeof(caps), offsetof(DXGK_DRIVERCAPS, WDDMVersion));
}

static NTSTATUS query_physical(const struct kmd_adapter *adapter,
                               const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_QUERYPHYSICALADAPTERCAPSIN *in = args->pInputData;
    DXGK_PHYSICALADAPTERCAPS caps = {0};
    if (adapter->settings.version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 || !in ||
        args->InputDataSize < sizeof(*in))
        return STATUS_INVALID_PARAMETER;
    const struct kmd_adapter *board = kmd_board(adapter, in->PhysicalAdapterIndex);
    if (!board)
        return STATUS_INVALID_PARAMETER;
    caps.NumExecutionNodes = (WORD)board->nodes;
    caps.PagingNodeIndex = (WORD)(board->nodes - 1);
    caps.DxgkPhysicalAdapterHandle = board->dxgk.DeviceHandle;
    caps.Flags.GpuMmuSupported = kmd_mmu_on(board);
    caps.Flags.IoMmuSupported = board->iommu;
    return kmd_answer(args, &caps, sizeof(caps),
                      offsetof(DXGK_PHYSICALADAPTERCAPS, Flags) + sizeof(UINT));
}

NTSTATUS APIENTRY kmd_query_adapter_info(const HANDLE hAdapter,
                                         const DXGKARG_QUERYADAPTERINFO *args) {
    struct kmd_adapter *adapter = hAdapter;
    switch (args->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE:
        return query_private(adapter, args);
    case DXGKQAITYPE_DRIVERCAPS:
        return query_caps(adapter, args);
    case DXGKQAITYPE_QUERYSEGMENT:
    case DXGKQAITYPE_QUERYSEGMENT3:
    case DXGKQAITYPE_QUERYSEGMENT4:
        return kmd_query_segments(adapter, args);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
        return query_physical(adapter, args);
    case DXGKQAITYPE_GPUMMUCAPS:
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        return kmd_query_mmu(adapter, args);
    case DXGKQAITYPE_DIRTYBITTRACKINGCAPS:
    case DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS:
        return kmd_query_dirty(adapter, args);
    case DXGKQAITYPE_GPUPCAPS:
        return kmd_query_gpup(adapter, args);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

NTSTATUS APIENTRY kmd_get_node_metadata(const HANDLE hAdapter, UINT NodeOrdinal,
                                        DXGKARG_GETNODEMETADATA *pGetNodeMetadata) {
    /* NodeOrdinalAndAdapterIndex (nc-d3dkmddi-dxgkddi_getnodemetadata.md): a WORD each. */
    const struct kmd_adapter *adapter = kmd_board(hAdapter, NodeOrdinal >> 16);
    UINT node = NodeOrdinal & 0xffffu;
    if (!adapter || node >= adapter->nodes)
        return STATUS_INVALID_PARAMETER;
    /* The members of WDDM 1.3; the later ones say what no node here has. */
    RtlZeroMemory(pGetNodeMetadata, offsetof(DXGKARG_GETNODEMETADATA, Flags));
    pGetNodeMetadata->EngineType = node == 0 ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) {
        pGetNodeMetadata->Flags.Value = 0;
        pGetNodeMetadata->GpuMmuSupported = kmd_mmu_on(adapter);
        pGetNodeMetadata->IoMmuSupported = adapter->iommu;
    }
    return STATUS_SUCCESS;
}
