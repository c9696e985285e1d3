/*
 * check_queues.c - the queues of allocations that may be evicted: in order, and with exactly the
 * allocations that say so. Residency lists have queues of the same kind (check_lists.c).
 */
#include "object/allocation.h"
#include "check/bookkeeping.h"

#define PRIORITY_SHIFT 27u /* policy.c: priorities share a bucket by their highest five bits */

struct members {
    uint32_t count;
    bool linked, ordered, alike;
};

static struct members walk_bucket(const struct resident_bucket *bucket, uint32_t index,
                                  uint32_t most) {
    struct members found = {.linked = true, .ordered = true, .alike = true};
    const struct resident *before = NULL;
    for (const struct resident *one = bucket->first; one; before = one, one = one->next) {
        found.linked = one->previous == before && one->queued &&
                       one->facts.priority >> PRIORITY_SHIFT == index && found.count < most;
        if (!found.linked)
            return found;
        found.count++;
        if (before) {
            found.ordered &= before->facts.last_use <= one->facts.last_use;
            found.alike &= before->facts.priority == one->facts.priority;
        }
    }
    found.linked = bucket->last == before;
    return found;
}

void check_queue(const struct vidmm_adapter *adapter, const struct resident_queue *queue,
                 struct check_object object) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < RESIDENT_BUCKETS; i++) {
        const struct resident_bucket *bucket = &queue->buckets[i];
        struct members found = walk_bucket(bucket, i, queue->count);
        CHECK(adapter, found.linked, object, "its members are not linked both ways");
        CHECK(adapter, found.ordered, object, "its members are not in the order of their last use");
        CHECK(adapter, found.alike || bucket->mixed, object,
              "priorities differ where all should be alike");
        CHECK(adapter, ((queue->map >> i) & 1u) == !!bucket->first, object,
              "its map does not say which buckets have members");
        count += found.count;
    }
    CHECK(adapter, count == queue->count, object, "its members are not as many as counted");
}

/* How many allocations say that they are in the queue of each segment. */
struct queued {
    struct vidmm_adapter *adapter;
    uint32_t count[SEGMENTS_TOTAL];
};

static void count_queued(void *ctx, struct vidmm_allocation *allocation) {
    struct queued *queued = ctx;
    if (!allocation->resident.queued)
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
