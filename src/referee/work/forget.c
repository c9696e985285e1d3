/*
 * forget.c - all work under way is given up (TDR, the end of the adapter).
 */
#include "operation/dirty_bits.h"
#include "operation/operation.h"
#include "work/work.h"

/* Plans that a reset cut short are undone without a word to the driver: nothing is known of places
 * until an operation names one again. */
static void forget_places(struct vidmm_referee *referee) {
    struct shadow_allocation *allocation = NULL;
    while ((allocation = shadow_next_allocation(referee, allocation)))
        shadow_displace(referee, allocation);
}

/* Contexts and roots stay, and so does what the driver was told until it is told otherwise. */
static void forget_virtual(struct vidmm_referee *referee) {
    flush_settle(referee, false);
    tables_forget(referee);
    for (struct shadow_allocation *allocation = shadow_next_allocation(referee, NULL); allocation;
         allocation = shadow_next_allocation(referee, allocation))
        allocation->arrived = false;
}

void submit_forget(struct vidmm_referee *referee) {
    forget_places(referee);
    promise_forget(referee);
    for (uint32_t i = 0; i < shadow_node_end(referee); i++) {
        struct shadow_node *node = &referee->node[i];
        while (node->first)
            submission_end(referee, node, false);
        node->completed = node->submitted;
        preempt_forget(referee, node);
    }
    build_forget(referee);
    operation_abandon(referee);
    transfer_forget(referee);
    forget_virtual(referee);
    dirty_forget(referee);
    referee->submissions.patched.open = false;
}
