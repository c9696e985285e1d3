/*
 * frequency.c - an example of a policy of eviction: what was used often of late stays longer. Each use adds to an
 * allocation's count, which loses a half every 256 submissions; docs/research.md makes a curve of it.
 *
 *   cc -shared -fPIC -I include -o frequency.so policies/frequency.c
 *   vidmm run --policy ./frequency.so --vram 50% minetest
 */
#include <vidmm/policy.h>

enum { LAST, COUNT }; /* words of candidate->own */

#define HALF   256u /* submissions in which a count loses a half */
#define WEIGHT 8u   /* submissions that one use is worth */

static uint64_t frequency_used(void *policy, struct vidmm_candidate *candidate, bool write) {
    uint64_t *own = candidate->own, now = candidate->last_use;
    uint64_t halves = (now - own[LAST]) / HALF;
    (void)policy;
    (void)write;
    own[COUNT] = (halves < 63 ? own[COUNT] >> halves : 0) + 1;
    own[LAST] = now;
    return now + WEIGHT * own[COUNT]; /* the lowest rank leaves first */
}

const struct vidmm_policy vidmm_policy = {
    .version = VIDMM_POLICY_VERSION,
    .name = "frequency",
    .used = frequency_used,
};
