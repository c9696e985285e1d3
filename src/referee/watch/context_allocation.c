/*
 * context_allocation.c - allocations that the driver makes for its contexts and devices
 * (nc-d3dkmddi-dxgkcb_createcontextallocation.md): whose they are, what the driver is given to
 * prepare them, that they are in place before work that needs them is submitted, and that the GPU
 * has left their context before they are moved.
 *
 * The driver names owners by the system's handles, which it may do from inside the very call that
 * creates them: these are kept here, in front of watch/device.c and watch/callbacks.c.
 */
#include "state/allocation.h"
#include "state/own_memory.h"
#include "state/tables.h"

#include <string.h>

#define OWNERS      256u
#define ALLOCATIONS 256u

static struct {
    HANDLE system, driver; /* handles of the device or context; system NULL: free */
    HANDLE device;         /* context: the driver's handle of its device */
    bool of_system, context;
} owner[OWNERS];

static struct {
    HANDLE driver, system; /* its handles; driver NULL: free */
    HANDLE owner;          /* system's handle of its context, or of its device */
    uint64_t bytes;
    uint64_t va, mapped; /* bytes from `va` on lead to some of it; 0: none do */
} made[ALLOCATIONS];

/* The driver's handle of the context that each node ran last: the GPU may hold its state. Contexts
 * with physical addresses only. NULL: of none. */
static HANDLE running[SHADOW_NODES];

static DRIVER_INITIALIZATION_DATA behind;
static DXGKRNL_INTERFACE callbacks_behind;

/* ---- Owners ---------------------------------------------------------------------------------- */

static uint32_t owner_find(HANDLE system) {
    uint32_t i = 0;
    while (i < OWNERS && owner[i].system != system)
        i++;
    return i;
}

static uint32_t owner_of_driver(HANDLE driver, bool context) {
    uint32_t i = 0;
    while (i < OWNERS &&
           (!owner[i].system || owner[i].driver != driver || owner[i].context != context))
        i++;
    return i;
}

static uint32_t owner_add(HANDLE system, HANDLE device, bool of_system, bool context) {
    uint32_t i = system ? owner_find(NULL) : OWNERS;
    if (i == OWNERS)
        return i;
    owner[i].system = system;
    owner[i].driver = NULL;
    owner[i].device = device;
    owner[i].of_system = of_system;
    owner[i].context = context;
    return i;
}

static void owner_settle(uint32_t i, NTSTATUS status, HANDLE driver) {
    if (i == OWNERS)
        return;
    owner[i].driver = driver;
    if (status != STATUS_SUCCESS)
        owner[i].system = NULL;
}

/* And what was made for it, which the system takes back. */
static void owner_remove(HANDLE driver, bool context) {
    uint32_t i = owner_of_driver(driver, context);
    for (uint32_t node = 0; context && node < SHADOW_NODES; node++)
        if (running[node] == driver)
            running[node] = NULL;
    if (i == OWNERS)
        return;
    for (uint32_t j = 0; j < ALLOCATIONS; j++)
        if (made[j].owner == owner[i].system)
            made[j].driver = NULL;
    owner[i].system = NULL;
}

static NTSTATUS APIENTRY see_CreateDevice(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    DXGK_CREATEDEVICEFLAGS flags = {.Value = args->Flags.Value};
    pthread_mutex_lock(&referee->lock);
    uint32_t i = owner_add(args->hDevice, NULL, flags.SystemDevice, false);
    if (flags.SystemDevice)
        process_creating(true);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = behind.DxgkDdiCreateDevice(adapter, args);
    pthread_mutex_lock(&referee->lock);
    if (flags.SystemDevice)
        process_creating(false);
    owner_settle(i, status, args->hDevice);
    pthread_mutex_unlock(&referee->lock);
    return status;
}

static NTSTATUS APIENTRY see_CreateContext(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    pthread_mutex_lock(&referee->lock);
    uint32_t i = owner_add(args->hContext, device, args->Flags.SystemContext, true);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = behind.DxgkDdiCreateContext(device, args);
    pthread_mutex_lock(&referee->lock);
    owner_settle(i, status, args->hContext);
    pthread_mutex_unlock(&referee->lock);
    return status;
}

static NTSTATUS APIENTRY see_DestroyDevice(const HANDLE device) {
    pthread_mutex_lock(&referee->lock);
    owner_remove(device, false);
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiDestroyDevice(device);
}

static NTSTATUS APIENTRY see_DestroyContext(const HANDLE context) {
    pthread_mutex_lock(&referee->lock);
    owner_remove(context, true);
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiDestroyContext(context);
}

/* ---- Creating -------------------------------------------------------------------------------- */

static void judge_create(const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    bool shared = args->ContextAllocationFlags.SharedAcrossContexts;
    uint32_t i = owner_find(shared ? args->hDevice : args->hContext);
    if (shared)
        DRIVER_MUST(344, !args->hContext, "hContext NULL with SharedAcrossContexts",
                    "hContext is %p", args->hContext);
    if (i != OWNERS && owner[i].system)
        DRIVER_MUST(343, !owner[i].of_system, "a context or device of an application",
                    "it was asked for one of the system's own");
}

static void note_made(const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    bool shared = args->ContextAllocationFlags.SharedAcrossContexts;
    for (uint32_t i = 0; args->hDriverAllocation && i < ALLOCATIONS; i++) {
        if (made[i].driver)
            continue;
        made[i].driver = args->hDriverAllocation;
        made[i].system = args->hAllocation;
        made[i].bytes = args->Size;
        made[i].mapped = 0;
        made[i].owner = shared ? args->hDevice : args->hContext;
        return;
    }
}

static NTSTATUS APIENTRY see_CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    judge_create(args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = callbacks_behind.DxgkCbCreateContextAllocation(args);
    pthread_mutex_lock(&referee->lock);
    if (status == STATUS_SUCCESS)
        note_made(args);
    pthread_mutex_unlock(&referee->lock);
    return status;
}

static uint32_t made_find(HANDLE system) {
    uint32_t i = 0;
    while (i < ALLOCATIONS && (!made[i].driver || made[i].system != system))
        i++;
    return i;
}

uint64_t context_allocation_size(HANDLE system) {
    uint32_t i = made_find(system);
    return i != ALLOCATIONS ? made[i].bytes : 0;
}

static D3DGPU_VIRTUAL_ADDRESS APIENTRY
see_MapContextAllocation(const HANDLE adapter, const DXGKARGCB_MAPCONTEXTALLOCATION *args) {
    D3DGPU_VIRTUAL_ADDRESS va = callbacks_behind.DxgkCbMapContextAllocation(adapter, args);
    pthread_mutex_lock(&referee->lock);
    uint32_t i = made_find(args->hAllocation);
    if (va != 0 && i != ALLOCATIONS) {
        made[i].va = (uint64_t)va;
        made[i].mapped = args->SizeInPages * SHADOW_PAGE;
    }
    pthread_mutex_unlock(&referee->lock);
    return va;
}

/* ---- In place -------------------------------------------------------------------------------- */

/* Where it is after a reset nobody can tell; that it never had a place is sure. */
static void judge_place(HANDLE driver) {
    const struct shadow_object *allocation = shadow_find(SHADOW_ALLOCATION, driver);
    if (allocation && (allocation->placed || !allocation->placed_before))
        MANAGER_MUST(346, allocation->placed,
                     "the context's own allocations resident before its commands run",
                     "one of 0x%llx bytes was never paged in",
                     (unsigned long long)allocation->size);
}

/* With GPU virtual addresses: the driver was told where it is, and its addresses lead there. */
static void judge_reach(uint32_t i, const struct tables_process *process) {
    const struct shadow_object *allocation = shadow_find(SHADOW_ALLOCATION, made[i].driver);
    const DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 *flags =
        allocation ? &allocation->info.FlagsWddm2 : NULL;
    if (flags && flags->ExplicitResidencyNotification && flags->AccessedPhysically)
        MANAGER_MUST(346, allocation->notified,
                     "the context's own allocations resident before its commands run",
                     "the driver was not told that one of 0x%llx bytes is", LLU(made[i].bytes));
    for (uint64_t at = 0; process && at < made[i].mapped; at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(process, made[i].va + at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        MANAGER_MUST(346, found.valid,
                     "the context's own allocations resident before its commands run",
                     "0x%llx, which one is mapped to, leads nowhere", LLU(made[i].va + at));
    }
}

static bool needs(uint32_t i, uint32_t context, uint32_t device) {
    return made[i].driver && (made[i].owner == owner[context].system ||
                              (device != OWNERS && made[i].owner == owner[device].system));
}

/* Context `one` keeps something in allocation `i`. */
static bool keeps(uint32_t one, uint32_t i) {
    return one != OWNERS && needs(i, one, owner_of_driver(owner[one].device, false));
}

static void judge_submission(HANDLE context, bool virtual) {
    const struct tables_process *process = tables_process_of(shadow_find(SHADOW_CONTEXT, context));
    uint32_t one = owner_of_driver(context, true);
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        if (!keeps(one, i))
            continue;
        if (virtual)
            judge_reach(i, process);
        else
            judge_place(made[i].driver);
    }
}

/* Work that names no context and is neither paging nor a switch leaves the GPU as it was. */
static void note_running(const DXGKARG_SUBMITCOMMAND *args) {
    bool empty = args->DmaBufferSubmissionStartOffset == args->DmaBufferSubmissionEndOffset;
    if (args->Flags.ContextSwitch)
        MANAGER_MUST(283, empty, "a buffer of length zero with ContextSwitch", "it has %u bytes",
                     args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset);
    if (args->NodeOrdinal < SHADOW_NODES &&
        (args->Flags.ContextSwitch || args->Flags.Paging || args->hContext))
        running[args->NodeOrdinal] = args->Flags.ContextSwitch ? NULL : args->hContext;
}

static NTSTATUS APIENTRY see_SubmitCommand(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *args) {
    pthread_mutex_lock(&referee->lock);
    if (!args->Flags.Paging)
        judge_submission(args->hContext, false);
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        note_running(args);
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY see_SubmitCommandVirtual(const HANDLE adapter,
                                                  const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    pthread_mutex_lock(&referee->lock);
    if (!args->Flags.Paging && tables_mmu.known)
        judge_submission(args->hContext, true);
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiSubmitCommandVirtual(adapter, args);
}

/* ---- Leaving --------------------------------------------------------------------------------- */

/* What a paging operation takes out of its place, or NULL. */
static HANDLE leaving(const DXGKARG_BUILDPAGINGBUFFER *args) {
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

static void judge_leaving(HANDLE allocation) {
    uint32_t i = 0;
    while (i < ALLOCATIONS && made[i].driver != allocation)
        i++;
    for (uint32_t node = 0; i < ALLOCATIONS && node < SHADOW_NODES; node++) {
        bool held = running[node] && keeps(owner_of_driver(running[node], true), i);
        MANAGER_MUST(283, !held,
                     "a switch to no context before what the running one keeps is moved",
                     "0x%llx bytes of the context that node %u ran last are moved",
                     LLU(made[i].bytes), node);
    }
}

/* What was on an engine is gone. */
static NTSTATUS APIENTRY see_ResetFromTimeout(const HANDLE adapter) {
    pthread_mutex_lock(&referee->lock);
    memset(running, 0, sizeof(running));
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS APIENTRY see_ResetEngine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    pthread_mutex_lock(&referee->lock);
    if (args->NodeOrdinal < SHADOW_NODES)
        running[args->NodeOrdinal] = NULL;
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiResetEngine(adapter, args);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static void judge_init(const DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct shadow_object *allocation =
        shadow_find(SHADOW_ALLOCATION, args->InitContextResource.hAllocation);
    if (!allocation)
        return;
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    bool mapped = flags.CpuVisible && flags.Protected &&
                  (allocation->write_set & ~allocation_apertures()) == 0;
    bool given = args->InitContextResource.Destination.VirtualAddress;
    MANAGER_MUST(345, given == mapped,
                 "VirtualAddress for an allocation with CpuVisible and Protected in apertures "
                 "only, NULL for all others",
                 "VirtualAddress is %p, flags are 0x%x, segments 0x%x",
                 args->InitContextResource.Destination.VirtualAddress, flags.Value,
                 allocation->write_set);
}

static NTSTATUS APIENTRY see_BuildPagingBuffer(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *args) {
    pthread_mutex_lock(&referee->lock);
    if (args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE)
        judge_init(args);
    HANDLE allocation = leaving(args);
    if (allocation)
        judge_leaving(allocation);
    pthread_mutex_unlock(&referee->lock);
    return behind.DxgkDdiBuildPagingBuffer(adapter, args);
}

void referee_watch_context_allocations(DRIVER_INITIALIZATION_DATA *table) {
    behind = *table;
    memset(owner, 0, sizeof(owner));
    memset(made, 0, sizeof(made));
    memset(running, 0, sizeof(running));
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

static NTSTATUS APIENTRY see_DestroyContextAllocation(const HANDLE adapter,
                                                      const HANDLE allocation) {
    NTSTATUS status = callbacks_behind.DxgkCbDestroyContextAllocation(adapter, allocation);
    pthread_mutex_lock(&referee->lock);
    for (uint32_t i = 0; i < ALLOCATIONS; i++)
        if (made[i].driver && !shadow_find(SHADOW_ALLOCATION, made[i].driver))
            made[i].driver = NULL;
    pthread_mutex_unlock(&referee->lock);
    return status;
}

void referee_watch_context_callbacks(DXGKRNL_INTERFACE *callbacks) {
    callbacks_behind = *callbacks;
    callbacks->DxgkCbCreateContextAllocation = see_CreateContextAllocation;
    callbacks->DxgkCbDestroyContextAllocation = see_DestroyContextAllocation;
    callbacks->DxgkCbMapContextAllocation = see_MapContextAllocation;
}
