/*
 * policy.c - the policies of eviction, and the order of the default one: buckets of priorities,
 * least recently used first in each.
 *
 * The documented priorities (D3DDDI_ALLOCATIONPRIORITY_MINIMUM 0x28000000 to MAXIMUM 0xc8000000)
 * differ in their highest five bits, so each has a bucket of its own and the next victim is the
 * first of the lowest bucket. Any other value is legal and ordered between them; a bucket that
 * holds several is searched.
 */
#include "memory/policy.h"

#include <string.h>

#include "base/assert.h"

#define PRIORITY_SHIFT 27u
/* Residents of the same submission are equal; among that many of them a clean one is looked for. */
#define EQUAL_LOOKS 8u

static bool lru_before(const struct vidmm_candidate *a, const struct vidmm_candidate *b) {
    if (a->priority != b->priority)
        return a->priority < b->priority;
    if (a->last_use != b->last_use)
        return a->last_use < b->last_use;
    return a->clean && !b->clean;
}

const struct vidmm_policy vidmm_policy_lru = {.name = "lru", .before = lru_before};

/* A new policy is a function like lru_before, a structure and a row here. */
static const struct vidmm_policy *const policies[] = {
    &vidmm_policy_lru,
};

const struct vidmm_policy *vidmm_policy_at(size_t index) {
    return index < sizeof(policies) / sizeof(policies[0]) ? policies[index] : NULL;
}

static struct resident_bucket *bucket_of(struct resident_queue *queue,
                                         const struct resident *resident) {
    return &queue->buckets[resident->facts.priority >> PRIORITY_SHIFT];
}

void resident_queue_init(struct resident_queue *queue, const struct vidmm_policy *policy) {
    memset(queue, 0, sizeof(*queue));
    queue->policy = policy ? policy : &vidmm_policy_lru;
}

/*
 * The member after which `resident` belongs; NULL: it comes first. Looked for from both ends, as it
 * is either new or a victim that was spared.
 */
static struct resident *place_after(const struct resident_bucket *bucket,
                                    const struct resident *resident) {
    uint64_t last_use = resident->facts.last_use;
    struct resident *before = bucket->first, *after = bucket->last;
    while (before && before->facts.last_use < last_use && after->facts.last_use > last_use) {
        before = before->next;
        after = after->previous;
    }
    if (!before || after->facts.last_use <= last_use)
        return after;
    return before->previous;
}

void resident_add(struct resident_queue *queue, struct resident *resident) {
    VIDMM_ASSERT_WITH(NULL, !resident->queued);
    struct resident_bucket *bucket = bucket_of(queue, resident);
    struct resident *after = place_after(bucket, resident);
    resident->previous = after;
    resident->next = after ? after->next : bucket->first;
    if (bucket->first && bucket->first->facts.priority != resident->facts.priority)
        bucket->mixed = true;
    *(resident->previous ? &resident->previous->next : &bucket->first) = resident;
    *(resident->next ? &resident->next->previous : &bucket->last) = resident;
    resident->queued = true;
    queue->count++;
    queue->map |= 1u << (resident->facts.priority >> PRIORITY_SHIFT);
}

void resident_remove(struct resident_queue *queue, struct resident *resident) {
    if (!resident->queued)
        return;
    struct resident_bucket *bucket = bucket_of(queue, resident);
    *(resident->previous ? &resident->previous->next : &bucket->first) = resident->next;
    *(resident->next ? &resident->next->previous : &bucket->last) = resident->previous;
    resident->previous = resident->next = NULL;
    resident->queued = false;
    queue->count--;
    if (!bucket->first) {
        bucket->mixed = false;
        queue->map &= ~(1u << (resident->facts.priority >> PRIORITY_SHIFT));
    }
}

void resident_touch(struct resident_queue *queue, struct resident *resident, uint64_t number) {
    bool queued = resident->queued;
    resident_remove(queue, resident);
    resident->facts.last_use = number;
    resident->facts.uses++;
    if (queued)
        resident_add(queue, resident);
}

void resident_set_priority(struct resident_queue *queue, struct resident *resident,
                           uint32_t priority) {
    bool queued = resident->queued;
    resident_remove(queue, resident);
    resident->facts.priority = priority;
    if (queued)
        resident_add(queue, resident);
}

/* The policy's choice among all eligible members of a bucket and `best`. */
static struct resident *policy_search(const struct resident_queue *queue,
                                      const struct resident_bucket *bucket,
                                      resident_eligible *eligible, void *ctx,
                                      struct resident *best) {
    for (struct resident *r = bucket->first; r; r = r->next) {
        if ((!eligible || eligible(ctx, r)) &&
            (!best || queue->policy->before(&r->facts, &best->facts)))
            best = r;
    }
    return best;
}

/* The first eligible member of a bucket in LRU order; a clean one of its equals if one is near. */
static struct resident *front(const struct resident_bucket *bucket, resident_eligible *eligible,
                              void *ctx) {
    struct resident *first = bucket->first;
    while (first && eligible && !eligible(ctx, first))
        first = first->next;
    struct resident *r = first;
    for (uint32_t i = 0; r && i < EQUAL_LOOKS; i++, r = r->next) {
        if (r->facts.last_use != first->facts.last_use)
            break;
        if (r->facts.clean && (!eligible || eligible(ctx, r)))
            return r;
    }
    return first;
}

struct resident *resident_victim(const struct resident_queue *queue, resident_eligible *eligible,
                                 void *ctx) {
    bool ordered = queue->policy == &vidmm_policy_lru;
    struct resident *best = NULL;
    for (uint32_t map = queue->map; map != 0 && !(ordered && best); map &= map - 1u) {
        const struct resident_bucket *bucket = &queue->buckets[__builtin_ctz(map)];
        if (ordered && !bucket->mixed)
            best = front(bucket, eligible, ctx);
        else
            best = policy_search(queue, bucket, eligible, ctx, best);
    }
    return best;
}
