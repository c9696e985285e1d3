/*
 * check_queues.c - the queues of allocations that may be evicted: in order, and with exactly the
 * allocations that say so. Residency lists have queues of the same kind (check_lists.c).
 */
#include <stddef.h>

#include "object/allocation.h"
#include "check/bookkeeping.h"

static const struct resident *resident_of(const struct order_node *node) {
    return (const struct resident *)((uintptr_t)node - offsetof(struct resident, node));
}

/* At its resident's priority and rank, or before them where the resident was used since. */
static bool member_is_placed(const struct order_node *node) {
    const struct resident *resident = resident_of(node);
    return node->priority == resident->facts.priority &&
           (node->turn == resident->turn
                ? node->rank == resident->rank
                : node->turn < resident->turn && node->rank <= resident->rank);
}

/* A node is linked both ways, and lighter than its children. */
static bool member_is_sound(const struct resident_queue *queue, const struct order_node *node) {
    const struct order_node *children[2] = {node->left, node->right};
    bool sound = resident_of(node)->queue == queue;
    for (uint32_t i = 0; i < 2; i++)
        sound = sound && (!children[i] || (children[i]->parent == node &&
                                           order_weight(node) <= order_weight(children[i])));
    return sound;
}

void check_queue(const struct vidmm_adapter *adapter, const struct resident_queue *queue,
                 struct check_object object) {
    struct order order = {.root = queue->order.root};
    const struct order_node *before = NULL;
    bool ordered = true, placed = true, sound = true;
    uint32_t count = 0;
    for (const struct order_node *node = order_first(&order); node && count <= queue->count;
         before = node, node = order_next(&order, node)) {
        count++;
        sound = sound && member_is_sound(queue, node);
        placed = placed && member_is_placed(node);
        ordered = ordered && (!before || order_before(before, node));
    }
    CHECK(adapter, sound, object, "its members are not linked both ways");
    CHECK(adapter, placed, object, "its members are not where they belong");
    CHECK(adapter, ordered, object, "its members are not in the order in which they leave");
    CHECK(adapter, count == queue->count, object, "its members are not as many as counted");
}

/* How many allocations say that they are in the queue of each segment. */
struct queued {
    struct vidmm_adapter *adapter;
    uint32_t count[SEGMENTS_TOTAL];
};

static void count_queued(void *ctx, struct vidmm_allocation *allocation) {
    struct queued *queued = ctx;
    if (!allocation->resident.queue)
        return;
    CHECK(queued->adapter, allocation->segment, check_allocation(allocation),
          "in a queue of victims, and in no segment");
    if (allocation->segment)
        queued->count[allocation->segment->id - 1]++;
}

void check_queues(struct vidmm_adapter *adapter) {
    struct queued queued = {.adapter = adapter};
    allocation_each(adapter, count_queued, &queued);
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct resident_queue *queue = &adapter->facts.segments[i].queue;
        struct check_object object = check_object("queue of segment", i + 1);
        check_queue(adapter, queue, object);
        CHECK(adapter, queue->count == queued.count[i], object,
              "not those are in it that say they are");
    }
}
