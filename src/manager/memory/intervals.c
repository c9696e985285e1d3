/*
 * intervals.c - see intervals.h. Only whole numbers, so that each build decides the same.
 */
#include "memory/intervals.h"

static uint64_t intervals_ago(const struct intervals *intervals, uint64_t uses) {
    return intervals->kept[(intervals->count - uses) % INTERVALS_KEPT];
}

static uint64_t intervals_known(const struct intervals *intervals) {
    return intervals->count < INTERVALS_KEPT ? intervals->count : INTERVALS_KEPT;
}

/* How wrong each of the kept ones would have been. */
static void intervals_judge(struct intervals *intervals, uint64_t newest) {
    for (uint64_t uses = 1; uses <= intervals_known(intervals); uses++) {
        uint64_t told = intervals_ago(intervals, uses), *error = &intervals->error[uses - 1];
        uint64_t wrong = told < newest ? newest - told : told - newest;
        *error = uses == intervals->count ? 4 * wrong : *error - *error / 4 + wrong;
    }
}

void intervals_use(struct intervals *intervals, uint64_t number) {
    if (intervals->last != 0 && intervals->last < number) {
        uint64_t newest = number - intervals->last;
        intervals_judge(intervals, newest);
        intervals->kept[intervals->count++ % INTERVALS_KEPT] = newest;
        intervals->mean = intervals->mean ? (3 * intervals->mean + newest + 2) / 4 : newest;
    }
    intervals->last = number;
}

uint64_t intervals_periodic(const struct intervals *intervals) {
    uint64_t best = 1;
    if (intervals->count == 0)
        return 0;
    for (uint64_t uses = 2; uses <= intervals_known(intervals) && uses < intervals->count; uses++) {
        if (intervals->error[uses - 1] < intervals->error[best - 1])
            best = uses;
    }
    return intervals_ago(intervals, best);
}

uint64_t intervals_newest(const struct intervals *intervals) {
    return intervals->count ? intervals_ago(intervals, 1) : 0;
}
