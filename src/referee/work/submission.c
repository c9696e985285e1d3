/*
 * submission.c - submissions from the call that made them until they are over: complete, faulted,
 * lost; see work.h.
 */
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "work/work.h"
#include "state/memory.h"

static void submission_use(struct vidmm_referee *referee, const struct work_submission *submission,
                           bool begins) {
    for (uint32_t i = 0; i < submission->uses; i++) {
        struct shadow_allocation *object = shadow_allocation(referee, submission->use[i]);
        if (object && begins)
            object->uses++;
        else if (object && object->uses != 0)
            object->uses--;
    }
}

struct work_submission *submission_begin(struct vidmm_referee *referee,
                                         const DXGKARG_SUBMITCOMMAND *args, uint32_t index) {
    struct shadow_node *node = &referee->node[index];
    uint32_t uses = referee->submissions.patched.open && !args->Flags.Paging
                        ? referee->submissions.patched.handles
                        : 0;
    struct work_submission *submission =
        memory_calloc(1, sizeof(*submission) + uses * sizeof(HANDLE));
    if (!submission)
        return NULL;
    submission->shadow.node = index;
    submission->shadow.fence = args->SubmissionFenceId;
    submission->shadow.paging = args->Flags.Paging;
    submission->shadow.address = (uint64_t)args->DmaBufferPhysicalAddress.QuadPart;
    submission->shadow.start = args->DmaBufferSubmissionStartOffset;
    submission->shadow.end = args->DmaBufferSubmissionEndOffset;
    submission->uses = uses;
    if (uses != 0)
        memcpy(submission->use, referee->submissions.patched.handle, uses * sizeof(HANDLE));
    submission_use(referee, submission, true);
    if (node->last)
        node->last->next = &submission->shadow;
    else
        node->first = &submission->shadow;
    node->last = &submission->shadow;
    if (!node->any)
        node->earliest = args->SubmissionFenceId;
    if (!node->any || !fence_reached(node->submitted, args->SubmissionFenceId))
        node->submitted = args->SubmissionFenceId;
    node->any = true;
    return submission;
}

static struct shadow_submission *submission_unlink(struct shadow_node *node) {
    struct shadow_submission *first = node->first;
    node->first = first->next;
    if (!node->first)
        node->last = NULL;
    first->next = NULL;
    return first;
}

const struct shadow_submission *submit_with_fence(const struct shadow_node *node, uint32_t fence) {
    const struct shadow_submission *at = node->first;
    while (at && at->fence != fence)
        at = at->next;
    return at;
}

void submit_free(struct shadow_submission *submission) {
    free(submission); /* the first member of struct work_submission */
}

/* Nothing came behind it, so that the engine has its address space yet. A root does not change while
 * work of its context is under way (R256). */
static void submission_judge_space(struct vidmm_referee *referee,
                                   const struct shadow_submission *submission) {
    const struct vidmm_referee_world *world = &referee->world;
    const struct shadow_context *context = shadow_context(referee, submission->context);
    uint64_t root;
    bool empty = submission->end == submission->start;
    if (empty || !context || context->root_entries == 0 || context->context_info.Caps.UseIoMmu ||
        !world->root ||
        !world->root(world->ctx, linked_physical(submission->node), linked_own(submission->node),
                     &root))
        return;
    uint64_t wanted = linked_address_own(
        tables_gpu_address(referee, context->root.SegmentId, context->root.SegmentOffset));
    DRIVER_MUST(423, root == wanted, "the address space of the context that the work belongs to",
                "node %u ran it with the root table at 0x%llx, that of the context is at 0x%llx%s",
                submission->node, LLU(root), LLU(wanted),
                root == 0 ? ", as if the work, which was reported complete, had not run" : "");
}

void submit_judge_space(struct vidmm_referee *referee, uint32_t index, uint32_t fence) {
    const struct shadow_submission *newest =
        index < SHADOW_NODES ? referee->node[index].last : NULL;
    if (newest && newest->fence == fence)
        submission_judge_space(referee, newest);
}

/* Commands of an application, not of the system. */
static bool submission_draws(const struct shadow_submission *submission) {
    return !submission->paging && submission->end != submission->start;
}

static void submission_note_drawn(struct vidmm_referee *referee,
                                  const struct shadow_submission *submission) {
    if (!submission_draws(submission))
        return;
    referee->reset.drew = true;
    referee->reset.undrawn = 0;
}

/* The first behind a reset or power, as vidmm_referee_faulted_first has it. */
static void submission_note_faulted(struct vidmm_referee *referee,
                                    const struct shadow_submission *submission) {
    if (!submission->paging && !submission->process)
        referee->reset.faulted_work = (struct vidmm_faulted_work){
            submission->fence, submission->node, submission->address + submission->start};
    if (!submission_draws(submission))
        return;
    if (referee->reports.faults == 1)
        referee->reset.faulted_first = referee->reset.undrawn;
    referee->reset.undrawn = 0;
}

/* The oldest of a node is over; `complete`: its operations were carried out. */
void submission_end(struct vidmm_referee *referee, struct shadow_node *node, bool complete) {
    struct shadow_submission *first = submission_unlink(node);
    if (complete && !node->first)
        submission_judge_space(referee, first);
    if (complete)
        submission_note_drawn(referee, first);
    if (complete && first->paging)
        DRIVER_MUST(539, true, "", "%s", "");
    while (first->operations) {
        struct shadow_operation *operation = first->operations;
        first->operations = operation->next; /* and `next` still leads to what came behind it */
        if (complete)
            operation_complete(referee, operation);
        else
            operation_give_up(referee, operation);
    }
    submission_use(referee, (struct work_submission *)first, false);
    submit_free(first);
}

struct shadow_submission *submit_lose(struct vidmm_referee *referee, struct shadow_node *node) {
    if (node->first->paging)
        return submission_unlink(node);
    submission_end(referee, node, false);
    return NULL;
}

static void submission_settled(struct vidmm_referee *referee) {
    const struct shadow_operation *first = NULL;
    bool waits = false;
    for (uint32_t list = 0; !waits && build_waiting(referee, list, &first); list++)
        waits = first;
    if (!waits)
        flush_settle(referee, true);
}

void submit_completed(struct vidmm_referee *referee, uint32_t index, uint32_t fence) {
    if (index >= SHADOW_NODES)
        return;
    struct shadow_node *node = &referee->node[index];
    bool paging = false;
    while (node->first && fence_reached(fence, node->first->fence)) {
        paging = node->first->paging;
        node->completed = node->first->fence;
        node->reported = true;
        submission_end(referee, node, true);
    }
    uint32_t queue = referee->adapter.physical[linked_physical(index)].paging_node;
    if (!node->first && (paging || index == queue))
        submission_settled(referee);
}

void submit_faulted(struct vidmm_referee *referee, uint32_t index, uint32_t fence) {
    if (index >= SHADOW_NODES)
        return;
    struct shadow_node *node = &referee->node[index];
    submit_completed(referee, index, fence - 1);
    if (!node->first || node->first->fence != fence)
        return;
    submission_note_faulted(referee, node->first);
    submission_end(referee, node, false);
}

bool submit_append(struct vidmm_referee *referee, struct shadow_operation *operation) {
    struct shadow_submission *newest = NULL;
    uint32_t first = linked_node(operation->physical, 0);
    for (uint32_t i = first; i < first + SHADOW_ORDINALS; i++) {
        struct shadow_submission *s = referee->node[i].first;
        for (; s; s = s->next)
            newest = s->paging ? s : newest;
    }
    if (!newest)
        return false;
    struct shadow_operation **link = &newest->operations;
    while (*link)
        link = &(*link)->next;
    *link = operation;
    return true;
}
