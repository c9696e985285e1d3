/*
 * page_fault.c - page faults that the driver reported, until the engine is reset.
 */
#include "operation/compare.h"
#include "work/work.h"

/* The "DirectX graphics kernel process handle", as hDxgkProcess is called, and not the driver's own; or NULL. */
static bool fault_names(HANDLE reported, const struct tables_process *process) {
    return !reported || reported == process->name;
}

static void fault_judge_process(struct vidmm_referee *referee, const struct vidmm_interrupt *report,
                                const struct shadow_submission *work) {
    const struct tables_process *process = tables_process(referee, work->process);
    if (process)
        DRIVER_MUST(380, fault_names(report->process, process),
                    "hDxgkProcess of the process whose address it is, or NULL",
                    "FaultedProcessHandle %p is %s", report->process,
                    report->process == linked_space_process(process->handle)
                        ? "the driver's own handle"
                        : "not that of the work");
}

static void fault_judge_address(struct vidmm_referee *referee, const struct vidmm_interrupt *report,
                                const struct shadow_submission *work) {
    const struct tables_process *process = tables_process(referee, work->process);
    const struct shadow_context *context = shadow_context(referee, work->context);
    struct tables_found found;
    if (!process || !context)
        return;
    tables_walk(referee, process, report->address, TABLES_DONE, &found);
    if (!found.known || !found.settled || found.stale || !tables_at_root(context, process))
        return;
    DRIVER_MUST(380, !found.valid || found.zero || found.entry.ReadOnly || found.entry.NoExecute,
                "the address that could not be used",
                "FaultedVirtualAddress 0x%llx leads to memory", LLU(report->address));
    tables_compare_faulted(referee, process, report->address);
}

/* Its commands are in that page; drivers may report no more than the page. */
static bool fault_fetches(const struct shadow_submission *work, uint64_t address) {
    uint64_t page = address & ~(uint64_t)(SHADOW_PAGE - 1);
    uint64_t start = work->address + work->start, end = work->address + work->end;
    return !work->paging && page + SHADOW_PAGE > start && page < end;
}

/* A node begins with its work in the order of submission: commands that lead nowhere fault before those behind them. */
static void fault_judge_fence(struct vidmm_referee *referee, const struct vidmm_interrupt *report,
                              const struct shadow_submission *work) {
    const struct shadow_submission *older = referee->node[report_node(report)].first;
    struct tables_found found;
    for (; older != work; older = older->next) {
        const struct tables_process *process = tables_process(referee, older->process);
        if (!process || !fault_fetches(older, report->address))
            continue;
        tables_walk(referee, process, report->address, TABLES_DONE, &found);
        DRIVER_MUST(380, !found.known || !found.settled || found.stale || found.valid,
                    "the fence of the work that faulted as FaultedFenceId",
                    "FaultedFenceId is %u, and 0x%llx, which leads nowhere, is where the commands "
                    "of the work before it are, with fence %u",
                    work->fence, LLU(report->address), older->fence);
    }
}

/* Behind an IOMMU the mappings are the system's. */
static void fault_judge_shared(struct vidmm_referee *referee, const struct vidmm_interrupt *report,
                               uint32_t pasid) {
    DRIVER_MUST(380, !world_shared(referee, pasid, report->address),
                "the address that could not be used, of the process with PASID of its device",
                "FaultedVirtualAddress 0x%llx leads to memory by PASID %u", LLU(report->address),
                pasid);
}

/* Which of the two maps the virtual addresses of the work. */
static void fault_judge_model(struct vidmm_referee *referee, const struct vidmm_interrupt *report,
                              bool shared) {
    const bool told = (report->flags & DXGK_PAGE_FAULT_IOMMU) != 0;
    DRIVER_MUST(596, told == shared,
                "DXGK_PAGE_FAULT_IOMMU for addresses that an IOMMU maps, and for no others",
                "it is %s of work whose addresses %s maps, PageFaultFlags is 0x%x",
                told ? "set" : "not set", shared ? "the IOMMU" : "the GPU's own MMU",
                report->flags);
}

/* Work of applications has such addresses, or has none. */
static void fault_judge_work(struct vidmm_referee *referee, const struct vidmm_interrupt *report,
                             const struct shadow_submission *work) {
    const struct shadow_context *context = shadow_context(referee, work->context);
    const uint32_t pasid = context && context->owner ? context->owner->pasid : 0;
    fault_judge_process(referee, report, work);
    if (pasid != 0)
        fault_judge_shared(referee, report, pasid);
    if (pasid != 0 || (context && context->root_entries != 0 && !context->system))
        fault_judge_model(referee, report, pasid != 0);
}

/* A fault without a fence needs a reset. */
static void fault_judge_flags(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    const uint32_t reset = DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED |
                           DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                           DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;
    if (report->flags & DXGK_PAGE_FAULT_FENCE_INVALID)
        DRIVER_MUST(380, report->fence == 0 && (report->flags & reset) != 0,
                    "with FENCE_INVALID FaultedFenceId 0, and a flag that asks for a reset",
                    "FaultedFenceId is %u, PageFaultFlags is 0x%x", report->fence, report->flags);
}

void submit_page_faulted(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    struct shadow_node *node = &referee->node[report_node(report)];
    fault_judge_flags(referee, report);
    referee->submissions.faulted[report_node(report)] = true;
    if (report->flags & DXGK_PAGE_FAULT_FENCE_INVALID)
        return;
    const struct shadow_submission *work =
        submit_with_fence(&referee->node[report_node(report)], report->fence);
    if (work)
        fault_judge_work(referee, report, work);
    if (tables_known(referee) && work) {
        fault_judge_fence(referee, report, work);
        fault_judge_address(referee, report, work);
        struct shadow_context *context = shadow_context(referee, work->context);
        if (context && context->owner)
            context->owner->faulted = true;
    }
    submit_faulted(referee, report_node(report), report->fence);
    node->completed = report->fence; /* ne-d3dkmdt-_dxgk_page_fault_flags.md */
    node->reported = true;
}

void submit_node_reset(struct vidmm_referee *referee, uint32_t node) {
    for (uint32_t i = 0; i < SHADOW_NODES; i++)
        referee->submissions.faulted[i] =
            referee->submissions.faulted[i] && node != i && node != UINT32_MAX;
}
