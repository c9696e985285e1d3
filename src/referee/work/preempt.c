/*
 * preempt.c - DxgkDdiPreemptCommand, what the driver reports of it, and the paging work that
 * has to be submitted again (gpu-preemption.md, ne-d3dkmddi-_dxgk_interrupt_type.md).
 *
 * A report names the fence that was completed last: what was submitted between it and the request
 * has not been carried out. Paging work of that kind waits here, with its operations, until it is
 * submitted again under its own fence; other work comes back with a new fence, like any other.
 * watch/submit.c keeps what is under way.
 */
#include "work/work.h"

/* ---- The report ------------------------------------------------------------------------------ */

/* Where nothing was submitted there is no fence that it could name, but neither can it be the preemption's. */
static bool preempt_judge_first(struct vidmm_referee *referee, uint32_t fence, uint32_t last) {
    DRIVER_MUST(281, fence_beyond(fence, last), "the fence completed last, not the preemption's",
                "LastCompletedFenceId is %u at preemption %u, before anything was submitted", last,
                fence);
    return true;
}

/*
 * Of work that faulted one page has it count as completed (ne-d3dkmdt-_dxgk_page_fault_flags.md), another only when its
 * engine was reset (tdr-changes-in-windows-8.md).
 */
bool node_completed_least(const struct shadow_node *node, uint32_t *fence) {
    *fence = node->faulted ? node->completed_before_fault : node->completed;
    return node->faulted ? node->known_before_fault : node->reported;
}

uint32_t node_completed_most(const struct shadow_node *node) {
    bool later = node->faulted && fence_beyond(node->faulted_fence, node->completed);
    return later ? node->faulted_fence : node->completed;
}

static bool preempt_judge_last(struct vidmm_referee *referee, const struct shadow_node *node,
                               uint32_t fence, uint32_t last) {
    if (!node->any)
        return preempt_judge_first(referee, fence, last);
    uint32_t least;
    bool known = node_completed_least(node, &least);
    bool kept = !fence_beyond(last, node->submitted) && !(known && fence_beyond(least, last));
    if (!kept && fence_beyond(least, last) && node->emptied && node->aborted == least)
        DRIVER_MUST(281, false,
                    "the fence that the reset of the engine ended, which counts as completed",
                    "LastCompletedFenceId is %u, and LastAbortedFenceId of DxgkDdiResetEngine was "
                    "%u",
                    last, least);
    else
        DRIVER_MUST(281, kept, "the fence completed last, no later and no earlier one",
                    "LastCompletedFenceId is %u, fence %u was reported and fence %u submitted last",
                    last, node->completed, node->submitted);
    if (kept && node->ended)
        DRIVER_MUST(281, !fence_beyond(node->last_ended, last),
                    "the fence submitted last before the reset of the adapter, or a later one",
                    "LastCompletedFenceId is %u, the reset ended work up to fence %u", last,
                    node->last_ended);
    return kept;
}

/* What is under way up to `newest` has not been carried out: paging work waits to come again. */
static void preempt_take_back(struct vidmm_referee *referee, struct shadow_node *node,
                              uint32_t newest) {
    struct shadow_submission **end = &node->preempted;
    while (*end)
        end = &(*end)->next;
    while (node->first && !fence_beyond(node->first->fence, newest)) {
        struct shadow_submission *lost = submit_lose(referee, node);
        if (!lost)
            continue;
        *end = lost;
        end = &lost->next;
    }
}

void preempt_reset(struct vidmm_referee *referee, uint32_t index, uint32_t aborted) {
    struct shadow_node *node = &referee->node[index];
    submit_faulted(referee, index, aborted);
    node->aborted = aborted;
    if (node->any && fence_beyond(aborted, node->completed)) {
        node->completed = aborted;
        node->reported = node->reported || fence_reached(aborted, node->earliest);
    }
    node->preempting = node->told = node->faulted = node->undone = false;
    preempt_take_back(referee, node, node->submitted);
}

/*
 * The report is the only one to say that work up to `last` was done. Where the driver's paging was
 * right so far, it is the report that is wrong when what that work was to do has not been done.
 */
static void preempt_complete(struct vidmm_referee *referee, uint32_t index, uint32_t fence,
                             uint32_t last) {
    struct vidmm_ledger *ledger = referee->ledger;
    const struct shadow_node *node = &referee->node[index];
    struct work_quiet quiet;
    if (!node->first || !fence_beyond(last, node->completed) ||
        (!work_unexplained(ledger) && ledger->broken[281] == 0)) {
        submit_completed(referee, index, last);
        return;
    }
    work_quiet_begin(&quiet, ledger);
    submit_completed(referee, index, last);
    uint32_t rules = work_quiet_end(&quiet, ledger);
    DRIVER_MUST(
        281, rules == 0, "work up to LastCompletedFenceId that is done",
        "LastCompletedFenceId is %u at preemption %u, and memory is not as that work leaves it",
        last, fence);
}

void preempt_reported(struct vidmm_referee *referee, uint32_t index, uint32_t fence,
                      uint32_t last) {
    struct shadow_node *node = &referee->node[index];
    bool asked = node->preempting && node->preemption == fence;
    bool late = !asked && node->emptied && node->preemption_emptied == fence && fence != 0;
    if (late)
        DRIVER_MUST(617, false, "no report of a preemption that was asked for before the reset",
                    "preemption %u was reported for node %u behind the reset of its engine", fence,
                    index);
    DRIVER_MUST(281, asked || late, "the fence of a preemption that was asked for",
                "preemption %u was reported for node %u, where %s", fence, index,
                node->preempting ? "another is under way" : "none is");
    if (preempt_judge_last(referee, node, fence, last))
        preempt_complete(referee, index, fence, last);
    else
        submit_completed(referee, index, node->completed);
    if (!asked) {
        node->asked_preemption = false; /* that the right one does not come is no other mistake */
        return;
    }
    node->preempting = false;
    node->undone = node->first && fence_reached(node->preemptable, node->first->fence);
    node->undone_first = node->undone ? node->first->fence : 0;
    node->undone_last = node->preemptable;
    preempt_take_back(referee, node, node->preemptable);
}

bool preempt_judge_completed(struct vidmm_referee *referee, uint32_t index, uint32_t fence) {
    const struct shadow_node *node = &referee->node[index];
    bool kept = !node->preempted || fence_beyond(node->preempted->fence, fence);
    if (node->preempted)
        DRIVER_MUST(281, kept, "preempted work to complete when it was submitted again",
                    "fence %u was reported complete, after a preemption that left fence %u undone",
                    fence, node->preempted->fence);
    return kept;
}

/* Work that comes again, other than paging, has another fence. */
void preempt_judge_undone(struct vidmm_referee *referee, const struct shadow_node *node,
                          uint32_t fence) {
    bool late = node->undone && !node->preempted && fence_reached(fence, node->undone_first) &&
                fence_reached(node->undone_last, fence);
    if (node->undone && !node->preempted)
        DRIVER_MUST(281, !late || submit_with_fence(node, fence),
                    "no report of work that a preemption left undone",
                    "fence %u was reported complete, after a preemption that left it undone",
                    fence);
}

/* ---- Once more ------------------------------------------------------------------------------- */

static bool preempt_flagged(const DXGKARG_SUBMITCOMMAND *args) {
#if WDDM_AT_LEAST(WDDM2_0)
    return args->Flags.Resubmission != 0;
#else
    (void)args;
    return false;
#endif
}

bool preempt_again(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                   const struct shadow_node *node) {
    const struct shadow_submission *next = node->preempted;
    if (!next)
        return false;
    bool again = args->Flags.Paging && args->SubmissionFenceId == next->fence;
    MANAGER_MUST(281, again,
                 "the preempted paging work, in its order and with its fences, before any other",
                 "fence %u, while fence %u waits to be submitted again", args->SubmissionFenceId,
                 next->fence);
    if (again)
        MANAGER_MUST(281,
                     preempt_flagged(args) ==
                         (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0),
                     "Resubmission from WDDM 2.0 on, and not before", "Resubmission is %u",
                     preempt_flagged(args));
    return again;
}

struct shadow_operation *preempt_take(struct shadow_node *node) {
    struct shadow_submission *next = node->preempted;
    struct shadow_operation *operations = next->operations;
    node->preempted = next->next;
    next->operations = NULL;
    submit_free(next);
    return operations;
}

void preempt_forget(struct vidmm_referee *referee, struct shadow_node *node) {
    while (node->preempted) {
        struct shadow_operation *operation = preempt_take(node);
        while (operation) {
            struct shadow_operation *next = operation->next;
            operation_give_up(referee, operation);
            operation = next;
        }
    }
    node->preempting = node->reported = node->told = node->faulted = node->undone = false;
}

/* R617: the first thing that a node is asked for behind the reset of its engine. */
void preempt_judge_end(struct vidmm_referee *referee, const struct shadow_node *node) {
    if (!node->asked_preemption || submit_gave_up(referee))
        return;
    if (node->emptied && node->unheard)
        DRIVER_MUST(617, !node->preempting, "a node that is ready for more behind the reset",
                    "preemption %u, asked for behind the reset of the engine, was never reported, "
                    "nor was anything else of it",
                    node->preemption);
    else
        DRIVER_MUST(561, !node->preempting, "DMA_PREEMPTED for each DxgkDdiPreemptCommand",
                    "preemption %u was asked for and never reported", node->preemption);
}
