/*
 * context.c - contexts of a device, each on one execution node. A driver that is not multi-engine
 * aware makes none: the device then stands for its only context (DXGKARG_CREATECONTEXT).
 */
#include "base/assert.h"
#include "object/allocation.h"
#include "engine/device_error.h"
#include "engine/null_context.h"
#include "lists/idle.h"
#include "paging/space.h"
#include "residency/dma_ring.h"
#include "address/iommu.h"
#include "life/companion_life.h"
#include "life/context_allocation.h"
#include "life/device.h"

#define CALL "DxgkDdiCreateContext"

static void context_driver_destroy(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    if (!adapter->contexts || !context->handle)
        return;
    adapter_open(adapter);
    (void)adapter->ddi->DxgkDdiDestroyContext(context->handle);
    adapter_return(adapter);
}

/* Private data of user mode; size 0: none. */
struct context_data {
    void *bytes;
    uint32_t size;
};

static enum vidmm_status context_driver_create(struct vidmm_context *context,
                                               const struct context_data *data,
                                               DXGK_CONTEXTINFO *info) {
    struct vidmm_device *device = context->device;
    struct vidmm_adapter *adapter = device->adapter;
    DXGKARG_CREATECONTEXT arg = {.hContext = context,
                                 .NodeOrdinal = node_ordinal(&adapter->facts, context->node),
                                 .EngineAffinity = 1u
                                                   << node_physical(&adapter->facts, context->node),
                                 .pPrivateDriverData = data->bytes,
                                 .PrivateDriverDataSize = data->size};
    if (!adapter->contexts) {
        context->handle = device->handle;
        *info = device->dma;
        return VIDMM_OK;
    }
    arg.Flags.SystemContext = device->system;
    arg.Flags.VirtualAddressing = !!device->process;
    context_allocations_ask(adapter);
    adapter_open(adapter);
    NTSTATUS nt = adapter->ddi->DxgkDdiCreateContext(device->handle, &arg);
    adapter_return(adapter);
    enum vidmm_status status = context_allocations_answer(
        adapter, error_unless_success(adapter, CALL, "nc-d3dkmddi-dxgkddi_createcontext", nt));
    if (status)
        return status;
    context->handle = arg.hContext;
    *info = arg.ContextInfo;
    return VIDMM_OK;
}

static void unlink_context(struct vidmm_context *context) {
    struct vidmm_context **link = &context->device->contexts;
    while (*link != context)
        link = &(*link)->next;
    *link = context->next;
}

void context_destroy(struct vidmm_context *context) {
    VIDMM_ASSERT_ENTERED(context->device->adapter);
    struct vidmm_adapter *adapter = context->device->adapter;
    companion_end(context);
    uint32_t physical = node_physical(&adapter->facts, context->node);
    if (context->device == adapter->physical[physical].device)
        adapter->physical[physical].paging.context = NULL;
    dma_ring_destroy(adapter, &context->dma);
    context_driver_destroy(context);
    context_allocations_abandon(context->device, context);
    context_allocations_reap(adapter);
    null_context_forget(context);
    unlink_context(context);
    adapter_free(adapter, context->commands, context->commands_size);
    adapter_free(adapter, context->patches,
                 context->patches_size * sizeof(D3DDDI_PATCHLOCATIONLIST));
    adapter_free(adapter, context->references,
                 context->references_size * sizeof(*context->references));
    adapter_free(adapter, context, sizeof(*context));
}

static enum vidmm_status make_with(struct vidmm_device *device, uint32_t node,
                                   const struct context_data *data, struct vidmm_context **out) {
    struct vidmm_adapter *adapter = device->adapter;
    struct vidmm_context *context = adapter_alloc(adapter, sizeof(*context));
    DXGK_CONTEXTINFO info;
    if (!context)
        return error_no_memory(adapter, "vidmm_context_create");
    context->device = device;
    context->node = node;
    context->dma.device = device;
    context->dma.physical = node_physical(&adapter->facts, node);
    context->next = device->contexts;
    device->contexts = context;
    memset(&info, 0, sizeof(info));
    enum vidmm_status status = context_driver_create(context, data, &info);
    context->companion_node = info.PagingCompanionNodeId;
    if (status == VIDMM_OK && !device->system && !device->process)
        status = dma_ring_create(adapter, &context->dma, &info, CALL);
    if (status == VIDMM_OK && device->process)
        status = adapter->iommu ? iommu_check_context(adapter, &info) : space_enter(context);
    if (status) {
        context_destroy(context);
        return status;
    }
    *out = context;
    return VIDMM_OK;
}

enum vidmm_status context_make(struct vidmm_device *device, uint32_t node,
                               struct vidmm_context **out) {
    static const struct context_data none;
    return make_with(device, node, &none, out);
}

enum vidmm_status system_context_create(struct vidmm_device *device, uint32_t physical) {
    struct vidmm_adapter *adapter = device->adapter;
    uint32_t ordinal = adapter->facts.physical[physical].paging_node;
    struct vidmm_context *context = NULL;
    enum vidmm_status status =
        context_make(device, node_index(&adapter->facts, physical, ordinal), &context);
    if (status == VIDMM_OK)
        adapter->physical[physical].paging.context = context->handle;
    return status;
}

enum vidmm_status vidmm_context_create(struct vidmm_device *device, uint32_t physical,
                                       uint32_t node, struct vidmm_context **out) {
    return vidmm_context_create_with(device, physical, node, NULL, 0, out);
}

enum vidmm_status vidmm_context_create_with(struct vidmm_device *device, uint32_t physical,
                                            uint32_t node, void *data, uint32_t size,
                                            struct vidmm_context **out) {
    struct vidmm_adapter *adapter = device->adapter;
    const struct context_data given = {data, size};
    *out = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, "vidmm_context_create");
    if (status == VIDMM_OK && physical >= adapter->facts.linked)
        status = error_argument(adapter, "vidmm_context_create", "a physical adapter of the link");
    if (status == VIDMM_OK && node >= adapter->facts.nodes)
        status = error_argument(adapter, "vidmm_context_create", "a node that the adapter has");
    if (status == VIDMM_OK)
        status = make_with(device, node_index(&adapter->facts, physical, node), &given, out);
    adapter_leave(adapter);
    return status;
}

void vidmm_context_destroy(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    adapter_settle(adapter, NULL);
    context_destroy(context);
    adapter_leave(adapter);
}
