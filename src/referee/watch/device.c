/*
 * device.c - devices and contexts come and go: which there are, which are the system's, on
 * which node a context works and what DMA buffers it asked for.
 *
 * A handle may be given out again the moment the driver has freed it, so shadows go before the
 * driver is asked to destroy.
 */
#include "state/given.h"
#include "watch/allocation.h"
#include "watch/watch.h"

/* ---- What DMA buffers shall be like ---------------------------------------------------------- */

static void device_judge_dma_segments(struct vidmm_referee *referee, uint32_t physical,
                                      uint32_t set) {
    uint32_t apertures = allocation_apertures(referee, physical);
    if (shadow_segments(referee, physical) == 0)
        return;
    DRIVER_MUST(79, (set & ~apertures) == 0, "a set of aperture segments, or 0",
                "DmaBufferSegmentSet is 0x%x, the aperture segments are 0x%x", set, apertures);
}

/* One that wants what it cannot have is destroyed again. */
void device_judge_use(struct vidmm_referee *referee, uint32_t physical,
                      const DXGK_CONTEXTINFO *info) {
    uint32_t set = info->DmaBufferSegmentSet, apertures = allocation_apertures(referee, physical);
    if (shadow_segments(referee, physical) != 0)
        MANAGER_MUST(79, (set & ~apertures) == 0,
                     "no work for a context whose creation has to fail",
                     "DmaBufferSegmentSet of the context is 0x%x, the aperture segments are 0x%x",
                     set, apertures);
}

/* What its commands are built into, by physical addresses. */
static void device_judge_lists(struct vidmm_referee *referee, const DXGKARG_CREATECONTEXT *args) {
    const DXGK_CONTEXTINFO *info = &args->ContextInfo;
    const struct shadow_adapter *adapter = &referee->adapter;
    bool builds = referee->real.DxgkDdiRender || referee->real.DxgkDdiPresent;
    if (!builds || args->Flags.SystemContext || !adapter->caps_known ||
        adapter->caps.MemoryManagementCaps.VirtualAddressingSupported)
        return;
    DRIVER_MUST(564, info->DmaBufferSize != 0 && info->AllocationListSize != 0,
                "DmaBufferSize and AllocationListSize with room for a command",
                "DmaBufferSize is %u, AllocationListSize %u", info->DmaBufferSize,
                info->AllocationListSize);
}

static void device_judge_context_info(struct vidmm_referee *referee,
                                      const DXGKARG_CREATECONTEXT *args) {
    const DXGK_CONTEXTINFO *info = &args->ContextInfo;
    device_judge_dma_segments(referee, linked_of_affinity(referee, args->EngineAffinity),
                              info->DmaBufferSegmentSet);
    device_judge_lists(referee, args);
    if (args->Flags.GdiContext && referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN7)
        DRIVER_MUST(82, info->AllocationListSize == 256, "AllocationListSize 256 of a GDI context",
                    "AllocationListSize is %u", info->AllocationListSize);
}

/* A driver without contexts describes its DMA buffers in CreateDevice; pInfo shares its place with
 * the flags that went in. */
static bool device_describes_device(struct vidmm_referee *referee, const DXGKARG_CREATEDEVICE *args,
                                    UINT flags) {
    const struct shadow_adapter *adapter = &referee->adapter;
    bool contexts =
        adapter->caps.SchedulingCaps.MultiEngineAware && referee->real.DxgkDdiCreateContext;
    return adapter->caps_known && !contexts && args->pInfo && (uintptr_t)args->pInfo != flags;
}

static void device_take_device_info(struct vidmm_referee *referee, struct shadow_device *device,
                                    const DXGK_DEVICEINFO *info) {
    device->context_info.DmaBufferSize = info->DmaBufferSize;
    device->context_info.DmaBufferSegmentSet = info->DmaBufferSegmentSet;
    device->context_info.DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize;
    device->context_info.AllocationListSize = info->AllocationListSize;
    device->context_info.PatchLocationListSize = info->PatchLocationListSize;
    device_judge_dma_segments(referee, 0, info->DmaBufferSegmentSet);
}

void device_judge_handle(struct vidmm_referee *referee, enum shadow_handle kind, HANDLE handle) {
    static const char *const names[SHADOW_HANDLES] = {"devices", "contexts", "processes"};
    bool *given = &referee->objects.handles[kind].given,
         *none = &referee->objects.handles[kind].none;
    *given = *given || handle;
    *none = *none || !handle;
    DRIVER_MUST(530, !*given || !*none, "handles for all objects of a kind, or for none",
                "STATUS_SUCCESS with handle %p, while other %s have %s", handle, names[kind],
                handle ? "NULL" : "handles");
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Of processes only: what has no process has no addresses either. Of a driver with both models it
 * cannot be known which one the process is for. */
static void device_judge_pasid(struct vidmm_referee *referee, const DXGKARG_CREATEDEVICE *args) {
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

static void device_created(struct vidmm_referee *referee, const DXGKARG_CREATEDEVICE *args,
                           UINT flags) {
    struct shadow_device *device = shadow_add_device(referee, args->hDevice);
    if (!device)
        return;
    DXGK_CREATEDEVICEFLAGS asked = {.Value = flags};
    device->system = asked.SystemDevice;
#if WDDM_AT_LEAST(WDDM2_0)
    device->process = args->hKmdProcess;
    device->pasid = args->Pasid;
#endif
    if (device_describes_device(referee, args, flags))
        device_take_device_info(referee, device, args->pInfo);
}

void device_judge_needed(struct vidmm_referee *referee, NTSTATUS status, const char *what) {
    DRIVER_MUST(
        628, status == STATUS_SUCCESS || status == STATUS_NO_MEMORY || world_starved(referee),
        "STATUS_SUCCESS, or STATUS_NO_MEMORY", "status 0x%08x for %s", (unsigned)status, what);
}

static NTSTATUS watch_CreateDevice(struct vidmm_referee *referee, const HANDLE adapter,
                                   DXGKARG_CREATEDEVICE *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiCreateDevice", REFEREE_REENTRANT);
    query_judge_use(referee);
    uint32_t alive = referee->objects.device.count;
    UINT flags = args->Flags.Value;
    struct guard answer;
    device_judge_pasid(referee, args);
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCreateDevice(adapter, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    /* The first refusal may have any reason; a later one of the same request has no other. */
    if (alive != 0 || status == STATUS_SUCCESS)
        DRIVER_MUST(401, status == STATUS_SUCCESS || status == STATUS_NO_MEMORY,
                    "as many devices as memory allows",
                    "status 0x%08x for one more device while there were %u", (unsigned)status,
                    alive);
    else if (((DXGK_CREATEDEVICEFLAGS){.Value = flags}).SystemDevice)
        device_judge_needed(referee, status, "the creation of the system's device");
    if (status == STATUS_SUCCESS) {
        device_judge_handle(referee, SHADOW_DEVICE_HANDLE, args->hDevice);
        device_created(referee, args, flags);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CreateDevice, const HANDLE, DXGKARG_CREATEDEVICE *)

static void device_forget_context(struct vidmm_referee *referee, struct shadow_context *context) {
    tables_context_gone(referee, context);
    shadow_remove_context(referee, context);
}

static void device_forget_contexts(struct vidmm_referee *referee, struct shadow_device *device) {
    while (device->contexts.first)
        device_forget_context(
            referee, CHAIN_OWNER(struct shadow_context, of_device, device->contexts.first));
}

void device_judge_ended(struct vidmm_referee *referee, NTSTATUS status) {
    DRIVER_MUST(525, status == STATUS_SUCCESS, "STATUS_SUCCESS for an object that is there",
                "status 0x%08x", (unsigned)status);
}

static NTSTATUS watch_DestroyDevice(struct vidmm_referee *referee, const HANDLE handle) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiDestroyDevice", REFEREE_REENTRANT);
    struct shadow_device *device = shadow_device(referee, handle);
    allocation_device_gone(referee, handle);
    if (device) {
        device_forget_contexts(referee, device);
        shadow_remove_device(referee, device);
    }
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDestroyDevice(handle);
    referee_return(referee);
    device_judge_ended(referee, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_1(NTSTATUS, DestroyDevice, const HANDLE)

/* ---- Contexts -------------------------------------------------------------------------------- */

/* Of contexts that have updates of addresses: those with GPU virtual addresses of a process. */
static void device_judge_companion_node(struct vidmm_referee *referee,
                                        const DXGKARG_CREATECONTEXT *args) {
    uint32_t physical = linked_of_affinity(referee, args->EngineAffinity);
    uint32_t nodes = referee->adapter.physical[physical].nodes;
    uint32_t node = args->ContextInfo.PagingCompanionNodeId;
    bool known = nodes != 0 && tables_known(referee); /* else PHYSICALADAPTERCAPS failed (R27) */
    if (known && args->Flags.VirtualAddressing && !args->Flags.SystemContext)
        DRIVER_MUST(386, node < nodes, "a node that the driver reported",
                    "PagingCompanionNodeId is %u of %u nodes", node, nodes);
}

/* A companion context is on the node that the driver chose for one that has updates. */
static void device_judge_companion(struct vidmm_referee *referee,
                                   const struct shadow_context *companion) {
    uint32_t node = companion->node;
    if (companion->companion)
        MANAGER_MUST(386, node < SHADOW_NODES && referee->objects.companion_nodes[node] != 0,
                     "a companion context on the node that the driver chose",
                     "node %u is no context's PagingCompanionNodeId", node);
}

/* tdr-changes-in-windows-8.md: one bit, that of the physical adapter. Before WDDM 2.0 the member has
 * no index of an adapter that queries could know. */
static void device_judge_affinity(struct vidmm_referee *referee,
                                  const DXGKARG_CREATECONTEXT *args) {
    uint32_t affinity = args->EngineAffinity, count = linked_count(referee);
    uint32_t nodes = referee->adapter.physical[linked_of_affinity(referee, affinity)].nodes;
    bool one = affinity != 0 && (affinity & (affinity - 1)) == 0 && affinity >> count == 0;
    MANAGER_MUST(506, one || (affinity == 0 && count == 1),
                 "one bit in EngineAffinity, that of a physical adapter of the link",
                 "EngineAffinity is 0x%x, of %u physical adapters", affinity, count);
    if (count > 1 && nodes != 0)
        MANAGER_MUST(506, args->NodeOrdinal < nodes, "a node of that physical adapter",
                     "NodeOrdinal is %u of %u", args->NodeOrdinal, nodes);
}

/* What its page has as [in]. */
static const struct given device_context_given[] = {
    GIVEN(DXGKARG_CREATECONTEXT, NodeOrdinal),
    GIVEN(DXGKARG_CREATECONTEXT, EngineAffinity),
    GIVEN(DXGKARG_CREATECONTEXT, Flags),
    GIVEN(DXGKARG_CREATECONTEXT, pPrivateDriverData),
    GIVEN(DXGKARG_CREATECONTEXT, PrivateDriverDataSize),
    GIVEN_END,
};

/* The driver has created it; `asked`: as the system called. */
static void device_context_created(struct vidmm_referee *referee, HANDLE device,
                                   const DXGKARG_CREATECONTEXT *asked,
                                   const DXGKARG_CREATECONTEXT *args) {
    device_judge_handle(referee, SHADOW_CONTEXT_HANDLE, args->hContext);
    struct shadow_context *context = shadow_add_context(referee, args->hContext);
    DXGKARG_CREATECONTEXT made = *asked;
    made.ContextInfo = args->ContextInfo;
    device_judge_context_info(referee, &made);
    device_judge_companion_node(referee, &made);
    if (!context)
        return;
    context->system = asked->Flags.SystemContext;
    context->owner = shadow_device(referee, device);
    context->device = device;
    context->physical = linked_of_affinity(referee, asked->EngineAffinity);
    context->node = linked_node(context->physical, asked->NodeOrdinal);
    context->context_info = args->ContextInfo;
    shadow_count_context(referee, context);
    tables_context_made(referee, context);
    device_judge_companion(referee, context);
}

static NTSTATUS watch_CreateContext(struct vidmm_referee *referee, const HANDLE device,
                                    DXGKARG_CREATECONTEXT *args) {
    struct referee_call call;
    const DXGKARG_CREATECONTEXT asked = *args;
    struct guard answer;
    referee_enter(referee, &call, "DxgkDdiCreateContext", REFEREE_REENTRANT);
    device_judge_affinity(referee, args);
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCreateContext(device, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    given_judge(referee, device_context_given, &asked, args);
    if (asked.Flags.SystemContext)
        device_judge_needed(referee, status, "the creation of the system's context");
    if (status == STATUS_SUCCESS)
        device_context_created(referee, device, &asked, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CreateContext, const HANDLE, DXGKARG_CREATECONTEXT *)

static NTSTATUS watch_DestroyContext(struct vidmm_referee *referee, const HANDLE handle) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiDestroyContext", REFEREE_REENTRANT);
    struct shadow_context *context = shadow_context(referee, handle);
    if (context)
        device_forget_context(referee, context);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDestroyContext(handle);
    referee_return(referee);
    device_judge_ended(referee, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_1(NTSTATUS, DestroyContext, const HANDLE)

void referee_watch_device(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, CreateDevice);
    WATCH(table, DestroyDevice);
    WATCH(table, CreateContext);
    WATCH(table, DestroyContext);
}
