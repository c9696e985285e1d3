/*
 * context_allocation.c - allocations that the driver makes for its contexts and devices
 * (nc-d3dkmddi-dxgkcb_createcontextallocation.md): their owners, what the driver is given to
 * prepare them, that they are in place before work that needs them is submitted, and that the GPU
 * has left their context before they are moved.
 *
 * The driver names owners by the system's handles, which it may do from inside the very call that
 * creates them: these are kept here, in front of watch/device.c and watch/callbacks.c.
 */
#include <string.h>

#include "state/grow.h"
#include "watch/allocation.h"
#include "watch/own_memory.h"
#include "watch/thunk.h"

/* ---- Owners ---------------------------------------------------------------------------------- */

static uint32_t context_owner_find(struct vidmm_referee *referee, HANDLE system) {
    uint32_t i = 0, owners = referee->contexts.owners;
    while (i < owners && referee->contexts.owner[i].system != system)
        i++;
    return i < owners ? i : CONTEXTS_NONE;
}

static uint32_t context_owner_of_driver(struct vidmm_referee *referee, HANDLE driver,
                                        bool context) {
    uint32_t i = 0, owners = referee->contexts.owners;
    while (i < owners &&
           (!referee->contexts.owner[i].system || referee->contexts.owner[i].driver != driver ||
            referee->contexts.owner[i].context != context))
        i++;
    return i < owners ? i : CONTEXTS_NONE;
}

/* CONTEXTS_NONE: out of memory. */
static uint32_t context_owner_free(struct vidmm_referee *referee) {
    struct contexts *contexts = &referee->contexts;
    uint32_t i = context_owner_find(referee, NULL), owners = contexts->owners;
    if (i != CONTEXTS_NONE)
        return i;
    return grow(&contexts->owner, &contexts->owners, owners + 1, sizeof(*contexts->owner))
               ? owners
               : CONTEXTS_NONE;
}

static uint32_t context_owner_add(struct vidmm_referee *referee, HANDLE system, HANDLE device,
                                  bool of_system, bool context) {
    uint32_t i = system ? context_owner_free(referee) : CONTEXTS_NONE;
    if (i == CONTEXTS_NONE)
        return i;
    referee->contexts.owner[i].system = system;
    referee->contexts.owner[i].driver = NULL;
    referee->contexts.owner[i].device = device;
    referee->contexts.owner[i].of_system = of_system;
    referee->contexts.owner[i].context = context;
    return i;
}

static void context_owner_settle(struct vidmm_referee *referee, uint32_t i, NTSTATUS status,
                                 HANDLE driver) {
    if (i == CONTEXTS_NONE)
        return;
    referee->contexts.owner[i].driver = driver;
    if (status != STATUS_SUCCESS)
        referee->contexts.owner[i].system = NULL;
}

/* And what was made for it, which the system takes back. */
static void context_owner_remove(struct vidmm_referee *referee, HANDLE driver, bool context) {
    uint32_t i = context_owner_of_driver(referee, driver, context);
    for (uint32_t node = 0; context && node < SHADOW_NODES; node++)
        if (referee->contexts.running[node] == driver)
            referee->contexts.running[node] = NULL;
    if (i == CONTEXTS_NONE)
        return;
    for (uint32_t j = 0; j < referee->contexts.mades; j++)
        if (referee->contexts.made[j].owner == referee->contexts.owner[i].system)
            referee->contexts.made[j].driver = NULL;
    referee->contexts.owner[i].system = NULL;
}

static NTSTATUS watch_CreateDevice(struct vidmm_referee *referee, const HANDLE adapter,
                                   DXGKARG_CREATEDEVICE *args) {
    DXGK_CREATEDEVICEFLAGS flags = {.Value = args->Flags.Value};
    pthread_mutex_lock(&referee->lock);
    uint32_t i = context_owner_add(referee, args->hDevice, NULL, flags.SystemDevice, false);
    if (flags.SystemDevice)
        process_creating(referee, true);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->behind_contexts.DxgkDdiCreateDevice(adapter, args);
    pthread_mutex_lock(&referee->lock);
    if (flags.SystemDevice)
        process_creating(referee, false);
    context_owner_settle(referee, i, status, args->hDevice);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, CreateDevice, const HANDLE, DXGKARG_CREATEDEVICE *)

static NTSTATUS watch_CreateContext(struct vidmm_referee *referee, const HANDLE device,
                                    DXGKARG_CREATECONTEXT *args) {
    pthread_mutex_lock(&referee->lock);
    uint32_t i =
        context_owner_add(referee, args->hContext, device, args->Flags.SystemContext, true);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->behind_contexts.DxgkDdiCreateContext(device, args);
    pthread_mutex_lock(&referee->lock);
    context_owner_settle(referee, i, status, args->hContext);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, CreateContext, const HANDLE, DXGKARG_CREATECONTEXT *)

static NTSTATUS watch_DestroyDevice(struct vidmm_referee *referee, const HANDLE device) {
    pthread_mutex_lock(&referee->lock);
    context_owner_remove(referee, device, false);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiDestroyDevice(device);
}
WATCHED_1(NTSTATUS, DestroyDevice, const HANDLE)

static NTSTATUS watch_DestroyContext(struct vidmm_referee *referee, const HANDLE context) {
    pthread_mutex_lock(&referee->lock);
    context_owner_remove(referee, context, true);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiDestroyContext(context);
}
WATCHED_1(NTSTATUS, DestroyContext, const HANDLE)

/* ---- Creating -------------------------------------------------------------------------------- */

static void context_judge_create(struct vidmm_referee *referee,
                                 const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    bool shared = args->ContextAllocationFlags.SharedAcrossContexts;
    uint32_t i = context_owner_find(referee, shared ? args->hDevice : args->hContext);
    if (shared)
        DRIVER_MUST(344, !args->hContext, "hContext NULL with SharedAcrossContexts",
                    "hContext is %p", args->hContext);
    if (i != CONTEXTS_NONE && referee->contexts.owner[i].system)
        DRIVER_MUST(343, !referee->contexts.owner[i].of_system,
                    "a context or device of an application",
                    "it was asked for one of the system's own");
}

static void context_note_made(struct vidmm_referee *referee,
                              const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    bool shared = args->ContextAllocationFlags.SharedAcrossContexts;
    struct contexts *contexts = &referee->contexts;
    uint32_t i = 0;
    while (i < contexts->mades && contexts->made[i].driver)
        i++;
    if (!args->hDriverAllocation ||
        !grow(&contexts->made, &contexts->mades, i + 1, sizeof(*contexts->made)))
        return;
    contexts->made[i].driver = args->hDriverAllocation;
    contexts->made[i].system = args->hAllocation;
    contexts->made[i].bytes = args->Size;
    contexts->made[i].mapped = 0;
    contexts->made[i].owner = shared ? args->hDevice : args->hContext;
}

static NTSTATUS watch_CreateContextAllocation(struct vidmm_referee *referee,
                                              DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    context_judge_create(referee, args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->callbacks_behind_contexts.DxgkCbCreateContextAllocation(args);
    pthread_mutex_lock(&referee->lock);
    if (status == STATUS_SUCCESS)
        context_note_made(referee, args);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_1(NTSTATUS, CreateContextAllocation, DXGKARGCB_CREATECONTEXTALLOCATION *)

static uint32_t context_made_find(struct vidmm_referee *referee, HANDLE system) {
    uint32_t i = 0, mades = referee->contexts.mades;
    while (i < mades &&
           (!referee->contexts.made[i].driver || referee->contexts.made[i].system != system))
        i++;
    return i < mades ? i : CONTEXTS_NONE;
}

uint64_t context_allocation_size(struct vidmm_referee *referee, HANDLE system) {
    uint32_t i = context_made_find(referee, system);
    return i != CONTEXTS_NONE ? referee->contexts.made[i].bytes : 0;
}

static D3DGPU_VIRTUAL_ADDRESS
watch_MapContextAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                           const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    D3DGPU_VIRTUAL_ADDRESS va =
        referee->callbacks_behind_contexts.DxgkCbMapContextAllocation(adapter, args);
    pthread_mutex_lock(&referee->lock);
    uint32_t i = context_made_find(referee, args->hAllocation);
    if (va != 0 && i != CONTEXTS_NONE) {
        referee->contexts.made[i].va = (uint64_t)va;
        referee->contexts.made[i].mapped = args->SizeInPages * SHADOW_PAGE;
    }
    pthread_mutex_unlock(&referee->lock);
    return va;
}
WATCHED_2(D3DGPU_VIRTUAL_ADDRESS, MapContextAllocation, const HANDLE,
          const DXGKARGCB_MAPCONTEXTALLOCATION *)

/* ---- In place -------------------------------------------------------------------------------- */

/* After a reset its place is not known; an allocation that never had a place is still known. */
static void context_judge_place(struct vidmm_referee *referee, HANDLE driver) {
    const struct shadow_allocation *allocation = shadow_allocation(referee, driver);
    if (allocation && (allocation->placed || !allocation->placed_before))
        MANAGER_MUST(346, allocation->placed,
                     "the context's own allocations resident before its commands run",
                     "one of 0x%llx bytes was never paged in",
                     (unsigned long long)allocation->size);
}

/* With GPU virtual addresses: the driver was told where it is, and its addresses lead there. */
static void context_judge_reach(struct vidmm_referee *referee, uint32_t i,
                                const struct tables_process *process) {
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, referee->contexts.made[i].driver);
    const DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 *flags =
        allocation ? &allocation->info.FlagsWddm2 : NULL;
    if (flags && flags->ExplicitResidencyNotification && flags->AccessedPhysically)
        MANAGER_MUST(346, allocation->notified,
                     "the context's own allocations resident before its commands run",
                     "the driver was not told that one of 0x%llx bytes is",
                     LLU(referee->contexts.made[i].bytes));
    for (uint64_t at = 0; process && at < referee->contexts.made[i].mapped; at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(referee, process, referee->contexts.made[i].va + at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        MANAGER_MUST(346, found.valid,
                     "the context's own allocations resident before its commands run",
                     "0x%llx, which one is mapped to, leads nowhere",
                     LLU(referee->contexts.made[i].va + at));
    }
}

static bool context_needs(struct vidmm_referee *referee, uint32_t i, uint32_t context,
                          uint32_t device) {
    return referee->contexts.made[i].driver &&
           (referee->contexts.made[i].owner == referee->contexts.owner[context].system ||
            (device != CONTEXTS_NONE &&
             referee->contexts.made[i].owner == referee->contexts.owner[device].system));
}

/* Context `one` keeps something in allocation `i`. */
static bool context_keeps(struct vidmm_referee *referee, uint32_t one, uint32_t i) {
    return one != CONTEXTS_NONE &&
           context_needs(
               referee, i, one,
               context_owner_of_driver(referee, referee->contexts.owner[one].device, false));
}

static void context_judge_submission(struct vidmm_referee *referee, HANDLE context, bool virtual) {
    const struct tables_process *process =
        tables_process_of(referee, shadow_context(referee, context));
    uint32_t one = context_owner_of_driver(referee, context, true);
    for (uint32_t i = 0; i < referee->contexts.mades; i++) {
        if (!context_keeps(referee, one, i))
            continue;
        if (virtual)
            context_judge_reach(referee, i, process);
        else
            context_judge_place(referee, referee->contexts.made[i].driver);
    }
}

/* Work that names no context and is neither paging nor a switch leaves the GPU as it was. */
static void context_note_running(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    bool empty = args->DmaBufferSubmissionStartOffset == args->DmaBufferSubmissionEndOffset;
    if (args->Flags.ContextSwitch)
        MANAGER_MUST(283, empty, "a buffer of length zero with ContextSwitch", "it has %u bytes",
                     args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset);
    if (args->NodeOrdinal < SHADOW_NODES &&
        (args->Flags.ContextSwitch || args->Flags.Paging || args->hContext))
        referee->contexts.running[args->NodeOrdinal] =
            args->Flags.ContextSwitch ? NULL : args->hContext;
}

static NTSTATUS watch_SubmitCommand(struct vidmm_referee *referee, const HANDLE adapter,
                                    const DXGKARG_SUBMITCOMMAND *args) {
    pthread_mutex_lock(&referee->lock);
    if (!args->Flags.Paging)
        context_judge_submission(referee, args->hContext, false);
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        context_note_running(referee, args);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiSubmitCommand(adapter, args);
}
WATCHED_2(NTSTATUS, SubmitCommand, const HANDLE, const DXGKARG_SUBMITCOMMAND *)

static NTSTATUS watch_SubmitCommandVirtual(struct vidmm_referee *referee, const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    pthread_mutex_lock(&referee->lock);
    if (!args->Flags.Paging && referee->tables.mmu.known)
        context_judge_submission(referee, args->hContext, true);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiSubmitCommandVirtual(adapter, args);
}
WATCHED_2(NTSTATUS, SubmitCommandVirtual, const HANDLE, const DXGKARG_SUBMITCOMMANDVIRTUAL *)

/* ---- Leaving --------------------------------------------------------------------------------- */

/* What a paging operation takes out of its place, or NULL. */
static HANDLE context_leaving(const DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return args->Transfer.Source.SegmentId != 0 ? args->Transfer.hAllocation : NULL;
    case DXGK_OPERATION_DISCARD_CONTENT:
        return args->DiscardContent.hAllocation;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return args->UnmapApertureSegment.hAllocation;
    default:
        return NULL;
    }
}

static void context_judge_leaving(struct vidmm_referee *referee, HANDLE allocation) {
    uint32_t i = 0, mades = referee->contexts.mades;
    while (i < mades && referee->contexts.made[i].driver != allocation)
        i++;
    for (uint32_t node = 0; i < mades && node < SHADOW_NODES; node++) {
        bool held = referee->contexts.running[node] &&
                    context_keeps(
                        referee,
                        context_owner_of_driver(referee, referee->contexts.running[node], true), i);
        MANAGER_MUST(283, !held,
                     "a switch to no context before what the running one keeps is moved",
                     "0x%llx bytes of the context that node %u ran last are moved",
                     LLU(referee->contexts.made[i].bytes), node);
    }
}

/* What was on an engine is gone. */
static NTSTATUS watch_ResetFromTimeout(struct vidmm_referee *referee, const HANDLE adapter) {
    pthread_mutex_lock(&referee->lock);
    memset(referee->contexts.running, 0, sizeof(referee->contexts.running));
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiResetFromTimeout(adapter);
}
WATCHED_1(NTSTATUS, ResetFromTimeout, const HANDLE)

static NTSTATUS watch_ResetEngine(struct vidmm_referee *referee, const HANDLE adapter,
                                  DXGKARG_RESETENGINE *args) {
    pthread_mutex_lock(&referee->lock);
    if (args->NodeOrdinal < SHADOW_NODES)
        referee->contexts.running[args->NodeOrdinal] = NULL;
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiResetEngine(adapter, args);
}
WATCHED_2(NTSTATUS, ResetEngine, const HANDLE, DXGKARG_RESETENGINE *)

/* ---- Preparing ------------------------------------------------------------------------------- */

static void context_judge_init(struct vidmm_referee *referee,
                               const DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, args->InitContextResource.hAllocation);
    if (!allocation)
        return;
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    bool mapped = flags.CpuVisible && flags.Protected &&
                  (allocation->write_set & ~allocation_apertures(referee)) == 0;
    bool given = args->InitContextResource.Destination.VirtualAddress;
    MANAGER_MUST(345, given == mapped,
                 "VirtualAddress for an allocation with CpuVisible and Protected in apertures "
                 "only, NULL for all others",
                 "VirtualAddress is %p, flags are 0x%x, segments 0x%x",
                 args->InitContextResource.Destination.VirtualAddress, flags.Value,
                 allocation->write_set);
}

static NTSTATUS watch_BuildPagingBuffer(struct vidmm_referee *referee, const HANDLE adapter,
                                        DXGKARG_BUILDPAGINGBUFFER *args) {
    pthread_mutex_lock(&referee->lock);
    if (args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE)
        context_judge_init(referee, args);
    HANDLE allocation = context_leaving(args);
    if (allocation)
        context_judge_leaving(referee, allocation);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiBuildPagingBuffer(adapter, args);
}
WATCHED_2(NTSTATUS, BuildPagingBuffer, const HANDLE, DXGKARG_BUILDPAGINGBUFFER *)

void referee_watch_context_allocations(struct vidmm_referee *referee,
                                       DRIVER_INITIALIZATION_DATA *table) {
    referee->behind_contexts = *table;
    grow_free(&referee->contexts.owner, &referee->contexts.owners);
    grow_free(&referee->contexts.made, &referee->contexts.mades);
    memset(referee->contexts.running, 0, sizeof(referee->contexts.running));
    WATCH(table, CreateDevice);
    WATCH(table, DestroyDevice);
    WATCH(table, CreateContext);
    WATCH(table, DestroyContext);
    WATCH(table, SubmitCommand);
    WATCH(table, SubmitCommandVirtual);
    WATCH(table, BuildPagingBuffer);
    WATCH(table, ResetFromTimeout);
    WATCH(table, ResetEngine);
}

static NTSTATUS watch_DestroyContextAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                               const HANDLE allocation) {
    NTSTATUS status =
        referee->callbacks_behind_contexts.DxgkCbDestroyContextAllocation(adapter, allocation);
    pthread_mutex_lock(&referee->lock);
    for (uint32_t i = 0; i < referee->contexts.mades; i++)
        if (referee->contexts.made[i].driver &&
            !shadow_allocation(referee, referee->contexts.made[i].driver))
            referee->contexts.made[i].driver = NULL;
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, DestroyContextAllocation, const HANDLE, const HANDLE)

void referee_watch_context_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    referee->callbacks_behind_contexts = *callbacks;
    WATCH_CALLBACK(callbacks, CreateContextAllocation);
    WATCH_CALLBACK(callbacks, DestroyContextAllocation);
    WATCH_CALLBACK(callbacks, MapContextAllocation);
}
