/*
 * context_allocation.c - allocations that the driver makes for its contexts and devices
 * (nc-d3dkmddi-dxgkcb_createcontextallocation.md): their owners, what the driver is given to
 * prepare them, that they are in place before work that needs them is submitted, and that the GPU
 * has left their context before they are moved.
 *
 * The driver names owners by the system's handles, which it may do from inside the very call that
 * creates them: these are kept here, in front of watch/device.c and watch/callbacks.c.
 */
#include <stdlib.h>
#include <string.h>

#include "watch/allocation.h"
#include "watch/own_memory.h"
#include "watch/watch.h"
#include "watch/thunk.h"
#include "state/memory.h"

/* ---- Owners ---------------------------------------------------------------------------------- */

static struct contexts_owner *context_owner_find(struct vidmm_referee *referee, HANDLE system) {
    return (struct contexts_owner *)keyed_find(&referee->contexts.owners, keyed_handle(system));
}

static struct keyed_table *context_owners_by_driver(struct vidmm_referee *referee, bool context) {
    return context ? &referee->contexts.contexts : &referee->contexts.devices;
}

static struct contexts_owner *context_owner_of_driver(struct vidmm_referee *referee, HANDLE driver,
                                                      bool context) {
    struct keyed *at = keyed_find(context_owners_by_driver(referee, context), keyed_handle(driver));
    return at ? CHAIN_OWNER(struct contexts_owner, by_driver, at) : NULL;
}

/* NULL: out of memory. */
static struct contexts_owner *context_owner_add(struct vidmm_referee *referee, HANDLE system,
                                                HANDLE device, bool of_system, bool context) {
    struct contexts_owner *owner = system ? memory_calloc(1, sizeof(*owner)) : NULL;
    if (!owner || !keyed_add(&referee->contexts.owners, &owner->by_system, keyed_handle(system))) {
        free(owner);
        return NULL;
    }
    owner->device = device;
    owner->of_system = of_system;
    owner->context = context;
    return owner;
}

static void context_made_remove(struct vidmm_referee *referee, struct contexts_allocation *made) {
    chain_leave(&made->of_owner);
    keyed_remove(&referee->contexts.made, &made->by_system);
    keyed_remove(&referee->contexts.made_by_driver, &made->by_driver);
    free(made);
}

/* And what was made for it, which the system takes back. */
static void context_owner_remove(struct vidmm_referee *referee, struct contexts_owner *owner) {
    while (owner->made.first)
        context_made_remove(referee,
                            CHAIN_OWNER(struct contexts_allocation, of_owner, owner->made.first));
    keyed_remove(&referee->contexts.owners, &owner->by_system);
    if (owner->driver)
        keyed_remove(context_owners_by_driver(referee, owner->context), &owner->by_driver);
    free(owner);
}

static void context_owner_settle(struct vidmm_referee *referee, struct contexts_owner *owner,
                                 NTSTATUS status, HANDLE driver) {
    if (!owner)
        return;
    struct keyed_table *drivers = context_owners_by_driver(referee, owner->context);
    if (status == STATUS_SUCCESS && keyed_add(drivers, &owner->by_driver, keyed_handle(driver))) {
        owner->driver = driver;
        return;
    }
    chain_part(&owner->made); /* what the driver made for it exists until the driver destroys it */
    context_owner_remove(referee, owner);
}

static void context_owner_gone(struct vidmm_referee *referee, HANDLE driver, bool context) {
    struct contexts_owner *owner = context_owner_of_driver(referee, driver, context);
    for (uint32_t node = 0; context && node < shadow_node_end(referee); node++)
        if (referee->contexts.running[node] == driver)
            referee->contexts.running[node] = NULL;
    if (owner)
        context_owner_remove(referee, owner);
}

static NTSTATUS watch_CreateDevice(struct vidmm_referee *referee, const HANDLE adapter,
                                   DXGKARG_CREATEDEVICE *args) {
    DXGK_CREATEDEVICEFLAGS flags = {.Value = args->Flags.Value};
    pthread_mutex_lock(&referee->lock);
    struct contexts_owner *owner =
        context_owner_add(referee, args->hDevice, NULL, flags.SystemDevice, false);
    if (flags.SystemDevice)
        process_creating(referee, true);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->behind_contexts.DxgkDdiCreateDevice(adapter, args);
    pthread_mutex_lock(&referee->lock);
    if (flags.SystemDevice)
        process_creating(referee, false);
    context_owner_settle(referee, owner, status, args->hDevice);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, CreateDevice, const HANDLE, DXGKARG_CREATEDEVICE *)

static NTSTATUS watch_CreateContext(struct vidmm_referee *referee, const HANDLE device,
                                    DXGKARG_CREATECONTEXT *args) {
    pthread_mutex_lock(&referee->lock);
    struct contexts_owner *owner =
        context_owner_add(referee, args->hContext, device, args->Flags.SystemContext, true);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->behind_contexts.DxgkDdiCreateContext(device, args);
    pthread_mutex_lock(&referee->lock);
    context_owner_settle(referee, owner, status, args->hContext);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, CreateContext, const HANDLE, DXGKARG_CREATECONTEXT *)

static NTSTATUS watch_DestroyDevice(struct vidmm_referee *referee, const HANDLE device) {
    pthread_mutex_lock(&referee->lock);
    context_owner_gone(referee, device, false);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiDestroyDevice(device);
}
WATCHED_1(NTSTATUS, DestroyDevice, const HANDLE)

static NTSTATUS watch_DestroyContext(struct vidmm_referee *referee, const HANDLE context) {
    pthread_mutex_lock(&referee->lock);
    context_owner_gone(referee, context, true);
    pthread_mutex_unlock(&referee->lock);
    return referee->behind_contexts.DxgkDdiDestroyContext(context);
}
WATCHED_1(NTSTATUS, DestroyContext, const HANDLE)

/* ---- Creating -------------------------------------------------------------------------------- */

static struct contexts_owner *context_owner_named(struct vidmm_referee *referee,
                                                  const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    bool shared = args->ContextAllocationFlags.SharedAcrossContexts;
    return context_owner_find(referee, shared ? args->hDevice : args->hContext);
}

/* The device that an allocation is made in, or NULL where it is not known. */
static const struct contexts_owner *context_owner_device(struct vidmm_referee *referee,
                                                         const struct contexts_owner *owner) {
    return owner && owner->context ? context_owner_of_driver(referee, owner->device, false) : owner;
}

/* What a driver that leaves hDevice NULL for an application means is told by hContext. */
static void context_judge_device(struct vidmm_referee *referee, const struct contexts_owner *owner,
                                 const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    const struct contexts_owner *device = context_owner_device(referee, owner);
    if (device && !device->context && args->hDevice)
        DRIVER_MUST(344, device->by_system.key == keyed_handle(args->hDevice),
                    "hDevice as it came with DxgkDdiCreateDevice for the device of the context",
                    "hDevice is %p", args->hDevice);
}

static void context_judge_create(struct vidmm_referee *referee,
                                 const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    const struct contexts_owner *owner = context_owner_named(referee, args);
    context_judge_device(referee, owner, args);
    if (args->ContextAllocationFlags.SharedAcrossContexts)
        DRIVER_MUST(344, !args->hContext, "hContext NULL with SharedAcrossContexts",
                    "hContext is %p", args->hContext);
    if (owner)
        DRIVER_MUST(343, !owner->of_system, "a context or device of an application",
                    "it was asked for one of the system's own");
}

/* A name of no owner, for which nothing is made: a handle of the driver's own, or of an object that is gone. */
static void context_judge_known(struct vidmm_referee *referee,
                                const DXGKARGCB_CREATECONTEXTALLOCATION *args, NTSTATUS status) {
    bool shared = args->ContextAllocationFlags.SharedAcrossContexts;
    if (status == STATUS_INVALID_PARAMETER && !world_starved(referee))
        DRIVER_MUST(344, context_owner_named(referee, args),
                    "the handle that the system gave for the context, or for the device with "
                    "SharedAcrossContexts",
                    "%s is %p, which is neither", shared ? "hDevice" : "hContext",
                    shared ? args->hDevice : args->hContext);
}

static void context_note_made(struct vidmm_referee *referee,
                              const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    struct contexts *contexts = &referee->contexts;
    struct contexts_owner *owner = context_owner_named(referee, args);
    struct contexts_allocation *made =
        args->hDriverAllocation ? memory_calloc(1, sizeof(*made)) : NULL;
    if (!made || !keyed_add(&contexts->made, &made->by_system, keyed_handle(args->hAllocation))) {
        free(made);
        return;
    }
    if (!keyed_add(&contexts->made_by_driver, &made->by_driver,
                   keyed_handle(args->hDriverAllocation))) {
        keyed_remove(&contexts->made, &made->by_system);
        free(made);
        return;
    }
    made->driver = args->hDriverAllocation;
    made->bytes = args->Size;
    if (owner)
        chain_join(&owner->made, &made->of_owner);
}

static NTSTATUS watch_CreateContextAllocation(struct vidmm_referee *referee,
                                              DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    context_judge_create(referee, args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->callbacks_behind_contexts.DxgkCbCreateContextAllocation(args);
    pthread_mutex_lock(&referee->lock);
    context_judge_known(referee, args, status);
    if (status == STATUS_SUCCESS)
        context_note_made(referee, args);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_1(NTSTATUS, CreateContextAllocation, DXGKARGCB_CREATECONTEXTALLOCATION *)

static struct contexts_allocation *context_made_find(struct vidmm_referee *referee, HANDLE system) {
    return (struct contexts_allocation *)keyed_find(&referee->contexts.made, keyed_handle(system));
}

uint64_t context_allocation_size(struct vidmm_referee *referee, HANDLE system) {
    const struct contexts_allocation *made = context_made_find(referee, system);
    return made ? made->bytes : 0;
}

static void context_judge_range(struct vidmm_referee *referee,
                                const struct contexts_allocation *made,
                                const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    uint64_t pages = (made->bytes + SHADOW_PAGE - 1) / SHADOW_PAGE;
    DRIVER_MUST(629,
                args->SizeInPages != 0 && args->OffsetInPages <= pages &&
                    args->SizeInPages <= pages - args->OffsetInPages,
                "pages that the context allocation has", "page %llu and %llu from it on, of %llu",
                LLU(args->OffsetInPages), LLU(args->SizeInPages), LLU(pages));
}

static D3DGPU_VIRTUAL_ADDRESS
watch_MapContextAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                           const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    D3DGPU_VIRTUAL_ADDRESS va =
        referee->callbacks_behind_contexts.DxgkCbMapContextAllocation(adapter, args);
    pthread_mutex_lock(&referee->lock);
    struct contexts_allocation *made = context_made_find(referee, args->hAllocation);
    if (made)
        context_judge_range(referee, made, args);
    if (va != 0 && made) {
        made->va = (uint64_t)va;
        made->mapped = args->SizeInPages * SHADOW_PAGE;
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
static void context_judge_reach(struct vidmm_referee *referee,
                                const struct contexts_allocation *made,
                                const struct tables_process *process) {
    const struct shadow_allocation *allocation = shadow_allocation(referee, made->driver);
    const DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 *flags =
        allocation ? &allocation->info.FlagsWddm2 : NULL;
    if (flags && flags->ExplicitResidencyNotification && flags->AccessedPhysically)
        MANAGER_MUST(346, allocation->notified,
                     "the context's own allocations resident before its commands run",
                     "the driver was not told that one of 0x%llx bytes is", LLU(made->bytes));
    for (uint64_t at = 0; process && at < made->mapped; at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(referee, process, made->va + at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        MANAGER_MUST(346, found.valid,
                     "the context's own allocations resident before its commands run",
                     "0x%llx, which one is mapped to, leads nowhere", LLU(made->va + at));
    }
}

/* What was made for a context, or for its device; NULL: nothing. */
static void context_judge_owned(struct vidmm_referee *referee, const struct contexts_owner *owner,
                                const struct tables_process *process, bool virtual) {
    const struct chain_link *at = owner ? owner->made.first : NULL;
    for (; at; at = at->after) {
        const struct contexts_allocation *made =
            CHAIN_OWNER(struct contexts_allocation, of_owner, at);
        if (virtual)
            context_judge_reach(referee, made, process);
        else
            context_judge_place(referee, made->driver);
    }
}

static void context_judge_submission(struct vidmm_referee *referee, HANDLE context, bool virtual) {
    const struct tables_process *process =
        tables_process_of(referee, shadow_context(referee, context));
    const struct contexts_owner *owner = context_owner_of_driver(referee, context, true);
    if (!owner)
        return;
    context_judge_owned(referee, owner, process, virtual);
    context_judge_owned(referee, context_owner_of_driver(referee, owner->device, false), process,
                        virtual);
}

/* Work that names no context and is neither paging nor a switch leaves the GPU as it was. */
static void context_note_running(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    bool empty = args->DmaBufferSubmissionStartOffset == args->DmaBufferSubmissionEndOffset;
    if (args->Flags.ContextSwitch)
        MANAGER_MUST(283, empty, "a buffer of length zero with ContextSwitch", "it has %u bytes",
                     args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset);
    uint32_t physical = submit_physical(referee, args->hContext, args->EngineOrdinal);
    if (args->NodeOrdinal < SHADOW_ORDINALS &&
        (args->Flags.ContextSwitch || args->Flags.Paging || args->hContext))
        referee->contexts.running[linked_node(physical, args->NodeOrdinal)] =
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
    if (!args->Flags.Paging && tables_known(referee))
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

/* The context keeps something in it. */
static bool context_keeps(struct vidmm_referee *referee, HANDLE context,
                          const struct contexts_allocation *made) {
    const struct contexts_owner *owner = context_owner_of_driver(referee, context, true);
    const struct contexts_owner *device =
        owner ? context_owner_of_driver(referee, owner->device, false) : NULL;
    return made->of_owner.chain && ((owner && made->of_owner.chain == &owner->made) ||
                                    (device && made->of_owner.chain == &device->made));
}

static void context_judge_leaving(struct vidmm_referee *referee, HANDLE allocation) {
    struct keyed *at = keyed_find(&referee->contexts.made_by_driver, keyed_handle(allocation));
    const struct contexts_allocation *made =
        at ? CHAIN_OWNER(struct contexts_allocation, by_driver, at) : NULL;
    for (uint32_t node = 0; made && node < shadow_node_end(referee); node++) {
        HANDLE running = referee->contexts.running[node];
        MANAGER_MUST(283, !running || !context_keeps(referee, running, made),
                     "a switch to no context before what the running one keeps is moved",
                     "0x%llx bytes of the context that node %u ran last are moved",
                     LLU(made->bytes), node);
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
    uint32_t physical = linked_index(referee, args->EngineOrdinal);
    if (args->NodeOrdinal < SHADOW_ORDINALS)
        referee->contexts.running[linked_node(physical, args->NodeOrdinal)] = NULL;
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
    bool mapped =
        flags.CpuVisible && flags.Protected &&
        (allocation->write_set & ~allocation_apertures(referee, allocation->physical)) == 0;
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

void context_allocations_end(struct vidmm_referee *referee) {
    struct contexts *contexts = &referee->contexts;
    while (contexts->made.first)
        context_made_remove(referee, (struct contexts_allocation *)contexts->made.first);
    while (contexts->owners.first)
        context_owner_remove(referee, (struct contexts_owner *)contexts->owners.first);
    keyed_clear(&contexts->made);
    keyed_clear(&contexts->made_by_driver);
    keyed_clear(&contexts->owners);
    keyed_clear(&contexts->devices);
    keyed_clear(&contexts->contexts);
}

void referee_watch_context_allocations(struct vidmm_referee *referee,
                                       DRIVER_INITIALIZATION_DATA *table) {
    referee->behind_contexts = *table;
    context_allocations_end(referee);
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
    struct contexts_allocation *made = context_made_find(referee, allocation);
    if (made && !shadow_allocation(referee, made->driver))
        context_made_remove(referee, made);
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
