/*
 * fence.c - see fence.h. Waiting never resets a GPU: a hang is the caller's to unwind (reset.h).
 */
#include "fence.h"

#include "adapter.h"
#include "device.h"

/* Fence ids wrap. */
static bool reached(uint32_t completed, uint32_t fence) {
    return (int32_t)(completed - fence) >= 0;
}

static void lock(struct vidmm_adapter *adapter) {
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
}

static void unlock(struct vidmm_adapter *adapter) {
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
}

bool fences_init(struct vidmm_adapter *adapter, uint32_t nodes) {
    struct fences *fences = &adapter->fences;
    fences->nodes = adapter->os.alloc(adapter->os.ctx, nodes * sizeof *fences->nodes);
    if (!fences->nodes)
        return false;
    fences->node_count = nodes;
    return true;
}

void fences_destroy(struct vidmm_adapter *adapter) {
    struct fences *fences = &adapter->fences;
    if (!fences->nodes)
        return;
    lock(adapter); /* the last completion has let go of it */
    unlock(adapter);
    adapter->os.free(adapter->os.ctx, fences->nodes, fences->node_count * sizeof *fences->nodes);
    fences->nodes = NULL;
}

static struct fence_record *oldest(struct node *node) {
    return node->count ? &node->ring[node->head] : NULL;
}

/*
 * Sleeps once for news from `node`, which has work outstanding. False: it hangs. Called and
 * returns with the fence lock held.
 */
static bool sleep_on(struct vidmm_adapter *adapter, struct node *node) {
    uint64_t deadline = node->progress_ns + adapter->hang_ns;
    if (node->faulted)
        return false;
    if (adapter->os.wait(adapter->os.ctx, adapter->fence_lock, deadline))
        return true;
    return node->faulted ||
           adapter->os.now(adapter->os.ctx) < node->progress_ns + adapter->hang_ns ||
           node->count == 0;
}

/* What a wait is for. */
struct condition {
    uint32_t fence;
    uint64_t number;
    bool by_number;
};

/* True when nothing that `condition` asks for is outstanding on `node`. */
static bool met(struct node *node, const struct condition *condition) {
    if (!condition->by_number)
        return reached(node->completed, condition->fence);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct fence_record *record = &node->ring[(node->head + i) % FENCES_IN_FLIGHT];
        if (record->number != 0 && record->number <= condition->number)
            return false;
    }
    return true;
}

static enum vidmm_status wait_on(struct vidmm_adapter *adapter, struct node *node,
                                 const struct condition *condition) {
    while (!met(node, condition)) {
        if (!sleep_on(adapter, node))
            return VIDMM_GPU_LOST;
    }
    return VIDMM_OK;
}

enum vidmm_status fence_room(struct vidmm_adapter *adapter, uint32_t index) {
    struct node *node = &adapter->fences.nodes[index];
    enum vidmm_status status = VIDMM_OK;
    lock(adapter);
    while (status == VIDMM_OK && node->count == FENCES_IN_FLIGHT) {
        struct condition first = {.fence = oldest(node)->fence};
        status = wait_on(adapter, node, &first);
    }
    unlock(adapter);
    return status;
}

void fence_take_number(struct vidmm_adapter *adapter, uint64_t number) {
    lock(adapter);
    adapter->fences.submitted = number;
    unlock(adapter);
}

uint32_t fence_next(struct vidmm_adapter *adapter, uint32_t index, uint64_t number,
                    struct vidmm_device *device) {
    struct node *node = &adapter->fences.nodes[index];
    lock(adapter);
    struct fence_record *record = &node->ring[(node->head + node->count) % FENCES_IN_FLIGHT];
    uint32_t fence = ++node->submitted;
    if (node->count++ == 0)
        node->progress_ns = adapter->os.now(adapter->os.ctx);
    *record = (struct fence_record){.number = number, .device = device, .fence = fence};
    unlock(adapter);
    return fence;
}

enum vidmm_status fence_wait(struct vidmm_adapter *adapter, uint32_t index, uint32_t fence) {
    struct condition condition = {.fence = fence};
    lock(adapter);
    enum vidmm_status status = wait_on(adapter, &adapter->fences.nodes[index], &condition);
    unlock(adapter);
    return status;
}

bool fence_passed(struct vidmm_adapter *adapter, uint32_t index, uint32_t fence) {
    lock(adapter);
    bool passed = reached(adapter->fences.nodes[index].completed, fence);
    unlock(adapter);
    return passed;
}

bool fence_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number) {
    struct condition condition = {.number = number, .by_number = true};
    bool idle = true;
    lock(adapter);
    for (uint32_t i = 0; idle && i < adapter->fences.node_count; i++) {
        if ((nodes >> i) & 1u)
            idle = met(&adapter->fences.nodes[i], &condition);
    }
    unlock(adapter);
    return idle;
}

enum vidmm_status fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number) {
    struct condition condition = {.number = number, .by_number = true};
    enum vidmm_status status = VIDMM_OK;
    lock(adapter);
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->fences.node_count; i++) {
        if ((nodes >> i) & 1u)
            status = wait_on(adapter, &adapter->fences.nodes[i], &condition);
    }
    unlock(adapter);
    return status;
}

enum vidmm_status fence_wait_all(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    lock(adapter);
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->fences.node_count; i++) {
        struct node *node = &adapter->fences.nodes[i];
        struct condition all = {.fence = node->submitted};
        status = wait_on(adapter, node, &all);
    }
    unlock(adapter);
    return status;
}

static void remember_lost(struct fences *fences, uint64_t number) {
    fences->lost[fences->lost_count++ % FENCES_LOST] = number;
}

static bool was_lost(const struct fences *fences, uint64_t number) {
    uint32_t known = fences->lost_count < FENCES_LOST ? fences->lost_count : FENCES_LOST;
    for (uint32_t i = 0; i < known; i++) {
        if (fences->lost[i] == number)
            return true;
    }
    return false;
}

bool fence_give_up(struct vidmm_adapter *adapter) {
    bool paging = false;
    lock(adapter);
    for (uint32_t i = 0; i < adapter->fences.node_count; i++) {
        struct node *node = &adapter->fences.nodes[i];
        for (; node->count; node->count--) {
            const struct fence_record *record = oldest(node);
            if (record->device) {
                record->device->lost = true;
                remember_lost(&adapter->fences, record->number);
            } else {
                paging = true;
            }
            node->head = (node->head + 1) % FENCES_IN_FLIGHT;
        }
        node->completed = node->submitted;
        node->faulted = false;
    }
    unlock(adapter);
    return paging;
}

/* Forgets the records up to `fence`; a driver may report one completion for several submissions. */
static void complete(struct vidmm_adapter *adapter, struct node *node, uint32_t fence) {
    if (!reached(node->submitted, fence) || reached(node->completed, fence))
        return;
    node->completed = fence;
    node->progress_ns = adapter->os.now(adapter->os.ctx);
    while (node->count && reached(fence, oldest(node)->fence)) {
        node->head = (node->head + 1) % FENCES_IN_FLIGHT;
        node->count--;
    }
}

/* Nothing of the adapter is touched after the unlock: who waited may be about to free it. */
static void unlock_and_wake(struct vidmm_adapter *adapter) {
    const struct vidmm_os os = adapter->os;
    void *held = adapter->fence_lock;
    os.wake(os.ctx);
    os.unlock(os.ctx, held);
}

void vidmm_notify_completed(struct vidmm_adapter *adapter, uint32_t node, uint32_t fence) {
    if (node >= adapter->fences.node_count)
        return;
    lock(adapter);
    complete(adapter, &adapter->fences.nodes[node], fence);
    unlock_and_wake(adapter);
}

void vidmm_notify_preempted(struct vidmm_adapter *adapter, uint32_t node, uint32_t fence,
                            uint32_t last_completed) {
    /* The manager asks for no preemption; what such a notice tells about completion is true. */
    (void)fence;
    vidmm_notify_completed(adapter, node, last_completed);
}

void vidmm_notify_faulted(struct vidmm_adapter *adapter, uint32_t index, uint32_t fence) {
    if (index >= adapter->fences.node_count)
        return;
    struct node *node = &adapter->fences.nodes[index];
    lock(adapter);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct fence_record *record = &node->ring[(node->head + i) % FENCES_IN_FLIGHT];
        if (record->fence != fence)
            continue;
        if (record->device) {
            record->device->lost = true;
            remember_lost(&adapter->fences, record->number);
            complete(adapter, node, fence);
        } else {
            node->faulted = true;
        }
        break;
    }
    unlock_and_wake(adapter);
}

/* The node on which submission `number` is outstanding, or NULL. */
static struct node *node_of(struct fences *fences, uint64_t number) {
    for (uint32_t i = 0; i < fences->node_count; i++) {
        struct node *node = &fences->nodes[i];
        for (uint32_t r = 0; r < node->count; r++) {
            if (node->ring[(node->head + r) % FENCES_IN_FLIGHT].number == number)
                return node;
        }
    }
    return NULL;
}

bool vidmm_completed(struct vidmm_adapter *adapter, uint64_t fence) {
    lock(adapter);
    bool completed =
        fence == 0 || (fence <= adapter->fences.submitted && !node_of(&adapter->fences, fence));
    unlock(adapter);
    return completed;
}

/* Sleeps until `number` is no longer outstanding; true: it hangs. With the fence lock held. */
static bool hangs(struct vidmm_adapter *adapter, uint64_t number) {
    struct node *node;
    while ((node = node_of(&adapter->fences, number)) != NULL) {
        if (!sleep_on(adapter, node))
            return true;
    }
    return false;
}

enum vidmm_status vidmm_wait(struct vidmm_adapter *adapter, uint64_t fence) {
    enum vidmm_status status = VIDMM_OK;
    lock(adapter);
    if (fence == 0 || fence > adapter->fences.submitted) {
        unlock(adapter);
        return VIDMM_BAD_ARGUMENT;
    }
    while (status == VIDMM_OK && hangs(adapter, fence)) {
        unlock(adapter);
        status = adapter_recover_submission(adapter, fence);
        lock(adapter);
    }
    if (status == VIDMM_OK && was_lost(&adapter->fences, fence))
        status = VIDMM_DEVICE_LOST;
    unlock(adapter);
    return status;
}
