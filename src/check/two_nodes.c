/* two_nodes.c - see two_nodes.h. */
#include "two_nodes.h"

#include <stdio.h>

#include <vidmm/virtual.h>

#define STEPS 1u

/* ---- By hand --------------------------------------------------------------------------------- */

static bool both_are_told(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->completed == raw->fence && raw->beside.completed == raw->beside.fence;
}

static void judge_told(struct check *check, bool explained, uint32_t lost, uint32_t other) {
    char found[96];
    snprintf(found, sizeof(found),
             "one interrupt told of nodes %u and %u, and the work of node %u was not reported",
             other, lost, lost);
    check_unreported(check, explained, 0, found);
}

/* What is not told is not waited for: no DDI call follows. */
static bool by_hand_judge(struct raw_submitter *raw) {
    bool explained = check_explained(raw->check);
    if (vidmm_host_run_until(raw->check->harness.host, both_are_told, raw))
        return true;
    bool second = raw->completed == raw->fence;
    if (raw->faulted == 0)
        judge_told(raw->check, explained, second ? raw->beside.node : raw->node,
                   second ? raw->node : raw->beside.node);
    raw->refused = raw->unseen = true;
    return false;
}

/* Both were shown alone before. */
static bool by_hand_both(struct work *first, struct work *second) {
    struct raw_submitter *raw = first->raw;
    struct vidmm_host *host = raw->check->harness.host;
    check_step(raw->check, "interrupts: nodes %u and %u in one interrupt", first->node,
               second->node);
    bool good = work_prepare(first) && work_prepare(second);
    vidmm_host_hold_interrupts(host, true);
    good = good && work_submit(first);
    raw_leave_to(raw, second->node);
    good = good && work_submit(second);
    vidmm_host_run(host);
    vidmm_host_hold_interrupts(host, false);
    return good && by_hand_judge(raw) && work_finish(second);
}

static void by_hand_pair(struct raw_submitter *raw, uint32_t one, uint32_t other) {
    struct raw_renderer first, second;
    bool opened = raw_render_open_on(&first, raw, one, false);
    bool both = raw_render_open_on(&second, raw, other, false) && opened;
    struct work of_first = work_of_application(&first), of_second = work_of_application(&second);
    if (both && work_first(&of_first) && work_first(&of_second))
        (void)by_hand_both(&of_first, &of_second);
    raw_render_close(&second);
    raw_render_close(&first);
}

void two_nodes_by_hand(struct raw_submitter *raw) {
    for (uint32_t node = 1; node < raw->info.nodes && !raw->refused; node++)
        by_hand_pair(raw, node - 1, node);
    if (!raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}

/* ---- Over the manager ------------------------------------------------------------------------ */

/* Of the pair that is looked at. */
static struct {
    struct user *first;
    uint32_t node, other;
} pair;

/* The engine of a node may not know such work. */
static bool shown_alone(struct user *user) {
    return user_submit(user, STEPS) && user_rest(user);
}

static bool is_told(const void *ctx) {
    const struct user *user = ctx;
    return vidmm_completed(user->check->harness.adapter, user->fence);
}

static bool managed_judge(struct user *user, uint32_t node, uint32_t beside) {
    struct check *check = user->check;
    bool explained = check_explained(check);
    bool told = vidmm_host_run_until(check->harness.host, is_told, user);
    if (!told)
        judge_told(check, explained, node, beside);
    return told;
}

static bool both_held(struct user *second, uint32_t other) {
    struct check *check = second->check;
    struct vidmm_host *host = check->harness.host;
    check_step(check, "interrupts: nodes %u and %u in one interrupt", pair.node, other);
    vidmm_host_hold_interrupts(host, true);
    bool good = user_repeat(pair.first) && user_repeat(second);
    vidmm_host_run(host);
    vidmm_host_hold_interrupts(host, false);
    return good && managed_judge(pair.first, pair.node, other) &&
           managed_judge(second, other, pair.node);
}

static bool managed_both(struct user *second, uint32_t other) {
    bool resident = false;
    if (!shown_alone(second))
        return false;
    if (vidmm_device_lost(second->device))
        return true;
    return user_in_turn(pair.first, second, &resident) && (!resident || both_held(second, other));
}

static bool managed_first(struct user *first, uint32_t node) {
    if (!shown_alone(first))
        return false;
    pair.first = first;
    pair.node = node;
    return vidmm_device_lost(first->device) || user_in_node(first->check, pair.other, managed_both);
}

void two_nodes_managed(struct check *check) {
    struct vidmm_adapter_info info;
    vidmm_adapter_info(check->harness.adapter, &info);
    bool good = !check_explained(check);
    for (uint32_t node = 1; good && node < info.nodes; node++) {
        pair.other = node;
        good = user_in_node(check, node - 1, managed_first);
    }
}
