/*
 * device.c - devices and contexts come and go: which there are, which are the system's, on
 * which node a context works and what DMA buffers it asked for.
 *
 * A handle may be given out again the moment the driver has freed it, so shadows go before the
 * driver is asked to destroy.
 */
#include "state/allocation.h"
#include "state/judge.h"
#include "state/tables.h"

/* ---- What DMA buffers shall be like ---------------------------------------------------------- */

static void judge_dma_segments(uint32_t set) {
    if (referee->adapter.segments == 0)
        return;
    DRIVER_MUST(79, (set & ~allocation_apertures()) == 0, "a set of aperture segments, or 0",
                "DmaBufferSegmentSet is 0x%x, the aperture segments are 0x%x", set,
                allocation_apertures());
}

/* One that wants what it cannot have is destroyed again. */
void device_judge_use(const struct shadow_object *context) {
    uint32_t set = context->context_info.DmaBufferSegmentSet;
    if (referee->adapter.segments != 0)
        MANAGER_MUST(79, (set & ~allocation_apertures()) == 0,
                     "no work for a context whose creation has to fail",
                     "DmaBufferSegmentSet of the context is 0x%x, the aperture segments are 0x%x",
                     set, allocation_apertures());
}

static void judge_context_info(const DXGKARG_CREATECONTEXT *args) {
    const DXGK_CONTEXTINFO *info = &args->ContextInfo;
    judge_dma_segments(info->DmaBufferSegmentSet);
    if (args->Flags.GdiContext && referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN7)
        DRIVER_MUST(82, info->AllocationListSize == 256, "AllocationListSize 256 of a GDI context",
                    "AllocationListSize is %u", info->AllocationListSize);
}

/* A driver without contexts describes its DMA buffers in CreateDevice; pInfo shares its place with
 * the flags that went in. */
static bool describes_device(const DXGKARG_CREATEDEVICE *args, UINT flags) {
    const struct shadow_adapter *adapter = &referee->adapter;
    bool contexts =
        adapter->caps.SchedulingCaps.MultiEngineAware && referee->real.DxgkDdiCreateContext;
    return adapter->caps_known && !contexts && args->pInfo && (uintptr_t)args->pInfo != flags;
}

static void take_device_info(struct shadow_object *device, const DXGK_DEVICEINFO *info) {
    device->context_info.DmaBufferSize = info->DmaBufferSize;
    device->context_info.DmaBufferSegmentSet = info->DmaBufferSegmentSet;
    device->context_info.DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize;
    device->context_info.AllocationListSize = info->AllocationListSize;
    device->context_info.PatchLocationListSize = info->PatchLocationListSize;
    judge_dma_segments(info->DmaBufferSegmentSet);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static uint32_t devices_alive(void) {
    uint32_t count = 0;
    for (const struct shadow_object *device = shadow_each(SHADOW_DEVICE, NULL); device;
         device = shadow_each(SHADOW_DEVICE, device))
        count++;
    return count;
}

/* Of processes only: what has no process has no addresses either. Of a driver with both models it
 * cannot be known which one the process is for. */
static void judge_pasid(const DXGKARG_CREATEDEVICE *args) {
#if WDDM_AT_LEAST(WDDM2_0)
    const DXGK_VIDMMCAPS *caps = &referee->adapter.caps.MemoryManagementCaps;
    if (args->hKmdProcess && caps->IoMmuSupported && !caps->GpuMmuSupported)
        MANAGER_MUST(390, args->Pasid != 0, "the PASID of the process",
                     "Pasid is 0 for a device of a process%s", "");
    if (args->Pasid != 0)
        referee->adapter.shared = true;
#else
    (void)args;
#endif
}

static void device_created(const DXGKARG_CREATEDEVICE *args, UINT flags) {
    struct shadow_object *device = shadow_add(SHADOW_DEVICE, args->hDevice);
    if (!device)
        return;
    DXGK_CREATEDEVICEFLAGS asked = {.Value = flags};
    device->system = asked.SystemDevice;
#if WDDM_AT_LEAST(WDDM2_0)
    device->process = args->hKmdProcess;
#endif
    if (describes_device(args, flags))
        take_device_info(device, args->pInfo);
}

static NTSTATUS APIENTRY see_CreateDevice(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiCreateDevice", REFEREE_REENTRANT);
    query_judge_use();
    uint32_t alive = devices_alive();
    UINT flags = args->Flags.Value;
    judge_pasid(args);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiCreateDevice(adapter, args);
    referee_return(&call);
    /* The first refusal may have any reason; a later one of the same request has no other. */
    if (alive != 0 || status == STATUS_SUCCESS)
        DRIVER_MUST(401, status == STATUS_SUCCESS || status == STATUS_NO_MEMORY,
                    "as many devices as memory allows",
                    "status 0x%08x for one more device while there were %u", (unsigned)status,
                    alive);
    if (status == STATUS_SUCCESS)
        device_created(args, flags);
    referee_exit(&call);
    return status;
}

static void forget_contexts(const struct shadow_object *device) {
    struct shadow_object *next;
    for (struct shadow_object *context = shadow_each(SHADOW_CONTEXT, NULL); context;
         context = next) {
        next = shadow_each(SHADOW_CONTEXT, context);
        if (context->parent == device)
            shadow_remove(context);
    }
}

static NTSTATUS APIENTRY see_DestroyDevice(const HANDLE handle) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiDestroyDevice", REFEREE_REENTRANT);
    struct shadow_object *device = shadow_find(SHADOW_DEVICE, handle);
    allocation_device_gone(handle);
    if (device) {
        forget_contexts(device);
        shadow_remove(device);
    }
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiDestroyDevice(handle);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* Of contexts that have updates of addresses: those with GPU virtual addresses of a process. */
static void judge_companion_node(const DXGKARG_CREATECONTEXT *args) {
    const struct shadow_adapter *adapter = &referee->adapter;
    uint32_t node = args->ContextInfo.PagingCompanionNodeId;
    if (tables_mmu.known && args->Flags.VirtualAddressing && !args->Flags.SystemContext)
        DRIVER_MUST(386, node < adapter->nodes, "a node that the driver reported",
                    "PagingCompanionNodeId is %u of %u nodes", node, adapter->nodes);
}

/* A companion context is on the node that the driver chose for one that has updates. */
static void judge_companion(const struct shadow_object *companion) {
    const struct shadow_object *context = shadow_each(SHADOW_CONTEXT, NULL);
    if (!tables_companion(companion))
        return;
    while (context &&
           (context->system || context->context_info.PagingCompanionNodeId != companion->node))
        context = shadow_each(SHADOW_CONTEXT, context);
    MANAGER_MUST(386, context, "a companion context on the node that the driver chose",
                 "node %u is no context's PagingCompanionNodeId", companion->node);
}

static NTSTATUS APIENTRY see_CreateContext(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiCreateContext", REFEREE_REENTRANT);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiCreateContext(device, args);
    referee_return(&call);
    if (status == STATUS_SUCCESS) {
        struct shadow_object *context = shadow_add(SHADOW_CONTEXT, args->hContext);
        judge_context_info(args);
        judge_companion_node(args);
        if (context) {
            context->system = args->Flags.SystemContext;
            context->parent = shadow_find(SHADOW_DEVICE, device);
            context->device = device;
            context->node = args->NodeOrdinal;
            context->context_info = args->ContextInfo;
            judge_companion(context);
        }
    }
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_DestroyContext(const HANDLE handle) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiDestroyContext", REFEREE_REENTRANT);
    struct shadow_object *context = shadow_find(SHADOW_CONTEXT, handle);
    if (context)
        shadow_remove(context);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiDestroyContext(handle);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

void referee_watch_device(DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, CreateDevice);
    WATCH(table, DestroyDevice);
    WATCH(table, CreateContext);
    WATCH(table, DestroyContext);
}
