/*
 * lent.c - structures of calls that the driver gets a copy of, which is gone when it returns (state/answers.h). What
 * watches a call gives its own structure, and none of it sees the copies.
 */
#include "watch/watch.h"

/* The driver has the second argument until it returns. */
#define LENT_ALSO(name, handle, argument, is_constant, is_wanted)                                  \
    static NTSTATUS watch_##name(struct vidmm_referee *referee, handle first, argument second) {   \
        struct lent lent = {                                                                       \
            .call = "DxgkDdi" #name, .constant = (is_constant), .wanted = (is_wanted)};            \
        void *copy = lent_begin(referee, &lent, ANSWERS_FUNCTION(DxgkDdi##name),                   \
                                (void *)(uintptr_t)second, sizeof(*second));                       \
        NTSTATUS status = referee->driver.DxgkDdi##name(first, copy);                              \
        lent_end(referee, &lent);                                                                  \
        return status;                                                                             \
    }                                                                                              \
    WATCHED_2(NTSTATUS, name, handle, argument)
#define LENT(name, handle, argument, is_constant)                                                  \
    LENT_ALSO(name, handle, argument, is_constant, false)
#define LENT_CONST(name, argument) LENT(name, const HANDLE, const argument *, true)
/* Of work, which the scheduler submits from one thread at a time. */
#define LENT_WORK(name, argument)                                                                  \
    LENT_ALSO(name, const HANDLE, const argument *, true, referee->submissions.lent)
#define LENT_OPEN(name, argument) LENT(name, const HANDLE, argument *, false)

LENT_CONST(QueryAdapterInfo, DXGKARG_QUERYADAPTERINFO)
LENT_CONST(DestroyAllocation, DXGKARG_DESTROYALLOCATION)
LENT_CONST(OpenAllocation, DXGKARG_OPENALLOCATION)
LENT_CONST(CloseAllocation, DXGKARG_CLOSEALLOCATION)
LENT_CONST(Patch, DXGKARG_PATCH)
LENT_WORK(SubmitCommand, DXGKARG_SUBMITCOMMAND)
LENT_WORK(SubmitCommandVirtual, DXGKARG_SUBMITCOMMANDVIRTUAL)
LENT_CONST(PreemptCommand, DXGKARG_PREEMPTCOMMAND)
LENT_CONST(CancelCommand, DXGKARG_CANCELCOMMAND)
LENT_CONST(Escape, DXGKARG_ESCAPE)
LENT_CONST(CollectDbgInfo, DXGKARG_COLLECTDBGINFO)
LENT_CONST(MapCpuHostAperture, DXGKARG_MAPCPUHOSTAPERTURE)
LENT_CONST(UnmapCpuHostAperture, DXGKARG_UNMAPCPUHOSTAPERTURE)
LENT_CONST(ReleaseSwizzlingRange, DXGKARG_RELEASESWIZZLINGRANGE)
LENT_CONST(ValidateUpdateAllocationProperty, DXGKARG_VALIDATEUPDATEALLOCPROPERTY)
LENT_OPEN(CreateAllocation, DXGKARG_CREATEALLOCATION)
LENT_OPEN(AcquireSwizzlingRange, DXGKARG_ACQUIRESWIZZLINGRANGE)
LENT_OPEN(BuildPagingBuffer, DXGKARG_BUILDPAGINGBUFFER)
LENT_OPEN(Render, DXGKARG_RENDER)
LENT_OPEN(RenderKm, DXGKARG_RENDER)
LENT_OPEN(Present, DXGKARG_PRESENT)
LENT_OPEN(QueryDependentEngineGroup, DXGKARG_QUERYDEPENDENTENGINEGROUP)
LENT_OPEN(QueryEngineStatus, DXGKARG_QUERYENGINESTATUS)
LENT_OPEN(ResetEngine, DXGKARG_RESETENGINE)
LENT_OPEN(QueryDirtyBitData, DXGKARG_QUERYDIRTYBITDATA)

/* Of no status. */
static VOID watch_SetRootPageTable(struct vidmm_referee *referee, const HANDLE adapter,
                                   const DXGKARG_SETROOTPAGETABLE *args) {
    struct lent lent = {.call = "DxgkDdiSetRootPageTable", .constant = true};
    void *copy = lent_begin(referee, &lent, ANSWERS_FUNCTION(DxgkDdiSetRootPageTable),
                            (void *)(uintptr_t)args, sizeof(*args));
    referee->driver.DxgkDdiSetRootPageTable(adapter, copy);
    lent_end(referee, &lent);
}
WATCHED_2(VOID, SetRootPageTable, const HANDLE, const DXGKARG_SETROOTPAGETABLE *)

void referee_watch_lent(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, QueryAdapterInfo);
    WATCH(table, DestroyAllocation);
    WATCH(table, OpenAllocation);
    WATCH(table, CloseAllocation);
    WATCH(table, Patch);
    WATCH(table, SubmitCommand);
    WATCH(table, SubmitCommandVirtual);
    WATCH(table, PreemptCommand);
    WATCH(table, CancelCommand);
    WATCH(table, Escape);
    WATCH(table, CollectDbgInfo);
    WATCH(table, MapCpuHostAperture);
    WATCH(table, UnmapCpuHostAperture);
    WATCH(table, ReleaseSwizzlingRange);
    WATCH(table, ValidateUpdateAllocationProperty);
    WATCH(table, CreateAllocation);
    WATCH(table, AcquireSwizzlingRange);
    WATCH(table, BuildPagingBuffer);
    WATCH(table, Render);
    WATCH(table, RenderKm);
    WATCH(table, Present);
    WATCH(table, QueryDependentEngineGroup);
    WATCH(table, QueryEngineStatus);
    WATCH(table, ResetEngine);
    WATCH(table, QueryDirtyBitData);
    WATCH(table, SetRootPageTable);
}
