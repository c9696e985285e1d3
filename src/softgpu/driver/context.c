/*
 * context.c - devices and contexts: little more than handles, since this GPU need not save anything
 * between command buffers. With an MMU a context has a root page table, as DxgkDdiSetRootPageTable
 * says (nc-d3dkmddi-dxgkddi_setrootpagetable.md); with ContextBytes all that belongs to it is in
 * memory (saved.c).
 */
#include "driver/kmd.h"

#define DMA_BUFFER_BYTES     (128u << 10)
#define ALLOCATION_LIST_SIZE 8192u
#define GDI_LIST_SIZE        256u /* ns-d3dkmddi-_dxgk_contextinfo.md */
#define VIRTUAL_LIST_SIZE    16u  /* written primaries (residency-overview.md) */

NTSTATUS APIENTRY kmd_create_device(const HANDLE hAdapter, DXGKARG_CREATEDEVICE *args) {
    struct kmd_device *device = kmd_alloc(sizeof(*device));
    if (!device)
        return STATUS_NO_MEMORY;
    device->magic = KMD_MAGIC_DEVICE;
    device->adapter = hAdapter;
    device->space = kmd_virtual_on(hAdapter) ? kmd_space_of(args->hKmdProcess) : KMD_SPACE_NONE;
    device->pasid = device->adapter->iommu ? args->Pasid : 0;
    device->runtime = args->hDevice;
    args->hDevice = device;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_device(const HANDLE hDevice) {
    struct kmd_device *device = hDevice;
    if (!device || device->magic != KMD_MAGIC_DEVICE)
        return STATUS_INVALID_PARAMETER;
    device->magic = 0;
    kmd_free(device);
    return STATUS_SUCCESS;
}

/* Commands with GPU virtual addresses: nothing to patch, and nothing for DxgkDdiRender to do. */
static void describe_virtual(const struct kmd_device *device, DXGKARG_CREATECONTEXT *args) {
    DXGK_CONTEXTINFO *info = &args->ContextInfo;
    if (!args->Flags.GdiContext) {
        info->AllocationListSize = VIRTUAL_LIST_SIZE;
        info->PatchLocationListSize = 0;
    }
    info->DmaBufferSegmentSet = 0;
    info->Caps.NoPatchingRequired = 1;
    info->Caps.UseIoMmu = device->pasid != 0;
    info->PagingCompanionNodeId = device->adapter->nodes - 1;
}

static void describe_context(const struct kmd_device *device, DXGKARG_CREATECONTEXT *args) {
    DXGK_CONTEXTINFO *info = &args->ContextInfo;
    info->DmaBufferSize = DMA_BUFFER_BYTES;
    info->DmaBufferSegmentSet = device->adapter->settings.dma_segment != 0
                                    ? kmd_segment_set(device->adapter, KMD_SEGMENT_APERTURE)
                                    : 0;
    info->DmaBufferPrivateDataSize = 0;
    info->AllocationListSize = args->Flags.GdiContext ? GDI_LIST_SIZE : ALLOCATION_LIST_SIZE;
    info->PatchLocationListSize = info->AllocationListSize;
    if (device->adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) {
        info->Caps.Value = 0;
        info->PagingCompanionNodeId = 0;
    }
    if (kmd_virtual_on(device->adapter) && args->Flags.VirtualAddressing)
        describe_virtual(device, args);
}

struct kmd_context *kmd_context_of(HANDLE handle) {
    struct kmd_context *context = handle;
    return context && context->magic == KMD_MAGIC_CONTEXT ? context : NULL;
}

/* Contexts of applications, on the GPU's own virtual addresses. */
static bool context_saves(const struct kmd_device *device, const DXGKARG_CREATECONTEXT *args) {
    return device->adapter->settings.context_bytes != 0 && kmd_mmu_on(device->adapter) &&
           device->pasid == 0 && args->Flags.VirtualAddressing && !args->Flags.SystemContext;
}

NTSTATUS APIENTRY kmd_create_context(const HANDLE hDevice, DXGKARG_CREATECONTEXT *args) {
    struct kmd_device *device = hDevice;
    if (!device || device->magic != KMD_MAGIC_DEVICE ||
        !kmd_board_of_affinity(device->adapter, args->EngineAffinity) ||
        args->NodeOrdinal >= device->adapter->nodes ||
        (device->adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
         args->Flags.VirtualAddressing && !kmd_mmu_on(device->adapter) && device->pasid == 0))
        return STATUS_INVALID_PARAMETER;
    struct kmd_context *context = kmd_alloc(sizeof(*context));
    if (!context)
        return STATUS_NO_MEMORY;
    context->magic = KMD_MAGIC_CONTEXT;
    context->device = device;
    context->board = kmd_board_of_affinity(device->adapter, args->EngineAffinity);
    context->node = args->NodeOrdinal;
    context->virtual_addresses = kmd_virtual_on(device->adapter) && args->Flags.VirtualAddressing;
    if (context_saves(device, args) && !kmd_saved_create(context, args->hContext)) {
        kmd_free(context);
        return STATUS_NO_MEMORY;
    }
    args->hContext = context;
    describe_context(device, args);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_context(const HANDLE hContext) {
    struct kmd_context *context = kmd_context_of(hContext);
    if (!context)
        return STATUS_INVALID_PARAMETER;
    kmd_saved_destroy(context);
    context->magic = 0;
    kmd_free(context);
    return STATUS_SUCCESS;
}

/*
 * The context is idle meanwhile, so no register has to change now. Other content may be in another
 * table: what the TLB knows of the old one must not outlive it.
 */
VOID APIENTRY kmd_set_root_page_table(const HANDLE hAdapter, const DXGKARG_SETROOTPAGETABLE *args) {
    struct kmd_context *context = kmd_context_of(args->hContext);
    struct kmd_adapter *adapter = kmd_board_of_context(hAdapter, args->hContext);
    if (!context || !kmd_mmu_on(adapter))
        return;
    bool moved = context->root_entries != 0;
    context->root = kmd_gpu_address(adapter, args->Address.SegmentId, args->Address.SegmentOffset);
    context->root_entries = args->NumEntries;
    if (moved)
        kmd_mmu_flush(adapter, GPU_FLUSH_SPACE, context->device->space, 0, 0);
    kmd_saved_update(context);
}
