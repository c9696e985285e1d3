/*
 * fence.c - see fence.h. Waiting never resets the adapter: that is the caller's to unwind
 * (reset.h).
 */
#include "engine/fence.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "base/device.h"
#include "engine/engine.h"

void fences_lock(struct vidmm_adapter *adapter) {
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
}

void fences_unlock(struct vidmm_adapter *adapter) {
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
}

bool fences_init(struct vidmm_adapter *adapter) {
    struct fences *fences = &adapter->fences;
    uint32_t nodes = node_total(&adapter->facts);
    struct node *made = adapter->os.alloc(adapter->os.ctx, nodes * sizeof(*made));
    if (!made)
        return false;
    for (uint32_t i = 0; i < nodes; i++)
        made[i].submitted = made[i].completed = adapter->settings.first_fence;
    fences_lock(adapter); /* a driver may report what it was never given */
    fences->nodes = made;
    fences->node_count = nodes;
    fences->ordinals = adapter->facts.nodes;
    fences_unlock(adapter);
    return true;
}

void fences_destroy(struct vidmm_adapter *adapter) {
    struct fences *fences = &adapter->fences;
    if (!fences->nodes)
        return;
    fences_lock(adapter); /* the last completion has let go of it */
    fences_unlock(adapter);
    for (uint32_t i = 0; i < fences->node_count * FENCES_IN_FLIGHT; i++)
        packet_free(adapter,
                    &fences->nodes[i / FENCES_IN_FLIGHT].ring[i % FENCES_IN_FLIGHT].packet);
    adapter->os.free(adapter->os.ctx, fences->nodes, fences->node_count * sizeof(*fences->nodes));
    fences->nodes = NULL;
}

/*
 * Sleeps once for news from `node`, which has work outstanding. False: it hangs. Called and
 * returns with the fence lock held.
 */
static bool sleep_on(struct vidmm_adapter *adapter, struct node *node) {
    uint64_t deadline = node->progress_ns + adapter->settings.hang_ns;
    if (node->faulted)
        return false;
    if (adapter->os.wait(adapter->os.ctx, adapter->fence_lock, deadline))
        return true;
    return node->faulted ||
           adapter->os.now(adapter->os.ctx) < node->progress_ns + adapter->settings.hang_ns ||
           node->count == 0;
}

/* What a wait is for. */
struct condition {
    enum { BY_FENCE, BY_NUMBER, BY_COUNT } kind;
    const uint32_t *fence;
    uint64_t number;
    uint32_t most; /* records that may be outstanding */
};

/* True when nothing that `condition` asks for is outstanding on `node`. */
static bool fence_met(struct node *node, const struct condition *condition) {
    if (condition->kind == BY_FENCE)
        return fence_reached(node->completed, *condition->fence);
    if (condition->kind == BY_COUNT)
        return node->count <= condition->most;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct fence_record *record = fence_record(node, i);
        if (record->number != 0 && record->number <= condition->number)
            return false;
    }
    return true;
}

static enum vidmm_status fence_help(struct vidmm_adapter *adapter, struct node *node) {
    fences_unlock(adapter);
    enum vidmm_status status = engine_help(adapter, (uint32_t)(node - adapter->fences.nodes));
    fences_lock(adapter);
    return status;
}

/* Before the node gets on, if that is asked for. */
static enum vidmm_status fence_preempt(struct vidmm_adapter *adapter, struct node *node) {
    const uint32_t every = adapter->settings.preempt_every;
    if (every == 0 || node->count == 0 || node->faulted || node->submitted % every != 0)
        return VIDMM_OK;
    fences_unlock(adapter);
    enum vidmm_status status =
        engine_yield(adapter, (uint32_t)(node - adapter->fences.nodes), NULL);
    fences_lock(adapter);
    return status;
}

static enum vidmm_status wait_on(struct vidmm_adapter *adapter, struct node *node,
                                 const struct condition *condition) {
    enum vidmm_status status = fence_met(node, condition) ? VIDMM_OK : fence_preempt(adapter, node);
    while (status == VIDMM_OK && !fence_met(node, condition)) {
        if (!sleep_on(adapter, node))
            status = fence_help(adapter, node);
    }
    return status;
}

enum vidmm_status fence_room(struct vidmm_adapter *adapter, uint32_t index) {
    struct condition room = {.kind = BY_COUNT, .most = FENCES_IN_FLIGHT - 1};
    struct node *node = &adapter->fences.nodes[index];
    fences_lock(adapter);
    enum vidmm_status status = node->faulted ? fence_help(adapter, node) : VIDMM_OK;
    if (status == VIDMM_OK)
        status = wait_on(adapter, node, &room);
    fences_unlock(adapter);
    return status;
}

struct packet *fence_packet(struct vidmm_adapter *adapter, uint32_t index) {
    struct node *node = &adapter->fences.nodes[index];
    fences_lock(adapter);
    VIDMM_ASSERT(adapter, node->count < FENCES_IN_FLIGHT);
    struct packet *packet = &fence_record(node, node->count)->packet;
    fences_unlock(adapter);
    return packet;
}

void fence_take_number(struct vidmm_adapter *adapter, uint64_t number) {
    fences_lock(adapter);
    adapter->fences.submitted = number;
    fences_unlock(adapter);
}

static uint32_t fence_next(struct vidmm_adapter *adapter, uint32_t index, uint64_t number,
                           struct vidmm_device *device) {
    struct node *node = &adapter->fences.nodes[index];
    fences_lock(adapter);
    VIDMM_ASSERT(adapter, node->count < FENCES_IN_FLIGHT);
    struct fence_record *record = fence_record(node, node->count);
    uint32_t fence = ++node->submitted;
    if (node->count++ == 0)
        node->progress_ns = adapter->os.now(adapter->os.ctx);
    record->number = number;
    record->device = device;
    record->fence = fence;
    fences_unlock(adapter);
    return fence;
}

/* The newest work of a node, with `fence`, never reached the GPU. */
static void fence_withdraw(struct vidmm_adapter *adapter, uint32_t index, uint32_t fence) {
    struct node *node = &adapter->fences.nodes[index];
    fences_lock(adapter);
    if (node->count && fence_record(node, node->count - 1)->fence == fence)
        node->count--;
    if (node->count == 0)
        fence_complete(adapter, node, fence);
    fences_unlock_and_wake(adapter);
}

enum vidmm_status fence_submit(struct vidmm_adapter *adapter, uint32_t index, uint64_t number,
                               struct vidmm_device *device) {
    struct packet *packet = fence_packet(adapter, index);
    uint32_t fence = fence_next(adapter, index, number, device);
    enum vidmm_status status = packet_submit(adapter, packet, fence, false);
    if (status)
        fence_withdraw(adapter, index, fence);
    return status;
}

enum vidmm_status fence_wait(struct vidmm_adapter *adapter, uint32_t index, const uint32_t *fence) {
    struct condition condition = {.kind = BY_FENCE, .fence = fence};
    fences_lock(adapter);
    enum vidmm_status status = wait_on(adapter, &adapter->fences.nodes[index], &condition);
    fences_unlock(adapter);
    return status;
}

bool fence_passed(struct vidmm_adapter *adapter, uint32_t index, uint32_t fence) {
    fences_lock(adapter);
    bool passed = fence_reached(adapter->fences.nodes[index].completed, fence);
    fences_unlock(adapter);
    return passed;
}

/* `number` was found done on all nodes. The newest one may still get another buffer. */
static void fence_note_done(struct fences *fences, uint64_t number) {
    uint64_t most = fences->submitted ? fences->submitted - 1 : 0;
    fences->done = number < most ? number : most;
}

bool fence_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number) {
    VIDMM_ASSERT_LOCKED(adapter);
    struct condition condition = {.kind = BY_NUMBER, .number = number};
    struct fences *fences = &adapter->fences;
    bool idle = true, all = true;
    if (number <= fences->done)
        return true;
    fences_lock(adapter);
    for (uint32_t i = 0; i < fences->node_count; i++) {
        bool met = fence_met(&fences->nodes[i], &condition);
        all = all && met;
        idle = idle && (met || !((nodes >> i) & 1u));
    }
    if (all)
        fence_note_done(fences, number);
    fences_unlock(adapter);
    return idle;
}

enum vidmm_status fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number) {
    struct condition condition = {.kind = BY_NUMBER, .number = number};
    enum vidmm_status status = VIDMM_OK;
    fences_lock(adapter);
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->fences.node_count; i++) {
        if ((nodes >> i) & 1u)
            status = wait_on(adapter, &adapter->fences.nodes[i], &condition);
    }
    fences_unlock(adapter);
    return status;
}

enum vidmm_status fence_wait_node(struct vidmm_adapter *adapter, uint32_t index) {
    struct condition all = {.kind = BY_COUNT};
    fences_lock(adapter);
    enum vidmm_status status = wait_on(adapter, &adapter->fences.nodes[index], &all);
    fences_unlock(adapter);
    return status;
}

enum vidmm_status fence_wait_all(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->fences.node_count; i++)
        status = fence_wait_node(adapter, i);
    return status;
}

/* The loss of `number`, or NULL. */
static const struct lost_work *lost_work(const struct fences *fences, uint64_t number) {
    uint32_t known = fences->lost_count < FENCES_LOST ? fences->lost_count : FENCES_LOST;
    for (uint32_t i = 0; i < known; i++) {
        if (fences->lost[i].number == number)
            return &fences->lost[i];
    }
    return NULL;
}

void fence_lose(struct vidmm_adapter *adapter, const struct fence_record *record) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    struct fences *fences = &adapter->fences;
    record->device->lost = true;
    fences->lost[fences->lost_count++ % FENCES_LOST] =
        (struct lost_work){record->number, record->device->number};
}

static void drop_oldest(struct node *node) {
    node->head = (node->head + 1) % FENCES_IN_FLIGHT;
    node->count--;
}

bool fence_give_up(struct vidmm_adapter *adapter) {
    bool paging = false;
    fences_lock(adapter);
    adapter->fences.torn = false;
    for (uint32_t i = 0; i < adapter->fences.node_count; i++) {
        struct node *node = &adapter->fences.nodes[i];
        for (; node->count; drop_oldest(node)) {
            const struct fence_record *record = fence_record(node, 0);
            if (record->device)
                fence_lose(adapter, record);
            else
                paging = true;
        }
        node->completed = node->submitted;
        node->context = NULL;
        node->faulted = node->adapter_reset = node->preempting = false;
        node->tries = node->futile = 0;
    }
    fences_unlock(adapter);
    return paging;
}

/* A driver may report one completion for several submissions. */
void fence_complete(struct vidmm_adapter *adapter, struct node *node, uint32_t fence) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    if (!fence_reached(node->submitted, fence) || fence_reached(node->completed, fence))
        return;
    node->completed = fence;
    uint32_t before = node->count;
    while (node->count && fence_reached(fence, fence_record(node, 0)->fence))
        drop_oldest(node);
    if (before != 0 && node->count == before)
        return; /* of work that has another fence since: the engine did not get on */
    node->progress_ns = adapter->os.now(adapter->os.ctx);
    node->tries = node->futile = 0;
}

void fences_unlock_and_wake(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    const struct vidmm_os os = adapter->os;
    void *held = adapter->fence_lock;
    os.wake(os.ctx);
    os.unlock(os.ctx, held);
}

struct node *fence_notified(struct vidmm_adapter *adapter, uint32_t physical, uint32_t ordinal) {
    const struct fences *fences = &adapter->fences;
    fences_lock(adapter);
    if (ordinal >= fences->ordinals || physical >= fences->node_count / fences->ordinals)
        return NULL;
    struct node *node = &fences->nodes[physical * fences->ordinals + ordinal];
    return node->deaf ? NULL : node;
}

void vidmm_notify_completed(struct vidmm_adapter *adapter, uint32_t physical, uint32_t ordinal,
                            uint32_t fence) {
    struct node *node = fence_notified(adapter, physical, ordinal);
    if (node)
        fence_complete(adapter, node, fence);
    fences_unlock_and_wake(adapter);
}

void vidmm_notify_preempted(struct vidmm_adapter *adapter, uint32_t physical, uint32_t ordinal,
                            uint32_t fence, uint32_t last_completed) {
    struct node *node = fence_notified(adapter, physical, ordinal);
    if (node) {
        fence_complete(adapter, node, last_completed);
        if (node->preempting && node->preemption == fence)
            node->preempting = false;
    }
    fences_unlock_and_wake(adapter);
}

/* The node on which submission `number` is outstanding, or NULL. */
static struct node *node_of(struct fences *fences, uint64_t number) {
    for (uint32_t i = 0; i < fences->node_count; i++) {
        struct node *node = &fences->nodes[i];
        for (uint32_t r = 0; r < node->count; r++) {
            if (fence_record(node, r)->number == number)
                return node;
        }
    }
    return NULL;
}

bool vidmm_completed(struct vidmm_adapter *adapter, uint64_t fence) {
    fences_lock(adapter);
    bool completed =
        fence == 0 || (fence <= adapter->fences.submitted && !node_of(&adapter->fences, fence));
    fences_unlock(adapter);
    return completed;
}

bool fence_wait_number(struct vidmm_adapter *adapter, uint64_t number) {
    struct node *node;
    bool hangs = false;
    fences_lock(adapter);
    while (!hangs && (node = node_of(&adapter->fences, number)))
        hangs = !sleep_on(adapter, node);
    fences_unlock(adapter);
    return !hangs;
}

bool fence_lost(struct vidmm_adapter *adapter, uint64_t number, uint32_t *device) {
    fences_lock(adapter);
    const struct lost_work *lost = lost_work(&adapter->fences, number);
    if (lost)
        *device = lost->device;
    fences_unlock(adapter);
    return lost;
}
