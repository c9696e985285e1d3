/*
 * work.c - what is under way: submissions, and operations that are built and not submitted; see
 * work.h.
 */
#include "state/judge.h"

/* The first node from `node` on that its physical adapter has, which has one at least;
 * SHADOW_NODES: there is none. */
static uint32_t work_node_from(struct vidmm_referee *referee, uint32_t node) {
    uint32_t own = linked_own(node);
    for (uint32_t physical = linked_physical(node); physical < linked_count(referee); physical++) {
        uint32_t nodes = referee->adapter.physical[physical].nodes;
        if (own < nodes || own == 0)
            return linked_node(physical, own);
        own = 0;
    }
    return SHADOW_NODES;
}

const struct shadow_submission *submit_next(struct vidmm_referee *referee,
                                            const struct shadow_submission *after) {
    const struct shadow_submission *next = after ? after->next : NULL;
    uint32_t node = work_node_from(referee, after ? after->node + 1 : 0);
    for (; !next && node != SHADOW_NODES; node = work_node_from(referee, node + 1))
        next = referee->node[node].first;
    return next;
}

bool submit_under_way(struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < shadow_node_end(referee); i++) {
        if (referee->node[i].first)
            return true;
    }
    return false;
}

const struct shadow_operation *operation_open(struct vidmm_referee *referee) {
    return referee->builds.open.operation ? &referee->builds.open.operation->shadow : NULL;
}

bool build_waiting(struct vidmm_referee *referee, uint32_t index,
                   const struct shadow_operation **first) {
    *first = NULL;
    uint32_t slots = referee->builds.slots;
    if (index == slots)
        *first = operation_open(referee);
    else if (index < slots && referee->builds.slot[index]->first)
        *first = &referee->builds.slot[index]->first->shadow;
    return index <= slots;
}

void submit_give_up(struct vidmm_referee *referee) {
    referee->submissions.gave_up = true;
}

bool submit_gave_up(struct vidmm_referee *referee) {
    return referee->submissions.gave_up;
}
