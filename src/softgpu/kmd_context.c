/*
 * kmd_context.c - processes, devices and contexts: little more than handles, since this GPU has no
 * state to save between command buffers.
 */
#include "kmd.h"

#define DMA_BUFFER_BYTES     (128u << 10)
#define ALLOCATION_LIST_SIZE 8192u
#define GDI_LIST_SIZE        256u /* ns-d3dkmddi-_dxgk_contextinfo.md */

NTSTATUS APIENTRY kmd_create_process(const HANDLE hAdapter, DXGKARG_CREATEPROCESS *args) {
    /* Nothing to know about a process; any handle that is not NULL will do. */
    args->hKmdProcess = hAdapter;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_process(const HANDLE hAdapter, const HANDLE hKmdProcess) {
    UNREFERENCED_PARAMETER(hAdapter);
    UNREFERENCED_PARAMETER(hKmdProcess);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_create_device(const HANDLE hAdapter, DXGKARG_CREATEDEVICE *args) {
    struct kmd_device *device = kmd_alloc(sizeof *device);
    if (device == NULL)
        return STATUS_NO_MEMORY;
    device->magic = KMD_MAGIC_DEVICE;
    device->adapter = hAdapter;
    args->hDevice = device;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_device(const HANDLE hDevice) {
    struct kmd_device *device = hDevice;
    if (device == NULL || device->magic != KMD_MAGIC_DEVICE)
        return STATUS_INVALID_PARAMETER;
    device->magic = 0;
    kmd_free(device);
    return STATUS_SUCCESS;
}

static void describe_context(const struct kmd_adapter *adapter, DXGKARG_CREATECONTEXT *args) {
    DXGK_CONTEXTINFO *info = &args->ContextInfo;
    info->DmaBufferSize = DMA_BUFFER_BYTES;
    info->DmaBufferSegmentSet = 0;
    info->DmaBufferPrivateDataSize = 0;
    info->AllocationListSize = args->Flags.GdiContext ? GDI_LIST_SIZE : ALLOCATION_LIST_SIZE;
    info->PatchLocationListSize = info->AllocationListSize;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) {
        info->Caps.Value = 0;
        info->PagingCompanionNodeId = 0;
    }
}

NTSTATUS APIENTRY kmd_create_context(const HANDLE hDevice, DXGKARG_CREATECONTEXT *args) {
    struct kmd_device *device = hDevice;
    if (device == NULL || device->magic != KMD_MAGIC_DEVICE ||
        args->NodeOrdinal >= device->adapter->nodes ||
        (device->adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
         args->Flags.VirtualAddressing))
        return STATUS_INVALID_PARAMETER;
    struct kmd_context *context = kmd_alloc(sizeof *context);
    if (context == NULL)
        return STATUS_NO_MEMORY;
    context->magic = KMD_MAGIC_CONTEXT;
    context->device = device;
    context->node = args->NodeOrdinal;
    args->hContext = context;
    describe_context(device->adapter, args);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_context(const HANDLE hContext) {
    struct kmd_context *context = hContext;
    if (context == NULL || context->magic != KMD_MAGIC_CONTEXT)
        return STATUS_INVALID_PARAMETER;
    context->magic = 0;
    kmd_free(context);
    return STATUS_SUCCESS;
}
