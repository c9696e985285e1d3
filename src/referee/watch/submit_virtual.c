/*
 * submit_virtual.c - DxgkDdiSubmitCommandVirtual: work that names its commands by GPU virtual
 * address. What is under way is watch/submit.c's; here is judged whose addresses the work uses, and
 * whether they can be used.
 */
#include <stdio.h>
#include <string.h>

#include "work/work.h"
#include "watch/watch.h"

/* The same in the members of the other call, with numbers over all physical adapters. */
static DXGKARG_SUBMITCOMMAND virtual_as_physical(struct vidmm_referee *referee,
                                                 const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    DXGKARG_SUBMITCOMMAND same;
    memset(&same, 0, sizeof(same));
    same.hContext = args->hContext;
    same.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)args->DmaBufferVirtualAddress;
    same.DmaBufferSize = args->DmaBufferSize;
    same.DmaBufferSubmissionEndOffset = args->DmaBufferSize;
    same.pDmaBufferPrivateData = args->pDmaBufferPrivateData;
    same.DmaBufferPrivateDataSize = args->DmaBufferPrivateDataSize;
    same.SubmissionFenceId = args->SubmissionFenceId;
    same.Flags = args->Flags;
    /* EngineOrdinal is reserved in this call: the context tells. */
    same.NodeOrdinal = linked_node(submit_physical(referee, args->hContext, args->EngineOrdinal),
                                   args->NodeOrdinal);
    return same;
}

/* ---- The context ----------------------------------------------------------------------------- */

/* gpu-virtual-address.md: root tables are mirrored, at the same place on each physical adapter. All
 * of them have one system memory, in which two tables are not at one place. */
static void virtual_judge_mirrored(struct vidmm_referee *referee,
                                   const struct shadow_context *context) {
    const struct tables_process *process = tables_process_of(referee, context);
    uint32_t own = linked_own(context->root.SegmentId);
    if (!process || process->system)
        return;
    for (uint32_t i = 0; i < linked_count(referee); i++) {
        const struct tables_process *other =
            tables_process(referee, linked_space(i, linked_space_process(process->handle)));
        if (i == context->physical || !other->rooted || (own == 0 && other->root.SegmentId == 0))
            continue;
        MANAGER_MUST(389,
                     linked_own(other->root.SegmentId) == own &&
                         other->root.SegmentOffset == context->root.SegmentOffset,
                     "a root table at the same place on each physical adapter",
                     "it is at 0x%llx of segment %u, on another one at 0x%llx of segment %u",
                     LLU(context->root.SegmentOffset), context->root.SegmentId,
                     LLU(other->root.SegmentOffset), other->root.SegmentId);
    }
}

static void virtual_judge_root(struct vidmm_referee *referee, const struct shadow_context *context,
                               const struct tables_process *process) {
    MANAGER_MUST(256, context->root_entries != 0,
                 "DxgkDdiSetRootPageTable before the context works",
                 "the context has no root table%s", "");
    if (!process || !process->rooted || context->root_entries == 0)
        return;
    MANAGER_MUST(237, tables_at_root(context, process), "the root table where it is now",
                 "the context has the root at 0x%llx of segment %u, the process at 0x%llx of "
                 "segment %u",
                 LLU(context->root.SegmentOffset), context->root.SegmentId,
                 LLU(process->root.SegmentOffset), process->root.SegmentId);
    virtual_judge_mirrored(referee, context);
}

static void virtual_judge_error(struct vidmm_referee *referee, uint32_t node,
                                const struct shadow_context *context) {
    if (node < SHADOW_NODES)
        MANAGER_MUST(381, !referee->submissions.faulted[node],
                     "a reset of the engine after a page fault, before it works again",
                     "node %u gets work without one", node);
    submit_judge_malformed(referee, context);
    if (context->owner)
        MANAGER_MUST(384, !context->owner->faulted, "no work for a device in error",
                     "a page fault of the device was reported%s", "");
}

/* The commands themselves: of paging they are where the system put them. */
static void virtual_judge_commands(struct vidmm_referee *referee,
                                   const DXGKARG_SUBMITCOMMANDVIRTUAL *args,
                                   const struct tables_process *process) {
    uint64_t start = (uint64_t)args->DmaBufferVirtualAddress;
    for (uint64_t at = start & ~(uint64_t)(SHADOW_PAGE - 1); at < start + args->DmaBufferSize;
         at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(referee, process, at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        MANAGER_MUST(385, found.valid && !found.zero,
                     "a paging buffer at an address of the process that it runs in",
                     "0x%llx leads nowhere there", LLU(at));
        MANAGER_MUST(231, !found.stale, "FLUSH_TLB between an update and the use of its addresses",
                     "the paging buffer's address 0x%llx changed", LLU(at));
    }
}

void submit_judge_buffer(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct tables_process *process =
        tables_process_of(referee, shadow_context(referee, args->hSystemContext));
    const uint8_t *bytes = args->pDmaBuffer;
    uint64_t va = args->DmaBufferGpuVirtualAddress;
    if (!process || !tables_mmu(referee, process->physical)->known || va == 0 || !bytes ||
        args->DmaBufferWriteOffset != 0)
        return;
    for (uint64_t at = 0; at < args->DmaSize; at += SHADOW_PAGE) {
        struct tables_found found;
        tables_walk(referee, process, va + at, TABLES_ASKED, &found);
        if (!found.known)
            return;
        bool leads = found.valid && !found.zero;
        bool there = !leads || found.segment != 0 || !world_is_memory(referee, bytes) ||
                     world_memory(referee, found.offset, 1) == bytes + at;
        MANAGER_MUST(172, leads && there,
                     "where the process of the system context sees the buffer, all of it",
                     "0x%llx, byte 0x%llx of %u, leads %s", LLU(va + at), LLU(at), args->DmaSize,
                     leads ? "elsewhere" : "nowhere");
    }
}

static void virtual_judge_use(struct vidmm_referee *referee, const struct tables_process *process) {
    uint32_t stale = tables_stale(referee, process, TABLES_ASKED);
    MANAGER_MUST(231, stale == 0, "FLUSH_TLB between an update and the use of its addresses",
                 "%u entries of the process changed and were not flushed", stale);
}

static void virtual_judge_submission(struct vidmm_referee *referee,
                                     const DXGKARG_SUBMITCOMMANDVIRTUAL *args, uint32_t node) {
    const struct shadow_context *context = shadow_context(referee, args->hContext);
    const struct tables_process *process = tables_process_of(referee, context);
    bool shared = context && context->owner && context->owner->pasid != 0;
    if (!context || (!tables_known(referee) && !shared))
        return;
    if (!shared) /* behind an IOMMU the page tables are the CPU's (iommu-model.md) */
        virtual_judge_root(referee, context, process);
    MANAGER_MUST(385, context->system == (args->Flags.Paging != 0),
                 "paging in a system context, and nothing else there", "Flags 0x%x in %s context",
                 args->Flags.Value, context->system ? "a system" : "another");
    if (!args->Flags.Paging)
        virtual_judge_error(referee, node, context);
    if (!process)
        return;
    if (args->Flags.Paging)
        virtual_judge_commands(referee, args, process);
    else
        virtual_judge_use(referee, process);
}

/* ---- The call -------------------------------------------------------------------------------- */

/* What the driver may have taken amiss. */
static void virtual_refused_text(const struct shadow_context *context,
                                 const DXGKARG_SUBMITCOMMANDVIRTUAL *args, char *text,
                                 size_t size) {
    snprintf(text, size, "%s without private data, for NodeOrdinal %u and EngineOrdinal %u",
             args->Flags.Paging ? "paging" : "work", args->NodeOrdinal, args->EngineOrdinal);
    size_t used = strlen(text);
    if (context)
        snprintf(text + used, size - used,
                 ", in a context with NodeOrdinal %u and EngineAffinity 0x%x",
                 linked_own(context->node), 1u << context->physical);
}

/* There is no private data that could be malformed, and the commands are not. */
static void virtual_judge_no_private(struct vidmm_referee *referee,
                                     const DXGKARG_SUBMITCOMMANDVIRTUAL *args, NTSTATUS status) {
    const struct shadow_context *context = shadow_context(referee, args->hContext);
    bool refused = status == STATUS_INVALID_PARAMETER;
    bool wants = !referee->submissions.without_private; /* else something else is the reason */
    char text[160] = "";
    if (refused)
        virtual_refused_text(context, args, text, sizeof(text));
    DRIVER_MUST(391, !refused || !wants,
                "private data that is not looked at when it is of no bytes",
                "status STATUS_INVALID_PARAMETER for %s", text);
    if (!wants)
        DRIVER_MUST(279, !refused, "STATUS_SUCCESS for work that is well-formed",
                    "status STATUS_INVALID_PARAMETER for %s", text);
    referee->submissions.without_private |= status == STATUS_SUCCESS;
}

static void virtual_judge_answer(struct vidmm_referee *referee,
                                 const DXGKARG_SUBMITCOMMANDVIRTUAL *args, NTSTATUS status) {
    DRIVER_MUST(279, status == STATUS_SUCCESS || status == STATUS_INVALID_PARAMETER,
                "STATUS_SUCCESS or STATUS_INVALID_PARAMETER", "status 0x%08x", (unsigned)status);
    if (args->DmaBufferPrivateDataSize == 0 && !world_starved(referee))
        virtual_judge_no_private(referee, args, status);
}

static NTSTATUS watch_SubmitCommandVirtual(struct vidmm_referee *referee, const HANDLE handle,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiSubmitCommandVirtual", REFEREE_SCHEDULER);
    reports_drain(referee);
    const DXGKARG_SUBMITCOMMAND same = virtual_as_physical(referee, args);
    virtual_judge_submission(referee, args, same.NodeOrdinal);
    struct shadow_submission *submission = submit_given(referee, &call, &same);
    const struct tables_process *process =
        tables_process_of(referee, shadow_context(referee, args->hContext));
    if (submission) {
        if (!args->Flags.Paging)
            owners_used(referee, same.NodeOrdinal, args->SubmissionFenceId);
        submission->process = process ? process->handle : NULL;
        submission->context = args->Flags.NullRendering ? NULL : args->hContext;
    }
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiSubmitCommandVirtual(handle, args);
    referee_return(referee);
    virtual_judge_answer(referee, args, status);
    const struct shadow_context *context = shadow_context(referee, args->hContext);
    if (status == STATUS_INVALID_PARAMETER && context && context->owner)
        context->owner->refused = true;
    if (status != STATUS_SUCCESS && submission)
        submit_refused(referee, &same, submission);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, SubmitCommandVirtual, const HANDLE, const DXGKARG_SUBMITCOMMANDVIRTUAL *)

void referee_watch_submit_virtual(struct vidmm_referee *referee,
                                  DRIVER_INITIALIZATION_DATA *table) {
    memset(referee->submissions.faulted, 0, sizeof(referee->submissions.faulted));
    WATCH(table, SubmitCommandVirtual);
}
