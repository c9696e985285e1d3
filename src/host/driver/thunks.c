/*
 * thunks.c - see thunks.h.
 *
 * hAdapter passes unchanged: it is the driver's own MiniportDeviceContext, as it is for the real
 * port driver, so slots that the manager never calls need no thunk and stay the driver's.
 */
#include "driver/thunks.h"

#include "base/thread.h"
#include "base/world.h"
#include "driver/calls.h"
#include "driver/display.h"
#include "driver/device.h"
#include "driver/driver.h"
#include "driver/tally.h"
#include "kernel/interrupt.h"
#include "kernel/irql.h"
#include "kernel/kernel_stack.h"

#include <stddef.h>
#include <string.h>

#include <vidmm/statuses.h>

#define SLOT(name)                                                                                 \
    ((uint32_t)((offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name) - sizeof(uint64_t)) /         \
                sizeof(void *)))

/* Calls that create or destroy an object or set a root table: during these the driver may call the
 * memory manager. During all others the memory manager is locked. */
static bool may_ask(uint32_t slot) {
    switch (slot) {
    case SLOT(CreateDevice):
    case SLOT(DestroyDevice):
    case SLOT(CreateContext):
    case SLOT(DestroyContext):
    case SLOT(CreateProcess):
    case SLOT(DestroyProcess):
    case SLOT(CreateAllocation):
    case SLOT(DestroyAllocation):
    case SLOT(OpenAllocation):
    case SLOT(CloseAllocation):
    case SLOT(ValidateUpdateAllocationProperty):
    case SLOT(Render):
    case SLOT(SetRootPageTable):
        return true;
    default:
        return false;
    }
}

/* The name that a function has in the table; host_self has it without the prefix. */
#define FULL(name) "DxgkDdi" #name
#define PREFIX     (sizeof("DxgkDdi") - 1)

static inline struct host_call thunk_begin(uint32_t slot, KIRQL level, const char *full,
                                           HANDLE handle, const void *args) {
    const char *name = full + PREFIX;
    struct host_call call = {
        .hash = slot + 1,
        .old = host_self.irql,
        .level = level,
        .old_called = host_self.called,
        .old_regions = host_self.critical + host_self.guarded,
        .old_call = host_self.call,
        .old_locked = host_self.locked,
        .seen = {.name = full, .counted = true, .handle = handle, .args = args}};
    host_self.called = true;
    host_self.call = name;
    if (host_self.refused && strcmp(host_self.refused_in, name) == 0)
        host_self.refused = NULL;
    host_show_call(name, true);
    host_self.locked = !may_ask(slot);
    if (call.old > level) {
        host_violation("DxgkDdi%s is called at IRQL %u; its page says %u", name, call.old, level);
        call.level = call.old;
    }
    host_irql_set(call.level);
    call.seen.irql = call.level;
    return call;
}

/* An argument beside the handle and the structure. */
static inline void thunk_other(struct host_call *call, uint64_t value) {
    call->seen.others[call->seen.other_count++] = value;
}

/* The driver's function is entered next. */
static inline void thunk_enter(struct host_call *call) {
    const struct vidmm_host_watcher *watcher = host_world->config.watcher;
    if (watcher)
        watcher->called(watcher->ctx, &call->seen);
    host_stack_soil();
}

static void thunk_returned(struct host_call *call, uint64_t answer) {
    const struct vidmm_host_watcher *watcher = host_world->config.watcher;
    call->seen.answer = answer;
    watcher->returned(watcher->ctx, &call->seen);
}

static void bad_irql(const struct host_call *call, const char *name) {
    host_violation("DxgkDdi%s was called at IRQL %u and returned at IRQL %u", name, call->level,
                   host_self.irql);
    host_irql_set(call->level);
}

/* Named once: the next call begins without them. */
static void bad_regions(const struct host_call *call, const char *name) {
    host_violation(
        "%s came back with APCs off: KeLeaveCriticalRegion or KeLeaveGuardedRegion is missing",
        name);
    while (host_self.critical + host_self.guarded > call->old_regions) {
        uint32_t *depth = host_self.critical != 0 ? &host_self.critical : &host_self.guarded;
        --*depth;
    }
}

/* What a query is about. */
static void trace_query(const DXGKARG_QUERYADAPTERINFO *args) {
    host_log("  Type %d, InputDataSize %u, OutputDataSize %u\n", (int)args->Type,
             args->InputDataSize, args->OutputDataSize);
}

static void thunk_trace(const struct host_call *call, const char *name, uint64_t answer,
                        uint64_t nth) {
    const char *status = vidmm_status_name((NTSTATUS)answer);
    host_log("%llu %s at IRQL %u: 0x%llx (%s), hash %016llx\n", (unsigned long long)nth, name,
             call->level, (unsigned long long)answer, status ? status : "no status",
             (unsigned long long)call->hash);
    if (strcmp(name, "QueryAdapterInfo") == 0)
        trace_query(call->seen.args);
}

static inline void thunk_end(struct host_call *call, uint64_t answer) {
    const char *name = call->seen.name + PREFIX;
    if (host_world->config.watcher)
        thunk_returned(call, answer);
    host_mix(call, answer);
    host_self.called = call->old_called;
    host_self.call = call->old_call;
    host_show_call(call->old_call, true);
    host_self.locked = call->old_locked;
    uint64_t nth = host_tally_add(call->hash);
    if (host_self.irql != call->level)
        bad_irql(call, name);
    if (host_self.critical + host_self.guarded > call->old_regions)
        bad_regions(call, name);
    if (host_world->config.trace_calls)
        thunk_trace(call, name, answer, nth);
    if (call->level != call->old)
        host_irql_lower(call->old);
}

/* A slot with a handle and one argument; IN and OUT name the hashed members of the argument. */
#define THUNK(name, type, level, in, out)                                                          \
    static NTSTATUS APIENTRY thunk_##name(const HANDLE handle, type *args) {                       \
        struct host_call call = thunk_begin(SLOT(name), level, FULL(name), handle, args);          \
        struct host_call *c = &call;                                                               \
        type *a = args;                                                                            \
        (void)a;                                                                                   \
        in;                                                                                        \
        thunk_enter(c);                                                                            \
        NTSTATUS status = host_world->driver->ddi.DxgkDdi##name(handle, args);                     \
        out;                                                                                       \
        thunk_end(c, (uint32_t)status);                                                            \
        return status;                                                                             \
    }

/* A slot with a handle alone. */
#define THUNK_PLAIN(name)                                                                          \
    static NTSTATUS APIENTRY thunk_##name(const HANDLE handle) {                                   \
        struct host_call call = thunk_begin(SLOT(name), PASSIVE_LEVEL, FULL(name), handle, NULL);  \
        thunk_enter(&call);                                                                        \
        NTSTATUS status = host_world->driver->ddi.DxgkDdi##name(handle);                           \
        thunk_end(&call, (uint32_t)status);                                                        \
        return status;                                                                             \
    }

/* A slot with a handle and the handle of an object. */
#define THUNK_OBJECT(name)                                                                         \
    static NTSTATUS APIENTRY thunk_##name(const HANDLE handle, const HANDLE object) {              \
        struct host_call call = thunk_begin(SLOT(name), PASSIVE_LEVEL, FULL(name), handle, NULL);  \
        thunk_other(&call, (uintptr_t)object);                                                     \
        thunk_enter(&call);                                                                        \
        NTSTATUS status = host_world->driver->ddi.DxgkDdi##name(handle, object);                   \
        thunk_end(&call, (uint32_t)status);                                                        \
        return status;                                                                             \
    }

#define THUNK_OTHER(name) /* written out below */

#define NOTHING ((void)0)

#include "driver/thunk_list.h"
#include "driver/thunk_list_display.h"

/* ---- Slots of other shapes ------------------------------------------------------------------- */

static VOID APIENTRY thunk_SetRootPageTable(const HANDLE handle,
                                            const DXGKARG_SETROOTPAGETABLE *args) {
    struct host_call call =
        thunk_begin(SLOT(SetRootPageTable), PASSIVE_LEVEL, FULL(SetRootPageTable), handle, args);
    host_mix2(&call, args->Address.SegmentId, args->NumEntries);
    host_mix(&call, args->Address.SegmentOffset);
    thunk_enter(&call);
    host_world->driver->ddi.DxgkDdiSetRootPageTable(handle, args);
    thunk_end(&call, 0);
}

static SIZE_T APIENTRY thunk_GetRootPageTableSize(const HANDLE handle,
                                                  DXGKARG_GETROOTPAGETABLESIZE *args) {
    struct host_call call = thunk_begin(SLOT(GetRootPageTableSize), PASSIVE_LEVEL,
                                        FULL(GetRootPageTableSize), handle, args);
    host_mix(&call, args->NumberOfPte);
    thunk_enter(&call);
    SIZE_T size = host_world->driver->ddi.DxgkDdiGetRootPageTableSize(handle, args);
    host_mix(&call, args->NumberOfPte);
    thunk_end(&call, size);
    return size;
}

static NTSTATUS APIENTRY thunk_GetNodeMetadata(const HANDLE handle, UINT node,
                                               DXGKARG_GETNODEMETADATA *args) {
    struct host_call call =
        thunk_begin(SLOT(GetNodeMetadata), PASSIVE_LEVEL, FULL(GetNodeMetadata), handle, args);
    host_mix(&call, node);
    thunk_other(&call, node);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiGetNodeMetadata(handle, node, args);
    thunk_end(&call, (uint32_t)status);
    return status;
}

static NTSTATUS APIENTRY thunk_SetPowerState(const PVOID context, ULONG uid,
                                             DEVICE_POWER_STATE state, POWER_ACTION action) {
    struct host_call call =
        thunk_begin(SLOT(SetPowerState), PASSIVE_LEVEL, FULL(SetPowerState), context, NULL);
    host_mix2(&call, (uint32_t)state, (uint32_t)action);
    thunk_other(&call, uid);
    thunk_other(&call, (uint32_t)state);
    thunk_other(&call, (uint32_t)action);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiSetPowerState(context, uid, state, action);
    thunk_end(&call, (uint32_t)status);
    return status;
}

static NTSTATUS APIENTRY thunk_QueryDeviceDescriptor(const PVOID context, ULONG uid,
                                                     PDXGK_DEVICE_DESCRIPTOR args) {
    struct host_call call = thunk_begin(SLOT(QueryDeviceDescriptor), PASSIVE_LEVEL,
                                        FULL(QueryDeviceDescriptor), context, args);
    host_mix(&call, uid);
    host_mix2(&call, args->DescriptorOffset, args->DescriptorLength);
    thunk_other(&call, uid);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiQueryDeviceDescriptor(context, uid, args);
    thunk_end(&call, (uint32_t)status);
    return status;
}

static NTSTATUS APIENTRY thunk_ControlInterrupt(const HANDLE handle, const DXGK_INTERRUPT_TYPE type,
                                                BOOLEAN enable) {
    struct host_call call =
        thunk_begin(SLOT(ControlInterrupt), PASSIVE_LEVEL, FULL(ControlInterrupt), handle, NULL);
    host_mix2(&call, (uint32_t)type, enable);
    thunk_other(&call, (uint32_t)type);
    thunk_other(&call, enable);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiControlInterrupt(handle, type, enable);
    thunk_end(&call, (uint32_t)status);
    return status;
}

static NTSTATUS APIENTRY thunk_ControlInterrupt2(const HANDLE handle,
                                                 const DXGKARG_CONTROLINTERRUPT2 control) {
    struct host_call call =
        thunk_begin(SLOT(ControlInterrupt2), PASSIVE_LEVEL, FULL(ControlInterrupt2), handle, NULL);
    host_mix2(&call, (uint32_t)control.InterruptType, (uint32_t)control.CrtcVsyncState);
    thunk_other(&call, (uint32_t)control.InterruptType);
    thunk_other(&call, (uint32_t)control.CrtcVsyncState);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiControlInterrupt2(handle, control);
    thunk_end(&call, (uint32_t)status);
    return status;
}

/* nc-d3dkmddi-dxgkddi_setvidpnsourceaddress.md: with FlipOnVSyncMmIo at the device's IRQL, for flips. */
static NTSTATUS APIENTRY thunk_SetVidPnSourceAddress(const HANDLE handle,
                                                     const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    bool flips = !args->Flags.ModeChange && host_world->driver->flips_at_device;
    struct host_interrupt *interrupt = &host_world->interrupt[host_world->board_of[0]];
    KIRQL old = flips ? host_interrupt_lock(interrupt) : PASSIVE_LEVEL;
    struct host_call call =
        thunk_begin(SLOT(SetVidPnSourceAddress), flips ? HOST_DEVICE_IRQL : PASSIVE_LEVEL,
                    FULL(SetVidPnSourceAddress), handle, args);
    host_mix2(&call, args->VidPnSourceId, args->Flags.Value);
    host_mix(&call, (uint64_t)args->PrimaryAddress.QuadPart);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiSetVidPnSourceAddress(handle, args);
    thunk_end(&call, (uint32_t)status);
    if (flips)
        host_interrupt_unlock(interrupt, old);
    return status;
}

static HANDLE APIENTRY thunk_CreateMemoryBasis(const HANDLE handle,
                                               const DXGKARG_CREATEMEMORYBASIS *args) {
    struct host_call call =
        thunk_begin(SLOT(CreateMemoryBasis), PASSIVE_LEVEL, FULL(CreateMemoryBasis), handle, args);
    host_mix(&call, args->SegmentId);
    for (uint64_t i = 0; i < args->RangeCount; i++) {
        host_mix(&call, args->Ranges[i].SegmentOffset);
        host_mix(&call, args->Ranges[i].SizeInBytes);
    }
    thunk_enter(&call);
    HANDLE basis = host_world->driver->ddi.DxgkDdiCreateMemoryBasis(handle, args);
    thunk_end(&call, !!basis);
    return basis;
}

static NTSTATUS APIENTRY thunk_EndLiveMigration(const HANDLE handle, UINT vf) {
    struct host_call call =
        thunk_begin(SLOT(EndLiveMigration), PASSIVE_LEVEL, FULL(EndLiveMigration), handle, NULL);
    host_mix(&call, vf);
    thunk_other(&call, vf);
    thunk_enter(&call);
    NTSTATUS status = host_world->driver->ddi.DxgkDdiEndLiveMigration(handle, vf);
    thunk_end(&call, (uint32_t)status);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

#undef THUNK
#undef THUNK_PLAIN
#undef THUNK_OBJECT
#undef THUNK_OTHER
#define THUNK_OTHER(name)                                                                          \
    if (driver->DxgkDdi##name)                                                                     \
        thunks->table.DxgkDdi##name = thunk_##name;
#define THUNK(name, type, level, in, out) THUNK_OTHER(name)
#define THUNK_PLAIN(name)                 THUNK_OTHER(name)
#define THUNK_OBJECT(name)                THUNK_OTHER(name)

static void thunks_of_displays(struct host_thunks *thunks,
                               const DRIVER_INITIALIZATION_DATA *driver) {
#include "driver/thunk_list_display.h"
}

void host_thunks_build(struct host_thunks *thunks, const DRIVER_INITIALIZATION_DATA *driver) {
    thunks->table = *driver;
#include "driver/thunk_list.h"
    thunks_of_displays(thunks, driver);
}

const DRIVER_INITIALIZATION_DATA *vidmm_host_ddi(struct vidmm_host *host) {
    return &host->thunks->table;
}

HANDLE vidmm_host_adapter(struct vidmm_host *host) {
    return host->device[host->board_of[0]].context;
}
