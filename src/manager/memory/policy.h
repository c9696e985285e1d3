/*
 * policy.h - which allocation is evicted next: the policy that an adapter runs, and the queues that
 * it orders (vidmm/policy.h).
 *
 * Every allocation that is placed in a segment and may be evicted is a `struct resident` in that
 * segment's queue; pinned ones stay out of it. Residency lists have queues of the same kind, whose
 * residents follow the one of the allocation: they have its rank.
 */
#ifndef VIDMM_MANAGER_POLICY_H
#define VIDMM_MANAGER_POLICY_H

#include <vidmm/os.h>
#include <vidmm/policy.h>

#include "memory/order.h"

/* The policy of an adapter while it runs. */
struct policy_run {
    const struct vidmm_policy *policy; /* NULL: it was not started */
    void *own;                         /* what its init made */
    struct vidmm_policy_host host;
    uint64_t submitted; /* the newest submission that it was told of */
};

struct resident_queue {
    const struct policy_run *run; /* NULL: the order is that of the ranks, and nobody is asked */
    struct order order;
    uint32_t count;
    uint64_t turns; /* given so far */
};

/* Embedded in an allocation, and in an entry of a list. */
struct resident {
    struct order_node node;       /* in the queue's order */
    struct resident_queue *queue; /* that it is in; NULL: none */
    struct resident *follower;    /* the next one with the same rank; NULL: none */
    /*
     * What the policy sees. Priority, last_use, uses and segment change only through the functions
     * below, priority also while it is in no queue; idle and clean may be written at any time. An
     * entry of a list has those of its allocation.
     */
    struct vidmm_candidate facts;
    uint64_t rank;
    uint64_t turn; /* with `rank`, where it belongs in the order: there, or behind its node */
    void *owner;   /* the allocation, or the entry */
};

/* `policy` NULL: the library's default. `memory`: bytes of each segment by number, 0 for apertures;
 * `listed`: as of vidmm_policy_host. False: no memory. */
bool policy_start(struct policy_run *run, const struct vidmm_policy *policy,
                  const struct vidmm_os *os, const uint64_t memory[VIDMM_POLICY_SEGMENTS + 1],
                  bool listed);
/* Fine when it was not started. */
void policy_stop(struct policy_run *run);
/* It is asked whether one allocation leaves for another. */
bool policy_exchanges(const struct policy_run *run);
/* It says what allocations are worth that stay in memory. */
bool policy_knows_worth(const struct policy_run *run);
/* What all of it is worth, as the policy says, which must know that. */
uint64_t resident_worth(const struct policy_run *run, const struct resident *resident);
/* Submission `number` was given to the GPU; fine to be told again. */
void policy_submitted(struct policy_run *run, uint64_t number);

/* Submission `number` references it, which is told once. */
void resident_use(const struct policy_run *run, struct resident *resident, uint64_t number,
                  bool write);
/* It will not be used soon: it leaves before all others of its priority. */
void resident_dismiss(struct resident *resident);
/* Segment `segment` has it; 0: none any more. */
void resident_moved(const struct policy_run *run, struct resident *resident, uint32_t segment);
void resident_freed(const struct policy_run *run, struct resident *resident);
/* `follower` has the rank of `resident` from now on, or no longer. */
void resident_follow(struct resident *resident, struct resident *follower);
void resident_unfollow(struct resident *resident, const struct resident *follower);

void resident_queue_init(struct resident_queue *queue, const struct policy_run *run);
void resident_add(struct resident_queue *queue, struct resident *resident);
/* Fine when not queued. */
void resident_remove(struct resident *resident);
void resident_set_priority(const struct policy_run *run, struct resident *resident,
                           uint32_t priority);

/*
 * The resident that leaves first among those that `eligible` accepts (NULL: all), or NULL. It stays
 * queued. Of residents with equal ranks the clean ones come first as far as eight looks tell.
 */
typedef bool resident_eligible(void *ctx, const struct resident *resident);
struct resident *resident_victim(struct resident_queue *queue, resident_eligible *eligible,
                                 void *ctx);

#endif
