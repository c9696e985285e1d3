/*
 * submit.c - DxgkDdiPatch, DxgkDdiSubmitCommand and what is under way on each node. When a
 * fence completes, the paging operations that its submission carried are complete.
 */
#include <stdlib.h>
#include <string.h>

#include "state/hash.h"
#include "operation/operation.h"
#include "work/work.h"
#include "watch/dirty.h"
#include "watch/watch.h"
#include "state/memory.h"

/* ---- Which physical adapter ------------------------------------------------------------------ */

uint32_t submit_physical(struct vidmm_referee *referee, HANDLE handle, uint32_t ordinal) {
    const struct shadow_context *context = shadow_context(referee, handle);
    return context ? context->physical : linked_index(referee, ordinal);
}

/* A node that does not exist is taken for the first. */
static uint32_t submit_known_node(struct vidmm_referee *referee,
                                  const DXGKARG_SUBMITCOMMAND *args) {
    uint32_t physical = linked_physical(args->NodeOrdinal), node = linked_own(args->NodeOrdinal);
    uint32_t nodes = referee->adapter.physical[physical].nodes;
    uint32_t known = nodes != 0 && nodes < SHADOW_ORDINALS ? nodes : SHADOW_ORDINALS;
    return linked_node(physical, node < known ? node : 0);
}

/* The call with numbers over all physical adapters. */
static DXGKARG_SUBMITCOMMAND submit_numbered(struct vidmm_referee *referee,
                                             const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND same = *args;
    uint32_t physical = submit_physical(referee, args->hContext, args->EngineOrdinal);
    same.DmaBufferSegmentId = linked_segment(physical, args->DmaBufferSegmentId);
    same.NodeOrdinal = linked_node(physical, args->NodeOrdinal);
    return same;
}

/* Work for a context goes to its physical adapter, and so does a paging buffer to that of the system
 * context that it was built for. */
static void submit_judge_engine(struct vidmm_referee *referee, HANDLE handle, uint32_t ordinal) {
    const struct shadow_context *context = shadow_context(referee, handle);
    uint32_t count = linked_count(referee);
    MANAGER_MUST(507, ordinal < count, "the index of a physical adapter of the link",
                 "EngineOrdinal is %u of %u", ordinal, count);
    if (context && count > 1)
        MANAGER_MUST(507, ordinal == context->physical,
                     "the physical adapter of the context's EngineAffinity",
                     "EngineOrdinal is %u, the context is on %u", ordinal, context->physical);
}

/* ---- DxgkDdiPatch ---------------------------------------------------------------------------- */

/* A driver that patches elsewhere does so from its first patches on. Those, and one of PATCHES_SAMPLED
 * later ones, are looked at to the end of the buffer; the others so far behind their range, as whole
 * buffers cost more than the call. */
#define PATCHES_WHOLE   256u
#define PATCHES_SAMPLED 16u
#define PATCHES_BEHIND  4096u

static uint32_t submit_patch_end(const struct vidmm_referee *referee, const DXGKARG_PATCH *args) {
    uint64_t patches = referee->submissions.patches;
    uint64_t end = (uint64_t)args->DmaBufferSubmissionEndOffset + PATCHES_BEHIND;
    bool whole = patches < PATCHES_WHOLE || patches % PATCHES_SAMPLED == 0;
    return whole || end > args->DmaBufferSize ? args->DmaBufferSize : (uint32_t)end;
}

/* Over the first `size` bytes of the buffer, without the range to be submitted. */
static uint64_t submit_hash_outside(const DXGKARG_PATCH *args, uint32_t size) {
    const uint8_t *bytes = args->pDmaBuffer;
    uint32_t start = args->DmaBufferSubmissionStartOffset;
    uint32_t end = args->DmaBufferSubmissionEndOffset;
    if (!bytes)
        return 0;
    if (start >= end || start >= size)
        return hash_bytes(HASH_START, bytes, size);
    uint64_t hash = hash_bytes(HASH_START, bytes, start);
    return end < size ? hash_bytes(hash, bytes + end, size - end) : hash;
}

/* Buffers in system memory are contiguous: each page's bytes are where the address says. */
static bool submit_contiguous(struct vidmm_referee *referee, const DXGKARG_PATCH *args) {
    const uint8_t *bytes = args->pDmaBuffer;
    uint64_t address = (uint64_t)args->DmaBufferPhysicalAddress.QuadPart;
    for (uint32_t at = 0; at < args->DmaBufferSize; at += SHADOW_PAGE) {
        uint32_t left = args->DmaBufferSize - at, size = left < SHADOW_PAGE ? left : SHADOW_PAGE;
        const uint8_t *there = world_memory(referee, address + at, size);
        if (!there || (there != bytes + at && memcmp(there, bytes + at, size) != 0))
            return false;
    }
    return true;
}

static void submit_judge_paging_patch(struct vidmm_referee *referee, const DXGKARG_PATCH *args,
                                      uint32_t physical, struct shadow_build *build) {
    MANAGER_MUST(273,
                 args->Flags.Paging && !args->pAllocationList && args->AllocationListSize == 0 &&
                     !args->pPatchLocationList && args->PatchLocationListSize == 0,
                 "Flags.Paging and no lists for a paging buffer",
                 "Flags 0x%x, %u allocations at %p, %u patch locations at %p", args->Flags.Value,
                 args->AllocationListSize, (const void *)args->pAllocationList,
                 args->PatchLocationListSize, (const void *)args->pPatchLocationList);
    if (args->DmaBufferSegmentId == 0 && args->pDmaBuffer && referee->world.memory)
        MANAGER_MUST(74, submit_contiguous(referee, args),
                     "contiguous system memory at DmaBufferPhysicalAddress",
                     "the bytes at 0x%llx are not those of the paging buffer",
                     (unsigned long long)args->DmaBufferPhysicalAddress.QuadPart);
    if (!build)
        return;
    build->segment = linked_segment(physical, args->DmaBufferSegmentId);
    build->address = (uint64_t)args->DmaBufferPhysicalAddress.QuadPart;
}

/* What a patch location refers to must be in a segment by now. */
static void submit_judge_residency(struct vidmm_referee *referee, const DXGKARG_PATCH *args,
                                   uint32_t physical) {
    uint64_t end =
        (uint64_t)args->PatchLocationListSubmissionStart + args->PatchLocationListSubmissionLength;
    if (!args->pAllocationList || !args->pPatchLocationList || end > args->PatchLocationListSize)
        return;
    for (uint64_t i = args->PatchLocationListSubmissionStart; i < end; i++) {
        uint32_t index = args->pPatchLocationList[i].AllocationIndex;
        if (index >= args->AllocationListSize ||
            !args->pAllocationList[index].hDeviceSpecificAllocation)
            continue;
        uint32_t segment = args->pAllocationList[index].SegmentId;
        MANAGER_MUST(393, shadow_segment(referee, linked_segment(physical, segment)),
                     "everything that is referenced to be in a segment",
                     "element %u of the allocation list has SegmentId %u", index, segment);
    }
}

/* Where the list says that allocations are. */
static void submit_judge_list(struct vidmm_referee *referee, const DXGKARG_PATCH *args,
                              uint32_t physical) {
    UINT count = args->pAllocationList ? args->AllocationListSize : 0;
    uint32_t segments = shadow_segments(referee, physical);
    for (UINT i = 0; segments != 0 && i < count; i++) {
        const DXGK_ALLOCATIONLIST *element = &args->pAllocationList[i];
        uint32_t id = element->SegmentId;
        const struct shadow_segment *segment =
            shadow_segment(referee, linked_segment(physical, id));
        uint64_t address = (uint64_t)element->PhysicalAddress.QuadPart;
        if (!element->hDeviceSpecificAllocation)
            continue;
        MANAGER_MUST(16, id <= segments, "the position of a reported segment, or 0",
                     "element %u of the allocation list has SegmentId %u of %u segments", i, id,
                     segments);
        const struct shadow_opened *opened =
            shadow_opened(referee, element->hDeviceSpecificAllocation);
        if (segment && segment->flags.Agp && opened && opened->allocation)
            gart_judge_use(referee, segment, opened->allocation, address - segment->base);
        if (segment && segment->flags.Agp)
            MANAGER_MUST(35, shadow_holds(segment, address, 1),
                         "an address in the AGP aperture that the bus has",
                         "element %u of the allocation list is at 0x%llx of AGP segment %u", i,
                         (unsigned long long)address, id);
    }
}

/* The allocations that the list names, for as long as the submission is under way. */
static void submit_note_uses(struct vidmm_referee *referee, const DXGKARG_PATCH *args,
                             uint32_t physical) {
    uint32_t count = args->pAllocationList ? args->AllocationListSize : 0;
    referee->submissions.patched.handles = 0;
    if (count > referee->submissions.patched.room) {
        HANDLE *more = memory_realloc(referee->submissions.patched.handle, count * sizeof(*more));
        if (!more)
            return;
        referee->submissions.patched.handle = more;
        referee->submissions.patched.room = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        HANDLE handle = args->pAllocationList[i].hDeviceSpecificAllocation;
        const struct shadow_opened *opened = handle ? shadow_opened(referee, handle) : NULL;
        if (!opened || !opened->allocation)
            continue;
        referee->submissions.patched.handle[referee->submissions.patched.handles++] =
            opened->allocation->head.handle;
        promise_listed(referee, &args->pAllocationList[i], physical, opened->allocation);
    }
}

static void submit_judge_class(struct vidmm_referee *referee, const struct referee_call *call) {
    MANAGER_MUST(147, call->alone, "one thread at a time in the GPU scheduler's calls",
                 "another of them is under way%s", "");
    reset_judge(referee, false);
}

static void submit_judge_patch_answer(struct vidmm_referee *referee, const DXGKARG_PATCH *before,
                                      const DXGKARG_PATCH *after, bool same_outside,
                                      NTSTATUS status) {
    DRIVER_MUST(274, same_outside && memcmp(before, after, sizeof(*after)) == 0,
                "changes within the submitted range only", "%s",
                same_outside ? "the arguments changed" : "bytes outside of the range changed");
    DRIVER_MUST(277, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", (unsigned)status);
    if (status != STATUS_SUCCESS)
        submit_give_up(referee);
}

static NTSTATUS watch_Patch(struct vidmm_referee *referee, const HANDLE handle,
                            const DXGKARG_PATCH *args) {
    struct referee_call call;
    DXGKARG_PATCH before;
    memcpy(&before, args, sizeof(before));
    referee_enter(referee, &call, "DxgkDdiPatch", REFEREE_SCHEDULER);
    reports_drain(referee);
    submit_judge_class(referee, &call);
    struct shadow_build *build = build_at(referee, args->pDmaBuffer);
    uint32_t physical = submit_physical(referee, args->hContext, args->EngineOrdinal);
    submit_judge_engine(referee, args->hContext, args->EngineOrdinal);
    if (build || args->Flags.Paging)
        submit_judge_paging_patch(referee, args, physical, build);
    else
        submit_judge_residency(referee, args, physical);
    if (!args->Flags.Paging)
        promise_submitted(referee);
    submit_judge_list(referee, args, physical);
    submit_note_uses(referee, args, physical);
    referee->submissions.patched.args = *args;
    referee->submissions.patched.args.DmaBufferSegmentId =
        linked_segment(physical, args->DmaBufferSegmentId);
    referee->submissions.patched.open = true;
    uint32_t seen = submit_patch_end(referee, args);
    uint64_t outside = submit_hash_outside(args, seen);
    referee->submissions.patches++;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiPatch(handle, args);
    referee_return(referee);
    submit_judge_patch_answer(referee, &before, args, submit_hash_outside(&before, seen) == outside,
                              status);
    if (status != STATUS_SUCCESS)
        referee->submissions.patched.open = false;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, Patch, const HANDLE, const DXGKARG_PATCH *)

/* ---- DxgkDdiSubmitCommand -------------------------------------------------------------------- */

static bool submit_as_patched(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    const DXGKARG_PATCH *patch = &referee->submissions.patched.args;
    return args->SubmissionFenceId == patch->SubmissionFenceId &&
           args->hContext == patch->hContext &&
           args->DmaBufferSegmentId == patch->DmaBufferSegmentId &&
           args->DmaBufferPhysicalAddress.QuadPart == patch->DmaBufferPhysicalAddress.QuadPart &&
           args->DmaBufferSize == patch->DmaBufferSize &&
           args->DmaBufferSubmissionStartOffset == patch->DmaBufferSubmissionStartOffset &&
           args->DmaBufferSubmissionEndOffset == patch->DmaBufferSubmissionEndOffset &&
           args->pDmaBufferPrivateData == patch->pDmaBufferPrivateData &&
           args->DmaBufferPrivateDataSubmissionStartOffset ==
               patch->DmaBufferPrivateDataSubmissionStartOffset &&
           args->DmaBufferPrivateDataSubmissionEndOffset ==
               patch->DmaBufferPrivateDataSubmissionEndOffset;
}

static void submit_judge_place(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    uint32_t id = args->DmaBufferSegmentId;
    const struct shadow_segment *segment = shadow_segment(referee, id);
    const struct shadow_context *context = shadow_context(referee, args->hContext);
    uint64_t address = (uint64_t)args->DmaBufferPhysicalAddress.QuadPart;
    bool aperture = segment && segment->flags.Aperture;
    if (id == 0 && referee->world.memory)
        MANAGER_MUST(18, world_memory(referee, address, 1), "system memory where the segment is 0",
                     "the DMA buffer at 0x%llx is not in system memory",
                     (unsigned long long)address);
    MANAGER_MUST(81, id == 0 || aperture, "a DMA buffer in system memory or in an aperture",
                 "DmaBufferSegmentId is %u, which is no aperture", id);
    if (!args->Flags.Paging && context && !context->system) {
        uint32_t set = context->context_info.DmaBufferSegmentSet;
        uint32_t own = linked_own(id);
        device_judge_use(referee, context->physical, &context->context_info);
        bool kept = set == 0 ? id == 0 : own != 0 && own <= 32 && (set >> (own - 1) & 1u) != 0;
        MANAGER_MUST(80, kept, "a segment of DmaBufferSegmentSet, or 0 when that is 0",
                     "DmaBufferSegmentId is %u, DmaBufferSegmentSet is 0x%x", id, set);
    }
}

/* The pages of a paging buffer in an aperture are mapped there. */
static void submit_judge_mapped(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    const struct shadow_segment *segment = shadow_segment(referee, args->DmaBufferSegmentId);
    uint64_t address = (uint64_t)args->DmaBufferPhysicalAddress.QuadPart, mapped = 0;
    uint64_t end = args->DmaBufferSubmissionEndOffset;
    uint32_t physical = linked_physical(args->NodeOrdinal);
    bool inside = segment && segment->id == referee->adapter.physical[physical].paging_segment &&
                  shadow_segment_at(referee, linked_address(physical, address), end) == segment;
    if (args->DmaBufferSegmentId == 0)
        return; /* for mapping the others there is one that needs no mapping */
    uint64_t pages = (end + SHADOW_PAGE - 1) / SHADOW_PAGE;
    for (uint64_t i = 0; inside && segment->pages && i < pages; i++)
        mapped +=
            segment->pages[(address - segment->base) / SHADOW_PAGE + i].state == SHADOW_PAGE_MAPPED;
    bool kept = inside && (!segment->pages || mapped == pages);
    MANAGER_MUST(75, kept, "the paging buffer mapped into the aperture PagingBufferSegmentId",
                 "DmaBufferSegmentId %u, address 0x%llx: %llu of %llu pages are mapped",
                 args->DmaBufferSegmentId, (unsigned long long)address, (unsigned long long)mapped,
                 (unsigned long long)pages);
}

static void submit_judge_paging_submit(struct vidmm_referee *referee,
                                       const DXGKARG_SUBMITCOMMAND *args, bool again) {
    const struct shadow_context *context = shadow_context(referee, args->hContext);
    const struct shadow_build *build = build_of(referee, args);
    MANAGER_MUST(276,
                 args->Flags.Paging && (!args->hContext || (context && context->system)) &&
                     args->DmaBufferPhysicalAddress.QuadPart % SHADOW_PAGE == 0,
                 "Flags.Paging, a system context or none, and the address of the whole buffer",
                 "Flags 0x%x, hContext %p, address 0x%llx", args->Flags.Value, args->hContext,
                 (unsigned long long)args->DmaBufferPhysicalAddress.QuadPart);
    uint32_t physical = linked_physical(args->NodeOrdinal);
    uint32_t node = tables_companion(referee, context)
                        ? context->node
                        : referee->adapter.physical[physical].paging_node;
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        MANAGER_MUST(88,
                     args->NodeOrdinal == node ||
                         args->NodeOrdinal == referee->adapter.physical[physical].vpr_paging_node,
                     "the paging node that the driver named, or the companion context's",
                     "NodeOrdinal is %u instead of %u", args->NodeOrdinal, node);
    submit_judge_mapped(referee, args);
    if (!build)
        return;
    MANAGER_MUST(280, again || args->DmaBufferSubmissionStartOffset >= build->submitted,
                 "a range behind the one submitted before",
                 "the range begins at %u, up to %u was submitted before",
                 args->DmaBufferSubmissionStartOffset, build->submitted);
}

/* Fences of a node go up, also of work that is no paging and is submitted again. */
static void submit_judge_fence(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                               const struct shadow_node *node) {
#if WDDM_AT_LEAST(WDDM2_0)
    if (args->Flags.Resubmission && args->Flags.Paging) {
        MANAGER_MUST(281, false, "paging work that a preemption or a reset left undone",
                     "fence %u is not", args->SubmissionFenceId);
        return;
    }
#endif
    if (node->any)
        MANAGER_MUST(281, !fence_reached(node->submitted, args->SubmissionFenceId),
                     "a fence beyond all earlier ones of the node", "fence %u after fence %u",
                     args->SubmissionFenceId, node->submitted);
}

/* `again`: it was preempted. */
static void submit_judge_submit(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                                const struct shadow_node *node, bool again) {
    bool paging = args->Flags.Paging || (referee->submissions.patched.open &&
                                         referee->submissions.patched.args.Flags.Paging);
    uint32_t start = args->DmaBufferSubmissionStartOffset;
    uint32_t end = args->DmaBufferSubmissionEndOffset;
    if (referee->submissions.patched.open)
        MANAGER_MUST(275, submit_as_patched(referee, args),
                     "the buffer, the range and the fence of DxgkDdiPatch",
                     "fence %u, bytes %u to %u at 0x%llx; Patch had fence %u, bytes %u to %u at "
                     "0x%llx",
                     args->SubmissionFenceId, start, end,
                     (unsigned long long)args->DmaBufferPhysicalAddress.QuadPart,
                     referee->submissions.patched.args.SubmissionFenceId,
                     referee->submissions.patched.args.DmaBufferSubmissionStartOffset,
                     referee->submissions.patched.args.DmaBufferSubmissionEndOffset,
                     (unsigned long long)
                         referee->submissions.patched.args.DmaBufferPhysicalAddress.QuadPart);
    MANAGER_MUST(280, start <= end && end <= args->DmaBufferSize, "a range inside the buffer",
                 "the range is %u to %u of %u bytes", start, end, args->DmaBufferSize);
    submit_judge_place(referee, args);
    if (paging)
        submit_judge_paging_submit(referee, args, again);
    if (!again)
        submit_judge_fence(referee, args, node);
}

/* The driver did not take it: nothing of it will complete. */
static void submit_withdraw(struct vidmm_referee *referee, uint32_t index,
                            const struct work_submission *submission) {
    struct shadow_node *node = &referee->node[index];
    if (node->last != &submission->shadow)
        return;
    if (node->first == &submission->shadow)
        submission_end(referee, node, false);
}

/* Behind so many others a submission may wait in a queue of the driver's: these are lent, until there were so many. */
#define DEEP      2u
#define DEEP_LENT 256u

static void submit_note_behind(struct vidmm_referee *referee, const struct shadow_node *node) {
    struct submissions *submissions = &referee->submissions;
    uint32_t behind = 0;
    for (const struct shadow_submission *at = node->first; at && behind < SUBMISSIONS_BEHIND - 1;
         at = at->next)
        behind++;
    uint32_t before = submissions->behind[behind]++;
    submissions->lent = before < (behind < DEEP ? FIRST_LENT : DEEP_LENT);
}

/* From now on it is under way, with what was built into it. */
static struct work_submission *submit_enqueue(struct vidmm_referee *referee,
                                              const DXGKARG_SUBMITCOMMAND *args, uint32_t index,
                                              bool again) {
    if (!referee->submissions.patched.open && !args->Flags.Paging && !args->Flags.ContextSwitch)
        promise_forget(referee);
    submit_note_behind(referee, &referee->node[index]);
    struct work_submission *submission = submission_begin(referee, args, index);
    if (submission && args->Flags.Paging)
        submission->shadow.operations =
            again ? preempt_take(&referee->node[index]) : build_take(referee, args);
    referee->submissions.patched.open = false;
    return submission;
}

/* R507: of paging work that is not `again` under way. */
static void submit_judge_built(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                               bool again) {
    if (args->Flags.Paging && !again && linked_count(referee) > 1)
        MANAGER_MUST(507, !build_elsewhere(referee, args),
                     "a paging buffer that was built for a context of the physical adapter",
                     "node %u gets one that was built for another adapter", args->NodeOrdinal);
}

/* ContextSwitch comes with WDDM 1.2, Resubmission with 2.0, VirtualMachineData with 2.4. */
static void submit_judge_reserved(struct vidmm_referee *referee, DXGK_SUBMITCOMMANDFLAGS flags) {
    uint32_t version = referee->adapter.version, named = 0x3fu;
    if (version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        named |= 0x40u;
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        named |= 0x80u;
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
        named |= 0x100u;
    MANAGER_MUST(474, (flags.Value & ~named) == 0, "reserved flags of the submission 0",
                 "Flags 0x%x", flags.Value);
}

struct shadow_submission *submit_given(struct vidmm_referee *referee,
                                       const struct referee_call *call,
                                       const DXGKARG_SUBMITCOMMAND *args) {
    uint32_t index = submit_known_node(referee, args);
    submit_judge_class(referee, call);
    submit_judge_reserved(referee, args->Flags);
    migration_judge_work(referee, args->Flags.Paging);
    bool again = preempt_again(referee, args, &referee->node[index]);
    submit_judge_built(referee, args, again);
    if (!again)
        submit_judge_fence(referee, args, &referee->node[index]);
    struct work_submission *submission = submit_enqueue(referee, args, index, again);
    return submission ? &submission->shadow : NULL;
}

void submit_refused(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                    struct shadow_submission *submission) {
    submit_withdraw(referee, submit_known_node(referee, args),
                    (struct work_submission *)submission);
}

void submit_judge_irql(struct vidmm_referee *referee, const struct referee_call *call) {
    if (referee->world.irql)
        MANAGER_MUST(433, call->irql == DISPATCH_LEVEL, "DISPATCH_LEVEL", "IRQL %u",
                     (unsigned)call->irql);
}

void submit_judge_malformed(struct vidmm_referee *referee, const struct shadow_context *context) {
    if (context && context->owner)
        MANAGER_MUST(278, !context->owner->refused, "no work for a device whose work was malformed",
                     "the driver answered STATUS_INVALID_PARAMETER before%s", "");
}

/* The paging process of a driver with GPU virtual addresses has its paging buffers in them
 * (system-paging-process): what becomes of one that is handed over in another way is the driver's. */
static void submit_note_physical(struct vidmm_referee *referee,
                                 const struct work_submission *submission) {
    for (struct shadow_operation *operation = submission->shadow.operations; operation;
         operation = operation->next)
        operation->by_physical = tables_mmu(referee, operation->physical)->known;
}

static NTSTATUS watch_SubmitCommand(struct vidmm_referee *referee, const HANDLE handle,
                                    const DXGKARG_SUBMITCOMMAND *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiSubmitCommand", REFEREE_SCHEDULER);
    reports_drain(referee);
    const DXGKARG_SUBMITCOMMAND same = submit_numbered(referee, args);
    uint32_t index = submit_known_node(referee, &same);
    submit_judge_engine(referee, args->hContext, args->EngineOrdinal);
    submit_judge_class(referee, &call);
    submit_judge_reserved(referee, args->Flags);
    submit_judge_irql(referee, &call);
    if (!args->Flags.Paging)
        submit_judge_malformed(referee, shadow_context(referee, args->hContext));
    migration_judge_work(referee, args->Flags.Paging);
    bool again = preempt_again(referee, args, &referee->node[index]);
    submit_judge_built(referee, &same, again);
    submit_judge_submit(referee, &same, &referee->node[index], again);
    struct work_submission *submission = submit_enqueue(referee, &same, index, again);
    if (submission)
        submit_note_physical(referee, submission);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiSubmitCommand(handle, args);
    referee_return(referee);
    DRIVER_MUST(277, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", (unsigned)status);
    if (status != STATUS_SUCCESS) {
        submit_give_up(referee);
        if (submission)
            submit_withdraw(referee, index, submission);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, SubmitCommand, const HANDLE, const DXGKARG_SUBMITCOMMAND *)

void referee_watch_submit(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, Patch);
    WATCH(table, SubmitCommand);
}
