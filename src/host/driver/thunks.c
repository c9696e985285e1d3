/*
 * thunks.c - see thunks.h.
 *
 * hAdapter passes unchanged: it is the driver's own MiniportDeviceContext, as it is for the real
 * port driver, so slots that the manager never calls need no thunk and stay the driver's.
 */
#include "driver/thunks.h"

#include "driver/calls.h"
#include "kernel/irql.h"
#include "world.h"

#include <stddef.h>

#define SLOT(name)                                                                                 \
    ((uint32_t)((offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name) - sizeof(uint64_t)) /         \
                sizeof(void *)))

/* Calls that make or end something, and tell where a root table is: the driver may ask the memory
 * manager for more while it answers them. All others it answers on its own. */
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

static inline struct host_call begin(uint32_t slot, KIRQL level, const char *name) {
    struct host_call call = {.hash = slot + 1,
                             .old = host_self.irql,
                             .level = level,
                             .old_called = host_self.called,
                             .old_locked = host_self.locked};
    host_self.called = true;
    host_self.locked = !may_ask(slot);
    if (call.old > level) {
        host_violation("DxgkDdi%s is called at IRQL %u; its page says %u", name, call.old, level);
        call.level = call.old;
    }
    host_self.irql = call.level;
    return call;
}

static void bad_irql(const struct host_call *call, const char *name) {
    host_violation("DxgkDdi%s was called at IRQL %u and returned at IRQL %u", name, call->level,
                   host_self.irql);
    host_self.irql = call->level;
}

static void trace(const struct host_call *call, const char *name, uint64_t answer, uint64_t nth) {
    host_log("%llu %s at IRQL %u: 0x%llx, hash %016llx\n", (unsigned long long)nth, name,
             call->level, (unsigned long long)answer, (unsigned long long)call->hash);
}

/* Which call of its kind it is. */
static inline uint64_t tally(struct host_tally *tally, uint64_t hash) {
    uint64_t nth = atomic_fetch_add_explicit(&tally->calls, 1, memory_order_relaxed) + 1;
    uint64_t old = atomic_load_explicit(&tally->hash, memory_order_relaxed), mixed;
    do
        mixed = (old ^ hash) * 0x9fb21c651e98df25u;
    while (!atomic_compare_exchange_weak_explicit(&tally->hash, &old, mixed ^ mixed >> 29,
                                                  memory_order_relaxed, memory_order_relaxed));
    return nth;
}

/* The hash of the run changes in the order in which calls return. */
static inline void end(struct host_call *call, const char *name, uint64_t answer) {
    struct host_thunks *thunks = &host_world->thunks;
    host_mix(call, answer);
    host_self.called = call->old_called;
    host_self.locked = call->old_locked;
    uint64_t nth =
        tally(atomic_load_explicit(&thunks->unhashed, memory_order_relaxed) ? &thunks->beside
                                                                            : &thunks->run,
              call->hash);
    if (host_self.irql != call->level)
        bad_irql(call, name);
    if (host_world->config.trace_calls)
        trace(call, name, answer, nth);
    if (call->level != call->old)
        host_irql_lower(call->old);
}

uint32_t host_thunks_fence(uint32_t node, uint32_t fence) {
    struct host_thunks *thunks = &host_world->thunks;
    bool known =
        node < HOST_NODES && !atomic_load_explicit(&thunks->unhashed, memory_order_relaxed);
    return fence - (known ? atomic_load_explicit(&thunks->skipped[node], memory_order_relaxed) : 0);
}

/* Work is submitted to `node`: later fences of it are one higher. */
static void skip(uint32_t node) {
    struct host_thunks *thunks = &host_world->thunks;
    if (node < HOST_NODES && atomic_load_explicit(&thunks->unhashed, memory_order_relaxed))
        atomic_fetch_add_explicit(&thunks->skipped[node], 1, memory_order_relaxed);
}

/* A slot with a handle and one argument; IN and OUT say what of the argument is hashed. */
#define THUNK(name, type, level, in, out)                                                          \
    static NTSTATUS APIENTRY thunk_##name(const HANDLE handle, type *args) {                       \
        struct host_call call = begin(SLOT(name), level, #name);                                   \
        struct host_call *c = &call;                                                               \
        type *a = args;                                                                            \
        (void)a;                                                                                   \
        in;                                                                                        \
        NTSTATUS status = host_world->device.ddi.DxgkDdi##name(handle, args);                      \
        out;                                                                                       \
        end(c, #name, (uint32_t)status);                                                           \
        return status;                                                                             \
    }

/* A slot with a handle alone. */
#define THUNK_PLAIN(name)                                                                          \
    static NTSTATUS APIENTRY thunk_##name(const HANDLE handle) {                                   \
        struct host_call call = begin(SLOT(name), PASSIVE_LEVEL, #name);                           \
        NTSTATUS status = host_world->device.ddi.DxgkDdi##name(handle);                            \
        end(&call, #name, (uint32_t)status);                                                       \
        return status;                                                                             \
    }

#define NOTHING ((void)0)

/* Levels: nc-d3dkmddi-dxgkddi_*.md, "req.irql". SubmitCommandVirtual's is taken to be
 * SubmitCommand's. */
THUNK(QueryAdapterInfo, const DXGKARG_QUERYADAPTERINFO, PASSIVE_LEVEL, host_in_query(c, a),
      host_device_learn(a, status))
THUNK(CreateDevice, DXGKARG_CREATEDEVICE, PASSIVE_LEVEL, host_mix(c, a->Flags.Value), NOTHING)
THUNK_PLAIN(DestroyDevice)
THUNK(CreateContext, DXGKARG_CREATECONTEXT, PASSIVE_LEVEL,
      (host_mix2(c, a->NodeOrdinal, a->EngineAffinity),
       host_mix2(c, a->Flags.Value, a->PrivateDriverDataSize)),
      (host_mix2(c, a->ContextInfo.DmaBufferSize, a->ContextInfo.DmaBufferSegmentSet),
       host_mix2(c, a->ContextInfo.AllocationListSize, a->ContextInfo.PatchLocationListSize),
       host_mix(c, a->ContextInfo.DmaBufferPrivateDataSize)))
THUNK_PLAIN(DestroyContext)
THUNK(CreateAllocation, DXGKARG_CREATEALLOCATION, PASSIVE_LEVEL, host_in_create_allocation(c, a),
      host_out_create_allocation(c, a))
THUNK(DestroyAllocation, const DXGKARG_DESTROYALLOCATION, PASSIVE_LEVEL,
      host_mix2(c, a->NumAllocations, a->Flags.Value), NOTHING)
THUNK(DescribeAllocation, DXGKARG_DESCRIBEALLOCATION, PASSIVE_LEVEL, NOTHING,
      host_mix2(c, a->Width, a->Height))
THUNK(GetStandardAllocationDriverData, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, PASSIVE_LEVEL,
      host_mix(c, (uint32_t)a->StandardAllocationType),
      host_mix2(c, a->AllocationPrivateDriverDataSize, a->ResourcePrivateDriverDataSize))
THUNK(OpenAllocation, const DXGKARG_OPENALLOCATION, PASSIVE_LEVEL,
      host_mix2(c, a->NumAllocations, a->Flags.Value), NOTHING)
THUNK(CloseAllocation, const DXGKARG_CLOSEALLOCATION, PASSIVE_LEVEL, host_mix(c, a->NumAllocations),
      NOTHING)
THUNK(AcquireSwizzlingRange, DXGKARG_ACQUIRESWIZZLINGRANGE, PASSIVE_LEVEL,
      (host_mix2(c, a->RangeId, a->SegmentId), host_mix(c, a->PrivateDriverData)),
      (host_mix(c, a->RangeSize), host_mix(c, (uint64_t)a->CPUTranslatedAddress.QuadPart)))
THUNK(ReleaseSwizzlingRange, const DXGKARG_RELEASESWIZZLINGRANGE, PASSIVE_LEVEL,
      host_mix2(c, a->RangeId, a->PrivateDriverData), NOTHING)
THUNK(BuildPagingBuffer, DXGKARG_BUILDPAGINGBUFFER, PASSIVE_LEVEL, host_in_paging(c, a),
      host_out_paging(c, a))
THUNK(Render, DXGKARG_RENDER, PASSIVE_LEVEL, host_in_render(c, a), host_out_render(c, a))
THUNK(RenderKm, DXGKARG_RENDER, PASSIVE_LEVEL, host_in_render(c, a), host_out_render(c, a))
THUNK(Present, DXGKARG_PRESENT, PASSIVE_LEVEL, host_mix2(c, a->Flags.Value, a->DmaSize), NOTHING)
THUNK(Patch, const DXGKARG_PATCH, PASSIVE_LEVEL, host_in_patch(c, a), NOTHING)
THUNK(SubmitCommand, const DXGKARG_SUBMITCOMMAND, DISPATCH_LEVEL,
      (host_in_submit(c, a), skip(a->NodeOrdinal)), NOTHING)
THUNK(SubmitCommandVirtual, const DXGKARG_SUBMITCOMMANDVIRTUAL, DISPATCH_LEVEL,
      (host_in_submit_virtual(c, a), skip(a->NodeOrdinal)), NOTHING)
THUNK(PreemptCommand, const DXGKARG_PREEMPTCOMMAND, DISPATCH_LEVEL,
      (host_mix(c, host_thunks_fence(a->NodeOrdinal, a->PreemptionFenceId)),
       host_mix2(c, a->NodeOrdinal, a->EngineOrdinal)),
      NOTHING)
THUNK(CancelCommand, const DXGKARG_CANCELCOMMAND, PASSIVE_LEVEL,
      host_mix2(c, a->DmaBufferSubmissionStartOffset, a->DmaBufferSubmissionEndOffset), NOTHING)
THUNK(QueryCurrentFence, DXGKARG_QUERYCURRENTFENCE, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal),
      host_mix(c, host_thunks_fence(a->NodeOrdinal, a->CurrentFence)))
THUNK(QueryDependentEngineGroup, DXGKARG_QUERYDEPENDENTENGINEGROUP, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal), host_mix(c, a->DependentNodeOrdinalMask))
THUNK(QueryEngineStatus, DXGKARG_QUERYENGINESTATUS, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal), host_mix(c, a->EngineStatus.Value))
THUNK(ResetEngine, DXGKARG_RESETENGINE, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal),
      host_mix(c, host_thunks_fence(a->NodeOrdinal, a->LastAbortedFenceId)))
THUNK_PLAIN(ResetFromTimeout)
THUNK_PLAIN(RestartFromTimeout)
THUNK(Escape, const DXGKARG_ESCAPE, PASSIVE_LEVEL,
      host_mix2(c, a->Flags.Value, a->PrivateDriverDataSize), NOTHING)
THUNK(CollectDbgInfo, const DXGKARG_COLLECTDBGINFO, PASSIVE_LEVEL, host_mix(c, a->Reason), NOTHING)
THUNK(CreateProcess, DXGKARG_CREATEPROCESS, PASSIVE_LEVEL, host_mix(c, a->Flags.Value), NOTHING)
THUNK(MapCpuHostAperture, const DXGKARG_MAPCPUHOSTAPERTURE, PASSIVE_LEVEL,
      (host_mix(c, a->SegmentId), host_mix(c, a->NumberOfPages)), NOTHING)
THUNK(UnmapCpuHostAperture, const DXGKARG_UNMAPCPUHOSTAPERTURE, PASSIVE_LEVEL,
      (host_mix(c, a->SegmentId), host_mix(c, a->NumberOfPages)), NOTHING)
THUNK(ValidateUpdateAllocationProperty, DXGKARG_VALIDATEUPDATEALLOCPROPERTY, PASSIVE_LEVEL,
      (host_mix(c, a->SupportedSegmentSet), host_mix(c, a->PropertyMaskValue)), NOTHING)
THUNK(QueryDirtyBitData, DXGKARG_QUERYDIRTYBITDATA, PASSIVE_LEVEL,
      (host_mix(c, a->SubrangeIndex), host_mix(c, a->SubrangeOffset), host_mix(c, a->SubrangeSize),
       host_mix(c, a->BufferSize), host_mix(c, a->Flags)),
      NOTHING)
THUNK(PrepareLiveMigration, const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION, PASSIVE_LEVEL,
      host_mix2(c, a->vfIndex, (uint32_t)a->MigrationType), NOTHING)
THUNK(SaveImmutableMigrationData, DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA, PASSIVE_LEVEL,
      (host_mix2(c, a->vfIndex, !!a->Data), host_mix(c, *a->DataSize)), host_mix(c, *a->DataSize))
THUNK(SaveMutableMigrationData, DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA, PASSIVE_LEVEL,
      (host_mix2(c, a->vfIndex, !!a->Data), host_mix(c, *a->DataSize)), host_mix(c, *a->DataSize))
THUNK(RestoreImmutableMigrationData, const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA,
      PASSIVE_LEVEL, (host_mix(c, a->vfIndex), host_mix(c, a->DataSize)), NOTHING)
THUNK(RestoreMutableMigrationData, const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA, PASSIVE_LEVEL,
      (host_mix(c, a->vfIndex), host_mix(c, a->DataSize)), NOTHING)
THUNK(WriteVirtualizedInterrupt, const DXGKARG_WRITEVIRTUALIZEDINTERRUPT, PASSIVE_LEVEL,
      (host_mix2(c, a->vfIndex, (uint16_t)a->InterruptTableIndex),
       host_mix(c, a->InterruptTableEntry.MessageAddress),
       host_mix2(c, a->InterruptTableEntry.MessageData, a->InterruptTableEntry.VectorControl)),
      NOTHING)

/* ---- Slots of other shapes --------------------------------------------------------------------
 */

static NTSTATUS APIENTRY thunk_DestroyProcess(const HANDLE handle, const HANDLE process) {
    struct host_call call = begin(SLOT(DestroyProcess), PASSIVE_LEVEL, "DestroyProcess");
    NTSTATUS status = host_world->device.ddi.DxgkDdiDestroyProcess(handle, process);
    end(&call, "DestroyProcess", (uint32_t)status);
    return status;
}

static VOID APIENTRY thunk_SetRootPageTable(const HANDLE handle,
                                            const DXGKARG_SETROOTPAGETABLE *args) {
    struct host_call call = begin(SLOT(SetRootPageTable), PASSIVE_LEVEL, "SetRootPageTable");
    host_mix2(&call, args->Address.SegmentId, args->NumEntries);
    host_mix(&call, args->Address.SegmentOffset);
    host_world->device.ddi.DxgkDdiSetRootPageTable(handle, args);
    end(&call, "SetRootPageTable", 0);
}

static SIZE_T APIENTRY thunk_GetRootPageTableSize(const HANDLE handle,
                                                  DXGKARG_GETROOTPAGETABLESIZE *args) {
    struct host_call call =
        begin(SLOT(GetRootPageTableSize), PASSIVE_LEVEL, "GetRootPageTableSize");
    host_mix(&call, args->NumberOfPte);
    SIZE_T size = host_world->device.ddi.DxgkDdiGetRootPageTableSize(handle, args);
    host_mix(&call, args->NumberOfPte);
    end(&call, "GetRootPageTableSize", size);
    return size;
}

static NTSTATUS APIENTRY thunk_GetNodeMetadata(const HANDLE handle, UINT node,
                                               DXGKARG_GETNODEMETADATA *args) {
    struct host_call call = begin(SLOT(GetNodeMetadata), PASSIVE_LEVEL, "GetNodeMetadata");
    host_mix(&call, node);
    NTSTATUS status = host_world->device.ddi.DxgkDdiGetNodeMetadata(handle, node, args);
    end(&call, "GetNodeMetadata", (uint32_t)status);
    return status;
}

static NTSTATUS APIENTRY thunk_SetPowerState(const PVOID context, ULONG uid,
                                             DEVICE_POWER_STATE state, POWER_ACTION action) {
    struct host_call call = begin(SLOT(SetPowerState), PASSIVE_LEVEL, "SetPowerState");
    host_mix2(&call, (uint32_t)state, (uint32_t)action);
    NTSTATUS status = host_world->device.ddi.DxgkDdiSetPowerState(context, uid, state, action);
    end(&call, "SetPowerState", (uint32_t)status);
    return status;
}

static NTSTATUS APIENTRY thunk_ControlInterrupt(const HANDLE handle, const DXGK_INTERRUPT_TYPE type,
                                                BOOLEAN enable) {
    struct host_call call = begin(SLOT(ControlInterrupt), PASSIVE_LEVEL, "ControlInterrupt");
    host_mix2(&call, (uint32_t)type, enable);
    NTSTATUS status = host_world->device.ddi.DxgkDdiControlInterrupt(handle, type, enable);
    end(&call, "ControlInterrupt", (uint32_t)status);
    return status;
}

static HANDLE APIENTRY thunk_CreateMemoryBasis(const HANDLE handle,
                                               const DXGKARG_CREATEMEMORYBASIS *args) {
    struct host_call call = begin(SLOT(CreateMemoryBasis), PASSIVE_LEVEL, "CreateMemoryBasis");
    host_mix(&call, args->SegmentId);
    for (uint64_t i = 0; i < args->RangeCount; i++) {
        host_mix(&call, args->Ranges[i].SegmentOffset);
        host_mix(&call, args->Ranges[i].SizeInBytes);
    }
    HANDLE basis = host_world->device.ddi.DxgkDdiCreateMemoryBasis(handle, args);
    end(&call, "CreateMemoryBasis", !!basis);
    return basis;
}

/* The dirty-tracking calls that take a basis and nothing else. */
#define THUNK_BASIS(name)                                                                          \
    static NTSTATUS APIENTRY thunk_##name(const HANDLE handle, const HANDLE basis) {               \
        struct host_call call = begin(SLOT(name), PASSIVE_LEVEL, #name);                           \
        NTSTATUS status = host_world->device.ddi.DxgkDdi##name(handle, basis);                     \
        end(&call, #name, (uint32_t)status);                                                       \
        return status;                                                                             \
    }

THUNK_BASIS(DestroyMemoryBasis)
THUNK_BASIS(StartDirtyTracking)
THUNK_BASIS(StopDirtyTracking)

static NTSTATUS APIENTRY thunk_EndLiveMigration(const HANDLE handle, UINT vf) {
    struct host_call call = begin(SLOT(EndLiveMigration), PASSIVE_LEVEL, "EndLiveMigration");
    host_mix(&call, vf);
    NTSTATUS status = host_world->device.ddi.DxgkDdiEndLiveMigration(handle, vf);
    end(&call, "EndLiveMigration", (uint32_t)status);
    return status;
}

#define FOR_EACH_THUNK(X)                                                                          \
    X(QueryAdapterInfo)                                                                            \
    X(CreateDevice)                                                                                \
    X(DestroyDevice)                                                                               \
    X(CreateContext)                                                                               \
    X(DestroyContext)                                                                              \
    X(CreateAllocation)                                                                            \
    X(DestroyAllocation)                                                                           \
    X(DescribeAllocation)                                                                          \
    X(GetStandardAllocationDriverData)                                                             \
    X(OpenAllocation)                                                                              \
    X(CloseAllocation)                                                                             \
    X(AcquireSwizzlingRange)                                                                       \
    X(ReleaseSwizzlingRange)                                                                       \
    X(BuildPagingBuffer)                                                                           \
    X(Render)                                                                                      \
    X(RenderKm)                                                                                    \
    X(Present)                                                                                     \
    X(Patch)                                                                                       \
    X(SubmitCommand)                                                                               \
    X(SubmitCommandVirtual)                                                                        \
    X(PreemptCommand)                                                                              \
    X(CancelCommand)                                                                               \
    X(QueryCurrentFence)                                                                           \
    X(QueryDependentEngineGroup)                                                                   \
    X(QueryEngineStatus)                                                                           \
    X(ResetEngine)                                                                                 \
    X(ResetFromTimeout)                                                                            \
    X(RestartFromTimeout)                                                                          \
    X(Escape)                                                                                      \
    X(CollectDbgInfo)                                                                              \
    X(CreateProcess)                                                                               \
    X(DestroyProcess)                                                                              \
    X(SetRootPageTable)                                                                            \
    X(GetRootPageTableSize)                                                                        \
    X(MapCpuHostAperture)                                                                          \
    X(UnmapCpuHostAperture)                                                                        \
    X(ValidateUpdateAllocationProperty)                                                            \
    X(GetNodeMetadata)                                                                             \
    X(SetPowerState)                                                                               \
    X(ControlInterrupt)                                                                            \
    X(CreateMemoryBasis)                                                                           \
    X(DestroyMemoryBasis)                                                                          \
    X(StartDirtyTracking)                                                                          \
    X(StopDirtyTracking)                                                                           \
    X(QueryDirtyBitData)                                                                           \
    X(PrepareLiveMigration)                                                                        \
    X(SaveImmutableMigrationData)                                                                  \
    X(SaveMutableMigrationData)                                                                    \
    X(EndLiveMigration)                                                                            \
    X(RestoreImmutableMigrationData)                                                               \
    X(RestoreMutableMigrationData)                                                                 \
    X(WriteVirtualizedInterrupt)

void host_thunks_build(struct host_thunks *thunks, const DRIVER_INITIALIZATION_DATA *driver) {
    thunks->table = *driver;
#define FILL(name)                                                                                 \
    if (driver->DxgkDdi##name != NULL)                                                             \
        thunks->table.DxgkDdi##name = thunk_##name;
    FOR_EACH_THUNK(FILL)
#undef FILL
}

const DRIVER_INITIALIZATION_DATA *vidmm_host_ddi(struct vidmm_host *host) {
    return &host->thunks.table;
}

HANDLE vidmm_host_adapter(struct vidmm_host *host) {
    return host->device.context;
}

uint64_t vidmm_host_calls_hash(struct vidmm_host *host) {
    return atomic_load(&host->thunks.run.hash);
}

uint64_t vidmm_host_calls(struct vidmm_host *host) {
    return atomic_load(&host->thunks.run.calls);
}

void vidmm_host_unhashed(struct vidmm_host *host, bool unhashed) {
    atomic_store(&host->thunks.unhashed, unhashed);
}

uint64_t vidmm_host_unhashed_hash(struct vidmm_host *host) {
    return atomic_load(&host->thunks.beside.hash);
}

uint64_t vidmm_host_unhashed_calls(struct vidmm_host *host) {
    return atomic_load(&host->thunks.beside.calls);
}
