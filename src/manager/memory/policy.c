/*
 * policy.c - see policy.h: what the policy is told and asked, and the queues that it orders.
 */
#include "memory/policy.h"

#include <string.h>

#include "base/assert.h"
#include "memory/adaptive.h"

/* Residents of the same rank are equal; among that many of them a clean one is looked for. */
#define EQUAL_LOOKS 8u
/* Refusals of a policy in a row; then it is not asked. */
#define REFUSALS 64u

const struct vidmm_policy vidmm_policy_lru = {.version = VIDMM_POLICY_VERSION, .name = "lru"};

/* The default first. A new policy is a structure and a row here. */
static const struct vidmm_policy *const policies[] = {
    &vidmm_policy_adaptive,
    &vidmm_policy_lru,
};

const struct vidmm_policy *vidmm_policy_at(size_t index) {
    return index < sizeof(policies) / sizeof(policies[0]) ? policies[index] : NULL;
}

/* ---- The policy's life ------------------------------------------------------------------------ */

static void *policy_alloc(void *ctx, size_t size) {
    const struct vidmm_os *os = ctx;
    return os->alloc(os->ctx, size);
}

static void policy_free(void *ctx, void *memory, size_t size) {
    const struct vidmm_os *os = ctx;
    if (memory)
        os->free(os->ctx, memory, size);
}

static struct resident *resident_of(struct vidmm_candidate *candidate) {
    return (struct resident *)((uintptr_t)candidate - offsetof(struct resident, facts));
}

static void resident_rank(struct resident *resident, uint64_t rank);

static void policy_rank(void *ctx, struct vidmm_candidate *candidate, uint64_t rank) {
    (void)ctx;
    resident_rank(resident_of(candidate), rank);
}

bool policy_start(struct policy_run *run, const struct vidmm_policy *policy,
                  const struct vidmm_os *os, const uint64_t memory[VIDMM_POLICY_SEGMENTS + 1],
                  bool listed) {
    policy = policy ? policy : policies[0];
    *run = (struct policy_run){.host = {.ctx = (void *)(uintptr_t)os,
                                        .alloc = policy_alloc,
                                        .free = policy_free,
                                        .rank = policy_rank,
                                        .listed = listed}};
    memcpy(run->host.memory, memory, sizeof(run->host.memory));
    if (policy->init && !policy->init(&run->host, &run->own))
        return false;
    run->policy = policy;
    return true;
}

void policy_stop(struct policy_run *run) {
    if (run->policy && run->policy->done)
        run->policy->done(run->own);
    run->policy = NULL;
}

/* ---- What it is told -------------------------------------------------------------------------- */

/* What it would say beyond the order counts for the submission at hand. */
static bool policy_decides(const struct policy_run *run) {
    return !run->policy->exchanges || run->policy->exchanges(run->own);
}

bool policy_exchanges(const struct policy_run *run) {
    return run->policy && run->policy->exchange && policy_decides(run);
}

bool policy_knows_worth(const struct policy_run *run) {
    return run->policy && run->policy->worth && policy_decides(run);
}

uint64_t resident_worth(const struct policy_run *run, const struct resident *resident) {
    uint64_t pages = resident->facts.size / 4096u + 1u;
    uint64_t worth = run->policy->worth(run->own, &resident->facts);
    return worth > UINT64_MAX / pages ? UINT64_MAX : worth * pages;
}

void policy_submitted(struct policy_run *run, uint64_t number) {
    if (run->submitted == number)
        return;
    run->submitted = number;
    if (run->policy->submitted)
        run->policy->submitted(run->own, number);
}

void resident_use(const struct policy_run *run, struct resident *resident, uint64_t number,
                  bool write) {
    struct vidmm_candidate *facts = &resident->facts;
    if (facts->last_use == number && facts->uses)
        return;
    facts->last_use = number;
    facts->uses++;
    resident_rank(resident, run->policy->used ? run->policy->used(run->own, facts, write) : number);
}

void resident_dismiss(struct resident *resident) {
    resident->facts.last_use = 0;
    resident_rank(resident, 0);
}

void resident_moved(const struct policy_run *run, struct resident *resident, uint32_t segment) {
    struct vidmm_candidate *facts = &resident->facts;
    if (facts->segment == segment)
        return;
    if (facts->segment && run->policy->evicted)
        run->policy->evicted(run->own, facts);
    facts->segment = segment;
    if (segment && run->policy->admitted)
        resident_rank(resident, run->policy->admitted(run->own, facts));
}

void resident_freed(const struct policy_run *run, struct resident *resident) {
    resident_moved(run, resident, 0);
    if (run->policy->freed)
        run->policy->freed(run->own, &resident->facts);
}

/* ---- Queues ----------------------------------------------------------------------------------- */

void resident_queue_init(struct resident_queue *queue, const struct policy_run *run) {
    memset(queue, 0, sizeof(*queue));
    queue->run = run;
}

static void resident_insert(struct resident *resident) {
    resident->node.priority = resident->facts.priority;
    resident->node.rank = resident->rank;
    resident->node.turn = resident->turn;
    order_insert(&resident->queue->order, &resident->node);
}

void resident_add(struct resident_queue *queue, struct resident *resident) {
    VIDMM_ASSERT_WITH(NULL, !resident->queue);
    resident->turn = ++queue->turns;
    resident->queue = queue;
    queue->count++;
    resident_insert(resident);
}

void resident_remove(struct resident *resident) {
    struct resident_queue *queue = resident->queue;
    if (!queue)
        return;
    order_remove(&queue->order, &resident->node);
    resident->queue = NULL;
    queue->count--;
}

/*
 * Again at its place, which follows from what changed. One that would move back keeps its node until the
 * front of the order comes there (resident_settle): most are used again before that.
 */
static void resident_requeue(struct resident *resident) {
    struct resident_queue *queue = resident->queue;
    const struct order_node *node = &resident->node;
    if (!queue)
        return;
    resident->turn = ++queue->turns;
    if (node->priority == resident->facts.priority && node->rank <= resident->rank)
        return;
    order_remove(&queue->order, &resident->node);
    resident_insert(resident);
}

/* Whether its node was where it belongs; if not, it moves there. */
static bool resident_settle(struct resident *resident) {
    if (resident->node.turn == resident->turn)
        return true;
    order_remove(&resident->queue->order, &resident->node);
    resident_insert(resident);
    return false;
}

static void resident_rank(struct resident *resident, uint64_t rank) {
    for (struct resident *one = resident; one; one = one->follower) {
        one->rank = rank;
        resident_requeue(one);
    }
}

void resident_set_priority(const struct policy_run *run, struct resident *resident,
                           uint32_t priority) {
    resident->facts.priority = priority;
    resident_requeue(resident);
    if (run->policy->changed)
        run->policy->changed(run->own, &resident->facts);
}

void resident_follow(struct resident *resident, struct resident *follower) {
    follower->rank = resident->rank;
    follower->follower = resident->follower;
    resident->follower = follower;
}

void resident_unfollow(struct resident *resident, const struct resident *follower) {
    while (resident->follower != follower)
        resident = resident->follower;
    resident->follower = follower->follower;
}

/* ---- Victims ---------------------------------------------------------------------------------- */

static struct resident *resident_at(struct order_node *node) {
    return node ? (struct resident *)((uintptr_t)node - offsetof(struct resident, node)) : NULL;
}

/* The first one, with a node where it belongs; so those that follow it in the order follow its node. */
static struct resident *resident_first(struct resident_queue *queue) {
    struct resident *first = resident_at(order_first(&queue->order));
    while (first && !resident_settle(first))
        first = resident_at(order_first(&queue->order));
    return first;
}

static struct resident *resident_next(struct resident_queue *queue,
                                      const struct resident *resident) {
    struct resident *next = resident_at(order_next(&queue->order, &resident->node));
    while (next && !resident_settle(next))
        next = resident_at(order_next(&queue->order, &resident->node));
    return next;
}

/* The first eligible one; a clean one of its equals if one is near. */
static struct resident *front(struct resident_queue *queue, resident_eligible *eligible,
                              void *ctx) {
    struct resident *first = resident_first(queue);
    while (first && eligible && !eligible(ctx, first))
        first = resident_next(queue, first);
    struct resident *r = first;
    for (uint32_t i = 0; r && i < EQUAL_LOOKS; i++, r = resident_next(queue, r)) {
        if (r->node.rank != first->node.rank || r->node.priority != first->node.priority)
            break;
        if (r->facts.clean && (!eligible || eligible(ctx, r)))
            return r;
    }
    return first;
}

struct resident *resident_victim(struct resident_queue *queue, resident_eligible *eligible,
                                 void *ctx) {
    const struct vidmm_policy *policy = queue->run ? queue->run->policy : NULL;
    struct resident *victim = front(queue, eligible, ctx);
    for (uint32_t i = 0; victim && policy && policy->victim && i < REFUSALS; i++) {
        uint64_t rank = victim->rank;
        if (policy->victim(queue->run->own, &victim->facts, &rank))
            break;
        resident_rank(victim, rank);
        victim = front(queue, eligible, ctx);
    }
    return victim;
}
