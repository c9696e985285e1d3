/*
 * process.c - processes, whose addresses the GPU translates, and the root tables of contexts:
 * DxgkDdiCreateProcess, DxgkDdiDestroyProcess, DxgkDdiSetRootPageTable, and the ranges of addresses
 * that a driver reserves for itself (DxgkCbReserveGpuVirtualAddressRange).
 */
#include "state/given.h"
#include "work/work.h"
#include "watch/own_memory.h"
#include "watch/watch.h"

/* ---- Processes ------------------------------------------------------------------------------- */

void process_creating(struct vidmm_referee *referee, bool begins) {
    referee->contexts.creating += begins ? 1 : UINT32_MAX;
}

static const struct given process_given[] = {
    GIVEN(DXGKARG_CREATEPROCESS, hDxgkProcess),
    GIVEN(DXGKARG_CREATEPROCESS, Flags),
    GIVEN(DXGKARG_CREATEPROCESS, NumPasid),
    GIVEN(DXGKARG_CREATEPROCESS, pPasid),
    GIVEN_END,
};

static NTSTATUS watch_CreateProcess(struct vidmm_referee *referee, const HANDLE adapter,
                                    DXGKARG_CREATEPROCESS *args) {
    struct referee_call call;
    const DXGKARG_CREATEPROCESS asked = *args;
    struct guard answer;
    referee_enter(referee, &call, "DxgkDdiCreateProcess", REFEREE_REENTRANT);
    referee->contexts.creating++;
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCreateProcess(adapter, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    referee->contexts.creating--;
    given_judge(referee, process_given, &asked, args);
    if (status == STATUS_SUCCESS) {
        device_judge_handle(referee, SHADOW_PROCESS_HANDLE, args->hKmdProcess);
        (void)tables_process_add(referee, args->hKmdProcess, asked.hDxgkProcess,
                                 asked.Flags.SystemProcess);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CreateProcess, const HANDLE, DXGKARG_CREATEPROCESS *)

/* R235: of the tables of a process that ends, on one physical adapter. */
static uint32_t process_valid_entries(struct vidmm_referee *referee, HANDLE process) {
    uint32_t count = 0;
    const struct tables_table *table = tables_translating(referee, process, 0, UINT64_MAX, NULL);
    for (; table; table = tables_translating(referee, process, 0, UINT64_MAX, table))
        count += tables_valid_entries(table);
    return count;
}

/* Updates and flushes of its tables that the GPU has not done. */
static uint32_t process_under_way(struct vidmm_referee *referee, HANDLE process) {
    const struct shadow_submission *work = submit_next(referee, NULL);
    uint32_t count = 0;
    for (; work; work = submit_next(referee, work)) {
        for (const struct shadow_operation *at = work->operations; at; at = at->next) {
            const DXGKARG_BUILDPAGINGBUFFER *arg = &at->arg;
            count += arg->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                     linked_space_process(arg->UpdatePageTable.hProcess) == process;
            count += arg->Operation == DXGK_OPERATION_FLUSH_TLB &&
                     linked_space_process(arg->FlushTlb.hProcess) == process;
        }
    }
    return count;
}

static void process_judge_flushed(struct vidmm_referee *referee,
                                  const struct tables_process *process) {
    uint32_t stale = process ? tables_stale(referee, process, TABLES_ASKED) : 0;
    uint32_t late = process ? tables_stale(referee, process, TABLES_DONE) : 0;
    MANAGER_MUST(231, stale == 0 && late == 0, "FLUSH_TLB before the page tables go",
                 "%u entries of the process changed and were not flushed%s", stale + late,
                 stale == 0 ? ", for all that the GPU has done" : "");
}

/* It goes, and its tables on one physical adapter with it. */
static void process_judge_tables(struct vidmm_referee *referee, HANDLE space) {
    const struct tables_mmu *mmu = tables_mmu(referee, linked_space_physical(space));
    if (mmu->caps.ExplicitPageTableInvalidation) {
        uint32_t valid = process_valid_entries(referee, space);
        MANAGER_MUST(235, valid == 0, "every entry made invalid before its table is freed",
                     "%u entries of the process are valid", valid);
    }
    process_judge_flushed(referee, tables_process(referee, space));
}

static NTSTATUS watch_DestroyProcess(struct vidmm_referee *referee, const HANDLE adapter,
                                     const HANDLE handle) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiDestroyProcess", REFEREE_REENTRANT);
    reports_drain(referee);
    for (uint32_t physical = 0; physical < linked_count(referee); physical++)
        process_judge_tables(referee, linked_space(physical, handle));
    uint32_t open = process_under_way(referee, handle);
    MANAGER_MUST(231, open == 0, "FLUSH_TLB, and its completion, before the page tables go",
                 "%u updates and flushes of them are under way", open);
    tables_process_remove(referee, handle);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDestroyProcess(adapter, handle);
    referee_return(referee);
    device_judge_ended(referee, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, DestroyProcess, const HANDLE, const HANDLE)

/* ---- Roots ----------------------------------------------------------------------------------- */

static uint32_t process_running(struct vidmm_referee *referee, HANDLE context) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < shadow_node_end(referee); i++) {
        const struct shadow_submission *at = referee->node[i].first;
        for (; at; at = at->next)
            count += at->context == context;
    }
    return count;
}

static bool process_moved(const struct shadow_context *context, D3DGPU_PHYSICAL_ADDRESS place) {
    return context->root.SegmentId != place.SegmentId ||
           context->root.SegmentOffset != place.SegmentOffset;
}

static VOID watch_SetRootPageTable(struct vidmm_referee *referee, const HANDLE adapter,
                                   const DXGKARG_SETROOTPAGETABLE *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiSetRootPageTable", REFEREE_REENTRANT);
    struct shadow_context *context = shadow_context(referee, args->hContext);
    if (context) {
        uint32_t count = process_running(referee, args->hContext);
        D3DGPU_PHYSICAL_ADDRESS place = args->Address;
        place.SegmentId = linked_segment(context->physical, args->Address.SegmentId);
        MANAGER_MUST(256, count == 0, "a context at rest while its root is set",
                     "%u submissions of it are under way", count);
        if (context->system && !tables_companion(referee, context) && context->root_entries != 0)
            MANAGER_MUST(262, !process_moved(context, place),
                         "the paging process's tables where they were",
                         "its root moved to 0x%llx of segment %u", LLU(args->Address.SegmentOffset),
                         args->Address.SegmentId);
        context->root = place;
        context->root_entries = args->NumEntries;
    }
    referee_leave(referee);
    referee->real.DxgkDdiSetRootPageTable(adapter, args);
    referee_return(referee);
    referee_exit(referee, &call);
}
WATCHED_2(VOID, SetRootPageTable, const HANDLE, const DXGKARG_SETROOTPAGETABLE *)

void referee_watch_process(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->contexts.creating = 0;
    WATCH(table, CreateProcess);
    WATCH(table, DestroyProcess);
    WATCH(table, SetRootPageTable);
    mmu_watch(referee, table);
}

/* ---- Addresses that the driver reserves ------------------------------------------------------ */

static void process_judge_reservation(struct vidmm_referee *referee,
                                      const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    DRIVER_MUST(259, referee->contexts.creating != 0,
                "reservations from inside DxgkDdiCreateProcess, or while the system device is made",

                "0x%llx bytes are reserved at another time", LLU(args->SizeInBytes));
    const struct tables_mmu *mmu = tables_mmu(referee, 0);
    if (!mmu->known)
        return;
    uint64_t unit = UINT64_C(1) << tables_shift(mmu, mmu->levels - 1);
    DRIVER_MUST(260,
                args->SizeInBytes != 0 && args->SizeInBytes % unit == 0 &&
                    args->BaseAddress % unit == 0,
                "whole entries of the root, from entry 1 on",
                "0x%llx bytes at 0x%llx, where an entry covers 0x%llx", LLU(args->SizeInBytes),
                LLU(args->BaseAddress), LLU(unit));
}

static NTSTATUS watch_ReserveGpuVirtualAddressRange(struct vidmm_referee *referee,
                                                    const HANDLE adapter,
                                                    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    pthread_mutex_lock(&referee->lock);
    bool inside = referee->contexts.creating != 0;
    process_judge_reservation(referee, args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->callbacks.DxgkCbReserveGpuVirtualAddressRange(adapter, args);
    pthread_mutex_lock(&referee->lock);
    MANAGER_MUST(259, inside || status != STATUS_SUCCESS,
                 "a failure outside of DxgkDdiCreateProcess", "status 0x%08x", (unsigned)status);
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, ReserveGpuVirtualAddressRange, const HANDLE,
          DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *)

void referee_watch_process_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    if (callbacks->DxgkCbReserveGpuVirtualAddressRange)
        WATCH_CALLBACK(callbacks, ReserveGpuVirtualAddressRange);
}
