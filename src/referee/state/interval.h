/*
 * interval.h - intervals that are found by where they are: a balanced tree (a treap) ordered by
 * their starts, in which each node knows the highest end below it. Intervals may overlap.
 */
#ifndef REFEREE_INTERVAL_H
#define REFEREE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded in what has the place. */
struct interval {
    struct interval *left, *right;
    uint64_t start, end; /* bytes [start, end) */
    uint64_t highest;    /* end of this and all below */
    uint32_t priority;   /* of the heap: no node has a higher one below it */
};

struct interval_index {
    struct interval *root;
    uint32_t random; /* state of the generator of priorities */
};

void interval_add(struct interval_index *index, struct interval *interval, uint64_t start,
                  uint64_t end);
void interval_remove(struct interval_index *index, struct interval *interval);
/* The first interval with bytes of [start, end) that comes behind `after`, which is
 * NULL at first; NULL: there is none. */
struct interval *interval_meets(const struct interval_index *index, uint64_t start, uint64_t end,
                                const struct interval *after);

#endif
