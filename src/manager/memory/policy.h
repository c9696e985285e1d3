/*
 * policy.h - which allocation is evicted next.
 *
 * Every allocation that is placed in a segment and may be evicted is a `struct resident` in that
 * segment's queue. With vidmm_policy_lru the queue is kept in the order of eviction, so that the
 * next victim is its first eligible member; any other policy is asked about every member.
 * Pinned residents stay out of the queue.
 */
#ifndef VIDMM_MANAGER_POLICY_H
#define VIDMM_MANAGER_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <vidmm/manager.h>

/* Embedded in an allocation. Set `facts` and `owner` before resident_add. */
struct resident {
    struct resident *previous, *next;
    /*
     * What the policy sees. While queued, priority, last_use and uses change only through the
     * functions below; size, idle and clean may be written at any time.
     */
    struct vidmm_candidate facts;
    void *owner; /* the allocation */
    bool queued;
};

/* Priorities share a bucket by their highest bits; the documented values have one each. */
#define RESIDENT_BUCKETS 32u

struct resident_bucket {
    struct resident *first, *last; /* least recently used first */
    bool mixed;                    /* more than one priority value may be in here */
};

struct resident_queue {
    const struct vidmm_policy *policy;
    uint32_t count;
    uint32_t map; /* buckets that are not empty */
    struct resident_bucket buckets[RESIDENT_BUCKETS];
};

/* `policy` NULL: vidmm_policy_lru. */
void resident_queue_init(struct resident_queue *queue, const struct vidmm_policy *policy);
/* Quick when last_use is among the newest or the oldest of the queue, else a search. */
void resident_add(struct resident_queue *queue, struct resident *resident);
/* Fine when not queued. */
void resident_remove(struct resident_queue *queue, struct resident *resident);
/* Referenced by submission `number`, which is not older than any before. Fine when not queued. */
void resident_touch(struct resident_queue *queue, struct resident *resident, uint64_t number);
void resident_set_priority(struct resident_queue *queue, struct resident *resident,
                           uint32_t priority);

/*
 * The resident that the policy evicts first among those that `eligible` accepts (NULL: all), or
 * NULL. It stays queued. Of residents that the policy holds equal the clean ones come first as far
 * as eight looks tell.
 */
typedef bool resident_eligible(void *ctx, const struct resident *resident);
struct resident *resident_victim(const struct resident_queue *queue, resident_eligible *eligible,
                                 void *ctx);

#endif
