/*
 * adaptive.c - the policy `adaptive`: what is predicted to be used last leaves first, as long as
 * that moves fewer bytes than LRU would.
 *
 * Five rules. By two of them the next use is predicted from the intervals so far (intervals.h); what
 * did not come when it was due leaves before all that is still expected, least recently used first;
 * so does what never came back, once it is older than first intervals usually are. Two are LRU, and
 * LRU which lets nothing in that was away for longer than what would leave for it. The last one
 * decides as the policy `lru` does, which exchanges nothing that a device lists: where references
 * are random that is better than any exchange. It is the first one to be live.
 *
 * A cache without content for each rule, as large as the memory of the adapter, is kept beside the
 * real one; the bytes that they missed, of which a part is forgotten each time that as many bytes as
 * there is memory were referenced, choose the rule by which the real one goes. So a rule that is bad
 * for a workload is left after about as many bytes. A rule under which the real memory misses more
 * than its cache is held to that. Over few uses one of two rules misses less by chance, so that the first
 * rule is left only for a cache that missed less of late than the real memory did by more than chance.
 *
 * What is not let in by its rule is used in an aperture where it can be, and is read there.
 *
 * As long as all that was used fits nothing leaves, and the caches are not kept.
 *
 * Only whole numbers, so that each build decides the same.
 */
#include <stddef.h>

#include "memory/adaptive.h"

#include "memory/intervals.h"
#include "memory/order.h"

enum rule {
    RULE_MEAN,   /* the predicted use is one mean interval away */
    RULE_PERIOD, /* one interval of those that come in turn */
    PREDICTIONS,
    RULE_EXCHANGE = PREDICTIONS, /* LRU */
    RULE_RETURN, /* LRU, but what comes back later than others were used does not come in */
    RULE_LRU,    /* what the policy lru does: nothing listed leaves that was used of late */
    RULES
};

/* An allocation that was used; what each use reads is together. `node` of a rule: in the cache of that rule. */
struct item {
    struct vidmm_candidate *candidate;
    struct item *previous, *next; /* of those that are held */
    uint64_t size;
    struct intervals intervals;
    uint64_t rank[RULES];
    bool refused[RULES];                /* when it was used last */
    bool held;                          /* the submission at hand uses it */
    bool in[RULES], waits[PREDICTIONS]; /* waits: it is in the order of what is due */
    struct item *older, *newer;         /* of all */
    struct order_node node[RULES], due[PREDICTIONS];
};

struct adaptive {
    const struct vidmm_policy_host *host;
    struct order cache[RULES], due[PREDICTIONS];
    uint64_t used[RULES], missed[RULES]; /* bytes */
    uint64_t memory, referenced;         /* bytes; referenced: since something was forgotten */
    uint64_t total;                      /* bytes of all items */
    uint64_t real, told; /* bytes missed since: by the real memory, and by the cache of its rule */
    uint64_t was_real[RULES], was_told[RULES]; /* the same, while the rule was live */
    /* While LRU is live: pages that the real memory missed and that each cache missed, and squares of the
     * pages of each use that only one of the two missed. */
    uint64_t real_pages, pages[RULES], apart[RULES];
    uint64_t real_missed;   /* bytes, since a part of these was forgotten */
    uint32_t periods;       /* of as many bytes used as there is memory; since the last switch */
    bool switched;          /* ever */
    bool needed;            /* the bytes of all were about to be more than there is memory */
    uint64_t number, turns; /* the submission at hand; given so far */
    uint64_t typical;       /* mean of first intervals */
    struct item *held, *items;
    enum rule live;
};

#define LONG          64u /* submissions */
#define SPARE         8u  /* one part in so many of memory is free until caches are needed */
#define LAST_TO_LEAVE (UINT64_MAX - 1) /* of ranks: above all predictions */
#define MARGIN        16u              /* another rule is better by more than one part in so many */
#define MARGIN_LRU    4u               /* the same, than LRU where ranges are needed */
#define GAIN_LRU      3u  /* where ranges are needed, also by one part in so many of memory */
#define SETTLED_LRU   4u  /* periods after a switch to LRU, where ranges are needed */
#define SURE          12u /* LRU is left for what saves 3.5 times as much as chance would: squared */
#define SURE_RANGES   6u  /* the same where ranges are needed: MARGIN_LRU holds, too */
#define UNIT          256u /* of factors: one */
#define FACTOR_LEAST  (UNIT / 2)
#define FACTOR_MOST   (4 * UNIT)
#define UNTRIED       (2 * UNIT)
#define OLDER         8u /* one part in so many of what the real memory missed, and its cache */
#define FORGOTTEN     8u /* one part in so many of what was missed */
#define WORTH         (1u << 20) /* 4096 bytes that are used at once */
#define OVERDUE       4u         /* of what did not come when it was due one part in so many */

static bool adaptive_init(const struct vidmm_policy_host *host, void **policy) {
    struct adaptive *adaptive = host->alloc(host->ctx, sizeof(*adaptive));
    if (!adaptive)
        return false;
    adaptive->host = host;
    adaptive->typical = 1;
    adaptive->live = RULE_LRU;
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

/* Submissions until the next use, as the rule says. */
static uint64_t item_interval(const struct adaptive *adaptive, const struct item *item,
                              enum rule rule) {
    if (item->intervals.count == 0)
        return adaptive->typical;
    return rule == RULE_MEAN ? item->intervals.mean : intervals_periodic(&item->intervals);
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
    item->node[rule].priority = item->candidate->priority;
    item->node[rule].turn = ++adaptive->turns;
    order_insert(&adaptive->cache[rule], &item->node[rule]);
    item->in[rule] = true;
}

/* The cache of the rule and, if it is live, the real one follow the prediction. */
static void item_predict(struct adaptive *adaptive, struct item *item, enum rule rule,
                         uint64_t rank) {
    bool cached = item->in[rule];
    item_take(adaptive, item, rule);
    item->rank[rule] = rank;
    if (cached)
        item_put(adaptive, item, rule);
    if (adaptive->live == rule && !item->held)
        adaptive->host->rank(adaptive->host->ctx, item->candidate, rank);
}

static void item_wait_no_longer(struct adaptive *adaptive, struct item *item, enum rule rule) {
    if (item->waits[rule])
        order_remove(&adaptive->due[rule], &item->due[rule]);
    item->waits[rule] = false;
}

/* It is expected one interval from now, and given up after two. */
static void item_wait(struct adaptive *adaptive, struct item *item, enum rule rule) {
    uint64_t interval = item_interval(adaptive, item, rule);
    item_wait_no_longer(adaptive, item, rule);
    item->waits[rule] = true;
    item->due[rule].rank = item->intervals.last + 2 * interval + 1;
    item->due[rule].turn = ++adaptive->turns;
    order_insert(&adaptive->due[rule], &item->due[rule]);
    item->rank[rule] = LAST_TO_LEAVE - 1 - (item->intervals.last + interval);
}

static struct item *item_of_due(struct order_node *node, enum rule rule) {
    return (struct item *)((uintptr_t)node - offsetof(struct item, due) -
                           rule * sizeof(struct order_node));
}

/* By the rule `out` leaves for it. RULE_RETURN: it was away for less long than `out` is now, or comes
 * for the first time. */
static bool item_replaces(const struct adaptive *adaptive, const struct item *item,
                          const struct item *out, enum rule rule) {
    uint64_t unused = adaptive->number - out->intervals.last;
    if (rule == RULE_LRU)
        return unused > LONG;
    return rule == RULE_RETURN ? intervals_newest(&item->intervals) <= unused
                               : item->rank[rule] > out->rank[rule];
}

/* What did not come when it was due leaves first. */
static void expect_no_longer(struct adaptive *adaptive, enum rule rule) {
    struct order_node *first;
    while ((first = order_first(&adaptive->due[rule])) && first->rank < adaptive->number) {
        struct item *item = item_of_due(first, rule);
        item_wait_no_longer(adaptive, item, rule);
        item_predict(adaptive, item, rule, item->intervals.last);
    }
}

/* ---- The caches without content --------------------------------------------------------------- */

static void cache_drop(struct adaptive *adaptive, struct item *item, enum rule rule) {
    if (!item->in[rule])
        return;
    item_take(adaptive, item, rule);
    adaptive->used[rule] -= item->size;
}

/* What it takes of the cache of a rule from its use on. */
static uint64_t item_takes(const struct item *item, enum rule rule) {
    return item->refused[rule] ? 0 : item->size;
}

static struct item *item_of_node(const struct order_node *node, enum rule rule) {
    return (struct item *)((uintptr_t)node - offsetof(struct item, node) -
                           rule * sizeof(struct order_node));
}

static void cache_shrink(struct adaptive *adaptive, enum rule rule) {
    struct order_node *first;
    while (adaptive->used[rule] > adaptive->memory && (first = order_first(&adaptive->cache[rule])))
        cache_drop(adaptive, item_of_node(first, rule), rule);
}

/* It is missed, and by a rule that may refuse some of what would leave for it stays. What has a lower
 * priority, as offers have, always leaves. */
static bool cache_refuses(struct adaptive *adaptive, const struct item *item, enum rule rule) {
    struct order *cache = &adaptive->cache[rule];
    bool refuses = rule == RULE_RETURN || (rule == RULE_LRU && adaptive->host->listed);
    bool asked = refuses && !item->in[rule];
    const struct order_node *node = asked ? order_first(cache) : NULL;
    uint64_t used = adaptive->used[rule] + item->size;
    for (; node && used > adaptive->memory; node = order_next(cache, node)) {
        const struct item *out = item_of_node(node, rule);
        if (out->node[rule].priority >= item->candidate->priority &&
            !item_replaces(adaptive, item, out, rule))
            return true;
        used -= out->size;
    }
    return false;
}

/* What a switch from LRU would have saved. Where both miss the same uses as often, the difference of what they
 * miss is about as large as the root of the sum of the squares. */
static void cache_differ(struct adaptive *adaptive, const struct item *item, bool real) {
    uint64_t pages = item->size / 4096u;
    adaptive->real_pages += real ? 0 : pages;
    adaptive->real_missed += real ? 0 : item->size;
    for (uint32_t rule = 0; rule < RULES; rule++) {
        adaptive->pages[rule] += item->in[rule] ? 0 : pages;
        adaptive->apart[rule] += item->in[rule] != real ? pages * pages : 0;
    }
}

static void cache_use(struct adaptive *adaptive, struct item *item) {
    uint32_t segment = item->candidate->segment;
    bool real = segment && adaptive->host->memory[segment];
    if (adaptive->live == RULE_LRU)
        cache_differ(adaptive, item, real);
    adaptive->referenced += item->size;
    adaptive->real += real ? 0 : item->size;
    adaptive->told += item->in[adaptive->live] ? 0 : item->size;
    for (uint32_t rule = 0; rule < RULES; rule++) {
        item->refused[rule] = cache_refuses(adaptive, item, (enum rule)rule);
        if (rule == RULE_RETURN)
            item->rank[rule] = item->refused[rule] ? 0 : item->intervals.last;
        if (!item->in[rule]) {
            adaptive->missed[rule] += item->size;
            adaptive->used[rule] += item_takes(item, (enum rule)rule);
        }
        item_take(adaptive, item, (enum rule)rule); /* while it is held nothing evicts it */
        cache_shrink(adaptive, (enum rule)rule);
    }
}

/* ---- The choice ------------------------------------------------------------------------------- */

static void adaptive_switch(struct adaptive *adaptive, enum rule live) {
    adaptive->live = live;
    adaptive->switched = true;
    adaptive->periods = 0;
    for (struct item *item = adaptive->items; item; item = item->newer) {
        if (!item->held)
            adaptive->host->rank(adaptive->host->ctx, item->candidate, item->rank[live]);
    }
}

/* How many bytes the real memory missed while the rule was live, for UNIT bytes by its cache. A few bytes say
 * little. */
static uint64_t adaptive_factor(const struct adaptive *adaptive, enum rule rule) {
    uint64_t real = adaptive->was_real[rule] + adaptive->memory;
    uint64_t factor = real * UNIT / (adaptive->was_told[rule] + adaptive->memory);
    return factor > FACTOR_MOST ? FACTOR_MOST : factor < FACTOR_LEAST ? FACTOR_LEAST : factor;
}

/*
 * The same of a rule but LRU; at least UNIT. One that was never live is taken to err as much as LRU does:
 * where the cache of LRU misses more than LRU that of the rule may miss less than the rule, and ranges that
 * are too short are so for each rule. What LRU errs beyond UNTRIED comes from what it leaves in an aperture,
 * and the others bring in. Where ranges are needed a rule that predicts misses more after a switch, so that
 * only a half of it counts.
 */
static uint64_t adaptive_expected(const struct adaptive *adaptive, enum rule rule) {
    uint64_t factor = adaptive_factor(adaptive, rule), lru = adaptive_factor(adaptive, RULE_LRU);
    bool listed = adaptive->host->listed;
    if (adaptive->was_told[rule] == 0)
        return lru < UNIT ? UNIT * UNIT / lru : listed ? UNIT : lru < UNTRIED ? lru : UNTRIED;
    factor = factor < UNIT ? UNIT : factor;
    return listed ? factor : (factor + UNIT) / 2;
}

/*
 * Bytes that the rule missed of late by its cache, corrected by what the real memory missed while the
 * rule was live: it has ranges that are too short, budgets, and what must come in.
 */
static uint64_t adaptive_score(const struct adaptive *adaptive, enum rule rule) {
    uint64_t factor =
        rule == RULE_LRU ? adaptive_factor(adaptive, rule) : adaptive_expected(adaptive, rule);
    return adaptive->missed[rule] / UNIT * factor;
}

/* The first bytes after a switch are missed by the real memory because another rule filled it: those of
 * one period, of several by LRU where ranges are needed, of none by LRU elsewhere. */
static bool adaptive_settled(const struct adaptive *adaptive) {
    bool lru = adaptive->live == RULE_LRU, ranges = !adaptive->host->listed;
    uint32_t periods = lru && ranges && adaptive->switched ? SETTLED_LRU : !lru || ranges;
    return adaptive->periods >= periods;
}

static void adaptive_compare(struct adaptive *adaptive) {
    enum rule live = adaptive->live;
    if (adaptive_settled(adaptive)) {
        adaptive->was_real[live] += adaptive->real - adaptive->was_real[live] / OLDER;
        adaptive->was_told[live] += adaptive->told - adaptive->was_told[live] / OLDER;
    }
    adaptive->periods++;
    adaptive->real = adaptive->told = 0;
}

/* `best` is so much better than the live rule that a switch pays. Where ranges are needed most of memory
 * comes anew behind one. */
static bool adaptive_pays(const struct adaptive *adaptive, uint64_t live, uint64_t best) {
    bool lru = adaptive->live == RULE_LRU && !adaptive->host->listed;
    uint64_t margin = lru ? MARGIN_LRU : MARGIN;
    uint64_t least = lru ? adaptive->memory / GAIN_LRU : 0;
    return live / margin * (margin - 1) > best && live - best > least;
}

/* LRU is live, and the rule would have missed so much less than the real memory that it is not by chance. */
static bool adaptive_sure(const struct adaptive *adaptive, enum rule rule) {
    uint64_t missed = adaptive->pages[rule] * adaptive_expected(adaptive, rule) / UNIT;
    uint64_t saved = missed < adaptive->real_pages ? adaptive->real_pages - missed : 0;
    return saved * saved / (adaptive->host->listed ? SURE : SURE_RANGES) > adaptive->apart[rule];
}

static enum rule adaptive_best(const struct adaptive *adaptive, const uint64_t score[RULES]) {
    bool lru = adaptive->live == RULE_LRU;
    enum rule best = adaptive->live;
    for (uint32_t i = 0; i < RULES; i++) {
        enum rule rule = (enum rule)i;
        if (score[rule] < score[best] && (!lru || adaptive_sure(adaptive, rule)))
            best = rule;
    }
    return best;
}

/* What was saved is forgotten by bytes that the real memory missed and not by bytes referenced: where it misses
 * few, it would be forgotten before it is more than chance. Of squares twice the part, so that both are as
 * old. */
static void adaptive_forget(struct adaptive *adaptive) {
    bool saved = adaptive->real_missed >= adaptive->memory;
    for (uint32_t rule = 0; rule < RULES; rule++) {
        adaptive->missed[rule] -= adaptive->missed[rule] / FORGOTTEN;
        adaptive->pages[rule] -= saved ? adaptive->pages[rule] / FORGOTTEN : 0;
        adaptive->apart[rule] -= saved ? adaptive->apart[rule] / FORGOTTEN * 2 : 0;
    }
    if (!saved)
        return;
    adaptive->real_pages -= adaptive->real_pages / FORGOTTEN;
    adaptive->real_missed = 0;
}

/* A part of what was missed long ago is forgotten, and the best rule goes on. */
static void adaptive_choose(struct adaptive *adaptive) {
    enum rule live = adaptive->live, best;
    uint64_t score[RULES];
    if (!adaptive->needed || adaptive->referenced < adaptive->memory)
        return;
    adaptive->referenced = 0;
    adaptive_compare(adaptive);
    for (uint32_t rule = 0; rule < RULES; rule++)
        score[rule] = adaptive_score(adaptive, (enum rule)rule);
    best = adaptive_best(adaptive, score);
    if (adaptive->periods > 1 && adaptive_pays(adaptive, score[live], score[best]))
        adaptive_switch(adaptive, best);
    else if (adaptive->periods > 1 && score[live] > score[RULE_LRU])
        adaptive_switch(adaptive, RULE_LRU);
    adaptive_forget(adaptive);
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
        for (uint32_t rule = 0; rule < RULES; rule++) {
            if (item_takes(item, (enum rule)rule))
                item_put(adaptive, item, (enum rule)rule);
        }
        if (adaptive->live != RULE_LRU)
            adaptive->host->rank(adaptive->host->ctx, item->candidate, item->rank[adaptive->live]);
    }
    for (uint32_t rule = 0; rule < RULES; rule++)
        cache_shrink(adaptive, (enum rule)rule);
    for (uint32_t rule = 0; rule < PREDICTIONS; rule++)
        expect_no_longer(adaptive, (enum rule)rule);
    adaptive_choose(adaptive);
}

/* ---- What it is told -------------------------------------------------------------------------- */

/* NULL: no memory, or it would not rather lie in memory. */
static struct item *item_of(struct adaptive *adaptive, struct vidmm_candidate *candidate) {
    const struct vidmm_policy_host *host = adaptive->host;
    struct item *item = (struct item *)(uintptr_t)candidate->own[0];
    if (item || !candidate->local)
        return item;
    item = host->alloc(host->ctx, sizeof(*item));
    candidate->own[0] = (uintptr_t)item;
    if (!item)
        return NULL;
    item->candidate = candidate;
    item->size = candidate->size;
    adaptive->total += item->size;
    item->newer = adaptive->items;
    if (item->newer)
        item->newer->older = item;
    adaptive->items = item;
    return item;
}

static void item_came(struct adaptive *adaptive, struct item *item, uint64_t number) {
    intervals_use(&item->intervals, number);
    if (item->intervals.count == 1)
        adaptive->typical = (15 * adaptive->typical + item->intervals.mean + 8) / 16;
    item->rank[RULE_LRU] = item->rank[RULE_EXCHANGE] = number;
    for (uint32_t rule = 0; adaptive->needed && rule < PREDICTIONS; rule++)
        item_wait(adaptive, item, (enum rule)rule);
}

/* What was used so far is in the caches: all of it fits, or nearly. */
static void caches_begin(struct adaptive *adaptive) {
    adaptive->needed = true;
    for (struct item *item = adaptive->items; item; item = item->newer) {
        if (item->intervals.last == 0)
            continue;
        for (uint32_t rule = 0; rule < RULES; rule++) {
            if (rule < PREDICTIONS)
                item_wait(adaptive, item, (enum rule)rule);
            else
                item->rank[rule] = item->intervals.last;
            item_put(adaptive, item, (enum rule)rule);
            adaptive->used[rule] += item->size;
            adaptive->missed[rule] += item->size;
        }
    }
}

static uint64_t adaptive_used(void *policy, struct vidmm_candidate *candidate, bool write) {
    struct adaptive *adaptive = policy;
    uint64_t number = candidate->last_use;
    (void)write;
    if (number > adaptive->number) {
        release_all(adaptive);
        adaptive->number = number;
    }
    struct item *item = adaptive->memory ? item_of(adaptive, candidate) : NULL;
    if (!item)
        return number;
    if (!adaptive->needed && adaptive->total > adaptive->memory - adaptive->memory / SPARE)
        caches_begin(adaptive);
    item_came(adaptive, item, number);
    if (!adaptive->needed)
        return number;
    if (!item->held) {
        cache_use(adaptive, item);
        item_hold(adaptive, item);
    }
    return adaptive->live == RULE_LRU ? number : LAST_TO_LEAVE;
}

static void adaptive_freed(void *policy, struct vidmm_candidate *candidate) {
    struct adaptive *adaptive = policy;
    struct item *item = (struct item *)(uintptr_t)candidate->own[0];
    if (!item)
        return;
    for (uint32_t rule = 0; rule < RULES; rule++) {
        if (item->held)
            adaptive->used[rule] -= item_takes(item, (enum rule)rule);
        else
            cache_drop(adaptive, item, (enum rule)rule);
    }
    if (item->held)
        item_release(adaptive, item);
    for (uint32_t rule = 0; rule < PREDICTIONS; rule++)
        item_wait_no_longer(adaptive, item, (enum rule)rule);
    *(item->older ? &item->older->newer : &adaptive->items) = item->newer;
    if (item->newer)
        item->newer->older = item->older;
    adaptive->total -= item->size;
    candidate->own[0] = 0;
    adaptive->host->free(adaptive->host->ctx, item, sizeof(*item));
}

static void adaptive_submitted(void *policy, uint64_t number) {
    (void)number;
    release_all(policy);
}

/* What is predicted to be used sooner. */
static bool adaptive_exchange(void *policy, const struct vidmm_candidate *coming,
                              const struct vidmm_candidate *leaving) {
    const struct adaptive *adaptive = policy;
    const struct item *in = (const struct item *)(uintptr_t)coming->own[0];
    const struct item *out = (const struct item *)(uintptr_t)leaving->own[0];
    if (!in || !out)
        return !out;
    return !out->held && item_replaces(adaptive, in, out, adaptive->live);
}

/* Where all is decided as by the policy lru, also what comes back from apertures. */
static bool adaptive_exchanges(void *policy) {
    const struct adaptive *adaptive = policy;
    return adaptive->live != RULE_LRU;
}

/* It lies in the caches where its priority says. */
static void adaptive_changed(void *policy, struct vidmm_candidate *candidate) {
    struct adaptive *adaptive = policy;
    struct item *item = (struct item *)(uintptr_t)candidate->own[0];
    for (uint32_t rule = 0; item && rule < RULES; rule++) {
        if (!item->in[rule])
            continue;
        item_take(adaptive, item, (enum rule)rule);
        item_put(adaptive, item, (enum rule)rule);
    }
}

/* The sooner its next use the more: by LRU that is as far away as its last one. */
static uint64_t adaptive_worth(void *policy, const struct vidmm_candidate *candidate) {
    const struct adaptive *adaptive = policy;
    const struct item *item = (const struct item *)(uintptr_t)candidate->own[0];
    uint64_t unused = adaptive->number - candidate->last_use + 1;
    if (!item || !adaptive->needed || adaptive->live >= PREDICTIONS)
        return WORTH / unused;
    if (!item->waits[adaptive->live])
        return WORTH / OVERDUE / unused;
    uint64_t due = LAST_TO_LEAVE - 1 - item->rank[adaptive->live], now = adaptive->number;
    return WORTH / ((due > now ? due - now : now - due) + 1);
}

const struct vidmm_policy vidmm_policy_adaptive = {
    .version = VIDMM_POLICY_VERSION,
    .name = "adaptive",
    .init = adaptive_init,
    .done = adaptive_done,
    .used = adaptive_used,
    .freed = adaptive_freed,
    .submitted = adaptive_submitted,
    .exchange = adaptive_exchange,
    .exchanges = adaptive_exchanges,
    .changed = adaptive_changed,
    .worth = adaptive_worth,
};
