/*
 * adaptive.c - the policy `adaptive`: what is predicted to be used last leaves first, as long as
 * that moves fewer bytes than LRU would.
 *
 * The prediction is one mean interval after the last use. What did not come when it was due leaves
 * before all that is still expected, least recently used first; so does what never came back, once
 * it is older than intervals usually are. Two caches without content, as large as the memory of the
 * adapter, are kept beside the real one, one by each rule; the bytes that they missed, of which a
 * part is forgotten each time that as many bytes as there is memory were referenced, choose the rule
 * by which the real one goes. So a rule that is bad for a workload is left after about as many bytes.
 *
 * Only whole numbers, so that each build decides the same.
 */
#include <stddef.h>

#include "memory/adaptive.h"

#include "memory/order.h"

enum rule { RULE_LRU, RULE_INTERVAL, RULES };

/* An allocation that was used. `node` of a rule: in the cache of that rule. */
struct item {
    struct order_node node[RULES], due;
    bool in[RULES], waits;        /* waits: it is in the order of what is due */
    bool held;                    /* the submission at hand uses it */
    struct item *previous, *next; /* of those that are held */
    struct item *older, *newer;   /* of all */
    struct vidmm_candidate *candidate;
    uint64_t size, last, interval; /* interval 0: it never came back */
    uint64_t rank[RULES];
};

struct adaptive {
    const struct vidmm_policy_host *host;
    struct order cache[RULES], due;
    uint64_t used[RULES], missed[RULES]; /* bytes */
    uint64_t memory, referenced;         /* bytes; referenced: since something was forgotten */
    uint64_t number, turns;              /* the submission at hand; given so far */
    uint64_t typical;                    /* mean of all intervals */
    struct item *held, *items;
    enum rule live;
};

#define LAST_TO_LEAVE (UINT64_MAX - 1) /* of ranks: above all predictions */
#define MARGIN        16u              /* the live rule is worse by more than one part in so many */
#define FORGOTTEN     4u               /* one part in so many of what was missed */

static bool adaptive_init(const struct vidmm_policy_host *host, void **policy) {
    struct adaptive *adaptive = host->alloc(host->ctx, sizeof(*adaptive));
    if (!adaptive)
        return false;
    adaptive->host = host;
    adaptive->typical = 1;
    for (uint32_t i = 0; i <= VIDMM_POLICY_SEGMENTS; i++)
        adaptive->memory += host->memory[i];
    *policy = adaptive;
    return true;
}

static void adaptive_done(void *policy) {
    struct adaptive *adaptive = policy;
    adaptive->host->free(adaptive->host->ctx, adaptive, sizeof(*adaptive));
}

/* ---- Ranks ------------------------------------------------------------------------------------ */

static uint64_t item_expected(const struct adaptive *adaptive, const struct item *item) {
    return item->last + (item->interval ? item->interval : adaptive->typical);
}

static void item_take(struct adaptive *adaptive, struct item *item, enum rule rule) {
    if (!item->in[rule])
        return;
    order_remove(&adaptive->cache[rule], &item->node[rule]);
    item->in[rule] = false;
}

/* Into the cache of a rule, at its rank. */
static void item_put(struct adaptive *adaptive, struct item *item, enum rule rule) {
    item->node[rule].rank = item->rank[rule];
    item->node[rule].turn = ++adaptive->turns;
    order_insert(&adaptive->cache[rule], &item->node[rule]);
    item->in[rule] = true;
}

/* Both caches and the real one follow the prediction. */
static void item_predict(struct adaptive *adaptive, struct item *item, uint64_t rank) {
    bool cached = item->in[RULE_INTERVAL];
    item_take(adaptive, item, RULE_INTERVAL);
    item->rank[RULE_INTERVAL] = rank;
    if (cached)
        item_put(adaptive, item, RULE_INTERVAL);
    if (adaptive->live == RULE_INTERVAL && !item->held)
        adaptive->host->rank(adaptive->host->ctx, item->candidate, rank);
}

static void item_wait(struct adaptive *adaptive, struct item *item, bool waits) {
    if (item->waits)
        order_remove(&adaptive->due, &item->due);
    item->waits = waits;
    if (!waits)
        return;
    item->due.rank = 2 * item_expected(adaptive, item) - item->last + 1;
    item->due.turn = ++adaptive->turns;
    order_insert(&adaptive->due, &item->due);
}

static struct item *item_of_due(struct order_node *node) {
    return (struct item *)((uintptr_t)node - offsetof(struct item, due));
}

/* What did not come when it was due leaves first. */
static void expect_no_longer(struct adaptive *adaptive) {
    struct order_node *first;
    while ((first = order_first(&adaptive->due)) && first->rank < adaptive->number) {
        struct item *item = item_of_due(first);
        item_wait(adaptive, item, false);
        item_predict(adaptive, item, item->last);
    }
}

/* ---- The caches without content --------------------------------------------------------------- */

static void cache_drop(struct adaptive *adaptive, struct item *item, enum rule rule) {
    if (!item->in[rule])
        return;
    item_take(adaptive, item, rule);
    adaptive->used[rule] -= item->size;
}

static void cache_shrink(struct adaptive *adaptive, enum rule rule) {
    struct order_node *first;
    while (adaptive->used[rule] > adaptive->memory &&
           (first = order_first(&adaptive->cache[rule]))) {
        struct item *item = (struct item *)((uintptr_t)first - offsetof(struct item, node) -
                                            rule * sizeof(struct order_node));
        cache_drop(adaptive, item, rule);
    }
}

static void cache_use(struct adaptive *adaptive, struct item *item) {
    adaptive->referenced += item->size;
    for (uint32_t rule = 0; rule < RULES; rule++) {
        if (!item->in[rule]) {
            adaptive->missed[rule] += item->size;
            adaptive->used[rule] += item->size;
        }
        item_take(adaptive, item, (enum rule)rule); /* while it is held nothing evicts it */
        cache_shrink(adaptive, (enum rule)rule);
    }
}

/* ---- The choice ------------------------------------------------------------------------------- */

static void adaptive_switch(struct adaptive *adaptive, enum rule live) {
    adaptive->live = live;
    for (struct item *item = adaptive->items; item; item = item->newer) {
        if (!item->held)
            adaptive->host->rank(adaptive->host->ctx, item->candidate, item->rank[live]);
    }
}

/* A part of what was missed long ago is forgotten, and the better rule goes on. */
static void adaptive_choose(struct adaptive *adaptive) {
    enum rule live = adaptive->live, other = live == RULE_LRU ? RULE_INTERVAL : RULE_LRU;
    if (adaptive->referenced < adaptive->memory)
        return;
    adaptive->referenced = 0;
    if (adaptive->missed[live] / MARGIN * (MARGIN - 1) > adaptive->missed[other])
        adaptive_switch(adaptive, other);
    for (uint32_t rule = 0; rule < RULES; rule++)
        adaptive->missed[rule] -= adaptive->missed[rule] / FORGOTTEN;
}

/* ---- What is held ----------------------------------------------------------------------------- */

static void item_hold(struct adaptive *adaptive, struct item *item) {
    item->held = true;
    item->previous = NULL;
    item->next = adaptive->held;
    if (item->next)
        item->next->previous = item;
    adaptive->held = item;
}

static void item_release(struct adaptive *adaptive, struct item *item) {
    *(item->previous ? &item->previous->next : &adaptive->held) = item->next;
    if (item->next)
        item->next->previous = item->previous;
    item->held = false;
}

/* The submission has all that it uses: that may leave again. */
static void release_all(struct adaptive *adaptive) {
    struct item *item;
    while ((item = adaptive->held)) {
        item_release(adaptive, item);
        for (uint32_t rule = 0; rule < RULES; rule++)
            item_put(adaptive, item, (enum rule)rule);
        adaptive->host->rank(adaptive->host->ctx, item->candidate, item->rank[adaptive->live]);
    }
    for (uint32_t rule = 0; rule < RULES; rule++)
        cache_shrink(adaptive, (enum rule)rule);
    expect_no_longer(adaptive);
    adaptive_choose(adaptive);
}

/* ---- What it is told -------------------------------------------------------------------------- */

/* NULL: no memory, or it is at home in an aperture. */
static struct item *item_of(struct adaptive *adaptive, struct vidmm_candidate *candidate) {
    const struct vidmm_policy_host *host = adaptive->host;
    struct item *item = (struct item *)(uintptr_t)candidate->own[0];
    if (item || (candidate->segment && host->memory[candidate->segment] == 0))
        return item;
    item = host->alloc(host->ctx, sizeof(*item));
    candidate->own[0] = (uintptr_t)item;
    if (!item)
        return NULL;
    item->candidate = candidate;
    item->size = candidate->size;
    item->newer = adaptive->items;
    if (item->newer)
        item->newer->older = item;
    adaptive->items = item;
    return item;
}

/* Its mean interval, of which the newest is a quarter. */
static void item_came(struct adaptive *adaptive, struct item *item, uint64_t number) {
    if (item->last != 0 && item->last < number) {
        uint64_t newest = number - item->last;
        item->interval = item->interval ? (3 * item->interval + newest + 2) / 4 : newest;
        adaptive->typical = (15 * adaptive->typical + newest + 8) / 16;
    }
    item->last = number;
    item->rank[RULE_LRU] = number;
    item->rank[RULE_INTERVAL] = LAST_TO_LEAVE - 1 - item_expected(adaptive, item);
    item_wait(adaptive, item, true);
}

static uint64_t adaptive_used(void *policy, struct vidmm_candidate *candidate, bool write) {
    struct adaptive *adaptive = policy;
    uint64_t number = candidate->last_use;
    (void)write;
    if (number > adaptive->number) {
        release_all(adaptive);
        adaptive->number = number;
    }
    struct item *item = item_of(adaptive, candidate);
    if (!item)
        return number;
    item_came(adaptive, item, number);
    if (!item->held) {
        cache_use(adaptive, item);
        item_hold(adaptive, item);
    }
    return LAST_TO_LEAVE;
}

static void adaptive_freed(void *policy, struct vidmm_candidate *candidate) {
    struct adaptive *adaptive = policy;
    struct item *item = (struct item *)(uintptr_t)candidate->own[0];
    if (!item)
        return;
    for (uint32_t rule = 0; rule < RULES; rule++) {
        if (item->held)
            adaptive->used[rule] -= item->size;
        else
            cache_drop(adaptive, item, (enum rule)rule);
    }
    if (item->held)
        item_release(adaptive, item);
    item_wait(adaptive, item, false);
    *(item->older ? &item->older->newer : &adaptive->items) = item->newer;
    if (item->newer)
        item->newer->older = item->older;
    candidate->own[0] = 0;
    adaptive->host->free(adaptive->host->ctx, item, sizeof(*item));
}

static void adaptive_submitted(void *policy, uint64_t number) {
    (void)number;
    release_all(policy);
}

const struct vidmm_policy vidmm_policy_adaptive = {
    .version = VIDMM_POLICY_VERSION,
    .name = "adaptive",
    .init = adaptive_init,
    .done = adaptive_done,
    .used = adaptive_used,
    .freed = adaptive_freed,
    .submitted = adaptive_submitted,
};
