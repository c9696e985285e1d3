/*
 * waits.c - the manager's waits for the GPU, one of which it does without.
 *
 * The linker leads every call of fence.h's waits here (--wrap). A wait for what is done already is
 * none. The one that is left out returns at once, and the engine is as late as it can be: it is
 * held back until a wait for it, or a wait for an unknown engine while no other engine has work.
 * Nothing depended on the wait if the manager meanwhile asked nothing of the driver and let the CPU
 * at no memory, or nothing that work under way could notice, or nothing but paging behind paging;
 * or only flushes, and entries of tables, of addresses were left that lead the work behind them
 * nowhere.
 */
#include "dropped.h"

#include <stdio.h>
#include <string.h>

#include "base/adapter.h"
#include "engine/fence.h"

#include <vidmm/softgpu.h>

#define NODES 64u

#define CONCERNED 32u /* ranges that are remembered */

struct concerned {
    HANDLE process;
    uint64_t start, end;
    uint32_t fence; /* of the paging node, behind which it is done */
    bool entries;   /* not a flush */
};

/* The paging fences behind which the last bytes are moved that anybody asked for, and behind which
 * the last is done that may concern anything; the last that concerns addresses alone. */
static uint32_t moving, changing;
static struct concerned concerned[CONCERNED];
static uint32_t concerned_turn;

/* What was not waited for. */
static struct {
    struct vidmm_adapter *adapter; /* NULL: nothing */
    uint32_t fence[NODES], nodes;
    uint64_t held;     /* engines */
    uint64_t asked;    /* engines that a wait of the manager's is for; 0: unknown */
    uint32_t changing; /* of the paging among it */
    struct concerned concerned[CONCERNED]; /* likewise */
} open;

/* ---- The hardware ---------------------------------------------------------------------------- */

static bool step(void *hw, uint32_t engine) {
    if ((open.held >> engine & 1u) == 0)
        return vidmm_softgpu_model.step(hw, engine);
    for (uint32_t other = 0; other < vidmm_softgpu_model.engines; other++)
        if ((open.held >> other & 1u) == 0 && vidmm_softgpu_model.step(hw, other))
            return true;
    if (open.asked != 0 && (open.asked & open.held) == 0)
        return false;
    open.held = 0;
    return vidmm_softgpu_model.step(hw, engine);
}

const struct vidmm_hw_model *waits_hardware(void) {
    static struct vidmm_hw_model model;
    model = vidmm_softgpu_model;
    model.step = step;
    return &model;
}

/* ---- What depended on it --------------------------------------------------------------------- */

static bool passed(uint64_t nodes) {
    for (uint32_t i = 0; i < open.nodes; i++)
        if (nodes >> i & 1u && !fence_passed(open.adapter, i, open.fence[i]))
            return false;
    return true;
}

void waits_called(bool paging, bool takes) {
    struct dropped_seen *seen = dropped_seen();
    if (!open.adapter)
        return;
    uint64_t paging_node = UINT64_C(1) << open.adapter->facts.physical[0].paging_node;
    bool work_done = passed(~paging_node), paging_done = passed(paging_node);
    if (work_done && paging_done) {
        open.adapter = NULL;
    } else if ((work_done || !takes) && (paging_done || paging)) {
        seen->equal =
            work_done ? "only paging followed, in its order, or work that can use none of what was "
                        "flushed, or the end of what it was not about"
                      : "nothing was changed that work under way may use, until it was done";
    } else {
        seen->equal = NULL;
        open.adapter = NULL;
    }
}

static uint32_t next_fence(const struct vidmm_adapter *adapter) {
    return adapter->fences.nodes[adapter->facts.physical[0].paging_node].submitted + 1;
}

void waits_move(const struct vidmm_adapter *adapter) {
    moving = next_fence(adapter);
}

void waits_change(const struct vidmm_adapter *adapter) {
    changing = next_fence(adapter);
}

void waits_addresses(struct vidmm_adapter *adapter, HANDLE process, uint64_t start, uint64_t end,
                     bool entries) {
    struct concerned *range = &concerned[concerned_turn++ % CONCERNED];
    uint32_t paging_node = adapter->facts.physical[0].paging_node;
    if (range->fence != 0 && !fence_passed(adapter, paging_node, range->fence))
        waits_change(adapter); /* there is no room to tell any more */
    *range = (struct concerned){process, start, end, next_fence(adapter), entries};
}

static bool waits_paging_passed(uint32_t fence) {
    return fence_passed(open.adapter, open.adapter->facts.physical[0].paging_node, fence);
}

bool waits_flush_left(void) {
    bool flushes = open.adapter && waits_paging_passed(open.changing);
    for (uint32_t i = 0; i < CONCERNED && flushes; i++)
        flushes = !open.concerned[i].entries || waits_paging_passed(open.concerned[i].fence);
    return flushes;
}

bool waits_unmapped(HANDLE process) {
    bool unmapped = open.adapter && waits_paging_passed(open.changing);
    for (uint32_t i = 0; i < CONCERNED && unmapped; i++) {
        const struct concerned *range = &open.concerned[i];
        unmapped = range->process != process || waits_paging_passed(range->fence) ||
                   !ranges_lead(process, range->start, range->end);
    }
    return unmapped;
}

/* Everything that is outstanding on `nodes` now. */
static void leave_open(struct vidmm_adapter *adapter, uint64_t nodes) {
    open.adapter = adapter;
    open.nodes = adapter->fences.node_count < NODES ? adapter->fences.node_count : NODES;
    open.held = nodes;
    for (uint32_t i = 0; i < open.nodes; i++) {
        const struct node *node = &adapter->fences.nodes[i];
        open.fence[i] = nodes >> i & 1u ? node->submitted : node->completed;
    }
    uint32_t paging_fence = open.fence[adapter->facts.physical[0].paging_node];
    open.changing = changing < paging_fence ? changing : paging_fence;
    memcpy(open.concerned, concerned, sizeof(concerned));
    dropped_seen()->equal = "nothing was asked of the driver before another wait";
}

/* ---- The waits ------------------------------------------------------------------------------- */

enum vidmm_status __real_fence_wait(struct vidmm_adapter *adapter, uint32_t node,
                                    const uint32_t *fence);
enum vidmm_status __real_fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes,
                                         uint64_t number);
enum vidmm_status __real_fence_wait_all(struct vidmm_adapter *adapter);
enum vidmm_status __real_fence_room(struct vidmm_adapter *adapter, uint32_t node);
enum vidmm_status __wrap_fence_wait(struct vidmm_adapter *adapter, uint32_t node,
                                    const uint32_t *fence);
enum vidmm_status __wrap_fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes,
                                         uint64_t number);
enum vidmm_status __wrap_fence_wait_all(struct vidmm_adapter *adapter);
enum vidmm_status __wrap_fence_room(struct vidmm_adapter *adapter, uint32_t node);

/* A wait for `nodes` that is not left out: from its begin to its end, with its status. */
static void begin_wait(uint64_t nodes) {
    open.asked = nodes;
}

static enum vidmm_status end_wait(enum vidmm_status status) {
    open.asked = 0;
    return status;
}

enum vidmm_status __wrap_fence_wait(struct vidmm_adapter *adapter, uint32_t node,
                                    const uint32_t *fence) {
    uint64_t nodes = UINT64_C(1) << node;
    if (fence_passed(adapter, node, *fence) || !dropped_comes(DROPPED_WAIT)) {
        begin_wait(nodes);
        return end_wait(__real_fence_wait(adapter, node, fence));
    }
    leave_open(adapter, nodes);
    snprintf(dropped_seen()->what, sizeof(dropped_seen)()->what, "for fence %u of node %u", *fence,
             node);
    return VIDMM_OK;
}

enum vidmm_status __wrap_fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes,
                                         uint64_t number) {
    if (fence_idle(adapter, nodes, number) || !dropped_comes(DROPPED_WAIT)) {
        begin_wait(nodes);
        return end_wait(__real_fence_wait_idle(adapter, nodes, number));
    }
    leave_open(adapter, nodes & ~(UINT64_C(1) << adapter->facts.physical[0].paging_node));
    snprintf(dropped_seen()->what, sizeof(dropped_seen)()->what, "for submission %llu",
             (unsigned long long)number);
    return VIDMM_OK;
}

static bool all_passed(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->fences.node_count; i++)
        if (!fence_passed(adapter, i, adapter->fences.nodes[i].submitted))
            return false;
    return true;
}

enum vidmm_status __wrap_fence_wait_all(struct vidmm_adapter *adapter) {
    if (all_passed(adapter) || !dropped_comes(DROPPED_WAIT))
        return __real_fence_wait_all(adapter);
    leave_open(adapter, UINT64_MAX);
    snprintf(dropped_seen()->what, sizeof(dropped_seen)()->what, "for everything");
    return VIDMM_OK;
}

enum vidmm_status __wrap_fence_room(struct vidmm_adapter *adapter, uint32_t node) {
    uint64_t nodes = UINT64_C(1) << node;
    bool sleeps = adapter->fences.nodes[node].count == FENCES_IN_FLIGHT;
    if (!sleeps || !dropped_comes(DROPPED_WAIT)) {
        begin_wait(nodes);
        return end_wait(__real_fence_room(adapter, node));
    }
    leave_open(adapter, nodes);
    snprintf(dropped_seen()->what, sizeof(dropped_seen)()->what, "for room on node %u", node);
    return VIDMM_OK;
}

/* The CPU accesses the memory without waiting for work or for transfers. */
enum vidmm_status __real_vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags,
                                    void **cpu);
enum vidmm_status __wrap_vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags,
                                    void **cpu);

enum vidmm_status __wrap_vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags,
                                    void **cpu) {
    enum vidmm_status status = __real_vidmm_lock(allocation, flags, cpu);
    const struct vidmm_adapter *adapter = open.adapter;
    if (adapter)
        waits_called(fence_passed(open.adapter, adapter->facts.physical[0].paging_node, moving),
                     true);
    return status;
}
