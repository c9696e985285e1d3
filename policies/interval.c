/*
 * interval.c - an example of a policy of eviction: an allocation that comes back at intervals is
 * needed again one interval after its last use, and what is needed last leaves first.
 *
 *   cc -shared -fPIC -I include -o interval.so policies/interval.c
 *   vidmm run --policy ./interval.so --vram 50% training-step
 */
#include <vidmm/policy.h>

/* candidate->own: the last use and the mean of the intervals, of which the newest is a quarter. */
enum { LAST, INTERVAL };

static uint64_t interval_used(void *policy, struct vidmm_candidate *candidate, bool write) {
    uint64_t *own = candidate->own;
    uint64_t now = candidate->last_use;
    (void)policy;
    (void)write;
    if (own[LAST] != 0 && own[LAST] < now) {
        uint64_t newest = now - own[LAST];
        own[INTERVAL] = own[INTERVAL] == 0 ? newest : (3 * own[INTERVAL] + newest) / 4;
    }
    own[LAST] = now;
    return UINT64_MAX - (now + own[INTERVAL]); /* the lowest rank leaves first */
}

const struct vidmm_policy vidmm_policy = {
    .version = VIDMM_POLICY_VERSION,
    .name = "interval",
    .used = interval_used,
};
