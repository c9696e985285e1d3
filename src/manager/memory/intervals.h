/*
 * intervals.h - the intervals between the uses of one allocation, counted in submissions, and what
 * they say of the next one.
 *
 * Two predictions: the mean, of which the newest interval is a quarter; and the interval so many
 * uses ago that would have been the best prediction so far: what a frame uses three times has three
 * intervals in turn.
 */
#ifndef VIDMM_MANAGER_INTERVALS_H
#define VIDMM_MANAGER_INTERVALS_H

#include <stdint.h>

#define INTERVALS_KEPT 8u

struct intervals {
    uint64_t last;                  /* submission that used it last; 0: none */
    uint64_t count;                 /* of intervals so far */
    uint64_t mean;                  /* 0: it never came back */
    uint64_t kept[INTERVALS_KEPT];  /* the newest, in a ring */
    uint64_t error[INTERVALS_KEPT]; /* decayed, four times the mean: of predicting by one so old */
};

/* Submission `number` uses it, which is not told twice. */
void intervals_use(struct intervals *intervals, uint64_t number);
/* 0: it never came back. */
uint64_t intervals_newest(const struct intervals *intervals);
/* The next interval; 0: it never came back. */
uint64_t intervals_periodic(const struct intervals *intervals);

#endif
