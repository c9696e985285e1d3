/*
 * process.c - processes, whose addresses the GPU translates, and the root tables of contexts:
 * DxgkDdiCreateProcess, DxgkDdiDestroyProcess, DxgkDdiSetRootPageTable, and the ranges of addresses
 * that a driver reserves for itself (DxgkCbReserveGpuVirtualAddressRange).
 */
#include "state/own_memory.h"
#include "state/tables.h"
#include "state/work.h"

/* ---- Processes ------------------------------------------------------------------------------ */

static uint32_t creating; /* calls under way from inside of which ranges may be reserved */

void process_creating(bool begins) {
    creating += begins ? 1 : UINT32_MAX;
}

static NTSTATUS APIENTRY see_CreateProcess(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    struct referee_call call;
    bool system = args->Flags.SystemProcess;
    referee_enter(&call, "DxgkDdiCreateProcess", REFEREE_REENTRANT);
    creating++;
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiCreateProcess(adapter, args);
    referee_return(&call);
    creating--;
    if (status == STATUS_SUCCESS)
        (void)tables_process_add(args->hKmdProcess, args->hDxgkProcess, system);
    referee_exit(&call);
    return status;
}

/* R235: of the tables of a process that ends. */
static uint32_t valid_entries(HANDLE process) {
    uint32_t count = 0;
    for (const struct tables_table *table = tables_each(NULL); table; table = tables_each(table)) {
        for (uint32_t i = 0; table->process == process && i < table->entries * table->kinds; i++) {
            const struct tables_entry *entry = &table->entry[i];
            count += entry->known[TABLES_ASKED] && entry->value[TABLES_ASKED].Valid;
        }
    }
    return count;
}

/* Updates and flushes of its tables that the GPU has not done. */
static uint32_t under_way(HANDLE process) {
    const struct shadow_submission *work = submit_next(NULL);
    uint32_t count = 0;
    for (; work; work = submit_next(work)) {
        for (const struct shadow_operation *at = work->operations; at; at = at->next) {
            const DXGKARG_BUILDPAGINGBUFFER *arg = &at->arg;
            count += arg->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                     arg->UpdatePageTable.hProcess == process;
            count +=
                arg->Operation == DXGK_OPERATION_FLUSH_TLB && arg->FlushTlb.hProcess == process;
        }
    }
    return count;
}

static void judge_flushed(const struct tables_process *process) {
    uint32_t stale = process ? tables_stale(process, TABLES_ASKED) : 0;
    uint32_t late = process ? tables_stale(process, TABLES_DONE) : 0;
    MANAGER_MUST(231, stale == 0 && late == 0, "FLUSH_TLB before the page tables go",
                 "%u entries of the process changed and were not flushed%s", stale + late,
                 stale == 0 ? ", for all that the GPU has done" : "");
}

static NTSTATUS APIENTRY see_DestroyProcess(const HANDLE adapter, const HANDLE handle) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiDestroyProcess", REFEREE_REENTRANT);
    callbacks_drain();
    if (tables_mmu.caps.ExplicitPageTableInvalidation) {
        uint32_t valid = valid_entries(handle);
        MANAGER_MUST(235, valid == 0, "every entry made invalid before its table is freed",
                     "%u entries of the process are valid", valid);
    }
    judge_flushed(tables_process(handle));
    uint32_t open = under_way(handle);
    MANAGER_MUST(231, open == 0, "FLUSH_TLB, and its completion, before the page tables go",
                 "%u updates and flushes of them are under way", open);
    tables_process_remove(handle);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiDestroyProcess(adapter, handle);
    referee_return(&call);
    referee_exit(&call);
    return status;
}

/* ---- Roots ---------------------------------------------------------------------------------- */

static uint32_t running(HANDLE context) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SHADOW_NODES; i++) {
        const struct shadow_submission *at = referee->node[i].first;
        for (; at; at = at->next)
            count += at->context == context;
    }
    return count;
}

static bool moved(const struct shadow_object *context, const DXGKARG_SETROOTPAGETABLE *args) {
    return context->root.SegmentId != args->Address.SegmentId ||
           context->root.SegmentOffset != args->Address.SegmentOffset;
}

static VOID APIENTRY see_SetRootPageTable(const HANDLE adapter,
                                          const DXGKARG_SETROOTPAGETABLE *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiSetRootPageTable", REFEREE_REENTRANT);
    struct shadow_object *context = shadow_find(SHADOW_CONTEXT, args->hContext);
    if (context) {
        uint32_t count = running(args->hContext);
        MANAGER_MUST(256, count == 0, "a context at rest while its root is set",
                     "%u submissions of it are under way", count);
        if (context->system && !tables_companion(context) && context->root_entries != 0)
            MANAGER_MUST(262, !moved(context, args), "the paging process's tables where they were",
                         "its root moved to 0x%llx of segment %u", LLU(args->Address.SegmentOffset),
                         args->Address.SegmentId);
        context->root = args->Address;
        context->root_entries = args->NumEntries;
    }
    referee_leave(&call);
    referee->real.DxgkDdiSetRootPageTable(adapter, args);
    referee_return(&call);
    referee_exit(&call);
}

void referee_watch_process(DRIVER_INITIALIZATION_DATA *table) {
    creating = 0;
    WATCH(table, CreateProcess);
    WATCH(table, DestroyProcess);
    WATCH(table, SetRootPageTable);
    mmu_watch(table);
}

/* ---- Addresses that the driver reserves ----------------------------------------------------- */

static void judge_reservation(const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    DRIVER_MUST(259, creating != 0,
                "reservations from inside DxgkDdiCreateProcess, or while the system device is made",

                "0x%llx bytes are reserved at another time", LLU(args->SizeInBytes));
    if (!tables_mmu.known)
        return;
    uint64_t unit = UINT64_C(1) << tables_shift(tables_mmu.levels - 1);
    DRIVER_MUST(260,
                args->SizeInBytes != 0 && args->SizeInBytes % unit == 0 &&
                    args->BaseAddress % unit == 0,
                "whole entries of the root, from entry 1 on",
                "0x%llx bytes at 0x%llx, where an entry covers 0x%llx", LLU(args->SizeInBytes),
                LLU(args->BaseAddress), LLU(unit));
}

static NTSTATUS APIENTRY see_ReserveGpuVirtualAddressRange(
    const HANDLE adapter, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    pthread_mutex_lock(&referee->lock);
    bool inside = creating != 0;
    judge_reservation(args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->callbacks.DxgkCbReserveGpuVirtualAddressRange(adapter, args);
    pthread_mutex_lock(&referee->lock);
    MANAGER_MUST(259, inside || status != STATUS_SUCCESS,
                 "a failure outside of DxgkDdiCreateProcess", "status 0x%08x", (unsigned)status);
    pthread_mutex_unlock(&referee->lock);
    return status;
}

void process_watch_callbacks(DXGKRNL_INTERFACE *callbacks) {
    if (callbacks->DxgkCbReserveGpuVirtualAddressRange)
        callbacks->DxgkCbReserveGpuVirtualAddressRange = see_ReserveGpuVirtualAddressRange;
}
